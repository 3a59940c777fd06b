//! Closed forms and conservation laws: what a right simulation must reproduce.
//!
//! Tolerances follow from the order of the integrator and the size of the step, or from the
//! arithmetic; none is "looks about right".

mod barrier;
#[cfg(feature = "papers")]
mod body;
#[cfg(feature = "papers")]
mod contact;
mod deforming;
#[cfg(feature = "papers")]
mod determinism;
#[cfg(feature = "papers")]
mod extreme;
#[cfg(feature = "papers")]
mod free_motion;
#[cfg(feature = "papers")]
mod hanging;
#[cfg(feature = "papers")]
mod implicit;
mod memory;
#[cfg(feature = "papers")]
mod orders;
mod resolution;
mod rules;
mod scene;
mod statics;
#[cfg(feature = "papers")]
mod zone;
