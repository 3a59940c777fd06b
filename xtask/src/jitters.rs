//! `cargo xtask jitters`: every scene from several starts that differ by a tremble, every step audited.
//!
//! Contact is chaotic: a start that differs by a tenth of a millimetre folds otherwise, so a promise that held once may be
//! luck. Reports and last states are written below `target/jitters`; a run whose report is there already is not run again.
//! Every run has one thread; `--streams` says how many go on at once.

use crate::toile::Toile;
use crate::{Done, names, root};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Scenes besides those of the folder: a name, a scene, and what is changed in it.
const MORE: [(&str, &str, &[&str]); 1] =
    [("twist-100", "twist", &["cloth.0.shape.cells=[100,100]", "duration=8"])];

#[derive(Debug, PartialEq)]
struct Options {
    scenes: Vec<String>,
    starts: u32,
    streams: usize,
    toile: Toile,
}

impl Options {
    fn parse(args: &[String], all: &[String]) -> Result<Self, String> {
        let (scenes, toile) = (Vec::new(), Toile::default());
        let mut options = Self { scenes, starts: 10, streams: 1, toile };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--starts" => options.starts = number(arg, args.next())?,
                "--streams" => options.streams = number(arg, args.next())? as usize,
                "--program" => options.toile = Toile::given(args.next())?,
                name if all.iter().any(|s| s == name) => options.scenes.push(name.into()),
                other => {
                    return Err(format!(
                        "`{other}` is not known; give --starts N, --streams N, --program PATH or scenes: {}",
                        all.join(", ")
                    ));
                }
            }
        }
        if options.scenes.is_empty() {
            options.scenes = all.to_vec();
        }
        Ok(options)
    }
}

/// What stands behind an option that wants a number.
fn number(option: &str, given: Option<&String>) -> Result<u32, String> {
    let number = given.and_then(|n| n.parse().ok()).filter(|n| *n > 0);
    number.ok_or_else(|| format!("{option} wants a number above zero"))
}

/// The worst of all starts of a scene.
#[derive(Debug, Default, PartialEq)]
struct Worst {
    starts: u32,
    steps: u64,
    intersections: u64,
    penetrations: u64,
    unfinished: u32,
    cpu_seconds: f64,
}

impl Worst {
    fn take(&mut self, report: &Value) -> Result<(), String> {
        let number = |key: &str| {
            report[key].as_f64().ok_or_else(|| format!("report.json has no number `{key}`"))
        };
        self.starts += 1;
        self.steps += number("steps")? as u64;
        self.intersections = self.intersections.max(number("intersections_max")? as u64);
        self.penetrations = self.penetrations.max(number("body_penetrations_max")? as u64);
        self.cpu_seconds += number("cpu_seconds")?;
        Ok(())
    }

    fn holds(&self) -> bool {
        self.intersections == 0 && self.penetrations == 0 && self.unfinished == 0
    }

    fn row(&self, name: &str) -> String {
        format!(
            "| {name} | {} | {} | {} | {} | {} | {:.0} |",
            self.starts,
            self.unfinished,
            self.steps,
            self.intersections,
            self.penetrations,
            self.cpu_seconds
        )
    }
}

/// Runs the scenes asked for, or all.
pub(crate) fn jitters(asked: &[String]) -> Done {
    let mut all = names("scenes", "toml")?;
    all.extend(MORE.iter().map(|m| m.0.to_string()));
    let options = Options::parse(asked, &all)?;
    let jobs: Vec<(&str, u32)> = options
        .scenes
        .iter()
        .flat_map(|name| (1..=options.starts).map(move |start| (name.as_str(), start)))
        .collect();
    let mut reports = in_streams(options.streams, &jobs, |(name, start)| {
        let report = run(&options, name, *start);
        if let Err(e) = &report {
            eprintln!("{name}, start {start}: {e}");
        }
        report
    })
    .into_iter();
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for name in &options.scenes {
        let mut worst = Worst::default();
        for report in reports.by_ref().take(options.starts as usize) {
            match report {
                Ok(report) => worst.take(&report)?,
                Err(_) => worst.unfinished += 1,
            }
        }
        if !worst.holds() {
            failed.push(name.clone());
        }
        rows.push(worst.row(name));
    }
    println!(
        "\n| scene | starts | unfinished | steps | intersecting pairs, worst step | triangles in bodies, worst step | CPU s |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |\n{}", rows.join("\n"));
    if failed.is_empty() {
        Ok("Nothing intersects, from any start.".into())
    } else {
        Err(format!("FAILED: {}", failed.join(", ")))
    }
}

/// Does jobs, so many at once, in their order; returns what came of each.
fn in_streams<J: Sync, R: Send>(
    streams: usize,
    jobs: &[J],
    work: impl Fn(&J) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(jobs.len()));
    std::thread::scope(|scope| {
        for _ in 0..streams.min(jobs.len()) {
            scope.spawn(|| {
                while let Some((i, job)) = take(&next, jobs) {
                    let result = work(job);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((i, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The next job that nobody has taken, with its number.
fn take<'a, J>(next: &AtomicUsize, jobs: &'a [J]) -> Option<(usize, &'a J)> {
    let i = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(i).map(|job| (i, job))
}

/// One start of a scene; what it reports.
fn run(options: &Options, name: &str, start: u32) -> Result<Value, String> {
    let (scene, set) = MORE.iter().find(|m| m.0 == name).map_or((name, &[][..]), |m| (m.1, m.2));
    let out = root().join("target/jitters").join(format!("{name}-{start}"));
    let report = out.join("report.json");
    if !report.exists() {
        let (file, folder) = (format!("scenes/{scene}.toml"), out.display().to_string());
        let seed = format!("cloth.0.jitter.seed={start}");
        let mut args = vec!["sim", &file, "--preset", "toile", "--threads", "1"];
        args.extend(["--audit", "step", "--no-picture", "--out", &folder, "--set", &seed]);
        args.extend(set.iter().flat_map(|s| ["--set", *s]));
        if out.exists() {
            args.push("--resume");
        }
        println!("== {name}, start {start}");
        let mut command = options.toile.command(&args);
        // The status says whether the scene's own bounds hold too, which is not asked here.
        command.stdout(Stdio::null()).status().map_err(|e| format!("cannot start: {e}"))?;
    }
    read(&report)
}

fn read(report: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(report).map_err(|e| format!("no report: {e}"))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", report.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_named() {
        let all = ["sphere".to_string()];
        let parse = |args: &[&str]| {
            Options::parse(&args.iter().map(|a| (*a).to_string()).collect::<Vec<_>>(), &all)
        };
        assert!(parse(&["cube"]).unwrap_err().contains("`cube`"));
        assert!(parse(&["--starts", "0"]).unwrap_err().contains("--starts"));
        assert!(parse(&["--streams"]).unwrap_err().contains("--streams"));
        let given = parse(&["--starts", "3", "--streams", "2"]).unwrap();
        assert_eq!((given.starts, given.streams), (3, 2));
        assert_eq!(parse(&[]).unwrap().scenes, all);
    }

    #[test]
    fn streams_do_every_job_once_and_keep_the_order() {
        let jobs: Vec<usize> = (0..50).collect();
        for streams in [1, 2, 7, 100] {
            let twice = in_streams(streams, &jobs, |job| {
                std::thread::sleep(std::time::Duration::from_micros(100 * (*job as u64 % 3)));
                2 * job
            });
            assert_eq!(twice, (0..50).map(|i| 2 * i).collect::<Vec<_>>(), "{streams} streams");
        }
        assert!(in_streams(3, &[] as &[u32], |job| *job).is_empty());
    }

    #[test]
    fn the_worst_start_counts() {
        let report = |pairs: u32| serde_json::json!({ "steps": 10, "intersections_max": pairs, "body_penetrations_max": 0, "cpu_seconds": 1.5 });
        let mut worst = Worst::default();
        worst.take(&report(0)).unwrap();
        assert!(worst.holds());
        worst.take(&report(2)).unwrap();
        worst.take(&report(0)).unwrap();
        assert!(!worst.holds());
        assert_eq!((worst.starts, worst.steps, worst.intersections), (3, 30, 2));
        assert!(worst.take(&serde_json::json!({})).unwrap_err().contains("steps"));
    }
}
