//! A method's error against its work on one problem, and what is read off it.

use super::Effort;
use super::solve::{Cost, Method, is_first_order, run_problem, size};
use toile_sim::papers::integrate::problems::Problem;

/// Errors below this part of the solution's size are rounding, not the method.
const FLOOR: f64 = 1e-12;

/// One run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) steps: u32,
    pub(super) error: f64,
    pub(super) cost: Cost,
}

/// Runs of one method with finer and finer steps.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) method: Method,
    /// Size of the exact solution at the end.
    pub(super) scale: f64,
    pub(super) points: Vec<Point>,
}

/// Numbers of steps 2^(k/2) from 2 to 65 536; only whole powers of 2 for a quick look.
pub(super) fn ladder(effort: Effort) -> Vec<u32> {
    let stride = if effort == Effort::Full { 1 } else { 2 };
    let power = |k: u32| libm::round(libm::exp2(0.5 * f64::from(k))) as u32;
    (2..=32).step_by(stride).map(power).collect()
}

impl Curve {
    /// Runs a method on a problem; runs that fail, as an implicit one with h λ ≥ 1 does, are left out.
    pub(super) fn measure(problem: &Problem, method: Method, effort: Effort) -> Self {
        let [y, dy] = problem.exact(problem.end);
        let mut points = Vec::new();
        for steps in ladder(effort) {
            let Ok(run) = run_problem(problem, method, (problem.end, steps), |_, _| {}) else {
                continue;
            };
            let error = size(problem, run.x[0].x - y, run.v[0].x - dy);
            points.push(Point { steps, error, cost: run.cost });
        }
        Self { method, scale: size(problem, y, dy), points }
    }

    /// Whether a method makes sense on a problem: Verlet needs a position to leap over.
    pub(super) fn applies(problem: &Problem, method: Method) -> bool {
        method != Method::Verlet || !is_first_order(problem)
    }

    /// −d log error / d log steps at the finest steps whose error is not rounding.
    pub(super) fn slope(&self) -> Option<f64> {
        let points: Vec<_> = self.points.iter().map(|p| (p.steps, p.error)).collect();
        slope(&points, FLOOR * self.scale)
    }

    /// Work from which on the error stays below a bound, between runs by straight lines in the
    /// logarithms.
    pub(super) fn work_for(&self, bound: f64) -> Option<f64> {
        let above = self.points.iter().rposition(|p| p.error.is_nan() || p.error > bound);
        let good = above.map_or(0, |k| k + 1);
        let b = self.points.get(good)?;
        let work = |p: &Point| libm::log(p.cost.work() as f64);
        let Some(a) = above.map(|k| &self.points[k]).filter(|a| a.error.is_finite()) else {
            return Some(b.cost.work() as f64);
        };
        let part = libm::log(a.error / bound) / libm::log(a.error / b.error.max(1e-300));
        Some(libm::exp(work(a) + part.clamp(0.0, 1.0) * (work(b) - work(a))))
    }

    /// Largest error of all runs.
    pub(super) fn worst(&self) -> f64 {
        self.points.iter().map(|p| p.error).fold(0.0, |a, b| if b <= a { a } else { b })
    }

    /// The curve of the diagram.
    pub(super) fn data(&self) -> Vec<(f64, f64)> {
        self.points.iter().map(|p| (p.cost.work() as f64, p.error)).collect()
    }
}

/// −d log error / d log steps over the last doubling whose errors are above a floor.
pub(super) fn slope(points: &[(u32, f64)], floor: f64) -> Option<f64> {
    let good = points.iter().rposition(|p| p.1 > floor && p.1.is_finite())?;
    let (fine, error) = points[good];
    let coarse = points[..good].iter().rev().find(|p| 2 * p.0 <= fine + 1)?;
    let ratio = f64::from(fine) / f64::from(coarse.0);
    Some(libm::log(coarse.1 / error) / libm::log(ratio)).filter(|s| s.is_finite())
}
