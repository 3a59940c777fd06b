//! A scene that steps.

use crate::error::Error;
use crate::input::Inputs;
use crate::levels::{self, Level};
use crate::run::StopFlag;
use crate::scene::Scene;
use crate::untangle::{self, Untangled};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;
use toile_mesh::TriMesh;
use toile_sim::force::Wind;
use toile_sim::{Contact, Energy, Fabric, Settings, State, StepReport, World};

/// A scene that steps, and can be read and changed between two steps.
///
/// ```
/// use toile::{Cloth, DVec3, Scene, Wind};
///
/// let mut sim = Scene::new()
///     .with_cloth(Cloth::rectangle(0.3, 0.3, 0.05).pin_edge(0))
///     .build()?;
/// sim.run(0.1)?;
/// sim.set_wind(Some(Wind { velocity: DVec3::Z * 5.0, ..Wind::default() }))?;
/// sim.run(0.1)?;
/// let blown: f64 = sim.velocities().iter().map(|v| v.z).sum();
/// assert!(blown > 0.0);
/// # Ok::<(), toile::Error>(())
/// ```
///
/// Vertices of all cloths stand behind one another, in the order of the scene; [`Simulation::vertices_of`] says which are whose.
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

    /// Where the vertices are [m].
    pub fn positions(&self) -> &[DVec3] {
        &self.state().x
    }

    /// How fast they move [m/s].
    pub fn velocities(&self) -> &[DVec3] {
        &self.state().v
    }

    /// Triangles of all cloths, by their vertices; they never change.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.world.model().mesh.triangles
    }

    /// Names of the cloths. A stack has one for each of its sheets.
    pub fn cloths(&self) -> &[String] {
        &self.world.model().names
    }

    /// Vertices of a cloth: a range of [`Simulation::positions`].
    ///
    /// # Panics
    /// If there is no such cloth; see [`Simulation::cloths`].
    pub fn vertices_of(&self, cloth: usize) -> Range<usize> {
        let Range { start, end } = self.world.model().vertices[cloth];
        start as usize..end as usize
    }

    /// All contacts now, with their forces; see [`World::contacts`].
    ///
    /// # Errors
    /// If a position is not finite.
    pub fn contacts(&mut self) -> Result<&[Contact], Error> {
        Ok(self.world.contacts()?)
    }

    /// Energy of all cloths now [J].
    pub fn energy(&mut self) -> Energy {
        self.world.energy()
    }

    /// Energy of each cloth now [J].
    pub fn energies(&mut self) -> &[Energy] {
        self.world.energies()
    }

    /// Another acceleration of free fall [m/s²] from the next step on.
    ///
    /// # Errors
    /// If it makes no sense; nothing is changed then.
    pub fn set_gravity(&mut self, gravity: DVec3) -> Result<(), Error> {
        self.change(|world| world.set_gravity(gravity))
    }

    /// Another wind, or still air, from the next step on.
    ///
    /// # Errors
    /// If it makes no sense; nothing is changed then.
    pub fn set_wind(&mut self, wind: Option<Wind>) -> Result<(), Error> {
        self.change(|world| world.set_wind(wind))
    }

    /// Another coefficient of friction of a cloth, by its number, from the next step on.
    ///
    /// # Errors
    /// If there is no such cloth, or the coefficient makes no sense; nothing is changed then.
    pub fn set_friction(&mut self, cloth: usize, friction: f64) -> Result<(), Error> {
        self.change(|world| world.set_friction(cloth, friction))
    }

    /// Another coefficient of friction of a body, by its number; that of the fabric if none is given.
    ///
    /// # Errors
    /// If there is no such body, or the coefficient makes no sense; nothing is changed then.
    pub fn set_body_friction(&mut self, body: usize, friction: Option<f64>) -> Result<(), Error> {
        self.change(|world| world.set_body_friction(body, friction))
    }

    /// Another fabric of a cloth, by its number, from the next step on. Its rest shape stays.
    ///
    /// # Errors
    /// If there is no such cloth, or the fabric makes no sense; nothing is changed then.
    pub fn set_fabric(&mut self, cloth: usize, fabric: &Fabric) -> Result<(), Error> {
        self.change(|world| world.set_fabric(cloth, fabric.clone()))
    }

    /// Other settings from the next step on, also another length of it. A scene with `levels` keeps the length of its steps: by
    /// their number it decides when cells become smaller.
    ///
    /// # Errors
    /// If they make no sense; nothing is changed then.
    pub fn set_settings(&mut self, settings: &Settings) -> Result<(), Error> {
        let same_step = settings.step == self.world.settings().step;
        if !self.levels.is_empty() && !same_step {
            let message = "the length of the step cannot be changed in a scene with `levels`";
            return Err(Error::request(message, "leave `levels` out"));
        }
        self.change(|world| world.set_settings(settings.clone()))
    }

    /// Changes the world, and those with larger cells.
    fn change(
        &mut self,
        change: impl Fn(&mut World) -> Result<(), toile_sim::Error>,
    ) -> Result<(), Error> {
        change(&mut self.world)?;
        for level in &mut self.levels {
            change(level.world_mut())?;
        }
        Ok(())
    }

    /// Undoes intersections that the cloth begins with; nothing changes, and nothing is returned, if there are none.
    /// [`run`](crate::run()) does it before the first step.
    ///
    /// # Errors
    /// If something intersects and the scene says `solver.untangle = false`; if the method promises that nothing
    /// intersects and it could not be undone; if a coordinate is no number.
    pub fn untangle(&mut self) -> Result<Option<Untangled>, Error> {
        untangle::resolve_start(&mut self.world)
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

    /// Simulates for some time [s], rounded to whole steps.
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
