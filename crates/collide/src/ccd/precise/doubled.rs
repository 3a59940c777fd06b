//! Numbers of twice the digits: an unevaluated sum of two [dekker1971], [shewchuk1997].
//!
//! A sum, difference or product is off by less than [`EPSILON`] of the sum of the operands' magnitudes (of the
//! product), barring underflow. There is no fused operation, so that every machine gives the same bits.

use glam::DVec3;
use std::ops::{Add, Mul, Sub};

/// Bound on the relative error of one operation; 2⁻¹⁰⁰, where 2⁻¹⁰³ is proved [joldes2017].
pub(super) const EPSILON: f64 = f64::EPSILON * f64::EPSILON * 16.0;

/// A number `hi + lo`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Doubled {
    pub(super) hi: f64,
    pub(super) lo: f64,
}

impl Doubled {
    /// a − b, exactly.
    #[inline]
    pub(super) fn difference(a: f64, b: f64) -> Self {
        two_sum(a, -b)
    }
}

impl From<f64> for Doubled {
    #[inline]
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Add for Doubled {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        let (s, t) = (two_sum(self.hi, o.hi), two_sum(self.lo, o.lo));
        let v = quick_two_sum(s.hi, s.lo + t.hi);
        quick_two_sum(v.hi, t.lo + v.lo)
    }
}

impl Sub for Doubled {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        self + Self { hi: -o.hi, lo: -o.lo }
    }
}

impl Mul for Doubled {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        let p = two_product(self.hi, o.hi);
        quick_two_sum(p.hi, p.lo + (self.hi * o.lo + self.lo * o.hi))
    }
}

/// Three of them.
pub(super) type Vector = [Doubled; 3];

/// a − b, exactly.
#[inline]
pub(super) fn difference(a: DVec3, b: DVec3) -> Vector {
    std::array::from_fn(|k| Doubled::difference(a[k], b[k]))
}

#[inline]
pub(super) fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k] - b[k])
}

#[inline]
pub(super) fn dot(a: &Vector, b: &Vector) -> Doubled {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(super) fn cross(a: &Vector, b: &Vector) -> Vector {
    let part = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    [part(1, 2), part(2, 0), part(0, 1)]
}

/// The leading digits.
#[inline]
pub(super) fn rounded(a: &Vector) -> DVec3 {
    DVec3::new(a[0].hi, a[1].hi, a[2].hi)
}

/// a + t (b − a).
#[inline]
pub(super) fn mix(a: Doubled, b: Doubled, t: f64) -> Doubled {
    a + (b - a) * t.into()
}

/// The sum and its rounding error [knuth1969].
#[inline]
fn two_sum(a: f64, b: f64) -> Doubled {
    let hi = a + b;
    let part = hi - a;
    Doubled { hi, lo: (a - (hi - part)) + (b - part) }
}

/// The same if |a| ≥ |b|.
#[inline]
fn quick_two_sum(a: f64, b: f64) -> Doubled {
    let hi = a + b;
    Doubled { hi, lo: b - (hi - a) }
}

/// The product and its rounding error [dekker1971].
#[inline]
fn two_product(a: f64, b: f64) -> Doubled {
    let halves = |x: f64| {
        let c = x * 134_217_729.0;
        let high = c - (c - x);
        (high, x - high)
    };
    let hi = a * b;
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    Doubled { hi, lo: ((a1 * b1 - hi) + a1 * b0 + a0 * b1) + a0 * b0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_in_one_number_is_kept_in_two() {
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        let one_less = Doubled::from(a) * b.into() - Doubled::from(1.0);
        assert_eq!(one_less.hi, -f64::EPSILON * f64::EPSILON);
        let d = Doubled::difference(1e6, 1e-12);
        assert_eq!((d - 1e6.into()).hi, -1e-12);
        assert_eq!(mix(2.0.into(), 4.0.into(), 0.25), 2.5.into());
    }

    #[test]
    fn a_cross_product_is_normal_to_its_factors_to_thirty_digits() {
        let a = difference(DVec3::new(0.1, 0.7, -0.3), DVec3::new(0.3, 1e-9, 12.0));
        let b = difference(DVec3::new(-3.1, 0.2, 0.9), DVec3::new(1e3, 0.1, 0.5));
        let n = cross(&a, &b);
        let size = rounded(&n).length() * rounded(&a).length();
        assert!(dot(&n, &a).hi.abs() < 8.0 * EPSILON * size, "{:?}", dot(&n, &a));
    }
}
