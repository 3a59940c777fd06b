//! Benchmarks of collision detection.
//!
//! | part | asks |
//! |---|---|
//! | [`detection`] | how cost grows with the mesh: exponents |
//! | [`collide`] | which methods are best, when: every choice of a detector on every scene |
//! | [`bodies`] | what fields, images and octrees of bodies cost, and how wrong they are |
//! | [`scenes`] | the surfaces that are measured |
//! | [`report`] | all that as tables and as a diagram |

pub mod bodies;
pub mod collide;
mod growth;
pub mod report;
pub mod scenes;

pub use growth::{Detection, Growth, Row, SIZES, Sheet, detection, detection_work};

use std::time::Instant;

/// How long some work takes [s], and what comes of it.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let clock = Instant::now();
    let made = work();
    (made, clock.elapsed().as_secs_f64())
}

/// The middle of some times; 0 if there are none.
fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}
