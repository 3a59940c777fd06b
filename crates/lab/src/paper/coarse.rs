//! Closed meshes with fewer triangles: bodies of the size that a paper had.
//!
//! The shortest edge is drawn together into its middle, again and again. An edge stays if its ends have other neighbours in common than the two
//! beside it, for the surface would then be pinched, or if a triangle would turn over.

use glam::DVec3;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use toile_mesh::TriMesh;

struct Surface {
    x: Vec<DVec3>,
    triangles: Vec<Option<[u32; 3]>>,
    /// Triangles around each vertex.
    around: Vec<BTreeSet<u32>>,
}

impl Surface {
    fn neighbours(&self, v: u32) -> BTreeSet<u32> {
        let corners = self.around[v as usize].iter().filter_map(|t| self.triangles[*t as usize]);
        corners.flatten().filter(|w| *w != v).collect()
    }

    /// Whether the triangles of `v` beside those of `other` keep their sides when it moves.
    fn keeps_sides(&self, v: u32, other: u32, to: DVec3) -> bool {
        let beside = |t: &[u32; 3]| !t.contains(&other);
        let corners = self.around[v as usize].iter().filter_map(|t| self.triangles[*t as usize]);
        corners.filter(beside).all(|t| {
            let before = t.map(|w| self.x[w as usize]);
            let after = t.map(|w| if w == v { to } else { self.x[w as usize] });
            let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
            let (n, m) = (normal(before), normal(after));
            n.dot(m) > 0.5 * n.length() * m.length()
        })
    }

    /// Draws `b` into `a`; says whether that could be.
    fn collapse(&mut self, a: u32, b: u32) -> bool {
        let common = self.neighbours(a).intersection(&self.neighbours(b)).count();
        let to = 0.5 * (self.x[a as usize] + self.x[b as usize]);
        if common != 2 || !self.keeps_sides(a, b, to) || !self.keeps_sides(b, a, to) {
            return false;
        }
        self.x[a as usize] = to;
        for t in std::mem::take(&mut self.around[b as usize]) {
            let Some(corners) = &mut self.triangles[t as usize] else { continue };
            if corners.contains(&a) {
                for v in *corners {
                    self.around[v as usize].remove(&t);
                }
                self.triangles[t as usize] = None;
            } else {
                corners.iter_mut().filter(|v| **v == b).for_each(|v| *v = a);
                self.around[a as usize].insert(t);
            }
        }
        true
    }
}

/// The mesh with about `count` triangles, or as few as can be.
pub(super) fn coarse(mesh: &TriMesh, count: usize) -> TriMesh {
    let mut surface = Surface {
        x: mesh.positions.clone(),
        triangles: mesh.triangles.iter().copied().map(Some).collect(),
        around: vec![BTreeSet::new(); mesh.positions.len()],
    };
    for (t, corners) in mesh.triangles.iter().enumerate() {
        for v in corners {
            surface.around[*v as usize].insert(t as u32);
        }
    }
    // Squares of lengths are positive, so their bits are in their order.
    let length =
        |s: &Surface, a: u32, b: u32| s.x[a as usize].distance_squared(s.x[b as usize]).to_bits();
    let mut queue = BinaryHeap::new();
    for a in 0..mesh.positions.len() as u32 {
        let beyond = surface.neighbours(a).into_iter().filter(|b| *b > a);
        queue.extend(beyond.map(|b| Reverse((length(&surface, a, b), a, b))));
    }
    let mut left = mesh.triangles.len();
    while left > count
        && let Some(Reverse((told, a, b))) = queue.pop()
    {
        // What has changed since is in the queue again.
        let is_edge = surface.neighbours(a).contains(&b);
        if !is_edge || length(&surface, a, b) != told || !surface.collapse(a, b) {
            continue;
        }
        left -= 2;
        for b in surface.neighbours(a) {
            let (a, b) = (a.min(b), a.max(b));
            queue.push(Reverse((length(&surface, a, b), a, b)));
        }
    }
    let mut number = vec![u32::MAX; surface.x.len()];
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for corners in surface.triangles.iter().flatten() {
        triangles.push(corners.map(|v| {
            let place = &mut number[v as usize];
            if *place == u32::MAX {
                *place = positions.len() as u32;
                positions.push(surface.x[v as usize]);
            }
            *place
        }));
    }
    TriMesh::new(positions, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::{Topology, shape};

    #[test]
    fn a_ball_with_fewer_triangles_is_still_a_ball() {
        let ball = shape::sphere(1.0, 3);
        let small = coarse(&ball, ball.triangles.len() / 2);
        assert!(small.triangles.len().abs_diff(ball.triangles.len() / 2) <= 1);
        let topology = Topology::new(small.positions.len(), &small.triangles);
        assert!(topology.is_closed());
        // Euler: no handle and no pinch came about.
        assert_eq!(small.positions.len() + small.triangles.len(), topology.edges.len() + 2);
        let part = small.signed_volume() / ball.signed_volume();
        assert!((0.97..=1.0).contains(&part), "{part}");
        assert!(small.validate().faults.is_empty());
    }
}
