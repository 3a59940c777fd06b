//! The systems of the papers, as their authors meant them: everything but the default solver.
//!
//! | module | what it holds | presets |
//! | --- | --- | --- |
//! | [`integrate`] | explicit and implicit time integration | all but `liu98` |
//! | [`respond`] | impacts, zones of impact, repulsion, vertices moved out of bodies | all but `liu98` |
//! | [`avoid`] | an elastic surface whose coordinates are limited before they collide | `liu98` |
//! | `meshed`, `sampled` | bodies as triangles, distance fields, depth maps and voxels | `aabb-realtime`, by choice |
//! | `strain_limit` | corrections of springs that are too long | `provot97`, `aabb-realtime`, `bridson02` |
//! | `world` | how a world steps by them | |
//!
//! The default solver knows nothing of this module: the crate builds without the feature `papers`, and then refuses every
//! method but `barrier`. The cloth models of the papers are in [`element`](crate::element), since any solver can use them.

pub mod avoid;
pub mod integrate;
mod meshed;
pub mod respond;
mod sampled;
mod strain_limit;
mod world;

pub(crate) use meshed::colliders;
pub(crate) use sampled::Sampled;
pub(crate) use world::PaperSystem;
