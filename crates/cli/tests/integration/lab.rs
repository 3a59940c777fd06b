//! The laboratory from outside: what it prints, what it writes, how it ends.

use crate::common;

use common::Toile;
use serde_json::Value;

#[test]
fn a_test_that_passes_is_told_in_json_and_ends_well() {
    let toile = Toile::new();
    let done = toile.run(&["lab", "hanging", "integrators", "--quick", "--json"]);
    assert_eq!(done.code, 0, "{}", done.error);
    let report: Value = serde_json::from_str(&done.output).unwrap();
    let tests = report["tests"].as_array().unwrap();
    assert!(tests.len() > 3);
    for key in ["name", "model", "mesh", "value", "expected", "error", "tolerance", "pass"] {
        assert!(tests.iter().all(|t| !t[key].is_null()), "{key} is missing");
    }
    assert_eq!(report["pass"], true);
    assert!(done.error.contains("measuring hanging"), "{}", done.error);
}

#[test]
fn pictures_and_the_page_are_written() {
    let toile = Toile::new();
    let done = toile.run(&["lab", "integrators", "--plots", "plots", "--report", "lab.html"]);
    assert_eq!(done.code, 0, "{}", done.error);
    assert!(done.output.contains("PASS"), "{}", done.output);
    assert!(toile.path("plots").join("lab-integrators.svg").exists());
    let page = std::fs::read_to_string(toile.path("lab.html")).unwrap();
    assert!(page.contains("Growth per step") && page.contains("<svg"));
}

#[test]
fn the_list_names_every_test_and_unknown_names_are_refused_with_a_remedy() {
    let toile = Toile::new();
    let listed = toile.run(&["lab", "list"]);
    assert_eq!(listed.code, 0);
    assert!(listed.output.contains("cantilever") && listed.output.contains("momentum"));
    for wrong in [vec!["lab", "kantilever"], vec!["lab", "--model", "glue"]] {
        let done = toile.run(&wrong);
        assert_eq!(done.code, 1, "{wrong:?}");
        assert!(done.error.contains("stvk") || done.error.contains("cantilever"), "{}", done.error);
    }
}
