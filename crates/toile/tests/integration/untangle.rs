//! Runs that begin intersecting.

use std::path::Path;
use toile::{
    Body, Cloth, DVec3, Error, Options, Outcome, Preset, Report, Scene, Simulation, StopFlag,
};

/// Two sheets, the second one through the first.
const CROSSING: &str = r#"
duration = 0.1
[[cloth]]
name = "flat"
shape = { type = "grid", width = 0.3, height = 0.3, cells = [10, 10] }
[[cloth]]
name = "upright"
shape = { type = "grid", width = 0.2, height = 0.2, cells = [7, 7] }
place = { at = [0.003, 0.09, 0.002], rotate = { axis = [1, 0, 0], degrees = 90 } }
"#;

/// Two sheets whose borders are linked like two links of a chain, and held.
fn linked() -> String {
    let on = |v: &u32| v.is_multiple_of(11) || v % 11 == 10 || *v < 11 || *v >= 110;
    let border: Vec<u32> = (0..121).filter(on).collect();
    format!(
        r#"
duration = 0.02
[[cloth]]
name = "flat"
shape = {{ type = "grid", width = 0.2, height = 0.2, cells = [10, 10] }}
pins = [{{ vertices = {border:?} }}]
[[cloth]]
name = "upright"
shape = {{ type = "grid", width = 0.2, height = 0.2, cells = [10, 10] }}
place = {{ at = [0.1, 0.003, 0.002], rotate = {{ axis = [1, 0, 0], degrees = 90 }} }}
pins = [{{ vertices = {border:?} }}]
"#
    )
}

fn scene(text: &str, more: &str) -> Scene {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, format!("{text}{more}")).expect("written");
    Scene::read(&path).expect("reads")
}

fn options(out: &Path) -> Options {
    Options { picture: false, ..Options::new(out) }
}

fn finish(sim: &mut Simulation, options: &Options) -> Result<Report, Error> {
    match toile::run(sim, options, &mut |_| {})? {
        Outcome::Finished(report) => Ok(*report),
        Outcome::Stopped { .. } => panic!("nobody stopped it"),
    }
}

fn run(scene: Scene) -> Result<Report, Error> {
    let out = tempfile::tempdir().expect("a folder");
    finish(&mut scene.build()?, &options(out.path()))
}

#[test]
fn a_run_untangles_its_start_and_reports_it() {
    let report = run(scene(CROSSING, "")).expect("runs");
    let undone = report.untangle.expect("something to undo");
    assert!(undone.intersections_before > 10, "{undone:?}");
    assert!(undone.is_clean() && undone.moved > 0 && undone.iterations > 0, "{undone:?}");
    assert!(undone.mean_displacement <= undone.largest_displacement);
    assert_eq!(report.intersections_max, Some(0));
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
}

#[test]
fn a_start_that_shall_not_be_untangled_is_refused_with_the_first_pair() {
    let error = run(scene(CROSSING, "[solver]\nuntangle = false")).expect_err("refused");
    let message = error.to_string();
    assert!(matches!(error, Error::Tangled { .. }));
    assert!(message.contains("pairs of intersecting triangles, the first"), "{message}");
    assert!(message.contains("\"flat\"") && message.contains("\"upright\""), "{message}");
}

#[test]
fn what_cannot_be_undone_stops_the_default_solver_and_warns_in_others() {
    let error = run(scene(&linked(), "")).expect_err("cannot begin").to_string();
    assert!(error.contains("cannot be untangled") && error.contains("\"upright\""), "{error}");
    let report = run(scene(&linked(), "[solver]\nmethod = \"classic\"")).expect("goes on");
    let left = report.untangle.expect("tried").intersections_after;
    assert!(left > 0);
    let warning = report.warnings.iter().find(|w| w.contains("iterations of untangling have left"));
    assert!(warning.is_some_and(|w| w.contains(&left.to_string())), "{:?}", report.warnings);
}

#[test]
fn a_start_without_intersections_runs_in_the_same_bits_with_and_without_untangling() {
    let clean = |untangle: bool| {
        let mut scene = Scene::new()
            .with_cloth(Cloth::rectangle(0.3, 0.3, 0.03).at(0.0, 0.25, 0.0))
            .with_body(Body::sphere(DVec3::ZERO, 0.2));
        scene.duration = 0.2;
        scene.solver.insert("untangle".into(), untangle.into());
        run(scene).expect("runs")
    };
    let [with, without] = [true, false].map(clean);
    assert_eq!(with.untangle, None);
    assert_eq!(with.state_hash, without.state_hash);
}

#[test]
fn a_stopped_run_goes_on_without_untangling_again() {
    let whole = run(scene(CROSSING, "")).expect("runs");
    let out = tempfile::tempdir().expect("a folder");
    let stop = StopFlag::default();
    let stopped = Options { stop: stop.clone(), ..options(out.path()) };
    let mut sim = scene(CROSSING, "").build().expect("builds");
    let outcome = toile::run(&mut sim, &stopped, &mut |p| {
        if p.step == 3 {
            stop.stop();
        }
    });
    assert!(matches!(outcome, Ok(Outcome::Stopped { step: 3, .. })));
    let resumed = Options { resume: true, ..options(out.path()) };
    let report = finish(&mut scene(CROSSING, "").build().expect("builds"), &resumed).expect("runs");
    assert_eq!(report.state_hash, whole.state_hash);
    let counts = |r: &Report| r.untangle.map(|u| (u.intersections_before, u.iterations, u.moved));
    assert_eq!(counts(&report), counts(&whole));
    assert_eq!(report.effort, whole.effort);
}

#[test]
fn cloth_is_not_untangled_from_what_its_method_lets_it_pass() {
    let mut alone = scene(CROSSING, "");
    alone.preset = Preset::AabbRealtime;
    let report = run(alone).expect("runs");
    assert_eq!(report.untangle, None);
    assert!(report.warnings.iter().any(|w| w.contains("intersecting")), "{:?}", report.warnings);
}

#[test]
fn the_report_counts_what_the_default_solver_did() {
    let report = run(scene(CROSSING, "")).expect("runs");
    let effort = report.effort.expect("the default solver");
    assert!(effort.newton_iterations >= report.steps);
    assert!(effort.detections > effort.newton_iterations);
    assert!(effort.linear_iterations > 0 && effort.contacts_mean <= effort.contacts_max as f64);
    let classic = run(scene(CROSSING, "[solver]\nmethod = \"classic\"")).expect("runs");
    assert_eq!(classic.effort, None);
}

#[test]
fn the_report_has_the_momentum_and_the_energy_of_the_begin_and_of_the_end() {
    let mut alone = Scene::new().with_cloth(Cloth::rectangle(0.3, 0.3, 0.03).at(0.0, 1.0, 0.0));
    alone.duration = 0.2;
    let mass: f64 = alone.clone().build().expect("builds").world().model().mass.iter().sum();
    let report = run(alone).expect("runs");
    assert_eq!(report.momentum_initial.linear, [0.0; 3]);
    assert_eq!(report.energy_initial.kinetic, 0.0);
    assert!((report.energy_initial.potential - 9.81 * mass).abs() < 1e-9);
    let (fallen, expected) = (report.momentum_final.linear[1], -9.81 * mass * 0.2);
    assert!((fallen - expected).abs() < 1e-3 * expected.abs(), "{fallen} is not {expected}");
    let kinetic = 0.5 * expected * expected / mass;
    assert!((report.energy.kinetic - kinetic).abs() < 1e-2 * kinetic, "{}", report.energy.kinetic);
}
