//! Moving boxes: one AABB at each end of the step, linear in between.
//!
//! A box at each end of the step, in 32-bit numbers. A point that moves on a straight line is, at time t, inside
//! `(1 − t) B₀ + t B₁`. Two such boxes are told apart by an axis along which one lies beyond the other, the
//! same way round, at *both* ends of the step: each difference of coordinates is linear in t, so it stays
//! positive in between. Unlike boxes around the whole path, these do not grow with a motion that both sides
//! have in common.
//!
//! **Rounding.** With ε = 2⁻²⁴, a coordinate c is rounded once, by ε|c|, its bound s = m + 4ε|c| by ε s twice,
//! and c ∓ s by ε (|c| + s): less than the 4ε|c| and the [`MARGIN_ROUNDING`] of the margin m together. The box of
//! several paths is made of those of each, so it holds them bit for bit.

use super::{Aabb, Volume, outward};
use crate::simd::{F32x8, Work, any_above_twice, with_simd};
use glam::DVec3;

/// A box at both ends of the step, in one line of cache. The empty box has `lo` > `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct MovingBox {
    /// Smallest coordinates [m] and a zero at the start, and the same at the end of the step.
    pub(crate) lo: [f32; 8],
    /// Largest ones.
    pub(crate) hi: [f32; 8],
}

/// What is added to a margin, relative to it.
const MARGIN_ROUNDING: f64 = 1e-6;

/// What is added for a coordinate's rounding, relative to it.
const COORDINATE_ROUNDING: f32 = 4.0 / 16_777_216.0;

/// What is added to a box that is seen from a point, relative to what it comes from.
const SEEN_ROUNDING: f32 = 32.0 / 16_777_216.0;

/// Largest coordinate; a box with one beyond it has no end.
const MAX_COORDINATE: f32 = 1e30;

const EMPTY_LO: [f32; 8] = {
    let i = f32::INFINITY;
    [i, i, i, 0.0, i, i, i, 0.0]
};

const EMPTY_HI: [f32; 8] = {
    let i = f32::NEG_INFINITY;
    [i, i, i, 0.0, i, i, i, 0.0]
};

impl Default for MovingBox {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// A margin in 32-bit numbers, rounded up so far that it covers its own rounding in sums.
#[inline]
pub(crate) fn margin(margin: f64) -> f32 {
    let surplus = MARGIN_ROUNDING * margin.abs() + f64::from(f32::MIN_POSITIVE);
    ((margin + surplus) as f32).next_up()
}

impl MovingBox {
    /// The box of one path, with what [`margin`] makes of a margin: its lower and its upper bounds, and the
    /// largest coordinate in each lane.
    #[inline(always)]
    pub(crate) fn of_path<S: F32x8>(
        w: S,
        [a, b]: &[DVec3; 2],
        margin: S::Vector,
    ) -> [S::Vector; 3] {
        let (p, q) = (a.to_array(), b.to_array());
        let y = w.convert_f64([p[0], p[1], p[2], 0.0], [q[0], q[1], q[2], 0.0]);
        let size = w.max(y, w.sub(w.splat(0.0), y));
        let s = w.add(w.mul(size, w.splat(COORDINATE_ROUNDING)), margin);
        [w.sub(y, s), w.add(y, s), size]
    }

    /// A margin in all lanes but those that are always zero.
    #[inline(always)]
    pub(crate) fn margins<S: F32x8>(w: S, m: f32) -> S::Vector {
        w.load([m, m, m, 0.0, m, m, m, 0.0])
    }

    /// A box of several paths that are known by their bounds as seen from a point, each of these rounded once: at least as
    /// large as the boxes of these paths together.
    ///
    /// With s the sum of the point's coordinate and the largest of these, their sum is off by 3 ε s, and the box of a
    /// path reaches 7 ε s beyond its margin: [`SEEN_ROUNDING`] times s is more than both.
    #[inline(always)]
    pub(crate) fn from_point<S: F32x8>(
        w: S,
        point: DVec3,
        [lo, hi]: [S::Vector; 2],
        margin: f32,
    ) -> Self {
        let margin = margin + SEEN_ROUNDING * margin;
        let [x, y, z] = point.to_array();
        let point = w.convert_f64([x, y, z, 0.0], [x, y, z, 0.0]);
        let away = w.max(hi, w.sub(w.splat(0.0), lo));
        let size = w.add(w.max(point, w.sub(w.splat(0.0), point)), away);
        let s = w.add(w.mul(size, w.splat(SEEN_ROUNDING)), Self::margins(w, margin));
        let (lo, hi) = (w.sub(w.add(point, lo), s), w.add(w.add(point, hi), s));
        Self::from_bounds(w, [lo, hi, size])
    }

    /// From bounds and the largest coordinate among them.
    #[inline(always)]
    pub(crate) fn from_bounds<S: F32x8>(w: S, [lo, hi, size]: [S::Vector; 3]) -> Self {
        if w.movemask(w.cmp_gt(size, w.splat(MAX_COORDINATE))) == 0 {
            Self { lo: w.store(lo), hi: w.store(hi) }
        } else {
            // Sums of numbers so large may be anything.
            Self { lo: EMPTY_HI, hi: EMPTY_LO }
        }
    }
}

/// The box of some paths.
struct Around<I> {
    paths: I,
    margin: f64,
}

impl<I: Iterator<Item = [DVec3; 2]>> Work for Around<I> {
    type Output = MovingBox;

    #[inline(always)]
    fn run(self, w: impl F32x8) -> MovingBox {
        let m = MovingBox::margins(w, margin(self.margin));
        let (mut lo, mut hi, mut size) = (w.load(EMPTY_LO), w.load(EMPTY_HI), w.splat(0.0));
        for path in self.paths {
            let [l, h, s] = MovingBox::of_path(w, &path, m);
            (lo, hi, size) = (w.min(l, lo), w.max(h, hi), w.max(s, size));
        }
        MovingBox::from_bounds(w, [lo, hi, size])
    }
}

impl Volume for MovingBox {
    const EMPTY: Self = Self { lo: EMPTY_LO, hi: EMPTY_HI };
    const SHARPER_THAN_BOX: bool = true;
    const MOVES: bool = true;

    #[inline]
    fn around(paths: impl Iterator<Item = [DVec3; 2]>, margin: f64) -> Self {
        with_simd(Around { paths, margin })
    }

    #[inline]
    fn merge(self, other: Self) -> Self {
        let least = |a: f32, b: f32| if a < b { a } else { b };
        let most = |a: f32, b: f32| if a > b { a } else { b };
        Self {
            lo: std::array::from_fn(|k| least(self.lo[k], other.lo[k])),
            hi: std::array::from_fn(|k| most(self.hi[k], other.hi[k])),
        }
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        !any_above_twice(&self.lo, &other.hi, &other.lo, &self.hi)
    }

    fn inflate(self, margin: f64) -> Self {
        // A box of what moved by the margin is rounded anew; sixteen times its rounding is more than that.
        let mut all = self;
        for k in [0, 1, 2, 4, 5, 6] {
            let (lo, hi) = (f64::from(self.lo[k]), f64::from(self.hi[k]));
            let by =
                margin + 16.0 * f64::from(COORDINATE_ROUNDING) * (lo.abs() + hi.abs() + margin);
            (all.lo[k], all.hi[k]) = outward(lo - by, hi + by);
        }
        all
    }

    fn bounds(&self) -> Aabb {
        let wide = |v: &[f32; 8], f: fn(f32, f32) -> f32| {
            DVec3::from_array([0, 1, 2].map(|k| f64::from(f(v[k], v[k + 4]))))
        };
        Aabb { lo: wide(&self.lo, f32::min), hi: wide(&self.hi, f32::max) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(paths: &[[DVec3; 2]], margin: f64) -> MovingBox {
        MovingBox::around(paths.iter().copied(), margin)
    }

    #[test]
    fn what_moves_alike_is_told_apart_however_far_it_moves() {
        let by = DVec3::new(3.0, -2.0, 5.0);
        let at = |x: f64| [DVec3::new(x, 0.0, 0.0), DVec3::new(x, 0.0, 0.0) + by];
        let (a, b) = (around(&[at(0.0), at(0.1)], 0.01), around(&[at(0.13), at(0.2)], 0.01));
        assert!(!a.overlaps(&b) && !b.overlaps(&a));
        assert!(a.bounds().overlaps(&b.bounds()));
        let c = around(&[at(0.119), at(0.2)], 0.01);
        assert!(a.overlaps(&c) && c.overlaps(&a));
    }

    #[test]
    fn what_passes_through_the_other_side_overlaps() {
        let a = around(&[[DVec3::ZERO, DVec3::X]], 0.0);
        let b = around(&[[DVec3::X, DVec3::ZERO]], 0.0);
        assert!(a.overlaps(&b) && b.overlaps(&a));
    }

    #[test]
    fn numbers_beyond_the_limits_hold_everything() {
        let far = around(&[[DVec3::splat(1e40), DVec3::ONE]], 0.1);
        let near = around(&[[DVec3::ZERO; 2]], 0.1);
        assert!(far.overlaps(&near) && near.overlaps(&far));
        assert_eq!(far.merge(near), far);
        assert!(
            around(&[[DVec3::ZERO; 2]], 1e300).overlaps(&around(&[[DVec3::splat(1e20); 2]], 0.0))
        );
    }
}
