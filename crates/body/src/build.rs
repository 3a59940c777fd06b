//! The cage of a mannequin: rings of vertices joined to tubes.
//!
//! The torso is a tube of [`COLUMNS`] columns with two holes where the arms begin, and its lowest ring splits
//! into two legs along the crotch. Everything is built for the left side and mirrored.

use crate::cage::Cage;
use crate::proportions::Proportions;
use crate::section::Section;
use crate::skeleton::{BONES, Bone, BonePlace, Skeleton};
use glam::DVec3;

/// Numbers at each vertex of the cage: a position and the weights of the bones.
pub(crate) const NUMBERS: usize = 3 + BONES;

/// Columns of the torso: 0 is the middle of the front, 5 the left side, 10 the middle of the back.
pub(crate) const COLUMNS: usize = 20;

/// Shares of bones.
pub(crate) type Weights = [f64; BONES];

/// Weights from a short list.
pub(crate) fn weights(list: &[(Bone, f64)]) -> Weights {
    let mut w = [0.0; BONES];
    for (bone, share) in list {
        w[*bone as usize] += share;
    }
    w
}

/// A cage that grows.
pub(crate) struct Builder {
    pub(crate) p: Proportions,
    pub(crate) cage: Cage<NUMBERS>,
}

/// Which half of the body a limb belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Left,
    Right,
}

impl Half {
    pub(crate) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    pub(crate) fn point(self, p: DVec3) -> DVec3 {
        if self == Self::Left { p } else { DVec3::new(-p.x, p.y, p.z) }
    }

    pub(crate) fn bone(self, left: Bone) -> Bone {
        if self == Self::Left { left } else { left.mirrored() }
    }

    /// Whether the faces of a limb must be turned: its rings run clockwise on the left.
    pub(crate) fn flips(self) -> bool {
        self == Self::Left
    }

    /// The column of the torso that mirrors a column of the left half.
    pub(crate) fn column(self, left: usize) -> usize {
        if self == Self::Left { left } else { (COLUMNS - left) % COLUMNS }
    }
}

impl Builder {
    /// The whole cage.
    pub(crate) fn build(p: Proportions) -> Cage<NUMBERS> {
        let mut b = Self { p, cage: Cage { data: Vec::new(), faces: Vec::new() } };
        let torso = b.torso();
        b.head(&torso);
        for half in Half::BOTH {
            b.arm(&torso, half);
        }
        b.legs(&torso);
        b.cage
    }

    pub(crate) fn vertex(&mut self, p: DVec3, w: &Weights) -> u32 {
        let mut data = [0.0; NUMBERS];
        data[..3].copy_from_slice(&p.to_array());
        data[3..].copy_from_slice(w);
        self.cage.data.push(data);
        self.cage.data.len() as u32 - 1
    }

    /// Points of a left limb, put on its half.
    pub(crate) fn ring(&mut self, points: &[DVec3], half: Half, left: &[(Bone, f64)]) -> Vec<u32> {
        let list: Vec<_> = left.iter().map(|(b, s)| (half.bone(*b), *s)).collect();
        let w = weights(&list);
        points.iter().map(|p| self.vertex(half.point(*p), &w)).collect()
    }

    /// Quads from a ring to the next, or turned the other way round.
    pub(crate) fn join(&mut self, from: &[u32], to: &[u32], flip: bool) {
        let n = from.len();
        for i in 0..n {
            let j = (i + 1) % n;
            self.face(&[from[i], from[j], to[j], to[i]], flip);
        }
    }

    pub(crate) fn face(&mut self, corners: &[u32], flip: bool) {
        let mut face = corners.to_vec();
        if flip {
            face.reverse();
        }
        self.cage.faces.push(face);
    }

    /// Points of a section at given angles from the front [rad].
    pub(crate) fn around(section: &Section, angles: &[f64]) -> Vec<DVec3> {
        angles.iter().map(|t| section.point(*t)).collect()
    }
}

/// Where the bones are in the pose in which the cage is built.
pub(crate) fn skeleton(p: &Proportions) -> Skeleton {
    let k = p.k;
    let mid = |y: f64, z: f64| DVec3::new(0.0, y, z);
    let pelvis = mid(p.hip + 0.3 * (p.waist - p.hip), -0.01 * k);
    let spine = mid(p.waist, -0.02 * k);
    let chest = mid(p.underbust, -0.03 * k);
    let neck = mid(p.nape - 0.02 * k, -0.035 * k);
    let head = mid(p.m.height - 0.215 * k, -0.005 * k);
    let hip_joint = DVec3::new(p.thigh_x(), p.crotch + 0.06 * k, 0.0);
    let knee = p.knee_centre();
    let ankle = p.ankle_centre();
    let wrist = p.on_arm(1.0);
    let left = |bone: Bone| match bone {
        Bone::LeftCollar => (DVec3::new(0.02 * k, p.shoulder.y - 0.02 * k, 0.0), p.shoulder_joint),
        Bone::LeftUpperArm => (p.shoulder_joint, p.on_arm(crate::proportions::ELBOW)),
        Bone::LeftForearm => (p.on_arm(crate::proportions::ELBOW), wrist),
        Bone::LeftHand => (wrist, wrist + p.along_arm * (0.105 * p.m.height)),
        Bone::LeftThigh => (hip_joint, knee),
        Bone::LeftShin => (knee, ankle),
        _ => (ankle, DVec3::new(ankle.x + 0.02 * k, 0.02 * k, ankle.z + 0.16 * k)),
    };
    let place = |bone: Bone| {
        let (joint, end) = match bone {
            Bone::Pelvis => (pelvis, spine),
            Bone::Spine => (spine, chest),
            Bone::Chest => (chest, neck),
            Bone::Neck => (neck, head),
            Bone::Head => (head, mid(p.m.height, 0.0)),
            _ if (bone.mirrored() as usize) < bone as usize => {
                let (joint, end) = left(bone.mirrored());
                (Half::Right.point(joint), Half::Right.point(end))
            }
            _ => left(bone),
        };
        BonePlace { bone, joint, end }
    };
    Skeleton { bones: Bone::ALL.into_iter().map(place).collect() }
}
