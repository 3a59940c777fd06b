//! Animated nodes, skins, and what is refused by name.

use super::tests::{assert_near, container, edited, message, triangle};
use super::*;
use serde_json::{Value, json};

/// The triangle with more numbers behind its data: accessor 2 on, one for each list, with items of
/// the type given.
fn with_data(lists: &[(&str, &[f32])], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut json, mut binary) = triangle();
    for (kind, numbers) in lists {
        let width = match *kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let views = json["bufferViews"].as_array_mut().unwrap();
        let (view, length) = (views.len(), 4 * numbers.len());
        views.push(json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": length }));
        binary.extend(numbers.iter().flat_map(|c| c.to_le_bytes()));
        json["accessors"].as_array_mut().unwrap().push(json!({
            "bufferView": view, "componentType": 5126, "count": numbers.len() / width, "type": kind,
        }));
    }
    edit(&mut json);
    container(&json.to_string(), &binary)
}

/// The animation of one property of node `node`, with times in accessor 2 and values in 3.
fn animate(json: &mut Value, node: usize, path: &str, interpolation: &str) {
    json["animations"] = json!([{
        "samplers": [{ "input": 2, "output": 3, "interpolation": interpolation }],
        "channels": [{ "sampler": 0, "target": { "node": node, "path": path } }],
    }]);
}

fn frame_at(reader: &Reader, time: f64) -> Vec<DVec3> {
    let near = |t: &f64| (t - time).abs() < 1e-6;
    reader.frame(reader.times().iter().position(near).expect("a frame at that time")).unwrap()
}

fn refusal(bytes: &[u8]) -> String {
    Reader::new(bytes, "t.glb").err().expect("an error").to_string()
}

#[test]
fn an_animated_node_moves_its_children_between_keys_too() {
    let keys = [("SCALAR", &[0.0, 1.0][..]), ("VEC3", &[0.0, 0.0, 0.0, 0.0, 6.0, 0.0])];
    let bytes = with_data(&keys, |j| {
        j["nodes"] = json!([{ "children": [1] }, { "mesh": 0, "translation": [1, 0, 0] }]);
        animate(j, 0, "translation", "LINEAR");
    });
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    // One second in thirtieths.
    assert_eq!(reader.times().len(), 31);
    for time in [0.0, 0.5, 1.0] {
        let place = DVec3::new(1.0, 6.0 * time, 0.0);
        assert_near(&frame_at(&reader, time)[..1], &[place], 1e-9);
    }
    assert_eq!(reader.mesh().positions[0], DVec3::X);
}

#[test]
fn steps_jump_and_splines_follow_their_tangents() {
    let times = [0.0, 1.0];
    let jump = [("SCALAR", &times[..]), ("VEC3", &[1.0, 1.0, 1.0, 3.0, 3.0, 3.0])];
    let bytes = with_data(&jump, |j| animate(j, 0, "scale", "STEP"));
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    assert_eq!(reader.times(), [0.0, 1.0]);
    assert_eq!(reader.frame(1).unwrap()[1], 3.0 * DVec3::X);
    // From 0 to 1 with the slope 3 at the start and 0 at the end: s³ − 3 s² + 3 s.
    #[rustfmt::skip]
    let spline = [
        0.0, 0.0, 0.0,  0.0, 0.0, 0.0,  3.0, 0.0, 0.0,
        0.0, 0.0, 0.0,  1.0, 0.0, 0.0,  0.0, 0.0, 0.0,
    ];
    let spline = [("SCALAR", &times[..]), ("VEC3", &spline)];
    let bytes = with_data(&spline, |j| animate(j, 0, "translation", "CUBICSPLINE"));
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    assert_near(&frame_at(&reader, 0.5)[..1], &[0.875 * DVec3::X], 1e-9);
}

#[test]
fn rotations_turn_the_short_way_at_a_steady_rate() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    // A quarter turn about z, its end written with the opposite sign.
    let turn = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -half, -half];
    let keys = [("SCALAR", &[0.0, 0.5][..]), ("VEC4", &turn)];
    let bytes = with_data(&keys, |j| animate(j, 0, "rotation", "LINEAR"));
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    let third = (30.0_f64).to_radians();
    let there = DVec3::new(third.cos(), third.sin(), 0.0);
    assert_near(&frame_at(&reader, 0.5 / 3.0)[1..2], &[there], 1e-6);
    assert_near(&frame_at(&reader, 0.5)[1..2], &[DVec3::Y], 1e-6);
}

/// A triangle whose first corner follows joint 1, its second joint 2, its third both.
fn skinned(weights: &[f32; 12]) -> Vec<u8> {
    #[rustfmt::skip]
    let bind = [
        1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  0.0, 0.0, 0.0, 1.0,
        1.0, 0.0, 0.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 1.0, 0.0,  -1.0, 0.0, 0.0, 1.0,
    ];
    let joints = [0.0_f32, 1.0, 0.0, 0.0].repeat(3);
    let rise = [1.0, 0.0, 0.0, 1.0, 0.0, 4.0];
    let lists: [(&str, &[f32]); 5] = [
        ("SCALAR", &[0.0, 0.04]),
        ("VEC3", &rise),
        ("MAT4", &bind),
        ("VEC4", &joints),
        ("VEC4", weights),
    ];
    with_data(&lists, |j| {
        j["nodes"] = json!([
            { "mesh": 0, "skin": 0, "translation": [100, 0, 0] }, {}, { "translation": [1, 0, 0] },
        ]);
        j["scenes"][0]["nodes"] = json!([0, 1, 2]);
        j["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": 4 }]);
        let attributes = &mut j["meshes"][0]["primitives"][0]["attributes"];
        attributes["JOINTS_0"] = json!(5);
        attributes["WEIGHTS_0"] = json!(6);
        animate(j, 2, "translation", "LINEAR");
    })
}

#[test]
fn a_skin_follows_its_joints_and_not_its_node() {
    let bytes = skinned(&[1., 0., 0., 0., 0., 1., 0., 0., 2., 2., 0., 0.]);
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    let bound = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert_near(&reader.mesh().positions, &bound, 1e-12);
    assert_near(&read(&bytes, "t.glb").unwrap().positions, &bound, 1e-12);
    let last = reader.frame(reader.times().len() - 1).unwrap();
    let moved = [DVec3::ZERO, DVec3::new(1.0, 0.0, 4.0), DVec3::new(0.0, 1.0, 2.0)];
    assert_near(&last, &moved, 1e-6);
}

#[test]
fn a_skin_goes_from_rest_to_its_first_frame_by_its_joints() {
    // A joint that turns by half a turn about z in one key: half of the way is a quarter of a turn, not a point on the chord.
    let half = std::f32::consts::PI;
    let bytes =
        with_data(&[("SCALAR", &[0.0, 1.0]), ("VEC4", &[0., 0., 1., 0., 0., 0., 1., 0.])], |j| {
            animate(j, 0, "rotation", "LINEAR");
        });
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    assert_near(&reader.toward_first(0.0).unwrap(), &reader.mesh().positions, 1e-12);
    assert_near(&reader.toward_first(1.0).unwrap(), &reader.frame(0).unwrap(), 1e-12);
    let turned = |p: &DVec3| DVec3::new(-p.y, p.x, p.z);
    let quarter: Vec<DVec3> = reader.mesh().positions.iter().map(turned).collect();
    let found = reader.toward_first(0.5).unwrap();
    let other: Vec<DVec3> = quarter.iter().map(|p| DVec3::new(-p.x, -p.y, p.z)).collect();
    let near = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).all(|(a, b)| a.distance(*b) < 1e-6);
    assert!(near(&found, &quarter) || near(&found, &other), "{found:?} {half}");
    assert_near(&reader.at(0.5).unwrap(), &reader.frame(0).unwrap(), 1e-6);
}

#[test]
fn damaged_skins_are_errors() {
    let negative = skinned(&[1., 0., 0., 0., 0., -1., 0., 0., 2., 2., 0., 0.]);
    assert!(message(&negative).contains("vertex 1 follows joints with unusable weights"));
    let none = edited(|j| {
        j["nodes"][0]["skin"] = json!(0);
        j["skins"] = json!([{ "joints": [0] }]);
    });
    assert!(message(&none).contains("a mesh with skin 0 has no joints and weights"));
}

#[test]
fn hostile_skins_are_errors() {
    let zero = skinned(&[0.0; 12]);
    assert!(message(&zero).contains("vertex 0 follows joints with unusable weights"));
    for bad in [f32::NAN, f32::INFINITY] {
        let weights = skinned(&[bad, 0., 0., 0., 0., 1., 0., 0., 2., 2., 0., 0.]);
        assert!(message(&weights).contains("unusable weights"), "{bad}");
        let keys = [("SCALAR", &[0.0, 1.0][..]), ("VEC3", &[0.0, 0.0, 0.0, 0.0, bad, 0.0])];
        let moved = with_data(&keys, |j| animate(j, 0, "translation", "LINEAR"));
        let frames = |reader: Reader| {
            (0..reader.times().len()).map(|k| reader.frame(k)).collect::<Result<Vec<_>, _>>()
        };
        assert!(Reader::new(&moved, "t.glb").and_then(frames).is_err(), "{bad}");
        let times = [("SCALAR", &[0.0, bad][..]), ("VEC3", &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0])];
        let timed = with_data(&times, |j| animate(j, 0, "translation", "LINEAR"));
        assert!(Reader::new(&timed, "t.glb").is_err(), "{bad}");
    }
    let ring = edited(|j| {
        j["nodes"] = json!([{ "mesh": 0, "skin": 0 }, { "children": [2] }, { "children": [1] }]);
        j["skins"] = json!([{ "joints": [1, 2] }]);
    });
    assert!(message(&ring).starts_with("t.glb at byte "));
    let ring = edited(|j| {
        j["nodes"] = json!([{ "children": [1] }, { "mesh": 0, "children": [0] }]);
    });
    assert!(message(&ring).contains("nodes must form a tree"));
}

#[test]
fn a_million_joints_are_refused_and_many_do_not_overflow_the_stack() {
    assert!(message(&chain_of_nodes(1_000_000)).contains("more than 262144 items"));
    let reader = Reader::new(&chain_of_nodes(50_000), "t.glb").unwrap();
    assert_near(&reader.frame(0).unwrap(), &reader.mesh().positions, 1e-12);
}

/// A mesh at the end of a chain of nodes, of which the first is animated.
fn chain_of_nodes(count: usize) -> Vec<u8> {
    let lists: [(&str, &[f32]); 2] =
        [("SCALAR", &[0.0, 1.0]), ("VEC3", &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0])];
    with_data(&lists, |j| {
        let chain = (1..=count).map(|n| match n < count {
            true => json!({ "children": [n + 1] }),
            false => json!({ "mesh": 0 }),
        });
        j["nodes"] = json!([{ "children": [1] }]);
        j["nodes"].as_array_mut().unwrap().extend(chain);
        animate(j, 1, "translation", "STEP");
    })
}

#[test]
fn an_animation_that_cannot_be_read_is_an_error_and_not_a_still_mesh() {
    let keys = [("SCALAR", &[0.0, 1.0][..]), ("VEC3", &[0.0, 0.0, 0.0, 0.0, 6.0, 0.0])];
    type Edit = fn(&mut Value);
    let edits: [(&str, Edit); 8] = [
        ("accessor 9999 does not exist", |j| {
            j["animations"][0]["samplers"][0]["output"] = json!(9999);
        }),
        ("an animation of `pointer`", |j| {
            j["animations"][0]["channels"][0]["target"]["path"] = json!("pointer");
        }),
        ("the interpolation `BEZIER` is unknown", |j| {
            j["animations"][0]["samplers"][0]["interpolation"] = json!("BEZIER");
        }),
        ("6 numbers at 2 times for the translation of node 0", |j| {
            j["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
        }),
        ("accessor 3 is not of type VEC4", |j| {
            j["animations"][0]["channels"][0]["target"]["path"] = json!("rotation");
        }),
        ("there are 2 animations: walk, animation 1", |j| {
            let one = j["animations"][0].clone();
            j["animations"].as_array_mut().unwrap().push(one);
            j["animations"][0]["name"] = json!("walk");
        }),
        ("node 0 has a matrix and is animated", |j| {
            j["nodes"][0]["matrix"] = json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
        }),
        ("0 morph targets", |j| {
            j["accessors"][3]["type"] = json!("SCALAR");
            j["animations"][0]["channels"][0]["target"]["path"] = json!("weights");
        }),
    ];
    for (word, edit) in edits {
        let bytes = with_data(&keys, |j| {
            animate(j, 0, "translation", "LINEAR");
            edit(j);
        });
        let error = refusal(&bytes);
        assert!(error.contains(word) && error.contains("; "), "{word}: {error}");
    }
}

#[test]
fn long_animations_and_many_channels_are_refused_before_they_fill_the_memory() {
    let keys = [("SCALAR", &[0.0, 1e7][..]), ("VEC3", &[0.0, 0.0, 0.0, 0.0, 6.0, 0.0])];
    let bytes = with_data(&keys, |j| animate(j, 0, "translation", "LINEAR"));
    assert!(refusal(&bytes).contains("the animation lasts 10000000 s"));
    let shared = vec![0.0_f32; 3 * 40_000];
    let lists: [(&str, &[f32]); 2] = [("SCALAR", &shared[..40_000]), ("VEC3", &shared)];
    let bytes = with_data(&lists, |j| {
        let nodes = 1..1000;
        j["nodes"][0]["children"] = json!([1]);
        let chain = nodes
            .clone()
            .map(|n| if n < 999 { json!({ "children": [n + 1] }) } else { json!({ "mesh": 0 }) });
        j["nodes"].as_array_mut().unwrap().extend(chain);
        let channel = |n| json!({ "sampler": 0, "target": { "node": n, "path": "translation" } });
        animate(j, 0, "translation", "STEP");
        j["animations"][0]["channels"] = json!(nodes.map(channel).collect::<Vec<_>>());
    });
    assert!(refusal(&bytes).contains("unfolds to more than"));
}

#[test]
fn extensions_that_change_the_shape_are_refused_and_others_are_not() {
    let bytes = edited(|j| j["extensionsRequired"] = json!(["KHR_materials_unlit", "ACME_wobble"]));
    assert!(message(&bytes).contains("requires the extension ACME_wobble"));
    let bytes = edited(|j| j["extensionsRequired"] = json!(["KHR_texture_transform"]));
    assert!(read(&bytes, "t.glb").is_ok());
    let bytes = edited(|j| j["nodes"][0]["extensions"] = json!({ "EXT_mesh_gpu_instancing": {} }));
    assert!(message(&bytes).contains("places many instances by EXT_mesh_gpu_instancing"));
}

#[test]
fn what_is_left_out_is_named() {
    let bytes = edited(|j| {
        let lines = json!({ "attributes": { "POSITION": 0 }, "mode": 1 });
        j["meshes"][0]["primitives"].as_array_mut().unwrap().push(lines);
        j["nodes"][0]["extensions"] = json!({ "ACME_wobble": {}, "KHR_lights_punctual": {} });
        j["nodes"].as_array_mut().unwrap().push(json!({ "mesh": 0 }));
    });
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    let notes = [
        "the extension ACME_wobble of nodes is ignored",
        "mesh 0 has lines: left out",
        "1 nodes with meshes outside the default scene: left out",
    ];
    assert_eq!(reader.notes(), notes);
    let bytes = edited(|j| j["meshes"][0]["primitives"][0]["mode"] = json!(7));
    assert!(message(&bytes).contains("the unknown mode 7"));
}

#[test]
fn every_byte_and_prefix_of_a_skinned_file_may_be_damaged() {
    let good = skinned(&[1., 0., 0., 0., 0., 1., 0., 0., 2., 2., 0., 0.]);
    let play = |bytes: &[u8]| {
        if let Ok(reader) = Reader::new(bytes, "t.glb") {
            // Frames of a damaged file may be many; the first ones do.
            for k in 0..reader.times().len().min(3) {
                let _ = reader.frame(k);
            }
        }
    };
    let mut bad = good.clone();
    for at in 0..good.len() {
        play(&good[..at]);
        for value in [0, 0x7f, 0xff, b'-', b'9', good[at] ^ 1] {
            bad[at] = value;
            play(&bad);
        }
        bad[at] = good[at];
    }
}
