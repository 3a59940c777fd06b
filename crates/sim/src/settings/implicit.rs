//! Settings of implicit time integration.

use crate::linear::Precondition;
use serde::{Deserialize, Serialize};

/// Implicit integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Implicit {
    /// The rule.
    pub rule: Rule,
    /// How its equations are solved.
    pub solve: NewtonSettings,
}

/// Which implicit rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Rule {
    /// Implicit Euler (N6, order 1): damps what it cannot resolve.
    #[default]
    Euler,
    /// Implicit midpoint (N7, order 2): keeps the energy of linear oscillations.
    Midpoint,
    /// Between the two (N7): θ = ½ is the midpoint, θ = 1 is Euler [volino2000].
    Blend {
        /// Where in the step forces are taken, ½ to 1.
        theta: f64,
    },
    /// Backward differences over two steps, of any length (N8, order 2).
    Bdf2,
}

impl Rule {
    /// Its order of accuracy.
    pub fn order(self) -> u32 {
        match self {
            Self::Euler => 1,
            Self::Blend { theta } if theta != 0.5 => 1,
            Self::Blend { .. } | Self::Midpoint | Self::Bdf2 => 2,
        }
    }
}

/// Variants of Newton's method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Newton {
    /// One step about the state at the beginning, taken as it comes [baraff1998].
    #[default]
    Linearised,
    /// A new matrix and an exact solution every time.
    Exact,
    /// A new matrix every time, solved to the relative residual η [hauth2001].
    Inexact {
        /// Forcing term; 0.02 works.
        eta: f64,
    },
    /// The matrix of the first iteration for all of them.
    Simplified {
        /// Forcing term.
        eta: f64,
    },
    /// The constant matrix of linear springs, renewed only when the step changes.
    Sparse {
        /// Forcing term.
        eta: f64,
    },
}

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LinearSolver {
    /// Conjugate gradients.
    Gradients {
        /// With this preconditioner.
        precondition: Precondition,
        /// Most iterations.
        max_iterations: u32,
    },
    /// Sparse Cholesky.
    Direct,
}

impl Default for LinearSolver {
    fn default() -> Self {
        Self::Gradients { precondition: Precondition::BlockJacobi, max_iterations: 500 }
    }
}

/// How the stage is solved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewtonSettings {
    /// The variant.
    pub newton: Newton,
    /// The solver below it.
    pub linear: LinearSolver,
    /// Relative residual of the linear system of [`Newton::Linearised`].
    pub linear_tolerance: f64,
    /// Root mean square error of the stage velocity at which the iteration ends [m/s].
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: u32,
    /// Whether steps that do not reduce the residual are shortened.
    pub line_search: bool,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            newton: Newton::default(),
            linear: LinearSolver::default(),
            linear_tolerance: 1e-6,
            tolerance: 1e-6,
            max_iterations: 20,
            line_search: true,
        }
    }
}
