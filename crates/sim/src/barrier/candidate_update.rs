//! Candidates of an iteration, and what is known of them from the last.
//!
//! Most candidates persist. Only those that appear or change their kind change the potential, so it need not be computed
//! again; and only those that appear can be below the minimum separation, as continuous collision detection has kept all others apart.
//!
//! Neighbours in compressed cloth may be within the activation distance and yet be dismissed, because along just this direction the
//! cloth stays flat enough not to meet itself. Active contacts are kept nevertheless until the step is over: if their force
//! were felt in every other iteration only, directions would oscillate.

use super::candidates::{CLOTH, Candidate, NO_CONTACT};
use super::newton::Failure;
use super::solver::Solver;
use glam::DVec3;
use std::cmp::Ordering;

/// What a query of the broad phase changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct CandidateUpdate {
    /// Candidates whose distance was computed.
    pub(super) tested: u64,
    /// Energy of contacts that were not known before [J].
    pub(super) energy_added: f64,
}

impl Solver {
    /// Finds the candidates of the motion from `y` to `ends`, and adds to the `energy` at `y`, if it is
    /// known, that of contacts that were not known before. Pairs below the minimum separation come last.
    pub(super) fn update_candidates(
        &mut self,
        y: &[DVec3],
        ends: &[DVec3],
        pairs: &mut Vec<Candidate>,
        energy: Option<&mut f64>,
    ) -> Result<CandidateUpdate, Failure> {
        std::mem::swap(pairs, &mut self.previous_candidates);
        let distance = self.contact_model.thickness + self.contact_model.dhat;
        let tested = self.finder.find(y, ends, distance, self.self_contact, pairs)?;
        debug_assert!(pairs.is_sorted_by_key(|p| p.rank), "pairs are sorted");
        let mut kept = Vec::new();
        let energy_added = self.compare(y, pairs, energy.is_some(), &mut kept);
        if let Some(energy) = energy.filter(|_| energy_added.is_finite()) {
            *energy += energy_added;
        }
        if !kept.is_empty() {
            pairs.append(&mut kept);
            pairs.sort_by_key(|p| p.rank);
        }
        move_below_separation_last(pairs);
        Ok(CandidateUpdate { tested, energy_added })
    }

    /// Tells which pairs are below the minimum separation, and which of those before are `kept` although they were not found again.
    /// Returns the difference of the energies at `y`, if it is `wanted`.
    fn compare(
        &self,
        y: &[DVec3],
        pairs: &mut [Candidate],
        wanted: bool,
        kept: &mut Vec<Candidate>,
    ) -> f64 {
        let of = |p: &Candidate| if wanted { self.contact_model.energy(p, y) } else { 0.0 };
        let mut keep = |removed: &Candidate| {
            if of(removed) > 0.0 {
                kept.push(*removed);
            }
        };
        let ordinary = self.previous_candidates.partition_point(|p| !p.below_separation);
        let (mut ordinary, mut below_separation) = (
            SortedCursor(&self.previous_candidates[..ordinary]),
            SortedCursor(&self.previous_candidates[ordinary..]),
        );
        let mut energy_added = 0.0;
        for pair in pairs {
            if let Some(before) = ordinary.to(pair, &mut keep) {
                below_separation.to(pair, &mut keep);
                pair.friction_contact = before.friction_contact;
                pair.contact = before.contact;
                pair.stiffness = self.updated_stiffness(before, y);
                if pair.stiffness != before.stiffness {
                    energy_added += of(pair) - of(before);
                }
                continue;
            }
            let before = below_separation.to(pair, &mut keep);
            pair.friction_contact = before.map_or(NO_CONTACT, |b| b.friction_contact);
            pair.below_separation = self.is_below_separation(pair, y);
            pair.stiffness = self.stiffness_of(pair);
            if before.is_none_or(|_| !pair.below_separation) {
                energy_added += of(pair) - before.map_or(0.0, of);
            }
        }
        ordinary.0.iter().chain(below_separation.0).for_each(&mut keep);
        energy_added
    }

    /// Whether cloth is below the minimum separation from itself.
    pub(super) fn is_below_separation(&self, pair: &Candidate, y: &[DVec3]) -> bool {
        let thickness = self.contact_model.thickness;
        pair.body == CLOTH && self.contact_model.closest(pair, y).distance <= thickness
    }
}

/// The rest of a sorted list.
struct SortedCursor<'a>(&'a [Candidate]);

impl<'a> SortedCursor<'a> {
    /// Advances to where `pair` stands or would stand, past pairs that are gone; returns it if it is there.
    fn to(
        &mut self,
        pair: &Candidate,
        mut removed: impl FnMut(&Candidate),
    ) -> Option<&'a Candidate> {
        while let Some((first, rest)) = self.0.split_first() {
            match first.rank.cmp(&pair.rank) {
                Ordering::Less => removed(first),
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

/// Moves pairs below the minimum separation behind all others.
fn move_below_separation_last(pairs: &mut Vec<Candidate>) {
    let mut below_separation: Vec<Candidate> =
        pairs.iter().filter(|p| p.below_separation).copied().collect();
    if !below_separation.is_empty() {
        pairs.retain(|p| !p.below_separation);
        pairs.append(&mut below_separation);
    }
}
