//! Springs of grids and of any triangle mesh (M1, M4).
//!
//! `E = ½ k (|d| − l₀)²`, `d = x_a − x_b`, so the force on a is `−k (|d| − l₀) d/|d|` [provot1995].
//!
//! A grid has structural springs to its neighbours, shear springs across its cells and bend springs
//! to every second neighbour; a triangle mesh has springs along its edges and bend springs across
//! them. Their constants come from the fabric:
//!
//! - along a thread that stands for a strip of width w: `k = Y w / l`;
//! - across a cell a × b, from the energy of a pure shear: `k = G (a² + b²) / (2ab)`;
//! - over two cells: a chord of length 2l on curvature κ is shorter by l³κ²/3, so its energy grows
//!   with κ⁴ and has no rigidity of its own. It is made to agree with the plate's ½Bκ² l w at
//!   κ = 1/(2l): `k = 36 B w / l³`.
//!
//! Limits: mass-spring cloth resists bending wrongly (κ⁴) and its shear and Poisson effect depend on
//! the mesh. That is the model of 1995; better ones are elsewhere.

use super::definite::outer;
use super::{Blocks, Element};
use crate::Fabric;
use glam::{DMat3, DVec2, DVec3};
use toile_mesh::{NONE, Topology, TriMesh};

/// What a spring resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Stretch along a thread, or an edge of a triangle.
    Structural,
    /// Shear across a cell.
    Shear,
    /// Bending over two cells.
    Bend,
}

/// A spring between two vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its ends.
    pub ends: [u32; 2],
    /// What it resists.
    pub kind: Kind,
    /// Rest length [m].
    pub rest: f64,
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Damping [N·s/m].
    pub damping: f64,
}

impl Spring {
    /// Elastic energy [J].
    pub fn energy(&self, x: [DVec3; 2]) -> f64 {
        let stretch = x[0].distance(x[1]) - self.rest;
        0.5 * self.stiffness * stretch * stretch
    }

    /// Gradient of the energy at both ends [N]; the force is its negative.
    #[inline]
    pub fn gradient(&self, x: [DVec3; 2]) -> [DVec3; 2] {
        let d = x[0] - x[1];
        let length = d.length();
        // Ends on one spot have no direction to be pushed apart along.
        if length == 0.0 {
            return [DVec3::ZERO; 2];
        }
        let g = d * (self.stiffness * (length - self.rest) / length);
        [g, -g]
    }

    /// Second derivative at end 0, twice; the mixed one is its negative [N/m].
    pub fn hessian(&self, x: [DVec3; 2]) -> DMat3 {
        let d = x[0] - x[1];
        let length = d.length();
        let n = d / length;
        let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        let across = 1.0 - self.rest / length;
        (outer + (DMat3::IDENTITY - outer) * across) * self.stiffness
    }

    /// Damping force on end 0, along the spring only: rigid rotation is free.
    #[inline]
    pub fn damping_projected(&self, x: [DVec3; 2], v: [DVec3; 2]) -> DVec3 {
        let d = x[0] - x[1];
        let len2 = d.length_squared();
        if len2 == 0.0 { DVec3::ZERO } else { d * (-self.damping * (v[0] - v[1]).dot(d) / len2) }
    }

    /// Damping force on end 0, in all directions: slows rigid rotation too.
    #[inline]
    pub fn damping_isotropic(&self, v: [DVec3; 2]) -> DVec3 {
        (v[0] - v[1]) * -self.damping
    }
}

impl Element<2> for Spring {
    fn vertices(&self) -> [u32; 2] {
        self.ends
    }

    fn energy(&self, x: &[DVec3; 2]) -> f64 {
        Self::energy(self, *x)
    }

    fn gradient(&self, x: &[DVec3; 2]) -> [DVec3; 2] {
        Self::gradient(self, *x)
    }

    fn hessian(&self, x: &[DVec3; 2], definite: bool) -> Blocks<2> {
        let d = x[0] - x[1];
        let length = d.length();
        let h = if length == 0.0 {
            // No direction: stiff along none more than another.
            DMat3::IDENTITY * self.stiffness
        } else if definite && length < self.rest {
            // A compressed spring buckles sideways; without that part it is definite.
            let n = d / length;
            outer(n, n) * self.stiffness
        } else {
            Self::hessian(self, *x)
        };
        [[h, -h], [-h, h]]
    }
}

/// Springs of a grid of `nu` × `nv` cells as made by [`toile_mesh::shape::grid`].
pub fn of_grid(mesh: &TriMesh, nu: usize, nv: usize, fabric: &Fabric) -> Vec<Spring> {
    let vertex = |i: usize, j: usize| (i * (nv + 1) + j) as u32;
    let uv = |v: u32| mesh.uv[v as usize];
    let mut springs = Vec::with_capacity(6 * (nu + 1) * (nv + 1));
    let mut add = |a: u32, b: u32, kind: Kind, stiffness: f64| {
        let rest = uv(a).distance(uv(b));
        springs.push(Spring { ends: [a, b], kind, rest, stiffness, damping: 0.0 });
    };
    let cell = (uv(vertex(1, 1)) - uv(vertex(0, 0))).abs();
    let (lu, lv) = (cell.x, cell.y);
    // A thread on the rim stands for half a strip.
    let share = |k: usize, n: usize| if k == 0 || k == n { 0.5 } else { 1.0 };
    let across = fabric.shear * (lu * lu + lv * lv) / (2.0 * lu * lv);
    for i in 0..=nu {
        for j in 0..=nv {
            let v = vertex(i, j);
            if i < nu {
                let k = fabric.weft * lv * share(j, nv) / lu;
                add(v, vertex(i + 1, j), Kind::Structural, k);
            }
            if j < nv {
                let k = fabric.warp * lu * share(i, nu) / lv;
                add(v, vertex(i, j + 1), Kind::Structural, k);
            }
            if i < nu && j < nv {
                add(v, vertex(i + 1, j + 1), Kind::Shear, across);
                add(vertex(i + 1, j), vertex(i, j + 1), Kind::Shear, across);
            }
            if i + 2 <= nu {
                let k = 36.0 * fabric.bend_weft * lv * share(j, nv) / (lu * lu * lu);
                add(v, vertex(i + 2, j), Kind::Bend, k);
            }
            if j + 2 <= nv {
                let k = 36.0 * fabric.bend_warp * lu * share(i, nu) / (lv * lv * lv);
                add(v, vertex(i, j + 2), Kind::Bend, k);
            }
        }
    }
    springs
}

/// Springs of any triangle mesh: along its edges, and across them from tip to tip (M4).
///
/// An edge stands for the strip `w = (A₁ + A₂)/l` beside it; its stiffness is the fabric's in its
/// direction, weft and warp weighted by the squared direction cosines.
pub fn of_triangles(mesh: &TriMesh, topology: &Topology, fabric: &Fabric) -> Vec<Spring> {
    let mut springs = Vec::with_capacity(2 * topology.edges.len());
    for (e, edge) in topology.edges.iter().enumerate() {
        let sides: Vec<u32> = edge.triangles.into_iter().filter(|t| *t != NONE).collect();
        let Some(along) = material_edge(mesh, topology, e, sides[0]) else { continue };
        let area: f64 = sides.iter().map(|t| material_area(mesh, *t)).sum();
        let rest = along.length();
        let cos2 = along.x * along.x / (rest * rest);
        let tensile = fabric.weft * cos2 + fabric.warp * (1.0 - cos2);
        springs.push(Spring {
            ends: edge.vertices,
            kind: Kind::Structural,
            rest,
            stiffness: tensile * (area / rest) / rest,
            damping: 0.0,
        });
        if let [a, b] = sides[..] {
            springs.extend(across_edge(mesh, [a, b], edge.vertices, along, area, fabric));
        }
    }
    springs
}

/// The spring from tip to tip over an inner edge.
fn across_edge(
    mesh: &TriMesh,
    sides: [u32; 2],
    edge: [u32; 2],
    along: DVec2,
    area: f64,
    fabric: &Fabric,
) -> Option<Spring> {
    let tip = |t: u32| mesh.triangles[t as usize].into_iter().find(|v| !edge.contains(v));
    let ends = [tip(sides[0])?, tip(sides[1])?];
    let l = along.length();
    // Unfolded flat, the tips are as far apart as the triangles' heights and their shift say.
    let foot = |t: u32, v: u32| {
        let k = mesh.triangles[t as usize].iter().position(|c| *c == v)?;
        let uv = mesh.corners_uv(t as usize);
        let from = mesh.triangles[t as usize].iter().position(|c| *c == edge[0])?;
        let to = mesh.triangles[t as usize].iter().position(|c| *c == edge[1])?;
        let axis = (uv[to] - uv[from]) / l;
        let arm = uv[k] - uv[from];
        Some((arm.dot(axis), arm.perp_dot(axis).abs()))
    };
    let ((s0, h0), (s1, h1)) = (foot(sides[0], ends[0])?, foot(sides[1], ends[1])?);
    let rest = (s0 - s1).hypot(h0 + h1);
    let half = 0.5 * rest;
    // Bending happens across the edge: the rigidity of the direction at right angles to it.
    let cos2 = along.y * along.y / (l * l);
    let rigidity = fabric.bend_weft * cos2 + fabric.bend_warp * (1.0 - cos2);
    let width = area / half;
    let stiffness = 36.0 * rigidity * width / (half * half * half);
    (ends[0] != ends[1]).then_some(Spring { ends, kind: Kind::Bend, rest, stiffness, damping: 0.0 })
}

/// Material direction of edge `e`, as seen by triangle `t`.
fn material_edge(mesh: &TriMesh, topology: &Topology, e: usize, t: u32) -> Option<DVec2> {
    let k = topology.triangle_edges[t as usize].iter().position(|x| *x as usize == e)?;
    let uv = mesh.corners_uv(t as usize);
    Some(uv[(k + 1) % 3] - uv[k])
}

/// Rest area of a triangle [m²].
fn material_area(mesh: &TriMesh, t: u32) -> f64 {
    let [a, b, c] = mesh.corners_uv(t as usize);
    0.5 * (b - a).perp_dot(c - a).abs()
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    const SPRING: Spring =
        Spring { ends: [0, 1], kind: Kind::Structural, rest: 0.7, stiffness: 30.0, damping: 2.0 };
    const X: [DVec3; 2] = [DVec3::new(0.3, -0.2, 0.9), DVec3::new(-0.5, 0.4, 0.1)];

    #[test]
    fn the_gradient_matches_differences_of_the_energy() {
        let g = SPRING.gradient(X);
        for end in 0..2 {
            for k in 0..3 {
                let shifted = |s: f64| {
                    let mut x = X;
                    x[end][k] += s;
                    SPRING.energy(x)
                };
                let numeric = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                assert!((g[end][k] - numeric).abs() < 1e-7, "{} {numeric}", g[end][k]);
            }
        }
    }

    #[test]
    fn the_hessian_matches_differences_of_the_gradient() {
        let h = SPRING.hessian(X);
        for k in 0..3 {
            let shifted = |s: f64| {
                let mut x = X;
                x[0][k] += s;
                SPRING.gradient(x)[0]
            };
            let numeric = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((h.col(k) - numeric).length() < 1e-7);
        }
    }

    #[test]
    fn a_spring_is_an_element_also_when_compressed() {
        check::all(&SPRING, &X);
        check::all(&Spring { rest: 1.9, ..SPRING }, &X);
        check::at_rest(&Spring { rest: X[0].distance(X[1]), ..SPRING }, &X, 30.0);
    }

    #[test]
    fn a_rigid_rotation_costs_projected_damping_nothing() {
        let spin = DVec3::new(0.3, 1.0, -0.4);
        let v = X.map(|x| spin.cross(x));
        assert!(SPRING.damping_projected(X, v).length() < 1e-12);
        assert!(SPRING.damping_isotropic(v).length() > 0.1);
    }

    #[test]
    fn a_stretched_grid_carries_the_fabric_tension() {
        let (fabric, n) = (Fabric { shear: 0.0, ..Fabric::default() }, 6);
        let mesh = grid(1.0, 0.5, n, n, Diagonals::Alternating);
        let strain = 1e-3;
        let springs =
            of_grid(&mesh, n, n, &Fabric { bend_weft: 0.0, bend_warp: 0.0, ..fabric.clone() });
        let x = |v: u32| {
            let p = mesh.uv[v as usize];
            DVec3::new(p.x * (1.0 + strain), p.y, 0.0)
        };
        let energy: f64 = springs.iter().map(|s| s.energy(s.ends.map(x))).sum();
        let exact = 0.5 * fabric.weft * strain * strain * 0.5;
        assert!((energy / exact - 1.0).abs() < 1e-9, "{energy} {exact}");
    }

    #[test]
    fn a_sheared_grid_has_the_fabric_shear_energy() {
        let fabric = Fabric { bend_weft: 0.0, bend_warp: 0.0, ..Fabric::default() };
        let mesh = grid(0.6, 0.6, 6, 6, Diagonals::Alternating);
        let springs = of_grid(&mesh, 6, 6, &fabric);
        let gamma = 1e-5;
        let x = |v: u32| {
            let p = mesh.uv[v as usize];
            DVec3::new(p.x + gamma * p.y, p.y, 0.0)
        };
        let energy: f64 = springs.iter().map(|s| s.energy(s.ends.map(x))).sum();
        let exact = 0.5 * fabric.shear * gamma * gamma * 0.36;
        assert!((energy / exact - 1.0).abs() < 1e-3, "{energy} {exact}");
    }

    #[test]
    fn springs_of_a_flat_mesh_are_at_rest() {
        let mesh = grid(0.7, 0.4, 5, 3, Diagonals::Alternating);
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let springs = of_triangles(&mesh, &topology, &Fabric::default());
        let inner = topology.edges.iter().filter(|e| e.valence == 2).count();
        assert_eq!(springs.len(), topology.edges.len() + inner);
        for s in springs {
            let x = s.ends.map(|v| mesh.positions[v as usize]);
            assert!(s.energy(x) < 1e-20 && s.stiffness > 0.0 && s.rest > 0.0);
        }
    }
}
