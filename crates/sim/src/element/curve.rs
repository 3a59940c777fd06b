//! Measured stress–strain curves (M9).
//!
//! Textiles are soft at first and stiffen when their threads are straight. A tensile or shear test
//! gives a curve of stress over strain; here it is kept as pieces between measured points, straight
//! (as [eg2004garments] does) or monotone cubic [fritsch1980], so that its slope has no jumps and
//! Newton's method none either. Outside the measured range it continues linearly.
//!
//! Limits: a curve is elastic; loading and unloading follow the same path. For the loop between
//! them see `viscosity`.

use crate::Error;

/// Stress over strain along one direction.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// A straight line of this stiffness [N/m].
    Linear(f64),
    /// A measured curve.
    Curve(Curve),
}

impl Response {
    /// Energy per area [J/m²], stress [N/m] and tangent stiffness [N/m] at a strain.
    #[inline]
    pub fn evaluate(&self, strain: f64) -> [f64; 3] {
        match self {
            Self::Linear(k) => [0.5 * k * strain * strain, k * strain, *k],
            Self::Curve(c) => c.evaluate(strain),
        }
    }
}

/// A curve through measured points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    knots: Vec<Knot>,
    /// Slope before the first knot and behind the last [N/m].
    outside: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Knot {
    strain: f64,
    stress: f64,
    /// Energy from zero strain to here [J/m²].
    energy: f64,
    /// Slopes at both ends of the piece that begins here [N/m].
    slopes: [f64; 2],
}

impl Curve {
    /// A curve through `[strain, stress]` points that ascend in both; (0, 0) must be one of them.
    /// `smooth` joins them by monotone cubics, otherwise by straight lines.
    ///
    /// # Errors
    /// If there are fewer than two points, one is not finite, they do not ascend, or rest is
    /// missing.
    pub fn new(points: &[[f64; 2]], smooth: bool) -> Result<Self, Error> {
        let bad = |reason: String| Err(Error::Setting { key: "curve", reason });
        if points.len() < 2 {
            return bad(format!("has {} points; it needs two", points.len()));
        }
        if let Some(k) = points.iter().position(|p| !(p[0].is_finite() && p[1].is_finite())) {
            return bad(format!("point {k} is {:?}; it must be finite", points[k]));
        }
        if let Some(k) = points.windows(2).position(|w| !(w[1][0] > w[0][0] && w[1][1] >= w[0][1]))
        {
            return bad(format!("point {} lies behind or below the one before it", k + 1));
        }
        let Some(origin) = points.iter().position(|p| *p == [0.0, 0.0]) else {
            return bad("does not pass through a point [0, 0]".into());
        };
        let secants: Vec<f64> =
            points.windows(2).map(|w| (w[1][1] - w[0][1]) / (w[1][0] - w[0][0])).collect();
        let slopes = slopes(&secants, smooth);
        let last = points.len() - 1;
        let mut knots: Vec<Knot> = (0..=last)
            .map(|k| Knot {
                strain: points[k][0],
                stress: points[k][1],
                energy: 0.0,
                slopes: slopes[k.min(last - 1)],
            })
            .collect();
        for k in 0..last {
            let (a, b) = (knots[k], knots[k + 1]);
            let h = b.strain - a.strain;
            let piece = h * (0.5 * (a.stress + b.stress) + h * (a.slopes[0] - a.slopes[1]) / 12.0);
            knots[k + 1].energy = a.energy + piece;
        }
        let base = knots[origin].energy;
        knots.iter_mut().for_each(|k| k.energy -= base);
        Ok(Self { knots, outside: [slopes[0][0], slopes[last - 1][1]] })
    }

    /// Straight on both sides of rest: `tension` and `compression` [N/m].
    ///
    /// A thread that buckles resists compression far less than tension.
    ///
    /// # Errors
    /// If a stiffness is negative or not finite.
    pub fn knee(tension: f64, compression: f64) -> Result<Self, Error> {
        Self::new(&[[-1.0, -compression], [0.0, 0.0], [1.0, tension]], false)
    }

    /// The same curve with this stiffness before its first point [N/m]: for tests that only pulled.
    #[must_use]
    pub fn with_compression(mut self, stiffness: f64) -> Self {
        self.outside[0] = stiffness;
        self
    }

    /// Energy per area [J/m²], stress [N/m] and tangent stiffness [N/m] at a strain.
    pub fn evaluate(&self, strain: f64) -> [f64; 3] {
        let straight = |from: &Knot, slope: f64| {
            let h = strain - from.strain;
            [from.energy + h * (from.stress + 0.5 * slope * h), from.stress + slope * h, slope]
        };
        let next = self.knots.partition_point(|k| k.strain <= strain);
        if next == 0 {
            return straight(&self.knots[0], self.outside[0]);
        }
        let a = &self.knots[next - 1];
        let Some(b) = self.knots.get(next) else { return straight(a, self.outside[1]) };
        // Cubic in t = (strain − a)/h by its values and slopes at the ends.
        let h = b.strain - a.strain;
        let t = (strain - a.strain) / h;
        let [m0, m1] = a.slopes;
        let rise = (b.stress - a.stress) / h;
        let (c2, c3) = (3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise);
        let stress = a.stress + h * t * (m0 + t * (c2 + t * c3));
        let tangent = m0 + t * (2.0 * c2 + t * 3.0 * c3);
        let energy =
            a.energy + h * t * (a.stress + h * t * (0.5 * m0 + t * (c2 / 3.0 + t * 0.25 * c3)));
        [energy, stress, tangent]
    }
}

/// Slopes at both ends of each piece.
fn slopes(secants: &[f64], smooth: bool) -> Vec<[f64; 2]> {
    if !smooth {
        return secants.iter().map(|s| [*s, *s]).collect();
    }
    // The harmonic mean of neighbours never overshoots [fritsch1980].
    let inner = |a: f64, b: f64| if a * b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
    let n = secants.len();
    (0..n)
        .map(|k| {
            let left = if k == 0 { secants[0] } else { inner(secants[k - 1], secants[k]) };
            let right = if k + 1 == n { secants[k] } else { inner(secants[k], secants[k + 1]) };
            [left, right]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 2]; 5] =
        [[-0.1, -3.0], [0.0, 0.0], [0.02, 5.0], [0.05, 30.0], [0.08, 90.0]];

    #[test]
    fn stress_is_the_slope_of_energy_and_tangent_that_of_stress() {
        for smooth in [false, true] {
            let c = Curve::new(&POINTS, smooth).unwrap();
            for e in [-0.15, -0.07, -0.01, 0.011, 0.03, 0.06, 0.0799, 0.12] {
                let (h, [_, stress, tangent]) = (1e-6, c.evaluate(e));
                let (p, m) = (c.evaluate(e + h), c.evaluate(e - h));
                assert!(((p[0] - m[0]) / (2.0 * h) - stress).abs() < 1e-5, "{e}");
                assert!(((p[1] - m[1]) / (2.0 * h) - tangent).abs() < 1e-3 * tangent.abs(), "{e}");
                assert!(tangent >= 0.0, "{e} {tangent}");
            }
        }
    }

    #[test]
    fn the_curve_passes_through_what_was_measured() {
        for smooth in [false, true] {
            let c = Curve::new(&POINTS, smooth).unwrap();
            for p in POINTS {
                assert!((c.evaluate(p[0])[1] - p[1]).abs() < 1e-12);
            }
            assert_eq!(c.evaluate(0.0)[0], 0.0);
            assert!(c.evaluate(-0.05)[0] > 0.0 && c.evaluate(0.05)[0] > 0.0);
        }
        // Straight pieces: the area under them.
        let c = Curve::new(&POINTS, false).unwrap();
        assert!((c.evaluate(0.05)[0] - (0.05 + 0.525)).abs() < 1e-14);
    }

    #[test]
    fn a_smooth_curve_has_no_jump_in_its_slope() {
        let c = Curve::new(&POINTS, true).unwrap();
        for p in POINTS {
            let jump = c.evaluate(p[0] + 1e-12)[2] - c.evaluate(p[0] - 1e-12)[2];
            assert!(jump.abs() < 1e-5, "{p:?} {jump}");
        }
    }

    #[test]
    fn curves_that_make_no_sense_are_refused_with_a_reason() {
        let reason = |p: &[[f64; 2]]| Curve::new(p, true).unwrap_err().to_string();
        assert!(reason(&[[0.0, 0.0]]).contains("two"));
        assert!(reason(&[[0.0, 0.0], [0.1, -1.0]]).contains("point 1"));
        assert!(reason(&[[0.1, 0.0], [0.2, 1.0]]).contains("[0, 0]"));
        assert!(reason(&[[0.0, 0.0], [f64::NAN, 1.0]]).contains("finite"));
    }

    #[test]
    fn a_knee_is_soft_on_one_side() {
        let c = Curve::knee(100.0, 5.0).unwrap();
        assert_eq!(c.evaluate(0.2)[1], 20.0);
        assert_eq!(c.evaluate(-0.2)[1], -1.0);
        let c = Curve::new(&POINTS[1..], true).unwrap().with_compression(2.0);
        assert_eq!(c.evaluate(-0.5)[1], -1.0);
    }
}
