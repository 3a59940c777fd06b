//! Virtual environments of Python with a package in each.

use super::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of Python that all packages are built for; Blender's for no other.
const PYTHON: &str = "3.11";

/// A package of PyPI, by its name.
pub(super) struct Package {
    name: &'static str,
    /// The name with the versions that will do.
    wanted: &'static str,
    /// The folder of its environment.
    environment: &'static str,
}

/// Blender: a version with long support, whose cloth no longer changes.
pub(super) const BLENDER: Package =
    Package { name: "bpy", wanted: "bpy==4.5.*", environment: "venv" };

/// The IPC Toolkit, which has Tight-Inclusion and additive continuous collision detection.
pub(super) const IPC_TOOLKIT: Package =
    Package { name: "ipctk", wanted: "ipctk==1.6.*", environment: "venv-ccd" };

/// A Python with a package.
pub(super) struct Installed {
    /// The interpreter.
    pub(super) python: PathBuf,
    /// The version of the package.
    pub(super) version: String,
}

/// An environment below `folder` in which a package can be imported; it is made if it is not there.
pub(super) fn with(package: &Package, folder: &Path) -> Result<Installed, String> {
    let (environment, wanted) = (folder.join(package.environment), package.wanted);
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if let Some(version) = version(&python, package.name) {
        return Ok(Installed { python, version });
    }
    let base = find_python(&["python3.11", "python3", "python"])?;
    println!("== {wanted} is installed into {}", environment.display());
    let made = run(Command::new(base).args(["-m", "venv"]).arg(&environment), "Python")?;
    if !made {
        return Err(format!("{} cannot be made; is the module venv there?", environment.display()));
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted];
    run(Command::new(&python).args(pip), "pip")?;
    let version = version(&python, package.name)
        .ok_or_else(|| format!("pip cannot install {wanted}; it says why above"))?;
    Ok(Installed { python, version })
}

/// Without importing it, which takes seconds.
fn version(python: &Path, package: &str) -> Option<String> {
    const ASKS: &str =
        "import sys; from importlib.metadata import version; print(version(sys.argv[1]))";
    let said = Command::new(python).args(["-c", ASKS, package]).output().ok()?;
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
    fn a_python_that_is_not_there_has_no_package() {
        assert_eq!(version(Path::new("no-such-folder/python"), BLENDER.name), None);
    }
}
