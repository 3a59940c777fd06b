//! Arms of a human mesh, followed from the finger tips to the trunk.
//!
//! The tip of a hand is the point of its side farthest from the navel along the surface. Bands of equal distance
//! from the navel give a first axis; sections across it, taken where they are cut, refine it. An arm ends where its
//! section suddenly grows: there it joins the trunk.

use crate::error::Error;
use crate::find::Finder;
use crate::slice::{Loop, Plane, slice};
use glam::DVec3;
use std::collections::BinaryHeap;
use toile_mesh::{Topology, TriMesh};

/// Distance between sections of an arm, as a share of the height.
const STEP: f64 = 0.012;

/// Sections of an arm from the tip: how many at most.
const STATIONS: usize = 34;

/// An arm as a chain of sections.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    /// Finger tip.
    pub(crate) tip: DVec3,
    /// Centres of sections, from the hand to the trunk.
    pub(crate) axis: Vec<DVec3>,
    /// Girth at each.
    pub(crate) girth: Vec<f64>,
}

/// Edge graph of the mesh, for shortest paths.
pub(crate) struct EdgeGraph<'a> {
    mesh: &'a TriMesh,
    /// Neighbours of each vertex behind one another, and where each list begins.
    next: Vec<(u32, f64)>,
    start: Vec<u32>,
}

impl<'a> EdgeGraph<'a> {
    pub(crate) fn new(mesh: &'a TriMesh) -> Self {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let mut start = vec![0_u32; mesh.positions.len() + 1];
        for e in &topology.edges {
            for v in e.vertices {
                start[v as usize + 1] += 1;
            }
        }
        for v in 1..start.len() {
            start[v] += start[v - 1];
        }
        let mut fill = start.clone();
        let mut next = vec![(0, 0.0); 2 * topology.edges.len()];
        for e in &topology.edges {
            let [a, b] = e.vertices;
            let l = mesh.positions[a as usize].distance(mesh.positions[b as usize]);
            for (v, w) in [(a, b), (b, a)] {
                next[fill[v as usize] as usize] = (w, l);
                fill[v as usize] += 1;
            }
        }
        Self { mesh, next, start }
    }

    /// Length of the shortest way along edges from a vertex to every other, up to a bound [m].
    fn distances(&self, from: usize, bound: f64) -> Vec<f64> {
        let mut best = vec![f64::INFINITY; self.mesh.positions.len()];
        let mut heap = BinaryHeap::new();
        best[from] = 0.0;
        // Bits of positive numbers order as the numbers do.
        heap.push((std::cmp::Reverse(0_u64), from as u32));
        while let Some((std::cmp::Reverse(bits), v)) = heap.pop() {
            let d = f64::from_bits(bits);
            if d > best[v as usize] || d > bound {
                continue;
            }
            for i in self.start[v as usize]..self.start[v as usize + 1] {
                let (w, l) = self.next[i as usize];
                if d + l < best[w as usize] {
                    best[w as usize] = d + l;
                    heap.push((std::cmp::Reverse((d + l).to_bits()), w));
                }
            }
        }
        best
    }
}

impl Finder<'_> {
    /// Both arms, the left first. `navel` is a point on the front of the waist.
    pub(crate) fn arms(&self, walker: &EdgeGraph<'_>, navel: DVec3) -> Result<[Arm; 2], Error> {
        let x = &self.mesh.positions;
        let start = (0..x.len())
            .min_by(|a, b| x[*a].distance_squared(navel).total_cmp(&x[*b].distance_squared(navel)))
            .unwrap_or(0);
        let away = walker.distances(start, f64::INFINITY);
        let [left, right] = [1.0, -1.0].map(|side| {
            // Feet are below, and the head is nearer than the hands.
            let own = (0..x.len()).filter(|v| {
                side * x[*v].x > 0.02 * self.height
                    && x[*v].y - self.low > 0.3 * self.height
                    && away[*v].is_finite()
            });
            let tip = own.max_by(|a, b| away[*a].total_cmp(&away[*b]));
            let tip = tip.ok_or(Error::NotHuman { what: "it has no arms".into() })?;
            self.arm(walker, tip, &away)
        });
        Ok([left?, right?])
    }

    fn arm(&self, walker: &EdgeGraph<'_>, tip: usize, away: &[f64]) -> Result<Arm, Error> {
        let step = STEP * self.height;
        let bound = step * (STATIONS + 3) as f64;
        let distance = walker.distances(tip, bound);
        let mut sum = vec![(DVec3::ZERO, 0_u32); STATIONS + 3];
        for (v, p) in self.mesh.positions.iter().enumerate() {
            // Bands of equal distance from the navel: from a finger tip, other fingers are as far as the palm.
            let band = ((away[tip] - away[v]) / step) as usize;
            if distance[v] < bound
                && let Some((s, n)) = sum.get_mut(band)
            {
                *s += *p;
                *n += 1;
            }
        }
        let rough: Vec<DVec3> =
            sum.iter().take_while(|s| s.1 > 0).map(|(s, n)| *s / f64::from(*n)).collect();
        let (mut axis, mut girth) = (Vec::new(), Vec::<f64>::new());
        for i in 2..rough.len().saturating_sub(2) {
            let Some(along) = (rough[i + 2] - rough[i - 2]).try_normalize() else { break };
            let Some(cut) = self.across(rough[i], along) else { break };
            let g = cut.girth(along);
            let last = girth.last().copied().unwrap_or(f64::INFINITY);
            if g > 0.3 * self.height || (g > 1.25 * last && girth.len() > 8) {
                break;
            }
            axis.push(cut.centroid());
            girth.push(g);
        }
        if axis.len() < 15 {
            return Err(Error::NotHuman { what: "its arms are not free of its trunk".into() });
        }
        Ok(Arm { tip: self.mesh.positions[tip], axis, girth })
    }

    /// The loop in which a plane cuts the limb around a point.
    pub(crate) fn across(&self, point: DVec3, along: DVec3) -> Option<Loop> {
        let loops = slice(self.mesh, Plane { point, normal: along }).into_iter();
        let near = loops.map(|l| (l.centroid().distance_squared(point), l));
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, l)| l)
    }
}

impl Arm {
    /// The place of the least girth around the wrist: how far along the axis, in sections.
    pub(crate) fn wrist(&self) -> f64 {
        // The hand ends 8 to 15 % of the height from its tip; the first section is at 3 %, among the fingers.
        let range = 5..12.min(self.girth.len() - 1);
        let best =
            range.clone().min_by(|a, b| self.girth[*a].total_cmp(&self.girth[*b])).unwrap_or(5);
        let [a, b, c] = [best - 1, best, best + 1].map(|i| self.girth[i]);
        let bend = a - 2.0 * b + c;
        let shift = if bend > 0.0 { (0.5 * (a - c) / bend).clamp(-0.5, 0.5) } else { 0.0 };
        best as f64 + shift
    }

    /// A point of the axis and its direction towards the trunk, `s` in sections.
    pub(crate) fn at(&self, s: f64) -> (DVec3, DVec3) {
        let n = self.axis.len();
        let s = s.clamp(0.0, (n - 1) as f64);
        let i = (s as usize).min(n - 2);
        let p = self.axis[i].lerp(self.axis[i + 1], s - i as f64);
        let (a, b) = (i.saturating_sub(1), (i + 2).min(n - 1));
        (p, (self.axis[b] - self.axis[a]).normalize_or(DVec3::Y))
    }

    /// Where the axis has run a length from a place [m], in sections.
    pub(crate) fn after(&self, from: f64, length: f64) -> f64 {
        let mut at = from;
        let mut left = length;
        while left > 0.0 && at < (self.axis.len() - 1) as f64 {
            let end = at.floor() + 1.0;
            let l = self.at(at).0.distance(self.at(end).0);
            if l >= left {
                return at + (end - at) * left / l;
            }
            left -= l;
            at = end;
        }
        at
    }
}
