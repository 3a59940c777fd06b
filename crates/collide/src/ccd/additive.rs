//! Additive advancement [li2021, §4.3]: steps no longer than the distance divided by the speed.
//!
//! With the common motion taken out, no point of either feature moves faster than `l = max |u_a| + max
//! |u_b|` relative to the other, u being the displacements over the step. So while
//! the features are a distance d apart, no contact can happen within the next `d / l` of the step. Time is
//! advanced by nine tenths of that, again and again, until it exceeds the step (no impact) or a tenth of
//! the distance at the start is left (impact).
//!
//! Limits: pairs that pass by at less than a tenth of their first distance are reported too. The
//! distance comes from nearest points in floating point; where these are inaccurate (slivers, nearly
//! parallel edges) it is too large. An allowance for rounding is taken off, but there is no proof as
//! for [`super::separating`].

use super::{Impact, Separation, at};
use crate::distance;
use glam::DVec3;

/// Part of the first distance at which a pair counts as having met.
const CONTACT_FRACTION: f64 = 0.1;

/// Allowance for rounding, relative to the largest coordinate.
const SEPARATION_ERROR: f64 = 32.0 * f64::EPSILON;

/// After so many steps the pair is reported.
const MAX_STEPS: usize = 10_000;

pub(super) fn vertex_face(
    p: [DVec3; 2],
    face: [[DVec3; 2]; 3],
    separation: Separation,
) -> Option<Impact> {
    let nearest = |a: &[DVec3; 1], b: &[DVec3; 3]| {
        let options =
            [distance::point_triangle(a[0], *b), distance::point_triangle_edges(a[0], *b)];
        options.map(|w| ([1.0], w))
    };
    additive_advancement(&[p], &face, separation, nearest).map(
        |(time, normal, distance, [_], w)| Impact {
            time,
            normal,
            distance,
            weights: [1.0, -w[0], -w[1], -w[2]],
        },
    )
}

pub(super) fn edge_edge(
    a: [[DVec3; 2]; 2],
    b: [[DVec3; 2]; 2],
    separation: Separation,
) -> Option<Impact> {
    let nearest = |a: &[DVec3; 2], b: &[DVec3; 2]| {
        let options = [distance::edge_edge(*a, *b), distance::edge_edge_ends(*a, *b)];
        options.map(|[s, t]| ([1.0 - s, s], [1.0 - t, t]))
    };
    additive_advancement(&a, &b, separation, nearest).map(|(time, normal, distance, v, w)| Impact {
        time,
        normal,
        distance,
        weights: [v[0], v[1], -w[0], -w[1]],
    })
}

/// Time, normal and distance at the start, weights at the time of impact.
type Found<const A: usize, const B: usize> = (f64, DVec3, f64, [f64; A], [f64; B]);

fn additive_advancement<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
    separation: Separation,
    nearest: impl Fn(&[DVec3; A], &[DVec3; B]) -> [([f64; A], [f64; B]); 2],
) -> Option<Found<A, B>> {
    let (speed, largest) = relative_speed(a, b);
    let error = SEPARATION_ERROR * largest;
    let between = |t: f64| {
        let (xa, xb) = (at(a, t), at(b, t));
        let [first, second] = nearest(&xa, &xb).map(|(v, w)| {
            let gap = combine(&xa, &v) - combine(&xb, &w);
            (gap.length(), gap, v, w)
        });
        if second.0 < first.0 { second } else { first }
    };
    let (start, gap, mut v, mut w) = between(0.0);
    let normal = gap.normalize_or(DVec3::Y);
    let keep = separation.threshold(start);
    let near = CONTACT_FRACTION * (start - keep);
    let (mut t, mut free) = (0.0, start - keep - error);
    for _ in 0..MAX_STEPS {
        // Also ends for NaN.
        if free.is_nan() || free <= 0.0 {
            break;
        }
        t += (1.0 - CONTACT_FRACTION) * free / speed;
        if t > 1.0 {
            return None;
        }
        let now = between(t);
        free = now.0 - keep - error;
        (v, w) = (now.2, now.3);
        if free < near {
            break;
        }
    }
    Some((t.clamp(0.0, 1.0), normal, start, v, w))
}

/// The largest speed of a point of one feature relative to one of the other, and the largest coordinate.
fn relative_speed<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
) -> (f64, f64) {
    let all = || a.iter().chain(b);
    let mean = all().map(|p| p[1] - p[0]).sum::<DVec3>() / (A + B) as f64;
    let fastest = |points: &[[DVec3; 2]]| {
        points.iter().map(|p| (p[1] - p[0] - mean).length()).fold(0.0, f64::max)
    };
    let largest = all().fold(DVec3::ZERO, |m, p| m.max(p[0].abs()).max(p[1].abs()));
    (fastest(a) + fastest(b), largest.max_element())
}

fn combine<const N: usize>(x: &[DVec3; N], w: &[f64; N]) -> DVec3 {
    x.iter().zip(w).map(|(x, w)| *x * *w).sum()
}
