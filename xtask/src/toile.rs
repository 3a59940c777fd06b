//! The program `toile`, as tasks run it.

use crate::{cargo, root};
use std::path::PathBuf;
use std::process::Command;

/// The program: built with all optimisations first, or one that is built already.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Toile(Option<PathBuf>);

impl Toile {
    /// What stands behind `--program`.
    pub(crate) fn given(path: Option<&String>) -> Result<Self, String> {
        let path = path.ok_or("--program wants the path of a program")?;
        // Commands run in the folder of the workspace, wherever this one was given.
        let path = std::path::absolute(path).map_err(|e| format!("{path}: {e}"))?;
        Ok(Self(Some(path)))
    }

    /// A command of it.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let Some(path) = &self.0 else {
            let mut all = vec!["run", "--release", "--quiet", "--package", "toile-cli", "--"];
            all.extend(args);
            return cargo(&all);
        };
        let mut command = Command::new(path);
        command.args(args).current_dir(root());
        command
    }
}
