//! How far the vertices of a mesh are from lines on it.

use super::Chain;
use glam::DVec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use toile_mesh::TriMesh;

/// The nearest point of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// How far it is [m].
    pub distance: f64,
    /// Place along its line [m], counted on from line to line.
    pub along: f64,
}

/// A piece of a line.
struct Segment {
    ends: [DVec3; 2],
    /// Place of its first end.
    along: f64,
    /// Segments before and after it.
    beside: [usize; 2],
}

impl Segment {
    fn near(&self, p: DVec3) -> Near {
        let way = self.ends[1] - self.ends[0];
        let length = way.length();
        let t = (p - self.ends[0]).dot(way) / (length * length).max(1e-30);
        let t = t.clamp(0.0, 1.0);
        Near { distance: p.distance(self.ends[0] + way * t), along: self.along + t * length }
    }
}

/// For each vertex the nearest point of lines, if one is within `limit` [m] along the cloth.
///
/// The nearest segment spreads from vertex to vertex, as in vector distance transforms [danielsson1980]: another
/// layer of cloth that lies close in space is not near.
pub fn proximity(mesh: &TriMesh, lines: &[Chain], limit: f64) -> Vec<Option<Near>> {
    let segments = segments(mesh, lines);
    let around = neighbours(mesh);
    let mut best: Vec<Option<(Near, usize)>> = vec![None; mesh.positions.len()];
    let mut queue = BinaryHeap::new();
    let mut first = 0;
    for line in lines {
        for (k, ends) in line.edges().enumerate() {
            for v in ends {
                let near = segments[first + k].near(mesh.positions[v as usize]);
                if best[v as usize].is_none() {
                    best[v as usize] = Some((near, first + k));
                    queue.push(Reverse((0_u64, v)));
                }
            }
        }
        first += line.edges().count();
    }
    while let Some(Reverse((_, v))) = queue.pop() {
        let Some((_, segment)) = best[v as usize] else { continue };
        for w in &around[v as usize] {
            let p = mesh.positions[*w as usize];
            let [before, after] = segments[segment].beside;
            for s in [segment, before, after] {
                let near = segments[s].near(p);
                let known = best[*w as usize].map_or(f64::INFINITY, |(n, _)| n.distance);
                if near.distance < known - 1e-9 && near.distance <= limit {
                    best[*w as usize] = Some((near, s));
                    // Distances are positive, so that their bits are in their order.
                    queue.push(Reverse((near.distance.to_bits(), *w)));
                }
            }
        }
    }
    best.into_iter().map(|b| b.map(|(near, _)| near)).collect()
}

fn segments(mesh: &TriMesh, lines: &[Chain]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut along = 0.0;
    for line in lines {
        let (first, count) = (segments.len(), line.edges().count());
        for (k, ends) in line.edges().enumerate() {
            let ends = ends.map(|v| mesh.positions[v as usize]);
            let (before, after) = if line.closed {
                ((k + count - 1) % count, (k + 1) % count)
            } else {
                (k.saturating_sub(1), (k + 1).min(count - 1))
            };
            segments.push(Segment { ends, along, beside: [first + before, first + after] });
            along += ends[0].distance(ends[1]);
        }
    }
    segments
}

fn neighbours(mesh: &TriMesh) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); mesh.positions.len()];
    for [a, b, c] in &mesh.triangles {
        for (p, q) in [(*a, *b), (*b, *c), (*c, *a)] {
            around[p as usize].push(q);
            around[q as usize].push(p);
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::super::edge_chains;
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn distances_on_a_flat_sheet_are_those_to_its_edge() {
        let mesh = grid(1.0, 1.0, 40, 40, Diagonals::Alternating);
        let near = proximity(&mesh, &edge_chains(&mesh), 0.2);
        for (p, near) in mesh.positions.iter().zip(&near) {
            let wanted = 0.5 - p.x.abs().max(p.z.abs());
            match near {
                Some(near) => assert!((near.distance - wanted).abs() < 1e-9, "{p} {near:?}"),
                None => assert!(wanted > 0.2 - 1e-9, "{p}"),
            }
        }
        let most = near.iter().flatten().map(|n| n.along).fold(0.0, f64::max);
        assert!((3.9..=4.0).contains(&most), "{most}");
    }

    #[test]
    fn a_layer_that_lies_close_is_not_near() {
        // A strip folded back over itself.
        let mesh = grid(1.0, 0.1, 100, 4, Diagonals::Same).map_positions(|p| {
            let s = p.x + 0.5;
            if s < 0.5 { DVec3::new(s, 0.0, p.z) } else { DVec3::new(1.0 - s, 0.001, p.z) }
        });
        let end = (0..mesh.positions.len() as u32).filter(|v| {
            let p = mesh.positions[*v as usize];
            p.x < 1e-9 && p.y == 0.0
        });
        let line = Chain { vertices: end.collect(), closed: false };
        let near = proximity(&mesh, &[line], 0.05);
        for (p, near) in mesh.positions.iter().zip(&near) {
            assert_eq!(near.is_some(), p.y == 0.0 && p.x <= 0.05 + 1e-9, "{p}");
        }
    }
}
