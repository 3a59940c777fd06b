//! How well two stretches of the boundary fit together: a sum of log odds.

use super::boundary::Boundary;
use super::loops::loop_gap;
use super::names::{Hand, Role, affinity, facing, hand, numbers, role};
use super::odds::{angle_odds, height_odds, length_odds, neighbour_odds};
use super::run::Run;
use super::shape::{are_alike, centres, has_cap, reaches_hem};
use super::twins::Twins;
use crate::pattern::Pattern;
use std::f64::consts::PI;

/// The longer side is at most so much longer than the shorter.
const MAX_RATIO: f64 = 3.2;

/// Ratio of lengths up to which open stretches are compared.
const OPEN_RATIO: f64 = 1.6;

/// The best pair of runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) pair: [usize; 2],
    pub(super) score: f64,
    pub(super) confidence: f64,
}

pub(super) struct Scorer<'a> {
    twins: &'a Twins,
    roles: Vec<Role>,
    hands: Vec<Hand>,
    facing: Vec<i32>,
    /// Where the middle of each panel is [m].
    centres: Vec<f64>,
    /// Stem and number of names that end with one.
    numbers: Vec<Option<(String, i32)>>,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(pattern: &Pattern, boundary: &Boundary, twins: &'a Twins) -> Self {
        let names = || pattern.panels.iter().map(|p| p.name.as_str());
        let mut made = Self {
            twins,
            roles: names().map(role).collect(),
            hands: names().map(hand).collect(),
            facing: names().map(facing).collect(),
            centres: centres(pattern.panels.len(), boundary),
            numbers: numbers(pattern),
        };
        for i in 0..pattern.panels.len() {
            if matches!(made.roles[i], Role::Front | Role::Back) && made.has_crotch(boundary, i) {
                made.roles[i] = Role::Leg;
            }
            if made.roles[i] == Role::Unknown && has_cap(boundary, i) {
                made.roles[i] = Role::Sleeve;
            }
        }
        made
    }

    /// +1 or −1: where the middle of the body is, seen from the right side of a panel; 0 if its name does not tell.
    fn middle(&self, panel: usize) -> f64 {
        let left = match self.hands[panel] {
            Hand::Left => -1.0,
            Hand::Right => 1.0,
            Hand::None => 0.0,
        };
        left * f64::from(self.facing[panel])
    }

    /// Whether a corner half way up reaches farthest to the middle of the body.
    fn has_crotch(&self, boundary: &Boundary, panel: usize) -> bool {
        let middle = self.middle(panel);
        let atoms: Vec<usize> =
            (0..boundary.atoms.len()).filter(|k| boundary.atoms[*k].panel == panel).collect();
        let (n, start) = (atoms.len(), |k: usize| boundary.atoms[atoms[k]].points[0]);
        if middle == 0.0 || n < 4 {
            return false;
        }
        let heights = (0..n).map(|k| start(k).y);
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(y), h.max(y)));
        let reach = |k: usize| middle * start(k % n).x;
        (0..n).any(|k| {
            let level = (start(k).y - low) / (high - low).max(1e-9);
            let farthest = (0..n).all(|j| j == k || reach(j) < reach(k) - 0.004);
            farthest && (0.3..0.9).contains(&level)
        })
    }

    /// The best pair of runs, and how sure it is.
    pub(super) fn best(&self, boundary: &Boundary, runs: &[Run]) -> Option<Best> {
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by(|a, b| runs[*a].length.total_cmp(&runs[*b].length));
        let mut scored: Vec<([usize; 2], f64)> = Vec::new();
        for (n, &i) in order.iter().enumerate() {
            for &j in &order[n + 1..] {
                let most = if runs[i].is_loop && runs[j].is_loop { MAX_RATIO } else { OPEN_RATIO };
                if runs[j].length > MAX_RATIO * runs[i].length {
                    break;
                }
                if runs[j].length > most * runs[i].length {
                    continue;
                }
                if let Some(score) = self.score(boundary, &runs[i], &runs[j]).filter(|s| *s > -2.0)
                {
                    scored.push(([i, j], score));
                }
            }
        }
        let (pair, score) =
            *scored.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let (a, b) = (&runs[pair[0]], &runs[pair[1]]);
        let rival = scored
            .iter()
            .filter(|(other, _)| self.excludes(runs, pair, *other, (a, b)))
            .map(|s| s.1)
            .fold(-2.0, f64::max);
        let odds = (score - 0.5).min(1.6 * (score - rival) + 0.6);
        Some(Best { pair, score, confidence: 1.0 / (1.0 + libm::exp(-odds)) })
    }

    /// Whether another pair says something else about the same cloth.
    fn excludes(
        &self,
        runs: &[Run],
        pair: [usize; 2],
        other: [usize; 2],
        (a, b): (&Run, &Run),
    ) -> bool {
        if pair == other {
            return false;
        }
        let (c, d) = (&runs[other[0]], &runs[other[1]]);
        let touches = |x: &Run, y: &Run| x.atoms.iter().any(|k| y.atoms.contains(k));
        let within = |x: &Run, y: &Run| x.atoms.iter().all(|k| y.atoms.contains(k));
        // A part of the pair with the corresponding part is no rival.
        let (ac, bd) = (within(c, a) || within(a, c), within(d, b) || within(b, d));
        let (ad, bc) = (within(d, a) || within(a, d), within(c, b) || within(b, c));
        if (ac && bd) || (ad && bc) {
            return false;
        }
        touches(a, c) || touches(a, d) || touches(b, c) || touches(b, d)
    }

    /// Log odds that two runs are sewn together.
    fn score(&self, boundary: &Boundary, a: &Run, b: &Run) -> Option<f64> {
        if a.is_loop != b.is_loop || a.atoms.iter().any(|k| b.atoms.contains(k)) {
            return None;
        }
        let mut score = length_odds(a, b);
        if a.is_loop {
            score += self.loop_odds(boundary, a, b);
        } else {
            score += angle_odds(a, b) + height_odds(a, b) + self.level_odds(boundary, a, b);
            score += neighbour_odds(boundary, a, b);
            score -= 0.7 * [a, b].iter().flat_map(|r| r.at_corners).filter(|c| !c).count() as f64;
        }
        if score < -6.0 {
            return None;
        }
        let border = |r: &Run| {
            let first = boundary.atoms[r.atoms[0]].border;
            first.filter(|w| r.atoms.iter().all(|k| boundary.atoms[*k].border == Some(*w)))
        };
        if border(a).is_some() && border(a) == border(b) {
            score -= 5.0;
        }
        score += self.panel_odds(boundary, a, b) + self.shape_odds(a, b);
        if a.length < 0.03 {
            score -= 0.5;
        }
        Some(score)
    }

    /// Loops are turned to where they fit best.
    fn loop_odds(&self, boundary: &Boundary, a: &Run, b: &Run) -> f64 {
        if self.twins.are_image_loops(a, b) || self.are_opposite(boundary, a, b) {
            return -8.0;
        }
        let panel = |r: &Run| boundary.atoms[r.atoms[0]].panel;
        if boundary.hang_together(panel(a), panel(b)) {
            // Both openings of one tube.
            return -8.0;
        }
        let gap = loop_gap(boundary, &self.facing, &self.hands, a, b).0;
        let level = a.normal.y * b.normal.y;
        let corners = a.corners(boundary).max(b.corners(boundary));
        let hem = |r: &Run| {
            r.normal.y < -0.6
                && r.atoms.iter().all(|k| self.roles[boundary.atoms[*k].panel] == Role::Sleeve)
        };
        let cuff =
            |r: &Run| r.atoms.iter().all(|k| self.roles[boundary.atoms[*k].panel] == Role::Cuff);
        let mut odds = 1.0 - 9.0 * gap - 0.5 * corners.saturating_sub(2) as f64;
        odds += self.tier_odds(boundary, a, b);
        let (s, t) = (self.side_of(boundary, a), self.side_of(boundary, b));
        if s != Hand::None && t != Hand::None {
            odds += if s == t { 0.3 } else { -3.0 };
        }
        // All around a strip that has not been closed.
        let level_of =
            |k: &usize| (boundary.atoms[*k].panel, Run::new(boundary, vec![*k], false).normal.y);
        let around = |r: &Run| {
            let levels: Vec<(usize, f64)> = r.atoms.iter().map(level_of).collect();
            levels.iter().any(|(p, y)| *y > 0.5 && levels.iter().any(|(q, z)| q == p && *z < -0.5))
        };
        if around(a) || around(b) {
            odds -= 4.0;
        }
        if level > 0.6 {
            odds -= 5.0;
        } else if level < -0.8 {
            // One hangs from the other.
            let strip = |r: &Run| {
                r.atoms.iter().any(|k| {
                    matches!(
                        self.roles[boundary.atoms[*k].panel],
                        Role::Band | Role::Cuff | Role::Skirt
                    )
                })
            };
            odds += if strip(a) || strip(b) { 2.0 } else { 0.8 };
        }
        if (hem(a) && !cuff(b)) || (hem(b) && !cuff(a)) {
            odds -= 5.0;
        }
        odds
    }

    /// The side of the wearer that a run is on: by the names of its panels, or by the half of whole fronts and backs.
    fn side_of(&self, boundary: &Boundary, run: &Run) -> Hand {
        let mut sum = 0.0;
        for k in &run.atoms {
            let atom = &boundary.atoms[*k];
            let named = match self.hands[atom.panel] {
                Hand::Left => 1.0,
                Hand::Right => -1.0,
                Hand::None => {
                    // Seen from its right side, the left of a front is on its right, of a back on its left.
                    let half =
                        atom.points[super::boundary::SAMPLES / 2].x - self.centres[atom.panel];
                    if half.abs() < 0.02 {
                        0.0
                    } else {
                        half.signum() * f64::from(self.facing[atom.panel])
                    }
                }
            };
            sum += named * atom.length;
        }
        match sum / run.length.max(1e-9) {
            s if s > 0.9 => Hand::Left,
            s if s < -0.9 => Hand::Right,
            _ => Hand::None,
        }
    }

    /// Tiers that are numbered hang from each other, lower numbers above.
    fn tier_odds(&self, boundary: &Boundary, a: &Run, b: &Run) -> f64 {
        let panel = |r: &Run, k: &usize| (boundary.atoms[*k].panel, r.normal.y);
        let pairs = a.atoms.iter().flat_map(|k| b.atoms.iter().map(|l| (panel(a, k), panel(b, l))));
        let mut odds = 0.0_f64;
        for ((i, y), (j, z)) in pairs {
            let (Some((s, m)), Some((t, n))) = (&self.numbers[i], &self.numbers[j]) else {
                continue;
            };
            if s == t && m != n {
                let (upper, next) = (if m < n { y } else { z }, m.abs_diff(*n) == 1);
                odds = if upper < 0.0 && next { 0.8 } else { -3.0 };
            }
        }
        odds
    }

    /// Whether one run is on the left of the wearer and the other on the right.
    fn are_opposite(&self, boundary: &Boundary, a: &Run, b: &Run) -> bool {
        let all = |r: &Run, hand: Hand| {
            r.atoms.iter().all(|k| self.hands[boundary.atoms[*k].panel] == hand)
        };
        (all(a, Hand::Left) && all(b, Hand::Right)) || (all(a, Hand::Right) && all(b, Hand::Left))
    }

    /// Two lower or two upper borders are not sewn to each other; an upper and a lower one are.
    fn level_odds(&self, boundary: &Boundary, a: &Run, b: &Run) -> f64 {
        let (x, y) = (a.normal.y, b.normal.y);
        if self.twins.is_central(a) && self.twins.is_central(b) && x * y > 0.1 {
            // Both run across the middle: two hems, two waists, two necks.
            return -5.0;
        }
        let sloped = a.rise().abs() > 0.12 && b.rise() * a.rise() < 0.0;
        let aside = |r: &Run| {
            let panel = boundary.atoms[r.atoms[0]].panel;
            self.twins.is_symmetric(panel) && !self.twins.is_central(r)
        };
        if x < -0.75 && y < -0.75 || x > 0.75 && y > 0.75 && !sloped && !(aside(a) && aside(b)) {
            -6.0
        } else if x * y < -0.5 {
            0.3
        } else {
            0.0
        }
    }

    /// Bulges of both sides.
    fn shape_odds(&self, a: &Run, b: &Run) -> f64 {
        if a.is_loop || self.twins.is_image(a, b) {
            return 0.0;
        }
        let (s, t) = (a.turning, b.turning);
        if s < -0.2 && t < -0.2 {
            return -5.5;
        }
        if s > 0.4 && t > 0.4 {
            return -1.5;
        }
        if (s + t).abs() < 0.12 { 0.4 } else { -0.5 * ((s + t).abs() - 0.12).min(1.5) }
    }

    /// What the panels say.
    fn panel_odds(&self, boundary: &Boundary, a: &Run, b: &Run) -> f64 {
        let follows =
            |x: &Run, y: &Run| boundary.next(x.atoms[x.atoms.len() - 1]) == Some(y.atoms[0]);
        if !a.is_loop && follows(a, b) && follows(b, a) {
            // Both are one opening, which would be sewn shut.
            return -6.0;
        }
        let panels = |r: &Run| {
            let mut p: Vec<usize> = r.atoms.iter().map(|k| boundary.atoms[*k].panel).collect();
            p.sort_unstable();
            p.dedup();
            p
        };
        let (p, q) = (panels(a), panels(b));
        let mut odds = 0.0;
        if let ([i], [j]) = (&p[..], &q[..]) {
            odds += if i == j {
                self.same_panel(boundary, a, b)
            } else {
                self.two_panels(boundary, *i, *j, a, b)
            };
        }
        let upper = |i: &usize| matches!(self.roles[*i], Role::Front | Role::Back | Role::Yoke);
        if p.len() > 1 && self.twins.is_image(a, b) && a.turning < -0.2 && p.iter().any(upper) {
            // The armholes of both sides.
            odds -= 8.0;
        }
        if p == q && p.len() > 1 && !a.is_loop {
            // Both long sides of one strip.
            odds -= 5.0;
        }
        let pairs = p.iter().flat_map(|i| q.iter().map(move |j| (*i, *j)));
        let kinds: Vec<f64> =
            pairs.clone().map(|(i, j)| affinity(self.roles[i], self.roles[j])).collect();
        odds += kinds.iter().sum::<f64>() / kinds.len().max(1) as f64;
        let clash = pairs.filter(|(i, j)| {
            let (x, y) = (self.hands[*i], self.hands[*j]);
            x != y && x != Hand::None && y != Hand::None && !self.twins.are_twins(*i, *j)
        });
        if clash.count() > 0 && !a.is_loop {
            odds -= 2.5;
        }
        odds
    }

    fn same_panel(&self, boundary: &Boundary, a: &Run, b: &Run) -> f64 {
        let (last, first) = (|r: &Run| r.atoms[r.atoms.len() - 1], |r: &Run| r.atoms[0]);
        for (x, y) in [(a, b), (b, a)] {
            if boundary.next(last(x)) == Some(first(y)) {
                // Both legs of a dart meet at its tip, where nearly all around is cloth.
                let angle = boundary.angle(last(x));
                let equal = (a.length - b.length).abs() < 0.004 + 0.02 * a.length;
                if self.is_slit(boundary, x, y) {
                    return -5.0;
                }
                return match angle {
                    t if t > 1.6 * PI && equal => 4.0,
                    t if t > 1.4 * PI && equal => 1.0,
                    _ => -5.0,
                };
            }
        }
        if self.twins.is_image(a, b) || are_alike(a, b) {
            // A piece around a limb is closed to a tube.
            let tube = matches!(
                self.roles[boundary.atoms[a.atoms[0]].panel],
                Role::Sleeve | Role::Cuff | Role::Band | Role::Collar
            );
            let faces = self.facing[boundary.atoms[a.atoms[0]].panel] != 0;
            return match a.normal.x.abs() > 0.5 {
                true if tube && !faces => 0.3,
                true if faces => -3.0,
                true => -1.5,
                false => -4.0,
            };
        }
        -3.5
    }

    /// Whether two legs that meet at a tip open at a hem: a slit, which stays open.
    fn is_slit(&self, boundary: &Boundary, x: &Run, y: &Run) -> bool {
        let tip = boundary.atoms[x.atoms[x.atoms.len() - 1]].points[super::boundary::SAMPLES - 1];
        let original = tip.distance(boundary.atoms[y.atoms[0]].points[0]) < 1e-9;
        let hem = |k: Option<usize>| {
            k.is_some_and(|k| Run::new(boundary, vec![k], false).normal.y < -0.7)
        };
        let below = matches!(self.roles[boundary.atoms[x.atoms[0]].panel], Role::Skirt | Role::Leg);
        original
            && below
            && (hem(boundary.before(x.atoms[0])) || hem(boundary.next(y.atoms[y.atoms.len() - 1])))
    }

    fn two_panels(&self, boundary: &Boundary, i: usize, j: usize, a: &Run, b: &Run) -> f64 {
        let mut odds = 0.0;
        let (x, y) = (self.facing[i], self.facing[j]);
        if self.twins.are_twins(i, j) {
            // A left and a right piece meet in the middle, if at all.
            let limb = matches!(self.roles[i], Role::Sleeve | Role::Cuff);
            odds -= if limb { 5.0 } else { 1.2 };
            if !self.twins.is_image(a, b) {
                odds -= 2.5;
            }
            let over = matches!(self.roles[i], Role::Hood | Role::Collar);
            let upright = |k: &usize| Run::new(boundary, vec![*k], false).normal.x.abs() > 0.6;
            if !a.atoms.iter().all(upright) && !over {
                odds -= 2.5;
            }
            if a.atoms.iter().any(|k| boundary.atoms[*k].border.is_some()) {
                odds -= 3.0;
            }
            let to_middle = self.middle(i) * a.normal.x;
            odds += match to_middle {
                t if t < -0.3 => -4.0,
                t if t > 0.3 && self.roles[i] != Role::Leg => 0.3,
                _ => 0.0,
            };
            odds += match (self.roles[i], a.turning.abs() > 0.15) {
                // The face opening of a hood is straight, its crown is not.
                (Role::Hood, false) => -3.0,
                // The rise, not the inseam, which goes down to the hem.
                (Role::Leg, _) if reaches_hem(boundary, i, a) => -4.0,
                (Role::Leg, _) | (Role::Hood, true) => 0.0,
                (_, true) => -1.5,
                _ => 0.0,
            };
        } else if x * y < 0 {
            odds += 0.8;
            if a.normal.y * b.normal.y < -0.6 {
                // A front and a back lie side by side, not one above the other.
                odds -= 4.0;
            }
            let middle = |i: usize, r: &Run| self.middle(i) * r.normal.x > 0.7;
            if middle(i, a) && middle(j, b) && self.roles[i] != Role::Leg {
                odds -= 4.0;
            }
        }
        let strip = |i: usize| matches!(self.roles[i], Role::Cuff | Role::Band);
        if strip(i) && strip(j) {
            // Strips are sewn to each other at their ends.
            let sides = |r: &Run| {
                let beside =
                    [boundary.before(r.atoms[0]), boundary.next(r.atoms[r.atoms.len() - 1])];
                beside.iter().flatten().map(|k| boundary.atoms[*k].length).fold(f64::MAX, f64::min)
            };
            if a.length > 1.05 * sides(a) || b.length > 1.05 * sides(b) {
                odds -= 4.0;
            }
        }
        odds + self.number_odds(i, j, a, b)
    }

    /// Pieces that are numbered follow each other.
    fn number_odds(&self, i: usize, j: usize, a: &Run, b: &Run) -> f64 {
        let (Some((s, m)), Some((t, n))) = (&self.numbers[i], &self.numbers[j]) else { return 0.0 };
        if s != t {
            return 0.0;
        }
        let count = self.numbers.iter().flatten().filter(|o| o.0 == *s).count();
        let last =
            self.numbers.iter().flatten().filter(|o| o.0 == *s).map(|o| o.1).max().unwrap_or(0);
        let first =
            self.numbers.iter().flatten().filter(|o| o.0 == *s).map(|o| o.1).min().unwrap_or(0);
        let next = m.abs_diff(*n) == 1 || (count > 2 && (*m.min(n), *m.max(n)) == (first, last));
        // They go around the body in one direction.
        let (low, wraps) = (if m < n { a } else { b }, m.abs_diff(*n) > 1);
        let onward = if (low.normal.x > 0.0) != wraps { 0.2 } else { -0.2 };
        if next { 0.6 + onward } else { -0.6 }
    }

    /// Two runs of which loops begin where they fit.
    pub(super) fn aligned(&self, boundary: &Boundary, a: Run, b: Run) -> (Run, Run) {
        if !a.is_loop {
            return (a, b);
        }
        let (_, [i, j]) = loop_gap(boundary, &self.facing, &self.hands, &a, &b);
        let turned = |run: &Run, k: usize| {
            let mut atoms = run.atoms.clone();
            atoms.rotate_left(k);
            Run::new(boundary, atoms, true)
        };
        (turned(&a, i), turned(&b, j))
    }
}
