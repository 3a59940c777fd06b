//! A tape measure for human meshes.
//!
//! Girths are tapes pulled tight around a section; lengths follow the skin or run straight between landmarks. The
//! names are those of [`toile_pattern::Measurements`]; what each tape does is said in `docs/bodies.md`.

use crate::error::Error;
use crate::find::{Finder, Landmarks};
use crate::landmarks::{Found, NECK_LEAN, at_height, extreme, find};
use crate::slice::{Loop, Plane, length, slice};
use glam::DVec3;
use serde::Serialize;
use toile_mesh::TriMesh;

/// One measurement and where the tape lay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tape {
    /// A name of [`toile_pattern::Measurements`].
    pub name: &'static str,
    /// Metres, or degrees for angles.
    pub value: f64,
    /// The tape [m].
    pub line: Vec<DVec3>,
    /// Whether the tape goes around.
    pub closed: bool,
}

/// All measurements of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// What the tape said, in the order of [`toile_pattern::Measurements::NAMES`].
    pub tapes: Vec<Tape>,
    /// The points it was laid by.
    pub landmarks: Landmarks,
}

impl Measured {
    /// A value by its name [m]; degrees for angles.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.tapes.iter().find(|t| t.name == name).map(|t| t.value)
    }
}

/// Measures a human mesh that stands upright on the ground and faces +z; see [`crate::repair()`] for others.
///
/// # Errors
/// If the mesh has not the shape of a standing body with arms and legs apart.
pub fn measure(mesh: &TriMesh) -> Result<Measured, Error> {
    let Found { landmarks: l, arms } = find(mesh)?;
    let f = Finder::new(mesh)?;
    let mut tapes = Vec::new();
    let lost = |name: &str| Error::NotHuman { what: format!("{name} cannot be measured") };
    let mut add = |name: &'static str, line: Vec<DVec3>, closed: bool| {
        let value = length(&line, closed);
        tapes.push(Tape { name, value, line, closed });
    };
    let around = |name: &str, cut: Option<Loop>, normal: DVec3| {
        cut.map(|c| c.tape(normal)).ok_or_else(|| lost(name))
    };
    let ground = f.low;
    let down = |p: DVec3| vec![p, p.with_y(ground)];
    add("height", down(l.crown), false);
    add("head_girth", around("head_girth", head(&f), DVec3::Y)?, true);
    let neck = DVec3::new(0.0, libm::cos(NECK_LEAN), libm::sin(NECK_LEAN));
    add(
        "neck_girth",
        around("neck_girth", f.around_middle(Plane { point: l.neck, normal: neck }), neck)?,
        true,
    );
    for (name, y) in [
        ("bust_girth", l.bust[0].y),
        ("underbust_girth", l.underbust.y),
        ("waist_girth", l.waist.y),
        ("hip_girth", l.hip.y),
    ] {
        add(name, around(name, f.trunk(y), DVec3::Y)?, true);
    }
    add("shoulder_width", l.shoulder.to_vec(), false);
    add("shoulder_length", vec![l.side_neck[0], l.shoulder[0]], false);
    let middle = slice(mesh, Plane { point: DVec3::ZERO, normal: DVec3::X });
    let back = down_the(&middle, l.nape.y, l.waist.y, -1.0);
    add("back_length", back, false);
    let over = over_the_bust(&f, &l);
    let below = f
        .trunk(l.waist.y)
        .map(|w| front_at(&w, l.bust[0].x))
        .ok_or_else(|| lost("front_length"))?;
    let mut front = over.clone();
    front.push(below);
    add("front_length", front, false);
    add("bust_height", over, false);
    add("bust_width", l.bust.to_vec(), false);
    let level = DVec3::new(l.nape.x, l.armpit[0].y, l.nape.z);
    add("armscye_depth", vec![l.nape, level], false);
    // Arms: over the outside of the elbow to the wrist.
    let arm = &arms[0];
    let outside = |p: DVec3, along: DVec3| {
        let out = DVec3::Z.cross(-along).normalize_or(DVec3::X);
        f.across(p, along).map(|c| extreme(&c, out))
    };
    let (wrist_at, wrist) = (arm.wrist(), l.wrist[0]);
    let (_, wrist_along) = arm.at(wrist_at);
    let elbow_at = arm.after(wrist_at, way(arm, wrist_at, l.elbow[0]));
    let (elbow, elbow_along) = arm.at(elbow_at);
    let upper_at = arm.after(elbow_at, 0.46 * elbow.distance(l.shoulder[0]));
    let (upper, upper_along) = arm.at(upper_at);
    let points = [outside(elbow, elbow_along), outside(wrist, wrist_along)];
    let [Some(e), Some(w)] = points else { return Err(lost("arm_length")) };
    add("arm_length", vec![l.shoulder[0], e, w], false);
    for (name, p, along) in [
        ("upper_arm_girth", upper, upper_along),
        ("elbow_girth", elbow, elbow_along),
        ("wrist_girth", wrist, wrist_along),
    ] {
        add(name, around(name, f.across(p, along), along)?, true);
    }
    add("waist_to_hip", down_the_side(&f, l.waist.y, l.hip.y, l.crotch.y), false);
    add("waist_to_knee", down_the_side(&f, l.waist.y, l.knee[0].y, l.crotch.y), false);
    add("waist_height", down(l.waist), false);
    add("inseam", down(l.crotch), false);
    add("body_rise", vec![l.waist, l.waist.with_y(l.crotch.y)], false);
    for (name, y) in [
        ("thigh_girth", l.crotch.y - 0.018 * f.height),
        ("knee_girth", l.knee[0].y),
        ("calf_girth", l.calf[0].y),
        ("ankle_girth", l.ankle[0].y),
    ] {
        add(name, around(name, f.leg(y, 1.0), DVec3::Y)?, true);
    }
    let fall = l.shoulder[0] - l.side_neck[0];
    let slope = libm::atan2(-fall.y, fall.x.hypot(fall.z)).to_degrees();
    let line = vec![l.side_neck[0], l.shoulder[0]];
    tapes.push(Tape { name: "shoulder_slope", value: slope, line, closed: false });
    let place = |t: &Tape| toile_pattern::Measurements::NAMES.iter().position(|n| *n == t.name);
    tapes.sort_by_key(place);
    Ok(Measured { tapes, landmarks: l })
}

/// The largest level section of the head above the nose.
fn head(f: &Finder<'_>) -> Option<Loop> {
    let top = f.low + f.height;
    let cut = |y: f64| f.widest(f.level(y));
    let girth = |y: f64| cut(y).map_or(f64::NAN, |l| l.girth(DVec3::Y));
    cut(crate::find::peak(top - 0.062 * f.height, top - 0.03 * f.height, 10, girth))
}

/// How far the axis of an arm runs from a place to the point nearest to `to` [m].
fn way(arm: &crate::arms::Arm, from: f64, to: DVec3) -> f64 {
    let mut run = 0.0;
    let mut last = arm.at(from).0;
    let mut best = (f64::INFINITY, 0.0);
    for k in 0..400 {
        let p = arm.at(from + 0.05 * f64::from(k)).0;
        run += p.distance(last);
        last = p;
        let d = p.distance(to);
        if d < best.0 {
            best = (d, run);
        }
    }
    best.1
}

/// The skin of the middle from one height down to another, in front (+1) or behind (−1).
fn down_the(middle: &[Loop], from: f64, to: f64, side: f64) -> Vec<DVec3> {
    const N: u32 = 40;
    let y = |k: u32| from + (to - from) * f64::from(k) / f64::from(N);
    (0..=N).filter_map(|k| at_height(middle, y(k), side)).collect()
}

/// The skin of the left side from one height down to another; below the crotch it is that of the leg.
fn down_the_side(f: &Finder<'_>, from: f64, to: f64, crotch: f64) -> Vec<DVec3> {
    const N: u32 = 14;
    let at = |k: u32| {
        let y = from + (to - from) * f64::from(k) / f64::from(N);
        let cut = if y > crotch { f.trunk(y) } else { f.leg(y, 1.0) };
        cut.map(|l| extreme(&l, DVec3::X))
    };
    (0..=N).filter_map(at).collect()
}

/// The foremost point of a loop at a given x.
fn front_at(l: &Loop, x: f64) -> DVec3 {
    let crossing = l.sides().filter(|(a, b)| (a.x < x) != (b.x < x));
    let points = crossing.map(|(a, b)| a.lerp(b, (x - a.x) / (b.x - a.x)));
    points.max_by(|a, b| a.z.total_cmp(&b.z)).unwrap_or(l.points[0])
}

/// The tape from the side of the neck to the bust point, tight over the chest.
fn over_the_bust(f: &Finder<'_>, l: &Landmarks) -> Vec<DVec3> {
    let (a, b) = (l.side_neck[0], l.bust[0]);
    let way = b - a;
    // The plane of the tape holds both points and looks straight ahead.
    let normal = way.cross(DVec3::Z).normalize_or(DVec3::X);
    let cut = slice(f.mesh, Plane { point: a, normal });
    let along = way.normalize_or(-DVec3::Y);
    let out = normal.cross(along).normalize_or(DVec3::Z);
    let out = if out.z < 0.0 { -out } else { out };
    let mut points: Vec<DVec3> = cut
        .iter()
        .flat_map(|c| c.points.iter().copied())
        .filter(|p| {
            let t = (*p - a).dot(along);
            let below = p.y < a.y && p.y > b.y; // Chins stand out above.
            below && t > 0.0 && t < way.length() && (*p - a).dot(out) > 0.0
        })
        .collect();
    points.sort_by(|p, q| (*p - a).dot(along).total_cmp(&(*q - a).dot(along)));
    // Upper hull over the straight line: a tight tape touches only what stands out.
    let mut tape = vec![a];
    for p in points.into_iter().chain([b]) {
        while tape.len() >= 2 {
            let (r, s) = (tape[tape.len() - 2], tape[tape.len() - 1]);
            let turn =
                (s - r).dot(along) * (p - r).dot(out) - (s - r).dot(out) * (p - r).dot(along);
            if turn < 0.0 {
                break;
            }
            tape.pop();
        }
        tape.push(p);
    }
    tape
}
