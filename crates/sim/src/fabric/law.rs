//! From measured curves to stress over Green strain.
//!
//! A tensile test gives the force T per width of the unstretched strip over the strain e of its
//! length. The energy per area is ∫ T de, and with Green strain E = e + e²/2 it is ∫ S dE, so
//! that the second Piola–Kirchhoff stress is `S = T/(1 + e)`: exact, at any strain.
//!
//! A shear test turns threads that keep their length by an angle φ at a force F per width. The
//! membrane knows 2 e12 = sin φ, so that `S12 = F/cos φ`. Shear to the other side is taken as the
//! mirror image.
//!
//! Limits: C12 is one constant in the membrane, while curves are soft at rest; it is taken from
//! the least slope of the curves, so that the tangent is positive definite at all strains and a sheet
//! gains nothing by contracting. At large strain such a fabric contracts less than its Poisson's ratio says.

use super::{Fabric, MAX_CURVE_POINTS, bad};
use crate::Error;
use crate::element::curve::{Curve, Response};
use crate::element::stvk::Law;
use std::f64::consts::FRAC_PI_2;

/// A monotone cubic between two points is nowhere flatter than this part of the flattest secant.
const MAX_SLOPE_DIP: f64 = 0.5;

impl Fabric {
    /// Stress over Green strain: the measured curves, and straight lines where there are none.
    ///
    /// # Errors
    /// As [`Fabric::validate`] for curves.
    pub fn law(&self) -> Result<Law, Error> {
        let (weft, k1) = response("weft_curve", &tensile(&self.weft_curve), self.weft)?;
        let (warp, k2) = response("warp_curve", &tensile(&self.warp_curve), self.warp)?;
        let (shear, _) = response("shear_curve", &mirrored(&self.shear_curve), self.shear)?;
        Ok(Law { weft, warp, shear, contraction: self.poisson * (k1 * k2).sqrt(), limit: None })
    }

    /// Tension over strain along weft and warp, as measured: for models of single threads.
    ///
    /// # Errors
    /// As [`Fabric::validate`] for curves.
    pub fn tensions(&self) -> Result<[Response; 2], Error> {
        let (weft, _) = response("weft_curve", &self.weft_curve, self.weft)?;
        let (warp, _) = response("warp_curve", &self.warp_curve, self.warp)?;
        Ok([weft, warp])
    }

    pub(super) fn validate_curves(&self) -> Result<(), Error> {
        let curves = [
            ("weft_curve", &self.weft_curve, -1.0, f64::INFINITY, "strain", "above -1"),
            ("warp_curve", &self.warp_curve, -1.0, f64::INFINITY, "strain", "above -1"),
            // Only one side is given: the other is its mirror image.
            ("shear_curve", &self.shear_curve, -1e-300, FRAC_PI_2, "angle", "from 0 to below π/2"),
        ];
        for (key, points, above, below, what, range) in curves {
            if points.len() > MAX_CURVE_POINTS {
                let reason = format!("has {} points; at most {MAX_CURVE_POINTS}", points.len());
                return Err(bad(key, reason));
            }
            let out = |p: &&[f64; 2]| !(p[0] > above && p[0] < below && p[1].is_finite());
            if let Some(p) = points.iter().find(out) {
                let reason =
                    format!("has the point {p:?}; its {what} must be {range}, its force finite");
                return Err(bad(key, reason));
            }
        }
        self.law().map(|_| ())
    }
}

/// A curve, or a line without one, and the least slope of it [N/m].
pub(super) fn response(
    key: &'static str,
    points: &[[f64; 2]],
    line: f64,
) -> Result<(Response, f64), Error> {
    if points.is_empty() {
        return Ok((Response::Linear(line), line));
    }
    let curve = Curve::new(points, true).map_err(|e| match e {
        Error::Setting { reason, .. } => {
            bad(key, format!("{reason} (as stress over Green strain)"))
        }
        other => other,
    })?;
    let secants = points.windows(2).map(|w| (w[1][1] - w[0][1]) / (w[1][0] - w[0][0]));
    Ok((Response::Curve(curve), MAX_SLOPE_DIP * secants.fold(f64::INFINITY, f64::min)))
}

/// Tension over strain as stress over Green strain.
pub(super) fn tensile(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    points.iter().map(|[e, t]| [e + 0.5 * e * e, t / (1.0 + e)]).collect()
}

/// Shear force over angle as stress over 2 e12, to both sides.
pub(super) fn mirrored(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let one = points.iter().map(|[a, f]| [libm::sin(*a), f / libm::cos(*a)]);
    let other = one.clone().skip(1).map(|[g, s]| [-g, -s]).rev();
    other.chain(one).collect()
}
