//! A fit in words, by limits that are stated.
//!
//! The limits are rules of thumb, not measurements: ease is off if it differs from what is wanted by more than two centimetres; a
//! garment that stretches to go around is tight; from two kilopascals on a garment is felt all day, from four it hurts (clothing is
//! called comfortable below that in most wearer trials, and the small vessels of the skin hold about that pressure).

use super::{Fit, Girth};
use serde::Serialize;

/// Limits of the words.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limits {
    /// Ease may differ from what is wanted by this [m].
    pub ease: f64,
    /// Ease from which a garment is loose if nobody says what is wanted [m].
    pub loose: f64,
    /// Elongation from which a girth is stretched.
    pub stretch: f64,
    /// Pressure from which a garment is felt [kPa].
    pub felt: f64,
    /// Pressure from which it is too much [kPa].
    pub too_much: f64,
    /// Shear from which cloth is drawn askew [rad].
    pub shear: f64,
}

/// The limits.
pub const LIMITS: Limits =
    Limits { ease: 0.02, loose: 0.15, stretch: 0.01, felt: 2.0, too_much: 4.0, shear: 0.26 };

/// What is said about a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Where, as `waist`, or `garment` for all of it.
    pub place: String,
    /// In a word: `good`, `free`, `close`, `tight`, `loose`, `felt`, `pressing`, `askew`.
    pub word: &'static str,
    /// In a sentence.
    pub text: String,
}

impl Verdict {
    /// Whether there is nothing to complain about.
    pub fn is_good(&self) -> bool {
        matches!(self.word, "good" | "free")
    }
}

/// Judges a fit. `wanted` is the ease of the design by the names of tapes [m], empty if nobody knows.
pub fn judge(fit: &Fit, wanted: &[(&str, f64)]) -> Vec<Verdict> {
    let of = |g: &Girth| {
        // What is measured elsewhere than at its tape is not what the design speaks of, except for the bust.
        let there = g.moved == 0.0 || g.name == "bust_girth";
        wanted.iter().find(|(name, _)| there && *name == g.name).map(|(_, ease)| *ease)
    };
    let mut said: Vec<Verdict> =
        fit.girths.iter().map(|g| ease(g, of(g), !wanted.is_empty())).collect();
    let pressure = fit.summary.pressure.p95;
    let whole = |word, text| Verdict { place: "garment".into(), word, text };
    if pressure >= LIMITS.felt {
        let word = if pressure >= LIMITS.too_much { "pressing" } else { "felt" };
        said.push(whole(
            word,
            format!("presses with {pressure:.1} kPa and more on a twentieth of where it touches"),
        ));
    }
    let shear = fit.summary.shear.p95;
    if shear >= LIMITS.shear {
        let text =
            format!("a twentieth of the cloth is sheared by {:.0}° or more", shear.to_degrees());
        said.push(whole("askew", text));
    }
    said
}

/// A girth that an elastic draws in: its ease is gathered cloth, and how tight it is, the elastic says.
fn held(g: &Girth, elastic: f64) -> Verdict {
    let slack = elastic - g.body;
    let word = match () {
        () if g.ease < 0.0 => "tight",
        () if slack > 0.0 => "loose",
        () if g.pressure >= LIMITS.too_much => "tight",
        () => "good",
    };
    let (of, body) = (100.0 * elastic, 100.0 * g.body);
    let mut text = format!("{word} at {}: an elastic of {of:.1} cm around {body:.1} cm", g.title());
    if word == "tight" && g.ease < 0.0 {
        text += &format!("; the cloth below it lacks {:.1} cm", -100.0 * g.ease);
    }
    if g.pressure >= 0.05 {
        text += &format!(", presses {:.1} kPa", g.pressure);
    }
    Verdict { place: g.title(), word, text }
}

fn ease(g: &Girth, wanted: Option<f64>, designed: bool) -> Verdict {
    if let Some(elastic) = g.elastic {
        return held(g, elastic);
    }
    let centimetres = 100.0 * g.ease;
    let stretched = g.stretch >= LIMITS.stretch;
    let off = wanted.map(|w| g.ease - w);
    let word = match off {
        _ if g.ease < 0.0 => "tight",
        Some(off) if off < -LIMITS.ease => "close",
        Some(off) if off > LIMITS.ease => "loose",
        Some(_) => "good",
        // A design that says nothing of a girth lets the cloth hang there.
        None if designed => "free",
        None if g.ease < LIMITS.ease && stretched => "close",
        None if g.ease > LIMITS.loose => "loose",
        None => "good",
    };
    let mut text = format!("{word} at {}: ease {centimetres:.1} cm", g.title());
    if let Some(w) = wanted {
        text += &format!(" (wanted {:.1})", 100.0 * w);
    }
    if stretched {
        text += &format!(", stretched {:.1} %", 100.0 * g.stretch);
    }
    if g.pressure >= 0.05 {
        text += &format!(", presses {:.1} kPa", g.pressure);
    }
    Verdict { place: g.title(), word, text }
}
