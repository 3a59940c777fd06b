//! DXF in the dialects of CLO, Valentina and others.

use toile_pattern::design::Design;
use toile_pattern::dxf::{self, Graded, Options, from_dxf, to_dxf};
use toile_pattern::file::Unit;
use toile_pattern::{Figure, Measurements, Panel, Pattern, Size, meshing};

/// A file of sections, from lines `code value`.
fn dxf(blocks: &str, entities: &str) -> String {
    let pairs = format!(
        "0 SECTION\n2 BLOCKS\n{blocks}0 ENDSEC\n0 SECTION\n2 ENTITIES\n{entities}0 ENDSEC\n0 EOF\n"
    );
    pairs.lines().map(|l| l.replacen(' ', "\n", 1) + "\n").collect()
}

fn polyline(layer: u32, closed: bool, points: &[[f64; 2]]) -> String {
    let vertices: String =
        points.iter().map(|[x, y]| format!("0 VERTEX\n8 {layer}\n10 {x}\n20 {y}\n")).collect();
    format!("0 POLYLINE\n8 {layer}\n66 1\n70 {}\n{vertices}0 SEQEND\n", u8::from(closed))
}

fn point(layer: u32, [x, y]: [f64; 2]) -> String {
    format!("0 POINT\n8 {layer}\n10 {x}\n20 {y}\n")
}

fn text(text: &str) -> String {
    format!("0 TEXT\n8 1\n10 0\n20 0\n1 {text}\n")
}

fn block(name: &str, inside: &str) -> String {
    format!("0 BLOCK\n8 1\n2 {name}\n70 64\n10 0\n20 0\n{inside}0 ENDBLK\n")
}

/// A half front of 200 × 300 mm with a curved side, as CLO writes it.
fn front(size: &str, width: f64) -> String {
    let mut outline = vec![[0.0, 0.0], [width, 0.0]];
    let mut marks: String =
        [[0.0, 0.0], [width, 0.0], [width, 300.0], [0.0, 300.0]].map(|p| point(2, p)).concat();
    for i in 1..20 {
        let y = 15.0 * f64::from(i);
        let p = [width + 0.001 * y * (300.0 - y), y];
        outline.push(p);
        marks += &point(3, p);
    }
    outline.extend([[width, 300.0], [0.0, 300.0]]);
    let texts = ["PIECE NAME: front".into(), format!("SIZE: {size}"), "QUANTITY: 1".into()];
    let inside = texts.map(|t| text(&t)).concat()
        + &polyline(1, true, &outline)
        + &marks
        + &point(4, [100.0, 300.0])
        + "0 LINE\n8 7\n10 50\n20 50\n11 50\n21 250\n"
        + &polyline(84, true, &[[0.0, 0.0], [width, 0.0], [width, 300.0], [0.0, 300.0]]);
    block(&format!("front_{size}"), &inside)
}

fn read(text: &str) -> Pattern {
    from_dxf(text, "f", &Options::default()).expect("a good file")
}

#[test]
fn a_piece_of_clo_has_its_corners_curves_notches_and_grain() {
    let pattern = read(&dxf(&front("M", 200.0), &text("UNITS: METRIC")));
    let panel = &pattern.panels[0];
    assert_eq!((panel.name.as_str(), panel.edges.len()), ("front", 4));
    assert_eq!(panel.edges.iter().filter(|e| e.is_straight()).count(), 3);
    // The area of the rectangle and of the parabola on it.
    let wanted = 0.2 * 0.3 + 2.0 / 3.0 * 0.0225 * 0.3;
    assert!((panel.signed_area() - wanted).abs() < 2e-5, "{}", panel.signed_area());
    let notch = &panel.notches[0];
    let edge = panel.edge(&notch.edge).unwrap();
    assert!(edge.at(notch.at * edge.length()).distance(glam::DVec2::new(0.1, 0.3)) < 1e-6);
    assert!((panel.grain.y.abs() - 1.0).abs() < 1e-9);
    assert!(meshing::mesh(&pattern, 0.03).is_ok());
}

#[test]
fn a_size_is_chosen_from_a_nest() {
    let blocks = front("S", 190.0) + &front("M", 200.0) + &front("L", 210.0);
    let nest = |sample: &str| dxf(&blocks, &(text("UNITS: METRIC") + &text(sample)));
    let width = |p: &Pattern| {
        let edges = p.panels[0].edges.iter().filter(|e| e.is_straight());
        (1e3 * edges.map(|e| (e.to.x - e.from.x).abs()).fold(0.0, f64::max)).round()
    };
    assert_eq!(width(&read(&nest("SAMPLE SIZE: L"))), 210.0);
    let of = |size: &str| Options { size: Some(size.into()), unit: None };
    assert_eq!(width(&from_dxf(&nest("SAMPLE SIZE: L"), "f", &of("s")).unwrap()), 190.0);
    let error = from_dxf(&nest("x"), "f", &of("XXL")).unwrap_err().to_string();
    assert!(error.contains("S, M, L"), "{error}");
    let error = from_dxf(&nest("x"), "f", &Options::default()).unwrap_err().to_string();
    assert!(error.contains("S, M, L") && error.contains("--size"), "{error}");
    assert_eq!(dxf::sizes(&nest("x"), "f").unwrap(), ["S", "M", "L"]);
}

#[test]
fn the_contour_of_valentina_inside_its_allowance_is_the_sewing_line() {
    let inside =
        polyline(1, false, &[[0.0, 0.0], [220.0, 0.0], [220.0, 320.0], [0.0, 320.0], [0.0, 0.0]])
            + &polyline(
                8,
                false,
                &[[10.0, 10.0], [210.0, 10.0], [210.0, 310.0], [10.0, 310.0], [10.0, 10.0]],
            );
    let panel = &read(&dxf(&block("BACK", &inside), "")).panels[0];
    assert!((panel.signed_area() - 0.06).abs() < 1e-9);
    assert!((panel.allowance - 0.01).abs() < 1e-9);
    assert_eq!(panel.edges.len(), 4);
}

#[test]
fn sewing_lines_in_parts_holes_and_pairs_are_read() {
    let inside = text("QUANTITY: 2")
        + &polyline(1, true, &[[0.0, 0.0], [220.0, 0.0], [220.0, 320.0], [0.0, 320.0]])
        + "0 LINE\n8 14\n10 10\n20 10\n11 210\n21 10\n"
        + "0 LINE\n8 14\n10 210\n20 310\n11 210\n21 10\n"
        + &polyline(14, false, &[[210.0, 310.0], [10.0, 310.0], [10.0, 10.0]])
        + "0 CIRCLE\n8 11\n10 100\n20 100\n40 20\n";
    let pattern = read(&dxf(&block("pocket", &inside), ""));
    let names: Vec<&str> = pattern.panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["pocket", "pocket-mirrored"]);
    assert!((pattern.panels[0].signed_area() - 0.06).abs() < 1e-9);
    assert_eq!(pattern.panels[0].holes.len(), 1);
    assert!(pattern.check().is_usable(), "{}", pattern.check());
}

#[test]
fn a_half_piece_is_unfolded_at_its_mirror_line() {
    let inside = polyline(1, true, &[[0.0, 0.0], [200.0, 0.0], [150.0, 300.0], [0.0, 300.0]])
        + "0 LINE\n8 6\n10 0\n20 0\n11 0\n21 300\n";
    let panel = &read(&dxf(&block("yoke", &inside), "")).panels[0];
    assert_eq!(panel.edges.len(), 6);
    assert!((panel.signed_area() - 2.0 * 0.5 * (0.2 + 0.15) * 0.3).abs() < 1e-9);
}

#[test]
fn light_polylines_have_arcs_and_insertions_move_and_mirror() {
    let half = "0 LWPOLYLINE\n8 1\n90 4\n70 1\n10 0\n20 0\n10 200\n20 0\n42 1\n10 200\n20 200\n10 0\n20 200\n";
    let insert = "0 INSERT\n8 1\n2 cuff\n10 500\n20 0\n41 -1\n42 1\n";
    let pattern =
        read(&dxf(&block("cuff", half), &format!("0 INSERT\n8 1\n2 cuff\n10 0\n20 0\n{insert}")));
    assert_eq!(pattern.panels.len(), 2);
    for panel in &pattern.panels {
        let wanted = 0.04 + 0.5 * std::f64::consts::PI * 0.01;
        assert!((panel.signed_area() - wanted).abs() < 3e-5, "{}", panel.signed_area());
    }
    let least = |p: &Panel| p.polygon(1e-3).iter().map(|q| q.x).fold(f64::MAX, f64::min);
    assert!((least(&pattern.panels[1]) - 0.2).abs() < 1e-6);
}

#[test]
fn units_are_stated_or_likely_or_asked_for() {
    let square = |s: f64| block("p", &polyline(1, true, &[[0.0, 0.0], [s, 0.0], [s, s], [0.0, s]]));
    let area = |text: &str, options: &Options| {
        from_dxf(text, "f", options).map(|p| (1e4 * p.panels[0].signed_area()).round())
    };
    let none = Options::default();
    assert_eq!(area(&dxf(&square(10.0), &text("UNITS: ENGLISH")), &none).unwrap(), 645.0);
    assert_eq!(area(&dxf(&square(200.0), &text("UNITS: METRIC")), &none).unwrap(), 400.0);
    assert_eq!(area(&dxf(&square(200.0), ""), &none).unwrap(), 400.0);
    assert_eq!(area(&dxf(&square(40.0), ""), &none).unwrap(), 1600.0);
    let inch = Options { unit: Some(Unit::In), size: None };
    assert_eq!(area(&dxf(&square(10.0), ""), &inch).unwrap(), 645.0);
    let error = area(&dxf(&square(0.01), ""), &none).unwrap_err().to_string();
    assert!(error.contains("--unit"), "{error}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let open = block("p", &polyline(1, false, &[[0.0, 0.0], [200.0, 0.0], [200.0, 200.0]]));
    let spline = block("q", "0 SPLINE\n8 1\n10 0\n20 0\n");
    let deep = block("a", "0 INSERT\n8 1\n2 a\n10 0\n20 0\n");
    for (text, words) in [
        (dxf(&open, ""), "piece `p`: its outline on layer 1 is not closed"),
        (dxf(&spline, &text("UNITS: METRIC")), "outline is a SPLINE"),
        (dxf(&deep, ""), "no piece"),
        (dxf("", ""), "no piece"),
        ("hello\nworld\n".into(), "line 1: `hello` is not the code of a group"),
        ("0\nEOF\n".into(), "no section"),
        (dxf(&open.replacen("10 200", "10 nan", 1), ""), "`nan` is not a number"),
    ] {
        let error =
            from_dxf(&text, "f.dxf", &Options::default()).expect_err("a bad file").to_string();
        assert!(error.starts_with("f.dxf: ") && error.contains(words), "{error}");
    }
}

#[test]
fn blocks_that_multiply_are_refused_in_bounded_time() {
    // Ten blocks, each with ten times the one before: ten billion lines.
    let mut blocks =
        block("b0", &polyline(1, true, &[[0.0, 0.0], [9.0, 0.0], [9.0, 9.0]]).repeat(10));
    for k in 1..10 {
        let inside = format!("0 INSERT\n8 1\n2 b{}\n10 0\n20 0\n", k - 1).repeat(10);
        blocks += &block(&format!("b{k}"), &inside);
    }
    let error = from_dxf(&dxf(&blocks, ""), "f", &Options::default()).unwrap_err().to_string();
    assert!(error.contains("entities") || error.contains("deep"), "{error}");
    let many = polyline(1, true, &vec![[1.0, 2.0]; 30_000]);
    let error = from_dxf(&dxf(&block("p", &many), ""), "f", &Options::default()).unwrap_err();
    assert!(error.to_string().contains("points"), "{error}");
}

#[test]
fn what_is_written_is_read_again() {
    for design in Design::all() {
        let sizes = [Size::S, Size::L].map(|size| Graded {
            size: size.name().into(),
            pattern: design.draft(&Measurements::of(Figure::Female, size)),
        });
        let text = to_dxf(&sizes);
        for graded in &sizes {
            let options = Options { size: Some(graded.size.clone()), unit: None };
            let again = from_dxf(&text, "again", &options).expect("its own file");
            assert_eq!(again.panels.len(), graded.pattern.panels.len());
            for (a, b) in again.panels.iter().zip(&graded.pattern.panels) {
                same(a, b);
            }
        }
    }
}

/// What DXF keeps of a panel.
fn same(a: &Panel, b: &Panel) {
    assert_eq!(a.name, b.name);
    // Darts at edges are wedges of the outline now.
    let rings = b.loops();
    let opened: f64 = {
        let edges: Vec<_> = rings[0].iter().map(|s| s.edge.clone()).collect();
        Panel::new("", edges).signed_area()
    };
    assert!(
        (a.signed_area() / opened - 1.0).abs() < 1e-3,
        "{} {} {opened} {:?}",
        a.name,
        a.signed_area(),
        a.edges
    );
    assert!((a.grain - b.grain).length() < 1e-9);
    assert!((a.allowance - b.allowance).abs() < 1e-4, "{} {}", a.name, a.allowance);
    assert_eq!(a.notches.len(), b.notches.len(), "{}", a.name);
    let at = |p: &Panel, k: usize| {
        let edge = p.edge(&p.notches[k].edge).expect("its edge");
        edge.at(p.notches[k].at * edge.length())
    };
    for k in 0..a.notches.len() {
        assert!(at(a, k).distance(at(b, k)) < 5e-4, "{} {} {}", a.name, at(a, k), at(b, k));
    }
}

/// Real files, if the folder with them is named by the environment.
#[test]
fn real_files_are_read_and_mesh() {
    let Ok(folder) = std::env::var("TOILE_PATTERNS") else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "dxf") {
            continue;
        }
        seen += 1;
        let pattern = toile_pattern::file::read(&path).expect("read");
        assert!(pattern.check().is_usable(), "{}: {}", path.display(), pattern.check());
        assert!(meshing::mesh(&pattern, 0.015).is_ok());
    }
    assert!(seen > 0, "no files there");
}
