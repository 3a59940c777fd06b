//! Cloth physics: fabrics, elements, integrators and contact responses.
//!
//! A [`Model`] is what does not change during a run (mesh, masses, springs), a [`State`] is what
//! does, [`Settings`] choose the methods, and a [`World`] puts them together and steps.
//!
//! ```
//! use glam::DVec3;
//! use toile_mesh::shape;
//! use toile_sim::body::Shape;
//! use toile_sim::{Body, Cloth, Preset, Surroundings, World};
//!
//! // A square of cotton above a ball.
//! let mesh = shape::grid(0.3, 0.3, 8, 8, shape::Diagonals::Alternating)
//!     .map_positions(|p| p + DVec3::Y * 0.11);
//! let ball = Body::new("ball", Shape::Sphere { centre: DVec3::ZERO, radius: 0.1 });
//! let around = Surroundings { bodies: vec![ball], ..Surroundings::default() };
//! let mut world = World::new(vec![Cloth::new("square", mesh)], around, Preset::Toile.settings())?;
//! for _ in 0..20 {
//!     world.step()?;
//! }
//! assert!(world.state().x.iter().all(|p| p.length() > 0.1));
//! assert!(world.contacts()?.iter().map(|c| c.force).sum::<f64>() > 0.0);
//! # Ok::<(), toile_sim::Error>(())
//! ```
//!
//! One step ([`World::step`]) of the default method finds the minimum of one potential ([`barrier`]). Other methods integrate, limit
//! strain, collide and accept. A step that fails returns an [`Error`] and leaves the state of the last good step.
//!
//! | to | see |
//! | --- | --- |
//! | put a world together | [`World::new`], [`Cloth`], [`Fabric`], [`Surroundings`], [`Body`], [`Pin`], [`Motion`], [`force::Wind`] |
//! | choose methods | [`Preset`], [`Settings`] |
//! | read it | [`World::state`], [`World::contacts`], [`World::energies`], [`StepReport`] |
//! | change it between steps | [`World::set_gravity`], [`World::set_wind`], [`World::set_friction`], [`World::set_fabric`], [`World::set_settings`] |
//! | resume from a saved state | [`State`], [`World::restore`] |
//! | find an equilibrium without time | [`statics::Equilibrium`] of a [`sheet::Sheet`] |
//! | look at one element | [`element`] |
//!
//! Same input, same bits, for any number of threads: sums run in index order and transcendental
//! functions come from `libm`. No file and no clock of the system is touched but by [`clock`], whose source can be replaced.

pub mod barrier;
pub mod body;
mod cause;
pub mod clock;
mod constraint;
mod deformation;
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
pub use deformation::{Deform, Deformation};
pub use error::{Error, StepPhase};
pub use fabric::Fabric;
pub use model::{Cloth, Model, Piece};
pub use motion::{Motion, Pose};
pub use preset::Preset;
pub use report::{Energy, StageSeconds, StepReport, Warning};
pub use settings::{
    Collision, Damping, Implicit, Law, Method, Response, Settings, Springs, Stiffness, Zones,
};
pub use state::{PreviousStep, State};
pub use world::{Surroundings, World};
