//! Times the linear solvers on the matrix of a square cloth: membrane and bending, 21 blocks a row.
//!
//! `cargo run --release -p toile-sim --example linear_solvers [cells…]`
#![allow(clippy::print_stdout)]

use glam::{DMat3, DVec3};
use std::time::Instant;
use toile_linear::cg::{self, Stop, Workspace};
use toile_linear::{
    Assembly, BlockCsr, Builder, Cholesky, Error, Ordering, Precondition, Preconditioner,
};

fn main() -> Result<(), Error> {
    let given: Vec<u32> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let cells = if given.is_empty() { vec![50, 100, 200, 447] } else { given };
    for n in cells {
        table(n)?;
    }
    Ok(())
}

/// A square metre of 0.15 kg/m², membrane 1000 N/m, bending 1e-5 N·m, step 1/100 s.
///
/// Elements: springs along edges and diagonals, their normal direction weakened to a tenth as under
/// slight tension; bending as (x₋ − 2x₀ + x₊)² along threads and its twist across cells, which makes
/// the 13 blocks of the biharmonic stencil; and pairs at a knight's move, which make 21.
fn matrix(cells: u32) -> Result<(Assembly, BlockCsr), Error> {
    let n = cells + 1;
    let (h, dt) = (1.0 / f64::from(cells), 0.01);
    let at = |i: u32, j: u32| i * n + j;
    let (mut edges, mut directions, mut threads, mut quads) = (vec![], vec![], vec![], vec![]);
    for i in 0..n {
        for j in 0..n {
            for (di, dj) in [(0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1)] {
                let (a, b) = (i as i32 + di, j as i32 + dj);
                if (0..n as i32).contains(&a) && (0..n as i32).contains(&b) {
                    edges.push([at(i, j), at(a as u32, b as u32)]);
                    // A sine wave makes the blocks full.
                    let slope = 0.3 * (f64::from(i + 2 * j) * 0.2).cos();
                    directions.push(DVec3::new(f64::from(di), slope, f64::from(dj)).normalize());
                }
            }
            if j + 2 < n {
                threads.push([at(i, j), at(i, j + 1), at(i, j + 2)]);
            }
            if i + 2 < n {
                threads.push([at(i, j), at(i + 1, j), at(i + 2, j)]);
            }
            if i + 1 < n && j + 1 < n {
                quads.push([at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]);
            }
        }
    }
    let mut assembly = Builder::new((n * n) as usize)
        .with_elements(&edges)?
        .with_elements(&threads)?
        .with_elements(&quads)?
        .build()?;
    let (membrane, bending) = (1000.0 * dt * dt, 1e-5 / (h * h) * dt * dt);
    let weighted = |w: &[f64], b: DMat3, upper: &mut [DMat3]| {
        let mut k = 0;
        for i in 0..w.len() {
            for j in i..w.len() {
                upper[k] = b * (w[i] * w[j]);
                k += 1;
            }
        }
    };
    assembly.fill(0, |e, upper| {
        let d = directions[e];
        let along = DMat3::from_cols(d * d.x, d * d.y, d * d.z) * 0.9 + DMat3::IDENTITY * 0.1;
        weighted(&[1.0, -1.0], along * (0.3 * membrane), upper);
    });
    assembly.fill(1, |_, upper| {
        weighted(&[1.0, -2.0, 1.0], DMat3::IDENTITY * bending, upper);
    });
    assembly.fill(2, |_, upper| {
        weighted(&[1.0, -1.0, -1.0, 1.0], DMat3::IDENTITY * (2.0 * bending), upper);
    });
    let mut a = assembly.matrix();
    assembly.gather(&mut a)?;
    for i in 0..n * n {
        a.add(i, i, DMat3::IDENTITY * (0.15 * h * h));
    }
    Ok((assembly, a))
}

/// Best of several runs, in milliseconds.
fn best(runs: u32, mut f: impl FnMut()) -> f64 {
    let time = |f: &mut dyn FnMut()| {
        let start = Instant::now();
        f();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..runs).map(|_| time(&mut f)).fold(f64::INFINITY, f64::min)
}

/// The product with the upper half alone, on one thread, to compare.
fn upper_product(rows: &[Vec<(u32, DMat3)>], x: &[DVec3], y: &mut [DVec3]) {
    y.fill(DVec3::ZERO);
    for (i, row) in rows.iter().enumerate() {
        let mut sum = DVec3::ZERO;
        for (j, block) in row {
            let j = *j as usize;
            sum += *block * x[j];
            if j != i {
                y[j] += block.transpose() * x[i];
            }
        }
        y[i] += sum;
    }
}

fn table(cells: u32) -> Result<(), Error> {
    let (assembly, mut a) = matrix(cells)?;
    let n = a.rows();
    // Noise with a mean of about zero: every wavelength is asked for.
    let noise = |k: u32| f64::from((k.wrapping_mul(2_654_435_761) >> 8) % 2001) / 1000.0 - 1.0;
    let b: Vec<DVec3> = (0..n as u32)
        .map(|i| DVec3::new(noise(3 * i + 1), noise(3 * i + 2), noise(3 * i + 3)))
        .collect();
    let mut y = a.pattern().zeros();
    println!("\n{n} vertices, {} blocks", a.pattern().blocks());
    let full = best(20, || a.multiply(&b, &mut y));
    let half: Vec<Vec<(u32, DMat3)>> = (0..n)
        .map(|i| {
            let entries = a.pattern().row(i).iter().copied().zip(a.row(i).iter().copied());
            entries.filter(|(j, _)| *j as usize >= i).collect()
        })
        .collect();
    let upper = best(20, || upper_product(&half, &b, &mut y));
    let gather = best(5, || assembly.gather(&mut a).unwrap_or_default());
    println!("product: full {full:.3} ms, upper half {upper:.3} ms; assembly {gather:.2} ms");
    let (_, a) = matrix(cells)?;
    println!("{:32} setup ms  update ms   its 1e-2  its 1e-6   ms/it  total ms", "");
    for choice in [
        Precondition::Schwarz { aggregate: 16, coarse: true },
        Precondition::IncompleteCholesky,
        Precondition::BlockJacobi,
        Precondition::Schwarz { aggregate: 16, coarse: false },
        Precondition::None,
    ] {
        let start = Instant::now();
        let mut m = Preconditioner::new(choice, a.pattern())?;
        let setup = start.elapsed().as_secs_f64() * 1e3;
        let mut result = Ok(());
        let update = best(2, || result = m.update(&a));
        result?;
        let mut w = Workspace::new(n);
        let mut solve = |tolerance: f64| {
            let mut x = a.pattern().zeros();
            let start = Instant::now();
            let stop = Stop { tolerance, max_iterations: 5000 };
            let outcome = cg::solve(&a, &mut m, None, &b, &mut x, stop, &mut w);
            (outcome, start.elapsed().as_secs_f64() * 1e3)
        };
        let (rough, _) = solve(1e-2);
        let (fine, time) = solve(1e-6);
        println!(
            "{:32} {setup:8.1} {update:10.2} {:10} {:9} {:7.3} {:9.1}",
            format!("{choice:?}").replace("aggregate: 16, ", ""),
            rough.iterations,
            fine.iterations,
            time / f64::from(fine.iterations.max(1)),
            time + update,
        );
    }
    for ordering in [Ordering::Amd, Ordering::NestedDissection] {
        let start = Instant::now();
        let mut solver = Cholesky::new(a.pattern(), ordering)?;
        let symbolic = start.elapsed().as_secs_f64() * 1e3;
        let mut result = Ok(());
        let factor = best(2, || result = solver.factor(&a));
        result?;
        let mut x = a.pattern().zeros();
        let solve = best(3, || solver.solve(&b, &mut x));
        println!(
            "Cholesky {ordering:?}: symbolic {symbolic:.1} ms, factor {factor:.1} ms, solve {solve:.2} ms, fill {:.1}",
            solver.fill_in()
        );
    }
    Ok(())
}
