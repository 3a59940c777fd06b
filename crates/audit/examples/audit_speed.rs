//! Seconds for the self-intersection audit of wavy, flat and crumpled sheets, and for the audit of
//! a sheet against a closed body.
#![allow(clippy::print_stdout, reason = "a measurement for people")]

use glam::DVec3;
use std::time::Instant;
use toile_audit::{Shape, body_penetrations, self_intersections};
use toile_mesh::TriMesh;
use toile_mesh::shape::{Diagonals, grid};

fn main() -> Result<(), toile_audit::Error> {
    for n in [50, 224, 707] {
        let sheet = || grid(1.0, 1.0, n, n, Diagonals::Alternating);
        let wavy =
            sheet().map_positions(|p| p.with_y(0.05 * (9.0 * p.x).sin() * (7.0 * p.z).cos()));
        let tilted = sheet().map_positions(|p| DVec3::new(p.x, 0.3 * p.x + 0.7 * p.z, p.z));
        // Pleats that bulge over each other, then waves across them: it intersects in many places.
        let crumpled = sheet().map_positions(|p| {
            let s = 60.0 * p.x;
            let x = 0.2 * p.x + 0.02 * (2.0 * s).sin();
            let y = 0.05 * s.sin() * (1.0 + 0.3 * (23.0 * p.z).sin());
            DVec3::new(x + 0.004 * (41.0 * p.z).cos(), y, p.z + 0.01 * (37.0 * p.x).sin())
        });
        for (name, mesh) in [("wavy", wavy), ("flat, tilted", tilted), ("crumpled", crumpled)] {
            report(name, &mesh)?;
        }
        report_body(n, &sheet())?;
    }
    Ok(())
}

fn report(name: &str, mesh: &TriMesh) -> Result<(), toile_audit::Error> {
    let start = Instant::now();
    let pairs = self_intersections(&mesh.positions, &mesh.triangles)?.len();
    let seconds = start.elapsed().as_secs_f64();
    println!("{name:>14} {:>8} triangles {pairs:>8} pairs {seconds:.3} s", mesh.triangles.len());
    Ok(())
}

/// A sheet through the middle of a ball with as many triangles.
fn report_body(n: usize, sheet: &TriMesh) -> Result<(), toile_audit::Error> {
    let mut ball = TriMesh::default();
    // Six sides of a cube, blown up. A power of two makes their edges agree to the bit, to be welded.
    let cells = (n / 3).next_power_of_two();
    for k in 0..3 {
        for side in [1.0, -1.0] {
            ball.append(&grid(2.0, 2.0, cells, cells, Diagonals::Same).map_positions(|p| {
                let q = [p.x * side, side, p.z];
                DVec3::new(q[k], q[(k + 1) % 3], q[(k + 2) % 3])
            }));
        }
    }
    let body = Shape::from(&weld(ball).map_positions(|p| 0.4 * p.normalize()));
    let start = Instant::now();
    let found = body_penetrations(&sheet.positions, &sheet.triangles, &body)?;
    let seconds = start.elapsed().as_secs_f64();
    let (inside, count) = (found.vertices_inside.len(), found.count());
    let open = if found.open_body { "open" } else { "closed" };
    let faces = 12 * cells * cells;
    println!(
        "{open:>9} body of {faces} triangles: {inside} vertices inside, {count} triangles penetrate, {seconds:.3} s"
    );
    Ok(())
}

/// Joins vertices at the same place.
fn weld(mesh: TriMesh) -> TriMesh {
    let mut places: Vec<[u64; 3]> =
        mesh.positions.iter().map(|p| p.to_array().map(|c| (c + 0.0).to_bits())).collect();
    let keys = places.clone();
    places.sort_unstable();
    places.dedup();
    let index = |v: u32| places.partition_point(|p| *p < keys[v as usize]) as u32;
    let triangles = mesh.triangles.iter().map(|t| t.map(index)).collect();
    let positions = places.iter().map(|p| DVec3::from_array(p.map(f64::from_bits))).collect();
    TriMesh::new(positions, triangles)
}
