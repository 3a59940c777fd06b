//! What a step took.

/// Statistics of a step of the default solver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverStatistics {
    /// Newton iterations.
    pub iterations: u32,
    /// Iterations of conjugate gradients.
    pub linear_iterations: u32,
    /// Halvings of line searches.
    pub halvings: u32,
    /// Active contacts at the end.
    pub contacts: u32,
    /// Smallest gap at the end, beyond the thickness [m]; infinite without contacts.
    pub gap: f64,
    /// Queries of the broad phase.
    pub queries: u32,
    /// Candidates whose distance was computed.
    pub tested: u64,
    /// Whether the termination criterion was met.
    pub converged: bool,
    /// Residual force as a fraction of the weight; quasi-static steps only.
    pub residual: Option<f64>,
    /// Wall time of each phase.
    pub seconds: PhaseSeconds,
}

/// Wall time of each phase of a step [s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseSeconds {
    /// Broad phase and continuous collision detection.
    pub collision: f64,
    /// The part of it that is spent on bodies: where they are, their trees, what is near them.
    pub bodies: f64,
    /// Gradient and Hessian of the elastic energy.
    pub elasticity: f64,
    /// Linear systems.
    pub linear_solve: f64,
    /// Line searches.
    pub line_search: f64,
}
