//! Motion from a file, carried over to our bones.
//!
//! A joint that has turned by G against the world since the rest pose of its file turns our bone by C_w G C_r⁻¹ A. The axes of the file
//! at rest are brought to ours by C_r, those of its world by C_w; A takes the direction of our limb at rest to that of the file's.

use super::bvh::{Bvh, Local};
use super::joints::JointMap;
use super::rig::{Posture, Rig, Skinning};
use super::rotation::{about, heading, shortest, slerp};
use crate::error::Error;
use crate::skeleton::{BONES, Bone};
use glam::{DMat3, DQuat, DVec3};
use serde::Serialize;

/// An axis with its sign, as in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "axes are their names")]
pub enum Axis {
    #[serde(rename = "+x")]
    PlusX,
    #[serde(rename = "-x")]
    MinusX,
    #[serde(rename = "+y")]
    PlusY,
    #[serde(rename = "-y")]
    MinusY,
    #[serde(rename = "+z")]
    PlusZ,
    #[serde(rename = "-z")]
    MinusZ,
}

impl Axis {
    const ALL: [Self; 6] =
        [Self::PlusX, Self::MinusX, Self::PlusY, Self::MinusY, Self::PlusZ, Self::MinusZ];

    /// The axis nearest to a vector, if it is within 45°.
    fn nearest(v: DVec3) -> Option<Self> {
        let v = v.try_normalize()?;
        Self::ALL.into_iter().find(|a| a.vector().dot(v) > std::f64::consts::FRAC_1_SQRT_2)
    }

    /// The unit vector.
    pub fn vector(self) -> DVec3 {
        let k = self as usize;
        DVec3::AXES[k / 2] * if k.is_multiple_of(2) { 1.0 } else { -1.0 }
    }

    /// As it is written.
    pub fn name(self) -> &'static str {
        ["+x", "-x", "+y", "-y", "+z", "-z"][self as usize]
    }
}

/// What was found out about a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// Frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// What is up.
    pub up: Axis,
    /// The unit in which its legs are nearest to those of an adult.
    pub unit: &'static str,
    /// Length of our leg against the file's [m per unit]: ways are scaled by it.
    pub scale: f64,
    /// By how much the motion was turned so that it begins facing +z [degrees].
    pub turned: f64,
    /// The joints.
    pub map: JointMap,
}

/// Motion from a file, for one rig.
#[derive(Clone, Debug)]
pub struct Recording {
    frames: Vec<Posture>,
    frame_time: f64,
    source: Source,
}

/// Bones whose direction at rest is brought to the file's, and the bone at whose joint they end.
const LIMBS: [(Bone, Bone); 8] = [
    (Bone::LeftUpperArm, Bone::LeftForearm),
    (Bone::LeftForearm, Bone::LeftHand),
    (Bone::RightUpperArm, Bone::RightForearm),
    (Bone::RightForearm, Bone::RightHand),
    (Bone::LeftThigh, Bone::LeftShin),
    (Bone::LeftShin, Bone::LeftFoot),
    (Bone::RightThigh, Bone::RightShin),
    (Bone::RightShin, Bone::RightFoot),
];

/// Units and their lengths [m].
const UNITS: [(&str, f64); 6] =
    [("m", 1.0), ("dm", 0.1), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048)];

/// Length of the legs of an adult [m].
const ADULT_LEG: f64 = 0.83;

/// Postures that are looked at to find the ground.
const GROUND_SAMPLES: usize = 400;

/// The file at rest.
struct Rest<'a> {
    bvh: &'a Bvh,
    map: &'a JointMap,
    places: Vec<DVec3>,
}

impl Rest<'_> {
    fn place(&self, bone: Bone) -> Option<DVec3> {
        self.map.joint(bone).map(|j| self.places[j])
    }

    /// Where a limb ends: the joint of the next bone, or else the first child, or the end site.
    fn end(&self, bone: Bone, next: Bone) -> Option<DVec3> {
        let joint = self.map.joint(bone)?;
        let child = || self.bvh.joints.iter().position(|j| j.parent == Some(joint));
        let site = || self.bvh.joints[joint].end.map(|e| self.places[joint] + e);
        self.place(next).or_else(|| child().map(|c| self.places[c])).or_else(site)
    }

    fn direction(&self, bone: Bone, next: Bone) -> Option<DVec3> {
        Some(self.end(bone, next)? - self.place(bone)?)
    }
}

/// World places and turns of all joints.
fn world(bvh: &Bvh, local: impl Fn(usize) -> Local) -> (Vec<DVec3>, Vec<DQuat>) {
    let n = bvh.joints.len();
    let (mut places, mut turns) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (k, joint) in bvh.joints.iter().enumerate() {
        let own = local(k);
        let (place, turn) = match joint.parent {
            Some(p) => (places[p] + turns[p] * own.offset, turns[p] * own.turn),
            None => (own.offset, own.turn),
        };
        places.push(place);
        turns.push(turn);
    }
    (places, turns)
}

impl Recording {
    /// Carries a file over to a rig.
    ///
    /// # Errors
    /// If limbs are missing, or the rest pose of the file is not that of a standing figure.
    pub fn new(bvh: &Bvh, rig: &Rig) -> Result<Self, Error> {
        let map = JointMap::new(bvh)?;
        let still = |k: usize| Local { offset: bvh.joints[k].offset, turn: DQuat::IDENTITY };
        let (places, _) = world(bvh, still);
        let rest = Rest { bvh, map: &map, places };
        let axes = Axes::new(&rest)?;
        let leg = LIMBS[4..6].iter().filter_map(|(a, b)| rest.direction(*a, *b));
        let leg: f64 = leg.map(DVec3::length).sum();
        if leg < 1e-9 {
            return Err(not_standing(bvh));
        }
        let scale = rig.leg_length() / leg;
        let aligned = alignment(&rest, rig, axes.rest);
        let mut frames: Vec<Posture> =
            (0..bvh.frame_count()).map(|f| carried(bvh, &map, &axes, &aligned, scale, f)).collect();
        let turned = settle(&mut frames, rig);
        let source = Source {
            frames: frames.len(),
            fps: 1.0 / bvh.frame_time,
            up: axes.up,
            unit: unit(leg),
            scale,
            turned: turned.to_degrees(),
            map,
        };
        Ok(Self { frames, frame_time: bvh.frame_time, source })
    }

    /// What was found out about the file.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Time from the first frame to the last [s].
    pub fn duration(&self) -> f64 {
        self.frame_time * (self.frames.len() - 1) as f64
    }

    /// The posture at a time: rotations by slerp, the root by a cubic with a continuous velocity.
    pub fn posture(&self, t: f64) -> Posture {
        let last = self.frames.len() - 1;
        let s = (t / self.frame_time).clamp(0.0, last as f64);
        let k = (s as usize).min(last);
        let at = |i: isize| self.frames[(k as isize + i).clamp(0, last as isize) as usize];
        let s = s - k as f64;
        let [p0, p1, p2, p3] = [-1, 0, 1, 2].map(|i| at(i).root);
        let (m1, m2) = (0.5 * (p2 - p0), 0.5 * (p3 - p1));
        let (s2, s3) = (s * s, s * s * s);
        let root = (2.0 * s3 - 3.0 * s2 + 1.0) * p1
            + (s3 - 2.0 * s2 + s) * m1
            + (3.0 * s2 - 2.0 * s3) * p2
            + (s3 - s2) * m2;
        let (a, b) = (at(0), at(1));
        Posture { root, turns: std::array::from_fn(|b_| slerp(a.turns[b_], b.turns[b_], s)) }
    }
}

/// The unit in which a leg is nearest to that of an adult.
fn unit(leg: f64) -> &'static str {
    let off = |metres: f64| libm::log(leg * metres / ADULT_LEG).abs();
    UNITS.iter().min_by(|a, b| off(a.1).total_cmp(&off(b.1))).map_or("m", |u| u.0)
}

fn not_standing(bvh: &Bvh) -> Error {
    Error::Motion {
        name: bvh.name.clone(),
        what: "its joints at rest are not those of a standing figure".into(),
        help: "export it with a T or A pose as rest pose",
    }
}

/// How the axes of a file are brought to ours.
struct Axes {
    up: Axis,
    rest: DQuat,
    world: DQuat,
}

impl Axes {
    fn new(rest: &Rest<'_>) -> Result<Self, Error> {
        let refuse = || not_standing(rest.bvh);
        let body = |places: &[DVec3]| {
            let at = |b: Bone| rest.map.joint(b).map(|j| places[j]);
            let knees = 0.5 * (at(Bone::LeftShin)? + at(Bone::RightShin)?);
            let arms = 0.5 * (at(Bone::LeftUpperArm)? + at(Bone::RightUpperArm)?);
            Some(arms - knees)
        };
        let up = body(&rest.places).and_then(Axis::nearest).ok_or_else(refuse)?;
        let hips = rest.place(Bone::LeftThigh).zip(rest.place(Bone::RightThigh));
        let left = hips.and_then(|(l, r)| Axis::nearest(l - r)).ok_or_else(refuse)?;
        let (y, x) = (up.vector(), left.vector());
        if x.dot(y) != 0.0 || rest.direction(Bone::LeftThigh, Bone::LeftShin).is_none() {
            return Err(refuse());
        }
        let to_file = DMat3::from_cols(x, y, x.cross(y));
        let at_rest = DQuat::from_mat3(&to_file.transpose()).normalize();
        // Some files stand along another axis when they move than at rest.
        let n = rest.bvh.frame_count();
        let mean: DVec3 = (0..n)
            .step_by((n / 50).max(1))
            .filter_map(|f| body(&world(rest.bvh, |k| rest.bvh.local(k, f)).0))
            .filter_map(DVec3::try_normalize)
            .sum();
        let moving = Axis::nearest(mean).unwrap_or(up);
        let world = if moving == up { at_rest } else { shortest(moving.vector(), DVec3::Y) };
        Ok(Self { up: moving, rest: at_rest, world })
    }
}

/// The turn of each of our bones to the direction that the file's has at rest.
fn alignment(rest: &Rest<'_>, rig: &Rig, axes: DQuat) -> [DQuat; BONES] {
    let mut aligned = [DQuat::IDENTITY; BONES];
    for (bone, next) in LIMBS {
        if let Some(direction) = rest.direction(bone, next) {
            let ours = rig.skeleton.bone(bone);
            aligned[bone as usize] = shortest(ours.end - ours.joint, axes * direction);
        }
    }
    // Hands go on where the forearms end.
    for (hand, arm) in [(Bone::LeftHand, Bone::LeftForearm), (Bone::RightHand, Bone::RightForearm)]
    {
        aligned[hand as usize] = aligned[arm as usize];
    }
    aligned
}

/// A frame of a file as a posture.
fn carried(
    bvh: &Bvh,
    map: &JointMap,
    axes: &Axes,
    aligned: &[DQuat; BONES],
    scale: f64,
    frame: usize,
) -> Posture {
    let (places, turns) = world(bvh, |k| bvh.local(k, frame));
    let mut posture = Posture::REST;
    let mut ours = [DQuat::IDENTITY; BONES];
    for bone in Bone::ALL {
        let parent = bone.parent().map_or(DQuat::IDENTITY, |p| ours[p as usize]);
        ours[bone as usize] = match map.joint(bone) {
            Some(j) => {
                (axes.world * turns[j] * axes.rest.inverse() * aligned[bone as usize]).normalize()
            }
            None => parent,
        };
        posture.turns[bone as usize] = (parent.inverse() * ours[bone as usize]).normalize();
    }
    let pelvis = map.joint(Bone::Pelvis).unwrap_or(0);
    posture.root = scale * (axes.world * places[pelvis]);
    posture
}

/// Moves a motion so that it begins at the origin facing +z and touches the ground; returns the turn [rad].
fn settle(frames: &mut [Posture], rig: &Rig) -> f64 {
    let Some(first) = frames.first().copied() else { return 0.0 };
    let turn = -heading(first.turns[Bone::Pelvis as usize]);
    let back = about(DVec3::Y, turn);
    for posture in frames.iter_mut() {
        posture.root = back * (posture.root - first.root);
        posture.turns[Bone::Pelvis as usize] = back * posture.turns[Bone::Pelvis as usize];
    }
    let step = frames.len().div_ceil(GROUND_SAMPLES);
    let low = |p: &Posture| rig.lowest(p, Skinning::default());
    let low = frames.iter().step_by(step).map(low).fold(f64::INFINITY, f64::min);
    for posture in frames.iter_mut() {
        posture.root.y -= low;
    }
    turn
}
