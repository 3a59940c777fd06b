//! Continuous collision detection and culling for deforming triangle meshes. Knows no physics.
//!
//! The question asked here is always the same: vertices move along straight lines from `x_t0` to
//! `x_t1` during a step; which pairs of features come nearer than a separation? A *feature pair* is
//! a vertex and a face (`vf`) or two edges (`ee`).
//!
//! ```
//! use glam::DVec3;
//! use toile_collide::broad::Detector;
//! use toile_collide::ccd::{Ccd, Separation};
//! use toile_collide::{Motion, Surface};
//! use toile_mesh::{Topology, shape};
//!
//! // A strip of cloth is folded over in one step.
//! let mesh = shape::grid(1.0, 0.2, 10, 2, shape::Diagonals::Alternating);
//! let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
//! let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
//! let uv: Vec<_> = (0..mesh.triangles.len()).map(|t| mesh.corners_uv(t)).collect();
//! let mut detector = Detector::for_cloth(surface, &uv, &vec![0; uv.len()]);
//!
//! let middle = DVec3::new(0.0, 0.3, 0.0);
//! let x_t1: Vec<DVec3> = mesh.positions.iter().map(|p| {
//!     if p.x < 0.0 { *p } else { DVec3::new(-p.x, -0.1 * p.x, p.z) + middle * (0.5 - p.x) }
//! }).collect();
//! let motion = Motion { x_t0: &mesh.positions, x_t1: &x_t1 };
//! let gap = 1e-3; // metres
//!
//! // First pairs that may come too near, then those that do.
//! detector.update(motion, gap, None)?;
//! let (candidates, _) = detector.self_candidates(0.0);
//! let surface = &detector.surface;
//! let hits = candidates.vf.iter().filter(|[v, t]| {
//!     let face = surface.triangles[*t as usize].map(|v| motion.ends(v));
//!     Ccd::Separating.vertex_face(motion.ends(*v), face, Separation::gap(gap)).is_some()
//! });
//! assert!(hits.count() > 0);
//! # Ok::<(), toile_collide::NotFinite>(())
//! ```
//!
//! | part | methods |
//! |---|---|
//! | [`ccd`] | D1, D2: Provot's cubic, additive advancement, and separating advancement, which misses nothing |
//! | [`volume`] | D3: boxes and k-DOPs swept over a step |
//! | [`tree`] | D4, D5: hierarchies in texture space, in space, by octants, by merging regions; three ways to refit |
//! | [`prune`] | D6: normal cones, direction sets with contour test and adjacency, cones of deformation gradients |
//! | [`broad`] | candidate pairs of one surface with itself, and of two surfaces |
//! | [`brute`] | the referee: every pair, no culling |
//! | [`proximity`] | D10: all pairs nearer than a thickness |
//! | [`field`] | D7: signed distance fields of bodies, dense and sparse |
//! | [`image`] | D8: depth maps and layered depth images |
//! | [`voxel`] | D9: octree of free, surface and interior cells |
//!
//! Results are sorted and do not depend on the number of threads.

pub mod broad;
pub mod brute;
pub mod ccd;
pub mod distance;
pub mod field;
pub mod image;
mod options;
pub mod proximity;
pub mod prune;
mod simd;
mod surface;
pub mod tree;
pub mod volume;
pub mod voxel;

pub use broad::{Candidates, Counts, NotFinite};
pub use options::{Arity, Options};
pub use surface::{Motion, Surface};
