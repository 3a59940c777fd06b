//! Units of textile tests, and their way into the SI.
//!
//! Here and nowhere else. A number in a fabric file is in SI units; a text is a number with its
//! unit: `"0.075 gf·cm²/cm"`. Signs of multiplication, `^` and brackets can be left out or be
//! written in any of the usual ways: `gf*cm^2/cm`, `gf.cm2/cm` and `gf cm²/cm` are the same.
//!
//! Traps: Kawabata's shear stiffness G is per *degree* [gf/(cm·deg)], ours per radian; his tensile
//! strain EM is in percent; his loops 2HB, 2HG are whole widths, not halves.

use super::super::scene::suggest;

/// Weight of a gram [N].
const GF: f64 = 9.80665e-3;
/// A degree [rad].
const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// What a number is, and thus in which units it can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Mass per area.
    Density,
    /// Force per width.
    Tension,
    /// Force per width and shear angle.
    Shear,
    /// Bending moment per width and curvature.
    Bending,
    /// Bending moment per width.
    Moment,
    /// Work per area.
    Work,
    /// Length.
    Length,
    /// Time.
    Time,
    /// A number without a unit.
    Part,
    /// An angle.
    Angle,
}

/// A unit, and how much of the SI unit it is.
pub type Unit = (&'static str, f64);

const DENSITY: [Unit; 4] = [
    ("kg/m²", 1.0),
    ("g/m²", 1e-3),
    ("mg/cm²", 1e-2),
    ("oz/yd²", 0.028_349_523_125 / 0.836_127_36),
];
const TENSION: [Unit; 6] = [
    ("N/m", 1.0),
    ("kN/m", 1e3),
    ("N/cm", 1e2),
    ("N/mm", 1e3),
    ("gf/cm", GF / 1e-2),
    ("kgf/m", 1e3 * GF),
];
const SHEAR: [Unit; 5] = [
    ("N/m", 1.0),
    ("N/(m·rad)", 1.0),
    ("N/(m·deg)", 1.0 / DEGREE),
    ("gf/(cm·deg)", GF / 1e-2 / DEGREE),
    ("gf/(cm·rad)", GF / 1e-2),
];
const BENDING: [Unit; 7] = [
    ("N·m", 1.0),
    ("mN·m", 1e-3),
    ("µN·m", 1e-6),
    ("mN·mm", 1e-6),
    ("N·m²/m", 1.0),
    ("gf·cm²/cm", GF * 1e-2),
    ("gf·cm", GF * 1e-2),
];
const MOMENT: [Unit; 5] = [("N·m/m", 1.0), ("N", 1.0), ("mN", 1e-3), ("gf·cm/cm", GF), ("gf", GF)];
const WORK: [Unit; 2] = [("J/m²", 1.0), ("gf·cm/cm²", GF / 1e-2)];
const LENGTH: [Unit; 4] = [("m", 1.0), ("mm", 1e-3), ("cm", 1e-2), ("µm", 1e-6)];
const TIME: [Unit; 2] = [("s", 1.0), ("ms", 1e-3)];
const PART: [Unit; 2] = [("1", 1.0), ("%", 1e-2)];
const ANGLE: [Unit; 3] = [("rad", 1.0), ("deg", DEGREE), ("°", DEGREE)];

impl Dimension {
    const ALL: [Self; 10] = [
        Self::Density,
        Self::Tension,
        Self::Shear,
        Self::Bending,
        Self::Moment,
        Self::Work,
        Self::Length,
        Self::Time,
        Self::Part,
        Self::Angle,
    ];

    /// That of a number of a fabric, by its key; `None` for a curve.
    pub fn of(quantity: &str) -> Option<Self> {
        Some(match quantity {
            "density" => Self::Density,
            "weft" | "warp" | "shear_hysteresis" | "shear_hysteresis_wide" => Self::Tension,
            "shear" => Self::Shear,
            "bend_weft" | "bend_warp" | "bend_twist" => Self::Bending,
            "bend_hysteresis_weft" | "bend_hysteresis_warp" => Self::Moment,
            "thickness" => Self::Length,
            "viscosity" => Self::Time,
            "resilience_weft" | "resilience_warp" | "poisson" | "bend_poisson" | "friction"
            | "damping" => Self::Part,
            _ => return None,
        })
    }

    /// Its units, and how much of the SI unit each is.
    pub fn units(self) -> &'static [Unit] {
        match self {
            Self::Density => &DENSITY,
            Self::Tension => &TENSION,
            Self::Shear => &SHEAR,
            Self::Bending => &BENDING,
            Self::Moment => &MOMENT,
            Self::Work => &WORK,
            Self::Length => &LENGTH,
            Self::Time => &TIME,
            Self::Part => &PART,
            Self::Angle => &ANGLE,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Density => "mass per area",
            Self::Tension => "force per width",
            Self::Shear => "force per width and angle",
            Self::Bending => "bending rigidity",
            Self::Moment => "bending moment per width",
            Self::Work => "work per area",
            Self::Length => "length",
            Self::Time => "time",
            Self::Part => "a plain number",
            Self::Angle => "angle",
        }
    }

    /// Its SI unit; empty for a plain number.
    pub fn si(self) -> &'static str {
        match self {
            Self::Part => "",
            _ => self.units()[0].0,
        }
    }

    /// How much of the SI unit a unit is.
    ///
    /// # Errors
    /// What is wrong, and what to do, if it is no unit of this.
    pub fn factor(self, unit: &str) -> Result<f64, [String; 2]> {
        let wanted = plain(unit);
        let find = |d: Self| d.units().iter().find(|(u, _)| plain(u) == wanted);
        if let Some((_, factor)) = find(self) {
            return Ok(*factor);
        }
        let names: Vec<&str> = self.units().iter().map(|(u, _)| *u).collect();
        let reason = match Self::ALL.into_iter().find(|d| find(*d).is_some()) {
            Some(other) => {
                format!("has the unit `{unit}` of {}; this is {}", other.name(), self.name())
            }
            None => format!("has the unit `{unit}`, which is not known"),
        };
        Err([reason, suggest(unit, &names)])
    }

    /// Reads a number with its unit.
    ///
    /// # Errors
    /// What is wrong, and what to do.
    pub fn parse(self, text: &str) -> Result<f64, [String; 2]> {
        let text = text.trim().replace('−', "-");
        let end =
            text.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(text.len());
        let (number, unit) = (text[..end].trim(), text[end..].trim());
        let example =
            format!("write a number and its unit, for example \"0.5 {}\"", self.example());
        let Ok(value) = number.parse::<f64>() else {
            return Err([format!("is `{text}`, which does not begin with a number"), example]);
        };
        if unit.is_empty() && self != Self::Part {
            return Err([format!("is `{text}`, a text without a unit"), example]);
        }
        let factor = if unit.is_empty() { 1.0 } else { self.factor(unit)? };
        Ok(value * factor)
    }

    /// The unit that its tests use most.
    fn example(self) -> &'static str {
        match self {
            Self::Density => "mg/cm²",
            Self::Tension => "gf/cm",
            Self::Shear => "gf/(cm·deg)",
            Self::Bending => "gf·cm²/cm",
            Self::Moment => "gf·cm/cm",
            Self::Work => "gf·cm/cm²",
            Self::Length => "mm",
            Self::Time => "s",
            Self::Part => "%",
            Self::Angle => "deg",
        }
    }
}

/// A unit without what can be written in several ways.
fn plain(unit: &str) -> String {
    let mut out = String::with_capacity(unit.len());
    for c in unit.trim().chars() {
        match c {
            '·' | '⋅' | '*' | '.' | '^' | '(' | ')' | ' ' | '\u{a0}' => {}
            '²' => out.push('2'),
            // The micro sign and the Greek letter.
            'µ' | 'μ' => out.push('u'),
            '°' => out.push_str("deg"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kawabatas_units_become_those_of_the_si() {
        let cases = [
            (Dimension::Density, "12 mg/cm²", 0.12),
            (Dimension::Tension, "500 gf/cm", 490.3325),
            (Dimension::Shear, "1 gf/(cm·deg)", 56.187_965_6),
            (Dimension::Bending, "1 gf·cm²/cm", 98.0665e-6),
            (Dimension::Moment, "1 gf·cm/cm", 9.80665e-3),
            (Dimension::Work, "1 gf·cm/cm²", 0.980665),
            (Dimension::Length, "0.31 mm", 3.1e-4),
            (Dimension::Part, "45 %", 0.45),
            (Dimension::Angle, "180 deg", std::f64::consts::PI),
        ];
        for (dimension, text, si) in cases {
            let value = dimension.parse(text).unwrap();
            assert!((value / si - 1.0).abs() < 1e-8, "{text}: {value} {si}");
        }
    }

    #[test]
    fn other_units_of_the_trade_are_known() {
        let cases = [
            (Dimension::Density, "150 g/m²", 0.15),
            (Dimension::Density, "11 oz/yd²", 0.37296),
            (Dimension::Bending, "9 µN·m", 9e-6),
            (Dimension::Bending, "9 mN·mm", 9e-6),
            (Dimension::Tension, "2 kN/m", 2000.0),
            (Dimension::Shear, "20 N/m", 20.0),
            (Dimension::Time, "5 ms", 5e-3),
            (Dimension::Part, "0.3", 0.3),
        ];
        for (dimension, text, si) in cases {
            let value = dimension.parse(text).unwrap();
            assert!((value / si - 1.0).abs() < 1e-5, "{text}: {value} {si}");
        }
    }

    #[test]
    fn a_unit_can_be_written_in_many_ways() {
        for unit in ["gf·cm²/cm", "gf*cm^2/cm", "gf.cm2/cm", "gf cm²/cm"] {
            assert_eq!(Dimension::Bending.factor(unit), Ok(GF * 1e-2), "{unit}");
        }
        for unit in ["µN·m", "μN·m", "uN m", "uN*m"] {
            assert_eq!(Dimension::Bending.factor(unit), Ok(1e-6), "{unit}");
        }
        assert_eq!(Dimension::Part.parse("3%"), Ok(0.03));
        assert_eq!(Dimension::Length.parse("5e-1mm"), Ok(5e-4));
    }

    #[test]
    fn every_spelling_in_the_tables_is_its_own() {
        for dimension in Dimension::ALL {
            let names: Vec<String> = dimension.units().iter().map(|(u, _)| plain(u)).collect();
            for (k, name) in names.iter().enumerate() {
                let same = names.iter().position(|n| n == name);
                let alias = dimension.units()[same.unwrap()].1 == dimension.units()[k].1;
                assert!(alias, "{dimension:?} {name}");
            }
            assert_eq!(dimension.units()[0].1, 1.0, "the first is that of the SI");
        }
    }

    #[test]
    fn what_is_no_unit_is_refused_with_a_remedy() {
        let [reason, help] = Dimension::Bending.parse("3 gf/cm").unwrap_err();
        assert!(reason.contains("of force per width; this is bending rigidity"), "{reason}");
        assert!(help.contains("gf·cm²/cm"), "{help}");
        let [reason, help] = Dimension::Density.parse("3 mg/cm2²x").unwrap_err();
        assert!(reason.contains("not known"), "{reason}");
        assert!(help.contains("did you mean `mg/cm²`"), "{help}");
        // A stiffness per degree is no tension.
        assert!(Dimension::Tension.parse("1 gf/(cm·deg)").is_err());
        for text in ["", "nan N/m", "inf", "N/m", "1e N/m", "--1 N/m", "3"] {
            assert!(Dimension::Tension.parse(text).is_err(), "{text}");
        }
    }
}
