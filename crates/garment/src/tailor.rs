//! A garment from panels to rest, sewn with large triangles first.
//!
//! Sewing is most of the work where seams close hard. It is done with triangles of twice the length; when all seams are closed and
//! the garment has begun to fall, it continues with the triangles asked for ([`Fitting::refined`]). Where that fails, because the coarse
//! panels cannot be arranged or sewn, or the fine ones cannot be laid in their place, all is done with fine triangles from the start.

use crate::arrange::{Sleeves, arrange, arrange_with};
use crate::error::Error;
use crate::fabrics::Fabrics;
use crate::fitting::{Carrier, Fitting, SavedFitting, Stage};
use crate::shell;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use toile_body::Landmarks;
use toile_mesh::TriMesh;
use toile_pattern::Pattern;
use toile_pattern::meshing::{self, PatternMesh};
use toile_sim::{Deformation, State, StepReport, World};

/// How much longer the edges of the coarse panels are.
const COARSE_RATIO: f64 = 2.0;
/// What is open by so much does not close with smaller triangles either [m].
const WIDE_OPEN: f64 = 0.03;
/// Longest edges for which coarse sewing pays [m].
const MAX_COARSENED_EDGE: f64 = 0.015;

/// What is saved of an unfinished garment, beside the state of its world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedTailor {
    is_coarse: bool,
    fitting: SavedFitting,
}

/// Sews and drapes a garment, step by step. What it is made from is borrowed, or owned ([`Tailor::owning`]).
#[derive(Debug)]
pub struct Tailor<'a> {
    pattern: Cow<'a, Pattern>,
    mesh: Cow<'a, PatternMesh>,
    body: Cow<'a, TriMesh>,
    landmarks: Cow<'a, Landmarks>,
    fabrics: Fabrics,
    /// Length of edges asked for [m].
    edge_length: f64,
    /// Coarse panels, while it is sewn with them, and how they carry the fine ones.
    coarse: Option<(PatternMesh, Carrier)>,
    fitting: Fitting,
}

impl<'a> Tailor<'a> {
    /// Arranges the panels of a pattern, of triangles with edges of `edge_length` [m], around a body: coarse ones first, if
    /// that pays.
    ///
    /// # Errors
    /// If the panels cannot be arranged or the simulation refuses something.
    pub fn new(
        pattern: &'a Pattern,
        mesh: &'a PatternMesh,
        edge_length: f64,
        body: &'a TriMesh,
        landmarks: &'a Landmarks,
        fabrics: impl Into<Fabrics>,
    ) -> Result<Self, Error> {
        let (pattern, mesh) = (Cow::Borrowed(pattern), Cow::Borrowed(mesh));
        let (body, landmarks) = (Cow::Borrowed(body), Cow::Borrowed(landmarks));
        Self::arranged(pattern, mesh, edge_length, body, landmarks, fabrics.into())
    }

    fn arranged(
        pattern: Cow<'a, Pattern>,
        mesh: Cow<'a, PatternMesh>,
        edge_length: f64,
        body: Cow<'a, TriMesh>,
        landmarks: Cow<'a, Landmarks>,
        fabrics: Fabrics,
    ) -> Result<Self, Error> {
        let fitted = |mesh: &PatternMesh, body: &TriMesh| {
            let arranged = arrange(&pattern, mesh, body, &landmarks)?;
            Fitting::new(mesh, &arranged, body, &fabrics)
        };
        let coarse = coarser(&pattern, edge_length).and_then(|coarse| {
            let fitting = fitted(&coarse, &coarse_body(&body, edge_length)).ok()?;
            Some((fitting, coarse))
        });
        let (fitting, coarse) = match coarse {
            Some((fitting, coarse)) => {
                let carrier = Carrier::new(&coarse, &mesh);
                (fitting, Some((coarse, carrier)))
            }
            None => (fitted(&mesh, &body)?, None),
        };
        Ok(Self { pattern, mesh, body, landmarks, fabrics, edge_length, coarse, fitting })
    }

    /// Resumes a saved garment. Everything else must be as it was then.
    ///
    /// # Errors
    /// If the saved state belongs to another garment.
    pub fn restored(
        pattern: &'a Pattern,
        mesh: &'a PatternMesh,
        edge_length: f64,
        body: &'a TriMesh,
        landmarks: &'a Landmarks,
        fabrics: impl Into<Fabrics>,
        saved: SavedTailor,
        state: State,
    ) -> Result<Self, Error> {
        let fabrics = fabrics.into();
        let coarse = match saved.is_coarse {
            true => Some(coarser(pattern, edge_length).ok_or(Error::OtherGarment)?),
            false => None,
        };
        let current = coarse.as_ref().unwrap_or(mesh);
        let worn_by = match saved.is_coarse {
            true => coarse_body(body, edge_length),
            false => Cow::Borrowed(body),
        };
        let fitting = Fitting::restored(current, saved.fitting, state, &worn_by, &fabrics)?;
        let coarse = coarse.map(|coarse| {
            let carrier = Carrier::new(&coarse, mesh);
            (coarse, carrier)
        });
        let (pattern, mesh) = (Cow::Borrowed(pattern), Cow::Borrowed(mesh));
        let (body, landmarks) = (Cow::Borrowed(body), Cow::Borrowed(landmarks));
        Ok(Self { pattern, mesh, body, landmarks, fabrics, edge_length, coarse, fitting })
    }

    /// What has to be saved, beside the state of the world of its fitting.
    pub fn saved(&self) -> SavedTailor {
        SavedTailor { is_coarse: self.is_coarse(), fitting: self.fitting.saved() }
    }

    /// Where the vertices of the panels asked for are now, in the order of the pattern [m]: carried by the coarse ones while
    /// it is sewn with these.
    pub fn panel_positions(&self) -> Vec<DVec3> {
        let at = |v: u32| self.fitting.position(v);
        match &self.coarse {
            Some((_, carrier)) => carrier.carry(at).concat(),
            None => (0..self.fitting.vertices().len() as u32).map(at).collect(),
        }
    }

    /// Whether its mesh stays the same from now on: it is of the triangles asked for, and all seams are closed.
    pub fn is_sewn(&self) -> bool {
        !self.is_coarse()
            && self.fitting.stage() != Stage::Sewing
            && self.fitting.open_stitches() == 0
    }

    /// The same with fine triangles from the start.
    ///
    /// # Errors
    /// As for [`Tailor::new`].
    pub fn without_coarse(self) -> Result<Self, Error> {
        let fitting = self.restart()?;
        Ok(Self { coarse: None, fitting, ..self })
    }

    /// The world of the garment, with its seams, elastics and tapes, to be stepped by the caller from now on.
    pub fn into_world(self) -> World {
        self.fitting.into_world()
    }

    /// The garment as it is; coarse while [`Tailor::is_coarse`].
    pub fn fitting(&self) -> &Fitting {
        &self.fitting
    }

    /// The world it is in now.
    pub fn world_mut(&mut self) -> &mut World {
        self.fitting.world_mut()
    }

    /// Sets a flag that cancels the running step, which then leaves everything unchanged.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        self.fitting.stop_with(flag);
    }

    /// Whether it is being sewn with large triangles.
    pub fn is_coarse(&self) -> bool {
        self.coarse.is_some()
    }

    /// Whether it is at rest, in the triangles that were asked for.
    pub fn is_done(&self) -> bool {
        !self.is_coarse() && self.fitting.stage() == Stage::Done
    }

    /// Lets the body of a garment that hangs move from now on, in steps of another length [s]: time begins anew at zero. A garment
    /// that was saved after that is `resumed`.
    ///
    /// # Errors
    /// If the simulation refuses something.
    pub fn animate(
        &mut self,
        deformation: Deformation,
        step: f64,
        resumed: bool,
    ) -> Result<(), Error> {
        self.coarse = None;
        self.fitting.animate(deformation, step, resumed)
    }

    /// One step.
    ///
    /// # Errors
    /// If a seam of the fine garment does not close, or the solver fails.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        let Some((coarse, _)) = &self.coarse else { return self.fitting.step() };
        let stop = self.fitting.stop_flag();
        let result = match self.fitting.step() {
            Ok(report) => {
                if self.fitting.is_settling() {
                    self.fitting = match self.fitting.refined(coarse, &self.mesh, &self.body)? {
                        Some(fine) => fine,
                        None => self.restart()?,
                    };
                    self.coarse = None;
                } else if self.fitting.stage() == Stage::Done || self.fitting.is_stuck() {
                    self.fitting = self.restart()?;
                    self.coarse = None;
                }
                Ok(report)
            }
            // Finer triangles would fall as well, and stay as far open.
            Err(error @ (Error::Fallen { .. } | Error::Sim(toile_sim::Error::Stopped { .. }))) => {
                Err(error)
            }
            Err(error @ Error::Open { gap: WIDE_OPEN.., .. })
                if !self.fitting.has_rolled_sleeves() =>
            {
                Err(error)
            }
            // Where sleeves rolled around the arms jam, they may close from before and behind them.
            Err(_) if self.fitting.has_rolled_sleeves() => {
                self.fitting = self.with_flat_sleeves(coarse)?;
                self.fitting.stop_with(Arc::clone(&stop));
                self.fitting.step()
            }
            Err(_) => {
                self.fitting = self.restart()?;
                self.coarse = None;
                self.fitting.stop_with(Arc::clone(&stop));
                self.fitting.step()
            }
        };
        self.fitting.stop_with(stop);
        result
    }

    /// Starts again with coarse triangles, sleeves before and behind the arms.
    fn with_flat_sleeves(&self, coarse: &PatternMesh) -> Result<Fitting, Error> {
        let body = coarse_body(&self.body, self.edge_length);
        let flat = Sleeves::Flat;
        let arranged = arrange_with(&self.pattern, coarse, &body, &self.landmarks, flat)?;
        Fitting::new(coarse, &arranged, &body, &self.fabrics)
    }

    /// Starts again with the triangles asked for.
    fn restart(&self) -> Result<Fitting, Error> {
        let arranged = arrange(&self.pattern, &self.mesh, &self.body, &self.landmarks)?;
        Fitting::new(&self.mesh, &arranged, &self.body, &self.fabrics)
    }
}

impl Tailor<'static> {
    /// The same as [`Tailor::new`], keeping all it needs.
    ///
    /// # Errors
    /// As for [`Tailor::new`].
    pub fn owning(
        pattern: Pattern,
        mesh: PatternMesh,
        edge_length: f64,
        body: TriMesh,
        landmarks: Landmarks,
        fabrics: Fabrics,
    ) -> Result<Self, Error> {
        let (pattern, mesh) = (Cow::Owned(pattern), Cow::Owned(mesh));
        let (body, landmarks) = (Cow::Owned(body), Cow::Owned(landmarks));
        Self::arranged(pattern, mesh, edge_length, body, landmarks, fabrics)
    }
}

/// Coarse panels, where sewing with them first pays.
fn coarser(pattern: &Pattern, edge_length: f64) -> Option<PatternMesh> {
    if edge_length > MAX_COARSENED_EDGE {
        return None;
    }
    meshing::mesh(pattern, COARSE_RATIO * edge_length).ok()
}

/// The body that coarse panels are sewn on.
fn coarse_body(body: &TriMesh, edge_length: f64) -> Cow<'_, TriMesh> {
    let shell = shell::around(body, COARSE_RATIO * edge_length);
    shell.map_or(Cow::Borrowed(body), Cow::Owned)
}
