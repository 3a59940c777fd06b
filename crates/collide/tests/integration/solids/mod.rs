//! Closed bodies with known distances, shared by the tests of fields, images and voxels.
#![allow(dead_code, reason = "each test file uses its own part")]

use glam::DVec3;
use toile_collide::field::Solid;
use toile_mesh::TriMesh;

pub(crate) fn solid(mesh: &TriMesh) -> Solid {
    Solid::new(&mesh.positions, &mesh.triangles).unwrap()
}

/// A torus around the y axis: `major` from the middle to the tube's middle, `minor` the tube's.
pub(crate) fn torus(major: f64, minor: f64, around: usize, across: usize) -> TriMesh {
    let mut mesh = TriMesh::default();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (turn(i, around), turn(j, across));
            let r = major + minor * v.cos();
            mesh.positions.push(DVec3::new(r * u.cos(), minor * v.sin(), -r * u.sin()));
        }
    }
    let vertex = |i: usize, j: usize| (i % around * across + j % across) as u32;
    for i in 0..around {
        for j in 0..across {
            let (p, q) = (vertex(i, j), vertex(i + 1, j));
            let (r, s) = (vertex(i + 1, j + 1), vertex(i, j + 1));
            mesh.triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    mesh
}

fn turn(i: usize, n: usize) -> f64 {
    std::f64::consts::TAU * i as f64 / n as f64
}

pub(crate) fn torus_distance(major: f64, minor: f64, p: DVec3) -> f64 {
    (p.x.hypot(p.z) - major).hypot(p.y) - minor
}

/// The square from 0 to 2 without its quarter from 1 to 2, 0 ≤ z ≤ 1: a concave edge at (1, 1).
pub(crate) fn l_shape() -> TriMesh {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let at = |z: f64| outline.map(|(x, y)| DVec3::new(x, y, z));
    let positions = [at(0.0), at(1.0)].concat();
    // A fan about (0, 0) covers the outline: the body is star-shaped from there.
    let mut triangles = Vec::new();
    for k in 1..5_u32 {
        triangles.push([0, k + 1, k]);
        triangles.push([6, 6 + k, 6 + k + 1]);
    }
    for k in 0..6_u32 {
        let l = (k + 1) % 6;
        triangles.extend([[k, l, 6 + l], [k, 6 + l, 6 + k]]);
    }
    TriMesh::new(positions, triangles)
}

pub(crate) fn l_shape_distance(p: DVec3) -> f64 {
    let cut = |lo: DVec3, hi: DVec3| box_distance(lo, hi, p);
    let (a, b) =
        (cut(DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0)), cut(DVec3::ZERO, DVec3::new(1.0, 2.0, 1.0)));
    if a.min(b) > 0.0 {
        return a.min(b);
    }
    // Inside: the nearest of the outer planes and of the two faces of the notch.
    let outer = p.min(DVec3::new(2.0 - p.x, 2.0 - p.y, 1.0 - p.z)).min_element();
    let notch = (1.0 - p.x).max(0.0).hypot((1.0 - p.y).max(0.0));
    -outer.min(notch)
}

/// Signed distance of a box.
pub(crate) fn box_distance(lo: DVec3, hi: DVec3, p: DVec3) -> f64 {
    let q = (lo - p).max(p - hi);
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}

/// Deterministic points in a box.
pub(crate) fn points(n: usize, lo: DVec3, hi: DVec3) -> impl Iterator<Item = DVec3> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n).map(move |_| lo + (hi - lo) * DVec3::new(next(), next(), next()))
}

/// Exponent p of error ≈ c hᵖ between two resolutions.
pub(crate) fn order(coarse: f64, fine: f64, ratio: f64) -> f64 {
    (coarse / fine).ln() / ratio.ln()
}

/// Runs something with a fixed number of threads.
pub(crate) fn with_threads<T: Send>(n: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap().install(f)
}
