//! The cage of neck and head: a neck that leans forward under an egg with chin and occiput.
//!
//! Every ring runs through a point of the profile in front and one behind, for a head of 56 cm around; the jaw narrows to the
//! front. The face itself is relief.

use crate::build::{Builder, COLUMNS, weights};
use crate::proportions::Proportions;
use crate::section::Section;
use crate::skeleton::Bone;
use crate::torso::Torso;
use glam::DVec3;
use std::f64::consts::TAU;

/// How much closer columns are at the face than at the back of the head.
const FACE: f64 = 0.16;

/// A ring: how far below the crown and before the ears its front and its back are, half its width [m], how much the front
/// narrows, and the share of the head in its weights.
struct Row {
    front: [f64; 2],
    back: [f64; 2],
    half: f64,
    narrow: f64,
    head: f64,
}

const fn row(front: [f64; 2], back: [f64; 2], half: f64, narrow: f64, head: f64) -> Row {
    Row { front, back, half, narrow, head }
}

/// From under the jaw to the crown.
const ROWS: [Row; 10] = [
    row([0.2150, 0.064], [0.1620, -0.066], 0.0555, 0.20, 0.85),
    row([0.2080, 0.088], [0.1430, -0.078], 0.0600, 0.30, 0.95),
    row([0.1830, 0.0935], [0.1210, -0.090], 0.0655, 0.21, 1.0),
    row([0.1510, 0.0935], [0.1010, -0.098], 0.0705, 0.09, 1.0),
    row([0.1180, 0.0920], [0.0850, -0.102], 0.0760, 0.03, 1.0),
    row([0.0880, 0.0960], [0.0690, -0.102], 0.0780, 0.0, 1.0),
    row([0.0560, 0.0910], [0.0490, -0.097], 0.0760, 0.0, 1.0),
    row([0.0270, 0.0740], [0.0270, -0.083], 0.0650, 0.0, 1.0),
    row([0.0080, 0.0460], [0.0090, -0.057], 0.0440, 0.0, 1.0),
    row([0.0000, 0.0170], [0.0010, -0.028], 0.0210, 0.0, 1.0),
];

/// Where a head is and how large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadPlace {
    /// Height of the crown [m].
    top: f64,
    /// Scale of widths and depths, and of heights; 1 for a head of 56 cm around.
    pub(crate) scale: f64,
    tall: f64,
    /// How far before the middle the ears are [m].
    ahead: f64,
}

impl HeadPlace {
    pub(crate) fn of(p: &Proportions) -> Self {
        // Scaled by its girth, which children have more of. Short necks leave less room below the crown.
        let scale = p.m.head_girth / 0.56;
        let room = p.m.height - p.side_neck.y - 0.026 * p.k;
        let squash = (room / (0.214 * scale)).clamp(0.6, 1.0);
        Self { top: p.m.height, scale, tall: scale * squash, ahead: -0.010 * p.k }
    }

    /// A point beside the middle, below the crown and before the ears, of a head of 56 cm around [m].
    pub(crate) fn point(&self, x: f64, below: f64, ahead: f64) -> DVec3 {
        DVec3::new(x * self.scale, self.top - below * self.tall, self.ahead + ahead * self.scale)
    }
}

impl Builder {
    pub(crate) fn head(&mut self, torso: &mut Torso) {
        let p = self.p;
        let place = HeadPlace::of(&p);
        let mut rings = self.neck(&place);
        let neck = p.m.neck_girth / TAU;
        for r in &ROWS {
            let front = place.point(0.0, r.front[0], r.front[1]);
            let back = place.point(0.0, r.back[0], r.back[1]);
            // The jaw is not narrower than the neck below it.
            let half =
                (r.half * place.scale).max(0.93 * neck - 0.5 * (0.2150 - r.front[0]).max(0.0));
            let section = Section::between(front, back, 0.50, half);
            let w = weights(&[(Bone::Neck, 1.0 - r.head), (Bone::Head, r.head)]);
            rings.push((ring(&section, r.narrow, FACE), w));
        }
        let mut previous = torso.top.clone();
        for (points, w) in rings {
            let next: Vec<u32> = points.into_iter().map(|q| self.vertex(q, &w)).collect();
            self.join(&mut torso.tube, &previous, &next);
            previous = next;
        }
        self.cap(&previous, false);
    }

    /// Two rings between the base of the neck and the jaw.
    fn neck(&self, place: &HeadPlace) -> Vec<(Vec<DVec3>, crate::build::Weights)> {
        let p = &self.p;
        let radius = p.m.neck_girth / TAU;
        let base = DVec3::new(0.0, p.side_neck.y - 0.012 * p.k, -0.024 * p.k);
        // Behind, neck and head are flush.
        let mut jaw = place.point(0.0, 0.190, -0.070);
        jaw.z += 1.03 * radius;
        let column = |t: f64, girth: f64, head: f64, face: f64| {
            let r = radius * girth;
            let centre = base.lerp(jaw, t);
            // It is wider where it comes out of the shoulders.
            let flare = 0.8 * (1.0 - t) * (0.96 * p.side_neck.x - r).max(0.0);
            let half = (0.98 - 0.08 * t) * r + flare;
            let section = Section::level(centre, half, 1.07 * r, 1.07 * r).tilted(0.44);
            let w = weights(&[(Bone::Neck, 1.0 - head), (Bone::Head, head)]);
            (ring(&section, 0.0, face), w)
        };
        vec![column(0.40, 1.01, 0.1, 0.3 * FACE), column(0.86, 1.0, 0.5, 0.7 * FACE)]
    }
}

/// Points of a ring, its front narrowed and its columns drawn to the front.
fn ring(section: &Section, narrow: f64, face: f64) -> Vec<DVec3> {
    let point = |j: usize| {
        let t = TAU * j as f64 / COLUMNS as f64;
        let t = t - face * libm::sin(t);
        let mut q = section.point(t);
        let ahead = libm::cos(t).max(0.0);
        q.x *= 1.0 - narrow * ahead * (2.0 - ahead);
        q
    };
    (0..COLUMNS).map(point).collect()
}
