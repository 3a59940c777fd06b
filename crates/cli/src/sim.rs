//! `toile sim`.

use crate::progress::{Bar, stop_on_interrupt};
use crate::{End, print_error, print_json, summary};
use clap::ValueEnum;
use std::path::PathBuf;
use toile::{Auditing, Error, Format, Options, Outcome, Scene};

/// Simulate a scene file.
///
/// Writes report.json, final.obj, final.mtl, final.glb, final.png and state.bin into a folder, and frames if
/// they are asked for. Every frame is audited with exact predicates. The exit status is 1 if
/// anything intersects, or if the scene has an [expect] table that does not hold.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile sim scenes/sphere.toml
  toile sim scenes/ribbon.toml --frames pc2 --out out/ribbon
  toile sim scenes/twist.toml --set solver.step=0.0005 --set cloth.0.shape.cells=[20,20]
  toile sim scenes/twist.toml --resume")]
pub(crate) struct Args {
    /// The scene file.
    scene: PathBuf,
    /// Bundle of methods; see `toile methods`.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Change a value of the scene, such as solver.step=0.0005; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_change)]
    set: Vec<(String, String)>,
    /// Simulated time [s]; overrides the duration of the scene.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,
    #[command(flatten)]
    output: Output,
}

/// Where results go and in which form; shared by `sim` and `drape`.
#[derive(clap::Args)]
pub(crate) struct Output {
    /// Folder for the results.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// Write frames in this format.
    #[arg(long, value_name = "FORMAT")]
    frames: Option<FrameFormat>,
    /// Time between frames [s]; a thirtieth of a second unless the scene says otherwise.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_every)]
    every: Option<f64>,
    /// Number of threads [default: all cores]; results are bitwise independent of it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Resume from the state.bin that a stopped run has left in --out.
    #[arg(long)]
    resume: bool,
    /// When to audit with exact predicates.
    #[arg(long, value_name = "WHAT", default_value = "frame")]
    audit: Audit,
    /// Time between saved states [s of wall time].
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, allow_negative_numbers = true)]
    checkpoint: f64,
    /// Reject an intersecting start instead of untangling it.
    #[arg(long)]
    no_untangle: bool,
    /// Do not draw final.png.
    #[arg(long)]
    no_picture: bool,
    /// Include the bodies in final.glb and in glb or usda frames.
    #[arg(long)]
    with_body: bool,
    /// Write unwelded.obj too: final.obj with vertices not joined along seams, so that each panel is an island.
    #[arg(long)]
    unwelded: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FrameFormat {
    /// A point cache with the vertex order of final.obj.
    Pc2,
    /// A mesh for each frame.
    Obj,
    /// An animation for Blender and web viewers.
    Glb,
    /// An animation for USD.
    Usda,
    /// A picture for each frame.
    Png,
    /// An animation.
    Gif,
    /// An animation in full colour.
    Apng,
    /// Eight moments side by side in one picture.
    Sheet,
}

impl FrameFormat {
    fn format(self) -> Format {
        match self {
            Self::Pc2 => Format::Pc2,
            Self::Obj => Format::Obj,
            Self::Glb => Format::Glb,
            Self::Usda => Format::Usda,
            Self::Png => Format::Png,
            Self::Gif => Format::Gif,
            Self::Apng => Format::Apng,
            Self::Sheet => Format::Sheet,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Audit {
    /// Every frame.
    Frame,
    /// Every step.
    Step,
    /// Nothing.
    Off,
}

fn parse_every(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && (1.0 / s).is_normal() => Ok(s),
        _ => Err("the time between frames is a number of seconds above zero".into()),
    }
}

pub(crate) fn parse_change(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write it as KEY=VALUE, for example solver.step=0.0005".into()),
    }
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    let mut changes = args.output.changes();
    changes.extend(args.preset.map(|p| ("preset".to_owned(), format!("\"{p}\""))));
    changes.extend(args.duration.map(|d| ("duration".to_owned(), format!("{d:?}").to_lowercase())));
    changes.extend(args.set);
    let scene = Scene::read_with(&args.scene, &changes)?;
    let again = format!("toile sim {}", args.scene.display());
    simulate(scene, &args.output, json, &again)
}

impl Output {
    /// What it changes in the scene.
    pub(crate) fn changes(&self) -> Vec<(String, String)> {
        let every = self.fps().map(|fps| ("fps".to_owned(), format!("{fps:?}"))).into_iter();
        let refuse = self.no_untangle.then(|| ("solver.untangle".to_owned(), "false".to_owned()));
        every.chain(refuse).collect()
    }

    /// How a run is to be carried out.
    pub(crate) fn options(&self) -> Options {
        Options {
            frames: self.frames.map(FrameFormat::format),
            threads: self.threads.map(usize::from),
            audit: match self.audit {
                Audit::Frame => Auditing::Frame,
                Audit::Step => Auditing::Step,
                Audit::Off => Auditing::Off,
            },
            resume: self.resume,
            checkpoint: self.checkpoint,
            picture: !self.no_picture,
            with_body: self.with_body,
            unwelded: self.unwelded,
            stop: stop_on_interrupt(),
            ..Options::new(&self.out)
        }
    }

    /// Frames per second that are asked for.
    pub(crate) fn fps(&self) -> Option<f64> {
        self.every.map(|seconds| 1.0 / seconds)
    }

    /// Refuses what only scenes know.
    pub(crate) fn check_for_garment(&self) -> Result<(), Error> {
        if !self.no_untangle {
            return Ok(());
        }
        Err(Error::Request {
            message: "--no-untangle is for scenes: the panels of a garment are arranged so that nothing intersects".into(),
            help: "omit it".into(),
        })
    }
}

/// Carries out a scene; `again` is the command that would resume it.
pub(crate) fn simulate(
    scene: Scene,
    output: &Output,
    json: bool,
    again: &str,
) -> Result<End, Error> {
    let options = output.options();
    log::info!("{}: {}", scene.name, scene.description.trim());
    let mut sim = scene.build()?;
    log::info!(
        "{} vertices, {} triangles, {} springs",
        sim.state().x.len(),
        sim.world().model().mesh.triangles.len(),
        sim.world().model().springs.len()
    );
    let bar = Bar::new(json);
    let outcome = toile::run(&mut sim, &options, &mut |progress| bar.show(progress));
    bar.clear();
    conclude(outcome?, output, json, again)
}

/// Prints how a run ended; `again` is the command that would resume it.
pub(crate) fn conclude(
    outcome: Outcome,
    output: &Output,
    json: bool,
    again: &str,
) -> Result<End, Error> {
    match outcome {
        Outcome::Finished(report) => {
            if json {
                print_json(&report);
            } else {
                summary::print(&report, &output.out, !output.no_picture);
            }
            Ok(if report.is_good() { End::Good } else { End::Bad })
        }
        Outcome::Stopped { step, steps, time } => {
            if step == 0 {
                if json {
                    print_json(&serde_json::json!({ "stopped": true, "steps": 0 }));
                }
                print_error("stopped before the end of the first step; nothing was written");
                return Ok(End::Stopped);
            }
            let out = output.out.display();
            if json {
                print_json(&serde_json::json!({ "stopped": true, "steps": step }));
            }
            let of = steps.map_or(String::new(), |steps| format!(" of {steps}"));
            print_error(&format!(
                "stopped at {time:.3} s (step {step}{of}); resume with\n  {again} --out {out} --resume\n\
                 and the other options as before"
            ));
            Ok(End::Stopped)
        }
    }
}
