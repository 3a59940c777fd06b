//! `toile body`: a mannequin is made and measured, and what is said about bad measurements and meshes.

use crate::common;

use common::Toile;

#[test]
fn a_mannequin_is_made_and_the_tape_says_what_was_asked() {
    let toile = Toile::new();
    toile.file("me.toml", "waist_girth = 72\n");
    let done = toile.run(&[
        "body",
        "make",
        "--measurements",
        "me.toml",
        "--set",
        "calf_girth=37",
        "--out",
        "b.ply",
        "--rig",
        "r.json",
    ]);
    assert_eq!(done.code, 0, "{}", done.error);
    let record = toile.json("b.json");
    assert!((record["measured"]["waist_girth"].as_f64().unwrap_or(0.0) - 0.72).abs() < 0.005);
    assert!(record["landmarks"]["nape"][1].as_f64().unwrap_or(0.0) > 1.3);
    assert_eq!(toile.json("r.json")["skeleton"]["bones"].as_array().map(Vec::len), Some(19));
    let done = toile.run(&["body", "measure", "b.ply", "--json"]);
    assert_eq!(done.code, 0, "{}", done.error);
    let said: serde_json::Value = serde_json::from_str(&done.output).expect("JSON");
    assert_eq!(said["repairs"]["unit"], "m");
    for (name, wanted) in [("waist_girth", 0.72), ("calf_girth", 0.37), ("height", 1.68)] {
        assert!((said["measured"][name].as_f64().unwrap_or(0.0) - wanted).abs() < 0.005, "{name}");
    }
}

#[test]
fn nonsense_is_refused_with_its_bounds() {
    let toile = Toile::new();
    toile.file("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (args, wanted) in [
        (
            vec!["make", "--set", "waist_girth=190", "--out", "b.obj"],
            "must lie between 50.4 cm and 151.2 cm",
        ),
        (vec!["make", "--set", "height=nan", "--out", "b.obj"], "height"),
        (vec!["make", "--set", "inseam=70", "--out", "b.obj"], "body_rise is 27.2 cm"),
        (vec!["make", "--pose", "lotus", "--out", "b.obj"], "there are a, t and relaxed"),
        (vec!["make", "--out", "b.doc"], "unknown mesh format"),
        (vec!["measure", "flat.obj"], "not"),
        (vec!["measure", "none.obj"], "none.obj"),
    ] {
        let args: Vec<&str> = std::iter::once("body").chain(args).collect();
        let done = toile.run(&args);
        assert_eq!(done.code, 1, "{args:?}");
        assert!(done.error.contains(wanted), "{args:?}: {}", done.error);
        assert!(!toile.path("b.obj").exists());
    }
}

#[test]
fn a_mannequin_walks_into_files() {
    let toile = Toile::new();
    let animate = |more: &[&str]| {
        toile.run(&[&["body", "animate", "--duration", "0.4", "--fps", "10"], more].concat())
    };
    let done = animate(&["--motion", "walk", "-o", "w.pc2", "--json"]);
    assert_eq!(done.code, 0, "{}", done.error);
    let said: serde_json::Value = serde_json::from_str(&done.output).expect("JSON");
    assert_eq!((said["frames"].as_f64(), said["clip_start"].as_f64()), (Some(20.0), Some(1.5)));
    let done = toile.run(&["convert", "w.obj", "w.pc2", "w.usda"]);
    assert_eq!(done.code, 0, "{}", done.error);
    let done = animate(&["--motion", "squat", "--cut", "-o", "s.glb"]);
    assert_eq!(done.code, 0, "{}", done.error);
    assert!(done.output.contains("5 frames at 10 per second"), "{}", done.output);
    toile.file("bad.bvh", "HIERARCHY\nROOT Hips\n{\nOFFSET 0 nan 0\n");
    toile.file("taken.obj", "mine");
    for (args, wanted) in [
        (vec!["--motion", "fly", "-o", "f.glb"], "there is no motion `fly`"),
        (vec!["--motion", "walk", "-o", "f.obj"], "no format of animations"),
        (vec!["--motion", "walk", "-o", "taken.pc2"], "would be replaced"),
        (vec!["--motion", "walk", "--speed", "40", "-o", "f.glb"], "is no walk"),
        (vec!["--motion", "turn", "--speed", "1", "-o", "f.glb"], "`turn` has no speed"),
        (vec!["--motion", "bad.bvh", "-o", "f.glb"], "line 4: `nan` is no number"),
        (vec!["--motion", "none.bvh", "-o", "f.glb"], "none.bvh"),
    ] {
        let done = animate(&args);
        assert!(done.code != 0 && done.error.contains(wanted), "{args:?}: {}", done.error);
        assert!(!toile.path("f.glb").exists());
    }
}
