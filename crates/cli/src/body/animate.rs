//! `toile body animate`.

use super::request;
use crate::{End, print_json, print_line, wearer};
use std::path::PathBuf;
use toile::Error;
use toile::body::{
    self, Mannequin, Motion, MotionOrder, MovingBody, Performance, Pose, Rig, SelfContact,
    Skinning, Source,
};

/// Longest motion [s].
const MAX_DURATION: f64 = 600.0;

/// Most frames.
const MAX_FRAMES: f64 = 10_000.0;

/// Moments of a picture.
const MOMENTS: usize = 8;

#[derive(clap::Args)]
pub(super) struct Animate {
    /// XS, S, M, L, XL or XXL; for children these are 104 to 164 cm in steps of 12 cm.
    #[arg(long, default_value = "M")]
    size: String,
    /// female, male or child.
    #[arg(long, default_value = "female")]
    figure: String,
    #[command(flatten)]
    to_measure: wearer::ToMeasure,
    /// walk, walk-turn, run, turn, arms-up, squat, sit, lunge, or a BVH file.
    #[arg(long, value_name = "NAME|FILE.bvh")]
    motion: String,
    /// Speed of the walk [m/s]; 1.2 if not given.
    #[arg(long, value_name = "M/S")]
    speed: Option<f64>,
    /// How much of the motion [s]; all of it if not given, and 4 s of a walk or a turn.
    #[arg(long, value_name = "S")]
    duration: Option<f64>,
    /// Frames per second.
    #[arg(long, default_value_t = 30.0)]
    fps: f64,
    /// Begin with the motion, without the 1.5 s from the pose of the fitting.
    #[arg(long)]
    cut: bool,
    /// dual (dual quaternions) or linear.
    #[arg(long, default_value = "dual")]
    skinning: String,
    /// Where to write it: GLB, USDA, or PC2 with an OBJ beside it.
    #[arg(short, long)]
    out: PathBuf,
    /// Draw eight moments of the motion side by side.
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
}

/// What moves.
struct Found {
    motion: Motion,
    source: Option<Source>,
}

pub(super) fn run(args: &Animate, json: bool) -> Result<End, Error> {
    let size = wearer::size(&args.size)?;
    let figure = wearer::figure(&args.figure)?;
    let skinning = match args.skinning.as_str() {
        "dual" => Skinning::DualQuaternion,
        "linear" => Skinning::Linear,
        other => {
            return Err(request(
                format!("there is no skinning `{other}`"),
                "there are dual and linear",
            ));
        }
    };
    check(args)?;
    let m = figure.measurements(size);
    let m = args.to_measure.apply(m, &[])?.unwrap_or(m);
    let rig = Rig::new(&Mannequin::new(&m, figure, Pose::A)?);
    let Found { motion, source } = find(args, &rig)?;
    let whole = motion.duration().unwrap_or(4.0);
    let duration = args.duration.unwrap_or(whole);
    let performance = Performance::new(&rig, motion, skinning);
    let start = if args.cut { 0.0 } else { performance.clip_start() };
    let count = ((start + duration) * args.fps + 1e-6).floor() + 1.0;
    if count > MAX_FRAMES {
        let message = format!("{count} frames; {MAX_FRAMES} are the most");
        return Err(request(message, "give a shorter --duration or a lower --fps"));
    }
    let at = |t: f64| {
        if args.cut {
            rig.skin(&performance.clip_posture(t), skinning)
        } else {
            performance.positions(t)
        }
    };
    let frames: Vec<_> = (0..count as usize).map(|k| at(k as f64 / args.fps)).collect();
    let written = body::write_motion(&args.out, &rig.mesh, frames, args.fps)?;
    if let Some(path) = &args.picture {
        let moment = |k: usize| {
            let t = duration * k as f64 / MOMENTS as f64;
            rig.skin(&performance.clip_posture(t), skinning)
        };
        let moments: Vec<_> = (0..MOMENTS).map(moment).collect();
        body::moments_to(path, &rig.mesh, &moments)?;
    }
    // A motion that leaves cloth no room can still be looked at.
    let order = MotionOrder {
        speed: args.speed,
        duration: Some(duration),
        skinning,
        ..MotionOrder::new(&args.motion)
    };
    let contact = MovingBody::new(&rig, &order).map(|moving| moving.self_contact().clone());
    if json {
        print_json(&serde_json::json!({
            "output": written, "picture": args.picture, "frames": count, "fps": args.fps,
            "clip_start": start, "duration": duration, "source": source,
            "self_contact": contact.as_ref().ok(), "no_room": contact.as_ref().err().map(ToString::to_string),
        }));
        return Ok(End::Good);
    }
    if let Some(source) = &source {
        print_line(&told(source));
    }
    for path in &written {
        print_line(&format!("{}: {count} frames at {} per second", path.display(), args.fps));
    }
    match contact {
        Ok(SelfContact { bones: Some([a, b]), vertices, deepest, time }) => print_line(&format!(
            "the body touches itself: as an obstacle for cloth its skin recedes by up to {:.1} mm ({a} and {b}, at {time:.2} s, {vertices} vertices)",
            1e3 * deepest
        )),
        Ok(_) => {}
        Err(error) => print_line(&format!("not for cloth: {error}")),
    }
    print_line(&format!("the motion begins at {start} s and lasts {duration:.2} s"));
    Ok(End::Good)
}

/// Refuses what makes no sense, before the work.
fn check(args: &Animate) -> Result<(), Error> {
    let extension = args.out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !["glb", "usda", "pc2"].contains(&extension.as_str()) {
        let message = format!("{}: no format of animations", args.out.display());
        return Err(request(message, "write it as .glb, .usda or .pc2"));
    }
    let obj = args.out.with_extension("obj");
    if extension == "pc2" && obj.exists() && !args.out.exists() {
        let message = format!("{}: this file would be replaced by the mesh", obj.display());
        return Err(request(message, "move it, or give -o another name"));
    }
    if !(args.fps > 0.0 && args.fps <= 1000.0) {
        return Err(request(format!("{} frames per second", args.fps), "as in --fps 30"));
    }
    if args.duration.is_some_and(|d| !(d > 0.0 && d <= MAX_DURATION)) {
        let help = format!("give --duration a number above zero, up to {MAX_DURATION}");
        return Err(request("the duration is no time of a motion", help));
    }
    Ok(())
}

/// The motion of a name or a file.
fn find(args: &Animate, rig: &Rig) -> Result<Found, Error> {
    let order = MotionOrder { speed: args.speed, ..MotionOrder::new(&args.motion) };
    let (motion, source) = order.clip(rig)?;
    Ok(Found { motion, source })
}

/// What was found out about a file.
fn told(source: &Source) -> String {
    let map = &source.map;
    let list = |names: Vec<String>| if names.is_empty() { "none".into() } else { names.join(", ") };
    let mapped = map.mapped.iter().map(|m| format!("{:?} = {}", m.bone, m.joint)).collect();
    let missing = map.missing.iter().map(|b| format!("{b:?}")).collect();
    format!(
        "{} frames at {:.3} per second, {} up, legs as long as in {}; 1 unit is {:.4} m on this body, turned by {:.0}°\n\
         bones: {}\nbones without a joint, which keep their angle: {}\njoints without a bone: {}",
        source.frames,
        source.fps,
        source.up.name(),
        source.unit,
        source.scale,
        source.turned,
        list(mapped),
        list(missing),
        list(map.unused.clone()),
    )
}
