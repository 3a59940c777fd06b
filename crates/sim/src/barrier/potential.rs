//! The incremental potential of a step.
//!
//! Π(y) = ½ (x − x̂)ᵀ M (x − x̂)/γ² + E(x) + V(x) + B(y) + D(y) + S(x): inertia, elasticity, viscosity, barrier, friction and seams; y are
//! the points of cloth, x, and of bodies. [`super::rule`] has x̂ and γ.

use super::iterate::{Iterate, StepStart};
use super::rule::Inertia;
use super::solver::Solver;
use glam::DVec3;

impl Solver {
    /// Π at a trial point; its active contacts are kept in `trial_contacts`.
    pub(super) fn trial_potential(&mut self, it: &Iterate<'_>, y: &[DVec3]) -> f64 {
        self.smooth_potential(it, y)
            + self.trial_contacts.find(&self.contact_model, &it.candidates, y)
    }

    /// Π without the barrier.
    pub(super) fn smooth_potential(&mut self, it: &Iterate<'_>, y: &[DVec3]) -> f64 {
        let n = self.masses.len();
        let rule = &it.inertia;
        let inertia: f64 = (0..n)
            .map(|i| {
                0.5 * self.masses[i] / rule.gamma2(i)
                    * y[i].distance_squared(rule.inertial_prediction(i))
            })
            .sum();
        let (times, at) = rule.elastic(&y[..n]);
        let elastic = times * self.sheet.energy(&at);
        let viscous = self.viscosity.as_ref().map_or(0.0, |v| v.energy(&y[..n]));
        let friction: f64 =
            it.friction_contacts.iter().map(|f| f.energy(y, &it.y0, self.epsu)).sum();
        let sewing: f64 = it.start.seams.iter().map(|s| s.energy(y)).sum();
        inertia + elastic + viscous + friction + sewing
    }

    /// Energy that the Newton decrement is compared with: what an unobstructed direction from rest would gain, m v², and the
    /// work of seams.
    pub(super) fn decrement_scale(&self, start: &StepStart<'_>, inertia: &Inertia<'_>) -> f64 {
        // A seam does work along its opening, or as far as it can pull in a step.
        let sewn = start.seams.iter().filter(|s| s.pulls_together()).map(|s| {
            let masses = s.vertices.map(|v| self.masses[v as usize]);
            let lightest = masses.into_iter().fold(f64::MAX, f64::min);
            s.force * s.gap(start.x).min(s.force * start.h * start.h / lightest)
        });
        inertia.reference_decrease(&self.masses) + sewn.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_sheets::{EACH, THICKNESS, sheets, sheets_of};
    use super::super::{Anchors, ExternalAcceleration, Law, Rule, Seam, SolverStatistics};
    use super::*;
    use crate::Fabric;
    use crate::state::PreviousStep;
    use glam::DVec3;

    /// A number between −1 and 1 that looks random.
    fn noise(k: usize) -> f64 {
        let x = libm::sin(k as f64 * 12.9898 + 4.1) * 43_758.547;
        2.0 * (x - x.floor()) - 1.0
    }

    fn noises(n: usize, seed: usize, size: f64) -> Vec<DVec3> {
        let each = |i: usize| {
            DVec3::new(noise(3 * i + seed), noise(3 * i + 1 + seed), noise(3 * i + 2 + seed))
        };
        (0..n).map(|i| each(i) * size).collect()
    }

    /// Central differences of Π beside −∇Π·d of the linear system, along several directions, at a point in contact that slides.
    fn compare(fabric: &Fabric, law: Law, rule: Rule) -> Vec<[f64; 2]> {
        let (mut solver, mut x) = sheets_of(fabric, law, rule);
        let n = x.len();
        for (p, shake) in x.iter_mut().zip(noises(n, 7, 5e-5)) {
            *p += shake;
        }
        // The sheet above slides over the one below, by many times the regularisation of friction.
        let slides = |i: usize| f64::from(u8::from((EACH..2 * EACH).contains(&i)));
        let v: Vec<DVec3> = (0..n).map(|i| DVec3::new(0.02, -0.005, 0.01) * slides(i)).collect();
        let past = x.iter().zip(noises(n, 17, 5e-5)).zip(&v).map(|((x, d), v)| *x - *v * 0.01 + d);
        let before = PreviousStep { h: 0.01, x: past.collect(), v: v.clone() };
        let seams = [Seam { vertices: [0, EACH as u32 + 3], force: 0.2, slack: 0.01, rest: 0.0 }];
        let start = StepStart {
            x: &x,
            v: &v,
            external_acceleration: ExternalAcceleration::Uniform(DVec3::Y * -9.81),
            t: 0.0,
            h: 0.01,
            pinned: &[],
            seams: &seams,
            anchors: &Anchors::default(),
            previous_step: Some(&before),
        };
        let mut it = solver.first_iterate(&start, &mut SolverStatistics::default()).unwrap();
        assert!(it.friction_contacts.len() > 10, "{}", it.friction_contacts.len());
        for (y, d) in it.y.iter_mut().zip(v.iter().zip(noises(n, 3, 1e-5))) {
            *y += *d.0 * 0.003 + d.1;
        }
        solver.contacts.find(&solver.contact_model, &it.candidates, &it.y);
        let elastic = solver.elastic(&it);
        let system = solver.assemble(&it, &[], elastic, 1).unwrap();
        let mut found = Vec::new();
        for seed in [11, 101, 1009] {
            let d = noises(n, seed, 1.0);
            let step = 1e-8;
            let mut at = |s: f64| {
                let y: Vec<DVec3> = it.y.iter().zip(&d).map(|(y, d)| *y + *d * s).collect();
                solver.trial_potential(&it, &y)
            };
            let difference = (at(step) - at(-step)) / (2.0 * step);
            found.push([difference, -system.predicted_decrease(&d)]);
        }
        found
    }

    #[test]
    fn the_gradient_of_the_whole_potential_matches_differences() {
        let elastic = Fabric { thickness: THICKNESS, ..Fabric::default() };
        let viscous = Fabric { viscosity: 0.02, ..elastic.clone() };
        let with_friction = Fabric {
            shear_hysteresis: 2.0,
            shear_hysteresis_wide: 4.0,
            bend_hysteresis_weft: 1e-4,
            bend_hysteresis_warp: 2e-4,
            ..viscous.clone()
        };
        let euler = Rule::Euler;
        for (fabric, law, rule) in [
            (&elastic, Law::Log, euler),
            (&elastic, Law::TwoStage, euler),
            (&viscous, Law::Log, euler),
            (&viscous, Law::Log, Rule::Bdf2),
            (&with_friction, Law::Log, euler),
            (&with_friction, Law::Log, Rule::Bdf2),
        ] {
            for [difference, gradient] in compare(fabric, law, rule) {
                let error = (difference - gradient).abs() / gradient.abs().max(1e-3);
                assert!(error < 1e-4, "{law:?} {rule:?}: {difference} {gradient}");
            }
        }
    }

    #[test]
    fn the_inertial_prediction_is_the_minimum_without_forces() {
        let (mut solver, x) = sheets(Law::Log);
        // Only the sheet far away is looked at: nothing touches it.
        let v = vec![DVec3::new(0.1, 0.2, 0.0); x.len()];
        let start = StepStart {
            x: &x,
            v: &v,
            external_acceleration: ExternalAcceleration::Uniform(DVec3::Y * -9.81),
            t: 0.0,
            h: 0.01,
            pinned: &[],
            seams: &[],
            anchors: &Anchors::default(),
            previous_step: None,
        };
        let end = solver.step(&start).unwrap();
        let fallen = DVec3::new(0.001, 0.002 - 9.81e-4, 0.0);
        for i in 2 * EACH..3 * EACH {
            assert!((end.x[i] - x[i]).distance(fallen) < 1e-8, "{}", end.x[i] - x[i]);
        }
    }
}
