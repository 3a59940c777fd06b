//! A garment from panels to rest, sewn with large triangles first.
//!
//! Sewing is most of the work where seams close hard. It is done with triangles of twice the length; when all seams are closed and
//! the garment has begun to fall, it goes on with those asked for ([`Fitting::refined`]). Where that fails, because the coarse
//! panels cannot be arranged or sewn, or the fine ones cannot be laid in their place, all is done with fine triangles from the start.

use crate::arrange::arrange;
use crate::error::Error;
use crate::fabrics::Fabrics;
use crate::fitting::{Fitting, Stage};
use toile_body::Landmarks;
use toile_mesh::TriMesh;
use toile_pattern::Pattern;
use toile_pattern::meshing::{self, PatternMesh};
use toile_sim::StepReport;

/// How much longer the edges of the coarse panels are.
const COARSER: f64 = 2.0;
/// Longest edges that are worth a coarser beginning [m].
const LONGEST: f64 = 0.015;

/// Somebody who makes a garment, step by step.
#[derive(Debug)]
pub struct Tailor<'a> {
    pattern: &'a Pattern,
    mesh: &'a PatternMesh,
    body: &'a TriMesh,
    landmarks: &'a Landmarks,
    fabrics: Fabrics,
    /// Coarse panels, while it is sewn with them.
    coarse: Option<PatternMesh>,
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
        (body, landmarks): (&'a TriMesh, &'a Landmarks),
        fabrics: impl Into<Fabrics>,
    ) -> Result<Self, Error> {
        let fabrics = fabrics.into();
        let begin = |mesh: &PatternMesh| {
            let arranged = arrange(pattern, mesh, body, landmarks)?;
            Fitting::new(mesh, &arranged, body, &fabrics)
        };
        let coarse = (edge_length <= LONGEST)
            .then(|| meshing::mesh(pattern, COARSER * edge_length).ok())
            .flatten()
            .and_then(|coarse| Some((begin(&coarse).ok()?, coarse)));
        let (fitting, coarse) = match coarse {
            Some((fitting, coarse)) => (fitting, Some(coarse)),
            None => (begin(mesh)?, None),
        };
        Ok(Self { pattern, mesh, body, landmarks, fabrics, coarse, fitting })
    }

    /// The same with fine triangles from the start.
    ///
    /// # Errors
    /// As for [`Tailor::new`].
    pub fn without_coarse(self) -> Result<Self, Error> {
        let fitting = self.begin_anew()?;
        Ok(Self { coarse: None, fitting, ..self })
    }

    /// The garment as it is; coarse while [`Tailor::is_coarse`].
    pub fn fitting(&self) -> &Fitting {
        &self.fitting
    }

    /// Whether it is being sewn with large triangles.
    pub fn is_coarse(&self) -> bool {
        self.coarse.is_some()
    }

    /// Whether it is at rest, in the triangles that were asked for.
    pub fn is_done(&self) -> bool {
        !self.is_coarse() && self.fitting.stage() == Stage::Done
    }

    /// One step.
    ///
    /// # Errors
    /// If a seam of the fine garment does not close, or the solver fails.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        let Some(coarse) = &self.coarse else { return self.fitting.step() };
        match self.fitting.step() {
            Ok(report) => {
                if self.fitting.is_settling() {
                    self.fitting = match self.fitting.refined(coarse, self.mesh)? {
                        Some(fine) => fine,
                        None => self.begin_anew()?,
                    };
                    self.coarse = None;
                } else if self.fitting.stage() == Stage::Done || self.fitting.is_stuck() {
                    self.fitting = self.begin_anew()?;
                    self.coarse = None;
                }
                Ok(report)
            }
            // Finer triangles would fall as well.
            Err(fallen @ Error::Fallen { .. }) => Err(fallen),
            Err(_) => {
                self.fitting = self.begin_anew()?;
                self.coarse = None;
                self.fitting.step()
            }
        }
    }

    fn begin_anew(&self) -> Result<Fitting, Error> {
        let arranged = arrange(self.pattern, self.mesh, self.body, self.landmarks)?;
        Fitting::new(self.mesh, &arranged, self.body, &self.fabrics)
    }
}
