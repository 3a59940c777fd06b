//! Collision response (R1, R2): what Provot's system does after a step.
//!
//! 1. Detect; every impact changes velocities by the law ([`impact`]); repeat a few times.
//! 2. Detect again; particles of collisions that are left form zones of impact, which move as rigid
//!    bodies ([`zones`]); repeat, zones growing and merging, until nothing collides.
//!
//! Only pairs with a vertex that changed are looked at again.

mod contact;
mod detect;
mod handle;
pub mod impact;
pub mod zones;

pub use contact::Contact;
pub(crate) use detect::Scene;
pub(crate) use handle::{Outcome, Particles, handle};
