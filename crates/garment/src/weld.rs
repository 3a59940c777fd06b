//! Sewn vertices made one.
//!
//! All vertices that are sewn together, directly or through others, become one vertex in their middle. Triangles keep the
//! material coordinates of their own panel, so that a seam is bent and stretched as the cloth on both of its sides.
//!
//! What cannot be joined yet stays apart: where a triangle would lose its area, where three triangles would meet at
//! an edge, and where the joined cloth would intersect itself or the body by exact predicates.

use crate::error::Error;
use glam::DVec3;
use toile_audit::Shape;
use toile_mesh::{Topology, TriMesh};

/// Vertices of panels by the vertex they have become.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weld {
    /// For every vertex of the panels, its vertex in the joined mesh.
    pub(crate) map: Vec<u32>,
    /// The joined mesh.
    pub(crate) mesh: TriMesh,
}

/// Where vertices meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meet {
    /// In the middle.
    Middle,
    /// Where the first is.
    First,
    /// Where the last is.
    Last,
}

impl Weld {
    /// Joins the vertices of `panels` that `pairs` sew together. Vertices are where `x` says; what is joined is in the
    /// middle, or where one of them is.
    pub(crate) fn new(panels: &TriMesh, x: &[DVec3], pairs: &[[u32; 2]], meet: Meet) -> Self {
        let roots = roots(x.len(), pairs);
        // Vertices keep their order: the first of those that are joined stands for them.
        let mut number = vec![u32::MAX; x.len()];
        let mut map = vec![0; x.len()];
        let (mut sums, mut counts): (Vec<DVec3>, Vec<f64>) = (Vec::new(), Vec::new());
        for v in 0..x.len() {
            let root = roots[v] as usize;
            if number[root] == u32::MAX {
                number[root] = sums.len() as u32;
                sums.push(DVec3::ZERO);
                counts.push(0.0);
            }
            map[v] = number[root];
            let to = map[v] as usize;
            match meet {
                Meet::Middle => (sums[to], counts[to]) = (sums[to] + x[v], counts[to] + 1.0),
                Meet::First if counts[to] > 0.0 => {}
                Meet::First | Meet::Last => (sums[to], counts[to]) = (x[v], 1.0),
            }
        }
        let mut mesh = panels.clone();
        // One alone stays where it is, to the last bit.
        mesh.positions = sums.iter().zip(&counts).map(|(s, n)| *s / *n).collect();
        mesh.triangles.iter_mut().for_each(|t| *t = t.map(|v| map[v as usize]));
        Self { map, mesh }
    }

    /// Vertices at which the joined mesh is no surface.
    fn no_surface(&self) -> Vec<u32> {
        let triangles = &self.mesh.triangles;
        let flat = |t: &&[u32; 3]| t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
        let mut found: Vec<u32> = triangles.iter().filter(flat).flatten().copied().collect();
        let topology = Topology::new(self.mesh.positions.len(), triangles);
        let thick = topology.edges.iter().filter(|e| e.valence > 2);
        found.extend(thick.flat_map(|e| e.vertices));
        found
    }

    /// Vertices at which the joined mesh is no surface, or intersects itself or the body.
    pub(crate) fn faults(&self, body: &Shape) -> Result<Vec<u32>, Error> {
        let triangles = &self.mesh.triangles;
        let mut found = self.no_surface();
        if found.is_empty() {
            let crossing = toile_audit::self_intersections(&self.mesh.positions, triangles)?;
            let inside = toile_audit::body_penetrations(&self.mesh.positions, triangles, body)?;
            let bad = crossing.into_iter().flatten().chain(inside.triangles);
            found.extend(bad.flat_map(|t| triangles[t as usize]));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// The first of those that each is joined with.
fn roots(count: usize, pairs: &[[u32; 2]]) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for [a, b] in pairs {
        let (a, b) = (root(&mut parent, *a), root(&mut parent, *b));
        parent[a.max(b) as usize] = a.min(b);
    }
    (0..count as u32).map(|v| root(&mut parent, v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    /// Two panels, one above the other.
    fn two() -> TriMesh {
        let below = grid(1.0, 1.0, 2, 2, Diagonals::Alternating);
        let mut panels = below.clone().map_positions(|p| p + DVec3::Y * 0.01);
        panels.append(&below);
        panels
    }

    fn far() -> Shape {
        Shape::Sphere { centre: DVec3::splat(9.0), radius: 1.0 }
    }

    #[test]
    fn two_panels_sewn_along_an_edge_are_one_surface_with_the_material_of_both() {
        let panels = two();
        let right: Vec<u32> = (0..9).filter(|v| panels.positions[*v as usize].x > 0.49).collect();
        let pairs: Vec<[u32; 2]> = right.iter().map(|v| [*v, v + 9]).collect();
        let weld = Weld::new(&panels, &panels.positions, &pairs, Meet::Middle);
        assert_eq!(weld.mesh.positions.len(), 15);
        assert!(weld.faults(&far()).unwrap().is_empty());
        let topology = Topology::new(15, &weld.mesh.triangles);
        assert_eq!(topology.components().1, 1);
        for t in 0..panels.triangles.len() {
            assert_eq!(weld.mesh.corners_uv(t), panels.corners_uv(t));
        }
        let joined = weld.mesh.positions[weld.map[right[0] as usize] as usize];
        assert!((joined.y - 0.005).abs() < 1e-15, "{joined}");
    }

    #[test]
    fn all_designs_and_pattern_files_can_be_joined_to_surfaces_at_any_resolution() {
        use toile_pattern::design::Design;
        use toile_pattern::{Size, file, meshing};
        let m = toile_body::Figure::Female.measurements(Size::M);
        let mut patterns: Vec<_> = Design::all().iter().map(|d| d.draft(&m)).collect();
        for name in ["top", "pull-on-skirt"] {
            let path = format!("{}/../../patterns/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            patterns.push(file::read(path).unwrap());
        }
        for pattern in &patterns {
            for edge in [0.01, 0.02, 0.025, 0.03, 0.04, 0.05] {
                let mesh = meshing::mesh(pattern, edge).unwrap();
                let panels = mesh.joined(|_, p| p);
                let pairs = mesh.sewn_pairs();
                let weld = Weld::new(&panels, &panels.positions, &pairs, Meet::Middle);
                assert_eq!(weld.no_surface(), Vec::<u32>::new(), "{} at {edge}", pattern.name);
            }
        }
    }

    #[test]
    fn what_would_be_no_surface_is_found() {
        let panels = two();
        let all: Vec<[u32; 2]> = (0..9).map(|v| [v, v + 9]).collect();
        assert!(
            !Weld::new(&panels, &panels.positions, &all, Meet::Last)
                .faults(&far())
                .unwrap()
                .is_empty()
        );
        let [a, b, _] = panels.triangles[0];
        let flat = Weld::new(&panels, &panels.positions, &[[a, b]], Meet::First);
        assert!(flat.faults(&far()).unwrap().contains(&flat.map[a as usize]));
    }
}
