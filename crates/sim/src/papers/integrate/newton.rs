//! Newton's method for the stage of an implicit step (N9).
//!
//! G(w) = M (w − v̄) − γ f(t̄, x̄ + γ w, w) = 0 with the matrix A = M + γ D + γ² K. How exactly A is
//! known and A s = −G is solved makes the variants; all but the linearised one converge to the same w
//! [hauth2001]. A line search halves s until ‖G‖ falls.
//!
//! ‖G‖ is measured as a velocity: √(Gᵀ M⁻¹ G / Σ m), the root mean square of the error in w.
//!
//! Limits: the merit function is ‖G‖, not an energy, so a buckling system may stall at a point
//! where A is singular. A matrix that is not positive definite ends the step with an error; a
//! smaller step has a larger share of mass in it and will do.

use super::implicit::System;
use super::step_solver::{Step, StepSolver};
use crate::error::StepError;
use crate::linear::single::Matrix;
use crate::linear::{BlockCsr, Error, Filter, Pattern};
use crate::settings::{Newton, NewtonSettings};
use glam::DVec3;
use std::sync::Arc;

/// c₁ of Armijo's condition of sufficient decrease.
const ARMIJO_C1: f64 = 1e-4;
/// Halvings of a line search before it gives up.
const MAX_HALVINGS: u32 = 12;
/// Residual of "exact" solves by conjugate gradients.
const EXACT_TOLERANCE: f64 = 1e-12;

impl NewtonSettings {
    /// The relative residual that linear systems are solved to.
    fn forcing(&self) -> f64 {
        match self.newton {
            Newton::Linearised => self.linear_tolerance,
            Newton::Exact => EXACT_TOLERANCE,
            Newton::Inexact { eta } | Newton::Simplified { eta } | Newton::Sparse { eta } => eta,
        }
    }
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Iterations of Newton's method.
    pub iterations: u32,
    /// Iterations of conjugate gradients, all together.
    pub linear_iterations: u32,
    /// Matrices that were put together.
    pub matrices: u32,
    /// ‖G‖ at the end [m/s]; not measured by [`Newton::Linearised`], which reports 0.
    pub residual: f64,
}

/// The equation of a stage, and the state at the beginning of the step.
pub(super) struct Stage<'a> {
    pub(super) t: f64,
    pub(super) gamma: f64,
    pub(super) x_bar: &'a [DVec3],
    pub(super) v_bar: &'a [DVec3],
    pub(super) x: &'a [DVec3],
    pub(super) v: &'a [DVec3],
}

/// Newton's method with its memory.
#[derive(Debug)]
pub(super) struct Solver {
    settings: NewtonSettings,
    stiffness: BlockCsr,
    damping: BlockCsr,
    linear: StepSolver,
    /// γ of the constant matrix, 0 if there is none yet.
    constant: f64,
    x: Vec<DVec3>,
    f: Vec<DVec3>,
    g: Vec<DVec3>,
    s: Vec<DVec3>,
    w_try: Vec<DVec3>,
}

impl Solver {
    pub(super) fn new(settings: NewtonSettings, pattern: &Arc<Pattern>) -> Result<Self, Error> {
        let matrix = BlockCsr::zeros(pattern);
        let linear = StepSolver::new(settings.linear, settings.forcing(), pattern)?;
        let zeros = pattern.zeros();
        Ok(Self {
            settings,
            stiffness: matrix.clone(),
            damping: matrix,
            linear,
            constant: 0.0,
            x: zeros.clone(),
            f: zeros.clone(),
            g: zeros.clone(),
            s: zeros.clone(),
            w_try: zeros,
        })
    }

    /// Finds the stage velocity from the guess in `w`.
    pub(super) fn solve(
        &mut self,
        system: &mut impl System,
        filter: Option<&Filter>,
        stage: &Stage<'_>,
        w: &mut [DVec3],
    ) -> Result<Report, StepError> {
        let good = |m: &f64| *m > 0.0 && m.is_finite();
        if let Some(vertex) = system.masses().iter().position(|m| !good(m)) {
            return Err(StepError::NotFinite { vertex: vertex as u32 });
        }
        match self.settings.newton {
            Newton::Linearised => self.linearised(system, filter, stage, w),
            _ => self.iterate(system, filter, stage, w),
        }
    }

    /// (M + γ D + γ² K) s = M (v̄ − v) + γ (f − K (x̄ + γ v − x)), w = v + s.
    fn linearised(
        &mut self,
        system: &mut impl System,
        filter: Option<&Filter>,
        stage: &Stage<'_>,
        w: &mut [DVec3],
    ) -> Result<Report, StepError> {
        let &Stage { gamma, x_bar, v_bar, x, v, t } = stage;
        let mut report = Report { iterations: 1, ..Report::default() };
        for i in 0..x.len() {
            self.x[i] = x_bar[i] + gamma * v[i] - x[i];
        }
        let masses: Vec<f64> = system.masses().to_vec();
        let f = &mut self.f;
        let write = |matrix: &mut Matrix| system.linearise_single(x, f, matrix);
        let k = gamma * gamma;
        let single = self.linear.prepare_single(write, &self.x, &mut self.g, &masses, k, filter)?;
        if single {
            check(&self.f)?;
            report.matrices += 1;
        } else {
            system.force(t, x, v, &mut self.f);
            check(&self.f)?;
            system.linearise(t, x, v, &mut self.stiffness, &mut self.damping);
            self.stiffness.multiply(&self.x, &mut self.g);
            self.prepare(system, gamma, filter, &mut report)?;
        }
        for (i, m) in masses.iter().enumerate() {
            self.g[i] = *m * (v_bar[i] - v[i]) + gamma * (self.f[i] - self.g[i]);
        }
        if let Some(filter) = filter {
            filter.project_free(&mut self.g);
        }
        match self.linear.solve_single(&self.g, &mut self.s) {
            Some(iterations) => {
                report.linear_iterations += iterations;
                // The coarse level of a preconditioner moves all of an aggregate, pins too.
                if let Some(filter) = filter {
                    filter.project_free(&mut self.s);
                }
            }
            None => {
                if single {
                    system.linearise(t, x, v, &mut self.stiffness, &mut self.damping);
                }
                self.direction(system, gamma, filter, &mut report)?;
            }
        }
        for i in 0..w.len() {
            w[i] = v[i] + self.s[i];
        }
        Ok(report)
    }

    fn iterate(
        &mut self,
        system: &mut impl System,
        filter: Option<&Filter>,
        stage: &Stage<'_>,
        w: &mut [DVec3],
    ) -> Result<Report, StepError> {
        let mut report =
            Report { residual: self.residual(system, filter, stage, w)?, ..Report::default() };
        for iteration in 0.. {
            if report.residual <= self.settings.tolerance {
                return Ok(report);
            }
            if iteration == self.settings.max_iterations {
                break;
            }
            // A new matrix, if this variant wants one now.
            let (constant, frozen) = match self.settings.newton {
                Newton::Sparse { .. } => (true, true),
                Newton::Simplified { .. } => (false, true),
                _ => (false, false),
            };
            let old = if constant { self.constant == stage.gamma } else { frozen && iteration > 0 };
            if !old {
                let (k, d) = (&mut self.stiffness, &mut self.damping);
                if !(constant && system.linearise_constant(k, d)) {
                    system.linearise(stage.t, &self.x, w, k, d);
                }
                self.constant = if constant { stage.gamma } else { 0.0 };
                self.prepare(system, stage.gamma, filter, &mut report)?;
            }
            match self.linear.solve_single(&self.g, &mut self.s) {
                Some(iterations) => {
                    report.linear_iterations += iterations;
                    if let Some(filter) = filter {
                        filter.project_free(&mut self.s);
                    }
                }
                None => self.direction(system, stage.gamma, filter, &mut report)?,
            }
            report.iterations += 1;
            if !self.search(system, filter, stage, w, &mut report)? {
                break;
            }
        }
        let Report { iterations, residual, .. } = report;
        Err(StepError::NoConvergence { iterations, residual })
    }

    /// Moves along s, shorter and shorter until ‖G‖ falls; false if it does not.
    fn search(
        &mut self,
        system: &mut impl System,
        filter: Option<&Filter>,
        stage: &Stage<'_>,
        w: &mut [DVec3],
        report: &mut Report,
    ) -> Result<bool, StepError> {
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let mut w_try = std::mem::take(&mut self.w_try);
            for i in 0..w.len() {
                w_try[i] = w[i] + length * self.s[i];
            }
            let residual = self.residual(system, filter, stage, &w_try);
            self.w_try = w_try;
            // Forces may be out of bounds far away; nearer they must not be.
            let sufficient = (1.0 - ARMIJO_C1 * length) * report.residual;
            match residual {
                Ok(residual) if residual < sufficient || !self.settings.line_search => {
                    w.copy_from_slice(&self.w_try);
                    report.residual = residual;
                    return Ok(true);
                }
                Err(error) if !self.settings.line_search => return Err(error),
                _ => length *= 0.5,
            }
        }
        Ok(false)
    }

    /// G(w), negated, in the free directions; its norm [m/s]. Leaves x̄ + γ w in `self.x`.
    fn residual(
        &mut self,
        system: &mut impl System,
        filter: Option<&Filter>,
        stage: &Stage<'_>,
        w: &[DVec3],
    ) -> Result<f64, StepError> {
        for i in 0..w.len() {
            self.x[i] = stage.x_bar[i] + stage.gamma * w[i];
        }
        system.force(stage.t, &self.x, w, &mut self.f);
        check(&self.f)?;
        let masses = system.masses();
        for i in 0..w.len() {
            self.g[i] = stage.gamma * self.f[i] - masses[i] * (w[i] - stage.v_bar[i]);
        }
        if let Some(filter) = filter {
            filter.project_free(&mut self.g);
        }
        let mut sum = 0.0;
        let mut total = 0.0;
        for (g, m) in self.g.iter().zip(masses) {
            sum += g.length_squared() / m;
            total += m;
        }
        Ok(if total > 0.0 { (sum / total).sqrt() } else { 0.0 })
    }

    /// Puts the matrix together and readies the linear solver.
    fn prepare(
        &mut self,
        system: &impl System,
        gamma: f64,
        filter: Option<&Filter>,
        report: &mut Report,
    ) -> Result<(), StepError> {
        report.matrices += 1;
        self.linear.prepare(made_of(system, gamma, filter, &self.stiffness, &self.damping))
    }

    /// A s = −G in double precision, as exactly as the variant wants it.
    fn direction(
        &mut self,
        system: &impl System,
        gamma: f64,
        filter: Option<&Filter>,
        report: &mut Report,
    ) -> Result<(), StepError> {
        let step = made_of(system, gamma, filter, &self.stiffness, &self.damping);
        report.linear_iterations += self.linear.solve(step, &self.g, &mut self.s)?;
        Ok(())
    }
}

/// A = M + γ D + γ² K.
fn made_of<'a>(
    system: &'a impl System,
    gamma: f64,
    filter: Option<&'a Filter>,
    stiffness: &'a BlockCsr,
    damping: &'a BlockCsr,
) -> Step<'a> {
    let damping = system.is_damped().then_some((gamma, damping));
    Step { masses: system.masses(), damping, stiffness: (gamma * gamma, stiffness), filter }
}

/// The first force that is not a number is an error.
fn check(f: &[DVec3]) -> Result<(), StepError> {
    match f.iter().position(|f| !f.is_finite()) {
        Some(vertex) => Err(StepError::NotFinite { vertex: vertex as u32 }),
        None => Ok(()),
    }
}
