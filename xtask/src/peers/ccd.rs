//! `cargo xtask peers ccd`: the same queries for toile's continuous collision detection and the IPC Toolkit's.
//!
//! Without files, the degenerate queries of `crates/collide/tests/integration/degenerate.rs` are written and asked. The toolkit
//! (`peers/ccd.py`) is asked as many as it answers in the time given; toile then gets those, and all.

use super::python::{self, IPC_TOOLKIT};
use super::{number, read_json, run};
use crate::toile::Toile;
use crate::{Done, cargo, root};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, PartialEq)]
struct Options {
    files: Vec<PathBuf>,
    /// How long each method of the toolkit is asked about a file.
    seconds: u32,
    toile: Toile,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Self { files: Vec::new(), seconds: 120, toile: Toile::default() };
        // Commands run in the folder of the workspace, wherever this one was given.
        let absolute = |p: &String| std::path::absolute(p).map_err(|e| format!("{p}: {e}"));
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--program" => options.toile = Toile::given(args.next())?,
                "--seconds" => {
                    let given = args.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                    options.seconds = given.ok_or("--seconds wants a whole number above zero")?;
                }
                other if other.starts_with('-') => {
                    return Err(format!(
                        "`{other}` is not known; give files, --seconds N or --program PATH"
                    ));
                }
                _ => options.files.push(absolute(arg)?),
            }
        }
        Ok(options)
    }
}

/// One line of the table.
#[derive(Debug, PartialEq)]
struct Row {
    file: String,
    method: String,
    queries: f64,
    gave_up: f64,
    false_positives: f64,
    false_negatives: f64,
    nanoseconds: f64,
}

impl Row {
    fn new(file: &str, method: &str, figures: &Value) -> Result<Self, String> {
        let queries = number(figures, "asked").or_else(|_| number(figures, "queries"))?;
        Ok(Self {
            file: file.into(),
            method: method.into(),
            queries,
            // toile answers everything.
            gave_up: number(figures, "gave_up").unwrap_or(0.0),
            false_positives: number(figures, "false_positives")?,
            false_negatives: number(figures, "false_negatives")?,
            nanoseconds: number(figures, "nanoseconds")?,
        })
    }
}

pub(super) fn peers(asked: &[String]) -> Done {
    let options = Options::parse(asked)?;
    let folder = root().join("target/peers/ccd");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let toolkit = python::with(&IPC_TOOLKIT, &root().join("target/peers"))?;
    let files = if options.files.is_empty() { degenerate(&folder)? } else { options.files.clone() };
    let mut rows = Vec::new();
    for file in &files {
        rows.extend(compare(file, &options, &toolkit.python, &folder)?);
    }
    println!("{}", to_markdown(&rows));
    Ok(format!(
        "The IPC Toolkit is {}; what it was asked is in {}.",
        toolkit.version,
        folder.display()
    ))
}

/// Writes the degenerate queries; the test that knows them also judges toile.
fn degenerate(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut test =
        cargo(&["test", "--release", "--quiet", "-p", "toile-collide", "--test", "degenerate"]);
    if !run(test.env("TOILE_WRITE", folder), "cargo")? {
        return Err("the degenerate queries are not answered as they should be; see above".into());
    }
    Ok(["vf", "ee"].map(|pair| folder.join(format!("degenerate_{pair}.csv"))).to_vec())
}

fn compare(
    file: &Path,
    options: &Options,
    python: &Path,
    folder: &Path,
) -> Result<Vec<Row>, String> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    println!("== {name}");
    let all = toile(file, None, options)?;
    let pair = all[0]["score"]["pair"].as_str().ok_or("toile does not say which pair")?.to_owned();
    let (asked, result) =
        (folder.join(format!("{name}_asked.csv")), folder.join(format!("{name}.json")));
    let mut command = Command::new(python);
    command
        .arg(root().join("xtask/peers/ccd.py"))
        .arg(file)
        .args([&pair, &options.seconds.to_string()]);
    if !run(command.arg(&asked).arg(&result), "Python")? {
        return Err("the IPC Toolkit failed; see what it said above".into());
    }
    let result = read_json(&result)?;
    let mut rows = vec![
        Row::new(&name, "Tight-Inclusion", &result["tight-inclusion"])?,
        Row::new(&name, "additive (IPC Toolkit)", &result["additive"])?,
    ];
    for (what, scores) in [(" (same)", toile(&asked, Some(&pair), options)?), (" (all)", all)] {
        for score in scores.as_array().into_iter().flatten().map(|s| &s["score"]) {
            let method = score["method"].as_str().unwrap_or_default();
            rows.push(Row::new(&name, &format!("toile {method}{what}"), score)?);
        }
    }
    Ok(rows)
}

/// What `toile ccd` says of a file.
fn toile(file: &Path, pair: Option<&str>, options: &Options) -> Result<Value, String> {
    let path = file.display().to_string();
    let mut args = vec!["ccd", &path, "--json"];
    args.extend(pair.iter().flat_map(|p| ["--pair", p]));
    let mut command = options.toile.command(&args);
    let said = command.output().map_err(|e| format!("toile cannot be started: {e}"))?;
    // A status that is not zero can also mean a missed contact, which belongs into the table.
    serde_json::from_slice(&said.stdout)
        .map_err(|_| format!("toile ccd {path}: {}", String::from_utf8_lossy(&said.stderr).trim()))
}

fn to_markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| queries | method | asked | given up | false positives | false negatives | ns a query |\n\
         | --- | --- | --: | --: | --: | --: | --: |\n",
    );
    for r in rows {
        text += &format!(
            "| {} | {} | {} | {} | {} | {} | {:.0} |\n",
            r.file,
            r.method,
            r.queries,
            r.gave_up,
            r.false_positives,
            r.false_negatives,
            r.nanoseconds
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn files_and_options_come_in_any_order_and_what_is_not_known_is_refused() {
        let options = parse(&["a_vf.csv", "--seconds", "7", "b_ee.csv"]).expect("known options");
        assert_eq!((options.files.len(), options.seconds), (2, 7));
        assert!(options.files[0].is_absolute());
        for bad in [&["--seconds"][..], &["--seconds", "0"], &["--program"], &["--sceonds"]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn figures_of_both_become_rows_of_one_table() {
        let theirs = json!({ "asked": 9, "gave_up": 2, "false_positives": 3, "false_negatives": 0, "nanoseconds": 4.6 });
        let ours =
            json!({ "queries": 7, "false_positives": 1, "false_negatives": 0, "nanoseconds": 2.2 });
        let rows = [Row::new("x", "them", &theirs), Row::new("x", "us", &ours)]
            .map(|r| r.expect("complete"));
        let text = to_markdown(&rows);
        assert!(
            text.ends_with("| x | them | 9 | 2 | 3 | 0 | 5 |\n| x | us | 7 | 0 | 1 | 0 | 2 |\n"),
            "{text}"
        );
        // Without a truth there is nothing to compare.
        let open = json!({ "queries": 7, "false_positives": null, "false_negatives": null, "nanoseconds": 2.2 });
        assert!(Row::new("x", "us", &open).is_err());
    }
}
