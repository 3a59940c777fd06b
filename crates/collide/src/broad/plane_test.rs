//! Single-precision separating-plane test for feature pairs of two leaves.
//!
//! Positions are taken relative to one vertex of the first leaf. If a direction n has
//! `n·(a_i − b_j) > r|n|` for all vertices of two features at both ends of the step, they stay farther
//! apart than r, as in [`crate::ccd::Filter`]. Tried is the mean of the differences.
//!
//! **Rounding.** With ε = 2⁻²⁴ and M the largest coordinate, a position is off by 2 ε M: it is rounded once,
//! and those of the second leaf are once moved. A dot product of n with it is off by 9 ε M |n|, and
//! the difference of two by 22 ε M |n|. [`SEPARATION_ERROR`] is beyond that, and [`ROUNDING_FACTOR`] beyond what
//! rounding can add to |n|² and to the squares that are compared.

use crate::simd::F32x8;
use glam::DVec3;

/// Bound on the error of a separation, relative to the largest coordinate and |n|.
const SEPARATION_ERROR: f32 = 32.0 / 16_777_216.0;

/// Largest coordinate.
const MAX_COORDINATE: f32 = 1e15;

/// Bound on the relative error of |n| and of a square's root.
const ROUNDING_FACTOR: f32 = 1.0 + 1e-5;

/// Three coordinates and a zero at the start of the step, and the same at its end [m].
pub(super) type MovingPoint = [f32; 8];

/// A path relative to a point.
#[inline]
pub(super) fn moving_point([a, b]: [DVec3; 2], origin: DVec3) -> MovingPoint {
    let ([p, q, r], [s, t, u]) = ((a - origin).to_array(), (b - origin).to_array());
    [p as f32, q as f32, r as f32, 0.0, s as f32, t as f32, u as f32, 0.0]
}

/// The largest coordinate of some places.
pub(super) fn largest(places: &[MovingPoint]) -> f32 {
    let mut most = [0.0_f32; 8];
    for place in places {
        for n in 0..8 {
            most[n] = if place[n].abs() > most[n] { place[n].abs() } else { most[n] };
        }
    }
    most.into_iter().fold(0.0, f32::max)
}

/// A distance below which features with coordinates up to `largest` may not be told apart; infinite if
/// products of these could overflow.
pub(super) fn separation_threshold(separation: f64, largest: f32) -> f32 {
    // Also for NaN.
    if largest < MAX_COORDINATE {
        ((separation as f32).next_up() + SEPARATION_ERROR * largest) * ROUNDING_FACTOR
    } else {
        f32::INFINITY
    }
}

#[inline(always)]
fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn most(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Whether the mean of their differences tells a vertex and a face apart.
#[inline(always)]
pub(super) fn vertex_face_apart<S: F32x8>(
    w: S,
    p: S::Vector,
    [a, b, c]: [S::Vector; 3],
    threshold: f32,
) -> bool {
    let face = w.add(w.add(a, b), c);
    let n = w.sub(w.mul(w.splat(3.0), p), face);
    let n = w.add(n, w.swap_halves(n));
    let (pa, bc) =
        (w.horizontal_add(w.mul(p, n), w.mul(a, n)), w.horizontal_add(w.mul(b, n), w.mul(c, n)));
    let [p, a, b, c, q, d, e, f] = w.store(w.horizontal_add(pa, bc));
    let gap = least(p - most(most(a, b), c), q - most(most(d, e), f));
    exceeds(w, gap, n, threshold)
}

/// Whether the mean of their differences tells two edges apart.
#[inline(always)]
pub(super) fn edges_apart<S: F32x8>(
    w: S,
    a: [S::Vector; 2],
    b: [S::Vector; 2],
    threshold: f32,
) -> bool {
    let n = w.sub(w.add(a[0], a[1]), w.add(b[0], b[1]));
    let n = w.add(n, w.swap_halves(n));
    let pq = w.horizontal_add(w.mul(a[0], n), w.mul(a[1], n));
    let rs = w.horizontal_add(w.mul(b[0], n), w.mul(b[1], n));
    let [p, q, r, s, t, u, x, y] = w.store(w.horizontal_add(pq, rs));
    let gap = least(least(p, q) - most(r, s), least(t, u) - most(x, y));
    exceeds(w, gap, n, threshold)
}

/// Whether a least n·d exceeds the threshold.
#[inline(always)]
fn exceeds<S: F32x8>(w: S, gap: f32, n: S::Vector, threshold: f32) -> bool {
    let [x, y, z, ..] = w.store(n);
    gap > 0.0 && gap * gap > threshold * threshold * (x * x + y * y + z * z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Work, with_simd};
    use proptest::prelude::*;

    type Four = [[DVec3; 2]; 4];

    /// What the two tests say of four vertices, from a point of their neighbourhood.
    struct Ask(Four, DVec3, f64);

    impl Work for Ask {
        type Output = [bool; 2];

        #[inline(always)]
        fn run(self, w: impl F32x8) -> [bool; 2] {
            let places = self.0.map(|path| moving_point(path, self.1));
            let [a, b, c, d] = places.map(|p| w.load(p));
            let threshold = separation_threshold(self.2, largest(&places));
            [
                vertex_face_apart(w, a, [b, c, d], threshold),
                edges_apart(w, [a, b], [c, d], threshold),
            ]
        }
    }

    /// The least coordinate of the differences along the mean of them, and their distance at some times.
    fn nearest(x: &Four, first: usize) -> f64 {
        let at = |t: f64| x.map(|[a, b]| a.lerp(b, t));
        let times = (0..=20).map(|i| at(f64::from(i) / 20.0));
        let distance = |[p, q, r, s]: [DVec3; 4]| {
            if first == 1 {
                let w = crate::distance::point_triangle(p, [q, r, s]);
                p.distance(w[0] * q + w[1] * r + w[2] * s)
            } else {
                let [a, b] = crate::distance::edge_edge([p, q], [r, s]);
                p.lerp(q, a).distance(r.lerp(s, b))
            }
        };
        times.map(distance).fold(f64::INFINITY, f64::min)
    }

    fn point() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn features_that_are_called_apart_are_farther_apart_than_the_separation(
            x in prop::array::uniform4([point(), point()]), far in point(), scale in -4..2_i32,
            offset in 0.0..1e3_f64, from in point(), separation in 0.0..1.0_f64,
        ) {
            let size = 10.0_f64.powi(scale);
            for (first, k) in [(1, 0), (2, 1)] {
                let mut x = x;
                x[first..].iter_mut().flatten().for_each(|x| *x += 2.0 * far);
                let x = x.map(|path| path.map(|x| size * x + DVec3::splat(offset)));
                let origin = size * from + DVec3::splat(offset);
                let separation = size * separation;
                if with_simd(Ask(x, origin, separation))[k] {
                    let found = nearest(&x, first);
                    prop_assert!(found > separation, "{found} {separation}");
                }
            }
        }
    }

    #[test]
    fn layers_are_told_apart_up_to_just_about_the_separation() {
        let still = |x: f64, y: f64, z: f64| [DVec3::new(x, y, z); 2];
        let face = [still(-1.0, -1.0, 0.0), still(1.0, -1.0, 0.0), still(0.0, 2.0, 0.0)];
        let ask = |z: f64| {
            with_simd(Ask([still(0.0, 0.0, z), face[0], face[1], face[2]], DVec3::ZERO, 0.1))[0]
        };
        assert!(ask(0.1001) && ask(-0.1001) && !ask(0.1) && !ask(0.0999));
        let edges = |z: f64| {
            let (a, b) = (
                [still(-1.0, 0.0, z), still(1.0, 0.0, z)],
                [still(0.0, -1.0, 0.0), still(0.0, 1.0, 0.0)],
            );
            with_simd(Ask([a[0], a[1], b[0], b[1]], DVec3::ZERO, 0.1))[1]
        };
        assert!(edges(0.1001) && edges(-0.1001) && !edges(0.1) && !edges(0.0999));
        // Numbers that are not finite tell nothing.
        assert!(!ask(f64::NAN) && !edges(f64::INFINITY));
    }
}
