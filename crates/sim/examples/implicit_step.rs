//! What an implicit step of a hanging sheet costs, without contact: milliseconds and iterations.
//!
//! `cargo run --release -p toile-sim --example implicit_step -- 50 100 200`, and for instructions
//! `valgrind --tool=callgrind` before the program it built.

#![allow(clippy::print_stdout, reason = "an example prints what it measured")]

use glam::DVec3;
use std::time::Instant;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::linear::{Constraint, Filter, Precondition};
use toile_sim::papers::integrate::{
    Implicit, LinearSolver, NewtonSettings, Rule, SheetSystem, System,
};
use toile_sim::sheet::{Bend, Stretch};
use toile_sim::{Cloth, Fabric};

/// Steps before the clock starts and while it runs.
const STEPS: [usize; 2] = [30, 20];

fn main() {
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![50, 100, 200] } else { asked };
    println!("vertices  ms a step  µs a vertex  iterations");
    for cells in sizes {
        // Within the pool, as in a run: many small tasks need not be handed over to it.
        let mut measured = (0.0, 0);
        rayon::scope(|_| measured = measure(cells));
        let (seconds, iterations) = measured;
        let vertices = (cells + 1) * (cells + 1);
        let each = 1e3 * seconds / STEPS[1] as f64;
        println!(
            "{vertices:8}  {each:9.2}  {:11.3}  {:10.1}",
            1e3 * each / vertices as f64,
            f64::from(iterations) / STEPS[1] as f64
        );
    }
}

/// A square metre of cotton, held at two corners and let go, corotational with hinges.
fn measure(cells: usize) -> (f64, u32) {
    let mesh = grid(1.0, 1.0, cells, cells, Diagonals::Alternating);
    let mut x = mesh.positions.clone();
    let mut v = vec![DVec3::ZERO; x.len()];
    let cloth = Cloth {
        name: "sheet".into(),
        mesh,
        grid: Some([cells, cells]),
        fabric: Fabric::default(),
        pieces: Vec::new(),
    };
    let gravity = DVec3::Y * -9.81;
    let (stretch, bend) = (Stretch::Corotational, Bend::Hinge);
    let system = SheetSystem::new(std::slice::from_ref(&cloth), stretch, bend, &[], gravity);
    let mut system = system.expect("a grid makes a sheet");
    let held = [0, cells as u32].map(|i| (i, Constraint::Fixed));
    let filter = Filter::new(x.len(), &held).expect("corners exist");
    let precondition = Precondition::Schwarz { aggregate: 16, coarse: true };
    let linear = LinearSolver::Gradients { precondition, max_iterations: 500 };
    let settings = NewtonSettings { linear, linear_tolerance: 1e-2, ..NewtonSettings::default() };
    let mut rule =
        Implicit::new(Rule::Euler, settings, system.pattern()).expect("a pattern fits itself");
    let h = 0.01;
    let (mut clock, mut iterations) = (Instant::now(), 0);
    for step in 0..STEPS[0] + STEPS[1] {
        if step == STEPS[0] {
            (clock, iterations) = (Instant::now(), 0);
        }
        let t = step as f64 * h;
        let report = rule.step(&mut system, Some(&filter), t, h, &mut x, &mut v).expect("a step");
        iterations += report.linear_iterations;
    }
    (clock.elapsed().as_secs_f64(), iterations)
}
