//! `toile bench collide`.

use crate::{End, print_error, print_json, print_line};
use std::path::PathBuf;
use toile::Error;
use toile_lab::bench::collide::{self, Plan};
use toile_lab::bench::report::Report;
use toile_lab::bench::scenes::Kind;

/// Measure every choice of collision detection on every scene: which is best, when?
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile bench collide                                  everything, about a quarter of an hour
  toile bench collide --triangles 10000 --scene draped,stack
  toile bench collide --triangles 1000000 --scene hung,draped --choice default
  toile bench collide --plot bench.svg --json
  toile bench collide --markdown docs/collision.md     rewrite the tables of a document

One choice at a time is changed from the default. Counts are the same on every machine; times are
not, and are medians on one thread unless others are asked for.")]
pub(crate) struct Args {
    /// Sizes of the meshes in triangles, about.
    #[arg(long, value_delimiter = ',', default_values_t = collide::SIZES,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(200..=5_000_000))]
    triangles: Vec<usize>,
    /// Scenes: flat, draped, hung, ribbon, stack, twist.
    #[arg(long, value_delimiter = ',', default_values_t = Kind::ALL.map(|k| k.name().to_owned()),
          value_parser = clap::builder::PossibleValuesParser::new(Kind::ALL.map(Kind::name)))]
    scene: Vec<String>,
    /// How often each time is taken; the median counts. Long ones are taken once.
    #[arg(long, default_value_t = 5, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1000))]
    repeats: usize,
    /// Threads to work on; 0 for all there are.
    #[arg(long, default_value_t = 1, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=1024))]
    threads: usize,
    /// Time for one scene at one size [s]; what does not fit is left out, with a note.
    #[arg(long, default_value_t = 60.0, value_parser = seconds)]
    budget: f64,
    /// Every combination of volume, build, arity and pruning, instead of one choice at a time.
    #[arg(long)]
    full: bool,
    /// Choices to measure, by their names in the tables, such as `default` or `leaf 8`; all if not given.
    #[arg(long, value_delimiter = ',')]
    choice: Vec<String>,
    /// Size whose choices are shown as bars and in the document.
    #[arg(long, default_value_t = 100_000)]
    at: usize,
    /// Cells along the longest side of the bodies.
    #[arg(long, default_value_t = 64, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(8..=512))]
    cells: usize,
    /// Draw a diagram into this SVG file.
    #[arg(long)]
    plot: Option<PathBuf>,
    /// Rewrite the tables between the markers of this file.
    #[arg(long)]
    markdown: Option<PathBuf>,
    /// Draw and write anew from what `--json` printed, instead of measuring.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if (0.0..1e6).contains(&s) => Ok(s),
        _ => Err("a time in seconds, from 0 to 1e6".into()),
    }
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    let report = match &args.from {
        Some(path) => read(path)?,
        None => measure(&args)?,
    };
    if json {
        print_json(&report);
    } else {
        print_line(report.to_text().trim_end());
    }
    if let Some(path) = &args.plot {
        report.write_plot(path, args.at)?;
    }
    if let Some(path) = &args.markdown {
        report.write_markdown(path, args.at)?;
    }
    Ok(End::Good)
}

fn measure(args: &Args) -> Result<Report, Error> {
    let mut choices = if args.full { collide::product() } else { collide::choices() };
    if let Some(unknown) = args.choice.iter().find(|c| choices.iter().all(|d| d.name() != **c)) {
        let names: Vec<String> = choices.iter().map(collide::Choice::name).collect();
        return Err(Error::Request {
            message: format!("there is no choice '{unknown}'"),
            help: format!("choose from: {}", names.join(", ")),
        });
    }
    choices.retain(|c| args.choice.is_empty() || args.choice.contains(&c.name()));
    let plan = Plan {
        scenes: args.scene.iter().filter_map(|name| Kind::from_name(name)).collect(),
        sizes: args.triangles.clone(),
        choices,
        repeats: args.repeats,
        budget: args.budget,
    };
    let progress = |what: &str| print_error(&format!("measuring {what}"));
    Report::measure(&plan, args.cells, args.threads, progress)
}

fn read(path: &std::path::Path) -> Result<Report, Error> {
    let text = toile::read_text(path)?;
    serde_json::from_str(&text).map_err(|e| Error::Request {
        message: format!("{}: {e}", path.display()),
        help: "give a file made by `toile bench collide --json`".into(),
    })
}
