//! Pictures of a simulation.

use crate::error::Error;
use crate::look::preview;
use crate::simulation::Simulation;
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;
use toile_mesh::{TriMesh, io, shape};
use toile_render as render;
use toile_render::{Image, Material, palette};
use toile_sim::body::Shape;
use toile_sim::{Body, Fabric};

/// Where the picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Camera {
    /// Direction of the camera around the vertical axis [degrees]: 0 looks along −z, 90 along −x.
    pub azimuth: f64,
    /// Height of the camera above the horizon [degrees].
    pub elevation: f64,
    /// Two corners of the box that the picture shows [m]; all cloths and bodies if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<[DVec3; 2]>,
}

impl Default for Camera {
    fn default() -> Self {
        Self { azimuth: 30.0, elevation: 20.0, frame: None }
    }
}

/// Rays per pixel of a still picture, and of the frames of a moving one.
const SAMPLES: [u32; 2] = [8, 4];

/// Pictures on a sheet.
const MOMENTS: usize = 8;

/// Triangles of one material.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) triangles: Range<u32>,
    pub(crate) material: Material,
}

/// The material of the k-th cloth of a scene: that of its fabric, or a colour of its own if an earlier cloth is of the same.
fn material(k: usize, fabrics: &[Fabric]) -> Material {
    if fabrics[..k].iter().any(|f| f.name == fabrics[k].name) {
        let (front, back) = palette(k);
        return Material::cloth(front, back);
    }
    preview::material(&preview::simple(&fabrics[k]))
}

/// Draws a simulation.
#[derive(Clone, Debug)]
pub struct Studio<'a> {
    /// Triangles of the cloth, and where it starts.
    mesh: &'a TriMesh,
    parts: Vec<Part>,
    bodies: &'a [Body],
    camera: Camera,
    fps: f64,
    x: &'a [DVec3],
    time: f64,
    size: [u32; 2],
    samples: u32,
    /// Whether the camera is that of the first moment, so that it does not move with the cloth.
    fixed: bool,
    /// Where the body is at rest that the camera goes along with.
    followed: Option<DVec3>,
}

impl<'a> Studio<'a> {
    /// A picture of 960 × 720 pixels of the present moment.
    pub fn new(sim: &'a Simulation) -> Self {
        let (world, state) = (sim.world(), sim.state());
        let model = world.model();
        let triangles = model.triangles.iter().cloned().enumerate();
        let part = |(k, triangles)| Part { triangles, material: material(k, &model.fabrics) };
        let parts = triangles.map(part).collect();
        let studio = Self::of_parts(&model.mesh, parts, world.bodies())
            .filmed(sim.scene().camera, sim.scene().fps);
        studio.at(&state.x, state.time)
    }

    /// A picture of cloth in several colours among bodies.
    pub(crate) fn of_parts(mesh: &'a TriMesh, parts: Vec<Part>, bodies: &'a [Body]) -> Self {
        Self {
            mesh,
            parts,
            bodies,
            camera: Camera::default(),
            fps: 30.0,
            x: &mesh.positions,
            time: 0.0,
            size: [960, 720],
            samples: SAMPLES[0],
            fixed: false,
            followed: None,
        }
    }

    /// Seen from there, with so many frames per second.
    #[must_use]
    pub(crate) fn filmed(mut self, camera: Camera, fps: f64) -> Self {
        (self.camera, self.fps) = (camera, fps);
        self
    }

    /// The camera goes along with a body on the ground that is so at the time zero.
    #[must_use]
    pub(crate) fn following(mut self, body: &TriMesh) -> Self {
        self.followed = Some(middle(body));
        self
    }

    /// The frame of a film: 480 × 360 pixels from a camera that stands still.
    #[must_use]
    pub fn small(mut self) -> Self {
        (self.size, self.samples, self.fixed) = ([480, 360], SAMPLES[1], true);
        self
    }

    /// A picture of another size [px].
    #[must_use]
    pub fn sized(mut self, width: u32, height: u32) -> Self {
        self.size = [width, height];
        self
    }

    /// Another moment: positions of all vertices [m], and the time that places the bodies [s].
    #[must_use]
    pub fn at(mut self, x: &'a [DVec3], time: f64) -> Self {
        (self.x, self.time) = (x, time);
        self
    }

    /// Draws it.
    ///
    /// # Errors
    /// If the camera looks nowhere.
    pub fn draw(&self) -> Result<Image, Error> {
        let cloths = self.cloths();
        let mut ground = None;
        let mut bodies = Vec::new();
        for body in self.bodies {
            match level(body, self.time) {
                Some(y) => ground = Some(ground.map_or(y, |old: f64| old.max(y))),
                None => bodies.push(body_mesh(body, self.time)),
            }
        }
        let mut scene = render::Scene::new(self.camera(&bodies, ground)?);
        for (mesh, part) in cloths.iter().zip(&self.parts) {
            scene = scene.with_item(mesh, part.material);
        }
        for mesh in &bodies {
            scene = scene.with_item(mesh, Material::plaster());
        }
        let ground = ground.or(self.followed.map(|_| 0.0));
        if let Some(y) = ground {
            scene = scene.with_ground(y);
        }
        let [width, height] = self.size;
        let settings =
            render::Settings { samples: self.samples, ..render::Settings::new(width, height) };
        render::render(&scene, &settings).map_err(failed)
    }

    /// Draws it as the contents of a PNG file.
    ///
    /// # Errors
    /// If it cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.draw()?.write_png(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// Draws it to a PNG file; its folder is made if it is missing.
    ///
    /// # Errors
    /// If it cannot be drawn or written.
    pub fn draw_to(&self, path: &Path) -> Result<(), Error> {
        let bytes = self.png()?;
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|source| Error::Folder { path: folder.to_path_buf(), source })?;
        }
        Ok(io::write_atomically(path, |out| out.write_all(&bytes))?)
    }

    /// Draws frames, one for each frame of the scene's rate, as the contents of an animated GIF.
    ///
    /// # Errors
    /// If a frame cannot be drawn.
    pub fn gif(&self, frames: &[Vec<DVec3>]) -> Result<Vec<u8>, Error> {
        let images = self.film(frames)?;
        let few: Vec<&Image> = images.iter().step_by(images.len().div_ceil(8).max(1)).collect();
        let colours = render::gif::Colours::of(&few);
        let [width, height] = self.size;
        let mut writer = render::gif::Writer::new(Vec::new(), width, height, self.rate(), colours)
            .map_err(failed)?;
        for image in &images {
            writer.write_frame(image).map_err(failed)?;
        }
        writer.finish().map_err(failed)
    }

    /// The same as an animated PNG.
    ///
    /// # Errors
    /// As [`Studio::gif`].
    pub fn apng(&self, frames: &[Vec<DVec3>]) -> Result<Vec<u8>, Error> {
        let [width, height] = self.size;
        let mut bytes = Vec::new();
        let count = u32::try_from(frames.len()).unwrap_or(u32::MAX);
        let mut writer = render::apng::Writer::new(&mut bytes, width, height, count, self.rate())
            .map_err(failed)?;
        for image in self.film(frames)? {
            writer.write_frame(image).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }

    /// Draws eight moments of a course of frames, the first and the last among them, side by side.
    ///
    /// # Errors
    /// As [`Studio::gif`].
    pub fn sheet(&self, frames: &[Vec<DVec3>]) -> Result<Vec<u8>, Error> {
        let last = frames.len().saturating_sub(1);
        let mut moments: Vec<usize> = (0..MOMENTS).map(|k| k * last / (MOMENTS - 1)).collect();
        moments.dedup();
        let fps = self.fps;
        let draw = |i: &usize| {
            let studio = Studio { x: &frames[*i], time: *i as f64 / fps, ..self.clone() };
            studio.sized(320, 240).draw()
        };
        let images: Vec<Image> =
            moments.iter().filter(|i| **i < frames.len()).map(draw).collect::<Result<_, _>>()?;
        let mut bytes = Vec::new();
        let sheet = Image::contact_sheet(&images, 4).map_err(failed)?;
        sheet.write_png(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    fn film(&self, frames: &[Vec<DVec3>]) -> Result<Vec<Image>, Error> {
        let fps = self.fps;
        let draw = |(i, x): (usize, &Vec<DVec3>)| {
            Studio { x, time: i as f64 / fps, ..self.clone() }.draw()
        };
        frames.iter().enumerate().map(draw).collect()
    }

    fn rate(&self) -> u16 {
        self.fps.round().clamp(1.0, 1000.0) as u16
    }

    /// Each part as a mesh of its own.
    fn cloths(&self) -> Vec<TriMesh> {
        let cut = |part: &Part| {
            let t = part.triangles.start as usize..part.triangles.end as usize;
            let corners = &self.mesh.triangles[t.clone()];
            let used = corners.iter().flatten();
            let first = used.clone().min().copied().unwrap_or(0);
            let end = used.max().map_or(0, |last| last + 1);
            TriMesh {
                positions: self.x[first as usize..end as usize].to_vec(),
                triangles: corners.iter().map(|c| c.map(|i| i - first)).collect(),
                uv: self.mesh.uv.clone(),
                uv_triangles: self.mesh.uv_triangles[t].to_vec(),
            }
        };
        self.parts.iter().map(cut).collect()
    }

    fn camera(&self, bodies: &[TriMesh], ground: Option<f64>) -> Result<render::Camera, Error> {
        let (camera, begin) = (self.camera, &self.mesh.positions);
        let [mut lo, mut hi] = match camera.frame {
            Some([a, b]) => [a.min(b), a.max(b)],
            None => {
                let cloth: &[DVec3] = if self.fixed { begin } else { self.x };
                let points = cloth.iter().chain(bodies.iter().flat_map(|b| &b.positions));
                points.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[lo, hi], p| {
                    [lo.min(*p), hi.max(*p)]
                })
            }
        };
        if let (Some(from), Some(body)) = (self.followed, bodies.first()) {
            let way = (middle(body) - from).with_y(0.0);
            (lo, hi) = (lo + way, hi + way);
        }
        // Things on the ground are seen with the ground they stand on.
        if let (None, Some(y)) = (camera.frame, ground) {
            (lo.y, hi.y) = (lo.y.min(y), hi.y.max(y));
        }
        if !(lo.is_finite() && hi.is_finite()) {
            return Err(Error::Picture("there is nothing to see".into()));
        }
        let [width, height] = self.size.map(f64::from);
        let (azimuth, elevation) = (camera.azimuth.to_radians(), camera.elevation.to_radians());
        Ok(render::Camera::framing(lo, hi, azimuth, elevation, width / height))
    }
}

/// Mean of the vertices [m].
fn middle(mesh: &TriMesh) -> DVec3 {
    mesh.positions.iter().sum::<DVec3>() / mesh.positions.len().max(1) as f64
}

fn failed(error: render::Error) -> Error {
    Error::Picture(error.to_string())
}

/// Height of a body that is level ground [m].
pub(crate) fn level(body: &Body, t: f64) -> Option<f64> {
    match body.shape {
        Shape::Plane { point, normal } if normal.normalize_or_zero().y > 0.999 => {
            Some(body.motion.pose(t).apply(point).y)
        }
        _ => None,
    }
}

/// The surface of a body at time `t` [s].
pub(crate) fn body_mesh(body: &Body, t: f64) -> TriMesh {
    if body.deformation.is_some()
        && let Shape::Mesh(mesh) = body.shape_at(t)
    {
        return mesh;
    }
    let pose = body.motion.pose(t);
    surface(body).map_positions(|p| pose.apply(p))
}

/// The surface of a body before it moves.
pub(crate) fn surface(body: &Body) -> TriMesh {
    let turned = |mesh: TriMesh, to: DVec3, at: DVec3| {
        let turn = DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Y, to));
        mesh.map_positions(|p| turn * p + at)
    };
    match &body.shape {
        Shape::Mesh(mesh) => mesh.clone(),
        Shape::Sphere { centre, radius } => {
            shape::sphere(*radius, 5).map_positions(|p| p + *centre)
        }
        Shape::Capsule { a, b, radius } => match (*b - *a).try_normalize() {
            Some(along) => {
                let rod = shape::capsule(*radius, a.distance(*b), 64, 16);
                turned(rod, along, 0.5 * (*a + *b))
            }
            None => shape::sphere(*radius, 5).map_positions(|p| p + *a),
        },
        Shape::Cuboid { centre, half, rotation } => {
            toile_sim::body::cuboid(*centre, *half, *rotation)
        }
        // Level ground is drawn as ground; any other plane as a piece of it.
        Shape::Plane { point, normal } => {
            let piece = shape::grid(4.0, 4.0, 1, 1, shape::Diagonals::Same);
            turned(piece, normal.normalize_or_zero(), *point)
        }
    }
}
