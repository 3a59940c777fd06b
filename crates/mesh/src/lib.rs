//! Triangle meshes, their topology, and the files they live in.
//!
//! A [`TriMesh`] is an indexed triangle mesh in metres with optional material coordinates.
//! [`Topology`] is everything that follows from its indices alone: edges, adjacency, boundaries,
//! components. [`TriMesh::validate`] lists the faults of a mesh. [`shape`] makes grids, ribbons,
//! tubes, spheres, boxes and capsules; [`io`] reads and writes OBJ, PLY, GLB and PC2.
//!
//! ```
//! use toile_mesh::{io, shape};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("cloth.obj");
//! // A square metre of cloth in 10 × 10 cells, written and read back bit for bit.
//! let cloth = shape::grid(1.0, 1.0, 10, 10, shape::Diagonals::Alternating);
//! io::write_mesh(&path, &cloth)?;
//! assert_eq!(io::read_mesh(&path)?, cloth);
//!
//! // What is wrong with a file, where, and what to do about it.
//! let error = io::obj::read(b"v 0 0 0\nf 1 2 3\n", "bad.obj").unwrap_err();
//! assert!(error.to_string().starts_with("bad.obj:2: "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Units are metres and y is up, in memory and in every file.

mod body_shape;
mod clean;
pub mod io;
mod rest;
pub mod shape;
mod topology;
mod tri_mesh;
mod validate;
mod weld;

pub use body_shape::Shape;
pub use clean::Cleaning;
pub use rest::UvScale;
pub use topology::{Edge, Fans, NONE, Topology};
pub use tri_mesh::TriMesh;
pub use validate::{FLAT, Fault, InvalidMesh, Validation};
pub use weld::Welding;
