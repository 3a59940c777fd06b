//! The solver and what it keeps from step to step.

use super::candidates::{Candidate, CandidateFinder};
use super::contact::{ContactModel, Contacts};
use super::newton::Failure;
use super::precise::Precise;
use super::rule::Rule;
use super::settings::Barrier;
use super::stiffness::StartState;
use crate::body::Collider;
use crate::error::Error;
use crate::linear::single::{ContactBlock, Matrix, TwoLevel};
use crate::model::{Cloth, Model};
use crate::sheet::{Sheet, Viscosity};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The default solver.
#[derive(Debug)]
pub struct Solver {
    pub(super) settings: Barrier,
    pub(super) sheet: Sheet,
    /// Dissipation of a step, where a fabric is viscous.
    pub(super) viscosity: Option<Viscosity>,
    pub(super) masses: Arc<[f64]>,
    pub(super) finder: CandidateFinder,
    pub(super) contact_model: ContactModel,
    /// Sliding before friction has its full strength [m]: epsv h of IPC.
    pub(super) epsu: f64,
    pub(super) self_contact: bool,
    /// Hessian of inertia and elasticity in single precision.
    pub(super) matrix: Matrix,
    pub(super) preconditioner: TwoLevel,
    /// Active contacts at the iterate, and at the last trial point of a line search.
    pub(super) contacts: Contacts,
    pub(super) trial_contacts: Contacts,
    /// Candidates of the last query.
    pub(super) previous_candidates: Vec<Candidate>,
    /// Those of the last step, kept for their memory.
    pub(super) candidate_buffer: Vec<Candidate>,
    /// State at the start of the step, which the stiffness of the cubic barrier depends on.
    pub(super) start_state: StartState,
    /// Matrix-free blocks of contacts, friction and seams; kept for their memory.
    pub(super) contact_blocks: Vec<ContactBlock>,
    /// Set from outside to cancel the running step.
    pub(crate) stop: Arc<AtomicBool>,
    /// The linear system in double precision, while single precision does not resolve its masses.
    pub(super) precise: Option<Box<Precise>>,
}

/// Contact parameters of a solver beside its settings.
pub(crate) struct ContactSetup {
    /// Minimum separation of surfaces [m].
    pub(crate) thickness: f64,
    /// Whether cloth collides with itself.
    pub(crate) self_contact: bool,
    /// The trees of the broad phase.
    pub(crate) tree: toile_collide::Options,
}

impl Solver {
    /// A solver for cloths among bodies.
    pub(crate) fn new(
        settings: Barrier,
        sheet: Sheet,
        cloths: &[Cloth],
        model: &Model,
        bodies: Vec<Collider>,
        setup: &ContactSetup,
    ) -> Result<Self, Error> {
        // Quasi-static steps have no time in which cloth is strained.
        let viscosity = match settings.rule {
            Rule::QuasiStatic => None,
            _ => Viscosity::new(cloths, sheet.pattern())?,
        };
        let finder = CandidateFinder::new(model, bodies, setup.tree);
        let thickness = setup.thickness;
        let dhat = if settings.dhat > 0.0 { settings.dhat } else { default_dhat(model, thickness) };
        let heaviest = model.all_fabrics().map(|f| f.density).fold(0.0, f64::max);
        let pressure =
            if settings.pressure > 0.0 { settings.pressure } else { 100.0 * 9.81 * heaviest };
        let contact_model =
            ContactModel::new(model, &finder, settings.law, [dhat, thickness, pressure]);
        Ok(Self {
            epsu: if settings.epsu > 0.0 { settings.epsu } else { 0.01 * dhat },
            self_contact: setup.self_contact,
            masses: Arc::clone(&model.mass),
            finder,
            contact_model,
            matrix: Matrix::zeros(sheet.pattern()),
            preconditioner: TwoLevel::new(sheet.pattern())?,
            contacts: Contacts::default(),
            trial_contacts: Contacts::default(),
            previous_candidates: Vec::new(),
            candidate_buffer: Vec::new(),
            start_state: StartState::default(),
            contact_blocks: Vec::new(),
            stop: Arc::default(),
            precise: None,
            sheet,
            viscosity,
            settings,
        })
    }

    /// Fails if the step is to be given up: it can take long, and leaves the state as it was.
    pub(super) fn check_stop(&self) -> Result<(), Failure> {
        if self.stop.load(Ordering::Relaxed) { Err(Failure::Stopped) } else { Ok(()) }
    }

    /// The elastic energy.
    pub fn sheet_mut(&mut self) -> &mut Sheet {
        &mut self.sheet
    }

    /// Activation distance: the gap at which the barrier begins [m].
    pub fn dhat(&self) -> f64 {
        self.contact_model.dhat
    }
}

/// Default activation distance [m]: a tenth of the median edge, between one and four times the thickness, or a hundredth of that edge
/// if the cloth is thinner still, and small enough that neighbours in flat cloth are not in contact. Far below the edge length the
/// barrier is too stiff for the linear solver.
fn default_dhat(model: &Model, thickness: f64) -> f64 {
    let mut lengths = model.rest_lengths();
    lengths.sort_by(f64::total_cmp);
    let median = lengths[lengths.len() / 2];
    let most = (4.0 * thickness).max(0.01 * median);
    let wanted = (0.1 * median).clamp(thickness, most);
    let room = 0.5 * least_height(model) - thickness;
    wanted.min(room.max(0.1 * thickness))
}

/// Smallest height of a triangle at rest.
fn least_height(model: &Model) -> f64 {
    let heights = (0..model.mesh.triangles.len()).map(|t| {
        let [a, b, c] = model.mesh.corners_uv(t);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        (b - a).perp_dot(c - a).abs() / longest
    });
    heights.fold(f64::INFINITY, f64::min)
}
