//! A step under way can be given up from outside, and leaves the state as it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use toile_mesh::shape::{Diagonals, grid};
use toile_sim::{Cloth, Error, Fabric, Preset, Settings, Surroundings, World};

fn world(settings: Settings, cells: usize) -> World {
    let cloth = Cloth {
        name: "sheet".into(),
        mesh: grid(1.0, 1.0, cells, cells, Diagonals::Alternating),
        grid: Some([cells, cells]),
        fabric: Fabric::default(),
        pieces: Vec::new(),
    };
    let pins = vec![toile_sim::Pin {
        vertices: vec![0],
        motion: toile_sim::Motion::Still,
        until: f64::INFINITY,
    }];
    let surroundings = Surroundings { pins, ..Surroundings::default() };
    World::new(vec![cloth], surroundings, settings).expect("a good world")
}

#[test]
fn a_step_that_does_not_end_is_given_up_and_the_state_stays() {
    let mut settings = Preset::default().settings();
    // Iterations that end only when nothing at all changes any more.
    settings.step = 0.1;
    settings.barrier.decrement = 0.0;
    settings.barrier.speed = 0.0;
    settings.barrier.max_iterations = 100_000;
    let mut world = world(settings, 100);
    let flag = Arc::new(AtomicBool::new(false));
    world.stop_with(Arc::clone(&flag));
    let before = world.state().hash();
    let raised = Arc::clone(&flag);
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        raised.store(true, Ordering::Relaxed);
    });
    assert_eq!(world.step().unwrap_err(), Error::Stopped { step: 0 });
    other.join().expect("it ends");
    assert_eq!(world.state().hash(), before);
}

#[test]
fn every_method_stops_before_a_step_and_goes_on_as_if_nothing_had_been() {
    for preset in Preset::available() {
        let steps = |world: &mut World| (0..3).for_each(|_| drop(world.step().expect("steps")));
        let mut whole = world(preset.settings(), 4);
        steps(&mut whole);
        let mut stopped = world(preset.settings(), 4);
        let flag = Arc::new(AtomicBool::new(true));
        stopped.stop_with(Arc::clone(&flag));
        assert_eq!(stopped.step().unwrap_err(), Error::Stopped { step: 0 }, "{preset:?}");
        // Also after its memory was given back.
        stopped.release_solver();
        assert_eq!(stopped.step().unwrap_err(), Error::Stopped { step: 0 }, "{preset:?}");
        flag.store(false, Ordering::Relaxed);
        steps(&mut stopped);
        assert_eq!(stopped.state().hash(), whole.state().hash(), "{preset:?}");
    }
}
