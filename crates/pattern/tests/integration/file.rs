//! Pattern files: what is written is what was read, and what is wrong is said.

use toile_pattern::{BodyPart, Curve, DartShape, Pattern, Side, file};

const APRON: &str = include_str!("data/apron.toml");

fn apron() -> Pattern {
    file::from_toml(APRON, "apron.toml").expect("a good file")
}

#[test]
fn a_file_with_one_of_everything_is_read_in_metres() {
    let pattern = apron();
    let bib = pattern.panel("bib").expect("a panel");
    assert_eq!(bib.edges.len(), 6, "unfolded");
    assert!((bib.allowance - 0.01).abs() < 1e-15);
    assert_eq!(bib.placement.part, Some(BodyPart::Torso));
    assert_eq!(bib.placement.side, Some(Side::Front));
    assert_eq!(bib.darts.len(), 2);
    let skirt = pattern.panel("skirt").expect("a panel");
    assert!(matches!(skirt.edges[0].curve, Curve::Arc { .. }));
    assert_eq!(skirt.fabric.as_deref(), Some("denim-light"));
    assert!(matches!(skirt.darts[0].shape, DartShape::Double { .. }));
    assert!((skirt.sewn_length(2) - 0.58).abs() < 1e-12, "the pleat takes 6 cm");
    let [a, b] = pattern.seam_lengths(&pattern.seams[0]);
    assert!((a - 0.58).abs() < 1e-12 && (b - 0.4).abs() < 1e-12);
    assert!(pattern.check().is_clean(), "{:?}", pattern.check());
}

#[test]
fn what_is_written_is_what_was_read() {
    let pattern = apron();
    let toml = file::from_toml(&file::to_toml(&pattern), "again").expect("its own file");
    let json = file::from_json(&file::to_json(&pattern), "again").expect("its own file");
    assert_eq!(toml, json);
    assert_eq!(file::to_toml(&toml), file::to_toml(&pattern));
    for (p, q) in pattern.panels.iter().zip(&toml.panels) {
        for (a, b) in p.edges.iter().zip(&q.edges) {
            assert_eq!(a.name, b.name);
            for t in [0.0, 0.3, 1.0] {
                // Files are exact to a micrometre.
                assert!(a.point(t).distance(b.point(t)) < 2e-6, "{} {}", p.name, a.name);
            }
        }
        assert_eq!(p.notches, q.notches);
        assert_eq!(p.placement, q.placement);
    }
    assert_eq!(pattern.seams, toml.seams);
}

#[test]
fn units_are_those_of_the_file() {
    let square = |unit: &str| {
        let text = format!(
            "unit = \"{unit}\"\n[[panel]]\nname = \"p\"\nstart = [0, 0]\nedge = [{{ to = [1, 0] }}, {{ to = [1, 1] }}, {{ to = [0, 0] }}]"
        );
        file::from_toml(&text, "p").expect("good").panels[0].edges[0].length()
    };
    for (unit, metres) in [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("in", 0.0254)] {
        assert!((square(unit) - metres).abs() < 1e-15, "{unit}");
    }
}

#[test]
fn a_wrong_key_is_refused_with_its_line() {
    let text = APRON.replace("gather =", "gatter =");
    let message = file::from_toml(&text, "apron.toml").unwrap_err().to_string();
    assert!(message.starts_with("apron.toml: "), "{message}");
    assert!(message.contains("line 43") && message.contains("gatter"), "{message}");
}

#[test]
fn what_makes_no_sense_is_named_with_its_place() {
    let cases = [
        ("fold = \"centre\"", "fold = \"center\"", "panel `bib`: fold: there is no edge `center`"),
        ("depth = 6 }", "}", "dart `bust`: give either `depth` or `tip`"),
        ("tips =", "at = 0.5, tips =", "dart `shape`"),
        ("arc = [0, -65]", "arc = [0, -65], quadratic = [0, 0]", "only one of"),
        ("\"skirt.waist\"", "\"skirt waist\"", "seam `waist`: `skirt waist` is not of the form"),
        ("name = \"bib\"", "name = \"b.b\"", "without `.`"),
        ("grain = [0, 1]", "grain = [0, 0]", "grain"),
    ];
    for (old, new, wanted) in cases {
        assert!(APRON.contains(old), "{old}");
        let message = file::from_toml(&APRON.replacen(old, new, 1), "f").unwrap_err().to_string();
        assert!(message.contains(wanted), "{new}: {message}");
    }
}

#[test]
fn a_file_on_disk_is_read_by_its_ending() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.toml", "a.json"] {
        let path = folder.path().join(name);
        file::write(&path, &apron()).expect("written");
        assert_eq!(file::read(&path).expect("read").panels.len(), 2);
    }
    let missing = file::read(folder.path().join("none.toml")).unwrap_err();
    assert!(missing.to_string().contains("none.toml: cannot read"), "{missing}");
}

#[test]
fn what_is_no_text_and_what_is_endless_is_refused_in_a_few_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bad.toml");
    std::fs::write(&path, [0xff, 0xfe, 0x00]).expect("written");
    let error = file::read(&path).expect_err("no text").to_string();
    assert!(error.contains("bad.toml") && error.contains("UTF-8"), "{error}");
    let deep = format!("a = {}", "[".repeat(100_000));
    let error = file::from_toml(&deep, "deep").expect_err("no pattern").to_string();
    assert!(error.len() < 1000, "{}", error.len());
    let text = "unit = \"cm\"\n[[panel]]\nname = \"p\"\nstart = [0, 0]\nedge = [\n\
        { name = \"s\", to = [9, 0], arc = [0, 0] }, { to = [9, 9] }, { to = [0, 0] }]\n";
    let error = file::from_toml(text, "arc").expect_err("no circle").to_string();
    assert!(error.contains("panel `p`") && error.contains("edge `s`"), "{error}");
}

#[test]
fn a_point_beyond_a_hundred_metres_is_refused_in_every_format() {
    let toml = "unit = \"cm\"\n[[panel]]\nname = \"p\"\nstart = [0, 0]\nedge = [{ name = \"s\", to = [9, 0], \
                cubic = [[1, 1], [1e30, 2]] }, { to = [9, 9] }, { to = [0, 0] }]\n";
    let garmentcode = r#"{"pattern": {"panels": {"p": {"vertices": [[0, 0], [9, 0], [9, 1e20]],
        "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2], "curvature": [0.5, 0.3]}, {"endpoints": [2, 0]}]}}}}"#;
    let freesewing = r#"{"parts": {"p": {"paths": {"seam": {"ops": [{"t": "move", "to": [0, 0]},
        {"t": "curve", "cp1": [0, 9], "cp2": [1e30, 9], "to": [9, 9]}, {"t": "close"}]}}}}}"#;
    for (text, wanted) in [
        (file::from_toml(toml, "f"), "f: panel `p`: edge `s`: a coordinate of 1.000e28 m"),
        (file::from_json(garmentcode, "f"), "f: panel `p`: edge `1`: a coordinate of 1.000e18 m"),
        (file::from_json(freesewing, "f"), "f: part `p`: edge `1`: a coordinate of 1.000e27 m"),
    ] {
        let message = text.expect_err("too far").to_string();
        assert!(message.starts_with(wanted) && message.ends_with("check the unit"), "{message}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_pattern() {
    let pattern = apron();
    for text in [file::to_toml(&pattern), file::to_json(&pattern)] {
        let marked = format!("\u{feff}{text}");
        let read = if text.starts_with('{') {
            file::from_json(&marked, "f")
        } else {
            file::from_toml(&marked, "f")
        };
        assert_eq!(read.expect("good").panels.len(), 2);
    }
}

#[test]
fn thousands_of_panels_and_sides_of_seams_are_refused_before_they_are_looked_for() {
    let panel = |i: usize| {
        format!(
            "[[panel]]\nname = \"p{i}\"\nstart = [0, 0]\nedge = [{{ to = [9, 0] }}, {{ to = [9, 9] }}]\n"
        )
    };
    let panels: String = (0..1001).map(panel).collect();
    let message =
        file::from_toml(&format!("unit = \"cm\"\n{panels}"), "f").unwrap_err().to_string();
    assert!(message.contains("1001 panels"), "{message}");
    let side = "\"p0.1\", ".repeat(6000);
    let seam = format!("[[seam]]\na = [{side}]\nb = [{side}]\n");
    let text = format!("unit = \"cm\"\n{}{seam}", panel(0));
    let message = file::from_toml(&text, "f").unwrap_err().to_string();
    assert!(message.contains("12000 sides"), "{message}");
}
