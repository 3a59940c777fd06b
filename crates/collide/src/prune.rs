//! Curvature pruning of self-collision (D6).

mod cone;
mod fold;

pub use cone::{Cone, DEFAULT_LIMIT};
pub(crate) use fold::Folds;
pub use fold::{Fold, Prune};
