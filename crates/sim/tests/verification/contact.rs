//! Friction, restitution and rest.

use crate::scene::{G, assert_clean, centre_of_mass, floor, run, sheet, weightless};
use glam::{DMat3, DVec3};
use toile_sim::body::Shape;
use toile_sim::papers::integrate::Integrator;
use toile_sim::{Body, Collision, Fabric, Law, Settings, Surroundings, World};

const LAWS: [Law; 2] = [Law::Provot, Law::Impulse];

fn settings(law: Law, restitution: f64) -> Settings {
    Settings {
        collision: Collision { law, restitution, ..Collision::default() },
        ..Settings::classic()
    }
}

/// A sheet on the floor with gravity tilted by `slope` = tan α, friction 0.5, after a time.
/// Returns how far it slid, and how fast it is then.
fn slide(law: Law, body: Body, slope: f64, height: f64, seconds: f64) -> (f64, f64) {
    let angle = slope.atan();
    let gravity = DVec3::new(angle.sin(), -angle.cos(), 0.0) * G;
    let surroundings = Surroundings { bodies: vec![body], gravity, ..Surroundings::default() };
    let mut cloth = sheet(0.2, 4, DVec3::new(1.0, height, 0.5));
    cloth.fabric.friction = 0.5;
    let mut world = World::new(vec![cloth], surroundings, settings(law, 0.0)).unwrap();
    // Let it land and come to rest or slide before the clock starts.
    run(&mut world, 0.1);
    let (_, start) = centre_of_mass(&world);
    let early = world.momentum().0;
    run(&mut world, seconds);
    let (mass, end) = centre_of_mass(&world);
    assert_clean(&world, "slope");
    (end.x - start.x, (world.momentum().0 - early).x / mass)
}

fn slab() -> Body {
    let half = DVec3::new(20.0, 0.5, 1.0);
    Body::new("slab", Shape::Cuboid { centre: DVec3::Y * -0.5, half, rotation: DMat3::IDENTITY })
}

#[test]
fn a_sheet_on_a_slope_sticks_just_below_the_angle_of_friction() {
    for law in LAWS {
        for body in [floor(), slab()] {
            for height in [5e-4, 4e-4, 2e-3] {
                let (way, _) = slide(law, body.clone(), 0.5 * 0.98, height, 1.0);
                // A hair.
                assert!(way.abs() < 5e-5, "{law:?} {} from {height}: {way}", body.name);
            }
        }
    }
}

#[test]
fn a_sheet_on_a_slope_slides_just_above_it_and_as_fast_as_coulomb_says() {
    for law in LAWS {
        for body in [floor(), slab()] {
            for slope in [0.5 * 1.02, 0.7, 1.5] {
                for height in [5e-4, 2e-3] {
                    let angle = f64::atan(slope);
                    let expected = G * (angle.sin() - 0.5 * angle.cos());
                    let (way, speed) = slide(law, body.clone(), slope, height, 0.5);
                    let found = speed / 0.5;
                    assert!(
                        way > 0.0 && (found / expected - 1.0).abs() < 0.02,
                        "{law:?} {} {slope} from {height}: {found}, not {expected}",
                        body.name
                    );
                }
            }
        }
    }
}

#[test]
fn a_sheet_bounces_off_a_body_with_its_part_of_the_impact_speed() {
    for law in LAWS {
        for body in [floor(), slab()] {
            for restitution in [0.0, 0.3, 0.7, 1.0] {
                let surroundings = Surroundings { bodies: vec![body.clone()], ..weightless() };
                let cloth = sheet(0.2, 4, DVec3::new(2.0, 0.01, 0.5));
                let mut world =
                    World::new(vec![cloth], surroundings, settings(law, restitution)).unwrap();
                world.set_velocities(|_, _| DVec3::Y * -2.0);
                run(&mut world, 0.02);
                for v in &world.state().v {
                    let expected = DVec3::Y * 2.0 * restitution;
                    let what = (law, &body.name, restitution);
                    assert!((*v - expected).length() < 1e-9, "{what:?}: {v}, not {expected}");
                }
            }
        }
    }
}

#[test]
fn two_like_sheets_that_meet_head_on_part_with_the_bounce() {
    // Provot's law takes four particles as equals: it has no closed form here.
    {
        let law = Law::Impulse;
        for restitution in [0.0, 0.5, 1.0] {
            let cloths = [-0.01, 0.01].map(|y| sheet(0.2, 4, DVec3::Y * y)).to_vec();
            let mut world = World::new(cloths, weightless(), settings(law, restitution)).unwrap();
            let half = world.state().x.len() / 2;
            let side = |i: usize| if i < half { 1.0 } else { -1.0 };
            world.set_velocities(|i, _| DVec3::Y * side(i as usize));
            run(&mut world, 0.02);
            assert_clean(&world, "two sheets");
            let total: f64 = (0..2 * half).map(|i| -side(i) * world.state().v[i].y).sum();
            let mean = total / (2 * half) as f64;
            // Inelastic: single impacts leave some motion inside the sheets, but no mean speed.
            assert!((mean - restitution).abs() < 0.05, "{law:?} {restitution}: {mean}");
        }
    }
}

#[test]
fn what_lies_still_stays_still() {
    let ball = Body::new("ball", Shape::Sphere { centre: DVec3::Y * -1.0, radius: 1.0 });
    for law in LAWS {
        for (body, size) in [(floor(), 0.2), (slab(), 0.2), (ball.clone(), 0.04)] {
            for height in [5e-4, 2e-3] {
                let surroundings =
                    Surroundings { bodies: vec![body.clone()], ..Surroundings::default() };
                let mut cloth = sheet(size, 4, DVec3::Y * height);
                cloth.fabric = Fabric { friction: 0.5, ..Fabric::default() };
                let mut world = World::new(vec![cloth], surroundings, settings(law, 0.0)).unwrap();
                run(&mut world, 0.5);
                let start = world.state().x.clone();
                let (mut square, steps) = (0.0, 2000);
                for _ in 0..steps {
                    world.step().unwrap();
                    square += world.state().rms_speed().powi(2);
                }
                let rms = (square / f64::from(steps)).sqrt();
                let moved = world.state().x.iter().zip(&start).map(|(a, b)| a.distance(*b));
                let drift = moved.fold(0.0, f64::max);
                let what = format!("{law:?} {} from {height}", body.name);
                // Gravity gives g h in a step, and every step must take it away.
                assert!(rms <= G * 1e-3, "{what}: rms speed {rms}");
                assert!(drift < 1e-4, "{what}: drifts by {drift}");
                assert_clean(&world, &what);
            }
        }
    }
}

/// Largest total energy after the start, relative to the energy at the start, of two sheets thrown
/// at each other and on a ball.
fn energy_gain(law: Law, restitution: f64) -> f64 {
    let ball = Body::new("ball", Shape::Sphere { centre: DVec3::Y * -0.3, radius: 0.1 });
    let surroundings = Surroundings { bodies: vec![ball], ..weightless() };
    let mut cloths = [-0.1, 0.1].map(|y| sheet(0.3, 8, DVec3::Y * y)).to_vec();
    for cloth in &mut cloths {
        cloth.fabric = Fabric { friction: 0.0, ..Fabric::default() };
    }
    let mut world = World::new(cloths, surroundings, settings(law, restitution)).unwrap();
    world.set_velocities(|_, x| DVec3::Y * if x.y < 0.0 { -1.0 } else { -4.0 });
    let start = world.energy().total();
    let (mut largest, mut impacts) = (0.0_f64, 0);
    for _ in 0..300 {
        impacts += world.step().unwrap().impacts;
        largest = largest.max(world.energy().total() / start);
    }
    assert!(impacts > 100, "{impacts}");
    assert_clean(&world, "thrown sheets");
    largest
}

#[test]
fn collisions_add_no_energy() {
    for law in LAWS {
        for restitution in [0.0, 0.5, 1.0] {
            let gain = energy_gain(law, restitution);
            // Springs store and return energy to first order in hω ≤ 0.7.
            assert!(gain < 1.02, "{law:?} {restitution}: {gain}");
        }
    }
}

#[test]
fn linear_momentum_survives_contacts_and_zones() {
    for integrator in [Integrator::SymplecticEuler, Integrator::Leapfrog, Integrator::Rk4] {
        // Without impacts everything is left to zones.
        for (impact_rounds, step) in [(4, 1e-3), (4, 1e-2), (0, 5e-3)] {
            let mut zones = 0;
            let cloths = [-0.05, 0.05].map(|y| sheet(0.3, 8, DVec3::Y * y)).to_vec();
            let mut settings = Settings { step, integrator, ..settings(Law::Impulse, 0.2) };
            settings.collision.impact_rounds = impact_rounds;
            let mut world = World::new(cloths, weightless(), settings).unwrap();
            world.set_velocities(|_, x| {
                DVec3::new(1.0 + x.z, if x.y < 0.0 { 2.0 } else { -3.0 }, 4.0 * x.x)
            });
            let (before, _) = world.momentum();
            let mut impacts = 0;
            for _ in 0..100 {
                let report = world.step().unwrap();
                impacts += report.impacts;
                zones += report.zones;
            }
            let (after, _) = world.momentum();
            let busy = if impact_rounds == 0 { zones > 0 } else { impacts > 50 };
            assert!(busy, "{impacts} impacts, {zones} zones");
            let off = (after - before).length() / before.length();
            assert!(off < 1e-10, "{integrator:?}, {step} s: {before} {after}");
            assert_clean(&world, "thrown sheets");
        }
    }
}
