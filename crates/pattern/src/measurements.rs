//! Measurements of a body, named after ISO 8559-1, and tables of sizes.
//!
//! The tables are typical figures for the letter codes of EN 13402-3, graded evenly; they are no survey.
//! Between sizes all values are interpolated linearly.

use crate::error::Error;
use crate::file::shortened;
use serde::{Deserialize, Serialize};

/// Defines the struct, its names and its tables in one place, so that they cannot disagree.
macro_rules! measurements {
    ($($(#[$doc:meta])* $name:ident: $female:expr, $male:expr;)+) => {
        /// The measurements of a body [m]; angles in degrees.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Measurements {
            $($(#[$doc])* pub $name: f64,)+
        }

        impl Measurements {
            /// The names of all measurements.
            pub const NAMES: &[&str] = &[$(stringify!($name)),+];

            /// Interpolated between the sizes: 0 is XS, 1 is S, … 5 is XXL.
            pub fn interpolated(figure: Figure, size: f64) -> Self {
                let pick = |female: [f64; 6], male: [f64; 6]| match figure {
                    Figure::Female => female,
                    Figure::Male => male,
                };
                Self { $($name: interpolate(stringify!($name), pick($female, $male), size)),+ }
            }

            /// A measurement by its name.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $(stringify!($name) => Some(self.$name),)+
                    _ => None,
                }
            }

            /// Changes a measurement by its name; whether there is one.
            pub fn set(&mut self, name: &str, value: f64) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value,)+
                    _ => return false,
                }
                true
            }
        }
    };
}

measurements! {
    /// Height.
    height: [164.0, 166.0, 168.0, 169.0, 170.0, 170.0], [172.0, 175.0, 178.0, 180.0, 182.0, 184.0];
    /// Head girth.
    head_girth: [54.5, 55.0, 56.0, 57.0, 57.5, 58.0], [55.5, 56.3, 57.3, 58.3, 59.0, 60.0];
    /// Neck girth, at its base.
    neck_girth: [33.5, 34.5, 36.0, 37.5, 39.0, 41.0], [36.0, 37.5, 39.5, 41.5, 43.5, 46.0];
    /// Bust girth, or chest girth.
    bust_girth: [80.0, 86.0, 94.0, 102.0, 110.0, 120.0], [84.0, 92.0, 100.0, 108.0, 118.0, 128.0];
    /// Underbust girth.
    underbust_girth: [70.0, 75.0, 81.0, 88.0, 96.0, 106.0], [80.0, 87.0, 94.0, 102.0, 112.0, 122.0];
    /// Waist girth.
    waist_girth: [62.0, 68.0, 76.0, 84.0, 93.0, 104.0], [72.0, 80.0, 88.0, 96.0, 107.0, 119.0];
    /// Hip girth, at the fullest part of the seat.
    hip_girth: [88.0, 93.0, 100.0, 107.0, 114.0, 123.0], [88.0, 94.0, 100.0, 107.0, 115.0, 123.0];
    /// Shoulder width, from one shoulder point to the other.
    shoulder_width: [36.0, 37.0, 38.5, 40.0, 41.5, 43.5], [42.0, 43.5, 45.5, 47.5, 49.5, 52.0];
    /// Shoulder length, from the side neck point to the shoulder point.
    shoulder_length: [11.8, 12.0, 12.2, 12.5, 12.8, 13.1], [14.0, 14.5, 15.0, 15.5, 16.0, 16.5];
    /// Slope of the shoulder below the horizontal [degrees].
    shoulder_slope: [21.0, 21.0, 21.0, 21.0, 20.0, 20.0], [21.0, 21.0, 21.0, 21.0, 21.0, 21.0];
    /// Back width, across the back between the armholes.
    back_width: [32.5, 33.8, 35.5, 37.5, 39.5, 42.0], [37.0, 38.8, 41.0, 43.2, 45.8, 48.5];
    /// Front chest width, across the front between the armholes.
    chest_width: [30.0, 31.2, 32.8, 34.5, 36.5, 39.0], [33.5, 36.0, 38.8, 41.6, 45.0, 48.5];
    /// Back waist length, from the nape to the waist.
    back_length: [40.0, 40.5, 41.0, 41.5, 42.0, 42.3], [43.0, 43.8, 44.8, 45.6, 46.5, 47.3];
    /// Front waist length, from the side neck point over the bust point to the waist.
    front_length: [42.5, 43.3, 44.5, 45.8, 47.0, 48.5], [42.5, 43.5, 44.8, 46.0, 47.5, 49.0];
    /// Bust height, from the side neck point to the bust point.
    bust_height: [25.0, 26.0, 27.0, 28.5, 30.0, 32.0], [25.0, 25.8, 26.8, 27.8, 29.0, 30.0];
    /// Bust width, from one bust point to the other.
    bust_width: [17.5, 18.3, 19.3, 20.5, 22.0, 23.5], [18.0, 19.0, 20.5, 22.0, 23.5, 25.0];
    /// Armscye depth, from the nape down to the level of the armpits.
    armscye_depth: [19.5, 20.2, 21.0, 22.0, 23.0, 24.3], [21.5, 22.4, 23.4, 24.4, 25.6, 26.8];
    /// Arm length, from the shoulder point to the wrist.
    arm_length: [58.0, 58.5, 59.5, 60.0, 60.5, 61.0], [61.5, 62.5, 63.8, 64.8, 65.8, 66.5];
    /// Upper arm girth.
    upper_arm_girth: [25.0, 26.5, 28.5, 31.0, 34.0, 37.5], [27.0, 29.0, 31.5, 34.0, 37.0, 40.0];
    /// Elbow girth.
    elbow_girth: [23.0, 24.0, 25.5, 27.0, 29.0, 31.5], [24.5, 26.0, 27.5, 29.0, 31.0, 33.0];
    /// Wrist girth.
    wrist_girth: [15.0, 15.4, 16.0, 16.8, 17.6, 18.6], [16.0, 16.7, 17.5, 18.2, 19.0, 20.0];
    /// Waist to hip, at the side.
    waist_to_hip: [20.0, 20.3, 20.8, 21.2, 21.6, 22.0], [19.5, 20.0, 20.5, 21.0, 21.5, 22.0];
    /// Waist to knee, at the side.
    waist_to_knee: [57.5, 58.0, 58.8, 59.3, 59.8, 60.2], [58.0, 59.0, 60.2, 61.0, 61.8, 62.5];
    /// Waist height, from the waist to the ground.
    waist_height: [102.0, 103.3, 104.7, 105.8, 106.8, 107.5], [104.0, 106.0, 108.0, 109.5, 110.5, 111.5];
    /// Inside leg length, from the crotch to the ground.
    inseam: [76.0, 76.8, 77.5, 77.8, 78.0, 78.0], [79.0, 80.5, 82.0, 82.8, 83.2, 83.5];
    /// Body rise, from the waist down to the crotch.
    body_rise: [26.0, 26.5, 27.2, 28.0, 28.8, 29.5], [25.0, 25.5, 26.0, 26.7, 27.3, 28.0];
    /// Thigh girth, at its fullest.
    thigh_girth: [51.0, 54.0, 58.0, 62.0, 66.5, 72.0], [50.0, 53.0, 56.5, 60.0, 64.5, 69.0];
    /// Knee girth.
    knee_girth: [33.5, 35.0, 37.0, 39.0, 41.5, 44.5], [34.5, 36.0, 38.0, 40.0, 42.5, 45.0];
    /// Calf girth.
    calf_girth: [32.5, 34.0, 36.0, 38.0, 40.5, 43.5], [34.0, 35.8, 37.8, 39.8, 42.3, 45.0];
    /// Ankle girth.
    ankle_girth: [20.5, 21.0, 22.0, 23.0, 24.0, 25.0], [22.0, 22.8, 23.8, 24.8, 26.0, 27.2];
}

/// Whose table of sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Women's sizes.
    #[default]
    Female,
    /// Men's sizes.
    Male,
}

/// A size of the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Size {
    /// Extra small.
    Xs,
    /// Small.
    S,
    /// Medium.
    #[default]
    M,
    /// Large.
    L,
    /// Extra large.
    Xl,
    /// Twice extra large.
    Xxl,
}

impl Size {
    /// All sizes, from small to large.
    pub const ALL: [Self; 6] = [Self::Xs, Self::S, Self::M, Self::L, Self::Xl, Self::Xxl];

    /// How it is written.
    pub fn name(self) -> &'static str {
        ["XS", "S", "M", "L", "XL", "XXL"][self as usize]
    }

    /// The size of a name, in upper or lower case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name().eq_ignore_ascii_case(name))
    }
}

/// A value in metres from a row in centimetres; angles stay what they are.
fn interpolate(name: &str, row: [f64; 6], size: f64) -> f64 {
    let size = if size.is_finite() { size.clamp(0.0, 5.0) } else { 2.0 };
    let k = (size as usize).min(4);
    let value = row[k] + (size - k as f64) * (row[k + 1] - row[k]);
    if is_angle(name) { value } else { 0.01 * value }
}

fn is_angle(name: &str) -> bool {
    name == "shoulder_slope"
}

impl Measurements {
    /// Those of a size.
    pub fn of(figure: Figure, size: Size) -> Self {
        Self::interpolated(figure, f64::from(size as u8))
    }

    /// Those of the size, between the sizes, that has a given bust girth [m].
    pub fn for_bust(figure: Figure, bust_girth: f64) -> Self {
        let bust = |size: f64| Self::interpolated(figure, size).bust_girth;
        let (mut low, mut high) = (0.0, 5.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if bust(middle) < bust_girth { low = middle } else { high = middle }
        }
        Self::interpolated(figure, 0.5 * (low + high))
    }

    /// Made to measure: a TOML file of names and centimetres (degrees for angles) changes those of `self`.
    ///
    /// # Errors
    /// If a name is unknown or a value is impossible for a body.
    pub fn with_toml(mut self, text: &str, name: &str) -> Result<Self, Error> {
        let bad =
            |message: String| Error::Parse { name: name.into(), message: shortened(&message) };
        let table: toml::Table = toml::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|e| bad(e.to_string().trim_end().into()))?;
        for (key, value) in &table {
            let number = value.as_float().or_else(|| value.as_integer().map(|i| i as f64));
            let number = number.ok_or_else(|| bad(format!("{key}: a number is needed")))?;
            self = self.with(key, number).map_err(|e| bad(e.to_string()))?;
        }
        Ok(self)
    }

    /// With one measurement changed, in centimetres (degrees for angles).
    ///
    /// # Errors
    /// If the name is unknown or the value is impossible for a body.
    pub fn with(mut self, name: &str, value: f64) -> Result<Self, Error> {
        let metres = if is_angle(name) { value } else { 0.01 * value };
        let Some(old) = self.get(name) else {
            return Err(Error::Request {
                message: format!("there is no measurement `{name}`"),
                help: format!("there are {}", Self::NAMES.join(", ")),
            });
        };
        // Nobody is three times as wide as the nearest size, or a third of it.
        if !(metres > old / 3.0 && metres < 3.0 * old) {
            let unit = if is_angle(name) { "degrees" } else { "cm" };
            let shown = if is_angle(name) { old } else { 100.0 * old };
            return Err(Error::Request {
                message: format!("{name} = {value} {unit} is impossible beside {shown:.1} {unit}"),
                help: "measurements are in centimetres".into(),
            });
        }
        self.set(name, metres);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_short_however_long_the_line_is() {
        let m = Measurements::of(Figure::Female, Size::M);
        for text in [
            format!("waist_girth{} = 74", "[".repeat(30_000)),
            format!("{} = 7", "a".repeat(30_000)),
        ] {
            let error = m.with_toml(&text, "me.toml").unwrap_err().to_string();
            assert!(error.starts_with("me.toml: ") && error.len() < 2000, "{}", error.len());
        }
    }

    #[test]
    fn sizes_grow() {
        for figure in [Figure::Female, Figure::Male] {
            for pair in Size::ALL.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|s| Measurements::of(figure, s));
                for name in Measurements::NAMES.iter().filter(|n| !is_angle(n)) {
                    assert!(a.get(name) <= b.get(name), "{figure:?} {name}");
                }
                assert!(a.bust_girth < b.bust_girth && a.hip_girth < b.hip_girth);
            }
        }
    }

    #[test]
    fn bodies_hang_together() {
        for figure in [Figure::Female, Figure::Male] {
            for size in Size::ALL {
                let m = Measurements::of(figure, size);
                assert!((m.waist_height - m.inseam - m.body_rise).abs() < 0.005, "{size:?}");
                assert!(m.waist_to_hip < m.body_rise && m.body_rise < m.waist_to_knee);
                assert!(m.underbust_girth < m.bust_girth && m.waist_girth < m.hip_girth);
                assert!(m.wrist_girth < m.elbow_girth && m.elbow_girth < m.upper_arm_girth);
                assert!(m.ankle_girth < m.calf_girth && m.knee_girth < m.thigh_girth);
                assert!(m.bust_height < m.front_length && m.armscye_depth < m.back_length);
            }
        }
    }

    #[test]
    fn between_sizes_values_are_between() {
        let m = Measurements::interpolated(Figure::Female, 1.5);
        assert!((m.bust_girth - 0.90).abs() < 1e-12);
        let same = Measurements::for_bust(Figure::Female, 0.90);
        assert!((same.waist_girth - 0.72).abs() < 1e-9);
    }

    #[test]
    fn a_file_makes_to_measure_and_nonsense_is_refused() {
        let m = Measurements::of(Figure::Female, Size::M);
        let made = m.with_toml("waist_girth = 80\nshoulder_slope = 18", "me").expect("good");
        assert!((made.waist_girth - 0.8).abs() < 1e-12);
        assert!((made.shoulder_slope - 18.0).abs() < 1e-12);
        for (text, wanted) in [
            ("waist = 80", "no measurement `waist`"),
            ("waist_girth = 0.8", "impossible"),
            ("waist_girth = nan", "impossible"),
            ("waist_girth = \"wide\"", "a number is needed"),
        ] {
            let error = m.with_toml(text, "me").unwrap_err().to_string();
            assert!(error.starts_with("me: ") && error.contains(wanted), "{error}");
        }
    }
}
