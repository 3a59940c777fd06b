//! From a scene to a world that steps.

use super::read::{from_value, merge};
use super::{BodyShape, Cloth, ClothShape, Pin, Place, Rotate, Scene};
use crate::error::{Error, SceneError};
use crate::jitter::Generator;
use crate::levels::{self, Nest, Sheet};
use crate::simulation::Simulation;
use glam::{DMat3, DVec3};
use std::path::Path;
use toile_mesh::{Fault, TriMesh, io, shape};
use toile_sim::body::Shape;
use toile_sim::motion::rotation_matrix;
use toile_sim::{Settings, Surroundings, World};
use toml::{Table, Value};

/// Most triangles of all cloths together: what a machine with 16 GB can hold.
const MAX_TRIANGLES: u64 = 8_000_000;

/// Cells of a ring around and across.
const RING: [usize; 2] = [64, 20];

impl Scene {
    /// Puts a simulation together; everything is checked here.
    ///
    /// # Errors
    /// If a value makes no sense or a file cannot be read.
    pub fn build(self) -> Result<Simulation, Error> {
        self.check_numbers()?;
        self.check_size()?;
        self.check_levels()?;
        let settings = self.settings()?;
        if self.fps * settings.step > 1.0 {
            let most = 1.0 / settings.step;
            let reason = format!(
                "is {:?}; there are only {most:.0} steps a second: lower it, or `solver.step`",
                self.fps
            );
            return Err(self.error("fps", &reason).into());
        }
        let (world, _) = self.world(settings, 0)?;
        let mut sim = Simulation::new(self, world);
        sim.set_levels()?;
        Ok(sim)
    }

    /// The world in cells of 2^`coarser` times the length, and how the cells of half that length nest in it.
    pub(crate) fn world(&self, settings: Settings, coarser: u32) -> Result<(World, Nest), Error> {
        let mut surroundings =
            Surroundings { gravity: self.gravity, wind: self.wind, ..Surroundings::default() };
        for i in 0..self.bodies.len() {
            surroundings.bodies.push(self.body(i)?);
        }
        let mut cloths = Vec::new();
        let (mut first, mut nest) = (0, Nest::default());
        for (path, cloth) in self.cloths_with_paths() {
            let fabric = self.fabric(&format!("{path}.fabric"), &cloth.fabric)?;
            let flat = self.sheet(&path, cloth)?;
            let cells = cloth.shape.cells().map(|cells| cells.map(|n| n as usize));
            let count = cloth.stack.map_or(1, |s| s.count);
            for k in 0..count {
                let placed = flat.clone().map_positions(|p| placement(cloth, k, p));
                let pins = cloth.pins.iter().enumerate();
                let pins: Result<Vec<_>, Error> = pins
                    .map(|(n, pin)| self.pinned(&format!("{path}.pins.{n}"), pin, &placed))
                    .collect();
                let mut sheet = Sheet::new(jittered(placed, cloth, k), cells, pins?);
                for level in 1..=coarser {
                    let mut passed = Nest::default();
                    let nest = if level == coarser { &mut nest } else { &mut passed };
                    sheet = sheet.coarser(cloth.shape.diagonals(), nest).map_err(|n| {
                        let reason = "holds a vertex that larger cells lack; ask for fewer `levels`, or pin whole edges";
                        self.error(&format!("{path}.pins.{n}"), reason)
                    })?;
                }
                for (pin, vertices) in cloth.pins.iter().zip(&sheet.pins) {
                    surroundings.pins.push(toile_sim::Pin {
                        vertices: vertices.iter().map(|v| v + first).collect(),
                        motion: pin.motion.clone(),
                        until: pin.until.unwrap_or(f64::INFINITY),
                    });
                }
                first += sheet.mesh.positions.len() as u32;
                let name = match cloth.stack {
                    Some(_) => format!("{}-{}", cloth.name, k + 1),
                    None => cloth.name.clone(),
                };
                cloths.push(toile_sim::Cloth {
                    name,
                    mesh: sheet.mesh,
                    grid: sheet.cells,
                    fabric: fabric.clone(),
                    pieces: Vec::new(),
                });
            }
        }
        let world = World::new(cloths, surroundings, settings).map_err(|e| self.translate(e))?;
        Ok((world, nest))
    }

    /// Vertices of a sheet that a pin holds.
    fn pinned(&self, path: &str, pin: &Pin, placed: &TriMesh) -> Result<Vec<u32>, Error> {
        let vertices = pin.find(placed).map_err(|(key, reason)| {
            let dot = if key.is_empty() { "" } else { "." };
            self.error(&format!("{path}{dot}{key}"), &reason)
        })?;
        if let Err(reason) = pin.motion.validate() {
            return Err(self.error(&format!("{path}.motion"), &reason).into());
        }
        if vertices.iter().any(|v| jumps(&pin.motion, placed.positions[*v as usize])) {
            let reason = "does not begin where the cloth does, which would tear it \
                          there at once; begin with a key at time 0 that has no \
                          translation and no rotation";
            return Err(self.error(&format!("{path}.motion"), reason).into());
        }
        Ok(vertices)
    }

    /// The settings of the preset with those of the scene laid over.
    ///
    /// # Errors
    /// If the scene has a setting that does not exist or makes no sense.
    pub fn settings(&self) -> Result<Settings, Error> {
        let preset = self.preset.settings();
        let mut table = Table::try_from(preset)
            .map_err(|e| self.error("preset", &format!("cannot be changed: {e}")))?;
        merge(&mut table, &self.solver);
        let settings: Settings = from_value("solver", Value::Table(table), &self.source)?;
        settings.validate().map_err(|e| self.translate(e))?;
        Ok(settings)
    }

    fn check_numbers(&self) -> Result<(), Box<SceneError>> {
        let refuse = |path: &str, reason: String| Err(self.error(path, &reason));
        if !(self.duration.is_finite() && self.duration >= 0.0) {
            return refuse("duration", format!("is {:?}; it must be 0 s or more", self.duration));
        }
        if !(self.fps.is_finite() && self.fps > 0.0) {
            return refuse("fps", format!("is {:?}; it must be above zero", self.fps));
        }
        for (path, cloth) in self.cloths_with_paths() {
            let sizes = match cloth.shape {
                ClothShape::Grid { width, height, .. } => &[("width", width), ("height", height)],
                ClothShape::Knot { width, length, .. } => &[("width", width), ("length", length)],
                ClothShape::Mesh { .. } => &[][..],
            };
            for (key, value) in sizes {
                if !(value.is_finite() && *value > 0.0 && *value <= 1e6) {
                    let reason = format!("is {value:?}; it must be above zero and at most 1e6 [m]");
                    return refuse(&format!("{path}.shape.{key}"), reason);
                }
            }
            self.check_place(&format!("{path}.place"), &cloth.place)?;
            if let Some(s) = cloth.stack
                && (s.count == 0 || !s.offset.is_finite() || !s.turn.is_finite())
            {
                let reason = "needs a count of 1 or more and finite numbers".into();
                return refuse(&format!("{path}.stack"), reason);
            }
            if let Some(j) = cloth.jitter
                && !(j.amplitude.is_finite() && j.amplitude >= 0.0 && j.axis.is_finite())
            {
                let reason = "needs an amplitude of 0 or more [m] and a finite axis".into();
                return refuse(&format!("{path}.jitter"), reason);
            }
        }
        Ok(())
    }

    fn check_place(&self, path: &str, place: &Place) -> Result<(), Box<SceneError>> {
        if !place.at.is_finite() {
            return Err(self.error(&format!("{path}.at"), "is not finite"));
        }
        place.rotate.map_or(Ok(()), |r| self.check_rotate(&format!("{path}.rotate"), &r))
    }

    fn check_rotate(&self, path: &str, rotate: &Rotate) -> Result<(), Box<SceneError>> {
        let sound = rotate.degrees.is_finite()
            && rotate.axis.is_finite()
            && rotate.axis.length() > f64::EPSILON;
        let reason = "needs an axis that has a direction and a finite angle";
        if sound { Ok(()) } else { Err(self.error(path, reason)) }
    }

    /// Counts before anything is allocated.
    fn check_size(&self) -> Result<(), Box<SceneError>> {
        let mut total = 0_u64;
        for (path, cloth) in self.cloths_with_paths() {
            let Some([nu, nv]) = cloth.shape.cells() else { continue };
            if nu == 0 || nv == 0 {
                let reason = "has no cells; give 1 or more each way";
                return Err(self.error(&format!("{path}.shape.cells"), reason));
            }
            let sheets = u64::from(cloth.stack.map_or(1, |s| s.count));
            let triangles = nu.saturating_mul(nv).saturating_mul(2).saturating_mul(sheets);
            total = total.saturating_add(triangles);
            if total > MAX_TRIANGLES {
                let reason = format!(
                    "makes {triangles} triangles; a scene can have {MAX_TRIANGLES} at most"
                );
                return Err(self.error(&format!("{path}.shape.cells"), &reason));
            }
        }
        Ok(())
    }

    /// Whether cells can be made larger as often as asked.
    fn check_levels(&self) -> Result<(), Box<SceneError>> {
        let most = levels::MOST;
        if !(1..=most).contains(&self.levels) {
            let reason = format!("is {}; there are 1 to {most}", self.levels);
            return Err(self.error("levels", &reason));
        }
        let unit = 1_u64 << (self.levels - 1);
        let grids: Vec<_> =
            self.cloths_with_paths().filter_map(|(p, c)| Some((p, c.shape.cells()?))).collect();
        if let Some((path, [nu, nv])) =
            grids.iter().find(|(_, cells)| cells.iter().any(|n| !n.is_multiple_of(unit)))
        {
            let reason = format!(
                "is [{nu}, {nv}]; with `levels = {}` both must be multiples of {unit}",
                self.levels
            );
            return Err(self.error(&format!("{path}.shape.cells"), &reason));
        }
        if self.levels > 1 && grids.is_empty() {
            let reason = "needs a cloth with cells: meshes of files are not made coarser";
            return Err(self.error("levels", reason));
        }
        Ok(())
    }

    /// One sheet as it lies at rest.
    fn sheet(&self, path: &str, cloth: &Cloth) -> Result<TriMesh, Error> {
        match &cloth.shape {
            ClothShape::Grid { width, height, cells: [nu, nv], diagonals } => {
                Ok(shape::grid(*width, *height, *nu as usize, *nv as usize, (*diagonals).into()))
            }
            ClothShape::Knot { width, length, cells: [nu, nv] } => {
                Ok(shape::knot(*width, *length, *nu as usize, *nv as usize))
            }
            ClothShape::Mesh { file } => {
                let path = format!("{path}.shape.file");
                let mesh = self.mesh(&path, file)?;
                // Without area there is neither mass nor a rest shape.
                let is_flat = |f: &&Fault| {
                    use Fault::{RepeatedVertex, UvZeroArea, ZeroArea};
                    matches!(f, RepeatedVertex { .. } | ZeroArea { .. } | UvZeroArea { .. })
                };
                match mesh.validate().faults.iter().find(is_flat) {
                    Some(f) => Err(self.error(&path, &format!("cannot be cloth: {f}")).into()),
                    None => Ok(mesh),
                }
            }
        }
    }

    fn mesh(&self, path: &str, file: &Path) -> Result<TriMesh, Error> {
        let read = io::read_mesh(self.folder.join(file));
        // GLB stores a vertex on a seam twice; cloth needs it once.
        let welded = read.map(|m| match io::Format::of(file) {
            Ok(io::Format::Glb) => m.weld().0,
            _ => m,
        });
        welded.map_err(|e| self.error(path, &format!("cannot be used: {e}")).into())
    }

    fn body(&self, i: usize) -> Result<toile_sim::Body, Error> {
        let body = &self.bodies[i];
        let path = format!("body.{i}");
        let shape = match &body.shape {
            BodyShape::Sphere { at, radius } => Shape::Sphere { centre: *at, radius: *radius },
            BodyShape::Capsule { a, b, radius } => Shape::Capsule { a: *a, b: *b, radius: *radius },
            BodyShape::Box { at, size, rotate } => {
                if let Some(r) = rotate {
                    self.check_rotate(&format!("{path}.shape.rotate"), r)?;
                }
                let rotation = rotate.map_or(DMat3::IDENTITY, |r| r.matrix());
                Shape::Cuboid { centre: *at, half: 0.5 * *size, rotation }
            }
            BodyShape::Ring { at, radius, rod, rotate } => {
                if !(*rod > 0.0 && *rod < *radius && *radius <= 1e6) {
                    let reason =
                        format!("is {rod:?}; it must be above zero and below the radius [m]");
                    return Err(self.error(&format!("{path}.shape.rod"), &reason).into());
                }
                if let Some(r) = rotate {
                    self.check_rotate(&format!("{path}.shape.rotate"), r)?;
                }
                let turn = rotate.map_or(DMat3::IDENTITY, |r| r.matrix());
                let ring = shape::ring(*radius, *rod, RING[0], RING[1]);
                Shape::Mesh(ring.map_positions(|p| turn * p + *at))
            }
            BodyShape::Plane { at, normal } => Shape::Plane { point: *at, normal: *normal },
            BodyShape::Mesh { file, place } => {
                self.check_place(&format!("{path}.shape.place"), place)?;
                let mesh = self.mesh(&format!("{path}.shape.file"), file)?;
                Shape::Mesh(mesh.map_positions(|p| place.apply(p)))
            }
        };
        let made = toile_sim::Body {
            name: body.name.clone(),
            shape,
            motion: body.motion.clone(),
            friction: body.friction,
        };
        made.validate().map_err(|e| {
            let reason = match e {
                toile_sim::Error::Mesh { reason, .. } => reason,
                other => other.to_string(),
            };
            let key = ["motion", "friction"].into_iter().find(|k| reason.contains(k));
            self.error(&format!("{path}.{}", key.unwrap_or("shape")), &reason)
        })?;
        Ok(made)
    }

    /// Gives an error of the simulator its place in the scene, if it has one.
    fn translate(&self, error: toile_sim::Error) -> Error {
        match &error {
            toile_sim::Error::Setting { key, reason } => self.error(key, reason).into(),
            toile_sim::Error::Mesh { name, reason } => {
                let is = |n: &String| n == name || name.starts_with(&format!("{n}-"));
                let cloth = self.cloths.iter().position(|c| is(&c.name));
                let body = self.bodies.iter().position(|b| is(&b.name));
                match (cloth, body) {
                    (Some(i), _) => self.error(&format!("cloth.{i}.shape"), reason).into(),
                    (_, Some(i)) => self.error(&format!("body.{i}.shape"), reason).into(),
                    _ => error.into(),
                }
            }
            _ => error.into(),
        }
    }
}

/// All settings of a preset, as they can stand in a scene.
///
/// # Errors
/// If they cannot be written as TOML.
pub fn settings_as_toml(preset: toile_sim::Preset) -> Result<String, Error> {
    let nested = Table::try_from(preset.settings()).map(|t| {
        let mut solver = Table::new();
        solver.insert("solver".into(), Value::Table(t));
        toml::to_string_pretty(&solver)
    });
    nested
        .map_err(|e| e.to_string())
        .and_then(|text| text.map_err(|e| e.to_string()))
        .map_err(|e| Error::request(format!("the settings cannot be written: {e}"), "report this"))
}

impl Rotate {
    fn matrix(&self) -> DMat3 {
        rotation_matrix(self.axis, self.degrees.to_radians())
    }
}

impl Place {
    fn apply(&self, p: DVec3) -> DVec3 {
        self.rotate.map_or(p, |r| r.matrix() * p) + self.at
    }
}

/// Where a point of sheet `k` of a stack begins.
fn placement(cloth: &Cloth, k: u32, p: DVec3) -> DVec3 {
    let k = f64::from(k);
    match cloth.stack {
        Some(s) => {
            let turned = rotation_matrix(DVec3::Y, (k * s.turn).to_radians()) * p;
            cloth.place.apply(turned) + k * s.offset
        }
        None => cloth.place.apply(p),
    }
}

/// Whether a motion has moved a point at time zero already, by more than rounding.
fn jumps(motion: &toile_sim::Motion, p: DVec3) -> bool {
    motion.pose(0.0).apply(p).distance(p) > 1e-9 * (1.0 + p.length())
}

fn jittered(mut mesh: TriMesh, cloth: &Cloth, k: u32) -> TriMesh {
    if let Some(j) = cloth.jitter {
        let mut generator = Generator::new(u64::from(j.seed) + u64::from(k));
        let axis = j.axis.normalize_or_zero();
        for p in &mut mesh.positions {
            *p += axis * generator.uniform(-j.amplitude, j.amplitude);
        }
    }
    mesh
}
