//! Feasibility of a start: whether it keeps the minimum separation.

use super::candidates::{CLOTH, Candidate, ClosestPoints, Kind};
use super::newton::Failure;
use super::solver::Solver;
use crate::body::ColliderKind;
use glam::DVec3;

/// Smallest gap of a feasible start, as a fraction of the activation distance.
const MIN_START_GAP: f64 = 0.02;
/// The gap that a correction leaves, as a fraction of the activation distance.
const CORRECTED_GAP: f64 = 0.2;
/// Smallest barycentric weight by which a correction is divided.
const MIN_WEIGHT: f64 = 0.25;

/// Distance over activation distance below which it has no direction, and the normal of the body is taken.
const TOUCHING_DISTANCE: f64 = 1e-6;

/// A vertex from which the solver cannot start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// The vertex of cloth.
    pub vertex: u32,
    /// The body it touches or is too near to; `None` if it is cloth.
    pub body: Option<u32>,
}

/// The points of cloth and bodies at a time, and the candidates within the activation distance.
pub(super) struct Nearby {
    pub(super) y: Vec<DVec3>,
    pub(super) pairs: Vec<Candidate>,
}

impl Solver {
    pub(super) fn nearby(&mut self, x: &[DVec3], t: f64) -> Result<Nearby, Failure> {
        let n = self.masses.len();
        self.finder.advance_bodies(t, t);
        let mut y = vec![DVec3::ZERO; self.finder.points()];
        y[..n].copy_from_slice(x);
        self.finder.place_bodies(0.0, &mut y);
        let mut pairs = Vec::new();
        let distance_asked = self.contact_model.thickness + self.contact_model.dhat;
        self.finder.find(&y, &y, distance_asked, self.self_contact, &mut pairs)?;
        Ok(Nearby { y, pairs })
    }

    /// Vertices of cloth with infinite barrier energy, ascending, each once: no step is feasible from there.
    pub(crate) fn infeasible(&mut self, x: &[DVec3], t: f64) -> Result<Vec<Infeasible>, Failure> {
        let n = self.masses.len();
        let Nearby { y, pairs } = self.nearby(x, t)?;
        let mut found = Vec::new();
        for pair in &pairs {
            let itself = pair.body == CLOTH;
            let offset = if itself { 0.0 } else { self.contact_model.offset(pair) };
            if self.contact_model.closest(pair, &y).distance > offset {
                continue;
            }
            let body = (!itself).then_some(pair.body);
            let cloth = pair.points.into_iter().find(|p| (*p as usize) < n);
            found.extend(cloth.map(|vertex| Infeasible { vertex, body }));
        }
        found.sort_by_key(|i| (i.vertex, i.body));
        found.dedup_by_key(|i| i.vertex);
        Ok(found)
    }

    /// Unit vector from the second feature of a pair to the first. Features that touch have the normal of the body there, or none if
    /// both are cloth.
    fn direction_between(&self, pair: &Candidate, closest: &ClosestPoints, y: &[DVec3]) -> DVec3 {
        if closest.distance > TOUCHING_DISTANCE * self.contact_model.dhat || pair.body == CLOTH {
            return closest.normal();
        }
        if pair.kind == Kind::Plane {
            return self.finder.normals()[pair.body as usize];
        }
        let outward = self.body_normal(pair, y);
        let first_is_cloth = (pair.points[0] as usize) < self.masses.len();
        if first_is_cloth { outward } else { -outward }
    }

    /// Mean outward normal of the triangles of a body around the feature of a pair.
    fn body_normal(&self, pair: &Candidate, y: &[DVec3]) -> DVec3 {
        let body = pair.body as usize;
        let ColliderKind::Mesh(detector) = &self.finder.bodies[body].kind else {
            return DVec3::ZERO;
        };
        let first = self.finder.first_point(body);
        let own: Vec<u32> = pair.points.into_iter().filter_map(|p| p.checked_sub(first)).collect();
        let corners = |t: &[u32; 3]| t.map(|v| y[(first + v) as usize]);
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = corners(t);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let triangles = &detector.surface.triangles;
        let volume: f64 = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = corners(t);
                a.dot(b.cross(c))
            })
            .sum();
        let around = triangles.iter().filter(|t| own.iter().all(|p| t.contains(p)));
        let sum: DVec3 = around.map(normal).sum();
        sum.normalize_or_zero() * if volume < 0.0 { -1.0 } else { 1.0 }
    }

    /// Vertices of cloth that violate the minimum separation from bodies, or that touch other cloth, ascending, each
    /// with a displacement that would separate it from the body; with bodies as they are at the time `t`.
    pub(crate) fn separation_violations(
        &mut self,
        x: &[DVec3],
        t: f64,
    ) -> Result<Vec<(u32, DVec3)>, Failure> {
        let n = self.masses.len();
        let Nearby { y, pairs } = self.nearby(x, t)?;
        let mut found: Vec<(u32, DVec3)> = Vec::new();
        for pair in &pairs {
            let closest = self.contact_model.closest(pair, &y);
            let (normal, distance) = (self.direction_between(pair, &closest, &y), closest.distance);
            // Cloth below the minimum separation from itself has a barrier of its own.
            let itself = pair.body == CLOTH;
            let offset = if itself { 0.0 } else { self.contact_model.offset(pair) };
            if distance >= offset + MIN_START_GAP * self.contact_model.dhat {
                continue;
            }
            let missing = if itself {
                0.0
            } else {
                offset + CORRECTED_GAP * self.contact_model.dhat - distance
            };
            for (p, w) in pair.points.into_iter().zip(closest.weights) {
                if (p as usize) < n && w != 0.0 {
                    found.push((p, normal * (missing / (w.signum() * w.abs().max(MIN_WEIGHT)))));
                }
            }
        }
        // The largest displacement of each.
        found.sort_by(|a, b| {
            a.0.cmp(&b.0).then(b.1.length_squared().total_cmp(&a.1.length_squared()))
        });
        found.dedup_by_key(|(v, _)| *v);
        Ok(found)
    }
}
