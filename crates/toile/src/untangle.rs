//! Untangling of cloth that begins intersecting.
//!
//! A solver that never lets cloth pass through cloth keeps intersections that are there when it begins. Before the
//! first step they are undone: parts of the cloth that went through other cloth are found by a flood fill and brought
//! back [baraff2003untangling], other contours are drawn together [volino2006], and what is inside bodies is moved out.
//! After every push the edges are drawn back to their lengths. The exact audit decides when it is over.
//!
//! Limits: held vertices stay where they are, and cloth may be tangled so that no motion of the free ones
//! undoes it; then an honest count is left. What comes out is a start, not an equilibrium: it is strained where
//! it was pushed, and the first steps relax it.

mod bodies;
mod cloth;
mod contour;
mod crossing;
mod obstacle;
mod separate;
mod sides;
mod start;
#[cfg(test)]
mod tests;

use crate::audit::shape_at;
use crate::error::Error;
use bodies::Bodies;
use cloth::Cloth;
use contour::Rule;
use crossing::Crossings;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use sides::Floods;
pub(crate) use start::resolve_start;
use toile_audit::Penetrations;
use toile_sim::{Method, Response, World};

/// Most iterations.
const MAX_ITERATIONS: u32 = 500;
/// Iterations without fewer intersections after which it is given up.
const MAX_STALLED_ITERATIONS: u32 = 60;
/// Iterations without fewer intersections after which another rule is tried for as many.
const RULE_SWITCH_ITERATIONS: u32 = 10;
/// Elongation beyond its place at the start that is left to the first steps.
const MAX_EXCESS_STRAIN: f64 = 0.05;
/// Part of the median edge that a push may move a vertex.
const MAX_PUSH_FRACTION: f64 = 0.5;

/// How a start was untangled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Untangled {
    /// Pairs of intersecting triangles before.
    pub intersections_before: u64,
    /// Pairs of intersecting triangles that are left.
    pub intersections_after: u64,
    /// Triangles inside bodies before.
    pub body_penetrations_before: u64,
    /// Triangles inside bodies that are left.
    pub body_penetrations_after: u64,
    /// Vertices that violated the minimum separation to a body, or to cloth, before.
    #[serde(rename = "without_room_before")]
    pub separation_violations_before: u64,
    /// Such vertices that are left.
    #[serde(rename = "without_room_after")]
    pub separation_violations_after: u64,
    /// Iterations taken.
    pub iterations: u32,
    /// Vertices that were moved.
    pub moved: u64,
    /// Largest displacement [m].
    pub largest_displacement: f64,
    /// Mean displacement of what was moved [m].
    pub mean_displacement: f64,
}

impl Untangled {
    /// Whether nothing intersects any more.
    pub fn is_clean(&self) -> bool {
        self.intersections_after == 0 && self.body_penetrations_after == 0
    }
}

/// What intersects at a moment.
#[derive(Clone, Debug, Default)]
struct Found {
    /// Pairs of triangles of cloth.
    pairs: Vec<[u32; 2]>,
    /// What is inside each body.
    inside: Vec<Penetrations>,
    /// Vertices too near for the solver.
    too_close: Vec<u32>,
}

impl Found {
    /// Triangles inside bodies.
    fn penetrations(&self) -> usize {
        self.inside.iter().map(Penetrations::count).sum()
    }

    fn count(&self) -> usize {
        self.pairs.len() + self.penetrations()
    }

    /// Whether the run can begin.
    fn is_empty(&self) -> bool {
        self.count() == 0 && self.too_close.is_empty()
    }
}

/// What must not intersect in this world: cloth with itself, cloth with bodies.
fn relevant_collisions(world: &World) -> [bool; 2] {
    let c = &world.settings().collision;
    let itself = match world.settings().method {
        Method::Classic => c.response != Response::Geometric,
        Method::Implicit | Method::Barrier | Method::Avoidance => true,
    };
    [c.enabled && c.self_collision && itself, c.enabled]
}

/// What keeps a world from beginning: only what its collisions are about.
///
/// # Errors
/// If a coordinate is not finite.
fn find(world: &mut World) -> Result<Found, Error> {
    let [_, with_bodies] = relevant_collisions(world);
    let mut found = Audited::new(world).find(&world.state().x)?;
    if found.count() == 0 && with_bodies {
        found.too_close = world.separation_violations()?.into_iter().map(|(v, _)| v).collect();
    }
    Ok(found)
}

/// Whether a world can begin as it is.
///
/// # Errors
/// If a coordinate is not finite.
pub(crate) fn is_clear(world: &mut World) -> Result<bool, Error> {
    Ok(find(world)?.is_empty())
}

/// Untangles a world before its first step. Nothing changes if nothing intersects.
///
/// # Errors
/// If a coordinate is not finite.
fn untangle(world: &mut World, before: &Found) -> Result<Untangled, Error> {
    let start = world.state().x.clone();
    let model = world.model().clone();
    let audited = Audited::new(world);
    let mut cloth = Cloth::new(&model, &start, &world.pinned_vertices());
    let gap = world.separation();
    let (left, iterations) = audited.untangle(&mut cloth, before.clone(), gap)?;
    let mut report = Untangled {
        intersections_before: before.pairs.len() as u64,
        intersections_after: left.pairs.len() as u64,
        body_penetrations_before: before.penetrations() as u64,
        body_penetrations_after: left.penetrations() as u64,
        separation_violations_before: before.too_close.len() as u64,
        iterations,
        ..Untangled::default()
    };
    if left.count() == 0 {
        report.separation_violations_after =
            separate::separate(world, &audited, &mut cloth, gap)? as u64;
    }
    let displacements = start.iter().zip(&cloth.x).map(|(from, to)| from.distance(*to));
    let displacements: Vec<f64> = displacements.filter(|d| *d > 0.0).collect();
    report.moved = displacements.len() as u64;
    report.largest_displacement = displacements.iter().copied().fold(0.0, f64::max);
    report.mean_displacement =
        displacements.iter().sum::<f64>() / displacements.len().max(1) as f64;
    place(world, cloth.x)?;
    Ok(report)
}

/// Puts the cloth of a world somewhere else.
fn place(world: &mut World, x: Vec<DVec3>) -> Result<(), Error> {
    let mut state = world.state().clone();
    state.x = x;
    Ok(world.restore(state)?)
}

fn failed(error: toile_audit::Error) -> Error {
    Error::Audit(error.to_string())
}

/// What judges: triangles and bodies, as far as they matter.
struct Audited {
    triangles: Vec<[u32; 3]>,
    itself: bool,
    bodies: Bodies,
}

impl Audited {
    fn new(world: &World) -> Self {
        let [itself, with_bodies] = relevant_collisions(world);
        let t = world.state().time;
        let bodies = world.bodies().iter().filter(|_| with_bodies);
        let solids = bodies.map(|b| shape_at(b, t)).collect();
        let triangles = world.model().mesh.triangles.clone();
        Self { triangles, itself, bodies: Bodies::new(solids, 1.5 * world.separation()) }
    }

    /// What intersects.
    fn find(&self, x: &[DVec3]) -> Result<Found, Error> {
        let mut found = Found::default();
        if self.itself {
            found.pairs = toile_audit::self_intersections(x, &self.triangles).map_err(failed)?;
        }
        found.inside = self.bodies.penetrations(x, &self.triangles).map_err(failed)?;
        Ok(found)
    }

    /// Pushes and relaxes until nothing intersects and nothing is torn, or it gets no better; leaves the best and
    /// what is left in it.
    fn untangle(
        &self,
        cloth: &mut Cloth<'_>,
        before: Found,
        gap: f64,
    ) -> Result<(Found, u32), Error> {
        let most = MAX_PUSH_FRACTION * cloth.edge;
        let mut floods = Floods::new(cloth);
        let mut found = before;
        let mut best = Best::new(cloth, &found);
        let (mut waited, mut iteration) = (0, 0);
        while !best.will_do() && iteration < MAX_ITERATIONS && waited < MAX_STALLED_ITERATIONS {
            iteration += 1;
            waited += 1;
            if iteration == 1 {
                self.bodies.lift(cloth, &found.inside);
            }
            let clean = found.count() == 0;
            if clean {
                cloth.relax();
            } else {
                let crossings = Crossings::new(cloth, &found.pairs);
                let rule = if waited / RULE_SWITCH_ITERATIONS % 2 == 1 {
                    Rule::Shorter
                } else {
                    Rule::Sides
                };
                contour::push(cloth, &crossings, &mut floods, (rule, gap, most)).apply(cloth, most);
            }
            self.bodies.push(cloth, most).map_err(failed)?;
            found = self.find(&cloth.x)?;
            let mut better = best.take(cloth, &found);
            // What is just untangled was looked at before the edges draw it back.
            if !clean && found.count() > 0 {
                cloth.relax();
                found = self.find(&cloth.x)?;
                better |= best.take(cloth, &found);
            }
            if better {
                waited = 0;
            }
        }
        cloth.x = best.x;
        Ok((best.found, iteration))
    }
}

/// The best positions so far.
struct Best {
    /// What intersects, and how far edges are beyond the length they may have.
    score: (usize, f64),
    found: Found,
    x: Vec<DVec3>,
}

impl Best {
    fn new(cloth: &Cloth<'_>, found: &Found) -> Self {
        let score = (found.count(), cloth.tension());
        Self { score, found: found.clone(), x: cloth.x.clone() }
    }

    fn will_do(&self) -> bool {
        self.score.0 == 0 && self.score.1 <= MAX_EXCESS_STRAIN
    }

    /// Takes what is better: with fewer intersections, or with as few and clearly less torn.
    fn take(&mut self, cloth: &Cloth<'_>, found: &Found) -> bool {
        let score = (found.count(), cloth.tension());
        let better =
            score.0 < self.score.0 || (score.0 == self.score.0 && score.1 < 0.98 * self.score.1);
        if better {
            *self = Self { score, found: found.clone(), x: cloth.x.clone() };
        }
        better
    }
}
