//! What a garment measures where the body was measured.
//!
//! The plane of each closed tape cuts the garment; the line that goes once around what the tape goes around, and around
//! nothing else of the body, is its girth there. Where the cloth is open in that plane (an armhole, a hem) the plane is moved
//! until it is not, by a few centimetres at most. A bust is then still compared with the bust of the body, for the garment
//! has to pass it; other girths with that of the body in the plane that was found.

use super::body_contact::BodyContact;
use super::cloth::Merged;
use super::section::{Ring, rings};
use super::{Worn, is_around};
use glam::DVec3;
use serde::Serialize;
use toile_body::{Loop, Plane, Tape, length, slice};
use toile_pattern::BodyPart;

/// Distance between planes that are tried [m].
const PLANE_STEP: f64 = 0.005;

/// The waist of a garment is its narrowest girth within this of the tape [m].
const WAIST_RANGE: f64 = 0.03;

/// By so much a girth is narrower than another [m].
const NARROWING_TOLERANCE: f64 = 0.002;

/// An elastic within this of a girth holds it [m].
const ELASTIC_RANGE: f64 = 0.04;

/// A girth of a garment that is worn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Girth {
    /// Name of the tape, as `waist_girth`.
    pub name: String,
    /// What the tape says of the body there [m].
    pub body: f64,
    /// Length of the garment around it, unstretched [m].
    pub garment: f64,
    /// The same as it is worn [m].
    pub worn: f64,
    /// Ease: `garment` less `body` [m].
    pub ease: f64,
    /// Elongation of the garment around it: `worn / garment − 1`.
    pub stretch: f64,
    /// Mean distance between garment and body [m].
    pub gap: f64,
    /// Mean pressure on the body [kPa].
    pub pressure: f64,
    /// Folds: how much longer the line is than a tape around it, as a fraction.
    pub folds: f64,
    /// How far from the tape it was measured [m]; positive above or towards the trunk.
    pub moved: f64,
    /// Length without tension of an elastic that goes around there, if one does [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elastic: Option<f64>,
}

impl Girth {
    /// Its name in words, as `waist` or `upper arm`.
    pub fn title(&self) -> String {
        self.name.trim_end_matches("_girth").replace('_', " ")
    }
}

/// How far a plane may be moved down and up [m].
fn plane_range(name: &str) -> Option<[f64; 2]> {
    Some(match name {
        "bust_girth" => [0.06, 0.0],
        "underbust_girth" => [0.02, 0.0],
        "waist_girth" => [0.05, 0.03],
        "hip_girth" => [0.0, 0.06],
        "neck_girth" => [0.01, 0.01],
        "upper_arm_girth" | "elbow_girth" | "wrist_girth" => [0.04, 0.04],
        "thigh_girth" | "knee_girth" | "calf_girth" | "ankle_girth" => [0.03, 0.03],
        _ => return None,
    })
}

/// All girths that the garment goes around.
pub(super) fn girths(worn: &Worn<'_>, merged: &Merged, press: &BodyContact) -> Vec<Girth> {
    let closed = worn.tapes.iter().filter(|t| t.closed && t.line.len() > 2);
    closed.filter_map(|tape| girth(worn, merged, press, tape)).collect()
}

fn girth(worn: &Worn<'_>, merged: &Merged, press: &BodyContact, tape: &Tape) -> Option<Girth> {
    let [down, up] = plane_range(tape.name)?;
    let plane = plane_of(tape)?;
    let arm = matches!(tape.name, "upper_arm_girth" | "elbow_girth" | "wrist_girth");
    let panel = |p: u32| match worn.pattern.panels.get(p as usize).map(|p| p.placement.part) {
        Some(Some(BodyPart::LeftArm)) => arm,
        Some(Some(BodyPart::RightArm)) => false,
        Some(Some(_)) => !arm,
        _ => true,
    };
    let steps = (down.max(up) / PLANE_STEP).round() as i32;
    // 0, then down and up in turn.
    let moves = std::iter::once(0).chain((1..=steps).flat_map(|k| [-k, k]));
    let at = |moved: f64| {
        if moved < -down - 0.5 * PLANE_STEP || moved > up + 0.5 * PLANE_STEP {
            return None;
        }
        let plane = Plane { point: plane.point + plane.normal * moved, ..plane };
        let (around, others) = sections_of_body(worn, plane)?;
        let centre = around.centroid();
        let fits = |r: &Ring| {
            let goes_around = |p: DVec3| is_around(&r.points, plane.normal, p);
            r.closed && goes_around(centre) && !others.iter().any(|o| goes_around(*o))
        };
        let found = rings(merged, press, plane, &panel).into_iter().filter(fits);
        // The innermost of several layers.
        let ring = found.min_by(|a, b| a.worn.total_cmp(&b.worn))?;
        Some(Section { moved, ring, around })
    };
    let mut sections = moves.filter_map(|k| at(PLANE_STEP * f64::from(k)));
    let Section { moved, ring, around } = if tape.name == "waist_girth" {
        let near = sections.filter(|s| s.moved.abs() <= WAIST_RANGE);
        near.reduce(
            |best, s| if s.ring.rest < best.ring.rest - NARROWING_TOLERANCE { s } else { best },
        )?
    } else {
        sections.next()?
    };
    let plane = Plane { point: plane.point + plane.normal * moved, ..plane };
    let same = moved == 0.0 || matches!(tape.name, "bust_girth" | "waist_girth");
    let body = if same { tape.value } else { around.girth(plane.normal) };
    let hull = length(&Loop { points: ring.points.clone() }.tape(plane.normal), true);
    Some(Girth {
        name: tape.name.into(),
        body,
        garment: ring.rest,
        worn: ring.worn,
        ease: ring.rest - body,
        stretch: if ring.rest > 0.0 { ring.worn / ring.rest - 1.0 } else { 0.0 },
        gap: ring.gap,
        pressure: ring.pressure,
        folds: if hull > 0.0 { (ring.worn / hull - 1.0).max(0.0) } else { 0.0 },
        moved,
        elastic: elastic(worn, merged, plane, &panel),
    })
}

/// The garment in a plane, and what it goes around.
struct Section {
    /// How far the plane was moved [m].
    moved: f64,
    ring: Ring,
    around: Loop,
}

/// Length without tension of the elastic that lies nearest to a plane on the panels in question [m].
fn elastic(
    worn: &Worn<'_>,
    merged: &Merged,
    plane: Plane,
    panel: &dyn Fn(u32) -> bool,
) -> Option<f64> {
    let panels = worn.panels.panels.iter().enumerate().filter(|(p, _)| panel(*p as u32));
    let lines = panels.flat_map(|(p, mesh)| mesh.elastics.iter().map(move |line| (p, mesh, line)));
    let all = lines.map(|(p, mesh, line)| {
        let places = line.vertices.iter().map(|v| merged.place(worn, p, *v));
        let off: f64 = places.map(|x| (x - plane.point).dot(plane.normal).abs()).sum();
        let flat = line.vertices.windows(2).map(|w| {
            let [a, b] = [w[0], w[1]].map(|v| mesh.mesh.positions[v as usize]);
            a.distance(b)
        });
        (off / line.vertices.len().max(1) as f64, line.ratio * flat.sum::<f64>())
    });
    let near = all.filter(|(off, _)| *off <= ELASTIC_RANGE);
    near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, length)| length)
}

/// The plane of a tape, its normal upwards.
fn plane_of(tape: &Tape) -> Option<Plane> {
    let n = tape.line.len();
    let mut normal = DVec3::ZERO;
    for (k, a) in tape.line.iter().enumerate() {
        normal += (*a - tape.line[0]).cross(tape.line[(k + 1) % n] - tape.line[0]);
    }
    let normal = normal.try_normalize()?;
    let normal = if normal.y < 0.0 { -normal } else { normal };
    Some(Plane { point: Loop { points: tape.line.clone() }.centroid(), normal })
}

/// The section of the body that is in the plane's middle, and the middles of its others.
fn sections_of_body(worn: &Worn<'_>, plane: Plane) -> Option<(Loop, Vec<DVec3>)> {
    let mut loops = slice(worn.body, plane);
    let at = loops.iter().position(|l| is_around(&l.points, plane.normal, plane.point))?;
    let around = loops.swap_remove(at);
    let inside = |p: &DVec3| is_around(&around.points, plane.normal, *p);
    let others = loops.iter().map(Loop::centroid).filter(|p| !inside(p)).collect();
    Some((around, others))
}
