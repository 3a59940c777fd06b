//! Self-collisions by geometry, every pair of features (S1).
//!
//! A vertex passes through a face, or an edge through an edge, when the volume of their four points changes
//! its sign during the step and they meet at that moment. Two changes within a step are not seen.

use glam::DVec3;

/// Halvings of the step until the moment of coplanarity.
const MAX_BISECTIONS: u32 = 40;

/// All vertices of features that collide, ascending.
pub(crate) fn colliding(
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
    x_t0: &[DVec3],
    x_t1: &[DVec3],
) -> Vec<u32> {
    let mut found = Vec::new();
    let of = |v: u32| [x_t0[v as usize], x_t1[v as usize]];
    for v in 0..x_t0.len() as u32 {
        let p = of(v);
        for t in triangles {
            if !t.contains(&v) && meet([p, of(t[0]), of(t[1]), of(t[2])], in_face) {
                found.extend([v, t[0], t[1], t[2]]);
            }
        }
    }
    for (i, a) in edges.iter().enumerate() {
        let [p, q] = a.map(of);
        for b in &edges[i + 1..] {
            if !a.contains(&b[0])
                && !a.contains(&b[1])
                && meet([p, q, of(b[0]), of(b[1])], on_edges)
            {
                found.extend([a[0], a[1], b[0], b[1]]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[inline]
fn volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

/// Whether four points come into one plane and `touch` there.
#[inline]
fn meet(points: [[DVec3; 2]; 4], touch: fn([DVec3; 4]) -> bool) -> bool {
    let [p, q, r, s] = points;
    let (v0, v1) = (volume([p[0], q[0], r[0], s[0]]), volume([p[1], q[1], r[1], s[1]]));
    if v0 * v1 > 0.0 || v0 == v1 {
        return false;
    }
    let on = |p: [DVec3; 2], t: f64| p[0].lerp(p[1], t);
    let at = |t: f64| [on(p, t), on(q, t), on(r, t), on(s, t)];
    let (mut before, mut after) = (0.0, 1.0);
    for _ in 0..MAX_BISECTIONS {
        let middle = 0.5 * (before + after);
        if volume(at(middle)) * v0 > 0.0 { before = middle } else { after = middle }
    }
    touch(at(after))
}

/// Whether the first of four points in a plane lies in the triangle of the others.
fn in_face([p, a, b, c]: [DVec3; 4]) -> bool {
    let n = (b - a).cross(c - a);
    let side = |a: DVec3, b: DVec3| (b - a).cross(p - a).dot(n) >= 0.0;
    side(a, b) && side(b, c) && side(c, a)
}

/// Whether the segments of two pairs of points in a plane cross.
fn on_edges([a, b, c, d]: [DVec3; 4]) -> bool {
    let n = (b - a).cross(d - c);
    let apart = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| {
        (b - a).cross(c - a).dot(n) * (b - a).cross(d - a).dot(n) <= 0.0
    };
    n.length_squared() > 0.0 && apart(a, b, c, d) && apart(c, d, a, b)
}
