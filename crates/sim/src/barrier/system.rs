//! The linear system of a Newton iteration, H d = −∇Π.
//!
//! H is the projected Hessian of inertia, elasticity and viscosity, stored, and that of contacts, friction and seams, applied matrix-free: so the
//! sparsity pattern never changes. Prescribed (Dirichlet) points are eliminated; their displacements are on the right-hand side.

use super::friction::{FrictionContact, FrictionHessian};
use super::iterate::Iterate;
use super::newton::Failure;
use super::solver::Solver;
use super::statistics::SolverStatistics;
use crate::linear::cg::End;
use crate::linear::mixed::{self, ContactBlockF64};
use crate::linear::single::{self, ContactBlock, Goal, Vectors};
use glam::{DMat3, DVec3};

/// Relative residual that a linear system reaches in any case.
const MAX_RELATIVE_RESIDUAL: f64 = 0.02;
/// Directions need not be more exact than this fraction of the decrement that ends a step.
const DIRECTION_TOLERANCE: f64 = 0.05;
/// The same where residual forces strain the cloth.
const STRICT_DIRECTION_TOLERANCE: f64 = 1e-4;

/// Right-hand side of a linear system, and how many contact blocks belong to it.
pub(super) struct LinearSystem {
    pub(super) gradient: Vec<DVec3>,
    /// What prescribed displacements add to the right-hand side; empty if nothing moves.
    prescribed_rhs: Vec<DVec3>,
    pub(super) contact_blocks: usize,
}

impl LinearSystem {
    /// −∇Π·d: the decrease of the potential that a direction predicts [J].
    pub(super) fn predicted_decrease(&self, d: &[DVec3]) -> f64 {
        self.gradient.iter().zip(d).map(|(g, d)| -g.dot(*d)).sum()
    }

    pub(super) fn right_hand_side(&self) -> Vec<DVec3> {
        let prescribed = self.prescribed_rhs.iter().copied().chain(std::iter::repeat(DVec3::ZERO));
        self.gradient.iter().zip(prescribed).map(|(g, prescribed)| prescribed - *g).collect()
    }
}

/// A stiffness between weighted points.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointBlock {
    pub(super) points: [u32; 4],
    pub(super) weights: [f64; 4],
    pub(super) stiffness: DMat3,
}

impl Solver {
    /// The linear system of an iteration: contacts, friction and seams are added to the elastic gradient.
    pub(super) fn assemble(
        &mut self,
        it: &Iterate<'_>,
        prescribed_displacement: &[DVec3],
        mut gradient: Vec<DVec3>,
        iteration: u32,
    ) -> Result<LinearSystem, Failure> {
        let length = if prescribed_displacement.is_empty() { 0 } else { gradient.len() };
        let mut prescribed_rhs = vec![DVec3::ZERO; length];
        self.add_contacts(
            it,
            prescribed_displacement,
            FrictionHessian::at(iteration, self.finder.is_dense()),
            &mut gradient,
            &mut prescribed_rhs,
        );
        if let Some(vertex) = gradient.iter().position(|g| !g.is_finite()) {
            return Err(Failure::NotFinite { vertex: vertex as u32 });
        }
        Ok(LinearSystem { gradient, prescribed_rhs, contact_blocks: self.contact_blocks.len() })
    }

    /// Residual force without inertia and drag, as a fraction of the weight.
    pub(super) fn residual(&mut self, it: &Iterate<'_>) -> f64 {
        let mut g = self.elastic(it);
        self.add_contacts(it, &[], FrictionHessian::Exact, &mut g, &mut []);
        let left = |i: usize| {
            let m = self.masses[i];
            (g[i] - it.inertia.drag(i, it.y[i], m)) / m
        };
        it.start.relative_to_weight(&self.masses, left)
    }

    /// Gradient of elasticity, viscosity and inertia; their Hessian goes to the matrix.
    pub(super) fn elastic(&mut self, it: &Iterate<'_>) -> Vec<DVec3> {
        let n = self.masses.len();
        let (x, inertia) = (&it.y[..n], &it.inertia);
        let mut g = vec![DVec3::ZERO; n];
        let (_, at) = inertia.elastic(x);
        self.sheet.gradient_and_single_hessian(&at, &mut g, &mut self.matrix);
        let curvature = inertia.elastic_hessian_factor();
        if curvature != 1.0 {
            self.matrix.scale(curvature);
        }
        if let Some(viscosity) = &self.viscosity {
            viscosity.add(x, &mut g, &mut self.matrix);
        }
        for i in 0..n {
            g[i] += (x[i] - inertia.inertial_prediction(i)) * (self.masses[i] / inertia.gamma2(i));
        }
        self.choose_precision(it, &at);
        self.matrix.add_to_diagonal(|i| (self.masses[i] / inertia.gamma2(i)) as f32);
        g
    }

    /// What is left of the displacements of pins and bodies, zero elsewhere; empty if they have arrived.
    pub(super) fn prescribed_displacement(&self, it: &Iterate<'_>) -> Vec<DVec3> {
        if it.kinematic_fraction >= 1.0 {
            return Vec::new();
        }
        let mut prescribed_displacement = vec![DVec3::ZERO; it.y.len()];
        self.finder.place_bodies(1.0, &mut prescribed_displacement);
        for (a, y) in prescribed_displacement.iter_mut().zip(&it.y).skip(self.masses.len()) {
            *a -= *y;
        }
        for (v, to) in it.start.pinned {
            prescribed_displacement[*v as usize] = *to - it.y[*v as usize];
        }
        prescribed_displacement
    }

    /// Contacts, friction and seams as matrix-free blocks. Their gradient is added to `g`; the force due to prescribed displacements to
    /// `prescribed_rhs`.
    fn add_contacts(
        &mut self,
        it: &Iterate<'_>,
        prescribed_displacement: &[DVec3],
        curvature: FrictionHessian,
        g: &mut [DVec3],
        prescribed_rhs: &mut [DVec3],
    ) {
        let mut add_forces = |points: &[u32; 4], forces: [DVec3; 4]| {
            for (p, f) in points.iter().zip(forces) {
                if let Some(g) = g.get_mut(*p as usize) {
                    *g += f;
                }
            }
        };
        let mut contact_blocks_f64 = self.precise.as_mut().map(|p| &mut p.contact_blocks_f64);
        contact_blocks_f64.iter_mut().for_each(|c| c.clear());
        let contact_blocks = &mut self.contact_blocks;
        contact_blocks.clear();
        contact_blocks.reserve_exact(self.contacts.len() + it.start.seams.len());
        let mut add_block = |block: PointBlock| {
            contact_blocks.push(block.contact_block(&it.prescribed));
            if let Some(contact_blocks_f64) = &mut contact_blocks_f64 {
                contact_blocks_f64.push(block.contact_block_f64(&it.prescribed));
            }
            block.add_prescribed(&it.prescribed, prescribed_displacement, prescribed_rhs);
        };
        // A contact and its friction, which is lagged, act between nearly the same points. In the matrix they are one block, between
        // the present points: that takes half the time, and forces stay exact.
        let mut joined = vec![false; it.friction_contacts.len()];
        let mut friction_contact = |r: &FrictionContact| {
            let (force, stiffness) = r.gradient_and_hessian(&it.y, &it.y0, self.epsu, curvature);
            add_forces(&r.points(), r.weights.map(|w| force * w));
            stiffness
        };
        for c in self.contacts.iter() {
            let mut stiffness = c.hessian();
            if let Some(r) = it.friction_contacts.get(c.friction_contact as usize) {
                stiffness += friction_contact(r);
                joined[c.friction_contact as usize] = true;
            }
            add_block(PointBlock { points: c.points(), weights: c.weights, stiffness });
        }
        for r in
            it.friction_contacts.iter().zip(&joined).filter(|(_, joined)| !**joined).map(|(r, _)| r)
        {
            let stiffness = friction_contact(r);
            add_block(PointBlock { points: r.points(), weights: r.weights, stiffness });
        }
        self.contacts.iter().for_each(|c| add_forces(&c.points(), c.gradient(&it.y)));
        for seam in it.start.seams {
            let [a, b] = seam.vertices;
            let (points, weights) = ([a, b, 0, 0], [1.0, -1.0, 0.0, 0.0]);
            let (force, stiffness) = seam.gradient_and_hessian(&it.y);
            add_forces(&points, weights.map(|w| force * w));
            add_block(PointBlock { points, weights, stiffness });
        }
    }

    /// Solves for a direction with all contact blocks, by conjugate gradients from the one given.
    pub(super) fn solve(
        &mut self,
        it: &mut Iterate<'_>,
        right: &[DVec3],
        d: &mut [DVec3],
        statistics: &mut SolverStatistics,
    ) -> Result<(), Failure> {
        let n = self.masses.len();
        let goal = Goal {
            quadratic_tolerance: self.settings.linear_tolerance,
            relative_residual: MAX_RELATIVE_RESIDUAL,
            absolute_tolerance: if it.resolve_strain {
                STRICT_DIRECTION_TOLERANCE
            } else {
                DIRECTION_TOLERANCE
            } * self.settings.decrement
                * it.decrement_scale,
            max_iterations: self.settings.linear_iterations,
        };
        let (m, pinned) = (&mut self.preconditioner, &it.pinned[..]);
        let (outcome, residual_ratio) = match &self.precise {
            Some(p) => {
                mixed::solve(&p.matrix, &p.contact_blocks_f64, m, pinned, right, &mut d[..n], goal)
            }
            None => {
                let mut memory = Vectors::default();
                let (a, contact_blocks) = (&self.matrix, &self.contact_blocks);
                let outcome = single::solve(
                    a,
                    contact_blocks,
                    m,
                    pinned,
                    right,
                    &mut d[..n],
                    goal,
                    &mut memory,
                );
                (outcome, memory.into_residual())
            }
        };
        it.residual_ratio = self.residual_ratio(it, &residual_ratio);
        statistics.linear_iterations += outcome.iterations;
        match outcome.end {
            // Forces are finite: a tight gap is too stiff for single precision, and a shorter step may pass it.
            End::NotFinite => Err(Failure::Linear { vertex: it.blocking_vertex() }),
            _ => Ok(()),
        }
    }
}

impl PointBlock {
    /// Subtracts a force at the free points.
    pub(super) fn subtract_force(&self, force: DVec3, prescribed: &[bool], right: &mut [DVec3]) {
        for (p, w) in self.points.iter().zip(self.weights) {
            if !prescribed[*p as usize] {
                right[*p as usize] -= force * w;
            }
        }
    }

    /// Adds the force −K u of prescribed displacements u to the right-hand side.
    pub(super) fn add_prescribed(
        &self,
        prescribed: &[bool],
        prescribed_displacement: &[DVec3],
        right: &mut [DVec3],
    ) {
        if prescribed_displacement.is_empty() {
            return;
        }
        let mut displacement = DVec3::ZERO;
        for (p, w) in self.points.iter().zip(self.weights) {
            if prescribed[*p as usize] {
                displacement += prescribed_displacement[*p as usize] * w;
            }
        }
        if displacement != DVec3::ZERO {
            self.subtract_force(self.stiffness * displacement, prescribed, right);
        }
    }

    /// As the linear solver applies it: without prescribed points.
    pub(super) fn contact_block(&self, prescribed: &[bool]) -> ContactBlock {
        let ContactBlockF64 { points, weights, stiffness } = self.contact_block_f64(prescribed);
        ContactBlock::new(points, weights.map(|w| w as f32), &stiffness)
    }

    /// The same in double precision.
    pub(super) fn contact_block_f64(&self, prescribed: &[bool]) -> ContactBlockF64 {
        let (mut points, mut weights) = (self.points, self.weights);
        for k in 0..4 {
            let p = self.points[k] as usize;
            if prescribed[p] {
                (points[k], weights[k]) = (0, 0.0);
            }
        }
        ContactBlockF64 { points, weights, stiffness: self.stiffness }
    }
}
