//! Preconditioned conjugate gradients, filtered by constraints if there are any [baraff1998].
//!
//! It ends when ‖r‖ ≤ tolerance · ‖r₀‖ in the norm of the preconditioner, √(rᵀ M⁻¹ r), with r₀ the
//! residual of x = 0 in the free directions; a good start is rewarded, not punished. The residual
//! is the recursive one: for a condition number near 1/ε the true one stays above it.

use super::{BlockCsr, Filter, Preconditioner, vector};
use glam::DVec3;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stop {
    /// Relative residual in the norm of the preconditioner.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: u32,
}

impl Default for Stop {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_iterations: 1000 }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// The residual is small enough.
    Converged,
    /// The iterations ran out; x is the best so far.
    Exhausted,
    /// The search direction p, left in [`Workspace::direction`], has pᵀ A p ≤ 0: the matrix is not
    /// positive definite. x is what was found before.
    NotPositiveDefinite {
        /// pᵀ A p / pᵀ p.
        curvature: f64,
    },
    /// A value became NaN or infinite; x is unusable.
    NotFinite,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Iterations made.
    pub iterations: u32,
    /// Relative residual reached, in the norm of the preconditioner.
    pub residual: f64,
    /// How it ended.
    pub end: End,
}

/// Vectors of a solve, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    r: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    q: Vec<DVec3>,
}

impl Workspace {
    /// Room for so many rows.
    pub fn new(rows: usize) -> Self {
        let mut workspace = Self::default();
        workspace.resize(rows);
        workspace
    }

    fn resize(&mut self, rows: usize) {
        for v in [&mut self.r, &mut self.z, &mut self.p, &mut self.q] {
            v.resize(rows, DVec3::ZERO);
        }
    }

    /// The last search direction: one of negative curvature after [`End::NotPositiveDefinite`].
    pub fn direction(&self) -> &[DVec3] {
        &self.p
    }
}

/// Something that multiplies: a matrix, or a system that never stores one.
pub trait Operator {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// y ← A x.
    fn multiply(&self, x: &[DVec3], y: &mut [DVec3]);
}

impl Operator for BlockCsr {
    fn rows(&self) -> usize {
        self.rows()
    }

    fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        self.multiply(x, y);
    }
}

/// Solves A x = b from the x given. With a filter, x keeps its constrained parts.
pub fn solve(
    a: &impl Operator,
    preconditioner: &mut Preconditioner,
    filter: Option<&Filter>,
    b: &[DVec3],
    x: &mut [DVec3],
    stop: Stop,
    w: &mut Workspace,
) -> Outcome {
    debug_assert!(b.len() == a.rows() && x.len() == a.rows());
    w.resize(a.rows());
    let Workspace { r, z, p, q } = w;
    let free = |v: &mut [DVec3]| {
        if let Some(filter) = filter {
            filter.project_free(v);
        }
    };
    // The residual that counts as 1: that of zero in the free directions.
    match filter {
        None => r.copy_from_slice(b),
        Some(filter) => {
            filter.project_prescribed(x, p);
            a.multiply(p, q);
            residual(b, q, r);
            free(r);
        }
    }
    preconditioner.apply(r, z);
    free(z);
    let whole = vector::dot(r, z);
    if !whole.is_finite() {
        return Outcome { iterations: 0, residual: f64::NAN, end: End::NotFinite };
    }
    if whole <= 0.0 {
        // Nothing to do but to leave only what is prescribed.
        match filter {
            None => x.fill(DVec3::ZERO),
            Some(_) => x.copy_from_slice(p),
        }
        return Outcome { iterations: 0, residual: 0.0, end: End::Converged };
    }
    let mut delta = whole;
    // A start other than zero has a residual of its own.
    if x.iter().any(|x| *x != DVec3::ZERO) {
        a.multiply(x, q);
        residual(b, q, r);
        free(r);
        preconditioner.apply(r, z);
        free(z);
        delta = vector::dot(r, z);
    }
    p.copy_from_slice(z);
    let goal = stop.tolerance * stop.tolerance * whole;
    let outcome = |iterations: u32, delta: f64, end: End| Outcome {
        iterations,
        residual: (delta / whole).max(0.0).sqrt(),
        end,
    };
    for iteration in 0..=stop.max_iterations {
        if delta.is_nan() {
            return outcome(iteration, delta, End::NotFinite);
        }
        if delta <= goal {
            return outcome(iteration, delta, End::Converged);
        }
        if iteration == stop.max_iterations {
            break;
        }
        a.multiply(p, q);
        free(q);
        let curvature = vector::dot(p, q);
        if curvature.is_nan() {
            return outcome(iteration, delta, End::NotFinite);
        }
        if curvature <= 0.0 {
            let curvature = curvature / vector::dot(p, p);
            return outcome(iteration, delta, End::NotPositiveDefinite { curvature });
        }
        let step = delta / curvature;
        vector::add_scaled(x, step, p);
        vector::add_scaled(r, -step, q);
        preconditioner.apply(r, z);
        free(z);
        let next = vector::dot(r, z);
        vector::scale_and_add(p, next / delta, z);
        delta = next;
    }
    outcome(stop.max_iterations, delta, End::Exhausted)
}

/// r ← b − q.
fn residual(b: &[DVec3], q: &[DVec3], r: &mut [DVec3]) {
    for i in 0..b.len() {
        r[i] = b[i] - q[i];
    }
}
