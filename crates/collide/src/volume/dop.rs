//! Discrete oriented polytopes: intersections of slabs across fixed directions [klosowski1998].
//!
//! With k/2 directions dᵢ a point set is held by `min dᵢ·p ≤ dᵢ·x ≤ max dᵢ·p`. The directions have
//! coordinates −1, 0 and 1, so a projection is two sums and is exact but for their rounding. They are
//! not unit vectors: a ball of radius r around a point reaches r·|dᵢ| to both sides along dᵢ, and
//! that is what a margin adds, with a surplus for rounding.
//!
//! Limits: slabs are compared one by one, so two disjoint polytopes can overlap in all of them.

use super::{Aabb, Volume, outward};
use glam::DVec3;

/// A polytope of `N` slabs; `N` is 3, 7, 9 or 13. The empty one has `lo` > `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dop<const N: usize> {
    /// Smallest projections, rounded down.
    pub lo: [f32; N],
    /// Largest projections, rounded up.
    pub hi: [f32; N],
}

const FACES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];
const CORNERS: [DVec3; 4] = [
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(1.0, -1.0, -1.0),
];
const EDGES: [DVec3; 6] = [
    DVec3::new(1.0, 1.0, 0.0),
    DVec3::new(1.0, -1.0, 0.0),
    DVec3::new(1.0, 0.0, 1.0),
    DVec3::new(1.0, 0.0, -1.0),
    DVec3::new(0.0, 1.0, 1.0),
    DVec3::new(0.0, 1.0, -1.0),
];
/// Lengths of the diagonals of a face and of the cube, rounded up.
const SQRT_2: f64 = std::f64::consts::SQRT_2.next_up();
const SQRT_3: f64 = 1.732_050_807_6;

impl<const N: usize> Dop<N> {
    /// Directions of its slabs: faces of a cube, then corners if `N` is 7 or 13, then edges if it is
    /// 9 or 13.
    pub const DIRECTIONS: [DVec3; N] = {
        assert!(N == 3 || N == 7 || N == 9 || N == 13, "no such polytope");
        let corners = if N == 7 || N == 13 { 4 } else { 0 };
        let mut all = [DVec3::ZERO; N];
        let mut k = 0;
        while k < N {
            all[k] = if k < 3 {
                FACES[k]
            } else if k < 3 + corners {
                CORNERS[k - 3]
            } else {
                EDGES[k - 3 - corners]
            };
            k += 1;
        }
        all
    };

    /// Lengths of the directions, rounded up.
    const LENGTHS: [f64; N] = {
        let mut all = [1.0; N];
        let mut k = 3;
        while k < N {
            let d = Self::DIRECTIONS[k];
            let edge = d.x * d.y * d.z == 0.0;
            all[k] = if edge { SQRT_2 } else { SQRT_3 };
            k += 1;
        }
        all
    };

    /// Rounds bounds outward, enlarged by a margin.
    ///
    /// The largest projection on an axis bounds the coordinates, so a sum of three of them and of
    /// the margin is off by a few units in the last place of three times that.
    #[inline]
    fn rounded(lo: [f64; N], hi: [f64; N], margin: f64) -> Self {
        let mut largest = 0.0_f64;
        for k in 0..3 {
            largest = largest.max(lo[k].abs()).max(hi[k].abs());
        }
        let surplus = 16.0 * f64::EPSILON * largest;
        let mut all = Self::EMPTY;
        for k in 0..N {
            let m = margin * Self::LENGTHS[k] + surplus;
            (all.lo[k], all.hi[k]) = outward(lo[k] - m, hi[k] + m);
        }
        all
    }
}

impl<const N: usize> Volume for Dop<N> {
    const EMPTY: Self = Self { lo: [f32::INFINITY; N], hi: [f32::NEG_INFINITY; N] };
    const SHARPER_THAN_BOX: bool = N > 3;

    #[inline]
    fn around(paths: impl Iterator<Item = [DVec3; 2]>, margin: f64) -> Self {
        let (mut lo, mut hi) = ([f64::INFINITY; N], [f64::NEG_INFINITY; N]);
        for p in paths.flatten() {
            for k in 0..N {
                let d = Self::DIRECTIONS[k];
                let s = d.x * p.x + d.y * p.y + d.z * p.z;
                lo[k] = lo[k].min(s);
                hi[k] = hi[k].max(s);
            }
        }
        Self::rounded(lo, hi, margin)
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
        // The axes tell most apart; the rest is compared without a branch.
        let meets = |k: usize| (self.lo[k] <= other.hi[k]) & (other.lo[k] <= self.hi[k]);
        (meets(0) & meets(1) & meets(2)) && (3..N).fold(true, |all, k| all & meets(k))
    }

    fn inflate(self, margin: f64) -> Self {
        Self::rounded(self.lo.map(f64::from), self.hi.map(f64::from), margin)
    }

    fn bounds(&self) -> Aabb {
        let axes = |v: &[f32; N]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
        Aabb { lo: axes(&self.lo), hi: axes(&self.hi) }
    }
}
