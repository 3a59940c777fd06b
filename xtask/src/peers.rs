//! `cargo xtask peers`: the same scenes in toile and in Blender's cloth simulator, side by side.
//!
//! toile runs first, on one thread; Blender (the package `bpy`, by `peers/blender.py`) begins with the
//! positions of toile's first frame, on the same triangles. One judge looks at the frames of both. Everything
//! is written below `target/peers`. `cargo xtask peers ccd` compares collision detection alone ([`ccd`]), `cargo xtask peers import` imports files into Blender ([`import`]). What the figures mean and where the two differ: docs/peers.md.

mod ccd;
mod import;
mod judge;
mod python;
mod render;
mod table;

use crate::toile::Toile;
use crate::{Done, root};
use judge::judge;
use python::{BLENDER, Installed};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;
use table::{Figures, Row};

/// Frames of both simulators per simulated second.
const FRAMES_PER_SECOND: u32 = 30;

/// A scene to compare.
struct Case {
    /// What it is called on the command line.
    name: &'static str,
    /// What it is called in the table.
    label: &'static str,
    /// The file in scenes, without its ending.
    scene: &'static str,
    /// How long it runs [s]; a run with fewer frames is not compared.
    seconds: u32,
    /// What is changed in it.
    set: &'static [&'static str],
}

/// The default solver's limit on strain.
const LIMIT: &str = "solver.strain_limit={ enabled = true, stretch = 0.035 }";

const CASES: [Case; 5] = [
    Case { name: "sphere", label: "sphere 51×51", scene: "sphere", seconds: 2, set: &[LIMIT] },
    Case {
        name: "sphere-101",
        label: "sphere 101×101",
        scene: "sphere",
        seconds: 2,
        set: &[LIMIT, "cloth.0.shape.cells=[100,100]"],
    },
    Case { name: "table", label: "table 51×51", scene: "table", seconds: 2, set: &[LIMIT] },
    Case {
        name: "ribbon",
        label: "ribbon 6 s",
        scene: "ribbon",
        seconds: 6,
        // The scene has a small step for explicit solvers.
        set: &[LIMIT],
    },
    // Half a turn takes the corners of a side of 1 m to 1.38 m from each other: no limit could hold.
    Case { name: "twist", label: "twist 51×51", scene: "twist", seconds: 4, set: &[] },
];

/// What is the same in all scenes.
const TOILE: [&str; 6] = ["--preset", "toile", "--threads", "1", "--frames", "pc2"];

#[derive(Debug, Default, PartialEq)]
struct Options {
    scenes: Vec<String>,
    without_blender: bool,
    toile: Toile,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--without-blender" => options.without_blender = true,
                "--program" => options.toile = Toile::given(args.next())?,
                name if CASES.iter().any(|c| c.name == name) => options.scenes.push(name.into()),
                other => {
                    let names: Vec<&str> = CASES.iter().map(|c| c.name).collect();
                    return Err(format!(
                        "`{other}` is not known; give --without-blender, --program PATH or scenes: {}",
                        names.join(", ")
                    ));
                }
            }
        }
        Ok(options)
    }

    fn chosen(&self) -> impl Iterator<Item = &'static Case> {
        let all = self.scenes.is_empty();
        CASES.iter().filter(move |c| all || self.scenes.iter().any(|s| s == c.name))
    }
}

/// Compares the scenes asked for, or all.
pub(crate) fn peers(asked: &[String]) -> Done {
    match asked {
        [first, rest @ ..] if first == "ccd" => return ccd::peers(rest),
        [first, rest @ ..] if first == "import" => return import::import(rest),
        [first, rest @ ..] if first == "render" => return render::render(rest),
        _ => {}
    }
    let options = Options::parse(asked)?;
    let folder = root().join("target/peers");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let blender = if options.without_blender {
        None
    } else {
        let found = python::with(&BLENDER, &folder);
        if let Err(e) = &found {
            eprintln!("Without Blender: {e}");
        }
        found.ok()
    };
    let machine = machine(blender.as_ref());
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for case in options.chosen() {
        let mut row = Row { label: case.label, name: case.name, toile: None, blender: None };
        let done = compare(case, &options, blender.as_ref(), &folder, &mut row);
        if let Err(e) = done {
            eprintln!("{}: {e}", case.label);
            failed.push(case.name);
        }
        rows.push(row);
        // After every scene: a long comparison that is stopped has not been in vain.
        write_json(&folder.join("results.json"), &table::to_json(&machine, &rows))?;
    }
    println!("{}", table::to_markdown(&rows));
    if failed.is_empty() {
        Ok(format!("The figures are in {}.", folder.join("results.json").display()))
    } else {
        Err(format!("FAILED: {}", failed.join(", ")))
    }
}

/// When and on what it was measured.
fn machine(blender: Option<&Installed>) -> Value {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    json!({
        "unix_seconds": now.map_or(0, |d| d.as_secs()),
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        "blender_version": blender.map(|b| b.version.as_str()),
    })
}

fn compare(
    case: &Case,
    options: &Options,
    blender: Option<&Installed>,
    folder: &Path,
    row: &mut Row,
) -> Result<(), String> {
    let out = folder.join(case.name);
    // What an earlier run has left must not pass for this one's.
    if out.exists() {
        std::fs::remove_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    }
    println!("== {}: toile", case.label);
    row.toile = Some(run_toile(case, options, &out)?);
    if let Some(blender) = blender {
        println!("== {}: Blender", case.label);
        row.blender = Some(run_blender(case, &blender.python, &out)?);
    }
    Ok(())
}

fn run_toile(case: &Case, options: &Options, out: &Path) -> Result<Figures, String> {
    let (scene, folder) = (format!("scenes/{}.toml", case.scene), out.display().to_string());
    let mut args = vec!["sim", &scene, "--out", &folder, "--no-picture"];
    args.extend(TOILE);
    args.extend(case.set.iter().flat_map(|s| ["--set", *s]));
    let mut command = options.toile.command(&args);
    // The status says whether the scene's own bounds hold, which is not asked here.
    run(command.stdout(Stdio::null()), "toile")?;
    let report = out.join("report.json");
    if !report.exists() {
        return Err("toile has left no report; see what it said above".into());
    }
    let report = read_json(&report)?;
    let [cpu, wall] = stepping(&report).map_err(|e| format!("report.json: {e}"))?;
    figures(case, out, "frames.pc2", [cpu, wall], number(&report, "simulated_seconds")?)
}

fn run_blender(case: &Case, python: &Path, out: &Path) -> Result<Figures, String> {
    let (frames, result) = (out.join("blender.pc2"), out.join("blender.json"));
    let mut command = Command::new(python);
    command
        .arg(root().join("xtask/peers/blender.py"))
        .arg(root().join(format!("scenes/{}.toml", case.scene)))
        .args([out.join("final.obj"), out.join("frames.pc2"), frames, result.clone()])
        // Its hints about the point cache are for those who look at its window.
        .stdout(Stdio::null());
    if !run(&mut command, "Blender")? {
        return Err("Blender failed; see what it said above".into());
    }
    let result = read_json(&result)?;
    let seconds = [number(&result, "cpu_seconds")?, number(&result, "wall_seconds")?];
    figures(case, out, "blender.pc2", seconds, number(&result, "simulated_seconds")?)
}

/// Runs a command and says whether it was content.
fn run(command: &mut Command, name: &str) -> Result<bool, String> {
    let status = command.status().map_err(|e| format!("{name} cannot be started: {e}"))?;
    Ok(status.success())
}

/// What a run took, and what the judge finds in its frames.
fn figures(
    case: &Case,
    out: &Path,
    frames: &str,
    [cpu, wall]: [f64; 2],
    simulated: f64,
) -> Result<Figures, String> {
    let found = judge(&out.join("final.obj"), &out.join(frames))?;
    let wanted = u64::from(case.seconds * FRAMES_PER_SECOND + 1);
    if found.frames != wanted || simulated <= 0.0 {
        return Err(format!("{frames} has {} frames instead of {wanted}", found.frames));
    }
    Ok(Figures {
        cpu: cpu / simulated,
        wall: wall / simulated,
        pairs: found.pairs,
        stretch: found.stretch,
    })
}

/// Processor and wall time of the stepping [s], without the audit and the files.
///
/// Stages are measured on the wall, which on a busy machine says little. Their share of the wall time, times the
/// processor time of the one thread, is the processor time of the stages.
pub(crate) fn stepping(report: &Value) -> Result<[f64; 2], String> {
    let stages = &report["stage_seconds"];
    let mut wall = 0.0;
    for stage in ["integrate", "strain_limit", "detect", "respond"] {
        wall += number(stages, stage)?;
    }
    let whole = number(report, "wall_seconds")?;
    if report["threads"] != json!(1) || whole <= 0.0 {
        return Err("not of a run on one thread".into());
    }
    // Where the system does not tell processor time, the wall has to do.
    let cpu = report["cpu_seconds"].as_f64().map_or(wall, |cpu| cpu * wall / whole);
    Ok([cpu, wall])
}

fn number(object: &Value, key: &str) -> Result<f64, String> {
    object[key].as_f64().ok_or_else(|| format!("there is no number `{key}`"))
}

fn read_json(path: &Path) -> Result<Value, String> {
    let say = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| say(&e))?;
    serde_json::from_str(&text).map_err(|e| say(&e))
}

fn write_json(path: &Path, value: &Value) -> Result<(), String> {
    std::fs::write(path, format!("{value:#}\n")).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn scenes_come_in_the_order_of_the_table_and_all_without_a_name() {
        let names = |args: &[&str]| -> Vec<&str> {
            parse(args).expect("known names").chosen().map(|c| c.name).collect()
        };
        assert_eq!(names(&["twist", "--without-blender", "sphere"]), ["sphere", "twist"]);
        assert_eq!(names(&[]).len(), CASES.len());
        assert!(parse(&["--without-blender"]).expect("an option").without_blender);
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        let message = parse(&["spere"]).expect_err("no such scene");
        assert!(message.contains("`spere`") && message.contains("sphere-101"), "{message}");
        assert!(parse(&["--program"]).is_err());
    }

    #[test]
    fn every_scene_of_the_table_exists_and_lasts_as_long_as_it_says() {
        for case in &CASES {
            let path = root().join(format!("scenes/{}.toml", case.scene));
            let text = std::fs::read_to_string(&path).expect("the scene");
            let line = format!("duration = {}.0", case.seconds);
            assert!(text.lines().any(|l| l == line), "{}: {line}", case.name);
        }
    }

    #[test]
    fn processor_time_of_the_stepping_is_its_share_of_the_wall_time() {
        let stages = json!({
            "integrate": 3.0, "strain_limit": 0.0, "detect": 2.0, "respond": 1.0, "audit": 5.0, "write": 0.5,
        });
        let mut report = json!({ "threads": 1, "wall_seconds": 12.0, "cpu_seconds": 4.0, "stage_seconds": stages });
        assert_eq!(stepping(&report), Ok([2.0, 6.0]));
        report["cpu_seconds"] = Value::Null;
        assert_eq!(stepping(&report), Ok([6.0, 6.0]));
        report["threads"] = json!(2);
        assert!(stepping(&report).is_err(), "the share is not that of the processors");
        assert!(stepping(&json!({})).is_err());
    }
}
