//! Pinned and animated vertices (M13).

use crate::motion::Motion;
use glam::DVec3;

/// Vertices with prescribed (Dirichlet) motion.
///
/// ```
/// use toile_sim::{Motion, Pin};
///
/// let held = Pin { until: 0.5, ..Pin::still(vec![0, 1, 2]) };
/// assert!(held.holds(0.4) && !held.holds(0.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Which.
    pub vertices: Vec<u32>,
    /// How they move, from where they are at time zero.
    pub motion: Motion,
    /// Until when they are held [s]; for ever if infinite.
    pub until: f64,
}

impl Pin {
    /// Holds vertices where they are.
    pub fn still(vertices: Vec<u32>) -> Self {
        Self { vertices, motion: Motion::Still, until: f64::INFINITY }
    }

    /// Whether it holds at time `t`.
    pub fn holds(&self, t: f64) -> bool {
        t < self.until
    }

    /// Where a vertex that began at `start` is to be at time `t`.
    pub(crate) fn target(&self, start: DVec3, t: f64) -> DVec3 {
        self.motion.pose(t).apply(start)
    }
}
