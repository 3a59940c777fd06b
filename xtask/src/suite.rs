//! All tests of the workspace, several test programs at a time.
//!
//! `cargo test` runs one test program after the other, and each ends with a core that waits for its longest test. Here cargo only
//! builds them; as many run side by side as there are cores, those of the packages with the longest tests first. What each prints is
//! kept together and shown when it ends.

use crate::{cargo, stage_line};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// Packages whose tests take longest, longest first.
const LONGEST: [&str; 6] =
    ["toile-cli", "toile-lab", "toile-garment", "toile", "toile-sim", "toile-collide"];

/// A program of tests.
#[derive(Clone, Debug, PartialEq)]
struct TestProgram {
    package: String,
    name: String,
    path: PathBuf,
    /// Tests run in the folder of their package, as with `cargo test`.
    folder: PathBuf,
}

/// The test program that a line of `cargo test --no-run --message-format json` is about.
fn test_program(line: &str) -> Option<TestProgram> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let package = match folder.file_name()?.to_str()? {
        "xtask" => "xtask".to_owned(),
        "toile" => "toile".to_owned(),
        short => format!("toile-{short}"),
    };
    Some(TestProgram {
        package,
        name: message["target"]["name"].as_str()?.to_owned(),
        path: message["executable"].as_str()?.into(),
        folder,
    })
}

/// Builds all test programs; longest packages first, integration tests before those beside the code.
fn build() -> Result<Vec<TestProgram>, String> {
    let args = ["test", "--workspace", "--all-targets", "--no-run"];
    let mut command = cargo(&args);
    command.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    let output = command.output().map_err(|e| format!("cargo does not start: {e}"))?;
    if !output.status.success() {
        return Err("FAILED: the tests do not build".into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut programs: Vec<TestProgram> = text.lines().filter_map(test_program).collect();
    let rank =
        |p: &TestProgram| LONGEST.iter().position(|l| *l == p.package).unwrap_or(LONGEST.len());
    programs.sort_by_key(|p| {
        (
            rank(p),
            p.package.clone(),
            p.name.replace('-', "_") == p.package.replace('-', "_"),
            p.name.clone(),
        )
    });
    Ok(programs)
}

/// Runs one program; its output and whether it succeeded.
fn run(program: &TestProgram) -> (String, bool) {
    let clock = Instant::now();
    let output = Command::new(&program.path)
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .stdin(Stdio::null())
        .output();
    let label = format!("{} {}", program.package, program.name);
    match output {
        Ok(output) => {
            let succeeded = output.status.success();
            let mut text = format!("== {label}\n");
            text += &String::from_utf8_lossy(&output.stdout);
            text += &String::from_utf8_lossy(&output.stderr);
            text += &stage_line(&label, succeeded, clock.elapsed());
            (text, succeeded)
        }
        Err(e) => (format!("== {label}: does not start: {e}"), false),
    }
}

/// Builds and runs all tests of the workspace.
#[allow(clippy::significant_drop_tightening, reason = "output of one program stays together")]
pub(crate) fn run_all() -> Result<(), String> {
    let clock = Instant::now();
    let programs = build()?;
    if programs.is_empty() {
        return Err("FAILED: cargo named no test program".into());
    }
    println!("{}", stage_line("building the tests", true, clock.elapsed()));
    let clock = Instant::now();
    let (count, queue) = (programs.len(), Mutex::new(VecDeque::from(programs)));
    let failed = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(program) = next(&queue) {
                    let (text, succeeded) = run(&program);
                    let mut failed = failed.lock().unwrap_or_else(|e| e.into_inner());
                    println!("{text}");
                    if !succeeded {
                        failed.push(format!("{} {}", program.package, program.name));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(|e| e.into_inner());
    println!(
        "{}",
        stage_line(&format!("{count} test programs"), failed.is_empty(), clock.elapsed())
    );
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("FAILED: tests of {}", failed.join(", "))),
    }
}

fn next(queue: &Mutex<VecDeque<TestProgram>>) -> Option<TestProgram> {
    queue.lock().unwrap_or_else(|e| e.into_inner()).pop_front()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/collide/Cargo.toml",
        "target":{"kind":["test"],"name":"trees"},"profile":{"test":true},"executable":"/w/target/debug/deps/trees-1"}"#;

    #[test]
    fn test_programs_are_told_from_other_messages() {
        let program = test_program(LINE).unwrap();
        assert_eq!((program.package.as_str(), program.name.as_str()), ("toile-collide", "trees"));
        assert_eq!(program.folder, Path::new("/w/crates/collide"));
        assert_eq!(test_program(&LINE.replace("\"test\":true", "\"test\":false")), None);
        assert_eq!(test_program(&LINE.replace("compiler-artifact", "build-finished")), None);
        assert_eq!(test_program("no message"), None);
    }

    #[test]
    fn a_program_that_fails_is_told_with_what_it_printed() {
        let program = |path: &str| TestProgram {
            package: "toile".into(),
            name: "x".into(),
            path: path.into(),
            folder: std::env::temp_dir(),
        };
        let me = std::env::current_exe().unwrap();
        let (text, succeeded) = run(&program(me.with_file_name("absent").to_str().unwrap()));
        assert!(!succeeded && text.contains("does not start"), "{text}");
    }
}
