//! Where a regular set of parallel lines crosses a solid.
//!
//! Every line is tested against the projected triangles. A line that meets an edge or a vertex
//! exactly is moved aside by an infinitely small amount, the same for all triangles
//! [edelsbrunner1990], so that it passes through exactly one of the neighbours: crossings of a
//! closed mesh always come in pairs. Only where rounding makes the sides of three edges contradict
//! one another can a pair be torn; such a line is told by its sum and counts as unsound.

use super::solid::Solid;
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// Triangles per task; results are gathered in the order of tasks.
const CHUNK: usize = 512;

/// A line crosses a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// Coordinate along the axis [m].
    pub(crate) depth: f64,
    pub(crate) triangle: u32,
    /// Whether it leaves through the triangle when going up the axis.
    pub(crate) exits: bool,
}

/// Crossings of the lines through a grid of points, along a coordinate axis.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// Lines along the next axis and the one after it.
    pub(crate) counts: [usize; 2],
    offsets: Vec<u32>,
    crossings: Vec<Crossing>,
}

/// The place of the lines: along `axis`, at `origin + spacing · (i, j)` on the two others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    pub(crate) axis: usize,
    pub(crate) origin: DVec2,
    pub(crate) spacing: f64,
    pub(crate) counts: [usize; 2],
}

impl Lines {
    /// The coordinates of a point across the lines.
    pub(crate) fn across(&self, p: DVec3) -> DVec2 {
        DVec2::new(p[(self.axis + 1) % 3], p[(self.axis + 2) % 3])
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> DVec2 {
        self.origin + self.spacing * DVec2::new(i as f64, j as f64)
    }
}

impl Columns {
    pub(crate) fn new(solid: &Solid, lines: &Lines) -> Self {
        let tasks: Vec<Vec<(u32, Crossing)>> = (0..solid.triangles.len())
            .into_par_iter()
            .step_by(CHUNK)
            .map(|first| {
                let mut found = Vec::new();
                for t in first..(first + CHUNK).min(solid.triangles.len()) {
                    cross(solid, lines, t as u32, &mut found);
                }
                found
            })
            .collect();
        let mut all: Vec<(u32, Crossing)> = tasks.into_iter().flatten().collect();
        all.par_sort_unstable_by(|(c, a), (d, b)| {
            c.cmp(d).then(a.depth.total_cmp(&b.depth)).then(a.triangle.cmp(&b.triangle))
        });
        let mut offsets = vec![0_u32; lines.counts[0] * lines.counts[1] + 1];
        for (c, _) in &all {
            offsets[*c as usize + 1] += 1;
        }
        for c in 1..offsets.len() {
            offsets[c] += offsets[c - 1];
        }
        let crossings = all.into_iter().map(|(_, crossing)| crossing).collect();
        Self { counts: lines.counts, offsets, crossings }
    }

    /// Crossings of line (i, j) in ascending depth.
    pub(crate) fn crossings(&self, i: usize, j: usize) -> &[Crossing] {
        let c = j * self.counts[0] + i;
        &self.crossings[self.offsets[c] as usize..self.offsets[c + 1] as usize]
    }
}

/// Whether as many crossings enter as leave.
pub(crate) fn is_sound(column: &[Crossing]) -> bool {
    2 * column.iter().filter(|c| c.exits).count() == column.len()
}

/// Finds the lines that cross one triangle.
fn cross(solid: &Solid, lines: &Lines, t: u32, found: &mut Vec<(u32, Crossing)>) {
    let corners = solid.corners(t);
    let flat = corners.map(|p| lines.across(p));
    let depths = corners.map(|p| p[lines.axis]);
    let (lo, hi) = (flat[0].min(flat[1]).min(flat[2]), flat[0].max(flat[1]).max(flat[2]));
    // One line more each way: the quotients are rounded.
    let range = |k: usize| {
        let first = ((lo[k] - lines.origin[k]) / lines.spacing).ceil() - 1.0;
        let last = ((hi[k] - lines.origin[k]) / lines.spacing).floor() + 2.0;
        let n = lines.counts[k] as f64;
        first.clamp(0.0, n) as usize..last.clamp(0.0, n) as usize
    };
    for j in range(1) {
        for i in range(0) {
            let at = lines.at(i, j);
            let sides = [1, 2, 0].map(|k| side(at, [flat[k], flat[(k + 1) % 3]]));
            let exits = match sides.map(|s| s.1) {
                [true, true, true] => true,
                [false, false, false] => false,
                _ => continue,
            };
            // Twice the areas opposite the corners are their weights.
            let sum: f64 = sides.iter().map(|s| s.0).sum();
            let depth = (0..3).map(|k| sides[k].0 * depths[k]).sum::<f64>() / sum;
            let least = depths[0].min(depths[1]).min(depths[2]);
            let most = depths[0].max(depths[1]).max(depths[2]);
            // Triangles seen edge-on give any quotient, but no depth outside their range.
            let depth = if depth.is_finite() { depth.clamp(least, most) } else { least };
            let column = (j * lines.counts[0] + i) as u32;
            found.push((column, Crossing { depth, triangle: t, exits }));
        }
    }
}

/// Twice the area of a point and an edge, and whether the point is left of it. The edge is taken
/// in one direction by whoever asks, so that both of its triangles compute with the same numbers
/// and agree; so do the two long edges of a triangle that is seen edge-on.
#[inline]
fn side(at: DVec2, ends: [DVec2; 2]) -> (f64, bool) {
    let swap = (ends[1].x, ends[1].y) < (ends[0].x, ends[0].y);
    let [a, b] = if swap { [ends[1], ends[0]] } else { ends };
    let along = b - a;
    let area = along.perp_dot(at - a);
    // On the line: as if the point were moved by (ε, ε²).
    let left = if area != 0.0 {
        area > 0.0
    } else if along.y != 0.0 {
        along.y < 0.0
    } else {
        along.x > 0.0
    };
    if swap { (-area, !left) } else { (area, left) }
}
