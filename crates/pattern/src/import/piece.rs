//! A piece of a drawing: its outline, what is marked on it, and how often it is cut.

use super::{Kind, Polyline, Vertex, edges};
use crate::edge::Edge;
use crate::panel::{Notch, Panel, Path, contains, signed_area};
use glam::DVec2;

/// Farther than this from the outline a notch belongs to something else [m].
const MAX_NOTCH_DISTANCE: f64 = 4e-3;

/// An edge this near to the mirror line lies on it [m].
const MIRROR_TOLERANCE: f64 = 1.5e-3;

/// Most notches of a piece.
const MAX_NOTCHES: usize = 300;

/// Most lines inside a piece that are kept.
const MAX_LINES: usize = 100;

/// Most edges of an outline: a piece of cloth has a few dozen.
const MAX_EDGES: usize = 2000;

/// Most panels cut from one piece.
const MAX_COPIES: usize = 20;

/// How often a piece is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copies {
    /// As it is drawn.
    pub(crate) plain: usize,
    /// As its mirror image.
    pub(crate) mirrored: usize,
}

impl Default for Copies {
    fn default() -> Self {
        Self { plain: 1, mirrored: 0 }
    }
}

/// A piece as it is drawn; lengths in metres, y up, seen from its right side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    pub(crate) name: String,
    /// Its sewing line.
    pub(crate) outline: Polyline,
    /// Edges of the sewing line, if the drawing has curves; the outline is for what is not told exactly.
    pub(crate) edges: Vec<Edge>,
    pub(crate) holes: Vec<Polyline>,
    pub(crate) lines: Vec<Polyline>,
    pub(crate) notches: Vec<DVec2>,
    pub(crate) grain: Option<DVec2>,
    /// Two points of the line about which it is unfolded.
    pub(crate) mirror: Option<[DVec2; 2]>,
    pub(crate) copies: Copies,
    pub(crate) allowance: f64,
    pub(crate) fabric: Option<String>,
}

impl Piece {
    /// The panels cut from it.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub(crate) fn panels(&self) -> Result<Vec<Panel>, String> {
        let mut outline =
            if self.edges.is_empty() { edges(&self.outline) } else { self.edges.clone() };
        if outline.len() > MAX_EDGES {
            return Err(format!("its outline has {} edges; {MAX_EDGES} at most", outline.len()));
        }
        if outline.len() < 2 {
            return Err("it has no outline".into());
        }
        outline.iter().try_for_each(Edge::refuse_if_far)?;
        let mut panel = Panel::new(self.name.clone(), outline.clone());
        if panel.signed_area() < 0.0 {
            outline = outline.iter().rev().map(Edge::reversed).collect();
            for (i, e) in outline.iter_mut().enumerate() {
                e.name = (i + 1).to_string();
            }
            panel.edges = outline;
        }
        panel.allowance = self.allowance;
        panel.fabric.clone_from(&self.fabric);
        if let Some(grain) = self.grain.and_then(DVec2::try_normalize) {
            // A grain line may have no head: up and down are the same warp.
            panel.grain = if grain.y < -1e-9 { -grain } else { grain };
        }
        let reach = MAX_NOTCH_DISTANCE.max(1.8 * self.allowance);
        let notches = self.notches.iter().take(MAX_NOTCHES);
        panel.notches = notches.filter_map(|p| notch(&panel, *p, reach)).collect();
        for (k, hole) in self.holes.iter().take(MAX_LINES).enumerate() {
            panel.holes.push(path(&format!("hole-{}", k + 1), hole)?);
        }
        let within = Within::new(&panel);
        let lines = self.lines.iter().filter_map(|l| within.part(l));
        for (k, line) in lines.take(MAX_LINES).enumerate() {
            panel.lines.push(path(&format!("line-{}", k + 1), &line)?);
        }
        if let Some(mirror) = self.mirror {
            panel = unfolded(&panel, mirror)?;
        }
        self.cut(&panel)
    }

    /// As many panels as are cut.
    fn cut(&self, panel: &Panel) -> Result<Vec<Panel>, String> {
        let Copies { plain, mirrored } = self.copies;
        if plain.saturating_add(mirrored) > MAX_COPIES {
            return Err(format!("it is cut {plain} and {mirrored} times; {MAX_COPIES} at most"));
        }
        let mut panels = Vec::new();
        for k in 0..plain {
            let mut copy = panel.clone();
            if k > 0 {
                copy.name = format!("{}-{}", panel.name, k + 1);
            }
            panels.push(copy);
        }
        for k in 0..mirrored {
            let ending = if k > 0 { format!("-mirrored-{}", k + 1) } else { "-mirrored".into() };
            panels.push(crate::design::mirrored(panel, &format!("{}{ending}", panel.name)));
        }
        Ok(panels)
    }
}

/// Lines inside keep this far from the outline [m]: the mesh has no room for less.
const MARGIN: f64 = 5e-3;

/// A line inside that is shorter is no line [m].
const SHORTEST: f64 = 0.02;

/// Most points of an outline that lines are measured against.
const MAX_POINTS: usize = 4000;

/// What lies well inside an outline.
struct Within {
    outline: Vec<DVec2>,
}

impl Within {
    fn new(panel: &Panel) -> Self {
        Self { outline: panel.polygon(2e-4) }
    }

    /// The longest part of a line that is well inside.
    fn part(&self, line: &Polyline) -> Option<Polyline> {
        if self.outline.len() > MAX_POINTS || line.vertices.iter().any(|v| v.bulge != 0.0) {
            return None;
        }
        let mut points = line.points();
        if points.len() == 2 {
            let (a, b) = (points[0], points[1]);
            points = (0..=100).map(|i| a.lerp(b, f64::from(i) / 100.0)).collect();
        }
        if points.len() > 400 {
            return None;
        }
        let inside =
            |p: &DVec2| contains(&self.outline, *p) && distance(&self.outline, *p) > MARGIN;
        let mut runs: Vec<Vec<DVec2>> = vec![Vec::new()];
        for p in points {
            match inside(&p) {
                true => runs.iter_mut().last()?.push(p),
                false => runs.push(Vec::new()),
            }
        }
        let length = |r: &[DVec2]| r.windows(2).map(|w| w[0].distance(w[1])).sum::<f64>();
        let longest = runs.into_iter().max_by(|a, b| length(a).total_cmp(&length(b)))?;
        let kept = if line.vertices.len() == 2 {
            vec![*longest.first()?, *longest.last()?]
        } else {
            longest
        };
        let vertex = |at| Vertex { at, bulge: 0.0, kind: Kind::Unknown };
        let vertices: Vec<Vertex> = kept.into_iter().map(vertex).collect();
        let points: Vec<DVec2> = vertices.iter().map(|v| v.at).collect();
        (length(&points) > SHORTEST).then_some(Polyline { vertices, closed: false })
    }
}

fn path(name: &str, line: &Polyline) -> Result<Path, String> {
    let edges = edges(line);
    edges.iter().try_for_each(Edge::refuse_if_far)?;
    Ok(Path { name: name.into(), edges })
}

/// The half piece unfolded at one of its edges, with all of the outline that lies in line with it.
///
/// # Errors
/// A sentence, if there is no such edge or it is not straight.
pub(crate) fn unfold_at(panel: &Panel, edge: &str) -> Result<Panel, String> {
    let e = panel.edge(edge).ok_or_else(|| format!("there is no edge `{edge}`"))?;
    if !e.is_straight() {
        return Err(format!("the edge `{edge}` is not a straight line"));
    }
    unfolded(panel, [e.from, e.to])
}

/// The half piece unfolded at the edge that lies on a line.
fn unfolded(panel: &Panel, [a, b]: [DVec2; 2]) -> Result<Panel, String> {
    let along = (b - a).try_normalize().ok_or("its mirror line has no length")?;
    let on_line = |p: DVec2| (p - a).perp_dot(along).abs() < MIRROR_TOLERANCE;
    let mut half = panel.clone();
    let lies = |e: &Edge| e.is_straight() && on_line(e.from) && on_line(e.to);
    // An outline may have points on its fold: they are one edge.
    while let Some(k) = (0..half.edges.len()).find(|k| {
        let next = (k + 1) % half.edges.len();
        half.edges.len() > 3 && lies(&half.edges[*k]) && lies(&half.edges[next])
    }) {
        let next = (k + 1) % half.edges.len();
        let end = half.edges[next].to;
        let gone = half.edges[next].name.clone();
        let kept = half.edges[k].name.clone();
        half.edges[k] = Edge::line(kept, half.edges[k].from, end);
        half.edges.remove(next);
        half.notches.retain(|n| n.edge != gone);
    }
    let fold = half.edges.iter().find(|e| lies(e)).ok_or("no edge lies on its mirror line")?;
    half.unfolded(&fold.name.clone())
}

/// The notch at the place of the outline that is nearest to a point.
pub(crate) fn notch(panel: &Panel, p: DVec2, reach: f64) -> Option<Notch> {
    let gap = |e: &Edge, t: f64| e.point(t).distance(p);
    let nearest = |e: &Edge| {
        let best =
            (0..=24).map(|i| f64::from(i) / 24.0).min_by(|a, b| gap(e, *a).total_cmp(&gap(e, *b)));
        let (mut t, mut step) = (best.unwrap_or(0.0), 1.0 / 24.0);
        while step > 1e-7 {
            step *= 0.5;
            for other in [t - step, t + step] {
                let other = other.clamp(0.0, 1.0);
                if gap(e, other) < gap(e, t) {
                    t = other;
                }
            }
        }
        t
    };
    let feet = panel.edges.iter().map(|e| (e, nearest(e)));
    let (edge, t) = feet.min_by(|(a, t), (b, s)| gap(a, *t).total_cmp(&gap(b, *s)))?;
    if gap(edge, t) > reach {
        return None;
    }
    let length = edge.length();
    let at = match edge.curve {
        crate::edge::Curve::Line | crate::edge::Curve::Arc { .. } => t,
        // The arc length up to a parameter is the one at which the parameter is reached.
        _ => {
            let (mut low, mut high) = (0.0, length);
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                if edge.parameter(middle) < t { low = middle } else { high = middle }
            }
            0.5 * (low + high) / length
        }
    };
    Some(Notch { edge: edge.name.clone(), at, label: String::new() })
}

/// The width of the seam allowance if `inner` is the sewing line within the cut line `outer` [m].
pub(crate) fn contour_allowance(outer: &[DVec2], inner: &[DVec2]) -> Option<f64> {
    let (large, small) = (signed_area(outer).abs(), signed_area(inner).abs());
    if inner.len() < 3 || small < 0.2 * large || small > large {
        return None;
    }
    // A part of the points is enough, and bounds the work.
    let step = (inner.len() / 60).max(1);
    let probes: Vec<DVec2> = inner.iter().step_by(step).copied().collect();
    let mut gaps: Vec<f64> = probes.iter().map(|p| distance(outer, *p)).collect();
    let inside =
        probes.iter().zip(&gaps).filter(|(p, g)| **g < 1e-3 || contains(outer, **p)).count();
    if inside * 20 < probes.len() * 19 {
        return None;
    }
    gaps.sort_by(f64::total_cmp);
    let width = gaps[gaps.len() / 2];
    (width < 0.1).then_some(if width < 5e-4 { 0.0 } else { (width * 1e4).round() / 1e4 })
}

/// Distance of a point from a closed polygon [m].
fn distance(polygon: &[DVec2], p: DVec2) -> f64 {
    let n = polygon.len();
    let gap = |i: usize| {
        let (a, d) = (polygon[i], polygon[(i + 1) % n] - polygon[i]);
        let t = (p - a).dot(d) / d.length_squared().max(f64::MIN_POSITIVE);
        p.distance(a + t.clamp(0.0, 1.0) * d)
    };
    (0..n).map(gap).fold(f64::MAX, f64::min)
}

/// A name that can stand in `panel.edge[0, 1]`.
pub(crate) fn tidy(name: &str) -> String {
    let name: String = name
        .trim()
        .chars()
        .take(60)
        .map(|c| if matches!(c, '.' | '[' | ']' | ',') || c.is_control() { '_' } else { c })
        .collect();
    if name.is_empty() { "piece".into() } else { name }
}

/// Gives panels of the same name numbers.
pub(crate) fn unique(panels: &mut [Panel]) {
    for i in 1..panels.len() {
        let stem = panels[i].name.clone();
        let mut k = 2;
        while panels[..i].iter().any(|p| p.name == panels[i].name) {
            panels[i].name = format!("{stem}-{k}");
            k += 1;
        }
    }
}
