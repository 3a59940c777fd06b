//! Pairs of features that need not be looked at again for a while.
//!
//! Let two features be D apart when their vertices are at some places X. A convex combination of vertices moves no farther than
//! the farthest of them, so as long as no vertex is farther than r from its X, up to a translation that all share,
//! the features are at least D − 2r apart. Motion is straight and the translation may be linear in time, so checking the start and the end
//! of a step suffices.
//!
//! D is the width of a slab between the features, a lower bound that holds whatever the direction is: directions
//! that are not quite right make it smaller.

use glam::DVec3;
use toile_collide::ccd::Pair;
use toile_collide::distance::{edge_edge, point_triangle};

/// As many times as there are pairs must queries have been made before distances are measured again: to measure takes about as
/// long as to ask.
const REMEASURE_AFTER: usize = 1;
/// Distances are kept in single precision, less what rounding may have added.
const DISTANCE_ROUNDING: f64 = 1.0 - 1e-6;

/// Distances of pairs of features at some moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clearance {
    /// Where the vertices were.
    at: Vec<DVec3>,
    /// Lower bounds of distances, of pairs of vertices and faces and then of edges [m].
    distances: Vec<f32>,
    least: f32,
    /// Queries since then.
    spent: usize,
}

/// Pairs of features of some vertices.
pub(crate) struct Among<'a> {
    /// All vertices that the pairs have.
    pub(crate) vertices: &'a [u32],
    /// A vertex and a face's, each pair.
    pub(crate) vf: &'a [[u32; 4]],
    /// Two edges', each pair.
    pub(crate) ee: &'a [[u32; 4]],
}

impl Clearance {
    /// Lists the pairs that may come nearer than `gap` in the straight motion between `ends`, by their numbers: edge pairs are numbered
    /// after vertex–face pairs.
    pub(crate) fn pick(
        &mut self,
        among: &Among<'_>,
        ends: [&[DVec3]; 2],
        gap: f64,
        picked: &mut Vec<u32>,
    ) {
        picked.clear();
        let count = among.vf.len() + among.ee.len();
        if self.distances.len() != count || self.spent >= REMEASURE_AFTER * count {
            self.measure(among, ends[0]);
        }
        // Single precision again, to the safe side.
        let reach = ((gap + 2.0 * self.drift(among.vertices, ends)) / DISTANCE_ROUNDING) as f32;
        if self.least > reach {
            return;
        }
        let each = self.distances.iter().enumerate();
        picked.extend(each.filter(|(_, d)| **d <= reach).map(|(i, _)| i as u32));
        self.spent += picked.len();
    }

    /// How far any vertex is from its place, beyond what all have in common.
    fn drift(&self, vertices: &[u32], ends: [&[DVec3]; 2]) -> f64 {
        let mut most = 0.0_f64;
        for x in ends {
            let moved = || vertices.iter().zip(&self.at).map(|(v, at)| x[*v as usize] - *at);
            let (lo, hi) = moved()
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), d| (lo.min(d), hi.max(d)));
            let middle = 0.5 * (lo + hi);
            most = moved().fold(most, |most, d| most.max(d.distance_squared(middle)));
        }
        most.sqrt()
    }

    fn measure(&mut self, among: &Among<'_>, x: &[DVec3]) {
        self.spent = 0;
        self.at.clear();
        self.at.extend(among.vertices.iter().map(|v| x[*v as usize]));
        self.distances.clear();
        let kinds = [(Pair::VertexFace, among.vf), (Pair::EdgeEdge, among.ee)];
        for (kind, [a, b, c, d]) in kinds.iter().flat_map(|(k, all)| all.iter().map(|p| (*k, *p))) {
            let at = |v: u32| x[v as usize];
            let apart = distance(kind, [at(a), at(b), at(c), at(d)]);
            self.distances.push((apart * DISTANCE_ROUNDING) as f32);
        }
        self.least = self.distances.iter().copied().fold(f32::INFINITY, f32::min);
    }
}

/// A lower bound of the distance of two features, exact but for rounding unless they are slivers. None is told
/// for features that touch.
fn distance(kind: Pair, [a, b, c, d]: [DVec3; 4]) -> f64 {
    let between = match kind {
        Pair::VertexFace => {
            let w = point_triangle(a, [b, c, d]);
            a - (b * w[0] + c * w[1] + d * w[2])
        }
        Pair::EdgeEdge => {
            let [s, t] = edge_edge([a, b], [c, d]);
            a.lerp(b, s) - c.lerp(d, t)
        }
    };
    let Some(n) = between.try_normalize() else { return 0.0 };
    let [a, b, c, d] = [n.dot(a), n.dot(b), n.dot(c), n.dot(d)];
    match kind {
        Pair::VertexFace => a - b.max(c).max(d),
        Pair::EdgeEdge => a.min(b) - c.max(d),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [−1, 1) that look random.
    fn noise(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    #[test]
    fn distances_are_those_of_a_fine_grid_of_points() {
        let mut seed = 1;
        let mut point = || DVec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed));
        for _ in 0..200 {
            let [a, b, c, d] = std::array::from_fn(|_| point());
            let n = 60;
            let mut least = [f64::INFINITY; 2];
            for i in 0..=n {
                for j in 0..=n {
                    let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                    least[1] = least[1].min(a.lerp(b, s).distance(c.lerp(d, t)));
                    least[0] = least[0].min(a.distance(b.lerp(c, s).lerp(d, t)));
                }
            }
            for (kind, most) in [Pair::VertexFace, Pair::EdgeEdge].into_iter().zip(least) {
                let told = distance(kind, [a, b, c, d]);
                assert!(told < most + 1e-12 && told > most - 0.1, "{kind:?}: {told} of {most}");
            }
        }
    }

    #[test]
    fn a_pair_is_left_out_only_while_it_stays_apart() {
        // An edge above another, 1 apart, that sinks by 0.1 a step while both fall.
        let start = [DVec3::Y - DVec3::X, DVec3::Y + DVec3::X, -DVec3::Z, DVec3::Z];
        let after = |k: usize| {
            let (sunk, fall) = (DVec3::Y * (0.1 * k as f64), DVec3::Y * (5.0 * k as f64));
            [start[0] - sunk - fall, start[1] - sunk - fall, start[2] - fall, start[3] - fall]
        };
        let among = Among { vertices: &[0, 1, 2, 3], vf: &[], ee: &[[0, 1, 2, 3]] };
        let (mut clearance, mut picked) = (Clearance::default(), Vec::new());
        let mut asked = Vec::new();
        for k in 0..9 {
            clearance.pick(&among, [&after(k), &after(k + 1)], 0.25, &mut picked);
            asked.push(!picked.is_empty());
        }
        // After 7 steps they are 0.3 apart, in the 8th they come nearer than 0.25.
        assert_eq!(asked.iter().position(|a| *a), Some(7), "{asked:?}");
        assert!(asked[8]);
    }
}
