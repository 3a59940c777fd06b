//! Provot's coplanarity cubic (D1, D2; [provot1997] §1).
//!
//! Four points are coplanar when `(x₁−x₀)·((x₂−x₀)×(x₃−x₀)) = 0`. With straight motion that is a cubic in
//! t; a root is an impact if there the point lies in the triangle, or the edges cross. The earliest
//! one counts.
//!
//! Erratum: the paper's eq. 2 for edges omits the offset between them; it is
//! `A + u AB = C + v CD`.
//!
//! Limits: the roots are found in floating point. Coplanar motion (all coefficients zero), double
//! roots and points on the rim of a triangle can be missed. [`super::separating`] does not.

use super::{Impact, at};
use crate::distance;
use glam::DVec3;

/// How far outside [0, 1] a barycentric coordinate may be: a point on the rim belongs to both sides.
const BARYCENTRIC_TOLERANCE: f64 = 1e-9;

pub(super) fn vertex_face(p: [DVec3; 2], face: [[DVec3; 2]; 3]) -> Option<Impact> {
    let cubic = coplanarity([face[0], face[1], face[2], p]);
    roots(cubic).into_iter().flatten().find_map(|time| {
        let [a, b, c] = at(&face, time);
        let [x] = at(&[p], time);
        let w = in_triangle(x, a, b, c)?;
        let face_t0 = face.map(|c| c[0]);
        let near = distance::point_triangle(p[0], face_t0);
        let foot: DVec3 = face_t0.iter().zip(near).map(|(c, w)| *c * w).sum();
        let n = (face_t0[1] - face_t0[0]).cross(face_t0[2] - face_t0[0]).normalize_or(DVec3::Y);
        let normal = if n.dot(p[0] - face_t0[0]) < 0.0 { -n } else { n };
        let distance = p[0].distance(foot);
        Some(Impact { time, normal, distance, weights: [1.0, -w[0], -w[1], -w[2]] })
    })
}

pub(super) fn edge_edge(a: [[DVec3; 2]; 2], b: [[DVec3; 2]; 2]) -> Option<Impact> {
    let cubic = coplanarity([a[0], a[1], b[0], b[1]]);
    roots(cubic).into_iter().flatten().find_map(|time| {
        let (xa, xb) = (at(&a, time), at(&b, time));
        let [u, v] = crossing(xa, xb)?;
        let (a0, b0) = (at(&a, 0.0), at(&b, 0.0));
        let n = (a0[1] - a0[0]).cross(b0[1] - b0[0]).normalize_or(DVec3::Y);
        let normal = if n.dot(a0[0] - b0[0]) < 0.0 { -n } else { n };
        let [s, t] = distance::edge_edge(a0, b0);
        let distance = a0[0].lerp(a0[1], s).distance(b0[0].lerp(b0[1], t));
        Some(Impact { time, normal, distance, weights: [1.0 - u, u, v - 1.0, -v] })
    })
}

/// Coefficients c₀…c₃ of the cubic whose roots are the times of coplanarity.
fn coplanarity(x: [[DVec3; 2]; 4]) -> [f64; 4] {
    let p = |i: usize| x[i][0] - x[0][0];
    let v = |i: usize| (x[i][1] - x[i][0]) - (x[0][1] - x[0][0]);
    let triple = |a: DVec3, b: DVec3, c: DVec3| a.dot(b.cross(c));
    let (p1, p2, p3) = (p(1), p(2), p(3));
    let (v1, v2, v3) = (v(1), v(2), v(3));
    [
        triple(p1, p2, p3),
        triple(v1, p2, p3) + triple(p1, v2, p3) + triple(p1, p2, v3),
        triple(v1, v2, p3) + triple(v1, p2, v3) + triple(p1, v2, v3),
        triple(v1, v2, v3),
    ]
}

/// Real roots in [0, 1], ascending: between its extrema a cubic is monotone, so each sign change
/// brackets one.
fn roots(c: [f64; 4]) -> [Option<f64>; 3] {
    let value = |t: f64| c[0] + t * (c[1] + t * (c[2] + t * c[3]));
    let [e, f] = extrema(c);
    let cuts = [0.0, e, f, 1.0];
    let mut found = [None; 3];
    let mut count = 0;
    for (lo, hi) in cuts.into_iter().zip(cuts.into_iter().skip(1)).filter(|(lo, hi)| lo < hi) {
        let (f_lo, f_hi) = (value(lo), value(hi));
        if f_lo * f_hi > 0.0 || (f_lo == 0.0 && f_hi == 0.0) {
            continue;
        }
        let root = bracketed(c, lo, hi, f_lo);
        if found[..count].last() != Some(&Some(root)) {
            found[count] = Some(root);
            count += 1;
        }
    }
    found
}

/// The root between two times with values of opposite sign: Newton's steps where they stay inside
/// the bracket, halving where they do not.
fn bracketed(c: [f64; 4], mut lo: f64, mut hi: f64, f_lo: f64) -> f64 {
    const MAX: usize = 100;
    let mut t = 0.5 * (lo + hi);
    for _ in 0..MAX {
        let value = c[0] + t * (c[1] + t * (c[2] + t * c[3]));
        if value == 0.0 {
            return t;
        }
        if f_lo * value <= 0.0 {
            hi = t
        } else {
            lo = t
        }
        let newton = t - value / (c[1] + t * (2.0 * c[2] + t * 3.0 * c[3]));
        let next = if newton > lo && newton < hi { newton } else { 0.5 * (lo + hi) };
        if (next - t).abs() <= f64::EPSILON * t || next <= lo || next >= hi {
            return next;
        }
        t = next;
    }
    t
}

/// Times in [0, 1] where the cubic's slope is zero, ascending; 1 where there is none.
fn extrema(c: [f64; 4]) -> [f64; 2] {
    let (a, b, d) = (3.0 * c[3], 2.0 * c[2], c[1]);
    let discriminant = b * b - 4.0 * a * d;
    // The stable form: no difference of nearly equal numbers. NaN without a real root.
    let q = -0.5 * (b + b.signum() * discriminant.sqrt());
    let inside = |t: f64| if t > 0.0 && t < 1.0 { t } else { 1.0 };
    let (s, t) = (inside(q / a), inside(d / q));
    [s.min(t), s.max(t)]
}

/// Barycentric coordinates of a point in the plane of a triangle, if inside.
fn in_triangle(p: DVec3, a: DVec3, b: DVec3, c: DVec3) -> Option<[f64; 3]> {
    let n = (b - a).cross(c - a);
    let n2 = n.length_squared();
    let v = (p - a).cross(c - a).dot(n) / n2;
    let w = (b - a).cross(p - a).dot(n) / n2;
    let u = 1.0 - v - w;
    (n2 > 0.0
        && u >= -BARYCENTRIC_TOLERANCE
        && v >= -BARYCENTRIC_TOLERANCE
        && w >= -BARYCENTRIC_TOLERANCE)
        .then_some([u, v, w])
}

/// Where two coplanar edges cross, as weights of their second ends.
fn crossing(a: [DVec3; 2], b: [DVec3; 2]) -> Option<[f64; 2]> {
    let (d1, d2, r) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let n = d1.cross(d2);
    let n2 = n.length_squared();
    let u = r.cross(d2).dot(n) / n2;
    let v = r.cross(d1).dot(n) / n2;
    let inside = |x: f64| (-BARYCENTRIC_TOLERANCE..=1.0 + BARYCENTRIC_TOLERANCE).contains(&x);
    (n2 > 0.0 && inside(u) && inside(v)).then_some([u, v])
}
