//! The features of a mesh that can collide, and their motion over a step.

use glam::DVec3;
use toile_mesh::Topology;

/// Straight motion of vertices over one step.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions at the begin of the step [m].
    pub x_t0: &'a [DVec3],
    /// Positions at its end [m].
    pub x_t1: &'a [DVec3],
}

impl<'a> Motion<'a> {
    /// No motion: for proximity queries and bodies at rest.
    pub fn still(x: &'a [DVec3]) -> Self {
        Self { x_t0: x, x_t1: x }
    }

    /// Both positions of vertex `v`.
    #[inline]
    pub fn of(&self, v: u32) -> [DVec3; 2] {
        [self.x_t0[v as usize], self.x_t1[v as usize]]
    }
}

/// Vertices, edges and faces of a mesh, each owned by exactly one triangle.
///
/// Neighbouring triangles share vertices and edges. Testing every feature of two triangles would
/// test shared ones several times; so each vertex and edge is tested only as part of the triangle
/// that owns it ("representative triangles", [curtis2008]).
#[derive(Clone, Debug)]
pub struct Surface {
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of each triangle; edge `k` joins its corners `k` and `k + 1`.
    pub triangle_edges: Vec<[u32; 3]>,
    /// The two vertices of each edge.
    pub edges: Vec<[u32; 2]>,
    /// How many vertices there are.
    pub vertices: usize,
    /// Bits 0–2: corners the triangle owns; bits 3–5: edges it owns.
    owned: Vec<u8>,
    /// How many triangles use each edge.
    pub(crate) valence: Vec<u32>,
}

impl Surface {
    /// The features of a mesh.
    pub fn new(vertices: usize, triangles: &[[u32; 3]], topology: &Topology) -> Self {
        let mut owned = vec![0_u8; triangles.len()];
        let mut vertex_taken = vec![false; vertices];
        let mut edge_taken = vec![false; topology.edges.len()];
        for (t, tri) in triangles.iter().enumerate() {
            for k in 0..3 {
                let v = tri[k] as usize;
                let e = topology.triangle_edges[t][k] as usize;
                if !std::mem::replace(&mut vertex_taken[v], true) {
                    owned[t] |= 1 << k;
                }
                if !std::mem::replace(&mut edge_taken[e], true) {
                    owned[t] |= 8 << k;
                }
            }
        }
        Self {
            triangles: triangles.to_vec(),
            triangle_edges: topology.triangle_edges.clone(),
            edges: topology.edges.iter().map(|e| e.vertices).collect(),
            vertices,
            owned,
            valence: topology.edges.iter().map(|e| e.valence).collect(),
        }
    }

    /// Whether triangle `t` owns its corner `k`.
    #[inline]
    pub(crate) fn owns_vertex(&self, t: u32, k: usize) -> bool {
        self.owned[t as usize] & (1 << k) != 0
    }

    /// Whether triangle `t` owns its edge `k`.
    #[inline]
    pub(crate) fn owns_edge(&self, t: u32, k: usize) -> bool {
        self.owned[t as usize] & (8 << k) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn every_feature_has_exactly_one_owner() {
        let mesh = grid(1.0, 1.0, 5, 7, Diagonals::Alternating);
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let s = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
        let bits = |mask: u8| s.owned.iter().map(|o| (o & mask).count_ones()).sum::<u32>() as usize;
        assert_eq!(bits(0b111), mesh.positions.len());
        assert_eq!(bits(0b111_000), topology.edges.len());
    }
}
