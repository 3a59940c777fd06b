//! What a step is given, what changes while it is solved, and what comes out.

use super::candidates::{CLOTH, Candidate};
use super::friction::{self, Anchors, FrictionContact};
use super::newton::Failure;
use super::rule::Inertia;
use super::seam::Seam;
use super::solver::Solver;
use super::statistics::SolverStatistics;
use crate::clock::Clock;
use crate::state::PreviousStep;
use glam::DVec3;

/// Margin of the neighbour list, over the activation distance: how much search directions of a step usually differ.
const VERLET_MARGIN: f64 = 0.5;

/// Accelerations by external forces [m/s²].
pub(crate) enum ExternalAcceleration {
    /// The same for all vertices.
    Uniform(DVec3),
    /// One for each vertex.
    PerVertex(Vec<DVec3>),
}

impl ExternalAcceleration {
    pub(super) fn at(&self, vertex: usize) -> DVec3 {
        match self {
            Self::Uniform(a) => *a,
            Self::PerVertex(a) => a[vertex],
        }
    }
}

/// The start of a step, and what drives it.
pub(crate) struct StepStart<'a> {
    pub(crate) x: &'a [DVec3],
    pub(crate) v: &'a [DVec3],
    pub(crate) external_acceleration: ExternalAcceleration,
    pub(crate) t: f64,
    pub(crate) h: f64,
    /// Pinned vertices, with their positions at the end of the step.
    pub(crate) pinned: &'a [(u32, DVec3)],
    /// What is being sewn.
    pub(crate) seams: &'a [Seam],
    /// Tangential displacements that friction has stored.
    pub(crate) anchors: &'a Anchors,
    /// The step before, if the integration rule needs it.
    pub(crate) previous_step: Option<&'a PreviousStep>,
}

/// The end of a step.
pub(crate) struct StepResult {
    pub(crate) x: Vec<DVec3>,
    pub(crate) v: Vec<DVec3>,
    pub(crate) anchors: Anchors,
    /// Length of the step for the next one [s].
    pub(crate) step_length_for_next: f64,
    pub(crate) statistics: SolverStatistics,
}

/// What stopped a search direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocker {
    /// The first vertex of cloth of the pair.
    pub(crate) vertex: u32,
    /// The body of the pair; `None` if both are cloth.
    pub(crate) body: Option<u32>,
    /// Whether a vertex of cloth of the pair is prescribed.
    pub(crate) prescribed: bool,
}

/// The iterate of Newton's method, with everything that changes within a step.
pub(super) struct Iterate<'a> {
    pub(super) start: &'a StepStart<'a>,
    pub(super) inertia: Inertia<'a>,
    /// Pinned vertices, ascending.
    pub(super) pinned: Vec<u32>,
    /// Which points have prescribed positions: pinned vertices and points of bodies.
    pub(super) prescribed: Vec<bool>,
    /// Points of cloth and bodies at the start of the step, and now.
    pub(super) y0: Vec<DVec3>,
    pub(super) y: Vec<DVec3>,
    /// Fraction of their displacement that pins and bodies have covered.
    pub(super) kinematic_fraction: f64,
    /// The part of the last search direction that was not covered, while pins and bodies move.
    pub(super) remaining: Vec<DVec3>,
    /// What limited the last search direction.
    pub(super) blocker: Option<Blocker>,
    /// All pairs that come within the activation distance along the last search direction.
    pub(super) candidates: Vec<Candidate>,
    pub(super) friction_contacts: Vec<FrictionContact>,
    /// Energy that the decrement is compared with [J].
    pub(super) decrement_scale: f64,
    /// Tension that corresponds to the loads [N/m].
    pub(super) load_tension: f64,
    /// Largest residual force of the last linear system, over what is negligible.
    pub(super) residual_ratio: f64,
    /// Whether linear systems are solved until strains are exact, not only the energy.
    pub(super) resolve_strain: bool,
    /// The incremental potential at `y` [J].
    pub(super) energy: f64,
}

impl Iterate<'_> {
    /// Notes that a candidate limits a search direction, with the first of the `n` vertices of cloth in it.
    pub(super) fn note_blocker(&mut self, candidate: u32, n: usize) {
        let Candidate { points, body, .. } = self.candidates[candidate as usize];
        let is_cloth = |p: &u32| (*p as usize) < n;
        let vertex = points.into_iter().find(is_cloth).unwrap_or(0);
        let prescribed = points.into_iter().any(|p| is_cloth(&p) && self.prescribed[p as usize]);
        let body = (body != CLOTH).then_some(body);
        self.blocker = Some(Blocker { vertex, body, prescribed });
    }

    /// The vertex that limited the last search direction, or the first.
    pub(super) fn blocking_vertex(&self) -> u32 {
        self.blocker.map_or(0, |b| b.vertex)
    }

    /// Whether pins or bodies still move.
    pub(super) fn is_moving(&self) -> bool {
        self.kinematic_fraction < 1.0
    }
}

/// Points at the start of a step, and where they would be at its end without forces.
struct Endpoints {
    y0: Vec<DVec3>,
    y1: Vec<DVec3>,
}

impl Solver {
    /// The first iterate: the inertial prediction if it is feasible and its potential is lower, else the start.
    pub(super) fn first_iterate<'a>(
        &mut self,
        start: &'a StepStart<'a>,
        statistics: &mut SolverStatistics,
    ) -> Result<Iterate<'a>, Failure> {
        let (n, h) = (self.masses.len(), start.h);
        self.finder.advance_bodies(start.t, start.t + h);
        statistics.seconds.collision += self.finder.body_seconds;
        self.finder.begin(start.anchors.within(n), VERLET_MARGIN * self.contact_model.dhat);
        let Endpoints { y0, y1 } = self.endpoints(start);
        let mut pinned: Vec<u32> = start.pinned.iter().map(|(v, _)| *v).collect();
        pinned.sort_unstable();
        pinned.dedup();
        let mut prescribed: Vec<bool> = (0..y0.len()).map(|i| i >= n).collect();
        pinned.iter().for_each(|v| prescribed[*v as usize] = true);
        self.note_start(&y0, &y1, h);
        let clock = Clock::start();
        // The first candidates must follow from the state alone, or a run that is resumed would differ.
        let mut candidates = std::mem::take(&mut self.candidate_buffer);
        candidates.clear();
        statistics.queries += 1;
        statistics.tested += self.update_candidates(&y0, &y1, &mut candidates, None)?.tested;
        statistics.seconds.collision += clock.seconds();
        let is_still = y0[n..] == y1[n..] && pinned.is_empty();
        // Friction is lagged: normals and normal forces are those of the start, so that it has a potential.
        let barrier = self.contacts.find(&self.contact_model, &candidates, &y0);
        self.contacts.number(&mut candidates);
        let mut friction_contacts =
            friction::friction_contacts(&mut self.contacts, start.anchors, &mut candidates);
        friction_contacts.iter_mut().for_each(|f| f.predict_slide(&y0, &y1));
        let predicted = is_still && self.step_limits(&candidates, &y0, &y1).is_empty();
        let y = if predicted { y1 } else { y0.clone() };
        let inertia =
            Inertia::new(self.settings.rule, start, &self.masses, self.contacts.touching(n));
        if let Some(viscosity) = &mut self.viscosity {
            viscosity.begin(|rest| inertia.rate_base(rest));
        }
        let decrement_scale = self.decrement_scale(start, &inertia);
        let mut it = Iterate {
            start,
            inertia,
            pinned,
            prescribed,
            y0,
            y,
            kinematic_fraction: f64::from(u8::from(is_still)),
            remaining: Vec::new(),
            blocker: None,
            candidates,
            friction_contacts,
            decrement_scale,
            load_tension: self.load_tension(start),
            residual_ratio: 0.0,
            resolve_strain: false,
            energy: barrier,
        };
        it.energy += self.smooth_potential(&it, &it.y0);
        if predicted {
            self.choose_start_or_prediction(&mut it);
        }
        Ok(it)
    }

    /// Where all points start, and where those that are free would coast to.
    fn endpoints(&self, start: &StepStart<'_>) -> Endpoints {
        let n = self.masses.len();
        let mut y0 = vec![DVec3::ZERO; self.finder.points()];
        y0[..n].copy_from_slice(start.x);
        self.finder.place_bodies(0.0, &mut y0);
        let mut y1 = y0.clone();
        self.finder.place_bodies(1.0, &mut y1);
        for (end, (x, v)) in y1.iter_mut().zip(start.x.iter().zip(start.v)) {
            *end = *x + *v * start.h;
        }
        start.pinned.iter().for_each(|(v, to)| y1[*v as usize] = *to);
        Endpoints { y0, y1 }
    }

    /// Keeps the prediction if its potential is no higher than that of the start: cloth that rests stays where it was.
    fn choose_start_or_prediction(&mut self, it: &mut Iterate<'_>) {
        let predicted = self.trial_potential(it, &it.y);
        if it.energy < predicted {
            it.y.clone_from(&it.y0);
        } else {
            std::mem::swap(&mut self.contacts, &mut self.trial_contacts);
            self.contacts.number(&mut it.candidates);
            it.energy = predicted;
        }
    }
}
