//! Elements: energies on a few vertices each.
//!
//! Every model gives energy, gradient and Hessian together ([`Element`]), and its file says which
//! paper it is from, where the paper is wrong, and what the model cannot do.

use crate::linear::Block;
use glam::{DMat3, DVec3, Mat3A};

pub mod baraff_witkin;
pub mod bending_friction;
#[cfg(test)]
pub(crate) mod check;
#[cfg(test)]
mod comparison;
pub mod continuum;
pub mod corotational;
pub mod curve;
pub mod definite;
pub mod hinge;
pub mod kes;
pub mod laplacian;
pub mod morley;
pub mod spring;
pub mod stiffness;
pub mod stvk;
pub mod tension_field;
pub mod terzopoulos;
pub mod triangle;
pub mod variable_slider;
pub mod viscosity;
pub mod volino;

pub use hinge::Hinge;
pub use spring::{Kind, Spring};
pub use stiffness::{Bending, Membrane};
pub use triangle::Triangle;

/// Second derivatives by pairs of vertices: `h[a][b]` is ∂²E/∂x_a∂x_b [N/m].
pub type Blocks<const N: usize> = [[DMat3; N]; N];

/// A part of the elastic energy that depends on `N` vertices.
pub trait Element<const N: usize> {
    /// The vertices it depends on.
    fn vertices(&self) -> [u32; N];

    /// Energy [J].
    fn energy(&self, x: &[DVec3; N]) -> f64;

    /// Its gradient [N]; the force is the negative.
    fn gradient(&self, x: &[DVec3; N]) -> [DVec3; N];

    /// Its Hessian [N/m]; with `definite`, a near positive semidefinite one.
    fn hessian(&self, x: &[DVec3; N], definite: bool) -> Blocks<N>;

    /// Its upper triangle, row by row: (0,0), (0,1), …, (1,1), …. Models that are evaluated most
    /// write it directly.
    fn upper(&self, x: &[DVec3; N], definite: bool, upper: &mut [DMat3]) {
        write_upper(&self.hessian(x, definite), upper);
    }

    /// The same in single precision, semidefinite.
    fn single_upper(&self, x: &[DVec3; N], upper: &mut [Mat3A]) {
        // The widest element has nine vertices.
        const { assert!(N <= 9) };
        let mut double = [DMat3::ZERO; 45];
        self.upper(x, true, &mut double[..upper.len()]);
        for (to, from) in upper.iter_mut().zip(&double) {
            *to = Mat3A::from_f64(from);
        }
    }

    /// The same, and the gradient [N]; models that are evaluated most share what both need.
    fn single_upper_and_gradient(&self, x: &[DVec3; N], upper: &mut [Mat3A]) -> [DVec3; N] {
        self.single_upper(x, upper);
        self.gradient(x)
    }
}

/// The upper triangle of blocks, row by row.
pub(crate) fn write_upper<const N: usize>(h: &Blocks<N>, upper: &mut [DMat3]) {
    let mut k = 0;
    for (a, row) in h.iter().enumerate() {
        upper[k..k + N - a].copy_from_slice(&row[a..]);
        k += N - a;
    }
}

/// The upper triangle of `k g gᵀ` in single precision.
pub(crate) fn write_single_outer<const N: usize>(k: f64, g: &[DVec3; N], upper: &mut [Mat3A]) {
    let scaled = g.map(|g| (g * k).as_vec3a());
    let g = g.map(DVec3::as_vec3a);
    let mut at = 0;
    for a in 0..N {
        for b in a..N {
            upper[at] = definite::single_outer(scaled[a], g[b]);
            at += 1;
        }
    }
}

/// The upper triangle of `k g gᵀ`.
pub(crate) fn write_outer<const N: usize>(k: f64, g: &[DVec3; N], upper: &mut [DMat3]) {
    let mut at = 0;
    for a in 0..N {
        let scaled = g[a] * k;
        for b in a..N {
            upper[at] = definite::outer(scaled, g[b]);
            at += 1;
        }
    }
}
