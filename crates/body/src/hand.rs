//! The cage of a hand: a palm of ten columns that ends in four fingers, and a thumb from its edge.
//!
//! The five vertices of the back of the palm and the five of its inside are the corners of the fingers, so that neighbours
//! share the edge of the web between them. All fingers hang in a relaxed curl.

use crate::build::{Builder, Half, Tube, Weights, weights};
use crate::skeleton::Bone;
use glam::DVec3;

/// Directions of a left hand: to the finger tips, to the thumb's side, to its back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandFrame {
    pub(crate) origin: DVec3,
    pub(crate) along: DVec3,
    pub(crate) front: DVec3,
    pub(crate) up: DVec3,
    /// From the wrist to the tip of the middle finger, stretched [m].
    pub(crate) length: f64,
    /// Of a stout hand, more than 1.
    pub(crate) stout: f64,
}

impl HandFrame {
    /// A point by shares of the length.
    fn at(&self, along: f64, front: f64, up: f64) -> DVec3 {
        let across = self.stout * (front * self.front + up * self.up);
        self.origin + self.length * (along * self.along + across)
    }
}

/// Columns of the ring of the wrist that become the back of the palm, from the index to the little finger, and the inside.
const BACK: [usize; 5] = [2, 3, 4, 5, 6];
const INSIDE: [usize; 5] = [1, 0, 9, 8, 7];

/// Rings of the palm: place along the hand, where the edges of index and little finger are, half thickness, lift of the middle,
/// fullness of the ball of the thumb.
const PALM: [(f64, f64, f64, f64, f64, f64); 3] = [
    (0.11, 0.180, -0.170, 0.112, 0.010, 0.020),
    (0.27, 0.224, -0.208, 0.098, 0.018, 0.040),
    (0.50, 0.236, -0.226, 0.078, 0.022, 0.0),
];

/// Fingers from the index: length, half width, where its knuckle is along the hand, how it points to the thumb's side, how much
/// more than the index it is bent.
const FINGERS: [(f64, f64, f64, f64, f64); 4] = [
    (0.415, 0.0545, 0.500, 0.085, 0.00),
    (0.455, 0.0560, 0.520, 0.018, 0.05),
    (0.420, 0.0535, 0.500, -0.050, 0.10),
    (0.335, 0.0470, 0.465, -0.125, 0.14),
];

/// Rings of a finger: share of its length, bend there [rad], width and thickness.
const JOINTS: [(f64, f64, f64, f64); 5] = [
    (0.17, 0.26, 1.02, 1.10),
    (0.48, 0.48, 0.98, 1.04),
    (0.72, 0.78, 0.92, 0.92),
    (0.91, 0.95, 0.84, 0.76),
    (1.0, 1.0, 0.56, 0.42),
];

impl Builder {
    pub(crate) fn hand(&mut self, tube: &mut Tube, wrist: Vec<u32>, half: Half, frame: HandFrame) {
        let w = weights(&[(half.bone(Bone::LeftHand), 1.0)]);
        let mut rings = vec![wrist];
        for row in PALM {
            let ring = palm(&frame, row).map(|q| self.vertex(half.point(q), &w)).to_vec();
            rings.push(ring);
        }
        for (i, pair) in rings.windows(2).enumerate() {
            // The thumb grows out of the edge between the first two rings.
            let points =
                [&pair[0], &pair[1]].map(|r| r.iter().map(|v| self.position(*v)).collect());
            self.join_where(tube, &pair[0], &pair[1], points, |j| !(i == 1 && j == 1));
        }
        self.thumb([rings[1][1], rings[1][2], rings[2][2], rings[2][1]], half, &frame, &w);
        let last = &rings[PALM.len()];
        for (i, finger) in FINGERS.into_iter().enumerate() {
            let base = [INSIDE[i], BACK[i], BACK[i + 1], INSIDE[i + 1]].map(|c| last[c]);
            self.finger(base, half, &frame, &w, finger);
        }
    }

    fn finger(
        &mut self,
        base: [u32; 4],
        half: Half,
        frame: &HandFrame,
        w: &Weights,
        (length, wide, knuckle, spread, more): (f64, f64, f64, f64, f64),
    ) {
        // The base in the frame of the left hand.
        let corners = base.map(|v| half.point(self.position(v)));
        let centre = corners.iter().sum::<DVec3>() / 4.0;
        let start = centre + frame.along * (frame.length * (knuckle - 0.50));
        let side = frame.front;
        let mut tube = self.tube(half.flips());
        let mut previous = base.to_vec();
        let (mut at, mut done) = (start, 0.0);
        for (share, bend, width, thick) in JOINTS {
            let bend = bend * (1.0 + more) + 0.6 * more;
            let (s, c) = (libm::sin(bend), libm::cos(bend));
            let ahead = frame.along * c - frame.up * s + side * (spread * c);
            let back = frame.up * c + frame.along * s;
            at += ahead * ((share - done) * length * frame.length);
            done = share;
            let [a, b] = [wide * width, wide * thick].map(|v| v * frame.length * frame.stout);
            let across = (side - ahead * side.dot(ahead)).normalize_or(side);
            let points = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)]
                .map(|(f, u)| at + across * (f * a) + back * (u * b));
            let ring = points.map(|q| self.vertex(half.point(q), w)).to_vec();
            self.join(&mut tube, &previous, &ring);
            previous = ring;
        }
        self.cap(&previous, half.flips());
    }

    /// From a face of the palm's edge, its corners counted along the edge and round.
    fn thumb(&mut self, base: [u32; 4], half: Half, frame: &HandFrame, w: &Weights) {
        // Place along the hand, to the front and up; half width and half thickness.
        const RINGS: [(f64, f64, f64, f64, f64); 4] = [
            (0.285, 0.300, -0.060, 0.072, 0.070),
            (0.410, 0.355, -0.110, 0.058, 0.058),
            (0.530, 0.380, -0.150, 0.056, 0.050),
            (0.590, 0.385, -0.170, 0.034, 0.026),
        ];
        let mut tube = self.tube(half.flips());
        let mut previous = base.to_vec();
        let mut last = frame.at(0.19, 0.19, -0.02);
        for (along, front, up, wide, thick) in RINGS {
            let at = frame.at(along, front, up);
            let ahead = (at - last).normalize_or(frame.along);
            last = at;
            // Its nail looks up and to the front.
            let nail = frame.up * 0.75 + frame.front * 0.55;
            let nail = (nail - ahead * nail.dot(ahead)).normalize_or(frame.up);
            let side = nail.cross(ahead).normalize_or(frame.front);
            let side = if side.dot(frame.along) < 0.0 { -side } else { side };
            let [a, b] = [wide, thick].map(|v| v * frame.length * frame.stout);
            // In the order of the base: inside near the wrist, back near the wrist, back and inside near the fingers.
            let points = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)]
                .map(|(s, n)| at + side * (s * a) + nail * (n * b));
            let ring = points.map(|q| self.vertex(half.point(q), w)).to_vec();
            self.join(&mut tube, &previous, &ring);
            previous = ring;
        }
        self.cap(&previous, half.flips());
    }
}

/// A ring of the palm: two rows of five, the outer ones thinner.
fn palm(
    frame: &HandFrame,
    (along, index, little, thick, lift, ball): (f64, f64, f64, f64, f64, f64),
) -> [DVec3; 10] {
    let mut ring = [DVec3::ZERO; 10];
    for i in 0..5 {
        let t = i as f64 / 4.0;
        let front = index + t * (little - index);
        let arch = 1.0 - (2.0 * t - 1.0).powi(2);
        let edge = 0.66 + 0.34 * arch;
        // Knuckles lie on a curve.
        let place = along + 0.030 * along * (arch - 0.6) - 0.05 * along * t * t;
        ring[BACK[i]] = frame.at(place, front, lift * arch + thick * edge);
        let full = ball * (1.0 - t).powi(2);
        ring[INSIDE[i]] = frame.at(place, front, lift * arch - thick * edge - full);
    }
    ring
}
