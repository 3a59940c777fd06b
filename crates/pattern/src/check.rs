//! What is wrong with a pattern: every fault, with its panel, edge and remedy.
//!
//! An error makes the pattern useless for meshing and sewing; a warning is worth a look. Each fault
//! carries marks, which the drawing shows in red.

mod crossing;
mod panels;
mod seams;

use crate::pattern::Pattern;
use glam::DVec2;
use serde::Serialize;

/// No panel of a garment is larger than this [m]; a larger one is in the wrong unit.
pub const MAX_PANEL_SIZE: f64 = 4.0;

/// Edges shorter than this [m] cannot be sewn: a tenth of a millimetre.
pub const MIN_EDGE_LENGTH: f64 = 1e-4;

/// Lengths of seam partners may differ from what the seam states by this fraction …
const UNSTATED_FRACTION: f64 = 0.03;

/// … and by this much [m] before it is worth a warning.
const UNSTATED_LENGTH: f64 = 0.005;

/// More edges, darts, pleats, notches and elastics than this in one panel come from a broken file.
const MAX_EDGES: usize = 4000;

/// More straight pieces than this in the outline, holes and lines of one panel are no drawing: curves are compared
/// piece by piece, and garments have some thousands.
const MAX_PIECES: usize = 20_000;

/// Faults that an error lists; nobody mends more at once.
const MAX_SHOWN: usize = 20;

/// More pieces than this in all panels together.
const MAX_PIECES_OF_ALL: usize = 100_000;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// A number is infinite or not a number.
    NotFinite,
    /// A pattern without panels, or an outline of fewer than two edges, or of far too many.
    NoOutline,
    /// Two panels or two edges of a panel have the same name.
    SameName,
    /// An outline does not come back to where it begins.
    OpenOutline,
    /// An edge is too short to be sewn.
    ZeroEdge,
    /// An outline meets itself.
    SelfCrossing,
    /// An outline runs clockwise.
    Clockwise,
    /// A panel is larger than any body.
    TooLarge,
    /// A dart is not on its edge, or leaves the panel.
    Dart,
    /// A hole or a line is not inside its panel.
    Outside,
    /// A notch is not on an edge.
    Notch,
    /// An elastic is not on an edge, or cannot be sewn to it.
    Elastic,
    /// An arc has no circle through its three points.
    Arc,
    /// A seam allowance has no width that can be cut.
    Allowance,
    /// A panel is placed far from any body.
    Placement,
    /// The grain has no direction.
    Grain,
    /// A seam names a panel that does not exist.
    MissingPanel,
    /// A seam names an edge that does not exist.
    MissingEdge,
    /// A seam names an impossible part of an edge.
    Range,
    /// The sides of a seam are too unequal.
    Ratio,
    /// The sides of a seam are not as unequal as the seam states.
    Unstated,
    /// A stretch of an edge is sewn twice.
    SewnTwice,
    /// A panel is sewn to nothing.
    Loose,
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The pattern cannot be used.
    Error,
    /// Worth a look.
    Warning,
}

/// A place on a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Index of the panel.
    pub panel: usize,
    /// One point, or the points of a line [m].
    pub points: Vec<DVec2>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fault {
    /// What kind of thing.
    pub kind: Kind,
    /// How bad.
    pub severity: Severity,
    /// The panel.
    pub panel: Option<String>,
    /// The edge, dart, hole or line.
    pub edge: Option<String>,
    /// The seam.
    pub seam: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
    /// Where, for the drawing.
    #[serde(skip)]
    pub marks: Vec<Mark>,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut place = Vec::new();
        for (what, name) in [("seam", &self.seam), ("panel", &self.panel), ("edge", &self.edge)] {
            if let Some(name) = name {
                place.push(format!("{what} `{name}`"));
            }
        }
        let place = if place.is_empty() { "pattern".into() } else { place.join(", ") };
        write!(f, "{place}: {}; {}", self.message, self.remedy)
    }
}

/// All that is wrong with a pattern.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Check {
    /// The faults, panels first, in the order of the file.
    pub faults: Vec<Fault>,
}

impl Check {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// Whether the pattern can be used.
    pub fn is_usable(&self) -> bool {
        self.errors().next().is_none()
    }

    /// Faults that make the pattern useless.
    pub fn errors(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|f| f.severity == Severity::Error)
    }

    /// Faults worth a look.
    pub fn warnings(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|f| f.severity == Severity::Warning)
    }

    fn add(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

impl std::fmt::Display for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n = self.errors().count();
        write!(f, "the pattern has {n} fault{}", if n == 1 { "" } else { "s" })?;
        self.errors().take(MAX_SHOWN).try_for_each(|fault| write!(f, "\n  {fault}"))?;
        match n.saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl Fault {
    fn new(kind: Kind, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            kind,
            severity: Severity::Error,
            panel: None,
            edge: None,
            seam: None,
            message: message.into(),
            remedy: remedy.into(),
            marks: Vec::new(),
        }
    }

    fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    fn on_panel(mut self, name: &str) -> Self {
        self.panel = Some(name.into());
        self
    }

    fn on_edge(mut self, name: &str) -> Self {
        self.edge = Some(name.into());
        self
    }

    fn on_seam(mut self, name: &str) -> Self {
        self.seam = Some(name.into());
        self
    }

    fn marked(mut self, panel: usize, points: Vec<DVec2>) -> Self {
        if points.iter().all(|p| p.is_finite()) {
            self.marks.push(Mark { panel, points });
        }
        self
    }
}

impl Pattern {
    /// Lists all that is wrong, not only the first.
    pub fn check(&self) -> Check {
        let mut check = Check::default();
        panels::check(self, &mut check);
        seams::check(self, &mut check);
        check
    }

    /// The pattern, if it can be used.
    ///
    /// # Errors
    /// All its faults.
    pub fn checked(&self) -> Result<(), crate::Error> {
        let check = self.check();
        if check.is_usable() { Ok(()) } else { Err(crate::Error::Faulty(Box::new(check))) }
    }
}

/// The name most like a wrong one, for "did you mean".
pub(crate) fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody mistypes a longer one, and the comparison takes the product of both lengths.
    const LONGEST: usize = 80;
    if wrong.len() > LONGEST {
        return None;
    }
    names
        .filter(|n| n.len() <= LONGEST)
        .map(|n| (strsim::levenshtein(wrong, n), n))
        .filter(|(d, n)| *d <= n.chars().count().div_ceil(3))
        .min_by_key(|(d, _)| *d)
        .map(|(_, n)| n)
}
