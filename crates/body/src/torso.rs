//! The cage of the torso: rings from the crotch to the base of the neck.
//!
//! Rings below the armpits are level sections with the girths of the measurements. From the armpit to the
//! shoulder four rows leave a hole of two columns for each arm; the top row runs over the shoulders, and two more
//! rings close in on the neck.

use crate::build::{Builder, COLUMNS, Half, Weights, weights};
use crate::figure::Figure;
use crate::proportions::Proportions;
use crate::section::Section;
use crate::skeleton::Bone;
use glam::DVec3;
use std::f64::consts::TAU;

/// Rows of the hole for an arm.
pub(crate) const ROWS: usize = 4;

/// What other parts grow from.
pub(crate) struct Torso {
    /// The lowest ring, where the legs begin.
    pub(crate) bottom: Vec<u32>,
    /// The last ring, where the neck begins.
    pub(crate) top: Vec<u32>,
    /// The holes of the left and the right arm: front edge upwards, over the shoulder, back edge downwards.
    pub(crate) holes: [Vec<u32>; 2],
}

/// How wide and deep a figure is, as depths in front of and behind the axis over half the width.
struct Build {
    hip: [f64; 2],
    waist: [f64; 2],
    ribs: [f64; 2],
    /// How far the seat stands out between the middle and the sides, over the depth.
    seat: f64,
    /// Share of the bust girth that the ribs have at its level, between underbust and bust.
    chest: f64,
}

impl Build {
    fn of(p: &Proportions) -> Self {
        // Stouter people are rounder: the belly comes forward.
        let stout = ((p.m.waist_girth / p.m.height - 0.45) / 0.25).clamp(-0.3, 1.0);
        if p.is_female() {
            Self {
                hip: [0.62 + 0.08 * stout, 0.76],
                waist: [0.76 + 0.16 * stout, 0.71],
                ribs: [0.72 + 0.06 * stout, 0.72],
                seat: 0.055,
                chest: 0.38,
            }
        } else {
            Self {
                hip: [0.66 + 0.10 * stout, 0.76],
                waist: [0.70 + 0.18 * stout, 0.66],
                ribs: [0.74 + 0.04 * stout, 0.70],
                seat: 0.045,
                chest: if p.figure == Figure::Child { 0.70 } else { 0.50 },
            }
        }
    }
}

fn column_angle(j: usize) -> f64 {
    TAU * j as f64 / COLUMNS as f64
}

/// Shares of pelvis, spine and chest at a height.
fn trunk(p: &Proportions, y: f64) -> Weights {
    let smooth = |a: f64, b: f64| {
        let t = ((y - a) / (b - a)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let spine = smooth(p.hip, p.waist);
    let chest = smooth(p.waist, p.underbust);
    weights(&[
        (Bone::Pelvis, 1.0 - spine),
        (Bone::Spine, spine * (1.0 - chest)),
        (Bone::Chest, spine * chest),
    ])
}

impl Builder {
    pub(crate) fn torso(&mut self) -> Torso {
        let p = self.p;
        let k = p.k;
        let build = Build::of(&p);
        let level = |y: f64, z: f64, shape: [f64; 2], power: f64, girth: f64| {
            let centre = DVec3::new(0.0, y, z * k);
            Section::level(centre, 1.0, shape[0], shape[1]).boxier(power).with_girth(girth)
        };
        let m = &p.m;
        let hip = level(p.hip, -0.004, build.hip, 2.15, m.hip_girth);
        let ahead = if p.is_female() { 0.0 } else { 0.006 };
        let waist = level(p.waist, 0.002 - ahead, build.waist, 2.15, m.waist_girth);
        // Rings keep their order also where the bust is as high as the armpits.
        let chest_y = p.bust.min(p.armpit - 0.034 * k);
        let under = level(
            p.underbust.min(chest_y - 0.04 * k),
            -0.004 + 0.5 * ahead,
            build.ribs,
            2.25,
            m.underbust_girth,
        );
        let chest_girth = m.underbust_girth + build.chest * (m.bust_girth - m.underbust_girth);
        let chest = level(
            chest_y,
            -0.012 + ahead,
            build.ribs,
            if p.is_female() { 2.3 } else { 2.55 },
            chest_girth,
        );
        // Between the levels of the tape; the flanks swell towards the hip.
        let flank = Section { half: 0.42 * waist.half + 0.58 * hip.half, ..waist.lerp(&hip, 0.42) };
        let wide = if p.is_female() { 0.92 } else { 0.74 };
        let high =
            Section { half: (1.0 - wide) * waist.half + wide * hip.half, ..waist.lerp(&hip, 0.76) };
        let ribs = waist.lerp(&under, 0.5);
        let mut rings = Vec::new();
        let bottom = self.bottom_ring(&hip, build.seat);
        rings.push(bottom.clone());
        let seats = [1.0, 0.75, 0.3, 0.0, 0.0, 0.0, 0.0];
        for (section, seat) in [hip, high, flank, waist, ribs, under, chest].iter().zip(seats) {
            let w = trunk(&p, section.centre.y);
            let ring = (0..COLUMNS).map(|j| {
                let point = seated(section, j, seat * build.seat);
                self.vertex(point, &w)
            });
            rings.push(ring.collect());
        }
        for pair in rings.windows(2) {
            self.join(&pair[0], &pair[1], false);
        }
        let (shoulder, holes) = self.shoulders(&rings[rings.len() - 1], &chest);
        let top = self.collar(&shoulder);
        Torso { bottom, top, holes }
    }

    /// The lowest ring: like the leg openings of briefs, high at the sides.
    fn bottom_ring(&mut self, hip: &Section, seat: f64) -> Vec<u32> {
        let p = self.p;
        let k = p.k;
        (0..COLUMNS)
            .map(|j| {
                let t = column_angle(j);
                let (s, c) = (libm::sin(t), libm::cos(t));
                let mut q = seated(hip, j, 1.1 * seat);
                let rise = if c > 0.0 { 0.022 } else { 0.012 };
                // Rings keep their distance also where the hip is low.
                let side = (0.55 * (p.hip - p.crotch)).clamp(0.015 * k, 0.045 * k);
                let rise = (rise * k).min(0.8 * side);
                q.y = p.crotch + rise + (side - rise) * s * s;
                // Front and back close in on the crotch.
                let closing = if p.is_female() { 1.0 } else { 0.5 };
                let inward = 1.0 - if c > 0.0 { 0.16 } else { 0.14 } * c * c * closing;
                q.z = hip.centre.z + (q.z - hip.centre.z) * inward;
                q.x *= 1.0 - 0.04 * s * s * closing;
                let share = 0.5 * s.abs();
                let thigh = if s >= 0.0 { Bone::LeftThigh } else { Bone::RightThigh };
                self.vertex(q, &weights(&[(Bone::Pelvis, 1.0 - share), (thigh, share)]))
            })
            .collect()
    }

    /// Rows from the armpits to the shoulders, and the holes for the arms.
    fn shoulders(&mut self, chest: &[u32], chest_section: &Section) -> (Vec<u32>, [Vec<u32>; 2]) {
        // Row 0 is the ring of the armpits, row ROWS the one over the shoulders.
        let rows: Vec<Vec<DVec3>> =
            (0..=ROWS).map(|r| self.shoulder_row(r, chest_section)).collect();
        let mut ids: Vec<Vec<u32>> = Vec::new();
        for (r, row) in rows.iter().enumerate() {
            let u = r as f64 / ROWS as f64;
            let ring = row.iter().enumerate().map(|(j, q)| {
                let folded = if j > COLUMNS / 2 { COLUMNS - j } else { j };
                let half = if j > COLUMNS / 2 { Half::Right } else { Half::Left };
                let away = (folded as f64 - 5.0).abs();
                // The columns beside the hole follow the arm a little, and the collar bone at the top.
                let arm = match away as usize {
                    0 => 0.18 + 0.14 * u,
                    1 => 0.07 + 0.23 * u,
                    2 => 0.07 * u,
                    _ => 0.0,
                };
                let collar = [0.38, 0.40, 0.35, 0.2, 0.06, 0.0][away as usize] * (0.04 + 0.96 * u);
                let list = [
                    (half.bone(Bone::LeftUpperArm), arm),
                    (half.bone(Bone::LeftCollar), collar),
                    (Bone::Chest, 1.0 - arm - collar),
                ];
                if (1..ROWS).contains(&r) && folded == 5 {
                    return u32::MAX; // In the hole.
                }
                self.vertex(*q, &weights(&list))
            });
            ids.push(ring.collect());
        }
        self.join(chest, &ids[0], false);
        for r in 0..ROWS {
            for j in 0..COLUMNS {
                let i = (j + 1) % COLUMNS;
                let face = [ids[r][j], ids[r][i], ids[r + 1][i], ids[r + 1][j]];
                let in_hole = |c: usize| c == 5 || c == 15;
                if !(in_hole(j) || in_hole(i)) {
                    self.face(&face, false);
                }
            }
        }
        let holes = Half::BOTH.map(|half| {
            let [front, side, back] = [4, 5, 6].map(|c| half.column(c));
            let mut hole: Vec<u32> = (0..=ROWS).map(|r| ids[r][front]).collect();
            hole.push(ids[ROWS][side]);
            hole.extend((0..=ROWS).rev().map(|r| ids[r][back]));
            hole.push(ids[0][side]);
            hole
        });
        let last = ids.pop().unwrap_or_default();
        (last, holes)
    }

    /// Points of a row between armpit and shoulder.
    fn shoulder_row(&self, r: usize, chest: &Section) -> Vec<DVec3> {
        let p = &self.p;
        let k = p.k;
        let u = r as f64 / ROWS as f64;
        let (s, m) = (p.shoulder, &p.m);
        let notch = p.nape - 0.072 * k;
        // Half widths of the tape across chest and back; it lies on a curve.
        let front_x = 0.455 * m.chest_width;
        let back_x = 0.455 * m.back_width;
        let pit =
            DVec3::new(0.5 * (front_x + back_x) + 0.002 * k, p.armpit - 0.004 * k, -0.022 * k);
        let front_depth = chest.centre.z + chest.front;
        let back_depth = chest.centre.z - chest.back;
        let mut row = vec![DVec3::ZERO; COLUMNS];
        let ease = u * u * (3.0 - 2.0 * u);
        for half in Half::BOTH {
            for c in 0..=COLUMNS / 2 {
                let q = if c == 5 {
                    if r == 0 { pit } else { s }
                } else if c < 5 {
                    let t = c as f64 / 4.0;
                    // Bottom: the chest at the armpits. Top: from the notch to the shoulder.
                    let low = DVec3::new(
                        front_x * libm::sin(0.5 * t * std::f64::consts::PI * 0.92),
                        p.armpit + 0.004 * k * t,
                        front_depth * (0.97 - 0.56 * t * t),
                    );
                    let high = DVec3::new(
                        (s.x - 0.010 * k) * (0.25 * t + 0.75 * t * (2.0 - t) * 0.9 + 0.075 * t),
                        notch - 0.028 * k + (s.y - 0.012 * k - notch + 0.028 * k) * t * (2.0 - t),
                        0.052 * k + (0.016 * k - 0.052 * k) * t * t,
                    );
                    let mut q = low.lerp(high, u);
                    // The front of the chest is round, and the armhole cuts in.
                    q.z = low.z + (high.z - low.z) * (0.35 * u + 0.65 * ease);
                    q.z += 0.010 * k * (1.0 - t) * 4.0 * u * (1.0 - u);
                    q.x -= 0.006 * k * t * t * 4.0 * u * (1.0 - u);
                    q
                } else {
                    let t = (10 - c) as f64 / 4.0;
                    let low = DVec3::new(
                        back_x * libm::sin(0.5 * t * std::f64::consts::PI * 0.92),
                        p.armpit + 0.006 * k * t,
                        back_depth * (1.03 - 0.34 * t * t),
                    );
                    let high = DVec3::new(
                        (s.x - 0.008 * k) * (0.25 * t + 0.75 * t * (2.0 - t) * 0.9 + 0.075 * t),
                        p.nape - 0.050 * k + (s.y - 0.010 * k - p.nape + 0.050 * k) * t * t,
                        back_depth * 0.80 + (-0.066 * k - back_depth * 0.80) * t * t,
                    );
                    let mut q = low.lerp(high, u);
                    q.z = low.z + (high.z - low.z) * (0.25 * u + 0.75 * u * u);
                    q.z -= 0.006 * k * 4.0 * u * (1.0 - u);
                    q
                };
                row[half.column(c)] = half.point(q);
            }
        }
        row
    }

    /// Two rings from the shoulders to the base of the neck.
    fn collar(&mut self, shoulder: &[u32]) -> Vec<u32> {
        let p = self.p;
        let k = p.k;
        let radius = p.m.neck_girth / TAU;
        let half = p.side_neck.x - 0.006 * k;
        let base = Section::level(
            DVec3::new(0.0, p.side_neck.y - 0.012 * k, -0.020 * k),
            half,
            1.10 * radius,
            1.02 * radius,
        )
        .tilted(0.52);
        let mut previous = shoulder.to_vec();
        for (step, t) in [0.52, 1.0].into_iter().enumerate() {
            let mut ring = Vec::with_capacity(COLUMNS);
            for j in 0..COLUMNS {
                let low = self.position(shoulder[j]);
                let high = base.point(column_angle(j));
                let mut q = low.lerp(high, t);
                if step == 0 {
                    // The line of the shoulder hangs a little between neck and arm.
                    let side = libm::sin(column_angle(j)).powi(2);
                    q.y -= 0.005 * k * side;
                }
                let share = if step == 0 { 0.2 } else { 0.65 };
                let collar = if step == 0 { 0.12 * libm::sin(column_angle(j)).abs() } else { 0.0 };
                let bone = if j > COLUMNS / 2 { Bone::RightCollar } else { Bone::LeftCollar };
                let list =
                    [(Bone::Neck, share), (bone, collar), (Bone::Chest, 1.0 - share - collar)];
                ring.push(self.vertex(q, &weights(&list)));
            }
            self.join(&previous, &ring, false);
            previous = ring;
        }
        previous
    }

    pub(crate) fn position(&self, v: u32) -> DVec3 {
        DVec3::from_slice(&self.cage.data[v as usize][..3])
    }
}

/// A point of a section with the seat: two rounds left and right of the middle of the back.
fn seated(section: &Section, j: usize, seat: f64) -> DVec3 {
    let mut q = section.point(column_angle(j));
    let from_back = (j as f64 - 10.0).abs();
    let lobe = match from_back as usize {
        0 => -0.9,
        1 => 0.25,
        2 => 1.0,
        3 => 0.55,
        _ => 0.0,
    };
    q.z -= lobe * seat * section.back * 1.6;
    q
}
