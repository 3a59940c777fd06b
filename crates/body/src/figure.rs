//! Figures and poses.

use serde::{Deserialize, Serialize};
use toile_pattern::{Measurements, Size};

/// Whose body it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// A woman.
    #[default]
    Female,
    /// A man.
    Male,
    /// A child.
    Child,
}

/// How the body stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pose {
    /// Arms half raised: the best to dress.
    #[default]
    A,
    /// Arms level.
    T,
    /// Arms hanging, a little bent.
    Relaxed,
}

impl Figure {
    /// All figures.
    pub const ALL: [Self; 3] = [Self::Female, Self::Male, Self::Child];

    /// The measurements of a size. For children, XS to XXL are heights from 104 to 164 cm in steps of 12 cm.
    pub fn measurements(self, size: Size) -> Measurements {
        use toile_pattern::Figure as Table;
        match self {
            Self::Female => Measurements::of(Table::Female, size),
            Self::Male => Measurements::of(Table::Male, size),
            Self::Child => {
                let mut m = Measurements::of(Table::Female, size);
                for (name, row) in CHILD {
                    let value = row[size as usize];
                    m.set(name, if name == "shoulder_slope" { value } else { 0.01 * value });
                }
                m
            }
        }
    }

    /// How it is written.
    pub fn name(self) -> &'static str {
        ["female", "male", "child"][self as usize]
    }

    /// The figure of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name().eq_ignore_ascii_case(name))
    }
}

impl Pose {
    /// All poses.
    pub const ALL: [Self; 3] = [Self::A, Self::T, Self::Relaxed];

    /// How it is written.
    pub fn name(self) -> &'static str {
        ["a", "t", "relaxed"][self as usize]
    }

    /// The pose of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name().eq_ignore_ascii_case(name))
    }
}

/// Children of 104, 116, 128, 140, 152 and 164 cm, as typical of size tables; they are no survey [cm, degrees].
const CHILD: [(&str, [f64; 6]); 30] = [
    ("height", [104.0, 116.0, 128.0, 140.0, 152.0, 164.0]),
    ("head_girth", [51.0, 52.0, 53.0, 53.5, 54.5, 55.5]),
    ("neck_girth", [26.0, 27.5, 29.0, 30.5, 32.5, 34.5]),
    ("bust_girth", [56.0, 60.0, 65.0, 70.5, 76.5, 83.0]),
    ("underbust_girth", [54.0, 57.5, 62.0, 66.5, 71.0, 76.0]),
    ("waist_girth", [52.0, 54.5, 57.5, 61.0, 64.5, 68.0]),
    ("hip_girth", [58.5, 63.5, 69.0, 75.5, 82.0, 89.0]),
    ("shoulder_width", [25.0, 27.5, 30.0, 32.5, 35.0, 37.5]),
    ("shoulder_length", [8.0, 8.8, 9.6, 10.4, 11.2, 12.0]),
    ("shoulder_slope", [20.0, 20.0, 20.0, 20.0, 20.0, 20.0]),
    ("back_width", [22.5, 24.5, 26.5, 28.7, 31.0, 33.5]),
    ("chest_width", [21.0, 22.8, 24.6, 26.6, 28.8, 31.0]),
    ("back_length", [23.5, 26.0, 28.8, 31.8, 35.0, 38.2]),
    ("front_length", [25.0, 27.6, 30.4, 33.4, 36.6, 39.8]),
    ("bust_height", [14.5, 16.0, 17.7, 19.4, 21.2, 23.2]),
    ("bust_width", [12.0, 13.0, 14.0, 15.2, 16.5, 17.8]),
    ("armscye_depth", [12.5, 13.6, 14.8, 16.0, 17.4, 18.9]),
    ("arm_length", [35.0, 39.5, 44.0, 48.5, 53.0, 57.5]),
    ("upper_arm_girth", [17.5, 18.5, 20.0, 21.8, 23.6, 25.5]),
    ("elbow_girth", [16.3, 17.3, 18.5, 20.0, 21.4, 22.9]),
    ("wrist_girth", [12.0, 12.6, 13.2, 13.9, 14.7, 15.5]),
    ("waist_to_hip", [11.5, 13.0, 14.5, 16.0, 17.6, 19.2]),
    ("waist_to_knee", [35.0, 39.5, 44.0, 48.3, 52.5, 56.5]),
    ("waist_height", [61.0, 69.5, 78.0, 86.5, 94.8, 102.5]),
    ("inseam", [44.3, 51.2, 58.1, 64.9, 71.5, 77.4]),
    ("body_rise", [16.7, 18.3, 19.9, 21.6, 23.3, 25.1]),
    ("thigh_girth", [32.5, 35.5, 39.0, 43.0, 47.0, 51.0]),
    ("knee_girth", [23.0, 25.0, 27.0, 29.2, 31.5, 34.0]),
    ("calf_girth", [21.5, 23.5, 25.8, 28.2, 30.7, 33.0]),
    ("ankle_girth", [15.5, 16.5, 17.7, 19.0, 20.3, 21.5]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_children_is_whole_and_grows() {
        for name in Measurements::NAMES {
            let row = CHILD.iter().find(|(n, _)| n == name).expect("a row for each measurement").1;
            assert!(row.windows(2).all(|w| w[0] <= w[1]), "{name}");
        }
        let m = Figure::Child.measurements(Size::M);
        assert!(
            (m.height - 1.28).abs() < 1e-12
                && (m.waist_height - m.inseam - m.body_rise).abs() < 0.005
        );
    }

    #[test]
    fn names_are_read_back() {
        assert!(Figure::ALL.into_iter().all(|f| Figure::parse(f.name()) == Some(f)));
        assert!(Pose::ALL.into_iter().all(|p| Pose::parse(p.name()) == Some(p)));
        assert_eq!(Pose::parse("A"), Some(Pose::A));
    }
}
