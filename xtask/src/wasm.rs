//! `cargo xtask wasm`: builds `crates/wasm` for browsers, and tests that it computes the same bits as a native program.
//!
//! The standard library of the target comes from `rustup`. Where that cannot download it, Debian's packages of a Rust compiler with the
//! sources of the library are unpacked in `target/`, and the library is built with the program.

use crate::{Done, cargo, root, stage};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";
/// The module that is built, below the folder of the target.
const MODULE: &str = "wasm32-unknown-unknown/wasm/toile_wasm.wasm";
/// SIMD of 128 bits, which every browser has. Relaxed SIMD, which computes differently from browser to browser, stays off.
const FEATURES: &str = "-Ctarget-feature=+simd128";

/// The scene of the test, and steps of 10 ms for its duration.
const SCENE: &str = "crates/wasm/tests/scene.toml";
const STEPS: &str = "40";

/// Packages with a compiler and the sources of its library.
const PACKAGES: [&str; 3] = ["rustc-web", "libstd-rust-web-dev", "rust-web-src"];

/// Builds; with `--test` also compares. `--debian` takes Debian's compiler even if rustup has the target.
pub(crate) fn wasm(args: &[String]) -> Done {
    if let Some(unknown) = args.iter().find(|a| !["--test", "--debian"].contains(&a.as_str())) {
        return Err(format!("there is no option `{unknown}`; there are --test and --debian"));
    }
    let asked = |option: &str| args.iter().any(|a| a == option);
    let module = build(asked("--debian"))?;
    let size = std::fs::metadata(&module).map_err(|e| format!("{}: {e}", module.display()))?.len();
    let built = format!("{}: {:.1} MB", module.display(), size as f64 * 1e-6);
    if !asked("--test") {
        return Ok(built);
    }
    Ok(format!("{built}\n{}", compare(&module)?))
}

/// Builds the module, and returns where it is.
fn build(debian: bool) -> Result<PathBuf, String> {
    let mut command = cargo(&["build", "--package", "toile-wasm", "--target", TARGET]);
    command.args(["--profile", "wasm"]);
    let mut folder = target_folder();
    if !debian && (has_target() || add_target()) {
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FEATURES);
    } else {
        // What another compiler has built is of no use to this one.
        folder = folder.join("wasm-debian");
        with_debian(&mut command, &folder)?;
    }
    stage("WebAssembly", command)?;
    Ok(folder.join(MODULE))
}

/// Where cargo builds.
fn target_folder() -> PathBuf {
    let own = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(own.unwrap_or_else(|| "target".into()))
}

/// Whether the compiler has the library of the target.
fn has_target() -> bool {
    let folder =
        output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    let entries = folder.ok().and_then(|f| std::fs::read_dir(f.trim()).ok());
    entries.is_some_and(|mut e| {
        e.any(|e| e.is_ok_and(|e| e.file_name().to_string_lossy().starts_with("libcore")))
    })
}

fn add_target() -> bool {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]);
    stage("the target for WebAssembly", rustup).is_ok() && has_target()
}

/// What a command prints.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("{name}: cannot start: {e}"))?;
    if !output.status.success() {
        return Err(format!("{name} failed; see what it said above"));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{name} does not print UTF-8"))
}

/// Lets a command build the library of the target with the program, by Debian's compiler.
fn with_debian(command: &mut Command, folder: &Path) -> Result<(), String> {
    let packages = folder.join("packages");
    let compiler = packages.join("usr/bin/rustc");
    if !compiler.exists() {
        unpack(&packages)?;
    }
    let libraries = std::env::join_paths(libraries(&packages)?)
        .map_err(|e| format!("{}: {e}", packages.display()))?;
    let linker =
        linker().ok_or("there is no rust-lld in the Rust toolchain: reinstall it with rustup")?;
    command
        .args(["-Z", "build-std=std,panic_abort"])
        .env("RUSTC", compiler)
        // Unstable options of cargo and of the library's build.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("LD_LIBRARY_PATH", libraries)
        .env("CARGO_TARGET_DIR", folder)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
            format!("{FEATURES} -Clinker-flavor=wasm-ld"),
        );
    Ok(())
}

/// Downloads the packages and what they depend on of the same compiler, and unpacks them beside each other.
fn unpack(packages: &Path) -> Result<(), String> {
    let lists = packages.with_extension("lists");
    let make =
        |path: &Path| std::fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()));
    make(&lists.join("partial"))?;
    // Lists of our own: nobody's system is changed.
    let own = [format!("Dir::State::Lists={}", lists.display()), "Debug::NoLocking=1".into()];
    let apt = |name: &str, args: &[&str]| {
        let mut command = Command::new(name);
        command.args(own.iter().flat_map(|o| ["-o", o])).args(args);
        command
    };
    // One of many sources may be out of reach: whether the packages are there is seen below.
    if let Err(failed) = stage("lists of packages", apt("apt-get", &["update"])) {
        eprintln!("{failed}");
    }
    let only = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"];
    let only = only.map(|kind| format!("--no-{kind}"));
    let mut depends = apt("apt-cache", &["depends", "--recurse"]);
    let depends = output(depends.args(only).args(PACKAGES))?;
    // The compiler's own library, and LLVM's.
    let is_part = |name: &&str| name.starts_with("libstd-rust-web-") || name.starts_with("libllvm");
    let mut names: Vec<&str> =
        PACKAGES.into_iter().chain(depends.lines().filter(is_part)).collect();
    names.sort_unstable();
    names.dedup();
    let archives = packages.with_extension("archives");
    make(&archives)?;
    let mut download = apt("apt-get", &["download"]);
    stage("packages", {
        download.args(&names).current_dir(&archives);
        download
    })?;
    let half = packages.with_extension("half");
    let entries =
        std::fs::read_dir(&archives).map_err(|e| format!("{}: {e}", archives.display()))?;
    for archive in entries.filter_map(Result::ok) {
        let mut command = Command::new("dpkg-deb");
        command.arg("-x").arg(archive.path()).arg(&half);
        output(&mut command)?;
    }
    // All or nothing: a second run must not find a part of it.
    std::fs::rename(&half, packages).map_err(|e| format!("{}: {e}", packages.display()))
}

/// Folders where the packages may have libraries of the compiler, whatever the processor and LLVM's version.
fn libraries(packages: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = packages.join("usr/lib");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let folders = entries.filter_map(|e| Some(e.ok()?.path()));
    Ok(folders.flat_map(|f| [f.join("lib"), f]).collect())
}

/// The linker that comes with the Rust toolchain.
fn linker() -> Option<PathBuf> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"])).ok()?;
    let targets = std::fs::read_dir(Path::new(sysroot.trim()).join("lib/rustlib")).ok()?;
    let mut linkers = targets.filter_map(|t| Some(t.ok()?.path().join("bin/rust-lld")));
    linkers.find(|l| l.exists())
}

/// Runs the scene of the test in Node and natively: the states must be equal to the last bit.
fn compare(module: &Path) -> Done {
    let node = node()?;
    let script = root().join("crates/wasm/tests/run.mjs");
    let mut command = Command::new(node);
    command.arg(script).arg(module).arg(root().join(SCENE)).arg(STEPS);
    let here: Value = parse("node", &output(&mut command)?)?;
    let out = target_folder().join("wasm-test");
    let folder = out.display().to_string();
    let args = ["run", "--quiet", "--package", "toile-cli", "--", "sim", SCENE, "--out", &folder];
    let native: Value = parse("toile", &output(cargo(&args).args(["--json", "--no-picture"]))?)?;
    judge(&here, &native)
}

fn parse(name: &str, text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("{name} prints no JSON: {e}"))
}

fn judge(here: &Value, native: &Value) -> Done {
    for promise in ["finite", "refused"] {
        if here[promise] != Value::Bool(true) {
            return Err(format!("FAILED: WebAssembly: `{promise}` does not hold: {here}"));
        }
    }
    let same = |a: &Value, b: &Value| !a.is_null() && a == b;
    if !same(&here["hash"], &native["state_hash"])
        || !same(&here["time"], &native["simulated_seconds"])
    {
        let (time, hash) = (&native["simulated_seconds"], &native["state_hash"]);
        return Err(format!("FAILED: WebAssembly {here}, natively {hash} at {time}"));
    }
    let [slow, fast] =
        [&here["seconds"], &native["wall_seconds"]].map(|s| s.as_f64().unwrap_or(0.0));
    Ok(format!("WebAssembly and native agree: {} ({slow:.1} s, {fast:.1} s)", native["state_hash"]))
}

/// Node, installed if it is missing and can be.
fn node() -> Result<&'static str, String> {
    let runs = || output(Command::new("node").arg("--version")).is_ok();
    if runs() {
        return Ok("node");
    }
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends", "nodejs"]);
    let installed = stage("Node", apt);
    if installed.is_ok() && runs() {
        return Ok("node");
    }
    Err("the test of WebAssembly needs Node 18 or newer: install it, or run `cargo xtask test --without-wasm`".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_of_one_bit_fails() {
        let here =
            json!({ "hash": "0a", "time": 0.4, "seconds": 1.0, "finite": true, "refused": true });
        let native = json!({ "state_hash": "0a", "simulated_seconds": 0.4, "wall_seconds": 0.5 });
        assert!(judge(&here, &native).is_ok());
        for (key, value) in [("state_hash", json!("0b")), ("simulated_seconds", json!(0.39))] {
            let mut other = native.clone();
            other[key] = value;
            assert!(judge(&here, &other).is_err(), "{key}");
        }
        for key in ["finite", "refused"] {
            let mut other = here.clone();
            other[key] = json!(false);
            assert!(judge(&other, &native).is_err(), "{key}");
        }
        assert!(judge(&json!({}), &json!({})).is_err());
    }

    #[test]
    fn unknown_options_are_refused() {
        assert!(wasm(&["--tset".to_owned()]).is_err_and(|e| e.contains("--tset")));
    }

    #[test]
    fn the_steps_of_the_test_are_its_duration() {
        let text = std::fs::read_to_string(root().join(SCENE)).expect("the scene");
        let seconds = STEPS.parse::<f64>().expect("a number") * 0.01;
        assert!(text.lines().any(|l| l == format!("duration = {seconds:?}")), "{seconds}");
    }
}
