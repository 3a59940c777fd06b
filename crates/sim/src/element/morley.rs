//! Bending that converges on any mesh: Morley's plate in the form of Hellan, Herrmann and Johnson.
//!
//! The same hinge angles as discrete shells, and one more unknown ψ per inner edge that says how
//! the angle is shared by the two triangles beside it [morley1968, hellan1967, johnson1973]. Each
//! triangle has a constant curvature; its change of slope over edge e is
//!
//! `α_e = w_T [φ(θ_e) − φ(θ_e at rest)] + σ_T ψ_e`, with `w_T = A_T/(A_T + A_T′)`, σ = ±1 on the
//! two sides, and `E = Σ_T ½ αᵀ P_T α`, `P_T = A_T (N C_b⁻¹ Nᵀ)⁻¹`.
//!
//! N has a row `[Q(o − c) − Q(p − c)]/h` per edge, in material coordinates: p an end of the edge, c
//! its middle, o the corner opposite, h the height on it, `Q(w) = (½ w_u², ½ w_v², w_u w_v)`. It
//! turns a curvature into the change of slope between the edge and the middle of the triangle, up
//! to the sign, which is the same for all edges and leaves the energy as it is.
//! `φ(θ) = 2 tan(θ/2)` makes strips bent to a circle exact; beyond 120° it continues linearly (C1).
//!
//! With r = P α the derivatives are `∂E/∂x = Σ w r φ′ ∇θ` and `∂E/∂ψ = Σ σ r`; the Hessian is
//! Gauss–Newton, semidefinite, exact where α = 0. Dropping r ∇²θ costs Newton no iterations worth
//! mentioning.
//!
//! A free boundary edge has no row in N: no moment acts on it. A clamped one has the angle to its
//! clamp plane and no ψ.
//!
//! Limits: rest angles other than zero are allowed but not verified against a curved shell; coarse
//! meshes of stiff fabric lock in their membrane, not here.

use super::hinge::{angle, angle_gradient};
use super::stiffness::{invert, multiply};
use super::{Bending, Blocks, definite::outer};
use crate::Error;
use glam::{DMat3, DVec2, DVec3};
use std::f64::consts::FRAC_PI_3;
use toile_mesh::{NONE, Topology, TriMesh};

mod moments;

pub use moments::{Crease, Moments};

/// What lies behind an edge of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// Nothing: the boundary of the cloth, free to turn.
    Free,
    /// Another triangle.
    Inner {
        /// Its corner opposite the edge.
        tip: u32,
        /// This triangle's share of the angle.
        weight: f64,
        /// +1 on one side of the edge, −1 on the other.
        sign: f64,
        /// Number of the edge's unknown ψ.
        unknown: u32,
    },
    /// A clamp: the plane through the edge and this fixed point [m].
    Clamped(DVec3),
}

/// A triangle that resists bending, with its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Its corners.
    pub corners: [u32; 3],
    /// What lies behind the edges; edge k joins corners k and k + 1.
    pub sides: [Side; 3],
    /// P [N·m]; rows of free edges are zero.
    pub stiffness: [[f64; 3]; 3],
    /// Angles at rest [rad].
    pub rest: [f64; 3],
}

/// Second derivatives of a patch's energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchHessian {
    /// By pairs of vertices [N/m].
    pub xx: Blocks<6>,
    /// By vertex and unknown [N].
    pub xp: [[DVec3; 3]; 6],
    /// By pairs of unknowns [N·m].
    pub pp: [[f64; 3]; 3],
}

impl Patch {
    /// The six vertices it depends on: corners, then the tip behind each edge. Where there is no
    /// tip, a corner stands in; its derivative there is zero.
    pub fn vertices(&self) -> [u32; 6] {
        let tip = |k: usize| match self.sides[k] {
            Side::Inner { tip, .. } => tip,
            Side::Free | Side::Clamped(_) => self.corners[k],
        };
        let [a, b, c] = self.corners;
        [a, b, c, tip(0), tip(1), tip(2)]
    }

    /// Numbers of the unknowns ψ of its edges.
    pub fn unknowns(&self) -> [Option<u32>; 3] {
        self.sides.map(|s| match s {
            Side::Inner { unknown, .. } => Some(unknown),
            Side::Free | Side::Clamped(_) => None,
        })
    }

    /// Energy [J].
    pub fn energy(&self, x: &[DVec3; 6], psi: &[f64; 3]) -> f64 {
        let alpha = self.changes(x, psi);
        let r = multiply(&self.stiffness, alpha);
        0.5 * (r[0] * alpha[0] + r[1] * alpha[1] + r[2] * alpha[2])
    }

    /// Gradient by vertices [N] and by unknowns [N·m].
    pub fn gradient(&self, x: &[DVec3; 6], psi: &[f64; 3]) -> ([DVec3; 6], [f64; 3]) {
        let r = multiply(&self.stiffness, self.changes(x, psi));
        let (mut by_x, mut by_psi) = ([DVec3::ZERO; 6], [0.0; 3]);
        for k in 0..3 {
            let (slopes, sign) = self.slopes(x, k);
            for v in 0..6 {
                by_x[v] += slopes[v] * r[k];
            }
            by_psi[k] = sign * r[k];
        }
        (by_x, by_psi)
    }

    /// Gauss–Newton Hessian: semidefinite.
    pub fn hessian(&self, x: &[DVec3; 6]) -> PatchHessian {
        let rows: [([DVec3; 6], f64); 3] = std::array::from_fn(|k| self.slopes(x, k));
        let p = &self.stiffness;
        let mut h = PatchHessian {
            xx: [[DMat3::ZERO; 6]; 6],
            xp: [[DVec3::ZERO; 3]; 6],
            pp: std::array::from_fn(|k| std::array::from_fn(|l| rows[k].1 * p[k][l] * rows[l].1)),
        };
        // P J first, so that each block is a sum of three outer products.
        let pulled: [[DVec3; 6]; 3] = std::array::from_fn(|k| {
            std::array::from_fn(|v| (0..3).map(|l| rows[l].0[v] * p[k][l]).sum())
        });
        for a in 0..6 {
            for b in 0..6 {
                h.xx[a][b] = (0..3).map(|k| outer(rows[k].0[a], pulled[k][b])).sum();
            }
            for l in 0..3 {
                h.xp[a][l] = pulled[l][a] * rows[l].1;
            }
        }
        h
    }

    /// The vertices of the hinge over edge k.
    fn hinge(&self, x: &[DVec3; 6], k: usize) -> [DVec3; 4] {
        let behind = if let Side::Clamped(point) = self.sides[k] { point } else { x[3 + k] };
        [x[k], x[(k + 1) % 3], x[(k + 2) % 3], behind]
    }

    /// Changes of slope α over the three edges.
    fn changes(&self, x: &[DVec3; 6], psi: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| {
            let bent = || phi(angle(&self.hinge(x, k))).0 - phi(self.rest[k]).0;
            match self.sides[k] {
                Side::Free => 0.0,
                Side::Inner { weight, sign, .. } => weight * bent() + sign * psi[k],
                Side::Clamped(_) => bent(),
            }
        })
    }

    /// Derivatives of α_k by the vertices and by ψ_k.
    fn slopes(&self, x: &[DVec3; 6], k: usize) -> ([DVec3; 6], f64) {
        let mut slopes = [DVec3::ZERO; 6];
        let (weight, sign) = match self.sides[k] {
            Side::Free => return (slopes, 0.0),
            Side::Inner { weight, sign, .. } => (weight, sign),
            Side::Clamped(_) => (1.0, 0.0),
        };
        let hinge = self.hinge(x, k);
        let factor = weight * phi(angle(&hinge)).1;
        let g = angle_gradient(&hinge);
        slopes[k] = g[0] * factor;
        slopes[(k + 1) % 3] = g[1] * factor;
        slopes[(k + 2) % 3] = g[2] * factor;
        if sign != 0.0 {
            slopes[3 + k] = g[3] * factor;
        }
        (slopes, sign)
    }
}

/// φ(θ) = 2 tan(θ/2) and its slope, straight beyond 120°.
fn phi(theta: f64) -> (f64, f64) {
    const LAST: f64 = 2.0 * FRAC_PI_3;
    if theta.abs() <= LAST {
        let t = libm::tan(0.5 * theta);
        (2.0 * t, 1.0 + t * t)
    } else {
        // tan 60° = √3, so the value there is 2 √3 and the slope 4.
        let end = 2.0 * 3.0_f64.sqrt();
        (theta.signum() * (end + 4.0 * (theta.abs() - LAST)), 4.0)
    }
}

/// φ of the angle between two triangles and its derivative by the angle. Below 120° without
/// trigonometry: tan(θ/2) = sin θ/(1 + cos θ), and n₁ × n₂ = −(n₁·b) e for normals n₁ = e × a, n₂ = b × e.
#[inline(always)]
pub(super) fn slope(x: &[DVec3; 4]) -> (f64, f64) {
    let (e, b) = (x[1] - x[0], x[3] - x[0]);
    let (n1, n2) = (e.cross(x[2] - x[0]), b.cross(e));
    let size = (n1.length_squared() * n2.length_squared()).sqrt();
    let cosine = n1.dot(n2);
    // Also where a triangle has no area, or a NaN.
    if !(size > 0.0 && cosine >= -0.49 * size) {
        return phi(angle(x));
    }
    let t = -n1.dot(b) * e.length() / (size + cosine);
    (2.0 * t, 1.0 + t * t)
}

/// The row of N for edge k: the change of slope per curvature.
fn row(uv: &[DVec2; 3], k: usize) -> [f64; 3] {
    let (p, q, o) = (uv[k], uv[(k + 1) % 3], uv[(k + 2) % 3]);
    let middle = 0.5 * (p + q);
    let height = (q - p).perp_dot(o - p).abs() / p.distance(q);
    let square = |w: DVec2| [0.5 * w.x * w.x, 0.5 * w.y * w.y, w.x * w.y];
    let (far, near) = (square(o - middle), square(p - middle));
    std::array::from_fn(|i| (far[i] - near[i]) / height)
}

/// Patches of a whole mesh and the number of unknowns ψ.
///
/// `clamp` gives the clamp of a boundary edge, by its number in the topology; edges without one
/// are free.
///
/// # Errors
/// If the bending stiffness is not positive definite.
pub fn of_mesh(
    mesh: &TriMesh,
    topology: &Topology,
    bending: &Bending,
    clamp: impl Fn(usize) -> Option<DVec3>,
) -> Result<(Vec<Patch>, usize), Error> {
    let compliance = compliance(bending)?;
    // ψ of the inner edges, numbered in the order of the edges.
    let mut unknown = vec![NONE; topology.edges.len()];
    let mut unknowns = 0;
    for (e, edge) in topology.edges.iter().enumerate() {
        if edge.valence == 2 {
            unknown[e] = unknowns;
            unknowns += 1;
        }
    }
    let area = |t: usize| {
        let uv = mesh.corners_uv(t);
        0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]).abs()
    };
    let mut patches = Vec::with_capacity(mesh.triangles.len());
    for t in 0..mesh.triangles.len() {
        let here = area(t);
        if here <= 0.0 {
            continue;
        }
        let corners = mesh.triangles[t];
        let sides = std::array::from_fn(|k| {
            let e = topology.triangle_edges[t][k] as usize;
            let edge = &topology.edges[e];
            if edge.valence != 2 {
                return clamp(e).map_or(Side::Free, Side::Clamped);
            }
            let first = edge.triangles[0] as usize == t;
            let other = edge.triangles[usize::from(first)] as usize;
            let tip = mesh.triangles[other].into_iter().find(|v| !edge.vertices.contains(v));
            tip.map_or(Side::Free, |tip| Side::Inner {
                tip,
                weight: here / (here + area(other)),
                sign: if first { 1.0 } else { -1.0 },
                unknown: unknown[e],
            })
        });
        let stiffness = stiffness(&mesh.corners_uv(t), here, &sides, &compliance);
        patches.push(Patch { corners, sides, stiffness, rest: [0.0; 3] });
    }
    Ok((patches, unknowns as usize))
}

/// C_b⁻¹, or why there is none.
fn compliance(bending: &Bending) -> Result<[[f64; 3]; 3], Error> {
    let positive = bending.weft > 0.0
        && bending.warp > 0.0
        && bending.twist > 0.0
        && bending.poisson.abs() < 1.0;
    invert(&bending.matrix()).filter(|_| positive).ok_or_else(|| Error::Setting {
        key: "bending",
        reason: format!(
            "has a bending stiffness that is not positive definite: bend_weft {:?}, bend_warp {:?} and twist {:?} N·m must be \
             above zero, and bend_poisson between -1 and 1 is {:?}; the softest silk has 1e-6 N·m",
            bending.weft, bending.warp, bending.twist, bending.poisson
        ),
    })
}

/// P = A (N C⁻¹ Nᵀ)⁻¹ over the edges that are not free.
fn stiffness(
    uv: &[DVec2; 3],
    area: f64,
    sides: &[Side; 3],
    compliance: &[[f64; 3]; 3],
) -> [[f64; 3]; 3] {
    let rows: [[f64; 3]; 3] = std::array::from_fn(|k| row(uv, k));
    let held = sides.map(|s| s != Side::Free);
    let full: [[f64; 3]; 3] = std::array::from_fn(|k| {
        std::array::from_fn(|l| {
            let c = multiply(compliance, rows[l]);
            rows[k][0] * c[0] + rows[k][1] * c[1] + rows[k][2] * c[2]
        })
    });
    // A free edge is cut out: its row becomes one of a diagonal matrix of the same size.
    let scale = (full[0][0] + full[1][1] + full[2][2]) / 3.0;
    let cut: [[f64; 3]; 3] = std::array::from_fn(|k| {
        std::array::from_fn(|l| match (k == l, held[k] && held[l]) {
            (_, true) => full[k][l],
            (true, false) => scale,
            (false, false) => 0.0,
        })
    });
    let inverse = invert(&cut).unwrap_or_default();
    std::array::from_fn(|k| {
        std::array::from_fn(|l| if held[k] && held[l] { area * inverse[k][l] } else { 0.0 })
    })
}

#[cfg(test)]
mod tests;
