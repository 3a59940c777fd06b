//! A skirt, drafted to a waist of 70 cm and sewn onto a mannequin of the same measure, step by step.

// An example talks to people.
#![allow(clippy::print_stdout)]

use toile::body::{Figure, Pose};
use toile::pattern::{Measurements, Size, design::Design};
use toile::{DVec3, Fabric, Garment, Wearer};

fn main() -> Result<(), toile::Error> {
    let size = Figure::Female.measurements(Size::S);
    let measurements = Measurements { waist_girth: 0.70, ..size };
    let wearer = Wearer::mannequin(&measurements, Figure::Female, Pose::A)?;
    let design = Design::find("skirt").expect("a built-in design");
    let denim = Fabric { density: 0.35, weft: 8000.0, warp: 8000.0, ..Fabric::default() };

    // Coarse, so that the example is quick; 2 cm and less is usual.
    let garment = Garment::of_design(&design, &measurements).fabric(denim).edge_length(0.06);
    let mut sewn = garment.on(&wearer)?;
    while !sewn.is_sewn() && sewn.steps() < 200 {
        sewn.step()?;
    }
    println!(
        "sewn after {} steps: {} panels, {} vertices",
        sewn.steps(),
        sewn.panels().len(),
        sewn.positions().len()
    );
    assert!(sewn.is_sewn() && sewn.widest_gap() == 0.0);

    // It can be read as any simulation, and go on as one with other forces.
    let waist = wearer.landmarks().waist.y;
    assert!(sewn.positions().iter().all(|p| p.y < waist + 0.1));
    let contacts = sewn.contacts()?.len();
    println!("{contacts} contacts, {:.2} J", sewn.energy().total());
    let mut world = sewn.into_world();
    world.set_gravity(DVec3::new(1.0, -9.81, 0.0))?;
    world.step()?;
    assert!(world.state().x.iter().all(|p| p.is_finite()));
    Ok(())
}
