//! Hierarchies of bounding volumes (D4a): built once, refit every step.
//!
//! A tree is one array in depth-first order. The left child of node `i` is `i + 1`, the right one
//! follows the left one's subtree; so a subtree is a slice, and slices can be refit in parallel.

mod build;
mod plan;
mod refit;
mod region_merge;
mod traverse;

use crate::prune::Cone;
use crate::volume::Aabb;
pub use plan::{Plan, PlanNode};
pub(crate) use refit::Refit;
pub use region_merge::region_merge;
pub(crate) use traverse::Filter;

/// One node: a triangle, or two subtrees. It fills a cache line; cones are kept beside.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Node {
    /// Box of all its triangles over the step, inflated.
    pub volume: Aabb,
    /// Half-angle of the cone of all its normals over the step [rad], rounded up.
    pub angle: f32,
    /// The triangle of a leaf; of an inner node, the first one below it.
    pub triangle: u32,
    /// Nodes of the subtree, this one included; 1 is a leaf.
    pub size: u32,
    /// Whether its triangles form one piece without holes, so that its cone says something.
    pub patch: bool,
    /// Whether one of its vertices moved since the last detection.
    pub moved: bool,
}

impl Node {
    /// Whether this is a single triangle.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.size == 1
    }
}

/// A binary tree over the triangles of a surface.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    cones: Vec<Cone>,
    /// Leaf of each triangle.
    leaf_of: Vec<u32>,
}

impl Tree {
    /// All nodes, parents before children; empty for a surface without triangles.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A unit vector about along the normal of a triangle over the step.
    #[inline]
    pub(crate) fn axis_of(&self, triangle: u32) -> glam::DVec3 {
        self.cones[self.leaf_of[triangle as usize] as usize].axis
    }

    /// Half-angle of a cone around the normals of some triangles over the step, rounded up.
    pub(crate) fn cone_of_triangles(&self, triangles: &[u32]) -> f32 {
        let cone = |t: &u32| self.cones[self.leaf_of[*t as usize] as usize];
        let axis = triangles.iter().map(|t| cone(t).axis).sum();
        Cone::about(axis, triangles.iter().map(cone)).rounded_angle()
    }

    pub(crate) fn settle(&mut self) {
        for node in &mut self.nodes {
            node.moved = false;
        }
    }

    /// Number of levels.
    pub fn depth(&self) -> usize {
        fn below(nodes: &[Node]) -> usize {
            match children(nodes) {
                Some((left, right)) => 1 + below(left).max(below(right)),
                None => 1,
            }
        }
        if self.nodes.is_empty() { 0 } else { below(&self.nodes) }
    }
}

/// The two subtrees below the first node of a subtree.
#[inline]
fn children(nodes: &[Node]) -> Option<(&[Node], &[Node])> {
    if nodes[0].is_leaf() {
        return None;
    }
    let left = nodes[1].size as usize;
    Some(nodes[1..].split_at(left))
}
