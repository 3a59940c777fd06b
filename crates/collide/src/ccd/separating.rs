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
//! A gap that is small beside the features is lost to a plane that stands still as soon as they turn a little, even if
//! they turn as one. So after a few rounds the plane turns with them, from the normal n₀ at t₀ to the normal n₁ at t₁:
//! with |n(t)| ≤ 1 between two unit vectors, the features are at least `n(t)·(a_i(t) − b_j(t))` apart, a quadratic in t,
//! and above the threshold as long as its three Bernstein coefficients are. What is lost is of second order
//! in the angle.
//!
//! **No miss.** A time interval is dismissed by planes or by the cubic of [`super::coplanarity`], which bounds its own errors. Planes
//! of step 2 go by linear functions whose values at both ends are computed from the input. With M the largest coordinate, each of these is
//! off by at most `SEPARATION_ERROR · M`: three differences, three products and two sums of values ≤ 2M, each
//! with relative error ε/2, and |n| ≤ 1 + 2.25ε: about 20 ε M of the 32 that are granted. The threshold is raised by that much. Planes that
//! turn are computed from points between the ends, 2.5 ε M off in each coordinate, and from a mean: 27 ε M, and 64 are granted. Where the nearest
//! points themselves are inaccurate (slivers, nearly parallel edges), n is merely not the best
//! direction and `s(t)` is too *small*: the pair may be reported without need, but not missed.

use super::coplanarity::Coplanarity;
use super::precise::Precise;
use super::{Impact, Separation, at};
use crate::distance;
use glam::DVec3;

/// Bound on the error of a separation, relative to the largest coordinate.
const SEPARATION_ERROR: f64 = 32.0 * f64::EPSILON;

/// Largest coordinate below which nothing is said: squares of distances lose digits by underflow, and a direction is
/// no longer of unit length.
const MIN_COORDINATE: f64 = 1e-120;

/// How far above the threshold a distance counts as having reached it, relative to the gap.
const TOLERANCE: f64 = 1e-3;

/// The same, relative to the distance at the start, beyond what is a body's own: without a gap there is nothing else to go by.
const RELATIVE_TOLERANCE: f64 = 1e-7;

/// After so many planes the pair is reported; what moves that intricately is about to touch.
const MAX_PLANES: usize = 48;

/// From this one on planes turn, if those that stand still have not led to the end.
const FIXED_PLANES: usize = 2;

/// How often the time for which a plane turns is shortened.
const MAX_SHORTENINGS: usize = 8;

/// Barycentric weights of a point of each feature.
#[derive(Clone, Copy)]
struct Weights<const A: usize, const B: usize> {
    a: [f64; A],
    b: [f64; B],
}

/// What differs between the two kinds of pairs.
trait Features<const A: usize, const B: usize> {
    /// Weights of the nearest points.
    fn nearest(&self, a: &[DVec3; A], b: &[DVec3; B]) -> Weights<A, B>;
    /// The same for slivers and nearly parallel edges.
    fn nearest_robust(&self, a: &[DVec3; A], b: &[DVec3; B]) -> Weights<A, B>;
    /// A vector across both features.
    fn across(&self, a: &[DVec3; A], b: &[DVec3; B]) -> DVec3;
    /// When the vertices are coplanar.
    fn coplanarity(&self, a: &[[DVec3; 2]; A], b: &[[DVec3; 2]; B]) -> Coplanarity;
    /// The pair for a second look with more digits.
    fn precise(&self, a: &[[DVec3; 2]; A], b: &[[DVec3; 2]; B]) -> Precise<A, B>;

    /// The nearer of two opinions on the nearest points, and the vector between them.
    fn nearer_of(
        &self,
        a: &[[DVec3; 2]; A],
        b: &[[DVec3; 2]; B],
        t: f64,
        weights: Weights<A, B>,
        gap: DVec3,
    ) -> (Weights<A, B>, DVec3) {
        let second = self.nearest_robust(&at(a, t), &at(b, t));
        let other = between(a, b, &second, t);
        if other.length_squared() < gap.length_squared() { (second, other) } else { (weights, gap) }
    }
}

struct VertexFace;

impl Features<1, 3> for VertexFace {
    fn nearest(&self, [p]: &[DVec3; 1], face: &[DVec3; 3]) -> Weights<1, 3> {
        Weights { a: [1.0], b: distance::point_triangle(*p, *face) }
    }

    fn nearest_robust(&self, [p]: &[DVec3; 1], face: &[DVec3; 3]) -> Weights<1, 3> {
        Weights { a: [1.0], b: distance::point_triangle_edges(*p, *face) }
    }

    fn across(&self, _: &[DVec3; 1], [a, b, c]: &[DVec3; 3]) -> DVec3 {
        (*b - *a).cross(*c - *a)
    }

    fn coplanarity(&self, [p]: &[[DVec3; 2]; 1], [a, b, c]: &[[DVec3; 2]; 3]) -> Coplanarity {
        Coplanarity::new(minus(p, a), minus(b, a), minus(c, a))
    }

    fn precise(&self, p: &[[DVec3; 2]; 1], face: &[[DVec3; 2]; 3]) -> Precise<1, 3> {
        Precise::vertex_face(p, face)
    }
}

struct EdgeEdge;

impl Features<2, 2> for EdgeEdge {
    fn nearest(&self, a: &[DVec3; 2], b: &[DVec3; 2]) -> Weights<2, 2> {
        let [s, t] = distance::edge_edge(*a, *b);
        Weights { a: [1.0 - s, s], b: [1.0 - t, t] }
    }

    fn nearest_robust(&self, a: &[DVec3; 2], b: &[DVec3; 2]) -> Weights<2, 2> {
        let [s, t] = distance::edge_edge_ends(*a, *b);
        Weights { a: [1.0 - s, s], b: [1.0 - t, t] }
    }

    fn across(&self, a: &[DVec3; 2], b: &[DVec3; 2]) -> DVec3 {
        (a[1] - a[0]).cross(b[1] - b[0])
    }

    fn coplanarity(&self, a: &[[DVec3; 2]; 2], b: &[[DVec3; 2]; 2]) -> Coplanarity {
        Coplanarity::new(minus(&a[0], &b[0]), minus(&a[1], &a[0]), minus(&b[1], &b[0]))
    }

    fn precise(&self, a: &[[DVec3; 2]; 2], b: &[[DVec3; 2]; 2]) -> Precise<2, 2> {
        Precise::edge_edge(a, b)
    }
}

/// Difference of two moving points at both ends of the step.
fn minus(a: &[DVec3; 2], b: &[DVec3; 2]) -> [DVec3; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

pub(super) fn vertex_face(
    p: [DVec3; 2],
    face: [[DVec3; 2]; 3],
    separation: Separation,
) -> Option<Impact> {
    let (time, normal, distance, Weights { b: w, .. }) =
        conservative_advancement(&[p], &face, separation, &VertexFace)?;
    Some(Impact { time, normal, distance, weights: [1.0, -w[0], -w[1], -w[2]] })
}

pub(super) fn edge_edge(
    a: [[DVec3; 2]; 2],
    b: [[DVec3; 2]; 2],
    separation: Separation,
) -> Option<Impact> {
    let (time, normal, distance, Weights { a: v, b: w }) =
        conservative_advancement(&a, &b, separation, &EdgeEdge)?;
    Some(Impact { time, normal, distance, weights: [v[0], v[1], -w[0], -w[1]] })
}

/// Whether a plane with the unit normal `n` keeps two features farther apart than `distance` all along.
pub(super) fn is_separated<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
    n: DVec3,
    distance: f64,
) -> bool {
    separated_until(a, b, n, distance + error(a, b), 0.0) >= 1.0
}

/// Bound on the error of a separation.
fn error<const A: usize, const B: usize>(a: &[[DVec3; 2]; A], b: &[[DVec3; 2]; B]) -> f64 {
    let largest = largest_coordinate(a, b);
    if largest < MIN_COORDINATE { f64::INFINITY } else { SEPARATION_ERROR * largest }
}

/// Time, normal at the start, distance at the start, and the weights at the time of impact.
type Found<const A: usize, const B: usize> = (f64, DVec3, f64, Weights<A, B>);

fn conservative_advancement<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
    separation: Separation,
    features: &impl Features<A, B>,
) -> Option<Found<A, B>> {
    let error = error(a, b);
    let mut weights = features.nearest(&at(a, 0.0), &at(b, 0.0));
    let mut gap = between(a, b, &weights, 0.0);
    let distance = gap.length();
    let normal = gap
        .try_normalize()
        .unwrap_or_else(|| toward(features.across(&at(a, 0.0), &at(b, 0.0)), gap));
    let threshold = separation.threshold(distance);
    let outside = distance - separation.body;
    let tolerance = (TOLERANCE * (threshold - separation.radius)).max(RELATIVE_TOLERANCE * outside);
    let stop_distance = threshold + tolerance.max(0.0) + 2.0 * error;
    // Most pairs never ask for it.
    let mut cubic = None;
    let mut t = 0.0;
    for plane in 0..MAX_PLANES {
        if plane > 0 {
            weights = features.nearest(&at(a, t), &at(b, t));
            gap = between(a, b, &weights, t);
        }
        // Touching, as far as this arithmetic can tell.
        if gap.length() <= 2.0 * error {
            break;
        }
        let mut reached = separated_until(a, b, gap.normalize(), threshold + error, t);
        // Within the stop distance, and not parting: advancing further would only polish the time.
        if reached < 1.0 && gap.length() <= stop_distance {
            break;
        }
        if reached <= t {
            (weights, gap) = features.nearer_of(a, b, t, weights, gap);
            reached = separated_until(a, b, gap.normalize_or_zero(), threshold + error, t);
        }
        // Of features that nearly touch, the gap is a difference of nearly equal points and has
        // lost its direction; the plane across both has not.
        if reached <= t && gap.length() > 2.0 * error {
            let n = toward(features.across(&at(a, t), &at(b, t)), gap);
            reached = separated_until(a, b, n, threshold + error, t);
        }
        // Planes stand still, but features turn: toward a contact the planes come ever closer
        // together. Then it is time to ask when the four vertices become coplanar.
        if reached < 1.0 {
            let cubic = cubic.get_or_insert_with(|| features.coplanarity(a, b));
            reached = cubic.apart_until(threshold, reached.max(t));
        }
        // Features that turn as one, with a gap that is small beside their size, would take hundreds of such planes.
        if reached < 1.0 && plane >= FIXED_PLANES {
            let n = gap.normalize_or_zero();
            reached = reached.max(separated_turning(a, b, features, n, threshold + 2.0 * error, t));
        }
        if reached >= 1.0 {
            return None;
        }
        // No headway: as near as this arithmetic can tell.
        if reached <= t {
            break;
        }
        t = reached;
    }
    // Without a gap to keep, more digits may tell a touch from a near miss.
    let asks_for_contact = separation.radius + separation.gap <= 0.0;
    if asks_for_contact
        && !crosses_inside(cubic.as_ref(), &weights, t)
        && features.precise(a, b).is_apart_from(t * (1.0 - 8.0 * f64::EPSILON))
    {
        return None;
    }
    Some((t, normal, distance, weights))
}

/// Whether the pair passes through itself far from any rim, as far as rounded numbers tell: then there is nothing
/// to look at again. A wrong answer costs time or a report without need.
fn crosses_inside<const A: usize, const B: usize>(
    cubic: Option<&Coplanarity>,
    weights: &Weights<A, B>,
    t: f64,
) -> bool {
    const RIM: f64 = 1e-4;
    weights.a.iter().chain(&weights.b).all(|w| *w > RIM)
        && cubic.is_some_and(|c| c.is_crossed_at(t))
}

/// Vector from the second feature's point with the given weights to the first one's, at time t.
#[inline]
fn between<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
    weights: &Weights<A, B>,
    t: f64,
) -> DVec3 {
    combine(&at(a, t), &weights.a) - combine(&at(b, t), &weights.b)
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
    let along = |p: &[DVec3; 2]| [n.dot(p[0]), n.dot(p[1])];
    let (a, b) = (a.each_ref().map(along), b.each_ref().map(along));
    let mut until = 1.0_f64;
    for p in &a {
        for q in &b {
            let (s0, s1) = (p[0] - q[0] - threshold, p[1] - q[1] - threshold);
            // Both ends above: a linear function stays above.
            if s0 >= 0.0 && s1 >= 0.0 {
                continue;
            }
            // The bound at `from`, not one that rounding may have put above it. Infinite ones have no number there.
            let start = s0 + from * (s1 - s0);
            if start < 0.0 || start.is_nan() {
                return f64::NEG_INFINITY;
            }
            if s1 < 0.0 {
                until = until.min(s0 / (s0 - s1));
            }
        }
    }
    until
}

/// A time ≥ `from` up to which a plane that turns keeps the features apart: from the normal `n` there to that of the
/// nearest points at the end.
fn separated_turning<const A: usize, const B: usize>(
    a: &[[DVec3; 2]; A],
    b: &[[DVec3; 2]; B],
    features: &impl Features<A, B>,
    n: DVec3,
    threshold: f64,
    from: f64,
) -> f64 {
    let mut until = 1.0;
    for _ in 0..MAX_SHORTENINGS {
        let weights = features.nearest(&at(a, until), &at(b, until));
        let normals = [n, between(a, b, &weights, until).normalize_or_zero()];
        let along = |p: &[DVec3; 2]| {
            let [p, q] = [from, until].map(|t| p[0] + (p[1] - p[0]) * t);
            [normals[0].dot(p), 0.5 * (normals[0].dot(q) + normals[1].dot(p)), normals[1].dot(q)]
        };
        let (a, b) = (a.each_ref().map(along), b.each_ref().map(along));
        let above = |p: &[f64; 3], q: &[f64; 3]| (0..3).all(|k| p[k] - q[k] >= threshold);
        if a.iter().all(|p| b.iter().all(|q| above(p, q))) {
            return until;
        }
        until = from + 0.25 * (until - from);
    }
    from
}

/// The unit vector along `n` that makes no obtuse angle with `gap`.
fn toward(n: DVec3, gap: DVec3) -> DVec3 {
    // A cross product may be so small that its square is rounded to anything; its length must be one.
    let n = (n / n.abs().max_element()).normalize_or(DVec3::Y);
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
