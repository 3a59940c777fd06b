//! Settings that make no sense are refused by name.

use super::{BodyQuery, Integrator, Method, Response, Rule, Settings};
use crate::error::Error;

/// Refuses a value outside of `lo..=hi`; `rule` says in a sentence what is allowed.
fn in_range(key: &'static str, value: f64, lo: f64, hi: f64, rule: &str) -> Result<(), Error> {
    if value.is_finite() && value >= lo && value <= hi {
        return Ok(());
    }
    Err(Error::Setting { key, reason: format!("is {value:?}; {rule}") })
}

/// Refuses a count above `largest`.
fn at_most(key: &'static str, value: u32, largest: u32) -> Result<(), Error> {
    let rule = format!("it must be 0 to {largest}");
    in_range(key, f64::from(value), 0.0, f64::from(largest), &rule)
}

fn refused(key: &'static str, reason: &str) -> Error {
    Error::Setting { key, reason: reason.into() }
}

impl Settings {
    /// Refuses values that make no sense, by name.
    ///
    /// # Errors
    /// [`Error::Setting`] with the first such key and what it may be.
    pub fn validate(&self) -> Result<(), Error> {
        in_range("solver.step", self.step, 1e-7, 0.1, "it must be 1e-7 to 0.1 s")?;
        self.validate_collision()?;
        self.validate_strain_limit()?;
        self.validate_integration()?;
        self.validate_avoidance()?;
        self.validate_barrier()
    }

    fn validate_collision(&self) -> Result<(), Error> {
        let c = &self.collision;
        let ranges = [
            ("solver.collision.separation", c.separation, 0.1, "it must be 0 to 0.1 m"),
            (
                "solver.collision.cone_limit",
                c.cone_limit,
                1.57,
                "it must be 0 to 1.57 rad: beyond a right angle a patch can fold",
            ),
            ("solver.collision.tree.inflation", c.tree.inflation, 0.1, "it must be 0 to 0.1 m"),
            (
                "solver.collision.repulsion",
                c.repulsion,
                10.0,
                "it must be 0 to 10 times the distance kept",
            ),
            (
                "solver.collision.body_cell",
                c.body_cell,
                1.0,
                "it must be 0 to 1 m; 0 is chosen by size",
            ),
            (
                "solver.collision.restitution",
                c.restitution,
                1.0,
                "it must be 0 (perfectly inelastic) to 1 (elastic)",
            ),
        ];
        for (key, value, largest, rule) in ranges {
            in_range(key, value, 0.0, largest, rule)?;
        }
        let leaf = c.tree.leaf as f64;
        in_range(
            "solver.collision.tree.leaf",
            leaf,
            1.0,
            4096.0,
            "it must be 1 to 4096 triangles",
        )?;
        at_most("solver.collision.impact_rounds", c.impact_rounds, 10_000)?;
        at_most("solver.collision.zone_rounds", c.zone_rounds, 10_000)?;
        at_most("solver.collision.feedback", c.feedback, 1000)?;
        if self.method == Method::Barrier && c.bodies != BodyQuery::Features {
            return Err(refused(
                "solver.collision.bodies",
                "must be \"features\" with the method \"barrier\", which meets every feature of a body",
            ));
        }
        if self.method != Method::Implicit && c.response == Response::Constraints {
            return Err(refused(
                "solver.collision.response",
                "is \"constraints\", which the method \"implicit\" alone can solve with: take \"impacts\"",
            ));
        }
        Ok(())
    }

    fn validate_strain_limit(&self) -> Result<(), Error> {
        let l = &self.strain_limit;
        let key = "solver.strain_limit.stretch";
        in_range(key, l.stretch, 0.0, 10.0, "it must be 0 to 10, 0.1 is 10 %")?;
        let key = "solver.strain_limit.compression";
        in_range(key, l.compression, 0.0, 1.0, "it must be 0 to 1, 1 is no limit")?;
        at_most("solver.strain_limit.sweeps", l.sweeps, 10_000)
    }

    fn validate_integration(&self) -> Result<(), Error> {
        let n = &self.implicit.solve;
        at_most("solver.implicit.solve.max_iterations", n.max_iterations, 100_000)?;
        let tolerances = [
            ("solver.implicit.solve.tolerance", n.tolerance),
            ("solver.implicit.solve.linear_tolerance", n.linear_tolerance),
        ];
        for (key, value) in tolerances {
            in_range(key, value, 0.0, 1e12, "it must be 0 to 1e12")?;
        }
        if let Rule::Blend { theta } = self.implicit.rule {
            let rule = "it must be 0.5 (midpoint) to 1 (Euler)";
            in_range("solver.implicit.rule.theta", theta, 0.5, 1.0, rule)?;
        }
        if let Integrator::Verlet { damping } = self.integrator {
            in_range("solver.integrator.damping", damping, 0.0, 1.0, "it must be 0 to 1")?;
        }
        Ok(())
    }

    fn validate_avoidance(&self) -> Result<(), Error> {
        let a = &self.avoidance;
        let ranges = [
            ("solver.avoidance.drag", a.drag, 0.0, 1e3, "it must be 0 to 1000 1/s"),
            ("solver.avoidance.rounds", f64::from(a.rounds), 1.0, 1e4, "it must be 1 to 10000"),
            ("solver.avoidance.tolerance", a.tolerance, 1e-14, 1e-2, "it must be 1e-14 to 0.01 m"),
            ("solver.avoidance.sweeps", f64::from(a.sweeps), 1.0, 1e6, "it must be 1 to 1000000"),
        ];
        ranges
            .into_iter()
            .try_for_each(|(key, value, lo, hi, rule)| in_range(key, value, lo, hi, rule))
    }

    fn validate_barrier(&self) -> Result<(), Error> {
        let b = &self.barrier;
        let (newton, linear) = (f64::from(b.max_iterations), f64::from(b.linear_iterations));
        let ranges = [
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
            ("solver.barrier.max_iterations", newton, 1.0, 1e5, "it must be 1 to 100000"),
            ("solver.barrier.linear_iterations", linear, 1.0, 1e6, "it must be 1 to 1000000"),
        ];
        ranges
            .into_iter()
            .try_for_each(|(key, value, lo, hi, rule)| in_range(key, value, lo, hi, rule))
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
