//! `toile drape`.

use crate::End;
use crate::sim::{Output, simulate};
use clap::ValueEnum;
use toile::Error;

/// Drape cloth: a square of fabric over a ball.
///
/// Writes report.json, final.obj, final.glb, final.png and state.bin into a folder.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile drape
  toile drape --fabric silk --quality fine --out out/silk
  toile drape --frames gif")]
pub(crate) struct Args {
    /// What the square is made of: see `toile fabric list`, or a file in fabrics/.
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
    /// 25 × 25 cells, for a quick look.
    Draft,
    /// 50 × 50 cells.
    Normal,
    /// 100 × 100 cells.
    Fine,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
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
