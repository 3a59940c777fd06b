//! Tensile and shear curves of a fabric as a picture.

use crate::plot::{Figure, Plot};
use toile::fabric::kes::KES_MAX_TENSION;
use toile_sim::Fabric;

/// Largest strain of a straight line in the picture; knits reach 500 gf/cm far beyond it.
const WIDEST: f64 = 0.5;
/// Largest angle of the shear test [°].
const LAST_ANGLE: f64 = 8.0;

/// Tension over strain and shear force over angle, as Kawabata's tests draw them.
pub fn draw_fabric(fabric: &Fabric) -> Figure {
    let tension = |curve: &[[f64; 2]], stiffness: f64| -> Vec<(f64, f64)> {
        if curve.is_empty() {
            let end = (KES_MAX_TENSION / stiffness).min(WIDEST);
            return vec![(0.0, 0.0), (100.0 * end, stiffness * end)];
        }
        curve.iter().map(|[e, t]| (100.0 * e, *t)).collect()
    };
    let shear: Vec<(f64, f64)> = if fabric.shear_curve.is_empty() {
        let force = |angle: f64| (angle, fabric.shear * angle.to_radians());
        (0..=16).map(|k| force(LAST_ANGLE * f64::from(k) / 16.0)).collect()
    } else {
        fabric.shear_curve.iter().map(|[a, f]| (a.to_degrees(), *f)).collect()
    };
    let mut plot = Plot::new("Shear").x("angle [°]").y("force [N/m]").line("shear", &shear);
    if fabric.shear_hysteresis > 0.0 {
        // Between the two angles at which the loop is measured its width goes straight.
        let wide = match fabric.shear_hysteresis_wide {
            0.0 => fabric.shear_hysteresis,
            wide => wide,
        };
        let half = |angle: f64| {
            let part = ((angle - 0.5) / 4.5).clamp(0.0, 1.0);
            0.5 * (fabric.shear_hysteresis + part * (wide - fabric.shear_hysteresis))
        };
        let side = |sign: f64| -> Vec<(f64, f64)> {
            shear.iter().map(|(a, f)| (*a, f + sign * half(*a))).collect()
        };
        plot = plot.line("loading", &side(1.0)).line("unloading", &side(-1.0));
    }
    let tensile = Plot::new("Tension")
        .x("strain [%]")
        .y("tension [N/m]")
        .line("weft", &tension(&fabric.weft_curve, fabric.weft))
        .line("warp", &tension(&fabric.warp_curve, fabric.warp));
    Figure::row([tensile, plot]).title(fabric.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile::fabric::{built_in, names};

    #[test]
    fn the_curves_of_every_fabric_can_be_drawn() {
        for name in names() {
            let svg = draw_fabric(&built_in(name).unwrap().unwrap()).to_svg();
            assert!(svg.starts_with("<svg") && svg.contains("Shear"), "{name}");
            assert!(svg.contains("weft") && !svg.contains("NaN"), "{name}");
        }
    }
}
