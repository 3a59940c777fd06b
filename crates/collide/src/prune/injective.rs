//! Cones of gradients on a hierarchy, renewed every step.
//!
//! The triangles that a leaf's cone has to hold, its own and the further ones of its cover, lie behind
//! one another in memory with their rest shapes, so that renewing reads them in order.

use super::{Covers, Gradient, GradientCone, RestTriangle};
use crate::tree::Plan;
use crate::{Motion, Surface};
use glam::DVec2;
use rayon::prelude::*;

/// For each node of a plan, whether it surely does not intersect itself during a step.
#[derive(Clone, Debug, Default)]
pub struct GradientCones {
    /// Triangles of the leaves, and the further ones of all nodes, in the order of nodes.
    rest: Vec<RestTriangle>,
    /// Where those of each node begin; one entry more than nodes.
    offsets: Vec<u32>,
    /// Nodes of each subtree.
    sizes: Vec<u32>,
    limits: Vec<f32>,
    cones: Vec<GradientCone>,
}

impl GradientCones {
    /// Prepares a plan over a surface; `uv` are the material coordinates of each triangle's corners [m].
    pub fn new(surface: &Surface, uv: &[[DVec2; 3]], plan: &Plan) -> Self {
        let covers = Covers::new(surface, uv, plan);
        let mut cones = Self {
            offsets: vec![0],
            sizes: plan.nodes.iter().map(|n| n.size).collect(),
            limits: (0..plan.nodes.len()).map(|n| covers.limit(n)).collect(),
            cones: vec![GradientCone::ALL; plan.nodes.len()],
            rest: Vec::with_capacity(plan.items.len() + covers.further_count()),
        };
        for (n, node) in plan.nodes.iter().enumerate() {
            let own = if node.size == 1 { plan.triangles(n) } else { &[] };
            for t in own.iter().chain(covers.further(n)) {
                // Where there is a triangle without gradient, every node that holds it has limit 0.
                let rest = RestTriangle::new(surface.triangles[*t as usize], uv[*t as usize]);
                cones.rest.extend(rest);
            }
            cones.offsets.push(cones.rest.len() as u32);
        }
        cones
    }

    /// Renews all cones.
    pub fn update(&mut self, motion: Motion<'_>) {
        let (rest, offsets) = (&self.rest, &self.offsets);
        self.cones.par_iter_mut().enumerate().with_min_len(256).for_each(|(n, cone)| {
            *cone = of_triangles(&rest[offsets[n] as usize..offsets[n + 1] as usize], motion);
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
    #[inline]
    pub fn is_injective(&self, node: usize) -> bool {
        self.cones[node].angle < self.limits[node]
    }

    /// The cone of a node.
    pub fn cone(&self, node: usize) -> &GradientCone {
        &self.cones[node]
    }

    /// Largest angle of a node's cone with which it prunes; 0 if its hull is not covered.
    pub fn limit(&self, node: usize) -> f32 {
        self.limits[node]
    }
}

/// The cone of some triangles at both ends of a step.
fn of_triangles(triangles: &[RestTriangle], motion: Motion<'_>) -> GradientCone {
    const CHUNK: usize = 32;
    let mut cone = GradientCone::EMPTY;
    for chunk in triangles.chunks(CHUNK) {
        let mut gradients: [Gradient; 2 * CHUNK] = [[0.0; 6]; 2 * CHUNK];
        for (i, t) in chunk.iter().enumerate() {
            gradients[2 * i] = t.gradient(motion.x_t0);
            gradients[2 * i + 1] = t.gradient(motion.x_t1);
        }
        cone = cone.merge(GradientCone::of_gradients(&mut gradients[..2 * chunk.len()]));
    }
    cone
}
