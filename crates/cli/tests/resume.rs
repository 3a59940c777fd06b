//! Stopping, killing and resuming: the bits of the result do not change.

mod common;

use common::{SMALL, Toile};
use std::process::Stdio;
use std::time::Duration;

fn hash(toile: &Toile, out: &str) -> String {
    toile.json(&format!("{out}/report.json"))["state_hash"].as_str().expect("a hash").to_owned()
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
    toile.file("small.toml", SMALL);
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
    toile.file("small.toml", SMALL);
    run(&toile, &["--out", "whole", "--duration", "1.5"]);
    let mut child = start(&toile);
    // On Unix this is SIGKILL: nothing can be tidied up.
    child.kill().expect("is killed");
    child.wait().expect("has ended");
    assert!(!toile.path("parts/report.json").exists(), "killed too late to prove anything");
    // As it would be left by a kill in the middle of a write.
    toile.file("parts/.state.bin.0.tmp", "half");
    run(&toile, &["--out", "parts", "--duration", "1.5", "--resume"]);
    assert!(!toile.path("parts/.state.bin.0.tmp").exists());
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
