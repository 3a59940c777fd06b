//! Verlet's staggered grids, figure 12 of the tutorial (N5).
//!
//! Positions live at the times t + n h, velocities at t + (n + ½) h:
//!
//! v(n+½) = v(n−½) + h f(x(n)), x(n+1) = x(n) + h v(n+½).
//!
//! The figure is a sketch; here its two grids carry the numbers of a run of y'' = −5 y. Erratum:
//! eq. 56 divides the second difference by h, which must be h².

use super::Effort;
use super::curve::slope;
use super::page::{Claim, Page, Picture, Table, number};
use super::solve::{Method, failed, run_problem};
use crate::plot::{Figure, Plot};
use toile::Error;
use toile_sim::papers::integrate::Integrator;
use toile_sim::papers::integrate::problems::Problem;

/// Positions after each step and the velocities half a step before them.
fn leap(problem: &Problem, (end, steps): (f64, u32)) -> Result<Vec<(f64, f64)>, Error> {
    let method = Method::Explicit(Integrator::Verlet { damping: 0.0 });
    let mut course = Vec::new();
    run_problem(problem, method, (end, steps), |x, v| course.push((x[0].x, v[0].x)))
        .map_err(|e| failed(method, &e))?;
    Ok(course)
}

/// Errors at the end: of the position, of the velocity at its half step, and of the same velocity
/// read at the whole step.
fn errors(problem: &Problem, steps: u32) -> Result<[f64; 3], Error> {
    let h = problem.end / f64::from(steps);
    let (x, v) = leap(problem, (problem.end, steps))?.last().copied().unwrap_or_default();
    let [y, dy] = problem.exact(problem.end);
    Ok([x - y, v - problem.exact(problem.end - 0.5 * h)[1], v - dy].map(f64::abs))
}

/// The two grids over some steps of a run.
fn grids(problem: &Problem) -> Result<Plot, Error> {
    const STEPS: u32 = 12;
    let h = 0.25;
    // Velocities over ω have the size of positions.
    let omega = libm::sqrt(problem.stiffness);
    let course = leap(problem, (h * f64::from(STEPS), STEPS))?;
    let mut x = vec![(0.0, problem.y)];
    let mut v = Vec::new();
    for (n, (position, velocity)) in course.iter().enumerate() {
        x.push((n as f64 + 1.0, *position));
        v.push((n as f64 + 0.5, velocity / omega));
    }
    let curve = |k: usize, scale: f64| -> Vec<(f64, f64)> {
        let at = |i: u32| f64::from(i) * f64::from(STEPS) / 240.0;
        (0..=240).map(|i| (at(i), problem.exact(at(i) * h)[k] / scale)).collect()
    };
    // The course first: marks of the same name lie on it.
    Ok(Plot::new("Positions at whole steps, velocities at half steps")
        .x("t / h")
        .y("position, velocity/ω [m]")
        .x_range(0.0, f64::from(STEPS))
        .y_range(-1.2, 1.2)
        .line("x at n h", &curve(0, 1.0))
        .line("v at (n + ½) h", &curve(1, omega))
        .points("x at n h", &x)
        .points("v at (n + ½) h", &v))
}

/// Figure 12.
pub(super) fn fig12(effort: Effort) -> Result<Page, Error> {
    let problem = Problem::undamped();
    let octaves = if effort == Effort::Full { 15 } else { 12 };
    let names = ["x at n h", "v at (n + ½) h", "v read at n h"];
    let mut runs: [Vec<(u32, f64)>; 3] = Default::default();
    // Coarser steps than 32 are beyond hω = ½ and show no order yet.
    for k in 5..=octaves {
        let steps = 1 << k;
        for (run, error) in runs.iter_mut().zip(errors(&problem, steps)?) {
            run.push((steps, error));
        }
    }
    let slopes = runs.each_ref().map(|run| slope(run, 1e-12).unwrap_or(f64::NAN));
    let mut table = Table::new("Orders on the staggered grid", ["quantity", "order", "slope"]);
    for (name, (order, slope)) in names.iter().zip([2u64, 2, 1].into_iter().zip(slopes)) {
        table.push([(*name).into(), order.into(), slope.into()]);
    }

    // The second difference of eq. 56.
    let (h, course) = (0.05, leap(&problem, (5.0, 100))?);
    let mut residual = [0.0_f64; 2];
    for p in course.windows(3) {
        let second = p[2].0 - 2.0 * p[1].0 + p[0].0;
        for (r, below) in residual.iter_mut().zip([h, h * h]) {
            *r = r.max((second / below + problem.stiffness * p[1].0).abs());
        }
    }

    let near = |k: usize, order: f64| (slopes[k] - order).abs() < 0.1;
    let claims = vec![
        Claim::new(
            "x at t + n h and v at t + (2n + 1) h/2 give a method of order 2",
            format!("slopes of x and v: {} and {}", number(slopes[0]), number(slopes[1])),
            near(0, 2.0) && near(1, 2.0),
        ),
        Claim::new(
            "eqs. 57 and 58 omit the half steps and the staggered grid",
            format!(
                "the positions are the same; v, read as that of a whole step, has order {}",
                number(slopes[2])
            ),
            near(2, 2.0),
        )
        .because(
            "without the half steps v is still the velocity of half a step before; a last half \
             kick brings it to the positions and keeps order 2, as figures 11 and 13 do",
        ),
        Claim::new(
            "eq. 56: (x(n+1) − 2x(n) + x(n−1)) / h = f(x(n))",
            format!(
                "it is off by up to {}; with h² below, by {}",
                number(residual[0]),
                number(residual[1])
            ),
            residual[0] < 1e-9,
        )
        .because("a second derivative has h² below; a misprint, as eqs. 54 and 55 show"),
    ];
    let mut errors = Plot::new("Error at the end")
        .x("steps")
        .log_x()
        .y("error [m], [m/s]")
        .log_y()
        .x_range(20.0, f64::from(2u32 << octaves));
    for (name, run) in names.iter().zip(&runs) {
        let data: Vec<(f64, f64)> = run.iter().map(|(n, e)| (f64::from(*n), *e)).collect();
        errors = errors.line(*name, &data);
    }
    let errors = errors.slope("order 1", -1.0, (32.0, 3.0)).slope("order 2", -2.0, (32.0, 0.02));
    let svg = Figure::row([grids(&problem)?, errors]).panel_size(520.0, 380.0).to_svg();
    Ok(Page {
        id: "t04-fig12",
        title: "the staggered grids of Verlet's method (tutorial 2004, figure 12)".into(),
        text: "y'' = −5y from y = 1 at rest; the picture shows twelve steps of h = 0.25 s.".into(),
        tables: vec![table],
        claims,
        pictures: vec![Picture { file: "t04-fig12.svg".into(), svg }],
        ..Page::default()
    })
}
