//! Proposes seams for patterns of formats that have none.
//!
//! A seam joins two stretches of the free boundary. Each pair of stretches has a score, a sum of log odds (`score.rs`): equal
//! lengths speak for it, corners that complete each other to a straight line at both ends, heights that run alike
//! when both are walked together, shapes that fit, and the names of the panels; two hems, two armholes and two sleeves
//! speak against it. The best pair is sewn, together with its mirror image on the other side of the garment; the boundary then
//! runs through the joint, and pairs of the longer stretches are scored anew: once shoulders and sides are closed, an armhole is
//! a loop to which the loop of a sleeve cap fits.
//!
//! A proposal's confidence comes from its score and how far it is ahead of the best pair that it excludes.

mod boundary;
mod judge;
mod loops;
mod names;
mod odds;
mod pieces;
mod run;
mod score;
mod shape;
mod twins;

pub use judge::{Judgement, judge};
pub use pieces::{PieceChange, apply, pieces};

use crate::pattern::Pattern;
use crate::seam::{EdgePart, Seam};
use boundary::Boundary;
use run::Run;
use score::Scorer;
use twins::Twins;

/// Proposals below this confidence should be looked at.
pub const DOUBTFUL: f64 = 0.7;

/// Pairs that score less are not proposed.
const MIN_SCORE: f64 = 0.8;

/// Most seams that are proposed.
const MAX_SEAMS: usize = 400;

/// A seam that is proposed.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The seam.
    pub seam: Seam,
    /// How likely it is right, 0 to 1.
    pub confidence: f64,
    /// What speaks for it, in a few words.
    pub reason: String,
}

/// Proposes seams for the free edges of a pattern, but not for those that are `open`. Seams that it has are kept and
/// not proposed.
pub fn seams(pattern: &Pattern, open: &[EdgePart]) -> Vec<Proposal> {
    let mut boundary = Boundary::new(pattern);
    if boundary.atoms.len() > MAX_ATOMS {
        return Vec::new();
    }
    let twins = Twins::new(pattern, &boundary);
    let scorer = Scorer::new(pattern, &boundary, &twins);
    let mut made = Vec::new();
    for seam in &pattern.seams {
        boundary.sew_given(pattern, seam);
    }
    boundary.leave_out(pattern, open);
    while made.len() < MAX_SEAMS {
        let runs = run::runs(&boundary);
        let Some(best) = scorer.best(&boundary, &runs) else { break };
        if best.score < MIN_SCORE {
            break;
        }
        let [a, b] = best.pair.map(|k| runs[k].clone());
        let mirrored = twins.mirrored(&boundary, &a, &b);
        for [a, b] in std::iter::once([a, b]).chain(mirrored) {
            let (a, b) = scorer.aligned(&boundary, a, b);
            for [p, q] in cut_at_panels(&boundary, &a, &b) {
                made.push(proposal(pattern, &boundary, &p, &q, &best, made.len()));
            }
            boundary.sew(&a, &b);
        }
    }
    made
}

/// Two loops that begin together, cut where panels of both begin: a side seam meets a side seam.
fn cut_at_panels(boundary: &Boundary, a: &Run, b: &Run) -> Vec<[Run; 2]> {
    let whole = || vec![[a.clone(), b.clone()]];
    if !a.is_loop {
        return whole();
    }
    let (s, t) = (a.starts(boundary), b.starts(boundary));
    let n = s.len();
    if n != t.len() || n < 2 || s[0] != 0 || t[0] != 0 {
        return whole();
    }
    let part =
        |r: &Run, from: usize, to: usize| Run::new(boundary, r.atoms[from..to].to_vec(), false);
    let end =
        |r: &Run, starts: &[usize], k: usize| starts.get(k + 1).copied().unwrap_or(r.atoms.len());
    let cut: Vec<[Run; 2]> = (0..n)
        .map(|k| [part(a, s[k], end(a, &s, k)), part(b, t[n - 1 - k], end(b, &t, n - 1 - k))])
        .collect();
    let ratio = a.length / b.length;
    let even = |pair: &[Run; 2]| (pair[0].length / pair[1].length / ratio).ln().abs() < 0.35;
    if !cut.iter().all(even) {
        return whole();
    }
    cut.into_iter().map(|[p, q]| [Run { is_loop: true, ..p }, Run { is_loop: true, ..q }]).collect()
}

/// Most pieces of outlines that are looked at: pairs of them are compared.
const MAX_ATOMS: usize = 500;

fn proposal(
    pattern: &Pattern,
    boundary: &Boundary,
    a: &Run,
    b: &Run,
    best: &score::Best,
    index: usize,
) -> Proposal {
    let mut seam = Seam::of_chains(
        (index + 1).to_string(),
        boundary.parts(pattern, a),
        boundary.parts(pattern, b),
    );
    let ratio = a.length.max(b.length) / a.length.min(b.length).max(1e-9);
    if ratio > 1.005 {
        seam.gather = ratio.min(crate::MAX_GATHER);
    }
    // What closes a loop is sewn after what makes it one.
    seam.order = i32::from(a.is_loop);
    let reason = match (a.is_loop, ratio) {
        (true, r) if r < 1.03 => "loops of equal length".to_owned(),
        (true, r) => format!("loops, {r:.2} : 1"),
        (false, r) if r < 1.003 => "equal lengths".to_owned(),
        (false, r) => format!("lengths {r:.2} : 1"),
    };
    Proposal { seam, confidence: best.confidence, reason }
}
