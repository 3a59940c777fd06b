//! Cones of gradients on a hierarchy, renewed every step.
//!
//! The triangles that a leaf's cone has to hold, its own and further ones of covers, lie behind one
//! another in memory with their rest shapes ([`super::group`]), so that renewing reads them in order.

use super::Covers;
use super::gradient::{GradientCone, RestTriangle};
use super::group::Groups;
use super::halo::{FlatHalos, Halos};
use super::parts::Parts;
use crate::tree::{Ends, Moved, Plan, bottom_up, parents};
use crate::volume::{self, MovingBox};
use crate::{Motion, Surface};
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// For each node of a plan, whether it surely does not intersect itself during a step.
#[derive(Clone, Debug, Default)]
pub struct GradientCones {
    /// Triangles of the leaves' cones, in the order of nodes.
    groups: Groups,
    /// Where the groups of each node begin; one entry more than nodes.
    offsets: Vec<u32>,
    /// Nodes of each subtree.
    sizes: Vec<u32>,
    limits: Vec<f32>,
    /// Whether a node is a leaf with one group, which has just the leaf's vertices.
    alone: Vec<bool>,
    cones: Vec<GradientCone>,
    /// The same, as halos ask for them.
    parts: Parts,
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
            alone: vec![false; plan.nodes.len()],
            cones: vec![GradientCone::ALL; plan.nodes.len()],
            parts: Parts::default(),
            groups: Groups::default(),
        };
        cones.parts.renew(&cones.cones, cones.halos.limit());
        let mut rest = Vec::new();
        for (n, list) in lists(surface, plan, &covers).into_iter().enumerate() {
            rest.clear();
            let count = list.len();
            // Where there is a triangle without gradient, every node that holds it has limit 0.
            let of = |t: u32| RestTriangle::new(surface.triangles[t as usize], uv[t as usize]);
            rest.extend(list.into_iter().filter_map(of));
            let before = cones.groups.len();
            cones.groups.push(&rest);
            cones.alone[n] = plan.nodes[n].size == 1
                && count == plan.nodes[n].count as usize
                && rest.len() == count
                && cones.groups.len() == before + 1;
            cones.offsets.push(cones.groups.len() as u32);
        }
        cones.groups.shrink_to_fit();
        cones
    }

    /// The same with other numbers for the vertices.
    pub(crate) fn renumbered(mut self, rank: &[u32]) -> Self {
        self.groups.renumber(rank);
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
        let (groups, offsets, sizes) = (&self.groups, &self.offsets, &self.sizes);
        let of = |n: usize| offsets[n] as usize..offsets[n + 1] as usize;
        let wanted = |n: usize| match moved {
            Moved::All => true,
            // A leaf may hold triangles of another; so those above are always put together anew.
            _ => sizes[n] > 1 || groups.any(of(n), |v| moved.any(&[v])),
        };
        let leaf = |n: usize| groups.cone(of(n), ends);
        bottom_up(sizes, &mut self.cones, &wanted, &leaf, &GradientCone::merge);
        self.parts.renew(&self.cones, self.halos.limit());
    }

    /// Renews all cones, and the boxes of leaves with a margin: both need the same positions. `around` gives the box of a
    /// leaf for which they do not; `more` does what else needs these positions, with what belongs to each leaf, or with
    /// nothing.
    pub(crate) fn refit_with_boxes<M: Send>(
        &mut self,
        ends: &Ends,
        margin: f64,
        mut boxes: &mut [MovingBox],
        around: impl Fn(usize) -> MovingBox + Sync,
        mut each: &mut [M],
        more: impl Fn(usize, &mut M) + Sync,
    ) {
        let (groups, offsets, sizes, alone) =
            (&self.groups, &self.offsets, &self.sizes, &self.alone);
        let rounded = volume::margin(margin);
        let mut cones = self.cones.as_mut_slice();
        let (mut shares, mut first) = (Vec::new(), 0);
        while !cones.is_empty() {
            let nodes = cones.len().min(NODES_PER_TASK);
            let is_leaf = |n: &usize| sizes[*n] == 1;
            let leaves = (first..first + nodes).filter(is_leaf).count().min(each.len());
            let (c, b, m);
            (c, cones) = cones.split_at_mut(nodes);
            (b, boxes) = boxes.split_at_mut(nodes);
            (m, each) = each.split_at_mut(leaves);
            shares.push((first, c, b, m));
            first += nodes;
        }
        shares.into_par_iter().for_each(|(first, cones, boxes, each)| {
            let mut each = each.iter_mut();
            for (i, (cone, leaf)) in cones.iter_mut().zip(boxes).enumerate() {
                let n = first + i;
                if sizes[n] > 1 {
                    continue;
                }
                let of = offsets[n] as usize..offsets[n + 1] as usize;
                if alone[n] {
                    (*cone, *leaf) = groups.cone_and_box(of.start, ends, rounded);
                } else {
                    (*cone, *leaf) = (groups.cone(of, ends), around(n));
                }
                if let Some(own) = each.next() {
                    more(n, own);
                }
            }
        });
        parents(sizes, &mut self.cones, &GradientCone::merge);
        self.parts.renew(&self.cones, self.halos.limit());
    }

    /// Whether no two triangles of the node intersect at any time of the step.
    pub fn is_injective(&self, node: usize) -> bool {
        // A node without gradients has an empty cone, and no limit either.
        (self.limits[node] > 0.0 && self.cones[node].angle < self.limits[node])
            || self.halos.is_flat(&self.parts, node)
    }

    /// Marks the nodes that are free of self-intersection: the highest ones, and all below these.
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
        self.halos.flat_together(&self.parts, known, a, b)
    }

    /// The cone of a node.
    pub fn cone(&self, node: usize) -> &GradientCone {
        &self.cones[node]
    }
}

/// Nodes that are given to a thread together.
const NODES_PER_TASK: usize = 1024;

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
