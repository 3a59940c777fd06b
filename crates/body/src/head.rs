//! The cage of neck and head: an egg, chin forward and down.

use crate::build::{Builder, COLUMNS, weights};
use crate::section::Section;
use crate::skeleton::Bone;
use crate::torso::Torso;
use glam::DVec3;
use std::f64::consts::TAU;

impl Builder {
    pub(crate) fn head(&mut self, torso: &Torso) {
        let p = self.p;
        let k = p.k;
        let top = p.m.height;
        let neck = p.m.neck_girth / TAU;
        // Of the head: scaled by its girth, which children have more of.
        let g = p.m.head_girth / 0.56;
        // Short necks leave less room below the crown.
        let low = p.side_neck.y + 0.010 * k;
        let squash = ((top - low - 0.016 * k) / (0.214 * g)).clamp(0.6, 1.0);
        let chin = top - 0.214 * g * squash;
        let level = |below: f64, z: f64, half: f64, front: f64, back: f64| {
            let centre = DVec3::new(0.0, top - below * g * squash, z * k);
            Section::level(centre, half * g, front * g, back * g)
        };
        let column = |t: f64, z: f64, scale: f64, tilt: f64| {
            let centre = DVec3::new(0.0, low + t * (chin - low) + 0.012 * k, z * k);
            Section::level(centre, 0.96 * neck * scale, 1.04 * neck * scale, 1.02 * neck * scale)
                .tilted(tilt)
        };
        let rings = [
            (column(0.32, -0.014, 1.012, 0.42), 0.1),
            (column(0.92, -0.004, 1.008, 0.40), 0.5),
            (level(0.190, 0.006, 0.0575, 0.076, 0.071).tilted(0.42), 0.9),
            (level(0.163, 0.014, 0.0655, 0.088, 0.086).tilted(0.26), 1.0),
            (level(0.124, 0.012, 0.0745, 0.093, 0.094).tilted(0.14), 1.0),
            (level(0.083, 0.008, 0.0790, 0.093, 0.101).tilted(0.04), 1.0),
            (level(0.045, 0.003, 0.0715, 0.083, 0.091).tilted(-0.04), 1.0),
            (level(0.016, -0.003, 0.0500, 0.058, 0.062).tilted(-0.08), 1.0),
            (level(0.003, -0.006, 0.0240, 0.027, 0.029).tilted(-0.08), 1.0),
        ];
        let mut previous = torso.top.clone();
        for (section, head) in rings {
            let w = weights(&[(Bone::Neck, 1.0 - head), (Bone::Head, head)]);
            let ring: Vec<u32> = (0..COLUMNS)
                .map(|j| self.vertex(section.point(TAU * j as f64 / COLUMNS as f64), &w))
                .collect();
            self.join(&previous, &ring, false);
            previous = ring;
        }
        self.face(&previous, false);
    }
}
