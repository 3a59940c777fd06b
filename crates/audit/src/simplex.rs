//! Whether two closed simplices (points, segments, triangles) have a common point, exactly.
//!
//! A triangle of zero area is the segment or the point that it covers. Every decision is a sign of
//! [`crate::predicates`] or a comparison of coordinates; no quantity is ever rounded.

use crate::predicates::{Projection, before_or_equal, orient3};
use glam::DVec3;

/// A closed simplex that is not degenerate: its corners are affinely independent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Simplex {
    Point(DVec3),
    Segment([DVec3; 2]),
    Triangle([DVec3; 3]),
}

impl Simplex {
    /// What three corners cover.
    pub(crate) fn of_triangle(corners: [DVec3; 3]) -> Self {
        let [a, b, c] = corners;
        if Projection::of_plane(a, b, c).is_some() {
            return Self::Triangle(corners);
        }
        let (mut first, mut last) = (a, a);
        for p in [b, c] {
            if before_or_equal(p, first) {
                first = p;
            }
            if before_or_equal(last, p) {
                last = p;
            }
        }
        Self::of_segment(first, last)
    }

    /// What two end points cover.
    pub(crate) fn of_segment(a: DVec3, b: DVec3) -> Self {
        if a == b { Self::Point(a) } else { Self::Segment([a, b]) }
    }

    /// Whether the two have a common point.
    pub(crate) fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::Point(p), Self::Point(q)) => p == q,
            (Self::Point(p), Self::Segment(s)) | (Self::Segment(s), Self::Point(p)) => {
                point_segment(p, s)
            }
            (Self::Point(p), Self::Triangle(t)) | (Self::Triangle(t), Self::Point(p)) => {
                point_triangle(p, t)
            }
            (Self::Segment(a), Self::Segment(b)) => segment_segment(a, b),
            (Self::Segment(s), Self::Triangle(t)) | (Self::Triangle(t), Self::Segment(s)) => {
                segment_triangle(s, t)
            }
            (Self::Triangle(a), Self::Triangle(b)) => triangle_triangle(a, b),
        }
    }
}

/// The edges of a triangle.
fn edges([a, b, c]: [DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Whether signs do not contradict each other: all ≥ 0 or all ≤ 0.
fn agree(signs: [i8; 3]) -> bool {
    !(signs.contains(&1) && signs.contains(&-1))
}

/// Whether p lies between a and b; the three must be collinear.
fn between(p: DVec3, [a, b]: [DVec3; 2]) -> bool {
    (before_or_equal(a, p) && before_or_equal(p, b))
        || (before_or_equal(b, p) && before_or_equal(p, a))
}

fn point_segment(p: DVec3, s: [DVec3; 2]) -> bool {
    between(p, s) && Projection::of_plane(s[0], s[1], p).is_none()
}

fn point_triangle(p: DVec3, t: [DVec3; 3]) -> bool {
    let [a, b, c] = t;
    orient3(a, b, c, p) == 0
        && Projection::of_plane(a, b, c).is_some_and(|flat| point_triangle_flat(flat, p, t))
}

/// The same where the point is in the plane of the triangle, which `flat` does not collapse.
fn point_triangle_flat(flat: Projection, p: DVec3, t: [DVec3; 3]) -> bool {
    agree(edges(t).map(|[a, b]| flat.orient2(a, b, p)))
}

fn segment_segment(a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    if orient3(a[0], a[1], b[0], b[1]) != 0 {
        return false;
    }
    let plane =
        Projection::of_plane(a[0], a[1], b[0]).or_else(|| Projection::of_plane(a[0], a[1], b[1]));
    match plane {
        Some(flat) => segment_segment_flat(flat, a, b),
        None => collinear_overlap(a, b),
    }
}

/// Whether two segments of one line overlap.
fn collinear_overlap(a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    between(a[0], b) || between(a[1], b) || between(b[0], a)
}

/// Two segments in one plane, which `flat` does not collapse.
fn segment_segment_flat(flat: Projection, a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    let (b0, b1) = (flat.orient2(a[0], a[1], b[0]), flat.orient2(a[0], a[1], b[1]));
    if b0 == 0 && b1 == 0 {
        return collinear_overlap(a, b);
    }
    b0 * b1 <= 0 && flat.orient2(b[0], b[1], a[0]) * flat.orient2(b[0], b[1], a[1]) <= 0
}

fn segment_triangle(s: [DVec3; 2], t: [DVec3; 3]) -> bool {
    let [a, b, c] = t;
    let (p, q) = (orient3(a, b, c, s[0]), orient3(a, b, c, s[1]));
    if p == 0 && q == 0 {
        return Projection::of_plane(a, b, c).is_some_and(|flat| {
            point_triangle_flat(flat, s[0], t)
                || edges(t).into_iter().any(|e| segment_segment_flat(flat, s, e))
        });
    }
    // The line pierces the plane in one point; seen along the line it is in the triangle or not.
    p * q <= 0 && agree(edges(t).map(|[a, b]| orient3(s[0], s[1], a, b)))
}

/// Two triangles meet if and only if an edge of one meets the other: the boundary of a bounded
/// intersection consists of points of edges.
fn triangle_triangle(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    edges(a).into_iter().any(|e| segment_triangle(e, b))
        || edges(b).into_iter().any(|e| segment_triangle(e, a))
}
