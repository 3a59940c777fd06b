//! A scene file, changed a little, run with frames and an audit of each.

use std::path::Path;
use toile::{Format, Options, Outcome, Scene};

fn main() -> Result<(), toile::Error> {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/sphere.toml");
    let change = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let changes = [change("cloth.0.shape.cells", "[16, 16]"), change("duration", "0.5")];
    let mut sim = Scene::read_with(scene, &changes)?.build()?;

    let options = Options { frames: Some(Format::Glb), ..Options::new("out/05_scene_file") };
    let Outcome::Finished(report) = toile::run(&mut sim, &options, &mut |_| {})? else {
        unreachable!("nobody stops this run");
    };
    assert_eq!(report.intersections_max, Some(0));
    assert_eq!(report.frames, 16);
    assert!(Path::new("out/05_scene_file/frames.glb").exists());
    Ok(())
}
