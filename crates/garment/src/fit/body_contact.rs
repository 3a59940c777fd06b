//! Gap between cloth and body, and the pressure between them.
//!
//! At rest every vertex of the cloth is in balance: contact with the body pushes back what tension and weight push on it. Along the
//! outward normal n of the body that is `N = (∂E/∂x − m g)·n`, and the pressure is N over the present area of the vertex and of
//! those around it, so that single contacts of two coarse meshes do not show as points. It is zero where the cloth is too far to
//! touch. A tube of tension T around a cylinder of radius R presses with T/R.

use super::Worn;
use super::cloth::{Merged, Strain};
use glam::DVec3;
use rayon::prelude::*;
use toile_collide::field::Solid;
use toile_sim::fabric::STANDARD_GRAVITY;

/// Cloth nearer than this touches [m], and the part of the length of its edges that comes on top: between vertices that
/// rest on a round body, edges dip towards it.
const CONTACT_DISTANCE: f64 = 0.003;
const CONTACT_EDGE_FRACTION: f64 = 0.1;

/// What is between cloth and body, at each joined vertex.
pub(super) struct BodyContact {
    /// Distance from the body [m]; zero inside.
    pub(super) gap: Vec<f64>,
    /// Whether it is near enough to touch.
    pub(super) touches: Vec<bool>,
    /// Present area [m²].
    pub(super) area: Vec<f64>,
    /// Pressure [kPa].
    pub(super) pressure: Vec<f64>,
}

impl BodyContact {
    pub(super) fn new(worn: &Worn<'_>, merged: &Merged, strains: &[Strain], solid: &Solid) -> Self {
        let n = merged.positions.len();
        let skin = worn.body.vertex_normals();
        let near: Vec<(f64, DVec3)> = merged
            .positions
            .par_iter()
            .map(|p| {
                let at = solid.nearest(*p);
                let corners = worn.body.triangles[at.triangle as usize];
                let normal = (0..3).map(|k| skin[corners[k] as usize] * at.weights[k]).sum();
                let normal = DVec3::normalize_or(normal, DVec3::Y);
                let offset = *p - at.point;
                (if offset.dot(normal) > 0.0 { at.distance } else { 0.0 }, normal)
            })
            .collect();
        let mut pull = vec![DVec3::ZERO; n];
        let (mut area, mut edges) = (vec![0.0; n], 0.0);
        for (t, (tri, rest)) in merged.triangles.iter().zip(&merged.rest).enumerate() {
            let x = worn.cloth.corners(t);
            let [u, v] = rest.deformation(&x);
            let s = strains[t].stress;
            let (along_u, along_v) = (u * s[0] + v * s[2], u * s[2] + v * s[1]);
            let density = worn.fabrics.of(merged.panel[t] as usize).density;
            let weight = DVec3::Y * (density * rest.area * STANDARD_GRAVITY / 3.0);
            let third = (x[1] - x[0]).cross(x[2] - x[0]).length() / 6.0;
            for k in 0..3 {
                let g = rest.gradients()[k];
                pull[tri[k] as usize] += (along_u * g.x + along_v * g.y) * rest.area + weight;
                area[tri[k] as usize] += third;
                edges += x[k].distance(x[(k + 1) % 3]);
            }
        }
        let edge = edges / (3 * merged.triangles.len()).max(1) as f64;
        let touch = CONTACT_DISTANCE + CONTACT_EDGE_FRACTION * edge;
        let gap: Vec<f64> = near.iter().map(|(d, _)| *d).collect();
        let touches: Vec<bool> = gap.iter().map(|d| *d < touch).collect();
        // Force and area of each vertex and those around it, of what touches.
        let push = |v: usize| if touches[v] { pull[v].dot(near[v].1) } else { 0.0 };
        let mut sums: Vec<[f64; 2]> =
            (0..n).map(|v| [push(v), if touches[v] { area[v] } else { 0.0 }]).collect();
        let own = sums.clone();
        for [a, b] in edges_of(&merged.triangles) {
            for (to, from) in [(a, b), (b, a)] {
                for k in 0..2 {
                    sums[to as usize][k] += own[from as usize][k];
                }
            }
        }
        let pressure = (0..n)
            .map(|v| match sums[v] {
                [force, around] if touches[v] && around > 0.0 => 1e-3 * (force / around).max(0.0),
                _ => 0.0,
            })
            .collect();
        Self { gap, touches, area, pressure }
    }
}

/// All edges, each once.
fn edges_of(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}
