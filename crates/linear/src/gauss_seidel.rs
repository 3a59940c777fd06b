//! Gauss–Seidel for scalar systems, with an interval for each unknown [liu1998].
//!
//! xᵢ ← clamp(xᵢ + ω (bᵢ − Σⱼ aᵢⱼ xⱼ)/aᵢᵢ, loᵢ, hiᵢ), eq. 11 of the paper: a coordinate that leaves its
//! interval is set on its end before the next one is computed. For a positive definite matrix and
//! 0 < ω < 2 this converges to the minimum of ½ xᵀ A x − bᵀ x between the bounds.

use super::{BlockCsr, Error};

/// A sparse matrix of numbers in compressed rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    start: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Csr {
    /// From entries (row, column, value) in any order; those of one place add up in that order.
    pub fn from_triplets(n: usize, triplets: &[(u32, u32, f64)]) -> Result<Self, Error> {
        let mut sorted = triplets.to_vec();
        for (element, (i, j, _)) in triplets.iter().enumerate() {
            let vertex = *i.max(j);
            if vertex as usize >= n {
                return Err(Error::VertexOutOfRange { element, vertex, vertices: n });
            }
        }
        sorted.sort_by_key(|(i, j, _)| (*i, *j));
        let mut csr = Self {
            start: vec![0; n + 1],
            columns: Vec::with_capacity(sorted.len()),
            values: Vec::with_capacity(sorted.len()),
            diagonal: vec![0.0; n],
        };
        for (k, (i, j, value)) in sorted.iter().enumerate() {
            if k > 0 && (sorted[k - 1].0, sorted[k - 1].1) == (*i, *j) {
                if let Some(last) = csr.values.last_mut() {
                    *last += value;
                }
            } else {
                csr.columns.push(*j);
                csr.values.push(*value);
                csr.start[*i as usize + 1] += 1;
            }
            if i == j {
                csr.diagonal[*i as usize] += value;
            }
        }
        for i in 0..n {
            csr.start[i + 1] += csr.start[i];
        }
        Ok(csr)
    }

    /// All 3×3 blocks written out, zeros left out.
    pub fn from_blocks(a: &BlockCsr) -> Self {
        let n = 3 * a.rows();
        let mut csr = Self {
            start: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            diagonal: vec![0.0; n],
        };
        for i in 0..n {
            for (j, block) in a.pattern().row(i / 3).iter().zip(a.row(i / 3)) {
                for l in 0..3 {
                    let (column, value) = (3 * j + l as u32, block.col(l)[i % 3]);
                    if column as usize == i {
                        csr.diagonal[i] = value;
                    }
                    if value != 0.0 {
                        csr.columns.push(column);
                        csr.values.push(value);
                    }
                }
            }
            csr.start.push(csr.columns.len());
        }
        csr
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Row `i` of A x.
    pub fn row_times(&self, i: usize, x: &[f64]) -> f64 {
        let row = self.start[i]..self.start[i + 1];
        self.columns[row.clone()]
            .iter()
            .zip(&self.values[row])
            .map(|(j, a)| a * x[*j as usize])
            .sum()
    }
}

/// Where an unknown may lie; infinite ends are no bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

impl Interval {
    /// No bounds.
    pub const FREE: Self = Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
}

/// The order in which unknowns are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sweep {
    /// First to last.
    #[default]
    Forward,
    /// First to last and back again.
    Symmetric,
}

/// Settings of the method.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GaussSeidel {
    /// The order of visits.
    pub sweep: Sweep,
    /// Relaxation ω: 1 is Gauss–Seidel, up to 2 is successive over-relaxation.
    pub relaxation: f64,
    /// It ends when no unknown changes by more than this in a sweep [unit of x].
    pub tolerance: f64,
    /// Most sweeps.
    pub max_sweeps: u32,
}

impl Default for GaussSeidel {
    fn default() -> Self {
        Self { sweep: Sweep::Forward, relaxation: 1.0, tolerance: 1e-9, max_sweeps: 1000 }
    }
}

/// What a solve did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Sweeps made.
    pub sweeps: u32,
    /// Largest change of an unknown in the last one [unit of x].
    pub change: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
    /// Unknowns that lie on an end of their interval.
    pub at_bounds: usize,
}

impl GaussSeidel {
    /// Solves A x = b from the x given, each unknown within its interval.
    pub fn solve(
        &self,
        a: &Csr,
        b: &[f64],
        bounds: Option<&[Interval]>,
        x: &mut [f64],
    ) -> Result<Outcome, Error> {
        let n = a.rows();
        for len in [b.len(), x.len(), bounds.map_or(n, <[Interval]>::len)] {
            if len != n {
                return Err(Error::SizeMismatch { expected: n, got: len });
            }
        }
        if let Some(row) = a.diagonal.iter().position(|d| !(*d > 0.0 && d.is_finite())) {
            return Err(Error::BadDiagonal { row, value: a.diagonal[row] });
        }
        if let Some(bounds) = bounds {
            if let Some(index) = bounds
                .iter()
                .position(|i| i.lower.is_nan() || i.upper.is_nan() || i.lower > i.upper)
            {
                let Interval { lower, upper } = bounds[index];
                return Err(Error::EmptyInterval { index, lower, upper });
            }
            x.iter_mut().zip(bounds).for_each(|(x, i)| *x = x.clamp(i.lower, i.upper));
        }
        let visit = |i: usize, x: &mut [f64]| {
            let mut next = x[i] + self.relaxation * (b[i] - a.row_times(i, x)) / a.diagonal[i];
            if let Some(bounds) = bounds {
                next = next.clamp(bounds[i].lower, bounds[i].upper);
            }
            let change = (next - x[i]).abs();
            x[i] = next;
            change
        };
        let mut outcome = Outcome { sweeps: 0, change: 0.0, converged: n == 0, at_bounds: 0 };
        while !outcome.converged && outcome.sweeps < self.max_sweeps {
            let mut change = 0.0_f64;
            for i in 0..n {
                change = change.max(visit(i, x));
            }
            if self.sweep == Sweep::Symmetric {
                for i in (0..n).rev() {
                    change = change.max(visit(i, x));
                }
            }
            outcome.sweeps += 1;
            outcome.change = change;
            outcome.converged = change <= self.tolerance;
        }
        if let Some(bounds) = bounds {
            let at = |(x, i): &(&f64, &Interval)| **x == i.lower || **x == i.upper;
            outcome.at_bounds = x.iter().zip(bounds).filter(at).count();
        }
        Ok(outcome)
    }
}
