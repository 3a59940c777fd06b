//! Bending over an inner edge: the hinge of discrete shells (M11).
//!
//! `E = ½ B (θ − θ₀)² |e|² / (A₁ + A₂)`, with θ the angle between the normals of the two triangles
//! (zero when flat), |e| the rest length of the edge and A₁, A₂ the rest areas beside it
//! [grinspun2003]. The angle is taken with atan2: an arc cosine loses half the digits near flat.
//!
//! With e = x₁ − x₀, l = |e|, n₁ = e × (x₂ − x₀), n₂ = (x₃ − x₀) × e and u = n/|n|²:
//! `∇₂θ = −l u₁`, `∇₃θ = −l u₂`, `∇₀θ = −[(x₂−x₁)·e u₁ + (x₃−x₁)·e u₂]/l`,
//! `∇₁θ = [(x₂−x₀)·e u₁ + (x₃−x₀)·e u₂]/l`.
//!
//! The Hessian is k (∇θ ∇θᵀ + (θ − θ₀) ∇²θ), or its first part alone, which is semidefinite and
//! serves Newton's method as well (Gauss–Newton).
//!
//! **Erratum**: the factor is often coded as 3 |e|²/(A₁ + A₂), thirds of the areas being counted,
//! which is three times too stiff; with the one above a strip bent over the lines of a grid has
//! the energy of the plate.
//!
//! Limits: refinement does not remove the error on general meshes. Against the plate, a sheet with
//! one diagonal is three times too stiff when bent across it, alternating diagonals half as much
//! again, a Delaunay mesh between a few and forty percent, and twist costs two to three times too
//! much; `morley` has none of this. The angle is not defined for a triangle without area; such a
//! hinge has no force. Beyond ±π it jumps.

use super::definite::{add_blocks, from_directions, outer_blocks, project};
use super::{Bending, Blocks, Element, write_outer, write_single_outer, write_upper};
use crate::linear::Block;
use glam::{DMat3, DVec3, Mat3A};
use toile_mesh::{NONE, Topology, TriMesh};

/// How the Hessian of an angle's energy is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Curvature {
    /// The part ∇θ ∇θᵀ alone: semidefinite, cheap.
    #[default]
    GaussNewton,
    /// With ∇²θ; projected by eigenvalues where it must be definite.
    Exact,
}

/// A hinge over an inner edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// The ends of the edge, then the tips of the two triangles beside it. Seen from the front the
    /// first triangle is (0, 1, 2), the second (1, 0, 3).
    pub vertices: [u32; 4],
    /// Stiffness B |e|²/(A₁ + A₂) [N·m].
    pub stiffness: f64,
    /// Angle at rest [rad].
    pub rest: f64,
    /// Which Hessian it gives.
    pub curvature: Curvature,
}

impl Hinge {
    /// Energy, with the derivatives of the angle where asked.
    fn stretch(&self, x: &[DVec3; 4]) -> f64 {
        angle(x) - self.rest
    }
}

impl Element<4> for Hinge {
    fn vertices(&self) -> [u32; 4] {
        self.vertices
    }

    fn energy(&self, x: &[DVec3; 4]) -> f64 {
        let s = self.stretch(x);
        0.5 * self.stiffness * s * s
    }

    fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let pull = self.stiffness * self.stretch(x);
        angle_gradient(x).map(|g| g * pull)
    }

    fn upper(&self, x: &[DVec3; 4], definite: bool, upper: &mut [DMat3]) {
        match self.curvature {
            Curvature::GaussNewton => write_outer(self.stiffness, &angle_gradient(x), upper),
            Curvature::Exact => write_upper(&self.hessian(x, definite), upper),
        }
    }

    fn single_upper(&self, x: &[DVec3; 4], upper: &mut [Mat3A]) {
        match self.curvature {
            Curvature::GaussNewton => write_single_outer(self.stiffness, &angle_gradient(x), upper),
            Curvature::Exact => {
                let mut double = [DMat3::ZERO; 10];
                self.upper(x, true, &mut double);
                upper.iter_mut().zip(&double).for_each(|(to, from)| *to = Mat3A::from_f64(from));
            }
        }
    }

    fn single_upper_and_gradient(&self, x: &[DVec3; 4], upper: &mut [Mat3A]) -> [DVec3; 4] {
        let Curvature::GaussNewton = self.curvature else {
            self.single_upper(x, upper);
            return self.gradient(x);
        };
        let slopes = angle_gradient(x);
        write_single_outer(self.stiffness, &slopes, upper);
        let pull = self.stiffness * self.stretch(x);
        slopes.map(|g| g * pull)
    }

    fn hessian(&self, x: &[DVec3; 4], definite: bool) -> Blocks<4> {
        let mut h = outer_blocks(self.stiffness, &angle_gradient(x));
        if self.curvature == Curvature::Exact {
            let pull = self.stiffness * self.stretch(x);
            let second = angle_hessian(x).map(|row| row.map(|block| block * pull));
            add_blocks(&mut h, &second);
            if definite {
                return project(&h);
            }
        }
        h
    }
}

/// The angle of a hinge [rad]: zero when flat, positive when the tips bend away from the front.
pub fn angle(x: &[DVec3; 4]) -> f64 {
    let e = x[1] - x[0];
    let n1 = e.cross(x[2] - x[0]);
    let n2 = (x[3] - x[0]).cross(e);
    let l = e.length();
    if l == 0.0 {
        return 0.0;
    }
    libm::atan2(n1.cross(n2).dot(e) / l, n1.dot(n2))
}

/// Gradient of the angle [rad/m]; zero where a triangle has no area.
pub fn angle_gradient(x: &[DVec3; 4]) -> [DVec3; 4] {
    let e = x[1] - x[0];
    let n1 = e.cross(x[2] - x[0]);
    let n2 = (x[3] - x[0]).cross(e);
    let (m1, m2) = (n1.length_squared(), n2.length_squared());
    if m1 == 0.0 || m2 == 0.0 {
        return [DVec3::ZERO; 4];
    }
    // One division each: they are what this costs most.
    let l = e.length();
    let (inverse, u1, u2) = (1.0 / l, n1 * (1.0 / m1), n2 * (1.0 / m2));
    let (s1, s2) = ((x[2] - x[0]).dot(e) * inverse, (x[3] - x[0]).dot(e) * inverse);
    [u1 * (l - s1) + u2 * (l - s2), u1 * s1 + u2 * s2, u1 * -l, u2 * -l]
}

/// Second derivatives of the angle, by differentiating the formulas of the gradient.
pub fn angle_hessian(x: &[DVec3; 4]) -> Blocks<4> {
    let e = x[1] - x[0];
    let l = e.length();
    let n1 = e.cross(x[2] - x[0]);
    let n2 = (x[3] - x[0]).cross(e);
    let (m1, m2) = (n1.length_squared(), n2.length_squared());
    if m1 == 0.0 || m2 == 0.0 {
        return [[DMat3::ZERO; 4]; 4];
    }
    let (u1, u2) = (n1 / m1, n2 / m2);
    // The derivative of n/|n|² is the reflection of dn at the plane of n, over |n|².
    let inverted = |u: DVec3, m: f64, dn: DVec3| dn / m - u * (2.0 * u.dot(dn));
    from_directions(|d| {
        let de = d[1] - d[0];
        let dl = e.dot(de) / l;
        let du1 = inverted(u1, m1, de.cross(x[2] - x[0]) + e.cross(d[2] - d[0]));
        let du2 = inverted(u2, m2, (d[3] - d[0]).cross(e) + (x[3] - x[0]).cross(de));
        // Derivative of [(x2 − a)·e u1 + (x3 − a)·e u2] / l for an end a of the edge.
        let end = |a: DVec3, da: DVec3| {
            let (s1, s2) = ((x[2] - a).dot(e), (x[3] - a).dot(e));
            let ds1 = (d[2] - da).dot(e) + (x[2] - a).dot(de);
            let ds2 = (d[3] - da).dot(e) + (x[3] - a).dot(de);
            (u1 * ds1 + du1 * s1 + u2 * ds2 + du2 * s2) / l - (u1 * s1 + u2 * s2) * (dl / (l * l))
        };
        [-end(x[1], d[1]), end(x[0], d[0]), -(u1 * dl + du1 * l), -(u2 * dl + du2 * l)]
    })
}

/// The four vertices of the hinge over edge `e`, in the order [`Hinge`] wants, and the two
/// triangles; `None` on the boundary.
pub fn stencil(mesh: &TriMesh, topology: &Topology, e: usize) -> Option<([u32; 4], [u32; 2])> {
    let edge = &topology.edges[e];
    if edge.valence != 2 || edge.triangles[1] == NONE {
        return None;
    }
    let [s, t] = edge.triangles;
    let k = topology.triangle_edges[s as usize].iter().position(|k| *k as usize == e)?;
    let first = mesh.triangles[s as usize];
    let (a, b, tip) = (first[k], first[(k + 1) % 3], first[(k + 2) % 3]);
    let other = mesh.triangles[t as usize].into_iter().find(|v| *v != a && *v != b)?;
    Some(([a, b, tip, other], [s, t]))
}

/// Hinges over all inner edges of a mesh, flat at rest.
///
/// The rigidity of each is that of the direction across its edge, the mean of both sides.
pub fn of_mesh(
    mesh: &TriMesh,
    topology: &Topology,
    bending: &Bending,
    curvature: Curvature,
) -> Vec<Hinge> {
    let mut hinges = Vec::with_capacity(topology.edges.len());
    for e in 0..topology.edges.len() {
        let Some((vertices, sides)) = stencil(mesh, topology, e) else { continue };
        let (mut area, mut rigidity, mut length) = (0.0, 0.0, 0.0);
        for t in sides {
            let Some(k) = topology.triangle_edges[t as usize].iter().position(|k| *k as usize == e)
            else {
                continue;
            };
            let uv = mesh.corners_uv(t as usize);
            let along = uv[(k + 1) % 3] - uv[k];
            let l = along.length();
            area += 0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]).abs();
            rigidity += 0.5 * bending.along(-along.y / l, along.x / l);
            length += 0.5 * l;
        }
        if area > 0.0 && length > 0.0 {
            let stiffness = rigidity * length * length / area;
            hinges.push(Hinge { vertices, stiffness, rest: 0.0, curvature });
        }
    }
    hinges
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Dice};
    use super::*;

    fn hinge(curvature: Curvature) -> Hinge {
        Hinge { vertices: [0, 1, 2, 3], stiffness: 2.5, rest: 0.3, curvature }
    }

    /// A hinge folded by `fold` and shaken a little.
    fn folded(fold: f64) -> [DVec3; 4] {
        let mut dice = Dice(3);
        let (s, c) = fold.sin_cos();
        [
            DVec3::ZERO,
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::new(0.4, 0.9, 0.0),
            DVec3::new(0.7, -0.8 * c, 0.8 * s),
        ]
        .map(|p| p + dice.vector() * 0.05)
    }

    #[test]
    fn derivatives_match_differences_for_flat_and_folded_hinges() {
        for fold in [-2.6, -1.0, 0.0, 0.2, 1.5, 2.8] {
            check::all(&hinge(Curvature::Exact), &folded(fold));
            check::gradient(&hinge(Curvature::GaussNewton), &folded(fold));
            check::definite(&hinge(Curvature::GaussNewton), &folded(fold));
        }
    }

    #[test]
    fn the_angle_is_that_of_the_fold_and_changes_sign_with_it() {
        let flat = [
            DVec3::ZERO,
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::new(0.4, 0.9, 0.0),
            DVec3::new(0.7, -0.8, 0.0),
        ];
        for fold in [-3.0_f64, -0.5, 1e-9, 0.5, 3.0] {
            let mut x = flat;
            x[3] = DVec3::new(0.7, -0.8 * fold.cos(), 0.8 * fold.sin());
            assert!((angle(&x).abs() - fold.abs()).abs() < 1e-14, "{fold} {}", angle(&x));
            assert!(angle(&x) * fold < 0.0, "tips towards the front count negative");
        }
    }

    #[test]
    fn a_hinge_at_its_rest_angle_pulls_at_nothing() {
        let x = folded(0.7);
        check::at_rest(&Hinge { rest: angle(&x), ..hinge(Curvature::Exact) }, &x, 2.5);
    }

    #[test]
    fn a_triangle_without_area_has_no_force() {
        let mut x = folded(0.7);
        x[2] = x[0].lerp(x[1], 0.5);
        assert!(hinge(Curvature::Exact).gradient(&x).iter().all(|g| g.is_finite()));
    }

    /// Energy of the unit square bent to a small constant curvature, of the plate's.
    fn ratio(mesh: &TriMesh, k: [f64; 3]) -> f64 {
        let bending = Bending::isotropic(1e-5, 0.0);
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let hinges = of_mesh(mesh, &topology, &bending, Curvature::GaussNewton);
        let x: Vec<DVec3> = mesh
            .uv
            .iter()
            .map(|p| {
                let z = 0.5 * k[0] * p.x * p.x + 0.5 * k[1] * p.y * p.y + k[2] * p.x * p.y;
                DVec3::new(p.x, p.y, z)
            })
            .collect();
        // Boundary edges carry no hinge: count only the area that the hinges stand for.
        let area: f64 = topology
            .edges
            .iter()
            .filter(|e| e.valence == 2)
            .flat_map(|e| e.triangles)
            .map(|t| 0.5 * mesh.area_normal(t as usize).length() / 3.0)
            .sum();
        check::total(&hinges, &x) / (bending.density(k) * area)
    }

    #[test]
    fn bending_over_grid_lines_is_right_and_the_error_elsewhere_is_as_known() {
        let k = 1e-3;
        let [alternating, one, delaunay] = check::meshes(40).map(|(_, m)| m);
        // Over the lines of a grid the hinge is exact but for the rim.
        for mesh in [&alternating, &one] {
            let inner = ratio(mesh, [k, 0.0, 0.0]);
            assert!((inner - 1.0).abs() < 0.04, "{inner}");
        }
        // Across one diagonal it is three times too stiff, also on the finest mesh.
        let across =
            ratio(&one, [0.5 * k, 0.5 * k, -0.5 * k]).max(ratio(&one, [0.5 * k, 0.5 * k, 0.5 * k]));
        assert!((across - 3.0).abs() < 0.1, "{across}");
        // Twist on a Delaunay mesh is wrong, and as wrong on a finer one.
        let [_, _, coarse] = check::meshes(20).map(|(_, m)| m);
        let twist = [&coarse, &delaunay].map(|m| ratio(m, [0.0, 0.0, k]));
        assert!(twist[1] > 1.3 && (twist[1] / twist[0] - 1.0).abs() < 0.1, "{twist:?}");
    }
}
