//! Path-traced pictures of garments and swatches, made from results and fabric files alone.
//!
//! A [`Shot`] says what is drawn: the folder of a run, a mesh, or a mesh and its point cache. The cloth is
//! subdivided, its seams and hems are given what sewing does to them, and every fabric gets the appearance of its
//! file ([`crate::fabric::look`]).

mod film;
mod pose;
pub(crate) mod preview;
mod set;
mod sewn;
mod studio;
mod subject;
mod swatch;
mod view;

pub use set::{Set, make_environment};
pub use swatch::swatch;
pub use view::View;

use crate::error::Error;
use crate::fabric::{self, Look};
use film::Kind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use studio::Studio;
use subject::Subject;
use toile_mesh::TriMesh;
use toile_render::Image;
use toile_render::appearance::{Fabric, Simple};
use toile_render::path::{self, Buffers, Scene};
use toile_render::tone::develop;
pub use toile_render::tone::{Exposure, Operator};

/// Size of a single view, and width of a sheet [px].
const SIZE: [u32; 2] = [1280, 960];
const SHEET_WIDTH: u32 = 1600;

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
    /// What is seen behind.
    pub behind: Behind,
    /// A file that says where the camera stands, in place of the view; see `docs/rendering.md`.
    pub camera: Option<PathBuf>,
    /// Radius of the opening of the lens [m]; 0 makes everything sharp.
    pub aperture: f64,
    /// Distance of what is sharp [m]; the middle of the garment if absent.
    pub focus: Option<f64>,
    /// Share of the time from frame to frame that the shutter is open; 0 freezes the motion.
    pub shutter: f64,
    /// Luminaires beside the environment.
    pub luminaires: Vec<Hung>,
    /// Height of the plane that catches shadows [m], in place of the ground that the inputs have.
    pub catcher: Option<Catcher>,
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
            behind: Behind::Paper,
            camera: None,
            aperture: 0.0,
            focus: None,
            shutter: 0.0,
            luminaires: Vec::new(),
            catcher: None,
            with_body: true,
            turntable: 0,
            frame: None,
            animate: false,
            fps: 30.0,
            options: Options::default(),
        }
    }
}

/// What is seen where nothing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behind {
    /// A roll of paper.
    Paper,
    /// What the environment shows.
    Environment,
    /// Nothing: the picture is transparent, but for the shadows on the ground.
    Nothing,
    /// A photograph (.png, .hdr, .exr) that the shadows fall on.
    Photograph(PathBuf),
}

/// Where a plane catches shadows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Catcher {
    /// Below everything.
    Lowest,
    /// At a height [m].
    At(f64),
}

/// A luminaire that shines on the garment.
#[derive(Clone, Debug, PartialEq)]
pub struct Hung {
    /// Its photometric file (IESNA LM-63).
    pub file: PathBuf,
    /// Where it hangs [m]; above the camera's side of the garment if absent.
    pub place: Option<[f64; 3]>,
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
        self.develop_as(buffers, self.exposure)
    }

    fn develop_as(&self, buffers: &Buffers, exposure: Exposure) -> Result<Image, Error> {
        let light = if self.denoise { buffers.denoised() } else { buffers.colour.clone() };
        develop(&light, self.tone, exposure).map_err(failed)
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
    let photograph = match &shot.behind {
        Behind::Photograph(file) => Some(file),
        _ => None,
    };
    let read = shot.inputs.iter().chain(&shot.camera).chain(photograph);
    let mut read = read.chain(shot.luminaires.iter().map(|l| &l.file));
    if let Some(same) = read.find(|i| real(out).is_some() && real(i) == real(out)) {
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
    let set = if shot.behind == Behind::Environment { set } else { set.levelled() };
    let studio = Studio::new(shot, &subject, &wardrobe, set)?;
    let mut drawn = studio.draw(tell)?;
    drawn.notes.extend(subject.notes.iter().chain(wardrobe.notes()).cloned());
    Ok(drawn)
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
