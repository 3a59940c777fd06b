//! Audit of a moment of a simulation with exact predicates.

use crate::error::Error;
use glam::DVec3;
use toile_sim::Body;
use toile_sim::body::Shape;

/// What was found at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// Pairs of triangles that intersect.
    pub self_intersections: u64,
    /// Triangles of cloth that enter a body. At a body with open edges only crossings count.
    pub body_penetrations: u64,
    /// Bodies with open edges, which have no inside.
    pub open_bodies: u64,
}

impl Audit {
    /// Triangles that enter a body; `None` if it cannot be known, because nothing crosses a body
    /// but one is open.
    pub fn known_penetrations(&self) -> Option<u64> {
        (self.body_penetrations > 0 || self.open_bodies == 0).then_some(self.body_penetrations)
    }
}

/// Counts intersecting pairs of triangles, and triangles inside bodies at time `t` [s].
///
/// # Errors
/// If a coordinate is beyond what exact arithmetic can hold.
pub fn audit(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    bodies: &[Body],
    t: f64,
) -> Result<Audit, Error> {
    let failed = |e: toile_audit::Error| Error::Audit(e.to_string());
    let counted = toile_audit::count_self_intersections(positions, triangles, u64::MAX);
    let self_intersections = counted.map_err(failed)?.pairs;
    let mut found = Audit { self_intersections, ..Audit::default() };
    for body in bodies {
        let inside = toile_audit::body_penetrations(positions, triangles, &shape_at(body, t));
        let inside = inside.map_err(failed)?;
        found.body_penetrations += inside.count() as u64;
        found.open_bodies += u64::from(inside.open_body);
    }
    Ok(found)
}

/// The shape of a body as it stands at time `t` [s].
pub(crate) fn shape_at(body: &Body, t: f64) -> Shape {
    body.shape_at(t)
}
