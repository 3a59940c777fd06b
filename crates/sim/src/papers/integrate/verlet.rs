//! Verlet's methods.

use super::{Dynamics, Scratch};
use glam::DVec3;

/// Half a kick, a drift, half a kick. Forces that depend on velocity see the one at mid-step.
pub(super) fn leapfrog(
    dynamics: &mut impl Dynamics,
    s: &mut Scratch,
    t: f64,
    h: f64,
    x: &mut [DVec3],
    v: &mut [DVec3],
) {
    dynamics.acceleration(t, x, v, &mut s.a);
    for i in 0..x.len() {
        v[i] += 0.5 * h * s.a[i];
        x[i] += h * v[i];
    }
    dynamics.acceleration(t + h, x, v, &mut s.a);
    for i in 0..x.len() {
        v[i] += 0.5 * h * s.a[i];
    }
}

/// `x⁺ = x + (1 − K)(x − x⁻) + h² a`.
///
/// The velocity kept between steps is `(x − x⁻)/h`, so the previous positions need not be stored.
/// Erratum: paper A's eq. 56 lacks the factor h² on the force.
pub(super) fn verlet(
    dynamics: &mut impl Dynamics,
    s: &mut Scratch,
    t: f64,
    h: f64,
    x: &mut [DVec3],
    v: &mut [DVec3],
    damping: f64,
    first: bool,
) {
    dynamics.acceleration(t, x, v, &mut s.a);
    // The first velocity is given at t, not half a step before it.
    let kick = if first { 0.5 * h } else { h };
    for i in 0..x.len() {
        v[i] = (1.0 - damping) * v[i] + kick * s.a[i];
        x[i] += h * v[i];
    }
}
