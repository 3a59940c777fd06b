//! Panels that have a frame of their own: what they are lifted by, and where the frame is not followed.
//!
//! Skirts that would close around the arms lie like a roof, and wide panels of the trunk are bent so that their sides pass between arm and trunk.

use super::curve::is_within;
use super::place::Place;
use super::{BodyContext, TUBE_OPENING, UPRIGHT, bounds};
use glam::{DVec2, DVec3};
use toile_body::Landmarks;
use toile_pattern::{BodyPart, Frame, Panel, Pattern};

/// How sharply wide panels of the trunk are bent [m].
const TRUNK_BEND_RADIUS: f64 = 0.06;
/// How far before panels of the trunk sleeves are put that would lie within [m].
pub(super) const BEFORE_TRUNK: f64 = 0.03;
/// How far below the armpits a top without shoulders begins [m].
const BELOW_ARMPIT: f64 = 0.01;
/// How near to an arm a skirt may be [m].
const BESIDE_ARM: f64 = 0.06;

/// How far from the middle, to the front and back, framed panels of an arm must be at least so that they do not lie within panels of the
/// trunk, which would be sewn over the shoulder with the sleeve inside; nothing if none does.
pub(super) fn outside_trunk(pattern: &Pattern, arm: usize) -> f64 {
    let outlines = |part: BodyPart| -> Vec<(f64, Vec<DVec2>)> {
        let framed = pattern.panels.iter().filter(|p| p.placement.part == Some(part));
        let put = |p: &Panel| {
            let frame = p.placement.frame?;
            let points = p.edges.iter().flat_map(|e| e.divide(8));
            let put = |q: DVec2| (frame.translation + frame.rotation * q.extend(0.0)).truncate();
            Some((frame.translation.z, points.map(put).collect()))
        };
        framed.filter_map(put).collect()
    };
    let sleeves = outlines([BodyPart::LeftArm, BodyPart::RightArm][arm]);
    let is_before = |(z, panel): &&(f64, Vec<DVec2>)| {
        let same = sleeves.iter().filter(|sleeve| sleeve.0 * z > 0.0);
        same.into_iter().any(|(_, sleeve)| {
            sleeve.iter().any(|p| is_within(*p, panel))
                || panel.iter().any(|p| is_within(*p, sleeve))
        })
    };
    let trunk = outlines(BodyPart::Torso);
    let depths = trunk.iter().filter(is_before).map(|(z, _)| z.abs() + BEFORE_TRUNK);
    depths.fold(0.0, f64::max)
}

/// How low framed panels of trunk and waist reach [m].
pub(super) fn ceiling(pattern: &Pattern) -> f64 {
    let above = |p: &&Panel| matches!(p.placement.part, Some(BodyPart::Torso | BodyPart::Waist));
    let framed = pattern.panels.iter().filter(above).filter_map(|p| Some((p, p.placement.frame?)));
    let heights = framed.flat_map(|(p, frame)| {
        let points = p.edges.iter().flat_map(|e| e.divide(8));
        points.map(move |q| (frame.translation + frame.rotation * q.extend(0.0)).y)
    });
    heights.fold(f64::INFINITY, f64::min)
}

/// What frames must be lifted by so that the highest panel of the trunk begins at the neck, or of a skirt at the waist.
pub(super) fn lift(pattern: &Pattern, landmarks: &Landmarks) -> f64 {
    let top = |wanted: BodyPart| {
        let framed = pattern.panels.iter().filter(|p| p.placement.part == Some(wanted));
        let heights =
            framed.filter_map(|p| Some((p, p.placement.frame?))).flat_map(|(p, frame)| {
                let points = p.edges.iter().flat_map(|e| e.divide(8));
                points.map(move |q| (frame.translation + frame.rotation * q.extend(0.0)).y)
            });
        heights.max_by(f64::total_cmp)
    };
    if let Some(side) = strapless(pattern) {
        return landmarks.armpit[0].y.min(landmarks.armpit[1].y) - BELOW_ARMPIT - side;
    }
    let neck = landmarks.side_neck[0].y + 0.01;
    let (torso, hips) = (top(BodyPart::Torso), top(BodyPart::Hips));
    torso.map(|y| neck - y).or(hips.map(|y| landmarks.waist.y - y)).unwrap_or(0.0)
}

/// The upper end of the side seams of a top that has no shoulders and nothing above them; nothing if it has.
pub(super) fn strapless(pattern: &Pattern) -> Option<f64> {
    let above = |p: &Panel| {
        let part = p.placement.part;
        let limbs = [BodyPart::Neck, BodyPart::Head, BodyPart::LeftArm, BodyPart::RightArm];
        part.is_some_and(|part| limbs.contains(&part))
    };
    if pattern.panels.iter().any(above) {
        return None;
    }
    let framed = |part: &toile_pattern::EdgePart| {
        let panel = pattern.panel(&part.panel)?;
        let frame =
            panel.placement.frame.filter(|_| panel.placement.part == Some(BodyPart::Torso))?;
        let edge = panel.edge(&part.edge)?;
        let put = |p: DVec2| frame.translation + frame.rotation * p.extend(0.0);
        Some((panel.placement.side?, [put(edge.from), put(edge.to)]))
    };
    let mut highest: Option<f64> = None;
    for seam in &pattern.seams {
        let ends = [&seam.a, &seam.b].map(|side| side.first().and_then(framed));
        let [Some((side, a)), Some((other, b))] = ends else { continue };
        if side == other {
            continue;
        }
        let run = |[p, q]: [DVec3; 2]| (q - p).abs();
        let whole = run(a) + run(b);
        if whole.x > whole.y {
            // A seam that runs across joins front and back over the shoulder.
            return None;
        }
        let top = a.iter().chain(&b).map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        highest = Some(highest.map_or(top, |h| h.max(top)));
    }
    highest
}

impl BodyContext<'_> {
    /// A place like a roof for an upright panel of a skirt whose frame would put it beyond an arm: sewn to the other half it would
    /// close around that.
    pub(super) fn roof(&self, panel: &Panel, frame: &Frame, points: &[DVec2]) -> Option<Place> {
        let turned = |v: DVec3| frame.rotation * v;
        let is_upright = turned(DVec3::Y).y > UPRIGHT && turned(DVec3::Z).z.abs() > UPRIGHT;
        if panel.placement.part != Some(BodyPart::Hips) || !is_upright {
            return None;
        }
        let up = DVec3::Y * self.lift;
        let put = |p: &DVec2| frame.translation + up + turned(p.extend(0.0));
        if !points.iter().any(|p| self.is_beyond_an_arm(put(p), BESIDE_ARM)) {
            return None;
        }
        let (_, high) = bounds(points);
        let side = turned(DVec3::Z).z.signum();
        let top = frame.translation.y + self.lift + high.y;
        let top = top.min(self.landmarks.waist.y).min(self.ceiling - TUBE_OPENING);
        Some(self.level(side, top, high.y, -side * frame.translation.x))
    }

    /// An upright panel of the trunk that reaches beyond an arm below it: bent, so that its sides pass between arm and trunk.
    pub(super) fn bow(&self, panel: &Panel, frame: &Frame, points: &[DVec2]) -> Option<Place> {
        let turned = |v: DVec3| frame.rotation * v;
        let is_upright = turned(DVec3::Y).y > UPRIGHT && turned(DVec3::Z).z.abs() > UPRIGHT;
        let origin = frame.translation + DVec3::Y * self.lift;
        let is_beyond = |p: &DVec2| self.is_beyond_an_arm(origin + turned(p.extend(0.0)), 0.0);
        if panel.placement.part != Some(BodyPart::Torso) || !is_upright {
            return None;
        }
        let side = turned(DVec3::Z).z.signum();
        let level = 0.8 * self.landmarks.shoulder[0].x.abs();
        let place = Place::Bent {
            origin: DVec3::new(0.0, origin.y, origin.z),
            side,
            middle: -side * origin.x,
            level,
            bend: TRUNK_BEND_RADIUS,
        };
        points.iter().any(is_beyond).then_some(place)
    }

    /// Whether a point is as far from the middle as an arm at its height, or nearer to it than `margin`.
    fn is_beyond_an_arm(&self, p: DVec3, margin: f64) -> bool {
        let marks = self.landmarks;
        let arm = usize::from(p.x < 0.0);
        let (shoulder, elbow, wrist) = (marks.shoulder[arm], marks.elbow[arm], marks.wrist[arm]);
        let tip = marks.hand[arm];
        [[shoulder, elbow], [elbow, wrist], [wrist, tip]].into_iter().any(|[a, b]| {
            let t = (a.y - p.y) / (a.y - b.y).max(1e-9);
            (0.0..=1.0).contains(&t) && p.x.abs() > a.lerp(b, t).x.abs() - margin
        })
    }
}
