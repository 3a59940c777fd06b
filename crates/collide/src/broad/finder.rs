//! Features of two leaves whose boxes overlap.
//!
//! What a tree finds is filtered by the boxes of triangles, vertices and edges, eight 32-bit ones at a
//! time, and then by those in f64; where volumes are sharper than boxes, by these too. So the result does
//! not depend on the tree.
//!
//! With pruning, or where volumes do so too, the boxes move with what they hold. Triangles in one flat fan
//! are left out, and instead of the second boxes planes are tried: one
//! across the mean difference of two features ([`super::plane_test`]), which tells most of them apart, then
//! more while their vertices are at hand ([`ccd::filter_nearby_queries`]).

use super::boxes::spread;
use super::budget::Budget;
use super::features::{Fans, Features};
use super::leaf::{Leaf, LeafCache, Query};
use super::plane_test::{self, MovingPoint};
use super::{Candidates, Detector};
use crate::Surface;
use crate::ccd::{self, Pair, Separation};
use crate::simd::{F32x8, Work, with_simd};
use crate::tree::{LeafVisitor, Moved};
use crate::volume::Volume;

/// Feature pairs that are filtered together.
const PENDING_BATCH: usize = 1024;

/// How far a query goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryDepth {
    /// To pairs of leaves.
    Leaves,
    /// To pairs of triangles whose boxes overlap.
    Triangles,
    /// To the end.
    Features,
}

/// Finds the feature pairs of two leaves.
pub(super) struct Finder<'a> {
    a: &'a Features,
    b: &'a Features,
    surfaces: [&'a Surface; 2],
    fans: Option<&'a Fans>,
    /// One surface with itself.
    same: bool,
    /// Whether planes are asked.
    planes: bool,
    until: QueryDepth,
    pub(super) found: Candidates,
    pub(super) leaf_pairs: u64,
    pub(super) triangle_pairs: u64,
    /// Pairs still to be filtered.
    vf: Vec<PendingPair>,
    ee: Vec<PendingPair>,
    /// The leaves of both sides.
    leaves: LeafCache,
    /// Vertices of the second leaf as seen from the first.
    shifted: Vec<MovingPoint>,
    /// Whether boxes move, or are around the whole step.
    moving: bool,
    /// What else tells features apart, if volumes are sharper than boxes.
    sharper: Option<VolumeTest>,
    /// How many pairs there may be.
    budget: &'a Budget,
    /// Pairs of `found` that it has counted.
    counted: usize,
}

/// Whether the volumes of two features, given by their vertices, overlap.
type VolumeTest = fn(&Features, &[u32], &Features, &[u32]) -> bool;

/// A feature pair and its four vertices.
struct PendingPair {
    pair: [u32; 2],
    vertices: [u32; 4],
}

impl<'a> Finder<'a> {
    /// Pairs of a surface with itself, with `fans` if there is pruning.
    pub(super) fn with_itself<V: Volume>(
        detector: &'a Detector,
        fans: Option<&'a Fans>,
        planes: bool,
        until: QueryDepth,
        query: Query,
    ) -> Self {
        let other = Self::with_other::<V>(detector, detector, query);
        Self { same: true, planes, moving: other.moving || planes, until, fans, ..other }
    }

    /// Pairs of two surfaces.
    pub(super) fn with_other<V: Volume>(a: &'a Detector, b: &'a Detector, query: Query) -> Self {
        Self {
            a: &a.features,
            b: &b.features,
            surfaces: [&a.surface, &b.surface],
            fans: None,
            same: false,
            planes: false,
            until: QueryDepth::Features,
            found: Candidates::default(),
            leaf_pairs: 0,
            triangle_pairs: 0,
            vf: Vec::new(),
            ee: Vec::new(),
            leaves: LeafCache::new(query),
            shifted: Vec::new(),
            moving: V::MOVES,
            budget: &a.budget,
            counted: 0,
            // Boxes that move are asked anyway.
            sharper: (V::SHARPER_THAN_BOX && !V::MOVES)
                .then_some(|f, a, g, b| f.volume::<V>(a).overlaps(&g.volume(b))),
        }
    }

    /// Whether two triangles lie in one fan that cannot fold over itself: most pairs that a
    /// traversal arrives at are neighbours in one.
    #[inline]
    fn in_one_fan(&self, a: usize, b: usize) -> bool {
        let (ta, tb) = (self.a.layout.corners[a], self.b.layout.corners[b]);
        let flat = |v: u32| {
            let find = || self.a.is_flat_around(v, self.surfaces[0]);
            self.fans.is_some_and(|fans| fans.is_flat(v, find))
        };
        ta.iter().any(|v| tb.contains(v) && flat(*v))
    }

    /// Whether features whose boxes overlap are to be reported.
    #[inline]
    fn meet(&self, a: &[u32], b: &[u32]) -> bool {
        (self.a.moved.any(a) || self.b.moved.any(b))
            && self.sharper.is_none_or(|overlap| overlap(self.a, a, self.b, b))
    }

    /// Takes up a pair; with planes it has to wait.
    #[inline]
    fn found(&mut self, kind: Pair, pair: [u32; 2], vertices: [u32; 4]) {
        let (list, waiting) = match kind {
            Pair::VertexFace => (&mut self.found.vf, &mut self.vf),
            Pair::EdgeEdge => (&mut self.found.ee, &mut self.ee),
        };
        if !self.planes {
            list.push(pair);
            return;
        }
        waiting.push(PendingPair { pair, vertices });
        if waiting.len() == PENDING_BATCH {
            filter_pending(self.a, kind, waiting, list);
        }
    }

    /// Counts the pairs of triangles of two leaves whose boxes overlap, as far as cells tell.
    #[inline(always)]
    fn count<S: F32x8>(&mut self, w: S, [a, b]: [&mut Leaf; 2]) {
        let all = self.a.moved == Moved::All || self.b.moved == Moved::All;
        if all && a.cells.is_valid && b.cells.is_valid {
            self.triangle_pairs += u64::from(a.cells.count_pairs(w, &b.cells));
            return;
        }
        a.with_boxes(w, self.a, self.moving);
        b.with_boxes(w, self.b, self.moving);
        if all {
            self.triangle_pairs += a.faces.count_pairs(w, &b.faces);
        } else {
            self.count_some(w, [a, b], false, all);
        }
    }

    /// The same within a leaf, or where only some moved.
    #[inline(always)]
    fn count_some<S: F32x8>(&mut self, w: S, [a, b]: [&Leaf; 2], own: bool, all: bool) {
        let around_b = spread(w, &b.all);
        for i in a.faces.overlapping(w, &around_b, 0) {
            let one = a.faces.get(w, i);
            let first = if own { i + 1 } else { 0 };
            for j in b.faces.overlapping(w, &one, first) {
                let corners = |f: &Features, t: usize| f.layout.corners[t];
                let moved = all
                    || self.a.moved.any(&corners(self.a, a.first + i))
                    || self.b.moved.any(&corners(self.b, b.first + j));
                self.triangle_pairs += u64::from(moved);
            }
        }
    }

    /// Vertices of one leaf with faces of the other; `turned` says that the vertices are the second's.
    #[inline(always)]
    fn vertices<S: F32x8>(&mut self, w: S, of: &LeafPair<'_>, turned: bool) {
        let ([a, b], [xa, xb]) = match turned {
            true => ([of.leaves[1], of.leaves[0]], [of.places[1], of.places[0]]),
            false => (of.leaves, of.places),
        };
        let [of_a, of_b] = if turned { [self.b, self.a] } else { [self.a, self.b] };
        for (k, i) in &a.vertices {
            let one = &a.vertex_boxes[*k as usize];
            if !one.overlaps(&b.all) {
                continue;
            }
            let one = spread(w, one);
            let p = if self.planes { xa[*k as usize] } else { [0.0; 8] };
            let v = of_a.layout.leaf_vertices(a.node)[*k as usize];
            let (t, number) = (a.first + *i as usize, of_a.layout.vertex[v as usize]);
            for j in b.faces.overlapping(w, &one, 0) {
                let s = b.first + j;
                let face = of_b.layout.corners[s];
                if self.same && face.contains(&v) {
                    continue;
                }
                if self.planes {
                    let [x, y, z] = of_b.layout.local[s];
                    let at = |k: u32| w.load(xb[k as usize]);
                    if plane_test::vertex_face_apart(
                        w,
                        w.load(p),
                        [at(x), at(y), at(z)],
                        of.threshold,
                    ) || (of.may_share_vertex && self.in_one_fan(t, s))
                    {
                        continue;
                    }
                } else if !a.exact(&[*k]).overlaps(&b.exact(&of_b.layout.local[s])) {
                    continue;
                }
                let number_b = of_b.layout.triangle[s];
                let [x, y, z] = face;
                let meet = if turned { self.meet(&face, &[v]) } else { self.meet(&[v], &face) };
                if meet && turned && !self.same {
                    self.found.fv.push([number_b, number]);
                } else if meet {
                    self.found(Pair::VertexFace, [number, number_b], [v, x, y, z]);
                }
            }
        }
    }

    /// Edges with edges.
    #[inline(always)]
    fn edges<S: F32x8>(&mut self, w: S, of: &LeafPair<'_>) {
        let [a, b] = of.leaves;
        let ranks_a = self.a.layout.leaf_vertices(a.node);
        let ranks_b = self.b.layout.leaf_vertices(b.node);
        let around_b = spread(w, &b.all);
        for i in a.edge_boxes.overlapping(w, &around_b, 0) {
            let (ea, one) = (&a.edges[i], a.edge_boxes.get(w, i));
            let va = ea.ends.map(|k| ranks_a[k as usize]);
            let [p, q] = match self.planes {
                true => ea.ends.map(|k| of.places[0][k as usize]),
                false => [[0.0; 8]; 2],
            };
            let first = if of.own { i + 1 } else { 0 };
            for j in b.edge_boxes.overlapping(w, &one, first) {
                let eb = &b.edges[j];
                let [k, l] = eb.ends;
                let vb = [ranks_b[k as usize], ranks_b[l as usize]];
                let adjacent = self.same && (vb.contains(&va[0]) || vb.contains(&va[1]));
                if adjacent {
                    continue;
                }
                if self.planes {
                    let at = |k: u32| w.load(of.places[1][k as usize]);
                    let (t, s) = (a.first + ea.triangle as usize, b.first + eb.triangle as usize);
                    if plane_test::edges_apart(
                        w,
                        [w.load(p), w.load(q)],
                        [at(k), at(l)],
                        of.threshold,
                    ) || (of.may_share_vertex && self.in_one_fan(t, s))
                    {
                        continue;
                    }
                } else if !a.exact(&ea.ends).overlaps(&b.exact(&eb.ends)) {
                    continue;
                }
                if !self.meet(&va, &vb) {
                    continue;
                }
                // In the order of the edges, and so their vertices.
                if self.same && ea.number > eb.number {
                    let vertices = [vb[0], vb[1], va[0], va[1]];
                    self.found(Pair::EdgeEdge, [eb.number, ea.number], vertices);
                } else {
                    let vertices = [va[0], va[1], vb[0], vb[1]];
                    self.found(Pair::EdgeEdge, [ea.number, eb.number], vertices);
                }
            }
        }
    }
}

/// Keeps the pairs that no plane keeps apart over the whole step.
fn filter_pending(
    of: &Features,
    kind: Pair,
    waiting: &mut Vec<PendingPair>,
    list: &mut Vec<[u32; 2]>,
) {
    let ask = |i: usize| {
        let [a, b, c, d] = waiting[i].vertices;
        [of.ends[a as usize], of.ends[b as usize], of.ends[c as usize], of.ends[d as usize]]
    };
    let separation = Separation::gap(of.separation);
    ccd::filter_nearby_queries(kind, waiting.len(), separation, ask, |i| {
        list.push(waiting[i].pair)
    });
    waiting.clear();
}

/// Two leaves, or one twice.
struct LeafPair<'a> {
    leaves: [&'a Leaf; 2],
    own: bool,
    /// Whether they may have a vertex in common.
    may_share_vertex: bool,
    /// Their vertices, all as seen from the first.
    places: [&'a [MovingPoint]; 2],
    /// Distance below which features may not be told apart [m].
    threshold: f32,
}

/// What is to be done with two leaves, or with one.
struct LeafQuery<'a, 'b> {
    finder: &'a mut Finder<'b>,
    a: usize,
    b: Option<usize>,
}

impl Work for LeafQuery<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, w: impl F32x8) {
        let Self { finder, a, b } = self;
        let mut leaves = finder.leaves.taken();
        match b {
            None => {
                let here = leaves.one(w, finder.a, a, finder.moving);
                finder.own(w, here);
            }
            Some(b) => {
                let sides = [finder.a, finder.b];
                let both = leaves.two(w, sides, [a, b], finder.same, finder.moving);
                finder.two(w, both);
            }
        }
        finder.leaves = leaves;
    }
}

impl Finder<'_> {
    /// Counts what was found since the last time.
    fn count_found(&mut self) {
        let found = self.found.len();
        self.budget.count(found - self.counted);
        self.counted = found;
    }

    #[inline(always)]
    fn own<S: F32x8>(&mut self, w: S, here: &mut Leaf) {
        let before = self.triangle_pairs;
        here.with_boxes(w, self.a, self.moving);
        self.count_some(w, [here, here], true, self.a.moved == Moved::All);
        if self.until == QueryDepth::Triangles || self.triangle_pairs == before {
            return;
        }
        here.detail(w, self.a, self.surfaces[0], !self.planes);
        let of = LeafPair {
            leaves: [here, here],
            own: true,
            may_share_vertex: true,
            places: [&here.places, &here.places],
            threshold: plane_test::separation_threshold(self.a.separation, here.largest),
        };
        self.vertices(w, &of, false);
        self.edges(w, &of);
    }

    #[inline(always)]
    fn two<S: F32x8>(&mut self, w: S, [first, second]: [&mut Leaf; 2]) {
        let before = self.triangle_pairs;
        self.count(w, [first, second]);
        if self.until == QueryDepth::Triangles || self.triangle_pairs == before {
            return;
        }
        first.with_boxes(w, self.a, self.moving);
        second.with_boxes(w, self.b, self.moving);
        first.detail(w, self.a, self.surfaces[0], !self.planes);
        second.detail(w, self.b, self.surfaces[1], !self.planes);
        let shift = (second.origin - first.origin).to_array().map(|s| s as f32);
        let [x, y, z] = shift;
        let by = [x, y, z, 0.0, x, y, z, 0.0];
        let mut places = std::mem::take(&mut self.shifted);
        places.clear();
        if self.planes {
            let over = |p: &MovingPoint| std::array::from_fn(|k| p[k] + by[k]);
            places.extend(second.places.iter().map(over));
        }
        let far = second.largest + shift.into_iter().map(f32::abs).fold(0.0, f32::max);
        let vertices_a = self.a.layout.leaf_vertices(first.node);
        let vertices_b = self.b.layout.leaf_vertices(second.node);
        let of = LeafPair {
            leaves: [first, second],
            own: false,
            may_share_vertex: self.same && share(vertices_a, vertices_b),
            places: [&first.places, &places],
            threshold: plane_test::separation_threshold(self.a.separation, first.largest.max(far)),
        };
        self.vertices(w, &of, false);
        self.vertices(w, &of, true);
        self.edges(w, &of);
        self.shifted = places;
    }
}

/// Whether two sorted lists have a number in common.
fn share(a: &[u32], b: &[u32]) -> bool {
    // Vertices are numbered as they come in leaves, so most lists lie apart.
    if a.last() < b.first() || b.last() < a.first() {
        return false;
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            return true;
        }
        (i, j) = (i + usize::from(a[i] < b[j]), j + usize::from(a[i] > b[j]));
    }
    false
}

impl LeafVisitor for Finder<'_> {
    fn visit_leaf(&mut self, leaf: usize) {
        self.leaf_pairs += 1;
        if self.until != QueryDepth::Leaves && !self.budget.is_exceeded() {
            with_simd(LeafQuery { finder: self, a: leaf, b: None });
            self.count_found();
        }
    }

    fn visit_pair(&mut self, a: usize, b: usize) {
        self.leaf_pairs += 1;
        if self.until != QueryDepth::Leaves && !self.budget.is_exceeded() {
            with_simd(LeafQuery { finder: self, a, b: Some(b) });
            self.count_found();
        }
    }

    fn finish(&mut self) {
        filter_pending(self.a, Pair::VertexFace, &mut self.vf, &mut self.found.vf);
        filter_pending(self.a, Pair::EdgeEdge, &mut self.ee, &mut self.found.ee);
        self.count_found();
        // Tasks are many, and their leaves of no further use.
        drop(self.leaves.taken());
        (self.vf, self.ee, self.shifted) = Default::default();
    }
}
