//! Runge–Kutta methods.

use super::{Dynamics, Scratch};
use glam::DVec3;

/// `x⁺ = x + h v`, `v⁺ = v + h a`.
pub(super) fn euler(
    dynamics: &mut impl Dynamics,
    s: &mut Scratch,
    t: f64,
    h: f64,
    x: &mut [DVec3],
    v: &mut [DVec3],
) {
    dynamics.acceleration(t, x, v, &mut s.a);
    for i in 0..x.len() {
        x[i] += h * v[i];
        v[i] += h * s.a[i];
    }
}

/// `v⁺ = v + h a`, `x⁺ = x + h v⁺`.
pub(super) fn symplectic_euler(
    dynamics: &mut impl Dynamics,
    s: &mut Scratch,
    t: f64,
    h: f64,
    x: &mut [DVec3],
    v: &mut [DVec3],
) {
    dynamics.acceleration(t, x, v, &mut s.a);
    for i in 0..x.len() {
        v[i] += h * s.a[i];
        x[i] += h * v[i];
    }
}

/// Half an Euler step gives the slope of the whole one.
///
/// Erratum: eq. 30 of the tutorial is `Y1 = Y0 + h f(k1)`.
pub(super) fn midpoint(
    dynamics: &mut impl Dynamics,
    s: &mut Scratch,
    t: f64,
    h: f64,
    x: &mut [DVec3],
    v: &mut [DVec3],
) {
    dynamics.acceleration(t, x, v, &mut s.a);
    for i in 0..x.len() {
        s.x_stage[i] = x[i] + 0.5 * h * v[i];
        s.v_stage[i] = v[i] + 0.5 * h * s.a[i];
    }
    dynamics.acceleration(t + 0.5 * h, &s.x_stage, &s.v_stage, &mut s.a);
    for i in 0..x.len() {
        x[i] += h * s.v_stage[i];
        v[i] += h * s.a[i];
    }
}

/// Four slopes, weighted 1 : 2 : 2 : 1.
pub(super) fn rk4(
    dynamics: &mut impl Dynamics,
    s: &mut Scratch,
    t: f64,
    h: f64,
    x: &mut [DVec3],
    v: &mut [DVec3],
) {
    s.x_stage.copy_from_slice(x);
    s.v_stage.copy_from_slice(v);
    s.x_sum.fill(DVec3::ZERO);
    s.v_sum.fill(DVec3::ZERO);
    // Weight of each slope, and how far along it the next stage lies.
    for (weight, reach, at) in [(1.0, 0.5, 0.0), (2.0, 0.5, 0.5), (2.0, 1.0, 0.5), (1.0, 0.0, 1.0)]
    {
        dynamics.acceleration(t + at * h, &s.x_stage, &s.v_stage, &mut s.a);
        for i in 0..x.len() {
            s.x_sum[i] += weight * s.v_stage[i];
            s.v_sum[i] += weight * s.a[i];
            let slope = s.v_stage[i];
            s.x_stage[i] = x[i] + reach * h * slope;
            s.v_stage[i] = v[i] + reach * h * s.a[i];
        }
    }
    for i in 0..x.len() {
        x[i] += h / 6.0 * s.x_sum[i];
        v[i] += h / 6.0 * s.v_sum[i];
    }
}
