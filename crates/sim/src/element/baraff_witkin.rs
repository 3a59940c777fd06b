//! Stretch, shear and bend conditions of Baraff and Witkin (M6).
//!
//! With the columns w_u, w_v of the deformation gradient, a triangle has the conditions
//! `C_u = a (|w_u| − b_u)`, `C_v = a (|w_v| − b_v)`, `C_s = a w_u·w_v`, and an inner edge has its angle
//! `C = θ`; each costs `½ k C²` [baraff1998]. b is 1 unless a hem is gathered or let out.
//!
//! The Hessian of a condition is `k (∇C ∇Cᵀ + C ∇²C)`. Where it must be definite, stretch keeps its
//! second part only in tension, shear drops it.
//!
//! **Erratum**: the paper takes the area for a, so the energy grows with its square and cloth cut
//! finer is softer. With a = √area ([`Weight::Root`]) k is the fabric's modulus on any mesh; the
//! printed weight is there to compare.
//!
//! Limits: no transverse contraction; no coupling of the two stretches. Bending is a hinge without
//! the geometry of its triangles, so it depends on the mesh.

use super::definite::{add_blocks, outer, outer_blocks};
use super::hinge::{Curvature, Hinge};
use super::{Blocks, Element, Membrane, Triangle};
use glam::{DMat3, DVec2, DVec3};

/// What a condition is multiplied by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// The root of the area: energies do not depend on the mesh.
    #[default]
    Root,
    /// The area, as printed.
    Area,
}

/// Constants of the conditions of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Stiffness along weft and warp [N/m with [`Weight::Root`]].
    pub stretch: [f64; 2],
    /// Shear stiffness [N/m with [`Weight::Root`]].
    pub shear: f64,
    /// Stretch at rest along weft and warp.
    pub rest: [f64; 2],
    /// Weight of the conditions.
    pub weight: Weight,
}

impl Conditions {
    /// Those of a membrane; its transverse contraction has no place here.
    pub fn of_membrane(m: &Membrane) -> Self {
        Self { stretch: [m.c11, m.c22], shear: m.c33, rest: [1.0; 2], weight: Weight::Root }
    }
}

/// A triangle with its conditions.
#[derive(Clone, Copy, Debug)]
pub struct BaraffWitkin<'a> {
    /// Its rest state.
    pub rest: &'a Triangle,
    /// Its constants.
    pub conditions: &'a Conditions,
}

/// The bend condition of an inner edge: `½ k θ²`, k [N·m].
pub fn bend(vertices: [u32; 4], stiffness: f64) -> Hinge {
    Hinge { vertices, stiffness, rest: 0.0, curvature: Curvature::GaussNewton }
}

impl BaraffWitkin<'_> {
    /// a².
    fn square(&self) -> f64 {
        match self.conditions.weight {
            Weight::Root => self.rest.area,
            Weight::Area => self.rest.area * self.rest.area,
        }
    }

    /// For each condition without its a: stiffness, value and gradient.
    fn evaluate(&self, x: &[DVec3; 3]) -> [(f64, f64, [DVec3; 3]); 3] {
        let w = self.rest.deformation(x);
        let g = self.rest.gradients();
        let stretch = |k: usize| {
            let length = w[k].length();
            let n = if length > 0.0 { w[k] / length } else { DVec3::ZERO };
            let c = length - self.conditions.rest[k];
            (self.conditions.stretch[k] * self.square(), c, g.map(|g| n * g[k]))
        };
        let shear = g.map(|g| w[1] * g.x + w[0] * g.y);
        [stretch(0), stretch(1), (self.conditions.shear * self.square(), w[0].dot(w[1]), shear)]
    }

    /// The paper's damping: `−d Ċ ∇C` for each condition, d in parts of its stiffness [s].
    pub fn damping(&self, x: &[DVec3; 3], v: &[DVec3; 3], time: f64) -> [DVec3; 3] {
        let mut force = [DVec3::ZERO; 3];
        for (k, _, g) in self.evaluate(x) {
            let rate: f64 = g.iter().zip(v).map(|(g, v)| g.dot(*v)).sum();
            for a in 0..3 {
                force[a] -= g[a] * (time * k * rate);
            }
        }
        force
    }
}

impl Element<3> for BaraffWitkin<'_> {
    fn vertices(&self) -> [u32; 3] {
        self.rest.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        self.evaluate(x).iter().map(|(k, c, _)| 0.5 * k * c * c).sum()
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        let parts = self.evaluate(x);
        std::array::from_fn(|a| parts.iter().map(|(k, c, g)| g[a] * (k * c)).sum())
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        let parts = self.evaluate(x);
        let w = self.rest.deformation(x);
        let g = self.rest.gradients();
        let mut h = [[DMat3::ZERO; 3]; 3];
        for (i, (k, c, gradient)) in parts.iter().enumerate() {
            add_blocks(&mut h, &outer_blocks(*k, gradient));
            let indefinite = i == 2 || *c < 0.0;
            if definite && indefinite {
                continue;
            }
            // ∇²C by pairs of corners: a matrix times a number of the rest state.
            let (matrix, pair): (DMat3, fn(DVec2, DVec2) -> f64) = match i {
                0 => (across(w[0]), |a, b| a.x * b.x),
                1 => (across(w[1]), |a, b| a.y * b.y),
                _ => (DMat3::IDENTITY, |a, b| a.x * b.y + a.y * b.x),
            };
            let second: Blocks<3> = std::array::from_fn(|a| {
                std::array::from_fn(|b| matrix * (k * c * pair(g[a], g[b])))
            });
            add_blocks(&mut h, &second);
        }
        h
    }
}

/// Second derivative of a length: (I − n nᵀ)/|w|.
fn across(w: DVec3) -> DMat3 {
    let length = w.length();
    if length == 0.0 {
        return DMat3::ZERO;
    }
    (DMat3::IDENTITY - outer(w, w) * (1.0 / (length * length))) * (1.0 / length)
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Dice};
    use super::*;

    const CONDITIONS: Conditions =
        Conditions { stretch: [200.0, 900.0], shear: 50.0, rest: [1.0; 2], weight: Weight::Root };

    fn triangle(size: f64) -> (Triangle, [DVec3; 3]) {
        let uv = [[0.0, 0.1], [1.0, 0.0], [0.3, 0.8]].map(|p| DVec2::from(p) * size);
        (Triangle::new([0, 1, 2], uv).unwrap(), uv.map(|p| DVec3::new(p.x, p.y, 0.0)))
    }

    #[test]
    fn derivatives_match_differences() {
        let (rest, flat) = triangle(1.0);
        for seed in 1..6 {
            let mut dice = Dice(seed);
            let x = flat.map(|p| p + dice.vector() * 0.25);
            for weight in [Weight::Root, Weight::Area] {
                let conditions = Conditions { weight, rest: [0.9, 1.2], ..CONDITIONS };
                check::all(&BaraffWitkin { rest: &rest, conditions: &conditions }, &x);
            }
        }
        check::at_rest(&BaraffWitkin { rest: &rest, conditions: &CONDITIONS }, &flat, 900.0);
    }

    #[test]
    fn an_affine_map_of_any_mesh_has_one_energy_only_with_the_root_as_weight() {
        let exact = |su: DVec3, sv: DVec3| {
            let (u, v, s) = (su.length() - 1.0, sv.length() - 1.0, su.dot(sv));
            0.5 * (200.0 * u * u + 900.0 * v * v + 50.0 * s * s)
        };
        let error = |conditions: &Conditions| {
            check::affine_error(&|rest| BaraffWitkin { rest, conditions }, &exact)
        };
        let [energy, force] = error(&CONDITIONS);
        assert!(energy < 1e-12 && force < 1e-12, "{energy} {force}");
        let [energy, _] = error(&Conditions { weight: Weight::Area, ..CONDITIONS });
        assert!(energy > 0.9, "{energy}");
    }

    #[test]
    fn damping_takes_energy_and_leaves_rigid_motion_alone() {
        let (rest, flat) = triangle(0.1);
        let e = BaraffWitkin { rest: &rest, conditions: &CONDITIONS };
        let mut dice = Dice(3);
        let x = flat.map(|p| p + dice.vector() * 0.02);
        let v = x.map(|_| dice.vector());
        let power: f64 = e.damping(&x, &v, 0.01).iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
        assert!(power < 0.0);
        let spin = x.map(|p| DVec3::new(0.2, -1.0, 0.5).cross(p) + DVec3::X);
        assert!(e.damping(&x, &spin, 0.01).iter().all(|f| f.length() < 1e-12));
    }

    #[test]
    fn a_bend_condition_is_a_hinge() {
        let x = [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 1.0, 0.1), DVec3::new(0.5, -0.8, 0.4)];
        check::gradient(&bend([0, 1, 2, 3], 2.0), &x);
        check::rigid(&bend([0, 1, 2, 3], 2.0), &x);
    }
}
