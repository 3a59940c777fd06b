//! Bodies as signed distances, and the way out of them.

use glam::{DQuat, DVec3};
use toile_audit::Shape;
use toile_collide::field;
use toile_mesh::TriMesh;

/// Steps along a ray before it is taken to have left the body.
const MAX_MARCH_STEPS: u32 = 200;

/// Distance below which a point counts as in the surface of a mesh, for coordinates of a metre [m].
const SURFACE_TOLERANCE: f64 = 1e-12;

/// A body as it stands at the start.
pub(super) enum Obstacle {
    /// A mesh, with the normals of its triangles.
    Mesh {
        solid: Box<field::Solid>,
        normals: Vec<DVec3>,
    },
    /// Everything nearer to a segment than a radius; a ball if its ends are one point.
    Round {
        a: DVec3,
        b: DVec3,
        radius: f64,
    },
    Cuboid {
        centre: DVec3,
        half: DVec3,
        rotation: DQuat,
    },
    Plane {
        point: DVec3,
        normal: DVec3,
    },
}

impl Obstacle {
    /// The body; none of a mesh that has no inside and no outside to bring cloth to.
    pub(super) fn new(shape: &Shape) -> Option<Self> {
        Some(match shape {
            Shape::Mesh(TriMesh { positions, triangles, .. }) => {
                let solid = Box::new(field::Solid::with_holes(positions, triangles).ok()?);
                let normal = |t: &[u32; 3]| {
                    let [a, b, c] = t.map(|v| positions[v as usize]);
                    (b - a).cross(c - a).normalize_or_zero()
                };
                Self::Mesh { solid, normals: triangles.iter().map(normal).collect() }
            }
            Shape::Sphere { centre, radius } => {
                Self::Round { a: *centre, b: *centre, radius: *radius }
            }
            Shape::Capsule { a, b, radius } => Self::Round { a: *a, b: *b, radius: *radius },
            Shape::Cuboid { centre, half, rotation } => {
                Self::Cuboid { centre: *centre, half: *half, rotation: DQuat::from_mat3(rotation) }
            }
            Shape::Plane { point, normal } => {
                Self::Plane { point: *point, normal: normal.normalize() }
            }
        })
    }

    /// Distance of a point, negative inside [m], and the way outwards there; zero where all ways are equal.
    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        match self {
            Self::Mesh { solid, normals } => {
                let nearest = solid.nearest(p);
                // In the surface the difference of the points is rounding, and which side it is on as well.
                if nearest.distance <= SURFACE_TOLERANCE * (1.0 + p.length()) {
                    let normal = normals.get(nearest.triangle as usize);
                    return (0.0, normal.copied().unwrap_or_default());
                }
                let away = (p - nearest.point).normalize_or_zero();
                match solid.contains(p) {
                    true => (-nearest.distance, -away),
                    false => (nearest.distance, away),
                }
            }
            Self::Round { a, b, radius } => {
                let ab = *b - *a;
                let along = (p - *a).dot(ab) / ab.length_squared().max(f64::MIN_POSITIVE);
                let away = p - (*a + ab * along.clamp(0.0, 1.0));
                (away.length() - radius, away.normalize_or_zero())
            }
            Self::Cuboid { centre, half, rotation } => {
                let q = rotation.inverse() * (p - *centre);
                let beyond = q.abs() - *half;
                let sign = DVec3::new(1f64.copysign(q.x), 1f64.copysign(q.y), 1f64.copysign(q.z));
                let outside = beyond.max(DVec3::ZERO);
                if outside != DVec3::ZERO {
                    return (outside.length(), *rotation * (outside.normalize() * sign));
                }
                // Inside: through the nearest face.
                let least = beyond.max_element();
                let axis = DVec3::AXES.into_iter().find(|a| beyond.dot(*a) == least);
                (least, *rotation * (axis.unwrap_or(DVec3::Y) * sign))
            }
            Self::Plane { point, normal } => (normal.dot(p - *point), *normal),
        }
    }

    /// Way along `d` until a point is `clear` outside [m].
    pub(super) fn exit(&self, p: DVec3, d: DVec3, clear: f64) -> f64 {
        let least = 0.1 * clear;
        let mut travelled = 0.0;
        for _ in 0..MAX_MARCH_STEPS {
            let (distance, _) = self.distance(p + d * travelled);
            if distance >= clear {
                break;
            }
            // Nothing of the surface is nearer than the distance says.
            travelled += (clear - distance).abs().min(distance.abs() + clear).max(least);
        }
        travelled
    }
}
