//! A square of cotton hangs from one edge: it swings down, and keeps its length.

use std::path::Path;
use toile::{Cloth, Scene, Studio};

fn main() -> Result<(), toile::Error> {
    let mut sim = Scene::new().with_cloth(Cloth::rectangle(1.0, 1.0, 0.05).pin_edge(0)).build()?;
    sim.run(0.5)?; // about a quarter of a swing

    Studio::new(&sim).sized(480, 360).draw_to(Path::new("out/01_hanging_square.png"))?;
    let lowest = sim.state().lowest();
    assert!(lowest > -1.15, "cloth hardly stretches: {lowest} m");
    assert!(lowest < -0.8, "and it has swung down: {lowest} m");
    Ok(())
}
