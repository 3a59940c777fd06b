//! How bones turn from the pose in which the cage is built to the others.

use crate::build::NUMBERS;
use crate::cage::Cage;
use crate::figure::Pose;
use crate::proportions::{BUILT_ANGLE, Proportions};
use crate::skeleton::{BONES, Bone};
use glam::{DQuat, DVec3};
use libm::{cos, sin};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Least gap between a hanging arm and the trunk, for the middle height [m].
const GAP: f64 = 0.018;

/// What each bone turns by, about its joint.
pub(crate) fn turns(p: &Proportions, pose: Pose, cage: &Cage<NUMBERS>) -> [DQuat; BONES] {
    let mut turns = [DQuat::IDENTITY; BONES];
    // Raising of the arm, the share of the collar bone, bending of the elbow [rad].
    let (raise, collar, elbow) = match pose {
        Pose::A => return turns,
        Pose::T => (FRAC_PI_2 - BUILT_ANGLE, 0.22, 0.0),
        Pose::Relaxed => (hanging(p, cage) - BUILT_ANGLE, 0.12, 0.22),
    };
    for (bones, side) in [
        ([Bone::LeftCollar, Bone::LeftUpperArm, Bone::LeftForearm], 1.0),
        ([Bone::RightCollar, Bone::RightUpperArm, Bone::RightForearm], -1.0),
    ] {
        let lift = |angle: f64| DQuat::from_rotation_z(side * angle);
        turns[bones[0] as usize] = lift(collar * raise);
        turns[bones[1] as usize] = lift((1.0 - collar) * raise);
        // The forearm bends to the front about an axis that is level once the arm hangs.
        let axis = lift(-raise) * DVec3::X;
        turns[bones[2] as usize] = DQuat::from_axis_angle(axis, -elbow);
    }
    turns
}

/// The least angle from the vertical at which an arm hangs clear of the body.
fn hanging(p: &Proportions, cage: &Cage<NUMBERS>) -> f64 {
    const ARMS: [Bone; 8] = [
        Bone::LeftCollar,
        Bone::LeftUpperArm,
        Bone::LeftForearm,
        Bone::LeftHand,
        Bone::RightCollar,
        Bone::RightUpperArm,
        Bone::RightForearm,
        Bone::RightHand,
    ];
    let trunk: Vec<DVec3> = cage
        .data
        .iter()
        .filter(|d| ARMS.iter().map(|b| d[3 + *b as usize]).sum::<f64>() < 0.05)
        .map(|d| DVec3::new(d[0], d[1], d[2]))
        .collect();
    let width = |y: f64| {
        let near = trunk.iter().filter(|q| (q.y - y).abs() < 0.05 * p.k);
        near.map(|q| q.x).fold(0.0, f64::max)
    };
    let radius = |s: f64| {
        let [upper, wrist] = [p.m.upper_arm_girth, p.m.wrist_girth].map(|g| g / TAU);
        upper + (wrist - upper) * s.min(1.0)
    };
    let clear = |angle: f64| {
        (7..=24).all(|i| {
            let s = 0.05 * f64::from(i);
            let q = p.shoulder_joint + DVec3::new(sin(angle), -cos(angle), 0.0) * (s * p.arm);
            q.x - radius(s) > width(q.y) + GAP * p.k
        })
    };
    // Stout arms need room at the armpits.
    let stout = (250.0 * (p.m.upper_arm_girth / p.m.height - 0.175)).clamp(0.0, 20.0) as i32;
    let degrees = (9 + stout..=40).find(|d| clear(f64::from(*d).to_radians())).unwrap_or(40);
    f64::from(degrees).to_radians()
}
