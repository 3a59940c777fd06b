//! One method on one problem, with its work counted.
//!
//! Work is the sum of force evaluations, matrices put together and linear systems solved, each
//! counted as one. Other weights move a curve sideways and leave its slope.

use glam::DVec3;
use std::sync::Arc;
use std::time::Instant;
use toile::Error;
use toile_sim::linear::{BlockCsr, Filter, Pattern, Precondition};
use toile_sim::papers::integrate::problems::{Problem, Scheme};
use toile_sim::papers::integrate::{
    DormandPrince, Dynamics, Implicit, Integrator, LinearSolver, Newton, NewtonSettings, Rule,
    Scratch, StepError, System,
};

/// An integrator as it is compared here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    Explicit(Integrator),
    /// Verlet with lagging velocities, brought to the time of the positions by a last half kick.
    Verlet,
    /// Order 5, with steps of fixed length.
    DormandPrince,
    Implicit(Rule),
    /// BDF2 with long and short steps by turns, 2 : 1.
    UnevenBdf2,
}

impl Method {
    pub(super) const EULER: Self = Self::Explicit(Integrator::ExplicitEuler);
    pub(super) const MIDPOINT: Self = Self::Explicit(Integrator::Midpoint);
    pub(super) const RK4: Self = Self::Explicit(Integrator::Rk4);
    pub(super) const IMPLICIT_EULER: Self = Self::Implicit(Rule::Euler);
    pub(super) const IMPLICIT_MIDPOINT: Self = Self::Implicit(Rule::Midpoint);
    pub(super) const BDF2: Self = Self::Implicit(Rule::Bdf2);

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Explicit(Integrator::ExplicitEuler) => "explicit Euler",
            Self::Explicit(Integrator::SymplecticEuler) => "symplectic Euler",
            Self::Explicit(Integrator::Midpoint) => "explicit midpoint",
            Self::Explicit(Integrator::Rk4) => "RK4",
            Self::Explicit(Integrator::Leapfrog) => "leapfrog",
            Self::Explicit(Integrator::Verlet { .. }) | Self::Verlet => "Verlet",
            Self::DormandPrince => "Dormand–Prince",
            Self::Implicit(Rule::Euler) => "implicit Euler",
            Self::Implicit(Rule::Midpoint) => "implicit midpoint",
            Self::Implicit(Rule::Blend { .. }) => "blend",
            Self::Implicit(Rule::Bdf2) => "BDF2",
            Self::UnevenBdf2 => "BDF2, uneven steps",
        }
    }

    /// Order of accuracy; methods that see an old velocity lose one where forces depend on it.
    pub(super) fn order(self, damped: bool) -> u32 {
        match self {
            Self::Verlet | Self::Explicit(Integrator::Leapfrog) if damped => 1,
            Self::Verlet | Self::UnevenBdf2 => 2,
            Self::DormandPrince => 5,
            Self::Explicit(method) => method.order(),
            Self::Implicit(rule) => rule.order(),
        }
    }

    pub(super) fn is_implicit(self) -> bool {
        matches!(self, Self::Implicit(_) | Self::UnevenBdf2)
    }

    /// Its growth on y' = λ y, for those that have a function of h λ alone.
    pub(super) fn scheme(self) -> Option<Scheme> {
        match self {
            Self::EULER => Some(Scheme::Explicit(1)),
            Self::MIDPOINT => Some(Scheme::Explicit(2)),
            Self::RK4 => Some(Scheme::Explicit(4)),
            Self::IMPLICIT_EULER => Some(Scheme::Theta(1.0)),
            Self::IMPLICIT_MIDPOINT => Some(Scheme::Theta(0.5)),
            Self::BDF2 => Some(Scheme::Bdf2),
            _ => None,
        }
    }
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    pub(super) evaluations: u64,
    pub(super) matrices: u64,
    pub(super) solves: u64,
    pub(super) seconds: f64,
}

impl Cost {
    pub(super) fn work(&self) -> u64 {
        self.evaluations + self.matrices + self.solves
    }
}

/// A system that counts what is asked of it, with what holds it.
pub(super) struct Counted<S> {
    pub(super) system: S,
    pub(super) filter: Option<Filter>,
    cost: Cost,
}

impl<S> Counted<S> {
    pub(super) fn new(system: S, filter: Option<Filter>) -> Self {
        Self { system, filter, cost: Cost::default() }
    }
}

impl<S: Dynamics> Dynamics for Counted<S> {
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.cost.evaluations += 1;
        self.system.acceleration(t, x, v, a);
        if let Some(filter) = &self.filter {
            filter.project_free(a);
        }
    }
}

impl<S: System> System for Counted<S> {
    fn masses(&self) -> &[f64] {
        self.system.masses()
    }

    fn pattern(&self) -> &Arc<Pattern> {
        self.system.pattern()
    }

    fn force(&mut self, t: f64, x: &[DVec3], v: &[DVec3], f: &mut [DVec3]) {
        self.cost.evaluations += 1;
        self.system.force(t, x, v, f);
    }

    fn linearise(&mut self, t: f64, x: &[DVec3], v: &[DVec3], k: &mut BlockCsr, d: &mut BlockCsr) {
        self.cost.matrices += 1;
        self.system.linearise(t, x, v, k, d);
    }
}

/// One Newton step is exact on a linear problem. Conjugate gradients, unlike the factorisation,
/// give the same bits on every processor.
const LINEAR: NewtonSettings = NewtonSettings {
    newton: Newton::Linearised,
    linear: LinearSolver::Gradients {
        precondition: Precondition::BlockJacobi,
        max_iterations: 200,
    },
    linear_tolerance: 1e-13,
    tolerance: 1e-12,
    max_iterations: 40,
    line_search: true,
};

/// Newton's method to the end, for what is not linear.
pub(super) const NONLINEAR: NewtonSettings =
    NewtonSettings { newton: Newton::Exact, tolerance: 1e-11, ..LINEAR };

/// Where a run ends, and what it took.
pub(super) struct Run {
    pub(super) x: Vec<DVec3>,
    pub(super) v: Vec<DVec3>,
    pub(super) cost: Cost,
}

/// Runs a method over `steps` equal steps; `each` sees the state after every step.
pub(super) fn run<S: System + Dynamics>(
    mut system: Counted<S>,
    (method, settings): (Method, NewtonSettings),
    (end, steps): (f64, u32),
    (mut x, mut v): (Vec<DVec3>, Vec<DVec3>),
    mut each: impl FnMut(&[DVec3], &[DVec3]),
) -> Result<Run, StepError> {
    let clock = Instant::now();
    let rule = match method {
        Method::Implicit(rule) => rule,
        _ => Rule::Bdf2,
    };
    let mut implicit = match method.is_implicit() {
        true => Some(Implicit::new(rule, settings, system.pattern())?),
        false => None,
    };
    let mut scratch = Scratch::default();
    let mut prince = DormandPrince::new(1.0, 1.0);
    let h = end / f64::from(steps);
    let filter = system.filter.clone();
    let mut t = 0.0;
    for i in 0..steps {
        let h = match method {
            Method::UnevenBdf2 if i % 2 == 0 => h * 4.0 / 3.0,
            Method::UnevenBdf2 => h * 2.0 / 3.0,
            _ => h,
        };
        match (&mut implicit, method) {
            (Some(implicit), _) => {
                let report = implicit.step(&mut system, filter.as_ref(), t, h, &mut x, &mut v)?;
                system.cost.solves += u64::from(report.iterations);
            }
            (None, Method::DormandPrince) => {
                prince.step(&mut system, t, h, &mut x, &mut v);
            }
            (None, _) => {
                let integrator = match method {
                    Method::Explicit(integrator) => integrator,
                    _ => Integrator::Verlet { damping: 0.0 },
                };
                integrator.step(&mut system, &mut scratch, t, h, &mut x, &mut v, i == 0);
            }
        }
        t += h;
        each(&x, &v);
    }
    if method == Method::Verlet {
        let mut a = vec![DVec3::ZERO; x.len()];
        system.acceleration(t, &x, &v, &mut a);
        v.iter_mut().zip(&a).for_each(|(v, a)| *v += 0.5 * h * *a);
    }
    let cost = Cost { seconds: clock.elapsed().as_secs_f64(), ..system.cost };
    Ok(Run { x, v, cost })
}

/// Runs a method on a test problem.
pub(super) fn run_problem(
    problem: &Problem,
    method: Method,
    (end, steps): (f64, u32),
    each: impl FnMut(&[DVec3], &[DVec3]),
) -> Result<Run, StepError> {
    let (x, v) = problem.start();
    let system = Counted::new(problem.clone(), None);
    run(system, (method, LINEAR), (end, steps), (x.to_vec(), v.to_vec()), each)
}

/// An integrator that fails where it should not.
pub(super) fn failed(method: Method, error: &StepError) -> Error {
    Error::request(
        format!("{}: {error}", method.name()),
        "this should not happen; please report it",
    )
}

/// Whether a problem is y' = λ y, whose unknown is the velocity alone.
pub(super) fn is_first_order(problem: &Problem) -> bool {
    problem.stiffness == 0.0
}

/// ‖(y, y')‖, or |y'| for y' = λ y.
pub(super) fn size(problem: &Problem, y: f64, dy: f64) -> f64 {
    if is_first_order(problem) { dy.abs() } else { libm::hypot(y, dy) }
}

/// Steps over which growth is looked for, twice.
const PROBE: u32 = 2000;

/// Largest step at which a method stays bounded on a problem, by trial and bisection; `None` if it
/// does at every step up to 10⁴ s, or not even at a hundredth of the problem's own time.
pub(super) fn largest_step(problem: &Problem, method: Method) -> Option<f64> {
    let rest = if is_first_order(problem) { 0.0 } else { problem.load / problem.stiffness };
    let bounded = |h: f64| {
        // Largest state of the first and of the second half.
        let (mut i, mut largest) = (0, [0.0_f64; 2]);
        let done = run_problem(problem, method, (h * f64::from(2 * PROBE), 2 * PROBE), |x, v| {
            let now = size(problem, x[0].x - rest, v[0].x);
            let half = &mut largest[usize::from(i >= PROBE)];
            // What is no number stays and fails the comparison below.
            if now.is_nan() || now > *half {
                *half = now;
            }
            i += 1;
        });
        // A hundredth more is where the samples fell on a wave.
        done.is_ok() && largest[1] <= 1.01 * largest[0]
    };
    let m = problem.masses()[0];
    let rate = libm::sqrt(problem.stiffness / m) + problem.damping.abs() / m;
    let (mut lo, mut hi) = (0.01 / rate, 1e4);
    if bounded(hi) || !bounded(lo) {
        return None;
    }
    while hi / lo > 1.0 + 1e-5 {
        let middle = libm::sqrt(lo * hi);
        *(if bounded(middle) { &mut lo } else { &mut hi }) = middle;
    }
    Some(lo)
}

/// The same from the stability function and the eigenvalues of the problem, or, for Verlet with an
/// old velocity, from its characteristic polynomial r² − (2 − h c − h² ω²) r + 1 − h c.
pub(super) fn largest_step_in_theory(problem: &Problem, method: Method) -> Option<f64> {
    let m = problem.masses()[0];
    let (c, w2) = (problem.damping / m, problem.stiffness / m);
    if method == Method::Verlet {
        // h² ω² + 2 h c = 4.
        return Some((libm::sqrt(c * c + 4.0 * w2) - c) / w2);
    }
    let scheme = method.scheme()?;
    let disc = 0.25 * c * c - w2;
    let root = libm::sqrt(disc.abs());
    let eigenvalues = match disc {
        _ if is_first_order(problem) => [(-c, 0.0); 2],
        d if d >= 0.0 => [(-0.5 * c - root, 0.0), (-0.5 * c + root, 0.0)],
        _ => [(-0.5 * c, root), (-0.5 * c, -root)],
    };
    let bounded =
        |h: f64| eigenvalues.iter().all(|(re, im)| scheme.amplification(h * re, h * im) <= 1.0);
    // The region is left once on each ray from 0 for the methods here; still, scan before halving.
    let ladder: Vec<f64> =
        (0..=1600).map(|k| 1e-4 * libm::pow(10.0, f64::from(k) / 200.0)).collect();
    let first = ladder.iter().position(|h| !bounded(*h))?;
    let (mut lo, mut hi) = (*ladder.get(first.checked_sub(1)?)?, ladder[first]);
    while hi - lo > 1e-14 * hi {
        let middle = 0.5 * (lo + hi);
        if middle <= lo || middle >= hi {
            break;
        }
        *(if bounded(middle) { &mut lo } else { &mut hi }) = middle;
    }
    Some(lo)
}
