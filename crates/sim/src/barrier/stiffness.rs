//! Stiffness of the cubic barrier, from elasticity and inertia [ando2024].
//!
//! κ = wᵀ (H + M u²/g²) w, with w the normalised direction of the contact, H the elastic Hessian and g the gap: as stiff as the
//! cloth behind it, and stiff enough to stop an approach at speed u within the gap. The paper has u² = 1 in its units; here u is the speed of
//! approach, and at least 1 m/s.
//! Prescribed points have the largest mass of the pair.
//!
//! All of it is that of the start of the step: a step then has one potential, and the line search holds. It follows from the
//! state alone, so a resumed run continues alike. But a finite barrier may not hold cloth twisted by its boundary conditions: a gap that has
//! shrunk to a third makes its contact as stiff as that gap asks, between two iterations, and it stays so until the step is over. Of H only
//! the diagonal blocks are taken, as if neighbours stood still.
//!
//! Limits: where inertia rules, a contact that is compressed by more than half of its activation distance gets a stiffness in the next step
//! that lets it out again, and back: κ changes by more than the gap does.

use super::candidates::Candidate;
use super::contact::ContactModel;
use super::solver::Solver;
use glam::{DVec3, Vec3A};

/// Least speed that a contact stops within its gap [m/s].
const MIN_STOPPING_SPEED: f64 = 1.0;
/// Least gap that counts, over the activation distance: smaller ones are not stiffer.
const MIN_RELATIVE_GAP: f64 = 0.02;
/// Factor by which the gap of an iteration must ask for more before a contact is made stiffer.
const STIFFENING_FACTOR: f64 = 9.0;

/// The start of the step, as far as stiffness depends on it.
#[derive(Clone, Debug, Default)]
pub(super) struct StartState {
    y: Vec<DVec3>,
    /// Velocities of all points, extrapolated.
    v: Vec<DVec3>,
    /// Diagonal blocks of the elastic Hessian [N/m], as columns.
    own: Vec<[Vec3A; 3]>,
}

impl Solver {
    /// Takes note of the start of a step of length `h`, with all points at `y` that move to `ends`, if stiffness depends on it.
    pub(super) fn note_start(&mut self, y: &[DVec3], ends: &[DVec3], h: f64) {
        if !self.contact_model.law.follows_elasticity() {
            return;
        }
        let n = self.masses.len();
        let mut gradient = vec![DVec3::ZERO; n];
        self.sheet.gradient_and_single_hessian(&y[..n], &mut gradient, &mut self.matrix);
        let state = &mut self.start_state;
        state.y.clear();
        state.y.extend_from_slice(y);
        state.v.clear();
        state.v.extend(y.iter().zip(ends).map(|(from, to)| (*to - *from) / h));
        state.own.clear();
        state.own.extend((0..n).map(|i| self.matrix.diagonal(i)));
    }

    /// κ of a pair in this step [N/m]; zero if it does not follow from elasticity.
    pub(super) fn stiffness_of(&self, candidate: &Candidate) -> f64 {
        if !self.contact_model.law.follows_elasticity() {
            return 0.0;
        }
        self.start_state.stiffness(
            &self.contact_model,
            &self.masses,
            candidate,
            &self.start_state.y,
        )
    }

    /// κ of a pair for the next iteration, from `y`: as it was, or more if it has come much nearer.
    pub(super) fn updated_stiffness(&self, candidate: &Candidate, y: &[DVec3]) -> f64 {
        if !self.contact_model.law.follows_elasticity() {
            return 0.0;
        }
        let now = self.start_state.stiffness(&self.contact_model, &self.masses, candidate, y);
        if now > STIFFENING_FACTOR * candidate.stiffness { now } else { candidate.stiffness }
    }
}

impl StartState {
    /// κ of a pair with its points at `y`.
    fn stiffness(
        &self,
        model: &ContactModel,
        masses: &[f64],
        candidate: &Candidate,
        y: &[DVec3],
    ) -> f64 {
        let closest = model.closest(candidate, y);
        let (offset, dhat) = model.range(candidate);
        let (normal, distance) = (closest.normal(), closest.distance);
        let gap = (distance - offset).clamp(MIN_RELATIVE_GAP * dhat, dhat);
        let mut approach_speed = 0.0;
        let mut parts = [ContactPoint::default(); 4];
        for ((p, w), part) in candidate.points.into_iter().zip(closest.weights).zip(&mut parts) {
            let p = p as usize;
            approach_speed -= w * self.v[p].dot(normal);
            let own = self.own.get(p).map_or(0.0, |own| {
                let n = normal.as_vec3a();
                f64::from((own[0] * n.x + own[1] * n.y + own[2] * n.z).dot(n))
            });
            *part = ContactPoint { weight: w, mass: masses.get(p).copied(), own };
        }
        elasticity_inclusive_stiffness(parts, approach_speed.max(MIN_STOPPING_SPEED), gap)
    }
}

/// A point of a contact.
#[derive(Clone, Copy, Debug, Default)]
struct ContactPoint {
    weight: f64,
    /// None for points of bodies.
    mass: Option<f64>,
    /// Elastic stiffness along the normal, with all others fixed [N/m].
    own: f64,
}

/// Elasticity-inclusive stiffness [ando2024]: wᵀ (H + M u²/g²) w for the normalised w.
fn elasticity_inclusive_stiffness(parts: [ContactPoint; 4], speed: f64, gap: f64) -> f64 {
    let heaviest = parts.iter().filter_map(|p| p.mass).fold(0.0, f64::max);
    let (mut sum, mut length) = (0.0, 0.0);
    for ContactPoint { weight, mass, own } in parts {
        let stops = mass.unwrap_or(heaviest) * (speed / gap).powi(2);
        sum += weight * weight * (own + stops);
        length += weight * weight;
    }
    sum / length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(weight: f64, mass: Option<f64>, own: f64) -> ContactPoint {
        ContactPoint { weight, mass, own }
    }

    #[test]
    fn a_contact_is_as_stiff_as_its_points_and_stops_what_comes() {
        let none = part(0.0, None, 0.0);
        // A vertex on a body that does not move: the body weighs as much, and does not give way.
        let found = elasticity_inclusive_stiffness(
            [part(1.0, Some(1e-4), 60.0), part(-1.0, None, 0.0), none, none],
            2.0,
            1e-3,
        );
        assert!((found - (30.0 + 1e-4 * 4.0 / 1e-6)).abs() < 1e-9, "{found}");
        // The middle of an edge on a vertex: weights are squared, and normalised.
        let parts = [
            part(1.0, Some(1e-4), 6.0),
            part(-0.5, Some(2e-4), 4.0),
            part(-0.5, Some(2e-4), 4.0),
            none,
        ];
        let found = elasticity_inclusive_stiffness(parts, 1.0, 1e-2);
        let exact = ((6.0 + 1.0) + 2.0 * 0.25 * (4.0 + 2.0)) / 1.5;
        assert!((found - exact).abs() < 1e-12, "{found} {exact}");
        // The barrier, the cubic one, holds more than the motion has: nothing gets through within the gap.
        let (m, u, g) = (1e-4, 3.0, 2e-3);
        let k = elasticity_inclusive_stiffness(
            [part(1.0, Some(m), 0.0), part(-1.0, None, 0.0), none, none],
            u,
            g,
        );
        let barrier_energy = k * crate::barrier::Law::Cubic.evaluate(0.0, g).energy;
        assert!(barrier_energy > 0.5 * m * u * u, "{barrier_energy}");
    }
}
