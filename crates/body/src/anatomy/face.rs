//! Relief of head and neck: the planes of a face without features.

use crate::head::HeadPlace;
use crate::proportions::Proportions;
use crate::relief::Stroke;
use crate::skeleton::Bone;
use glam::DVec3;

const HEAD: &[Bone] = &[Bone::Head];
const NECK: &[Bone] = &[Bone::Head, Bone::Neck, Bone::Chest];

pub(super) fn head(p: &Proportions) -> Vec<Stroke> {
    let place = HeadPlace::of(p);
    let s = place.scale;
    let at = |x: f64, below: f64| place.point(x, below, 0.05);
    // Child's faces are softer, and flatter.
    let soft = if p.m.height < 1.45 { 0.65 } else { 1.0 };
    let line = |a: DVec3, b: DVec3, radius: f64, facing: DVec3, depth: f64| {
        Stroke::line(a, b, radius * s, (facing, depth * soft * s), HEAD)
    };
    let spot = |a: DVec3, radius: f64, facing: DVec3, depth: f64| line(a, a, radius, facing, depth);
    let front = DVec3::Z;
    let slanted = |x: f64, y: f64| DVec3::new(x, y, 1.0);
    let neck = place.point(0.052, 0.165, -0.030);
    let notch = DVec3::new(0.016 * p.k, p.nape - 0.066 * p.k, 0.03 * p.k);
    vec![
        // Brow, sockets, nose.
        line(at(0.008, 0.0900), at(0.042, 0.0860), 0.028, front, 0.0030),
        spot(at(0.031, 0.1090), 0.032, front, -0.0045),
        line(at(0.0, 0.1030), at(0.0, 0.1360), 0.026, front, 0.0100).shares(0.35, 1.0),
        line(at(0.0, 0.1430), at(0.010, 0.1440), 0.020, front, 0.0020),
        // Mouth and chin.
        line(at(0.0, 0.1700), at(0.010, 0.1700), 0.032, front, 0.0018),
        spot(at(0.0, 0.2030), 0.032, slanted(0.0, -0.2), 0.0045),
        // Cheeks, temples and jaw.
        line(at(0.040, 0.1290), at(0.062, 0.1180), 0.030, slanted(0.7, 0.0), 0.0030),
        spot(place.point(0.07, 0.0830, 0.055), 0.036, DVec3::new(1.0, 0.0, 0.3), -0.0035),
        line(
            place.point(0.06, 0.1620, 0.0),
            place.point(0.04, 0.1960, 0.045),
            0.036,
            DVec3::new(1.0, -0.2, 0.2),
            0.0020,
        ),
        // The muscle from behind the ear to the pit of the neck.
        Stroke::line(neck, notch, 0.020 * s, (DVec3::new(0.7, 0.0, 0.7), 0.0030 * s), NECK),
    ]
}
