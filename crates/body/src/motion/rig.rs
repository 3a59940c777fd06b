//! The rig: bones, weights, and the skin that follows them.

use super::rotation::slerp;
use crate::mannequin::{Body, INFLUENCES};
use crate::skeleton::{BONES, Bone, Skeleton};
use glam::{DQuat, DVec3};
use toile_mesh::TriMesh;

/// How the skin follows the bones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Skinning {
    /// x' = Σ wᵢ (Rᵢ x + tᵢ): every common viewer does this; bent joints lose volume.
    Linear,
    /// The normalised sum of dual quaternions: a rigid motion for each vertex.
    #[default]
    DualQuaternion,
}

/// How the bones stand at a moment, against the rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posture {
    /// How far the pelvis is from where it is at rest [m].
    pub root: DVec3,
    /// The turn of each bone about its joint, in the axes of the rest pose, before its parent turns; in the order of [`Bone::ALL`].
    pub turns: [DQuat; BONES],
}

impl Posture {
    /// The rest pose.
    pub const REST: Self = Self { root: DVec3::ZERO, turns: [DQuat::IDENTITY; BONES] };

    /// Part of the way to another posture, from 0 to 1.
    pub fn blended(&self, to: &Self, s: f64) -> Self {
        Self {
            root: self.root + s * (to.root - self.root),
            turns: std::array::from_fn(|b| slerp(self.turns[b], to.turns[b], s)),
        }
    }
}

/// A body that can move.
#[derive(Clone, Debug)]
pub struct Rig {
    /// The skin at rest.
    pub mesh: TriMesh,
    /// The bones at rest.
    pub skeleton: Skeleton,
    /// The bones of each vertex and their shares.
    pub weights: Vec<[(Bone, f64); INFLUENCES]>,
    /// Vertices that a foot moves.
    feet: Vec<u32>,
    /// Least angle from the vertical at which arms hang clear of the trunk [rad].
    hanging: f64,
}

/// A rigid motion x ↦ R x + t as two quaternions.
#[derive(Clone, Copy)]
struct DualQuaternion {
    /// Vector and scalar part of the rotation.
    real: (DVec3, f64),
    /// Those of half the translation times the rotation.
    dual: (DVec3, f64),
}

impl DualQuaternion {
    const ZERO: Self = Self { real: (DVec3::ZERO, 0.0), dual: (DVec3::ZERO, 0.0) };

    fn new(r: DQuat, t: DVec3) -> Self {
        let (v, w) = (DVec3::new(r.x, r.y, r.z), r.w);
        Self { real: (v, w), dual: (0.5 * (w * t + t.cross(v)), -0.5 * t.dot(v)) }
    }

    /// Adds a share of another, on the same half of the sphere.
    fn add(&mut self, share: f64, other: &Self) {
        let dot = self.real.0.dot(other.real.0) + self.real.1 * other.real.1;
        let share = if dot < 0.0 { -share } else { share };
        self.real.0 += share * other.real.0;
        self.real.1 += share * other.real.1;
        self.dual.0 += share * other.dual.0;
        self.dual.1 += share * other.dual.1;
    }

    /// How far it moves a point.
    fn displacement(&self, p: DVec3) -> DVec3 {
        let length = (self.real.0.length_squared() + self.real.1 * self.real.1).sqrt();
        let (v, w) = (self.real.0 / length, self.real.1 / length);
        let (dv, dw) = (self.dual.0 / length, self.dual.1 / length);
        2.0 * (v.cross(v.cross(p) + w * p) + w * dv - dw * v + v.cross(dv))
    }
}

impl Rig {
    /// The rig of a mannequin; its pose is the rest pose.
    pub fn new(body: &Body) -> Self {
        let (mesh, weights) = (body.mesh.clone(), body.weights.clone());
        let is_foot = |b: Bone| matches!(b, Bone::LeftFoot | Bone::RightFoot);
        let feet = (0..weights.len())
            .filter(|i| weights[*i].iter().any(|(b, w)| is_foot(*b) && *w > 0.0))
            .map(|i| i as u32)
            .collect();
        let mut rig = Self { mesh, skeleton: body.skeleton.clone(), weights, feet, hanging: 0.0 };
        rig.hanging = rig.clear_angle();
        rig
    }

    /// Least angle from the vertical at which arms hang clear of the trunk [rad].
    pub fn hanging(&self) -> f64 {
        self.hanging
    }

    /// Length of a leg from hip joint to ankle [m].
    pub fn leg_length(&self) -> f64 {
        let [hip, knee, ankle] =
            [Bone::LeftThigh, Bone::LeftShin, Bone::LeftFoot].map(|b| self.skeleton.bone(b).joint);
        hip.distance(knee) + knee.distance(ankle)
    }

    /// The rigid motion x ↦ R x + t of every bone.
    pub fn motions(&self, posture: &Posture) -> Vec<(DQuat, DVec3)> {
        let mut motions = self.skeleton.motions(&posture.turns);
        for (_, t) in &mut motions {
            *t += posture.root;
        }
        motions
    }

    /// The bones in a posture.
    pub fn bones(&self, posture: &Posture) -> Skeleton {
        self.skeleton.moved(&self.motions(posture))
    }

    /// The skin in a posture: the rest posture gives the rest mesh bit for bit.
    pub fn skin(&self, posture: &Posture, skinning: Skinning) -> Vec<DVec3> {
        let motions = self.motions(posture);
        let all = 0..self.mesh.positions.len() as u32;
        self.moved(all, &motions, skinning)
    }

    fn moved(
        &self,
        vertices: impl Iterator<Item = u32>,
        motions: &[(DQuat, DVec3)],
        skinning: Skinning,
    ) -> Vec<DVec3> {
        let duals: Vec<_> = motions.iter().map(|(r, t)| DualQuaternion::new(*r, *t)).collect();
        let displacement = |p: DVec3, weights: &[(Bone, f64); INFLUENCES]| match skinning {
            Skinning::Linear => weights
                .iter()
                .map(|(b, w)| {
                    let (r, t) = motions[*b as usize];
                    *w * (r * p + t - p)
                })
                .sum(),
            Skinning::DualQuaternion => {
                let mut sum = DualQuaternion::ZERO;
                weights.iter().for_each(|(b, w)| sum.add(*w, &duals[*b as usize]));
                sum.displacement(p)
            }
        };
        let place = |i: u32| {
            let p = self.mesh.positions[i as usize];
            let d: DVec3 = displacement(p, &self.weights[i as usize]);
            // Not p + 0, which would turn −0 into 0.
            if d == DVec3::ZERO { p } else { p + d }
        };
        vertices.map(place).collect()
    }

    /// Height of the lowest point of the feet in a posture [m].
    pub fn lowest(&self, posture: &Posture, skinning: Skinning) -> f64 {
        let feet = self.moved(self.feet.iter().copied(), &self.motions(posture), skinning);
        feet.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
    }

    /// The posture raised or lowered until the lowest point of the feet is on the ground.
    pub fn grounded(&self, mut posture: Posture, skinning: Skinning) -> Posture {
        posture.root.y -= self.lowest(&posture, skinning);
        posture
    }

    /// Angle of the left arm from the vertical at rest, in the frontal plane [rad].
    pub(super) fn rest_raise(&self) -> f64 {
        let arm = self.skeleton.bone(Bone::LeftUpperArm);
        let d = arm.end - arm.joint;
        libm::atan2(d.x, -d.y)
    }

    /// See [`Rig::hanging`]: arm and trunk are compared level by level.
    fn clear_angle(&self) -> f64 {
        const GAP: f64 = 0.018;
        const LEVEL: f64 = 0.03;
        let shoulder = self.skeleton.bone(Bone::LeftUpperArm).joint;
        let rest = self.rest_raise();
        let level = |y: f64| (y / LEVEL).clamp(0.0, 99.0) as usize;
        let mut trunk = [f64::NEG_INFINITY; 100];
        let mut arm = Vec::new();
        for (p, weights) in self.mesh.positions.iter().zip(&self.weights) {
            match weights[0].0 {
                Bone::LeftUpperArm | Bone::LeftForearm | Bone::LeftHand => arm.push(*p - shoulder),
                Bone::LeftCollar | Bone::RightCollar => {}
                _ => trunk[level(p.y)] = trunk[level(p.y)].max(p.x),
            }
        }
        let length = arm.iter().map(|d| d.length()).fold(0.0, f64::max);
        let clear = |angle: f64| {
            let (s, c) = (libm::sin(angle - rest), libm::cos(angle - rest));
            // The armpit always touches.
            arm.iter().filter(|d| d.length() > 0.3 * length).all(|d| {
                let x = shoulder.x + c * d.x - s * d.y;
                x > trunk[level(shoulder.y + s * d.x + c * d.y)] + GAP
            })
        };
        let degrees = (8..=40).find(|d| clear(f64::from(*d).to_radians())).unwrap_or(40);
        f64::from(degrees).to_radians()
    }
}
