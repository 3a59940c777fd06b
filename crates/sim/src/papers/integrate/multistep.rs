//! Backward differences over two steps, BDF2, for steps of any length (N8).
//!
//! With r = h/h₋: y⁺ = (1+r)²/(1+2r) y − r²/(1+2r) y₋ + (1+r)/(1+2r) h f(y⁺); for r = 1 this is
//! 4/3, −1/3 and 2/3 [hauth2001]. Erratum: eq. 61 of the tutorial lacks the h.
//!
//! Limits: stable for all z with negative real part while r < 1 + √2.

use crate::barrier::bdf2_weights;
use glam::DVec3;

/// The step before.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Its length; 0 if there was none [s].
    h: f64,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    x_bar: Vec<DVec3>,
    v_bar: Vec<DVec3>,
}

impl History {
    pub(super) fn forget(&mut self) {
        self.h = 0.0;
    }

    /// The step before, as (length, positions, velocities).
    pub(super) fn before(&self) -> Option<(f64, &[DVec3], &[DVec3])> {
        (self.h > 0.0).then_some((self.h, self.x.as_slice(), self.v.as_slice()))
    }

    /// Keeps the state at the beginning of a step that succeeded.
    pub(super) fn remember(&mut self, h: f64, x: &[DVec3], v: &[DVec3]) {
        self.h = h;
        self.x.clear();
        self.x.extend_from_slice(x);
        self.v.clear();
        self.v.extend_from_slice(v);
    }

    /// x̄, v̄ and γ of the stage, or nothing if this is the first step.
    pub(super) fn stage(
        &mut self,
        h: f64,
        x: &[DVec3],
        v: &[DVec3],
    ) -> Option<(&[DVec3], &[DVec3], f64)> {
        if self.h == 0.0 || self.x.len() != x.len() {
            return None;
        }
        let [a, b, c] = bdf2_weights(h / self.h);
        let mix = |now: &[DVec3], before: &[DVec3], to: &mut Vec<DVec3>| {
            to.clear();
            to.extend(now.iter().zip(before).map(|(y, y_before)| *y * a - *y_before * b));
        };
        mix(x, &self.x, &mut self.x_bar);
        mix(v, &self.v, &mut self.v_bar);
        Some((&self.x_bar, &self.v_bar, c * h))
    }

    /// Ends a step: the state becomes the one before, the stage becomes the state.
    pub(super) fn finish_step(
        &mut self,
        h: f64,
        gamma: f64,
        w: &[DVec3],
        x: &mut [DVec3],
        v: &mut [DVec3],
    ) {
        self.remember(h, x, v);
        for i in 0..x.len() {
            x[i] = self.x_bar[i] + gamma * w[i];
            v[i] = w[i];
        }
    }
}
