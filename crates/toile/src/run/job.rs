//! What a run steps: a scene or a garment. The loop of [`super::run()`] is the same for both.

use super::checkpoint::Saved;
use super::frames::Format;
use super::report::GarmentReport;
use super::statistics::Statistics;
use super::{Options, Progress, StopFlag};
use crate::error::Error;
use crate::export::Space;
use crate::output::{OutputFolder, Plan};
use crate::picture::Studio;
use glam::DVec3;
use toile_mesh::TriMesh;
use toile_mesh::io::Model;
use toile_sim::{StepReport, World};

/// Something that is simulated step by step, and leaves results.
pub(crate) trait Job {
    /// What it is, in one word: the scene or the pattern.
    fn name(&self) -> String;

    /// Files it reads, and those it writes beside the report, the state and the frames.
    fn plan(&self, options: &Options) -> Plan;

    /// Refuses frames that would take too much, with the estimate.
    fn check_frames(&self, options: &Options) -> Result<(), Error>;

    /// Lets a flag give up the step under way.
    fn stop_with(&mut self, stop: &StopFlag);

    /// A hash of everything that decides the motion and the frames.
    fn fingerprint(&self) -> u64;

    /// The world it is in now.
    fn world(&self) -> &World;

    /// The same, to be asked for what it keeps.
    fn world_mut(&mut self) -> &mut World;

    /// Frames per second of simulated time.
    fn fps(&self) -> f64;

    /// How far it is.
    fn progress(&self) -> Progress;

    /// Whether it has come to its end.
    fn is_finished(&self) -> bool;

    /// The step from which on there are frames, if it has come so far.
    fn first_frame_step(&self) -> Option<u64> {
        Some(0)
    }

    /// What is done once before the first step.
    fn start(&mut self, statistics: &mut Statistics) -> Result<(), Error>;

    /// One step. If it fails, the state before it stays.
    fn step(&mut self) -> Result<StepReport, Error>;

    /// What it needs to resume.
    fn saved(&self) -> Saved;

    /// Restores a saved state.
    fn restore(&mut self, saved: Saved) -> Result<(), Error>;

    /// Largest strain of the cloth now, if it is one that its fabric bears.
    fn max_strain(&self) -> f64 {
        self.world().max_strain()
    }

    /// Positions for a frame of a format, if there can be one yet: the mesh of a garment changes until it is sewn.
    fn frame(&self, format: Format) -> Option<Vec<DVec3>>;

    /// The mesh whose vertices the frames of a format move.
    fn frame_mesh(&self, format: Format) -> TriMesh;

    /// The cloth as it is, with its parts and materials [m]; with bodies if they are wanted, where they are in the end, or in
    /// frames at `times` [s].
    fn model(&self, with_bodies: bool, times: Option<&[f64]>) -> Model;

    /// The file for the frames of a body that changes its shape.
    fn body_cache(&self) -> Option<&'static str> {
        None
    }

    /// Coordinates in which meshes and their frames are written.
    fn space(&self) -> Space;

    /// Whether the last step has a frame in any case.
    fn keeps_last_frame(&self) -> bool;

    /// What draws frames.
    fn frame_studio(&self) -> Studio<'_>;

    /// Files that belong in the folder as soon as there is one.
    fn first_files(&mut self) -> Vec<(&'static str, Vec<u8>)>;

    /// Files that show why a step failed.
    fn failed_files(&self, _error: &Error) -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }

    /// Writes the results but for report and frames; says before each part what it is doing.
    fn finish(
        &mut self,
        folder: &mut OutputFolder,
        options: &Options,
        tell: &mut dyn FnMut(super::Stage),
    ) -> Result<Option<GarmentReport>, Error>;

    /// What belongs to a scene alone: its preset, its bounds, what became of its files.
    fn simulation(&self) -> Option<&crate::simulation::Simulation>;
}
