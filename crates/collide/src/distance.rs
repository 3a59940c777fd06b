//! Closest points of features.
//!
//! Every function returns the weights of the closest points, not the points: contacts, friction and
//! barriers all need to know which vertices carry how much.

use glam::DVec3;

/// Weight of `b` in the point of segment ab nearest to `p`.
#[inline]
pub fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let ab = b - a;
    let len2 = ab.length_squared();
    if len2 > 0.0 { ((p - a).dot(ab) / len2).clamp(0.0, 1.0) } else { 0.0 }
}

/// Weights of a, b, c in the point of triangle abc nearest to `p` [ericson2005, §5.1.5].
///
/// Slivers and triangles without area fall back to their edges.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::distance::point_triangle;
///
/// let weights = point_triangle(DVec3::new(-1.0, 1.0, -1.0), [DVec3::ZERO, DVec3::X, DVec3::Z]);
/// assert_eq!(weights, [1.0, 0.0, 0.0]); // the first corner is the nearest
/// ```
pub fn point_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let w = point_segment(p, a, b);
        return [1.0 - w, w, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = point_segment(p, a, c);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = point_segment(p, b, c);
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    if v.is_finite() && w.is_finite() { [1.0 - v - w, v, w] } else { [1.0, 0.0, 0.0] }
}

/// The nearest of the three edges: right also where [`point_triangle`] has lost its digits.
pub fn point_triangle_edges(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (s, t, u) = (point_segment(p, a, b), point_segment(p, b, c), point_segment(p, c, a));
    let options = [[1.0 - s, s, 0.0], [0.0, 1.0 - t, t], [u, 0.0, 1.0 - u]];
    let distance = |w: &[f64; 3]| (p - (w[0] * a + w[1] * b + w[2] * c)).length_squared();
    options.into_iter().min_by(|v, w| distance(v).total_cmp(&distance(w))).unwrap_or(options[0])
}

/// Weights of `a[1]` and `b[1]` in the nearest points of segments a and b [ericson2005, §5.1.9].
///
/// ```
/// use glam::DVec3;
/// use toile_collide::distance::edge_edge;
///
/// let (a, b) = ([DVec3::ZERO, DVec3::X], [DVec3::new(0.5, 1.0, -1.0), DVec3::new(0.5, 1.0, 1.0)]);
/// assert_eq!(edge_edge(a, b), [0.5, 0.5]);
/// ```
pub fn edge_edge([a0, a1]: [DVec3; 2], [b0, b1]: [DVec3; 2]) -> [f64; 2] {
    let (d1, d2, r) = (a1 - a0, b1 - b0, a0 - b0);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    if a <= 0.0 {
        return [0.0, point_segment(a0, b0, b1)];
    }
    if e <= 0.0 {
        return [point_segment(b0, a0, a1), 0.0];
    }
    let (b, c) = (d1.dot(d2), d1.dot(r));
    let denominator = a * e - b * b;
    let s = if denominator > 0.0 { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
    let t = (b * s + f) / e;
    if t < 0.0 {
        [(-c / a).clamp(0.0, 1.0), 0.0]
    } else if t > 1.0 {
        [((b - c) / a).clamp(0.0, 1.0), 1.0]
    } else {
        [s, t]
    }
}

/// The nearest pair with an end of one of the edges: right also for nearly parallel edges, where
/// [`edge_edge`] has lost its digits.
pub fn edge_edge_ends(a: [DVec3; 2], b: [DVec3; 2]) -> [f64; 2] {
    let options = [
        [0.0, point_segment(a[0], b[0], b[1])],
        [1.0, point_segment(a[1], b[0], b[1])],
        [point_segment(b[0], a[0], a[1]), 0.0],
        [point_segment(b[1], a[0], a[1]), 1.0],
    ];
    let distance = |w: &[f64; 2]| a[0].lerp(a[1], w[0]).distance_squared(b[0].lerp(b[1], w[1]));
    options.into_iter().min_by(|v, w| distance(v).total_cmp(&distance(w))).unwrap_or(options[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = DVec3> {
        [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn no_sampled_point_of_the_triangle_is_nearer(
            p in point(), t in [point(), point(), point()], u in 0.0..1.0_f64, v in 0.0..1.0_f64,
        ) {
            let w = point_triangle(p, t);
            prop_assert!((w[0] + w[1] + w[2] - 1.0).abs() < 1e-12 && w.iter().all(|w| *w >= -1e-12));
            let nearest = p.distance(w[0] * t[0] + w[1] * t[1] + w[2] * t[2]);
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let other = p.distance((1.0 - u - v) * t[0] + u * t[1] + v * t[2]);
            prop_assert!(nearest <= other + 1e-12);
        }

        #[test]
        fn no_sampled_pair_of_the_edges_is_nearer(
            a in [point(), point()], b in [point(), point()], u in 0.0..1.0_f64, v in 0.0..1.0_f64,
        ) {
            let [s, t] = edge_edge(a, b);
            let nearest = a[0].lerp(a[1], s).distance(b[0].lerp(b[1], t));
            let other = a[0].lerp(a[1], u).distance(b[0].lerp(b[1], v));
            prop_assert!(nearest <= other + 1e-12);
        }
    }

    #[test]
    fn segments_and_points_without_extent_are_handled() {
        let o = DVec3::ZERO;
        assert_eq!(point_triangle(DVec3::Z, [o, o, o]), [1.0, 0.0, 0.0]);
        assert_eq!(edge_edge([o, o], [DVec3::X, DVec3::X]), [0.0, 0.0]);
        let w = point_triangle_edges(DVec3::new(0.5, 1.0, 0.0), [o, DVec3::X, DVec3::X * 2.0]);
        assert_eq!(w, [0.5, 0.5, 0.0]);
    }
}
