//! Extreme input gives an error or a finite result, in finite time, and never a panic.

use crate::scene::{assert_clean, floor, sheet, strip};
use glam::DVec3;
use std::time::{Duration, Instant};
use toile_sim::body::Shape;
use toile_sim::{Body, Cloth, Preset, Settings, Stiffness, Surroundings, World};

/// Steps until an error or the end; whatever state is reached must be finite and clean. Returns how
/// many steps were taken.
fn survive(what: &str, world: Result<World, toile_sim::Error>, steps: u32) -> u32 {
    let Ok(mut world) = world else { return 0 };
    let clock = Instant::now();
    let mut taken = 0;
    for _ in 0..steps {
        if world.step().is_err() {
            break;
        }
        taken += 1;
        assert!(clock.elapsed() < Duration::from_secs(60), "{what} hangs");
    }
    let state = world.state();
    assert!(state.x.iter().chain(&state.v).all(|p| p.is_finite()), "{what}");
    if state.x.iter().all(|p| p.abs().max_element() < 1e6) {
        assert_clean(&world, what);
    }
    taken
}

fn settings() -> Settings {
    Preset::Provot97.settings()
}

fn on_a_ball(
    cloths: Vec<Cloth>,
    radius: f64,
    settings: Settings,
) -> Result<World, toile_sim::Error> {
    let shape = Shape::Sphere { centre: DVec3::Y * -radius, radius };
    let bodies = vec![Body::new("ball", shape)];
    World::new(cloths, Surroundings { bodies, ..Surroundings::default() }, settings)
}

#[test]
fn huge_velocities() {
    for speed in [100.0, 1e4, 1e12, 1e200] {
        let mut world = on_a_ball(vec![sheet(0.4, 8, DVec3::Y * 0.1)], 0.2, settings());
        if let Ok(w) = &mut world {
            w.set_velocities(|_, x| DVec3::new(x.z, -1.0, x.x) * speed);
        }
        let taken = survive(&format!("{speed} m/s"), world, 30);
        assert!(speed > 100.0 || taken > 0, "100 m/s is not too fast");
    }
}

#[test]
fn two_sheets_at_a_hundred_metres_per_second() {
    let cloths = [-0.02, 0.02].map(|y| sheet(0.3, 8, DVec3::Y * y)).to_vec();
    let mut world = World::new(cloths, Surroundings::default(), settings()).unwrap();
    world.set_velocities(|_, x| DVec3::new(0.3, -x.y.signum(), 0.1) * 100.0);
    assert!(survive("thrown sheets", Ok(world), 30) > 0);
}

#[test]
fn the_largest_and_the_smallest_step() {
    for step in [0.1, 0.03, 1e-7] {
        let settings = Settings { step, ..settings() };
        let world = on_a_ball(vec![sheet(0.4, 8, DVec3::Y * 0.02)], 0.2, settings);
        assert!(survive(&format!("{step} s"), world, 40) > 0);
    }
    for step in [0.0, -1.0, 1.0, f64::NAN, f64::INFINITY] {
        let settings = Settings { step, ..settings() };
        assert!(on_a_ball(vec![sheet(0.4, 8, DVec3::Y)], 0.2, settings).is_err());
    }
}

#[test]
fn tiny_and_huge_sheets() {
    for size in [1e-3, 100.0] {
        let world = on_a_ball(vec![sheet(size, 8, DVec3::Y * 0.02 * size)], 0.3 * size, settings());
        survive(&format!("{size} m"), world, 200);
    }
}

#[test]
fn no_gravity_no_friction_all_friction_and_full_bounce() {
    for (friction, restitution) in [(0.0, 0.0), (100.0, 0.0), (0.0, 1.0), (100.0, 1.0)] {
        for gravity in [DVec3::ZERO, DVec3::Y * -9.81, DVec3::Y * -1e6] {
            let mut cloths = [0.01, 0.02].map(|y| sheet(0.3, 8, DVec3::Y * y)).to_vec();
            for cloth in &mut cloths {
                cloth.fabric.friction = friction;
            }
            let mut settings = settings();
            settings.collision.restitution = restitution;
            let surroundings =
                Surroundings { bodies: vec![floor()], gravity, ..Surroundings::default() };
            let world = World::new(cloths, surroundings, settings);
            let taken = survive(&format!("{friction} {restitution} {gravity}"), world, 60);
            assert!(gravity.length() > 10.0 || taken == 60);
        }
    }
}

#[test]
fn very_thin_triangles() {
    for width in [1e-3, 1e-5, 1e-8] {
        let cloth = strip(width, 0.3, [4, 8], DVec3::Y * 0.02);
        survive(&format!("{width} m wide"), on_a_ball(vec![cloth], 0.2, settings()), 60);
    }
}

#[test]
fn springs_too_stiff_for_the_step_fail_with_an_error() {
    let settings = Settings { step: 1e-2, stiffness: Stiffness::Fabric, ..settings() };
    let mut cloth = sheet(0.4, 8, DVec3::Y * 0.02);
    cloth.fabric.warp = 1e9;
    survive("too stiff", on_a_ball(vec![cloth], 0.2, settings), 40);
}

#[test]
fn cloth_that_begins_inside_a_body_or_through_itself_does_not_panic() {
    let world = World::new(
        vec![sheet(0.3, 8, DVec3::ZERO), sheet(0.3, 8, DVec3::ZERO)],
        Surroundings { bodies: vec![floor()], ..Surroundings::default() },
        settings(),
    );
    let mut world = world.unwrap();
    for _ in 0..20 {
        if world.step().is_err() {
            break;
        }
    }
    assert!(world.state().x.iter().all(|x| x.is_finite()));
}

#[test]
fn bad_cloth_is_refused_by_name() {
    let bad = |change: fn(&mut Cloth)| {
        let mut cloth = sheet(0.3, 4, DVec3::ZERO);
        change(&mut cloth);
        World::new(vec![cloth], Surroundings::default(), settings()).err().map(|e| e.to_string())
    };
    let cases: [fn(&mut Cloth); 5] = [
        |c| c.mesh.positions[3].x = f64::NAN,
        |c| c.mesh.triangles.clear(),
        |c| c.mesh.uv = vec![glam::DVec2::ZERO; c.mesh.uv.len()],
        |c| c.mesh.triangles[0] = c.mesh.triangles[1],
        |c| c.fabric.density = 0.0,
    ];
    for (i, change) in cases.into_iter().enumerate() {
        assert!(bad(change).is_some_and(|e| !e.is_empty()), "case {i} is accepted");
    }
}
