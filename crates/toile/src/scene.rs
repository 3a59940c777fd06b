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
pub use fabrics::FabricSource;
pub use pins::{Pin, Pinned, Select};
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
use toile_mesh::TriMesh;
use toile_sim::force::Wind;
use toile_sim::{Fabric, Motion, Preset, Settings};

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
    pub(crate) given: Option<Box<Settings>>,
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
            given: None,
            camera: Camera::default(),
            expect: Expect::default(),
            folder: PathBuf::new(),
            source: Source::default(),
        }
    }
}

/// One or more sheets of cloth.
///
/// ```
/// use toile::{Cloth, DVec3, Fabric, Pin, Select};
///
/// let light = Fabric { density: 0.05, ..Fabric::default() };
/// let curtain = Cloth::rectangle(1.0, 2.0, 0.05)
///     .named("curtain")
///     .fabric(light)
///     .rotated(DVec3::X, 90.0)
///     .pin(Pin::of(Select::TopCorners));
/// assert_eq!(curtain.pins.len(), 1);
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// What it is called.
    #[serde(default = "cloth_name")]
    pub name: String,
    /// Its shape at rest.
    pub shape: ClothShape,
    /// What it is made of.
    #[serde(default)]
    pub fabric: FabricSource,
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
    /// A mesh in memory, with its material coordinates if it has any; no file can say it. Vertices keep their numbers.
    #[serde(skip)]
    Given {
        /// The mesh.
        mesh: TriMesh,
        /// Where its rest shape comes from, as for a mesh from a file.
        rest: Option<RestShape>,
    },
}

impl ClothShape {
    /// Cells each way of what has the topology of a grid.
    pub fn cells(&self) -> Option<[u64; 2]> {
        match self {
            Self::Grid { cells, .. } | Self::Knot { cells, .. } => Some(*cells),
            Self::Mesh { .. } | Self::Given { .. } => None,
        }
    }

    /// Which way the diagonals of its cells run.
    pub(crate) fn diagonals(&self) -> Diagonals {
        match self {
            Self::Grid { diagonals, .. } => *diagonals,
            Self::Knot { .. } | Self::Mesh { .. } | Self::Given { .. } => Diagonals::Alternating,
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
///
/// ```
/// use toile::{Body, BodyShape, DVec3, Motion};
///
/// let ring = BodyShape::Ring { at: DVec3::ZERO, radius: 0.2, rod: 0.02, rotate: None };
/// let rising = Motion::Steady {
///     velocity: DVec3::Y * 0.1,
///     axis: DVec3::Y,
///     turns_per_second: 0.0,
///     centre: DVec3::ZERO,
/// };
/// let body = Body::new("ring", ring).moving(rising).friction(0.2);
/// assert_eq!(body.friction, Some(0.2));
/// ```
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
    /// A mesh in memory; no file can say it. It is cleaned as one from a file: doubled vertices and triangles go, and it is turned
    /// to face outwards.
    #[serde(skip)]
    Given {
        /// The mesh.
        mesh: TriMesh,
        /// Where it stands.
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
        self.given = None;
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
        self.given = Some(Box::new(settings));
        self
    }

    /// Sets the acceleration of free fall [m/s²].
    #[must_use]
    pub fn with_gravity(mut self, gravity: DVec3) -> Self {
        self.gravity = gravity;
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

    /// A mesh in memory. Its rest shape is that of its material coordinates (uv) if their lengths fit, else that of its
    /// positions; [`Cloth::rest`] chooses. Vertices keep their numbers.
    ///
    /// ```
    /// use toile::{Cloth, DVec3, Scene, TriMesh};
    ///
    /// let positions = vec![DVec3::ZERO, DVec3::X, DVec3::NEG_Z, DVec3::new(1.0, 0.0, -1.0)];
    /// let mesh = TriMesh::new(positions, vec![[0, 1, 3], [0, 3, 2]]);
    /// let mut sim = Scene::new().with_cloth(Cloth::from_mesh(mesh)).build()?;
    /// sim.step()?;
    /// assert!(sim.positions()[3].y < 0.0);
    /// # Ok::<(), toile::Error>(())
    /// ```
    pub fn from_mesh(mesh: TriMesh) -> Self {
        Self::from_shape(ClothShape::Given { mesh, rest: None })
    }

    /// A cloth of any shape.
    pub fn from_shape(shape: ClothShape) -> Self {
        Self {
            name: cloth_name(),
            shape,
            fabric: FabricSource::default(),
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
        self.fabric = FabricSource::Named(fabric.into());
        self
    }

    /// Makes it of a fabric.
    #[must_use]
    pub fn fabric(mut self, fabric: Fabric) -> Self {
        self.fabric = FabricSource::Given(Box::new(fabric));
        self
    }

    /// Says where the rest shape of a mesh comes from; other shapes have their own.
    #[must_use]
    pub fn rest(mut self, from: RestShape) -> Self {
        if let ClothShape::Mesh { rest, .. } | ClothShape::Given { rest, .. } = &mut self.shape {
            *rest = Some(from);
        }
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

    /// A rod with round ends, whose centres are `a` and `b` [m].
    pub fn capsule(a: DVec3, b: DVec3, radius: f64) -> Self {
        Self::new("rod", BodyShape::Capsule { a, b, radius })
    }

    /// A box with these edge lengths [m].
    pub fn cuboid(centre: DVec3, size: DVec3) -> Self {
        Self::new("box", BodyShape::Box { at: centre, size, rotate: None })
    }

    /// A mesh in memory.
    ///
    /// ```
    /// use toile::{Body, Cloth, Scene, shape};
    ///
    /// let ball = Body::from_mesh(shape::sphere(0.1, 3)).named("ball").friction(0.3);
    /// let cloth = Cloth::rectangle(0.3, 0.3, 0.05).at(0.0, 0.15, 0.0);
    /// let mut sim = Scene::new().with_cloth(cloth).with_body(ball).build()?;
    /// sim.run(0.3)?;
    /// assert!(sim.positions().iter().all(|p| p.length() > 0.09));
    /// # Ok::<(), toile::Error>(())
    /// ```
    pub fn from_mesh(mesh: TriMesh) -> Self {
        Self::new(body_name(), BodyShape::Given { mesh, place: Place::default() })
    }

    /// Gives it a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Gives it a coefficient of friction of its own.
    #[must_use]
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = Some(friction);
        self
    }

    /// Lets it move.
    #[must_use]
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }
}
