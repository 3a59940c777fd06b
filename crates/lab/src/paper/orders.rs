//! The order of every integrator, measured (N1 to N8).
//!
//! The error at the end is halved p times over when the step is halved once, where p is the order.
//! Three problems: the oscillator y'' = −5 y, whose solution is known; a hanging patch of springs,
//! which is not linear; and the same patch with damping. Dormand–Prince with tiny steps is the
//! reference for the patches.
//!
//! Limits: leapfrog and Verlet see a velocity of half a step before, so they have order 1 where
//! forces depend on velocities. Errors of the patch are those of positions.

use super::Effort;
use super::curve::slope;
use super::page::{Cell, Claim, Page, Picture, Table, number};
use super::patch::{Patch, distance};
use super::solve::{Counted, Method, NONLINEAR, failed, run, run_problem, size};
use crate::plot::{Figure, Plot};
use toile::Error;
use toile_sim::papers::integrate::problems::Problem;
use toile_sim::papers::integrate::{Integrator, Rule};

const METHODS: [Method; 12] = [
    Method::EULER,
    Method::Explicit(Integrator::SymplecticEuler),
    Method::MIDPOINT,
    Method::Explicit(Integrator::Leapfrog),
    Method::Verlet,
    Method::RK4,
    Method::DormandPrince,
    Method::IMPLICIT_EULER,
    Method::Implicit(Rule::Blend { theta: 0.75 }),
    Method::IMPLICIT_MIDPOINT,
    Method::BDF2,
    Method::UnevenBdf2,
];

/// Numbers of steps: low orders need more before the next term no longer shows.
fn ladder(order: u32, effort: Effort) -> Vec<u32> {
    let (first, doublings) = match order {
        1 => (400, 5),
        2 => (100, 5),
        _ => (40, 4),
    };
    // The high orders are cheap, and soon down to rounding.
    match effort {
        Effort::Quick if order <= 2 => (doublings - 2..doublings).map(|k| first << k).collect(),
        _ => (0..=doublings).map(|k| first << k).collect(),
    }
}

/// Errors by steps, and seconds.
type Runs = (Vec<(u32, f64)>, f64);

fn on_oscillator(problem: &Problem, method: Method, effort: Effort) -> Result<Runs, Error> {
    let [y, dy] = problem.exact(problem.end);
    let mut runs = Runs::default();
    for steps in ladder(method.order(false), effort) {
        let run = run_problem(problem, method, (problem.end, steps), |_, _| {})
            .map_err(|e| failed(method, &e))?;
        runs.0.push((steps, size(problem, run.x[0].x - y, run.v[0].x - dy)));
        runs.1 += run.cost.seconds;
    }
    Ok(runs)
}

fn on_patch(
    patch: &Patch,
    exact: &[glam::DVec3],
    method: Method,
    effort: Effort,
    damped: bool,
) -> Result<Runs, Error> {
    let mut runs = Runs::default();
    for steps in ladder(method.order(damped), effort) {
        let system = Counted::new(patch.system.clone(), Some(patch.filter.clone()));
        let start = (patch.x.clone(), patch.v.clone());
        let run = run(system, (method, NONLINEAR), (patch.end, steps), start, |_, _| {})
            .map_err(|e| failed(method, &e))?;
        runs.0.push((steps, distance(&run.x, exact)));
        runs.1 += run.cost.seconds;
    }
    Ok(runs)
}

/// The item.
pub(super) fn orders(effort: Effort) -> Result<Page, Error> {
    let oscillator = Problem::undamped();
    let patches = [Patch::new(0.0)?, Patch::new(2e-4)?];
    let exact = [patches[0].reference()?.0, patches[1].reference()?.0];
    let columns = ["method", "order", "oscillator", "patch", "damped", "patch, damped", "seconds"];
    let mut table =
        Table::new("Measured orders; the fifth column is the order with damping", columns);
    let titles = ["Oscillator y'' = −5y", "Patch of springs", "Patch of springs, damped"];
    let mut plots =
        titles.map(|title| Plot::new(title).x("steps").log_x().y("error at the end").log_y());
    let (mut off, mut lost) = (0.0_f64, 0.0_f64);
    for method in METHODS {
        let runs = [
            on_oscillator(&oscillator, method, effort)?,
            on_patch(&patches[0], &exact[0], method, effort, false)?,
            on_patch(&patches[1], &exact[1], method, effort, true)?,
        ];
        let (order, damped) = (method.order(false), method.order(true));
        let mut slopes = [f64::NAN; 3];
        for (k, (points, _)) in runs.iter().enumerate() {
            // The reference of the patches is not known better.
            let floor = if k == 0 { 1e-12 } else { 1e-11 };
            slopes[k] = slope(points, floor).unwrap_or(f64::NAN);
            let data: Vec<(f64, f64)> = points.iter().map(|(n, e)| (f64::from(*n), *e)).collect();
            plots[k] = plots[k].clone().line(method.name(), &data);
            let miss = (slopes[k] - f64::from(if k == 2 { damped } else { order })).abs();
            let miss = if miss.is_nan() { f64::INFINITY } else { miss };
            if k == 2 && damped < order { lost = lost.max(miss) } else { off = off.max(miss) }
        }
        table.push([
            method.name().into(),
            u64::from(order).into(),
            slopes[0].into(),
            slopes[1].into(),
            u64::from(damped).into(),
            slopes[2].into(),
            Cell::Number(runs.iter().map(|r| r.1).sum()),
        ]);
    }
    let claims = vec![
        Claim::new(
            "Euler methods have order 1, midpoint, BDF2 and Verlet 2, RK4 4, Dormand–Prince 5",
            format!("all slopes are within {} of that, on both problems", number(off)),
            off < 0.1,
        ),
        Claim::new(
            "Verlet has order 2, and costs some stability with damping",
            format!("with damping, leapfrog and Verlet have order 1, to {}", number(lost)),
            lost > 1.0 - 0.1,
        )
        .because("the velocity they see is half a step old"),
    ];
    let svg = Figure::row(plots).title("Order of convergence").panel_size(460.0, 440.0).to_svg();
    Ok(Page {
        id: "orders",
        title: "measured orders of all integrators".into(),
        text: "The slope is taken over the last doubling of steps whose errors are above rounding. \
               Implicit steps are solved to the end by Newton's method. Uneven steps are 2 : 1 by turns."
            .into(),
        tables: vec![table],
        claims,
        pictures: vec![Picture { file: "orders.svg".into(), svg }],
        ..Page::default()
    })
}
