//! `toile compare` from outside.

use crate::common;

use common::{SMALL, Toile};

#[test]
fn presets_are_compared_in_a_table_a_sheet_and_a_page() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    let done = toile.run(&["compare", &scene, "--presets", "provot97,toile", "--duration", "0.05"]);
    assert_eq!(done.code, 0, "{}", done.error);
    for word in ["provot97", "toile", "iterations", "crossings", "wrote"] {
        assert!(done.output.contains(word), "`{word}` is not in: {}", done.output);
    }
    for name in ["compare.json", "compare.png", "compare.html"] {
        assert!(toile.path("out/compare").join(name).exists(), "{name}");
    }
}

#[test]
fn an_unknown_preset_is_refused_before_anything_runs() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    let done = toile.run(&["compare", &scene, "--presets", "toile,provot"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("there is no preset `provot`"), "{}", done.error);
    assert!(!toile.path("out").exists());
}

#[test]
fn a_limit_that_is_none_and_a_folder_that_cannot_be_are_refused_before_anything_runs() {
    let toile = Toile::new();
    let scene = toile.file("small.toml", SMALL);
    for limit in ["nan", "0", "-1"] {
        let done = toile.run(&["compare", &scene, "--presets", "provot97", "--limit", limit]);
        assert_eq!(done.code, 1, "{limit}");
        assert!(done.error.contains("the limit is"), "{}", done.error);
        assert!(!toile.path("out").exists());
    }
    let file = toile.file("file", "no folder");
    // At the scene's own length this would take much longer than the test may.
    let done = toile.run(&["compare", &scene, "--out", &file, "--duration", "1e6"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("cannot make this folder"), "{}", done.error);
    let done = toile.run(&["paper", "p97-garment", "--out", &file]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("cannot make this folder"), "{}", done.error);
}
