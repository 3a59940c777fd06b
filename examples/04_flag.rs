//! A flag in a wind with gusts: it is lifted, and it flutters.

use std::path::Path;
use toile::{Cloth, DVec3, Scene, Studio, Wind};

fn main() -> Result<(), toile::Error> {
    let wind = Wind { velocity: DVec3::new(8.0, 0.0, 2.0), gust: 0.5, ..Wind::default() };
    let flag = Cloth::rectangle(0.6, 0.4, 0.04)
        .rotated(DVec3::X, 90.0)
        .at(0.3, 1.0, 0.0)
        .of("silk")
        .pin_edge(0);
    let mut sim = Scene::new().with_cloth(flag).with_wind(wind).build()?;
    sim.run(1.0)?;

    Studio::new(&sim).sized(480, 360).draw_to(Path::new("out/04_flag.png"))?;
    let mean = sim.state().x.iter().sum::<DVec3>() / sim.state().x.len() as f64;
    assert!(mean.x > 0.1, "the wind carries it away from the pole: {mean}");
    assert!(sim.state().rms_speed() > 0.05, "and it does not come to rest");
    Ok(())
}
