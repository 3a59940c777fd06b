//! Steps of an integrator, before collisions are looked at.

use super::constrain::Touch;
use super::springs::Forces;
use super::{Engine, Stepper};
use crate::clock::Clock;
use crate::error::{Error, StepError};
use crate::linear::{Constraint, Filter};
use crate::papers::integrate::{Dynamics, Implicit, SheetSystem};
use crate::report::StepReport;
use crate::settings::Response;
use crate::state::PreviousStep;
use crate::world::World;
use glam::DVec3;

/// Elements whose prescribed vertices have no acceleration.
struct Prescribed<'a> {
    system: &'a mut SheetSystem,
    inverse_mass: &'a [f64],
}

impl Dynamics for Prescribed<'_> {
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.system.acceleration(t, x, v, a);
        for (a, w) in a.iter_mut().zip(self.inverse_mass) {
            if *w == 0.0 {
                *a = DVec3::ZERO;
            }
        }
    }
}

impl Stepper {
    /// Integrates a step without collisions. Returns what the next one has to know of it, and what it was constrained to by
    /// bodies.
    pub(super) fn integrate(
        &mut self,
        world: &World,
        engine: &mut Engine,
        t: f64,
        h: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
        report: &mut StepReport,
    ) -> Result<(Option<PreviousStep>, Vec<Touch>), Error> {
        // Also the second half of a halved first step has one before it.
        let first = t == 0.0;
        let explicit = world.settings.integrator;
        match engine {
            Engine::Springs(gather, scratch) => {
                let mut forces = Forces { world, gather, inverse_mass: &self.inverse_mass };
                explicit.step(&mut forces, scratch, t, h, x, v, first);
            }
            Engine::Elements(system, scratch) => {
                system.set_outer(world.wind_forces(t));
                system.prepare(x);
                let mut prescribed = Prescribed { system, inverse_mass: &self.inverse_mass };
                explicit.step(&mut prescribed, scratch, t, h, x, v, first);
            }
            Engine::Implicit(system, implicit) => {
                let mut external_forces = world.wind_forces(t);
                system.set_outer(external_forces.clone());
                system.prepare(x);
                // Once to see what meets, then with bodies as constraints and cloth repelled from cloth.
                let (x_t0, v_t0) = (x.to_vec(), v.to_vec());
                let before =
                    self.integrate_implicitly(world, system, implicit, t, h, x, v, &[], report)?;
                let c = &world.settings.collision;
                if !(c.enabled && c.response == Response::Constraints) {
                    return Ok((before, Vec::new()));
                }
                let repelled = self.repel(world, h, x, &mut external_forces, report)?;
                let clock = Clock::start();
                let touches =
                    self.touches(world, t, h, repelled.as_deref().unwrap_or(x), report)?;
                report.seconds.detect += clock.seconds();
                if touches.is_empty() && repelled.is_none() {
                    return Ok((before, touches));
                }
                system.set_outer(external_forces);
                x.copy_from_slice(&x_t0);
                v.copy_from_slice(&v_t0);
                let before = self
                    .integrate_implicitly(world, system, implicit, t, h, x, v, &touches, report)?;
                return Ok((before, touches));
            }
            Engine::Avoidance(_) => {}
        }
        Ok((None, Vec::new()))
    }

    /// Integrates an implicit step once more from its start, with what contact decided.
    pub(super) fn integrate_with(
        &mut self,
        world: &World,
        engine: &mut Engine,
        t: f64,
        h: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
        touches: &[Touch],
        report: &mut StepReport,
    ) -> Result<(), Error> {
        if let Engine::Implicit(system, implicit) = engine {
            self.integrate_implicitly(world, system, implicit, t, h, x, v, touches, report)?;
        }
        Ok(())
    }

    fn integrate_implicitly(
        &mut self,
        world: &World,
        system: &mut SheetSystem,
        implicit: &mut Implicit,
        t: f64,
        h: f64,
        x: &mut [DVec3],
        v: &mut [DVec3],
        touches: &[Touch],
        report: &mut StepReport,
    ) -> Result<Option<PreviousStep>, Error> {
        let prescribed = |i: &u32| self.inverse_mass[*i as usize] == 0.0;
        let pinned: Vec<u32> = (0..x.len() as u32).filter(prescribed).collect();
        let mut constraints: Vec<(u32, Constraint)> =
            pinned.iter().map(|i| (*i, Constraint::Fixed)).collect();
        for touch in touches {
            constraints.push((touch.vertex, touch.constraint));
            let v = &mut v[touch.vertex as usize];
            *v = touch.start(*v);
        }
        let filter = Filter::new(x.len(), &constraints)?;
        // The state, not the integrator, knows the step before: a resumed run takes the same steps.
        match &world.state.previous_step {
            Some(b) => implicit.resume(b.h, &b.x, &b.v),
            None => implicit.restart(),
        }
        let step = world.state.step;
        let result = implicit.step(system, Some(&filter), t, h, x, v);
        let took = result.map_err(|reason| match reason {
            StepError::Linear(error) => Error::Linear(error),
            reason => Error::NoConvergence { step, reason },
        })?;
        report.iterations += took.iterations;
        report.linear_iterations += took.linear_iterations;
        for touch in touches {
            let i = touch.vertex as usize;
            let change = touch.friction(v[i]);
            v[i] += change;
            x[i] += change * h;
        }
        // Rules over several steps do not take a held vertex exactly where it belongs.
        for i in pinned {
            let i = i as usize;
            x[i] = world.state.x[i] + v[i] * h;
        }
        Ok(implicit.before().map(|(h, x, v)| PreviousStep { h, x: x.to_vec(), v: v.to_vec() }))
    }
}
