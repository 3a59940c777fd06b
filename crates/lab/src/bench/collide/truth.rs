//! Which candidates really come too near.

use crate::bench::scenes::Case;
use glam::DVec3;
use rayon::prelude::*;
use toile_collide::ccd::{Ccd, Filter, Pair, Query, Separation};
use toile_collide::{Candidates, Motion, Surface, distance};

/// How many separations two features of one cloth must be apart in the material for their nearness
/// not to be that of neighbours. Pruning skips patches whose normals stay within 57°: of points
/// across a fold that sharp, half the material distance is left.
const NEIGHBOURS: f64 = 4.0;

/// Those candidates that come nearer than the scene's separation at some time of the step and are
/// no neighbours in the cloth, in order.
pub fn true_pairs(
    case: &Case,
    surface: &Surface,
    candidates: &Candidates,
) -> Vec<(Pair, [u32; 2])> {
    let of = |pair: Pair, list: &[[u32; 2]]| -> Vec<(Pair, [u32; 2])> {
        list.par_iter()
            .with_min_len(1024)
            .filter(|p| is_true(case, surface, pair, **p))
            .map(|p| (pair, *p))
            .collect()
    };
    let mut all = of(Pair::VertexFace, &candidates.vf);
    all.extend(of(Pair::EdgeEdge, &candidates.ee));
    all
}

/// The four vertices of a pair.
fn vertices(surface: &Surface, pair: Pair, [a, b]: [u32; 2]) -> [usize; 4] {
    let four = match pair {
        Pair::VertexFace => {
            let [p, q, r] = surface.triangles[b as usize];
            [a, p, q, r]
        }
        Pair::EdgeEdge => {
            let ([p, q], [r, s]) = (surface.edges[a as usize], surface.edges[b as usize]);
            [p, q, r, s]
        }
    };
    four.map(|v| v as usize)
}

/// The motion of a pair.
pub(super) fn query(surface: &Surface, motion: Motion<'_>, pair: Pair, p: [u32; 2]) -> Query {
    vertices(surface, pair, p).map(|v| motion.ends(v as u32))
}

fn is_true(case: &Case, surface: &Surface, pair: Pair, p: [u32; 2]) -> bool {
    let four = vertices(surface, pair, p);
    let separation = case.separation;
    // The material is flat: distances in it are those of its plane.
    let same_cloth = case.vertex_piece[four[0]] == case.vertex_piece[four[3]];
    let material = four.map(|v| case.uv[v].extend(0.0));
    if same_cloth && distance_of(pair, material) <= NEIGHBOURS * separation {
        return false;
    }
    let x = query(surface, case.motion(), pair, p);
    if (0..2).any(|end| distance_of(pair, x.map(|x| x[end])) < separation) {
        return true;
    }
    // Apart at both ends: only a pass between them is left to find.
    let between = Separation { radius: 0.0, gap: separation, max_approach: 0.0, body: 0.0 };
    Ccd::Separating.time_of_impact(pair, &x, between, Filter::Hull).is_some()
}

fn distance_of(pair: Pair, [p, q, r, s]: [DVec3; 4]) -> f64 {
    match pair {
        Pair::VertexFace => {
            let w = distance::point_triangle(p, [q, r, s]);
            p.distance(w[0] * q + w[1] * r + w[2] * s)
        }
        Pair::EdgeEdge => {
            let [a, b] = distance::edge_edge([p, q], [r, s]);
            p.lerp(q, a).distance(r.lerp(s, b))
        }
    }
}
