//! `toile bench`.

mod collide;

use crate::{End, print_json, print_line};
use toile::Error;
use toile_lab::bench::{self, Detection, Sheet};

/// Measure how the cost of collision detection grows with the mesh.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  toile bench                            sheets of 30 000 to 500 000 triangles
  toile bench --triangles 6000,20000     other sizes
  toile bench --json                     for other programs
  toile bench collide                    which methods are best, when?

Counts are the same on every machine; times are not. The exponent p of cost = c·n^p is fitted to
both: n log n gives about 1.1 over this range."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Sizes of the sheets in triangles, about.
    #[arg(long, value_delimiter = ',', default_values_t = bench::SIZES,
          value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=20_000_000))]
    triangles: Vec<usize>,
    /// How often each time is taken; the median counts.
    #[arg(long, default_value_t = 5, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1000))]
    repeats: usize,
}

#[derive(clap::Subcommand)]
enum What {
    Collide(collide::Args),
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    if let Some(What::Collide(args)) = args.what {
        return collide::run(args, json);
    }
    let table = bench::detection(&args.triangles, args.repeats);
    if json {
        print_json(&table)
    } else {
        print_table(&table)
    }
    Ok(End::Good)
}

fn name(sheet: Sheet) -> &'static str {
    match sheet {
        Sheet::Flat => "flat",
        Sheet::Draped => "draped",
        Sheet::Crumpled => "crumpled",
    }
}

fn print_table(table: &Detection) {
    print_line(&format!("Self-collision candidates of one step, {} threads\n", table.threads));
    print_line(&format!(
        "{:<9} {:>9} {:>12} {:>15} {:>9} {:>13} {:>9} {:>9}",
        "sheet",
        "triangles",
        "box tests",
        "triangle pairs",
        "skipped",
        "feature pairs",
        "refit ms",
        "query ms"
    ));
    for row in &table.rows {
        print_line(&format!(
            "{:<9} {:>9} {:>12} {:>15} {:>8.1}% {:>13} {:>9.2} {:>9.2}",
            name(row.sheet),
            row.triangles,
            row.box_tests,
            row.triangle_pairs,
            100.0 * row.skipped,
            row.feature_pairs,
            1e3 * row.refit_seconds,
            1e3 * row.query_seconds
        ));
    }
    print_line("");
    for g in &table.growth {
        print_line(&format!(
            "{:<9} operations grow like n^{:.2}, time like n^{:.2}",
            name(g.sheet),
            g.operations,
            g.seconds
        ));
    }
}
