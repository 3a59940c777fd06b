//! Cloth simulation from a scene to an audited result.
//!
//! A [`Scene`] says what there is: cloths, bodies, wind, and with which methods to simulate. It is
//! read from a TOML file or put together in code. [`Scene::build`] makes a [`Simulation`] of it.
//!
//! ```
//! use toile::{Cloth, Scene};
//!
//! let mut sim = Scene::new()
//!     .with_cloth(Cloth::rectangle(1.0, 1.0, 0.05).pin_edge(0))
//!     .build()?;
//! sim.run(0.5)?; // seconds
//! assert!(sim.state().lowest() > -1.1); // hangs, does not fall
//! assert!(sim.state().lowest() < -0.4);
//! # Ok::<(), toile::Error>(())
//! ```
//!
//! [`run()`] is the whole pipeline of the program: it steps, writes frames, audits every one of
//! them with exact predicates, can be stopped and resumed bit for bit, and leaves `report.json`,
//! `final.obj`, `final.glb` and `final.png`.
//!
//! Units are SI, y is up.

mod audit;
pub mod bench;
pub mod body;
pub mod ccd;
mod check;
pub mod compare;
mod convert;
mod error;
pub mod fabric;
pub mod garment;
mod html;
mod jitter;
pub mod lab;
mod label;
mod levels;
pub mod paper;
mod picture;
pub mod plot;
mod run;
mod scene;
mod simulation;
mod untangle;
mod usda;

pub use audit::{Audit, audit};
pub use check::{Check, CheckedFile, check};
pub use convert::convert;
pub use error::{Error, SceneError};
pub use jitter::Generator;
pub use picture::{Camera, Studio};
pub use run::{
    Auditing, Checkpoint, Effort, Format, Momentum, Options, Outcome, Progress, REPORT_VERSION,
    Report, Stages, StopFlag, Verdict, cpu_seconds, run,
};
pub use scene::{
    Body, BodyShape, Cloth, ClothShape, Diagonals, Expect, Jitter, Pin, Place, Rotate, Scene,
    Select, Stack, drape_scene, is_scene, schema, settings_as_toml,
};
pub use simulation::Simulation;
pub use untangle::Untangled;

pub use glam::DVec3;
pub use toile_sim::force::Wind;
pub use toile_sim::{Fabric, Motion, Preset, Settings, State};
