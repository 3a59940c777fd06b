//! Sparse Cholesky factors of scalar matrices, by `faer`.
//!
//! One thread, so the bits do not depend on how many there are.

use super::Error;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

/// A matrix, given by its lower half in columns, and its factor.
pub(super) struct Factor {
    symbolic: SymbolicCholesky<usize>,
    start: Vec<usize>,
    rows: Vec<usize>,
    /// The lower half of the matrix: who changes it calls [`Self::renew`].
    pub(super) values: Vec<f64>,
    factor: Vec<f64>,
    memory: MemBuffer,
    factored: bool,
}

impl Factor {
    /// The symbolic part, for columns `start` of rows `rows`, ascending. Unknowns are eliminated in
    /// the order given, or by approximate minimum degree.
    pub(super) fn new(
        start: Vec<usize>,
        rows: Vec<usize>,
        order: Option<&[usize]>,
    ) -> Result<Self, Error> {
        let n = start.len() - 1;
        let mut inverse = vec![0; n];
        let ordering = match order {
            None => SymmetricOrdering::Amd,
            Some(order) => {
                order.iter().enumerate().for_each(|(new, old)| inverse[*old] = new);
                SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, n))
            }
        };
        let symbolic = factorize_symbolic_cholesky(
            SymbolicSparseColMatRef::new_checked(n, n, &start, None, &rows),
            Side::Lower,
            ordering,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| Error::TooLarge)?;
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Ok(Self {
            values: vec![0.0; rows.len()],
            factor: vec![0.0; symbolic.len_val()],
            memory: MemBuffer::try_new(need).map_err(|_| Error::TooLarge)?,
            symbolic,
            start,
            rows,
            factored: false,
        })
    }

    /// Number of unknowns.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Entries of the factor.
    pub(super) fn entries(&self) -> usize {
        self.factor.len()
    }

    /// Factors the matrix as it is now; the error is the unknown whose pivot is not positive.
    pub(super) fn renew(&mut self) -> Result<(), usize> {
        self.factored = false;
        let n = self.len();
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
                Err(self.symbolic.perm().map_or(index, |p| p.arrays().0[index]))
            }
        }
    }

    /// Turns a right side into the solution; false, and zeros, if there is no factor.
    pub(super) fn solve(&mut self, rhs: &mut [f64]) -> bool {
        if !self.factored {
            rhs.fill(0.0);
            return false;
        }
        let n = rhs.len();
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(rhs, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        true
    }
}
