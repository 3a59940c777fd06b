//! Continuous collision detection and culling for deforming triangle meshes. Knows no physics.
//!
//! The question asked here is always the same: vertices move along straight lines from `x_t0` to
//! `x_t1` during a step; which pairs of features come nearer than a separation? A *feature pair* is
//! a vertex and a face (`vf`) or two edges (`ee`).
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
mod surface;
pub mod tree;
pub mod volume;
pub mod voxel;
mod wide;

pub use broad::{Candidates, Counts, NotFinite};
pub use options::{Arity, Options};
pub use surface::{Motion, Surface};
