//! The best size of a design for a body, without draping any.
//!
//! Every size of a design is drafted to the girths of its table plus the ease that the design wants. On another body that ease
//! is more or less; the loss of a size is the sum over its girths of the square of what the ease is off, counted four times where
//! there is too little: what is too wide can be worn, what is too tight cannot. The size of the least loss is the best.

use serde::Serialize;
use toile_body::{Figure, Tape};
use toile_pattern::design::Design;
use toile_pattern::{Measurements, Size};

/// How much more a girth that is too tight counts than one that is too wide.
const TIGHTNESS_WEIGHT: f64 = 4.0;

/// A girth of one size on a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeGirth {
    /// Name of the tape, as `waist_girth`.
    pub name: String,
    /// Girth of the body [m].
    pub body: f64,
    /// Girth that the size is drafted to [m].
    pub garment: f64,
    /// What is left for ease [m].
    pub ease: f64,
    /// What the design wants [m].
    pub wanted: f64,
}

impl SizeGirth {
    fn off(&self) -> f64 {
        self.ease - self.wanted
    }

    fn loss(&self) -> f64 {
        let off = self.off();
        off * off * if off < 0.0 { TIGHTNESS_WEIGHT } else { 1.0 }
    }

    fn title(&self) -> String {
        self.name.trim_end_matches("_girth").replace('_', " ")
    }
}

/// How far a size is off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeLoss {
    /// Its letters.
    pub size: String,
    /// Sum of squares of what is off [m²].
    pub loss: f64,
    /// Its girths.
    pub girths: Vec<SizeGirth>,
}

/// The best size, with its reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BestSize {
    /// Its letters.
    pub size: String,
    /// Why, in words.
    pub reason: String,
    /// All sizes, from small to large.
    pub sizes: Vec<SizeLoss>,
}

/// The girths that a design is drafted to, with the ease it wants [m]; the first is the one it is bought by.
pub fn wanted_ease(design: &Design) -> Vec<(&'static str, f64)> {
    match design {
        // The hem only has to pass the hips.
        Design::Tshirt(d) => vec![
            ("bust_girth", d.ease),
            ("hip_girth", 0.5 * d.ease),
            ("upper_arm_girth", d.sleeve_ease),
        ],
        Design::Skirt(d) => vec![("waist_girth", d.waist_ease), ("hip_girth", d.hip_ease)],
        Design::CircleSkirt(d) => vec![("waist_girth", d.waist_ease)],
        Design::Trousers(d) => vec![
            ("waist_girth", d.waist_ease),
            ("hip_girth", d.hip_ease),
            ("knee_girth", d.knee_ease),
        ],
        Design::Dress(d) => vec![
            ("bust_girth", d.bust_ease),
            ("waist_girth", d.waist_ease),
            ("hip_girth", d.hip_ease),
        ],
    }
}

/// What a girth of a design is drafted to for a table of sizes [m].
fn drafted(design: &Design, m: &Measurements, name: &str, wanted: f64) -> f64 {
    let own = m.get(name).unwrap_or(0.0) + wanted;
    match design {
        // The sides of a T-shirt run straight down if its chest is wider than its hips.
        Design::Tshirt(d) if name == "hip_girth" => own.max(m.bust_girth + d.ease),
        _ => own,
    }
}

/// The size of a design that fits a body best; `None` if none of its girths was measured.
pub fn best_size(design: &Design, figure: Figure, tapes: &[Tape]) -> Option<BestSize> {
    let body = |name: &str| tapes.iter().find(|t| t.name == name).map(|t| t.value);
    let wanted = wanted_ease(design);
    let of = |size: Size| {
        let m = figure.measurements(size);
        let girths: Vec<SizeGirth> = wanted
            .iter()
            .filter_map(|(name, wanted)| {
                let body = body(name)?;
                let garment = drafted(design, &m, name, *wanted);
                // Where the draft itself gives more, more is wanted.
                let most = garment - m.get(name)?;
                Some(SizeGirth {
                    name: (*name).into(),
                    body,
                    garment,
                    ease: garment - body,
                    wanted: most,
                })
            })
            .collect();
        let loss = girths.iter().map(SizeGirth::loss).sum();
        SizeLoss { size: size.name().into(), loss, girths }
    };
    let sizes: Vec<SizeLoss> = Size::ALL.into_iter().map(of).collect();
    let best = (0..sizes.len()).min_by(|a, b| sizes[*a].loss.total_cmp(&sizes[*b].loss))?;
    let reason = reason(&sizes, best)?;
    Some(BestSize { size: sizes[best].size.clone(), reason, sizes })
}

/// Why a size is the best: the girth that tells it most from its neighbours.
fn reason(sizes: &[SizeLoss], best: usize) -> Option<String> {
    let neighbours: Vec<&SizeLoss> = [best.checked_sub(1), Some(best + 1)]
        .into_iter()
        .flatten()
        .filter_map(|i| sizes.get(i))
        .collect();
    let own = &sizes[best];
    let tells = |k: usize| -> f64 {
        neighbours.iter().filter_map(|n| n.girths.get(k)).map(SizeGirth::loss).sum()
    };
    // The first of equals: the girth that the design is bought by.
    let k = (0..own.girths.len()).rev().max_by(|a, b| tells(*a).total_cmp(&tells(*b)))?;
    let girth = &own.girths[k];
    let mut text = format!(
        "{}: {} ease {} cm (wanted {})",
        own.size,
        girth.title(),
        cm(girth.ease),
        cm(girth.wanted)
    );
    for (i, n) in neighbours.iter().enumerate() {
        let verb = if i == 0 { "; " } else { ", " };
        let would = if i == 0 { " would leave " } else { " " };
        text += &format!("{verb}{}{would}{}", n.size, cm(n.girths[k].ease));
    }
    let worst = own.girths.iter().max_by(|a, b| a.loss().total_cmp(&b.loss()))?;
    if worst.name != girth.name && worst.off().abs() > 0.02 {
        text += &format!(
            "; {} ease is {} cm, wanted {}",
            worst.title(),
            cm(worst.ease),
            cm(worst.wanted)
        );
    }
    Some(text)
}

/// Centimetres with one digit, without a negative zero.
fn cm(metres: f64) -> String {
    let tenths = (1e3 * metres).round() + 0.0;
    format!("{:.1}", tenths / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tapes(m: &Measurements) -> Vec<Tape> {
        let tape = |name: &&'static str| {
            Some(Tape { name, value: m.get(name)?, line: Vec::new(), closed: true })
        };
        Measurements::NAMES.iter().filter_map(tape).collect()
    }

    #[test]
    fn the_measurements_of_a_size_are_best_dressed_in_that_size() {
        for figure in Figure::ALL {
            for size in Size::ALL {
                for design in Design::all() {
                    let best = best_size(&design, figure, &tapes(&figure.measurements(size)));
                    let best = best.expect("all girths are there");
                    assert_eq!(best.size, size.name(), "{figure:?} {}", design.name());
                    assert!(best.reason.starts_with(&format!("{}: ", size.name())));
                }
            }
        }
    }

    #[test]
    fn the_reason_names_the_ease_of_the_size_and_of_its_neighbours() {
        let m = Figure::Female.measurements(Size::M);
        let best = best_size(&Design::all()[0], Figure::Female, &tapes(&m)).expect("measured");
        assert_eq!(best.reason, "M: bust ease 8.0 cm (wanted 8.0); S would leave 0.0, L 16.0");
    }

    #[test]
    fn between_two_sizes_the_wider_is_taken_unless_the_body_is_nearly_the_smaller() {
        let between = |share: f64| {
            let mut m = Figure::Female.measurements(Size::M);
            m.waist_girth +=
                share * (Figure::Female.measurements(Size::L).waist_girth - m.waist_girth);
            let skirt = Design::find("circle-skirt").expect("a design");
            best_size(&skirt, Figure::Female, &tapes(&m)).expect("measured").size
        };
        // Too little counts four times, as the square: equal at a third of the way.
        assert_eq!([between(0.2), between(0.5), between(0.9)], ["M", "L", "L"]);
    }
}
