//! Closed forms and conservation laws: what a right simulation must reproduce.
//!
//! Tolerances follow from the order of the integrator and the size of the step, or from the
//! arithmetic; none is "looks about right".

mod barrier;
mod body;
mod contact;
mod determinism;
mod extreme;
mod free_motion;
mod hanging;
mod implicit;
mod memory;
mod orders;
mod resolution;
mod rules;
mod scene;
mod statics;
mod zone;
