//! Lines of edges on a mesh: its seams and its borders, as chains of vertices.

use glam::DVec2;
use std::collections::BTreeMap;
use toile_mesh::TriMesh;

/// Material coordinates further apart than this are not the same point [m].
const APART: f64 = 1e-7;

/// Vertices in order; if it is closed, the first is not repeated at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The vertices.
    pub vertices: Vec<u32>,
    /// Whether the last is joined to the first.
    pub closed: bool,
}

impl Chain {
    /// The pairs of neighbouring vertices.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let n = self.vertices.len();
        let count = if self.closed { n } else { n.saturating_sub(1) };
        (0..count).map(move |k| [self.vertices[k], self.vertices[(k + 1) % n]])
    }
}

/// The borders of a mesh, each once around, the cloth on their left. Vertices where borders touch are passed once by
/// each.
pub fn edge_chains(mesh: &TriMesh) -> Vec<Chain> {
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
    let mut found = Vec::new();
    let starts: Vec<u32> = next.keys().copied().collect();
    for start in starts {
        while !next[&start].is_empty() {
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
                found.push(Chain { vertices, closed: true });
            }
        }
    }
    found
}

/// The seams of a mesh: inner edges on whose two sides material coordinates differ. They end where they meet.
pub fn seam_chains(mesh: &TriMesh) -> Vec<Chain> {
    chains(&seam_edges(mesh))
}

fn seam_edges(mesh: &TriMesh) -> Vec<[u32; 2]> {
    if !mesh.has_uv() {
        return Vec::new();
    }
    let mut sides: BTreeMap<[u32; 2], [DVec2; 2]> = BTreeMap::new();
    let mut seams = Vec::new();
    for (corners, uv) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
        for k in 0..3 {
            let l = (k + 1) % 3;
            let (first, last) = if corners[k] < corners[l] { (k, l) } else { (l, k) };
            let edge = [corners[first], corners[last]];
            let place = [uv[first], uv[last]].map(|i| mesh.uv[i as usize]);
            match sides.get(&edge) {
                None => {
                    sides.insert(edge, place);
                }
                Some(other) => {
                    if (0..2).any(|k| other[k].distance(place[k]) > APART) {
                        seams.push(edge);
                    }
                }
            }
        }
    }
    seams.sort_unstable();
    seams.dedup();
    seams
}

/// Joins edges to chains that run from one crossing or end to the next.
fn chains(edges: &[[u32; 2]]) -> Vec<Chain> {
    let mut around: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (e, ends) in edges.iter().enumerate() {
        ends.iter().for_each(|v| around.entry(*v).or_default().push(e));
    }
    let mut used = vec![false; edges.len()];
    let mut found = Vec::new();
    // First those that begin at an end or a crossing, then what is left: rings.
    let starts = around.iter().filter(|(_, e)| e.len() != 2).map(|(v, _)| *v);
    let rings = around.iter().filter(|(_, e)| e.len() == 2).map(|(v, _)| *v);
    for start in starts.chain(rings) {
        for first in &around[&start] {
            if used[*first] {
                continue;
            }
            let mut vertices = vec![start];
            let mut edge = *first;
            loop {
                used[edge] = true;
                let here = vertices[vertices.len() - 1];
                let [a, b] = edges[edge];
                let next = if a == here { b } else { a };
                vertices.push(next);
                let on = &around[&next];
                let free = on.iter().find(|e| !used[**e]);
                match free {
                    Some(e) if on.len() == 2 => edge = *e,
                    _ => break,
                }
            }
            let closed = vertices.len() > 3 && vertices[0] == vertices[vertices.len() - 1];
            if closed {
                vertices.pop();
            }
            found.push(Chain { vertices, closed });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    /// Two panels sewn along a line in the middle.
    fn sewn() -> TriMesh {
        let mut mesh = grid(2.0, 1.0, 4, 3, Diagonals::Same);
        let uv: Vec<DVec2> = mesh.uv.clone();
        let n = uv.len() as u32;
        mesh.uv.extend(uv.iter().map(|p| *p + DVec2::splat(10.0)));
        for (t, corners) in mesh.uv_triangles.iter_mut().enumerate() {
            let middle: f64 =
                mesh.triangles[t].iter().map(|v| mesh.positions[*v as usize].x).sum::<f64>() / 3.0;
            if middle > 0.0 {
                *corners = corners.map(|c| c + n);
            }
        }
        mesh
    }

    #[test]
    fn the_seam_is_where_material_coordinates_jump() {
        let mesh = sewn();
        let seams = seam_chains(&mesh);
        assert_eq!(seams.len(), 1);
        assert_eq!((seams[0].vertices.len(), seams[0].closed), (4, false));
        assert!(seams[0].vertices.iter().all(|v| mesh.positions[*v as usize].x.abs() < 1e-12));
        assert!(seam_chains(&grid(1.0, 1.0, 3, 3, Diagonals::Same)).is_empty());
        let edge = edge_chains(&mesh);
        assert_eq!((edge.len(), edge[0].edges().count()), (1, 14));
    }

    #[test]
    fn a_tube_has_two_borders() {
        use glam::DVec3;
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
        let found = edge_chains(&TriMesh::new(positions, triangles));
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|c| c.vertices.len() == 8 && c.closed));
    }

    #[test]
    fn chains_end_at_crossings_and_rings_close() {
        let cross = chains(&[[0, 1], [1, 2], [1, 3], [3, 4]]);
        let mut lengths: Vec<usize> = cross.iter().map(|c| c.vertices.len()).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [2, 2, 3]);
        let ring = chains(&[[0, 1], [1, 2], [2, 3], [0, 3]]);
        assert_eq!((ring.len(), ring[0].closed, ring[0].vertices.len()), (1, true, 4));
    }
}
