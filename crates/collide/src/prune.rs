//! Curvature pruning of self-collision (D6).

mod cone;
mod cover;
mod direction;
mod gradient;
mod injective;

pub use cone::{Cone, DEFAULT_LIMIT};
pub use cover::Covers;
pub use direction::{Direction, DirectionSet};
pub use gradient::{Gradient, GradientCone, MAX_CONDITION, RestTriangle, SLACK, is_forward, limit};
pub use injective::GradientCones;
