//! Geometry that pictures need and simulation does not: smooth surfaces, edges, hems and stitches.
//!
//! All of it is made from the simulated mesh and its material coordinates. What sewing does to the surface
//! ([`press`]) moves copies of vertices by less than a millimetre.

mod chain;
mod hem;
mod press;
mod project;
mod proximity;
mod stitch;
mod subdivide;

pub use chain::{Chain, edge_chains, seam_chains};
pub use hem::Hem;
pub use press::{Pressing, press};
pub use project::Cloth;
pub use proximity::{Near, proximity};
pub use stitch::Stitch;
pub use subdivide::subdivide;

use glam::DVec3;
use toile_mesh::TriMesh;

/// Unit normals of the vertices, weighted by area; zero where there is none.
fn vertex_normals(mesh: &TriMesh) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; mesh.positions.len()];
    for (t, corners) in mesh.triangles.iter().enumerate() {
        let n = mesh.area_normal(t);
        for v in corners {
            normals[*v as usize] += n;
        }
    }
    normals.iter().map(|n| n.normalize_or_zero()).collect()
}
