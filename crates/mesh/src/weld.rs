//! Merging of vertices that are at exactly the same place.

use crate::TriMesh;
use glam::DVec3;
use std::collections::HashMap;

impl TriMesh {
    /// Merges vertices whose positions are exactly equal, and says where each vertex went.
    ///
    /// Formats without separate uv indices (GLB, PLY) split a mesh wherever its material
    /// coordinates jump; this joins it again. The first of equal vertices stays, the order is
    /// kept, and material coordinates are untouched. Layers that touch exactly are joined too,
    /// and a triangle between merged vertices stays, to be found by [`TriMesh::validate`].
    pub fn weld(&self) -> (Self, Vec<u32>) {
        let welding = Welding::new(&self.positions);
        (welding.mesh(self), welding.into_map())
    }
}

/// Which vertices are at exactly the same place, in all frames seen so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Welding {
    /// New index of every vertex.
    map: Vec<u32>,
    /// The first vertex of each class of equal ones.
    kept: Vec<u32>,
}

impl Welding {
    /// By the positions of one frame.
    pub fn new(positions: &[DVec3]) -> Self {
        let (map, kept) = classes(positions.iter().map(|p| (0, *p)));
        Self { map, kept }
    }

    /// Takes apart what is not at the same place in another frame too.
    pub fn refine(&mut self, frame: &[DVec3]) {
        let first = |class: u32| self.kept.get(class as usize).and_then(|v| frame.get(*v as usize));
        let holds = self.map.iter().zip(frame).all(|(class, p)| first(*class) == Some(p));
        if !holds {
            let both = self.map.iter().zip(frame).map(|(class, p)| (*class, *p));
            (self.map, self.kept) = classes(both);
        }
    }

    /// How many vertices are merged into others.
    pub fn merged(&self) -> usize {
        self.map.len() - self.kept.len()
    }

    /// The mesh with merged vertices; material coordinates are untouched.
    pub fn mesh(&self, mesh: &TriMesh) -> TriMesh {
        // Indices that are out of range stay so, for validation to find.
        let new = |v: u32| self.map.get(v as usize).copied().unwrap_or(v);
        TriMesh {
            positions: self.pick(&mesh.positions),
            triangles: mesh.triangles.iter().map(|t| t.map(new)).collect(),
            uv: mesh.uv.clone(),
            uv_triangles: mesh.uv_triangles.clone(),
        }
    }

    /// What belongs to the vertices that are left.
    pub fn pick(&self, points: &[DVec3]) -> Vec<DVec3> {
        self.kept.iter().map(|v| points[*v as usize]).collect()
    }

    /// New index of every vertex.
    pub fn into_map(self) -> Vec<u32> {
        self.map
    }
}

/// New index of every item, and the first item of each class of equal ones.
pub(crate) fn classes(items: impl Iterator<Item = (u32, DVec3)>) -> (Vec<u32>, Vec<u32>) {
    let mut first: HashMap<(u32, [u64; 3]), u32> = HashMap::new();
    let mut map = Vec::new();
    let mut kept = Vec::new();
    for (i, (class, p)) in items.enumerate() {
        // Adding zero makes -0 and 0 the same bits.
        let key = (class, p.to_array().map(|c| (c + 0.0).to_bits()));
        let next = kept.len() as u32;
        let class = *first.entry(key).or_insert(next);
        if class == next {
            kept.push(i as u32);
        }
        map.push(class);
    }
    (map, kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;

    #[test]
    fn a_split_square_becomes_one_piece() {
        let (o, x, y) = (DVec3::ZERO, DVec3::X, DVec3::Y);
        let split = TriMesh::new(vec![o, x, x + y, -o, x + y, y], vec![[0, 1, 2], [3, 4, 5]]);
        let (welded, map) = split.weld();
        assert_eq!(map, [0, 1, 2, 0, 2, 3]);
        assert_eq!(welded.positions, [o, x, x + y, y]);
        assert_eq!(welded.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(Topology::new(4, &welded.triangles).components().1, 1);
    }
}
