//! Time rules over the same potential.
//!
//! With x̂ where inertia alone would bring a vertex and γ the span over which forces act, the end x of a step of length h is the
//! minimum of `½ (x − x̂)ᵀ M (x − x̂)/γ² + E + B(x) + D(x)`:
//!
//! | rule | x̂ | γ² | E | velocity at the end |
//! |---|---|---|---|---|
//! | Euler | x_t + h v + γ² a | h² | E(x) | (x − x_t)/h |
//! | BDF2 | x̄ + γ v̄ + γ² a, x̄ = 4/3 x_t − 1/3 x₋, v̄ alike | 4/9 h² | E(x) | (x − x̄)/γ |
//! | midpoint | x_t + h v + γ² a | ½ h² | 2 E((x_t + x)/2) | 2 (x − x_t)/h − v |
//! | quasi-static | x_t + γ² a | τ² | E(x) | (x − x_t)/h |
//!
//! The weights of BDF2 are those of steps of equal length; for others see [`bdf2_weights`]. It begins with a step of Euler, and so does
//! what follows a step much shorter: that keeps the order.
//!
//! Barrier and friction are always those of the end, so that the end is free of intersections; forces of the middle of a
//! step would not keep it so. But a force that only the end knows makes rules that extrapolate rebound: what BDF2 stops within a step leaves
//! with half of the speed it came with, what the midpoint stops leaves with all of it, and friction would shake what it stops. So what
//! touches something at the end of a step ends it with its mean velocity: impacts are inelastic under every rule. With BDF2 vertices that touch
//! at the begin of a step are stepped as Euler does, each by itself. The midpoint has its elasticity elsewhere than Euler, and does not damp the
//! stretching that an impact leaves: a ball under a sheet would shake it to pieces. A step that begins with a contact anywhere is one of Euler.
//! What is held always has its mean velocity. All else has the order of the rule.
//!
//! Limits: vertices that touch and those that do not have other impulses of one and the same force in the step in which they
//! part; momentum is kept up to that. The midpoint does not damp at all, and is stable for certain only where forces are linear.

use super::newton::Start;
use crate::integrate::bdf2_weights;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Longest step, in parts of the one before, for which BDF2 is stable: 1 + √2, and a bit less.
const LONGEST: f64 = 2.4;
/// Drag on what nothing carries, in quasi-static steps [1/s]: it sinks at g/10 s, about 1 m/s.
const DRAG: f64 = 10.0;
/// Least and largest residual by which the pace of quasi-static steps is chosen, how much less of it is believed from step to step, and how much
/// more after a step that was not found.
const RESIDUAL: [f64; 2] = [1e-4, 1e2];
const LESS: f64 = 0.1;
const MORE: f64 = 4.0;
/// How much more exactly steps of order 2 are found: what Newton's method leaves over damps too, and more than BDF2 itself.
const FINE: f64 = 0.1;
/// What forces are compared with where there is no weight [m/s²].
const WEIGHT: f64 = 9.81;

/// How time goes on from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Implicit Euler (N6, order 1): damps what it cannot resolve.
    #[default]
    Euler,
    /// Implicit midpoint (N7, order 2): does not damp at all.
    Midpoint,
    /// Backward differences over two steps (N8, order 2): damps little, and what it cannot resolve at once.
    Bdf2,
    /// No inertia: a thick fluid drags until all forces are in balance, less and less as they come near it.
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

    /// Whether a step has to know the one before.
    pub(crate) fn looks_back(self) -> bool {
        matches!(self, Self::Bdf2 | Self::QuasiStatic)
    }
}

/// What a rule makes of one vertex.
#[derive(Clone, Copy, Debug)]
enum Step {
    Euler,
    Midpoint,
    /// Weights of x_t, of −x₋ and of h.
    Bdf2([f64; 3]),
    /// τ².
    QuasiStatic(f64),
}

/// Inertia in a step.
pub(super) struct Inertia<'a> {
    start: &'a Start<'a>,
    step: Step,
    /// Vertices that are stepped as Euler does, whatever the rule; none if it is Euler.
    plain: Vec<bool>,
}

impl<'a> Inertia<'a> {
    /// The rule for a step that begins with vertices `touching` something.
    pub(super) fn new(
        rule: Rule,
        start: &'a Start<'a>,
        masses: &[f64],
        mut touching: impl Iterator<Item = u32>,
    ) -> Self {
        let h = start.h;
        let before = start.before.filter(|b| b.x.len() == masses.len());
        let step = match rule {
            Rule::Euler => Step::Euler,
            Rule::Midpoint if touching.next().is_some() => Step::Euler,
            Rule::Midpoint => Step::Midpoint,
            Rule::Bdf2 => match before.filter(|b| h <= LONGEST * b.h) {
                Some(b) => Step::Bdf2(bdf2_weights(h / b.h)),
                None => Step::Euler,
            },
            // The pace that the step before has found good, also if this one is shorter.
            Rule::QuasiStatic => Step::QuasiStatic(h * before.map_or(1.0 / DRAG, |b| b.h)),
        };
        let mut inertia = Self { start, step, plain: Vec::new() };
        if matches!(step, Step::Midpoint | Step::Bdf2(_)) {
            inertia.plain = vec![false; masses.len()];
            let held = start.held.iter().map(|(v, _)| *v);
            touching.chain(held).for_each(|v| inertia.plain[v as usize] = true);
        }
        inertia
    }

    fn of(&self, vertex: usize) -> Step {
        if self.plain.get(vertex).is_some_and(|p| *p) { Step::Euler } else { self.step }
    }

    /// γ² of a vertex [s²].
    pub(super) fn span2(&self, vertex: usize) -> f64 {
        let h = self.start.h;
        match self.of(vertex) {
            Step::Euler => h * h,
            Step::Midpoint => 0.5 * h * h,
            Step::Bdf2([_, _, c]) => c * c * h * h,
            Step::QuasiStatic(tau2) => tau2,
        }
    }

    /// Where inertia alone would bring a vertex: x̂.
    pub(super) fn free(&self, vertex: usize) -> DVec3 {
        let s = self.start;
        let pulled = s.outer.of(vertex) * self.span2(vertex);
        match self.of(vertex) {
            Step::Euler | Step::Midpoint => s.x[vertex] + s.v[vertex] * s.h + pulled,
            Step::Bdf2(weights) => {
                let [x, v] = self.mixed(vertex, weights);
                x + v * (weights[2] * s.h) + pulled
            }
            Step::QuasiStatic(_) => s.x[vertex] + pulled,
        }
    }

    /// Whether what flies freely comes to x̂ in a step.
    pub(super) fn flies(&self) -> bool {
        !matches!(self.step, Step::QuasiStatic(_))
    }

    /// x̄ and v̄ of BDF2.
    fn mixed(&self, vertex: usize, [a, b, _]: [f64; 3]) -> [DVec3; 2] {
        let s = self.start;
        let now = [s.x[vertex], s.v[vertex]];
        let Some(before) = s.before else { return now };
        [now[0] * a - before.x[vertex] * b, now[1] * a - before.v[vertex] * b]
    }

    /// How many times the elastic energy counts, and the positions at which it is taken.
    pub(super) fn elastic<'x>(&self, x: &'x [DVec3]) -> (f64, Cow<'x, [DVec3]>) {
        if matches!(self.step, Step::Midpoint) {
            let middle = x.iter().zip(self.start.x).map(|(x, x_t)| x_t.midpoint(*x));
            (2.0, middle.collect())
        } else {
            (1.0, Cow::Borrowed(x))
        }
    }

    /// What the Hessian of the elastic energy counts in that of the step.
    pub(super) fn elastic_curvature(&self) -> f32 {
        if matches!(self.step, Step::Midpoint) { 0.5 } else { 1.0 }
    }

    /// Velocities at the end of the step, at `x`; what `touches` there has its mean velocity.
    pub(super) fn velocities(
        &mut self,
        x: &[DVec3],
        touches: impl Iterator<Item = u32>,
    ) -> Vec<DVec3> {
        if !self.plain.is_empty() {
            touches.for_each(|v| self.plain[v as usize] = true);
        }
        let s = self.start;
        let velocity = |(i, x): (usize, &DVec3)| match self.of(i) {
            Step::Euler | Step::QuasiStatic(_) => (*x - s.x[i]) / s.h,
            Step::Midpoint => (*x - s.x[i]) * (2.0 / s.h) - s.v[i],
            Step::Bdf2(weights) => (*x - self.mixed(i, weights)[0]) / (weights[2] * s.h),
        };
        x.iter().enumerate().map(velocity).collect()
    }

    /// Energy that a direction from rest would promise if nothing were in the way [J], or a part of it where steps are found more exactly.
    pub(super) fn promise(&self, masses: &[f64]) -> f64 {
        let s = self.start;
        let each = masses.iter().enumerate();
        match self.step {
            // What is left to win falls with the force that is left.
            Step::QuasiStatic(tau2) => {
                let weight: f64 = each.map(|(i, m)| m * s.outer.of(i).length_squared()).sum();
                let weight = if weight > 0.0 {
                    weight
                } else {
                    WEIGHT * WEIGHT * masses.iter().sum::<f64>()
                };
                let residual = s.h / (DRAG * tau2);
                weight * tau2 * residual * residual
            }
            step => {
                let fine = if matches!(step, Step::Euler) { 1.0 } else { FINE };
                let moved = each.map(|(i, m)| m * (s.v[i] + s.outer.of(i) * s.h).length_squared());
                fine * moved.sum::<f64>()
            }
        }
    }

    /// How much slower than `speed` vertices must move when a step is found: the more, the nearer it is to the balance.
    pub(super) fn exactness(&self) -> f64 {
        match self.step {
            Step::QuasiStatic(tau2) => (self.start.h / (DRAG * tau2)).min(1.0),
            _ => 1.0,
        }
    }

    /// What the next step has to know as the length of this one, which was `found` or not: h, or the pace τ²/h of the next if
    /// it is quasi-static.
    pub(super) fn remembered(&self, x: &[DVec3], masses: &[f64], found: bool) -> f64 {
        let h = self.start.h;
        let Step::QuasiStatic(tau2) = self.step else { return h };
        let last = h / (DRAG * tau2);
        // The force that moved it is what the drag has held. Less drag as it comes to rest: in balance it would only delay.
        let moved = self.start.dragged(x, tau2, masses).max(LESS * last);
        let residual = if found { moved } else { moved.max(MORE * last) };
        1.0 / (DRAG * residual.clamp(RESIDUAL[0], RESIDUAL[1]))
    }

    /// Inertia without the outer forces: what a step holds against the balance of forces [N].
    pub(super) fn drag(&self, vertex: usize, x: DVec3, mass: f64) -> DVec3 {
        (x - self.start.x[vertex]) * (mass / self.span2(vertex))
    }
}

impl Start<'_> {
    /// The force that moved vertices to `x` against a drag of m/τ², as [`Self::compared`].
    fn dragged(&self, x: &[DVec3], tau2: f64, masses: &[f64]) -> f64 {
        self.compared(masses, |i| (x[i] - self.x[i]) / tau2)
    }

    /// Root of the mean square of accelerations over the mass, in parts of that of the weight. What is held does not count.
    pub(super) fn compared(&self, masses: &[f64], of: impl Fn(usize) -> DVec3) -> f64 {
        let mut free = vec![true; masses.len()];
        self.held.iter().for_each(|(v, _)| free[*v as usize] = false);
        let (mut left, mut weight, mut mass) = (0.0, 0.0, 0.0);
        for i in (0..masses.len()).filter(|i| free[*i]) {
            left += masses[i] * of(i).length_squared();
            weight += masses[i] * self.outer.of(i).length_squared();
            mass += masses[i];
        }
        let weight = if weight > 0.0 { weight } else { mass * WEIGHT * WEIGHT };
        if weight > 0.0 { (left / weight).sqrt() } else { 0.0 }
    }
}
