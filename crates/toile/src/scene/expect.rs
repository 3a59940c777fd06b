//! What must hold after a run; it makes a scene a test.

use crate::run::{Report, Verdict};
use serde::{Deserialize, Serialize};

/// Bounds on the numbers of a report. What is not given is not checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// Most pairs of intersecting triangles in any audited frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intersections_max: Option<u64>,
    /// Most pairs of intersecting triangles at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intersections_final: Option<u64>,
    /// Most triangles inside bodies at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_penetrations_final: Option<u64>,
    /// Most triangles inside bodies in any audited frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_penetrations_max: Option<u64>,
    /// Largest elongation of an edge in any step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_strain: Option<f64>,
    /// Least and largest height of the lowest vertex at the end [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest: Option<[f64; 2]>,
    /// Least and largest height of the highest vertex at the end [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highest: Option<[f64; 2]>,
    /// Largest root mean square speed at the end [m/s].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rms_speed_final: Option<f64>,
    /// Largest kinetic energy at the end [J].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinetic_energy_final: Option<f64>,
}

impl Expect {
    /// Bounds of every moment alone: those of the end are not held against a run that was made shorter.
    pub(super) fn of_any_moment(&self) -> Self {
        Self {
            intersections_max: self.intersections_max,
            body_penetrations_max: self.body_penetrations_max,
            max_strain: self.max_strain,
            ..Self::default()
        }
    }

    /// Compares with a report, one verdict for each bound given.
    pub fn judge(&self, report: &Report) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let mut bound = |key: &str, value: Option<f64>, lo: f64, hi: f64| {
            // A number that was not measured holds no promise.
            let pass = value.is_some_and(|v| v >= lo && v <= hi);
            verdicts.push(Verdict {
                key: key.into(),
                value,
                least: finite(lo),
                most: finite(hi),
                pass,
            });
        };
        let count = |n: Option<u64>| n.map(|n| n as f64);
        let counts = [
            ("intersections_max", self.intersections_max, report.intersections_max),
            ("intersections_final", self.intersections_final, report.intersections_final),
            (
                "body_penetrations_final",
                self.body_penetrations_final,
                report.body_penetrations_final,
            ),
            ("body_penetrations_max", self.body_penetrations_max, report.body_penetrations_max),
        ];
        for (key, most, value) in counts {
            if let Some(most) = most {
                bound(key, count(value), f64::NEG_INFINITY, most as f64);
            }
        }
        let mosts = [
            ("max_strain", self.max_strain, report.max_strain),
            ("rms_speed_final", self.rms_speed_final, report.rms_speed_final),
            ("kinetic_energy_final", self.kinetic_energy_final, report.energy.kinetic),
        ];
        for (key, most, value) in mosts {
            if let Some(most) = most {
                bound(key, Some(value), f64::NEG_INFINITY, most);
            }
        }
        for (key, range, value) in
            [("lowest", self.lowest, report.lowest), ("highest", self.highest, report.highest)]
        {
            if let Some([lo, hi]) = range {
                bound(key, Some(value), lo, hi);
            }
        }
        verdicts
    }
}

fn finite(bound: f64) -> Option<f64> {
    bound.is_finite().then_some(bound)
}
