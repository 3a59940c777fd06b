//! Couplings that are applied, not stored.

use glam::{DMat3, Mat3A, Vec3A, Vec3Swizzles};

/// A stiffness between weighted sums of vertices: K = w wᵀ ⊗ S, S symmetric.
#[derive(Clone, Copy, Debug)]
pub struct ContactBlock {
    /// Vertices. Those that do not move by themselves have the weight zero.
    pub points: [u32; 4],
    /// Their weights.
    pub weights: [f32; 4],
    /// S on its diagonal [N/m], and beside it: yz, xz, xy. Where cloth touches there are more contact blocks than vertices.
    diagonal: [f32; 3],
    off_diagonal: [f32; 3],
}

impl ContactBlock {
    /// A contact block by its S [N/m], of which the half below the diagonal is read.
    pub fn new(points: [u32; 4], weights: [f32; 4], stiffness: &DMat3) -> Self {
        let [x, y, z] = [stiffness.x_axis, stiffness.y_axis, stiffness.z_axis].map(|c| c.as_vec3());
        Self { points, weights, diagonal: [x.x, y.y, z.z], off_diagonal: [y.z, x.z, x.y] }
    }

    /// S [N/m].
    pub fn stiffness(&self) -> Mat3A {
        let ([xx, yy, zz], [yz, xz, xy]) = (self.diagonal, self.off_diagonal);
        Mat3A::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
    }

    /// Adds K x to y.
    #[inline]
    pub(super) fn apply(&self, x: &[Vec3A], y: &mut [Vec3A]) {
        let p = self.points.map(|p| p as usize);
        let w = self.weights;
        let way = x[p[0]] * w[0] + x[p[1]] * w[1] + x[p[2]] * w[2] + x[p[3]] * w[3];
        let (diagonal, off_diagonal) =
            (Vec3A::from_array(self.diagonal), Vec3A::from_array(self.off_diagonal));
        let pull =
            diagonal * way + (off_diagonal.zxy() * way.yzx() + off_diagonal.yzx() * way.zxy());
        for k in 0..4 {
            y[p[k]] += pull * w[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn a_contact_block_pulls_as_its_stiffness_says() {
        let s = DMat3::from_cols(
            DVec3::new(4.0, 1.0, -2.0),
            DVec3::new(1.0, 5.0, 0.5),
            DVec3::new(-2.0, 0.5, 6.0),
        );
        let contact_block = ContactBlock::new([2, 0, 1, 0], [1.0, -0.25, -0.75, 0.0], &s);
        assert_eq!(contact_block.stiffness(), Mat3A::from(s.as_mat3()));
        let x = [Vec3A::new(1.0, 2.0, 4.0), Vec3A::new(-2.0, 0.0, 1.0), Vec3A::new(3.0, 8.0, -5.0)];
        let mut y = [Vec3A::ONE; 3];
        contact_block.apply(&x, &mut y);
        let pull = s.as_mat3() * (x[2] - x[0] * 0.25 - x[1] * 0.75);
        for (y, w) in y.into_iter().zip([-0.25, -0.75, 1.0]) {
            assert!((y - Vec3A::ONE - pull * w).length() < 1e-5);
        }
    }
}
