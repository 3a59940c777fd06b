//! Triangles and their features in two leaves.
//!
//! What a tree finds is filtered by the f64 boxes of triangles, then of their vertices and edges;
//! where volumes are sharper than boxes, by these too. So the result does not depend on the tree.

use super::{Candidates, Detector, NotFinite};
use crate::prune::fan;
use crate::tree::{Layout, Moved, Sink, Tree};
use crate::volume::{Aabb, Volume};
use crate::{Motion, Surface};
use glam::DVec3;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

/// The features of a surface over a step, in the order of its tree.
#[derive(Clone, Debug)]
pub(super) struct Features {
    pub(super) layout: Layout,
    /// Positions at both ends of the step [m].
    pub(super) ends: Vec<[DVec3; 2]>,
    pub(super) moved: Moved,
    /// Distance below which pairs count [m].
    pub(super) separation: f64,
    /// Bound on the error of the difference of two projections [m].
    rounding: f64,
}

/// Whether the triangles around each vertex are flat, as far as a query came to ask.
pub(super) struct Fans(Vec<AtomicU8>);

impl Fans {
    const UNKNOWN: u8 = 0;
    const FLAT: u8 = 1;
    const FOLDED: u8 = 2;

    /// Nothing known.
    pub(super) fn new(vertices: usize) -> Self {
        Self((0..vertices).map(|_| AtomicU8::new(Self::UNKNOWN)).collect())
    }

    /// What is known of a vertex, or found out now. Two threads that ask at the same time come to
    /// the same.
    #[inline]
    fn is_flat(&self, v: u32, find: impl FnOnce() -> bool) -> bool {
        let cell = &self.0[v as usize];
        match cell.load(Ordering::Relaxed) {
            Self::UNKNOWN => {
                let flat = find();
                cell.store(if flat { Self::FLAT } else { Self::FOLDED }, Ordering::Relaxed);
                flat
            }
            known => known == Self::FLAT,
        }
    }
}

impl Features {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            ends: vec![[DVec3::ZERO; 2]; layout.vertex.len()],
            moved: Moved::All,
            separation: 0.0,
            rounding: 0.0,
            layout,
        }
    }

    /// Takes up the positions of moved vertices, and says how far one of them moved at most [m].
    pub(super) fn take(&mut self, motion: Motion<'_>, separation: f64) -> Result<f64, NotFinite> {
        let (vertex, moved) = (&self.layout.vertex, &self.moved);
        let all = *moved == Moved::All;
        let news = self
            .ends
            .par_chunks_mut(4096)
            .zip(vertex.par_chunks(4096))
            .enumerate()
            .map(|(chunk, (ends, vertices))| {
                let (mut way, mut largest, mut finite) = (0.0_f64, DVec3::ZERO, true);
                for (i, (ends, v)) in ends.iter_mut().zip(vertices).enumerate() {
                    if !all && !moved.any(&[(4096 * chunk + i) as u32]) {
                        continue;
                    }
                    let new = motion.of(*v);
                    let by = new[0].distance_squared(ends[0]).max(new[1].distance_squared(ends[1]));
                    way = way.max(by);
                    largest = largest.max(new[0].abs().max(new[1].abs()));
                    finite &= new[0].is_finite() & new[1].is_finite();
                    *ends = new;
                }
                (way, largest, finite)
            })
            .reduce(
                || (0.0, DVec3::ZERO, true),
                |a, b| (f64::max(a.0, b.0), a.1.max(b.1), a.2 & b.2),
            );
        let (way, largest, finite) = news;
        if !finite {
            let bad = |v: &&u32| !motion.of(**v).iter().all(|x| x.is_finite());
            let vertex = vertex.iter().filter(bad).min().copied().unwrap_or(0);
            return Err(NotFinite { vertex });
        }
        self.separation = separation;
        // Each projection is three products and two sums of coordinates up to the largest.
        let rounding = 32.0 * f64::EPSILON * largest.max_element();
        self.rounding = if all { rounding } else { rounding.max(self.rounding) };
        // Rounded up.
        Ok(way.sqrt() * (1.0 + 1e-12))
    }

    /// Box of a vertex over the step.
    #[inline]
    fn vertex_box(&self, v: u32) -> Aabb {
        Aabb::of_path(self.ends[v as usize], 0.5 * self.separation)
    }

    /// Box of a triangle over the step.
    #[inline]
    pub(super) fn triangle_box(&self, t: usize) -> Aabb {
        let [a, b, c] = self.layout.corners[t];
        self.vertex_box(a).merge(self.vertex_box(b)).merge(self.vertex_box(c))
    }

    /// Boxes of the vertices and triangles of a leaf.
    fn boxes_of(&self, leaf: usize, boxes: &mut LeafBoxes) {
        if boxes.leaf == Some(leaf) {
            return;
        }
        boxes.leaf = Some(leaf);
        boxes.vertices.clear();
        boxes.vertices.extend(self.layout.leaf_vertices(leaf).iter().map(|v| self.vertex_box(*v)));
        let of = |k: u32| boxes.vertices[k as usize];
        let local = &self.layout.local[self.layout.items(leaf)];
        boxes.triangles.clear();
        boxes.triangles.extend(local.iter().map(|t| of(t[0]).merge(of(t[1])).merge(of(t[2]))));
        boxes.all = boxes.triangles.iter().fold(Aabb::EMPTY, |all, b| all.merge(*b));
    }

    /// The volume of a feature given by its vertices.
    fn volume<V: Volume>(&self, vertices: &[u32]) -> V {
        V::around(vertices.iter().map(|v| self.ends[*v as usize]), 0.5 * self.separation)
    }

    /// Whether the triangles around a vertex are a patch that cannot fold over itself.
    fn is_flat_around(&self, v: u32, surface: &Surface) -> bool {
        let of = |v: u32| self.ends[self.layout.rank[v as usize] as usize];
        let v = self.layout.vertex[v as usize];
        // With the vertex as first corner.
        let corners = |t: &u32| {
            let mut tri = surface.triangles[*t as usize];
            let place = tri.iter().position(|w| *w == v).unwrap_or(0);
            tri.rotate_left(place);
            tri.map(of)
        };
        let closed = surface.fan_kind(v) == crate::surface::Fan::Disc;
        surface.fan(v).is_some_and(|all| fan::is_flat(all.iter().map(corners), closed))
    }

    /// A unit vector about along the normal of a triangle over the step, or zero.
    #[inline]
    fn normal(&self, t: usize) -> DVec3 {
        let at = |v: u32| {
            let [x_t0, x_t1] = self.ends[v as usize];
            x_t0 + x_t1
        };
        let [a, b, c] = self.layout.corners[t];
        let (a, b, c) = (at(a), at(b), at(c));
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// Smallest and largest coordinate of a triangle along a unit vector over the step.
    #[inline]
    fn extent(&self, t: usize, n: DVec3) -> (f64, f64) {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for v in self.layout.corners[t] {
            for x in self.ends[v as usize] {
                let s = n.dot(x);
                range = (range.0.min(s), range.1.max(s));
            }
        }
        range
    }
}

/// Boxes of a leaf over the step.
#[derive(Default)]
struct LeafBoxes {
    leaf: Option<usize>,
    vertices: Vec<Aabb>,
    triangles: Vec<Aabb>,
    all: Aabb,
}

/// Finds the feature pairs of two leaves.
pub(super) struct Finder<'a, V> {
    a: &'a Features,
    b: &'a Features,
    surfaces: [&'a Surface; 2],
    fans: Option<&'a Fans>,
    /// One surface with itself.
    same: bool,
    limit: f64,
    pub(super) found: Candidates,
    pub(super) triangle_pairs: u64,
    /// Boxes of the two leaves.
    boxes: [LeafBoxes; 2],
    volume: PhantomData<V>,
}

impl<'a, V: Volume> Finder<'a, V> {
    pub(super) fn with_itself(
        detector: &'a Detector,
        limit: f64,
        fans: Option<&'a Fans>,
        tree: &Tree<V>,
    ) -> Self {
        Self { same: true, limit, fans, ..Self::with_other(detector, detector, tree) }
    }

    /// The tree only tells which volumes are meant.
    pub(super) fn with_other(a: &'a Detector, b: &'a Detector, _: &Tree<V>) -> Self {
        Self {
            a: &a.features,
            b: &b.features,
            surfaces: [&a.surface, &b.surface],
            fans: None,
            same: false,
            limit: 0.0,
            found: Candidates::default(),
            triangle_pairs: 0,
            boxes: Default::default(),
            volume: PhantomData,
        }
    }

    /// Whether one of the two groups of vertices moved.
    #[inline]
    fn moved(&self, a: &[u32], b: &[u32]) -> bool {
        self.a.moved.any(a) || self.b.moved.any(b)
    }

    /// Whether two triangles lie in one fan that cannot fold over itself: most pairs that a
    /// traversal arrives at are neighbours in one.
    #[inline]
    fn in_one_fan(&self, ta: [u32; 3], tb: [u32; 3]) -> bool {
        let flat = |v: u32| {
            let find = || self.a.is_flat_around(v, self.surfaces[0]);
            self.fans.is_some_and(|fans| fans.is_flat(v, find))
        };
        ta.iter().any(|v| tb.contains(v) && flat(*v))
    }

    /// Whether a plane along the first triangle, or along the second, keeps them apart over the
    /// whole step. Layers that lie on each other have overlapping boxes wherever they slope; this
    /// tells them apart.
    #[inline]
    fn has_plane_between(&self, i: usize, j: usize) -> bool {
        let between = |n: DVec3| {
            let ((lo_a, hi_a), (lo_b, hi_b)) = (self.a.extent(i, n), self.b.extent(j, n));
            (lo_b - hi_a).max(lo_a - hi_b) > self.a.separation + self.a.rounding
        };
        between(self.a.normal(i)) || between(self.b.normal(j))
    }

    /// Features of two triangles whose boxes overlap, given with those of their leaves.
    fn triangles(
        &mut self,
        i: usize,
        j: usize,
        (face_a, face_b): (&Aabb, &Aabb),
        boxes: [&LeafBoxes; 2],
    ) {
        let (ta, tb) = (self.a.layout.corners[i], self.b.layout.corners[j]);
        if !self.moved(&ta, &tb) {
            return;
        }
        self.triangle_pairs += 1;
        if self.same
            && self.limit > 0.0
            && (self.in_one_fan(ta, tb) || self.has_plane_between(i, j))
        {
            return;
        }
        let corners = |side: usize, [a, b, c]: [u32; 3]| {
            let of = |k: u32| boxes[side].vertices[k as usize];
            [of(a), of(b), of(c)]
        };
        let boxes_a = corners(0, self.a.layout.local[i]);
        let boxes_b = corners(1, self.b.layout.local[j]);
        let (oa, ob) = (self.a.layout.owned[i], self.b.layout.owned[j]);
        let (fa, fb) = (self.a.layout.triangle[i], self.b.layout.triangle[j]);
        // Vertices against faces, both ways.
        for k in 0..3 {
            let v = ta[k];
            if oa & (1 << k) != 0
                && boxes_a[k].overlaps(face_b)
                && !(self.same && tb.contains(&v))
                && self.meet(&[v], &tb)
            {
                self.found.vf.push([self.a.layout.vertex[v as usize], fb]);
            }
            let v = tb[k];
            if ob & (1 << k) != 0
                && boxes_b[k].overlaps(face_a)
                && !(self.same && ta.contains(&v))
                && self.meet(&ta, &[v])
            {
                let v = self.b.layout.vertex[v as usize];
                let list = if self.same { &mut self.found.vf } else { &mut self.found.fv };
                list.push(if self.same { [v, fa] } else { [fa, v] });
            }
        }
        // Edges against edges.
        for ka in (0..3).filter(|k| oa & (8 << k) != 0) {
            let (va, box_a) = edge(ta, &boxes_a, ka);
            if !box_a.overlaps(face_b) {
                continue;
            }
            for kb in (0..3).filter(|k| ob & (8 << k) != 0) {
                let (vb, box_b) = edge(tb, &boxes_b, kb);
                let adjacent = self.same && (vb.contains(&va[0]) || vb.contains(&va[1]));
                if !adjacent && box_a.overlaps(&box_b) && self.meet(&va, &vb) {
                    let ea = self.surfaces[0].triangle_edges[fa as usize][ka];
                    let eb = self.surfaces[1].triangle_edges[fb as usize][kb];
                    let swap = self.same && ea > eb;
                    self.found.ee.push(if swap { [eb, ea] } else { [ea, eb] });
                }
            }
        }
    }

    /// Whether features whose boxes overlap are to be reported.
    #[inline]
    fn meet(&self, a: &[u32], b: &[u32]) -> bool {
        self.moved(a, b)
            && (!V::SHARPER_THAN_BOX || self.a.volume::<V>(a).overlaps(&self.b.volume(b)))
    }
}

/// Edge `k` of a triangle and its box.
#[inline]
fn edge(t: [u32; 3], boxes: &[Aabb; 3], k: usize) -> ([u32; 2], Aabb) {
    let next = (k + 1) % 3;
    ([t[k], t[next]], boxes[k].merge(boxes[next]))
}

impl<V: Volume> Sink for Finder<'_, V> {
    fn own(&mut self, leaf: usize) {
        let [mut boxes, other] = std::mem::take(&mut self.boxes);
        self.a.boxes_of(leaf, &mut boxes);
        let begin = self.a.layout.items(leaf).start;
        for (i, first) in boxes.triangles.iter().enumerate() {
            for (j, second) in boxes.triangles.iter().enumerate().skip(i + 1) {
                if first.overlaps(second) {
                    self.triangles(begin + i, begin + j, (first, second), [&boxes, &boxes]);
                }
            }
        }
        self.boxes = [boxes, other];
    }

    fn pair(&mut self, a: usize, b: usize) {
        let [mut boxes_a, mut boxes_b] = std::mem::take(&mut self.boxes);
        self.a.boxes_of(a, &mut boxes_a);
        self.b.boxes_of(b, &mut boxes_b);
        let (a, b) = (self.a.layout.items(a), self.b.layout.items(b));
        for (first, i) in boxes_a.triangles.iter().zip(a) {
            if !first.overlaps(&boxes_b.all) {
                continue;
            }
            for (second, j) in boxes_b.triangles.iter().zip(b.clone()) {
                if first.overlaps(second) {
                    self.triangles(i, j, (first, second), [&boxes_a, &boxes_b]);
                }
            }
        }
        self.boxes = [boxes_a, boxes_b];
    }
}
