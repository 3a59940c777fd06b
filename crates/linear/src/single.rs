//! Single precision: the matrix of a Newton iteration and the solver for its directions.
//!
//! A direction need not be exact, only downhill; what is left over is seen by the next iteration, whose
//! gradient is in double precision. Single precision halves what is moved through memory and doubles
//! what an instruction does. Bodies of loops run over four lanes (`glam::Vec3A`, `Mat3A`) on any machine of
//! 64 bits.
//!
//! - [`Matrix`]: symmetric 3×3 blocks in compressed rows, both halves stored.
//! - [`ContactBlock`]: what couples a few vertices by one 3×3 matrix; applied, not stored.
//! - [`TwoLevel`]: additive Schwarz of small aggregates with a coarse level; [`Jacobi`]: blocks on the diagonal.
//! - [`solve`]: conjugate gradients over all of them.

mod cg;
mod cholesky;
mod coarse;
mod contact_block;
mod groups;
mod jacobi;
mod matrix;
mod two_level;

pub use cg::{Goal, Inverse, Vectors, solve};
pub use contact_block::ContactBlock;
pub use jacobi::Jacobi;
pub use matrix::{Blocks, Matrix};
pub use two_level::TwoLevel;

#[cfg(test)]
mod tests;
