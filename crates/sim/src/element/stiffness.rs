//! Elastic constants of a sheet in the frame of its threads.
//!
//! In the plane, with Green strain (e11, e22, e12) along weft and warp, the energy per area is
//! `½ (C11 e11² + 2 C12 e11 e22 + C22 e22² + 4 C33 e12²)` [wang2011]. In bending, with curvature
//! (κ11, κ22, κ12) of the height `½ κ11 u² + ½ κ22 v² + κ12 uv`, it is
//! `½ (B1 κ11² + 2 ν √(B1 B2) κ11 κ22 + B2 κ22² + B12 κ12²)`.
//!
//! An isotropic plate of rigidity D has B1 = B2 = D and B12 = 2 (1 − ν) D: twist counts both κ12
//! and κ21.

use crate::Fabric;

/// In-plane stiffness [N/m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Membrane {
    /// Along the weft [N/m].
    pub c11: f64,
    /// Transverse contraction [N/m].
    pub c12: f64,
    /// Along the warp [N/m].
    pub c22: f64,
    /// Shear [N/m].
    pub c33: f64,
}

impl Membrane {
    /// That of a fabric; its transverse contraction is not measured and taken as zero.
    pub fn of_fabric(fabric: &Fabric) -> Self {
        Self { c11: fabric.weft, c12: 0.0, c22: fabric.warp, c33: fabric.shear }
    }

    /// The same in all directions: `young` [N/m] and Poisson's ratio.
    pub fn isotropic(young: f64, poisson: f64) -> Self {
        let c = young / (1.0 - poisson * poisson);
        Self { c11: c, c12: poisson * c, c22: c, c33: young / (2.0 * (1.0 + poisson)) }
    }

    /// All constants multiplied by a factor: with a time [s], the viscosity of a Kelvin–Voigt sheet.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            c11: self.c11 * factor,
            c12: self.c12 * factor,
            c22: self.c22 * factor,
            c33: self.c33 * factor,
        }
    }

    /// The matrix that turns (e11, e22, 2 e12) into (σ11, σ22, σ12).
    pub fn matrix(&self) -> [[f64; 3]; 3] {
        [[self.c11, self.c12, 0.0], [self.c12, self.c22, 0.0], [0.0, 0.0, self.c33]]
    }

    /// Energy per area [J/m²] of a strain (e11, e22, 2 e12).
    pub fn density(&self, e: [f64; 3]) -> f64 {
        let s = multiply(&self.matrix(), e);
        0.5 * (s[0] * e[0] + s[1] * e[1] + s[2] * e[2])
    }
}

/// Bending stiffness [N·m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bending {
    /// Along the weft [N·m].
    pub weft: f64,
    /// Along the warp [N·m].
    pub warp: f64,
    /// Poisson's ratio of bending.
    pub poisson: f64,
    /// Twist [N·m]: a twist κ12 costs ½ B12 κ12².
    pub twist: f64,
}

impl Bending {
    /// That of a fabric, with twist as if rigidity varied between weft and warp without
    /// transverse contraction: B12 = 2 √(B1 B2).
    pub fn of_fabric(fabric: &Fabric) -> Self {
        let mean = (fabric.bend_weft * fabric.bend_warp).sqrt();
        Self { weft: fabric.bend_weft, warp: fabric.bend_warp, poisson: 0.0, twist: 2.0 * mean }
    }

    /// A plate of rigidity `d` [N·m].
    pub fn isotropic(d: f64, poisson: f64) -> Self {
        Self { weft: d, warp: d, poisson, twist: 2.0 * (1.0 - poisson) * d }
    }

    /// The matrix that turns (κ11, κ22, κ12) into moments.
    pub fn matrix(&self) -> [[f64; 3]; 3] {
        let mixed = self.poisson * (self.weft * self.warp).sqrt();
        [[self.weft, mixed, 0.0], [mixed, self.warp, 0.0], [0.0, 0.0, self.twist]]
    }

    /// Energy per area [J/m²] of a curvature (κ11, κ22, κ12) [1/m].
    pub fn density(&self, k: [f64; 3]) -> f64 {
        let m = multiply(&self.matrix(), k);
        0.5 * (m[0] * k[0] + m[1] * k[1] + m[2] * k[2])
    }

    /// Rigidity when bent along the direction (cos, sin) [N·m], without contraction.
    pub fn along(&self, cos: f64, sin: f64) -> f64 {
        2.0 * self.density([cos * cos, sin * sin, cos * sin])
    }
}

/// Matrix times vector.
#[inline]
pub fn multiply<const M: usize>(m: &[[f64; M]; M], v: [f64; M]) -> [f64; M] {
    std::array::from_fn(|i| (0..M).map(|j| m[i][j] * v[j]).sum())
}

/// Inverse of a 3 × 3 matrix; `None` if it has none.
pub(crate) fn invert(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let a = glam::DMat3::from_cols_array_2d(m);
    let largest = m.iter().flatten().fold(0.0_f64, |s, v| s.max(v.abs()));
    // Relative to its entries: stiffnesses range from 1e-7 to 1e5.
    let regular = a.determinant().abs() > 1e-14 * largest * largest * largest;
    // The transpose of a column-wise reading is a row-wise one, and so is its inverse.
    regular.then(|| a.inverse().to_cols_array_2d())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_isotropic_plate_is_as_stiff_in_every_direction() {
        let b = Bending::isotropic(2e-6, 0.3);
        for angle in [0.0_f64, 0.4, 0.8, 1.2] {
            let (s, c) = angle.sin_cos();
            assert!((b.along(c, s) - 2e-6).abs() < 1e-18);
        }
    }

    #[test]
    fn an_isotropic_membrane_stretched_freely_shows_its_young_modulus() {
        let (young, poisson) = (300.0, 0.3);
        let e = 1e-2;
        let energy = Membrane::isotropic(young, poisson).density([e, -poisson * e, 0.0]);
        assert!((energy - 0.5 * young * e * e).abs() < 1e-12);
    }

    #[test]
    fn the_inverse_of_a_tiny_matrix_is_found_and_a_singular_one_refused() {
        let b = Bending { weft: 9e-6, warp: 14e-6, poisson: 0.2, twist: 2e-5 };
        let (m, i) = (b.matrix(), invert(&b.matrix()).unwrap());
        for row in 0..3 {
            let unit = multiply(&m, std::array::from_fn(|k| i[k][row]));
            for k in 0..3 {
                assert!((unit[k] - if k == row { 1.0 } else { 0.0 }).abs() < 1e-12);
            }
        }
        assert!(invert(&[[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]]).is_none());
    }
}
