//! The softest motions about a state: K d = λ M d for the smallest λ.
//!
//! K is the exact tangent of the energy, M the masses of the vertices. A block of vectors is multiplied
//! by K⁻¹ M again and again and made orthogonal by Rayleigh and Ritz (subspace iteration,
//! [bathe1973]). K with bending by moments is never stored: it is inverted by conjugate gradients, with
//! the semidefinite matrix of hinges, factored, as preconditioner.
//!
//! Limits: K must be positive definite where vertices are free; if it is not, the state is unstable, which
//! is an answer, too ([`Failure::Unstable`]).

mod dense;

use super::Failure;
use glam::DVec3;
use std::cell::RefCell;
use toile::Generator;
use toile_sim::linear::cg::{self, End, Operator, Stop, Workspace};
use toile_sim::linear::{BlockCsr, Constraint, Filter, Precondition, Preconditioner};
use toile_sim::sheet::Sheet;

/// Vectors beyond those asked for: they make the others converge.
const SPARE: usize = 2;
/// Most iterations.
const ITERATIONS: usize = 60;
/// Change of the values at which they stand, of themselves or of the largest in the block: a value that
/// vanishes has no digits of its own.
const TOLERANCE: [f64; 2] = [1e-8, 1e-11];

/// A motion and its stiffness per mass.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    /// λ; the square of the angular frequency.
    pub(super) value: f64,
    /// The motion, of unit mass.
    pub(super) shape: Vec<DVec3>,
}

/// The `count` softest motions about `x`, in the directions that `held` leaves free.
pub(super) fn lowest(
    sheet: &mut Sheet,
    x: &[DVec3],
    masses: &[f64],
    held: &[(u32, Constraint)],
    count: usize,
) -> Result<Vec<Mode>, Failure> {
    let filter = Filter::new(x.len(), held)?;
    let mut tangent = Tangent::new(sheet, x, &filter)?;
    let block = count + SPARE;
    let mut dice = Generator::new(1);
    let mut shapes: Vec<Vec<DVec3>> = (0..block)
        .map(|_| {
            let mut roll = || dice.uniform(-1.0, 1.0);
            let mut d: Vec<DVec3> = x.iter().map(|_| DVec3::new(roll(), roll(), roll())).collect();
            filter.project_free(&mut d);
            d
        })
        .collect();
    let mut values = vec![0.0; block];
    for _ in 0..ITERATIONS {
        for (shape, value) in shapes.iter_mut().zip(&values) {
            let b: Vec<DVec3> = shape.iter().zip(masses).map(|(d, m)| *d * *m).collect();
            // A shape that has converged is its own solution, up to its value.
            let start = if *value > 0.0 { 1.0 / value } else { 0.0 };
            shape.iter_mut().for_each(|d| *d *= start);
            tangent.solve(&b, shape)?;
        }
        let pulled: Vec<Vec<DVec3>> = shapes.iter().map(|d| tangent.multiply(d)).collect();
        let mut stiff = vec![vec![0.0; block]; block];
        let mut heavy = stiff.clone();
        for i in 0..block {
            for j in 0..block {
                stiff[i][j] = shapes[i].iter().zip(&pulled[j]).map(|(a, b)| a.dot(*b)).sum();
                let mass = shapes[i].iter().zip(&shapes[j]).zip(masses);
                heavy[i][j] = mass.map(|((a, b), m)| a.dot(*b) * m).sum();
            }
        }
        let (found, turns) = dense::generalised(&stiff, &heavy).ok_or(Failure::Unstable)?;
        let old = std::mem::take(&mut shapes);
        shapes = turns
            .iter()
            .map(|turn| {
                let mut sum = vec![DVec3::ZERO; x.len()];
                for (d, t) in old.iter().zip(turn) {
                    sum.iter_mut().zip(d).for_each(|(s, d)| *s += *d * *t);
                }
                sum
            })
            .collect();
        let near = |k: usize| {
            let allowed = (TOLERANCE[0] * found[k].abs()).max(TOLERANCE[1] * found[block - 1]);
            (found[k] - values[k]).abs() <= allowed
        };
        let settled = (0..count).all(near);
        values = found;
        if settled {
            let modes = values.into_iter().zip(shapes).take(count);
            return Ok(modes.map(|(value, shape)| Mode { value, shape }).collect());
        }
    }
    Err(Failure::NoConvergence("the iteration for modes"))
}

/// The exact tangent, and what it takes to invert it.
struct Tangent<'a> {
    sheet: RefCell<&'a mut Sheet>,
    x: &'a [DVec3],
    filter: &'a Filter,
    membrane: BlockCsr,
    preconditioner: Preconditioner,
    workspace: Workspace,
}

impl<'a> Tangent<'a> {
    fn new(sheet: &'a mut Sheet, x: &'a [DVec3], filter: &'a Filter) -> Result<Self, Failure> {
        let mut membrane = sheet.matrix();
        let mut near = sheet.matrix();
        sheet.hessian(x, false, false, &mut membrane);
        sheet.hessian(x, true, true, &mut near);
        near.constrain(filter);
        let mut preconditioner = Preconditioner::new(Precondition::Direct, sheet.pattern())?;
        preconditioner.update(&near)?;
        let workspace = Workspace::new(x.len());
        Ok(Self { sheet: RefCell::new(sheet), x, filter, membrane, preconditioner, workspace })
    }

    fn multiply(&self, d: &[DVec3]) -> Vec<DVec3> {
        let mut y = vec![DVec3::ZERO; d.len()];
        Applied { tangent: &self.membrane, sheet: &self.sheet, x: self.x }.multiply(d, &mut y);
        self.filter.project_free(&mut y);
        y
    }

    fn solve(&mut self, b: &[DVec3], d: &mut [DVec3]) -> Result<(), Failure> {
        let stop = Stop { tolerance: 1e-9, max_iterations: 2000 };
        let operator = Applied { tangent: &self.membrane, sheet: &self.sheet, x: self.x };
        let (m, w) = (&mut self.preconditioner, &mut self.workspace);
        match cg::solve(&operator, m, Some(self.filter), b, d, stop, w).end {
            End::Converged => Ok(()),
            End::NotPositiveDefinite { .. } => Err(Failure::Unstable),
            End::Exhausted | End::NotFinite => Err(Failure::NoConvergence("a linear solve")),
        }
    }
}

struct Applied<'a, 'b> {
    tangent: &'a BlockCsr,
    sheet: &'a RefCell<&'b mut Sheet>,
    x: &'a [DVec3],
}

impl Operator for Applied<'_, '_> {
    fn rows(&self) -> usize {
        self.tangent.rows()
    }

    fn multiply(&self, d: &[DVec3], y: &mut [DVec3]) {
        self.tangent.multiply(d, y);
        self.sheet.borrow_mut().apply_bending(self.x, d, y);
    }
}
