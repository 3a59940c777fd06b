//! From the losses of slow tests to friction between threads.
//!
//! **Tension.** The curve of a fabric is that of loading, T(e); RT is the part of its work that comes back. With
//! friction proportional to tension, unloading is RT · T(e): the mean of both branches is ½ (1 + RT) T, and the
//! limit of the slider ½ (1 − RT) T. **Shear.** The line or curve of a fabric is the mean of both
//! branches; the limit is half of 2HG up to 0.5°, half of 2HG5 at 5°, and goes straight between and beyond.
//! **Bending.** The rigidity of a fabric is the mean of both branches; the limit of the moment is half of 2HB.
//!
//! Limits: a loop turns within a small strain, not at once, so that RT comes out higher by about 0.3 %.

use super::Fabric;
use super::law::{mirrored, response, tensile};
use crate::Error;
use crate::element::curve::{Curve, Response};
use crate::element::stvk::Law;
use crate::element::variable_slider::VariableSlider;

/// Tension at the end of Kawabata's tensile test [N/m]: 500 gf/cm.
pub const KES_MAX_TENSION: f64 = 490.3325;
/// Strain over which a tensile loop turns, in parts of the strain at the end.
const TENSILE_TRANSITION: f64 = 0.004;
/// Angle over which a shear loop turns [°].
const SHEAR_TRANSITION: f64 = 0.1;
/// Curvature over which a bending loop turns [1/m].
pub const BENDING_TRANSITION: f64 = 5.0;
/// Angles at which the widths of the shear loop are measured [°].
const HYSTERESIS_ANGLES: [f64; 2] = [0.5, 5.0];

/// A fabric with what it loses in slow loops.
#[derive(Clone, Debug, PartialEq)]
pub struct Loops {
    /// The mean of loading and unloading.
    pub mean: Law,
    /// Friction along weft, along warp and in shear, where there is some.
    pub friction: [Option<VariableSlider>; 3],
}

impl Fabric {
    /// Its stress–strain law with its loops.
    ///
    /// # Errors
    /// As [`Fabric::validate`] for curves.
    pub fn loops(&self) -> Result<Loops, Error> {
        let (weft, k1, friction_weft) =
            tension("weft_curve", &self.weft_curve, self.weft, self.resilience_weft)?;
        let (warp, k2, friction_warp) =
            tension("warp_curve", &self.warp_curve, self.warp, self.resilience_warp)?;
        let (shear, _) = response("shear_curve", &mirrored(&self.shear_curve), self.shear)?;
        let mean =
            Law { weft, warp, shear, contraction: self.poisson * (k1 * k2).sqrt(), limit: None };
        Ok(Loops { mean, friction: [friction_weft, friction_warp, self.shear_friction()?] })
    }

    /// Friction between threads in bending along weft and warp: the limit of the moment per width [N].
    pub fn bend_friction(&self) -> [f64; 2] {
        [0.5 * self.bend_hysteresis_weft, 0.5 * self.bend_hysteresis_warp]
    }

    /// Friction between threads in shear, if there is some.
    ///
    /// # Errors
    /// None that [`Fabric::validate`] has not.
    pub fn shear_friction(&self) -> Result<Option<VariableSlider>, Error> {
        let (narrow, wide) = (self.shear_hysteresis, self.shear_hysteresis_wide);
        if narrow.max(wide) <= 0.0 {
            return Ok(None);
        }
        let rise = if wide > narrow {
            let [a, b] = HYSTERESIS_ANGLES.map(|a| libm::sin(a.to_radians()));
            let points = [[0.0, 0.0], [a, 0.0], [b, 0.5 * (wide - narrow)]];
            Response::Curve(Curve::new(&points, false)?)
        } else {
            Response::Linear(0.0)
        };
        let stiffness = narrow.max(wide) / SHEAR_TRANSITION.to_radians();
        Ok(Some(VariableSlider {
            stiffness,
            base_limit: 0.5 * narrow,
            growth: 1.0,
            growth_curve: rise,
        }))
    }
}

/// The mean of both branches of a tensile loop, its least slope, and the friction.
fn tension(
    key: &'static str,
    points: &[[f64; 2]],
    line: f64,
    resilience: Option<f64>,
) -> Result<(Response, f64, Option<VariableSlider>), Error> {
    let back = resilience.unwrap_or(1.0);
    let (rise, _) = response(key, &tensile(points), line)?;
    let mean: Vec<[f64; 2]> = points.iter().map(|[e, t]| [*e, 0.5 * (1.0 + back) * t]).collect();
    let (mean, slope) = response(key, &tensile(&mean), 0.5 * (1.0 + back) * line)?;
    let end = points.last().map_or(KES_MAX_TENSION / line, |p| p[0]);
    if back >= 1.0 || end <= 0.0 {
        return Ok((mean, slope, None));
    }
    // Green strain and stress there.
    let green = end + 0.5 * end * end;
    let stiffness = (1.0 - back) * rise.evaluate(green)[1] / (TENSILE_TRANSITION * green);
    let slider = VariableSlider {
        stiffness,
        base_limit: 0.0,
        growth: 0.5 * (1.0 - back),
        growth_curve: rise,
    };
    Ok((mean, slope, Some(slider)))
}
