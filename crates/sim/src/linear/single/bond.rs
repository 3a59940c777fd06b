//! Couplings that are applied, not stored.

use glam::{Mat3A, Vec3A};

/// A stiffness between weighted sums of vertices: K = w wᵀ ⊗ S.
#[derive(Clone, Copy, Debug)]
pub struct Bond {
    /// Vertices. Those that do not move by themselves have the weight zero.
    pub points: [u32; 4],
    /// Their weights.
    pub weights: [f32; 4],
    /// S [N/m].
    pub stiffness: Mat3A,
}

impl Bond {
    /// Adds K x to y.
    #[inline]
    pub(super) fn apply(&self, x: &[Vec3A], y: &mut [Vec3A]) {
        let p = self.points.map(|p| p as usize);
        let w = self.weights;
        let way = x[p[0]] * w[0] + x[p[1]] * w[1] + x[p[2]] * w[2] + x[p[3]] * w[3];
        let pull = self.stiffness * way;
        for k in 0..4 {
            y[p[k]] += pull * w[k];
        }
    }
}
