//! What moves the cloth of a world.

use super::World;
use super::constrain::Touch;
use super::springs::{Forces, Gather};
use crate::avoid;
use crate::barrier::{ContactSetup, Solver};
use crate::body::Collider;
use crate::error::Error;
use crate::integrate::{Dynamics, Implicit, Scratch, SheetSystem, StepError, System};
use crate::linear::{Constraint, Filter};
use crate::model::Model;
use crate::report::StepReport;
use crate::settings::{Method, Response, Settings, Springs, Stiffness};
use crate::sheet::Sheet;
use crate::state::Before;
use glam::DVec3;
use std::time::Instant;

/// The method of a world with its memory.
#[derive(Debug)]
pub(super) enum Engine {
    /// Springs, explicitly.
    Springs(Gather, Scratch),
    /// Elements, explicitly.
    Elements(Box<SheetSystem>, Scratch),
    /// Elements, implicitly.
    Implicit(Box<SheetSystem>, Box<Implicit>),
    /// Everything as one potential.
    Barrier(Box<Solver>),
    /// An elastic surface within limits.
    Avoidance(Box<avoid::Solver>),
}

impl Engine {
    /// Whether the cloth is made of elements rather than springs.
    pub(super) fn needs_elements(settings: &Settings) -> bool {
        settings.method != Method::Classic || settings.springs == Springs::Elements
    }

    pub(super) fn new(
        settings: &Settings,
        model: &Model,
        colliders: &[Collider],
        (gravity, separation): (DVec3, f64),
    ) -> Result<Self, Error> {
        let (stretch, bend) = (settings.stretch, settings.bend);
        let cloths = if Self::needs_elements(settings) { model.cloths() } else { Vec::new() };
        let cloths = &cloths;
        let system = || SheetSystem::new(cloths, stretch, bend, &[], gravity).map(Box::new);
        Ok(match settings.method {
            Method::Classic if !Self::needs_elements(settings) => {
                Self::Springs(Gather::new(model.mass.len(), &model.springs), Scratch::default())
            }
            Method::Classic => Self::Elements(system()?, Scratch::default()),
            Method::Implicit => {
                let system = system()?;
                let (rule, solve) = (settings.implicit.rule, settings.implicit.solve);
                let implicit = Implicit::new(rule, solve, system.pattern())?;
                Self::Implicit(system, Box::new(implicit))
            }
            Method::Barrier => {
                let limit = &settings.strain_limit;
                let elongation = (limit.enabled && limit.stretch > 0.0).then_some(limit.stretch);
                let sheet = Sheet::dissipative(cloths, stretch, bend, elongation)?;
                let collision = &settings.collision;
                let setup = ContactSetup {
                    thickness: separation,
                    self_contact: collision.self_collision,
                    tree: collision.tree,
                };
                let bodies = colliders.to_vec();
                let solver = Solver::new(settings.barrier, sheet, cloths, model, bodies, &setup)?;
                Self::Barrier(Box::new(solver))
            }
            Method::Avoidance => {
                let stable = (settings.stiffness == Stiffness::Stable).then_some(settings.step);
                let solver =
                    avoid::Solver::new(settings.avoidance, cloths, model, separation, stable)?;
                Self::Avoidance(Box::new(solver))
            }
        })
    }

    /// The elastic energy, if it is one of elements.
    pub(super) fn sheet(&mut self) -> Option<&mut Sheet> {
        match self {
            Self::Springs(..) | Self::Avoidance(_) => None,
            Self::Elements(system, _) | Self::Implicit(system, _) => Some(system.sheet()),
            Self::Barrier(solver) => Some(solver.sheet_mut()),
        }
    }
}

/// Elements whose held vertices have no acceleration.
struct Held<'a> {
    system: &'a mut SheetSystem,
    inverse_mass: &'a [f64],
}

impl Dynamics for Held<'_> {
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.system.acceleration(t, x, v, a);
        for (a, w) in a.iter_mut().zip(self.inverse_mass) {
            if *w == 0.0 {
                *a = DVec3::ZERO;
            }
        }
    }
}

impl World {
    /// Integrates a step without collisions. Returns what the next one has to know of it, and what it was constrained to by
    /// bodies.
    pub(super) fn integrate(
        &mut self,
        engine: &mut Engine,
        (t, h): (f64, f64),
        x: &mut [DVec3],
        v: &mut [DVec3],
        report: &mut StepReport,
    ) -> Result<(Option<Before>, Vec<Touch>), Error> {
        // Also the second half of a halved first step has one before it.
        let first = t == 0.0;
        let explicit = self.settings.integrator;
        match engine {
            Engine::Springs(gather, scratch) => {
                let mut forces = Forces { world: self, gather };
                explicit.step(&mut forces, scratch, (t, h), x, v, first);
            }
            Engine::Elements(system, scratch) => {
                system.set_outer(self.air(t));
                system.prepare(x);
                let mut held = Held { system, inverse_mass: &self.inverse_mass };
                explicit.step(&mut held, scratch, (t, h), x, v, first);
            }
            Engine::Implicit(system, implicit) => {
                let mut outer = self.air(t);
                system.set_outer(outer.clone());
                system.prepare(x);
                // Once to see what meets, then with bodies as constraints and cloth repelled from cloth.
                let (x_t0, v_t0) = (x.to_vec(), v.to_vec());
                let free = (&mut *x, &mut *v);
                let before =
                    self.integrate_implicitly(system, implicit, (t, h), free, &[], report)?;
                let c = &self.settings.collision;
                if !(c.enabled && c.response == Response::Constraints) {
                    return Ok((before, Vec::new()));
                }
                let repelled = self.repel(h, x, &mut outer, report)?;
                let clock = Instant::now();
                let touches = self.touches((t, h), repelled.as_deref().unwrap_or(x), report)?;
                report.seconds.detect += clock.elapsed().as_secs_f64();
                if touches.is_empty() && repelled.is_none() {
                    return Ok((before, touches));
                }
                system.set_outer(outer);
                x.copy_from_slice(&x_t0);
                v.copy_from_slice(&v_t0);
                let ends = (x, v);
                let before =
                    self.integrate_implicitly(system, implicit, (t, h), ends, &touches, report)?;
                return Ok((before, touches));
            }
            Engine::Barrier(_) | Engine::Avoidance(_) => {}
        }
        Ok((None, Vec::new()))
    }

    /// Integrates an implicit step once more from its begin, with what contact decided.
    pub(super) fn integrate_with(
        &mut self,
        engine: &mut Engine,
        (t, h): (f64, f64),
        ends: (&mut [DVec3], &mut [DVec3]),
        touches: &[Touch],
        report: &mut StepReport,
    ) -> Result<(), Error> {
        if let Engine::Implicit(system, implicit) = engine {
            self.integrate_implicitly(system, implicit, (t, h), ends, touches, report)?;
        }
        Ok(())
    }

    fn integrate_implicitly(
        &mut self,
        system: &mut SheetSystem,
        implicit: &mut Implicit,
        (t, h): (f64, f64),
        (x, v): (&mut [DVec3], &mut [DVec3]),
        touches: &[Touch],
        report: &mut StepReport,
    ) -> Result<Option<Before>, Error> {
        let held = |i: &u32| self.inverse_mass[*i as usize] == 0.0;
        let pinned: Vec<u32> = (0..x.len() as u32).filter(held).collect();
        let mut constraints: Vec<(u32, Constraint)> =
            pinned.iter().map(|i| (*i, Constraint::Fixed)).collect();
        for touch in touches {
            constraints.push((touch.vertex, touch.constraint));
            let v = &mut v[touch.vertex as usize];
            *v = touch.start(*v);
        }
        let filter = Filter::new(x.len(), &constraints)?;
        // The state, not the integrator, knows the step before: a resumed run goes on alike.
        match &self.state.before {
            Some(b) => implicit.resume(b.h, &b.x, &b.v),
            None => implicit.restart(),
        }
        let step = self.state.step;
        let result = implicit.step(system, Some(&filter), (t, h), x, v);
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
            x[i] = self.state.x[i] + v[i] * h;
        }
        Ok(implicit.before().map(|(h, x, v)| Before { h, x: x.to_vec(), v: v.to_vec() }))
    }
}
