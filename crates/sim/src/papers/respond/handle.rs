//! The three phases of [provot1997] §4.4.

use super::Contact;
use super::detect::{Query, Scene};
use super::impact::{respond, separate};
use super::repulse::{RepulsionRange, repulse};
use super::zones::{Anchor, ConflictingAnchors, ZoneSet, rigid_end, rigid_pose};
use crate::body::Collider;
use crate::clock::Clock;
use crate::motion::Pose;
use crate::report::StepReport;
use crate::settings::{Collision, Zones};
use glam::DVec3;
use toile_collide::ccd::Separation;
use toile_collide::{Motion, NotFinite};

/// The particles, and what holds them.
pub(crate) struct Particles<'a> {
    pub(crate) mass: &'a [f64],
    /// Zero where pinned.
    pub(crate) inverse_mass: &'a [f64],
    pub(crate) x_t0: &'a [DVec3],
    /// What each pinned particle hangs on.
    pub(crate) pin_anchor: &'a [Option<Anchor>],
    /// Displacement of each anchor over the step.
    pub(crate) anchors: &'a [Pose],
}

/// How it ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing collides any more; the new velocities of the particles that were changed.
    Clear(Vec<Option<DVec3>>),
    /// Collisions are left.
    Stuck { left: usize, vertex: u32 },
}

/// Changes the ends `x_t1` of the particles' motion until nothing collides.
pub(crate) fn handle(
    scene: &mut Scene,
    p: &Particles<'_>,
    x_t1: &mut [DVec3],
    h: f64,
    settings: &Collision,
    report: &mut StepReport,
) -> Result<Outcome, NotFinite> {
    let mut work = Work {
        v: x_t1.iter().zip(p.x_t0).map(|(b, a)| (*b - *a) / h).collect(),
        push: vec![DVec3::ZERO; x_t1.len()],
        moved: vec![true; x_t1.len()],
        changed: vec![None; x_t1.len()],
        drags: vec![None; if scene.bodies.iter().any(Collider::deforms) { x_t1.len() } else { 0 }],
        zones: ZoneSet::default(),
        first: true,
        h,
    };
    work.zones.reset(x_t1.len());
    if settings.repulsion > 0.0 {
        let clock = Clock::start();
        work.repulse(scene, p, x_t1, settings)?;
        report.seconds.respond += clock.seconds();
    }
    for round in 0..settings.impact_rounds {
        // What is too near must not come nearer at all: only then does every step that presses
        // on a contact also feel its friction, and what lies still stays still.
        let contacts = work.detect(scene, p, x_t1, Separation::STRICT, settings, report)?;
        if round == 0 {
            report.impacts = contacts.len() as u64;
        }
        if contacts.is_empty() {
            return Ok(Outcome::Clear(work.changed));
        }
        let clock = Clock::start();
        work.impacts(&contacts, p, x_t1, settings);
        report.seconds.respond += clock.seconds();
    }
    if settings.zones == Zones::Off {
        return Ok(Outcome::Clear(work.changed));
    }
    let mut last = Vec::new();
    for _ in 0..settings.zone_rounds {
        // Zones are for what would collide, not for what impacts have slowed to a crawl.
        let contacts = work.detect(scene, p, x_t1, Separation::LOOSE, settings, report)?;
        if contacts.is_empty() {
            let zones = work.zones.zones();
            report.zones = zones.len() as u32;
            report.largest_zone = zones.iter().map(|z| z.1.len() as u32).max().unwrap_or(0);
            return Ok(Outcome::Clear(work.changed));
        }
        let clock = Clock::start();
        let grown = work.grow(&contacts, scene, p, x_t1, settings.zones);
        report.seconds.respond += clock.seconds();
        last = contacts;
        if grown.is_err() {
            break;
        }
    }
    Ok(Outcome::Stuck { left: last.len(), vertex: last.first().map_or(0, |c| c.vertices[0]) })
}

struct Work {
    /// Velocities after the impacts, before zones.
    v: Vec<DVec3>,
    /// Displacements that open gaps and are not kept as velocity.
    push: Vec<DVec3>,
    /// Changed since the last detection.
    moved: Vec<bool>,
    /// Velocities of those changed at all.
    changed: Vec<Option<DVec3>>,
    /// Velocity of the body at each vertex that touched one that deforms [m/s]; empty if there is none.
    drags: Vec<Option<DVec3>>,
    zones: ZoneSet,
    first: bool,
    h: f64,
}

impl Work {
    fn detect(
        &mut self,
        scene: &mut Scene,
        p: &Particles<'_>,
        x_t1: &[DVec3],
        max_approach: f64,
        settings: &Collision,
        report: &mut StepReport,
    ) -> Result<Vec<Contact>, NotFinite> {
        let clock = Clock::start();
        let query = Query {
            motion: Motion { x_t0: p.x_t0, x_t1 },
            h: self.h,
            settings,
            max_approach,
            moved: (!self.first).then_some(&self.moved[..]),
            zones: &self.zones,
        };
        let contacts = scene.detect(query, report)?;
        self.first = false;
        self.moved.fill(false);
        report.seconds.detect += clock.seconds();
        Ok(contacts)
    }

    /// Before all phases: what is near is pushed apart.
    fn repulse(
        &mut self,
        scene: &mut Scene,
        p: &Particles<'_>,
        x_t1: &mut [DVec3],
        settings: &Collision,
    ) -> Result<(), NotFinite> {
        let distance = settings.repulsion * scene.separation;
        let range = RepulsionRange { distance, cloth: settings.self_collision, bodies: true };
        let changed = repulse(scene, p.x_t0, p.inverse_mass, self.h, range, &mut self.v)?;
        for i in (0..x_t1.len()).filter(|i| changed[*i] && p.inverse_mass[*i] > 0.0) {
            x_t1[i] = p.x_t0[i] + self.v[i] * self.h;
            self.changed[i] = Some(self.v[i]);
        }
        Ok(())
    }

    /// Phase 1: every impact by itself, the earliest first.
    fn impacts(
        &mut self,
        contacts: &[Contact],
        p: &Particles<'_>,
        x_t1: &mut [DVec3],
        settings: &Collision,
    ) {
        for c in contacts {
            respond(c, settings.law, settings.restitution, p.inverse_mass, &mut self.v);
            separate(c, p.inverse_mass, &mut self.push);
            for i in c.vertices() {
                self.moved[*i as usize] = true;
            }
        }
        for i in (0..x_t1.len()).filter(|i| self.moved[*i]) {
            if p.inverse_mass[i] > 0.0 {
                x_t1[i] = p.x_t0[i] + self.v[i] * self.h + self.push[i];
                self.changed[i] = Some(self.v[i]);
            }
        }
    }

    /// The rigid displacement nearest to that of a body that deforms, where the zone touches it. What it does not follow is looked at again.
    fn pose_of_drags(&self, members: &[u32], x: &[DVec3]) -> Pose {
        let touching: Vec<u32> =
            members.iter().copied().filter(|i| self.drags[*i as usize].is_some()).collect();
        let at: Vec<DVec3> = touching.iter().map(|i| x[*i as usize]).collect();
        let v: Vec<DVec3> = touching.iter().filter_map(|i| self.drags[*i as usize]).collect();
        let all: Vec<u32> = (0..at.len() as u32).collect();
        rigid_pose(&all, &at, &v, &vec![1.0; at.len()], self.h)
    }

    /// Phases 2 and 3: zones take up the particles of collisions that are left.
    fn grow(
        &mut self,
        contacts: &[Contact],
        scene: &Scene,
        p: &Particles<'_>,
        x_t1: &mut [DVec3],
        variant: Zones,
    ) -> Result<(), ConflictingAnchors> {
        for c in contacts {
            self.zones.join(c.vertices())?;
            if let Some((body, drag)) = c.body {
                self.zones.attach(c.vertices[0], scene.body_anchor[body as usize])?;
                if scene.bodies[body as usize].deforms() {
                    c.vertices().iter().for_each(|v| self.drags[*v as usize] = Some(drag));
                }
            }
            for i in c.vertices() {
                if let Some(anchor) = p.pin_anchor[*i as usize] {
                    self.zones.attach(*i, anchor)?;
                }
            }
        }
        for (anchor, members) in self.zones.zones() {
            let ends: Vec<DVec3> = match anchor {
                Some(a)
                    if a > 0 && scene.bodies.get(a as usize - 1).is_some_and(Collider::deforms) =>
                {
                    let pose = self.pose_of_drags(&members, p.x_t0);
                    members.iter().map(|i| pose.apply(p.x_t0[*i as usize])).collect()
                }
                Some(a) => members
                    .iter()
                    .map(|i| p.anchors[a as usize].apply(p.x_t0[*i as usize]))
                    .collect(),
                None => rigid_end(&members, p.x_t0, &self.v, p.mass, self.h, variant),
            };
            for (i, end) in members.into_iter().zip(ends) {
                let i = i as usize;
                // A zone that did not change need not be looked at again.
                if p.inverse_mass[i] > 0.0 && x_t1[i] != end {
                    x_t1[i] = end;
                    self.moved[i] = true;
                    self.changed[i] = Some((end - p.x_t0[i]) / self.h);
                }
            }
        }
        Ok(())
    }
}
