//! Continuous collision detection of one feature pair (D1, D2).
//!
//! Both methods answer the same question: when do a vertex and a face, or two edges, first meet
//! while their vertices move along straight lines from `[0]` at t = 0 to `[1]` at t = 1?

mod cubic;
mod separating;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How the time of impact is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ccd {
    /// Provot's coplanarity cubic, roots in floating point [provot1997, §1]. Knows no thickness
    /// and misses some degenerate impacts; kept as the historical method.
    Cubic,
    /// Advancement from one separating plane to the next. Reports every approach below the
    /// separation: its rounding errors are bounded and only ever add reports.
    #[default]
    Separating,
}

/// How near two features may come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Sum of the radii of the two features [m]; a sphere is a vertex with a radius.
    pub radius: f64,
    /// Gap to be kept beyond the radii [m].
    pub gap: f64,
    /// Part of its gap by which a pair that begins nearer than asked may still come nearer.
    pub leeway: f64,
}

impl Separation {
    /// Leeway of a pair that need not be stopped at once: a tenth of its gap.
    pub const LOOSE: f64 = 0.1;

    /// Leeway that only covers rounding: every approach of a pair that is too near is reported.
    pub const STRICT: f64 = 1e-6;

    /// Features without radius, with the loose leeway.
    pub fn gap(gap: f64) -> Self {
        Self { radius: 0.0, gap, leeway: Self::LOOSE }
    }

    /// Distance that must not be undercut by a pair that begins `start` apart.
    ///
    /// A pair that is already nearer than asked may stay and may leave; it must not come nearer
    /// by more than its leeway. So a touching pair is not reported for ever.
    pub fn threshold(&self, start: f64) -> f64 {
        let wanted = self.radius + self.gap;
        if start > self.radius {
            wanted.min(self.radius + (1.0 - self.leeway) * (start - self.radius))
        } else {
            start * (1.0 - Self::STRICT)
        }
    }
}

/// A pair that comes too near within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When, as a fraction of the step.
    pub time: f64,
    /// Unit direction from the second feature to the first, at the begin of the step.
    ///
    /// Above a face it is the face's normal and for crossing edges their cross product, as
    /// [provot1997] has it; elsewhere it is the direction between the nearest points, along which
    /// the two features are separated as a whole.
    pub normal: DVec3,
    /// Distance at the begin of the step [m].
    pub distance: f64,
    /// Signed weights of the four vertices at the time of impact; the first feature's sum to 1, the
    /// second's to −1.
    pub weights: [f64; 4],
}

impl Ccd {
    /// A vertex against a face.
    pub fn vertex_face(
        self,
        p: [DVec3; 2],
        face: [[DVec3; 2]; 3],
        separation: Separation,
    ) -> Option<Impact> {
        match self {
            // A radius is beyond the cubic.
            Self::Cubic if separation.radius <= 0.0 => cubic::vertex_face(p, face),
            _ => separating::vertex_face(p, face, separation),
        }
    }

    /// An edge against an edge.
    pub fn edge_edge(
        self,
        a: [[DVec3; 2]; 2],
        b: [[DVec3; 2]; 2],
        separation: Separation,
    ) -> Option<Impact> {
        match self {
            Self::Cubic if separation.radius <= 0.0 => cubic::edge_edge(a, b),
            _ => separating::edge_edge(a, b, separation),
        }
    }
}

/// Position of each moving point at time `t`.
#[inline]
fn at<const N: usize>(points: &[[DVec3; 2]; N], t: f64) -> [DVec3; N] {
    std::array::from_fn(|i| points[i][0] + t * (points[i][1] - points[i][0]))
}

#[cfg(test)]
mod tests;
