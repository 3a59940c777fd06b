//! Geometric correction with thickness (R4; paper A §6).
//!
//! A vertex that moved from `p` to `q` is tested with the triangles of bodies. If it passed through one, it goes to the
//! point of passage `X5 = w1 X1 + w2 X2 + w3 X3`, backed off along its way by the thickness. If it did not but is nearer than
//! the thickness, it is pushed out along the normal. Velocities follow the positions.
//!
//! Errata: eq. 7 of the paper gives one product for each coordinate; X5 is their sum. The thickness is printed as added in
//! the direction of motion, which would put the vertex behind the triangle.
//!
//! Limits: vertices only. Edges of cloth pass through edges and corners of bodies, and cloth through cloth.

use super::detect::Scene;
use crate::body::{Collider, ColliderKind};
use crate::report::StepReport;
use glam::{DMat2, DVec2, DVec3};
use std::time::Instant;
use toile_collide::{Motion, NotFinite};

/// How far outside a triangle barycentric coordinates may lie: two triangles share an edge, and rounding must not let
/// a vertex between them.
const RIM: f64 = 1e-9;

/// Moves the ends of vertices out of bodies; `changed` gets the new mean velocities.
pub(crate) fn correct(
    scene: &mut Scene,
    x_t0: &[DVec3],
    x_t1: &mut [DVec3],
    inverse_mass: &[f64],
    h: f64,
    report: &mut StepReport,
) -> Result<Vec<Option<DVec3>>, NotFinite> {
    let clock = Instant::now();
    let thickness = scene.separation;
    scene.cloth.update(Motion { x_t0, x_t1 }, thickness, None)?;
    report.detections += 1;
    let mut pairs = Vec::with_capacity(scene.bodies.len());
    for body in &scene.bodies {
        pairs.push(match &body.kind {
            ColliderKind::Mesh(detector) => {
                let (candidates, counts) = scene.cloth.candidates_with(detector);
                report.triangle_pairs += counts.triangle_pairs;
                report.tested += candidates.vf.len() as u64;
                candidates.vf
            }
            _ => Vec::new(),
        });
    }
    report.seconds.detect += clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let count = x_t1.len();
    let mut moved = Moved { x: x_t1, corrected: vec![false; count], inverse_mass };
    for (body, pairs) in scene.bodies.iter().zip(pairs) {
        if body.sampled.is_some() {
            for v in 0..x_t0.len() {
                let near = body.ask(1, moved.x[v], thickness);
                moved.put(v, near.map(|(d, out)| moved.x[v] + out * (thickness - d)));
            }
            continue;
        }
        match &body.kind {
            ColliderKind::Mesh(detector) => {
                for [v, t] in pairs {
                    let v = v as usize;
                    let triangle = detector.surface.triangles[t as usize];
                    let corners = triangle.map(|c| body.x_t1[c as usize]);
                    let from = begin(body, x_t0[v]);
                    moved.put(v, out_of_triangle(from, moved.x[v], corners, thickness));
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
    report.impacts = moved.corrected.iter().filter(|c| **c).count() as u64;
    let mean = |(v, c): (usize, &bool)| c.then(|| (moved.x[v] - x_t0[v]) / h);
    let changed = moved.corrected.iter().enumerate().map(mean).collect();
    report.seconds.respond += clock.elapsed().as_secs_f64();
    Ok(changed)
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
fn begin(body: &Collider, x: DVec3) -> DVec3 {
    body.displacement.apply(x)
}

/// Where a vertex that moved from `p` to `q` goes, if the triangle is in its way.
pub fn out_of_triangle(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3], thickness: f64) -> Option<DVec3> {
    let normal = (b - a).cross(c - a).try_normalize()?;
    let (before, after) = (normal.dot(p - a), normal.dot(q - a));
    let way = q - p;
    if before * after <= 0.0 && before != after && before != 0.0 {
        let x5 = p + way * (before / (before - after));
        if within(x5, [a, b, c]) {
            return Some(x5 - way.normalize_or_zero() * thickness);
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
    w.x >= -RIM && w.y >= -RIM && w.x + w.y <= 1.0 + RIM
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: [DVec3; 3] = [DVec3::ZERO, DVec3::new(0.0, 0.0, 1.0), DVec3::new(1.0, 0.0, 0.0)];

    #[test]
    fn a_vertex_that_passed_is_backed_off_along_its_way() {
        let (p, q) = (DVec3::new(0.2, 0.3, 0.2), DVec3::new(0.2, -0.1, 0.2));
        let put = out_of_triangle(p, q, FACE, 0.05).unwrap();
        assert!((put - DVec3::new(0.2, 0.05, 0.2)).length() < 1e-12, "{put}");
        // From behind it stays behind.
        let put = out_of_triangle(
            -p * DVec3::new(-1.0, 1.0, -1.0),
            -q * DVec3::new(-1.0, 1.0, -1.0),
            FACE,
            0.05,
        );
        assert!((put.unwrap() - DVec3::new(0.2, -0.05, 0.2)).length() < 1e-12);
    }

    #[test]
    fn a_vertex_that_is_too_near_is_pushed_out_along_the_normal() {
        let (p, q) = (DVec3::new(0.2, 0.3, 0.2), DVec3::new(0.3, 0.01, 0.2));
        let put = out_of_triangle(p, q, FACE, 0.05).unwrap();
        assert!((put - DVec3::new(0.3, 0.05, 0.2)).length() < 1e-12);
    }

    #[test]
    fn a_vertex_beside_the_triangle_or_far_from_it_is_left_alone() {
        let p = DVec3::new(0.9, 0.3, 0.9);
        assert_eq!(out_of_triangle(p, p - DVec3::Y, FACE, 0.05), None);
        let p = DVec3::new(0.2, 0.3, 0.2);
        assert_eq!(out_of_triangle(p, p - DVec3::Y * 0.1, FACE, 0.05), None);
        assert_eq!(out_of_triangle(p, p, [DVec3::ZERO; 3], 0.05), None);
    }
}
