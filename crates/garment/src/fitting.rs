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

mod hold;
mod join;
mod open;
mod order;
mod refine;
mod saved;
mod setup;

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
/// Most steps in which seams over the body are closed before the others, and how much harder their threads pull.
const FIRST: u32 = 16;
const FIRST_PULL: f64 = 6.0;
/// Steps with the gentlest pull; after them it grows by this factor in each.
const GENTLE: u32 = 8;
const GROWTH: f64 = 1.2;
/// Pull beyond which no seam is closed: that of a hand which draws a tight cuff together [N/m]. Only what stays wide open is drawn so hard.
const PULL_BY_HAND: f64 = 4000.0;
/// A seam that stays wide open for so many steps is drawn by this factor harder in each.
const HAND_STALLED: u32 = 3;
const HAND_GROWTH: f64 = 1.7;
/// Openings above this are drawn together by hand, too, in patterns with frames [m].
const TIGHT: f64 = 0.01;
/// Part of the velocity that is kept from step to step while the garment settles; nothing is when it has begun to slow down.
const KEPT: f64 = 0.9;
/// Most steps until all seams are closed.
const PATIENCE: u32 = 80;
/// Sewing is at its end, too, if in so many steps the widest opening has not become smaller by this factor …
const STALLED: u32 = 10;
const SMALLER: f64 = 0.9;
/// … and is smaller than so many stitches: what lies crosswise is then ironed.
const CROSSWISE: f64 = 1.5;
/// … and than this [m].
const CROSSWISE_MOST: f64 = 0.03;
/// Steps between attempts to iron.
const IRON_AGAIN: u32 = 10;
/// Most iterations of a step of sewing: how it moves on the way matters to nobody, only that it does.
const SEWING_ITERATIONS: u32 = 12;
/// A step of sewing that takes more than so many, over all its parts, is one in which cloth is jammed.
const JAMMED: u32 = 4 * SEWING_ITERATIONS;
/// Length of a step [s].
pub const STEP: f64 = 0.02;
/// The shortest step of sewing [s], and how far a vertex may go in one step of it [m].
const SHORTEST_STEP: f64 = 0.005;
const MAX_DISPLACEMENT: f64 = 0.06;
/// Stitches that are farther open than this are first drawn in the shortest step [m].
const FAR: f64 = 0.2;
/// A garment is at rest when it moves less than this [m] …
const STAYS: f64 = 5e-4;
/// … and never faster than this [m/s], root mean squares …
const STILL: f64 = 5e-3;
/// … over so many steps in which nothing is slowed down.
const CALM: u32 = 20;
/// It is let go to see that at the latest when it is slower than this [m/s].
const SLOWEST: f64 = 2e-4;
/// It has found its place when it is slower than this [m/s], or after so many steps; from then on there is friction with the body.
const SLOW: f64 = 0.01;
const SLIDING: u32 = 80;
/// A panel all of which is so far below the feet has fallen off [m].
const BELOW: f64 = 0.1;
/// Steps after which what was crushed by sewing has come free.
const FALLING: u32 = 8;
/// A coarse garment is refined when it has found its place and is slower than this [m/s], or after so many steps.
const SETTLED: f64 = 0.02;
const SETTLING: u32 = 100;
/// Steps after which stitches that are still open will not close.
const STUCK: u32 = 40;
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

    /// Whether all seams are closed and the garment has found its place: when a coarse one may be refined. What moves far moves with large
    /// triangles, where a step costs a quarter.
    pub fn is_settling(&self) -> bool {
        let slow = self.has_friction && self.world.state().rms_speed() < SETTLED;
        self.stage == Stage::Draping
            && self.open_stitches() == 0
            && (slow && self.steps >= FALLING || self.steps >= SETTLING)
    }

    /// Whether stitches have stayed open for so long that they will stay so.
    pub(crate) fn is_stuck(&self) -> bool {
        self.stage == Stage::Draping && self.open_stitches() > 0 && self.steps >= STUCK
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

    /// Threads between all that is sewn and not yet joined.
    fn thread(&mut self) -> Result<(), Error> {
        let force = self.pull[0] * self.spacing;
        // Only what is open is drawn by hand: all that is closed would be pressed together as hard.
        let gentle = self.pull[0].min(self.pull[1]) * self.spacing;
        let due = |k: &usize| !self.joined[*k] && (!self.is_first || self.first[*k]);
        let open = (0..self.pairs.len()).filter(due).map(|k| (&self.pairs[k], k));
        let at = |pair: &[u32; 2]| pair.map(|v| self.at[v as usize]);
        let threads = open.map(|(pair, k)| {
            let force = if self.gap(*pair) > 2.0 * self.closed { force } else { gentle };
            let force = if self.first[k] { FIRST_PULL * force } else { force };
            Seam { vertices: at(pair), force, slack: self.closed, rest: 0.0 }
        });
        let tapes = if self.stage == Stage::Sewing { &[][..] } else { &self.tapes };
        let tapes = tapes.iter().map(|tape| Seam { vertices: at(&tape.vertices), ..*tape });
        let seams = threads
            .chain(tapes)
            .chain(self.elastic_threads())
            .filter(|s| s.vertices[0] != s.vertices[1])
            .collect();
        Ok(self.world.sew(seams)?)
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
        self.enter_next_stage()?;
        Ok(report)
    }

    /// Why a step failed: where seams are drawn together by hand and cannot close, cloth is pressed until nothing moves any more, and the seam
    /// that stays open is the cause.
    fn cause(&self, error: Error) -> Error {
        let is_drawn = self.stage == Stage::Sewing && self.pull[0] > self.pull[1];
        match error {
            Error::Sim(toile_sim::Error::Unresolved { .. }) if is_drawn => {
                self.open().unwrap_or(error)
            }
            error => error,
        }
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
        Ok(self.world.step()?)
    }

    /// Sews in steps so short that nothing moves far in one of them. Velocities are zero when a step of sewing begins, so its length only says how
    /// far the cloth follows the threads, like the weight of a proximal point: a gap of half a metre would be closed in one step by the border of
    /// the panel alone, with all the cloth behind it stretched, and with contact candidates of all that is on the way.
    fn limit_displacement(&mut self) -> Result<(), Error> {
        let step = self.world.settings().step;
        let threads = self.world.seams().iter().filter(|s| s.rest == 0.0);
        let farthest = threads.map(|s| s.gap(&self.world.state().x)).fold(0.0, f64::max);
        let wanted = match self.displacement {
            None if farthest > FAR => SHORTEST_STEP,
            Some(d) if d > MAX_DISPLACEMENT => (0.5 * step).max(SHORTEST_STEP),
            Some(d) if d < 0.25 * MAX_DISPLACEMENT => (2.0 * step).min(STEP),
            _ => step,
        };
        if wanted != step {
            self.world.set_settings(Settings { step: wanted, ..self.world.settings().clone() })?;
        }
        Ok(())
    }

    /// Lets threads pull harder: no more than the fabric bears well, unless a seam stays wide open.
    fn pull_harder(&mut self) -> Result<(), Error> {
        let widest = self.widest_gap();
        let has_stalled = !self.is_first && self.steps >= self.progress.1 + HAND_STALLED;
        // Formats with frames draw what is too tight to be closed by threads alone.
        let is_tight = self.is_framed && has_stalled && widest > TIGHT;
        let is_wide = widest > self.crosswise() || is_tight;
        let most = if is_wide { PULL_BY_HAND.max(self.pull[1]) } else { self.pull[1] };
        let is_stalled = is_wide && has_stalled;
        let growth = if is_stalled { HAND_GROWTH } else { GROWTH };
        // What was drawn hard is not let go again.
        self.pull[0] = (self.pull[0] * growth).min(most.max(self.pull[0]));
        self.thread()
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
                self.has_friction = self.is_elastic;
                self.weld()?;
                self.iron()?;
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

    /// Joins the seams that are sewn first when they are closed, and sews the others, too. Not before: they have few stitches, which
    /// all others together would draw open again.
    fn end_first(&mut self) -> Result<(), Error> {
        let first = self.pairs.iter().zip(&self.first).filter(|(_, first)| **first);
        let widest = first.map(|(pair, _)| self.gap(*pair)).fold(0.0, f64::max);
        if widest < 2.0 * self.closed || self.steps >= FIRST { self.sew_others() } else { Ok(()) }
    }

    /// Lets go of what is drawn so hard that steps have to be cut into many.
    fn relieve(&mut self) -> Result<(), Error> {
        if self.is_first {
            return self.sew_others();
        }
        self.pull[0] = (0.5 * self.pull[0]).max(PULL_LEAST);
        self.thread()
    }

    /// Joins what is closed of the seams that are sewn first, and begins with the others.
    fn sew_others(&mut self) -> Result<(), Error> {
        (self.is_first, self.steps, self.displacement) = (false, 0, None);
        self.progress = (f64::INFINITY, 0);
        self.weld()?;
        self.thread()
    }

    /// Name of a panel that is wholly below the feet.
    fn fallen(&self) -> Option<String> {
        let (x, triangles) = (&self.world.state().x, &self.world.model().mesh.triangles);
        let feet = self.body.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let below = |t: u32| triangles[t as usize].iter().all(|v| x[*v as usize].y < feet - BELOW);
        let panel = self.ranges.iter().find(|r| r.triangles.clone().all(below));
        panel.map(|r| r.name.clone())
    }

    /// Whether threads have done what they can: all seams are nearly closed, or all but what lies crosswise.
    fn is_sewn(&mut self) -> bool {
        let widest = self.widest_gap();
        if widest < SMALLER * self.progress.0 {
            self.progress = (widest, self.steps);
        }
        let stalled =
            self.steps >= GENTLE + STALLED && self.steps.saturating_sub(self.progress.1) >= STALLED;
        widest < 2.0 * self.closed || stalled && widest < self.crosswise()
    }

    /// How far open what lies crosswise may be to be ironed [m].
    fn crosswise(&self) -> f64 {
        (CROSSWISE * self.spacing).min(CROSSWISE_MOST)
    }

    /// Whether it is at rest.
    fn rest(&mut self) -> Result<(), Error> {
        let speed = self.world.state().rms_speed();
        if !self.has_friction {
            let slow = self.steps > 10 && speed < SLOW;
            if slow || self.steps > SLIDING {
                self.has_friction = true;
                self.renew()?;
            }
            return Ok(());
        }
        let x = &self.world.state().x;
        self.calm = match self.calm.take() {
            Some((steps, from)) if speed < STILL && from.len() == x.len() => {
                Some((steps + 1, from))
            }
            None if speed < self.slow => Some((0, x.clone())),
            _ => None,
        };
        if let Some((CALM.., from)) = &self.calm {
            let distance: f64 = x.iter().zip(from).map(|(x, from)| x.distance_squared(*from)).sum();
            if (distance / x.len() as f64).sqrt() < STAYS && self.open_stitches() == 0 {
                self.stage = Stage::Done;
            }
            // It swings: let go too early.
            self.slow = (0.5 * self.slow).max(SLOWEST);
            self.calm = None;
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
