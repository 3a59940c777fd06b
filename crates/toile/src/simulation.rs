//! A scene that steps.

use crate::error::Error;
use crate::input::Inputs;
use crate::levels::{self, Level};
use crate::run::StopFlag;
use crate::scene::Scene;
use crate::untangle::{self, Untangled};
use std::sync::Arc;
use toile_mesh::TriMesh;
use toile_sim::{State, StepReport, World};

/// A scene and the world made of it.
#[derive(Debug)]
pub struct Simulation {
    scene: Scene,
    world: World,
    /// The same in larger cells, the largest first.
    levels: Vec<Level>,
    /// What became of the meshes of its files.
    inputs: Inputs,
}

impl Simulation {
    pub(crate) fn new(scene: Scene, world: World, inputs: Inputs) -> Self {
        Self { scene, world, levels: Vec::new(), inputs }
    }

    pub(crate) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// What was noticed about the files of the scene: what was repaired, left out or cannot be judged.
    pub fn warnings(&self) -> &[String] {
        &self.inputs.warnings
    }

    /// Makes the levels that the scene asks for.
    pub(crate) fn set_levels(&mut self) -> Result<(), Error> {
        let (count, steps) = (self.scene.levels, self.steps_in(self.scene.duration));
        let mut nests = Vec::new();
        for coarser in 1..count {
            let (world, nest, _) = self.scene.world(self.world.settings().clone(), coarser)?;
            nests.insert(0, Arc::new(nest));
            let until = levels::until(steps, count, coarser);
            self.levels.insert(0, Level::new(world, until, nests.clone()));
        }
        Ok(())
    }

    /// For each level with larger cells the first step that it does not take, the largest cells first.
    pub(crate) fn level_ends(&self) -> impl Iterator<Item = u64> {
        self.levels.iter().map(|level| level.until)
    }

    /// The scene it was made of.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Model, bodies and settings.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be changed. What is changed besides the state does not reach the larger cells of a scene with `levels`.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Positions and velocities now.
    pub fn state(&self) -> &State {
        self.world.state()
    }

    /// Undoes intersections that the cloth begins with; nothing changes, and nothing is returned, if there are none.
    /// [`run`](crate::run()) does it before the first step.
    ///
    /// # Errors
    /// If something intersects and the scene says `solver.untangle = false`; if the method promises that nothing
    /// intersects and it could not be undone; if a coordinate is no number.
    pub fn untangle(&mut self) -> Result<Option<Untangled>, Error> {
        untangle::begin(&mut self.world)
    }

    /// Lets a flag give up the step under way; see [`World::stop_with`].
    pub fn stop_with(&mut self, flag: &StopFlag) {
        self.world.stop_with(flag.shared());
        self.levels.iter_mut().for_each(|level| level.stop_with(flag));
    }

    /// One step.
    ///
    /// # Errors
    /// If it fails; the state stays that of the last good step.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        let step = self.world.state().step;
        match self.levels.iter_mut().find(|level| step < level.until) {
            Some(level) => level.step(&mut self.world),
            None => Ok(self.world.step()?),
        }
    }

    /// Goes on for some time [s], rounded to whole steps.
    ///
    /// # Errors
    /// If a step fails; the state stays that of the last good step.
    pub fn run(&mut self, seconds: f64) -> Result<(), Error> {
        for _ in 0..self.steps_in(seconds) {
            self.step()?;
        }
        Ok(())
    }

    /// How many steps come nearest to a time [s].
    pub fn steps_in(&self, seconds: f64) -> u64 {
        (seconds / self.world.settings().step).round().max(0.0) as u64
    }

    /// The cloth as it is now, with its material coordinates.
    pub fn mesh(&self) -> TriMesh {
        let mut mesh = self.world.model().mesh.clone();
        mesh.positions.clone_from(&self.world.state().x);
        mesh
    }
}
