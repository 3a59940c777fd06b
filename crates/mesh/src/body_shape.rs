//! Shapes of bodies: meshes and what a formula describes.

use crate::TriMesh;
use glam::{DMat3, DVec3};

/// The shape of a body: a mesh, or a solid given by a formula.
///
/// ```
/// use glam::{DMat3, DVec3};
/// use toile_mesh::Shape;
///
/// let ball = Shape::Sphere { centre: DVec3::ZERO, radius: 0.2 };
/// let lifted = Shape::Sphere { centre: DVec3::Y, radius: 0.2 };
/// assert_eq!(ball.moved(DMat3::IDENTITY, DVec3::Y), lifted);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A triangle mesh.
    Mesh(TriMesh),
    /// A ball.
    Sphere {
        /// Its centre [m].
        centre: DVec3,
        /// Its radius [m].
        radius: f64,
    },
    /// All points nearer to a segment than a radius.
    Capsule {
        /// One end of the segment [m].
        a: DVec3,
        /// The other [m].
        b: DVec3,
        /// The radius [m].
        radius: f64,
    },
    /// A box.
    Cuboid {
        /// Its centre [m].
        centre: DVec3,
        /// Half its edge lengths [m].
        half: DVec3,
        /// From the frame of the box to that of the world.
        rotation: DMat3,
    },
    /// The half-space below a plane.
    Plane {
        /// A point of the plane [m].
        point: DVec3,
        /// The side that is free; of any length but zero.
        normal: DVec3,
    },
}

impl Shape {
    /// The shape after the rigid motion x → `rotation` x + `shift`.
    #[must_use]
    pub fn moved(&self, rotation: DMat3, shift: DVec3) -> Self {
        let to = |x: DVec3| rotation * x + shift;
        match self {
            Self::Mesh(mesh) => Self::Mesh(TriMesh {
                positions: mesh.positions.iter().map(|p| to(*p)).collect(),
                ..mesh.clone()
            }),
            Self::Sphere { centre, radius } => {
                Self::Sphere { centre: to(*centre), radius: *radius }
            }
            Self::Capsule { a, b, radius } => {
                Self::Capsule { a: to(*a), b: to(*b), radius: *radius }
            }
            Self::Cuboid { centre, half, rotation: own } => {
                Self::Cuboid { centre: to(*centre), half: *half, rotation: rotation * *own }
            }
            Self::Plane { point, normal } => {
                Self::Plane { point: to(*point), normal: rotation * *normal }
            }
        }
    }
}

impl From<&TriMesh> for Shape {
    fn from(mesh: &TriMesh) -> Self {
        Self::Mesh(mesh.clone())
    }
}

impl From<TriMesh> for Shape {
    fn from(mesh: TriMesh) -> Self {
        Self::Mesh(mesh)
    }
}
