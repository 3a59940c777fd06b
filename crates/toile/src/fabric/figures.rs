//! The numbers of a fabric in SI and in Kawabata's units, and whether cloth can have them.

use super::kes::KES_MAX_TENSION;
use super::units::Dimension;
use serde::Serialize;
use toile_sim::Fabric;
use toile_sim::fabric::Confidence;

/// A number of a fabric, for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Its key in the file.
    pub key: &'static str,
    /// What it is.
    pub label: &'static str,
    /// In SI units.
    pub value: f64,
    /// The SI unit; empty for a plain number.
    pub unit: &'static str,
    /// Name, value and unit in Kawabata's tests, if they have it.
    pub kes: Option<(&'static str, f64, &'static str)>,
    /// How sure it is.
    pub confidence: Confidence,
    /// Where it comes from; empty if the file says it for all numbers at once.
    pub source: String,
}

/// All numbers of a fabric that are known, in the order in which they are told.
pub fn figures(fabric: &Fabric) -> Vec<Figure> {
    let mut out = Vec::new();
    let mut add = |key: &'static str, label, value: Option<f64>, kes: Option<_>| {
        let Some(value) = value else { return };
        let dimension = Dimension::of(key).unwrap_or(Dimension::Part);
        let kes = kes.map(|(name, unit): (&'static str, &'static str)| {
            (
                name,
                value / dimension.factor(unit).unwrap_or(1.0),
                if unit == "1" { "" } else { unit },
            )
        });
        let source = fabric.origins.get(key).map_or(String::new(), |o| o.source.clone());
        let confidence = fabric.confidence_of(key);
        out.push(Figure { key, label, value, unit: dimension.si(), kes, confidence, source });
    };
    let f = fabric;
    let some = |value: f64| (value != 0.0).then_some(value);
    add("density", "weight", Some(f.density), Some(("W", "mg/cm²")));
    add("weft", "tension along the weft", Some(f.weft), None);
    add("warp", "tension along the warp", Some(f.warp), None);
    add("resilience_weft", "work given back, weft", f.resilience_weft, Some(("RT", "%")));
    add("resilience_warp", "work given back, warp", f.resilience_warp, Some(("RT", "%")));
    add("poisson", "Poisson's ratio", Some(f.poisson), None);
    add("shear", "shear", Some(f.shear), Some(("G", "gf/(cm·deg)")));
    add("shear_hysteresis", "shear loop at 0.5°", some(f.shear_hysteresis), Some(("2HG", "gf/cm")));
    let wide = some(f.shear_hysteresis_wide);
    add("shear_hysteresis_wide", "shear loop at 5°", wide, Some(("2HG5", "gf/cm")));
    let bending = Some(("B", "gf·cm²/cm"));
    add("bend_weft", "bending along the weft", Some(f.bend_weft), bending);
    add("bend_warp", "bending along the warp", Some(f.bend_warp), bending);
    add("bend_twist", "twist", Some(f.bending().twist), None);
    add("bend_poisson", "Poisson's ratio of bending", some(f.bend_poisson), None);
    let twice = Some(("2HB", "gf·cm/cm"));
    add("bend_hysteresis_weft", "bending loop, weft", some(f.bend_hysteresis_weft), twice);
    add("bend_hysteresis_warp", "bending loop, warp", some(f.bend_hysteresis_warp), twice);
    add("thickness", "thickness", Some(f.thickness), Some(("T0", "mm")));
    add("friction", "friction", Some(f.friction), Some(("MIU", "1")));
    add("damping", "damping", Some(f.damping), None);
    add("viscosity", "relaxation time", some(f.viscosity), None);
    // A tensile test has three figures for one curve.
    let at =
        |out: &[Figure], key| out.iter().position(|r| r.key == key).map_or(out.len(), |k| k + 1);
    for (key, curve, stiffness) in
        [("warp", &f.warp_curve, f.warp), ("weft", &f.weft_curve, f.weft)]
    {
        let Some([em, lt, wt]) = tensile(curve, stiffness) else { continue };
        let place = at(&out, key);
        let confidence = f.confidence_of(key);
        let row = |label, value, unit, kes| Figure {
            key,
            label,
            value,
            unit,
            kes: Some(kes),
            confidence,
            source: String::new(),
        };
        let rows = [
            row("  strain at 490 N/m", em, "", ("EM", 100.0 * em, "%")),
            row("  linearity", lt, "", ("LT", lt, "")),
            row("  work to 490 N/m", wt, "J/m²", ("WT", wt / 0.980665, "gf·cm/cm²")),
        ];
        out.splice(place..place, rows);
    }
    out
}

/// EM, LT and WT of a curve; `None` if it ends before 490 N/m.
pub fn tensile(curve: &[[f64; 2]], stiffness: f64) -> Option<[f64; 3]> {
    if curve.is_empty() {
        let em = KES_MAX_TENSION / stiffness;
        return Some([em, 1.0, 0.5 * KES_MAX_TENSION * em]);
    }
    let mut work = 0.0;
    for w in curve.windows(2).filter(|w| w[1][0] > 0.0) {
        let [a, b] = [w[0], w[1]];
        // The end of the test rounds off a little more than its last point.
        let part = ((KES_MAX_TENSION - a[1]) / (b[1] - a[1])).min(1.0);
        let end = [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
        work += 0.5 * (a[1] + end[1]) * (end[0] - a[0]);
        if b[1] >= KES_MAX_TENSION * (1.0 - 1e-9) {
            return Some([end[0], work / (0.5 * KES_MAX_TENSION * end[0]), work]);
        }
    }
    None
}

/// What no cloth has, though a file may say it: mostly slips of units.
pub fn implausible(fabric: &Fabric) -> Vec<String> {
    let mut out = Vec::new();
    let mut within = |key: &str, value: f64, [lo, hi]: [f64; 2], unit: &str| {
        if !(lo..=hi).contains(&value) {
            out.push(format!("{key} is {value:.4} {unit}; cloth has {lo} to {hi}"));
        }
    };
    let [c_weft, c_warp] = fabric.bending_lengths().map(|c| 100.0 * c);
    within("density", fabric.density, [0.02, 1.0], "kg/m²");
    within("the bending length along the weft", c_weft, [0.5, 6.0], "cm");
    within("the bending length along the warp", c_warp, [0.5, 6.0], "cm");
    within("weft", fabric.weft, [2.0, 2e5], "N/m");
    within("warp", fabric.warp, [2.0, 2e5], "N/m");
    within("shear", fabric.shear, [1.0, 5e3], "N/m");
    within("thickness", 1e3 * fabric.thickness, [0.05, 10.0], "mm");
    within("density by thickness", fabric.density / fabric.thickness, [30.0, 1500.0], "kg/m³");
    within("friction", fabric.friction, [0.05, 1.5], "");
    out
}
