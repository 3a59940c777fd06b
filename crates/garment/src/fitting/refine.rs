//! From a coarse garment to a fine one: what is sewn with large triangles is draped with small ones.
//!
//! Every vertex of the fine panels lies in a triangle of the coarse ones, in the plane of the pattern, and goes where that
//! triangle is: with the same weights. Beyond the outline, which curves cut differently, it is the plane of the nearest triangle. What is sewn is joined in
//! the middle. The fine garment then lies in the coarse surface but for folds, whose corners it cuts, and may touch
//! the body or itself there; that is ironed, and the exact audit decides. Sewing takes most of the time of a garment, and a quarter of
//! the vertices take less than a quarter of it.

use super::hold::Start;
use super::{Fitting, Grip, Stage};
use crate::arrange::Arrangement;
use crate::error::Error;
use crate::iron::iron;
use crate::weld::{Meet, Weld};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use toile_audit::Shape;
use toile_collide::field;
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;

/// Rounds in which what intersects is ironed; every third irons one ring of edges more.
const REFINING_ROUNDS: u32 = 18;

impl Fitting {
    /// The same garment with a finer mesh, sewn, where this one is now, on a body that is no larger than the one of this. `coarse` is the mesh
    /// of this one. Nothing, if seams are open yet or the fine mesh cannot be laid there free of intersections.
    ///
    /// # Errors
    /// If the simulation refuses something.
    pub fn refined(
        &self,
        coarse: &PatternMesh,
        mesh: &PatternMesh,
        body: &TriMesh,
    ) -> Result<Option<Self>, Error> {
        if self.open_stitches() > 0 || coarse.panels.len() != mesh.panels.len() {
            return Ok(None);
        }
        let carrier = Carrier::new(coarse, mesh);
        let carried = carrier.carry(|v| self.position(v));
        let arrangement = Arrangement {
            panels: carried,
            bands: self.bands.clone(),
            sleeves: Vec::new(),
            is_framed: self.is_framed,
        };
        let mut fine = Self::new(mesh, &arrangement, body, &self.fabrics)?;
        let pairs = fine.pairs.clone();
        let mut weld = Weld::new(&fine.panels, &fine.panels.positions, &pairs, Meet::Middle);
        let skin = field::Solid::with_holes(&body.positions, &body.triangles)?;
        let solid = Shape::from(body);
        (fine.stage, fine.grip) = (Stage::Draping, self.grip);
        fine.has_friction = self.has_friction || fine.is_elastic || fine.grip > Grip::Loose;
        let start = |x: &Start| Start { x: carrier.carry(|v| x.x[v as usize]).concat() };
        fine.start = self.start.as_ref().map(start);
        fine.pull[0] = fine.pull[1];
        let all: Vec<usize> = (0..pairs.len()).collect();
        for round in 0..REFINING_ROUNDS {
            let faults = weld.faults(&solid)?;
            if !faults.is_empty() {
                iron(&mut weld.mesh, &faults, round / 3, &skin, fine.closed);
                continue;
            }
            let mut world = fine.world_of(weld.mesh.clone())?;
            let near = world.separation_violations()?;
            if near.is_empty() {
                fine.go_on_in(world, &weld, &all)?;
                if let (Grip::Elastic, Some(start)) = (fine.grip, &fine.start) {
                    fine.elastic = fine.rim_elastic(&start.x);
                    fine.thread()?;
                }
                // It has found its place: only what comes down from here slides.
                fine.note_start();
                return Ok(Some(fine));
            }
            let touching: Vec<u32> = near
                .iter()
                .filter(|(_, correction)| *correction == DVec3::ZERO)
                .map(|(v, _)| *v)
                .collect();
            near.iter().for_each(|(v, correction)| weld.mesh.positions[*v as usize] += *correction);
            iron(&mut weld.mesh, &touching, round / 3, &skin, fine.closed);
        }
        Ok(None)
    }
}

/// Where the vertices of fine panels are in the triangles of coarse ones.
#[derive(Clone, Debug)]
pub(crate) struct Carrier {
    /// For every vertex of every fine panel, vertices of the coarse panels, counted over all of them, and their weights.
    panels: Vec<Vec<([u32; 3], [f64; 3])>>,
}

impl Carrier {
    /// Finds them; both meshes are of the same pattern.
    pub(crate) fn new(coarse: &PatternMesh, fine: &PatternMesh) -> Self {
        let offsets = coarse.offsets();
        let panels = coarse.panels.iter().zip(&fine.panels).zip(offsets);
        let panels = panels.map(|((from, to), offset)| {
            let points = to.mesh.positions.par_iter();
            let located = points.map(|p| {
                let (vertices, weights) = barycentric_location(&from.mesh, p.truncate());
                (vertices.map(|v| v + offset), weights)
            });
            located.collect()
        });
        Self { panels: panels.collect() }
    }

    /// Where the vertices of the fine panels are, panel by panel, when those of the coarse ones are where `at` says.
    pub(crate) fn carry(&self, at: impl Fn(u32) -> DVec3) -> Vec<Vec<DVec3>> {
        let point =
            |([a, b, c], [u, v, w]): &([u32; 3], [f64; 3])| at(*a) * *u + at(*b) * *v + at(*c) * *w;
        self.panels.iter().map(|panel| panel.iter().map(point).collect()).collect()
    }
}

/// The triangle that a point of the pattern is in, or nearest to, and its weights there.
fn barycentric_location(flat: &TriMesh, p: DVec2) -> ([u32; 3], [f64; 3]) {
    let mut best = (f64::NEG_INFINITY, [0; 3], [1.0, 0.0, 0.0]);
    for tri in &flat.triangles {
        let [a, b, c] = tri.map(|v| flat.positions[v as usize].truncate());
        let area = (b - a).perp_dot(c - a);
        let (v, w) = ((p - a).perp_dot(c - a) / area, (b - a).perp_dot(p - a) / area);
        let u = 1.0 - v - w;
        let within = u.min(v).min(w);
        if within > best.0 {
            best = (within, *tri, [u, v, w]);
        }
        if within >= 0.0 {
            break;
        }
    }
    (best.1, best.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn points_are_carried_by_their_triangles_and_beyond_the_outline_by_the_nearest() {
        // A grid lies in the plane of x and z, or of x and y: what counts is that it is flat.
        let flat = grid(1.0, 1.0, 4, 4, Diagonals::Alternating);
        let upright = |p: DVec3| DVec3::new(p.x, p.y + p.z, 0.0);
        let flat = flat.map_positions(upright);
        let turn = glam::DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7);
        let at = |v: u32| turn * flat.positions[v as usize] + DVec3::Y;
        for (x, y) in [(0.1, 0.2), (-0.43, 0.49), (0.5, -0.5), (0.52, 0.1), (0.0, -0.53)] {
            let (vertices, [u, v, w]) = barycentric_location(&flat, DVec2::new(x, y));
            let [a, b, c] = vertices.map(at);
            let there = a * u + b * v + c * w;
            let wanted = turn * DVec3::new(x, y, 0.0) + DVec3::Y;
            assert!(there.distance(wanted) < 1e-12, "{x} {y}: {there} {wanted}");
        }
    }
}
