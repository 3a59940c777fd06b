use super::*;

/// A mass on a spring swinging about the origin: nonlinear, with damping in the second variant.
struct Pendulum {
    damping: f64,
}

impl Dynamics for Pendulum {
    fn acceleration(&mut self, _: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        for i in 0..x.len() {
            let length = x[i].length();
            a[i] = x[i] * (-20.0 * (length - 1.0) / length) - DVec3::Y * 9.81 - v[i] * self.damping;
        }
    }
}

fn run(integrator: Integrator, damping: f64, steps: u32) -> DVec3 {
    let (mut x, mut v) = ([DVec3::new(0.8, -0.7, 0.1)], [DVec3::new(0.0, 0.3, 1.0)]);
    let mut scratch = Scratch::default();
    let h = 1.0 / f64::from(steps);
    for i in 0..steps {
        let t = f64::from(i) * h;
        let first = i == 0;
        integrator.step(&mut Pendulum { damping }, &mut scratch, t, h, &mut x, &mut v, first);
    }
    x[0]
}

const ALL: [Integrator; 6] = [
    Integrator::ExplicitEuler,
    Integrator::SymplecticEuler,
    Integrator::Midpoint,
    Integrator::Rk4,
    Integrator::Leapfrog,
    Integrator::Verlet { damping: 0.0 },
];

#[test]
fn the_error_falls_with_the_order_of_the_method() {
    let exact = run(Integrator::Rk4, 0.0, 8192);
    for method in ALL {
        let coarse = if method.order() == 4 { 64 } else { 512 };
        let error = |n: u32| run(method, 0.0, n).distance(exact);
        let slope = (error(coarse) / error(2 * coarse)).log2();
        assert!((slope - f64::from(method.order())).abs() < 0.1, "{method:?}: slope {slope}");
    }
}

#[test]
fn damped_motion_has_the_order_too_where_the_method_promises_it() {
    let exact = run(Integrator::Rk4, 0.5, 8192);
    for method in [Integrator::ExplicitEuler, Integrator::Midpoint, Integrator::Rk4] {
        let coarse = if method.order() == 4 { 64 } else { 512 };
        let error = |n: u32| run(method, 0.5, n).distance(exact);
        let slope = (error(coarse) / error(2 * coarse)).log2();
        assert!((slope - f64::from(method.order())).abs() < 0.1, "{method:?}: slope {slope}");
    }
}

/// Whether an amplitude has left all bounds, NaN included.
fn grows(amplitude: f64) -> bool {
    amplitude.is_nan() || amplitude >= 1e6
}

/// x'' = −x from x = 1 at rest; largest |x| over many periods.
fn amplitude(method: Integrator, h: f64) -> f64 {
    struct Oscillator;
    impl Dynamics for Oscillator {
        fn acceleration(&mut self, _: f64, x: &[DVec3], _: &[DVec3], a: &mut [DVec3]) {
            a[0] = -x[0];
        }
    }
    let (mut x, mut v) = ([DVec3::X], [DVec3::ZERO]);
    let mut scratch = Scratch::default();
    let mut largest = 0.0_f64;
    for i in 0..20_000 {
        method.step(&mut Oscillator, &mut scratch, f64::from(i) * h, h, &mut x, &mut v, i == 0);
        largest = largest.max(x[0].x.abs());
    }
    largest
}

#[test]
fn the_stability_limits_are_those_of_theory() {
    for method in
        [Integrator::SymplecticEuler, Integrator::Leapfrog, Integrator::Verlet { damping: 0.0 }]
    {
        assert!(amplitude(method, 1.95) < 100.0, "{method:?}");
        assert!(grows(amplitude(method, 2.05)), "{method:?}");
    }
    assert!(amplitude(Integrator::Rk4, 2.8) < 1.1);
    assert!(grows(amplitude(Integrator::Rk4, 2.9)));
    assert!(grows(amplitude(Integrator::ExplicitEuler, 0.1)));
}

#[test]
fn verlet_damping_removes_the_given_part_of_the_velocity() {
    struct Free;
    impl Dynamics for Free {
        fn acceleration(&mut self, _: f64, _: &[DVec3], _: &[DVec3], a: &mut [DVec3]) {
            a.fill(DVec3::ZERO);
        }
    }
    let (mut x, mut v) = ([DVec3::ZERO], [DVec3::X]);
    let method = Integrator::Verlet { damping: 0.25 };
    method.step(&mut Free, &mut Scratch::default(), 0.0, 0.1, &mut x, &mut v, false);
    assert!((v[0].x - 0.75).abs() < 1e-15 && (x[0].x - 0.075).abs() < 1e-15);
}
