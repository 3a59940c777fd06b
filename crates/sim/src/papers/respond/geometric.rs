//! Geometric correction with thickness (R4; paper A §6).
//!
//! A vertex that moved from `p` to `q` is tested with the triangles of bodies. If it passed through one, it goes to the
//! point of passage `X5 = w1 X1 + w2 X2 + w3 X3`, backed off along its path by the thickness. If it did not but is nearer than
//! the thickness, it is pushed out along the normal. Velocities follow the positions.
//!
//! Errata: eq. 7 of the paper gives one product for each coordinate; X5 is their sum. The thickness is printed as added in
//! the direction of motion, which would put the vertex behind the triangle.
//!
//! The path of each vertex asks the body's tree for the triangles it comes near. Boxes of cloth triangles would do for the same, but one of
//! a large triangle holds thousands of a finely made body's, none of which any vertex is near.
//!
//! The paper's bodies are solids, so a vertex that is found behind a face of one is let out, and pushed out if it is nearer than the
//! thickness. Triangles that enclose nothing have two sides, and a vertex stays on its own.
//!
//! Limits: vertices only. Solids must be thicker than the cloth. Edges of cloth pass through edges and corners of bodies, and cloth through cloth.

use super::detect::Scene;
use crate::body::{Collider, ColliderKind};
use crate::clock::Clock;
use crate::report::StepReport;
use glam::{DMat2, DVec2, DVec3};
use toile_collide::broad::Detector;
use toile_collide::volume::Aabb;

/// How far outside a triangle barycentric coordinates may lie: two triangles share an edge, and rounding must not let
/// a vertex between them.
const BARYCENTRIC_TOLERANCE: f64 = 1e-9;

/// How far from its path triangles may stop a vertex, as a part of the thickness: rounding included.
const QUERY_RADIUS: f64 = 1.01;

/// Moves the ends of vertices out of bodies; `changed` gets the new mean velocities.
pub(crate) fn correct(
    scene: &Scene,
    x_t0: &[DVec3],
    x_t1: &mut [DVec3],
    inverse_mass: &[f64],
    h: f64,
    report: &mut StepReport,
) -> Vec<Option<DVec3>> {
    let clock = Clock::start();
    let thickness = scene.separation;
    let count = x_t1.len();
    let mut moved = Moved { x: x_t1, corrected: vec![false; count], inverse_mass };
    let mut near = Vec::new();
    for body in &scene.bodies {
        if body.sampled.is_some() {
            for v in 0..x_t0.len() {
                let near = body.ask(1, moved.x[v], thickness);
                moved.put(v, near.map(|(d, out)| moved.x[v] + out * (thickness - d)));
            }
            continue;
        }
        match &body.kind {
            ColliderKind::Mesh(detector) => {
                for v in (0..count).filter(|v| inverse_mass[*v] > 0.0) {
                    let place =
                        out_of_mesh(body, detector, x_t0[v], moved.x[v], thickness, &mut near);
                    report.tested += place.tested;
                    moved.put(v, place.moved);
                }
            }
            ColliderKind::Plane(normal) => {
                for v in 0..x_t0.len() {
                    let missing = thickness - normal.dot(moved.x[v] - body.x_t1[0]);
                    let out = (missing > 0.0).then(|| moved.x[v] + *normal * missing);
                    moved.put(v, out);
                }
            }
            ColliderKind::Vertex | ColliderKind::Edge => {}
        }
    }
    report.detections += 1;
    report.impacts = moved.corrected.iter().filter(|c| **c).count() as u64;
    let mean = |(v, c): (usize, &bool)| c.then(|| (moved.x[v] - x_t0[v]) / h);
    let changed = moved.corrected.iter().enumerate().map(mean).collect();
    report.seconds.detect += clock.seconds();
    changed
}

/// Where a vertex goes, and how many triangles it was tested with.
struct Place {
    moved: Option<DVec3>,
    tested: u64,
}

/// Where a vertex that moved from `p` to `q` goes because of all triangles of a body, one after the other. Only those near its path
/// are looked at; once it is moved, those near its new path.
fn out_of_mesh(
    body: &Collider,
    detector: &Detector,
    x_t0: DVec3,
    q: DVec3,
    thickness: f64,
    near: &mut Vec<u32>,
) -> Place {
    let p = if body.deformation.is_some() { x_t0 } else { start_of(body, x_t0) };
    let reach = DVec3::splat(QUERY_RADIUS * thickness);
    let mut place = Place { moved: None, tested: 0 };
    let (mut at, mut next) = (q, 0);
    loop {
        near.clear();
        let path = Aabb { lo: p.min(at) - reach, hi: p.max(at) + reach };
        detector.triangles_in(&path, |t| near.extend((t >= next).then_some(t)));
        near.sort_unstable();
        let out = near.iter().find_map(|t| {
            place.tested += 1;
            let corners = detector.surface.triangles[*t as usize].map(|v| v as usize);
            let p = if body.deformation.is_some() {
                start_on_triangle(corners.map(|v| body.x_t0[v]), corners.map(|v| body.x_t1[v]), p)
            } else {
                p
            };
            let corners = corners.map(|v| body.x_t1[v]);
            out_of_triangle(p, at, corners, thickness, body.outward).map(|to| (*t, to))
        });
        let Some((t, to)) = out else { return place };
        (at, next) = (to, t + 1);
        place.moved = Some(at);
    }
}

/// Ends of vertices, and which of them were corrected.
struct Moved<'a> {
    x: &'a mut [DVec3],
    corrected: Vec<bool>,
    inverse_mass: &'a [f64],
}

impl Moved<'_> {
    fn put(&mut self, v: usize, place: Option<DVec3>) {
        if let Some(place) = place
            && self.inverse_mass[v] > 0.0
        {
            self.x[v] = place;
            self.corrected[v] = true;
        }
    }
}

/// Where a vertex would be at the end of the step if it had moved with the body: what it passes is seen from there.
fn start_of(body: &Collider, x: DVec3) -> DVec3 {
    body.displacement.apply(x)
}

/// The same for a triangle that deforms: the affine map that takes the triangle from `before` to `after` and keeps heights above it.
fn start_on_triangle(before: [DVec3; 3], after: [DVec3; 3], p: DVec3) -> DVec3 {
    let (u, v) = (before[1] - before[0], before[2] - before[0]);
    let normal = u.cross(v);
    let area2 = normal.length_squared();
    if area2 == 0.0 {
        return p;
    }
    let d = p - before[0];
    let (s, t) = (d.cross(v).dot(normal) / area2, u.cross(d).dot(normal) / area2);
    let (u1, v1) = (after[1] - after[0], after[2] - after[0]);
    let height = d.dot(normal) / area2.sqrt();
    after[0] + u1 * s + v1 * t + u1.cross(v1).normalize_or_zero() * height
}

/// Where a vertex that moved from `p` to `q` goes, if the triangle stops it; `outward` as of a collider.
pub fn out_of_triangle(
    p: DVec3,
    q: DVec3,
    [a, b, c]: [DVec3; 3],
    thickness: f64,
    outward: Option<f64>,
) -> Option<DVec3> {
    let normal = (b - a).cross(c - a).try_normalize()? * outward.unwrap_or(1.0);
    let (before, after) = (normal.dot(p - a), normal.dot(q - a));
    let path = q - p;
    if outward.is_some() && before < 0.0 {
        // It is inside.
        let foot = q - normal * after;
        let out = after.abs() < thickness && within(foot, [a, b, c]);
        return out.then(|| foot + normal * thickness);
    }
    if before * after <= 0.0 && before != after && before != 0.0 {
        let x5 = p + path * (before / (before - after));
        if within(x5, [a, b, c]) {
            return Some(x5 - path.normalize_or_zero() * thickness);
        }
    }
    // On the side it came from, or outside if it began in the plane.
    let side = if before < 0.0 { -1.0 } else { 1.0 };
    if before * after >= 0.0 && side * after < thickness {
        let foot = q - normal * after;
        return within(foot, [a, b, c]).then(|| foot + normal * (side * thickness));
    }
    None
}

/// Whether a point of a triangle's plane lies in it, by the normal equations of its barycentric coordinates (eqs. 5, 6).
fn within(p: DVec3, [x1, x2, x3]: [DVec3; 3]) -> bool {
    let (e1, e2, r) = (x1 - x3, x2 - x3, p - x3);
    let m = DMat2::from_cols_array(&[e1.dot(e1), e1.dot(e2), e1.dot(e2), e2.dot(e2)]);
    let w = m.inverse() * DVec2::new(e1.dot(r), e2.dot(r));
    w.x >= -BARYCENTRIC_TOLERANCE
        && w.y >= -BARYCENTRIC_TOLERANCE
        && w.x + w.y <= 1.0 + BARYCENTRIC_TOLERANCE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Body, Shape};
    use crate::motion::Motion;
    use toile_mesh::shape;

    /// The same by all triangles.
    fn exhaustive(body: &Collider, triangles: &[[u32; 3]], [p, q]: [DVec3; 2]) -> Option<DVec3> {
        let (mut at, mut moved) = (q, None);
        for t in triangles {
            let corners = t.map(|c| body.x_t1[c as usize]);
            if let Some(to) = out_of_triangle(p, at, corners, 0.01, body.outward) {
                (at, moved) = (to, Some(to));
            }
        }
        moved
    }

    #[test]
    fn the_tree_moves_vertices_where_all_triangles_together_would() {
        let ball = shape::sphere(0.3, 3);
        let triangles = ball.triangles.clone();
        let mut body = Body::new("ball", Shape::Mesh(ball));
        body.motion = Motion::Steady {
            velocity: DVec3::new(0.3, 0.1, 0.0),
            axis: DVec3::Y,
            turns_per_second: 0.5,
            centre: DVec3::ZERO,
        };
        let tree = crate::Preset::AabbRealtime.settings().collision.tree;
        let colliders = vec![Collider::of_triangles(&body, tree)];
        let mesh = shape::grid(0.5, 0.5, 4, 4, shape::Diagonals::Alternating);
        let fabric = crate::Fabric::default();
        let cloth = crate::Cloth {
            name: "cloth".into(),
            mesh,
            grid: Some([4, 4]),
            fabric,
            pieces: Vec::new(),
        };
        let model = crate::Model::new(vec![cloth], Some(crate::Springs::Grid)).unwrap();
        let mut scene = Scene::new(&model, colliders, 0.01, tree);
        scene.advance_bodies(0.2, 0.25).unwrap();
        let body = &scene.bodies[0];
        let ColliderKind::Mesh(detector) = &body.kind else { panic!("it is of triangles") };
        let mut seed = 3_u64;
        let mut noise = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut near, mut moved, mut tested) = (Vec::new(), 0, 0);
        for k in 0..3000 {
            let p = DVec3::new(noise(), noise(), noise()) * 0.4;
            // Short ways, which end beside the surface, and long ones through it.
            let q = p + DVec3::new(noise(), noise(), noise()) * if k % 2 == 0 { 0.02 } else { 0.5 };
            let place = out_of_mesh(body, detector, p, q, 0.01, &mut near);
            assert_eq!(
                place.moved,
                exhaustive(body, &triangles, [super::start_of(body, p), q]),
                "{p} {q}"
            );
            moved += usize::from(place.moved.is_some());
            tested += place.tested;
        }
        assert!(moved > 200, "{moved}");
        assert!(tested < 3000 * triangles.len() as u64 / 4, "{tested}");
    }

    const FACE: [DVec3; 3] = [DVec3::ZERO, DVec3::new(0.0, 0.0, 1.0), DVec3::new(1.0, 0.0, 0.0)];

    #[test]
    fn a_vertex_that_passed_is_backed_off_along_its_way() {
        let (p, q) = (DVec3::new(0.2, 0.3, 0.2), DVec3::new(0.2, -0.1, 0.2));
        let put = out_of_triangle(p, q, FACE, 0.05, None).unwrap();
        assert!((put - DVec3::new(0.2, 0.05, 0.2)).length() < 1e-12, "{put}");
        // From behind it stays behind.
        let put = out_of_triangle(
            -p * DVec3::new(-1.0, 1.0, -1.0),
            -q * DVec3::new(-1.0, 1.0, -1.0),
            FACE,
            0.05,
            None,
        );
        assert!((put.unwrap() - DVec3::new(0.2, -0.05, 0.2)).length() < 1e-12);
    }

    #[test]
    fn a_vertex_that_is_too_near_is_pushed_out_along_the_normal() {
        let (p, q) = (DVec3::new(0.2, 0.3, 0.2), DVec3::new(0.3, 0.01, 0.2));
        let put = out_of_triangle(p, q, FACE, 0.05, None).unwrap();
        assert!((put - DVec3::new(0.3, 0.05, 0.2)).length() < 1e-12);
    }

    #[test]
    fn a_vertex_inside_a_solid_is_let_out_and_pushed_out() {
        let inside = DVec3::new(0.2, -0.02, 0.2);
        let out = DVec3::new(0.2, 0.05, 0.2);
        // FACE looks up; it stays where it is found, leaves by itself, or goes deeper.
        for to in [inside, DVec3::new(0.2, 0.01, 0.2), DVec3::new(0.2, -0.04, 0.2)] {
            let put = out_of_triangle(inside, to, FACE, 0.05, Some(1.0)).unwrap();
            assert!((put - out).length() < 1e-12, "{put}");
        }
        let far = DVec3::new(0.2, 0.3, 0.2);
        assert_eq!(out_of_triangle(inside, far, FACE, 0.05, Some(1.0)), None);
        // Of a mesh that faces inwards, above is inside.
        let put = out_of_triangle(out, out * 0.5, FACE, 0.06, Some(-1.0)).unwrap();
        assert!((put.y + 0.06).abs() < 1e-12, "{put}");
    }

    #[test]
    fn a_vertex_beside_the_triangle_or_far_from_it_is_left_alone() {
        let p = DVec3::new(0.9, 0.3, 0.9);
        assert_eq!(out_of_triangle(p, p - DVec3::Y, FACE, 0.05, None), None);
        let p = DVec3::new(0.2, 0.3, 0.2);
        assert_eq!(out_of_triangle(p, p - DVec3::Y * 0.1, FACE, 0.05, None), None);
        assert_eq!(out_of_triangle(p, p, [DVec3::ZERO; 3], 0.05, None), None);
    }
}
