//! Relief of the trunk: chest, collar bones, belly, spine, shoulder blades, seat.

use crate::figure::Figure;
use crate::proportions::Proportions;
use crate::relief::Stroke;
use crate::skeleton::Bone;
use glam::DVec3;

const CHEST: &[Bone] = &[Bone::Chest, Bone::Spine, Bone::LeftCollar];
const TRUNK: &[Bone] = &[Bone::Chest, Bone::Spine, Bone::Pelvis];
const SEAT: &[Bone] = &[Bone::Pelvis, Bone::LeftThigh];
const SHOULDERS: &[Bone] = &[Bone::Chest, Bone::LeftCollar, Bone::Neck, Bone::LeftUpperArm];

fn at(x: f64, y: f64) -> DVec3 {
    DVec3::new(x, y, 0.0)
}

/// How strong muscles show.
pub(super) fn tone(p: &Proportions) -> f64 {
    match p.figure {
        Figure::Female => 0.75,
        Figure::Male => 1.15,
        Figure::Child => 0.4,
    }
}

/// Breasts or pectoral muscles, by how far they stand out [m].
pub(super) fn chest(p: &Proportions, reach: f64) -> Vec<Stroke> {
    let k = p.k;
    let size = (p.m.bust_girth - p.m.underbust_girth).max(0.02);
    // Breasts look a little outwards.
    let aside = if p.is_female() { 0.12 } else { 0.0 };
    let out = |v: f64| (DVec3::new(aside, 0.0, 1.0), v);
    if p.is_female() {
        // On the round chest the foremost point lies inside the middle of the breast.
        let x = 0.62 * p.m.bust_width;
        let wide = 0.082 * k + 0.24 * size;
        vec![
            Stroke::spot(at(x, p.bust), wide, out(0.80 * reach), CHEST),
            // The upper slope is long, the lower side full.
            Stroke::line(
                at(x, p.bust),
                at(x + 0.10 * wide, p.bust + 0.75 * wide),
                0.80 * wide,
                out(0.26 * reach),
                CHEST,
            )
            .shares(1.0, 0.35),
            Stroke::spot(
                at(x + 0.10 * wide, p.bust - 0.25 * wide),
                0.62 * wide,
                out(0.30 * reach),
                CHEST,
            ),
            Stroke::line(
                at(x - 0.55 * wide, p.bust - 0.92 * wide),
                at(x + 0.45 * wide, p.bust - 0.86 * wide),
                0.42 * wide,
                out(-0.05 * reach),
                CHEST,
            ),
        ]
    } else {
        let wide = 0.085 * k;
        let (inner, outer) = (0.22 * p.m.bust_width, 0.62 * p.m.bust_width);
        let y = p.bust + 0.010 * k;
        let tone = tone(p);
        vec![
            Stroke::line(at(inner, y), at(outer, y + 0.022 * k), wide, out(reach), CHEST),
            Stroke::line(
                at(0.0, y - 0.030 * k),
                at(0.0, y + 0.060 * k),
                0.030 * k,
                out(-0.0025 * k * tone),
                CHEST,
            ),
            Stroke::line(
                at(inner, y - 0.068 * k),
                at(outer, y - 0.055 * k),
                0.036 * k,
                out(-0.002 * k * tone),
                CHEST,
            ),
        ]
    }
}

/// Collar bones, the hollows above them, belly, navel and groins.
pub(super) fn front(p: &Proportions) -> Vec<Stroke> {
    let (k, t) = (p.k, tone(p));
    let notch = p.nape - 0.070 * k;
    let bone = DVec3::new(0.0, 0.45, 0.9);
    let side = DVec3::new(p.shoulder.x - 0.030 * k, p.shoulder.y - 0.004 * k, 0.0);
    let mut all = vec![
        Stroke::line(
            DVec3::new(0.022 * k, notch - 0.004 * k, 0.05 * k),
            side,
            0.026 * k,
            (bone, 0.0050 * k * t),
            SHOULDERS,
        )
        .shares(1.0, 0.5),
        Stroke::line(
            DVec3::new(0.050 * k, notch + 0.020 * k, 0.03 * k),
            side + DVec3::new(-0.03 * k, 0.022 * k, 0.0),
            0.026 * k,
            (bone, -0.0040 * k * t),
            SHOULDERS,
        ),
        Stroke::spot(at(0.0, notch), 0.026 * k, (DVec3::Z, -0.004 * k), SHOULDERS),
        // The line down the belly, and the groins.
        Stroke::line(
            at(0.0, p.underbust + 0.02 * k),
            at(0.0, p.waist - 0.02 * k),
            0.048 * k,
            (DVec3::Z, -0.0035 * k * t),
            TRUNK,
        )
        .shares(0.8, 0.6),
        Stroke::spot(at(0.0, p.waist - 0.035 * k), 0.027 * k, (DVec3::Z, -0.0045 * k), TRUNK),
        Stroke::line(
            at(0.030 * k, p.crotch + 0.022 * k),
            at(0.60 * p.m.hip_girth / std::f64::consts::TAU, p.hip + 0.045 * k),
            0.036 * k,
            (DVec3::Z, -0.0035 * k),
            SEAT,
        )
        .shares(1.0, 0.5),
    ];
    let belly = if p.figure == Figure::Male { 0.002 } else { 0.006 };
    let y = p.waist - 0.085 * k;
    all.push(Stroke::spot(at(0.0, y), 0.105 * k, (DVec3::Z, belly * k), TRUNK));
    all
}

/// Spine, shoulder blades and seat.
pub(super) fn back(p: &Proportions) -> Vec<Stroke> {
    let (k, t) = (p.k, tone(p));
    let hips = p.m.hip_girth / std::f64::consts::TAU;
    let seat = match p.figure {
        Figure::Female => 0.150,
        Figure::Male => 0.130,
        Figure::Child => 0.110,
    };
    // It is fullest a little below the level of the hip, but well above the crotch.
    let y = p.hip.max(p.crotch + 0.040 * k) - if p.is_female() { 0.005 } else { 0.022 } * k;
    let behind = |v: f64| (-DVec3::Z, v);
    vec![
        Stroke::line(
            at(0.0, p.nape - 0.07 * k),
            at(0.0, p.waist - 0.06 * k),
            0.046 * k,
            behind(-0.0085 * k * (0.5 + 0.5 * t)),
            TRUNK,
        )
        .shares(0.4, 1.0),
        // Inner edge and lower angle of the blade.
        Stroke::line(
            at(0.060 * k, p.armpit + 0.065 * k),
            at(0.078 * k, p.armpit - 0.030 * k),
            0.052 * k,
            behind(0.0085 * k * (0.5 + 0.5 * t)),
            CHEST,
        ),
        Stroke::line(
            at(0.035 * k, p.waist - 0.02 * k),
            at(0.045 * k, p.underbust),
            0.062 * k,
            behind(0.0025 * k * t),
            TRUNK,
        ),
        Stroke::spot(at(0.50 * hips, y), (0.98 * hips).min(0.145 * k), behind(seat * hips), SEAT),
        Stroke::line(
            at(0.0, y + 0.050 * k),
            at(0.0, p.crotch + 0.010 * k),
            0.030 * k,
            behind(-0.016 * k),
            SEAT,
        )
        .shares(0.3, 1.0),
        Stroke::line(
            at(0.25 * hips, p.crotch - 0.008 * k),
            at(0.72 * hips, p.crotch + 0.004 * k),
            0.044 * k,
            behind(-0.0050 * k),
            SEAT,
        )
        .shares(1.0, 0.5),
    ]
}
