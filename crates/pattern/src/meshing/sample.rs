//! Points on the outlines, the same number on both sides of every seam.
//!
//! Each segment is cut at knots: its ends, the ends of the stretches that seams use, the joints of chains.
//! A knot on one side of a seam is carried over to the other side, until nothing new appears. Between
//! knots lie intervals; those that are sewn together form a group, and all of a group are divided
//! into the same number of parts: their mean length over the edge length, rounded.

use super::{PanelVertex, SewnBy};
use crate::seam::{Chain, Correspondence, Loops, SegmentId};
use glam::DVec2;

/// Knots nearer than this [m] are one.
const MERGE_DISTANCE: f64 = 1e-6;

/// Knots are carried over at most this many times.
const MAX_PROPAGATIONS: usize = 24;

/// A curve longer than its chord by this factor is never a single straight piece.
const CURVED_RATIO: f64 = 1.03;

type Join = (SewnBy, Chain, Chain, Correspondence);

/// The points of all outlines.
pub(super) struct Samples {
    /// Number of the first segment of each loop of each panel.
    first: Vec<Vec<usize>>,
    /// Index of the first vertex of each segment in its panel.
    start: Vec<u32>,
    /// Index of the last vertex of each segment, which is the first of the next.
    end: Vec<u32>,
    /// Points of each segment, both ends among them.
    points: Vec<Vec<DVec2>>,
    /// For each join, the pairs.
    pairs: Vec<Vec<[PanelVertex; 2]>>,
    /// Number of segments of each loop of each panel.
    count: Vec<Vec<usize>>,
}

impl Samples {
    /// Divides all segments.
    ///
    /// # Errors
    /// The index of a join whose sides cannot be brought to agree.
    pub(super) fn new(loops: &Loops, joins: &[Join], h: f64) -> Result<Self, usize> {
        let count: Vec<Vec<usize>> =
            loops.iter().map(|rings| rings.iter().map(Vec::len).collect()).collect();
        let mut total = 0;
        let mut first = Vec::new();
        for rings in &count {
            let mut starts = Vec::new();
            for n in rings {
                starts.push(total);
                total += n;
            }
            first.push(starts);
        }
        let flat: Vec<&crate::Edge> = loops.iter().flatten().flatten().map(|s| &s.edge).collect();
        let number = |id: SegmentId| first[id.panel][id.ring] + id.index;
        let mut knots = Knots { of: flat.iter().map(|e| vec![0.0, e.length()]).collect() };
        knots.carry(joins, &number);

        // Intervals, and which of them are sewn together.
        let mut base = Vec::new();
        let mut intervals = 0;
        for k in &knots.of {
            base.push(intervals);
            intervals += k.len() - 1;
        }
        let mut groups = Groups::new(intervals);
        let mut matched: Vec<Vec<[Interval; 2]>> = Vec::new();
        for (j, (_, a, b, _)) in joins.iter().enumerate() {
            let [a, b] = [a, b].map(|c| knots.along(c, &number, &base));
            if a.len() != b.len() {
                return Err(j);
            }
            a.iter().zip(&b).for_each(|(x, y)| groups.unite(x.number, y.number));
            matched.push(a.into_iter().zip(b).map(|(x, y)| [x, y]).collect());
        }
        let parts = divide(&knots, &flat, &mut groups, h);

        // Points, and their numbers around each loop.
        let mut points = Vec::new();
        for (s, edge) in flat.iter().enumerate() {
            let mut made = Vec::new();
            for (k, pair) in knots.of[s].windows(2).enumerate() {
                let n = parts[base[s] + k];
                for i in 0..n {
                    made.push(edge.at(pair[0] + (pair[1] - pair[0]) * i as f64 / n as f64));
                }
            }
            made[0] = edge.from;
            made.push(edge.to);
            points.push(made);
        }
        let (mut start, mut end) = (vec![0; total], vec![0; total]);
        for (panel, rings) in count.iter().enumerate() {
            let mut next = 0;
            for (ring, &n) in rings.iter().enumerate() {
                let begin = next;
                for s in first[panel][ring]..first[panel][ring] + n {
                    start[s] = next;
                    next += points[s].len() as u32 - 1;
                    end[s] = next;
                }
                end[first[panel][ring] + n - 1] = begin;
            }
        }
        let mut samples = Self { first, start, end, points, pairs: Vec::new(), count };
        for sewn in &matched {
            samples.pairs.push(samples.stitch(sewn, &parts, &base));
        }
        Ok(samples)
    }

    /// Points of the loops of a panel, each once.
    pub(super) fn rings(&self, panel: usize) -> Vec<Vec<DVec2>> {
        let of_ring = |ring: usize| {
            let first = self.first[panel][ring];
            let segments = &self.points[first..first + self.count[panel][ring]];
            segments.iter().flat_map(|p| p[..p.len() - 1].iter().copied()).collect()
        };
        (0..self.count[panel].len()).map(of_ring).collect()
    }

    /// Vertices of a segment, from its beginning to its end.
    pub(super) fn vertices(&self, panel: usize, ring: usize, index: usize) -> Vec<u32> {
        let s = self.first[panel][ring] + index;
        (0..self.points[s].len()).map(|i| self.vertex(s, i)).collect()
    }

    /// The pairs of a join.
    pub(super) fn pairs(&self, join: usize) -> Vec<[PanelVertex; 2]> {
        self.pairs[join].clone()
    }

    fn vertex(&self, segment: usize, i: usize) -> u32 {
        if i + 1 == self.points[segment].len() {
            self.end[segment]
        } else {
            self.start[segment] + i as u32
        }
    }

    /// Pairs of vertices along matched intervals, without those that are one vertex already.
    fn stitch(
        &self,
        matched: &[[Interval; 2]],
        parts: &[usize],
        base: &[usize],
    ) -> Vec<[PanelVertex; 2]> {
        let mut pairs: Vec<[PanelVertex; 2]> = Vec::new();
        for both in matched {
            let n = parts[both[0].number];
            for i in 0..=n {
                let pair = both.map(|x| {
                    let before: usize = parts[base[x.segment]..x.number].iter().sum();
                    let local = before + if x.backwards { n - i } else { i };
                    let vertex = self.vertex(x.segment, local);
                    PanelVertex { panel: x.panel as u32, vertex }
                });
                if pair[0] != pair[1] && pairs.last() != Some(&pair) {
                    pairs.push(pair);
                }
            }
        }
        pairs
    }
}

/// A stretch between two knots, as a chain walks it.
#[derive(Clone, Copy, Debug)]
struct Interval {
    number: usize,
    segment: usize,
    panel: usize,
    backwards: bool,
}

/// Arc lengths at which each segment is cut [m].
struct Knots {
    of: Vec<Vec<f64>>,
}

impl Knots {
    /// Puts a knot; whether it is new.
    fn put(&mut self, segment: usize, s: f64) -> bool {
        let knots = &mut self.of[segment];
        let i = knots.partition_point(|&k| k < s);
        let near = |k: Option<&f64>| k.is_some_and(|k| (k - s).abs() <= MERGE_DISTANCE);
        if near(knots.get(i)) || (i > 0 && near(knots.get(i - 1))) || i == 0 || i == knots.len() {
            return false;
        }
        knots.insert(i, s);
        true
    }

    /// Carries knots over seams until nothing new appears.
    fn carry(&mut self, joins: &[Join], number: &impl Fn(SegmentId) -> usize) {
        for (_, a, b, _) in joins {
            for stretch in a.stretches.iter().chain(&b.stretches) {
                self.put(number(stretch.segment), stretch.from);
                self.put(number(stretch.segment), stretch.to);
            }
        }
        for _ in 0..MAX_PROPAGATIONS {
            let mut new = false;
            for (_, a, b, meet) in joins {
                for (side, [own, other]) in [[a, b], [b, a]].into_iter().enumerate() {
                    let ties = meet.pairs.iter().map(|p| p[side]);
                    let wanted: Vec<f64> =
                        self.positions(own, number).into_iter().chain(ties).collect();
                    for s in wanted {
                        new |= self.put_on(other, meet.partner(side, s), number);
                    }
                }
            }
            if !new {
                return;
            }
        }
    }

    /// Knots along a chain, as arc lengths of the chain [m].
    fn positions(&self, chain: &Chain, number: &impl Fn(SegmentId) -> usize) -> Vec<f64> {
        let mut positions = Vec::new();
        let mut done = 0.0;
        for stretch in &chain.stretches {
            let (low, high) = (stretch.from.min(stretch.to), stretch.from.max(stretch.to));
            let inside = self.of[number(stretch.segment)]
                .iter()
                .filter(|&&k| k >= low - MERGE_DISTANCE && k <= high + MERGE_DISTANCE)
                .map(|k| done + (k - stretch.from).abs());
            positions.extend(inside);
            done += stretch.length();
        }
        positions
    }

    /// Puts a knot at an arc length of a chain.
    fn put_on(&mut self, chain: &Chain, s: f64, number: &impl Fn(SegmentId) -> usize) -> bool {
        let mut rest = s;
        for stretch in &chain.stretches {
            if rest < stretch.length() {
                let sign = (stretch.to - stretch.from).signum();
                return self.put(number(stretch.segment), stretch.from + sign * rest);
            }
            rest -= stretch.length();
        }
        false
    }

    /// The intervals along a chain.
    fn along(
        &self,
        chain: &Chain,
        number: &impl Fn(SegmentId) -> usize,
        base: &[usize],
    ) -> Vec<Interval> {
        let mut all = Vec::new();
        for stretch in &chain.stretches {
            let segment = number(stretch.segment);
            let (low, high) = (stretch.from.min(stretch.to), stretch.from.max(stretch.to));
            let backwards = stretch.to < stretch.from;
            let knots = &self.of[segment];
            let mut inside: Vec<Interval> = (0..knots.len() - 1)
                .filter(|&k| {
                    knots[k] >= low - 2.0 * MERGE_DISTANCE
                        && knots[k + 1] <= high + 2.0 * MERGE_DISTANCE
                })
                .map(|k| Interval {
                    number: base[segment] + k,
                    segment,
                    panel: stretch.segment.panel,
                    backwards,
                })
                .collect();
            if backwards {
                inside.reverse();
            }
            all.append(&mut inside);
        }
        all
    }
}

/// How many parts each interval is divided into.
fn divide(knots: &Knots, flat: &[&crate::Edge], groups: &mut Groups, h: f64) -> Vec<usize> {
    let n = groups.parent.len();
    let (mut sum, mut members, mut least) = (vec![0.0; n], vec![0.0; n], vec![1; n]);
    let mut i = 0;
    for (edge, k) in flat.iter().zip(&knots.of) {
        for pair in k.windows(2) {
            let g = groups.find(i);
            let length = pair[1] - pair[0];
            sum[g] += length;
            members[g] += 1.0;
            if length > CURVED_RATIO * edge.at(pair[0]).distance(edge.at(pair[1])) {
                least[g] = 2;
            }
            i += 1;
        }
    }
    (0..n)
        .map(|i| {
            let g = groups.find(i);
            ((sum[g] / members[g] / h).round() as usize).max(least[g])
        })
        .collect()
}

/// Disjoint sets of intervals.
struct Groups {
    parent: Vec<usize>,
}

impl Groups {
    fn new(n: usize) -> Self {
        Self { parent: (0..n).collect() }
    }

    fn find(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
