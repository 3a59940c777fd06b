//! Distances of points and segments from triangles, in rounded arithmetic.
//!
//! The minimum is taken over all critical points rather than by regions, so that triangles of zero
//! area need no case of their own. Relative error about 1e-12 of the largest coordinate involved.

use crate::simplex::Simplex;
use glam::DVec3;

/// Squared distance of a point from a segment.
fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let d = b - a;
    let length = d.length_squared();
    let t = if length > 0.0 { ((p - a).dot(d) / length).clamp(0.0, 1.0) } else { 0.0 };
    (a + t * d).distance_squared(p)
}

/// Squared distance of a point from a triangle.
pub(crate) fn point_triangle(p: DVec3, t: [DVec3; 3]) -> f64 {
    let [a, b, c] = t;
    let edges = point_segment(p, a, b).min(point_segment(p, b, c)).min(point_segment(p, c, a));
    edges.min(point_face(p, t))
}

/// Squared distance of a point from the plane of a triangle if it is nearest to its inside.
fn point_face(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let n = (b - a).cross(c - a);
    let above = |a: DVec3, b: DVec3| n.dot((b - a).cross(p - a)) > 0.0;
    if above(a, b) && above(b, c) && above(c, a) {
        let h = n.normalize().dot(p - a);
        h * h
    } else {
        f64::INFINITY
    }
}

/// Squared distance of two segments.
fn segment_segment(p: DVec3, q: DVec3, a: DVec3, b: DVec3) -> f64 {
    let ends = point_segment(p, a, b)
        .min(point_segment(q, a, b))
        .min(point_segment(a, p, q))
        .min(point_segment(b, p, q));
    // The pair of points nearest on the two lines, if it is within both.
    let (d, e, r) = (q - p, b - a, p - a);
    let (dd, de, ee, dr, er) = (d.dot(d), d.dot(e), e.dot(e), d.dot(r), e.dot(r));
    let det = dd * ee - de * de;
    let (s, t) = ((de * er - ee * dr) / det, (dd * er - de * dr) / det);
    if det > 0.0 && (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        ends.min((p + s * d).distance_squared(a + t * e))
    } else {
        ends
    }
}

/// Squared distance of a segment from a triangle; zero exactly if they meet.
pub(crate) fn segment_triangle(p: DVec3, q: DVec3, t: [DVec3; 3]) -> f64 {
    if Simplex::of_segment(p, q).meets(Simplex::of_triangle(t)) {
        return 0.0;
    }
    let [a, b, c] = t;
    segment_segment(p, q, a, b)
        .min(segment_segment(p, q, b, c))
        .min(segment_segment(p, q, c, a))
        .min(point_face(p, t))
        .min(point_face(q, t))
}
