//! What a fabric loses: viscosity of a Kelvin–Voigt solid, and friction between its threads (M9).
//!
//! **Viscosity.** A stress `σ = D ė` added to the elastic one, ė the rate of Green strain, comes from
//! the dissipation potential `½ A ėᵀ D ė`. D = τ C makes a Kelvin–Voigt solid of relaxation time τ
//! [eg2004garments]. An implicit step has it as the potential `γ ½ A ėᵀ D ė`, ė the change of strain over γ
//! ([`Viscous`]): its gradient is the viscous force at the end of the step. A rigid motion, however far, changes no
//! strain and costs nothing.
//!
//! **Hysteresis.** The loop of a slow load–unload test does not depend on speed, so viscosity cannot
//! be it. Here it is friction: springs in parallel, each with a slider that gives way at its limit
//! (Maxwell-slip or Prandtl–Ishlinskii model [visintin1994], [`Friction`]). A slider at z under strain e has
//! `½ k (e − z)²` while k |e − z| ≤ L, and `L |e − z| − L²/2k` beyond: a convex potential of one step, whose
//! minimiser slides exactly as friction does. After the step z follows, and `L |Δz|` is lost.
//!
//! The area of a loop between ±a is `Σ 4 L (a − L/k)` over the sliders that give way. Kawabata's 2HG
//! and 2HB are widths of the loop: a slider of half that limit has it. A measured loop is the mean of
//! its branches as a [`Curve`](super::curve::Curve) and half their difference as the limit.
//!
//! Limits: no creep, no relaxation, one width at all strains unless several sliders share it.

use super::stiffness::multiply;
use super::stvk::{gradient_of_stress, single_stiffness, stiffness};
use super::{Blocks, Element, Triangle};
use crate::Error;
use glam::{DVec3, Mat3A};

/// A viscous triangle during one step: the potential `γ ½ A ėᵀ D ė` with `ė = (E(x) − Ē)/γ`.
#[derive(Clone, Copy, Debug)]
pub struct Viscous<'a> {
    /// Its rest state.
    pub rest: &'a Triangle,
    /// D/γ: viscosity over the time of the rate [N/m].
    pub moduli: [[f64; 3]; 3],
    /// Ē: the strain from which the rate is taken.
    pub reference: [f64; 3],
}

impl Viscous<'_> {
    /// γ ė and the viscous stress D ė [N/m].
    fn stress(&self, x: &[DVec3; 3]) -> [[f64; 3]; 2] {
        let e = self.rest.green_strain(x);
        let change: [f64; 3] = std::array::from_fn(|k| e[k] - self.reference[k]);
        [change, multiply(&self.moduli, change)]
    }
}

impl Element<3> for Viscous<'_> {
    fn vertices(&self) -> [u32; 3] {
        self.rest.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        let [e, s] = self.stress(x);
        0.5 * self.rest.area * (e[0] * s[0] + e[1] * s[1] + e[2] * s[2])
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        gradient_of_stress(self.rest, x, self.stress(x)[1])
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        stiffness(self.rest, x, self.stress(x)[1], self.moduli, definite)
    }

    fn single_upper(&self, x: &[DVec3; 3], upper: &mut [Mat3A]) {
        self.single_upper_and_gradient(x, upper);
    }

    fn single_upper_and_gradient(&self, x: &[DVec3; 3], upper: &mut [Mat3A]) -> [DVec3; 3] {
        let [_, s] = self.stress(x);
        single_stiffness(self.rest, x, s, &self.moduli, upper);
        gradient_of_stress(self.rest, x, s)
    }
}

/// A spring in series with a slider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// Stiffness while it holds [N/m].
    pub stiffness: f64,
    /// Stress at which it gives way [N/m].
    pub limit: f64,
}

impl Slider {
    /// Potential of a step to this strain [J/m²], stress [N/m] and tangent stiffness [N/m], with the
    /// slider at `slip`.
    pub fn evaluate(&self, strain: f64, slip: f64) -> [f64; 3] {
        let (k, limit, off) = (self.stiffness, self.limit, strain - slip);
        if k * off.abs() <= limit {
            [0.5 * k * off * off, k * off, k]
        } else {
            [limit * (off.abs() - 0.5 * limit / k), limit * off.signum(), 0.0]
        }
    }

    /// Curvature of the parabola that touches the potential there, is least at the slider and nowhere below the potential [N/m].
    pub fn secant(&self, strain: f64, slip: f64) -> f64 {
        self.stiffness.min(self.limit / (strain - slip).abs())
    }

    /// Return mapping: moves it to within L/k of this strain; returns the dissipated energy [J/m²].
    pub fn slide(&self, strain: f64, slip: &mut f64) -> f64 {
        let max_lag = self.limit / self.stiffness;
        let moved = slip.clamp(strain - max_lag, strain + max_lag);
        let dissipated = self.limit * (moved - *slip).abs();
        *slip = moved;
        dissipated
    }
}

/// Sliders in parallel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Friction {
    sliders: Vec<Slider>,
}

impl Friction {
    /// Friction of these sliders.
    ///
    /// # Errors
    /// If a stiffness or a limit is not positive.
    pub fn new(sliders: Vec<Slider>) -> Result<Self, Error> {
        let good = |v: f64| v.is_finite() && v > 0.0;
        match sliders.iter().position(|s| !(good(s.stiffness) && good(s.limit))) {
            None => Ok(Self { sliders }),
            Some(k) => Err(Error::Setting {
                key: "friction",
                reason: format!("slider {k} is {:?}; both must be above zero", sliders[k]),
            }),
        }
    }

    /// Sliders whose first loading passes through `[strain, stress]` points from rest, concave, the
    /// last stretch level: slope by slope, each slider gives way at one point.
    ///
    /// # Errors
    /// If the points do not ascend in strain or the curve is not concave.
    pub fn of_first_loading(points: &[[f64; 2]]) -> Result<Self, Error> {
        let mut last = [0.0; 2];
        let mut slopes = Vec::with_capacity(points.len() + 1);
        for p in points {
            slopes.push((p[1] - last[1]) / (p[0] - last[0]));
            last = *p;
        }
        slopes.push(0.0);
        let sliders = points
            .iter()
            .enumerate()
            .map(|(k, p)| {
                let stiffness = slopes[k] - slopes[k + 1];
                Slider { stiffness, limit: stiffness * p[0] }
            })
            .collect();
        Self::new(sliders)
    }

    /// One slider for a loop of this width [N/m] that opens over a reversal of `strain`.
    ///
    /// # Errors
    /// If a number is not positive.
    pub fn of_width(width: f64, strain: f64) -> Result<Self, Error> {
        // A reversal goes from +L to −L.
        Self::new(vec![Slider { stiffness: width / strain, limit: 0.5 * width }])
    }

    /// Where the sliders of a fabric at rest are.
    pub fn at_rest(&self) -> Vec<f64> {
        vec![0.0; self.sliders.len()]
    }

    /// Potential of a step to this strain [J/m²], stress [N/m] and tangent stiffness [N/m], with the
    /// sliders at `slider_positions`.
    pub fn evaluate(&self, strain: f64, slider_positions: &[f64]) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for (s, z) in self.sliders.iter().zip(slider_positions) {
            let part = s.evaluate(strain, *z);
            (0..3).for_each(|i| sum[i] += part[i]);
        }
        sum
    }

    /// Energy stored in the springs [J/m²].
    pub fn stored(&self, strain: f64, slider_positions: &[f64]) -> f64 {
        let each = self.sliders.iter().zip(slider_positions);
        each.map(|(s, z)| 0.5 * s.stiffness * (strain - z) * (strain - z)).sum()
    }

    /// Return mapping: moves each slider to within L/k of this strain; returns the dissipated energy [J/m²].
    pub fn slide(&self, strain: f64, slider_positions: &mut [f64]) -> f64 {
        self.sliders.iter().zip(slider_positions).map(|(s, z)| s.slide(strain, z)).sum()
    }
}

/// Friction in the membrane of a triangle during one step: weft, warp and shear.
#[derive(Clone, Copy, Debug)]
pub struct Frictional<'a> {
    /// Its rest state.
    pub rest: &'a Triangle,
    /// Laws along weft, along warp and of shear.
    pub laws: [&'a Friction; 3],
    /// Their sliders at the beginning of the step.
    pub slider_positions: [&'a [f64]; 3],
}

impl Frictional<'_> {
    fn evaluate(&self, x: &[DVec3; 3]) -> [[f64; 3]; 3] {
        let e = self.rest.green_strain(x);
        std::array::from_fn(|k| self.laws[k].evaluate(e[k], self.slider_positions[k]))
    }
}

impl Element<3> for Frictional<'_> {
    fn vertices(&self) -> [u32; 3] {
        self.rest.vertices
    }

    fn energy(&self, x: &[DVec3; 3]) -> f64 {
        self.rest.area * self.evaluate(x).iter().map(|p| p[0]).sum::<f64>()
    }

    fn gradient(&self, x: &[DVec3; 3]) -> [DVec3; 3] {
        gradient_of_stress(self.rest, x, self.evaluate(x).map(|p| p[1]))
    }

    fn hessian(&self, x: &[DVec3; 3], definite: bool) -> Blocks<3> {
        let [weft, warp, shear] = self.evaluate(x);
        let tangent = [[weft[2], 0.0, 0.0], [0.0, warp[2], 0.0], [0.0, 0.0, shear[2]]];
        stiffness(self.rest, x, [weft[1], warp[1], shear[1]], tangent, definite)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Membrane;
    use super::super::check::{self, Dice};
    use super::super::curve::Curve;
    use super::*;
    use glam::{DQuat, DVec2};

    const WOVEN: Membrane = Membrane { c11: 200.0, c12: 40.0, c22: 900.0, c33: 50.0 };
    /// Time over which the rate is taken [s].
    const SPAN: f64 = 0.01;

    fn triangle() -> (Triangle, [DVec3; 3]) {
        let uv = [DVec2::new(0.0, 0.1), DVec2::new(1.0, 0.0), DVec2::new(0.3, 0.8)];
        (Triangle::new([0, 1, 2], uv).unwrap(), uv.map(|p| DVec3::new(p.x, p.y, 0.0)))
    }

    /// A triangle of relaxation time 20 ms, after a step from `x`.
    fn viscous<'a>(rest: &'a Triangle, x: &[DVec3; 3]) -> Viscous<'a> {
        let moduli = WOVEN.scaled(0.02 / SPAN).matrix();
        Viscous { rest, moduli, reference: rest.green_strain(x) }
    }

    #[test]
    fn the_dissipation_of_a_step_has_the_right_derivatives_and_is_objective() {
        let (rest, flat) = triangle();
        for seed in 1..6 {
            let mut dice = Dice(seed);
            let x = flat.map(|p| p + dice.vector() * 0.2);
            let e = viscous(&rest, &x);
            check::all(&e, &x.map(|p| p + dice.vector() * 0.1));
        }
    }

    #[test]
    fn the_viscous_force_dissipates_what_the_potential_says() {
        let (rest, flat) = triangle();
        let mut dice = Dice(2);
        let x = flat.map(|p| p + dice.vector() * 0.2);
        let e = viscous(&rest, &x);
        let v = x.map(|_| dice.vector());
        // Over a short step the power is twice the dissipation potential.
        let (h, mut end) = (1e-6, x);
        (0..3).for_each(|a| end[a] += v[a] * h);
        let rate: [f64; 3] =
            rest.green_gradients(&x).map(|g| g.iter().zip(&v).map(|(g, v)| g.dot(*v)).sum());
        let exact = 2.0 * rest.area * WOVEN.scaled(0.02).density(rate);
        let force = e.gradient(&end);
        let power: f64 = force.iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
        assert!((power * SPAN / h / exact - 1.0).abs() < 1e-4, "{power} {exact}");
    }

    #[test]
    fn turning_costs_nothing_however_far() {
        let (rest, flat) = triangle();
        let mut dice = Dice(2);
        let x = flat.map(|p| p + dice.vector() * 0.2);
        let e = viscous(&rest, &x);
        for angle in [1e-3, 0.3, 2.0] {
            let turn = DQuat::from_axis_angle(DVec3::new(0.48, 0.6, -0.64), angle);
            let end = x.map(|p| turn * p + DVec3::Z);
            assert!(e.energy(&end) < 1e-25);
            assert!(e.gradient(&end).iter().all(|f| f.length() < 1e-10));
        }
    }

    fn friction() -> Friction {
        Friction::of_first_loading(&[[0.01, 4.0], [0.03, 8.0], [0.06, 10.0]]).unwrap()
    }

    /// Work done on the sliders along a path of strains, and what they lost.
    fn work(
        law: &Friction,
        slider_positions: &mut [f64],
        path: impl Iterator<Item = f64>,
    ) -> [f64; 2] {
        let (mut before, mut sum) = (None, [0.0; 2]);
        for e in path {
            sum[1] += law.slide(e, slider_positions);
            let stress = law.evaluate(e, slider_positions)[1];
            if let Some((e0, s0)) = before {
                sum[0] += 0.5 * (stress + s0) * (e - e0);
            }
            before = Some((e, stress));
        }
        sum
    }

    fn line(from: f64, to: f64) -> impl Iterator<Item = f64> {
        (0..=2000).map(move |k| from + (to - from) * f64::from(k) / 2000.0)
    }

    #[test]
    fn first_loading_follows_the_points_it_was_made_from() {
        let law = friction();
        let mut slider_positions = law.at_rest();
        for (e, stress) in
            [(0.005, 2.0), (0.01, 4.0), (0.02, 6.0), (0.03, 8.0), (0.06, 10.0), (0.1, 10.0)]
        {
            law.slide(e, &mut slider_positions);
            assert!((law.evaluate(e, &slider_positions)[1] - stress).abs() < 1e-12, "{e}");
        }
        assert!(Friction::of_first_loading(&[[0.01, 1.0], [0.02, 4.0]]).is_err());
    }

    #[test]
    fn the_area_of_a_closed_loop_is_what_theory_says_and_what_is_lost() {
        let (law, a) = (friction(), 0.08);
        let mut slider_positions = law.at_rest();
        work(&law, &mut slider_positions, line(0.0, a));
        let cycle = line(a, -a).chain(line(-a, a));
        let [area, dissipated] = work(&law, &mut slider_positions, cycle);
        let exact: f64 =
            law.sliders.iter().map(|s| 4.0 * s.limit * (a - s.limit / s.stiffness)).sum();
        assert!((area / exact - 1.0).abs() < 1e-4, "{area} {exact}");
        assert!((dissipated / exact - 1.0).abs() < 1e-9, "{dissipated} {exact}");
    }

    #[test]
    fn work_is_stored_or_lost_on_any_path() {
        let law = friction();
        let mut slider_positions = law.at_rest();
        let path = line(0.0, 0.05).chain(line(0.05, 0.02)).chain(line(0.02, 0.07));
        let [done, dissipated] = work(&law, &mut slider_positions, path);
        assert!((done - dissipated - law.stored(0.07, &slider_positions)).abs() < 1e-4 * done);
        // Small loops do not slide at all.
        let [_, dissipated] =
            work(&law, &mut slider_positions, line(0.07, 0.065).chain(line(0.065, 0.07)));
        assert!(dissipated < 1e-15);
    }

    #[test]
    fn a_measured_loop_is_reproduced_with_its_area() {
        // Branches of a tensile test [N/m over strain], 3 N/m apart.
        let mean = [[0.0, 0.0], [0.02, 8.0], [0.04, 30.0], [0.06, 90.0]];
        let curve = Curve::new(&mean, true).unwrap();
        let law = Friction::of_width(3.0, 1e-3).unwrap();
        let mut slider_positions = law.at_rest();
        let stress = |e: f64, slider_positions: &mut [f64]| {
            law.slide(e, slider_positions);
            curve.evaluate(e)[1] + law.evaluate(e, slider_positions)[1]
        };
        let (mut area, mut last) = (0.0, 0.0);
        for (up, path) in [(true, line(0.0, 0.06)), (false, line(0.06, 0.0))] {
            let mut before = 0.0;
            for (k, e) in path.enumerate() {
                let s = stress(e, &mut slider_positions);
                if k > 0 {
                    area += 0.5 * (s + last) * (e - before);
                }
                (last, before) = (s, e);
                let branch = curve.evaluate(e)[1] + if up { 1.5 } else { -1.5 };
                if (0.002..0.058).contains(&e) {
                    assert!((s - branch).abs() < 1e-9, "{e} {s} {branch}");
                }
            }
        }
        // 3 N/m wide and 0.06 long, but for the corners where the slider turns.
        assert!((area / (3.0 * 0.06) - 1.0).abs() < 0.02, "{area}");
    }

    #[test]
    fn friction_in_a_triangle_has_the_right_derivatives() {
        let (rest, flat) = triangle();
        let law = Friction::new(vec![Slider { stiffness: 90.0, limit: 12.0 }]).unwrap();
        let slider_positions = [[0.3], [-0.05], [0.02]];
        let e = Frictional {
            rest: &rest,
            laws: [&law; 3],
            slider_positions: [&slider_positions[0], &slider_positions[1], &slider_positions[2]],
        };
        // Weft slides, the others hold.
        let x = flat.map(|p| DVec3::new(1.05 * p.x + 0.06 * p.y, 1.02 * p.y, 0.1 * p.x));
        check::gradient(&e, &x);
        check::hessian(&e, &x);
        check::definite(&e, &x);
        check::rigid(&e, &x);
    }
}
