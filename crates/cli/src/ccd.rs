//! `toile ccd`.

use crate::{End, print_json, print_line};
use std::path::PathBuf;
use toile::Error;
use toile_collide::ccd::{Ccd, Filter, Pair};
use toile_lab::ccd::{self, Score};

/// Judge the methods of continuous collision detection by a file of queries.
///
/// Two formats are read: plain CSV with one query of 24 numbers a row (the four vertices at t0, then
/// at t1; a 25th column, 1 or 0, is the truth), and the public benchmark's with eight rows a query,
/// each coordinate as numerator,denominator and the truth in the seventh column. The exit status is 1
/// if a method that promises to miss nothing misses a contact.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile ccd queries_vf.csv                          all methods, with the default filter
  toile ccd golf/edge-edge/data_0_0.csv --json
  toile ccd queries.csv --pair edge-edge --method separating --filter none --gap 0.001")]
pub(crate) struct Args {
    /// Files of queries.
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// What the four vertices are; guessed from the path if it says vf, vertex-face, ee or edge-edge.
    #[arg(long, value_enum)]
    pair: Option<PairName>,
    /// Methods to ask; all if not given.
    #[arg(long, value_enum, value_delimiter = ',')]
    method: Vec<MethodName>,
    /// What is tried before the method; several can be compared.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [FilterName::Hull])]
    filter: Vec<FilterName>,
    /// Distance to be kept [m].
    #[arg(long, default_value_t = 0.0, value_parser = gap)]
    gap: f64,
    /// How often everything is asked; the least time counts.
    #[arg(long, default_value_t = 5, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1000))]
    repeats: usize,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum PairName {
    VertexFace,
    EdgeEdge,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum MethodName {
    Cubic,
    Separating,
    Additive,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FilterName {
    None,
    Boxes,
    Dop,
    Hull,
}

fn gap(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(gap) if (0.0..1e6).contains(&gap) => Ok(gap),
        _ => Err("a distance in metres, from 0 to 1e6".into()),
    }
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    let pair = args.pair.map(|p| match p {
        PairName::VertexFace => Pair::VertexFace,
        PairName::EdgeEdge => Pair::EdgeEdge,
    });
    let methods: Vec<Ccd> = match args.method.is_empty() {
        true => Ccd::ALL.to_vec(),
        false => args.method.iter().map(|m| method(*m)).collect(),
    };
    let mut all: Vec<(PathBuf, Score)> = Vec::new();
    for file in &args.file {
        let queries = ccd::read(file, pair)?;
        if !json {
            print_line(&heading(file, &queries));
        }
        for method in &methods {
            for filter in &args.filter {
                let score =
                    ccd::score(&queries, *method, filter_of(*filter), args.gap, args.repeats);
                if !json {
                    print_line(&row(&score));
                }
                all.push((file.clone(), score));
            }
        }
    }
    if json {
        let rows: Vec<_> = all
            .iter()
            .map(|(file, score)| serde_json::json!({ "file": file, "score": score }))
            .collect();
        print_json(&rows);
    }
    let missed =
        |s: &Score| s.method == Ccd::Separating && s.false_negatives.is_some_and(|n| n > 0);
    Ok(if all.iter().any(|(_, s)| missed(s)) { End::Bad } else { End::Good })
}

fn method(name: MethodName) -> Ccd {
    match name {
        MethodName::Cubic => Ccd::Cubic,
        MethodName::Separating => Ccd::Separating,
        MethodName::Additive => Ccd::Additive,
    }
}

fn filter_of(name: FilterName) -> Filter {
    match name {
        FilterName::None => Filter::None,
        FilterName::Boxes => Filter::Boxes,
        FilterName::Dop => Filter::Dop,
        FilterName::Hull => Filter::Hull,
    }
}

fn heading(file: &std::path::Path, queries: &ccd::Queries) -> String {
    let kind = match queries.pair {
        Pair::VertexFace => "vertices and faces",
        Pair::EdgeEdge => "edges",
    };
    let contacts = queries
        .truth
        .as_ref()
        .map_or(String::new(), |t| format!(", {} contacts", t.iter().filter(|t| **t).count()));
    let rounded = match queries.rounded {
        0 => String::new(),
        n => format!(
            "\nnote: {n} coordinates are no doubles and were rounded; the truth may differ there"
        ),
    };
    format!(
        "{}: {} queries about {kind}{contacts}{rounded}\n{:<11} {:<6} {:>10} {:>10} {:>10} {:>9} {:>9} {:>12}",
        file.display(),
        queries.x.len(),
        "method",
        "filter",
        "positives",
        "false pos.",
        "false neg.",
        "ns",
        "ns, hits",
        "queries/s"
    )
}

fn row(s: &Score) -> String {
    let name = |v: serde_json::Value| v.as_str().unwrap_or_default().to_owned();
    let count = |n: Option<usize>| n.map_or("?".into(), |n| n.to_string());
    format!(
        "{:<11} {:<6} {:>10} {:>10} {:>10} {:>9.1} {:>9} {:>12.0}",
        name(serde_json::json!(s.method)),
        name(serde_json::json!(s.filter)),
        s.positives,
        count(s.false_positives),
        count(s.false_negatives),
        s.nanoseconds,
        s.nanoseconds_hits.map_or("?".into(), |t| format!("{t:.1}")),
        s.per_second
    )
}
