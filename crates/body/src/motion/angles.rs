//! Postures in the angles of joints, as physiology counts them.

use super::rig::{Posture, Rig};
use super::rotation::about;
use crate::skeleton::{BONES, Bone};
use glam::{DQuat, DVec3};

/// The angles of a leg [rad]; all are zero standing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Leg {
    /// Thigh to the front.
    pub hip: f64,
    /// Heel towards the seat.
    pub knee: f64,
    /// Toes up.
    pub ankle: f64,
}

/// The angles of an arm [rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arm {
    /// From hanging down to the side; π/2 is level.
    pub raise: f64,
    /// To the front.
    pub swing: f64,
    /// Bending of the elbow.
    pub elbow: f64,
}

/// A posture by its joints [rad]; of pairs, the left comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Angles {
    /// Turn of the whole body to its left, about the vertical.
    pub heading: f64,
    /// Turn of the pelvis to its left, against the heading; the legs stay.
    pub pelvis_yaw: f64,
    /// Turn of the chest to its left, against the heading.
    pub chest_yaw: f64,
    /// Pelvis and trunk to the front; the legs stay.
    pub lean: f64,
    /// Legs.
    pub legs: [Leg; 2],
    /// Arms.
    pub arms: [Arm; 2],
    /// Displacement of the pelvis on the ground, to the left and to the front of the rest pose [m].
    pub travel: [f64; 2],
    /// Whether the ankles, not the pelvis, are over their places at rest.
    pub planted: bool,
}

/// Share of the collar bone in raising an arm.
const COLLAR: f64 = 0.22;

impl Angles {
    /// Standing with hanging arms.
    pub fn standing(rig: &Rig) -> Self {
        let arm = Arm { raise: rig.hanging(), swing: 0.0, elbow: 0.12 };
        Self { arms: [arm; 2], ..Self::default() }
    }

    /// Part of the way to others, from 0 to 1.
    pub fn mixed(&self, to: &Self, s: f64) -> Self {
        let f = |a: f64, b: f64| a + s * (b - a);
        let leg = |k: usize| {
            let (a, b) = (self.legs[k], to.legs[k]);
            Leg { hip: f(a.hip, b.hip), knee: f(a.knee, b.knee), ankle: f(a.ankle, b.ankle) }
        };
        let arm = |k: usize| {
            let (a, b) = (self.arms[k], to.arms[k]);
            Arm {
                raise: f(a.raise, b.raise),
                swing: f(a.swing, b.swing),
                elbow: f(a.elbow, b.elbow),
            }
        };
        Self {
            heading: f(self.heading, to.heading),
            pelvis_yaw: f(self.pelvis_yaw, to.pelvis_yaw),
            chest_yaw: f(self.chest_yaw, to.chest_yaw),
            lean: f(self.lean, to.lean),
            legs: [leg(0), leg(1)],
            arms: [arm(0), arm(1)],
            travel: [0, 1].map(|k| f(self.travel[k], to.travel[k])),
            planted: self.planted || to.planted,
        }
    }

    /// The bones at these angles; the pelvis keeps its height.
    pub fn posture(&self, rig: &Rig) -> Posture {
        let mut turns = [DQuat::IDENTITY; BONES];
        let yaw = |a: f64| about(DVec3::Y, a);
        let pitch = |a: f64| about(DVec3::X, a);
        let heading = yaw(self.heading);
        // Against the heading: what the pelvis, the chest and the head do.
        let pelvis = yaw(self.pelvis_yaw) * pitch(self.lean);
        let chest = yaw(self.chest_yaw) * pitch(self.lean);
        let half = super::rotation::slerp(pelvis, chest, 0.5);
        turns[Bone::Pelvis as usize] = heading * pelvis;
        turns[Bone::Spine as usize] = pelvis.inverse() * half;
        turns[Bone::Chest as usize] = half.inverse() * chest;
        // The head looks ahead, half of it in the neck.
        let back = super::rotation::slerp(DQuat::IDENTITY, chest.inverse(), 0.5);
        turns[Bone::Neck as usize] = back;
        turns[Bone::Head as usize] = back.inverse() * chest.inverse();
        for (k, bones) in [
            [Bone::LeftThigh, Bone::LeftShin, Bone::LeftFoot],
            [Bone::RightThigh, Bone::RightShin, Bone::RightFoot],
        ]
        .into_iter()
        .enumerate()
        {
            let leg = self.legs[k];
            turns[bones[0] as usize] = pelvis.inverse() * pitch(-leg.hip);
            turns[bones[1] as usize] = pitch(leg.knee);
            turns[bones[2] as usize] = pitch(-leg.ankle);
        }
        self.turn_arms(rig, &mut turns);
        let travel = DVec3::new(self.travel[0], 0.0, self.travel[1]);
        let mut posture = Posture { root: travel, turns };
        if self.planted {
            posture.root += ankles_at_rest(rig, &posture);
        }
        posture
    }

    fn turn_arms(&self, rig: &Rig, turns: &mut [DQuat; BONES]) {
        let rest = rig.rest_raise();
        for (k, (bones, side)) in [
            ([Bone::LeftCollar, Bone::LeftUpperArm, Bone::LeftForearm], 1.0),
            ([Bone::RightCollar, Bone::RightUpperArm, Bone::RightForearm], -1.0),
        ]
        .into_iter()
        .enumerate()
        {
            let arm = self.arms[k];
            let raise = arm.raise - rest;
            let lift = |angle: f64| about(DVec3::Z, side * angle);
            let collar = lift(COLLAR * raise);
            turns[bones[0] as usize] = collar;
            turns[bones[1] as usize] = collar.inverse() * about(DVec3::X, -arm.swing) * lift(raise);
            // About an axis that is level once the arm hangs.
            turns[bones[2] as usize] = about(lift(-raise) * DVec3::X, -arm.elbow);
        }
    }
}

/// What brings the ankles of a posture back over their places at rest, level.
fn ankles_at_rest(rig: &Rig, posture: &Posture) -> DVec3 {
    let moved = rig.bones(&Posture { root: DVec3::ZERO, ..*posture });
    let way = |b: Bone| rig.skeleton.bone(b).joint - moved.bone(b).joint;
    let mean = 0.5 * (way(Bone::LeftFoot) + way(Bone::RightFoot));
    DVec3::new(mean.x, 0.0, mean.z)
}
