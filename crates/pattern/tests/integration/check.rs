//! Bad patterns are refused with the panel and edge named, and drawn with the fault marked.

use glam::DVec2;
use toile_pattern::{
    Check, Curve, Dart, DartShape, Edge, EdgePart, Elastic, Kind, Notch, Panel, Path, Pattern,
    Seam, Severity, svg,
};

fn v(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

fn rectangle(name: &str, width: f64, height: f64) -> Panel {
    let c = [v(0.0, 0.0), v(width, 0.0), v(width, height), v(0.0, height)];
    let names = ["south", "east", "north", "west"];
    let edges = (0..4).map(|i| Edge::line(names[i], c[i], c[(i + 1) % 4])).collect();
    Panel::new(name, edges)
}

fn pair() -> Pattern {
    let mut pattern = Pattern::new("pair");
    pattern.panels = vec![rectangle("front", 0.4, 0.6), rectangle("back", 0.4, 0.6)];
    let part = |p: &str, e: &str| EdgePart::new(p, e);
    pattern.seams = vec![
        Seam::new("left", part("front", "west"), part("back", "east")),
        Seam::new("right", part("front", "east"), part("back", "west")),
    ];
    pattern
}

/// The one error of a pattern, whose message names what is wanted; the drawing shows it.
fn only(pattern: &Pattern, kind: Kind, panel: &str, edge: &str) -> Check {
    let check = pattern.check();
    assert!(!check.is_usable(), "{kind:?} was not found");
    let fault = check.errors().next().expect("an error");
    assert_eq!(fault.kind, kind, "{check}");
    assert_eq!(fault.panel.as_deref(), Some(panel), "{check}");
    if !edge.is_empty() {
        assert_eq!(fault.edge.as_deref(), Some(edge), "{check}");
    }
    assert!(!fault.remedy.is_empty());
    let drawing = svg::draw(pattern, &check, svg::Options::default());
    assert!(drawing.contains("#e00000"), "{kind:?} is not drawn");
    assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{kind:?}");
    assert!(pattern.checked().is_err());
    check
}

#[test]
fn a_sound_pattern_has_no_faults() {
    assert!(pair().check().is_clean(), "{:?}", pair().check());
    assert!(!svg::draw(&pair(), &pair().check(), svg::Options::default()).contains("#e00000"));
}

#[test]
fn an_open_outline_is_refused() {
    let mut p = pair();
    p.panels[0].edges[3].to = v(0.01, 0.0);
    only(&p, Kind::OpenOutline, "front", "west");
}

#[test]
fn a_self_crossing_edge_is_refused() {
    let mut p = pair();
    p.panels[1].edges[2].curve = Curve::Quadratic { control: v(0.2, -0.9) };
    let check = only(&p, Kind::SelfCrossing, "back", "south");
    assert!(check.errors().next().expect("one").message.contains("`north`"), "{check}");
    let mut p = pair();
    p.panels[0].edges[0].curve = Curve::Cubic { controls: [v(1.2, -0.3), v(-0.8, -0.3)] };
    let check = only(&p, Kind::SelfCrossing, "front", "south");
    assert!(check.errors().next().expect("one").message.contains("itself"), "{check}");
}

#[test]
fn an_edge_without_length_is_refused() {
    let mut p = pair();
    let corner = v(0.4, 0.0);
    p.panels[0].edges.insert(1, Edge::line("nothing", corner, corner));
    only(&p, Kind::ZeroEdge, "front", "nothing");
}

#[test]
fn a_seam_to_nowhere_is_refused_with_a_suggestion() {
    let mut p = pair();
    p.seams[0].b[0].panel = "bakc".into();
    let check = only_seam(&p, Kind::MissingPanel);
    assert!(check.to_string().contains("did you mean `back`"), "{check}");
    let mut p = pair();
    p.seams[0].b[0].edge = "eats".into();
    let check = only(&p, Kind::MissingEdge, "back", "eats");
    assert!(check.to_string().contains("did you mean `east`"), "{check}");
    let mut p = pair();
    p.seams[0].b[0].range = [0.5, 0.2];
    only(&p, Kind::Range, "back", "east");
}

fn only_seam(pattern: &Pattern, kind: Kind) -> Check {
    let check = pattern.check();
    assert_eq!(check.errors().next().map(|f| f.kind), Some(kind), "{check}");
    check
}

#[test]
fn sides_too_unequal_are_refused_and_unstated_ease_is_said() {
    let mut p = pair();
    p.seams[0].b[0].range = [0.0, 0.05];
    only(&p, Kind::Ratio, "front", "west");
    p.seams[0].b[0].range = [0.0, 0.8];
    let check = p.check();
    assert!(check.is_usable());
    let kinds: Vec<Kind> = check.warnings().map(|f| f.kind).collect();
    assert_eq!(kinds, [Kind::Unstated]);
    p.seams[0].gather = 1.25;
    assert!(p.check().is_clean(), "{:?}", p.check());
    // A ruffle of three times the length is no mistake when the pattern says so.
    (p.seams[0].gather, p.seams[0].b[0].range) = (3.0, [0.0, 1.0 / 3.0]);
    assert!(p.check().is_clean(), "{:?}", p.check());
    p.seams[0].gather = 30.0;
    only(&p, Kind::Ratio, "front", "west");
}

#[test]
fn a_panel_larger_than_any_body_is_refused() {
    let mut p = pair();
    p.panels[1] = rectangle("back", 40.0, 60.0);
    only(&p, Kind::TooLarge, "back", "");
}

#[test]
fn numbers_that_are_none_are_refused() {
    let mut p = pair();
    p.panels[0].edges[1].to.x = f64::NAN;
    only(&p, Kind::NotFinite, "front", "east");
    let mut p = pair();
    p.panels[0].edges[1].curve = Curve::Arc { bulge: f64::INFINITY };
    only(&p, Kind::NotFinite, "front", "east");
}

#[test]
fn a_dart_beyond_the_outline_is_refused() {
    let dart = |at: f64, width: f64, tip: DVec2| {
        let mut p = pair();
        let shape = DartShape::Open { edge: "north".into(), at, width, tip };
        p.panels[0].darts.push(Dart { name: "waist".into(), shape });
        p
    };
    assert!(dart(0.5, 0.03, v(0.2, 0.45)).check().is_usable());
    only(&dart(0.5, 0.03, v(0.2, -0.1)), Kind::Dart, "front", "waist");
    only(&dart(0.01, 0.1, v(0.3, 0.5)), Kind::Dart, "front", "north");
    let mut crossing = dart(0.5, 0.03, v(0.2, 0.45));
    crossing.panels[0].holes.push(Path {
        name: "hole".into(),
        edges: vec![
            Edge::line("1", v(0.1, 0.5), v(0.3, 0.5)),
            Edge::line("2", v(0.3, 0.5), v(0.3, 0.52)),
            Edge::line("3", v(0.3, 0.52), v(0.1, 0.5)),
        ],
    });
    only(&crossing, Kind::Dart, "front", "waist");
}

#[test]
fn a_hole_outside_is_refused() {
    let mut p = pair();
    let c = [v(0.3, 0.3), v(0.5, 0.3), v(0.5, 0.4)];
    let edges = (0..3).map(|i| Edge::line(i.to_string(), c[i], c[(i + 1) % 3])).collect();
    p.panels[0].holes.push(Path { name: "eye".into(), edges });
    only(&p, Kind::Outside, "front", "eye");
}

#[test]
fn a_clockwise_outline_a_stray_notch_and_equal_names_are_refused() {
    let mut p = pair();
    p.panels[0].edges = p.panels[0].edges.iter().rev().map(Edge::reversed).collect();
    only(&p, Kind::Clockwise, "front", "");
    let mut p = pair();
    p.panels[0].notches.push(Notch { edge: "east".into(), at: 1.5, label: String::new() });
    only(&p, Kind::Notch, "front", "east");
    let mut p = pair();
    p.panels[0].edges[2].name = "south".into();
    only_seam(&p, Kind::SameName);
    assert!(!Pattern::new("empty").check().is_usable());
}

#[test]
fn an_elastic_that_cannot_be_sewn_on_is_refused() {
    let elastic = |edge: &str, ratio, stiffness| Elastic { edge: edge.into(), ratio, stiffness };
    for (bad, kind) in [
        (elastic("nowhere", 0.8, 20.0), Kind::Elastic),
        (elastic("east", 1.3, 20.0), Kind::Elastic),
        (elastic("east", 0.1, 20.0), Kind::Elastic),
        (elastic("east", 0.8, 0.0), Kind::Elastic),
        (elastic("east", f64::NAN, 20.0), Kind::NotFinite),
    ] {
        let mut p = pair();
        let edge = bad.edge.clone();
        p.panels[0].elastics.push(bad);
        only(&p, kind, "front", &edge);
    }
    let mut p = pair();
    p.panels[0].elastics.push(elastic("east", 0.8, 20.0));
    assert!(p.check().is_usable());
}

#[test]
fn an_edge_sewn_to_itself_is_refused_but_may_be_closed_upon_itself() {
    let mut p = pair();
    p.seams[0].b = p.seams[0].a.clone();
    let check = p.check();
    let fault = check.errors().next().expect("a fault");
    assert_eq!(fault.kind, Kind::SewnTwice);
    assert!(fault.remedy.contains("[0.5, 1]") && !fault.marks.is_empty(), "{fault}");
    p.seams[0].a[0].range = [0.0, 0.6];
    p.seams[0].b[0].range = [0.4, 1.0];
    assert!(!p.check().is_usable());
    p.seams[0].a[0].range = [0.0, 0.5];
    p.seams[0].b[0].range = [0.5, 1.0];
    assert!(p.check().is_usable(), "{:?}", p.check());
    // Two seams of one name are two seams: a warning.
    let mut p = pair();
    let again = p.seams[0].clone();
    p.seams.push(again);
    assert!(p.check().is_usable(), "{:?}", p.check());
}

#[test]
fn allowances_places_and_arcs_that_cannot_be_are_refused() {
    for width in [-0.05, 1e300] {
        let mut p = pair();
        p.panels[0].allowance = width;
        only(&p, Kind::Allowance, "front", "");
    }
    let mut p = pair();
    p.panels[0].allowance = f64::NAN;
    only(&p, Kind::NotFinite, "front", "");
    for (x, kind) in [(f64::NAN, Kind::NotFinite), (1e9, Kind::Placement)] {
        let mut p = pair();
        let translation = glam::DVec3::new(x, 0.0, 0.0);
        let frame = toile_pattern::Frame { translation, rotation: glam::DQuat::IDENTITY };
        p.panels[0].placement.frame = Some(frame);
        only(&p, kind, "front", "");
    }
    // The point of the arc is beyond the end of its edge.
    let mut p = pair();
    let [from, to] = [p.panels[0].edges[0].from, p.panels[0].edges[0].to];
    p.panels[0].edges[0] = Edge::arc_through("south", from, 2.0 * to - from, to);
    only(&p, Kind::Arc, "front", "south");
    // Absurd numbers are told in a few digits.
    let mut p = pair();
    p.panels[0].edges[0].to.x = 1e300;
    p.panels[0].edges[1].from.x = 1e300;
    assert!(p.check().errors().all(|f| f.to_string().len() < 200), "{}", p.check());
}

#[test]
fn all_faults_are_listed() {
    let mut p = pair();
    p.panels[0].edges[3].to = v(0.01, 0.0);
    p.panels[1].edges[2].curve = Curve::Quadratic { control: v(0.2, -0.9) };
    p.seams[0].b[0].edge = "nowhere".into();
    p.seams[1].a[0].panel = "nobody".into();
    let kinds: Vec<Kind> = p.check().errors().map(|f| f.kind).collect();
    for kind in [Kind::OpenOutline, Kind::SelfCrossing, Kind::MissingEdge, Kind::MissingPanel] {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }
}

#[test]
fn what_is_sewn_twice_or_not_at_all_is_worth_a_word() {
    let mut p = pair();
    p.seams.push(Seam::new(
        "again",
        EdgePart::new("front", "west"),
        EdgePart::new("back", "north"),
    ));
    p.seams[2].gather = 1.5;
    p.panels.push(rectangle("loose", 0.1, 0.1));
    let check = p.check();
    assert!(check.is_usable());
    let kinds: Vec<Kind> = check.faults.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [Kind::SewnTwice, Kind::Loose]);
    assert!(check.faults.iter().all(|f| f.severity == Severity::Warning));
}

#[test]
fn a_panel_of_too_many_pieces_is_refused_instead_of_compared() {
    // 4000 curves that all overlap: comparing their pieces would take 10¹² tests.
    let mut p = pair();
    let n = 3990;
    p.panels[0].edges = (0..n)
        .map(|i| {
            let y = |i: usize| 1e-4 * (i % n) as f64;
            Edge::cubic(
                format!("{i}"),
                v(0.0, y(i)),
                [v(3.0, y(i)), v(-3.0, y(i))],
                v(0.0, y(i + 1)),
            )
        })
        .collect();
    let check = p.check();
    let message = check.errors().next().expect("refused").to_string();
    assert!(message.contains("pieces; 20000 is the most"), "{message}");
    p.panels[0].edges.truncate(4);
    p.panels[0].notches = vec![Notch { edge: "0".into(), at: 0.5, label: String::new() }; 4001];
    let message = p.check().errors().next().expect("refused").to_string();
    assert!(message.contains("4005 edges, darts and marks"), "{message}");
}

#[test]
fn a_drawing_has_only_finite_numbers_whatever_the_pattern() {
    // Found by fuzzing: tips and holes at infinity became parts of the outline.
    let mut p = pair();
    let tips = [v(f64::NAN, 0.2), v(0.1, f64::INFINITY)];
    p.panels[0].darts =
        vec![Dart { name: "d".into(), shape: DartShape::Double { tips, width: 0.02 } }];
    let tip = v(f64::INFINITY, 0.0);
    let shape = DartShape::Open { edge: "south".into(), at: 0.5, width: 0.02, tip };
    p.panels[1].darts = vec![Dart { name: "o".into(), shape }];
    let edges = vec![Edge::line("h", v(0.1, f64::NAN), v(0.2, 0.2))];
    p.panels[1].holes = vec![Path { name: "hole".into(), edges }];
    p.panels[0].notches = vec![Notch { edge: "south".into(), at: f64::NAN, label: String::new() }];
    let drawing = svg::draw(&p, &p.check(), svg::Options::default());
    // Attributes stand between quotation marks.
    let mut attributes = drawing.split('"').skip(1).step_by(2);
    let bad = attributes.find(|a| a.contains("NaN") || a.contains("inf"));
    assert_eq!(bad, None);
    assert!(drawing.matches("evenodd").count() == 2, "both outlines are drawn");
}

#[test]
fn an_error_lists_some_faults_and_counts_the_rest() {
    let mut p = pair();
    p.panels[0].notches =
        vec![Notch { edge: "nowhere".into(), at: 0.5, label: String::new() }; 500];
    let message = p.checked().unwrap_err().to_string();
    assert!(message.contains("500 faults") && message.ends_with("and 480 more"), "{message}");
    assert!(message.lines().count() == 22);
}
