//! Exact answers, from ordinary differential equations, series and roots.
//!
//! Everything is dimensionless: length 1, bending rigidity 1.

mod beam;
mod elastica;

pub(super) use beam::*;
pub(super) use elastica::*;

/// A root of a continuous function that changes sign between `lo` and `hi`, to the last bit.
pub(super) fn bisect(mut lo: f64, mut hi: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rising = f(hi) > 0.0;
    // Some hundred halvings exhaust the numbers between any two doubles of one sign.
    for _ in 0..200 {
        let middle = 0.5 * (lo + hi);
        if middle == lo || middle == hi {
            break;
        }
        if (f(middle) > 0.0) == rising {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    0.5 * (lo + hi)
}

/// Runge and Kutta's method from 0 to 1, in `steps`: each state on the way is shown to `see`.
pub(super) fn integrate<const N: usize>(
    mut y: [f64; N],
    steps: usize,
    slope: impl Fn(f64, &[f64; N]) -> [f64; N],
    mut see: impl FnMut(f64, &[f64; N]),
) -> [f64; N] {
    let h = 1.0 / steps as f64;
    let add = |y: &[f64; N], s: f64, k: &[f64; N]| std::array::from_fn(|i| y[i] + s * k[i]);
    for n in 0..steps {
        let t = n as f64 * h;
        see(t, &y);
        let a = slope(t, &y);
        let b = slope(t + 0.5 * h, &add(&y, 0.5 * h, &a));
        let c = slope(t + 0.5 * h, &add(&y, 0.5 * h, &b));
        let d = slope(t + h, &add(&y, h, &c));
        for i in 0..N {
            y[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
        }
    }
    see(1.0, &y);
    y
}
