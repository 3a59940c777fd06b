//! How far a direction can be followed.

use super::newton::Solver;
use super::pairs::{Kind, Near};
use glam::DVec3;
use rayon::prelude::*;
use toile_collide::ccd::{self, Ccd, Filter, Pair, Separation};

/// Part of its gap a pair keeps in an iteration …
const KEPT: f64 = 0.2;
/// … and part of the reach that pairs from farther away keep.
const ARRIVAL: f64 = 0.1;
/// Pairs in a task.
const CHUNK: usize = 256;

impl Solver {
    /// The pairs that come too near on the way from `y` to `ends`, ascending, with the part of the way that
    /// is safe. The continuous collision detection misses none.
    pub(super) fn impacts(&self, pairs: &[Near], y: &[DVec3], ends: &[DVec3]) -> Vec<(u32, f64)> {
        let mut impacts = Vec::new();
        let mut first = 0;
        for run in pairs.chunk_by(alike) {
            let separation = Separation {
                radius: self.gauge.offset(&run[0]),
                gap: ARRIVAL * self.gauge.reach,
                leeway: 1.0 - KEPT,
                body: self.gauge.radius(&run[0]),
            };
            let of = |pair| self.of_features(pair, run, separation, y, ends, first);
            match run[0].kind {
                Kind::VertexFace => impacts.append(&mut of(Pair::VertexFace)),
                Kind::EdgeEdge => impacts.append(&mut of(Pair::EdgeEdge)),
                Kind::Plane => self.above_plane(run, y, ends, first, &mut impacts),
            }
            first += run.len() as u32;
        }
        impacts
    }

    /// Impacts of pairs of one kind; the pairs are numbered from `first` on.
    fn of_features(
        &self,
        pair: Pair,
        run: &[Near],
        separation: Separation,
        y: &[DVec3],
        ends: &[DVec3],
        first: u32,
    ) -> Vec<(u32, f64)> {
        let chunks = run.par_chunks(CHUNK).enumerate().map(|(c, run)| {
            let mut found = Vec::new();
            let query = |i: usize| {
                let x = run[i].points.map(|p| [y[p as usize], ends[p as usize]]);
                // Of contacts a plane is known, which nearly always tells.
                let apart = self.contacts.of(&run[i]).is_some_and(|c| {
                    let least = separation.threshold(separation.radius + c.gap);
                    ccd::is_kept_apart(pair, &x, c.normal, least)
                });
                (!apart).then_some(x)
            };
            Ccd::Separating.answer_all(
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

    fn above_plane(
        &self,
        run: &[Near],
        y: &[DVec3],
        ends: &[DVec3],
        first: u32,
        impacts: &mut Vec<(u32, f64)>,
    ) {
        for (k, near) in run.iter().enumerate() {
            let height = |y| self.gauge.closest(near, y).distance - self.gauge.offset(near);
            let (now, then) = (height(y), height(ends));
            let least = (KEPT * now).min(ARRIVAL * self.gauge.reach);
            if then < least {
                impacts.push((first + k as u32, (now - least) / (now - then)));
            }
        }
    }
}

/// Whether pairs can be asked for impacts together.
fn alike(a: &Near, b: &Near) -> bool {
    a.kind == b.kind && a.body == b.body && a.crowded == b.crowded
}
