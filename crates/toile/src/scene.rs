//! The scene: what there is, and how it is to be simulated.
//!
//! The same types are the TOML file and the builder; in code a fabric, settings and meshes are also given as values. Every key
//! has a default where one makes sense, so that a scene is a few lines:
//!
//! ```toml
//! [[cloth]]
//! shape = { type = "grid", width = 1.0, height = 1.0, cells = [50, 50] }
//! place = { at = [0, 0.85, 0] }
//!
//! [[body]]
//! shape = { type = "sphere", at = [0, 0.5, 0], radius = 0.3 }
//! ```

mod body;
mod build;
mod cloth;
mod expect;
mod fabrics;
mod figure;
mod locate;
mod pins;
mod range;
mod read;
pub(crate) mod schema;

pub use body::{Body, BodyShape};
pub use build::settings_as_toml;
pub use cloth::{Cloth, ClothShape, Diagonals, Jitter, Stack};
pub use expect::Expect;
pub use fabrics::FabricSource;
pub use figure::{BodyMotion, FigureMotion};
pub use pins::{Pin, Pinned, Select};
pub use read::{drape_scene, is_scene, read_text};
pub use schema::schema;

pub(crate) use locate::Source;
pub use locate::suggest;
pub(crate) use read::{from_value, merge};

use crate::picture::Camera;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use toile_sim::force::Wind;
use toile_sim::{Preset, Settings};

/// Everything there is, and how to simulate it.
///
/// ```
/// use toile::{Body, Cloth, DVec3, Scene};
///
/// let sim = Scene::new()
///     .with_cloth(Cloth::rectangle(0.4, 0.4, 0.04).at(0.0, 0.3, 0.0))
///     .with_body(Body::sphere(DVec3::ZERO, 0.2))
///     .build()?;
/// assert_eq!(sim.positions().len(), 11 * 11);
/// # Ok::<(), toile::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// What it is called.
    pub name: String,
    /// What it shows, and where it comes from.
    pub description: String,
    /// Bundle of methods.
    pub preset: Preset,
    /// Time to simulate [s].
    pub duration: f64,
    /// Frames kept and audited per simulated second.
    pub fps: f64,
    /// Levels of fineness: with more than one, grids begin in cells of 2, 4, 8 … times the length, and the scene's own take the
    /// last part of the duration. Quick where only the end counts.
    pub levels: u32,
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// Pieces of cloth.
    #[serde(rename = "cloth")]
    pub cloths: Vec<Cloth>,
    /// What cloth collides with.
    #[serde(rename = "body")]
    pub bodies: Vec<Body>,
    /// Moving air.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<Wind>,
    /// Settings that differ from those of the preset, nested as [`toile_sim::Settings`]. In code, [`Scene::with_settings`] is the
    /// typed way.
    pub solver: toml::Table,
    /// Settings instead of those of the preset.
    #[serde(skip)]
    pub(crate) base_settings: Option<Box<Settings>>,
    /// Where the picture is taken from.
    pub camera: Camera,
    /// What must hold after a run.
    pub expect: Expect,
    /// Folder that file names are relative to.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
    /// Where it was read from, for error messages.
    #[serde(skip)]
    pub(crate) source: Source,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: "scene".into(),
            description: String::new(),
            preset: Preset::default(),
            duration: 2.0,
            fps: 30.0,
            levels: 1,
            gravity: DVec3::Y * -9.81,
            cloths: Vec::new(),
            bodies: Vec::new(),
            wind: None,
            solver: toml::Table::new(),
            base_settings: None,
            camera: Camera::default(),
            expect: Expect::default(),
            folder: PathBuf::new(),
            source: Source::default(),
        }
    }
}

/// Where something begins: turned first, then moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Place {
    /// The turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotate>,
    /// Where its origin goes [m].
    pub at: DVec3,
}

/// A turn about an axis through the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// The axis.
    pub axis: DVec3,
    /// The angle [degrees].
    pub degrees: f64,
}

impl Scene {
    /// An empty scene.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds cloth.
    #[must_use]
    pub fn with_cloth(mut self, cloth: Cloth) -> Self {
        self.cloths.push(cloth);
        self
    }

    /// Adds a body.
    #[must_use]
    pub fn with_body(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds a floor at a height [m].
    #[must_use]
    pub fn with_floor(self, height: f64) -> Self {
        self.with_body(Body::new(
            "floor",
            BodyShape::Plane { at: DVec3::Y * height, normal: DVec3::Y },
        ))
    }

    /// Lets air move.
    #[must_use]
    pub fn with_wind(mut self, wind: Wind) -> Self {
        self.wind = Some(wind);
        self
    }

    /// Chooses a bundle of methods.
    #[must_use]
    pub fn with_preset(mut self, preset: Preset) -> Self {
        self.preset = preset;
        self.base_settings = None;
        self
    }

    /// Takes these settings instead of those of a preset.
    ///
    /// ```
    /// use toile::{Cloth, Preset, Scene, Settings};
    ///
    /// let settings = Settings { step: 0.005, ..Preset::Toile.settings() };
    /// let sim = Scene::new()
    ///     .with_cloth(Cloth::rectangle(0.2, 0.2, 0.05))
    ///     .with_settings(settings)
    ///     .build()?;
    /// assert_eq!(sim.world().settings().step, 0.005);
    /// # Ok::<(), toile::Error>(())
    /// ```
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.base_settings = Some(Box::new(settings));
        self
    }

    /// Sets the acceleration of free fall [m/s²].
    #[must_use]
    pub fn with_gravity(mut self, gravity: DVec3) -> Self {
        self.gravity = gravity;
        self
    }
}
