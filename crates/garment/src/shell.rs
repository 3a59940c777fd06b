//! A coarse shell around a body of many triangles.
//!
//! Cloth with edges of 2 cm that is pressed to a scan with edges of 6 mm has ten contacts for each of its vertices, and each of them costs as much as
//! one between equals. Coarse panels are therefore sewn on a shell whose triangles are as large as theirs. Its edges are collapsed, the
//! shortest first, as long as the surface stays a surface and no triangle turns over; then its vertices are moved outwards until all of the
//! body is within, so that cloth that is clear of the shell is clear of the body.

use glam::DVec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use toile_collide::distance;
use toile_mesh::{Topology, TriMesh};

/// A body whose edges are longer than this share of those asked for is left as it is.
const FINE: f64 = 0.6;
/// A collapse may turn no triangle by more than this cosine.
const LEAST_COSINE: f64 = 0.3;
/// How far beyond the body the shell is [m], and how often its vertices are moved.
const MARGIN: f64 = 2e-4;
const ROUNDS: u32 = 6;

/// A shell around a body, with edges about so long [m]; nothing if that is hardly coarser than the body itself.
pub(crate) fn around(body: &TriMesh, edge: f64) -> Option<TriMesh> {
    let topology = Topology::new(body.positions.len(), &body.triangles);
    let length = |e: [u32; 2]| {
        let [a, b] = e.map(|v| body.positions[v as usize]);
        a.distance(b)
    };
    let whole: f64 = topology.edges.iter().map(|e| length(e.vertices)).sum();
    if whole / topology.edges.len() as f64 > FINE * edge {
        return None;
    }
    let mut shell = Shell::new(body);
    shell.collapse(edge, topology.edges.iter().map(|e| e.vertices));
    shell.enclose(&body.positions);
    Some(shell.mesh())
}

struct Shell {
    x: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    is_alive: Vec<bool>,
    /// Triangles around each vertex; those that are gone may still be among them.
    around: Vec<Vec<u32>>,
    /// How often a vertex has changed.
    changes: Vec<u32>,
    /// For each vertex of the body, what it has become part of.
    parent: Vec<u32>,
}

impl Shell {
    fn new(body: &TriMesh) -> Self {
        let n = body.positions.len();
        let mut around = vec![Vec::new(); n];
        for (t, tri) in body.triangles.iter().enumerate() {
            tri.iter().for_each(|v| around[*v as usize].push(t as u32));
        }
        Self {
            x: body.positions.clone(),
            triangles: body.triangles.clone(),
            is_alive: vec![true; body.triangles.len()],
            around,
            changes: vec![0; n],
            parent: (0..n as u32).collect(),
        }
    }

    /// Collapses edges shorter than `edge`, the shortest first.
    fn collapse(&mut self, edge: f64, edges: impl Iterator<Item = [u32; 2]>) {
        // Lengths are positive, so that their bits are in the same order.
        let mut heap = BinaryHeap::new();
        let entry = |shell: &Self, [a, b]: [u32; 2]| {
            let length = shell.x[a as usize].distance(shell.x[b as usize]);
            let changes = [a, b].map(|v| shell.changes[v as usize]);
            (length < edge).then_some(Reverse((length.to_bits(), [a, b], changes)))
        };
        heap.extend(edges.filter_map(|e| entry(self, e)));
        while let Some(Reverse((_, [a, b], changes))) = heap.pop() {
            if [a, b].map(|v| self.changes[v as usize]) != changes || !self.may_join(a, b) {
                continue;
            }
            self.join(a, b);
            for v in self.neighbours(a) {
                heap.extend(entry(self, [a.min(v), a.max(v)]));
            }
        }
    }

    fn live(&self, v: u32) -> impl Iterator<Item = [u32; 3]> + '_ {
        let alive = self.around[v as usize].iter().filter(|t| self.is_alive[**t as usize]);
        alive.map(|t| self.triangles[*t as usize])
    }

    fn neighbours(&self, v: u32) -> Vec<u32> {
        let mut all: Vec<u32> = self.live(v).flatten().filter(|w| *w != v).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether the surface stays one, and no triangle turns over.
    fn may_join(&self, a: u32, b: u32) -> bool {
        let (near, other) = (self.neighbours(a), self.neighbours(b));
        let common = near.iter().filter(|v| other.binary_search(v).is_ok()).count();
        if near.binary_search(&b).is_err() || common != 2 {
            return false;
        }
        let middle = 0.5 * (self.x[a as usize] + self.x[b as usize]);
        let normal = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p).normalize_or_zero();
        let keeps = |tri: [u32; 3]| {
            if tri.contains(&a) && tri.contains(&b) {
                return true;
            }
            let before = tri.map(|v| self.x[v as usize]);
            let after = tri.map(|v| if v == a || v == b { middle } else { self.x[v as usize] });
            normal(before).dot(normal(after)) > LEAST_COSINE
        };
        self.live(a).chain(self.live(b)).all(keeps)
    }

    /// Makes one vertex of two, in their middle.
    fn join(&mut self, a: u32, b: u32) {
        self.x[a as usize] = 0.5 * (self.x[a as usize] + self.x[b as usize]);
        let moved = std::mem::take(&mut self.around[b as usize]);
        for t in moved {
            let tri = &mut self.triangles[t as usize];
            if !self.is_alive[t as usize] {
                continue;
            }
            if tri.contains(&a) {
                self.is_alive[t as usize] = false;
                continue;
            }
            tri.iter_mut().filter(|v| **v == b).for_each(|v| *v = a);
            self.around[a as usize].push(t);
        }
        let alive = &self.is_alive;
        self.around[a as usize].retain(|t| alive[*t as usize]);
        self.parent[b as usize] = a;
        self.changes[a as usize] += 1;
        self.changes[b as usize] += 1;
    }

    fn root(&self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            v = self.parent[v as usize];
        }
        v
    }

    /// Moves vertices outwards until all these points are within.
    fn enclose(&mut self, points: &[DVec3]) {
        let roots: Vec<u32> = (0..points.len() as u32).map(|v| self.root(v)).collect();
        for _ in 0..ROUNDS {
            let mut outwards = vec![0.0_f64; self.x.len()];
            for (p, root) in points.iter().zip(&roots) {
                let Some((tri, above)) = self.above(*p, *root) else { continue };
                if above > -0.5 * MARGIN {
                    let by = above + MARGIN;
                    tri.iter().for_each(|v| outwards[*v as usize] = outwards[*v as usize].max(by));
                }
            }
            let normals: Vec<DVec3> = (0..self.x.len() as u32).map(|v| self.normal(v)).collect();
            for (v, by) in outwards.iter().enumerate() {
                self.x[v] += normals[v] * *by;
            }
        }
    }

    /// The nearest triangle around a vertex, and how far above it a point is.
    fn above(&self, p: DVec3, root: u32) -> Option<([u32; 3], f64)> {
        let rings = self.live(root).map(|tri| {
            let x = tri.map(|v| self.x[v as usize]);
            let w = distance::point_triangle(p, x);
            let from = p - (x[0] * w[0] + x[1] * w[1] + x[2] * w[2]);
            (from.length(), tri, from.dot((x[1] - x[0]).cross(x[2] - x[0]).normalize_or_zero()))
        });
        let nearest = rings.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((nearest.1, nearest.2))
    }

    fn normal(&self, v: u32) -> DVec3 {
        let area = |tri: [u32; 3]| {
            let [a, b, c] = tri.map(|v| self.x[v as usize]);
            (b - a).cross(c - a)
        };
        self.live(v).map(area).sum::<DVec3>().normalize_or_zero()
    }

    fn mesh(&self) -> TriMesh {
        let mut number = vec![u32::MAX; self.x.len()];
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for (tri, _) in self.triangles.iter().zip(&self.is_alive).filter(|(_, alive)| **alive) {
            triangles.push(tri.map(|v| {
                if number[v as usize] == u32::MAX {
                    number[v as usize] = positions.len() as u32;
                    positions.push(self.x[v as usize]);
                }
                number[v as usize]
            }));
        }
        TriMesh::new(positions, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::sphere;

    #[test]
    fn a_shell_is_coarser_closed_and_encloses_the_body() {
        let body = sphere(0.2, 5);
        let shell = around(&body, 0.04).expect("the body is fine");
        assert!(shell.triangles.len() * 8 < body.triangles.len(), "{}", shell.triangles.len());
        let topology = Topology::new(shell.positions.len(), &shell.triangles);
        assert!(topology.edges.iter().all(|e| e.valence == 2));
        let solid = toile_collide::field::Solid::new(&shell.positions, &shell.triangles).unwrap();
        assert!(body.positions.iter().all(|p| solid.contains(*p)));
        // It is not much larger either.
        let far = shell.positions.iter().map(|p| p.length()).fold(0.0, f64::max);
        assert!(far < 0.2 + 0.01, "{far}");
    }

    #[test]
    fn a_body_of_large_triangles_is_left_as_it_is() {
        assert!(around(&sphere(0.2, 3), 0.03).is_none());
    }
}
