//! Particle system derived from the continuum, on regular grids (M7).
//!
//! Stresses `σ11 = k₁ (|s_u| − 1)`, `σ22 = k₂ (|s_v| − 1)`, `σ12 = G s_u·s_v` discretised by finite
//! differences [etzmuss2003particle]. The diagonal ones become springs along the threads; per area
//! their force on i is the paper's density `f = (k/l²) [(x_i − x_j) − l (x_i − x_j)/|x_i − x_j|]`, so a
//! node that stands for l × w has a spring of stiffness k w/l. Shear acts at the four corners of
//! every cell, `½ G (s_u·s_v)²` with the edges that meet there, a quarter of the cell each: evaluated
//! at the middle alone, a cell could fold its corners freely. Bending is the thin plate of `laplacian`.
//!
//! Refining the grid converges to the continuum with order two, unlike diagonal springs.
//!
//! **Erratum**: [eg2004garments] prints `σ12 = ½ μ s_u·s_v`. With its own C1212 = C1221 = μ and ε12 = ½ s_u·s_v
//! the law σ12 = Σ C12kl εkl gives μ s_u·s_v; here G is the measured shear stiffness.
//!
//! Limits: regular grids only, threads along the grid; no transverse contraction.

use super::definite::{add_blocks, outer_blocks};
use super::laplacian::{self, Plate};
use super::spring::{Kind, Spring};
use super::{Bending, Blocks, Element};
use crate::Fabric;
use glam::{DMat3, DVec3};
use toile_mesh::TriMesh;

/// The shear at a corner of a cell: `½ k ((x₁ − x₀)·(x₂ − x₀))²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The corner, then its neighbours along weft and warp.
    pub vertices: [u32; 3],
    /// Stiffness G A/(4 l_u² l_v²) [J/m⁴].
    pub stiffness: f64,
}

impl Element<3> for Corner {
    fn vertices(&self) -> [u32; 3] {
        self.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        let c = (x[1] - x[0]).dot(x[2] - x[0]);
        0.5 * self.stiffness * c * c
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        let (a, b) = (x[1] - x[0], x[2] - x[0]);
        let pull = self.stiffness * a.dot(b);
        [(a + b) * -pull, b * pull, a * pull]
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        let (a, b) = (x[1] - x[0], x[2] - x[0]);
        let mut h = outer_blocks(self.stiffness, &[-(a + b), b, a]);
        // a·b = ¼ |a + b|² − ¼ |a − b|²: one part is convex, the other concave, and which one
        // counts as positive depends on the sign of the shear.
        let pull = self.stiffness * a.dot(b);
        let (sum, difference) = ([-2.0, 1.0, 1.0], [0.0, 1.0, -1.0]);
        for (weights, factor) in [(sum, 0.5 * pull), (difference, -0.5 * pull)] {
            if factor > 0.0 || !definite {
                let part: Blocks<3> = std::array::from_fn(|i| {
                    std::array::from_fn(|j| {
                        DMat3::from_diagonal(DVec3::splat(factor * weights[i] * weights[j]))
                    })
                });
                add_blocks(&mut h, &part);
            }
        }
        h
    }
}

/// The elements of a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Continuum {
    /// Stretch along the threads.
    pub threads: Vec<Spring>,
    /// Shear at the corners of the cells.
    pub corners: Vec<Corner>,
    /// Bending.
    pub plate: Plate,
}

impl Continuum {
    /// The elements of a grid of `nu` × `nv` cells as made by [`toile_mesh::shape::grid`].
    pub fn of_grid(mesh: &TriMesh, nu: usize, nv: usize, fabric: &Fabric) -> Self {
        let vertex = |i: usize, j: usize| (i * (nv + 1) + j) as u32;
        let cell = (mesh.uv[vertex(1, 1) as usize] - mesh.uv[vertex(0, 0) as usize]).abs();
        let (lu, lv) = (cell.x, cell.y);
        let share = |k: usize, n: usize| if k == 0 || k == n { 0.5 } else { 1.0 };
        let mut threads = Vec::with_capacity(2 * (nu + 1) * (nv + 1));
        let mut corners = Vec::with_capacity(4 * nu * nv);
        let shear = fabric.shear / (4.0 * lu * lv);
        let mut thread = |ends: [u32; 2], rest: f64, stiffness: f64| {
            threads.push(Spring { ends, kind: Kind::Structural, rest, stiffness, damping: 0.0 });
        };
        for i in 0..=nu {
            for j in 0..=nv {
                if i < nu {
                    let k = fabric.weft * lv * share(j, nv) / lu;
                    thread([vertex(i, j), vertex(i + 1, j)], lu, k);
                }
                if j < nv {
                    let k = fabric.warp * lu * share(i, nu) / lv;
                    thread([vertex(i, j), vertex(i, j + 1)], lv, k);
                }
                if i < nu && j < nv {
                    let [p, q, r, s] =
                        [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                    for vertices in [[p, q, s], [q, p, r], [r, s, q], [s, r, p]] {
                        corners.push(Corner { vertices, stiffness: shear });
                    }
                }
            }
        }
        let plate = laplacian::of_grid(mesh, nu, nv, &Bending::of_fabric(fabric));
        Self { threads, corners, plate }
    }

    /// Elastic energy [J].
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        let at = |v: u32| x[v as usize];
        let stretch: f64 = self.threads.iter().map(|s| s.energy(s.ends.map(at))).sum();
        let shear: f64 = self.corners.iter().map(|c| c.energy(&c.vertices.map(at))).sum();
        stretch + shear + self.plate.energy(x)
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Dice};
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn derivatives_match_differences() {
        let e = Corner { vertices: [0, 1, 2], stiffness: 3.0 };
        for seed in 1..6 {
            let mut dice = Dice(seed);
            check::all(&e, &std::array::from_fn(|_| dice.vector()));
        }
        check::at_rest(&e, &[DVec3::ZERO, DVec3::X, DVec3::Y], 3.0);
    }

    /// A smooth sheet, stretched, sheared and bent.
    fn surface(u: f64, v: f64) -> DVec3 {
        DVec3::new(
            u + 0.04 * (3.0 * u + v).sin(),
            v + 0.1 * u * v,
            0.05 * (4.0 * u - 2.0 * v).cos(),
        )
    }

    /// Its energy by Gauss quadrature on many cells, with numerical derivatives.
    fn exact(fabric: &Fabric) -> f64 {
        let (n, h) = (60, 1e-3);
        let node = 0.5 / 3.0_f64.sqrt();
        let density = |u: f64, v: f64| {
            let s = |a: f64, b: f64| surface(u + a * h, v + b * h);
            let su = (s(1.0, 0.0) - s(-1.0, 0.0)) / (2.0 * h);
            let sv = (s(0.0, 1.0) - s(0.0, -1.0)) / (2.0 * h);
            let (a, b, c) = (su.length() - 1.0, sv.length() - 1.0, su.dot(sv));
            0.5 * (fabric.weft * a * a + fabric.warp * b * b + fabric.shear * c * c)
        };
        let mut sum = 0.0;
        for i in 0..n {
            for j in 0..n {
                for (a, b) in [(-node, -node), (-node, node), (node, -node), (node, node)] {
                    let at = |k: usize, o: f64| (k as f64 + 0.5 + o) / n as f64 - 0.5;
                    sum += 0.25 * density(at(i, a), at(j, b)) / (n * n) as f64;
                }
            }
        }
        sum
    }

    #[test]
    fn refining_the_grid_converges_with_order_two() {
        let fabric = Fabric { bend_weft: 0.0, bend_warp: 0.0, ..Fabric::default() };
        let exact = exact(&fabric);
        let errors = [10, 20, 40].map(|n| {
            let mesh = grid(1.0, 1.0, n, n, Diagonals::Same);
            let x: Vec<DVec3> = mesh.uv.iter().map(|p| surface(p.x, p.y)).collect();
            Continuum::of_grid(&mesh, n, n, &fabric).energy(&x) / exact - 1.0
        });
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).abs().log2();
            assert!((order - 2.0).abs() < 0.2, "{errors:?}");
        }
        assert!(errors[2].abs() < 0.01, "{errors:?}");
    }

    #[test]
    fn the_force_per_area_is_the_printed_density() {
        let fabric = Fabric { shear: 0.0, bend_weft: 0.0, bend_warp: 0.0, ..Fabric::default() };
        let mesh = grid(0.4, 0.4, 4, 4, Diagonals::Same);
        let c = Continuum::of_grid(&mesh, 4, 4, &fabric);
        // A thread in the middle of the cloth, stretched by a tenth.
        let thread = c.threads.iter().find(|t| t.ends == [12, 17]).unwrap();
        let x = [DVec3::ZERO, DVec3::X * 0.11];
        let density = thread.gradient(x)[1] / (0.1 * 0.1);
        let printed = fabric.weft / (0.1 * 0.1) * (0.11 - 0.1);
        assert!((density.x - printed).abs() < 1e-9 * printed);
    }

    #[test]
    fn a_folded_cell_is_resisted_though_its_middle_is_not_sheared() {
        let fabric =
            Fabric { weft: 1.0, warp: 1.0, bend_weft: 0.0, bend_warp: 0.0, ..Fabric::default() };
        let mesh = grid(1.0, 1.0, 1, 1, Diagonals::Same);
        let c = Continuum::of_grid(&mesh, 1, 1, &fabric);
        // Opposite corners turned against each other: mean edges stay at right angles.
        let mut x = mesh.positions.clone();
        let shift = [DVec3::X, -DVec3::X, -DVec3::X, DVec3::X];
        (0..4).for_each(|k| x[k] += shift[k] * 0.1);
        let shear: f64 =
            c.corners.iter().map(|c| c.energy(&c.vertices.map(|v| x[v as usize]))).sum();
        assert!(shear > 0.1, "{shear}");
    }
}
