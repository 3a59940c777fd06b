//! Geometry that pictures need and simulation does not: smooth surfaces, edges, hems and stitches.
//!
//! All of it is made from the simulated mesh and its material coordinates; nothing here moves a vertex
//! that was simulated.

mod hem;
mod project;
mod stitch;
mod subdivide;

pub use hem::{Hem, hem_band, rim};
pub use stitch::{Stitch, stitches};
pub use subdivide::subdivide;

use glam::DVec3;
use toile_mesh::TriMesh;

/// Unit normals of the vertices, weighted by area; zero where there is none.
fn vertex_normals(mesh: &TriMesh) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; mesh.positions.len()];
    for (t, corners) in mesh.triangles.iter().enumerate() {
        let n = mesh.area_normal(t);
        for v in corners {
            normals[*v as usize] += n;
        }
    }
    normals.iter().map(|n| n.normalize_or_zero()).collect()
}

/// A border of a mesh: its vertices in order, the cloth on their left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Border {
    /// The vertices; the first is not repeated at the end.
    pub vertices: Vec<u32>,
}

/// The borders of a mesh, each once around. Vertices where borders touch are passed once by each.
pub fn borders(mesh: &TriMesh) -> Vec<Border> {
    use std::collections::BTreeMap;
    let mut edges: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for [a, b, c] in &mesh.triangles {
        for edge in [(*a, *b), (*b, *c), (*c, *a)] {
            *edges.entry(edge).or_insert(0) += 1;
        }
    }
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (a, b) in edges.keys() {
        if !edges.contains_key(&(*b, *a)) {
            next.entry(*a).or_default().push(*b);
        }
    }
    let mut borders = Vec::new();
    while let Some((first, _)) = next.iter().find(|(_, n)| !n.is_empty()) {
        let start = *first;
        let (mut vertices, mut here) = (Vec::new(), start);
        while let Some(to) = next.get_mut(&here).and_then(Vec::pop) {
            vertices.push(here);
            here = to;
            if here == start {
                break;
            }
        }
        // A chain that does not close belongs to a mesh whose triangles disagree.
        if here == start && vertices.len() > 2 {
            borders.push(Border { vertices });
        }
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn a_sheet_has_one_border_and_a_tube_two() {
        let sheet = grid(1.0, 1.0, 4, 3, Diagonals::Same);
        let found = borders(&sheet);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].vertices.len(), 14);
        let n = 8_u32;
        let at = |k: u32, y: f64| {
            let a = std::f64::consts::TAU * f64::from(k) / f64::from(n);
            DVec3::new(a.cos(), y, a.sin())
        };
        let positions = (0..n).map(|k| at(k, 0.0)).chain((0..n).map(|k| at(k, 1.0))).collect();
        let triangles = (0..n)
            .flat_map(|k| {
                let l = (k + 1) % n;
                [[k, k + n, l], [l, k + n, l + n]]
            })
            .collect();
        assert_eq!(borders(&TriMesh::new(positions, triangles)).len(), 2);
    }
}
