//! Meshes and animations from one file format to another.

use crate::error::Error;
use crate::usda;
use glam::DVec3;
use std::path::Path;
use toile_mesh::io::pc2::{Pc2Reader, Pc2Writer};
use toile_mesh::{TriMesh, io};

/// A mesh in motion; a single frame is a mesh at rest.
#[derive(Clone, Debug)]
pub(crate) struct Clip {
    /// Triangles and material coordinates.
    pub(crate) mesh: TriMesh,
    /// Positions of each frame [m].
    pub(crate) frames: Vec<Vec<DVec3>>,
    /// Frames per second.
    pub(crate) fps: f64,
}

/// Converts a file to the format of another name's extension.
///
/// OBJ, PLY and GLB hold meshes; GLB, USDA and PC2 also animations. A PC2 has no triangles: the
/// input is then two files, a mesh and its point cache.
///
/// # Errors
/// If a file cannot be read or written, or a format cannot hold what is given.
pub fn convert(inputs: &[&Path], output: &Path, fps: f64) -> Result<usize, Error> {
    if !(fps.is_finite() && fps > 0.0 && fps <= MAX_FPS) {
        let message = format!("cannot write {fps:?} frames per second");
        return Err(Error::request(message, "give --fps a number above zero, for example 30"));
    }
    let clip = read_clip(inputs, fps)?;
    let frames = clip.frames.len();
    write_clip(output, &clip)?;
    Ok(frames)
}

/// Most frames per second: beyond, times in 32-bit numbers run together.
const MAX_FPS: f64 = 1e6;

/// The extension of a file in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Reads a mesh or animation from a file, or from a mesh and its point cache.
pub(crate) fn read_clip(inputs: &[&Path], fps: f64) -> Result<Clip, Error> {
    let (mesh_file, cache) = match inputs {
        [mesh] => (*mesh, None),
        [a, b] if extension(a) == "pc2" => (*b, Some(*a)),
        [mesh, cache] => (*mesh, Some(*cache)),
        _ => {
            let help = "give one file, or a mesh and its point cache";
            return Err(Error::request(format!("{} input files", inputs.len()), help));
        }
    };
    if extension(mesh_file) == "pc2" {
        let name = mesh_file.display();
        let message = format!("{name}: a point cache has no triangles");
        return Err(Error::request(message, format!("give its mesh too: final.obj {name}")));
    }
    let Some(cache) = cache else { return read_single(mesh_file, fps) };
    let mesh = read_welded(mesh_file)?;
    let reader = Pc2Reader::open(cache)?;
    if reader.header().points as usize != mesh.positions.len() {
        let message = format!(
            "{} has {} vertices, {} has {} points",
            mesh_file.display(),
            mesh.positions.len(),
            cache.display(),
            reader.header().points
        );
        return Err(Error::request(message, "give the mesh that the cache was made of"));
    }
    let frames = reader.collect::<Result<_, _>>()?;
    Ok(Clip { mesh, frames, fps })
}

fn read_single(path: &Path, fps: f64) -> Result<Clip, Error> {
    if extension(path) == "glb" {
        let bytes = std::fs::read(path)
            .map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
        // A file without an animation is a mesh; what else is wrong with it, the mesh reader says.
        if let Ok(animation) = io::glb::read_animation(&bytes, &path.display().to_string()) {
            let (animation, _) = animation.weld();
            let span = animation.times.last().zip(animation.times.first()).map(|(b, a)| b - a);
            let gaps = animation.times.len().saturating_sub(1) as f64;
            let own = span.filter(|s| *s > 0.0).map_or(fps, |s| gaps / s);
            return Ok(Clip { mesh: animation.mesh, frames: animation.frames, fps: own });
        }
    }
    let mesh = read_welded(path)?;
    let frames = vec![mesh.positions.clone()];
    Ok(Clip { mesh, frames, fps })
}

/// Reads a mesh; a GLB stores vertices on seams twice and is joined again.
pub(crate) fn read_welded(path: &Path) -> Result<TriMesh, Error> {
    let mesh = io::read_mesh(path)?;
    Ok(if extension(path) == "glb" { mesh.weld().0 } else { mesh })
}

/// Writes a mesh or animation in the format of the extension.
pub(crate) fn write_clip(path: &Path, clip: &Clip) -> Result<(), Error> {
    let moving = clip.frames.len() > 1;
    match extension(path).as_str() {
        "glb" => Ok(io::write_atomically(path, |out| {
            let look = io::glb::Look::default();
            io::glb::write_animation(out, &clip.mesh, &clip.frames, clip.fps, &look)
        })?),
        "usda" if clip.frames.iter().flatten().any(|p| !p.as_vec3().is_finite()) => {
            let message = format!("{}: a position is too far for 32-bit numbers", path.display());
            Err(Error::request(message, "move the mesh to the origin and check its units"))
        }
        "usda" => Ok(io::write_atomically(path, |out| usda::write(out, clip))?),
        "pc2" => {
            let mut writer = Pc2Writer::create(path, clip.mesh.positions.len())?;
            for frame in &clip.frames {
                writer.append(frame)?;
            }
            Ok(writer.finish()?)
        }
        "obj" | "ply" if moving => {
            let message = format!("{} holds one mesh, not {}", path.display(), clip.frames.len());
            Err(Error::request(message, "write an animation as .glb, .usda or .pc2"))
        }
        "obj" | "ply" => {
            let mut mesh = clip.mesh.clone();
            if let Some(frame) = clip.frames.first() {
                mesh.positions.clone_from(frame);
            }
            Ok(io::write_mesh(path, &mesh)?)
        }
        other => {
            let message = format!("{}: unknown format `{other}`", path.display());
            Err(Error::request(message, "use .obj, .ply, .glb, .usda or .pc2"))
        }
    }
}
