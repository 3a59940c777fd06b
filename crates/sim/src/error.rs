//! What can go wrong.

use crate::cause::Cause;
use thiserror::Error;

/// A part of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepPhase {
    /// Internal and external forces.
    Forces,
    /// Time integration.
    Integrate,
    /// Strain limiting.
    StrainLimit,
    /// Collision detection and response.
    Collide,
}

impl std::fmt::Display for StepPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Forces => "forces",
            Self::Integrate => "integration",
            Self::StrainLimit => "strain limiting",
            Self::Collide => "collisions",
        })
    }
}

/// Why an implicit step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The iterations ran out, or no step along the last direction helped.
    #[error("Newton's method stopped at {residual} m/s after {iterations} iterations")]
    NoConvergence {
        /// Iterations made.
        iterations: u32,
        /// ‖G‖ [m/s].
        residual: f64,
    },
    /// The matrix of the step is not positive definite.
    #[error("the matrix of the step is not positive definite")]
    NotPositiveDefinite,
    /// A force or a mass is not a number.
    #[error("vertex {vertex} has a force or mass that is not finite")]
    NotFinite {
        /// The first such vertex.
        vertex: u32,
    },
    /// The step would have to be shorter than allowed.
    #[error("no step longer than {smallest} s succeeds at {t} s")]
    StepTooSmall {
        /// Where [s].
        t: f64,
        /// Shortest step allowed [s].
        smallest: f64,
    },
    /// The linear solver refused.
    #[error(transparent)]
    Linear(#[from] crate::linear::Error),
}

/// An error of the simulation. The state stays that of the last good step.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A position or velocity became NaN or infinite.
    #[error(
        "vertex {vertex} is not finite after step {step} ({stage}); try a smaller `solver.step` \
         or `solver.stiffness = \"stable\"`"
    )]
    NotFinite {
        /// The step that failed.
        step: u64,
        /// The first such vertex.
        vertex: u32,
        /// Where it was noticed.
        stage: StepPhase,
    },
    /// No feasible step was found, however short.
    #[error(
        "step {step}: no feasible step, even after halving it; first blocked at vertex {vertex}: {cause}"
    )]
    Unresolved {
        /// The step that failed.
        step: u64,
        /// A vertex of the first feature in the way.
        vertex: u32,
        /// Why.
        cause: Box<Cause>,
    },
    /// An implicit step has no solution that could be found, however short.
    #[error(
        "step {step}: {reason}; try a smaller `solver.step`, or `solver.implicit.solve.max_iterations`"
    )]
    NoConvergence {
        /// The step that failed.
        step: u64,
        /// Why.
        reason: StepError,
    },
    /// The step was stopped from outside ([`crate::World::stop_with`]).
    #[error("step {step} was stopped")]
    Stopped {
        /// The step that was not finished.
        step: u64,
    },
    /// The linear systems of the cloth cannot be set up.
    #[error(transparent)]
    Linear(#[from] crate::linear::Error),
    /// A setting makes no sense.
    #[error("`{key}` {reason}")]
    Setting {
        /// Its name in a scene file.
        key: &'static str,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The mesh of a cloth or body cannot be used.
    #[error("{name}: {reason}")]
    Mesh {
        /// Name of the cloth or body.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}
