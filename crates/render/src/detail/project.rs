//! The nearest point of a mesh, for details that must follow its surface.

use super::vertex_normals;
use glam::DVec3;
use std::collections::HashMap;
use toile_mesh::TriMesh;

/// A mesh that details follow: its normals, and its triangles by the cells of a grid that their boxes touch.
#[derive(Clone, Debug)]
pub struct Cloth<'a> {
    pub(super) mesh: &'a TriMesh,
    pub(super) normals: Vec<DVec3>,
    cell: f64,
    /// Looked up, never walked through.
    cells: HashMap<[i32; 3], Vec<u32>>,
}

/// A point of the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnSurface {
    pub(super) at: DVec3,
    /// Blended normal of the vertices.
    pub(super) normal: DVec3,
}

impl<'a> Cloth<'a> {
    /// Prepares a mesh; the cells of its grid are about as large as a triangle.
    pub fn new(mesh: &'a TriMesh) -> Self {
        let normals = vertex_normals(mesh);
        let edge = |t: usize| {
            let [a, b, _] = mesh.corners(t);
            a.distance(b)
        };
        let count = mesh.triangles.len().max(1) as f64;
        let mean = (0..mesh.triangles.len()).map(edge).sum::<f64>() / count;
        let cell = (1.5 * mean).max(1e-6);
        let mut cells: HashMap<[i32; 3], Vec<u32>> = HashMap::new();
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(t);
            let lo = cell_of(a.min(b).min(c), cell);
            let hi = cell_of(a.max(b).max(c), cell);
            // A triangle far larger than the others would fill the grid.
            let hi = [0, 1, 2].map(|k| hi[k].min(lo[k].saturating_add(16)));
            for x in lo[0]..=hi[0] {
                for y in lo[1]..=hi[1] {
                    for z in lo[2]..=hi[2] {
                        cells.entry([x, y, z]).or_default().push(t as u32);
                    }
                }
            }
        }
        Self { mesh, normals, cell, cells }
    }

    /// The point of the surface nearest to `p` among triangles in the cells around it.
    pub(super) fn nearest(&self, p: DVec3) -> Option<OnSurface> {
        // Far from everything the neighbours of a cell may not be numbers.
        let at = cell_of(p, self.cell).map(|c| c.clamp(i32::MIN + 1, i32::MAX - 1));
        let mut best: Option<(f64, OnSurface)> = None;
        for x in at[0] - 1..=at[0] + 1 {
            for y in at[1] - 1..=at[1] + 1 {
                for z in at[2] - 1..=at[2] + 1 {
                    for t in self.cells.get(&[x, y, z]).into_iter().flatten() {
                        let found = self.on_triangle(*t as usize, p);
                        let distance = found.at.distance_squared(p);
                        if best.is_none_or(|(least, _)| distance < least) {
                            best = Some((distance, found));
                        }
                    }
                }
            }
        }
        best.map(|(_, found)| found)
    }

    /// A body that keeps away from this cloth: vertices that lie within a distance [m] of it go inward by `by` [m], so that
    /// the smooth surfaces of both do not cross. Only what the cloth covers is moved.
    pub fn receded(&self, body: &TriMesh, within: f64, by: f64) -> TriMesh {
        let normals = vertex_normals(body);
        let mut receded = body.clone();
        for (p, n) in receded.positions.iter_mut().zip(&normals) {
            let near = self.nearest(*p).map_or(f64::INFINITY, |on| on.at.distance(*p));
            *p -= *n * (by * (1.5 - 1.5 * near / within).clamp(0.0, 1.0));
        }
        receded
    }

    fn on_triangle(&self, t: usize, p: DVec3) -> OnSurface {
        let corners = self.mesh.corners(t);
        let w = nearest_weights(corners, p);
        let normals = self.mesh.triangles[t].map(|v| self.normals[v as usize]);
        let blend = |v: [DVec3; 3]| v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
        OnSurface { at: blend(corners), normal: blend(normals).normalize_or_zero() }
    }
}

/// The cell that holds a point.
fn cell_of(p: DVec3, cell: f64) -> [i32; 3] {
    (p / cell).to_array().map(|c| c.floor() as i32)
}

/// Barycentric weights of the point of a triangle nearest to `p` [ericson2005].
fn nearest_weights([a, b, c]: [DVec3; 3], p: DVec3) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    [va / sum, vb / sum, vc / sum]
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn points_beside_a_wavy_sheet_fall_on_it() {
        let mesh = grid(1.0, 1.0, 30, 30, Diagonals::Alternating)
            .map_positions(|p| DVec3::new(p.x, 0.05 * (8.0 * p.x).sin(), p.z));
        let surface = Cloth::new(&mesh);
        for k in 0..200 {
            let p = DVec3::new(f64::from(k % 20) * 0.04 - 0.4, 0.0, f64::from(k / 20) * 0.08 - 0.4);
            let p = p + DVec3::Y * (0.05 * (8.0 * p.x).sin() + 0.01);
            let found = surface.nearest(p).unwrap();
            let brute = (0..mesh.triangles.len())
                .map(|t| surface.on_triangle(t, p).at.distance(p))
                .fold(f64::INFINITY, f64::min);
            assert!((found.at.distance(p) - brute).abs() < 1e-12);
            assert!(found.normal.y > 0.5);
        }
        assert!(surface.nearest(DVec3::splat(50.0)).is_none());
    }
}
