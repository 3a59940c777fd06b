//! From arranged panels to a garment at rest (G4).
//!
//! First threads draw the seams together, slowly: velocities are forgotten after every step, so that nothing swings. When
//! no seam is open wider than the barrier of the solver lets it, the threads are pulled tight and gravity begins; what moves
//! is slowed down until the garment hangs still.

use crate::arrange::Arrangement;
use crate::error::Error;
use glam::DVec3;
use toile_mesh::TriMesh;
use toile_pattern::meshing::PatternMesh;
use toile_sim::barrier::Seam;
use toile_sim::body::Shape;
use toile_sim::{Body, Cloth, Fabric, Preset, StepReport, Surroundings, World};

/// Pull of the threads while panels come together, and when they are tightest [N/m].
const PULL: [f64; 2] = [15.0, 240.0];
/// Steps with the gentlest pull; after them it grows by this factor in each.
const GENTLE: u32 = 6;
const GROWTH: f64 = 1.15;
/// Part of the velocity that is kept from step to step while the garment settles.
const KEPT: f64 = 0.9;
/// Most steps until all seams are closed.
const PATIENCE: u32 = 80;
/// A garment is at rest when the root mean square of its speed is lower [m/s].
const STILL: f64 = 0.01;

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

/// A garment on its way onto a body.
#[derive(Debug)]
pub struct Fitting {
    world: World,
    pairs: Vec<([u32; 2], f64)>,
    stage: Stage,
    /// Steps of the present stage.
    steps: u32,
    /// Present pull of the threads [N/m].
    pull: f64,
    /// Opening of a seam that counts as closed [m].
    closed: f64,
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
        let cloths: Vec<Cloth> = mesh
            .panels
            .iter()
            .zip(&arrangement.panels)
            .map(|(panel, x)| {
                let mut mesh = panel.mesh.clone();
                mesh.positions.clone_from(x);
                Cloth { name: panel.name.clone(), mesh, grid: None, fabric: fabric.clone() }
            })
            .collect();
        let mut settings = Preset::Toile.settings();
        settings.step = 0.02;
        let bodies = vec![Body::new("body", Shape::Mesh(body.clone()))];
        let surroundings = Surroundings { bodies, gravity: DVec3::ZERO, ..Surroundings::default() };
        let mut world = World::new(cloths, surroundings, settings)?;
        // A thread pulls for the length of seam it holds.
        let spacing = spacing(mesh);
        let pairs: Vec<([u32; 2], f64)> =
            mesh.sewn_pairs().into_iter().map(|p| (p, spacing)).collect();
        let closed = 3.0 * world.separation();
        world.sew(threads(&pairs, PULL[0], closed))?;
        Ok(Self { world, pairs, stage: Stage::Sewing, steps: 0, pull: PULL[0], closed })
    }

    /// The world it is in.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How far it is.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The widest opening of a seam [m].
    pub fn widest_gap(&self) -> f64 {
        let x = &self.world.state().x;
        self.world.seams().iter().map(|s| s.gap(x)).fold(0.0, f64::max)
    }

    /// Which seam is open.
    fn open(&self) -> Error {
        let (x, model) = (&self.world.state().x, self.world.model());
        let widest = self.world.seams().iter().max_by(|a, b| a.gap(x).total_cmp(&b.gap(x)));
        let name = |v: u32| model.names[model.cloth_of[v as usize] as usize].clone();
        let panels = widest.map_or_else(Default::default, |s| s.vertices.map(name));
        Error::Open { panels, gap: self.widest_gap() }
    }

    /// The garment as it is: all panels in one mesh.
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
        if self.stage == Stage::Sewing && self.steps >= GENTLE {
            self.pull = (self.pull * GROWTH).min(PULL[1]);
            self.world.sew(threads(&self.pairs, self.pull, self.closed))?;
        }
        let keep = if self.stage == Stage::Sewing { 0.0 } else { KEPT };
        let v = self.world.state().v.clone();
        self.world.set_velocities(|i, _| v[i as usize] * keep);
        let report = self.world.step()?;
        self.steps += 1;
        match self.stage {
            Stage::Sewing if self.widest_gap() < 2.0 * self.closed => {
                self.world.set_gravity(DVec3::Y * -9.81);
                (self.stage, self.steps) = (Stage::Draping, 0);
            }
            Stage::Sewing if self.steps >= PATIENCE => return Err(self.open()),
            Stage::Draping if self.steps > 10 && self.world.state().rms_speed() < STILL => {
                self.stage = Stage::Done;
            }
            _ => {}
        }
        Ok(report)
    }
}

fn threads(pairs: &[([u32; 2], f64)], pull: f64, slack: f64) -> Vec<Seam> {
    pairs
        .iter()
        .map(|(vertices, length)| Seam { vertices: *vertices, force: pull * length, slack })
        .collect()
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
