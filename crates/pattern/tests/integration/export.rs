//! Patterns printed and written for other programs.

use glam::DVec2;
use toile_pattern::design::Design;
use toile_pattern::export::{Graded, Options, Paper, garmentcode, pdf, single, svg};
use toile_pattern::{Figure, Measurements, Panel, Pattern, Size, file};

/// Points of PDF in a metre.
const POINTS: f64 = 72.0 / 0.0254;

fn draft(name: &str, size: Size) -> Pattern {
    Design::find(name).unwrap().draft(&Measurements::of(Figure::Female, size))
}

/// The content of each page of a PDF, found by its table of objects as a viewer would.
fn pages(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let start: usize =
        text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
    // Bytes, since the header has some that are not text.
    let table = std::str::from_utf8(&bytes[start..]).expect("a table");
    let offsets: Vec<usize> = table
        .lines()
        .skip(3)
        .take_while(|l| l.ends_with(" n "))
        .map(|l| l[..10].parse().expect("an offset"))
        .collect();
    let mut found = Vec::new();
    for (k, offset) in offsets.iter().enumerate() {
        let object = std::str::from_utf8(&bytes[*offset..]).expect("text");
        assert!(object.starts_with(&format!("{} 0 obj\n", k + 1)), "object {}", k + 1);
        let object = object.split("endobj").next().unwrap();
        if let Some((head, stream)) = object.split_once("stream\n") {
            let length: usize =
                head.split("/Length ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
            let content = stream.split("\nendstream").next().unwrap();
            assert_eq!(length, content.len() + 1);
            found.push(content.to_owned());
        }
    }
    found
}

/// All points of lines of a page [m], in its lower left frame.
fn points(page: &str) -> Vec<DVec2> {
    let point = |line: &str| {
        let mut words = line.split(' ');
        let (x, y, op) = (words.next()?, words.next()?, words.next()?);
        matches!(op, "m" | "l").then_some(())?;
        Some(DVec2::new(x.parse().ok()?, y.parse().ok()?) / POINTS)
    };
    page.lines().filter_map(point).collect()
}

#[test]
fn the_tiles_of_a_pdf_put_together_are_the_pieces_to_half_a_millimetre() {
    for (paper, margin) in [(Paper::A4, 0.01), (Paper::Letter, 0.01)] {
        let pattern = draft("tshirt", Size::M);
        let options = Options { paper, allowance: 0.0 };
        let all = pages(&pdf::to_pdf(&single(&pattern), &options).expect("a print"));
        assert!(all.len() > 10, "{}", all.len());
        let tile = DVec2::from(paper.size()) * 1e-3 - 2.0 * DVec2::splat(margin);
        // Each page says its row and column in its title.
        let mut drawn: Vec<DVec2> = Vec::new();
        for page in &all[1..] {
            let title = page.lines().find(|l| l.contains("/F2 11.34 Tf")).expect("a title");
            let name = title.split('(').nth(1).unwrap().split(' ').next().unwrap();
            let row = f64::from(name.as_bytes()[0] - b'A');
            let column: f64 = name[1..].parse::<f64>().unwrap() - 1.0;
            let corner = DVec2::new(column * tile.x, -(row + 1.0) * tile.y);
            drawn.extend(points(page).into_iter().map(|p| p - margin + corner));
        }
        for panel in &pattern.panels {
            assert_drawn(panel, &drawn);
        }
        // The test square is 50 mm wide.
        let square = points(&all[0]);
        let side = (0..square.len() - 1).map(|k| square[k].distance(square[k + 1]));
        assert!(side.into_iter().any(|s| (s - 0.05).abs() < 1e-5));
    }
}

/// Whether the sewing line of a panel is among the points, somewhere on the sheet.
fn assert_drawn(panel: &Panel, drawn: &[DVec2]) {
    let outline = panel.polygon(5e-5);
    let near = |p: DVec2| drawn.iter().any(|q| q.distance(p) < 5e-4);
    let places = drawn.iter().map(|q| *q - outline[0]);
    let fits = |shift: &DVec2| outline.iter().all(|p| near(*p + *shift));
    let mut tried = places
        .filter(|s| near(outline[outline.len() / 2] + *s) && near(outline[outline.len() / 3] + *s));
    assert!(tried.any(|s| fits(&s)), "{} is not printed in true scale", panel.name);
}

#[test]
fn a_nest_has_all_sizes_each_with_its_line() {
    let sizes: Vec<Graded> = Size::ALL
        .into_iter()
        .map(|size| Graded { size: size.name().into(), pattern: draft("skirt", size) })
        .collect();
    let sheet = svg::to_svg(&sizes, &Options::default());
    assert_eq!(sheet.matches("class=\"cut\"").count(), 6 * sizes[0].pattern.panels.len());
    assert_eq!(sheet.matches("class=\"legend\"").count(), 6);
    let print = pages(&pdf::to_pdf(&sizes, &Options::default()).expect("a print"));
    assert!(print[0].contains("(XS)") && print[0].contains("(XXL)"));
}

#[test]
fn a_sheet_of_svg_is_read_again() {
    for name in ["tshirt", "trousers", "circle-skirt"] {
        let pattern = draft(name, Size::M);
        let text = svg::to_svg(&single(&pattern), &Options::default());
        let again = toile_pattern::svg::from_svg(&text, "again", None).expect("its own sheet");
        assert_eq!(again.panels.len(), pattern.panels.len(), "{name}");
        for panel in &pattern.panels {
            let read = again.panel(&panel.name).unwrap_or_else(|| panic!("{name} {}", panel.name));
            assert!(
                (read.allowance - panel.allowance).abs() < 5e-4,
                "{name} {} {}",
                panel.name,
                read.allowance
            );
            assert_eq!(read.notches.len(), panel.notches.len(), "{name} {}", panel.name);
            assert!((read.grain - panel.grain).length() < 1e-6);
            let rings = panel.loops();
            let opened = Panel::new("", rings[0].iter().map(|s| s.edge.clone()).collect());
            let ratio = read.signed_area() / opened.signed_area();
            assert!((ratio - 1.0).abs() < 2e-3, "{name} {} {ratio}", panel.name);
        }
    }
}

#[test]
fn garmentcode_reads_what_is_written_for_it() {
    for design in Design::all() {
        let pattern = design.draft(&Measurements::of(Figure::Female, Size::M));
        let text = garmentcode::to_json(&pattern);
        let again = file::from_json(&text, "again").expect("a specification");
        assert_eq!(again.panels.len(), pattern.panels.len());
        assert!(again.check().is_usable(), "{}: {}", design.name(), again.check());
        for panel in &pattern.panels {
            let read = again.panel(&panel.name).expect("the panel");
            let rings = panel.loops();
            let opened = Panel::new("", rings[0].iter().map(|s| s.edge.clone()).collect());
            assert!((read.signed_area() - opened.signed_area()).abs() < 1e-6, "{}", panel.name);
        }
        // What is sewn is as long, darts and all.
        let sewn = |p: &Pattern| p.seams.iter().map(|s| p.seam_lengths(s)[0]).sum::<f64>();
        let loops = pattern.loops();
        let darts: f64 = pattern
            .closures(&loops)
            .iter()
            .filter(|c| c.2.stretches.iter().all(|s| s.segment.ring == 0))
            .map(|c| c.2.length())
            .sum();
        let (before, after) = (sewn(&pattern) + darts, sewn(&again));
        assert!((before - after).abs() < 1e-3, "{}: {before} {after}", design.name());
        // A second time, nothing changes but the names of edges.
        let twice =
            file::from_json(&garmentcode::to_json(&again), "twice").expect("a specification");
        assert_eq!(twice.seams.len(), again.seams.len());
    }
}

#[test]
fn prints_of_anything_are_bounded() {
    let mut pattern = draft("skirt", Size::M);
    for panel in &mut pattern.panels {
        panel.edges = panel.edges.iter().map(|e| e.map(|p| 40.0 * p, false)).collect();
    }
    let error =
        pdf::to_pdf(&single(&pattern), &Options::default()).expect_err("too large").to_string();
    assert!(error.contains("pages"), "{error}");
    pattern.name = "(a\\b) – ü 漢".into();
    for panel in &mut pattern.panels {
        panel.edges = panel.edges.iter().map(|e| e.map(|p| 0.02 * p, false)).collect();
    }
    let bytes = pdf::to_pdf(&single(&pattern), &Options::default()).expect("a print");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(text.contains("(\\(a\\\\b\\) \\226 \\374 ?)"));
    assert!(pdf::to_pdf(&[], &Options::default()).is_ok());
}
