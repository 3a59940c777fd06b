//! Equilibrium: the least of elastic energy and dead loads, by Newton's method.
//!
//! `E(x) − fᵀx` falls with every iteration. The direction is that of the semidefinite Hessian, with the
//! true bending of moments applied and the matrix of hinges, factored, as preconditioner; a line search
//! shortens it until the energy falls enough (Armijo). Where the energy does not fall along any length, the
//! diagonal is raised and lowered again afterwards.
//!
//! Limits: it finds a minimum near by, not the deepest; a sheet that is exactly straight does not know
//! to which side it buckles and needs a push. A cloth that nothing holds has no equilibrium.

use crate::linear::cg::{self, End, Operator, Stop, Workspace};
use crate::linear::{self, BlockCsr, Constraint, Filter, Precondition, Preconditioner};
use crate::sheet::Sheet;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// c₁ of Armijo's condition of sufficient decrease.
const ARMIJO_C1: f64 = 1e-4;
/// Halvings of a line search.
const MAX_HALVINGS: u32 = 24;
/// Smallest and largest shift of the diagonal, relative to it.
const DIAGONAL_SHIFT: [f64; 2] = [1e-12, 1e3];
/// Residual of each linear system, in parts of its right side.
const LINEAR_TOLERANCE: f64 = 1e-6;
/// Differences of energies below this part of the energy are rounding.
const ENERGY_ROUNDING: f64 = 1e-13;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Statics {
    /// Largest motion of a vertex in the last iteration, in parts of the size of the cloth.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: u32,
}

impl Default for Statics {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 500 }
    }
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EquilibriumStatistics {
    /// Iterations of Newton's method.
    pub iterations: u32,
    /// Iterations of conjugate gradients.
    pub linear_iterations: u32,
    /// E − fᵀx at the end [J].
    pub energy: f64,
    /// Largest motion in the last iteration [m].
    pub motion: f64,
}

/// Why there is no equilibrium.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StaticsError {
    /// The iterations ran out.
    #[error("no equilibrium after {iterations} iterations; vertices still move {motion:.1e} m")]
    NoConvergence {
        /// Iterations made.
        iterations: u32,
        /// Largest motion of the last one [m].
        motion: f64,
    },
    /// A value is NaN or infinite.
    #[error("vertex {vertex} has a force that is not finite")]
    NotFinite {
        /// The first such vertex.
        vertex: u32,
    },
    /// The linear solver refused.
    #[error(transparent)]
    Linear(#[from] linear::Error),
}

/// A solver with its memory.
///
/// ```
/// use glam::DVec3;
/// use toile_mesh::shape;
/// use toile_sim::linear::Constraint;
/// use toile_sim::sheet::{Bend, Sheet, Stretch};
/// use toile_sim::statics::{Equilibrium, Statics};
/// use toile_sim::Cloth;
///
/// // A strip that is held along one edge and pulled at the other.
/// let mesh = shape::grid(0.4, 0.1, 8, 2, shape::Diagonals::Alternating);
/// let mut x = mesh.positions.clone();
/// let mut sheet = Sheet::new(&[Cloth::new("strip", mesh)], Stretch::Stvk, Bend::Morley, &[])?;
/// let held: Vec<_> = (0..3).map(|v| (v, Constraint::Fixed)).collect();
/// let mut force = vec![DVec3::ZERO; x.len()];
/// for v in 24..27 {
///     force[v] = DVec3::X; // newtons
/// }
/// let from = x[26].x;
/// Equilibrium::new(Statics::default(), &sheet)?.settle(&mut sheet, &force, &held, &mut x)?;
/// assert!(x[26].x > from);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Equilibrium {
    settings: Statics,
    linear: f64,
    /// In the plane alone, and with hinges for the bending.
    membrane: BlockCsr,
    matrix: BlockCsr,
    /// The latter with its diagonal raised and its constraints, and by how much it is raised.
    raised: BlockCsr,
    own: Vec<DMat3>,
    preconditioner: Preconditioner,
    workspace: Workspace,
    g: Vec<DVec3>,
    d: Vec<DVec3>,
    x_try: Vec<DVec3>,
}

impl Equilibrium {
    /// A solver for a sheet.
    pub fn new(settings: Statics, sheet: &Sheet) -> Result<Self, linear::Error> {
        let matrix = sheet.matrix();
        Ok(Self {
            settings,
            linear: LINEAR_TOLERANCE,
            membrane: matrix.clone(),
            raised: matrix.clone(),
            own: Vec::with_capacity(sheet.vertices()),
            preconditioner: Preconditioner::new(Precondition::Direct, sheet.pattern())?,
            workspace: Workspace::new(sheet.vertices()),
            g: vec![DVec3::ZERO; sheet.vertices()],
            d: vec![DVec3::ZERO; sheet.vertices()],
            x_try: vec![DVec3::ZERO; sheet.vertices()],
            matrix,
        })
    }

    /// Solves each linear system only to this residual, in parts of its right side. Far from equilibrium a
    /// rough direction is as good as an exact one, and many times cheaper.
    #[must_use]
    pub fn with_linear_tolerance(mut self, tolerance: f64) -> Self {
        self.linear = tolerance;
        self
    }

    /// Moves `x` to equilibrium under the forces `f` [N]; `held` vertices stay where they are, as far
    /// as their constraints say.
    pub fn settle(
        &mut self,
        sheet: &mut Sheet,
        f: &[DVec3],
        held: &[(u32, Constraint)],
        x: &mut [DVec3],
    ) -> Result<EquilibriumStatistics, StaticsError> {
        let filter = Filter::new(sheet.vertices(), held)?;
        let size = extent(x);
        let mut statistics = EquilibriumStatistics {
            energy: potential(sheet, f, x),
            ..EquilibriumStatistics::default()
        };
        let mut raise = DIAGONAL_SHIFT[0];
        for iteration in 1..=self.settings.max_iterations {
            statistics.iterations = iteration;
            sheet.gradient(x, &mut self.g);
            for (g, f) in self.g.iter_mut().zip(f) {
                *g = *f - *g;
            }
            filter.project_free(&mut self.g);
            if let Some(vertex) = self.g.iter().position(|g| !g.is_finite()) {
                return Err(StaticsError::NotFinite { vertex: vertex as u32 });
            }
            sheet.hessian(x, true, false, &mut self.membrane);
            sheet.hessian(x, true, true, &mut self.matrix);
            loop {
                self.direction(sheet, x, &filter, raise, &mut statistics)?;
                let length = self.search(sheet, f, x, &mut statistics);
                if length > 0.0 {
                    raise = (raise * if length == 1.0 { 0.1 } else { 1.0 }).max(DIAGONAL_SHIFT[0]);
                    break;
                }
                raise *= 100.0;
                if raise > DIAGONAL_SHIFT[1] {
                    // Downhill is below rounding: this is the bottom.
                    return Ok(statistics);
                }
            }
            if statistics.motion <= self.settings.tolerance * size {
                return Ok(statistics);
            }
        }
        Err(StaticsError::NoConvergence {
            iterations: statistics.iterations,
            motion: statistics.motion,
        })
    }

    /// d from H d = −g, the diagonal raised by a part of itself.
    fn direction(
        &mut self,
        sheet: &mut Sheet,
        x: &[DVec3],
        filter: &Filter,
        raise: f64,
        statistics: &mut EquilibriumStatistics,
    ) -> Result<(), StaticsError> {
        self.own.clear();
        self.own.extend((0..self.matrix.rows()).map(|i| {
            let b = self.matrix.diagonal(i);
            let size = (b.x_axis.x + b.y_axis.y + b.z_axis.z) / 3.0;
            DMat3::from_diagonal(DVec3::splat(raise * size.max(f64::MIN_POSITIVE)))
        }));
        self.raised.values_mut().copy_from_slice(self.matrix.values());
        for (i, own) in self.own.iter().enumerate() {
            self.raised.add(i as u32, i as u32, *own);
        }
        self.raised.constrain(filter);
        self.preconditioner.update(&self.raised)?;
        self.d.fill(DVec3::ZERO);
        let (membrane, own) = (&self.membrane, &self.own);
        let operator = Exact { membrane, own, x, sheet: RefCell::new(sheet) };
        let stop = Stop { tolerance: self.linear, max_iterations: 200 };
        let (m, w) = (&mut self.preconditioner, &mut self.workspace);
        let outcome = cg::solve(&operator, m, Some(filter), &self.g, &mut self.d, stop, w);
        statistics.linear_iterations += outcome.iterations;
        if outcome.end == End::NotFinite {
            return Err(StaticsError::Linear(linear::Error::NotFinite { row: 0 }));
        }
        Ok(())
    }

    /// Moves along d until the energy falls; the length of the step, 0 if there is none.
    fn search(
        &mut self,
        sheet: &mut Sheet,
        f: &[DVec3],
        x: &mut [DVec3],
        statistics: &mut EquilibriumStatistics,
    ) -> f64 {
        let slope: f64 = self.g.iter().zip(&self.d).map(|(g, d)| g.dot(*d)).sum();
        let furthest = self.d.iter().map(|d| d.length()).fold(0.0, f64::max);
        if !(slope > 0.0 && furthest.is_finite()) {
            return 0.0;
        }
        let noise = ENERGY_ROUNDING * statistics.energy.abs();
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            for ((to, x), d) in self.x_try.iter_mut().zip(&*x).zip(&self.d) {
                *to = *x + *d * length;
            }
            let energy = potential(sheet, f, &self.x_try);
            if energy <= statistics.energy - ARMIJO_C1 * length * slope + noise {
                x.copy_from_slice(&self.x_try);
                statistics.energy = energy;
                statistics.motion = length * furthest;
                return length;
            }
            length *= 0.5;
        }
        0.0
    }
}

/// The Hessian with the true bending, never stored.
struct Exact<'a> {
    membrane: &'a BlockCsr,
    own: &'a [DMat3],
    x: &'a [DVec3],
    sheet: RefCell<&'a mut Sheet>,
}

impl Operator for Exact<'_> {
    fn rows(&self) -> usize {
        self.membrane.rows()
    }

    fn multiply(&self, d: &[DVec3], y: &mut [DVec3]) {
        self.membrane.multiply(d, y);
        for (i, own) in self.own.iter().enumerate() {
            y[i] += *own * d[i];
        }
        self.sheet.borrow_mut().apply_bending(self.x, d, y);
    }
}

fn potential(sheet: &mut Sheet, f: &[DVec3], x: &[DVec3]) -> f64 {
    sheet.energy(x) - x.iter().zip(f).map(|(x, f)| x.dot(*f)).sum::<f64>()
}

/// Length of the diagonal of the box around all vertices.
fn extent(x: &[DVec3]) -> f64 {
    let low = x.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = x.iter().copied().reduce(DVec3::max).unwrap_or_default();
    low.distance(high)
}
