//! Strips that bend far: Euler's elastica.

use super::{bisect, clamped_pinned_root, integrate};
use std::f64::consts::FRAC_PI_2;

/// Steps of an integration; fourth order makes the error about 1e-11.
const STEPS: usize = 2000;

/// A strip that is clamped level and hangs under its own weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::laboratory) struct Cantilever {
    /// How deep its end hangs.
    pub(in crate::laboratory) drop: f64,
    /// How far out it is.
    pub(in crate::laboratory) reach: f64,
    /// Curvature at the clamp.
    pub(in crate::laboratory) curvature: f64,
}

impl Cantilever {
    /// The strip of Γ = σ g L³/B: θ″ = −Γ (1 − s) cos θ, θ(0) = 0, θ′(1) = 0.
    ///
    /// With φ = 90° − θ and s counted from the free end, φ only grows; who began at the clamp would have
    /// to hit an exponentially small φ at the end. The unknown is the logarithm of φ there.
    pub(in crate::laboratory) fn new(gamma: f64) -> Self {
        let hang = |log: f64, highest: &mut f64| {
            let start = [libm::exp(log), 0.0, 0.0, 0.0];
            let slope = |s: f64, y: &[f64; 4]| {
                let (sin, cos) = libm::sincos(y[0]);
                [y[1], gamma * s * sin, sin, cos]
            };
            integrate(start, STEPS, slope, |_, y| *highest = highest.max(y[0]))
        };
        // Strips that begin too steep go round; the highest φ on the way tells.
        let log = bisect(-80.0, libm::log(FRAC_PI_2), |log| {
            let mut highest = 0.0;
            hang(log, &mut highest);
            highest - FRAC_PI_2
        });
        let [_, curvature, reach, drop] = hang(log, &mut 0.0);
        Self { drop, reach, curvature }
    }

    /// H/W, the ordinate of the master curve [romero2021].
    pub(in crate::laboratory) fn ratio(&self) -> f64 {
        self.drop / self.reach
    }
}

/// A strip clamped upright whose lower end is stuck to a plane, after its clamp was lowered.
///
/// θ″ = −(T cos θ + N sin θ), θ(0) = 0, θ′(1) = 0, and the end below the clamp [sano2017].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::laboratory) struct Stuck {
    /// Friction needed, T/N.
    pub(in crate::laboratory) friction: f64,
    /// By how much the clamp was lowered.
    pub(in crate::laboratory) lowered: f64,
    /// N.
    pub(in crate::laboratory) normal: f64,
    /// Curvature at the clamp.
    curvature: f64,
}

impl Stuck {
    /// Strips that need more and more friction, evenly up to `friction`, in `steps`.
    pub(in crate::laboratory) fn family(friction: f64, steps: usize) -> Vec<Self> {
        let k = clamped_pinned_root();
        let first = friction / steps as f64;
        // Small deflections: θ = (T/N) (cos ks − 1 + k sin ks).
        let (mut curvature, mut normal) = (first * k * k, k * k);
        (1..=steps)
            .map(|n| {
                let friction = first * n as f64;
                let stuck = Self::solve(friction, curvature, normal);
                curvature = stuck.curvature * (n + 1) as f64 / n as f64;
                normal = stuck.normal;
                stuck
            })
            .collect()
    }

    /// The strip that needs just this friction.
    pub(in crate::laboratory) fn at(friction: f64) -> Self {
        let last = Self::family(friction, 8).pop();
        last.unwrap_or(Self { friction, lowered: 0.0, normal: 0.0, curvature: 0.0 })
    }

    /// Newton's method for the curvature at the clamp and the normal force.
    fn solve(friction: f64, mut curvature: f64, mut normal: f64) -> Self {
        let mut end = Self::end(friction, curvature, normal);
        for _ in 0..30 {
            let step = [1e-6 * curvature, 1e-6 * normal];
            let a = Self::end(friction, curvature + step[0], normal);
            let b = Self::end(friction, curvature, normal + step[1]);
            // Residuals: no moment at the end, which lies below the clamp.
            let by = |k: usize| [(a[k] - end[k]) / step[0], (b[k] - end[k]) / step[1]];
            let (m, x) = (by(1), by(2));
            let det = m[0] * x[1] - m[1] * x[0];
            let change =
                [(end[1] * x[1] - end[2] * m[1]) / det, (end[2] * m[0] - end[1] * x[0]) / det];
            curvature -= change[0];
            normal -= change[1];
            end = Self::end(friction, curvature, normal);
            if change[0].abs() < 1e-12 * curvature.abs() {
                break;
            }
        }
        Self { friction, lowered: 1.0 - end[3], normal, curvature }
    }

    /// θ, θ′, offset and depth of the end.
    fn end(friction: f64, curvature: f64, normal: f64) -> [f64; 4] {
        let slope = |_: f64, y: &[f64; 4]| {
            let (sin, cos) = libm::sincos(y[0]);
            [y[1], -normal * (friction * cos + sin), sin, cos]
        };
        integrate([0.0, curvature, 0.0, 0.0], STEPS, slope, |_, _| {})
    }
}

/// The shape of a stuck strip while it is still nearly straight: offset and depth over s, `n` + 1 points.
pub(in crate::laboratory) fn nearly_stuck(lowered: f64, n: usize) -> Vec<[f64; 2]> {
    let k = clamped_pinned_root();
    let theta = |s: f64| libm::cos(k * s) - 1.0 + k * libm::sin(k * s);
    // ε = ½ ∫ θ² sets the amplitude.
    let square = integrate([0.0], n, |s, _| [0.5 * theta(s) * theta(s)], |_, _| {})[0];
    let size = (lowered / square).sqrt();
    let mut points = Vec::with_capacity(n + 1);
    let slope = |s: f64, _: &[f64; 2]| {
        let (sin, cos) = libm::sincos(size * theta(s));
        [sin, cos]
    };
    integrate([0.0, 0.0], n, slope, |_, y| points.push(*y));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cantilever_is_that_of_the_table() {
        // Γ, H/L, W/L, H/W, κ(0) L.
        let table = [
            [0.1, 0.012498, 0.999911, 0.012500, 0.05000],
            [1.0, 0.123471, 0.991246, 0.124562, 0.49693],
            [10.0, 0.700200, 0.656354, 1.066802, 3.74219],
            [100.0, 0.937524, 0.159223, 5.888105, 13.69324],
            [1000.0, 0.981141, 0.045986, 21.33544, 44.29766],
        ];
        for [gamma, drop, reach, ratio, curvature] in table {
            let c = Cantilever::new(gamma);
            assert!((c.drop - drop).abs() < 1e-6, "{gamma} {c:?}");
            assert!((c.reach - reach).abs() < 1e-6, "{gamma} {c:?}");
            assert!((c.ratio() - ratio).abs() < 1e-6 * ratio.max(1.0), "{gamma} {c:?}");
            assert!((c.curvature - curvature).abs() < 1e-5, "{gamma} {c:?}");
        }
    }

    #[test]
    fn a_stuck_strip_is_that_of_the_table() {
        // Friction needed, ε, N.
        let table = [
            [0.06393, 0.02, 20.3431],
            [0.10354, 0.05, 20.5731],
            [0.15279, 0.10, 20.9586],
            [0.19592, 0.15, 21.3433],
        ];
        for [friction, lowered, normal] in table {
            let s = Stuck::at(friction);
            assert!((s.lowered / lowered - 1.0).abs() < 2e-4, "{s:?}");
            assert!((s.normal / normal - 1.0).abs() < 2e-5, "{s:?}");
        }
    }

    #[test]
    fn the_shape_to_begin_with_ends_below_the_clamp() {
        let points = nearly_stuck(0.01, 100);
        let end = points[100];
        assert!(end[0].abs() < 2e-3 && (end[1] - 0.99).abs() < 1e-3, "{end:?}");
    }
}
