//! Sparse Cholesky factors of scalar matrices, by `faer`.
//!
//! One thread, so the bits do not depend on how many there are.

use super::Error;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::linalg::{SupernodalThreshold, SymbolicSupernodalParams};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

/// Neighbouring columns of a factor that is kept lie together if there are at most this many of them and less than this part of
/// their numbers are zeros.
const SUPERNODE_RELAXATION: [(usize, f64); 3] = [(4, 0.3), (16, 0.2), (usize::MAX, 0.05)];

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
        Self::with(matrix, order, CholeskySymbolicParams::default())
    }

    /// The same for a factor that is to be kept: as small as may be, and one whose nodes can be asked for.
    pub(super) fn supernodal(matrix: &Lower) -> Result<Self, Error> {
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            supernodal_params: SymbolicSupernodalParams { relax: Some(&SUPERNODE_RELAXATION) },
            ..CholeskySymbolicParams::default()
        };
        Self::with(matrix, None, params)
    }

    fn with(
        matrix: &Lower,
        order: Option<&[u32]>,
        params: CholeskySymbolicParams<'_>,
    ) -> Result<Self, Error> {
        let n = matrix.len();
        let mut inverse = vec![0; n];
        let ordering = match order {
            None => SymmetricOrdering::Amd,
            Some(order) => {
                order.iter().enumerate().for_each(|(new, old)| inverse[*old as usize] = new as u32);
                SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, n))
            }
        };
        let symbolic = factorize_symbolic_cholesky(matrix.pattern(), Side::Lower, ordering, params)
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

    /// The unknowns in the order of elimination.
    pub(super) fn order(&self) -> Vec<u32> {
        match self.symbolic.perm() {
            Some(perm) => perm.arrays().0.to_vec(),
            None => (0..self.symbolic.nrows() as u32).collect(),
        }
    }

    /// The nodes of [`Self::supernodal`], one after the other: first column, how many, the rows below them, and the columns
    /// of numbers, those in the rows below at the end of each.
    pub(super) fn for_nodes(&self, mut visit: impl FnMut(usize, usize, &[u32], &[f64])) {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(symbolic) => {
                let factor = SupernodalLltRef::new(symbolic, &self.factor);
                let starts = symbolic.col_ptr_for_val();
                for s in 0..symbolic.n_supernodes() {
                    let numbers = &self.factor[starts[s] as usize..starts[s + 1] as usize];
                    let node = factor.supernode(s);
                    visit(node.start(), node.val().ncols(), node.pattern(), numbers);
                }
            }
            // Matrices with nothing to eliminate have none, whatever was asked for.
            SymbolicCholeskyRaw::Simplicial(symbolic) => {
                for (j, ends) in symbolic.col_ptr().windows(2).enumerate() {
                    let all = ends[0] as usize..ends[1] as usize;
                    visit(j, 1, &symbolic.row_idx()[all.clone()][1..], &self.factor[all]);
                }
            }
        }
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
