//! Proximity repulsion (R5): impulses for proximities at the start of a step [bridson2002, §7.2].
//!
//! Pairs nearer than a reach lose their approach (inelastically), and are pushed apart by a spring that may not
//! do more than open a tenth of what is missing in one step; here it always does that much. Friction takes away up to
//! μ times the change of the normal velocity.
//!
//! Most contacts are dealt with here, before they become collisions; nothing is promised.

use super::Contact;
use super::detect::Scene;
use crate::body::ColliderKind;
use glam::DVec3;
use toile_collide::distance::{edge_edge, point_segment, point_triangle};
use toile_collide::{Motion, NotFinite, Surface, proximity};

/// Part of what is missing that a step opens.
const GAP_RECOVERY: f64 = 0.1;

/// What is repelled.
#[derive(Clone, Copy)]
pub(crate) struct RepulsionRange {
    /// From this distance on [m].
    pub(crate) distance: f64,
    /// Cloth from cloth.
    pub(crate) cloth: bool,
    /// Cloth from bodies.
    pub(crate) bodies: bool,
}

/// Changes mean velocities `v`, and returns which vertices were changed.
pub(crate) fn repulse(
    scene: &mut Scene,
    x: &[DVec3],
    inverse_mass: &[f64],
    h: f64,
    range: RepulsionRange,
    v: &mut [DVec3],
) -> Result<Vec<bool>, NotFinite> {
    let mut changed = vec![false; x.len()];
    let mut contacts = Vec::new();
    if range.cloth {
        near_itself(scene, x, range.distance, &mut contacts)?;
    }
    if range.bodies {
        near_bodies(scene, x, h, range.distance, &mut contacts)?;
    }
    for c in &contacts {
        if push(c, h, inverse_mass, v) {
            c.vertices().iter().for_each(|i| changed[*i as usize] = true);
        }
    }
    Ok(changed)
}

/// The impulse of one pair; whether there was any.
fn push(c: &Contact, h: f64, inverse_mass: &[f64], v: &mut [DVec3]) -> bool {
    let pairs = || c.vertices().iter().map(|i| *i as usize).zip(c.weights);
    let yielding: f64 = pairs().map(|(i, w)| w * w * inverse_mass[i]).sum();
    let body = c.body.map_or(DVec3::ZERO, |(_, velocity)| velocity);
    let u = pairs().map(|(i, w)| v[i] * w).sum::<DVec3>() - body;
    let along = u.dot(c.normal);
    let change = GAP_RECOVERY * c.deficit / h - along;
    if change <= 0.0 || yielding <= 0.0 {
        return false;
    }
    // Only what stops the approach is a normal force; the push that opens the gap causes no friction.
    let press = c.friction * (-along).max(0.0);
    let slide = u - c.normal * along;
    let friction = if slide.length() > press { slide * (press / slide.length()) } else { slide };
    let j = (c.normal * change - friction) / yielding;
    for (i, w) in pairs() {
        v[i] += j * (w * inverse_mass[i]);
    }
    true
}

fn near_itself(
    scene: &mut Scene,
    x: &[DVec3],
    reach: f64,
    contacts: &mut Vec<Contact>,
) -> Result<(), NotFinite> {
    let found = proximity::self_proximity(&mut scene.cloth, x, reach)?;
    let s = &scene.cloth.surface;
    let mut add = |vertices: [u32; 4], weights: [f64; 4]| {
        let between: DVec3 = vertices.iter().zip(weights).map(|(v, w)| x[*v as usize] * w).sum();
        let Some(normal) = between.try_normalize() else { return };
        contacts.push(Contact {
            time: 0.0,
            vertices,
            count: 4,
            weights,
            normal,
            body: None,
            friction: 0.25 * vertices.iter().map(|v| scene.friction[*v as usize]).sum::<f64>(),
            deficit: reach - between.length(),
        });
    };
    for near in &found.vf {
        let [a, b, c] = s.triangles[near.pair[1] as usize];
        let v = near.pair[0];
        let w = point_triangle(x[v as usize], [a, b, c].map(|i| x[i as usize]));
        add([v, a, b, c], [1.0, -w[0], -w[1], -w[2]]);
    }
    for near in &found.ee {
        let [[a, b], [c, d]] = near.pair.map(|e| s.edges[e as usize]);
        let at = |i: u32| x[i as usize];
        let [p, q] = edge_edge([at(a), at(b)], [at(c), at(d)]);
        add([a, b, c, d], [1.0 - p, p, q - 1.0, -q]);
    }
    Ok(())
}

/// Vertices near bodies as they stand at the start of the step.
fn near_bodies(
    scene: &mut Scene,
    x: &[DVec3],
    h: f64,
    reach: f64,
    contacts: &mut Vec<Contact>,
) -> Result<(), NotFinite> {
    scene.cloth.update(Motion::still(x), reach, None)?;
    for (number, body) in scene.bodies.iter().enumerate() {
        let mut add = |v: u32, foot: DVec3, outward: Option<DVec3>, way: Option<DVec3>| {
            let from = x[v as usize] - foot;
            let Some(normal) = outward.or_else(|| from.try_normalize()) else { return };
            let deficit = reach + body.radius - from.dot(normal);
            if deficit <= 0.0 {
                return;
            }
            let drag = way.unwrap_or_else(|| body.displacement.apply(foot) - foot) / h;
            let friction = body.friction.unwrap_or(scene.friction[v as usize]);
            contacts.push(Contact {
                time: 0.0,
                vertices: [v, 0, 0, 0],
                count: 1,
                weights: [1.0, 0.0, 0.0, 0.0],
                normal,
                body: Some((number as u32, drag)),
                friction,
                deficit,
            });
        };
        if body.sampled.is_some() {
            for v in 0..x.len() as u32 {
                if let Some((d, out)) = body.ask(0, x[v as usize], reach) {
                    add(v, x[v as usize] - out * d, Some(out), None);
                }
            }
            continue;
        }
        match &body.kind {
            ColliderKind::Mesh(detector) => {
                let (candidates, _) = scene.cloth.candidates_with(detector);
                let deforms = body.deformation.is_some();
                nearest_on_mesh(&candidates.vf, &detector.surface, &body.x_t0, x, |v, at| {
                    let corners = at.corners.map(|c| c as usize);
                    let way =
                        || (0..3).map(|k| body.x_t1[corners[k]] * at.weights[k]).sum::<DVec3>();
                    add(v, at.foot, Some(at.normal), deforms.then(|| way() - at.foot));
                });
            }
            ColliderKind::Vertex => {
                (0..x.len() as u32).for_each(|v| add(v, body.x_t0[0], None, None));
            }
            ColliderKind::Edge => {
                let [a, b] = [body.x_t0[0], body.x_t0[1]];
                for v in 0..x.len() as u32 {
                    let foot = a.lerp(b, point_segment(x[v as usize], a, b));
                    add(v, foot, None, None);
                }
            }
            ColliderKind::Plane(normal) => {
                for v in 0..x.len() as u32 {
                    let height = normal.dot(x[v as usize] - body.x_t0[0]);
                    add(v, x[v as usize] - *normal * height, Some(*normal), None);
                }
            }
        }
    }
    Ok(())
}

/// The nearest point of a mesh.
#[derive(Clone, Copy)]
struct Foot {
    distance: f64,
    foot: DVec3,
    /// Outwards.
    normal: DVec3,
    /// Its triangle and where it is in that.
    corners: [u32; 3],
    weights: [f64; 3],
}

/// Tells `add` of the nearest triangle of each vertex. `pairs` are sorted by vertices.
fn nearest_on_mesh(
    pairs: &[[u32; 2]],
    surface: &Surface,
    positions: &[DVec3],
    x: &[DVec3],
    mut add: impl FnMut(u32, Foot),
) {
    let mut best: Option<(u32, Foot)> = None;
    for [v, t] in pairs {
        let (v, p) = (*v, x[*v as usize]);
        let corners = surface.triangles[*t as usize];
        let tri = corners.map(|c| positions[c as usize]);
        let weights = point_triangle(p, tri);
        let foot = tri[0] * weights[0] + tri[1] * weights[1] + tri[2] * weights[2];
        let distance = p.distance(foot);
        let face = (tri[1] - tri[0]).cross(tri[2] - tri[0]).normalize_or_zero();
        let out = (p - foot).dot(face) >= 0.0;
        let normal = if out { (p - foot).normalize_or(face) } else { face };
        let here = Foot { distance, foot, normal, corners, weights };
        match best {
            Some((last, nearest)) if last == v && nearest.distance <= distance => continue,
            Some((last, nearest)) if last != v => add(last, nearest),
            _ => {}
        }
        best = Some((v, here));
    }
    if let Some((v, nearest)) = best {
        add(v, nearest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(deficit: f64, friction: f64) -> Contact {
        Contact {
            time: 0.0,
            vertices: [0, 1, 2, 3],
            count: 4,
            weights: [1.0, -0.5, -0.25, -0.25],
            normal: DVec3::Y,
            body: None,
            friction,
            deficit,
        }
    }

    #[test]
    fn a_pair_that_is_near_opens_a_tenth_of_what_is_missing_and_keeps_its_momentum() {
        let mut v = [DVec3::new(1.0, -3.0, 0.0), DVec3::Y, DVec3::ZERO, DVec3::X];
        let w = [0.5, 1.0, 2.0, 0.7];
        let momentum = |v: &[DVec3; 4]| (0..4).map(|i| v[i] / w[i]).sum::<DVec3>();
        let before = momentum(&v);
        assert!(push(&pair(1e-3, 0.3), 0.01, &w, &mut v));
        assert!((momentum(&v) - before).length() < 1e-12);
        let along: f64 = (0..4).map(|i| v[i].y * pair(0.0, 0.0).weights[i]).sum();
        assert!((along - 0.01).abs() < 1e-12, "{along}");
    }

    #[test]
    fn a_pair_that_parts_fast_enough_is_left_alone() {
        let mut v = [DVec3::Y, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        assert!(!push(&pair(1e-3, 0.3), 0.01, &[1.0; 4], &mut v));
        assert_eq!(v[0], DVec3::Y);
    }

    #[test]
    fn friction_stops_what_slides_slowly_and_slows_what_is_fast() {
        let slide = |speed: f64| {
            let mut v = [DVec3::new(speed, -1.0, 0.0), DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
            push(&pair(0.0, 0.5), 0.01, &[1.0, 0.0, 0.0, 0.0], &mut v);
            v[0].x
        };
        assert_eq!(slide(0.4), 0.0);
        assert!((slide(2.0) - 1.5).abs() < 1e-12);
    }
}
