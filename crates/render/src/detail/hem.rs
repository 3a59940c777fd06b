//! Edges that are as thick as the cloth, and hems that are turned up behind it.

use super::project::OnSurface;
use super::{Chain, Cloth};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use toile_mesh::TriMesh;

/// Points across a rounded edge.
const ARC: usize = 5;

/// How an edge is finished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hem {
    /// Thickness of the cloth [m].
    pub thickness: f64,
    /// Width of the part that is turned to the back [m]; 0 for a raw edge.
    pub width: f64,
}

/// Directions at a vertex of a border.
struct Corner {
    at: DVec3,
    normal: DVec3,
    /// Away from the cloth, in its plane.
    outward: DVec3,
    /// Place along the border [m].
    along: f64,
}

impl Cloth<'_> {
    /// The vertices of a border, the first again at the end.
    fn corners(&self, border: &Chain) -> Vec<Corner> {
        let n = border.vertices.len();
        let at = |k: usize| self.mesh.positions[border.vertices[k % n] as usize];
        let mut along = 0.0;
        (0..=n)
            .map(|k| {
                let tangent = at(k + 1) - at(k + n - 1);
                let normal = self.normals[border.vertices[k % n] as usize];
                // The cloth is on the left of the border seen from its front.
                let outward = tangent.cross(normal).normalize_or_zero();
                if k > 0 {
                    along += at(k).distance(at(k - 1));
                }
                Corner { at: at(k), normal, outward, along }
            })
            .collect()
    }

    /// A rounded strip along a border: the edge of the cloth as one sees it.
    ///
    /// It is as high as the cloth is thick, twice that where a hem is turned up.
    pub fn rim(&self, border: &Chain, hem: &Hem) -> TriMesh {
        if border.vertices.len() < 3 {
            return TriMesh::default();
        }
        let layers = if hem.width > 0.0 { 2.0 } else { 1.0 };
        let radius = 0.5 * layers * hem.thickness;
        // A hem lies behind the cloth, so the middle of its edge does.
        let shift = if hem.width > 0.0 { -0.5 * hem.thickness } else { 0.0 };
        sweep(&self.corners(border), ARC, |corner, k| {
            let angle = PI * (k as f64 / (ARC - 1) as f64 - 0.5);
            let off = corner.outward * angle.cos() - corner.normal * angle.sin();
            let at = corner.at + corner.normal * shift + off * radius;
            (at, DVec2::new(corner.along, radius * angle))
        })
    }

    /// The part of a hem that is turned up: a band behind the cloth along its border.
    pub fn hem_band(&self, border: &Chain, hem: &Hem) -> TriMesh {
        if border.vertices.len() < 3 {
            return TriMesh::default();
        }
        let rows = 4;
        sweep(&self.corners(border), rows + 1, |corner, k| {
            let inward = hem.width * k as f64 / rows as f64;
            let straight = corner.at - corner.outward * inward;
            // The cloth bends: the band follows it.
            let plain = OnSurface { at: straight, normal: corner.normal };
            let on = self.nearest(straight).unwrap_or(plain);
            (on.at - on.normal * hem.thickness, DVec2::new(corner.along, inward))
        })
    }
}

/// Quads between the points of neighbouring corners.
fn sweep(
    corners: &[Corner],
    across: usize,
    place: impl Fn(&Corner, usize) -> (DVec3, DVec2),
) -> TriMesh {
    let mut mesh = TriMesh::default();
    for corner in corners {
        for k in 0..across {
            let (at, uv) = place(corner, k);
            mesh.positions.push(at);
            mesh.uv.push(uv);
        }
    }
    let n = across as u32;
    for j in 0..(corners.len() as u32).saturating_sub(1) {
        for k in 0..n - 1 {
            let a = j * n + k;
            mesh.triangles.extend([[a, a + n, a + n + 1], [a, a + n + 1, a + 1]]);
        }
    }
    mesh.uv_triangles = mesh.triangles.clone();
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detail::edge_chains;
    use toile_mesh::shape::{Diagonals, grid};

    #[test]
    fn a_rim_is_as_thick_as_the_cloth_and_lies_outside_its_edge() {
        let sheet = grid(0.4, 0.4, 4, 4, Diagonals::Same);
        let border = &edge_chains(&sheet)[0];
        let cloth = Cloth::new(&sheet);
        let raw = cloth.rim(border, &Hem { thickness: 1e-3, width: 0.0 });
        let (lo, hi) = raw.bounds().unwrap();
        assert!((hi.y - 0.5e-3).abs() < 1e-9 && (lo.y + 0.5e-3).abs() < 1e-9);
        assert!(
            hi.x > 0.2 + 0.3e-3 && raw.positions.iter().all(|p| p.x.abs().max(p.z.abs()) > 0.199)
        );
        let turned = cloth.rim(border, &Hem { thickness: 1e-3, width: 0.02 });
        let (lo, hi) = turned.bounds().unwrap();
        assert!((hi.y - lo.y - 2e-3).abs() < 1e-9);
    }

    #[test]
    fn a_hem_lies_behind_the_cloth_by_its_thickness() {
        let sheet = grid(0.4, 0.4, 4, 4, Diagonals::Same);
        let up = sheet.area_normal(0).normalize();
        let hem = Hem { thickness: 1e-3, width: 0.02 };
        let band = Cloth::new(&sheet).hem_band(&edge_chains(&sheet)[0], &hem);
        assert!(band.positions.iter().all(|p| (p.dot(up) + 1e-3).abs() < 1e-9));
        let inner = band.positions.iter().map(|p| p.x.abs().max(p.z.abs())).fold(1.0, f64::min);
        assert!((0.17..0.19).contains(&inner), "{inner}");
    }
}
