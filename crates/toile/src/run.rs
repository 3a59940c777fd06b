//! The pipeline: steps, frames, audit, checkpoints, results. Scenes ([`run()`]) and garments ([`dress`](crate::garment::dress)) go
//! through the same loop.
//!
//! Cloth that starts intersecting is untangled first ([`Simulation::untangle`]).
//!
//! A run leaves in its folder `report.json`, `final.obj`, `final.glb`, `final.png`, `state.bin`
//! and the frames asked for. Every file is written whole or not at all, and none replaces a file that
//! toile did not write (`output.rs`). A run that fails before its first step is done changes nothing in the
//! folder. A run that was stopped, or killed, resumes from `state.bin` and ends in the same bits as one that was not.

mod checkpoint;
mod effort;
mod frames;
pub(crate) mod job;
mod process;
mod report;
mod scene_job;
mod statistics;

pub(crate) use checkpoint::Saved;
pub use effort::{Effort, Momentum};
pub use frames::Format;
pub(crate) use frames::check_amount;
pub use process::cpu_seconds;
pub use report::{GarmentReport, REPORT_VERSION, Report, Stages, Verdict};
pub(crate) use statistics::Statistics;

use crate::audit::{Audit, audit};
use crate::error::Error;
use crate::output::{OutputFolder, Plan};
use crate::simulation::Simulation;
use checkpoint::Checkpoint;
use frames::Recorder;
use glam::DVec3;
use job::Job;
use scene_job::SceneJob;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use toile_sim::State;

/// When the cloth is audited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Auditing {
    /// Every frame.
    #[default]
    Frame,
    /// Every step.
    Step,
    /// Never.
    Off,
}

/// Says to a run from outside that it shall stop; a clone is the same flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks the run to stop; the present step is given up.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself.
    pub(crate) fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Whether it was asked.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How a run is to be carried out.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder for the results; it is made if it is missing.
    pub out: PathBuf,
    /// Form of the frames, if they are wanted.
    pub frames: Option<Format>,
    /// Threads; as many as the machine has if `None`.
    pub threads: Option<usize>,
    /// When the cloth is audited.
    pub audit: Auditing,
    /// Whether to resume from `state.bin`.
    pub resume: bool,
    /// Time between saved states [s of wall time].
    pub checkpoint: f64,
    /// Whether to draw `final.png`.
    pub picture: bool,
    /// Whether GLB and USD hold the bodies too.
    pub with_body: bool,
    /// Whether to write `unwelded.obj` too, whose panels are islands.
    pub unwelded: bool,
    /// What stops it.
    pub stop: StopFlag,
}

impl Options {
    /// Results in `out`, everything else as usual.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            frames: None,
            threads: None,
            audit: Auditing::Frame,
            resume: false,
            checkpoint: 10.0,
            picture: true,
            with_body: false,
            unwelded: false,
            stop: StopFlag::default(),
        }
    }
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Panels are put around the body.
    Arranging,
    /// What intersects at the start is undone.
    Untangling,
    /// A scene takes its steps.
    Simulating,
    /// Seams of a garment are being closed.
    Sewing,
    /// A garment comes to rest.
    Draping,
    /// A dressed body moves.
    Moving,
    /// The result is audited.
    Auditing,
    /// It is found out how a garment fits.
    Measuring,
    /// Files are written.
    Writing,
    /// Pictures are drawn.
    Drawing,
}

impl Stage {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arranging => "arranging",
            Self::Untangling => "untangling",
            Self::Simulating => "simulating",
            Self::Sewing => "sewing",
            Self::Draping => "draping",
            Self::Moving => "moving",
            Self::Auditing => "auditing",
            Self::Measuring => "measuring",
            Self::Writing => "writing",
            Self::Drawing => "drawing",
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// Steps taken.
    pub step: u64,
    /// Steps in all; a garment takes as many as it needs to come to rest.
    pub steps: Option<u64>,
    /// Simulated time [s].
    pub time: f64,
    /// Steps that are left: an estimate for garments, nothing while there is none.
    pub steps_left: Option<f64>,
    /// Time that is left [s of wall time], by the pace of the last steps.
    pub seconds_left: Option<f64>,
    /// Widest opening of a seam, while a garment is sewn [m].
    pub seam_gap: Option<f64>,
    /// Root mean square of the speed [m/s].
    pub speed: Option<f64>,
}

impl Progress {
    /// A stage after so many steps, and nothing else known.
    pub(crate) fn at(stage: Stage, step: u64, time: f64) -> Self {
        Self {
            stage,
            step,
            steps: None,
            time,
            steps_left: None,
            seconds_left: None,
            seam_gap: None,
            speed: None,
        }
    }
}

/// Who is told how far a run is.
pub(crate) type ProgressCallback<'a> = dyn FnMut(&Progress) + Send + 'a;

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All steps were taken; the results are written.
    Finished(Box<Report>),
    /// It was stopped and can be resumed.
    Stopped {
        /// Steps taken.
        step: u64,
        /// Steps in all, if known.
        steps: Option<u64>,
        /// Simulated time [s].
        time: f64,
    },
}

/// Carries out a simulation for the duration of its scene.
///
/// # Errors
/// If a step fails, a file cannot be written, or there is no fitting state to resume from. The
/// state of the last good step is saved first.
pub fn run(
    sim: &mut Simulation,
    options: &Options,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Outcome, Error> {
    if options.with_body && sim.world().bodies().is_empty() {
        let message = "the scene has no body to put into the files (--with-body)";
        return Err(Error::request(message, "omit it"));
    }
    in_pool(options, || run_job(&mut SceneJob(sim), options, progress))
}

/// The state that a run has saved in a `state.bin`.
///
/// # Errors
/// If there is none, or it is damaged.
pub fn saved_state(path: &Path) -> Result<State, Error> {
    Ok(Checkpoint::read(path)?.saved.state)
}

/// Does something with the threads asked for.
pub(crate) fn in_pool<T: Send>(
    options: &Options,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let threads = options.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        Error::request(format!("cannot start {threads} threads: {e}"), "ask for fewer threads")
    })?;
    pool.install(work)
}

/// Carries out a job, on the threads it is called on.
pub(crate) fn run_job(
    job: &mut impl Job,
    options: &Options,
    tell: &mut ProgressCallback<'_>,
) -> Result<Outcome, Error> {
    Run::new(job, options)?.complete(tell)
}

/// A run under way.
struct Run<'a, J> {
    job: &'a mut J,
    options: &'a Options,
    /// Nothing before the first step is done: a run that cannot start leaves its folder as it is.
    output: Option<Output>,
    /// Frames from before there was a folder for them.
    pending: Vec<(Vec<DVec3>, f64)>,
    statistics: Statistics,
    fingerprint: u64,
    started: Instant,
    cpu_at_start: Option<f64>,
    pace: Pace,
}

/// Where results go.
struct Output {
    folder: OutputFolder,
    recorder: Recorder,
}

/// Whether a step was not finished because the run was asked to stop.
fn is_stop(error: &Error) -> bool {
    matches!(error, Error::Simulation { source: toile_sim::Error::Stopped { .. } })
}

/// How long the last steps took.
struct Pace {
    last: Instant,
    seconds: Option<f64>,
}

impl Pace {
    /// Weight of the last step in the mean.
    const SMOOTHING: f64 = 0.1;

    fn note_step(&mut self) {
        let took = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        self.seconds =
            Some(self.seconds.map_or(took, |mean| mean + Self::SMOOTHING * (took - mean)));
    }
}

const STATE: &str = "state.bin";
const REPORT: &str = "report.json";

/// What a job of these options reads and writes.
pub(crate) fn plan(job: &impl Job, options: &Options) -> Plan {
    let mut plan = job.plan(options).writing([REPORT]);
    // On resuming, the state is known by its own checksum and fingerprint.
    if !options.resume {
        plan = plan.writing([STATE]);
    }
    plan = plan.writing(options.frames.iter().flat_map(|format| format.files()));
    plan.frames = options.frames.and_then(Format::numbered);
    plan
}

impl<'a, J: Job> Run<'a, J> {
    fn new(job: &'a mut J, options: &'a Options) -> Result<Self, Error> {
        if !(options.checkpoint.is_finite() && options.checkpoint >= 0.0) {
            let message = format!("cannot save a state every {} s", options.checkpoint);
            return Err(Error::request(message, "give a number of seconds, 0 for every step"));
        }
        plan(job, options).check(&options.out)?;
        job.check_frames(options)?;
        job.stop_with(&options.stop);
        let fingerprint = job.fingerprint();
        let mut run = Self {
            job,
            options,
            output: None,
            pending: Vec::new(),
            statistics: Statistics::default(),
            fingerprint,
            started: Instant::now(),
            cpu_at_start: process::cpu_seconds(),
            pace: Pace { last: Instant::now(), seconds: None },
        };
        if options.resume {
            run.resume()?;
        }
        Ok(run)
    }

    /// Takes up the saved state. Nothing is touched before it is sure that the run can be resumed.
    fn resume(&mut self) -> Result<(), Error> {
        self.saved_state()?;
        let mut folder = OutputFolder::open(&self.options.out, plan(self.job, self.options))?;
        // Once more, now that no other run can change it.
        let saved = self.saved_state()?;
        folder.adopt(STATE)?;
        self.statistics = saved.statistics;
        self.job.restore(saved.saved)?;
        // A report that is there belongs to a run that has ended; this one has not.
        folder.remove(REPORT);
        let recorder =
            Recorder::resume(&mut folder, self.job, self.options.frames, self.statistics.kept)?;
        self.output = Some(Output { folder, recorder });
        Ok(())
    }

    /// The saved state, if it fits.
    fn saved_state(&self) -> Result<Checkpoint, Error> {
        let path = self.options.out.join(STATE);
        let saved = Checkpoint::read(&path)?;
        saved.check_fits(&path, self.fingerprint, self.options.frames)?;
        if let Some(steps) = self.job.progress().steps {
            saved.check_not_beyond(&path, steps)?;
        }
        Ok(saved)
    }

    /// The folder of results; the first time, earlier results leave it.
    fn output(&mut self) -> Result<&mut Output, Error> {
        if self.output.is_none() {
            let mut folder = OutputFolder::open(&self.options.out, plan(self.job, self.options))?;
            folder.clear()?;
            for (name, bytes) in self.job.first_files() {
                folder.write_bytes(name, &bytes)?;
            }
            let recorder = Recorder::new(self.options.frames);
            self.output = Some(Output { folder, recorder });
        }
        let output = self.output.as_mut().expect("it has just been opened");
        for (x, time) in self.pending.drain(..) {
            output.recorder.append(&mut output.folder, self.job, &x, time)?;
        }
        Ok(output)
    }

    /// All of it: start, steps, results.
    fn complete(mut self, tell: &mut ProgressCallback<'_>) -> Result<Outcome, Error> {
        let mut saved = Instant::now();
        let pause = Duration::from_secs_f64(self.options.checkpoint.min(1e9));
        if !self.options.resume {
            let Progress { step, time, .. } = self.job.progress();
            tell(&Progress::at(Stage::Untangling, step, time));
            self.job.start(&mut self.statistics)?;
        }
        self.keep_due_frames()?;
        while !self.job.is_finished() {
            if self.options.stop.is_set() {
                return self.stopped();
            }
            match self.step() {
                Err(error) if is_stop(&error) => return self.stopped(),
                done => done?,
            }
            self.pace.note_step();
            let mut progress = self.job.progress();
            progress.seconds_left =
                progress.steps_left.and_then(|steps| Some(steps * self.pace.seconds?));
            tell(&progress);
            if saved.elapsed() >= pause {
                self.save()?;
                saved = Instant::now();
            }
        }
        self.finish(tell).map(|report| Outcome::Finished(Box::new(report)))
    }

    /// Saves the last good state of a run that was asked to stop. Before the first step there is nothing to save, and
    /// earlier results stay.
    fn stopped(&mut self) -> Result<Outcome, Error> {
        if self.output.is_some() {
            self.save()?;
        }
        let Progress { step, steps, time, .. } = self.job.progress();
        Ok(Outcome::Stopped { step, steps, time })
    }

    /// One step, audited and kept as far as that is asked for.
    fn step(&mut self) -> Result<(), Error> {
        let report = match self.job.step() {
            Ok(report) => report,
            Err(error) => {
                if self.output.is_some() && !is_stop(&error) {
                    self.save()?;
                    for (name, bytes) in self.job.failed_files(&error) {
                        self.output()?.folder.write_bytes(name, &bytes)?;
                    }
                }
                return Err(error);
            }
        };
        self.output()?;
        self.statistics.add(&report);
        self.statistics.strain(self.job.max_strain());
        if self.options.audit == Auditing::Step {
            self.audit()?;
        }
        self.keep_due_frames()
    }

    /// Audits and keeps the frames of the present step, if it has any.
    fn keep_due_frames(&mut self) -> Result<(), Error> {
        while self.is_frame_due() {
            let is_first = self.statistics.frames == 0;
            match self.options.audit {
                Auditing::Off => {}
                Auditing::Step if !is_first => {}
                Auditing::Frame | Auditing::Step => {
                    let found = self.audit()?;
                    if is_first {
                        self.statistics.warn_of_start(&found);
                    }
                }
            }
            self.statistics.frames += 1;
            self.keep_frame()?;
        }
        Ok(())
    }

    /// Keeps the present moment as a frame, if frames are wanted and there can be one.
    fn keep_frame(&mut self) -> Result<(), Error> {
        let Some(x) = self.options.frames.and_then(|format| self.job.frame(format)) else {
            return Ok(());
        };
        let Progress { step, time, .. } = self.job.progress();
        self.statistics.keep(step, time);
        self.pending.push((x, time));
        if self.output.is_some() {
            self.output()?;
        }
        Ok(())
    }

    /// Frame n belongs to the step nearest to the time n / fps.
    fn is_frame_due(&self) -> bool {
        let Some(first) = self.job.first_frame_step() else { return false };
        let time = self.statistics.frames as f64 / self.job.fps();
        let step = (time / self.job.world().settings().step).round().max(0.0) as u64;
        first + step <= self.job.progress().step
    }

    fn audit(&mut self) -> Result<Audit, Error> {
        let clock = Instant::now();
        let world = self.job.world();
        let state = world.state();
        let found = audit(&state.x, &world.model().mesh.triangles, world.bodies(), state.time)?;
        self.statistics.take(&found);
        self.statistics.stages.audit += clock.elapsed().as_secs_f64();
        Ok(found)
    }

    /// Saves the state; frames reach the disk before it does.
    fn save(&mut self) -> Result<(), Error> {
        let mut statistics = self.statistics.clone();
        statistics.wall_seconds += self.started.elapsed().as_secs_f64();
        statistics.cpu_seconds += self.cpu_since_start().unwrap_or(0.0);
        let checkpoint = Checkpoint {
            fingerprint: self.fingerprint,
            frames: self.options.frames,
            saved: self.job.saved(),
            statistics,
        };
        let Output { folder, recorder } = self.output()?;
        recorder.flush(folder)?;
        folder.write_bytes(STATE, &checkpoint.bytes()?)
    }

    fn cpu_since_start(&self) -> Option<f64> {
        Some(process::cpu_seconds()? - self.cpu_at_start?)
    }

    fn finish(mut self, tell: &mut ProgressCallback<'_>) -> Result<Report, Error> {
        let Progress { step, steps, time, .. } = self.job.progress();
        let mut tell = |stage| tell(&Progress { steps, ..Progress::at(stage, step, time) });
        tell(Stage::Auditing);
        let last = match self.options.audit {
            Auditing::Off => None,
            Auditing::Frame | Auditing::Step => Some(self.audit()?),
        };
        if self.job.keeps_last_frame() && self.statistics.last_kept != Some(step) {
            self.keep_frame()?;
        }
        self.save()?;
        let energy = self.job.world_mut().energy();
        // Pictures take memory too.
        self.job.world_mut().release_solver();
        let clock = Instant::now();
        let Output { mut folder, mut recorder } = self.output.take().expect("saving opened it");
        let garment = self.job.finish(&mut folder, self.options, &mut tell)?;
        if recorder.has_pictures() {
            tell(Stage::Drawing);
        }
        let with_body = self.options.with_body || self.job.body_cache().is_some();
        recorder.finish(&mut folder, self.job, with_body)?;
        self.statistics.stages.write += clock.elapsed().as_secs_f64();
        let cpu_seconds = self.cpu_since_start().map(|s| s + self.statistics.cpu_seconds);
        self.statistics.wall_seconds += self.started.elapsed().as_secs_f64();
        let end = report::End { energy, last, cpu_seconds, garment };
        let report = Report::new(self.job, &self.statistics, end);
        folder.write_json(REPORT, &report)?;
        Ok(report)
    }
}
