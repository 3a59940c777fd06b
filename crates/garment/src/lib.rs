//! Garments: panels arranged around a body, sewn together and draped.
//!
//! [`arrange()`] bends the panels of a pattern onto simple volumes around the parts of a body (G3), without stretching
//! them and without touching it; [`Fitting`] draws the seams together and lets the garment come to rest (G4),
//! by the default solver, so that nothing passes through anything on the way; [`Tailor`] does both, with large triangles first. [`fit`] says how it fits (G6).

mod arrange;
mod error;
mod fabrics;
pub mod fit;
mod fitting;
mod iron;
mod shell;
mod tailor;
mod weld;

pub use arrange::{Arrangement, arrange};
pub use error::Error;
pub use fabrics::Fabrics;
pub use fitting::{Fitting, Grip, PanelRange, STEP, SavedFitting, Stage};
pub use tailor::{SavedTailor, Tailor};
