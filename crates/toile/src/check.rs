//! The audit of files: `toile check`.

use crate::clip::ClipReader;
use crate::convert::extension;
use crate::error::Error;
use crate::input;
use serde::Serialize;
use std::path::{Path, PathBuf};
use toile_audit::{Shape, body_penetrations, count_self_intersections, is_open, max_edge_strain};
use toile_mesh::{NONE, Topology, TriMesh};

/// Pairs of a file at which counting ends: nobody wants to know more, and there may be the square
/// of the triangles.
pub const MAX_PAIRS: u64 = 1_000_000;

/// What was found in files.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Check {
    /// Pairs of triangles that intersect, over all frames; at least so many if `counted_all` is false.
    pub self_intersections: u64,
    /// Whether all pairs were counted: counting a file ends at [`MAX_PAIRS`].
    pub counted_all: bool,
    /// Triangles that enter the body, over all frames; null if the body is open and none crosses it.
    pub body_penetrations: Option<u64>,
    /// Largest |l / l₀ − 1| of an edge in any frame; null if no file has material coordinates in metres.
    pub max_strain: Option<f64>,
    /// Frames audited.
    pub frames: u64,
    /// Each file by itself.
    pub files: Vec<CheckedFile>,
}

impl Check {
    /// Whether nothing was found to intersect.
    pub fn is_clean(&self) -> bool {
        self.self_intersections == 0 && self.body_penetrations.unwrap_or(0) == 0
    }
}

/// What was found in one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckedFile {
    /// The file.
    pub file: PathBuf,
    /// Pairs of triangles that intersect, over all frames; at least so many if `counted_all` is false.
    pub self_intersections: u64,
    /// Whether all pairs of all frames were counted.
    pub counted_all: bool,
    /// Triangles that enter the body, over all frames; null if the body is open and none crosses it.
    pub body_penetrations: Option<u64>,
    /// Largest |l / l₀ − 1| of an edge in any frame; null without material coordinates in metres.
    pub max_strain: Option<f64>,
    /// Frames audited.
    pub frames: u64,
    /// The first frame in which something intersects.
    pub first_bad_frame: Option<u64>,
    /// An intersecting pair of triangles in it, the first if all were counted.
    pub first_pair: Option<[u32; 2]>,
    /// What was noticed about the mesh.
    pub warnings: Vec<String>,
}

/// Audits meshes and animations, with `body` as an obstacle at rest. A point cache (PC2) takes the
/// triangles of the mesh that is named before it. Frames are read one at a time.
///
/// # Errors
/// If a file cannot be read.
pub fn check(files: &[PathBuf], body: Option<&Path>) -> Result<Check, Error> {
    let body = body.map(Obstacle::read).transpose()?;
    let mut total = Check { counted_all: true, body_penetrations: Some(0), ..Check::default() };
    let mut last_mesh: Option<&PathBuf> = None;
    for file in files {
        let clip = match (extension(file) == "pc2", last_mesh) {
            (true, Some(mesh)) => ClipReader::open(&[mesh, file], 1.0)?,
            _ => ClipReader::open(&[file], 1.0)?,
        };
        if extension(file) != "pc2" {
            last_mesh = Some(file);
        }
        let found = check_clip(file, clip, body.as_ref())?;
        total.self_intersections += found.self_intersections;
        total.counted_all &= found.counted_all;
        total.body_penetrations = sum(total.body_penetrations, found.body_penetrations);
        total.frames += found.frames;
        total.max_strain = larger(total.max_strain, found.max_strain);
        total.files.push(found);
    }
    Ok(total)
}

/// The body of a check.
struct Obstacle {
    solid: Shape,
    is_open: bool,
    warnings: Vec<String>,
}

impl Obstacle {
    fn read(path: &Path) -> Result<Self, Error> {
        let (mesh, warnings) = input::read_body(path)?;
        let solid = Shape::from(&mesh);
        Ok(Self { is_open: is_open(&solid), solid, warnings })
    }

    /// What a count means: none at an open body means nothing.
    fn judge(&self, count: u64) -> Option<u64> {
        (count > 0 || !self.is_open).then_some(count)
    }
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

/// Counts of which some are unknown: what is known counts, but nothing known is not zero.
fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (known, None) | (None, known) => known.filter(|n| *n > 0),
    }
}

fn check_clip(
    file: &Path,
    mut clip: ClipReader,
    body: Option<&Obstacle>,
) -> Result<CheckedFile, Error> {
    let failed = |e: toile_audit::Error| Error::Audit(format!("{}: {e}", file.display()));
    let mut found =
        CheckedFile { file: file.to_path_buf(), counted_all: true, ..CheckedFile::default() };
    found.warnings = std::mem::take(&mut clip.notes);
    found.warnings.extend(faults(&clip.mesh));
    found.warnings.extend(body.iter().flat_map(|b| b.warnings.iter().cloned()));
    let rest = rest_edges(&clip.mesh, &mut found.warnings);
    let triangles = clip.mesh.triangles.clone();
    let mut entered = 0;
    for frame in clip {
        let frame = frame?;
        let room = MAX_PAIRS - found.self_intersections;
        let pairs = count_self_intersections(&frame, &triangles, room).map_err(failed)?;
        let mut bad = pairs.pairs + u64::from(pairs.more);
        found.self_intersections += pairs.pairs;
        if let Some(body) = body {
            let inside = body_penetrations(&frame, &triangles, &body.solid).map_err(failed)?;
            entered += inside.count() as u64;
            bad += inside.count() as u64;
        }
        if bad > 0 && found.first_bad_frame.is_none() {
            found.first_bad_frame = Some(found.frames);
            found.first_pair = pairs.first;
        }
        if let Some((edges, lengths)) = &rest {
            let strain = max_edge_strain(lengths, &frame, edges).map_err(failed)?;
            found.max_strain = larger(found.max_strain, Some(strain.largest()));
        }
        found.frames += 1;
        if pairs.more {
            found.counted_all = false;
            let n = found.frames - 1;
            found.warnings.push(format!(
                "counting ended in frame {n} at {MAX_PAIRS} pairs; later frames were not audited"
            ));
            break;
        }
    }
    found.body_penetrations = body.map_or(Some(0), |body| body.judge(entered));
    Ok(found)
}

/// The first faults of a mesh, and how many more there are.
fn faults(mesh: &TriMesh) -> Vec<String> {
    let faults = mesh.validate().faults;
    let mut said: Vec<String> = faults.iter().take(3).map(ToString::to_string).collect();
    if faults.len() > 3 {
        said.push(format!("{} more faults of the mesh", faults.len() - 3));
    }
    said
}

/// Edges with their lengths in the pattern; `None` without material coordinates in metres. Edges
/// without length there are left out.
fn rest_edges(mesh: &TriMesh, warnings: &mut Vec<String>) -> Option<(Vec<[u32; 2]>, Vec<f64>)> {
    let scale = mesh.uv_scale()?;
    if !scale.fits {
        let times = scale.median;
        warnings.push(format!(
            "lengths in uv are {times:.3} times those of the mesh: they are not metres, and strain \
             is unknown"
        ));
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
