//! Turns a solver failure into an error that names its cause.

use super::World;
use crate::barrier::{Blocker, Failure};
use crate::cause::{Cause, EXCESSIVE_STRAIN};
use crate::error::{Error, StepPhase};

/// Part of the median edge below which an edge counts as far shorter than others.
const SHORT_EDGE: f64 = 0.1;

impl World {
    /// The error of a step that failed at the time `t`, with its cause.
    pub(super) fn diagnose(&self, failure: Failure, t: f64) -> Error {
        let step = self.state.step;
        let unresolved =
            |vertex: u32, cause: Cause| Error::Unresolved { step, vertex, cause: Box::new(cause) };
        match failure {
            Failure::NotFinite { vertex } => {
                Error::NotFinite { step, vertex, stage: StepPhase::Integrate }
            }
            Failure::Linear { vertex } => unresolved(vertex, Cause::LinearSystem),
            Failure::Stopped => Error::Stopped { step },
            Failure::LostForce { missing } => {
                let shortest = self.model.rest_lengths().into_iter().fold(f64::INFINITY, f64::min);
                unresolved(0, Cause::LostForce { missing, shortest })
            }
            Failure::TooManyPairs { most } => {
                let (t, aspect) = self.most_acute();
                let corners = self.model.mesh.triangles[t];
                let cloth = self.model.cloth_of[corners[0] as usize] as usize;
                let first = self.model.vertices[cloth].start;
                let triangle = corners.map(|v| v - first);
                let cloth = self.model.names[cloth].clone();
                unresolved(corners[0], Cause::TooManyPairs { most, cloth, triangle, aspect })
            }
            Failure::NoFeasibleStep { blocker: stop, gap } => {
                let vertex = stop.map_or(0, |s| s.vertex);
                let cause = self.stretched(t).unwrap_or_else(|| self.blocking_cause(stop, gap));
                unresolved(vertex, cause)
            }
        }
    }

    /// The cause of a blocked step: a body, a prescribed vertex, an edge that is too short, other cloth.
    fn blocking_cause(&self, stop: Option<Blocker>, gap: f64) -> Cause {
        let Some(stop) = stop else { return Cause::NoDescent };
        let separation = self.separation;
        if let Some(body) = stop.body {
            let by = format!("the body \"{}\"", self.bodies[body as usize].name);
            return Cause::Pinched { by, gap, separation };
        }
        let mut lengths = self.model.rest_lengths();
        let edges = self.model.topology.edges.iter().zip(&lengths);
        let beside = edges.filter(|(e, _)| e.vertices.contains(&stop.vertex));
        let length = beside.map(|(_, l)| *l).fold(f64::INFINITY, f64::min);
        lengths.sort_by(f64::total_cmp);
        let median = lengths[lengths.len() / 2];
        if length < SHORT_EDGE * median {
            Cause::ShortEdge { length, median }
        } else if stop.prescribed {
            Cause::Pinched { by: "prescribed vertices".into(), gap, separation }
        } else {
            Cause::SelfContact { gap, separation }
        }
    }

    /// The cloth that prescribed vertices stretch the most, if that is more than fabrics follow.
    fn stretched(&self, t: f64) -> Option<Cause> {
        let (x, lengths) = (&self.state.x, self.model.rest_lengths());
        let cloths = (0..self.model.names.len()).filter_map(|c| {
            let own = self.model.vertices[c].clone();
            let holds = |(_, p): &(usize, &crate::Pin)| {
                p.holds(t) && p.vertices.iter().any(|v| own.contains(v))
            };
            let pins: Vec<usize> =
                self.pins.iter().enumerate().filter(holds).map(|(p, _)| p).collect();
            if pins.is_empty() {
                return None;
            }
            let (mut strain, mut edge, mut compressed) = (0.0, [0; 2], f64::INFINITY);
            let (mut stretched, mut edges) = (0, 0);
            for (e, rest) in self.model.topology.edges.iter().zip(&lengths) {
                let [a, b] = e.vertices;
                if !own.contains(&a) {
                    continue;
                }
                let ratio = x[a as usize].distance(x[b as usize]) / rest;
                compressed = f64::min(compressed, ratio);
                edges += 1;
                stretched += usize::from(ratio > 1.0 + EXCESSIVE_STRAIN);
                if ratio - 1.0 > strain {
                    (strain, edge) = (ratio - 1.0, [a - own.start, b - own.start]);
                }
            }
            let cloth = self.model.names[c].clone();
            let stretch =
                Cause::Stretched { cloth, edge, strain, stretched, edges, compressed, pins };
            (strain > EXCESSIVE_STRAIN).then_some((strain, stretch))
        });
        cloths.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, cause)| cause)
    }

    /// The triangle with the largest ratio of its longest edge to its smallest height at rest, and that ratio.
    fn most_acute(&self) -> (usize, f64) {
        let aspect = |t: usize| {
            let [a, b, c] = self.model.mesh.corners_uv(t);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            longest * longest / (b - a).perp_dot(c - a).abs()
        };
        let all = (0..self.model.mesh.triangles.len()).map(|t| (t, aspect(t)));
        all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 1.0))
    }
}
