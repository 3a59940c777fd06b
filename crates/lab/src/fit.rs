//! Numbers of a fabric from measured curves, by running the virtual instrument.
//!
//! A CSV file has a row of names and rows of two numbers, in SI units or in those that its names say, as in
//! `strain [%],force [gf/cm]`:
//!
//! | columns | instrument | what is found |
//! | --- | --- | --- |
//! | `strain,force` | tension along weft or warp, loading [1, N/m] | EM and LT of the power law ([`Tensile`]) |
//! | `angle,force` | shear, first loading from rest [rad, N/m] | G and 2HG |
//! | `curvature,moment` | bending along weft or warp, first loading from rest [1/m, N] | B and 2HB |
//! | `length,angle` | Peirce's cantilever: overhang, and angle below the horizontal [m, rad] | B |
//!
//! The curve of the instrument is compared with the data and the numbers are changed until the sum of squares
//! is least (Gauss–Newton on their logarithms, slopes by differences).
//!
//! Data that no cloth gives are refused with their line and the unit in which they would make sense (`range.rs`), and
//! so is a fit whose residual is above [`MAX_RESIDUAL`]: such numbers describe something else than was measured.
//! The instrument runs [`MAX_RUNS`] times at most.
//!
//! Limits: one test at a time; only loading is used. The cantilever tells B by weight, so that the density must
//! be right. A fit can be no better than its data: the residual tells.

mod range;

use crate::laboratory::kes::{self, Along, Fineness, Loop};
use crate::laboratory::{Failure, peirce};
use range::{MAX_OVERHANGS, MAX_POINTS};
use toile::Error;
use toile::fabric::kes::{KES_MAX_TENSION, Tensile};
use toile::fabric::units::Dimension;
use toile_sim::Fabric;
use toile_sim::fabric::{Confidence, Origin, STANDARD_GRAVITY};

/// Rounds of Gauss–Newton at most.
const ROUNDS: usize = 12;
/// Change of all numbers at which they stand.
const STILL: f64 = 1e-4;
/// Relative step of differences.
const STEP: f64 = 1e-3;
/// A power law that fits has a linearity between these.
const LINEARITY: [f64; 2] = [0.15, 1.0];
/// Largest residual of a fit, in parts of the largest value measured. Power law, straight line and loop follow
/// the curves of real fabrics to some percent; data in wrong units leave ten times as much.
pub const MAX_RESIDUAL: f64 = 0.1;
/// Most runs of the instrument for one curve; a fit takes about twenty.
pub const MAX_RUNS: usize = 60;
/// How fine the instruments are.
const FINENESS: Fineness = Fineness { cells: 2, points: 24 };
/// Cells of the cantilever.
const CELLS: usize = 16;
const EXAMPLE: &str = "write a row of names and rows of two numbers, for example:\nstrain [%],force [gf/cm]\n1,5.2\n2,15.9\n\
                       the names are strain,force or angle,force or curvature,moment or length,angle; without units \
                       they are SI";

/// Which instrument a curve is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Tension over strain.
    Tension,
    /// Shear force over angle.
    Shear,
    /// Moment over curvature.
    Bending,
    /// Angle of the end over overhang.
    Cantilever,
}

/// A measured curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// What was measured.
    pub kind: Kind,
    /// Its points, in SI units.
    pub points: Loop,
}

/// A fit; its residual is [`MAX_RESIDUAL`] at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The fabric with the numbers that were found.
    pub fabric: Fabric,
    /// Name and value of each, in SI units.
    pub found: Vec<(&'static str, f64)>,
    /// Root of the mean square of what remains, in parts of the largest value measured.
    pub residual: f64,
}

/// Reads a curve; `name` is for error messages.
///
/// # Errors
/// If it is none, with the line and the remedy.
pub fn read_curve(text: &str, name: &str) -> Result<Data, Error> {
    let fail =
        |line: usize, what: String| Error::request(format!("{name}:{line}: {what}"), EXAMPLE);
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|l| !is_comment(l)).unwrap_or_default();
    let separator = [';', '\t'].into_iter().find(|s| first.contains(*s)).unwrap_or(',');
    let mut columns: Option<(Kind, [f64; 2])> = None;
    let mut points = Loop::new();
    let mut largest = [0.0_f64; 2];
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        if is_comment(line) {
            continue;
        }
        let cells: Vec<&str> = line.split(separator).map(str::trim).collect();
        let [a, b] = cells[..] else {
            return Err(fail(number, format!("the row has {} cells, not two", cells.len())));
        };
        let Some((kind, factors)) = columns else {
            columns = Some(header(a, b).map_err(|what| fail(number, what))?);
            continue;
        };
        let value = |text: &str, factor: f64| {
            let plain = if separator == ',' { text.to_owned() } else { text.replace(',', ".") };
            match plain.parse::<f64>() {
                Ok(v) if v.is_finite() && v >= 0.0 => Ok(v * factor),
                _ => Err(fail(number, format!("`{text}` is no number from zero up"))),
            }
        };
        let point = [value(a, factors[0])?, value(b, factors[1])?];
        if point.contains(&0.0) {
            // The start of the test.
            continue;
        }
        for (k, column) in range::columns(kind).iter().enumerate() {
            column.check(point[k], factors[k]).map_err(|what| fail(number, what))?;
            largest[k] = largest[k].max(point[k]);
        }
        points.push((point[0], point[1]));
        let most = if kind == Kind::Cantilever { MAX_OVERHANGS } else { MAX_POINTS };
        if points.len() > most {
            return Err(fail(number, format!("there are more than {most} points")));
        }
    }
    let Some((kind, factors)) = columns else {
        return Err(fail(1, "there is no row of names".into()));
    };
    let least = if kind == Kind::Cantilever { 1 } else { 3 };
    if points.len() < least {
        let what = format!("there are {} points above zero; it takes {least}", points.len());
        return Err(fail(text.lines().count().max(1), what));
    }
    for (k, column) in range::columns(kind).iter().enumerate() {
        let last = text.lines().count();
        column.check_largest(largest[k], factors[k]).map_err(|what| fail(last, what))?;
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    if kind != Kind::Cantilever && points[points.len() - 1].0 < 1.01 * points[0].0 {
        let what = "all points are at the same place; it takes a curve".to_owned();
        return Err(fail(text.lines().count(), what));
    }
    Ok(Data { kind, points })
}

fn is_comment(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// The test that two names of columns mean, and their units in those of the SI.
fn header(a: &str, b: &str) -> Result<(Kind, [f64; 2]), String> {
    let cut = |cell: &str| -> (String, Option<String>) {
        let (name, unit) = match cell.split_once('[') {
            Some((name, unit)) => (name, Some(unit.trim_end_matches(']').trim().to_owned())),
            None => (cell, None),
        };
        (name.trim().to_lowercase(), unit)
    };
    let [(first, first_unit), (second, second_unit)] = [a, b].map(cut);
    let (kind, dimensions) = match (first.as_str(), second.as_str()) {
        ("strain", "force" | "tension") => (Kind::Tension, [Dimension::Part, Dimension::Tension]),
        ("angle", "force") => (Kind::Shear, [Dimension::Angle, Dimension::Tension]),
        // Curvature is one over a length.
        ("curvature", "moment") => (Kind::Bending, [Dimension::Length, Dimension::Moment]),
        ("length", "angle") => (Kind::Cantilever, [Dimension::Length, Dimension::Angle]),
        _ => return Err(format!("`{a},{b}` names no test")),
    };
    let factor = |dimension: Dimension, unit: Option<String>| match unit {
        None => Ok(1.0),
        Some(unit) => dimension.factor(&unit).map_err(|[reason, help]| format!("{reason}; {help}")),
    };
    let inverse = kind == Kind::Bending;
    let first_unit = match first_unit {
        Some(unit) if inverse => {
            let length = unit.strip_prefix("1/").ok_or(format!("`{unit}` is no curvature; 1/m is"));
            Some(length?.to_owned())
        }
        unit => unit,
    };
    let one = factor(dimensions[0], first_unit)?;
    let two = factor(dimensions[1], second_unit)?;
    Ok((kind, [if inverse { 1.0 / one } else { one }, two]))
}

/// Fits a fabric to a curve; numbers that the curve does not tell stay those of `start`.
///
/// # Errors
/// If the instrument cannot measure such a fabric, or no numbers fit to [`MAX_RESIDUAL`].
pub fn fit(start: &Fabric, data: &Data, along: Along) -> Result<Fit, Error> {
    let failed = |e: &dyn std::fmt::Display| no_fit(data, &format!("{e}"));
    let scale = data.points.iter().map(|p| p.1).fold(f64::MIN_POSITIVE, f64::max);
    let mut q = guess(data, start.density);
    let runs = std::cell::Cell::new(0);
    let off = |q: &[f64]| -> Result<Vec<f64>, Failure> {
        runs.set(runs.get() + 1);
        if let Some(what) = implausible(data.kind, q) {
            return Err(Failure::Unreachable(what));
        }
        let fabric = with(start, data.kind, along, q);
        let curve = simulate(&fabric, data, along)?;
        Ok(curve.iter().zip(&data.points).map(|(s, p)| (s - p.1) / scale).collect())
    };
    let sum = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>();
    let mut r = off(&q).map_err(|e| failed(&e))?;
    for _ in 0..ROUNDS {
        let mut slopes = Vec::new();
        for k in 0..q.len() {
            let mut moved = q.clone();
            moved[k] *= 1.0 + STEP;
            let shifted = off(&moved).map_err(|e| failed(&e))?;
            slopes.push(shifted.iter().zip(&r).map(|(s, r)| (s - r) / STEP).collect::<Vec<f64>>());
        }
        let step = least_squares(&slopes, &r);
        // Halved until it helps.
        let mut length = 1.0;
        let mut better = None;
        while length > 1e-3 && better.is_none() && runs.get() < MAX_RUNS {
            let moved: Vec<f64> = q
                .iter()
                .zip(&step)
                .map(|(q, s)| q * libm::exp((length * s).clamp(-1.0, 1.0)))
                .collect();
            better = off(&moved).ok().filter(|n| sum(n) < sum(&r)).map(|n| (moved, n));
            length *= 0.5;
        }
        let Some((moved, new)) = better else { break };
        let change = moved.iter().zip(&q).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
        (q, r) = (moved, new);
        if change < STILL || runs.get() + q.len() >= MAX_RUNS {
            break;
        }
    }
    let residual = (sum(&r) / r.len() as f64).sqrt();
    // Also if it is no number.
    if !matches!(residual.partial_cmp(&MAX_RESIDUAL), Some(std::cmp::Ordering::Less)) {
        let (found, most) = (100.0 * residual, 100.0 * MAX_RESIDUAL);
        return Err(no_fit(
            data,
            &format!("the best leaves a residual of {found:.1} %, more than {most:.0} %"),
        ));
    }
    let mut fabric = with(start, data.kind, along, &q);
    let found = names(data.kind, along);
    for key in &found {
        let source = format!(
            "fitted to {} points by the virtual instrument, residual {:.2} %",
            r.len(),
            100.0 * residual
        );
        let key = match *key {
            "EM" | "LT" => along.name(),
            key => key,
        };
        fabric.origins.insert(key.into(), Origin { confidence: Confidence::Measured, source });
    }
    Ok(Fit { fabric, found: found.into_iter().zip(q).collect(), residual })
}

/// Why there is no fit, with the data as they were understood.
fn no_fit(data: &Data, reason: &str) -> Error {
    let ends = |value: fn(&(f64, f64)) -> f64| {
        let values = data.points.iter().map(value);
        let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
        format!("{low:.4} to {high:.4}")
    };
    let (x, y) = (ends(|p| p.0), ends(|p| p.1));
    let read = match data.kind {
        Kind::Tension => format!("strains of {x} and forces of {y} N/m"),
        Kind::Shear => format!("angles of {x} rad and forces of {y} N/m"),
        Kind::Bending => format!("curvatures of {x} 1/m and moments of {y} N"),
        Kind::Cantilever => format!("lengths of {x} m and angles of {y} rad"),
    };
    Error::request(
        format!("no fabric fits: {reason}"),
        format!(
            "the units are probably wrong: the file was read as {read}. Write units behind the names of the columns, \
             as in `strain [%],force [gf/cm]`; give loading only, from rest upwards"
        ),
    )
}

/// Why no cloth has such numbers: the instrument need not be asked, and may have nothing to measure with.
fn implausible(kind: Kind, q: &[f64]) -> Option<&'static str> {
    let (least, most, what) = match kind {
        Kind::Tension => (1e-4, 2.0, "500 gf/cm at a strain of 0.01 % to 200 %"),
        Kind::Shear => (1e-2, 1e5, "a shear stiffness from 0.01 N/m to 100 kN/m"),
        Kind::Bending | Kind::Cantilever => {
            (1e-9, 0.1, "a bending rigidity from 1 nN·m to 0.1 N·m")
        }
    };
    let good = (least..=most).contains(&q[0]) && q[1..].iter().all(|v| v.is_finite() && *v > 0.0);
    (!good).then_some(what)
}

/// What is found, in the order of the numbers.
fn names(kind: Kind, along: Along) -> Vec<&'static str> {
    match (kind, along) {
        (Kind::Tension, _) => vec!["EM", "LT"],
        (Kind::Shear, _) => vec!["shear", "shear_hysteresis"],
        (Kind::Bending, Along::Weft) => vec!["bend_weft", "bend_hysteresis_weft"],
        (Kind::Bending, Along::Warp) => vec!["bend_warp", "bend_hysteresis_warp"],
        (Kind::Cantilever, Along::Weft) => vec!["bend_weft"],
        (Kind::Cantilever, Along::Warp) => vec!["bend_warp"],
    }
}

/// A start from the ends of the data.
fn guess(data: &Data, density: f64) -> Vec<f64> {
    let (first, last) = (data.points[0], data.points[data.points.len() - 1]);
    let slope = ((last.1 - first.1) / (last.0 - first.0)).max(1e-3 * last.1 / last.0);
    let height = (first.1 - slope * first.0).max(1e-2 * last.1);
    match data.kind {
        Kind::Tension => vec![last.0 * kes_ratio(last.1), 0.75],
        Kind::Shear | Kind::Bending => vec![slope, 2.0 * height],
        // Peirce's own formula.
        Kind::Cantilever => {
            let (length, angle) = (last.0, last.1.clamp(0.01, 1.5));
            let part = libm::cos(0.5 * angle) / (8.0 * libm::tan(angle));
            vec![density * STANDARD_GRAVITY * length.powi(3) * part]
        }
    }
}

/// Where a power law of usual linearity comes to 500 gf/cm, in parts of the strain at a tension.
fn kes_ratio(tension: f64) -> f64 {
    libm::pow(KES_MAX_TENSION / tension, 0.6)
}

/// A fabric with other numbers.
fn with(start: &Fabric, kind: Kind, along: Along, q: &[f64]) -> Fabric {
    let mut f = start.clone();
    match kind {
        Kind::Tension => {
            let tensile = Tensile { em: q[0], lt: q[1].clamp(LINEARITY[0], LINEARITY[1]) };
            let line = KES_MAX_TENSION / q[0];
            match along {
                Along::Weft => (f.weft, f.weft_curve) = (line, tensile.points()),
                Along::Warp => (f.warp, f.warp_curve) = (line, tensile.points()),
            }
        }
        Kind::Shear => {
            (f.shear, f.shear_hysteresis, f.shear_hysteresis_wide) = (q[0], q[1], 0.0);
            f.shear_curve.clear();
        }
        Kind::Bending | Kind::Cantilever => {
            let (b, hb) = match along {
                Along::Weft => (&mut f.bend_weft, &mut f.bend_hysteresis_weft),
                Along::Warp => (&mut f.bend_warp, &mut f.bend_hysteresis_warp),
            };
            *b = q[0];
            if let Some(width) = q.get(1) {
                *hb = *width;
            }
        }
    }
    f
}

/// What the instrument shows at the points of the data.
fn simulate(fabric: &Fabric, data: &Data, along: Along) -> Result<Vec<f64>, Failure> {
    let mut path: Loop = match data.kind {
        Kind::Tension => kes::tensile(fabric, along, FINENESS)?.0,
        Kind::Shear => kes::shear_from_rest(fabric, along, FINENESS)?,
        Kind::Bending => kes::bending(fabric, along, FINENESS)?.0,
        Kind::Cantilever => {
            let each = data.points.iter();
            return each
                .map(|p| Ok(peirce::overhang(fabric, along, p.0, CELLS)?.to_radians()))
                .collect();
        }
    };
    // The first loading: up to where it turns.
    let top = path.windows(2).position(|w| w[1].0 < w[0].0).unwrap_or(path.len() - 1);
    path.truncate(top + 1);
    if path.first().is_some_and(|p| p.0 > 0.0) {
        path.insert(0, (0.0, 0.0));
    }
    Ok(data.points.iter().map(|p| between(&path, p.0)).collect())
}

/// The value of a rising path at `x`; beyond its end it goes on straight.
fn between(path: &Loop, x: f64) -> f64 {
    let next = path.partition_point(|p| p.0 < x).clamp(1, path.len() - 1);
    let (a, b) = (path[next - 1], path[next]);
    a.1 + (x - a.0) * (b.1 - a.1) / (b.0 - a.0)
}

/// The step of one or two numbers that makes r + Σ s J least.
fn least_squares(slopes: &[Vec<f64>], r: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    match slopes {
        [one] => vec![-dot(one, r) / dot(one, one).max(f64::MIN_POSITIVE)],
        [a, b] => {
            // A little of the diagonal keeps numbers still that the data do not tell.
            let (aa, ab, bb) = (dot(a, a) * (1.0 + 1e-9), dot(a, b), dot(b, b) * (1.0 + 1e-9));
            let (ra, rb) = (-dot(a, r), -dot(b, r));
            let det = (aa * bb - ab * ab).max(f64::MIN_POSITIVE);
            vec![(ra * bb - rb * ab) / det, (rb * aa - ra * ab) / det]
        }
        _ => vec![0.0; slopes.len()],
    }
}

#[cfg(test)]
mod tests;
