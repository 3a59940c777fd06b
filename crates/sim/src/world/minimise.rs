//! Steps of the default solver.

use super::World;
use super::engine::Engine;
use crate::barrier::{ExternalAcceleration, Infeasible, Rule, Solver, StepResult, StepStart};
use crate::error::{Error, StepPhase};
use crate::report::StepReport;
use crate::settings::Method;
use crate::state::PreviousStep;
use glam::DVec3;

impl World {
    /// Vertices from which the default solver cannot start, ascending: nearer to a body than the thickness, or touching other
    /// cloth. Each has a displacement that would separate it from the body [m]. Other methods have none.
    ///
    /// # Errors
    /// If a position is not finite, or the solver cannot be set up.
    pub fn separation_violations(&mut self) -> Result<Vec<(u32, DVec3)>, Error> {
        self.ensure_engine()?;
        let Some(Engine::Barrier(solver)) = &mut self.engine else { return Ok(Vec::new()) };
        let found = solver.separation_violations(&self.state.x, self.state.time);
        found.map_err(|failure| self.diagnose(failure, self.state.time))
    }

    /// Vertices from which the default solver cannot step at all, ascending: in exact contact, or nearer to a body than the distance
    /// that is kept. Other methods have none.
    ///
    /// # Errors
    /// If a position is not finite, or the solver cannot be set up.
    pub fn infeasible(&mut self) -> Result<Vec<Infeasible>, Error> {
        self.ensure_engine()?;
        let Some(Engine::Barrier(solver)) = &mut self.engine else { return Ok(Vec::new()) };
        let found = solver.infeasible(&self.state.x, self.state.time);
        found.map_err(|failure| self.diagnose(failure, self.state.time))
    }

    /// A step of the default solver.
    pub(super) fn minimise(
        &mut self,
        solver: &mut Solver,
        t: f64,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let external_acceleration = if self.wind.is_none() {
            // Adding zero turns −0 into +0, as the wind branch does.
            ExternalAcceleration::Uniform(self.gravity + DVec3::ZERO)
        } else {
            let each = self.wind_forces(t).into_iter().zip(self.model.mass.iter());
            ExternalAcceleration::PerVertex(
                each.map(|(force, m)| self.gravity + force / *m).collect(),
            )
        };
        let pinned: Vec<(u32, DVec3)> = self
            .pins
            .iter()
            .filter(|p| p.holds(t))
            .flat_map(|p| {
                let start = &self.model.mesh.positions;
                p.vertices.iter().map(move |v| (*v, p.target(start[*v as usize], t + h)))
            })
            .collect();
        solver.sheet_mut().set_slider_positions(&self.state.slider_positions);
        let anchors = std::mem::take(&mut self.state.anchors);
        let (x, v) = (&self.state.x, &self.state.v);
        let seams = &self.seams;
        let previous_step = self.state.previous_step.as_ref();
        let start = StepStart {
            x,
            v,
            external_acceleration,
            t,
            h,
            pinned: &pinned,
            seams,
            anchors: &anchors,
            previous_step,
        };
        // Within the pool, so that the many small tasks of a step need not be handed over to it.
        match rayon::scope(|_| solver.step(&start)) {
            Ok(StepResult { x, v, anchors: stuck, step_length_for_next, statistics }) => {
                if let Err(error) = self.check_finite(&x, &v, StepPhase::Integrate) {
                    self.state.anchors = anchors;
                    return Err(error);
                }
                report.take(&statistics);
                // Sliders move in accepted steps only.
                solver.sheet_mut().update_sliders(&x);
                self.state.slider_positions = solver.sheet_mut().slider_positions();
                report.stretch = report.stretch.max(self.largest_stretch(&x));
                let x = std::mem::replace(&mut self.state.x, x);
                let v = std::mem::replace(&mut self.state.v, v);
                let back = self.settings.barrier.rule.is_multistep();
                self.state.previous_step =
                    back.then_some(PreviousStep { h: step_length_for_next, x, v });
                self.state.anchors = stuck;
                Ok(())
            }
            Err(failure) => {
                self.state.anchors = anchors;
                Err(self.diagnose(failure, t))
            }
        }
    }

    /// Forces of the air on all vertices, with the velocities of now [N]; without inertia, velocities are none that air would feel.
    pub(crate) fn wind_forces(&self, t: f64) -> Vec<DVec3> {
        let mut force = vec![DVec3::ZERO; self.state.x.len()];
        let Some(wind) = self.wind else { return force };
        let barrier = self.settings.method == Method::Barrier;
        let still = barrier && self.settings.barrier.rule == Rule::QuasiStatic;
        for tri in &self.model.mesh.triangles {
            let velocity = tri.iter().map(|i| self.state.v[*i as usize]).sum::<DVec3>() / 3.0;
            let velocity = if still { DVec3::ZERO } else { velocity };
            let each = wind.force(tri.map(|i| self.state.x[i as usize]), velocity, t) / 3.0;
            tri.iter().for_each(|i| force[*i as usize] += each);
        }
        force
    }
}
