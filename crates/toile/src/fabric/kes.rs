//! Kawabata's tests (KES-F) as a fabric.
//!
//! The figures stand in a table `[kes]` under the names that every laboratory prints, in the units
//! that it prints them in: W [mg/cm²], B [gf·cm²/cm], 2HB [gf·cm/cm], G [gf/(cm·deg)], 2HG and 2HG5
//! [gf/cm], EM [%], LT, WT [gf·cm/cm²], RT [%], T0 [mm], MIU [kawabata1980]. A single value holds for
//! weft and warp, `{ weft = …, warp = … }` gives both.
//!
//! Tension is the power law `T = T_m (e/e_m)^p`, T_m = 500 gf/cm, e_m = EM, p = 2/LT − 1: it passes
//! through EM, and its work ∫ T de = T_m e_m/(p + 1) = ½ LT T_m e_m is WT by the definition of LT.
//! The straight stiffness, for models that know no curves, is the secant T_m/e_m.
//!
//! Limits: the power law begins with slope zero, where a fabric has little but some; loading only.
//! Shear is the same along weft and warp; where both were measured, the mean is taken.

use super::units::Dimension;
use super::{Blame, number};
use crate::error::SceneError;
use crate::scene::suggest;
use toml::{Table, Value};

/// Tension at the end of the tensile test [N/m]: 500 gf/cm.
pub const KES_MAX_TENSION: f64 = toile_sim::fabric::KES_MAX_TENSION;

/// Pieces of the curve that stands for the power law.
const PIECES: u32 = 32;

/// How far EM, LT and WT may contradict each other; they are printed with two digits.
const ROUNDING: f64 = 0.15;

/// A figure of the tests: its name, its kind and the unit in which it is printed.
const FIGURES: [(&str, Dimension, &str); 13] = [
    ("W", Dimension::Density, "mg/cm²"),
    ("B", Dimension::Bending, "gf·cm²/cm"),
    ("2HB", Dimension::Moment, "gf·cm/cm"),
    ("G", Dimension::Shear, "gf/(cm·deg)"),
    ("2HG", Dimension::Tension, "gf/cm"),
    ("2HG5", Dimension::Tension, "gf/cm"),
    ("EM", Dimension::Part, "%"),
    ("LT", Dimension::Part, "1"),
    ("WT", Dimension::Work, "gf·cm/cm²"),
    ("RT", Dimension::Part, "%"),
    ("T0", Dimension::Length, "mm"),
    ("T", Dimension::Length, "mm"),
    ("MIU", Dimension::Part, "1"),
];

/// Figures that are measured too, and of which a fabric here has no use: pressed thickness,
/// compression, roughness.
pub(super) const UNUSED: [&str; 6] = ["TM", "LC", "WC", "RC", "MMD", "SMD"];

/// Names of all figures.
pub(super) fn names() -> Vec<&'static str> {
    FIGURES.iter().map(|f| f.0).chain(UNUSED).collect()
}

/// Tensile test of a strip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tensile {
    /// Strain at 500 gf/cm, as a part.
    pub em: f64,
    /// Linearity: 1 for a straight line, less for a curve that is soft at first.
    pub lt: f64,
}

impl Tensile {
    /// Tension [N/m] at a strain.
    pub fn tension(&self, strain: f64) -> f64 {
        KES_MAX_TENSION * libm::pow(strain / self.em, 2.0 / self.lt - 1.0)
    }

    /// Work to 500 gf/cm [J/m²]: WT.
    pub fn work(&self) -> f64 {
        0.5 * self.lt * KES_MAX_TENSION * self.em
    }

    /// The curve as points of strain and tension.
    pub fn points(&self) -> Vec<[f64; 2]> {
        let part = |k: u32| f64::from(k) / f64::from(PIECES);
        (0..=PIECES).map(|k| [self.em * part(k), self.tension(self.em * part(k))]).collect()
    }
}

/// Keys and values of a fabric from a table of figures that stands at `path`.
pub(super) fn expand(kes: &Table, path: &str, blame: &Blame<'_>) -> Result<Table, Box<SceneError>> {
    for key in kes.keys() {
        if !names().contains(&key.as_str()) {
            let help = suggest(key, &names());
            return Err(blame(
                &format!("{path}.{key}"),
                "is no figure of Kawabata's tests",
                Some(help),
            ));
        }
    }
    let pair = |name: &str| figure(kes, name, path, blame);
    let mean = |p: [f64; 2]| 0.5 * (p[0] + p[1]);
    let mut out = Table::new();
    let mut put = |key: &str, value: f64| _ = out.insert(key.into(), Value::Float(value));
    let single = [("W", "density"), ("T0", "thickness"), ("T", "thickness"), ("MIU", "friction")];
    for (name, key) in single {
        if let Some(p) = pair(name)? {
            put(key, mean(p));
        }
    }
    for (name, key) in
        [("G", "shear"), ("2HG", "shear_hysteresis"), ("2HG5", "shear_hysteresis_wide")]
    {
        if let Some(p) = pair(name)? {
            put(key, mean(p));
        }
    }
    for (name, keys) in [
        ("B", ["bend_weft", "bend_warp"]),
        ("2HB", ["bend_hysteresis_weft", "bend_hysteresis_warp"]),
        ("RT", ["resilience_weft", "resilience_warp"]),
    ] {
        if let Some(p) = pair(name)? {
            put(keys[0], p[0]);
            put(keys[1], p[1]);
        }
    }
    let figures = [pair("EM")?, pair("LT")?, pair("WT")?];
    for (k, key) in ["weft", "warp"].into_iter().enumerate() {
        let [em, lt, wt] = figures.map(|f| f.map(|p| p[k]));
        let Some((em, lt)) = linearity(em, lt, wt, key, path, blame)? else { continue };
        out.insert(key.into(), Value::Float(KES_MAX_TENSION / em));
        if let Some(lt) = lt {
            let point = |p: [f64; 2]| Value::Array(p.map(Value::Float).to_vec());
            let points = Tensile { em, lt }.points().into_iter().map(point).collect();
            out.insert(format!("{key}_curve"), Value::Array(points));
        }
    }
    Ok(out)
}

/// EM and LT from two of EM, LT and WT; `None` without a tensile test.
fn linearity(
    em: Option<f64>,
    lt: Option<f64>,
    wt: Option<f64>,
    key: &str,
    path: &str,
    blame: &Blame<'_>,
) -> Result<Option<(f64, Option<f64>)>, Box<SceneError>> {
    let (em, lt) = match (em, lt, wt) {
        (None, Some(lt), Some(wt)) => (wt / (0.5 * KES_MAX_TENSION * lt), Some(lt)),
        (Some(em), None, Some(wt)) => (em, Some(wt / (0.5 * KES_MAX_TENSION * em))),
        (Some(em), lt, _) => (em, lt),
        (None, None, None) => return Ok(None),
        (None, ..) => {
            let help = "give EM [%], the strain at 500 gf/cm, or both LT and WT";
            return Err(blame(path, "has half a tensile test", Some(help.into())));
        }
    };
    let Some(lt) = lt else { return Ok(Some((em, None))) };
    if let Some(wt) = wt {
        let off = Tensile { em, lt }.work() / wt - 1.0;
        if off.abs() > ROUNDING {
            let reason = format!(
                "contradict each other along the {key}: EM, LT and WT are tied by LT = WT/(250 EM), \
                 and WT is {:.0} % off",
                100.0 * off.abs()
            );
            let help = "leave out the one that is least sure";
            return Err(blame(path, &reason, Some(help.into())));
        }
    }
    if !(lt > 0.1 && lt <= 1.0) {
        let reason = format!("has a linearity LT of {lt:.3} along the {key}; it lies in 0.1 to 1");
        let help = "leave out LT and WT for a straight line, or give the curve: weft_curve = [[…]]";
        return Err(blame(path, &reason, Some(help.into())));
    }
    Ok(Some((em, Some(lt))))
}

/// A figure along weft and warp in SI units.
fn figure(
    kes: &Table,
    name: &str,
    path: &str,
    blame: &Blame<'_>,
) -> Result<Option<[f64; 2]>, Box<SceneError>> {
    let Some(value) = kes.get(name) else { return Ok(None) };
    let Some((_, dimension, unit)) = FIGURES.iter().find(|f| f.0 == name) else { return Ok(None) };
    let path = format!("{path}.{name}");
    // A plain number is in Kawabata's unit.
    let factor = dimension.factor(unit).unwrap_or(1.0);
    let one = |path: &str, value: &Value| -> Result<f64, Box<SceneError>> {
        let si = match value {
            Value::Float(v) => v * factor,
            Value::Integer(v) => *v as f64 * factor,
            other => number(path, other, *dimension, blame)?,
        };
        if si.is_finite() && si > 0.0 {
            return Ok(si);
        }
        // Loops can close and friction vanish; weight and stiffness cannot.
        if si == 0.0 && (name.starts_with("2H") || name == "MIU" || name == "RT") {
            return Ok(0.0);
        }
        let help =
            format!("every test gives a positive number [{unit}]; leave out what was not measured");
        Err(blame(path, &format!("is {value}; it must be above zero"), Some(help)))
    };
    match value {
        Value::Table(both) => {
            if let Some(key) = both.keys().find(|k| !matches!(k.as_str(), "weft" | "warp")) {
                let help = suggest(key, &["weft", "warp"]);
                return Err(blame(&format!("{path}.{key}"), "is no direction", Some(help)));
            }
            let side = |side: &str| match both.get(side) {
                Some(value) => one(&format!("{path}.{side}"), value),
                None => {
                    let help = "give both, or a single number that holds for both";
                    Err(blame(&path, &format!("has no `{side}`"), Some(help.into())))
                }
            };
            Ok(Some([side("weft")?, side("warp")?]))
        }
        single => one(&path, single).map(|v| Some([v, v])),
    }
}

#[cfg(test)]
mod tests;
