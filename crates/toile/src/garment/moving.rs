//! Dressed figures that move: first the garment is sewn and draped in the pose of the fitting, then the body performs a clip.

use super::MeasuredWearer;
use crate::body::{MotionOrder, MotionReport, MovingBody};
use crate::error::Error;
use std::sync::Arc;
use toile_mesh::TriMesh;
use toile_sim::Deformation;

/// Length of a step at least [s], if frames allow it.
const STEP: f64 = 0.01;

/// What a dressed body does.
#[derive(Debug)]
pub(super) struct Moving {
    body: Arc<MovingBody>,
    name: String,
    /// Length of a step [s].
    pub(super) step: f64,
    /// How many there are.
    pub(super) steps: u64,
}

impl Moving {
    /// A clip for a mannequin, with a whole number of steps in each frame.
    pub(super) fn new(
        wearer: &MeasuredWearer,
        order: &MotionOrder,
        fps: f64,
    ) -> Result<Self, Error> {
        let Some(rig) = &wearer.rig else {
            let message = format!("{} has no bones to move", wearer.name);
            return Err(Error::request(message, "omit --body or --motion"));
        };
        let body = Arc::new(MovingBody::new(rig, order)?);
        let frame = 1.0 / fps;
        let step = frame / (frame / STEP + 1e-9).floor().max(1.0);
        let steps = (body.duration() / step).round().max(1.0) as u64;
        Ok(Self { body, name: order.motion.clone(), step, steps })
    }

    /// As the solver takes it.
    pub(super) fn deformation(&self) -> Deformation {
        self.body.deformation()
    }

    /// The body at a time after the start of the motion [s].
    pub(super) fn mesh(&self, rest: &TriMesh, time: f64) -> TriMesh {
        TriMesh { positions: self.body.positions(time), ..rest.clone() }
    }

    pub(super) fn report(&self) -> MotionReport {
        self.body.report(&self.name, self.step)
    }
}
