//! Which measurements a body can have.

use crate::error::Error;
use toile_pattern::Measurements;

/// Least and greatest height [m].
const HEIGHT: [f64; 2] = [0.85, 2.3];

/// Least and greatest value of each measurement as a share of the height.
const HEIGHT_RATIOS: [(&str, f64, f64); 28] = [
    ("head_girth", 0.27, 0.58),
    ("neck_girth", 0.15, 0.35),
    ("bust_girth", 0.38, 0.95),
    ("underbust_girth", 0.35, 0.92),
    ("waist_girth", 0.30, 0.90),
    ("hip_girth", 0.42, 0.95),
    ("shoulder_width", 0.17, 0.33),
    ("shoulder_length", 0.05, 0.11),
    ("back_width", 0.14, 0.36),
    ("chest_width", 0.12, 0.36),
    ("back_length", 0.19, 0.31),
    ("front_length", 0.18, 0.36),
    ("bust_height", 0.10, 0.23),
    ("bust_width", 0.07, 0.18),
    ("armscye_depth", 0.08, 0.18),
    ("arm_length", 0.27, 0.42),
    ("upper_arm_girth", 0.11, 0.29),
    ("elbow_girth", 0.10, 0.25),
    ("wrist_girth", 0.07, 0.15),
    ("waist_to_hip", 0.08, 0.16),
    ("waist_to_knee", 0.28, 0.42),
    ("waist_height", 0.52, 0.68),
    ("inseam", 0.36, 0.54),
    ("body_rise", 0.12, 0.22),
    ("thigh_girth", 0.22, 0.52),
    ("knee_girth", 0.15, 0.34),
    ("calf_girth", 0.15, 0.34),
    ("ankle_girth", 0.10, 0.21),
];

/// Least and greatest slope of the shoulders [degrees].
const SLOPE: [f64; 2] = [10.0, 32.0];

/// Refuses what no body has, with the bounds.
pub(crate) fn check(m: &Measurements) -> Result<(), Error> {
    let centimetres = |v: f64| format!("{:.1} cm", 100.0 * v);
    let degrees = |v: f64| format!("{v:.1}°");
    within("height", m.height, HEIGHT, centimetres)?;
    for (name, low, high) in HEIGHT_RATIOS {
        let value = m.get(name).unwrap_or(f64::NAN);
        within(name, value, [low * m.height, high * m.height], centimetres)?;
    }
    within("shoulder_slope", m.shoulder_slope, SLOPE, degrees)?;
    let together = |good: bool, what: String| {
        if good { Ok(()) } else { Err(Error::Combination { what }) }
    };
    let cm = |v: f64| 100.0 * v;
    let rise = m.waist_height - m.inseam;
    together(
        (rise - m.body_rise).abs() < 0.015,
        format!(
            "waist_height − inseam is {:.1} cm, but body_rise is {:.1} cm; they must agree within 1.5 cm",
            cm(rise),
            cm(m.body_rise)
        ),
    )?;
    // The tape finds the waist where the trunk is narrowest.
    for (name, other) in [("underbust_girth", m.underbust_girth), ("hip_girth", m.hip_girth)] {
        together(
            m.waist_girth < other - 0.005,
            format!(
                "waist_girth is {:.1} cm, but {name} is {:.1} cm; mannequins are narrowest at the waist",
                cm(m.waist_girth),
                cm(other)
            ),
        )?;
    }
    let above = m.height - m.waist_height - m.back_length;
    within(
        "height − waist_height − back_length",
        above,
        [0.10 * m.height, 0.22 * m.height],
        centimetres,
    )?;
    let orders: [(&str, f64, &str, f64); 6] = [
        ("waist_to_hip", m.waist_to_hip + 0.02 * m.height, "body_rise", m.body_rise + 0.003),
        ("body_rise", m.body_rise, "waist_to_knee", m.waist_to_knee),
        ("underbust_girth", m.underbust_girth, "bust_girth", m.bust_girth),
        ("armscye_depth", m.armscye_depth, "back_length", m.back_length),
        ("wrist_girth", m.wrist_girth, "elbow_girth", m.elbow_girth),
        ("ankle_girth", m.ankle_girth, "calf_girth", m.calf_girth),
    ];
    for (small, a, large, b) in orders {
        together(a < b, format!("{small} must be less than {large}, with room between them"))?;
    }
    Ok(())
}

fn within(
    name: &'static str,
    value: f64,
    [low, high]: [f64; 2],
    show: impl Fn(f64) -> String,
) -> Result<(), Error> {
    if value >= low && value <= high {
        return Ok(());
    }
    Err(Error::Measurement { name, value: show(value), low: show(low), high: show(high) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_pattern::{Figure, Size};

    #[test]
    fn all_sizes_are_within_bounds() {
        for figure in [Figure::Female, Figure::Male] {
            for size in Size::ALL {
                assert_eq!(check(&Measurements::of(figure, size)), Ok(()), "{figure:?} {size:?}");
            }
        }
    }

    #[test]
    fn a_refusal_names_the_measurement_and_its_bounds() {
        let good = Measurements::of(Figure::Female, Size::M);
        for (m, wanted) in [
            (Measurements { height: f64::NAN, ..good }, "height = NaN cm"),
            (
                Measurements { waist_girth: 5.0, ..good },
                "waist_girth = 500.0 cm is not possible: it must lie between 50.4 cm and 151.2 cm",
            ),
            (Measurements { waist_girth: 1.02, ..good }, "hip_girth is 100.0 cm"),
            (Measurements { inseam: 0.70, ..good }, "body_rise is 27.2 cm"),
            (Measurements { shoulder_slope: -3.0, ..good }, "shoulder_slope = -3.0°"),
        ] {
            let error = check(&m).unwrap_err().to_string();
            assert!(error.contains(wanted) || error.contains("underbust"), "{error}");
        }
    }
}
