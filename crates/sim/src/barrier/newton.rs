//! Projected Newton on the incremental potential of a step [li2020ipc].
//!
//! ```text
//! 1  y ← first iterate                           (inertial prediction, or the start)
//! 2  repeat
//! 3      H d = −∇Π(y)                            search direction, by conjugate gradients
//! 4      candidates along d, by the broad phase
//! 5      α ← largest feasible step along d       (continuous collision detection)
//! 6      halve α until Π(y + α d) ≤ Π(y) + c₁ α ∇Π·d
//! 7      y ← y + α d
//! 8  until ½ d·∇Π is negligible and pins and bodies have arrived
//! ```
//!
//! Steps 3 to 5 are in `direction.rs`: a direction is solved again with the contacts that it would run into, and truncated per vertex
//! if one pair would stop all of it (`truncation.rs`).

use super::direction::SearchDirection;
use super::friction::{self, Anchors, FrictionContact};
use super::iterate::{Blocker, Iterate, StepResult, StepStart};
use super::rule::Rule;
use super::solver::Solver;
use super::statistics::SolverStatistics;
use crate::clock::Clock;
use glam::DVec3;
use toile_collide::NotFinite;

/// Armijo constant c₁: fraction of the predicted decrease that a step must achieve.
const ARMIJO_C1: f64 = 1e-4;
/// Most halvings of a line search.
const MAX_HALVINGS: u32 = 16;
/// Largest displacement of the last iteration of a step, over the activation distance. The decrement is that of all the cloth: beside it
/// a single edge may be stretched far without being noticed.
const MAX_LAST_DISPLACEMENT: f64 = 0.5;
/// Differences of energies below this fraction of the energy are rounding.
const ENERGY_ROUNDING: f64 = 1e-12;

/// Why a step failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// Pins or bodies did not arrive, or the potential did not decrease; what blocked the last direction, and the smallest gap [m].
    NoFeasibleStep { blocker: Option<Blocker>, gap: f64 },
    /// The linear solver produced non-finite values.
    Linear { vertex: u32 },
    /// Unsupported cloth whose acceleration lacks this fraction of the external force: forces are lost to rounding.
    LostForce { missing: f64 },
    /// More candidates were found than are kept.
    TooManyPairs { most: usize },
    /// A force is not finite.
    NotFinite { vertex: u32 },
    /// It was stopped from outside.
    Stopped,
}

impl From<NotFinite> for Failure {
    fn from(e: NotFinite) -> Self {
        Self::NotFinite { vertex: e.vertex }
    }
}

/// How an iteration went.
struct Iteration {
    /// Whether the termination criterion holds.
    converged: bool,
    /// Whether it did not move the cloth.
    stalled: bool,
    /// The same, although the predicted decrease was not negligible.
    stalled_early: bool,
}

impl Solver {
    /// Takes a step.
    pub(crate) fn step(&mut self, start: &StepStart<'_>) -> Result<StepResult, Failure> {
        let mut statistics = SolverStatistics::default();
        let mut it = self.first_iterate(start, &mut statistics)?;
        // After an iteration that did not move, use plain Newton directions, which are descent directions.
        let mut plain_newton = false;
        let mut stalled_early = false;
        for iteration in 1..=self.settings.max_iterations {
            self.check_stop()?;
            statistics.iterations = iteration;
            let done = self.iterate(&mut it, plain_newton, &mut statistics)?;
            if done.converged {
                statistics.converged = true;
                break;
            }
            plain_newton |= done.stalled;
            stalled_early = done.stalled_early;
        }
        // Cloth that stalls far from the minimum would stay suspended in the air.
        if it.is_moving() || (stalled_early && !statistics.converged) {
            let gap = self.contacts.smallest_gap();
            return Err(Failure::NoFeasibleStep { blocker: it.blocker, gap });
        }
        if let Some(missing) = self.missing_force(&it) {
            return Err(Failure::LostForce { missing });
        }
        if self.settings.rule == Rule::QuasiStatic {
            statistics.residual = Some(self.residual(&it));
        }
        Ok(self.finish(it, statistics))
    }

    /// One Newton iteration: search direction, feasible step, line search.
    fn iterate(
        &mut self,
        it: &mut Iterate<'_>,
        plain_newton: bool,
        statistics: &mut SolverStatistics,
    ) -> Result<Iteration, Failure> {
        let (was_moving, fraction) = (it.is_moving(), it.kinematic_fraction);
        let direction = self.direction(it, plain_newton, statistics)?;
        let is_small = self.is_small(it, &direction);
        let is_strained =
            !was_moving && is_small && it.inertia.reaches_prediction() && it.residual_ratio > 1.0;
        let opens_tight_gap = self.contacts.opens_tight_gap(&direction.d);
        let decreased = self.line_search(it, &direction, statistics);
        let SearchDirection { d, max_step, predicted_decrease, .. } = direction;
        if it.is_moving() {
            let rest = (1.0 - it.kinematic_fraction) / (1.0 - fraction);
            it.remaining = d.into_iter().map(|d| d * rest).collect();
        }
        it.resolve_strain |= is_strained;
        let must_continue = (opens_tight_gap || is_strained) && decreased;
        let stalled = !was_moving && (!decreased || max_step == 0.0);
        let negligible = self.settings.decrement * it.decrement_scale;
        Ok(Iteration {
            converged: !was_moving && is_small && !must_continue,
            stalled,
            stalled_early: stalled && predicted_decrease.abs() > negligible,
        })
    }

    /// The termination criterion: the predicted decrease is negligible, or no vertex moves.
    fn is_small(&self, it: &Iterate<'_>, direction: &SearchDirection) -> bool {
        let largest = direction.largest_displacement;
        largest <= self.settings.speed * it.start.h * it.inertia.speed_tolerance_factor()
            || (direction.predicted_decrease <= self.settings.decrement * it.decrement_scale
                && largest <= MAX_LAST_DISPLACEMENT * self.contact_model.dhat)
    }

    /// Backtracking along a direction, from its largest feasible step on, until the potential decreases enough; returns whether it did.
    /// Pins and bodies move with the cloth: the fraction of the step is theirs, too.
    fn line_search(
        &mut self,
        it: &mut Iterate<'_>,
        direction: &SearchDirection,
        statistics: &mut SolverStatistics,
    ) -> bool {
        let clock = Clock::start();
        self.contact_blocks = Vec::new();
        let was_moving = it.is_moving();
        let (energy_before, noise) = (it.energy, ENERGY_ROUNDING * it.energy.abs());
        let mut alpha = direction.max_step;
        let mut trial = vec![DVec3::ZERO; it.y.len()];
        let mut found = false;
        for _ in 0..MAX_HALVINGS {
            let fraction = self.place_trial(it, &direction.d, alpha, &mut trial);
            let energy = self.trial_potential(it, &trial);
            let enough = energy_before - ARMIJO_C1 * alpha * direction.slope + noise;
            // While pins and bodies do work on the cloth its potential may rise, but not to infinity.
            if (was_moving && energy.is_finite()) || energy <= enough {
                it.y = trial;
                it.kinematic_fraction = fraction;
                it.energy = energy;
                found = true;
                break;
            }
            alpha *= 0.5;
            statistics.halvings += 1;
        }
        if found {
            std::mem::swap(&mut self.contacts, &mut self.trial_contacts);
        } else {
            self.contacts.find(&self.contact_model, &it.candidates, &it.y);
        }
        self.contacts.number(&mut it.candidates);
        // A linear system takes as much memory as contacts do, and neither needs the other's.
        self.trial_contacts = Default::default();
        statistics.seconds.line_search += clock.seconds();
        found
    }

    /// Puts all points `alpha` along a direction; returns the fraction that pins and bodies have covered then.
    fn place_trial(&self, it: &Iterate<'_>, d: &[DVec3], alpha: f64, trial: &mut [DVec3]) -> f64 {
        let n = self.masses.len();
        for i in 0..n {
            trial[i] = it.y[i] + d[i] * alpha;
        }
        let covered = it.kinematic_fraction;
        let fraction = if alpha == 1.0 { 1.0 } else { covered + (1.0 - covered) * alpha };
        if it.is_moving() {
            // Prescribed points arrive exactly.
            self.finder.place_bodies(fraction, trial);
            if fraction == 1.0 {
                it.start.pinned.iter().for_each(|(v, x)| trial[*v as usize] = *x);
            }
        } else {
            trial[n..].copy_from_slice(&it.y[n..]);
        }
        fraction
    }

    /// Velocities, friction and statistics at the end of a step.
    fn finish(&mut self, mut it: Iterate<'_>, mut statistics: SolverStatistics) -> StepResult {
        let n = self.masses.len();
        statistics.contacts = self.contacts.len() as u32;
        statistics.gap = self.contacts.smallest_gap();
        statistics.seconds.bodies = self.finder.body_seconds;
        let anchors = self.anchors(&it);
        self.candidate_buffer = std::mem::take(&mut it.candidates);
        it.y.truncate(n);
        let v = it.inertia.velocities(&it.y, self.contacts.touching(n));
        let step_length_for_next =
            it.inertia.step_length_for_next(&it.y, &self.masses, statistics.converged);
        StepResult { x: it.y, v, anchors, step_length_for_next, statistics }
    }

    /// Tangential displacements that friction stores at the end of a step.
    fn anchors(&self, it: &Iterate<'_>) -> Anchors {
        let contacts = self.contacts.iter();
        let sliding = contacts.filter_map(|c| FrictionContact::new(c, it.start.anchors));
        friction::anchors(&sliding.collect::<Vec<_>>(), &it.y, &it.y0, self.epsu)
    }
}
