//! From the pose of the fitting into a clip.

use super::builtin::Clip;
use super::rig::{Posture, Rig, Skinning};
use super::rotation::smoothstep;
use glam::DVec3;
use std::sync::Arc;

/// Time from the rest pose to the first posture of the clip [s].
const BLEND: f64 = 1.0;

/// Time that this is held [s].
const HOLD: f64 = 0.5;

/// Time in which the clip gets up to speed, so that nothing starts with a jerk [s].
const RUN_UP: f64 = 0.5;

/// A clip performed by a rig, from the rest pose on.
#[derive(Clone, Debug)]
pub struct Performance {
    rig: Arc<Rig>,
    clip: Clip,
    skinning: Skinning,
    first: Posture,
}

impl Performance {
    /// Begins at rest, passes into the first posture within 1 s, holds it for 0.5 s and begins the clip.
    pub fn new(rig: &Rig, clip: Clip, skinning: Skinning) -> Self {
        let rig = Arc::new(rig.clone());
        let mut performance = Self { rig, clip, skinning, first: Posture::REST };
        performance.first = performance.clip_posture(0.0);
        performance
    }

    /// What performs.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// What is performed.
    pub fn clip(&self) -> &Clip {
        &self.clip
    }

    /// How the skin follows.
    pub fn skinning(&self) -> Skinning {
        self.skinning
    }

    /// When the clip begins [s].
    pub fn clip_start(&self) -> f64 {
        BLEND + HOLD
    }

    /// The posture of the clip at its own time, on the ground.
    pub fn clip_posture(&self, t: f64) -> Posture {
        let posture = self.clip.posture(&self.rig, t);
        match self.clip {
            // A file says when feet leave the ground.
            Clip::Recorded(_) => posture,
            _ => self.rig.grounded(posture, self.skinning),
        }
    }

    /// The posture at a time.
    pub fn posture(&self, t: f64) -> Posture {
        if t < BLEND {
            return self.transition(smoothstep(t / BLEND));
        }
        let t = t - self.clip_start();
        if t <= 0.0 {
            return self.first;
        }
        // The rate of the clip grows by 3s² − 2s³; this is its integral.
        let s = t / RUN_UP;
        let own = if s < 1.0 { RUN_UP * s * s * s * (1.0 - 0.5 * s) } else { t - 0.5 * RUN_UP };
        self.clip_posture(own)
    }

    /// Part of the way from rest to the first posture, feet on the ground where the first posture has them there.
    fn transition(&self, s: f64) -> Posture {
        let posture = Posture::REST.blended(&self.first, s);
        let mut posture = self.rig.grounded(posture, self.skinning);
        if s > 0.0 {
            posture.root.y += s * self.rig.lowest(&self.first, self.skinning);
        }
        posture
    }

    /// The skin at a time.
    pub fn positions(&self, t: f64) -> Vec<DVec3> {
        self.rig.skin(&self.posture(t), self.skinning)
    }
}
