//! Meshes made by formula.
//!
//! Cloth: [`grid`], [`ribbon`], [`tube`], with material coordinates that are congruent with the
//! mesh, so that it starts without strain, and [`knot`]. Bodies: [`sphere`], [`sphere_circumscribed`],
//! [`cuboid`], [`capsule`], [`ring`], closed and facing outwards, without material coordinates. All are
//! centred at the origin, y is up.

mod flat;
mod knot;
mod round;
mod solid;

pub use flat::{Diagonals, grid, ribbon};
pub use knot::knot;
pub use round::{capsule, ring, sphere, sphere_circumscribed, tube};
pub use solid::cuboid;
