//! A garment from panels to rest, sewn with large triangles first.
//!
//! Sewing is most of the work where seams close hard. It is done with triangles of twice the length; when all seams are closed and
//! the garment has begun to fall, it continues with the triangles asked for ([`Fitting::refined`]). Where that fails, because the coarse
//! panels cannot be arranged or sewn, or the fine ones cannot be laid in their place, all is done with fine triangles from the start.

use crate::arrange::{Sleeves, arrange_over};
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

/// How often the panels of the next garment are arranged, each time farther from what is worn.
const MOVES: u32 = 5;

/// What is saved of an unfinished garment, beside the state of its world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedTailor {
    is_coarse: bool,
    fitting: SavedFitting,
    /// How many panels are arranged; all of them if it is not known.
    #[serde(default)]
    panels: Option<usize>,
    /// Numbers of the panels with which each garment ends; one garment if it is empty.
    #[serde(default)]
    dressing: Vec<usize>,
}

/// Sews and drapes a garment, step by step. What it is made from is borrowed, or owned ([`Tailor::owning`]).
#[derive(Debug)]
pub struct Tailor<'a> {
    pattern: Cow<'a, Pattern>,
    mesh: Cow<'a, PatternMesh>,
    body: Cow<'a, TriMesh>,
    landmarks: Cow<'a, Landmarks>,
    fabrics: Fabrics,
    /// Numbers of the panels with which each garment of an outfit ends, in the order of dressing.
    dressing: Vec<usize>,
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
        let one = [pattern.panels.len()];
        Self::of_outfit(pattern, &one, mesh, edge_length, body, landmarks, fabrics)
    }

    /// The same for several garments in one pattern, which are put on one after the other: `dressing` has for each the number of the panel after its last.
    /// A garment is sewn around the body and those that it wears already, which stay free to move.
    ///
    /// # Errors
    /// As for [`Tailor::new`].
    pub fn of_outfit(
        pattern: &'a Pattern,
        dressing: &[usize],
        mesh: &'a PatternMesh,
        edge_length: f64,
        body: &'a TriMesh,
        landmarks: &'a Landmarks,
        fabrics: impl Into<Fabrics>,
    ) -> Result<Self, Error> {
        let (pattern, mesh) = (Cow::Borrowed(pattern), Cow::Borrowed(mesh));
        let (body, landmarks) = (Cow::Borrowed(body), Cow::Borrowed(landmarks));
        let dressing = dressing.to_vec();
        Self::arranged(pattern, dressing, mesh, edge_length, body, landmarks, fabrics.into())
    }

    fn arranged(
        pattern: Cow<'a, Pattern>,
        dressing: Vec<usize>,
        mesh: Cow<'a, PatternMesh>,
        edge_length: f64,
        body: Cow<'a, TriMesh>,
        landmarks: Cow<'a, Landmarks>,
        fabrics: Fabrics,
    ) -> Result<Self, Error> {
        let first = 0..dressing.first().copied().unwrap_or(pattern.panels.len());
        let fitted = |mesh: &PatternMesh, body: &TriMesh| {
            begun(
                &pattern.part(first.clone()),
                &mesh.part(first.clone()),
                body,
                &landmarks,
                &fabrics,
                Sleeves::Rolled,
            )
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
        Ok(Self { pattern, mesh, body, landmarks, fabrics, dressing, edge_length, coarse, fitting })
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
        let panels = saved.panels.unwrap_or(current.panels.len());
        let dressing = Some(saved.dressing).filter(|d| !d.is_empty());
        let dressing = dressing.unwrap_or_else(|| vec![mesh.panels.len()]);
        let is_ascending = dressing.is_sorted() && dressing.last() == Some(&mesh.panels.len());
        if !dressing.contains(&panels) || !is_ascending {
            return Err(Error::OtherGarment);
        }
        let worn_by = match saved.is_coarse {
            true => coarse_body(body, edge_length),
            false => Cow::Borrowed(body),
        };
        let current = current.part(0..panels);
        let fitting = Fitting::restored(&current, saved.fitting, state, &worn_by, &fabrics)?;
        let coarse = coarse.map(|coarse| {
            let carrier = Carrier::new(&coarse, mesh);
            (coarse, carrier)
        });
        let (pattern, mesh) = (Cow::Borrowed(pattern), Cow::Borrowed(mesh));
        let (body, landmarks) = (Cow::Borrowed(body), Cow::Borrowed(landmarks));
        Ok(Self { pattern, mesh, body, landmarks, fabrics, dressing, edge_length, coarse, fitting })
    }

    /// What has to be saved, beside the state of the world of its fitting.
    pub fn saved(&self) -> SavedTailor {
        SavedTailor {
            is_coarse: self.is_coarse(),
            fitting: self.fitting.saved(),
            panels: Some(self.fitting.panel_count()),
            dressing: self.dressing.clone(),
        }
    }

    /// Where the vertices of the panels asked for are now, in the order of the pattern [m]: carried by the coarse ones while
    /// it is sewn with these. Those of garments that are not put on yet are all in one point between the feet.
    pub fn panel_positions(&self) -> Vec<DVec3> {
        let arranged = self.fitting.vertices().len() as u32;
        let (low, high) = self.body.bounds().unwrap_or_default();
        let feet = DVec3::new(0.5 * (low.x + high.x), low.y, 0.5 * (low.z + high.z));
        let at = |v: u32| if v < arranged { self.fitting.position(v) } else { feet };
        match &self.coarse {
            Some((_, carrier)) => carrier.carry(at).concat(),
            None => {
                let all = self.mesh.offsets().last().copied().unwrap_or(arranged);
                (0..all).map(at).collect()
            }
        }
    }

    /// Whether what is worn is held close to the body for the next garment of the outfit: its material is narrower than it is cut.
    pub fn is_basted(&self) -> bool {
        self.fitting.is_basted()
    }

    /// Whether all garments of the outfit are put on, or being sewn around the others.
    pub fn is_dressed(&self) -> bool {
        self.fitting.panel_count() == self.mesh.panels.len()
    }

    /// Whether its mesh stays the same from now on: it is of the triangles asked for, and all seams are closed.
    pub fn is_sewn(&self) -> bool {
        !self.is_coarse()
            && self.is_dressed()
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
        !self.is_coarse() && self.is_dressed() && self.fitting.stage() == Stage::Done
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
        let Some((coarse, _)) = &self.coarse else {
            let report = self.fitting.step()?;
            if !self.is_dressed() && !self.baste()? {
                let next = self.dress_further(&self.mesh)?;
                next.into_iter().for_each(|next| self.fitting = next);
            }
            return Ok(report);
        };
        let stop = self.fitting.stop_flag();
        let result = match self.fitting.step() {
            Ok(report) => {
                if !self.is_dressed() && !self.fitting.is_stuck() {
                    let next = match self.fitting.is_worn() && !self.fitting.is_basted() {
                        true if self.fitting.baste(below_armpits(&self.landmarks))? => Ok(None),
                        _ => self.dress_further(coarse),
                    };
                    match next {
                        Ok(next) => next.into_iter().for_each(|next| self.fitting = next),
                        Err(_) => self.begin_fine()?,
                    }
                } else if self.fitting.is_settling() {
                    match self.fitting.refined(coarse, &self.mesh, &self.body)? {
                        Some(fine) => (self.fitting, self.coarse) = (fine, None),
                        None => self.begin_fine()?,
                    }
                } else if self.fitting.stage() == Stage::Done || self.fitting.is_stuck() {
                    self.begin_fine()?;
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
                self.begin_fine()?;
                self.fitting.stop_with(Arc::clone(&stop));
                self.fitting.step()
            }
        };
        self.fitting.stop_with(stop);
        result
    }

    /// Begins to hold what is worn close to the body, if it hangs and is loose.
    fn baste(&mut self) -> Result<bool, Error> {
        let is_due = self.fitting.is_worn() && !self.fitting.is_basted();
        Ok(is_due && self.fitting.baste(below_armpits(&self.landmarks))?)
    }

    /// Starts again with coarse triangles, sleeves before and behind the arms.
    fn with_flat_sleeves(&self, coarse: &PatternMesh) -> Result<Fitting, Error> {
        let body = coarse_body(&self.body, self.edge_length);
        self.first_garment(coarse, &body, Sleeves::Flat)
    }

    /// The next garment of an outfit around what is worn, when that hangs; `mesh` has the panels of all garments.
    fn dress_further(&self, mesh: &PatternMesh) -> Result<Option<Fitting>, Error> {
        let worn = self.fitting.panel_count();
        let next = self.dressing.iter().find(|end| **end > worn);
        let Some(end) = next.filter(|_| self.fitting.is_worn()) else { return Ok(None) };
        let (pattern, own) = (self.pattern.part(worn..*end), mesh.part(worn..*end));
        let (upto, cloth) = (mesh.part(0..*end), self.fitting.worn_mesh());
        let body = match self.is_coarse() {
            true => coarse_body(&self.body, self.edge_length),
            false => Cow::Borrowed(&*self.body),
        };
        for moves in 0..MOVES {
            let (landmarks, sleeves) = (&self.landmarks, Sleeves::Rolled);
            let arranged = arrange_over(&pattern, &own, &body, landmarks, sleeves, &cloth, moves)?;
            if let Some(fitting) = self.fitting.over(&upto, &arranged)? {
                return Ok(Some(fitting));
            }
        }
        let panel = own.panels.first().map_or(String::new(), |p| p.name.clone());
        Err(Error::NotClear { panel, what: "what is worn within".into() })
    }

    /// Starts again with the triangles asked for.
    fn begin_fine(&mut self) -> Result<(), Error> {
        self.fitting = self.restart()?;
        self.coarse = None;
        Ok(())
    }

    /// The first garment with the triangles asked for.
    fn restart(&self) -> Result<Fitting, Error> {
        self.first_garment(&self.mesh, &self.body, Sleeves::Rolled)
    }

    /// The first garment with the panels of `mesh`, on a body or a shell of it.
    fn first_garment(
        &self,
        mesh: &PatternMesh,
        body: &TriMesh,
        sleeves: Sleeves,
    ) -> Result<Fitting, Error> {
        let first = 0..self.dressing.first().copied().unwrap_or(self.pattern.panels.len());
        let (pattern, mesh) = (self.pattern.part(first.clone()), mesh.part(first));
        begun(&pattern, &mesh, body, &self.landmarks, &self.fabrics, sleeves)
    }
}

/// How high what is worn is held close to the body for the next garment [m].
fn below_armpits(landmarks: &Landmarks) -> f64 {
    landmarks.armpit[0].y.min(landmarks.armpit[1].y) - 0.06
}

/// A garment arranged around a body.
fn begun(
    pattern: &Pattern,
    mesh: &PatternMesh,
    body: &TriMesh,
    landmarks: &Landmarks,
    fabrics: &Fabrics,
    sleeves: Sleeves,
) -> Result<Fitting, Error> {
    let nothing = TriMesh::default();
    let arranged = arrange_over(pattern, mesh, body, landmarks, sleeves, &nothing, 0)?;
    Fitting::new(mesh, &arranged, body, fabrics)
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
        let one = vec![pattern.panels.len()];
        let (pattern, mesh) = (Cow::Owned(pattern), Cow::Owned(mesh));
        let (body, landmarks) = (Cow::Owned(body), Cow::Owned(landmarks));
        Self::arranged(pattern, one, mesh, edge_length, body, landmarks, fabrics)
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
