//! Cloth that begins inside bodies is brought out of them.
//!
//! A vertex inside goes to the nearest point of the surface. Where that would tear the cloth, because its vertices
//! would leave in opposite directions, a connected part leaves the body in one direction: as it is, if all of a
//! piece is inside, and lifted over the body otherwise. A triangle that cuts through
//! a body between its corners is moved out at the deepest of some points of it.

use super::cloth::{Cloth, Moves};
use super::obstacle::Obstacle;
use glam::DVec3;
use toile_audit::{Error, Penetrations, Shape, body_penetrations};

/// Mean of the unit directions outwards below which a part does not agree where to leave.
const MIN_DIRECTION_AGREEMENT: f64 = 0.35;
/// Points along each side of a triangle that are asked how deep they are.
const DEPTH_SAMPLES: u32 = 8;

/// Rounds of pushes out of bodies after each push of cloth.
const MAX_ROUNDS: u32 = 8;

/// All bodies at the start.
pub(super) struct Bodies {
    solids: Vec<Shape>,
    obstacles: Vec<Option<Obstacle>>,
    /// Distance that is left to bodies [m].
    clear: f64,
}

impl Bodies {
    pub(super) fn new(solids: Vec<Shape>, clear: f64) -> Self {
        Self { obstacles: solids.iter().map(Obstacle::new).collect(), solids, clear }
    }

    /// How cloth penetrates each body.
    pub(super) fn penetrations(
        &self,
        x: &[DVec3],
        triangles: &[[u32; 3]],
    ) -> Result<Vec<Penetrations>, Error> {
        self.solids.iter().map(|s| body_penetrations(x, triangles, s)).collect()
    }

    /// Brings parts out that do not agree on a direction, or are whole pieces: once, before all else.
    pub(super) fn lift(&self, cloth: &mut Cloth<'_>, found: &[Penetrations]) {
        for (obstacle, found) in self.obstacles.iter().zip(found) {
            if let Some(obstacle) = obstacle {
                for part in parts(cloth, &found.vertices_inside) {
                    self.lift_part(cloth, obstacle, &part);
                }
            }
        }
    }

    fn lift_part(&self, cloth: &mut Cloth<'_>, obstacle: &Obstacle, part: &[u32]) {
        let held = |v: u32| cloth.w[v as usize] == 0.0;
        let whole = !part.iter().any(|v| {
            held(*v) || cloth.neighbours(*v).any(|(n, _)| part.binary_search(&n).is_err())
        });
        let out: Vec<DVec3> = part.iter().map(|v| obstacle.distance(cloth.at(*v)).1).collect();
        let mean = out.iter().sum::<DVec3>() / part.len() as f64;
        if !whole && mean.length() >= MIN_DIRECTION_AGREEMENT {
            return;
        }
        let front = normal_of(cloth, part);
        let directions =
            [DVec3::Y, mean, front, -front, DVec3::X, -DVec3::X, DVec3::Z, -DVec3::Z, -DVec3::Y];
        let exit = |v: u32, d: DVec3| obstacle.exit(cloth.at(v), d, self.clear);
        // The way that moves the cloth least; the first of equals.
        let mut best: Option<(f64, DVec3)> = None;
        for d in directions.into_iter().filter_map(DVec3::try_normalize) {
            let farthest = part.iter().map(|v| exit(*v, d)).fold(0.0, f64::max);
            if best.is_none_or(|(least, _)| farthest < 0.999 * least) {
                best = Some((farthest, d));
            }
        }
        let Some((farthest, d)) = best else { return };
        for (v, out) in part.iter().zip(out) {
            let i = *v as usize;
            if whole {
                cloth.x[i] += d * farthest;
            } else if cloth.w[i] > 0.0 {
                let direction = (d + 0.5 * out).normalize_or(d);
                let length = obstacle.exit(cloth.x[i], direction, self.clear);
                cloth.x[i] += direction * length;
            }
        }
    }

    /// Brings all out, in some rounds: what leaves one body may enter another.
    pub(super) fn push(&self, cloth: &mut Cloth<'_>, most: f64) -> Result<(), Error> {
        let triangles = &cloth.model.mesh.triangles;
        for _ in 0..MAX_ROUNDS {
            let found = self.penetrations(&cloth.x, triangles)?;
            if found.iter().all(|f| f.count() == 0) {
                break;
            }
            for (obstacle, found) in self.obstacles.iter().zip(&found) {
                if let Some(obstacle) = obstacle {
                    self.push_out(cloth, obstacle, found, most);
                }
            }
        }
        Ok(())
    }

    /// Moves vertices inside to the surface, and triangles that cut through the body out of it.
    fn push_out(
        &self,
        cloth: &mut Cloth<'_>,
        obstacle: &Obstacle,
        found: &Penetrations,
        most: f64,
    ) {
        for v in &found.vertices_inside {
            let i = *v as usize;
            let (distance, out) = obstacle.distance(cloth.x[i]);
            if cloth.w[i] > 0.0 && distance < self.clear {
                cloth.x[i] += out.normalize_or(DVec3::Y) * (self.clear - distance);
            }
        }
        let mut moves = Moves::new(cloth.x.len());
        for t in &found.triangles {
            let (distance, out, weights) = deepest(obstacle, cloth.corners(*t));
            if distance < self.clear {
                let displacement = out.normalize_or(DVec3::Y) * (self.clear - distance);
                moves.wish(cloth, cloth.model.mesh.triangles[*t as usize], weights, displacement);
            }
        }
        moves.apply(cloth, most);
    }
}

/// The deepest of some points of a triangle: its distance, the way outwards there, and its weights.
fn deepest(obstacle: &Obstacle, [a, b, c]: [DVec3; 3]) -> (f64, DVec3, [f64; 3]) {
    let mut found = (f64::INFINITY, DVec3::ZERO, [0.0; 3]);
    for i in 0..=DEPTH_SAMPLES {
        for j in 0..=DEPTH_SAMPLES - i {
            let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(DEPTH_SAMPLES));
            let w = 1.0 - u - v;
            let (distance, out) = obstacle.distance(a * u + b * v + c * w);
            if distance < found.0 {
                found = (distance, out, [u, v, w]);
            }
        }
    }
    found
}

/// Connected parts of some vertices, each sorted.
fn parts(cloth: &Cloth<'_>, vertices: &[u32]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; vertices.len()];
    let mut parts = Vec::new();
    for first in 0..vertices.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut part = vec![vertices[first]];
        let mut next = 0;
        while next < part.len() {
            for (n, _) in cloth.neighbours(part[next]) {
                if let Ok(at) = vertices.binary_search(&n)
                    && !std::mem::replace(&mut seen[at], true)
                {
                    part.push(n);
                }
            }
            next += 1;
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// Mean normal of a part, upwards.
fn normal_of(cloth: &Cloth<'_>, part: &[u32]) -> DVec3 {
    let around = part.iter().flat_map(|v| cloth.model.topology.triangles_of(*v));
    let sum: DVec3 = around
        .map(|t| {
            let [a, b, c] = cloth.corners(*t);
            (b - a).cross(c - a)
        })
        .sum();
    let up = if sum.y < 0.0 { -sum } else { sum };
    up.normalize_or_zero()
}
