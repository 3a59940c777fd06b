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

pub use crate::barrier::bdf2_weights;
pub use crate::error::StepError;
pub use crate::settings::{Integrator, LinearSolver, Newton, NewtonSettings, Rule};
pub use adaptive::{AdaptiveSteps, DormandPrince, NewtonControl};
pub use implicit::{Implicit, System};
pub use newton::Report;
pub use sheet::SheetSystem;
pub use springs::SpringSystem;

use glam::DVec3;

/// What an integrator sees of the world: accelerations.
pub trait Dynamics {
    /// Accelerations of all particles [m/s²].
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]);
}

impl Integrator {
    /// Advances `x` and `v` by `h`. `first` says that no step came before: Verlet then has no
    /// previous positions and begins with a Taylor step.
    pub fn step(
        self,
        dynamics: &mut impl Dynamics,
        scratch: &mut Scratch,
        t: f64,
        h: f64,
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
                verlet::verlet(dynamics, scratch, t, h, x, v, damping, first);
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
