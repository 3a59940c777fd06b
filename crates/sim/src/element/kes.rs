//! Particle grid with energies from Kawabata's tests (M3).
//!
//! Each particle of a grid has tension to its four neighbours, four corner angles that resist shear
//! and two straight lines that resist bending [breen1994, eberhardt1996], with constants of weft and
//! warp from the tests of the Kawabata evaluation system [kawabata1980]:
//!
//! - tension `½ C₁ (d − l − h₁)³` when stretched, `½ C₂ (l − h₂ − d)⁵` when compressed, d the distance and h
//!   the slack before the threads take load; or a measured curve of tension over strain;
//! - shear `½ C_s (φ − π/2 − h_s)²` per corner, C_s = G A/4;
//! - bending `½ C_b (ψ − π − h_b)²` per line, C_b = B w/l.
//!
//! **Errata** of [eg2004garments]: odd powers as printed are negative and fall without bound when
//! compressed, so they are taken of the amount beyond the slack and of nothing else; its text calls
//! the *stress* cubic and quintic where the formula has the *energy* so; and the sum over particles
//! counts each thread twice, here once.
//!
//! An angle ω enters by its cosine c: `dE/dc = −C (ω − ω₀)/sin ω`, which is smooth also on a straight
//! line if ω₀ = π; its series is used there.
//!
//! Limits: regular grids; no transverse contraction. With a rest angle other than π a straight line
//! has no direction to bend to: no force there.

use super::curve::{Curve, Response};
use super::definite::{add_blocks, from_directions, outer, outer_blocks, project};
use super::{Blocks, Element};
use crate::{Error, Fabric};
use glam::{DMat3, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use toile_mesh::TriMesh;

/// Tension of a strip in Kawabata's tensile test at its end [N/m]: 500 gf/cm.
const KES_MAX_TENSION: f64 = 490.3325;
/// Bending angle below which series replace quotients of small numbers [rad].
const NEARLY_STRAIGHT: f64 = 0.03;

/// Tension over extension of a thread.
#[derive(Clone, Debug, PartialEq)]
pub enum Pull {
    /// Cubic energy in tension, quintic in compression.
    Powers {
        /// C₁ [J/m³].
        stretch: f64,
        /// C₂ [J/m⁵].
        press: f64,
        /// h₁ and h₂ [m].
        slack: [f64; 2],
    },
    /// A measured curve of tension [N/m] over strain, for a strip of this width [m].
    Measured {
        /// Tension over strain.
        response: Response,
        /// Width of the strip [m].
        width: f64,
    },
}

impl Pull {
    /// Powers that carry a force [N] at an extension [m] without slack, and a hundredth of it
    /// when compressed as far.
    pub fn through(force: f64, extension: f64) -> Self {
        let stretch = force / (1.5 * extension.powi(2));
        let press = 0.01 * force / (2.5 * extension.powi(4));
        Self::Powers { stretch, press, slack: [0.0; 2] }
    }

    /// Energy [J], force [N] and its slope [N/m] at a distance.
    fn evaluate(&self, distance: f64, rest: f64) -> [f64; 3] {
        match self {
            Self::Powers { stretch, press, slack } => {
                let (s, p) =
                    ((distance - rest - slack[0]).max(0.0), (rest - slack[1] - distance).max(0.0));
                let p3 = p * p * p;
                [
                    0.5 * (stretch * s * s * s + press * p3 * p * p),
                    1.5 * stretch * s * s - 2.5 * press * p3 * p,
                    3.0 * stretch * s + 10.0 * press * p3,
                ]
            }
            Self::Measured { response, width } => {
                let [energy, stress, tangent] = response.evaluate(distance / rest - 1.0);
                [energy * width * rest, stress * width, tangent * width / rest]
            }
        }
    }
}

/// Curve of Kawabata's tensile test from its figures: strain at 500 gf/cm (EM, as a part, not in
/// percent) and linearity LT.
///
/// `T = T_m (e/e_m)^p`, `p = 2/LT − 1`, has that strain, linearity and work (WT). Its first
/// stretch is straight, and so is compression, at that slope.
///
/// # Errors
/// If EM or LT make no sense.
pub fn tensile(em: f64, lt: f64) -> Result<Curve, Error> {
    if !(em > 0.0 && em.is_finite() && lt > 0.0 && lt <= 1.0) {
        let reason = format!("is EM {em}, LT {lt}; EM must be above zero, LT in 0..1");
        return Err(Error::Setting { key: "tensile", reason });
    }
    let power = 2.0 / lt - 1.0;
    let points: Vec<[f64; 2]> = (0..=32)
        .map(|k| {
            let part = f64::from(k) / 32.0;
            [em * part, KES_MAX_TENSION * libm::pow(part, power)]
        })
        .collect();
    Curve::new(&points, true)
}

/// A thread between two particles.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'a> {
    /// Its ends.
    pub vertices: [u32; 2],
    /// Rest length [m].
    pub rest: f64,
    /// Its law.
    pub pull: &'a Pull,
}

impl Element<2> for Thread<'_> {
    fn vertices(&self) -> [u32; 2] {
        self.vertices
    }

    fn energy(&self, x: &[DVec3; 2]) -> f64 {
        self.pull.evaluate(x[0].distance(x[1]), self.rest)[0]
    }

    fn gradient(&self, x: &[DVec3; 2]) -> [DVec3; 2] {
        let d = x[0] - x[1];
        let length = d.length();
        if length == 0.0 {
            return [DVec3::ZERO; 2];
        }
        let g = d * (self.pull.evaluate(length, self.rest)[1] / length);
        [g, -g]
    }

    fn hessian(&self, x: &[DVec3; 2], definite: bool) -> Blocks<2> {
        let d = x[0] - x[1];
        let length = d.length();
        if length == 0.0 {
            return [[DMat3::ZERO; 2]; 2];
        }
        let [_, force, slope] = self.pull.evaluate(length, self.rest);
        let n = d / length;
        let along = outer(n, n);
        let across = if definite { force.max(0.0) } else { force } / length;
        let h = along * slope + (DMat3::IDENTITY - along) * across;
        [[h, -h], [-h, h]]
    }
}

/// The angle at a particle between two of its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle {
    /// The particle, then its neighbours.
    pub vertices: [u32; 3],
    /// Stiffness [N·m/rad²].
    pub stiffness: f64,
    /// Angle at rest [rad]: π/2 in a corner, π on a line.
    pub rest: f64,
}

impl Angle {
    /// ½ (ω − ω₀)² and its first two derivatives by cos ω.
    fn by_cosine(&self, sine: f64, cosine: f64) -> [f64; 3] {
        let omega = libm::atan2(sine, cosine);
        let off = omega - self.rest;
        let b = PI - omega;
        if self.rest == PI && b < NEARLY_STRAIGHT {
            let b2 = b * b;
            return [
                0.5 * b2,
                1.0 + b2 * (1.0 / 6.0 + b2 * (7.0 / 360.0)),
                1.0 / 3.0 + b2 * (2.0 / 15.0 + b2 * (2.0 / 63.0)),
            ];
        }
        if sine == 0.0 {
            return [0.5 * off * off, 0.0, 0.0];
        }
        let square = sine * sine;
        [0.5 * off * off, -off / sine, (1.0 - off * cosine / sine) / square]
    }

    /// Directions to the neighbours and how far they are; `None` if one is on the particle.
    fn arms(x: &[DVec3; 3]) -> Option<([DVec3; 2], [f64; 2])> {
        let arms = [x[1] - x[0], x[2] - x[0]];
        let l = arms.map(|a| a.length());
        (l[0] > 0.0 && l[1] > 0.0).then(|| ([arms[0] / l[0], arms[1] / l[1]], l))
    }
}

/// Gradient of the cosine between two arms with directions p, q and lengths l.
fn cosine_gradient(p: DVec3, q: DVec3, l: [f64; 2]) -> [DVec3; 3] {
    let c = p.dot(q);
    let (a, b) = ((q - p * c) / l[0], (p - q * c) / l[1]);
    [-(a + b), a, b]
}

impl Element<3> for Angle {
    fn vertices(&self) -> [u32; 3] {
        self.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        let Some(([p, q], _)) = Self::arms(x) else { return 0.0 };
        self.stiffness * self.by_cosine(p.cross(q).length(), p.dot(q))[0]
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        let Some(([p, q], l)) = Self::arms(x) else { return [DVec3::ZERO; 3] };
        let slope = self.stiffness * self.by_cosine(p.cross(q).length(), p.dot(q))[1];
        cosine_gradient(p, q, l).map(|g| g * slope)
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        let Some(([p, q], l)) = Self::arms(x) else { return [[DMat3::ZERO; 3]; 3] };
        let c = p.dot(q);
        let [_, first, second] = self.by_cosine(p.cross(q).length(), c);
        let mut h = outer_blocks(self.stiffness * second, &cosine_gradient(p, q, l));
        let slope = self.stiffness * first;
        let part = from_directions(|d| {
            let (da, db) = (d[1] - d[0], d[2] - d[0]);
            let (dl0, dl1) = (p.dot(da), q.dot(db));
            let (dp, dq) = ((da - p * dl0) / l[0], (db - q * dl1) / l[1]);
            let dc = dp.dot(q) + p.dot(dq);
            let (a, b) = ((q - p * c) / l[0], (p - q * c) / l[1]);
            let da = (dq - dp * c - p * dc - a * dl0) / l[0];
            let db = (dp - dq * c - q * dc - b * dl1) / l[1];
            [-(da + db), da, db].map(|g| g * slope)
        });
        add_blocks(&mut h, &part);
        if definite { project(&h) } else { h }
    }
}

/// Shear and bend angles of a grid of `nu` × `nv` cells as made by [`toile_mesh::shape::grid`].
pub fn angles_of_grid(mesh: &TriMesh, nu: usize, nv: usize, fabric: &Fabric) -> Vec<Angle> {
    let vertex = |i: usize, j: usize| (i * (nv + 1) + j) as u32;
    let cell = (mesh.uv[vertex(1, 1) as usize] - mesh.uv[vertex(0, 0) as usize]).abs();
    let share = |k: usize, n: usize| if k == 0 || k == n { 0.5 } else { 1.0 };
    let mut angles = Vec::with_capacity(6 * (nu + 1) * (nv + 1));
    let mut add = |vertices: [u32; 3], stiffness: f64, rest: f64| {
        angles.push(Angle { vertices, stiffness, rest });
    };
    let corner = 0.25 * fabric.shear * cell.x * cell.y;
    for i in 0..=nu {
        for j in 0..=nv {
            let v = vertex(i, j);
            if i < nu && j < nv {
                let [q, r, s] = [vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                for vertices in [[v, q, s], [q, v, r], [r, s, q], [s, r, v]] {
                    add(vertices, corner, FRAC_PI_2);
                }
            }
            if i > 0 && i < nu {
                let k = fabric.bend_weft * cell.y * share(j, nv) / cell.x;
                add([v, vertex(i - 1, j), vertex(i + 1, j)], k, PI);
            }
            if j > 0 && j < nv {
                let k = fabric.bend_warp * cell.x * share(i, nu) / cell.y;
                add([v, vertex(i, j - 1), vertex(i, j + 1)], k, PI);
            }
        }
    }
    angles
}

#[cfg(test)]
mod tests;
