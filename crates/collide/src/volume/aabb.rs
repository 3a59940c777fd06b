//! Axis-aligned boxes, and those of vertices over a step.

use super::Volume;
use crate::Motion;
use glam::DVec3;
use rayon::prelude::*;

/// An axis-aligned box. The empty box has `lo` > `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates [m].
    pub lo: DVec3,
    /// Largest coordinates [m].
    pub hi: DVec3,
}

impl Aabb {
    /// The smallest box around some points.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { lo: b.lo.min(p), hi: b.hi.max(p) })
    }

    /// The box of a point that moves along a straight path, larger by a margin.
    ///
    /// Rounding can only enlarge the margin by one unit in the last place of a coordinate, so a
    /// relative surplus covers it.
    #[inline]
    pub fn of_path([a, b]: [DVec3; 2], margin: f64) -> Self {
        Self { lo: a.min(b), hi: a.max(b) }.with_margin(margin)
    }

    #[inline]
    fn with_margin(self, margin: f64) -> Self {
        let all = margin + 4.0 * f64::EPSILON * self.lo.abs().max(self.hi.abs()).max_element();
        Self { lo: self.lo - all, hi: self.hi + all }
    }
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Volume for Aabb {
    const EMPTY: Self = Self { lo: DVec3::INFINITY, hi: DVec3::NEG_INFINITY };
    const SHARPER_THAN_BOX: bool = false;

    #[inline]
    fn around(paths: impl Iterator<Item = [DVec3; 2]>, margin: f64) -> Self {
        let mut all = Self::EMPTY;
        for [a, b] in paths {
            all.lo = a.min(b).min(all.lo);
            all.hi = a.max(b).max(all.hi);
        }
        all.with_margin(margin)
    }

    #[inline]
    fn merge(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        // All six comparisons without a branch: a wrong guess costs more than they do.
        (self.lo.x <= other.hi.x)
            & (self.lo.y <= other.hi.y)
            & (self.lo.z <= other.hi.z)
            & (other.lo.x <= self.hi.x)
            & (other.lo.y <= self.hi.y)
            & (other.lo.z <= self.hi.z)
    }

    #[inline]
    fn inflate(self, margin: f64) -> Self {
        self.with_margin(margin)
    }

    fn bounds(&self) -> Aabb {
        *self
    }
}

/// Boxes of all vertices over a step, inflated so that features whose boxes do not overlap are
/// farther apart than a given separation.
#[derive(Clone, Debug, Default)]
pub struct SweptVertices {
    boxes: Vec<Aabb>,
}

impl SweptVertices {
    /// Computes the boxes; memory is reused.
    pub fn update(&mut self, motion: Motion<'_>, separation: f64) {
        motion
            .x_t0
            .par_iter()
            .zip(motion.x_t1)
            .with_min_len(4096)
            .map(|(a, b)| Aabb::of_path([*a, *b], 0.5 * separation))
            .collect_into_vec(&mut self.boxes);
    }

    /// The box of one vertex.
    #[inline]
    pub fn vertex(&self, v: u32) -> &Aabb {
        &self.boxes[v as usize]
    }

    /// The box of an edge.
    #[inline]
    pub fn edge(&self, e: [u32; 2]) -> Aabb {
        self.vertex(e[0]).merge(*self.vertex(e[1]))
    }

    /// The box of a triangle.
    #[inline]
    pub fn triangle(&self, t: [u32; 3]) -> Aabb {
        self.vertex(t[0]).merge(*self.vertex(t[1])).merge(*self.vertex(t[2]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_touch_overlap() {
        let a = Aabb::of_points([DVec3::ZERO, DVec3::ONE]);
        let b = Aabb::of_points([DVec3::ONE, DVec3::splat(2.0)]);
        assert!(a.overlaps(&b) && b.overlaps(&a));
        assert!(!a.overlaps(&b.inflate(-1e-9)));
        assert!(!Aabb::EMPTY.overlaps(&a));
    }

    #[test]
    fn a_swept_box_holds_both_ends_of_the_step() {
        let x_t0 = [DVec3::new(1.0, 2.0, 3.0)];
        let x_t1 = [DVec3::new(-1.0, 5.0, 3.0)];
        let mut swept = SweptVertices::default();
        swept.update(Motion { x_t0: &x_t0, x_t1: &x_t1 }, 0.5);
        let b = swept.vertex(0);
        assert!((b.lo - DVec3::new(-1.25, 1.75, 2.75)).abs().max_element() < 1e-12);
        assert!((b.hi - DVec3::new(1.25, 5.25, 3.25)).abs().max_element() < 1e-12);
    }
}
