//! What was measured, as text, JSON and files.

use super::{Picture, Row, Test, html};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use toile::Error;
use toile::output::{OutputFolder, Plan};
use toile_mesh::io::write_atomically;

/// The measurements of one test.
#[derive(Clone, Debug)]
pub struct Section {
    /// The test.
    pub test: &'static Test,
    /// What was found.
    pub rows: Vec<Row>,
    /// Its diagrams, if they were asked for.
    pub pictures: Vec<Picture>,
    /// How long it took [s].
    pub seconds: f64,
}

/// All measurements.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Test by test.
    pub sections: Vec<Section>,
    /// Whether meshes were coarse and tolerances wide.
    pub quick: bool,
    /// How long it took [s].
    pub seconds: f64,
    /// What went wrong besides.
    pub notes: Vec<String>,
}

impl Report {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.sections.iter().flat_map(|s| &s.rows)
    }

    /// Rows that fail and count.
    pub fn failures(&self) -> usize {
        self.rows().filter(|r| r.counts && !r.pass).count()
    }

    /// Whether every row that counts passes.
    pub fn passes(&self) -> bool {
        self.failures() == 0
    }

    /// A table for people at a terminal.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let wide = self.rows().map(|r| r.name.chars().count()).max().unwrap_or(0).max(4);
        let model = self.rows().map(|r| r.model.len()).max().unwrap_or(0).max(5);
        let _ = writeln!(
            out,
            "{:<wide$}  {:<model$}  {:<12}  {:>12}  {:>12}  {:>9}  {:>9}",
            "test", "model", "mesh", "simulated", "exact", "error", "tolerance"
        );
        for r in self.rows() {
            let _ = write!(out, "{:<wide$}  {:<model$}  {:<12}  ", r.name, r.model, r.mesh);
            let _ = match &r.note {
                Some(note) => writeln!(out, "no answer: {note}  {}", verdict(r)),
                None => writeln!(
                    out,
                    "{:>12}  {:>12}  {:>9}  {:>9}  {}",
                    number(r.value),
                    number(r.expected),
                    error(r.error, r),
                    error(r.tolerance, r),
                    verdict(r)
                ),
            };
        }
        for note in &self.notes {
            let _ = writeln!(out, "note: {note}");
        }
        out + &self.summary()
    }

    /// The end of the table, in a sentence.
    pub(super) fn summary(&self) -> String {
        let counted = self.rows().filter(|r| r.counts).count();
        let quick = if self.quick { ", coarse meshes and wide tolerances" } else { "" };
        let others = match self.rows().count() - counted {
            0 => String::new(),
            n => format!("; {n} more of other models, for comparison"),
        };
        format!(
            "{} of {counted} measurements pass{others} ({:.1} s{quick})",
            counted - self.failures(),
            self.seconds
        )
    }

    /// For other programs; see `docs/lab.md` for the keys.
    pub fn to_json(&self) -> Value {
        let rows: Vec<&Row> = self.rows().collect();
        let seconds: serde_json::Map<String, Value> =
            self.sections.iter().map(|s| (s.test.id.to_owned(), json!(s.seconds))).collect();
        json!({
            "quick": self.quick,
            "pass": self.passes(),
            "failures": self.failures(),
            "seconds": self.seconds,
            "test_seconds": seconds,
            "tests": rows,
            "notes": self.notes,
        })
    }

    /// Writes the diagrams as SVG files into a folder, which is made if need be.
    ///
    /// # Errors
    /// If the folder or a file cannot be written.
    pub fn write_plots(&self, folder: &Path) -> Result<(), Error> {
        let pictures = || self.sections.iter().flat_map(|s| &s.pictures);
        let name = |picture: &Picture| format!("{}.svg", picture.name);
        let mut out = OutputFolder::open(folder, Plan::new(pictures().map(name)))?;
        for picture in pictures() {
            out.write_bytes(&name(picture), picture.svg.as_bytes())?;
        }
        Ok(())
    }

    /// Writes one page of HTML that needs nothing else.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_html(&self, path: &Path) -> Result<(), Error> {
        Ok(write_atomically(path, |out| out.write_all(html::page(self).as_bytes()))?)
    }
}

/// PASS, FAIL, or what it would be if it counted.
pub(super) fn verdict(row: &Row) -> &'static str {
    match (row.pass, row.counts) {
        (true, _) => "PASS",
        (false, true) => "FAIL",
        (false, false) => "off",
    }
}

/// Six digits.
pub(super) fn number(v: f64) -> String {
    let size = v.abs();
    if v == 0.0 {
        "0".into()
    } else if !(1e-4..1e6).contains(&size) {
        format!("{v:.3e}")
    } else {
        let digits = (5 - libm::floor(libm::log10(size)) as i32).clamp(0, 9) as usize;
        format!("{v:.digits$}")
    }
}

/// An error in per cent, or as a small number where the tolerance is one.
pub(super) fn error(v: f64, row: &Row) -> String {
    if !v.is_finite() {
        "-".into()
    } else if row.tolerance < 1e-4 || row.expected == 0.0 {
        format!("{v:.1e}")
    } else {
        format!("{:.3} %", 100.0 * v)
    }
}
