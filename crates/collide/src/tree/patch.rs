//! Which nodes are patches of surface: only of these does curvature say anything.

use super::Plan;
use crate::Surface;

/// Whether the triangles of each node are one piece without holes: connected through edges, every
/// edge with at most two triangles, and V − E + F = 1.
pub(crate) fn patches(surface: &Surface, plan: &Plan) -> Vec<bool> {
    let mut test = Patches::new(surface);
    (0..plan.nodes.len()).map(|i| test.is_patch(plan.triangles(i))).collect()
}

struct Patches<'a> {
    surface: &'a Surface,
    stamp: u32,
    vertex_seen: Vec<u32>,
    /// Stamp of the last set an edge was seen in, and the triangle that was first there.
    edge_seen: Vec<(u32, u32)>,
    parent: Vec<u32>,
}

impl<'a> Patches<'a> {
    fn new(surface: &'a Surface) -> Self {
        Self {
            surface,
            stamp: 0,
            vertex_seen: vec![0; surface.vertices],
            edge_seen: vec![(0, 0); surface.edges.len()],
            parent: vec![0; surface.triangles.len()],
        }
    }

    fn is_patch(&mut self, items: &[u32]) -> bool {
        self.stamp += 1;
        for t in items {
            self.parent[*t as usize] = *t;
        }
        let (mut vertices, mut edges, mut pieces) = (0, 0, items.len());
        for t in items {
            for v in self.surface.triangles[*t as usize] {
                let seen = &mut self.vertex_seen[v as usize];
                vertices += usize::from(*seen != self.stamp);
                *seen = self.stamp;
            }
            for e in self.surface.triangle_edges[*t as usize] {
                if self.surface.valence[e as usize] > 2 {
                    return false;
                }
                let (seen, first) = self.edge_seen[e as usize];
                if seen == self.stamp {
                    pieces -= usize::from(self.join(first, *t));
                } else {
                    self.edge_seen[e as usize] = (self.stamp, *t);
                    edges += 1;
                }
            }
        }
        pieces == 1 && vertices + items.len() == edges + 1
    }

    /// Joins two triangles' pieces; false if they were one already.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
        a != b
    }

    fn root(&mut self, mut t: u32) -> u32 {
        while self.parent[t as usize] != t {
            let up = self.parent[self.parent[t as usize] as usize];
            self.parent[t as usize] = up;
            t = up;
        }
        t
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::Topology;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn a_sheet_with_a_hole_or_a_loose_corner_is_no_patch() {
        let mesh = grid(1.0, 1.0, 3, 3, Diagonals::Alternating);
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let s = Surface::new(mesh.positions.len(), &mesh.triangles, &topology);
        let all: Vec<u32> = (0..18).collect();
        assert!(Patches::new(&s).is_patch(&all));
        // Without the middle cell (triangles 8 and 9) it is a ring.
        let ring: Vec<u32> = all.iter().copied().filter(|t| *t != 8 && *t != 9).collect();
        assert!(!Patches::new(&s).is_patch(&ring));
        assert!(!Patches::new(&s).is_patch(&[0, 17]));
    }
}
