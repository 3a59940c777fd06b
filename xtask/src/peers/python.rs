//! A virtual environment of Python with Blender in it.

use super::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of Python that the packages of Blender are built for.
const PYTHON: &str = "3.11";

/// The package: a version with long support, whose cloth no longer changes.
const BLENDER: &str = "bpy==4.5.*";

/// The Python of an environment below `folder` in which Blender can be imported; it is made if it is not there.
pub(super) fn with_blender(folder: &Path) -> Result<PathBuf, String> {
    let environment = folder.join("venv");
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if has_blender(&python) {
        return Ok(python);
    }
    let base = find_python()?;
    println!("== Blender: {BLENDER} is installed into {}", environment.display());
    let made = run(Command::new(base).args(["-m", "venv"]).arg(&environment), "Python")?;
    if !made {
        return Err(format!("{} cannot be made; is the module venv there?", environment.display()));
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", BLENDER];
    if !run(Command::new(&python).args(pip), "pip")? || !has_blender(&python) {
        return Err(format!("pip cannot install {BLENDER}; it says why above"));
    }
    Ok(python)
}

fn has_blender(python: &Path) -> bool {
    let asks = "import importlib.util as u, sys; sys.exit(u.find_spec('bpy') is None)";
    Command::new(python).args(["-c", asks]).status().is_ok_and(|s| s.success())
}

fn find_python() -> Result<&'static str, String> {
    const ASKS: &str = "import sys; print('%d.%d' % sys.version_info[:2])";
    let fits = |name: &&str| {
        let said = Command::new(name).args(["-c", ASKS]).output();
        said.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).trim() == PYTHON)
    };
    ["python3.11", "python3", "python"].into_iter().find(fits).ok_or_else(|| {
        format!("Blender needs Python {PYTHON}, and neither python3.11 nor python3 is that")
    })
}
