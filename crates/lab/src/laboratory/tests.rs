//! The laboratory as a whole: its table, its verdicts, its forms.

use super::report::Section;
use super::*;

fn quick(tests: &[&str], models: Models, draw: bool) -> Report {
    let tests = tests.iter().map(|t| Test::from_name(t).unwrap()).collect();
    run(&Options { tests, models, quick: true, draw }, |_| {})
}

/// Every third test passes; three functions, so that they run side by side.
fn passes(first: usize) {
    for test in TESTS.iter().skip(first).step_by(3) {
        let report = quick(&[test.id], Models::One(Model::default()), false);
        assert!(report.rows().count() > 0, "{}", test.id);
        assert!(report.passes(), "{}", report.to_text());
    }
}

#[test]
fn every_test_passes_on_every_mesh_with_the_default_model_first_third() {
    passes(0);
}

#[test]
fn every_test_passes_on_every_mesh_with_the_default_model_second_third() {
    passes(1);
}

#[test]
fn every_test_passes_on_every_mesh_with_the_default_model_last_third() {
    passes(2);
}

#[test]
fn the_hinge_is_shown_to_be_off_and_does_not_count() {
    let hinge = Model::from_name("stvk+hinge").unwrap();
    let report = quick(&["cantilever"], Models::One(hinge), false);
    assert!(report.rows().any(|r| !r.pass && !r.counts), "{}", report.to_text());
    assert!(report.passes());
    assert!(report.to_text().contains(" off"));
}

#[test]
fn a_model_that_cannot_do_a_test_says_why_and_the_rest_goes_on() {
    let grid_only = Model::from_name("kes+angles").unwrap();
    let rows = quick(&["hanging"], Models::One(grid_only), false);
    assert!(rows.rows().all(|r| r.mesh != Mesh::Delaunay.name()));
    let failing = Test { run: |_| Err(Failure::Unstable), ..TESTS[0] };
    let failing: &'static Test = Box::leak(Box::new(failing));
    let rows = measure(failing, &Setup::default());
    assert!(!rows[0].pass && rows[0].counts);
    let section = Section { test: failing, rows, pictures: Vec::new(), seconds: 0.0 };
    let report = Report { sections: vec![section], ..Report::default() };
    assert!(!report.passes());
    assert!(report.to_text().contains("no answer: unstable"), "{}", report.to_text());
    assert_eq!(report.to_json()["tests"][0]["value"], serde_json::Value::Null);
}

#[test]
fn the_report_is_one_page_with_its_pictures() {
    let report = quick(&["catenary", "integrators"], Models::One(Model::default()), true);
    let folder = tempfile::tempdir().unwrap();
    report.write_plots(folder.path()).unwrap();
    report.write_html(&folder.path().join("lab.html")).unwrap();
    let page = std::fs::read_to_string(folder.path().join("lab.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("PASS"));
    for outside in ["src=", "href=\"http", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(folder.path().join("lab-catenary.svg").exists());
}

#[test]
fn names_of_tests_and_models_are_known_and_different() {
    for (k, test) in TESTS.iter().enumerate() {
        assert_eq!(Test::from_name(test.id).unwrap().id, test.id);
        assert!(TESTS[..k].iter().all(|t| t.id != test.id), "{}", test.id);
    }
    assert_eq!(Model::from_name("stvk").unwrap(), Model::default());
    for wrong in ["", "hinge", "stvk+", "stvk+stvk", "stvk+hinge+hinge"] {
        assert!(Model::from_name(wrong).is_err(), "{wrong}");
    }
    let help = Test::from_name("kantilever").unwrap_err();
    assert!(help.to_string().contains("kantilever"));
}

#[test]
fn an_error_that_is_no_number_is_no_pass() {
    let nan = Test { run: |_| Ok(vec![Reading::new("a", f64::NAN, 1.0, 0.1)]), ..TESTS[0] };
    let nan: &'static Test = Box::leak(Box::new(nan));
    assert!(!measure(nan, &Setup::default())[0].pass);
    assert_eq!(Reading::new("b", 1.02, 1.0, 0.1).error(), 1.02 - 1.0);
    assert_eq!(Reading::new("c", -0.5, 0.0, 0.1).error(), -0.5);
}
