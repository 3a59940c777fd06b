//! Wind, friction, gravity, fabric and settings are changed between two steps; nothing is built anew by hand.

use toile::{Body, Cloth, DVec3, Fabric, Scene, Settings, Wind};

/// Mean of some numbers.
fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = numbers.len() as f64;
    numbers.sum::<f64>() / n
}

fn main() -> Result<(), toile::Error> {
    let slope = DVec3::new(2.5, -9.81, 0.0); // as if the table were tilted
    let mut sim = Scene::new()
        .with_cloth(Cloth::rectangle(0.3, 0.3, 0.03).at(0.0, 0.003, 0.0))
        .with_body(Body::cuboid(DVec3::Y * -0.1, DVec3::new(4.0, 0.2, 4.0)).named("table"))
        .with_gravity(slope)
        .build()?;
    let place = |sim: &toile::Simulation| mean(sim.positions().iter().map(|p| p.x));

    sim.run(0.3)?;
    let held = place(&sim);
    assert!(held < 0.005, "friction holds it: {held} m");

    sim.set_friction(0, 0.02)?;
    sim.run(0.3)?;
    let slid = place(&sim);
    assert!(slid > held + 0.05, "it slides: {slid} m");

    sim.set_gravity(DVec3::NEG_Y * 9.81)?;
    sim.set_body_friction(0, Some(0.8))?;
    sim.run(0.3)?;
    assert!(mean(sim.velocities().iter().map(|v| v.length())) < 0.01, "it lies still again");

    let gust = Wind { velocity: DVec3::new(4.0, 8.0, 0.0), gust: 0.2, ..Wind::default() };
    sim.set_wind(Some(gust))?;
    sim.set_fabric(0, &Fabric { density: 0.04, ..Fabric::default() })?;
    sim.run(0.3)?;
    let height = mean(sim.positions().iter().map(|p| p.y));
    assert!(height > 0.02, "light cloth is blown up: {height} m");

    let time = sim.state().time;
    let shorter = Settings { step: 0.005, ..sim.world().settings().clone() };
    sim.set_settings(&shorter)?;
    sim.step()?;
    assert!((sim.state().time - time - 0.005).abs() < 1e-12);
    Ok(())
}
