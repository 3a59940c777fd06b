//! Where the parts of a mannequin are: heights and joints that follow from measurements.

use crate::figure::Figure;
use crate::landmarks::{UNDERBUST, USUAL_BUST};
use glam::DVec3;
use libm::{cos, sin};
use toile_pattern::Measurements;

/// Angle of the arms of the pose A, in which the mannequin is built, from the vertical [rad].
pub(crate) const BUILT_ANGLE: f64 = 45.0 * std::f64::consts::PI / 180.0;

/// Height of the knee above the narrowest place below it, as a share of the height.
pub(crate) const KNEE_ABOVE_NARROW: f64 = 0.032;

/// The elbow's share of the way from the shoulder joint to the wrist.
pub(crate) const ELBOW: f64 = 0.52;

/// Heights and joints [m], for the left side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proportions {
    pub(crate) figure: Figure,
    pub(crate) m: Measurements,
    /// Height over that of the middle woman; scales what no measurement tells.
    pub(crate) k: f64,
    pub(crate) crotch: f64,
    pub(crate) hip: f64,
    pub(crate) waist: f64,
    pub(crate) underbust: f64,
    pub(crate) bust: f64,
    pub(crate) armpit: f64,
    pub(crate) nape: f64,
    pub(crate) knee: f64,
    pub(crate) calf: f64,
    pub(crate) ankle: f64,
    /// Where the neck meets the shoulder.
    pub(crate) side_neck: DVec3,
    /// Outer end of the shoulder.
    pub(crate) shoulder: DVec3,
    /// Centre of the shoulder joint.
    pub(crate) shoulder_joint: DVec3,
    /// Along the arm, down and outwards.
    pub(crate) along_arm: DVec3,
    /// From the shoulder joint to the wrist.
    pub(crate) arm: f64,
}

impl Proportions {
    pub(crate) fn new(m: &Measurements, figure: Figure) -> Self {
        let k = m.height / 1.68;
        let waist = m.waist_height;
        // Tapes over the curves of the back and the bust are a little longer than heights.
        let nape = waist + 0.975 * m.back_length;
        let slope = m.shoulder_slope.to_radians();
        let side_y = nape - 0.006 * k;
        let shoulder_x = 0.50 * m.shoulder_width;
        let side_neck = DVec3::new(shoulder_x - m.shoulder_length * cos(slope), side_y, -0.022 * k);
        let shoulder = DVec3::new(shoulder_x, side_y - m.shoulder_length * sin(slope), -0.024 * k);
        // The tape finds no bust points on a flat chest and takes the usual level.
        let bust = match figure {
            Figure::Female => side_y - 0.84 * m.bust_height,
            _ => nape - USUAL_BUST * m.height,
        };
        let along_arm = DVec3::new(sin(BUILT_ANGLE), -cos(BUILT_ANGLE), 0.0);
        let upper = m.upper_arm_girth / std::f64::consts::TAU;
        let shoulder_joint = shoulder + DVec3::new(-0.30 * upper, -0.95 * upper, 0.0);
        Self {
            figure,
            m: *m,
            k,
            crotch: m.inseam,
            hip: waist - 0.985 * m.waist_to_hip,
            waist,
            underbust: bust - UNDERBUST * m.height,
            bust,
            // Depths are taken with hanging arms; half raised, they lift the armpits.
            armpit: nape - 0.88 * m.armscye_depth,
            nape,
            knee: waist - 0.985 * m.waist_to_knee,
            calf: 0.70 * (waist - 0.985 * m.waist_to_knee),
            ankle: 0.058 * m.height,
            side_neck,
            shoulder,
            shoulder_joint,
            along_arm,
            arm: m.arm_length - 0.018 * k,
        }
    }

    /// On the axis of the arm, `s` being 0 at the shoulder joint and 1 at the wrist.
    pub(crate) fn on_arm(&self, s: f64) -> DVec3 {
        self.shoulder_joint + self.along_arm * (s * self.arm)
    }

    pub(crate) fn is_female(&self) -> bool {
        self.figure == Figure::Female
    }
}
