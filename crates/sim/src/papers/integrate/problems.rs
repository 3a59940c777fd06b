//! Test problems with known solutions, and stability regions in closed form (N11).
//!
//! All four problems of the tutorial are m y'' = −k y − d y' + c for one mass:
//!
//! | problem | m | k | d | c | y(0) | y'(0) | until |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | y' = λ y, λ = 2 or −15, for the velocity | 1 | 0 | −λ | 0 | 0 | 1 | 1 |
//! | overdamped, y'' = λ/2 y + λ y', λ = −5 | 1 | 5/2 | 5 | 0 | 0 | 1 | 10 |
//! | damped spring under gravity, rest at −1 | 0.1 | 100 | 1 | −101 | −1 | −5 | 2 |
//! | undamped, y'' = −5 y | 1 | 5 | 0 | 0 | 1 | 0 | 10 |
//!
//! Erratum: the tutorial prints λ = 5 for the second; only λ = −5 has the solution it gives.

use super::Dynamics;
use super::implicit::System;
use crate::barrier::bdf2_weights;
use crate::linear::{BlockCsr, Pattern};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// m y'' = −k y − d y' + c, along the first axis.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What it is.
    pub name: &'static str,
    mass: [f64; 1],
    /// Stiffness k [N/m].
    pub stiffness: f64,
    /// Damping d [N·s/m]; negative drives.
    pub damping: f64,
    /// Constant force c [N].
    pub load: f64,
    /// y(0) [m].
    pub y: f64,
    /// y'(0) [m/s].
    pub velocity: f64,
    /// End of the interval [s].
    pub end: f64,
    pattern: Arc<Pattern>,
}

impl Problem {
    /// Any problem of this kind.
    pub fn new(
        name: &'static str,
        [mass, stiffness, damping, load]: [f64; 4],
        [y, velocity, end]: [f64; 3],
    ) -> Self {
        let pattern = Arc::new(Pattern::unconnected(1));
        Self { name, mass: [mass], stiffness, damping, load, y, velocity, end, pattern }
    }

    /// Dahlquist's equation y' = λ y, y(0) = 1, for the velocity.
    pub fn dahlquist(lambda: f64) -> Self {
        Self::new("y' = λy", [1.0, 0.0, -lambda, 0.0], [0.0, 1.0, 1.0])
    }

    /// y'' = −5/2 y − 5 y'.
    pub fn overdamped() -> Self {
        Self::new("overdamped", [1.0, 2.5, 5.0, 0.0], [0.0, 1.0, 10.0])
    }

    /// A mass of 0.1 kg on a damped spring under gravity.
    pub fn damped_spring() -> Self {
        let (m, k, rest, g) = (0.1, 100.0, -1.0, -10.0);
        Self::new("damped spring", [m, k, 1.0, k * rest + m * g], [-1.0, -5.0, 2.0])
    }

    /// y'' = −5 y from y = 1 at rest.
    pub fn undamped() -> Self {
        Self::new("undamped", [1.0, 5.0, 0.0, 0.0], [1.0, 0.0, 10.0])
    }

    /// All of them.
    pub fn all() -> [Self; 5] {
        [
            Self::dahlquist(2.0),
            Self::dahlquist(-15.0),
            Self::overdamped(),
            Self::damped_spring(),
            Self::undamped(),
        ]
    }

    /// y and y' at time t.
    pub fn exact(&self, t: f64) -> [f64; 2] {
        let m = self.mass[0];
        let (a, w2, c) = (-0.5 * self.damping / m, self.stiffness / m, self.load / m);
        // y = y∞ + e^{at} (p C(t) + q S(t)) with C, S = cos, sin or their hyperbolic kin.
        if w2 == 0.0 {
            let rate = 2.0 * a;
            // y'' = 2a y' + c, with a ≠ 0.
            let drift = -c / rate;
            let grown = libm::exp(rate * t);
            let v = drift + (self.velocity - drift) * grown;
            return [self.y + drift * t + (self.velocity - drift) * (grown - 1.0) / rate, v];
        }
        let rest = c / w2;
        let (p, disc) = (self.y - rest, w2 - a * a);
        let w = disc.abs().sqrt();
        let (cos, sin, sign) = if disc >= 0.0 {
            (libm::cos(w * t), libm::sin(w * t), -1.0)
        } else {
            (libm::cosh(w * t), libm::sinh(w * t), 1.0)
        };
        // S/w → t for critical damping.
        let s = if w == 0.0 { t } else { sin / w };
        let (q, grown) = (self.velocity - a * p, libm::exp(a * t));
        let y = grown * (p * cos + q * s);
        let dy = a * y + grown * (sign * p * w * w * s + q * cos);
        [rest + y, dy]
    }

    /// Positions and velocities to begin with.
    pub fn start(&self) -> ([DVec3; 1], [DVec3; 1]) {
        ([DVec3::X * self.y], [DVec3::X * self.velocity])
    }
}

impl Dynamics for Problem {
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.force(t, x, v, a);
        a[0] /= self.mass[0];
    }
}

impl System for Problem {
    fn masses(&self) -> &[f64] {
        &self.mass
    }

    fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    fn force(&mut self, _: f64, x: &[DVec3], v: &[DVec3], f: &mut [DVec3]) {
        f[0] = DVec3::X * self.load - self.stiffness * x[0] - self.damping * v[0];
    }

    fn linearise(
        &mut self,
        _: f64,
        _: &[DVec3],
        _: &[DVec3],
        stiffness: &mut BlockCsr,
        damping: &mut BlockCsr,
    ) {
        stiffness.values_mut()[0] = DMat3::IDENTITY * self.stiffness;
        damping.values_mut()[0] = DMat3::IDENTITY * self.damping;
    }
}

/// Methods whose growth on y' = λ y is a function of z = h λ alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// Explicit Runge–Kutta methods whose order equals their stages: 1 is Euler, 2 midpoint, 4 RK4.
    Explicit(u32),
    /// The implicit blend: 1 is Euler, ½ midpoint.
    Theta(f64),
    /// BDF2 with constant steps.
    Bdf2,
}

impl Scheme {
    /// |R(z)| for z = re + i im; for BDF2 the larger root of its characteristic equation.
    pub fn amplification(self, re: f64, im: f64) -> f64 {
        let z = Complex(re, im);
        match self {
            // 1 + z + z²/2 + …
            Self::Explicit(order) => {
                let (mut sum, mut term) = (Complex(1.0, 0.0), Complex(1.0, 0.0));
                for k in 1..=order {
                    term = term.times(z).scaled(1.0 / f64::from(k));
                    sum = sum.plus(term);
                }
                sum.abs()
            }
            // (1 + (1 − θ) z) / (1 − θ z)
            Self::Theta(theta) => {
                let one = Complex(1.0, 0.0);
                one.plus(z.scaled(1.0 - theta)).abs() / one.plus(z.scaled(-theta)).abs()
            }
            // (1 − c z) r² − a r + b = 0
            Self::Bdf2 => {
                let [a, b, c] = bdf2_weights(1.0);
                let lead = Complex(1.0, 0.0).plus(z.scaled(-c));
                let root = Complex(a * a, 0.0).plus(lead.scaled(-4.0 * b)).sqrt();
                let largest = |s: f64| Complex(a, 0.0).plus(root.scaled(s)).abs();
                largest(1.0).max(largest(-1.0)) / (2.0 * lead.abs())
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Complex(pub(super) f64, pub(super) f64);

impl Complex {
    pub(super) fn plus(self, o: Self) -> Self {
        Self(self.0 + o.0, self.1 + o.1)
    }

    pub(super) fn times(self, o: Self) -> Self {
        Self(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }

    #[cfg(test)]
    pub(super) fn over(self, o: Self) -> Self {
        let size = o.0 * o.0 + o.1 * o.1;
        self.times(Self(o.0 / size, -o.1 / size))
    }

    pub(super) fn scaled(self, s: f64) -> Self {
        Self(self.0 * s, self.1 * s)
    }

    pub(super) fn abs(self) -> f64 {
        libm::hypot(self.0, self.1)
    }

    pub(super) fn sqrt(self) -> Self {
        let r = self.abs();
        let (re, im) = ((0.5 * (r + self.0)).max(0.0).sqrt(), (0.5 * (r - self.0)).max(0.0).sqrt());
        Self(re, if self.1 < 0.0 { -im } else { im })
    }
}
