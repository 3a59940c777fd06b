//! Filters before continuous collision detection: they dismiss most pairs, never a contact.
//!
//! Let `d_ij = a_i − b_j` be the differences of the two features' vertices at both ends of the step;
//! six for a vertex and a face, eight for two edges. Every vertex moves on a straight line, so at any
//! time the difference of any two points of the features lies in the convex hull of the d. If a
//! direction n has `n·d > r|n|` for all of them, the features stay farther apart than r throughout.
//!
//! | filter | directions |
//! |---|---|
//! | [`Filter::Boxes`] | the three axes: boxes swept over the step |
//! | [`Filter::Dop`] | the thirteen of the 26-DOP |
//! | [`Filter::Hull`] | from the hull itself: the mean of the d, then toward its point nearest to the origin [gilbert1966] |
//!
//! **No miss.** However n comes about, a pair is dismissed only if the computed `min n·d` exceeds
//! `(r + 32 ε M)|n|`, with M the largest coordinate: a computed d is off by at most ε M in each
//! coordinate, and a dot product of three terms by at most 2ε |n||d|, with |d| ≤ 2√3 M. Numbers so large or
//! small that squares overflow or vanish dismiss nothing ([`LIMITS`]); nor does NaN.
//!
//! Several queries are looked at together, in lanes: first the mean of their differences, then what
//! that leaves over is put together anew and gets the other directions. There is no branch on a query's
//! values but the one that ends a block when all its lanes are done, and no fused operation, so a
//! query gets the same answer in any company and on any machine.

use super::Separation;
use crate::simd::dispatch;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// What is tried before the method itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Nothing.
    None,
    /// Boxes swept over the step.
    Boxes,
    /// 26-DOPs swept over the step.
    Dop,
    /// A plane that separates the features over the whole step.
    #[default]
    Hull,
}

/// Queries that are looked at together.
pub(super) const LANES: usize = 8;

/// Directions that [`Filter::Hull`] tries. On candidates of real cloth the first dismisses four of
/// five, and each further one fewer; more than six cost more than they spare.
const HULL_DIRECTIONS: usize = 6;

/// Bound on the error of a separation, relative to the largest coordinate and |n|.
const SEPARATION_ERROR: f64 = 32.0 * f64::EPSILON;

/// Largest coordinates and squares of |n| within which no intermediate result overflows or loses
/// digits by underflow.
const MAX_COORDINATE: f64 = 1e75;
const MIN_NORM2: f64 = 1e-120;

/// Differences of the vertices of [`LANES`] pairs (or of one) at both ends of the step.
#[derive(Clone, Debug)]
pub(super) struct Block<const D: usize, const W: usize> {
    /// Difference, axis, lane.
    d: [[[f64; W]; 3]; D],
    /// Distance beyond which a pair may be dismissed, rounding included.
    reach: [f64; W],
}

/// Vertex and face: p − a, p − b, p − c at both ends.
pub(super) type VertexFace<const W: usize> = Block<6, W>;
/// Edge and edge.
pub(super) type EdgeEdge<const W: usize> = Block<8, W>;

impl<const D: usize, const W: usize> Block<D, W> {
    pub(super) fn new() -> Self {
        Self { d: [[[0.0; W]; 3]; D], reach: [f64::INFINITY; W] }
    }

    /// Puts a query into a lane. `FIRST` is how many of the four vertices are the first feature's.
    #[inline(always)]
    pub(super) fn set<const FIRST: usize>(
        &mut self,
        lane: usize,
        x: &[[DVec3; 2]; 4],
        separation: Separation,
    ) {
        let (a, b) = x.split_at(FIRST);
        let mut k = 0;
        for t in 0..2 {
            for p in a {
                for q in b {
                    let d = p[t] - q[t];
                    self.d[k][0][lane] = d.x;
                    self.d[k][1][lane] = d.y;
                    self.d[k][2][lane] = d.z;
                    k += 1;
                }
            }
        }
        let m = x.iter().fold(DVec3::ZERO, |m, p| m.max(p[0].abs()).max(p[1].abs()));
        self.reach[lane] = reach(m.max_element(), separation);
    }

    /// Which lanes are surely never nearer than their separation.
    pub(super) fn dismiss(&self, filter: Filter) -> [bool; W] {
        match filter {
            Filter::None => [false; W],
            Filter::Boxes => self.along::<3>(&AXES),
            Filter::Dop => self.along::<13>(&AXES),
            Filter::Hull => dispatch(
                #[inline(always)]
                || self.hull(),
            ),
        }
    }

    /// The first direction of [`Filter::Hull`] alone: the mean of the differences.
    pub(super) fn dismiss_by_mean(&self) -> [bool; W] {
        dispatch(
            #[inline(always)]
            || self.above(&self.mean()),
        )
    }

    /// Tries some of the fixed directions, both ways.
    fn along<const N: usize>(&self, axes: &[[f64; 3]; 13]) -> [bool; W] {
        let mut apart = [false; W];
        for n in &axes[..N] {
            let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            let (mut lo, mut hi, mut bad) =
                ([f64::INFINITY; W], [f64::NEG_INFINITY; W], [false; W]);
            for d in &self.d {
                for w in 0..W {
                    let s = n[0] * d[0][w] + n[1] * d[1][w] + n[2] * d[2][w];
                    lo[w] = lo[w].min(s);
                    hi[w] = hi[w].max(s);
                    bad[w] |= s.is_nan();
                }
            }
            for w in 0..W {
                let r = self.reach[w] * length;
                apart[w] |= !bad[w] && (lo[w] > r || hi[w] < -r);
            }
        }
        apart
    }

    /// Gilbert's search for the point of the hull nearest to the origin, as directions to try.
    #[inline(always)]
    fn hull(&self) -> [bool; W] {
        let mut n = self.mean();
        let (mut apart, mut done) = ([false; W], [false; W]);
        for _ in 0..HULL_DIRECTIONS {
            let (least, vertex) = self.support(&n);
            let now = self.is_enough(&least, &n);
            for w in 0..W {
                // n is a point of the hull: if it is within reach, no direction is enough. A lane that
                // is done stays as it is, so that its company does not matter.
                let near = dot(&n, &n, w) < self.reach[w] * self.reach[w];
                apart[w] |= now[w] & !done[w];
                done[w] |= now[w] | near;
            }
            if done == [true; W] {
                break;
            }
            // The point nearest to the origin of the segment from n to the vertex farthest back.
            for w in 0..W {
                let e = [0, 1, 2].map(|k| vertex[k][w] - n[k][w]);
                let e2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
                let ne = n[0][w] * e[0] + n[1][w] * e[1] + n[2][w] * e[2];
                let s = -ne / e2;
                // A segment without length gives NaN, and stays where it is.
                let s = if s > 0.0 { s } else { 0.0 };
                let s = if s < 1.0 { s } else { 1.0 };
                for k in 0..3 {
                    n[k][w] += s * e[k];
                }
            }
        }
        apart
    }

    #[inline(always)]
    fn mean(&self) -> [[f64; W]; 3] {
        let mut n = [[0.0; W]; 3];
        for d in &self.d {
            for k in 0..3 {
                for w in 0..W {
                    n[k][w] += d[k][w];
                }
            }
        }
        n.map(|n| n.map(|n| n * (1.0 / D as f64)))
    }

    /// Whether all differences are beyond reach along n.
    #[inline(always)]
    fn above(&self, n: &[[f64; W]; 3]) -> [bool; W] {
        let mut least = [f64::INFINITY; W];
        for d in &self.d {
            for w in 0..W {
                let s = dot(n, d, w);
                least[w] = if s < least[w] { s } else { least[w] };
            }
        }
        self.is_enough(&least, n)
    }

    /// Whether a least n·d is beyond reach: without a square root, both sides squared.
    #[inline(always)]
    fn is_enough(&self, least: &[f64; W], n: &[[f64; W]; 3]) -> [bool; W] {
        let mut enough = [false; W];
        for w in 0..W {
            let (n2, r) = (dot(n, n, w), self.reach[w]);
            enough[w] = (least[w] > 0.0) & (least[w] * least[w] > r * r * n2) & (n2 > MIN_NORM2);
        }
        enough
    }

    /// The least n·d, and the d it belongs to.
    #[inline(always)]
    fn support(&self, n: &[[f64; W]; 3]) -> ([f64; W], [[f64; W]; 3]) {
        let mut least = [f64::INFINITY; W];
        let mut vertex = [[0.0; W]; 3];
        for d in &self.d {
            for w in 0..W {
                let s = dot(n, d, w);
                let less = s < least[w];
                least[w] = if less { s } else { least[w] };
                for k in 0..3 {
                    vertex[k][w] = if less { d[k][w] } else { vertex[k][w] };
                }
            }
        }
        (least, vertex)
    }
}

/// Directions of the 26-DOP, the three axes first.
const AXES: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
];

#[inline(always)]
fn dot<const W: usize>(a: &[[f64; W]; 3], b: &[[f64; W]; 3], w: usize) -> f64 {
    a[0][w] * b[0][w] + a[1][w] * b[1][w] + a[2][w] * b[2][w]
}

/// Distance beyond which a pair with coordinates up to `m` may be dismissed; infinite if these are
/// beyond the limits. The threshold of a pair is never larger than its wanted distance.
#[inline(always)]
fn reach(m: f64, separation: Separation) -> f64 {
    // Also false for NaN.
    if m < MAX_COORDINATE {
        (separation.radius + separation.gap).max(0.0) + SEPARATION_ERROR * m
    } else {
        f64::INFINITY
    }
}
