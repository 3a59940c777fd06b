//! What an instrument can measure of cloth: data outside is in other units than it says.

use super::Kind;
use toile::fabric::units::Dimension;

/// Most points of a curve; a laboratory writes some hundreds.
pub(super) const MAX_POINTS: usize = 10_000;

/// Most points of a cantilever, each of which is an equilibrium of its own.
pub(super) const MAX_OVERHANGS: usize = 24;

/// A column of a curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    name: &'static str,
    dimension: Dimension,
    /// Whether it is one over a quantity of that dimension.
    inverse: bool,
    /// The largest value of cloth lies between these [SI].
    largest: [f64; 2],
    /// No value is smaller [SI].
    least: f64,
}

/// The columns of a test.
pub(super) fn columns(kind: Kind) -> [Column; 2] {
    let column =
        |name, dimension, largest| Column { name, dimension, inverse: false, largest, least: 0.0 };
    match kind {
        Kind::Tension => [
            column("strain", Dimension::Part, [1e-4, 2.0]),
            column("force", Dimension::Tension, [0.1, 1e5]),
        ],
        // Beyond 57° cloth has wrinkled.
        Kind::Shear => [
            column("angle", Dimension::Angle, [1e-3, 1.0]),
            column("force", Dimension::Tension, [1e-3, 1e4]),
        ],
        Kind::Bending => [
            Column { inverse: true, ..column("curvature", Dimension::Length, [1.0, 2000.0]) },
            column("moment", Dimension::Moment, [1e-6, 1.0]),
        ],
        // A strip of the test is as long as a hand; a millimetre would be a knot of threads.
        Kind::Cantilever => [
            Column { least: 0.01, ..column("length", Dimension::Length, [0.01, 0.5]) },
            Column { least: 0.01, ..column("angle", Dimension::Angle, [0.01, 1.55]) },
        ],
    }
}

impl Column {
    /// What is wrong with a value [SI] that is too large, or too small for any use.
    pub(super) fn check(&self, value: f64, factor: f64) -> Result<(), String> {
        let [_, most] = self.largest;
        if value > most {
            let said =
                format!("the {} {} is more than {}", self.name, self.si(value), self.si(most));
            return Err(format!(
                "{said}, the most that is measured of cloth{}",
                self.hint(value / factor)
            ));
        }
        if value < self.least {
            let least = self.si(self.least);
            let said = format!("the {} {} is less than {least}", self.name, self.si(value));
            return Err(format!("{said}, the least that is measured{}", self.hint(value / factor)));
        }
        Ok(())
    }

    /// What is wrong with the largest value [SI] of a column.
    pub(super) fn check_largest(&self, value: f64, factor: f64) -> Result<(), String> {
        let [least, _] = self.largest;
        if value >= least {
            return Ok(());
        }
        let said = format!(
            "the largest {} is {}, less than {}",
            self.name,
            self.si(value),
            self.si(least)
        );
        Err(format!("{said}, which tells nothing of cloth{}", self.hint(value / factor)))
    }

    fn si(&self, value: f64) -> String {
        let number = if value == 0.0 || (1e-3..1e6).contains(&value) {
            format!("{}", (1e6 * value).round() / 1e6)
        } else {
            format!("{value:.1e}")
        };
        let unit = self.dimension.si();
        format!("{number} {}", if self.inverse { "1/m" } else { unit }).trim_end().to_owned()
    }

    /// The units in which a number as it is written would be one of cloth.
    fn hint(&self, written: f64) -> String {
        let [least, most] = self.largest;
        let fits = |factor: f64| {
            let value = if self.inverse { written / factor } else { written * factor };
            (least.max(self.least)..=most).contains(&value)
        };
        let mut names: Vec<String> = Vec::new();
        let mut factors: Vec<f64> = Vec::new();
        for (unit, factor) in self.dimension.units() {
            if fits(*factor) && !factors.contains(factor) {
                factors.push(*factor);
                let one_over = if self.inverse { "1/" } else { "" };
                names.push(format!("`{} [{one_over}{unit}]`", self.name));
            }
        }
        match names.is_empty() {
            true => String::new(),
            false => format!("; if it is in another unit, name the column {}", names.join(" or ")),
        }
    }
}
