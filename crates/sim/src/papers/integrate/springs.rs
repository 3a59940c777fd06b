//! Masses and springs as a [`System`] for implicit steps.
//!
//! The exact stiffness of a spring that is shorter than at rest is negative across it; with
//! `project` that part is left out, which keeps K positive semidefinite [choi2002].

use super::Dynamics;
use super::implicit::System;
use crate::element::Spring;
use crate::linear::{Assembly, BlockCsr, Builder, Error, Pattern};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Springs, gravity, and damping in all directions of each spring's relative velocity.
#[derive(Clone, Debug)]
pub struct SpringSystem {
    masses: Vec<f64>,
    springs: Vec<Spring>,
    gravity: DVec3,
    project: bool,
    assembly: Assembly,
}

impl SpringSystem {
    /// A system of the given masses [kg] under gravity [m/s²].
    pub fn new(
        masses: Vec<f64>,
        springs: Vec<Spring>,
        gravity: DVec3,
        project: bool,
    ) -> Result<Self, Error> {
        let ends: Vec<[u32; 2]> = springs.iter().map(|s| s.ends).collect();
        let assembly = Builder::new(masses.len()).with_elements(&ends)?.build()?;
        Ok(Self { masses, springs, gravity, project, assembly })
    }

    /// Elastic and kinetic energy and that in the field of gravity [J].
    pub fn energy(&self, x: &[DVec3], v: &[DVec3]) -> f64 {
        let elastic: f64 =
            self.springs.iter().map(|s| s.energy(s.ends.map(|i| x[i as usize]))).sum();
        let of = |i: usize| self.masses[i] * (0.5 * v[i].length_squared() - self.gravity.dot(x[i]));
        elastic + (0..x.len()).map(of).sum::<f64>()
    }

    /// Each spring's block b as b, −b, b.
    fn assemble(&mut self, matrix: &mut BlockCsr, block: impl Fn(&Spring) -> DMat3 + Sync) {
        let springs = &self.springs;
        self.assembly.fill(0, |e, upper| {
            let b = block(&springs[e]);
            upper.copy_from_slice(&[b, -b, b]);
        });
        let gathered = self.assembly.gather(matrix);
        debug_assert!(gathered.is_ok(), "the integrator was made for another pattern");
    }
}

impl Dynamics for SpringSystem {
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.force(t, x, v, a);
        a.iter_mut().zip(&self.masses).for_each(|(a, m)| *a /= *m);
    }
}

impl System for SpringSystem {
    fn masses(&self) -> &[f64] {
        &self.masses
    }

    fn pattern(&self) -> &Arc<Pattern> {
        self.assembly.pattern()
    }

    fn force(&mut self, _: f64, x: &[DVec3], v: &[DVec3], f: &mut [DVec3]) {
        for (f, m) in f.iter_mut().zip(&self.masses) {
            *f = self.gravity * *m;
        }
        for s in &self.springs {
            let [a, b] = s.ends.map(|i| i as usize);
            let pull = s.damping_isotropic([v[a], v[b]]) - s.gradient([x[a], x[b]])[0];
            f[a] += pull;
            f[b] -= pull;
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
        let project = self.project;
        self.assemble(stiffness, |s| {
            let ends = s.ends.map(|i| x[i as usize]);
            let length = ends[0].distance(ends[1]);
            if length == 0.0 {
                // No direction, no force, no stiffness either.
                DMat3::ZERO
            } else if project && length < s.rest {
                let n = (ends[0] - ends[1]) / length;
                DMat3::from_cols(n * n.x, n * n.y, n * n.z) * s.stiffness
            } else {
                s.hessian(ends)
            }
        });
        self.assemble(damping, |s| DMat3::IDENTITY * s.damping);
    }

    /// Springs of no rest length: k in all directions (eq. 63 of the tutorial).
    fn linearise_constant(&mut self, stiffness: &mut BlockCsr, damping: &mut BlockCsr) -> bool {
        self.assemble(stiffness, |s| DMat3::IDENTITY * s.stiffness);
        self.assemble(damping, |s| DMat3::IDENTITY * s.damping);
        true
    }
}
