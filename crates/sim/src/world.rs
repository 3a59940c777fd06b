//! The world: model, state, bodies, pins and settings, and how they step.

use crate::barrier::{Contact, Seam};
use crate::body::{Body, BodyQuery, Collider};
use crate::cause::Cause;
use crate::clock::Clock;
use crate::constraint::Pin;
use crate::error::{Error, Stage};
use crate::force::Wind;
use crate::integrate::Rule;
use crate::model::{Cloth, Model};
use crate::motion::Pose;
use crate::report::{Energy, StepReport, Warning};
use crate::respond::{Outcome, Particles, Scene, geometric, handle};
use crate::scale;
use crate::settings::{Collision, Method, Response, Settings, Stiffness};
use crate::state::State;
use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

mod avoid;
mod blame;
mod change;
#[cfg(test)]
mod change_tests;
mod constrain;
mod engine;
mod feedback;
mod minimise;
mod observables;
#[cfg(test)]
mod sampled_tests;
mod springs;

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
    model: Model,
    settings: Settings,
    state: State,
    bodies: Vec<Body>,
    pins: Vec<Pin>,
    seams: Vec<Seam>,
    gravity: DVec3,
    wind: Option<Wind>,
    /// Distance kept between features [m].
    separation: f64,
    /// What collides; the default solver has its own.
    scene: Option<Scene>,
    /// The default solver does not ask for them.
    inverse_mass: Vec<f64>,
    warnings: Vec<Warning>,
    /// None while it rests.
    engine: Option<Engine>,
    /// Raised from outside to give up the present step.
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
        let elements = Engine::needs_elements(&settings);
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
        let colliders = colliders(&bodies, &settings.collision, separation)?;
        let engine = Engine::new(&settings, &model, &colliders, (gravity, separation))?;
        if let Engine::Avoidance(solver) = &engine
            && solver.system.softened < 1.0
        {
            warnings.push(Warning::Softened { factor: solver.system.softened });
        }
        let scene = (settings.method != Method::Barrier)
            .then(|| Scene::new(&model, colliders, separation, settings.collision.tree));
        Ok(Self {
            state: State::at_rest(model.mesh.positions.clone()),
            inverse_mass: scene.iter().flat_map(|_| model.mass.iter().map(|m| 1.0 / m)).collect(),
            engine: Some(engine),
            model,
            settings,
            bodies,
            pins,
            seams: Vec::new(),
            gravity,
            wind,
            separation,
            scene,
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

    /// Vertices that are held now, ascending.
    pub fn held(&self) -> Vec<u32> {
        let holding = self.pins.iter().filter(|p| p.holds(self.state.time));
        let mut held: Vec<u32> = holding.flat_map(|p| p.vertices.iter().copied()).collect();
        held.sort_unstable();
        held.dedup();
        held
    }

    /// Goes on from a saved state.
    pub fn restore(&mut self, state: State) -> Result<(), Error> {
        let n = self.model.mass.len();
        if state.x.len() != n || state.v.len() != n {
            let reason = format!("has {} vertices, the scene has {n}", state.x.len());
            return Err(Error::Mesh { name: "saved state".into(), reason });
        }
        self.state = state;
        // A state of steps of another length goes on from its own time.
        if self.time_of(self.state.step) != self.state.time {
            self.since = (self.state.step, self.state.time);
        }
        Ok(())
    }

    /// Gives every free vertex a velocity.
    pub fn set_velocities(&mut self, velocity: impl Fn(u32, DVec3) -> DVec3) {
        // The step before has not led to them.
        self.state.before = None;
        for i in 0..self.state.v.len() {
            self.state.v[i] = velocity(i as u32, self.state.x[i]);
        }
    }

    /// Threads that draw vertices together from the next step on, instead of those before.
    ///
    /// # Errors
    /// If a vertex does not exist, a force is not positive, or the method knows no seams.
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
            return refuse(format!(
                "have a thread that cannot be: {bad:?}; there are {n} vertices"
            ));
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
    pub fn rest(&mut self) {
        if self.settings.method == Method::Barrier {
            self.engine = None;
        }
    }

    fn wake(&mut self) -> Result<(), Error> {
        if self.engine.is_none() {
            let colliders = colliders(&self.bodies, &self.settings.collision, self.separation)?;
            let outer = (self.gravity, self.separation);
            self.engine = Some(Engine::new(&self.settings, &self.model, &colliders, outer)?);
            self.stop_with(Arc::clone(&self.stop));
        }
        Ok(())
    }

    /// When a step begins [s].
    fn time_of(&self, step: u64) -> f64 {
        let (first, time) = self.since;
        time + (step - first.min(step)) as f64 * self.settings.step
    }

    /// Lets a flag give up the step under way, which then is [`Error::Stopped`] and leaves the state as it was. The default
    /// solver looks at it in every iteration, the others before every part of a step.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        if let Some(Engine::Barrier(solver)) = &mut self.engine {
            solver.stop = Arc::clone(&flag);
        }
        self.stop = flag;
    }

    /// One step of `settings.step` seconds.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        self.wake()?;
        let mut report = StepReport::default();
        // Multiply rather than add up: step n of a run and of its continuation agree to the bit.
        let (t0, t1) = (self.time_of(self.state.step), self.time_of(self.state.step + 1));
        let parts = self.advance(t0, t1 - t0, 0, &mut report)?;
        if parts > 1 {
            report.warnings.push(Warning::Substepped { step: self.state.step, parts });
        }
        self.state.step += 1;
        self.state.time = t1;
        Ok(report)
    }

    /// Steps by `h`, in halves if its collisions cannot be resolved, and returns in how many parts. The state stays if it
    /// fails.
    fn advance(
        &mut self,
        t: f64,
        h: f64,
        depth: u32,
        report: &mut StepReport,
    ) -> Result<u32, Error> {
        match self.try_advance(t, h, report) {
            Err(Error::Unresolved { .. } | Error::NoConvergence { .. }) if depth < MAX_HALVINGS => {
                // The second half may fail when the first has been taken.
                let saved = self.state.clone();
                let first = self.advance(t, 0.5 * h, depth + 1, report)?;
                match self.advance(t + 0.5 * h, 0.5 * h, depth + 1, report) {
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
    fn try_advance(&mut self, t: f64, h: f64, report: &mut StepReport) -> Result<(), Error> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped { step: self.state.step });
        }
        let Some(mut engine) = self.engine.take() else { return Ok(()) };
        let result = match &mut engine {
            Engine::Barrier(solver) => self.minimise(solver, t, h, report),
            Engine::Avoidance(solver) => self.avoid(solver, t, h, report),
            other => self.integrate_and_respond(other, t, h, report),
        };
        self.engine = Some(engine);
        result
    }

    /// A step as the papers take it.
    fn integrate_and_respond(
        &mut self,
        engine: &mut Engine,
        t: f64,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let (mut x, mut v) = (self.state.x.clone(), self.state.v.clone());
        let clock = Clock::start();
        let (anchors, pin_anchor) = self.drive_pins(t, h, &mut v);
        let counted = report.seconds.detect + report.seconds.respond;
        let (before, touches) = self.integrate(engine, (t, h), &mut x, &mut v, report)?;
        self.check_finite(&x, &v, Stage::Integrate)?;
        let counted = report.seconds.detect + report.seconds.respond - counted;
        report.seconds.integrate += clock.seconds() - counted;

        let clock = Clock::start();
        report.stretch = report.stretch.max(self.largest_stretch(&x));
        let unlimited = x.clone();
        if self.settings.strain_limit.apply(&self.model.springs, &self.inverse_mass, &mut x) {
            self.check_finite(&x, &v, Stage::StrainLimit)?;
            // Add what was corrected. The mean velocity of the step, (x − x_t0)/h, would not do:
            // most integrators end a step with another one, and the difference is a part of gravity.
            for i in 0..x.len() {
                v[i] += (x[i] - unlimited[i]) / h;
            }
        }
        report.seconds.strain_limit += clock.seconds();

        let mut touched = x != unlimited;
        if self.settings.collision.enabled {
            let hang = (&anchors[..], &pin_anchor[..]);
            touched |= self.respond(engine, (t, h), (&mut x, &mut v), hang, &touches, report)?;
        }
        self.check_finite(&x, &v, Stage::Collide)?;
        self.state.x = x;
        self.state.v = v;
        // What something else has moved is no step of the integrator to go on from.
        self.state.before = before.filter(|_| !touched);
        Ok(())
    }

    /// Responds to the collisions of a step; returns the new mean velocities of the vertices it changed.
    fn collide(
        &mut self,
        (t, h): (f64, f64),
        x: &mut [DVec3],
        v: &mut [DVec3],
        (anchors, pin_anchor): (&[Pose], &[Option<u32>]),
        report: &mut StepReport,
    ) -> Result<Vec<Option<DVec3>>, Error> {
        let step = self.state.step;
        let not_finite = |e: toile_collide::NotFinite| Error::NotFinite {
            step,
            vertex: e.vertex,
            stage: Stage::Collide,
        };
        let Some(scene) = &mut self.scene else { return Ok(Vec::new()) };
        scene.advance_bodies(t, t + h).map_err(not_finite)?;
        let mut anchors = anchors.to_vec();
        for (b, body) in scene.bodies.iter().enumerate() {
            anchors[1 + b] = body.displacement;
        }
        let particles = Particles {
            mass: &self.model.mass,
            inverse_mass: &self.inverse_mass,
            x_t0: &self.state.x,
            pin_anchor,
            anchors: &anchors,
        };
        // Impacts change the mean velocity of the step. What an integrator added to it for the end
        // of the step stays, or every contact would swallow a part of gravity and of momentum.
        let mean = match self.settings.method {
            Method::Implicit => self.settings.implicit.rule == Rule::Euler,
            _ => self.settings.integrator.ends_with_mean_velocity(),
        };
        let rest: Option<Vec<DVec3>> =
            (!mean).then(|| (0..x.len()).map(|i| v[i] - (x[i] - self.state.x[i]) / h).collect());
        if self.settings.collision.response == Response::Geometric {
            let (x_t0, w) = (&self.state.x, &self.inverse_mass);
            let changed = geometric::correct(scene, x_t0, x, w, h, report);
            follow(&changed, rest.as_deref(), v);
            return Ok(changed);
        }
        let mut collision = self.settings.collision;
        if self.settings.method == Method::Implicit && collision.response == Response::Constraints {
            // It was a force in the solve.
            collision.repulsion = 0.0;
        }
        let outcome = handle(scene, &particles, x, h, &collision, report);
        match outcome.map_err(not_finite)? {
            Outcome::Clear(changed) => {
                follow(&changed, rest.as_deref(), v);
                Ok(changed)
            }
            Outcome::Stuck { left, vertex } => {
                let cause = Box::new(Cause::Collisions { left });
                Err(Error::Unresolved { step: self.state.step, vertex, cause })
            }
        }
    }

    /// Gives pinned vertices the velocity that brings them where they are to be, and lists what
    /// zones can hang on: rest, then each body (filled in later), then each pin.
    fn drive_pins(&mut self, t: f64, h: f64, v: &mut [DVec3]) -> (Vec<Pose>, Vec<Option<u32>>) {
        let mut anchors = vec![Pose::IDENTITY; 1 + self.bodies.len()];
        let mut pin_anchor = vec![None; v.len()];
        for (w, m) in self.inverse_mass.iter_mut().zip(self.model.mass.iter()) {
            *w = 1.0 / m;
        }
        for pin in self.pins.iter().filter(|p| p.holds(t)) {
            let displacement = pin.displacement(t, t + h);
            let moves = pin.motion.pose(t) != pin.motion.pose(t + h);
            let anchor = if moves { anchors.len() as u32 } else { 0 };
            if moves {
                anchors.push(displacement);
            }
            for i in &pin.vertices {
                let i = *i as usize;
                let target = pin.target(self.model.mesh.positions[i], t + h);
                v[i] = (target - self.state.x[i]) / h;
                self.inverse_mass[i] = 0.0;
                pin_anchor[i] = Some(anchor);
            }
        }
        (anchors, pin_anchor)
    }

    fn largest_stretch(&self, x: &[DVec3]) -> f64 {
        let edges = self.model.topology.edges.iter().zip(self.model.rest_lengths());
        let stretch = edges.map(|(e, rest)| {
            let [a, b] = e.vertices.map(|v| x[v as usize]);
            a.distance(b) / rest - 1.0
        });
        stretch.fold(0.0, f64::max)
    }

    fn check_finite(&self, x: &[DVec3], v: &[DVec3], stage: Stage) -> Result<(), Error> {
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
        let awake = self.wake().is_ok();
        let (x, v, m) = (&self.state.x, &self.state.v, &self.model.mass);
        let mut energy = Energy::default();
        for i in 0..x.len() {
            energy.kinetic += 0.5 * m[i] * v[i].length_squared();
            energy.potential -= m[i] * self.gravity.dot(x[i]);
        }
        if let Some(Engine::Avoidance(solver)) = &self.engine {
            energy.elastic = solver.system.energy(x);
            return energy;
        }
        if let Some(sheet) = self.engine.as_mut().and_then(Engine::sheet) {
            energy.elastic = sheet.energy(x);
            return energy;
        }
        if !awake {
            energy.elastic = f64::NAN;
        }
        for s in &self.model.springs {
            energy.elastic += s.energy(s.ends.map(|i| x[i as usize]));
        }
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

/// Bodies as the method meets them.
fn colliders(
    bodies: &[Body],
    collision: &Collision,
    separation: f64,
) -> Result<Vec<Collider>, Error> {
    Ok(match collision.response {
        _ if collision.bodies != BodyQuery::Features => {
            let near = separation * collision.repulsion.max(2.0);
            let of = |b| Collider::sampled(b, collision.bodies, collision.body_cell, near);
            bodies.iter().map(of).collect::<Result<_, _>>()?
        }
        Response::Geometric => {
            bodies.iter().map(|b| Collider::of_triangles(b, collision.tree)).collect()
        }
        _ => bodies.iter().map(Collider::new).collect(),
    })
}

/// Gives vertices their new mean velocities, with what the integrator adds.
fn follow(changed: &[Option<DVec3>], rest: Option<&[DVec3]>, v: &mut [DVec3]) {
    for (i, changed) in changed.iter().enumerate() {
        if let Some(mean) = changed {
            v[i] = *mean + rest.map_or(DVec3::ZERO, |r| r[i]);
        }
    }
}
