//! `toile lab`.

use crate::{End, print_error, print_json, print_line};
use std::path::PathBuf;
use toile::Error;
use toile_lab::laboratory::{self, INSTRUMENTS, Instrument, Model, Models, Options, TESTS, Test};

/// The virtual textile laboratory: tests whose answer is known exactly.
///
/// Each test is done with the default model on three kinds of mesh and compared with the exact value. The
/// exit status is 1 if one is further off than its tolerance. Other models are shown for comparison
/// and do not count.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile lab                                  all tests with the default model
  toile lab list                             which tests there are
  toile lab cantilever --model stvk+hinge    how far off is the hinge?
  toile lab --model all --report lab.html    everything, as a page with diagrams
  toile lab --quick --json                   coarse and quick, for other programs
  toile lab kes-shear cusick --fabric denim  instruments for fabrics, by their names")]
pub(crate) struct Args {
    /// Tests to do; all if none is given. `list` lists them.
    test: Vec<String>,
    /// Model, as stretch or stretch+bend; `all` for every model that can do the test.
    #[arg(long)]
    model: Option<String>,
    /// Fabrics for instruments, by name or file; a few built-in ones if none is given.
    #[arg(long, value_name = "NAME|FILE")]
    fabric: Vec<String>,
    /// Coarser meshes and wider tolerances: some seconds.
    #[arg(long)]
    quick: bool,
    /// Draw the diagrams as SVG files into this folder.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Write everything as one page of HTML.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    if args.test == ["list"] {
        list(json);
        return Ok(End::Good);
    }
    let (instruments, names): (Vec<&String>, Vec<&String>) =
        args.test.iter().partition(|name| Instrument::from_name(name).is_some());
    let tests = match args.test.is_empty() {
        true => TESTS.iter().collect(),
        false => names.iter().map(|name| Test::from_name(name)).collect::<Result<_, _>>()?,
    };
    let models = match args.model.as_deref() {
        None => Models::One(Model::default()),
        Some("all") => Models::All,
        Some(name) => Models::One(Model::from_name(name)?),
    };
    let draw = args.plots.is_some() || args.report.is_some();
    let options = Options { tests, models, quick: args.quick, draw };
    let mut progress = |what: &str| print_error(&format!("measuring {what}"));
    let mut report = laboratory::run(&options, &mut progress);
    if !instruments.is_empty() {
        let given: Vec<&str> = args.fabric.iter().map(String::as_str).collect();
        let names = if given.is_empty() { laboratory::USUAL_FABRICS.to_vec() } else { given };
        let fabrics =
            names.into_iter().map(toile::fabric::find).collect::<Result<Vec<_>, Error>>()?;
        let instruments: Vec<&Instrument> =
            instruments.iter().filter_map(|name| Instrument::from_name(name)).collect();
        laboratory::measure_fabrics(&mut report, &instruments, &fabrics, draw, &mut progress);
    }
    if json {
        print_json(&report.to_json());
    } else {
        print_line(report.to_text().trim_end());
    }
    if let Some(folder) = &args.plots {
        report.write_plots(folder)?;
    }
    if let Some(path) = &args.report {
        report.write_html(path)?;
    }
    Ok(if report.passes() { End::Good } else { End::Bad })
}

fn list(json: bool) {
    if json {
        let tests: Vec<_> = TESTS
            .iter()
            .chain(INSTRUMENTS.iter().map(|i| i.test))
            .map(|t| {
                let models: Vec<String> = t.compare.models().into_iter().map(Model::name).collect();
                serde_json::json!({
                    "name": t.id, "title": t.title, "about": t.about, "formula": t.formula,
                    "models": models,
                })
            })
            .collect();
        print_json(&serde_json::json!({ "tests": tests }));
        return;
    }
    let wide = TESTS.iter().map(|t| t.id.len()).max().unwrap_or(0);
    for test in TESTS.iter().chain(INSTRUMENTS.iter().map(|i| i.test)) {
        print_line(&format!("{:<wide$}  {}", test.id, test.about));
    }
}
