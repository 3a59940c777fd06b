//! `toile pattern`: from a design to a drawing and a mesh, and what is said about bad patterns.

use crate::common;

use common::Toile;

const BAD: &str = r#"unit = "cm"
[[panel]]
name = "front"
start = [0, 0]
edge = [{ name = "south", to = [40, 0] }, { name = "east", to = [40, 60] }, { name = "west", to = [0, 1] }]

[[panel]]
name = "back"
start = [0, 0]
edge = [{ name = "south", to = [40, 0] }, { name = "east", to = [40, 60] }, { name = "west", to = [0, 0] }]

[[seam]]
name = "side"
a = "front.east"
b = "back.eats"
"#;

#[test]
fn a_design_is_drafted_drawn_checked_and_meshed() {
    let toile = Toile::new();
    for design in ["tshirt", "skirt", "circle-skirt", "trousers", "dress"] {
        let done = toile.run(&["pattern", "make", design, "--size", "L", "-o", "p.toml"]);
        assert_eq!(done.code, 0, "{design}: {}", done.error);
        let done = toile.run(&["pattern", "check", "p.toml"]);
        assert_eq!(done.code, 0, "{design}: {}", done.output);
        let done = toile.run(&["pattern", "show", "p.toml", "-o", "p.svg", "--true-scale"]);
        assert_eq!(done.code, 0, "{design}: {}", done.error);
        let svg = std::fs::read_to_string(toile.path("p.svg")).expect("a drawing");
        assert!(svg.starts_with("<svg") && svg.contains("mm\""), "true scale is in millimetres");
        let done = toile.run(&[
            "pattern", "mesh", "p.toml", "--edge", "0.04", "-o", "p.obj", "--pairs", "s.json",
        ]);
        assert_eq!(done.code, 0, "{design}: {}", done.error);
        let pairs = toile.json("s.json");
        assert!(pairs.as_array().is_some_and(|p| p.len() > 20), "{design}: {pairs}");
    }
}

#[test]
fn all_faults_are_listed_and_drawn() {
    let toile = Toile::new();
    let bad = toile.file("bad.toml", BAD);
    let done = toile.run(&["pattern", "check", &bad]);
    assert_eq!(done.code, 1);
    for word in ["cannot be sewn", "panel `front`, edge `west`: a gap", "did you mean `east`?"] {
        assert!(done.output.contains(word), "{word}: {}", done.output);
    }
    let done = toile.run(&["pattern", "show", &bad, "-o", "bad.svg"]);
    assert_eq!(done.code, 1);
    let svg = std::fs::read_to_string(toile.path("bad.svg")).expect("a drawing");
    assert!(svg.contains("#e00000"));
    let done = toile.run(&["pattern", "mesh", &bad, "-o", "bad.obj"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("a gap of"), "{}", done.error);
    assert!(!toile.path("bad.obj").exists());
    let done = toile.run(&["--json", "pattern", "check", &bad]);
    let value: serde_json::Value = serde_json::from_str(&done.output).expect("JSON");
    assert_eq!(value["good"], false);
    assert_eq!(value["files"][0]["faults"][0]["kind"], "open-outline");
}

#[test]
fn made_to_measure_changes_the_pattern() {
    let toile = Toile::new();
    let waist = |args: &[&str]| -> f64 {
        let all = [&["pattern", "make", "skirt", "-o", "p.json"], args].concat();
        let done = toile.run(&all);
        assert_eq!(done.code, 0, "{}", done.error);
        let done = toile.run(&["--json", "pattern", "show", "p.json"]);
        let value: serde_json::Value = serde_json::from_str(&done.output).expect("JSON");
        let seams = value["seams"].as_array().expect("a list");
        let seam = seams.iter().find(|s| s["name"] == "waist").expect("a waist");
        seam["lengths"][0].as_f64().expect("a length")
    };
    let plain = waist(&[]);
    let set = waist(&["--set", "waist_girth=80"]);
    assert!((set - plain - 0.04).abs() < 1e-4, "{plain} {set}");
    let eased = waist(&["--with", "waist_ease=0.055"]);
    assert!((eased - plain - 0.04).abs() < 1e-4, "{plain} {eased}");
    toile.file("me.toml", "waist_girth = 80\n");
    assert!((waist(&["--measurements", "me.toml"]) - set).abs() < 1e-9);
    assert!((waist(&["--figure", "male"]) - plain - 0.12).abs() < 1e-4);
}

#[test]
fn what_does_not_exist_is_named_with_what_does() {
    let toile = Toile::new();
    for (args, wanted) in [
        (&["make", "toga"][..], "known here: `tshirt`, `skirt`"),
        (&["make", "tshrit"][..], "did you mean `tshirt`?"),
        (&["make", "dress", "--size", "M+"][..], "XS, S, M, L, XL and XXL"),
        (&["make", "dress", "--figure", "elf"][..], "female and male"),
        (&["make", "dress", "--set", "waist=70"][..], "waist_girth"),
        (&["make", "dress", "--with", "sleeve=1"][..], "bust_ease"),
        (&["make", "dress", "--with", "hip_eese=0.1"][..], "did you mean `hip_ease`?"),
        (&["make", "dress", "--with", "hip_ease=10"][..], "metres"),
        (&["options", "toga"][..], "known here: `tshirt`, `skirt`"),
        (&["show", "nothing.toml"][..], "nothing.toml: cannot read"),
        (&["mesh", "dress", "--edge", "-1", "-o", "a.obj"][..], "impossible"),
        (&["mesh", "dress", "--edge", "0.1", "-o", "a.doc"][..], "a.doc"),
    ] {
        let done = toile.run(&[&["pattern"], args].concat());
        assert_eq!(done.code, 1, "{args:?}: {}", done.output);
        assert!(done.error.contains(wanted), "{args:?}: {}", done.error);
        assert!(!done.error.contains("panicked"), "{}", done.error);
    }
    let done = toile.run(&["pattern", "make", "dress", "--set", "waist_girth"]);
    assert_eq!(done.code, 2);
    assert!(done.error.contains("waist_girth=74"), "{}", done.error);
}

#[test]
fn options_of_a_design_are_listed_and_act_in_a_draft() {
    let toile = Toile::new();
    let listed = toile.run(&["pattern", "options", "tshirt"]).output;
    for word in
        ["ease", "-0.1 to 0.6 m", "neckband", "true or false", "girth of the finished chest"]
    {
        assert!(listed.contains(word), "{word}: {listed}");
    }
    let draft = |with: &[&str]| {
        let done = toile.run(&[&["pattern", "make", "tshirt"], with].concat());
        assert_eq!(done.code, 0, "{}", done.error);
        done.output
    };
    assert_ne!(draft(&[]), draft(&["--with", "ease=0.2"]));
    assert!(draft(&["--with", "neckband=true"]).contains("neckband"));
}

#[test]
fn a_bad_pattern_is_not_draped_but_drawn_and_nothing_else_changes() {
    let toile = Toile::new();
    let bad = toile.file("bad.toml", BAD);
    std::fs::create_dir(toile.path("o")).expect("a folder");
    toile.file("o/notes.txt", "mine");
    for _ in 0..2 {
        let done = toile.run(&["drape", &bad, "--quality", "draft", "--out", "o"]);
        assert_eq!(done.code, 1, "{}", done.output);
        for word in ["bad.toml", "panel `front`", "`west`", "faults.svg"] {
            assert!(done.error.contains(word), "{word}: {}", done.error);
        }
    }
    let svg = std::fs::read_to_string(toile.path("o/faults.svg")).expect("a drawing");
    assert!(svg.contains("#e00000"));
    assert_eq!(std::fs::read_to_string(toile.path("o/notes.txt")).expect("is there"), "mine");
    toile.file("o/faults.svg", "mine");
    toile.run(&["drape", &bad, "--quality", "draft", "--out", "o"]);
    assert_eq!(std::fs::read_to_string(toile.path("o/faults.svg")).expect("is there"), "mine");
}

#[test]
fn a_panel_of_a_fabric_that_does_not_exist_is_named() {
    let toile = Toile::new();
    let panel = |name: &str, fabric: &str| {
        format!(
            "[[panel]]\nname = \"{name}\"\n{fabric}start = [0, 0]\n\
             edge = [{{ to = [40, 0] }}, {{ to = [40, 60] }}, {{ to = [0, 60] }}, {{ to = [0, 0] }}]\n"
        )
    };
    let text =
        format!("unit = \"cm\"\n{}{}", panel("front", ""), panel("back", "fabric = \"demin\"\n"));
    let file = toile.file("two.toml", &text);
    let done = toile.run(&["drape", &file, "--quality", "draft", "--out", "o"]);
    assert_eq!(done.code, 1, "{}", done.output);
    for word in ["two.toml", "panel `back`", "`demin`", "denim"] {
        assert!(done.error.contains(word), "{word}: {}", done.error);
    }
}
