//! Neighbour list (Verlet list): candidates for many motions that differ little [verlet1967].
//!
//! Iterations of a step query the pairs of a surface with itself again and again, each for another motion. A list is made once, for one motion
//! c(s), with a margin δ: all pairs that come nearer to each other than the separation and 2δ. A motion that starts within δ of c(s₀), at every
//! vertex, and ends within δ of c(s₁) is within δ of c throughout, as all of them are straight. So what comes nearer than the separation
//! is in the list, and only the list has to be filtered. Vertices that leave the margin are queried in the tree.
//!
//! Pruning by curvature has no part in it: that a region stays flat along one motion says nothing of others.

use super::{Candidates, Detector, NotFinite};
use crate::ccd::{self, Filter, Pair, Separation};
use crate::{Motion, distance};
use glam::DVec3;
use rayon::prelude::*;

/// The fraction of all vertices that may leave the margin; if there are more, the list is rebuilt.
const MAX_OUTSIDE: f64 = 0.1;
/// A little less than the margin, for what is rounded.
const MARGIN_KEPT: f64 = 1.0 - 1e-9;
const UNKNOWN: State = State::Apart([0.0; 3]);
/// Bound on the error of a difference of heights, relative to the largest coordinate.
const HEIGHT_ERROR: f64 = 64.0 * f64::EPSILON;
/// No direction that was rounded to single precision is longer.
const UNIT_NORMAL_BOUND: f64 = 1.0 + 1e-6;
/// Candidates in a task.
const CHUNK: usize = 2048;

/// Pairs of a surface with itself that may meet in motions near one motion.
#[derive(Clone, Debug)]
pub struct NeighbourList {
    /// How far vertices may deviate [m].
    margin: f64,
    /// The separation it was made for [m].
    separation: f64,
    /// The motion it was made for; empty if it was not.
    reference: [Vec<DVec3>; 2],
    vf: Vec<CachedCandidate>,
    ee: Vec<CachedCandidate>,
    /// Vertices that have left the margin.
    outside: Vec<bool>,
}

/// A feature pair, its four vertices, and what is known of it since the list was made.
#[derive(Clone, Copy, Debug)]
struct CachedCandidate {
    pair: [u32; 2],
    vertices: [u32; 4],
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// A plane across this direction kept it apart in the last motion; zero if none is known.
    Apart([f32; 3]),
    /// It may have met in some motion. It is not asked again: most such pairs stay so.
    Near,
}

impl NeighbourList {
    /// An empty list, for motions that differ by `margin` [m].
    ///
    /// # Panics
    /// If the margin is negative or not a number.
    pub fn new(margin: f64) -> Self {
        assert!(margin >= 0.0, "a margin of {margin} m");
        let (reference, none) = (Default::default(), Vec::new);
        Self { margin, separation: 0.0, reference, vf: none(), ee: none(), outside: Vec::new() }
    }

    /// Candidate pairs of the surface with itself that come nearer than `separation`, and how many were looked at.
    ///
    /// # Errors
    /// If a corner of a triangle is not finite. The detector has to be updated anew afterwards in any case.
    ///
    /// # Panics
    /// If there is not one position for each vertex.
    pub fn candidates(
        &mut self,
        detector: &mut Detector,
        motion: Motion<'_>,
        separation: f64,
    ) -> Result<(Candidates, u64), NotFinite> {
        let count = detector.surface.vertices;
        assert_eq!([motion.x_t0.len(), motion.x_t1.len()], [count; 2], "positions of all vertices");
        let known = self.reference[0].len() == count;
        let is_current = known && self.separation.to_bits() == separation.to_bits();
        let outside = if is_current { self.mark_outside(motion) } else { usize::MAX };
        if outside as f64 > MAX_OUTSIDE * count as f64 {
            self.make(detector, motion, separation)?;
        }
        let mut found = self.filtered(motion, separation);
        let mut tested = (self.vf.len() + self.ee.len()) as u64;
        if self.outside.contains(&true) {
            detector.update(motion, separation, None)?;
            detector.report_only(&self.outside);
            let mut more = detector.self_neighbours();
            tested += more.len() as u64;
            found.vf.append(&mut more.vf);
            found.ee.append(&mut more.ee);
            found.sort();
        }
        Ok((found, tested))
    }

    /// Notes which vertices have left the margin; returns how many.
    fn mark_outside(&mut self, motion: Motion<'_>) -> usize {
        let [a, b] = &self.reference;
        let ends = [motion.x_t0, motion.x_t1];
        let at = ends.map(|x| nearest(x, a, b));
        let limit = (MARGIN_KEPT * self.margin).powi(2);
        self.outside.clear();
        self.outside.extend((0..a.len()).map(|i| {
            let holds = |k: usize| ends[k][i].distance_squared(a[i].lerp(b[i], at[k])) <= limit;
            // What is not a number is within no margin.
            !(holds(0) && holds(1))
        }));
        self.outside.iter().filter(|s| **s).count()
    }

    /// Makes the list for a motion.
    fn make(
        &mut self,
        detector: &mut Detector,
        motion: Motion<'_>,
        separation: f64,
    ) -> Result<(), NotFinite> {
        // If that fails, there is no list.
        self.reference.iter_mut().for_each(Vec::clear);
        detector.update(motion, separation + 2.0 * self.margin, None)?;
        let found = detector.self_neighbours();
        let s = &detector.surface;
        self.vf.clear();
        self.vf.extend(found.vf.into_iter().map(|pair| {
            let [a, b, c] = s.triangles[pair[1] as usize];
            CachedCandidate { pair, vertices: [pair[0], a, b, c], state: UNKNOWN }
        }));
        self.ee.clear();
        self.ee.extend(found.ee.into_iter().map(|pair| {
            let [[a, b], [c, d]] = pair.map(|e| s.edges[e as usize]);
            CachedCandidate { pair, vertices: [a, b, c, d], state: UNKNOWN }
        }));
        self.separation = separation;
        self.reference[0].extend_from_slice(motion.x_t0);
        self.reference[1].extend_from_slice(motion.x_t1);
        self.outside.clear();
        self.outside.resize(motion.x_t0.len(), false);
        Ok(())
    }

    /// The pairs of vertices within the margin that no plane separates in this motion, in their order.
    fn filtered(&mut self, motion: Motion<'_>, separation: f64) -> Candidates {
        let Self { vf, ee, outside, .. } = self;
        let coordinates = motion.x_t0.iter().chain(motion.x_t1);
        let largest = coordinates.fold(DVec3::ZERO, |m, x| m.max(x.abs())).max_element();
        let outside = outside.contains(&true).then_some(&outside[..]);
        let motions =
            FilterContext { motion, separation, rounded: HEIGHT_ERROR * largest, outside };
        let of = |kind: Pair, cached: &mut [CachedCandidate]| -> Vec<[u32; 2]> {
            let chunks = cached.par_chunks_mut(CHUNK).map(|cached| {
                test_again(kind, cached, &motions);
                let near = |k: &&CachedCandidate| k.state == State::Near && !motions.has_outside(k);
                cached.iter().filter(near).map(|k| k.pair).collect::<Vec<_>>()
            });
            chunks.flatten_iter().collect()
        };
        Candidates { vf: of(Pair::VertexFace, vf), fv: Vec::new(), ee: of(Pair::EdgeEdge, ee) }
    }
}

/// Finds out which of the pairs that were apart are so in this motion, too: first by the plane that kept them apart, then by one
/// between their nearest points, then by any.
fn test_again(kind: Pair, cached: &mut [CachedCandidate], motions: &FilterContext<'_>) {
    let mut doubtful = Vec::new();
    for (i, candidate) in cached.iter_mut().enumerate() {
        let State::Apart(normal) = candidate.state else { continue };
        if motions.has_outside(candidate) || motions.is_separated(kind, &candidate.vertices, normal)
        {
            continue;
        }
        let normal = between(kind, candidate.vertices.map(|v| motions.motion.x_t0[v as usize]));
        candidate.state = State::Apart(normal);
        if !motions.is_separated(kind, &candidate.vertices, normal) {
            doubtful.push(i);
        }
    }
    let mut unseparated = Vec::new();
    let ask = |i: usize| Some(cached[doubtful[i]].vertices.map(|v| motions.motion.ends(v)));
    let gap = Separation::gap(motions.separation);
    ccd::filter_queries(kind, doubtful.len(), gap, Filter::Hull, ask, |i, _| {
        unseparated.push(doubtful[i])
    });
    unseparated.into_iter().for_each(|i| cached[i].state = State::Near);
}

/// A motion that pairs are filtered for.
struct FilterContext<'a> {
    motion: Motion<'a>,
    separation: f64,
    /// What a difference of heights may be rounded by [m].
    rounded: f64,
    /// Vertices outside the margin, if there are any.
    outside: Option<&'a [bool]>,
}

impl FilterContext<'_> {
    #[inline]
    fn has_outside(&self, candidate: &CachedCandidate) -> bool {
        self.outside.is_some_and(|outside| candidate.vertices.iter().any(|v| outside[*v as usize]))
    }

    /// Whether a plane across a direction keeps two features farther apart than the separation all the way: heights are linear in
    /// time, so what holds at both ends holds in between.
    #[inline]
    fn is_separated(&self, kind: Pair, vertices: &[u32; 4], normal: [f32; 3]) -> bool {
        let n = DVec3::new(f64::from(normal[0]), f64::from(normal[1]), f64::from(normal[2]));
        let enough = self.separation * UNIT_NORMAL_BOUND + self.rounded;
        let apart = |x: &[DVec3]| {
            let height = |k: usize| n.dot(x[vertices[k] as usize]);
            let (a, b, c, d) = (height(0), height(1), height(2), height(3));
            match kind {
                Pair::VertexFace => a - b.max(c).max(d),
                Pair::EdgeEdge => a.min(b) - c.max(d),
            }
        };
        apart(self.motion.x_t0) > enough && apart(self.motion.x_t1) > enough
    }
}

/// Direction from the second feature to the first.
fn between(kind: Pair, [a, b, c, d]: [DVec3; 4]) -> [f32; 3] {
    let normal = match kind {
        Pair::VertexFace => {
            let w = distance::point_triangle(a, [b, c, d]);
            a - (b * w[0] + c * w[1] + d * w[2])
        }
        Pair::EdgeEdge => {
            let [s, t] = distance::edge_edge([a, b], [c, d]);
            a.lerp(b, s) - c.lerp(d, t)
        }
    };
    normal.normalize_or_zero().as_vec3().to_array()
}

/// Where on the way from `a` to `b` all of `x` are nearest, 0 to 1.
fn nearest(x: &[DVec3], a: &[DVec3], b: &[DVec3]) -> f64 {
    let (mut along, mut whole) = (0.0, 0.0);
    for ((x, a), b) in x.iter().zip(a).zip(b) {
        along += (*x - *a).dot(*b - *a);
        whole += (*b - *a).length_squared();
    }
    let part: f64 = along / whole;
    if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
}
