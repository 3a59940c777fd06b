//! All collisions of a step: cloth with itself, with meshes, spheres, capsules, boxes and planes.

use super::Contact;
use super::zones::{Anchor, ZoneSet};
use crate::body::{Collider, ColliderKind};
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::Collision;
use glam::DVec3;
use rayon::prelude::*;
use toile_collide::broad::Detector;
use toile_collide::ccd::{Ccd, Filter, Impact, Pair, Separation};
use toile_collide::prune::Prune;
use toile_collide::volume::{Aabb, Volume};
use toile_collide::{Candidates, Motion, NotFinite};

/// Pairs a thread takes at a time.
const CHUNK: usize = 256;

/// Everything that can collide.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) cloth: Detector,
    pub(crate) bodies: Vec<Collider>,
    /// What a zone that touches each body hangs on.
    pub(crate) body_anchor: Vec<Anchor>,
    /// Friction of each vertex's fabric.
    pub(crate) friction: Vec<f64>,
    /// Distance kept [m].
    pub(crate) separation: f64,
}

/// What one detection looks at.
#[derive(Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) motion: Motion<'a>,
    pub(crate) h: f64,
    pub(crate) settings: &'a Collision,
    /// How much nearer a pair that is too near may come; see [`Separation::max_approach`].
    pub(crate) max_approach: f64,
    /// Vertices that changed since the last detection; all if `None`.
    pub(crate) moved: Option<&'a [bool]>,
    pub(crate) zones: &'a ZoneSet,
}

impl Query<'_> {
    fn has_moved(&self, v: u32) -> bool {
        self.moved.is_none_or(|m| m[v as usize])
    }
}

impl Scene {
    pub(crate) fn new(
        model: &Model,
        bodies: Vec<Collider>,
        separation: f64,
        tree: toile_collide::Options,
    ) -> Self {
        let (uv, cloth) = model.texture();
        Self {
            cloth: Detector::for_cloth_with(model.surface(), &uv, &cloth, tree),
            body_anchor: vec![0; bodies.len()],
            bodies,
            friction: model.friction.to_vec(),
            separation,
        }
    }

    /// Takes up the bodies' motion over the step from `t0` to `t1`.
    pub(crate) fn advance_bodies(&mut self, t0: f64, t1: f64) -> Result<(), NotFinite> {
        for (b, body) in self.bodies.iter_mut().enumerate() {
            body.set_step(t0, t1);
            self.body_anchor[b] = if body.moves() { 1 + b as u32 } else { 0 };
            let still = self.body_anchor[b] == 0;
            if let ColliderKind::Mesh(detector) = &mut body.kind
                && !(still && body.settled)
            {
                let motion = Motion { x_t0: &body.x_t0, x_t1: &body.x_t1 };
                detector.update(motion, self.separation, None)?;
                // Only the cloth changes between the detections of a step.
                detector.mark_unmoved();
            }
            body.settled = still;
        }
        Ok(())
    }

    /// All collisions that no zone takes care of, in the order of their times.
    pub(crate) fn detect(
        &mut self,
        q: Query<'_>,
        report: &mut StepReport,
    ) -> Result<Vec<Contact>, NotFinite> {
        self.cloth.update(q.motion, self.separation, q.moved)?;
        report.detections += 1;
        let mut contacts = Vec::new();
        if q.settings.self_collision {
            self.with_itself(q, report, &mut contacts);
        }
        for b in 0..self.bodies.len() {
            if self.bodies[b].sampled.is_some() {
                self.with_sampled(q, b, report, &mut contacts);
                continue;
            }
            match &self.bodies[b].kind {
                ColliderKind::Mesh(detector) => {
                    self.with_mesh(q, b, detector, report, &mut contacts)
                }
                ColliderKind::Vertex => self.with_vertex(q, b, report, &mut contacts),
                ColliderKind::Edge => self.with_edge(q, b, report, &mut contacts),
                ColliderKind::Plane(normal) => self.with_plane(q, b, *normal, &mut contacts),
            }
        }
        // Stable: equal times stay in the order of the pairs.
        contacts.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(contacts)
    }

    fn with_itself(&self, q: Query<'_>, report: &mut StepReport, contacts: &mut Vec<Contact>) {
        let (candidates, counts) = self.cloth.self_candidates(q.settings.cone_limit);
        report.triangle_pairs += counts.triangle_pairs;
        report.tested += counts.feature_pairs;
        let s = &self.cloth.surface;
        let gap = Separation {
            radius: 0.0,
            gap: self.separation,
            max_approach: q.max_approach,
            body: 0.0,
        };
        let of = |v: u32| q.motion.ends(v);
        let contact = |vertices: [u32; 4], i: Impact| Contact {
            time: i.time,
            vertices,
            count: 4,
            weights: i.weights,
            normal: i.normal,
            body: None,
            friction: 0.25 * vertices.iter().map(|v| self.friction[*v as usize]).sum::<f64>(),
            deficit: (self.separation - i.distance).max(0.0),
        };
        let free = |v: &[u32; 4]| {
            let zone = q.zones.zone(v[0]);
            zone.is_none() || v[1..].iter().any(|v| q.zones.zone(*v) != zone)
        };
        // What a plane keeps apart has been left out already, unless nothing is pruned.
        let filtered = q.settings.cone_limit > 0.0 && q.settings.tree.prune != Prune::Nothing;
        let filter = if filtered { Filter::None } else { Filter::Hull };
        let ask = Ask { ccd: q.settings.ccd, separation: gap, filter };
        contacts.extend(ask.all(
            Pair::VertexFace,
            &candidates.vf,
            |[v, t]| {
                let [a, b, c] = s.triangles[t as usize];
                let all = [v, a, b, c];
                free(&all).then(|| all.map(of))
            },
            |[v, t], i| {
                let [a, b, c] = s.triangles[t as usize];
                contact([v, a, b, c], i)
            },
        ));
        let ends = |[a, b]: [u32; 2]| {
            let ([a0, a1], [b0, b1]) = (s.edges[a as usize], s.edges[b as usize]);
            [a0, a1, b0, b1]
        };
        contacts.extend(ask.all(
            Pair::EdgeEdge,
            &candidates.ee,
            |p| free(&ends(p)).then(|| ends(p).map(of)),
            |p, i| contact(ends(p), i),
        ));
    }

    fn with_mesh(
        &self,
        q: Query<'_>,
        b: usize,
        detector: &Detector,
        report: &mut StepReport,
        contacts: &mut Vec<Contact>,
    ) {
        let (candidates, counts) = self.cloth.candidates_with(detector);
        report.triangle_pairs += counts.triangle_pairs;
        report.tested += counts.feature_pairs;
        self.test_body(
            q,
            b,
            &detector.surface.triangles,
            &detector.surface.edges,
            &candidates,
            contacts,
        );
    }

    /// A sphere: its centre against faces.
    fn with_vertex(
        &self,
        q: Query<'_>,
        b: usize,
        report: &mut StepReport,
        contacts: &mut Vec<Contact>,
    ) {
        let mut candidates = Candidates::default();
        self.near_features(q, b, |t| candidates.fv.push([t, 0]));
        candidates.fv.sort_unstable();
        report.tested += candidates.fv.len() as u64;
        self.test_body(q, b, &[], &[], &candidates, contacts);
    }

    /// A capsule: both ends against faces, its edge against edges.
    fn with_edge(
        &self,
        q: Query<'_>,
        b: usize,
        report: &mut StepReport,
        contacts: &mut Vec<Contact>,
    ) {
        let mut candidates = Candidates::default();
        self.near_features(q, b, |t| {
            candidates.fv.extend([[t, 0], [t, 1]]);
            candidates.ee.extend(self.cloth.surface.triangle_edges[t as usize].map(|e| [e, 0]));
        });
        candidates.fv.sort_unstable();
        candidates.ee.sort_unstable();
        candidates.ee.dedup();
        report.tested += candidates.len() as u64;
        self.test_body(q, b, &[], &[[0, 1]], &candidates, contacts);
    }

    /// Cloth triangles near the few features of a body with a radius.
    fn near_features(&self, q: Query<'_>, b: usize, mut found: impl FnMut(u32)) {
        let body = &self.bodies[b];
        let all = body.x_t0.iter().chain(&body.x_t1).copied();
        let volume = Aabb::of_points(all).inflate(body.radius + self.separation);
        self.cloth.triangles_in(&volume, |t| {
            if self.cloth.surface.triangles[t as usize].iter().any(|v| q.has_moved(*v)) {
                found(t);
            }
        });
    }

    fn test_body(
        &self,
        q: Query<'_>,
        body_index: usize,
        triangles: &[[u32; 3]],
        edges: &[[u32; 2]],
        candidates: &Candidates,
        contacts: &mut Vec<Contact>,
    ) {
        let (s, body) = (&self.cloth.surface, &self.bodies[body_index]);
        let separation = Separation {
            radius: body.radius,
            gap: self.separation,
            max_approach: q.max_approach,
            body: 0.0,
        };
        let of = |v: u32| q.motion.ends(v);
        let at = |v: u32| [body.x_t0[v as usize], body.x_t1[v as usize]];
        let ask = Ask { ccd: q.settings.ccd, separation, filter: Filter::Hull };
        contacts.extend(ask.all(
            Pair::VertexFace,
            &candidates.vf,
            |[v, t]| {
                let [a, b, c] = triangles[t as usize].map(at);
                self.is_free(q, body_index, &[v]).then(|| [of(v), a, b, c])
            },
            |[v, t], i| {
                let drag = self.drag(q, body_index, &triangles[t as usize], &i.weights[1..]);
                self.contact(body_index, &[v], &[1.0], i.time, i.distance, i.normal, drag)
            },
        ));
        contacts.extend(ask.all(
            Pair::VertexFace,
            &candidates.fv,
            |[t, v]| {
                let tri = s.triangles[t as usize];
                let [a, b, c] = tri.map(of);
                self.is_free(q, body_index, &tri).then(|| [at(v), a, b, c])
            },
            |[t, v], i| {
                let weights = [-i.weights[1], -i.weights[2], -i.weights[3]];
                let drag = self.drag(q, body_index, &[v], &[-1.0]);
                let tri = s.triangles[t as usize];
                self.contact(body_index, &tri, &weights, i.time, i.distance, -i.normal, drag)
            },
        ));
        contacts.extend(ask.all(
            Pair::EdgeEdge,
            &candidates.ee,
            |[ea, eb]| {
                let va = s.edges[ea as usize];
                let ([a0, a1], [b0, b1]) = (va.map(of), edges[eb as usize].map(at));
                self.is_free(q, body_index, &va).then_some([a0, a1, b0, b1])
            },
            |[ea, eb], i| {
                let drag = self.drag(q, body_index, &edges[eb as usize], &i.weights[2..]);
                let va = s.edges[ea as usize];
                self.contact(body_index, &va, &i.weights[..2], i.time, i.distance, i.normal, drag)
            },
        ));
    }

    /// A body that is asked at points: as a plane at each vertex.
    fn with_sampled(
        &self,
        q: Query<'_>,
        b: usize,
        report: &mut StepReport,
        contacts: &mut Vec<Contact>,
    ) {
        let body = &self.bodies[b];
        for v in 0..q.motion.x_t0.len() as u32 {
            if !q.has_moved(v) || !self.is_free(q, b, &[v]) {
                continue;
            }
            let [x_t0, x_t1] = q.motion.ends(v);
            report.tested += 1;
            let Some((h1, out)) = body.ask(1, x_t1, self.separation) else { continue };
            // From farther away it comes along the normal at its end.
            let drag = body.displacement.apply(x_t0) - x_t0;
            let (h0, normal) = match body.ask(0, x_t0, 2.0 * self.separation) {
                Some(begin) => begin,
                None => (self.separation.max(h1 - out.dot(x_t1 - x_t0 - drag)), out),
            };
            let kept = if h0 > 0.0 { (1.0 - q.max_approach) * h0 } else { h0 };
            let threshold = self.separation.min(kept);
            if h1 < threshold {
                let time = ((h0 - threshold) / (h0 - h1)).clamp(0.0, 1.0);
                contacts.push(self.contact(b, &[v], &[1.0], time, h0, normal, drag / q.h));
            }
        }
    }

    fn with_plane(&self, q: Query<'_>, b: usize, normal: DVec3, contacts: &mut Vec<Contact>) {
        let body = &self.bodies[b];
        let drag = (body.x_t1[0] - body.x_t0[0]) / q.h;
        for v in 0..q.motion.x_t0.len() as u32 {
            if !q.has_moved(v) || !self.is_free(q, b, &[v]) {
                continue;
            }
            let [x_t0, x_t1] = q.motion.ends(v);
            let (h0, h1) = (normal.dot(x_t0 - body.x_t0[0]), normal.dot(x_t1 - body.x_t1[0]));
            // As for other pairs: what is too near may stay, but not come nearer.
            let kept = if h0 > 0.0 { (1.0 - q.max_approach) * h0 } else { h0 };
            let threshold = self.separation.min(kept);
            if h1 < threshold {
                let time = ((h0 - threshold) / (h0 - h1)).clamp(0.0, 1.0);
                contacts.push(self.contact(b, &[v], &[1.0], time, h0, normal, drag));
            }
        }
    }

    /// Whether a zone that hangs on this body does not already hold these vertices. What deforms does not move as any zone does.
    fn is_free(&self, q: Query<'_>, b: usize, vertices: &[u32]) -> bool {
        let zone = q.zones.zone(vertices[0]);
        let deforms = self.bodies[b].deformation.is_some() && self.body_anchor[b] != 0;
        deforms
            || zone.is_none()
            || q.zones.anchor(vertices[0]) != Some(self.body_anchor[b])
            || vertices[1..].iter().any(|v| q.zones.zone(*v) != zone)
    }

    /// Velocity of a body where its vertices have the given negative weights.
    fn drag(&self, q: Query<'_>, b: usize, vertices: &[u32], weights: &[f64]) -> DVec3 {
        let body = &self.bodies[b];
        let each = vertices.iter().zip(weights);
        each.map(|(v, w)| (body.x_t1[*v as usize] - body.x_t0[*v as usize]) * (-w / q.h)).sum()
    }

    fn contact(
        &self,
        b: usize,
        vertices: &[u32],
        weights: &[f64],
        time: f64,
        distance: f64,
        normal: DVec3,
        drag: DVec3,
    ) -> Contact {
        let mut all = Contact {
            time,
            vertices: [0; 4],
            count: vertices.len() as u8,
            weights: [0.0; 4],
            normal,
            body: Some((b as u32, drag)),
            friction: self.bodies[b].friction.unwrap_or(self.friction[vertices[0] as usize]),
            deficit: (self.bodies[b].radius + self.separation - distance).max(0.0),
        };
        all.vertices[..vertices.len()].copy_from_slice(vertices);
        all.weights[..weights.len()].copy_from_slice(weights);
        all
    }
}

/// How pairs are tested.
#[derive(Clone, Copy)]
struct Ask {
    ccd: Ccd,
    separation: Separation,
    filter: Filter,
}

impl Ask {
    /// The contacts among some pairs, in their order. `query` gives a pair's vertices, or none if it
    /// need not be tested.
    fn all(
        self,
        kind: Pair,
        pairs: &[[u32; 2]],
        query: impl Fn([u32; 2]) -> Option<toile_collide::ccd::Query> + Sync,
        contact: impl Fn([u32; 2], Impact) -> Contact + Sync,
    ) -> Vec<Contact> {
        let test = |pairs: &[[u32; 2]]| {
            let mut found = Vec::new();
            self.ccd.times_of_impact(
                kind,
                pairs.len(),
                self.separation,
                self.filter,
                |i| query(pairs[i]),
                |i, impact| found.push(contact(pairs[i], impact)),
            );
            found
        };
        if pairs.len() < CHUNK {
            return test(pairs);
        }
        pairs.par_chunks(CHUNK).flat_map_iter(test).collect()
    }
}
