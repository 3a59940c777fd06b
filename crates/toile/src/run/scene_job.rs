//! Runs of scenes.

use super::checkpoint::Saved;
use super::effort::Momentum;
use super::frames::{Format, check_amount};
use super::job::Job;
use super::report::GarmentReport;
use super::statistics::Statistics;
use super::{Options, Progress, Stage, StopFlag};
use crate::error::Error;
use crate::export::{self, Space};
use crate::output::hash::Fnv;
use crate::output::{OutputFolder, Plan};
use crate::picture::Studio;
use crate::simulation::Simulation;
use glam::DVec3;
use std::time::Instant;
use toile_mesh::TriMesh;
use toile_mesh::io::{Model, Part};
use toile_sim::{StepReport, World};

/// A scene that is run for its duration.
pub(super) struct SceneJob<'a>(pub(super) &'a mut Simulation);

impl Job for SceneJob<'_> {
    fn name(&self) -> String {
        self.0.scene().name.clone()
    }

    fn plan(&self, options: &Options) -> Plan {
        let mut names = export::final_names(options.unwelded);
        if options.picture {
            names.push("final.png");
        }
        Plan::new(names).reading(self.0.scene().inputs())
    }

    fn check_frames(&self, options: &Options) -> Result<(), Error> {
        let scene = self.0.scene();
        let frames = (scene.duration * scene.fps).ceil() + 1.0;
        check_amount(options.frames, frames, self.0.state().x.len())
    }

    fn stop_with(&mut self, stop: &StopFlag) {
        self.0.stop_with(stop);
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(self.0)
    }

    fn world(&self) -> &World {
        self.0.world()
    }

    fn world_mut(&mut self) -> &mut World {
        self.0.world_mut()
    }

    fn fps(&self) -> f64 {
        self.0.scene().fps
    }

    fn progress(&self) -> Progress {
        let state = self.0.state();
        let steps = self.0.steps_in(self.0.scene().duration);
        Progress {
            steps: Some(steps),
            steps_left: Some(steps.saturating_sub(state.step) as f64),
            ..Progress::at(Stage::Simulating, state.step, state.time)
        }
    }

    fn is_finished(&self) -> bool {
        self.0.state().step >= self.0.steps_in(self.0.scene().duration)
    }

    /// Undoes what intersects, and notes what the run starts with.
    fn start(&mut self, statistics: &mut Statistics) -> Result<(), Error> {
        let clock = Instant::now();
        statistics.note(&self.0.inputs().warnings);
        statistics.warn(self.0.world().warnings());
        statistics.untangle = self.0.untangle()?;
        statistics.stages.untangle += clock.elapsed().as_secs_f64();
        let world = self.0.world_mut();
        statistics.energy_initial = world.energy();
        statistics.momentum_initial = Momentum::of(world);
        Ok(())
    }

    fn step(&mut self) -> Result<StepReport, Error> {
        self.0.step()
    }

    fn saved(&self) -> Saved {
        Saved { state: self.0.state().clone(), garment: None, is_moving: false }
    }

    fn restore(&mut self, saved: Saved) -> Result<(), Error> {
        Ok(self.0.world_mut().restore(saved.state)?)
    }

    fn frame(&self, _: Format) -> Option<Vec<DVec3>> {
        Some(self.0.state().x.clone())
    }

    fn frame_mesh(&self, _: Format) -> TriMesh {
        self.0.mesh()
    }

    fn model(&self, with_bodies: bool, times: Option<&[f64]>) -> Model {
        let (world, mesh) = (self.0.world(), self.0.mesh());
        let cloths = world.model();
        let (mut parts, mut materials) = (Vec::new(), Vec::new());
        for (k, triangles) in cloths.triangles.iter().enumerate() {
            let (name, material) = (cloths.names[k].clone(), k as u32);
            parts.push(Part { name, triangles: triangles.clone(), material });
            let fabric = &cloths.fabrics[k];
            // Of cloths of one fabric the further ones are told apart by their colour.
            let is_new = cloths.fabrics[..k].iter().all(|f| f.name != fabric.name);
            materials.push(match is_new {
                true => export::cloth_material(fabric),
                false => export::plain_material(&fabric.name, k),
            });
        }
        let mut model = export::cloth_model("cloth", mesh, parts, materials);
        if with_bodies {
            export::add_bodies(&mut model, world.bodies(), times.unwrap_or(&[self.0.state().time]));
        }
        model
    }

    fn space(&self) -> Space {
        Space::default()
    }

    fn keeps_last_frame(&self) -> bool {
        false
    }

    fn frame_studio(&self) -> Studio<'_> {
        Studio::new(self.0)
    }

    fn first_files(&mut self) -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }

    fn finish(
        &mut self,
        folder: &mut OutputFolder,
        options: &Options,
        tell: &mut dyn FnMut(Stage),
    ) -> Result<Option<GarmentReport>, Error> {
        tell(Stage::Writing);
        export::write_final(folder, &self.model(options.with_body, None), options.unwelded)?;
        if options.picture {
            tell(Stage::Drawing);
            folder.write_bytes("final.png", &Studio::new(self.0).png()?)?;
        }
        Ok(None)
    }

    fn simulation(&self) -> Option<&Simulation> {
        Some(self.0)
    }
}

/// A hash of everything that decides the motion and the frames of a scene.
fn fingerprint(sim: &Simulation) -> u64 {
    use std::fmt::Write;
    let (world, scene) = (sim.world(), sim.scene());
    let model = world.model();
    let mut hash = Fnv::of_program();
    hash.add_mesh(&model.mesh);
    for number in model.mass.iter().chain(&model.rest_lengths()) {
        hash.add(&number.to_bits().to_le_bytes());
    }
    // Debug prints every number with all its digits; writing to a hash does not fail.
    let _ = write!(hash, "{:?}{:?}{:?}", model.fabrics, world.settings(), world.bodies());
    let pins: Vec<_> = scene.cloths.iter().map(|c| &c.pins).collect();
    let _ = write!(hash, "{pins:?}{:?}{:?}{:?}", scene.gravity, scene.wind, scene.fps);
    // When cells become smaller depends on the duration.
    sim.level_ends().for_each(|step| hash.add(&step.to_le_bytes()));
    hash.0
}
