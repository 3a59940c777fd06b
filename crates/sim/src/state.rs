//! What changes during a run.

use crate::barrier::Anchors;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The step before, which multistep methods need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PreviousStep {
    /// Its length [s]; under the quasi-static rule the pseudo-time step τ²/h of the next one.
    pub h: f64,
    /// Positions at its start [m].
    pub x: Vec<DVec3>,
    /// Velocities at its start [m/s].
    pub v: Vec<DVec3>,
}

/// Positions and velocities of all vertices of all cloths.
///
/// ```
/// use glam::DVec3;
/// use toile_sim::State;
///
/// let state = State::at_rest(vec![DVec3::ZERO, DVec3::Y]);
/// assert_eq!((state.lowest(), state.rms_speed()), (0.0, 0.0));
/// assert_eq!(state.hash(), state.clone().hash());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Simulated time [s].
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Positions [m].
    pub x: Vec<DVec3>,
    /// Velocities [m/s].
    pub v: Vec<DVec3>,
    /// What friction sticks to.
    pub anchors: Anchors,
    /// The step before, if the integrator needs it.
    pub previous_step: Option<PreviousStep>,
    /// Where the sliders of the friction between threads are, in the order of the elements; empty if there are none, or
    /// all are at rest.
    pub slider_positions: Vec<f64>,
}

impl State {
    /// At rest.
    pub fn at_rest(x: Vec<DVec3>) -> Self {
        let v = vec![DVec3::ZERO; x.len()];
        Self { x, v, ..Self::default() }
    }

    /// Height of the lowest vertex [m]; infinite without vertices.
    pub fn lowest(&self) -> f64 {
        self.x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
    }

    /// Root mean square speed [m/s].
    pub fn rms_speed(&self) -> f64 {
        let n = self.v.len().max(1) as f64;
        (self.v.iter().map(|v| v.length_squared()).sum::<f64>() / n).sqrt()
    }

    /// A number that differs if any bit differs: FNV-1a over time, positions, velocities and sliders.
    pub fn hash(&self) -> u64 {
        let numbers = std::iter::once(self.time)
            .chain(self.x.iter().chain(&self.v).flat_map(|p| p.to_array()))
            .chain(self.slider_positions.iter().copied());
        let bytes = numbers.flat_map(|n| n.to_bits().to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_sees_the_last_bit() {
        let a = State::at_rest(vec![DVec3::ONE, DVec3::X]);
        let mut b = a.clone();
        assert_eq!(a.hash(), b.hash());
        b.x[1].z = f64::from_bits(1);
        assert_ne!(a.hash(), b.hash());
        let slid = |slip: f64| State { slider_positions: vec![0.0, slip], ..a.clone() }.hash();
        assert_ne!(slid(0.0), a.hash());
        assert_ne!(slid(0.0), slid(f64::from_bits(1)));
    }
}
