//! Meshes and animations from one file format to another.

use crate::clip::ClipReader;
use crate::error::Error;
use crate::usda::{self, Stage};
use glam::DVec3;
use std::io::Write;
use std::path::Path;
use toile_mesh::TriMesh;
use toile_mesh::io::{self, Material, Model};

/// A mesh in motion; a single frame is a mesh at rest.
#[derive(Clone, Debug)]
pub(crate) struct Clip {
    /// What there is; its first object moves.
    pub(crate) model: Model,
    /// Positions of the first object in each frame.
    pub(crate) frames: Vec<Vec<DVec3>>,
    /// Frames per second.
    pub(crate) fps: f64,
}

impl Clip {
    /// What the frames move.
    pub(crate) fn mesh(&self) -> &TriMesh {
        &self.model.objects[0].mesh
    }
}

/// Converts a file to the format of another name's extension.
///
/// OBJ, PLY and GLB hold meshes; GLB, USDA and PC2 also animations. USDA is only written. Materials and groups are not kept. A PC2 has no triangles: the
/// input is then two files, a mesh and its point cache.
///
/// Returns what was written, and what of the input was left out.
///
/// # Errors
/// If a file cannot be read or written, or a format cannot hold what is given.
pub fn convert(inputs: &[&Path], output: &Path, fps: f64) -> Result<Converted, Error> {
    if !(fps.is_finite() && fps > 0.0 && fps <= MAX_FPS) {
        let message = format!("cannot write {fps:?} frames per second");
        return Err(Error::request(message, "give --fps a number above zero, for example 30"));
    }
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if let Some(same) = inputs.iter().find(|i| real(output).is_some() && real(i) == real(output)) {
        let message = format!("{}: this file is both read and written", same.display());
        return Err(Error::request(message, "give the result another name"));
    }
    let (clip, warnings) = read_clip(inputs, fps)?;
    write_clip(output, &clip)?;
    Ok(Converted { frames: clip.frames.len(), warnings })
}

/// What [`convert`] wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// Frames.
    pub frames: usize,
    /// What the input holds and was left out.
    pub warnings: Vec<String>,
}

/// Most bytes of the positions of all frames.
const MAX_BYTES: f64 = 8e9;

/// Most frames per second: beyond, times in 32-bit numbers run together.
const MAX_FPS: f64 = 1e6;

/// The extension of a file in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Reads a mesh or animation from a file, or from a mesh and its point cache.
fn read_clip(inputs: &[&Path], fps: f64) -> Result<(Clip, Vec<String>), Error> {
    let mut reader = ClipReader::open(inputs, fps)?;
    let (notes, fps) = (std::mem::take(&mut reader.notes), reader.fps);
    let mesh = reader.mesh.clone();
    let bytes = 24.0 * reader.frame_count() as f64 * mesh.positions.len() as f64;
    if bytes > MAX_BYTES {
        let (frames, gb) = (reader.frame_count(), 1e-9 * bytes);
        let message = format!("{frames} frames take {gb:.0} GB of memory while they are converted");
        return Err(Error::request(message, "8 GB is the most: export fewer frames"));
    }
    let frames = reader.collect::<Result<_, _>>()?;
    Ok((Clip { model: Model::of_mesh(mesh, Material::default()), frames, fps }, notes))
}

/// Refuses positions that the 32-bit numbers of animations cannot hold.
pub(crate) fn check_range(path: &Path, clip: &Clip) -> Result<(), Error> {
    let others = clip.model.objects.iter().skip(1);
    let others = others.flat_map(|o| o.mesh.positions.iter().chain(o.frames.iter().flatten()));
    if clip.frames.iter().flatten().chain(others).all(|p| p.as_vec3().is_finite()) {
        return Ok(());
    }
    let message = format!("{}: a position is too far for 32-bit numbers", path.display());
    Err(Error::request(message, "move the mesh to the origin and check its units"))
}

pub(crate) fn write_glb(out: &mut dyn Write, clip: &Clip) -> std::io::Result<()> {
    io::glb::write_model_animation(
        out,
        &clip.model,
        &clip.frames,
        &io::glb::Playback::new(clip.fps),
    )
}

/// Writes a mesh or animation in the format of the extension: the whole file or nothing.
pub(crate) fn write_clip(path: &Path, clip: &Clip) -> Result<(), Error> {
    let moving = clip.frames.len() > 1;
    match extension(path).as_str() {
        "glb" => {
            check_range(path, clip)?;
            Ok(io::write_atomically(path, |out| write_glb(out, clip))?)
        }
        "usda" => {
            check_range(path, clip)?;
            Ok(io::write_atomically(path, |out| usda::write(out, clip, Stage::default()))?)
        }
        "pc2" => Ok(io::pc2::write_file(path, clip.mesh().positions.len(), &clip.frames)?),
        "obj" | "ply" if moving => {
            let message = format!("{} holds one mesh, not {}", path.display(), clip.frames.len());
            Err(Error::request(message, "write an animation as .glb, .usda or .pc2"))
        }
        "obj" | "ply" => {
            let mut mesh = clip.mesh().clone();
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
