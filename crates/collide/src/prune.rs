//! Curvature pruning of self-collision (D6).

mod cone;

pub use cone::{Cone, DEFAULT_LIMIT};
