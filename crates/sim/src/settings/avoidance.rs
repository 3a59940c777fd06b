//! Settings of limits on coordinates that avoid collisions (M10, R3) [liu1998].

use serde::{Deserialize, Serialize};

/// How self-collisions are found, and what is done about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Every pair of features by its geometry; vertices that would collide are held (S1).
    Geometric,
    /// Every pair of boxes around triangles (S2).
    Boxes,
    /// Boxes in a binary tree over the material plane, one triangle a leaf (S3).
    #[default]
    BoxTree,
}

/// Settings of the system.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Avoidance {
    /// The search.
    pub search: Search,
    /// Damping of the motion through space, as a part of the mass [1/s].
    pub drag: f64,
    /// Runs of solution and detection before vertices that still collide are held; after a quarter of them, coordinates
    /// in conflict and vertices of adjacent triangles are.
    pub rounds: u32,
    /// Sweeps of Gauss–Seidel end when no coordinate changes by more than this [m].
    pub tolerance: f64,
    /// Most sweeps.
    pub sweeps: u32,
}

impl Default for Avoidance {
    fn default() -> Self {
        Self { search: Search::BoxTree, drag: 1.0, rounds: 8, tolerance: 1e-8, sweeps: 500 }
    }
}
