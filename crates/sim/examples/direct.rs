//! Whether a direction of the default solver is found sooner by factoring its matrix.
//!
//! `cargo run --release -p toile-sim --example direct [cells…]`
//!
//! The matrix is that of a sheet of cotton in waves, inertia and elasticity, with a step of 1/100 s. No contacts: they would change the
//! pattern in every iteration, which costs a factorisation its ordering, and conjugate gradients nothing.
#![allow(clippy::print_stdout)]

use glam::{DMat3, DVec3};
use std::time::Instant;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::barrier::Barrier;
use toile_sim::linear::single::{self, Goal, Matrix, TwoLevel, Vectors};
use toile_sim::linear::{BlockCsr, Cholesky, Ordering};
use toile_sim::sheet::{Bend, Sheet, Stretch};
use toile_sim::{Cloth, Error, Fabric, Model};

/// Length of a step [s].
const STEP: f64 = 0.01;

fn main() -> Result<(), Error> {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let cells = if given.is_empty() { vec![4, 8, 16, 32, 50, 100] } else { given };
    println!("| vertices | conjugate gradients | to a millionth | factor and solve | ordering |");
    println!("| --- | --- | --- | --- | --- |");
    for n in cells {
        row(n)?;
    }
    Ok(())
}

/// The sheet, its masses, where it is, and the force on it out of balance.
fn waves(cells: usize) -> Result<(Sheet, Model, Vec<DVec3>, Vec<DVec3>), Error> {
    let mesh = grid(1.0, 1.0, cells, cells, Diagonals::Alternating);
    let cloth = Cloth {
        name: "sheet".into(),
        mesh,
        grid: Some([cells, cells]),
        fabric: Fabric::default(),
        pieces: Vec::new(),
    };
    let mut sheet = Sheet::new(std::slice::from_ref(&cloth), Stretch::Stvk, Bend::Morley, &[])?;
    let model = Model::new(vec![cloth], None)?;
    // Bowed along both threads, as much longer as it is on its way into a fold.
    let at = |p: &DVec3| {
        DVec3::new(p.x, p.y, p.z)
            + DVec3::splat(0.03 * (9.0 * p.x).sin() * (7.0 * (p.y + p.z)).cos())
    };
    let x: Vec<DVec3> = model.mesh.positions.iter().map(at).collect();
    let mut force = vec![DVec3::ZERO; x.len()];
    sheet.gradient(&x, &mut force);
    for (f, m) in force.iter_mut().zip(model.mass.iter()) {
        *f = DVec3::Y * (-9.81 * m) - *f;
    }
    Ok((sheet, model, x, force))
}

/// Shortest of several runs, in milliseconds.
fn best(mut f: impl FnMut()) -> f64 {
    let once = |f: &mut dyn FnMut()| {
        let start = Instant::now();
        f();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..9).map(|_| once(&mut f)).fold(f64::INFINITY, f64::min)
}

/// One size: milliseconds, and iterations.
fn row(cells: usize) -> Result<(), Error> {
    let (mut sheet, model, x, force) = waves(cells)?;
    let inertia = |i: usize| model.mass[i] / (STEP * STEP);
    let mut matrix = Matrix::zeros(sheet.pattern());
    sheet.single_hessian(&x, &mut matrix);
    matrix.add_to_diagonal(|i| inertia(i) as f32);
    let mut two_level = TwoLevel::new(sheet.pattern())?;
    let mut vectors = Vectors::default();
    let mut iterate = |gain: f64, residual: f64| {
        let goal = Goal {
            quadratic_tolerance: gain,
            relative_residual: residual,
            absolute_tolerance: 0.0,
            max_iterations: 2000,
        };
        let mut iterations = 0;
        let time = best(|| {
            let mut d = vec![DVec3::ZERO; x.len()];
            two_level.update(&matrix, &[], &[]);
            let outcome = single::solve(
                &matrix,
                &[],
                &mut two_level,
                &[],
                &force,
                &mut d,
                goal,
                &mut vectors,
            );
            iterations = outcome.iterations;
        });
        format!("{time:.3} ms, {iterations}")
    };
    let (rough, fine) = (iterate(Barrier::default().linear_tolerance, 0.02), iterate(0.0, 1e-6));
    let mut exact = BlockCsr::zeros(sheet.pattern());
    sheet.hessian(&x, true, true, &mut exact);
    for i in 0..x.len() {
        exact.add(i as u32, i as u32, DMat3::IDENTITY * inertia(i));
    }
    let (factor, ordering) = direct(&exact, &force)?;
    println!("| {} | {rough} | {fine} | {factor:.3} ms | {ordering:.3} ms |", x.len());
    Ok(())
}

/// Milliseconds to factor a matrix and solve with it, and to order it before that, by the better ordering.
fn direct(a: &BlockCsr, b: &[DVec3]) -> Result<(f64, f64), Error> {
    let mut least = (f64::INFINITY, 0.0);
    for ordering in [Ordering::Amd, Ordering::NestedDissection] {
        let mut solver = Cholesky::new(a.pattern(), ordering)?;
        let symbolic = best(|| drop(Cholesky::new(a.pattern(), ordering)));
        let mut x = a.pattern().zeros();
        let mut result = Ok(());
        let factor = best(|| {
            result = solver.factor(a);
            solver.solve(b, &mut x);
        });
        result?;
        if factor < least.0 {
            least = (factor, symbolic);
        }
    }
    Ok(least)
}
