//! Integration rules over the same potential.
//!
//! With the inertial prediction x̂ and the time γ over which forces act, the end x of a step of length h is the
//! minimum of `½ (x − x̂)ᵀ M (x − x̂)/γ² + E + B(x) + D(x)`:
//!
//! | rule | x̂ | γ² | E | velocity at the end |
//! |---|---|---|---|---|
//! | Euler | x_t + h v + γ² a | h² | E(x) | (x − x_t)/h |
//! | BDF2 | x̄ + γ v̄ + γ² a, x̄ = 4/3 x_t − 1/3 x₋, v̄ alike | 4/9 h² | E(x) | (x − x̄)/γ |
//! | midpoint | x_t + h v + γ² a | ½ h² | 2 E((x_t + x)/2) | 2 (x − x_t)/h − v |
//! | quasi-static | x_t + γ² a | τ² | E(x) | (x − x_t)/h |
//!
//! The weights of BDF2 are those of steps of equal length; for others see [`bdf2_weights`]. Its first step is one of Euler, and so is
//! the one after a much shorter step: that keeps the order.
//!
//! Barrier and friction are always those of the end, so that the end is free of intersections; forces at the middle of a
//! step would not keep it so. But a force that only the end knows makes rules that extrapolate rebound: what BDF2 stops within a step leaves
//! with half of its speed, what the midpoint stops leaves with all of it, and friction would excite what it stops. So vertices in
//! contact at the end of a step have its mean velocity there: impacts are inelastic under every rule. With BDF2, vertices in contact
//! at the start of a step are stepped by Euler, each by itself. The midpoint takes its elasticity elsewhere than Euler, and does not damp the
//! stretching that an impact leaves, which a ball under a sheet would amplify. A step that starts with any contact is one of Euler.
//! Prescribed vertices always have their mean velocity. All else has the order of the rule.
//!
//! Viscosity, too, is that of the end: γ ½ A ėᵀ D ė with ė = (E(x) − Ē)/γ, E here the Green strain of a triangle. BDF2 has its own γ and
//! Ē = 4/3 E_t − 1/3 E₋, or, where a corner is stepped by Euler, the rate of Euler; the other rules have h and E_t. That is of the
//! order of the rule, except that the midpoint has the direction of the force from the end, which matters where stretched cloth
//! turns fast. Quasi-static steps have no viscosity: their time is not that of a motion.
//!
//! Limits: vertices with and without contact have different impulses of the same force in the step in which they
//! part; momentum is conserved up to that. The midpoint does not damp at all, and is stable for certain only where forces are linear.

use super::iterate::StepStart;
use crate::element::Triangle;
use crate::sheet::RateBase;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Weights of BDF2 of y, of −y₋ and of h f, for the ratio r of this step to the one before [hauth2001].
pub fn bdf2_weights(r: f64) -> [f64; 3] {
    let d = 1.0 + 2.0 * r;
    [(1.0 + r) * (1.0 + r) / d, r * r / d, (1.0 + r) / d]
}

/// Longest step, in parts of the one before, for which BDF2 is stable: 1 + √2, and a bit less.
const MAX_STEP_RATIO: f64 = 2.4;
/// Drag in quasi-static steps [1/s]: unsupported cloth sinks at g/10 s, about 1 m/s.
const SINKING_DRAG: f64 = 10.0;
/// Least and largest residual by which the pseudo-time step of quasi-static steps is chosen, its change from step to step, and that
/// after a step that failed.
const RESIDUAL_RANGE: [f64; 2] = [1e-4, 1e2];
const RESIDUAL_DECREASE: f64 = 0.1;
const RESIDUAL_INCREASE: f64 = 4.0;
/// How much more exactly steps of order 2 are solved without contact: the residual of Newton iterations damps too, and more than BDF2
/// itself. In contact, impacts and friction dissipate much more, and exactness would double the iterations.
const SECOND_ORDER_TOLERANCE: f64 = 0.1;
/// Acceleration that takes the place of the weight where there is none [m/s²].
const REFERENCE_ACCELERATION: f64 = 9.81;

/// Time integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Implicit Euler (N6, order 1): damps what it cannot resolve.
    #[default]
    Euler,
    /// Implicit midpoint (N7, order 2): does not damp at all.
    Midpoint,
    /// Backward differences over two steps (N8, order 2): damps little, except for frequencies that the step does not resolve.
    Bdf2,
    /// No inertia: viscous drag that vanishes as forces come into balance.
    QuasiStatic,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Euler, Self::Midpoint, Self::Bdf2, Self::QuasiStatic];

    /// Its name in a scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euler => "euler",
            Self::Midpoint => "midpoint",
            Self::Bdf2 => "bdf2",
            Self::QuasiStatic => "quasi-static",
        }
    }

    /// Whether a step needs the one before it.
    pub(crate) fn is_multistep(self) -> bool {
        matches!(self, Self::Bdf2 | Self::QuasiStatic)
    }
}

/// The rule for one vertex.
#[derive(Clone, Copy, Debug)]
enum VertexRule {
    Euler,
    Midpoint,
    /// Weights of x_t, of −x₋ and of h.
    Bdf2([f64; 3]),
    /// τ².
    QuasiStatic(f64),
}

/// Inertia in a step.
pub(super) struct Inertia<'a> {
    start: &'a StepStart<'a>,
    step: VertexRule,
    /// Vertices that are stepped by Euler, whatever the rule; none if it is Euler.
    is_euler: Vec<bool>,
    /// Whether the step starts without any contact.
    untouched: bool,
}

impl<'a> Inertia<'a> {
    /// The rule of a step that starts with vertices `touching` something.
    pub(super) fn new(
        rule: Rule,
        start: &'a StepStart<'a>,
        masses: &[f64],
        touching: impl Iterator<Item = u32>,
    ) -> Self {
        let mut touching = touching.peekable();
        let untouched = touching.peek().is_none();
        let h = start.h;
        let before = start.previous_step.filter(|b| b.x.len() == masses.len());
        let step = match rule {
            Rule::Euler => VertexRule::Euler,
            Rule::Midpoint if untouched => VertexRule::Midpoint,
            Rule::Midpoint => VertexRule::Euler,
            Rule::Bdf2 => match before.filter(|b| h <= MAX_STEP_RATIO * b.h) {
                Some(b) => VertexRule::Bdf2(bdf2_weights(h / b.h)),
                None => VertexRule::Euler,
            },
            // The pseudo-time step that the step before has chosen, also if this one is shorter.
            Rule::QuasiStatic => {
                VertexRule::QuasiStatic(h * before.map_or(1.0 / SINKING_DRAG, |b| b.h))
            }
        };
        let mut inertia = Self { start, step, is_euler: Vec::new(), untouched };
        if matches!(step, VertexRule::Midpoint | VertexRule::Bdf2(_)) {
            inertia.is_euler = vec![false; masses.len()];
            let pinned = start.pinned.iter().map(|(v, _)| *v);
            touching.chain(pinned).for_each(|v| inertia.is_euler[v as usize] = true);
        }
        inertia
    }

    fn rule_of(&self, vertex: usize) -> VertexRule {
        if self.is_euler.get(vertex).is_some_and(|p| *p) { VertexRule::Euler } else { self.step }
    }

    /// γ² of a vertex [s²].
    pub(super) fn gamma2(&self, vertex: usize) -> f64 {
        let h = self.start.h;
        match self.rule_of(vertex) {
            VertexRule::Euler => h * h,
            VertexRule::Midpoint => 0.5 * h * h,
            VertexRule::Bdf2([_, _, c]) => c * c * h * h,
            VertexRule::QuasiStatic(tau2) => tau2,
        }
    }

    /// γ² of a vertex as far as its inertia or drag has to be resolved [s²]: drag that vanishes as cloth comes into balance may be lost
    /// in rounding, that of steady sinking may not.
    pub(super) fn resolved_gamma2(&self, vertex: usize) -> f64 {
        let gamma2 = self.gamma2(vertex);
        match self.step {
            VertexRule::QuasiStatic(_) => gamma2.min(self.start.h / SINKING_DRAG),
            _ => gamma2,
        }
    }

    /// Inertial prediction x̂ of a vertex.
    pub(super) fn inertial_prediction(&self, vertex: usize) -> DVec3 {
        let s = self.start;
        let pulled = s.external_acceleration.at(vertex) * self.gamma2(vertex);
        match self.rule_of(vertex) {
            VertexRule::Euler | VertexRule::Midpoint => s.x[vertex] + s.v[vertex] * s.h + pulled,
            VertexRule::Bdf2(weights) => {
                let [x, v] = self.bdf2_history(vertex, weights);
                x + v * (weights[2] * s.h) + pulled
            }
            VertexRule::QuasiStatic(_) => s.x[vertex] + pulled,
        }
    }

    /// Whether vertices without contact and elastic forces end at x̂.
    pub(super) fn reaches_prediction(&self) -> bool {
        !matches!(self.step, VertexRule::QuasiStatic(_))
    }

    /// x̄ and v̄ of BDF2.
    fn bdf2_history(&self, vertex: usize, [a, b, _]: [f64; 3]) -> [DVec3; 2] {
        let s = self.start;
        let now = [s.x[vertex], s.v[vertex]];
        let Some(before) = s.previous_step else { return now };
        [now[0] * a - before.x[vertex] * b, now[1] * a - before.v[vertex] * b]
    }

    /// Factor of the elastic energy, and the positions at which it is taken.
    pub(super) fn elastic<'x>(&self, x: &'x [DVec3]) -> (f64, Cow<'x, [DVec3]>) {
        if matches!(self.step, VertexRule::Midpoint) {
            let middle = x.iter().zip(self.start.x).map(|(x, x_t)| x_t.midpoint(*x));
            (2.0, middle.collect())
        } else {
            (1.0, Cow::Borrowed(x))
        }
    }

    /// Factor of the elastic Hessian.
    pub(super) fn elastic_hessian_factor(&self) -> f32 {
        if matches!(self.step, VertexRule::Midpoint) { 0.5 } else { 1.0 }
    }

    /// Where the rate of strain of a triangle is taken from.
    pub(super) fn rate_base(&self, rest: &Triangle) -> RateBase {
        let s = self.start;
        let strain = |x: &[DVec3]| rest.green_strain(&rest.vertices.map(|v| x[v as usize]));
        let now = RateBase { strain: strain(s.x), time: s.h };
        let steps = rest.vertices.map(|v| self.rule_of(v as usize));
        match (s.previous_step, steps) {
            (
                Some(before),
                [VertexRule::Bdf2([a, b, c]), VertexRule::Bdf2(_), VertexRule::Bdf2(_)],
            ) => {
                let past = strain(&before.x);
                let strain = std::array::from_fn(|k| a * now.strain[k] - b * past[k]);
                RateBase { strain, time: c * s.h }
            }
            _ => now,
        }
    }

    /// Velocities at the end of the step, at `x`; vertices in contact there have their mean velocity.
    pub(super) fn velocities(
        &mut self,
        x: &[DVec3],
        touches: impl Iterator<Item = u32>,
    ) -> Vec<DVec3> {
        if !self.is_euler.is_empty() {
            touches.for_each(|v| self.is_euler[v as usize] = true);
        }
        let s = self.start;
        let velocity = |(i, x): (usize, &DVec3)| match self.rule_of(i) {
            VertexRule::Euler | VertexRule::QuasiStatic(_) => (*x - s.x[i]) / s.h,
            VertexRule::Midpoint => (*x - s.x[i]) * (2.0 / s.h) - s.v[i],
            VertexRule::Bdf2(weights) => {
                (*x - self.bdf2_history(i, weights)[0]) / (weights[2] * s.h)
            }
        };
        x.iter().enumerate().map(velocity).collect()
    }

    /// Decrease that an unobstructed direction from rest predicts [J], or a part of it where steps are solved more exactly.
    pub(super) fn reference_decrease(&self, masses: &[f64]) -> f64 {
        let s = self.start;
        let each = masses.iter().enumerate();
        match self.step {
            // The possible decrease falls with the residual force.
            VertexRule::QuasiStatic(tau2) => {
                let weight: f64 =
                    each.map(|(i, m)| m * s.external_acceleration.at(i).length_squared()).sum();
                let weight = if weight > 0.0 {
                    weight
                } else {
                    REFERENCE_ACCELERATION * REFERENCE_ACCELERATION * masses.iter().sum::<f64>()
                };
                let residual = s.h / (SINKING_DRAG * tau2);
                weight * tau2 * residual * residual
            }
            step => {
                let fine = self.untouched && !matches!(step, VertexRule::Euler);
                let moved = each.map(|(i, m)| {
                    m * (s.v[i] + s.external_acceleration.at(i) * s.h).length_squared()
                });
                moved.sum::<f64>() * if fine { SECOND_ORDER_TOLERANCE } else { 1.0 }
            }
        }
    }

    /// Factor on the speed at which a step counts as solved: smaller, the nearer it is to equilibrium.
    pub(super) fn speed_tolerance_factor(&self) -> f64 {
        match self.step {
            VertexRule::QuasiStatic(tau2) => (self.start.h / (SINKING_DRAG * tau2)).min(1.0),
            _ => 1.0,
        }
    }

    /// The length of this step for the next one, which `converged` or not: h, or the pseudo-time step τ²/h of the next if
    /// it is quasi-static.
    pub(super) fn step_length_for_next(&self, x: &[DVec3], masses: &[f64], converged: bool) -> f64 {
        let h = self.start.h;
        let VertexRule::QuasiStatic(tau2) = self.step else { return h };
        let last = h / (SINKING_DRAG * tau2);
        // The force on it is what the drag has balanced. Less drag as it comes to rest: in equilibrium it would only delay.
        let moved = self.start.drag_residual(x, tau2, masses).max(RESIDUAL_DECREASE * last);
        let residual = if converged { moved } else { moved.max(RESIDUAL_INCREASE * last) };
        1.0 / (SINKING_DRAG * residual.clamp(RESIDUAL_RANGE[0], RESIDUAL_RANGE[1]))
    }

    /// Inertia without external forces: what a step adds to the balance of forces [N].
    pub(super) fn drag(&self, vertex: usize, x: DVec3, mass: f64) -> DVec3 {
        (x - self.start.x[vertex]) * (mass / self.gamma2(vertex))
    }
}

impl StepStart<'_> {
    /// The force that moved vertices to `x` against a drag of m/τ², as [`Self::relative_to_weight`].
    fn drag_residual(&self, x: &[DVec3], tau2: f64, masses: &[f64]) -> f64 {
        self.relative_to_weight(masses, |i| (x[i] - self.x[i]) / tau2)
    }

    /// Root mean square of accelerations, mass-weighted, over that of the weight. Prescribed vertices do not count.
    pub(super) fn relative_to_weight(&self, masses: &[f64], of: impl Fn(usize) -> DVec3) -> f64 {
        let mut free = vec![true; masses.len()];
        self.pinned.iter().for_each(|(v, _)| free[*v as usize] = false);
        let (mut left, mut weight, mut mass) = (0.0, 0.0, 0.0);
        for i in (0..masses.len()).filter(|i| free[*i]) {
            left += masses[i] * of(i).length_squared();
            weight += masses[i] * self.external_acceleration.at(i).length_squared();
            mass += masses[i];
        }
        let weight = if weight > 0.0 {
            weight
        } else {
            mass * REFERENCE_ACCELERATION * REFERENCE_ACCELERATION
        };
        if weight > 0.0 { (left / weight).sqrt() } else { 0.0 }
    }
}
