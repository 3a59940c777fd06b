//! The indexed triangle mesh.

use glam::{DVec2, DVec3};

/// An indexed triangle mesh.
///
/// Material coordinates have indices of their own, as in OBJ: a vertex on a sewn seam is one point
/// in space but two in the pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions \[m\].
    pub positions: Vec<DVec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Material coordinates \[m\]: weft is +u, warp (the grain) is +v. Empty if there are none.
    pub uv: Vec<DVec2>,
    /// Indices into `uv` for each triangle corner. Empty, or as long as `triangles`.
    pub uv_triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// A mesh without material coordinates.
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self { positions, triangles, ..Self::default() }
    }

    /// Whether every triangle corner has material coordinates.
    pub fn has_uv(&self) -> bool {
        !self.uv.is_empty() && self.uv_triangles.len() == self.triangles.len()
    }

    /// The three corners of triangle `t` \[m\].
    pub fn corners(&self, t: usize) -> [DVec3; 3] {
        self.triangles[t].map(|v| self.positions[v as usize])
    }

    /// The three corners of triangle `t` in material coordinates \[m\].
    ///
    /// # Panics
    /// If the mesh has none; see [`TriMesh::has_uv`].
    pub fn corners_uv(&self, t: usize) -> [DVec2; 3] {
        self.uv_triangles[t].map(|v| self.uv[v as usize])
    }

    /// Normal of triangle `t`, its length twice the area \[m²\].
    pub fn area_normal(&self, t: usize) -> DVec3 {
        let [a, b, c] = self.corners(t);
        (b - a).cross(c - a)
    }

    /// Surface area \[m²\].
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| 0.5 * self.area_normal(t).length()).sum()
    }

    /// Enclosed volume \[m³\] if the mesh is closed, by the divergence theorem. Negative if its
    /// triangles face inwards.
    pub fn signed_volume(&self) -> f64 {
        let six: f64 = (0..self.triangles.len())
            .map(|t| {
                let [a, b, c] = self.corners(t);
                a.dot(b.cross(c))
            })
            .sum();
        six / 6.0
    }

    /// Smallest and largest coordinates, or `None` for a mesh without vertices.
    pub fn bounds(&self) -> Option<(DVec3, DVec3)> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold((first, first), |(lo, hi), p| (lo.min(*p), hi.max(*p))))
    }

    /// Area-weighted unit normals of the vertices; zero where a vertex has no triangle.
    pub fn vertex_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.positions.len()];
        for (t, tri) in self.triangles.iter().enumerate() {
            let n = self.area_normal(t);
            for v in tri {
                normals[*v as usize] += n;
            }
        }
        for n in &mut normals {
            *n = n.normalize_or_zero();
        }
        normals
    }

    /// Appends another mesh; its vertices keep their order behind those already here.
    ///
    /// If only one of the two has material coordinates, the result has none: half a pattern is
    /// worse than no pattern.
    pub fn append(&mut self, other: &Self) {
        let keep_uv = (self.has_uv() || self.triangles.is_empty()) && other.has_uv();
        let offset = self.positions.len() as u32;
        let uv_offset = self.uv.len() as u32;
        self.positions.extend_from_slice(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + offset)));
        if keep_uv {
            self.uv.extend_from_slice(&other.uv);
            self.uv_triangles.extend(other.uv_triangles.iter().map(|t| t.map(|v| v + uv_offset)));
        } else {
            self.uv.clear();
            self.uv_triangles.clear();
        }
    }

    /// Applies a function to every position.
    #[must_use]
    pub fn map_positions(mut self, f: impl FnMut(DVec3) -> DVec3) -> Self {
        let mut f = f;
        for p in &mut self.positions {
            *p = f(*p);
        }
        self
    }
}
