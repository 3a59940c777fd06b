//! Preconditioners of conjugate gradients.

use super::incomplete::Incomplete;
use super::schwarz::Schwarz;
use super::{BlockCsr, Cholesky, Error, Ordering, Pattern, dense};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which preconditioner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Precondition {
    /// None.
    None,
    /// The inverse of the 3×3 blocks on the diagonal [baraff1998].
    #[default]
    BlockJacobi,
    /// Incomplete Cholesky on the pattern of the matrix, IC(0), by blocks.
    IncompleteCholesky,
    /// Sparse Cholesky: for operators that are near a matrix but not stored as one.
    Direct,
    /// Dense Cholesky of aggregates of neighbouring vertices, added up.
    Schwarz {
        /// Vertices of an aggregate, 1 to 16.
        #[serde(default = "sixteen")]
        aggregate: u32,
        /// Whether translations of whole aggregates are solved for together (second level).
        #[serde(default)]
        coarse: bool,
    },
}

fn sixteen() -> u32 {
    16
}

/// A preconditioner with its memory.
#[derive(Debug)]
pub struct Preconditioner {
    pattern: Arc<Pattern>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    None,
    BlockJacobi(Vec<DMat3>),
    Incomplete(Incomplete),
    Direct(Box<Cholesky>),
    Schwarz(Box<Schwarz>),
}

impl Preconditioner {
    /// Symbolic part; the numbers come with [`Self::update`].
    pub fn new(choice: Precondition, pattern: &Arc<Pattern>) -> Result<Self, Error> {
        let kind = match choice {
            Precondition::None => Kind::None,
            Precondition::BlockJacobi => Kind::BlockJacobi(vec![DMat3::IDENTITY; pattern.rows()]),
            Precondition::IncompleteCholesky => Kind::Incomplete(Incomplete::new(pattern)),
            Precondition::Direct => Kind::Direct(Box::new(Cholesky::new(pattern, Ordering::Amd)?)),
            Precondition::Schwarz { aggregate, coarse } => {
                Kind::Schwarz(Box::new(Schwarz::new(pattern, aggregate as usize, coarse)?))
            }
        };
        Ok(Self { pattern: Arc::clone(pattern), kind })
    }

    /// Takes over the numbers of a matrix. It stays positive definite whatever the matrix is: blocks
    /// that are not are shifted or replaced, at the price of more iterations; only the direct one
    /// refuses a matrix that is not.
    pub fn update(&mut self, a: &BlockCsr) -> Result<(), Error> {
        a.check(&self.pattern)?;
        match &mut self.kind {
            Kind::None => {}
            Kind::BlockJacobi(inverse) => {
                for (i, inverse) in inverse.iter_mut().enumerate() {
                    *inverse = inverse_or_scale(a.diagonal(i));
                }
            }
            Kind::Incomplete(incomplete) => incomplete.update(a),
            Kind::Direct(cholesky) => cholesky.factor(a)?,
            Kind::Schwarz(schwarz) => schwarz.update(a)?,
        }
        Ok(())
    }

    /// z ← M⁻¹ r.
    pub fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        match &mut self.kind {
            Kind::None => z.copy_from_slice(r),
            Kind::BlockJacobi(inverse) => {
                for i in 0..r.len() {
                    z[i] = inverse[i] * r[i];
                }
            }
            Kind::Incomplete(incomplete) => incomplete.apply(r, z),
            Kind::Direct(cholesky) => cholesky.solve(r, z),
            Kind::Schwarz(schwarz) => schwarz.apply(r, z),
        }
    }

    /// Relative shift of the diagonal that incomplete Cholesky needed, and 0 otherwise.
    pub fn shift(&self) -> f64 {
        match &self.kind {
            Kind::Incomplete(incomplete) => incomplete.shift(),
            _ => 0.0,
        }
    }
}

/// The inverse of a positive definite block; of another, of its positive diagonal entries, or 1.
pub(super) fn inverse_or_scale(block: DMat3) -> DMat3 {
    if let Some(g) = dense::inverse_factor3(block) {
        return g.transpose() * g;
    }
    let positive = |d: f64| if d > 0.0 && d.is_finite() { 1.0 / d } else { 1.0 };
    DMat3::from_diagonal(DVec3::new(
        positive(block.x_axis.x),
        positive(block.y_axis.y),
        positive(block.z_axis.z),
    ))
}
