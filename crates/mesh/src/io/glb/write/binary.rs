//! The binary chunk.

use super::Movie;
use super::layout::{Content, Layout, deltas, pictures, points};
use crate::TriMesh;
use glam::DVec3;
use std::io::{self, Write};

/// Writes all views in order.
pub(super) fn write(out: &mut dyn Write, movie: &Movie<'_>, layout: &Layout) -> io::Result<()> {
    layout.contents().try_for_each(|content| write_view(out, movie, content))
}

fn write_view(out: &mut dyn Write, movie: &Movie<'_>, content: Content) -> io::Result<()> {
    let (objects, frames) = (&movie.model.objects, movie.frames);
    match content {
        Content::Indices(k) => {
            let mut corners = movie.rows[k].triangles.iter().flatten();
            corners.try_for_each(|v| out.write_all(&v.to_le_bytes()))
        }
        Content::Positions(k) => {
            floats(out, points(&movie.rows[k], movie.base(k)).flat_map(|p| p.to_array()))
        }
        Content::Normals(k) => {
            let normals = normals(&objects[k].mesh, movie.base(k));
            floats(out, points(&movie.rows[k], &normals).flat_map(|p| p.to_array()))
        }
        Content::Uv(k) => {
            let uv = |key: &[u32; 3]| {
                let p = objects[k].mesh.uv.get(key[1] as usize).copied().unwrap_or_default();
                [p.x as f32, (1.0 - p.y) as f32]
            };
            floats(out, movie.rows[k].keys.iter().flat_map(uv))
        }
        Content::Panels(k) => floats(out, movie.rows[k].keys.iter().map(|key| key[2] as f32)),
        Content::Targets(k) => write_targets(out, movie, k),
        Content::Times => {
            floats(out, (0..frames.len()).map(|k| (k as f64 / movie.playback.rate) as f32))
        }
        // Frame k is shown alone; the first is the mesh itself.
        Content::Weights => (0..frames.len())
            .try_for_each(|k| floats(out, (1..frames.len()).map(|target| f32::from(target == k)))),
        Content::Picture(m, k) => {
            let files = pictures(&movie.model.materials[m]).unwrap_or_default();
            out.write_all(files[k])?;
            out.write_all(&[0; 3][..files[k].len().next_multiple_of(4) - files[k].len()])
        }
        Content::Translations(k) => {
            floats(out, objects[k].poses.iter().flat_map(|p| p.translation.as_vec3().to_array()))
        }
        Content::Rotations(k) => {
            floats(out, objects[k].poses.iter().flat_map(|p| p.rotation.as_quat().to_array()))
        }
    }
}

fn write_targets(out: &mut dyn Write, movie: &Movie<'_>, k: usize) -> io::Result<()> {
    let (mesh, rows, frames) = (&movie.model.objects[k].mesh, &movie.rows[k], movie.frames_of(k));
    let first = &frames[0];
    let first_normals = normals(mesh, first);
    for frame in &frames[1..] {
        floats(out, deltas(rows, first, frame).flat_map(|p| p.to_array()))?;
        if movie.playback.frame_normals {
            let normals = normals(mesh, frame);
            floats(out, deltas(rows, &first_normals, &normals).flat_map(|p| p.to_array()))?;
        }
    }
    Ok(())
}

/// Normals of a mesh whose vertices are at `x`; a normal of length zero is not allowed.
fn normals(mesh: &TriMesh, x: &[DVec3]) -> Vec<DVec3> {
    let posed = TriMesh::new(x.to_vec(), mesh.triangles.clone());
    let unit = |n: DVec3| if n == DVec3::ZERO { DVec3::Y } else { n };
    posed.vertex_normals().into_iter().map(unit).collect()
}

fn floats(out: &mut dyn Write, values: impl IntoIterator<Item = f32>) -> io::Result<()> {
    values.into_iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
}
