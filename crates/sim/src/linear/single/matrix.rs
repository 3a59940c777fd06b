//! Symmetric sparse matrices of 3×3 blocks in single precision.

use super::super::Pattern;
use super::super::block_csr::{CHUNK, PARALLEL_ROWS};
use super::super::places::chunks_mut;
use glam::{Mat3A, Vec3A};
use rayon::prelude::*;
use std::sync::Arc;

/// A symmetric matrix of 3×3 blocks in compressed rows.
#[derive(Clone, Debug)]
pub struct Matrix {
    pattern: Arc<Pattern>,
    pub(super) values: Vec<Mat3A>,
}

impl Matrix {
    /// A zero matrix.
    pub fn zeros(pattern: &Arc<Pattern>) -> Self {
        Self { pattern: Arc::clone(pattern), values: vec![Mat3A::ZERO; pattern.blocks()] }
    }

    /// Its pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// All blocks, row after row.
    pub fn values(&self) -> &[Mat3A] {
        &self.values
    }

    /// Blocks of consecutive chunks of rows, each with its first row, to be filled side by side.
    pub fn chunks_mut(&mut self) -> Vec<(usize, &mut [Mat3A])> {
        chunks_mut(&self.pattern, &mut self.values)
    }

    /// Adds numbers to the diagonals of the blocks on the diagonal.
    pub fn add_to_diagonal(&mut self, of: impl Fn(usize) -> f32) {
        for (i, slot) in self.pattern.diagonal.iter().enumerate() {
            self.values[*slot as usize] += Mat3A::from_diagonal(glam::Vec3::splat(of(i)));
        }
    }

    /// y ← A x.
    pub fn multiply(&self, x: &[Vec3A], y: &mut [Vec3A]) {
        let row = |i: usize| {
            let slots = self.pattern.slots(i);
            let columns = &self.pattern.columns[slots.clone()];
            let mut sum = Vec3A::ZERO;
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
}
