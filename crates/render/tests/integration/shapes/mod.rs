//! Meshes for the tests.

use glam::DVec3;
use std::f64::consts::PI;
use toile_mesh::TriMesh;

/// A ball about `centre`, its triangles facing outwards.
#[allow(dead_code)] // not every test file has balls
pub(crate) fn ball(centre: DVec3, radius: f64, rings: u32) -> TriMesh {
    let sectors = 2 * rings;
    let mut positions = Vec::new();
    for i in 0..=rings {
        let polar = PI * f64::from(i) / f64::from(rings);
        for j in 0..sectors {
            let around = 2.0 * PI * f64::from(j) / f64::from(sectors);
            let (s, c) = polar.sin_cos();
            positions.push(centre + radius * DVec3::new(s * around.sin(), c, s * around.cos()));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..rings {
        for j in 0..sectors {
            let (a, b) = (i * sectors + j, i * sectors + (j + 1) % sectors);
            triangles.extend([[a, a + sectors, b + sectors], [a, b + sectors, b]]);
        }
    }
    TriMesh::new(positions, triangles)
}

/// A cube of side 2 about `centre`, its triangles facing outwards.
#[allow(dead_code)] // not every test file has boxes
pub(crate) fn cube(centre: DVec3) -> TriMesh {
    let sign = |corner: usize, k: usize| if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |c| centre + DVec3::new(sign(c, 0), sign(c, 1), sign(c, 2));
    let quads: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    TriMesh::new((0..8).map(corner).collect(), triangles)
}

/// The appearance in a fabric file of toile.
#[allow(dead_code)] // not every test file has fabrics
pub(crate) fn appearance(name: &str) -> toile_render::appearance::Appearance {
    let text = std::fs::read_to_string(format!("../../fabrics/{name}.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    table["appearance"].clone().try_into().unwrap()
}
