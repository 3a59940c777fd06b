//! The surface where a ray met it.

use super::{LIFT, Points};
use crate::bsdf::Bsdf;
use crate::bsdf::matte::Matte;
use crate::bvh::{Hit, Ray};
use crate::geometry::Triangle;
use crate::path::world::{Prepared, World};
use crate::warp::Basis;
use glam::{Vec2, Vec3};

/// A point of a surface, seen from one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surfel {
    /// Distance along the ray that met it.
    pub(super) t: f32,
    pub(super) position: Vec3,
    /// Where rays to the viewer's side start.
    above: Vec3,
    /// Normal of the triangle on the viewer's side.
    flat: Vec3,
    /// Shading frame on the viewer's side; its tangent is the weft, if there are material coordinates.
    pub(super) frame: Basis,
    /// Toward the viewer.
    pub(super) view: Vec3,
    pub(super) item: u32,
    pub(super) front: bool,
    /// Material coordinates [m].
    pub(super) uv: Vec2,
    /// 1 if the bitangent of the frame is the warp, −1 if it is its opposite.
    pub(super) handedness: f32,
    paint: Option<Vec3>,
}

impl Surfel {
    pub(super) fn new(ray: &Ray, hit: &Hit, triangle: &Triangle, moving: bool) -> Self {
        let view = -ray.dir;
        let w = [1.0 - hit.u - hit.v, hit.u, hit.v];
        let front = triangle.normal.dot(view) > 0.0;
        let side = if front { 1.0 } else { -1.0 };
        let flat = triangle.normal * side;
        let normal = face_viewer(blend(triangle.normals, w) * side, view, flat);
        let [a, b, c] = triangle.uv;
        let (e1, e2) =
            (triangle.corners[1] - triangle.corners[0], triangle.corners[2] - triangle.corners[0]);
        let (d1, d2) = (b - a, c - a);
        let det = d1.perp_dot(d2);
        let frame = Basis::along(normal, (e1 * d2.y - e2 * d1.y) * det.signum());
        let warp = (e2 * d1.x - e1 * d2.x) * det.signum();
        let position = ray.at(hit.t);
        // Moving corners are not where they were when the shutter opened.
        let smooth = if moving { position } else { smooth_point(triangle, w, side) };
        Self {
            t: hit.t,
            position,
            above: smooth + flat * LIFT,
            flat,
            frame,
            view,
            item: triangle.item,
            front,
            uv: a * w[0] + b * w[1] + c * w[2],
            handedness: if warp.dot(frame.bitangent) < 0.0 { -1.0 } else { 1.0 },
            paint: triangle.paint.map(|p| blend(p, w).clamp(Vec3::ZERO, Vec3::ONE)),
        }
    }

    /// A point of the floor.
    pub(super) fn floor(ray: &Ray, t: f32) -> Self {
        let position = ray.at(t);
        Self {
            t,
            position,
            above: position + Vec3::Y * LIFT,
            flat: Vec3::Y,
            frame: Basis { tangent: Vec3::X, bitangent: Vec3::NEG_Z, normal: Vec3::Y },
            view: -ray.dir,
            item: 0,
            front: true,
            uv: Vec2::ZERO,
            handedness: 1.0,
            paint: None,
        }
    }

    /// Where rays to the viewer's side or away from it start.
    pub(super) fn origin(&self, above: bool) -> Vec3 {
        if above { self.above } else { self.position - self.flat * LIFT }
    }

    /// Whether a direction is on the side of the triangle where the shading frame has it.
    pub(super) fn is_consistent(&self, dir: Vec3, local_z: f32) -> bool {
        dir.dot(self.flat) * local_z > 0.0
    }
}

impl World {
    /// The scattering function of a surface seen through a cone of some width; `None` if the ray passes.
    pub(super) fn bsdf(
        &self,
        surfel: &Surfel,
        width: f32,
        bounce: u32,
        points: Points,
    ) -> Option<Bsdf<'_>> {
        Some(match &self.materials[surfel.item as usize] {
            Prepared::Matte { front, back, roughness } => {
                let own = if surfel.front { *front } else { *back };
                let colour = surfel.paint.unwrap_or(own);
                Bsdf::Matte(Matte { colour, roughness: *roughness })
            }
            Prepared::Coated { coat, colour } => Bsdf::Coated { coat, colour: *colour },
            Prepared::Catcher { colour } => Bsdf::Matte(Matte { colour: *colour, roughness: 0.0 }),
            Prepared::Cloth(fabric) => {
                let view = crate::appearance::Viewed {
                    uv: surfel.uv,
                    handedness: surfel.handedness,
                    front: surfel.front,
                    view: surfel.frame.local(surfel.view),
                    width: width * self.scale,
                };
                // What is seen by way of another surface needs no yarns.
                if bounce > 0 {
                    return fabric.seen_from_afar(&view, points.footprint());
                }
                fabric.seen(&view, points.footprint())
            }?,
        })
    }

    /// The scattering function of the floor.
    pub(super) fn floor_bsdf(&self, colour: Vec3) -> (bool, Bsdf<'_>) {
        (colour != Vec3::ZERO, Bsdf::Matte(Matte { colour, roughness: 0.0 }))
    }
}

/// A shading normal that the viewer can see.
fn face_viewer(n: Vec3, view: Vec3, flat: Vec3) -> Vec3 {
    let n = n.normalize_or(flat);
    let cos = n.dot(view);
    if cos > 0.02 { n } else { (n + view * (0.02 - cos)).normalize_or(flat) }
}

fn blend(values: [Vec3; 3], w: [f32; 3]) -> Vec3 {
    values[0] * w[0] + values[1] * w[1] + values[2] * w[2]
}

/// The point of the smooth surface above a point of a triangle [hanika2021]: its projections onto the
/// tangent planes of the corners, where these lie outside, blended.
fn smooth_point(triangle: &Triangle, w: [f32; 3], side: f32) -> Vec3 {
    let p = blend(triangle.corners, w);
    let lifted = [0, 1, 2].map(|k| {
        let n = side * triangle.normals[k];
        p - n * (p - triangle.corners[k]).dot(n).min(0.0)
    });
    blend(lifted, w)
}
