//! How many proposed seams are right, where the seams are known.

use super::Proposal;
use crate::pattern::Pattern;
use crate::seam::{Chain, Correspondence, Loops, Seam, SegmentId};

/// Points of a seam that are compared.
const PROBES: usize = 9;

/// A point that meets its partner to within this is right [m].
const MAX_POINT_ERROR: f64 = 0.02;

/// … or within this part of the length of the seam.
const NEAR_FRACTION: f64 = 0.06;

/// How proposals compare with the seams of a pattern.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Judgement {
    /// Seams that the pattern has.
    pub known: usize,
    /// Of these, how many a proposal has.
    pub found: usize,
    /// Seams that are proposed.
    pub proposed: usize,
    /// Of these, how many are right.
    pub right: usize,
    /// Proposals that are not doubtful.
    pub sure: usize,
    /// Of these, how many are right.
    pub sure_right: usize,
    /// Proposals that are wrong.
    pub wrong: Vec<String>,
    /// Known seams that no proposal has.
    pub missing: Vec<String>,
}

/// Compares proposals for a pattern with its own seams.
pub fn judge(pattern: &Pattern, proposals: &[Proposal]) -> Judgement {
    let loops = pattern.loops();
    let known: Vec<Sides> = pattern.seams.iter().map(|s| Sides::new(pattern, s, &loops)).collect();
    let made: Vec<Sides> = proposals.iter().map(|p| Sides::new(pattern, &p.seam, &loops)).collect();
    let mut judgement =
        Judgement { known: known.len(), proposed: made.len(), ..Default::default() };
    for (sides, proposal) in made.iter().zip(proposals) {
        let is_sure = proposal.confidence >= super::DOUBTFUL;
        judgement.sure += usize::from(is_sure);
        match sides.agrees(&known) {
            true => {
                judgement.right += 1;
                judgement.sure_right += usize::from(is_sure);
            }
            false => judgement.wrong.push(describe(&proposal.seam)),
        }
    }
    for (sides, seam) in known.iter().zip(&pattern.seams) {
        match sides.agrees(&made) {
            true => judgement.found += 1,
            false => judgement.missing.push(describe(seam)),
        }
    }
    judgement
}

fn describe(seam: &Seam) -> String {
    let side =
        |s: &[crate::EdgePart]| s.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ");
    format!("{} – {}", side(&seam.a), side(&seam.b))
}

/// A point of an outline: a segment, and an arc length on it.
type Place = (SegmentId, f64);

struct Sides {
    chains: [Chain; 2],
    meet: Correspondence,
    lengths: [f64; 2],
}

impl Sides {
    fn new(pattern: &Pattern, seam: &Seam, loops: &Loops) -> Self {
        let (a, b, meet) = pattern.sides(seam, loops);
        let lengths = [a.length(), b.length()];
        Self { chains: [a, b], meet, lengths }
    }

    fn place(&self, side: usize, s: f64) -> Option<Place> {
        let mut done = 0.0;
        for stretch in &self.chains[side].stretches {
            let length = stretch.length();
            if s <= done + length + 1e-9 {
                let t = (s - done).clamp(0.0, length);
                let forward = stretch.to >= stretch.from;
                let at = if forward { stretch.from + t } else { stretch.from - t };
                return Some((stretch.segment, at));
            }
            done += length;
        }
        None
    }

    /// Arc length of a point on a side.
    fn find(&self, side: usize, place: Place) -> Option<f64> {
        let mut done = 0.0;
        for stretch in &self.chains[side].stretches {
            let (low, high) = (stretch.from.min(stretch.to), stretch.from.max(stretch.to));
            if stretch.segment == place.0 && place.1 > low - 1e-6 && place.1 < high + 1e-6 {
                return Some(done + (place.1 - stretch.from).abs());
            }
            done += stretch.length();
        }
        None
    }

    /// Where the point is sewn to, as an arc length on a side of this seam.
    fn partner(&self, place: Place) -> Option<(usize, f64)> {
        (0..2)
            .find_map(|side| self.find(side, place).map(|s| (1 - side, self.meet.partner(side, s))))
    }

    /// Whether nearly all its points meet what they meet in others.
    fn agrees(&self, others: &[Self]) -> bool {
        let near = MAX_POINT_ERROR.max(NEAR_FRACTION * self.lengths[0].max(self.lengths[1]));
        let right = (0..PROBES).filter(|k| {
            let s = self.lengths[0] * (*k as f64 + 0.5) / PROBES as f64;
            let (Some(a), Some(b)) = (self.place(0, s), self.place(1, self.meet.partner(0, s)))
            else {
                return false;
            };
            others.iter().any(|other| {
                let Some((side, at)) = other.partner(a) else { return false };
                other.find(side, b).is_some_and(|t| (t - at).abs() < near)
            })
        });
        right.count() * 10 >= PROBES * 7
    }
}
