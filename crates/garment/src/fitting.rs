//! From arranged panels to a garment at rest (G4).
//!
//! First threads draw the seams together, slowly: velocities are forgotten after every step, so that nothing swings. When
//! all seams are nearly closed, sewn vertices are made one, gravity begins, and what moves is slowed down until the garment hangs
//! still. Threads pull no harder than the fabric bears: by a share of its stiffness.
//!
//! Until the garment has found its place there is no friction with the body, as if the wearer tugged it straight; one with an elastic does,
//! since it stays where that is put by friction alone. Bands around the
//! waist are stayed when they are closed, as tailors do it: a tape along both long edges keeps them from being stretched by
//! what hangs on them.
//!
//! **At rest** is a garment that stays where it is by itself: over 0.4 s in which nothing is slowed down artificially, its vertices
//! move by less than half a millimetre, root mean square, and never faster than 5 mm/s. What is out of balance on the mean over
//! that time is then less than three thousandths of the weight.

mod baste;
mod hold;
mod join;
mod open;
mod order;
mod over;
mod refine;
mod rest;
mod saved;
mod setup;
mod threads;

pub use hold::Grip;
pub(crate) use refine::Carrier;
pub use saved::SavedFitting;

use crate::arrange::Arrangement;
use crate::error::Error;
use crate::fabrics::Fabrics;
use crate::weld::Weld;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use setup::{joined, spacing, tapes};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use threads::KEEPS_LENGTH;
use toile_collide::field;
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;
use toile_sim::barrier::Seam;
use toile_sim::body::Shape;
use toile_sim::{
    Body, Cloth, Deformation, Fabric, Piece, Preset, Settings, State, StepReport, Surroundings,
    World,
};

/// Pull of the threads while panels come together, and when they are tightest, as a share of the stiffness of the fabric.
const PULL: [f64; 2] = [0.1, 4.0];
/// Bounds of that pull [N/m].
const PULL_LEAST: f64 = 3.0;
const PULL_MOST: [f64; 2] = [15.0, 600.0];
/// Steps with the gentlest pull.
const GENTLE: u32 = 8;
/// Part of the velocity that is kept from step to step while the garment settles; nothing is when it has begun to slow down.
const KEPT: f64 = 0.9;
/// Most steps until all seams are closed.
const PATIENCE: u32 = 80;
/// Steps between attempts to iron.
const IRON_AGAIN: u32 = 10;
/// Most iterations of a step of sewing: how it moves on the way matters to nobody, only that it does.
const SEWING_ITERATIONS: u32 = 12;
/// A step of sewing that takes more than so many, over all its parts, is one in which cloth is jammed.
const JAMMED: u32 = 4 * SEWING_ITERATIONS;
/// Length of a step [s].
pub const STEP: f64 = 0.02;
/// A garment at rest is never faster than this [m/s], root mean square.
const STILL: f64 = 5e-3;
/// Steps after which a garment with open stitches is given up.
const HOPELESS: u32 = 90;
/// Steps between attempts to join what could not be joined yet.
const AGAIN: u32 = 2;

/// Acceleration of free fall [m/s²].
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// How far a fitting is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Seams are being closed.
    Sewing,
    /// The garment comes to rest.
    Draping,
    /// It is at rest.
    Done,
}

/// A panel of a garment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelRange {
    /// Its name.
    pub name: String,
    /// Its triangles in the mesh of the garment; they stay the same when vertices are joined.
    pub triangles: Range<u32>,
}

/// A garment that is sewn and draped on a body.
#[derive(Debug)]
pub struct Fitting {
    world: World,
    /// Panels as they were arranged, in one mesh, apart in the material plane.
    panels: TriMesh,
    ranges: Vec<PanelRange>,
    /// Where each vertex of the panels is in the world.
    at: Vec<u32>,
    /// Vertices of the panels that are sewn together, and whether they are one already.
    pairs: Vec<[u32; 2]>,
    joined: Vec<bool>,
    /// Which of them are sewn first, and whether that is going on.
    first: Vec<bool>,
    is_first: bool,
    /// Names of the seams they belong to, in the same order.
    seams: Vec<String>,
    /// Tapes along bands, and elastics, from vertex to vertex of the panels.
    tapes: Vec<Seam>,
    /// What is worn is held close to the body while the next garment is sewn.
    basting: baste::Basting,
    /// How many vertices of panels were worn before the present sewing began: they are the first ones.
    worn: u32,
    /// Which panels are bands around the waist.
    bands: Vec<bool>,
    /// Length of seam that a thread holds [m].
    spacing: f64,
    fabrics: Fabrics,
    body: TriMesh,
    stage: Stage,
    /// Steps of the present stage.
    steps: u32,
    /// How often joining has been tried.
    attempts: usize,
    /// Whether it has an elastic.
    is_elastic: bool,
    /// Whether the body has friction.
    has_friction: bool,
    /// Whether its pattern says nothing of what holds it up.
    is_framed: bool,
    /// Whether sleeves began rolled around the arms.
    has_rolled_sleeves: bool,
    /// How it is kept from falling, and where it was when it was let go.
    grip: Grip,
    start: Option<hold::Start>,
    /// An elastic that keeps it up: vertices of the panels, and the length without tension between them [m].
    elastic: Vec<([u32; 2], f64)>,
    /// Where it was when it was let go to find out whether it stays, if nothing has been slowed down since, and how many steps ago.
    calm: Option<(u32, Vec<DVec3>)>,
    /// It is let go when it is slower [m/s].
    slow: f64,
    /// Speed after the step before, root mean square [m/s].
    speed: f64,
    /// How far the fastest vertex went in the step before [m], if there was one.
    displacement: Option<f64>,
    /// Step and time [s] from which steps of its world have the present length.
    clock: (u64, f64),
    /// Present and largest pull of the threads [N/m].
    pull: [f64; 2],
    /// Opening of a seam within which threads are springs [m].
    closed: f64,
    /// The widest opening when it last became much smaller [m], and in which step.
    progress: (f64, u32),
    /// The body, to be asked for its nearest points: when something has to be ironed.
    skin: Option<field::Solid>,
    /// Cancels the running step.
    stop: Arc<AtomicBool>,
}

impl Fitting {
    /// Panels around a body, of one fabric or several.
    ///
    /// # Errors
    /// If the simulation refuses something.
    pub fn new(
        mesh: &PatternMesh,
        arrangement: &Arrangement,
        body: &TriMesh,
        fabrics: impl Into<Fabrics>,
    ) -> Result<Self, Error> {
        let fabrics = fabrics.into();
        let (panels, ranges) = joined(mesh, arrangement);
        let world = world(panels.clone(), &ranges, body, &fabrics, Some(0.0), Stage::Sewing)?;
        let bands = &arrangement.bands;
        let mut fitting = Self::assembled(mesh, panels, ranges, bands, body, &fabrics, world);
        fitting.first = order::first(mesh, &fitting.panels.positions, body, &arrangement.sleeves);
        fitting.is_first = fitting.first.contains(&true);
        fitting.is_framed = arrangement.is_framed;
        fitting.has_rolled_sleeves = arrangement.sleeves.iter().any(Option::is_some);
        fitting.thread()?;
        Ok(fitting)
    }

    /// A fitting that is about to begin, in a world of its panels.
    fn assembled(
        mesh: &PatternMesh,
        panels: TriMesh,
        ranges: Vec<PanelRange>,
        bands: &[bool],
        body: &TriMesh,
        fabrics: &Fabrics,
        world: World,
    ) -> Self {
        // Threads must not pull harder than the weakest bears.
        let each = fabrics.all().map(|f| f.weft.min(f.warp));
        let stiffness = each.fold(f64::INFINITY, f64::min);
        let pull = std::array::from_fn(|k| {
            (PULL[k] * stiffness).clamp(PULL_LEAST, PULL_MOST[k].max(PULL_LEAST))
        });
        let pairs = mesh.sewn_pairs();
        let seams = mesh.stitchings.iter().flat_map(|s| s.pairs.iter().map(|_| s.name.clone()));
        let closed = 3.0 * world.separation();
        Self {
            at: (0..panels.positions.len() as u32).collect(),
            joined: vec![false; pairs.len()],
            is_first: false,
            first: Vec::new(),
            seams: seams.collect(),
            bands: bands.to_vec(),
            tapes: tapes(mesh, bands),
            worn: 0,
            basting: baste::Basting::default(),
            spacing: spacing(mesh),
            fabrics: fabrics.clone(),
            body: body.clone(),
            stage: Stage::Sewing,
            steps: 0,
            attempts: 0,
            is_elastic: mesh.panels.iter().any(|p| !p.elastics.is_empty()),
            has_friction: false,
            is_framed: false,
            has_rolled_sleeves: false,
            grip: Grip::default(),
            start: None,
            elastic: Vec::new(),
            calm: None,
            slow: 0.5 * STILL,
            speed: 0.0,
            displacement: None,
            clock: (0, 0.0),
            pull,
            closed,
            progress: (f64::INFINITY, 0),
            skin: None,
            stop: Arc::default(),
            world,
            panels,
            ranges,
            pairs,
        }
    }

    /// The world it is in. Its vertices change when seams are closed: sewn vertices become one.
    pub fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn into_world(self) -> World {
        self.world
    }

    /// Sets a flag that cancels the running step, which then leaves everything unchanged.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        self.world.stop_with(Arc::clone(&flag));
        self.stop = flag;
    }

    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// The same, mutable.
    pub(crate) fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// How far it is.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The panels, in the order of the pattern.
    pub fn panels(&self) -> &[PanelRange] {
        &self.ranges
    }

    /// For each vertex of the panels, in the order of the pattern, its vertex in the garment.
    pub fn vertices(&self) -> &[u32] {
        &self.at
    }

    /// How many pairs of sewn vertices are still held by threads.
    pub fn open_stitches(&self) -> usize {
        self.joined.iter().filter(|j| !**j).count()
    }

    /// Whether sleeves began rolled around the arms.
    pub(crate) fn has_rolled_sleeves(&self) -> bool {
        self.has_rolled_sleeves
    }

    /// The widest opening of a seam [m].
    pub fn widest_gap(&self) -> f64 {
        self.pairs.iter().map(|p| self.gap(*p)).fold(0.0, f64::max)
    }

    /// Both ends of every thread between stitches that are still open [m].
    pub fn threads(&self) -> Vec<[DVec3; 2]> {
        let open = self.pairs.iter().zip(&self.joined).filter(|(_, joined)| !**joined);
        open.map(|(pair, _)| pair.map(|v| self.position(v))).collect()
    }

    fn gap(&self, pair: [u32; 2]) -> f64 {
        let x = &self.world.state().x;
        let [a, b] = pair.map(|v| x[self.at[v as usize] as usize]);
        a.distance(b)
    }

    /// Where a vertex of the panels is now, counted over all of them in the order of the pattern [m].
    pub(crate) fn position(&self, vertex: u32) -> DVec3 {
        self.world.state().x[self.at[vertex as usize] as usize]
    }

    /// The garment as it is: all panels in one mesh, with one vertex where vertices are sewn together.
    pub fn mesh(&self) -> TriMesh {
        let mut mesh = self.world.model().mesh.clone();
        mesh.positions.clone_from(&self.world.state().x);
        mesh
    }

    /// One step.
    ///
    /// # Errors
    /// If the solver fails; the state before it stays.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        let (pull, speed, state) = (self.pull, self.speed, self.world.state().clone());
        let report = match self.step_world() {
            Ok(report) => report,
            Err(error) => {
                (self.pull, self.speed) = (pull, speed);
                // The length that was chosen for this step is kept when it is tried again.
                self.displacement = self.displacement.map(|_| KEEPS_LENGTH);
                self.world.restore(state)?;
                let is_jammed = matches!(error, Error::Sim(toile_sim::Error::Unresolved { .. }));
                if !(self.is_first && is_jammed) {
                    self.thread()?;
                    return Err(self.cause(error));
                }
                // What is drawn hardest presses cloth to the body until nothing moves: the other seams relieve it.
                self.sew_others()?;
                self.step_world()?
            }
        };
        self.steps += 1;
        let state = self.world.state();
        let fastest = state.v.iter().map(|v| v.length()).fold(0.0, f64::max);
        self.displacement = Some(fastest * self.world.settings().step);
        if self.is_framed && self.stage == Stage::Sewing && report.iterations > JAMMED {
            self.relieve()?;
        }
        if self.basting.steps > 0 {
            self.basting.steps -= 1;
        } else {
            self.enter_next_stage()?;
        }
        Ok(report)
    }

    /// A step of its world, with threads that pull harder from time to time and velocities that are slowed down.
    fn step_world(&mut self) -> Result<StepReport, Error> {
        if self.stage == Stage::Sewing && self.steps >= GENTLE {
            self.pull_harder()?;
        }
        // Where all move slower than before, an equilibrium has been passed: it is sought from there anew [barnes1999].
        let speed = self.world.state().rms_speed();
        let keep = match (self.stage, &self.calm) {
            (Stage::Sewing, _) => 0.0,
            (Stage::Draping, None) if speed < KEPT * self.speed => 0.0,
            (Stage::Draping, None) => KEPT,
            _ => 1.0,
        };
        self.speed = keep * speed;
        let v = self.world.state().v.clone();
        self.world.set_velocities(|i, _| v[i as usize] * keep);
        if self.stage == Stage::Sewing && self.is_framed {
            self.limit_displacement()?;
        }
        if self.stage == Stage::Draping && self.open_stitches() > 0 && self.pull[0] > self.pull[1] {
            // Which stitches are drawn by hand follows from where they are now: who resumes knows no more.
            self.thread()?;
        }
        Ok(self.world.step()?)
    }

    /// Enters the next stage if this one is complete.
    fn enter_next_stage(&mut self) -> Result<(), Error> {
        if self.is_first {
            return self.end_first();
        }
        let sewn = self.stage == Stage::Sewing && self.is_sewn();
        match self.stage {
            Stage::Sewing if sewn => {
                (self.stage, self.steps) = (Stage::Draping, 0);
                self.has_friction = self.is_elastic || self.grip > Grip::Loose;
                self.weld()?;
                self.iron()?;
                self.unbaste()?;
                if self.world.settings().barrier.max_iterations == SEWING_ITERATIONS {
                    // Nothing was joined: the world is still that of sewing.
                    self.renew()?;
                }
                self.world.set_gravity(GRAVITY)?;
                self.thread()?;
                self.note_start();
            }
            Stage::Sewing if self.steps >= PATIENCE => {
                if let Some(open) = self.open() {
                    return Err(open);
                }
            }
            Stage::Draping => {
                if self.open_stitches() > 0 && self.steps.is_multiple_of(AGAIN) {
                    self.pull_harder()?;
                    self.weld()?;
                }
                if self.open_stitches() > 0 && self.steps.is_multiple_of(IRON_AGAIN) {
                    self.iron()?;
                }
                if let Some(open) = self.open().filter(|_| self.steps >= HOPELESS) {
                    return Err(open);
                }
                if self.hold()? {
                    return Ok(());
                }
                if let Some(panel) = self.fallen() {
                    return Err(Error::Fallen { panel });
                }
                self.rest()?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Lets the body move from now on, in steps of another length [s]: time begins anew at zero, unless it has done so before and the
    /// state is one that was `resumed`.
    ///
    /// # Errors
    /// If the simulation refuses something.
    pub(crate) fn animate(
        &mut self,
        deformation: Deformation,
        step: f64,
        resumed: bool,
    ) -> Result<(), Error> {
        (self.stage, self.has_friction) = (Stage::Done, true);
        let state = self.world.state().clone();
        let settings = Settings { step, ..self.world.settings().clone() };
        self.world.set_settings(settings)?;
        self.world.set_body_friction(0, None)?;
        self.world.set_body_deformation(0, Some(deformation))?;
        self.world.restore(State { time: 0.0, step: 0, previous_step: None, ..state.clone() })?;
        if resumed {
            self.world.restore(state)?;
        }
        Ok(())
    }

    /// Goes on as it is in a world of the present stage and friction.
    fn renew(&mut self) -> Result<(), Error> {
        let same = Weld { map: self.at.clone(), mesh: self.mesh() };
        let world = self.world_of(same.mesh.clone())?;
        self.go_on_in(world, &same, &[])
    }

    fn world_of(&self, mesh: TriMesh) -> Result<World, Error> {
        let friction = if self.has_friction { None } else { Some(0.0) };
        world(mesh, &self.ranges, &self.body, &self.fabrics, friction, self.stage)
    }
}

/// All panels as one cloth among the body, without gravity. `friction` is that of the body; the fabric's if not given.
fn world(
    mesh: TriMesh,
    ranges: &[PanelRange],
    body: &TriMesh,
    fabrics: &Fabrics,
    friction: Option<f64>,
    stage: Stage,
) -> Result<World, Error> {
    let piece = |(panel, fabric): &(usize, Fabric)| {
        let range = ranges.get(*panel)?;
        Some(Piece { triangles: range.triangles.clone(), fabric: fabric.clone() })
    };
    let pieces = fabrics.others().iter().filter_map(piece).collect();
    let fabric = fabrics.main().clone();
    let cloth = Cloth { name: "garment".into(), mesh, grid: None, fabric, pieces };
    let mut settings = Preset::Toile.settings();
    settings.step = STEP;
    if stage == Stage::Sewing {
        settings.barrier.max_iterations = SEWING_ITERATIONS;
    }
    let bodies = vec![Body { friction, ..Body::new("body", Shape::Mesh(body.clone())) }];
    let surroundings = Surroundings { bodies, gravity: DVec3::ZERO, ..Surroundings::default() };
    Ok(World::new(vec![cloth], surroundings, settings)?)
}
