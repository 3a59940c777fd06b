//! Orthotropic St. Venant–Kirchhoff membrane, linear or with measured curves (M9).
//!
//! Green strain `E = ½ (FᵀF − I)` in the frame of weft and warp, and the energy
//! `A [W₁(e11) + W₂(e22) + C12 e11 e22 + W₃(2 e12)]`; with straight lines for the W this is
//! `A/2 (C11 e11² + 2 C12 e11 e22 + C22 e22² + 4 C33 e12²)` [wang2011]. A curve makes the modulus of
//! its direction follow the measured slope.
//!
//! Gradient `A F S g_a`, S the second Piola–Kirchhoff stress. The Hessian is a material part
//! (tangent moduli on strain gradients) and a geometric part `A (g_aᵀ S g_b) I`. Where it must be
//! definite the 3 × 3 matrix of tangent moduli is projected, and pressure in the 2 × 2 stress counts as tension
//! of the same size [chen2024absolute]: a triangle about to buckle then has a stiffness, so that directions do not
//! overshoot. Not the nearest positive semidefinite matrix, but it avoids a 9 × 9 eigenvalue problem.
//!
//! An affine map of any mesh has exactly the energy of the continuum: the model does not know how
//! it was cut into triangles.
//!
//! Limits: in strong compression the energy of Green strain has a hump (a triangle can be turned
//! inside out); give the directions a [`Curve::knee`](super::curve::Curve::knee), or relax
//! compression altogether (`tension_field`). Curves take (e11, e22) along the threads, so C12 stays a
//! constant.

use super::curve::Response;
use super::definite::{absolute, add_blocks, outer, project_small};
use super::{Blocks, Element, Membrane, Triangle};
use glam::{DMat2, DMat3, DVec3, Mat3A};

/// Half the square of the stretch below which threads are crushed.
const CRUSH_THRESHOLD: f64 = 0.2;

/// Stress–strain law of a membrane.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// Along the weft, over e11.
    pub weft: Response,
    /// Along the warp, over e22.
    pub warp: Response,
    /// In shear, over the shear angle 2 e12.
    pub shear: Response,
    /// Transverse contraction C12 [N/m].
    pub contraction: f64,
    /// Where it stops giving way in any direction, if it does.
    pub limit: Option<Limit>,
}

/// A limit of the strain: the largest principal strain λ costs `k (λ − λ₀)³/(3 w)` beyond λ₀, where w is the rest
/// of the way to the limit. Its stress there, k w, grows with the square of what exceeds λ₀, so the limit is not hard: cloth
/// that is held at both ends can still be torn apart. λ is a convex function of the strain, so the tangent is
/// definite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// λ₀, Green strain.
    onset: f64,
    /// 1/w.
    sharpness: f64,
    /// k [N/m].
    stiffness: f64,
}

/// The part of a limit at which cloth begins to stiffen.
const LIMIT_ONSET: f64 = 0.6;
/// Stiffness of a limit over that of the threads.
const LIMIT_STIFFNESS_RATIO: f64 = 5.0;
/// Principal strains nearer to each other than this are not told apart: their directions turn at once.
const EIGENVALUE_SMOOTHING: f64 = 1e-4;

impl Limit {
    /// A limit of the elongation, for threads of a stiffness [N/m].
    pub fn new(elongation: f64, threads: f64) -> Self {
        let strain = elongation * (1.0 + 0.5 * elongation);
        Self {
            onset: LIMIT_ONSET * strain,
            sharpness: 1.0 / ((1.0 - LIMIT_ONSET) * strain),
            stiffness: LIMIT_STIFFNESS_RATIO * threads,
        }
    }

    /// How far λ is beyond λ₀, with half the difference of both threads, half the shear angle and half the difference of
    /// the principal strains; nothing if it is not.
    fn excess(&self, [e11, e22, shear]: [f64; 3]) -> Option<(f64, [f64; 3])> {
        let (p, s) = (0.5 * (e11 - e22), 0.5 * shear);
        let r = (p * p + s * s + EIGENVALUE_SMOOTHING * EIGENVALUE_SMOOTHING).sqrt();
        let over = 0.5 * (e11 + e22) + r - self.onset;
        (over > 0.0).then_some((over, [p, s, r]))
    }

    fn density(&self, e: [f64; 3]) -> f64 {
        let over = self.excess(e).map_or(0.0, |(over, _)| over);
        self.stiffness * self.sharpness * over * over * over / 3.0
    }

    fn add_stress(&self, e: [f64; 3], stress: &mut [f64; 3], tangent: &mut [[f64; 3]; 3]) {
        let Some((over, [p, s, r])) = self.excess(e) else { return };
        let k = self.stiffness * self.sharpness;
        let (slope, curvature) = (k * over * over, 2.0 * k * over);
        let (cos, sin) = (p / r, s / r);
        let by = [0.5 + 0.5 * cos, 0.5 - 0.5 * cos, 0.5 * sin];
        // Second derivatives of r by p and s, and of these by the strain.
        let [pp, ps, ss] = [1.0 - cos * cos, -cos * sin, 1.0 - sin * sin].map(|b| 0.25 * b / r);
        let turn = [[pp, -pp, ps], [-pp, pp, -ps], [ps, -ps, ss]];
        for i in 0..3 {
            stress[i] += slope * by[i];
            for j in 0..3 {
                tangent[i][j] += curvature * by[i] * by[j] + slope * turn[i][j];
            }
        }
    }
}

impl Law {
    /// Straight lines.
    pub fn linear(m: &Membrane) -> Self {
        Self {
            weft: Response::Linear(m.c11),
            warp: Response::Linear(m.c22),
            shear: Response::Linear(m.c33),
            contraction: m.c12,
            limit: None,
        }
    }

    /// Nothing but a limit.
    pub fn only(limit: Limit) -> Self {
        let none = Membrane { c11: 0.0, c12: 0.0, c22: 0.0, c33: 0.0 };
        Self { limit: Some(limit), ..Self::linear(&none) }
    }

    /// Energy per area [J/m²] of a Green strain (e11, e22, 2 e12).
    pub fn density(&self, e: [f64; 3]) -> f64 {
        along(&self.weft, e[0])[0]
            + along(&self.warp, e[1])[0]
            + self.shear.evaluate(e[2])[0]
            + self.contraction * e[0] * e[1]
            + self.limit.map_or(0.0, |limit| limit.density(e))
    }

    /// Stress (S11, S22, S12) [N/m] and tangent moduli of a strain.
    pub fn stress(&self, e: [f64; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
        let [_, weft, c11] = along(&self.weft, e[0]);
        let [_, warp, c22] = along(&self.warp, e[1]);
        let [_, shear, c33] = self.shear.evaluate(e[2]);
        let c12 = self.contraction;
        let mut stress = [weft + c12 * e[1], warp + c12 * e[0], shear];
        let mut tangent = [[c11, c12, 0.0], [c12, c22, 0.0], [0.0, 0.0, c33]];
        if let Some(limit) = &self.limit {
            limit.add_stress(e, &mut stress, &mut tangent);
        }
        (stress, tangent)
    }
}

/// Energy, stress and tangent along threads: the response, and where they are compressed to less than
/// √0.4 of their length a barrier that grows without bound, for Green strain ends at −½ with a finite
/// energy, and a thread that has no length left cannot find back.
#[inline]
fn along(response: &Response, strain: f64) -> [f64; 3] {
    let plain = response.evaluate(strain);
    let room = strain + 0.5;
    if room >= CRUSH_THRESHOLD {
        return plain;
    }
    let k = response.evaluate(0.0)[2];
    let (q, d) = (room / CRUSH_THRESHOLD, room - CRUSH_THRESHOLD);
    let ln = libm::log(q);
    let barrier =
        [-d * d * ln, -d * (2.0 * ln - 1.0 / q + 1.0), (1.0 / q + 2.0) / q - 2.0 * ln - 3.0];
    std::array::from_fn(|i| plain[i] + k * barrier[i])
}

/// A triangle of St. Venant–Kirchhoff membrane.
#[derive(Clone, Copy, Debug)]
pub struct Stvk<'a> {
    /// Its rest state.
    pub rest: &'a Triangle,
    /// What it is made of.
    pub law: &'a Law,
}

impl Element<3> for Stvk<'_> {
    fn vertices(&self) -> [u32; 3] {
        self.rest.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        self.rest.area * self.law.density(self.rest.green_strain(x))
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        let (s, _) = self.law.stress(self.rest.green_strain(x));
        gradient_of_stress(self.rest, x, s)
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        let (s, tangent) = self.law.stress(self.rest.green_strain(x));
        stiffness(self.rest, x, s, tangent, definite)
    }

    fn single_upper(&self, x: &[DVec3; 3], upper: &mut [Mat3A]) {
        self.single_upper_and_gradient(x, upper);
    }

    fn single_upper_and_gradient(&self, x: &[DVec3; 3], upper: &mut [Mat3A]) -> [DVec3; 3] {
        let (s, tangent) = self.law.stress(self.rest.green_strain(x));
        single_stiffness(self.rest, x, s, &tangent, upper);
        gradient_of_stress(self.rest, x, s)
    }
}

/// Gradient of a membrane's energy under the stress (S11, S22, S12).
#[inline]
pub(crate) fn gradient_of_stress(rest: &Triangle, x: &[DVec3; 3], s: [f64; 3]) -> [DVec3; 3] {
    let [u, v] = rest.deformation(x);
    let (along_u, along_v) = (u * s[0] + v * s[2], u * s[2] + v * s[1]);
    rest.gradients().map(|g| (along_u * g.x + along_v * g.y) * rest.area)
}

/// Upper triangle of the semidefinite [`stiffness`] in single precision.
#[inline]
pub(crate) fn single_stiffness(
    rest: &Triangle,
    x: &[DVec3; 3],
    s: [f64; 3],
    tangent: &[[f64; 3]; 3],
    upper: &mut [Mat3A],
) {
    let stress = DMat2::from_cols_array_2d(&absolute(&[[s[0], s[2]], [s[2], s[1]]]));
    let frame = rest.deformation(x).map(DVec3::as_vec3a);
    rest.write_single(frame, &project_small(tangent), stress, upper);
}

/// Hessian of a membrane's energy from its stress and tangent moduli.
pub(crate) fn stiffness(
    rest: &Triangle,
    x: &[DVec3; 3],
    s: [f64; 3],
    tangent: [[f64; 3]; 3],
    definite: bool,
) -> Blocks<3> {
    let mut stress = [[s[0], s[2]], [s[2], s[1]]];
    let mut tangent = tangent;
    if definite {
        tangent = project_small(&tangent);
        stress = absolute(&stress);
    }
    let e = rest.green_gradients(x);
    // Tangent moduli times strain gradients first: three outer products a block instead of nine.
    let pulled: [[DVec3; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|a| (0..3).map(|j| e[j][a] * (tangent[i][j] * rest.area)).sum())
    });
    let mut h: Blocks<3> = std::array::from_fn(|a| {
        std::array::from_fn(|b| (0..3).map(|i| outer(e[i][a], pulled[i][b])).sum())
    });
    let g = rest.gradients();
    let geometric: Blocks<3> = std::array::from_fn(|a| {
        std::array::from_fn(|b| {
            let t = g[a].x * (stress[0][0] * g[b].x + stress[0][1] * g[b].y)
                + g[a].y * (stress[1][0] * g[b].x + stress[1][1] * g[b].y);
            DMat3::from_diagonal(DVec3::splat(t * rest.area))
        })
    });
    add_blocks(&mut h, &geometric);
    h
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Dice};
    use super::super::curve::Curve;
    use super::*;
    use glam::DVec2;

    const MEMBRANE: Membrane = Membrane { c11: 200.0, c12: 40.0, c22: 900.0, c33: 50.0 };

    fn triangle() -> Triangle {
        let uv = [DVec2::new(0.0, 0.1), DVec2::new(1.0, 0.0), DVec2::new(0.3, 0.8)];
        Triangle::new([0, 1, 2], uv).unwrap()
    }

    fn shaken(amount: f64, seed: u64) -> [DVec3; 3] {
        let mut dice = Dice(seed);
        [[0.0, 0.1], [1.0, 0.0], [0.3, 0.8]]
            .map(|[u, v]| DVec3::new(u, v, 0.0) + dice.vector() * amount)
    }

    fn curved() -> Law {
        let points = [[-0.3, -30.0], [0.0, 0.0], [0.1, 5.0], [0.3, 60.0], [0.6, 400.0]];
        let curve = || Response::Curve(Curve::new(&points, true).unwrap());
        Law { weft: curve(), warp: curve(), shear: curve(), contraction: 3.0, limit: None }
    }

    #[test]
    fn derivatives_match_differences_for_lines_and_curves() {
        let (rest, linear, curved) = (triangle(), Law::linear(&MEMBRANE), curved());
        for seed in 1..6 {
            let x = shaken(0.25, seed);
            check::all(&Stvk { rest: &rest, law: &linear }, &x);
            check::definite(&Stvk { rest: &rest, law: &curved }, &x);
        }
        // Strains of 0.17 to 0.22: differences over a knot of a curve would see its kink.
        let x = shaken(0.0, 1).map(|p| DVec3::new(1.2 * p.x + 0.17 * p.y, 1.15 * p.y, 0.1 * p.x));
        check::all(&Stvk { rest: &rest, law: &curved }, &x);
        check::at_rest(&Stvk { rest: &rest, law: &linear }, &shaken(0.0, 1), 900.0);
    }

    #[test]
    fn crushed_threads_push_back_without_bound_and_smoothly() {
        let response = Response::Linear(200.0);
        for strain in [-0.45, -0.35, -0.301] {
            let h = 1e-6;
            let [a, b, c] = [-h, 0.0, h].map(|s| along(&response, strain + s));
            assert!(((c[0] - a[0]) / (2.0 * h) - b[1]).abs() < 1e-5 * b[1].abs(), "{strain}");
            assert!(((c[1] - a[1]) / (2.0 * h) - b[2]).abs() < 1e-4 * b[2], "{strain}");
        }
        assert_eq!(along(&response, -0.29), response.evaluate(-0.29));
        // The energy grows as a logarithm, the stress as the inverse of what is left.
        let [near, nearer] = [1e-6, 1e-9].map(|room| along(&response, -0.5 + room));
        assert!(nearer[0] > near[0] + 0.04 * 200.0 * 6.0 && nearer[1] < 900.0 * near[1]);
    }

    #[test]
    fn a_limit_has_the_forces_it_says_and_holds_in_every_direction() {
        let (rest, plain) = (triangle(), Law::linear(&MEMBRANE));
        let law = Law { limit: Some(Limit::new(0.04, 900.0)), ..plain.clone() };
        for seed in 1..9 {
            // Far apart: the differences are wide, and turn where principal strains are alike.
            let x = shaken(0.0, 1).map(|p| DVec3::new(2.5 * p.x, 1.1 * p.y, 0.0));
            let mut dice = Dice(seed);
            let x = x.map(|p| p + dice.vector() * 0.05);
            check::all(&Stvk { rest: &rest, law: &law }, &x);
        }
        // Weft, warp and bias, stretched by the limit: its stress is 0.4 of it times five times the threads'.
        let green = 0.04 * 1.02;
        for [cos, sin] in [[1.0, 0.0], [0.0, 1.0], [0.5_f64.sqrt(), 0.5_f64.sqrt()]] {
            let e = [green * cos * cos, green * sin * sin, 2.0 * green * cos * sin];
            let (with, without) = (law.stress(e).0, plain.stress(e).0);
            let along = |s: [f64; 3]| s[0] * cos * cos + s[1] * sin * sin + 2.0 * s[2] * sin * cos;
            let more = along(with) - along(without);
            assert!((more / (5.0 * 900.0 * 0.4 * green) - 1.0).abs() < 0.01, "{more}");
        }
        assert_eq!(law.stress([0.02, 0.01, 0.01]), plain.stress([0.02, 0.01, 0.01]));
    }

    #[test]
    fn a_compressed_triangle_keeps_a_definite_hessian() {
        let (rest, law) = (triangle(), Law::linear(&MEMBRANE));
        let x = shaken(0.0, 1).map(|p| p * 0.6);
        check::all(&Stvk { rest: &rest, law: &law }, &x);
    }

    #[test]
    fn an_affine_map_of_any_mesh_has_the_energy_of_the_continuum_and_no_inner_force() {
        for law in [Law::linear(&MEMBRANE), curved()] {
            let [e, cells] = check::affine_error(&|rest| Stvk { rest, law: &law }, &|su, sv| {
                law.density([0.5 * (su.dot(su) - 1.0), 0.5 * (sv.dot(sv) - 1.0), su.dot(sv)])
            });
            assert!(e < 1e-12 && cells < 1e-12, "{e} {cells}");
        }
    }
}
