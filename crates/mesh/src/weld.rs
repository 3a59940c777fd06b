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
        let (map, kept) = weld_map(self.positions.iter().map(|p| [*p]));
        let positions = kept.iter().map(|v| self.positions[*v as usize]).collect();
        let triangles = renumber(&self.triangles, &map);
        let (uv, uv_triangles) = (self.uv.clone(), self.uv_triangles.clone());
        (Self { positions, triangles, uv, uv_triangles }, map)
    }
}

/// Triangles under a new numbering; indices outside of it stay, for validation to find.
pub(crate) fn renumber(triangles: &[[u32; 3]], map: &[u32]) -> Vec<[u32; 3]> {
    let new = |v: u32| map.get(v as usize).copied().unwrap_or(v);
    triangles.iter().map(|t| t.map(new)).collect()
}

/// New index of every item, and the first item of each class of equal ones.
pub(crate) fn weld_map<P: AsRef<[DVec3]>>(items: impl Iterator<Item = P>) -> (Vec<u32>, Vec<u32>) {
    let mut first: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut map = Vec::new();
    let mut kept = Vec::new();
    for (i, item) in items.enumerate() {
        // Adding zero makes -0 and 0 the same bits.
        let bits = |p: &DVec3| p.to_array().map(|c| (c + 0.0).to_bits());
        let key: Vec<u64> = item.as_ref().iter().flat_map(bits).collect();
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
