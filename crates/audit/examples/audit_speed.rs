//! Seconds for the self-intersection audit of wavy, flat and crumpled sheets.
#![allow(clippy::print_stdout, reason = "a measurement for people")]

use glam::DVec3;
use std::time::Instant;
use toile_audit::self_intersections;
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
