//! Collision response (R1, R2): what Provot's system does after a step.
//!
//! 1. Detect; every impact changes velocities by the law ([`impact`]); repeat a few times.
//! 2. Detect again; particles of collisions that are left form zones of impact, which move as rigid
//!    bodies ([`zones`]); repeat, zones growing and merging, until nothing collides.
//!
//! Systems that respond otherwise: [`geometric`] correction (R4), and proximity repulsion (R5), which comes before the
//! impacts. Constraints of the solve (R6) are where the solve is.
//!
//! Only pairs with a vertex that changed are looked at again.

mod contact;
mod detect;
pub mod geometric;
mod handle;
pub mod impact;
mod repulse;
pub mod zones;

pub use contact::Contact;
pub(crate) use detect::{Query, Scene};
pub(crate) use handle::{Outcome, Particles, handle};
pub(crate) use repulse::{RepulsionRange, repulse};
pub(crate) use zones::ZoneSet;
