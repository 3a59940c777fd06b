//! What cannot be read or judged is not called clean, and what is repaired is said.

use crate::common;

use common::Toile;
use serde_json::{Value, json};
use toile_mesh::{TriMesh, io, shape};

/// A GLB of the JSON and binary given.
fn glb(json: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

/// Two triangles, of which one falls through the other between its keys at 0 s and 1 s.
fn falling_through(output: usize) -> Vec<u8> {
    let numbers: [f32; 17] = [
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, // triangle
        0.0, 1.0, // times
        0.1, 1.0, 0.1, 0.1, -1.0, 0.1, // places
    ];
    let binary: Vec<u8> = numbers.iter().flat_map(|c| c.to_le_bytes()).collect();
    let turned = [0.0, 0.0, 0.382_683_43, 0.923_879_53];
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }, { "mesh": 0, "rotation": turned }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR" },
            { "bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 8 },
            { "buffer": 0, "byteOffset": 44, "byteLength": 24 },
        ],
        "buffers": [{ "byteLength": 68 }],
        "animations": [{
            "samplers": [{ "input": 1, "output": output }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "translation" } }],
        }],
    });
    glb(&json, &binary)
}

fn soup(mesh: &TriMesh) -> TriMesh {
    let corners = mesh.triangles.iter().flatten().map(|v| mesh.positions[*v as usize]);
    let count = mesh.triangles.len() as u32;
    TriMesh::new(corners.collect(), (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}

fn found(toile: &Toile, args: &[&str]) -> (i32, Value) {
    let done = toile.run(&[&["check", "--json"], args].concat());
    (done.code, serde_json::from_str(&done.output).expect(&done.error))
}

#[test]
fn an_animation_of_nodes_is_followed_and_a_damaged_one_is_an_error() {
    let toile = Toile::new();
    std::fs::write(toile.path("through.glb"), falling_through(2)).unwrap();
    std::fs::write(toile.path("damaged.glb"), falling_through(9999)).unwrap();
    let (code, report) = found(&toile, &["through.glb"]);
    assert_eq!((code, &report["frames"]), (1, &json!(31)));
    assert!(report["files"][0]["first_bad_frame"].as_u64().unwrap() > 5, "{report}");
    for args in [["check", "damaged.glb", "damaged.glb"], ["convert", "damaged.glb", "x.obj"]] {
        let done = toile.run(&args);
        assert_eq!(done.code, 1);
        assert!(
            done.error.contains("damaged.glb") && done.error.contains("9999"),
            "{}",
            done.error
        );
    }
    assert!(!toile.path("x.obj").exists());
    let done = toile.run(&["convert", "through.glb", "through.pc2"]);
    assert!(done.output.contains("31 frames"), "{} {}", done.output, done.error);
    // Bodies do not move by animations.
    let done = toile.run(&["check", "through.glb", "--body", "through.glb"]);
    assert!(done.error.contains("the body is animated"), "{}", done.error);
    toile.file("scene.toml", "duration = 0.01\n[[cloth]]\nshape = { type = \"grid\", width = 0.1, height = 0.1, cells = [2, 2] }\n\
        place = { at = [5, 0, 0] }\n[[body]]\nshape = { type = \"mesh\", file = \"through.glb\" }\n");
    assert_eq!(toile.run(&["sim", "scene.toml", "--no-picture"]).code, 0);
    let report = toile.json("out/report.json");
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains("its animation of 31 frames is not followed"), "{warnings}");
    assert_eq!(report["bodies"][0]["closed"], false);
    assert_eq!(report["body_penetrations_max"], Value::Null);
}

#[test]
fn files_that_hold_no_frames_or_are_of_another_format_are_errors() {
    let toile = Toile::new();
    let cloth = shape::grid(1.0, 1.0, 1, 1, shape::Diagonals::Same);
    io::write_mesh(toile.path("cloth.obj"), &cloth).unwrap();
    let writer = io::pc2::Pc2Writer::create(toile.path("empty.pc2"), cloth.positions.len());
    writer.unwrap().finish().unwrap();
    let done = toile.run(&["check", "cloth.obj", "empty.pc2"]);
    assert_eq!(done.code, 1);
    assert!(done.error.contains("empty.pc2: the point cache holds no frames"), "{}", done.error);
    assert_ne!(toile.run(&["convert", "cloth.obj", "empty.pc2", "x.usda"]).code, 0);
    toile.file("scene.gltf", "{}");
    let done = toile.run(&["check", "scene.gltf"]);
    assert!(done.error.contains("export it as one binary file, .glb"), "{}", done.error);
}

#[test]
fn counting_pairs_ends_and_needs_little_memory() {
    let toile = Toile::new();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 0 1\n";
    toile.file("same.obj", &format!("{corners}{}", "f 1 2 3\n".repeat(5000)));
    let polygon = format!("{corners}f{}\n", " 1 2 3".repeat(10_000));
    toile.file("polygon.obj", &polygon);
    for file in ["same.obj", "polygon.obj"] {
        let (code, report) = found(&toile, &[file]);
        assert_eq!((code, &report["counted_all"]), (1, &json!(false)), "{file}");
        assert_eq!(report["self_intersections"], 1_000_000);
        assert_eq!(report["files"][0]["first_bad_frame"], 0);
    }
    let done = toile.run(&["check", "same.obj"]);
    assert!(done.output.contains("more than 1000000 self-intersections"), "{}", done.output);
}

/// A small cloth in the middle of the body of a file.
const INSIDE: &str = "duration = 0.01\n[[cloth]]\nshape = { type = \"grid\", width = 0.2, height = 0.2, cells = [4, 4] }\n\
    [[body]]\nname = \"ball\"\nshape = { type = \"mesh\", file = \"ball.obj\" }\n";

#[test]
fn soup_duplicates_degenerate_and_inverted_bodies_are_solids_and_it_is_said() {
    let ball = shape::sphere(0.3, 2);
    let count = ball.triangles.len();
    let mut twice = ball.clone();
    twice.triangles.extend_from_slice(&ball.triangles[..50]);
    let mut flat = ball.clone();
    flat.triangles.push([0, 0, 1]);
    let mut inverted = ball.clone();
    inverted.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let cases = [
        (soup(&ball), "welded_vertices", 3 * count - ball.positions.len()),
        (twice, "duplicate_triangles", 50),
        (flat, "degenerate_triangles", 1),
        (inverted, "turned_triangles", count),
    ];
    let toile = Toile::new();
    let cloth = shape::grid(0.2, 0.2, 4, 4, shape::Diagonals::Same);
    io::write_mesh(toile.path("cloth.obj"), &cloth).unwrap();
    toile.file("inside.toml", INSIDE);
    for (body, key, number) in cases {
        io::write_mesh(toile.path("ball.obj"), &body).unwrap();
        let (code, report) = found(&toile, &["cloth.obj", "--body", "ball.obj"]);
        assert_eq!((code, &report["body_penetrations"]), (1, &json!(32)), "{key}");
        let done = toile.run(&["sim", "inside.toml", "--no-picture"]);
        let report = toile.json("out/report.json");
        assert_eq!(report["bodies"][0][key], number, "{key} {}", done.error);
        assert_eq!(report["bodies"][0]["closed"], true);
        assert!(report["warnings"].to_string().contains(&format!("{number} ")), "{key}");
        // The cloth is brought out of the body.
        assert_eq!(report["untangle"]["body_penetrations_before"], 32, "{key}");
        assert_eq!(report["body_penetrations_final"], 0, "{key}");
    }
}

#[test]
fn what_an_open_body_hides_is_unknown_and_not_zero() {
    let toile = Toile::new();
    let mut bowl = shape::sphere(0.3, 2);
    bowl.triangles.pop();
    io::write_mesh(toile.path("ball.obj"), &bowl).unwrap();
    let cloth = shape::grid(0.2, 0.2, 4, 4, shape::Diagonals::Same);
    io::write_mesh(toile.path("cloth.obj"), &cloth).unwrap();
    let (code, report) = found(&toile, &["cloth.obj", "--body", "ball.obj"]);
    assert_eq!((code, &report["body_penetrations"]), (0, &Value::Null));
    let done = toile.run(&["check", "cloth.obj", "--body", "ball.obj"]);
    assert!(done.output.contains("unknown body penetrations"), "{}", done.output);
    assert!(done.output.contains("3 edges are open"), "{}", done.output);
    toile.file("inside.toml", INSIDE);
    let done = toile.run(&["sim", "inside.toml", "--no-picture"]);
    assert_eq!(done.code, 0, "{}", done.error);
    assert!(done.output.contains("cloth inside bodies: unknown"), "{}", done.output);
    let report = toile.json("out/report.json");
    assert_eq!(report["body_penetrations_max"], Value::Null);
    assert_eq!(report["body_penetrations_final"], Value::Null);
    assert!(report["warnings"].to_string().contains("3 edges are open"));
    // A promise that cannot be judged is not kept.
    toile.file("inside.toml", &format!("{INSIDE}[expect]\nbody_penetrations_max = 0\n"));
    let done = toile.run(&["sim", "inside.toml", "--no-picture"]);
    assert_eq!(done.code, 1);
    let said = "body_penetrations_max is unknown, expected 0 at most";
    assert!(done.output.contains(said), "{}", done.output);
}

/// A cloth of a file that falls onto a floor.
const FALLING: &str = "duration = 0.3\n[[cloth]]\nshape = { type = \"mesh\", file = \"cloth.obj\" }\n\
    place = { at = [0, 0.01, 0] }\n[[body]]\nshape = { type = \"plane\", at = [0, 0, 0], normal = [0, 1, 0] }\nfriction = 0\n";

/// Width of the cloth at the end [m].
fn width(toile: &Toile) -> f64 {
    let (lo, hi) = io::read_mesh(toile.path("out/final.obj")).unwrap().bounds().unwrap();
    hi.x - lo.x
}

#[test]
fn uv_that_are_not_metres_do_not_change_the_size_of_cloth() {
    let toile = Toile::new();
    toile.file("scene.toml", FALLING);
    let metres = shape::grid(0.6, 0.6, 6, 6, shape::Diagonals::Alternating);
    let mut unit_square = metres.clone();
    unit_square.uv.iter_mut().for_each(|p| *p /= 0.6);
    for (cloth, rest) in [(&metres, "uv"), (&unit_square, "mesh")] {
        io::write_mesh(toile.path("cloth.obj"), cloth).unwrap();
        let done = toile.run(&["sim", "scene.toml", "--no-picture"]);
        assert_eq!(done.code, 0, "{}", done.error);
        assert!((width(&toile) - 0.6).abs() < 0.01, "{rest}: {}", width(&toile));
        let report = toile.json("out/report.json");
        assert_eq!(report["cloths"][0]["rest_shape"], rest);
        let warned = report["warnings"].to_string().contains("are not metres");
        assert_eq!(warned, rest == "mesh");
        let (_, checked) = found(&toile, &["cloth.obj"]);
        assert_eq!(checked["max_strain"].is_null(), rest == "mesh");
        // What toile writes is in metres.
        std::fs::copy(toile.path("out/final.obj"), toile.path("cloth.obj")).unwrap();
        assert_eq!(toile.run(&["sim", "scene.toml", "--no-picture", "--out", "again"]).code, 0);
        assert_eq!(toile.json("again/report.json")["cloths"][0]["rest_shape"], "uv");
    }
    // The scene has the last word.
    io::write_mesh(toile.path("cloth.obj"), &unit_square).unwrap();
    let args = ["sim", "scene.toml", "--no-picture", "--set", "cloth.0.shape.rest=\"uv\""];
    assert_eq!(toile.run(&args).code, 0);
    assert!(width(&toile) > 0.8, "{}", width(&toile));
}

#[test]
fn cloth_of_triangle_soup_is_welded_and_layers_that_touch_are_refused() {
    let toile = Toile::new();
    let cloth = shape::grid(0.2, 0.2, 4, 4, shape::Diagonals::Same);
    let cracked = soup(&cloth);
    io::write_mesh(toile.path("cloth.obj"), &cracked).unwrap();
    // The last vertex of the file is one of those that stay.
    let pin = "pins = [{ vertices = [0, 95] }]\n[[body]]";
    toile.file("scene.toml", &FALLING.replace("[[body]]", pin));
    let done = toile.run(&["sim", "scene.toml", "--no-picture", "--duration", "0.02"]);
    assert_eq!(done.code, 0, "{}", done.error);
    let report = toile.json("out/report.json");
    assert_eq!(
        (&report["vertices"], &report["cloths"][0]["welded_vertices"]),
        (&json!(25), &json!(71))
    );
    assert!(report["warnings"].to_string().contains("71 vertices at the same place"));
    let mut layers = cloth.clone();
    layers.append(&cloth);
    io::write_mesh(toile.path("cloth.obj"), &layers).unwrap();
    toile.file("scene.toml", FALLING);
    let done = toile.run(&["sim", "scene.toml", "--no-picture", "--duration", "0.01"]);
    assert_eq!(done.code, 1);
    let said = ["cloth[0].shape", "25 vertices are at the same place", "move layers apart"];
    assert!(said.iter().all(|words| done.error.contains(words)), "{}", done.error);
}
