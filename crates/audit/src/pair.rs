//! Whether two triangles of a mesh intersect, given the vertices they share.
//!
//! Two triangles intersect if they have a common point outside the convex hull of the vertices
//! they share by index: with none shared that is any common point, with one shared any point but
//! that vertex, with two shared any point off the common edge, which takes a coplanar fold.
//! Triangles on the same set of vertices are duplicates and always intersect.
//!
//! Filters come first: a few cheap exact signs prove most neighbours in a smooth sheet apart.

use crate::predicates::{Projection, before_or_equal, orient3};
use crate::simplex::Simplex;
use glam::DVec3;

/// Whether triangles `s` and `t` of one mesh intersect.
pub(crate) fn intersects(positions: &[DVec3], s: [u32; 3], t: [u32; 3]) -> bool {
    let at = |v: u32| positions[v as usize];
    let mut shared = [0; 3];
    let mut count = 0;
    for v in s {
        if t.contains(&v) && !shared[..count].contains(&v) {
            shared[count] = v;
            count += 1;
        }
    }
    match count {
        0 => meet(s.map(at), t.map(at)),
        _ if s.iter().all(|v| t.contains(v)) && t.iter().all(|v| s.contains(v)) => true,
        1 => fan_overlaps(at(shared[0]), s.map(at), t.map(at)),
        _ => {
            let [u, v, _] = shared;
            if at(u) == at(v) {
                return fan_overlaps(at(u), s.map(at), t.map(at));
            }
            // A triangle without a third corner is its edge and has nothing beyond it.
            let third = |t: [u32; 3]| t.into_iter().find(|w| *w != u && *w != v).map(at);
            match (third(s), third(t)) {
                (Some(a), Some(b)) => hinge_overlaps([at(u), at(v)], a, b),
                _ => false,
            }
        }
    }
}

/// Whether two triangles without a shared vertex have a common point.
pub(crate) fn meet(s: [DVec3; 3], t: [DVec3; 3]) -> bool {
    !separated_by_plane(s, &t)
        && !separated_by_plane(t, &s)
        && Simplex::of_triangle(s).meets(Simplex::of_triangle(t))
}

/// Whether the points are all strictly on one side of the plane of the triangle.
fn separated_by_plane([a, b, c]: [DVec3; 3], points: &[DVec3]) -> bool {
    let mut sides = points.iter().map(|p| orient3(a, b, c, *p));
    let first = sides.next().unwrap_or(0);
    first != 0 && sides.all(|side| side == first)
}

/// Whether two triangles with the common corner `v` have another common point.
///
/// If they have one, the ray from `v` through it leaves one of the two first, through the face
/// opposite `v`. So it suffices to look for a point of an opposite face in the other triangle.
fn fan_overlaps(v: DVec3, s: [DVec3; 3], t: [DVec3; 3]) -> bool {
    if fan_separated(v, s, t) {
        return false;
    }
    let (s, t) = (cone(v, s), cone(v, t));
    s.iter().flatten().any(|(a, opposite_a)| {
        t.iter().flatten().any(|(b, opposite_b)| opposite_a.meets(*b) || opposite_b.meets(*a))
    })
}

/// A triangle as a cone with apex `v`: pieces, each with its face opposite `v`. A triangle of zero
/// area is a segment, and `v` may lie inside it.
fn cone(v: DVec3, corners: [DVec3; 3]) -> [Option<(Simplex, Simplex)>; 2] {
    let whole = Simplex::of_triangle(corners);
    let arm = |end: DVec3| (end != v).then(|| (Simplex::of_segment(v, end), Simplex::Point(end)));
    match whole {
        Simplex::Point(_) => [None, None],
        Simplex::Segment([a, b]) => [arm(a), arm(b)],
        Simplex::Triangle(_) => {
            let [a, b] = others(v, corners);
            [Some((whole, Simplex::Segment([a, b]))), None]
        }
    }
}

/// The corners other than `v` of a triangle that has an area.
fn others(v: DVec3, [a, b, c]: [DVec3; 3]) -> [DVec3; 2] {
    if a == v {
        [b, c]
    } else if b == v {
        [c, a]
    } else {
        [a, b]
    }
}

/// Filter: whether a line through `v` in a projection, or a plane, keeps the triangles apart.
fn fan_separated(v: DVec3, s: [DVec3; 3], t: [DVec3; 3]) -> bool {
    let (a, b) = (others(v, s), others(v, t));
    let flat = Projection::widest(s[0], s[1], s[2]);
    let by_line = |a: [DVec3; 2], b: [DVec3; 2]| {
        (0..2).any(|k| {
            let side = flat.orient2(v, a[k], a[1 - k]);
            side != 0 && b.iter().all(|p| flat.orient2(v, a[k], *p) == -side)
        })
    };
    by_line(a, b) || by_line(b, a) || separated_by_plane(s, &b) || separated_by_plane(t, &a)
}

/// Whether triangles (u, v, a) and (u, v, b) have a common point off the edge, of nonzero length.
fn hinge_overlaps([u, v]: [DVec3; 2], a: DVec3, b: DVec3) -> bool {
    // Filter: unfolded in a projection.
    let flat = Projection::widest(u, v, a);
    if flat.orient2(u, v, a) * flat.orient2(u, v, b) < 0 || orient3(u, v, a, b) != 0 {
        return false;
    }
    match (Projection::of_plane(u, v, a), Projection::of_plane(u, v, b)) {
        // Coplanar: both on the same side of the edge.
        (Some(flat), Some(_)) => flat.orient2(u, v, a) == flat.orient2(u, v, b),
        // All on one line: both beyond the same end.
        (None, None) => {
            let (u, v) = if before_or_equal(u, v) { (u, v) } else { (v, u) };
            let beyond = |p: DVec3| (!before_or_equal(u, p), !before_or_equal(p, v));
            let (a, b) = (beyond(a), beyond(b));
            (a.0 && b.0) || (a.1 && b.1)
        }
        _ => false,
    }
}
