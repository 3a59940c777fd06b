//! Curvature pruning of self-collision (D6).

mod cone;
mod direction;

pub use cone::{Cone, DEFAULT_LIMIT};
pub use direction::{Direction, DirectionSet};
