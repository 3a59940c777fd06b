//! Cloth physics: fabrics, elements, integrators and contact responses.
//!
//! A [`Model`] is what does not change during a run (mesh, masses, springs), a [`State`] is what
//! does, [`Settings`] choose the methods, and a [`World`] puts them together and steps.
//!
//! One step ([`World::step`]): forces → integrate → limit strain → collide → accept. A step that
//! fails returns an [`Error`] and leaves the state of the last good step.
//!
//! Same input, same bits, for any number of threads: sums run in index order and transcendental
//! functions come from `libm`.

pub mod barrier;
pub mod body;
pub mod cause;
pub mod clock;
pub mod constraint;
pub mod element;
mod error;
pub mod fabric;
pub mod force;
pub use toile_linear as linear;
mod model;
pub mod motion;
#[cfg(feature = "papers")]
pub mod papers;
mod preset;
mod report;
mod scale;
pub mod settings;
pub mod sheet;
mod state;
pub mod statics;
mod world;

pub use barrier::Contact;
pub use body::{Body, BodyQuery};
pub use cause::Cause;
pub use constraint::Pin;
pub use error::{Error, Stage};
pub use fabric::Fabric;
pub use model::{Cloth, Model, Piece};
pub use motion::{Motion, Pose};
pub use preset::Preset;
pub use report::{Energy, StageSeconds, StepReport, Warning};
pub use settings::{
    Collision, Damping, Implicit, Law, Method, Response, Settings, Springs, Stiffness, Zones,
};
pub use state::{Before, State};
pub use world::{Surroundings, World};
