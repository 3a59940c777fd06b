//! Exact audit of cloth: self-intersections, penetrated bodies, strain.
//!
//! The audit judges results and therefore shares no code with the collision detection that
//! produced them: it has its own tree, and its decisions are signs of exactly evaluated
//! determinants. [`self_intersections`] has no tolerance and no false answers; so has
//! [`body_penetrations`] for bodies that are meshes. [`max_edge_strain`] is plain arithmetic.
//!
//! Papers, cited by key in the modules:
//! - shewchuk1997: adaptive precision floating-point arithmetic and robust geometric predicates.
//! - edelsbrunner1990: simulation of simplicity, a technique to cope with degenerate cases.
//! - morton1966: a computer oriented geodetic data base and a new technique in file sequencing.

mod distance;
mod error;
mod inside;
mod intersections;
mod pair;
mod predicates;
mod simplex;
mod solid;
mod strain;
mod tree;

pub use error::Error;
pub use intersections::{
    Count, count_self_intersections, self_intersections, self_intersections_brute_force,
};
pub use predicates::{LARGEST_COORDINATE, SMALLEST_COORDINATE};
pub use solid::{Penetrations, body_penetrations, body_penetrations_deeper_than, is_open};
pub use strain::{EdgeStrain, edge_lengths, max_edge_strain};
pub use toile_mesh::Shape;
