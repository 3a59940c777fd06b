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
//! | to | see |
//! | --- | --- |
//! | put a scene together | [`Scene`], [`Cloth`], [`Body`], [`Pin`], [`Fabric`], [`Wind`], [`Settings`]; meshes in memory by [`Cloth::from_mesh`] and [`Body::from_mesh`] |
//! | step it and read it | [`Simulation`]: [`positions`](Simulation::positions), [`velocities`](Simulation::velocities), [`contacts`](Simulation::contacts), [`energies`](Simulation::energies) |
//! | change it between steps | [`set_wind`](Simulation::set_wind), [`set_friction`](Simulation::set_friction), [`set_fabric`](Simulation::set_fabric), [`set_settings`](Simulation::set_settings) … |
//! | sew a garment | [`Garment`], [`Wearer`], [`GarmentSimulation`]; [`pattern`], [`body`], [`garment`] |
//! | run a scene as the program does | [`run()`], [`Options`], [`Report`]; garments by [`garment::dress`] |
//! | judge results | [`audit()`], [`check()`] |
//! | draw them | [`Studio`] |
//! | read and write meshes | [`io`], [`convert()`] |
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

#[cfg(doctest)]
#[doc = include_str!("../../../docs/api.md")]
mod book {}

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
    Body, BodyMotion, BodyShape, Cloth, ClothShape, Diagonals, Expect, FabricSource, FigureMotion,
    Jitter, Pin, Pinned, Place, Rotate, Scene, Select, Stack, drape_scene, is_scene, read_text,
    schema, settings_as_toml, suggest,
};
pub use simulation::Simulation;
pub use untangle::Untangled;

pub use garment::{Garment, GarmentSimulation, Wearer};
pub use glam::{DVec2, DVec3};
pub use toile_mesh::{TriMesh, io, shape};
/// Sewing patterns, designs and measurements.
pub use toile_pattern as pattern;
pub use toile_sim::force::Wind;
pub use toile_sim::{
    Contact, Energy, Fabric, Motion, Preset, Settings, State, StepReport, World, clock, motion,
};
