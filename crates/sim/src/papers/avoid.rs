//! The system of Liu, Ko and Chang: an elastic surface that avoids collisions by limits on coordinates
//! (M10, N10, D4a, R3) [liu1998].
//!
//! A step solves `A_t r = g_t` for x, y and z (`System`), looks for collisions of the solution, limits
//! coordinates of the vertices that take part (`Limits`), and solves again from the same state by
//! Gauss–Seidel with intervals, until nothing collides. No force and no velocity is ever corrected.
//!
//! Three searches, those of the paper's tables ([`Search`]): triangles by their geometry, whose vertices are then held
//! (the authors' method of 1996); boxes around triangles, every pair of them; the same boxes in a tree
//! over the material plane.
//!
//! Two triangles collide if their boxes overlap at any moment of the step; their vertices stay on their sides of
//! the *collision plane* of the boxes. Boxes move linearly from their start to their end, which contains the true ones.
//! Triangles that touch at rest are not looked at.
//!
//! Errata and gaps:
//! - Eqs. 8 and 9 take the side from the vertex's place at the start against the plane. A box that moves
//!   away from its follower can be beyond its own plane already; here the side is that of the box.
//! - The paper does not print the rule for rigid objects (it is of 1996); ours limits one coordinate of a vertex that
//!   would enter a body.
//! - Adjacent triangles, which get no plane, are said to be those with a common vertex. Triangles of two cells that meet in
//!   a corner touch as well, whether or not both have it, and are in each other's way for ever; they count as adjacent here.
//! - Boxes that touch would be allowed; a gap (the fabric's thickness) is kept between them.
//! - The limits of a conflict are said to converge; in a heap they often do not. After a quarter of `rounds`, coordinates in
//!   conflict are held where they were, and so are vertices of adjacent triangles whose features meet (one axis of several is
//!   seldom enough for a fold); after all of them the vertices of all pairs that still collide, as in 1996,
//!   which ends at the latest when all are held.
//!
//! Limits: regular grids. Contact has no friction. Boxes keep cloth that lies askew to the axes as thick as its
//! triangles are wide.

mod adjacent;
mod bodies;
mod boxes;
mod clearance;
mod geometric;
mod limits;
mod system;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use bodies::Obstacle;
pub(crate) use boxes::{Plane, Swept};
pub(crate) use limits::Limits;
pub(crate) use system::{StepStart, System};

pub use crate::settings::{Avoidance, Search};

use crate::error::Error;
use crate::model::{Cloth, Model};
use adjacent::AdjacentTriangles;
use glam::DVec3;
use tree::Tree;

/// What collides in a proposed step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// Pairs of triangles and the planes between their boxes.
    pub(crate) planes: Vec<([u32; 2], Plane)>,
    /// Features of triangles that have no plane.
    pub(crate) near: Vec<adjacent::AdjacentContact>,
    /// Vertices that are to be held.
    pub(crate) held: Vec<u32>,
}

impl Found {
    pub(crate) fn len(&self) -> usize {
        self.planes.len() + self.near.len() + self.held.len()
    }

    /// One vertex that takes part, for messages.
    pub(crate) fn vertex(&self, triangles: &[[u32; 3]]) -> u32 {
        let pair = || self.planes.first().map(|([t, _], _)| triangles[*t as usize][0]);
        let near = || self.near.first().map(|met| met.vertices[0]);
        self.held.first().copied().or_else(near).or_else(pair).unwrap_or(0)
    }
}

/// The system with its memory.
#[derive(Debug)]
pub(crate) struct Solver {
    pub(crate) settings: Avoidance,
    pub(crate) system: System,
    pub(crate) limits: Limits,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    tree: Tree,
    neighbours: boxes::Neighbours,
    near: AdjacentTriangles,
    boxes: Vec<Swept>,
    gap: f64,
}

impl Solver {
    /// For cloths that are grids. With `stable_step`, threads are softened so that steps of that length are
    /// stable.
    pub(crate) fn new(
        settings: Avoidance,
        cloths: &[Cloth],
        model: &Model,
        gap: f64,
        stable_step: Option<f64>,
    ) -> Result<Self, Error> {
        let mut system = System::new(cloths)?;
        if let Some(h) = stable_step {
            system.soften(&model.mass, h);
        }
        let (uv, _) = model.texture();
        let around: Vec<Vec<u32>> =
            (0..model.mass.len() as u32).map(|v| model.topology.triangles_of(v).to_vec()).collect();
        let neighbours = boxes::Neighbours::new(&model.mesh.triangles, &uv, &around);
        Ok(Self {
            settings,
            system,
            limits: Limits::new(model.mass.len()),
            triangles: model.mesh.triangles.clone(),
            edges: model.topology.edges.iter().map(|e| e.vertices).collect(),
            tree: Tree::new(&uv),
            near: AdjacentTriangles::new(&model.mesh.triangles, &uv, &around, &neighbours),
            neighbours,
            boxes: Vec::new(),
            gap,
        })
    }

    /// Limits vertices that would enter bodies; returns how many there are. In `last` rounds bodies take them along.
    pub(crate) fn meet_bodies(
        &mut self,
        obstacles: &[Obstacle],
        [x_t0, x_t1]: [&[DVec3]; 2],
        last: bool,
    ) -> usize {
        boxes::sweep(&self.triangles, x_t0, x_t1, self.gap, &mut self.boxes);
        let (triangles, boxes, gap) = (&self.triangles, &self.boxes, self.gap);
        let limits = &mut self.limits;
        obstacles.iter().map(|o| o.limit(triangles, boxes, [x_t0, x_t1], gap, last, limits)).sum()
    }

    /// All self-collisions of the straight motion from `x_t0` to `x_t1`. In `last` rounds, pairs that are held already, some
    /// where they were and some with a body that moves, are looked at by their features: no plane can do more for them.
    pub(crate) fn detect(&mut self, x_t0: &[DVec3], x_t1: &[DVec3], last: bool) -> Found {
        if self.settings.search == Search::Geometric {
            let held = geometric::colliding(&self.triangles, &self.edges, x_t0, x_t1);
            return Found { held, ..Found::default() };
        }
        boxes::sweep(&self.triangles, x_t0, x_t1, self.gap, &mut self.boxes);
        let mut pairs = boxes::Pairs::default();
        match self.settings.search {
            Search::Boxes => boxes::all_pairs(&self.neighbours, &self.boxes, self.gap, &mut pairs),
            _ => self.tree.pairs(&self.neighbours, &self.boxes, self.gap, &mut pairs),
        }
        if last {
            let held = |t: u32| {
                self.triangles[t as usize].iter().all(|v| self.limits.is_held(*v as usize))
            };
            let stuck = pairs.planes.extract_if(.., |(pair, _)| pair.iter().all(|t| held(*t)));
            pairs.overlapping.extend(stuck.map(|(pair, _)| pair));
        }
        let near = self.near.detect(&self.triangles, &pairs.overlapping, [x_t0, x_t1], self.gap);
        Found { planes: pairs.planes, near, held: Vec::new() }
    }

    /// Limits what was found. `hold` holds the vertices of features that meet, `last` those of all pairs.
    pub(crate) fn limit(
        &mut self,
        found: &Found,
        [x_t0, x_t1]: [&[DVec3]; 2],
        [hold, last]: [bool; 2],
    ) {
        for met in &found.near {
            if hold || last {
                met.vertices.iter().for_each(|v| self.limits.hold(*v, x_t0[*v as usize]));
            } else {
                met.limit([x_t0, x_t1], &mut self.limits);
            }
        }
        for v in &found.held {
            self.limits.hold(*v, x_t0[*v as usize]);
        }
        for (pair, plane) in &found.planes {
            if last {
                for v in pair.iter().flat_map(|t| self.triangles[*t as usize]) {
                    self.limits.hold(v, x_t0[v as usize]);
                }
            } else {
                self.limits.divide(*pair, *plane);
            }
        }
    }

    /// Solves for the end of the step within the limits; returns the sweeps it took. `hold` keeps coordinates in
    /// conflict where they were.
    pub(crate) fn solve(&mut self, x_t0: &[DVec3], hold: bool, x: &mut [DVec3]) -> u32 {
        self.limits.close(&self.triangles, x_t0, hold);
        self.system.solve(&self.limits, self.settings.tolerance, self.settings.sweeps, x)
    }
}
