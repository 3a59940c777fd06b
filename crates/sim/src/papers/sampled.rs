//! Bodies that are asked at points: distance fields, depth maps and voxels (D7, D8, D9).
//!
//! The cloth's vertices are asked how far they are from the body, and which way leads out. Nothing is asked of edges and faces,
//! so a triangle between vertices that lie on a body of radius R cuts e²/8R into it at edges of length e, and sharp edges of bodies
//! show between vertices.
//!
//! | choice | a vertex is asked by | limits |
//! | --- | --- | --- |
//! | [`BodyQuery::Field`] | looking up a grid of distances [fuhrmann2003] | edges are rounded by a cell |
//! | [`BodyQuery::DepthMaps`] | looking up six views [vassilev2001] | hollows that none of them shows are filled; off by part of a pixel on slopes |
//! | [`BodyQuery::Voxels`] | the triangles of the cells around it [meyer2000] | none: distances are exact; the slowest of the three |
//!
//! All are made once, in the frame of the body at time zero, and move with it. What crosses a body within a single step is not seen.

use super::meshed::triangles_of;
use crate::body::{Body, BodyQuery};
use crate::error::Error;
use glam::DVec3;
use toile_collide::field::{Solid, SolidError, Spacing, SparseField};
use toile_collide::image::DepthMaps;
use toile_collide::voxel::Octree;
use toile_mesh::TriMesh;

/// Cells along the longest side of a body, if nothing else is said.
const DEFAULT_CELLS: f64 = 100.0;
/// How far outside depth maps still know a body, in cells.
const DEPTH_MAP_MARGIN: f64 = 2.0;
/// Least part of a vertex's way that moves its faces: at sharper corners the grown body is blunt.
const MIN_NORMAL_SHARE: f64 = 0.3;

/// A body as it is asked.
#[derive(Debug)]
pub(crate) struct Sampled {
    map: Map,
}

#[derive(Debug)]
enum Map {
    Field(SparseField),
    /// Views along x, y and z of the body grown by so much [m].
    Depth([DepthMaps; 3], f64),
    Voxels(Octree),
}

/// Most cells along a body: grids of twice as many take eight times the memory.
const MAX_CELLS: f64 = 1000.0;

/// Refuses cells that are too small for a body before any is made.
fn check_cells(body: &Body, mesh: &TriMesh, cell: f64) -> Result<(), Error> {
    let Some((lo, hi)) = mesh.bounds() else { return Ok(()) };
    let cells = (hi - lo).max_element() / cell;
    if cells <= MAX_CELLS {
        return Ok(());
    }
    let reason = format!(
        "is {cell:?} m; `{}` would be {cells:.1e} cells long, more than {MAX_CELLS:?}",
        body.name
    );
    Err(Error::Setting { key: "solver.collision.body_cell", reason })
}

impl Sampled {
    /// Makes what the choice needs, with cells of side `cell` [m], 0 for a choice by size; `near` is the farthest distance that will
    /// be asked for [m]. None for planes, which are asked directly, and for features.
    pub(crate) fn new(
        body: &Body,
        query: BodyQuery,
        cell: f64,
        near: f64,
    ) -> Result<Option<Self>, Error> {
        let Some(mesh) = triangles_of(body) else { return Ok(None) };
        if query != BodyQuery::Features && body.deformation.is_some() {
            let reason = format!(
                "makes a map of `{}` once, but it changes its shape; take \"features\"",
                body.name
            );
            return Err(Error::Setting { key: "solver.collision.bodies", reason });
        }
        if query != BodyQuery::Features && cell > 0.0 {
            check_cells(body, &mesh, cell)?;
        }
        let made = || -> Result<Option<Map>, SolidError> {
            let solid = Solid::new(&mesh.positions, &mesh.triangles)?;
            let (lo, hi) = solid.bounds();
            let cell = if cell > 0.0 { cell } else { (hi - lo).max_element() / DEFAULT_CELLS };
            let margin = near + DEPTH_MAP_MARGIN * cell;
            Ok(Some(match query {
                BodyQuery::Features => return Ok(None),
                BodyQuery::Field => Map::Field(SparseField::new(&solid, Spacing { cell, margin })?),
                BodyQuery::DepthMaps => {
                    let grown = grow(&mesh, margin);
                    let solid = Solid::new(&grown.positions, &grown.triangles)?;
                    let view = |axis| DepthMaps::new(&solid, axis, cell);
                    Map::Depth([view(0)?, view(1)?, view(2)?], margin)
                }
                BodyQuery::Voxels => Map::Voxels(Octree::new(solid, 4.0 * cell)?),
            }))
        };
        match made() {
            Ok(map) => Ok(map.map(|map| Self { map })),
            Err(e) => Err(Error::Mesh { name: body.name.clone(), reason: e.to_string() }),
        }
    }

    /// Signed distance of a point in the body's frame, and the unit direction outwards; none if it is farther than `reach` [m].
    pub(crate) fn ask(&self, p: DVec3, reach: f64) -> Option<(f64, DVec3)> {
        let (distance, out) = match &self.map {
            Map::Field(field) => {
                let sample = field.sample(p)?;
                (sample.distance, sample.gradient.try_normalize()?)
            }
            Map::Depth(views, margin) => {
                let mut least: Option<(f64, DVec3)> = None;
                for view in views {
                    let here = view.query(p)?;
                    if least.is_none_or(|(depth, _)| here.depth < depth) {
                        least = Some((here.depth, here.normal));
                    }
                }
                let (depth, normal) = least?;
                (margin - depth, normal)
            }
            Map::Voxels(tree) => {
                let inside = tree.contains(p);
                let near = tree.nearest(p, if inside { f64::INFINITY } else { reach })?;
                let sign = if inside { -1.0 } else { 1.0 };
                (sign * near.distance, ((p - near.point) * sign).try_normalize()?)
            }
        };
        (distance < reach).then_some((distance, out))
    }
}

/// The mesh with its faces moved outwards by `by` [m].
fn grow(mesh: &TriMesh, by: f64) -> TriMesh {
    let face = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        (b - a).cross(c - a)
    };
    let mut out = vec![DVec3::ZERO; mesh.positions.len()];
    // Weighted by angles, so that it does not matter how a face is cut into triangles.
    for t in &mesh.triangles {
        let n = face(t).normalize_or_zero();
        for k in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|j| mesh.positions[t[(k + j) % 3] as usize]);
            out[t[k] as usize] += n * (b - a).angle_between(c - a);
        }
    }
    out.iter_mut().for_each(|n| *n = n.normalize_or_zero());
    // Of its own way, a vertex moves each of its faces by this part.
    let mut part = vec![1.0_f64; out.len()];
    for t in &mesh.triangles {
        let n = face(t).normalize_or_zero();
        for v in t {
            let part = &mut part[*v as usize];
            *part = part.min(n.dot(out[*v as usize]));
        }
    }
    let mut grown = mesh.clone();
    for (v, p) in grown.positions.iter_mut().enumerate() {
        *p += out[v] * (by / part[v].max(MIN_NORMAL_SHARE));
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Shape;
    use glam::DMat3;

    const ALL: [BodyQuery; 3] = [BodyQuery::Field, BodyQuery::DepthMaps, BodyQuery::Voxels];

    #[test]
    fn distances_of_a_ball_and_a_box_are_right_to_a_cell() {
        let ball = Body::new("b", Shape::Sphere { centre: DVec3::ONE, radius: 0.3 });
        let half = DVec3::new(0.25, 0.05, 0.25);
        let rotation = DMat3::IDENTITY;
        let block = Body::new("b", Shape::Cuboid { centre: DVec3::ZERO, half, rotation });
        let cell = 0.005;
        for query in ALL {
            let of = |body: &Body| Sampled::new(body, query, cell, 0.01).unwrap().unwrap();
            let sampled = of(&ball);
            for (k, away) in [(0, -0.02), (1, 0.004), (2, 0.008), (3, -0.001)] {
                let angle = 0.3 + 1.7 * f64::from(k);
                let n = DVec3::new(angle.cos(), 0.4, angle.sin()).normalize();
                let (d, out) = sampled.ask(DVec3::ONE + n * (0.3 + away), 0.01).unwrap();
                assert!((d - away).abs() < cell, "{query:?} {d} {away}");
                assert!(out.dot(n) > 0.97, "{query:?} {out} {n}");
            }
            assert!(sampled.ask(DVec3::splat(3.0), 0.01).is_none());
            assert!(sampled.ask(DVec3::ONE + DVec3::X * 0.32, 0.01).is_none());
            let sampled = of(&block);
            let (d, out) = sampled.ask(DVec3::new(0.11, 0.053, 0.07), 0.01).unwrap();
            assert!((d - 0.003).abs() < 1e-3 && out.dot(DVec3::Y) > 0.99, "{query:?} {d} {out}");
        }
    }

    #[test]
    fn planes_and_features_are_not_sampled_and_open_meshes_are_refused() {
        let plane = Body::new("p", Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y });
        assert!(Sampled::new(&plane, BodyQuery::Field, 0.0, 0.01).unwrap().is_none());
        let ball = Body::new("b", Shape::Sphere { centre: DVec3::ZERO, radius: 0.3 });
        assert!(Sampled::new(&ball, BodyQuery::Features, 0.0, 0.01).unwrap().is_none());
        let mut mesh = toile_mesh::shape::sphere(0.3, 2);
        mesh.triangles.pop();
        let open = Body::new("open", Shape::Mesh(mesh));
        let error = Sampled::new(&open, BodyQuery::Voxels, 0.0, 0.01).unwrap_err();
        assert!(error.to_string().contains("open"), "{error}");
    }
}
