//! The program from outside: exit codes, errors, results, stopping and resuming.

use crate::common;

use common::{SMALL, Toile};
use serde_json::Value;

#[test]
fn a_run_leaves_its_results_and_says_how_it_went() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    let done = toile.run(&["sim", &scene, "--duration", "0.05", "--frames", "pc2", "--json"]);
    assert_eq!(done.code, 0, "{}", done.error);
    let report = toile.json("out/report.json");
    assert_eq!(serde_json::from_str::<Value>(&done.output).unwrap(), report);
    let keys = [
        "version",
        "scene",
        "preset",
        "vertices",
        "triangles",
        "steps",
        "simulated_seconds",
        "wall_seconds",
        "cpu_seconds",
        "stage_seconds",
        "peak_rss_bytes",
        "threads",
        "intersections_final",
        "intersections_max",
        "body_penetrations_final",
        "max_strain",
        "energy",
        "state_hash",
        "warnings",
    ];
    for key in keys {
        assert!(report.get(key).is_some(), "{key} is missing");
    }
    assert_eq!(report["scene"], "small");
    assert_eq!(report["vertices"], 81);
    assert_eq!(report["frames"], 2);
    for file in ["final.obj", "final.glb", "final.png", "state.bin", "frames.pc2"] {
        assert!(toile.path("out").join(file).exists(), "{file} is missing");
    }
    let png = std::fs::read(toile.path("out/final.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
}

#[test]
fn a_broken_expectation_is_a_failure() {
    let toile = Toile::new();
    let scene = toile.file("bad.toml", &format!("{SMALL}\n[expect]\nlowest = [5, 6]\n"));
    // Bounds of the end are not held against a shorter run, unless they were asked for beside it.
    let short = ["sim", &scene, "--duration", "0.01", "--no-picture"];
    assert_eq!(toile.run(&short).code, 0);
    let asked = [&short[..], &["--set", "expect.lowest=[5, 6]"]].concat();
    let done = toile.run(&asked);
    assert_eq!(done.code, 1);
    assert!(done.output.contains("NOT AS EXPECTED: lowest is"), "{}", done.output);
}

#[test]
fn every_form_of_frames_is_written() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    let forms = [
        ("obj", "out/frames/00000.obj"),
        ("glb", "out/frames.glb"),
        ("usda", "out/frames.usda"),
        ("png", "out/frames/00000.png"),
        ("gif", "out/frames.gif"),
        ("apng", "out/frames.apng"),
        ("sheet", "out/frames.png"),
    ];
    for (form, file) in forms {
        let args = [
            "sim",
            &scene,
            "--duration",
            "0.02",
            "--every",
            "0.02",
            "--frames",
            form,
            "--no-picture",
        ];
        let done = toile.run(&args);
        assert_eq!(done.code, 0, "{form}: {}", done.error);
        assert!(toile.path(file).exists(), "{form}");
    }
}

#[test]
fn the_hash_is_the_same_for_any_number_of_threads() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    let hash = |threads: &str| {
        let args = ["sim", &scene, "--duration", "0.3", "--threads", threads, "--no-picture"];
        assert_eq!(toile.run(&args).code, 0);
        toile.json("out/report.json")["state_hash"].as_str().unwrap().to_owned()
    };
    let one = hash("1");
    assert_eq!(one, hash("2"));
    assert_eq!(one, hash("4"));
}

#[test]
fn check_finds_what_intersects_and_only_that() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    let args = ["sim", &scene, "--duration", "0.1", "--frames", "pc2", "--no-picture"];
    assert_eq!(toile.run(&args).code, 0);
    let done = toile.run(&["check", "out/final.obj", "out/frames.pc2", "--json"]);
    assert_eq!(done.code, 0, "{}", done.error);
    let found: Value = serde_json::from_str(&done.output).unwrap();
    assert_eq!(found["self_intersections"], 0);
    assert_eq!(found["body_penetrations"], 0);
    assert_eq!(found["frames"], 5);
    assert!(found["max_strain"].as_f64().unwrap() < 0.5);

    let crossed =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 2 2 0\nf 1 2 3\nf 4 5 6\n";
    let mesh = toile.file("crossed.obj", crossed);
    let done = toile.run(&["check", &mesh, "--json"]);
    assert_eq!(done.code, 1);
    let found: Value = serde_json::from_str(&done.output).unwrap();
    assert_eq!(found["self_intersections"], 1);
    assert_eq!(found["max_strain"], Value::Null);
    let done = toile.run(&["check", "out/frames.pc2"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("no triangles"), "{}", done.error);
}

#[test]
fn a_mesh_inside_a_body_is_found() {
    let toile = Toile::new();
    let inner = toile.file("inner.obj", "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nf 1 2 3\n");
    let body = toile.file(
        "body.obj",
        "v -1 -1 -1\nv 2 -1 -1\nv -1 2 -1\nv -1 -1 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    );
    let done = toile.run(&["check", &inner, "--body", &body]);
    assert_eq!(done.code, 1);
    assert!(done.output.contains("1 body penetrations"), "{}", done.output);
}

#[test]
fn meshes_and_films_are_converted() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    let args = ["sim", &scene, "--duration", "0.1", "--frames", "pc2", "--no-picture"];
    assert_eq!(toile.run(&args).code, 0);
    for args in [
        vec!["convert", "out/final.obj", "a.ply"],
        vec!["convert", "a.ply", "a.glb"],
        vec!["convert", "out/final.obj", "out/frames.pc2", "film.glb"],
        vec!["convert", "film.glb", "film.usda"],
        vec!["convert", "film.glb", "film.pc2"],
    ] {
        let done = toile.run(&args);
        assert_eq!(done.code, 0, "{args:?}: {}", done.error);
    }
    let cache = std::fs::read(toile.path("out/frames.pc2")).unwrap();
    assert_eq!(std::fs::read(toile.path("film.pc2")).unwrap(), cache, "a film survives the way");
    let done = toile.run(&["convert", "film.glb", "one.obj"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("holds one mesh"), "{}", done.error);
    assert_eq!(toile.run(&["convert", "a.ply", "a.xyz"]).code, 1);
}

#[test]
fn what_there_is_can_be_listed() {
    let toile = Toile::new();
    let done = toile.run(&["methods", "--json"]);
    let list: Value = serde_json::from_str(&done.output).unwrap();
    let presets: Vec<&Value> =
        list["presets"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert!(
        presets.contains(&&Value::from("provot97")) && presets.contains(&&Value::from("toile"))
    );
    assert!(list["fabrics"].as_array().unwrap().len() >= 5);
    let done = toile.run(&["methods", "--settings", "provot97"]);
    assert!(done.output.contains("[solver.collision]"), "{}", done.output);
    // What is printed can stand in a scene.
    let scene = toile.file("full.toml", &format!("{SMALL}\n{}", done.output));
    let args = ["sim", &scene, "--duration", "0.01", "--no-picture"];
    assert_eq!(toile.run(&args).code, 0);
    assert_eq!(toile.run(&["methods", "--settings", "nothing"]).code, 1);
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(toile.run(&["completions", shell]).output.contains("toile"), "{shell}");
    }
    for command in ["sim", "drape", "check", "convert", "methods", "completions"] {
        let help = toile.run(&[command, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.output.contains("Examples:"), "{command}");
    }
}

#[test]
fn drape_takes_a_square_or_a_scene_file() {
    let toile = Toile::new();
    // The coarsest cloth: stopping early by another duration is not offered, and draft runs in a few seconds.
    let done = toile.run(&["drape", "sphere", "--quality", "draft", "--no-picture"]);
    assert_eq!(done.code, 0, "{}{}", done.output, done.error);
    assert!(done.output.contains("no intersection"), "{}", done.output);
    assert!(toile.json("out/report.json")["lowest"].as_f64().unwrap() < 0.6);
    let done = toile.run(&["drape", "sphere", "--fabric", "coton"]);
    assert!(done.error.contains("did you mean `cotton`"), "{}", done.error);
    let scene = toile.file("small.toml", SMALL);
    let done = toile.run(&["drape", &scene, "--fabric", "silk", "--no-picture"]);
    assert_eq!(done.code, 0, "{}{}", done.output, done.error);
    assert_eq!(toile.json("out/report.json")["scene"], "small");
    let done = toile.run(&["drape", &scene, "--quality", "fine"]);
    assert!(done.error.contains("cloth.0.shape.cells"), "{}", done.error);
}

#[test]
fn drape_without_a_name_sews_a_t_shirt_and_tells_how_it_fits() {
    let toile = Toile::new();
    let done = toile.run(&["drape", "--quality", "draft", "--no-picture"]);
    assert_eq!(done.code, 0, "{}{}", done.output, done.error);
    for said in ["T-shirt M, cotton-jersey", "bust: body 9", "best size M: ", "fit.html"] {
        assert!(done.output.contains(said), "{said}: {}", done.output);
    }
    let report = toile.json("out/report.json");
    assert_eq!(report["intersections_final"], 0);
    assert_eq!(report["fit"]["best_size"][0], "M");
    assert!(toile.path("out/fit.html").exists() && !toile.path("out/final.png").exists());
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_or_a_full_disk_is_no_panic() {
    use std::process::Stdio;
    let toile = Toile::new();
    toile.file("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n");
    toile.file("small.toml", SMALL);
    let commands: [&[&str]; 7] = [
        &["bench", "--triangles", "50", "--repeats", "1"],
        &["methods"],
        &["methods", "--settings", "provot97"],
        &["completions", "bash"],
        &["check", "quad.obj"],
        &["convert", "quad.obj", "quad.glb"],
        &["sim", "small.toml", "--duration", "0.01", "--no-picture"],
    ];
    for args in commands {
        let mut child = toile.command(args).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
        // The end of this pipe is closed before the program starts to speak.
        let mut child = toile.command(&["sim", "nothing.toml"]);
        let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(1));
        let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { continue };
        let done = toile.command(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("standard output: cannot write"), "{args:?}: {said}");
    }
}

#[test]
fn a_bad_begin_is_told() {
    let toile = Toile::new();
    let inside = SMALL.replace("[0, 0.11, 0]", "[0, 0.05, 0]");
    toile.file("inside.toml", &format!("{inside}\n[[body]]\nshape = {{ type = \"plane\" }}\n"));
    // Cloth that nothing stops has nothing to be untangled from.
    let free = ["--no-picture", "--preset", "provot97", "--set", "solver.collision.enabled=false"];
    for audit in ["frame", "step"] {
        let args = ["sim", "inside.toml", "--duration", "0.002", "--audit", audit];
        let done = toile.run(&[&args[..], &free].concat());
        assert!(done.output.contains("triangles inside bodies; move"), "{}", done.output);
        assert_eq!(done.code, 1, "what intersects is bad, also without [expect]");
    }
    let twice = "stack = { count = 2, offset = [0, 0, 0], turn = 30 }\njitter";
    toile.file("twice.toml", &SMALL.replace("jitter", twice));
    let done = toile.run(&[&["sim", "twice.toml", "--duration", "0.001"], &free[..]].concat());
    assert!(done.output.contains("pairs of intersecting triangles; move"), "{}", done.output);
}
