//! Sleeves that have frames of their own, rolled around the arms.
//!
//! GarmentCode draws a sleeve as a front and a back that stand flat before and behind the arm. Drawn together by threads from there, they
//! crumple above it. Here both are rolled to halves of one tube along the arm, as wide as both together, so that the seams above and below the arm
//! are closed but for a gap. The tube rests on nothing: its lower side is a clearance below the arm, all its room is above. It is slid
//! down the arm until it is beyond the panels of the trunk, which would otherwise be sewn over it.

use super::curve::is_within;
use super::place::Place;
use super::{CLEARANCE, TUBE_OPENING, UPRIGHT};
use crate::error::Error;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use toile_body::{Landmarks, Part};
use toile_mesh::TriMesh;
use toile_pattern::{BodyPart, Frame, Panel, Pattern};

/// Lines across a panel along which its width is measured.
const LINES: u32 = 24;
/// How far sleeves are slid down the arm at a time, and at most [m].
const SLIDE: f64 = 0.02;
const MAX_SLIDE: f64 = 0.3;
/// Where the arm is measured, from shoulder to wrist: near the shoulder sections meet the trunk.
const ARM_SHARES: [f64; 4] = [0.35, 0.5, 0.65, 0.8];
/// Arms are no thicker than this [m].
const MAX_ARM_RADIUS: f64 = 0.12;

/// An arm, as sleeves are rolled around it.
struct Arm {
    shoulder: DVec3,
    /// Unit vectors along it, above it, and before it.
    down: DVec3,
    over: DVec3,
    front: DVec3,
    /// Unit vector along it, seen from the front.
    along: DVec2,
    radius: f64,
}

/// A panel of a sleeve in the coordinates of its arm, seen from the front: along it from the shoulder, and up across it.
struct Piece {
    panel: usize,
    frame: Frame,
    outline: Vec<DVec2>,
    is_front: bool,
    /// Its greatest width, and the middle of it [m].
    width: f64,
    middle: f64,
}

/// Places of the framed panels of sleeves, by the number of the panel; nothing for all others. `places` are those of the trunk.
pub(super) fn rolled(
    pattern: &Pattern,
    places: &[Place],
    body: &TriMesh,
    landmarks: &Landmarks,
    lift: f64,
) -> Result<Vec<Option<Place>>, Error> {
    let trunk = trunk_outlines(pattern, places);
    let mut rolled = vec![None; pattern.panels.len()];
    for (arm, part) in [BodyPart::LeftArm, BodyPart::RightArm].into_iter().enumerate() {
        let panels = pattern.panels.iter().enumerate();
        let own = panels.filter(|(_, p)| p.placement.part == Some(part));
        let sleeve: Vec<(usize, Frame)> = own.filter_map(|(i, p)| Some((i, upright(p)?))).collect();
        if sleeve.is_empty() {
            continue;
        }
        let arm = Arm::new(arm, body, landmarks)?;
        let piece = |(i, frame): &(usize, Frame)| arm.piece(*i, &pattern.panels[*i], *frame, lift);
        let pieces: Vec<Piece> = sleeve.iter().map(piece).collect();
        let put = |slide: f64| -> Vec<Place> {
            pieces.iter().map(|p| arm_place(&arm, p, &pieces, lift, slide)).collect()
        };
        let is_beyond = |slide: f64| {
            pieces.iter().zip(put(slide)).all(|(piece, place)| {
                let points = pattern.panels[piece.panel].edges.iter().flat_map(|e| e.divide(8));
                let seen: Vec<DVec2> = points.map(|p| place.point(p).truncate()).collect();
                let same = trunk.iter().filter(|(is_front, _)| *is_front == piece.is_front);
                same.into_iter().all(|(_, line)| !seen.iter().any(|p| is_within(*p, line)))
            })
        };
        let mut slides = (0..=(MAX_SLIDE / SLIDE) as u32).map(|k| SLIDE * f64::from(k));
        let slide = slides.find(|slide| is_beyond(*slide)).unwrap_or(MAX_SLIDE);
        for (piece, place) in pieces.iter().zip(put(slide)) {
            rolled[piece.panel] = Some(place);
        }
    }
    Ok(rolled)
}

/// The frame of a panel if it stands upright before or behind the body.
fn upright(panel: &Panel) -> Option<Frame> {
    panel.placement.frame.filter(|f| (f.rotation * DVec3::Z).z.abs() > UPRIGHT)
}

/// Outlines of the framed panels of the trunk, seen from the front, and whether they are before the body.
fn trunk_outlines(pattern: &Pattern, places: &[Place]) -> Vec<(bool, Vec<DVec2>)> {
    let panels = pattern.panels.iter().zip(places);
    let torso = panels.filter(|(p, _)| p.placement.part == Some(BodyPart::Torso));
    let outline = |(p, place): (&Panel, &Place)| {
        let frame = upright(p)?;
        let points = p.edges.iter().flat_map(|e| e.divide(8));
        Some((is_front(&frame), points.map(|q| place.point(q).truncate()).collect()))
    };
    torso.filter_map(outline).collect()
}

fn seen_from_front(frame: &Frame, p: DVec2, lift: f64) -> DVec2 {
    (frame.translation + frame.rotation * p.extend(0.0) + DVec3::Y * lift).truncate()
}

/// Whether the right side of a panel looks to the front.
fn is_front(frame: &Frame) -> bool {
    (frame.rotation * DVec3::Z).z > 0.0
}

impl Arm {
    fn new(arm: usize, body: &TriMesh, landmarks: &Landmarks) -> Result<Self, Error> {
        let part = [Part::LeftArm, Part::RightArm][arm];
        let (shoulder, wrist) = (landmarks.shoulder[arm], landmarks.wrist[arm]);
        let down = (wrist - shoulder).normalize();
        let over = DVec3::Y.reject_from_normalized(down);
        // Arms that hang straight down have their outer side above.
        let outward = DVec3::X * wrist.x.signum();
        let over = over.try_normalize().unwrap_or(outward);
        let front = over.cross(down);
        let front = front * front.z.signum();
        let mut radius = 0.0_f64;
        for share in ARM_SHARES {
            let points = landmarks.section(body, part, share)?.points;
            let far = |p: &DVec3| (*p - shoulder).reject_from_normalized(down).length();
            radius = points.iter().map(far).fold(radius, f64::max);
        }
        let radius = radius.min(MAX_ARM_RADIUS);
        let along = down.truncate().normalize_or(DVec2::NEG_Y);
        Ok(Self { shoulder, down, over, front, along, radius })
    }

    /// Unit vector across it, seen from the front, upwards.
    fn across(&self) -> DVec2 {
        let across = self.along.perp();
        across * across.dot(self.over.truncate()).signum()
    }

    fn seen(&self, p: DVec2) -> DVec2 {
        let from = p - self.shoulder.truncate();
        DVec2::new(from.dot(self.along), from.dot(self.across()))
    }

    fn piece(&self, index: usize, panel: &Panel, frame: Frame, lift: f64) -> Piece {
        let points = panel.edges.iter().flat_map(|e| e.divide(8));
        let outline: Vec<DVec2> =
            points.map(|p| self.seen(seen_from_front(&frame, p, lift))).collect();
        let (width, middle) = widest(&outline);
        Piece { panel: index, frame, outline, is_front: is_front(&frame), width, middle }
    }
}

impl Piece {
    /// The panel on the other side of the arm that lies over most of it.
    fn other<'a>(&self, pieces: &'a [Self]) -> Option<&'a Self> {
        let overlap = |p: &&Self| {
            let ([a, b], [c, d]) = (range(&self.outline), range(&p.outline));
            b.min(d) - a.max(c)
        };
        let others = pieces.iter().filter(|p| p.is_front != self.is_front);
        others.max_by(|a, b| overlap(a).total_cmp(&overlap(b)))
    }
}

/// Where an outline begins and ends along the arm.
fn range(outline: &[DVec2]) -> [f64; 2] {
    let low = outline.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
    [low, outline.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max)]
}

/// Where an outline begins and ends across the arm, at a distance along it.
fn across(outline: &[DVec2], at: f64) -> Option<[f64; 2]> {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for (k, a) in outline.iter().enumerate() {
        let b = outline[(k + 1) % outline.len()];
        if (a.x > at) != (b.x > at) {
            let y = a.y + (at - a.x) / (b.x - a.x) * (b.y - a.y);
            (least, most) = (least.min(y), most.max(y));
        }
    }
    (least <= most).then_some([least, most])
}

/// The greatest extent of an outline across the arm, and the middle of it.
fn widest(outline: &[DVec2]) -> (f64, f64) {
    let [low, high] = range(outline);
    let at = |k: u32| low + (high - low) * (f64::from(k) + 0.5) / f64::from(LINES);
    let lines = (0..LINES).filter_map(|k| across(outline, at(k)));
    let widest = lines.max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    widest.map_or((0.0, 0.0), |[a, b]| (b - a, 0.5 * (a + b)))
}

/// The place of a panel, slid down the arm.
fn arm_place(arm: &Arm, piece: &Piece, pieces: &[Piece], lift: f64, slide: f64) -> Place {
    let other = piece.other(pieces);
    let width = piece.width + other.map_or(piece.width, |p| p.width) + 2.0 * TUBE_OPENING;
    let least = arm.radius + CLEARANCE;
    let radius = (width / TAU).max(least);
    // The map from the pattern to the coordinates of the arm is a turn: its rows and where the origin goes.
    let origin = arm.seen(seen_from_front(&piece.frame, DVec2::ZERO, lift));
    let [x, y] =
        [DVec2::X, DVec2::Y].map(|e| arm.seen(seen_from_front(&piece.frame, e, lift)) - origin);
    Place::Rolled {
        centre: arm.shoulder + arm.over * (radius - least) + arm.down * (slide + origin.x),
        down: arm.down,
        over: arm.over,
        out: if piece.is_front { arm.front } else { -arm.front },
        along: DVec2::new(x.x, y.x),
        across: DVec2::new(x.y, y.y),
        middle: piece.middle - origin.y,
        radius,
    }
}
