//! Garments: a pattern, a body and a fabric go in; a sewn drape, its audit, its picture and how it fits come out.

mod made_of;
mod maps;
mod page;
mod ramp;
mod report;
#[cfg(test)]
mod tests;

use made_of::{colours, fabrics, panel_fabrics};
pub use report::{FIT_VERSION, FitReport, FitShort};

use crate::body::{self, four_views};
use crate::error::Error;
use crate::run::folder::{self, Folder};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toile_audit::Solid;
use toile_body::{Figure, Landmarks, Mannequin, Pose, Tape, measure};
use toile_garment::fit::{Worn, assess, best_size};
use toile_garment::{Fitting, Stage, Tailor};
use toile_mesh::{TriMesh, io};
use toile_pattern::design::Design;
use toile_pattern::meshing;
use toile_pattern::{Pattern, Size, file, svg};
use toile_render::{Material, palette};

/// Most steps from flat panels to rest.
const MOST_STEPS: u32 = 400;

/// Rays per pixel of the picture of the panels, and of that of the garment.
const SAMPLES: [u32; 2] = [4, 8];

/// What is to be made.
#[derive(Clone, Debug)]
pub struct Order {
    /// Name of a design (`tshirt`, `skirt` …) or path of a pattern file.
    pub garment: String,
    /// Size of the garment, and of the mannequin if nothing else is said.
    pub size: Size,
    /// Size of the mannequin, if it is not that of the garment.
    pub wearer: Option<Size>,
    /// Whose body.
    pub figure: Figure,
    /// How it stands while it is dressed.
    pub pose: Pose,
    /// A mesh of a body instead of the mannequin.
    pub body: Option<PathBuf>,
    /// Name or file of the fabric.
    pub fabric: String,
    /// Length of the edges of the cloth [m].
    pub edge_length: f64,
    /// Folder for the results.
    pub out: PathBuf,
    /// Whether pictures are drawn.
    pub picture: bool,
    /// Number of threads; all there are if not given. The result is the same to the last bit.
    pub threads: Option<usize>,
}

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct GarmentReport {
    /// Version of this report.
    pub version: u32,
    /// The garment.
    pub garment: String,
    /// Its size.
    pub size: String,
    /// What it is made of.
    pub fabric: String,
    /// What panels that are of another fabric are made of, by their names.
    pub panel_fabrics: BTreeMap<String, String>,
    /// Vertices of the cloth.
    pub vertices: usize,
    /// Triangles of the cloth.
    pub triangles: usize,
    /// Steps taken.
    pub steps: u32,
    /// Whether it came to rest.
    pub at_rest: bool,
    /// Root mean square of the speed at the end [m/s].
    pub rms_speed: f64,
    /// The widest opening of a seam at the end [m].
    pub seam_gap_max: f64,
    /// Which seam that is and why, if one is open.
    pub open_seam: Option<String>,
    /// Pairs of triangles of the cloth that intersect at the end, by exact predicates.
    pub intersections_final: usize,
    /// Triangles of the cloth that are in the body at the end, by exact predicates.
    pub body_penetrations_final: usize,
    /// Largest strain of an edge.
    pub max_strain: f64,
    /// Wall time [s].
    pub wall_seconds: f64,
    /// Hash of positions and velocities.
    pub state_hash: String,
    /// How it fits, in short; all of it is in `fit.json`.
    pub fit: FitShort,
}

impl GarmentReport {
    /// Whether nothing intersects and it is at rest.
    pub fn is_good(&self) -> bool {
        self.at_rest && self.intersections_final == 0 && self.body_penetrations_final == 0
    }
}

/// How far a dressing is.
#[derive(Clone, Copy, Debug)]
pub struct Dressing {
    /// What is being done.
    pub doing: &'static str,
    /// Steps taken.
    pub step: u32,
    /// The widest opening of a seam [m].
    pub gap: f64,
    /// Root mean square of the speed [m/s].
    pub speed: f64,
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
/// `tell` hears of every step; if it returns false the work is given up and nothing is written.
///
/// Leaves `report.json`, `final.obj`, `final.glb`, `body.obj`, `fit.html`, `fit.json` and, if asked, `arranged.png`,
/// `final.png` and a picture for each map of the fit in the folder.
///
/// # Errors
/// If the order makes no sense, a seam does not close, the solver fails or nothing can be written.
pub fn dress(
    order: &Order,
    tell: impl FnMut(Dressing) -> bool + Send,
) -> Result<Option<GarmentReport>, Error> {
    let threads = order.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
        Error::request(format!("cannot start {threads} threads: {e}"), "ask for fewer threads")
    })?;
    pool.install(|| dress_here(order, tell))
}

fn dress_here(
    order: &Order,
    mut tell: impl FnMut(Dressing) -> bool,
) -> Result<Option<GarmentReport>, Error> {
    let clock = Instant::now();
    let pattern = pattern(order)?;
    let fabrics = fabrics(order, &pattern)?;
    let Wearer { body, landmarks, tapes, name, note } = wearer(order)?;
    std::fs::create_dir_all(&order.out)
        .map_err(|source| Error::Folder { path: order.out.clone(), source })?;
    // What an earlier garment has left would seem to belong to this one.
    let _alone = Folder::lock(&order.out)?;
    folder::clear(&order.out);
    folder::sweep(&order.out);
    let mesh = match meshing::mesh(&pattern, order.edge_length) {
        Ok(mesh) => mesh,
        Err(error) => return Err(faulty(order, &pattern, &error)?),
    };
    tell(Dressing { doing: "arranging", step: 0, gap: 0.0, speed: 0.0 });
    let mut tailor =
        Tailor::new(&pattern, &mesh, order.edge_length, (&body, &landmarks), &fabrics)?;
    let colours = colours(order, &pattern);
    if order.picture {
        draw(&order.out.join("arranged.png"), tailor.fitting(), &colours, &body, SAMPLES[0])?;
    }
    let mut step = 0;
    while !tailor.is_done() && step < MOST_STEPS {
        tailor.step()?;
        step += 1;
        let fitting = tailor.fitting();
        let sewing = tailor.is_coarse() || fitting.stage() == Stage::Sewing;
        let doing = if sewing { "sewing" } else { "draping" };
        let (gap, speed) = (fitting.widest_gap(), fitting.world().state().rms_speed());
        if !tell(Dressing { doing, step, gap, speed }) {
            return Ok(None);
        }
    }
    let fitting = tailor.fitting();
    let doing = |doing| Dressing { doing, step, gap: 0.0, speed: 0.0 };
    tell(doing("measuring"));
    let cloth = fitting.mesh();
    let worn = Worn {
        pattern: &pattern,
        panels: &mesh,
        cloth: &cloth,
        fabrics: &fabrics,
        body: &body,
        tapes: &tapes,
    };
    let fit = assess(&worn)?;
    let mut judged = judged(order, &worn, fit.clone(), name);
    judged.notes.extend(note);
    let report = GarmentReport {
        version: 1,
        garment: pattern.name.clone(),
        size: order.size.name().to_owned(),
        fabric: order.fabric.clone(),
        panel_fabrics: panel_fabrics(&pattern),
        vertices: cloth.positions.len(),
        triangles: cloth.triangles.len(),
        steps: step,
        at_rest: tailor.is_done(),
        rms_speed: fitting.world().state().rms_speed(),
        seam_gap_max: fitting.widest_gap(),
        open_seam: fitting.open().map(|open| open.to_string()),
        intersections_final: intersections(&cloth)?,
        body_penetrations_final: penetrations(&cloth, &body)?,
        max_strain: fitting.world().max_strain(),
        wall_seconds: clock.elapsed().as_secs_f64(),
        state_hash: format!("{:016x}", fitting.world().state().hash()),
        fit: judged.short(),
    };
    tell(doing("drawing"));
    io::write_mesh(order.out.join("final.obj"), &cloth)?;
    io::write_mesh(order.out.join("final.glb"), &cloth)?;
    io::write_mesh(order.out.join("body.obj"), &body)?;
    if order.picture {
        draw(&order.out.join("final.png"), fitting, &colours, &body, SAMPLES[1])?;
    }
    report::write(&order.out, &judged, &fit, (&cloth, &body), order.picture)?;
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    io::write_atomically(order.out.join("report.json"), |out| out.write_all(text.as_bytes()))?;
    Ok(Some(report))
}

fn refused(error: toile_pattern::Error) -> Error {
    Error::request(error.to_string(), error.help())
}

/// Why a pattern cannot be meshed; what is wrong with it is drawn in `faults.svg`.
fn faulty(order: &Order, pattern: &Pattern, error: &toile_pattern::Error) -> Result<Error, Error> {
    let message = format!("{}: {error}", order.garment);
    let toile_pattern::Error::Faulty(check) = error else {
        return Ok(Error::request(message, error.help()));
    };
    let path = order.out.join("faults.svg");
    let drawing = svg::draw(pattern, check, svg::Options::default());
    io::write_atomically(&path, |out| out.write_all(drawing.as_bytes()))?;
    Ok(Error::request(message, format!("{} shows the faults in red", path.display())))
}

/// A design drafted to the size, or a file.
fn pattern(order: &Order) -> Result<Pattern, Error> {
    match Design::find(&order.garment) {
        Some(design) if !Path::new(&order.garment).exists() => {
            Ok(design.draft(&order.figure.measurements(order.size)))
        }
        None if !Path::new(&order.garment).exists() => {
            let names: Vec<&str> = Design::all().iter().map(Design::name).collect();
            let message = format!("there is no garment `{}`", order.garment);
            let help = format!("there are {}, or give the file of a pattern", names.join(", "));
            Err(Error::request(message, help))
        }
        _ => file::read(&order.garment).map_err(refused),
    }
}

/// Who wears it.
struct Wearer {
    body: TriMesh,
    landmarks: Landmarks,
    /// Where it was measured; nothing if it cannot be.
    tapes: Vec<Tape>,
    name: String,
    /// What went wrong with the measuring.
    note: Option<String>,
}

fn wearer(order: &Order) -> Result<Wearer, Error> {
    let (body, landmarks, name) = match &order.body {
        None => {
            let size = order.wearer.unwrap_or(order.size);
            let m = order.figure.measurements(size);
            let body = Mannequin::new(&m, order.figure, order.pose)?;
            let name = format!("{} mannequin of size {}", order.figure.name(), size.name());
            (body.mesh, body.landmarks, name)
        }
        Some(path) => {
            let (mesh, _) = body::read(path)?;
            let landmarks = Landmarks::find(&mesh).map_err(|e| body::of_file(path, &e))?;
            (mesh, landmarks, path.display().to_string())
        }
    };
    let (tapes, note) = match measure(&body) {
        Ok(measured) => (measured.tapes, None),
        Err(error) => (Vec::new(), Some(format!("the body has no girths to compare: {error}"))),
    };
    Ok(Wearer { body, landmarks, tapes, name, note })
}

/// What is to be said about a fit: by the design's own wishes, if it is one.
fn judged(order: &Order, worn: &Worn<'_>, fit: toile_garment::fit::Fit, name: String) -> FitReport {
    let is_file = Path::new(&order.garment).exists();
    let design = Design::find(&order.garment).filter(|_| !is_file);
    let best = design.and_then(|d| best_size(&d, order.figure, worn.tapes));
    let own = best.iter().flat_map(|b| &b.sizes).find(|s| s.size == order.size.name());
    let wanted: Vec<(String, f64)> =
        own.iter().flat_map(|s| &s.girths).map(|g| (g.name.clone(), g.wanted)).collect();
    let wanted: Vec<(&str, f64)> = wanted.iter().map(|(n, e)| (n.as_str(), *e)).collect();
    let size = if is_file { String::new() } else { order.size.name().to_owned() };
    let mut made_of = order.fabric.clone();
    for (panel, fabric) in panel_fabrics(worn.pattern) {
        made_of += &format!(", {panel} of {fabric}");
    }
    let names = [worn.pattern.name.clone(), size, name, made_of];
    FitReport::new(fit, names, best.clone(), &wanted)
}

fn intersections(cloth: &TriMesh) -> Result<usize, Error> {
    let found = toile_audit::self_intersections(&cloth.positions, &cloth.triangles);
    Ok(found.map_err(|e| Error::Audit(e.to_string()))?.len())
}

fn penetrations(cloth: &TriMesh, body: &TriMesh) -> Result<usize, Error> {
    let solid =
        Solid::Mesh { positions: body.positions.clone(), triangles: body.triangles.clone() };
    let found = toile_audit::body_penetrations(&cloth.positions, &cloth.triangles, &solid);
    Ok(found.map_err(|e| Error::Audit(e.to_string()))?.triangles.len())
}

/// Draws a garment on its body from four sides, with the colours of its panels.
fn draw(
    path: &Path,
    fitting: &Fitting,
    colours: &[usize],
    body: &TriMesh,
    samples: u32,
) -> Result<(), Error> {
    let whole = fitting.mesh();
    let part = |colour: usize| {
        let own = fitting.panels().iter().zip(colours).filter(|(_, c)| **c == colour);
        let triangles = own.flat_map(|(panel, _)| panel.triangles.clone());
        let triangles = triangles.map(|t| whole.triangles[t as usize]).collect();
        let (front, back) = palette(colour);
        (TriMesh::new(whole.positions.clone(), triangles), Material::cloth(front, back))
    };
    let last = colours.iter().copied().max().unwrap_or(0);
    let parts: Vec<(TriMesh, Material)> = (0..=last).map(part).collect();
    let worn = parts.iter().filter(|(mesh, _)| !mesh.triangles.is_empty());
    let worn: Vec<(&TriMesh, Material)> = worn.map(|(mesh, material)| (mesh, *material)).collect();
    let sheet = four_views(body, &worn, samples)?;
    let mut bytes = Vec::new();
    sheet.write_png(&mut bytes).map_err(|e| Error::Picture(e.to_string()))?;
    Ok(io::write_atomically(path, |out| out.write_all(&bytes))?)
}
