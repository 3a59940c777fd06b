//! Path-traced pictures of garments and swatches, made from results and fabric files alone.
//!
//! A [`Shot`] says what is drawn: the folder of a run, a mesh, or a mesh and its point cache. The cloth is
//! subdivided, its seams and hems are given what sewing does to them, and every fabric gets the appearance of its
//! file ([`crate::fabric::look`]).

mod film;
pub(crate) mod preview;
mod set;
mod sewn;
mod subject;
mod swatch;
mod view;

pub use set::{Set, make_environment};
pub use swatch::swatch;
pub use view::View;

use crate::error::Error;
use crate::fabric::{self, Look};
use film::Kind;
use glam::DVec3;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use subject::Subject;
use toile_mesh::TriMesh;
use toile_render::appearance::{Fabric, Simple};
use toile_render::path::{self, Background, Buffers, Material, Scene, Surface};
use toile_render::tone::develop;
pub use toile_render::tone::{Exposure, Operator};
use toile_render::{Camera, Image, srgb};
use view::Frame;

/// Size of a single view, and width of a sheet [px].
const SIZE: [u32; 2] = [1280, 960];
const SHEET_WIDTH: u32 = 1600;
/// Edges of bodies that bend more than this are sharp [rad].
const CREASE: f64 = 0.7;
/// Body under cloth keeps this far away [m], where it is nearer than the first.
const RECEDE: [f64; 2] = [0.02, 0.003];
/// Frames per second of turntables.
const TURNTABLE_FPS: f64 = 12.0;

/// What is drawn, and how.
#[derive(Clone, Debug)]
pub struct Shot {
    /// A folder of results, a mesh, or one of them and a point cache.
    pub inputs: Vec<PathBuf>,
    /// A fabric in place of what the results say.
    pub fabric: Option<String>,
    /// From where.
    pub view: View,
    /// Environment: a name or a file.
    pub environment: String,
    /// Whether the environment is seen behind; otherwise paper.
    pub shows_environment: bool,
    /// The body too, not the cloth alone.
    pub with_body: bool,
    /// Pictures of a whole turn, for an animation; 0 for a still.
    pub turntable: u32,
    /// Which frame of an animation; the last if none is given and `animate` is not set.
    pub frame: Option<usize>,
    /// All frames.
    pub animate: bool,
    /// Frames per second of point caches.
    pub fps: f64,
    /// Size and care.
    pub options: Options,
}

impl Shot {
    /// A picture of three quarters in the studio.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            inputs: inputs.into_iter().map(Into::into).collect(),
            fabric: None,
            view: View::Orbit { azimuth: 25.0, elevation: 5.0 },
            environment: "studio".into(),
            shows_environment: false,
            with_body: true,
            turntable: 0,
            frame: None,
            animate: false,
            fps: 30.0,
            options: Options::default(),
        }
    }
}

/// Size and care of pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Width and height [px]; what suits the view if none is given.
    pub size: Option<[u32; 2]>,
    /// Camera rays for each pixel.
    pub samples: u32,
    /// Pixels less noisy than this share of their brightness get no further rays; 0 gives all to all.
    pub noise: f32,
    /// Whether noise is smoothed.
    pub denoise: bool,
    /// From scene light to display light.
    pub tone: Operator,
    /// How much light.
    pub exposure: Exposure,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            size: None,
            samples: 64,
            noise: 0.0,
            denoise: true,
            tone: Operator::Film,
            exposure: Exposure::Stops(0.0),
        }
    }
}

impl Options {
    fn trace(
        &self,
        scene: &Scene<'_>,
        [width, height]: [u32; 2],
        tell: &(impl Fn(f64) -> bool + Sync),
    ) -> Result<Buffers, Error> {
        let settings = path::Settings {
            samples: self.samples,
            noise: self.noise,
            ..path::Settings::new(width, height)
        };
        path::render_watched(scene, &settings, tell).map_err(failed)
    }

    fn develop(&self, buffers: &Buffers) -> Result<Image, Error> {
        let light = if self.denoise { buffers.denoised() } else { buffers.colour.clone() };
        develop(&light, self.tone, self.exposure).map_err(failed)
    }
}

/// What was drawn.
#[derive(Debug)]
pub struct Drawn {
    /// The picture, or the frames of an animation.
    pub images: Vec<Image>,
    /// Scene light and the layers of a single view.
    pub buffers: Option<Buffers>,
    /// Frames per second.
    pub fps: f64,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Drawn {
    /// Writes it in the format of the extension: the whole file or nothing.
    ///
    /// # Errors
    /// If the format cannot hold it, or nothing can be written.
    pub fn write(&self, out: &Path) -> Result<(), Error> {
        let kind = Kind::of(out)?;
        let bytes = match (kind, &self.buffers) {
            (Kind::Png | Kind::Gif, _) => film::bytes(kind, &self.images, self.fps)?,
            (Kind::Hdr, Some(buffers)) => film::hdr_bytes(out, &buffers.colour)?,
            (Kind::Exr, Some(buffers)) => film::layers_bytes(buffers)?,
            (Kind::Hdr | Kind::Exr, None) => {
                let message = format!("{}: scene light is kept of one view only", out.display());
                return Err(Error::request(message, "take --view front, or write a .png"));
            }
        };
        Ok(toile_mesh::io::write_atomically(out, |file| file.write_all(&bytes))?)
    }
}

/// Checks that a file of this name can hold what will be drawn, before the long part.
///
/// # Errors
/// If the format is unknown or cannot.
pub fn check_out(out: &Path, shot: &Shot) -> Result<(), Error> {
    let kind = Kind::of(out)?;
    let single = shot.turntable == 0 && !shot.animate && shot.view != View::Sheet;
    if matches!(kind, Kind::Exr | Kind::Hdr) && !single {
        let message = format!("{}: scene light is kept of one view only", out.display());
        return Err(Error::request(message, "take --view front, or write a .png"));
    }
    let folder = out.parent().filter(|f| !f.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|f| !f.is_dir()) {
        let source = std::io::ErrorKind::NotFound.into();
        return Err(Error::Folder { path: folder.to_path_buf(), source });
    }
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if let Some(same) = shot.inputs.iter().find(|i| real(out).is_some() && real(i) == real(out)) {
        let message = format!("{}: this file is both read and written", same.display());
        return Err(Error::request(message, "give the picture another name"));
    }
    Ok(())
}

/// Does work on so many threads, or on all there are.
///
/// # Errors
/// If they cannot be started, or the work fails.
pub fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let threads = threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        Error::request(format!("cannot start {threads} threads: {e}"), "ask for fewer threads")
    })?;
    pool.install(work)
}

/// A fabric ready to be traced.
#[derive(Clone, Debug)]
pub(crate) struct Garb {
    pub(crate) look: Look,
    pub(crate) fabric: Arc<Fabric>,
    pub(crate) simple: Simple,
}

/// Fabrics by the names that parts call them.
#[derive(Debug)]
struct Wardrobe {
    garbs: BTreeMap<String, Garb>,
    notes: Vec<String>,
}

impl Wardrobe {
    fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        let (mut garbs, mut notes) = (BTreeMap::new(), Vec::new());
        for name in names {
            if garbs.contains_key(name) {
                continue;
            }
            let look = fabric::look(name)?;
            if look.is_derived {
                notes.push(format!(
                    "{name} does not say how it looks; it is drawn as undyed cotton of its weight ([appearance] in its file)"
                ));
            }
            let fabric = Fabric::new(&look.appearance, look.picture.clone()).map_err(failed)?;
            let simple = Simple::new(&look.appearance, look.picture.clone()).map_err(failed)?;
            garbs.insert(name.to_owned(), Garb { look, fabric: Arc::new(fabric), simple });
        }
        Ok(Self { garbs, notes })
    }

    fn get(&self, name: &str) -> Result<&Garb, Error> {
        let missing = || Error::Picture(format!("the fabric {name} was not prepared"));
        self.garbs.get(name).ok_or_else(missing)
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Draws a shot on the current threads. The same picture comes out for any number of them.
///
/// `tell` hears which share of the work is done, and ends it by returning false.
///
/// # Errors
/// If something cannot be read, there is nothing to see, or `tell` ended it.
pub fn draw(shot: &Shot, tell: &(impl Fn(f64) -> bool + Sync)) -> Result<Drawn, Error> {
    let subject = Subject::read(&shot.inputs, shot.fabric.as_deref(), shot.fps)?;
    let wardrobe = Wardrobe::new(subject.parts.iter().map(|p| p.fabric.as_str()))?;
    let set = Set::find(&shot.environment)?;
    let set = if shot.shows_environment { set } else { set.levelled() };
    let studio = Studio { shot, subject: &subject, wardrobe: &wardrobe, set };
    let mut drawn = studio.draw(tell)?;
    drawn.notes.extend(subject.notes.iter().chain(wardrobe.notes()).cloned());
    Ok(drawn)
}

/// Draws the views of a shot.
struct Studio<'a> {
    shot: &'a Shot,
    subject: &'a Subject,
    wardrobe: &'a Wardrobe,
    set: Set,
}

/// A moment, seen from somewhere.
#[derive(Clone, Copy)]
struct Exposed {
    frame: Option<usize>,
    camera: Camera,
    size: [u32; 2],
}

impl Studio<'_> {
    fn draw(&self, tell: &(impl Fn(f64) -> bool + Sync)) -> Result<Drawn, Error> {
        let shots = self.exposures()?;
        let count = shots.len();
        let (mut images, mut last) = (Vec::new(), None);
        let mut prepared: Option<(Option<usize>, Prepared)> = None;
        for (k, exposed) in shots.into_iter().enumerate() {
            if prepared.as_ref().is_none_or(|(frame, _)| *frame != exposed.frame) {
                prepared = Some((exposed.frame, self.prepare(exposed.frame)?));
            }
            let Some((_, ready)) = &prepared else { continue };
            let part = |share: f64| tell((k as f64 + share) / count as f64);
            let buffers = self.trace(ready, &exposed, &part)?;
            images.push(self.shot.options.develop(&buffers)?);
            last = Some(buffers);
        }
        let (is_sheet, is_film) = (self.shot.view == View::Sheet, self.is_film());
        if is_sheet && !is_film {
            let sheet = Image::contact_sheet(&images, images.len()).map_err(failed)?;
            images = vec![sheet];
        }
        let fps = if self.shot.turntable > 0 { TURNTABLE_FPS } else { self.subject.fps };
        let buffers = last.filter(|_| count == 1);
        Ok(Drawn { images, buffers, fps, notes: Vec::new() })
    }

    fn is_film(&self) -> bool {
        self.shot.turntable > 0 || self.shot.animate
    }

    /// All views that are drawn.
    fn exposures(&self) -> Result<Vec<Exposed>, Error> {
        let shot = self.shot;
        let cloth = self.subject.at(shot.frame);
        let nothing = || Error::Picture("there is nothing to see".into());
        if cloth.triangles.is_empty() {
            return Err(nothing());
        }
        if let Some(k) = shot.frame.filter(|k| *k >= self.subject.frames.len().max(1)) {
            let message = format!("there is no frame {k}");
            let help = format!("there are {}, counted from 0", self.subject.frames.len().max(1));
            return Err(Error::request(message, help));
        }
        let frame = Frame::new(&cloth.positions).ok_or_else(nothing)?;
        let still = |camera, size| Exposed { frame: shot.frame, camera, size };
        let size = shot.options.size.unwrap_or(SIZE);
        let aspect = |[w, h]: [u32; 2]| f64::from(w.max(1)) / f64::from(h.max(1));
        match shot.view {
            View::Sheet if self.is_film() => {
                Err(Error::request("an animation has one view", "take another --view than sheet"))
            }
            View::Sheet => {
                let tile = sheet_tile(shot.options.size, frame.sheet_aspect());
                Ok(frame.sheet(aspect(tile)).into_iter().map(|c| still(c, tile)).collect())
            }
            View::Orbit { azimuth, elevation } if shot.turntable > 0 => {
                let n = shot.turntable;
                let turn = |k: u32| azimuth + 360.0 * f64::from(k) / f64::from(n);
                let azimuths: Vec<f64> = (0..n).map(turn).collect();
                let cameras = frame.cameras(&azimuths, elevation, aspect(size));
                Ok(cameras.into_iter().map(|c| still(c, size)).collect())
            }
            View::Orbit { azimuth, elevation } if shot.animate => {
                let all: Vec<DVec3> = self.subject.frames.iter().flatten().copied().collect();
                let frame = Frame::new(&all).unwrap_or(frame);
                let camera = frame.camera(azimuth, elevation, aspect(size));
                let at = |k: usize| Exposed { frame: Some(k), ..still(camera, size) };
                Ok((0..self.subject.frames.len()).map(at).collect())
            }
            View::Orbit { azimuth, elevation } => {
                Ok(vec![still(frame.camera(azimuth, elevation, aspect(size)), size)])
            }
        }
    }

    /// Surfaces of a moment.
    fn prepare(&self, frame: Option<usize>) -> Result<Prepared, Error> {
        let cloth = self.subject.at(frame);
        let pieces = sewn::pieces(&cloth, &self.subject.parts, self.wardrobe)?;
        let covering = toile_render::detail::Cloth::new(&cloth);
        let bodies = self.subject.bodies.iter().filter(|_| self.shot.with_body);
        let bodies = bodies.map(|b| covering.receded(b, RECEDE[0], RECEDE[1])).collect();
        Ok(Prepared { pieces, bodies })
    }

    fn trace(
        &self,
        ready: &Prepared,
        exposed: &Exposed,
        tell: &(impl Fn(f64) -> bool + Sync),
    ) -> Result<Buffers, Error> {
        let mut scene = Scene::studio(exposed.camera);
        if !self.set.turns {
            scene.environment = self.set.environment.clone();
        }
        scene.lamps.extend(self.set.sun.clone());
        if self.shot.shows_environment {
            scene.background = Background::Environment;
        }
        for piece in &ready.pieces {
            scene = scene.with(Surface::new(&piece.mesh, piece.material.clone()));
        }
        for body in &ready.bodies {
            scene = scene.with(Surface::new(body, mannequin()).with_crease(CREASE));
        }
        if let Some(y) = self.subject.ground.filter(|_| self.shot.with_body) {
            scene = scene.with_floor(y);
        }
        self.shot.options.trace(&scene, exposed.size, tell)
    }
}

/// Surfaces of a moment.
struct Prepared {
    pieces: Vec<sewn::Piece>,
    bodies: Vec<TriMesh>,
}

/// The paint of mannequins: warm grey, dull.
fn mannequin() -> Material {
    Material::Lacquer { colour: srgb(0xcfc6bb), roughness: 0.55, ior: 1.45 }
}

/// Size of a view of a sheet, with the gaps that are between them.
fn sheet_tile(size: Option<[u32; 2]>, aspect: f64) -> [u32; 2] {
    let width = size.map_or(SHEET_WIDTH, |[w, _]| w);
    let about = f64::from(width) / 4.0;
    let height = size.map_or((about / aspect).round() as u32, |[_, h]| h).max(1);
    // The gap is an eightieth of the shorter side.
    let gap = ((about as u32).min(height) / 80).max(2);
    [(width.saturating_sub(3 * gap) / 4).max(1), height]
}

/// A mesh without vertices that nothing uses.
fn compact(mesh: &TriMesh) -> TriMesh {
    let mut out = TriMesh::default();
    let renumber = |triangles: &[[u32; 3]], count: usize, keep: &mut dyn FnMut(usize)| {
        let mut new = vec![u32::MAX; count];
        let mut next = 0;
        let mut numbered = Vec::with_capacity(triangles.len());
        for t in triangles {
            numbered.push(t.map(|v| {
                if new[v as usize] == u32::MAX {
                    new[v as usize] = next;
                    next += 1;
                    keep(v as usize);
                }
                new[v as usize]
            }));
        }
        numbered
    };
    let (mut positions, mut uv) = (Vec::new(), Vec::new());
    let count = mesh.positions.len();
    out.triangles = renumber(&mesh.triangles, count, &mut |v| positions.push(mesh.positions[v]));
    if mesh.has_uv() {
        out.uv_triangles =
            renumber(&mesh.uv_triangles, mesh.uv.len(), &mut |v| uv.push(mesh.uv[v]));
    }
    (out.positions, out.uv) = (positions, uv);
    out
}

fn failed(error: toile_render::Error) -> Error {
    match error {
        toile_render::Error::Stopped => Error::Stopped,
        other => Error::Picture(other.to_string()),
    }
}

#[cfg(test)]
mod tests;
