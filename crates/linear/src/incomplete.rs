//! Incomplete Cholesky factorisation without fill-in, IC(0), by 3×3 blocks.
//!
//! G has the pattern of the lower half of A, and (G Gᵀ)ᵢⱼ = Aᵢⱼ on it [meijerink1977]. If a pivot is not
//! positive definite the factorisation starts again with A + α diag(A), α growing from 10⁻³
//! [manteuffel1980].
//!
//! Limits: the two triangular solves run on one thread.

use super::{BlockCsr, Pattern, dense};
use glam::{DMat3, DVec3};
use std::sync::Arc;

const INITIAL_SHIFT: f64 = 1e-3;
const SHIFT_GROWTH: f64 = 4.0;
/// With this shift every block is nearly diagonal; what still fails then is not the pattern's fault.
const MAX_SHIFT: f64 = 1e3;

#[derive(Debug)]
pub(super) struct Incomplete {
    pattern: Arc<Pattern>,
    /// Blocks of G left of the diagonal; row i begins at `start[i]`.
    start: Vec<u32>,
    columns: Vec<u32>,
    lower: Vec<DMat3>,
    /// Inverses of the blocks of G on the diagonal.
    inverse: Vec<DMat3>,
    /// Slot of a column in the present row, or none.
    marker: Vec<u32>,
    shift: f64,
}

const UNMARKED: u32 = u32::MAX;

impl Incomplete {
    pub(super) fn new(pattern: &Arc<Pattern>) -> Self {
        let n = pattern.rows();
        let mut start = vec![0_u32];
        let mut columns = Vec::with_capacity(pattern.blocks() / 2);
        for i in 0..n {
            columns.extend_from_slice(&pattern.columns[pattern.lower(i)]);
            start.push(columns.len() as u32);
        }
        Self {
            pattern: Arc::clone(pattern),
            lower: vec![DMat3::ZERO; columns.len()],
            inverse: vec![DMat3::IDENTITY; n],
            marker: vec![UNMARKED; n],
            start,
            columns,
            shift: 0.0,
        }
    }

    pub(super) fn shift(&self) -> f64 {
        self.shift
    }

    pub(super) fn update(&mut self, a: &BlockCsr) {
        self.shift = 0.0;
        while !self.factor(a) {
            self.shift = if self.shift == 0.0 { INITIAL_SHIFT } else { self.shift * SHIFT_GROWTH };
        }
    }

    /// One attempt with the present shift; false if a pivot fails.
    fn factor(&mut self, a: &BlockCsr) -> bool {
        for i in 0..self.inverse.len() {
            let row = self.start[i] as usize..self.start[i + 1] as usize;
            for k in row.clone() {
                self.marker[self.columns[k] as usize] = k as u32;
            }
            let mut pivot = a.diagonal(i);
            let diagonal = DVec3::new(pivot.x_axis.x, pivot.y_axis.y, pivot.z_axis.z);
            pivot += DMat3::from_diagonal(diagonal * self.shift);
            for (k, slot) in row.clone().zip(self.pattern.lower(i)) {
                let j = self.columns[k] as usize;
                let mut block = a.values[slot];
                for l in self.start[j] as usize..self.start[j + 1] as usize {
                    let m = self.marker[self.columns[l] as usize];
                    if m != UNMARKED {
                        block -= self.lower[m as usize] * self.lower[l].transpose();
                    }
                }
                block *= self.inverse[j].transpose();
                self.lower[k] = block;
                pivot -= block * block.transpose();
            }
            for k in row {
                self.marker[self.columns[k] as usize] = UNMARKED;
            }
            match dense::inverse_factor3(pivot) {
                Some(inverse) => self.inverse[i] = inverse,
                // No shift heals a row that is zero or negative by itself.
                None if self.shift >= MAX_SHIFT || diagonal.min_element() <= 0.0 => {
                    let scale = diagonal.max_element();
                    let scale = if scale > 0.0 && scale.is_finite() { scale } else { 1.0 };
                    self.inverse[i] = DMat3::from_diagonal(DVec3::splat(1.0 / scale.sqrt()));
                }
                None => return false,
            }
        }
        true
    }

    pub(super) fn apply(&self, r: &[DVec3], z: &mut [DVec3]) {
        let row = |i: usize| self.start[i] as usize..self.start[i + 1] as usize;
        for i in 0..r.len() {
            let mut sum = r[i];
            for k in row(i) {
                sum -= self.lower[k] * z[self.columns[k] as usize];
            }
            z[i] = self.inverse[i] * sum;
        }
        for i in (0..r.len()).rev() {
            z[i] = self.inverse[i].transpose() * z[i];
            for k in row(i) {
                let j = self.columns[k] as usize;
                z[j] -= self.lower[k].transpose() * z[i];
            }
        }
    }
}
