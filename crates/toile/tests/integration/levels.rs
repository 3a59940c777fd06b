//! Progressive draping: the same drape in less time, every level free of intersections, the same bits however it is run.

use toile::{Auditing, Body, Cloth, DVec3, Options, Outcome, Report, Scene, StopFlag};

fn scene(levels: u32) -> Scene {
    scene_of(levels, 0.02)
}

fn scene_of(levels: u32, cell: f64) -> Scene {
    let mut scene = Scene::new()
        .with_cloth(Cloth::rectangle(0.8, 0.8, cell).at(0.01, 0.42, 0.02).jittered(1e-4, 3))
        .with_body(Body::sphere(DVec3::Y * 0.2, 0.2))
        .with_floor(0.0);
    scene.duration = 1.2;
    scene.levels = levels;
    scene
}

fn options(out: &std::path::Path) -> Options {
    Options { picture: false, audit: Auditing::Step, threads: Some(1), ..Options::new(out) }
}

fn finish(scene: Scene, options: &Options) -> Report {
    let mut sim = scene.build().expect("builds");
    match toile::run(&mut sim, options, &mut |_| {}).expect("runs") {
        Outcome::Finished(report) => *report,
        Outcome::Stopped { .. } => panic!("nobody stopped it"),
    }
}

#[test]
fn a_drape_through_three_levels_is_that_of_one_and_never_intersects() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, levels] =
        [1, 3].map(|n| finish(scene(n), &options(&folder.path().join(n.to_string()))));
    assert_eq!((levels.vertices, levels.steps), (whole.vertices, whole.steps));
    for report in [&whole, &levels] {
        assert_eq!((report.intersections_max, report.body_penetrations_max), (Some(0), Some(0)));
        assert!(report.rms_speed_final < 0.5, "{}", report.rms_speed_final);
    }
    // It hangs as high, and has bent as much.
    let (a, b) = (levels.energy.potential, whole.energy.potential);
    assert!((a / b - 1.0).abs() < 0.05, "{a} {b}");
    let (a, b) = (levels.energy.elastic, whole.energy.elastic);
    assert!(a > 0.3 * b && a < 3.0 * b, "{a} {b}");
    // Most steps were of fewer vertices, which touch in fewer places.
    let contacts = |r: &Report| r.effort.expect("the default solver").contacts_mean;
    assert!(
        contacts(&levels) < 0.7 * contacts(&whole),
        "{} {}",
        contacts(&levels),
        contacts(&whole)
    );
}

#[test]
fn a_run_that_is_stopped_on_any_level_goes_on_bit_for_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = || scene_of(3, 0.04);
    let whole = finish(scene(), &options(&folder.path().join("whole")));
    // 120 steps: 60 in the largest cells, 30 in the next.
    for stop_at in [20, 60, 75, 100] {
        let stop = StopFlag::default();
        let first = Options { stop: stop.clone(), ..options(&folder.path().join("parts")) };
        let mut sim = scene().build().expect("builds");
        let outcome = toile::run(&mut sim, &first, &mut |p| {
            if p.step == stop_at {
                stop.stop();
            }
        });
        assert!(matches!(outcome, Ok(Outcome::Stopped { .. })), "{outcome:?}");
        let rest = Options { resume: true, threads: Some(2), ..options(&first.out) };
        assert_eq!(finish(scene(), &rest).state_hash, whole.state_hash, "stopped at {stop_at}");
    }
}

#[test]
fn cells_that_cannot_be_larger_are_refused_by_name() {
    for (levels, cells, says) in
        [(0, 40, "1 to 6"), (7, 64, "1 to 6"), (3, 42, "multiples of 4"), (2, 41, "multiples of 2")]
    {
        let mut bad = scene(levels);
        bad.cloths = vec![Cloth::rectangle(1.0, 1.0, 1.0 / f64::from(cells))];
        let error = bad.build().expect_err("must be refused").to_string();
        assert!(error.contains(says), "{levels} {cells}: {error}");
    }
}

#[test]
fn stacks_pins_that_move_and_cloths_of_files_go_through_levels() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("flap.obj"),
        "v 0 0 0\nv 0.1 0 0\nv 0 0 0.1\nv 0.1 0 0.1\nf 1 3 2\nf 2 3 4\n",
    )
    .expect("written");
    let text = "duration = 0.2\nlevels = 2\n\
        [[cloth]]\nshape = { type = \"grid\", width = 0.4, height = 0.4, cells = [16, 16] }\n\
        stack = { count = 3, offset = [0, 0.02, 0], turn = 10 }\n\
        [[cloth]]\nname = \"flap\"\nshape = { type = \"mesh\", file = \"flap.obj\" }\nplace = { at = [0, 0.2, 0] }\n\
        [[cloth]]\nname = \"flag\"\nshape = { type = \"grid\", width = 0.2, height = 0.2, cells = [8, 12], diagonals = \"same\" }\n\
        place = { at = [0.8, 0.2, 0] }\n\
        pins = [{ select = \"left\", motion = { type = \"steady\", velocity = [0.3, 0.1, 0] } }]\n";
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, text).expect("written");
    let mut sim = Scene::read(&file).expect("reads").build().expect("builds");
    let held: Vec<u32> = sim.world().pinned_vertices();
    let outcome = toile::run(&mut sim, &options(&folder.path().join("out")), &mut |_| {});
    let Ok(Outcome::Finished(report)) = outcome else { panic!("{outcome:?}") };
    assert_eq!((report.intersections_max, report.steps), (Some(0), 20));
    let start = &sim.world().model().mesh.positions;
    assert_eq!(held.len(), 13);
    for v in held {
        let went = sim.state().x[v as usize] - start[v as usize];
        assert!(went.distance(DVec3::new(0.06, 0.02, 0.0)) < 1e-12, "{v}: {went}");
    }
}

#[test]
fn a_pin_on_a_vertex_that_larger_cells_lack_is_refused() {
    let mut scene = scene(2);
    scene.cloths[0].pins = vec![toile::Pin::vertices([1])];
    let error = scene.build().expect_err("must be refused").to_string();
    assert!(error.contains("fewer `levels`"), "{error}");
}
