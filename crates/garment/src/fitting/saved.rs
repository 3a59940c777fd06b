//! Saved fittings: a stopped drape resumes bit for bit.
//!
//! A fitting is rebuilt from its pattern, its body and its fabrics, which do not change. What does change is the state of its
//! world and what is here. The mesh of the world follows from which stitches are joined; its positions when it was made are kept,
//! because the order of the collision tree depends on them.

use super::baste::Basting;
use super::hold::Start;
use super::setup::joined;
use super::{Fitting, Grip, Stage, world};
use crate::arrange::Arrangement;
use crate::error::Error;
use crate::fabrics::Fabrics;
use crate::weld::{Meet, Weld};
use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;
use toile_sim::{Settings, State};

/// What is saved of a fitting, beside the state of its world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedFitting {
    pub(super) stage: Stage,
    pub(super) steps: u32,
    pub(super) attempts: u64,
    pub(super) has_friction: bool,
    pub(super) bands: Vec<bool>,
    pub(super) joined: Vec<bool>,
    #[serde(default)]
    pub(super) worn: u32,
    /// Steps of basting that are left, and material coordinates of what is basted.
    #[serde(default)]
    pub(super) basting: u32,
    #[serde(default)]
    pub(super) narrow: Option<Vec<DVec2>>,
    #[serde(default)]
    pub(super) is_framed: bool,
    #[serde(default)]
    pub(super) is_first: bool,
    #[serde(default)]
    pub(super) has_rolled_sleeves: bool,
    #[serde(default)]
    pub(super) displacement: Option<f64>,
    /// Length of the step [s].
    #[serde(default = "usual_step")]
    pub(super) step: f64,
    #[serde(default)]
    pub(super) clock: (u64, f64),
    /// Which pairs are sewn first; it depends on where they were arranged.
    #[serde(default)]
    pub(super) first: Vec<bool>,
    #[serde(default)]
    pub(super) grip: Grip,
    #[serde(default)]
    pub(super) start: Option<Start>,
    #[serde(default)]
    pub(super) elastic: Vec<([u32; 2], f64)>,
    pub(super) calm: Option<(u32, Vec<DVec3>)>,
    pub(super) slow: f64,
    pub(super) speed: f64,
    pub(super) pull: [f64; 2],
    pub(super) progress: (f64, u32),
    /// Positions with which the present world was made [m].
    pub(super) origin: Vec<DVec3>,
}

fn usual_step() -> f64 {
    super::STEP
}

impl Fitting {
    /// What has to be saved, beside the state of its world.
    pub fn saved(&self) -> SavedFitting {
        SavedFitting {
            stage: self.stage,
            steps: self.steps,
            attempts: self.attempts as u64,
            has_friction: self.has_friction,
            bands: self.bands.clone(),
            joined: self.joined.clone(),
            worn: self.worn,
            basting: self.basting.steps,
            narrow: self.basting.loose.as_ref().map(|l| self.panels.uv[..l.len()].to_vec()),
            is_framed: self.is_framed,
            has_rolled_sleeves: self.has_rolled_sleeves,
            displacement: self.displacement,
            step: self.world.settings().step,
            clock: self.clock,
            is_first: self.is_first,
            first: self.first.clone(),
            grip: self.grip,
            start: self.start.clone(),
            elastic: self.elastic.clone(),
            calm: self.calm.clone(),
            slow: self.slow,
            speed: self.speed,
            pull: self.pull,
            progress: self.progress,
            origin: self.world.model().mesh.positions.clone(),
        }
    }

    /// Resumes from a saved fitting and the state of its world. Pattern, body and fabrics must be those that it was saved with.
    ///
    /// # Errors
    /// If the state belongs to another garment.
    pub fn restored(
        mesh: &PatternMesh,
        saved: SavedFitting,
        state: State,
        body: &TriMesh,
        fabrics: &Fabrics,
    ) -> Result<Self, Error> {
        let pairs = mesh.sewn_pairs();
        if saved.joined.len() != pairs.len() || saved.bands.len() != mesh.panels.len() {
            return Err(Error::OtherGarment);
        }
        let flat = mesh.panels.iter().map(|p| p.mesh.positions.clone()).collect();
        let arrangement = Arrangement {
            panels: flat,
            bands: saved.bands,
            sleeves: Vec::new(),
            is_framed: saved.is_framed,
        };
        let (mut panels, ranges) = joined(mesh, &arrangement);
        let mut loose = None;
        if let Some(narrow) = &saved.narrow {
            let own = panels.uv.get_mut(..narrow.len()).ok_or(Error::OtherGarment)?;
            loose = Some(own.to_vec());
            own.copy_from_slice(narrow);
        }
        let sewn = pairs.iter().zip(&saved.joined).filter(|(_, joined)| **joined);
        let sewn: Vec<[u32; 2]> = sewn.map(|(pair, _)| *pair).collect();
        let Weld { map, mesh: mut whole } =
            Weld::new(&panels, &panels.positions, &sewn, Meet::Middle);
        if whole.positions.len() != saved.origin.len() {
            return Err(Error::OtherGarment);
        }
        whole.positions = saved.origin;
        let friction = if saved.has_friction { None } else { Some(0.0) };
        let mut world = world(whole, &ranges, body, fabrics, friction, saved.stage)?;
        world.set_settings(Settings { step: saved.step, ..world.settings().clone() })?;
        // First where its clock began to count: sums of times are rounded.
        world.restore(State { step: saved.clock.0, time: saved.clock.1, ..state.clone() })?;
        world.restore(state)?;
        let mut fitting =
            Self::assembled(mesh, panels, ranges, &arrangement.bands, body, fabrics, world);
        (fitting.is_framed, fitting.has_rolled_sleeves) =
            (arrangement.is_framed, saved.has_rolled_sleeves);
        (fitting.displacement, fitting.clock) = (saved.displacement, saved.clock);
        (fitting.at, fitting.worn) = (map, saved.worn);
        fitting.basting = Basting { steps: saved.basting, loose };
        fitting.joined = saved.joined;
        (fitting.stage, fitting.steps, fitting.has_friction) =
            (saved.stage, saved.steps, saved.has_friction);
        fitting.attempts = saved.attempts as usize;
        (fitting.is_first, fitting.first) = (saved.is_first, saved.first);
        (fitting.grip, fitting.start, fitting.elastic) = (saved.grip, saved.start, saved.elastic);
        (fitting.calm, fitting.slow, fitting.speed) = (saved.calm, saved.slow, saved.speed);
        (fitting.pull, fitting.progress) = (saved.pull, saved.progress);
        if fitting.stage != Stage::Sewing {
            fitting.world.set_gravity(super::GRAVITY)?;
        }
        fitting.thread()?;
        Ok(fitting)
    }
}
