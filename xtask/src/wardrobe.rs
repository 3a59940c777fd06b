//! `cargo xtask wardrobe`: every pattern of a folder sewn and draped on a body, and a table of what became of it.
//!
//! Patterns are run one after another, each on one thread. What is known of one is in `FOLDER/NAME/row.json` below
//! `out/wardrobe/FABRIC-QUALITY`, or below `--out`; a pattern whose row is there is not run again, so that a wardrobe that was stopped goes on.
//! Besides there are `wardrobe.md` and `wardrobe.json`, the table, `wardrobe.html` with all pictures side by side, and `wardrobe.png` with the front of each.

mod row;
mod sheet;

use crate::toile::Toile;
use crate::{Done, root};
use row::Row;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Files that may be patterns.
const ENDINGS: [&str; 4] = ["json", "toml", "svg", "dxf"];
/// Names of files that are no patterns although they end like ones.
const OTHERS: [&str; 2] = ["measurements", "sidecar"];
/// How often a run is looked after.
const LOOK: Duration = Duration::from_millis(50);

#[derive(Debug, PartialEq)]
struct Options {
    folder: PathBuf,
    body: Option<String>,
    fabric: String,
    quality: String,
    out: Option<PathBuf>,
    /// A run that takes longer is ended [s of processor time, where the system tells it, else of wall time].
    patience: u64,
    again: bool,
    names: Vec<String>,
    toile: Toile,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self, String> {
        let mut args = args.iter();
        let usage = "cargo xtask wardrobe FOLDER [--body MESH] [--fabric NAME] [--quality LEVEL] [--out FOLDER] [--patience S] \
                     [--again] [--program PATH] [names]";
        let folder = args.next().filter(|a| !a.starts_with("--")).ok_or(usage)?;
        let mut options = Self {
            folder: folder.into(),
            body: None,
            fabric: "cotton-jersey".into(),
            quality: "normal".into(),
            out: None,
            patience: 900,
            again: false,
            names: Vec::new(),
            toile: Toile::default(),
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().cloned().ok_or(format!("{arg} wants a value"));
            match arg.as_str() {
                "--body" => options.body = Some(value()?),
                "--fabric" => options.fabric = value()?,
                "--quality" => options.quality = value()?,
                "--out" => options.out = Some(value()?.into()),
                "--patience" => {
                    let seconds = value()?.parse().map_err(|_| "--patience wants seconds")?;
                    options.patience = seconds;
                }
                "--again" => options.again = true,
                "--program" => options.toile = Toile::given(args.next())?,
                name if !name.starts_with("--") => options.names.push(name.into()),
                other => return Err(format!("`{other}` is not known\n{usage}")),
            }
        }
        Ok(options)
    }

    /// The patterns asked for, or all of the folder, in the order of their names.
    fn patterns(&self) -> Result<Vec<PathBuf>, String> {
        let say = |e: std::io::Error| format!("{}: {e}", self.folder.display());
        let entries = std::fs::read_dir(&self.folder).map_err(say)?;
        let mut all: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        all.retain(|p| {
            let ending = p.extension().and_then(|e| e.to_str()).unwrap_or_default();
            ENDINGS.contains(&ending) && !OTHERS.iter().any(|o| name(p).contains(o))
        });
        all.sort();
        let wanted = |p: &PathBuf| {
            self.names.is_empty() || self.names.iter().any(|n| name(p).starts_with(n.as_str()))
        };
        all.retain(wanted);
        if all.is_empty() {
            return Err(format!("{} has no such pattern", self.folder.display()));
        }
        all.into_iter().map(|p| std::path::absolute(p).map_err(say)).collect()
    }
}

fn name(path: &Path) -> String {
    path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Sews and drapes all patterns asked for.
pub(crate) fn wardrobe(asked: &[String]) -> Done {
    let options = Options::parse(asked)?;
    let usual = format!("out/wardrobe/{}-{}", options.fabric, options.quality);
    let out = options.out.clone().unwrap_or_else(|| root().join(usual));
    let out = std::path::absolute(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let patterns = options.patterns()?;
    let mut rows = Vec::new();
    for pattern in &patterns {
        let folder = out.join(name(pattern));
        let row = match Row::read(&folder).filter(|_| !options.again) {
            Some(row) => row,
            None => {
                let row = run(&options, pattern, &folder)?;
                row.write(&folder)?;
                println!("{}", row.line());
                row
            }
        };
        rows.push(row);
        // After every one: a wardrobe that is stopped has not been in vain.
        row::write_all(&out, &rows)?;
    }
    let picture = |p: &PathBuf| out.join(name(p)).join("results/final.png");
    let pictures: Vec<PathBuf> = patterns.iter().map(picture).collect();
    sheet::write(&out.join("wardrobe.png"), &pictures)?;
    println!("\n{}", row::table(&rows));
    Ok(format!("The pictures are in {}.", out.join("wardrobe.html").display()))
}

/// Runs the program on one pattern.
fn run(options: &Options, pattern: &Path, folder: &Path) -> Result<Row, String> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let results = folder.join("results");
    let [file, out] = [pattern, &results].map(|p| p.display().to_string());
    let mut args = vec!["drape", &file, "--fabric", &options.fabric];
    args.extend(["--quality", &options.quality, "--threads", "1", "--out", &out]);
    let body = options.body.as_ref().map(std::path::absolute).transpose();
    let body = body.map_err(|e| format!("the body: {e}"))?.map(|b| b.display().to_string());
    args.extend(body.iter().flat_map(|b| ["--body", b.as_str()]));
    let log = folder.join("log.txt");
    let (clock, before) = (Instant::now(), children_seconds());
    let ended = patient(options.toile.command(&args), &log, options.patience)?;
    let cpu = match (before, children_seconds()) {
        (Some(before), Some(after)) => after - before,
        _ => clock.elapsed().as_secs_f64(),
    };
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    let report = std::fs::read_to_string(results.join("report.json")).ok();
    let report: Option<Value> = report.and_then(|text| serde_json::from_str(&text).ok());
    let said = if ended { said } else { format!("not done after {} s", options.patience) };
    Ok(Row::new(name(pattern), report.as_ref(), &said, cpu))
}

/// Runs a command and ends it when it takes too long; whether it ended by itself.
fn patient(mut command: Command, log: &Path, patience: u64) -> Result<bool, String> {
    let say = |e: std::io::Error| format!("{}: {e}", log.display());
    let file = std::fs::File::create(log).map_err(say)?;
    let mut child = command
        .stdout(Stdio::null())
        .stderr(file)
        .spawn()
        .map_err(|e| format!("toile cannot be started: {e}"))?;
    let clock = Instant::now();
    loop {
        if child.try_wait().map_err(say)?.is_some() {
            return Ok(true);
        }
        // On a machine that does other things, too, wall time says little of a run.
        let own = stat(&child.id().to_string()).and_then(|fields| fields.seconds(OWN_TICKS));
        if own.unwrap_or(clock.elapsed().as_secs_f64()) >= patience as f64 {
            child.kill().map_err(say)?;
            child.wait().map_err(say)?;
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
}

/// Where the user and system time of a process, and of its ended children, are among the fields behind its name, in hundredths of a second.
const OWN_TICKS: [usize; 2] = [11, 12];
const CHILDREN_TICKS: [usize; 2] = [13, 14];

/// What the system tells of a process: the fields behind its name, which is in parentheses and may have spaces.
struct Stat(Vec<String>);

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        Some(Self(text.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect()))
    }

    /// The sum of two fields that count hundredths of a second [s].
    fn seconds(&self, fields: [usize; 2]) -> Option<f64> {
        let [a, b] = fields.map(|k| self.0.get(k)?.parse::<f64>().ok());
        Some(0.01 * (a? + b?))
    }
}

fn stat(process: &str) -> Option<Stat> {
    Stat::parse(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Processor time of all programs that this one has started and that have ended [s], where the system tells it.
fn children_seconds() -> Option<f64> {
    stat("self")?.seconds(CHILDREN_TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_and_names_are_told_apart_and_what_is_not_known_is_refused() {
        let options = parse(&["folder", "a", "--fabric", "denim", "b", "--again"]).expect("known");
        assert_eq!(
            (options.names.len(), options.fabric.as_str(), options.again),
            (2, "denim", true)
        );
        assert!(parse(&[]).is_err() && parse(&["--body", "x"]).is_err());
        assert!(
            parse(&["folder", "--fabrik", "x"]).expect_err("no such option").contains("--fabrik")
        );
        assert!(parse(&["folder", "--patience", "soon"]).is_err());
    }

    #[test]
    fn processor_time_is_read_behind_a_name_with_parentheses() {
        let text = "12 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 300 100 20 0";
        let stat = Stat::parse(text).expect("a process");
        assert_eq!(stat.seconds(OWN_TICKS), Some(2.0));
        assert_eq!(stat.seconds(CHILDREN_TICKS), Some(4.0));
        assert!(Stat::parse("12 a S").is_none());
        assert_eq!(Stat::parse("1 (a) S 1").and_then(|s| s.seconds(OWN_TICKS)), None);
    }

    #[test]
    fn patterns_are_the_files_of_a_folder_that_may_be_ones_by_the_beginning_of_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["b.json", "a.toml", "c_measurements.json", "README.md"] {
            std::fs::write(folder.path().join(file), "").expect("written");
        }
        let path = folder.path().display().to_string();
        let names = |args: &[&str]| -> Vec<String> {
            parse(args)
                .expect("known")
                .patterns()
                .expect("patterns")
                .iter()
                .map(|p| name(p))
                .collect()
        };
        assert_eq!(names(&[&path]), ["a", "b"]);
        assert_eq!(names(&[&path, "b"]), ["b"]);
        assert!(parse(&[&path, "x"]).expect("known").patterns().is_err());
    }
}
