//! Cones of gradients on a hierarchy, renewed every step.
//!
//! The triangles that a leaf's cone has to hold, its own and further ones of covers, lie behind one
//! another in memory with their rest shapes, so that renewing reads them in order.

use super::Covers;
use super::gradient::{
    Gradient, GradientCone, RestTriangle, angle_of_chord, inverse_root, nearest_isometry,
};
use super::halo::{FlatHalos, Halos};
use crate::tree::{Ends, Moved, Plan};
use crate::{Motion, Surface};
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// For each node of a plan, whether it surely does not intersect itself during a step.
#[derive(Clone, Debug, Default)]
pub struct GradientCones {
    /// Triangles of the leaves' cones, in the order of nodes.
    rest: Vec<RestTriangle>,
    /// Where those of each node begin; one entry more than nodes.
    offsets: Vec<u32>,
    /// Nodes of each subtree.
    sizes: Vec<u32>,
    limits: Vec<f32>,
    cones: Vec<GradientCone>,
    halos: Halos,
}

impl GradientCones {
    /// Prepares a plan over a surface; `uv` are the material coordinates of each triangle's corners [m].
    pub fn new(surface: &Surface, uv: &[[DVec2; 3]], plan: &Plan) -> Self {
        // Where the rectangle around a node is covered, that is the simpler proof; hulls are for the rims.
        let halos = Halos::new(surface, uv, plan);
        let covers = Covers::of_nodes(surface, uv, plan, |node| !halos.is_covered(node));
        let mut cones = Self {
            halos,
            offsets: vec![0],
            sizes: plan.nodes.iter().map(|n| n.size).collect(),
            limits: (0..plan.nodes.len()).map(|n| covers.limit(n)).collect(),
            cones: vec![GradientCone::ALL; plan.nodes.len()],
            rest: Vec::with_capacity(plan.items.len() + covers.further_count()),
        };
        for list in lists(surface, plan, &covers) {
            for t in list {
                // Where there is a triangle without gradient, every node that holds it has limit 0.
                let rest = RestTriangle::new(surface.triangles[t as usize], uv[t as usize]);
                cones.rest.extend(rest);
            }
            cones.offsets.push(cones.rest.len() as u32);
        }
        cones
    }

    /// The same with other numbers for the vertices.
    pub(crate) fn renumbered(mut self, rank: &[u32]) -> Self {
        for t in &mut self.rest {
            t.vertices = t.vertices.map(|v| rank[v as usize]);
        }
        self
    }

    /// Renews all cones.
    pub fn update(&mut self, motion: Motion<'_>) {
        let ends: Vec<[DVec3; 2]> =
            motion.x_t0.iter().zip(motion.x_t1).map(|(a, b)| [*a, *b]).collect();
        self.refit(&ends, &Moved::All);
    }

    /// Renews the cones whose triangles moved.
    pub(crate) fn refit(&mut self, ends: &Ends, moved: &Moved) {
        let (rest, offsets) = (&self.rest, &self.offsets);
        self.cones.par_iter_mut().enumerate().with_min_len(256).for_each(|(n, cone)| {
            let own = &rest[offsets[n] as usize..offsets[n + 1] as usize];
            // Leaves alone have triangles; the others are put together below.
            if own.is_empty() {
                *cone = GradientCone::EMPTY;
            } else if own.iter().any(|t| moved.any(&t.vertices)) {
                *cone = of_triangles(own, ends);
            }
        });
        for node in (0..self.cones.len()).rev() {
            let end = node + self.sizes[node] as usize;
            let mut child = node + 1;
            while child < end {
                self.cones[node] = self.cones[node].merge(self.cones[child]);
                child += self.sizes[child] as usize;
            }
        }
    }

    /// Whether no two triangles of the node intersect at any time of the step.
    pub fn is_injective(&self, node: usize) -> bool {
        // A node without gradients has an empty cone, and no limit either.
        (self.limits[node] > 0.0 && self.cones[node].angle < self.limits[node])
            || self.halos.is_flat(&self.cones, node)
    }

    /// Marks the nodes that do not meet themselves: the highest ones, and all below these.
    pub(crate) fn flat(&self) -> Vec<bool> {
        let mut flat = vec![false; self.sizes.len()];
        let mut node = 0;
        while node < flat.len() {
            let below = node + self.sizes[node] as usize;
            if self.is_injective(node) {
                flat[node..below].fill(true);
                node = below;
            } else {
                node += 1;
            }
        }
        flat
    }

    /// What a query about pairs begins with.
    pub(crate) fn unknown(&self) -> FlatHalos {
        FlatHalos::new(self.sizes.len())
    }

    /// Whether one of two nodes lies in the flat halo of the other.
    #[inline]
    pub(crate) fn flat_together(&self, known: &FlatHalos, a: usize, b: usize) -> bool {
        self.halos.flat_together(&self.cones, known, a, b)
    }

    /// The cone of a node.
    pub fn cone(&self, node: usize) -> &GradientCone {
        &self.cones[node]
    }
}

/// The triangles that the cone of each leaf holds; none for other nodes.
///
/// The further triangles of an inner node are given to a leaf below it that they touch, where they are
/// hardly noticed: a cone of a few triangles would have to be merged at every node otherwise.
fn lists(surface: &Surface, plan: &Plan, covers: &Covers) -> Vec<Vec<u32>> {
    let mut leaf_of = vec![0; surface.triangles.len()];
    let mut lists = vec![Vec::new(); plan.nodes.len()];
    for (n, node) in plan.nodes.iter().enumerate().filter(|(_, node)| node.size == 1) {
        for t in plan.triangles(n) {
            leaf_of[*t as usize] = n;
        }
        lists[n].reserve(2 * node.count as usize);
        lists[n].extend_from_slice(plan.triangles(n));
        lists[n].extend_from_slice(covers.further(n));
    }
    for (n, node) in plan.nodes.iter().enumerate().filter(|(_, node)| node.size > 1) {
        let below = n..n + node.size as usize;
        for t in covers.further(n) {
            let around = surface.triangles[*t as usize].into_iter().flat_map(|v| surface.around(v));
            let leaf = around.map(|s| leaf_of[*s as usize]).find(|leaf| below.contains(leaf));
            // A cover grows from its node, but not always in one step.
            let first = below.clone().find(|n| plan.nodes[*n].size == 1);
            lists[leaf.or(first).unwrap_or(n)].push(*t);
        }
    }
    lists
}

/// The cone of some triangles at both ends of a step.
fn of_triangles(triangles: &[RestTriangle], ends: &Ends) -> GradientCone {
    let mut cone = GradientCone::EMPTY;
    for group in triangles.chunks(LANES * GROUP) {
        let mut blocks = [Block::ZERO; 2 * GROUP];
        let mut used = 0;
        for chunk in group.chunks(LANES) {
            for end in 0..2 {
                blocks[used] = Block::new(chunk, ends, end);
                used += 1;
            }
        }
        cone = cone.merge(of_blocks(&blocks[..used]));
    }
    cone
}

/// Gradients that are computed side by side; the compiler makes vector instructions of the loops.
const LANES: usize = 4;

/// How many blocks make one cone before cones are merged.
const GROUP: usize = 8;

/// Unit gradients, coordinate by coordinate.
#[derive(Clone, Copy)]
struct Block([[f32; LANES]; 6]);

impl Block {
    const ZERO: Self = Self([[0.0; LANES]; 6]);

    /// The gradients of at least one triangle; the last one fills the lanes that are left.
    #[inline]
    fn new(triangles: &[RestTriangle], ends: &Ends, end: usize) -> Self {
        let (mut edges, mut inverse) = ([[0.0; LANES]; 6], [[0.0; LANES]; 4]);
        for i in 0..LANES {
            let t = &triangles[i.min(triangles.len() - 1)];
            // Written out: going through arrays here costs a third of the whole.
            let a = &ends[t.vertices[0] as usize][end];
            let b = &ends[t.vertices[1] as usize][end];
            let c = &ends[t.vertices[2] as usize][end];
            edges[0][i] = (b.x - a.x) as f32;
            edges[1][i] = (b.y - a.y) as f32;
            edges[2][i] = (b.z - a.z) as f32;
            edges[3][i] = (c.x - a.x) as f32;
            edges[4][i] = (c.y - a.y) as f32;
            edges[5][i] = (c.z - a.z) as f32;
            for n in 0..4 {
                inverse[n][i] = t.inverse[n];
            }
        }
        let mut f = [[0.0; LANES]; 6];
        for n in 0..3 {
            for i in 0..LANES {
                let (d, e) = (edges[n][i], edges[n + 3][i]);
                f[n][i] = d * inverse[0][i] + e * inverse[2][i];
                f[n + 3][i] = d * inverse[1][i] + e * inverse[3][i];
            }
        }
        let mut square = [0.0; LANES];
        for n in 0..6 {
            for i in 0..LANES {
                square[i] += f[n][i] * f[n][i];
            }
        }
        let scale = square.map(inverse_root);
        for n in 0..6 {
            for i in 0..LANES {
                f[n][i] *= scale[i];
            }
        }
        Self(f)
    }
}

/// As [`GradientCone::of_gradients`].
fn of_blocks(blocks: &[Block]) -> GradientCone {
    let mut sums = [[0.0; LANES]; 6];
    for Block(f) in blocks {
        for n in 0..6 {
            for i in 0..LANES {
                sums[n][i] += f[n][i];
            }
        }
    }
    let mean: Gradient = sums.map(|s| s.iter().sum());
    // A gradient that is zero or not finite has made the mean NaN, and there is no axis.
    let Some(axis) = nearest_isometry(&mean) else { return GradientCone::ALL };
    let unit = axis.map(|a| a * std::f32::consts::FRAC_1_SQRT_2);
    let mut farthest = [0.0_f32; LANES];
    for Block(f) in blocks {
        let mut chord2 = [0.0; LANES];
        for n in 0..6 {
            for i in 0..LANES {
                chord2[i] += (f[n][i] - unit[n]) * (f[n][i] - unit[n]);
            }
        }
        for i in 0..LANES {
            farthest[i] = if chord2[i] > farthest[i] { chord2[i] } else { farthest[i] };
        }
    }
    let chord2 = farthest.iter().copied().fold(0.0, f32::max);
    GradientCone { axis, angle: angle_of_chord(chord2) }
}
