//! Which methods a run uses, and with which numbers.

mod active;
mod avoidance;
mod classic;
mod implicit;
mod strain_limit;
mod validate;

pub use avoidance::{Avoidance, Search};
pub use classic::{BodyQuery, Damping, Integrator, Law, Response, Springs, Stiffness, Zones};
pub use implicit::{Implicit, LinearSolver, Newton, NewtonSettings, Rule};
pub use strain_limit::{Order, StrainLimit};

use crate::barrier::Barrier;
use crate::sheet::{Bend, Stretch};
use serde::{Deserialize, Serialize};
use toile_collide::ccd::Ccd;

/// Collision detection and response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Collision {
    /// Whether anything collides at all.
    pub enabled: bool,
    /// Whether cloth collides with itself and other cloth.
    pub self_collision: bool,
    /// Continuous collision detection of a pair.
    pub ccd: Ccd,
    /// Distance that is kept between features [m]; 0 takes the thickest fabric's thickness.
    pub separation: f64,
    /// What finds the pairs that may collide: volumes, hierarchy, pruning.
    pub tree: toile_collide::Options,
    /// Half-angle below which a patch is not tested against itself, if it is pruned by normal cones
    /// [rad]; 0 tests everything, whatever the pruning.
    pub cone_limit: f64,
    /// What is done about collisions with bodies.
    pub response: Response,
    /// How cloth queries bodies; the method `barrier` knows features alone.
    pub bodies: BodyQuery,
    /// Cell of what bodies are asked by [m]; 0 is a hundredth of their longest side.
    pub body_cell: f64,
    /// How far repulsion reaches, as a multiple of the distance kept (R5); 0 is none.
    pub repulsion: f64,
    /// What an impact does.
    pub law: Law,
    /// Coefficient of restitution k_d: 0 is perfectly inelastic, 1 elastic.
    #[serde(alias = "bounce")]
    pub restitution: f64,
    /// How often single impacts are tried before zones are formed; the paper tries once.
    pub impact_rounds: u32,
    /// What happens then.
    pub zones: Zones,
    /// How often zones may grow in one step.
    pub zone_rounds: u32,
    /// How often an implicit step is solved again with the velocities that contact gave, so that the cloth moves with what was
    /// stopped; 0 is never.
    pub feedback: u32,
}

impl Default for Collision {
    fn default() -> Self {
        Self {
            enabled: true,
            self_collision: true,
            ccd: Ccd::Separating,
            separation: 0.0,
            tree: toile_collide::Options::default(),
            cone_limit: toile_collide::prune::DEFAULT_LIMIT,
            response: Response::default(),
            bodies: BodyQuery::default(),
            body_cell: 0.0,
            repulsion: 0.0,
            law: Law::Impulse,
            restitution: 0.0,
            impact_rounds: 4,
            zones: Zones::Rigid,
            zone_rounds: 200,
            feedback: 0,
        }
    }
}

/// How a step is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Integrate, limit the strain, then respond to collisions, as the papers do.
    #[default]
    Classic,
    /// Integrate implicitly, then as above: the elements that `stretch` and `bend` choose.
    Implicit,
    /// Minimise one potential with all of it: never an intersection.
    Barrier,
    /// Solve an elastic surface within limits on its coordinates that avoid collisions (M10, R3) [liu1998].
    Avoidance,
}

/// All choices of a run.
///
/// ```
/// use toile_sim::{Preset, Settings};
///
/// let settings = Settings { step: 0.005, ..Preset::Toile.settings() };
/// settings.validate()?;
/// assert!(Settings { step: -1.0, ..settings }.validate().is_err());
/// # Ok::<(), toile_sim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Time step [s].
    pub step: f64,
    /// How a step is taken.
    pub method: Method,
    /// Whether cloth that begins intersecting is untangled before the first step; it is refused if not.
    pub untangle: bool,
    /// How cloth is made of springs.
    pub springs: Springs,
    /// The model in the plane, where elements are chosen.
    pub stretch: Stretch,
    /// The model of bending, where elements are chosen.
    pub bend: Bend,
    /// Which motion is damped.
    pub damping: Damping,
    /// Where the stiffness comes from.
    pub stiffness: Stiffness,
    /// Explicit time integration.
    pub integrator: Integrator,
    /// Implicit time integration, if the method is `implicit`.
    pub implicit: Implicit,
    /// Limit of the strain; the default solver has it as an energy of its own.
    pub strain_limit: StrainLimit,
    /// Collisions.
    pub collision: Collision,
    /// The default solver, if the method is `barrier`.
    pub barrier: Barrier,
    /// Limits that avoid collisions, if the method is `avoidance`.
    pub avoidance: Avoidance,
}

/// Those of the default solver: the preset `toile`.
impl Default for Settings {
    fn default() -> Self {
        crate::Preset::default().settings()
    }
}

impl Settings {
    /// Springs and impacts with the numbers that the systems of the papers share.
    pub fn classic() -> Self {
        Self {
            step: 1e-3,
            method: Method::Classic,
            untangle: true,
            springs: Springs::default(),
            stretch: Stretch::default(),
            bend: Bend::default(),
            damping: Damping::default(),
            stiffness: Stiffness::default(),
            integrator: Integrator::default(),
            implicit: Implicit::default(),
            strain_limit: StrainLimit::default(),
            collision: Collision::default(),
            barrier: Barrier::default(),
            avoidance: Avoidance::default(),
        }
    }
}
