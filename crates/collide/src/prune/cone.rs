//! Cones of normals (D6a, [provot1997] §2.2).
//!
//! If all normals of a connected patch stay within a half-angle α < π/2 of an axis, the patch is a
//! graph over the plane across that axis and cannot fold over itself. A parent's axis is the mean
//! of its children's axes and `α = β/2 + max(α₁, α₂)`, β the angle between the children's axes.
//!
//! Erratum: the paper's bound α < π is that of the full apex angle; with its own recurrence α is a
//! *half*-angle, and the bound is π/2.
//!
//! During a step the normal of a triangle moves. With vertices on straight lines it is quadratic in
//! time, `n(t) = (1−t)² n₀ + 2t(1−t) n₁ + t² n₂`, so it stays inside the convex cone of its three
//! control vectors [tang2009]; a leaf's cone is the one around these.
//!
//! Limits: the condition says nothing about the outline of the patch. A long strip can be wound
//! around a steep funnel, all its normals inside a cone, and cross itself where its outline does.
//! Unrolled, one turn around a funnel whose normals make the angle α with its axis is a sector of
//! 2π cos α, and a straight strip covers less than half a turn of the unrolled plane, so below
//! α = 60° no strip closes a turn. [`DEFAULT_LIMIT`] stays under that.

use super::CurvatureBound;
use glam::DVec3;
use std::f64::consts::PI;

/// Half-angle below which a patch is taken to be free of self-collision [rad]: 57°.
pub const DEFAULT_LIMIT: f64 = 1.0;

/// An axis and a half-angle that hold the normals of a patch over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Unit axis.
    pub axis: DVec3,
    /// Half-angle [rad]; π means anything.
    pub angle: f64,
}

impl Cone {
    /// Every direction: nothing can be said.
    pub const ALL: Self = Self { axis: DVec3::Y, angle: PI };

    /// The cone of a triangle whose corners move from `[0]` to `[1]`.
    pub fn of_triangle(corners: [[DVec3; 2]; 3]) -> Self {
        Self::of_triangles([corners].into_iter())
    }
}

impl CurvatureBound for Cone {
    /// The axis is the mean of the normals, weighted by area; the angle is that to the control vector
    /// farthest from it.
    fn of_triangles(triangles: impl Iterator<Item = [[DVec3; 2]; 3]> + Clone) -> Self {
        let edges =
            |[a, b, c]: [[DVec3; 2]; 3]| [b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]];
        let mean = |[e0, e1, f0, f1]: [DVec3; 4]| (e0 + e1).cross(f0 + f1);
        let sum: DVec3 = triangles.clone().map(|t| mean(edges(t))).sum();
        let axis = sum.normalize_or_zero();
        // Smallest squared cosine of the angle to the axis.
        let mut least = 1.0_f64;
        for t in triangles {
            let [e0, e1, f0, f1] = edges(t);
            // A triangle that loses its area, or turns over, has no trustworthy normal; and beyond
            // a right angle a cone is not convex: its vectors' mixtures can leave it.
            for n in [e0.cross(f0), e0.cross(f1) + e1.cross(f0), e1.cross(f1)] {
                let along = axis.dot(n);
                let square = n.length_squared();
                if !(along > 0.0 && square > 0.0) {
                    return Self::ALL;
                }
                least = least.min(along * along / square);
            }
        }
        // Square roots and arc cosines of numbers near 1 lose half their digits.
        const ANGLE_ERROR: f64 = 1e-7;
        Self { axis, angle: libm::acos(least.sqrt()) + ANGLE_ERROR }
    }

    /// The cone around two [provot1997].
    fn merge(self, other: Self) -> Self {
        let axis = (self.axis + other.axis).normalize_or_zero();
        let angle = 0.5 * angle_between(self.axis, other.axis) + self.angle.max(other.angle);
        if axis == DVec3::ZERO || angle >= PI {
            return Self::ALL;
        }
        Self { axis, angle }
    }
}

/// An upper bound on the angle between two unit vectors, exact at 0 and at a right angle, less than
/// 1 % too large in between, and π beyond: cheaper than an arc tangent for every triangle.
///
/// With the chord c = |a − b| the angle is `2 asin(c/2) = c + c³/24 + …`; all terms of the series are
/// positive, so `c + K c³` with K fitted at c = √2 bounds it from above.
fn angle_between(a: DVec3, b: DVec3) -> f64 {
    const K: f64 = 0.055_361; // (π/2 − √2)/√8, rounded up
    let chord2 = a.distance_squared(b);
    if chord2 > 2.0 { PI } else { chord2.sqrt() * (1.0 + K * chord2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact_angle(a: DVec3, b: DVec3) -> f64 {
        a.cross(b).length().atan2(a.dot(b))
    }

    fn still(corners: [DVec3; 3]) -> [[DVec3; 2]; 3] {
        corners.map(|c| [c, c])
    }

    #[test]
    fn a_triangle_at_rest_has_its_normal_and_no_angle() {
        let cone = Cone::of_triangle(still([DVec3::ZERO, DVec3::X, DVec3::Y]));
        assert!((cone.axis - DVec3::Z).length() < 1e-15);
        assert!(cone.angle < 1e-6);
    }

    #[test]
    fn a_parent_follows_the_recurrence_of_the_paper() {
        let a = Cone { axis: DVec3::X, angle: 0.1 };
        let b = Cone { axis: DVec3::Y, angle: 0.3 };
        let c = a.merge(b);
        assert!((c.angle - (PI / 4.0 + 0.3)).abs() < 1e-5);
        assert!((c.axis - DVec3::new(1.0, 1.0, 0.0).normalize()).length() < 1e-12);
    }

    #[test]
    fn opposite_normals_say_nothing() {
        let a = Cone { axis: DVec3::X, angle: 0.0 };
        assert_eq!(a.merge(Cone { axis: -DVec3::X, angle: 0.0 }), Cone::ALL);
    }

    #[test]
    fn a_degenerate_triangle_says_nothing() {
        let line = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        assert_eq!(Cone::of_triangle(still(line)), Cone::ALL);
    }

    #[test]
    fn the_bound_on_an_angle_is_never_below_it_and_hardly_above() {
        for i in 0..=9000 {
            let angle = f64::from(i) * PI / 18_000.0;
            let bound = angle_between(DVec3::X, DVec3::new(angle.cos(), angle.sin(), 0.0));
            assert!(bound >= angle - 1e-12 && bound <= angle * 1.01 + 1e-9, "{angle} {bound}");
        }
        assert_eq!(angle_between(DVec3::X, DVec3::new(-0.1, 1.0, 0.0).normalize()), PI);
    }

    fn point() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn the_normal_stays_inside_over_the_whole_step(
            a in [point(), point()], b in [point(), point()], c in [point(), point()],
            t in 0.0..1.0_f64,
        ) {
            let cone = Cone::of_triangle([a, b, c]);
            let at = |p: [DVec3; 2]| p[0].lerp(p[1], t);
            let n = (at(b) - at(a)).cross(at(c) - at(a)).normalize_or_zero();
            prop_assert!(exact_angle(cone.axis, n) <= cone.angle + 1e-9);
        }
    }
}
