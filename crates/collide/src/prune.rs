//! Curvature pruning of self-collision (D6): which regions are surely free of self-intersection.
//!
//! | part | says of a region |
//! |---|---|
//! | [`Cone`], D6a | its normals are in a cone, so it has no fold |
//! | [`DirectionSet`], D6b | the same, for sample directions |
//! | [`outline_is_simple`], D6c | seen along such a direction, its outline does not cross itself: with D6b, a proof |
//! | [`Adjacency`], D6d | whether it shares a vertex with another |
//! | [`GradientCones`] | its deformation gradients are near an isometry: a proof, outline included |

mod adjacency;
mod cone;
mod contour;
mod cover;
mod curvature;
mod direction;
pub(crate) mod fan;
mod gradient;
mod group;
mod halo;
mod injective;
mod outline;
mod parts;

pub use adjacency::Adjacency;
pub use cone::{Cone, DEFAULT_LIMIT};
pub use contour::{boundary_loop, is_simple, outline_is_simple};
pub use cover::Covers;
pub(crate) use curvature::CurvatureBounds;
pub use curvature::{CurvatureBound, Prune};
pub use direction::{Direction, DirectionSet};
pub use gradient::{
    ANGLE_ROUNDING, Gradient, GradientCone, MAX_CONDITION, RestTriangle, is_forward, limit,
};
pub use injective::GradientCones;
