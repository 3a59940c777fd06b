//! The nodes of a scene and the triangles they place.
//!
//! The transform of a node is M = M(parent) · T · R · S, or its matrix instead of T · R · S. A vertex
//! of a mesh goes to M p. A vertex of a skinned mesh goes to Σ wᵢ M(jointᵢ) Bᵢ p with the inverse bind
//! matrices Bᵢ; the node of a skinned mesh does not move it.

use super::super::Error;
use super::super::error::excerpt;
use super::document::{File, Node, Primitive, is_harmless};
use super::skin::Skin;
use crate::TriMesh;
use glam::{DMat4, DQuat, DVec2, DVec3, DVec4};

pub(super) const DAMAGED: &str = "the file is damaged: export it again";
const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;
/// Places the mesh of a node many times.
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// The default scene.
pub(super) struct Scene {
    /// Nodes with their parents, which come before them.
    nodes: Vec<(usize, Option<usize>)>,
    /// What there is to see.
    pub(super) parts: Vec<Part>,
    /// What was left out.
    pub(super) notes: Vec<String>,
}

/// Where a node is relative to its parent.
#[derive(Clone, Copy)]
pub(super) enum Local {
    Matrix(DMat4),
    Parts { translation: DVec3, rotation: DQuat, scale: DVec3 },
}

impl Local {
    pub(super) fn of(node: &Node) -> Self {
        if let Some(matrix) = &node.matrix {
            return Self::Matrix(DMat4::from_cols_array(matrix));
        }
        Self::Parts {
            translation: DVec3::from(node.translation.unwrap_or_default()),
            rotation: unit(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0])),
            scale: DVec3::from(node.scale.unwrap_or([1.0; 3])),
        }
    }

    /// A part of the way to another place, from 0 to 1; a matrix stays what it is.
    pub(super) fn toward(self, to: Self, s: f64) -> Self {
        let (
            Self::Parts { translation, rotation, scale },
            Self::Parts { translation: t, rotation: r, scale: k },
        ) = (self, to)
        else {
            return self;
        };
        Self::Parts {
            translation: translation.lerp(t, s),
            rotation: rotation.slerp(r, s),
            scale: scale.lerp(k, s),
        }
    }

    fn matrix(self) -> DMat4 {
        match self {
            Self::Matrix(matrix) => matrix,
            Self::Parts { translation, rotation, scale } => {
                DMat4::from_scale_rotation_translation(scale, rotation, translation)
            }
        }
    }
}

/// A rotation of four numbers that need not be of unit length.
pub(super) fn unit(q: [f64; 4]) -> DQuat {
    DQuat::from_vec4(DVec4::from(q).try_normalize().unwrap_or(DVec4::W))
}

impl Scene {
    /// All triangle primitives of the default scene.
    pub(super) fn new(file: &File<'_>) -> Result<Self, Error> {
        let mut scene = Self { nodes: hierarchy(file)?, parts: Vec::new(), notes: Vec::new() };
        let transforms = scene.transforms(file, |_, local| local);
        let mut numbers = 0_u64;
        for k in 0..scene.nodes.len() {
            let index = scene.nodes[k].0;
            scene.note_extensions(file, index)?;
            let node = &file.document.nodes[index];
            let Some(mesh_index) = node.mesh else { continue };
            let mesh = file.item(&file.document.meshes, mesh_index, "mesh")?;
            let weights = node.weights.as_ref().or(mesh.weights.as_ref());
            for (i, primitive) in mesh.primitives.iter().enumerate() {
                let before = mesh.primitives[..i].last().filter(|p| p.shares_vertices(primitive));
                if before.is_some() && scene.extend_last(file, primitive, index, &mut numbers)? {
                    continue;
                }
                numbers = numbers.saturating_add(size_of(file, primitive)?);
                file.check_size(numbers)?;
                let weights = weights.cloned().unwrap_or_default();
                match part(file, primitive, index, weights)? {
                    Ok(mut part) => {
                        part.turn_if_mirrored(&transforms);
                        scene.parts.push(part);
                    }
                    Err(what) => scene.note(format!("mesh {mesh_index} has {what}: left out")),
                }
            }
        }
        scene.check_joints(file)?;
        scene.note_other_scenes(file);
        Ok(scene)
    }

    /// Transforms of all nodes of the document, where `pose` may change their own.
    pub(super) fn transforms(
        &self,
        file: &File<'_>,
        pose: impl Fn(usize, Local) -> Local,
    ) -> Vec<DMat4> {
        let mut transforms = vec![DMat4::IDENTITY; file.document.nodes.len()];
        for (node, parent) in &self.nodes {
            let own = pose(*node, Local::of(&file.document.nodes[*node])).matrix();
            transforms[*node] = parent.map_or(own, |parent| transforms[parent] * own);
        }
        transforms
    }

    /// For each node whether its transform decides where vertices are: it is above a mesh or joint.
    pub(super) fn movers(&self, file: &File<'_>) -> Vec<bool> {
        let mut movers = vec![false; file.document.nodes.len()];
        for part in &self.parts {
            match &part.skin {
                Some(skin) => skin.joints.iter().for_each(|joint| movers[*joint] = true),
                None => movers[part.node] = true,
            }
        }
        // Children come after their parents.
        for (node, parent) in self.nodes.iter().rev() {
            if let Some(parent) = parent.filter(|_| movers[*node]) {
                movers[parent] = true;
            }
        }
        movers
    }

    /// Adds the triangles of a primitive to the last part, which has the same vertices; or says that it cannot. `numbers`
    /// is what the scene has unfolded to.
    fn extend_last(
        &mut self,
        file: &File<'_>,
        primitive: &Primitive,
        node: usize,
        numbers: &mut u64,
    ) -> Result<bool, Error> {
        let base = primitive.attributes.get("POSITION").copied();
        let is_same = |p: &&mut Part| p.node == node && Some(p.base) == base;
        let (Some(accessor), Some(last)) =
            (primitive.indices, self.parts.last_mut().filter(is_same))
        else {
            return Ok(false);
        };
        *numbers = numbers.saturating_add(file.count(accessor)?.saturating_mul(3));
        file.check_size(*numbers)?;
        let indices = checked_indices(file, accessor, file.count(last.base)? as usize)?;
        if !indices.len().is_multiple_of(3) {
            let what = format!("{} indices are not whole triangles", indices.len());
            return Err(file.error(what, DAMAGED));
        }
        let mut triangles = corners(&indices, TRIANGLES);
        if last.mirrored {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        last.triangles.append(&mut triangles);
        Ok(true)
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn note_extensions(&mut self, file: &File<'_>, node: usize) -> Result<(), Error> {
        for name in file.document.nodes[node].extensions.keys().filter(|e| !is_harmless(e)) {
            if name == INSTANCING {
                let what = format!("node {node} places many instances by {INSTANCING}");
                return Err(file.error(what, "make the instances real before the export"));
            }
            self.note(format!("the extension {} of nodes is ignored", excerpt(name.as_bytes())));
        }
        Ok(())
    }

    /// Joints must be nodes of the scene: those elsewhere have no place.
    fn check_joints(&self, file: &File<'_>) -> Result<(), Error> {
        let mut is_here = vec![false; file.document.nodes.len()];
        self.nodes.iter().for_each(|(node, _)| is_here[*node] = true);
        let mut joints = self.parts.iter().filter_map(|p| p.skin.as_ref()).flat_map(|s| &s.joints);
        match joints.find(|joint| !is_here.get(**joint).copied().unwrap_or(false)) {
            Some(joint) => {
                let what = format!("joint {joint} of a skin is not a node of the scene");
                Err(file.error(what, "export the armature together with the mesh"))
            }
            None => Ok(()),
        }
    }

    fn note_other_scenes(&mut self, file: &File<'_>) {
        let meshes = file.document.nodes.iter().filter(|n| n.mesh.is_some()).count();
        let here =
            self.nodes.iter().filter(|(n, _)| file.document.nodes[*n].mesh.is_some()).count();
        if meshes > here {
            let others = meshes - here;
            self.note(format!("{others} nodes with meshes outside the default scene: left out"));
        }
    }
}

/// A primitive where a node puts it.
pub(super) struct Part {
    pub(super) node: usize,
    /// Weights of the targets when nothing is animated.
    pub(super) weights: Vec<f64>,
    base: usize,
    /// How many vertices it has.
    pub(super) count: usize,
    /// Accessors of the morph targets that move positions.
    pub(super) targets: Vec<Option<usize>>,
    triangles: Vec<[u32; 3]>,
    /// Whether a mirror has turned them over.
    mirrored: bool,
    uv: Vec<DVec2>,
    pub(super) skin: Option<Skin>,
}

impl Part {
    /// Positions in the world under the weights and transforms given.
    pub(super) fn positions(
        &self,
        file: &File<'_>,
        weights: &[f64],
        transforms: &[DMat4],
    ) -> Result<Vec<DVec3>, Error> {
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
        match &self.skin {
            Some(skin) => skin.apply(&mut positions, transforms),
            None => {
                let transform = transforms[self.node];
                positions.iter_mut().for_each(|p| *p = transform.transform_point3(*p));
            }
        }
        Ok(positions)
    }

    /// The mesh with the positions given.
    pub(super) fn mesh(&self, positions: Vec<DVec3>) -> TriMesh {
        let uv_triangles = if self.uv.is_empty() { Vec::new() } else { self.triangles.clone() };
        let (triangles, uv) = (self.triangles.clone(), self.uv.clone());
        TriMesh { positions, triangles, uv, uv_triangles }
    }

    /// A mirror turns triangles over.
    fn turn_if_mirrored(&mut self, transforms: &[DMat4]) {
        if self.skin.is_none() && transforms[self.node].determinant() < 0.0 {
            self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
            self.mirrored = true;
        }
    }
}

/// The nodes of the default scene with their parents, parents first.
fn hierarchy(file: &File<'_>) -> Result<Vec<(usize, Option<usize>)>, Error> {
    let document = &file.document;
    let mut nodes = Vec::new();
    let mut seen = vec![false; document.nodes.len()];
    let mut stack: Vec<(usize, Option<usize>)> =
        roots(file)?.into_iter().rev().map(|node| (node, None)).collect();
    while let Some((index, parent)) = stack.pop() {
        let node = file.item(&document.nodes, index, "node")?;
        if std::mem::replace(&mut seen[index], true) {
            let what = format!("node {index} is reached twice");
            return Err(file.error(what, "nodes must form a tree: export the file again"));
        }
        stack.extend(node.children.iter().rev().map(|child| (*child, Some(index))));
        nodes.push((index, parent));
    }
    Ok(nodes)
}

/// How many numbers a primitive unfolds to, targets not counted: they are read one at a time.
fn size_of(file: &File<'_>, primitive: &Primitive) -> Result<u64, Error> {
    let vertices = primitive.attributes.get("POSITION").map_or(Ok(0), |a| file.count(*a))?;
    let indices = primitive.indices.map_or(Ok(vertices), |a| file.count(a))?;
    // Positions, uv and influences of joints; a strip has a triangle for each index.
    let joints = primitive.attributes.keys().filter(|k| k.starts_with("JOINTS_")).count() as u64;
    let each = joints.saturating_mul(8).saturating_add(5);
    Ok(vertices.saturating_mul(each).saturating_add(indices.saturating_mul(3)))
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

/// The triangles of a primitive, or what it has instead.
fn part(
    file: &File<'_>,
    primitive: &Primitive,
    node: usize,
    weights: Vec<f64>,
) -> Result<Result<Part, &'static str>, Error> {
    let mode = primitive.mode.unwrap_or(TRIANGLES);
    if mode > FAN {
        return Err(file.error(format!("a primitive has the unknown mode {mode}"), DAMAGED));
    }
    if mode < TRIANGLES {
        return Ok(Err(if mode == 0 { "points" } else { "lines" }));
    }
    let Some(&base) = primitive.attributes.get("POSITION") else {
        return Ok(Err("a primitive without positions"));
    };
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
    if mode == TRIANGLES && !indices.len().is_multiple_of(3) {
        let what = format!("{} indices are not whole triangles", indices.len());
        return Err(file.error(what, DAMAGED));
    }
    let triangles = corners(&indices, mode);
    let uv = match primitive.attributes.get("TEXCOORD_0") {
        Some(accessor) => file.uv(*accessor)?,
        None => Vec::new(),
    };
    if !uv.is_empty() && uv.len() != count {
        let what = format!("{} texture coordinates for {count} vertices", uv.len());
        return Err(file.error(what, DAMAGED));
    }
    let targets = primitive.targets.iter().map(|t| t.get("POSITION").copied()).collect();
    let skin = match file.document.nodes[node].skin {
        Some(skin) => Some(Skin::new(file, skin, primitive, count)?),
        None => None,
    };
    Ok(Ok(Part { node, weights, base, count, targets, triangles, mirrored: false, uv, skin }))
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
