//! The systems of the papers, as bundles of settings.

use crate::integrate::Integrator;
use crate::settings::{Collision, Damping, Law, Method, Settings, Springs, Stiffness, Zones};
use crate::strain_limit::{Order, StrainLimit};
use serde::{Deserialize, Serialize};
use toile_collide::ccd::Ccd;

/// A named bundle of settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Measured fabrics, moments for bending, one potential with barriers: never an intersection.
    Toile,
    /// Provot's mass-spring cloth with zones of impact [provot1995, provot1997].
    #[default]
    Provot97,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 2] = [Self::Toile, Self::Provot97];

    /// Its name in a scene and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Toile => "toile",
            Self::Provot97 => "provot97",
        }
    }

    /// The preset of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// What it is, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Toile => {
                "orthotropic finite elements, Morley bending, implicit Euler by projected Newton, \
                 barriers and friction that sticks: no intersection at any step"
            }
            Self::Provot97 => {
                "mass-spring grid, explicit Euler, strain limit 10 %, continuous collision \
                 detection, impacts with friction, zones of impact (Provot 1995, 1997)"
            }
        }
    }

    /// Methods it is made of, by their ids.
    pub fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Toile => &["M9", "M11", "N6", "D2", "D3", "D6", "R7", "R8"],
            Self::Provot97 => &["M1", "M2", "N1", "D1", "D2", "D3", "D4a", "D6a", "R1", "R2"],
        }
    }

    /// Its settings.
    pub fn settings(self) -> Settings {
        match self {
            Self::Toile => Settings { step: 0.01, method: Method::Barrier, ..Settings::default() },
            Self::Provot97 => Settings {
                step: 1e-3,
                springs: Springs::Grid,
                damping: Damping::Projected,
                stiffness: Stiffness::Stable,
                // Provot moves with the new velocity: constant over the step, as his collision
                // detection needs it.
                integrator: Integrator::SymplecticEuler,
                strain_limit: StrainLimit {
                    stretch: 0.1,
                    compression: 0.1,
                    order: Order::Given,
                    ..StrainLimit::default()
                },
                collision: Collision {
                    ccd: Ccd::Separating,
                    law: Law::Provot,
                    impact_rounds: 4,
                    zones: Zones::Rigid,
                    ..Collision::default()
                },
                ..Settings::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_valid_and_found_by_its_name() {
        for preset in Preset::ALL {
            preset.settings().validate().unwrap();
            assert_eq!(Preset::from_name(preset.name()), Some(preset));
        }
        assert_eq!(Preset::from_name("provot"), None);
    }
}
