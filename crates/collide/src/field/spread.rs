//! Distances at the nodes of a box of the grid, without asking the tree for each.
//!
//! First every triangle writes its distance to the nodes around it; in that band the smallest is
//! the truth. Then the nearest triangles spread outwards, slice by slice along each axis both ways:
//! a node tries the triangles of its nine neighbours in the slice before [tsai2002]. A straight way
//! from a node to its nearest point always leads through such neighbours. A triangle that is
//! nearest to a node but to none of its neighbours is missed, so that values beyond the band may be
//! too large by a small part of a cell, never too small.

use super::grid::Grid;
use super::solid::Solid;
use glam::{DVec3, USizeVec3};
use rayon::prelude::*;

/// No triangle has come by yet.
const NONE: u32 = u32::MAX;

/// Layers of nodes per task of the band.
const SLAB: usize = 8;

/// A box of nodes of the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeBox {
    /// Its first node.
    pub(super) first: USizeVec3,
    /// Its number of nodes along each axis.
    pub(super) size: USizeVec3,
}

/// Distance and nearest triangle of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) distance: f64,
    pub(super) triangle: u32,
}

impl Known {
    pub(super) const NOTHING: Self = Self { distance: f64::INFINITY, triangle: NONE };
}

/// Distances of all nodes, exact up to `band`.
pub(super) fn all_nodes(solid: &Solid, grid: &Grid, band: f64) -> Vec<Known> {
    let n = grid.nodes();
    let all = NodeBox { first: USizeVec3::ZERO, size: n };
    let mut nodes = vec![Known::NOTHING; n.element_product()];
    // Which triangles concern which layers.
    let mut concerned = vec![Vec::new(); n.z.div_ceil(SLAB)];
    for t in 0..solid.triangles.len() as u32 {
        let (lo, hi) = reach(solid, grid, t, band, all);
        if lo.cmplt(hi).all() {
            for slab in lo.z / SLAB..(hi.z - 1) / SLAB + 1 {
                concerned[slab].push(t);
            }
        }
    }
    nodes.par_chunks_mut(SLAB * n.x * n.y).zip(&concerned).enumerate().for_each(
        |(slab, (nodes, triangles))| {
            let first = USizeVec3::new(0, 0, slab * SLAB);
            let size = USizeVec3::new(n.x, n.y, nodes.len() / (n.x * n.y));
            near_triangles(solid, grid, band, NodeBox { first, size }, triangles, nodes);
        },
    );
    spread_all(solid, grid, all, true, &mut nodes);
    nodes
}

/// Carries nearest triangles to all nodes of a box, in parallel or not.
pub(super) fn spread_all(
    solid: &Solid,
    grid: &Grid,
    space: NodeBox,
    parallel: bool,
    nodes: &mut [Known],
) {
    for axis in [2, 1, 0] {
        for up in [true, false] {
            spread(solid, grid, space, parallel, nodes, axis, up);
        }
    }
}

/// Writes the distances of some triangles to the nodes around them, in the box of `size` nodes from
/// `first` on. Ties go to the triangle that comes first in the list.
pub(super) fn near_triangles(
    solid: &Solid,
    grid: &Grid,
    band: f64,
    NodeBox { first, size }: NodeBox,
    triangles: &[u32],
    nodes: &mut [Known],
) {
    for t in triangles {
        let (lo, hi) = reach(solid, grid, *t, band, NodeBox { first, size });
        let corners = solid.corners(*t);
        let centre = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners.map(|c| c.distance(centre)).into_iter().fold(0.0, f64::max);
        for k in lo.z..hi.z {
            for j in lo.y..hi.y {
                let row = (k * size.y + j) * size.x;
                for i in lo.x..hi.x {
                    let p = grid.node(first.x + i, first.y + j, first.z + k);
                    let far = nodes[row + i].distance + radius;
                    if p.distance_squared(centre) > far * far {
                        continue;
                    }
                    let distance = solid.distance_to(p, *t);
                    if distance < nodes[row + i].distance {
                        nodes[row + i] = Known { distance, triangle: *t };
                    }
                }
            }
        }
    }
}

/// The nodes of a box within `band` of a triangle's own box, counted from the box's first.
fn reach(
    solid: &Solid,
    grid: &Grid,
    t: u32,
    band: f64,
    NodeBox { first, size }: NodeBox,
) -> (USizeVec3, USizeVec3) {
    let [a, b, c] = solid.corners(t);
    let index = |p: DVec3| (p - grid.origin) / grid.cell - first.as_dvec3();
    let size = size.as_dvec3();
    let lo = index(a.min(b).min(c) - band).ceil().clamp(DVec3::ZERO, size);
    let hi = (index(a.max(b).max(c) + band).floor() + 1.0).clamp(DVec3::ZERO, size);
    (lo.as_usizevec3(), hi.as_usizevec3())
}

/// Carries nearest triangles along an axis, from each slice to the next.
fn spread(
    solid: &Solid,
    grid: &Grid,
    NodeBox { first, size: n }: NodeBox,
    parallel: bool,
    nodes: &mut [Known],
    axis: usize,
    up: bool,
) {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let stride = [1, n.x, n.x * n.y];
    let mut slice = vec![Known::NOTHING; n[u] * n[v]];
    for step in 1..n[axis] {
        let level = if up { step } else { n[axis] - 1 - step };
        let before = if up { level - 1 } else { level + 1 };
        let old: &[Known] = nodes;
        let fill = |b: usize, row: &mut [Known]| {
            for (a, out) in row.iter_mut().enumerate() {
                let mut at = first;
                at[axis] += level;
                at[u] += a;
                at[v] += b;
                let p = grid.node(at.x, at.y, at.z);
                let mut best = old[level * stride[axis] + a * stride[u] + b * stride[v]];
                for db in b.saturating_sub(1)..(b + 2).min(n[v]) {
                    for da in a.saturating_sub(1)..(a + 2).min(n[u]) {
                        let i = before * stride[axis] + da * stride[u] + db * stride[v];
                        best = better(solid, p, best, old[i], grid.cell);
                    }
                }
                *out = best;
            }
        };
        if parallel {
            slice.par_chunks_mut(n[u]).enumerate().for_each(|(b, row)| fill(b, row));
        } else {
            slice.chunks_mut(n[u]).enumerate().for_each(|(b, row)| fill(b, row));
        }
        for b in 0..n[v] {
            for a in 0..n[u] {
                let i = level * stride[axis] + a * stride[u] + b * stride[v];
                nodes[i] = slice[b * n[u] + a];
            }
        }
    }
}

/// What is known here, or the triangle of a neighbour if it is nearer.
#[inline]
fn better(solid: &Solid, p: DVec3, here: Known, other: Known, cell: f64) -> Known {
    // A neighbour on the way to the surface is nearer to it by a good part of a cell: the way and
    // the direction to the neighbour differ by 35° at most.
    let known = other.triangle != NONE && other.triangle != here.triangle;
    if !known || other.distance > here.distance - 0.5 * cell {
        return here;
    }
    let distance = solid.distance_to(p, other.triangle);
    if distance < here.distance { Known { distance, triangle: other.triangle } } else { here }
}
