//! What the default solver can be told.

use super::law::Law;
use super::rule::Rule;
use serde::{Deserialize, Serialize};

/// Settings of the default solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Barrier {
    /// How time goes on.
    pub rule: Rule,
    /// How the barrier grows.
    pub law: Law,
    /// Gap at which the barrier begins, beyond the thickness [m]; 0 takes it from the mesh.
    pub reach: f64,
    /// Pressure of the barrier [Pa] at about half its reach; 0 takes a hundred times the weight of the
    /// heaviest fabric.
    pub pressure: f64,
    /// Sliding before friction has its full strength [m]; 0 takes a hundredth of the reach.
    pub slip: f64,
    /// A step is found when an iteration brings less than this part of what the first one brought …
    pub decrement: f64,
    /// … or no vertex moves faster [m/s].
    pub speed: f64,
    /// Most iterations of a step.
    pub max_iterations: u32,
    /// Linear systems end when an iteration brings less than this part, over their number, of what all brought.
    pub linear_tolerance: f64,
    /// Most iterations of each.
    pub linear_iterations: u32,
}

impl Default for Barrier {
    fn default() -> Self {
        Self {
            rule: Rule::default(),
            law: Law::default(),
            reach: 0.0,
            pressure: 0.0,
            slip: 0.0,
            decrement: 1e-2,
            speed: 1e-3,
            max_iterations: 30,
            linear_tolerance: 0.05,
            linear_iterations: 300,
        }
    }
}
