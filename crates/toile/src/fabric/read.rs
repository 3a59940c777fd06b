//! From the TOML of a fabric to SI numbers, with the place of every mistake.
//!
//! Texts with units become numbers, `[kes]` becomes keys of the fabric, curves get their units, a
//! stiffness that is not given is the secant of its curve; then serde reads a flat table.

use super::units::Dimension;
use super::{Blame, appearance, kes, kind, number};
use crate::error::SceneError;
use crate::scene::{Source, from_value, merge, suggest};
use toile_sim::Fabric;
use toile_sim::fabric::{Confidence, MAX_CURVE_POINTS, Origin};
use toml::{Table, Value};

/// What a fabric cannot be without, with an example and the figure of Kawabata's that gives it.
const NEEDED: [(&str, &str, &str); 6] = [
    ("density", "density = 0.12  # kg/m², or \"12 mg/cm²\"", "W"),
    ("weft", "weft = 9000  # N/m, or a weft_curve", "EM"),
    ("warp", "warp = 9000  # N/m, or a warp_curve", "EM"),
    ("shear", "shear = 60  # N/m, or \"1.1 gf/(cm·deg)\"", "G"),
    ("bend_weft", "bend_weft = 7e-6  # N·m, or \"0.07 gf·cm²/cm\"", "B"),
    ("bend_warp", "bend_warp = 9e-6  # N·m, or \"0.09 gf·cm²/cm\"", "B"),
];

/// Numbers that have a usual value, which is nobody's measurement.
const USUAL: [&str; 4] = ["poisson", "thickness", "friction", "damping"];

/// Curves: key, stiffness that is their secant, what is along, how its key in a table is called.
const CURVES: [(&str, &str, Dimension, &str); 3] = [
    ("weft_curve", "weft", Dimension::Part, "strain"),
    ("warp_curve", "warp", Dimension::Part, "strain"),
    ("shear_curve", "shear", Dimension::Angle, "angle"),
];

/// Reads a fabric; `name` is for error messages.
pub(crate) fn from_toml_at(text: &str, name: &str) -> Result<Fabric, Box<SceneError>> {
    let source = Source::new(name, text, Vec::new());
    let mut table: Table = text.parse().map_err(|e: toml::de::Error| {
        let mut error = source.syntax_error(e.span(), e.message());
        error.help = Some("a fabric is a TOML file; see https://toml.io".into());
        error
    })?;
    // How it looks is no number of the simulation, but must be right too.
    if let Some(value) = table.remove(appearance::KEY) {
        appearance::parse(value, &source)?;
    }
    let blame = |path: &str, reason: &str, help| source.error(path, reason, help);
    let table = complete(table, &blame)?;
    let fabric: Fabric = from_value("", Value::Table(table), &source)?;
    check(&fabric, "", &source)?;
    Ok(fabric)
}

/// A fabric like `base` with `changes`, which stand at `path` of a scene.
pub(crate) fn changed(
    base: &Fabric,
    changes: Table,
    path: &str,
    source: &Source,
) -> Result<Fabric, Box<SceneError>> {
    let at = |path: &str, key: &str| match (path, key) {
        ("", key) => key.to_owned(),
        (path, "") => path.to_owned(),
        (path, key) => format!("{path}.{key}"),
    };
    let blame = |key: &str, reason: &str, help| source.error(&at(path, key), reason, help);
    let mut changes = expand(changes, &blame)?;
    let mut table = Table::try_from(base)
        .map_err(|e| source.error(path, &format!("cannot be merged: {e}"), None))?;
    // Changed numbers are no longer those that the origins of the base speak of.
    let confidence = changes.remove("confidence");
    let mut origins = Table::new();
    for key in Fabric::QUANTITIES.into_iter().filter(|q| changes.contains_key(*q)) {
        let mut origin = Table::new();
        let sure = confidence.clone().unwrap_or_else(|| Value::String("estimated".into()));
        origin.insert("confidence".into(), sure);
        origin.insert("source".into(), Value::String("given in the scene".into()));
        origins.insert(key.into(), Value::Table(origin));
    }
    if let Some(Value::Table(given)) = changes.remove("origins") {
        merge(&mut origins, &given);
    }
    if !origins.is_empty() {
        changes.insert("origins".into(), Value::Table(origins));
    }
    // A new stiffness without a curve is a straight line, not the curve of the base.
    for (curve, stiffness, ..) in CURVES {
        if changes.contains_key(stiffness) && !changes.contains_key(curve) {
            table.remove(curve);
        }
    }
    merge(&mut table, &changes);
    let fabric: Fabric = from_value(path, Value::Table(table), source)?;
    check(&fabric, path, source)?;
    Ok(fabric)
}

/// What a file has under `[kes]` and no fabric uses.
pub(super) fn unused(text: &str) -> Vec<String> {
    let table: Table = text.parse().unwrap_or_default();
    let Some(Value::Table(kes)) = table.get("kes") else { return Vec::new() };
    note_unused(kes)
}

pub(super) fn note_unused(kes: &Table) -> Vec<String> {
    let unused = kes.keys().filter(|k| kes::UNUSED.contains(&k.as_str()));
    unused
        .map(|k| format!("{k} is not used: no model here knows compression or roughness"))
        .collect()
}

/// A table with everything a fabric needs, in SI units.
pub(super) fn complete(table: Table, blame: &Blame<'_>) -> Result<Table, Box<SceneError>> {
    let mut table = expand(table, blame)?;
    for (key, example, figure) in NEEDED {
        if !table.contains_key(key) {
            let help = format!("add {example}, or {figure} under [kes]");
            return Err(blame("", &format!("`{key}` is missing"), Some(help)));
        }
    }
    let given: Vec<&str> = USUAL.into_iter().filter(|k| !table.contains_key(*k)).collect();
    let origins = table.entry("origins").or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(origins) = origins {
        for key in given {
            let usual = Origin { confidence: Confidence::Estimated, source: "not given".into() };
            if let Ok(usual) = Value::try_from(usual) {
                origins.entry(key).or_insert(usual);
            }
        }
    }
    Ok(table)
}

/// Turns units, `[kes]` and curves into what serde reads.
fn expand(mut table: Table, blame: &Blame<'_>) -> Result<Table, Box<SceneError>> {
    match table.remove("kes") {
        None => {}
        Some(Value::Table(figures)) => {
            for (key, value) in kes::expand(&figures, "kes", blame)? {
                if table.contains_key(&key) {
                    let reason = "is given twice: here, and by the figures under [kes]";
                    return Err(blame(&key, reason, Some("leave one of them out".into())));
                }
                table.insert(key, value);
            }
        }
        Some(other) => {
            let help = "write a table: [kes], then W = 12, B = 0.07 and so on";
            return Err(blame("kes", &format!("is {}", kind(&other)), Some(help.into())));
        }
    }
    for key in Fabric::QUANTITIES {
        if let (Some(dimension), Some(value)) = (Dimension::of(key), table.get_mut(key)) {
            *value = Value::Float(number(key, value, dimension, blame)?);
        }
    }
    for (key, stiffness, along, name) in CURVES {
        let Some(value) = table.get(key) else { continue };
        let points = curve(key, value, along, name, blame)?;
        if let (false, Some([x, y])) = (table.contains_key(stiffness), points.last()) {
            table.insert(stiffness.into(), Value::Float(y / x));
        }
        let pair = |p: [f64; 2]| Value::Array(p.map(Value::Float).to_vec());
        table.insert(key.into(), Value::Array(points.into_iter().map(pair).collect()));
    }
    if let Some(Value::Table(origins)) = table.get("origins") {
        for key in origins.keys() {
            if !Fabric::QUANTITIES.contains(&key.as_str()) {
                let help = suggest(key, &Fabric::QUANTITIES);
                let path = format!("origins.{key}");
                return Err(blame(&path, "is no number of a fabric", Some(help)));
            }
        }
    }
    Ok(table)
}

/// Points of a curve in SI units: a list, or a table with units and the list.
fn curve(
    path: &str,
    value: &Value,
    along: Dimension,
    name: &str,
    blame: &Blame<'_>,
) -> Result<Vec<[f64; 2]>, Box<SceneError>> {
    let help = || {
        Some(format!(
            "write {path} = [[0, 0], [0.01, 20], …], or {{ {name} = \"{}\", tension = \"gf/cm\", points = [[0, 0], …] }}",
            if along == Dimension::Part { "%" } else { "deg" }
        ))
    };
    let (list, list_path, factors) = match value {
        Value::Array(list) => (list, path.to_owned(), [1.0; 2]),
        Value::Table(table) => {
            let mut factors = [1.0; 2];
            for (key, value) in table {
                let (k, dimension) = match key.as_str() {
                    "points" => continue,
                    "tension" => (1, Dimension::Tension),
                    key if key == name => (0, along),
                    _ => {
                        let help = suggest(key, &[name, "tension", "points"]);
                        return Err(blame(
                            &format!("{path}.{key}"),
                            "is not known here",
                            Some(help),
                        ));
                    }
                };
                let place = format!("{path}.{key}");
                let Value::String(unit) = value else {
                    return Err(blame(&place, "is not the name of a unit", help()));
                };
                factors[k] = dimension
                    .factor(unit)
                    .map_err(|[reason, help]| blame(&place, &reason, Some(help)))?;
            }
            let Some(Value::Array(list)) = table.get("points") else {
                return Err(blame(path, "has no list of `points`", help()));
            };
            (list, format!("{path}.points"), factors)
        }
        other => {
            return Err(blame(
                path,
                &format!("is {}; it must be a list of points", kind(other)),
                help(),
            ));
        }
    };
    if list.len() < 2 || list.len() > MAX_CURVE_POINTS {
        let reason = format!("has {} points; a curve has 2 to {MAX_CURVE_POINTS}", list.len());
        return Err(blame(&list_path, &reason, help()));
    }
    let mut points: Vec<[f64; 2]> = Vec::with_capacity(list.len());
    for (k, point) in list.iter().enumerate() {
        let place = format!("{list_path}.{k}");
        let pair: Option<Vec<f64>> = point.as_array().map(|p| {
            p.iter().filter_map(|v| v.as_float().or(v.as_integer().map(|i| i as f64))).collect()
        });
        let (Some(&[x, y]), Some(2)) = (pair.as_deref(), point.as_array().map(Vec::len)) else {
            return Err(blame(&place, "is not a pair of numbers", help()));
        };
        let p = [x * factors[0], y * factors[1]];
        if !(p[0].is_finite() && p[1].is_finite()) {
            return Err(blame(&place, &format!("is [{x}, {y}]; both must be finite"), None));
        }
        if let Some(last) = points.last()
            && !(p[0] > last[0] && p[1] >= last[1])
        {
            let reason = format!("is [{x}, {y}], behind or below the point before it");
            let help = "sort the points; take the mean of loading and unloading";
            return Err(blame(&place, &reason, Some(help.into())));
        }
        points.push(p);
    }
    if !points.contains(&[0.0, 0.0]) {
        let help = "add the point [0, 0]: an unstretched fabric pulls at nothing";
        return Err(blame(&list_path, "does not pass through rest", Some(help.into())));
    }
    Ok(points)
}

fn check(fabric: &Fabric, path: &str, source: &Source) -> Result<(), Box<SceneError>> {
    fabric.validate().map_err(|e| match e {
        toile_sim::Error::Setting { key, reason } => {
            let dot = if path.is_empty() { "" } else { "." };
            source.error(&format!("{path}{dot}{key}"), &reason, None)
        }
        other => source.error(path, &other.to_string(), None),
    })
}
