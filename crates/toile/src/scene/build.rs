//! From a scene to a world that steps.

use super::read::{from_value, merge};
use super::{BodyMotion, BodyShape, Cloth, ClothShape, FigureMotion, Pin, Place, Rotate, Scene};
use crate::body::MovingBody;
use crate::error::{Error, SceneError};
use crate::input::{self, BodyInput, ClothFile, ClothInput, Inputs, MeshFile, RestShape};
use crate::jitter::Generator;
use crate::levels::{self, GridNesting, Sheet};
use crate::simulation::Simulation;
use glam::{DMat3, DVec3};
use std::path::Path;
use std::sync::Arc;
use toile_body::motion::Rig;
use toile_body::{Figure, Mannequin, Pose};
use toile_mesh::{Fault, TriMesh, io, shape};
use toile_pattern::Size;
use toile_sim::body::Shape;
use toile_sim::motion::rotation_matrix;
use toile_sim::{Deform, Deformation, Settings, Surroundings, World};
use toml::{Table, Value};

/// Most triangles of all cloths together: what a machine with 16 GB can hold.
const MAX_TRIANGLES: u64 = 8_000_000;

/// Ratio of lengths in uv to those of the mesh beyond which it is said.
const UV_SCALE_TOLERANCE: f64 = 1.05;

/// Cells of a ring around and across.
const RING_CELLS: [usize; 2] = [64, 20];

impl Scene {
    /// Puts a simulation together; everything is checked here.
    ///
    /// # Errors
    /// If a value makes no sense or a file cannot be read.
    pub fn build(self) -> Result<Simulation, Error> {
        self.check_ranges()?;
        self.check_size()?;
        self.check_levels()?;
        let settings = self.settings()?;
        self.check_steps(settings.step)?;
        if self.fps * settings.step > 1.0 {
            let most = 1.0 / settings.step;
            let reason = format!(
                "is {:?}; there are only {most:.0} steps a second: lower it, or `solver.step`",
                self.fps
            );
            return Err(self.error("fps", &reason).into());
        }
        let (world, _, inputs) = self.world(settings, 0)?;
        let mut sim = Simulation::new(self, world, inputs);
        sim.set_levels()?;
        Ok(sim)
    }

    /// The world in cells of 2^`coarser` times the length, and how the cells of half that length nest in it.
    /// Also says what became of the meshes of files.
    pub(crate) fn world(
        &self,
        settings: Settings,
        coarser: u32,
    ) -> Result<(World, GridNesting, Inputs), Error> {
        let mut inputs = Inputs::default();
        let mut surroundings =
            Surroundings { gravity: self.gravity, wind: self.wind, ..Surroundings::default() };
        for i in 0..self.bodies.len() {
            surroundings.bodies.push(self.body(i, &mut inputs)?);
        }
        let mut cloths = Vec::new();
        let (mut first, mut nest) = (0, GridNesting::default());
        for (index, (path, cloth)) in self.cloths_with_paths().enumerate() {
            let fabric = self.fabric(&format!("{path}.fabric"), &cloth.fabric)?;
            self.check_fabric_keys(&format!("{path}.fabric"), &cloth.fabric, &settings)?;
            let (flat, map) = self.sheet(&path, cloth, &mut inputs)?;
            let from_mesh = inputs.cloths.last().is_some_and(|c| c.rest_shape == RestShape::Mesh);
            let rest = (from_mesh && flat.has_uv()).then(|| flat.clone().with_rest_of_positions());
            let cells = cloth.shape.cells().map(|cells| cells.map(|n| n as usize));
            let count = cloth.stack.map_or(1, |s| s.count);
            for k in 0..count {
                let placed = flat.clone().map_positions(|p| placement(cloth, k, p));
                let pins = cloth.pins.iter().enumerate();
                let pins: Result<Vec<_>, Error> = pins
                    .map(|(n, pin)| {
                        self.pinned(&format!("{path}.pins.{n}"), pin, &placed, map.as_deref())
                    })
                    .collect();
                let pins = pins?;
                let mut mesh = jittered(placed, cloth, k);
                if let Some(rest) = &rest {
                    // Pins are found by the uv of the file, whatever their unit.
                    (mesh.uv, mesh.uv_triangles) = (rest.uv.clone(), rest.uv_triangles.clone());
                }
                let mut sheet = Sheet::new(mesh, cells, pins);
                for level in 1..=coarser {
                    let mut passed = GridNesting::default();
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
                let label = self.cloth_label(index);
                let name = match cloth.stack {
                    Some(_) => format!("{label}-{}", k + 1),
                    None => label,
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
        Ok((world, nest, inputs))
    }

    /// Vertices of a sheet that a pin holds; `map` has the new numbers of the vertices of its file.
    fn pinned(
        &self,
        path: &str,
        pin: &Pin,
        placed: &TriMesh,
        map: Option<&[u32]>,
    ) -> Result<Vec<u32>, Error> {
        let vertices = pin.find(placed, map).map_err(|(key, reason)| {
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
        let base = self.base_settings.as_deref().cloned().unwrap_or_else(|| self.preset.settings());
        let settings = if self.solver.is_empty() { base } else { self.changed(&base)? };
        settings.validate().map_err(|e| self.translate(e))?;
        for key in leaves("", &self.solver) {
            if let Some(reason) = settings.inactive(&key) {
                return Err(self.error(&format!("solver.{key}"), &reason).into());
            }
        }
        Ok(settings)
    }

    /// Settings with those of `solver` laid over.
    fn changed(&self, base: &Settings) -> Result<Settings, Error> {
        let mut table = Table::try_from(base)
            .map_err(|e| self.error("preset", &format!("cannot be changed: {e}")))?;
        merge(&mut table, &self.solver);
        Ok(from_value("solver", Value::Table(table), &self.source)?)
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
        let most = levels::MAX_LEVELS;
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

    /// One sheet as it is in its file or lies at rest, and new numbers of the vertices of its file.
    fn sheet(
        &self,
        path: &str,
        cloth: &Cloth,
        inputs: &mut Inputs,
    ) -> Result<(TriMesh, Option<Vec<u32>>), Error> {
        let mut input = ClothInput { name: cloth.name.clone(), ..ClothInput::default() };
        let (mesh, map) = match &cloth.shape {
            ClothShape::Grid { width, height, cells: [nu, nv], diagonals } => {
                let (nu, nv) = (*nu as usize, *nv as usize);
                (shape::grid(*width, *height, nu, nv, (*diagonals).into()), None)
            }
            ClothShape::Knot { width, length, cells: [nu, nv] } => {
                (shape::knot(*width, *length, *nu as usize, *nv as usize), None)
            }
            ClothShape::Mesh { file, rest } => {
                let rest_key = format!("{path}.shape.rest");
                let path = format!("{path}.shape.file");
                let unusable = |e: io::Error| self.error(&path, &format!("cannot be used: {e}"));
                let read = ClothFile::read(&self.folder.join(file)).map_err(unusable)?;
                input.welded_vertices = read.welded_vertices;
                let said = read.warnings.iter().map(|w| format!("{}: {w}", file.display()));
                inputs.warnings.extend(said);
                if *rest == Some(RestShape::Uv) && !read.mesh.has_uv() {
                    let reason = "is \"uv\", but the file has no uv; leave it out";
                    return Err(self.error(&rest_key, reason).into());
                }
                let name = file.display().to_string();
                self.choose_rest(&name, &read.mesh, *rest, &mut input, inputs);
                self.check_cloth(&path, &read.mesh, input.rest_shape)?;
                (read.mesh, read.map)
            }
            ClothShape::InMemory { mesh, rest } => {
                let path = format!("{path}.shape");
                if let Err(fault) = mesh.check() {
                    return Err(self.error(&path, &format!("cannot be cloth: {fault}")).into());
                }
                if *rest == Some(RestShape::Uv) && !mesh.has_uv() {
                    let reason = "is to rest as its uv say, but the mesh has none";
                    return Err(self.error(&path, reason).into());
                }
                inputs.warnings.extend(input::doubled(mesh, &cloth.name));
                self.choose_rest(&cloth.name, mesh, *rest, &mut input, inputs);
                self.check_cloth(&path, mesh, input.rest_shape)?;
                (mesh.clone(), None)
            }
        };
        inputs.cloths.push(input);
        Ok((mesh, map))
    }

    /// Whether material coordinates of a file are metres.
    fn choose_rest(
        &self,
        file: &str,
        mesh: &TriMesh,
        wanted: Option<RestShape>,
        input: &mut ClothInput,
        inputs: &mut Inputs,
    ) {
        let Some(scale) = mesh.uv_scale() else {
            input.rest_shape = RestShape::Mesh;
            return;
        };
        input.uv_scale = Some(scale.median);
        let own = if scale.fits { RestShape::Uv } else { RestShape::Mesh };
        input.rest_shape = wanted.unwrap_or(own);
        let times = scale.median;
        if wanted.is_some() {
            return;
        }
        if !scale.fits {
            inputs.warnings.push(format!(
                "{file}: lengths in uv are {times:.3} times those of the mesh, so that they are not \
                 metres: the rest shape is that of the mesh; say `rest = \"uv\"` if they are metres"
            ));
        } else if !(1.0 / UV_SCALE_TOLERANCE..=UV_SCALE_TOLERANCE).contains(&times) {
            inputs.warnings.push(format!(
                "{file}: lengths in uv are {times:.3} times those of the mesh and are taken as metres: \
                 the cloth begins stretched or slack; say `rest = \"mesh\"` if it should not"
            ));
        }
    }

    /// Refuses cloth without area: it has neither mass nor a rest shape.
    fn check_cloth(&self, path: &str, mesh: &TriMesh, rest: RestShape) -> Result<(), Error> {
        let is_flat = |f: &&Fault| match f {
            Fault::RepeatedVertex { .. } | Fault::ZeroArea { .. } => true,
            Fault::UvZeroArea { .. } => rest == RestShape::Uv,
            _ => false,
        };
        match mesh.validate().faults.iter().find(is_flat) {
            Some(f) => Err(self.error(path, &format!("cannot be cloth: {f}")).into()),
            None => Ok(()),
        }
    }

    fn mesh(&self, path: &str, file: &Path) -> Result<MeshFile, Error> {
        let read = MeshFile::read(&self.folder.join(file));
        read.map_err(|e| self.error(path, &format!("cannot be used: {e}")).into())
    }

    fn body(&self, i: usize, inputs: &mut Inputs) -> Result<toile_sim::Body, Error> {
        let body = &self.bodies[i];
        let path = format!("body.{i}");
        let mut input = BodyInput { name: body.name.clone(), closed: true, ..BodyInput::default() };
        let mut deformation = None;
        if matches!(body.motion, BodyMotion::Figure(_))
            && !matches!(body.shape, BodyShape::Mannequin { .. })
        {
            let reason = "is a clip, which only a body of type `mannequin` performs";
            return Err(self.error(&format!("{path}.motion"), reason).into());
        }
        let shape = match &body.shape {
            BodyShape::Sphere { at, radius } => Shape::Sphere { centre: *at, radius: *radius },
            BodyShape::Capsule { a, b, radius } => Shape::Capsule { a: *a, b: *b, radius: *radius },
            BodyShape::Box { at, size, rotate } => {
                let rotation = rotate.map_or(DMat3::IDENTITY, |r| r.matrix());
                Shape::Cuboid { centre: *at, half: 0.5 * *size, rotation }
            }
            BodyShape::Ring { at, radius, rod, rotate } => {
                if !(*rod > 0.0 && *rod < *radius && *radius <= 1e6) {
                    let reason =
                        format!("is {rod:?}; it must be above zero and below the radius [m]");
                    return Err(self.error(&format!("{path}.shape.rod"), &reason).into());
                }
                let turn = rotate.map_or(DMat3::IDENTITY, |r| r.matrix());
                let ring = shape::ring(*radius, *rod, RING_CELLS[0], RING_CELLS[1]);
                Shape::Mesh(ring.map_positions(|p| turn * p + *at))
            }
            BodyShape::Plane { at, normal } => Shape::Plane { point: *at, normal: *normal },
            BodyShape::Mesh { file, place } => {
                let read = self.mesh(&format!("{path}.shape.file"), file)?;
                let (mesh, done, warnings) = input::body(&read.mesh, &body.name);
                let said = read.warnings().into_iter().chain(warnings);
                inputs.warnings.extend(said.map(|w| format!("body {}: {w}", file.display())));
                input = done;
                Shape::Mesh(mesh.map_positions(|p| place.apply(p)))
            }
            BodyShape::Mannequin { size, figure, place } => {
                let (mannequin, rig) = self.mannequin(&path, size, figure)?;
                if let BodyMotion::Figure(clip) = &body.motion {
                    let placed = Placed { body: self.moving(&path, clip, &rig)?, place: *place };
                    deformation = Some(Deformation::new(Arc::new(placed)));
                }
                Shape::Mesh(mannequin.map_positions(|p| place.apply(p)))
            }
            BodyShape::InMemory { mesh, place } => {
                if let Err(fault) = mesh.check() {
                    let reason = format!("cannot be used: {fault}");
                    return Err(self.error(&format!("{path}.shape"), &reason).into());
                }
                let (mesh, done, warnings) = input::body(mesh, &body.name);
                inputs.warnings.extend(warnings.iter().map(|w| format!("body {}: {w}", body.name)));
                input = done;
                Shape::Mesh(mesh.map_positions(|p| place.apply(p)))
            }
        };
        inputs.bodies.push(input);
        let made = toile_sim::Body {
            name: self.body_label(i),
            shape,
            motion: match &body.motion {
                BodyMotion::Rigid(motion) => motion.clone(),
                BodyMotion::Figure(_) => toile_sim::Motion::Still,
            },
            deformation,
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

    /// A mannequin of a size, with its bones.
    fn mannequin(&self, path: &str, size: &str, figure: &str) -> Result<(TriMesh, Rig), Error> {
        let refuse = |key: &str, said: &str, there_are: &str| {
            let reason = format!("is `{said}`; there are {there_are}");
            Error::from(self.error(&format!("{path}.shape.{key}"), &reason))
        };
        let of_size =
            Size::parse(size).ok_or_else(|| refuse("size", size, "XS, S, M, L, XL and XXL"))?;
        let of_figure = Figure::parse(figure)
            .ok_or_else(|| refuse("figure", figure, "female, male and child"))?;
        let body = Mannequin::new(&of_figure.measurements(of_size), of_figure, Pose::A)?;
        let rig = Rig::new(&body);
        Ok((body.mesh, rig))
    }

    /// What a mannequin performs over the duration of the scene.
    fn moving(&self, path: &str, clip: &FigureMotion, rig: &Rig) -> Result<MovingBody, Error> {
        let refuse = |reason: &str| Error::from(self.error(&format!("{path}.motion"), reason));
        // The way from the pose of the fitting comes before the clip, and there is always a bit of the clip.
        let duration = (self.duration - CLIP_START).max(0.1);
        let order = clip.order(&self.folder, duration).map_err(|reason| refuse(&reason))?;
        MovingBody::new(rig, &order).map_err(|e| refuse(&format!("cannot be used: {e}")))
    }

    /// What messages call a cloth: its name, with its number if it is not the only one of that name.
    fn cloth_label(&self, i: usize) -> String {
        label(self.cloths.iter().map(|c| &c.name), i)
    }

    /// What messages call a body.
    fn body_label(&self, i: usize) -> String {
        label(self.bodies.iter().map(|b| &b.name), i)
    }

    /// Gives an error of the simulator its place in the scene, if it has one.
    fn translate(&self, error: toile_sim::Error) -> Error {
        match &error {
            toile_sim::Error::Setting { key, reason } => self.error(key, reason).into(),
            toile_sim::Error::Mesh { name, reason } => {
                let is = |n: String| n == *name || name.starts_with(&format!("{n}-"));
                let cloth = (0..self.cloths.len()).find(|i| is(self.cloth_label(*i)));
                let body = (0..self.bodies.len()).find(|i| is(self.body_label(*i)));
                match (cloth, body) {
                    (Some(i), _) => {
                        let part = if reason.starts_with("fabric ") { "fabric" } else { "shape" };
                        let reason = reason.strip_prefix("fabric ").unwrap_or(reason);
                        self.error(&format!("cloth.{i}.{part}"), reason).into()
                    }
                    (_, Some(i)) => self.error(&format!("body.{i}.shape"), reason).into(),
                    _ => error.into(),
                }
            }
            _ => error.into(),
        }
    }
}

/// All settings that act with a preset, as they can stand in a scene.
///
/// # Errors
/// If they cannot be written as TOML.
pub fn settings_as_toml(preset: toile_sim::Preset) -> Result<String, Error> {
    let settings = preset.settings();
    let nested = Table::try_from(settings.clone()).map(|mut t| {
        keep_active(&settings, "", &mut t);
        let mut solver = Table::new();
        solver.insert("solver".into(), Value::Table(t));
        toml::to_string_pretty(&solver)
    });
    nested
        .map_err(|e| e.to_string())
        .and_then(|text| text.map_err(|e| e.to_string()))
        .map_err(|e| Error::request(format!("the settings cannot be written: {e}"), "report this"))
}

/// Removes the settings that do nothing beside the others.
fn keep_active(settings: &Settings, path: &str, table: &mut Table) {
    table.retain(|key, value| {
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        match value {
            Value::Table(table) => {
                keep_active(settings, &path, table);
                !table.is_empty()
            }
            _ => settings.inactive(&path).is_none(),
        }
    });
}

/// Dotted paths of all values of a table that are no tables themselves.
fn leaves(path: &str, table: &Table) -> Vec<String> {
    let below = |(key, value): (&String, &Value)| {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match value {
            Value::Table(table) => leaves(&path, table),
            _ => vec![path],
        }
    };
    table.iter().flat_map(below).collect()
}

fn label<'a>(names: impl Iterator<Item = &'a String> + Clone, i: usize) -> String {
    let Some(name) = names.clone().nth(i) else { return String::new() };
    let alone = names.filter(|n| *n == name).count() == 1;
    if alone { name.clone() } else { format!("{name}[{i}]") }
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

/// When clips begin at the earliest [s].
const CLIP_START: f64 = 1.0;

/// A mannequin that moves, in its place.
#[derive(Debug)]
struct Placed {
    body: MovingBody,
    place: Place,
}

impl Deform for Placed {
    fn place(&self, time: f64, vertices: &mut [DVec3]) {
        for (x, p) in vertices.iter_mut().zip(self.body.positions(time)) {
            *x = self.place.apply(p);
        }
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
