//! Symmetric sparse matrices of 3×3 blocks.
//!
//! Both halves are stored. On one thread the product of the upper half alone takes 0.6 to 0.9 of the
//! time while the matrix fits the cache and the same beyond (40 000 vertices on), but it writes to
//! rows it does not own: it cannot be cut among threads without further buffers. The full product
//! on two threads is as fast or faster (`examples/linear_solvers.rs`).

use super::{Error, Filter, Pattern};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Rows in a task.
pub(super) const CHUNK: usize = 1024;

/// Smaller matrices are multiplied by one thread.
pub(super) const PARALLEL_ROWS: usize = 4 * CHUNK;

/// A symmetric matrix of 3×3 blocks in compressed rows.
#[derive(Clone, Debug)]
pub struct BlockCsr {
    pattern: Arc<Pattern>,
    pub(super) values: Vec<DMat3>,
}

impl BlockCsr {
    /// A zero matrix.
    pub fn zeros(pattern: &Arc<Pattern>) -> Self {
        Self { pattern: Arc::clone(pattern), values: vec![DMat3::ZERO; pattern.blocks()] }
    }

    /// Its pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// Blocks of row `i`, beside [`Pattern::row`].
    pub fn row(&self, i: usize) -> &[DMat3] {
        &self.values[self.pattern.slots(i)]
    }

    /// Block (i, j); zero where there is none.
    pub fn block(&self, i: u32, j: u32) -> DMat3 {
        self.pattern.slot(i, j).map_or(DMat3::ZERO, |slot| self.values[slot])
    }

    /// Block (i, i).
    pub fn diagonal(&self, i: usize) -> DMat3 {
        self.values[self.pattern.diagonal[i] as usize]
    }

    /// All blocks, row after row.
    pub fn values(&self) -> &[DMat3] {
        &self.values
    }

    /// All blocks, row after row, to be changed in place. Who does so keeps the matrix symmetric.
    pub fn values_mut(&mut self) -> &mut [DMat3] {
        &mut self.values
    }

    /// Blocks of consecutive chunks of rows, each with its first row, to be filled side by side.
    pub fn chunks_mut(&mut self) -> Vec<(usize, &mut [DMat3])> {
        super::scatter::chunks_mut(&self.pattern, &mut self.values)
    }

    /// Sets every block to zero.
    pub fn clear(&mut self) {
        self.values.fill(DMat3::ZERO);
    }

    /// Adds to block (i, j) and the transpose to block (j, i). False if the pattern lacks it.
    pub fn add(&mut self, i: u32, j: u32, block: DMat3) -> bool {
        let (Some(a), Some(b)) = (self.pattern.slot(i, j), self.pattern.slot(j, i)) else {
            return false;
        };
        self.values[a] += block;
        if i != j {
            self.values[b] += block.transpose();
        }
        true
    }

    /// A ← diag(m) + d D + k K, all of one pattern: the matrix of every implicit step.
    pub fn set_step(
        &mut self,
        m: &[f64],
        damping: Option<(f64, &Self)>,
        (k, stiffness): (f64, &Self),
    ) {
        debug_assert!(stiffness.check(&self.pattern).is_ok());
        for (value, stiffness) in self.values.iter_mut().zip(&stiffness.values) {
            *value = *stiffness * k;
        }
        if let Some((d, damping)) = damping {
            debug_assert!(damping.check(&self.pattern).is_ok());
            for (value, damping) in self.values.iter_mut().zip(&damping.values) {
                *value += *damping * d;
            }
        }
        for (slot, m) in self.pattern.diagonal.iter().zip(m) {
            self.values[*slot as usize] += DMat3::from_diagonal(DVec3::splat(*m));
        }
    }

    /// Adds numbers to the diagonals of the blocks on the diagonal.
    pub fn add_to_diagonal(&mut self, of: impl Fn(usize) -> f64) {
        for (i, slot) in self.pattern.diagonal.iter().enumerate() {
            self.values[*slot as usize] += DMat3::from_diagonal(DVec3::splat(of(i)));
        }
    }

    /// Leaves only what a filter allows, as if its vertices stood on their own in other directions:
    /// A ← S A S + (I − S) a, with a the size of each vertex's own block. It is positive definite if A is
    /// so in the free directions, and its solution for S b has nothing in the others.
    pub fn constrain(&mut self, filter: &Filter) {
        filter.constrain::<DMat3>(&self.pattern, &mut self.values);
    }

    /// y ← A x.
    pub fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        let row = |i: usize| {
            let slots = self.pattern.slots(i);
            let columns = &self.pattern.columns[slots.clone()];
            let mut sum = DVec3::ZERO;
            for (block, j) in self.values[slots].iter().zip(columns) {
                sum += *block * x[*j as usize];
            }
            sum
        };
        if self.rows() < PARALLEL_ROWS {
            y.iter_mut().enumerate().for_each(|(i, y)| *y = row(i));
        } else {
            y.par_chunks_mut(CHUNK).enumerate().for_each(|(c, y)| {
                y.iter_mut().enumerate().for_each(|(k, y)| *y = row(c * CHUNK + k));
            });
        }
    }

    /// The first row with an entry that is not a number is an error.
    pub fn check_finite(&self) -> Result<(), Error> {
        match self.values.iter().position(|b| !b.is_finite()) {
            None => Ok(()),
            Some(slot) => {
                let row = self.pattern.row_start.partition_point(|s| *s as usize <= slot) - 1;
                Err(Error::NotFinite { row: row as u32 })
            }
        }
    }

    /// Whether this matrix has the given pattern.
    pub(super) fn check(&self, pattern: &Arc<Pattern>) -> Result<(), Error> {
        if Arc::ptr_eq(&self.pattern, pattern) || self.pattern == *pattern {
            Ok(())
        } else {
            Err(Error::SizeMismatch { expected: pattern.blocks(), got: self.pattern.blocks() })
        }
    }
}
