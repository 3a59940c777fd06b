//! The triangles of a scene, ready to be hit: scaled to order one, with normals at their corners.
//!
//! Coordinates are moved and scaled so that the scene fills the unit ball. `f32` then has the same
//! resolution for a button and for a stadium, and tolerances need no units.
//!
//! Normals are area-weighted sums over the triangles around a vertex that bend less than the crease
//! angle from the triangle at hand: boxes stay sharp and cloth is smooth.

use crate::{Error, Item};
use glam::{DVec3, Vec2, Vec3};
use toile_mesh::{Topology, TriMesh};

/// A triangle as the shader wants it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub(crate) corners: [Vec3; 3],
    /// Unit normals at the corners, on the front side.
    pub(crate) normals: [Vec3; 3],
    /// Unit normal of the front side.
    pub(crate) normal: Vec3,
    /// Material coordinates [m]; zero if there are none.
    pub(crate) uv: [Vec2; 3],
    /// Colours at the corners, if it is painted; linear RGB.
    pub(crate) paint: Option<[Vec3; 3]>,
    /// Index into the items of the scene.
    pub(crate) item: u32,
    /// Index into the triangles of its mesh.
    pub(crate) face: u32,
}

/// The map from metres to scene units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    pub(crate) centre: DVec3,
    /// Metres per scene unit.
    pub(crate) scale: f64,
}

impl Units {
    /// Scene coordinates of a point in metres.
    pub(crate) fn point(&self, p: DVec3) -> Vec3 {
        ((p - self.centre) / self.scale).as_vec3()
    }

    /// Scene height of a height in metres.
    pub(crate) fn height(&self, y: f64) -> f32 {
        ((y - self.centre.y) / self.scale) as f32
    }
}

/// Checks and converts the meshes. Triangles without area are left out: no ray can see them.
pub(crate) fn gather(items: &[Item<'_>], units: &Units) -> Vec<Triangle> {
    let mut triangles = Vec::with_capacity(items.iter().map(|i| i.mesh.triangles.len()).sum());
    for (index, item) in items.iter().enumerate() {
        let mesh = item.mesh;
        let faces = face_normals(mesh);
        let normals = corner_normals(mesh, &faces, item.material.crease);
        for (t, vertices) in mesh.triangles.iter().enumerate() {
            let corners = vertices.map(|v| units.point(mesh.positions[v as usize]));
            let [a, b, c] = corners;
            // Below the square of the smallest f32 step the triangle has collapsed.
            if (b - a).cross(c - a).length() < 1e-14 || faces[t] == DVec3::ZERO {
                continue;
            }
            triangles.push(Triangle {
                corners,
                normals: normals[t],
                normal: faces[t].normalize().as_vec3(),
                uv: corners_uv(mesh, t),
                paint: item.colours.map(|c| vertices.map(|v| c[v as usize].into())),
                item: index as u32,
                face: t as u32,
            });
        }
    }
    triangles
}

/// Bounding ball of all triangles, after checking that they are sound.
pub(crate) fn measure(items: &[Item<'_>], target: DVec3) -> Result<Units, Error> {
    let mut bounds: Option<(DVec3, DVec3)> = None;
    for (index, item) in items.iter().enumerate() {
        for (t, corners) in item.mesh.triangles.iter().enumerate() {
            for vertex in corners {
                let Some(p) = item.mesh.positions.get(*vertex as usize) else {
                    return Err(Error::Index { item: index, triangle: t });
                };
                if !p.is_finite() {
                    return Err(Error::NotFinite { item: index, vertex: *vertex });
                }
                let (lo, hi) = bounds.unwrap_or((*p, *p));
                bounds = Some((lo.min(*p), hi.max(*p)));
            }
        }
    }
    let Some((lo, hi)) = bounds else { return Ok(Units { centre: target, scale: 1.0 }) };
    let scale = 0.5 * (hi - lo).length();
    if !scale.is_finite() {
        return Err(Error::Extent);
    }
    // A scene that is a single point shows nothing at any scale.
    let scale = if scale > f64::MIN_POSITIVE { scale } else { 1.0 };
    Ok(Units { centre: lo + 0.5 * (hi - lo), scale })
}

/// Front normals, as long as twice the area relative to the largest edges, zero if degenerate.
fn face_normals(mesh: &TriMesh) -> Vec<DVec3> {
    (0..mesh.triangles.len())
        .map(|t| {
            let n = mesh.area_normal(t);
            if n.is_finite() && n.length() > f64::MIN_POSITIVE { n } else { DVec3::ZERO }
        })
        .collect()
}

/// Unit normals at the corners of each triangle.
fn corner_normals(mesh: &TriMesh, faces: &[DVec3], crease: f64) -> Vec<[Vec3; 3]> {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let cosine = crease.cos();
    let smooth_all = crease >= std::f64::consts::PI;
    (0..mesh.triangles.len())
        .map(|t| {
            let own = faces[t].normalize_or_zero();
            mesh.triangles[t].map(|vertex| {
                let sum: DVec3 = topology
                    .triangles_of(vertex)
                    .iter()
                    .map(|f| faces[*f as usize])
                    .filter(|n| smooth_all || n.normalize_or_zero().dot(own) >= cosine)
                    .sum();
                let unit = sum.normalize_or(own);
                // Where cloth is folded flat the sum may point anywhere; the face knows better.
                (if unit.dot(own) > 0.05 { unit } else { own }).as_vec3()
            })
        })
        .collect()
}

/// Material coordinates of a triangle; zero where missing or not finite.
fn corners_uv(mesh: &TriMesh, t: usize) -> [Vec2; 3] {
    let Some(corners) = mesh.uv_triangles.get(t) else { return [Vec2::ZERO; 3] };
    corners.map(|v| match mesh.uv.get(v as usize) {
        Some(uv) if uv.is_finite() => uv.as_vec2(),
        _ => Vec2::ZERO,
    })
}
