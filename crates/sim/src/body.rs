//! Bodies: what cloth collides with. They are kinematic: contact does not move them.
//!
//! Triangle meshes, spheres, capsules and boxes are all one kind of thing here: features with a
//! radius. A sphere is a vertex with a radius, a capsule an edge with a radius, a box a mesh of
//! twelve triangles. A plane is a half-space.

use crate::deformation::Deformation;
use crate::error::Error;
use crate::motion::{Motion, Pose};
#[cfg(feature = "papers")]
use crate::papers::Sampled;
pub use crate::settings::BodyQuery;
use glam::{DMat3, DVec3};
#[cfg(feature = "papers")]
use std::sync::Arc;
use toile_collide::Surface;
use toile_collide::broad::Detector;
pub use toile_mesh::Shape;
use toile_mesh::{Topology, TriMesh};

/// Something cloth collides with.
///
/// ```
/// use glam::DVec3;
/// use toile_sim::body::Shape;
/// use toile_sim::{Body, Motion};
///
/// let mut ball = Body::new("ball", Shape::Sphere { centre: DVec3::ZERO, radius: 0.2 });
/// ball.motion = Motion::Steady {
///     velocity: DVec3::X,
///     axis: DVec3::Y,
///     turns_per_second: 0.0,
///     centre: DVec3::ZERO,
/// };
/// ball.validate()?;
/// # Ok::<(), toile_sim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    /// What it is called.
    pub name: String,
    /// Its shape at time zero.
    pub shape: Shape,
    /// How it moves.
    pub motion: Motion,
    /// How its shape changes before it is moved; only meshes can.
    pub deformation: Option<Deformation>,
    /// Its friction with cloth; the fabric's if `None`.
    pub friction: Option<f64>,
}

impl Body {
    /// A body at rest.
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        Self { name: name.into(), shape, motion: Motion::Still, deformation: None, friction: None }
    }

    /// The shape as it is at a time [s], where it is then.
    pub fn shape_at(&self, time: f64) -> Shape {
        let pose = self.motion.pose(time);
        match (&self.shape, &self.deformation) {
            (Shape::Mesh(mesh), Some(deformation)) => {
                let mut mesh = mesh.clone();
                deformation.place(time, &mut mesh.positions);
                Shape::Mesh(mesh).moved(pose.rotation, pose.translation)
            }
            (shape, _) => shape.moved(pose.rotation, pose.translation),
        }
    }

    /// Whether it is never anywhere else.
    pub fn is_still(&self) -> bool {
        self.motion == Motion::Still && self.deformation.is_none()
    }

    /// Refuses what cannot be collided with.
    pub fn validate(&self) -> Result<(), Error> {
        let bad = |reason: String| Err(Error::Mesh { name: self.name.clone(), reason });
        if let Err(reason) = self.motion.validate() {
            return bad(format!("its motion {reason}"));
        }
        if self.friction.is_some_and(|f| !(f.is_finite() && f >= 0.0)) {
            return bad("friction must be a number, and not negative".into());
        }
        if self.deformation.is_some() && !matches!(self.shape, Shape::Mesh(_)) {
            return bad("only a mesh can change its shape; make a mesh of it".into());
        }
        let positive = |r: f64| r.is_finite() && r > 0.0;
        match &self.shape {
            Shape::Mesh(m) if m.triangles.is_empty() => bad("has no triangles".into()),
            Shape::Mesh(m) if m.positions.iter().any(|p| !p.is_finite()) => {
                bad("has a vertex that is not finite".into())
            }
            Shape::Sphere { centre, radius } if !(centre.is_finite() && positive(*radius)) => {
                bad(format!("radius is {radius}; it must be above zero, and its centre finite"))
            }
            Shape::Capsule { a, b, radius }
                if !(a.is_finite() && b.is_finite() && positive(*radius)) =>
            {
                bad(format!("radius is {radius}; it must be above zero, and its ends finite"))
            }
            Shape::Cuboid { centre, half, .. }
                if !(centre.is_finite() && half.is_finite() && half.min_element() > 0.0) =>
            {
                bad(format!("half sizes are {half}; all three must be above zero"))
            }
            Shape::Plane { point, normal }
                if !(point.is_finite() && normal.is_finite() && normal.length() > 1e-9) =>
            {
                bad("its normal has no direction".into())
            }
            Shape::Plane { .. } if self.motion.turns() => {
                bad("a plane cannot turn; use a box".into())
            }
            _ => Ok(()),
        }
    }
}

/// What detection needs of a body.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    /// Vertices at time zero; of one that deforms, at the end of the present step before it is moved.
    pub(crate) start: Vec<DVec3>,
    /// Vertices at the start and end of the present step.
    pub(crate) x_t0: Vec<DVec3>,
    pub(crate) x_t1: Vec<DVec3>,
    /// Radius around its features [m].
    pub(crate) radius: f64,
    pub(crate) kind: ColliderKind,
    pub(crate) motion: Motion,
    pub(crate) deformation: Option<Deformation>,
    /// Start and end of the present step [s].
    pub(crate) times: Option<[f64; 2]>,
    pub(crate) friction: Option<f64>,
    /// Displacement over the present step; of one that deforms, that of its motion alone.
    pub(crate) displacement: Pose,
    /// Whether it was at rest over the last step too, so that its boxes still hold.
    pub(crate) settled: bool,
    /// Poses at the start and at the end of the present step.
    pub(crate) poses: [Pose; 2],
    /// Where out is, of triangles that enclose a solid: 1 on the side of their normals, -1 on the other.
    #[cfg(feature = "papers")]
    pub(crate) outward: Option<f64>,
    /// What is asked instead of its features, if anything.
    #[cfg(feature = "papers")]
    pub(crate) sampled: Option<Arc<Sampled>>,
}

#[derive(Clone, Debug)]
pub(crate) enum ColliderKind {
    /// Faces, edges and vertices.
    Mesh(Box<Detector>),
    /// Its first vertex alone.
    Vertex,
    /// The edge of its first two vertices.
    Edge,
    /// The half-space below its first vertex; the normal is constant.
    Plane(DVec3),
}

impl Collider {
    pub(crate) fn new(body: &Body) -> Self {
        let (start, radius, kind) = match &body.shape {
            Shape::Mesh(mesh) => (mesh.positions.clone(), 0.0, mesh_kind(mesh)),
            Shape::Sphere { centre, radius } => (vec![*centre], *radius, ColliderKind::Vertex),
            Shape::Capsule { a, b, radius } => (vec![*a, *b], *radius, ColliderKind::Edge),
            Shape::Cuboid { centre, half, rotation } => {
                let mesh = cuboid(*centre, *half, *rotation);
                (mesh.positions.clone(), 0.0, mesh_kind(&mesh))
            }
            Shape::Plane { point, normal } => {
                (vec![*point], 0.0, ColliderKind::Plane(normal.normalize()))
            }
        };
        Self {
            x_t0: start.clone(),
            x_t1: start.clone(),
            start,
            radius,
            kind,
            motion: body.motion.clone(),
            deformation: body.deformation.clone(),
            times: None,
            friction: body.friction,
            displacement: Pose::IDENTITY,
            settled: false,
            poses: [Pose::IDENTITY; 2],
            #[cfg(feature = "papers")]
            outward: None,
            #[cfg(feature = "papers")]
            sampled: None,
        }
    }

    /// Sets the positions at the start and the end of a step from `t0` to `t1`.
    pub(crate) fn set_step(&mut self, t0: f64, t1: f64) {
        if let Some(deformation) = self.deformation.clone() {
            return self.set_deformed_step(&deformation, [t0, t1]);
        }
        let (p0, p1) = (self.motion.pose(t0), self.motion.pose(t1));
        // Bodies that stand still may have many vertices.
        if self.poses == [p0, p1] {
            return;
        }
        self.poses = [p0, p1];
        self.displacement = if p0 == p1 { Pose::IDENTITY } else { p0.to(&p1) };
        for i in 0..self.start.len() {
            self.x_t0[i] = p0.apply(self.start[i]);
            self.x_t1[i] = p1.apply(self.start[i]);
        }
    }

    /// The same for a body that changes its shape. What the last step ended with is not asked for again.
    fn set_deformed_step(&mut self, deformation: &Deformation, [t0, t1]: [f64; 2]) {
        if self.times == Some([t0, t1]) {
            return;
        }
        if self.times.is_some_and(|[_, end]| end == t0) {
            std::mem::swap(&mut self.x_t0, &mut self.x_t1);
        } else {
            deformation.place(t0, &mut self.start);
            let pose = self.motion.pose(t0);
            self.x_t0.iter_mut().zip(&self.start).for_each(|(x, p)| *x = pose.apply(*p));
        }
        deformation.place(t1, &mut self.start);
        let pose = self.motion.pose(t1);
        self.x_t1.iter_mut().zip(&self.start).for_each(|(x, p)| *x = pose.apply(*p));
        self.poses = [self.motion.pose(t0), pose];
        self.displacement = self.poses[0].to(&pose);
        self.times = Some([t0, t1]);
    }

    /// Whether it changes its shape.
    #[cfg(feature = "papers")]
    pub(crate) fn deforms(&self) -> bool {
        self.deformation.is_some()
    }

    /// Whether any of it moves in the present step.
    #[cfg(feature = "papers")]
    pub(crate) fn moves(&self) -> bool {
        match self.deformation {
            Some(_) => self.x_t0 != self.x_t1,
            None => self.displacement != Pose::IDENTITY,
        }
    }
}

fn mesh_kind(mesh: &TriMesh) -> ColliderKind {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
    ColliderKind::Mesh(Box::new(Detector::for_body(surface, &mesh.positions)))
}

/// A box of twelve triangles facing outwards.
pub fn cuboid(centre: DVec3, half: DVec3, rotation: DMat3) -> TriMesh {
    let corner = |i: u32| {
        let side = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
        centre + rotation * (half * DVec3::new(side(1), side(2), side(4)))
    };
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_closed_and_faces_outwards() {
        let mesh = cuboid(DVec3::ONE, DVec3::new(1.0, 2.0, 3.0), DMat3::from_rotation_y(0.3));
        assert!((mesh.signed_volume() - 48.0).abs() < 1e-9);
        assert!(Topology::new(8, &mesh.triangles).is_closed());
    }

    #[test]
    fn impossible_bodies_are_refused_by_name() {
        let ball = Body::new("ball", Shape::Sphere { centre: DVec3::ZERO, radius: -1.0 });
        assert!(ball.validate().unwrap_err().to_string().starts_with("ball: radius is -1"));
        let mut floor = Body::new("floor", Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y });
        floor.validate().unwrap();
        floor.motion = Motion::Steady {
            velocity: DVec3::ZERO,
            axis: DVec3::X,
            turns_per_second: 1.0,
            centre: DVec3::ZERO,
        };
        assert!(floor.validate().is_err());
    }
}
