//! The power law, and what of the figures reaches the fabric.

use super::super::from_toml;
use super::*;
use toile_sim::element::curve::Curve;

const POPLIN: &str = "[kes]\nW = 12\nB = { weft = 0.06, warp = 0.09 }\n2HB = 0.06\nG = 1.15\n2HG = 2.5\n\
    2HG5 = { weft = 3, warp = 4 }\nEM = { weft = 5, warp = 4 }\nLT = 0.8\nRT = 48\nT0 = 0.3\nMIU = 0.2\n";

#[test]
fn the_power_law_has_exactly_the_figures_it_was_made_from() {
    for em in [0.02, 0.06, 0.4] {
        for lt in [0.5, 0.62, 0.8, 1.0] {
            let test = Tensile { em, lt };
            assert!((test.tension(em) - KES_MAX_TENSION).abs() < 1e-9, "EM {em} {lt}");
            // WT by quadrature, then LT by its definition.
            let n = 20_000;
            let h = em / f64::from(n);
            let work: f64 = (0..n).map(|k| h * test.tension((f64::from(k) + 0.5) * h)).sum();
            assert!((test.work() / work - 1.0).abs() < 1e-7, "WT {em} {lt}");
            assert!((work / (0.5 * KES_MAX_TENSION * em) - lt).abs() < 1e-7, "LT {em} {lt}");
        }
    }
}

#[test]
fn the_curve_of_the_fabric_does_the_work_of_the_test() {
    for lt in [0.5, 0.62, 0.8, 1.0] {
        let test = Tensile { em: 0.05, lt };
        let curve = Curve::new(&test.points(), true).unwrap();
        let [work, tension, _] = curve.evaluate(0.05);
        assert!((work / test.work() - 1.0).abs() < 1e-3, "{lt}");
        assert!((tension / KES_MAX_TENSION - 1.0).abs() < 1e-12, "{lt}");
    }
}

#[test]
fn kawabatas_figures_become_a_fabric_in_si_units() {
    let f = from_toml(POPLIN, "poplin.toml").unwrap();
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
    near(f.density, 0.12);
    near(f.bend_weft, 5.883_99e-6);
    near(f.bend_warp, 8.825_985e-6);
    near(f.bend_hysteresis_weft, 5.883_99e-4);
    near(f.shear, 64.616_162);
    near(f.shear_hysteresis, 2.451_662_5);
    near(f.shear_hysteresis_wide, 3.432_327_5);
    near(f.weft, 490.3325 / 0.05);
    near(f.warp, 490.3325 / 0.04);
    near(f.weft_curve.last().unwrap()[1], 490.3325);
    near(f.thickness, 3e-4);
    near(f.friction, 0.2);
    assert_eq!(f.resilience_warp, Some(0.48));
}

#[test]
fn two_of_three_tensile_figures_are_enough_and_three_must_agree() {
    let curve = |figures: &str| {
        let text = POPLIN.replace("EM = { weft = 5, warp = 4 }\nLT = 0.8\n", figures);
        from_toml(&text, "t.toml").map(|f| f.weft_curve)
    };
    // WT = LT · 250 · EM: 0.8 · 250 · 0.05 = 10 gf·cm/cm².
    let all = [
        curve("EM = 5\nLT = 0.8\n").unwrap(),
        curve("EM = 5\nWT = 10\n").unwrap(),
        curve("LT = 0.8\nWT = 10\n").unwrap(),
        curve("EM = 5\nLT = 0.8\nWT = 10.4\n").unwrap(),
    ];
    for other in &all[1..] {
        for (a, b) in all[0].iter().zip(other) {
            assert!((a[0] - b[0]).abs() < 1e-12 && (a[1] - b[1]).abs() < 1e-6);
        }
    }
    assert!(curve("EM = 5\n").unwrap().is_empty(), "without linearity it is a line");
    for wrong in ["EM = 5\nLT = 0.8\nWT = 20\n", "LT = 0.8\n", "WT = 3\n", "EM = 5\nLT = 1.4\n"] {
        assert!(curve(wrong).unwrap_err().to_string().contains("`kes`"), "{wrong}");
    }
}
