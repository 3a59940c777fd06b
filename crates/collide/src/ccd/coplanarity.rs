//! How long four moving points are surely not in one plane.
//!
//! A vertex can touch a face, and an edge an edge, only while the four vertices are coplanar:
//! while `f(t) = p·(q × r) = 0`, with p, q, r the differences that span the pair. f is a cubic in t. More than
//! that: features nearer than g have `|f| ≤ g |q × r|`, the distance of a vertex from a face's
//! plane, or of two edges' lines, being `|f| / |q × r|`.
//!
//! In Bernstein form over [0, 1] the graph of f lies in the convex hull of its four control points. So
//! while the hull is above `g max |q × r|` there is nothing to fear, and where it first comes down to
//! that is a lower bound on the time of contact. The cubic is cut there, and where it
//! last does, and the same is asked of the rest (clipping [sederberg1990]), which converges quadratically to a
//! simple root; with several roots it is halved. The lower end is never beyond the first root.
//!
//! Most contacts have one simple root, and for these there is a shorter way: it is guessed by Newton's method, and the
//! cubic is cut once, just before the guess. If all control values up to there are positive, so is the cubic;
//! however the guess came about, that is the proof. If they are not, the root is found by clipping.
//!
//! **Rounding.** With D the largest component of p, q, r at both ends (each is a difference, thus rounded
//! by at most ε/2 of itself), a product p·(q × r) is off by less than 64 ε D³, and each of at most two
//! subdivisions for every one of [`MAX_CLIPS`], and the one at the start, adds less than 8 ε of the largest control
//! value, itself ≤ 6 D³: 1264 ε D³ in all. [`CONTROL_VALUE_ERROR`] covers that and the rounding of the times.

use glam::DVec3;

/// Bound on the error of a control value after all cuts, relative to D³.
const CONTROL_VALUE_ERROR: f64 = 2048.0 * f64::EPSILON;

/// How often the cubic is cut.
const MAX_CLIPS: usize = 12;

/// Steps of Newton's method; more than a simple root needs.
const NEWTON_ITERATIONS: usize = 8;

/// Below this D the square of |q × r| may lose digits by underflow while the cubic is still above its error, and then
/// the gap would be forgotten; above the inverse that square may overflow.
const MIN_COMPONENT: f64 = 1e-70;

/// The cubic of one pair, and how large it must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coplanarity {
    /// Control values over the whole step.
    control: [f64; 4],
    /// Largest |q × r| over the step.
    across: f64,
    /// Error of a control value.
    error: f64,
}

impl Coplanarity {
    /// The cubic of three moving differences.
    #[inline]
    pub(super) fn new(p: [DVec3; 2], q: [DVec3; 2], r: [DVec3; 2]) -> Self {
        let (n0, n2) = (q[0].cross(r[0]), q[1].cross(r[1]));
        let n1 = q[0].cross(r[1]) + q[1].cross(r[0]);
        let third = 1.0 / 3.0;
        let control = [
            p[0].dot(n0),
            third * (p[1].dot(n0) + p[0].dot(n1)),
            third * (p[0].dot(n2) + p[1].dot(n1)),
            p[1].dot(n2),
        ];
        // The normal is a quadratic; it lies in the hull of n0, n1/2 and n2.
        let across2 = n0.length_squared().max(0.25 * n1.length_squared()).max(n2.length_squared());
        let largest = [p, q, r].into_iter().flatten().fold(DVec3::ZERO, |m, x| m.max(x.abs()));
        let d = largest.max_element();
        let sound = d > MIN_COMPONENT && d < 1.0 / MIN_COMPONENT;
        let error = if sound { CONTROL_VALUE_ERROR * d * d * d } else { f64::INFINITY };
        Self { control, across: across2.sqrt() * (1.0 + 16.0 * f64::EPSILON), error }
    }

    /// Whether it seems to have a simple root just behind `t`, to which it goes straight.
    pub(super) fn is_crossed_at(&self, t: f64) -> bool {
        /// How near, as a part of the time that is left.
        const NEAR: f64 = 1e-5;
        let (_, [value, next, ..]) = split(self.control, t);
        let change = 3.0 * (next - value);
        let toward = value * change < 0.0 || value.abs() <= self.error;
        toward && NEAR * change.abs() > value.abs().max(self.error)
    }

    /// The largest time found up to which, from `from` on, the features are surely farther apart than
    /// `gap`: 1 if that is so to the end, `from` if nothing can be said.
    #[inline]
    pub(super) fn apart_until(&self, gap: f64, from: f64) -> f64 {
        let least = gap * self.across + self.error;
        let mut c = split(self.control, from).1;
        let sign = if c[0] < 0.0 { -1.0 } else { 1.0 };
        for value in &mut c {
            *value = sign * *value - least;
        }
        // Also for NaN.
        if c[0].is_nan() || c[0] <= 0.0 {
            return from;
        }
        match positive_until(c) {
            // A crossing near the end must not be rounded to the end: that would say there is none.
            Some(part) => (from + (1.0 - from) * part).min(1.0 - f64::EPSILON).max(from),
            None => 1.0,
        }
    }
}

/// A lower bound on the first root in [0, 1] of a cubic with these control values, the first of
/// them positive; `None` if there is none.
pub(super) fn positive_until(control: [f64; 4]) -> Option<f64> {
    if control[3] < 0.0
        && let Some(until) = positive_until_guess(control)
    {
        return Some(until);
    }
    // The piece that is looked at, and the right halves that were put off.
    let (mut lo, mut hi, mut c) = (0.0, 1.0, control);
    let mut later = [(0.0, control); MAX_CLIPS];
    let (mut waiting, mut ends_at_root) = (0, false);
    for _ in 0..MAX_CLIPS {
        if c[0].is_nan() || c[0] <= 0.0 {
            return Some(lo);
        }
        let first = first_crossing(c);
        if first >= 1.0 && ends_at_root {
            return Some(hi);
        }
        if first >= 1.0 {
            // No root here: on to the next piece.
            if waiting == 0 {
                return None;
            }
            waiting -= 1;
            (lo, (hi, c)) = (hi, later[waiting]);
            continue;
        }
        // If it ends below zero, behind the last crossing there is no first root.
        let last =
            if c[3] < 0.0 { 1.0 - first_crossing([-c[3], -c[2], -c[1], -c[0]]) } else { 1.0 };
        let (from, width) = (lo, hi - lo);
        if last - first > 0.6 {
            // Several roots, or nearly: halved.
            let (left, right) = split(c, 0.5);
            later[waiting] = (hi, right);
            waiting += 1;
            (hi, c) = (from + 0.5 * width, left);
            continue;
        }
        lo = from + first * width;
        if (last - first) * width <= 1e-14 * lo {
            return Some(lo);
        }
        let (_, right) = split(c, first);
        // What is behind the last crossing needs no second look: there is a root before it, even
        // if rounding then lifts the end of this piece above zero.
        ends_at_root |= last < 1.0;
        hi = from + last * width;
        c = if last < 1.0 {
            split(right, ((last - first) / (1.0 - first)).min(1.0)).0
        } else {
            right
        };
    }
    Some(lo)
}

/// The same if the cubic ends below zero and its first root is easily guessed; `None` says nothing.
#[inline]
fn positive_until_guess(c: [f64; 4]) -> Option<f64> {
    let linear = 3.0 * (c[1] - c[0]);
    let square = 3.0 * (c[2] - 2.0 * c[1] + c[0]);
    let cube = c[3] - c[0] - 3.0 * (c[2] - c[1]);
    // From where the chord crosses.
    let (mut t, mut near) = (c[0] / (c[0] - c[3]), false);
    for _ in 0..NEWTON_ITERATIONS {
        let value = ((cube * t + square) * t + linear) * t + c[0];
        let slope = (3.0 * cube * t + 2.0 * square) * t + linear;
        let step = value / slope;
        t -= step;
        // The error after a step is about the square of the step.
        near = step.abs() <= 1e-8;
        if near {
            break;
        }
    }
    if !near {
        // A guess that is far off may be certified, but it would be early.
        return None;
    }
    // The nearer to the guess, the more likely rounding has carried it over the root.
    for shy in [1e-14, 1e-10] {
        let until = t * (1.0 - shy);
        let ([_, a, b, end], _) = split(c, until);
        // Also for a guess that is not a number.
        if (0.0..1.0).contains(&until) && a > 0.0 && b > 0.0 && end > 0.0 {
            return Some(until);
        }
    }
    None
}

/// Where the lower side of the control polygon's hull first comes down to zero; 1 if it does not.
#[inline]
fn first_crossing(c: [f64; 4]) -> f64 {
    let (mut first, mut crosses) = (1.0_f64, false);
    for j in 1..4 {
        if c[j] > 0.0 {
            continue;
        }
        crosses = true;
        for i in 0..j {
            if c[i] > 0.0 {
                let part = (j - i) as f64 * c[i] / (c[i] - c[j]);
                first = first.min((i as f64 + part) / 3.0);
            }
        }
    }
    // Rounding of the quotient must not carry it over the crossing.
    if crosses { first * (1.0 - 8.0 * f64::EPSILON) } else { 1.0 }
}

/// Control values over [0, s] and over [s, 1] (de Casteljau).
#[inline]
fn split(c: [f64; 4], s: f64) -> ([f64; 4], [f64; 4]) {
    let mix = |a: f64, b: f64| a + s * (b - a);
    let (d0, d1, d2) = (mix(c[0], c[1]), mix(c[1], c[2]), mix(c[2], c[3]));
    let (e0, e1) = (mix(d0, d1), mix(d1, d2));
    let middle = mix(e0, e1);
    ([c[0], d0, e0, middle], [middle, e1, d2, c[3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moving() -> impl Strategy<Value = [DVec3; 2]> {
        [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0]
            .prop_map(|c| [DVec3::new(c[0], c[1], c[2]), DVec3::new(c[3], c[4], c[5])])
    }

    fn value(p: [DVec3; 2], q: [DVec3; 2], r: [DVec3; 2], t: f64) -> f64 {
        let at = |x: [DVec3; 2]| x[0].lerp(x[1], t);
        at(p).dot(at(q).cross(at(r)))
    }

    proptest! {
        #[test]
        fn the_volume_keeps_its_sign_up_to_the_time_that_is_given(
            p in moving(), q in moving(), r in moving(), from in 0.0..1.0_f64, gap in 0.0..0.1_f64,
        ) {
            let until = Coplanarity::new(p, q, r).apart_until(gap, from);
            prop_assert!((from..=1.0).contains(&until));
            let start = value(p, q, r, from);
            for k in 0..=200 {
                let t = from + (until - from) * f64::from(k) / 200.0;
                if until > from {
                    prop_assert!(value(p, q, r, t) * start.signum() >= -1e-15, "{t} of {until}");
                }
            }
        }
    }

    #[test]
    fn most_first_roots_are_found_to_the_last_digits() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
        let mut moving = || {
            let mut point = || DVec3::new(random(), random(), random());
            [point(), point()]
        };
        let (mut crossed, mut exact) = (0, 0);
        for _ in 0..2000 {
            let (p, q, r) = (moving(), moving(), moving());
            let start = value(p, q, r, 0.0);
            if start * value(p, q, r, 1.0) < 0.0 {
                let until = Coplanarity::new(p, q, r).apart_until(0.0, 0.0);
                crossed += 1;
                exact += usize::from(value(p, q, r, until).abs() < 1e-9 * start.abs());
            }
        }
        assert!(crossed > 500 && exact * 10 > crossed * 9, "{exact} of {crossed}");
    }

    #[test]
    fn a_plane_that_is_crossed_half_way_is_found_to_the_last_digits() {
        let p = [DVec3::Y, -DVec3::Y];
        let c = Coplanarity::new(p, [DVec3::Z; 2], [DVec3::X; 2]);
        let until = c.apart_until(0.0, 0.0);
        assert!(until <= 0.5 && until > 0.5 - 1e-12, "{until}");
        assert!((c.apart_until(0.5, 0.0) - 0.25).abs() < 1e-12);
        assert_eq!(c.apart_until(0.5, 0.4), 0.4);
        assert_eq!(c.apart_until(0.0, 0.75), 1.0);
    }

    #[test]
    fn nothing_is_said_of_numbers_beyond_the_limits() {
        for scale in [1e-200, 1e-85, 1e85, 1e200, f64::NAN, f64::INFINITY] {
            let p = [DVec3::Y * scale; 2];
            let c = Coplanarity::new(p, [DVec3::Z * scale; 2], [DVec3::X * scale; 2]);
            assert_eq!(c.apart_until(0.0, 0.0), 0.0);
        }
    }
}
