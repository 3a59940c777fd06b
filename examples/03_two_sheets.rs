//! Two sheets fall on each other and on a box; the upper one stays on top.

use std::path::Path;
use toile::{Body, BodyShape, Cloth, DVec3, Scene, Studio, audit};

fn main() -> Result<(), toile::Error> {
    let sheet = |y: f64| Cloth::rectangle(0.4, 0.4, 0.04).at(0.0, y, 0.0).jittered(1e-4, 1);
    let block = BodyShape::Box {
        at: DVec3::new(0.0, 0.1, 0.0),
        size: DVec3::new(0.2, 0.2, 0.2),
        rotate: None,
    };
    let mut sim = Scene::new()
        .with_cloth(sheet(0.25).named("lower").of("denim"))
        .with_cloth(sheet(0.30).named("upper").of("silk").rotated(DVec3::Y, 45.0))
        .with_body(Body::new("block", block))
        .with_floor(0.0)
        .build()?;
    sim.run(0.6)?;

    Studio::new(&sim).sized(480, 360).draw_to(Path::new("out/03_two_sheets.png"))?;
    let (state, model) = (sim.state(), sim.world().model());
    let found = audit(&state.x, &model.mesh.triangles, sim.world().bodies(), state.time)?;
    assert_eq!((found.self_intersections, found.body_penetrations), (0, 0));
    let middle = |cloth: usize| {
        let range = &model.vertices[cloth];
        state.x[(range.start as usize + range.end as usize) / 2].y
    };
    assert!(middle(1) > middle(0) && middle(0) > 0.2);
    Ok(())
}
