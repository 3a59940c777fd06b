//! Triangle meshes, their topology, and the files they live in.
//!
//! A [`TriMesh`] is an indexed triangle mesh in metres with optional material coordinates.
//! [`Topology`] is everything that follows from its indices alone: edges, adjacency, boundaries,
//! components. [`shape`] makes grids, ribbons, tubes, spheres and boxes; [`io`] reads and writes
//! OBJ, PLY, GLB and PC2.

pub mod io;
pub mod shape;
mod topology;
mod tri_mesh;
mod validate;

pub use topology::{Edge, NONE, Topology};
pub use tri_mesh::TriMesh;
pub use validate::{Fault, Validation};
