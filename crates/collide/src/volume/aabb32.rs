//! Axis-aligned boxes in 32-bit numbers.
//!
//! Bounds are computed in f64 like those of [`Aabb`] and rounded outward, so the box always contains
//! the other. At one metre it is larger by 1e-7 m; a node takes half the memory.

use super::{Aabb, Volume, outward};
use glam::DVec3;

/// An axis-aligned box in 24 bytes. The empty box has `lo` > `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb32 {
    /// Smallest coordinates [m], rounded down.
    pub lo: [f32; 3],
    /// Largest coordinates [m], rounded up.
    pub hi: [f32; 3],
}

impl Default for Aabb32 {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl From<Aabb> for Aabb32 {
    #[inline]
    fn from(b: Aabb) -> Self {
        let (x, y, z) = (outward(b.lo.x, b.hi.x), outward(b.lo.y, b.hi.y), outward(b.lo.z, b.hi.z));
        Self { lo: [x.0, y.0, z.0], hi: [x.1, y.1, z.1] }
    }
}

impl Volume for Aabb32 {
    const EMPTY: Self = Self { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };
    const SHARPER_THAN_BOX: bool = false;

    #[inline]
    fn around(paths: impl Iterator<Item = [DVec3; 2]>, margin: f64) -> Self {
        Aabb::around(paths, margin).into()
    }

    #[inline]
    fn merge(self, other: Self) -> Self {
        Self {
            lo: std::array::from_fn(|k| self.lo[k].min(other.lo[k])),
            hi: std::array::from_fn(|k| self.hi[k].max(other.hi[k])),
        }
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        (self.lo[0] <= other.hi[0])
            & (self.lo[1] <= other.hi[1])
            & (self.lo[2] <= other.hi[2])
            & (other.lo[0] <= self.hi[0])
            & (other.lo[1] <= self.hi[1])
            & (other.lo[2] <= self.hi[2])
    }

    fn inflate(self, margin: f64) -> Self {
        // One more unit: the sum in f64 can round by more than it is inexact in f32.
        self.bounds().inflate(margin).into()
    }

    fn bounds(&self) -> Aabb {
        let wide = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
        Aabb { lo: wide(self.lo), hi: wide(self.hi) }
    }
}
