//! Cones of deformation gradients: regions that surely do not intersect themselves.
//!
//! Let uv be the material coordinates and F the 3×2 deformation gradient of a triangle. F is linear
//! in time, so its convex hull over a step is that of its values at both ends.
//!
//! **Theorem.** Let K be a convex set of the material plane, covered once and without slit by
//! triangles of the surface, and U a 3×2 matrix. If for all these triangles, at both ends of the step,
//! `Uw · Fw > 0` for every w ≠ 0, then x is injective on K at all times of the step.
//!
//! *Proof.* Take p ≠ q in K, w = (q − p)/|q − p|. The segment from p to q lies in K, so
//! `Uw · (x(q) − x(p)) = ∫ Uw · Fw ds > 0`, at every time, since the integrand is linear in F. ∎
//!
//! So there are no self-intersections, and no second test of the outline is needed. Unlike normal
//! cones, which say only that the surface has no fold, this sees strips that are wound to funnels.
//!
//! **Cone.** Let U have orthonormal columns, `|U|² = 2` in the Frobenius norm. Over all F at an angle of
//! at most θ from U in the space of 3×2 matrices, `Uw · Fw > 0` holds for all w exactly if `θ < 45°`:
//! the nearest F with `Uw · Fw = 0` is `U − Uw wᵀ`, and `|Uw wᵀ| = 1` is the sine of 45° times |U|. A
//! cone is about the nearest such U to the mean of its gradients, not about the mean: the smallest
//! cone is not the one that says most. Accepted are, about the best U: bending by ±65.5°, simple shear
//! up to ±54.7°, and any stretch along one thread. (A ball of gradients about the best centre accepts
//! bending by ±45°, shear ±45°, stretch up to 200 %; boxes accept less, depending on orientation.)
//!
//! **Detours.** If the segment has to be replaced by a path in K whose pieces differ from its direction
//! by at most Δ, the same reasoning gives `sin θ < cos Δ / √2`: see [`limit`] and [`super::Covers`].
//!
//! Limits: 32-bit arithmetic; [`ANGLE_ROUNDING`] covers it for triangles whose material shape is not
//! more extreme than [`MAX_CONDITION`]; others are refused.

use glam::{DVec2, DVec3};
use std::f32::consts::PI;

/// A deformation gradient: its column of u, then that of v.
pub type Gradient = [f32; 6];

/// What rounding can amount to in an angle [rad]. A gradient is the product of the edges and an inverse,
/// each term rounded four times; it is off by at most 4 · 2⁻²⁴ √2 times [`MAX_CONDITION`], 7e-5, relative
/// to itself. Merging rounds by less than 1e-6 on each level, which it counts itself.
pub const ANGLE_ROUNDING: f64 = 2e-4;

/// Largest ratio of the singular values of a triangle's material edges.
pub const MAX_CONDITION: f64 = 200.0;

/// Angle of a cone below which a region cannot intersect itself, if its points are joined by paths
/// that deviate by at most `detour` from the straight direction [rad]; 0 if none can be given.
pub fn limit(detour: f64) -> f32 {
    let sine = libm::cos(detour) * std::f64::consts::FRAC_1_SQRT_2;
    ((libm::asin(sine) - ANGLE_ROUNDING) as f32).max(0.0)
}

/// A triangle prepared for its deformation gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestTriangle {
    pub(super) vertices: [u32; 3],
    /// Inverse of the matrix of its material edges, row by row [1/m].
    pub(super) inverse: [f32; 4],
}

impl RestTriangle {
    /// `None` if the triangle has no area in the material plane, or nearly so.
    pub fn new(vertices: [u32; 3], uv: [DVec2; 3]) -> Option<Self> {
        let (d, e) = (uv[1] - uv[0], uv[2] - uv[0]);
        let det = d.perp_dot(e);
        // For 2×2, σ₁/σ₂ + σ₂/σ₁ = |D|²/|det|, which also bounds the ratio itself.
        let ratio = (d.length_squared() + e.length_squared()) / det.abs();
        // A NaN is refused with the rest.
        if ratio.is_nan() || ratio > MAX_CONDITION {
            return None;
        }
        let inverse = [e.y / det, -e.x / det, -d.y / det, d.x / det].map(|i| i as f32);
        Some(Self { vertices, inverse })
    }

    /// Its gradient at some positions.
    #[inline]
    pub fn gradient(&self, x: &[DVec3]) -> Gradient {
        let [a, b, c] = self.vertices.map(|v| x[v as usize]);
        let (d, e) = ((b - a).to_array(), (c - a).to_array());
        let [i, j, k, l] = self.inverse;
        let mut f = [0.0; 6];
        for n in 0..3 {
            let (d, e) = (d[n] as f32, e[n] as f32);
            f[n] = d * i + e * k;
            f[n + 3] = d * j + e * l;
        }
        f
    }
}

/// All gradients of a region over a step are within `angle` of `axis` in R⁶.
///
/// Cones are looked up here and there, so none of them is to lie across two lines of cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub struct GradientCone {
    /// A 3×2 matrix with orthonormal columns, its first column first.
    pub axis: Gradient,
    /// Half-angle [rad]; π means anything, a negative one that there is no gradient.
    pub angle: f32,
}

impl GradientCone {
    /// Any gradient: nothing can be said.
    pub const ALL: Self = Self { axis: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0], angle: PI };

    /// The cone of no gradient.
    pub const EMPTY: Self = Self { axis: Self::ALL.axis, angle: -1.0 };

    /// The cone of some gradients; they are normalised in place.
    pub fn of_gradients(gradients: &mut [Gradient]) -> Self {
        let mut mean = [0.0; 6];
        for f in gradients.iter_mut() {
            let scale = inverse_root(dot(f, f));
            for n in 0..6 {
                f[n] *= scale;
                mean[n] += f[n];
            }
        }
        if gradients.is_empty() {
            return Self::EMPTY;
        }
        // A gradient that is zero or not finite has made the mean NaN, and there is no axis.
        let Some(axis) = nearest_isometry(&mean) else { return Self::ALL };
        let scaled = axis.map(|a| a * std::f32::consts::FRAC_1_SQRT_2);
        let chord2 = gradients.iter().map(|f| distance2(f, &scaled)).fold(0.0, f32::max);
        Self { axis, angle: angle_of_chord(chord2) }
    }

    /// The cone around both, about the isometry that is about best.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        if self.angle < 0.0 || other.angle < 0.0 {
            return if self.angle < 0.0 { other } else { self };
        }
        if self.angle.max(other.angle) >= PI {
            return Self::ALL;
        }
        let between = self.angle_to(&other.axis);
        if between + other.angle <= self.angle {
            return self;
        }
        if between + self.angle <= other.angle {
            return other;
        }
        let s = 0.5 + 0.5 * (other.angle - self.angle) / between;
        let mut mean = self.axis;
        for n in 0..6 {
            mean[n] += s * (other.axis[n] - self.axis[n]);
        }
        let Some(axis) = nearest_isometry(&mean) else { return Self::ALL };
        let from = |c: &Self| c.angle_to(&axis) + c.angle;
        let angle = from(&self).max(from(&other)) + MERGE_ROUNDING;
        if angle < PI { Self { axis, angle } } else { Self::ALL }
    }

    /// Whether a convex, fully covered region with these gradients cannot intersect itself.
    pub fn is_injective(&self) -> bool {
        self.angle < limit(0.0)
    }

    #[inline]
    fn angle_to(&self, axis: &Gradient) -> f32 {
        angle_of_chord(0.5 * distance2(&self.axis, axis))
    }
}

/// The square of the distance, with both of length 1, within which an axis is so near to that of a cone that all
/// its gradients are nearer than `limit` [rad]; not positive if there is none.
#[inline]
pub(super) fn chord2_within(angle: f32, limit: f32) -> f32 {
    // The square of a chord is 4 sin²(r/2) = r² − r⁴/12 + …, whose terms alternate and decrease.
    let r = limit - angle - MERGE_ROUNDING;
    if r > 0.0 { r * r * (1.0 - r * r / 12.0) } else { r }
}

/// Rounding of one merge [rad].
const MERGE_ROUNDING: f32 = 1e-6;

/// Whether `Uw · Fw > 0` for all w and all gradients, U any matrix, such as the axis of a cone that is
/// too wide. Sharper than a cone (bending up to ±90°), but it has to look at every gradient.
pub fn is_forward(u: &Gradient, mut gradients: impl Iterator<Item = Gradient>) -> bool {
    // The symmetric part of UᵀF has to be positive definite, by more than rounding.
    let scale = dot(u, u);
    gradients.all(|f| {
        let column = |g: &Gradient, k: usize| [g[3 * k], g[3 * k + 1], g[3 * k + 2]];
        let product = |i, j| {
            let (a, b) = (column(u, i), column(&f, j));
            a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
        };
        let bound = ANGLE_ROUNDING as f32 * (scale * dot(&f, &f)).sqrt();
        let (p, q) = (product(0, 0) - bound, product(1, 1) - bound);
        let mixed = 0.5 * (product(0, 1) + product(1, 0));
        p > 0.0 && q > 0.0 && p * q > mixed * mixed
    })
}

#[inline]
fn dot(a: &Gradient, b: &Gradient) -> f32 {
    let mut sum = 0.0;
    for n in 0..6 {
        sum += a[n] * b[n];
    }
    sum
}

/// One over the length of a gradient from its square; NaN where that has lost digits by underflow, for a
/// gradient that is longer or shorter than 1 seems to be at a smaller angle than it is.
#[inline]
fn inverse_root(square: f32) -> f32 {
    if square < f32::MIN_POSITIVE { f32::NAN } else { 1.0 / square.sqrt() }
}

#[inline]
fn distance2(a: &Gradient, b: &Gradient) -> f32 {
    let mut sum = 0.0;
    for n in 0..6 {
        sum += (a[n] - b[n]) * (a[n] - b[n]);
    }
    sum
}

/// An upper bound on the angle between unit vectors from the square of their distance c²; 0.1 % too
/// large at 45°, exact at a right angle, and π beyond. All terms of `2 asin(c/2) = c + c³/24 + …` are
/// positive, so the rest of the series is bounded by a c⁵ fitted at c = √2.
#[inline]
pub(super) fn angle_of_chord(chord2: f32) -> f32 {
    const K: f32 = 0.006_847; // (π/√8 − 1 − 1/12) / 4, rounded up
    if chord2 > 2.0 || chord2.is_nan() {
        return PI;
    }
    chord2.sqrt() * (1.0 + chord2 * (1.0 / 24.0 + K * chord2))
}

/// The matrix with orthonormal columns that is nearest to `m`: its polar factor `m (mᵀm)^(−1/2)`, the
/// root of a 2×2 matrix G with s = √det G being `(G + s) / √(tr G + 2s)`. None if `m` is too far
/// from any, or not finite.
#[inline]
pub(super) fn nearest_isometry(m: &Gradient) -> Option<Gradient> {
    // Below this ratio of singular values of about 1 : 10 rounding would spoil the result.
    const FLATTEST: f32 = 0.01;
    let [p, q] = [[m[0], m[1], m[2]], [m[3], m[4], m[5]]];
    let inner = |a: &[f32; 3], b: &[f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (a, b, c) = (inner(&p, &p), inner(&p, &q), inner(&q, &q));
    let (det, trace) = (a * c - b * b, a + c);
    if !(det > FLATTEST * trace * trace && trace.is_finite()) {
        return None;
    }
    let s = det.sqrt();
    let scale = 1.0 / (s * (trace + 2.0 * s).sqrt());
    let mut axis = [0.0; 6];
    for n in 0..3 {
        axis[n] = ((c + s) * p[n] - b * q[n]) * scale;
        axis[n + 3] = ((a + s) * q[n] - b * p[n]) * scale;
    }
    Some(axis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FLAT: Gradient = GradientCone::ALL.axis;

    /// Gradients of a sheet bent about its v axis, from −angle to angle.
    fn bent(angle: f32) -> Vec<Gradient> {
        (-20..=20)
            .map(|i| angle * i as f32 / 20.0)
            .map(|a| [a.cos(), 0.0, a.sin(), 0.0, 1.0, 0.0])
            .collect()
    }

    fn is_accepted(mut gradients: Vec<Gradient>) -> bool {
        GradientCone::of_gradients(&mut gradients).is_injective()
    }

    #[test]
    fn bending_shear_and_stretch_are_accepted_up_to_the_stated_limits() {
        assert!(is_accepted(bent(65.0_f32.to_radians())));
        assert!(!is_accepted(bent(66.0_f32.to_radians())));
        let sheared = |s: f32| [[1.0, 0.0, 0.0, -s, 1.0, 0.0], [1.0, 0.0, 0.0, s, 1.0, 0.0]];
        assert!(is_accepted(sheared(1.41).to_vec()));
        assert!(!is_accepted(sheared(1.42).to_vec()));
        assert!(is_accepted(vec![[6.0, 0.0, 0.0, 0.0, 1.0, 0.0], FLAT, FLAT]));
    }

    #[test]
    fn looking_at_every_gradient_accepts_nearly_a_half_turn() {
        assert!(is_forward(&FLAT, bent(89.0_f32.to_radians()).into_iter()));
        assert!(!is_forward(&FLAT, bent(91.0_f32.to_radians()).into_iter()));
    }

    #[test]
    fn nothing_and_anything_are_neutral_and_absorbing() {
        let cone = GradientCone::of_gradients(&mut bent(0.5));
        assert_eq!(GradientCone::EMPTY.merge(cone), cone);
        assert_eq!(cone.merge(GradientCone::EMPTY), cone);
        assert_eq!(cone.merge(GradientCone::ALL), GradientCone::ALL);
        assert_eq!(GradientCone::of_gradients(&mut []), GradientCone::EMPTY);
    }

    #[test]
    fn collapsed_and_broken_gradients_say_nothing() {
        for bad in [0.0, f32::NAN, f32::INFINITY, 1e-30, 1e30] {
            assert!(!is_accepted(vec![FLAT, FLAT, [bad; 6]]), "{bad}");
        }
    }

    #[test]
    fn gradients_too_small_for_their_squares_say_nothing() {
        let shrunk = |by: f32| bent(0.5).iter().map(|f| f.map(|x| x * by)).collect::<Vec<_>>();
        assert!(is_accepted(shrunk(1e-18)));
        assert!(!is_accepted(shrunk(1e-22)) && !is_accepted(shrunk(3e-23)));
    }

    #[test]
    fn a_triangle_flat_in_the_material_plane_has_no_gradient() {
        let line = [DVec2::ZERO, DVec2::X, DVec2::new(2.0, 1e-9)];
        assert_eq!(RestTriangle::new([0, 1, 2], line), None);
        assert_eq!(RestTriangle::new([0, 1, 2], [DVec2::NAN; 3]), None);
    }

    #[test]
    fn the_gradient_is_that_of_a_linear_map() {
        let uv = [DVec2::new(0.3, 0.1), DVec2::new(0.9, 0.2), DVec2::new(0.4, 0.8)];
        let (p, q) = (DVec3::new(1.0, 2.0, -0.5), DVec3::new(0.25, -1.0, 3.0));
        let x = uv.map(|c| p * c.x + q * c.y + DVec3::splat(7.0));
        let f = RestTriangle::new([0, 1, 2], uv).map(|t| t.gradient(&x)).unwrap_or_default();
        for n in 0..3 {
            assert!((f[n] - p[n] as f32).abs() < 1e-5 && (f[n + 3] - q[n] as f32).abs() < 1e-5);
        }
    }

    fn gradient() -> impl Strategy<Value = Gradient> {
        prop::array::uniform6(-0.4..0.4_f32).prop_map(|mut f| {
            f[0] += 1.0;
            f[4] += 1.0;
            f
        })
    }

    proptest! {
        #[test]
        fn whatever_an_injective_cone_holds_moves_forward(
            f in prop::collection::vec(gradient(), 1..6),
            g in prop::collection::vec(gradient(), 1..6), w in 0.0..6.3_f32,
        ) {
            let cone = GradientCone::of_gradients(&mut f.clone())
                .merge(GradientCone::of_gradients(&mut g.clone()));
            prop_assume!(cone.is_injective());
            let image = |f: &Gradient| [0, 1, 2].map(|n| f[n] * w.cos() + f[n + 3] * w.sin());
            let along = image(&cone.axis);
            for f in f.iter().chain(&g) {
                let x = image(f);
                prop_assert!(along[0] * x[0] + along[1] * x[1] + along[2] * x[2] > 0.0);
                let norm = dot(f, f).sqrt() * std::f32::consts::SQRT_2;
                prop_assert!(dot(f, &cone.axis) / norm >= cone.angle.cos() - 1e-6);
            }
        }

        #[test]
        fn an_axis_has_orthonormal_columns(f in gradient()) {
            let axis = nearest_isometry(&f).unwrap_or(FLAT);
            let inner = |i: usize, j: usize| (0..3).map(|n| axis[3 * i + n] * axis[3 * j + n]).sum::<f32>();
            prop_assert!((inner(0, 0) - 1.0).abs() < 1e-4 && (inner(1, 1) - 1.0).abs() < 1e-4);
            prop_assert!(inner(0, 1).abs() < 1e-4);
        }
    }
}
