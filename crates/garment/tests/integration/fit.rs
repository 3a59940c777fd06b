//! Fits with known answers: tubes around a cylinder.

use glam::DVec3;
use std::f64::consts::TAU;
use toile_body::Tape;
use toile_garment::fit::{Fit, Worn, assess, judge};
use toile_garment::{Error, Fabrics};
use toile_mesh::TriMesh;
use toile_pattern::meshing::{self, PatternMesh};
use toile_pattern::{BodyPart, Edge, EdgePart, Elastic, Panel, Pattern, Seam, Side};
use toile_sim::Fabric;

/// Radius and height of the body [m].
const RADIUS: f64 = 0.12;
const HEIGHT: f64 = 0.6;

/// A closed cylinder from y = 0 upwards.
fn cylinder(radius: f64) -> TriMesh {
    let (around, up) = (180, 30);
    let mut mesh = TriMesh::default();
    for j in 0..=up {
        for i in 0..around {
            let (sin, cos) = libm::sincos(TAU * f64::from(i) / f64::from(around));
            let y = HEIGHT * f64::from(j) / f64::from(up);
            mesh.positions.push(DVec3::new(radius * sin, y, radius * cos));
        }
    }
    let at = |i: u32, j: u32| j * 180 + i % 180;
    for j in 0..30 {
        for i in 0..180 {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    for (y, turn) in [(0.0, false), (HEIGHT, true)] {
        let centre = mesh.positions.len() as u32;
        mesh.positions.push(DVec3::Y * y);
        for i in 0..180 {
            let j = if turn { 30 } else { 0 };
            let (a, b) = (at(i, j), at(i + 1, j));
            mesh.triangles.push(if turn { [a, b, centre] } else { [b, a, centre] });
        }
    }
    mesh
}

/// A rectangle sewn to a tube.
fn tube(girth: f64, height: f64) -> (Pattern, PatternMesh) {
    let c = [[0.0, 0.0], [girth, 0.0], [girth, height], [0.0, height]].map(glam::DVec2::from);
    let names = ["bottom", "end", "top", "start"];
    let edges = (0..4).map(|i| Edge::line(names[i], c[i], c[(i + 1) % 4])).collect();
    let mut pattern = Pattern::new("tube");
    pattern.panels.push(Panel::new("tube", edges).with_placement(BodyPart::Torso, Side::Around));
    let part = |edge: &str| EdgePart::new("tube", edge);
    pattern.seams.push(Seam::new("back", part("end"), part("start")));
    let mesh = meshing::mesh(&pattern, 0.01).unwrap();
    (pattern, mesh)
}

/// The tube around a cylinder of a radius, stretched as that asks for, beginning at a height and `long` times as long.
/// The ends of the seam stay `open` apart [m].
fn bent(mesh: &PatternMesh, girth: f64, radius: f64, long: f64, open: f64) -> TriMesh {
    mesh.joined(|_, p| {
        let (sin, cos) = libm::sincos(p.x / girth * (TAU - open / radius));
        DVec3::new(radius * sin, 0.15 + long * p.y, radius * cos)
    })
}

fn waist(radius: f64) -> Vec<Tape> {
    let line = (0..180).map(|i| {
        let (sin, cos) = libm::sincos(TAU * f64::from(i) / 180.0);
        DVec3::new(radius * sin, 0.3, radius * cos)
    });
    let line: Vec<DVec3> = line.collect();
    let value = toile_body::length(&line, true);
    vec![Tape { name: "waist_girth", value, line, closed: true }]
}

fn knit() -> Fabric {
    Fabric { weft: 300.0, warp: 500.0, poisson: 0.3, shear: 80.0, ..Fabric::default() }
}

/// The fit of a cloth of knit around the cylinder.
fn fit(pattern: &Pattern, panels: &PatternMesh, cloth: &TriMesh) -> Result<Fit, Error> {
    let (body, tapes) = (&cylinder(RADIUS), &waist(RADIUS));
    let fabrics = &Fabrics::from(&knit());
    assess(&Worn { pattern, panels, cloth, fabrics, body, tapes })
}

fn fit_of(girth: f64, radius: f64, long: f64, open: f64) -> Fit {
    let (pattern, mesh) = tube(girth, 0.3);
    let cloth = bent(&mesh, girth, radius, long, open);
    fit(&pattern, &mesh, &cloth).unwrap()
}

#[test]
fn a_stretched_tube_has_its_strain_tension_and_pressure() {
    // 10 % around, 3 % shorter along, a hair above the body.
    let (radius, long) = (RADIUS + 4e-4, 0.97);
    let girth = TAU * radius / 1.1;
    let fit = fit_of(girth, radius, long, 0.0);
    let (e1, e2) = (0.5 * (1.1 * 1.1 - 1.0), 0.5 * (long * long - 1.0));
    let c12 = 0.3 * (300.0 * 500.0_f64).sqrt();
    // Force around the tube per present height: S11 λ1/λ2.
    let pull = (300.0 * e1 + c12 * e2) * 1.1 / long;
    let s = &fit.summary;
    // Chords of 1 cm are shorter than their arcs by h²/24R² = 0.03 %.
    assert!((s.strain_weft.mean - 0.1).abs() < 1e-3, "{:?}", s.strain_weft);
    assert!((s.strain_warp.mean - (long - 1.0)).abs() < 1e-3, "{:?}", s.strain_warp);
    assert!(s.shear.p95 < 5e-3, "{:?}", s.shear);
    assert!((s.tension.mean / pull - 1.0).abs() < 0.02, "{:?} {pull}", s.tension);
    let wanted = 1e-3 * pull / radius;
    assert!((s.pressure.mean / wanted - 1.0).abs() < 0.04, "{:?} {wanted}", s.pressure);
    assert!(s.touching > 0.999 && s.gap.max < 1e-3, "{:?}", s.gap);
    assert!((fit.curvature * 2.0 * radius - 1.0).abs() < 0.1, "{}", fit.curvature);
}

#[test]
fn girth_ease_and_stretch_of_a_tight_tube_are_right_and_called_tight() {
    let radius = RADIUS + 4e-4;
    let girth = TAU * radius / 1.1;
    let fit = fit_of(girth, radius, 1.0, 0.0);
    let [waist] = &fit.girths[..] else { panic!("{:?}", fit.girths) };
    let body = TAU * RADIUS;
    assert!((waist.body - body).abs() < 1e-3 && waist.moved == 0.0);
    assert!((waist.garment - girth).abs() < 2e-3, "{} {girth}", waist.garment);
    assert!((waist.ease - (girth - body)).abs() < 3e-3, "{}", waist.ease);
    assert!((waist.stretch - 0.1).abs() < 2e-3 && waist.folds < 2e-3, "{waist:?}");
    let said = judge(&fit, &[]);
    assert_eq!((said[0].place.as_str(), said[0].word), ("waist", "tight"));
    assert!(said[0].text.starts_with("tight at waist: ease -6.6 cm, stretched 10"), "{said:?}");
}

#[test]
fn a_tube_larger_than_the_body_has_ease_and_a_gap_and_presses_on_nothing() {
    let radius = RADIUS + 0.02;
    let fit = fit_of(TAU * radius, radius, 1.0, 0.0);
    let waist = &fit.girths[0];
    assert!((waist.ease - TAU * 0.02).abs() < 3e-3, "{}", waist.ease);
    assert!((waist.gap - 0.02).abs() < 5e-4 && waist.pressure == 0.0, "{waist:?}");
    assert_eq!((fit.summary.touching, fit.summary.pressure.max), (0.0, 0.0));
    assert_eq!(judge(&fit, &[("waist_girth", 0.12)])[0].word, "good");
    assert_eq!(judge(&fit, &[("waist_girth", 0.05)])[0].word, "loose");
    // A design that says nothing of the waist lets it hang.
    let free = &judge(&fit, &[("bust_girth", 0.05)])[0];
    assert!(free.word == "free" && free.is_good());
}

#[test]
fn an_elastic_is_judged_by_its_own_length_and_not_by_the_cloth_it_gathers() {
    let radius = RADIUS + 0.02;
    let girth = TAU * radius;
    let judged = |ratio: f64, height: f64| {
        let (mut pattern, _) = tube(girth, height);
        let elastic = Elastic { edge: "top".into(), ratio, stiffness: Elastic::STIFFNESS };
        pattern.panels[0].elastics.push(elastic);
        let mesh = meshing::mesh(&pattern, 0.01).unwrap();
        let cloth = bent(&mesh, girth, radius, 1.0, 0.0);
        let fit = fit(&pattern, &mesh, &cloth).unwrap();
        (fit.girths[0].elastic, judge(&fit, &[]).remove(0))
    };
    // The tape lies at 0.3 m, the tube begins at 0.15 m.
    let (length, verdict) = judged(0.8, 0.16);
    assert!((length.unwrap() / (0.8 * girth) - 1.0).abs() < 1e-3, "{length:?}");
    assert!(
        verdict.word == "good" && verdict.text.contains("an elastic of 70.4 cm"),
        "{verdict:?}"
    );
    assert_eq!(judged(0.95, 0.16).1.word, "loose");
    // Far from the tape it holds nothing there.
    assert_eq!(judged(0.8, 0.3).0, None);
}

#[test]
fn a_waist_is_measured_where_the_garment_is_narrowest() {
    // A cone: narrower by 2 π 0.01 m at 0.02 m below the tape, where its waist is.
    let radius = RADIUS + 0.02;
    let (pattern, mesh) = tube(TAU * radius, 0.3);
    let flat = |p: glam::DVec3| p.y - 0.13;
    let mut cloth = bent(&mesh, TAU * radius, radius, 1.0, 0.0);
    let narrow = |y: f64| 1.0 - 0.5 * (1.0 - (flat(DVec3::Y * y).abs() / 0.05).min(1.0)) * 0.1;
    let mut narrowed = mesh.clone();
    for p in &mut narrowed.panels[0].mesh.positions {
        p.x *= narrow(p.y);
    }
    narrowed.panels[0].mesh.uv =
        narrowed.panels[0].mesh.positions.iter().map(|p| p.truncate()).collect();
    for p in &mut cloth.positions {
        let k = narrow(p.y - 0.15);
        (p.x, p.z) = (p.x * k, p.z * k);
    }
    let fit = fit(&pattern, &narrowed, &cloth).unwrap();
    let waist = &fit.girths[0];
    assert!((waist.moved + 0.02).abs() < 1e-9, "{waist:?}");
    assert!((waist.garment / (TAU * radius * 0.95) - 1.0).abs() < 5e-3, "{waist:?}");
    assert!(
        (waist.body - TAU * RADIUS).abs() < 1e-3,
        "the waist of the body, not what is below it"
    );
}

#[test]
fn a_seam_held_by_threads_is_measured_as_one_that_is_welded() {
    let radius = RADIUS + 4e-4;
    let girth = TAU * radius / 1.05;
    let [closed, open] = [0.0, 2e-3].map(|open| fit_of(girth, radius, 1.0, open));
    assert_eq!(closed.girths.len(), open.girths.len());
    assert!((closed.girths[0].garment - open.girths[0].garment).abs() < 1e-3);
    assert!((closed.girths[0].worn - open.girths[0].worn).abs() < 2e-3);
}

#[test]
fn folds_are_what_a_line_is_longer_than_the_tape_around_it() {
    let radius = RADIUS + 0.02;
    let (pattern, mesh) = tube(1.2, 0.3);
    let girth = 1.2;
    // Twelve waves of 1 cm around the body.
    let cloth = mesh.joined(|_, p| {
        let angle = p.x / girth * TAU;
        let (sin, cos) = libm::sincos(angle);
        let r = radius + 0.01 * libm::sin(12.0 * angle);
        DVec3::new(r * sin, 0.15 + p.y, r * cos)
    });
    let fit = fit(&pattern, &mesh, &cloth).unwrap();
    // The line by fine sampling, and a tape over its crests.
    let at = |k: u32| {
        let a = TAU * f64::from(k) / 20_000.0;
        let (sin, cos) = libm::sincos(a);
        (radius + 0.01 * libm::sin(12.0 * a)) * DVec3::new(sin, 0.0, cos)
    };
    let line: Vec<DVec3> = (0..20_000).map(at).collect();
    let tape = toile_body::Loop { points: line.clone() }.girth(DVec3::Y);
    let wanted = toile_body::length(&line, true) / tape - 1.0;
    let found = fit.girths[0].folds;
    assert!((found - wanted).abs() < 0.03 && wanted > 0.05, "{found} {wanted}");
    assert!(fit.curvature > 4.0 / (2.0 * radius), "{}", fit.curvature);
}

#[test]
fn a_panel_of_another_fabric_bears_what_that_does() {
    let girth = 1.2;
    let (mut pattern, mesh) = tube(girth, 0.3);
    let radius = 1.1 * girth / TAU;
    let cloth = bent(&mesh, girth, radius, 1.0, 0.0);
    let (body, tapes) = (cylinder(radius - 1e-4), waist(radius - 1e-4));
    let tension = |pattern: &Pattern, main: &Fabric| {
        let named = |_: &str| Ok::<_, std::convert::Infallible>(knit());
        let fabrics = &Fabrics::of_pattern(pattern, main, named).unwrap();
        let (panels, cloth, body, tapes) = (&mesh, &cloth, &body, &tapes);
        let worn = Worn { pattern, panels, cloth, fabrics, body, tapes };
        let summary = assess(&worn).unwrap().summary;
        (summary.tension.mean, summary.pressure.mean)
    };
    let (soft, wanted) = (tension(&pattern, &Fabric::default()), tension(&pattern, &knit()));
    pattern.panels[0].fabric = Some("knit".into());
    assert_eq!(tension(&pattern, &Fabric::default()), wanted);
    assert!(soft != wanted && wanted.1 > 0.0, "{soft:?} {wanted:?}");
}

#[test]
fn cloth_of_another_pattern_is_refused() {
    let (pattern, mesh) = tube(0.8, 0.3);
    let (_, other) = tube(0.6, 0.3);
    let cloth = bent(&other, 0.6, RADIUS, 1.0, 0.0);
    assert!(fit(&pattern, &mesh, &cloth).unwrap_err().to_string().contains("triangles"));
}
