//! Steps that choose their own length.
//!
//! [`DormandPrince`] (N4): seven stages give a solution of order 5 and one of order 4; their
//! difference is the error that sets the next step [dormand1980]. [`NewtonControl`] (N9): an implicit
//! step is halved when Newton's method fails or labours and grows when it has it easy [hauth2001].
//!
//! Neither touches positions and velocities before a step is accepted.

use super::Dynamics;
use super::implicit::{Implicit, System};
use super::newton::Report;
use crate::error::StepError;
use crate::linear::Filter;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Stage weights, stage after stage; the last row is the solution of order 5 itself.
const A: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Times of the stages.
const C: [f64; 6] = [1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
/// Order 5 minus order 4.
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Error-controlled Runge–Kutta of order 5(4).
#[derive(Clone, Debug)]
pub struct DormandPrince {
    /// Allowed error of a step, relative to the size of positions and velocities.
    pub relative: f64,
    /// Allowed error of positions [m] and of velocities [m/s], added to the relative one.
    pub absolute: [f64; 2],
    /// Shortest step [s].
    pub smallest: f64,
    /// Step to be tried next [s].
    pub h: f64,
    /// Steps that were tried and thrown away.
    pub rejected: u32,
    /// Velocities and accelerations of the stages.
    stages: [[Vec<DVec3>; 2]; 7],
    x: Vec<DVec3>,
    v: Vec<DVec3>,
}

impl DormandPrince {
    /// With the same tolerance, relative and absolute, and a first step to try.
    pub fn new(tolerance: f64, h: f64) -> Self {
        Self {
            relative: tolerance,
            absolute: [tolerance; 2],
            smallest: 1e-12,
            h,
            rejected: 0,
            stages: Default::default(),
            x: Vec::new(),
            v: Vec::new(),
        }
    }

    /// Advances to time `end` in as many steps as needed; returns how many.
    pub fn integrate_to(
        &mut self,
        dynamics: &mut impl Dynamics,
        t: &mut f64,
        end: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
    ) -> Result<u32, StepError> {
        let mut steps = 0;
        while *t < end {
            let left = end - *t;
            let h = self.h.min(left);
            let error = self.attempt(dynamics, *t, h, x, v);
            let accepted = error <= 1.0;
            if accepted {
                x.copy_from_slice(&self.x);
                v.copy_from_slice(&self.v);
                *t = if h == left { end } else { *t + h };
                steps += 1;
            } else {
                self.rejected += 1;
            }
            // The error goes with h⁵; a step that is not finite is cut hard.
            let factor = if error.is_nan() { 0.1 } else { 0.9 * libm::pow(error.max(1e-10), -0.2) };
            // A step that was cut short to end in time says little about the next one.
            if !accepted || h == self.h || factor < 1.0 {
                self.h = h * factor.clamp(0.1, 5.0);
            }
            if self.h < self.smallest && *t < end {
                return Err(StepError::StepTooSmall { t: *t, smallest: self.smallest });
            }
        }
        Ok(steps)
    }

    /// One step of fixed length, accepted whatever its error.
    pub fn step(
        &mut self,
        dynamics: &mut impl Dynamics,
        t: f64,
        h: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
    ) -> f64 {
        let error = self.attempt(dynamics, t, h, x, v);
        x.copy_from_slice(&self.x);
        v.copy_from_slice(&self.v);
        error
    }

    /// Computes a step into `self.x`, `self.v`; returns its error in units of the allowed one.
    fn attempt(
        &mut self,
        dynamics: &mut impl Dynamics,
        t: f64,
        h: f64,
        x: &[DVec3],
        v: &[DVec3],
    ) -> f64 {
        let n = x.len();
        for buffer in self.stages.iter_mut().flatten().chain([&mut self.x, &mut self.v]) {
            buffer.resize(n, DVec3::ZERO);
        }
        self.stages[0][0].copy_from_slice(v);
        dynamics.acceleration(t, x, v, &mut self.stages[0][1]);
        for s in 0..6 {
            for i in 0..n {
                let (mut dx, mut dv) = (DVec3::ZERO, DVec3::ZERO);
                for (weight, [kx, kv]) in A[s].iter().zip(&self.stages).take(s + 1) {
                    dx += *weight * kx[i];
                    dv += *weight * kv[i];
                }
                self.x[i] = x[i] + h * dx;
                self.v[i] = v[i] + h * dv;
            }
            let [kx, kv] = &mut self.stages[s + 1];
            kx.copy_from_slice(&self.v);
            dynamics.acceleration(t + C[s] * h, &self.x, &self.v, kv);
        }
        let mut sum = 0.0;
        for i in 0..n {
            for (which, (old, new)) in
                [(x[i], self.x[i]), (v[i], self.v[i])].into_iter().enumerate()
            {
                let mut error = DVec3::ZERO;
                for (weight, k) in E.iter().zip(&self.stages) {
                    error += *weight * k[which][i];
                }
                let size = old.length().max(new.length());
                let allowed = self.absolute[which] + self.relative * size;
                sum += (error * h).length_squared() / (allowed * allowed);
            }
        }
        (sum / (2 * n).max(1) as f64).sqrt()
    }
}

/// Chooses the step of an implicit rule from how Newton's method fares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewtonControl {
    /// Step to be tried next [s].
    pub h: f64,
    /// Shortest step [s].
    pub smallest: f64,
    /// Longest step [s].
    pub largest: f64,
    /// Up to so many iterations were easy: the next step grows by a half.
    pub easy: u32,
    /// From so many iterations on it was hard: the next step is halved.
    pub hard: u32,
}

impl Default for NewtonControl {
    fn default() -> Self {
        Self { h: 0.01, smallest: 1e-7, largest: 0.04, easy: 3, hard: 10 }
    }
}

/// Steps and iterations of an adaptive integration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdaptiveSteps {
    /// Steps accepted.
    pub steps: u32,
    /// Steps that failed and were halved.
    pub failed: u32,
    /// Iterations of Newton's method in accepted steps.
    pub iterations: u32,
    /// Iterations of conjugate gradients in accepted steps.
    pub linear_iterations: u32,
}

/// Growth after an easy step; below 1 + √2, where BDF2 loses its stability.
const GROWTH: f64 = 1.5;

impl NewtonControl {
    /// Takes one step, at most to time `end`; `x`, `v` and `t` stay as they are if none succeeds.
    pub fn step(
        &mut self,
        integrator: &mut Implicit,
        system: &mut impl System,
        filter: Option<&Filter>,
        t: &mut f64,
        end: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
        counts: &mut AdaptiveSteps,
    ) -> Result<Report, StepError> {
        loop {
            let left = end - *t;
            let h = self.h.min(self.largest).min(left);
            match integrator.step(system, filter, *t, h, x, v) {
                Ok(report) => {
                    *t = if h == left { end } else { *t + h };
                    counts.steps += 1;
                    counts.iterations += report.iterations;
                    counts.linear_iterations += report.linear_iterations;
                    if report.iterations >= self.hard {
                        self.h = (0.5 * h).max(self.smallest);
                    } else if report.iterations <= self.easy && h >= self.h {
                        self.h = (GROWTH * h).min(self.largest);
                    }
                    return Ok(report);
                }
                Err(error @ StepError::Linear(_)) => return Err(error),
                Err(_) if h <= self.smallest => {
                    return Err(StepError::StepTooSmall { t: *t, smallest: self.smallest });
                }
                Err(_) => {
                    counts.failed += 1;
                    self.h = (0.5 * h).max(self.smallest);
                }
            }
        }
    }

    /// Advances to time `end`.
    pub fn integrate_to(
        &mut self,
        integrator: &mut Implicit,
        system: &mut impl System,
        filter: Option<&Filter>,
        t: &mut f64,
        end: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
    ) -> Result<AdaptiveSteps, StepError> {
        let mut counts = AdaptiveSteps::default();
        while *t < end {
            self.step(integrator, system, filter, t, end, x, v, &mut counts)?;
        }
        Ok(counts)
    }
}
