//! Meshes as they are exported: named objects with materials, and parts such as the panels of a garment.

use super::invalid_input;
use crate::{NONE, TriMesh};
use glam::{DQuat, DVec3};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Objects of a file and the materials they are made of.
///
/// ```
/// use toile_mesh::io::{Material, Model, Object, Part, glb, obj};
/// use toile_mesh::shape;
///
/// let mesh = shape::grid(1.0, 1.0, 2, 2, shape::Diagonals::Same);
/// let part = |name: &str, triangles, material| Part { name: name.into(), triangles, material };
/// let parts = vec![part("left", 0..4, 0), part("right", 4..8, 1)];
/// let materials = vec![Material::new("cotton", [0.8, 0.1, 0.1]), Material::new("denim", [0.1, 0.1, 0.4])];
/// let model = Model { objects: vec![Object { parts, ..Object::new("cloth", mesh) }], materials };
///
/// let (mut text, mut library, mut binary) = (Vec::new(), Vec::new(), Vec::new());
/// obj::write_model(&mut text, &model, Some("cloth.mtl"))?;
/// obj::write_materials(&mut library, &model)?;
/// glb::write_model(&mut binary, &model)?;
/// assert!(String::from_utf8(text)?.contains("\ng right\nusemtl denim\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Objects; the frames of an animation move the vertices of the first.
    pub objects: Vec<Object>,
    /// Materials, each with a name of its own.
    pub materials: Vec<Material>,
}

/// A mesh with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Its triangles and where its vertices are.
    pub mesh: TriMesh,
    /// Its parts, which hold all triangles in order. Without parts it is one part of the first material.
    pub parts: Vec<Part>,
    /// Where it is in each frame of an animation, if it moves as a rigid body.
    pub poses: Vec<RigidPose>,
    /// Where its vertices are in each frame of an animation, if it changes its shape; of the first object they are given apart.
    pub frames: Vec<Vec<DVec3>>,
}

/// Consecutive triangles of one material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its triangles.
    pub triangles: Range<u32>,
    /// Index of its material.
    pub material: u32,
}

/// How a surface looks. It is always seen from both sides, as cloth is.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Colour in linear red, green, blue, each from 0 to 1.
    pub base_color: [f32; 3],
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// What formats that know cloth show besides.
    pub weave: Option<Arc<WeaveLook>>,
}

/// How cloth looks in formats that know sheen, anisotropy and textures: glTF with its extensions, USD's preview surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeaveLook {
    /// Colour of the sheen of fibres that stand up, linear; black for none.
    pub sheen: [f32; 3],
    /// Roughness of that sheen.
    pub sheen_roughness: f32,
    /// How much longer highlights are in one direction than across, 0 to 1.
    pub anisotropy: f32,
    /// That direction, from the u of the material coordinates to their v [rad].
    pub anisotropy_rotation: f32,
    /// Share of the light that goes straight through.
    pub transmission: f32,
    /// Tiled pictures of the weave.
    pub textures: Option<Textures>,
}

/// PNG files of a piece of the weave, to be tiled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Textures {
    /// What they cover along u and v, in the unit of the material coordinates.
    pub size: [f64; 2],
    /// Colour, sRGB; it stands in place of the colour of the material.
    pub base_color: Vec<u8>,
    /// Normals, as glTF has them.
    pub normal: Vec<u8>,
    /// Roughness in green, as glTF has it.
    pub roughness: Vec<u8>,
}

impl Textures {
    /// The files: colour, normals, roughness.
    pub(crate) fn files(&self) -> [&[u8]; 3] {
        [&self.base_color, &self.normal, &self.roughness]
    }
}

/// Rotation, then translation, of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidPose {
    /// Rotation.
    pub rotation: DQuat,
    /// Translation after the rotation, in the unit of the mesh.
    pub translation: DVec3,
}

impl Material {
    /// A rough material of a colour.
    pub fn new(name: impl Into<String>, base_color: [f32; 3]) -> Self {
        Self { name: name.into(), base_color, roughness: 0.9, weave: None }
    }
}

impl Default for Material {
    fn default() -> Self {
        Self::new("cloth", [0.6, 0.55, 0.5])
    }
}

impl Object {
    /// A mesh without parts that does not move as a whole.
    pub fn new(name: impl Into<String>, mesh: TriMesh) -> Self {
        Self { name: name.into(), mesh, parts: Vec::new(), poses: Vec::new(), frames: Vec::new() }
    }

    /// Its parts; one of the first material if none are named.
    pub(crate) fn all_parts(&self) -> Vec<Part> {
        if !self.parts.is_empty() {
            return self.parts.clone();
        }
        let triangles = 0..self.mesh.triangles.len() as u32;
        vec![Part { name: self.name.clone(), triangles, material: 0 }]
    }

    /// The same triangles, not joined where material coordinates jump or parts meet: the panels of a sewn garment become
    /// islands whose borders are at the same places.
    #[must_use]
    pub fn unwelded(&self) -> Self {
        let rows = Rows::new(self);
        let positions = rows.vertices().map(|v| self.mesh.positions[v as usize]).collect();
        let mut mesh = TriMesh::new(positions, rows.triangles.clone());
        if self.mesh.has_uv() {
            let point = |uv: u32| self.mesh.uv.get(uv as usize).copied().unwrap_or_default();
            mesh.uv = rows.keys.iter().map(|key| point(key[1])).collect();
            mesh.uv_triangles = rows.triangles;
        }
        Self { mesh, ..self.clone() }
    }
}

impl Model {
    /// One mesh of one material.
    pub fn of_mesh(mesh: TriMesh, material: Material) -> Self {
        Self { objects: vec![Object::new("cloth", mesh)], materials: vec![material] }
    }

    /// Refuses what could not be written.
    pub(crate) fn check(&self) -> io::Result<()> {
        if self.objects.is_empty() {
            return Err(invalid_input("a model without objects; add at least one"));
        }
        for (k, material) in self.materials.iter().enumerate() {
            if self.materials[..k].iter().any(|m| m.name == material.name) {
                let what = format!("two materials are named `{}`; rename one", material.name);
                return Err(invalid_input(what));
            }
        }
        self.objects.iter().try_for_each(|object| self.check_object(object))
    }

    fn check_object(&self, object: &Object) -> io::Result<()> {
        object.mesh.check().map_err(invalid_input)?;
        let mut end = 0;
        for part in object.all_parts() {
            let at = format!("part `{}` of object `{}`", part.name, object.name);
            if part.triangles.start != end || part.triangles.end < end {
                return Err(invalid_input(format!("{at}: parts must hold all triangles in order")));
            }
            if part.material as usize >= self.materials.len() {
                return Err(invalid_input(format!("{at}: there is no material {}", part.material)));
            }
            end = part.triangles.end;
        }
        if end as usize != object.mesh.triangles.len() {
            let what = format!("object `{}`: parts must hold all triangles in order", object.name);
            return Err(invalid_input(what));
        }
        Ok(())
    }
}

/// Vertices with one index for all their attributes: one for each vertex, material coordinates and part.
pub(crate) struct Rows {
    /// Vertex, uv point and part of each row, sorted, so that the vertices keep their order.
    pub(crate) keys: Vec<[u32; 3]>,
    /// Triangles of rows.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Rows {
    pub(crate) fn new(object: &Object) -> Self {
        let mesh = &object.mesh;
        let count = mesh.positions.len() as u32;
        let part_of = |t: usize| object.parts.partition_point(|p| p.triangles.end as usize <= t);
        let has_uv = mesh.has_uv();
        if !has_uv && object.parts.len() < 2 {
            let keys = (0..count).map(|v| [v, NONE, 0]).collect();
            return Self { keys, triangles: mesh.triangles.clone() };
        }
        let uv_of = |t: usize, k: usize| if has_uv { mesh.uv_triangles[t][k] } else { NONE };
        let key = |t: usize, k: usize| [mesh.triangles[t][k], uv_of(t, k), part_of(t) as u32];
        let corners = (0..mesh.triangles.len()).flat_map(|t| [0, 1, 2].map(|k| key(t, k)));
        let mut keys: Vec<[u32; 3]> = corners.collect();
        // Vertices without triangles stay in their place.
        let mut is_used = vec![false; mesh.positions.len()];
        mesh.triangles.iter().flatten().for_each(|v| is_used[*v as usize] = true);
        keys.extend((0..count).filter(|v| !is_used[*v as usize]).map(|v| [v, NONE, 0]));
        keys.sort_unstable();
        keys.dedup();
        let row = |key: [u32; 3]| keys.partition_point(|k| *k < key) as u32;
        let triangles =
            (0..mesh.triangles.len()).map(|t| [0, 1, 2].map(|k| row(key(t, k)))).collect();
        Self { keys, triangles }
    }

    /// The vertex of each row.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        self.keys.iter().map(|key| key[0])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Topology, shape};

    /// A sheet of two parts and materials, with a ball.
    pub(crate) fn two_fabrics() -> Model {
        let sheet = shape::grid(1.0, 1.0, 2, 2, shape::Diagonals::Same);
        let part =
            |name: &str, triangles, material| Part { name: name.into(), triangles, material };
        let parts = vec![part("front", 0..4, 0), part("back", 4..8, 1)];
        let cloth = Object { parts, ..Object::new("garment", sheet) };
        let ball = Object {
            parts: vec![part("body", 0..80, 2)],
            ..Object::new("body", shape::sphere(0.2, 1))
        };
        let materials = vec![
            Material::new("cotton", [0.1, 0.2, 0.3]),
            Material::new("denim", [0.4, 0.5, 0.6]),
            Material::new("body", [0.7, 0.7, 0.7]),
        ];
        Model { objects: vec![cloth, ball], materials }
    }

    #[test]
    fn unwelded_parts_are_islands_at_the_same_places() {
        let model = two_fabrics();
        let (object, apart) = (&model.objects[0], model.objects[0].unwelded());
        let pieces = |m: &TriMesh| Topology::new(m.positions.len(), &m.triangles).components().1;
        assert_eq!((pieces(&object.mesh), pieces(&apart.mesh)), (1, 2));
        for t in 0..8 {
            assert_eq!(apart.mesh.corners(t), object.mesh.corners(t));
            assert_eq!(apart.mesh.corners_uv(t), object.mesh.corners_uv(t));
        }
        // A tube that is cut open where its uv jump.
        let tube = Object::new("tube", shape::tube(0.2, 0.5, 6, 3));
        assert_eq!(tube.unwelded().mesh.positions.len(), tube.mesh.positions.len() + 4);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused_by_name() {
        let message = |edit: &dyn Fn(&mut Model)| {
            let mut model = two_fabrics();
            edit(&mut model);
            model.check().expect_err("refused").to_string()
        };
        two_fabrics().check().expect("parts that fit");
        let order = "parts must hold all triangles in order";
        let gap = message(&|m| m.objects[0].parts[1].triangles.start = 5);
        assert_eq!(gap, format!("part `back` of object `garment`: {order}"));
        let short = message(&|m| m.objects[0].parts[1].triangles.end = 7);
        assert_eq!(short, format!("object `garment`: {order}"));
        assert!(message(&|m| m.objects[1].parts[0].material = 3).contains("no material 3"));
        assert!(message(&|m| m.materials[1].name = "cotton".into()).contains("`cotton`"));
        assert!(message(&|m| m.objects.clear()).contains("without objects"));
    }
}
