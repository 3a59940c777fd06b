//! The features of a leaf over a step, kept for the pairs of leaves to come.
//!
//! Boxes of triangles in cells are all that is needed to see whether two leaves may be in contact; the
//! rest is computed when they do.

use super::boxes::Boxes;
use super::cells::{Cells, Grid};
use super::features::Features;
use super::plane_test::{self, MovingPoint};
use crate::Surface;
use crate::simd::F32x8;
use crate::volume::{self, Aabb, MovingBox, Volume};
use glam::DVec3;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Leaves that are kept for each side. A traversal stays in two neighbourhoods for long.
const CACHED_LEAVES: usize = 256;

/// Sets of leaves that a thread keeps for the next tasks.
const CACHE_POOL_SIZE: usize = 4;

thread_local! {
    static CACHE_POOL: RefCell<Vec<[Vec<Leaf>; 2]>> = const { RefCell::new(Vec::new()) };
}

/// Queries so far.
static QUERIES: AtomicU64 = AtomicU64::new(1);

/// What all tasks of a query have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    /// A number that no other query has.
    number: u64,
    grid: Grid,
    /// Whether it is about a surface and itself.
    same: bool,
}

impl Query {
    /// A query about two surfaces, or one twice.
    pub(super) fn new(sides: [&Features; 2]) -> Self {
        let number = QUERIES.fetch_add(1, Ordering::Relaxed);
        Self { number, grid: Grid::new(sides), same: std::ptr::eq(sides[0], sides[1]) }
    }
}

/// What was computed of the leaves of both sides, those asked for last. A query is many tasks, so what a thread
/// knows of leaves goes from one task to the next, and their memory from one query to the next.
pub(super) struct LeafCache {
    query: Query,
    sides: [Vec<Leaf>; 2],
}

impl LeafCache {
    /// What this thread knows for a query.
    pub(super) fn new(query: Query) -> Self {
        Self { query, sides: Default::default() }
    }

    /// Takes all out of here.
    #[inline(always)]
    pub(super) fn taken(&mut self) -> Self {
        std::mem::replace(self, Self::new(self.query))
    }

    /// A leaf of the first surface, with cells of its triangles that move, or that are around the whole step.
    #[inline(always)]
    pub(super) fn one<S: F32x8>(
        &mut self,
        w: S,
        features: &Features,
        node: usize,
        moving: bool,
    ) -> &mut Leaf {
        if self.sides[0].is_empty() {
            self.sides = spare();
        }
        let leaf = &mut self.sides[0][place(features, node)];
        leaf.refresh(w, features, node, self.query, moving);
        leaf
    }

    /// The same for two leaves; `same` says that they are of one surface.
    #[inline(always)]
    pub(super) fn two<S: F32x8>(
        &mut self,
        w: S,
        [a, b]: [&Features; 2],
        nodes: [usize; 2],
        same: bool,
        moving: bool,
    ) -> [&mut Leaf; 2] {
        if self.sides[0].is_empty() {
            self.sides = spare();
        }
        let [here, there] = &mut self.sides;
        let (i, j) = (place(a, nodes[0]), place(b, nodes[1]));
        // What is known of a leaf serves wherever it comes, unless both would be the same entry.
        let [first, second] = match same && i != j {
            true => {
                let (lower, upper) = here.split_at_mut(i.max(j));
                let (p, q) = (&mut lower[i.min(j)], &mut upper[0]);
                if i < j { [p, q] } else { [q, p] }
            }
            false => [&mut here[i], &mut there[j]],
        };
        first.refresh(w, a, nodes[0], self.query, moving);
        second.refresh(w, b, nodes[1], self.query, moving);
        [first, second]
    }
}

/// Where a leaf is kept: those of one neighbourhood are different entries.
#[inline(always)]
fn place(features: &Features, node: usize) -> usize {
    features.layout.leaves_before[node] as usize % CACHED_LEAVES
}

/// Leaves from a task before, or new ones.
fn spare() -> [Vec<Leaf>; 2] {
    let spare = CACHE_POOL.try_with(|spares| spares.borrow_mut().pop()).ok().flatten();
    spare.unwrap_or_else(|| {
        [(); 2].map(|()| {
            let mut leaves = Vec::new();
            leaves.resize_with(CACHED_LEAVES, Leaf::default);
            leaves
        })
    })
}

impl Drop for LeafCache {
    fn drop(&mut self) {
        let leaves = std::mem::take(&mut self.sides);
        // A thread that ends keeps nothing.
        let _ = CACHE_POOL.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if !leaves[0].is_empty() && spares.len() < CACHE_POOL_SIZE {
                spares.push(leaves);
            }
        });
    }
}

/// The features of a leaf. Vertices are given by their places among those of the leaf, and triangles so
/// too.
#[derive(Default)]
pub(super) struct Leaf {
    pub(super) node: usize,
    /// The query it was computed for; 0 if there was none.
    query: u64,
    /// Number of its first triangle.
    pub(super) first: usize,
    /// Its triangles in cells.
    pub(super) cells: Cells,
    /// Whether boxes are known.
    boxed: bool,
    /// Boxes of its vertices, and others that are left from before; of its triangles, and around all of it.
    pub(super) vertex_boxes: Vec<MovingBox>,
    pub(super) faces: Boxes,
    pub(super) all: MovingBox,
    /// Whether what follows is known.
    detailed: bool,
    /// Vertices that its triangles own, with these.
    pub(super) vertices: Vec<(u32, u32)>,
    /// Edges that its triangles own.
    pub(super) edges: Vec<Edge>,
    pub(super) edge_boxes: Boxes,
    /// Boxes of its vertices in f64.
    exact: Vec<Aabb>,
    /// A point of it, and where its vertices are from there [m].
    pub(super) origin: DVec3,
    pub(super) places: Vec<MovingPoint>,
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
    #[inline(always)]
    fn refresh<S: F32x8>(
        &mut self,
        w: S,
        features: &Features,
        node: usize,
        query: Query,
        moving: bool,
    ) {
        if (self.node, self.query) == (node, query.number) {
            return;
        }
        (self.node, self.query) = (node, query.number);
        self.first = features.layout.items(node).start;
        (self.boxed, self.detailed) = (false, false);
        let leaf = features.layout.leaves_before[node] as usize;
        let same = moving && query.same;
        match if same { features.kept.get(leaf, query.grid) } else { None } {
            Some(known) => self.cells = *known,
            None => self.cells.fill(w, features, node, query.grid, moving),
        }
    }

    /// Computes boxes of its triangles that move, or that are around the whole step.
    #[inline(always)]
    pub(super) fn with_boxes<S: F32x8>(&mut self, w: S, features: &Features, moving: bool) {
        if std::mem::replace(&mut self.boxed, true) {
            return;
        }
        let layout = &features.layout;
        let margin = MovingBox::margins(w, volume::margin(0.5 * features.separation));
        let vertices = layout.leaf_vertices(self.node);
        if self.vertex_boxes.len() < vertices.len() {
            self.vertex_boxes.resize(vertices.len(), MovingBox::EMPTY);
        }
        // A loop, for what a closure does in an iterator is not inlined everywhere.
        for (all, v) in self.vertex_boxes.iter_mut().zip(vertices) {
            let [mut lo, mut hi, size] = MovingBox::of_path(w, &features.ends[*v as usize], margin);
            if !moving {
                (lo, hi) = (w.min(lo, w.swap_halves(lo)), w.max(hi, w.swap_halves(hi)));
            }
            *all = MovingBox::from_bounds(w, [lo, hi, size]);
        }
        let corners = &layout.local[layout.items(self.node)];
        self.all = self.faces.fill(w, &self.vertex_boxes, corners.len(), |i| corners[i]);
    }

    /// Computes what pairs of features need, with boxes known; exact ones only if they are asked for.
    #[inline(always)]
    pub(super) fn detail<S: F32x8>(
        &mut self,
        w: S,
        features: &Features,
        surface: &Surface,
        exact: bool,
    ) {
        if std::mem::replace(&mut self.detailed, true) {
            return;
        }
        self.list(features, surface, exact);
        let (edges, boxes) = (&self.edges, &mut self.edge_boxes);
        boxes.fill(w, &self.vertex_boxes, edges.len(), |i| edges[i].ends);
    }

    fn list(&mut self, features: &Features, surface: &Surface, exact: bool) {
        let (layout, node) = (&features.layout, self.node);
        let vertices = layout.leaf_vertices(node);
        self.vertices.clear();
        self.edges.clear();
        for (i, t) in layout.items(node).enumerate() {
            let (owned, corners) = (layout.owned[t], layout.local[t]);
            for k in 0..3 {
                if owned & (1 << k) != 0 {
                    self.vertices.push((corners[k], i as u32));
                }
                if owned & (8 << k) != 0 {
                    let ends = [corners[k], corners[(k + 1) % 3]];
                    let number = surface.triangle_edges[layout.triangle[t] as usize][k];
                    self.edges.push(Edge { number, triangle: i as u32, ends });
                }
            }
        }
        self.exact.clear();
        if exact {
            self.exact.extend(vertices.iter().map(|v| features.vertex_box(*v)));
        }
        self.origin = vertices.first().map_or(DVec3::ZERO, |v| features.ends[*v as usize][0]);
        self.places.clear();
        let place = |v: &u32| plane_test::moving_point(features.ends[*v as usize], self.origin);
        self.places.extend(vertices.iter().map(place));
        self.largest = plane_test::largest(&self.places);
    }

    /// The box of a feature in f64.
    #[inline]
    pub(super) fn exact(&self, vertices: &[u32]) -> Aabb {
        vertices.iter().fold(Aabb::EMPTY, |all, v| all.merge(self.exact[*v as usize]))
    }
}
