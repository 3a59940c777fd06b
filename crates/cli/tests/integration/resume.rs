//! Stopping, killing and resuming: the bits of the result do not change.

use crate::common;

use common::{SMALL, Toile};
use std::process::Stdio;
use std::time::Duration;

fn hash(toile: &Toile, out: &str) -> String {
    toile.json(&format!("{out}/report.json"))["state_hash"].as_str().expect("a hash").to_owned()
}

/// A scene whose fabric has viscosity and friction between its threads: slider positions are part of the state.
fn lossy() -> String {
    let fabric = "{ viscosity = 1e-3, shear_hysteresis = 2.0, bend_hysteresis_warp = 4e-4 }";
    SMALL.replace("jitter", &format!("fabric = {fabric}\njitter"))
}

fn run(toile: &Toile, args: &[&str]) {
    let mut all = vec!["sim", "small.toml", "--no-picture"];
    if !args.contains(&"--frames") {
        all.extend(["--frames", "pc2"]);
    }
    all.extend(args);
    let done = toile.run(&all);
    assert_eq!(done.code, 0, "{args:?}: {}", done.error);
}

#[test]
fn a_run_in_two_parts_ends_in_the_same_bits_and_frames() {
    let toile = Toile::new();
    toile.file("small.toml", &lossy());
    run(&toile, &["--out", "whole", "--duration", "0.3"]);
    run(&toile, &["--out", "parts", "--duration", "0.123"]);
    assert_ne!(hash(&toile, "whole"), hash(&toile, "parts"));
    run(&toile, &["--out", "parts", "--duration", "0.3", "--resume", "--threads", "2"]);
    assert_eq!(hash(&toile, "whole"), hash(&toile, "parts"));
    let [whole, parts] = ["whole", "parts"].map(|o| toile.json(&format!("{o}/report.json")));
    for key in ["steps", "frames", "max_strain", "energy", "intersections_max", "warnings"] {
        assert_eq!(whole[key], parts[key], "{key}");
    }
    let frames = |out: &str| std::fs::read(toile.path(out).join("frames.pc2")).expect("frames");
    assert_eq!(frames("whole"), frames("parts"));
}

/// Starts a run that saves its state all the time, and waits until it has.
fn start(toile: &Toile) -> std::process::Child {
    let args = ["sim", "small.toml", "--no-picture", "--frames", "pc2", "--out", "parts"];
    let mut command = toile.command(&args);
    command.args(["--duration", "1.5", "--checkpoint", "0"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let state = toile.path("parts/state.bin");
    for _ in 0..2000 {
        if state.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(30));
    child
}

#[test]
fn a_killed_run_goes_on_as_if_nothing_had_happened() {
    let toile = Toile::new();
    toile.file("small.toml", &lossy());
    run(&toile, &["--out", "whole", "--duration", "1.5"]);
    let mut child = start(&toile);
    // On Unix this is SIGKILL: nothing can be tidied up.
    child.kill().expect("is killed");
    child.wait().expect("has ended");
    assert!(!toile.path("parts/report.json").exists(), "killed too late to prove anything");
    // As it would be left by a kill in the middle of a write.
    toile.file("parts/.toile/state.bin.tmp", "half");
    run(&toile, &["--out", "parts", "--duration", "1.5", "--resume"]);
    assert!(!toile.path("parts/.toile/state.bin.tmp").exists());
    assert_eq!(hash(&toile, "whole"), hash(&toile, "parts"));
    let frames = |out: &str| std::fs::read(toile.path(out).join("frames.pc2")).expect("frames");
    assert_eq!(frames("whole"), frames("parts"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_stops_cleanly_and_says_how_to_go_on() {
    let toile = Toile::new();
    toile.file("small.toml", SMALL);
    let child = start(&toile);
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status();
    let sent = sent.expect("kill is there");
    assert!(sent.success());
    let done = child.wait_with_output().expect("ends");
    assert_eq!(done.status.code(), Some(130));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("stopped at") && said.contains("--resume"), "{said}");
    run(&toile, &["--out", "parts", "--duration", "1.5", "--resume"]);
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let toile = Toile::new();
    toile.file("small.toml", SMALL);
    let resume = |extra: &[&str]| {
        let mut args =
            vec!["sim", "small.toml", "--no-picture", "--frames", "pc2", "--out", "a", "--resume"];
        args.extend(extra);
        let done = toile.run(&args);
        assert_eq!(done.code, 1, "{extra:?}");
        done.error
    };
    assert!(resume(&[]).contains("cannot read the saved state"));
    run(&toile, &["--out", "a", "--duration", "0.05"]);
    assert!(resume(&["--set", "solver.step=0.0005"]).contains("another scene"));
    assert!(resume(&["--set", "body.0.shape.radius=0.04"]).contains("another scene"));
    let other = toile.run(&["sim", "small.toml", "--out", "a", "--resume"]);
    assert!(other.error.contains("begun with frames: pc2"), "{}", other.error);
    let path = toile.path("a/state.bin");
    let mut bytes = std::fs::read(&path).expect("a state");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).expect("written");
    assert!(resume(&[]).contains("damaged"));
    std::fs::write(&path, b"something else").expect("written");
    assert!(resume(&[]).contains("not a saved state"));
}

#[test]
fn a_refused_resume_leaves_the_results_alone() {
    let toile = Toile::new();
    toile.file("small.toml", SMALL);
    run(&toile, &["--out", "a", "--duration", "0.05"]);
    let resume = |extra: &[&str]| {
        let mut args = vec!["sim", "small.toml", "--no-picture", "--resume"];
        args.extend(extra);
        let done = toile.run(&args);
        assert_eq!(done.code, 1, "{extra:?}");
        done.error
    };
    assert!(resume(&["--out", "a"]).contains("begun with frames"));
    assert!(resume(&["--out", "a", "--set", "gravity=[0,0,0]"]).contains("another scene"));
    // The state of a later moment is no result for an earlier one.
    let shorter = resume(&["--out", "a", "--frames", "pc2", "--duration", "0.02"]);
    assert!(shorter.contains("step 5"), "{shorter}");
    for file in ["report.json", "final.obj", "frames.pc2", "state.bin"] {
        assert!(toile.path("a").join(file).exists(), "{file} is gone");
    }
    resume(&["--out", "b"]);
    assert!(!toile.path("b").exists(), "nothing to resume, nothing to make");
}

#[test]
fn a_folder_holds_the_results_of_one_run() {
    let toile = Toile::new();
    toile.file("small.toml", SMALL);
    run(&toile, &["--out", "a", "--duration", "0.05", "--frames", "obj", "--every", "0.01"]);
    assert!(toile.path("a/frames/00005.obj").exists());
    run(&toile, &["--out", "a", "--duration", "0.05", "--frames", "obj", "--every", "0.025"]);
    let frames = std::fs::read_dir(toile.path("a/frames")).expect("frames").count();
    assert_eq!(frames, 3, "frames of the first run are left");
    let done = toile.run(&["sim", "small.toml", "--no-picture", "--out", "a"]);
    assert_eq!(done.code, 0, "{}", done.error);
    assert!(!toile.path("a/frames/00000.obj").exists());
}

/// A garment, draped in a few seconds.
const SKIRT: [&str; 6] = ["drape", "skirt", "--quality", "draft", "--every", "0.1"];

#[test]
fn a_killed_garment_goes_on_as_if_nothing_had_happened() {
    let toile = Toile::new();
    let args = |out| [&SKIRT[..], &["--frames", "gif", "--no-picture", "--out", out]].concat();
    let whole = toile.run(&args("whole"));
    assert_eq!(whole.code, 0, "{}", whole.error);
    let mut command = toile.command(&args("parts"));
    command.args(["--checkpoint", "0"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let state = toile.path("parts/state.bin");
    while !state.exists() && child.try_wait().expect("a state").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("is killed");
    child.wait().expect("has ended");
    assert!(!toile.path("parts/report.json").exists(), "killed too late to prove anything");
    let other = toile.run(&[&args("parts")[..], &["--resume", "--fabric", "denim"]].concat());
    assert!(other.error.contains("another scene or garment"), "{}", other.error);
    let resumed = toile.run(&[&args("parts")[..], &["--resume", "--threads", "2"]].concat());
    assert_eq!(resumed.code, 0, "{}", resumed.error);
    let [a, b] = ["whole", "parts"].map(|o| toile.json(&format!("{o}/report.json")));
    for key in ["state_hash", "steps", "frames", "frames_kept", "max_strain", "energy", "warnings"]
    {
        assert_eq!(a[key], b[key], "{key}");
    }
    for file in ["final.obj", "frames.pc2", "frames.gif", "panels.obj", "fit.json"] {
        let [a, b] = ["whole", "parts"].map(|o| std::fs::read(toile.path(o).join(file)));
        assert_eq!(a.expect(file), b.expect(file), "{file}");
    }
    assert_eq!((&a["intersections_max"], &a["body_penetrations_max"]), (&0.into(), &0.into()));
}

#[test]
fn frames_of_a_garment_begin_when_it_is_sewn_and_end_as_the_final_mesh() {
    let toile = Toile::new();
    let args = [&SKIRT[..], &["--frames", "pc2", "--no-picture", "--out", "a"]].concat();
    let done = toile.run(&args);
    assert_eq!(done.code, 0, "{}", done.error);
    let report = toile.json("a/report.json");
    assert!(report["first_frame"].as_f64().expect("a time") > 0.0, "{report}");
    let kept = report["frames_kept"].as_u64().expect("a count");
    assert!(kept > 1 && kept <= report["frames"].as_u64().expect("a count"), "{report}");
    let checked = toile.run(&["check", "a/final.obj", "a/frames.pc2", "--body", "a/body.obj"]);
    assert_eq!(checked.code, 0, "{} {}", checked.output, checked.error);
    assert!(checked.output.contains(&format!("{kept} frames")), "{}", checked.output);
}

/// Starts a run whose first step goes on for minutes, and waits until it has begun.
#[cfg(unix)]
fn start_stuck(toile: &Toile) -> std::process::Child {
    let scene = "[[cloth]]\nshape = { type = \"grid\", width = 1, height = 1, cells = [200, 200] }\n\
                 pins = [{ points = [[0, 0]] }]\n[solver]\nstep = 0.1\n\
                 barrier = { decrement = 0, speed = 0, max_iterations = 100000 }\n";
    toile.file("stuck.toml", scene);
    let mut command = toile.command(&["sim", "stuck.toml", "--set", "fps=1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    std::thread::sleep(Duration::from_millis(1500));
    child
}

#[cfg(unix)]
fn send(child: &std::process::Child, signal: &str) {
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill").args([signal, &id]).status();
    assert!(sent.expect("kill is there").success());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_step_that_is_stuck_and_a_second_one_ends_everything() {
    let toile = Toile::new();
    for signals in [&["-TERM"][..], &["-INT", "-INT"]] {
        let mut child = start_stuck(&toile);
        for signal in signals {
            send(&child, signal);
            std::thread::sleep(Duration::from_millis(50));
        }
        let begun = std::time::Instant::now();
        while child.try_wait().expect("asked").is_none() && begun.elapsed().as_secs() < 60 {
            std::thread::sleep(Duration::from_millis(20));
        }
        let ended = child.try_wait().expect("asked");
        let _ = child.kill();
        assert_eq!(ended.and_then(|s| s.code()), Some(130), "{signals:?}");
    }
}
