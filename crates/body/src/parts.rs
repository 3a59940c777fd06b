//! Parts of a body: axes, sections to wrap cloth around, and volumes to arrange panels on.

use crate::error::Error;
use crate::find::{Finder, Landmarks};
use crate::mannequin::Body;
use crate::slice::Loop;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use toile_mesh::TriMesh;

/// A part of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// From the crotch to the base of the neck.
    Trunk,
    /// The neck.
    Neck,
    /// From the neck to the crown.
    Head,
    /// From the shoulder to the wrist.
    LeftArm,
    /// From the shoulder to the wrist.
    RightArm,
    /// From the hip joint to the ankle.
    LeftLeg,
    /// From the hip joint to the ankle.
    RightLeg,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 7] = [
        Self::Trunk,
        Self::Neck,
        Self::Head,
        Self::LeftArm,
        Self::RightArm,
        Self::LeftLeg,
        Self::RightLeg,
    ];
}

/// A cone or cylinder around a part: developable, so that flat panels can be bent around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Volume {
    /// Which part it encloses.
    pub part: Part,
    /// The two ends of its axis [m].
    pub ends: [DVec3; 2],
    /// Its radius at each end [m].
    pub radii: [f64; 2],
}

impl Volume {
    /// How far a point is outside of the cone; negative inside [m]. Measured across the axis.
    pub fn outside(&self, p: DVec3) -> f64 {
        let [a, b] = self.ends;
        let along = b - a;
        let t = (p - a).dot(along) / along.length_squared();
        let radius = self.radii[0] + t * (self.radii[1] - self.radii[0]);
        (p - a - t * along).length() - radius
    }
}

impl Landmarks {
    /// The axis of a part as a polyline, downwards for limbs and upwards for trunk and head [m].
    pub fn axis(&self, part: Part) -> Vec<DVec3> {
        let base = 0.5 * (self.nape + self.front_neck);
        match part {
            Part::Trunk => vec![self.crotch, self.hip, self.waist, self.underbust, base],
            Part::Neck => vec![base, self.neck],
            Part::Head => vec![self.neck, DVec3::new(self.neck.x, self.crown.y, self.neck.z)],
            Part::LeftArm => vec![self.shoulder[0], self.elbow[0], self.wrist[0]],
            Part::RightArm => vec![self.shoulder[1], self.elbow[1], self.wrist[1]],
            Part::LeftLeg => vec![self.hip_joint[0], self.knee[0], self.ankle[0]],
            Part::RightLeg => vec![self.hip_joint[1], self.knee[1], self.ankle[1]],
        }
    }

    /// The section of a part at a place along its axis, 0 being its beginning and 1 its end.
    ///
    /// Sections of trunk, head and legs are level; those of neck and arms lie across. Where a limb joins the trunk
    /// the section may be that of both.
    ///
    /// # Errors
    /// If the mesh has no closed section there, or the place is not between 0 and 1.
    pub fn section(&self, mesh: &TriMesh, part: Part, place: f64) -> Result<Loop, Error> {
        if !(0.0..=1.0).contains(&place) {
            let (low, high) = ("0".into(), "1".into());
            return Err(Error::Measurement { name: "place", value: place.to_string(), low, high });
        }
        let f = Finder::new(mesh)?;
        let (p, along) = on(&self.axis(part), place);
        // The very ends of a body have no section.
        let margin = 1e-3 * f.height;
        let y = p.y.clamp(f.low + margin, f.low + f.height - margin);
        let found = match part {
            Part::Trunk => f.trunk(y.max(self.crotch.y + margin)),
            Part::Head => f.widest(f.level(y)),
            Part::LeftLeg => f.leg(y.min(self.crotch.y - margin), 1.0),
            Part::RightLeg => f.leg(y.min(self.crotch.y - margin), -1.0),
            Part::Neck | Part::LeftArm | Part::RightArm => f.across(p, along),
        };
        found.ok_or_else(|| Error::NotHuman { what: format!("{part:?} has no section at {place}") })
    }

    /// A cone or cylinder around a part.
    ///
    /// # Errors
    /// If a section of the part cannot be found.
    pub fn volume(&self, mesh: &TriMesh, part: Part) -> Result<Volume, Error> {
        const SECTIONS: u32 = 9;
        let axis = self.axis(part);
        let (Some(a), Some(b)) = (axis.first(), axis.last()) else {
            return Err(Error::NotHuman { what: format!("{part:?} has no axis") });
        };
        let along = *b - *a;
        // Radii by height along the straight axis. Limbs begin where they are free of the trunk.
        let first = match part {
            Part::LeftArm | Part::RightArm => 3,
            Part::LeftLeg | Part::RightLeg => 2,
            _ => 0,
        };
        let mut points: Vec<(f64, f64)> = Vec::new();
        for i in first..=SECTIONS {
            let section = self.section(mesh, part, f64::from(i) / f64::from(SECTIONS))?;
            points.extend(section.points.iter().map(|p| {
                let t = (*p - *a).dot(along) / along.length_squared();
                (t, (*p - *a - t * along).length())
            }));
        }
        // The trunk counts without arms: above the armpits its sections hold them.
        if part == Part::Trunk {
            let armpit = (self.armpit[0] - *a).dot(along) / along.length_squared();
            points.retain(|(t, _)| *t < armpit);
        }
        // The line of least squares, raised until nothing is outside.
        let n = points.len() as f64;
        let (st, sr) = points.iter().fold((0.0, 0.0), |(t, r), p| (t + p.0, r + p.1));
        let (mt, mr) = (st / n, sr / n);
        let (num, den) = points.iter().fold((0.0, 0.0), |(num, den), (t, r)| {
            (num + (t - mt) * (r - mr), den + (t - mt).powi(2))
        });
        let slope = if den > 0.0 { num / den } else { 0.0 };
        let base = points.iter().map(|(t, r)| r - slope * t).fold(f64::MIN, f64::max);
        Ok(Volume { part, ends: [*a, *b], radii: [base, base + slope].map(|r| r.max(1e-3)) })
    }
}

impl Body {
    /// The section of a part at a place along its axis; see [`Landmarks::section`].
    ///
    /// # Errors
    /// As [`Landmarks::section`].
    pub fn girth_section(&self, part: Part, place: f64) -> Result<Loop, Error> {
        self.landmarks.section(&self.mesh, part, place)
    }

    /// A cone or cylinder around each part, in the order of [`Part::ALL`].
    ///
    /// # Errors
    /// As [`Landmarks::volume`].
    pub fn parts(&self) -> Result<Vec<Volume>, Error> {
        Part::ALL.into_iter().map(|part| self.landmarks.volume(&self.mesh, part)).collect()
    }
}

/// The point of a polyline at a share of its length, and the direction there.
fn on(axis: &[DVec3], share: f64) -> (DVec3, DVec3) {
    let whole = crate::slice::length(axis, false);
    let mut left = share * whole;
    let mut last = (axis[0], DVec3::Y);
    for w in axis.windows(2) {
        let l = w[0].distance(w[1]);
        let along = (w[1] - w[0]).normalize_or(DVec3::Y);
        if left <= l {
            return (w[0] + along * left, along);
        }
        left -= l;
        last = (w[1], along);
    }
    last
}
