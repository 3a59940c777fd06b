//! The linear systems of implicit steps, (M + d D + k K) s = b.
//!
//! Where the solution need not be exact, conjugate gradients run in single precision: what they move
//! through memory is the cost of a step. Should that fail, the same system is solved in double.

use crate::error::StepError;
use crate::linear::cg::{self, End, Stop, Workspace};
use crate::linear::single::{self, Goal, Inverse, Jacobi, TwoLevel, Vectors};
use crate::linear::{
    BlockCsr, Cholesky, Error, Filter, Ordering, Pattern, Precondition, Preconditioner,
};
use crate::settings::LinearSolver;
use glam::{DVec3, Vec3A};
use std::sync::Arc;

/// Solutions to this relative residual may be found in single precision.
const SINGLE_PRECISION_TOLERANCE: f64 = 1e-3;

/// What the matrix is made of.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) masses: &'a [f64],
    /// d and D.
    pub(super) damping: Option<(f64, &'a BlockCsr)>,
    /// k and K.
    pub(super) stiffness: (f64, &'a BlockCsr),
    pub(super) filter: Option<&'a Filter>,
}

/// A solver for them with its memory.
#[derive(Debug)]
pub(super) struct StepSolver {
    choice: LinearSolver,
    /// Relative residual of what is not solved exactly.
    eta: f64,
    single: Option<Single>,
    double: Option<Double>,
}

#[derive(Debug)]
struct Single {
    matrix: single::Matrix,
    inverse: Approximate,
    vectors: Vectors,
}

/// The preconditioners there are in single precision.
#[derive(Debug)]
enum Approximate {
    Jacobi(Jacobi),
    TwoLevel(Box<TwoLevel>),
}

#[derive(Debug)]
struct Double {
    matrix: BlockCsr,
    method: Method,
}

#[derive(Debug)]
enum Method {
    Gradients(Box<Preconditioner>, Workspace),
    Direct(Box<Cholesky>),
}

impl StepSolver {
    pub(super) fn new(
        choice: LinearSolver,
        eta: f64,
        pattern: &Arc<Pattern>,
    ) -> Result<Self, Error> {
        let mut solver = Self { choice, eta, single: None, double: None };
        match Approximate::new(choice, pattern)? {
            Some(inverse) if eta >= SINGLE_PRECISION_TOLERANCE => {
                let (matrix, vectors) = (single::Matrix::zeros(pattern), Vectors::default());
                solver.single = Some(Single { matrix, inverse, vectors });
            }
            _ => solver.double = Some(Double::new(choice, pattern)?),
        }
        Ok(solver)
    }

    /// Puts the matrix together.
    pub(super) fn prepare(&mut self, step: Step<'_>) -> Result<(), StepError> {
        match &mut self.single {
            Some(single) => {
                single.matrix.set_step(step.masses, step.damping, step.stiffness);
                Ok(single.finish(step.filter)?)
            }
            None => self.double(step.stiffness.1.pattern())?.prepare(step),
        }
    }

    /// Puts the matrix together from a stiffness that is written in single precision; also y ← K x. False
    /// if that is not possible.
    pub(super) fn prepare_single(
        &mut self,
        write: impl FnOnce(&mut single::Matrix) -> bool,
        x: &[DVec3],
        y: &mut [DVec3],
        masses: &[f64],
        k: f64,
        filter: Option<&Filter>,
    ) -> Result<bool, Error> {
        let Some(single) = &mut self.single else { return Ok(false) };
        if !write(&mut single.matrix) {
            return Ok(false);
        }
        single.matrix.multiply_and_set_step(x, y, masses, k as f32);
        single.finish(filter)?;
        Ok(true)
    }

    /// Solves for `b`, which lies in the free directions, in single precision. How many iterations it
    /// took; `None` if it cannot be done.
    pub(super) fn solve_single(&mut self, b: &[DVec3], s: &mut [DVec3]) -> Option<u32> {
        s.fill(DVec3::ZERO);
        let goal = Goal {
            quadratic_tolerance: f64::INFINITY,
            relative_residual: self.eta,
            absolute_tolerance: 0.0,
            max_iterations: self.most(),
        };
        // The matrix does not couple the free directions with others, so the solution stays in them.
        let Single { matrix, inverse, vectors } = self.single.as_mut()?;
        let outcome = single::solve(matrix, &[], inverse, &[], b, s, goal, vectors);
        (outcome.end == End::Converged).then_some(outcome.iterations)
    }

    /// Solves for `b`, which lies in the free directions. How many iterations it took.
    pub(super) fn solve(
        &mut self,
        step: Step<'_>,
        b: &[DVec3],
        s: &mut [DVec3],
    ) -> Result<u32, StepError> {
        s.fill(DVec3::ZERO);
        let stop = Stop { tolerance: self.eta, max_iterations: self.most() };
        let failed = self.single.is_some();
        let double = self.double(step.stiffness.1.pattern())?;
        if failed {
            double.prepare(step)?;
        }
        double.solve(step.filter, b, s, stop)
    }

    fn most(&self) -> u32 {
        match self.choice {
            LinearSolver::Gradients { max_iterations, .. } => max_iterations,
            LinearSolver::Direct => 0,
        }
    }

    /// The solver in double precision, made when it is first needed.
    fn double(&mut self, pattern: &Arc<Pattern>) -> Result<&mut Double, Error> {
        match &mut self.double {
            Some(double) => Ok(double),
            none => Ok(none.insert(Double::new(self.choice, pattern)?)),
        }
    }
}

impl Single {
    fn finish(&mut self, filter: Option<&Filter>) -> Result<(), Error> {
        if let Some(filter) = filter {
            self.matrix.constrain(filter);
        }
        match &mut self.inverse {
            Approximate::Jacobi(jacobi) => jacobi.update(&self.matrix),
            Approximate::TwoLevel(levels) => levels.update(&self.matrix, &[], &[]),
        }
        Ok(())
    }
}

impl Approximate {
    fn new(choice: LinearSolver, pattern: &Arc<Pattern>) -> Result<Option<Self>, Error> {
        let LinearSolver::Gradients { precondition, .. } = choice else { return Ok(None) };
        Ok(match precondition {
            Precondition::BlockJacobi => Some(Self::Jacobi(Jacobi::default())),
            Precondition::Schwarz { aggregate: 16, coarse: true } => {
                Some(Self::TwoLevel(Box::new(TwoLevel::new(pattern)?)))
            }
            _ => None,
        })
    }
}

impl Inverse for Approximate {
    fn apply(&mut self, r: &[Vec3A], z: &mut [Vec3A]) {
        match self {
            Self::Jacobi(jacobi) => jacobi.apply(r, z),
            Self::TwoLevel(levels) => levels.apply(r, z),
        }
    }
}

impl Double {
    fn new(choice: LinearSolver, pattern: &Arc<Pattern>) -> Result<Self, Error> {
        let method = match choice {
            LinearSolver::Gradients { precondition, .. } => Method::Gradients(
                Box::new(Preconditioner::new(precondition, pattern)?),
                Workspace::new(pattern.rows()),
            ),
            LinearSolver::Direct => {
                Method::Direct(Box::new(Cholesky::new(pattern, Ordering::Amd)?))
            }
        };
        Ok(Self { matrix: BlockCsr::zeros(pattern), method })
    }

    fn prepare(&mut self, step: Step<'_>) -> Result<(), StepError> {
        self.matrix.set_step(step.masses, step.damping, step.stiffness);
        if let Some(filter) = step.filter {
            self.matrix.constrain(filter);
        }
        match &mut self.method {
            Method::Gradients(m, _) => m.update(&self.matrix)?,
            Method::Direct(cholesky) => cholesky.factor(&self.matrix).map_err(|e| match e {
                Error::NotPositiveDefinite { .. } => StepError::NotPositiveDefinite,
                e => StepError::Linear(e),
            })?,
        }
        Ok(())
    }

    fn solve(
        &mut self,
        filter: Option<&Filter>,
        b: &[DVec3],
        s: &mut [DVec3],
        stop: Stop,
    ) -> Result<u32, StepError> {
        let a = &self.matrix;
        let outcome = match &mut self.method {
            Method::Gradients(m, workspace) => cg::solve(a, m, filter, b, s, stop, workspace),
            Method::Direct(cholesky) => {
                cholesky.solve(b, s);
                return Ok(0);
            }
        };
        let no_number = || a.check_finite().err().map(StepError::Linear);
        match outcome.end {
            End::NotPositiveDefinite { .. } => Err(StepError::NotPositiveDefinite),
            End::NotFinite => Err(no_number().unwrap_or(StepError::NotFinite { vertex: 0 })),
            End::Converged | End::Exhausted => Ok(outcome.iterations),
        }
    }
}
