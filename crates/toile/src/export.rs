//! How results are written: coordinates, materials, parts, and bodies beside the cloth.

use crate::error::Error;
use crate::fabric::appearance;
use crate::output::OutputFolder;
use crate::picture::surface;
use crate::usda::Stage;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use toile_body::{Placement, Repairs};
use toile_mesh::TriMesh;
use toile_mesh::io::{Material, Model, Object, Part, RigidPose, Textures, WeaveLook};
use toile_render::appearance::{Appearance, Baked, Picture, bake};
use toile_render::palette;
use toile_sim::body::Shape;
use toile_sim::{Body, Fabric, Motion};

/// Materials of a run, beside `final.obj`.
pub(crate) const MATERIALS: &str = "final.mtl";

/// The end of a run with one vertex for each panel along seams.
pub(crate) const UNWELDED: &str = "unwelded.obj";

/// In which coordinates the results of a garment are written that is worn by a body from a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coordinates {
    /// Those of the file: its unit, its axes, its place.
    #[default]
    Body,
    /// Metres, y up, facing +z, standing on y = 0.
    Toile,
}

/// Names of the files of the end of a run.
pub(crate) fn final_names(unwelded: bool) -> Vec<&'static str> {
    let mut names = vec!["final.obj", MATERIALS, "final.glb"];
    names.extend(unwelded.then_some(UNWELDED));
    names
}

/// Writes the end of a run: the cloth alone as OBJ, everything as GLB.
pub(crate) fn write_final(
    folder: &mut OutputFolder,
    model: &Model,
    unwelded: bool,
) -> Result<(), Error> {
    let cloth =
        |object: Object| Model { objects: vec![object], materials: model.materials.clone() };
    let Some(first) = model.objects.first() else { return Ok(()) };
    folder.write_model("final.obj", &cloth(first.clone()), Some(MATERIALS))?;
    folder.write(MATERIALS, |out| toile_mesh::io::obj::write_materials(out, model))?;
    folder.write_model("final.glb", model, None)?;
    if unwelded {
        folder.write_model(UNWELDED, &cloth(first.unwelded()), Some(MATERIALS))?;
    }
    Ok(())
}

/// Texels along the longer side of a weave's textures.
const TEXELS: u32 = 256;

/// Most materials that are remembered.
const CACHED_TEXTURES: usize = 16;

/// The material of a fabric: its colour, sheen and highlights, with textures of its weave.
pub(crate) fn cloth_material(fabric: &Fabric) -> Material {
    /// Every frame of an animation asks for the same few materials.
    static BAKED: Mutex<Vec<(Appearance, Material)>> = Mutex::new(Vec::new());
    let (appearance, picture) = appearance(fabric);
    let named = |material: &Material| Material { name: fabric.name.clone(), ..material.clone() };
    // A printed picture may change on the disk.
    let lasting = picture.is_none();
    let Ok(mut baked) = BAKED.lock() else { return plain_material(&fabric.name, 0) };
    if let Some((_, known)) = baked.iter().find(|(a, _)| lasting && *a == appearance) {
        return named(known);
    }
    let Some(material) = baked_material(&appearance, picture) else {
        return plain_material(&fabric.name, 0);
    };
    let result = named(&material);
    if lasting && baked.len() < CACHED_TEXTURES {
        baked.push((appearance, material));
    }
    result
}

fn baked_material(appearance: &Appearance, picture: Option<Picture>) -> Option<Material> {
    let baked = bake(appearance, picture, TEXELS).ok()?;
    let simple = baked.simple;
    let weave = WeaveLook {
        sheen: simple.sheen,
        sheen_roughness: simple.sheen_roughness,
        anisotropy: simple.anisotropy,
        anisotropy_rotation: simple.anisotropy_direction,
        transmission: if simple.openness > 0.02 { simple.openness } else { 0.0 },
        textures: textures(baked),
    };
    let plain = Material::new("", simple.front);
    Some(Material { roughness: simple.roughness, weave: Some(Arc::new(weave)), ..plain })
}

/// A material of the colour with that number, see [`palette`].
pub(crate) fn plain_material(name: &str, colour: usize) -> Material {
    Material::new(name, palette(colour).0)
}

fn textures(mut baked: Baked) -> Option<Textures> {
    // What is open lets light through by itself; the colour is that of the yarns.
    baked.base_colour.rgba.chunks_exact_mut(4).for_each(|p| p[3] = 255);
    let png = |image: &toile_render::Image| {
        let mut bytes = Vec::new();
        image.write_png(&mut bytes).ok().map(|()| bytes)
    };
    Some(Textures {
        size: baked.size,
        base_color: png(&baked.base_colour)?,
        normal: png(&baked.normal)?,
        roughness: png(&baked.roughness)?,
    })
}

/// Cloth of several parts and materials.
pub(crate) fn cloth_model(
    name: &str,
    mesh: TriMesh,
    parts: Vec<Part>,
    materials: Vec<Material>,
) -> Model {
    let mut materials = materials;
    for k in 1..materials.len() {
        let name = materials[k].name.clone();
        let taken = |m: &[Material], n: &str| m.iter().any(|m| m.name == n);
        let mut number = 2;
        while taken(&materials[..k], &materials[k].name) {
            materials[k].name = format!("{name} {number}");
            number += 1;
        }
    }
    Model { objects: vec![Object { parts, ..Object::new(name, mesh) }], materials }
}

/// Name of the material of bodies.
const BODY: &str = "body";

/// Adds bodies to a model: where they are at the only time, or with a pose for each.
pub(crate) fn add_bodies(model: &mut Model, bodies: &[Body], times: &[f64]) {
    let material = model.materials.len() as u32;
    let mut name = BODY.to_owned();
    while model.materials.iter().any(|m| m.name == name) {
        name.push('_');
    }
    let plaster = toile_render::Material::plaster().front;
    model.materials.push(Material::new(name, plaster));
    for body in bodies {
        let mut mesh = surface(body);
        let (mut poses, mut frames) = (Vec::new(), Vec::new());
        let deformed = |t: f64| match body.shape_at(t) {
            Shape::Mesh(mesh) => mesh.positions,
            _ => Vec::new(),
        };
        match (&body.motion, times) {
            (_, []) => {}
            (_, [time]) if body.deformation.is_some() => mesh.positions = deformed(*time),
            (_, times) if body.deformation.is_some() => {
                frames = times.iter().map(|t| deformed(*t)).collect();
            }
            (Motion::Still, _) => {}
            (motion, [time]) => {
                let pose = motion.pose(*time);
                mesh = mesh.map_positions(|p| pose.apply(p));
            }
            (motion, _) => poses.extend(times.iter().map(|t| {
                let pose = motion.pose(*t);
                let rotation = DQuat::from_mat3(&pose.rotation);
                RigidPose { rotation, translation: pose.translation }
            })),
        }
        let triangles = 0..mesh.triangles.len() as u32;
        let parts = vec![Part { name: body.name.clone(), triangles, material }];
        model.objects.push(Object { parts, poses, frames, ..Object::new(&body.name, mesh) });
    }
}

/// Coordinates in which results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Space {
    /// From the coordinates that are written to metres; metres are written if there is none.
    placement: Option<Placement>,
    /// What USD is told.
    stage: Stage,
}

/// How many times its own height a body may be away from the origin of its file: beyond, 32-bit numbers would not tell layers
/// of cloth apart.
const MAX_ORIGIN_DISTANCE: f64 = 16.0;

impl Space {
    /// That of a file, if points near the body can be told apart there; `height` is that of the body [m].
    pub(crate) fn of(repairs: &Repairs, height: f64) -> Option<Self> {
        let placement = repairs.placement;
        let origin = placement.apply(DVec3::ZERO);
        let up_axis = if repairs.up == "+z" { 'Z' } else { 'Y' };
        let stage = Stage { up_axis, metres_per_unit: placement.scale };
        let own = Self { placement: Some(placement), stage };
        (origin.length() <= MAX_ORIGIN_DISTANCE * height).then_some(own)
    }

    /// Where a point is written [m].
    pub(crate) fn point(&self, p: DVec3) -> DVec3 {
        self.placement.map_or(p, |placement| placement.invert(p))
    }

    pub(crate) fn is_metres(&self) -> bool {
        self.placement.is_none()
    }

    /// A mesh; material coordinates are in the unit of positions.
    pub(crate) fn mesh(&self, mut mesh: TriMesh) -> TriMesh {
        if let Some(placement) = self.placement {
            mesh.uv.iter_mut().for_each(|p| *p /= placement.scale);
        }
        mesh.map_positions(|p| self.point(p))
    }

    /// A model whose objects do not move.
    pub(crate) fn model(&self, model: Model) -> Model {
        let objects = model.objects.into_iter();
        let points = |frame: Vec<DVec3>| frame.into_iter().map(|p| self.point(p)).collect();
        let place = |o: Object| Object {
            mesh: self.mesh(o.mesh),
            frames: o.frames.into_iter().map(points).collect(),
            ..o
        };
        let objects = objects.map(place).collect();
        let mut materials = model.materials;
        if let Some(placement) = self.placement {
            // Textures cover a piece of the material coordinates, which are in the unit of the file.
            for weave in materials.iter_mut().filter_map(|m| m.weave.as_mut()) {
                if let Some(textures) = &mut Arc::make_mut(weave).textures {
                    textures.size = textures.size.map(|s| s / placement.scale);
                }
            }
        }
        Model { objects, materials }
    }

    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape;

    #[test]
    fn materials_with_the_same_name_get_a_number() {
        let materials = ["a", "a", "b", "a"].map(|n| Material::new(n, [0.5; 3])).to_vec();
        let model = cloth_model("cloth", TriMesh::default(), Vec::new(), materials);
        let names: Vec<&str> = model.materials.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["a", "a 2", "b", "a 3"]);
    }

    #[test]
    fn bodies_stand_still_or_move_with_the_frames() {
        let ball = shape::sphere(0.2, 1);
        let still = Body::new("ball", Shape::Mesh(ball.clone()));
        let (velocity, centre) = (DVec3::X, DVec3::ZERO);
        let motion = Motion::Steady { velocity, axis: DVec3::Y, turns_per_second: 0.0, centre };
        let moving = Body { motion, ..Body::new("hand", Shape::Mesh(ball.clone())) };
        let bodies = [still, moving];
        let sheet = shape::grid(1.0, 1.0, 1, 1, shape::Diagonals::Same);
        let model = |times: &[f64]| {
            let mut model = Model::of_mesh(sheet.clone(), Material::new("body", [0.5; 3]));
            add_bodies(&mut model, &bodies, times);
            model
        };
        let end = model(&[2.0]);
        assert_eq!(end.objects[1].mesh.positions, ball.positions);
        assert_eq!(end.objects[2].mesh.positions[0], ball.positions[0] + 2.0 * DVec3::X);
        assert_eq!(end.materials[1].name, "body_");
        let film = model(&[0.0, 1.0, 2.0]);
        assert!(film.objects[1].poses.is_empty());
        assert_eq!(film.objects[2].poses[2].translation, 2.0 * DVec3::X);
        assert_eq!(film.objects[2].mesh.positions, ball.positions);
    }

    #[test]
    fn a_body_far_from_the_origin_of_its_file_has_results_in_metres() {
        use toile_body::{Figure, Mannequin, Pose, repair};
        use toile_pattern::Size;
        let m = Figure::Female.measurements(Size::M);
        let body = Mannequin::new(&m, Figure::Female, Pose::A).expect("size M").mesh;
        let space = |shift: DVec3| {
            let moved = body.clone().map_positions(|p| p + shift);
            let (_, repairs) = repair(&moved).expect("a body");
            Space::of(&repairs, 1.7)
        };
        let near = space(DVec3::new(2.0, 1.0, 0.0)).expect("a body near its origin");
        assert!(!near.is_metres() && near.stage() == Stage::default());
        let origin = near.point(DVec3::ZERO);
        assert!(origin.distance(DVec3::new(2.0, 1.0, 0.0)) < 1e-3, "{origin}");
        assert!(space(DVec3::new(100.0, 0.0, 0.0)).is_none());
    }
}
