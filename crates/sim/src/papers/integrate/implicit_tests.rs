//! Orders, damping, stability and failure of the implicit and the adaptive integrators.

use super::problems::{Complex, Problem, Scheme};
use super::*;
use crate::Fabric;
use crate::element::spring::{Kind, Spring, of_grid};
use crate::linear::{BlockCsr, Constraint, Filter, Pattern, Precondition};
use std::sync::Arc;
use toile_mesh::shape::{Diagonals, grid};

const DIRECT: NewtonSettings = NewtonSettings {
    newton: Newton::Exact,
    linear: LinearSolver::Direct,
    linear_tolerance: 1e-12,
    tolerance: 1e-11,
    max_iterations: 40,
    line_search: true,
};

const LINEARISED: NewtonSettings = NewtonSettings { newton: Newton::Linearised, ..DIRECT };

const RULES: [Rule; 4] = [Rule::Euler, Rule::Midpoint, Rule::Blend { theta: 0.75 }, Rule::Bdf2];

fn run<S: System>(
    system: &mut S,
    rule: Rule,
    settings: NewtonSettings,
    filter: Option<&Filter>,
    end: f64,
    steps: u32,
    x: &mut [DVec3],
    v: &mut [DVec3],
) -> Report {
    let mut integrator = Implicit::new(rule, settings, system.pattern()).unwrap();
    let h = end / f64::from(steps);
    let mut sum = Report::default();
    for i in 0..steps {
        let report = integrator.step(system, filter, f64::from(i) * h, h, x, v).unwrap();
        sum.iterations += report.iterations;
        sum.linear_iterations += report.linear_iterations;
        sum.matrices += report.matrices;
    }
    sum
}

/// A system, what holds it, and how it begins.
type Case = (SpringSystem, Filter, Vec<DVec3>, Vec<DVec3>);

/// A 5 × 5 patch that hangs from two corners, with a kick out of its plane.
fn patch() -> Case {
    let n = 4;
    let mesh = grid(0.2, 0.2, n, n, Diagonals::Alternating);
    let fabric = Fabric { weft: 2.0, warp: 3.0, shear: 0.5, ..Fabric::default() };
    let mut springs = of_grid(&mesh, n, n, &fabric);
    springs.iter_mut().for_each(|s| s.damping = 2e-4);
    let x: Vec<DVec3> = mesh.positions.iter().map(|p| *p * 1.03).collect();
    let v = (0..x.len() as u32).map(|i| DVec3::new(0.0, 0.1, 0.0) * f64::from(i % 3)).collect();
    let masses = vec![0.15 * 0.04 / 25.0; x.len()];
    let system = SpringSystem::new(masses, springs, DVec3::new(0.0, -9.81, 0.0), false).unwrap();
    let filter = Filter::new(x.len(), &[(0, Constraint::Fixed), (20, Constraint::Fixed)]).unwrap();
    let mut v: Vec<DVec3> = v;
    filter.project_free(&mut v);
    (system, filter, x, v)
}

/// A mass on a spring about an anchor that does not move.
fn pendulum() -> Case {
    let kind = Kind::Structural;
    let springs = vec![Spring { ends: [0, 1], kind, rest: 1.0, stiffness: 20.0, damping: 0.0 }];
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let system = SpringSystem::new(vec![1.0; 2], springs, gravity, false).unwrap();
    let filter = Filter::new(2, &[(0, Constraint::Fixed)]).unwrap();
    let x = vec![DVec3::ZERO, DVec3::new(0.8, -0.7, 0.1)];
    (system, filter, x, vec![DVec3::ZERO, DVec3::new(0.0, 0.3, 1.0)])
}

/// Where a system of springs is at time `end`, found by steps far smaller than any under test.
fn reference(make: fn() -> Case, end: f64) -> Vec<DVec3> {
    struct Held(SpringSystem, Filter);
    impl Dynamics for Held {
        fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
            self.0.acceleration(t, x, v, a);
            self.1.project_free(a);
        }
    }
    let (system, filter, mut x, mut v) = make();
    let mut method = DormandPrince::new(1e-13, 1e-4);
    method.integrate_to(&mut Held(system, filter), &mut 0.0, end, &mut x, &mut v).unwrap();
    x
}

fn distance(x: &[DVec3], y: &[DVec3]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x.distance_squared(*y)).sum::<f64>().sqrt()
}

#[test]
fn implicit_rules_have_their_order_on_springs() {
    let cases: [(fn() -> _, f64, u32); 2] = [(pendulum, 1.0, 400), (patch, 0.05, 100)];
    for (make, end, steps) in cases {
        let exact = reference(make, end);
        for rule in RULES {
            // First order needs shorter steps before h² no longer shows.
            let steps = if rule.order() == 1 { 8 * steps } else { steps };
            for settings in [DIRECT, LINEARISED] {
                let error = |steps: u32| {
                    let (mut system, filter, mut x, mut v) = make();
                    run(&mut system, rule, settings, Some(&filter), end, steps, &mut x, &mut v);
                    distance(&x, &exact)
                };
                let slope = (error(steps) / error(2 * steps)).log2();
                let order = f64::from(rule.order());
                assert!((slope - order).abs() < 0.1, "{rule:?} {:?}: {slope}", settings.newton);
            }
        }
    }
}

#[test]
fn bdf2_keeps_its_order_when_steps_change() {
    let exact = reference(pendulum, 1.0);
    let error = |n: u32| {
        let (mut system, filter, mut x, mut v) = pendulum();
        let mut integrator = Implicit::new(Rule::Bdf2, DIRECT, system.pattern()).unwrap();
        // Long and short by turns: ratios 2 and ½.
        let mut t = 0.0;
        for i in 0..2 * n {
            let h = if i % 2 == 0 { 2.0 } else { 1.0 } / f64::from(3 * n);
            integrator.step(&mut system, Some(&filter), t, h, &mut x, &mut v).unwrap();
            t += h;
        }
        distance(&x, &exact)
    };
    let slope = (error(300) / error(600)).log2();
    assert!((slope - 2.0).abs() < 0.1, "{slope}");
}

#[test]
fn every_method_has_its_order_on_every_test_problem() {
    for problem in Problem::all() {
        let [y, dy] = problem.exact(problem.end);
        let miss = |x: DVec3, v: DVec3| (x.x - y).hypot(v.x - dy);
        // Fine enough that h times the fastest rate is well below 1.
        let rate = (problem.stiffness / problem.masses()[0]).sqrt()
            + problem.damping.abs() / problem.masses()[0];
        let steps = (problem.end * rate * 16.0).ceil() as u32;
        for rule in RULES {
            let error = |steps: u32| {
                let (mut x, mut v) = problem.start();
                run(
                    &mut problem.clone(),
                    rule,
                    LINEARISED,
                    None,
                    problem.end,
                    steps,
                    &mut x,
                    &mut v,
                );
                miss(x[0], v[0])
            };
            // Euler damps by e^{−hω²t/2}; it takes short steps until that is linear in h.
            let steps = if rule.order() == 1 { 32 * steps } else { 4 * steps };
            let slope = (error(steps) / error(2 * steps)).log2();
            let order = f64::from(rule.order());
            assert!((slope - order).abs() < 0.1, "{} {rule:?}: {slope}", problem.name);
        }
        for method in [Integrator::ExplicitEuler, Integrator::Midpoint, Integrator::Rk4] {
            let error = |steps: u32| {
                let (mut x, mut v) = problem.start();
                let h = problem.end / f64::from(steps);
                for i in 0..steps {
                    let t = f64::from(i) * h;
                    method.step(
                        &mut problem.clone(),
                        &mut Scratch::default(),
                        t,
                        h,
                        &mut x,
                        &mut v,
                        false,
                    );
                }
                miss(x[0], v[0])
            };
            let steps = if method.order() == 1 { 32 * steps } else { 2 * steps };
            let slope = (error(steps) / error(2 * steps)).log2();
            let order = f64::from(method.order());
            assert!((slope - order).abs() < 0.1, "{} {method:?}: {slope}", problem.name);
        }
    }
}

#[test]
fn the_solutions_of_the_test_problems_are_solutions() {
    // The printed form of the overdamped one, and differences for all.
    let root = 15.0_f64.sqrt();
    let printed =
        |t: f64| ((0.5 * (-5.0 + root) * t).exp() - (-0.5 * (5.0 + root) * t).exp()) / root;
    for t in [0.0, 0.3, 2.0, 10.0] {
        assert!((Problem::overdamped().exact(t)[0] - printed(t)).abs() < 1e-14);
    }
    for mut problem in Problem::all() {
        assert_eq!(problem.exact(0.0), [problem.y, problem.velocity]);
        for t in [0.1, 0.5, 0.9] {
            let [before, now, after] = [t - 1e-5, t, t + 1e-5].map(|t| problem.exact(t));
            let mut a = [DVec3::ZERO];
            problem.acceleration(t, &[DVec3::X * now[0]], &[DVec3::X * now[1]], &mut a);
            let size = 1.0 + now[1].abs() + a[0].x.abs();
            assert!(
                ((after[0] - before[0]) / 2e-5 - now[1]).abs() < 1e-5 * size,
                "{}",
                problem.name
            );
            assert!(
                ((after[1] - before[1]) / 2e-5 - a[0].x).abs() < 1e-5 * size,
                "{}",
                problem.name
            );
        }
    }
}

/// y'' = −(a² + b²) y + 2 a y' has the solutions e^{(a ± ib)t}; w = y' − (a − ib) y follows y' = λ y
/// with λ = a + ib alone. The growth of w over a step of length 1; for BDF2, whose w follows
/// w₊ = α w + β w₋, the larger root of r² = α r + β with α and β found from four steps.
fn measured(scheme: Scheme, re: f64, im: f64) -> f64 {
    let stiffness = re * re + im * im;
    let mut problem = Problem::new("λ", [1.0, stiffness, -2.0 * re, 0.0], [0.3, 1.0, 1.0]);
    let (mut x, mut v) = problem.start();
    let rule = match scheme {
        Scheme::Theta(theta) => Rule::Blend { theta },
        _ => Rule::Bdf2,
    };
    let mut implicit = Implicit::new(rule, LINEARISED, problem.pattern()).unwrap();
    let mut w = Vec::new();
    for _ in 0..4 {
        w.push(Complex(v[0].x - re * x[0].x, im * x[0].x));
        let method = match scheme {
            Scheme::Explicit(1) => Integrator::ExplicitEuler,
            Scheme::Explicit(2) => Integrator::Midpoint,
            Scheme::Explicit(_) => Integrator::Rk4,
            _ => {
                implicit.step(&mut problem, None, 0.0, 1.0, &mut x, &mut v).unwrap();
                continue;
            }
        };
        method.step(&mut problem, &mut Scratch::default(), 0.0, 1.0, &mut x, &mut v, false);
    }
    if scheme != Scheme::Bdf2 {
        return w[1].abs() / w[0].abs();
    }
    let det =
        |a: Complex, b: Complex, c: Complex, d: Complex| a.times(d).plus(b.times(c).scaled(-1.0));
    let all = det(w[1], w[0], w[2], w[1]);
    let (alpha, beta) =
        (det(w[2], w[0], w[3], w[1]).over(all), det(w[1], w[2], w[2], w[3]).over(all));
    let root = alpha.times(alpha).plus(beta.scaled(4.0)).sqrt();
    let size = |s: f64| alpha.plus(root.scaled(s)).abs();
    0.5 * size(1.0).max(size(-1.0))
}

const SCHEMES: [Scheme; 7] = [
    Scheme::Explicit(1),
    Scheme::Explicit(2),
    Scheme::Explicit(4),
    Scheme::Theta(1.0),
    Scheme::Theta(0.75),
    Scheme::Theta(0.5),
    Scheme::Bdf2,
];

#[test]
fn growth_and_stability_regions_are_those_of_theory() {
    for scheme in SCHEMES {
        for i in 0..12 {
            for j in 0..8 {
                let (re, im) = (-3.3 + 0.3 * f64::from(i), 0.05 + 0.45 * f64::from(j));
                let (theory, practice) = (scheme.amplification(re, im), measured(scheme, re, im));
                assert!(
                    (theory - practice).abs() < 1e-9,
                    "{scheme:?} {re} {im}: {theory} {practice}"
                );
            }
        }
    }
    // Where the boundary |R| = 1 meets the axes.
    let edge = |scheme: Scheme, re: f64, im: f64| (scheme.amplification(re, im) - 1.0).abs() < 1e-6;
    assert!(edge(Scheme::Explicit(1), -2.0, 0.0) && edge(Scheme::Explicit(2), -2.0, 0.0));
    assert!(edge(Scheme::Explicit(4), -2.785_293_56, 0.0));
    assert!(edge(Scheme::Explicit(4), 0.0, 8.0_f64.sqrt()));
    assert!(edge(Scheme::Theta(1.0), 2.0, 0.0) && edge(Scheme::Theta(1.0), 1.0, 1.0));
    assert!(edge(Scheme::Theta(0.5), 0.0, 7.0) && edge(Scheme::Bdf2, 4.0, 0.0));
}

#[test]
fn growth_on_the_imaginary_axis_is_that_of_the_table() {
    // h ω: implicit Euler, midpoint, BDF2, RK4.
    let table = [
        (0.1, 0.995_037, 1.0, 0.999_976, 1.0 - 7e-9),
        (0.5, 0.894_427, 1.0, 0.990_401, 0.999_895),
        (1.0, std::f64::consts::FRAC_1_SQRT_2, 1.0, 0.933_321, 0.993_905),
        (2.0, 0.447_214, 1.0, 0.762_235, 0.745_356),
        (10.0, 0.099_504, 1.0, 0.300_750, f64::NAN),
    ];
    for (w, euler, midpoint, bdf2, rk4) in table {
        for (scheme, expected) in [
            (Scheme::Theta(1.0), euler),
            (Scheme::Theta(0.5), midpoint),
            (Scheme::Bdf2, bdf2),
            (Scheme::Explicit(4), rk4),
        ] {
            if !expected.is_nan() {
                assert!((measured(scheme, 0.0, w) - expected).abs() < 1e-6, "{scheme:?} {w}");
            }
        }
    }
    assert!((measured(Scheme::Explicit(4), 0.0, 10.0) - 399.7).abs() < 0.05);
}

#[test]
fn euler_damps_by_the_table_and_midpoint_keeps_the_energy() {
    let left = |rule: Rule, n: u32| {
        let mut problem =
            Problem::new("ω = 1", [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, std::f64::consts::TAU]);
        let (mut x, mut v) = problem.start();
        let end = problem.end;
        run(&mut problem, rule, LINEARISED, None, end, n, &mut x, &mut v);
        x[0].x.hypot(v[0].x)
    };
    for (n, expected) in [(20, 0.390), (100, 0.821), (1000, 0.980)] {
        assert!((left(Rule::Euler, n) - expected).abs() < 5e-4, "{n}");
        assert!((left(Rule::Midpoint, n) - 1.0).abs() < 1e-10, "{n}");
    }
    assert!((left(Rule::Bdf2, 100) - 0.99961).abs() < 1e-4);
}

#[test]
fn all_variants_of_newton_find_the_same_step() {
    let gradients =
        LinearSolver::Gradients { precondition: Precondition::BlockJacobi, max_iterations: 500 };
    let result = |newton: Newton, linear: LinearSolver| {
        let (mut system, filter, mut x, mut v) = patch();
        let settings =
            NewtonSettings { newton, linear, tolerance: 1e-9, max_iterations: 400, ..DIRECT };
        let report =
            run(&mut system, Rule::Euler, settings, Some(&filter), 0.05, 10, &mut x, &mut v);
        (x, report)
    };
    let (exact, full) = result(Newton::Exact, LinearSolver::Direct);
    let eta = 0.02;
    for newton in
        [Newton::Exact, Newton::Inexact { eta }, Newton::Simplified { eta }, Newton::Sparse { eta }]
    {
        for linear in [gradients, LinearSolver::Direct] {
            let (x, report) = result(newton, linear);
            assert!(distance(&x, &exact) < 1e-8, "{newton:?}");
            assert!(report.iterations >= full.iterations, "{newton:?}");
            match newton {
                Newton::Simplified { .. } => assert_eq!(report.matrices, 10),
                Newton::Sparse { .. } => assert_eq!(report.matrices, 1),
                _ => assert_eq!(report.matrices, report.iterations),
            }
        }
    }
}

#[test]
fn newton_converges_quadratically_near_the_solution() {
    let (mut system, filter, x, v) = patch();
    let settings = NewtonSettings { tolerance: 1e-12, ..DIRECT };
    let mut integrator = Implicit::new(Rule::Euler, settings, system.pattern()).unwrap();
    let mut residuals = Vec::new();
    for max_iterations in 1..6 {
        let settings = NewtonSettings { max_iterations, ..settings };
        let mut one = Implicit::new(Rule::Euler, settings, system.pattern()).unwrap();
        if let Err(StepError::NoConvergence { residual, .. }) =
            one.step(&mut system, Some(&filter), 0.0, 0.005, &mut x.clone(), &mut v.clone())
        {
            residuals.push(residual);
        }
    }
    assert!(residuals.len() >= 2, "{residuals:?}");
    for pair in residuals.windows(2).skip(1) {
        assert!(pair[1] < 0.05 * pair[0], "{residuals:?}");
    }
    integrator
        .step(&mut system, Some(&filter), 0.0, 0.005, &mut x.clone(), &mut v.clone())
        .unwrap();
}

/// Forces that stop being numbers beyond a distance, as a contact barrier's do.
struct Walled(Problem, f64);

impl System for Walled {
    fn masses(&self) -> &[f64] {
        self.0.masses()
    }
    fn pattern(&self) -> &Arc<Pattern> {
        self.0.pattern()
    }
    fn force(&mut self, t: f64, x: &[DVec3], v: &[DVec3], f: &mut [DVec3]) {
        self.0.force(t, x, v, f);
        if x[0].x.abs() > self.1 {
            f[0].x = f64::NAN;
        }
    }
    fn linearise(&mut self, t: f64, x: &[DVec3], v: &[DVec3], k: &mut BlockCsr, d: &mut BlockCsr) {
        self.0.linearise(t, x, v, k, d);
    }
}

#[test]
fn a_step_that_fails_leaves_the_state_and_a_shorter_one_may_do() {
    // At 100 m/s towards a wall 1 m away: only steps below 10 ms can succeed at first.
    let fast = Problem::new("fast", [1.0, 1e6, 0.0, 0.0], [0.0, 100.0, 1.0]);
    let mut system = Walled(fast, 0.2);
    let (mut x, mut v) = system.0.start();
    let (x0, v0) = (x, v);
    let mut integrator = Implicit::new(Rule::Bdf2, DIRECT, system.pattern()).unwrap();
    let error = integrator.step(&mut system, None, 0.0, 0.1, &mut x, &mut v).unwrap_err();
    assert!(matches!(error, StepError::NotFinite { vertex: 0 }), "{error:?}");
    assert_eq!((x, v), (x0, v0));
    let mut control = NewtonControl { h: 0.1, largest: 0.1, ..NewtonControl::default() };
    let mut t = 0.0;
    let counts = control
        .integrate_to(&mut integrator, &mut system, None, &mut t, 0.05, &mut x, &mut v)
        .unwrap();
    assert!(counts.failed > 0 && counts.steps > 1 && t == 0.05, "{counts:?}");
    // Nothing helps where every force is out of bounds.
    let mut hopeless = Walled(system.0.clone(), -1.0);
    let before = (x, v, t);
    let error =
        control.integrate_to(&mut integrator, &mut hopeless, None, &mut t, 0.1, &mut x, &mut v);
    assert!(matches!(error, Err(StepError::StepTooSmall { .. })));
    assert_eq!((x, v, t), before);
}

#[test]
fn an_easy_system_gets_longer_steps() {
    let (mut system, filter, mut x, mut v) = patch();
    let mut integrator =
        Implicit::new(Rule::Euler, NewtonSettings { tolerance: 1e-6, ..DIRECT }, system.pattern())
            .unwrap();
    let mut control = NewtonControl { h: 1e-4, easy: 6, hard: 12, ..NewtonControl::default() };
    let mut t = 0.0;
    let counts = control
        .integrate_to(&mut integrator, &mut system, Some(&filter), &mut t, 0.2, &mut x, &mut v)
        .unwrap();
    assert!(control.h > 1e-3 && counts.steps < 200, "{control:?} {counts:?}");
    assert!(x.iter().all(|x| x.is_finite()));
}

#[test]
fn a_compressed_spring_is_reported_as_indefinite_unless_projected() {
    let kind = Kind::Structural;
    let springs = vec![Spring { ends: [0, 1], kind, rest: 1.0, stiffness: 1e4, damping: 0.0 }];
    for project in [false, true] {
        let mut system =
            SpringSystem::new(vec![0.1; 2], springs.clone(), DVec3::ZERO, project).unwrap();
        let mut x = vec![DVec3::ZERO, DVec3::X * 0.3];
        let mut v = vec![DVec3::ZERO, DVec3::Y * 0.01];
        for settings in
            [LINEARISED, NewtonSettings { linear: LinearSolver::default(), ..LINEARISED }]
        {
            let mut integrator = Implicit::new(Rule::Euler, settings, system.pattern()).unwrap();
            let result = integrator.step(&mut system, None, 0.0, 0.05, &mut x, &mut v);
            match project {
                true => assert!(result.is_ok()),
                false => assert_eq!(result, Err(StepError::NotPositiveDefinite)),
            }
        }
    }
}

#[test]
fn dormand_prince_has_order_five_and_keeps_its_tolerance() {
    let exact = Problem::undamped().exact(10.0);
    let error = |steps: u32| {
        let mut problem = Problem::undamped();
        let (mut x, mut v) = problem.start();
        let mut method = DormandPrince::new(1e-6, 0.1);
        let h = 10.0 / f64::from(steps);
        for i in 0..steps {
            method.step(&mut problem, f64::from(i) * h, h, &mut x, &mut v);
        }
        (x[0].x - exact[0]).hypot(v[0].x - exact[1])
    };
    let slope = (error(200) / error(400)).log2();
    assert!((slope - 5.0).abs() < 0.1, "{slope}");
    // The error at the end goes with the tolerance, and fewer steps are taken where it allows.
    for problem in Problem::all() {
        let mut last = u32::MAX;
        for tolerance in [1e-9, 1e-7, 1e-5] {
            let (mut x, mut v) = problem.start();
            let mut method = DormandPrince::new(tolerance, 0.5);
            let mut t = 0.0;
            let steps = method
                .integrate_to(&mut problem.clone(), &mut t, problem.end, &mut x, &mut v)
                .unwrap();
            let [y, dy] = problem.exact(problem.end);
            let error = (x[0].x - y).hypot(v[0].x - dy) / (1.0 + dy.abs());
            assert!(error < 100.0 * tolerance, "{} {tolerance}: {error}", problem.name);
            assert!(t == problem.end && steps < last, "{} {steps}", problem.name);
            last = steps;
        }
    }
}

#[test]
fn dormand_prince_gives_up_on_forces_that_are_no_numbers() {
    struct Broken;
    impl Dynamics for Broken {
        fn acceleration(&mut self, _: f64, _: &[DVec3], _: &[DVec3], a: &mut [DVec3]) {
            a.fill(DVec3::NAN);
        }
    }
    let (mut x, mut v, mut t) = ([DVec3::X], [DVec3::Y], 0.0);
    let error =
        DormandPrince::new(1e-6, 0.1).integrate_to(&mut Broken, &mut t, 1.0, &mut x, &mut v);
    assert!(matches!(error, Err(StepError::StepTooSmall { .. })));
    assert_eq!((x[0], v[0], t), (DVec3::X, DVec3::Y, 0.0));
}
