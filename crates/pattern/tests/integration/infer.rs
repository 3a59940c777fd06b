//! Seams proposed for patterns that have none.

use toile_pattern::design::Design;
use toile_pattern::infer::{self, DOUBTFUL, judge};
use toile_pattern::{Figure, Measurements, Pattern, Placement, Size, file, sidecar, svg};

/// The pattern as a format without seams would have it: no placement, no labels.
fn bare(pattern: &Pattern) -> Pattern {
    let mut bare = pattern.clone();
    bare.seams.clear();
    for panel in &mut bare.panels {
        panel.placement = Placement::default();
        panel.notches.iter_mut().for_each(|n| n.label.clear());
    }
    bare
}

#[test]
fn nearly_all_seams_of_the_designs_are_found_and_right() {
    let (mut proposed, mut right, mut known, mut found) = (0, 0, 0, 0);
    for design in Design::all() {
        for size in Size::ALL {
            let pattern = design.draft(&Measurements::of(Figure::Female, size));
            let j = judge(&pattern, &infer::seams(&bare(&pattern), &[]));
            proposed += j.proposed;
            right += j.right;
            known += j.known;
            found += j.found;
        }
    }
    assert!(right * 100 >= proposed * 95, "{right} of {proposed} right");
    assert!(found * 100 >= known * 93, "{found} of {known} found");
}

#[test]
fn a_tshirt_is_sewn_whatever_its_edges_are_called() {
    let pattern = Design::find("tshirt").unwrap().draft(&Measurements::of(Figure::Female, Size::M));
    let mut nameless = pattern.clone();
    // Numbers for edges, in the seams that are to be found as well.
    for panel in &mut nameless.panels {
        for (i, edge) in panel.edges.iter_mut().enumerate() {
            let old = std::mem::replace(&mut edge.name, (i + 1).to_string());
            for part in nameless.seams.iter_mut().flat_map(|s| s.a.iter_mut().chain(&mut s.b)) {
                if part.panel == panel.name && part.edge == old {
                    part.edge = (i + 1).to_string();
                }
            }
            panel
                .notches
                .iter_mut()
                .filter(|n| n.edge == old)
                .for_each(|n| n.edge = (i + 1).to_string());
        }
    }
    let j = judge(&nameless, &infer::seams(&bare(&nameless), &[]));
    assert_eq!((j.right, j.found), (j.proposed, j.known), "{:?} {:?}", j.wrong, j.missing);
}

#[test]
fn wrong_proposals_are_told_from_right_ones() {
    let pattern = Design::find("tshirt").unwrap().draft(&Measurements::of(Figure::Female, Size::M));
    let mut proposals = infer::seams(&bare(&pattern), &[]);
    let all = proposals.len();
    // The left side of the front sewn to the right side of the back.
    let side = proposals.iter_mut().find(|p| p.seam.a[0].edge == "side-left").expect("a side seam");
    side.seam.b[0].edge = "side-right".into();
    let j = judge(&pattern, &proposals);
    assert_eq!((j.right, j.wrong.len(), j.missing.len()), (all - 1, 1, 1));
}

#[test]
fn open_edges_and_known_seams_are_kept() {
    let pattern = Design::find("skirt").unwrap().draft(&Measurements::of(Figure::Female, Size::M));
    let mut given = bare(&pattern);
    let side =
        pattern.seams.iter().find(|s| s.a[0].edge.starts_with("side-left")).expect("a side seam");
    given.seams.push(side.clone());
    let open: Vec<_> =
        ["side-right", "hip-right"].map(|e| toile_pattern::EdgePart::new("front", e)).to_vec();
    for p in infer::seams(&given, &open) {
        for part in p.seam.a.iter().chain(&p.seam.b) {
            assert!(
                !open.contains(part) && !side.a.contains(part) && !side.b.contains(part),
                "{part}"
            );
        }
    }
}

#[test]
fn a_sidecar_says_what_was_proposed_and_is_read_beside_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shirt.toml");
    let pattern = Design::find("tshirt").unwrap().draft(&Measurements::of(Figure::Female, Size::M));
    let given = bare(&pattern);
    file::write(&path, &given).expect("written");
    let sewn = sidecar::sew(&given);
    assert!(sewn.pieces.is_empty(), "its pieces are complete");
    std::fs::write(sidecar::path_of(&path), sidecar::to_toml(&sewn)).expect("written");
    let read = file::read(&path).expect("read");
    assert_eq!(read.seams.len(), sewn.proposals.len());
    let mut names: Vec<_> =
        read.seams.iter().map(|s| (s.name.clone(), s.a.clone(), s.b.clone())).collect();
    let mut wanted: Vec<_> =
        sewn.pattern.seams.iter().map(|s| (s.name.clone(), s.a.clone(), s.b.clone())).collect();
    names.sort_by(|a, b| a.0.cmp(&b.0));
    wanted.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(names, wanted);
    let drawing = svg::draw_proposals(&sewn, &sewn.pattern.check(), svg::Options::default());
    assert!(drawing.contains(">1<") || drawing.contains(">1?<"));
}

#[test]
fn a_sidecar_completes_pieces_and_infers_the_rest() {
    let text = "unit = \"cm\"\n[[panel]]\nname = \"back\"\nstart = [0, 0]\nedge = [{ name = \"hem\", to = [20, 0] }, \
        { name = \"side\", to = [20, 30] }, { name = \"top\", to = [0, 30] }, { name = \"centre\", to = [0, 0] }]\n";
    let pattern = file::from_toml(text, "p").expect("good");
    let apply = |sidecar: &str| sidecar::apply(sidecar, "p.seams.toml", &pattern);
    let folded = apply("[[piece]]\nname = \"back\"\nfold = \"centre\"\n").expect("good");
    assert!((folded.panels[0].signed_area() - 0.12).abs() < 1e-9);
    let paired = apply("[[piece]]\nname = \"back\"\nmirror = true\n").expect("good");
    assert_eq!(paired.panels.len(), 2);
    let inferred =
        apply("infer = true\n[[piece]]\nname = \"back\"\nmirror = true\n").expect("good");
    assert!(!inferred.seams.is_empty());
    for (sidecar, words) in [
        ("[[piece]]\nname = \"front\"\nomit = true\n", "no piece `front`"),
        ("[[piece]]\nname = \"back\"\nfold = \"x\"\n", "no edge `x`"),
        ("open = [\"back.x\"]\n", "no edge `back.x`"),
        ("[[seam]]\na = \"back\"\nb = \"back.hem\"\n", "panel.edge"),
        ("seams = 3\n", "unknown field"),
    ] {
        let error = apply(sidecar).expect_err("a bad sidecar").to_string();
        assert!(error.starts_with("p.seams.toml") && error.contains(words), "{error}");
    }
}

#[test]
fn half_pieces_without_a_word_are_completed_by_name_and_shape() {
    let rectangle = |name: &str, w: f64, h: f64| {
        format!(
            "[[panel]]\nname = \"{name}\"\nstart = [0, 0]\nedge = [{{ to = [{w}, 0] }}, {{ to = [{}, {h}] }}, \
             {{ to = [0, {h}] }}, {{ name = \"middle\", to = [0, 0] }}]\n",
            w - 3.0
        )
    };
    let text = format!(
        "unit = \"cm\"\n{}{}{}{}",
        rectangle("BACK", 25.0, 60.0),
        rectangle("FRONT", 25.0, 60.0),
        rectangle("SLEEVE", 40.0, 30.0),
        rectangle("COLLARINTERFACE", 20.0, 5.0)
    );
    let pieces = infer::pieces(&file::from_toml(&text, "p").expect("good"));
    let said: Vec<(&str, Option<&str>, bool, bool)> =
        pieces.iter().map(|p| (p.name.as_str(), p.fold.as_deref(), p.mirror, p.omit)).collect();
    assert_eq!(
        said,
        [
            ("BACK", Some("middle"), false, false),
            ("FRONT", Some("middle"), false, false),
            ("SLEEVE", None, true, false),
            ("COLLARINTERFACE", None, false, true),
        ]
    );
}

#[test]
fn patterns_of_anything_are_looked_at_in_bounded_time() {
    let mut pattern =
        Design::find("tshirt").unwrap().draft(&Measurements::of(Figure::Female, Size::M));
    pattern = bare(&pattern);
    let one = pattern.panels[0].clone();
    for k in 0..80 {
        let mut copy = one.clone();
        copy.name = format!("copy {k}");
        pattern.panels.push(copy);
    }
    assert!(infer::seams(&pattern, &[]).is_empty(), "too many to be compared");
    pattern.panels.truncate(14);
    infer::seams(&pattern, &[]);
    pattern.panels[0].edges[0].to.x = f64::NAN;
    infer::seams(&pattern, &[]);
    assert!(infer::seams(&Pattern::new("none"), &[]).is_empty());
}

/// Real specifications, if the folder with them is named by the environment: their seams are taken away and proposed anew.
#[test]
fn most_proposals_for_real_files_are_right() {
    let Ok(folder) = std::env::var("TOILE_PATTERNS") else { return };
    let (mut sure, mut right) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.to_string_lossy().ends_with("_specification.json") {
            let pattern = file::read(&path).expect("read");
            let proposals = infer::seams(&bare(&pattern), &[]);
            let kept: Vec<_> = proposals.into_iter().filter(|p| p.confidence >= DOUBTFUL).collect();
            let j = judge(&pattern, &kept);
            sure += j.proposed;
            right += j.right;
        }
    }
    assert!(sure > 0 && right * 100 >= sure * 85, "{right} of {sure}");
}
