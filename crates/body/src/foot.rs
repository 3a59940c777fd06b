//! The cage of a bare foot: the tube of the leg turns forward, its front becoming the instep and its back heel and sole.

use crate::build::{Builder, Half, Tube};
use crate::section::Section;
use crate::skeleton::Bone;
use glam::DVec3;

/// Length of a foot as a share of the height.
pub(crate) const LENGTH: f64 = 0.150;

/// A ring: how far before the axis of the ankle and above the ground its front and its back are, half its width, and how far
/// its middle is inside that axis; shares of the length.
struct Row {
    front: [f64; 2],
    back: [f64; 2],
    half: f64,
    inside: f64,
}

const fn row(front: [f64; 2], back: [f64; 2], half: f64, inside: f64) -> Row {
    Row { front, back, half, inside }
}

const ROWS: [Row; 8] = [
    row([0.165, 0.345], [-0.175, 0.290], 0.140, 0.0),
    row([0.225, 0.310], [-0.240, 0.150], 0.135, 0.0),
    row([0.305, 0.285], [-0.220, 0.015], 0.138, 0.0),
    row([0.410, 0.255], [-0.080, -0.020], 0.148, 0.0),
    row([0.530, 0.212], [0.180, -0.010], 0.160, 0.0),
    row([0.650, 0.168], [0.480, -0.020], 0.188, 0.0),
    row([0.760, 0.130], [0.690, -0.020], 0.192, 0.02),
    row([0.875, 0.092], [0.850, -0.005], 0.140, 0.040),
];

impl Builder {
    pub(crate) fn foot(&mut self, tube: &mut Tube, ankle: Vec<u32>, half: Half, angles: &[f64]) {
        let p = self.p;
        let c = p.ankle_centre();
        let length = LENGTH * p.m.height;
        // Feet point a little outwards.
        let out = libm::tan(0.13);
        let mut previous = ankle;
        for (i, r) in ROWS.iter().enumerate() {
            let at = |[z, y]: [f64; 2]| {
                let x = c.x + (out * (z - 0.1).max(0.0) - r.inside) * length;
                DVec3::new(x, y * length, c.z + z * length)
            };
            let section =
                Section::between(at(r.front), at(r.back), 0.5, r.half * length).boxier(2.25);
            let mut points = Self::around(&section, angles);
            // Outer toes are shorter.
            let toes = (i as f64 - 4.0).max(0.0) / 3.0;
            for q in &mut points {
                q.z -= 0.34 * toes * (q.x - at(r.front).x + 0.03 * length).max(0.0);
                q.y = q.y.max(0.0);
            }
            let share = [0.55, 0.95, 1.0][i.min(2)];
            let bones = [(Bone::LeftFoot, share), (Bone::LeftShin, 1.0 - share)];
            let ring = self.ring(&points, half, &bones);
            self.join(tube, &previous, &ring);
            previous = ring;
        }
        self.cap(&previous, half.flips());
    }
}
