//! The order of every integrator on the oscillator and on a patch of cloth, within 0.1.
//!
//! The patch hangs from two corners, stretched and kicked, so that its forces are not linear in its
//! positions. Its exact course is that of Dormand–Prince with a tolerance of 1e-13; that of the
//! oscillator is known.

use glam::DVec3;
use toile_sim::element::Spring;
use toile_sim::element::spring::Kind;
use toile_sim::linear::{Constraint, Filter};
use toile_sim::papers::integrate::problems::Problem;
use toile_sim::papers::integrate::{
    DormandPrince, Dynamics, Implicit, Integrator, LinearSolver, Newton, NewtonSettings, Rule,
    Scratch, SpringSystem, System,
};

const SETTINGS: NewtonSettings = NewtonSettings {
    newton: Newton::Exact,
    linear: LinearSolver::Direct,
    linear_tolerance: 1e-12,
    tolerance: 1e-11,
    max_iterations: 40,
    line_search: true,
};

/// A system, what holds it, its beginning, and where it is at the end.
#[derive(Clone)]
struct Case<S> {
    system: S,
    filter: Filter,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    end: f64,
    exact: Vec<DVec3>,
}

impl<S: Dynamics> Dynamics for Case<S> {
    fn acceleration(&mut self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.system.acceleration(t, x, v, a);
        self.filter.project_free(a);
    }
}

fn oscillator() -> Case<Problem> {
    let system = Problem::undamped();
    let (x, v) = system.start();
    let filter = Filter::new(1, &[]).unwrap();
    let exact = vec![DVec3::X * system.exact(2.5)[0]];
    Case { end: 2.5, system, filter, x: x.into(), v: v.into(), exact }
}

fn patch(damping: f64) -> Case<SpringSystem> {
    const SIDE: u32 = 4;
    let cell = 0.05;
    let mut springs = Vec::new();
    let mut add = |ends: [u32; 2], rest: f64, stiffness: f64| {
        springs.push(Spring { ends, kind: Kind::Structural, rest, stiffness, damping });
    };
    for i in 0..SIDE {
        for j in 0..SIDE {
            let k = i * SIDE + j;
            if i + 1 < SIDE {
                add([k, k + SIDE], cell, 2.0);
            }
            if j + 1 < SIDE {
                add([k, k + 1], cell, 3.0);
            }
            if i + 1 < SIDE && j + 1 < SIDE {
                add([k, k + SIDE + 1], cell * 2.0_f64.sqrt(), 0.5);
                add([k + 1, k + SIDE], cell * 2.0_f64.sqrt(), 0.5);
            }
        }
    }
    let place = |k: u32| DVec3::new(f64::from(k / SIDE), 0.0, f64::from(k % SIDE)) * cell * 1.03;
    let x: Vec<DVec3> = (0..SIDE * SIDE).map(place).collect();
    let mut v: Vec<DVec3> =
        (0..SIDE * SIDE).map(|k| DVec3::new(0.02, 0.1, -0.03) * f64::from(k % 3)).collect();
    let held = [(0, Constraint::Fixed), (SIDE * (SIDE - 1), Constraint::Fixed)];
    let filter = Filter::new(x.len(), &held).unwrap();
    filter.project_free(&mut v);
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let system = SpringSystem::new(vec![4e-4; x.len()], springs, gravity, false).unwrap();
    let mut case = Case { system, filter, x: x.clone(), v, end: 0.03, exact: x };
    let (mut x, mut v) = (case.x.clone(), case.v.clone());
    let mut method = DormandPrince::new(1e-13, 1e-4);
    method.integrate_to(&mut case, &mut 0.0, 0.03, &mut x, &mut v).unwrap();
    Case { exact: x, ..case }
}

/// Order by the errors of positions with `steps` and twice as many.
fn slope<S>(case: &Case<S>, steps: u32, run: impl Fn(&mut Case<S>, u32)) -> f64
where
    S: Dynamics + Clone,
{
    let error = |steps: u32| {
        let mut case = case.clone();
        run(&mut case, steps);
        case.x.iter().zip(&case.exact).map(|(a, b)| a.distance_squared(*b)).sum::<f64>().sqrt()
    };
    (error(steps) / error(2 * steps)).log2()
}

fn explicit<S: Dynamics + Clone>(method: Integrator) -> impl Fn(&mut Case<S>, u32) {
    move |case: &mut Case<S>, steps: u32| {
        let (mut x, mut v, mut scratch) = (case.x.clone(), case.v.clone(), Scratch::default());
        let h = case.end / f64::from(steps);
        for i in 0..steps {
            let t = f64::from(i) * h;
            method.step(case, &mut scratch, t, h, &mut x, &mut v, i == 0);
        }
        case.x = x;
    }
}

/// Steps by turns `ratio` times as long as those between.
fn implicit<S: System>(rule: Rule, ratio: f64) -> impl Fn(&mut Case<S>, u32) {
    move |case: &mut Case<S>, steps: u32| {
        let mut integrator = Implicit::new(rule, SETTINGS, case.system.pattern()).unwrap();
        let short = 2.0 * case.end / f64::from(steps) / (1.0 + ratio);
        let mut t = 0.0;
        for i in 0..steps {
            let h = if i % 2 == 0 { ratio * short } else { short };
            let (x, v) = (&mut case.x, &mut case.v);
            integrator.step(&mut case.system, Some(&case.filter), t, h, x, v).unwrap();
            t += h;
        }
    }
}

fn dormand_prince<S: Dynamics + Clone>(case: &mut Case<S>, steps: u32) {
    let (mut x, mut v) = (case.x.clone(), case.v.clone());
    let mut method = DormandPrince::new(1.0, 1.0);
    let h = case.end / f64::from(steps);
    for i in 0..steps {
        method.step(case, f64::from(i) * h, h, &mut x, &mut v);
    }
    case.x = x;
}

/// Checks all methods on a case; with damping, those that see an old velocity have order 1.
/// `finest` is the number of steps for the orders 4 and 5: errors must stay above rounding.
fn check<S: Dynamics + System + Clone>(case: &Case<S>, damped: bool, finest: u32) {
    // First order needs short steps before h² no longer shows.
    let steps = |order: f64| match order as u32 {
        1 => 3200,
        2 => 400,
        _ => finest,
    };
    let near = |name: &str, order: f64, slope: f64| {
        assert!((slope - order).abs() < 0.1, "{name}: {slope} instead of {order}");
    };
    for method in [
        Integrator::ExplicitEuler,
        Integrator::SymplecticEuler,
        Integrator::Midpoint,
        Integrator::Rk4,
        Integrator::Leapfrog,
        Integrator::Verlet { damping: 0.0 },
    ] {
        let lagging = matches!(method, Integrator::Leapfrog | Integrator::Verlet { .. });
        let order = if damped && lagging { 1.0 } else { f64::from(method.order()) };
        near(&format!("{method:?}"), order, slope(case, steps(order), explicit(method)));
    }
    near("Dormand–Prince", 5.0, slope(case, steps(5.0), dormand_prince));
    let blend = Rule::Blend { theta: 0.75 };
    for (rule, ratio) in [
        (Rule::Euler, 1.0),
        (blend, 1.0),
        (Rule::Midpoint, 1.0),
        (Rule::Bdf2, 1.0),
        (Rule::Bdf2, 2.0),
        (Rule::Bdf2, 0.6),
    ] {
        let order = f64::from(rule.order());
        let slope = slope(case, steps(order), implicit(rule, ratio));
        near(&format!("{rule:?}, steps {ratio} : 1"), order, slope);
    }
}

#[test]
fn every_integrator_has_its_order_on_the_oscillator() {
    check(&oscillator(), false, 120);
}

#[test]
fn every_integrator_has_its_order_on_a_patch_of_cloth() {
    check(&patch(0.0), false, 60);
}

#[test]
fn only_those_that_see_an_old_velocity_lose_an_order_to_damping() {
    check(&patch(2e-4), true, 60);
}
