//! A square falls on a ball and drapes over it, without touching itself or the ball.

use std::path::Path;
use toile::{Body, Cloth, DVec3, Scene, Studio, audit};

fn main() -> Result<(), toile::Error> {
    let mut sim = Scene::new()
        .with_cloth(Cloth::rectangle(1.0, 1.0, 0.05).at(0.0, 0.85, 0.0).jittered(1e-4, 1))
        .with_body(Body::sphere(DVec3::new(0.0, 0.5, 0.0), 0.3))
        .with_floor(0.0)
        .build()?;
    sim.run(1.0)?;

    Studio::new(&sim).sized(480, 360).draw_to(Path::new("out/02_drape_on_sphere.png"))?;
    let state = sim.state();
    let triangles = &sim.world().model().mesh.triangles;
    let found = audit(&state.x, triangles, sim.world().bodies(), state.time)?;
    assert_eq!((found.self_intersections, found.body_penetrations), (0, 0));
    assert!(state.lowest() < 0.5, "its corners hang below the middle of the ball");
    Ok(())
}
