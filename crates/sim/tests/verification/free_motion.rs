//! Motion without contact: free fall, momentum, energy, terminal velocity.

use crate::scene::{G, centre_of_mass, run, shake, sheet, springs_only, weightless};
use glam::DVec3;
use toile_sim::force::Wind;
use toile_sim::papers::integrate::Integrator;
use toile_sim::settings::{Order, StrainLimit};
use toile_sim::{Damping, Fabric, Settings, Stiffness, Surroundings, World};

/// All integrators, with the error of their free fall as a multiple of ½ g h t.
const FALLS: [(Integrator, f64); 6] = [
    (Integrator::ExplicitEuler, -1.0),
    (Integrator::SymplecticEuler, 1.0),
    (Integrator::Midpoint, 0.0),
    (Integrator::Rk4, 0.0),
    (Integrator::Leapfrog, 0.0),
    (Integrator::Verlet { damping: 0.0 }, 0.0),
];

#[test]
fn a_sheet_falls_as_its_integrator_says() {
    let h = 2e-3;
    for (integrator, error) in FALLS {
        let settings = Settings { step: h, integrator, ..Settings::classic() };
        let cloth = sheet(0.4, 6, DVec3::Y);
        let mut world = World::new(vec![cloth], Surroundings::default(), settings).unwrap();
        let start = world.state().x.clone();
        run(&mut world, 0.5);
        let t = world.state().time;
        let fall = DVec3::Y * -(0.5 * G * t * t + error * 0.5 * G * h * t);
        for (x, start) in world.state().x.iter().zip(start) {
            assert!((*x - start - fall).length() < 1e-11, "{integrator:?}: {x} {}", start + fall);
        }
    }
}

#[test]
fn limiting_the_strain_does_not_change_the_fall_of_the_centre_of_mass() {
    let h = 2e-3;
    for (integrator, error) in FALLS {
        for order in [Order::Given, Order::WorstFirst, Order::Jacobi] {
            let strain_limit = StrainLimit { order, ..StrainLimit::default() };
            let settings = Settings { step: h, integrator, strain_limit, ..springs_only() };
            let mut cloth = sheet(0.4, 6, DVec3::ZERO);
            // Stretched beyond the limit to begin with, and torn apart further.
            cloth.mesh = cloth.mesh.map_positions(|p| p * 1.3);
            let mut world = World::new(vec![cloth], Surroundings::default(), settings).unwrap();
            world.set_velocities(|_, x| x * 10.0);
            let (_, start) = centre_of_mass(&world);
            let mut limited = 0;
            for _ in 0..50 {
                limited += usize::from(world.step().unwrap().stretch > 0.1);
            }
            assert!(limited > 5, "the limit acts");
            let t = world.state().time;
            let fall = DVec3::Y * -(0.5 * G * t * t + error * 0.5 * G * h * t);
            let (_, end) = centre_of_mass(&world);
            // The mean of single corrections is no central force: order Jacobi drifts by design.
            if order != Order::Jacobi {
                let off = end - start - fall;
                assert!(off.length() < 1e-10, "{integrator:?} {order:?}: {off}");
            }
        }
    }
}

#[test]
fn springs_and_strain_limit_keep_linear_momentum() {
    for damping in [Damping::Projected, Damping::Isotropic] {
        for (integrator, _) in FALLS {
            let settings = Settings { integrator, damping, ..Settings::classic() };
            let mut world =
                World::new(vec![sheet(0.4, 8, DVec3::ONE)], weightless(), settings).unwrap();
            shake(&mut world, 3.0);
            let (before, _) = world.momentum();
            run(&mut world, 0.3);
            let (after, _) = world.momentum();
            assert!((after - before).length() < 1e-10, "{integrator:?}: {before} {after}");
        }
    }
}

#[test]
fn springs_keep_angular_momentum_and_the_strain_limit_to_first_order() {
    let drift = |limited: bool, h: f64| {
        let mut settings = Settings { step: h, ..springs_only() };
        settings.strain_limit.enabled = limited;
        let mut world =
            World::new(vec![sheet(0.4, 8, DVec3::ONE)], weightless(), settings).unwrap();
        shake(&mut world, 15.0);
        let (p, before) = world.momentum();
        assert!(p.length() > 1e-4 && before.length() > 1e-4);
        run(&mut world, 0.2);
        (world.momentum().1 - before).length() / before.length()
    };
    // Spring forces act along springs, and x⁺ × v⁺ = x × v⁺ for Euler with the new velocity.
    assert!(drift(false, 1e-3) < 1e-11);
    assert!(drift(false, 1e-4) < 1e-11);
    // Corrections act along the springs as they are at the end of the step, not at its begin.
    let (coarse, fine) = (drift(true, 4e-4), drift(true, 1e-4));
    assert!(coarse < 0.05 && fine < 0.5 * coarse, "{coarse} {fine}");
}

/// Largest relative deviation of the energy of an undamped sheet over 10⁴ steps.
fn energy_error(h: f64) -> f64 {
    let settings = Settings {
        step: h,
        integrator: Integrator::Leapfrog,
        stiffness: Stiffness::Fabric,
        ..springs_only()
    };
    let mut cloth = sheet(0.4, 4, DVec3::ZERO);
    cloth.fabric = Fabric { damping: 0.0, ..Fabric::default() };
    let mut world = World::new(vec![cloth], weightless(), settings).unwrap();
    shake(&mut world, 0.5);
    let start = world.energy().total();
    let mut worst = 0.0_f64;
    for _ in 0..10_000 {
        world.step().unwrap();
        worst = worst.max((world.energy().total() / start - 1.0).abs());
    }
    worst
}

#[test]
fn leapfrog_keeps_the_energy_to_second_order_over_ten_thousand_steps() {
    // The fastest mode has ω = 2·10³/s, so that (hω)² is 0.04 and 0.01.
    let (coarse, fine) = (energy_error(1e-4), energy_error(5e-5));
    assert!(coarse < 0.04 && fine < 0.01, "{coarse} {fine}");
    assert!((2.5..6.0).contains(&(coarse / fine)), "{coarse} {fine}");
}

#[test]
fn damping_only_takes_energy_away() {
    for damping in [Damping::Projected, Damping::Isotropic] {
        let settings = Settings {
            step: 5e-5,
            damping,
            integrator: Integrator::Rk4,
            stiffness: Stiffness::Fabric,
            ..springs_only()
        };
        let mut world =
            World::new(vec![sheet(0.4, 4, DVec3::ZERO)], weightless(), settings).unwrap();
        shake(&mut world, 0.5);
        let start = world.energy().total();
        let mut last = start;
        for _ in 0..2000 {
            world.step().unwrap();
            let now = world.energy().total();
            // The error of a step of order four: (hω)⁵ ~ 1e-5 of what is in the fastest mode.
            assert!(now <= last + 1e-5 * start, "{damping:?}: {last} {now}");
            last = now;
        }
        assert!(last < 0.8 * start, "{damping:?}: {start} {last}");
    }
}

#[test]
fn a_flat_sheet_sinks_at_its_terminal_velocity() {
    let wind = Wind::default();
    let surroundings = Surroundings { wind: Some(wind), ..Surroundings::default() };
    let mut world =
        World::new(vec![sheet(0.4, 6, DVec3::ZERO)], surroundings, Settings::classic()).unwrap();
    run(&mut world, 3.0);
    // m g = ½ ρ c A v² with air of 1.204 kg/m³; the approach has died down by e^−30.
    let fabric = Fabric::default();
    let speed = (2.0 * fabric.density * G / (1.204 * wind.normal_drag)).sqrt();
    for v in &world.state().v {
        assert!((*v + DVec3::Y * speed).length() < 1e-6 * speed, "{v}, not {speed}");
    }
}

#[test]
fn a_sheet_in_a_steady_wind_is_carried_along() {
    let wind =
        Wind { velocity: DVec3::new(2.0, 0.0, 1.0), tangential_drag: 1.0, ..Wind::default() };
    let surroundings = Surroundings { wind: Some(wind), ..weightless() };
    let mut cloth = sheet(0.2, 4, DVec3::ZERO);
    cloth.mesh = cloth.mesh.map_positions(|p| DVec3::new(0.0, p.x, p.z));
    let mut world = World::new(vec![cloth], surroundings, Settings::classic()).unwrap();
    run(&mut world, 5.0);
    let velocity = world.momentum().0 / centre_of_mass(&world).0;
    // v' = −c (v − u)² with c = ½ ρ c_n/σ ≈ 3.6/m: after t the difference is 1/(c t) and falling.
    assert!((velocity.x - 2.0).abs() < 1.0 / (3.6 * 5.0), "{velocity}");
}
