//! The referee of continuous collision detection: exact answers, whatever they cost.
//!
//! Every vertex moves linearly from its position at t = 0 to that at t = 1. The f64 coordinates are
//! taken as the integers they are after a common power of two, so that every condition is the sign
//! of a polynomial in t with integer coefficients.
//!
//! The four vertices are coplanar at the roots of a cubic. If the cubic does not vanish, contact is
//! possible at its roots only. If it vanishes for all t, the motion is coplanar throughout; contact
//! is then a closed set of times bounded by roots of the other polynomials that decide it, so that
//! it contains 0 or one of those roots if it is not empty. Either way finitely many algebraic
//! times are tested, each exactly.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod cases;
mod poly;

use glam::DVec3;
use num_bigint::BigInt;
use poly::{Poly, Time};

/// The exact answer to a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// They pass through each other: the cubic changes sign at a time inside (0, 1) at which the
    /// common point is inside both. The answer stays the same under any small enough change.
    Hit,
    /// They never have a common point.
    Miss,
    /// They have a common point, but only at a boundary: of time, of a triangle or of an edge, or
    /// without passing through, or in coplanar motion.
    Touching,
}

/// Does the moving point touch the moving closed triangle?
pub(crate) fn vertex_face(p: [DVec3; 2], tri: [[DVec3; 2]; 3]) -> Truth {
    let [p, a, b, c] = paths([p, tri[0], tri[1], tri[2]]);
    let normal = cross(&sub(&b, &a), &sub(&c, &a));
    let cubic = dot(&sub(&p, &a), &normal);
    let sides = [(&a, &b), (&b, &c), (&c, &a)].map(|(a, b)| cross(&sub(b, a), &sub(&p, a)));
    let spans = [(&a, &b), (&b, &c), (&c, &a)].map(|(a, b)| dot(&sub(&p, a), &sub(&p, b)));

    let others = normal.iter().chain(sides.iter().flatten()).chain(&spans);
    decide(&cubic, others, |t| {
        let Some(k) = (0..3).find(|k| t.sign(&normal[*k]) != 0) else {
            // A triangle of zero area is the union of its edges.
            return (0..3).any(|e| on_segment(t, &sides[e], &spans[e])).then_some(false);
        };
        let signs = [0, 1, 2].map(|e| t.sign(&sides[e][k]));
        if signs.contains(&1) && signs.contains(&-1) {
            return None;
        }
        Some(!signs.contains(&0))
    })
}

/// Do the moving closed segments meet?
pub(crate) fn edge_edge(a: [[DVec3; 2]; 2], b: [[DVec3; 2]; 2]) -> Truth {
    let [a0, a1, b0, b1] = paths([a[0], a[1], b[0], b[1]]);
    let (along_a, along_b) = (sub(&a1, &a0), sub(&b1, &b0));
    let normal = cross(&along_a, &along_b);
    let cubic = dot(&sub(&b0, &a0), &normal);
    // Where the ends of b lie beside a, then those of a beside b.
    let sides = [
        cross(&along_a, &sub(&b0, &a0)),
        cross(&along_a, &sub(&b1, &a0)),
        cross(&along_b, &sub(&a0, &b0)),
        cross(&along_b, &sub(&a1, &b0)),
    ];
    let spans = [
        dot(&sub(&b0, &a0), &sub(&b0, &a1)),
        dot(&sub(&b1, &a0), &sub(&b1, &a1)),
        dot(&sub(&a0, &b0), &sub(&a0, &b1)),
        dot(&sub(&a1, &b0), &sub(&a1, &b1)),
    ];

    let others = normal.iter().chain(sides.iter().flatten()).chain(&spans);
    decide(&cubic, others, |t| {
        let Some(k) = (0..3).find(|k| t.sign(&normal[*k]) != 0) else {
            // Parallel, or one of them a point: an end of one is on the other.
            return (0..4).any(|e| on_segment(t, &sides[e], &spans[e])).then_some(false);
        };
        let [b0, b1, a0, a1] = [0, 1, 2, 3].map(|e| t.sign(&sides[e][k]));
        (b0 * b1 <= 0 && a0 * a1 <= 0).then_some(b0 * b1 < 0 && a0 * a1 < 0)
    })
}

/// Whether a point is on a segment, given (b − a) × (p − a) and (p − a) · (p − b).
fn on_segment(t: &mut Time, side: &Path, span: &Poly) -> bool {
    side.iter().all(|c| t.sign(c) == 0) && t.sign(span) <= 0
}

/// Tries all times that matter. `contact` says at a time of coplanarity whether there is contact,
/// and whether it is strictly inside.
fn decide<'a>(
    cubic: &Poly,
    others: impl Iterator<Item = &'a Poly>,
    mut contact: impl FnMut(&mut Time) -> Option<bool>,
) -> Truth {
    let mut truth = Truth::Miss;
    if cubic.is_zero() {
        let times = [Time::start()].into_iter().chain(others.flat_map(Poly::roots));
        if times.into_iter().any(|mut t| contact(&mut t).is_some()) {
            truth = Truth::Touching;
        }
        return truth;
    }
    let slope = cubic.derivative();
    for mut t in cubic.roots() {
        match contact(&mut t) {
            None => {}
            Some(strict) => {
                // The sign changes at roots of multiplicity one and three.
                if strict
                    && t.is_inner()
                    && (t.sign(&slope) != 0 || t.sign(&slope.derivative()) == 0)
                {
                    return Truth::Hit;
                }
                truth = Truth::Touching;
            }
        }
    }
    truth
}

/// A vector of polynomials in time.
type Path = [Poly; 3];

/// Linear motions as integer polynomials, all scaled by the same power of two.
fn paths(ends: [[DVec3; 2]; 4]) -> [Path; 4] {
    let coordinates = || ends.iter().flatten().flat_map(|p| p.to_array());
    let lowest = coordinates().filter(|c| *c != 0.0).map(|c| parts(c).1).min().unwrap_or(0);
    let integer = |c: f64| {
        let (mantissa, exponent) = parts(c);
        if mantissa == 0 {
            BigInt::default()
        } else {
            BigInt::from(mantissa) << (exponent - lowest)
        }
    };
    ends.map(|[start, end]| {
        std::array::from_fn(|k| {
            let (start, end) = (integer(start[k]), integer(end[k]));
            Poly::new(vec![start.clone(), end - start])
        })
    })
}

/// Mantissa and exponent: c = mantissa · 2^exponent, with an odd mantissa unless c is zero.
fn parts(c: f64) -> (i64, i32) {
    assert!(c.is_finite(), "the referee takes finite coordinates");
    let bits = c.to_bits();
    let field = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let mantissa = if field == 0 { fraction } else { fraction | 1 << 52 };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let odd = mantissa >> zeros;
    (if c < 0.0 { -odd } else { odd }, field.max(1) - 1075 + zeros as i32)
}

fn sub(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn dot(a: &Path, b: &Path) -> Poly {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

fn cross(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        &(&a[i] * &b[j]) - &(&a[j] * &b[i])
    })
}
