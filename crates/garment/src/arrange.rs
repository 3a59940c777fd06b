//! Panels around a body (G3): bent onto developable volumes, so that they are not stretched.
//!
//! Panels for the front and back of the trunk stand as flat sheets before and behind it. Panels that go around an arm are
//! rolled up to a tube around its axis, wide enough to clear it; bands around neck and waist stand upright on the
//! section of the body there, turned so that the vertices to be sewn are as near as they can be. Panels of trousers stand
//! upright on a curve around one leg and its half of the hips, which runs back between the legs, so that the inner seams are
//! nearly closed. Skirts that are so wide that the hands would be within lie before and behind the waist and hang down at the
//! sides, like a roof. Where a panel touches something it is moved away from the body, a little at a time. Inner layers come first;
//! sheets of outer ones stand before them, and a little higher, so that their shoulders close above those within.
//!
//! Panels that have a frame of their own are put there, all of them lifted so that the highest is at the neck or waist of this
//! body.
//!
//! Limits: tubes and bands of an outer layer must be wider than those within. The body stands upright, faces +z, and holds its arms away from the trunk.

mod curve;
mod frames;
mod place;
mod sleeve;

use crate::error::Error;
use curve::{centre, hull, offset};
use frames::{ceiling, lift, outside_trunk};
use glam::{DVec2, DVec3};
use place::Place;
use std::f64::consts::{PI, TAU};
use toile_audit::Shape;
use toile_body::{Landmarks, Part};
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;
use toile_pattern::{BodyPart, Panel, Pattern, Side};

/// Room between body and panel [m].
const CLEARANCE: f64 = 0.015;
/// How far a panel is moved away at a time, and how often [m].
const MOVE_STEP: f64 = 0.015;
const MAX_MOVES: u32 = 14;
/// Directions that a tube is tried in.
const TUBE_ANGLES: u32 = 36;
/// Room between the edges of a tube, and between panels side by side [m].
const TUBE_OPENING: f64 = 0.006;

/// Half the room between the panels of the two legs [m].
const LEG_HALF_GAP: f64 = 0.003;
/// How sharply wide skirts are bent at the sides [m].
const ROOF_BEND_RADIUS: f64 = 0.12;
/// A panel stands upright if its own upright and its normal are so nearly those of the body.
const UPRIGHT: f64 = 0.99;

/// How sleeves begin that have frames of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sleeves {
    /// Rolled around the arm, and closed before they are sewn to anything.
    Rolled,
    /// Where their frames put them, before and behind the arm.
    Flat,
}

/// What is worn within a band is so near to the body there [m]; what is farther away is a sleeve.
const BESIDE_SECTION: f64 = 0.08;

/// Where all panels are.
#[derive(Clone, Debug)]
pub struct Arrangement {
    /// Positions of the vertices of each panel [m].
    pub panels: Vec<Vec<DVec3>>,
    /// Which panels are bands around the waist.
    pub bands: Vec<bool>,
    /// The arm that a panel is rolled around, 0 the left one, if it is half a sleeve.
    pub sleeves: Vec<Option<u32>>,
    /// Whether all panels have frames of their own: such formats do not say what holds a garment up.
    pub is_framed: bool,
}

/// Arranges the panels of a pattern around a body.
///
/// # Errors
/// If a panel has no place or cannot be put clear of the body and the others.
pub fn arrange(
    pattern: &Pattern,
    mesh: &PatternMesh,
    body: &TriMesh,
    landmarks: &Landmarks,
) -> Result<Arrangement, Error> {
    arrange_over(pattern, mesh, body, landmarks, Sleeves::Rolled, &TriMesh::default(), 0)
}

/// The same around a body that wears something already: walls and legs go around that, too, and no panel touches it. Every panel is
/// moved away from its place `moves` times at least. Sleeves that have frames of their own begin as asked.
///
/// # Errors
/// As for [`arrange()`].
pub(crate) fn arrange_over(
    pattern: &Pattern,
    mesh: &PatternMesh,
    body: &TriMesh,
    landmarks: &Landmarks,
    sleeves: Sleeves,
    worn: &TriMesh,
    moves: u32,
) -> Result<Arrangement, Error> {
    let pattern = &pattern.with_hints();
    let solid = Shape::from(body);
    let lift = lift(pattern, landmarks);
    let ceiling = ceiling(pattern) + lift;
    let out = [0, 1].map(|arm| outside_trunk(pattern, arm));
    let room = BodyContext { body, worn, landmarks, solid, lift, ceiling, out };
    let flat: Vec<Vec<DVec2>> = mesh
        .panels
        .iter()
        .map(|p| p.mesh.positions.iter().map(|p| p.truncate()).collect())
        .collect();
    let mut places = Vec::new();
    for (panel, points) in pattern.panels.iter().zip(&flat) {
        places.push(room.place(panel, points)?);
    }
    let rolled = match sleeves {
        Sleeves::Rolled => sleeve::rolled(pattern, &places, body, landmarks, lift)?,
        Sleeves::Flat => vec![None; places.len()],
    };
    let at = |places: &[Place], panel: u32, vertex: u32| {
        places[panel as usize].point(flat[panel as usize][vertex as usize])
    };
    // Tubes that may be turned go after the others, towards what they are sewn to.
    for (i, panel) in pattern.panels.iter().enumerate() {
        let free = matches!(panel.placement.part, Some(BodyPart::Neck | BodyPart::Waist));
        if !free {
            continue;
        }
        let start = places[i].clone();
        let mut best = (f64::INFINITY, start.clone());
        for turn in 0..TUBE_ANGLES {
            places[i] = start.clone().turned(f64::from(turn) / f64::from(TUBE_ANGLES));
            let pairs = mesh.stitchings.iter().flat_map(|s| &s.pairs);
            let far: f64 = pairs
                .filter(|p| p.iter().any(|v| v.panel as usize == i))
                .map(|[a, b]| {
                    at(&places, a.panel, a.vertex).distance_squared(at(&places, b.panel, b.vertex))
                })
                .sum();
            if far < best.0 {
                best = (far, places[i].clone());
            }
        }
        places[i] = best.1;
    }
    let mut panels: Vec<Vec<DVec3>> = vec![Vec::new(); flat.len()];
    let mut before = TriMesh::new(worn.positions.clone(), worn.triangles.clone());
    // Inner layers first: what is worn outside is put around them.
    let mut order: Vec<usize> = (0..flat.len()).collect();
    order.sort_by_key(|i| pattern.panels[*i].layer);
    let mut within: Vec<(i32, Place)> = Vec::new();
    for i in order {
        let panel = &pattern.panels[i];
        let inner: Vec<(i32, Place)> =
            within.iter().filter(|(layer, _)| *layer < panel.layer).cloned().collect();
        // What cannot be rolled around an arm is put where its frame says.
        let starts = rolled[i].clone().into_iter().chain([places[i].clone().outside(&inner)]);
        let tries = starts.flat_map(|s| (moves..MAX_MOVES).map(move |k| (s.clone(), k)));
        let clear = tries.into_iter().find_map(|(start, k)| {
            let place = start.moved(MOVE_STEP * f64::from(k));
            let x: Vec<DVec3> = flat[i].iter().map(|p| place.point(*p)).collect();
            match room.touches(&before, &mesh.panels[i].mesh, &x) {
                Ok(None) => Some(Ok((place, x))),
                Ok(Some(_)) => None,
                Err(error) => Some(Err(error)),
            }
        });
        let (place, x) = clear.unwrap_or_else(|| {
            let what = "the body and the other panels".into();
            Err(Error::NotClear { panel: panel.name.clone(), what })
        })?;
        let mut put = mesh.panels[i].mesh.clone();
        put.positions.clone_from(&x);
        before.append(&TriMesh::new(put.positions, put.triangles));
        panels[i] = x;
        within.push((panel.layer, place));
    }
    let band = |p: &Panel| p.placement.part == Some(BodyPart::Waist);
    let is_framed = pattern.panels.iter().all(|p| p.placement.frame.is_some());
    let arm = |(p, place): (&Panel, &Option<Place>)| {
        place.as_ref().map(|_| u32::from(p.placement.part == Some(BodyPart::RightArm)))
    };
    let sleeves = pattern.panels.iter().zip(&rolled).map(arm).collect();
    let bands = pattern.panels.iter().map(band).collect();
    Ok(Arrangement { panels, bands, sleeves, is_framed })
}

/// The body that panels are put around.
struct BodyContext<'a> {
    body: &'a TriMesh,
    /// What it wears already.
    worn: &'a TriMesh,
    landmarks: &'a Landmarks,
    solid: Shape,
    /// What frames are lifted by [m].
    lift: f64,
    /// What lies like a roof must be below this, the lower end of what is worn above [m].
    ceiling: f64,
    /// How far before and behind the middle framed panels of the left and the right arm must be [m].
    out: [f64; 2],
}

impl BodyContext<'_> {
    fn place(&self, panel: &Panel, points: &[DVec2]) -> Result<Place, Error> {
        if let Some(frame) = panel.placement.frame {
            let around = self.roof(panel, &frame, points).or(self.bow(panel, &frame, points));
            if let Some(place) = around {
                return Ok(place);
            }
            let turn = |v: DVec3| frame.rotation * v;
            let away = turn(DVec3::Z);
            let out = match panel.placement.part {
                Some(BodyPart::LeftArm) => self.out[0],
                Some(BodyPart::RightArm) => self.out[1],
                _ => 0.0,
            };
            let mut origin = frame.translation + DVec3::Y * self.lift;
            origin.z = origin.z.abs().max(out).copysign(origin.z);
            return Ok(Place::Flat { origin, across: turn(DVec3::X), up: turn(DVec3::Y), away });
        }
        let none =
            |reason: &str| Err(Error::NoPlace { panel: panel.name.clone(), reason: reason.into() });
        let Some(part) = panel.placement.part else {
            return none("it does not say which part of the body it is for");
        };
        let (low, high) = bounds(points);
        match (part, panel.placement.side) {
            (BodyPart::LeftArm, _) => self.around_arm(0, low, high),
            (BodyPart::RightArm, _) => self.around_arm(1, low, high),
            (BodyPart::Neck, _) => {
                self.around(Part::Neck, 0.5, self.landmarks.side_neck[0].y + 0.03, low, high)
            }
            (BodyPart::Waist, _) => {
                self.around(Part::Trunk, self.waist_share(), self.landmarks.waist.y, low, high)
            }
            (BodyPart::Head, _) => none("nothing is made for heads yet"),
            (BodyPart::LeftLeg, Some(Side::Front)) => self.around_leg([1.0, 1.0], points),
            (BodyPart::LeftLeg, Some(Side::Back)) => self.around_leg([1.0, -1.0], points),
            (BodyPart::RightLeg, Some(Side::Front)) => self.around_leg([-1.0, 1.0], points),
            (BodyPart::RightLeg, Some(Side::Back)) => self.around_leg([-1.0, -1.0], points),
            (_, Some(Side::Front | Side::Around) | None) => Ok(self.flat(part, 1.0, low, high)),
            (_, Some(Side::Back)) => Ok(self.flat(part, -1.0, low, high)),
            (_, Some(Side::Left | Side::Right)) => {
                none("only front and back are known for this part")
            }
        }
    }

    /// Before (+1) or behind (−1) the body.
    fn flat(&self, part: BodyPart, side: f64, low: DVec2, high: DVec2) -> Place {
        let top = match part {
            BodyPart::Torso => self.landmarks.side_neck[0].y + 0.01,
            _ => self.landmarks.waist.y,
        };
        let depth = self.depth(side, top - (high.y - low.y), top) + CLEARANCE;
        let reach = self.landmarks.wrist.iter().map(|p| p.x.abs()).fold(f64::INFINITY, f64::min);
        if part == BodyPart::Hips && high.x.max(-low.x) > reach {
            return self.level(side, top, high.y, 0.0);
        }
        // The right side of the cloth looks away from the body, so what is behind is turned around.
        Place::Flat {
            origin: DVec3::new(0.0, top - high.y, side * depth),
            across: DVec3::X * side,
            up: DVec3::Y,
            away: DVec3::Z * side,
        }
    }

    /// Lying before or behind the body at a height, its edge at `high` next to it, and hanging down at the sides.
    fn level(&self, side: f64, top: f64, high: f64, middle: f64) -> Place {
        let depth = self.depth(side, top - ROOF_BEND_RADIUS, top) + CLEARANCE;
        let origin = DVec3::new(0.0, top, side * (depth + high));
        Place::Roof { origin, side, middle, level: self.width(top), bend: ROOF_BEND_RADIUS }
    }

    /// Half the width of the trunk at a height, without arms.
    fn width(&self, y: f64) -> f64 {
        let x = self.landmarks.shoulder[0].x.abs();
        let near = |p: &&DVec3| (p.y - y).abs() < 0.02 && p.x.abs() < x;
        self.body.positions.iter().filter(near).map(|p| p.x.abs()).fold(0.0, f64::max)
    }

    /// Upright around a leg and its half of the hips: the left (+1) or right (−1) leg, the front (+1) or back (−1).
    ///
    /// The inner edge of the upper part of the panel is at the middle of the front or back; what reaches beyond it runs
    /// between the legs.
    fn around_leg(&self, [leg, side]: [f64; 2], points: &[DVec2]) -> Result<Place, Error> {
        let (low, high) = bounds(points);
        let marks = self.landmarks;
        let top = marks.waist.y;
        let bottom = top - (high.y - low.y);
        // Arms are farther away from the middle than any part of hips and legs.
        let widest = 1.3 * self.width(marks.hip.y);
        let inside = |p: &&DVec3| (bottom..top).contains(&p.y) && p.x.abs() < widest;
        let level: Vec<DVec3> = self
            .body
            .positions
            .iter()
            .chain(&self.worn.positions)
            .filter(inside)
            .map(|p| DVec3::new(leg * (leg * p.x).max(0.0), 0.0, p.z))
            .collect();
        let mut curve = hull(&level);
        if curve.len() < 3 {
            return Err(toile_body::Error::NotHuman { what: "it has no legs".into() }.into());
        }
        offset(&mut curve, CLEARANCE);
        curve.iter_mut().for_each(|p| p.x = leg * (leg * p.x).max(LEG_HALF_GAP));
        // Towards the middle x falls in the left front and the right back, and grows in the others.
        let upper = points.iter().filter(|p| p.y > high.y - 0.15 * (high.y - low.y)).map(|p| p.x);
        let inner = if leg * side > 0.0 {
            upper.fold(f64::INFINITY, f64::min)
        } else {
            upper.fold(f64::NEG_INFINITY, f64::max)
        };
        Ok(Place::Leg { start: centre(&curve, side) - inner, height: top - high.y, curve })
    }

    /// How far the body reaches to the front or back between two heights, without hands.
    fn depth(&self, side: f64, low: f64, high: f64) -> f64 {
        let x = 1.1 * self.landmarks.shoulder[0].x.abs();
        let near = |p: &&DVec3| (low..high).contains(&p.y) && p.x.abs() < x;
        self.body.positions.iter().filter(near).map(|p| side * p.z).fold(0.0, f64::max)
    }

    /// A tube around an arm, its top at the shoulder.
    fn around_arm(&self, arm: usize, low: DVec2, high: DVec2) -> Result<Place, Error> {
        let part = [Part::LeftArm, Part::RightArm][arm];
        let volume = self.landmarks.volume(self.body, part)?;
        let (shoulder, elbow) = (self.landmarks.shoulder[arm], self.landmarks.elbow[arm]);
        let down = (elbow - shoulder).normalize();
        let outward = DVec3::X * if arm == 0 { 1.0 } else { -1.0 };
        let out = outward.reject_from_normalized(down).normalize();
        let thick = volume.radii[0].max(volume.radii[1]).min(0.12);
        Ok(Place::Tube {
            origin: shoulder + down * high.y,
            up: -down,
            out,
            radius: radius(high.x - low.x, thick + CLEARANCE),
            away: down,
        })
    }

    /// Where the waist is along the trunk.
    fn waist_share(&self) -> f64 {
        let axis = self.landmarks.axis(Part::Trunk);
        let below = axis.iter().position(|p| *p == self.landmarks.waist).unwrap_or(0);
        toile_body::length(&axis[..=below], false) / toile_body::length(&axis, false)
    }

    /// A level wall around the trunk or neck, its foot at a height: along the section of the body at a share of
    /// its axis, or as much wider as the panel is longer.
    fn around(
        &self,
        part: Part,
        share: f64,
        foot: f64,
        low: DVec2,
        high: DVec2,
    ) -> Result<Place, Error> {
        let section = self.landmarks.section(self.body, part, share)?;
        let mut curve: Vec<DVec3> =
            section.points.iter().map(|p| DVec3::new(p.x, 0.0, p.z)).collect();
        curve.extend(self.worn_around(&curve, foot, foot + high.y - low.y));
        curve = hull(&curve);
        let short = high.x - low.x + TUBE_OPENING - toile_body::length(&curve, true);
        offset(&mut curve, CLEARANCE.max(short / TAU));
        Ok(Place::Wall { curve, start: -low.x, height: foot - low.y })
    }

    /// Points of what is worn already, between two heights, next to a level section of the body.
    fn worn_around(&self, section: &[DVec3], low: f64, high: f64) -> Vec<DVec3> {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (least, most) = section.iter().fold(start, |(a, b), p| (a.min(*p), b.max(*p)));
        let beside = |p: &&DVec3| {
            let is_level = (low - CLEARANCE..high + CLEARANCE).contains(&p.y);
            let d = (least - **p).max(**p - most);
            is_level && d.x.max(d.z) < BESIDE_SECTION
        };
        let worn = self.worn.positions.iter().filter(beside);
        worn.map(|p| DVec3::new(p.x, 0.0, p.z)).collect()
    }

    /// Whether a panel touches the body or those that are there already: what, if so.
    fn touches(
        &self,
        before: &TriMesh,
        panel: &TriMesh,
        x: &[DVec3],
    ) -> Result<Option<&'static str>, Error> {
        let inside = toile_audit::body_penetrations(x, &panel.triangles, &self.solid)?;
        if !inside.triangles.is_empty() {
            return Ok(Some("the body"));
        }
        let mut all = before.clone();
        all.append(&TriMesh::new(x.to_vec(), panel.triangles.clone()));
        let crossing = toile_audit::self_intersections(&all.positions, &all.triangles)?;
        Ok((!crossing.is_empty()).then_some("another panel"))
    }
}

/// Radius of a tube of a panel that leaves an opening, at least so large.
fn radius(width: f64, least: f64) -> f64 {
    ((width + TUBE_OPENING) / (2.0 * PI)).max(least)
}

fn bounds(points: &[DVec2]) -> (DVec2, DVec2) {
    let start = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    points.iter().fold(start, |(low, high), p| (low.min(*p), high.max(*p)))
}

#[cfg(test)]
mod tests;
