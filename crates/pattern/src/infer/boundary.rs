//! The free boundary of the pieces, which changes as seams are sewn.

use super::names::{Role, border, role};
use super::run::Run;
use crate::edge::Edge;
use crate::panel::Source;
use crate::pattern::Pattern;
use crate::seam::{EdgePart, Loops, Seam};
use glam::DVec2;
use std::f64::consts::PI;

/// Points at which an atom is sampled, at equal arc lengths.
pub(super) const SAMPLES: usize = 9;

/// A piece of an outline: an edge, or what a dart leaves of it.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) panel: usize,
    /// Index of its edge in the panel; nothing for a leg of a dart or pleat.
    pub(super) edge: Option<usize>,
    /// Its part of the edge, as fractions of the sewn length.
    pub(super) range: [f64; 2],
    pub(super) length: f64,
    pub(super) points: [DVec2; SAMPLES],
    /// How far it turns to the left [rad].
    pub(super) turning: f64,
    /// The border that its name speaks of.
    pub(super) border: Option<usize>,
    /// Notches on it, with their distance from its beginning [m].
    pub(super) notches: Vec<f64>,
}

/// Atoms and the free boundary that runs through them.
#[derive(Clone, Debug)]
pub(super) struct Boundary {
    pub(super) atoms: Vec<Atom>,
    /// The atom that follows on the boundary; nothing for what is sewn.
    next: Vec<Option<usize>>,
    before: Vec<Option<usize>>,
    /// Angle within the cloth between an atom and the next [rad].
    angle: Vec<f64>,
    /// For each panel, the first of those it hangs together with.
    groups: Vec<usize>,
}

impl Boundary {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let loops = pattern.loops();
        let mut made = Self {
            atoms: Vec::new(),
            next: Vec::new(),
            before: Vec::new(),
            angle: Vec::new(),
            groups: (0..pattern.panels.len()).collect(),
        };
        for (panel, rings) in loops.iter().enumerate() {
            made.add_outline(pattern, panel, &rings[0]);
        }
        made.close_darts(pattern, &loops);
        made
    }

    fn add_outline(&mut self, pattern: &Pattern, panel: usize, ring: &[crate::Segment]) {
        let p = &pattern.panels[panel];
        let upright = upright(p);
        let first = self.atoms.len();
        let mut done = vec![0.0; p.edges.len()];
        let good: Vec<&crate::Segment> =
            ring.iter().filter(|s| s.edge.is_finite() && s.edge.length() > 1e-6).collect();
        for segment in &good {
            let length = segment.edge.length();
            let (edge, range) = match segment.source {
                Source::Edge(i) => {
                    let sewn = p.sewn_length(i).max(1e-9);
                    let from = done[i] / sewn;
                    done[i] += length;
                    (Some(i), [from, (done[i] / sewn).min(1.0)])
                }
                _ => (None, [0.0, 1.0]),
            };
            let points = std::array::from_fn(|k| {
                upright.rotate(segment.edge.at(length * k as f64 / (SAMPLES - 1) as f64))
            });
            let turning = turning(&points);
            let border = edge.and_then(|i| border(&p.edges[i].name));
            let notches = notches(p, edge, &segment.edge, length);
            self.atoms.push(Atom { panel, edge, range, length, points, turning, border, notches });
        }
        let n = good.len();
        for k in 0..n {
            self.next.push(Some(first + (k + 1) % n));
            self.before.push(Some(first + (k + n - 1) % n));
            let (a, b) = (&good[k].edge, &good[(k + 1) % n].edge);
            self.angle.push(inner_angle(a, b));
        }
    }

    /// Darts and pleats are sewn by themselves.
    fn close_darts(&mut self, pattern: &Pattern, loops: &Loops) {
        for (panel, _, a, b) in pattern.closures(loops) {
            let upright = upright(&pattern.panels[panel]);
            let find = |ring: usize, index: usize| {
                let from = upright.rotate(loops[panel].get(ring)?.get(index)?.edge.from);
                self.atoms.iter().position(|at| {
                    at.panel == panel && at.edge.is_none() && at.points[0].distance(from) < 1e-9
                })
            };
            let pick = |chain: &crate::Chain| -> Vec<usize> {
                chain
                    .stretches
                    .iter()
                    .filter_map(|s| find(s.segment.ring, s.segment.index))
                    .collect()
            };
            let (a, b) = (pick(&a), pick(&b));
            if let ([a], [b]) = (&a[..], &b[..])
                && self.next[*a].is_some()
                && self.next[*b].is_some()
            {
                self.sew_atoms(&[*a], &[*b]);
            }
        }
    }

    /// Sews what a seam of the pattern sews, so that it is not free any more.
    pub(super) fn sew_given(&mut self, pattern: &Pattern, seam: &Seam) {
        let (a, b) = (self.pick(pattern, &seam.a), self.pick(pattern, &seam.b));
        if self.is_chain(&a) && self.is_chain(&b) && !a.iter().any(|k| b.contains(k)) {
            self.sew_atoms(&a, &b);
            return;
        }
        // Sides in several stretches of the boundary: they are taken out of it.
        if let (Some(first), Some(other)) = (a.first(), b.first()) {
            self.unite(*first, *other);
        }
        for k in a.into_iter().chain(b) {
            self.remove(k);
        }
    }

    /// Free atoms on edges.
    fn pick(&self, pattern: &Pattern, side: &[EdgePart]) -> Vec<usize> {
        let mut found = Vec::new();
        for part in side {
            let Some(panel) = pattern.panels.iter().position(|p| p.name == part.panel) else {
                continue;
            };
            let Some(edge) = pattern.panels[panel].edge_index(&part.edge) else { continue };
            let on = |a: &Atom| {
                a.panel == panel
                    && a.edge == Some(edge)
                    && a.range[0] > part.range[0] - 1e-6
                    && a.range[1] < part.range[1] + 1e-6
            };
            found.extend(
                (0..self.atoms.len()).filter(|k| on(&self.atoms[*k]) && self.next[*k].is_some()),
            );
        }
        found
    }

    /// Takes edges out that are not to be sewn.
    pub(super) fn leave_out(&mut self, pattern: &Pattern, open: &[EdgePart]) {
        for k in self.pick(pattern, open) {
            self.remove(k);
        }
    }

    fn remove(&mut self, k: usize) {
        if let (Some(before), Some(next)) = (self.before[k], self.next[k]) {
            self.next[before] = Some(next);
            self.before[next] = Some(before);
            // A corner that nothing continues.
            self.angle[before] = 0.5 * PI;
        }
        (self.next[k], self.before[k]) = (None, None);
    }

    /// Whether atoms follow each other on the boundary.
    pub(super) fn is_chain(&self, atoms: &[usize]) -> bool {
        !atoms.is_empty() && atoms.windows(2).all(|w| self.next[w[0]] == Some(w[1]))
    }

    pub(super) fn is_free(&self, atom: usize) -> bool {
        self.next[atom].is_some()
    }

    pub(super) fn next(&self, atom: usize) -> Option<usize> {
        self.next[atom]
    }

    pub(super) fn before(&self, atom: usize) -> Option<usize> {
        self.before[atom]
    }

    /// Angle within the cloth between an atom and the next [rad].
    pub(super) fn angle(&self, atom: usize) -> f64 {
        self.angle[atom]
    }

    /// Sews two runs, which run against each other.
    pub(super) fn sew(&mut self, a: &Run, b: &Run) {
        self.sew_atoms(&a.atoms, &b.atoms);
    }

    /// Whether two panels already hang together.
    pub(super) fn hang_together(&self, a: usize, b: usize) -> bool {
        self.groups[a] == self.groups[b]
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (p, q) = (self.groups[self.atoms[a].panel], self.groups[self.atoms[b].panel]);
        self.groups.iter_mut().filter(|g| **g == p.max(q)).for_each(|g| *g = p.min(q));
    }

    fn sew_atoms(&mut self, a: &[usize], b: &[usize]) {
        for k in a.iter().chain(b) {
            self.unite(a[0], *k);
        }
        for (first, last) in [(a, b), (b, a)] {
            // The boundary that comes to the beginning of one goes on at the end of the other.
            let (Some(before), Some(next)) =
                (self.before[first[0]], self.next[last[last.len() - 1]])
            else {
                continue;
            };
            if a.contains(&before) || b.contains(&before) || a.contains(&next) || b.contains(&next)
            {
                continue;
            }
            self.angle[before] += self.angle[last[last.len() - 1]];
            self.next[before] = Some(next);
            self.before[next] = Some(before);
        }
        for &k in a.iter().chain(b) {
            (self.next[k], self.before[k]) = (None, None);
        }
    }

    /// The atoms of each free loop.
    pub(super) fn loops(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.atoms.len()];
        let mut loops = Vec::new();
        for start in 0..self.atoms.len() {
            if seen[start] || self.next[start].is_none() {
                continue;
            }
            let mut ring = Vec::new();
            let mut at = start;
            while !seen[at] {
                seen[at] = true;
                ring.push(at);
                match self.next[at] {
                    Some(next) => at = next,
                    None => break,
                }
            }
            loops.push(ring);
        }
        loops
    }

    /// A run as the side of a seam.
    pub(super) fn parts(&self, pattern: &Pattern, run: &Run) -> Vec<EdgePart> {
        let mut parts: Vec<EdgePart> = Vec::new();
        for &k in &run.atoms {
            let atom = &self.atoms[k];
            let Some(edge) = atom.edge else { continue };
            let panel = &pattern.panels[atom.panel];
            let [low, high] = atom.range;
            let range =
                [if low < 1e-6 { 0.0 } else { low }, if high > 1.0 - 1e-6 { 1.0 } else { high }];
            let name = &panel.edges[edge].name;
            match parts.last_mut() {
                // Parts of an edge on both sides of a dart are one.
                Some(last)
                    if last.panel == panel.name
                        && last.edge == *name
                        && (last.range[1] - range[0]).abs() < 1e-6 =>
                {
                    last.range[1] = range[1];
                }
                _ => parts.push(EdgePart { panel: panel.name.clone(), edge: name.clone(), range }),
            }
        }
        parts
    }
}

/// The turn that makes a sleeve stand: some programs draw it as it is worn with arms out. Its cap is the side that
/// is curved most.
fn upright(panel: &crate::Panel) -> DVec2 {
    if !matches!(role(&panel.name), Role::Sleeve) {
        return DVec2::X;
    }
    let polygon = panel.polygon(1e-3);
    let low = polygon.iter().fold(DVec2::MAX, |l, p| l.min(*p));
    let high = polygon.iter().fold(DVec2::MIN, |h, p| h.max(*p));
    let curved = |e: &&Edge| {
        let n = SAMPLES - 1;
        let points: Vec<DVec2> = (0..=n).map(|k| e.point(k as f64 / n as f64)).collect();
        turning(&points).abs() * e.length()
    };
    let Some(cap) = panel.edges.iter().max_by(|a, b| curved(a).total_cmp(&curved(b))) else {
        return DVec2::X;
    };
    let to_cap = (cap.point(0.5) - 0.5 * (low + high)) / (high - low).max(DVec2::splat(1e-9));
    match curved(&cap) > 0.02 && to_cap.x.abs() > 1.5 * to_cap.y.abs() {
        // A quarter turn that brings the cap up.
        true if to_cap.x > 0.0 => DVec2::Y,
        true => DVec2::NEG_Y,
        false => DVec2::X,
    }
}

/// How far a line of points turns to the left [rad].
fn turning(points: &[DVec2]) -> f64 {
    let steps: Vec<DVec2> = points.windows(2).map(|w| w[1] - w[0]).collect();
    steps
        .windows(2)
        .map(|w| if w[0] == DVec2::ZERO || w[1] == DVec2::ZERO { 0.0 } else { w[0].angle_to(w[1]) })
        .sum()
}

/// The angle of the cloth, which is on the left, between two edges that follow each other.
fn inner_angle(a: &Edge, b: &Edge) -> f64 {
    let (d, e) = (a.direction(a.length()), b.direction(0.0));
    if d == DVec2::ZERO || e == DVec2::ZERO {
        return PI;
    }
    PI - d.angle_to(e)
}

fn notches(panel: &crate::Panel, edge: Option<usize>, part: &Edge, length: f64) -> Vec<f64> {
    let Some(edge) = edge.map(|i| &panel.edges[i]) else { return Vec::new() };
    let full = edge.length();
    let mut found = Vec::new();
    for notch in panel.notches.iter().filter(|n| n.edge == edge.name) {
        let p = edge.at(notch.at * full);
        // Parts of edges are found by place, not by arc length, which darts change.
        let near = (0..=100).map(|k| length * f64::from(k) / 100.0);
        let best = near.min_by(|a, b| part.at(*a).distance(p).total_cmp(&part.at(*b).distance(p)));
        if let Some(s) = best.filter(|s| part.at(*s).distance(p) < 0.02 * length + 1e-3) {
            found.push(s);
        }
    }
    found.sort_by(f64::total_cmp);
    found
}
