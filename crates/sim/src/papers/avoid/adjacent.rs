//! Triangles that have no plane between them: those that touch at rest, and those whose boxes overlap already.
//!
//! §4.2 of the paper argues that adjacent triangles need no constraint, as their neighbours' boxes keep the
//! vertices of each out of the box of the other. That is not enough. Fold the triangles p q a and p q b flat onto each other
//! with p = (0, 0), q = (1, 0), a = (1.2, 1), b = (−0.2, 1): neither apex is in the other's box, yet the edges p a and q b
//! cross, and nothing keeps one from passing through the other. At the border of a cloth there may be no neighbour
//! at all that is not adjacent itself.
//!
//! So the features of these pairs, and of no others, are looked at by continuous detection. Vertices that would meet stay on
//! their sides of the place where they do, on the axis on which they come nearer fastest: the paper's limit, of features
//! instead of boxes.
//!
//! There are some hundred thousand such pairs in a cloth of 5000 triangles, so most are left out before: all of a block that is
//! smooth, and those that were far enough apart not long ago ([`Clearance`]).

use super::boxes::Neighbours;
use super::clearance::{Among, Clearance};
use super::limits::Limits;
use glam::{DMat2, DVec2, DVec3};
use std::collections::BTreeSet;
use toile_collide::ccd::{Ccd, Filter, Impact, Pair, Query, Separation};

/// Part of the gap that features of adjacent triangles keep: they come near in every sharp fold.
const ADJACENT_GAP: f64 = 0.2;
/// Part of the gap that blocks and pairs must surely keep to be left out: more than is asked, so that rounding does not matter.
const CLEARANCE_GAP: f64 = 0.25;
/// Part of its distance by which a pair that is nearer may still come nearer in a step: many steps must not make it none.
const MAX_APPROACH: f64 = 1e-3;
/// Part of the way to contact that vertices may go, so that it is not found again.
const STEP_TO_CONTACT: f64 = 0.8;

/// Two features that would meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AdjacentContact {
    /// The vertex and the face, or the two edges.
    pub(crate) vertices: [u32; 4],
    impact: Impact,
}

/// Features that may meet, each pair once.
#[derive(Clone, Debug, Default)]
struct Features {
    /// A vertex and a face's.
    vf: Vec<[u32; 4]>,
    /// Two edges'.
    ee: Vec<[u32; 4]>,
}

impl Features {
    fn add(&mut self, triangles: &[[u32; 3]], pair: [u32; 2]) {
        let [s, t] = pair.map(|t| triangles[t as usize]);
        for (one, [a, b, c]) in [(s, t), (t, s)] {
            let apart = |v: &u32| ![a, b, c].contains(v);
            self.vf.extend(one.into_iter().filter(apart).map(|v| [v, a, b, c]));
        }
        let edges =
            |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
        for e in edges(s) {
            for f in edges(t) {
                if !e.iter().any(|v| f.contains(v)) {
                    let [e, f] = if e < f { [e, f] } else { [f, e] };
                    self.ee.push([e[0], e[1], f[0], f[1]]);
                }
            }
        }
    }

    fn tidy(&mut self) {
        for all in [&mut self.vf, &mut self.ee] {
            all.sort_unstable();
            all.dedup();
        }
    }

    /// Adds the pairs with the numbers `picked`; edge pairs are numbered after vertex–face pairs.
    fn take(&mut self, from: &Self, picked: &[u32]) {
        for i in picked.iter().map(|i| *i as usize) {
            match i.checked_sub(from.vf.len()) {
                None => self.vf.push(from.vf[i]),
                Some(i) => self.ee.push(from.ee[i]),
            }
        }
    }

    /// All that would meet in the straight motion from `x_t0` to `x_t1`.
    fn meet(&self, [x_t0, x_t1]: [&[DVec3]; 2], gap: f64) -> Vec<AdjacentContact> {
        let mut found = Vec::new();
        let separation = Separation {
            radius: 0.0,
            gap: ADJACENT_GAP * gap,
            max_approach: MAX_APPROACH,
            body: 0.0,
        };
        let of = |v: u32| [x_t0[v as usize], x_t1[v as usize]];
        for (kind, all) in [(Pair::VertexFace, &self.vf), (Pair::EdgeEdge, &self.ee)] {
            let query = |i: usize| -> Option<Query> {
                let [a, b, c, d] = all[i];
                Some([of(a), of(b), of(c), of(d)])
            };
            let mut keep =
                |i: usize, impact| found.push(AdjacentContact { vertices: all[i], impact });
            Ccd::Separating.times_of_impact(
                kind,
                all.len(),
                separation,
                Filter::Hull,
                query,
                &mut keep,
            );
        }
        found
    }

    /// All vertices, each once.
    fn vertices(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.vf.iter().chain(&self.ee).flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The cells around a vertex, a rectangle of the material plane.
#[derive(Clone, Debug, Default)]
struct Block {
    triangles: Vec<u32>,
    /// Least material distance of features without a common vertex [m].
    apart: f64,
    features: Features,
    /// All vertices of the features.
    vertices: Vec<u32>,
    clearance: Clearance,
}

/// All triangles that touch at rest, block by block.
#[derive(Clone, Debug, Default)]
pub(crate) struct AdjacentTriangles {
    blocks: Vec<Block>,
    /// From differences of the corners to the gradient.
    inverse: Vec<DMat2>,
    gradients: Vec<[Gradient; 2]>,
}

/// ∂x/∂u and ∂x/∂v of a triangle.
type Gradient = [DVec3; 2];

impl AdjacentTriangles {
    /// Of all pairs of neighbours, in material coordinates `uv`; `around` lists the triangles of each vertex.
    pub(crate) fn new(
        triangles: &[[u32; 3]],
        uv: &[[DVec2; 3]],
        around: &[Vec<u32>],
        neighbours: &Neighbours,
    ) -> Self {
        let inverse = uv.iter().map(|[a, b, c]| DMat2::from_cols(*b - *a, *c - *a).inverse());
        let mut near = Self { inverse: inverse.collect(), ..Self::default() };
        let mut taken: BTreeSet<[u32; 2]> = BTreeSet::new();
        for v in 0..around.len() as u32 {
            let mut block = Block::around(v, triangles, uv, around);
            for (k, s) in block.triangles.iter().enumerate() {
                for t in &block.triangles[k + 1..] {
                    if neighbours.contain([*s, *t]) && taken.insert([*s, *t]) {
                        block.features.add(triangles, [*s, *t]);
                    }
                }
            }
            near.blocks.push(block.tidy());
        }
        // What is a pair of neighbours but in no block is a block of its own that is never smooth.
        let mut rest = Block::default();
        for pair in neighbours.pairs().filter(|pair| !taken.contains(pair)) {
            rest.features.add(triangles, pair);
        }
        near.blocks.push(rest.tidy());
        near
    }

    /// All meetings of neighbours and of `others`, pairs of triangles.
    pub(crate) fn detect(
        &mut self,
        triangles: &[[u32; 3]],
        others: &[[u32; 2]],
        ends: [&[DVec3]; 2],
        gap: f64,
    ) -> Vec<AdjacentContact> {
        let gradient = |[a, b, c]: [u32; 3], m: &DMat2, x: &[DVec3]| {
            let at = x[a as usize];
            let (e, f) = (x[b as usize] - at, x[c as usize] - at);
            [e * m.x_axis.x + f * m.x_axis.y, e * m.y_axis.x + f * m.y_axis.y]
        };
        self.gradients.clear();
        let each = triangles.iter().zip(&self.inverse);
        self.gradients
            .extend(each.map(|(tri, m)| [gradient(*tri, m, ends[0]), gradient(*tri, m, ends[1])]));
        let (mut asked, mut picked) = (Features::default(), Vec::new());
        others.iter().for_each(|pair| asked.add(triangles, *pair));
        asked.tidy();
        for block in &mut self.blocks {
            if !block.is_smooth(&self.gradients, gap) {
                let Block { features, vertices, clearance, .. } = block;
                let among = Among { vertices, vf: &features.vf, ee: &features.ee };
                clearance.pick(&among, ends, CLEARANCE_GAP * gap, &mut picked);
                asked.take(features, &picked);
            }
        }
        // One list: queries are answered several at a time.
        asked.meet(ends, gap)
    }
}

impl Block {
    fn around(v: u32, triangles: &[[u32; 3]], uv: &[[DVec2; 3]], around: &[Vec<u32>]) -> Self {
        let own = &around[v as usize];
        let Some(at) = own.first().map(|t| {
            let corner = triangles[*t as usize].iter().position(|w| *w == v).unwrap_or(0);
            uv[*t as usize][corner]
        }) else {
            return Self::default();
        };
        let ring = own.iter().flat_map(|t| triangles[*t as usize]);
        let mut all: Vec<u32> = ring.flat_map(|w| &around[w as usize]).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|t| {
            let c = uv[*t as usize];
            let (lo, hi) = (c[0].min(c[1]).min(c[2]), c[0].max(c[1]).max(c[2]));
            let slack = DVec2::splat(1e-6 * (hi - lo).max_element());
            (lo - slack).cmple(at).all() && at.cmple(hi + slack).all()
        });
        // The least height of a triangle: no two features without a common vertex are nearer.
        let height = |t: &u32| {
            let [a, b, c] = uv[*t as usize];
            let longest = (b - a).length().max((c - b).length()).max((a - c).length());
            (b - a).perp_dot(c - a).abs() / longest
        };
        let apart = all.iter().map(height).fold(f64::INFINITY, f64::min);
        Self { triangles: all, apart, ..Self::default() }
    }

    /// With each pair of features once.
    fn tidy(mut self) -> Self {
        self.features.tidy();
        self.vertices = self.features.vertices();
        self
    }

    /// Whether the block surely does not meet itself. On the straight way between two of its points,
    /// |x − x'| ≥ (σ − r) |u − u'|, where σ is the least stretch of a mean gradient and r the
    /// farthest any gradient is from it; gradients are linear in time, so both ends are enough.
    fn is_smooth(&self, gradients: &[[Gradient; 2]], gap: f64) -> bool {
        if self.triangles.is_empty() {
            return self.features.vf.is_empty() && self.features.ee.is_empty();
        }
        let (mut p, mut q) = (DVec3::ZERO, DVec3::ZERO);
        for t in &self.triangles {
            let [[u, v], [w, x]] = &gradients[*t as usize];
            p += *u + *w;
            q += *v + *x;
        }
        let part = 0.5 / self.triangles.len() as f64;
        (p, q) = (p * part, q * part);
        let mut off = 0.0_f64;
        for t in &self.triangles {
            for [u, v] in &gradients[*t as usize] {
                off = off.max((*u - p).length_squared() + (*v - q).length_squared());
            }
        }
        let r = off.sqrt();
        let (a, b, c) = (p.length_squared(), p.dot(q), q.length_squared());
        let least = 0.5 * (a + c) - (0.25 * (a - c) * (a - c) + b * b).sqrt();
        (least.max(0.0).sqrt() - r) * self.apart > gap
    }
}

/// What [`AdjacentTriangles::detect`] is to find: the features of all pairs of neighbours and of `others`, each asked.
#[cfg(test)]
pub(super) fn referee(
    triangles: &[[u32; 3]],
    neighbours: &Neighbours,
    others: &[[u32; 2]],
    ends: [&[DVec3]; 2],
    gap: f64,
) -> Vec<AdjacentContact> {
    let mut all = Features::default();
    neighbours.pairs().chain(others.iter().copied()).for_each(|pair| all.add(triangles, pair));
    all.tidy();
    all.meet(ends, gap)
}

impl AdjacentContact {
    /// Keeps the features on their sides, on the axis on which they come nearer fastest.
    pub(crate) fn limit(&self, [x_t0, x_t1]: [&[DVec3]; 2], limits: &mut Limits) {
        let moved = |v: u32| x_t1[v as usize] - x_t0[v as usize];
        let Impact { weights, normal, time, .. } = self.impact;
        let each = || self.vertices.iter().copied().zip(weights);
        let nearer = -each().map(|(v, w)| moved(v) * w).sum::<DVec3>() * normal;
        let axis = (0..3).fold(0, |best, d| if nearer[d] > nearer[best] { d } else { best });
        for (v, weight) in each() {
            // Features with positive weights are on the side the normal points to.
            let above = (weight > 0.0) == (normal[axis] > 0.0);
            let displacement = moved(v)[axis];
            let comes = if above { displacement < 0.0 } else { displacement > 0.0 };
            let at = x_t0[v as usize][axis]
                + if comes { STEP_TO_CONTACT * time * displacement } else { 0.0 };
            limits.keep(v, axis, at, above);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::Topology;
    use toile_mesh::shape::{Diagonals, grid};

    fn near(triangles: &[[u32; 3]], uv: &[[DVec2; 3]], vertices: usize) -> AdjacentTriangles {
        let topology = Topology::new(vertices, triangles);
        let around: Vec<Vec<u32>> =
            (0..vertices as u32).map(|v| topology.triangles_of(v).to_vec()).collect();
        let neighbours = Neighbours::new(triangles, uv, &around);
        AdjacentTriangles::new(triangles, uv, &around, &neighbours)
    }

    /// The counterexample to §4.2: two triangles with a common edge, folded onto each other.
    #[test]
    fn edges_of_a_fold_do_not_pass_through_each_other_though_no_apex_is_in_the_other_box() {
        let triangles = [[0, 1, 2], [1, 0, 3]];
        let [p, q] = [DVec2::ZERO, DVec2::X];
        let uv = [[p, q, DVec2::new(0.5, 1.0)], [q, p, DVec2::new(0.5, -1.0)]];
        let at = |z: f64| {
            let apex = [DVec3::new(1.2, 1.0, z), DVec3::new(-0.2, 1.0, -z)];
            [DVec3::ZERO, DVec3::X, apex[0], apex[1]]
        };
        let (x_t0, x_t1) = (at(0.05), at(-0.05));
        for x in [&x_t0, &x_t1] {
            let inside = |p: DVec3, t: [u32; 3]| {
                let c = t.map(|v| x[v as usize]);
                let (lo, hi) = (c[0].min(c[1]).min(c[2]), c[0].max(c[1]).max(c[2]));
                lo.cmple(p).all() && p.cmple(hi).all()
            };
            assert!(!inside(x[2], triangles[1]) && !inside(x[3], triangles[0]));
        }
        let mut near = near(&triangles, &uv, 4);
        let found = near.detect(&triangles, &[], [&x_t0, &x_t1], 1e-3);
        assert!(!found.is_empty());
        let mut limits = Limits::new(4);
        found.iter().for_each(|met| met.limit([&x_t0, &x_t1], &mut limits));
        limits.close(&[], &x_t0, false);
        let kept: Vec<DVec3> =
            (0..4).map(|v| x_t1[v].max(limits.lower[v]).min(limits.upper[v])).collect();
        assert!(kept[2].z > 0.0 && kept[3].z < 0.0, "{kept:?}");
        assert!(near.detect(&triangles, &[], [&x_t0, &kept], 1e-3).is_empty());
    }

    #[test]
    fn only_blocks_that_fold_are_looked_at_feature_by_feature() {
        let mesh = grid(0.2, 0.2, 8, 8, Diagonals::Alternating);
        let uv: Vec<[DVec2; 3]> = (0..mesh.triangles.len()).map(|t| mesh.corners_uv(t)).collect();
        let mut near = near(&mesh.triangles, &uv, mesh.positions.len());
        let rough = |near: &mut AdjacentTriangles, x: &[DVec3]| {
            near.detect(&mesh.triangles, &[], [x, x], 1e-4);
            near.blocks.iter().filter(|b| !b.is_smooth(&near.gradients, 1e-4)).count()
        };
        let turn = glam::DQuat::from_rotation_y(1.0) * glam::DQuat::from_rotation_x(0.4);
        let turned: Vec<DVec3> = mesh.positions.iter().map(|p| turn * *p * 1.2).collect();
        assert_eq!(rough(&mut near, &turned), 0);
        // Folded along the middle: the nine vertices of the crease, and no others.
        let folded: Vec<DVec3> =
            mesh.positions.iter().map(|p| DVec3::new(p.x.abs(), 0.1 * p.x, p.z)).collect();
        assert_eq!(rough(&mut near, &folded), 9);
    }
}
