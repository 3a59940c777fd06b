//! Largest feasible step along a direction, by conservative continuous collision detection.

use super::candidates::{Candidate, Kind};
use super::solver::Solver;
use glam::DVec3;
use rayon::prelude::*;
use toile_collide::ccd::{self, Ccd, Filter, Pair, Separation};

/// Fraction of its gap that a pair keeps in an iteration.
const KEPT_GAP_FRACTION: f64 = 0.2;
/// Upper bound of the kept gap, over the activation distance.
const MAX_KEPT_GAP: f64 = 0.1;
/// Candidates in a task.
const CHUNK: usize = 256;

impl Solver {
    /// The candidates that limit a step from `y` to `ends`, ascending, with the feasible fraction of each.
    /// Continuous collision detection misses none.
    pub(super) fn step_limits(
        &self,
        pairs: &[Candidate],
        y: &[DVec3],
        ends: &[DVec3],
    ) -> Vec<(u32, f64)> {
        let mut step_limits = Vec::new();
        let mut first = 0;
        for run in pairs.chunk_by(share_separation) {
            let separation = Separation {
                radius: self.contact_model.offset(&run[0]),
                gap: MAX_KEPT_GAP * self.contact_model.dhat,
                max_approach: 1.0 - KEPT_GAP_FRACTION,
                body: self.contact_model.radius(&run[0]),
            };
            let of = |pair| self.feature_limits(pair, run, separation, y, ends, first);
            match run[0].kind {
                Kind::VertexFace => step_limits.append(&mut of(Pair::VertexFace)),
                Kind::EdgeEdge => step_limits.append(&mut of(Pair::EdgeEdge)),
                Kind::Plane => self.plane_limits(run, y, ends, first, &mut step_limits),
            }
            first += run.len() as u32;
        }
        step_limits
    }

    /// Limits of candidates of one kind; these are numbered from `first` on.
    fn feature_limits(
        &self,
        pair: Pair,
        run: &[Candidate],
        separation: Separation,
        y: &[DVec3],
        ends: &[DVec3],
        first: u32,
    ) -> Vec<(u32, f64)> {
        let chunks = run.par_chunks(CHUNK).enumerate().map(|(c, run)| {
            let mut found = Vec::new();
            let query = |i: usize| {
                let x = run[i].points.map(|p| [y[p as usize], ends[p as usize]]);
                // Of active contacts a separating plane is known, which nearly always decides.
                let apart = self.contacts.of_candidate(&run[i]).is_some_and(|c| {
                    let least = separation.threshold(separation.radius + c.gap);
                    ccd::is_separated(pair, &x, c.normal, least)
                });
                (!apart).then_some(x)
            };
            Ccd::Separating.times_of_impact(
                pair,
                run.len(),
                separation,
                Filter::Hull,
                query,
                |i, impact| {
                    found.push((first + (c * CHUNK + i) as u32, impact.time));
                },
            );
            // Queries are answered in batches, not in their order.
            found.sort_unstable_by_key(|(pair, _)| *pair);
            found
        });
        chunks.flatten_iter().collect()
    }

    fn plane_limits(
        &self,
        run: &[Candidate],
        y: &[DVec3],
        ends: &[DVec3],
        first: u32,
        step_limits: &mut Vec<(u32, f64)>,
    ) {
        for (k, candidate) in run.iter().enumerate() {
            let height = |y| {
                self.contact_model.closest(candidate, y).distance
                    - self.contact_model.offset(candidate)
            };
            let (now, then) = (height(y), height(ends));
            let least = (KEPT_GAP_FRACTION * now).min(MAX_KEPT_GAP * self.contact_model.dhat);
            if then < least {
                step_limits.push((first + k as u32, (now - least) / (now - then)));
            }
        }
    }
}

/// Whether candidates have the same kind and separation.
fn share_separation(a: &Candidate, b: &Candidate) -> bool {
    a.kind == b.kind && a.body == b.body && a.below_separation == b.below_separation
}
