//! `toile body`.

mod animate;

use crate::{End, print_json, print_line, wearer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toile::Error;
use toile::body::{self, Mannequin, Measured};
use toile_pattern::Measurements;

/// Bodies: make a mannequin to measure, let it move, take a tape measure to any human mesh.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile body make --out body.obj
  toile body make --size L --figure male --pose relaxed --out man.glb --picture man.png
  toile body make --measurements me.toml --set waist_girth=74 --out me.obj
  toile body animate --motion walk --duration 4 -o walk.glb
  toile body animate --size L --motion dance.bvh -o dance.pc2
  toile body measure scan.ply
  toile body measure scan.obj --picture tapes.png --json")]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// Make a mannequin of a size or to measure.
    Make(Make),
    /// Make a mannequin move: built-in motions, or motion capture from a BVH file.
    Animate(animate::Animate),
    /// Measure a human mesh: girths, lengths and landmarks.
    Measure {
        /// OBJ, PLY or GLB; any unit, any axis up.
        mesh: PathBuf,
        /// Draw the body with the tapes around it.
        #[arg(long, value_name = "PNG")]
        picture: Option<PathBuf>,
        /// Write the mesh as it was measured: metres, upright, facing +z, closed.
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
}

#[derive(clap::Args)]
struct Make {
    /// XS, S, M, L, XL or XXL; for children these are 104 to 164 cm in steps of 12 cm.
    #[arg(long, default_value = "M")]
    size: String,
    /// female, male or child.
    #[arg(long, default_value = "female")]
    figure: String,
    /// a (arms half raised), t (arms level) or relaxed.
    #[arg(long, default_value = "a")]
    pose: String,
    /// A TOML file of measurements [cm] that differ from those of the size.
    #[arg(long, value_name = "FILE")]
    measurements: Option<PathBuf>,
    /// A measurement [cm] that differs from that of the size.
    #[arg(long, value_name = "NAME=CM")]
    set: Vec<String>,
    /// Where to write the mesh: OBJ, PLY or GLB. What the tape says of it goes beside it, as JSON.
    #[arg(short, long)]
    out: PathBuf,
    /// Draw it from four sides.
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
    /// Where to write the skeleton and the skin weights, as JSON.
    #[arg(long, value_name = "JSON")]
    rig: Option<PathBuf>,
}

pub(crate) fn run(args: Args, json: bool) -> Result<End, Error> {
    match args.task {
        Task::Make(make) => make_body(&make, json),
        Task::Animate(args) => animate::run(&args, json),
        Task::Measure { mesh, picture, out } => {
            measure(&mesh, picture.as_deref(), out.as_deref(), json)
        }
    }
}

fn request(message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::Request { message: message.into(), help: help.into() }
}

fn failed(error: toile_pattern::Error) -> Error {
    request(error.to_string(), error.help())
}

fn make_body(make: &Make, json: bool) -> Result<End, Error> {
    let size = wearer::size(&make.size)?;
    let figure = wearer::figure(&make.figure)?;
    let pose = wearer::pose(&make.pose)?;
    let mut m = figure.measurements(size);
    if let Some(path) = &make.measurements {
        let text = toile::read_text(path)?;
        m = m.with_toml(&text, &path.display().to_string()).map_err(failed)?;
    }
    for text in &make.set {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| request(format!("`{text}` has no `=`"), "as in --set waist_girth=74"))?;
        let value = value.trim().parse().map_err(|_| {
            request(format!("`{text}`: a number is needed"), "as in --set waist_girth=74")
        })?;
        m = m.with(name.trim(), value).map_err(failed)?;
    }
    // A wrong extension is found before the work.
    toile_mesh::io::Format::of(&make.out)?;
    let record = make.out.with_extension("json");
    refuse_if_not_a_record(&record)?;
    let made = Mannequin::new(&m, figure, pose)?;
    toile_mesh::io::write_mesh(&make.out, &made.mesh)?;
    let values = values(&made.measured);
    let parts = made.parts()?;
    let sheet = serde_json::json!({
        "figure": figure, "pose": pose, "measurements": m, "measured": values,
        "landmarks": made.landmarks, "skeleton": made.skeleton, "parts": parts,
    });
    write(&record, &sheet)?;
    if let Some(path) = &make.rig {
        write(path, &serde_json::json!({ "skeleton": made.skeleton, "weights": made.weights }))?;
    }
    if let Some(path) = &make.picture {
        body::portrait_to(path, &made.mesh, &[])?;
    }
    let (vertices, triangles) = (made.mesh.positions.len(), made.mesh.triangles.len());
    if json {
        print_json(&serde_json::json!({
            "output": make.out, "record": record, "picture": make.picture, "rig": make.rig,
            "figure": figure, "pose": pose, "vertices": vertices, "triangles": triangles,
            "measurements": m, "measured": values,
        }));
    } else {
        print_line(&format!(
            "{}: {} {}, {vertices} vertices, {triangles} triangles\n",
            make.out.display(),
            figure.name(),
            if make.set.is_empty() && make.measurements.is_none() {
                size.name()
            } else {
                "to measure"
            },
        ));
        table(&made.measured, Some(&m));
        print_line(&format!("\nlandmarks, skeleton and parts in {}", record.display()));
    }
    Ok(End::Good)
}

/// Refuses to replace a file of the user's, who named only the mesh beside it.
fn refuse_if_not_a_record(path: &Path) -> Result<(), Error> {
    if !path.exists() {
        return Ok(());
    }
    let text = toile::read_text(path).unwrap_or_default();
    let record: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let keys = ["measured", "measurements", "landmarks", "skeleton"];
    if keys.iter().all(|key| record.get(key).is_some()) {
        return Ok(());
    }
    let message = format!("{}: this file was not written by toile", path.display());
    Err(request(message, "measurements go there: move it, or give -o another name"))
}

fn measure(
    path: &Path,
    picture: Option<&Path>,
    out: Option<&Path>,
    json: bool,
) -> Result<End, Error> {
    let (mesh, repairs) = body::read(path)?;
    let measured = body::measure(&mesh).map_err(|e| body::of_file(path, &e))?;
    if let Some(path) = picture {
        body::portrait_to(path, &mesh, &measured.tapes)?;
    }
    if let Some(path) = out {
        toile_mesh::io::write_mesh(path, &mesh)?;
    }
    if json {
        print_json(&serde_json::json!({
            "file": path, "repairs": repairs, "measured": values(&measured),
            "tapes": measured.tapes, "landmarks": measured.landmarks,
            "picture": picture, "output": out,
        }));
        return Ok(End::Good);
    }
    print_line(&format!("{}: {}\n", path.display(), said(&repairs)));
    table(&measured, None);
    if let Some(path) = picture {
        print_line(&format!("\ndrawn in {}", path.display()));
    }
    Ok(End::Good)
}

/// What was found about a body and done to it.
pub(crate) fn said(repairs: &body::Repairs) -> String {
    let mut notes = vec![format!("in {}", repairs.unit), format!("{} up", repairs.up)];
    for (done, what) in [
        (repairs.turned, "facing backwards, turned".to_string()),
        (repairs.flipped, "inside out, flipped".to_string()),
        (repairs.holes > 0, format!("{} holes capped", repairs.holes)),
        (repairs.pieces > 0, format!("{} loose pieces taken away", repairs.pieces)),
        (repairs.welded > 0, format!("{} vertices merged", repairs.welded)),
        (
            repairs.dropped > 0,
            format!("{} duplicate or degenerate triangles dropped", repairs.dropped),
        ),
    ] {
        if done {
            notes.push(what);
        }
    }
    notes.join(", ")
}

/// Values by name, in metres and degrees.
fn values(measured: &Measured) -> BTreeMap<&'static str, f64> {
    measured.tapes.iter().map(|t| (t.name, t.value)).collect()
}

/// Prints values in centimetres and degrees, beside those asked for.
fn table(measured: &Measured, asked: Option<&Measurements>) {
    let head = if asked.is_some() {
        format!("{:>9} {:>9}", "tape", "asked")
    } else {
        format!("{:>9}", "tape")
    };
    print_line(&format!("{:18} {head}", "measurement/cm"));
    for tape in &measured.tapes {
        let shown = |v: f64| {
            if tape.name == "shoulder_slope" {
                format!("{v:>8.1}°")
            } else {
                format!("{:>9.1}", 100.0 * v)
            }
        };
        let beside = asked.and_then(|m| m.get(tape.name)).map(&shown).unwrap_or_default();
        print_line(format!("{:18} {} {beside}", tape.name, shown(tape.value)).trim_end());
    }
}

fn write(path: &Path, value: &serde_json::Value) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    toile_mesh::io::write_atomically(path, |out| out.write_all(text.as_bytes()))?;
    Ok(())
}
