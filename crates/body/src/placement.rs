//! From the coordinates of a file to those of a body that is dressed, and back.

use glam::{DMat3, DVec3};

/// A similarity: p becomes s R p + t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Length of the old unit in the new one.
    pub scale: f64,
    /// Rotation; its rows are the new axes in old coordinates.
    pub rotation: DMat3,
    /// Translation after the rotation, in the new unit.
    pub translation: DVec3,
}

impl Default for Placement {
    fn default() -> Self {
        Self { scale: 1.0, rotation: DMat3::IDENTITY, translation: DVec3::ZERO }
    }
}

impl Placement {
    /// Where a point of the file is.
    pub fn apply(&self, p: DVec3) -> DVec3 {
        self.rotation * p * self.scale + self.translation
    }

    /// Which point of the file comes here.
    pub fn invert(&self, p: DVec3) -> DVec3 {
        self.rotation.transpose() * (p - self.translation) / self.scale
    }

    /// Rows of the 4 × 4 matrix that takes (x, y, z, 1) of the file to where it is.
    pub fn matrix(&self) -> [[f64; 4]; 4] {
        let r = self.rotation.transpose() * self.scale;
        let row = |axis: DVec3, shift: f64| [axis.x, axis.y, axis.z, shift];
        let t = self.translation;
        let rows = [row(r.x_axis, t.x), row(r.y_axis, t.y), row(r.z_axis, t.z)];
        [rows[0], rows[1], rows[2], [0.0, 0.0, 0.0, 1.0]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_does_what_the_placement_does_and_the_inverse_undoes_it() {
        let rows = [DVec3::X, DVec3::Z, -DVec3::Y];
        let rotation = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        let place = Placement { scale: 0.01, rotation, translation: DVec3::new(1.0, 2.0, 3.0) };
        let p = DVec3::new(10.0, 20.0, 170.0);
        let q = place.apply(p);
        assert!(q.distance(DVec3::new(1.1, 3.7, 2.8)) < 1e-15, "{q}");
        for (row, expected) in place.matrix().iter().zip([q.x, q.y, q.z, 1.0]) {
            let sum = row[0] * p.x + row[1] * p.y + row[2] * p.z + row[3];
            assert!((sum - expected).abs() < 1e-15);
        }
        assert!(place.invert(q).distance(p) < 1e-12);
    }
}
