//! The world: model, state, bodies, pins and settings, and how they step.

use crate::barrier::{Contact, Seam};
use crate::body::Body;
use crate::constraint::Pin;
use crate::error::{Error, StepPhase};
use crate::force::Wind;
use crate::model::{Cloth, Model};
use crate::report::{Energy, StepReport, Warning};
use crate::scale;
use crate::settings::{Method, Settings, Stiffness};
use crate::state::State;
use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

mod change;
#[cfg(test)]
mod change_tests;
mod diagnose;
mod engine;
mod minimise;
mod observables;

use engine::Engine;

/// Part of the stability limit that softened springs are given.
const STABILITY_MARGIN: f64 = 0.7;

/// A step is halved at most so often.
const MAX_HALVINGS: u32 = 6;

/// A scene that steps.
///
/// ```
/// use glam::DVec3;
/// use toile_mesh::shape;
/// use toile_sim::{Cloth, Pin, Preset, Surroundings, World};
///
/// let mesh = shape::grid(0.4, 0.4, 8, 8, shape::Diagonals::Alternating);
/// let cloth = Cloth { grid: Some([8, 8]), ..Cloth::new("sheet", mesh) };
/// let surroundings = Surroundings { pins: vec![Pin::still(vec![0, 8])], ..Surroundings::default() };
/// let mut world = World::new(vec![cloth], surroundings, Preset::Toile.settings())?;
/// for _ in 0..10 {
///     world.step()?;
/// }
/// assert!(world.state().lowest() < -0.02);
/// assert!(world.energy().total() < 0.01);
///
/// world.set_gravity(DVec3::ZERO)?; // from the next step on
/// world.step()?;
/// # Ok::<(), toile_sim::Error>(())
/// ```
#[derive(Debug)]
pub struct World {
    pub(crate) model: Model,
    pub(crate) settings: Settings,
    pub(crate) state: State,
    pub(crate) bodies: Vec<Body>,
    pub(crate) pins: Vec<Pin>,
    seams: Vec<Seam>,
    pub(crate) gravity: DVec3,
    pub(crate) wind: Option<Wind>,
    /// Distance kept between features [m].
    pub(crate) separation: f64,
    warnings: Vec<Warning>,
    /// `None` while its memory is released.
    engine: Option<Engine>,
    /// Set from outside to cancel the running step.
    stop: Arc<AtomicBool>,
    /// Step and time [s] from which steps have the present length.
    since: (u64, f64),
    /// Those that were asked for last.
    contacts: Vec<Contact>,
    energies: Vec<Energy>,
}

/// What surrounds the cloths.
///
/// ```
/// use glam::DVec3;
/// use toile_sim::body::Shape;
/// use toile_sim::{Body, Surroundings};
///
/// let floor = Body::new("floor", Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y });
/// let moon = Surroundings { bodies: vec![floor], gravity: DVec3::Y * -1.62, ..Surroundings::default() };
/// assert!(moon.wind.is_none() && moon.pins.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// What cloth collides with.
    pub bodies: Vec<Body>,
    /// What is held.
    pub pins: Vec<Pin>,
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// Moving air.
    pub wind: Option<Wind>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self { bodies: Vec::new(), pins: Vec::new(), gravity: DVec3::Y * -9.81, wind: None }
    }
}

impl World {
    /// Puts a world together; everything is checked here.
    pub fn new(
        cloths: Vec<Cloth>,
        surroundings: Surroundings,
        settings: Settings,
    ) -> Result<Self, Error> {
        settings.validate()?;
        let elements = settings.needs_elements();
        let springs = (settings.method != Method::Barrier).then_some(settings.springs);
        let mut model = Model::new(cloths, springs)?;
        let mut warnings = Vec::new();
        if settings.stiffness == Stiffness::Stable && !elements {
            let limit = STABILITY_MARGIN * settings.integrator.stability() / settings.step;
            let factor = model.soften(limit);
            if factor < 1.0 {
                warnings.push(Warning::Softened { factor });
            }
        }
        let Surroundings { bodies, pins, gravity, wind } = surroundings;
        scale::check(&model, &bodies, &pins, gravity, wind.as_ref(), settings.step)?;
        let separation = scale::separation(&model, settings.collision.separation, &mut warnings)?;
        let colliders = engine::colliders(&bodies, &settings, separation)?;
        let engine = Engine::new(&settings, &model, colliders, gravity, separation)?;
        #[cfg(feature = "papers")]
        if let Engine::Paper(system) = &engine {
            warnings.extend(system.warning());
        }
        Ok(Self {
            state: State::at_rest(model.mesh.positions.clone()),
            engine: Some(engine),
            model,
            settings,
            bodies,
            pins,
            seams: Vec::new(),
            gravity,
            wind,
            separation,
            warnings,
            stop: Arc::default(),
            since: (0, 0.0),
            contacts: Vec::new(),
            energies: Vec::new(),
        })
    }

    /// What does not change.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Positions and velocities.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Methods.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was noticed when the world was put together.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Distance kept between features [m].
    pub fn separation(&self) -> f64 {
        self.separation
    }

    /// Vertices that are pinned at the present time, ascending.
    pub fn pinned_vertices(&self) -> Vec<u32> {
        let holding = self.pins.iter().filter(|p| p.holds(self.state.time));
        let mut pinned: Vec<u32> = holding.flat_map(|p| p.vertices.iter().copied()).collect();
        pinned.sort_unstable();
        pinned.dedup();
        pinned
    }

    /// Restores a saved state.
    pub fn restore(&mut self, state: State) -> Result<(), Error> {
        let n = self.model.mass.len();
        if state.x.len() != n || state.v.len() != n {
            let reason = format!("has {} vertices, the scene has {n}", state.x.len());
            return Err(Error::Mesh { name: "saved state".into(), reason });
        }
        if !state.slider_positions.is_empty() {
            self.ensure_engine()?;
            let sliders = match &mut self.engine {
                Some(Engine::Barrier(solver)) => solver.sheet_mut().slider_count(),
                _ => 0,
            };
            if sliders != state.slider_positions.len() {
                let reason = format!(
                    "has {} sliders, the scene has {sliders}",
                    state.slider_positions.len()
                );
                return Err(Error::Mesh { name: "saved state".into(), reason });
            }
        }
        self.state = state;
        // Steps of another length are counted from the time of the state.
        if self.time_of(self.state.step) != self.state.time {
            self.since = (self.state.step, self.state.time);
        }
        Ok(())
    }

    /// Gives every free vertex a velocity.
    pub fn set_velocities(&mut self, velocity: impl Fn(u32, DVec3) -> DVec3) {
        // The step before has not led to them.
        self.state.previous_step = None;
        for i in 0..self.state.v.len() {
            self.state.v[i] = velocity(i as u32, self.state.x[i]);
        }
    }

    /// Seam springs that pull vertices together from the next step on, instead of those before.
    ///
    /// # Errors
    /// If a vertex does not exist, a force is not positive, or the method has no seams.
    pub fn sew(&mut self, seams: Vec<Seam>) -> Result<(), Error> {
        let refuse = |reason: String| Err(Error::Mesh { name: "seams".into(), reason });
        if self.settings.method != Method::Barrier {
            return refuse("are drawn together by the method \"barrier\" alone".into());
        }
        let n = self.model.mass.len();
        let good = |s: &Seam| {
            let [a, b] = s.vertices.map(|v| v as usize);
            let numbers = [s.force, s.slack];
            let lengths = numbers.iter().all(|f| *f > 0.0 && f.is_finite());
            a < n && b < n && a != b && lengths && s.rest >= 0.0 && s.rest.is_finite()
        };
        if let Some(bad) = seams.iter().find(|s| !good(s)) {
            return refuse(format!("have an invalid spring: {bad:?}; there are {n} vertices"));
        }
        self.seams = seams;
        Ok(())
    }

    /// What is being sewn.
    pub fn seams(&self) -> &[Seam] {
        &self.seams
    }

    /// Gives back the memory of the default solver, which is most of what a world holds; it is set up anew when something is
    /// asked of it. Other methods keep theirs.
    pub fn release_solver(&mut self) {
        if self.settings.method == Method::Barrier {
            self.engine = None;
        }
    }

    fn ensure_engine(&mut self) -> Result<(), Error> {
        if self.engine.is_none() {
            let colliders = engine::colliders(&self.bodies, &self.settings, self.separation)?;
            let (settings, model) = (&self.settings, &self.model);
            let engine = Engine::new(settings, model, colliders, self.gravity, self.separation)?;
            self.engine = Some(engine);
            self.stop_with(Arc::clone(&self.stop));
        }
        Ok(())
    }

    /// When a step begins [s].
    fn time_of(&self, step: u64) -> f64 {
        let (first, time) = self.since;
        time + (step - first.min(step)) as f64 * self.settings.step
    }

    /// Sets a flag that cancels the running step, which then fails with [`Error::Stopped`] and leaves the state unchanged. The default
    /// solver looks at it in every iteration, the others before every part of a step.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        if let Some(Engine::Barrier(solver)) = &mut self.engine {
            solver.stop = Arc::clone(&flag);
        }
        self.stop = flag;
    }

    /// One step of `settings.step` seconds.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        self.ensure_engine()?;
        let mut report = StepReport::default();
        // Multiply rather than add up: step n of a run and of its continuation agree to the bit.
        let (t0, t1) = (self.time_of(self.state.step), self.time_of(self.state.step + 1));
        let parts = self.step_in_halves(t0, t1 - t0, 0, &mut report)?;
        if parts > 1 {
            report.warnings.push(Warning::Substepped { step: self.state.step, parts });
        }
        self.state.step += 1;
        self.state.time = t1;
        Ok(report)
    }

    /// Steps by `h`, in halves if its collisions cannot be resolved, and returns in how many parts. The state stays if it
    /// fails.
    fn step_in_halves(
        &mut self,
        t: f64,
        h: f64,
        depth: u32,
        report: &mut StepReport,
    ) -> Result<u32, Error> {
        match self.try_step(t, h, report) {
            Err(Error::Unresolved { .. } | Error::NoConvergence { .. }) if depth < MAX_HALVINGS => {
                // The second half may fail when the first has been taken.
                let saved = self.state.clone();
                let first = self.step_in_halves(t, 0.5 * h, depth + 1, report)?;
                match self.step_in_halves(t + 0.5 * h, 0.5 * h, depth + 1, report) {
                    Ok(second) => Ok(first + second),
                    Err(error) => {
                        self.state = saved;
                        Err(error)
                    }
                }
            }
            other => other.map(|()| 1),
        }
    }

    /// Steps by `h` at once. The state stays if that fails.
    fn try_step(&mut self, t: f64, h: f64, report: &mut StepReport) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped { step: self.state.step });
        }
        let Some(mut engine) = self.engine.take() else {
            unreachable!("`step` has made the engine, and each part of it puts it back");
        };
        let result = match &mut engine {
            Engine::Barrier(solver) => self.minimise(solver, t, h, report),
            #[cfg(feature = "papers")]
            Engine::Paper(system) => system.step(self, t, h, report),
        };
        self.engine = Some(engine);
        result
    }

    pub(crate) fn largest_stretch(&self, x: &[DVec3]) -> f64 {
        let edges = self.model.topology.edges.iter().zip(self.model.rest_lengths());
        let stretch = edges.map(|(e, rest)| {
            let [a, b] = e.vertices.map(|v| x[v as usize]);
            a.distance(b) / rest - 1.0
        });
        stretch.fold(0.0, f64::max)
    }

    pub(crate) fn check_finite(
        &self,
        x: &[DVec3],
        v: &[DVec3],
        stage: StepPhase,
    ) -> Result<(), Error> {
        match (0..x.len()).find(|i| !(x[*i].is_finite() && v[*i].is_finite())) {
            Some(i) => Err(Error::NotFinite { step: self.state.step, vertex: i as u32, stage }),
            None => Ok(()),
        }
    }

    /// Largest elongation of an edge now.
    pub fn max_strain(&self) -> f64 {
        self.largest_stretch(&self.state.x)
    }

    /// Energy now.
    pub fn energy(&mut self) -> Energy {
        // Without its solver the elastic energy is unknown.
        let _ = self.ensure_engine();
        let (x, v, m) = (&self.state.x, &self.state.v, &self.model.mass);
        let mut energy = Energy::default();
        for i in 0..x.len() {
            energy.kinetic += 0.5 * m[i] * v[i].length_squared();
            energy.potential -= m[i] * self.gravity.dot(x[i]);
        }
        energy.elastic = match &mut self.engine {
            Some(Engine::Barrier(solver)) => {
                let sheet = solver.sheet_mut();
                sheet.set_slider_positions(&self.state.slider_positions);
                sheet.energy(x)
            }
            #[cfg(feature = "papers")]
            Some(Engine::Paper(system)) => system.elastic_energy(x, &self.model.springs),
            None => f64::NAN,
        };
        energy
    }

    /// Linear momentum [kg·m/s] and angular momentum about the origin [kg·m²/s].
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let each = || {
            (0..self.state.x.len()).map(|i| (self.state.x[i], self.state.v[i] * self.model.mass[i]))
        };
        (each().map(|(_, p)| p).sum(), each().map(|(x, p)| x.cross(p)).sum())
    }
}
