//! Panels around a body (G3): bent onto developable volumes, so that they are not stretched.
//!
//! Panels for the front and back of trunk and legs stand as flat sheets before and behind it. Panels that go around an arm are
//! rolled up to a tube around its axis, wide enough to clear it; bands around neck and waist stand upright on the
//! section of the body there, turned so that the vertices to be sewn are as near as they can be. Where a panel touches something it is moved away from the body, a little at a time.
//!
//! Limits: the body stands upright, faces +z, and holds its arms away from the trunk. Panels that have a frame of
//! their own are put there.

use crate::error::Error;
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use toile_audit::Solid;
use toile_body::{Landmarks, Part};
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;
use toile_pattern::{BodyPart, Panel, Pattern, Side};

/// Room between body and panel [m].
const CLEARANCE: f64 = 0.015;
/// How far a panel is moved away at a time, and how often [m].
const MOVE: f64 = 0.015;
const MOVES: u32 = 14;
/// Directions that a tube is tried in.
const TURNS: u32 = 36;
/// Room between the edges of a tube, and between panels side by side [m].
const OPENING: f64 = 0.006;

/// Where all panels are.
#[derive(Clone, Debug)]
pub struct Arrangement {
    /// Positions of the vertices of each panel [m].
    pub panels: Vec<Vec<DVec3>>,
}

/// A place for a panel: a map of the plane into space without stretch.
#[derive(Clone, Debug)]
enum Place {
    /// p = origin + x a + y b.
    Flat { origin: DVec3, across: DVec3, up: DVec3, away: DVec3 },
    /// Around an axis through `origin` along `up`; x = 0 lies in direction `out`, and x grows towards `up` × `out`.
    Tube { origin: DVec3, up: DVec3, out: DVec3, radius: f64, away: DVec3 },
    /// Upright on a level closed curve, x = 0 at `start` along it; y = 0 at `height`.
    Wall { curve: Vec<DVec3>, start: f64, height: f64 },
}

impl Place {
    fn point(&self, p: DVec2) -> DVec3 {
        match self {
            Self::Flat { origin, across, up, .. } => *origin + *across * p.x + *up * p.y,
            Self::Tube { origin, up, out, radius, .. } => {
                let (sin, cos) = libm::sincos(p.x / radius);
                *origin + *up * p.y + (*out * cos + up.cross(*out) * sin) * *radius
            }
            Self::Wall { curve, start, height } => {
                let on = along(curve, start + p.x);
                DVec3::new(on.x, height + p.y, on.z)
            }
        }
    }

    fn moved(mut self, way: f64) -> Self {
        match &mut self {
            Self::Flat { origin, away, .. } | Self::Tube { origin, away, .. } => {
                *origin += *away * way;
            }
            Self::Wall { curve, height, .. } => {
                // Wider while that is not much, then also higher.
                offset(curve, 0.2 * way);
                *height += 0.5 * way;
            }
        }
        self
    }

    /// Turned about its axis, by a part of a whole turn.
    fn turned(mut self, part: f64) -> Self {
        if let Self::Wall { curve, start, .. } = &mut self {
            *start += part * toile_body::length(curve, true);
        }
        self
    }
}

/// The point of a closed curve at a distance along it.
fn along(curve: &[DVec3], way: f64) -> DVec3 {
    let mut left = way.rem_euclid(toile_body::length(curve, true));
    for (k, a) in curve.iter().enumerate() {
        let b = curve[(k + 1) % curve.len()];
        let length = a.distance(b);
        if left <= length && length > 0.0 {
            return a.lerp(b, left / length);
        }
        left -= length;
    }
    curve[0]
}

/// Moves the points of a level convex curve outwards.
fn offset(curve: &mut [DVec3], way: f64) {
    let n = curve.len();
    let side = |a: DVec3, b: DVec3| (b - a).cross(DVec3::Y).normalize_or_zero();
    let old = curve.to_vec();
    for k in 0..n {
        let (a, b, c) = (old[(k + n - 1) % n], old[k], old[(k + 1) % n]);
        // The bevel of both sides, lengthened so that the sides themselves move so far.
        let out = (side(a, b) + side(b, c)).normalize_or_zero();
        let lean = out.dot(side(b, c)).max(0.5);
        curve[k] += out * (way / lean);
    }
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
    let solid =
        Solid::Mesh { positions: body.positions.clone(), triangles: body.triangles.clone() };
    let room = Room { body, landmarks, solid };
    let flat: Vec<Vec<DVec2>> = mesh
        .panels
        .iter()
        .map(|p| p.mesh.positions.iter().map(|p| p.truncate()).collect())
        .collect();
    let mut places = Vec::new();
    for (panel, points) in pattern.panels.iter().zip(&flat) {
        places.push(room.place(panel, points)?);
    }
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
        for turn in 0..TURNS {
            places[i] = start.clone().turned(f64::from(turn) / f64::from(TURNS));
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
    let mut panels: Vec<Vec<DVec3>> = Vec::new();
    let mut before = TriMesh::default();
    for (i, panel) in pattern.panels.iter().enumerate() {
        let clear = (0..MOVES).find_map(|k| {
            let place = places[i].clone().moved(MOVE * f64::from(k));
            let x: Vec<DVec3> = flat[i].iter().map(|p| place.point(*p)).collect();
            match room.touches(&before, &mesh.panels[i].mesh, &x) {
                Ok(None) => Some(Ok(x)),
                Ok(Some(_)) => None,
                Err(error) => Some(Err(error)),
            }
        });
        let x = clear.unwrap_or_else(|| {
            let what = "the body and the other panels".into();
            Err(Error::NotClear { panel: panel.name.clone(), what })
        })?;
        let mut put = mesh.panels[i].mesh.clone();
        put.positions.clone_from(&x);
        before.append(&TriMesh::new(put.positions, put.triangles));
        panels.push(x);
    }
    Ok(Arrangement { panels })
}

/// The body that panels are put around.
struct Room<'a> {
    body: &'a TriMesh,
    landmarks: &'a Landmarks,
    solid: Solid,
}

impl Room<'_> {
    fn place(&self, panel: &Panel, points: &[DVec2]) -> Result<Place, Error> {
        if let Some(frame) = panel.placement.frame {
            let turn = |v: DVec3| frame.rotation * v;
            let away = turn(DVec3::Z);
            return Ok(Place::Flat {
                origin: frame.translation,
                across: turn(DVec3::X),
                up: turn(DVec3::Y),
                away,
            });
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
        // The right side of the cloth looks away from the body, so what is behind is turned around.
        let shift = match part {
            BodyPart::LeftLeg => OPENING - (side * low.x).min(side * high.x),
            BodyPart::RightLeg => -OPENING - (side * low.x).max(side * high.x),
            _ => 0.0,
        };
        let depth = self.depth(side, top - (high.y - low.y), top);
        Place::Flat {
            origin: DVec3::new(shift, top - high.y, side * (depth + CLEARANCE)),
            across: DVec3::X * side,
            up: DVec3::Y,
            away: DVec3::Z * side,
        }
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
        curve = hull(&curve);
        let short = high.x - low.x + OPENING - toile_body::length(&curve, true);
        offset(&mut curve, CLEARANCE.max(short / TAU));
        Ok(Place::Wall { curve, start: -low.x, height: foot - low.y })
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
    ((width + OPENING) / (2.0 * PI)).max(least)
}

/// The convex hull of level points, in the direction in which cloth with its right side outwards runs: to +x in
/// front.
fn hull(points: &[DVec3]) -> Vec<DVec3> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.z.total_cmp(&b.z)));
    let half = |points: &mut dyn Iterator<Item = &DVec3>| {
        let mut chain: Vec<DVec3> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b - a).cross(*p - b).y > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let mut whole = half(&mut sorted.iter());
    whole.extend(half(&mut sorted.iter().rev()));
    whole
}

fn bounds(points: &[DVec2]) -> (DVec2, DVec2) {
    let start = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    points.iter().fold(start, |(low, high), p| (low.min(*p), high.max(*p)))
}
