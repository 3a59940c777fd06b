//! Same input, same bits: for any number of threads, in a copy, and after a restart.

use crate::scene::{crowd, history};
use toile_sim::papers::integrate::Integrator;
use toile_sim::{Preset, Settings};

fn settings() -> Settings {
    Settings { step: 4e-3, ..Preset::Provot97.settings() }
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
