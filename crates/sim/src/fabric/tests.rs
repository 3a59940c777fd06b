//! What a fabric refuses, and what models get from it.

use super::*;
use crate::element::stvk::Law;

fn curved() -> Fabric {
    Fabric {
        weft_curve: vec![[0.0, 0.0], [0.02, 20.0], [0.06, 200.0], [0.1, 490.0]],
        warp_curve: vec![[-0.1, -5.0], [0.0, 0.0], [0.03, 60.0], [0.05, 300.0]],
        shear_curve: vec![[0.0, 0.0], [0.05, 2.0], [0.2, 5.0], [0.8, 90.0]],
        poisson: 0.4,
        ..Fabric::default()
    }
}

#[test]
fn a_fabric_without_weight_is_refused_by_name() {
    let f = Fabric { density: 0.0, ..Fabric::default() };
    assert!(f.validate().unwrap_err().to_string().contains("density"));
    let f = Fabric { bend_warp: -1.0, ..Fabric::default() };
    assert!(f.validate().unwrap_err().to_string().contains("bend_warp"));
    let f = Fabric { weft: f64::NAN, ..Fabric::default() };
    assert!(f.validate().is_err());
    assert!(Fabric::default().validate().is_ok());
}

#[test]
fn what_is_no_fabric_is_refused_by_name() {
    type Change = fn(&mut Fabric);
    let wrong: [(&str, Change); 14] = [
        ("poisson", |f| f.poisson = 1.0),
        ("poisson", |f| f.poisson = f64::NAN),
        ("bend_poisson", |f| f.bend_poisson = -1.2),
        ("bend_twist", |f| f.bend_twist = Some(-1e-6)),
        ("resilience_weft", |f| f.resilience_weft = Some(1.2)),
        ("shear_hysteresis", |f| f.shear_hysteresis = f64::INFINITY),
        ("viscosity", |f| f.viscosity = -1.0),
        ("weft_curve", |f| f.weft_curve = vec![[0.0, 0.0], [0.1, 5.0], [0.05, 9.0]]),
        ("weft_curve", |f| f.weft_curve = vec![[0.0, 0.0], [0.1, -5.0]]),
        ("weft_curve", |f| f.weft_curve = vec![[0.1, 5.0], [0.2, 9.0]]),
        ("warp_curve", |f| f.warp_curve = vec![[-1.5, -2.0], [0.0, 0.0]]),
        ("shear_curve", |f| f.shear_curve = vec![[0.0, 0.0], [1.6, 9.0]]),
        ("shear_curve", |f| f.shear_curve = vec![[0.0, 0.0], [f64::NAN, 9.0]]),
        ("origins", |f| _ = f.origins.insert("wieght".into(), Origin::default())),
    ];
    assert!(curved().validate().is_ok());
    for (key, change) in wrong {
        let mut fabric = curved();
        change(&mut fabric);
        let message = fabric.validate().expect_err(key).to_string();
        assert!(message.starts_with(&format!("`{key}`")), "{key}: {message}");
    }
}

#[test]
fn the_law_does_the_work_of_the_tensile_test() {
    // At each measured point: force per width of the unstretched strip is the slope of energy.
    let fabric = curved();
    let law = fabric.law().unwrap();
    let energy = |e: f64| law.density([e + 0.5 * e * e, 0.0, 0.0]);
    for [e, t] in &fabric.weft_curve[1..] {
        let h = 1e-6;
        let force = (energy(e + h) - energy(e - h)) / (2.0 * h);
        assert!((force / t - 1.0).abs() < 1e-4, "{e}: {force} {t}");
    }
}

#[test]
fn the_law_does_the_work_of_the_shear_test_to_both_sides() {
    let fabric = curved();
    let law = fabric.law().unwrap();
    let energy = |a: f64| law.density([0.0, 0.0, a.sin()]);
    for [a, f] in &fabric.shear_curve[1..] {
        let h = 1e-6;
        let force = (energy(a + h) - energy(a - h)) / (2.0 * h);
        assert!((force / f - 1.0).abs() < 1e-4, "{a}: {force} {f}");
        assert!((energy(*a) - energy(-a)).abs() < 1e-12 * energy(*a));
    }
}

#[test]
fn the_tangent_of_curves_is_positive_definite_at_all_strains() {
    for poisson in [-0.99, 0.4, 0.99] {
        let law = Fabric { poisson, ..curved() }.law().unwrap();
        for i in -40..=60 {
            for j in -40..=60 {
                let e = [f64::from(i) * 0.002, f64::from(j) * 0.002, 0.0];
                let (_, c) = law.stress(e);
                assert!(c[0][0] > 0.0 && c[2][2] > 0.0, "{e:?}");
                assert!(c[0][0] * c[1][1] > c[0][1] * c[1][0], "{e:?}");
            }
        }
    }
}

#[test]
fn without_curves_the_law_is_that_of_the_membrane() {
    let fabric = Fabric { poisson: 0.3, ..Fabric::default() };
    assert_eq!(fabric.law().unwrap(), Law::linear(&fabric.membrane()));
    assert_eq!(fabric.membrane().c12, 300.0);
}

#[test]
fn without_numbers_of_their_own_contraction_and_twist_are_as_before() {
    let fabric = Fabric::default();
    assert_eq!(fabric.membrane(), Membrane::of_fabric(&fabric));
    assert_eq!(fabric.bending(), Bending::of_fabric(&fabric));
    let plate = Bending::isotropic(3e-6, 0.3);
    let sheet = Fabric { bend_weft: 3e-6, bend_warp: 3e-6, bend_poisson: 0.3, ..fabric };
    assert!((sheet.bending().twist - plate.twist).abs() < 1e-20);
}

#[test]
fn the_bending_length_is_that_of_the_cantilever() {
    // 64.2 µN·m at 0.324 kg/m² hang over by 2.72 cm.
    let fabric = Fabric { density: 0.324, bend_weft: 64.2e-6, ..Fabric::default() };
    assert!((fabric.bending_lengths()[0] - 0.0272).abs() < 5e-5);
}

#[test]
fn a_fabric_is_as_sure_as_the_least_of_its_main_numbers() {
    let mut fabric = Fabric { confidence: Confidence::Measured, ..Fabric::default() };
    let guess = Origin { confidence: Confidence::Estimated, source: "a guess".into() };
    fabric.origins.insert("thickness".into(), guess.clone());
    assert_eq!(fabric.least_confidence(), Confidence::Measured);
    assert_eq!(fabric.confidence_of("thickness"), Confidence::Estimated);
    fabric.origins.insert("shear".into(), Origin { confidence: Confidence::Typical, ..guess });
    assert_eq!(fabric.least_confidence(), Confidence::Typical);
}
