//! Symmetric sparse matrices of 3×3 blocks in single precision.

use super::super::block_csr::{CHUNK, PARALLEL_ROWS};
use super::super::scatter::{chunk_of, chunks_mut};
use super::super::{Block, BlockCsr, Filter, Pattern};
use glam::{DVec3, Mat3A, Vec3A, Vec4};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::sync::Arc;

/// A symmetric matrix of either precision that the preconditioner can read.
pub trait Blocks: Sync {
    /// Its pattern.
    fn pattern(&self) -> &Arc<Pattern>;
    /// The columns of a block.
    fn columns(&self, slot: u32) -> [[f64; 3]; 3];
}

impl Blocks for Matrix {
    fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    #[inline(always)]
    fn columns(&self, slot: u32) -> [[f64; 3]; 3] {
        let [a, b, c, d, e, f, g, h, i] = self.values[slot as usize].map(f64::from);
        [[a, b, c], [d, e, f], [g, h, i]]
    }
}

impl Blocks for BlockCsr {
    fn pattern(&self) -> &Arc<Pattern> {
        self.pattern()
    }

    #[inline(always)]
    fn columns(&self, slot: u32) -> [[f64; 3]; 3] {
        self.values()[slot as usize].to_cols_array_2d()
    }
}

/// A symmetric matrix of 3×3 blocks in compressed rows.
#[derive(Clone, Debug)]
pub struct Matrix {
    pattern: Arc<Pattern>,
    /// Columns of blocks, as [`Block::Stored`], and one block more, so that four numbers can be read wherever three are.
    values: Vec<[f32; 9]>,
}

impl Matrix {
    /// A zero matrix.
    pub fn zeros(pattern: &Arc<Pattern>) -> Self {
        Self { pattern: Arc::clone(pattern), values: vec![Mat3A::ZERO_BLOCK; pattern.blocks() + 1] }
    }

    /// Its pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// The columns of all blocks, row after row.
    pub fn values(&self) -> &[[f32; 9]] {
        &self.values[..self.pattern.blocks()]
    }

    /// A block.
    #[inline]
    pub(super) fn block(&self, slot: u32) -> Mat3A {
        Mat3A::load(&self.values[slot as usize])
    }

    /// Blocks of consecutive chunks of rows, each with its first row, to be filled side by side.
    pub fn chunks_mut(&mut self) -> Vec<(usize, &mut [[f32; 9]])> {
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
            *value = Mat3A::from_f64(&(*stiffness * k)).store();
        }
        if let Some((d, damping)) = damping {
            for (value, damping) in self.values.iter_mut().zip(damping.values()) {
                Mat3A::from_f64(&(*damping * d)).add_to(value);
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
        let run = |(first, blocks): (usize, &mut [[f32; 9]]), y: &mut [DVec3]| {
            let base = pattern.slots(first).start;
            for (i, y) in (first..).zip(y) {
                let slots = pattern.slots(i);
                let columns = &pattern.columns[slots.clone()];
                let mut sum = Vec3A::ZERO;
                for (block, j) in
                    blocks[slots.start - base..slots.end - base].iter_mut().zip(columns)
                {
                    sum += Mat3A::load(block) * (x[*j as usize] - x[i]).as_vec3a();
                    block.iter_mut().for_each(|entry| *entry *= k);
                }
                *y = sum.as_dvec3();
                let own = pattern.diagonal[i] as usize - base;
                add_to_diagonal(&mut blocks[own], m[i] as f32);
            }
        };
        let chunks = chunks_mut(pattern, &mut self.values);
        let rows = chunk_of(pattern.rows());
        chunks.into_par_iter().zip(y.par_chunks_mut(rows)).for_each(|(c, y)| run(c, y));
    }

    /// As [`BlockCsr::constrain`].
    pub fn constrain(&mut self, filter: &Filter) {
        filter.constrain::<Mat3A>(&self.pattern, &mut self.values);
    }

    /// The block of a row on the diagonal, as columns.
    pub fn diagonal(&self, i: usize) -> [Vec3A; 3] {
        let block = self.block(self.pattern.diagonal[i]);
        [block.x_axis, block.y_axis, block.z_axis]
    }

    /// A ← s A.
    pub fn scale(&mut self, s: f32) {
        self.values.iter_mut().flatten().for_each(|a| *a *= s);
    }

    /// Adds numbers to the diagonals of the blocks on the diagonal.
    pub fn add_to_diagonal(&mut self, of: impl Fn(usize) -> f32) {
        for (i, slot) in self.pattern.diagonal.iter().enumerate() {
            add_to_diagonal(&mut self.values[*slot as usize], of(i));
        }
    }

    /// y ← A x.
    pub fn multiply(&self, x: &[Vec3A], y: &mut [Vec3A]) {
        let arch = Arch::new();
        let rows = |first: usize, y: &mut [Vec3A]| {
            let values = self.values.as_flattened();
            arch.dispatch(Product { pattern: &self.pattern, values, first, x, y });
        };
        if self.rows() < PARALLEL_ROWS {
            rows(0, y);
        } else {
            y.par_chunks_mut(CHUNK).enumerate().for_each(|(c, y)| rows(c * CHUNK, y));
        }
    }
}

fn add_to_diagonal(block: &mut [f32; 9], number: f32) {
    [0, 4, 8].iter().for_each(|k| block[*k] += number);
}

/// Some rows of y ← A x, for any processor.
struct Product<'a> {
    pattern: &'a Pattern,
    values: &'a [f32],
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
            // Four numbers for each column; the lane that is to spare has no meaning.
            let blocks = &values[9 * slots.start..9 * slots.end + 1];
            for (k, j) in pattern.columns[slots].iter().enumerate() {
                let (x, block) = (x[*j as usize], &blocks[9 * k..9 * k + 10]);
                let column =
                    |c: usize| Vec3A::from_vec4(Vec4::from_slice(&block[3 * c..3 * c + 4]));
                sums[0] += column(0) * x.x;
                sums[1] += column(1) * x.y;
                sums[2] += column(2) * x.z;
            }
            *y = (sums[0] + sums[1]) + sums[2];
        }
    }
}
