//! Audit of a moment of a simulation with exact predicates.

use crate::error::Error;
use glam::{DQuat, DVec3};
use toile_audit::Solid;
use toile_sim::Body;
use toile_sim::body::Shape;

/// What was found at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Pairs of triangles that intersect.
    pub self_intersections: u64,
    /// Triangles of cloth that enter a body.
    pub body_penetrations: u64,
}

/// Counts intersecting pairs of triangles, and triangles inside bodies at time `t` [s].
///
/// # Errors
/// If a coordinate is beyond what exact arithmetic can hold.
pub fn audit(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    bodies: &[Body],
    t: f64,
) -> Result<Audit, Error> {
    let failed = |e: toile_audit::Error| Error::Audit(e.to_string());
    let pairs = toile_audit::self_intersections(positions, triangles).map_err(failed)?;
    let mut inside = 0;
    for body in bodies {
        let found = toile_audit::body_penetrations(positions, triangles, &solid(body, t));
        inside += found.map_err(failed)?.count() as u64;
    }
    Ok(Audit { self_intersections: pairs.len() as u64, body_penetrations: inside })
}

/// A body as it stands at time `t` [s].
pub(crate) fn solid(body: &Body, t: f64) -> Solid {
    let pose = body.motion.pose(t);
    match &body.shape {
        Shape::Mesh(mesh) => Solid::Mesh {
            positions: mesh.positions.iter().map(|p| pose.apply(*p)).collect(),
            triangles: mesh.triangles.clone(),
        },
        Shape::Sphere { centre, radius } => {
            Solid::Sphere { centre: pose.apply(*centre), radius: *radius }
        }
        Shape::Capsule { a, b, radius } => {
            Solid::Capsule { a: pose.apply(*a), b: pose.apply(*b), radius: *radius }
        }
        Shape::Cuboid { centre, half, rotation } => Solid::Cuboid {
            centre: pose.apply(*centre),
            half: *half,
            rotation: DQuat::from_mat3(&(pose.rotation * *rotation)),
        },
        Shape::Plane { point, normal } => {
            Solid::Plane { point: pose.apply(*point), normal: pose.rotation * *normal }
        }
    }
}
