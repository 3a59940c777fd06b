//! `toile pattern export`.

use super::{Source, failed, load, request};
use crate::{End, print_json, print_line};
use std::path::{Path, PathBuf};
use toile::Error;
use toile_pattern::design::Design;
use toile_pattern::dxf::{self, Graded};
use toile_pattern::export::{self, Options, Paper, garmentcode, pdf};
use toile_pattern::{Figure, Measurements, Size};

#[derive(clap::Args)]
pub(super) struct Args {
    /// A pattern file or a built-in design.
    #[arg(value_name = "FILE|DESIGN")]
    pattern: String,
    #[command(flatten)]
    source: Source,
    /// pdf, svg, dxf or garmentcode; the ending of the output if not given.
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Pages of a PDF: a4 or letter.
    #[arg(long, default_value = "a4")]
    paper: String,
    /// Several sizes in one sheet or file: XS-XXL, or S,M,L.
    #[arg(long, value_name = "SIZES", conflicts_with = "size")]
    sizes: Option<String>,
    /// Whose sizes a built-in design has: female or male.
    #[arg(long, default_value = "female")]
    figure: String,
    /// Width of the seam allowance of pieces that have none [cm].
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_name = "CM")]
    allowance: f64,
    /// Where to write it.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(args: &Args, json: bool) -> Result<End, Error> {
    if !(0.0..=10.0).contains(&args.allowance) {
        return Err(request(
            format!("a seam allowance of {} cm is impossible", args.allowance),
            "give 0 to 10, as in --allowance 1",
        ));
    }
    let paper = Paper::find(&args.paper).ok_or_else(|| {
        request(format!("there is no paper `{}`", args.paper), "there are a4 and letter")
    })?;
    let format = format(args)?;
    let sizes = sizes(args)?;
    if let Some(faulty) = sizes.iter().find(|g| {
        g.pattern.panels.iter().any(|p| !p.edges.iter().all(toile_pattern::Edge::is_finite))
    }) {
        return Err(request(
            format!("{} has numbers that are none", faulty.pattern.name),
            "`toile pattern check` lists them",
        ));
    }
    let options = Options { paper, allowance: 0.01 * args.allowance };
    let bytes = match format.as_str() {
        "pdf" => pdf::to_pdf(&sizes, &options).map_err(failed)?,
        "svg" => export::svg::to_svg(&sizes, &options).into_bytes(),
        "dxf" => dxf::to_dxf(&sizes).into_bytes(),
        _ => match &sizes[..] {
            [one] => garmentcode::to_json(&one.pattern).into_bytes(),
            _ => {
                return Err(request(
                    "a specification of GarmentCode has one size",
                    "give --size instead of --sizes",
                ));
            }
        },
    };
    toile_mesh::io::write_atomically(&args.out, |out| out.write_all(&bytes))?;
    let panels = sizes[0].pattern.panels.len();
    let names: Vec<&str> =
        sizes.iter().map(|g| g.size.as_str()).filter(|s| !s.is_empty()).collect();
    if json {
        print_json(&serde_json::json!({
            "output": args.out, "format": format, "pieces": panels, "sizes": names, "bytes": bytes.len(),
        }));
    } else {
        let said = if names.is_empty() {
            String::new()
        } else {
            format!(" in sizes {}", names.join(", "))
        };
        print_line(&format!("{}: {panels} pieces{said}, {format}", args.out.display()));
    }
    Ok(End::Good)
}

fn format(args: &Args) -> Result<String, Error> {
    let ending = args.out.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let asked = args.to.clone().unwrap_or(match ending.as_str() {
        "json" => "garmentcode".into(),
        other => other.to_owned(),
    });
    match asked.to_lowercase().as_str() {
        known @ ("pdf" | "svg" | "dxf" | "garmentcode") => Ok(known.into()),
        other => Err(request(
            format!("`{other}` is not a format that patterns are written in"),
            "say --to pdf, svg, dxf or garmentcode; `toile pattern make` writes toile's own",
        )),
    }
}

/// The pattern in each size that was asked for.
fn sizes(args: &Args) -> Result<Vec<Graded>, Error> {
    let Some(text) = &args.sizes else {
        let size = args.source.size.clone().unwrap_or_default();
        return Ok(vec![Graded { size, pattern: load(&args.pattern, &args.source)? }]);
    };
    let design = Design::find(&args.pattern).filter(|_| !Path::new(&args.pattern).exists());
    let figure = match args.figure.as_str() {
        "female" => Figure::Female,
        "male" => Figure::Male,
        other => {
            return Err(request(
                format!("there is no figure `{other}`"),
                "there are female and male",
            ));
        }
    };
    let names = named(text)?;
    let mut sizes = Vec::new();
    for name in names {
        let pattern = match design {
            Some(design) => design.draft(&Measurements::of(figure, crate::wearer::size(&name)?)),
            None => {
                load(&args.pattern, &Source { size: Some(name.clone()), ..args.source.clone() })?
            }
        };
        sizes.push(Graded { size: name, pattern });
    }
    Ok(sizes)
}

/// `XS-XXL` as all sizes between, `S,M` as these.
fn named(text: &str) -> Result<Vec<String>, Error> {
    if let Some((from, to)) = text.split_once('-')
        && let (Some(from), Some(to)) = (Size::parse(from.trim()), Size::parse(to.trim()))
    {
        let all = Size::ALL;
        let place = |size| all.iter().position(|s| *s == size).unwrap_or(0);
        let (a, b) = (place(from).min(place(to)), place(from).max(place(to)));
        return Ok(all[a..=b].iter().map(|s| s.name().to_owned()).collect());
    }
    let names: Vec<String> =
        text.split(',').map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect();
    match names.len() {
        1..=12 => Ok(names),
        n => Err(request(
            format!("`{text}` names {n} sizes"),
            "give 1 to 12, as in --sizes XS-XXL or --sizes 36,38,40",
        )),
    }
}
