//! Implicit one-step rules (N6, N7) over any system of masses and forces.
//!
//! Every rule here, and BDF2 beside it, asks for the velocity w of one stage:
//!
//! M (w − v̄) = γ f(t̄, x̄ + γ w, w),
//!
//! with x̄, v̄ known. The blend of Volino has γ = θ h, x̄ = x, v̄ = v and ends with
//! x⁺ = x + h w, v⁺ = v + (w − v)/θ: θ = 1 is implicit Euler, θ = ½ the implicit midpoint
//! [baraff1998, volino2000]. Its matrix is M + γ D + γ² K with D = −∂f/∂v and K = −∂f/∂x.
//!
//! A step that fails leaves positions and velocities as they were.

use super::multistep::History;
use super::newton::{Report, Solver, Stage};
use crate::error::StepError;
use crate::linear::single::Matrix;
use crate::linear::{BlockCsr, Error, Filter, Pattern};
use crate::settings::{NewtonSettings, Rule};
use glam::DVec3;
use std::sync::Arc;

/// Masses and forces, with the derivatives that implicit steps need.
pub trait System {
    /// Masses of the vertices, positive [kg].
    fn masses(&self) -> &[f64];

    /// Which vertices act on each other.
    fn pattern(&self) -> &Arc<Pattern>;

    /// Forces on all vertices [N].
    fn force(&mut self, t: f64, x: &[DVec3], v: &[DVec3], f: &mut [DVec3]);

    /// Stiffness K = −∂f/∂x [N/m] and damping D = −∂f/∂v [N·s/m]; both come in with old values.
    fn linearise(
        &mut self,
        t: f64,
        x: &[DVec3],
        v: &[DVec3],
        stiffness: &mut BlockCsr,
        damping: &mut BlockCsr,
    );

    /// Forces and the stiffness in single precision, for forces that depend on differences of positions alone
    /// and are not damped; false for others.
    fn linearise_single(
        &mut self,
        _x: &[DVec3],
        _f: &mut [DVec3],
        _stiffness: &mut Matrix,
    ) -> bool {
        false
    }

    /// Whether D is ever anything but zero; if not, `linearise` leaves it alone.
    fn is_damped(&self) -> bool {
        true
    }

    /// Constant stand-ins for the same, such as those of linear springs; false if there are none.
    fn linearise_constant(&mut self, _stiffness: &mut BlockCsr, _damping: &mut BlockCsr) -> bool {
        false
    }
}

impl Rule {
    /// θ of the one-step rules; BDF2 begins with a midpoint step to keep its order.
    fn theta(self) -> f64 {
        match self {
            Self::Euler => 1.0,
            Self::Midpoint | Self::Bdf2 => 0.5,
            Self::Blend { theta } => theta.clamp(0.5, 1.0),
        }
    }
}

/// An implicit integrator with its memory.
#[derive(Debug)]
pub struct Implicit {
    rule: Rule,
    solver: Solver,
    history: History,
    w: Vec<DVec3>,
}

impl Implicit {
    /// An integrator for systems of the given pattern.
    pub fn new(
        rule: Rule,
        settings: NewtonSettings,
        pattern: &Arc<Pattern>,
    ) -> Result<Self, Error> {
        Ok(Self {
            rule,
            solver: Solver::new(settings, pattern)?,
            history: History::default(),
            w: pattern.zeros(),
        })
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Forgets the step before, as one must when something else has moved vertices (a collision).
    pub fn restart(&mut self) {
        self.history.forget();
    }

    /// What is remembered of the step before: its length, positions and velocities.
    pub fn before(&self) -> Option<(f64, &[DVec3], &[DVec3])> {
        self.history.before()
    }

    /// Restores the previous step that [`Self::before`] returned.
    pub fn resume(&mut self, h: f64, x: &[DVec3], v: &[DVec3]) {
        self.history.remember(h, x, v);
    }

    /// Advances `x` and `v` by `h`, or leaves them unchanged and returns the reason.
    ///
    /// A filter holds its vertices in the directions it constrains: there, velocities stay as they
    /// come in.
    pub fn step(
        &mut self,
        system: &mut impl System,
        filter: Option<&Filter>,
        t: f64,
        h: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
    ) -> Result<Report, StepError> {
        self.w.copy_from_slice(v);
        if self.rule == Rule::Bdf2
            && let Some(stage) = self.history.stage(h, x, v)
        {
            let (x_bar, v_bar, gamma) = stage;
            let stage = Stage { t: t + h, gamma, x_bar, v_bar, x, v };
            let report = self.solver.solve(system, filter, &stage, &mut self.w)?;
            self.history.finish_step(h, gamma, &self.w, x, v);
            return Ok(report);
        }
        let theta = self.rule.theta();
        let gamma = theta * h;
        let stage = Stage { t: t + gamma, gamma, x_bar: x, v_bar: v, x, v };
        let report = self.solver.solve(system, filter, &stage, &mut self.w)?;
        if self.rule == Rule::Bdf2 {
            self.history.remember(h, x, v);
        }
        for i in 0..x.len() {
            x[i] += h * self.w[i];
            v[i] += (self.w[i] - v[i]) / theta;
        }
        Ok(report)
    }
}
