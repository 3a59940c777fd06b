//! Files of results: materials, panels, bodies, coordinates.

use crate::common;

use common::{SMALL, Toile};
use serde_json::Value;
use toile_mesh::io::{self, glb};

/// The JSON of a GLB.
fn document(toile: &Toile, name: &str) -> Value {
    let bytes = std::fs::read(toile.path(name)).expect("the file is there");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).expect("JSON")
}

fn names(values: &Value) -> Vec<&str> {
    values.as_array().into_iter().flatten().filter_map(|v| v["name"].as_str()).collect()
}

fn text(toile: &Toile, name: &str) -> String {
    std::fs::read_to_string(toile.path(name)).expect(name)
}

#[test]
fn two_fabrics_on_a_scan_come_back_where_the_scan_is() {
    let toile = Toile::new();
    assert_eq!(toile.run(&["body", "make", "--out", "made.obj"]).code, 0);
    let made = io::read_mesh(toile.path("made.obj")).expect("a body");
    // Centimetres, z up, away from the origin.
    let scan = made.map_positions(|p| {
        100.0 * toile::DVec3::new(p.x, -p.z, p.y) + toile::DVec3::new(31.0, 7.0, 12.0)
    });
    io::write_mesh(toile.path("scan.obj"), &scan).expect("written");
    let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../patterns/vest.toml");
    let drape = ["drape", pattern, "--quality", "draft", "--no-picture", "--body", "scan.obj"];
    let done =
        toile.run(&[&drape[..], &["--frames", "usda", "--with-body", "--unwelded"]].concat());
    assert_eq!(done.code, 0, "{} {}", done.output, done.error);

    // On the scan itself, and on the body as it was dressed.
    for body in ["scan.obj", "out/body.obj"] {
        let done =
            toile.run(&["check", "out/final.obj", "out/frames.pc2", "--body", body, "--json"]);
        let found: Value = serde_json::from_str(&done.output).expect("JSON");
        assert_eq!(found["self_intersections"], 0, "{body}");
        assert_eq!(found["body_penetrations"], 0, "{body}");
        assert!(found["max_strain"].as_f64().is_some_and(|s| s < 0.5), "uv are centimetres too");
    }
    let report = toile.json("out/report.json");
    assert_eq!(
        (&report["coordinates"], &report["coordinates_note"]),
        (&"body".into(), &Value::Null)
    );
    let row = &report["body_transform"][0];
    assert!((row[0].as_f64().unwrap_or(0.0) - 0.01).abs() < 1e-15, "{row}");
    assert!((row[3].as_f64().unwrap_or(0.0) + 0.31).abs() < 1e-9, "{row}");

    let obj = text(&toile, "out/final.obj");
    assert!(obj.contains("\nmtllib final.mtl\n") && obj.contains("\nvn "));
    assert!(
        obj.contains("\ng top-front\nusemtl cotton\n")
            && obj.contains("\ng vest-back\nusemtl denim\n")
    );
    let materials = text(&toile, "out/final.mtl");
    for name in ["cotton", "denim", "body"] {
        assert!(materials.contains(&format!("newmtl {name}\n")), "{materials}");
    }
    let json = document(&toile, "out/final.glb");
    assert_eq!(names(&json["materials"]), ["cotton", "denim", "body"]);
    assert_eq!(names(&json["nodes"]), ["garment", "body"]);
    let usda = text(&toile, "out/frames.usda");
    assert!(usda.contains("upAxis = \"Z\"\n    metersPerUnit = 0.01\n"));
    assert!(usda.contains("def GeomSubset \"vest_front\"") && usda.contains("def Mesh \"body\""));
    // Panels are islands at the same places.
    let (cloth, apart) =
        (io::read_mesh(toile.path("out/final.obj")), io::read_mesh(toile.path("out/unwelded.obj")));
    let (cloth, apart) = (cloth.expect("cloth"), apart.expect("panels"));
    assert!(apart.positions.len() > cloth.positions.len());
    assert!((0..cloth.triangles.len()).all(|t| cloth.corners(t) == apart.corners(t)));

    let done = toile.run(&[&drape[..], &["--coordinates", "toile", "--out", "metres"]].concat());
    assert_eq!(done.code, 0, "{}", done.error);
    let metres = io::read_mesh(toile.path("metres/final.obj")).expect("cloth");
    let (low, high) = metres.bounds().expect("vertices");
    assert!(low.y > 0.5 && high.y < 1.8, "{low} {high}");
    // The same to rounding, by the matrix of the report.
    let rows: Vec<Vec<f64>> =
        serde_json::from_value(report["body_transform"].clone()).expect("rows");
    for (p, q) in cloth.positions.iter().zip(&metres.positions) {
        let [x, y, z] =
            [0, 1, 2].map(|i| rows[i][0] * p.x + rows[i][1] * p.y + rows[i][2] * p.z + rows[i][3]);
        assert!(q.distance(toile::DVec3::new(x, y, z)) < 1e-12);
    }
    assert_eq!(toile.json("metres/report.json")["coordinates"], "toile");
}

#[test]
fn bodies_of_scenes_are_in_the_animation_if_asked_for() {
    let toile = Toile::new();
    toile.file(
        "moving.toml",
        &format!("{SMALL}motion = {{ type = \"steady\", velocity = [0.5, 0, 0] }}\n"),
    );
    let sim = ["sim", "moving.toml", "--duration", "0.1", "--no-picture", "--frames", "glb"];
    assert_eq!(toile.run(&[&sim[..], &["--out", "without"]].concat()).code, 0);
    assert_eq!(names(&document(&toile, "without/frames.glb")["nodes"]), ["cloth"]);
    let done = toile.run(&[&sim[..], &["--with-body"]].concat());
    assert_eq!(done.code, 0, "{}", done.error);
    let json = document(&toile, "out/frames.glb");
    assert_eq!(json["nodes"].as_array().map(Vec::len), Some(2));
    let paths: Vec<_> = json["animations"][0]["channels"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|c| c["target"]["path"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(paths, ["weights", "translation", "rotation"]);
    // The ball goes as far in the file as in the scene.
    let bytes = std::fs::read(toile.path("out/frames.glb")).expect("the file");
    let reader = glb::Reader::new(&bytes, "frames.glb").expect("an animation");
    let last = reader.times().len() - 1;
    let end = |k: usize| reader.frame(k).expect("a frame").last().copied().expect("vertices");
    let seconds = reader.times()[last];
    assert!((end(last) - end(0)).distance(toile::DVec3::new(0.5 * seconds, 0.0, 0.0)) < 1e-6);

    toile.file("alone.toml", "duration = 0.02\n[[cloth]]\nshape = { type = \"grid\", width = 0.2, height = 0.2, cells = [4, 4] }\n");
    let done = toile.run(&["sim", "alone.toml", "--with-body", "--out", "alone"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("--with-body") && !toile.path("alone").exists(), "{}", done.error);
}
