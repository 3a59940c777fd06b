//! Designs drafted to measure by flat pattern cutting.
//!
//! Girths are divided into quarters, half pieces are drafted on the fold and unfolded, and what must match is
//! solved for: the height of a sleeve cap by the length of its armhole, the width of a dart by the side seams it
//! makes equal. Ease is what the garment measures more than the body; each design states its own.

mod circle_skirt;
mod dress;
mod option;
mod skirt;
mod trousers;
mod tshirt;

pub use circle_skirt::CircleSkirt;
pub use dress::Dress;
pub use option::{DesignOption, OptionKind};
pub use skirt::Skirt;
pub use trousers::Trousers;
pub use tshirt::Tshirt;

use crate::edge::Edge;
use crate::measurements::Measurements;
use crate::panel::{BodyPart, Dart, DartShape, Panel, Side};
use crate::pattern::Pattern;
use crate::seam::{EdgePart, Seam};
use glam::DVec2;
use serde::{Deserialize, Serialize};

/// A built-in design, with what can be chosen about it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Design {
    /// T-shirt with set-in short sleeves.
    Tshirt(Tshirt),
    /// A-line skirt with darts and a waistband.
    Skirt(Skirt),
    /// Skirt cut from a circle or a part of one.
    CircleSkirt(CircleSkirt),
    /// Straight trousers with a waistband.
    Trousers(Trousers),
    /// Sleeveless sheath dress with bust and waist darts.
    Dress(Dress),
}

impl Design {
    /// All designs, as they are by default.
    pub fn all() -> [Self; 5] {
        [
            Self::Tshirt(Tshirt::default()),
            Self::Skirt(Skirt::default()),
            Self::CircleSkirt(CircleSkirt::default()),
            Self::Trousers(Trousers::default()),
            Self::Dress(Dress::default()),
        ]
    }

    /// Its name in files and commands.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tshirt(_) => "tshirt",
            Self::Skirt(_) => "skirt",
            Self::CircleSkirt(_) => "circle-skirt",
            Self::Trousers(_) => "trousers",
            Self::Dress(_) => "dress",
        }
    }

    /// What it is, in one line.
    pub fn summary(&self) -> &'static str {
        match self {
            Self::Tshirt(_) => "T-shirt with set-in short sleeves",
            Self::Skirt(_) => "A-line skirt to the knee, with darts and a waistband",
            Self::CircleSkirt(_) => "circle skirt with a waistband",
            Self::Trousers(_) => "straight trousers with darts and a waistband",
            Self::Dress(_) => "sleeveless sheath dress with bust and waist darts",
        }
    }

    /// The design of a name, as it is by default.
    pub fn find(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|d| d.name() == name)
    }

    /// What can be chosen about it.
    pub fn options(&self) -> &'static [DesignOption] {
        match self {
            Self::Tshirt(_) => Tshirt::OPTIONS,
            Self::Skirt(_) => Skirt::OPTIONS,
            Self::CircleSkirt(_) => CircleSkirt::OPTIONS,
            Self::Trousers(_) => Trousers::OPTIONS,
            Self::Dress(_) => Dress::OPTIONS,
        }
    }

    /// Drafts it to a body.
    pub fn draft(&self, m: &Measurements) -> Pattern {
        match self {
            Self::Tshirt(d) => d.draft(m),
            Self::Skirt(d) => d.draft(m),
            Self::CircleSkirt(d) => d.draft(m),
            Self::Trousers(d) => d.draft(m),
            Self::Dress(d) => d.draft(m),
        }
    }
}

/// Seam allowance of all designs [m].
const ALLOWANCE: f64 = 0.01;

/// From the side neck point down to the nape [m].
const NAPE_DROP: f64 = 0.02;

fn v(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

fn part(panel: &str, edge: &str) -> EdgePart {
    EdgePart::new(panel, edge)
}

/// The x at which a growing function reaches a target, by bisection.
fn solve(mut low: f64, mut high: f64, target: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if f(middle) < target { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Unfolds a half piece drafted at x ≥ 0 with its straight edge `centre` on the fold, and calls edges after
/// the sides of the wearer. Seen from the right side, +x is left on the front and right on the back.
fn unfold(half: &Panel, front: bool) -> Panel {
    // Every half piece here has a straight centre; a design without is a mistake in the design.
    let mut whole = half.unfolded("centre").unwrap_or_else(|_| half.clone());
    let (plain, mirrored) = if front { ("-left", "-right") } else { ("-right", "-left") };
    let rename = |name: &mut String| {
        *name = match name.strip_suffix("-mirrored") {
            Some(stem) => format!("{stem}{mirrored}"),
            None => format!("{name}{plain}"),
        };
    };
    whole.edges.iter_mut().for_each(|e| rename(&mut e.name));
    for dart in &mut whole.darts {
        rename(&mut dart.name);
        if let DartShape::Open { edge, .. } = &mut dart.shape {
            rename(edge);
        }
    }
    whole.notches.iter_mut().for_each(|n| rename(&mut n.edge));
    whole.allowance = ALLOWANCE;
    whole.with_placement(
        half.placement.part.unwrap_or(BodyPart::Torso),
        if front { Side::Front } else { Side::Back },
    )
}

/// The mirror image of a panel, with the same names of edges.
pub(crate) fn mirrored(panel: &Panel, name: &str) -> Panel {
    let flip = |p: DVec2| v(-p.x, p.y);
    let mut image = panel.clone();
    image.name = name.into();
    image.edges = panel.edges.iter().rev().map(|e| e.map(flip, true).reversed()).collect();
    for dart in &mut image.darts {
        match &mut dart.shape {
            DartShape::Open { at, tip, .. } => (*at, *tip) = (1.0 - *at, flip(*tip)),
            DartShape::Double { tips, .. } => *tips = tips.map(flip),
        }
    }
    image.notches.iter_mut().for_each(|n| n.at = 1.0 - n.at);
    image.pleats.iter_mut().for_each(|p| p.at = 1.0 - p.at);
    let paths = image.holes.iter_mut().chain(&mut image.lines);
    paths.for_each(|path| path.edges.iter_mut().for_each(|e| *e = e.map(flip, true)));
    image.grain.x = -image.grain.x + 0.0;
    image
}

/// A dart on an edge, square to it.
fn dart(name: &str, edge: &Edge, at: f64, width: f64, depth: f64) -> Dart {
    let s = at * edge.length();
    let tip = edge.at(s) + depth * edge.direction(s).perp();
    Dart { name: name.into(), shape: DartShape::Open { edge: edge.name.clone(), at, width, tip } }
}

/// A closed band around the waist, sewn at its lower edge to a chain of edges; its own seam is at the
/// beginning of the chain.
fn add_waistband(pattern: &mut Pattern, height: f64, chain: Vec<EdgePart>) {
    let mut seam = Seam::of_chains("waist", vec![part("waistband", "bottom")], chain);
    seam.order = 1;
    let length = pattern.seam_lengths(&seam)[1];
    let band = Panel::new("waistband", rectangle(length, height));
    let band = band.with_allowance(ALLOWANCE).with_placement(BodyPart::Waist, Side::Around);
    pattern.panels.push(band);
    let ends = Seam::new("waistband", part("waistband", "end"), part("waistband", "start"));
    pattern.seams.push(ends);
    pattern.seams.push(seam);
}

/// A strip from its lower left corner: bottom, end, top, start.
fn rectangle(length: f64, height: f64) -> Vec<Edge> {
    let c = [v(0.0, 0.0), v(length, 0.0), v(length, height), v(0.0, height)];
    let names = ["bottom", "end", "top", "start"];
    (0..4).map(|i| Edge::line(names[i], c[i], c[(i + 1) % 4])).collect()
}
