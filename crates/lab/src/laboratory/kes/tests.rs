//! The instruments give back the figures of a fabric's file.

use super::*;
use toile::fabric::find;

const COARSE: Fineness = Fineness { cells: 2, points: 20 };

fn off(value: f64, expected: f64) -> f64 {
    (value / expected - 1.0).abs()
}

#[test]
fn a_tensile_loop_has_the_figures_of_the_file_within_two_per_cent() {
    let fabric = find("wool-worsted").unwrap();
    let (path, found) = tensile(&fabric, Along::Weft, COARSE).unwrap();
    // EM 6.8 %, LT 0.625, RT 64 %.
    assert!(off(found.em, 0.068) < 0.02 && off(found.lt, 0.625) < 0.02, "{found:?}");
    assert!(off(found.rt, 0.64) < 0.02, "{found:?}");
    let top = path.iter().map(|p| p.1).fold(0.0, f64::max);
    assert!(off(top, KES_MAX_TENSION) < 1e-5);
}

#[test]
fn a_shear_loop_has_the_slope_and_both_widths_of_the_file() {
    let mut fabric = find("cotton-poplin").unwrap();
    fabric.shear_hysteresis_wide = 1.6 * fabric.shear_hysteresis;
    let (_, found) = shear(&fabric, Along::Warp, COARSE).unwrap();
    assert!(off(found.g, fabric.shear) < 0.02, "{found:?}");
    assert!(off(found.hg, fabric.shear_hysteresis) < 0.02, "{found:?}");
    assert!(off(found.hg5, fabric.shear_hysteresis_wide) < 0.02, "{found:?}");
}

#[test]
fn a_bending_loop_has_the_slope_and_width_of_the_file_on_coarse_strips_of_all_usual_fabrics() {
    for name in crate::laboratory::USUAL_FABRICS {
        let fabric = find(name).unwrap();
        for (along, b) in [(Along::Weft, fabric.bend_weft), (Along::Warp, fabric.bend_warp)] {
            let (_, found) = bending(&fabric, along, COARSE).unwrap();
            assert!(off(found.b, b) < 0.02, "{name} {along:?} {found:?}");
            assert!(off(found.hb, fabric.bend_hysteresis_weft) < 0.02, "{name} {found:?}");
        }
    }
}

#[test]
fn denim_stiff_as_it_is_comes_to_rest_in_tension_and_shear_with_the_figures_of_its_file() {
    let fabric = find("denim").unwrap();
    let (_, found) = tensile(&fabric, Along::Warp, COARSE).unwrap();
    assert!(off(found.rt, fabric.resilience_warp.unwrap()) < 0.02, "{found:?}");
    let (_, found) = shear(&fabric, Along::Warp, COARSE).unwrap();
    assert!(off(found.g, fabric.shear) < 0.02, "{found:?}");
    assert!(off(found.hg, fabric.shear_hysteresis) < 0.02, "{found:?}");
    assert!(off(found.hg5, fabric.shear_hysteresis) < 0.02, "{found:?}");
}

#[test]
fn a_fabric_that_gives_way_for_ever_is_refused() {
    let fabric = Fabric { weft: 3.3, weft_curve: Vec::new(), ..Fabric::default() };
    let error = tensile(&fabric, Along::Weft, COARSE).unwrap_err();
    assert!(error.to_string().contains("does not come to 500 gf/cm"), "{error}");
}
