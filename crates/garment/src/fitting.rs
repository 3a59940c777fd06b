//! From arranged panels to a garment at rest (G4).
//!
//! First threads draw the seams together, slowly: velocities are forgotten after every step, so that nothing swings. When
//! all seams are nearly closed, sewn vertices are made one, gravity begins, and what moves is slowed down until the garment hangs
//! still. Threads pull no harder than the fabric bears: by a share of its stiffness.
//!
//! Until the garment has found its place nothing rubs on the body, as if the wearer tugged it straight. Bands around the
//! waist are stayed when they are closed, as tailors do it: a tape along both long edges keeps them from being stretched by
//! what hangs on them.
//!
//! **At rest** is a garment that stays where it is by itself: over 0.4 s in which nothing is slowed down artificially, its vertices
//! move by less than half a millimetre, root mean square, and never faster than 5 mm/s. What is out of balance on the mean over
//! that time is then less than three thousandths of the weight.

use crate::arrange::Arrangement;
use crate::error::Error;
use crate::iron::iron;
use crate::weld::{Meet, Weld};
use glam::{DVec2, DVec3};
use std::ops::Range;
use toile_audit::Solid;
use toile_collide::field;
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;
use toile_sim::barrier::Seam;
use toile_sim::body::Shape;
use toile_sim::{Body, Cloth, Fabric, Preset, State, StepReport, Surroundings, World};

/// Pull of the threads while panels come together, and when they are tightest, as a share of the stiffness of the fabric.
const PULL: [f64; 2] = [0.1, 4.0];
/// Bounds of that pull [N/m].
const PULL_LEAST: f64 = 3.0;
const PULL_MOST: [f64; 2] = [15.0, 600.0];
/// Steps with the gentlest pull; after them it grows by this factor in each.
const GENTLE: u32 = 12;
const GROWTH: f64 = 1.1;
/// Part of the velocity that is kept from step to step while the garment settles; nothing is when it has begun to slow down.
const KEPT: f64 = 0.9;
/// Most steps until all seams are closed.
const PATIENCE: u32 = 120;
/// Sewing is at its end, too, if in so many steps the widest opening has not become smaller by this factor …
const STALLED: u32 = 10;
const SMALLER: f64 = 0.9;
/// … and is smaller than so many stitches: what lies crosswise is then ironed.
const CROSSWISE: f64 = 1.5;
/// Steps between attempts to iron, rings of edges that are ironed at most, and stitches apart that are ironed separately.
const IRON_AGAIN: u32 = 10;
const IRON_RINGS: u32 = 6;
const IRON_APART: f64 = 8.0;
/// Length of a step [s].
const STEP: f64 = 0.02;
/// A garment is at rest when it moves less than this [m] …
const STAYS: f64 = 5e-4;
/// … and never faster than this [m/s], root mean squares …
const STILL: f64 = 5e-3;
/// … over so many steps in which nothing is slowed down.
const CALM: u32 = 20;
/// It is let go to see that at the latest when it is slower than this [m/s].
const SLOWEST: f64 = 2e-4;
/// It has found its place when it is slower than this [m/s], or after so many steps; from then on it rubs on the body.
const SLOW: f64 = 0.01;
const SLIDING: u32 = 80;
/// Steps between attempts to join what could not be joined yet.
const AGAIN: u32 = 2;
/// Rounds in which what is to be joined is moved from the body, and then in which what cannot be joined is left out.
const ROUNDS: u32 = 12;
/// Stiffness of the tape that stays a band [N], and the strain beyond which its pull grows no more.
const TAPE: f64 = 100.0;
const TAPE_GIVES: f64 = 0.2;
/// The same strain for elastics, which are stretched to twice their length and more.
const ELASTIC_GIVES: f64 = 2.0;
/// Room between panels in the material plane [m].
const APART: f64 = 0.05;

/// How far a fitting is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A garment on its way onto a body.
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
    /// Names of the seams they belong to, in the same order.
    seams: Vec<String>,
    /// Tapes along bands, and elastics, from vertex to vertex of the panels.
    tapes: Vec<Seam>,
    /// Length of seam that a thread holds [m].
    spacing: f64,
    fabric: Fabric,
    body: TriMesh,
    stage: Stage,
    /// Steps of the present stage.
    steps: u32,
    /// How often joining has been tried.
    attempts: usize,
    /// Whether it rubs on the body.
    rubs: bool,
    /// Where it was when it was let go, if nothing has been slowed down since, and how many steps ago.
    calm: Option<(u32, Vec<DVec3>)>,
    /// It is let go when it is slower [m/s].
    slow: f64,
    /// Speed after the step before, root mean square [m/s].
    speed: f64,
    /// Present and largest pull of the threads [N/m].
    pull: [f64; 2],
    /// Opening of a seam within which threads are springs [m].
    closed: f64,
    /// The widest opening when it last became much smaller [m], and in which step.
    progress: (f64, u32),
    /// The body, to be asked for its nearest points: when something has to be ironed.
    skin: Option<field::Solid>,
}

impl Fitting {
    /// Panels of one fabric around a body.
    ///
    /// # Errors
    /// If the simulation refuses something.
    pub fn new(
        mesh: &PatternMesh,
        arrangement: &Arrangement,
        body: &TriMesh,
        fabric: &Fabric,
    ) -> Result<Self, Error> {
        let (panels, ranges) = joined(mesh, arrangement);
        let world = world(panels.clone(), body, fabric, Some(0.0))?;
        let stiffness = fabric.weft.min(fabric.warp);
        let pull = std::array::from_fn(|k| {
            (PULL[k] * stiffness).clamp(PULL_LEAST, PULL_MOST[k].max(PULL_LEAST))
        });
        let pairs = mesh.sewn_pairs();
        let seams = mesh.stitchings.iter().flat_map(|s| s.pairs.iter().map(|_| s.name.clone()));
        let closed = 3.0 * world.separation();
        let mut fitting = Self {
            at: (0..panels.positions.len() as u32).collect(),
            joined: vec![false; pairs.len()],
            seams: seams.collect(),
            tapes: tapes(mesh, &arrangement.bands),
            spacing: spacing(mesh),
            fabric: fabric.clone(),
            body: body.clone(),
            stage: Stage::Sewing,
            steps: 0,
            attempts: 0,
            rubs: false,
            calm: None,
            slow: 0.5 * STILL,
            speed: 0.0,
            pull,
            closed,
            progress: (f64::INFINITY, 0),
            skin: None,
            world,
            panels,
            ranges,
            pairs,
        };
        fitting.thread()?;
        Ok(fitting)
    }

    /// The world it is in. Its vertices change when seams are closed: sewn vertices become one.
    pub fn world(&self) -> &World {
        &self.world
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

    /// The widest opening of a seam [m].
    pub fn widest_gap(&self) -> f64 {
        self.pairs.iter().map(|p| self.gap(*p)).fold(0.0, f64::max)
    }

    fn gap(&self, pair: [u32; 2]) -> f64 {
        let x = &self.world.state().x;
        let [a, b] = pair.map(|v| x[self.at[v as usize] as usize]);
        a.distance(b)
    }

    /// Which seam is open, where, and whether there is cloth enough.
    pub fn open(&self) -> Option<Error> {
        let gap = |i: &usize| self.gap(self.pairs[*i]);
        let widest = (0..self.pairs.len()).max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
        let pair = self.pairs[widest];
        let panel = |v: u32| {
            let triangle = self.panels.triangles.iter().position(|t| t.contains(&v)).unwrap_or(0);
            let holds = |r: &PanelRange| r.triangles.contains(&(triangle as u32));
            self.ranges.iter().position(holds).unwrap_or(0)
        };
        let [a, b] = pair.map(|v| self.world.state().x[self.at[v as usize] as usize]);
        let middle = 0.5 * (a + b);
        Some(Error::Open {
            seam: self.seams[widest].clone(),
            panels: pair.map(|v| self.ranges[panel(v)].name.clone()),
            gap: a.distance(b),
            height: middle.y,
            girths: self.girths(panel(pair[0]), middle),
        })
    }

    /// Girth of the body at the height of a point, where it is nearest to it, and the length at rest of the cloth around it: of
    /// the panel, and of all that are sewn to it or to each other at that height. Nothing if the cloth goes around no part
    /// of the body.
    fn girths(&self, panel: usize, point: DVec3) -> Option<[f64; 2]> {
        let x: Vec<DVec3> = self.at.iter().map(|v| self.world.state().x[*v as usize]).collect();
        let panel_of = |t: usize| {
            self.ranges.iter().position(|r| r.triangles.contains(&(t as u32))).unwrap_or(0)
        };
        let mut of_vertex = vec![0; x.len()];
        for (t, tri) in self.panels.triangles.iter().enumerate() {
            tri.iter().for_each(|v| of_vertex[*v as usize] = panel_of(t));
        }
        // Seams that cross the plane join panels around the body.
        let mut around = vec![false; self.ranges.len()];
        around[panel] = true;
        let crossing = |p: &&[u32; 2]| (x[p[0] as usize].y - point.y).abs() < self.spacing;
        let links: Vec<[usize; 2]> =
            self.pairs.iter().filter(crossing).map(|p| p.map(|v| of_vertex[v as usize])).collect();
        for _ in 0..self.ranges.len() {
            for [a, b] in &links {
                let either = around[*a] || around[*b];
                (around[*a], around[*b]) = (either, either);
            }
        }
        let mut cloth = 0.0;
        for (t, tri) in
            self.panels.triangles.iter().enumerate().filter(|(t, _)| around[panel_of(*t)])
        {
            let (uv, h) = (self.panels.corners_uv(t), tri.map(|v| x[v as usize].y - point.y));
            let cut: Vec<DVec2> = [[0, 1], [1, 2], [2, 0]]
                .iter()
                .filter(|[i, k]| (h[*i] < 0.0) != (h[*k] < 0.0))
                .map(|[i, k]| uv[*i].lerp(uv[*k], h[*i] / (h[*i] - h[*k])))
                .collect();
            if let [p, q] = cut[..] {
                cloth += p.distance(q);
            }
        }
        let plane = toile_body::Plane::level(point.y);
        let loops = toile_body::slice(&self.body, plane);
        let far = |l: &&toile_body::Loop| {
            let ways = l.points.iter().map(|p| p.distance_squared(point));
            ways.fold(f64::INFINITY, f64::min)
        };
        let body = loops.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?.girth(plane.normal);
        (cloth > 0.5 * body).then_some([body, cloth])
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
        let open = self.pairs.iter().zip(&self.joined).filter(|(_, joined)| !**joined);
        let at = |pair: &[u32; 2]| pair.map(|v| self.at[v as usize]);
        let threads = open.map(|(pair, _)| at(pair)).map(|vertices| Seam {
            vertices,
            force,
            slack: self.closed,
            rest: 0.0,
        });
        let tapes = if self.stage == Stage::Sewing { &[][..] } else { &self.tapes };
        let tapes = tapes.iter().map(|tape| Seam { vertices: at(&tape.vertices), ..*tape });
        let seams = threads.chain(tapes).filter(|s| s.vertices[0] != s.vertices[1]).collect();
        Ok(self.world.sew(seams)?)
    }

    /// One step.
    ///
    /// # Errors
    /// If the solver fails; the state before it stays.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        if self.stage == Stage::Sewing && self.steps >= GENTLE {
            self.pull[0] = (self.pull[0] * GROWTH).min(self.pull[1]);
            self.thread()?;
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
        let report = self.world.step()?;
        self.steps += 1;
        let sewn = self.stage == Stage::Sewing && self.is_sewn();
        match self.stage {
            Stage::Sewing if sewn => {
                (self.stage, self.steps) = (Stage::Draping, 0);
                self.weld()?;
                self.iron()?;
                self.world.set_gravity(DVec3::Y * -9.81);
                self.thread()?;
            }
            Stage::Sewing if self.steps >= PATIENCE => {
                if let Some(open) = self.open() {
                    return Err(open);
                }
            }
            Stage::Draping => {
                if self.open_stitches() > 0 && self.steps.is_multiple_of(AGAIN) {
                    self.pull[0] = (self.pull[0] * GROWTH).min(self.pull[1]);
                    self.thread()?;
                    self.weld()?;
                }
                if self.open_stitches() > 0 && self.steps.is_multiple_of(IRON_AGAIN) {
                    self.iron()?;
                }
                self.rest()?;
            }
            _ => {}
        }
        Ok(report)
    }

    /// Whether threads have done what they can: all seams are nearly closed, or all but what lies crosswise.
    fn is_sewn(&mut self) -> bool {
        let widest = self.widest_gap();
        if widest < SMALLER * self.progress.0 {
            self.progress = (widest, self.steps);
        }
        let stalled = self.steps >= GENTLE + STALLED && self.steps - self.progress.1 >= STALLED;
        widest < 2.0 * self.closed || stalled && widest < CROSSWISE * self.spacing
    }

    /// Whether it is at rest.
    fn rest(&mut self) -> Result<(), Error> {
        let speed = self.world.state().rms_speed();
        if !self.rubs {
            let slow = self.steps > 10 && speed < SLOW;
            if slow || self.steps > SLIDING {
                self.rubs = true;
                let same = Weld { map: self.at.clone(), mesh: self.mesh() };
                let world = self.world_of(same.mesh.clone())?;
                self.go_on_in(world, &same, &[])?;
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
            let way: f64 = x.iter().zip(from).map(|(x, from)| x.distance_squared(*from)).sum();
            if (way / x.len() as f64).sqrt() < STAYS && self.open_stitches() == 0 {
                self.stage = Stage::Done;
            }
            // It swings: let go too early.
            self.slow = (0.5 * self.slow).max(SLOWEST);
            self.calm = None;
        }
        Ok(())
    }

    fn world_of(&self, mesh: TriMesh) -> Result<World, Error> {
        let friction = if self.rubs { None } else { Some(0.0) };
        world(mesh, &self.body, &self.fabric, friction)
    }

    /// Joins what is sewn and near enough, as far as nothing intersects; the rest stays on its threads.
    fn weld(&mut self) -> Result<(), Error> {
        let mut x: Vec<DVec3> = self.at.iter().map(|v| self.world.state().x[*v as usize]).collect();
        let near = |i: &usize| !self.joined[*i] && self.gap(self.pairs[*i]) < 2.0 * self.closed;
        let mut wanted: Vec<usize> = (0..self.pairs.len()).filter(near).collect();
        // What could not be joined together may be joined one by one, or elsewhere.
        let attempt = self.attempts;
        self.attempts += 1;
        let meet = [Meet::Middle, Meet::First, Meet::Last][attempt % 3];
        if attempt % 2 == 1 && !wanted.is_empty() {
            wanted = vec![wanted[attempt / 2 % wanted.len()]];
        }
        let (positions, triangles) = (self.body.positions.clone(), self.body.triangles.clone());
        let solid = Solid::Mesh { positions, triangles };
        for round in 0..ROUNDS {
            if wanted.is_empty() {
                return Ok(());
            }
            let old = (0..self.pairs.len()).filter(|i| self.joined[*i]);
            let pairs: Vec<[u32; 2]> =
                old.chain(wanted.iter().copied()).map(|i| self.pairs[i]).collect();
            let weld = Weld::new(&self.panels, &x, &pairs, meet);
            let mut faults: Vec<(u32, DVec3)> =
                weld.faults(&solid)?.into_iter().map(|v| (v, DVec3::ZERO)).collect();
            if faults.is_empty() {
                let mut world = self.world_of(weld.mesh.clone())?;
                faults = world.without_room()?;
                if faults.is_empty() {
                    return self.go_on_in(world, &weld, &wanted);
                }
            }
            let fault = |v: u32| {
                let at = faults.binary_search_by_key(&weld.map[v as usize], |f| f.0).ok()?;
                Some(faults[at].1)
            };
            // First what is too near to the body is moved away from it, then it is left out.
            let mut moved = vec![false; x.len()];
            if round < ROUNDS / 2 {
                for v in wanted.iter().flat_map(|i| self.pairs[*i]) {
                    let way = fault(v).unwrap_or_default();
                    if way != DVec3::ZERO && !std::mem::replace(&mut moved[v as usize], true) {
                        x[v as usize] += way;
                    }
                }
            }
            if moved.contains(&true) {
                continue;
            }
            let left = wanted.len();
            wanted.retain(|i| !self.pairs[*i].into_iter().any(|v| fault(v).is_some()));
            if wanted.len() == left {
                // The fault is not in what is to be joined now.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Joins what threads cannot bring together, and irons the cloth around it: as little of it as makes it lie free of
    /// intersections. What cannot be ironed stays as it is.
    fn iron(&mut self) -> Result<(), Error> {
        let open: Vec<usize> = (0..self.pairs.len())
            .filter(|i| !self.joined[*i] && self.gap(self.pairs[*i]) < CROSSWISE * self.spacing)
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let skin = match self.skin.take() {
            Some(skin) => skin,
            None => field::Solid::with_holes(&self.body.positions, &self.body.triangles)?,
        };
        let (positions, triangles) = (self.body.positions.clone(), self.body.triangles.clone());
        let solid = Solid::Mesh { positions, triangles };
        for corner in self.corners(&open) {
            let old = (0..self.pairs.len()).filter(|i| self.joined[*i]);
            let pairs: Vec<[u32; 2]> =
                old.chain(corner.iter().copied()).map(|i| self.pairs[i]).collect();
            let x: Vec<DVec3> = self.at.iter().map(|v| self.world.state().x[*v as usize]).collect();
            for rings in 1..=IRON_RINGS {
                let mut weld = Weld::new(&self.panels, &x, &pairs, Meet::Middle);
                let around: Vec<u32> =
                    corner.iter().map(|i| weld.map[self.pairs[*i][0] as usize]).collect();
                iron(&mut weld.mesh, &around, rings, &skin, self.closed);
                if !weld.faults(&solid)?.is_empty() {
                    continue;
                }
                let mut world = self.world_of(weld.mesh.clone())?;
                if world.without_room()?.is_empty() {
                    self.go_on_in(world, &weld, &corner)?;
                    break;
                }
            }
        }
        self.skin = Some(skin);
        Ok(())
    }

    /// Stitches in groups that are far from each other.
    fn corners(&self, stitches: &[usize]) -> Vec<Vec<usize>> {
        let x = &self.world.state().x;
        let place = |i: &usize| x[self.at[self.pairs[*i][0] as usize] as usize];
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for i in stitches {
            let apart = IRON_APART * self.spacing;
            let near = |g: &Vec<usize>| g.iter().any(|k| place(k).distance(place(i)) < apart);
            // What joins several groups makes them one.
            let (mut joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(near);
            joined.push(vec![*i]);
            groups = others;
            groups.push(joined.concat());
        }
        groups
    }

    /// Takes up a world of the joined mesh.
    fn go_on_in(&mut self, mut world: World, weld: &Weld, wanted: &[usize]) -> Result<(), Error> {
        let (old, mass) = (self.world.state(), &self.world.model().mass);
        // Momentum is kept.
        let n = weld.mesh.positions.len();
        let (mut momentum, mut masses) = (vec![DVec3::ZERO; n], vec![0.0; n]);
        let mut seen = vec![false; mass.len()];
        for (v, to) in weld.map.iter().enumerate() {
            let from = self.at[v] as usize;
            if std::mem::replace(&mut seen[from], true) {
                continue;
            }
            momentum[*to as usize] += old.v[from] * mass[from];
            masses[*to as usize] += mass[from];
        }
        let mut state = State::at_rest(weld.mesh.positions.clone());
        state.v = momentum.iter().zip(&masses).map(|(p, m)| *p / *m).collect();
        (state.step, state.time) = (old.step, old.time);
        world.restore(state)?;
        if self.stage == Stage::Draping {
            world.set_gravity(DVec3::Y * -9.81);
        }
        self.world = world;
        self.at.clone_from(&weld.map);
        wanted.iter().for_each(|i| self.joined[*i] = true);
        self.thread()
    }
}

/// All panels as one cloth among the body, without gravity. `friction` is that of the body; the fabric's if not given.
fn world(
    mesh: TriMesh,
    body: &TriMesh,
    fabric: &Fabric,
    friction: Option<f64>,
) -> Result<World, Error> {
    let cloth = Cloth { name: "garment".into(), mesh, grid: None, fabric: fabric.clone() };
    let mut settings = Preset::Toile.settings();
    settings.step = STEP;
    let bodies = vec![Body { friction, ..Body::new("body", Shape::Mesh(body.clone())) }];
    let surroundings = Surroundings { bodies, gravity: DVec3::ZERO, ..Surroundings::default() };
    Ok(World::new(vec![cloth], surroundings, settings)?)
}

/// All panels where they are put, side by side in the material plane: where they overlapped there, the detector could not
/// tell that they are flat.
fn joined(mesh: &PatternMesh, arrangement: &Arrangement) -> (TriMesh, Vec<PanelRange>) {
    let (mut all, mut ranges) = (TriMesh::default(), Vec::new());
    let mut next = 0.0;
    for (panel, x) in mesh.panels.iter().zip(&arrangement.panels) {
        let mut put = panel.mesh.clone();
        put.positions.clone_from(x);
        let low = put.uv.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
        let high = put.uv.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
        put.uv.iter_mut().for_each(|p| *p += DVec2::new(next - low, 0.0));
        next += high - low + APART;
        let first = all.triangles.len() as u32;
        all.append(&put);
        let triangles = first..all.triangles.len() as u32;
        ranges.push(PanelRange { name: panel.name.clone(), triangles });
    }
    (all, ranges)
}

/// Tapes along the long edges of bands, and elastics: a piece between every two neighbours. A band with an elastic has no
/// tape, for it must give way.
fn tapes(mesh: &PatternMesh, bands: &[bool]) -> Vec<Seam> {
    let offsets = mesh.offsets();
    let mut tapes = Vec::new();
    for (i, panel) in mesh.panels.iter().enumerate() {
        let at = |v: u32| panel.mesh.positions[v as usize];
        let length = |e: &[u32]| e.windows(2).map(|w| at(w[0]).distance(at(w[1]))).sum::<f64>();
        let mut along = |line: &[u32], ratio: f64, stiffness: f64, gives: f64| {
            for w in line.windows(2) {
                let rest = ratio * at(w[0]).distance(at(w[1]));
                let vertices = [w[0], w[1]].map(|v| v + offsets[i]);
                tapes.push(Seam { vertices, force: stiffness * gives, slack: gives * rest, rest });
            }
        };
        for elastic in &panel.elastics {
            along(&elastic.vertices, elastic.ratio, elastic.stiffness, ELASTIC_GIVES);
        }
        if bands[i] && panel.elastics.is_empty() {
            let longest = panel.edges.iter().map(|e| length(e)).fold(0.0, f64::max);
            let long = panel.edges.iter().filter(|e| length(e) > 0.5 * longest);
            long.for_each(|e| along(e, 1.0, TAPE, TAPE_GIVES));
        }
    }
    tapes
}

/// Mean distance of neighbours on the outlines of the panels.
fn spacing(mesh: &PatternMesh) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for panel in &mesh.panels {
        for ring in &panel.rings {
            for (k, v) in ring.iter().enumerate() {
                let next = ring[(k + 1) % ring.len()];
                let x = &panel.mesh.positions;
                sum += x[*v as usize].distance(x[next as usize]);
                count += 1.0;
            }
        }
    }
    sum / f64::max(count, 1.0)
}
