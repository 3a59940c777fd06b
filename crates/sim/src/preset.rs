//! The systems of the papers, as bundles of settings.

use crate::settings::{
    Collision, Damping, Implicit, Integrator, Law, Method, Order, Response, Rule, Settings,
    Springs, Stiffness, StrainLimit, Zones,
};
use crate::sheet::{Bend, Stretch};
use serde::{Deserialize, Serialize};
use toile_collide::ccd::Ccd;
use toile_collide::prune::Prune;
use toile_collide::tree::{Build, Descend};
use toile_collide::volume::VolumeKind;
use toile_collide::{Arity, Options};

/// A named bundle of settings.
///
/// ```
/// use toile_sim::{Method, Preset};
///
/// assert_eq!(Preset::default(), Preset::Toile);
/// assert_eq!(Preset::Toile.settings().method, Method::Barrier);
/// assert_eq!(Preset::Provot97.name(), "provot97");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Measured fabrics, moments for bending, one potential with barriers: never an intersection.
    #[default]
    Toile,
    /// Provot's mass-spring cloth with zones of impact [provot1995, provot1997].
    Provot97,
    /// Liu, Ko and Chang's elastic surface, whose boxes do not collide [liu1998].
    Liu98,
    /// Paper A: mass-spring, Verlet, wind, an eightfold hierarchy of boxes, vertices moved out of bodies.
    AabbRealtime,
    /// Baraff and Witkin's conditions and one implicit step by constrained conjugate gradients [baraff1998].
    BaraffWitkin98,
    /// Springs, repulsion, impulses and rigid zones: the usual modern classic [bridson2002].
    Bridson02,
    /// Geneva: Volino's particle triangles, a blend of Euler and midpoint, regions with direction sets [eg2004garments].
    Geneva04,
    /// Tübingen: corotational elements, implicit Euler by one linear system, k-DOPs, constraints at bodies [eg2004garments].
    Tuebingen04,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 8] = [
        Self::Toile,
        Self::Provot97,
        Self::Liu98,
        Self::AabbRealtime,
        Self::BaraffWitkin98,
        Self::Bridson02,
        Self::Geneva04,
        Self::Tuebingen04,
    ];

    /// The presets that this build can run: without the feature `papers`, the default solver's alone.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|p| cfg!(feature = "papers") || *p == Self::Toile)
    }

    /// Its name in a scene and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Toile => "toile",
            Self::Provot97 => "provot97",
            Self::Liu98 => "liu98",
            Self::AabbRealtime => "aabb-realtime",
            Self::BaraffWitkin98 => "baraff-witkin98",
            Self::Bridson02 => "bridson02",
            Self::Geneva04 => "geneva04",
            Self::Tuebingen04 => "tuebingen04",
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
            Self::Liu98 => {
                "elastic surface on a grid, semi-implicit by Gauss-Seidel, boxes around triangles kept \
                 apart by limits on coordinates (Liu, Ko and Chang 1998)"
            }
            Self::AabbRealtime => {
                "mass-spring grid, Verlet with damping, strain limit 10 %, eightfold trees of boxes, vertices \
                 moved out of bodies; no self-collision (paper A)"
            }
            Self::BaraffWitkin98 => {
                "stretch and shear conditions, hinges, one linearised implicit step by constrained conjugate \
                 gradients, bodies as constraints, repulsion between cloth (Baraff and Witkin 1998)"
            }
            Self::Bridson02 => {
                "triangle springs, proximity repulsion, impulses with friction, rigid zones of impact \
                 (Bridson, Fedkiw and Anderson 2002)"
            }
            Self::Geneva04 => {
                "particle triangles, implicit blend of Euler and midpoint, merged regions with direction sets \
                 and contours, geometric response to proximities and collisions (Volino, EG 2004)"
            }
            Self::Tuebingen04 => {
                "corotational elements, implicit Euler by one linear system, 18-DOPs in fours with inflation, bodies as \
                 constraints, repulsion between cloth (EG 2004)"
            }
        }
    }

    /// Methods it is made of, by their ids.
    pub fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Toile => &["M9", "M11", "N6", "D2", "D3", "D6", "R7", "R8"],
            Self::Provot97 => &["M1", "M2", "N1", "D1", "D2", "D3", "D4a", "D6a", "R1", "R2"],
            Self::Liu98 => &["M10", "N10", "D4a", "R3"],
            Self::AabbRealtime => &["M1", "M2", "M12", "N5", "D3", "D4b", "R4"],
            Self::BaraffWitkin98 => &["M6", "M11", "N6", "N10", "R5", "R6"],
            Self::Bridson02 => &["M4", "M2", "N5", "D1", "D2", "D10", "R2", "R5", "R7"],
            Self::Geneva04 => &["M5", "M11", "N7", "N9", "D4d", "D6b", "D6c", "D6d", "R5"],
            Self::Tuebingen04 => &["M8", "M11", "N6", "N9", "D3", "D4c", "D5", "D6a", "R5", "R6"],
        }
    }

    /// Its settings.
    pub fn settings(self) -> Settings {
        match self {
            Self::Toile => toile(),
            Self::Provot97 => provot97(),
            Self::Liu98 => liu98(),
            Self::AabbRealtime => aabb_realtime(),
            Self::BaraffWitkin98 => baraff_witkin98(),
            Self::Bridson02 => bridson02(),
            Self::Geneva04 => geneva04(),
            Self::Tuebingen04 => tuebingen04(),
        }
    }
}

fn toile() -> Settings {
    Settings {
        step: 0.01,
        method: Method::Barrier,
        // Fabrics are as stiff as they were measured.
        strain_limit: StrainLimit { enabled: false, stretch: 0.04, ..StrainLimit::default() },
        ..Settings::classic()
    }
}

fn provot97() -> Settings {
    Settings {
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
        ..Settings::classic()
    }
}

fn liu98() -> Settings {
    Settings {
        // The paper does not tell its step. Threads are softened with its square: at 2 ms a cloth on a table is stretched
        // by 7 % on average, at 1 ms by 2 %.
        step: 1e-3,
        method: Method::Avoidance,
        stretch: Stretch::Terzopoulos,
        bend: Bend::Terzopoulos,
        stiffness: Stiffness::Stable,
        ..Settings::classic()
    }
}

fn aabb_realtime() -> Settings {
    Settings {
        step: 2e-3,
        springs: Springs::Grid,
        damping: Damping::Projected,
        stiffness: Stiffness::Stable,
        integrator: Integrator::Verlet { damping: 0.002 },
        strain_limit: StrainLimit { stretch: 0.1, ..StrainLimit::default() },
        collision: Collision {
            self_collision: false,
            response: Response::Geometric,
            tree: Options {
                volume: VolumeKind::Aabb,
                build: Build::Octant,
                arity: Arity::Eight,
                // A node with fewer than eight is not divided.
                leaf: 7,
                descend: Descend::Larger,
                prune: Prune::Nothing,
                ..Options::default()
            },
            ..Collision::default()
        },
        ..Settings::classic()
    }
}

fn baraff_witkin98() -> Settings {
    Settings {
        step: 0.01,
        method: Method::Implicit,
        stretch: Stretch::BaraffWitkin,
        bend: Bend::Hinge,
        strain_limit: StrainLimit { enabled: false, ..StrainLimit::default() },
        collision: Collision {
            response: Response::Constraints,
            repulsion: 2.0,
            impact_rounds: 0,
            zones: Zones::Off,
            ..Collision::default()
        },
        ..Settings::classic()
    }
}

fn bridson02() -> Settings {
    Settings {
        step: 1e-3,
        springs: Springs::Triangles,
        damping: Damping::Projected,
        stiffness: Stiffness::Stable,
        integrator: Integrator::Leapfrog,
        strain_limit: StrainLimit { stretch: 0.1, ..StrainLimit::default() },
        collision: Collision {
            law: Law::Impulse,
            repulsion: 2.0,
            impact_rounds: 4,
            zones: Zones::Rigid,
            ..Collision::default()
        },
        ..Settings::classic()
    }
}

fn geneva04() -> Settings {
    Settings {
        step: 5e-3,
        method: Method::Implicit,
        stretch: Stretch::Volino,
        bend: Bend::Hinge,
        implicit: Implicit { rule: Rule::Blend { theta: 0.9 }, ..Implicit::default() },
        strain_limit: StrainLimit { enabled: false, ..StrainLimit::default() },
        collision: Collision {
            repulsion: 2.0,
            impact_rounds: 4,
            zones: Zones::Off,
            feedback: 1,
            tree: Options {
                build: Build::RegionMerge,
                prune: Prune::Directions,
                ..Options::default()
            },
            ..Collision::default()
        },
        ..Settings::classic()
    }
}

fn tuebingen04() -> Settings {
    Settings {
        step: 5e-3,
        method: Method::Implicit,
        stretch: Stretch::Corotational,
        bend: Bend::Laplacian,
        // Rotations are those of the start of the step, so that it is one linear system.
        implicit: Implicit { rule: Rule::Euler, ..Implicit::default() },
        strain_limit: StrainLimit { enabled: false, ..StrainLimit::default() },
        collision: Collision {
            response: Response::Constraints,
            repulsion: 2.0,
            impact_rounds: 0,
            zones: Zones::Off,
            tree: Options {
                volume: VolumeKind::Dop18,
                build: Build::LongestAxis,
                arity: Arity::Four,
                inflation: 1e-3,
                prune: Prune::Cones,
                ..Options::default()
            },
            ..Collision::default()
        },
        ..Settings::classic()
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
