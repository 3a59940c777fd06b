//! `toile compare` from outside.

mod common;

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
