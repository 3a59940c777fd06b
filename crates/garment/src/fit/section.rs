//! Plane sections of the cloth, as long as they are and as long as they were before they were stretched.
//!
//! Every triangle that the plane cuts gives a piece of line; the same two points in the pattern say how long it is at rest.
//! Pieces that meet at an edge belong together. A line that comes back to its beginning is closed.

use super::body_contact::BodyContact;
use super::cloth::Merged;
use glam::{DVec2, DVec3};
use toile_body::Plane;

/// A line in which a plane cuts the cloth.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    /// Its points in order [m].
    pub(super) points: Vec<DVec3>,
    /// Whether it is closed.
    pub(super) closed: bool,
    /// Length now and at rest [m].
    pub(super) worn: f64,
    pub(super) rest: f64,
    /// Means along it: distance from the body [m], pressure [kPa].
    pub(super) gap: f64,
    pub(super) pressure: f64,
}

/// A piece within a triangle.
struct Piece {
    /// The edges it ends at, by their vertices.
    ends: [u64; 2],
    points: [DVec3; 2],
    rest: f64,
    gap: f64,
    pressure: f64,
}

/// All lines in which a plane cuts the triangles of some panels.
pub(super) fn rings(
    merged: &Merged,
    press: &BodyContact,
    plane: Plane,
    panel: &dyn Fn(u32) -> bool,
) -> Vec<Ring> {
    let height = |v: u32| (merged.positions[v as usize] - plane.point).dot(plane.normal);
    let mut pieces = Vec::new();
    for (t, tri) in merged.triangles.iter().enumerate() {
        if panel(merged.panel[t]) {
            pieces.extend(piece(merged, press, t, tri.map(height)));
        }
    }
    // Ends in the order of their edges: neighbours in this list meet.
    let mut ends: Vec<(u64, usize, usize)> = pieces
        .iter()
        .enumerate()
        .flat_map(|(i, p)| [(p.ends[0], i, 0), (p.ends[1], i, 1)])
        .collect();
    ends.sort_unstable();
    let partner = |edge: u64, of: usize| {
        let from = ends.partition_point(|e| e.0 < edge);
        let here = ends[from..].iter().take_while(|e| e.0 == edge);
        let others: Vec<_> = here.filter(|e| e.1 != of).collect();
        // Where three pieces meet, nothing says which belong together.
        if let [one] = others[..] { Some((one.1, one.2)) } else { None }
    };
    let mut used = vec![false; pieces.len()];
    let mut rings = Vec::new();
    for first in 0..pieces.len() {
        if used[first] {
            continue;
        }
        // Back to the beginning of an open line, or once around.
        let (mut start, mut end) = (first, 0);
        while let Some((other, at)) = partner(pieces[start].ends[end], start) {
            (start, end) = (other, 1 - at);
            if start == first {
                break;
            }
        }
        let mut ring = Ring::default();
        let (mut at, mut from) = (start, end);
        loop {
            used[at] = true;
            ring.add(&pieces[at], from);
            match partner(pieces[at].ends[1 - from], at) {
                Some((next, _)) if next == start => {
                    ring.closed = true;
                    break;
                }
                Some((next, end)) if !used[next] => (at, from) = (next, end),
                _ => {
                    ring.points.push(pieces[at].points[1 - from]);
                    break;
                }
            }
        }
        rings.push(ring.finished());
    }
    rings
}

impl Ring {
    fn add(&mut self, piece: &Piece, from: usize) {
        let length = piece.points[0].distance(piece.points[1]);
        self.points.push(piece.points[from]);
        self.worn += length;
        self.rest += piece.rest;
        self.gap += length * piece.gap;
        self.pressure += length * piece.pressure;
    }

    fn finished(mut self) -> Self {
        if self.worn > 0.0 {
            self.gap /= self.worn;
            self.pressure /= self.worn;
        }
        self
    }
}

/// The piece in a triangle whose corners are so high above the plane. A corner on the plane counts as above it.
fn piece(merged: &Merged, press: &BodyContact, t: usize, heights: [f64; 3]) -> Option<Piece> {
    let above = heights.map(|h| h >= 0.0);
    if above[0] == above[1] && above[1] == above[2] {
        return None;
    }
    let (tri, uv) = (merged.triangles[t], merged.uv[t]);
    let mut ends = [0; 2];
    let mut points = [DVec3::ZERO; 2];
    let mut flat = [DVec2::ZERO; 2];
    let (mut gap, mut pressure) = (0.0, 0.0);
    let mut found = 0;
    for k in 0..3 {
        let l = (k + 1) % 3;
        if above[k] == above[l] || found == 2 {
            continue;
        }
        let part = heights[k] / (heights[k] - heights[l]);
        let [a, b] = [tri[k], tri[l]].map(|v| v as usize);
        let mix = |of: &[f64]| of[a] + part * (of[b] - of[a]);
        ends[found] = u64::from(tri[k].min(tri[l])) << 32 | u64::from(tri[k].max(tri[l]));
        points[found] = merged.positions[a].lerp(merged.positions[b], part);
        flat[found] = uv[k].lerp(uv[l], part);
        gap += 0.5 * mix(&press.gap);
        pressure += 0.5 * mix(&press.pressure);
        found += 1;
    }
    Some(Piece { ends, points, rest: flat[0].distance(flat[1]), gap, pressure })
}
