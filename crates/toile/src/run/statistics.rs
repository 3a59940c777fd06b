//! What a run counts; a part of saved states.

use super::effort::{Counts, Momentum};
use super::report::Stages;
use crate::audit::Audit;
use crate::untangle::Untangled;
use serde::{Deserialize, Serialize};
use toile_sim::{Energy, StepReport, Warning};

/// Warnings of one kind that are listed one by one; the rest is counted.
const MAX_LISTED_WARNINGS: usize = 5;

/// What a run has counted so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Statistics {
    /// Moments at which frames are due that have been audited.
    pub(super) frames: u64,
    /// Frames that were kept, the time of the first of them [s], and the step of the last.
    pub(super) kept: u64,
    pub(super) first_kept: f64,
    pub(super) last_kept: Option<u64>,
    pub(super) intersections_max: u64,
    pub(super) penetrations_max: u64,
    /// Whether an audit could not know about penetrations.
    pub(super) penetrations_unknown: bool,
    pub(super) max_strain: f64,
    pub(crate) stages: Stages,
    pub(super) counts: Counts,
    pub(crate) untangle: Option<Untangled>,
    pub(crate) energy_initial: Energy,
    pub(crate) momentum_initial: Momentum,
    pub(crate) wall_seconds: f64,
    pub(crate) cpu_seconds: f64,
    listed: Vec<String>,
    substepped: u64,
}

/// Strain at which the result is no fabric any more.
const EXCESSIVE_STRAIN: f64 = 1.0;

impl Statistics {
    /// Takes up a step.
    pub(super) fn add(&mut self, report: &StepReport) {
        let s = &report.seconds;
        self.stages.integrate += s.integrate;
        self.stages.strain_limit += s.strain_limit;
        self.stages.detect += s.detect;
        self.stages.bodies += s.bodies;
        self.stages.respond += s.respond;
        self.counts.add(report);
        self.warn(&report.warnings);
    }

    /// Takes up the strain at the end of a step.
    pub(super) fn strain(&mut self, strain: f64) {
        self.max_strain = self.max_strain.max(strain);
    }

    pub(crate) fn warn(&mut self, warnings: &[Warning]) {
        for warning in warnings {
            if matches!(warning, Warning::Substepped { .. }) {
                self.substepped += 1;
                if self.substepped > MAX_LISTED_WARNINGS as u64 {
                    continue;
                }
            }
            self.listed.push(warning.to_string());
        }
    }

    /// Warns of a start that intersects: what intersects then can hardly be separated, and what starts inside a body is pushed out of it.
    pub(super) fn warn_of_start(&mut self, found: &Audit) {
        if found.self_intersections > 0 {
            let n = found.self_intersections;
            self.listed.push(format!(
                "the cloth begins with {n} pairs of intersecting triangles{}; move its parts apart",
                self.tried()
            ));
        }
        if found.body_penetrations > 0 {
            let n = found.body_penetrations;
            self.listed.push(format!(
                "the cloth begins with {n} triangles inside bodies{}; move it or them",
                self.tried()
            ));
        }
        if let Some(Untangled {
            separation_violations_before: n @ 1.., largest_displacement, ..
        }) = self.untangle
        {
            self.listed.push(format!(
                "{n} vertices began in contact, or nearer to bodies or other cloth than the solver keeps them; the start was moved apart, by {:.3} mm \
                 at most",
                1e3 * largest_displacement
            ));
        }
        if let Some(Untangled { separation_violations_after: n @ 1.., .. }) = self.untangle {
            self.listed.push(format!(
                "{n} vertices begin nearer to bodies or to other cloth than the solver keeps them; contact may be inaccurate there"
            ));
        }
    }

    fn tried(&self) -> String {
        self.untangle.map_or(String::new(), |u| {
            format!(" that {} iterations of untangling have left", u.iterations)
        })
    }

    /// Takes note of a frame that is kept.
    pub(super) fn keep(&mut self, step: u64, time: f64) {
        if self.kept == 0 {
            self.first_kept = time;
        }
        self.kept += 1;
        self.last_kept = Some(step);
    }

    /// Takes up an audit.
    pub(super) fn take(&mut self, found: &Audit) {
        self.intersections_max = self.intersections_max.max(found.self_intersections);
        self.penetrations_max = self.penetrations_max.max(found.body_penetrations);
        self.penetrations_unknown |= found.open_bodies > 0;
    }

    /// Most triangles inside bodies; `None` if none were found but some cannot be.
    pub(super) fn known_penetrations(&self) -> Option<u64> {
        let known = self.penetrations_max > 0 || !self.penetrations_unknown;
        known.then_some(self.penetrations_max)
    }

    /// What was noticed about the files of the scene.
    pub(crate) fn note(&mut self, warnings: &[String]) {
        self.listed.extend_from_slice(warnings);
    }

    /// What went partly wrong, for the report.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut list = self.listed.clone();
        if self.substepped > MAX_LISTED_WARNINGS as u64 {
            let n = self.substepped - MAX_LISTED_WARNINGS as u64;
            list.push(format!("{n} more steps were taken in substeps"));
        }
        if self.max_strain > EXCESSIVE_STRAIN {
            let percent = 100.0 * self.max_strain;
            list.push(format!(
                "the cloth was stretched by {percent:.0} %: no fabric is; forces are too strong for \
                 it, or `solver.step` is too large"
            ));
        }
        list.extend(self.counts.convergence_warning());
        list
    }
}
