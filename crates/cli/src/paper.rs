//! `toile paper`.

use crate::{End, print_error, print_json, print_line};
use std::path::{Path, PathBuf};
use toile::Error;
use toile_lab::compare::make_folder;
use toile_lab::paper::{Effort, ITEMS, Item, Page};

/// Compute figures of the papers anew, and compare what they claim with what is measured.
///
/// The exit status is 1 if something differs from the paper and the reason is not known.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile paper                        what there is
  toile paper t04-fig9               tables, and a diagram into out/paper/t04-fig9/
  toile paper t04-fig9 --json
  toile paper all --out docs/images  every item, all diagrams into one folder

Diagrams show counted work and are the same on every run; seconds in the tables are not.")]
pub(crate) struct Args {
    /// What to compute; `all` for everything, `list` for what there is.
    #[arg(default_value = "list")]
    item: String,
    /// Folder for the diagrams; out/paper/ITEM if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Fewer steps and coarser diagrams, for a first look.
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    let items = match args.item.as_str() {
        "list" => {
            list(json);
            return Ok(End::Good);
        }
        "all" => ITEMS.to_vec(),
        name => vec![Item::from_name(name)?],
    };
    let effort = if args.quick { Effort::Quick } else { Effort::Full };
    let mut pages: Vec<Page> = Vec::new();
    for item in items {
        let folder = args.out.clone().unwrap_or_else(|| Path::new("out/paper").join(item.id));
        make_folder(&folder)?;
        let page = item.run(effort)?;
        let paths = page.write(&folder)?;
        if !json {
            print_line(page.to_text().trim_end());
            for path in paths {
                print_line(&format!("\nwrote {}", path.display()));
            }
            print_line(&format!("took {:.1} s\n", page.seconds));
        }
        pages.push(page);
    }
    match (json, pages.as_slice()) {
        (true, [page]) => print_json(page),
        (true, pages) => print_json(&pages),
        _ => {}
    }
    let open: Vec<&str> = pages.iter().filter(|p| !p.is_explained()).map(|p| p.id).collect();
    if open.is_empty() {
        return Ok(End::Good);
    }
    print_error(&format!(
        "differs from the paper for a reason that is not known: {}",
        open.join(", ")
    ));
    Ok(End::Bad)
}

fn list(json: bool) {
    if json {
        return print_json(&ITEMS);
    }
    for item in ITEMS {
        print_line(&format!("{:<17} {}", item.id, item.summary));
    }
}
