//! Sparse Cholesky factorisation of block matrices.
//!
//! The order of elimination and the pattern of the factor are found once per pattern; each new
//! matrix of that pattern only costs the numbers.

use super::factor::{Factor, Lower};
use super::{BlockCsr, Error, Ordering, Pattern};
use faer::dyn_stack::MemBuffer;
use glam::DVec3;
use std::sync::Arc;

/// A factorisation that is renewed while the pattern stays.
pub struct Cholesky {
    pattern: Arc<Pattern>,
    matrix: Lower,
    factor: Factor,
    memory: MemBuffer,
    rhs: Vec<f64>,
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = self.pattern.rows();
        f.debug_struct("Cholesky")
            .field("rows", &rows)
            .field("entries", &self.factor.entries())
            .finish()
    }
}

impl Cholesky {
    /// The symbolic part.
    pub fn new(pattern: &Arc<Pattern>, ordering: Ordering) -> Result<Self, Error> {
        let n = 3 * pattern.rows();
        let (mut start, mut rows) = (Vec::with_capacity(n + 1), Vec::new());
        start.push(0_u32);
        for i in 0..pattern.rows() {
            for k in 0..3_u32 {
                for slot in pattern.upper(i) {
                    let j = pattern.columns[slot];
                    let first = if j as usize == i { k } else { 0 };
                    rows.extend((first..3).map(|l| 3 * j + l));
                }
                start.push(u32::try_from(rows.len()).map_err(|_| Error::TooLarge)?);
            }
        }
        let order = ordering.elimination_order(pattern)?;
        let order: Vec<u32> = order.iter().flat_map(|v| (0..3).map(move |k| 3 * *v + k)).collect();
        let matrix = Lower { start, values: vec![0.0; rows.len()], rows };
        let factor = Factor::new(&matrix, Some(&order))?;
        let memory = factor.workspace()?;
        let rhs = vec![0.0; n];
        Ok(Self { pattern: Arc::clone(pattern), matrix, factor, memory, rhs })
    }

    /// Entries of the factor for each entry of the lower half of the matrix, at least 1.
    pub fn fill_in(&self) -> f64 {
        self.factor.entries() as f64 / self.matrix.values.len().max(1) as f64
    }

    /// Entries of the factor.
    pub fn factor_entries(&self) -> usize {
        self.factor.entries()
    }

    /// Factors a matrix of this pattern.
    pub fn factor(&mut self, a: &BlockCsr) -> Result<(), Error> {
        a.check(&self.pattern)?;
        a.check_finite()?;
        let mut at = 0;
        for i in 0..self.pattern.rows() {
            for k in 0..3 {
                for slot in self.pattern.upper(i) {
                    let first = if self.pattern.columns[slot] as usize == i { k } else { 0 };
                    for l in first..3 {
                        self.matrix.values[at] = a.values[slot].col(l)[k];
                        at += 1;
                    }
                }
            }
        }
        self.factor.renew(&self.matrix, &mut self.memory).map_err(|unknown| {
            Error::NotPositiveDefinite {
                vertex: unknown as u32 / 3,
                coordinate: unknown as u32 % 3,
            }
        })
    }

    /// Solves A x = b with the last matrix that was factored; without one, x is zero.
    pub fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        for (r, b) in self.rhs.chunks_exact_mut(3).zip(b) {
            r.copy_from_slice(&b.to_array());
        }
        self.factor.solve(&mut self.rhs);
        for (x, r) in x.iter_mut().zip(self.rhs.chunks_exact(3)) {
            *x = DVec3::from_slice(r);
        }
    }
}
