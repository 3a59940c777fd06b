//! `toile render`.

use crate::progress::{Bar, stop_on_interrupt};
use crate::{End, print_error, print_json, print_line};
use clap::ValueEnum;
use std::path::PathBuf;
use toile::Error;
use toile::look::{self, Behind, Catcher, Drawn, Exposure, Hung, Operator, Options, Shot, View};

/// Draw a result as a photograph: path-traced, with the weave, seams and hems of its fabrics.
///
/// Give the folder of `toile drape` or `toile sim`, a scene (its start is drawn), or a mesh (OBJ, PLY, GLB) with --fabric, and a point
/// cache (PC2) beside a folder or a mesh for its motion. What a fabric looks like stands in the table [appearance] of its file; the same picture comes out for any number
/// of threads.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile render out --out shirt.png
  toile render out --view sheet --samples 128 --out sheet.png
  toile render out --fabric denim --view 40,10 --size-px 1600x1600 --out denim.png
  toile render out --environment sky --tone drago --out outside.png
  toile render out --view front --out shirt.exr
  toile render out --turntable 36 --size-px 480x640 --samples 32 --out turn.gif
  toile render out --background street.png --camera street.json --shadow-catcher 0 --out there.png
  toile render final.obj frames.pc2 --fabric silk --animate --size-px 480x360 --out flag.gif")]
pub(crate) struct Args {
    /// The folder of a run, a scene, or a mesh; and a point cache.
    #[arg(required = true, num_args = 1..=2, value_name = "FOLDER|SCENE|MESH")]
    inputs: Vec<PathBuf>,
    /// The picture: .png, .gif, or .exr and .hdr for scene light (EXR with depth, normals, albedo and material).
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// A fabric in place of what the results say: see `toile fabric list`, or a file.
    #[arg(long, value_name = "NAME|FILE")]
    fabric: Option<String>,
    /// front, back, left, right, three-quarter, sheet (four views), or azimuth and elevation in degrees such as 30,10.
    #[arg(long, value_name = "VIEW", default_value = "three-quarter", value_parser = View::parse, allow_hyphen_values = true)]
    view: View,
    /// studio, shop, entrance, sky, overcast, dark, or a picture of the whole sphere (.hdr, .exr).
    #[arg(long, value_name = "NAME|FILE", default_value = "studio")]
    environment: String,
    /// A luminaire (.ies) that shines on the garment, from a place in metres if given; with --environment dark nothing else does.
    #[arg(long, value_name = "FILE[@X,Y,Z]", value_parser = parse_luminaire)]
    luminaire: Vec<Hung>,
    /// Backdrop.
    #[arg(long, value_name = "WHAT", default_value = "paper")]
    backdrop: Backdrop,
    /// A photograph behind (.png, .hdr, .exr), in place of a backdrop; shadows fall on it. The picture has its size.
    #[arg(long, value_name = "IMAGE", conflicts_with = "backdrop")]
    background: Option<PathBuf>,
    /// A plane that shows what is behind it and the shadows that fall on it: at a height [m], or below everything.
    #[arg(long, value_name = "HEIGHT", num_args = 0..=1, default_missing_value = "lowest",
          value_parser = parse_catcher, allow_hyphen_values = true)]
    shadow_catcher: Option<Catcher>,
    /// Where the camera stands, in place of --view: a JSON file with eye, target and fov-y-deg, or R, C, f and size-px.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["view", "turntable"])]
    camera: Option<PathBuf>,
    /// Width of the opening of the lens [mm]: what is not at the focus is blurred.
    #[arg(long, value_name = "MM", default_value_t = 0.0)]
    aperture_mm: f64,
    /// Distance of what is sharp [m]; the middle of the garment if not given.
    #[arg(long, value_name = "M")]
    focus_m: Option<f64>,
    /// Share of the time from frame to frame that the shutter is open, such as 0.5: what moves is blurred.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    shutter: f64,
    /// Omit the body.
    #[arg(long)]
    no_body: bool,
    /// Pictures of a whole turn, as an animation (.gif, or .png for APNG).
    #[arg(long, value_name = "PICTURES", num_args = 0..=1, default_missing_value = "36",
          value_parser = clap::value_parser!(u32).range(2..=360))]
    turntable: Option<u32>,
    /// All frames of the point cache, as an animation.
    #[arg(long, conflicts_with_all = ["turntable", "frame"])]
    animate: bool,
    /// Which frame of the point cache, counted from 0; the last if not given.
    #[arg(long, value_name = "N")]
    frame: Option<usize>,
    /// Frames per second of the point cache.
    #[arg(long, value_name = "RATE", default_value_t = 30.0)]
    fps: f64,
    #[command(flatten)]
    settings: RenderSettings,
}

/// Resolution and quality.
#[derive(clap::Args)]
pub(crate) struct RenderSettings {
    /// Camera rays for each pixel; powers of two are best.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    samples: u32,
    /// Size of the picture, as 1280x960; what suits the view if not given.
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    size_px: Option<[u32; 2]>,
    /// Relative noise at which a pixel stops sampling, such as 0.02.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01)]
    noise: f32,
    /// Do not denoise.
    #[arg(long)]
    no_denoise: bool,
    /// Tone mapping.
    #[arg(long, value_name = "HOW", default_value = "film")]
    tone: Tone,
    /// Stops of light more or less, or `auto`: the mean of the picture becomes mid-grey.
    #[arg(long, value_name = "STOPS", default_value = "0", value_parser = parse_exposure, allow_hyphen_values = true)]
    exposure: Exposure,
    /// Number of threads [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backdrop {
    /// A roll of paper.
    Paper,
    /// What the environment shows.
    Environment,
    /// Nothing: a transparent .png, with the shadows on the ground.
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum Tone {
    /// A curve with a soft shoulder.
    Film,
    /// Cut at white.
    Clamp,
    /// The brightest becomes white.
    Linear,
    /// Logarithmic, after Drago and others.
    Drago,
    /// Dodging and burning, after Reinhard and others.
    Reinhard,
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let pair = text.split_once(['x', 'X', '×']);
    let pair = pair.and_then(|(w, h)| Some([w.trim().parse().ok()?, h.trim().parse().ok()?]));
    pair.filter(|[w, h]: &[u32; 2]| *w > 0 && *h > 0)
        .ok_or_else(|| "write width and height in pixels, such as 1280x960".into())
}

fn parse_exposure(text: &str) -> Result<Exposure, String> {
    if text == "auto" {
        return Ok(Exposure::Auto);
    }
    let stops = text.parse::<f32>().ok().filter(|s| s.abs() <= 32.0);
    stops.map(Exposure::Stops).ok_or_else(|| "give stops between -32 and 32, or auto".into())
}

fn parse_luminaire(text: &str) -> Result<Hung, String> {
    let Some((file, place)) = text.rsplit_once('@') else {
        return Ok(Hung { file: text.into(), place: None });
    };
    let numbers: Option<Vec<f64>> = place.split(',').map(|x| x.trim().parse().ok()).collect();
    let place = numbers.and_then(|n| <[f64; 3]>::try_from(n).ok());
    let place = place.filter(|p| p.iter().all(|x| x.abs() <= 1e6));
    let help = || "give the place in metres, such as lamp.ies@0,3,1".to_owned();
    Ok(Hung { file: file.into(), place: Some(place.ok_or_else(help)?) })
}

fn parse_catcher(text: &str) -> Result<Catcher, String> {
    if text == "lowest" {
        return Ok(Catcher::Lowest);
    }
    let height = text.parse::<f64>().ok().filter(|h| h.abs() <= 1e6);
    height.map(Catcher::At).ok_or_else(|| "give its height in metres, such as 0".into())
}

impl Args {
    /// Checks the lens and the shutter.
    fn check(&self) -> Result<(), Error> {
        if !(0.0..=1000.0).contains(&self.aperture_mm) {
            let message = format!("an opening of {} mm makes no picture", self.aperture_mm);
            return Err(Error::request(message, "give millimetres from 0 to 1000, such as 30"));
        }
        if let Some(focus) = self.focus_m.filter(|f| !(1e-3..=1e6).contains(f)) {
            let message = format!("nothing is sharp at {focus} m");
            return Err(Error::request(message, "give the distance from the camera in metres"));
        }
        if !(0.0..=1.0).contains(&self.shutter) {
            let message = format!("a shutter is not open for {} of a frame", self.shutter);
            return Err(Error::request(message, "give a share from 0 to 1, such as 0.5"));
        }
        Ok(())
    }
}

impl RenderSettings {
    pub(crate) fn options(&self) -> Result<Options, Error> {
        if !(0.0..1.0).contains(&self.noise) {
            let message = format!("a noise of {} is no share", self.noise);
            return Err(Error::request(message, "give a number from 0 to 1, such as 0.02"));
        }
        Ok(Options {
            size: self.size_px,
            samples: self.samples,
            noise: self.noise,
            denoise: !self.no_denoise,
            tone: match self.tone {
                Tone::Film => Operator::Film,
                Tone::Clamp => Operator::Clamp,
                Tone::Linear => Operator::Linear,
                Tone::Drago => Operator::Drago { bias: 0.85 },
                Tone::Reinhard => Operator::Reinhard,
            },
            exposure: self.exposure,
        })
    }

    /// Draws on the threads asked for, with a bar and an ear for Ctrl-C.
    pub(crate) fn draw(
        &self,
        json: bool,
        draw: impl FnOnce(&(dyn Fn(f64) -> bool + Sync)) -> Result<Drawn, Error> + Send,
    ) -> Result<Drawn, Error> {
        let (bar, stop) = (Bar::of_share(json), stop_on_interrupt());
        let tell = |share: f64| {
            bar.advance("drawing", (1000.0 * share) as u64, 1000);
            !stop.is_set()
        };
        let drawn = toile::look::on_threads(self.threads.map(usize::from), || draw(&tell));
        bar.clear();
        drawn
    }
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    args.check()?;
    let behind = match (args.background, args.backdrop) {
        (Some(file), _) => Behind::Photograph(file),
        (None, Backdrop::Paper) => Behind::Paper,
        (None, Backdrop::Environment) => Behind::Environment,
        (None, Backdrop::None) => Behind::Nothing,
    };
    let shot = Shot {
        inputs: args.inputs,
        fabric: args.fabric,
        view: args.view,
        environment: args.environment,
        behind,
        camera: args.camera,
        aperture: 0.5e-3 * args.aperture_mm,
        focus: args.focus_m,
        shutter: args.shutter,
        luminaires: args.luminaire,
        catcher: args.shadow_catcher,
        with_body: !args.no_body,
        turntable: args.turntable.unwrap_or(0),
        frame: args.frame,
        animate: args.animate,
        fps: args.fps,
        options: args.settings.options()?,
    };
    look::check_out(&args.out, &shot)?;
    let started = std::time::Instant::now();
    let drawn = args.settings.draw(json, |tell| look::draw(&shot, &|share| tell(share)));
    conclude(drawn, &args.out, started.elapsed().as_secs_f64(), json)
}

/// Writes a picture and says so.
pub(crate) fn conclude(
    drawn: Result<Drawn, Error>,
    out: &std::path::Path,
    seconds: f64,
    json: bool,
) -> Result<End, Error> {
    let drawn = match drawn {
        Err(Error::Stopped) => {
            print_error("stopped; nothing was written");
            return Ok(End::Stopped);
        }
        other => other?,
    };
    drawn.write(out)?;
    let size = drawn.images.first().map_or([0, 0], |i| [i.width, i.height]);
    let cpu = toile::cpu_seconds();
    if json {
        print_json(&serde_json::json!({
            "file": out, "size_px": size, "pictures": drawn.images.len(),
            "wall_seconds": seconds, "cpu_seconds": cpu, "notes": drawn.notes,
        }));
        return Ok(End::Good);
    }
    drawn.notes.iter().for_each(|n| print_line(&format!("note: {n}")));
    let cpu = cpu.map_or(String::new(), |s| format!(", {s:.1} s of processor time"));
    let [w, h] = size;
    let many = match drawn.images.len() {
        1 => String::new(),
        n => format!("{n} pictures of "),
    };
    print_line(&format!("{}: {many}{w} × {h} pixels in {seconds:.1} s{cpu}", out.display()));
    Ok(End::Good)
}
