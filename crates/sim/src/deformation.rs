//! Bodies that change their shape: a sequence of positions that the caller supplies.
//!
//! Solvers know nothing of rigs, files or clips. They ask where the vertices of a body are at the start and at the end of a step, and take
//! each to move straight in between, x(s) = (1−s) x(t) + s x(t+h); the triangles stay the same. A halved step asks at t + h/2 too, because the
//! chord of the whole step is not the path of its halves. Nothing is kept from step to step, so a state that is saved and restored goes on with
//! the same bits as long as the positions depend on the time alone.

use glam::DVec3;
use std::fmt;
use std::sync::Arc;

/// Where the vertices of a body are at any time.
///
/// The same time must give the same bits, in any order of the questions and on any thread.
pub trait Deform: fmt::Debug + Send + Sync {
    /// Puts all vertices where they are at a time [s].
    fn place(&self, time: f64, vertices: &mut [DVec3]);
}

/// The shape of a body over time, shared between what asks for it.
///
/// ```
/// use glam::DVec3;
/// use std::sync::Arc;
/// use toile_mesh::{TriMesh, shape};
/// use toile_sim::body::Shape;
/// use toile_sim::{Body, Deform, Deformation};
///
/// #[derive(Debug)]
/// struct Swelling(TriMesh);
///
/// impl Deform for Swelling {
///     fn place(&self, time: f64, vertices: &mut [DVec3]) {
///         for (x, rest) in vertices.iter_mut().zip(&self.0.positions) {
///             *x = *rest * (1.0 + 0.1 * time);
///         }
///     }
/// }
///
/// let mesh = shape::sphere(0.1, 2);
/// let mut ball = Body::new("ball", Shape::Mesh(mesh.clone()));
/// ball.deformation = Some(Deformation::new(Arc::new(Swelling(mesh))));
/// ball.validate()?;
/// # Ok::<(), toile_sim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deformation(Arc<dyn Deform>);

impl Deformation {
    /// A shape over time.
    pub fn new(shape: Arc<dyn Deform>) -> Self {
        Self(shape)
    }

    /// Puts all vertices where they are at a time [s].
    pub fn place(&self, time: f64, vertices: &mut [DVec3]) {
        self.0.place(time, vertices);
    }
}
