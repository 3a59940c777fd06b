//! The skeleton of a mannequin and the motion of its skin.
//!
//! A vertex moves with its bones by the blend of their rigid motions, x' = Σ wᵢ (Rᵢ x + tᵢ). The cage is skinned
//! before it is subdivided, so that the skin over a bent joint is as smooth as anywhere.

use glam::{DQuat, DVec3};
use serde::Serialize;

/// A bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "bones are their names")]
pub enum Bone {
    Pelvis,
    Spine,
    Chest,
    Neck,
    Head,
    LeftCollar,
    LeftUpperArm,
    LeftForearm,
    LeftHand,
    RightCollar,
    RightUpperArm,
    RightForearm,
    RightHand,
    LeftThigh,
    LeftShin,
    LeftFoot,
    RightThigh,
    RightShin,
    RightFoot,
}

/// How many bones there are.
pub const BONES: usize = 19;

impl Bone {
    /// All bones; the index of a bone is its place here.
    pub const ALL: [Self; BONES] = [
        Self::Pelvis,
        Self::Spine,
        Self::Chest,
        Self::Neck,
        Self::Head,
        Self::LeftCollar,
        Self::LeftUpperArm,
        Self::LeftForearm,
        Self::LeftHand,
        Self::RightCollar,
        Self::RightUpperArm,
        Self::RightForearm,
        Self::RightHand,
        Self::LeftThigh,
        Self::LeftShin,
        Self::LeftFoot,
        Self::RightThigh,
        Self::RightShin,
        Self::RightFoot,
    ];

    /// The bone that carries it; none carries the pelvis.
    pub fn parent(self) -> Option<Self> {
        Some(match self {
            Self::Pelvis => return None,
            Self::Spine | Self::LeftThigh | Self::RightThigh => Self::Pelvis,
            Self::Chest => Self::Spine,
            Self::Neck | Self::LeftCollar | Self::RightCollar => Self::Chest,
            Self::Head => Self::Neck,
            Self::LeftUpperArm => Self::LeftCollar,
            Self::LeftForearm => Self::LeftUpperArm,
            Self::LeftHand => Self::LeftForearm,
            Self::RightUpperArm => Self::RightCollar,
            Self::RightForearm => Self::RightUpperArm,
            Self::RightHand => Self::RightForearm,
            Self::LeftShin => Self::LeftThigh,
            Self::LeftFoot => Self::LeftShin,
            Self::RightShin => Self::RightThigh,
            Self::RightFoot => Self::RightShin,
        })
    }

    /// The same bone on the other side.
    pub fn mirrored(self) -> Self {
        let k = self as usize;
        Self::ALL[match k {
            5..=8 => k + 4,
            9..=12 => k - 4,
            13..=15 => k + 3,
            16..=18 => k - 3,
            _ => k,
        }]
    }
}

/// A bone from its joint to its end [m].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BonePlace {
    /// Which bone.
    pub bone: Bone,
    /// The joint it turns about.
    pub joint: DVec3,
    /// Its other end.
    pub end: DVec3,
}

/// Where all bones are, in the order of [`Bone::ALL`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Skeleton {
    /// The bones.
    pub bones: Vec<BonePlace>,
}

impl Skeleton {
    /// Where a bone is.
    pub fn bone(&self, bone: Bone) -> BonePlace {
        self.bones[bone as usize]
    }

    /// The rigid motion x ↦ R x + t of every bone when each turns about its joint, after its parent.
    pub(crate) fn motions(&self, turns: &[DQuat; BONES]) -> Vec<(DQuat, DVec3)> {
        let mut motions: Vec<(DQuat, DVec3)> = Vec::with_capacity(BONES);
        for place in &self.bones {
            let turn = turns[place.bone as usize];
            // About the joint: x ↦ R (x − j) + j.
            let own = (turn, place.joint - turn * place.joint);
            let motion = match place.bone.parent() {
                Some(parent) => {
                    let (r, t) = motions[parent as usize];
                    (r * own.0, r * own.1 + t)
                }
                None => own,
            };
            motions.push(motion);
        }
        motions
    }

    /// The skeleton after motions.
    pub(crate) fn moved(&self, motions: &[(DQuat, DVec3)]) -> Self {
        let bones = self.bones.iter().zip(motions);
        let bones = bones.map(|(b, (r, t))| BonePlace {
            joint: *r * b.joint + *t,
            end: *r * b.end + *t,
            ..*b
        });
        Self { bones: bones.collect() }
    }
}

/// A point moved by its bones.
pub(crate) fn skinned(p: DVec3, weights: &[f64], motions: &[(DQuat, DVec3)]) -> DVec3 {
    let moved = weights.iter().zip(motions).filter(|(w, _)| **w != 0.0);
    moved.map(|(w, (r, t))| *w * (*r * p + *t)).sum()
}

/// A direction turned by its bones.
pub(crate) fn turned(v: DVec3, weights: &[f64], motions: &[(DQuat, DVec3)]) -> DVec3 {
    let moved = weights.iter().zip(motions).filter(|(w, _)| **w != 0.0);
    moved.map(|(w, (r, _))| *w * (*r * v)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_before_children_and_mirrors_are_mirrored() {
        for (k, bone) in Bone::ALL.into_iter().enumerate() {
            assert_eq!(bone as usize, k);
            assert!(bone.parent().is_none_or(|p| (p as usize) < k));
            assert_eq!(bone.mirrored().mirrored(), bone);
            assert_eq!(bone.mirrored().parent(), bone.parent().map(Bone::mirrored));
        }
    }
}
