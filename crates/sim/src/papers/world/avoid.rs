//! Steps of Liu, Ko and Chang's system; see [`crate::papers::avoid`].

use super::Stepper;
use crate::cause::Cause;
use crate::clock::Clock;
use crate::error::{Error, StepPhase};
use crate::papers::avoid::{Obstacle, Solver, StepStart};
use crate::papers::respond::Contact;
use crate::report::StepReport;
use crate::world::World;
use glam::DVec3;
use toile_collide::ccd::Separation;

/// Times as many rounds as the settings allow, with vertices held, before the step is given up.
const LAST_ROUNDS: u32 = 4;

impl Stepper {
    /// Solve, detect, limit, and again, until nothing collides.
    pub(super) fn avoid(
        &mut self,
        world: &mut World,
        solver: &mut Solver,
        t: f64,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let step = world.state.step;
        let (mut x, v) = self.predict(world, solver, t, h, report)?;
        let x_t0 = world.state.x.clone();
        let enabled = world.settings.collision.enabled;
        let edge = world.model.rest_lengths().iter().copied().fold(0.0, f64::max);
        let gap = world.separation;
        let obstacles: Vec<Obstacle> =
            world.bodies.iter().map(|b| Obstacle::new(b, t, h, gap, edge)).collect();
        let others = obstacles.iter().any(|o| matches!(o, Obstacle::Other));
        let rounds = solver.settings.rounds;
        let mut left = (0, 0);
        for round in 1..=rounds * LAST_ROUNDS {
            let clock = Clock::start();
            let hold = 4 * round > rounds;
            report.linear_iterations += solver.solve(&x_t0, hold, &mut x);
            report.iterations += 1;
            world.check_finite(&x, &v, StepPhase::Integrate)?;
            report.seconds.integrate += clock.seconds();

            let clock = Clock::start();
            let last = round >= rounds;
            let inside = match enabled {
                true => solver.meet_bodies(&obstacles, [&x_t0, &x], last),
                false => 0,
            };
            let contacts = match enabled && others {
                true => self.others_met(world, &obstacles, &x, h, report)?,
                false => Vec::new(),
            };
            let with_bodies = clock.seconds();
            let clock = Clock::start();
            let found = match enabled && world.settings.collision.self_collision {
                true => solver.detect(&x_t0, &x, last),
                false => Default::default(),
            };
            let with_itself = clock.seconds();
            report.detections += 1;
            report.self_detection += with_itself;
            report.seconds.detect += with_bodies + with_itself;
            if round == 1 {
                report.impacts = (inside + contacts.len() + found.len()) as u64;
            }
            if inside == 0 && contacts.is_empty() && found.len() == 0 {
                report.stretch = report.stretch.max(world.largest_stretch(&x));
                for (i, x) in x.iter().enumerate() {
                    world.state.v[i] = (*x - x_t0[i]) / h;
                }
                world.state.x = x;
                return Ok(());
            }
            let clock = Clock::start();
            left =
                (inside + contacts.len() + found.len(), found.vertex(&world.model.mesh.triangles));
            for c in &contacts {
                self.limit(world, solver, c, &x, h, last);
            }
            solver.limit(&found, [&x_t0, &x], [hold, last]);
            report.seconds.respond += clock.seconds();
        }
        let cause = Box::new(Cause::Collisions { left: left.0 });
        Err(Error::Unresolved { step, vertex: left.1, cause })
    }

    /// Assembles the system of the step; returns the positions and velocities of free flight.
    fn predict(
        &mut self,
        world: &World,
        solver: &mut Solver,
        t: f64,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(Vec<DVec3>, Vec<DVec3>), Error> {
        let step = world.state.step;
        let clock = Clock::start();
        let not_finite = |e: toile_collide::NotFinite| Error::NotFinite {
            step,
            vertex: e.vertex,
            stage: StepPhase::Collide,
        };
        self.scene.advance_bodies(t, t + h).map_err(not_finite)?;
        solver.limits.reset();
        let mut v = world.state.v.clone();
        self.drive_pins(world, t, h, &mut v);
        let mut force = world.wind_forces(t);
        for (i, f) in force.iter_mut().enumerate() {
            *f += world.gravity * world.model.mass[i];
            if self.inverse_mass[i] == 0.0 {
                solver.limits.hold(i as u32, world.state.x[i] + v[i] * h);
            }
        }
        let (x_t0, mass) = (world.state.x.clone(), &world.model.mass);
        let drag = solver.settings.drag;
        solver.system.assemble(&StepStart { x: &x_t0, v: &v, force: &force, mass, drag, h });
        let x = x_t0.iter().zip(&v).map(|(x, v)| *x + *v * h).collect();
        report.seconds.integrate += clock.seconds();
        Ok((x, v))
    }

    /// Contacts with bodies that have no rule of their own.
    fn others_met(
        &mut self,
        world: &World,
        obstacles: &[Obstacle],
        x: &[DVec3],
        h: f64,
        report: &mut StepReport,
    ) -> Result<Vec<Contact>, Error> {
        let mut contacts = self.bodies_met(world, x, h, Separation::LOOSE, report)?;
        let other = |b: u32| matches!(obstacles.get(b as usize), Some(Obstacle::Other));
        contacts.retain(|c| c.body.is_some_and(|(b, _)| other(b)));
        Ok(contacts)
    }

    /// Keeps the vertices of a contact out of the body: from the moment they meet, the coordinate on which they
    /// approach fastest moves as the body does. `last` does so with all coordinates from the start.
    fn limit(
        &self,
        world: &World,
        solver: &mut Solver,
        c: &Contact,
        x: &[DVec3],
        h: f64,
        last: bool,
    ) {
        let drag = c.body.map_or(DVec3::ZERO, |(_, velocity)| velocity) * h;
        let moved = |v: u32| x[v as usize] - world.state.x[v as usize];
        let each = c.vertices().iter().zip(c.weights);
        let nearer = (drag - each.map(|(v, w)| moved(*v) * w).sum::<DVec3>()) * c.normal;
        let axis = (0..3).fold(0, |best, d| if nearer[d] > nearer[best] { d } else { best });
        for v in c.vertices() {
            let from = world.state.x[*v as usize];
            if self.inverse_mass[*v as usize] == 0.0 {
                continue;
            }
            if last {
                solver.limits.hold(*v, from + drag);
            } else {
                // A little short of the contact, or it would be found again.
                let at = from[axis] + 0.9 * c.time * moved(*v)[axis] + (1.0 - c.time) * drag[axis];
                solver.limits.bound(*v, axis, at, c.normal[axis] > 0.0);
            }
        }
    }
}
