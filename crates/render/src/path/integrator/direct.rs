//! Light that comes straight from a lamp or the environment, by one sample.

use super::surfel::Surfel;
use super::{LIFT, MAX_GAPS, Points};
use crate::bsdf::Bsdf;
use crate::bvh::{Ray, Stack};
use crate::light::Incident;
use crate::path::world::World;
use crate::warp::power_heuristic;
use glam::Vec3;

impl World {
    /// Direct light that a vertex sends to its viewer.
    pub(super) fn direct(
        &self,
        surfel: &Surfel,
        bsdf: &Bsdf<'_>,
        time: f32,
        points: Points,
        stack: &mut Stack,
    ) -> Vec3 {
        let Some(sent) = self.sent(surfel, bsdf, points) else { return Vec3::ZERO };
        if self.is_lit(surfel, &sent, time, points, stack) { sent.light } else { Vec3::ZERO }
    }

    /// The same, and what it would be if nothing were in the path of the light.
    pub(super) fn direct_and_open(
        &self,
        surfel: &Surfel,
        bsdf: &Bsdf<'_>,
        time: f32,
        points: Points,
        stack: &mut Stack,
    ) -> (Vec3, Vec3) {
        let Some(sent) = self.sent(surfel, bsdf, points) else { return (Vec3::ZERO, Vec3::ZERO) };
        let lit = self.is_lit(surfel, &sent, time, points, stack);
        (if lit { sent.light } else { Vec3::ZERO }, sent.light)
    }

    /// A sample of the lights, scattered towards the viewer.
    fn sent(&self, surfel: &Surfel, bsdf: &Bsdf<'_>, points: Points) -> Option<Sent> {
        let (incident, share) = self.incident(surfel.position, points)?;
        let local = surfel.frame.local(incident.dir);
        let above = local.z > 0.0;
        if !above && !bsdf.transmits() || !surfel.is_consistent(incident.dir, local.z) {
            return None;
        }
        let view = surfel.frame.local(surfel.view);
        let (scattered, chance) = bsdf.eval_and_pdf(view, local);
        if scattered.max_element() <= 0.0 {
            return None;
        }
        let weight = match incident.pdf {
            Some(pdf) => power_heuristic(share * pdf, chance),
            None => 1.0,
        };
        let light = incident.weight * scattered * (weight / share);
        Some(Sent { light, dir: incident.dir, distance: incident.distance, above })
    }

    /// A sample of one light, and how often that light is chosen.
    fn incident(&self, position: Vec3, points: Points) -> Option<(Incident, f32)> {
        let mut choice = points.choice()[0];
        for (emitter, share) in self.emitters.iter().zip(&self.shares) {
            if choice < *share {
                return Some((emitter.sample(position, points.lamp())?, *share));
            }
            choice -= share;
        }
        if self.environment_share <= 0.0 {
            return None;
        }
        let (dir, light, pdf) = self.environment.sample(points.lamp());
        let distance = f32::INFINITY;
        let incident = Incident { dir, distance, weight: light / pdf, pdf: Some(pdf) };
        Some((incident, self.environment_share))
    }

    /// Whether the light arrives.
    fn is_lit(
        &self,
        surfel: &Surfel,
        sent: &Sent,
        time: f32,
        points: Points,
        stack: &mut Stack,
    ) -> bool {
        let ray = Ray::new(surfel.origin(sent.above), sent.dir).with_time(time);
        let limit = sent.distance - LIFT;
        if self.meet_floor(&ray).is_some_and(|t| t < limit) {
            return false;
        }
        if !self.porous {
            return !self.bvh.occluded(&ray, 0.0, limit, stack);
        }
        let mut t_min = 0.0;
        for _ in 0..MAX_GAPS {
            let Some(hit) = self.bvh.closest(&ray, t_min, limit, stack) else { return true };
            let passed = self.surfel(&ray, &hit);
            if !self.is_gap(&passed, points.shadow()) {
                return false;
            }
            t_min = hit.t + LIFT;
        }
        false
    }

    /// Whether light passes a surface straight.
    fn is_gap(&self, surfel: &Surfel, place: [f32; 2]) -> bool {
        use crate::path::world::Prepared;
        match &self.materials[surfel.item as usize] {
            Prepared::Cloth(fabric) => {
                fabric.is_gap(surfel.frame.local(surfel.view), surfel.handedness, place)
            }
            _ => false,
        }
    }
}

/// Light on its path to the viewer, if nothing is between vertex and lamp.
#[derive(Clone, Copy, Debug)]
struct Sent {
    light: Vec3,
    dir: Vec3,
    distance: f32,
    above: bool,
}
