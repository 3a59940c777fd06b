//! What a run took, in counts that do not depend on the machine, and what it began and ended with.

use serde::{Deserialize, Serialize};
use toile_sim::{StepReport, World};

/// Fraction of the steps that may end unconverged without a warning.
const MAX_UNCONVERGED_FRACTION: f64 = 0.1;

/// Work of the default solver over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Iterations of Newton's method.
    pub newton_iterations: u64,
    /// Iterations of conjugate gradients.
    pub linear_iterations: u64,
    /// Halvings of line searches.
    pub halvings: u64,
    /// Queries for pairs that come near.
    pub detections: u64,
    /// Contacts at the end of a step, in the mean over all steps.
    pub contacts_mean: f64,
    /// Most contacts at the end of a step.
    pub contacts_max: u64,
    /// Steps that used all Newton iterations without converging.
    #[serde(rename = "unsettled")]
    pub unconverged: u64,
    /// Force out of balance at the end, as a part of the weight; null if steps are not quasi-static.
    pub residual: Option<f64>,
}

/// The same while it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    steps: u64,
    newton: u64,
    linear: u64,
    halvings: u64,
    detections: u64,
    contacts: u64,
    contacts_max: u64,
    unconverged: u64,
    #[serde(default)]
    residual: Option<f64>,
}

impl Counts {
    /// Takes up a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.newton += u64::from(report.iterations);
        self.linear += u64::from(report.linear_iterations);
        self.halvings += u64::from(report.halvings);
        self.detections += u64::from(report.detections);
        self.contacts += u64::from(report.contacts);
        self.contacts_max = self.contacts_max.max(u64::from(report.contacts));
        self.unconverged += u64::from(report.unconverged);
        self.residual = report.residual;
    }

    /// Warns if many steps did not converge: their result is free of intersections, but inaccurate.
    pub(super) fn convergence_warning(&self) -> Option<String> {
        let Self { unconverged, steps, .. } = *self;
        let many = unconverged as f64 > MAX_UNCONVERGED_FRACTION * steps as f64 && unconverged > 1;
        many.then(|| {
            format!(
                "{unconverged} of {steps} steps did not converge: take a smaller `solver.step`, or a mesh \
                 without edges far shorter than the others"
            )
        })
    }

    /// For the report.
    pub(super) fn effort(&self) -> Effort {
        Effort {
            newton_iterations: self.newton,
            linear_iterations: self.linear,
            halvings: self.halvings,
            detections: self.detections,
            contacts_mean: self.contacts as f64 / self.steps.max(1) as f64,
            contacts_max: self.contacts_max,
            unconverged: self.unconverged,
            residual: self.residual,
        }
    }
}

/// Momentum of all cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    /// Linear [kg·m/s].
    pub linear: [f64; 3],
    /// Angular, about the origin [kg·m²/s].
    pub angular: [f64; 3],
}

impl Momentum {
    pub(crate) fn of(world: &World) -> Self {
        let (linear, angular) = world.momentum();
        Self { linear: linear.to_array(), angular: angular.to_array() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_summed_and_contacts_averaged_over_steps() {
        let mut counts = Counts::default();
        for contacts in [4, 0, 2] {
            let step = StepReport {
                iterations: 3,
                linear_iterations: 50,
                halvings: 1,
                detections: 5,
                contacts,
                unconverged: 0,
                ..StepReport::default()
            };
            counts.add(&step);
        }
        let effort = counts.effort();
        assert_eq!((effort.newton_iterations, effort.linear_iterations), (9, 150));
        assert_eq!((effort.halvings, effort.detections), (3, 15));
        assert_eq!((effort.contacts_mean, effort.contacts_max), (2.0, 4));
        assert_eq!(Counts::default().effort(), Effort::default());
    }

    #[test]
    fn many_steps_that_did_not_settle_are_told() {
        let count = |unconverged: u64| {
            Counts { steps: 20, unconverged, ..Counts::default() }.convergence_warning()
        };
        assert_eq!((count(0), count(1), count(2)), (None, None, None));
        assert!(count(3).is_some_and(|text| text.starts_with("3 of 20 steps")));
        assert_eq!(Counts::default().convergence_warning(), None);
    }
}
