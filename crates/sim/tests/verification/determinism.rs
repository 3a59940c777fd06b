//! Same input, same bits: for any number of threads, in a copy, and after a restart.

use crate::scene::{floor, sheet};
use glam::DVec3;
use toile_sim::body::Shape;
use toile_sim::force::Wind;
use toile_sim::integrate::Integrator;
use toile_sim::{Body, Motion, Pin, Preset, Settings, Surroundings, World};

/// Three sheets fall fast on a ball that moves, one of them held at a corner, in gusts: contacts
/// of all kinds, and zones.
pub(crate) fn crowd(settings: Settings) -> World {
    let motion = Motion::Steady {
        velocity: DVec3::new(0.5, 0.2, 0.0),
        axis: DVec3::Z,
        turns_per_second: 1.0,
        centre: DVec3::Y * 0.2,
    };
    let shape = Shape::Capsule {
        a: DVec3::new(-0.1, 0.2, 0.0),
        b: DVec3::new(0.1, 0.2, 0.0),
        radius: 0.08,
    };
    let ball = Body { motion, ..Body::new("pin", shape) };
    let cloths = (0..3)
        .map(|k| sheet(0.4, 16, DVec3::new(0.01 * f64::from(k), 0.32 + 0.01 * f64::from(k), 0.0)))
        .collect();
    let surroundings = Surroundings {
        bodies: vec![ball, floor()],
        pins: vec![Pin { until: 0.05, ..Pin::still(vec![0, 16]) }],
        wind: Some(Wind { velocity: DVec3::X, gust: 0.5, ..Wind::default() }),
        ..Surroundings::default()
    };
    let mut world = World::new(cloths, surroundings, settings).unwrap();
    world.set_velocities(|_, x| DVec3::Y * (-20.0 * x.y));
    world
}

fn settings() -> Settings {
    Settings { step: 4e-3, ..Preset::Provot97.settings() }
}

/// Hashes after each step, and how many zones there were.
pub(crate) fn history(world: &mut World, steps: usize) -> (Vec<u64>, u32) {
    let mut zones = 0;
    let hashes = (0..steps)
        .map(|_| {
            zones += world.step().unwrap().zones;
            world.state().hash()
        })
        .collect();
    (hashes, zones)
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| history(&mut crowd(settings()), 60))
    };
    let (one, zones) = run(1);
    assert!(zones > 0, "the scene has zones");
    for threads in [2, 4] {
        let (other, _) = run(threads);
        let first = one.iter().zip(&other).position(|(a, b)| a != b);
        assert_eq!(first, None, "step at which {threads} threads part from one");
    }
}

#[test]
fn a_restored_state_goes_on_bit_for_bit() {
    for integrator in [
        Integrator::SymplecticEuler,
        Integrator::Rk4,
        Integrator::Leapfrog,
        Integrator::Verlet { damping: 0.001 },
    ] {
        let settings = Settings { integrator, ..settings() };
        let mut world = crowd(settings.clone());
        history(&mut world, 25);
        let mut fresh = crowd(settings);
        fresh.restore(world.state().clone()).unwrap();
        let (expected, _) = history(&mut world, 25);
        assert_eq!(history(&mut fresh, 25).0, expected, "{integrator:?}: a restored state");
    }
}

#[test]
fn a_state_of_another_scene_is_refused() {
    let mut world = crowd(settings());
    let mut state = world.state().clone();
    state.x.pop();
    assert!(world.restore(state).is_err());
}
