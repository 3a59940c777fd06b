//! How a world steps by one of the papers' systems: integrate, limit the strain, respond to collisions; or solve within limits.

mod avoid;
mod constrain;
mod feedback;
mod integrate;
#[cfg(test)]
mod sampled_tests;
mod springs;

use super::avoid::Solver as AvoidanceSolver;
use super::integrate::{Implicit, Rule, Scratch, SheetSystem, System};
use super::respond::{Outcome, Particles, Scene, geometric, handle};
use crate::body::Collider;
use crate::cause::Cause;
use crate::clock::Clock;
use crate::element::Spring;
use crate::error::{Error, StepPhase};
use crate::model::Model;
use crate::motion::Pose;
use crate::report::{StepReport, Warning};
use crate::settings::{Method, Response, Settings, Springs, Stiffness};
use crate::world::World;
use glam::DVec3;
use springs::Gather;

/// A system of the papers with its memory.
#[derive(Debug)]
pub(crate) struct PaperSystem {
    engine: Engine,
    stepper: Stepper,
}

/// What moves the cloth.
#[derive(Debug)]
enum Engine {
    /// Springs, explicitly.
    Springs(Gather, Scratch),
    /// Elements, explicitly.
    Elements(Box<SheetSystem>, Scratch),
    /// Elements, implicitly.
    Implicit(Box<SheetSystem>, Box<Implicit>),
    /// An elastic surface within limits.
    Avoidance(Box<AvoidanceSolver>),
}

/// What impact zones can be fixed to: rest, then each body, then each pin that moves.
#[derive(Debug)]
struct ZoneAnchors {
    /// Displacement of each over the step; of bodies it is filled in when they are advanced.
    displacements: Vec<Pose>,
    /// The anchor of each pinned vertex.
    of_vertex: Vec<Option<u32>>,
}

/// What responds to collisions.
#[derive(Debug)]
struct Stepper {
    scene: Scene,
    /// Of all vertices, 0 where prescribed [1/kg].
    inverse_mass: Vec<f64>,
}

impl PaperSystem {
    /// The system that settings with another method than `barrier` choose.
    pub(crate) fn new(
        settings: &Settings,
        model: &Model,
        colliders: Vec<Collider>,
        gravity: DVec3,
        separation: f64,
    ) -> Result<Self, Error> {
        let engine = Engine::new(settings, model, gravity, separation)?;
        let scene = Scene::new(model, colliders, separation, settings.collision.tree);
        let inverse_mass = model.mass.iter().map(|m| 1.0 / m).collect();
        Ok(Self { engine, stepper: Stepper { scene, inverse_mass } })
    }

    /// What was softened so that a step is stable.
    pub(crate) fn warning(&self) -> Option<Warning> {
        match &self.engine {
            Engine::Avoidance(solver) if solver.system.softened < 1.0 => {
                Some(Warning::Softened { factor: solver.system.softened })
            }
            _ => None,
        }
    }

    /// Steps a world by `h` at once. The state stays if that fails.
    pub(crate) fn step(
        &mut self,
        world: &mut World,
        t: f64,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let Self { engine, stepper } = self;
        match engine {
            Engine::Avoidance(solver) => stepper.avoid(world, solver, t, h, report),
            engine => stepper.integrate_and_respond(world, engine, t, h, report),
        }
    }

    /// Another acceleration of free fall [m/s²].
    pub(crate) fn set_gravity(&mut self, gravity: DVec3) {
        if let Engine::Elements(system, _) | Engine::Implicit(system, _) = &mut self.engine {
            system.set_gravity(gravity);
        }
    }

    /// Other coefficients of friction, of the cloth's vertices and of the bodies.
    pub(crate) fn set_friction(&mut self, cloth: &[f64], bodies: &[Option<f64>]) {
        let scene = &mut self.stepper.scene;
        scene.friction = cloth.to_vec();
        scene.bodies.iter_mut().zip(bodies).for_each(|(body, own)| body.friction = *own);
    }

    /// Elastic energy of each cloth at `x` [J]; with limits on coordinates only the sum is known, and several cloths have no number.
    pub(crate) fn elastic_energies(&mut self, x: &[DVec3], model: &Model) -> Vec<f64> {
        let cloths = model.names.len();
        match &mut self.engine {
            Engine::Avoidance(solver) if cloths == 1 => vec![solver.system.energy(x)],
            Engine::Avoidance(_) => vec![f64::NAN; cloths],
            Engine::Elements(system, _) | Engine::Implicit(system, _) => system.sheet().energies(x),
            Engine::Springs(..) => {
                let mut energies = vec![0.0; cloths];
                for s in &model.springs {
                    let cloth = model.cloth_of[s.ends[0] as usize] as usize;
                    energies[cloth] += s.energy(s.ends.map(|i| x[i as usize]));
                }
                energies
            }
        }
    }

    /// Elastic energy at `x`, where `springs` are those of the world [J].
    pub(crate) fn elastic_energy(&mut self, x: &[DVec3], springs: &[Spring]) -> f64 {
        match &mut self.engine {
            Engine::Avoidance(solver) => solver.system.energy(x),
            Engine::Elements(system, _) | Engine::Implicit(system, _) => system.sheet().energy(x),
            Engine::Springs(..) => {
                springs.iter().map(|s| s.energy(s.ends.map(|i| x[i as usize]))).sum()
            }
        }
    }
}

impl Engine {
    fn new(
        settings: &Settings,
        model: &Model,
        gravity: DVec3,
        separation: f64,
    ) -> Result<Self, Error> {
        let cloths = if settings.needs_elements() { model.cloths() } else { Vec::new() };
        let (stretch, bend) = (settings.stretch, settings.bend);
        let system = || SheetSystem::new(&cloths, stretch, bend, &[], gravity).map(Box::new);
        Ok(match settings.method {
            Method::Implicit => {
                let system = system()?;
                let (rule, solve) = (settings.implicit.rule, settings.implicit.solve);
                let implicit = Implicit::new(rule, solve, system.pattern())?;
                Self::Implicit(system, Box::new(implicit))
            }
            Method::Avoidance => {
                let stable = (settings.stiffness == Stiffness::Stable).then_some(settings.step);
                let solver =
                    AvoidanceSolver::new(settings.avoidance, &cloths, model, separation, stable)?;
                Self::Avoidance(Box::new(solver))
            }
            _ if settings.springs == Springs::Elements => {
                Self::Elements(system()?, Scratch::default())
            }
            _ => Self::Springs(Gather::new(model.mass.len(), &model.springs), Scratch::default()),
        })
    }
}

impl Stepper {
    /// A step as the papers take it.
    fn integrate_and_respond(
        &mut self,
        world: &mut World,
        engine: &mut Engine,
        t: f64,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let (mut x, mut v) = (world.state.x.clone(), world.state.v.clone());
        let clock = Clock::start();
        let anchors = self.drive_pins(world, t, h, &mut v);
        let counted = report.seconds.detect + report.seconds.respond;
        let (before, touches) = self.integrate(world, engine, t, h, &mut x, &mut v, report)?;
        world.check_finite(&x, &v, StepPhase::Integrate)?;
        let counted = report.seconds.detect + report.seconds.respond - counted;
        report.seconds.integrate += clock.seconds() - counted;

        let clock = Clock::start();
        report.stretch = report.stretch.max(world.largest_stretch(&x));
        let unlimited = x.clone();
        if world.settings.strain_limit.apply(&world.model.springs, &self.inverse_mass, &mut x) {
            world.check_finite(&x, &v, StepPhase::StrainLimit)?;
            // Add what was corrected. The mean velocity of the step, (x − x_t0)/h, would not do:
            // most integrators end a step with another one, and the difference is a part of gravity.
            for i in 0..x.len() {
                v[i] += (x[i] - unlimited[i]) / h;
            }
        }
        report.seconds.strain_limit += clock.seconds();

        let mut touched = x != unlimited;
        if world.settings.collision.enabled {
            touched |=
                self.respond(world, engine, t, h, &mut x, &mut v, &anchors, &touches, report)?;
        }
        world.check_finite(&x, &v, StepPhase::Collide)?;
        world.state.x = x;
        world.state.v = v;
        // A step that contact or the strain limit changed is no history for multistep methods.
        world.state.previous_step = before.filter(|_| !touched);
        Ok(())
    }

    /// Responds to the collisions of a step; returns the new mean velocities of the vertices it changed.
    fn collide(
        &mut self,
        world: &World,
        t: f64,
        h: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
        anchors: &ZoneAnchors,
        report: &mut StepReport,
    ) -> Result<Vec<Option<DVec3>>, Error> {
        let step = world.state.step;
        let not_finite = |e: toile_collide::NotFinite| Error::NotFinite {
            step,
            vertex: e.vertex,
            stage: StepPhase::Collide,
        };
        let scene = &mut self.scene;
        scene.advance_bodies(t, t + h).map_err(not_finite)?;
        let mut poses = anchors.displacements.clone();
        for (b, body) in scene.bodies.iter().enumerate() {
            poses[1 + b] = body.displacement;
        }
        let particles = Particles {
            mass: &world.model.mass,
            inverse_mass: &self.inverse_mass,
            x_t0: &world.state.x,
            pin_anchor: &anchors.of_vertex,
            anchors: &poses,
        };
        // Impacts change the mean velocity of the step. What an integrator added to it for the end
        // of the step stays, or every contact would swallow a part of gravity and of momentum.
        let mean = match world.settings.method {
            Method::Implicit => world.settings.implicit.rule == Rule::Euler,
            _ => world.settings.integrator.ends_with_mean_velocity(),
        };
        let rest: Option<Vec<DVec3>> =
            (!mean).then(|| (0..x.len()).map(|i| v[i] - (x[i] - world.state.x[i]) / h).collect());
        if world.settings.collision.response == Response::Geometric {
            let (x_t0, w) = (&world.state.x, &self.inverse_mass);
            let changed = geometric::correct(scene, x_t0, x, w, h, report);
            follow(&changed, rest.as_deref(), v);
            return Ok(changed);
        }
        let mut collision = world.settings.collision;
        if world.settings.method == Method::Implicit && collision.response == Response::Constraints
        {
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
                Err(Error::Unresolved { step: world.state.step, vertex, cause })
            }
        }
    }

    /// Gives pinned vertices the velocity that takes them to their prescribed positions, and lists what
    /// impact zones can be fixed to.
    fn drive_pins(&mut self, world: &World, t: f64, h: f64, v: &mut [DVec3]) -> ZoneAnchors {
        let mut anchors = vec![Pose::IDENTITY; 1 + world.bodies.len()];
        let mut pin_anchor = vec![None; v.len()];
        for (w, m) in self.inverse_mass.iter_mut().zip(world.model.mass.iter()) {
            *w = 1.0 / m;
        }
        for pin in world.pins.iter().filter(|p| p.holds(t)) {
            let displacement = pin.motion.pose(t).to(&pin.motion.pose(t + h));
            let moves = pin.motion.pose(t) != pin.motion.pose(t + h);
            let anchor = if moves { anchors.len() as u32 } else { 0 };
            if moves {
                anchors.push(displacement);
            }
            for i in &pin.vertices {
                let i = *i as usize;
                let target = pin.target(world.model.mesh.positions[i], t + h);
                v[i] = (target - world.state.x[i]) / h;
                self.inverse_mass[i] = 0.0;
                pin_anchor[i] = Some(anchor);
            }
        }
        ZoneAnchors { displacements: anchors, of_vertex: pin_anchor }
    }
}

/// Gives vertices their new mean velocities, with what the integrator adds.
fn follow(changed: &[Option<DVec3>], rest: Option<&[DVec3]>, v: &mut [DVec3]) {
    for (i, changed) in changed.iter().enumerate() {
        if let Some(mean) = changed {
            v[i] = *mean + rest.map_or(DVec3::ZERO, |r| r[i]);
        }
    }
}
