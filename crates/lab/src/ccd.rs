//! Judging continuous collision detection by files of queries with known answers.
//!
//! Every method is asked all queries on one thread, with a filter before it; the time of the best of several
//! passes counts. Against a truth column, false positives (reported, but no contact) cost time,
//! false negatives (missed) cost correctness.

mod read;

pub use read::{Queries, read};

use serde::Serialize;
use std::time::Instant;
use toile_collide::ccd::{Ccd, Filter, Pair, Separation};

/// How a method did on a file.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// The method.
    pub method: Ccd,
    /// What was tried before it.
    pub filter: Filter,
    /// Vertices and faces, or edges.
    pub pair: Pair,
    /// How many were asked.
    pub queries: usize,
    /// How many it reported.
    pub positives: usize,
    /// Reported without contact; `None` without a truth column.
    pub false_positives: Option<usize>,
    /// Contacts that were not reported.
    pub false_negatives: Option<usize>,
    /// Average time of a query [ns].
    pub nanoseconds: f64,
    /// The same over the contacts alone [ns], if they are known.
    pub nanoseconds_hits: Option<f64>,
    /// Queries in a second.
    pub per_second: f64,
}

/// Asks one method all queries, keeping `gap` [m] between the features. Times are the least of
/// `repeats` passes.
pub fn score(queries: &Queries, method: Ccd, filter: Filter, gap: f64, repeats: usize) -> Score {
    let separation = Separation::gap(gap);
    let count = queries.x.len();
    let mut reported = vec![false; count];
    let seconds = least(repeats, || {
        reported.fill(false);
        let ask = |i: usize| Some(queries.x[i]);
        method.times_of_impact(queries.pair, count, separation, filter, ask, |i, _| {
            reported[i] = true
        });
    });
    let wrong = |said: bool| {
        let truth = queries.truth.as_ref()?;
        Some(reported.iter().zip(truth).filter(|(r, t)| **r == said && **t != said).count())
    };
    Score {
        method,
        filter,
        pair: queries.pair,
        queries: count,
        positives: reported.iter().filter(|r| **r).count(),
        false_positives: wrong(true),
        false_negatives: wrong(false),
        nanoseconds: 1e9 * seconds / count.max(1) as f64,
        nanoseconds_hits: hits(queries, method, filter, separation, repeats),
        per_second: count as f64 / seconds.max(1e-12),
    }
}

/// Average time of the queries that are contacts.
fn hits(
    queries: &Queries,
    method: Ccd,
    filter: Filter,
    separation: Separation,
    repeats: usize,
) -> Option<f64> {
    let truth = queries.truth.as_ref()?;
    let contacts: Vec<_> =
        queries.x.iter().zip(truth).filter(|(_, t)| **t).map(|(x, _)| *x).collect();
    let mut found = 0_usize;
    let seconds = least(repeats, || {
        let ask = |i: usize| Some(contacts[i]);
        method.times_of_impact(queries.pair, contacts.len(), separation, filter, ask, |_, _| {
            found += 1
        });
    });
    (!contacts.is_empty()).then(|| 1e9 * seconds / contacts.len() as f64)
}

fn least(repeats: usize, mut work: impl FnMut()) -> f64 {
    (0..repeats.max(1))
        .map(|_| {
            let clock = Instant::now();
            work();
            clock.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}
