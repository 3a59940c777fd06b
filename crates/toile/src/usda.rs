//! USD in text form: a mesh whose points are sampled in time.

use crate::convert::Clip;
use glam::DVec3;
use std::io::{self, Write};

/// Writes a clip. Material coordinates go to `primvars:st`, one for each corner of a face.
pub(crate) fn write(out: &mut dyn Write, clip: &Clip) -> io::Result<()> {
    let mesh = &clip.mesh;
    let last = clip.frames.len().saturating_sub(1);
    writeln!(out, "#usda 1.0\n(")?;
    writeln!(out, "    defaultPrim = \"cloth\"\n    upAxis = \"Y\"\n    metersPerUnit = 1")?;
    writeln!(out, "    startTimeCode = 0\n    endTimeCode = {last}")?;
    writeln!(
        out,
        "    timeCodesPerSecond = {}\n    framesPerSecond = {}\n)\n",
        clip.fps, clip.fps
    )?;
    writeln!(out, "def Mesh \"cloth\"\n{{")?;
    writeln!(out, "    uniform token subdivisionScheme = \"none\"")?;
    writeln!(out, "    uniform bool doubleSided = true")?;
    write!(out, "    int[] faceVertexCounts = ")?;
    list(out, mesh.triangles.iter(), |out, _| write!(out, "3"))?;
    write!(out, "    int[] faceVertexIndices = ")?;
    list(out, mesh.triangles.iter().flatten(), |out, v| write!(out, "{v}"))?;
    if mesh.has_uv() {
        write!(out, "    texCoord2f[] primvars:st = ")?;
        let corners = mesh.uv_triangles.iter().flatten();
        list(out, corners, |out, v| {
            let p = mesh.uv[*v as usize].as_vec2();
            write!(out, "({}, {})", p.x, p.y)
        })?;
        writeln!(out, "    uniform token primvars:st:interpolation = \"faceVarying\"")?;
    }
    if let [frame] = clip.frames.as_slice() {
        write!(out, "    point3f[] points = ")?;
        points(out, frame)?;
    } else {
        writeln!(out, "    point3f[] points.timeSamples = {{")?;
        for (i, frame) in clip.frames.iter().enumerate() {
            write!(out, "        {i}: ")?;
            list_inline(out, frame.iter(), point)?;
            writeln!(out, ",")?;
        }
        writeln!(out, "    }}")?;
    }
    writeln!(out, "}}")
}

fn points(out: &mut dyn Write, frame: &[DVec3]) -> io::Result<()> {
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
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn a_moving_mesh_has_a_sample_for_each_frame() {
        let mesh = grid(1.0, 1.0, 1, 1, Diagonals::Alternating);
        let frames = vec![mesh.positions.clone(); 3];
        let mut text = Vec::new();
        write(&mut text, &Clip { mesh, frames, fps: 30.0 }).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("#usda 1.0\n"));
        assert!(text.contains("faceVertexIndices = [0, 2, 3, 0, 3, 1]"));
        assert!(text.contains("endTimeCode = 2"));
        for i in 0..3 {
            assert!(text.contains(&format!("\n        {i}: [(-0.5, 0, 0.5), ")), "{text}");
        }
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert_eq!(text.matches('[').count(), text.matches(']').count());
    }
}
