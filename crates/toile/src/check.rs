//! The audit of files: `toile check`.

use crate::convert::{Clip, extension, read_clip, read_welded};
use crate::error::Error;
use serde::Serialize;
use std::path::{Path, PathBuf};
use toile_audit::{Solid, body_penetrations, max_edge_strain, self_intersections};
use toile_mesh::{NONE, Topology, TriMesh};

/// What was found in files.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Check {
    /// Pairs of triangles that intersect, over all frames.
    pub self_intersections: u64,
    /// Triangles that enter the body, over all frames.
    pub body_penetrations: u64,
    /// Largest |l / l₀ − 1| of an edge in any frame; null if no file has material coordinates.
    pub max_strain: Option<f64>,
    /// Frames audited.
    pub frames: u64,
    /// Each file by itself.
    pub files: Vec<CheckedFile>,
}

impl Check {
    /// Whether nothing intersects.
    pub fn is_clean(&self) -> bool {
        self.self_intersections == 0 && self.body_penetrations == 0
    }
}

/// What was found in one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckedFile {
    /// The file.
    pub file: PathBuf,
    /// Pairs of triangles that intersect, over all frames.
    pub self_intersections: u64,
    /// Triangles that enter the body, over all frames.
    pub body_penetrations: u64,
    /// Largest |l / l₀ − 1| of an edge in any frame.
    pub max_strain: Option<f64>,
    /// Frames audited.
    pub frames: u64,
    /// The first frame in which something intersects.
    pub first_bad_frame: Option<u64>,
    /// The first intersecting pair of triangles in it.
    pub first_pair: Option<[u32; 2]>,
    /// What was noticed about the mesh.
    pub warnings: Vec<String>,
}

/// Audits meshes and animations, with `body` as an obstacle at rest. A point cache (PC2) takes the
/// triangles of the mesh that is named before it.
///
/// # Errors
/// If a file cannot be read.
pub fn check(files: &[PathBuf], body: Option<&Path>) -> Result<Check, Error> {
    let body = body.map(read_welded).transpose()?;
    let mut total = Check::default();
    let mut last_mesh: Option<&PathBuf> = None;
    for file in files {
        let clip = match (extension(file) == "pc2", last_mesh) {
            (true, Some(mesh)) => read_clip(&[mesh, file], 1.0)?,
            _ => read_clip(&[file], 1.0)?,
        };
        if extension(file) != "pc2" {
            last_mesh = Some(file);
        }
        let found = check_clip(file, &clip, body.as_ref())?;
        total.self_intersections += found.self_intersections;
        total.body_penetrations += found.body_penetrations;
        total.frames += found.frames;
        total.max_strain = larger(total.max_strain, found.max_strain);
        total.files.push(found);
    }
    Ok(total)
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

fn check_clip(file: &Path, clip: &Clip, body: Option<&TriMesh>) -> Result<CheckedFile, Error> {
    let failed = |e: toile_audit::Error| Error::Audit(format!("{}: {e}", file.display()));
    let mut found = CheckedFile { file: file.to_path_buf(), ..CheckedFile::default() };
    let soft: Vec<_> = clip.mesh.validate().faults;
    found.warnings = soft.iter().take(3).map(ToString::to_string).collect();
    if soft.len() > 3 {
        found.warnings.push(format!("{} more faults of the mesh", soft.len() - 3));
    }
    let rest = rest_edges(&clip.mesh);
    let triangles = &clip.mesh.triangles;
    let solid = body.map(Solid::from);
    for (n, frame) in (0_u64..).zip(&clip.frames) {
        let pairs = self_intersections(frame, triangles).map_err(failed)?;
        let mut bad = pairs.len() as u64;
        found.self_intersections += bad;
        if let Some(solid) = &solid {
            let inside = body_penetrations(frame, triangles, solid).map_err(failed)?;
            found.body_penetrations += inside.count() as u64;
            bad += inside.count() as u64;
            if inside.open_body && n == 0 {
                let message = "the body is not closed: only crossings are counted";
                found.warnings.push(message.into());
            }
        }
        if bad > 0 && found.first_bad_frame.is_none() {
            found.first_bad_frame = Some(n);
            found.first_pair = pairs.first().copied();
        }
        if let Some((edges, lengths)) = &rest {
            let strain = max_edge_strain(lengths, frame, edges).map_err(failed)?;
            found.max_strain = larger(found.max_strain, Some(strain.largest()));
        }
        found.frames += 1;
    }
    Ok(found)
}

/// Edges with their lengths in the pattern; `None` without material coordinates. Edges without
/// length there are left out.
fn rest_edges(mesh: &TriMesh) -> Option<(Vec<[u32; 2]>, Vec<f64>)> {
    if !mesh.has_uv() {
        return None;
    }
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let mut rest = (Vec::new(), Vec::new());
    for edge in &topology.edges {
        let Some(t) = edge.triangles.into_iter().find(|t| *t != NONE) else { continue };
        let (corners, uv) = (mesh.triangles[t as usize], mesh.corners_uv(t as usize));
        let at = |v: u32| corners.iter().position(|c| *c == v).map(|k| uv[k]);
        let [a, b] = edge.vertices;
        let Some(length) = at(a).zip(at(b)).map(|(p, q)| p.distance(q)) else { continue };
        if length > 0.0 {
            rest.0.push(edge.vertices);
            rest.1.push(length);
        }
    }
    Some(rest)
}
