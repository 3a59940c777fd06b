//! `cargo xtask figures`: figures of the documentation, made anew or held against the commands that give them.
//!
//! In a page, `<!--= NAME -->` … `<!--/-->` encloses what the figure `NAME` of the table below gives: a number in a sentence
//! or a whole table. Figures that depend on the machine, such as times, are written but not checked.

use crate::toile::Toile;
use crate::{Done, root};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Writes a figure from the reports of its commands.
type Writer = Box<dyn Fn(&[Value]) -> Option<String>>;

/// A figure: its name, the commands of `toile` that give it, and how it is written.
struct Figure {
    name: String,
    commands: Vec<Vec<String>>,
    write: Writer,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Checked by `cargo xtask test`.
    Quick,
    /// Checked by `cargo xtask figures --check`.
    Long,
    /// Depends on the machine: never checked.
    Machine,
}

fn figure(
    name: impl Into<String>,
    kind: Kind,
    command: &[&str],
    write: impl Fn(&Value) -> Option<String> + 'static,
) -> Figure {
    Figure {
        name: name.into(),
        commands: vec![command.iter().map(|s| (*s).to_owned()).collect()],
        write: Box::new(move |values| write(&values[0])),
        kind,
    }
}

const SCENES: [&str; 5] = ["sphere", "table", "floor", "flag", "moving-ball"];
const PRESETS: [&str; 6] =
    ["liu98", "aabb-realtime", "baraff-witkin98", "bridson02", "geneva04", "tuebingen04"];
const LAB: &[&str] = &["lab", "--json"];
const SPHERE: &[&str] = &["sim", "scenes/sphere.toml", "--json", "--no-picture"];
const LIMITED: &[&str] = &[
    "sim",
    "scenes/sphere.toml",
    "--json",
    "--no-picture",
    "--set",
    "solver.strain_limit.enabled=true",
];

fn compare(scene: &str) -> Vec<String> {
    let scene = format!("scenes/{scene}.toml");
    ["compare", &scene, "--threads", "1", "--json"].map(str::to_owned).to_vec()
}

/// All figures of the documentation.
fn figures() -> Vec<Figure> {
    let mut all = vec![
        figure("lab-count", Kind::Long, LAB, |lab| {
            Some(lab["tests"].as_array()?.len().to_string())
        }),
        figure("sphere-strain", Kind::Quick, SPHERE, |r| percent(&r["max_strain"], 1)),
        figure("sphere-strain-limited", Kind::Quick, LIMITED, |r| percent(&r["max_strain"], 1)),
    ];
    for (test, unit) in LAB_TESTS {
        all.push(figure(format!("lab-{test}"), Kind::Long, LAB, move |lab| {
            largest_error(lab, test, unit)
        }));
    }
    for scene in SCENES {
        let row = |values: &[Value]| presets_table(&values[0]);
        all.push(Figure {
            name: format!("compare-{scene}"),
            commands: vec![compare(scene)],
            write: Box::new(row),
            kind: Kind::Long,
        });
    }
    for preset in PRESETS {
        all.push(Figure {
            name: format!("system-{preset}"),
            commands: SCENES.map(compare).to_vec(),
            write: Box::new(move |values| scenes_table(values, preset)),
            kind: Kind::Long,
        });
    }
    all.push(Figure {
        name: "compare-times".into(),
        commands: SCENES.map(compare).to_vec(),
        write: Box::new(times_table),
        kind: Kind::Machine,
    });
    all
}

/// Tests of the laboratory and whether their errors are written in per cent.
const LAB_TESTS: [(&str, bool); 22] = [
    ("cantilever", true),
    ("plate-clamped", true),
    ("plate-supported", true),
    ("plate-disk", true),
    ("buckling", true),
    ("lateral", true),
    ("stick-slip", true),
    ("incline", true),
    ("capstan", true),
    ("catenary", true),
    ("hanging", true),
    ("picture-frame", false),
    ("patch", false),
    ("modes-ribbon", true),
    ("modes-strip", true),
    ("modes-drum", true),
    ("integrators", false),
    ("free-fall", false),
    ("momentum", false),
    ("loop-shear", true),
    ("loop-bending", true),
    ("loop-swing", true),
];

/// The largest error of a test of the laboratory; of those that are rounding, the power of ten above it.
fn largest_error(lab: &Value, test: &str, in_percent: bool) -> Option<String> {
    let rows = lab["tests"].as_array()?.iter();
    let errors = rows.filter(|r| r["test"] == test && r["counts"] == true);
    let error = errors.filter_map(|r| r["error"].as_f64()).fold(0.0, |a: f64, b| a.max(b.abs()));
    if in_percent {
        let digits = if error < 1e-4 { 3 } else { 2 };
        return Some(format!("{:.digits$} %", 100.0 * error));
    }
    Some(format!("below 1e{}", error.log10().ceil()))
}

fn percent(value: &Value, digits: usize) -> Option<String> {
    Some(format!("{:.digits$} %", 100.0 * value.as_f64()?))
}

const COLUMNS: &str =
    "step [ms] | iterations | most | crossings | in bodies | strain | gained [J] | reached |";
const RULE: &str = "| --- | --- | --- | --- | --- | --- | --- | --- | --- |";

/// What does not depend on the machine of one preset on one scene.
fn cells(row: &Value) -> Option<String> {
    let gained = row["energy_gained"].as_f64()?;
    let reached = match row["failure"].as_str() {
        None => "the end".to_owned(),
        Some(_) => format!("{:.2} s", row["simulated_seconds"].as_f64()?),
    };
    Some(format!(
        "{} | {:.1} | {} | {} | {} | {} | {} | {reached} |",
        1e3 * row["step"].as_f64()?,
        row["iterations_mean"].as_f64()?,
        row["iterations_max"],
        row["intersections_max"],
        count(&row["body_penetrations_max"]),
        percent(&row["max_strain"], 0)?,
        if gained == 0.0 { "0".into() } else { two_digits(gained) },
    ))
}

/// A count, or a dash where it is not known.
fn count(value: &Value) -> String {
    value.as_u64().map_or("–".into(), |n| n.to_string())
}

/// Two significant digits, as people write them.
fn two_digits(x: f64) -> String {
    let rounded: f64 = format!("{x:.1e}").parse().unwrap_or(x);
    if rounded.abs() < 1e-4 { format!("{rounded:e}") } else { rounded.to_string() }
}

fn row_of<'a>(comparison: &'a Value, preset: &str) -> Option<&'a Value> {
    comparison["rows"].as_array()?.iter().find(|r| r["preset"] == preset)
}

fn presets_table(comparison: &Value) -> Option<String> {
    let scene = comparison["scene"].as_str()?;
    let mut table = format!("\n\n| `{scene}` | {COLUMNS}\n{RULE}\n");
    for row in comparison["rows"].as_array()? {
        let _ = writeln!(table, "| {} | {}", row["preset"].as_str()?, cells(row)?);
    }
    Some(table + "\n")
}

fn scenes_table(comparisons: &[Value], preset: &str) -> Option<String> {
    let mut table = format!("\n\n| scene | {COLUMNS}\n{RULE}\n");
    for comparison in comparisons {
        let row = row_of(comparison, preset)?;
        let _ = writeln!(table, "| `{}` | {}", comparison["scene"].as_str()?, cells(row)?);
    }
    Some(table + "\n")
}

/// Wall time of a step [ms] of every preset on every scene.
fn times_table(comparisons: &[Value]) -> Option<String> {
    let mut table = "\n\n| wall time of a step [ms]".to_owned();
    for comparison in comparisons {
        let _ = write!(table, " | `{}`", comparison["scene"].as_str()?);
    }
    table += " |\n| --- | --- | --- | --- | --- | --- |\n";
    for row in comparisons[0]["rows"].as_array()? {
        let preset = row["preset"].as_str()?;
        let _ = write!(table, "| {preset}");
        for comparison in comparisons {
            let _ = write!(table, " | {:.1}", row_of(comparison, preset)?["ms_per_step"].as_f64()?);
        }
        table += " |\n";
    }
    Some(table + "\n")
}

const OPEN: &str = "<!--= ";
const CLOSE: &str = "<!--/-->";

/// A page with every figure written by `write`, which may leave one as it is; names are taken in order.
fn rewrite(
    page: &str,
    write: &mut dyn FnMut(&str, &str) -> Result<String, String>,
) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, behind)) = rest.split_once(OPEN) {
        let (name, behind) =
            behind.split_once(" -->").ok_or("a figure without an end of its name")?;
        let (old, behind) =
            behind.split_once(CLOSE).ok_or(format!("the figure {name} has no {CLOSE}"))?;
        let _ = write!(out, "{before}{OPEN}{name} -->{}{CLOSE}", write(name, old)?);
        rest = behind;
    }
    Ok(out + rest)
}

/// Runs commands once each.
struct Runner {
    program: Toile,
    done: BTreeMap<Vec<String>, Value>,
}

impl Runner {
    fn run(&mut self, command: &[String]) -> Result<Value, String> {
        if let Some(value) = self.done.get(command) {
            return Ok(value.clone());
        }
        let shown = format!("toile {}", command.join(" "));
        println!("{shown}");
        let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
        let out = format!("target/figures/{}", self.done.len());
        if command[0] != "lab" {
            args.extend(["--out", &out]);
        }
        let output = self.program.command(&args).output().map_err(|e| format!("{shown}: {e}"))?;
        let value = serde_json::from_slice(&output.stdout).map_err(|_| {
            format!("{shown}: no JSON: {}", String::from_utf8_lossy(&output.stderr))
        })?;
        Ok(self.done.entry(command.to_vec()).or_insert(value).clone())
    }

    fn write(&mut self, figure: &Figure) -> Result<String, String> {
        let commands = figure.commands.iter();
        let values: Vec<Value> = commands.map(|c| self.run(c)).collect::<Result<_, _>>()?;
        (figure.write)(&values).ok_or(format!("the command for {} lacks its numbers", figure.name))
    }
}

/// All pages of the documentation.
fn pages() -> Result<Vec<std::path::PathBuf>, String> {
    let mut pages = Vec::new();
    for folder in ["docs", "docs/systems"] {
        let names = crate::names(folder, "md")?;
        pages.extend(names.iter().map(|name| root().join(folder).join(format!("{name}.md"))));
    }
    Ok(pages)
}

/// Writes figures, or with `--check` compares them; `--quick` takes those that take seconds; else names as arguments.
pub(crate) fn figures_task(args: &[String]) -> Done {
    let mut program = Toile::default();
    let (mut check, mut quick, mut asked) = (false, false, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--check" => check = true,
            "--quick" => quick = true,
            "--program" => program = Toile::given(args.next())?,
            name => asked.push(name.to_owned()),
        }
    }
    let all = figures();
    let wanted = |figure: &Figure| {
        (asked.is_empty() || asked.iter().any(|a| figure.name.starts_with(a.as_str())))
            && (!quick || figure.kind == Kind::Quick)
            && (!check || figure.kind != Kind::Machine)
    };
    let mut runner = Runner { program, done: BTreeMap::new() };
    let (mut stale, mut count) = (Vec::new(), 0);
    for path in pages()? {
        let page =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let new = rewrite(&page, &mut |name, old| {
            let figure = all.iter().find(|f| f.name == name);
            let figure = figure.ok_or(format!("{}: no figure {name}", path.display()))?;
            if !wanted(figure) {
                return Ok(old.to_owned());
            }
            count += 1;
            let new = runner.write(figure)?;
            if new != old {
                stale.push(format!("{}: {name} is {new:?}, not {old:?}", path.display()));
            }
            Ok(new)
        })?;
        if !check && new != page {
            std::fs::write(&path, new).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    match (check, stale.is_empty()) {
        (true, false) => {
            Err(format!("stale figures; run `cargo xtask figures`:\n{}", stale.join("\n")))
        }
        (true, true) => {
            Ok(format!("{count} figures of the documentation are what their commands give."))
        }
        (false, _) => {
            Ok(format!("{count} figures, {} of them new:\n{}", stale.len(), stale.join("\n")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_replaced_in_place_and_damaged_marks_are_errors() {
        let page = "All <!--= a -->1<!--/--> pass.\n<!--= b -->\n| x |\n<!--/-->\nEnd";
        let mut seen = Vec::new();
        let new = rewrite(page, &mut |name, old| {
            seen.push((name.to_owned(), old.to_owned()));
            Ok(if name == "a" { "2".into() } else { old.to_owned() })
        });
        assert_eq!(new.unwrap(), page.replace(">1<", ">2<"));
        assert_eq!(seen[1], ("b".into(), "\n| x |\n".into()));
        assert!(rewrite("<!--= a -->1", &mut |_, _| Ok(String::new())).is_err());
        assert!(rewrite("<!--= a", &mut |_, _| Ok(String::new())).is_err());
    }

    #[test]
    fn every_mark_of_the_documentation_has_its_figure_and_every_figure_is_used() {
        let mut names: Vec<String> = figures().into_iter().map(|f| f.name).collect();
        let mut used = Vec::new();
        for path in pages().unwrap() {
            let page = std::fs::read_to_string(path).unwrap();
            rewrite(&page, &mut |name, old| {
                used.push(name.to_owned());
                Ok(old.to_owned())
            })
            .unwrap();
        }
        names.sort();
        used.sort();
        used.dedup();
        assert_eq!(names, used);
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!(two_digits(0.098_4), "0.098");
        assert_eq!(two_digits(2.64e-5), "2.6e-5");
        let lab = serde_json::json!({ "tests": [
            { "test": "a", "counts": true, "error": -0.0123 },
            { "test": "a", "counts": false, "error": 1.0 },
            { "test": "b", "counts": true, "error": 8e-17 },
        ] });
        assert_eq!(largest_error(&lab, "a", true).unwrap(), "1.23 %");
        assert_eq!(largest_error(&lab, "b", false).unwrap(), "below 1e-16");
    }
}
