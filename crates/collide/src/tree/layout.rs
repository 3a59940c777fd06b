//! A surface in the order of a tree.

use super::{Moved, Plan, bottom_up, patch};
use crate::Surface;
use std::ops::Range;

/// Nodes, triangles and vertices in depth-first order. Triangles are numbered as they come in the
/// leaves, vertices as they first come in a triangle; vertices without one are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Nodes of each subtree.
    pub(crate) sizes: Vec<u32>,
    /// Where the triangles of each node begin; one more at the end.
    first: Vec<u32>,
    /// Levels above each node.
    pub(crate) depths: Vec<u32>,
    /// Whether the triangles of a node are one piece without holes.
    pub(crate) patch: Vec<bool>,
    /// Each triangle's number in the surface.
    pub(crate) triangle: Vec<u32>,
    /// Each triangle's corners, as numbered here.
    pub(crate) corners: Vec<[u32; 3]>,
    /// Each triangle's corners, as numbered among the vertices of its leaf.
    pub(crate) local: Vec<[u32; 3]>,
    /// Which of its corners and edges a triangle owns.
    pub(crate) owned: Vec<u8>,
    /// Each vertex's number in the surface.
    pub(crate) vertex: Vec<u32>,
    /// Number here of each vertex of the surface; any number for a vertex without triangle.
    pub(crate) rank: Vec<u32>,
    /// Vertices of the leaves, each once in every leaf, and where those of each node begin; inner
    /// nodes have none.
    leaf_vertices: Vec<u32>,
    leaf_first: Vec<u32>,
    /// Leaves before each node.
    pub(crate) leaves_before: Vec<u32>,
    /// The same corners as in `local` for the first 32 triangles of each leaf, the last one filling up what is left;
    /// of a leaf with more than 32 vertices they have no meaning.
    corner_bytes: Vec<[[u8; 32]; 3]>,
}

impl Layout {
    pub(crate) fn new(surface: &Surface, plan: &Plan) -> Self {
        let mut rank = vec![u32::MAX; surface.vertices];
        let mut vertex = Vec::with_capacity(surface.vertices);
        let mut number = |v: u32| {
            let r = &mut rank[v as usize];
            if *r == u32::MAX {
                *r = vertex.len() as u32;
                vertex.push(v);
            }
            *r
        };
        let corners: Vec<[u32; 3]> =
            plan.items.iter().map(|t| surface.triangles[*t as usize].map(&mut number)).collect();
        let mut all = Self {
            sizes: plan.nodes.iter().map(|n| n.size).collect(),
            first: plan.nodes.iter().map(|n| n.first).chain([plan.items.len() as u32]).collect(),
            depths: plan.depths(),
            patch: patch::patches(surface, plan),
            triangle: plan.items.clone(),
            local: corners.clone(),
            corners,
            owned: plan.items.iter().map(|t| surface.owned(*t)).collect(),
            vertex,
            rank,
            leaf_vertices: Vec::new(),
            leaf_first: vec![0],
            leaves_before: Vec::with_capacity(plan.nodes.len()),
            corner_bytes: Vec::new(),
        };
        let mut leaves = 0;
        let mut here = Vec::new();
        for i in 0..all.sizes.len() {
            all.leaves_before.push(leaves);
            if all.is_leaf(i) {
                leaves += 1;
                here.clear();
                here.extend_from_slice(all.corners[all.items(i)].as_flattened());
                here.sort_unstable();
                here.dedup();
                for t in all.items(i) {
                    // Every corner is there.
                    all.local[t] =
                        all.corners[t].map(|v| here.partition_point(|other| *other < v) as u32);
                }
                all.leaf_vertices.extend_from_slice(&here);
                let local = &all.local[all.items(i)];
                all.corner_bytes.push(std::array::from_fn(|k| {
                    // No more than 32 are distinguished.
                    let corner = |n: usize| (local[n.min(local.len() - 1)][k] % 32) as u8;
                    std::array::from_fn(corner)
                }));
            }
            all.leaf_first.push(all.leaf_vertices.len() as u32);
        }
        all
    }

    /// Whether a node has no children.
    #[inline]
    pub(crate) fn is_leaf(&self, i: usize) -> bool {
        self.sizes[i] == 1
    }

    /// The triangles below a node.
    #[inline]
    pub(crate) fn items(&self, i: usize) -> Range<usize> {
        // Depth first: what follows the subtree begins where its triangles end.
        self.first[i] as usize..self.first[i + self.sizes[i] as usize] as usize
    }

    /// The vertices of a leaf, each once.
    #[inline]
    pub(crate) fn leaf_vertices(&self, i: usize) -> &[u32] {
        &self.leaf_vertices[self.leaf_first[i] as usize..self.leaf_first[i + 1] as usize]
    }

    /// The corners of a leaf's triangles, each of the three for 32 triangles together.
    #[inline]
    pub(crate) fn corner_bytes(&self, leaf: usize) -> &[[u8; 32]; 3] {
        &self.corner_bytes[self.leaves_before[leaf] as usize]
    }

    /// How many leaves there are.
    pub(crate) fn leaves(&self) -> usize {
        self.corner_bytes.len()
    }

    /// The children of a node.
    #[inline]
    pub(crate) fn children(&self, i: usize) -> impl Iterator<Item = usize> + use<'_> {
        let end = i + self.sizes[i] as usize;
        let mut next = i + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next += self.sizes[child] as usize;
                child
            })
        })
    }

    /// Marks the vertices that moved, given in the order of the surface, and the nodes with them.
    pub(crate) fn moved(&self, of_surface: &[bool]) -> Moved {
        let vertices: Vec<bool> = self.vertex.iter().map(|v| of_surface[*v as usize]).collect();
        let mut nodes = vec![false; self.sizes.len()];
        let leaf = |i: usize| self.leaf_vertices(i).iter().any(|v| vertices[*v as usize]);
        bottom_up(&self.sizes, &mut nodes, &|_| true, &leaf, &|a, b| a | b);
        Moved::Some { vertices, nodes }
    }
}
