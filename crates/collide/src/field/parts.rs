//! Fields that move as rigid bodies: one for each part of an animated body.
//!
//! The distance of a union is the smallest distance of its parts. That is exact outside; where parts
//! overlap it says how deep a point is in the deepest part, which is never more than the truth.

use super::{DenseField, Sample, SparseField};
use glam::{DQuat, DVec3};

/// A field of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Values everywhere.
    Dense(DenseField),
    /// Fine values near the surface only.
    Sparse(SparseField),
}

impl Field {
    /// Distance and gradient at a point; `None` outside the grid.
    pub fn sample(&self, p: DVec3) -> Option<Sample> {
        match self {
            Self::Dense(f) => f.sample(p),
            Self::Sparse(f) => f.sample(p),
        }
    }

    /// A bound from below on the signed distance, at any point [m]. Not across holes, where the sign
    /// jumps.
    pub fn distance_at_least(&self, p: DVec3) -> f64 {
        match self {
            Self::Dense(f) => f.distance_at_least(p),
            Self::Sparse(f) => f.distance_at_least(p),
        }
    }
}

/// Where a part is: x ↦ rotation · x + translation takes its frame to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// A unit quaternion.
    pub rotation: DQuat,
    /// [m].
    pub translation: DVec3,
}

impl Pose {
    /// The part's frame is the world's.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// Takes a point of the world to the part's frame.
    pub fn to_part(&self, p: DVec3) -> DVec3 {
        self.rotation.conjugate() * (p - self.translation)
    }
}

/// Distance and gradient at a point, and whose they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartSample {
    /// Signed distance of the union, and its gradient in the world.
    pub sample: Sample,
    /// The nearest part.
    pub part: usize,
}

/// Several fields, each with its pose.
#[derive(Clone, Debug, Default)]
pub struct PartFields {
    parts: Vec<(Field, Pose)>,
}

impl PartFields {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part.
    #[must_use]
    pub fn with(mut self, field: Field, pose: Pose) -> Self {
        self.parts.push((field, pose));
        self
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are no parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Moves a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn set_pose(&mut self, part: usize, pose: Pose) {
        self.parts[part].1 = pose;
    }

    /// Distance of the union, `None` outside all grids. It is the truth up to the smallest margin
    /// of the parts; beyond it, a part whose grid does not reach the point may be nearer.
    pub fn sample(&self, p: DVec3) -> Option<PartSample> {
        let mut best: Option<PartSample> = None;
        for (part, (field, pose)) in self.parts.iter().enumerate() {
            let Some(s) = field.sample(pose.to_part(p)) else { continue };
            if best.is_none_or(|b| s.distance < b.sample.distance) {
                let sample = Sample { gradient: pose.rotation * s.gradient, ..s };
                best = Some(PartSample { sample, part });
            }
        }
        best
    }

    /// A bound from below on the distance of the union, at any point; infinite without parts [m].
    pub fn distance_at_least(&self, p: DVec3) -> f64 {
        let bounds = self.parts.iter().map(|(f, pose)| f.distance_at_least(pose.to_part(p)));
        bounds.fold(f64::INFINITY, f64::min)
    }
}
