//! Bad input: every mistake is an error with its place and its remedy, never a panic.

use crate::common;

use common::{SMALL, Toile};

/// Runs a scene that must be refused and returns what is said.
fn refused(text: &str) -> String {
    let toile = Toile::new();
    let scene = toile.file("bad.toml", text);
    let done = toile.run(&["sim", &scene]);
    assert_eq!(done.code, 1, "{text}\n{}", done.error);
    assert!(!done.error.contains("panicked"), "{}", done.error);
    assert!(!toile.path("out/report.json").exists());
    done.error
}

fn says(text: &str, words: &[&str]) {
    let error = refused(text);
    for word in words {
        assert!(error.contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let toile = Toile::new();
    let done = toile.run(&["sim", "nothing.toml"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("nothing.toml: cannot read"), "{}", done.error);
}

#[test]
fn mistakes_in_a_scene_are_shown_where_they_are() {
    says("[[cloth]\n", &["this is not TOML", "bad.toml:1:"]);
    says(
        &format!("durration = 1\n{SMALL}"),
        &["unknown key `durration`", "did you mean `duration`?", "bad.toml:1:1"],
    );
    says(&SMALL.replace("radius", "raduis"), &["unknown key `raduis`", "did you mean `radius`?"]);
    says(&SMALL.replace("\"sphere\"", "\"spere\""), &["did you mean `sphere`?"]);
    says(
        &SMALL.replace("= 0.2\n", "= \"long\"\n"),
        &["`duration` is wrong", "expected a number", "bad.toml:2:"],
    );
    says(
        &format!("{SMALL}\n[solver]\nstpe = 1\n"),
        &["unknown key `stpe`", "did you mean `step`?"],
    );
    says(&format!("{SMALL}\n[solver]\nstep = 1.0\n"), &["`solver.step` is 1", "1e-7 to 0.1 s"]);
    says(&format!("{SMALL}\n[solver.collision]\nzones = \"rigit\"\n"), &["did you mean `rigid`?"]);
    says("name = \"empty\"\n", &["no cloth"]);
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    says(&SMALL.replace("width = 0.2", "width = nan"), &["width` is NaN"]);
    says(
        &SMALL.replace("width = 0.2", "width = -0.2"),
        &["`cloth[0].shape.width` is -0.2", "above zero"],
    );
    says(&SMALL.replace("= 0.2\n", "= inf\n"), &["`duration` is inf"]);
    says(&SMALL.replace("= 0.2\n", "= -1\n"), &["`duration` is -1"]);
    says(&SMALL.replace("[0, 0.11, 0]", "[0, nan, 0]"), &["place.at` is not finite"]);
    says(&SMALL.replace("[0, 0.11, 0]", "[0, 0.11]"), &["cloth[0].place"]);
    says(&SMALL.replace("radius = 0.05", "radius = -1"), &["`body[0].shape` radius is -1"]);
    says(&SMALL.replace("radius = 0.05", "radius = nan"), &["radius is NaN"]);
    says(&SMALL.replace("[8, 8]", "[0, 8]"), &["no cells"]);
    says(&SMALL.replace("[8, 8]", "[-8, 8]"), &["cloth[0].shape"]);
    says(&format!("gravity = [0, nan, 0]\n{SMALL}"), &["`gravity` is not finite"]);
    says(&format!("fps = 0\n{SMALL}"), &["`fps` is 0"]);
    says(&format!("fps = 1e9\n{SMALL}"), &["only 100 steps a second"]);
    says(&format!("{SMALL}\n[wind]\nvelocity = [inf, 0, 0]\n"), &["wind"]);
}

#[test]
fn absurd_sizes_are_refused_before_memory_is_taken() {
    says(&SMALL.replace("[8, 8]", "[1000000000, 1000000000]"), &["cells", "at most"]);
    says(&SMALL.replace("[8, 8]", "[9223372036854775807, 2]"), &["cells", "at most"]);
    let stack = "stack = { count = 4000000000, offset = [0, 0.1, 0] }\n[[body]]";
    says(&SMALL.replace("[[body]]", stack), &["at most"]);
}

#[test]
fn files_that_a_scene_names_must_be_there_and_sound() {
    let mesh =
        |file: &str| format!("[[cloth]]\nshape = {{ type = \"mesh\", file = \"{file}\" }}\n");
    says(&mesh("nothing.obj"), &["cloth[0].shape", "nothing.obj", "cannot read"]);
    says(&mesh("cloth.xyz"), &["unknown mesh format"]);
    let toile = Toile::new();
    toile.file("broken.obj", "v 0 0 0\nv 1 0 0\nf 1 2 3\n");
    let scene = toile.file("bad.toml", &mesh("broken.obj"));
    let done = toile.run(&["sim", &scene]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("broken.obj:3"), "{}", done.error);
    says(&SMALL.replace("[[body]]", "fabric = \"silkk\"\n[[body]]"), &["did you mean `silk`?"]);
    says(
        &SMALL.replace("[[body]]", "fabric = { density = 0 }\n[[body]]"),
        &["density", "above zero"],
    );
}

#[test]
fn pins_must_choose_vertices_that_are_there() {
    let pin = |pin: &str| SMALL.replace("[[body]]", &format!("pins = [{pin}]\n[[body]]"));
    says(&pin("{ select = \"topp\" }"), &["did you mean `top`?"]);
    says(&pin("{ vertices = [81] }"), &["names vertex 81"]);
    says(&pin("{ }"), &["needs exactly one of"]);
    says(&pin("{ box = [[5, 5, 5], [6, 6, 6]] }"), &["holds no vertex"]);
    let keys =
        "{ select = \"top\", motion = { type = \"keys\", keys = [{ time = 0, degrees = 90 }] } }";
    says(&pin(keys), &["pins[0].motion", "does not begin where the cloth does"]);
}

#[test]
fn changes_from_the_command_line_are_checked_too() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    for (set, word) in [
        ("solver.stpe=1", "did you mean `step`?"),
        ("solver.step=9", "command line"),
        ("cloth.7.name=x", "cannot set `cloth.7.name`"),
        ("nonsense", "KEY=VALUE"),
    ] {
        let done = toile.run(&["sim", &scene, "--set", set]);
        assert_ne!(done.code, 0);
        assert!(done.error.contains(word), "{set}: {}", done.error);
    }
    let done = toile.run(&["sim", &scene, "--preset", "provot79"]);
    assert!(done.error.contains("did you mean `provot97`?"), "{}", done.error);
    assert_eq!(toile.run(&["sim", &scene, "--threads", "0"]).code, 2);
    assert_eq!(toile.run(&["sim", &scene, "--frames", "avi"]).code, 2);
    assert_eq!(toile.run(&["smi"]).code, 2);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    toile.file("taken", "a file, not a folder");
    let done = toile.run(&["sim", &scene, "--out", "taken"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("taken"), "{}", done.error);
    let done = toile.run(&["sim", &scene, "--out", "/proc/none/out"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("--out"), "{}", done.error);
}

#[test]
fn a_huge_duration_is_no_error_by_itself() {
    let toile = Toile::new();
    let scene = toile.file("long.toml", &SMALL.replace("= 0.2\n", "= 1e12\n"));
    let mut child = toile
        .command(&["sim", &scene, "--checkpoint", "0.05"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("starts");
    let state = toile.path("out/state.bin");
    for _ in 0..600 {
        if state.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(state.exists(), "it runs and saves its state");
    assert!(child.try_wait().expect("asked").is_none(), "it still runs");
    child.kill().expect("ends");
    child.wait().expect("ended");
}

#[test]
fn errors_are_json_for_those_who_asked_for_it() {
    let toile = Toile::new();
    let done = toile.run(&["sim", "nothing.toml", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&done.output).expect("JSON");
    assert!(error["error"].as_str().expect("a text").contains("nothing.toml"));
    assert!(error["help"].as_str().expect("a text").contains("check the path"));
    let done = toile.run(&["sim", "--json", "--nonsense"]);
    assert_eq!(done.code, 2);
    let error: serde_json::Value = serde_json::from_str(&done.output).expect("JSON");
    assert!(error["error"].as_str().expect("a text").contains("--nonsense"));
}

#[test]
fn numbers_of_the_command_line_are_refused_with_a_reason() {
    let toile = Toile::new();
    toile.file("small.toml", SMALL);
    toile.file("one.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    let sim = ["sim", "small.toml"];
    for (option, value, word) in [
        ("--duration", "-1", "`duration` is -1"),
        ("--duration", "nan", "`duration` is NaN"),
        ("--every", "0", "above zero"),
        ("--every", "-1", "above zero"),
        ("--every", "nan", "above zero"),
        ("--every", "inf", "above zero"),
        ("--checkpoint", "-1", "cannot save a state every -1"),
    ] {
        let done = toile.run(&[&sim[..], &[option, value]].concat());
        assert!(done.error.contains(word), "{option} {value}: {}", done.error);
        assert!(!toile.path("out").exists());
    }
    for fps in ["0", "-1", "nan", "inf", "1e300"] {
        for output in ["a.glb", "a.usda"] {
            let done = toile.run(&["convert", "one.obj", output, "--fps", fps]);
            assert_eq!(done.code, 1, "{fps}");
            assert!(done.error.contains("--fps"), "{fps}: {}", done.error);
        }
    }
    toile.file("far.obj", "v 0 0 0\nv 1e300 0 0\nv 0 0 1\nf 1 2 3\n");
    let done = toile.run(&["convert", "far.obj", "far.usda"]);
    assert!(done.code == 1 && done.error.contains("32-bit"), "{}", done.error);
    assert!(!toile.path("far.usda").exists());
}

#[test]
fn a_scene_file_that_is_too_long_is_no_burden() {
    let toile = Toile::new();
    toile.file("deep.toml", &"[".repeat(4 << 20));
    let done = toile.run(&["sim", "deep.toml"]);
    assert_eq!(done.code, 1);
    assert!(done.error.len() < 1000, "{} bytes", done.error.len());
    assert!(done.error.contains("deep.toml:1: this is not TOML"), "{}", done.error);
    toile.file("long.toml", &"#".repeat((16 << 20) + 1));
    let done = toile.run(&["sim", "long.toml"]);
    assert!(done.error.contains("larger than 16 MB"), "{}", done.error);
}

#[test]
fn cloth_without_area_is_refused() {
    let toile = Toile::new();
    let mesh = "[[cloth]]\nshape = { type = \"mesh\", file = \"m.obj\" }\n";
    toile.file("bad.toml", mesh);
    for face in ["f 1 2 3", "f 1 1 3\nf 1 2 4"] {
        toile.file("m.obj", &format!("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 1\nf 1 2 4\n{face}\n"));
        let done = toile.run(&["sim", "bad.toml"]);
        assert_eq!(done.code, 1, "{face}");
        assert!(done.error.contains("cannot be cloth: triangle 1"), "{}", done.error);
    }
}

#[test]
fn a_garment_that_cannot_be_made_is_refused_with_what_there_is() {
    let toile = Toile::new();
    for (args, words) in [
        (&["drape", "cape"][..], &["no garment `cape`", "tshirt"][..]),
        (&["drape", "skirt", "--size", "huge"], &["no size `huge`", "XXL"]),
        (&["drape", "skirt", "--figure", "cat"], &["no figure `cat`", "child"]),
        (&["drape", "skirt", "--pose", "sitting"], &["no pose `sitting`", "relaxed"]),
        (&["drape", "skirt", "--fabric", "tin"], &["tin"]),
        (&["drape", "skirt", "--no-untangle"], &["--no-untangle", "omit"]),
        (&["drape", "skirt", "--body", "nobody.obj"], &["nobody.obj"]),
    ] {
        let done = toile.run(args);
        assert_eq!(done.code, 1, "{args:?}\n{}", done.error);
        assert!(!done.error.contains("panicked"), "{}", done.error);
        for word in words {
            assert!(done.error.contains(word), "`{word}` is not in: {}", done.error);
        }
        assert!(!toile.path("out/report.json").exists());
    }
    let both = ["drape", "skirt", "--body", "scan.obj", "--wearer-size", "L"];
    assert_eq!(toile.run(&both).code, 2);
}

#[test]
fn cloth_that_begins_intersecting_is_untangled_unless_it_shall_be_refused() {
    let toile = Toile::new();
    let sheet = "shape = { type = \"grid\", width = 0.2, height = 0.2, cells = [5, 5] }";
    let place =
        "place = { at = [0.003, 0.05, 0.002], rotate = { axis = [1, 0, 0], degrees = 80 } }";
    let text =
        format!("[[cloth]]\nname = \"a\"\n{sheet}\n[[cloth]]\nname = \"b\"\n{sheet}\n{place}\n");
    let scene = toile.file("tangled.toml", &text);
    let args = ["sim", &scene, "--duration", "0.02", "--no-picture"];
    let done = toile.run(&[&args[..], &["--no-untangle"]].concat());
    assert_eq!(done.code, 1, "{}", done.error);
    for words in ["the cloth begins with", "the first", "\"a\"", "\"b\"", "--no-untangle"] {
        assert!(done.error.contains(words), "`{words}` is not in: {}", done.error);
    }
    assert!(!toile.path("out/report.json").exists());
    let done = toile.run(&args);
    assert_eq!(done.code, 0, "{}", done.error);
    assert!(done.output.contains("untangled in"), "{}", done.output);
    let report = toile.json("out/report.json");
    assert!(report["untangle"]["intersections_before"].as_u64() > Some(0));
    assert_eq!(report["untangle"]["intersections_after"], 0);
}

#[test]
fn settings_and_fabrics_that_are_easily_mistaken_are_explained() {
    let fabric =
        |keys: &str| SMALL.replace("[[body]]", &format!("fabric = {{ {keys} }}\n[[body]]"));
    says(&fabric("bend = 0"), &["unknown key `bend`", "bad.toml:9:", "`bend_weft`"]);
    says(
        &fabric("bend_weft = 0, bend_warp = 0"),
        &[
            "`cloth[0].fabric` has a bending stiffness that is not positive definite",
            "bend_weft 0.0",
            "bad.toml:9:",
        ],
    );
    says(
        &format!("{SMALL}\n[solver]\nbend = 0\n"),
        &["`solver.bend` is wrong: it must be a name in quotes"],
    );
    says(
        &format!("{SMALL}\n[camera]\nazimuth = \"north\"\n"),
        &["`camera.azimuth`", "expected a number"],
    );
    says(
        &format!("{SMALL}\n[camera]\nframe = [[0, 0, 0], [0, 0, 0]]\n"),
        &["`camera.frame` is a point", "bad.toml:13:"],
    );
    let cells =
        "[solver]\nmethod = \"implicit\"\ncollision = { bodies = \"field\", body_cell = 1e-9 }\n";
    says(
        &format!("{SMALL}\n{cells}"),
        &["`solver.collision.body_cell`", "cells long, more than 1000"],
    );
}

#[test]
fn cloths_without_names_are_told_apart_by_their_number() {
    let toile = Toile::new();
    let sheet =
        "[[cloth]]\nshape = { type = \"grid\", width = 0.2, height = 0.2, cells = [2, 2] }\n";
    let turned =
        "place = { rotate = { axis = [1, 0, 0], degrees = 80 }, at = [0.003, 0, 0.002] }\n";
    toile.file("two.toml", &format!("{sheet}{sheet}{turned}"));
    let done = toile.run(&["sim", "two.toml", "--no-untangle"]);
    assert!(
        done.error.contains("\"cloth[0]\"") && done.error.contains("\"cloth[1]\""),
        "{}",
        done.error
    );
    // The place of an error is that of the cloth meant, not of the first of its name.
    toile.file("third.toml", &format!("{sheet}{sheet}{turned}fabric = {{ bend_weft = 0 }}\n"));
    let done = toile.run(&["sim", "third.toml"]);
    assert!(
        done.error.contains("`cloth[1].fabric`") && done.error.contains("third.toml:6:"),
        "{}",
        done.error
    );
}

#[test]
fn encodings_are_named_and_a_byte_order_mark_does_no_harm() {
    let toile = Toile::new();
    let utf16: Vec<u8> = "\u{feff}name = 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin1 = b"# gr\xf6\xdfe\nname = 1\n";
    for name in ["a.toml", "a.csv", "a.json", "a.obj", "a.ply"] {
        let commands: &[&[&str]] = match name {
            "a.toml" => &[
                &["sim"],
                &["fabric", "check"],
                &["pattern", "check"],
                &["compare"],
                &["body", "make", "-o", "b.obj", "--measurements"],
                &["pattern", "make", "skirt", "--measurements"],
            ],
            "a.csv" => {
                &[&["fabric", "fit"], &["fabric", "import"], &["ccd", "--pair", "edge-edge"]]
            }
            "a.json" => &[&["pattern", "check"], &["bench", "collide", "--from"]],
            _ => &[&["check"], &["body", "measure"]],
        };
        for command in commands {
            let args = [command, &[name][..]].concat();
            std::fs::write(toile.path(name), &utf16).expect("written");
            let done = toile.run(&args);
            assert!(done.code != 0 && done.error.contains("UTF-16"), "{args:?} {}", done.error);
            assert!(done.error.contains("UTF-8"), "{args:?} {}", done.error);
            if !matches!(name, "a.obj" | "a.ply") {
                std::fs::write(toile.path(name), latin1).expect("written");
                let done = toile.run(&args);
                assert!(
                    done.code != 0 && done.error.contains("Latin-1"),
                    "{args:?} {}",
                    done.error
                );
            }
        }
    }
    // With a mark before it, what is good is good.
    let marked = |name: &str, text: &str| toile.file(name, &format!("\u{feff}{text}"));
    marked("small.toml", SMALL);
    assert_eq!(toile.run(&["sim", "small.toml", "--duration", "0.01", "--no-picture"]).code, 0);
    assert_eq!(toile.run(&["pattern", "make", "skirt", "-o", "skirt.json"]).code, 0);
    let skirt = std::fs::read_to_string(toile.path("skirt.json")).expect("there");
    marked("skirt.json", &skirt);
    assert_eq!(toile.run(&["pattern", "check", "skirt.json"]).code, 0);
    marked("me.toml", "waist_girth = 75\n");
    assert_eq!(toile.run(&["pattern", "make", "skirt", "--measurements", "me.toml"]).code, 0);
    marked("kes.csv", "property,weft,warp\nW,12.1\nB,0.062,0.091\nG,1.1\nEM,5.2,4.1\nLT,0.8\n");
    let done = toile.run(&["fabric", "import", "kes.csv", "--out", "kes.toml"]);
    assert_eq!(done.code, 0, "{}", done.error);
}

#[cfg(unix)]
#[test]
fn what_may_have_no_end_is_refused_by_every_reader() {
    let toile = Toile::new();
    toile.file("small.toml", SMALL);
    for name in ["p.toml", "p.csv", "p.json", "p.obj", "p.ply", "p.glb", "p.pc2"] {
        // Nobody will ever write into these.
        let made = std::process::Command::new("mkfifo").arg(toile.path(name)).status();
        assert!(made.expect("mkfifo is there").success());
    }
    toile.file("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    toile.file("mesh.toml", "[[cloth]]\nshape = { type = \"mesh\", file = \"p.obj\" }\n");
    toile.file("fabric.toml", &SMALL.replace("[[body]]", "fabric = \"p\"\n[[body]]"));
    std::fs::create_dir(toile.path("out")).expect("made");
    let made = std::process::Command::new("mkfifo").arg(toile.path("out/state.bin")).status();
    assert!(made.expect("mkfifo is there").success());
    for args in [
        &["sim", "p.toml"][..],
        &["sim", "/dev/zero"],
        &["sim", "mesh.toml"],
        &["sim", "fabric.toml"],
        &["sim", "small.toml", "--resume"],
        &["drape", "p.toml"],
        &["drape", "skirt", "--body", "p.obj"],
        &["drape", "skirt", "--fabric", "./p.toml"],
        &["check", "p.obj"],
        &["check", "p.ply"],
        &["check", "p.glb"],
        &["check", "m.obj", "p.pc2"],
        &["check", "m.obj", "--body", "p.obj"],
        &["convert", "p.obj", "x.ply"],
        &["convert", "m.obj", "p.pc2", "x.glb"],
        &["compare", "p.toml"],
        &["fabric", "check", "./p.toml"],
        &["fabric", "check", "/dev/zero"],
        &["fabric", "fit", "p.csv"],
        &["fabric", "import", "p.csv"],
        &["pattern", "check", "p.toml"],
        &["pattern", "show", "p.json"],
        &["pattern", "make", "skirt", "--measurements", "p.toml"],
        &["body", "measure", "p.obj"],
        &["body", "make", "--measurements", "p.toml", "-o", "b.obj"],
        &["ccd", "p.csv", "--pair", "edge-edge"],
        &["bench", "collide", "--from", "p.json"],
    ] {
        let done = toile.run(args);
        assert_eq!(done.code, 1, "{args:?} {}", done.error);
        let said =
            done.error.contains("pipe or a device") || done.error.contains("which is not there");
        assert!(said, "{args:?} {}", done.error);
    }
}
