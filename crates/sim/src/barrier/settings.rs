//! Settings of the default solver.

use super::law::Law;
use super::rule::Rule;
use serde::{Deserialize, Serialize};

/// Settings of the default solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Barrier {
    /// Time integration.
    pub rule: Rule,
    /// The barrier function.
    pub law: Law,
    /// Activation distance: gap beyond the thickness at which the barrier begins [m]; 0 takes it from the mesh.
    pub dhat: f64,
    /// Pressure of the barrier at about half the activation distance [Pa]; 0 takes a hundred times the weight of the
    /// heaviest fabric.
    pub pressure: f64,
    /// Friction regularisation: sliding before friction has its full strength [m], epsv h of IPC; 0 takes a hundredth of the activation distance.
    pub epsu: f64,
    /// A step is solved when the predicted decrease of an iteration is below this fraction of that of a direction from rest …
    pub decrement: f64,
    /// … or no vertex moves faster [m/s].
    pub speed: f64,
    /// Most Newton iterations of a step.
    pub max_iterations: u32,
    /// Conjugate gradients end when an iteration gains less than this fraction, over their number, of the whole gain.
    pub linear_tolerance: f64,
    /// Most iterations of conjugate gradients.
    pub linear_iterations: u32,
}

impl Default for Barrier {
    fn default() -> Self {
        Self {
            rule: Rule::default(),
            law: Law::default(),
            dhat: 0.0,
            pressure: 0.0,
            epsu: 0.0,
            decrement: 1e-2,
            speed: 1e-3,
            max_iterations: 30,
            linear_tolerance: 0.05,
            linear_iterations: 300,
        }
    }
}
