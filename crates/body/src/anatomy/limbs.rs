//! Relief of arms, legs and feet.

use super::trunk::tone;
use crate::foot::LENGTH;
use crate::proportions::{ELBOW, Proportions};
use crate::relief::Stroke;
use crate::skeleton::Bone;
use glam::DVec3;
use std::f64::consts::TAU;

const SHOULDER: &[Bone] = &[Bone::LeftCollar, Bone::LeftUpperArm];
const ARM: &[Bone] = &[Bone::LeftUpperArm, Bone::LeftForearm];
const THIGH: &[Bone] = &[Bone::LeftThigh];
const HIP: &[Bone] = &[Bone::Pelvis, Bone::LeftThigh];
const LEG: &[Bone] = &[Bone::LeftThigh, Bone::LeftShin];
const FOOT: &[Bone] = &[Bone::LeftShin, Bone::LeftFoot];

pub(super) fn arm(p: &Proportions) -> Vec<Stroke> {
    let t = tone(p);
    let (front, up) = (DVec3::Z, DVec3::new(-p.along_arm.y, p.along_arm.x, 0.0));
    let on = |s: f64, ahead: f64, lift: f64| p.on_arm(s) + (front * ahead + up * lift) * r(p);
    let line = |a: DVec3, b: DVec3, radius: f64, facing: DVec3, depth: f64, bones| {
        Stroke::line(a, b, radius * r(p), (facing, depth * r(p) * t), bones)
    };
    let (biceps, triceps) = (front - 0.2 * up, -front - 0.1 * up);
    vec![
        // Deltoid: full below the shoulder point, ending as a wedge at a third of the arm.
        line(on(0.10, 0.0, 0.0), on(0.24, 0.0, 0.0), 1.7, up, 0.13, SHOULDER).shares(1.0, 0.6),
        line(on(0.38, 0.0, 0.0), on(0.40, 0.0, 0.0), 1.0, up, -0.05, ARM),
        line(on(0.30, 0.0, -0.1), on(0.40, 0.0, -0.1), 1.1, biceps, 0.12, ARM),
        line(on(0.29, 0.0, 0.0), on(0.38, 0.0, 0.0), 1.0, triceps, 0.10, ARM),
        // Below the elbow the forearm is full on its outside, and the elbow has its point.
        line(on(0.58, 0.0, 0.3), on(0.70, 0.0, 0.1), 1.0, front + 0.7 * up, 0.12, ARM),
        line(on(0.60, 0.0, -0.3), on(0.70, 0.0, -0.2), 0.9, -up - 0.3 * front, 0.08, ARM),
        line(on(ELBOW, 0.0, 0.0), on(ELBOW + 0.02, 0.0, 0.0), 0.62, -front, 0.09, ARM),
        line(on(ELBOW, 0.0, 0.0), on(ELBOW, 0.0, 0.0), 0.8, front, -0.08, ARM),
    ]
}

/// Radius of the upper arm [m].
fn r(p: &Proportions) -> f64 {
    p.m.upper_arm_girth / TAU
}

pub(super) fn leg(p: &Proportions) -> Vec<Stroke> {
    let (k, t) = (p.k, tone(p));
    let (knee, ankle) = (p.knee_centre(), p.ankle_centre());
    let [thick, thin] = [p.m.thigh_girth, p.m.knee_girth].map(|g| g / TAU);
    let down = |s: f64, x: f64| {
        let y = p.crotch + s * (knee.y - p.crotch);
        DVec3::new(p.thigh_x() + s * (knee.x - p.thigh_x()) + x, y, 0.0)
    };
    let by_knee = |x: f64, y: f64| DVec3::new(knee.x + x * thin, knee.y + y * k, knee.z);
    let shin = |y: f64, x: f64| {
        let q = knee.lerp(ankle, (knee.y - y) / (knee.y - ankle.y));
        DVec3::new(q.x + x * thin, y, q.z)
    };
    let from = if p.is_female() { -0.20 } else { -0.07 };
    let v = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    let line = |a: DVec3, b: DVec3, radius: f64, facing: DVec3, depth: f64, bones| {
        Stroke::line(a, b, radius, (facing, depth), bones)
    };
    let spot = |a: DVec3, radius: f64, facing: DVec3, depth: f64| {
        Stroke::spot(a, radius, (facing, depth), LEG)
    };
    vec![
        // The long muscles in front and behind.
        line(down(0.25, 0.01), down(0.62, 0.005), 0.95 * thick, v(0.2, 1.0), 0.007 * k, THIGH),
        line(down(0.32, 0.0), down(0.70, 0.0), 0.80 * thick, v(0.0, -1.0), 0.007 * k, LEG),
        // The outside of the hip.
        line(down(from, 0.0), down(0.45, 0.0), thick.min(0.095 * k), v(1.0, 0.0), 0.006 * k, HIP)
            .shares(1.0, 0.2),
        // Full above the knee, more on the inside.
        spot(by_knee(-0.42, 0.060), 0.85 * thin, v(-0.55, 0.8), 0.0048 * k * (0.5 + 0.5 * t)),
        spot(by_knee(0.45, 0.090), 0.90 * thin, v(0.6, 0.8), 0.0045 * k * (0.5 + 0.5 * t)),
        // Kneecap, the hollows beside and above it, the knob below, the hollow of the knee.
        spot(by_knee(0.0, 0.012), 0.68 * thin, v(0.0, 1.0), 0.0055 * k),
        spot(by_knee(0.0, -0.045), 0.50 * thin, v(0.0, 1.0), 0.0020 * k),
        spot(by_knee(-0.62, -0.008), 0.48 * thin, v(-0.4, 1.0), -0.0022 * k),
        spot(by_knee(0.62, -0.008), 0.48 * thin, v(0.4, 1.0), -0.0022 * k),
        spot(by_knee(0.0, 0.0), 0.75 * thin, v(0.0, -1.0), -0.0060 * k),
        // The two heads of the calf, the inner one lower, the shin, and the tendon.
        line(
            shin(knee.y - 0.085 * k, -0.3),
            shin(p.calf - 0.015 * k, -0.35),
            1.15 * thin,
            v(-0.75, -0.8),
            0.0085 * k,
            LEG,
        )
        .shares(0.7, 0.9),
        line(
            shin(knee.y - 0.075 * k, 0.35),
            shin(p.calf + 0.020 * k, 0.35),
            1.1 * thin,
            v(0.8, -0.8),
            0.0075 * k,
            LEG,
        )
        .shares(0.7, 1.0),
        line(
            shin(knee.y - 0.07 * k, -0.05),
            shin(ankle.y + 0.07 * k, -0.1),
            0.50 * thin,
            v(-0.1, 1.0),
            0.0045 * k,
            LEG,
        )
        .shares(1.0, 0.15),
        line(
            shin(ankle.y + 0.09 * k, 0.2),
            shin(ankle.y + 0.005 * k, 0.3),
            0.6 * thin,
            v(0.85, -0.5),
            -0.0045 * k,
            FOOT,
        )
        .shares(0.1, 1.0),
        line(
            shin(ankle.y + 0.09 * k, -0.2),
            shin(ankle.y + 0.005 * k, -0.3),
            0.6 * thin,
            v(-0.85, -0.5),
            -0.0045 * k,
            FOOT,
        )
        .shares(0.1, 1.0),
    ]
}

pub(super) fn foot(p: &Proportions) -> Vec<Stroke> {
    let c = p.ankle_centre();
    let length = LENGTH * p.m.height;
    // Before the axis of the ankle, above the ground and outside.
    let at = |z: f64, y: f64, x: f64| {
        DVec3::new(c.x + (x + 0.13 * (z - 0.1).max(0.0)) * length, y * length, c.z + z * length)
    };
    let spot = |q: DVec3, radius: f64, facing: DVec3, depth: f64| {
        Stroke::spot(q, radius * length, (facing, depth * length), FOOT)
    };
    let (inside, outside) = (-DVec3::X, DVec3::X);
    let mut all = vec![
        // Ankle bones, the outer one lower and farther back.
        spot(at(0.02, 0.330, 0.0), 0.125, inside, 0.015),
        spot(at(-0.02, 0.285, 0.0), 0.125, outside, 0.015),
        // The arch on the inside, and the ball.
        spot(at(0.33, 0.05, 0.0), 0.22, DVec3::new(-1.0, -0.35, 0.0), -0.040),
        spot(at(0.60, 0.05, 0.0), 0.12, inside, 0.014),
    ];
    // Between the toes, from above and from the front.
    for (x, z) in [(-0.075, 0.86), (0.005, 0.85), (0.070, 0.815), (0.125, 0.775)] {
        let (a, b) = (at(z - 0.20, 0.08, 0.85 * x), at(z + 0.06, 0.05, x));
        let groove = DVec3::new(0.0, 0.75, 0.65);
        let push = (groove, -0.020 * length);
        all.push(Stroke::line(a, b, 0.034 * length, push, FOOT).shares(0.2, 1.0));
    }
    all
}
