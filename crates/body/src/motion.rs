//! Bodies that move: a rig, clips as functions of time, and the skin that follows.
//!
//! A [`Posture`] turns each bone about its joint, T = T_parent · (turn about the joint), and shifts the pelvis. The
//! [`Rig`] moves the skin with it by linear blending, x' = Σ wᵢ (Rᵢ x + tᵢ), or by dual quaternions, which keep volume at
//! joints. A [`Clip`] gives a posture for any time: built-in clips in joint [`Angles`], or a [`Recording`] read from a
//! [`Bvh`] file. A [`Performance`] begins in the pose in which garments are sewn and passes into the clip.
//!
//! ```
//! use toile_body::motion::{Clip, Performance, Rig, Skinning};
//! use toile_body::{Figure, Mannequin, Pose};
//! use toile_pattern::Size;
//!
//! let body = Mannequin::new(&Figure::Female.measurements(Size::M), Figure::Female, Pose::A)?;
//! let rig = Rig::new(&body);
//! let walk = Performance::new(&rig, Clip::walk(1.2)?, Skinning::DualQuaternion);
//! assert_eq!(walk.positions(0.0), body.mesh.positions); // still in the pose of the fitting
//! let walking = walk.positions(walk.clip_start() + 2.0);
//! assert_eq!(walking.len(), body.mesh.positions.len());
//! # Ok::<(), toile_body::Error>(())
//! ```
//!
//! # What a solver needs of it
//!
//! Within one step of length h each vertex of the skin is taken to move straight, from `positions(t)` to
//! `positions(t + h)`: two arrays, the same triangles. Solvers take bodies as `toile_sim::Body { shape, motion }`, where `motion` is
//! rigid. A deforming body needs a variant of it that owns the two arrays (start and end of the step) and is asked for the next ones before a
//! step. The places that now turn a pose into positions are `sim/src/body.rs` (shape and motion), `sim/src/barrier` (obstacles of
//! the line search, which bounds every direction of bodies), and `sim/src/papers/respond/detect.rs` (positions at both ends for
//! continuous detection). Trees over the body are refitted to the two arrays, not rebuilt. A halved step asks for `positions(t + h/2)`, because the
//! chord of the whole step is not the path of its halves; nothing else depends on the clip.

mod angles;
mod builtin;
mod bvh;
mod joints;
mod performance;
mod recording;
mod rig;
mod rotation;
#[cfg(test)]
mod tests;

pub use angles::{Angles, Arm, Leg};
pub use builtin::{Clip, GAITS, Gait, Key, RUNNING, Stance, Walk};
pub use bvh::{Bvh, Channel, Joint};
pub use joints::{JointMap, MappedBone};
pub use performance::Performance;
pub use recording::{Axis, Recording, Source};
pub use rig::{Posture, Rig, Skinning};
