//! What a builder makes of a surface, whatever volumes are put on it later.

/// One node of a [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanNode {
    /// Nodes of the subtree, this one included; 1 is a leaf.
    pub size: u32,
    /// Where the triangles below it begin in [`Plan::items`].
    pub first: u32,
    /// How many triangles are below it.
    pub count: u32,
}

/// A hierarchy as nested ranges of triangles, nodes in depth-first order. The first child of node
/// `i` is `i + 1`; each next one follows the subtree before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// All nodes, parents before children; empty for a surface without triangles.
    pub nodes: Vec<PlanNode>,
    /// The triangles in the order of the leaves.
    pub items: Vec<u32>,
}

impl Plan {
    /// The triangles below a node.
    pub fn triangles(&self, node: usize) -> &[u32] {
        let n = self.nodes[node];
        &self.items[n.first as usize..(n.first + n.count) as usize]
    }

    /// The children of a node; none of a leaf.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = node + self.nodes[node].size as usize;
        let first = (end > node + 1).then_some(node + 1);
        std::iter::successors(first, move |c| {
            Some(c + self.nodes[*c].size as usize).filter(|next| *next < end)
        })
    }
}
