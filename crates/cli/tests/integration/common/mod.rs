//! Runs the program in a folder of its own.

// Each test file uses a part of this.
#![allow(dead_code)]

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A scene that takes a moment: a small cloth over a small ball.
pub(crate) const SMALL: &str = r#"name = "small"
duration = 0.2

[[cloth]]
shape = { type = "grid", width = 0.2, height = 0.2, cells = [8, 8] }
place = { at = [0, 0.11, 0] }
jitter = { amplitude = 1e-4 }

[[body]]
shape = { type = "sphere", at = [0, 0.05, 0], radius = 0.05 }
"#;

/// What a command left.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) output: String,
    pub(crate) error: String,
}

/// The program and a folder for its files.
pub(crate) struct Toile {
    folder: tempfile::TempDir,
}

impl Toile {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder for the test") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and returns its name.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).expect("the folder is writable");
        name.to_owned()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
        command.args(args).current_dir(self.folder.path());
        command.env("NO_COLOR", "1").env_remove("RUST_LOG").stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Done {
        let done = self.command(args).output().expect("the program starts");
        // Long messages are wrapped for the terminal; tests look for words, not for lines.
        let error = String::from_utf8_lossy(&done.stderr);
        let error = error.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        Done {
            code: done.status.code().unwrap_or(-1),
            output: String::from_utf8_lossy(&done.stdout).into_owned(),
            error,
        }
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        let text = std::fs::read_to_string(self.path(name)).expect("the file is there");
        serde_json::from_str(&text).expect("the file is JSON")
    }
}
