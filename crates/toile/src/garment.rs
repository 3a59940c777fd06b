//! Garments: a pattern, a body and a fabric go in; a sewn drape, its audit, its picture and how it fits come out.

mod caught;
mod job;
mod made_of;
mod maps;
mod moving;
mod outfit;
mod page;
mod ramp;
mod report;
mod simulation;
#[cfg(test)]
mod tests;

use made_of::{colours, fabrics, panel_fabrics};
pub(crate) use outfit::materials;
pub use outfit::{WornGarment, is_outfit, usual_fabric};
pub use report::{FIT_VERSION, FitReport, FitShort};
pub use simulation::{Garment, GarmentSimulation, Wearer};
pub use toile_garment::{PanelRange, Stage as SewingStage};

use crate::body::{self, Character, Dressable, MotionOrder};
use crate::error::Error;
use crate::export::{Coordinates, Space};
use crate::output::{OutputFolder, Plan};
use crate::run::{Options, Outcome, Progress, ProgressCallback, Stage, in_pool, plan, run_job};
use crate::scene::suggest;
use job::GarmentJob;
use moving::Moving;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toile_body::motion::Rig;
use toile_body::{Figure, Landmarks, Mannequin, Pose, Tape, measure};
use toile_garment::fit::{Worn, best_size};
use toile_mesh::TriMesh;
use toile_pattern::design::Design;
use toile_pattern::meshing;
use toile_pattern::{Measurements, Pattern, Size, file, svg};

/// Drawing of what is wrong with a pattern.
const FAULTS: &str = "faults.svg";

/// What is to be made.
#[derive(Clone, Debug)]
pub struct Order {
    /// Name of a design (`tshirt`, `skirt` …) or path of the file of a pattern or an outfit.
    pub garment: String,
    /// Size of the garment, and of the mannequin if nothing else is said.
    pub size: Size,
    /// Size of the mannequin, if it is not that of the garment.
    pub wearer: Option<Size>,
    /// Whose body.
    pub figure: Figure,
    /// How it stands while it is dressed.
    pub pose: Pose,
    /// What the mannequin does when it is dressed.
    pub motion: Option<MotionOrder>,
    /// A mesh of a body instead of the mannequin. One with an animation follows it when it is dressed.
    pub body: Option<PathBuf>,
    /// How much of the animation of the body [s]; all of it if not given.
    pub duration: Option<f64>,
    /// Name or file of the fabric; an outfit has its own.
    pub fabric: String,
    /// Length of the edges of the cloth [m].
    pub edge_length: f64,
    /// Frames per second of simulated time.
    pub fps: f64,
    /// In which coordinates results are written, if `body` is given.
    pub coordinates: Coordinates,
    /// Options of the design and their values, as in `ease` and `0.12`; see [`Design::options`].
    pub design_options: Vec<(String, String)>,
    /// Made to measure: these instead of those of the sizes, for the garment and for the mannequin.
    pub measurements: Option<Measurements>,
}

impl Order {
    /// Measurements that the garment is drafted to.
    fn drafted_to(&self) -> Measurements {
        self.measurements.unwrap_or_else(|| self.figure.measurements(self.size))
    }
}

impl From<toile_garment::Error> for Error {
    fn from(error: toile_garment::Error) -> Self {
        match error {
            toile_garment::Error::Sim(source) => source.into(),
            toile_garment::Error::Body(source) => source.into(),
            other => Self::request(other.to_string(), other.help()),
        }
    }
}

/// Makes a garment: arranges, sews, drapes, audits and draws it, and looks how it fits.
///
/// Leaves `report.json`, `final.obj`, `final.mtl`, `final.glb`, `body.obj`, `fit.html`, `fit.json`, `state.bin`, the frames asked for and, if
/// pictures are wanted, `arranged.png`, `final.png` and a picture for each map of the fit in the folder. Frames are audited, and a
/// run that was stopped is resumed, as those of a scene.
///
/// # Errors
/// If the order makes no sense, a seam does not close, the solver fails or nothing can be written.
pub fn dress(
    order: &Order,
    options: &Options,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Outcome, Error> {
    in_pool(options, || dress_here(order, options, progress))
}

fn dress_here(
    order: &Order,
    options: &Options,
    tell: &mut ProgressCallback<'_>,
) -> Result<Outcome, Error> {
    if !(order.fps.is_finite() && order.fps > 0.0) {
        let message = format!("cannot keep {} frames per second", order.fps);
        return Err(Error::request(message, "give a number above zero"));
    }
    let started = Instant::now();
    let cut = cut(order)?;
    let order = &Order { fabric: cut.fabric.clone(), ..order.clone() };
    let fabrics = fabrics(order, &cut.pattern)?;
    let mut wearer = wearer(order)?;
    let mesh = match meshing::mesh(&cut.pattern, order.edge_length) {
        Ok(mesh) => mesh,
        Err(error) => return Err(faulty(order, &options.out, &cut.pattern, &error)?),
    };
    let moving = moving(order, &mut wearer)?;
    let mut job = GarmentJob::new(order, &cut, &mesh, fabrics, &wearer, started);
    job.moving = moving;
    // What is in the way of results is found out before the long part.
    plan(&job, options).check(&options.out)?;
    if !options.resume {
        tell(&Progress::at(Stage::Arranging, 0, 0.0));
        job.arrange(options)?;
    }
    run_job(&mut job, options, tell)
}

/// There is neither a design nor a file of that name.
fn no_garment(name: &str) -> Error {
    let names: Vec<&str> = Design::all().iter().map(Design::name).collect();
    let near = suggest(name, &names);
    let files = "or give the file of a pattern or scene";
    Error::request(format!("there is no garment `{name}`"), format!("{near}, {files}"))
}

impl From<toile_pattern::Error> for Error {
    fn from(error: toile_pattern::Error) -> Self {
        Self::request(error.to_string(), error.help())
    }
}

/// Why a pattern cannot be meshed; what is wrong with it is drawn in `faults.svg`.
fn faulty(
    order: &Order,
    out: &Path,
    pattern: &Pattern,
    error: &toile_pattern::Error,
) -> Result<Error, Error> {
    let message = format!("{}: {error}", order.garment);
    let toile_pattern::Error::Faulty(check) = error else {
        return Ok(Error::request(message, error.help()));
    };
    let drawing = svg::draw(pattern, check, svg::Options::default());
    let mut folder = OutputFolder::open(out, Plan::new([FAULTS]))?;
    folder.write_bytes(FAULTS, drawing.as_bytes())?;
    let path = out.join(FAULTS);
    Ok(Error::request(message, format!("{} shows the faults in red", path.display())))
}

/// What is cut: one garment, or those of an outfit.
struct Cut {
    pattern: Pattern,
    /// Numbers of the panels with which each garment ends, in the order of dressing.
    dressing: Vec<usize>,
    /// What is used where a panel names no fabric.
    fabric: String,
    /// The garments of an outfit, from the inside out.
    outfit: Option<Vec<WornGarment>>,
}

fn cut(order: &Order) -> Result<Cut, Error> {
    if is_file(&order.garment) && is_outfit(&order.garment) {
        return outfit::cut(order);
    }
    let pattern = pattern(order)?;
    let dressing = vec![pattern.panels.len()];
    Ok(Cut { pattern, dressing, fabric: order.fabric.clone(), outfit: None })
}

/// Whether a garment is given by a file. A folder that is called like a design is none.
fn is_file(garment: &str) -> bool {
    let path = Path::new(garment);
    path.exists() && !(path.is_dir() && Design::find(garment).is_some())
}

/// A design drafted to the size, or a file.
fn pattern(order: &Order) -> Result<Pattern, Error> {
    match Design::find(&order.garment) {
        Some(design) if !is_file(&order.garment) => {
            Ok(chosen(order, design)?.draft(&order.drafted_to()))
        }
        None if !is_file(&order.garment) => Err(no_garment(&order.garment)),
        _ if !order.design_options.is_empty() => {
            let message = format!("{}: a pattern file has no design options", order.garment);
            Err(Error::request(message, "change the file, or name a design: `toile pattern list`"))
        }
        _ => Ok(file::read(&order.garment)?),
    }
}

/// A design with the options of the order.
fn chosen(order: &Order, design: Design) -> Result<Design, Error> {
    let mut options = order.design_options.iter();
    Ok(options.try_fold(design, |design, (name, value)| design.with(name, value))?)
}

/// What the body does when it is dressed: a clip, or what the file of a character says.
fn moving(order: &Order, wearer: &mut MeasuredWearer) -> Result<Option<Moving>, Error> {
    let duration = order.motion.as_ref().and_then(|m| m.duration).or(order.duration);
    match (wearer.character.take(), &order.motion) {
        (Some(character), _) => {
            Ok(Some(Moving::of_character(character, wearer, duration, order.fps)?))
        }
        (None, Some(motion)) => Ok(Some(Moving::new(wearer, motion, order.fps)?)),
        (None, None) if order.duration.is_some() => Err(Error::request(
            "there is nothing that could move for so long",
            "give --motion, or a body with an animation",
        )),
        (None, None) => Ok(None),
    }
}

/// Who wears it.
struct MeasuredWearer {
    /// What moves it, if it is a character of a file, until it does.
    character: Option<Character>,
    body: TriMesh,
    landmarks: Landmarks,
    /// Its bones, if it can move.
    rig: Option<Rig>,
    /// Where it was measured; nothing if it cannot be.
    tapes: Vec<Tape>,
    name: String,
    /// What went wrong with the measuring.
    note: Option<String>,
    /// What was done to a mesh from a file.
    repairs: Option<body::Repairs>,
    /// Coordinates of results.
    space: Space,
    /// Why they are not those of the file.
    space_note: Option<String>,
}

fn wearer(order: &Order) -> Result<MeasuredWearer, Error> {
    let mut character = None;
    let (body, landmarks, rig, name, repairs) = match &order.body {
        None => {
            let size = order.wearer.unwrap_or(order.size);
            let (m, of) = match order.measurements {
                Some(m) => (m, "made to measure".to_owned()),
                None => (order.figure.measurements(size), format!("of size {}", size.name())),
            };
            let body = Mannequin::new(&m, order.figure, order.pose)?;
            let name = format!("{} mannequin {of}", order.figure.name());
            let rig = order.motion.is_some().then(|| Rig::new(&body));
            (body.mesh, body.landmarks, rig, name, None)
        }
        Some(path) => {
            let name = path.display().to_string();
            let cache = order.motion.as_ref().map(|m| PathBuf::from(&m.motion));
            let cache = cache.filter(|p| p.extension().is_some_and(|e| e == "pc2"));
            if cache.is_some() || order.motion.is_none() && body::moves(path)? {
                let found = Character::read(path, cache.as_deref(), order.fps)?;
                let Dressable { character: moves, body, landmarks, repairs } = found;
                character = Some(moves);
                (body, landmarks, None, name, Some(repairs))
            } else {
                let (mesh, repairs) = body::read(path)?;
                let landmarks = Landmarks::find(&mesh).map_err(|e| body::of_file(path, &e))?;
                (mesh, landmarks, None, name, Some(repairs))
            }
        }
    };
    let (tapes, note) = match measure(&body) {
        Ok(measured) => (measured.tapes, None),
        Err(error) => (Vec::new(), Some(format!("the body has no girths to compare: {error}"))),
    };
    let (space, space_note) = match &repairs {
        Some(repairs) if order.coordinates == Coordinates::Body => space(repairs, &body),
        _ => (Space::default(), None),
    };
    Ok(MeasuredWearer {
        character,
        body,
        landmarks,
        rig,
        tapes,
        name,
        note,
        repairs,
        space,
        space_note,
    })
}

/// Coordinates of the file of a body, or metres and the reason.
fn space(repairs: &body::Repairs, body: &TriMesh) -> (Space, Option<String>) {
    let height = body.bounds().map_or(0.0, |(lo, hi)| hi.y - lo.y);
    if let Some(space) = Space::of(repairs, height) {
        return (space, None);
    }
    let note = "the body is far from the origin of its file, where numbers of 32 bits would not tell layers of cloth apart: \
                results are in metres, and body_transform says where the file is";
    (Space::default(), Some(note.into()))
}

/// What is to be said about a fit: by the design's own wishes, if it is one.
fn judged(order: &Order, worn: &Worn<'_>, fit: toile_garment::fit::Fit, name: String) -> FitReport {
    let is_file = is_file(&order.garment);
    let design = Design::find(&order.garment).filter(|_| !is_file);
    let design = design.and_then(|design| chosen(order, design).ok());
    let best = design.and_then(|d| best_size(&d, order.figure, worn.tapes));
    let own = best.iter().flat_map(|b| &b.sizes).find(|s| s.size == order.size.name());
    let wanted: Vec<(String, f64)> =
        own.iter().flat_map(|s| &s.girths).map(|g| (g.name.clone(), g.wanted)).collect();
    let wanted: Vec<(&str, f64)> = wanted.iter().map(|(n, e)| (n.as_str(), *e)).collect();
    let size = match order.measurements {
        _ if is_file => String::new(),
        Some(_) => "made to measure".to_owned(),
        None => order.size.name().to_owned(),
    };
    let mut made_of = order.fabric.clone();
    for (panel, fabric) in panel_fabrics(worn.pattern) {
        made_of += &format!(", {panel} of {fabric}");
    }
    let names = [worn.pattern.name.clone(), size, name, made_of];
    FitReport::new(fit, names, best.clone(), &wanted)
}
