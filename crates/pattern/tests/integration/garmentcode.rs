//! Patterns of GarmentCode are imported as they are meant.

use glam::{DVec2, DVec3};
use toile_pattern::{BodyPart, Curve, Direction, Kind, Side, file, garmentcode, meshing};

/// Two panels, front and back, with every kind of edge; the back is clockwise, as such files have it.
const SMALL: &str = r#"{
  "pattern": {
    "panels": {
      "left_btorso": {
        "translation": [0, 100, -20], "rotation": [0, 0, 0], "label": "body",
        "vertices": [[0, 0], [0, 40], [30, 40], [30, 0]],
        "edges": [
          { "endpoints": [0, 1] },
          { "endpoints": [1, 2], "curvature": { "type": "quadratic", "params": [[0.5, 0.1]] } },
          { "endpoints": [2, 3], "curvature": { "type": "circle", "params": [40, 0, 1] } },
          { "endpoints": [3, 0], "curvature": [0.5, 0.05] }
        ]
      },
      "left_ftorso": {
        "translation": [0, 100, 25], "rotation": [0, 0, 90],
        "vertices": [[0, 0], [30, 0], [30, 40], [0, 40]],
        "edges": [
          { "endpoints": [0, 1], "label": "lower.interface" },
          { "endpoints": [1, 2], "curvature": { "type": "circle", "params": [40, false, true] } },
          { "endpoints": [2, 3], "curvature": { "type": "cubic", "params": [[0.3, 0.1], [0.6, 0.2]] } },
          { "endpoints": [3, 0] }
        ]
      }
    },
    "stitches": [
      [{ "panel": "left_ftorso", "edge": 1 }, { "panel": "left_btorso", "edge": 2 }],
      [{ "panel": "left_ftorso", "edge": 0 }, { "panel": "left_btorso", "edge": 0 }, "right_wrong"]
    ],
    "panel_order": ["left_ftorso", "left_btorso"]
  },
  "properties": { "curvature_coords": "relative", "units_in_meter": 100 }
}"#;

#[test]
fn every_kind_of_edge_is_read() {
    let pattern = garmentcode::from_json(SMALL, "small").expect("a good file");
    assert_eq!(pattern.panels[0].name, "left_ftorso", "in the order of the file");
    let [front, back] = [&pattern.panels[0], &pattern.panels[1]];
    assert_eq!(front.edges[0].name, "lower_interface-0");
    assert!((front.edges[0].length() - 0.3).abs() < 1e-12, "centimetres");
    let Curve::Cubic { controls } = front.edges[2].curve else { panic!("cubic") };
    // From (30, 40) leftwards: 0.3 of 30 along, 0.1 of 30 to the left, which is down.
    assert!(controls[0].distance(DVec2::new(0.21, 0.37)) < 1e-12, "{controls:?}");
    // A circle of radius 40 bulges to the right of its chord, outwards here.
    let arc = &front.edges[1];
    let sagitta = 0.4 - (0.16_f64 - 0.04).sqrt();
    assert!(arc.point(0.5).distance(DVec2::new(0.3 + sagitta, 0.2)) < 1e-12, "{arc:?}");
    assert!(matches!(back.edges[3].curve, Curve::Quadratic { .. }), "the old way of writing");
    // Also inwards for the panel that is turned over: right of a clockwise edge is inside.
    assert!(back.signed_area() > 0.0);
    let arc = &back.edges[2];
    assert!(arc.point(0.5).distance(DVec2::new(-0.3 + sagitta, 0.2)) < 1e-12, "{arc:?}");
}

#[test]
fn a_panel_turned_over_stays_where_it_was() {
    let pattern = garmentcode::from_json(SMALL, "small").expect("a good file");
    let back = pattern.panel("left_btorso").expect("a panel");
    let frame = back.placement.frame.expect("placed");
    // The vertex (30, 40) of the file.
    let p = frame.point(back.edges[1].to);
    assert!(p.distance(DVec3::new(0.3, 1.4, -0.2)) < 1e-12, "{p}");
    assert_eq!(back.placement.side, Some(Side::Back));
    assert_eq!(back.placement.part, Some(BodyPart::Torso));
    let front = pattern.panel("left_ftorso").expect("a panel");
    let p = front.placement.frame.expect("placed").point(front.edges[0].to);
    assert!(p.distance(DVec3::new(0.0, 1.3, 0.25)) < 1e-12, "turned by 90° about z: {p}");
    assert_eq!(front.placement.side, Some(Side::Front));
}

#[test]
fn stitches_keep_their_direction_and_state_their_ratio() {
    let pattern = garmentcode::from_json(SMALL, "small").expect("a good file");
    assert_eq!(pattern.seams[0].direction, Direction::Opposite);
    assert_eq!(pattern.seams[1].direction, Direction::Same);
    assert!((pattern.seams[1].gather - 40.0 / 30.0).abs() < 1e-9);
    assert!(pattern.check().is_clean(), "{:?}", pattern.check());
}

#[test]
fn what_is_wrong_is_named() {
    let cases = [
        (
            "[2, 3], \"curvature\": { \"type\": \"circle\"",
            "[2, 7], \"curvature\": { \"type\": \"circle\"",
            "there is no vertex 7",
        ),
        ("\"cubic\"", "\"spline\"", "`spline` is not a known kind"),
        ("[40, 0, 1]", "[40]", "the parameters of `circle`"),
        ("\"units_in_meter\": 100", "\"units_in_meter\": 0", "units_in_meter"),
    ];
    for (old, new, wanted) in cases {
        assert!(SMALL.contains(old), "{old}");
        let error = garmentcode::from_json(&SMALL.replacen(old, new, 1), "small").unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
    }
}

#[test]
fn a_stitch_to_what_does_not_exist_is_left_to_the_check_and_drawn() {
    let file = SMALL.replacen("\"edge\": 1 }", "\"edge\": 9 }", 1);
    let pattern = garmentcode::from_json(&file, "small").expect("it can be read");
    let check = pattern.check();
    let fault = check.errors().next().expect("a fault");
    assert_eq!((fault.kind, fault.edge.as_deref()), (Kind::MissingEdge, Some("9")));
    assert_eq!(fault.panel.as_deref(), Some("left_ftorso"));
    assert!(!fault.marks.is_empty());
}

/// Real files, if the folder with them is named by the environment.
#[test]
fn real_files_import_clean_and_mesh() {
    let Ok(folder) = std::env::var("TOILE_PATTERNS") else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if !path.to_string_lossy().ends_with("_specification.json") {
            continue;
        }
        seen += 1;
        let pattern = file::read(&path).expect("read");
        let check = pattern.check();
        assert!(check.is_usable(), "{}: {check}", path.display());
        let unstated = check.faults.iter().filter(|f| f.kind != Kind::SewnTwice).count();
        assert_eq!(unstated, 0, "{}: {:?}", path.display(), check.faults);
        let made = meshing::mesh(&pattern, 0.015).expect("meshed");
        for (p, m) in pattern.panels.iter().zip(&made.panels) {
            let ratio = m.mesh.area() / p.signed_area();
            assert!((ratio - 1.0).abs() < 0.01, "{}: {ratio}", p.name);
        }
        // Read back from our own file, it is the same garment.
        let again = file::from_toml(&file::to_toml(&pattern), "again").expect("its own file");
        assert!(again.check().is_usable());
        assert_eq!(again.seams.len(), pattern.seams.len());
    }
    assert!(seen > 0, "no files there");
}
