//! Pairs found anew in an iteration, and what is known of them from the last.
//!
//! Most pairs go on. Only those that come or change their kind change the potential, so it need not be computed
//! again; and only those that come can be crowded, as continuous collision detection has kept all others apart.
//!
//! Neighbours in a cloth that is crushed may be within reach and yet be dismissed, because along just this way the
//! cloth stays flat enough not to meet itself. What is within reach is kept nevertheless until the step is over: if its push
//! were felt in every other iteration only, directions would go back and forth.

use super::newton::Solver;
use super::pairs::{CLOTH, NOTHING, Near};
use glam::DVec3;
use std::cmp::Ordering;
use toile_collide::NotFinite;

/// What came of looking for pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renewed {
    /// Pairs whose distance was measured.
    pub(super) tested: u64,
    /// Energy of those that were not known before [J].
    pub(super) brought: f64,
}

impl Solver {
    /// Finds the pairs that come within reach on the way from `y` to `ends`, and adds to the `energy` at `y`, if it is
    /// known, what those bring that were not among the pairs before. Crowded pairs stand behind all others.
    pub(super) fn renew(
        &mut self,
        y: &[DVec3],
        ends: &[DVec3],
        pairs: &mut Vec<Near>,
        energy: Option<&mut f64>,
    ) -> Result<Renewed, NotFinite> {
        std::mem::swap(pairs, &mut self.before);
        let near = self.gauge.thickness + self.gauge.reach;
        let tested = self.pairs.find(y, ends, near, self.itself, pairs)?;
        debug_assert!(pairs.is_sorted_by_key(|p| p.rank), "pairs are sorted");
        let mut kept = Vec::new();
        let brought = self.compare(y, pairs, energy.is_some(), &mut kept);
        if let Some(energy) = energy.filter(|_| brought.is_finite()) {
            *energy += brought;
        }
        if !kept.is_empty() {
            pairs.append(&mut kept);
            pairs.sort_by_key(|p| p.rank);
        }
        set_apart(pairs);
        Ok(Renewed { tested, brought })
    }

    /// Tells which pairs are crowded, and which of those before are `kept` although they were not found again. Returns
    /// how much the energy at `y` is more than that of the pairs before, if it is `wanted`.
    fn compare(&self, y: &[DVec3], pairs: &mut [Near], wanted: bool, kept: &mut Vec<Near>) -> f64 {
        let of = |p: &Near| if wanted { self.gauge.energy(p, y) } else { 0.0 };
        let mut keep = |gone: &Near| {
            if of(gone) > 0.0 {
                kept.push(*gone);
            }
        };
        let ordinary = self.before.partition_point(|p| !p.crowded);
        let (mut ordinary, mut crowded) =
            (Walk(&self.before[..ordinary]), Walk(&self.before[ordinary..]));
        let mut brought = 0.0;
        for pair in pairs {
            if let Some(before) = ordinary.to(pair, &mut keep) {
                crowded.to(pair, &mut keep);
                pair.rub = before.rub;
                pair.contact = before.contact;
                pair.stiffness = self.stiffened(before, y);
                if pair.stiffness != before.stiffness {
                    brought += of(pair) - of(before);
                }
                continue;
            }
            let before = crowded.to(pair, &mut keep);
            pair.rub = before.map_or(NOTHING, |b| b.rub);
            pair.crowded = self.is_crowded(pair, y);
            pair.stiffness = self.stiffness_of(pair);
            if before.is_none_or(|_| !pair.crowded) {
                brought += of(pair) - before.map_or(0.0, of);
            }
        }
        ordinary.0.iter().chain(crowded.0).for_each(&mut keep);
        brought
    }

    /// Whether cloth is nearer to itself than the thickness already.
    fn is_crowded(&self, pair: &Near, y: &[DVec3]) -> bool {
        let thickness = self.gauge.thickness;
        pair.body == CLOTH && self.gauge.closest(pair, y).distance <= thickness
    }
}

/// What is left of a sorted list.
struct Walk<'a>(&'a [Near]);

impl<'a> Walk<'a> {
    /// Goes on to where `pair` stands or would stand, past pairs that are gone; returns it if it is there.
    fn to(&mut self, pair: &Near, mut gone: impl FnMut(&Near)) -> Option<&'a Near> {
        while let Some((first, rest)) = self.0.split_first() {
            match first.rank.cmp(&pair.rank) {
                Ordering::Less => gone(first),
                Ordering::Equal => {
                    self.0 = rest;
                    return Some(first);
                }
                Ordering::Greater => break,
            }
            self.0 = rest;
        }
        None
    }
}

/// Puts crowded pairs behind all others.
fn set_apart(pairs: &mut Vec<Near>) {
    let mut crowded: Vec<Near> = pairs.iter().filter(|p| p.crowded).copied().collect();
    if !crowded.is_empty() {
        pairs.retain(|p| !p.crowded);
        pairs.append(&mut crowded);
    }
}
