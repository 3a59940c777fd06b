//! Separating advancement: continuous collision detection that misses nothing.
//!
//! Let A and B be the convex hulls of the two features' vertices, and n a unit vector. Along n the
//! features are at least `s(t) = min_ij n·(a_i(t) − b_j(t))` apart, and as every vertex moves on a
//! straight line each term is *linear* in t. So, beginning at t = 0:
//!
//! 1. find the nearest points at time t; n is the direction between them, and `s(t)` is then their
//!    distance;
//! 2. advance t to the largest time up to which `s` stays above the threshold: a closed form;
//! 3. stop when t reaches the end of the step (no impact), or when the distance at t has come down
//!    to the threshold (impact at t).
//!
//! Unlike conservative advancement by the largest speed, motion across n costs nothing, so pairs
//! that slide along each other are dismissed in one round.
//!
//! **No miss.** A stretch of time is dismissed only by step 2, that is, by linear functions whose
//! values at both ends are computed from the input. With M the largest coordinate, each of these is
//! off by at most `ERROR · M`: three differences, three products and two sums of values ≤ 2M, each
//! with relative error ε/2, and |n| ≤ 1 + 2ε. The threshold is raised by that much. Where the nearest
//! points themselves are inaccurate (slivers, nearly parallel edges), n is merely not the best
//! direction and `s(t)` is too *small*: the pair may be reported without need, but not missed.

use super::{Impact, Separation, at};
use crate::distance;
use glam::DVec3;

/// Bound on the error of a separation, relative to the largest coordinate.
const ERROR: f64 = 32.0 * f64::EPSILON;

/// How far above the threshold a distance counts as having reached it, relative to the gap.
const TOLERANCE: f64 = 1e-3;

/// After so many planes the pair is reported; what moves that intricately is about to touch.
const MAX_PLANES: usize = 48;

pub(super) fn vertex_face(
    p: [DVec3; 2],
    face: [[DVec3; 2]; 3],
    separation: Separation,
) -> Option<Impact> {
    let nearest = |a: &[DVec3; 1], b: &[DVec3; 3]| ([1.0], distance::point_triangle(a[0], *b));
    let careful =
        |a: &[DVec3; 1], b: &[DVec3; 3]| ([1.0], distance::point_triangle_edges(a[0], *b));
    let across = |b: &[DVec3; 3]| (b[1] - b[0]).cross(b[2] - b[0]);
    let (time, normal, distance, [_], w) =
        advance(&[p], &face, separation, nearest, careful, |_, b| across(b))?;
    Some(Impact { time, normal, distance, weights: [1.0, -w[0], -w[1], -w[2]] })
}

pub(super) fn edge_edge(
    a: [[DVec3; 2]; 2],
    b: [[DVec3; 2]; 2],
    separation: Separation,
) -> Option<Impact> {
    let both = |[s, t]: [f64; 2]| ([1.0 - s, s], [1.0 - t, t]);
    let nearest = |a: &[DVec3; 2], b: &[DVec3; 2]| both(distance::edge_edge(*a, *b));
    let careful = |a: &[DVec3; 2], b: &[DVec3; 2]| both(distance::edge_edge_ends(*a, *b));
    let across = |a: &[DVec3; 2], b: &[DVec3; 2]| (a[1] - a[0]).cross(b[1] - b[0]);
    let (time, normal, distance, v, w) = advance(&a, &b, separation, nearest, careful, across)?;
    Some(Impact { time, normal, distance, weights: [v[0], v[1], -w[0], -w[1]] })
}

/// Time, normal at the begin, distance at the begin, and the weights at the time of impact.
type Found<const A: usize, const B: usize> = (f64, DVec3, f64, [f64; A], [f64; B]);

fn advance<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
    separation: Separation,
    nearest: impl Fn(&[DVec3; A], &[DVec3; B]) -> ([f64; A], [f64; B]),
    careful: impl Fn(&[DVec3; A], &[DVec3; B]) -> ([f64; A], [f64; B]),
    across: impl Fn(&[DVec3; A], &[DVec3; B]) -> DVec3,
) -> Option<Found<A, B>> {
    let error = ERROR * largest_coordinate(a, b);
    let mut t = 0.0;
    let mut start: Option<(DVec3, f64, f64)> = None;
    let mut weights = ([0.0; A], [0.0; B]);
    for _ in 0..MAX_PLANES {
        let (xa, xb) = (at(a, t), at(b, t));
        weights = nearest(&xa, &xb);
        let mut gap = combine(&xa, &weights.0) - combine(&xb, &weights.1);
        let (_, _, threshold) = *start.get_or_insert_with(|| {
            let distance = gap.length();
            let normal = gap.try_normalize().unwrap_or_else(|| toward(across(&xa, &xb), gap));
            (normal, distance, separation.threshold(distance))
        });
        let reach = threshold + TOLERANCE * (threshold - separation.radius).max(0.0) + 2.0 * error;
        let mut reached = f64::NEG_INFINITY;
        for opinion in 0..3 {
            let direction = match opinion {
                // The line between the nearest points.
                0 => gap.normalize_or_zero(),
                // The same, for slivers and nearly parallel edges.
                1 => {
                    let second = careful(&xa, &xb);
                    let other = combine(&xa, &second.0) - combine(&xb, &second.1);
                    if other.length_squared() < gap.length_squared() {
                        (weights, gap) = (second, other);
                    }
                    gap.normalize_or_zero()
                }
                // Of features that nearly touch, the gap is a difference of nearly equal points
                // and has lost its direction; the plane across both has not.
                _ => toward(across(&xa, &xb), gap),
            };
            // Touching, as far as this arithmetic can tell.
            if gap.length() <= 2.0 * error {
                reached = f64::NEG_INFINITY;
                break;
            }
            reached = separated_until(a, b, direction, threshold + error, t);
            if reached >= 1.0 {
                return None;
            }
            // Within reach, and not parting: advancing further would only polish the time.
            if gap.length() <= reach {
                reached = f64::NEG_INFINITY;
                break;
            }
            if reached > t {
                break;
            }
        }
        // No headway: as near as this arithmetic can tell.
        if reached <= t {
            break;
        }
        t = reached;
    }
    let (normal, distance, _) = start?;
    Some((t, normal, distance, weights.0, weights.1))
}

/// The largest time ≥ `from` up to which all `n·(a_i − b_j)` are at least `threshold`, 1 or more
/// if they are to the end, and −∞ if they are not at `from`.
#[inline]
fn separated_until<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
    n: DVec3,
    threshold: f64,
    from: f64,
) -> f64 {
    let mut until = 1.0_f64;
    for p in a {
        for q in b {
            let (s0, s1) = (n.dot(p[0] - q[0]) - threshold, n.dot(p[1] - q[1]) - threshold);
            // Both ends above: a linear function stays above.
            if s0 >= 0.0 && s1 >= 0.0 {
                continue;
            }
            if s0 + from * (s1 - s0) < 0.0 {
                return f64::NEG_INFINITY;
            }
            if s1 < 0.0 {
                until = until.min(s0 / (s0 - s1));
            }
        }
    }
    until
}

/// The unit vector along `n` that makes no obtuse angle with `gap`.
fn toward(n: DVec3, gap: DVec3) -> DVec3 {
    let n = n.normalize_or(DVec3::Y);
    if n.dot(gap) < 0.0 { -n } else { n }
}

fn combine<const N: usize>(x: &[DVec3; N], w: &[f64; N]) -> DVec3 {
    x.iter().zip(w).map(|(x, w)| *x * *w).sum()
}

fn largest_coordinate<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
) -> f64 {
    let largest = |m: DVec3, p: &[DVec3; 2]| m.max(p[0].abs()).max(p[1].abs());
    let m = b.iter().fold(a.iter().fold(DVec3::ZERO, largest), largest);
    m.max_element()
}
