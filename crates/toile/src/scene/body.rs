//! What cloth collides with in a scene: shape, motion, friction.

use super::{BodyMotion, Place, Rotate};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use toile_mesh::TriMesh;

/// Something cloth collides with.
///
/// ```
/// use toile::{Body, BodyShape, DVec3, Motion};
///
/// let ring = BodyShape::Ring { at: DVec3::ZERO, radius: 0.2, rod: 0.02, rotate: None };
/// let rising = Motion::Steady {
///     velocity: DVec3::Y * 0.1,
///     axis: DVec3::Y,
///     turns_per_second: 0.0,
///     centre: DVec3::ZERO,
/// };
/// let body = Body::new("ring", ring).moving(rising).friction(0.2);
/// assert_eq!(body.friction, Some(0.2));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// What it is called.
    #[serde(default = "body_name")]
    pub name: String,
    /// Its shape at time zero.
    pub shape: BodyShape,
    /// How it moves.
    #[serde(default)]
    pub motion: BodyMotion,
    /// Its friction with cloth; the fabric's if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

fn up() -> DVec3 {
    DVec3::Y
}

fn size() -> String {
    "M".into()
}

fn figure() -> String {
    "female".into()
}

fn body_name() -> String {
    "body".into()
}

/// Shape of a body at time zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum BodyShape {
    /// A ball.
    Sphere {
        /// Its centre [m].
        #[serde(default)]
        at: DVec3,
        /// Its radius [m].
        radius: f64,
    },
    /// A rod with round ends.
    Capsule {
        /// Centre of one end [m].
        a: DVec3,
        /// Centre of the other end [m].
        b: DVec3,
        /// Its radius [m].
        radius: f64,
    },
    /// A box.
    Box {
        /// Its centre [m].
        #[serde(default)]
        at: DVec3,
        /// Its edge lengths [m].
        size: DVec3,
        /// Its turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotate: Option<Rotate>,
    },
    /// A round rod bent to a circle, around the y axis before it is turned.
    Ring {
        /// Its centre [m].
        #[serde(default)]
        at: DVec3,
        /// Radius of the circle through the middle of the rod [m].
        radius: f64,
        /// Radius of the rod [m].
        rod: f64,
        /// Its turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotate: Option<Rotate>,
    },
    /// Everything below a plane.
    Plane {
        /// A point of it [m].
        #[serde(default)]
        at: DVec3,
        /// The free side.
        #[serde(default = "up")]
        normal: DVec3,
    },
    /// A mesh from a file (OBJ, PLY, GLB).
    Mesh {
        /// The file, relative to the scene.
        file: PathBuf,
        /// Where it stands.
        #[serde(default)]
        place: Place,
    },
    /// A mannequin on the ground, facing +z, in the pose in which garments are sewn.
    Mannequin {
        /// XS, S, M, L, XL or XXL.
        #[serde(default = "size")]
        size: String,
        /// female, male or child.
        #[serde(default = "figure")]
        figure: String,
        /// Where it stands.
        #[serde(default)]
        place: Place,
    },
    /// A mesh in memory; no file can say it. It is cleaned as one from a file: doubled vertices and triangles go, and it is turned
    /// to face outwards.
    #[serde(skip)]
    InMemory {
        /// The mesh.
        mesh: TriMesh,
        /// Where it stands.
        place: Place,
    },
}

impl Body {
    /// A body at rest.
    pub fn new(name: impl Into<String>, shape: BodyShape) -> Self {
        Self { name: name.into(), shape, motion: BodyMotion::default(), friction: None }
    }

    /// A ball.
    pub fn sphere(centre: DVec3, radius: f64) -> Self {
        Self::new("ball", BodyShape::Sphere { at: centre, radius })
    }

    /// A rod with round ends, whose centres are `a` and `b` [m].
    pub fn capsule(a: DVec3, b: DVec3, radius: f64) -> Self {
        Self::new("rod", BodyShape::Capsule { a, b, radius })
    }

    /// A box with these edge lengths [m].
    pub fn cuboid(centre: DVec3, size: DVec3) -> Self {
        Self::new("box", BodyShape::Box { at: centre, size, rotate: None })
    }

    /// A mesh in memory.
    ///
    /// ```
    /// use toile::{Body, Cloth, Scene, shape};
    ///
    /// let ball = Body::from_mesh(shape::sphere(0.1, 3)).named("ball").friction(0.3);
    /// let cloth = Cloth::rectangle(0.3, 0.3, 0.05).at(0.0, 0.15, 0.0);
    /// let mut sim = Scene::new().with_cloth(cloth).with_body(ball).build()?;
    /// sim.run(0.3)?;
    /// assert!(sim.positions().iter().all(|p| p.length() > 0.09));
    /// # Ok::<(), toile::Error>(())
    /// ```
    pub fn from_mesh(mesh: TriMesh) -> Self {
        Self::new(body_name(), BodyShape::InMemory { mesh, place: Place::default() })
    }

    /// Gives it a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Gives it a coefficient of friction of its own.
    #[must_use]
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = Some(friction);
        self
    }

    /// Lets it move.
    #[must_use]
    pub fn moving(mut self, motion: impl Into<BodyMotion>) -> Self {
        self.motion = motion.into();
        self
    }
}
