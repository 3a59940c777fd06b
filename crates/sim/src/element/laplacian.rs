//! Linear bending: thin plate on grids, surface Laplacian on any mesh (M7, M8, M11).
//!
//! A [`Stencil`] is `½ k |Σ w_a x_a|²`: quadratic in the positions, so its Hessian never changes and
//! can be factored once.
//!
//! - On a grid, second differences along weft and warp and the mixed one over each cell give the
//!   thin-plate energy `½ ∫ B1 |x_uu|² + 2 ν √(B1 B2) x_uu·x_vv + B2 |x_vv|² + B12 |x_uv|²`
//!   [etzmuss2003particle] ([`of_grid`]).
//! - On a triangle mesh the jump of the gradient over an edge, by cotangents, gives quadratic
//!   isometric bending [bergou2006] ([`of_mesh`]): `½ B |K x|²/(A₁ + A₂)` per inner edge, with
//!   `|K x| = 2 |e| sin(θ/2)`. **Erratum**: the paper's factor 3/(A₁ + A₂) counts thirds of areas
//!   and is three times too stiff against a plate; see `hinge`.
//! - Along a fixed normal only, `½ k (n·Σ w_a x_a)²`, it is the surface Laplacian projected on
//!   normals of [etzmuss2003fem]: stretching is not resisted twice ([`Projected`]).
//!
//! Limits: exact only for sheets that do not stretch; a stretched sheet is pulled together (not
//! [`Projected`]). The mesh errors of [`of_mesh`] are those of the hinge. Rest shape is flat.

use super::definite::outer;
use super::{Bending, Blocks, Element, hinge};
use glam::{DMat3, DVec2, DVec3};
use toile_mesh::{Topology, TriMesh};

/// A linear combination of positions that wants to vanish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stencil<const N: usize> {
    /// Its vertices.
    pub vertices: [u32; N],
    /// Their weights; they add up to zero.
    pub weights: [f64; N],
    /// Stiffness [N/m per squared weight].
    pub stiffness: f64,
}

impl<const N: usize> Stencil<N> {
    fn sum(&self, x: &[DVec3; N]) -> DVec3 {
        self.weights.iter().zip(x).map(|(w, x)| *x * *w).sum()
    }
}

impl<const N: usize> Element<N> for Stencil<N> {
    fn vertices(&self) -> [u32; N] {
        self.vertices
    }

    fn energy(&self, x: &[DVec3; N]) -> f64 {
        0.5 * self.stiffness * self.sum(x).length_squared()
    }

    fn gradient(&self, x: &[DVec3; N]) -> [DVec3; N] {
        let pull = self.sum(x) * self.stiffness;
        self.weights.map(|w| pull * w)
    }

    fn hessian(&self, _: &[DVec3; N], _: bool) -> Blocks<N> {
        let w = &self.weights;
        std::array::from_fn(|a| {
            std::array::from_fn(|b| DMat3::IDENTITY * (self.stiffness * w[a] * w[b]))
        })
    }
}

/// A stencil that acts along a normal, which is kept while a step is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projected<const N: usize> {
    /// The stencil.
    pub stencil: Stencil<N>,
    /// Unit normal of the surface there.
    pub normal: DVec3,
}

impl<const N: usize> Element<N> for Projected<N> {
    fn vertices(&self) -> [u32; N] {
        self.stencil.vertices
    }

    fn energy(&self, x: &[DVec3; N]) -> f64 {
        let along = self.stencil.sum(x).dot(self.normal);
        0.5 * self.stencil.stiffness * along * along
    }

    fn gradient(&self, x: &[DVec3; N]) -> [DVec3; N] {
        let along = self.stencil.sum(x).dot(self.normal);
        self.stencil.weights.map(|w| self.normal * (self.stencil.stiffness * along * w))
    }

    fn hessian(&self, _: &[DVec3; N], _: bool) -> Blocks<N> {
        let across = outer(self.normal, self.normal) * self.stencil.stiffness;
        let w = &self.stencil.weights;
        std::array::from_fn(|a| std::array::from_fn(|b| across * (w[a] * w[b])))
    }
}

/// The stencils of a thin plate on a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plate {
    /// Second differences along a line.
    pub lines: Vec<Stencil<3>>,
    /// Second differences along both lines through a node, where contraction couples them.
    pub crosses: Vec<Stencil<5>>,
    /// Mixed differences over a cell.
    pub cells: Vec<Stencil<4>>,
}

impl Plate {
    /// Energy [J].
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        fn sum<const N: usize>(stencils: &[Stencil<N>], x: &[DVec3]) -> f64 {
            stencils.iter().map(|s| s.energy(&s.vertices.map(|v| x[v as usize]))).sum()
        }
        sum(&self.lines, x) + sum(&self.crosses, x) + sum(&self.cells, x)
    }
}

/// Thin-plate stencils of a grid of `nu` × `nv` cells as made by [`toile_mesh::shape::grid`].
///
/// A node on the rim stands for half a strip along it and has no curvature across it.
pub fn of_grid(mesh: &TriMesh, nu: usize, nv: usize, bending: &Bending) -> Plate {
    let vertex = |i: usize, j: usize| (i * (nv + 1) + j) as u32;
    let cell = (mesh.uv[vertex(1, 1) as usize] - mesh.uv[vertex(0, 0) as usize]).abs();
    let (lu, lv) = (cell.x, cell.y);
    let area = lu * lv;
    let mixed = bending.poisson * (bending.weft * bending.warp).sqrt();
    let mut plate = Plate::default();
    for i in 0..=nu {
        for j in 0..=nv {
            let v = vertex(i, j);
            let (across, along) = (i > 0 && i < nu, j > 0 && j < nv);
            let line = |ends: [u32; 2], l: f64, stiffness: f64| Stencil {
                vertices: [ends[0], v, ends[1]],
                weights: [1.0, -2.0, 1.0].map(|w| w / (l * l)),
                stiffness,
            };
            let half = |inside: bool| if inside { 1.0 } else { 0.5 };
            // ½ (B1 a² + 2 M ab + B2 b²) is ½ (B1 − M²/B2) a² + ½ B2 (b + M/B2 a)².
            let coupled = across && along && mixed != 0.0;
            if across {
                let rest = if coupled { mixed * mixed / bending.warp } else { 0.0 };
                let ends = [vertex(i - 1, j), vertex(i + 1, j)];
                plate.lines.push(line(ends, lu, (bending.weft - rest) * area * half(along)));
            }
            if along {
                let ends = [vertex(i, j - 1), vertex(i, j + 1)];
                if coupled {
                    let (a, b) = (mixed / bending.warp / (lu * lu), 1.0 / (lv * lv));
                    plate.crosses.push(Stencil {
                        vertices: [vertex(i - 1, j), vertex(i + 1, j), ends[0], ends[1], v],
                        weights: [a, a, b, b, -2.0 * (a + b)],
                        stiffness: bending.warp * area,
                    });
                } else {
                    plate.lines.push(line(ends, lv, bending.warp * area * half(across)));
                }
            }
            if i < nu && j < nv {
                plate.cells.push(Stencil {
                    vertices: [v, vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)],
                    weights: [1.0, -1.0, 1.0, -1.0].map(|w| w / area),
                    stiffness: bending.twist * area,
                });
            }
        }
    }
    plate
}

/// Quadratic bending over all inner edges of a mesh.
pub fn of_mesh(mesh: &TriMesh, topology: &Topology, bending: &Bending) -> Vec<Stencil<4>> {
    // Cotangents need the material positions of each side; edges are unfolded by each triangle.
    let hinges = hinge::of_mesh(mesh, topology, bending, hinge::Curvature::GaussNewton);
    let inner = (0..topology.edges.len()).filter_map(|e| hinge::stencil(mesh, topology, e));
    let mut stencils = Vec::with_capacity(hinges.len());
    for (vertices, sides) in inner {
        let Some(h) = hinges.get(stencils.len()).filter(|h| h.vertices == vertices) else {
            continue;
        };
        let mut weights = [0.0; 4];
        let mut length = 0.0;
        for (side, t) in sides.into_iter().enumerate() {
            let uv = |v: u32| -> DVec2 {
                let k = mesh.triangles[t as usize].iter().position(|c| *c == v).unwrap_or(0);
                mesh.corners_uv(t as usize)[k]
            };
            let (a, b, tip) = (uv(vertices[0]), uv(vertices[1]), uv(vertices[2 + side]));
            let cot = |o: DVec2, p: DVec2, q: DVec2| {
                let (p, q) = (p - o, q - o);
                p.dot(q) / p.perp_dot(q).abs()
            };
            let (at_a, at_b) = (cot(a, b, tip), cot(b, a, tip));
            weights[0] += at_b;
            weights[1] += at_a;
            weights[2 + side] -= at_a + at_b;
            length += 0.5 * a.distance(b);
        }
        // The hinge has k = B l²/A with the angle; here the angle comes multiplied by l.
        stencils.push(Stencil { vertices, weights, stiffness: h.stiffness / (length * length) });
    }
    stencils
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Dice};
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    fn x<const N: usize>() -> [DVec3; N] {
        let mut dice = Dice(9);
        std::array::from_fn(|_| dice.vector())
    }

    #[test]
    fn derivatives_match_differences() {
        let weights = [1.0, -2.5, 0.7, 0.8];
        let stencil = Stencil { vertices: [0, 1, 2, 3], weights, stiffness: 3.0 };
        check::gradient(&stencil, &x());
        check::hessian(&stencil, &x());
        check::definite(&stencil, &x());
        let projected = Projected { stencil, normal: DVec3::new(0.6, 0.0, 0.8) };
        check::gradient(&projected, &x());
        check::hessian(&projected, &x());
        check::definite(&projected, &x());
    }

    fn bent(mesh: &TriMesh, k: [f64; 3]) -> Vec<DVec3> {
        let z = |p: DVec2| 0.5 * k[0] * p.x * p.x + 0.5 * k[1] * p.y * p.y + k[2] * p.x * p.y;
        mesh.uv.iter().map(|p| DVec3::new(p.x, p.y, z(*p))).collect()
    }

    #[test]
    fn a_flat_sheet_is_at_rest_however_it_lies() {
        for (name, mesh) in check::meshes(5) {
            let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
            let bending = Bending { weft: 1.0, warp: 3.0, poisson: 0.2, twist: 2.0 };
            for s in of_mesh(&mesh, &topology, &bending) {
                check::at_rest(&s, &s.vertices.map(|v| mesh.positions[v as usize]), 100.0);
            }
            assert!(!name.is_empty());
        }
    }

    #[test]
    fn the_plate_on_a_grid_is_exact_but_for_the_rim() {
        let bending = Bending { weft: 1.0, warp: 3.0, poisson: 0.2, twist: 2.0 };
        let n = 20;
        let mesh = grid(1.0, 0.7, n, n, Diagonals::Same);
        let plate = of_grid(&mesh, n, n, &bending);
        // Lines along u cover all but half a cell at both ends; the coupling misses all four rims.
        let (inner, both) = (1.0 - 1.0 / n as f64, (1.0 - 1.0 / n as f64).powi(2));
        let mixed = 0.2 * 3.0_f64.sqrt();
        for k in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.5, 0.3]] {
            let exact = 0.35
                * (inner * (k[0] * k[0] + 3.0 * k[1] * k[1])
                    + both * 2.0 * mixed * k[0] * k[1]
                    + 2.0 * k[2] * k[2]);
            let energy = plate.energy(&bent(&mesh, k));
            assert!((energy / exact - 1.0).abs() < 1e-10, "{k:?} {}", energy / exact);
        }
    }

    #[test]
    fn quadratic_bending_agrees_with_the_hinge_at_small_angles() {
        for (name, mesh) in check::meshes(6) {
            let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
            let bending = Bending { weft: 1.0, warp: 3.0, poisson: 0.2, twist: 2.0 };
            let x = bent(&mesh, [1e-4, 2e-4, -1e-4]);
            let hinges = hinge::of_mesh(&mesh, &topology, &bending, hinge::Curvature::Exact);
            let stencils = of_mesh(&mesh, &topology, &bending);
            assert_eq!(hinges.len(), stencils.len());
            let ratio = check::total(&stencils, &x) / check::total(&hinges, &x);
            assert!((ratio - 1.0).abs() < 1e-6, "{name} {ratio}");
        }
    }

    #[test]
    fn only_the_projected_stencil_leaves_stretching_alone() {
        let stencil = Stencil { vertices: [0, 1, 2], weights: [1.0, -2.0, 1.0], stiffness: 1.0 };
        let uneven = [DVec3::ZERO, DVec3::X, DVec3::X * 2.3];
        assert!(stencil.energy(&uneven) > 0.01);
        assert_eq!(Projected { stencil, normal: DVec3::Y }.energy(&uneven), 0.0);
    }
}
