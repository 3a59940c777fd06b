//! Bodies as the papers' systems meet them: as triangles, or asked at points.

use super::Sampled;
use crate::body::{Body, BodyQuery, Collider, ColliderKind, Shape, cuboid};
use crate::error::Error;
use crate::settings::{Collision, Response};
use glam::{DQuat, DVec3};
use std::sync::Arc;
use toile_collide::Surface;
use toile_collide::broad::Detector;
use toile_collide::prune::Prune;
use toile_collide::tree;
use toile_mesh::{Topology, TriMesh, shape};

/// Bodies as the method meets them.
pub(crate) fn colliders(
    bodies: &[Body],
    collision: &Collision,
    separation: f64,
) -> Result<Vec<Collider>, Error> {
    Ok(match collision.response {
        _ if collision.bodies != BodyQuery::Features => {
            let near = separation * collision.repulsion.max(2.0);
            let of = |b| Collider::sampled(b, collision.bodies, collision.body_cell, near);
            bodies.iter().map(of).collect::<Result<_, _>>()?
        }
        Response::Geometric => {
            bodies.iter().map(|b| Collider::of_triangles(b, collision.tree)).collect()
        }
        _ => bodies.iter().map(Collider::new).collect(),
    })
}

impl Collider {
    /// A body that is asked at points, in cells of side `cell` [m]; features where that cannot be.
    pub(crate) fn sampled(
        body: &Body,
        query: BodyQuery,
        cell: f64,
        near: f64,
    ) -> Result<Self, Error> {
        let Some(sampled) = Sampled::new(body, query, cell, near)? else {
            return Ok(Self::new(body));
        };
        let kind = ColliderKind::Vertex;
        Ok(Self { radius: 0.0, kind, sampled: Some(Arc::new(sampled)), ..Self::new(body) })
    }

    /// What a sampled body says of a point, at the start (0) or at the end (1) of the step: distance and direction outwards.
    pub(crate) fn ask(&self, end: usize, x: DVec3, reach: f64) -> Option<(f64, DVec3)> {
        let pose = &self.poses[end];
        let back = pose.rotation.transpose();
        let (distance, out) = self.sampled.as_ref()?.ask(back * (x - pose.translation), reach)?;
        Some((distance, pose.rotation * out))
    }

    /// The same made of triangles, but for planes: what vertices are moved out of.
    pub(crate) fn of_triangles(body: &Body, tree: toile_collide::Options) -> Self {
        let Some(mesh) = triangles_around(body) else { return Self::new(body) };
        let options = toile_collide::Options { prune: Prune::Nothing, ..tree };
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
        let keys: Vec<DVec3> = (0..mesh.triangles.len())
            .map(|t| mesh.corners(t).into_iter().sum::<DVec3>() / 3.0)
            .collect();
        let piece = vec![0; keys.len()];
        let rest = tree::Rest { x: &mesh.positions, keys: &keys, piece: &piece, uv: &[] };
        let kind = ColliderKind::Mesh(Box::new(Detector::with_options(surface, rest, options)));
        let outward = topology.is_closed().then(|| mesh.signed_volume().signum());
        let start = mesh.positions;
        Self {
            outward,
            x_t0: start.clone(),
            x_t1: start.clone(),
            start,
            radius: 0.0,
            kind,
            ..Self::new(body)
        }
    }
}

/// As [`triangles_of`], but with the triangles of a ball or rod around it rather than in it, so that what rests on them is outside.
fn triangles_around(body: &Body) -> Option<TriMesh> {
    let (ends, radius) = match &body.shape {
        Shape::Sphere { centre, radius } => ([*centre; 2], *radius),
        Shape::Capsule { a, b, radius } => ([*a, *b], *radius),
        _ => return triangles_of(body),
    };
    let within = triangles_of(body)?;
    let planes = (0..within.triangles.len()).map(|t| {
        let [a, b, c] = within.corners(t);
        let out = (b - a).cross(c - a).normalize_or_zero();
        ends.map(|end| out.dot(a - end)).into_iter().fold(f64::INFINITY, f64::min)
    });
    // Distances from the nearer end grow with the radius.
    let radius = radius * radius / planes.fold(radius, f64::min);
    let mut wider = body.clone();
    match &mut wider.shape {
        Shape::Sphere { radius: r, .. } | Shape::Capsule { radius: r, .. } => *r = radius,
        _ => {}
    }
    triangles_of(&wider)
}

/// A body as a closed mesh; none of a plane.
pub(super) fn triangles_of(body: &Body) -> Option<TriMesh> {
    Some(match &body.shape {
        Shape::Mesh(mesh) => mesh.clone(),
        Shape::Sphere { centre, radius } => {
            shape::sphere(*radius, 4).map_positions(|p| p + *centre)
        }
        Shape::Capsule { a, b, radius } => {
            let turn = DQuat::from_rotation_arc(DVec3::Y, (*b - *a).normalize_or(DVec3::Y));
            let rod = shape::capsule(*radius, a.distance(*b).max(1e-9), 48, 12);
            rod.map_positions(|p| turn * p + 0.5 * (*a + *b))
        }
        Shape::Cuboid { centre, half, rotation } => cuboid(*centre, *half, *rotation),
        Shape::Plane { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_around_balls_and_rods_do_not_enter_them() {
        let a = DVec3::new(0.1, 0.2, 0.3);
        let rod = Shape::Capsule { a, b: a + DVec3::new(0.3, -0.2, 0.5), radius: 0.04 };
        for shape in [Shape::Sphere { centre: a, radius: 0.3 }, rod] {
            let mesh = triangles_around(&Body::new("round", shape.clone())).unwrap();
            let (ends, radius) = match shape {
                Shape::Capsule { a, b, radius } => ([a, b], radius),
                _ => ([a; 2], 0.3),
            };
            let away = |p: DVec3| {
                let along = (ends[1] - ends[0]).normalize_or_zero();
                let on = along.dot(p - ends[0]).clamp(0.0, ends[0].distance(ends[1]));
                p.distance(ends[0] + along * on)
            };
            for t in 0..mesh.triangles.len() {
                let [p, q, r] = mesh.corners(t);
                for at in [(p + q + r) / 3.0, 0.5 * (p + q), 0.5 * (q + r), p] {
                    assert!(away(at) > radius * (1.0 - 1e-12), "{at} {}", away(at));
                    assert!(away(at) < radius * 1.02, "{at} {}", away(at));
                }
            }
        }
    }
}
