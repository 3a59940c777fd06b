//! Search directions of Newton's method, with their largest feasible step.
//!
//! Where a direction would run into something, that joins the linear system as a contact at half the activation distance, and the
//! direction is solved again: otherwise the first pair to collide would shorten the step of all vertices.

use super::iterate::Iterate;
use super::newton::Failure;
use super::solver::Solver;
use super::statistics::SolverStatistics;
use super::system::{LinearSystem, PointBlock};
use crate::clock::Clock;
use crate::element::definite::outer;
use glam::{DMat3, DVec3};

/// How often a direction is solved again with the contacts it runs into.
const MAX_ANTICIPATIONS: u32 = 1;
/// Directions of which this fraction is feasible are accepted at once.
const ACCEPTED_STEP: f64 = 0.9;
/// Directions of which less is feasible are truncated per vertex.
const TRUNCATION_STEP: f64 = 0.2;
/// Contacts that a query finds anew are negligible if their energy is below this fraction of the predicted decrease.
const NEGLIGIBLE_ENERGY_FRACTION: f64 = 0.1;
/// Tangential stiffness of an anticipated contact that is active already, over its normal stiffness: features that slide past each
/// other while they turn approach, which their present normals do not show.
const TANGENTIAL_STIFFNESS: f64 = 0.1;

/// A search direction.
pub(super) struct SearchDirection {
    pub(super) d: Vec<DVec3>,
    /// −∇Π·d [J].
    pub(super) slope: f64,
    /// Largest feasible step along it, at most 1.
    pub(super) max_step: f64,
    /// Predicted decrease before it was truncated [J], and largest displacement of a vertex then [m].
    pub(super) predicted_decrease: f64,
    pub(super) largest_displacement: f64,
}

/// A contact that a direction runs into, beyond the activation distance yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnticipatedContact {
    /// As [`super::candidates::Candidate::key`].
    key: [u32; 4],
    block: PointBlock,
    normal: DVec3,
    /// Gradient of its quadratic model along the normal, at the present points [N].
    gradient: f64,
}

/// How much of a direction is feasible.
struct FeasibleStep {
    /// Candidates that limit it, with the feasible step of each.
    limits: Vec<(u32, f64)>,
    /// The smallest of these, at most 1.
    max_step: f64,
    /// Energy of contacts that were not known before [J].
    energy_added: f64,
}

impl Solver {
    /// Search direction of all points, and its largest feasible step. That of plain Newton does not anticipate contacts, so that it is a
    /// descent direction.
    pub(super) fn direction(
        &mut self,
        it: &mut Iterate<'_>,
        plain_newton: bool,
        statistics: &mut SolverStatistics,
    ) -> Result<SearchDirection, Failure> {
        let clock = Clock::start();
        let elastic = self.elastic(it);
        statistics.seconds.elasticity += clock.seconds();
        let displacement = self.prescribed_displacement(it);
        let mut system = self.assemble(it, &displacement, elastic, statistics.iterations)?;
        let mut anticipated: Vec<AnticipatedContact> = Vec::new();
        let mut d = Vec::new();
        for round in 0.. {
            self.check_stop()?;
            self.solve_with(it, &system, &anticipated, &displacement, &mut d, statistics)?;
            let feasible = self.feasible_step(it, &d, statistics)?;
            let slope = system.predicted_decrease(&d);
            let is_known = feasible.energy_added
                <= NEGLIGIBLE_ENERGY_FRACTION * slope.abs() * feasible.max_step;
            let is_free =
                plain_newton || feasible.limits.is_empty() || feasible.max_step > ACCEPTED_STEP;
            if round >= MAX_ANTICIPATIONS || (is_free && is_known) {
                return self.truncate_if_limited(it, d, &system, feasible, statistics);
            }
            if is_known {
                self.anticipate(it, &d, &feasible.limits, &mut anticipated);
            } else {
                // The gradient does not know the contacts found anew: the potential need not decrease along this direction.
                self.contacts.find(&self.contact_model, &it.candidates, &it.y);
                self.contacts.number(&mut it.candidates);
                // That is rare: computing the elastic part again costs less than keeping it every time.
                drop(std::mem::take(&mut system.gradient));
                let elastic = self.elastic(it);
                system = self.assemble(it, &displacement, elastic, statistics.iterations)?;
            }
        }
        unreachable!("the last round returns")
    }

    /// Solves the linear system with the anticipated contacts in it.
    fn solve_with(
        &mut self,
        it: &mut Iterate<'_>,
        system: &LinearSystem,
        anticipated: &[AnticipatedContact],
        displacement: &[DVec3],
        d: &mut Vec<DVec3>,
        statistics: &mut SolverStatistics,
    ) -> Result<(), Failure> {
        let clock = Clock::start();
        self.contact_blocks.truncate(system.contact_blocks);
        self.contact_blocks.reserve_exact(anticipated.len());
        let blocks = anticipated.iter().map(|a| a.block);
        self.contact_blocks.extend(blocks.clone().map(|b| b.contact_block(&it.prescribed)));
        match &mut self.precise {
            Some(precise) => {
                precise.contact_blocks_f64.truncate(system.contact_blocks);
                precise
                    .contact_blocks_f64
                    .extend(blocks.map(|b| b.contact_block_f64(&it.prescribed)));
                self.preconditioner.update(&precise.matrix, &self.contact_blocks, &it.pinned);
            }
            None => self.preconditioner.update(&self.matrix, &self.contact_blocks, &it.pinned),
        }
        let mut right = system.right_hand_side();
        for a in anticipated {
            a.block.subtract_force(a.normal * a.gradient, &it.prescribed, &mut right);
            a.block.add_prescribed(&it.prescribed, displacement, &mut right);
        }
        // Not before: the preconditioner takes as much memory while it is made.
        if d.is_empty() {
            *d = self.warm_start(it, displacement, statistics.iterations);
        }
        self.solve(it, &right, d, statistics)?;
        statistics.seconds.linear_solve += clock.seconds();
        Ok(())
    }

    /// Finds the candidates along a direction, and how far it is feasible.
    fn feasible_step(
        &mut self,
        it: &mut Iterate<'_>,
        d: &[DVec3],
        statistics: &mut SolverStatistics,
    ) -> Result<FeasibleStep, Failure> {
        let clock = Clock::start();
        let ends: Vec<DVec3> = it.y.iter().zip(d).map(|(y, d)| *y + *d).collect();
        statistics.queries += 1;
        let energy = Some(&mut it.energy);
        let update = self.update_candidates(&it.y, &ends, &mut it.candidates, energy)?;
        statistics.tested += update.tested;
        let limits = self.step_limits(&it.candidates, &it.y, &ends);
        statistics.seconds.collision += clock.seconds();
        debug_assert!(limits.iter().all(|(_, time)| !time.is_nan()), "times are numbers");
        let first = limits.iter().min_by(|a, b| a.1.total_cmp(&b.1)).copied();
        if let Some((candidate, _)) = first {
            it.note_blocker(candidate, self.masses.len());
        }
        let max_step = first.map_or(1.0, |(_, time)| time.min(1.0));
        Ok(FeasibleStep { limits, max_step, energy_added: update.energy_added })
    }

    /// The direction as it is, or truncated per vertex if too little of it is feasible.
    fn truncate_if_limited(
        &mut self,
        it: &mut Iterate<'_>,
        d: Vec<DVec3>,
        system: &LinearSystem,
        feasible: FeasibleStep,
        statistics: &mut SolverStatistics,
    ) -> Result<SearchDirection, Failure> {
        let slope = system.predicted_decrease(&d);
        let free = &d[..self.masses.len()];
        let largest_displacement = free.iter().map(|d| d.length()).fold(0.0, f64::max);
        let FeasibleStep { limits, max_step, .. } = feasible;
        let whole =
            SearchDirection { slope, max_step, predicted_decrease: slope, largest_displacement, d };
        if max_step > TRUNCATION_STEP {
            return Ok(whole);
        }
        self.truncated_direction(it, whole, limits, system, statistics)
    }

    /// Warm start of the linear solver: the uncovered part of the last direction, while pins and bodies move. The first direction of a
    /// step starts at the inertial prediction for vertices without contact, which solves free flight at once; pinned cloth continues
    /// with its velocity, because cloth twisted by its boundary conditions turns as a whole.
    fn warm_start(
        &self,
        it: &mut Iterate<'_>,
        prescribed_displacement: &[DVec3],
        iteration: u32,
    ) -> Vec<DVec3> {
        let mut d = std::mem::take(&mut it.remaining);
        d.resize(it.y.len(), DVec3::ZERO);
        if iteration == 1 && it.inertia.reaches_prediction() {
            let free = |i: usize| it.inertia.inertial_prediction(i) - it.y[i];
            let at_constant_velocity = |i: usize| it.start.v[i] * it.start.h;
            for i in 0..self.masses.len() {
                d[i] = if it.pinned.is_empty() { free(i) } else { at_constant_velocity(i) };
            }
            for contact_block in self.contact_blocks.iter().filter(|_| it.pinned.is_empty()) {
                for (p, _) in contact_block
                    .points
                    .iter()
                    .zip(contact_block.weights)
                    .filter(|(_, w)| *w != 0.0)
                {
                    d[*p as usize] = DVec3::ZERO;
                }
            }
        }
        for (i, prescribed_displacement) in
            prescribed_displacement.iter().enumerate().filter(|(i, _)| it.prescribed[*i])
        {
            d[i] = *prescribed_displacement;
        }
        d
    }

    /// Adds the contacts that a direction runs into, and keeps of those anticipated before what still pushes.
    fn anticipate(
        &self,
        it: &Iterate<'_>,
        d: &[DVec3],
        step_limits: &[(u32, f64)],
        anticipated: &mut Vec<AnticipatedContact>,
    ) {
        // Candidates are found anew for every direction: their numbers change.
        let mut hit: Vec<[u32; 4]> =
            step_limits.iter().map(|(pair, _)| it.candidates[*pair as usize].key()).collect();
        hit.sort_unstable();
        anticipated.retain(|e| {
            let approach: DVec3 =
                e.block.points.iter().zip(e.block.weights).map(|(p, w)| d[*p as usize] * w).sum();
            hit.binary_search(&e.key).is_ok()
                || e.gradient + (e.block.stiffness * approach).dot(e.normal) < 0.0
        });
        let known: Vec<[u32; 4]> = anticipated.iter().map(|e| e.key).collect();
        for (pair, time) in step_limits {
            let candidate = &it.candidates[*pair as usize];
            if candidate.below_separation || known.binary_search(&candidate.key()).is_ok() {
                continue;
            }
            let there = |p: u32| it.y[p as usize] + d[p as usize] * *time;
            let closest = self.contact_model.closest_at(candidate, candidate.points.map(there));
            let normal = closest.normal();
            if normal == DVec3::ZERO {
                continue;
            }
            let now: DVec3 = candidate
                .points
                .iter()
                .zip(closest.weights)
                .map(|(p, w)| it.y[*p as usize] * w)
                .sum();
            let gap = normal.dot(now) - self.contact_model.offset(candidate);
            let (slope, curvature) = self.contact_model.at_half_dhat(candidate);
            let target = 0.5 * self.contact_model.dhat;
            let across = self
                .contacts
                .of_candidate(candidate)
                .map_or(DMat3::ZERO, |c| c.tangential_stiffness() * TANGENTIAL_STIFFNESS);
            anticipated.push(AnticipatedContact {
                key: candidate.key(),
                block: PointBlock {
                    points: candidate.points,
                    weights: closest.weights,
                    stiffness: outer(normal, normal) * curvature + across,
                },
                normal,
                gradient: slope + curvature * (gap - target),
            });
        }
        anticipated.sort_unstable_by_key(|e| e.key);
    }
}
