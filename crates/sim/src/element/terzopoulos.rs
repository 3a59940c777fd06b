//! The elastic surface of Terzopoulos on a grid (M10).
//!
//! The energy is the difference of the first fundamental form (metric) `G_ij = r_i·r_j` and of the
//! second (curvature) `B_ij = n·r_ij` from their rest values,
//! `∫ Σ η_ij (G_ij − G⁰_ij)² + Σ ξ_ij (B_ij − B⁰_ij)²` [terzopoulos1987, liu1998], by finite differences on a
//! grid, flat at rest. With the fabric's constants η11 = Y₁/8, η22 = Y₂/8, η12 + η21 = G/2 (Green strain is half
//! the change of the metric), ξ11 = B₁/2, ξ22 = B₂/2, ξ12 + ξ21 = B12/2.
//!
//! - [`Edge`]: the metric along a thread; [`Corner`]: its mixed entry where two threads meet;
//! - [`Node`]: the three curvatures at an inner node from its eight neighbours, with the normal's own
//!   change in the gradient. Its Hessian is Gauss–Newton.
//!
//! The semi-implicit step ([`Surface::system`]) writes the elastic force as K(r) r with coefficients
//! of the present state and solves `A_t r_{t+h} = g_t`, `A_t = K + M/h² + C/2h`,
//! `g_t = f + (M/h² + C/2h) r_t + (M/h − C/2) v_t`: three systems with one matrix, for x, y and z.
//!
//! **Erratum**: the paper's bending coefficient is β = ξ (B − B⁰) on second differences of r. For a sheet
//! flat at rest it vanishes with the curvature, and so would all bending stiffness. Here K has the
//! constant ξ (second differences lie along the normal while the sheet does not stretch).
//!
//! Limits: regular grids. The coefficients of K are secants, without the stiffness along a stretched
//! thread: only bending is implicit, and for stretch the step is limited as in explicit methods
//! (h below 2 √(m/k)). Compressed threads have negative α, which large steps cannot stand; they may be
//! cut off at zero.

use super::continuum::{Continuum, Corner};
use super::definite::{add_blocks, outer, outer_blocks};
use super::laplacian::{Plate, Stencil};
use super::{Bending, Blocks, Element};
use crate::Fabric;
use glam::{DMat3, DVec3};
use toile_mesh::TriMesh;

/// The metric along a thread: `½ k (|d|²/l² − 1)²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Its ends.
    pub vertices: [u32; 2],
    /// Rest length [m].
    pub rest: f64,
    /// Stiffness Y w l/4 [J].
    pub stiffness: f64,
}

impl Edge {
    /// α: the gradient is α d.
    fn alpha(&self, x: &[DVec3; 2]) -> f64 {
        let square = self.rest * self.rest;
        2.0 * self.stiffness * (x[0].distance_squared(x[1]) / square - 1.0) / square
    }
}

impl Element<2> for Edge {
    fn vertices(&self) -> [u32; 2] {
        self.vertices
    }

    fn energy(&self, x: &[DVec3; 2]) -> f64 {
        let g = x[0].distance_squared(x[1]) / (self.rest * self.rest) - 1.0;
        0.5 * self.stiffness * g * g
    }

    fn gradient(&self, x: &[DVec3; 2]) -> [DVec3; 2] {
        let g = (x[0] - x[1]) * self.alpha(x);
        [g, -g]
    }

    fn hessian(&self, x: &[DVec3; 2], definite: bool) -> Blocks<2> {
        let d = x[0] - x[1];
        let alpha = if definite { self.alpha(x).max(0.0) } else { self.alpha(x) };
        let h = outer(d, d) * (4.0 * self.stiffness / self.rest.powi(4)) + DMat3::IDENTITY * alpha;
        [[h, -h], [-h, h]]
    }
}

/// The curvatures at an inner node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The node and its neighbours, row by row: index 3 (i + 1) + j + 1 for the offset (i, j) along
    /// weft and warp; the node itself is number 4.
    pub vertices: [u32; 9],
    /// Distances of the grid along weft and warp [m].
    pub spacing: [f64; 2],
    /// Stiffness of κ11, κ22 and κ12, times the area of a cell [J·m²].
    pub stiffness: [f64; 3],
}

impl Node {
    /// Weights of the second differences r_uu, r_vv, r_uv.
    fn weights(&self) -> [[f64; 9]; 3] {
        let [u, v] = self.spacing;
        let (a, b, c) = (1.0 / (u * u), 1.0 / (v * v), 0.25 / (u * v));
        [
            [0.0, a, 0.0, 0.0, -2.0 * a, 0.0, 0.0, a, 0.0],
            [0.0, 0.0, 0.0, b, -2.0 * b, b, 0.0, 0.0, 0.0],
            [c, 0.0, -c, 0.0, 0.0, 0.0, -c, 0.0, c],
        ]
    }

    /// Curvatures and their gradients.
    fn curvatures(&self, x: &[DVec3; 9]) -> [(f64, [DVec3; 9]); 3] {
        let (su, sv) =
            ((x[7] - x[1]) / (2.0 * self.spacing[0]), (x[5] - x[3]) / (2.0 * self.spacing[1]));
        let normal = su.cross(sv);
        let length = normal.length();
        if length == 0.0 {
            return [(0.0, [DVec3::ZERO; 9]); 3];
        }
        let n = normal / length;
        self.weights().map(|w| {
            let second: DVec3 = w.iter().zip(x).map(|(w, x)| *x * *w).sum();
            let mut g = w.map(|w| n * w);
            // The normal turns with its neighbours: r_ij·dn = q·(ds_u × s_v + s_u × ds_v).
            let q = (second - n * n.dot(second)) / length;
            let (by_u, by_v) =
                (sv.cross(q) / (2.0 * self.spacing[0]), q.cross(su) / (2.0 * self.spacing[1]));
            g[7] += by_u;
            g[1] -= by_u;
            g[5] += by_v;
            g[3] -= by_v;
            (n.dot(second), g)
        })
    }
}

impl Element<9> for Node {
    fn vertices(&self) -> [u32; 9] {
        self.vertices
    }

    fn energy(&self, x: &[DVec3; 9]) -> f64 {
        let k = self.curvatures(x);
        (0..3).map(|i| 0.5 * self.stiffness[i] * k[i].0 * k[i].0).sum()
    }

    fn gradient(&self, x: &[DVec3; 9]) -> [DVec3; 9] {
        let k = self.curvatures(x);
        std::array::from_fn(|a| (0..3).map(|i| k[i].1[a] * (self.stiffness[i] * k[i].0)).sum())
    }

    fn hessian(&self, x: &[DVec3; 9], _: bool) -> Blocks<9> {
        let mut h = [[DMat3::ZERO; 9]; 9];
        for (i, (_, g)) in self.curvatures(x).iter().enumerate() {
            add_blocks(&mut h, &outer_blocks(self.stiffness[i], g));
        }
        h
    }
}

/// An elastic surface on a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Metric along the threads.
    pub edges: Vec<Edge>,
    /// Metric between them.
    pub corners: Vec<Corner>,
    /// Curvature.
    pub nodes: Vec<Node>,
    /// Second differences with the constants of K.
    pub plate: Plate,
}

/// The systems of a semi-implicit step: one matrix, three right sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// Rows of A_t: columns in ascending order, with their values [kg/s²].
    pub rows: Vec<Vec<(u32, f64)>>,
    /// g_t, for x, y and z [N].
    pub right: Vec<DVec3>,
}

/// What a semi-implicit step is taken from.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Positions [m].
    pub x: &'a [DVec3],
    /// Velocities over the step before [m/s].
    pub v: &'a [DVec3],
    /// Outer forces [N].
    pub force: &'a [DVec3],
    /// Masses [kg].
    pub mass: &'a [f64],
    /// Damping of each node [kg/s].
    pub damping: f64,
    /// Length of the step [s].
    pub h: f64,
    /// Whether coefficients of compressed threads are cut off at zero.
    pub definite: bool,
}

impl Surface {
    /// The surface of a grid of `nu` × `nv` cells as made by [`toile_mesh::shape::grid`].
    pub fn of_grid(mesh: &TriMesh, nu: usize, nv: usize, fabric: &Fabric) -> Self {
        let Continuum { threads, corners, plate } = Continuum::of_grid(mesh, nu, nv, fabric);
        // A spring has ½ (Y w/l) (d − l)²; with d − l = l e this is ½ (Y w l) e², e half the metric.
        let edges = threads
            .iter()
            .map(|t| Edge {
                vertices: t.ends,
                rest: t.rest,
                stiffness: 0.25 * t.stiffness * t.rest * t.rest,
            })
            .collect();
        let vertex = |i: usize, j: usize| i * (nv + 1) + j;
        let cell = (mesh.uv[vertex(1, 1)] - mesh.uv[vertex(0, 0)]).abs();
        let b = Bending::of_fabric(fabric);
        let area = cell.x * cell.y;
        let mut nodes = Vec::with_capacity(nu * nv);
        for i in 1..nu {
            for j in 1..nv {
                nodes.push(Node {
                    vertices: std::array::from_fn(|k| vertex(i + k / 3 - 1, j + k % 3 - 1) as u32),
                    spacing: [cell.x, cell.y],
                    stiffness: [b.weft * area, b.warp * area, b.twist * area],
                });
            }
        }
        Self { edges, corners, nodes, plate }
    }

    /// Elastic energy [J].
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        sum(&self.edges, x) + sum(&self.corners, x) + sum(&self.nodes, x)
    }

    /// Gradient of the energy [N].
    pub fn gradient(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut g = vec![DVec3::ZERO; x.len()];
        scatter(&self.edges, x, &mut g);
        scatter(&self.corners, x, &mut g);
        scatter(&self.nodes, x, &mut g);
        g
    }

    /// The systems of a semi-implicit step.
    pub fn system(&self, step: &Step<'_>) -> System {
        let at = |v: u32| step.x[v as usize];
        let mut entries: Vec<(u32, u32, f64)> = Vec::with_capacity(40 * step.x.len());
        let cut = |value: f64| if step.definite { value.max(0.0) } else { value };
        for e in &self.edges {
            let alpha = cut(e.alpha(&e.vertices.map(at)));
            add(&mut entries, &e.vertices, |a, b| if a == b { alpha } else { -alpha });
        }
        for c in &self.corners {
            let x = c.vertices.map(at);
            let pull = c.stiffness * (x[1] - x[0]).dot(x[2] - x[0]);
            // As in the corner's Hessian: a convex and a concave half.
            for (w, half) in [([-2.0, 1.0, 1.0], 0.5 * pull), ([0.0, 1.0, -1.0], -0.5 * pull)] {
                let half = cut(half);
                add(&mut entries, &c.vertices, |a, b| half * w[a] * w[b]);
            }
        }
        add_stencils(&mut entries, &self.plate.lines);
        add_stencils(&mut entries, &self.plate.crosses);
        add_stencils(&mut entries, &self.plate.cells);
        let (h, c) = (step.h, step.damping);
        let mut right = Vec::with_capacity(step.x.len());
        for (v, m) in step.mass.iter().enumerate() {
            let inertia = m / (h * h) + c / (2.0 * h);
            entries.push((v as u32, v as u32, inertia));
            right.push(step.force[v] + step.x[v] * inertia + step.v[v] * (m / h - 0.5 * c));
        }
        // Stable: equal entries add up in the order they came.
        entries.sort_by_key(|e| (e.0, e.1));
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); step.x.len()];
        for (row, column, value) in entries {
            let row = &mut rows[row as usize];
            match row.last_mut() {
                Some(last) if last.0 == column => last.1 += value,
                _ => row.push((column, value)),
            }
        }
        System { rows, right }
    }
}

fn add<const N: usize>(
    entries: &mut Vec<(u32, u32, f64)>,
    vertices: &[u32; N],
    value: impl Fn(usize, usize) -> f64,
) {
    for a in 0..N {
        for b in 0..N {
            entries.push((vertices[a], vertices[b], value(a, b)));
        }
    }
}

fn add_stencils<const N: usize>(entries: &mut Vec<(u32, u32, f64)>, stencils: &[Stencil<N>]) {
    for s in stencils {
        add(entries, &s.vertices, |a, b| s.stiffness * s.weights[a] * s.weights[b]);
    }
}

fn sum<const N: usize, E: Element<N>>(elements: &[E], x: &[DVec3]) -> f64 {
    elements.iter().map(|e| e.energy(&e.vertices().map(|v| x[v as usize]))).sum()
}

fn scatter<const N: usize, E: Element<N>>(elements: &[E], x: &[DVec3], g: &mut [DVec3]) {
    for e in elements {
        let vertices = e.vertices();
        for (v, part) in vertices.into_iter().zip(e.gradient(&vertices.map(|v| x[v as usize]))) {
            g[v as usize] += part;
        }
    }
}

#[cfg(test)]
mod tests;
