//! Derivatives of threads and angles, and the figures of Kawabata's tests.

use super::super::check::{self, Dice};
use super::*;
use toile_mesh::shape::{Diagonals, grid};

#[test]
fn threads_match_differences_in_tension_and_compression() {
    let powers = Pull::Powers { stretch: 40.0, press: 300.0, slack: [0.05, 0.02] };
    let curve = Curve::new(&[[-0.6, -5.0], [0.0, 0.0], [0.7, 40.0], [0.9, 80.0]], true).unwrap();
    let measured = Pull::Measured { response: Response::Curve(curve), width: 0.3 };
    for pull in [powers, measured] {
        for length in [0.7, 1.3] {
            let thread = Thread { vertices: [0, 1], rest: 1.0, pull: &pull };
            let x = [DVec3::new(0.1, 0.2, -0.3), DVec3::new(0.1, 0.2, -0.3)];
            let along = DVec3::new(0.48, 0.6, -0.64) * length;
            check::all(&thread, &[x[0] + along, x[1]]);
        }
    }
}

#[test]
fn a_thread_with_slack_is_free_inside_it() {
    let pull = Pull::Powers { stretch: 40.0, press: 300.0, slack: [0.05, 0.02] };
    for length in [0.981, 1.0, 1.049] {
        let x = [DVec3::ZERO, DVec3::X * length];
        check::at_rest(&Thread { vertices: [0, 1], rest: 1.0, pull: &pull }, &x, 40.0);
    }
    let x = [DVec3::ZERO, DVec3::X * 0.8];
    let compressed = Thread { vertices: [0, 1], rest: 1.0, pull: &pull };
    assert!(compressed.energy(&x) > 0.0, "the printed odd power is negative here");
}

#[test]
fn powers_pass_through_the_force_they_were_made_for() {
    let pull = Pull::through(5.0, 0.02);
    assert!((pull.evaluate(1.02, 1.0)[1] - 5.0).abs() < 1e-9);
    assert!((pull.evaluate(0.98, 1.0)[1] + 0.05).abs() < 1e-9);
}

#[test]
fn angles_match_differences_in_corners_and_on_lines() {
    let mut dice = Dice(8);
    for (rest, end) in [
        (FRAC_PI_2, DVec3::new(0.2, 0.9, 0.0)),
        (PI, DVec3::new(-1.1, 0.5, 0.2)),
        (PI, DVec3::new(-0.9, 1e-2, 1e-2)),
    ] {
        let angle = Angle { vertices: [0, 1, 2], stiffness: 2.0, rest };
        let at = dice.vector();
        check::all(&angle, &[at, at + DVec3::X, at + end]);
    }
}

#[test]
fn a_straight_line_is_at_rest_and_stiff_in_both_directions_across() {
    let angle = Angle { vertices: [0, 1, 2], stiffness: 2.0, rest: PI };
    let x = [DVec3::ZERO, DVec3::X, -DVec3::X];
    check::at_rest(&angle, &x, 2.0);
    check::hessian(&angle, &x);
    // Turning an arm of length one costs the stiffness itself.
    let h = angle.hessian(&x, true);
    assert!((h[1][1].y_axis.y - 2.0).abs() < 1e-12 && (h[1][1].z_axis.z - 2.0).abs() < 1e-12);
}

#[test]
fn the_series_near_a_straight_line_meets_the_quotients() {
    let angle = Angle { vertices: [0, 1, 2], stiffness: 1.0, rest: PI };
    let at = |b: f64| angle.by_cosine(libm::sin(b), -libm::cos(b));
    let (series, quotient) =
        (at(NEARLY_STRAIGHT * (1.0 - 1e-9)), at(NEARLY_STRAIGHT * (1.0 + 1e-9)));
    for k in 0..3 {
        assert!((series[k] / quotient[k] - 1.0).abs() < 1e-8, "{series:?} {quotient:?}");
    }
}

#[test]
fn a_grid_sheared_or_bent_a_little_has_the_energy_of_its_fabric() {
    let fabric = Fabric::default();
    let n = 10;
    let mesh = grid(0.5, 0.3, n, n, Diagonals::Same);
    let angles = angles_of_grid(&mesh, n, n, &fabric);
    let energy = |f: &dyn Fn(f64, f64) -> DVec3| {
        let x: Vec<DVec3> = mesh.uv.iter().map(|p| f(p.x, p.y)).collect();
        check::total(&angles, &x)
    };
    let gamma = 1e-4;
    let ratio = energy(&|u, v| DVec3::new(u + gamma * v, v, 0.0))
        / (0.5 * fabric.shear * gamma * gamma * 0.15);
    assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
    // Lines have no bend at their ends: a tenth of the sheet.
    let kappa = 1e-3;
    let ratio = energy(&|u, v| DVec3::new(u, v, 0.5 * kappa * v * v))
        / (0.5 * fabric.bend_warp * kappa * kappa * 0.15 * 0.9);
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
}

#[test]
fn the_tensile_curve_has_the_strain_and_the_work_of_the_test() {
    let (em, lt) = (0.05, 0.7);
    let curve = tensile(em, lt).unwrap();
    let [work, tension, _] = curve.evaluate(em);
    assert!((tension - KES_MAX_TENSION).abs() < 1e-9);
    // WT = LT · ½ T_m e_m; 32 pieces are a good fit, not an exact one.
    assert!((work / (lt * 0.5 * KES_MAX_TENSION * em) - 1.0).abs() < 2e-3, "{work}");
    assert!(tensile(0.0, 0.7).is_err() && tensile(0.05, 1.2).is_err());
}
