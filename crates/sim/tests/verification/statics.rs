//! Equilibrium against exact solutions.

use glam::DVec3;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::linear::Constraint;
use toile_sim::sheet::{Bend, Clamp, Sheet, Stretch};
use toile_sim::statics::{Equilibrium, Statics};
use toile_sim::{Cloth, Fabric};

const GRAVITY: f64 = 9.81;

/// A strip along x, clamped at x = 0, under its own weight: drop over reach of the free end.
fn cantilever(gamma: f64, n: usize, diagonals: Diagonals, bend: Bend) -> f64 {
    let (length, width) = (0.1, 0.025);
    let (density, bending): (f64, f64) = (0.2, 0.2 * GRAVITY * 1e-3 / gamma);
    let young = bending / (length * length) * (1e3 * gamma).max(1e4);
    let cells = [n, (n / 4).max(2)];
    let mut mesh = grid(length, width, cells[0], cells[1], diagonals);
    let left = mesh.positions.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
    for p in &mut mesh.positions {
        *p = DVec3::new(p.x - left, 0.0, p.z);
    }
    let fabric = Fabric {
        density,
        weft: young,
        warp: young,
        shear: 0.5 * young,
        bend_weft: bending,
        bend_warp: bending,
        ..Fabric::default()
    };
    let held: Vec<(u32, Constraint)> = (0..mesh.positions.len() as u32)
        .filter(|v| mesh.positions[*v as usize].x < 1e-9)
        .map(|v| (v, Constraint::Fixed))
        .collect();
    let clamps: Vec<Clamp> = held
        .windows(2)
        .map(|w| {
            let edge = [w[0].0, w[1].0];
            let middle = 0.5 * edge.map(|v| mesh.positions[v as usize]).iter().sum::<DVec3>();
            Clamp { cloth: 0, edge, point: middle - DVec3::X * 0.01 }
        })
        .collect();
    let mut x = mesh.positions.clone();
    let mut force = vec![DVec3::ZERO; x.len()];
    for (t, tri) in mesh.triangles.iter().enumerate() {
        let uv = mesh.corners_uv(t);
        let area = 0.5 * (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]).abs();
        for v in tri {
            force[*v as usize] -= DVec3::Y * density * GRAVITY * area / 3.0;
        }
    }
    let cloth = Cloth { name: "strip".into(), mesh, grid: Some(cells), fabric, pieces: Vec::new() };
    let mut sheet = Sheet::new(&[cloth], Stretch::Stvk, bend, &clamps).unwrap();
    let mut solver = Equilibrium::new(Statics::default(), &sheet).unwrap();
    solver.settle(&mut sheet, &force, &held, &mut x).unwrap();
    let far = x.iter().enumerate().filter(|(i, _)| i / (cells[1] + 1) == n);
    let (mut drop, mut reach) = (0.0, 0.0);
    for (_, p) in far {
        drop -= p.y;
        reach += p.x;
    }
    drop / reach
}

#[test]
fn a_strip_of_morley_bending_hangs_on_the_master_curve() {
    for (gamma, exact) in [(1.0, 0.124562), (10.0, 1.066802), (100.0, 5.888105), (1000.0, 21.33544)]
    {
        for diagonals in [Diagonals::Alternating, Diagonals::Same] {
            let found = cantilever(gamma, 40, diagonals, Bend::Morley);
            let error = found / exact - 1.0;
            assert!(error.abs() < 0.01, "{gamma} {diagonals:?} {error}");
        }
    }
}
