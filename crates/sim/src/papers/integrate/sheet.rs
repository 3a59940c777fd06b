//! Whole cloths of any model as a [`System`] for explicit and implicit steps.
//!
//! Forces are gravity, what else acts from outside, and the negative gradient of the elastic energy;
//! K is its semidefinite Hessian. Viscosity is τ K v, with K as it was when [`SheetSystem::prepare`] was
//! called last: a Kelvin–Voigt sheet with the fabric's relaxation time τ, linear within a step. For
//! bending by moments the matrix of hinges stands in for the true one, so Newton's method converges
//! to the same step in a few iterations more.
//!
//! Limits: a vertex without a triangle has no mass, which implicit steps refuse.

use super::Dynamics;
use super::implicit::System;
use crate::error::Error;
use crate::linear::single::Matrix;
use crate::linear::{BlockCsr, Pattern};
use crate::model::Cloth;
use crate::sheet::{Bend, Clamp, Sheet, Stretch};
use glam::DVec3;
use std::sync::Arc;

/// Cloths under gravity.
#[derive(Debug)]
pub struct SheetSystem {
    sheet: Sheet,
    masses: Vec<f64>,
    gravity: DVec3,
    /// Other external forces [N]; none if empty.
    external_forces: Vec<DVec3>,
    /// Relaxation time of each vertex's fabric [s], and τ K; none if no fabric is viscous.
    relaxation: Vec<f64>,
    viscous: Option<BlockCsr>,
    memory: Vec<DVec3>,
}

impl SheetSystem {
    /// Cloths behind one another under gravity [m/s²]; a triangle's mass goes to its corners in
    /// equal parts.
    ///
    /// # Errors
    /// As [`Sheet::new`].
    pub fn new(
        cloths: &[Cloth],
        stretch: Stretch,
        bend: Bend,
        clamps: &[Clamp],
        gravity: DVec3,
    ) -> Result<Self, Error> {
        let (mut masses, mut relaxation) = (Vec::new(), Vec::new());
        for cloth in cloths {
            if !cloth.pieces.is_empty() {
                let reason = "is of several fabrics, which only the method \"barrier\" can have";
                return Err(Error::Mesh { name: cloth.name.clone(), reason: reason.into() });
            }
            let mut mesh = cloth.mesh.clone();
            crate::model::give_material(&mut mesh);
            let first = masses.len();
            masses.resize(first + mesh.positions.len(), 0.0);
            relaxation.resize(masses.len(), cloth.fabric.viscosity);
            for (t, triangle) in mesh.triangles.iter().enumerate() {
                let uv = mesh.corners_uv(t);
                let area = 0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]).abs();
                for v in triangle {
                    masses[first + *v as usize] += cloth.fabric.density * area / 3.0;
                }
            }
        }
        let sheet = Sheet::new(cloths, stretch, bend, clamps)?;
        let viscous = relaxation.iter().any(|t| *t > 0.0).then(|| sheet.matrix());
        let (external_forces, memory) = (Vec::new(), Vec::new());
        Ok(Self { sheet, masses, gravity, external_forces, relaxation, viscous, memory })
    }

    /// Another acceleration of free fall [m/s²].
    pub fn set_gravity(&mut self, gravity: DVec3) {
        self.gravity = gravity;
    }

    /// Forces from outside besides gravity [N].
    pub fn set_outer(&mut self, external_forces: Vec<DVec3>) {
        self.external_forces = external_forces;
    }

    /// Takes up the viscosity at the start of a step.
    pub fn prepare(&mut self, x: &[DVec3]) {
        let Some(viscous) = &mut self.viscous else { return };
        self.sheet.hessian(x, true, true, viscous);
        // Vertices of a block belong to one cloth, so rows and columns have one relaxation time.
        let pattern = Arc::clone(viscous.pattern());
        for (i, time) in self.relaxation.iter().enumerate() {
            pattern.slots(i).for_each(|slot| viscous.values_mut()[slot] *= *time);
        }
    }

    /// The elastic energy of the cloths.
    pub fn sheet(&mut self) -> &mut Sheet {
        &mut self.sheet
    }

    /// From the gradient of the elastic energy to all forces that do not depend on velocities.
    fn turn_to_force(&self, f: &mut [DVec3]) {
        for (f, m) in f.iter_mut().zip(&self.masses) {
            *f = self.gravity * *m - *f;
        }
        f.iter_mut()
            .zip(&self.external_forces)
            .for_each(|(f, external_forces)| *f += *external_forces);
    }

    /// Elastic and kinetic energy and that in the field of gravity [J].
    pub fn energy(&mut self, x: &[DVec3], v: &[DVec3]) -> f64 {
        let of = |i: usize| self.masses[i] * (0.5 * v[i].length_squared() - self.gravity.dot(x[i]));
        let moving: f64 = (0..x.len()).map(of).sum();
        moving + self.sheet.energy(x)
    }
}

impl Dynamics for SheetSystem {
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.force(t, x, v, a);
        a.iter_mut().zip(&self.masses).for_each(|(a, m)| *a /= *m);
    }
}

impl System for SheetSystem {
    fn masses(&self) -> &[f64] {
        &self.masses
    }

    fn pattern(&self) -> &Arc<Pattern> {
        self.sheet.pattern()
    }

    fn force(&mut self, _: f64, x: &[DVec3], v: &[DVec3], f: &mut [DVec3]) {
        self.sheet.gradient(x, f);
        self.turn_to_force(f);
        if let Some(viscous) = &self.viscous {
            self.memory.resize(v.len(), DVec3::ZERO);
            viscous.multiply(v, &mut self.memory);
            f.iter_mut().zip(&self.memory).for_each(|(f, drag)| *f -= *drag);
        }
    }

    fn linearise(
        &mut self,
        _: f64,
        x: &[DVec3],
        _: &[DVec3],
        stiffness: &mut BlockCsr,
        damping: &mut BlockCsr,
    ) {
        self.sheet.hessian(x, true, true, stiffness);
        if let Some(viscous) = &self.viscous {
            damping.values_mut().copy_from_slice(viscous.values());
        }
    }

    fn linearise_single(&mut self, x: &[DVec3], f: &mut [DVec3], stiffness: &mut Matrix) -> bool {
        let able = self.viscous.is_none();
        if able {
            self.sheet.gradient_and_single_hessian(x, f, stiffness);
            self.turn_to_force(f);
        }
        able
    }

    fn is_damped(&self) -> bool {
        self.viscous.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Implicit, LinearSolver, Newton, NewtonSettings, Rule};
    use super::*;
    use crate::Fabric;
    use crate::linear::{Constraint, Filter, Precondition};
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn the_midpoint_keeps_energy_and_momentum_of_a_free_cloth() {
        let mesh = grid(0.3, 0.3, 6, 6, Diagonals::Alternating);
        let fabric = Fabric { weft: 20.0, warp: 20.0, shear: 5.0, ..Fabric::default() };
        let cloth =
            Cloth { name: "free".into(), mesh, grid: Some([6, 6]), fabric, pieces: Vec::new() };
        let (stretch, bend) = (Stretch::Stvk, Bend::Morley);
        let mut system =
            SheetSystem::new(std::slice::from_ref(&cloth), stretch, bend, &[], DVec3::ZERO)
                .unwrap();
        assert!((system.masses().iter().sum::<f64>() - 0.2 * 0.09).abs() < 1e-15);
        let mut x = cloth.mesh.positions.clone();
        let mut v: Vec<DVec3> =
            x.iter().map(|p| DVec3::new(-p.z, 2.0 * p.x * p.x, p.x) + 0.2 * *p).collect();
        let settings = NewtonSettings {
            newton: Newton::Exact,
            linear: LinearSolver::Direct,
            tolerance: 1e-12,
            max_iterations: 100,
            ..NewtonSettings::default()
        };
        let momentum = |system: &SheetSystem, v: &[DVec3]| -> DVec3 {
            system.masses().iter().zip(v).map(|(m, v)| *v * *m).sum()
        };
        let before = (momentum(&system, &v), system.energy(&x, &v));
        let mut rule = Implicit::new(Rule::Midpoint, settings, system.pattern()).unwrap();
        for step in 0..20 {
            let t = f64::from(step) * 2e-3;
            rule.step(&mut system, None, t, 2e-3, &mut x, &mut v).unwrap();
        }
        assert!((momentum(&system, &v) - before.0).length() < 1e-12);
        // Of a law that is not quadratic the midpoint keeps the energy to second order only.
        let energy = system.energy(&x, &v);
        assert!((energy / before.1 - 1.0).abs() < 1e-3, "{energy} {}", before.1);
    }

    /// Tension alone holds a hanging cloth to its plane; a matrix without it blows up.
    #[test]
    fn a_cloth_on_two_pins_hangs_still_under_long_linearised_steps_in_both_precisions() {
        let cells = 40;
        let mesh = grid(1.0, 1.0, cells, cells, Diagonals::Alternating);
        let start = mesh.positions.clone();
        let name = "hanging".into();
        let cloth = Cloth {
            name,
            mesh,
            grid: Some([cells, cells]),
            fabric: Fabric::default(),
            pieces: Vec::new(),
        };
        let held = [0, cells as u32].map(|i| (i, Constraint::Fixed));
        let filter = Filter::new(start.len(), &held).unwrap();
        let mut lowest = Vec::new();
        for linear_tolerance in [1e-2, 1e-5] {
            let (stretch, bend) = (Stretch::Corotational, Bend::Hinge);
            let cloths = std::slice::from_ref(&cloth);
            let gravity = DVec3::Y * -9.81;
            let mut system = SheetSystem::new(cloths, stretch, bend, &[], gravity).unwrap();
            let precondition = Precondition::Schwarz { aggregate: 16, coarse: true };
            let linear = LinearSolver::Gradients { precondition, max_iterations: 500 };
            let settings = NewtonSettings { linear, linear_tolerance, ..NewtonSettings::default() };
            let mut rule = Implicit::new(Rule::Euler, settings, system.pattern()).unwrap();
            let (mut x, mut v) = (start.clone(), vec![DVec3::ZERO; start.len()]);
            for step in 0..30 {
                let t = f64::from(step) * 0.01;
                rule.step(&mut system, Some(&filter), t, 0.01, &mut x, &mut v).unwrap();
            }
            for (pin, _) in &held {
                assert_eq!(x[*pin as usize], start[*pin as usize], "a pin does not move");
            }
            let fastest = v.iter().map(|v| v.length()).fold(0.0, f64::max);
            assert!((2.0..6.0).contains(&fastest), "{fastest}");
            lowest.push(x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min));
        }
        assert!((lowest[0] - lowest[1]).abs() < 0.01, "{lowest:?}");
    }
}
