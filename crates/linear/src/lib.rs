//! Linear algebra of implicit cloth (N10): sparse symmetric systems of 3×3 blocks.
//!
//! Symbolic once, numeric every step: an [`Assembly`] knows from the stencils of the elements which
//! blocks exist and which contributions each of them sums; a [`BlockCsr`] holds the numbers.
//! Systems are solved by conjugate gradients ([`cg`]) with a [`Preconditioner`] and, for pins and
//! contacts, a [`Filter`] [baraff1998]; by sparse Cholesky ([`Cholesky`]); or, one coordinate at a
//! time between bounds, by constrained Gauss–Seidel ([`gauss_seidel`]) [liu1998].
//!
//! Everything gives the same bits for any number of threads: rows are independent, sums run in the
//! order of a tree that depends on the size alone. Memory is taken when a solver is made, not while
//! it solves.
//!
//! Limits: [`Cholesky`] and the coarse level of the Schwarz preconditioner use vector instructions
//! chosen for the processor at hand, so their last bits differ between kinds of processors.

mod assembly;
mod block_csr;
pub mod cg;
mod compact;
mod dense;
mod direct;
mod factor;
mod filter;
pub mod gauss_seidel;
mod incomplete;
pub mod mixed;
mod ordering;
mod pattern;
mod preconditioner;
mod scalar;
mod scatter;
mod schwarz;
pub mod single;
pub mod vector;

pub use assembly::{Assembly, Builder};
pub use block_csr::BlockCsr;
pub use direct::Cholesky;
pub use filter::{Constraint, Filter};
pub use gauss_seidel::{Csr, GaussSeidel};
pub use ordering::Ordering;
pub use pattern::Pattern;
pub use preconditioner::{Precondition, Preconditioner};
pub use scalar::Scalar;
pub use scatter::{Block, ScatterMap};

/// What can be wrong with a linear system.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A stencil names a vertex that does not exist.
    #[error("element {element} names vertex {vertex}, but there are only {vertices}")]
    VertexOutOfRange {
        /// The element, within its group.
        element: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A stencil names a vertex twice.
    #[error("element {element} names vertex {vertex} twice")]
    RepeatedVertex {
        /// The element, within its group.
        element: usize,
        /// The vertex.
        vertex: u32,
    },
    /// Sizes or patterns that should agree do not.
    #[error("sizes differ: expected {expected}, got {got}")]
    SizeMismatch {
        /// What was expected.
        expected: usize,
        /// What was given.
        got: usize,
    },
    /// A factorisation met a pivot that is not positive.
    #[error("the matrix is not positive definite at vertex {vertex}, coordinate {coordinate}")]
    NotPositiveDefinite {
        /// The vertex of the pivot.
        vertex: u32,
        /// Its coordinate, 0 to 2.
        coordinate: u32,
    },
    /// The matrix has an entry that is not a number.
    #[error("row {row} of the matrix is not finite")]
    NotFinite {
        /// The first such row.
        row: u32,
    },
    /// Gauss–Seidel divides by the diagonal.
    #[error("the diagonal of row {row} is {value}, not positive")]
    BadDiagonal {
        /// The row.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// An interval whose lower end lies above its upper end.
    #[error("the interval of unknown {index} is empty: {lower} > {upper}")]
    EmptyInterval {
        /// The unknown.
        index: usize,
        /// Lower end.
        lower: f64,
        /// Upper end.
        upper: f64,
    },
    /// The factor would not fit in memory or in its index type.
    #[error("the factor is too large")]
    TooLarge,
}

#[cfg(test)]
mod tests;
