//! `toile fabric`.

use crate::render::{RenderSettings, conclude};
use crate::{End, print_json, print_line};
use std::path::{Path, PathBuf};
use toile::fabric::{self, Figure};
use toile::look::swatch;
use toile::{Error, Fabric};
use toile_lab::fit;
use toile_lab::laboratory::kes::Along;

/// Fabrics: list them, show all numbers of one, import the tests of a laboratory, fit one to measured
/// curves, check a file.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile fabric list
  toile fabric show cotton-poplin --plot poplin.svg
  toile fabric show denim --picture denim.png
  toile fabric import kes.csv --out fabrics/mine.toml
  toile fabric fit weft.csv shear.csv --warp warp.csv --base wool-worsted --out fabrics/mine.toml
  toile fabric check fabrics/mine.toml")]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// List the built-in fabrics.
    List,
    /// Show everything about a fabric, in SI units and in those of Kawabata's tests.
    Show {
        /// A built-in fabric or a file.
        #[arg(value_name = "NAME|FILE")]
        fabric: String,
        /// Draw its tensile and shear curves.
        #[arg(long, value_name = "SVG")]
        plot: Option<PathBuf>,
        /// Draw a swatch over a roll: 30 cm of it, and 3 cm.
        #[arg(long, value_name = "PNG")]
        picture: Option<PathBuf>,
        #[command(flatten)]
        settings: RenderSettings,
    },
    /// Make a fabric file of figures from Kawabata's tests: a CSV file with a row for each figure
    /// (property,weft,warp), or a TOML file with a table [kes].
    Import {
        /// CSV or TOML.
        file: PathBuf,
        /// Where to write the fabric; standard output if not given.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Make the table [appearance] of a fabric file from a weaving draft (WIF 1.1): weave, colours, spacing of the threads.
    #[command(name = "import-wif")]
    ImportWif {
        /// The draft.
        file: PathBuf,
        /// Where to write it; standard output if not given.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Fit a fabric to measured curves by running the virtual instruments.
    ///
    /// Each CSV file has a row of two names and rows of two numbers, of loading from rest: strain,force (tension),
    /// angle,force (shear), curvature,moment (bending) or length,angle (Peirce's cantilever). Units stand behind
    /// the names, as in `strain [%],force [gf/cm]`; without them they are SI.
    #[command(after_help = "Example, a file shear.csv:
  angle [deg],force [gf/cm]
  1,1.9
  3,4.2
  5,6.4
  8,9.9

  toile fabric fit shear.csv --base cotton-poplin --name my-shirt --out fabrics/my-shirt.toml")]
    Fit {
        /// Curves along the weft, and of shear.
        #[arg(value_name = "CSV", required_unless_present = "warp")]
        files: Vec<PathBuf>,
        /// Curves along the warp.
        #[arg(long, value_name = "CSV", num_args = 1..)]
        warp: Vec<PathBuf>,
        /// The fabric that all other numbers are taken from.
        #[arg(long, value_name = "NAME|FILE", default_value = "cotton")]
        base: String,
        /// What the new fabric is called.
        #[arg(long, default_value = "fitted")]
        name: String,
        /// Where to write the fabric; standard output if not given.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Check files: are they fabrics, and can cloth have such numbers? The exit status is 1 if not.
    Check {
        /// Fabric files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Print the JSON Schema of fabric files, for editors.
    Schema,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    match args.task {
        Task::List => list(json),
        Task::Show { fabric, picture: Some(out), plot, settings } => {
            if let Some(path) = plot {
                write(&path, &toile_lab::draw_fabric(&fabric::find(&fabric)?).to_svg())?;
            }
            let (options, started) = (settings.options()?, std::time::Instant::now());
            let drawn = settings.draw(json, |tell| swatch(&fabric, &options, &|share| tell(share)));
            conclude(drawn, &out, started.elapsed().as_secs_f64(), json)
        }
        Task::Show { fabric, plot, .. } => show(&fabric, plot.as_deref(), json),
        Task::Import { file, out } => import(&file, out.as_deref(), json),
        Task::ImportWif { file, out } => {
            let text = fabric::import_wif(&file)?;
            match &out {
                Some(path) => write(path, &text)?,
                None if json => {}
                None => print_line(text.trim_end()),
            }
            if json {
                print_json(&serde_json::json!({ "appearance": text, "file": out }));
            }
            Ok(End::Good)
        }
        Task::Fit { files, warp, base, name, out } => {
            let along = |files: Vec<PathBuf>, along| files.into_iter().map(move |f| (f, along));
            let curves: Vec<_> =
                along(files, Along::Weft).chain(along(warp, Along::Warp)).collect();
            fit_to(&curves, &base, name, out.as_deref(), json)
        }
        Task::Check { files } => check(&files, json),
        Task::Schema => {
            print_json(&fabric::schema());
            Ok(End::Good)
        }
    }
}

fn list(json: bool) -> Result<End, Error> {
    let fabrics: Vec<Fabric> =
        fabric::names().into_iter().map(fabric::find).collect::<Result<_, _>>()?;
    if json {
        print_json(&fabrics);
        return Ok(End::Good);
    }
    print_line(&format!(
        "{:24} {:>6} {:>12} {:>10} {:>13} {:>6} {:>7} {:>9}  {}",
        "fabric", "weight", "bending", "length", "tension", "shear", "Poisson", "thickness", "sure"
    ));
    print_line(&format!(
        "{:24} {:>6} {:>12} {:>10} {:>13} {:>6} {:>7} {:>9}",
        "", "g/m²", "µN·m", "cm", "N/m", "N/m", "", "mm"
    ));
    for f in fabrics {
        let [c1, c2] = f.bending_lengths();
        print_line(&format!(
            "{:24} {:>6.0} {:>12} {:>10} {:>13} {:>6} {:>7} {:>9}  {}",
            f.name,
            1e3 * f.density,
            format!("{} / {}", short(1e6 * f.bend_weft), short(1e6 * f.bend_warp)),
            format!("{:.1} / {:.1}", 100.0 * c1, 100.0 * c2),
            format!("{} / {}", short(f.weft), short(f.warp)),
            short(f.shear),
            short(f.poisson),
            short(1e3 * f.thickness),
            f.least_confidence()
        ));
    }
    print_line("\nBending, bending length and tension (to 490 N/m) are along weft / warp.");
    Ok(End::Good)
}

/// A number with three digits, which is more than a textile test deserves.
fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && size < 1e-3 {
        return format!("{value:.2e}");
    }
    let before = if size < 1.0 { 0 } else { size.log10().floor() as usize + 1 };
    let text = format!("{value:.*}", 3_usize.saturating_sub(before));
    let text = if text.contains('.') { text.trim_end_matches('0') } else { &text };
    text.trim_end_matches('.').to_owned()
}

fn show(name: &str, plot: Option<&Path>, json: bool) -> Result<End, Error> {
    let f = fabric::find(name)?;
    if let Some(path) = plot {
        write(path, &toile_lab::draw_fabric(&f).to_svg())?;
    }
    let [c1, c2] = f.bending_lengths();
    let (figures, notes) = (fabric::figures(&f), fabric::implausible(&f));
    if json {
        print_json(&serde_json::json!({
            "fabric": f,
            "figures": figures,
            "bending_lengths": [c1, c2],
            "least_confidence": f.least_confidence(),
            "implausible": notes,
        }));
        return Ok(End::Good);
    }
    print_line(&format!("{}\n{}\n", f.name, f.provenance.trim()));
    figures.iter().for_each(|row| print_line(&line(row)));
    print_line(&format!("bending length                {:.2} / {:.2} cm", 100.0 * c1, 100.0 * c2));
    let (c, ratio) = (f.membrane(), (f.weft / f.warp).sqrt());
    print_line(&format!(
        "pulled along the weft, it contracts by {:.3} of its strain; along the warp, by {:.3}",
        f.poisson * ratio,
        f.poisson / ratio
    ));
    print_line(&format!(
        "C11 {}, C12 {}, C22 {}, C33 {} N/m",
        short(c.c11),
        short(c.c12),
        short(c.c22),
        short(c.c33)
    ));
    for (key, points) in
        [("weft", &f.weft_curve), ("warp", &f.warp_curve), ("shear", &f.shear_curve)]
    {
        if let Some([x, y]) = points.last() {
            let n = points.len();
            print_line(&format!(
                "curve of {key}: {n} points to {} at {} N/m",
                short(*x),
                short(*y)
            ));
        }
    }
    notes.iter().for_each(|n| print_line(&format!("note: {n}")));
    if let Some(path) = plot {
        print_line(&format!("drawn in {}", path.display()));
    }
    Ok(End::Good)
}

fn line(row: &Figure) -> String {
    let si = format!("{} {}", short(row.value), row.unit);
    let kes = row.kes.map_or(String::new(), |(name, value, unit)| {
        format!("{name:5} {} {unit}", short(value)).trim_end().to_owned()
    });
    let source = if row.source.is_empty() { String::new() } else { format!(" ({})", row.source) };
    format!("{:28}  {si:16} {kes:24} {}{source}", row.label, row.confidence)
}

fn import(file: &Path, out: Option<&Path>, json: bool) -> Result<End, Error> {
    let (f, notes) = fabric::import(file)?;
    let text = fabric::to_toml(&f);
    if let Some(path) = out {
        write(path, &text)?;
    }
    if json {
        print_json(&serde_json::json!({ "fabric": f, "notes": notes, "file": out }));
    } else if let Some(path) = out {
        print_line(&format!("{} is in {}", f.name, path.display()));
        notes.iter().for_each(|n| print_line(&format!("note: {n}")));
    } else {
        notes.iter().for_each(|n| print_line(&format!("# {n}")));
        print_line(text.trim_end());
    }
    Ok(End::Good)
}

fn fit_to(
    curves: &[(PathBuf, Along)],
    base: &str,
    name: String,
    out: Option<&Path>,
    json: bool,
) -> Result<End, Error> {
    let mut f = fabric::find(base)?;
    let mut notes = Vec::new();
    for (file, along) in curves {
        let text = toile::read_text(file)?;
        let data = fit::read_curve(&text, &file.display().to_string())?;
        let found = fit::fit(&f, &data, *along)?;
        let numbers: Vec<String> =
            found.found.iter().map(|(name, value)| format!("{name} {value:.4e}")).collect();
        notes.push(format!(
            "{} from {}, residual {:.2} %",
            numbers.join(", "),
            file.display(),
            100.0 * found.residual
        ));
        f = found.fabric;
    }
    f.provenance =
        format!("Fitted by virtual instruments: {}. The rest is that of {base}.", notes.join("; "));
    f.name = name;
    if let Some(path) = out {
        fabric::write(&f, path)?;
    }
    if json {
        print_json(&serde_json::json!({ "fabric": f, "notes": notes, "file": out }));
    } else {
        let mark = if out.is_some() { "" } else { "# " };
        notes.iter().for_each(|n| print_line(&format!("{mark}{n}")));
        match out {
            Some(path) => print_line(&format!("{} is in {}", f.name, path.display())),
            None => print_line(fabric::to_toml(&f).trim_end()),
        }
    }
    Ok(End::Good)
}

fn check(files: &[PathBuf], json: bool) -> Result<End, Error> {
    let mut found = Vec::new();
    for file in files {
        let f = fabric::find(&file.to_string_lossy())?;
        found.push((file, fabric::implausible(&f)));
    }
    let good = found.iter().all(|(_, notes)| notes.is_empty());
    if json {
        let files: Vec<_> = found
            .iter()
            .map(|(file, notes)| serde_json::json!({ "file": file, "implausible": notes }))
            .collect();
        print_json(&serde_json::json!({ "files": files, "good": good }));
    } else {
        for (file, notes) in found {
            print_line(&format!(
                "{}: {}",
                file.display(),
                if notes.is_empty() { "good" } else { "no cloth is like this" }
            ));
            notes.iter().for_each(|n| print_line(&format!("  {n}")));
        }
    }
    Ok(if good { End::Good } else { End::Bad })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    Ok(toile_mesh::io::write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}
