//! What follows from the indices of a mesh alone: edges, adjacency, boundaries, components.

use std::sync::Arc;

/// No such triangle: the outer side of a boundary edge.
pub const NONE: u32 = u32::MAX;

/// An undirected edge and the triangles beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its two vertices, the smaller index first.
    pub vertices: [u32; 2],
    /// The first two triangles that use it; [`NONE`] where there is none.
    pub triangles: [u32; 2],
    /// How many triangles use it: 1 on the boundary, 2 inside, more where not manifold.
    pub valence: u32,
}

impl Edge {
    /// Whether only one triangle uses the edge.
    pub fn is_boundary(&self) -> bool {
        self.valence == 1
    }
}

/// Edges and adjacency of a triangle mesh.
///
/// Edges are sorted by their vertices, so that their numbering depends on the mesh alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// All edges.
    pub edges: Vec<Edge>,
    /// The three edges of each triangle; edge `k` joins its corners `k` and `k + 1`.
    pub triangle_edges: Arc<[[u32; 3]]>,
    /// Triangles around each vertex.
    pub fans: Fans,
}

/// Triangles around each vertex. Copies share their memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fans {
    /// All lists behind one another.
    triangles: Arc<[u32]>,
    /// Where the list of each vertex begins; one entry more than vertices.
    offsets: Arc<[u32]>,
}

impl Fans {
    /// Triangles that use vertex `v`, in ascending order.
    pub fn around(&self, v: u32) -> &[u32] {
        &self.triangles[self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize]
    }
}

impl Topology {
    /// Topology of `triangles` over `vertices` vertices.
    ///
    /// # Panics
    /// If an index is out of range: meshes are validated when they are read.
    pub fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let (edges, triangle_edges) = edges_of(triangles);
        Self { edges, triangle_edges: triangle_edges.into(), fans: fans_of(vertices, triangles) }
    }

    /// Triangles that use vertex `v`, in ascending order.
    pub fn triangles_of(&self, v: u32) -> &[u32] {
        self.fans.around(v)
    }

    /// Whether no edge has more than two triangles.
    pub fn is_edge_manifold(&self) -> bool {
        self.edges.iter().all(|e| e.valence <= 2)
    }

    /// Whether every edge has exactly two triangles, so that the surface encloses a volume.
    pub fn is_closed(&self) -> bool {
        !self.edges.is_empty() && self.edges.iter().all(|e| e.valence == 2)
    }

    /// The component of each triangle, numbered by first appearance, and their count.
    /// Triangles that share an edge belong together.
    pub fn components(&self) -> (Vec<u32>, u32) {
        let mut component = vec![NONE; self.triangle_edges.len()];
        let by_edge = self.triangles_by_edge();
        let mut count = 0;
        let mut stack = Vec::new();
        for start in 0..component.len() {
            if component[start] != NONE {
                continue;
            }
            component[start] = count;
            stack.push(start as u32);
            while let Some(t) = stack.pop() {
                for e in self.triangle_edges[t as usize] {
                    for other in &by_edge[e as usize] {
                        if component[*other as usize] == NONE {
                            component[*other as usize] = count;
                            stack.push(*other);
                        }
                    }
                }
            }
            count += 1;
        }
        (component, count)
    }

    /// All triangles of each edge, also of edges with more than two.
    fn triangles_by_edge(&self) -> Vec<Vec<u32>> {
        let mut by_edge = vec![Vec::new(); self.edges.len()];
        for (t, edges) in self.triangle_edges.iter().enumerate() {
            for e in edges {
                by_edge[*e as usize].push(t as u32);
            }
        }
        by_edge
    }
}

/// Sorted edges, and the edges of each triangle.
pub(crate) fn edges_of(triangles: &[[u32; 3]]) -> (Vec<Edge>, Vec<[u32; 3]>) {
    let mut sides: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(triangles.len() * 3);
    for (t, tri) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (tri[k], tri[(k + 1) % 3]);
            sides.push(([a.min(b), a.max(b)], t as u32, k as u8));
        }
    }
    sides.sort_unstable();
    let mut edges: Vec<Edge> = Vec::with_capacity(sides.len() / 2 + 1);
    let mut triangle_edges = vec![[0; 3]; triangles.len()];
    for (vertices, t, k) in sides {
        match edges.last_mut() {
            Some(last) if last.vertices == vertices => {
                if last.valence == 1 {
                    last.triangles[1] = t;
                }
                last.valence += 1;
            }
            _ => edges.push(Edge { vertices, triangles: [t, NONE], valence: 1 }),
        }
        triangle_edges[t as usize][k as usize] = edges.len() as u32 - 1;
    }
    // A boundary has as many edges as sides, so there may have been too little room, and now be twice of it.
    edges.shrink_to_fit();
    (edges, triangle_edges)
}

/// Triangles around each vertex by counting sort.
fn fans_of(vertices: usize, triangles: &[[u32; 3]]) -> Fans {
    let mut offsets = vec![0_u32; vertices + 1];
    for v in triangles.iter().flatten() {
        offsets[*v as usize + 1] += 1;
    }
    for v in 0..vertices {
        offsets[v + 1] += offsets[v];
    }
    let mut next = offsets.clone();
    let mut fans = vec![0; triangles.len() * 3];
    for (t, tri) in triangles.iter().enumerate() {
        for v in tri {
            fans[next[*v as usize] as usize] = t as u32;
            next[*v as usize] += 1;
        }
    }
    Fans { triangles: fans.into(), offsets: offsets.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles on a square and one apart.
    fn square_and_stray() -> Topology {
        Topology::new(7, &[[0, 1, 2], [0, 2, 3], [4, 5, 6]])
    }

    #[test]
    fn a_shared_edge_knows_both_triangles() {
        let t = square_and_stray();
        let diagonal = t.edges.iter().find(|e| e.vertices == [0, 2]).unwrap();
        assert_eq!((diagonal.triangles, diagonal.valence), ([0, 1], 2));
        assert_eq!(t.edges.len(), 8);
        assert_eq!(t.edges.iter().filter(|e| e.is_boundary()).count(), 7);
    }

    #[test]
    fn edge_k_of_a_triangle_joins_corners_k_and_k_plus_1() {
        let triangles = [[0, 1, 2], [0, 2, 3], [4, 5, 6]];
        let t = Topology::new(7, &triangles);
        for (tri, edges) in triangles.iter().zip(t.triangle_edges.iter()) {
            for k in 0..3 {
                let mut ends = [tri[k], tri[(k + 1) % 3]];
                ends.sort_unstable();
                assert_eq!(t.edges[edges[k] as usize].vertices, ends);
            }
        }
    }

    #[test]
    fn fans_list_every_triangle_of_a_vertex() {
        let t = square_and_stray();
        assert_eq!(t.triangles_of(0), &[0, 1]);
        assert_eq!(t.triangles_of(3), &[1]);
        assert_eq!(t.triangles_of(5), &[2]);
    }

    #[test]
    fn components_follow_edges() {
        assert_eq!(square_and_stray().components(), (vec![0, 0, 1], 2));
        // Touching in a vertex only does not connect.
        let bow_tie = Topology::new(5, &[[0, 1, 2], [2, 3, 4]]);
        assert_eq!(bow_tie.components().1, 2);
    }

    #[test]
    fn three_triangles_on_an_edge_are_not_manifold() {
        let book = Topology::new(5, &[[0, 1, 2], [0, 1, 3], [1, 0, 4]]);
        assert!(!book.is_edge_manifold());
        assert_eq!(book.components().1, 1);
        assert_eq!(book.edges[0].valence, 3);
    }
}
