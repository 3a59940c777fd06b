//! The cages of arms and legs.

use crate::build::{Builder, COLUMNS, Half, SIDE};
use crate::hand::HandFrame;
use crate::proportions::{ELBOW, KNEE_ABOVE_NARROW, Proportions};
use crate::section::Section;
use crate::skeleton::Bone;
use crate::torso::{ROWS, Torso};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Vertices around an arm and around a leg.
const ARM: usize = 2 * ROWS + 4;
const LEG: usize = COLUMNS / 2 + 4;

/// Half the gap between the thighs at the crotch, for the middle height [m].
const GAP: f64 = 0.007;

/// A ring of an arm: place, girth, depth over width, offsets upwards and forwards, bones.
type ArmRow<'a> = (f64, f64, f64, f64, f64, &'a [(Bone, f64)]);

impl Proportions {
    /// Half the width of the thigh: what the hips leave for it.
    fn thigh_half(&self) -> f64 {
        let round = self.m.thigh_girth / TAU;
        let hips = 0.180 * self.m.hip_girth - GAP * self.k;
        (0.5 * hips).clamp(0.80 * round, 1.02 * round)
    }

    /// Where the axis of the thigh is beside the middle.
    pub(crate) fn thigh_x(&self) -> f64 {
        self.thigh_half() + GAP * self.k
    }

    pub(crate) fn knee_centre(&self) -> DVec3 {
        let least = self.m.knee_girth / TAU + 0.010 * self.k;
        DVec3::new((0.91 * self.thigh_x()).max(least), self.knee, 0.006 * self.k)
    }

    pub(crate) fn ankle_centre(&self) -> DVec3 {
        DVec3::new((0.84 * self.thigh_x()).max(0.068 * self.k), self.ankle, -0.024 * self.k)
    }
}

impl Builder {
    pub(crate) fn arm(&mut self, torso: &Torso, half: Half) {
        let p = self.p;
        let (m, along) = (&p.m, p.along_arm);
        // Front and outwards-up span the sections; the hole begins at its lowest front vertex.
        let (front, up) = (DVec3::Z, DVec3::new(-along.y, along.x, 0.0));
        let angles: Vec<f64> = (0..ARM)
            .map(|i| 0.5 * PI + TAU * (i as f64 - (ROWS + 1) as f64) / ARM as f64)
            .collect();
        let (upper, elbow, wrist) = (m.upper_arm_girth, m.elbow_girth, m.wrist_girth);
        use Bone::{LeftCollar, LeftForearm, LeftHand, LeftUpperArm};
        let rows: [ArmRow<'_>; 9] = [
            (
                0.075,
                1.235 * upper,
                1.05,
                0.006,
                -0.010,
                &[(LeftUpperArm, 0.72), (LeftCollar, 0.28)],
            ),
            (0.165, 1.13 * upper, 1.04, 0.004, -0.006, &[(LeftUpperArm, 0.95), (LeftCollar, 0.05)]),
            (0.275, 1.03 * upper, 1.06, 0.001, -0.001, &[(LeftUpperArm, 1.0)]),
            (
                0.390,
                0.55 * upper + 0.45 * elbow,
                1.03,
                0.0,
                0.0,
                &[(LeftUpperArm, 0.93), (LeftForearm, 0.07)],
            ),
            (ELBOW, elbow, 0.98, 0.0, -0.002, &[(LeftUpperArm, 0.5), (LeftForearm, 0.5)]),
            (0.615, 0.985 * elbow, 1.04, 0.0, 0.0, &[(LeftForearm, 0.95), (LeftUpperArm, 0.05)]),
            (0.750, 0.55 * elbow + 0.45 * wrist, 1.08, 0.0, 0.001, &[(LeftForearm, 1.0)]),
            (
                0.885,
                0.15 * elbow + 0.85 * wrist,
                1.18,
                0.0,
                0.002,
                &[(LeftForearm, 0.97), (LeftHand, 0.03)],
            ),
            (1.0, 0.99 * wrist, 1.28, 0.0, 0.003, &[(LeftForearm, 0.5), (LeftHand, 0.5)]),
        ];
        let section = |centre: DVec3, depth: f64, girth: f64| {
            let s =
                Section { side: up, forward: front, ..Section::level(centre, 1.0, depth, depth) };
            s.with_girth(girth)
        };
        let mut tube = self.tube(half.flips());
        let mut previous = torso.holes[half as usize].clone();
        for (s, girth, depth, lift, ahead, bones) in rows {
            let centre = p.on_arm(s) + (up * lift + front * ahead) * p.k;
            let points = Self::around(&section(centre, depth, girth), &angles);
            let ring = self.ring(&points, half, bones);
            self.join(&mut tube, &previous, &ring);
            previous = ring;
        }
        let frame = HandFrame {
            origin: p.on_arm(1.0) + front * (0.003 * p.k),
            along,
            front,
            up,
            length: 0.106 * m.height,
            // Stout wrists have stout hands.
            stout: (m.wrist_girth / (0.0952 * m.height)).clamp(0.9, 1.35),
        };
        self.hand(&mut tube, previous, half, frame);
    }

    pub(crate) fn legs(&mut self, torso: &Torso) {
        let p = self.p;
        let k = p.k;
        // From the back to the front along the crotch; shared by both legs.
        let pelvis = crate::build::weights(&[(Bone::Pelvis, 1.0)]);
        let crotch: Vec<u32> = [(0.006, -0.052), (-0.002, -0.006), (0.006, 0.042)]
            .into_iter()
            .map(|(y, z)| self.vertex(DVec3::new(0.0, p.crotch + y * k, z * k), &pelvis))
            .collect();
        for half in Half::BOTH {
            let mut ring: Vec<u32> =
                (0..=COLUMNS / 2).map(|c| torso.bottom[half.column(c)]).collect();
            ring.extend(&crotch);
            self.leg(ring, half);
        }
    }

    fn leg(&mut self, top: Vec<u32>, half: Half) {
        let p = self.p;
        let (k, m) = (p.k, &p.m);
        let angles: Vec<f64> =
            (0..LEG).map(|i| 0.5 * PI + TAU * (i as f64 - SIDE as f64) / LEG as f64).collect();
        let (knee, ankle) = (p.knee_centre(), p.ankle_centre());
        let thigh_x = p.thigh_x();
        use Bone::{LeftFoot, LeftShin, LeftThigh, Pelvis};
        let round = |x: f64, y: f64, z: f64, front: f64, back: f64, girth: f64| {
            Section::level(DVec3::new(x, y, z), 1.0, front, back).with_girth(girth)
        };
        let narrow = 0.93 * m.calf_girth.min(m.knee_girth);
        let down = |t: f64| p.crotch + t * (p.knee - p.crotch);
        let across = |t: f64| thigh_x + t * (knee.x - thigh_x);
        let shin = |y: f64| knee.lerp(ankle, (p.knee - y) / (p.knee - p.ankle));
        let thigh = |t: f64, girth: f64, wide: f64, z: f64| {
            let s = Section::level(DVec3::new(across(t), down(t), z * k), 1.0, 1.0, 1.0);
            s.with_half_and_girth(wide, girth)
        };
        let half_width = p.thigh_half();
        let mid = 0.46 * m.thigh_girth + 0.54 * m.knee_girth;
        let under = p.knee - KNEE_ABOVE_NARROW * m.height;
        let calf = shin(p.calf);
        let low = 0.5 * (p.calf + p.ankle);
        let at_narrow = shin(under);
        let at_low = shin(low);
        let rows: Vec<(Section, Vec<(Bone, f64)>)> = vec![
            (
                thigh(0.075, 1.0 * m.thigh_girth, half_width, -0.011),
                vec![(LeftThigh, 0.75), (Pelvis, 0.25)],
            ),
            (
                thigh(0.25, 0.965 * m.thigh_girth, 0.985 * half_width, -0.006),
                vec![(LeftThigh, 1.0)],
            ),
            (
                thigh(
                    0.48,
                    0.5 * (m.thigh_girth + mid),
                    0.92 * (m.thigh_girth + mid) / (2.0 * TAU),
                    0.001,
                ),
                vec![(LeftThigh, 1.0)],
            ),
            (thigh(0.72, mid, 0.95 * mid / TAU, 0.005), vec![(LeftThigh, 1.0)]),
            (
                round(
                    across(0.89),
                    down(0.89),
                    0.008 * k,
                    1.0,
                    1.0,
                    0.25 * mid + 0.75 * m.knee_girth,
                ),
                vec![(LeftThigh, 0.85), (LeftShin, 0.15)],
            ),
            (
                round(knee.x, knee.y, 0.006 * k, 1.06, 1.0, m.knee_girth),
                vec![(LeftThigh, 0.5), (LeftShin, 0.5)],
            ),
            (
                round(at_narrow.x, under, at_narrow.z + 0.002 * k, 1.0, 1.02, narrow),
                vec![(LeftThigh, 0.12), (LeftShin, 0.88)],
            ),
            (
                round(
                    calf.x + 0.002 * k,
                    p.calf,
                    calf.z - 0.002 * k,
                    0.92,
                    1.16,
                    1.01 * m.calf_girth,
                ),
                vec![(LeftShin, 1.0)],
            ),
            (
                round(
                    at_low.x,
                    low,
                    at_low.z + 0.002 * k,
                    1.0,
                    1.12,
                    0.45 * m.calf_girth + 0.55 * m.ankle_girth,
                ),
                vec![(LeftShin, 1.0)],
            ),
            (
                round(ankle.x, ankle.y + 0.022 * k, ankle.z + 0.002 * k, 1.1, 1.1, m.ankle_girth),
                vec![(LeftShin, 0.9), (LeftFoot, 0.1)],
            ),
        ];
        let mut tube = self.tube(half.flips());
        let mut previous = top;
        for (section, bones) in rows {
            let ring = self.ring(&Self::around(&section, &angles), half, &bones);
            self.join(&mut tube, &previous, &ring);
            previous = ring;
        }
        self.foot(&mut tube, previous, half, &angles);
    }
}
