//! Friction between threads in bending: sliders over the curvature of every triangle.
//!
//! A bent fabric comes back on another path than it went: its moment per width lags by ± 2HB/2, whatever its speed. Here each
//! triangle has two springs with sliders ([`Slider`]), one over its curvature along the weft and one along the warp, with the
//! limits ½ 2HB of the fabric.
//!
//! **Curvature.** Of the parabola through the corners of the triangle and the tips behind its edges: a tip stands h φ above the
//! plane of the triangle, h its height on the edge at rest and φ = 2 tan(θ/2) the slope over the edge. So
//! `κ = G φ`, with `G⁻¹` of the rows `[Q(tip) − Σ_a λ_a Q(corner a)]/h`, Q(w) = (½ w_u², ½ w_v², w_u w_v), λ the barycentric
//! coordinates of the tip. That is right for uniform curvature on any mesh. Where tips are missing, at the border, or six points
//! lie near a conic, κ is the smallest one that fits; G has an upper bound.
//!
//! **Derivatives.** With f the potential of a slider, A f(κ_i) has the moments `M_e = Σ A f′ G_ie` over the edges and
//! the gradient `Σ M_e φ′ ∇θ_e`. Of the Hessian, `A f″ (Σ_e G_ie ∇φ_e)(…)ᵀ`, the matrix has the upper bound
//! `Σ_e A f″ |G_ie| Σ_l |G_il| ∇φ_e ∇φ_eᵀ`, which couples no vertices but those of a hinge, and with the secant for f″.
//!
//! Limits: twist without curvature along weft or warp has no friction, as no test of Kawabata's measures it. So a mesh of cells five times
//! as long as wide can corrugate a little and bend over its diagonals alone, around the friction: with diagonals that alternate it
//! keeps a third of the loop. Cells about as long as wide have all of it.

use super::hinge::{angle_gradient, stencil};
use super::morley::slope;
use super::stiffness::invert;
use super::viscosity::Slider;
use crate::fabric::BENDING_TRANSITION;
use glam::{DVec2, DVec3};
use toile_mesh::{NONE, Topology, TriMesh};

/// How far six points are from a conic, at least: a part of the mean square of the rows.
const REGULARISATION: f64 = 1e-3;

/// A triangle with friction in bending.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FrictionalBend {
    /// Its inner edges by their numbers, or [`NONE`].
    edges: [u32; 3],
    /// Curvature along weft and along warp by the slopes over these edges [1/m].
    curvature: [[f64; 3]; 2],
    /// Area at rest [m²].
    area: f64,
    /// Number of its sliders.
    sliders: u32,
}

/// An inner edge: its ends and the tips beside it, and the triangles beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Its ends, then the tips.
    pub vertices: [u32; 4],
    /// Numbers among the triangles with friction, or [`NONE`].
    triangles: [u32; 2],
}

/// All triangles of a cloth with friction in bending.
#[derive(Debug)]
pub struct BendingFriction {
    edges: Vec<Edge>,
    triangles: Vec<FrictionalBend>,
    /// Along weft and warp, for each fabric; none where there is no friction.
    sliders: Vec<[Option<Slider>; 2]>,
    slider_positions: Vec<f64>,
}

/// What friction does over an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeMoment {
    /// M_e [N·m].
    pub moment: f64,
    /// Factor of ∇φ ∇φᵀ in the matrix [N·m].
    pub stiffness: f64,
    /// ∇φ [1/m].
    pub slopes: [DVec3; 4],
}

impl BendingFriction {
    /// Those of a mesh with its sliders at rest; `limits` gives the limits of the moment per width along weft and warp of a
    /// triangle [N].
    pub fn of_mesh(
        mesh: &TriMesh,
        topology: &Topology,
        limits: impl Fn(usize) -> [f64; 2],
    ) -> Self {
        let (mut number, mut edges) = (vec![NONE; topology.edges.len()], Vec::new());
        for (e, number) in number.iter_mut().enumerate() {
            if let Some((vertices, _)) = stencil(mesh, topology, e) {
                *number = edges.len() as u32;
                edges.push(Edge { vertices, triangles: [NONE; 2] });
            }
        }
        let (mut kinds, mut sliders, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for t in 0..mesh.triangles.len() {
            let limit = limits(t);
            let Some(curvature) = curvature_of(mesh, topology, t).filter(|_| limit != [0.0; 2])
            else {
                continue;
            };
            let known = kinds.iter().position(|k| *k == limit).unwrap_or_else(|| {
                kinds.push(limit);
                sliders.push(limit.map(slider));
                kinds.len() - 1
            });
            let own = topology.triangle_edges[t].map(|e| number[e as usize]);
            for e in own.iter().filter(|e| **e != NONE) {
                let sides = &mut edges[*e as usize].triangles;
                sides[usize::from(sides[0] != NONE)] = triangles.len() as u32;
            }
            let uv = mesh.corners_uv(t);
            let area = 0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]).abs();
            triangles.push(FrictionalBend { edges: own, curvature, area, sliders: known as u32 });
        }
        let slider_positions = vec![0.0; 2 * triangles.len()];
        Self { edges, triangles, sliders, slider_positions }
    }

    /// The inner edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Where the sliders are [1/m].
    pub fn slider_positions(&self) -> &[f64] {
        &self.slider_positions
    }

    /// The same, to put them elsewhere.
    pub fn slider_positions_mut(&mut self) -> &mut [f64] {
        &mut self.slider_positions
    }

    /// Number of triangles with friction.
    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Slope over an edge.
    fn slope(&self, e: u32, x: &[DVec3]) -> f64 {
        slope(&self.edges[e as usize].vertices.map(|v| x[v as usize])).0
    }

    /// Curvature of a triangle along weft and warp [1/m].
    fn curvature(&self, triangle: &FrictionalBend, x: &[DVec3]) -> [f64; 2] {
        let slopes = triangle.edges.map(|e| if e == NONE { 0.0 } else { self.slope(e, x) });
        triangle.curvature.map(|g| g[0] * slopes[0] + g[1] * slopes[1] + g[2] * slopes[2])
    }

    /// Potential of a step to `x` in triangle `t` [J].
    pub fn energy(&self, t: usize, x: &[DVec3]) -> f64 {
        let triangle = &self.triangles[t];
        let curvature = self.curvature(triangle, x);
        let sliders = &self.sliders[triangle.sliders as usize];
        let of = |i: usize| {
            sliders[i]
                .map_or(0.0, |s| s.evaluate(curvature[i], self.slider_positions[2 * t + i])[0])
        };
        triangle.area * (of(0) + of(1))
    }

    /// What friction does over edge `e` in a step to `x`.
    pub fn moment(&self, e: usize, x: &[DVec3]) -> EdgeMoment {
        let edge = &self.edges[e];
        let (mut moment, mut stiffness) = (0.0, 0.0);
        for t in edge.triangles.into_iter().filter(|t| *t != NONE) {
            let triangle = &self.triangles[t as usize];
            let curvature = self.curvature(triangle, x);
            let Some(k) = triangle.edges.iter().position(|own| *own == e as u32) else { continue };
            for (i, slider) in self.sliders[triangle.sliders as usize].iter().enumerate() {
                let Some(slider) = slider else { continue };
                let (slip, g) = (self.slider_positions[2 * t as usize + i], triangle.curvature[i]);
                moment += triangle.area * slider.evaluate(curvature[i], slip)[1] * g[k];
                let sum = g[0].abs() + g[1].abs() + g[2].abs();
                stiffness += triangle.area * slider.secant(curvature[i], slip) * g[k].abs() * sum;
            }
        }
        let corners = edge.vertices.map(|v| x[v as usize]);
        let factor = slope(&corners).1;
        EdgeMoment { moment, stiffness, slopes: angle_gradient(&corners).map(|g| g * factor) }
    }

    /// Lets the sliders follow to `x`; returns the energy lost [J].
    pub fn update_sliders(&mut self, x: &[DVec3]) -> f64 {
        let mut dissipated = 0.0;
        for t in 0..self.triangles.len() {
            let triangle = self.triangles[t];
            let curvature = self.curvature(&triangle, x);
            for (i, slider) in self.sliders[triangle.sliders as usize].iter().enumerate() {
                if let Some(slider) = slider {
                    dissipated += triangle.area
                        * slider.slide(curvature[i], &mut self.slider_positions[2 * t + i]);
                }
            }
        }
        dissipated
    }
}

/// A slider with this limit [N], whose loop turns from one limit to the other as far as loops do.
fn slider(limit: f64) -> Option<Slider> {
    (limit > 0.0).then_some(Slider { stiffness: limit / (0.5 * BENDING_TRANSITION), limit })
}

/// Curvature of a triangle along weft and warp by the slopes over its edges [1/m]; nothing if it has no area.
fn curvature_of(mesh: &TriMesh, topology: &Topology, t: usize) -> Option<[[f64; 3]; 2]> {
    let uv = mesh.corners_uv(t);
    let twice = (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]);
    if twice == 0.0 || !twice.is_finite() {
        return None;
    }
    let rows: [[f64; 3]; 3] = std::array::from_fn(|k| {
        tip_behind(mesh, topology, t, k).map_or([0.0; 3], |tip| tip_row(&uv, twice, tip))
    });
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let small = REGULARISATION / 3.0 * rows.iter().map(|r| dot(*r, *r)).sum::<f64>();
    // The smallest curvature that fits: Rᵀ (R Rᵀ + ε)⁻¹.
    let gram = std::array::from_fn(|k| {
        std::array::from_fn(|l| dot(rows[k], rows[l]) + if k == l { small } else { 0.0 })
    });
    let inverse = invert(&gram)?;
    Some(
        [0, 1].map(|i| {
            std::array::from_fn(|l| (0..3).map(|k| rows[k][i] * inverse[k][l]).sum::<f64>())
        }),
    )
}

/// A tip in the material frame of the triangle beside it, and its height on their edge [m].
#[derive(Clone, Copy, Debug)]
struct Tip {
    at: DVec2,
    height: f64,
}

/// The tip behind edge k of a triangle, laid flat beside it: the neighbour may be of another panel with another frame.
fn tip_behind(mesh: &TriMesh, topology: &Topology, t: usize, k: usize) -> Option<Tip> {
    let e = topology.triangle_edges[t][k] as usize;
    let (_, sides) = stencil(mesh, topology, e)?;
    let other = sides.into_iter().find(|s| *s as usize != t)? as usize;
    let (uv, theirs) = (mesh.corners_uv(t), mesh.corners_uv(other));
    let (own, corners) = (mesh.triangles[t], mesh.triangles[other]);
    let place = |v: u32| corners.iter().position(|c| *c == v).map(|c| theirs[c]);
    let [a, b] = [place(own[k])?, place(own[(k + 1) % 3])?];
    let tip = theirs[corners.iter().position(|c| *c != own[k] && *c != own[(k + 1) % 3])?];
    // Along the edge as a part of its length, and across.
    let along = (tip - a).dot(b - a) / (b - a).length_squared();
    let height = (b - a).perp_dot(tip - a).abs() / a.distance(b);
    let [p, q, inside] = [uv[k], uv[(k + 1) % 3], uv[(k + 2) % 3]];
    let across = (q - p).perp();
    let outside = if across.dot(inside - p) > 0.0 { -across } else { across };
    let at = p + (q - p) * along + outside.normalize_or_zero() * height;
    (height > 0.0 && at.is_finite()).then_some(Tip { at, height })
}

/// Slope over the edge of a tip by curvature (κ11, κ22, √2 κ12) [m].
fn tip_row(uv: &[DVec2; 3], twice: f64, tip: Tip) -> [f64; 3] {
    let square = |p: DVec2| {
        let w = p - uv[0];
        [0.5 * w.x * w.x, 0.5 * w.y * w.y, w.x * w.y * std::f64::consts::FRAC_1_SQRT_2]
    };
    let part = |a: usize| (uv[(a + 1) % 3] - tip.at).perp_dot(uv[(a + 2) % 3] - tip.at) / twice;
    let (corners, far) = (uv.map(square), square(tip.at));
    std::array::from_fn(|i| {
        let plane: f64 = (0..3).map(|a| part(a) * corners[a][i]).sum();
        (far[i] - plane) / tip.height
    })
}

#[cfg(test)]
mod tests {
    use super::super::check::{Dice, meshes};
    use super::*;

    fn folds(mesh: &TriMesh, limit: [f64; 2]) -> BendingFriction {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        BendingFriction::of_mesh(mesh, &topology, |_| limit)
    }

    fn bent(mesh: &TriMesh, curvature: [f64; 3]) -> Vec<DVec3> {
        let [k11, k22, k12] = curvature;
        let height = |p: &DVec2| 0.5 * k11 * p.x * p.x + 0.5 * k22 * p.y * p.y + k12 * p.x * p.y;
        mesh.uv.iter().map(|p| p.extend(height(p))).collect()
    }

    #[test]
    fn uniform_curvature_is_found_on_any_mesh() {
        for (name, mesh) in meshes(8) {
            let folds = folds(&mesh, [1.0, 2.0]);
            for k in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.5, -0.5]] {
                let x = bent(&mesh, k.map(|k| 1e-3 * k));
                let inner = folds.triangles.iter().filter(|t| !t.edges.contains(&NONE));
                for triangle in inner.clone() {
                    let found = folds.curvature(triangle, &x).map(|k| 1e3 * k.abs());
                    // A bound of G moves it a little, most on Delaunay's triangles.
                    let error = (found[0] - k[0]).abs().max((found[1] - k[1]).abs());
                    assert!(error < 0.05, "{name} {k:?} {found:?}");
                }
                assert!(inner.count() > 50);
            }
        }
    }

    #[test]
    fn uniform_bending_loses_what_was_measured_on_any_mesh() {
        for (name, mesh) in meshes(16) {
            for (k, expected) in [
                ([1.0, 0.0, 0.0], 2.0),
                ([0.0, 1.0, 0.0], 3.0),
                ([0.5, 0.5, 0.5], 2.5),
                ([0.5, 0.5, -0.5], 2.5),
                ([0.2, 0.8, 0.4], 2.8),
            ] {
                // Flat enough for a parabola, and far beyond where loops turn: as if the sheet were small.
                let (mut folds, flat) = (folds(&mesh, [2.0, 3.0]), 1e-6);
                let curvature = 100.0 * BENDING_TRANSITION;
                let x = bent(&mesh, k.map(|k| k * curvature * flat));
                folds.triangles.iter_mut().for_each(|t| {
                    t.curvature = t.curvature.map(|g| g.map(|g| g / flat));
                });
                let part = folds.update_sliders(&x) / (expected * curvature);
                // The border has fewer edges, and sliders turn before they lose anything.
                assert!((0.86..1.01).contains(&part), "{name} {k:?} {part}");
            }
        }
    }

    #[test]
    fn gradients_match_differences_and_the_matrix_is_above_the_hessian() {
        for (name, mesh) in meshes(4) {
            let mut dice = Dice(5);
            let mut folds = folds(&mesh, [2e-3, 3e-3]);
            // Some hold, some slide.
            folds.slider_positions.iter_mut().for_each(|slip| *slip = 3.0 * dice.vector().x);
            let x: Vec<DVec3> =
                bent(&mesh, [0.4, -0.3, 0.2]).iter().map(|p| *p + dice.vector() * 0.01).collect();
            let energy =
                |x: &[DVec3]| -> f64 { (0..folds.triangles()).map(|t| folds.energy(t, x)).sum() };
            let d: Vec<DVec3> = x.iter().map(|_| dice.vector()).collect();
            let moved =
                |s: f64| -> Vec<DVec3> { x.iter().zip(&d).map(|(x, d)| *x + *d * s).collect() };
            let slope = |x: &[DVec3]| -> f64 {
                let each = folds.edges().iter().enumerate().map(|(e, edge)| {
                    let EdgeMoment { moment, slopes, .. } = folds.moment(e, x);
                    (0..4).map(|i| slopes[i].dot(d[edge.vertices[i] as usize])).sum::<f64>()
                        * moment
                });
                each.sum()
            };
            let h = 1e-6;
            let numeric = (energy(&moved(h)) - energy(&moved(-h))) / (2.0 * h);
            assert!((slope(&x) / numeric - 1.0).abs() < 1e-5, "{name} {} {numeric}", slope(&x));
            // The Gauss–Newton part alone: with all sliders where the cloth is, there is no moment.
            let mut still = folds;
            let held: Vec<f64> =
                still.triangles.iter().flat_map(|t| still.curvature(t, &x)).collect();
            still.slider_positions.copy_from_slice(&held);
            let twice = |s: f64| -> f64 {
                (0..still.triangles()).map(|t| still.energy(t, &moved(s))).sum()
            };
            let exact = (twice(h) + twice(-h)) / (h * h);
            let matrix: f64 = still
                .edges()
                .iter()
                .enumerate()
                .map(|(e, edge)| {
                    let EdgeMoment { stiffness, slopes, .. } = still.moment(e, &x);
                    let along: f64 =
                        (0..4).map(|i| slopes[i].dot(d[edge.vertices[i] as usize])).sum();
                    stiffness * along * along
                })
                .sum();
            assert!((0.999..8.0).contains(&(matrix / exact)), "{name} {matrix} {exact}");
        }
    }
}
