//! Contact with bodies as constraints of the implicit solve (R6) [baraff1998].
//!
//! The step is solved once without bodies. Vertices that would enter one are then constrained along the normal: they go as far as
//! the contact, and on with the body; what they do along the surface is solved again. Friction takes away up to
//! μ times the normal velocity that the constraint stopped. Vertices that are too near are moved out by a part of what is
//! missing.
//!
//! Limits: the second solve is not looked at again, and edges between constrained vertices are not seen.

use super::World;
use crate::error::{Error, Stage};
use crate::linear::Constraint;
use crate::report::StepReport;
use crate::respond::{Contact, Query, ZoneSet};
use crate::settings::Collision;
use glam::DVec3;
use toile_collide::Motion;
use toile_collide::ccd::Separation;

/// Part of a missing gap that a step makes up.
const RECOVERY: f64 = 0.25;

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
    rub: f64,
}

impl World {
    /// Contacts of a proposed step with bodies.
    pub(super) fn bodies_met(
        &mut self,
        x: &[DVec3],
        h: f64,
        leeway: f64,
        report: &mut StepReport,
    ) -> Result<Vec<Contact>, Error> {
        let settings = Collision { self_collision: false, ..self.settings.collision };
        let mut zones = ZoneSet::default();
        zones.reset(x.len());
        let query = Query {
            motion: Motion { x_t0: &self.state.x, x_t1: x },
            h,
            settings: &settings,
            leeway,
            moved: None,
            zones: &zones,
        };
        let (detections, step) = (report.detections, self.state.step);
        let Some(scene) = &mut self.scene else { return Ok(Vec::new()) };
        let found = scene.detect(query, report);
        report.detections = detections;
        found.map_err(|e| Error::NotFinite { step, vertex: e.vertex, stage: Stage::Collide })
    }

    /// Vertices that touch bodies if the cloth moves to `x`.
    pub(super) fn touches(
        &mut self,
        (t, h): (f64, f64),
        x: &[DVec3],
        report: &mut StepReport,
    ) -> Result<Vec<Touch>, Error> {
        let step = self.state.step;
        if let Some(scene) = &mut self.scene {
            scene.advance_bodies(t, t + h).map_err(|e| Error::NotFinite {
                step,
                vertex: e.vertex,
                stage: Stage::Collide,
            })?;
        }
        let contacts = self.bodies_met(x, h, Separation::STRICT, report)?;
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
                let nearer = ((x[i] - self.state.x[i]) / h - drag).dot(c.normal);
                let allowed = c.time * nearer.min(0.0) + RECOVERY * c.deficit / h;
                at[i] = Some(touches.len());
                touches.push(Touch {
                    vertex: *v,
                    constraint: Constraint::Plane(c.normal),
                    normal: c.normal,
                    velocity: c.normal * (allowed + drag.dot(c.normal)),
                    drag,
                    rub: c.friction * (allowed - nearer).max(0.0),
                });
            }
        }
        report.impacts = touches.len() as u64;
        Ok(touches)
    }
}

impl Touch {
    /// A vertex that contact has given a velocity, by a change along `way`. If it was stopped along another way before,
    /// it is given all of the velocity.
    pub(super) fn stopped(vertex: u32, way: DVec3, velocity: DVec3, before: Option<Self>) -> Self {
        let one =
            before.is_none_or(|b| b.constraint != Constraint::Fixed && b.normal.dot(way) > 0.9);
        let (constraint, velocity) = match one {
            true => (Constraint::Plane(way), way * way.dot(velocity)),
            false => (Constraint::Fixed, velocity),
        };
        Self { vertex, constraint, normal: way, velocity, drag: DVec3::ZERO, rub: 0.0 }
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
        if speed > self.rub { slide * (-self.rub / speed) } else { -slide }
    }
}
