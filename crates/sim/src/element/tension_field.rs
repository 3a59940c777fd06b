//! A membrane without compressive stiffness: tension-field theory.
//!
//! Fabric under compression does not shorten, it wrinkles, in folds finer than the mesh. The relaxed
//! energy is the least over all wrinkling strains W, positive semidefinite, that could hide in the
//! triangle: `Ψ_r(E) = min Ψ(E + W)` [pipkin1986]. For a linear orthotropic law it has three states:
//!
//! - taut: the stress C E has no negative principal value, W = 0;
//! - slack: the strain has no positive principal value, Ψ_r = 0;
//! - wrinkled: `W = w n nᵀ` with stress along the folds only; the direction n is found by bisection on the
//!   shear stress across it.
//!
//! Ψ_r is convex and its stress never negative, so the exact Hessian is semidefinite: nothing has to
//! be projected. It is C1; the second derivative jumps between states.
//!
//! Limits: without any stiffness in compression, slack triangles move freely; bending holds them.
//! Folds that the mesh can show are relaxed too: use it on coarse meshes.

use super::stiffness::multiply;
use super::stvk::{gradient_of_stress, stiffness};
use super::{Blocks, Element, Membrane, Triangle};
use glam::DVec3;
use std::f64::consts::PI;

/// Directions tried before bisection.
const TRIES: usize = 32;
/// Halvings of the bracket: to the last bit of an angle.
const HALVINGS: usize = 55;

/// A triangle that wrinkles instead of being compressed.
#[derive(Clone, Copy, Debug)]
pub struct TensionField<'a> {
    /// Its rest state.
    pub rest: &'a Triangle,
    /// What it is made of; must be positive definite.
    pub stiffness: &'a Membrane,
}

/// What a strain does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxed {
    /// Energy per area [J/m²].
    pub density: f64,
    /// Stress (S11, S22, S12) [N/m].
    pub stress: [f64; 3],
    /// Tangent moduli [N/m].
    pub tangent: [[f64; 3]; 3],
}

/// Strain (11, 22, 2·12) of folds across (cos θ, sin θ), with its first two derivatives by θ.
fn fold(theta: f64) -> [[f64; 3]; 3] {
    let (c, s) = (libm::cos(theta), libm::sin(theta));
    let (double, across) = (2.0 * c * s, c * c - s * s);
    [
        [c * c, s * s, double],
        [-double, double, 2.0 * across],
        [-2.0 * across, 2.0 * across, -4.0 * double],
    ]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Relaxes a Green strain (e11, e22, 2 e12).
pub fn relax(membrane: &Membrane, e: [f64; 3]) -> Relaxed {
    let c = membrane.matrix();
    let taut = multiply(&c, e);
    if taut[0] + taut[1] >= 0.0 && taut[0] * taut[1] >= taut[2] * taut[2] {
        return Relaxed { density: 0.5 * dot(taut, e), stress: taut, tangent: c };
    }
    if e[0] + e[1] <= 0.0 && e[0] * e[1] >= 0.25 * e[2] * e[2] {
        return Relaxed { density: 0.0, stress: [0.0; 3], tangent: [[0.0; 3]; 3] };
    }
    // For folds across θ: their depth w and the stress that remains.
    let folded = |d: [f64; 3]| {
        let stiff = multiply(&c, d);
        let w = (-dot(d, taut) / dot(d, stiff)).max(0.0);
        (w, std::array::from_fn::<f64, 3, _>(|i| taut[i] + w * stiff[i]))
    };
    let energy = |theta: f64| {
        let d = fold(theta)[0];
        let (w, s) = folded(d);
        dot(s, std::array::from_fn(|i| e[i] + w * d[i]))
    };
    let step = PI / TRIES as f64;
    let best = (0..TRIES)
        .map(|k| k as f64 * step)
        .min_by(|a, b| energy(*a).total_cmp(&energy(*b)))
        .unwrap_or(0.0);
    // The energy falls before the best direction and rises behind it; its slope by θ has the sign of
    // the shear stress across the folds.
    let (mut low, mut high) = (best - step, best + step);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let [d, turn, _] = fold(middle);
        if dot(turn, folded(d).1) < 0.0 { low = middle } else { high = middle }
    }
    let [d, turn, twice] = fold(0.5 * (low + high));
    let (w, stress) = folded(d);
    let strain: [f64; 3] = std::array::from_fn(|i| e[i] + w * d[i]);
    let density = 0.5 * dot(stress, strain);
    // Depth and direction follow the strain: C less what they give way, a Schur complement. The
    // second unknown is w dθ, which stays finite where the folds begin.
    let (by_depth, by_turn) = (multiply(&c, d), multiply(&c, turn));
    let (a, b) = (dot(d, by_depth), dot(d, by_turn));
    let turning = dot(turn, by_turn) + dot(twice, stress) / w.max(f64::MIN_POSITIVE);
    let det = a * turning - b * b;
    let tangent = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let given = if turning.is_finite() && det.is_finite() && det > 0.0 {
                (turning * by_depth[i] * by_depth[j]
                    - b * by_depth[i] * by_turn[j]
                    - b * by_turn[i] * by_depth[j]
                    + a * by_turn[i] * by_turn[j])
                    / det
            } else {
                by_depth[i] * by_depth[j] / a
            };
            c[i][j] - given
        })
    });
    Relaxed { density, stress, tangent }
}

impl Element<3> for TensionField<'_> {
    fn vertices(&self) -> [u32; 3] {
        self.rest.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        self.rest.area * relax(self.stiffness, self.rest.green_strain(x)).density
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        gradient_of_stress(self.rest, x, relax(self.stiffness, self.rest.green_strain(x)).stress)
    }

    fn hessian(&self, x: &[DVec3; 3], _: bool) -> Blocks<3> {
        let r = relax(self.stiffness, self.rest.green_strain(x));
        stiffness(self.rest, x, r.stress, r.tangent, false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, Dice};
    use super::*;
    use glam::DVec2;

    const WOVEN: Membrane = Membrane { c11: 200.0, c12: 40.0, c22: 900.0, c33: 50.0 };

    fn principal(s: [f64; 3]) -> f64 {
        0.5 * (s[0] + s[1]) - (0.25 * (s[0] - s[1]).powi(2) + s[2] * s[2]).sqrt()
    }

    #[test]
    fn derivatives_match_differences_when_taut_and_when_wrinkled() {
        let uv = [DVec2::new(0.0, 0.1), DVec2::new(1.0, 0.0), DVec2::new(0.3, 0.8)];
        let rest = Triangle::new([0, 1, 2], uv).unwrap();
        let e = TensionField { rest: &rest, stiffness: &WOVEN };
        let put = |su: DVec3, sv: DVec3| uv.map(|p| su * p.x + sv * p.y);
        let taut = put(DVec3::new(1.2, 0.0, 0.2), DVec3::new(0.1, 1.1, 0.0));
        let wrinkled = [
            put(DVec3::new(1.2, 0.0, 0.2), DVec3::new(0.1, 0.6, 0.0)),
            put(DVec3::new(0.8, 0.1, 0.1), DVec3::new(0.2, 1.1, 0.3)),
            put(DVec3::new(1.0, 0.1, 0.0), DVec3::new(0.5, 0.9, 0.1)),
        ];
        for x in [taut].into_iter().chain(wrinkled) {
            check::all(&e, &x);
        }
        let slack = put(DVec3::new(0.8, 0.1, 0.1), DVec3::new(0.1, 0.7, 0.0));
        check::at_rest(&e, &slack, 900.0);
    }

    #[test]
    fn stress_is_never_negative_and_energy_never_above_the_unrelaxed() {
        let mut dice = Dice(1);
        let mut wrinkled = 0;
        for _ in 0..500 {
            let e = (dice.vector() * 0.3).to_array();
            let r = relax(&WOVEN, e);
            assert!(principal(r.stress) > -1e-9, "{e:?} {:?}", r.stress);
            assert!(r.density >= 0.0 && r.density <= WOVEN.density(e) + 1e-12);
            let dense: Vec<f64> = r.tangent.iter().flatten().copied().collect();
            let values = check::eigenvalues(&mut dense.clone(), 3);
            assert!(values[0] > -1e-9 * 900.0, "{e:?} {values:?}");
            wrinkled += usize::from(r.density > 0.0 && r.density < 0.999 * WOVEN.density(e));
        }
        assert!(wrinkled > 100, "{wrinkled}");
    }

    #[test]
    fn a_strip_pulled_and_compressed_sideways_feels_only_its_own_tension() {
        let (young, poisson, e) = (300.0, 0.3, 0.02);
        let m = Membrane::isotropic(young, poisson);
        // Narrower than contraction alone makes it: folds along the pull.
        let r = relax(&m, [e, -0.01, 0.0]);
        assert!((r.density - 0.5 * young * e * e).abs() < 1e-12);
        assert!((r.stress[0] - young * e).abs() < 1e-10 && r.stress[1].abs() < 1e-10);
    }
}
