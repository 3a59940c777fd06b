//! Import of parts drafted by FreeSewing and written as JSON: `parts`, each with its paths as drawing operations.
//!
//! The path `seam` of a part is its sewing line. Parts cut on the fold are half pieces and are unfolded; those that are
//! cut twice, not identical, come with their mirror image. Snippets `notch` and `bnotch` become notches of the edge they lie
//! on, and the seam allowance is kept. Such files do not say which edges are sewn together: there are no seams, to
//! be added by hand.

use crate::edge::Edge;
use crate::error::Error;
use crate::file::refuse_if_many;
use crate::panel::{Notch, Panel};
use crate::pattern::Pattern;
use glam::DVec2;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    units: Option<String>,
    #[serde(default)]
    y_axis: Option<String>,
    #[serde(default)]
    seam_allowance: f64,
    parts: BTreeMap<String, Part>,
    #[serde(default)]
    cutlist: BTreeMap<String, Cut>,
}

#[derive(Deserialize)]
struct Part {
    paths: BTreeMap<String, PathIn>,
    #[serde(default)]
    snippets: Vec<Snippet>,
}

#[derive(Deserialize)]
struct PathIn {
    ops: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
enum Operation {
    Move { to: [f64; 2] },
    Line { to: [f64; 2] },
    Curve { cp1: [f64; 2], cp2: [f64; 2], to: [f64; 2] },
    Close,
}

#[derive(Deserialize)]
struct Snippet {
    def: String,
    at: [f64; 2],
}

#[derive(Deserialize, Default)]
struct Cut {
    #[serde(default)]
    materials: BTreeMap<String, Vec<Pieces>>,
    #[serde(default, rename = "cutOnFold")]
    fold: Option<[[f64; 2]; 2]>,
    /// Direction of the grain [degrees].
    #[serde(default)]
    grain: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pieces {
    cut: u32,
    #[serde(default)]
    identical: Value,
    #[serde(default)]
    on_fold: Value,
}

/// A flag, which some designs write as a number.
fn truth(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_f64().is_some_and(|x| x != 0.0))
}

/// Points nearer than this are one [m].
const MERGE_DISTANCE: f64 = 1e-4;

/// A notch belongs to an edge that is nearer than this [m].
const JOIN_DISTANCE: f64 = 2e-3;

/// Reads parts of FreeSewing; `name` is for messages.
///
/// # Errors
/// If they are not such parts.
pub fn from_json(text: &str, name: &str) -> Result<Pattern, Error> {
    let value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|e| Error::Parse { name: name.into(), message: e.to_string() })?;
    from_value(value, name)
}

pub(crate) fn from_value(value: Value, name: &str) -> Result<Pattern, Error> {
    let document: Document = serde_json::from_value(value).map_err(|e| Error::Parse {
        name: name.into(),
        message: format!("not parts of FreeSewing: {e}"),
    })?;
    refuse_if_many(name, document.parts.len(), 0)?;
    let scale = match document.units.as_deref() {
        None | Some("mm") => 1e-3,
        Some("cm") => 1e-2,
        Some(other) => {
            let message = format!("`{other}` is not a known unit: mm or cm");
            return Err(Error::Content { name: name.into(), place: "units".into(), message });
        }
    };
    // Drawings for the screen have y down.
    let up = if document.y_axis.as_deref() == Some("up") { 1.0 } else { -1.0 };
    let point = |[x, y]: [f64; 2]| DVec2::new(x, up * y) * scale;
    let mut pattern = Pattern::new("");
    pattern.description = "Imported from FreeSewing; seams are to be added.".into();
    for (key, file) in &document.parts {
        let bad = |message: String| Error::Content {
            name: name.into(),
            place: format!("part `{key}`"),
            message,
        };
        let Some(path) = file.paths.get("seam") else { continue };
        let none = Cut::default();
        let cut = document.cutlist.get(key).unwrap_or(&none);
        let called = key.rsplit('.').next().unwrap_or(key).replace('[', "_");
        let mut panel = Panel::new(called, edges(&path.ops, point).map_err(bad)?);
        if panel.signed_area() < 0.0 {
            panel.edges = panel.edges.iter().rev().map(Edge::reversed).collect();
        }
        panel.allowance = document.seam_allowance.max(0.0) * scale;
        if let Some(degrees) = cut.grain {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            // A grain line has no head: up and down are the same warp.
            let grain = DVec2::new(cos, sin);
            panel.grain = if grain.y < -1e-9 { -grain } else { grain };
        }
        for snippet in file.snippets.iter().filter(|s| matches!(s.def.as_str(), "notch" | "bnotch"))
        {
            panel.notches.extend(notch(&panel, point(snippet.at)));
        }
        let pieces = cut.materials.values().flatten().next();
        if let Some(fold) = cut.fold
            && pieces.is_none_or(|p| truth(&p.on_fold))
        {
            panel = unfold(&panel, fold.map(point)).map_err(bad)?;
        }
        let pair = pieces.is_some_and(|p| p.cut == 2 && !truth(&p.identical));
        if pair {
            let image = crate::design::mirrored(&panel, &format!("{}-mirrored", panel.name));
            pattern.panels.push(image);
        }
        pattern.panels.push(panel);
    }
    Ok(pattern)
}

/// The edges of a closed drawing, numbered from 1.
fn edges(operations: &[Operation], point: impl Fn([f64; 2]) -> DVec2) -> Result<Vec<Edge>, String> {
    let mut edges: Vec<Edge> = Vec::new();
    let (mut start, mut at) = (DVec2::ZERO, DVec2::ZERO);
    for operation in operations {
        let name = (edges.len() + 1).to_string();
        let edge = match operation {
            Operation::Move { to } => {
                (start, at) = (point(*to), point(*to));
                continue;
            }
            Operation::Line { to } => Edge::line(name, at, point(*to)),
            Operation::Curve { cp1, cp2, to } => {
                Edge::cubic(name, at, [point(*cp1), point(*cp2)], point(*to))
            }
            Operation::Close => Edge::line(name, at, start),
        };
        at = edge.to;
        edge.refuse_if_far()?;
        // Drawings close themselves with a line of no length.
        if edge.length() >= MERGE_DISTANCE {
            edges.push(edge);
        }
    }
    Ok(edges)
}

/// The half piece unfolded at the line between two points.
fn unfold(panel: &Panel, line: [DVec2; 2]) -> Result<Panel, String> {
    let near = |p: DVec2| line.iter().any(|q| q.distance(p) < 10.0 * MERGE_DISTANCE);
    let along = (line[1] - line[0]).normalize_or_zero();
    let on_line = |p: DVec2| (p - line[0]).perp_dot(along).abs() < 10.0 * MERGE_DISTANCE;
    // The fold line is drawn with the neck of one part on others too: being in line is enough.
    let fold = panel.edges.iter().find(|e| near(e.from) && near(e.to));
    let fold = fold.or_else(|| {
        panel.edges.iter().find(|e| e.is_straight() && on_line(e.from) && on_line(e.to))
    });
    panel.unfolded(&fold.ok_or("no edge lies on its fold")?.name.clone())
}

/// The notch at the place of an edge that is nearest to a point.
fn notch(panel: &Panel, p: DVec2) -> Option<Notch> {
    let mut best: Option<(f64, Notch)> = None;
    for edge in &panel.edges {
        for i in 0..=200 {
            let at = f64::from(i) / 200.0;
            let gap = edge.at(at * edge.length()).distance(p);
            if gap < JOIN_DISTANCE && best.as_ref().is_none_or(|(d, _)| gap < *d) {
                best = Some((gap, Notch { edge: edge.name.clone(), at, label: String::new() }));
            }
        }
    }
    best.map(|(_, notch)| notch)
}
