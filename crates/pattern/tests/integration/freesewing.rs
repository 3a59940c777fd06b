//! Parts of FreeSewing are imported as they are meant.

use toile_pattern::{Kind, Pattern, file};

/// A half piece on the fold and a piece cut twice; y is down.
const SMALL: &str = r#"{
  "units": "mm", "y_axis": "down", "seam_allowance": 10,
  "parts": {
    "small.front": {
      "paths": {
        "seam": { "ops": [
          { "t": "move", "to": [0, 500], "name": "hem" },
          { "t": "line", "to": [200, 500] },
          { "t": "curve", "cp1": [200, 300], "cp2": [180, 200], "to": [180, 100] },
          { "t": "line", "to": [0, 100] },
          { "t": "line", "to": [0, 500] },
          { "t": "close" }
        ] },
        "sa": { "ops": [] }
      },
      "snippets": [{ "def": "logo", "at": [50, 300] }, { "def": "notch", "at": [90, 100] }]
    },
    "small.sleeve": {
      "paths": { "seam": { "ops": [
        { "t": "move", "to": [0, 0] }, { "t": "line", "to": [100, 0] },
        { "t": "line", "to": [50, -80] }, { "t": "close" }
      ] } }
    }
  },
  "cutlist": {
    "small.front": { "materials": { "fabric": [{ "cut": 1, "onFold": true }] }, "cutOnFold": [[0, 100], [0, 500]], "grain": 270 },
    "small.sleeve": { "materials": { "fabric": [{ "cut": 2 }] }, "grain": 90 }
  }
}"#;

fn errors(pattern: &Pattern) -> usize {
    pattern.check().errors().count()
}

#[test]
fn half_pieces_are_unfolded_and_pairs_are_mirrored() {
    let pattern = file::from_json(SMALL, "small").expect("a good file");
    let names: Vec<&str> = pattern.panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["front", "sleeve-mirrored", "sleeve"]);
    let front = pattern.panel("front").expect("a panel");
    assert_eq!(front.edges.len(), 6);
    let hem: f64 =
        front.edges.iter().filter(|e| e.from.y < -0.49 && e.to.y < -0.49).map(|e| e.length()).sum();
    assert!((hem - 0.4).abs() < 1e-9, "the whole hem: {hem}");
    assert!((front.allowance - 0.01).abs() < 1e-12);
    assert!(front.grain.distance(glam::DVec2::Y) < 1e-9);
    assert_eq!(front.notches.len(), 2, "the notch and its mirror image, not the logo");
    assert_eq!(errors(&pattern), 0, "{:?}", pattern.check());
    let check = pattern.check();
    assert!(check.warnings().all(|f| f.kind == Kind::Loose), "only seams are missing: {check}");
}

#[test]
fn what_is_wrong_is_named() {
    for (old, new, wanted) in [
        ("\"mm\"", "\"furlong\"", "`furlong` is not a known unit"),
        (
            "[[0, 100], [0, 500]]",
            "[[7, 100], [7, 500]]",
            "part `small.front`: no edge lies on its fold",
        ),
        ("\"curve\"", "\"spiral\"", "not parts of FreeSewing"),
    ] {
        let error = file::from_json(&SMALL.replacen(old, new, 1), "small").unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
    }
}

/// Real files, if the folder with them is named by the environment.
#[test]
fn real_parts_import_clean() {
    let Ok(folder) = std::env::var("TOILE_PATTERNS") else { return };
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "json") {
            let pattern = file::read(&path).expect("read");
            assert_eq!(errors(&pattern), 0, "{}: {:?}", path.display(), pattern.check());
        }
    }
}
