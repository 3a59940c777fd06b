//! Binary glTF 2.0: static meshes and animations that Blender, three.js and other viewers play.
//!
//! Numbers are 32-bit floats, and the texture coordinate v runs down, so that it is stored as
//! 1 − v. glTF has one index for all attributes of a vertex: where the material coordinates jump,
//! vertices are stored twice. [`TriMesh::weld`] and [`Animation::weld`] join them again; written
//! here, the vertices come back in their old order as long as no two of them coincide.
//!
//! Reading takes all triangles of the default scene with the transforms of their nodes applied.
//! Skins and animated transforms are left out: a skinned mesh is read in its bind pose.
//!
//! An animation is one morph target for each frame but the first, and one track of weights that
//! shows frame i alone at the time i / rate. The track has frames² numbers: for thousands of
//! frames use [`super::pc2`].

mod accessor;
mod document;
mod scene;
mod write;

pub use write::{Interpolation, Look, write, write_animation};

use super::Error;
use crate::TriMesh;
use crate::weld::{renumber, weld_map};
use document::File;
use glam::DVec3;

/// A mesh in motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// The mesh in its first frame.
    pub mesh: TriMesh,
    /// Positions of all vertices for each frame \[m\].
    pub frames: Vec<Vec<DVec3>>,
    /// Time of each frame \[s\].
    pub times: Vec<f64>,
}

impl Animation {
    /// Merges vertices that are at exactly the same place in every frame; see [`TriMesh::weld`].
    pub fn weld(&self) -> (Self, Vec<u32>) {
        // Classes of equal vertices become finer with each frame.
        let (mut map, mut kept) = weld_map(self.mesh.positions.iter().map(|p| [*p]));
        for frame in &self.frames {
            let refined =
                map.iter().zip(frame).map(|(class, p)| [DVec3::splat((*class).into()), *p]);
            (map, kept) = weld_map(refined);
        }
        let pick =
            |points: &Vec<DVec3>| kept.iter().map(|v| points[*v as usize]).collect::<Vec<_>>();
        let mesh = TriMesh {
            positions: pick(&self.mesh.positions),
            triangles: renumber(&self.mesh.triangles, &map),
            ..self.mesh.clone()
        };
        let frames = self.frames.iter().map(pick).collect();
        (Self { mesh, frames, times: self.times.clone() }, map)
    }
}

/// Reads the mesh of the default scene; `name` is for error messages.
///
/// # Errors
/// If the file breaks the rules of the format, or the mesh has a hard fault.
pub fn read(bytes: &[u8], name: &str) -> Result<TriMesh, Error> {
    let file = File::parse(bytes, name)?;
    let mut mesh = TriMesh::default();
    for part in scene::parts(&file)? {
        let positions = part.positions(&file, &part.weights)?;
        mesh.append(&part.into_mesh(positions));
    }
    mesh.check().map_err(|fault| Error::Invalid { name: name.to_owned(), fault })?;
    Ok(mesh)
}

/// Reads the first animation of morph targets; `name` is for error messages. There is a frame
/// at each key of its weights.
///
/// # Errors
/// If the file breaks the rules of the format, holds no such animation, or has a hard fault.
pub fn read_animation(bytes: &[u8], name: &str) -> Result<Animation, Error> {
    let file = File::parse(bytes, name)?;
    let parts = scene::parts(&file)?;
    let tracks = scene::tracks(&file, &parts)?;
    let mut times: Vec<f64> = tracks.iter().flat_map(|t| t.times.iter().copied()).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let vertices: usize = parts.iter().map(|p| p.count).sum();
    file.check_frames(times.len(), vertices)?;
    let mut frames = Vec::with_capacity(times.len());
    for time in &times {
        let mut frame = Vec::with_capacity(vertices);
        for part in &parts {
            let track = tracks.iter().find(|t| t.node == part.node);
            let weights = track.map_or_else(|| part.weights.clone(), |t| t.weights_at(*time));
            frame.extend(part.positions(&file, &weights)?);
        }
        if let Some(vertex) = frame.iter().position(|p| !p.is_finite()) {
            let fault = crate::Fault::NotFinite { vertex: vertex as u32 };
            return Err(Error::Invalid { name: name.to_owned(), fault });
        }
        frames.push(frame);
    }
    let mut mesh = TriMesh::default();
    let mut first = frames.first().cloned().unwrap_or_default().into_iter();
    for part in parts {
        let positions = first.by_ref().take(part.count).collect();
        mesh.append(&part.into_mesh(positions));
    }
    mesh.check().map_err(|fault| Error::Invalid { name: name.to_owned(), fault })?;
    Ok(Animation { mesh, frames, times })
}

#[cfg(test)]
mod tests;
