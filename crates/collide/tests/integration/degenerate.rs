//! Degenerate queries, judged by exact arithmetic: nothing is missed, and few are reported without need.
//!
//! `TOILE_WRITE=folder` writes them as `degenerate_vf.csv` and `degenerate_ee.csv`, with their truth, for `toile
//! ccd` and for other programs (`cargo xtask peers ccd`).

use crate::doubtful;
use crate::exact;

use doubtful::{Family, Four};
use exact::Truth;
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;
use toile_collide::ccd::{Ccd, Filter, Pair, Separation};

const BOTH: [(Pair, &str); 2] = [(Pair::VertexFace, "vf"), (Pair::EdgeEdge, "ee")];

fn is_contact(pair: Pair, q: &Four) -> bool {
    let [a, b, c, d] = *q;
    let truth = match pair {
        Pair::VertexFace => exact::vertex_face(a, [b, c, d]),
        Pair::EdgeEdge => exact::edge_edge([a, b], [c, d]),
    };
    truth != Truth::Miss
}

fn is_reported(ccd: Ccd, pair: Pair, q: &Four) -> bool {
    ccd.time_of_impact(pair, q, Separation::gap(0.0), Filter::Hull).is_some()
}

/// What a method makes of a family.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    queries: usize,
    contacts: usize,
    missed: usize,
    without_need: usize,
    nanoseconds: f64,
}

fn judge(ccd: Ccd, pair: Pair, family: &Family, truth: &[bool]) -> Tally {
    let clock = Instant::now();
    let said: Vec<bool> = family.queries.iter().map(|q| is_reported(ccd, pair, q)).collect();
    let nanoseconds = clock.elapsed().as_secs_f64() * 1e9;
    let count =
        |f: fn(bool, bool) -> bool| said.iter().zip(truth).filter(|(s, t)| f(**s, **t)).count();
    Tally {
        queries: said.len(),
        contacts: count(|_, t| t),
        missed: count(|s, t| t && !s),
        without_need: count(|s, t| s && !t),
        nanoseconds,
    }
}

fn sum(all: &[Tally]) -> Tally {
    all.iter().fold(Tally::default(), |a, b| Tally {
        queries: a.queries + b.queries,
        contacts: a.contacts + b.contacts,
        missed: a.missed + b.missed,
        without_need: a.without_need + b.without_need,
        nanoseconds: a.nanoseconds + b.nanoseconds,
    })
}

#[test]
#[allow(clippy::print_stdout, reason = "figures for people who look")]
fn no_degenerate_contact_is_missed_and_few_are_reported_without_need() {
    for (pair, short) in BOTH {
        let families = doubtful::families(pair);
        let truth: Vec<Vec<bool>> = families
            .iter()
            .map(|f| f.queries.par_iter().map(|q| is_contact(pair, q)).collect())
            .collect();
        if let Some(folder) = std::env::var_os("TOILE_WRITE").map(PathBuf::from) {
            write(&folder.join(format!("degenerate_{short}.csv")), &families, &truth);
        }
        for ccd in Ccd::ALL {
            let tallies: Vec<Tally> =
                families.iter().zip(&truth).map(|(f, t)| judge(ccd, pair, f, t)).collect();
            let all = sum(&tallies);
            println!(
                "{ccd:?} {pair:?}: {:.0} ns a query, {all:?}",
                all.nanoseconds / all.queries as f64
            );
            if ccd != Ccd::Separating {
                continue;
            }
            for (family, tally) in families.iter().zip(&tallies) {
                println!("    {:<32} {tally:?}", family.name);
                assert_eq!(tally.missed, 0, "{pair:?}, {}", family.name);
                assert!(tally.queries > 50, "{pair:?}, {} is nearly empty", family.name);
            }
            // A third of them before there was a second look; now about one in a hundred.
            assert!(all.without_need * 50 < all.queries, "{pair:?}: {all:?}");
            // Otherwise it would be no trial.
            assert!(
                all.contacts > all.queries / 5 && all.contacts < all.queries * 4 / 5,
                "{all:?}"
            );
        }
    }
}

/// One query a row: the vertices at the start, then at the end, then 1 for contact.
fn write(path: &std::path::Path, families: &[Family], truth: &[Vec<bool>]) {
    let mut text = String::new();
    for (q, contact) in families.iter().flat_map(|f| &f.queries).zip(truth.iter().flatten()) {
        for t in 0..2 {
            for c in q.iter().flat_map(|ends| ends[t].to_array()) {
                // The shortest digits that give the same number back.
                write!(text, "{c:e},").expect("memory");
            }
        }
        writeln!(text, "{}", u8::from(*contact)).expect("memory");
    }
    std::fs::write(path, text).expect("the folder of TOILE_WRITE can be written to");
}
