//! Sparse Cholesky factorisation, by `faer`.
//!
//! The order of elimination and the pattern of the factor are found once per pattern; each new
//! matrix of that pattern only costs the numbers. One thread, so the bits do not depend on how many
//! there are.

use super::{BlockCsr, Error, Ordering, Pattern};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};
use glam::DVec3;
use std::sync::Arc;

/// A factorisation that is renewed while the pattern stays.
pub struct Cholesky {
    pattern: Arc<Pattern>,
    symbolic: SymbolicCholesky<usize>,
    /// Lower half of the matrix as scalars, by columns.
    start: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    factor: Vec<f64>,
    rhs: Vec<f64>,
    memory: MemBuffer,
    factored: bool,
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = self.pattern.rows();
        f.debug_struct("Cholesky")
            .field("rows", &rows)
            .field("entries", &self.factor.len())
            .finish()
    }
}

impl Cholesky {
    /// The symbolic part.
    pub fn new(pattern: &Arc<Pattern>, ordering: Ordering) -> Result<Self, Error> {
        let n = 3 * pattern.rows();
        let (mut start, mut rows) = (Vec::with_capacity(n + 1), Vec::new());
        start.push(0);
        for i in 0..pattern.rows() {
            for k in 0..3 {
                for slot in pattern.upper(i) {
                    let j = pattern.columns[slot] as usize;
                    let first = if j == i { k } else { 0 };
                    rows.extend((first..3).map(|l| 3 * j + l));
                }
                start.push(rows.len());
            }
        }
        let order = ordering.of(pattern)?;
        let forward: Vec<usize> =
            order.iter().flat_map(|v| (0..3).map(move |k| 3 * *v as usize + k)).collect();
        let mut inverse = vec![0; n];
        forward.iter().enumerate().for_each(|(new, old)| inverse[*old] = new);
        let symbolic = factorize_symbolic_cholesky(
            SymbolicSparseColMatRef::new_checked(n, n, &start, None, &rows),
            Side::Lower,
            SymmetricOrdering::Custom(PermRef::new_checked(&forward, &inverse, n)),
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| Error::TooLarge)?;
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Ok(Self {
            pattern: Arc::clone(pattern),
            values: vec![0.0; rows.len()],
            factor: vec![0.0; symbolic.len_val()],
            rhs: vec![0.0; n],
            memory: MemBuffer::try_new(need).map_err(|_| Error::TooLarge)?,
            symbolic,
            start,
            rows,
            factored: false,
        })
    }

    /// Entries of the factor for each entry of the lower half of the matrix, at least 1.
    pub fn fill_in(&self) -> f64 {
        self.factor.len() as f64 / self.values.len().max(1) as f64
    }

    /// Entries of the factor.
    pub fn factor_entries(&self) -> usize {
        self.factor.len()
    }

    /// Factors a matrix of this pattern.
    pub fn factor(&mut self, a: &BlockCsr) -> Result<(), Error> {
        a.check(&self.pattern)?;
        a.check_finite()?;
        self.factored = false;
        let mut at = 0;
        for i in 0..self.pattern.rows() {
            for k in 0..3 {
                for slot in self.pattern.upper(i) {
                    let first = if self.pattern.columns[slot] as usize == i { k } else { 0 };
                    for l in first..3 {
                        self.values[at] = a.values[slot].col(l)[k];
                        at += 1;
                    }
                }
            }
        }
        let n = self.rhs.len();
        if n == 0 {
            return Ok(());
        }
        let symbolic = SymbolicSparseColMatRef::new_checked(n, n, &self.start, None, &self.rows);
        let result = self.symbolic.factorize_numeric_llt(
            &mut self.factor,
            SparseColMatRef::new(symbolic, &self.values),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
        match result {
            Ok(_) => {
                self.factored = true;
                Ok(())
            }
            Err(LltError::NonPositivePivot { index }) => {
                // The simplicial method counts pivots from one, the supernodal one from zero.
                let simplicial = matches!(self.symbolic.raw(), SymbolicCholeskyRaw::Simplicial(_));
                let index = index - usize::from(simplicial);
                let old = self.symbolic.perm().map_or(index, |p| p.arrays().0[index]) as u32;
                Err(Error::NotPositiveDefinite { vertex: old / 3, coordinate: old % 3 })
            }
        }
    }

    /// Solves A x = b with the last matrix that was factored; without one, x is zero.
    pub fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        if !self.factored {
            x.fill(DVec3::ZERO);
            return;
        }
        for (r, b) in self.rhs.chunks_exact_mut(3).zip(b) {
            r.copy_from_slice(&b.to_array());
        }
        let n = self.rhs.len();
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.rhs, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        for (x, r) in x.iter_mut().zip(self.rhs.chunks_exact(3)) {
            *x = DVec3::from_slice(r);
        }
    }
}
