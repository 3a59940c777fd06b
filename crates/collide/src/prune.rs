//! Curvature pruning of self-collision (D6).

mod adjacency;
mod cone;
mod contour;
mod cover;
mod direction;
mod gradient;
mod injective;

pub use adjacency::Adjacency;
pub use cone::{Cone, DEFAULT_LIMIT};
pub use contour::{boundary_loop, is_simple, outline_is_simple};
pub use cover::Covers;
pub use direction::{Direction, DirectionSet};
pub use gradient::{Gradient, GradientCone, MAX_CONDITION, RestTriangle, SLACK, is_forward, limit};
pub use injective::GradientCones;
