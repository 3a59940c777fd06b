//! Signed distance fields of closed bodies (D7).
//!
//! φ(p) is the distance from p to the nearest point of the surface, negative inside. It is computed
//! once on a regular grid and then looked up: a cloth vertex is in the body where φ < 0, and ∇φ says
//! which way out is shortest [fuhrmann2003]. A body whose parts move rigidly has one field for each
//! part in the part's frame [bridson2003].
//!
//! | part | |
//! |---|---|
//! | [`Solid`] | the mesh itself: exact nearest points and winding numbers |
//! | [`DenseField`] | values at all nodes of a grid |
//! | [`SparseField`] | fine blocks near the surface, coarse ones elsewhere |
//! | [`PartFields`] | several fields that move as rigid bodies |
//!
//! Nodes near the surface hold the exact distance to the mesh; nearest triangles spread from there.
//! The sign comes from counting crossings along grid lines, or from winding numbers if
//! the mesh has holes. Between nodes the field is trilinear and its gradient is the exact
//! derivative of that, so it jumps from cell to cell and is a little shorter than 1.
//!
//! Limits: the error between nodes is about h²/4R on a surface of radius R, and up to h/2 at sharp
//! edges and at the medial axis, which are rounded off. Features thinner than a cell are lost.

mod columns;
mod dense;
mod error;
mod grid;
mod parts;
mod solid;
mod sparse;
mod spread;

pub(crate) use columns::{Columns, Crossing, Lines, is_sound};
pub use dense::DenseField;
pub use error::SolidError;
pub use grid::{Sample, Spacing};
pub use parts::{Field, PartFields, PartSample, Pose};
pub use solid::{Nearest, Solid};
pub use sparse::SparseField;
