//! The report of a run.

use super::effort::{Effort, Momentum};
use super::job::Job;
use super::process;
use super::statistics::Statistics;
use crate::audit::Audit;
use crate::body::{MotionReport, Repairs};
use crate::export::Coordinates;
use crate::garment::FitShort;
use crate::input::{BodyInput, ClothInput};
use crate::untangle::Untangled;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toile_sim::{Energy, Method, Preset};

/// Version of the form of `report.json`. Keys are added without a change of version; it changes
/// when a key is removed or means something else.
pub const REPORT_VERSION: u32 = 1;

/// What `report.json` holds.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this form; see [`REPORT_VERSION`].
    pub version: u32,
    /// Name of the scene, or of the pattern of a garment.
    pub scene: String,
    /// Name of the preset.
    pub preset: String,
    /// Vertices of all cloths.
    pub vertices: u64,
    /// Triangles of all cloths.
    pub triangles: u64,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time [s].
    pub simulated_seconds: f64,
    /// Time that the user waited, over all parts of a resumed run, pictures included [s].
    pub wall_seconds: f64,
    /// Processor time of all threads [s]; null where the system does not tell.
    pub cpu_seconds: Option<f64>,
    /// Wall time of each stage [s].
    pub stage_seconds: Stages,
    /// Most memory held at any time [bytes]; null where the system does not tell.
    pub peak_rss_bytes: Option<u64>,
    /// Threads used.
    pub threads: u64,
    /// Pairs of intersecting triangles at the end; null if not audited.
    pub intersections_final: Option<u64>,
    /// Most pairs of intersecting triangles in any audited frame; null if not audited.
    pub intersections_max: Option<u64>,
    /// Triangles inside bodies at the end; null if not audited, or if nothing crosses a body but one
    /// is open, so that cloth inside it cannot be found.
    pub body_penetrations_final: Option<u64>,
    /// Most triangles inside bodies in any audited frame; null as `body_penetrations_final`.
    pub body_penetrations_max: Option<u64>,
    /// Largest elongation of an edge at the end of any step.
    pub max_strain: f64,
    /// Energy at the end [J].
    pub energy: Energy,
    /// Energy before the first step [J].
    #[serde(rename = "energy_begin")]
    pub energy_initial: Energy,
    /// Momentum before the first step.
    #[serde(rename = "momentum_begin")]
    pub momentum_initial: Momentum,
    /// Momentum at the end.
    pub momentum_final: Momentum,
    /// What the default solver took; null for other methods.
    pub effort: Option<Effort>,
    /// How a start that intersects was untangled; null if there was nothing to undo.
    pub untangle: Option<Untangled>,
    /// Hash of time, positions and velocities at the end, in hexadecimal.
    pub state_hash: String,
    /// What went partly wrong.
    pub warnings: Vec<String>,
    /// Where the rest shape of each cloth comes from, and what was done to its mesh.
    pub cloths: Vec<ClothInput>,
    /// What was done to the mesh of each body.
    pub bodies: Vec<BodyInput>,
    /// Frames that are due in the time simulated; those that are audited.
    pub frames: u64,
    /// Frames kept in the form asked for, and the time of the first of them [s]: meshes of a garment begin when it is sewn.
    pub frames_kept: u64,
    /// See `frames_kept`.
    pub first_frame: f64,
    /// Height of the lowest vertex at the end [m].
    pub lowest: f64,
    /// Height of the highest vertex at the end [m].
    pub highest: f64,
    /// Root mean square speed at the end [m/s].
    pub rms_speed_final: f64,
    /// Whether each bound of `[expect]` holds.
    pub expect: Vec<Verdict>,
    /// What only a garment has; its keys stand beside the others.
    #[serde(flatten)]
    pub garment: Option<GarmentReport>,
}

/// What the report of a garment has besides.
#[derive(Clone, Debug, Serialize)]
pub struct GarmentReport {
    /// The garment.
    pub garment: String,
    /// Its size.
    pub size: String,
    /// What it is made of.
    pub fabric: String,
    /// What panels that are of another fabric are made of, by their names.
    pub panel_fabrics: BTreeMap<String, String>,
    /// The garments of an outfit, from the inside out; null if it is one garment.
    pub outfit: Option<Vec<crate::garment::WornGarment>>,
    /// Whether it came to rest.
    pub at_rest: bool,
    /// Root mean square of the speed at the end [m/s].
    pub rms_speed: f64,
    /// The widest opening of a seam at the end [m].
    pub seam_gap_max: f64,
    /// Which seam that is and why, if one is open.
    pub open_seam: Option<String>,
    /// What was done to the mesh of the body; null for the mannequin.
    pub body_repairs: Option<Repairs>,
    /// Rows of the 4 × 4 matrix that takes coordinates of the file of the body to metres, y up; null for the mannequin.
    pub body_transform: Option<[[f64; 4]; 4]>,
    /// In which coordinates meshes and their frames are: those of the file of the body, or metres, y up.
    pub coordinates: Coordinates,
    /// Why they are not those of the file although they could be.
    pub coordinates_note: Option<String>,
    /// What the body does when it is dressed; null if it stands still.
    pub motion: Option<MotionReport>,
    /// How it fits, in short; all of it is in `fit.json`.
    pub fit: FitShort,
}

impl GarmentReport {
    /// What it is made of, in words.
    pub fn materials(&self) -> String {
        if let Some(outfit) = &self.outfit {
            return crate::garment::materials(outfit);
        }
        let others =
            self.panel_fabrics.iter().map(|(panel, fabric)| format!(", {panel} of {fabric}"));
        self.fabric.clone() + &others.collect::<String>()
    }
}

/// What is known when a run has ended.
pub(super) struct End {
    pub(super) energy: Energy,
    pub(super) last: Option<Audit>,
    pub(super) cpu_seconds: Option<f64>,
    pub(super) garment: Option<GarmentReport>,
}

/// Wall time of each stage [s].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stages {
    /// Untangling before the first step.
    pub untangle: f64,
    /// Forces and time integration.
    pub integrate: f64,
    /// Strain limiting.
    pub strain_limit: f64,
    /// Finding collisions.
    pub detect: f64,
    /// The part of it that the default solver spends on bodies.
    pub bodies: f64,
    /// Responding to them; line searches of the default solver, whose potential has the contacts in it.
    pub respond: f64,
    /// Exact audit.
    pub audit: f64,
    /// Pictures and frames at the end.
    pub write: f64,
}

/// Whether one bound of `[expect]` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The key.
    pub key: String,
    /// What was measured; null if it was not.
    pub value: Option<f64>,
    /// Least value allowed.
    pub least: Option<f64>,
    /// Largest value allowed.
    pub most: Option<f64>,
    /// Whether it holds.
    pub pass: bool,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.value.map_or("unknown".into(), |v| format!("{v}"));
        write!(f, "{} is {value}, expected ", self.key)?;
        match (self.least, self.most) {
            (Some(lo), Some(hi)) => write!(f, "{lo} to {hi}"),
            (Some(lo), None) => write!(f, "{lo} or more"),
            (None, Some(hi)) => write!(f, "{hi} at most"),
            (None, None) => write!(f, "a number"),
        }
    }
}

impl Report {
    pub(super) fn new(job: &impl Job, statistics: &Statistics, end: End) -> Self {
        let End { energy, last, cpu_seconds, garment } = end;
        let (world, state) = (job.world(), job.world().state());
        let progress = job.progress();
        let sim = job.simulation();
        let highest = state.x.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        let mut report = Self {
            version: REPORT_VERSION,
            scene: job.name(),
            preset: sim.map_or(Preset::Toile, |s| s.scene().preset).name().into(),
            vertices: state.x.len() as u64,
            triangles: world.model().mesh.triangles.len() as u64,
            steps: progress.step,
            simulated_seconds: progress.time,
            wall_seconds: statistics.wall_seconds,
            cpu_seconds,
            stage_seconds: statistics.stages,
            peak_rss_bytes: process::peak_rss_bytes(),
            threads: rayon::current_num_threads() as u64,
            intersections_final: last.map(|a| a.self_intersections),
            intersections_max: last.map(|_| statistics.intersections_max),
            body_penetrations_final: last.and_then(|a| a.known_penetrations()),
            body_penetrations_max: last.and_then(|_| statistics.known_penetrations()),
            max_strain: statistics.max_strain.max(world.max_strain()),
            energy,
            energy_initial: statistics.energy_initial,
            momentum_initial: statistics.momentum_initial,
            momentum_final: Momentum::of(world),
            effort: (world.settings().method == Method::Barrier)
                .then(|| statistics.counts.effort()),
            untangle: statistics.untangle,
            state_hash: format!("{:016x}", state.hash()),
            warnings: statistics.warnings(),
            cloths: sim.map_or(Vec::new(), |s| s.inputs().cloths.clone()),
            bodies: sim.map_or(Vec::new(), |s| s.inputs().bodies.clone()),
            frames: statistics.frames,
            frames_kept: statistics.kept,
            first_frame: statistics.first_kept,
            lowest: state.lowest(),
            highest,
            rms_speed_final: state.rms_speed(),
            expect: Vec::new(),
            garment,
        };
        if let Some(sim) = sim {
            report.expect = sim.scene().expect.judge(&report);
        }
        report
    }

    /// Whether all bounds hold, nothing intersects and a garment is at rest; a scene that expects intersections says so
    /// by a bound of its own. What an open body hides is unknown: it is warned of and does not count,
    /// but a bound on it does not hold.
    pub fn is_good(&self) -> bool {
        let bounded = |name: &str| self.expect.iter().any(|v| v.key.starts_with(name));
        let clean = |name: &str, count: Option<u64>| count.unwrap_or(0) == 0 || bounded(name);
        self.failures().next().is_none()
            && self.garment.as_ref().is_none_or(|g| g.at_rest)
            && clean("intersections", self.intersections_max)
            && clean("body_penetrations", self.body_penetrations_max)
    }

    /// Bounds of `[expect]` that do not hold.
    pub fn failures(&self) -> impl Iterator<Item = &Verdict> {
        self.expect.iter().filter(|v| !v.pass)
    }
}
