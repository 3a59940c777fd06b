//! Writing of OBJ and its materials (MTL).

use super::super::model::{Material, Model, Object};
use crate::TriMesh;
use glam::DVec3;
use std::io::{self, Write};

/// Writes a mesh, with normals.
///
/// # Errors
/// If `out` fails, or with [`std::io::ErrorKind::InvalidInput`] if the mesh has a hard fault.
pub fn write(out: &mut dyn Write, mesh: &TriMesh) -> io::Result<()> {
    super::super::check_writable(mesh)?;
    writeln!(out, "# toile: metres, y up")?;
    write_vertices(out, mesh)?;
    write_faces(out, mesh, 0..mesh.triangles.len(), Offsets::default())
}

/// Writes objects with their parts as groups. `library` is the file of the materials as seen from this
/// one; see [`write_materials`].
///
/// # Errors
/// If `out` fails, or with [`std::io::ErrorKind::InvalidInput`] if a mesh has a hard fault, parts do not hold all triangles
/// in order, or a material is missing.
pub fn write_model(out: &mut dyn Write, model: &Model, library: Option<&str>) -> io::Result<()> {
    model.check()?;
    writeln!(out, "# toile")?;
    if let Some(library) = library {
        writeln!(out, "mtllib {}", word(library))?;
    }
    let mut offsets = Offsets::default();
    for object in &model.objects {
        writeln!(out, "o {}", word(&object.name))?;
        write_vertices(out, &object.mesh)?;
        for part in object.all_parts() {
            writeln!(out, "g {}", word(&part.name))?;
            if library.is_some() {
                writeln!(out, "usemtl {}", word(&model.materials[part.material as usize].name))?;
            }
            let triangles = part.triangles.start as usize..part.triangles.end as usize;
            write_faces(out, &object.mesh, triangles, offsets)?;
        }
        offsets = offsets.after(object);
    }
    Ok(())
}

/// Writes the materials of a model, for the file that [`write_model`] calls its library.
///
/// Colours are linear, as Blender reads and writes them.
///
/// # Errors
/// If `out` fails.
pub fn write_materials(out: &mut dyn Write, model: &Model) -> io::Result<()> {
    writeln!(out, "# toile: colours are linear")?;
    for Material { name, base_color: [r, g, b], roughness, .. } in &model.materials {
        // The exponent of the highlight that stands for a roughness, as Blender has it.
        let exponent = 1000.0 * (1.0 - roughness) * (1.0 - roughness);
        writeln!(out, "\nnewmtl {}\nKd {r} {g} {b}\nKs 0 0 0", word(name))?;
        writeln!(out, "Ns {exponent}\nPr {roughness}\nd 1\nillum 1")?;
    }
    Ok(())
}

/// A name as one word: blanks would make several groups of it.
fn word(name: &str) -> String {
    let plain = |c: char| if c.is_whitespace() || c.is_control() || c == '#' { '_' } else { c };
    let word: String = name.chars().map(plain).collect();
    // At the end of a line a backslash joins the next one.
    let word = word.replace('\\', "_");
    if word.is_empty() { "_".into() } else { word }
}

/// How many vertices and uv points were written before.
#[derive(Clone, Copy, Default)]
struct Offsets {
    vertices: u64,
    uv: u64,
}

impl Offsets {
    fn after(self, object: &Object) -> Self {
        let Object { mesh, .. } = object;
        Self {
            vertices: self.vertices + mesh.positions.len() as u64,
            uv: self.uv + mesh.uv.len() as u64,
        }
    }
}

/// Positions, uv and a normal for each vertex.
fn write_vertices(out: &mut dyn Write, mesh: &TriMesh) -> io::Result<()> {
    // `{:?}` is the shortest decimal that reads back as the same bits.
    for p in &mesh.positions {
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for p in &mesh.uv {
        writeln!(out, "vt {:?} {:?}", p.x, p.y)?;
    }
    for n in mesh.vertex_normals() {
        // What has no direction, or none in floating-point numbers, points up.
        let n = if n.is_finite() && n != DVec3::ZERO { n } else { DVec3::Y };
        let n = n.as_vec3();
        writeln!(out, "vn {} {} {}", n.x, n.y, n.z)?;
    }
    Ok(())
}

fn write_faces(
    out: &mut dyn Write,
    mesh: &TriMesh,
    triangles: std::ops::Range<usize>,
    offsets: Offsets,
) -> io::Result<()> {
    let has_uv = mesh.has_uv();
    for t in triangles {
        let [a, b, c] = mesh.triangles[t].map(|v| u64::from(v) + 1 + offsets.vertices);
        if has_uv {
            let [p, q, r] = mesh.uv_triangles[t].map(|v| u64::from(v) + 1 + offsets.uv);
            writeln!(out, "f {a}/{p}/{a} {b}/{q}/{b} {c}/{r}/{c}")?;
        } else {
            writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::model::tests::two_fabrics;
    use super::super::read;
    use super::*;

    fn text(model: &Model, library: Option<&str>) -> String {
        let mut bytes = Vec::new();
        write_model(&mut bytes, model, library).expect("a model that can be written");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn objects_groups_materials_and_normals_are_written_and_the_mesh_comes_back() {
        let mut model = two_fabrics();
        let whole = text(&model, Some("final.mtl"));
        for line in [
            "mtllib final.mtl",
            "o garment",
            "g front\nusemtl cotton",
            "g back\nusemtl denim",
            "o body",
            "g body\nusemtl body",
            "vn 0 1 0",
        ] {
            assert!(whole.contains(&format!("{line}\n")), "{line}");
        }
        // Indices of the second object count on.
        let (v, ball) = (model.objects[0].mesh.positions.len(), &model.objects[1].mesh);
        let first = ball.triangles[0].map(|i| i as usize + 1 + v);
        assert!(
            whole.contains(&format!(
                "\nf {0}//{0} {1}//{1} {2}//{2}\n",
                first[0], first[1], first[2]
            ))
        );
        model.objects.truncate(1);
        let back = read(text(&model, None).as_bytes(), "t.obj").expect("read back");
        assert_eq!(back, model.objects[0].mesh);
    }

    #[test]
    fn materials_keep_colour_and_roughness() {
        let mut bytes = Vec::new();
        write_materials(&mut bytes, &two_fabrics()).expect("written");
        let text = String::from_utf8(bytes).expect("text");
        assert!(
            text.contains("newmtl denim\nKd 0.4 0.5 0.6\n") && text.contains("\nPr 0.9\n"),
            "{text}"
        );
        assert_eq!(text.matches("newmtl").count(), 3);
    }

    #[test]
    fn names_become_single_words() {
        assert_eq!(word("left front #2\\"), "left_front__2_");
        assert_eq!(word(""), "_");
        let mut model = two_fabrics();
        model.objects.truncate(1);
        model.objects[0].parts[0].name = "a b\nf 9 9 9".into();
        assert!(read(text(&model, None).as_bytes(), "t.obj").is_ok());
    }
}
