//! Whether the gradients of some parts of a cloth are all in one narrow cone.
//!
//! Asked for every rectangle of the material plane that a query comes to, each with a dozen parts or two. So
//! what is compared of a part is prepared once for each step: the axis of its cone, and the *axis tolerance* around it,
//! the square of the distance in which another axis may be for which all its gradients are within the limit. A part
//! then is eight numbers, and it has tolerance for an axis if `|axis − other|² − tolerance` is negative: one sum of eight.
//!
//! **Rounding.** Of numbers whose sum is near zero none is above 2, so that sum is off by less than 7 · 2 · 2⁻²³;
//! [`AXIS_TOLERANCE_ROUNDING`] is taken from every axis tolerance.

use super::gradient::{self, Gradient, GradientCone};
use crate::simd::{F32x8, Work, with_simd};
use rayon::prelude::*;

/// What is taken from the axis tolerance of a part.
const AXIS_TOLERANCE_ROUNDING: f32 = 2e-6;

/// The axis tolerance of a part without gradients; axes are never so far from zero.
const UNBOUNDED: f32 = 8.0;

/// The axis tolerance of a part whose gradients are not within the limit of any axis.
const EXCLUDED: f32 = -1.0;

/// Parts that are looked at together.
const LANES: usize = 4;

/// The axis of a part, its axis tolerance and a zero.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
struct Part([f32; 8]);

/// What is asked of the parts of a cloth.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    of: Vec<Part>,
}

impl Parts {
    /// Takes up the cones of all parts, which are to be nearer than `limit` to an axis [rad].
    pub(super) fn renew(&mut self, cones: &[GradientCone], limit: f32) {
        self.of.resize(cones.len(), Part([0.0; 8]));
        self.of.par_iter_mut().zip(cones).with_min_len(4096).for_each(|(part, cone)| {
            let [a, b, c, d, e, f] = if cone.angle < 0.0 { [0.0; 6] } else { cone.axis };
            *part = Part([a, b, c, d, e, f, axis_tolerance(cone.angle, limit), 0.0]);
        });
    }

    /// Whether a part's gradients alone are not within the limit.
    #[inline]
    pub(super) fn is_wide(&self, part: usize) -> bool {
        self.of[part].0[6] < 0.0
    }

    /// Whether the gradients of some parts are all within the limit of one isometry: that of the part `own`, or
    /// the mean of theirs. Without parts, or without a gradient in them, nothing is known.
    pub(super) fn are_flat(&self, parts: &[u32], own: usize) -> bool {
        with_simd(AreFlat { all: &self.of, parts, own })
    }
}

/// The axis tolerance around the axis of a cone.
#[inline]
fn axis_tolerance(angle: f32, limit: f32) -> f32 {
    if angle < 0.0 {
        return UNBOUNDED;
    }
    let axis_tolerance = 2.0 * gradient::chord2_within(angle, limit) - AXIS_TOLERANCE_ROUNDING;
    // Also for NaN.
    if axis_tolerance > 0.0 { axis_tolerance } else { EXCLUDED }
}

struct AreFlat<'a> {
    all: &'a [Part],
    parts: &'a [u32],
    own: usize,
}

impl Work for AreFlat<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self, w: impl F32x8) -> bool {
        let (mut sum, mut least) = (w.splat(0.0), w.splat(UNBOUNDED));
        for part in self.parts {
            let part = w.load(self.all[*part as usize].0);
            (sum, least) = (w.add(sum, part), w.min(part, least));
        }
        // The widest of them alone may be too wide, and the narrowest without gradients.
        let least = w.store(least)[6];
        if !(0.0..UNBOUNDED).contains(&least) {
            return false;
        }
        if self.has_tolerance(w, &self.all[self.own].0) {
            return true;
        }
        let [a, b, c, d, e, f, ..] = w.store(sum);
        let mean = gradient::nearest_isometry(&[a, b, c, d, e, f]);
        mean.is_some_and(|[a, b, c, d, e, f]: Gradient| {
            self.has_tolerance(w, &[a, b, c, d, e, f, 0.0, 0.0])
        })
    }
}

impl AreFlat<'_> {
    /// Whether an axis is within the tolerance of all parts.
    #[inline(always)]
    fn has_tolerance<S: F32x8>(&self, w: S, axis: &[f32; 8]) -> bool {
        let every = f32::from_bits(u32::MAX);
        let of_axis = w.load([every, every, every, every, every, every, 0.0, 0.0]);
        let of_room = w.load([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
        let axis = w.and(w.load(*axis), of_axis);
        for some in self.parts.chunks(LANES) {
            let mut terms = [w.splat(0.0); LANES];
            for (lane, terms) in terms.iter_mut().enumerate() {
                // The last one fills the lanes that are left.
                let part = some[lane.min(some.len() - 1)];
                let difference = w.sub(w.load(self.all[part as usize].0), axis);
                *terms = w.mul(difference, w.or(w.and(difference, of_axis), of_room));
            }
            let [a, b, c, d] = terms;
            let half = w.horizontal_add(w.horizontal_add(a, b), w.horizontal_add(c, d));
            let left = w.add(half, w.swap_halves(half));
            if w.movemask(w.cmp_gt(w.splat(0.0), left)) != 0xff {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The isometry that turns the plane by small angles about three axes.
    fn turned([a, b, c]: [f64; 3]) -> Gradient {
        let m = glam::DMat3::from_euler(glam::EulerRot::XYZ, a, b, c);
        let (u, v) = (m.x_axis.as_vec3(), m.y_axis.as_vec3());
        [u.x, u.y, u.z, v.x, v.y, v.z]
    }

    /// The angle between two isometries, as vectors.
    fn angle(a: &Gradient, b: &Gradient) -> f64 {
        let dot: f64 = a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
        (0.5 * dot).clamp(-1.0, 1.0).acos()
    }

    proptest! {
        #[test]
        fn parts_are_flat_only_about_an_axis_that_all_of_them_are_near_to(
            turns in prop::collection::vec(prop::array::uniform3(-0.5..0.5_f64), 1..30),
            angles in prop::collection::vec(-0.1..0.8_f32, 30), wide in 0.0..1.2_f32, limit in 0.1..0.78_f32,
        ) {
            let cone = |(turn, angle): (&[f64; 3], &f32)| GradientCone { axis: turned(*turn), angle: wide * angle };
            let cones: Vec<GradientCone> = turns.iter().zip(&angles).map(cone).collect();
            let mut parts = Parts::default();
            parts.renew(&cones, limit);
            let all: Vec<u32> = (0..cones.len() as u32).collect();
            let flat = parts.are_flat(&all, 0);
            let some = || cones.iter().filter(|c| c.angle >= 0.0);
            let mut sum = [0.0; 6];
            some().for_each(|c| (0..6).for_each(|n| sum[n] += c.axis[n]));
            // By how much the worst is too far from the better of both axes; angles by their cosines are off by 1e-3.
            let worst = |axis: &Gradient| {
                some().map(|c| angle(&c.axis, axis) + f64::from(c.angle - limit)).fold(f64::NEG_INFINITY, f64::max)
            };
            let own = if cones[0].angle >= 0.0 { worst(&cones[0].axis) } else { f64::INFINITY };
            let mean = gradient::nearest_isometry(&sum).map_or(f64::INFINITY, |axis| worst(&axis));
            let best = own.min(mean);
            if flat {
                prop_assert!(some().count() > 0 && best < 1e-3, "{own} {mean}");
            } else {
                prop_assert!(some().count() == 0 || best > -2e-3 - 0.002 * f64::from(limit), "{own} {mean}");
            }
        }
    }

    #[test]
    fn nothing_is_known_without_parts_or_gradients() {
        let flat = GradientCone { axis: turned([0.0; 3]), angle: 0.0 };
        let mut parts = Parts::default();
        parts.renew(&[flat, GradientCone::EMPTY, GradientCone::ALL], 0.7);
        assert!(!parts.are_flat(&[], 0));
        assert!(!parts.are_flat(&[1], 1) && !parts.are_flat(&[1, 1, 1, 1, 1], 0));
        assert!(parts.are_flat(&[0], 0) && parts.are_flat(&[0, 1], 1));
        assert!(!parts.are_flat(&[0, 0, 0, 0, 2], 0) && parts.is_wide(2) && !parts.is_wide(1));
        parts.renew(&[GradientCone { angle: f32::NAN, ..flat }], 0.7);
        assert!(!parts.are_flat(&[0], 0));
    }
}
