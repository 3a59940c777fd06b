//! USD in text form: meshes with materials and panels, the points of the first sampled in time.
//!
//! Triangles of a part are a `GeomSubset` of the family `panels`, those of a material one of the family `materialBind`. Programs
//! that read only the second kind, as Blender does, find the number of the panel of each triangle in `primvars:panel`, and the
//! names in `userProperties:panels`.

use crate::convert::Clip;
use glam::DVec3;
use std::io::{self, Write};
use toile_mesh::TriMesh;
use toile_mesh::io::{Material, Model, Object, RigidPose};

/// The unit and the vertical axis of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stage {
    /// `Y` or `Z`.
    pub(crate) up_axis: char,
    /// Length of a unit [m].
    pub(crate) metres_per_unit: f64,
}

impl Default for Stage {
    fn default() -> Self {
        Self { up_axis: 'Y', metres_per_unit: 1.0 }
    }
}

/// Writes a clip. Material coordinates go to `primvars:st`, one for each corner of a face.
pub(crate) fn write(out: &mut dyn Write, clip: &Clip, stage: Stage) -> io::Result<()> {
    let last = clip.frames.len().saturating_sub(1);
    let Stage { up_axis, metres_per_unit } = stage;
    writeln!(out, "#usda 1.0\n(")?;
    writeln!(out, "    defaultPrim = \"toile\"\n    upAxis = \"{up_axis}\"")?;
    writeln!(out, "    metersPerUnit = {metres_per_unit}")?;
    writeln!(out, "    startTimeCode = 0\n    endTimeCode = {last}")?;
    let fps = clip.fps;
    writeln!(out, "    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}\n)\n")?;
    writeln!(out, "def Xform \"toile\"\n{{")?;
    let Model { objects, materials } = &clip.model;
    let material_names = identifiers(materials.iter().map(|m| m.name.as_str()), &[]);
    writeln!(out, "    def Scope \"materials\"\n    {{")?;
    for (material, name) in materials.iter().zip(&material_names) {
        write_material(out, material, name)?;
    }
    writeln!(out, "    }}")?;
    let names = identifiers(objects.iter().map(|o| o.name.as_str()), &["materials".into()]);
    for (k, (object, name)) in objects.iter().zip(&names).enumerate() {
        let frames = if k == 0 { &clip.frames[..] } else { &object.frames[..] };
        write_object(out, object, name, frames, &material_names)?;
    }
    writeln!(out, "}}")
}

fn write_material(out: &mut dyn Write, material: &Material, name: &str) -> io::Result<()> {
    let ([r, g, b], roughness) = (material.base_color, material.roughness);
    // What is open between yarns is seen through. Sheen and anisotropy have no place in the preview surface.
    let opacity = 1.0 - material.weave.as_ref().map_or(0.0, |w| w.transmission);
    write!(
        out,
        "        def Material \"{name}\"
        {{
            token outputs:surface.connect = </toile/materials/{name}/surface.outputs:surface>

            def Shader \"surface\"
            {{
                uniform token info:id = \"UsdPreviewSurface\"
                color3f inputs:diffuseColor = ({r}, {g}, {b})
                float inputs:metallic = 0
                float inputs:opacity = {opacity}
                float inputs:roughness = {roughness}
                token outputs:surface
            }}
        }}
"
    )
}

/// A mesh; `frames` are its points in time, those of the mesh if there are none.
fn write_object(
    out: &mut dyn Write,
    object: &Object,
    name: &str,
    frames: &[Vec<DVec3>],
    materials: &[String],
) -> io::Result<()> {
    let mesh = &object.mesh;
    writeln!(
        out,
        "\n    def Mesh \"{name}\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {{"
    )?;
    writeln!(out, "        uniform token subdivisionScheme = \"none\"")?;
    writeln!(out, "        uniform bool doubleSided = true")?;
    write!(out, "        int[] faceVertexCounts = ")?;
    list(out, mesh.triangles.iter(), |out, _| write!(out, "3"))?;
    write!(out, "        int[] faceVertexIndices = ")?;
    list(out, mesh.triangles.iter().flatten(), |out, v| write!(out, "{v}"))?;
    write_st(out, mesh)?;
    match frames {
        [] => write_points(out, &mesh.positions)?,
        [frame] => write_points(out, frame)?,
        _ => samples(out, "point3f[] points", frames.iter(), |out, frame| {
            list_inline(out, frame.iter(), point)
        })?,
    }
    write_poses(out, &object.poses)?;
    write_parts(out, object, materials)?;
    writeln!(out, "    }}")
}

fn write_st(out: &mut dyn Write, mesh: &TriMesh) -> io::Result<()> {
    if !mesh.has_uv() {
        return Ok(());
    }
    write!(out, "        texCoord2f[] primvars:st = ")?;
    list_inline(out, mesh.uv_triangles.iter().flatten(), |out, v| {
        let p = mesh.uv[*v as usize].as_vec2();
        write!(out, "({}, {})", p.x, p.y)
    })?;
    interpolation(out, "faceVarying")
}

/// Says which values a primvar has, behind them.
fn interpolation(out: &mut dyn Write, kind: &str) -> io::Result<()> {
    writeln!(out, " (\n            interpolation = \"{kind}\"\n        )")
}

/// Where a rigid object is in each frame.
fn write_poses(out: &mut dyn Write, poses: &[RigidPose]) -> io::Result<()> {
    if poses.is_empty() {
        return Ok(());
    }
    samples(out, "double3 xformOp:translate", poses.iter(), |out, pose| {
        let p = pose.translation;
        write!(out, "({}, {}, {})", p.x, p.y, p.z)
    })?;
    samples(out, "quatf xformOp:orient", poses.iter(), |out, pose| {
        let q = pose.rotation.as_quat();
        write!(out, "({}, {}, {}, {})", q.w, q.x, q.y, q.z)
    })?;
    writeln!(
        out,
        "        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]"
    )
}

/// Materials and parts.
fn write_parts(out: &mut dyn Write, object: &Object, materials: &[String]) -> io::Result<()> {
    let parts = &object.parts;
    let mut used: Vec<u32> = parts.iter().map(|p| p.material).collect();
    used.sort_unstable();
    used.dedup();
    if used.len() < 2 {
        let only = used.first().copied().unwrap_or(0);
        if let Some(name) = materials.get(only as usize) {
            writeln!(out, "        rel material:binding = </toile/materials/{name}>")?;
        }
    } else {
        // The mesh has no material of its own: Blender would take it for that of every subset of panels.
        writeln!(
            out,
            "        uniform token subsetFamily:materialBind:familyType = \"partition\""
        )?;
        for material in &used {
            let name = &materials[*material as usize];
            let own = parts.iter().filter(|p| p.material == *material);
            let faces = own.flat_map(|p| p.triangles.clone());
            write_subset(out, &format!("material_{name}"), "materialBind", faces, Some(name))?;
        }
    }
    if parts.len() < 2 {
        return Ok(());
    }
    write!(out, "        int[] primvars:panel = ")?;
    let numbers = parts.iter().enumerate().flat_map(|(i, p)| p.triangles.clone().map(move |_| i));
    list_inline(out, numbers, |out, i| write!(out, "{i}"))?;
    interpolation(out, "uniform")?;
    let names: Vec<&str> = parts.iter().map(|p| p.name.as_str()).collect();
    writeln!(out, "        custom string userProperties:panels = {}", quoted(&names.join(", ")))?;
    writeln!(out, "        uniform token subsetFamily:panels:familyType = \"partition\"")?;
    let taken: Vec<String> = materials.iter().map(|m| format!("material_{m}")).collect();
    for (part, name) in parts.iter().zip(identifiers(names.into_iter(), &taken)) {
        write_subset(out, &name, "panels", part.triangles.clone(), None)?;
    }
    Ok(())
}

fn write_subset(
    out: &mut dyn Write,
    name: &str,
    family: &str,
    faces: impl Iterator<Item = u32>,
    material: Option<&String>,
) -> io::Result<()> {
    let schema = material
        .map_or("", |_| " (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )");
    writeln!(out, "\n        def GeomSubset \"{name}\"{schema}\n        {{")?;
    writeln!(out, "            uniform token elementType = \"face\"")?;
    writeln!(out, "            uniform token familyName = \"{family}\"")?;
    write!(out, "            int[] indices = ")?;
    list(out, faces, |out, t| write!(out, "{t}"))?;
    if let Some(material) = material {
        writeln!(out, "            rel material:binding = </toile/materials/{material}>")?;
    }
    writeln!(out, "        }}")
}

/// Names as identifiers, each different from the others and from those taken.
fn identifiers<'a>(names: impl Iterator<Item = &'a str>, taken: &[String]) -> Vec<String> {
    let mut all: Vec<String> = taken.to_vec();
    for name in names {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut plain: String = name.chars().map(plain).collect();
        if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            plain.insert(0, '_');
        }
        let mut unique = plain.clone();
        let mut k = 2;
        while all.contains(&unique) {
            unique = format!("{plain}_{k}");
            k += 1;
        }
        all.push(unique);
    }
    all.split_off(taken.len())
}

/// A string in quotation marks.
fn quoted(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A value for each frame.
fn samples<T>(
    out: &mut dyn Write,
    what: &str,
    items: impl ExactSizeIterator<Item = T>,
    write: impl Fn(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    writeln!(out, "        {what}.timeSamples = {{")?;
    for (i, item) in items.enumerate() {
        write!(out, "            {i}: ")?;
        write(out, item)?;
        writeln!(out, ",")?;
    }
    writeln!(out, "        }}")
}

fn write_points(out: &mut dyn Write, frame: &[DVec3]) -> io::Result<()> {
    write!(out, "        point3f[] points = ")?;
    list(out, frame.iter(), point)
}

fn point(out: &mut dyn Write, p: &DVec3) -> io::Result<()> {
    let p = p.as_vec3();
    write!(out, "({}, {}, {})", p.x, p.y, p.z)
}

fn list<T>(
    out: &mut dyn Write,
    items: impl Iterator<Item = T>,
    write: impl Fn(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    list_inline(out, items, write)?;
    writeln!(out)
}

fn list_inline<T>(
    out: &mut dyn Write,
    items: impl Iterator<Item = T>,
    write: impl Fn(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.write_all(b", ")?;
        }
        write(out, item)?;
    }
    out.write_all(b"]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::io::Part;
    use toile_mesh::shape::{Diagonals, grid, sphere};

    fn text(clip: &Clip, stage: Stage) -> String {
        let mut text = Vec::new();
        write(&mut text, clip, stage).expect("written");
        let text = String::from_utf8(text).expect("text");
        for (open, close) in [('{', '}'), ('[', ']'), ('(', ')')] {
            assert_eq!(text.matches(open).count(), text.matches(close).count());
        }
        text
    }

    #[test]
    fn a_moving_mesh_has_a_sample_for_each_frame() {
        let mesh = grid(1.0, 1.0, 1, 1, Diagonals::Alternating);
        let frames = vec![mesh.positions.clone(); 3];
        let model = Model::of_mesh(mesh, Material::default());
        let text = text(&Clip { model, frames, fps: 30.0 }, Stage::default());
        assert!(text.starts_with("#usda 1.0\n"));
        assert!(text.contains("faceVertexIndices = [0, 2, 3, 0, 3, 1]"));
        assert!(text.contains("endTimeCode = 2"));
        for i in 0..3 {
            assert!(text.contains(&format!("\n            {i}: [(-0.5, 0, 0.5), ")), "{text}");
        }
    }

    #[test]
    fn interpolation_is_metadata_of_the_primvar() {
        let mesh = grid(1.0, 1.0, 1, 1, Diagonals::Alternating);
        let frames = vec![mesh.positions.clone()];
        let model = Model::of_mesh(mesh, Material::default());
        let text =
            text(&Clip { model, frames, fps: 30.0 }, Stage { up_axis: 'Z', metres_per_unit: 0.01 });
        let line = text.lines().position(|l| l.contains("primvars:st = [")).expect("uv");
        let lines: Vec<&str> = text.lines().skip(line).map(str::trim).take(3).collect();
        assert!(lines[0].ends_with("] ("), "{}", lines[0]);
        assert_eq!(lines[1..], ["interpolation = \"faceVarying\"", ")"]);
        assert!(!text.contains("primvars:st:interpolation"));
        assert!(text.contains("upAxis = \"Z\"\n    metersPerUnit = 0.01\n"));
    }

    #[test]
    fn panels_and_materials_are_subsets_and_rigid_bodies_have_poses() {
        let sheet = grid(1.0, 1.0, 2, 2, Diagonals::Same);
        let part =
            |name: &str, triangles, material| Part { name: name.into(), triangles, material };
        let parts = vec![part("front", 0..4, 0), part("left \"sleeve\"", 4..8, 1)];
        let frames = vec![sheet.positions.clone(); 2];
        let cloth = Object { parts, ..Object::new("garment", sheet) };
        let pose = RigidPose { rotation: glam::DQuat::IDENTITY, translation: DVec3::X };
        let ball = Object {
            parts: vec![part("body", 0..80, 2)],
            poses: vec![pose; 2],
            ..Object::new("materials", sphere(0.2, 1))
        };
        let names = ["cotton jersey", "7 oz", "body"];
        let materials = names.map(|n| Material::new(n, [0.25, 0.5, 1.0])).to_vec();
        let model = Model { objects: vec![cloth, ball], materials };
        let text = text(&Clip { model, frames, fps: 30.0 }, Stage::default());
        assert_eq!(text.matches("rel material:binding").count(), 3, "two subsets and the ball");
        for expected in [
            "def Material \"cotton_jersey\"",
            "color3f inputs:diffuseColor = (0.25, 0.5, 1)",
            "def Material \"_7_oz\"",
            "def GeomSubset \"material__7_oz\"",
            "int[] indices = [4, 5, 6, 7]\n            rel material:binding = </toile/materials/_7_oz>",
            "def GeomSubset \"front\"\n        {\n            uniform token elementType = \"face\"\n            uniform token familyName = \"panels\"\n            int[] indices = [0, 1, 2, 3]\n",
            "def GeomSubset \"left__sleeve_\"",
            "int[] primvars:panel = [0, 0, 0, 0, 1, 1, 1, 1] (",
            "userProperties:panels = \"front, left \\\"sleeve\\\"\"",
            "def Mesh \"materials_2\"",
            "xformOp:translate.timeSamples = {\n            0: (1, 0, 0),",
            "xformOp:orient.timeSamples = {\n            0: (1, 0, 0, 0),",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }
}
