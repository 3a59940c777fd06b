//! The scene: what there is, and how it is to be simulated.
//!
//! The same types are the TOML file and the builder. Every key has a default where one makes sense,
//! so that a scene is a few lines:
//!
//! ```toml
//! [[cloth]]
//! shape = { type = "grid", width = 1.0, height = 1.0, cells = [50, 50] }
//! place = { at = [0, 0.85, 0] }
//!
//! [[body]]
//! shape = { type = "sphere", at = [0, 0.5, 0], radius = 0.3 }
//! ```

mod build;
mod expect;
mod fabrics;
mod locate;
mod pins;
mod range;
mod read;
pub(crate) mod schema;

pub use build::settings_as_toml;
pub use expect::Expect;
pub use pins::{Pin, Select};
pub use read::{drape_scene, is_scene, read_text};
pub use schema::schema;

pub(crate) use locate::Source;
pub use locate::suggest;
pub(crate) use read::{from_value, merge};

use crate::input::RestShape;
use crate::picture::Camera;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use toile_sim::force::Wind;
use toile_sim::{Motion, Preset};

/// Everything there is, and how to simulate it.
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
    /// Settings that differ from those of the preset, nested as [`toile_sim::Settings`].
    pub solver: toml::Table,
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
            camera: Camera::default(),
            expect: Expect::default(),
            folder: PathBuf::new(),
            source: Source::default(),
        }
    }
}

/// One or more sheets of cloth.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// What it is called.
    #[serde(default = "cloth_name")]
    pub name: String,
    /// Its shape at rest.
    pub shape: ClothShape,
    /// The name of a fabric, or a table of values that differ from `base` (cotton if not given).
    #[serde(default = "cotton")]
    pub fabric: toml::Value,
    /// Where it begins.
    #[serde(default)]
    pub place: Place,
    /// Several sheets instead of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<Stack>,
    /// Small random displacements that break the symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// What holds it.
    #[serde(default)]
    pub pins: Vec<Pin>,
}

fn cloth_name() -> String {
    "cloth".into()
}

fn cotton() -> toml::Value {
    toml::Value::String("cotton".into())
}

/// Shape of a cloth at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClothShape {
    /// A rectangle in the plane y = 0, facing up; its width runs along x, its height along −z.
    Grid {
        /// Size along the weft [m].
        width: f64,
        /// Size along the warp [m].
        height: f64,
        /// Cells along width and height.
        #[serde(default = "fifty_cells")]
        cells: [u64; 2],
        /// Which way the diagonals of the cells run.
        #[serde(default)]
        diagonals: Diagonals,
    },
    /// A ribbon in a loose overhand knot around y = 0, its ends along ±x.
    Knot {
        /// Size along the weft [m].
        width: f64,
        /// Size along the warp [m].
        length: f64,
        /// Cells along width and length.
        cells: [u64; 2],
    },
    /// A mesh from a file (OBJ, PLY, GLB), with its material coordinates if it has any.
    Mesh {
        /// The file, relative to the scene.
        file: PathBuf,
        /// Where its rest shape comes from; if not given, from its material coordinates (uv) if
        /// lengths in them fit those of the mesh, else from the mesh.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rest: Option<RestShape>,
    },
}

impl ClothShape {
    /// Cells each way of what has the topology of a grid.
    pub fn cells(&self) -> Option<[u64; 2]> {
        match self {
            Self::Grid { cells, .. } | Self::Knot { cells, .. } => Some(*cells),
            Self::Mesh { .. } => None,
        }
    }

    /// Which way the diagonals of its cells run.
    pub(crate) fn diagonals(&self) -> Diagonals {
        match self {
            Self::Grid { diagonals, .. } => *diagonals,
            Self::Knot { .. } | Self::Mesh { .. } => Diagonals::Alternating,
        }
    }
}

fn fifty_cells() -> [u64; 2] {
    [50, 50]
}

/// Which way the diagonals of a grid run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Diagonals {
    /// In turn, like a chessboard.
    #[default]
    Alternating,
    /// All the same way.
    Same,
}

impl From<Diagonals> for toile_mesh::shape::Diagonals {
    fn from(diagonals: Diagonals) -> Self {
        match diagonals {
            Diagonals::Alternating => Self::Alternating,
            Diagonals::Same => Self::Same,
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

/// Several sheets, each moved against the one before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// How many.
    pub count: u32,
    /// From one to the next [m].
    pub offset: DVec3,
    /// Turn about y from one to the next [degrees].
    #[serde(default)]
    pub turn: f64,
}

/// Random displacements, those of `numpy.random.default_rng(seed).uniform(-a, a, vertices)`; the
/// k-th further sheet of a stack has the seed `seed + k`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jitter {
    /// Largest displacement a [m].
    pub amplitude: f64,
    /// Seed.
    #[serde(default = "one")]
    pub seed: u32,
    /// Direction, in the world.
    #[serde(default = "up")]
    pub axis: DVec3,
}

fn one() -> u32 {
    1
}

fn up() -> DVec3 {
    DVec3::Y
}

/// Something cloth collides with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// What it is called.
    #[serde(default = "body_name")]
    pub name: String,
    /// Its shape at time zero.
    pub shape: BodyShape,
    /// How it moves.
    #[serde(default)]
    pub motion: Motion,
    /// Its friction with cloth; the fabric's if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

fn body_name() -> String {
    "body".into()
}

/// Shape of a body at time zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum BodyShape {
    /// A ball.
    Sphere {
        /// Its centre [m].
        #[serde(default)]
        at: DVec3,
        /// Its radius [m].
        radius: f64,
    },
    /// A rod with round ends.
    Capsule {
        /// Centre of one end [m].
        a: DVec3,
        /// Centre of the other end [m].
        b: DVec3,
        /// Its radius [m].
        radius: f64,
    },
    /// A box.
    Box {
        /// Its centre [m].
        #[serde(default)]
        at: DVec3,
        /// Its edge lengths [m].
        size: DVec3,
        /// Its turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotate: Option<Rotate>,
    },
    /// A round rod bent to a circle, around the y axis before it is turned.
    Ring {
        /// Its centre [m].
        #[serde(default)]
        at: DVec3,
        /// Radius of the circle through the middle of the rod [m].
        radius: f64,
        /// Radius of the rod [m].
        rod: f64,
        /// Its turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotate: Option<Rotate>,
    },
    /// Everything below a plane.
    Plane {
        /// A point of it [m].
        #[serde(default)]
        at: DVec3,
        /// The free side.
        #[serde(default = "up")]
        normal: DVec3,
    },
    /// A mesh from a file (OBJ, PLY, GLB).
    Mesh {
        /// The file, relative to the scene.
        file: PathBuf,
        /// Where it stands.
        #[serde(default)]
        place: Place,
    },
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
        self
    }
}

impl Cloth {
    /// A rectangle with cells of about `spacing` [m].
    pub fn rectangle(width: f64, height: f64, spacing: f64) -> Self {
        // Nonsense becomes a count that is refused by name when the scene is built.
        let cells = [width, height].map(|size| (size / spacing).round().max(1.0) as u64);
        Self::from_shape(ClothShape::Grid { width, height, cells, diagonals: Diagonals::default() })
    }

    /// A cloth of any shape.
    pub fn from_shape(shape: ClothShape) -> Self {
        Self {
            name: cloth_name(),
            shape,
            fabric: cotton(),
            place: Place::default(),
            stack: None,
            jitter: None,
            pins: Vec::new(),
        }
    }

    /// Gives it a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Moves it to a place [m].
    #[must_use]
    pub fn at(mut self, x: f64, y: f64, z: f64) -> Self {
        self.place.at = DVec3::new(x, y, z);
        self
    }

    /// Turns it about an axis before it is moved.
    #[must_use]
    pub fn rotated(mut self, axis: DVec3, degrees: f64) -> Self {
        self.place.rotate = Some(Rotate { axis, degrees });
        self
    }

    /// Makes it of a fabric known by name.
    #[must_use]
    pub fn of(mut self, fabric: &str) -> Self {
        self.fabric = toml::Value::String(fabric.into());
        self
    }

    /// Holds an edge: 0 left, 1 bottom, 2 right, 3 top.
    #[must_use]
    pub fn pin_edge(self, edge: usize) -> Self {
        let edges = [Select::Left, Select::Bottom, Select::Right, Select::Top];
        self.pin(Pin::of(edges[edge % 4]))
    }

    /// Holds a part of it.
    #[must_use]
    pub fn pin(mut self, pin: Pin) -> Self {
        self.pins.push(pin);
        self
    }

    /// Breaks its symmetry by random displacements up to `amplitude` [m] along y.
    #[must_use]
    pub fn jittered(mut self, amplitude: f64, seed: u32) -> Self {
        self.jitter = Some(Jitter { amplitude, seed, axis: DVec3::Y });
        self
    }
}

impl Body {
    /// A body at rest.
    pub fn new(name: impl Into<String>, shape: BodyShape) -> Self {
        Self { name: name.into(), shape, motion: Motion::Still, friction: None }
    }

    /// A ball.
    pub fn sphere(centre: DVec3, radius: f64) -> Self {
        Self::new("ball", BodyShape::Sphere { at: centre, radius })
    }

    /// Lets it move.
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }
}
