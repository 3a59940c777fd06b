//! The pipeline: steps, frames, audit, checkpoints, results.
//!
//! Cloth that begins intersecting is untangled first ([`Simulation::untangle`]).
//!
//! [`run`] leaves in its folder `report.json`, `final.obj`, `final.glb`, `final.png`, `state.bin`
//! and the frames asked for. Every file is written whole or not at all. A run that was stopped, or
//! killed, goes on from `state.bin` and ends in the same bits as one that was not.

mod checkpoint;
mod effort;
pub(crate) mod folder;
mod frames;
mod process;
mod report;

pub use checkpoint::Checkpoint;
pub use effort::{Effort, Momentum};
pub use frames::Format;
pub use process::cpu_seconds;
pub use report::{REPORT_VERSION, Report, Stages, Verdict};

use crate::audit::{Audit, audit};
use crate::error::Error;
use crate::picture::Studio;
use crate::simulation::Simulation;
use checkpoint::Statistics;
use folder::Folder;
use frames::Recorder;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use toile_mesh::io;

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
    /// Asks the run to stop after the present step.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
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
    /// Whether to go on from `state.bin`.
    pub resume: bool,
    /// Time between saved states [s of wall time].
    pub checkpoint: f64,
    /// Whether to draw `final.png`.
    pub picture: bool,
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
            stop: StopFlag::default(),
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is happening.
    pub doing: &'static str,
    /// Steps taken.
    pub step: u64,
    /// Steps in all.
    pub steps: u64,
    /// Simulated time [s].
    pub time: f64,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All steps were taken; the results are written.
    Finished(Box<Report>),
    /// It was stopped and can be resumed.
    Stopped {
        /// Steps taken.
        step: u64,
        /// Steps in all.
        steps: u64,
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
    let threads = options.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        Error::request(format!("cannot start {threads} threads: {e}"), "ask for fewer threads")
    })?;
    pool.install(|| Run::begin(sim, options)?.go(progress))
}

/// A run under way.
struct Run<'a> {
    sim: &'a mut Simulation,
    options: &'a Options,
    recorder: Recorder,
    statistics: Statistics,
    fingerprint: u64,
    begun: Instant,
    cpu_at_begin: Option<f64>,
    _folder: Folder,
}

impl<'a> Run<'a> {
    fn begin(sim: &'a mut Simulation, options: &'a Options) -> Result<Self, Error> {
        if !(options.checkpoint.is_finite() && options.checkpoint >= 0.0) {
            let message = format!("cannot save a state every {} s", options.checkpoint);
            return Err(Error::request(message, "give a number of seconds, 0 for every step"));
        }
        let fingerprint = checkpoint::fingerprint(sim);
        let mut statistics = Statistics::default();
        if !options.resume {
            std::fs::create_dir_all(&options.out)
                .map_err(|source| Error::Folder { path: options.out.clone(), source })?;
        }
        let folder = Folder::lock(&options.out)?;
        if options.resume {
            // Nothing is touched before it is sure that the run can go on.
            let path = options.out.join("state.bin");
            let saved = Checkpoint::read(&path)?;
            saved.check_fits(&path, fingerprint, options.frames)?;
            saved.check_not_beyond(&path, sim.steps_in(sim.scene().duration))?;
            statistics = saved.statistics;
            sim.world_mut().restore(saved.state)?;
        } else {
            folder::clear(&options.out);
            statistics.warn(sim.world().warnings());
        }
        folder::sweep(&options.out);
        let recorder = Recorder::begin(sim, options, statistics.frames)?;
        // A report that is there belongs to a run that has ended; this one has not.
        let _ = std::fs::remove_file(options.out.join("report.json"));
        Ok(Self {
            sim,
            options,
            recorder,
            statistics,
            fingerprint,
            begun: Instant::now(),
            cpu_at_begin: process::cpu_seconds(),
            _folder: folder,
        })
    }

    fn go(mut self, progress: &mut (dyn FnMut(&Progress) + Send)) -> Result<Outcome, Error> {
        let steps = self.sim.steps_in(self.sim.scene().duration);
        let mut saved = Instant::now();
        let pause = Duration::from_secs_f64(self.options.checkpoint.min(1e9));
        if !self.options.resume {
            self.untangle(steps, progress)?;
        }
        self.keep_frames()?;
        while self.sim.state().step < steps {
            if self.options.stop.is_set() {
                self.save()?;
                let state = self.sim.state();
                return Ok(Outcome::Stopped { step: state.step, steps, time: state.time });
            }
            let report = match self.sim.step() {
                Ok(report) => report,
                Err(error) => {
                    self.save()?;
                    return Err(error);
                }
            };
            self.statistics.add(&report);
            self.statistics.strain(self.sim.world().max_strain());
            if self.options.audit == Auditing::Step {
                self.audit()?;
            }
            self.keep_frames()?;
            let state = self.sim.state();
            let (step, time) = (state.step, state.time);
            progress(&Progress { doing: "simulating", step, steps, time });
            if saved.elapsed() >= pause {
                self.save()?;
                saved = Instant::now();
            }
        }
        self.finish(steps, progress).map(|report| Outcome::Finished(Box::new(report)))
    }

    /// Undoes what intersects before the first step, and notes what the run begins with.
    fn untangle(
        &mut self,
        steps: u64,
        progress: &mut (dyn FnMut(&Progress) + Send),
    ) -> Result<(), Error> {
        let clock = Instant::now();
        progress(&Progress { doing: "untangling", step: 0, steps, time: 0.0 });
        self.statistics.untangle = self.sim.untangle()?;
        self.statistics.stages.untangle += clock.elapsed().as_secs_f64();
        let world = self.sim.world_mut();
        self.statistics.energy_begin = world.energy();
        self.statistics.momentum_begin = Momentum::of(world);
        Ok(())
    }

    /// Keeps and audits the frame of the present step, if it is one.
    fn keep_frames(&mut self) -> Result<(), Error> {
        while self.is_frame_due() {
            let time = self.sim.state().time;
            let is_first = self.statistics.frames == 0;
            match self.options.audit {
                Auditing::Off => {}
                Auditing::Step if !is_first => {}
                Auditing::Frame | Auditing::Step => {
                    let found = self.audit()?;
                    if is_first {
                        self.statistics.warn_of_begin(&found);
                    }
                }
            }
            self.recorder.append(self.sim, time)?;
            self.statistics.frames += 1;
        }
        Ok(())
    }

    /// Frame n belongs to the step nearest to the time n / fps.
    fn is_frame_due(&self) -> bool {
        let time = self.statistics.frames as f64 / self.sim.scene().fps;
        self.sim.steps_in(time) <= self.sim.state().step
    }

    fn audit(&mut self) -> Result<Audit, Error> {
        let clock = Instant::now();
        let world = self.sim.world();
        let state = world.state();
        let found = audit(&state.x, &world.model().mesh.triangles, world.bodies(), state.time)?;
        self.statistics.take(&found);
        self.statistics.stages.audit += clock.elapsed().as_secs_f64();
        Ok(found)
    }

    /// Saves the state; frames reach the disk before it does.
    fn save(&mut self) -> Result<(), Error> {
        self.recorder.flush()?;
        let mut statistics = self.statistics.clone();
        statistics.wall_seconds += self.begun.elapsed().as_secs_f64();
        statistics.cpu_seconds += self.cpu_since_begin().unwrap_or(0.0);
        let checkpoint = Checkpoint {
            fingerprint: self.fingerprint,
            frames: self.options.frames,
            state: self.sim.state().clone(),
            statistics,
        };
        checkpoint.write(&self.options.out.join("state.bin"))
    }

    fn cpu_since_begin(&self) -> Option<f64> {
        Some(process::cpu_seconds()? - self.cpu_at_begin?)
    }

    fn finish(
        mut self,
        steps: u64,
        progress: &mut (dyn FnMut(&Progress) + Send),
    ) -> Result<Report, Error> {
        let time = self.sim.state().time;
        let mut tell = |doing| progress(&Progress { doing, step: steps, steps, time });
        tell("auditing");
        let last = match self.options.audit {
            Auditing::Off => None,
            Auditing::Frame | Auditing::Step => Some(self.audit()?),
        };
        self.save()?;
        let energy = self.sim.world_mut().energy();
        // Pictures take memory too.
        self.sim.world_mut().rest();
        tell("writing");
        let out = &self.options.out;
        let mesh = self.sim.mesh();
        io::write_mesh(out.join("final.obj"), &mesh)?;
        io::write_mesh(out.join("final.glb"), &mesh)?;
        let clock = Instant::now();
        if self.options.picture || self.recorder.has_pictures() {
            tell("drawing");
        }
        let wall = self.statistics.wall_seconds + self.begun.elapsed().as_secs_f64();
        if self.options.picture {
            Studio::new(self.sim).draw_to(&out.join("final.png"))?;
        }
        self.recorder.finish(self.sim)?;
        self.statistics.stages.write += clock.elapsed().as_secs_f64();
        let cpu = self.cpu_since_begin().map(|s| s + self.statistics.cpu_seconds);
        let report = Report::new(self.sim, &self.statistics, energy, last, wall, cpu);
        write_json(&out.join("report.json"), &report)?;
        Ok(report)
    }
}

/// Writes a value as JSON for people and programs.
fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Error> {
    Ok(io::write_atomically(path, |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        out.write_all(b"\n")
    })?)
}
