//! `toile drape`.

use crate::progress::{Bar, stop_on_interrupt};
use crate::sim::{Output, simulate};
use crate::{End, print_json, say, wearer};
use clap::ValueEnum;
use std::path::PathBuf;
use toile::Error;
use toile::garment::{Order, dress};

/// Drape cloth: a garment on a body, or a square of fabric over a ball.
///
/// Writes report.json, final.obj, final.glb and final.png into a folder; for the square also state.bin, for a garment
/// also body.obj and arranged.png.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile drape
  toile drape tshirt --out out/tshirt
  toile drape dress --size L --fabric silk
  toile drape my-pattern.toml --body scan.obj --quality draft
  toile drape --fabric silk --quality fine --out out/silk
  toile drape --frames gif")]
pub(crate) struct Args {
    /// A design (see `toile pattern list`) or a pattern file; without one, a square over a ball.
    garment: Option<String>,
    /// Size of garment and mannequin: XS, S, M, L, XL or XXL.
    #[arg(long, default_value = "M", requires = "garment")]
    size: String,
    /// Whose body: female, male or child.
    #[arg(long, default_value = "female", requires = "garment")]
    figure: String,
    /// How it stands while it is dressed: a (arms half raised) or t (arms level).
    #[arg(long, default_value = "a", requires = "garment")]
    pose: String,
    /// A mesh of a body instead of the mannequin: OBJ, PLY or GLB.
    #[arg(long, value_name = "MESH", requires = "garment")]
    body: Option<PathBuf>,
    /// What it is made of: see `toile fabric list`, or a file in fabrics/.
    #[arg(long, value_name = "NAME", default_value = "cotton")]
    fabric: String,
    /// How fine the cloth is.
    #[arg(long, value_name = "LEVEL", default_value = "normal")]
    quality: Quality,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, ValueEnum)]
enum Quality {
    /// 25 × 25 cells, or triangles of 4 cm, for a quick look.
    Draft,
    /// 50 × 50 cells, or triangles of 2 cm.
    Normal,
    /// 100 × 100 cells, or triangles of 1 cm.
    Fine,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    if let Some(garment) = args.garment.clone() {
        return drape_garment(garment, &args, json);
    }
    let cells = match args.quality {
        Quality::Draft => 25,
        Quality::Normal => 50,
        Quality::Fine => 100,
    };
    let mut changes = args.output.changes();
    let set = |key: &str, value: String| (key.to_owned(), value);
    changes.push(set("name", "drape".into()));
    changes.push(set("cloth.0.fabric", format!("\"{}\"", args.fabric)));
    changes.push(set("cloth.0.shape.cells", format!("[{cells}, {cells}]")));
    let mut scene = toile::drape_scene(&changes)?;
    // The bounds of the scene are those of cotton at one resolution.
    scene.expect = toile::Expect {
        intersections_max: Some(0),
        body_penetrations_final: Some(0),
        ..toile::Expect::default()
    };
    simulate(scene, &args.output, json, "toile drape")
}

fn drape_garment(garment: String, args: &Args, json: bool) -> Result<End, Error> {
    let size = wearer::size(&args.size)?;
    let figure = wearer::figure(&args.figure)?;
    let pose = wearer::pose(&args.pose)?;
    let (threads, picture) = args.output.for_garment()?;
    let order = Order {
        garment,
        size,
        figure,
        pose,
        body: args.body.clone(),
        fabric: args.fabric.clone(),
        edge_length: match args.quality {
            Quality::Draft => 0.04,
            Quality::Normal => 0.02,
            Quality::Fine => 0.01,
        },
        out: args.output.out.clone(),
        picture,
        threads,
    };
    let stop = stop_on_interrupt();
    let bar = Bar::spinner(json);
    let report = dress(&order, |at| {
        bar.say(format!(
            "{:<10} step {:>3}, seams open by {:.1} mm, {:.0} mm/s",
            at.doing,
            at.step,
            1e3 * at.gap,
            1e3 * at.speed
        ));
        !stop.is_set()
    });
    bar.clear();
    let Some(report) = report? else { return Ok(End::Stopped) };
    if json {
        print_json(&report);
    } else {
        say(&format!(
            "{} {}, {}: {} vertices, {} steps, {:.1} s\n{} intersections, {} triangles in the body, seams closed to \
             {:.1} mm, largest strain {:.1} %{}\n{}",
            report.garment,
            report.size,
            report.fabric,
            report.vertices,
            report.steps,
            report.wall_seconds,
            report.intersections_final,
            report.body_penetrations_final,
            1e3 * report.seam_gap_max,
            1e2 * report.max_strain,
            if report.at_rest { "" } else { "; not at rest yet" },
            order.out.join("final.png").display()
        ));
    }
    Ok(if report.is_good() { End::Good } else { End::Bad })
}
