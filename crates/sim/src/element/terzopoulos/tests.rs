//! Derivatives, energies of simple shapes, and the semi-implicit step.

use super::super::check::{self, Dice};
use super::*;
use toile_mesh::shape::{Diagonals, grid};

#[test]
fn metric_and_curvature_match_differences() {
    let edge = Edge { vertices: [0, 1], rest: 1.0, stiffness: 3.0 };
    check::all(&edge, &[DVec3::new(0.2, 0.1, 0.7), DVec3::new(-0.5, 0.6, 0.1)]);
    check::all(&edge, &[DVec3::new(0.2, 0.1, 0.7), DVec3::new(-0.5, 0.9, -0.4)]);
    let node = Node { vertices: [0; 9], spacing: [0.5, 0.4], stiffness: [1.0, 2.0, 1.5] };
    let mut dice = Dice(4);
    let x: [DVec3; 9] = std::array::from_fn(|k| {
        DVec3::new(0.5 * (k / 3) as f64, 0.4 * (k % 3) as f64, 0.0) + dice.vector() * 0.1
    });
    check::gradient(&node, &x);
    check::definite(&node, &x);
    check::rigid(&node, &x);
    let flat: [DVec3; 9] =
        std::array::from_fn(|k| DVec3::new(0.5 * (k / 3) as f64, 0.4 * (k % 3) as f64, 0.0));
    check::at_rest(&node, &flat, 2.0);
    // Flat: no curvature, so Gauss–Newton drops nothing.
    check::hessian(&node, &flat);
}

const N: usize = 12;

fn surface() -> (TriMesh, Surface, Fabric) {
    let fabric = Fabric { weft: 300.0, ..Fabric::default() };
    let mesh = grid(0.6, 0.6, N, N, Diagonals::Same);
    let surface = Surface::of_grid(&mesh, N, N, &fabric);
    (mesh, surface, fabric)
}

#[test]
fn small_strains_and_curvatures_cost_what_the_fabric_says() {
    let (mesh, surface, fabric) = surface();
    let energy = |f: &dyn Fn(f64, f64) -> DVec3| {
        surface.energy(&mesh.uv.iter().map(|p| f(p.x, p.y)).collect::<Vec<_>>())
    };
    let (s, area) = (1e-5, 0.36);
    let half = 0.5 * s * s * area;
    let weft = energy(&|u, v| DVec3::new(u * (1.0 + s), v, 0.0)) / (half * fabric.weft);
    let warp = energy(&|u, v| DVec3::new(u, v * (1.0 + s), 0.0)) / (half * fabric.warp);
    let shear = energy(&|u, v| DVec3::new(u + s * v, v, 0.0)) / (half * fabric.shear);
    for ratio in [weft, warp, shear] {
        assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    }
    // Curvature lives at inner nodes: the cells around them.
    let inner = ((N - 1) as f64 / N as f64).powi(2);
    let k = 1e-3;
    let bend = |ratio: f64| assert!((ratio - 1.0).abs() < 1e-2, "{ratio}");
    let only = |s: &Surface, f: &dyn Fn(f64, f64) -> f64| {
        let x: Vec<DVec3> = mesh.uv.iter().map(|p| DVec3::new(p.x, p.y, f(p.x, p.y))).collect();
        sum(&s.nodes, &x) / (0.5 * k * k * area * inner)
    };
    bend(only(&surface, &|u, _| 0.5 * k * u * u) / fabric.bend_weft);
    bend(only(&surface, &|_, v| 0.5 * k * v * v) / fabric.bend_warp);
    bend(only(&surface, &|u, v| k * u * v) / Bending::of_fabric(&fabric).twist);
}

/// Positions of a sheet that hangs a little crooked.
fn crooked(mesh: &TriMesh) -> Vec<DVec3> {
    let mut dice = Dice(6);
    mesh.positions.iter().map(|p| *p * 1.02 + dice.vector() * 1e-3).collect()
}

fn product(s: &System, x: &[DVec3]) -> Vec<DVec3> {
    s.rows.iter().map(|r| r.iter().map(|(c, v)| x[*c as usize] * *v).sum()).collect()
}

#[test]
fn the_matrix_gives_the_metric_forces_of_the_present_state() {
    let (mesh, mut surface, _) = surface();
    surface.nodes.clear();
    surface.plate = Plate::default();
    let x = crooked(&mesh);
    let zero = vec![DVec3::ZERO; x.len()];
    let step = Step {
        x: &x,
        v: &zero,
        force: &zero,
        mass: &vec![0.0; x.len()],
        damping: 0.0,
        h: 1.0,
        definite: false,
    };
    let (force, gradient) = (product(&surface.system(&step), &x), surface.gradient(&x));
    let scale = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
    for (f, g) in force.iter().zip(&gradient) {
        assert!((*f - *g).length() < 1e-10 * scale);
    }
}

#[test]
fn a_step_solved_by_gauss_seidel_keeps_momentum_and_pulls_the_sheet_together() {
    let (mesh, surface, _) = surface();
    let x = crooked(&mesh);
    let n = x.len();
    let (mass, gravity, h) = (vec![1e-3; n], DVec3::new(0.0, -9.81e-3, 0.0), 2e-4);
    let v = vec![DVec3::new(0.1, 0.2, -0.1); n];
    let force = vec![gravity; n];
    let step = Step { x: &x, v: &v, force: &force, mass: &mass, damping: 0.0, h, definite: true };
    let system = surface.system(&step);
    for (r, row) in system.rows.iter().enumerate() {
        for (c, value) in row {
            let other = system.rows[*c as usize].iter().find(|e| e.0 == r as u32).unwrap();
            assert!((other.1 - value).abs() <= 1e-9 * value.abs());
        }
    }
    let mut y = x.clone();
    for _ in 0..3000 {
        for (r, row) in system.rows.iter().enumerate() {
            let (mut sum, mut diagonal) = (system.right[r], 0.0);
            for (c, value) in row {
                if *c as usize == r {
                    diagonal = *value;
                } else {
                    sum -= y[*c as usize] * *value;
                }
            }
            y[r] = sum / diagonal;
        }
    }
    // Inner forces add up to nothing: the middle moves by h v + h² f/m, the free fall of the step.
    let moved = y.iter().zip(&x).map(|(y, x)| *y - *x).sum::<DVec3>() / n as f64;
    let fall = v[0] * h + gravity / mass[0] * h * h;
    assert!((moved - fall).length() < 1e-9, "{moved} {fall}");
    // Well below the explicit limit, about a millisecond, a stretched sheet pulls itself together.
    assert!(surface.energy(&y) < surface.energy(&x));
}
