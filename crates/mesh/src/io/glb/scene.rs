//! The triangles of a scene and the weights that move them.

use super::super::Error;
use super::document::{File, Node, Primitive};
use crate::TriMesh;
use glam::{DMat4, DQuat, DVec2, DVec3, DVec4};

const DAMAGED: &str = "the file is damaged: export it again";
const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

/// A primitive where a node puts it.
pub(super) struct Part {
    pub(super) node: usize,
    /// How many vertices it has.
    pub(super) count: usize,
    /// Weights of the targets when nothing is animated.
    pub(super) weights: Vec<f64>,
    base: usize,
    /// Accessors of the morph targets that move positions.
    targets: Vec<Option<usize>>,
    triangles: Vec<[u32; 3]>,
    uv: Vec<DVec2>,
    transform: DMat4,
}

impl Part {
    /// Positions in the world under the weights given.
    pub(super) fn positions(&self, file: &File<'_>, weights: &[f64]) -> Result<Vec<DVec3>, Error> {
        let mut positions = file.points(self.base)?;
        for (target, weight) in self.targets.iter().zip(weights) {
            let Some(accessor) = target.filter(|_| *weight != 0.0) else { continue };
            let deltas = file.points(accessor)?;
            if deltas.len() != positions.len() {
                let (n, count) = (deltas.len(), positions.len());
                let what = format!("a morph target of {n} points for {count} vertices");
                return Err(file.error(what, DAMAGED));
            }
            positions.iter_mut().zip(deltas).for_each(|(p, d)| *p += *weight * d);
        }
        positions.iter_mut().for_each(|p| *p = self.transform.transform_point3(*p));
        Ok(positions)
    }

    /// The mesh with the positions given.
    pub(super) fn into_mesh(self, positions: Vec<DVec3>) -> TriMesh {
        let uv_triangles = if self.uv.is_empty() { Vec::new() } else { self.triangles.clone() };
        TriMesh { positions, triangles: self.triangles, uv: self.uv, uv_triangles }
    }
}

/// All triangle primitives of the default scene.
pub(super) fn parts(file: &File<'_>) -> Result<Vec<Part>, Error> {
    let document = &file.document;
    let mut parts = Vec::new();
    let mut numbers = 0_u64;
    let mut seen = vec![false; document.nodes.len()];
    let mut stack: Vec<(usize, DMat4)> =
        roots(file)?.into_iter().rev().map(|node| (node, DMat4::IDENTITY)).collect();
    while let Some((index, parent)) = stack.pop() {
        let node = file.item(&document.nodes, index, "node")?;
        if std::mem::replace(&mut seen[index], true) {
            let what = format!("node {index} is reached twice");
            return Err(file.error(what, "nodes must form a tree: export the file again"));
        }
        let transform = parent * local_transform(node);
        stack.extend(node.children.iter().rev().map(|child| (*child, transform)));
        let Some(mesh) = node.mesh else { continue };
        let mesh = file.item(&document.meshes, mesh, "mesh")?;
        let weights = node.weights.as_ref().or(mesh.weights.as_ref());
        // Joints place a skinned mesh, not its node.
        let transform = if node.skin.is_some() { DMat4::IDENTITY } else { transform };
        for primitive in &mesh.primitives {
            numbers = numbers.saturating_add(size_of(file, primitive)?);
            file.check_size(numbers)?;
            let weights = weights.cloned().unwrap_or_default();
            parts.extend(part(file, primitive, index, transform, weights)?);
        }
    }
    Ok(parts)
}

/// How many numbers a primitive unfolds to, targets not counted: they are read one at a time.
fn size_of(file: &File<'_>, primitive: &Primitive) -> Result<u64, Error> {
    let vertices = primitive.attributes.get("POSITION").map_or(Ok(0), |a| file.count(*a))?;
    let indices = primitive.indices.map_or(Ok(vertices), |a| file.count(a))?;
    // Positions and uv; a strip has a triangle for each index.
    Ok(vertices.saturating_mul(5).saturating_add(indices.saturating_mul(3)))
}

/// The root nodes of the default scene, or of all nodes if there is no scene.
fn roots(file: &File<'_>) -> Result<Vec<usize>, Error> {
    let document = &file.document;
    if let Some(scene) = document.scene {
        return Ok(file.item(&document.scenes, scene, "scene")?.nodes.clone());
    }
    if let Some(scene) = document.scenes.first() {
        return Ok(scene.nodes.clone());
    }
    let mut is_child = vec![false; document.nodes.len()];
    for child in document.nodes.iter().flat_map(|n| &n.children) {
        if let Some(is_child) = is_child.get_mut(*child) {
            *is_child = true;
        }
    }
    Ok((0..is_child.len()).filter(|n| !is_child[*n]).collect())
}

fn local_transform(node: &Node) -> DMat4 {
    if let Some(matrix) = &node.matrix {
        return DMat4::from_cols_array(matrix);
    }
    let translation = DVec3::from(node.translation.unwrap_or_default());
    let rotation = DVec4::from(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
    let rotation = DQuat::from_vec4(rotation.try_normalize().unwrap_or(DVec4::W));
    let scale = DVec3::from(node.scale.unwrap_or([1.0; 3]));
    DMat4::from_scale_rotation_translation(scale, rotation, translation)
}

/// The triangles of a primitive, or nothing if it draws points or lines.
fn part(
    file: &File<'_>,
    primitive: &Primitive,
    node: usize,
    transform: DMat4,
    weights: Vec<f64>,
) -> Result<Option<Part>, Error> {
    let mode = primitive.mode.unwrap_or(TRIANGLES);
    let Some(&base) = primitive.attributes.get("POSITION") else { return Ok(None) };
    if !(TRIANGLES..=FAN).contains(&mode) {
        return Ok(None);
    }
    let vertices = file.points(base)?;
    if let Some(vertex) = vertices.iter().position(|p| !p.is_finite()) {
        let what = format!("vertex {vertex} of accessor {base} is not finite");
        return Err(file.error_at(file.binary_at, what, "remove the vertex or export again"));
    }
    let count = vertices.len();
    let indices = match primitive.indices {
        Some(accessor) => checked_indices(file, accessor, count)?,
        None => (0..count as u32).collect(),
    };
    let mut triangles = corners(&indices, mode);
    if transform.determinant() < 0.0 {
        // A mirror turns triangles over.
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let uv = match primitive.attributes.get("TEXCOORD_0") {
        Some(accessor) => file.uv(*accessor)?,
        None => Vec::new(),
    };
    if !uv.is_empty() && uv.len() != count {
        let what = format!("{} texture coordinates for {count} vertices", uv.len());
        return Err(file.error(what, DAMAGED));
    }
    let targets = primitive.targets.iter().map(|t| t.get("POSITION").copied()).collect();
    Ok(Some(Part { node, count, weights, base, targets, triangles, uv, transform }))
}

fn checked_indices(file: &File<'_>, accessor: usize, count: usize) -> Result<Vec<u32>, Error> {
    let values = file.values(accessor, 1)?;
    let mut indices = Vec::with_capacity(values.len());
    for value in values {
        if !(value >= 0.0 && value < count as f64 && value.fract() == 0.0) {
            let what = format!("accessor {accessor} uses vertex {value} of {count}");
            return Err(file.error_at(file.binary_at, what, DAMAGED));
        }
        indices.push(value as u32);
    }
    Ok(indices)
}

/// Triangles of a list, strip or fan.
pub(super) fn corners(indices: &[u32], mode: u32) -> Vec<[u32; 3]> {
    match mode {
        STRIP => {
            let windows = indices.windows(3).enumerate();
            windows
                .map(|(k, w)| if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
                .collect()
        }
        FAN => {
            let rim = indices.get(1..).unwrap_or_default();
            rim.windows(2).map(|w| [indices[0], w[0], w[1]]).collect()
        }
        _ => indices.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
    }
}

/// Weights of the targets of a node over time.
pub(super) struct Track {
    pub(super) node: usize,
    pub(super) times: Vec<f64>,
    /// Weights for each time, all behind one another.
    weights: Vec<f64>,
    targets: usize,
    steps: bool,
}

impl Track {
    /// Weights at a time; before the first and after the last key they stay.
    pub(super) fn weights_at(&self, time: f64) -> Vec<f64> {
        let row = |k: usize| &self.weights[k * self.targets..(k + 1) * self.targets];
        let after = self.times.partition_point(|t| *t <= time);
        if after == 0 {
            return row(0).to_vec();
        }
        let k = after - 1;
        if after == self.times.len() || self.steps || self.times[k] == time {
            return row(k).to_vec();
        }
        let s = (time - self.times[k]) / (self.times[after] - self.times[k]);
        row(k).iter().zip(row(after)).map(|(a, b)| a + s * (b - a)).collect()
    }
}

/// The tracks of the first animation that moves morph targets. Cubic splines are read at their
/// keys and taken as straight between them.
pub(super) fn tracks(file: &File<'_>, parts: &[Part]) -> Result<Vec<Track>, Error> {
    for animation in &file.document.animations {
        let mut tracks: Vec<Track> = Vec::new();
        for channel in &animation.channels {
            let node = channel.target.node.filter(|_| channel.target.path == "weights");
            let Some(part) = parts.iter().find(|p| Some(p.node) == node) else { continue };
            if tracks.iter().any(|t| t.node == part.node) {
                continue;
            }
            let sampler = file.item(&animation.samplers, channel.sampler, "sampler")?;
            let (targets, node) = (part.targets.len(), part.node);
            let times = file.values(sampler.input, 1)?;
            let mut weights = file.values(sampler.output, 1)?;
            let interpolation = sampler.interpolation.as_deref();
            if interpolation == Some("CUBICSPLINE") {
                // Each key is a tangent, the weights, and a tangent.
                let rows = weights.chunks(targets.max(1)).skip(1).step_by(3);
                weights = rows.flatten().copied().collect();
            }
            let is_ordered = times.is_sorted() && times.iter().all(|t| t.is_finite());
            if times.is_empty()
                || !is_ordered
                || Some(weights.len()) != times.len().checked_mul(targets)
            {
                let (t, w) = (times.len(), weights.len());
                let what = format!("{w} weights at {t} times for {targets} morph targets");
                return Err(file.error(what, DAMAGED));
            }
            let steps = interpolation == Some("STEP");
            tracks.push(Track { node, times, weights, targets, steps });
        }
        if !tracks.is_empty() {
            return Ok(tracks);
        }
    }
    Err(Error::Unfit {
        name: file.name.to_owned(),
        what: "no animation of morph targets in the file".into(),
        remedy: "export the cloth as shape keys, or read it as a static mesh",
    })
}
