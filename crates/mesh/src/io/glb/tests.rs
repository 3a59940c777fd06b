use super::super::RigidPose;
use super::super::model::tests::two_fabrics;
use super::*;
use crate::{Topology, shape};
use glam::DVec2;
use serde_json::{Value, json};

/// A GLB of the JSON and binary given.
pub(super) fn container(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
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

/// A triangle with 16-bit indices behind its positions.
pub(super) fn triangle() -> (Value, Vec<u8>) {
    let positions = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut binary: Vec<u8> = positions.iter().flat_map(|c| c.to_le_bytes()).collect();
    binary.extend([0, 0, 1, 0, 2, 0, 0, 0]);
    let json = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 6 },
        ],
        "buffers": [{ "byteLength": 44 }],
    });
    (json, binary)
}

/// The triangle, its JSON changed by `edit`.
pub(super) fn edited(edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (mut json, binary) = triangle();
    edit(&mut json);
    container(&json.to_string(), &binary)
}

fn ok(bytes: &[u8]) -> TriMesh {
    read(bytes, "t.glb").unwrap()
}

pub(super) fn message(bytes: &[u8]) -> String {
    read(bytes, "t.glb").unwrap_err().to_string()
}

pub(super) fn assert_near(a: &[DVec3], b: &[DVec3], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((*a - *b).abs().max_element() <= tolerance, "{a} {b}");
    }
}

fn falling_tube() -> (TriMesh, Vec<Vec<DVec3>>) {
    let tube = shape::tube(0.2, 0.5, 6, 3);
    let frames = (0..4)
        .map(|k| tube.positions.iter().map(|p| *p * (1.0 + 0.1 * f64::from(k))).collect())
        .collect();
    (tube, frames)
}

#[test]
fn a_written_mesh_comes_back_to_float_precision() {
    let tube = shape::tube(0.2, 0.5, 6, 3);
    let mut bytes = Vec::new();
    write(&mut bytes, &tube, &Look::default()).unwrap();
    let split = ok(&bytes);
    // The seam is stored twice: 4 rows of one column.
    assert_eq!(split.positions.len(), tube.positions.len() + 4);
    let (welded, _) = split.weld();
    assert_eq!(welded.triangles, tube.triangles);
    assert_near(&welded.positions, &tube.positions, 1e-7);
    for t in 0..tube.triangles.len() {
        for (a, b) in welded.corners_uv(t).iter().zip(tube.corners_uv(t)) {
            assert!((*a - b).abs().max_element() < 1e-6);
        }
    }
    let topology = Topology::new(welded.positions.len(), &welded.triangles);
    assert_eq!(topology.components().1, 1);
}

#[test]
fn a_mesh_without_uv_keeps_its_indices() {
    let mut ball = shape::sphere(0.3, 1);
    ball.positions.push(DVec3::ONE);
    let mut bytes = Vec::new();
    write(&mut bytes, &ball, &Look::default()).unwrap();
    let back = ok(&bytes);
    assert_eq!(back.triangles, ball.triangles);
    assert_near(&back.positions, &ball.positions, 1e-7);
}

#[test]
fn an_animation_shows_each_frame_at_its_time() {
    let (tube, frames) = falling_tube();
    for interpolation in [Interpolation::Linear, Interpolation::Step] {
        for frame_normals in [true, false] {
            let look = Look { interpolation, frame_normals, ..Look::default() };
            let mut bytes = Vec::new();
            write_animation(&mut bytes, &tube, &frames, 24.0, &look).unwrap();
            let animation = read_animation(&bytes, "t.glb").unwrap().weld().0;
            assert_eq!(animation.times.len(), 4);
            for (k, time) in animation.times.iter().enumerate() {
                assert!((time - k as f64 / 24.0).abs() < 1e-8);
                assert_near(&animation.frames[k], &frames[k], 2e-7);
            }
            assert_eq!(animation.mesh.triangles, tube.triangles);
            assert_near(&ok(&bytes).weld().0.positions, &frames[0], 1e-7);
        }
    }
}

#[test]
fn the_layout_of_an_animation_is_what_viewers_expect() {
    let (tube, frames) = falling_tube();
    let mut bytes = Vec::new();
    write_animation(&mut bytes, &tube, &frames, 30.0, &Look::default()).unwrap();
    assert_eq!(u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize, bytes.len());
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let binary = &bytes[28 + length..];
    assert_eq!(json["buffers"][0]["byteLength"], binary.len());
    assert_eq!(json["materials"][0]["doubleSided"], true);
    let primitive = &json["meshes"][0]["primitives"][0];
    assert_eq!(primitive["targets"].as_array().unwrap().len(), 3);
    // Bounds are required of positions, and every view must be aligned.
    for accessor in [&primitive["attributes"], &primitive["targets"][2]] {
        let accessor = &json["accessors"][accessor["POSITION"].as_u64().unwrap() as usize];
        assert_eq!(accessor["min"].as_array().unwrap().len(), 3);
    }
    for view in json["bufferViews"].as_array().unwrap() {
        assert_eq!(view["byteOffset"].as_u64().unwrap() % 4, 0);
    }
    // What the targets share must have a stride; indices, times and weights must have none.
    let strides: Vec<_> = (0..7).map(|k| json["bufferViews"][k]["byteStride"].as_u64()).collect();
    assert_eq!(strides, [None, None, None, None, Some(12), None, None]);
    let targets: Vec<_> = (0..7).map(|k| json["bufferViews"][k]["target"].as_u64()).collect();
    let (index, vertex) = (Some(34963), Some(34962));
    assert_eq!(targets, [index, vertex, vertex, vertex, vertex, None, None]);
    let sampler = &json["animations"][0]["samplers"][0];
    let output = &json["accessors"][sampler["output"].as_u64().unwrap() as usize];
    assert_eq!(output["count"], 12);
    let at = json["bufferViews"][output["bufferView"].as_u64().unwrap() as usize]["byteOffset"]
        .as_u64()
        .unwrap() as usize;
    let weights: Vec<f32> =
        binary[at..].chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
    assert_eq!(weights, [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]);
}

#[test]
fn normals_are_of_unit_length() {
    let mut mesh = shape::grid(1.0, 1.0, 2, 2, shape::Diagonals::Same);
    mesh.positions.push(DVec3::ONE);
    let mut bytes = Vec::new();
    write(&mut bytes, &mesh, &Look::default()).unwrap();
    let file = File::parse(&bytes, "t.glb").unwrap();
    for n in file.points(2).unwrap() {
        assert_eq!(n, DVec3::Y);
    }
}

#[test]
fn unfit_frames_are_refused() {
    let (tube, frames) = falling_tube();
    let try_write = |frames: &[Vec<DVec3>], rate| {
        let error = write_animation(&mut Vec::new(), &tube, frames, rate, &Look::default());
        assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    };
    try_write(&[], 30.0);
    try_write(&frames, 0.0);
    try_write(&frames, f64::NAN);
    try_write(&[vec![DVec3::ZERO]], 30.0);
    try_write(&[vec![DVec3::splat(1e40); tube.positions.len()]], 30.0);
}

#[test]
fn transforms_of_nested_nodes_are_applied() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let bytes = edited(|j| {
        j["nodes"] = json!([
            { "children": [1, 2], "translation": [10, 0, 0] },
            { "mesh": 0, "scale": [2, 2, 2], "rotation": [0, 0, half, half] },
            { "mesh": 0, "matrix": [-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1] },
        ]);
    });
    let m = ok(&bytes);
    // Turned by 90° about z and doubled.
    let turned = [DVec3::ZERO, DVec3::new(0.0, 2.0, 0.0), DVec3::new(-2.0, 0.0, 0.0)];
    assert_near(&m.positions[..3], &turned.map(|p| p + 10.0 * DVec3::X), 1e-15);
    // Mirrored, so that the triangle is turned over to face the same way.
    assert_eq!(m.positions[4], DVec3::new(9.0, 0.0, 5.0));
    assert_eq!(m.triangles, [[0, 1, 2], [3, 5, 4]]);
    assert!(m.area_normal(1).z > 0.0);
}

#[test]
fn a_file_without_scenes_indices_or_mode_is_read() {
    let bytes = edited(|j| {
        j.as_object_mut().unwrap().retain(|k, _| k != "scene" && k != "scenes");
        j["meshes"][0]["primitives"][0] = json!({ "attributes": { "POSITION": 0 } });
    });
    assert_eq!(ok(&bytes).triangles, [[0, 1, 2]]);
    for (mode, triangles) in [(5, 1), (6, 1)] {
        let bytes = edited(|j| j["meshes"][0]["primitives"][0]["mode"] = json!(mode));
        assert_eq!(ok(&bytes).triangles.len(), triangles);
    }
    let lines = edited(|j| j["meshes"][0]["primitives"][0]["mode"] = json!(1));
    assert!(message(&lines).contains("no triangles"));
}

#[test]
fn strips_alternate_and_fans_turn() {
    assert_eq!(scene::corners(&[0, 1, 2, 3], 5), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(scene::corners(&[0, 1, 2, 3], 6), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(scene::corners(&[0], 6), [[0; 3]; 0]);
}

#[test]
fn byte_and_normalized_numbers_are_read() {
    let (mut json, mut binary) = triangle();
    binary[36..42].copy_from_slice(&[0, 1, 2, 0, 255, 51]);
    json["accessors"][1]["componentType"] = json!(5121);
    json["accessors"].as_array_mut().unwrap().push(json!({
        "bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC2", "normalized": true,
    }));
    json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = json!(2);
    let m = ok(&container(&json.to_string(), &binary));
    assert_eq!(m.triangles, [[0, 1, 2]]);
    assert_eq!(m.uv[2], DVec2::new(1.0, 1.0 - 0.2));
}

#[test]
fn sparse_accessors_replace_items() {
    let bytes = edited(|j| {
        // Item 1 becomes the second point of view 0 shifted by one float: (0, 0, 1).
        j["accessors"][0]["sparse"] = json!({
            "count": 1,
            "indices": { "bufferView": 1, "byteOffset": 2, "componentType": 5123 },
            "values": { "bufferView": 0, "byteOffset": 4 },
        });
    });
    assert_eq!(ok(&bytes).positions[1], DVec3::Z);
}

#[test]
fn messages_name_file_byte_and_remedy() {
    let export = "the file is damaged: export it again";
    assert_eq!(
        message(b"{\"asset\""),
        "t.glb at byte 0: this is not a GLB file; \
         a GLB file begins with glTF; if this is .gltf, export it as .glb"
    );
    assert_eq!(
        message(&container("{\"nodes\": 7}", &[])),
        format!(
            "t.glb at byte 31: the JSON is not glTF: invalid type: integer `7`, expected a se…; \
             {export}"
        )
    );
    let bytes = edited(|j| j["accessors"][0]["count"] = json!(4));
    assert!(
        message(&bytes)
            .ends_with(&format!("bufferView 0 runs past its end or that of the file; {export}"))
    );
    let bytes = edited(|j| j["meshes"][0]["primitives"][0]["indices"] = json!(9));
    assert_eq!(
        message(&bytes),
        format!("t.glb at byte 20: accessor 9 does not exist, there are 2; {export}")
    );
    let bytes = edited(|j| j["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]));
    assert_eq!(
        message(&bytes),
        "t.glb at byte 20: the mesh is compressed by KHR_draco_mesh_compression; \
         export without mesh compression"
    );
    let error = read_animation(&edited(|_| {}), "t.glb").unwrap_err().to_string();
    assert_eq!(
        error,
        "t.glb: no animation of the mesh in the file; \
         export the cloth as shape keys, or read it as a static mesh"
    );
}

#[test]
fn hostile_documents_are_errors() {
    let huge = 1_000_000_000_000_000_000_u64;
    type Edit = fn(&mut Value, u64);
    let edits: [(&str, Edit); 14] = [
        ("count", |j, n| j["accessors"][0]["count"] = json!(n)),
        ("indices", |j, n| j["accessors"][1]["count"] = json!(n)),
        ("no view", |j, n| {
            j["accessors"][0] = json!({ "componentType": 5126, "count": n, "type": "VEC3" });
        }),
        ("offset", |j, n| j["accessors"][0]["byteOffset"] = json!(n)),
        ("view offset", |j, n| j["bufferViews"][0]["byteOffset"] = json!(n)),
        ("view length", |j, n| j["bufferViews"][0]["byteLength"] = json!(n)),
        ("stride", |j, n| j["bufferViews"][0]["byteStride"] = json!(n)),
        ("stride 0", |j, _| j["bufferViews"][0]["byteStride"] = json!(0)),
        ("loop", |j, _| j["nodes"][0]["children"] = json!([0])),
        ("uri", |j, _| j["buffers"][0]["uri"] = json!("http://example.org/a.bin")),
        ("index too high", |j, _| j["accessors"][0]["count"] = json!(2)),
        ("type", |j, _| j["accessors"][0]["type"] = json!("MAT4")),
        ("component", |j, _| j["accessors"][0]["componentType"] = json!(5124)),
        ("sparse", |j, n| {
            j["accessors"][0]["sparse"] = json!({
                "count": n,
                "indices": { "bufferView": 1, "componentType": 5123 },
                "values": { "bufferView": 0 },
            });
        }),
    ];
    for (word, edit) in edits {
        for n in [u64::from(u32::MAX), 1 << 31, huge, u64::MAX] {
            let bytes = edited(|j| edit(j, n));
            assert!(message(&bytes).starts_with("t.glb at byte "), "{word} {n}");
        }
    }
}

#[test]
fn many_instances_of_a_mesh_do_not_fill_the_memory() {
    let ball = shape::sphere(1.0, 4);
    let mut bytes = Vec::new();
    write(&mut bytes, &ball, &Look::default()).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let binary = bytes[28 + length..].to_vec();
    json["nodes"] = json!(vec![json!({ "mesh": 0 }); 100_000]);
    json["scenes"][0]["nodes"] = json!((0..100_000).collect::<Vec<_>>());
    assert!(message(&container(&json.to_string(), &binary)).contains("unfolds to more than"));
}

#[test]
fn deep_json_is_an_error() {
    for word in ["nodes", "extras"] {
        let deep = format!("{{\"{word}\":{}", "[".repeat(200_000));
        assert!(message(&container(&deep, &[])).contains("the JSON is not glTF"));
    }
}

#[test]
fn chunks_of_wrong_size_are_errors() {
    let good = edited(|_| {});
    for at in [8, 12] {
        for value in [u32::MAX, 1 << 31, good.len() as u32 + 1] {
            let mut bad = good.clone();
            bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
            assert!(message(&bad).contains("the file ends too early"), "{at} {value}");
        }
    }
    let mut bad = good.clone();
    bad[12..16].copy_from_slice(&4_u32.to_le_bytes());
    assert!(message(&bad).contains("the JSON is not glTF"));
}

/// The JSON and the binary chunk of a file.
fn chunks(bytes: &[u8]) -> (Value, &[u8]) {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), &bytes[28 + length..])
}

#[test]
fn parts_are_primitives_with_their_material_and_name_and_share_their_vertices() {
    let model = two_fabrics();
    let mut bytes = Vec::new();
    write_model(&mut bytes, &model).unwrap();
    let (json, binary) = chunks(&bytes);
    let names = |v: &Value| -> Vec<String> {
        v.as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&json["materials"]), ["cotton", "denim", "body"]);
    assert_eq!(names(&json["nodes"]), ["garment", "body"]);
    assert_eq!(json["scenes"][0]["nodes"], json!([0, 1]));
    let primitives = json["meshes"][0]["primitives"].as_array().unwrap();
    let found: Vec<_> =
        primitives.iter().map(|p| (&p["material"], &p["extras"]["panel"])).collect();
    assert_eq!(found, [(&json!(0), &json!("front")), (&json!(1), &json!("back"))]);
    assert_eq!(primitives[0]["attributes"], primitives[1]["attributes"]);
    assert_eq!(json["meshes"][0]["extras"]["panels"], json!(["front", "back"]));
    assert_eq!(json["meshes"][1]["primitives"][0]["material"], 2);
    // The part of each vertex.
    let accessor = primitives[0]["attributes"]["_PANEL"].as_u64().unwrap() as usize;
    let view = json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    let view = &json["bufferViews"][view];
    let at = view["byteOffset"].as_u64().unwrap() as usize;
    let end = at + view["byteLength"].as_u64().unwrap() as usize;
    let panels: Vec<f32> = binary[at..end]
        .chunks_exact(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    assert_eq!(panels.iter().filter(|p| **p == 1.0).count() * 2, panels.len());
    // Read back as one surface, its vertices in the old order.
    let mut cloth = model.clone();
    cloth.objects.truncate(1);
    let mut bytes = Vec::new();
    write_model(&mut bytes, &cloth).unwrap();
    let back = ok(&bytes);
    assert_eq!(back.positions.len(), panels.len());
    let welded = back.weld().0;
    assert_eq!(welded.triangles, model.objects[0].mesh.triangles);
    assert_eq!(welded.positions, model.objects[0].mesh.positions);
}

#[test]
fn rigid_objects_move_beside_what_deforms() {
    let mut model = two_fabrics();
    let frames: Vec<Vec<DVec3>> = (0..3)
        .map(|k| {
            model.objects[0].mesh.positions.iter().map(|p| *p + f64::from(k) * DVec3::Y).collect()
        })
        .collect();
    let turn = glam::DQuat::from_rotation_y(1.0);
    let pose = |k: i32| RigidPose { rotation: turn, translation: f64::from(k) * DVec3::X };
    model.objects[1].poses = (0..3).map(pose).collect();
    let mut bytes = Vec::new();
    // Keys of nodes that are farther apart have frames between them.
    write_model_animation(&mut bytes, &model, &frames, &Playback::new(30.0)).unwrap();
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    assert_eq!(reader.times().len(), 3);
    for (k, frame) in frames.iter().enumerate() {
        let found = reader.frame(k).unwrap();
        let rows = found.len() - model.objects[1].mesh.positions.len();
        let ball = model.objects[1].mesh.positions.iter();
        let ball: Vec<DVec3> = ball.map(|p| turn * *p + k as f64 * DVec3::X).collect();
        assert_near(&found[rows..], &ball, 1e-6);
        let height = |x: &[DVec3]| x.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        assert!((height(&found[..rows]) - height(frame)).abs() < 1e-6);
    }
    model.objects[1].poses.pop();
    let error = write_model_animation(&mut Vec::new(), &model, &frames, &Playback::new(30.0));
    assert!(error.unwrap_err().to_string().contains("`body` has 2 poses for 3 frames"));
}

#[test]
fn several_objects_change_their_shape_at_once() {
    let mut model = two_fabrics();
    let swollen = |x: &[DVec3], k: usize| -> Vec<DVec3> {
        x.iter().map(|p| *p * (1.0 + 0.1 * k as f64)).collect()
    };
    let sheet = model.objects[0].mesh.positions.clone();
    let ball = model.objects[1].mesh.positions.clone();
    let frames: Vec<_> = (0..3).map(|k| swollen(&sheet, k)).collect();
    model.objects[1].frames = (0..3).map(|k| swollen(&ball, 2 * k)).collect();
    let mut bytes = Vec::new();
    write_model_animation(&mut bytes, &model, &frames, &Playback::new(30.0)).unwrap();
    let reader = Reader::new(&bytes, "t.glb").unwrap();
    assert_eq!(reader.times().len(), 3);
    for k in 0..3 {
        let found = reader.frame(k).unwrap();
        let rows = found.len() - ball.len();
        assert_near(&found[rows..], &swollen(&ball, 2 * k), 1e-6);
        let widest = |x: &[DVec3]| x.iter().map(|p| p.x).fold(0.0, f64::max);
        assert!((widest(&found[..rows]) - widest(&frames[k])).abs() < 1e-6);
    }
    model.objects[1].frames[2].pop();
    let error = write_model_animation(&mut Vec::new(), &model, &frames, &Playback::new(30.0));
    assert!(error.unwrap_err().to_string().contains("frame 2 of object `body`"));
    model.objects[1].frames.pop();
    let error = write_model_animation(&mut Vec::new(), &model, &frames, &Playback::new(30.0));
    assert!(error.unwrap_err().to_string().contains("2 frames of its own for 3"));
}

#[test]
fn primitives_that_share_their_vertices_do_not_unfold_without_bound() {
    let bytes = edited(|j| {
        let primitive = j["meshes"][0]["primitives"][0].clone();
        j["meshes"][0]["primitives"] = json!(vec![primitive; 3]);
        j["nodes"][0]["scale"] = json!([-1, 1, 1]);
    });
    let m = ok(&bytes);
    assert_eq!((m.positions.len(), m.triangles), (3, vec![[0, 2, 1]; 3]));
}

#[test]
fn a_weave_is_written_with_its_extensions_and_tiled_textures() {
    use super::super::model::{Textures, WeaveLook};
    use std::sync::Arc;
    let png = |length: usize| (0..length).map(|k| k as u8).collect::<Vec<u8>>();
    let textures =
        Textures { size: [0.004, 0.008], base_color: png(5), normal: png(8), roughness: png(7) };
    let weave = WeaveLook {
        sheen: [0.1, 0.2, 0.3],
        sheen_roughness: 0.5,
        anisotropy: 0.6,
        transmission: 0.0,
        textures: Some(textures.clone()),
        ..WeaveLook::default()
    };
    let mut model = two_fabrics();
    model.materials[1].weave = Some(Arc::new(weave));
    let mut bytes = Vec::new();
    write_model(&mut bytes, &model).unwrap();
    let (json, binary) = chunks(&bytes);
    let material = &json["materials"][1];
    assert!(json["materials"][0].get("extensions").is_none());
    assert_eq!(
        material["extensions"]["KHR_materials_anisotropy"]["anisotropyStrength"],
        json!(0.6_f32)
    );
    assert!(material["extensions"].get("KHR_materials_transmission").is_none());
    assert_eq!(
        json["extensionsUsed"],
        json!(["KHR_materials_anisotropy", "KHR_materials_sheen", "KHR_texture_transform"])
    );
    let places = ["baseColorTexture", "metallicRoughnessTexture"]
        .map(|n| &material["pbrMetallicRoughness"][n]);
    for (place, file) in [
        (places[0], &textures.base_color),
        (&material["normalTexture"], &textures.normal),
        (places[1], &textures.roughness),
    ] {
        let transform = &place["extensions"]["KHR_texture_transform"];
        assert_eq!(transform["scale"], json!([250.0, 125.0]));
        // The top of the first tile, v = 0.008, is row 0 of the picture.
        let t = (1.0 - 0.008) * 125.0 + transform["offset"][1].as_f64().unwrap();
        assert!((t - t.round()).abs() < 1e-9, "{t}");
        let texture = place["index"].as_u64().unwrap() as usize;
        let source = json["textures"][texture]["source"].as_u64().unwrap() as usize;
        let view =
            &json["bufferViews"][json["images"][source]["bufferView"].as_u64().unwrap() as usize];
        let at = view["byteOffset"].as_u64().unwrap() as usize;
        assert_eq!(at % 4, 0);
        assert_eq!(view["byteLength"], json!(file.len()));
        assert_eq!(&binary[at..at + file.len()], &file[..]);
    }
    ok(&bytes);
}
