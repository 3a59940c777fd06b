//! Sheets of cloth in a scene: shape, fabric, place, pins.

use super::{FabricSource, Pin, Place, Rotate, Select};
use crate::input::RestShape;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use toile_mesh::TriMesh;
use toile_sim::Fabric;

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
    InMemory {
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
            Self::Mesh { .. } | Self::InMemory { .. } => None,
        }
    }

    /// Which way the diagonals of its cells run.
    pub(crate) fn diagonals(&self) -> Diagonals {
        match self {
            Self::Grid { diagonals, .. } => *diagonals,
            Self::Knot { .. } | Self::Mesh { .. } | Self::InMemory { .. } => Diagonals::Alternating,
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
        Self::from_shape(ClothShape::InMemory { mesh, rest: None })
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
        self.fabric = FabricSource::Inline(Box::new(fabric));
        self
    }

    /// Says where the rest shape of a mesh comes from; other shapes have their own.
    #[must_use]
    pub fn rest(mut self, from: RestShape) -> Self {
        if let ClothShape::Mesh { rest, .. } | ClothShape::InMemory { rest, .. } = &mut self.shape {
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
