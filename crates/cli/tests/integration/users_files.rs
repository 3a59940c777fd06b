//! Nothing that toile did not write is deleted or overwritten: by no command, and not by refusals, kills or a full disk.

use crate::common;

use common::{Done, SMALL, Toile};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Names of all files that commands write into folders.
const RESULTS: [&str; 24] = [
    "report.json",
    "state.bin",
    "final.obj",
    "final.mtl",
    "unwelded.obj",
    "final.glb",
    "final.png",
    "body.obj",
    "frames.pc2",
    "frames.glb",
    "frames.usda",
    "frames.gif",
    "frames.apng",
    "frames.png",
    "arranged.png",
    "fit.html",
    "fit.json",
    "fit-strain.png",
    "fit-tension.png",
    "fit-pressure.png",
    "fit-gap.png",
    "compare.json",
    "compare.png",
    "compare.html",
];

/// All files below a folder, with their contents.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).expect("a file"));
        }
    }
    found
}

/// A folder that holds files of a user's under the names of results, and more.
fn users_folder(names: &[&str]) -> Toile {
    let toile = Toile::new();
    toile.file("small.toml", SMALL);
    std::fs::create_dir_all(toile.path("out/frames")).expect("a folder");
    for name in names.iter().chain(&["notes.txt", "frames/00000.txt", ".final.obj.0.tmp"]) {
        toile.file(&format!("out/{name}"), &format!("my own {name}"));
    }
    toile
}

/// Runs a command; every file that was there is there and the same.
fn run_beside(toile: &Toile, args: &[&str]) -> Done {
    let before = contents(&toile.path(""));
    let done = toile.run(args);
    let after = contents(&toile.path(""));
    for (path, bytes) in &before {
        assert_eq!(after.get(path), Some(bytes), "{args:?} changed {}", path.display());
    }
    done
}

#[test]
fn a_taken_name_refuses_every_command_and_changes_nothing() {
    for taken in RESULTS.iter().chain(&["frames/00003.obj", "frames/00004.png"]) {
        let toile = users_folder(&[taken]);
        let before = contents(&toile.path(""));
        let frames = match *taken {
            "frames.pc2" | "frames.glb" | "frames.usda" | "frames.gif" | "frames.apng" => {
                taken.strip_prefix("frames.").expect("a format")
            }
            "frames.png" => "sheet",
            "frames/00004.png" => "png",
            _ => "obj",
        };
        let args = match *taken {
            name if name.starts_with("fit") => vec!["drape", "skirt", "--quality", "draft"],
            "arranged.png" | "body.obj" => vec!["drape", "skirt", "--quality", "draft"],
            "unwelded.obj" => vec!["sim", "small.toml", "--duration", "0.02", "--unwelded"],
            name if name.starts_with("compare") => vec!["compare", "small.toml"],
            _ => vec!["sim", "small.toml", "--duration", "0.02", "--frames", frames],
        };
        let done = toile.run(&[&args[..], &["--out", "out"]].concat());
        assert_eq!(done.code, 1, "{taken}: {} {}", done.output, done.error);
        assert!(done.error.contains("not written by toile"), "{taken}: {}", done.error);
        assert!(done.error.contains("--out"), "{taken}: {}", done.error);
        assert_eq!(contents(&toile.path("")), before, "{taken}");
    }
}

#[test]
fn results_are_replaced_and_the_users_files_beside_them_stay() {
    let toile = users_folder(&["compare.json"]);
    let sim = ["sim", "small.toml", "--duration", "0.03", "--no-picture"];
    for extra in [&["--frames", "obj"][..], &["--frames", "pc2"], &[]] {
        let args = [&sim[..], extra].concat();
        assert_eq!(run_users(&toile, &args).code, 0, "{extra:?}");
    }
    assert!(!toile.path("out/frames.pc2").exists(), "results of the run before are gone");
    assert!(!toile.path("out/frames/00000.obj").exists());
    // A result that the user has changed is the user's.
    toile.file("out/final.obj", "edited");
    let done = run_beside(&toile, &sim);
    assert!(done.error.contains("final.obj") && done.error.contains("changed"), "{}", done.error);
}

/// Runs a command; every file whose contents say that they are the user's own stays.
fn run_users(toile: &Toile, args: &[&str]) -> Done {
    let own = |toile: &Toile| {
        let mut files = contents(&toile.path(""));
        files.retain(|_, bytes| bytes.starts_with(b"my own"));
        files
    };
    let before = own(toile);
    let done = toile.run(args);
    assert_eq!(own(toile), before, "{args:?}");
    done
}

const SQUARE: &str = "v 0 0 0\nv 0.1 0 0\nv 0.1 0 0.1\nv 0 0 0.1\nf 1 3 2\nf 1 4 3\n";

#[test]
fn an_input_in_the_folder_of_results_is_kept_or_the_run_is_refused() {
    let toile = Toile::new();
    for folder in ["out", "scan"] {
        std::fs::create_dir(toile.path(folder)).expect("a folder");
    }
    toile.file("out/final.obj", SQUARE);
    let scene =
        "duration = 0.02\n[[cloth]]\nshape = { type = \"mesh\", file = \"out/final.obj\" }\n";
    toile.file("scene.toml", scene);
    for extra in [&[][..], &["--no-untangle"], &["--resume"]] {
        let done = run_beside(&toile, &[&["sim", "scene.toml"][..], extra].concat());
        assert_eq!(done.code, 1, "{extra:?}: {}", done.error);
    }
    // Also if toile has written it itself.
    assert_eq!(toile.run(&["sim", "scene.toml", "--out", "b"]).code, 0);
    toile.file("again.toml", &scene.replace("out/final", "b/final"));
    let done = run_beside(&toile, &["sim", "again.toml", "--out", "b"]);
    assert!(done.error.contains("this file is read"), "{}", done.error);
    // A scan in the folder of the garment.
    let done = toile.run(&["body", "make", "-o", "scan/body.obj"]);
    assert_eq!(done.code, 0, "{}", done.error);
    let done = run_beside(&toile, &["drape", "skirt", "--body", "scan/body.obj", "--out", "scan"]);
    assert_eq!(done.code, 1, "{}", done.error);
    assert!(done.error.contains("body.obj: this file is read"), "{}", done.error);
}

#[test]
fn a_start_that_is_refused_or_fails_changes_nothing() {
    let toile = users_folder(&[]);
    let first = toile.run(&["sim", "small.toml", "--duration", "0.02"]);
    assert_eq!(first.code, 0, "{}", first.error);
    // Two sheets that cross.
    let crossing = "duration = 0.1\n[[cloth]]\nshape = { type = \"grid\", width = 0.2, height = 0.2, cells = [4, 4] }\n\
        [[cloth]]\nshape = { type = \"grid\", width = 0.2, height = 0.2, cells = [4, 4] }\n\
        place = { at = [0.013, 0, 0.017], rotate = { axis = [1, 0, 0], degrees = 90 } }\n";
    toile.file("crossing.toml", crossing);
    let before = contents(&toile.path(""));
    for args in [
        &["sim", "crossing.toml", "--no-untangle"][..],
        &["sim", "missing.toml"],
        &["sim", "small.toml", "--set", "gravity=[0,nan,0]"],
        &["sim", "small.toml", "--resume", "--set", "gravity=[0,0,0]"],
        &["sim", "small.toml", "--checkpoint", "-1"],
        &["drape", "no-such-garment"],
        &["drape", "skirt", "--body", "missing.obj"],
        &["drape", "skirt", "--fabric", "no-such-fabric"],
        &["convert", "missing.obj", "out/final.obj"],
        &["convert", "out/final.obj", "out/final.obj"],
        &["convert", "small.toml", "out/final.obj"],
    ] {
        let done = toile.run(args);
        assert_eq!(done.code, 1, "{args:?}: {}", done.error);
        assert_eq!(contents(&toile.path("")), before, "{args:?}");
    }
    assert_eq!(toile.run(&["sim", "missing.toml", "--out", "new"]).code, 1);
    assert!(!toile.path("new").exists());
}

#[test]
fn commands_that_only_read_write_nothing() {
    let toile = users_folder(&[]);
    assert_eq!(toile.run(&["sim", "small.toml", "--frames", "pc2"]).code, 0);
    let before = contents(&toile.path(""));
    for args in [
        &["check", "out/final.obj", "out/frames.pc2"][..],
        &["check", "out/final.glb"],
        &["pattern", "list"],
        &["fabric", "list"],
        &["fabric", "show", "cotton"],
        &["methods"],
    ] {
        let done = toile.run(args);
        assert_eq!(done.code, 0, "{args:?}: {}", done.error);
        assert_eq!(contents(&toile.path("")), before, "{args:?}");
    }
}

#[test]
fn a_conversion_that_fails_keeps_the_old_file() {
    let toile = Toile::new();
    toile.file("square.obj", SQUARE);
    toile.file("far.obj", &SQUARE.replace("0.1 0 0\n", "1e39 0 0\n"));
    for old in ["a.pc2", "a.glb", "a.usda"] {
        toile.file(old, "old");
        let before = contents(&toile.path(""));
        let done = toile.run(&["convert", "far.obj", old]);
        assert_eq!(done.code, 1, "{old}");
        assert_eq!(contents(&toile.path("")), before, "{old}");
        let done = toile.run(&["convert", "square.obj", old]);
        assert_eq!(done.code, 0, "{old}: {}", done.error);
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let toile = users_folder(&[]);
    toile.file("square.obj", SQUARE);
    let sim = ["sim", "small.toml", "--frames", "pc2", "--out", "out", "--duration"];
    let resume = [&sim[..], &["0.4", "--resume"]].concat();
    assert_eq!(run_users(&toile, &[&sim[..], &["0.3"]].concat()).code, 0);
    let before = contents(&toile.path("out"));
    // With the signal ignored, a write beyond the limit fails as on a full disk.
    let program = env!("CARGO_BIN_EXE_toile");
    let script = format!("trap '' XFSZ; ulimit -f 4; exec {program} \"$@\"");
    let limited = |args: &[&str]| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script, "toile"]).args(args).current_dir(toile.path(""));
        command.output().expect("sh is there")
    };
    let done = limited(&resume);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("cannot write"), "{said}");
    assert_ne!(done.status.code(), Some(0));
    let own = |(path, _): &(&PathBuf, &Vec<u8>)| path.to_string_lossy().contains("notes");
    let after = contents(&toile.path("out"));
    assert!(before.iter().filter(own).eq(after.iter().filter(own)));
    // Space again: the run goes on from where it was.
    let whole = toile.run(&["sim", "small.toml", "--duration", "0.4", "--out", "whole"]);
    assert_eq!(whole.code, 0);
    let done = toile.run(&resume);
    assert_eq!(done.code, 0, "{}", done.error);
    let hash = |out: &str| toile.json(&format!("{out}/report.json"))["state_hash"].clone();
    assert_eq!(hash("whole"), hash("out"));
    // A conversion beyond the limit.
    toile.file("kept.pc2", "old");
    let done = limited(&["convert", "out/final.obj", "out/frames.pc2", "kept.pc2"]);
    assert_ne!(done.status.code(), Some(0));
    assert_eq!(std::fs::read(toile.path("kept.pc2")).expect("is there"), b"old");
}

#[test]
fn kills_at_any_moment_leave_the_users_files_and_a_folder_that_can_be_used_again() {
    let toile = users_folder(&["compare.json", "body.obj"]);
    let args = ["sim", "small.toml", "--frames", "pc2", "--checkpoint", "0", "--no-picture"];
    for delay in [0, 5, 10, 20, 40, 80, 120, 160] {
        let mut command = toile.command(&args);
        command.stderr(Stdio::null()).stdout(Stdio::null());
        let mut child = command.spawn().expect("starts");
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().expect("is killed");
        child.wait().expect("has ended");
        for name in ["notes.txt", "compare.json", "body.obj", "frames/00000.txt"] {
            let kept = std::fs::read_to_string(toile.path("out").join(name)).expect("is there");
            assert_eq!(kept, format!("my own {name}"), "after {delay} ms");
        }
    }
    let done = toile.run(&args);
    assert_eq!(done.code, 0, "{}", done.error);
}

/// Commands that write to a file that the user names, with the file.
const NAMED: &[(&[&str], &str)] = &[
    (&["convert", "square.obj", "kept.ply"], "kept.ply"),
    (&["convert", "square.obj", "kept.glb"], "kept.glb"),
    (&["convert", "square.obj", "kept.usda"], "kept.usda"),
    (&["fabric", "fit", "bending.csv", "--out", "kept.toml"], "kept.toml"),
    (&["fabric", "import", "kes.csv", "--out", "kept.toml"], "kept.toml"),
    (&["fabric", "show", "cotton", "--plot", "kept.svg"], "kept.svg"),
    (&["pattern", "show", "skirt", "-o", "kept.svg"], "kept.svg"),
    (&["pattern", "make", "skirt", "-o", "kept.toml"], "kept.toml"),
    (&["pattern", "mesh", "skirt", "--edge", "0.1", "-o", "kept.obj"], "kept.obj"),
    (&["body", "make", "-o", "kept.obj"], "kept.obj"),
    (
        &[
            "bench",
            "collide",
            "--triangles",
            "200",
            "--repeats",
            "1",
            "--choice",
            "default",
            "--scene",
            "hung",
            "--cells",
            "8",
            "--plot",
            "kept.svg",
        ],
        "kept.svg",
    ),
];

/// Files that those read, and old ones under the names that they write.
fn named_files() -> Toile {
    let toile = users_folder(&["compare.json", "report.json"]);
    toile.file("square.obj", SQUARE);
    toile.file("tiny.toml", &SMALL.replace("duration = 0.2", "duration = 0.01"));
    toile.file("bending.csv", "curvature,moment\n50,0.0006\n100,0.0011\n150,0.0016\n200,0.0021\n");
    toile.file("kes.csv", "property,weft,warp\nW,12.1\nB,0.062,0.091\nG,1.1\nEM,5.2,4.1\nLT,0.8\n");
    for name in ["kept.toml", "kept.svg", "kept.obj", "kept.ply", "kept.glb", "kept.usda"] {
        toile.file(name, "old");
    }
    toile
}

#[cfg(unix)]
#[test]
fn no_command_loses_a_file_when_the_disk_is_full() {
    let toile = named_files();
    let before = contents(&toile.path(""));
    // Not a byte can be written. With the signal ignored, that fails as on a full disk.
    let program = env!("CARGO_BIN_EXE_toile");
    let script = format!("trap '' XFSZ; ulimit -f 0; exec {program} \"$@\"");
    let folders: &[&[&str]] = &[
        &["sim", "small.toml", "--duration", "0.02", "--out", "new"],
        &["drape", "tiny.toml", "--no-picture", "--out", "new"],
        &["compare", "tiny.toml", "--out", "new"],
        &["lab", "catenary", "--quick", "--plots", "new"],
        &["lab", "catenary", "--quick", "--report", "kept.svg"],
    ];
    for args in NAMED.iter().map(|(args, _)| *args).chain(folders.iter().copied()) {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script, "toile"]).args(args).current_dir(toile.path(""));
        let done = command.output().expect("sh is there");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(1), "{args:?} {said}");
        assert!(said.contains("cannot") && !said.contains("panicked"), "{args:?} {said}");
        let after = contents(&toile.path(""));
        for (path, bytes) in &before {
            assert_eq!(after.get(path), Some(bytes), "{args:?} changed {}", path.display());
        }
        let new =
            |path: &&PathBuf| !before.contains_key(*path) && !path.starts_with(toile.path("new"));
        assert_eq!(after.keys().find(new), None, "{args:?}");
    }
}

#[test]
fn a_command_writes_the_file_that_it_is_told_to_and_no_other() {
    let toile = named_files();
    for (args, file) in NAMED {
        let before = contents(&toile.path(""));
        let done = toile.run(args);
        assert_eq!(done.code, 0, "{args:?} {}", done.error);
        let mut after = contents(&toile.path(""));
        assert_ne!(after.get(&toile.path(file)), before.get(&toile.path(file)), "{args:?}");
        // Measurements go beside a body.
        after.remove(&toile.path("kept.json"));
        for (path, bytes) in before.iter().filter(|(path, _)| **path != toile.path(file)) {
            let same = after.get(path) == Some(bytes) || path.ends_with("kept.json");
            assert!(same, "{args:?} changed {}", path.display());
        }
        assert!(after.len() <= before.len(), "{args:?} left something");
    }
}

#[test]
fn a_file_that_would_get_the_measurements_of_a_body_is_the_users() {
    let toile = Toile::new();
    toile.file("me.json", "{ \"my\": \"own\" }");
    let before = contents(&toile.path(""));
    let done = toile.run(&["body", "make", "-o", "me.obj"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("me.json: this file was not written by toile"), "{}", done.error);
    assert_eq!(contents(&toile.path("")), before);
    // Its own it replaces.
    for _ in 0..2 {
        assert_eq!(toile.run(&["body", "make", "-o", "she.obj"]).code, 0);
    }
}
