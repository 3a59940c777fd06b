//! Which settings act, given the others: a setting that would do nothing is refused.

use super::{Method, Newton, Response, Settings, Springs, Zones};
use crate::barrier::Rule;
use crate::body::BodyQuery;
use crate::sheet::Bend;
use toile_collide::prune::Prune;

impl Settings {
    /// Why a setting does nothing beside the others, such as `collision.ccd` with the method `barrier`; nothing if it acts.
    /// `key` is its dotted path below `solver`.
    ///
    /// ```
    /// use toile_sim::Preset;
    ///
    /// let settings = Preset::Toile.settings();
    /// assert_eq!(settings.inactive("collision.separation"), None);
    /// let reason = settings.inactive("collision.ccd").unwrap();
    /// assert!(reason.contains("solver.method"), "{reason}");
    /// ```
    pub fn inactive(&self, key: &str) -> Option<String> {
        let (group, rest) = key.split_once('.').unwrap_or((key, ""));
        match group {
            "springs" => self.unless(
                self.method == Method::Classic
                    || self.method == Method::Implicit && self.strain_limit.enabled,
                "belongs to the method `classic`, and to the strain limit of `implicit`",
            ),
            "stretch" | "bend" => self.unless(
                self.has_elements(),
                "chooses finite elements, which the methods `barrier` and `implicit` have, and `classic` with \
                 `solver.springs = \"elements\"`",
            ),
            "damping" => self.unless(self.has_springs(), "damps springs, which the method `classic` has"),
            "stiffness" => self.unless(
                self.has_springs() || self.method == Method::Avoidance,
                "limits the stiffness of springs, which the methods `classic` and `avoidance` have",
            ),
            "integrator" => self.only(Method::Classic, "belongs to the method `classic`"),
            "implicit" => self
                .only(Method::Implicit, "belongs to the method `implicit`")
                .or_else(|| self.newton_inactive(rest)),
            "barrier" => self.only(Method::Barrier, "belongs to the method `barrier`"),
            "avoidance" => self.only(Method::Avoidance, "belongs to the method `avoidance`"),
            "strain_limit" => self.strain_limit_inactive(rest),
            "collision" => self.collision_inactive(rest),
            _ => None,
        }
    }

    /// Whether the cloth is made of elements rather than springs.
    pub(crate) fn needs_elements(&self) -> bool {
        self.method != Method::Classic || self.springs == Springs::Elements
    }

    /// Why a key of a fabric does nothing with these settings, such as `viscosity` where there is no time; nothing if it acts.
    ///
    /// ```
    /// use toile_sim::Preset;
    ///
    /// assert_eq!(Preset::Toile.settings().inactive_fabric("viscosity"), None);
    /// assert!(Preset::Provot97.settings().inactive_fabric("viscosity").is_some());
    /// ```
    pub fn inactive_fabric(&self, key: &str) -> Option<String> {
        match key {
            "damping" => self.unless(
                self.has_springs(),
                "damps springs, which the method `classic` has; finite elements have `viscosity`",
            ),
            "viscosity" if self.method == Method::Barrier => {
                (self.barrier.rule == Rule::QuasiStatic).then(|| {
                    "does nothing with `solver.barrier.rule = \"quasi-static\"`, whose steps are not those of a motion".into()
                })
            }
            "viscosity" => self.unless(
                self.has_elements(),
                "belongs to finite elements, which the methods `barrier` and `implicit` have",
            ),
            "shear_hysteresis" | "shear_hysteresis_wide" => {
                self.only(Method::Barrier, "is friction between threads, which the method `barrier` has")
            }
            "bend_hysteresis_weft" | "bend_hysteresis_warp" => self
                .only(Method::Barrier, "is friction between threads, which the method `barrier` has")
                .or_else(|| {
                    let reason = "does nothing with `solver.bend = \"none\"`: nothing is bent";
                    (self.bend == Bend::None).then(|| reason.into())
                }),
            "resilience_weft" | "resilience_warp" => Some(
                "does nothing in a scene: tension is that of loading, and `toile lab kes-tensile` alone shows what comes back; what \
                 has friction in a scene is `shear_hysteresis` and `bend_hysteresis_weft` and `_warp`"
                    .into(),
            ),
            _ => None,
        }
    }

    fn has_elements(&self) -> bool {
        match self.method {
            Method::Barrier | Method::Implicit => true,
            Method::Classic => self.springs == Springs::Elements,
            Method::Avoidance => false,
        }
    }

    fn has_springs(&self) -> bool {
        self.method == Method::Classic && self.springs != Springs::Elements
    }

    /// A sentence, with the method that is chosen, unless a setting acts.
    fn unless(&self, acts: bool, reason: &str) -> Option<String> {
        let chosen = match self.method {
            Method::Classic => "classic",
            Method::Implicit => "implicit",
            Method::Barrier => "barrier",
            Method::Avoidance => "avoidance",
        };
        (!acts).then(|| format!("does nothing here: it {reason}; `solver.method` is \"{chosen}\""))
    }

    fn only(&self, method: Method, reason: &str) -> Option<String> {
        self.unless(self.method == method, reason)
    }

    /// One linear system has no iterations to end, and Newton's variants choose the tolerance of theirs.
    fn newton_inactive(&self, key: &str) -> Option<String> {
        let is_single = self.implicit.solve.newton == Newton::Linearised;
        match key {
            "solve.tolerance" | "solve.max_iterations" | "solve.line_search" if is_single => {
                Some("does nothing with `solver.implicit.solve.newton.type = \"linearised\"`, which solves one linear system".into())
            }
            "solve.linear_tolerance" if !is_single => {
                Some("does nothing here: Newton's method chooses the tolerance of its linear systems by `newton.eta`".into())
            }
            _ => None,
        }
    }

    fn strain_limit_inactive(&self, key: &str) -> Option<String> {
        if self.method == Method::Avoidance {
            return self
                .unless(false, "belongs to the methods `barrier`, `classic` and `implicit`");
        }
        if key != "enabled" && !self.strain_limit.enabled {
            return Some("does nothing while `solver.strain_limit.enabled` is false".into());
        }
        let energy = self.method == Method::Barrier && !matches!(key, "enabled" | "stretch");
        self.unless(
            !energy,
            "belongs to corrections after a step; the default solver has the limit as an energy",
        )
    }

    fn collision_inactive(&self, key: &str) -> Option<String> {
        let c = &self.collision;
        let corrects = matches!(self.method, Method::Classic | Method::Implicit);
        let (part, _) = key.split_once('.').unwrap_or((key, ""));
        if part == "enabled" {
            let reason =
                "cannot be chosen: the default solver keeps everything apart in every step";
            return self.unless(self.method != Method::Barrier, reason);
        }
        if part == "separation" {
            return None;
        }
        if !c.enabled {
            return Some("does nothing while `solver.collision.enabled` is false".into());
        }
        if part == "self_collision" {
            return self.geometric_ignores();
        }
        if part == "tree" {
            let reason = "chooses trees, which the method `avoidance` does not use";
            return self.unless(self.method != Method::Avoidance, reason);
        }
        if !corrects {
            return self.unless(false, "belongs to the methods `classic` and `implicit`");
        }
        match part {
            "feedback" if self.method != Method::Implicit => {
                self.unless(false, "belongs to the method `implicit`")
            }
            "body_cell" => (c.bodies == BodyQuery::Features)
                .then(|| "does nothing with `solver.collision.bodies = \"features\"`".into()),
            "response" | "bodies" => None,
            _ => self.geometric_ignores().or_else(|| self.impacts_inactive(part)),
        }
    }

    /// With vertices moved out of bodies nothing else is done about collisions.
    fn geometric_ignores(&self) -> Option<String> {
        let corrects = matches!(self.method, Method::Classic | Method::Implicit);
        (corrects && self.collision.response == Response::Geometric).then(|| {
            "does nothing with `solver.collision.response = \"geometric\"`, which moves vertices out of bodies and \
             knows nothing else"
                .into()
        })
    }

    fn impacts_inactive(&self, part: &str) -> Option<String> {
        let c = &self.collision;
        let constrains = self.method == Method::Implicit && c.response == Response::Constraints;
        let has_impacts = c.impact_rounds > 0 || c.zones != Zones::Off;
        let (acts, remedy) = match part {
            "law" | "restitution" => (c.impact_rounds > 0, "`solver.collision.impact_rounds` is 0"),
            "zone_rounds" => (c.zones != Zones::Off, "`solver.collision.zones` is \"off\""),
            "ccd" => (
                constrains || has_impacts,
                "nothing is done about impacts: `solver.collision.impact_rounds` is 0 and `zones` is \"off\"",
            ),
            "feedback" => (
                has_impacts || (c.repulsion > 0.0 && !constrains),
                "nothing is done after the solve that it could hear of: `solver.collision.impact_rounds` is 0 and `zones` is \"off\"",
            ),
            "cone_limit" => (
                c.tree.prune == Prune::Cones && c.self_collision && has_impacts,
                "no impacts of cloth with itself are pruned by normal cones (`solver.collision.tree.prune`)",
            ),
            _ => (true, ""),
        };
        (!acts).then(|| format!("does nothing here: {remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use crate::preset::Preset;

    #[test]
    fn what_another_method_knows_is_refused_with_a_sentence() {
        let toile = Preset::Toile.settings();
        for key in [
            "collision.enabled",
            "collision.ccd",
            "collision.cone_limit",
            "collision.law",
            "collision.restitution",
            "collision.repulsion",
            "collision.zones",
            "integrator.type",
            "springs",
            "damping",
            "implicit.rule.type",
            "strain_limit.sweeps",
        ] {
            let reason = toile.inactive(key).unwrap_or_default();
            assert!(reason.contains("solver."), "{key}: {reason}");
        }
        for key in [
            "step",
            "stretch",
            "bend",
            "barrier.law",
            "collision.separation",
            "strain_limit.enabled",
        ] {
            assert_eq!(toile.inactive(key), None, "{key}");
        }
        let provot = Preset::Provot97.settings();
        assert_eq!(provot.inactive("collision.law"), None);
        assert!(provot.inactive("barrier.law").is_some());
        assert!(provot.inactive("stretch").is_some());
    }
}
