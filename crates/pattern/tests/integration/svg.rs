//! Outlines read from SVG.

use glam::DVec2;
use toile_pattern::file::Unit;
use toile_pattern::svg::from_svg;
use toile_pattern::{Error, Panel, Pattern, meshing};

fn read(text: &str) -> Pattern {
    from_svg(text, "f.svg", None).expect("a good file")
}

fn page(inside: &str) -> String {
    format!(
        r#"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="800mm" height="600mm" viewBox="0 0 800 600">{inside}</svg>"#
    )
}

fn area(p: &Panel) -> f64 {
    (1e6 * p.signed_area()).round() / 1e6
}

#[test]
fn shapes_paths_and_transforms_are_outlines_in_true_scale() {
    let pattern = read(&page(
        r#"<g id="yoke" transform="translate(100 100) rotate(90)"><path d="M0 0h100v200h-100z"/></g>
           <polygon id="pocket" points="300,0 400,0 400,100 300,100"/>
           <rect id="rect12" x="500" y="0" width="200" height="50"/>
           <circle id="gusset" cx="600" cy="300" r="100"/>
           <path id="curved" d="M300 300 l100 0 q 20 50 0 100 c 0 30 -100 30 -100 0 a 50 50 0 0 0 0 -100"/>"#,
    ));
    let names: Vec<&str> = pattern.panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["yoke", "pocket", "piece 3", "gusset", "curved"]);
    let areas: Vec<f64> = pattern.panels.iter().take(3).map(area).collect();
    assert_eq!(areas, [0.02, 0.01, 0.01]);
    assert!((pattern.panels[3].signed_area() - 0.01 * std::f64::consts::PI).abs() < 6e-5);
    assert!(pattern.panels[4].edges.iter().filter(|e| !e.is_straight()).count() == 3);
    assert!(pattern.check().is_usable(), "{}", pattern.check());
    assert!(meshing::mesh(&pattern, 0.02).is_ok());
    // y is up: what is drawn below lies below.
    let low = |p: &Panel| p.polygon(1e-3).iter().map(|q| q.y).fold(f64::MAX, f64::min);
    assert!(low(&pattern.panels[3]) < low(&pattern.panels[1]));
}

#[test]
fn units_are_those_of_the_page() {
    let square = |head: &str| {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" {head}><rect width="100" height="100"/></svg>"#
        )
    };
    let side = |text: &str, unit| {
        from_svg(text, "f", unit).map(|p| (1e4 * p.panels[0].edges[0].length()).round() / 1e4)
    };
    assert_eq!(
        side(&square(r#"width="20cm" height="20cm" viewBox="0 0 100 100""#), None).unwrap(),
        0.2
    );
    assert_eq!(side(&square(r#"width="10in" viewBox="0 0 100 100""#), None).unwrap(), 0.254);
    assert_eq!(side(&square(r#"width="960" height="960""#), None).unwrap_or(0.0), 0.0);
    assert_eq!(side(&square(""), Some(Unit::Mm)).unwrap(), 0.1);
    let error =
        side(&square(r#"width="100mm" height="100mm" viewBox="0 0 1 1""#), None).unwrap_err();
    assert!(error.to_string().contains("--unit"), "{error}");
}

#[test]
fn an_outline_around_another_is_where_it_is_cut_and_further_parts_are_holes() {
    let pattern = read(&page(
        r#"<g id="front"><path class="cut" d="M0 0H220V320H0Z"/><path d="M10 10H210V310H10Z M 100 100 h30v30h-30z"/>
           <rect x="50" y="200" width="40" height="50"/><path class="notch" d="M110 10v5"/><line x1="10" y1="100" x2="16" y2="100"/>
           <path class="grain" d="M50 50H150"/></g>"#,
    ));
    assert_eq!(pattern.panels.len(), 1);
    let panel = &pattern.panels[0];
    assert_eq!((panel.name.as_str(), panel.allowance, panel.holes.len()), ("front", 0.01, 1));
    assert_eq!(panel.notches.len(), 2);
    assert!((panel.grain.x.abs() - 1.0).abs() < 1e-9);
    assert!(panel.signed_area() > 0.0);
}

#[test]
fn freesewing_says_what_is_cut_on_the_fold_and_twice() {
    let part = |name: &str, inside: &str| {
        format!(
            r#"<g id="fs-stack-{name}"><g id="fs-stack-{name}-part-brian.{name}">{inside}</g></g>"#
        )
    };
    let defs = r#"<defs><g id="notch"><circle r="3"/></g><path d="M0 0h500v500h-500z"/></defs>"#;
    let front = part(
        "front",
        r##"<path class="fabric" d="M 0,0 L 200,0 L 200,300 L 0,300 L 0,0 z"/>
           <path class="fabric sa" d="M 0,0 L 0,-10 L 210,-10 L 210,310 L 0,310 L 0,300"/>
           <path class="note" marker-start="url(#cutonfoldFrom)" marker-end="url(#cutonfoldTo)" d="M0,30 L15,30 L15,270 L0,270"/>
           <use x="200" y="150" xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#notch"/>
           <text><tspan>plugin-annotations:cut,1,plugin-annotations:onFold</tspan></text>"##,
    );
    let sleeve = part(
        "sleeve",
        r#"<path class="fabric" d="M 300,0 L 500,0 L 480,300 L 300,300 z"/><path class="hidden" d="M 300,0 h900 v500 z"/>
           <text><tspan>plugin-annotations:cut,2,plugin-annotations:mirrored</tspan></text>"#,
    );
    let pattern = read(&page(&(defs.to_owned() + &front + &sleeve)));
    let names: Vec<&str> = pattern.panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["front", "sleeve", "sleeve-mirrored"]);
    let front = &pattern.panels[0];
    assert_eq!((area(front), front.notches.len(), front.allowance), (0.12, 2, 0.01));
}

#[test]
fn open_lines_that_meet_are_an_outline() {
    let pattern = read(&page(
        r#"<path d="M0 0H200"/><path d="M200 0V100"/><path d="M0 0V100"/><line x1="0" y1="100" x2="200" y2="100"/>"#,
    ));
    assert_eq!((pattern.panels.len(), area(&pattern.panels[0])), (1, 0.02));
}

#[test]
fn what_is_wrong_is_named() {
    for (text, words) in [
        (page(""), "no closed outline"),
        (page(r#"<path d="M0 0L"/>"#), "a number is expected"),
        (page(r#"<g transform="spin(3)"/>"#), "`spin(3` is not understood"),
        ("<html/>".into(), "`html`"),
        ("<svg".into(), "not well-formed"),
        (page(r#"<rect width="1e9" height="1e9"/>"#), "more than 100 m"),
    ] {
        let error = from_svg(&text, "f.svg", None).expect_err("a bad file");
        assert!(error.to_string().contains(words), "{error}");
        assert!(matches!(error, Error::Parse { .. } | Error::Content { .. }));
    }
}

#[test]
fn hostile_drawings_are_refused_in_bounded_time() {
    let deep = format!("<svg>{}{}</svg>", "<g>".repeat(50_000), "</g>".repeat(50_000));
    assert!(from_svg(&deep, "f", None).is_err());
    let laughs = r#"<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
        <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
        <!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">]><svg><text>&e;&e;&e;</text></svg>"#;
    assert!(from_svg(laughs, "f", None).is_err());
    let many = page(&r#"<rect width="100" height="100"/>"#.repeat(5000));
    assert!(from_svg(&many, "f", None).unwrap_err().to_string().contains("lines"));
    let long = page(&format!(r#"<path d="M0 0{}z"/>"#, "l1 1 0 1".repeat(90_000)));
    assert!(from_svg(&long, "f", None).is_err());
}

#[test]
fn a_circle_of_any_kind_is_round() {
    let pattern = read(&page(r#"<ellipse id="e" cx="200" cy="200" rx="100" ry="50"/>"#));
    let e = &pattern.panels[0];
    assert!((e.signed_area() - 0.005 * std::f64::consts::PI).abs() < 2e-5, "{}", e.signed_area());
    for edge in &e.edges {
        let q = (edge.point(0.3) - DVec2::new(0.2, -0.2)) / DVec2::new(0.1, 0.05);
        assert!((q.length() - 1.0).abs() < 1e-3);
    }
}
