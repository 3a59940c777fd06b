//! Meshes from files as bodies and cloth: what they hold, and what had to be done to them.
//!
//! Files of other programs hold triangle soup, texture coordinates and animations. Everything that is
//! changed or not taken is counted and said; see [`ClothInput`], [`BodyInput`].

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toile_mesh::io::{self, Format, glb};
use toile_mesh::{Cleaning, Fault, TriMesh, Welding};

/// Where the rest shape of a cloth comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestShape {
    /// From its material coordinates (uv), which are metres.
    #[default]
    Uv,
    /// From its positions.
    Mesh,
}

/// What became of a cloth of the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClothInput {
    /// Its name.
    pub name: String,
    /// Where its rest shape comes from.
    pub rest_shape: RestShape,
    /// Median of lengths in uv over lengths in space; null if it is not from a file with uv.
    pub uv_scale: Option<f64>,
    /// Vertices that were merged into others at the same place.
    pub welded_vertices: u64,
}

/// What became of a body of the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyInput {
    /// Its name.
    pub name: String,
    /// Whether it has an inside. Cloth inside an open body cannot be found.
    pub closed: bool,
    /// Vertices that were merged into others at the same place.
    pub welded_vertices: u64,
    /// Triangles dropped because another has the same corners.
    pub duplicate_triangles: u64,
    /// Triangles dropped because they have no area.
    pub degenerate_triangles: u64,
    /// Triangles turned over to face outwards.
    pub turned_triangles: u64,
}

/// What became of the meshes of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inputs {
    pub(crate) cloths: Vec<ClothInput>,
    pub(crate) bodies: Vec<BodyInput>,
    pub(crate) warnings: Vec<String>,
}

/// A mesh as a file holds it.
pub(crate) struct MeshFile {
    pub(crate) mesh: TriMesh,
    /// What the file holds and is left out.
    pub(crate) notes: Vec<String>,
    /// Frames of its animation; 0 if it has none.
    pub(crate) frames: usize,
}

impl MeshFile {
    /// Reads the mesh at rest; an animation that cannot be read is an error too.
    pub(crate) fn read(path: &Path) -> Result<Self, io::Error> {
        if Format::of(path)? != Format::Glb {
            return Ok(Self { mesh: io::read_mesh(path)?, notes: Vec::new(), frames: 0 });
        }
        let bytes = io::read_file(path)?;
        let reader = glb::Reader::new(&bytes, &path.display().to_string())?;
        let (notes, frames) = (reader.notes().to_vec(), reader.times().len());
        Ok(Self { mesh: reader.mesh().clone(), notes, frames })
    }

    /// Notes, and that nothing follows the animation.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let moving = (self.frames > 0).then(|| {
            let n = self.frames;
            format!("its animation of {n} frames is not followed: it is taken as it is at rest")
        });
        self.notes.iter().cloned().chain(moving).collect()
    }
}

/// A mesh as a body, and what was done to it.
pub(crate) fn body(mesh: &TriMesh, name: &str) -> (TriMesh, BodyInput, Vec<String>) {
    let (mesh, done) = mesh.cleaned();
    let input = BodyInput {
        name: name.to_owned(),
        closed: done.open_edges == 0,
        welded_vertices: done.welded_vertices as u64,
        duplicate_triangles: done.duplicate_triangles as u64,
        degenerate_triangles: done.degenerate_triangles as u64,
        turned_triangles: done.turned_triangles as u64,
    };
    (mesh, input, cleaning_warnings(&done))
}

/// What was done to a body, in sentences.
fn cleaning_warnings(done: &Cleaning) -> Vec<String> {
    let said = [
        (done.welded_vertices, "vertices at the same place as others were merged with them"),
        (done.duplicate_triangles, "duplicate triangles were dropped"),
        (done.degenerate_triangles, "triangles without area were dropped"),
        (done.turned_triangles, "triangles that faced inwards were turned over"),
        (
            done.open_edges,
            "edges are open: it has no inside, and cloth inside it cannot be found; only crossings \
             are counted. Close its holes in a modelling program",
        ),
    ];
    let done = said.into_iter().filter(|(n, _)| *n > 0);
    done.map(|(n, what)| format!("{n} {what}")).collect()
}

/// Reads a body for an audit; what was done to it is said in words.
///
/// # Errors
/// If it cannot be read, or is animated: an audit against one pose would be no answer.
pub(crate) fn read_body(path: &Path) -> Result<(TriMesh, Vec<String>), Error> {
    let file = MeshFile::read(path)?;
    if file.frames > 0 {
        let message = format!("{}: the body is animated", path.display());
        return Err(Error::request(message, "export it in one pose, without its animation"));
    }
    let (mesh, _, warnings) = body(&file.mesh, "body");
    let said = file.notes.into_iter().chain(warnings);
    Ok((mesh, said.map(|w| format!("body: {w}")).collect()))
}

/// A cloth from a file.
pub(crate) struct ClothFile {
    /// Welded, with the material coordinates of the file.
    pub(crate) mesh: TriMesh,
    /// New numbers of the vertices of the file, if they differ.
    pub(crate) map: Option<Vec<u32>>,
    pub(crate) welded_vertices: u64,
    pub(crate) warnings: Vec<String>,
}

impl ClothFile {
    /// Reads a cloth and merges vertices at the same place: it would fall apart there.
    pub(crate) fn read(path: &Path) -> Result<Self, io::Error> {
        let file = MeshFile::read(path)?;
        let mut warnings = file.warnings();
        let welding = Welding::new(&file.mesh.positions);
        let merged = welding.merged();
        let welded = welding.mesh(&file.mesh);
        let format = Format::of(path)?;
        if merged == 0 {
            return Ok(Self { mesh: file.mesh, map: None, welded_vertices: 0, warnings });
        }
        if format != Format::Glb && is_worse(&file.mesh, &welded) {
            return Err(io::Error::Unfit {
                name: path.display().to_string(),
                what: format!(
                    "{merged} vertices are at the same place as others, and if they were merged more \
                     than two triangles would share an edge"
                ),
                remedy: "weld what belongs together in a modelling program, and move layers apart",
            });
        }
        // Other formats split vertices where uv jump and cannot do otherwise.
        if format == Format::Obj {
            warnings.push(format!(
                "{merged} vertices at the same place as others were merged with them; \
                 the cloth would have fallen apart there"
            ));
        }
        let map = (format != Format::Glb).then(|| welding.into_map());
        Ok(Self { mesh: welded, map, welded_vertices: merged as u64, warnings })
    }
}

/// What is to be said of a mesh in memory whose vertices lie on one another: its vertices keep their numbers, so they are not merged.
pub(crate) fn doubled(mesh: &TriMesh, name: &str) -> Option<String> {
    let merged = Welding::new(&mesh.positions).merged();
    (merged > 0).then(|| {
        format!(
            "{name}: {merged} vertices are at the same place as others: the cloth will fall apart there; merge them with `TriMesh::weld`"
        )
    })
}

/// Whether welding has made faults that were not there: layers that touch are no cracks.
fn is_worse(before: &TriMesh, after: &TriMesh) -> bool {
    let faults = |mesh: &TriMesh| {
        let bad =
            |f: &&Fault| matches!(f, Fault::NonManifoldEdge { .. } | Fault::RepeatedVertex { .. });
        mesh.validate().faults.iter().filter(bad).count()
    };
    faults(after) > faults(before)
}
