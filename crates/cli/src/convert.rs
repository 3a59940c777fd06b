//! `toile convert`.

use crate::{End, print_json, print_line};
use std::path::{Path, PathBuf};
use toile::Error;

/// Convert meshes and animations: OBJ, PLY, GLB, PC2; USDA is only written.
///
/// Triangles, uv and frames are kept; materials and groups are not.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile convert shirt.obj shirt.glb
  toile convert out/final.obj out/frames.pc2 film.usda --fps 30
  toile convert film.glb frames.pc2")]
pub(crate) struct Args {
    /// The input (a mesh, or a mesh and its point cache), then the output.
    #[arg(required = true, num_args = 2..=3, value_name = "IN… OUT")]
    files: Vec<PathBuf>,
    /// Frames per second of a point cache, which does not say so itself.
    #[arg(long, default_value_t = 30.0, allow_negative_numbers = true)]
    fps: f64,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    let paths: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
    if let Some((output, inputs)) = paths.split_last() {
        let toile::Converted { frames, warnings } = toile::convert(inputs, output, args.fps)?;
        if json {
            let value =
                serde_json::json!({ "output": output, "frames": frames, "warnings": warnings });
            print_json(&value);
        } else {
            print_line(&format!("{}: {frames} frames", output.display()));
            warnings.iter().for_each(|warning| print_line(&format!("  note: {warning}")));
        }
    }
    Ok(End::Good)
}
