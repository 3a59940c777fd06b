//! `toile check`.

use crate::{End, print_json, print_line};
use std::path::PathBuf;
use toile::Error;

/// Audit meshes with exact predicates: does the cloth intersect itself, or a body?
///
/// Reads OBJ, PLY, GLB (all frames of an animation) and PC2 point caches, which take the triangles
/// of the mesh named before them. The exit status is 1 if anything intersects. A body with open
/// edges has no inside: penetrations are unknown (null) unless something crosses it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile check out/final.obj
  toile check out/final.obj out/frames.pc2 --json
  toile check shirt.obj --body mannequin.obj")]
pub(crate) struct Args {
    /// Meshes and point caches.
    #[arg(required = true)]
    mesh: Vec<PathBuf>,
    /// A closed mesh that the cloth must not enter.
    #[arg(long, value_name = "MESH")]
    body: Option<PathBuf>,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    let found = toile::check(&args.mesh, args.body.as_deref())?;
    if json {
        print_json(&found);
    } else {
        for file in &found.files {
            let strain =
                file.max_strain.map_or(String::new(), |s| format!(", strain {:.1} %", 100.0 * s));
            print_line(&format!(
                "{}: {} frames, {}{} self-intersections, {} body penetrations{strain}",
                file.file.display(),
                file.frames,
                if file.counted_all { "" } else { "more than " },
                file.self_intersections,
                file.body_penetrations.map_or("unknown".into(), |n| n.to_string())
            ));
            if let Some(frame) = file.first_bad_frame {
                let pair = file
                    .first_pair
                    .map_or(String::new(), |[a, b]| format!(", triangles {a} and {b}"));
                print_line(&format!("  first in frame {frame}{pair}"));
            }
            for warning in &file.warnings {
                print_line(&format!("  note: {warning}"));
            }
        }
    }
    Ok(if found.is_clean() { End::Good } else { End::Bad })
}
