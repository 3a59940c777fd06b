//! Where each coordinate of each vertex may lie (eqs. 8 to 10).

use super::boxes::Plane;
use glam::DVec3;
use std::collections::BTreeMap;

/// Limits of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// The newest plane of each pair of triangles.
    planes: BTreeMap<[u32; 2], Plane>,
    /// What features of triangles without a plane demand.
    soft: Vec<[DVec3; 2]>,
    /// What bodies, pins and holding demand: it goes before the others.
    hard: Vec<[DVec3; 2]>,
    /// All together, ready to be used.
    pub(crate) lower: Vec<DVec3>,
    pub(crate) upper: Vec<DVec3>,
    /// Coordinates whose limits were in conflict.
    pub(crate) conflicts: u32,
}

const FREE: [DVec3; 2] = [DVec3::NEG_INFINITY, DVec3::INFINITY];

impl Limits {
    /// None, for `n` vertices.
    pub(crate) fn new(n: usize) -> Self {
        let mut limits = Self::default();
        limits.hard.resize(n, FREE);
        limits.soft.resize(n, FREE);
        limits
    }

    /// Forgets the step before.
    pub(crate) fn reset(&mut self) {
        self.planes.clear();
        self.hard.fill(FREE);
        self.soft.fill(FREE);
    }

    /// Keeps two triangles on their sides of a plane; it replaces the one they had.
    pub(crate) fn divide(&mut self, pair: [u32; 2], plane: Plane) {
        self.planes.insert(pair, plane);
    }

    /// Holds a vertex at a place, unless it is held already: pins go where they are told.
    pub(crate) fn hold(&mut self, v: u32, at: DVec3) {
        if !self.is_held(v as usize) {
            self.hard[v as usize] = [at, at];
        }
    }

    /// Keeps a coordinate of a vertex at or beyond a value: above it if `above`, else below.
    pub(crate) fn bound(&mut self, v: u32, axis: usize, at: f64, above: bool) {
        narrow(&mut self.hard[v as usize], axis, at, above);
    }

    /// The same of less weight: what bodies and pins demand goes before it.
    pub(crate) fn keep(&mut self, v: u32, axis: usize, at: f64, above: bool) {
        narrow(&mut self.soft[v as usize], axis, at, above);
    }

    /// The same with a value that takes the place of the one before.
    pub(crate) fn put(&mut self, v: u32, axis: usize, at: f64, above: bool) {
        self.hard[v as usize][usize::from(!above)][axis] = at;
    }

    /// Whether a vertex is held at a place.
    pub(crate) fn is_held(&self, v: usize) -> bool {
        self.hard[v][0] == self.hard[v][1]
    }

    /// Sums up what every vertex has to keep.
    pub(crate) fn close(&mut self, triangles: &[[u32; 3]], x_t0: &[DVec3], hold: bool) {
        let n = self.hard.len();
        self.lower.clear();
        self.upper.clear();
        self.lower.extend(self.soft.iter().map(|s| s[0]));
        self.upper.extend(self.soft.iter().map(|s| s[1]));
        for ([a, b], plane) in &self.planes {
            let d = plane.axis;
            let (below, above) = if plane.first_below { (a, b) } else { (b, a) };
            for v in triangles[*below as usize] {
                let upper = &mut self.upper[v as usize][d];
                *upper = upper.min(plane.at - plane.half);
            }
            for v in triangles[*above as usize] {
                let lower = &mut self.lower[v as usize][d];
                *lower = lower.max(plane.at + plane.half);
            }
        }
        self.conflicts = 0;
        for v in 0..n {
            for d in 0..3 {
                let (mut lo, mut hi) = (self.lower[v][d], self.upper[v][d]);
                // Eq. 10: between the limits, whichever is the larger.
                if lo > hi {
                    self.conflicts += 1;
                    (lo, hi) = if hold { (x_t0[v][d], x_t0[v][d]) } else { (hi, lo) };
                }
                let [least, most] = self.hard[v].map(|h| h[d]);
                if least > most {
                    (lo, hi) = (x_t0[v][d], x_t0[v][d]);
                } else {
                    (lo, hi) = (lo.clamp(least, most), hi.clamp(least, most));
                }
                (self.lower[v][d], self.upper[v][d]) = (lo, hi);
            }
        }
    }
}

fn narrow([lower, upper]: &mut [DVec3; 2], axis: usize, at: f64, above: bool) {
    if above {
        lower[axis] = lower[axis].max(at);
    } else {
        upper[axis] = upper[axis].min(at);
    }
}
