//! Meshes in motion, read frame by frame.

use crate::convert::extension;
use crate::error::Error;
use crate::input;
use glam::DVec3;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use toile_mesh::io::glb;
use toile_mesh::io::pc2::Pc2Reader;
use toile_mesh::{TriMesh, Welding, io};

/// A mesh and its frames, of which one is held at a time. A mesh at rest has one.
pub(crate) struct ClipReader {
    /// The mesh in its first frame.
    pub(crate) mesh: TriMesh,
    /// Frames per second.
    pub(crate) fps: f64,
    /// What the file holds and is left out.
    pub(crate) notes: Vec<String>,
    frames: Frames,
    next: usize,
}

enum Frames {
    Still,
    Cache(Pc2Reader<BufReader<File>>),
    Glb(Box<glb::Reader>, Welding),
}

impl ClipReader {
    /// Opens a file, or a mesh and its point cache.
    pub(crate) fn open(inputs: &[&Path], fps: f64) -> Result<Self, Error> {
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
        match cache {
            Some(cache) => Self::open_cache(mesh_file, cache, fps),
            None if extension(mesh_file) == "glb" => Self::open_glb(mesh_file, fps),
            None => {
                let mesh = io::read_mesh(mesh_file)?;
                Ok(Self { mesh, fps, notes: Vec::new(), frames: Frames::Still, next: 0 })
            }
        }
    }

    fn open_cache(mesh_file: &Path, cache: &Path, fps: f64) -> Result<Self, Error> {
        let input::MeshFile { mut mesh, mut notes, .. } = input::MeshFile::read(mesh_file)?;
        if extension(mesh_file) == "glb" {
            mesh = mesh.weld().0;
        }
        let reader = Pc2Reader::open(cache)?;
        let header = reader.header();
        if header.points as usize != mesh.positions.len() {
            let message = format!(
                "{} has {} vertices, {} has {} points",
                mesh_file.display(),
                mesh.positions.len(),
                cache.display(),
                header.points
            );
            return Err(Error::request(message, "give the mesh that the cache was made of"));
        }
        if header.frames == 0 {
            let message = format!("{}: the point cache holds no frames", cache.display());
            let help = "export it again; a run that was stopped writes them when it is resumed";
            return Err(Error::request(message, help));
        }
        notes.extend(uncounted(cache, &header));
        Ok(Self { mesh, fps, notes, frames: Frames::Cache(reader), next: 0 })
    }

    fn open_glb(path: &Path, fps: f64) -> Result<Self, Error> {
        let bytes = io::read_file(path)?;
        let reader = glb::Reader::new(&bytes, &path.display().to_string())?;
        let notes = reader.notes().to_vec();
        let Some([begin, .., end]) = reader.times().first().map(|_| reader.times()) else {
            // At rest, or one key only.
            let positions = reader.frame(0)?;
            let mesh = TriMesh { positions, ..reader.mesh().clone() }.weld().0;
            return Ok(Self { mesh, fps, notes, frames: Frames::Still, next: 0 });
        };
        let gaps = (reader.times().len() - 1) as f64;
        let fps = if end > begin { gaps / (end - begin) } else { fps };
        // Vertices are merged that are together in all frames.
        let first = reader.frame(0)?;
        let mut welding = Welding::new(&first);
        for k in 1..reader.times().len() {
            welding.refine(&reader.frame(k)?);
        }
        let mesh = welding.mesh(&TriMesh { positions: first, ..reader.mesh().clone() });
        Ok(Self { mesh, fps, notes, frames: Frames::Glb(Box::new(reader), welding), next: 0 })
    }
}

/// Frames behind those that the header counts: those of a run that was stopped.
fn uncounted(cache: &Path, header: &io::pc2::Header) -> Option<String> {
    let length = std::fs::metadata(cache).ok()?.len();
    let stored = length.saturating_sub(32) / (12 * u64::from(header.points)).max(1);
    let more = stored.checked_sub(u64::from(header.frames)).filter(|n| *n > 0)?;
    Some(format!("{more} frames behind those that the header counts: left out"))
}

impl ClipReader {
    /// How many frames there are, by what the file says.
    pub(crate) fn frame_count(&self) -> usize {
        match &self.frames {
            Frames::Still => 1,
            Frames::Cache(reader) => reader.header().frames as usize,
            Frames::Glb(reader, _) => reader.times().len(),
        }
    }
}

impl Iterator for ClipReader {
    type Item = Result<Vec<DVec3>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let k = self.next;
        self.next += 1;
        match &mut self.frames {
            Frames::Still => (k == 0).then(|| Ok(self.mesh.positions.clone())),
            Frames::Cache(reader) => reader.next().map(|frame| frame.map_err(Error::from)),
            Frames::Glb(reader, welding) => (k < reader.times().len())
                .then(|| reader.frame(k).map(|f| welding.pick(&f)).map_err(Error::from)),
        }
    }
}
