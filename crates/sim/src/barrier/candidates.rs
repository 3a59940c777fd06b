//! Contact candidates: pairs of features that may touch, of cloth and bodies alike.
//!
//! The vertices of all cloths come first, those of all bodies after them, in one list of points. A candidate
//! names four of them, or a vertex and a plane.

use super::newton::Failure;
use crate::body::{Collider, ColliderKind};
use crate::clock::Clock;
use crate::model::Model;
use glam::DVec3;
use toile_collide::broad::{Detector, NeighbourList};
use toile_collide::volume::{Aabb, Volume};
use toile_collide::{Candidates, Motion, NotFinite, distance};

/// No body: both features are cloth.
pub(super) const CLOTH: u32 = u32::MAX;

/// No friction contact, or no active contact.
pub(super) const NO_CONTACT: u32 = u32::MAX;

/// Factor beyond which a distance is surely larger, with rounding.
const ROUNDING_FACTOR: f64 = 1.0 + 1e-6;

/// Most candidates of a query, and how many more for each vertex: a mesh of slivers that moves far brings all its features together.
const MAX_CANDIDATES: usize = 8_000_000;
const MAX_CANDIDATES_PER_VERTEX: usize = 500;

/// Self-contacts per vertex from which on cloth counts as dense.
const DENSE_CONTACTS: f64 = 1.0;

/// What a candidate is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A vertex and a face.
    VertexFace,
    /// Two edges.
    EdgeEdge,
    /// A vertex above a plane; the second point lies in the plane.
    Plane,
}

/// A contact candidate: two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) points: [u32; 4],
    /// Its rank among all pairs there could be: body and kind, and the two features.
    pub(super) rank: [u32; 3],
    /// The body, or [`CLOTH`].
    pub(super) body: u32,
    /// Whether cloth was below the minimum separation when the pair was found. The broad phase dismisses neighbours on
    /// flat cloth, however short the edge between them is compressed; when the cloth folds, they turn up too near.
    /// Such pairs may not cross, but their barrier acts only within the thickness.
    pub(super) below_separation: bool,
    /// Its number among the friction contacts of the step, or [`NO_CONTACT`].
    pub(super) friction_contact: u32,
    /// Its number among the active contacts of the iterate, or [`NO_CONTACT`].
    pub(super) contact: u32,
    /// Stiffness of its barrier in this step [N/m], if that follows from elasticity.
    pub(super) stiffness: f64,
}

/// Closest points: weights of the four points, the vector from the second feature to the first, and its length; negative
/// below a plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosestPoints {
    pub(super) weights: [f64; 4],
    pub(super) difference: DVec3,
    pub(super) distance: f64,
}

impl ClosestPoints {
    /// Unit vector from the second feature to the first; zero if they touch.
    pub(super) fn normal(&self) -> DVec3 {
        if self.distance == 0.0 { DVec3::ZERO } else { self.difference / self.distance }
    }
}

impl Candidate {
    fn new(kind: Kind, points: [u32; 4], rank: [u32; 3], body: u32) -> Self {
        Self {
            kind,
            points,
            rank,
            body,
            below_separation: false,
            friction_contact: NO_CONTACT,
            contact: NO_CONTACT,
            stiffness: 0.0,
        }
    }

    /// Identity of the pair from step to step, as [`key`].
    pub(super) fn key(&self) -> [u32; 4] {
        key(self.points, self.kind == Kind::EdgeEdge)
    }

    /// Closest points with the four points at `y`, above the planes of bodies with these normals.
    pub(super) fn closest(&self, y: [DVec3; 4], normals: &[DVec3]) -> ClosestPoints {
        let (weights, difference) = match self.kind {
            Kind::VertexFace => {
                let face = [y[1], y[2], y[3]];
                let w = distance::point_triangle(y[0], face);
                let difference = y[0] - (face[0] * w[0] + face[1] * w[1] + face[2] * w[2]);
                ([1.0, -w[0], -w[1], -w[2]], difference)
            }
            Kind::EdgeEdge => {
                let (a, b) = ([y[0], y[1]], [y[2], y[3]]);
                let [s, t] = distance::edge_edge(a, b);
                let difference = a[0].lerp(a[1], s) - b[0].lerp(b[1], t);
                ([1.0 - s, s, t - 1.0, -t], difference)
            }
            Kind::Plane => {
                let normal = normals[self.body as usize];
                let distance = normal.dot(y[0] - y[1]);
                return ClosestPoints {
                    weights: [1.0, -1.0, 0.0, 0.0],
                    difference: normal * distance,
                    distance,
                };
            }
        };
        ClosestPoints { weights, difference, distance: difference.length() }
    }
}

/// The bit of a key that distinguishes edge–edge from vertex–face.
const EDGES: u32 = 1 << 31;

/// Identity of a pair: its points, and for edges the topmost bit.
pub(super) fn key([a, b, c, d]: [u32; 4], edges: bool) -> [u32; 4] {
    [a | if edges { EDGES } else { 0 }, b, c, d]
}

/// The points of a pair, from its key.
pub(super) fn points([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    [a & !EDGES, b, c, d]
}

/// The broad phase over cloth and bodies.
#[derive(Clone, Debug)]
pub(super) struct CandidateFinder {
    cloth: Detector,
    /// Neighbour list (Verlet list) of cloth with itself for all iterations of a step, where it pays.
    neighbour_list: Option<NeighbourList>,
    pub(super) bodies: Vec<Collider>,
    /// First point of each body, and the end of all.
    first: Vec<u32>,
    /// Number of cloth vertices.
    pub(super) vertices: usize,
    /// Largest number of candidates of a query.
    pub(super) max_candidates: usize,
    /// Wall time spent on bodies in this step [s].
    pub(super) body_seconds: f64,
}

impl CandidateFinder {
    pub(super) fn new(model: &Model, bodies: Vec<Collider>, tree: toile_collide::Options) -> Self {
        let (uv, piece) = model.texture();
        let vertices = model.mass.len();
        let mut first = vec![vertices as u32];
        for body in &bodies {
            first.push(first[first.len() - 1] + body.start.len() as u32);
        }
        Self {
            cloth: Detector::for_cloth_with(model.surface(), &uv, &piece, tree),
            neighbour_list: None,
            bodies,
            first,
            vertices,
            max_candidates: MAX_CANDIDATES + MAX_CANDIDATES_PER_VERTEX * vertices,
            body_seconds: 0.0,
        }
    }

    /// Number of points.
    pub(super) fn points(&self) -> usize {
        self.first[self.bodies.len()] as usize
    }

    /// The first point of a body.
    pub(super) fn first_point(&self, body: usize) -> u32 {
        self.first[body]
    }

    /// Normals of bodies that are planes, zero for others.
    pub(super) fn normals(&self) -> Vec<DVec3> {
        let of = |body: &Collider| match body.kind {
            ColliderKind::Plane(normal) => normal,
            _ => DVec3::ZERO,
        };
        self.bodies.iter().map(of).collect()
    }

    /// Sets the motion of the bodies over a step.
    pub(super) fn advance_bodies(&mut self, t0: f64, t1: f64) {
        let clock = Clock::start();
        for body in &mut self.bodies {
            body.set_step(t0, t1);
        }
        self.body_seconds = clock.seconds();
    }

    /// Puts the points of bodies where they are after a fraction of the step.
    pub(super) fn place_bodies(&self, fraction: f64, y: &mut [DVec3]) {
        for (b, body) in self.bodies.iter().enumerate() {
            let first = self.first[b] as usize;
            for i in 0..body.start.len() {
                // Exact at both ends, and where nothing moves.
                let (x0, x1) = (body.x_t0[i], body.x_t1[i]);
                y[first + i] = if fraction >= 1.0 { x1 } else { x0 + (x1 - x0) * fraction };
            }
        }
    }

    /// Starts a step with so many self-contacts; search directions of its iterations differ by about `margin` [m].
    ///
    /// In dense self-contact nothing is flat and a query is expensive. Elsewhere it is cheap, for most of the cloth is pruned at once.
    pub(super) fn begin(&mut self, friction_contacts: usize, margin: f64) {
        let dense = friction_contacts as f64 > DENSE_CONTACTS * self.vertices as f64;
        self.neighbour_list = dense.then(|| NeighbourList::new(margin));
    }

    /// Whether this step has dense self-contact.
    pub(super) fn is_dense(&self) -> bool {
        self.neighbour_list.is_some()
    }

    /// All pairs that come nearer than `distance` to each other on the motion from `y0` to `y1`, beyond
    /// the radii of bodies, ascending by rank.
    pub(super) fn find(
        &mut self,
        y0: &[DVec3],
        y1: &[DVec3],
        distance: f64,
        self_contact: bool,
        found: &mut Vec<Candidate>,
    ) -> Result<u64, Failure> {
        found.clear();
        let n = self.vertices;
        let most = self.max_candidates;
        self.cloth.limit_pairs(most);
        let motion = Motion { x_t0: &y0[..n], x_t1: &y1[..n] };
        let mut tested = 0;
        if let Some(neighbour_list) = self.neighbour_list.as_mut().filter(|_| self_contact) {
            let (candidates, looked_at) =
                neighbour_list.candidates(&mut self.cloth, motion, distance)?;
            tested += looked_at;
            self.add_self_candidates(&candidates, found);
            if !self.bodies.is_empty() {
                self.cloth.update(motion, distance, None)?;
            }
        } else {
            self.cloth.update(motion, distance, None)?;
        }
        if self_contact && self.neighbour_list.is_none() {
            let limit = toile_collide::prune::DEFAULT_LIMIT;
            let (candidates, counts) = self.cloth.self_candidates(limit);
            tested += counts.feature_pairs;
            self.add_self_candidates(&candidates, found);
        }
        if self.cloth.exceeded_pair_limit() {
            return Err(Failure::TooManyPairs { most });
        }
        let clock = Clock::start();
        for b in 0..self.bodies.len() {
            let range = self.first[b] as usize..self.first[b + 1] as usize;
            let body = Motion { x_t0: &y0[range.clone()], x_t1: &y1[range] };
            let before = found.len();
            self.add_body_candidates(b, body, Motion { x_t0: y0, x_t1: y1 }, distance, found)?;
            tested += (found.len() - before) as u64;
            if self.cloth.exceeded_pair_limit() || found.len() > most {
                return Err(Failure::TooManyPairs { most });
            }
        }
        self.body_seconds += clock.seconds();
        Ok(tested)
    }

    fn add_self_candidates(&self, candidates: &Candidates, found: &mut Vec<Candidate>) {
        let s = &self.cloth.surface;
        let candidate = |kind: Kind, points: [u32; 4], rank: [u32; 3]| {
            Candidate::new(kind, points, rank, CLOTH)
        };
        found.reserve_exact(candidates.vf.len() + candidates.ee.len());
        found.extend(candidates.vf.iter().map(|[v, t]| {
            let [a, b, c] = s.triangles[*t as usize];
            candidate(Kind::VertexFace, [*v, a, b, c], [0, *v, *t])
        }));
        found.extend(candidates.ee.iter().map(|[a, b]| {
            let ([p, q], [r, t]) = (s.edges[*a as usize], s.edges[*b as usize]);
            candidate(Kind::EdgeEdge, [p, q, r, t], [1, *a, *b])
        }));
    }

    fn add_body_candidates(
        &mut self,
        b: usize,
        body_motion: Motion<'_>,
        motion: Motion<'_>,
        distance: f64,
        found: &mut Vec<Candidate>,
    ) -> Result<(), NotFinite> {
        let Motion { x_t0: x0, x_t1: x1 } = body_motion;
        let Motion { x_t0: y0, x_t1: y1 } = motion;
        let first = self.first[b];
        let at = |v: u32| first + v;
        // Three kinds of pairs each, after those of cloth with itself.
        let rank = 3 * (b as u32 + 1);
        let body = &mut self.bodies[b];
        let s = &self.cloth.surface;
        let mut candidates = Candidates::default();
        let (mut triangles, mut edges): (&[[u32; 3]], &[[u32; 2]]) = (&[], &[[0, 1]]);
        let edge = matches!(body.kind, ColliderKind::Edge);
        match &mut body.kind {
            ColliderKind::Plane(normal) => {
                // Only what comes near: most of a cloth hangs high above the floor.
                for v in 0..self.vertices as u32 {
                    let height = |y: &[DVec3], x: &[DVec3]| normal.dot(y[v as usize] - x[0]);
                    if height(y0, x0).min(height(y1, x1)) < distance {
                        let points = [v, at(0), at(0), at(0)];
                        found.push(Candidate::new(Kind::Plane, points, [rank, v, 0], b as u32));
                    }
                }
                return Ok(());
            }
            ColliderKind::Mesh(detector) => {
                if !(body.settled && x0 == x1) {
                    detector.update(body_motion, distance, None)?;
                    body.settled = x0 == x1;
                }
                candidates = self.cloth.candidates_with(detector).0;
                (triangles, edges) = (&detector.surface.triangles, &detector.surface.edges);
            }
            ColliderKind::Vertex | ColliderKind::Edge => {
                let ends = x0.iter().chain(x1).copied();
                let limit = body.radius + distance;
                let volume = Aabb::of_points(ends).inflate(limit);
                self.cloth.triangles_in(&volume, |t| {
                    let corners = s.triangles[t as usize].map(|v| v as usize);
                    let corners = [y0, y1].map(|y| corners.map(|v| y[v]));
                    if is_far_from_body(corners.as_flattened(), body_motion, limit) {
                        return;
                    }
                    candidates.fv.push([t, 0]);
                    if edge {
                        candidates.fv.push([t, 1]);
                        candidates.ee.extend(s.triangle_edges[t as usize].map(|e| [e, 0]));
                    }
                });
                candidates.fv.sort_unstable();
                candidates.ee.sort_unstable();
                candidates.ee.dedup();
            }
        }
        let candidate = |kind: Kind, points: [u32; 4], rank: [u32; 3]| {
            Candidate::new(kind, points, rank, b as u32)
        };
        found.reserve_exact(candidates.vf.len() + candidates.fv.len() + candidates.ee.len());
        found.extend(candidates.vf.iter().map(|[v, t]| {
            let [p, q, r] = triangles[*t as usize].map(at);
            candidate(Kind::VertexFace, [*v, p, q, r], [rank, *v, *t])
        }));
        found.extend(candidates.fv.iter().map(|[t, v]| {
            let [p, q, r] = s.triangles[*t as usize];
            candidate(Kind::VertexFace, [at(*v), p, q, r], [rank + 1, *t, *v])
        }));
        found.extend(candidates.ee.iter().map(|[a, e]| {
            let ([p, q], [r, t]) = (s.edges[*a as usize], edges[*e as usize].map(at));
            candidate(Kind::EdgeEdge, [p, q, r, t], [rank + 2, *a, *e])
        }));
        Ok(())
    }
}

/// Whether a triangle, with its corners at the start and at the end of a motion, stays farther than `distance` from a point or an edge on
/// the motion of the body: by a separating plane. Most triangles in the box around a ball are not near the ball.
fn is_far_from_body(corners: &[DVec3], body: Motion<'_>, distance: f64) -> bool {
    let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
    let ends = [body.x_t0, body.x_t1].map(|x| [x[0], x[x.len().min(2) - 1]]);
    let [a, b] = [0, 1].map(|k| 0.5 * (ends[0][k] + ends[1][k]));
    let along = b - a;
    let part = (middle - a).dot(along) / along.length_squared();
    let foot = if part.is_finite() { a + along * part.clamp(0.0, 1.0) } else { a };
    let normal = (middle - foot).normalize_or_zero();
    let least = corners.iter().map(|p| normal.dot(*p)).fold(f64::INFINITY, f64::min);
    let most = ends.as_flattened().iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    least - most > distance * ROUNDING_FACTOR
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::check::Dice;

    #[test]
    fn what_passes_a_ball_or_a_capsule_never_comes_near_it() {
        let mut dice = Dice(7);
        let mut passed = [0; 2];
        for round in 0..4000 {
            let ends = 1 + round % 2;
            let mut some = |around: DVec3, spread: f64| around + dice.vector() * spread;
            let middle = some(DVec3::ZERO, 1.0);
            let corners: [[DVec3; 3]; 2] = [0, 1].map(|_| [0, 1, 2].map(|_| some(middle, 0.3)));
            let body: [[DVec3; 2]; 2] = [0, 1].map(|_| [0, 1].map(|_| some(DVec3::ZERO, 0.4)));
            let near = 0.3;
            let moved = Motion { x_t0: &body[0][..ends], x_t1: &body[1][..ends] };
            if !is_far_from_body(corners.as_flattened(), moved, near) {
                continue;
            }
            passed[ends - 1] += 1;
            for k in 0..=20 {
                let at = |p: DVec3, q: DVec3| p.lerp(q, f64::from(k) / 20.0);
                let face = [0, 1, 2].map(|c| at(corners[0][c], corners[1][c]));
                let [a, b] = [0, ends - 1].map(|e| at(body[0][e], body[1][e]));
                for j in 0..=10 {
                    let p = a.lerp(b, f64::from(j) / 10.0);
                    let w = distance::point_triangle(p, face);
                    let foot = face[0] * w[0] + face[1] * w[1] + face[2] * w[2];
                    assert!(p.distance(foot) > near, "round {round}");
                }
            }
        }
        // The test would be useless if hardly anything passed.
        assert!(passed.iter().all(|p| *p > 300), "{passed:?}");
    }
}
