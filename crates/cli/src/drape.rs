//! `toile drape`.

use crate::progress::Bar;
use crate::sim::{Output, conclude, simulate};
use crate::wearer::{ToMeasure, parse_pair};
use crate::{End, wearer};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use toile::body::{MotionOrder, Pose, Stance};
use toile::garment::{Order, dress, is_outfit, usual_fabric};
use toile::{Coordinates, Error};

/// Drape cloth: a garment on a body, or a scene.
///
/// Without a name it is a T-shirt of cotton jersey on the mannequin. Writes report.json, final.obj, final.mtl, final.glb and final.png into a
/// folder; for a garment also body.obj, arranged.png, and how it fits: fit.html, fit.json and a picture of each map. Every frame is
/// audited with exact predicates, and a run that was stopped or killed is resumed with --resume.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile drape
  toile drape dress --size L --fabric silk --out out/dress
  toile drape tshirt --size S --wearer-size L
  toile drape tshirt --with ease=0.14 --with neckband=true
  toile drape dress --measurements me.toml --set waist_girth=74
  toile drape my-pattern.toml --body scan.obj --quality draft
  toile drape tshirt --body character.glb --frames glb
  toile drape skirt --frames gif --every 0.1
  toile drape tshirt --motion walk --duration 4 --frames glb
  toile drape outfit.toml --motion walk-turn --frames gif
  toile drape tshirt --quality fine --resume
  toile drape sphere --fabric silk --quality fine --out out/silk
  toile drape sphere --quality fine --levels 3
  toile drape scenes/table.toml --frames gif")]
pub(crate) struct Args {
    /// A design (see `toile pattern list`), the file of a pattern, an outfit or a scene, or `sphere`: a square over a ball.
    #[arg(default_value = "tshirt")]
    what: String,
    /// Size of the garment, and of the mannequin: XS, S, M, L, XL or XXL.
    #[arg(long, default_value = "M")]
    size: String,
    /// Size of the mannequin, if it is not that of the garment.
    #[arg(long, value_name = "SIZE", conflicts_with_all = ["measurements"])]
    wearer_size: Option<String>,
    /// Whose body: female, male or child.
    #[arg(long, default_value = "female")]
    figure: String,
    /// How it stands: a (arms half raised) or t (arms level) while it is dressed; or relaxed, sit, squat, lunge or arms-up, into which it
    /// goes when it is dressed in a.
    #[arg(long, default_value = "a")]
    pose: String,
    /// What the mannequin does when it is dressed: walk, walk-turn, run, turn, arms-up, squat, sit, lunge, or a BVH file. Frames are those of the motion,
    /// which begins with the way from the pose of the fitting (1.5 s).
    /// With --body, its point cache: a PC2 file with a frame every --every seconds.
    #[arg(long, value_name = "NAME|FILE")]
    motion: Option<String>,
    /// How much of the motion [s]; all of it if not given, and 4 s of a walk or a turn.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Speed of a walk [m/s]; 1.2 if not given.
    #[arg(long, value_name = "M/S", requires = "motion", allow_negative_numbers = true)]
    speed: Option<f64>,
    /// A mesh of a body instead of the mannequin: OBJ, PLY or GLB. A GLB with an animation is dressed and then follows it.
    #[arg(long, value_name = "MESH", conflicts_with = "wearer_size")]
    body: Option<PathBuf>,
    /// In which coordinates results are written with --body: those of its file (unit, axes, place), or toile's (metres, y up).
    #[arg(long, value_name = "WHOSE", requires = "body")]
    coordinates: Option<CoordinateFrame>,
    /// What it is made of: see `toile fabric list`, or a file in fabrics/. Default: cotton-jersey for a T-shirt, else cotton.
    #[arg(long, value_name = "NAME")]
    fabric: Option<String>,
    /// An option of the design, lengths in metres, such as ease=0.12; see `toile pattern options`. May be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    with: Vec<(String, String)>,
    #[command(flatten)]
    to_measure: ToMeasure,
    /// Of a garment, a measurement [cm] of the wearer, such as waist_girth=74; of a scene, a value of it, such as
    /// solver.step=0.005. May be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    set: Vec<(String, String)>,
    /// How fine the cloth is.
    #[arg(long, value_name = "LEVEL")]
    quality: Option<Quality>,
    /// Coarse-to-fine: start with cells 2, 4, 8 … times as large. Scenes only; garments are always sewn coarse to fine.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=6))]
    levels: Option<u32>,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, ValueEnum)]
enum CoordinateFrame {
    /// Those of the file of the body.
    Body,
    /// Metres, y up, facing +z, standing on y = 0.
    Toile,
}

#[derive(Clone, Copy, ValueEnum)]
enum Quality {
    /// Triangles of 4 cm, or 25 × 25 cells of a square, for a quick look.
    Draft,
    /// Triangles of 1 cm, or 50 × 50 cells.
    Normal,
    /// Triangles of 7 mm, or 100 × 100 cells.
    Fine,
}

impl Args {
    /// What is changed in a scene.
    fn changes(&self) -> Vec<(String, String)> {
        let mut changes = self.output.changes();
        changes.extend(self.levels.map(|n| ("levels".to_owned(), n.to_string())));
        changes.extend(self.set.iter().cloned());
        changes
    }
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    let is_file = Path::new(&args.what).is_file();
    let is_square = args.what == "sphere" && !is_file;
    let is_scene = is_file && toile::is_scene(&args.what);
    if (is_square || is_scene) && (args.motion.is_some() || args.duration.is_some()) {
        return Err(Error::Request {
            message: "only a garment's mannequin takes --motion".into(),
            help: "in a scene, give its body a motion".into(),
        });
    }
    if (is_square || is_scene) && !(args.with.is_empty() && args.to_measure.measurements.is_none())
    {
        return Err(Error::Request {
            message: "a scene has no design options and no measurements".into(),
            help: "change a value of the scene: --set solver.step=0.005".into(),
        });
    }
    if is_square {
        return drape_square(&args, json);
    }
    if is_scene {
        return drape_scene(&args, json);
    }
    drape_garment(&args, json)
}

/// A square over a ball.
fn drape_square(args: &Args, json: bool) -> Result<End, Error> {
    let cells = match args.quality.unwrap_or(Quality::Normal) {
        Quality::Draft => 25_u32,
        Quality::Normal => 50,
        Quality::Fine => 100,
    };
    // Of every level a whole number.
    let cells = cells.next_multiple_of(1 << (args.levels.unwrap_or(1) - 1));
    let mut changes = args.changes();
    let fabric = args.fabric.as_deref().unwrap_or("cotton");
    let set = |key: &str, value: String| (key.to_owned(), value);
    changes.push(set("name", "drape".into()));
    changes.push(set("cloth.0.fabric", format!("\"{fabric}\"")));
    changes.push(set("cloth.0.shape.cells", format!("[{cells}, {cells}]")));
    let mut scene = toile::drape_scene(&changes)?;
    // The bounds of the scene are those of cotton at one resolution.
    scene.expect = toile::Expect {
        intersections_max: Some(0),
        body_penetrations_final: Some(0),
        ..toile::Expect::default()
    };
    simulate(scene, &args.output, json, "toile drape sphere")
}

/// A scene file, as `toile sim` does it.
fn drape_scene(args: &Args, json: bool) -> Result<End, Error> {
    if args.quality.is_some() {
        return Err(Error::Request {
            message: "the resolution of a scene is set in its file".into(),
            help: format!("toile sim {} --set cloth.0.shape.cells=[40,40]", args.what),
        });
    }
    let mut changes = args.changes();
    let fabric = args.fabric.iter().map(|f| ("cloth.0.fabric".to_owned(), format!("\"{f}\"")));
    changes.extend(fabric);
    let scene = toile::Scene::read_with(&args.what, &changes)?;
    simulate(scene, &args.output, json, &format!("toile drape {}", args.what))
}

fn drape_garment(args: &Args, json: bool) -> Result<End, Error> {
    if args.levels.is_some() {
        return Err(Error::Request {
            message: "garments are always sewn coarse to fine".into(),
            help: "omit --levels; --quality says how fine it becomes".into(),
        });
    }
    let size = wearer::size(&args.size)?;
    let worn_by = args.wearer_size.as_deref().map(wearer::size).transpose()?;
    let figure = wearer::figure(&args.figure)?;
    let (pose, stance) = pose(args)?;
    args.output.check_for_garment()?;
    if args.fabric.is_some() && Path::new(&args.what).is_file() && is_outfit(&args.what) {
        return Err(Error::Request {
            message: format!("{}: each garment of an outfit has its own fabric", args.what),
            help: "write it into the outfit: fabric = \"denim\"".into(),
        });
    }
    let order = Order {
        garment: args.what.clone(),
        size,
        wearer: worn_by,
        figure,
        pose,
        motion: match &args.motion {
            Some(motion) => Some(MotionOrder {
                speed: args.speed,
                duration: args.duration,
                ..MotionOrder::new(motion)
            }),
            None => stance.map(MotionOrder::to),
        },
        body: args.body.clone(),
        duration: args.duration,
        fabric: args.fabric.clone().unwrap_or_else(|| usual_fabric(&args.what).into()),
        edge_length: match args.quality.unwrap_or(Quality::Normal) {
            Quality::Draft => 0.04,
            Quality::Normal => 0.01,
            Quality::Fine => 0.007,
        },
        fps: args.output.fps().unwrap_or(FPS),
        coordinates: match args.coordinates {
            None | Some(CoordinateFrame::Body) => Coordinates::Body,
            Some(CoordinateFrame::Toile) => Coordinates::Toile,
        },
        design_options: args.with.clone(),
        measurements: args.to_measure.apply(figure.measurements(size), &args.set)?,
    };
    let bar = Bar::spinner(json);
    let outcome = dress(&order, &args.output.options(), &mut |progress| bar.show_garment(progress));
    bar.clear();
    conclude(outcome?, &args.output, json, &format!("toile drape {}", args.what))
}

/// The pose in which the mannequin is dressed, and the one into which it goes then.
fn pose(args: &Args) -> Result<(Pose, Option<Stance>), Error> {
    match Stance::of_name(&args.pose) {
        None | Some(Stance::A | Stance::T) => Ok((wearer::pose(&args.pose)?, None)),
        Some(_) if args.motion.is_some() || args.body.is_some() => Err(Error::Request {
            message: format!("the pose `{}` is a motion of the mannequin", args.pose),
            help: "leave --pose, or --motion and --body, away".into(),
        }),
        Some(stance) => Ok((Pose::A, Some(stance))),
    }
}

/// Frames of a garment per second, unless asked otherwise.
const FPS: f64 = 30.0;
