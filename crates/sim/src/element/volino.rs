//! Volino's triangle: strain from the elongations of its three edges (M5).
//!
//! The elongation of edge k, `λ_k = |e_k|/l_k − 1`, is the strain in its direction (c, s):
//! `λ_k = c² ε11 + s² ε22 + cs γ`. Three edges give three equations, `λ = D ε`, so the energy of the
//! fabric is `½ λᵀ K λ` with `K = A D⁻ᵀ C D⁻¹`: springs along the edges whose tensions `K λ` know of each
//! other [volino1995, eg2004garments]. A mass-spring triangle is the same with a diagonal K, and that
//! is why it cannot have the fabric's shear and contraction.
//!
//! The Hessian is exact; where it must be definite, edges under pressure lose their geometric part
//! (compressed springs buckle sideways).
//!
//! Limits: linear in the elongations, so exact for small strain; at a shear of 10 % the energy of
//! an affine map differs by a few percent from mesh to mesh.

use super::definite::{add_blocks, outer};
use super::stiffness::{invert, multiply};
use super::{Blocks, Element, Membrane};
use glam::{DMat3, DVec2, DVec3};
use toile_mesh::TriMesh;

/// A triangle whose edges share their tension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volino {
    /// Its vertices.
    pub vertices: [u32; 3],
    /// Rest lengths [m]; edge k joins corners k and k + 1.
    pub lengths: [f64; 3],
    /// K [J]: tension times length per elongation.
    pub stiffness: [[f64; 3]; 3],
}

impl Volino {
    /// The triangle with these material corners; `None` if it has no area.
    pub fn new(vertices: [u32; 3], uv: [DVec2; 3], membrane: &Membrane) -> Option<Self> {
        let edges: [DVec2; 3] = std::array::from_fn(|k| uv[(k + 1) % 3] - uv[k]);
        let lengths = edges.map(|e| e.length());
        if lengths.contains(&0.0) {
            return None;
        }
        let directions: [[f64; 3]; 3] = std::array::from_fn(|k| {
            let d = edges[k] / lengths[k];
            [d.x * d.x, d.y * d.y, d.x * d.y]
        });
        let strain = invert(&directions)?;
        let area = 0.5 * edges[0].perp_dot(edges[1]).abs();
        let c = membrane.matrix();
        let stiffness = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let stress = multiply(&c, std::array::from_fn(|k| strain[k][j]));
                area * (0..3).map(|k| strain[k][i] * stress[k]).sum::<f64>()
            })
        });
        Some(Self { vertices, lengths, stiffness })
    }

    /// All triangles of a mesh with material coordinates; those without area are left out.
    pub fn of_mesh(mesh: &TriMesh, membrane: &Membrane) -> Vec<Self> {
        (0..mesh.triangles.len())
            .filter_map(|t| Self::new(mesh.triangles[t], mesh.corners_uv(t), membrane))
            .collect()
    }

    /// Edges, their lengths, and the forces along them.
    fn edges(&self, x: &[DVec3; 3]) -> ([DVec3; 3], [f64; 3], [f64; 3]) {
        let edges: [DVec3; 3] = std::array::from_fn(|k| x[(k + 1) % 3] - x[k]);
        let now = edges.map(|e| e.length());
        let pull = multiply(&self.stiffness, self.elongations(&now));
        (edges, now, std::array::from_fn(|k| pull[k] / self.lengths[k]))
    }

    fn elongations(&self, now: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| now[k] / self.lengths[k] - 1.0)
    }
}

impl Element<3> for Volino {
    fn vertices(&self) -> [u32; 3] {
        self.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        let now = std::array::from_fn(|k| x[(k + 1) % 3].distance(x[k]));
        let l = self.elongations(&now);
        let t = multiply(&self.stiffness, l);
        0.5 * (t[0] * l[0] + t[1] * l[1] + t[2] * l[2])
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        let (edges, now, tension) = self.edges(x);
        let mut g = [DVec3::ZERO; 3];
        for k in 0..3 {
            if now[k] > 0.0 {
                let along = edges[k] * (tension[k] / now[k]);
                g[(k + 1) % 3] += along;
                g[k] -= along;
            }
        }
        g
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        let (edges, now, tension) = self.edges(x);
        // Gradients of the elongations.
        let slopes: [[DVec3; 3]; 3] = std::array::from_fn(|k| {
            let mut s = [DVec3::ZERO; 3];
            if now[k] > 0.0 {
                let along = edges[k] / (now[k] * self.lengths[k]);
                s[(k + 1) % 3] = along;
                s[k] = -along;
            }
            s
        });
        let mut h: Blocks<3> = std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                (0..9)
                    .map(|m| {
                        outer(slopes[m / 3][a], slopes[m % 3][b]) * self.stiffness[m / 3][m % 3]
                    })
                    .sum()
            })
        });
        for k in 0..3 {
            if now[k] == 0.0 || (definite && tension[k] < 0.0) {
                continue;
            }
            let n = edges[k] / now[k];
            let across = (DMat3::IDENTITY - outer(n, n)) * (tension[k] / now[k]);
            let mut part = [[DMat3::ZERO; 3]; 3];
            let (a, b) = (k, (k + 1) % 3);
            part[a][a] = across;
            part[b][b] = across;
            part[a][b] = -across;
            part[b][a] = -across;
            add_blocks(&mut h, &part);
        }
        h
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Dice};
    use super::*;

    const WOVEN: Membrane = Membrane { c11: 200.0, c12: 40.0, c22: 900.0, c33: 50.0 };

    #[test]
    fn derivatives_match_differences() {
        let uv = [DVec2::new(0.0, 0.1), DVec2::new(1.0, 0.0), DVec2::new(0.3, 0.8)];
        let e = Volino::new([0, 1, 2], uv, &WOVEN).unwrap();
        let flat = uv.map(|p| DVec3::new(p.x, p.y, 0.0));
        for seed in 1..6 {
            let mut dice = Dice(seed);
            check::all(&e, &flat.map(|p| p + dice.vector() * 0.2));
        }
        check::at_rest(&e, &flat, 900.0);
        assert!(Volino::new([0, 1, 2], [uv[0], uv[1], uv[1]], &WOVEN).is_none());
    }
}
