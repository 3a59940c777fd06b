//! `cargo xtask growth`: what a step of the default solver costs as the cloth gets finer.
//!
//! The scene `sphere` with cells of 20 mm to 2.5 mm, one thread, each size in a process of its own, so that the peak of memory is that of
//! the size. Reports are written below `target/growth`.

use crate::peers::stepping;
use crate::toile::Toile;
use crate::{Done, root};
use serde_json::Value;
use std::process::Stdio;

/// Cells along a side.
const SIZES: [u32; 4] = [50, 100, 200, 400];

#[derive(Debug, Default, PartialEq)]
struct Options {
    sizes: Vec<u32>,
    toile: Toile,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match (arg.as_str(), arg.parse()) {
                ("--program", _) => options.toile = Toile::given(args.next())?,
                (_, Ok(cells @ 1..=2000)) => options.sizes.push(cells),
                _ => {
                    return Err(format!(
                        "`{arg}` is not known; give --program PATH or cells along a side, 1 to 2000"
                    ));
                }
            }
        }
        if options.sizes.is_empty() {
            options.sizes = SIZES.to_vec();
        }
        options.sizes.sort_unstable();
        options.sizes.dedup();
        Ok(options)
    }
}

/// What one size takes.
#[derive(Debug, PartialEq)]
struct Row {
    vertices: f64,
    /// Processor time of a step, without audit and files [s].
    step: f64,
    newton: f64,
    linear: f64,
    /// Most memory of the process, in bytes for each vertex.
    memory: f64,
}

impl Row {
    fn of(report: &Value) -> Result<Self, String> {
        let number = |value: &Value, key: &str| {
            value[key].as_f64().ok_or_else(|| format!("report.json has no number `{key}`"))
        };
        let (vertices, steps) = (number(report, "vertices")?, number(report, "steps")?);
        let effort = &report["effort"];
        let newton = number(effort, "newton_iterations")?;
        Ok(Self {
            vertices,
            step: stepping(report)?[0] / steps,
            newton: newton / steps,
            linear: number(effort, "linear_iterations")? / newton,
            memory: number(report, "peak_rss_bytes")? / vertices,
        })
    }

    fn line(&self) -> String {
        format!(
            "| {} | {:.1} | {:.1} | {:.1} | {:.2} |",
            self.vertices,
            1e3 * self.step,
            self.newton,
            self.linear,
            1e-3 * self.memory
        )
    }
}

/// p of cost = c nᵖ from the first row to the last.
fn exponent(rows: &[Row]) -> Option<f64> {
    let (first, last) = (rows.first()?, rows.last()?);
    let p = (last.step / first.step).ln() / (last.vertices / first.vertices).ln();
    p.is_finite().then_some(p)
}

/// Runs the sizes asked for, or all.
pub(crate) fn growth(asked: &[String]) -> Done {
    let options = Options::parse(asked)?;
    let mut rows = Vec::new();
    for cells in &options.sizes {
        println!("== {cells} × {cells} cells");
        rows.push(run(&options, *cells)?);
    }
    println!("\n| vertices | CPU ms a step | Newton | CG | memory, kB a vertex |");
    println!("| --- | --- | --- | --- | --- |");
    rows.iter().for_each(|r| println!("{}", r.line()));
    Ok(exponent(&rows).map_or("One size says nothing of growth.".into(), |p| {
        format!("\nThe cost of a step grows like n^{p:.2}.")
    }))
}

fn run(options: &Options, cells: u32) -> Result<Row, String> {
    let out = root().join("target/growth").join(cells.to_string());
    let (folder, size) =
        (out.display().to_string(), format!("cloth.0.shape.cells=[{cells},{cells}]"));
    let args = ["sim", "scenes/sphere.toml", "--preset", "toile", "--threads", "1"];
    let rest = ["--no-picture", "--out", &folder, "--set", &size];
    let mut command = options.toile.command(&[&args[..], &rest].concat());
    // The status says whether the scene's own bounds hold too, which is not asked here.
    command.stdout(Stdio::null()).status().map_err(|e| format!("cannot start: {e}"))?;
    let report = out.join("report.json");
    let text = std::fs::read_to_string(&report).map_err(|e| format!("no report: {e}"))?;
    let report = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", report.display()))?;
    Row::of(&report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_what_is_not_known_is_named() {
        let parse = |args: &[&str]| {
            Options::parse(&args.iter().map(|a| (*a).to_string()).collect::<Vec<_>>())
        };
        assert_eq!(parse(&[]).unwrap().sizes, SIZES);
        assert_eq!(parse(&["100", "50", "100"]).unwrap().sizes, [50, 100]);
        for bad in [&["0"][..], &["x"], &["99999999999"], &["--program"]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_exponent_is_that_of_the_cost() {
        let row = |vertices: f64, step: f64| Row {
            vertices,
            step,
            newton: 1.0,
            linear: 1.0,
            memory: 1.0,
        };
        let rows = [row(100.0, 1.0), row(500.0, 0.1), row(10_000.0, 100.0)];
        assert!((exponent(&rows).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(exponent(&rows[..1]), None);
    }

    #[test]
    fn a_row_is_per_step_and_per_vertex() {
        let report = serde_json::json!({
            "vertices": 10, "steps": 4, "threads": 1, "wall_seconds": 2.0, "cpu_seconds": 2.0, "peak_rss_bytes": 5000,
            "stage_seconds": { "integrate": 0.5, "strain_limit": 0.0, "detect": 0.25, "respond": 0.25 },
            "effort": { "newton_iterations": 12, "linear_iterations": 60 },
        });
        let row = Row { vertices: 10.0, step: 0.25, newton: 3.0, linear: 5.0, memory: 500.0 };
        assert_eq!(Row::of(&report), Ok(row));
        assert!(Row::of(&serde_json::json!({})).unwrap_err().contains("vertices"));
    }
}
