//! Friction between threads that grows with strain: loops of slow tests that open as they go.
//!
//! A spring of stiffness k with a slider, as in [`viscosity`](super::viscosity), whose limit is
//! `L(e) = L₀ + s R(|e|)`, R a measured curve. Threads in tension press on each other, and friction grows with that pressure: with R the
//! tension itself, loading and unloading are two multiples of one
//! curve, which is what tensile loops of fabrics look like; with R a ramp, the loop of a shear test has
//! one width at small angles and another at large ones.
//!
//! A step from the slider at z has the stress `k (e − z)` while that is within ±L(e), else ±L(e). It depends on
//! one strain alone, so it has a potential, its integral. After the step z follows.
//!
//! Limits: the limit must grow more slowly than the spring, R′ s < k; as slow tests, no rate, no creep.

use super::curve::Response;
use super::stvk::{Law, gradient_of_stress, single_stiffness, stiffness};
use super::{Blocks, Element, Triangle};
use glam::{DVec3, Mat3A};

/// Rounds in which the strain is found at which a slider gives way; each gains two digits or more.
const MAX_ITERATIONS: usize = 40;

/// A slider whose limit grows with strain.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableSlider {
    /// Stiffness while it sticks [N/m].
    pub stiffness: f64,
    /// Limit at rest [N/m].
    pub base_limit: f64,
    /// How much of `growth_curve` is added to the limit.
    pub growth: f64,
    /// What the limit grows with, over the size of the strain [N/m].
    pub growth_curve: Response,
}

impl VariableSlider {
    /// Limit, its slope, and its integral from zero strain.
    fn limit(&self, strain: f64) -> [f64; 3] {
        let [energy, stress, slope] = self.growth_curve.evaluate(strain.abs());
        let sign = if strain < 0.0 { -1.0 } else { 1.0 };
        [
            self.base_limit + self.growth * stress,
            sign * self.growth * slope,
            self.base_limit * strain + sign * self.growth * energy,
        ]
    }

    /// Where a slider at `slip` gives way to the side `sign`.
    fn edge(&self, slip: f64, sign: f64) -> f64 {
        let mut at = slip;
        for _ in 0..MAX_ITERATIONS {
            let next = slip + sign * self.limit(at)[0] / self.stiffness;
            if next == at {
                break;
            }
            at = next;
        }
        at
    }

    /// Potential of a step to this strain [J/m²], stress [N/m] and tangent stiffness [N/m], with the
    /// slider at `slip`.
    pub fn evaluate(&self, strain: f64, slip: f64) -> [f64; 3] {
        let (k, off) = (self.stiffness, strain - slip);
        let [limit, slope, area] = self.limit(strain);
        if k * off.abs() <= limit {
            return [0.5 * k * off * off, k * off, k];
        }
        let sign = off.signum();
        let edge = self.edge(slip, sign);
        let held = 0.5 * k * (edge - slip) * (edge - slip);
        [held + sign * (area - self.limit(edge)[2]), sign * limit, sign * slope]
    }

    /// Curvature of the parabola that touches the potential there and is least at the slider [N/m]. Directions that know the
    /// tangent alone, which is nearly nothing while it slides, overshoot. Where the limit does not grow, the parabola is nowhere
    /// below the potential.
    pub fn secant(&self, strain: f64, slip: f64) -> f64 {
        let off = strain - slip;
        let [_, stress, _] = self.evaluate(strain, slip);
        if off == 0.0 { self.stiffness } else { stress / off }
    }

    /// Return mapping: moves the slider to within L/k of this strain; returns the dissipated energy [J/m²].
    pub fn slide(&self, strain: f64, slip: &mut f64) -> f64 {
        let limit = self.limit(strain)[0];
        let max_lag = limit / self.stiffness;
        let moved = slip.clamp(strain - max_lag, strain + max_lag);
        let dissipated = limit * (moved - *slip).abs();
        *slip = moved;
        dissipated
    }
}

/// A triangle of St. Venant–Kirchhoff membrane with friction between threads during one step: weft, warp and shear.
#[derive(Clone, Copy, Debug)]
pub struct FrictionTriangle<'a> {
    /// Its rest state.
    pub rest: &'a Triangle,
    /// Its elasticity.
    pub law: &'a Law,
    /// Friction along weft, along warp and in shear.
    pub friction: &'a [Option<VariableSlider>; 3],
    /// Their sliders at the beginning of the step.
    pub slider_positions: [f64; 3],
}

impl FrictionTriangle<'_> {
    /// Stress and tangent moduli, of which `curvature` says what friction adds.
    fn stress(
        &self,
        x: &[DVec3; 3],
        curvature: impl Fn(&VariableSlider, f64, f64, f64) -> f64,
    ) -> ([f64; 3], [[f64; 3]; 3]) {
        let e = self.rest.green_strain(x);
        let (mut stress, mut moduli) = self.law.stress(e);
        for k in 0..3 {
            if let Some(slider) = &self.friction[k] {
                let [_, own, tangent] = slider.evaluate(e[k], self.slider_positions[k]);
                stress[k] += own;
                moduli[k][k] += curvature(slider, e[k], self.slider_positions[k], tangent);
            }
        }
        (stress, moduli)
    }
}

impl Element<3> for FrictionTriangle<'_> {
    fn vertices(&self) -> [u32; 3] {
        self.rest.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        let e = self.rest.green_strain(x);
        let sliders = self.friction.iter().zip(e.iter().zip(self.slider_positions));
        let friction_energy = sliders.map(|(slider, (e, slip))| {
            slider.as_ref().map_or(0.0, |slider| slider.evaluate(*e, slip)[0])
        });
        self.rest.area * (self.law.density(e) + friction_energy.sum::<f64>())
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        gradient_of_stress(self.rest, x, self.stress(x, |_, _, _, tangent| tangent).0)
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        let (stress, tangent) = self.stress(x, |_, _, _, tangent| tangent);
        stiffness(self.rest, x, stress, tangent, definite)
    }

    fn single_upper(&self, x: &[DVec3; 3], upper: &mut [Mat3A]) {
        self.single_upper_and_gradient(x, upper);
    }

    fn single_upper_and_gradient(&self, x: &[DVec3; 3], upper: &mut [Mat3A]) -> [DVec3; 3] {
        let (stress, moduli) = self.stress(x, |slider, e, slip, _| slider.secant(e, slip));
        single_stiffness(self.rest, x, stress, &moduli, upper);
        gradient_of_stress(self.rest, x, stress)
    }
}

#[cfg(test)]
mod tests {
    use super::super::curve::Curve;
    use super::super::{Membrane, check};
    use super::*;
    use glam::DVec2;

    fn slider() -> VariableSlider {
        let growth_curve = Curve::new(&[[0.0, 0.0], [0.02, 5.0], [0.05, 40.0]], true).unwrap();
        VariableSlider {
            stiffness: 9e3,
            base_limit: 2.0,
            growth: 0.3,
            growth_curve: Response::Curve(growth_curve),
        }
    }

    #[test]
    fn stress_and_tangent_are_slopes_of_the_potential_on_both_sides() {
        let law = slider();
        for slip in [-0.01, 0.0, 0.02] {
            for strain in [-0.04, -0.013, 0.0003, 0.011, 0.0205, 0.045, 0.07] {
                let h = 1e-7;
                let at = |e: f64| law.evaluate(e, slip);
                let slope = (at(strain + h)[0] - at(strain - h)[0]) / (2.0 * h);
                assert!((at(strain)[1] - slope).abs() < 1e-5, "{slip} {strain} {slope}");
                let tangent = (at(strain + h)[1] - at(strain - h)[1]) / (2.0 * h);
                assert!((at(strain)[2] - tangent).abs() < 1e-3, "{slip} {strain} {tangent}");
            }
        }
    }

    #[test]
    fn the_secant_parabola_lies_above_the_potential_where_the_limit_is_one() {
        let law = VariableSlider { growth: 0.0, ..slider() };
        for (slip, strain) in [(0.0, 0.03), (0.02, 0.06), (-0.01, -0.05), (0.01, 0.0101)] {
            let [energy, stress, _] = law.evaluate(strain, slip);
            let curvature = law.secant(strain, slip);
            assert!(curvature > 0.0 && curvature <= law.stiffness * (1.0 + 1e-12));
            for step in [-0.1, -0.03, -0.01, -1e-4, 1e-4, 0.01, 0.03, 0.1] {
                let above = energy + stress * step + 0.5 * curvature * step * step;
                assert!(above >= law.evaluate(strain + step, slip)[0] - 1e-12, "{slip} {step}");
            }
        }
    }

    #[test]
    fn a_slow_loop_runs_along_its_limits_and_loses_its_area() {
        let law = slider();
        let (mut slip, mut area, mut dissipated, mut before) = (0.0, 0.0, 0.0, [0.0; 2]);
        let n = 4000_i32;
        for k in 0..=2 * n {
            let part = f64::from(n - (k - n).abs()) / f64::from(n);
            let e = 0.05 * part;
            let stress = law.evaluate(e, slip)[1];
            dissipated += law.slide(e, &mut slip);
            assert!((law.evaluate(e, slip)[1] - stress).abs() < 1e-9);
            area += 0.5 * (stress + before[1]) * (e - before[0]);
            before = [e, stress];
            // A slider turns within 2 L/k = 0.0031 at the end.
            if (0.002..0.045).contains(&e) {
                let side = if k < n { 1.0 } else { -1.0 };
                assert!((stress - side * law.limit(e)[0]).abs() < 1e-9, "{k}");
            }
        }
        let stored = 0.5 * before[1] * before[1] / law.stiffness;
        assert!((area - dissipated - stored).abs() < 1e-3 * area, "{area} {dissipated}");
    }

    #[test]
    fn a_triangle_with_friction_has_the_right_derivatives() {
        let uv = [DVec2::new(0.0, 0.1), DVec2::new(1.0, 0.0), DVec2::new(0.3, 0.8)];
        let rest = Triangle::new([0, 1, 2], uv).unwrap();
        let friction = [Some(slider()), None, Some(slider())];
        let law = Law::linear(&Membrane { c11: 200.0, c12: 40.0, c22: 900.0, c33: 50.0 });
        let e = FrictionTriangle {
            rest: &rest,
            law: &law,
            friction: &friction,
            slider_positions: [0.03, 0.0, 0.0],
        };
        let x = uv.map(|p| DVec3::new(1.05 * p.x + 0.06 * p.y, 1.02 * p.y, 0.1 * p.x));
        check::gradient(&e, &x);
        check::hessian(&e, &x);
        check::definite(&e, &x);
        check::rigid(&e, &x);
    }
}
