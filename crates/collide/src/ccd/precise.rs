//! A second look, with twice the digits, at pairs that seem to touch.
//!
//! [`super::separating`] reports what comes as near as its rounding, or as a small part of the first distance. Where
//! no gap is to be kept, most of that is either a clear contact or a near miss of things that were made to fit:
//! faces that slide on each other, edges side by side. Here the same two certificates are tried again from the time at
//! which the pair would be reported, with numbers of 32 digits ([`doubled`]).
//!
//! **No miss.** A time interval [t, u] is dismissed only if for some vector n all `n·(a_i − b_j)`, linear in time,
//! are positive at t and at u; or if the four control values over [t, u] of the cubic that vanishes when the vertices are
//! coplanar have one sign. Both by more than their error: differences of the input are exact in 32 digits, so a dot product
//! of n, whatever it is, has at most eight operations, and a control value at most sixty, each off by
//! at most [`doubled::EPSILON`] of a sum of magnitudes. [`PLANE_ERROR`] and [`CUBIC_ERROR`] are more than
//! that; [`MIN_POSITIVE`] is more than underflow can take away. The next interval begins exactly where the last one ended.
//! What cannot be dismissed is reported.

mod doubled;

use doubled::{Doubled, EPSILON, Vector, cross, difference, dot, minus, mix, rounded};
use glam::DVec3;

/// Error of a dot product, relative to the sum of the magnitudes of its terms.
const PLANE_ERROR: f64 = 64.0 * EPSILON;

/// Error of a control value, relative to the product of the largest components.
const CUBIC_ERROR: f64 = 4096.0 * EPSILON;

/// Least value that counts as positive.
const MIN_POSITIVE: f64 = 1e-280;

/// Largest coordinate for which nothing overflows.
const MAX_COORDINATE: f64 = 1e40;

/// Time intervals tried before the pair is reported.
const MAX_INTERVALS: usize = 12;

/// Half the width of the stretch around an extremum of the cubic, relative to the step: what is nearly a double root
/// needs a short one.
const EXTREMUM_HALF_WIDTHS: [f64; 3] = [1e-6, 1e-8, 1e-10];

/// Two features, by the exact differences of their vertices.
pub(super) struct Precise<const A: usize, const B: usize> {
    /// a_i − b_j at both ends of the step.
    between: [[[Vector; 2]; B]; A],
    /// The three differences that span the pair: one between the features, two along them.
    span: [[Vector; 2]; 3],
}

impl Precise<1, 3> {
    pub(super) fn vertex_face([p]: &[[DVec3; 2]; 1], face: &[[DVec3; 2]; 3]) -> Self {
        let between = [face.each_ref().map(|x| moving(p, x))];
        let span = [between[0][0], moving(&face[1], &face[0]), moving(&face[2], &face[0])];
        Self { between, span }
    }
}

impl Precise<2, 2> {
    pub(super) fn edge_edge(a: &[[DVec3; 2]; 2], b: &[[DVec3; 2]; 2]) -> Self {
        let between = a.each_ref().map(|x| b.each_ref().map(|y| moving(x, y)));
        let span = [between[0][0], moving(&a[1], &a[0]), moving(&b[1], &b[0])];
        Self { between, span }
    }
}

/// Difference of two moving points at both ends of the step, exactly.
fn moving(a: &[DVec3; 2], b: &[DVec3; 2]) -> [Vector; 2] {
    [difference(a[0], b[0]), difference(a[1], b[1])]
}

fn at(x: &[Vector; 2], t: f64) -> Vector {
    std::array::from_fn(|k| mix(x[0][k], x[1][k], t))
}

impl<const A: usize, const B: usize> Precise<A, B> {
    /// Whether the features surely have no common point from `from` on.
    pub(super) fn is_apart_from(&self, from: f64) -> bool {
        let m = self.between.iter().flatten().flatten().map(|d| rounded(d).abs().max_element());
        // Also for NaN.
        if !m
            .fold(0.0, |m: f64, x| if x <= MAX_COORDINATE { m.max(x) } else { f64::INFINITY })
            .is_finite()
        {
            return false;
        }
        let cubic = Cubic::new(&self.span);
        let mut t = from;
        for _ in 0..MAX_INTERVALS {
            let mut until = cubic.keeps_its_sign_until(t);
            if until < 1.0 {
                until = until.max(self.separated_until(t));
            }
            if until >= 1.0 {
                return true;
            }
            if until <= t {
                return false;
            }
            t = until;
        }
        false
    }

    /// The largest time found up to which a plane separates the features from `t` on; `t` if none does.
    fn separated_until(&self, t: f64) -> f64 {
        let now = self.between.each_ref().map(|row| row.each_ref().map(|x| at(x, t)));
        let span = self.span.each_ref().map(|x| at(x, t));
        let mut until = t;
        let mut attempt = |n: &Vector| {
            if until < 1.0 && may_separate(n, &now) {
                until = until.max(self.plane_until(n, t));
            }
        };
        // The plane across both, either way round.
        let across = cross(&span[1], &span[2]);
        attempt(&across);
        attempt(&across.map(|x| Doubled::from(0.0) - x));
        // From a vertex of one to a side of the other.
        for i in 0..A {
            for j in 0..B {
                let (k, l) = ((j + 1) % B, (i + 1) % A);
                if B > 1 {
                    let side = minus(&now[i][j], &now[i][k]);
                    attempt(&beside(&now[i][j], &side));
                }
                if A > 1 {
                    let side = minus(&now[i][j], &now[l][j]);
                    attempt(&beside(&now[i][j], &side));
                }
                attempt(&now[i][j]);
            }
        }
        until
    }

    /// How long all `n·(a_i − b_j)` are surely positive from `t` on; `t` if they are not.
    fn plane_until(&self, n: &Vector, t: f64) -> f64 {
        let mut lines = [[[Doubled::default(); 2]; B]; A];
        let mut error = MIN_POSITIVE;
        for (row, values) in self.between.iter().zip(&mut lines) {
            for (x, value) in row.iter().zip(values) {
                *value = [dot(n, &x[0]), dot(n, &x[1])];
                for x in x {
                    error = f64::max(error, PLANE_ERROR * rounded(n).abs().dot(rounded(x).abs()));
                }
            }
        }
        let lines = || lines.iter().flatten();
        let positive_at = |t: f64| lines().all(|[s0, s1]| mix(*s0, *s1, t).hi > error);
        if !positive_at(t) {
            return t;
        }
        if positive_at(1.0) {
            return 1.0;
        }
        let ends = lines().filter(|[_, s1]| s1.hi <= error).map(|[s0, s1]| s0.hi / (s0.hi - s1.hi));
        let guess = ends.fold(1.0, f64::min);
        let shy = [guess, guess * (1.0 - f64::EPSILON), guess * (1.0 - 1e-12)];
        // Never 1 itself, which would say that nothing follows.
        shy.into_iter().find(|u| *u > t && *u < 1.0 && positive_at(*u)).unwrap_or(t)
    }
}

/// The part of `r` across `side`, times its square.
fn beside(r: &Vector, side: &Vector) -> Vector {
    cross(side, &cross(r, side))
}

/// Whether `n` is worth the precise question: rounded numbers do not say otherwise.
fn may_separate<const A: usize, const B: usize>(n: &Vector, now: &[[Vector; B]; A]) -> bool {
    let n = rounded(n);
    n != DVec3::ZERO
        && now.iter().flatten().all(|d| {
            let d = rounded(d);
            n.dot(d) > -1e-14 * n.abs().dot(d.abs())
        })
}

/// The cubic that vanishes when the vertices are coplanar.
struct Cubic {
    /// Three times its control values over the step.
    control: [Doubled; 4],
    error: f64,
}

impl Cubic {
    fn new([p, q, r]: &[[Vector; 2]; 3]) -> Self {
        let three = Doubled::from(3.0);
        let (n0, n2) = (cross(&q[0], &r[0]), cross(&q[1], &r[1]));
        let (m, n) = (cross(&q[0], &r[1]), cross(&q[1], &r[0]));
        let n1 = std::array::from_fn(|k| m[k] + n[k]);
        let control = [
            three * dot(&p[0], &n0),
            dot(&p[1], &n0) + dot(&p[0], &n1),
            dot(&p[0], &n2) + dot(&p[1], &n1),
            three * dot(&p[1], &n2),
        ];
        let size = |x: &[Vector; 2]| rounded(&x[0]).abs().max(rounded(&x[1]).abs()).max_element();
        Self { control, error: CUBIC_ERROR * (size(p) * size(q) * size(r)) + MIN_POSITIVE }
    }

    /// The largest time found up to which it surely has one sign from `t` on; `t` if nothing can be said.
    fn keeps_its_sign_until(&self, t: f64) -> f64 {
        let rest = split(&self.control, t).1;
        let sign = if rest[0].hi < 0.0 { -1.0 } else { 1.0 };
        let rest = rest.map(|c| Doubled { hi: sign * c.hi, lo: sign * c.lo });
        if rest[0].hi.is_nan() || rest[0].hi <= self.error {
            return t;
        }
        if self.is_positive(&rest) {
            return 1.0;
        }
        let mut until = t;
        for u in cuts(rest.map(|c| c.hi)).into_iter().flatten() {
            // Three roundings, each of at most ε/2 of the time: they must not carry it beyond what is proved.
            let end = (t + (1.0 - t) * u) * (1.0 - 4.0 * f64::EPSILON);
            if u > 0.0 && u < 1.0 && end > until && self.is_positive(&split(&rest, u).0) {
                until = end;
            }
        }
        until
    }

    fn is_positive(&self, c: &[Doubled; 4]) -> bool {
        c.iter().all(|c| c.hi > self.error)
    }
}

/// Where it may help to cut a cubic with these control values over [0, 1]: just before and behind its
/// extrema, and just before its first root.
fn cuts(c: [f64; 4]) -> [Option<f64>; 14] {
    let mut found = [None; 14];
    let linear = c[1] - c[0];
    let square = c[2] - 2.0 * c[1] + c[0];
    let cube = c[3] - c[0] - 3.0 * (c[2] - c[1]);
    // Its slope is 3 (linear + 2 square t + cube t²).
    let root = (square * square - cube * linear).max(0.0).sqrt();
    let q = -(square + square.signum() * root);
    for (e, extremum) in [q / cube, linear / q].into_iter().enumerate() {
        for (k, h) in EXTREMUM_HALF_WIDTHS.into_iter().enumerate() {
            found[6 * e + 2 * k] = Some(extremum - h);
            found[6 * e + 2 * k + 1] = Some(extremum + h);
        }
    }
    if let Some(first) = super::coplanarity::positive_until(c) {
        found[12] = Some(first);
        found[13] = Some(first * (1.0 - 1e-12));
    }
    found
}

/// Control values over [0, s] and over [s, 1] (de Casteljau).
fn split(c: &[Doubled; 4], s: f64) -> ([Doubled; 4], [Doubled; 4]) {
    let (d0, d1, d2) = (mix(c[0], c[1], s), mix(c[1], c[2], s), mix(c[2], c[3], s));
    let (e0, e1) = (mix(d0, d1, s), mix(d1, d2, s));
    let middle = mix(e0, e1, s);
    ([c[0], d0, e0, middle], [middle, e1, d2, c[3]])
}
