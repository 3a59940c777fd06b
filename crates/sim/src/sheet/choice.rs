//! Which models a cloth is made of.

use serde::{Deserialize, Serialize};

/// The model in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stretch {
    /// Springs of a grid, or along the edges of triangles (M1, M4).
    Springs,
    /// Threads and angles of a grid with curves from Kawabata's tests (M3).
    Kes,
    /// Volino's triangles of particles (M5).
    Volino,
    /// Conditions of Baraff and Witkin (M6).
    BaraffWitkin,
    /// Continuum on a grid of particles (M7).
    Continuum,
    /// Corotational linear finite elements (M8).
    Corotational,
    /// St. Venant–Kirchhoff with the fabric's curves (M9).
    #[default]
    Stvk,
    /// The same, linear, with compression relaxed to wrinkles.
    TensionField,
    /// Metric of Terzopoulos' elastic surface, on a grid (M10).
    Terzopoulos,
}

/// The model of bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bend {
    /// None.
    None,
    /// Springs over two cells, or across the edges of triangles (M1, M4).
    Springs,
    /// Angles along the threads of a grid (M3).
    Angles,
    /// Thin plate by differences on a grid (M7).
    Plate,
    /// Quadratic bending over edges: Laplacian (M11).
    Laplacian,
    /// Dihedral angles (M11).
    Hinge,
    /// Moments over edges, right on any mesh.
    #[default]
    Morley,
    /// Curvature of Terzopoulos' elastic surface, on a grid (M10).
    Terzopoulos,
}

impl Stretch {
    /// All models.
    pub const ALL: [Self; 9] = [
        Self::Springs,
        Self::Kes,
        Self::Volino,
        Self::BaraffWitkin,
        Self::Continuum,
        Self::Corotational,
        Self::Stvk,
        Self::TensionField,
        Self::Terzopoulos,
    ];

    /// Its name in scenes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Springs => "springs",
            Self::Kes => "kes",
            Self::Volino => "volino",
            Self::BaraffWitkin => "baraff-witkin",
            Self::Continuum => "continuum",
            Self::Corotational => "corotational",
            Self::Stvk => "stvk",
            Self::TensionField => "tension-field",
            Self::Terzopoulos => "terzopoulos",
        }
    }

    /// Whether it needs a regular grid.
    pub fn needs_grid(self) -> bool {
        matches!(self, Self::Kes | Self::Continuum | Self::Terzopoulos)
    }
}

impl Bend {
    /// All models.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Springs,
        Self::Angles,
        Self::Plate,
        Self::Laplacian,
        Self::Hinge,
        Self::Morley,
        Self::Terzopoulos,
    ];

    /// Its name in scenes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Springs => "springs",
            Self::Angles => "angles",
            Self::Plate => "plate",
            Self::Laplacian => "laplacian",
            Self::Hinge => "hinge",
            Self::Morley => "morley",
            Self::Terzopoulos => "terzopoulos",
        }
    }

    /// Whether it needs a regular grid.
    pub fn needs_grid(self) -> bool {
        matches!(self, Self::Angles | Self::Plate | Self::Terzopoulos)
    }
}
