//! The cage of the torso: rings from the crotch to the base of the neck.
//!
//! Rings below the armpits are level sections with the girths of the measurements. From the armpit to the
//! shoulder four rows leave a hole of two columns for each arm; the top row runs over the shoulders, and two more
//! rings close in on the neck.

use crate::build::{Builder, COLUMNS, Half, SIDE, Tube, Weights, weights};
use crate::figure::Figure;
use crate::proportions::Proportions;
use crate::section::Section;
use crate::skeleton::Bone;
use glam::DVec3;
use std::f64::consts::TAU;

/// Rows of the hole for an arm.
pub(crate) const ROWS: usize = 3;

/// What other parts grow from.
pub(crate) struct Torso {
    /// The lowest ring, where the legs begin.
    pub(crate) bottom: Vec<u32>,
    /// The last ring, where the neck begins.
    pub(crate) top: Vec<u32>,
    /// The holes of the left and the right arm: front edge upwards, over the shoulder, back edge downwards.
    pub(crate) holes: [Vec<u32>; 2],
    /// The tube, for the neck to go on with.
    pub(crate) tube: Tube,
}

/// How deep a figure is at a level: in front of and behind the axis over half the width, and where the axis passes.
#[derive(Clone, Copy)]
struct Depth {
    front: f64,
    back: f64,
    /// For the middle height [m].
    z: f64,
    power: f64,
}

/// The trunk of a figure, level by level.
struct Build {
    hip: Depth,
    waist: Depth,
    under: Depth,
    chest: Depth,
    /// Share of the bust girth that the ribs have at its level, between underbust and bust.
    share: f64,
}

impl Build {
    fn of(p: &Proportions) -> Self {
        // Stouter people are rounder: the belly comes forward.
        let stout = ((p.m.waist_girth / p.m.height - 0.45) / 0.25).clamp(-0.3, 1.0);
        let depth = |front: f64, back: f64, z: f64, power: f64| Depth { front, back, z, power };
        match p.figure {
            Figure::Female => Self {
                hip: depth(0.57 + 0.08 * stout, 0.70, -0.002, 2.12),
                waist: depth(0.79 + 0.16 * stout, 0.72, 0.010, 2.12),
                under: depth(0.72 + 0.06 * stout, 0.72, 0.0, 2.2),
                chest: depth(0.70 + 0.06 * stout, 0.72, -0.007, 2.5),
                share: 0.15,
            },
            Figure::Male => Self {
                hip: depth(0.61 + 0.22 * stout, 0.70, -0.006, 2.18),
                waist: depth(0.68 + 0.14 * stout, 0.64, 0.004, 2.18),
                under: depth(0.70 + 0.06 * stout, 0.74, -0.006, 2.3),
                chest: depth(0.68 + 0.04 * stout, 0.74, -0.012, 2.5),
                share: 0.45,
            },
            Figure::Child => Self {
                hip: depth(0.68 + 0.10 * stout, 0.70, -0.004, 2.15),
                waist: depth(0.75 + 0.14 * stout, 0.72, 0.003, 2.14),
                under: depth(0.73 + 0.04 * stout, 0.72, -0.001, 2.2),
                chest: depth(0.70 + 0.04 * stout, 0.74, -0.010, 2.4),
                share: 0.70,
            },
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
        let levels = self.levels();
        let (hip, chest) = (levels[0], levels[levels.len() - 1]);
        let mut rings = vec![self.bottom_ring(&hip)];
        let bottom = rings[0].clone();
        for section in &levels {
            let w = trunk(&self.p, section.centre.y);
            let ring = (0..COLUMNS).map(|j| self.vertex(section.point(column_angle(j)), &w));
            rings.push(ring.collect());
        }
        let mut tube = self.tube(false);
        for pair in rings.windows(2) {
            self.join(&mut tube, &pair[0], &pair[1]);
        }
        let (shoulder, holes) = self.shoulders(&mut tube, &rings[rings.len() - 1], &chest);
        let top = self.collar(&mut tube, &shoulder);
        Torso { bottom, top, holes, tube }
    }

    /// Level sections from the hip to the chest.
    fn levels(&self) -> [Section; 7] {
        let p = self.p;
        let (k, m) = (p.k, &p.m);
        let build = Build::of(&p);
        let level = |y: f64, d: Depth, girth: f64| {
            let centre = DVec3::new(0.0, y, d.z * k);
            Section::level(centre, 1.0, d.front, d.back).boxier(d.power).with_girth(girth)
        };
        let hip = level(p.hip, build.hip, m.hip_girth);
        let waist = level(p.waist, build.waist, m.waist_girth);
        // Rings keep their order also where the bust is as high as the armpits.
        let chest_y = p.bust.min(p.armpit - 0.034 * k);
        let under_y = p.underbust.min(chest_y - 0.04 * k);
        let under = level(under_y, build.under, m.underbust_girth);
        let girth = m.underbust_girth + build.share * (m.bust_girth - m.underbust_girth);
        let chest = level(chest_y, build.chest, girth);
        // Between the levels of the tape; the flanks swell towards the hip.
        let wide = |t: f64, share: f64| {
            let half = (1.0 - share) * waist.half + share * hip.half;
            Section { half, ..waist.lerp(&hip, t) }
        };
        // A belly must not be wider than the hip.
        let belly = (m.waist_girth / m.height - 0.5).max(0.0);
        let [flank, high] =
            if p.is_female() { [0.50, 0.88] } else { [0.48 - belly, 0.76 - 2.0 * belly] };
        // The waist is round, not a fold.
        let ribs =
            Section { centre: waist.centre.lerp(under.centre, 0.5), ..waist.lerp(&under, 0.40) };
        [hip, wide(0.74, high), wide(0.40, flank), waist, ribs, under, chest]
    }

    /// The lowest ring: like the leg openings of briefs, high at the sides.
    fn bottom_ring(&mut self, hip: &Section) -> Vec<u32> {
        let p = self.p;
        let k = p.k;
        (0..COLUMNS)
            .map(|j| {
                let t = column_angle(j);
                let (s, c) = (libm::sin(t), libm::cos(t));
                let mut q = hip.point(t);
                let rise = if c > 0.0 { 0.022 } else { 0.012 };
                // Rings keep their distance also where the hip is low.
                let side = (0.55 * (p.hip - p.crotch)).clamp(0.015 * k, 0.030 * k);
                let rise = (rise * k).min(0.8 * side);
                q.y = p.crotch + rise + (side - rise) * s * s;
                // Front and back close in on the crotch.
                let closing = if p.is_female() { 1.0 } else { 0.5 };
                let inward = 1.0 - if c > 0.0 { 0.16 } else { 0.14 } * c * c * closing;
                q.z = hip.centre.z + (q.z - hip.centre.z) * inward;
                let share = 0.5 * s.abs();
                let thigh = if s >= 0.0 { Bone::LeftThigh } else { Bone::RightThigh };
                self.vertex(q, &weights(&[(Bone::Pelvis, 1.0 - share), (thigh, share)]))
            })
            .collect()
    }

    /// Rows from the armpits to the shoulders, and the holes for the arms.
    fn shoulders(
        &mut self,
        tube: &mut Tube,
        chest: &[u32],
        chest_section: &Section,
    ) -> (Vec<u32>, [Vec<u32>; 2]) {
        // Row 0 is the ring of the armpits, row ROWS the one over the shoulders.
        let rows: Vec<Vec<DVec3>> =
            (0..=ROWS).map(|r| self.shoulder_row(r, chest_section)).collect();
        let mut ids: Vec<Vec<u32>> = Vec::new();
        for (r, row) in rows.iter().enumerate() {
            let u = r as f64 / ROWS as f64;
            let ring = row.iter().enumerate().map(|(j, q)| {
                let folded = if j > COLUMNS / 2 { COLUMNS - j } else { j };
                let half = if j > COLUMNS / 2 { Half::Right } else { Half::Left };
                let away = folded.abs_diff(SIDE);
                // The columns beside the hole follow the arm a little, and the collar bone at the top.
                let arm = match away {
                    0 => 0.18 + 0.14 * u,
                    1 => 0.07 + 0.23 * u,
                    2 => 0.06 * u,
                    _ => 0.0,
                };
                let collar = [0.38, 0.40, 0.32, 0.14, 0.0][away] * (0.04 + 0.96 * u);
                let list = [
                    (half.bone(Bone::LeftUpperArm), arm),
                    (half.bone(Bone::LeftCollar), collar),
                    (Bone::Chest, 1.0 - arm - collar),
                ];
                if (1..ROWS).contains(&r) && folded == SIDE {
                    return u32::MAX; // In the hole.
                }
                self.vertex(*q, &weights(&list))
            });
            ids.push(ring.collect());
        }
        self.join(tube, chest, &ids[0]);
        let hole = |c: usize| c == SIDE || c == COLUMNS - SIDE;
        for r in 0..ROWS {
            let points = [rows[r].clone(), rows[r + 1].clone()];
            let wanted = |j: usize| !(hole(j) || hole((j + 1) % COLUMNS));
            self.join_where(tube, &ids[r], &ids[r + 1], points, wanted);
        }
        let holes = Half::BOTH.map(|half| {
            let [front, side, back] = [SIDE - 1, SIDE, SIDE + 1].map(|c| half.column(c));
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
                let q = if c == SIDE {
                    if r == 0 { pit } else { s }
                } else if c < SIDE {
                    let t = c as f64 / (SIDE - 1) as f64;
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
                    let t = (2 * SIDE - c) as f64 / (SIDE - 1) as f64;
                    let low = DVec3::new(
                        back_x * libm::sin(0.5 * t * std::f64::consts::PI * 0.92),
                        p.armpit + 0.006 * k * t,
                        back_depth * (1.03 - 0.34 * t * t),
                    );
                    let high = DVec3::new(
                        (s.x - 0.008 * k) * (0.25 * t + 0.75 * t * (2.0 - t) * 0.9 + 0.075 * t),
                        p.nape - 0.050 * k + (s.y - 0.010 * k - p.nape + 0.050 * k) * t * t,
                        back_depth * 0.82 + (-0.066 * k - back_depth * 0.82) * t * t,
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
    fn collar(&mut self, tube: &mut Tube, shoulder: &[u32]) -> Vec<u32> {
        let p = self.p;
        let k = p.k;
        let radius = p.m.neck_girth / TAU;
        let half = p.side_neck.x;
        let base = Section::level(
            DVec3::new(0.0, p.side_neck.y - 0.013 * k, -0.024 * k),
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
            self.join(tube, &previous, &ring);
            previous = ring;
        }
        previous
    }
}
