//! Corotational linear membrane (M8).
//!
//! Per triangle the 3 × 2 deformation gradient is split into `F = R U`, a rotation and a symmetric
//! stretch; the linear strain of what is left is `ε = RᵀF − I = U − I`, and the energy
//! `½ A Σ C ε ε` with the orthotropic tensor C [etzmuss2003fem]. The split is in closed form:
//! `U = (FᵀF + d I)/t` with `d = √det FᵀF`, `t = √(tr FᵀF + 2d)`.
//!
//! Two forces:
//! - [`Element::gradient`] is the true gradient, `2 A F T g_a` with `U T + T U = σ`;
//! - [`Corotational::warped_gradient`] is the paper's, `Σ_b R K_ab (Rᵀ x_b − x̄_b) = A R σ g_a`, which
//!   keeps R fixed. Both agree if the fabric is isotropic; with different weft and warp the paper's
//!   force is not the gradient of any energy, off by the order of the strain, and exerts a small torque.
//!
//! Two Hessians: the exact one, and a semidefinite one: the paper's warped stiffness R K Rᵀ, linear in x while R is kept,
//! and, against its word, the stiffness of tension `2 A g_aᵀ T⁺ g_b I` with T⁺ the positive part of T. A cloth that
//! hangs is held to its plane by tension alone; without that term steps of 10 ms blow up a square metre of cotton
//! on two pins.
//!
//! **Errata** of [eg2004garments]: the force and the equation of motion are printed with the sign
//! in A; eq. 14 differentiates along the free indices i and j, which must be the summed k and l; the force of a pair (a, b) is
//! printed with the position of a instead of b.
//!
//! Limits: linear in the stretch, so forces in strong compression stay finite and a triangle can be
//! compressed flat; where F has rank one R is not defined, and the stretch is kept away from zero.

use super::definite::{from_directions, outer, project_small};
use super::stiffness::multiply;
use super::{Blocks, Element, Membrane, Triangle, write_upper};
use glam::{DMat2, DMat3, DVec2, DVec3, Mat3A};

/// Determinant of the stretch below which a triangle counts as a line.
const RANK_TOLERANCE: f64 = 1e-12;

/// A corotational triangle.
#[derive(Clone, Copy, Debug)]
pub struct Corotational<'a> {
    /// Its rest state.
    pub rest: &'a Triangle,
    /// What it is made of.
    pub stiffness: &'a Membrane,
}

/// F = R U.
struct Split {
    f: [DVec3; 2],
    stretch: DMat2,
    det: f64,
}

impl Split {
    fn new(f: [DVec3; 2]) -> Self {
        let c = DMat2::from_cols(
            DVec2::new(f[0].dot(f[0]), f[0].dot(f[1])),
            DVec2::new(f[0].dot(f[1]), f[1].dot(f[1])),
        );
        let det = f[0].cross(f[1]).length().max(RANK_TOLERANCE);
        let trace = (c.x_axis.x + c.y_axis.y + 2.0 * det).sqrt();
        let stretch = (c + DMat2::from_diagonal(DVec2::splat(det))) * (1.0 / trace);
        Self { f, stretch, det }
    }

    /// The columns of R = F U⁻¹.
    fn rotation(&self) -> [DVec3; 2] {
        times(self.f, adjugate(self.stretch) * (1.0 / self.det))
    }

    /// T with U T + T U = s, for symmetric s.
    fn halve(&self, s: DMat2) -> DMat2 {
        let (u, adj) = (self.stretch, adjugate(self.stretch));
        let trace = u.x_axis.x + u.y_axis.y;
        (s + adj * s * adj * (1.0 / self.det)) * (0.5 / trace)
    }
}

fn adjugate(m: DMat2) -> DMat2 {
    DMat2::from_cols(DVec2::new(m.y_axis.y, -m.x_axis.y), DVec2::new(-m.y_axis.x, m.x_axis.x))
}

/// A 3 × 2 matrix times a 2 × 2 one.
fn times(f: [DVec3; 2], m: DMat2) -> [DVec3; 2] {
    [f[0] * m.x_axis.x + f[1] * m.x_axis.y, f[0] * m.y_axis.x + f[1] * m.y_axis.y]
}

/// Stress of a symmetric strain.
fn stress(c: &Membrane, e: DMat2) -> DMat2 {
    let s = multiply(&c.matrix(), [e.x_axis.x, e.y_axis.y, 2.0 * e.x_axis.y]);
    DMat2::from_cols(DVec2::new(s[0], s[2]), DVec2::new(s[2], s[1]))
}

impl Corotational<'_> {
    /// The paper's elastic force with its sign turned: the gradient with the rotation held.
    pub fn warped_gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        let split = Split::new(self.rest.deformation(x));
        let sigma = stress(self.stiffness, split.stretch - DMat2::IDENTITY);
        let p = times(split.rotation(), sigma);
        self.rest.gradients().map(|g| (p[0] * g.x + p[1] * g.y) * self.rest.area)
    }

    /// The warped stiffness R K Rᵀ [N/m].
    pub fn warped_stiffness(&self, x: &[DVec3; 3]) -> Blocks<3> {
        let mut upper = [DMat3::ZERO; 6];
        let split = Split::new(self.rest.deformation(x));
        self.write_warped(&split, DMat2::ZERO, &mut upper);
        whole(&upper)
    }

    /// T with U T + T U = σ.
    fn half_stress(&self, split: &Split) -> DMat2 {
        split.halve(stress(self.stiffness, split.stretch - DMat2::IDENTITY))
    }

    /// The gradient 2 A F T g_a.
    fn pull(&self, split: &Split, t: DMat2) -> [DVec3; 3] {
        let p = times(split.f, t * (2.0 * self.rest.area));
        self.rest.gradients().map(|g| p[0] * g.x + p[1] * g.y)
    }

    /// The upper triangle of the warped stiffness with the tension given. Rows sum to zero, as do the
    /// gradients of the shape functions, so three blocks of six do.
    fn write_warped(&self, split: &Split, tension: DMat2, upper: &mut [DMat3]) {
        let (r, c) = (split.rotation(), self.stiffness.matrix());
        let block = |a: usize, b: usize| {
            let (k, all) = self.rest.between(&c, tension * 2.0, a, b);
            let row = |i: usize| r[0] * k[i][0] + r[1] * k[i][1];
            outer(r[0], row(0)) + outer(r[1], row(1)) + DMat3::from_diagonal(DVec3::splat(all))
        };
        let (k00, k01, k11) = (block(0, 0), block(0, 1), block(1, 1));
        let (k02, k12) = (-k00 - k01, -k01.transpose() - k11);
        upper.copy_from_slice(&[k00, k01, k02, k11, k12, -k02 - k12]);
    }
}

/// The positive part of T.
fn positive(t: DMat2) -> DMat2 {
    let [x, y] = project_small(&t.to_cols_array_2d());
    DMat2::from_cols(DVec2::from(x), DVec2::from(y))
}

/// Both triangles of the blocks whose upper one is given.
fn whole(upper: &[DMat3; 6]) -> Blocks<3> {
    let [k00, k01, k02, k11, k12, k22] = *upper;
    [[k00, k01, k02], [k01.transpose(), k11, k12], [k02.transpose(), k12.transpose(), k22]]
}

impl Element<3> for Corotational<'_> {
    fn vertices(&self) -> [u32; 3] {
        self.rest.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        let u = Split::new(self.rest.deformation(x)).stretch;
        let e = [u.x_axis.x - 1.0, u.y_axis.y - 1.0, 2.0 * u.x_axis.y];
        self.rest.area * self.stiffness.density(e)
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        let split = Split::new(self.rest.deformation(x));
        self.pull(&split, self.half_stress(&split))
    }

    fn upper(&self, x: &[DVec3; 3], definite: bool, upper: &mut [DMat3]) {
        if definite {
            let split = Split::new(self.rest.deformation(x));
            self.write_warped(&split, positive(self.half_stress(&split)), upper);
        } else {
            write_upper(&self.hessian(x, false), upper);
        }
    }

    fn single_upper(&self, x: &[DVec3; 3], upper: &mut [Mat3A]) {
        self.single_upper_and_gradient(x, upper);
    }

    fn single_upper_and_gradient(&self, x: &[DVec3; 3], upper: &mut [Mat3A]) -> [DVec3; 3] {
        let split = Split::new(self.rest.deformation(x));
        let t = self.half_stress(&split);
        let frame = split.rotation().map(|r| r.as_vec3a());
        self.rest.write_single(frame, &self.stiffness.matrix(), positive(t) * 2.0, upper);
        self.pull(&split, t)
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        if definite {
            let mut upper = [DMat3::ZERO; 6];
            self.upper(x, true, &mut upper);
            return whole(&upper);
        }
        let split = Split::new(self.rest.deformation(x));
        let t = self.half_stress(&split);
        let f = split.f;
        from_directions(|dx| {
            let df = self.rest.deformation(dx);
            let mixed = df[0].dot(f[1]) + df[1].dot(f[0]);
            let dc = DMat2::from_cols(
                DVec2::new(2.0 * df[0].dot(f[0]), mixed),
                DVec2::new(mixed, 2.0 * df[1].dot(f[1])),
            );
            let du = split.halve(dc);
            let dt = split.halve(stress(self.stiffness, du) - du * t - t * du);
            let (one, two) = (times(df, t * 2.0), times(f, dt * 2.0));
            let p = [one[0] + two[0], one[1] + two[1]];
            self.rest.gradients().map(|g| (p[0] * g.x + p[1] * g.y) * self.rest.area)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Dice};
    use super::*;
    use glam::DQuat;

    const WOVEN: Membrane = Membrane { c11: 200.0, c12: 40.0, c22: 900.0, c33: 50.0 };

    fn triangle() -> (Triangle, [DVec2; 3]) {
        let uv = [DVec2::new(0.0, 0.1), DVec2::new(1.0, 0.0), DVec2::new(0.3, 0.8)];
        (Triangle::new([0, 1, 2], uv).unwrap(), uv)
    }

    fn shaken(amount: f64, seed: u64) -> [DVec3; 3] {
        let mut dice = Dice(seed);
        triangle().1.map(|p| DVec3::new(p.x, p.y, 0.0) + dice.vector() * amount)
    }

    #[test]
    fn derivatives_match_differences() {
        let rest = triangle().0;
        let e = Corotational { rest: &rest, stiffness: &WOVEN };
        for seed in 1..6 {
            check::all(&e, &shaken(0.2, seed));
        }
        check::at_rest(&e, &shaken(0.0, 1), 900.0);
    }

    #[test]
    fn the_paper_force_is_the_gradient_only_if_the_fabric_is_isotropic() {
        let rest = triangle().0;
        let off = |stiffness: &Membrane, amount: f64| {
            let e = Corotational { rest: &rest, stiffness };
            let x = shaken(amount, 4);
            let (true_one, paper) = (e.gradient(&x), e.warped_gradient(&x));
            let scale = true_one.iter().map(|g| g.length()).fold(0.0, f64::max);
            (0..3).map(|a| (true_one[a] - paper[a]).length()).fold(0.0, f64::max) / scale
        };
        assert!(off(&Membrane::isotropic(300.0, 0.3), 0.1) < 1e-12);
        assert!(off(&WOVEN, 0.1) > 1e-3);
        // It is of the order of the strain.
        let order = (off(&WOVEN, 1e-2) / off(&WOVEN, 1e-3)).log10();
        assert!((order - 1.0).abs() < 0.2, "{order}");
    }

    #[test]
    fn the_paper_force_is_linear_stiffness_in_the_turned_frame() {
        let (rest, uv) = triangle();
        let e = Corotational { rest: &rest, stiffness: &WOVEN };
        let x = shaken(0.1, 2);
        let r = Split::new(rest.deformation(&x)).rotation();
        let k = e.warped_stiffness(&x);
        let force = e.warped_gradient(&x);
        for a in 0..3 {
            // R Rᵀ x̄ lies where R takes the rest state.
            let sum: DVec3 =
                (0..3).map(|b| k[a][b] * (x[b] - r[0] * uv[b].x - r[1] * uv[b].y)).sum();
            assert!((sum - force[a]).length() < 1e-10);
        }
    }

    #[test]
    fn at_rest_the_warped_stiffness_is_the_exact_hessian_in_any_pose() {
        let rest = triangle().0;
        let e = Corotational { rest: &rest, stiffness: &WOVEN };
        let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 2.0);
        let x = shaken(0.0, 1).map(|p| turn * p);
        let (warped, exact) = (e.hessian(&x, true), e.hessian(&x, false));
        for a in 0..3 {
            for b in 0..3 {
                let off = (warped[a][b] - exact[a][b]).to_cols_array();
                assert!(off.iter().all(|v| v.abs() < 1e-9));
            }
        }
    }

    #[test]
    fn an_affine_map_of_any_mesh_has_the_energy_of_the_continuum_and_no_inner_force() {
        let [energy, force] =
            check::affine_error(&|rest| Corotational { rest, stiffness: &WOVEN }, &|su, sv| {
                let u = Split::new([su, sv]).stretch;
                WOVEN.density([u.x_axis.x - 1.0, u.y_axis.y - 1.0, 2.0 * u.x_axis.y])
            });
        assert!(energy < 1e-12 && force < 1e-12, "{energy} {force}");
    }

    #[test]
    fn a_triangle_compressed_to_a_line_has_finite_forces() {
        let rest = triangle().0;
        let e = Corotational { rest: &rest, stiffness: &WOVEN };
        let x = [DVec3::ZERO, DVec3::X, DVec3::X * 0.4];
        assert!(e.warped_gradient(&x).iter().all(|g| g.is_finite()));
        assert!(e.energy(&x).is_finite());
    }
}
