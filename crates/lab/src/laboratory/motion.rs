//! Time: growth of oscillations, free fall, momentum.

use super::{Compare, Failure, Picture, Reading, Row, Setup, Test};
use crate::plot::{Figure, Plot};
use glam::DVec3;
use toile::Generator;
use toile_sim::papers::integrate::problems::{Problem, Scheme};
use toile_sim::papers::integrate::{
    Dynamics, Implicit, Integrator, LinearSolver, Newton, NewtonSettings, Rule, Scratch,
    SheetSystem, System,
};
use toile_sim::{Cloth, Fabric};

pub(super) const INTEGRATORS: Test = Test {
    id: "integrators",
    title: "Growth per step",
    about: "An undamped oscillation y′ = iωy is stepped; its amplitude grows or falls by the same \
            factor every step.",
    formula: "|R(ihω)|: implicit Euler 1/√(1 + h²ω²), midpoint 1, BDF2 the larger root of its \
              characteristic equation, RK4 |1 + z + z²/2 + z³/6 + z⁴/24| (Dahlquist 1963).",
    compare: Compare::Nothing,
    run: run_integrators,
    draw,
};

pub(super) const FALL: Test = Test {
    id: "free-fall",
    title: "Free fall",
    about: "A sheet falls freely, with every rule for stepping in time.",
    formula: "x = ½ g t², and ± ½ g h t for the Euler rules, which are known to be off by that; the \
              largest deviation of a vertex, of the way it fell.",
    compare: Compare::Default,
    run: run_fall,
    draw: |_, _| Ok(Vec::new()),
};

pub(super) const MOMENTUM: Test = Test {
    id: "momentum",
    title: "Momentum",
    about: "A sheet that is shaken and thrown keeps its momentum while it flies and wobbles.",
    formula: "Σ m v does not change; Σ m x × v does not either under the midpoint rule and leapfrog. \
              Change of all steps, of the sum of sizes.",
    compare: Compare::Default,
    run: run_momentum,
    draw: |_, _| Ok(Vec::new()),
};

/// A rule for steps, explicit or implicit.
#[derive(Clone, Copy, Debug)]
enum Step {
    Explicit(Integrator),
    Implicit(Rule),
}

impl Step {
    const ALL: [(&'static str, Self); 9] = [
        ("explicit Euler", Self::Explicit(Integrator::ExplicitEuler)),
        ("symplectic Euler", Self::Explicit(Integrator::SymplecticEuler)),
        ("explicit midpoint", Self::Explicit(Integrator::Midpoint)),
        ("RK4", Self::Explicit(Integrator::Rk4)),
        ("leapfrog", Self::Explicit(Integrator::Leapfrog)),
        ("Verlet", Self::Explicit(Integrator::Verlet { damping: 0.0 })),
        ("implicit Euler", Self::Implicit(Rule::Euler)),
        ("implicit midpoint", Self::Implicit(Rule::Midpoint)),
        ("BDF2", Self::Implicit(Rule::Bdf2)),
    ];

    /// Takes `n` steps of `h` from time zero; each state is shown to `see`.
    fn run<S: System + Dynamics>(
        self,
        system: &mut S,
        newton: Newton,
        (n, h): (usize, f64),
        x: &mut [DVec3],
        v: &mut [DVec3],
        mut see: impl FnMut(&[DVec3], &[DVec3]),
    ) -> Result<(), Failure> {
        let mut scratch = Scratch::default();
        let mut implicit = match self {
            Self::Implicit(rule) => {
                let settings = NewtonSettings {
                    newton,
                    linear: LinearSolver::Direct,
                    tolerance: 1e-13,
                    max_iterations: 200,
                    ..NewtonSettings::default()
                };
                Some(Implicit::new(rule, settings, system.pattern())?)
            }
            Self::Explicit(_) => None,
        };
        for step in 0..n {
            let t = step as f64 * h;
            match (self, &mut implicit) {
                (Self::Explicit(rule), _) => {
                    rule.step(system, &mut scratch, t, h, x, v, step == 0);
                }
                (_, Some(rule)) => {
                    rule.step(system, None, t, h, x, v)?;
                }
                _ => {}
            }
            see(x, v);
        }
        Ok(())
    }
}

const GROWTH: [(&str, Step, Scheme); 4] = [
    ("implicit Euler", Step::Implicit(Rule::Euler), Scheme::Theta(1.0)),
    ("implicit midpoint", Step::Implicit(Rule::Midpoint), Scheme::Theta(0.5)),
    ("BDF2", Step::Implicit(Rule::Bdf2), Scheme::Bdf2),
    ("RK4", Step::Explicit(Integrator::Rk4), Scheme::Explicit(4)),
];

fn run_integrators(_: &Setup) -> Result<Vec<Reading>, Failure> {
    let mut readings = Vec::new();
    for (name, step, scheme) in GROWTH {
        for z in [0.1, 1.0, 10.0] {
            let name = format!("{name} at hω = {z}");
            readings.push(Reading::new(name, growth(step, z)?, scheme.amplification(0.0, z), 1e-5));
        }
    }
    Ok(readings)
}

/// The factor of the last of many steps of length 1, at ω = `z`.
fn growth(step: Step, z: f64) -> Result<f64, Failure> {
    let mut oscillator = Problem::new("oscillator", [1.0, z * z, 0.0, 0.0], [1.0, 0.0, 1.0]);
    let (mut x, mut v) = oscillator.start();
    let mut sizes = Vec::new();
    // The second root of BDF2 has died away by then; what is left is one rotation and one factor.
    step.run(&mut oscillator, Newton::Linearised, (60, 1.0), &mut x, &mut v, |x, v| {
        sizes.push(libm::hypot(x[0].x, v[0].x / z));
    })?;
    Ok(sizes[59] / sizes[58])
}

/// A soft sheet, so that explicit rules are stable with steps of a millisecond.
fn sheet(setup: &Setup) -> Cloth {
    let (mesh, grid) = setup.mesh.rectangle([1.0; 2], [8, 8], |_| false);
    let fabric = Fabric {
        density: 0.2,
        weft: 10.0,
        warp: 10.0,
        shear: 3.0,
        bend_weft: 1e-4,
        bend_warp: 1e-4,
        ..Fabric::default()
    };
    Cloth { name: "sheet".into(), mesh, grid, fabric, pieces: Vec::new() }
}

fn system(setup: &Setup, cloth: &Cloth, gravity: DVec3) -> Result<SheetSystem, Failure> {
    let model = setup.model;
    Ok(SheetSystem::new(std::slice::from_ref(cloth), model.stretch, model.bend, &[], gravity)?)
}

fn run_fall(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let (n, h) = (100, 1e-3);
    let time = n as f64 * h;
    let cloth = sheet(setup);
    Step::ALL
        .into_iter()
        .map(|(name, step)| {
            let mut system = system(setup, &cloth, gravity)?;
            let start = &cloth.mesh.positions;
            let (mut x, mut v) = (start.clone(), vec![DVec3::ZERO; start.len()]);
            step.run(&mut system, Newton::Exact, (n, h), &mut x, &mut v, |_, _| {})?;
            let off = match step {
                Step::Explicit(Integrator::ExplicitEuler) => -0.5 * h * time,
                Step::Explicit(Integrator::SymplecticEuler) | Step::Implicit(Rule::Euler) => {
                    0.5 * h * time
                }
                _ => 0.0,
            };
            let way = gravity * (0.5 * time * time + off);
            let error = x.iter().zip(start).map(|(x, s)| x.distance(*s + way)).fold(0.0, f64::max);
            Ok(Reading::new(name, error / way.length(), 0.0, 1e-10))
        })
        .collect()
}

fn run_momentum(setup: &Setup) -> Result<Vec<Reading>, Failure> {
    let cloth = sheet(setup);
    let mut readings = Vec::new();
    for (name, step) in &Step::ALL[1..] {
        let (n, h) = match step {
            Step::Explicit(_) => (100, 1e-3),
            Step::Implicit(_) => (20, 5e-3),
        };
        let mut system = system(setup, &cloth, DVec3::ZERO)?;
        let mut dice = Generator::new(5);
        let mut vector = || {
            let mut roll = || dice.uniform(-1.0, 1.0);
            DVec3::new(roll(), roll(), roll())
        };
        let mut x: Vec<DVec3> =
            cloth.mesh.positions.iter().map(|p| *p * 1.05 + 0.005 * vector()).collect();
        let mut v: Vec<DVec3> =
            x.iter().map(|p| DVec3::new(1.0, 2.0 * p.x, -p.x) + 0.3 * vector()).collect();
        let masses = system.masses().to_vec();
        let total = |of: &dyn Fn(usize) -> DVec3| -> DVec3 {
            (0..masses.len()).map(|i| of(i) * masses[i]).sum()
        };
        let linear = |v: &[DVec3]| total(&|i| v[i]);
        let angular = |x: &[DVec3], v: &[DVec3]| total(&|i| x[i].cross(v[i]));
        let size: f64 = masses.iter().zip(&v).map(|(m, v)| m * v.length()).sum();
        let before = (linear(&v), angular(&x, &v));
        step.run(&mut system, Newton::Exact, (n, h), &mut x, &mut v, |_, _| {})?;
        let change = (linear(&v) - before.0).length() / size;
        readings.push(Reading::new(format!("linear, {name}"), change, 0.0, 1e-10));
        // Rules that are known to keep it: the midpoint keeps every quadratic invariant.
        if matches!(
            step,
            Step::Implicit(Rule::Midpoint)
                | Step::Explicit(Integrator::Leapfrog | Integrator::SymplecticEuler)
        ) {
            let change = (angular(&x, &v) - before.1).length() / size;
            readings.push(Reading::new(format!("angular, {name}"), change, 0.0, 1e-10));
        }
    }
    Ok(readings)
}

fn draw(_: &Setup, _: &[Row]) -> Result<Vec<Picture>, Failure> {
    let steps = || (0..=80).map(|k| libm::pow(10.0, -1.0 + f64::from(k) / 40.0));
    let mut plot =
        Plot::new("Growth of an oscillation per step").x("hω").log_x().y("|R|").y_range(0.0, 1.5);
    for (name, step, scheme) in GROWTH {
        let exact: Vec<(f64, f64)> = steps().map(|z| (z, scheme.amplification(0.0, z))).collect();
        let mut points = Vec::new();
        for z in [0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0] {
            points.push((z, growth(step, z)?));
        }
        plot = plot.line(name, &exact).points(name, &points);
    }
    let caption = "Lines are exact, points are measured.";
    Ok(vec![Picture::new(
        "lab-integrators",
        caption,
        &Figure::row([plot]).panel_size(560.0, 380.0),
    )])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_that_of_the_table() {
        // hω, implicit Euler, BDF2, RK4.
        let table = [
            [0.5, 0.894427, 0.990401, 0.999895],
            [1.0, std::f64::consts::FRAC_1_SQRT_2, 0.933321, 0.993905],
            [2.0, 0.447214, 0.762235, 0.745356],
        ];
        for [z, euler, bdf2, rk4] in table {
            for (k, expected) in [(0, euler), (1, 1.0), (2, bdf2), (3, rk4)] {
                let (name, step, _) = GROWTH[k];
                let found = growth(step, z).unwrap();
                assert!((found - expected).abs() < 2e-6, "{name} at {z}: {found}");
            }
        }
    }
}
