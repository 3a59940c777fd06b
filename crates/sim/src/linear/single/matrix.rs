//! Symmetric sparse matrices of 3×3 blocks in single precision.

use super::super::block_csr::{CHUNK, PARALLEL_ROWS};
use super::super::places::{chunk_of, chunks_mut};
use super::super::{Block, BlockCsr, Filter, Pattern};
use glam::{DVec3, Mat3A, Vec3A};
use pulp::{Arch, Simd, WithSimd};
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

    /// A ← diag(m) + d D + k K, all of one pattern, as [`BlockCsr::set_step`].
    pub fn set_step(
        &mut self,
        m: &[f64],
        damping: Option<(f64, &BlockCsr)>,
        (k, stiffness): (f64, &BlockCsr),
    ) {
        for (value, stiffness) in self.values.iter_mut().zip(stiffness.values()) {
            *value = Mat3A::of(&(*stiffness * k));
        }
        if let Some((d, damping)) = damping {
            for (value, damping) in self.values.iter_mut().zip(damping.values()) {
                *value += Mat3A::of(&(*damping * d));
            }
        }
        self.add_to_diagonal(|i| m[i] as f32);
    }

    /// Of a matrix K whose rows sum to zero: y ← K x, then K ← diag(m) + k K, in one pass.
    ///
    /// Row i is multiplied with the differences xⱼ − xᵢ, so that what all of x have in common, and what is
    /// rounded away of K, does not disturb the small rest.
    pub fn multiply_and_set_step(&mut self, x: &[DVec3], y: &mut [DVec3], m: &[f64], k: f32) {
        let pattern = &*self.pattern;
        let run = |(first, blocks): (usize, &mut [Mat3A]), y: &mut [DVec3]| {
            let base = pattern.slots(first).start;
            for (i, y) in (first..).zip(y) {
                let slots = pattern.slots(i);
                let columns = &pattern.columns[slots.clone()];
                let mut sum = Vec3A::ZERO;
                for (block, j) in
                    blocks[slots.start - base..slots.end - base].iter_mut().zip(columns)
                {
                    sum += *block * (x[*j as usize] - x[i]).as_vec3a();
                    *block *= k;
                }
                *y = sum.as_dvec3();
                let own = pattern.diagonal[i] as usize - base;
                blocks[own] += Mat3A::from_diagonal(glam::Vec3::splat(m[i] as f32));
            }
        };
        let chunks = chunks_mut(pattern, &mut self.values);
        let rows = chunk_of(pattern.rows());
        chunks.into_par_iter().zip(y.par_chunks_mut(rows)).for_each(|(c, y)| run(c, y));
    }

    /// As [`BlockCsr::constrain`].
    pub fn constrain(&mut self, filter: &Filter) {
        filter.constrain(&self.pattern, &mut self.values);
    }

    /// Adds numbers to the diagonals of the blocks on the diagonal.
    pub fn add_to_diagonal(&mut self, of: impl Fn(usize) -> f32) {
        for (i, slot) in self.pattern.diagonal.iter().enumerate() {
            self.values[*slot as usize] += Mat3A::from_diagonal(glam::Vec3::splat(of(i)));
        }
    }

    /// y ← A x.
    pub fn multiply(&self, x: &[Vec3A], y: &mut [Vec3A]) {
        let arch = Arch::new();
        let rows = |first: usize, y: &mut [Vec3A]| {
            arch.dispatch(Product { pattern: &self.pattern, values: &self.values, first, x, y });
        };
        if self.rows() < PARALLEL_ROWS {
            rows(0, y);
        } else {
            y.par_chunks_mut(CHUNK).enumerate().for_each(|(c, y)| rows(c * CHUNK, y));
        }
    }
}

/// Some rows of y ← A x, for any processor.
struct Product<'a> {
    pattern: &'a Pattern,
    values: &'a [Mat3A],
    first: usize,
    x: &'a [Vec3A],
    y: &'a mut [Vec3A],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { pattern, values, first, x, y } = self;
        for (i, y) in (first..).zip(y) {
            let slots = pattern.slots(i);
            let mut sums = [Vec3A::ZERO; 3];
            for (block, j) in values[slots.clone()].iter().zip(&pattern.columns[slots]) {
                let x = x[*j as usize];
                sums[0] += block.x_axis * x.x;
                sums[1] += block.y_axis * x.y;
                sums[2] += block.z_axis * x.z;
            }
            *y = (sums[0] + sums[1]) + sums[2];
        }
    }
}
