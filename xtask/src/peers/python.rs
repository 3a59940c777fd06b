//! A virtual environment of Python with Blender in it.

use super::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of Python that the packages of Blender are built for.
const PYTHON: &str = "3.11";

/// The package: a version with long support, whose cloth no longer changes.
const BLENDER: &str = "bpy==4.5.*";

/// A Python with Blender.
pub(super) struct Blender {
    /// The interpreter.
    pub(super) python: PathBuf,
    /// The version of Blender.
    pub(super) version: String,
}

/// An environment below `folder` in which Blender can be imported; it is made if it is not there.
pub(super) fn with_blender(folder: &Path) -> Result<Blender, String> {
    let environment = folder.join("venv");
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if let Some(version) = blender_version(&python) {
        return Ok(Blender { python, version });
    }
    let base = find_python(&["python3.11", "python3", "python"])?;
    println!("== Blender: {BLENDER} is installed into {}", environment.display());
    let made = run(Command::new(base).args(["-m", "venv"]).arg(&environment), "Python")?;
    if !made {
        return Err(format!("{} cannot be made; is the module venv there?", environment.display()));
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", BLENDER];
    run(Command::new(&python).args(pip), "pip")?;
    let version = blender_version(&python)
        .ok_or_else(|| format!("pip cannot install {BLENDER}; it says why above"))?;
    Ok(Blender { python, version })
}

/// Without importing it, which takes seconds.
fn blender_version(python: &Path) -> Option<String> {
    const ASKS: &str = "from importlib.metadata import version; print(version('bpy'))";
    let said = Command::new(python).args(["-c", ASKS]).output().ok()?;
    said.status.success().then(|| String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

/// The first of `names` that is the right Python.
fn find_python<'a>(names: &[&'a str]) -> Result<&'a str, String> {
    const ASKS: &str = "import sys; print('%d.%d' % sys.version_info[:2])";
    let fits = |name: &&&str| {
        let said = Command::new(name).args(["-c", ASKS]).output();
        said.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).trim() == PYTHON)
    };
    names.iter().find(fits).copied().ok_or_else(|| {
        format!("it needs Python {PYTHON}, and none of {} is that", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_are_missing_or_no_python_are_passed_over_and_named() {
        // The second runs, but does not answer as Python does.
        let message = find_python(&["no-such-python", "cargo"]).expect_err("neither is Python");
        assert!(message.contains("3.11") && message.contains("no-such-python, cargo"), "{message}");
    }

    #[test]
    fn a_python_that_is_not_there_has_no_blender() {
        assert_eq!(blender_version(Path::new("no-such-folder/python")), None);
    }
}
