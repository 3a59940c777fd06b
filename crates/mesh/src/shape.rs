//! Meshes made by formula.
//!
//! Cloth: [`grid`], [`ribbon`], [`tube`], with material coordinates that are congruent with the
//! mesh, so that it starts without strain. Bodies: [`sphere`], [`sphere_circumscribed`],
//! [`cuboid`], [`capsule`], closed and facing outwards, without material coordinates. All are
//! centred at the origin, y is up.

mod flat;
mod round;
mod solid;

pub use flat::{Diagonals, grid, ribbon};
pub use round::{capsule, sphere, sphere_circumscribed, tube};
pub use solid::cuboid;
