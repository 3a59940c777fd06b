//! `toile env`.

use crate::{End, print_json, print_line};
use std::path::PathBuf;
use toile::Error;
use toile::look::{Set, make_environment};

/// Environments: the light around what is drawn.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile env list
  toile env make shop --out shop.hdr")]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// List the environments that toile makes.
    List,
    /// Write an environment as a picture of the whole sphere.
    Make {
        /// Its name; see `toile env list`. A file is written again in the other format.
        name: String,
        /// Where to write it: .hdr or .exr.
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
    },
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    match args.task {
        Task::List if json => print_json(&Set::NAMES),
        Task::List => Set::NAMES.iter().for_each(|n| print_line(n)),
        Task::Make { name, out } => {
            let set = make_environment(&name, &out)?;
            let image = set.environment.image();
            if json {
                print_json(&serde_json::json!({
                    "file": out, "size_px": [image.width, image.height], "has_sun": set.sun.is_some(),
                }));
            } else {
                print_line(&format!(
                    "{}: {} × {} pixels",
                    out.display(),
                    image.width,
                    image.height
                ));
                if set.sun.is_some() {
                    print_line("note: the sun is a lamp beside the sky and not in the picture");
                }
            }
        }
    }
    Ok(End::Good)
}
