//! The threads that draw seams together: how hard, in what order, in steps of what length.
//!
//! Threads pull no harder than the fabric bears, unless a seam stays wide open: then that seam alone is drawn as by a hand. Steps are shorter
//! while stitches are far apart, and what is drawn so hard that nothing moves any more is relieved.

use super::{Fitting, GENTLE, PULL_LEAST, STEP, Stage};
use crate::error::Error;
use toile_sim::Settings;
use toile_sim::barrier::Seam;

/// Most steps in which seams over the body are closed before the others, and how much harder their threads pull.
const FIRST: u32 = 16;
const FIRST_PULL: f64 = 6.0;
/// By what factor the pull grows in each step after the gentlest ones.
const GROWTH: f64 = 1.2;
/// Pull beyond which no seam is closed: that of a hand which draws a tight cuff together [N/m]. Only what stays wide open is drawn so hard.
const PULL_BY_HAND: f64 = 4000.0;
/// A seam that stays wide open for so many steps is drawn by this factor harder in each.
const HAND_STALLED: u32 = 3;
const HAND_GROWTH: f64 = 1.7;
/// Openings above this are drawn together by hand, too, in patterns with frames [m].
const TIGHT: f64 = 0.01;
/// Sewing is at its end, too, if in so many steps the widest opening has not become smaller by this factor …
const STALLED: u32 = 10;
const SMALLER: f64 = 0.9;
/// … and is smaller than so many stitches: what lies crosswise is then ironed.
const CROSSWISE: f64 = 1.5;
/// … and than this [m].
const CROSSWISE_MOST: f64 = 0.03;
/// The shortest step of sewing [s], and how far a vertex may go in one step of it [m].
const SHORTEST_STEP: f64 = 0.005;
const MAX_DISPLACEMENT: f64 = 0.06;
/// A displacement after which a step is as long as the one before [m].
pub(super) const KEEPS_LENGTH: f64 = 0.5 * MAX_DISPLACEMENT;
/// Stitches that are farther open than this are first drawn in the shortest step [m].
const FAR: f64 = 0.2;

impl Fitting {
    /// Threads between all that is sewn and not yet joined.
    pub(super) fn thread(&mut self) -> Result<(), Error> {
        let force = self.pull[0] * self.spacing;
        // Only what is open is drawn by hand: all that is closed would be pressed together as hard.
        let gentle = self.pull[0].min(self.pull[1]) * self.spacing;
        let due = |k: &usize| !self.joined[*k] && (!self.is_first || self.first[*k]);
        let open = (0..self.pairs.len()).filter(due).map(|k| (&self.pairs[k], k));
        let at = |pair: &[u32; 2]| pair.map(|v| self.at[v as usize]);
        let threads = open.map(|(pair, k)| {
            let force = if self.gap(*pair) > 2.0 * self.closed { force } else { gentle };
            let force = if self.first[k] { FIRST_PULL * force } else { force };
            Seam { vertices: at(pair), force, slack: self.closed, rest: 0.0 }
        });
        // Tapes hold once a garment is sewn; those of what is worn already do.
        let is_on = |t: &&Seam| self.stage != Stage::Sewing || t.vertices[0] < self.worn;
        let tapes = self.tapes.iter().filter(is_on);
        let tapes = tapes.map(|tape| Seam { vertices: at(&tape.vertices), ..*tape });
        let seams = threads
            .chain(tapes)
            .chain(self.elastic_threads())
            .filter(|s| s.vertices[0] != s.vertices[1])
            .collect();
        Ok(self.world.sew(seams)?)
    }

    /// Why a step failed: where seams are drawn together by hand and cannot close, cloth is pressed until nothing moves any more, and the seam
    /// that stays open is the cause.
    pub(super) fn cause(&self, error: Error) -> Error {
        let is_drawn = self.stage == Stage::Sewing && self.pull[0] > self.pull[1];
        match error {
            Error::Sim(toile_sim::Error::Unresolved { .. }) if is_drawn => {
                self.open().unwrap_or(error)
            }
            error => error,
        }
    }

    /// Sews in steps so short that nothing moves far in one of them. Velocities are zero when a step of sewing begins, so its length only says how
    /// far the cloth follows the threads, like the weight of a proximal point: a gap of half a metre would be closed in one step by the border of
    /// the panel alone, with all the cloth behind it stretched, and with contact candidates of all that is on the way.
    pub(super) fn limit_displacement(&mut self) -> Result<(), Error> {
        let step = self.world.settings().step;
        let threads = self.world.seams().iter().filter(|s| s.rest == 0.0);
        let farthest = threads.map(|s| s.gap(&self.world.state().x)).fold(0.0, f64::max);
        let wanted = match self.displacement {
            None if farthest > FAR => SHORTEST_STEP,
            Some(d) if d > MAX_DISPLACEMENT => (0.5 * step).max(SHORTEST_STEP),
            Some(d) if d < 0.25 * MAX_DISPLACEMENT => (2.0 * step).min(STEP),
            _ => step,
        };
        if wanted != step {
            self.world.set_settings(Settings { step: wanted, ..self.world.settings().clone() })?;
            self.clock = (self.world.state().step, self.world.state().time);
        }
        Ok(())
    }

    /// Lets threads pull harder: no more than the fabric bears well, unless a seam stays wide open.
    pub(super) fn pull_harder(&mut self) -> Result<(), Error> {
        let widest = self.widest_gap();
        let has_stalled = !self.is_first && self.steps >= self.progress.1 + HAND_STALLED;
        // Formats with frames draw what is too tight to be closed by threads alone.
        let is_tight = self.is_framed && has_stalled && widest > TIGHT;
        let is_wide = widest > self.crosswise() || is_tight;
        let most = if is_wide { PULL_BY_HAND.max(self.pull[1]) } else { self.pull[1] };
        let is_stalled = is_wide && has_stalled;
        let growth = if is_stalled { HAND_GROWTH } else { GROWTH };
        // What was drawn hard is not let go again.
        self.pull[0] = (self.pull[0] * growth).min(most.max(self.pull[0]));
        self.thread()
    }

    /// Joins the seams that are sewn first when they are closed, and sews the others, too. Not before: they have few stitches, which
    /// all others together would draw open again.
    pub(super) fn end_first(&mut self) -> Result<(), Error> {
        let first = self.pairs.iter().zip(&self.first).filter(|(_, first)| **first);
        let widest = first.map(|(pair, _)| self.gap(*pair)).fold(0.0, f64::max);
        if widest < 2.0 * self.closed || self.steps >= FIRST { self.sew_others() } else { Ok(()) }
    }

    /// Lets go of what is drawn so hard that steps have to be cut into many.
    pub(super) fn relieve(&mut self) -> Result<(), Error> {
        if self.is_first {
            return self.sew_others();
        }
        self.pull[0] = (0.5 * self.pull[0]).max(PULL_LEAST);
        self.thread()
    }

    /// Joins what is closed of the seams that are sewn first, and begins with the others.
    pub(super) fn sew_others(&mut self) -> Result<(), Error> {
        (self.is_first, self.steps, self.displacement) = (false, 0, None);
        self.progress = (f64::INFINITY, 0);
        self.weld()?;
        self.thread()
    }

    /// Whether threads have done what they can: all seams are nearly closed, or all but what lies crosswise.
    pub(super) fn is_sewn(&mut self) -> bool {
        let widest = self.widest_gap();
        if widest < SMALLER * self.progress.0 {
            self.progress = (widest, self.steps);
        }
        let stalled =
            self.steps >= GENTLE + STALLED && self.steps.saturating_sub(self.progress.1) >= STALLED;
        widest < 2.0 * self.closed || stalled && widest < self.crosswise()
    }

    /// How far open what lies crosswise may be to be ironed [m].
    pub(super) fn crosswise(&self) -> f64 {
        (CROSSWISE * self.spacing).min(CROSSWISE_MOST)
    }
}
