//! Hierarchies of bounding volumes (D4, D5): built once, refit every step.
//!
//! A [`Plan`] says which triangles lie together; a tree puts volumes around them. Nodes are in
//! depth-first order, so a subtree is a slice, and slices can be refit in parallel. What belongs to
//! nodes, triangles and vertices is kept in arrays in the order of the tree, so that a traversal
//! finds together in memory what lies together in the cloth.

mod build;
mod layout;
pub(crate) mod patch;
mod plan;
mod refit;
mod region_merge;
mod traverse;

pub(crate) use build::centres;
pub use build::{Build, Rest};
pub(crate) use layout::Layout;
pub use plan::{Plan, PlanNode};
pub use refit::Refit;
pub(crate) use refit::{bottom_up, parents};
pub use region_merge::region_merge;
pub use traverse::Descend;
pub(crate) use traverse::{IsSeparated, LeafVisitor, Side, pairs, self_pairs};

use crate::volume::{Aabb, Volume};
use glam::DVec3;
use std::sync::OnceLock;

/// Which nodes and vertices moved since the last detection.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Moved {
    /// All of them.
    All,
    /// None of them.
    Nothing,
    /// Those marked, in the order of the layout.
    Some {
        /// Vertices that moved.
        vertices: Vec<bool>,
        /// Nodes with such a vertex.
        nodes: Vec<bool>,
    },
}

impl Moved {
    #[inline]
    pub(crate) fn node(&self, i: usize) -> bool {
        match self {
            Self::All => true,
            Self::Nothing => false,
            Self::Some { nodes, .. } => nodes[i],
        }
    }

    #[inline]
    pub(crate) fn any(&self, of: &[u32]) -> bool {
        match self {
            Self::All => true,
            Self::Nothing => false,
            Self::Some { vertices, .. } => of.iter().any(|v| vertices[*v as usize]),
        }
    }
}

/// Positions of vertices at both ends of a step, in the order of the layout [m].
pub(crate) type Ends = [[DVec3; 2]];

/// Volumes around the nodes of a layout.
#[derive(Clone, Debug)]
pub(crate) struct Tree<V> {
    volumes: Vec<V>,
    /// Volumes that are computed when a traversal first asks for them, for the nodes deeper than
    /// those of `front`; empty if there are none.
    late: Vec<OnceLock<V>>,
    is_late: Vec<bool>,
    /// Nodes whose volumes are computed from their vertices, and the nodes above them.
    front: Vec<u32>,
    upper: Vec<u32>,
    /// The margin the volumes were computed with [m].
    margin: f64,
}

impl<V: Volume> Tree<V> {
    /// The volume of a node.
    #[inline]
    pub(crate) fn volume(&self, i: usize, layout: &Layout, ends: &Ends) -> &V {
        if self.late.is_empty() { &self.volumes[i] } else { self.late_volume(i, layout, ends) }
    }

    #[inline(never)]
    fn late_volume(&self, i: usize, layout: &Layout, ends: &Ends) -> &V {
        if !self.is_late[i] {
            return &self.volumes[i];
        }
        self.late[i].get_or_init(|| self.around_vertices(i, layout, ends))
    }

    /// The volume of a node from its vertices; those that triangles share come several times.
    fn around_vertices(&self, i: usize, layout: &Layout, ends: &Ends) -> V {
        let corners = layout.corners[layout.items(i)].as_flattened();
        V::around(corners.iter().map(|v| ends[*v as usize]), self.margin)
    }

    /// The same tree of boxes.
    pub(crate) fn to_boxes(&self, layout: &Layout, ends: &Ends) -> Tree<Aabb> {
        let bounds = |i| self.volume(i, layout, ends).bounds();
        Tree {
            volumes: (0..self.volumes.len()).map(bounds).collect(),
            late: Vec::new(),
            is_late: Vec::new(),
            front: Vec::new(),
            upper: Vec::new(),
            margin: self.margin,
        }
    }
}
