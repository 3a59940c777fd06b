//! What makes contours shorter until they vanish.
//!
//! Where a part of the cloth is cut off, it is known what is on the wrong side ([`sides`](super::sides)): the wrong
//! end of each cut edge is moved through the triangle in its way, along the triangle's normal.
//!
//! Elsewhere the contour is drawn together [volino2006]: an edge along E that passes through a triangle of normal N
//! moves along
//!
//! G = Σ (R − 2 (E·R)/(E·N) N),
//!
//! the triangle against it, with a unit vector R for each triangle beside the edge: the direction in which
//! the contour runs from the crossing into that triangle. Along G the length of the contour falls.
//! A contour that runs straight from border to border has G = 0 but at its ends.

use super::cloth::{Cloth, Moves};
use super::crossing::{Crossing, Crossings};
use super::sides::Floods;
use glam::DVec3;
use toile_mesh::NONE;

/// Least |E·N| that is divided by: an edge along a triangle would be thrown far along its normal.
const MIN_EDGE_NORMAL_DOT: f64 = 0.2;
/// |G| at which a crossing moves by most of what it may.
const FULL_STEP_GRADIENT: f64 = 0.3;
/// Sum of G along a contour above which all of it is drawn to one side.
const GLOBAL_GRADIENT_THRESHOLD: f64 = 0.5;

/// How contours are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// What is cut off goes back; other contours are drawn together.
    Sides,
    /// All contours are drawn together.
    Shorter,
}

/// Wishes of all crossings. `gap` is what is to be left between what was apart [m], `most` what a crossing may move [m].
pub(super) fn push(
    cloth: &Cloth<'_>,
    crossings: &Crossings,
    floods: &mut Floods,
    (rule, gap, most): (Rule, f64, f64),
) -> Moves {
    let mut moves = Moves::new(cloth.x.len());
    for contour in crossings.all.chunk_by(|a, b| a.contour == b.contour) {
        let known = rule == Rule::Sides && contour[0].contour != NONE;
        match known.then(|| floods.wrong_ends(cloth, contour)).flatten() {
            Some(ends) => {
                for c in contour {
                    if let Ok(at) = ends.binary_search_by_key(&c.edge, |(e, _)| *e) {
                        bring_back(cloth, c, ends[at].1, gap, &mut moves);
                    }
                }
            }
            None => draw_together(cloth, contour, most, &mut moves),
        }
    }
    for pair in &crossings.flat {
        part(cloth, *pair, gap, &mut moves);
    }
    moves
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

/// Moves the wrong end of an edge through the triangle.
fn bring_back(cloth: &Cloth<'_>, c: &Crossing, wrong: u32, gap: f64, moves: &mut Moves) {
    let [a, b] = cloth.model.topology.edges[c.edge as usize].vertices;
    let right = if a == wrong { b } else { a };
    let corners = cloth.corners(c.triangle);
    let n = normal(corners);
    let n = if n.dot(cloth.at(right) - cloth.at(wrong)) < 0.0 { -n } else { n };
    let depth = n.dot(corners[0] - cloth.at(wrong));
    let [i, j, k] = cloth.model.mesh.triangles[c.triangle as usize];
    let [u, v, w] = c.weights;
    moves.wish(cloth, [wrong, i, j, k], [1.0, -u, -v, -w], n * (depth + gap));
}

/// Moves edges and triangles so that the contour between them gets shorter. If it is drawn to one side as a whole, all
/// of it goes there, and whole pieces with it where nothing is held: its ends alone would draw a large sheet forever.
fn draw_together(cloth: &Cloth<'_>, contour: &[Crossing], most: f64, moves: &mut Moves) {
    let first = &contour[0];
    let side = |c: &Crossing| if c.curve == first.curve { 1.0 } else { -1.0 };
    let total: DVec3 = contour.iter().map(|c| gradient(cloth, c) * side(c)).sum();
    let drawn =
        if total.length() > GLOBAL_GRADIENT_THRESHOLD { total.normalize() } else { DVec3::ZERO };
    let own = cloth.piece[cloth.model.topology.edges[first.edge as usize].triangles[0] as usize];
    let other = cloth.piece[first.triangle as usize];
    if own != other {
        moves.shift(cloth, [own, other], drawn * most);
    }
    for c in contour {
        let g = gradient(cloth, c) + drawn * side(c);
        let displacement =
            g * (most / (g.length_squared() + FULL_STEP_GRADIENT * FULL_STEP_GRADIENT).sqrt());
        let [a, b] = cloth.model.topology.edges[c.edge as usize].vertices;
        let [i, j, k] = cloth.model.mesh.triangles[c.triangle as usize];
        let [u, v, w] = c.weights;
        moves.wish(cloth, [a, b, i, j, k], [1.0 - c.along, c.along, -u, -v, -w], displacement);
    }
}

/// G of a crossing.
fn gradient(cloth: &Cloth<'_>, c: &Crossing) -> DVec3 {
    let edge = &cloth.model.topology.edges[c.edge as usize];
    let [a, b] = edge.vertices;
    let e = (cloth.at(b) - cloth.at(a)).normalize_or_zero();
    let n = normal(cloth.corners(c.triangle));
    let slope = e.dot(n);
    let slope =
        if slope < 0.0 { slope.min(-MIN_EDGE_NORMAL_DOT) } else { slope.max(MIN_EDGE_NORMAL_DOT) };
    let mut g = DVec3::ZERO;
    for s in edge.triangles.into_iter().filter(|s| *s != NONE) {
        let own = cloth.corners(s);
        let line = normal(own).cross(n).normalize_or_zero();
        // Into the triangle: towards its middle, seen across the edge.
        let middle = (own[0] + own[1] + own[2]) / 3.0 - cloth.at(a);
        let inwards = middle - e * e.dot(middle);
        let r = if line.dot(inwards) < 0.0 { -line } else { line };
        g += r - n * (2.0 * e.dot(r) / slope);
    }
    g
}

/// Moves two triangles apart that touch or lie in one plane: nothing says which way, so that the later one goes to
/// the front of the earlier.
fn part(cloth: &Cloth<'_>, [s, t]: [u32; 2], gap: f64, moves: &mut Moves) {
    let displacement = normal(cloth.corners(s)) * gap;
    let (own, other) = (s as usize, t as usize);
    let (own, other) = (cloth.model.mesh.triangles[own], cloth.model.mesh.triangles[other]);
    for v in other.into_iter().filter(|v| !own.contains(v)) {
        moves.wish(cloth, [v], [1.0], displacement * 0.5);
    }
    for v in own.into_iter().filter(|v| !other.contains(v)) {
        moves.wish(cloth, [v], [1.0], displacement * -0.5);
    }
}
