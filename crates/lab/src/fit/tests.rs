//! Data of the instruments give the fabric back; what is no data is refused.

use super::*;
use toile::fabric::find;

/// What the instrument shows of worsted, and worsted.
fn data_of(kind: Kind, at: &[f64]) -> (Fabric, Data) {
    let fabric = find("wool-worsted").unwrap();
    let mut data = Data { kind, points: at.iter().map(|x| (*x, 0.0)).collect() };
    let values = simulate(&fabric, &data, Along::Warp).unwrap();
    data.points.iter_mut().zip(values).for_each(|(p, v)| p.1 = v);
    (fabric, data)
}

fn near(found: f64, given: f64, all: &Fit) {
    assert!((found / given - 1.0).abs() < 0.01, "{found} {given} {:?}", all.found);
    assert!(all.residual < 1e-3, "{}", all.residual);
}

#[test]
fn tensile_data_of_a_known_fabric_give_its_curve_back() {
    let (fabric, data) = data_of(Kind::Tension, &[0.01, 0.02, 0.03, 0.04, 0.05]);
    let found = fit(&Fabric::default(), &data, Along::Warp).unwrap();
    let [em, lt, _] = toile::fabric::tensile(&fabric.warp_curve, fabric.warp).unwrap();
    near(found.found[0].1, em, &found);
    near(found.found[1].1, lt, &found);
    near(found.fabric.warp, fabric.warp, &found);
    assert!(found.fabric.validate().is_ok());
    let origin = &found.fabric.origins["warp"];
    assert!(origin.source.starts_with("fitted to 5 points"), "{}", origin.source);
}

#[test]
fn shear_data_of_a_known_fabric_give_stiffness_and_width_of_the_loop_back() {
    let (fabric, data) = data_of(Kind::Shear, &[0.02, 0.05, 0.08, 0.1, 0.12]);
    let found = fit(&Fabric::default(), &data, Along::Warp).unwrap();
    near(found.fabric.shear, fabric.shear, &found);
    near(found.fabric.shear_hysteresis, fabric.shear_hysteresis, &found);
}

#[test]
fn bending_data_give_rigidity_and_width_of_the_loop_back() {
    let (fabric, data) = data_of(Kind::Bending, &[50.0, 100.0, 150.0, 200.0]);
    let found = fit(&Fabric::default(), &data, Along::Warp).unwrap();
    near(found.fabric.bend_warp, fabric.bend_warp, &found);
    near(found.fabric.bend_hysteresis_warp, fabric.bend_hysteresis_warp, &found);
}

#[test]
fn a_cantilever_gives_the_rigidity_back() {
    let (fabric, data) = data_of(Kind::Cantilever, &[0.03, 0.04]);
    let other = Fabric { bend_warp: 1e-4, ..fabric.clone() };
    let found = fit(&other, &data, Along::Warp).unwrap();
    near(found.fabric.bend_warp, fabric.bend_warp, &found);
}

#[test]
fn units_of_a_laboratory_are_turned_into_those_of_the_si() {
    let read = |text: &str| read_curve(text, "lab.csv").unwrap();
    let tension = read("strain [%];force [gf/cm]\n1,5;10\n2;20\n3;40\n");
    assert_eq!(tension.kind, Kind::Tension);
    assert!((tension.points[0].0 - 0.015).abs() < 1e-15);
    // 1.5 % comes before 2 %.
    assert!((tension.points[0].1 - 9.80665).abs() < 1e-12);
    let bending = read("# KES-F2\ncurvature [1/cm],moment [gf·cm/cm]\n0.5,0.1\n1,0.2\n2,0.4\n");
    assert!((bending.points[1].0 - 100.0).abs() < 1e-12);
    assert!((bending.points[1].1 - 0.2 * 9.80665e-3).abs() < 1e-15);
}

#[test]
fn what_is_no_curve_is_refused_with_its_line_and_the_remedy() {
    for (text, told) in [
        ("", "lab.csv:1: there is no row of names"),
        ("strain,force\n0.1,x\n", "lab.csv:2: `x` is no number"),
        ("strain,force\n0.1\n", "lab.csv:2: the row has 1 cells"),
        ("# mine\na,b\n1,2\n", "lab.csv:2: `a,b` names no test"),
        ("strain [m],force\n1,2\n", "lab.csv:1:"),
        ("curvature [m],moment\n1,2\n", "lab.csv:1: `m` is no curvature"),
        ("strain,force\n0.1,-3\n", "lab.csv:2: `-3` is no number"),
        ("strain,force\n0.1,NaN\n", "lab.csv:2: `NaN` is no number"),
        ("strain,force\n0.1,3\n", "lab.csv:2: there are 1 points above zero; it takes 3"),
    ] {
        let error = read_curve(text, "lab.csv").unwrap_err();
        assert!(error.to_string().starts_with(told), "{error}");
        assert!(format!("{error:?}").contains("strain [%]"));
    }
}

#[test]
fn values_that_no_cloth_has_are_refused_with_the_unit_that_would_make_sense() {
    for (text, said) in [
        ("length,angle\n0.1,30\n", "lab.csv:2: the angle 30 rad is more than 1.55 rad"),
        ("length,angle\n0.1,30\n", "name the column `angle [deg]`"),
        ("length,angle\n80,0.5\n", "name the column `length [mm]`"),
        ("length,angle\n1e-8,0.5\n", "the length 1.0e-8 m is less than 0.01 m"),
        (
            "strain [%],force [gf/cm]\n1,5\n2,9\n4,99999999999999999999\n",
            "lab.csv:4: the force 9.8e19",
        ),
        ("strain,force\n1,5\n2,20\n5,60\n", "lab.csv:4: the strain 5 is more than 2"),
        ("strain,force\n1,5\n2,20\n5,60\n", "name the column `strain [%]`"),
        (
            "curvature,moment\n0.5,1e-4\n0.6,2e-4\n0.7,3e-4\n",
            "name the column `curvature [1/mm]` or `curvature [1/cm]`",
        ),
        ("angle,force\n1e-5,1\n2e-5,2\n3e-5,3\n", "lab.csv:4: the largest angle is 3.0e-5 rad"),
        ("strain,force\n0.1,1\n0.1,2\n0.1,3\n", "all points are at the same place"),
    ] {
        let message = read_curve(text, "lab.csv").unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    }
    let rows = "0.1,0.5\n".repeat(25);
    let message = read_curve(&format!("length,angle\n{rows}"), "lab.csv").unwrap_err().to_string();
    assert!(message.contains("more than 24 points"), "{message}");
}

#[test]
fn a_curve_that_no_fabric_follows_is_no_fit_and_says_how_the_data_were_read() {
    let data = |kind, points: &[(f64, f64)]| Data { kind, points: points.to_vec() };
    for data in [
        // Force that comes and goes.
        data(Kind::Tension, &[(0.01, 90.0), (0.02, 1.0), (0.03, 80.0), (0.04, 2.0), (0.05, 99.0)]),
        data(Kind::Shear, &[(0.02, 9.0), (0.05, 0.1), (0.08, 9.0), (0.12, 0.1)]),
        data(Kind::Bending, &[(50.0, 1e-3), (100.0, 1e-5), (150.0, 1e-3), (200.0, 1e-5)]),
        // A strip that hangs less the longer it is.
        data(Kind::Cantilever, &[(0.03, 1.2), (0.06, 0.3), (0.09, 0.05)]),
    ] {
        let error = fit(&Fabric::default(), &data, Along::Warp).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("no fabric fits: "), "{:?} {message}", data.kind);
        let Error::Request { help, .. } = error else { panic!("{error:?}") };
        assert!(help.contains("units are probably wrong: the file was read as"), "{help}");
    }
    // Millimetres read as centimetres: a bending rigidity that no cloth has.
    let stiff = data(Kind::Cantilever, &[(0.5, 0.011)]);
    let message = fit(&Fabric::default(), &stiff, Along::Warp).unwrap_err().to_string();
    assert!(message.contains("bending rigidity from 1 nN·m"), "{message}");
}
