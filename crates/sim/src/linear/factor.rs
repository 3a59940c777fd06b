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

/// The lower half of a matrix in columns: column `j` has the rows `rows[start[j]..start[j + 1]]`, ascending.
pub(super) struct Lower {
    pub(super) start: Vec<u32>,
    pub(super) rows: Vec<u32>,
    pub(super) values: Vec<f64>,
}

impl Lower {
    /// Number of unknowns.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        let n = self.len();
        SymbolicSparseColMatRef::new_checked(n, n, &self.start, None, &self.rows)
    }
}

/// The factor of a matrix. The matrix itself is kept by those who change it.
pub(super) struct Factor {
    symbolic: SymbolicCholesky<u32>,
    factor: Vec<f64>,
    /// For a solve; factoring takes far more.
    memory: MemBuffer,
    factored: bool,
}

impl Factor {
    /// The symbolic part. Unknowns are eliminated in the order given, or by approximate minimum degree.
    pub(super) fn new(matrix: &Lower, order: Option<&[u32]>) -> Result<Self, Error> {
        let n = matrix.len();
        let mut inverse = vec![0; n];
        let ordering = match order {
            None => SymmetricOrdering::Amd,
            Some(order) => {
                order.iter().enumerate().for_each(|(new, old)| inverse[*old as usize] = new as u32);
                SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, n))
            }
        };
        let symbolic = factorize_symbolic_cholesky(
            matrix.pattern(),
            Side::Lower,
            ordering,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| Error::TooLarge)?;
        let need = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        Ok(Self {
            factor: vec![0.0; symbolic.len_val()],
            memory: MemBuffer::try_new(need).map_err(|_| Error::TooLarge)?,
            symbolic,
            factored: false,
        })
    }

    /// Memory that [`Self::renew`] needs.
    pub(super) fn workspace(&self) -> Result<MemBuffer, Error> {
        let need = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        MemBuffer::try_new(need).map_err(|_| Error::TooLarge)
    }

    /// Entries of the factor.
    pub(super) fn entries(&self) -> usize {
        self.factor.len()
    }

    /// Factors a matrix of this pattern; the error is the unknown whose pivot is not positive.
    pub(super) fn renew(&mut self, matrix: &Lower, memory: &mut MemBuffer) -> Result<(), usize> {
        self.factored = false;
        if matrix.len() == 0 {
            return Ok(());
        }
        let result = self.symbolic.factorize_numeric_llt(
            &mut self.factor,
            SparseColMatRef::new(matrix.pattern(), &matrix.values),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(memory),
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
                Err(self.symbolic.perm().map_or(index, |p| p.arrays().0[index] as usize))
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
