//! Seams: which edges are sewn together, and which point meets which.
//!
//! A side of a seam is a chain: edges, or parts of edges, one after the other, perhaps over several panels.
//! [`Pattern::chain`] lays it out over the pieces of the opened outlines, without the legs of darts, which
//! are sewn by themselves. [`Correspondence`] says which arc length of one side meets which of the other:
//! ease is spread evenly between the ends and the joints that belong together.

use crate::panel::Segment;
use crate::pattern::Pattern;
use serde::{Deserialize, Serialize};

/// Joints of two chains that are nearer than this fraction of their length belong together.
const JOINT_FRACTION: f64 = 0.03;

/// … and nearer than this [m].
const JOINT_DISTANCE: f64 = 0.02;

/// The greatest ratio of lengths that is taken for a gather, and not for a mistake: tulle is gathered 8 : 1.
pub const MAX_GATHER: f64 = 12.0;

/// An edge of a panel, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgePart {
    /// The panel.
    pub panel: String,
    /// The edge.
    pub edge: String,
    /// The part, as fractions of the length that the edge has once its darts are sewn.
    pub range: [f64; 2],
}

impl EdgePart {
    /// A whole edge.
    pub fn new(panel: impl Into<String>, edge: impl Into<String>) -> Self {
        Self { panel: panel.into(), edge: edge.into(), range: [0.0, 1.0] }
    }

    /// Reads `panel.edge` or `panel.edge[0.25, 0.5]`.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not of the form `panel.edge` or `panel.edge[0, 0.5]`");
        let (name, range) = match text.split_once('[') {
            None => (text, [0.0, 1.0]),
            Some((name, rest)) => {
                let inner = rest.trim_end().strip_suffix(']').ok_or_else(wrong)?;
                let (a, b) = inner.split_once(',').ok_or_else(wrong)?;
                let number = |t: &str| t.trim().parse::<f64>().map_err(|_| wrong());
                (name, [number(a)?, number(b)?])
            }
        };
        let (panel, edge) = name.trim().split_once('.').ok_or_else(wrong)?;
        if panel.is_empty() || edge.is_empty() {
            return Err(wrong());
        }
        Ok(Self { panel: panel.into(), edge: edge.into(), range })
    }
}

impl std::fmt::Display for EdgePart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.panel, self.edge)?;
        match self.range {
            [0.0, 1.0] => Ok(()),
            [a, b] => write!(f, "[{a}, {b}]"),
        }
    }
}

/// How the two sides of a seam run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Against each other: the beginning of one meets the end of the other. So it is wherever both
    /// panels show their right side.
    #[default]
    Opposite,
    /// Side by side: beginning meets beginning; one panel shows its right side, the other its wrong side.
    Same,
}

/// Two chains of edges sewn together.
#[derive(Clone, Debug, PartialEq)]
pub struct Seam {
    /// What it is called.
    pub name: String,
    /// One side.
    pub a: Vec<EdgePart>,
    /// The other side.
    pub b: Vec<EdgePart>,
    /// How the sides run.
    pub direction: Direction,
    /// The length of the longer side over that of the shorter, as the design wants it.
    pub gather: f64,
    /// Seams of lower order are sewn first.
    pub order: i32,
}

impl Seam {
    /// A seam of two whole edges.
    pub fn new(name: impl Into<String>, a: EdgePart, b: EdgePart) -> Self {
        Self::of_chains(name, vec![a], vec![b])
    }

    /// A seam of two chains of edges.
    pub fn of_chains(name: impl Into<String>, a: Vec<EdgePart>, b: Vec<EdgePart>) -> Self {
        let direction = Direction::Opposite;
        Self { name: name.into(), a, b, direction, gather: 1.0, order: 0 }
    }

    /// With a stated ratio of the longer to the shorter side.
    pub fn with_gather(mut self, ratio: f64) -> Self {
        self.gather = ratio;
        self
    }

    /// With a place in the order of sewing.
    pub fn with_order(mut self, order: i32) -> Self {
        self.order = order;
        self
    }
}

/// A piece of the opened outline of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentId {
    /// Index of the panel.
    pub panel: usize,
    /// Index in [`crate::Panel::loops`].
    pub ring: usize,
    /// Index in that loop.
    pub index: usize,
}

/// A stretch of a segment, from one arc length to another [m]; backwards if `to < from`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The segment.
    pub segment: SegmentId,
    /// Where it begins [m].
    pub from: f64,
    /// Where it ends [m].
    pub to: f64,
}

impl Stretch {
    /// Its length [m].
    pub fn length(&self) -> f64 {
        (self.to - self.from).abs()
    }

    fn reversed(self) -> Self {
        Self { segment: self.segment, from: self.to, to: self.from }
    }
}

/// The opened outlines of all panels: `loops[panel][ring][index]`.
pub type Loops = Vec<Vec<Vec<Segment>>>;

/// One side of a seam laid out: stretches in the order in which they are sewn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// Its stretches.
    pub stretches: Vec<Stretch>,
}

impl Chain {
    /// Its length [m].
    pub fn length(&self) -> f64 {
        self.stretches.iter().map(Stretch::length).sum()
    }

    /// Arc lengths at which stretches join [m], without the ends.
    pub fn joints(&self) -> Vec<f64> {
        let mut s = 0.0;
        let mut joints = Vec::new();
        for stretch in &self.stretches[..self.stretches.len().saturating_sub(1)] {
            s += stretch.length();
            joints.push(s);
        }
        joints
    }

    /// The same chain walked the other way.
    pub fn reversed(&self) -> Self {
        Self { stretches: self.stretches.iter().rev().map(|s| s.reversed()).collect() }
    }
}

/// Which arc length of one chain meets which of another, linear in between.
#[derive(Clone, Debug, PartialEq)]
pub struct Correspondence {
    /// Pairs of arc lengths [m], increasing, from both beginnings to both ends.
    pub pairs: Vec<[f64; 2]>,
}

impl Correspondence {
    /// Of two chains that are walked together. `marks` are further pairs of arc lengths that must meet.
    pub fn new(a: &Chain, b: &Chain, marks: &[[f64; 2]]) -> Self {
        let (la, lb) = (a.length(), b.length());
        let mut pairs: Vec<[f64; 2]> = marks.to_vec();
        let near = (JOINT_FRACTION * 0.5 * (la + lb)).min(JOINT_DISTANCE);
        let joints_b = b.joints();
        for sa in a.joints() {
            // Compare at equal fractions of both lengths, so that gathering does not hide joints.
            let wanted = sa / la.max(f64::MIN_POSITIVE) * lb;
            let best = joints_b
                .iter()
                .map(|&sb| ((sb - wanted).abs(), sb))
                .min_by(|x, y| x.0.total_cmp(&y.0));
            if let Some((gap, sb)) = best
                && gap <= near
            {
                pairs.push([sa, sb]);
            }
        }
        pairs.sort_by(|x, y| x[0].total_cmp(&y[0]));
        let mut kept = vec![[0.0, 0.0]];
        for p in pairs {
            let last = kept[kept.len() - 1];
            // What would tie the thread backwards or to itself is left out.
            if p[0] > last[0] + 1e-6
                && p[1] > last[1] + 1e-6
                && p[0] < la - 1e-6
                && p[1] < lb - 1e-6
            {
                kept.push(p);
            }
        }
        kept.push([la, lb]);
        Self { pairs: kept }
    }

    /// The arc length on side `1 − side` that meets `s` of `side` [m].
    pub fn partner(&self, side: usize, s: f64) -> f64 {
        let (i, o) = (side, 1 - side);
        let last = self.pairs.len() - 2;
        let k = self.pairs[1..=last].iter().take_while(|p| p[i] <= s).count();
        let ([p, q], width) =
            ([self.pairs[k], self.pairs[k + 1]], self.pairs[k + 1][i] - self.pairs[k][i]);
        if width <= 0.0 { p[o] } else { p[o] + (s - p[i]) / width * (q[o] - p[o]) }
    }
}

impl Pattern {
    /// The opened outlines of all panels.
    pub fn loops(&self) -> Loops {
        self.panels.iter().map(crate::Panel::loops).collect()
    }

    /// Lays one side of a seam out over the opened outlines; nothing for what does not exist.
    pub fn chain(&self, side: &[EdgePart], loops: &Loops) -> Chain {
        let mut chain = Chain::default();
        for part in side {
            let Some(panel) = self.panels.iter().position(|p| p.name == part.panel) else {
                continue;
            };
            let Some(edge) = self.panels[panel].edge_index(&part.edge) else { continue };
            let pieces: Vec<(usize, f64)> = loops[panel][0]
                .iter()
                .enumerate()
                .filter(|(_, s)| s.source == crate::panel::Source::Edge(edge))
                .map(|(index, s)| (index, s.edge.length()))
                .collect();
            let total: f64 = pieces.iter().map(|p| p.1).sum();
            let [low, high] = part.range.map(|r| r * total);
            let mut done = 0.0;
            for (index, length) in pieces {
                let (from, to) = ((low - done).max(0.0), (high - done).min(length));
                if to - from > 1e-9 {
                    let segment = SegmentId { panel, ring: 0, index };
                    // Whole pieces end where the piece ends, to the last bit.
                    let to = if to > length - 1e-9 { length } else { to };
                    chain.stretches.push(Stretch { segment, from, to });
                }
                done += length;
            }
        }
        chain
    }

    /// Both sides of a seam, walked together, and how they meet.
    pub fn sides(&self, seam: &Seam, loops: &Loops) -> (Chain, Chain, Correspondence) {
        let a = self.chain(&seam.a, loops);
        let b = self.chain(&seam.b, loops);
        let (marks_a, marks_b) = (self.labels(&seam.a), self.labels(&seam.b));
        let lb = b.length();
        let turned = seam.direction == Direction::Opposite;
        let b = if turned { b.reversed() } else { b };
        let mut marks = Vec::new();
        for (label, sa) in &marks_a {
            if let Some((_, sb)) = marks_b.iter().find(|m| m.0 == *label) {
                marks.push([*sa, if turned { lb - sb } else { *sb }]);
            }
        }
        let meet = Correspondence::new(&a, &b, &marks);
        (a, b, meet)
    }

    /// Labelled notches on one side of a seam, with their arc length along it [m].
    fn labels(&self, side: &[EdgePart]) -> Vec<(String, f64)> {
        let mut labels = Vec::new();
        let mut done = 0.0;
        for part in side {
            let Some(panel) = self.panel(&part.panel) else { continue };
            let Some(edge) = panel.edge_index(&part.edge) else { continue };
            let (full, sewn) = (panel.edges[edge].length(), panel.sewn_length(edge));
            let [low, high] = part.range.map(|r| r * sewn);
            for notch in panel.notches.iter().filter(|n| n.edge == part.edge && !n.label.is_empty())
            {
                let s = notch.at * full;
                let taken: f64 =
                    panel.openings(edge).iter().map(|o| (s.min(o.end) - o.start).max(0.0)).sum();
                let s = s - taken;
                if s > low && s < high {
                    labels.push((notch.label.clone(), done + s - low));
                }
            }
            done += high - low;
        }
        labels
    }

    /// What darts and pleats sew together: their name and both legs, walked together.
    pub fn closures(&self, loops: &Loops) -> Vec<(usize, String, Chain, Chain)> {
        use crate::panel::Source;
        let mut closures = Vec::new();
        for (panel, rings) in loops.iter().enumerate() {
            let p = &self.panels[panel];
            let leg = |wanted: Source| {
                let mut chain = Chain::default();
                for (ring, segments) in rings.iter().enumerate() {
                    for (index, s) in
                        segments.iter().enumerate().filter(|(_, s)| s.source == wanted)
                    {
                        let segment = SegmentId { panel, ring, index };
                        chain.stretches.push(Stretch { segment, from: 0.0, to: s.edge.length() });
                    }
                }
                chain
            };
            for (i, dart) in p.darts.iter().enumerate() {
                let (a, b) = (leg(Source::Dart(i, 0)), leg(Source::Dart(i, 1)));
                closures.push((panel, dart.name.clone(), a, b.reversed()));
            }
            for (i, pleat) in p.pleats.iter().enumerate() {
                let (a, b) = (leg(Source::Pleat(i, 0)), leg(Source::Pleat(i, 1)));
                closures.push((panel, pleat.name.clone(), a, b.reversed()));
            }
        }
        closures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_edges_are_read_and_written() {
        for text in ["front.side", "front.side[0.25, 0.5]"] {
            assert_eq!(EdgePart::parse(text).unwrap().to_string(), text);
        }
        for text in ["front", ".side", "front.", "front.side[0.25", "front.side[a, b]", ""] {
            assert!(EdgePart::parse(text).unwrap_err().contains("panel.edge"), "{text}");
        }
    }

    fn chain(lengths: &[f64]) -> Chain {
        let stretch = |(index, &to): (usize, &f64)| Stretch {
            segment: SegmentId { panel: 0, ring: 0, index },
            from: 0.0,
            to,
        };
        Chain { stretches: lengths.iter().enumerate().map(stretch).collect() }
    }

    #[test]
    fn ease_is_spread_evenly() {
        let c = Correspondence::new(&chain(&[1.0]), &chain(&[1.5]), &[]);
        assert!((c.partner(0, 0.5) - 0.75).abs() < 1e-12);
        assert!((c.partner(1, 0.75) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn joints_that_nearly_agree_are_sewn_together() {
        let c = Correspondence::new(&chain(&[0.24, 0.26]), &chain(&[0.25, 0.25]), &[]);
        assert_eq!(c.pairs, [[0.0, 0.0], [0.24, 0.25], [0.5, 0.5]]);
        let far = Correspondence::new(&chain(&[0.2, 0.3]), &chain(&[0.25, 0.25]), &[]);
        assert_eq!(far.pairs.len(), 2);
    }

    #[test]
    fn marks_hold_the_sides_together() {
        let c = Correspondence::new(&chain(&[1.0]), &chain(&[1.0]), &[[0.5, 0.4]]);
        assert!((c.partner(0, 0.25) - 0.2).abs() < 1e-12);
        assert!((c.partner(0, 0.75) - 0.7).abs() < 1e-12);
    }
}
