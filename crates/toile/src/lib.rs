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
pub mod body;
mod check;
mod clip;
mod convert;
mod error;
mod export;
pub mod fabric;
pub mod garment;
pub mod html;
mod input;
mod jitter;
mod levels;
pub mod look;
pub mod output;
mod picture;
mod run;
mod scene;
mod simulation;
mod untangle;
mod usda;

pub use audit::{Audit, audit};
pub use check::{Check, CheckedFile, MAX_PAIRS, check};
pub use convert::{Converted, convert};
pub use error::{Error, SceneError};
pub use export::Coordinates;
pub use input::{BodyInput, ClothInput, RestShape};
pub use jitter::Generator;
pub use picture::{Camera, Studio};
pub use run::{
    Auditing, Effort, Format, GarmentReport, Momentum, Options, Outcome, Progress, REPORT_VERSION,
    Report, Stage, Stages, StopFlag, Verdict, cpu_seconds, run, saved_state,
};
pub use scene::{
    Body, BodyShape, Cloth, ClothShape, Diagonals, Expect, Jitter, Pin, Place, Rotate, Scene,
    Select, Stack, drape_scene, is_scene, read_text, schema, settings_as_toml, suggest,
};
pub use simulation::Simulation;
pub use untangle::Untangled;

pub use glam::DVec3;
pub use toile_sim::force::Wind;
pub use toile_sim::{Fabric, Motion, Preset, Settings, State};
