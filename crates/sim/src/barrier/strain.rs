//! Residual forces of linear systems that would strain the cloth.
//!
//! The decrement is compared with m v² of all the cloth. Beside that, the energy of a few edges is small however much they
//! are stretched: those of a stiff sheet that falls fast, held by one edge, were 4 % too long, ten times their strain in balance. So a
//! step also continues as long as its linear system leaves residual forces above the loads of the cloth, per width, that strain it.
//! Directions are then solved until the residual is small, not only the energy.

use super::iterate::{Iterate, StepStart};
use super::solver::Solver;
use glam::Vec3A;

/// Strain that is always negligible.
const NEGLIGIBLE_STRAIN: f64 = 1e-4;
/// Strain that is negligible beside a limit of elongations, over the limit. Near it cloth carries many times its loads, which say
/// little about the tension there.
const NEGLIGIBLE_FRACTION_OF_LIMIT: f64 = 0.1;
/// Tension that may be left, over that of the loads. A third of it changes steps of cotton in contact, and doubles their cost.
const MAX_RESIDUAL_TENSION: f64 = 3.0;

impl Solver {
    /// Tension that corresponds to the loads of a step [N/m]: weight per width of a square of the same area, and the dynamic pressure
    /// ρ v².
    pub(super) fn load_tension(&self, start: &StepStart<'_>) -> f64 {
        let area: f64 = self.contact_model.area.iter().sum();
        let each = self.masses.iter().enumerate();
        let sum: f64 = each
            .map(|(i, m)| {
                m * (start.external_acceleration.at(i).length() * area.sqrt()
                    + start.v[i].length_squared())
            })
            .sum();
        sum / area
    }

    /// Largest residual force of a linear system, over what is negligible: a tension beside the loads, or one that does not strain the cloth.
    /// Vertices in contact do not count, as their forces press rather than strain.
    pub(super) fn residual_ratio(&self, it: &Iterate<'_>, residual: &[Vec3A]) -> f64 {
        let mut touches = vec![false; residual.len()];
        for contact_block in &self.contact_blocks {
            for (p, w) in contact_block.points.iter().zip(contact_block.weights) {
                touches[*p as usize] |= w != 0.0;
            }
        }
        let limit = self.sheet.max_elongation().unwrap_or(0.0);
        let negligible_strain = NEGLIGIBLE_STRAIN.max(NEGLIGIBLE_FRACTION_OF_LIMIT * limit);
        let free = residual.iter().enumerate().filter(|(i, _)| !touches[*i]);
        let each = free.map(|(i, r)| {
            let [x, y, z] = self.matrix.diagonal(i);
            let stiffness = f64::from(x.x + y.y + z.z) / 3.0;
            let tension = f64::from(r.length()) / self.contact_model.area[i].sqrt();
            (tension / (MAX_RESIDUAL_TENSION * it.load_tension))
                .min(tension / (negligible_strain * stiffness))
        });
        each.fold(0.0, f64::max)
    }
}
