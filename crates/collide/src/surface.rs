//! The features of a mesh that can collide, and their motion over a step.

use glam::DVec3;
use std::sync::Arc;
use toile_mesh::{Fans, Topology};

/// Straight motion of vertices over one step.
///
/// ```
/// use glam::DVec3;
/// use toile_collide::Motion;
///
/// let (x_t0, x_t1) = ([DVec3::ZERO], [DVec3::X]);
/// let motion = Motion { x_t0: &x_t0, x_t1: &x_t1 };
/// assert_eq!(motion.ends(0), [DVec3::ZERO, DVec3::X]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions at the start of the step [m].
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
    pub fn ends(&self, v: u32) -> [DVec3; 2] {
        [self.x_t0[v as usize], self.x_t1[v as usize]]
    }
}

/// Vertices, edges and faces of a mesh, each owned by exactly one triangle.
///
/// Neighbouring triangles share vertices and edges. Testing every feature of two triangles would
/// test shared ones several times; so each vertex and edge is tested only as part of the triangle
/// that owns it ("representative triangles", [curtis2008]).
///
/// ```
/// use toile_collide::Surface;
/// use toile_mesh::{Topology, shape};
///
/// let mesh = shape::sphere(1.0, 2);
/// let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
/// let surface = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
/// assert_eq!(surface.edges.len(), 3 * surface.triangles.len() / 2); // closed
/// ```
#[derive(Clone, Debug)]
pub struct Surface {
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of each triangle; edge `k` joins its corners `k` and `k + 1`.
    pub triangle_edges: Arc<[[u32; 3]]>,
    /// The two vertices of each edge.
    pub edges: Vec<[u32; 2]>,
    /// How many vertices there are.
    pub vertices: usize,
    /// Bits 0–2: corners the triangle owns; bits 3–5: edges it owns.
    owned: Vec<u8>,
    /// How many triangles use each edge, 255 if more.
    pub(crate) valence: Vec<u8>,
    /// Triangles around each vertex.
    fans: Fans,
    /// How the triangles around each vertex hang together.
    whole_fan: Vec<Fan>,
}

impl Surface {
    /// The features of a mesh.
    ///
    /// # Panics
    ///
    /// If a triangle names a vertex that does not exist, or the topology is of other triangles.
    pub fn new(vertices: usize, triangles: &[[u32; 3]], topology: &Topology) -> Self {
        let there = |tri: &[u32; 3]| tri.iter().all(|v| (*v as usize) < vertices);
        assert!(triangles.iter().all(there), "triangles of {vertices} vertices");
        assert_eq!(topology.triangle_edges.len(), triangles.len(), "a topology of these triangles");
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
            triangle_edges: Arc::clone(&topology.triangle_edges),
            edges: topology.edges.iter().map(|e| e.vertices).collect(),
            vertices,
            owned,
            valence: topology.edges.iter().map(|e| e.valence.min(255) as u8).collect(),
            fans: topology.fans.clone(),
            whole_fan: (0..vertices as u32).map(|v| fan_of(v, triangles, topology)).collect(),
        }
    }

    /// Triangles around a vertex.
    pub(crate) fn around(&self, v: u32) -> &[u32] {
        self.fans.around(v)
    }

    /// How the triangles around a vertex hang together.
    pub(crate) fn fan_kind(&self, v: u32) -> Fan {
        self.whole_fan[v as usize]
    }

    /// Triangles around a vertex, if they are one piece: a disc, or half a disc at the rim.
    pub(crate) fn fan(&self, v: u32) -> Option<&[u32]> {
        (self.whole_fan[v as usize] != Fan::Broken).then(|| self.around(v))
    }

    /// Which corners and edges triangle `t` owns: bit `k` is corner `k`, bit `3 + k` edge `k`.
    pub(crate) fn owned(&self, t: u32) -> u8 {
        self.owned[t as usize]
    }
}

/// How the triangles around a vertex hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fan {
    /// A disc with the vertex inside.
    Disc,
    /// Half a disc with the vertex on its rim.
    Half,
    /// Anything else: several pieces, three triangles on an edge, not oriented alike, or none at all.
    Broken,
}

/// The fan of `v`: it is whole if it can be walked through across edges at `v`, each with at most two
/// triangles that run along it in opposite directions.
fn fan_of(v: u32, triangles: &[[u32; 3]], topology: &Topology) -> Fan {
    let fan = topology.triangles_of(v);
    let Some(first) = fan.first() else { return Fan::Broken };
    // Whether a triangle runs along an edge from its first vertex to its second.
    let runs_along = |t: u32, e: [u32; 2]| {
        let tri = triangles[t as usize];
        (0..3).any(|k| [tri[k], tri[(k + 1) % 3]] == e)
    };
    let mut seen = vec![*first];
    let mut closed = true;
    let mut next = 0;
    while next < seen.len() {
        for e in topology.triangle_edges[seen[next] as usize] {
            let edge = topology.edges[e as usize];
            if !edge.vertices.contains(&v) {
                continue;
            }
            closed &= edge.valence == 2;
            let sides = edge.triangles.into_iter().take(edge.valence.min(2) as usize);
            let along = sides.clone().filter(|t| runs_along(*t, edge.vertices)).count();
            if edge.valence > 2 || (edge.valence == 2 && along != 1) {
                return Fan::Broken;
            }
            for t in sides {
                if !seen.contains(&t) {
                    seen.push(t);
                }
            }
        }
        next += 1;
    }
    match (seen.len() == fan.len(), closed) {
        (false, _) => Fan::Broken,
        (true, true) => Fan::Disc,
        (true, false) => Fan::Half,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn a_bow_tie_has_no_whole_fan() {
        let triangles = [[0, 1, 2], [2, 3, 4], [0, 5, 1]];
        let s = Surface::new(6, &triangles, &Topology::new(6, &triangles));
        assert_eq!(s.fan(2), None);
        assert_eq!(s.fan(0), Some(&[0, 2][..]));
        let turned = [[0, 1, 2], [0, 1, 3]];
        let s = Surface::new(4, &turned, &Topology::new(4, &turned));
        assert_eq!(s.fan_kind(0), Fan::Broken, "not oriented alike");
        let fan = [[0, 1, 2], [0, 2, 3], [0, 3, 1]];
        let s = Surface::new(4, &fan, &Topology::new(4, &fan));
        assert_eq!((s.fan_kind(0), s.fan_kind(1)), (Fan::Disc, Fan::Half));
        let book = [[0, 1, 2], [0, 1, 3], [1, 0, 4]];
        let s = Surface::new(5, &book, &Topology::new(5, &book));
        assert_eq!(s.fan(0), None);
    }

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
