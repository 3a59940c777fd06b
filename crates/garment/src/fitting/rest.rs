//! When a garment has found its place, is at rest, or has fallen.

use super::{Fitting, STILL, Stage};
use crate::error::Error;

/// A garment is at rest when it moves less than this [m], root mean square …
const STAYS: f64 = 5e-4;
/// … over so many steps in which nothing is slowed down.
const CALM: u32 = 20;
/// It is let go to see that at the latest when it is slower than this [m/s].
const SLOWEST: f64 = 2e-4;
/// It has found its place when it is slower than this [m/s], or after so many steps; from then on there is friction with the body.
const SLOW: f64 = 0.01;
const SLIDING: u32 = 80;
/// A panel all of which is so far below the feet has fallen off [m].
const BELOW: f64 = 0.1;
/// Steps after which what was crushed by sewing has come free.
const FALLING: u32 = 8;
/// A coarse garment is refined when it has found its place and is slower than this [m/s], or after so many steps.
const SETTLED: f64 = 0.02;
const SETTLING: u32 = 100;
/// Steps after which stitches that are still open will not close.
const STUCK: u32 = 40;

impl Fitting {
    /// Whether all seams are closed and the garment has found its place: when a coarse one may be refined. What moves far moves with large
    /// triangles, where a step costs a quarter.
    pub fn is_settling(&self) -> bool {
        let slow = self.has_friction && self.world.state().rms_speed() < SETTLED;
        self.stage == Stage::Draping
            && self.open_stitches() == 0
            && (slow && self.steps >= FALLING || self.steps >= SETTLING)
    }

    /// Whether stitches have stayed open for so long that they will stay so.
    pub(crate) fn is_stuck(&self) -> bool {
        self.stage == Stage::Draping && self.open_stitches() > 0 && self.steps >= STUCK
    }

    /// Whether it is at rest.
    pub(super) fn rest(&mut self) -> Result<(), Error> {
        let speed = self.world.state().rms_speed();
        if !self.has_friction {
            let slow = self.steps > 10 && speed < SLOW;
            if slow || self.steps > SLIDING {
                self.has_friction = true;
                self.renew()?;
            }
            return Ok(());
        }
        let x = &self.world.state().x;
        self.calm = match self.calm.take() {
            Some((steps, from)) if speed < STILL && from.len() == x.len() => {
                Some((steps + 1, from))
            }
            None if speed < self.slow => Some((0, x.clone())),
            _ => None,
        };
        if let Some((CALM.., from)) = &self.calm {
            let distance: f64 = x.iter().zip(from).map(|(x, from)| x.distance_squared(*from)).sum();
            if (distance / x.len() as f64).sqrt() < STAYS && self.open_stitches() == 0 {
                self.stage = Stage::Done;
            }
            // It swings: let go too early.
            self.slow = (0.5 * self.slow).max(SLOWEST);
            self.calm = None;
        }
        Ok(())
    }

    /// Name of a panel that is wholly below the feet.
    pub(super) fn fallen(&self) -> Option<String> {
        let (x, triangles) = (&self.world.state().x, &self.world.model().mesh.triangles);
        let feet = self.body.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let below = |t: u32| triangles[t as usize].iter().all(|v| x[*v as usize].y < feet - BELOW);
        let panel = self.ranges.iter().find(|r| r.triangles.clone().all(below));
        panel.map(|r| r.name.clone())
    }
}
