//! One judge for all simulators: the exact audit over the frames of a point cache.

use std::path::Path;
use toile_audit::{max_edge_strain, self_intersections};
use toile_mesh::TriMesh;
use toile_mesh::io::{pc2::Pc2Reader, read_mesh};

/// What was found in the frames of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Judgement {
    /// Frames looked at.
    pub(super) frames: u64,
    /// Intersecting pairs of triangles in the worst frame.
    pub(super) pairs: u64,
    /// Largest l / l₀ − 1 of an edge in any frame, with l₀ its length in the material plane.
    pub(super) stretch: f64,
}

/// Judges the frames of `cache` on the triangles of `mesh`.
pub(super) fn judge(mesh: &Path, cache: &Path) -> Result<Judgement, String> {
    let say = |e: &dyn std::fmt::Display| format!("{}: {e}", cache.display());
    let triangles = read_mesh(mesh).map_err(|e| e.to_string())?;
    let (edges, rest) = rest_edges(&triangles)
        .ok_or_else(|| format!("{}: there are no material coordinates", mesh.display()))?;
    let mut found = Judgement::default();
    for frame in Pc2Reader::open(cache).map_err(|e| e.to_string())? {
        let frame = frame.map_err(|e| e.to_string())?;
        if frame.len() != triangles.positions.len() {
            return Err(say(&"not of the same mesh"));
        }
        let pairs = self_intersections(&frame, &triangles.triangles).map_err(|e| say(&e))?;
        let strain = max_edge_strain(&rest, &frame, &edges).map_err(|e| say(&e))?;
        found.frames += 1;
        found.pairs = found.pairs.max(pairs.len() as u64);
        found.stretch = found.stretch.max(strain.extension);
    }
    Ok(found)
}

/// The edges of all triangles with their lengths in the material plane; inner edges come twice, which does not
/// change a maximum. `None` without material coordinates.
fn rest_edges(mesh: &TriMesh) -> Option<(Vec<[u32; 2]>, Vec<f64>)> {
    if !mesh.has_uv() {
        return None;
    }
    let sides = mesh.triangles.iter().enumerate().flat_map(|(t, corners)| {
        let uv = mesh.corners_uv(t);
        [(0, 1), (1, 2), (2, 0)].map(|(a, b)| ([corners[a], corners[b]], uv[a].distance(uv[b])))
    });
    Some(sides.unzip())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Two triangles side by side, one metre each way.
    const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 3 0 0\nv 4 0 0\nv 3 1 0\n\
        vt 0 0\nvt 1 0\nvt 0 1\nvt 3 0\nvt 4 0\nvt 3 1\nf 1/1 2/2 3/3\nf 4/4 5/5 6/6\n";

    fn write_cache(path: &Path, frames: &[[[f32; 3]; 6]]) {
        let mut bytes = b"POINTCACHE2\0".to_vec();
        bytes.extend([1_i32, 6].iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend([0.0_f32, 1.0].iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend((frames.len() as i32).to_le_bytes());
        bytes.extend(frames.iter().flatten().flatten().flat_map(|c| c.to_le_bytes()));
        fs::write(path, bytes).expect("a file");
    }

    #[test]
    fn the_worst_frame_counts_and_only_elongation_is_stretch() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mesh, cache) = (folder.path().join("m.obj"), folder.path().join("f.pc2"));
        fs::write(&mesh, MESH).expect("a file");
        let rest =
            [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [3., 0., 0.], [4., 0., 0.], [3., 1., 0.]];
        let shrunk = rest.map(|p: [f32; 3]| p.map(|c| c * 0.25));
        // Pulled to a length and a half, and put through the other triangle.
        let mut crossing = rest;
        (crossing[3], crossing[4], crossing[5]) =
            ([0.2, 0.2, -0.5], [0.2, 0.2, 1.0], [0.2, 1.2, -0.5]);
        write_cache(&cache, &[rest, crossing, shrunk]);
        let found = judge(&mesh, &cache).expect("sound files");
        assert_eq!((found.frames, found.pairs), (3, 1));
        assert!((found.stretch - 0.5).abs() < 1e-6, "{}", found.stretch);
    }

    #[test]
    fn a_cache_of_another_mesh_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mesh, cache) = (folder.path().join("m.obj"), folder.path().join("f.pc2"));
        fs::write(&mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n")
            .expect("a file");
        write_cache(&cache, &[[[0.0; 3]; 6]]);
        let message = judge(&mesh, &cache).expect_err("six points for three vertices");
        assert!(message.contains("f.pc2: not of the same mesh"), "{message}");
    }
}
