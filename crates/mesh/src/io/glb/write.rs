//! Writing of GLB.

use super::super::{check_writable, invalid_input};
use crate::{NONE, TriMesh};
use glam::{DVec3, Vec2, Vec3};
use serde_json::{Value, json};
use std::io::{self, Write};

/// How a viewer passes from one frame to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Points move straight between frames.
    #[default]
    Linear,
    /// A frame stays until the next.
    Step,
}

/// How a mesh looks in a viewer. The material is always seen from both sides, as cloth is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Colour in linear red, green, blue, each from 0 to 1.
    pub base_color: [f32; 3],
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// Passage between the frames of an animation.
    pub interpolation: Interpolation,
    /// Whether the frames of an animation have normals of their own. Without them the file is half
    /// as large, but viewers other than Blender light all frames as the first.
    pub frame_normals: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            base_color: [0.6, 0.55, 0.5],
            roughness: 0.9,
            interpolation: Interpolation::Linear,
            frame_normals: true,
        }
    }
}

/// Writes a static mesh with normals, and with uv if it has any.
///
/// # Errors
/// If `out` fails, or with [`io::ErrorKind::InvalidInput`] if the mesh has a hard fault or does
/// not fit in 32-bit floats and 4 GB.
pub fn write(out: &mut dyn Write, mesh: &TriMesh, look: &Look) -> io::Result<()> {
    write_animation(out, mesh, std::slice::from_ref(&mesh.positions), 1.0, look)
}

/// Writes the motion of a mesh: its triangles and uv with the positions of `frames`, of which
/// frame i is shown at the time i / `rate` \[s\].
///
/// # Errors
/// If `out` fails, or with [`io::ErrorKind::InvalidInput`] if the mesh has a hard fault, there is
/// no frame, a frame does not fit the mesh, the rate is not positive, or the numbers do not fit in
/// 32-bit floats and 4 GB.
pub fn write_animation(
    out: &mut dyn Write,
    mesh: &TriMesh,
    frames: &[Vec<DVec3>],
    rate: f64,
    look: &Look,
) -> io::Result<()> {
    check_writable(mesh)?;
    check_frames(mesh, frames, rate)?;
    let rows = Rows::new(mesh);
    let layout = Layout::new(&rows, frames, look.frame_normals);
    let too_large = || {
        let mb = layout.length / 1_000_000;
        invalid_input(format!("{mb} MB do not fit in a GLB; write fewer frames, or a PC2"))
    };
    // Refused before the JSON is made, which grows with the frames too.
    if layout.length > u64::from(u32::MAX) {
        return Err(too_large());
    }
    let mut json = layout.json(&rows, frames, rate, look).to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() as u64 + 8 + layout.length;
    let total = u32::try_from(total).map_err(|_| too_large())?;
    for word in [*b"glTF", 2_u32.to_le_bytes(), total.to_le_bytes()] {
        out.write_all(&word)?;
    }
    out.write_all(&(json.len() as u32).to_le_bytes())?;
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    out.write_all(&(layout.length as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    write_binary(out, mesh, &rows, frames, rate, look)
}

fn check_frames(mesh: &TriMesh, frames: &[Vec<DVec3>], rate: f64) -> io::Result<()> {
    if frames.is_empty() {
        return Err(invalid_input("there are no frames; write at least one"));
    }
    if !(rate > 0.0 && rate.is_finite()) {
        return Err(invalid_input(format!("{rate} frames per second; use a positive number")));
    }
    for (k, frame) in frames.iter().enumerate() {
        if frame.len() != mesh.positions.len() {
            let (n, count) = (frame.len(), mesh.positions.len());
            let what = format!("frame {k} has {n} points for {count} vertices; use its own mesh");
            return Err(invalid_input(what));
        }
        if let Some(v) = frame.iter().position(|p| !p.as_vec3().is_finite()) {
            let what = format!("vertex {v} of frame {k} is no finite 32-bit number; check it");
            return Err(invalid_input(what));
        }
    }
    Ok(())
}

/// The vertices as glTF wants them: one for each pair of a vertex and a uv point.
struct Rows {
    /// Vertex and uv point of each row, sorted, so that the vertices keep their order.
    pairs: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    uv: Vec<Vec2>,
}

impl Rows {
    fn new(mesh: &TriMesh) -> Self {
        let count = mesh.positions.len() as u32;
        if !mesh.has_uv() {
            let pairs = (0..count).map(|v| [v, NONE]).collect();
            return Self { pairs, triangles: mesh.triangles.clone(), uv: Vec::new() };
        }
        let corners = || mesh.triangles.iter().flatten().zip(mesh.uv_triangles.iter().flatten());
        let mut pairs: Vec<[u32; 2]> = corners().map(|(v, uv)| [*v, *uv]).collect();
        // Vertices without triangles stay in their place.
        let mut is_used = vec![false; mesh.positions.len()];
        mesh.triangles.iter().flatten().for_each(|v| is_used[*v as usize] = true);
        pairs.extend((0..count).filter(|v| !is_used[*v as usize]).map(|v| [v, NONE]));
        pairs.sort_unstable();
        pairs.dedup();
        let row = |v: u32, uv: u32| pairs.partition_point(|p| *p < [v, uv]) as u32;
        let triangles = mesh
            .triangles
            .iter()
            .zip(&mesh.uv_triangles)
            .map(|(t, uv)| [0, 1, 2].map(|k| row(t[k], uv[k])))
            .collect();
        let point = |[_, uv]: &[u32; 2]| {
            let p = mesh.uv.get(*uv as usize).copied().unwrap_or_default();
            Vec2::new(p.x as f32, (1.0 - p.y) as f32)
        };
        let uv = pairs.iter().map(point).collect();
        Self { pairs, triangles, uv }
    }

    /// A frame in 32-bit floats, row by row.
    fn points<'a>(&'a self, frame: &'a [DVec3]) -> impl Iterator<Item = Vec3> + 'a {
        self.pairs.iter().map(|[v, _]| frame[*v as usize].as_vec3())
    }

    /// What takes the first frame to another.
    fn deltas<'a>(
        &'a self,
        first: &'a [DVec3],
        frame: &'a [DVec3],
    ) -> impl Iterator<Item = Vec3> + 'a {
        self.points(first).zip(self.points(frame)).map(|(a, b)| b - a)
    }
}

/// Where everything is in the binary chunk. In this order: indices, positions, normals, uv,
/// then for each further frame deltas of positions and normals, then times and weights.
struct Layout {
    rows: u64,
    corners: u64,
    has_uv: bool,
    frame_normals: bool,
    targets: u64,
    length: u64,
}

impl Layout {
    fn new(rows: &Rows, frames: &[Vec<DVec3>], frame_normals: bool) -> Self {
        let mut layout = Self {
            rows: rows.pairs.len() as u64,
            corners: 3 * rows.triangles.len() as u64,
            has_uv: !rows.uv.is_empty(),
            frame_normals,
            targets: frames.len() as u64 - 1,
            length: 0,
        };
        layout.length = layout.view_lengths().iter().sum();
        layout
    }

    /// Lengths of the buffer views in bytes.
    fn view_lengths(&self) -> Vec<u64> {
        let mut lengths = vec![4 * self.corners, 12 * self.rows, 12 * self.rows];
        if self.has_uv {
            lengths.push(8 * self.rows);
        }
        if self.targets > 0 {
            lengths.push(self.target_length() * self.targets);
            lengths.push(4 * (self.targets + 1));
            lengths.push(4 * (self.targets + 1) * self.targets);
        }
        lengths
    }

    /// Bytes of one morph target.
    fn target_length(&self) -> u64 {
        if self.frame_normals { 24 * self.rows } else { 12 * self.rows }
    }

    fn json(&self, rows: &Rows, frames: &[Vec<DVec3>], rate: f64, look: &Look) -> Value {
        let mut offset = 0;
        let mut views = Vec::new();
        for (k, length) in self.view_lengths().into_iter().enumerate() {
            let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
            let vertex_views = if self.has_uv { 4 } else { 3 };
            if k == 0 {
                view["target"] = json!(34963);
            } else if k < vertex_views || (k == vertex_views && self.targets > 0) {
                view["target"] = json!(34962);
            }
            if k == vertex_views {
                // Many accessors share the morph targets, which then need a stride.
                view["byteStride"] = json!(12);
            }
            views.push(view);
            offset += length;
        }
        let mut accessors = vec![
            json!({ "bufferView": 0, "componentType": 5125, "count": self.corners, "type": "SCALAR" }),
            point_accessor(1, 0, self.rows, Some(rows.points(&frames[0]))),
            point_accessor(2, 0, self.rows, None::<std::iter::Empty<Vec3>>),
        ];
        let mut attributes = json!({ "POSITION": 1, "NORMAL": 2 });
        if self.has_uv {
            attributes["TEXCOORD_0"] = json!(3);
            accessors.push(
                json!({ "bufferView": 3, "componentType": 5126, "count": self.rows, "type": "VEC2" }),
            );
        }
        let mut primitive =
            json!({ "attributes": attributes, "indices": 0, "material": 0, "mode": 4 });
        let mut mesh = json!({ "name": "cloth" });
        let mut animations = Value::Null;
        if self.targets > 0 {
            let view = if self.has_uv { 4 } else { 3 };
            let mut targets = Vec::new();
            for (k, frame) in frames[1..].iter().enumerate() {
                let at = k as u64 * self.target_length();
                let mut target = json!({ "POSITION": accessors.len() });
                let deltas = rows.deltas(&frames[0], frame);
                accessors.push(point_accessor(view, at, self.rows, Some(deltas)));
                if self.frame_normals {
                    target["NORMAL"] = json!(accessors.len());
                    let at = at + 12 * self.rows;
                    let nothing = None::<std::iter::Empty<Vec3>>;
                    accessors.push(point_accessor(view, at, self.rows, nothing));
                }
                targets.push(target);
            }
            primitive["targets"] = json!(targets);
            mesh["weights"] = json!(vec![0.0; targets.len()]);
            let names: Vec<String> = (1..frames.len()).map(|k| format!("frame {k}")).collect();
            mesh["extras"] = json!({ "targetNames": names });
            animations = json!([{
                "name": "motion",
                "samplers": [{
                    "input": accessors.len(),
                    "output": accessors.len() + 1,
                    "interpolation": match look.interpolation {
                        Interpolation::Linear => "LINEAR",
                        Interpolation::Step => "STEP",
                    },
                }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
            }]);
            let last = (self.targets as f64 / rate) as f32;
            accessors.push(json!({
                "bufferView": view + 1, "componentType": 5126, "count": self.targets + 1,
                "type": "SCALAR", "min": [0.0], "max": [last],
            }));
            accessors.push(json!({
                "bufferView": view + 2, "componentType": 5126,
                "count": (self.targets + 1) * self.targets, "type": "SCALAR",
            }));
        }
        mesh["primitives"] = json!([primitive]);
        let [r, g, b] = look.base_color;
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "toile" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "name": "cloth", "mesh": 0 }],
            "meshes": [mesh],
            "materials": [{
                "name": "cloth",
                "doubleSided": true,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [r, g, b, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": look.roughness,
                },
            }],
            "accessors": accessors,
            "bufferViews": views,
            "buffers": [{ "byteLength": self.length }],
        });
        if !animations.is_null() {
            document["animations"] = animations;
        }
        document
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
        "componentType": 5126, "count": count, "type": "VEC3",
    });
    if let Some(points) = points {
        let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (lo, hi) = points.fold(start, |(lo, hi), p| (lo.min(p), hi.max(p)));
        accessor["min"] = json!(lo.to_array());
        accessor["max"] = json!(hi.to_array());
    }
    accessor
}

fn write_binary(
    out: &mut dyn Write,
    mesh: &TriMesh,
    rows: &Rows,
    frames: &[Vec<DVec3>],
    rate: f64,
    look: &Look,
) -> io::Result<()> {
    for v in rows.triangles.iter().flatten() {
        out.write_all(&v.to_le_bytes())?;
    }
    let mut posed = mesh.clone();
    let mut normals_of = |frame: &Vec<DVec3>| {
        posed.positions.clone_from(frame);
        // A normal of length zero is not allowed.
        let unit = |n: DVec3| if n == DVec3::ZERO { DVec3::Y } else { n };
        posed.vertex_normals().into_iter().map(unit).collect::<Vec<_>>()
    };
    let first_normals = normals_of(&frames[0]);
    write_floats(out, rows.points(&frames[0]).flat_map(|p| p.to_array()))?;
    write_floats(out, rows.points(&first_normals).flat_map(|p| p.to_array()))?;
    write_floats(out, rows.uv.iter().flat_map(|p| p.to_array()))?;
    for frame in &frames[1..] {
        write_floats(out, rows.deltas(&frames[0], frame).flat_map(|p| p.to_array()))?;
        if look.frame_normals {
            let normals = normals_of(frame);
            write_floats(out, rows.deltas(&first_normals, &normals).flat_map(|p| p.to_array()))?;
        }
    }
    if frames.len() > 1 {
        write_floats(out, (0..frames.len()).map(|k| (k as f64 / rate) as f32))?;
        for k in 0..frames.len() {
            // Frame k is shown alone; the first is the mesh itself.
            write_floats(out, (1..frames.len()).map(|target| f32::from(target == k)))?;
        }
    }
    Ok(())
}

fn write_floats(out: &mut dyn Write, values: impl Iterator<Item = f32>) -> io::Result<()> {
    values.into_iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
}
