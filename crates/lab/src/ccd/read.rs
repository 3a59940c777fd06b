//! Files of queries, in two formats.
//!
//! | format | a query |
//! |---|---|
//! | plain CSV | one row of 24 numbers: the four vertices at t0, then at t1, xyz each; a 25th column, 1 or 0, says whether they collide |
//! | rational [wang2021] | eight rows: the four vertices at t0, then at t1; each coordinate as numerator,denominator; the seventh column says whether they collide |
//!
//! Vertices are p, a, b, c for a vertex and a face, and a0, a1, b0, b1 for two edges. A row that
//! begins with `#` is a comment, and one before the first query that begins with a letter a heading.

use glam::DVec3;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::path::Path;
use toile::Error;
use toile_collide::ccd::{Pair, Query};
use toile_mesh::io::source;

/// Queries of one kind.
#[derive(Clone, Debug)]
pub struct Queries {
    /// Vertices and faces, or edges.
    pub pair: Pair,
    /// Four vertices each.
    pub x: Vec<Query>,
    /// Whether they collide, if the file says so.
    pub truth: Option<Vec<bool>>,
    /// How many coordinates were not exactly representable and had to be rounded.
    pub rounded: usize,
}

/// Reads a file of queries; `pair` is guessed from its path if not given.
pub fn read(path: &Path, pair: Option<Pair>) -> Result<Queries, Error> {
    let text = source::read_text(path, source::MAX_MESH_BYTES)
        .map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
    let pair = pair.or_else(|| guess(path)).ok_or_else(|| {
        Error::request(
            format!("{}: is this about vertices and faces, or about edges?", path.display()),
            "say --pair vertex-face or --pair edge-edge, or name the file so",
        )
    })?;
    parse(&text, pair).map_err(|(line, what)| {
        Error::request(
            format!("{}, line {line}: {what}", path.display()),
            "a row has 24 numbers (and 1 or 0), or 6 (numerators and denominators; and 1 or 0) with \
             eight rows a query",
        )
    })
}

/// What a path says of its queries.
fn guess(path: &Path) -> Option<Pair> {
    let mut said = None;
    for part in path.iter().rev().take(3) {
        let words = part.to_string_lossy().to_lowercase();
        let has = |word: &str, names: &[&str]| {
            names.iter().any(|n| words.contains(n))
                || words.split(|c: char| !c.is_alphanumeric()).any(|w| w == word)
        };
        let vf = has("vf", &["vertex-face", "vertexface", "vertex_face", "point-triangle"]);
        let ee = has("ee", &["edge-edge", "edgeedge", "edge_edge"]);
        said = said.or(match (vf, ee) {
            (true, false) => Some(Pair::VertexFace),
            (false, true) => Some(Pair::EdgeEdge),
            _ => None,
        });
    }
    said
}

/// A line, and what is wrong there.
type Fault = (usize, String);

fn parse(text: &str, pair: Pair) -> Result<Queries, Fault> {
    let mut queries = Queries { pair, x: Vec::new(), truth: None, rounded: 0 };
    let mut truths: Vec<Option<bool>> = Vec::new();
    // Rows of a query that is not complete yet.
    let mut rows: Vec<DVec3> = Vec::new();
    let mut last = 0;
    // Some programs put a byte order mark before the first character.
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        last = i + 1;
        let heading = queries.x.is_empty() && rows.is_empty();
        let heading = heading && line.starts_with(char::is_alphabetic) && !is_number(line);
        if line.is_empty() || line.starts_with('#') || heading {
            continue;
        }
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let fault = |what: String| (i + 1, what);
        match fields.len() {
            24 | 25 if rows.is_empty() => {
                let numbers = plain(&fields[..24]).map_err(fault)?;
                queries.x.push(query(&numbers));
                truths.push(fields.get(24).map(|f| truth(f)).transpose().map_err(fault)?);
            }
            6 | 7 => {
                let (x, rounded) = rational(&fields[..6]).map_err(fault)?;
                queries.rounded += rounded;
                let said = fields.get(6).map(|f| truth(f)).transpose().map_err(fault)?;
                if rows.is_empty() {
                    truths.push(said);
                } else if truths.last() != Some(&said) {
                    return Err(fault("the rows of a query disagree on its truth".into()));
                }
                rows.push(x);
                if rows.len() == 8 {
                    queries.x.push(query(&rows));
                    rows.clear();
                }
            }
            n => return Err(fault(format!("{n} columns"))),
        }
    }
    if !rows.is_empty() {
        return Err((last, format!("the last query has {} of 8 rows", rows.len())));
    }
    if queries.x.is_empty() {
        return Err((last.max(1), "no query in this file".into()));
    }
    if truths.iter().any(Option::is_some) {
        let all: Option<Vec<bool>> = truths.into_iter().collect();
        let some = (last, "some queries have a truth and some have none".into());
        queries.truth = Some(all.ok_or(some)?);
    }
    Ok(queries)
}

/// Whether a row begins with something that reads as a number, as `nan` and `inf` do.
fn is_number(line: &str) -> bool {
    line.split(',').next().is_some_and(|f| f.trim().parse::<f64>().is_ok())
}

/// Four vertices from the eight positions in the order of the files.
fn query(x: &[DVec3]) -> Query {
    std::array::from_fn(|v| [x[v], x[v + 4]])
}

fn plain(fields: &[&str]) -> Result<Vec<DVec3>, String> {
    let numbers: Vec<f64> = fields
        .iter()
        .map(|f| f.parse().map_err(|_| format!("`{f}` is no number")))
        .collect::<Result<_, String>>()?;
    if let Some(bad) = numbers.iter().find(|x| !x.is_finite()) {
        return Err(format!("{bad} is no position"));
    }
    Ok(numbers.chunks(3).map(|c| DVec3::new(c[0], c[1], c[2])).collect())
}

/// A position from three fractions, and how many of its coordinates were rounded.
fn rational(fields: &[&str]) -> Result<(DVec3, usize), String> {
    let integer = |f: &str| f.parse::<BigInt>().map_err(|_| format!("`{f}` is no whole number"));
    let mut x = [0.0; 3];
    let mut rounded = 0;
    for k in 0..3 {
        let (numerator, denominator) = (integer(fields[2 * k])?, integer(fields[2 * k + 1])?);
        if denominator.is_zero() {
            return Err("a denominator is zero".into());
        }
        let exact = BigRational::new(numerator, denominator);
        x[k] = exact.to_f64().filter(|x| x.is_finite()).ok_or("a fraction is out of range")?;
        rounded += usize::from(BigRational::from_float(x[k]) != Some(exact));
    }
    Ok((DVec3::from_array(x), rounded))
}

fn truth(field: &str) -> Result<bool, String> {
    match field {
        "0" | "false" => Ok(false),
        "1" | "true" => Ok(true),
        other => Err(format!("`{other}` is no truth; it is 1 or 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex that falls through a resting triangle, in both formats.
    fn plain_row(end: &str) -> String {
        let at = |y: &str| format!("0.25,{y},0.25,0,0,0,1,0,0,0,0,1");
        format!("{},{}{end}", at("1"), at("-0.5"))
    }

    fn rational_rows(truth: &str) -> String {
        let at = |y: &str| {
            let corners = ["0,1,0,1,0,1", "1,1,0,1,0,1", "0,1,0,1,7,7"];
            let rows: Vec<String> = [format!("1,4,{y},1,4")]
                .into_iter()
                .chain(corners.map(String::from))
                .map(|r| format!("{r}{truth}\n"))
                .collect();
            rows.concat()
        };
        format!("{}{}", at("1,1"), at("-1,2"))
    }

    #[test]
    fn both_formats_give_the_same_queries() {
        let a = parse(&plain_row(",1"), Pair::VertexFace).unwrap();
        let b = parse(&rational_rows(",1"), Pair::VertexFace).unwrap();
        assert_eq!((&a.x, &a.truth), (&b.x, &b.truth));
        assert_eq!(a.truth, Some(vec![true]));
        assert_eq!(a.x[0][0], [DVec3::new(0.25, 1.0, 0.25), DVec3::new(0.25, -0.5, 0.25)]);
        assert_eq!(b.rounded, 0);
    }

    #[test]
    fn a_fraction_that_is_no_double_is_rounded_and_counted() {
        let text = rational_rows("").replace("1,4,", "1,3,");
        let q = parse(&text, Pair::VertexFace).unwrap();
        assert_eq!((q.rounded, q.truth), (2, None));
        assert_eq!(q.x[0][0][0].x, 1.0 / 3.0);
    }

    #[test]
    fn faults_are_found_where_they_are() {
        let fault = |text: &str| parse(text, Pair::EdgeEdge).unwrap_err();
        assert_eq!(fault("1,2,3").0, 1);
        assert_eq!(fault(&format!("# heading\n{}\n{}", plain_row(",1"), plain_row(""))).0, 3);
        assert!(fault(&plain_row(",2")).1.contains("no truth"));
        assert!(fault(&plain_row(",1").replace("0.25,1", "nan,1")).1.contains("no position"));
        let cut: String = rational_rows(",1").lines().take(5).map(|l| format!("{l}\n")).collect();
        assert!(fault(&cut).1.contains("5 of 8 rows"));
        assert!(fault(&rational_rows(",1").replace("7,7", "7,0")).1.contains("zero"));
        assert!(fault("").1.contains("no query"));
        let nan = format!("x,y,z\n{}", plain_row(",1").replacen("0.25,1", "nan,1", 1));
        assert!(fault(&nan).1.contains("no position"), "not taken for a heading");
        let late = format!("{}\nx,y,z", plain_row(",1"));
        assert_eq!(fault(&late).0, 2, "a heading below the first row");
        assert!(parse(&format!("\u{feff}{}", plain_row(",1")), Pair::EdgeEdge).is_ok());
    }

    #[test]
    fn the_kind_is_guessed_from_the_path() {
        assert_eq!(guess(Path::new("data/vf_ball.csv")), Some(Pair::VertexFace));
        assert_eq!(guess(Path::new("golf/edge-edge/data_0_0.csv")), Some(Pair::EdgeEdge));
        assert_eq!(guess(Path::new("queries/data.csv")), None, "no ee as a word of its own");
    }
}
