//! Contact within the implicit solve: bodies as constraints (R6) [baraff1998], cloth repelled from cloth by forces (R5) [eg2004garments].
//!
//! The step is solved once without contact. Vertices that would enter one are then constrained along the normal: they go as far as
//! the contact, and on with the body; what they do along the surface is solved again. Friction takes away up to
//! μ times the normal velocity that the constraint stopped. Vertices that are too near are moved out by a part of what is
//! missing.
//!
//! What repels cloth from cloth is a force of the second solve, so that the threads of the cloth share what it does. As an impulse after the solve
//! it would stretch threads whose force the solve has just balanced, and bring in energy: see `feedback.rs`.
//!
//! Limits: the second solve is not looked at again, and edges between constrained vertices are not seen.

use super::Stepper;
use crate::clock::Clock;
use crate::error::{Error, StepPhase};
use crate::linear::Constraint;
use crate::papers::respond::{Contact, Query, RepulsionRange, ZoneSet, repulse};
use crate::report::StepReport;
use crate::settings::Collision;
use crate::world::World;
use glam::DVec3;
use toile_collide::Motion;
use toile_collide::ccd::Separation;

/// Part of a missing gap that a step makes up.
const GAP_RECOVERY: f64 = 0.25;

/// A vertex that touches a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) vertex: u32,
    pub(super) constraint: Constraint,
    /// Unit normal.
    pub(super) normal: DVec3,
    /// Velocity that is given along the normal, or in all directions if the vertex is fixed [m/s].
    pub(super) velocity: DVec3,
    /// Velocity of the body [m/s].
    drag: DVec3,
    /// Friction times the speed that the constraint stops [m/s].
    friction_limit: f64,
}

impl Stepper {
    /// Contacts of a proposed step with bodies.
    pub(super) fn bodies_met(
        &mut self,
        world: &World,
        x: &[DVec3],
        h: f64,
        max_approach: f64,
        report: &mut StepReport,
    ) -> Result<Vec<Contact>, Error> {
        let settings = Collision { self_collision: false, ..world.settings.collision };
        let mut zones = ZoneSet::default();
        zones.reset(x.len());
        let query = Query {
            motion: Motion { x_t0: &world.state.x, x_t1: x },
            h,
            settings: &settings,
            max_approach,
            moved: None,
            zones: &zones,
        };
        let (detections, step) = (report.detections, world.state.step);
        let found = self.scene.detect(query, report);
        report.detections = detections;
        found.map_err(|e| Error::NotFinite { step, vertex: e.vertex, stage: StepPhase::Collide })
    }

    /// Adds to external forces those that repel cloth from cloth (R5) [N]: what would take away the approach of pairs that are near, on the
    /// way to `x`, and open a part of what is missing between them. Returns where free vertices would go with them, if there are any.
    pub(super) fn repel(
        &mut self,
        world: &World,
        h: f64,
        x: &[DVec3],
        external_forces: &mut [DVec3],
        report: &mut StepReport,
    ) -> Result<Option<Vec<DVec3>>, Error> {
        let (c, x_t0, step) = (&world.settings.collision, &world.state.x, world.state.step);
        if !(c.self_collision && c.repulsion > 0.0) {
            return Ok(None);
        }
        let scene = &mut self.scene;
        let clock = Clock::start();
        let range =
            RepulsionRange { distance: c.repulsion * scene.separation, cloth: true, bodies: false };
        let free: Vec<DVec3> = x.iter().zip(x_t0).map(|(x, x_t0)| (*x - *x_t0) / h).collect();
        let mut repelled = free.clone();
        let changed = repulse(scene, x_t0, &self.inverse_mass, h, range, &mut repelled)
            .map_err(|e| Error::NotFinite { step, vertex: e.vertex, stage: StepPhase::Collide })?;
        for (i, force) in external_forces.iter_mut().enumerate() {
            *force += (repelled[i] - free[i]) * (world.model.mass[i] / h);
        }
        report.seconds.respond += clock.seconds();
        let to = |(x_t0, v): (&DVec3, &DVec3)| *x_t0 + *v * h;
        Ok(changed.contains(&true).then(|| x_t0.iter().zip(&repelled).map(to).collect()))
    }

    /// Vertices that touch bodies if the cloth moves to `x`.
    pub(super) fn touches(
        &mut self,
        world: &World,
        t: f64,
        h: f64,
        x: &[DVec3],
        report: &mut StepReport,
    ) -> Result<Vec<Touch>, Error> {
        let step = world.state.step;
        self.scene.advance_bodies(t, t + h).map_err(|e| Error::NotFinite {
            step,
            vertex: e.vertex,
            stage: StepPhase::Collide,
        })?;
        let contacts = self.bodies_met(world, x, h, Separation::STRICT, report)?;
        let mut touches: Vec<Touch> = Vec::new();
        let mut at: Vec<Option<usize>> = vec![None; x.len()];
        for c in &contacts {
            let drag = c.body.map_or(DVec3::ZERO, |(_, velocity)| velocity);
            for v in c.vertices() {
                let i = *v as usize;
                if self.inverse_mass[i] == 0.0 {
                    continue;
                }
                if let Some(k) = at[i] {
                    // Against two normals that differ it can only go with the body.
                    let touch: &mut Touch = &mut touches[k];
                    if touch.normal.dot(c.normal) < 0.9 {
                        touch.constraint = Constraint::Fixed;
                        touch.velocity = drag;
                    }
                    continue;
                }
                let nearer = ((x[i] - world.state.x[i]) / h - drag).dot(c.normal);
                let allowed = c.time * nearer.min(0.0) + GAP_RECOVERY * c.deficit / h;
                at[i] = Some(touches.len());
                touches.push(Touch {
                    vertex: *v,
                    constraint: Constraint::Plane(c.normal),
                    normal: c.normal,
                    velocity: c.normal * (allowed + drag.dot(c.normal)),
                    drag,
                    friction_limit: c.friction * (allowed - nearer).max(0.0),
                });
            }
        }
        report.impacts = touches.len() as u64;
        Ok(touches)
    }
}

impl Touch {
    /// A vertex that contact has given a velocity, by a change along `direction`. If it was stopped along another direction before,
    /// it is given all of the velocity.
    pub(super) fn stopped(
        vertex: u32,
        direction: DVec3,
        velocity: DVec3,
        before: Option<Self>,
    ) -> Self {
        let one = before
            .is_none_or(|b| b.constraint != Constraint::Fixed && b.normal.dot(direction) > 0.9);
        let (constraint, velocity) = match one {
            true => (Constraint::Plane(direction), direction * direction.dot(velocity)),
            false => (Constraint::Fixed, velocity),
        };
        Self {
            vertex,
            constraint,
            normal: direction,
            velocity,
            drag: DVec3::ZERO,
            friction_limit: 0.0,
        }
    }

    /// What a vertex is to begin the solve with: the given velocity where it is constrained, its own elsewhere.
    pub(super) fn start(&self, v: DVec3) -> DVec3 {
        match self.constraint {
            Constraint::Plane(n) => v - n * n.dot(v) + self.velocity,
            _ => self.velocity,
        }
    }

    /// What friction changes in its velocity after the solve.
    pub(super) fn friction(&self, v: DVec3) -> DVec3 {
        let slide = v - self.drag;
        let slide = slide - self.normal * self.normal.dot(slide);
        let speed = slide.length();
        if speed > self.friction_limit { slide * (-self.friction_limit / speed) } else { -slide }
    }
}

#[cfg(test)]
mod tests {
    use crate::body::Shape;
    use crate::model::Cloth;
    use crate::settings::Settings;
    use crate::{Body, Fabric, Preset, Surroundings, World};
    use glam::DVec3;
    use toile_mesh::shape::{Diagonals, grid};

    /// A square that stands upright, with a wave so high [m], falls to the ground and folds over itself: energy gained [J], largest strain, most linear systems
    /// in a step, and the lowest vertex [m].
    fn fall(settings: Settings, wave: f64) -> (f64, f64, u32, f64) {
        let mesh = grid(0.6, 0.6, 14, 14, Diagonals::Alternating)
            .map_positions(|p| DVec3::new(p.x, 0.35 - p.z, wave * (9.0 * p.x - 5.0 * p.z).sin()));
        let cloth = Cloth {
            name: "square".into(),
            mesh,
            grid: Some([14, 14]),
            fabric: Fabric::default(),
            pieces: Vec::new(),
        };
        let ground = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
        let bodies = vec![Body::new("ground", ground)];
        let surroundings = Surroundings { bodies, ..Surroundings::default() };
        let mut world = World::new(vec![cloth], surroundings, settings).unwrap();
        let (mut least, mut gained, mut strain) = (f64::INFINITY, 0.0_f64, 0.0_f64);
        let (mut systems, mut lowest) = (0, f64::INFINITY);
        while world.state().time < 0.7 {
            systems = world.step().unwrap().iterations.max(systems);
            let energy = world.energy().total();
            least = least.min(energy);
            gained = gained.max(energy - least);
            strain = strain.max(world.max_strain());
            lowest = world.state().x.iter().map(|x| x.y).fold(lowest, f64::min);
        }
        (gained, strain, systems, lowest)
    }

    #[test]
    fn cloth_of_tuebingen_falls_in_a_heap_with_two_linear_systems_a_step_and_no_energy_from_nothing()
     {
        let (gained, strain, systems, lowest) = fall(Preset::Tuebingen04.settings(), 1e-3);
        assert_eq!(systems, 2);
        assert!(gained < 1e-3, "{gained}");
        assert!(strain < 0.3, "{strain}");
        assert!(lowest > 0.0, "{lowest}");
    }

    #[test]
    fn bodies_are_constraints_of_a_step_that_is_solved_again_as_well() {
        let mut settings = Preset::Tuebingen04.settings();
        settings.collision.feedback = 1;
        settings.collision.impact_rounds = 2;
        // How deep it goes hangs on the last bits of the start: from 0.5 mm above the ground to 0.7 mm below, and from 0.8 mm to
        // 7 mm below if bodies are no constraints. The mean of some starts tells these apart.
        let starts = [1.0, 1.0 + 1e-9, 1.0 + 2e-9].map(|part| 1e-3 * part);
        let lowest = starts.map(|wave| fall(settings.clone(), wave).3);
        assert!(lowest.iter().sum::<f64>() / 3.0 > -1e-3, "{lowest:?}");
    }
}
