//! `toile compare`.

use crate::progress::{Bar, stop_on_interrupt};
use crate::sim::parse_change;
use crate::{End, print_json, print_line};
use std::path::PathBuf;
use toile::{Error, Preset, Scene};
use toile_lab::compare::{self, Options};

/// Run one scene with several presets and compare them: time, iterations, intersections, strain, pictures.
///
/// Writes compare.json, compare.png and compare.html into a folder. Every preset keeps its own step unless
/// --set changes it for all. The exit status is 1 if a preset does not reach the end; intersections are
/// shown, not judged.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile compare scenes/sphere.toml
  toile compare scenes/table.toml --presets toile,provot97,liu98 --limit 120
  toile compare scenes/flag.toml --presets toile,provot97 --duration 1 --json")]
pub(crate) struct Args {
    /// The scene file.
    scene: PathBuf,
    /// Presets, separated by commas; all if not given. See `toile methods`.
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    presets: Vec<String>,
    /// Folder for the results.
    #[arg(long, value_name = "DIR", default_value = "out/compare")]
    out: PathBuf,
    /// Simulated time [s]; overrides the duration of the scene.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Change a value of the scene for all presets; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_change)]
    set: Vec<(String, String)>,
    /// Longest wall time for one preset [s].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    limit: Option<f64>,
    /// Number of threads [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    let presets = match args.presets.is_empty() {
        true => Preset::ALL.to_vec(),
        false => args.presets.iter().map(|n| find(n)).collect::<Result<Vec<_>, _>>()?,
    };
    if let Some(limit) = args.limit.filter(|limit| limit.is_nan() || *limit <= 0.0) {
        return Err(Error::Request {
            message: format!("the limit is {limit} s"),
            help: "give --limit a time above 0 s, or leave it out".to_owned(),
        });
    }
    // Before the runs, which may take long.
    compare::check_folder(&args.out)?;
    compare::make_folder(&args.out)?;
    let mut changes: Vec<(String, String)> = Vec::new();
    changes.extend(args.duration.map(|d| ("duration".to_owned(), format!("{d:?}").to_lowercase())));
    changes.extend(args.set);
    let scene = |preset: Preset| {
        let mut changes = changes.clone();
        changes.push(("preset".to_owned(), format!("\"{}\"", preset.name())));
        Scene::read_with(&args.scene, &changes)
    };
    let options = Options {
        limit: args.limit,
        threads: args.threads.map(usize::from),
        stop: stop_on_interrupt(),
    };
    let bar = Bar::new(json);
    let mut progress = |doing: &'static str, part: f64| {
        let step = (1000.0 * part) as u64;
        bar.advance(doing, step, 1000);
    };
    let outcome = compare::compare(&presets, &options, &scene, &mut progress);
    bar.clear();
    let comparison = outcome?;
    let paths = comparison.write(&args.out)?;
    if json {
        print_json(&comparison);
    } else {
        print_line(comparison.to_text().trim_end());
        for path in paths {
            print_line(&format!("wrote {}", path.display()));
        }
    }
    Ok(match (options.stop.is_set(), comparison.is_complete()) {
        (true, _) => End::Stopped,
        (false, true) => End::Good,
        (false, false) => End::Bad,
    })
}

fn find(name: &str) -> Result<Preset, Error> {
    Preset::from_name(name).ok_or_else(|| Error::Request {
        message: format!("there is no preset `{name}`"),
        help: format!("presets: {}", Preset::ALL.map(Preset::name).join(", ")),
    })
}
