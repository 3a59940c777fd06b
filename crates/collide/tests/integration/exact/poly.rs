//! Polynomials with integer coefficients, and signs of them at algebraic times.
//!
//! Roots in (0, 1) are isolated by bisection with Descartes' rule of signs [collins1976]: the
//! number of sign changes after mapping an interval to (0, ∞) bounds the number of roots inside and
//! has the same parity; 0 and 1 are exact. A sign at a root is zero if and only if the greatest
//! common divisor has that root; otherwise the interval is halved until the sign is certain.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Zero};
use std::ops::{Add, Mul, Sub};

/// A polynomial; coefficient k belongs to tᵏ, the last one is not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Poly(Vec<BigInt>);

impl Poly {
    pub(crate) fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it has no root because it is a constant.
    fn is_constant(&self) -> bool {
        self.0.len() <= 1
    }

    pub(crate) fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(k, c)| c * k).collect())
    }

    /// A multiple of `self` modulo `by`, and the matching quotient.
    fn divide(&self, by: &Self) -> (Self, Self) {
        let lead = by.0.last().expect("division by the zero polynomial");
        let mut rest = self.0.clone();
        let mut quotient = vec![BigInt::zero(); (rest.len() + 1).saturating_sub(by.0.len())];
        for place in (0..quotient.len()).rev() {
            let factor = rest.pop().expect("one coefficient per place");
            for c in rest.iter_mut().chain(&mut quotient) {
                *c *= lead;
            }
            for (k, c) in by.0[..by.0.len() - 1].iter().enumerate() {
                rest[place + k] -= &factor * c;
            }
            quotient[place] = factor;
        }
        (Self::new(quotient), Self::new(rest))
    }

    /// Greatest common divisor, up to a constant factor.
    fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.divide(&b).1);
        }
        a
    }

    /// The same roots, each once.
    fn square_free(&self) -> Self {
        let common = self.gcd(&self.derivative());
        if common.is_constant() { self.clone() } else { self.divide(&common).0 }
    }

    /// A positive multiple of p((k + x) / 2ᵐ) as a polynomial in x.
    fn on(&self, place: &Dyadic) -> Self {
        let n = self.0.len();
        let scaled = self.0.iter().enumerate().map(|(i, c)| c << (place.m as usize * (n - 1 - i)));
        Self(shift(scaled.collect(), &place.k))
    }

    /// Sign at a dyadic number.
    fn sign_at(&self, place: &Dyadic) -> i8 {
        let (mut value, mut power) = (BigInt::zero(), 0);
        for c in self.0.iter().rev() {
            value = value * &place.k + (c << power);
            power += place.m as usize;
        }
        sign(&value)
    }

    /// Sign changes for the open interval (k, k + 1) / 2ᵐ.
    fn variations(&self, place: &Dyadic) -> usize {
        let mut c = self.on(place).0;
        c.reverse();
        let signs: Vec<i8> =
            shift(c, &BigInt::one()).iter().map(sign).filter(|s| *s != 0).collect();
        signs.windows(2).filter(|w| w[0] != w[1]).count()
    }

    /// All roots in [0, 1]; none for the zero polynomial.
    pub(crate) fn roots(&self) -> Vec<Time> {
        if self.is_constant() {
            return Vec::new();
        }
        let f = self.square_free();
        let mut roots: Vec<Time> = [Dyadic::new(0, 0), Dyadic::new(1, 0)]
            .into_iter()
            .filter(|e| f.sign_at(e) == 0)
            .map(Time::Exact)
            .collect();
        let mut pending = vec![Dyadic::new(0, 0)];
        while let Some(place) = pending.pop() {
            match f.variations(&place) {
                0 => {}
                1 => roots.push(Time::Root(f.clone(), place)),
                _ => {
                    let [left, right] = place.halves();
                    if f.sign_at(&right) == 0 {
                        roots.push(Time::Exact(right.clone()));
                    }
                    pending.extend([left, right]);
                }
            }
        }
        roots
    }
}

/// p(x + k), by repeated synthetic division.
fn shift(mut c: Vec<BigInt>, k: &BigInt) -> Vec<BigInt> {
    for low in 0..c.len().saturating_sub(1) {
        for i in (low..c.len() - 1).rev() {
            let carried = &c[i + 1] * k;
            c[i] += carried;
        }
    }
    c
}

fn sign(x: &BigInt) -> i8 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// The number k / 2ᵐ, or the interval from there to (k + 1) / 2ᵐ.
#[derive(Clone, Debug)]
pub(crate) struct Dyadic {
    k: BigInt,
    m: u32,
}

impl Dyadic {
    fn new(k: i32, m: u32) -> Self {
        Self { k: k.into(), m }
    }

    /// The two halves of the interval; the second begins at the midpoint.
    fn halves(&self) -> [Self; 2] {
        let k: BigInt = &self.k << 1;
        [Self { k: k.clone(), m: self.m + 1 }, Self { k: k + 1, m: self.m + 1 }]
    }
}

/// A real algebraic number in [0, 1].
#[derive(Clone, Debug)]
pub(crate) enum Time {
    /// A dyadic number.
    Exact(Dyadic),
    /// The only root of a square-free polynomial in an open interval.
    Root(Poly, Dyadic),
}

impl Time {
    /// The time 0.
    pub(crate) fn start() -> Self {
        Self::Exact(Dyadic::new(0, 0))
    }

    /// Whether it is neither 0 nor 1.
    pub(crate) fn is_inner(&self) -> bool {
        match self {
            Self::Exact(d) => !d.k.is_zero() && d.k != BigInt::one() << d.m,
            Self::Root(..) => true,
        }
    }

    /// Sign of a polynomial at this time. Narrows the interval as far as that takes.
    pub(crate) fn sign(&mut self, g: &Poly) -> i8 {
        /// Halvings tried before the costlier question whether the sign is zero.
        const CHEAP: usize = 6;
        if g.is_constant() {
            return g.0.first().map_or(0, sign);
        }
        for round in 0.. {
            match self {
                Self::Exact(d) => return g.sign_at(d),
                Self::Root(f, place) => {
                    if g.variations(place) == 0 {
                        return g.sign_at(&place.halves()[1]);
                    }
                    if round == CHEAP {
                        let common = f.gcd(g);
                        if !common.is_constant() && common.variations(place) % 2 == 1 {
                            return 0;
                        }
                    }
                }
            }
            self.narrow();
        }
        unreachable!("the sign is not zero, so it is certain on a short interval")
    }

    fn narrow(&mut self) {
        let Self::Root(f, place) = self else { return };
        let [left, right] = place.halves();
        if f.sign_at(&right) == 0 {
            *self = Self::Exact(right);
        } else {
            *place = if f.variations(&left) % 2 == 1 { left } else { right };
        }
    }
}

impl Add for &Poly {
    type Output = Poly;
    fn add(self, other: &Poly) -> Poly {
        let n = self.0.len().max(other.0.len());
        let at = |p: &Poly, k: usize| p.0.get(k).cloned().unwrap_or_default();
        Poly::new((0..n).map(|k| at(self, k) + at(other, k)).collect())
    }
}

impl Sub for &Poly {
    type Output = Poly;
    fn sub(self, other: &Poly) -> Poly {
        let n = self.0.len().max(other.0.len());
        let at = |p: &Poly, k: usize| p.0.get(k).cloned().unwrap_or_default();
        Poly::new((0..n).map(|k| at(self, k) - at(other, k)).collect())
    }
}

impl Mul for &Poly {
    type Output = Poly;
    fn mul(self, other: &Poly) -> Poly {
        let mut c = vec![BigInt::zero(); (self.0.len() + other.0.len()).saturating_sub(1)];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                c[i + j] += a * b;
            }
        }
        Poly::new(c)
    }
}
