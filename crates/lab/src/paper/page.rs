//! What an item gives: tables, pictures, and claims beside measurements.

use serde::Serialize;
use std::path::{Path, PathBuf};
use toile::Error;
use toile::output::{OutputFolder, Plan};

/// The result of an item.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Page {
    /// The item.
    pub id: &'static str,
    /// What it is, and of which paper.
    pub title: String,
    /// What was computed, and how work is counted.
    pub text: String,
    /// The numbers.
    pub tables: Vec<Table>,
    /// The paper's statements and ours.
    pub claims: Vec<Claim>,
    /// The diagrams.
    pub pictures: Vec<Picture>,
    /// Time it took [s]; differs from run to run.
    pub seconds: f64,
}

/// A table with a title.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// What it lists.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<Cell>>,
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A word.
    Text(String),
    /// A count.
    Count(u64),
    /// A measured number.
    Number(f64),
    /// Nothing, because the method does not apply or never gets there.
    None,
}

/// A statement of the paper and what was found.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// What the paper says.
    pub paper: String,
    /// What was measured.
    pub measured: String,
    /// Whether the two agree.
    pub agrees: bool,
    /// Why not, if the reason is known.
    pub why: Option<String>,
}

/// A diagram.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// Name of its file.
    pub file: String,
    /// The SVG.
    #[serde(skip)]
    pub svg: String,
}

impl From<f64> for Cell {
    fn from(v: f64) -> Self {
        Self::Number(v)
    }
}

impl From<u64> for Cell {
    fn from(v: u64) -> Self {
        Self::Count(v)
    }
}

impl From<&str> for Cell {
    fn from(v: &str) -> Self {
        Self::Text(v.into())
    }
}

impl From<String> for Cell {
    fn from(v: String) -> Self {
        Self::Text(v)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(v: Option<T>) -> Self {
        v.map_or(Self::None, Into::into)
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.pad(text),
            Self::Count(n) => f.pad(&n.to_string()),
            Self::Number(v) => f.pad(&number(*v)),
            Self::None => f.pad("-"),
        }
    }
}

/// Four digits, and a power of ten where the zeros would be many.
pub(super) fn number(v: f64) -> String {
    let size = v.abs();
    if v == 0.0 || !v.is_finite() {
        return format!("{v}");
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{v:.2e}");
    }
    let digits = (3 - libm::floor(libm::log10(size)) as i32).max(0) as usize;
    format!("{v:.digits$}")
}

impl Table {
    /// An empty table.
    pub(crate) fn new<const N: usize>(title: impl Into<String>, columns: [&str; N]) -> Self {
        let columns = columns.map(Into::into).into();
        Self { title: title.into(), columns, rows: Vec::new() }
    }

    /// One more row.
    pub(crate) fn push<const N: usize>(&mut self, row: [Cell; N]) {
        self.rows.push(row.into());
    }

    /// Its columns under one another, the first to the left and the others to the right.
    pub fn to_text(&self) -> String {
        let head = self.columns.clone();
        let mut lines = vec![head];
        lines.extend(self.rows.iter().map(|row| row.iter().map(Cell::to_string).collect()));
        let width = |k: usize| {
            lines.iter().filter_map(|l| l.get(k)).map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = format!("{}\n", self.title);
        for line in &lines {
            let mut text = String::from(" ");
            for (k, (cell, width)) in line.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
                let cell = if k == 0 { format!("{cell}{gap}") } else { format!("{gap}{cell}") };
                text += &format!(" {cell} ");
            }
            out += text.trim_end();
            out.push('\n');
        }
        out
    }
}

impl Claim {
    /// A statement that is borne out, or should be.
    pub(super) fn new(paper: impl Into<String>, measured: impl Into<String>, agrees: bool) -> Self {
        Self { paper: paper.into(), measured: measured.into(), agrees, why: None }
    }

    /// The known reason for a difference.
    #[must_use]
    pub(super) fn because(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }
}

impl Page {
    /// Whether every difference from the paper has a reason that is known.
    pub fn is_explained(&self) -> bool {
        self.claims.iter().all(|c| c.agrees || c.why.is_some())
    }

    /// Everything but the pictures, for people.
    pub fn to_text(&self) -> String {
        let mut out = format!("{}: {}\n{}\n", self.id, self.title, self.text);
        for table in &self.tables {
            out += &format!("\n{}", table.to_text());
        }
        for claim in &self.claims {
            let verdict = if claim.agrees { "agrees" } else { "differs" };
            out += &format!("\npaper:    {}\n", claim.paper);
            out += &format!("measured: {} ({verdict})\n", claim.measured);
            if let Some(why) = &claim.why {
                out += &format!("why:      {why}\n");
            }
        }
        out
    }

    /// Writes the pictures into a folder, which is made if need be; returns their paths.
    ///
    /// # Errors
    /// If the folder cannot be made or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, Error> {
        let names = || self.pictures.iter().map(|picture| picture.file.as_str());
        let mut out = OutputFolder::open(folder, Plan::new(names()))?;
        for picture in &self.pictures {
            out.write_bytes(&picture.file, picture.svg.as_bytes())?;
        }
        Ok(names().map(|name| folder.join(name)).collect())
    }
}
