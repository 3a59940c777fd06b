//! Barrier functions over the gap between two features.
//!
//! The stiffness of a barrier is a pressure times the area of a vertex, over the activation distance ĝ; so the energy of
//! [`Law::Log`] is p A ĝ (g/ĝ − 1)² ln(ĝ/g), the convergent form of the barrier, which does not depend on the mesh [li2023convergent].
//! [`Law::Cubic`] is finite where the gap closes. It has a stiffness of its own, from elasticity (`stiffness.rs`), and continuous
//! collision detection alone keeps it from closing.

use serde::{Deserialize, Serialize};

/// Value and derivatives of a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Value {
    /// b [m²].
    pub energy: f64,
    /// b′ [m], never positive.
    pub slope: f64,
    /// b″, never negative.
    pub curvature: f64,
}

/// The barrier function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// `−(g − ĝ)² ln(g/ĝ)` [li2020ipc, li2023convergent].
    #[default]
    Log,
    /// Quadratic down to half the activation distance, logarithmic below [chen2025ogc]: softer at first touch.
    TwoStage,
    /// `−2/(3ĝ) (g − ĝ)³`, as stiff as what is compressed: mass over the squared gap, and elasticity [ando2024].
    Cubic,
}

impl Law {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Log, Self::TwoStage, Self::Cubic];

    /// Its name in a scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::TwoStage => "two-stage",
            Self::Cubic => "cubic",
        }
    }

    /// Whether its stiffness follows from elasticity, instead of the pressure.
    pub(super) fn follows_elasticity(self) -> bool {
        self == Self::Cubic
    }

    /// The barrier at the gap `g` > 0 with activation distance `dhat`; zero beyond it.
    pub fn evaluate(self, g: f64, dhat: f64) -> Value {
        if g >= dhat {
            return Value::default();
        }
        match self {
            Self::Log => {
                let (q, d) = (g / dhat, g - dhat);
                let ln = libm::log(q);
                Value {
                    energy: -d * d * ln,
                    slope: -d * (2.0 * ln - 1.0 / q + 1.0),
                    curvature: (1.0 / q + 2.0) / q - 2.0 * ln - 3.0,
                }
            }
            Self::TwoStage => {
                let half = 0.5 * dhat;
                if g >= half {
                    let d = g - dhat;
                    return Value { energy: 0.5 * d * d, slope: d, curvature: 1.0 };
                }
                let quarter = half * half;
                Value {
                    energy: -quarter * (libm::log(g / half) - 0.5),
                    slope: -quarter / g,
                    curvature: quarter / (g * g),
                }
            }
            Self::Cubic => {
                let d = dhat - g;
                let q = d / dhat;
                Value { energy: 2.0 / 3.0 * q * d * d, slope: -2.0 * q * d, curvature: 4.0 * q }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_curvatures_match_differences_and_vanish_at_the_activation_distance() {
        let dhat = 2e-3;
        for law in Law::ALL {
            for g in [1e-6, 1e-4, 0.9e-3, 1.1e-3, 1.9e-3] {
                // Small against the distance to both ends, where it bends most.
                let h = 1e-4 * f64::min(g, dhat - g);
                let (a, b, c) =
                    (law.evaluate(g - h, dhat), law.evaluate(g, dhat), law.evaluate(g + h, dhat));
                let slope = (c.energy - a.energy) / (2.0 * h);
                let curvature = (c.slope - a.slope) / (2.0 * h);
                assert!((slope - b.slope).abs() < 1e-6 * b.slope.abs(), "{law:?} {g}");
                assert!((curvature - b.curvature).abs() < 1e-5 * b.curvature, "{law:?} {g}");
                assert!(b.slope < 0.0 && b.curvature > 0.0 && b.energy > 0.0);
            }
            assert_eq!(law.evaluate(dhat, dhat), Value::default());
            assert!(law.evaluate(dhat * (1.0 - 1e-9), dhat).energy < 1e-18);
        }
    }

    #[test]
    fn the_two_stages_meet_smoothly() {
        let (above, below) = (
            Law::TwoStage.evaluate(1e-3 * (1.0 + 1e-9), 2e-3),
            Law::TwoStage.evaluate(1e-3 * (1.0 - 1e-9), 2e-3),
        );
        assert!((above.energy - below.energy).abs() < 1e-8 * above.energy);
        assert!((above.slope - below.slope).abs() < 1e-8 * above.slope.abs());
    }
}
