//! Dressed figures that move: first the garment is sewn and draped in the pose of the fitting, then the body performs a clip.

use super::MeasuredWearer;
use crate::body::{Character, MotionOrder, MotionReport, MovingBody};
use crate::error::Error;
use std::sync::Arc;
use toile_mesh::TriMesh;
use toile_sim::{Deformation, State};

/// Length of a step at least [s], if frames allow it.
const STEP: f64 = 0.01;

/// What a dressed body does.
#[derive(Debug)]
pub(super) struct Moving {
    body: Arc<MovingBody>,
    name: String,
    /// Length of a step [s].
    pub(super) step: f64,
    /// How many there are at most.
    pub(super) steps: u64,
    /// Steps after which it may end at rest, if it does.
    rests_after: Option<u64>,
}

/// What hangs still is slower than this, root mean square [m/s].
const STILL: f64 = 4e-3;

impl Moving {
    /// A clip for a mannequin, with a whole number of steps in each frame.
    pub(super) fn new(
        wearer: &MeasuredWearer,
        order: &MotionOrder,
        fps: f64,
    ) -> Result<Self, Error> {
        let Some(rig) = &wearer.rig else {
            let message = format!("{} has no bones of a mannequin to move", wearer.name);
            let help =
                "omit --body or --motion; a character with an animation of its own moves by itself";
            return Err(Error::request(message, help));
        };
        let rests = order.stance.is_some();
        Ok(Self::with(Arc::new(MovingBody::new(rig, order)?), &order.motion, rests, fps))
    }

    /// The motion of a character of a file.
    pub(super) fn of_character(
        character: Character,
        wearer: &MeasuredWearer,
        duration: Option<f64>,
        fps: f64,
    ) -> Result<Self, Error> {
        let body = MovingBody::of_character(character, &wearer.body, duration)?;
        Ok(Self::with(Arc::new(body), &wearer.name, false, fps))
    }

    fn with(body: Arc<MovingBody>, name: &str, rests: bool, fps: f64) -> Self {
        let frame = 1.0 / fps;
        let step = frame / (frame / STEP + 1e-9).floor().max(1.0);
        let steps = (body.duration() / step).round().max(1.0) as u64;
        let arrived = body.clip_start() / step;
        let rests_after = rests.then_some(arrived.ceil() as u64);
        Self { body, name: name.to_owned(), step, steps, rests_after }
    }

    /// As the solver takes it.
    pub(super) fn deformation(&self) -> Deformation {
        self.body.deformation()
    }

    /// Whether it ends in a state.
    pub(super) fn is_finished(&self, state: &State) -> bool {
        let rests = self.rests_after.is_some_and(|first| state.step >= first);
        state.step >= self.steps || rests && state.rms_speed() < STILL
    }

    /// The body at a time after the start of the motion [s].
    pub(super) fn mesh(&self, rest: &TriMesh, time: f64) -> TriMesh {
        TriMesh { positions: self.body.positions(time), ..rest.clone() }
    }

    pub(super) fn report(&self) -> MotionReport {
        self.body.report(&self.name, self.step)
    }
}
