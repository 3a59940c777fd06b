//! How long the stages of a step take.
//!
//! The core asks no operating system for the time. Where there is one, the source is `std::time::Instant`; on
//! `wasm32-unknown-unknown` there is none: a host may give a function with [`set_source`], and until then all times are zero.
//! Times are reported ([`StageSeconds`](crate::StageSeconds)); nothing that is simulated depends on them.

use std::sync::OnceLock;

static SOURCE: OnceLock<fn() -> f64> = OnceLock::new();

/// Sets what tells the time [s], counted from any moment; for hosts without `std::time`.
///
/// The first call counts: returns whether this was it.
///
/// ```
/// fn frozen() -> f64 {
///     12.5
/// }
/// assert!(toile_sim::clock::set_source(frozen));
/// assert_eq!(toile_sim::clock::Clock::start().seconds(), 0.0);
/// ```
pub fn set_source(now: fn() -> f64) -> bool {
    SOURCE.set(now).is_ok()
}

/// The time now [s], counted from any moment.
fn now() -> f64 {
    SOURCE.get().map_or_else(system, |source| source())
}

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
fn system() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed().as_secs_f64()
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
fn system() -> f64 {
    0.0
}

/// A stop watch that runs.
///
/// ```
/// let clock = toile_sim::clock::Clock::start();
/// assert!(clock.seconds() >= 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: f64,
}

impl Clock {
    /// Starts it.
    pub fn start() -> Self {
        Self { start: now() }
    }

    /// Time since then [s].
    pub fn seconds(&self) -> f64 {
        now() - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_increases() {
        let clock = Clock::start();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let first = clock.seconds();
        assert!(first >= 2e-3 && clock.seconds() >= first, "{first}");
    }
}
