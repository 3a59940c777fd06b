//! Which methods a run uses, and with which numbers.

mod active;
mod avoidance;
mod classic;
mod implicit;
mod strain_limit;

pub use avoidance::{Avoidance, Search};
pub use classic::{BodyQuery, Damping, Integrator, Law, Response, Springs, Stiffness, Zones};
pub use implicit::{Implicit, LinearSolver, Newton, NewtonSettings, Rule};
pub use strain_limit::{Order, StrainLimit};

use crate::barrier::Barrier;
use crate::error::Error;
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
    /// How bodies are asked; the method `barrier` knows features alone.
    pub bodies: BodyQuery,
    /// Cell of what bodies are asked by [m]; 0 is a hundredth of their longest side.
    pub body_cell: f64,
    /// How far repulsion reaches, as a multiple of the distance kept (R5); 0 is none.
    pub repulsion: f64,
    /// What an impact does.
    pub law: Law,
    /// Bounce k_d: 0 is perfectly inelastic, 1 elastic.
    pub bounce: f64,
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
            bounce: 0.0,
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

    /// Refuses values that make no sense, by name.
    pub fn validate(&self) -> Result<(), Error> {
        let check = |ok: bool, key: &'static str, value: f64, rule: &str| {
            if ok {
                Ok(())
            } else {
                Err(Error::Setting { key, reason: format!("is {value:?}; {rule}") })
            }
        };
        let c = &self.collision;
        let l = &self.strain_limit;
        let in_range = |x: f64, lo: f64, hi: f64| x.is_finite() && x >= lo && x <= hi;
        check(
            in_range(self.step, 1e-7, 0.1),
            "solver.step",
            self.step,
            "it must be 1e-7 to 0.1 s",
        )?;
        check(
            in_range(c.separation, 0.0, 0.1),
            "solver.collision.separation",
            c.separation,
            "it must be 0 to 0.1 m",
        )?;
        check(
            in_range(c.cone_limit, 0.0, 1.57),
            "solver.collision.cone_limit",
            c.cone_limit,
            "it must be 0 to 1.57 rad: beyond a right angle a patch can fold",
        )?;
        check(
            in_range(c.tree.inflation, 0.0, 0.1),
            "solver.collision.tree.inflation",
            c.tree.inflation,
            "it must be 0 to 0.1 m",
        )?;
        check(
            (1..=4096).contains(&c.tree.leaf),
            "solver.collision.tree.leaf",
            c.tree.leaf as f64,
            "it must be 1 to 4096 triangles",
        )?;
        check(
            in_range(c.repulsion, 0.0, 10.0),
            "solver.collision.repulsion",
            c.repulsion,
            "it must be 0 to 10 times the distance kept",
        )?;
        check(
            in_range(c.body_cell, 0.0, 1.0),
            "solver.collision.body_cell",
            c.body_cell,
            "it must be 0 to 1 m; 0 is chosen by size",
        )?;
        if self.method == Method::Barrier && c.bodies != BodyQuery::Features {
            let reason = "must be \"features\" with the method \"barrier\", which meets every feature of a body".into();
            return Err(Error::Setting { key: "solver.collision.bodies", reason });
        }
        check(
            in_range(c.bounce, 0.0, 1.0),
            "solver.collision.bounce",
            c.bounce,
            "it must be 0 (no bounce) to 1 (elastic)",
        )?;
        check(
            in_range(l.stretch, 0.0, 10.0),
            "solver.strain_limit.stretch",
            l.stretch,
            "it must be 0 to 10, 0.1 is 10 %",
        )?;
        check(
            in_range(l.compression, 0.0, 1.0),
            "solver.strain_limit.compression",
            l.compression,
            "it must be 0 to 1, 1 is no limit",
        )?;
        let b = &self.barrier;
        let a = &self.avoidance;
        let barrier = [
            ("solver.avoidance.drag", a.drag, 0.0, 1e3, "it must be 0 to 1000 1/s"),
            ("solver.avoidance.rounds", f64::from(a.rounds), 1.0, 1e4, "it must be 1 to 10000"),
            ("solver.avoidance.tolerance", a.tolerance, 1e-14, 1e-2, "it must be 1e-14 to 0.01 m"),
            ("solver.avoidance.sweeps", f64::from(a.sweeps), 1.0, 1e6, "it must be 1 to 1000000"),
            (
                "solver.barrier.dhat",
                b.dhat,
                0.0,
                0.1,
                "it must be 0 to 0.1 m; 0 is chosen by the mesh",
            ),
            (
                "solver.barrier.pressure",
                b.pressure,
                0.0,
                1e9,
                "it must be 0 to 1e9 Pa; 0 is chosen",
            ),
            ("solver.barrier.epsu", b.epsu, 0.0, 0.1, "it must be 0 to 0.1 m; 0 is chosen"),
            ("solver.barrier.decrement", b.decrement, 0.0, 1.0, "it must be 0 to 1"),
            ("solver.barrier.speed", b.speed, 0.0, 1.0, "it must be 0 to 1 m/s"),
            (
                "solver.barrier.linear_tolerance",
                b.linear_tolerance,
                1e-14,
                0.9,
                "it must be 1e-14 to 0.9",
            ),
            (
                "solver.barrier.max_iterations",
                f64::from(b.max_iterations),
                1.0,
                1e5,
                "it must be 1 to 100000",
            ),
            (
                "solver.barrier.linear_iterations",
                f64::from(b.linear_iterations),
                1.0,
                1e6,
                "it must be 1 to 1000000",
            ),
        ];
        let n = &self.implicit.solve;
        let counts = [
            ("solver.collision.impact_rounds", c.impact_rounds, 10_000),
            ("solver.collision.zone_rounds", c.zone_rounds, 10_000),
            ("solver.collision.feedback", c.feedback, 1000),
            ("solver.strain_limit.sweeps", l.sweeps, 10_000),
            ("solver.implicit.solve.max_iterations", n.max_iterations, 100_000),
        ];
        for (key, value, most) in counts {
            let rule = format!("it must be 0 to {most}");
            check(value <= most, key, f64::from(value), &rule)?;
        }
        let tolerances = [
            ("solver.implicit.solve.tolerance", n.tolerance),
            ("solver.implicit.solve.linear_tolerance", n.linear_tolerance),
        ];
        for (key, value) in tolerances {
            check(in_range(value, 0.0, 1e12), key, value, "it must be 0 to 1e12")?;
        }
        for (key, value, lo, hi, rule) in barrier {
            check(in_range(value, lo, hi), key, value, rule)?;
        }
        if self.method != Method::Implicit && c.response == Response::Constraints {
            let reason = "is \"constraints\", which the method \"implicit\" alone can solve with: take \"impacts\"";
            return Err(Error::Setting { key: "solver.collision.response", reason: reason.into() });
        }
        if let Rule::Blend { theta } = self.implicit.rule {
            check(
                in_range(theta, 0.5, 1.0),
                "solver.implicit.rule.theta",
                theta,
                "it must be 0.5 (midpoint) to 1 (Euler)",
            )?;
        }
        if let Integrator::Verlet { damping } = self.integrator {
            check(
                in_range(damping, 0.0, 1.0),
                "solver.integrator.damping",
                damping,
                "it must be 0 to 1",
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_solvers_that_make_no_sense_are_refused_by_name() {
        let with = |change: &dyn Fn(&mut Settings)| {
            let mut settings = Settings::classic();
            change(&mut settings);
            settings.validate().map_err(|e| e.to_string())
        };
        assert!(with(&|_| {}).is_ok());
        let refused = |change: &dyn Fn(&mut Settings), key: &str| {
            let message = with(change).unwrap_err();
            assert!(message.contains(key), "{message}");
        };
        refused(&|s| s.barrier.dhat = -1.0, "solver.barrier.dhat");
        refused(&|s| s.barrier.pressure = f64::NAN, "solver.barrier.pressure");
        refused(&|s| s.barrier.max_iterations = 0, "solver.barrier.max_iterations");
        refused(&|s| s.barrier.linear_tolerance = 0.0, "solver.barrier.linear_tolerance");
        let field = |s: &mut Settings| {
            (s.method, s.collision.bodies) = (Method::Barrier, BodyQuery::Field);
        };
        refused(&field, "solver.collision.bodies");
        refused(&|s| s.implicit.rule = Rule::Blend { theta: 0.2 }, "solver.implicit.rule.theta");
    }
}
