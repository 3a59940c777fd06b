//! Penetration of bodies by cloth.
//!
//! A body is a triangle mesh or one of a few shapes with a formula. Against a mesh the audit is
//! exact. Against a formula it is in rounded arithmetic: decisions are certain only beyond about
//! 1e-12 of the largest coordinate, so a depth below which nothing counts can be given.

use crate::inside::{Closure, is_inside};
use crate::predicates::{check_triangles, checked_positions};
use crate::tree::{Bounds, Tree};
use crate::{Error, distance, pair};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use toile_mesh::Shape;

/// Whether a body is a mesh with a boundary, which has no inside.
///
/// A closed mesh with consistent orientation has its inside where the winding number is not zero; a closed one without, where
/// rays cross it an odd number of times; an open one has none, and only crossings count.
pub fn is_open(body: &Shape) -> bool {
    match body {
        Shape::Mesh(mesh) => Closure::new(&mesh.triangles) == Closure::Open,
        _ => false,
    }
}

/// How cloth penetrates a body. All lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Penetrations {
    /// Vertices strictly inside the body.
    pub vertices_inside: Vec<u32>,
    /// Triangles that meet the surface of the body. Touching counts for a mesh; for a formula the
    /// triangle must have a point inside and a corner that is not.
    pub triangles_crossing: Vec<u32>,
    /// Triangles that cross, or have a vertex inside.
    pub triangles: Vec<u32>,
    /// Whether the body is an open mesh: it has no inside then, and only crossings were counted.
    pub open_body: bool,
}

impl Penetrations {
    /// How many triangles of the cloth have any point inside the body or crossing its surface.
    pub fn count(&self) -> usize {
        self.triangles.len()
    }

    /// Joins what was found per triangle and per vertex.
    fn new(triangles: &[[u32; 3]], inside: &[bool], crossing: &[bool], open_body: bool) -> Self {
        let found = |flags: &[bool]| {
            (0..flags.len()).filter(|i| flags[*i]).map(|i| i as u32).collect::<Vec<_>>()
        };
        let any: Vec<bool> = triangles
            .iter()
            .zip(crossing)
            .map(|(t, crosses)| *crosses || t.iter().any(|v| inside[*v as usize]))
            .collect();
        Self {
            vertices_inside: found(inside),
            triangles_crossing: found(crossing),
            triangles: found(&any),
            open_body,
        }
    }
}

/// Where the cloth penetrates the body.
///
/// # Errors
/// As [`self_intersections`](crate::self_intersections), and if a shape is not one: see
/// [`Error::NotASolid`].
pub fn body_penetrations(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    body: &Shape,
) -> Result<Penetrations, Error> {
    body_penetrations_deeper_than(0.0, positions, triangles, body)
}

/// The same, where points less than `depth` [m] inside a body given by a formula do not count.
/// The audit of a mesh is exact and takes no notice of it.
///
/// # Errors
/// As [`body_penetrations`].
pub fn body_penetrations_deeper_than(
    depth: f64,
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    body: &Shape,
) -> Result<Penetrations, Error> {
    let positions = &*checked_positions(positions)?;
    check_triangles(positions.len(), triangles)?;
    check_solid(body)?;
    let at = |t: &[u32; 3]| t.map(|v| positions[v as usize]);
    if let Shape::Mesh(mesh) = body {
        let body_triangles = &mesh.triangles;
        let body_positions = &*checked_positions(&mesh.positions)?;
        let tree = Tree::new(body_positions, body_triangles);
        let closure = Closure::new(body_triangles);
        let inside: Vec<bool> = positions
            .par_iter()
            .map(|p| is_inside(*p, body_positions, body_triangles, &tree, closure))
            .collect();
        let crossing: Vec<bool> = triangles
            .par_iter()
            .map(|t| {
                let corners = at(t);
                let mut meets = false;
                tree.overlapping(&Bounds::around(&corners), |b| {
                    let other = body_triangles[b as usize].map(|v| body_positions[v as usize]);
                    meets = meets || pair::meet(corners, other);
                });
                meets
            })
            .collect();
        return Ok(Penetrations::new(triangles, &inside, &crossing, closure == Closure::Open));
    }
    let inside: Vec<bool> = positions.par_iter().map(|p| enters(body, [*p; 3], depth)).collect();
    let crossing: Vec<bool> = triangles
        .par_iter()
        .map(|t| !t.iter().all(|v| inside[*v as usize]) && enters(body, at(t), depth))
        .collect();
    Ok(Penetrations::new(triangles, &inside, &crossing, false))
}

/// Whether a triangle has a point more than `depth` inside a shape with a formula.
fn enters(body: &Shape, t: [DVec3; 3], depth: f64) -> bool {
    match body {
        Shape::Mesh(_) => false,
        Shape::Sphere { centre, radius } => {
            distance::point_triangle(*centre, t).sqrt() < radius - depth
        }
        Shape::Capsule { a, b, radius } => {
            distance::segment_triangle(*a, *b, t).sqrt() < radius - depth
        }
        Shape::Plane { point, normal } => {
            let n = normal.normalize();
            t.iter().any(|p| n.dot(*p - *point) < -depth)
        }
        Shape::Cuboid { centre, half, rotation } => {
            let to_box = rotation.transpose();
            enters_box(t.map(|p| to_box * (p - *centre)), *half - DVec3::splat(depth))
        }
    }
}

/// Whether a triangle meets the inside of the box from −half to half, by separating axes: those of
/// the box, the normal of the triangle, and the crosses of box axes and triangle edges.
fn enters_box(t: [DVec3; 3], half: DVec3) -> bool {
    let [a, b, c] = t;
    let separates = |axis: DVec3| {
        let [p, q, r] = t.map(|corner| axis.dot(corner));
        let reach = axis.abs().dot(half);
        // An axis of length zero separates nothing.
        axis != DVec3::ZERO && (p.min(q).min(r) >= reach || p.max(q).max(r) <= -reach)
    };
    half.min_element() > 0.0
        && !DVec3::AXES.into_iter().any(separates)
        && !separates((b - a).cross(c - a))
        && ![b - a, c - b, a - c]
            .into_iter()
            .any(|edge| DVec3::AXES.into_iter().any(|axis| separates(axis.cross(edge))))
}

/// Refuses shapes that are not finite or have no inside.
fn check_solid(body: &Shape) -> Result<(), Error> {
    let good = match body {
        Shape::Mesh(mesh) => return check_triangles(mesh.positions.len(), &mesh.triangles),
        Shape::Sphere { centre, radius } => centre.is_finite() && is_size(*radius),
        Shape::Capsule { a, b, radius } => a.is_finite() && b.is_finite() && is_size(*radius),
        Shape::Plane { point, normal } => point.is_finite() && is_size(normal.length()),
        Shape::Cuboid { centre, half, rotation } => {
            centre.is_finite() && half.to_array().into_iter().all(is_size) && is_rotation(*rotation)
        }
    };
    if good { Ok(()) } else { Err(Error::NotASolid) }
}

fn is_size(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

/// Whether a matrix turns without stretching, but for rounding.
fn is_rotation(m: DMat3) -> bool {
    let off = m.transpose() * m - DMat3::IDENTITY;
    off.to_cols_array().iter().all(|x| x.abs() < 1e-9) && m.determinant() > 0.0
}
