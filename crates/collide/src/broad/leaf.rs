//! The features of a leaf over a step, kept for the pairs of leaves to come.

use super::features::Features;
use super::near::{self, Place};
use crate::Surface;
use crate::volume::{Aabb, Aabb32, Volume};
use crate::wide::Eight;
use glam::DVec3;
use std::cell::RefCell;

/// Leaves that are kept for each side. A traversal stays in one neighbourhood for long.
const KEPT: usize = 32;

/// Sets of leaves whose memory a thread keeps for the next traversals.
const SPARE: usize = 4;

thread_local! {
    static SPARES: RefCell<Vec<Vec<Leaf>>> = const { RefCell::new(Vec::new()) };
}

/// What was computed of leaves, those asked for last. A small mesh is traversed thousands of times a second in
/// many tasks, so their memory goes from one task to the next.
pub(super) struct Leaves(Vec<Leaf>);

impl Default for Leaves {
    fn default() -> Self {
        let spare = SPARES.try_with(|spares| spares.borrow_mut().pop());
        let mut leaves = spare.ok().flatten().unwrap_or_default();
        leaves.iter_mut().for_each(|leaf| leaf.node = None);
        Self(leaves)
    }
}

impl Drop for Leaves {
    fn drop(&mut self) {
        let leaves = std::mem::take(&mut self.0);
        // A thread that ends keeps nothing.
        let _ = SPARES.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if !leaves.is_empty() && spares.len() < SPARE {
                spares.push(leaves);
            }
        });
    }
}

impl Leaves {
    /// The leaf of a node.
    #[inline]
    pub(super) fn of(&mut self, features: &Features, surface: &Surface, node: usize) -> &Leaf {
        if self.0.is_empty() {
            self.0.resize_with(KEPT, Leaf::default);
        }
        // Leaves next to each other are different entries: at least every other node is one.
        let leaf = &mut self.0[(node / 2) % KEPT];
        if leaf.node != Some(node) {
            leaf.fill(features, surface, node);
        }
        leaf
    }
}

/// The features of a leaf. Vertices are given by their places among those of the leaf, and triangles so
/// too.
#[derive(Default)]
pub(super) struct Leaf {
    node: Option<usize>,
    /// Number of its first triangle.
    pub(super) first: usize,
    pub(super) corners: Vec<[u32; 3]>,
    /// Boxes of its vertices, and the same rounded outward.
    boxes: Vec<Aabb>,
    pub(super) rounded: Vec<Aabb32>,
    pub(super) faces: Boxes,
    /// Vertices that its triangles own, with these.
    pub(super) vertices: Vec<(u32, u32)>,
    /// Edges that its triangles own.
    pub(super) edges: Vec<Edge>,
    pub(super) edge_boxes: Boxes,
    /// A box around all of it.
    pub(super) all: Aabb32,
    /// A point of it, and where its vertices are from there [m].
    pub(super) origin: DVec3,
    pub(super) places: Vec<Place>,
    /// The largest coordinate of these [m].
    pub(super) largest: f32,
}

/// An edge that a triangle owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Its number in the surface.
    pub(super) number: u32,
    pub(super) triangle: u32,
    pub(super) ends: [u32; 2],
}

impl Leaf {
    fn fill(&mut self, features: &Features, surface: &Surface, node: usize) {
        let layout = &features.layout;
        let (items, vertices) = (layout.items(node), layout.leaf_vertices(node));
        self.node = Some(node);
        self.first = items.start;
        self.corners.clear();
        self.corners.extend_from_slice(&layout.local[items.clone()]);
        self.boxes.clear();
        self.boxes.extend(vertices.iter().map(|v| features.vertex_box(*v)));
        // Rounding keeps the order, so boxes of rounded boxes are rounded boxes.
        self.rounded.clear();
        self.rounded.extend(self.boxes.iter().map(|b| Aabb32::from(*b)));
        self.all = Aabb32::EMPTY;
        self.faces.clear();
        self.edge_boxes.clear();
        self.vertices.clear();
        self.edges.clear();
        for (i, t) in items.enumerate() {
            let (owned, corners) = (layout.owned[t], self.corners[i]);
            let [a, b, c] = corners.map(|k| self.rounded[k as usize]);
            let face = a.merge(b).merge(c);
            self.all = self.all.merge(face);
            self.faces.push(face);
            for k in 0..3 {
                if owned & (1 << k) != 0 {
                    self.vertices.push((corners[k], i as u32));
                }
                if owned & (8 << k) != 0 {
                    let ends = [corners[k], corners[(k + 1) % 3]];
                    let number = surface.triangle_edges[layout.triangle[t] as usize][k];
                    let [a, b] = ends.map(|k| self.rounded[k as usize]);
                    self.edge_boxes.push(a.merge(b));
                    self.edges.push(Edge { number, triangle: i as u32, ends });
                }
            }
        }
        self.origin = vertices.first().map_or(DVec3::ZERO, |v| features.ends[*v as usize][0]);
        self.places.clear();
        let place = |v: &u32| near::place(features.ends[*v as usize], self.origin);
        self.places.extend(vertices.iter().map(place));
        self.largest = near::largest(&self.places);
    }

    /// Its node.
    #[inline]
    pub(super) fn node(&self) -> usize {
        self.node.unwrap_or(0)
    }

    /// The box of a vertex.
    #[inline]
    pub(super) fn vertex(&self, v: u32) -> &Aabb {
        &self.boxes[v as usize]
    }

    /// The box of an edge.
    #[inline]
    pub(super) fn edge(&self, [a, b]: [u32; 2]) -> Aabb {
        self.vertex(a).merge(*self.vertex(b))
    }

    /// The box of a triangle.
    #[inline]
    pub(super) fn face(&self, i: usize) -> Aabb {
        let [a, b, c] = self.corners[i].map(|k| *self.vertex(k));
        a.merge(b).merge(c)
    }
}

/// Boxes, eight to a block: least x, y and z, then largest.
#[derive(Default)]
pub(super) struct Boxes {
    blocks: Vec<[[f32; 8]; 6]>,
    len: usize,
}

impl Boxes {
    fn clear(&mut self) {
        self.blocks.clear();
        self.len = 0;
    }

    fn push(&mut self, b: Aabb32) {
        let lane = self.len % 8;
        if lane == 0 {
            // What is not filled overlaps nothing, not even a box without end.
            self.blocks.push([[f32::NAN; 8]; 6]);
        }
        if let Some(block) = self.blocks.last_mut() {
            for k in 0..3 {
                (block[k][lane], block[k + 3][lane]) = (b.lo[k], b.hi[k]);
            }
        }
        self.len += 1;
    }

    /// One of them.
    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> Aabb32 {
        let (block, lane) = (&self.blocks[i / 8], i % 8);
        let [a, b, c, d, e, f] = block;
        Aabb32 { lo: [a[lane], b[lane], c[lane]], hi: [d[lane], e[lane], f[lane]] }
    }

    /// Those from `first` on that overlap a box, in order.
    #[inline(always)]
    pub(super) fn overlapping<E: Eight>(&self, w: E, one: &Aabb32, first: usize) -> Hits<'_, E> {
        let lo = [w.all(one.lo[0]), w.all(one.lo[1]), w.all(one.lo[2])];
        let hi = [w.all(one.hi[0]), w.all(one.hi[1]), w.all(one.hi[2])];
        Hits { w, blocks: &self.blocks, lo, hi, first, next: first / 8, hits: 0 }
    }
}

/// Boxes that overlap one.
pub(super) struct Hits<'a, E: Eight> {
    w: E,
    blocks: &'a [[[f32; 8]; 6]],
    lo: [E::Of; 3],
    hi: [E::Of; 3],
    first: usize,
    /// The next block, and what is left of the one before it.
    next: usize,
    hits: u32,
}

impl<E: Eight> Iterator for Hits<'_, E> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let (w, lo, hi) = (self.w, &self.lo, &self.hi);
        while self.hits == 0 {
            let block = self.blocks.get(self.next)?;
            self.hits = w.at_most(w.of(block[0]), hi[0])
                & w.at_most(w.of(block[1]), hi[1])
                & w.at_most(w.of(block[2]), hi[2])
                & w.at_most(lo[0], w.of(block[3]))
                & w.at_most(lo[1], w.of(block[4]))
                & w.at_most(lo[2], w.of(block[5]));
            if 8 * self.next < self.first {
                self.hits &= u32::MAX << (self.first - 8 * self.next);
            }
            self.next += 1;
        }
        let lane = self.hits.trailing_zeros() as usize;
        self.hits &= self.hits - 1;
        Some(8 * (self.next - 1) + lane)
    }
}
