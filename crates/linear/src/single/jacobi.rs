//! The blocks on the diagonal as an approximate inverse.

use super::super::preconditioner::inverse_or_scale;
use super::{Inverse, Matrix};
use crate::Block;
use glam::{Mat3A, Vec3A};

/// The inverse of the 3×3 blocks on the diagonal [baraff1998].
#[derive(Clone, Debug, Default)]
pub struct Jacobi(Vec<Mat3A>);

impl Jacobi {
    /// Takes over the numbers of a matrix.
    pub fn update(&mut self, a: &Matrix) {
        self.0.clear();
        let own = a.pattern().diagonal.iter().map(|slot| a.block(*slot));
        self.0.extend(own.map(|block| {
            let columns = [block.x_axis, block.y_axis, block.z_axis].map(Vec3A::as_dvec3);
            let [x, y, z] = columns;
            Mat3A::from_f64(&inverse_or_scale(glam::DMat3::from_cols(x, y, z)))
        }));
    }
}

impl Inverse for Jacobi {
    fn apply(&mut self, r: &[Vec3A], z: &mut [Vec3A]) {
        for ((z, r), inverse) in z.iter_mut().zip(r).zip(&self.0) {
            *z = *inverse * *r;
        }
    }
}
