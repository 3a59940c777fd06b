//! Where everything is in the binary chunk, and the JSON that says so.

use super::super::super::model::{Material, Object, Part, Rows, WeaveLook};
use super::{Interpolation, Movie};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};

/// What a buffer view holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Indices of the triangles of an object.
    Indices(usize),
    /// Positions of an object in the first frame.
    Positions(usize),
    /// Normals of an object in the first frame.
    Normals(usize),
    /// Texture coordinates of an object.
    Uv(usize),
    /// The part that each vertex of an object belongs to.
    Panels(usize),
    /// For each further frame of an object differences of positions, and of normals if they are wanted.
    Targets(usize),
    /// Time of each frame.
    Times,
    /// Weight of each target in each frame.
    Weights,
    /// Translations of a rigid object.
    Translations(usize),
    /// Rotations of a rigid object.
    Rotations(usize),
    /// A picture of a material: colour, normals or roughness.
    Picture(usize, usize),
}

/// A buffer view.
struct View {
    content: Content,
    length: u64,
}

impl View {
    /// Its length with what aligns the next one.
    fn padded(&self) -> u64 {
        self.length.next_multiple_of(4)
    }
}

/// The pictures of a material: colour, normals, roughness.
pub(super) fn pictures(material: &Material) -> Option<[&[u8]; 3]> {
    Some(material.weave.as_ref()?.textures.as_ref()?.files())
}

/// The binary chunk.
pub(super) struct Layout {
    views: Vec<View>,
}

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

impl Layout {
    pub(super) fn new(movie: &Movie<'_>) -> Self {
        let mut layout = Self { views: Vec::new() };
        for (k, object) in movie.model.objects.iter().enumerate() {
            let (rows, corners) = (&movie.rows[k], 3 * object.mesh.triangles.len() as u64);
            let count = rows.keys.len() as u64;
            layout.push(Content::Indices(k), 4 * corners);
            layout.push(Content::Positions(k), 12 * count);
            layout.push(Content::Normals(k), 12 * count);
            if object.mesh.has_uv() {
                layout.push(Content::Uv(k), 8 * count);
            }
            if object.parts.len() > 1 {
                layout.push(Content::Panels(k), 4 * count);
            }
        }
        let frames = movie.frames.len() as u64;
        let targets = frames - 1;
        if targets > 0 {
            for k in (0..movie.model.objects.len()).filter(|k| movie.is_morphed(*k)) {
                layout.push(Content::Targets(k), target_bytes(movie, k) * targets);
            }
            layout.push(Content::Times, 4 * frames);
            layout.push(Content::Weights, 4 * frames * targets);
        }
        for (k, object) in movie.model.objects.iter().enumerate() {
            if targets > 0 && !object.poses.is_empty() {
                layout.push(Content::Translations(k), 12 * frames);
                layout.push(Content::Rotations(k), 16 * frames);
            }
        }
        for (m, material) in movie.model.materials.iter().enumerate() {
            for (k, file) in pictures(material).into_iter().flatten().enumerate() {
                layout.push(Content::Picture(m, k), file.len() as u64);
            }
        }
        layout
    }

    fn push(&mut self, content: Content, length: u64) {
        self.views.push(View { content, length });
    }

    /// What is to be written, in order.
    pub(super) fn contents(&self) -> impl Iterator<Item = Content> + '_ {
        self.views.iter().map(|v| v.content)
    }

    /// Bytes of all views.
    pub(super) fn length(&self) -> u64 {
        self.views.iter().map(View::padded).sum()
    }

    fn view(&self, content: Content) -> Option<usize> {
        self.views.iter().position(|v| v.content == content)
    }

    fn views_json(&self) -> Vec<Value> {
        let mut offset = 0;
        let json = |view: &View| {
            let mut json = json!({ "buffer": 0, "byteOffset": offset, "byteLength": view.length });
            match view.content {
                Content::Indices(_) => json["target"] = json!(34963),
                Content::Positions(_)
                | Content::Normals(_)
                | Content::Uv(_)
                | Content::Panels(_) => {
                    json["target"] = json!(34962);
                }
                Content::Targets(_) => {
                    json["target"] = json!(34962);
                    // Many accessors share the morph targets, which then need a stride.
                    json["byteStride"] = json!(12);
                }
                _ => {}
            }
            offset += view.padded();
            json
        };
        self.views.iter().map(json).collect()
    }

    /// The document.
    pub(super) fn json(&self, movie: &Movie<'_>) -> Value {
        let mut accessors = Vec::new();
        let objects = movie.model.objects.iter().enumerate();
        let meshes: Vec<Value> =
            objects.clone().map(|(k, _)| self.mesh_json(movie, k, &mut accessors)).collect();
        let nodes: Vec<Value> = objects.map(|(k, o)| node_json(k, o)).collect();
        let roots: Vec<usize> = (0..nodes.len()).collect();
        let animation = self.animation_json(movie, &mut accessors);
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "toile" },
            "scene": 0,
            "scenes": [{ "nodes": roots }],
            "nodes": nodes,
            "meshes": meshes,
            "materials": self.materials_json(&movie.model.materials),
            "accessors": accessors,
            "bufferViews": self.views_json(),
            "buffers": [{ "byteLength": self.length() }],
        });
        if let Some(animation) = animation {
            document["animations"] = json!([animation]);
        }
        self.add_pictures(&mut document, &movie.model.materials);
        document
    }

    /// Images and textures, and which extensions are used.
    fn add_pictures(&self, document: &mut Value, materials: &[Material]) {
        let images: Vec<Value> = (self.views.iter().enumerate())
            .filter(|(_, v)| matches!(v.content, Content::Picture(..)))
            .map(|(view, _)| json!({ "bufferView": view, "mimeType": "image/png" }))
            .collect();
        if !images.is_empty() {
            let textures: Vec<Value> =
                (0..images.len()).map(|k| json!({ "sampler": 0, "source": k })).collect();
            document["images"] = json!(images);
            document["textures"] = json!(textures);
            // Smooth when near and far, and repeated.
            document["samplers"] =
                json!([{ "magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497 }]);
        }
        let mut used: Vec<String> = Vec::new();
        for material in document["materials"].as_array().into_iter().flatten() {
            let names = material["extensions"].as_object().into_iter().flat_map(|e| e.keys());
            used.extend(names.cloned());
        }
        if materials.iter().any(|m| pictures(m).is_some()) {
            used.push("KHR_texture_transform".into());
        }
        used.sort();
        used.dedup();
        if !used.is_empty() {
            document["extensionsUsed"] = json!(used);
        }
    }

    fn materials_json(&self, materials: &[Material]) -> Vec<Value> {
        let mut texture = 0;
        let json = |material: &Material| {
            let mut json = material_json(material);
            let Some(weave) = &material.weave else { return json };
            add_weave(&mut json, weave);
            if let Some(textures) = &weave.textures {
                let [sx, sy] = textures.size.map(|s| 1.0 / s);
                // Written texture coordinates are 1 − v.
                let offset = (1.0 - sy).rem_euclid(1.0);
                let mut next = || {
                    texture += 1;
                    json!({ "index": texture - 1, "extensions": { "KHR_texture_transform": {
                        "scale": [sx, sy], "offset": [0.0, offset] } } })
                };
                let pbr = &mut json["pbrMetallicRoughness"];
                pbr["baseColorTexture"] = next();
                pbr["baseColorFactor"] = json!([1.0, 1.0, 1.0, 1.0]);
                let normal = next();
                pbr["metallicRoughnessTexture"] = next();
                pbr["roughnessFactor"] = json!(1.0);
                json["normalTexture"] = normal;
            }
            json
        };
        materials.iter().map(json).collect()
    }

    /// An accessor of a whole view.
    fn whole(
        &self,
        accessors: &mut Vec<Value>,
        content: Content,
        count: u64,
        kind: &str,
    ) -> Option<usize> {
        let view = self.view(content)?;
        accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": count, "type": kind,
        }));
        Some(accessors.len() - 1)
    }

    fn mesh_json(&self, movie: &Movie<'_>, k: usize, accessors: &mut Vec<Value>) -> Value {
        let (object, rows) = (&movie.model.objects[k], &movie.rows[k]);
        let count = rows.keys.len() as u64;
        let parts = object.all_parts();
        let first = self.index_accessors(k, &parts, accessors);
        let mut attributes = json!({});
        if let Some(view) = self.view(Content::Positions(k)) {
            attributes["POSITION"] = json!(accessors.len());
            accessors.push(point_accessor(view, 0, count, Some(points(rows, movie.base(k)))));
        }
        for (name, content, kind) in [
            ("NORMAL", Content::Normals(k), "VEC3"),
            ("TEXCOORD_0", Content::Uv(k), "VEC2"),
            ("_PANEL", Content::Panels(k), "SCALAR"),
        ] {
            if let Some(accessor) = self.whole(accessors, content, count, kind) {
                attributes[name] = json!(accessor);
            }
        }
        let targets = self.target_accessors(movie, k, accessors);
        let primitive = |(i, part): (usize, &Part)| {
            let mut primitive = json!({
                "attributes": attributes, "indices": first + i, "material": part.material, "mode": 4,
            });
            if !targets.is_empty() {
                primitive["targets"] = json!(targets);
            }
            if !object.parts.is_empty() {
                primitive["extras"] = json!({ "panel": part.name });
            }
            primitive
        };
        let drawn = parts.iter().filter(|p| !p.triangles.is_empty() || parts.len() == 1);
        let primitives: Vec<Value> = drawn.enumerate().map(primitive).collect();
        let mut mesh = json!({ "name": object.name, "primitives": primitives });
        if !targets.is_empty() {
            mesh["weights"] = json!(vec![0.0; targets.len()]);
            let names: Vec<String> = (1..=targets.len()).map(|k| format!("frame {k}")).collect();
            mesh["extras"] = json!({ "targetNames": names });
        }
        if !object.parts.is_empty() {
            let names: Vec<&str> = object.parts.iter().map(|p| p.name.as_str()).collect();
            mesh["extras"]["panels"] = json!(names);
        }
        mesh
    }

    /// An accessor of the triangles of each part that has any, and the index of the first.
    fn index_accessors(&self, k: usize, parts: &[Part], accessors: &mut Vec<Value>) -> usize {
        let (first, view) = (accessors.len(), self.view(Content::Indices(k)));
        for part in parts.iter().filter(|p| !p.triangles.is_empty() || parts.len() == 1) {
            let mut accessor = json!({
                "bufferView": view, "componentType": UNSIGNED_INT, "count": 3 * part.triangles.len(),
                "type": "SCALAR",
            });
            if part.triangles.start > 0 {
                accessor["byteOffset"] = json!(12 * u64::from(part.triangles.start));
            }
            accessors.push(accessor);
        }
        first
    }

    /// Morph targets: all frames of an object but the first.
    fn target_accessors(
        &self,
        movie: &Movie<'_>,
        object: usize,
        accessors: &mut Vec<Value>,
    ) -> Vec<Value> {
        let Some(view) = self.view(Content::Targets(object)) else { return Vec::new() };
        let (rows, frames) = (&movie.rows[object], movie.frames_of(object));
        let first = &frames[0];
        let count = rows.keys.len() as u64;
        let mut targets = Vec::new();
        for (k, frame) in frames[1..].iter().enumerate() {
            let at = k as u64 * target_bytes(movie, object);
            let mut target = json!({ "POSITION": accessors.len() });
            accessors.push(point_accessor(view, at, count, Some(deltas(rows, first, frame))));
            if movie.playback.frame_normals {
                target["NORMAL"] = json!(accessors.len());
                let nothing = None::<std::iter::Empty<Vec3>>;
                accessors.push(point_accessor(view, at + 12 * count, count, nothing));
            }
            targets.push(target);
        }
        targets
    }

    fn animation_json(&self, movie: &Movie<'_>, accessors: &mut Vec<Value>) -> Option<Value> {
        let frames = movie.frames.len() as u64;
        let times = self.whole(accessors, Content::Times, frames, "SCALAR")?;
        let last = ((frames - 1) as f64 / movie.playback.rate) as f32;
        accessors[times]["min"] = json!([0.0]);
        accessors[times]["max"] = json!([last]);
        let interpolation = match movie.playback.interpolation {
            Interpolation::Linear => "LINEAR",
            Interpolation::Step => "STEP",
        };
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        let mut animate = |node: usize, path: &str, output: Option<usize>| {
            let Some(output) = output else { return };
            channels.push(
                json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }),
            );
            samplers
                .push(json!({ "input": times, "output": output, "interpolation": interpolation }));
        };
        let weights = frames * (frames - 1);
        let weights = self.whole(accessors, Content::Weights, weights, "SCALAR");
        for k in (0..movie.model.objects.len()).filter(|k| movie.is_morphed(*k)) {
            animate(k, "weights", weights);
        }
        for k in 0..movie.model.objects.len() {
            let translations = self.whole(accessors, Content::Translations(k), frames, "VEC3");
            animate(k, "translation", translations);
            animate(k, "rotation", self.whole(accessors, Content::Rotations(k), frames, "VEC4"));
        }
        Some(json!({ "name": "motion", "samplers": samplers, "channels": channels }))
    }
}

/// Bytes of one morph target of an object.
fn target_bytes(movie: &Movie<'_>, object: usize) -> u64 {
    let each = if movie.playback.frame_normals { 24 } else { 12 };
    each * movie.rows[object].keys.len() as u64
}

/// Positions in 32-bit floats, row by row.
pub(super) fn points<'a>(rows: &'a Rows, x: &'a [DVec3]) -> impl Iterator<Item = Vec3> + 'a {
    rows.vertices().map(|v| x[v as usize].as_vec3())
}

/// What takes the first frame to another.
pub(super) fn deltas<'a>(
    rows: &'a Rows,
    first: &'a [DVec3],
    frame: &'a [DVec3],
) -> impl Iterator<Item = Vec3> + 'a {
    points(rows, first).zip(points(rows, frame)).map(|(a, b)| b - a)
}

fn node_json(k: usize, object: &Object) -> Value {
    let mut node = json!({ "name": object.name, "mesh": k });
    if let Some(pose) = object.poses.first() {
        node["translation"] = json!(pose.translation.as_vec3().to_array());
        node["rotation"] = json!(pose.rotation.as_quat().to_array());
    }
    node
}

fn material_json(material: &Material) -> Value {
    let [r, g, b] = material.base_color;
    json!({
        "name": material.name,
        "doubleSided": true,
        "pbrMetallicRoughness": {
            "baseColorFactor": [r, g, b, 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": material.roughness,
        },
    })
}

/// The extensions that a weave asks for.
fn add_weave(json: &mut Value, weave: &WeaveLook) {
    let mut extensions = json!({});
    if weave.sheen.iter().any(|c| *c > 0.0) {
        extensions["KHR_materials_sheen"] = json!({
            "sheenColorFactor": weave.sheen, "sheenRoughnessFactor": weave.sheen_roughness });
    }
    if weave.anisotropy > 0.0 {
        extensions["KHR_materials_anisotropy"] = json!({
            "anisotropyStrength": weave.anisotropy, "anisotropyRotation": weave.anisotropy_rotation });
    }
    if weave.transmission > 0.0 {
        extensions["KHR_materials_transmission"] =
            json!({ "transmissionFactor": weave.transmission });
    }
    if extensions.as_object().is_some_and(|e| !e.is_empty()) {
        json["extensions"] = extensions;
    }
}

/// An accessor of points, with their bounds if they are given.
fn point_accessor(
    view: usize,
    offset: u64,
    count: u64,
    points: Option<impl Iterator<Item = Vec3>>,
) -> Value {
    let mut accessor = json!({
        "bufferView": view, "byteOffset": offset,
        "componentType": FLOAT, "count": count, "type": "VEC3",
    });
    if let Some(points) = points {
        let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (lo, hi) = points.fold(start, |(lo, hi), p| (lo.min(p), hi.max(p)));
        accessor["min"] = json!(lo.to_array());
        accessor["max"] = json!(hi.to_array());
    }
    accessor
}
