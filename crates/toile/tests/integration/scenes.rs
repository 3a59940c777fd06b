//! Every scene of the library, small and short: it reads, builds, steps and stays clean.

use std::path::{Path, PathBuf};
use toile::{Auditing, ClothShape, Options, Outcome, Scene};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn scenes() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("scenes/ is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    all.sort();
    all
}

#[test]
fn every_scene_builds_and_says_what_it_shows_and_expects() {
    assert!(scenes().len() >= 9);
    for path in scenes() {
        let scene = Scene::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(Some(scene.name.as_str()), path.file_stem().and_then(|s| s.to_str()));
        assert!(scene.description.len() > 20, "{}", path.display());
        assert_eq!(scene.expect.intersections_max, Some(0), "{}", path.display());
        let sim = scene.build().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!sim.state().x.is_empty());
    }
}

#[test]
fn every_scene_begins_and_goes_on_without_intersections() {
    for path in scenes() {
        let mut scene = Scene::read(&path).expect("reads");
        for cloth in &mut scene.cloths {
            if let ClothShape::Grid { cells, .. } = &mut cloth.shape {
                *cells = cells.map(|n| n.div_ceil(4));
            }
        }
        scene.duration = 0.25;
        scene.expect = toile::Expect::default();
        let mut sim = scene.build().expect("builds");
        let out = tempfile::tempdir().expect("a folder");
        let options =
            Options { picture: false, audit: Auditing::Frame, ..Options::new(out.path()) };
        let outcome = toile::run(&mut sim, &options, &mut |_| {});
        match outcome.unwrap_or_else(|e| panic!("{}: {e}", path.display())) {
            Outcome::Finished(report) => {
                assert_eq!(report.intersections_max, Some(0), "{}", path.display());
                assert_eq!(report.body_penetrations_max, Some(0), "{}", path.display());
                assert_eq!(report.frames, 8, "{}", path.display());
            }
            Outcome::Stopped { .. } => panic!("nobody stopped it"),
        }
    }
}

/// The first vertices of the scenes shared with other simulators, as NumPy makes them, turned
/// from z up to y up.
#[test]
fn the_shared_scenes_begin_where_other_simulators_begin() {
    let first = 2.36432494005134e-06;
    let near = |name: &str, i: usize, expected: [f64; 3]| {
        let sim = Scene::read(folder().join(name)).expect("reads").build().expect("builds");
        let x = sim.state().x[i];
        let distance = (x - toile::DVec3::from_array(expected)).length();
        assert!(distance < 1e-15, "{name}: {x} is not {expected:?}");
    };
    near("sphere.toml", 0, [-0.5, 0.85 + first, 0.5]);
    near("table.toml", 0, [-0.5, 0.55 + first, 0.5]);
    near("ribbon.toml", 0, [-0.05, 0.05, -first]);
    near("twist.toml", 0, [-0.5, first, 0.5]);
    // The second vertex lies one cell along the height.
    near("sphere.toml", 1, [-0.5, 0.85 + 9.009273926518706e-05, 0.48]);
    near("ribbon.toml", 1, [-0.05, 0.06, -9.009273926518706e-05]);
}
