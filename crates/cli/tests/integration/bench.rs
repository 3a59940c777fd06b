//! `toile bench collide` from outside.

use std::process::Command;

fn toile(args: &[&str]) -> (Option<i32>, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_toile")).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn a_small_benchmark_prints_json_draws_and_rewrites_a_document() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (plot, document, saved) = (at("plot.svg"), at("doc.md"), at("saved.json"));
    let markers = "a\n<!-- bench-collide: begin -->\n<!-- bench-collide: end -->\nz\n";
    std::fs::write(&document, markers).unwrap();
    let small = ["bench", "collide", "--json", "--triangles", "400", "--scene", "flat,stack"];
    let more = ["--repeats", "1", "--cells", "8", "--plot", &plot, "--markdown", &document];
    let (code, json, error) = toile(&[&small[..], &more[..]].concat());
    assert_eq!(code, Some(0), "{error}");
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = report["collide"]["rows"].as_array().unwrap();
    assert!(rows.len() > 40, "{}", rows.len());
    assert!(std::fs::read_to_string(&plot).unwrap().starts_with("<svg"));
    let text = std::fs::read_to_string(&document).unwrap();
    assert!(text.starts_with("a\n") && text.ends_with("z\n") && text.contains("| volume dop18 |"));

    // The same tables from the saved figures.
    std::fs::write(&saved, &json).unwrap();
    std::fs::write(&document, markers).unwrap();
    let (code, _, error) = toile(&["bench", "collide", "--from", &saved, "--markdown", &document]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(std::fs::read_to_string(&document).unwrap(), text);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_remedy() {
    let (code, _, error) = toile(&["bench", "collide", "--scene", "sock"]);
    assert!(code == Some(2) && error.contains("draped"), "{error}");
    let (code, _, error) = toile(&["bench", "--triangles", "50", "collide"]);
    assert_eq!(code, Some(2), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("empty.json").to_string_lossy().into_owned();
    std::fs::write(&from, "{}").unwrap();
    let (code, _, error) = toile(&["bench", "collide", "--from", &from]);
    assert!(code == Some(1) && error.contains("--json"), "{error}");
}
