//! Which joint of a file is which bone.
//!
//! Exporters name joints in their own ways: `LeftUpLeg`, `mixamorig:LeftUpLeg`, `LeftHip`, `Bip01 L Thigh`, `thigh_l`. A name is
//! split into words, the side and prefixes are taken out, and the rest is looked up.

use super::bvh::Bvh;
use crate::error::Error;
use crate::skeleton::{BONES, Bone};
use serde::Serialize;

/// A bone and the joint that moves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MappedBone {
    /// Ours.
    pub bone: Bone,
    /// The file's.
    pub joint: String,
}

/// What was made of the joints of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JointMap {
    /// Bones that move, in the order of [`Bone::ALL`].
    pub mapped: Vec<MappedBone>,
    /// Bones without a joint; they keep their angle to their parent.
    pub missing: Vec<Bone>,
    /// Joints that are no bone of ours.
    pub unused: Vec<String>,
    #[serde(skip)]
    joints: [Option<usize>; BONES],
}

/// Bones without which a figure cannot be moved.
const NEEDED: [Bone; 9] = [
    Bone::Pelvis,
    Bone::LeftUpperArm,
    Bone::LeftForearm,
    Bone::RightUpperArm,
    Bone::RightForearm,
    Bone::LeftThigh,
    Bone::LeftShin,
    Bone::RightThigh,
    Bone::RightShin,
];

/// Names of bones in the middle, the best first. Of a chain of spines the first bends at the waist, the last at the ribs.
const MIDDLE: [(Bone, &[&str]); 5] = [
    (Bone::Pelvis, &["hips", "pelvis", "hip", "root"]),
    (
        Bone::Chest,
        &[
            "upperchest",
            "chest4",
            "chest3",
            "chest2",
            "spine4",
            "spine3",
            "spine2",
            "spine03",
            "spine02",
            "thorax",
            "spine1",
            "chest",
            "torso",
        ],
    ),
    (
        Bone::Spine,
        &[
            "lowerback",
            "spine",
            "spine0",
            "spine01",
            "abdomen",
            "belly",
            "chest",
            "spine1",
            "waist",
        ],
    ),
    (Bone::Neck, &["neck", "neck1", "neck01", "lowerneck"]),
    (Bone::Head, &["head"]),
];

/// Names of bones with a side, the best first; the bone is the left one.
const SIDED: [(Bone, &[&str]); 7] = [
    (Bone::LeftUpperArm, &["upperarm", "uparm", "arm", "shldr", "shoulder", "humerus"]),
    (Bone::LeftForearm, &["forearm", "lowerarm", "lowarm", "elbow", "radius"]),
    (Bone::LeftHand, &["hand", "wrist"]),
    (Bone::LeftCollar, &["collar", "clavicle", "shoulder"]),
    (Bone::LeftThigh, &["upleg", "upperleg", "thigh", "hip", "femur"]),
    (Bone::LeftShin, &["lowerleg", "lowleg", "shin", "calf", "knee", "tibia", "leg"]),
    (Bone::LeftFoot, &["foot", "ankle"]),
];

/// A name without its prefix and side.
#[derive(Debug, PartialEq)]
struct Name {
    base: String,
    /// Left is 0.
    side: Option<usize>,
}

impl Name {
    fn new(name: &str) -> Self {
        let name = name.rsplit([':', '|']).next().unwrap_or(name);
        let mut words = words(name);
        let is_prefix =
            |w: &str| matches!(w, "mixamorig" | "bip" | "bip01" | "bip001" | "def" | "org");
        while words.len() > 1
            && (is_prefix(&words[0]) || words[0].bytes().all(|b| b.is_ascii_digit()))
        {
            words.remove(0);
        }
        let mut side = None;
        if let Some(k) = words.iter().position(|w| side_of(w).is_some()) {
            side = side_of(&words.remove(k));
        }
        let mut base = words.concat();
        for (k, word) in ["left", "right"].into_iter().enumerate() {
            if side.is_none() && base.len() > word.len() && base.starts_with(word) {
                base = base.split_off(word.len());
                side = Some(k);
            }
        }
        Self { base, side }
    }
}

fn side_of(word: &str) -> Option<usize> {
    match word {
        "left" | "l" => Some(0),
        "right" | "r" => Some(1),
        _ => None,
    }
}

/// Words in lower case: cut at what is no letter or digit, and before capitals.
fn words(name: &str) -> Vec<String> {
    let c: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, a) in c.iter().enumerate() {
        let starts = a.is_uppercase()
            && i > 0
            && (!c[i - 1].is_uppercase() || c.get(i + 1).is_some_and(|n| n.is_lowercase()));
        if !a.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if a.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(a.to_lowercase());
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

impl JointMap {
    /// Finds the joints of all bones.
    ///
    /// # Errors
    /// If a limb or the pelvis has none.
    pub fn new(bvh: &Bvh) -> Result<Self, Error> {
        let names: Vec<Name> = bvh.joints.iter().map(|j| Name::new(&j.name)).collect();
        let mut joints: [Option<usize>; BONES] = [None; BONES];
        let mut taken = vec![false; names.len()];
        let mut find = |bone: Bone, side: Option<usize>, known: &[&str]| {
            let place = |n: &str| {
                (0..names.len())
                    .find(|k| !taken[*k] && names[*k].side == side && names[*k].base == n)
            };
            let found = known.iter().find_map(|n| place(n));
            if let Some(k) = found {
                taken[k] = true;
                joints[bone as usize] = found;
            }
        };
        for (bone, known) in MIDDLE {
            find(bone, None, known);
        }
        for (bone, known) in SIDED {
            find(bone, Some(0), known);
            find(bone.mirrored(), Some(1), known);
        }
        // The root carries everything, whatever it is called.
        if joints[Bone::Pelvis as usize].is_none() && !taken[0] {
            joints[Bone::Pelvis as usize] = Some(0);
            taken[0] = true;
        }
        let missing: Vec<Bone> =
            Bone::ALL.into_iter().filter(|b| joints[*b as usize].is_none()).collect();
        if let Some(bone) = NEEDED.into_iter().find(|b| missing.contains(b)) {
            let some: Vec<&str> = bvh.joints.iter().take(12).map(|j| j.name.as_str()).collect();
            return Err(Error::Motion {
                name: bvh.name.clone(),
                what: format!(
                    "no joint was found for the bone {bone:?}; there are {} joints: {}, …",
                    names.len(),
                    some.join(", ")
                ),
                help: "rename the joints as Hips, Spine, Head, LeftArm, LeftForeArm, LeftUpLeg, LeftLeg, …",
            });
        }
        let mapped = Bone::ALL.into_iter().filter_map(|bone| {
            let joint = bvh.joints[joints[bone as usize]?].name.clone();
            Some(MappedBone { bone, joint })
        });
        let unused = bvh.joints.iter().zip(&taken).filter(|(_, t)| !**t);
        Ok(Self {
            mapped: mapped.collect(),
            missing,
            unused: unused.map(|(j, _)| j.name.clone()).collect(),
            joints,
        })
    }

    /// The joint of a bone.
    pub fn joint(&self, bone: Bone) -> Option<usize> {
        self.joints[bone as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_prefix_and_side() {
        for (name, base, side) in [
            ("LeftUpLeg", "upleg", Some(0)),
            ("mixamorig:RightForeArm", "forearm", Some(1)),
            ("mixamorig_LeftArm", "arm", Some(0)),
            ("Bip01 L Thigh", "thigh", Some(0)),
            ("thigh_r", "thigh", Some(1)),
            ("upper_arm.L", "upperarm", Some(0)),
            ("LHipJoint", "hipjoint", Some(0)),
            ("lShldr", "shldr", Some(0)),
            ("leftknee", "knee", Some(0)),
            ("Spine1", "spine1", None),
            ("LowerBack", "lowerback", None),
            ("Character1:Hips", "hips", None),
        ] {
            assert_eq!(Name::new(name), Name { base: base.into(), side }, "{name}");
        }
    }
}
