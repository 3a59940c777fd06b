//! Time integration: explicit (N1 to N5) and implicit (N6 to N9).
//!
//! Every integrator works on `x' = v`, `v' = a(t, x, v)`. [`Integrator`] takes explicit steps of
//! given length, [`DormandPrince`] chooses its own; [`Implicit`] solves for the step's end with Newton's
//! method, and [`NewtonControl`] chooses its steps. [`problems`] has test problems and stability regions.

mod adaptive;
mod explicit;
mod implicit;
mod multistep;
mod newton;
pub mod problems;
mod sheet;
mod springs;
mod step_solver;
mod verlet;

pub use adaptive::{Advance, DormandPrince, NewtonControl};
pub use implicit::{Implicit, Rule, System};
pub use multistep::bdf2_weights;
pub use newton::{LinearSolver, Newton, Report, Settings as NewtonSettings, StepError};
pub use sheet::SheetSystem;
pub use springs::SpringSystem;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// What an integrator sees of the world: accelerations.
pub trait Dynamics {
    /// Accelerations of all particles [m/s²].
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]);
}

/// How a step is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Integrator {
    /// Explicit Euler: positions move with the old velocity (N1, order 1).
    ExplicitEuler,
    /// Euler with the new velocity, as Provot steps: constant velocity within the step (order 1,
    /// symplectic).
    #[default]
    SymplecticEuler,
    /// Explicit midpoint (N2, order 2).
    Midpoint,
    /// The classical Runge–Kutta method (N3, order 4).
    Rk4,
    /// Leapfrog, kick–drift–kick (N5, order 2).
    Leapfrog,
    /// Verlet in positions with damping, `x⁺ = x + (1 − K)(x − x⁻) + h² a` (N5; paper A).
    Verlet {
        /// Damping K, 0 to 1.
        #[serde(default)]
        damping: f64,
    },
}

impl Integrator {
    /// Its order of accuracy without damping.
    pub fn order(self) -> u32 {
        match self {
            Self::ExplicitEuler | Self::SymplecticEuler => 1,
            Self::Midpoint | Self::Leapfrog | Self::Verlet { .. } => 2,
            Self::Rk4 => 4,
        }
    }

    /// Largest h·ω for which an undamped oscillation does not grow; explicit Euler has none and
    /// lives on damping, so half of the symplectic bound is taken for it.
    pub fn stability(self) -> f64 {
        match self {
            Self::ExplicitEuler | Self::Midpoint => 1.0,
            Self::SymplecticEuler | Self::Leapfrog | Self::Verlet { .. } => 2.0,
            Self::Rk4 => 2.828,
        }
    }

    /// Whether the velocity after a step is the mean velocity over it, (x⁺ − x)/h.
    pub fn ends_with_mean_velocity(self) -> bool {
        matches!(self, Self::SymplecticEuler | Self::Verlet { .. })
    }

    /// Advances `x` and `v` by `h`. `first` says that no step came before: Verlet then has no
    /// previous positions and begins with a Taylor step.
    pub fn step(
        self,
        dynamics: &mut impl Dynamics,
        scratch: &mut Scratch,
        (t, h): (f64, f64),
        x: &mut [DVec3],
        v: &mut [DVec3],
        first: bool,
    ) {
        scratch.resize(x.len());
        match self {
            Self::ExplicitEuler => explicit::euler(dynamics, scratch, t, h, x, v),
            Self::SymplecticEuler => explicit::symplectic_euler(dynamics, scratch, t, h, x, v),
            Self::Midpoint => explicit::midpoint(dynamics, scratch, t, h, x, v),
            Self::Rk4 => explicit::rk4(dynamics, scratch, t, h, x, v),
            Self::Leapfrog => verlet::leapfrog(dynamics, scratch, t, h, x, v),
            Self::Verlet { damping } => {
                verlet::verlet(dynamics, scratch, (t, h), x, v, damping, first);
            }
        }
    }
}

/// Memory for stages, reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    a: Vec<DVec3>,
    x_stage: Vec<DVec3>,
    v_stage: Vec<DVec3>,
    x_sum: Vec<DVec3>,
    v_sum: Vec<DVec3>,
}

impl Scratch {
    fn resize(&mut self, n: usize) {
        for buffer in
            [&mut self.a, &mut self.x_stage, &mut self.v_stage, &mut self.x_sum, &mut self.v_sum]
        {
            buffer.resize(n, DVec3::ZERO);
        }
    }
}

#[cfg(test)]
mod implicit_tests;
#[cfg(test)]
mod tests;
