//! Small deflections, vibrations, critical loads and hanging chains.

use super::{bisect, integrate};
use std::f64::consts::{FRAC_PI_2, PI};

/// Middle of a clamped square plate under a load of one: q a⁴/D times this. There is no closed form;
/// finite differences, extrapolated, agree with the printed table [timoshenko1959].
pub(in crate::laboratory) const CLAMPED_SQUARE: f64 = 0.001_265_32;

/// Middle of a clamped round plate of radius one under a load of one.
pub(in crate::laboratory) const CLAMPED_DISK: f64 = 1.0 / 64.0;

/// Middle of a simply supported square plate under a load of one, by Navier's double series.
pub(in crate::laboratory) fn supported_square() -> f64 {
    let mut sum = 0.0;
    for m in (1..200).step_by(2) {
        for n in (1..200).step_by(2) {
            let sign = if (m + n) / 2 % 2 == 1 { 1.0 } else { -1.0 };
            let (m, n) = (f64::from(m), f64::from(n));
            let square = m * m + n * n;
            sum += sign / (m * n * square * square);
        }
    }
    16.0 / libm::pow(PI, 6.0) * sum
}

/// First k with tan k = k; the load of Euler's clamped and pinned strip is its square.
pub(in crate::laboratory) fn clamped_pinned_root() -> f64 {
    bisect(PI, 1.5 * PI, |k| libm::sin(k) - k * libm::cos(k))
}

/// q L³/√(EI GJ) at which a narrow strip on edge falls sideways under its own weight [michell1899].
///
/// With s from the free end, the twist obeys β″ = −¼ λ² s⁴ β, β′(0) = 0, β(1) = 0.
pub(in crate::laboratory) fn lateral_buckling() -> f64 {
    let end = |load: f64| {
        let slope = |s: f64, y: &[f64; 2]| [y[1], -0.25 * load * load * s * s * s * s * y[0]];
        integrate([1.0, 0.0], 2000, slope, |_, _| {})[0]
    };
    bisect(5.0, 20.0, end)
}

/// β of the n-th vibration of a cantilever, n = 1, 2, …: cos β cosh β = −1; ω = β².
pub(in crate::laboratory) fn cantilever_root(n: usize) -> f64 {
    let near = (n as f64 - 0.5) * PI;
    bisect(near - 0.5, near + 0.5, |b| libm::cos(b) + 1.0 / libm::cosh(b))
}

/// ω of the n-th vibration of a hanging chain of length 1 under gravity 1: half the n-th zero of J₀.
pub(in crate::laboratory) fn hanging_chain(n: usize) -> f64 {
    let near = (n as f64 - 0.25) * PI;
    0.5 * bisect(near - 0.5, near + 0.5, libm::j0)
}

/// Sag of a chain of length 1 between two points of equal height.
pub(in crate::laboratory) fn catenary_sag(span: f64) -> f64 {
    // sinh(a)/a = 1/span; a chain that hangs straight down has no a.
    let a = bisect(1e-9, 50.0, |a| span * libm::sinh(a) - a);
    0.5 * (libm::cosh(a) - 1.0) / libm::sinh(a)
}

/// Half the angle of an arc of length 1 over a chord.
pub(in crate::laboratory) fn arc_angle(chord: f64) -> f64 {
    bisect(1e-6, 2.0 * FRAC_PI_2, |a| chord * a - libm::sin(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plates_roots_and_chains_are_those_of_the_textbooks() {
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 3e-6, "{a} {b}");
        close(supported_square(), 0.00406235);
        close(clamped_pinned_root() * clamped_pinned_root(), 20.1907);
        close(lateral_buckling(), 12.85376);
        for (n, beta) in [(1, 1.875104), (2, 4.694091), (3, 7.854757)] {
            close(cantilever_root(n), beta);
        }
        for (n, omega) in [(1, 1.20241), (2, 2.76004), (3, 4.32686)] {
            close(hanging_chain(n), omega);
        }
        for (span, sag) in [(0.5, 0.398194), (0.8, 0.265438), (0.9, 0.190709), (0.99, 0.061145)] {
            assert!((catenary_sag(span) - sag).abs() < 6e-7, "{span} {}", catenary_sag(span));
        }
        let a = arc_angle(0.8);
        close(libm::sin(a) / a, 0.8);
    }
}
