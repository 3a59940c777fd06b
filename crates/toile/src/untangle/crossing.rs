//! Where edges of cloth pass through triangles of cloth, and the curves that these points lie on.
//!
//! Two sheets that pass through each other do so along a contour. Each pair of intersecting
//! triangles has a piece of it, which ends where an edge of one pierces the other. The contour is seen
//! in the cloth twice, as a curve on either sheet; pieces are joined to curves from triangle to
//! neighbouring triangle.
//!
//! Pairs come from the exact audit; the points are in rounded arithmetic, so that a pair that
//! only touches may have none.

use super::cloth::Cloth;
use glam::DVec3;
use toile_mesh::NONE;

/// An edge that passes through a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) edge: u32,
    pub(super) triangle: u32,
    /// Place on the edge, 0 at its first vertex.
    pub(super) along: f64,
    /// Weights of the triangle's corners.
    pub(super) weights: [f64; 3],
    /// Curve on the side of the edge; [`NONE`] if the audit knows no pair of it.
    pub(super) curve: u32,
    /// The contour.
    pub(super) contour: u32,
}

/// All crossings, and which of their curves belong to which contour.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    /// Sorted by contour, then edge, then triangle.
    pub(super) all: Vec<Crossing>,
    /// Pairs of triangles without any crossing: they touch, or lie in one plane.
    pub(super) flat: Vec<[u32; 2]>,
}

impl Crossings {
    /// Crossings of pairs of intersecting triangles, sorted as the audit gives them.
    pub(super) fn new(cloth: &Cloth<'_>, pairs: &[[u32; 2]]) -> Self {
        let mut all = Vec::new();
        let mut flat = Vec::new();
        for [s, t] in pairs {
            let before = all.len();
            pierce(cloth, *s, *t, &mut all);
            pierce(cloth, *t, *s, &mut all);
            if all.len() == before {
                flat.push([*s, *t]);
            }
        }
        let key = |c: &Crossing| (c.edge, c.triangle);
        all.sort_by_key(key);
        all.dedup_by_key(|c| key(c));
        name_curves(cloth, pairs, &mut all);
        all.sort_by_key(|c| (c.contour, c.edge, c.triangle));
        Self { all, flat }
    }
}

/// Adds the edges of `s` that pass through `t`.
fn pierce(cloth: &Cloth<'_>, s: u32, t: u32, all: &mut Vec<Crossing>) {
    let corners = cloth.model.mesh.triangles[t as usize];
    for e in cloth.model.topology.triangle_edges[s as usize] {
        let ends = cloth.model.topology.edges[e as usize].vertices;
        if ends.iter().any(|v| corners.contains(v)) {
            continue;
        }
        if let Some((along, weights)) = meet(ends.map(|v| cloth.at(v)), cloth.corners(t)) {
            all.push(Crossing { edge: e, triangle: t, along, weights, curve: NONE, contour: NONE });
        }
    }
}

/// Where a segment passes through a triangle: the place along it and the weights of the corners.
fn meet([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Option<(f64, [f64; 3])> {
    let normal = (b - a).cross(c - a);
    let (over, under) = (normal.dot(p - a), normal.dot(q - a));
    if over * under >= 0.0 {
        return None;
    }
    let d = q - p;
    // Volumes on the three sides of the line: all of one sign if it passes within.
    let sides = [(b, c), (c, a), (a, b)].map(|(u, v)| d.dot((u - p).cross(v - p)));
    let sum: f64 = sides.iter().sum();
    let within = sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0);
    (within && sum != 0.0).then(|| (over / (over - under), sides.map(|s| s / sum)))
}

/// Joins crossings to curves and contours.
///
/// Half 2p belongs to the first triangle of pair p, half 2p + 1 to the second. An edge that pierces a
/// triangle joins the pairs that its two triangles make with that one: their halves on the
/// edge's side, and their halves on the other.
fn name_curves(cloth: &Cloth<'_>, pairs: &[[u32; 2]], all: &mut [Crossing]) {
    let half = |own: u32, other: u32| {
        let p = pairs.binary_search(&[own.min(other), own.max(other)]).ok()?;
        Some(2 * p as u32 + u32::from(own > other))
    };
    let halves = |c: &Crossing| {
        let beside = cloth.model.topology.edges[c.edge as usize].triangles;
        beside.map(|s| if s == NONE { None } else { half(s, c.triangle) })
    };
    let mut curves = Sets::new(2 * pairs.len());
    let mut contours = Sets::new(pairs.len());
    for c in all.iter() {
        if let [Some(a), Some(b)] = halves(c) {
            curves.join(a, b);
            curves.join(a ^ 1, b ^ 1);
            contours.join(a / 2, b / 2);
        }
    }
    for c in all.iter_mut() {
        if let Some(h) = halves(c).into_iter().flatten().next() {
            c.curve = curves.root(h);
            c.contour = contours.root(h / 2);
        }
    }
}

/// Disjoint sets; the root is the smallest member.
struct Sets(Vec<u32>);

impl Sets {
    fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    fn root(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            let up = self.0[self.0[i as usize] as usize];
            self.0[i as usize] = up;
            i = up;
        }
        i
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
