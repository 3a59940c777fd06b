//! The referee: triangle–triangle intersection in rational arithmetic.
//!
//! One triangle is clipped by the other, written as an intersection of half-spaces. The corners of
//! what remains span A ∩ B; the triangles intersect if a corner is outside the convex hull of the
//! shared vertices. Nothing here resembles the predicates under test.

use glam::DVec3;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

type R = BigRational;
type V = [R; 3];

fn exact(p: DVec3) -> V {
    p.to_array().map(|c| R::from_float(c).expect("finite"))
}
fn sub(a: &V, b: &V) -> V {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}
fn dot(a: &V, b: &V) -> R {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}
fn neg(a: &V) -> V {
    [-&a[0], -&a[1], -&a[2]]
}
fn cross(a: &V, b: &V) -> V {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}
fn is_zero(a: &V) -> bool {
    a.iter().all(Zero::is_zero)
}

/// The points x with n · (x − p) ≥ 0.
struct HalfSpace {
    n: V,
    p: V,
}

impl HalfSpace {
    fn height(&self, x: &V) -> R {
        dot(&self.n, &sub(x, &self.p))
    }
}

/// Both sides of a plane: only the plane itself remains.
fn plane(n: V, p: &V) -> [HalfSpace; 2] {
    [HalfSpace { n: neg(&n), p: p.clone() }, HalfSpace { n, p: p.clone() }]
}

/// A point set that spans a convex set of dimension ≤ 2 as half-spaces.
fn half_spaces(points: &[V]) -> Vec<HalfSpace> {
    let o = &points[0];
    let axes =
        || (0..3).map(|k| std::array::from_fn(|i| R::from_integer(i32::from(i == k).into())));
    let Some(far) = points.iter().find(|p| *p != o) else {
        return axes().flat_map(|e: V| plane(e, o)).collect();
    };
    let d = sub(far, o);
    let normal = points.iter().map(|p| cross(&d, &sub(p, o))).find(|n| !is_zero(n));
    let Some(n) = normal else {
        // Collinear: the line, then its two ends.
        let mut all: Vec<_> = axes().flat_map(|e: V| plane(cross(&d, &e), o)).collect();
        let along = |p: &&V| dot(&d, p);
        let first = points.iter().min_by_key(along).expect("points");
        let last = points.iter().max_by_key(along).expect("points");
        all.push(HalfSpace { n: d.clone(), p: first.clone() });
        all.push(HalfSpace { n: neg(&d), p: last.clone() });
        return all;
    };
    // A triangle with an area: its plane and its three sides.
    let mut all = Vec::from(plane(n.clone(), o));
    for k in 0..3 {
        let (a, b, c) = (&points[k], &points[(k + 1) % 3], &points[(k + 2) % 3]);
        let inwards = cross(&n, &sub(b, a));
        let flip = dot(&inwards, &sub(c, a)).is_negative();
        all.push(HalfSpace { n: if flip { neg(&inwards) } else { inwards }, p: a.clone() });
    }
    all
}

/// Clips a convex polygon.
fn clip(polygon: &[V], by: &HalfSpace) -> Vec<V> {
    let mut kept = Vec::new();
    for k in 0..polygon.len() {
        let (a, b) = (&polygon[k], &polygon[(k + 1) % polygon.len()]);
        let (ha, hb) = (by.height(a), by.height(b));
        if !ha.is_negative() {
            kept.push(a.clone());
        }
        if (ha.is_positive() && hb.is_negative()) || (ha.is_negative() && hb.is_positive()) {
            let t = &ha / (&ha - &hb);
            let d = sub(b, a);
            kept.push(std::array::from_fn(|i| &a[i] + &t * &d[i]));
        }
    }
    kept
}

/// Whether two triangles of a mesh intersect.
pub(crate) fn intersects(x: &[DVec3], s: [u32; 3], t: [u32; 3]) -> bool {
    if s.iter().all(|v| t.contains(v)) && t.iter().all(|v| s.contains(v)) {
        return true;
    }
    let at = |v: &u32| exact(x[*v as usize]);
    let (a, b): (Vec<V>, Vec<V>) = (s.iter().map(at).collect(), t.iter().map(at).collect());
    let mut common = a;
    for h in half_spaces(&b) {
        common = clip(&common, &h);
    }
    let shared: Vec<V> = s.iter().filter(|v| t.contains(v)).map(at).collect();
    if shared.is_empty() {
        return !common.is_empty();
    }
    let hull = half_spaces(&shared);
    common.iter().any(|p| hull.iter().any(|h| h.height(p).is_negative()))
}
