//! Triangles and their features in two leaves.
//!
//! What a tree finds is filtered by the f64 boxes of triangles, then of their vertices and edges;
//! where volumes are sharper than boxes, by these too. So the result does not depend on the tree.

use super::{Candidates, Detector};
use crate::prune::Folds;
use crate::tree::{Layout, Moved, Sink, Tree};
use crate::volume::{Aabb, Volume};
use crate::{Motion, Surface};
use glam::DVec3;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;
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
    pub(super) fn take(&mut self, motion: Motion<'_>, separation: f64) -> f64 {
        let (vertex, moved) = (&self.layout.vertex, &self.moved);
        let (way, largest) = self
            .ends
            .par_iter_mut()
            .with_min_len(4096)
            .enumerate()
            .filter(|(i, _)| moved.any(&[*i as u32]))
            .map(|(i, ends)| {
                let new = motion.of(vertex[i]);
                let way = new[0].distance_squared(ends[0]).max(new[1].distance_squared(ends[1]));
                *ends = new;
                (way, new[0].abs().max(new[1].abs()))
            })
            .reduce(|| (0.0, DVec3::ZERO), |a, b| (f64::max(a.0, b.0), a.1.max(b.1)));
        self.separation = separation;
        // Each projection is three products and two sums of coordinates up to the largest.
        let rounding = 32.0 * f64::EPSILON * largest.max_element();
        self.rounding =
            if self.moved == Moved::All { rounding } else { rounding.max(self.rounding) };
        // Rounded up.
        way.sqrt() * (1.0 + 1e-12)
    }

    /// Box of a vertex over the step.
    #[inline]
    fn vertex_box(&self, v: u32) -> Aabb {
        Aabb::of_path(self.ends[v as usize], 0.5 * self.separation)
    }

    /// Box of a triangle over the step.
    #[inline]
    pub(super) fn triangle_box(&self, t: usize) -> Aabb {
        let [a, b, c] = self.layout.corners[t].map(|v| self.vertex_box(v));
        a.merge(b).merge(c)
    }

    /// The volume of a feature given by its vertices.
    fn volume<V: Volume>(&self, vertices: &[u32]) -> V {
        V::around(vertices.iter().map(|v| self.ends[*v as usize]), 0.5 * self.separation)
    }

    /// Whether the triangles around a vertex are a patch that cannot fold over itself.
    fn is_flat_around(&self, v: u32, surface: &Surface, folds: &Folds, limit: f64) -> bool {
        let of = |v: u32| self.ends[self.layout.rank[v as usize] as usize];
        surface.fan(self.layout.vertex[v as usize]).is_some_and(|fan| {
            folds.is_flat(fan.iter().map(|t| surface.triangles[*t as usize].map(of)), limit)
        })
    }

    /// A unit vector about along the normal of a triangle over the step, or zero.
    #[inline]
    fn normal(&self, t: usize) -> DVec3 {
        let [a, b, c] = self.layout.corners[t].map(|v| {
            let [x_t0, x_t1] = self.ends[v as usize];
            x_t0 + x_t1
        });
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// Smallest and largest coordinate of a triangle along a unit vector over the step.
    #[inline]
    fn extent(&self, t: usize, n: DVec3) -> (f64, f64) {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for x in self.layout.corners[t].map(|v| self.ends[v as usize]).as_flattened() {
            let s = n.dot(*x);
            range = (range.0.min(s), range.1.max(s));
        }
        range
    }
}

/// Finds the feature pairs of two leaves.
pub(super) struct Finder<'a, V> {
    a: &'a Features,
    b: &'a Features,
    surfaces: [&'a Surface; 2],
    folds: &'a Folds,
    fans: Option<&'a Fans>,
    /// One surface with itself.
    same: bool,
    limit: f64,
    pub(super) found: Candidates,
    pub(super) triangle_pairs: u64,
    /// Boxes of the second leaf.
    boxes: Vec<Aabb>,
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
            folds: &a.folds,
            fans: None,
            same: false,
            limit: 0.0,
            found: Candidates::default(),
            triangle_pairs: 0,
            boxes: Vec::new(),
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
            let find = || self.a.is_flat_around(v, self.surfaces[0], self.folds, self.limit);
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

    /// Features of two triangles whose boxes overlap.
    fn triangles(&mut self, i: usize, j: usize) {
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
        let (boxes_a, boxes_b) =
            (ta.map(|v| self.a.vertex_box(v)), tb.map(|v| self.b.vertex_box(v)));
        let (oa, ob) = (self.a.layout.owned[i], self.b.layout.owned[j]);
        let (fa, fb) = (self.a.layout.triangle[i], self.b.layout.triangle[j]);
        let face_a = boxes_a[0].merge(boxes_a[1]).merge(boxes_a[2]);
        let face_b = boxes_b[0].merge(boxes_b[1]).merge(boxes_b[2]);
        // Vertices against faces, both ways.
        for k in 0..3 {
            let v = ta[k];
            if oa & (1 << k) != 0
                && boxes_a[k].overlaps(&face_b)
                && !(self.same && tb.contains(&v))
                && self.meet(&[v], &tb)
            {
                self.found.vf.push([self.a.layout.vertex[v as usize], fb]);
            }
            let v = tb[k];
            if ob & (1 << k) != 0
                && boxes_b[k].overlaps(&face_a)
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
            if !box_a.overlaps(&face_b) {
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
    fn own(&mut self, items: Range<usize>) {
        let boxes: Vec<Aabb> = items.clone().map(|t| self.a.triangle_box(t)).collect();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].overlaps(&boxes[j]) {
                    self.triangles(items.start + i, items.start + j);
                }
            }
        }
    }

    fn pair(&mut self, a: Range<usize>, b: Range<usize>) {
        let mut boxes = std::mem::take(&mut self.boxes);
        boxes.clear();
        boxes.extend(b.clone().map(|t| self.b.triangle_box(t)));
        let all = boxes.iter().fold(Aabb::EMPTY, |all, b| all.merge(*b));
        for i in a {
            let first = self.a.triangle_box(i);
            if !first.overlaps(&all) {
                continue;
            }
            for (second, j) in boxes.iter().zip(b.clone()) {
                if first.overlaps(second) {
                    self.triangles(i, j);
                }
            }
        }
        self.boxes = boxes;
    }
}
