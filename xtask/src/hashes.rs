//! `cargo xtask hashes`: state hashes of short runs, held against `xtask/hashes.txt`.
//!
//! A change of code that is not meant to change physics leaves every hash as it is. One that is writes the file anew with
//! `--write` and says why in its message.

use crate::toile::Toile;
use crate::{Done, names, root};
use serde_json::Value;
use std::collections::BTreeMap;

const FILE: &str = "xtask/hashes.txt";

/// Simulated time of every scene with the default preset, and of every preset on the scenes below [s].
const DURATIONS: [&str; 2] = ["0.3", "0.1"];

/// Scenes that every preset runs: cloth on a body, and cloth that is held in wind.
const PRESET_SCENES: [&str; 2] = ["table", "flag"];

const PRESETS: [&str; 7] = [
    "provot97",
    "liu98",
    "aabb-realtime",
    "baraff-witkin98",
    "bridson02",
    "geneva04",
    "tuebingen04",
];

const GARMENTS: [&str; 3] = ["tshirt", "skirt", "trousers"];

/// A run: its name in the file, and the arguments of the program.
struct Run {
    name: String,
    args: Vec<String>,
}

fn runs() -> Result<Vec<Run>, String> {
    let strings = |args: &[&str]| args.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
    let mut runs = Vec::new();
    for scene in names("scenes", "toml")? {
        let file = format!("scenes/{scene}.toml");
        runs.push(Run { name: scene, args: strings(&["sim", &file, "--duration", DURATIONS[0]]) });
    }
    for scene in PRESET_SCENES {
        let file = format!("scenes/{scene}.toml");
        for preset in PRESETS {
            let args = ["sim", &file, "--preset", preset, "--duration", DURATIONS[1]];
            runs.push(Run { name: format!("{scene}/{preset}"), args: strings(&args) });
        }
    }
    for garment in GARMENTS {
        let args = strings(&["drape", garment, "--quality", "draft"]);
        runs.push(Run { name: format!("garment/{garment}"), args });
    }
    Ok(runs)
}

/// The hash that a run ends with.
fn hash(program: &Toile, run: &Run) -> Result<String, String> {
    let out = format!("target/hashes/{}", run.name);
    let mut args: Vec<&str> = run.args.iter().map(String::as_str).collect();
    args.extend(["--json", "--no-picture", "--out", &out]);
    let output = program.command(&args).output().map_err(|e| format!("{}: {e}", run.name))?;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let hash = report["state_hash"].as_str().map(str::to_owned);
    hash.ok_or(format!("{}: no report: {}", run.name, String::from_utf8_lossy(&output.stderr)))
}

fn parse(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once(' ')).collect()
}

/// Compares, or writes with `--write`; `--program PATH`, and names as arguments.
pub(crate) fn hashes(args: &[String]) -> Done {
    let mut program = Toile::default();
    let (mut write, mut asked) = (false, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--write" => write = true,
            "--program" => program = Toile::given(args.next())?,
            name => asked.push(name),
        }
    }
    let path = root().join(FILE);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut known = parse(&text).into_iter().map(|(k, v)| (k.to_owned(), v.to_owned()));
    let mut known: BTreeMap<String, String> = known.by_ref().collect();
    let mut changed = Vec::new();
    let runs = runs()?;
    for run in runs.iter().filter(|r| asked.is_empty() || asked.contains(&r.name.as_str())) {
        let new = hash(&program, run)?;
        println!("{} {new}", run.name);
        if known.get(&run.name) != Some(&new) {
            changed.push(run.name.clone());
        }
        known.insert(run.name.clone(), new);
    }
    if write {
        known.retain(|name, _| runs.iter().any(|r| r.name == *name));
        let mut text = "# State hashes of short runs: cargo xtask hashes --write\n".to_owned();
        known.iter().for_each(|(name, hash)| text += &format!("{name} {hash}\n"));
        std::fs::write(&path, text).map_err(|e| format!("{FILE}: {e}"))?;
        return Ok(format!("{FILE} is written; changed: {}", changed.join(", ")));
    }
    match changed.is_empty() {
        true => Ok("All hashes are as before.".into()),
        false => Err(format!("hashes changed: {}", changed.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_a_hash_and_every_hash_a_run() {
        let text = std::fs::read_to_string(root().join(FILE)).unwrap();
        let known: Vec<&str> = parse(&text).into_keys().collect();
        let mut all: Vec<String> = runs().unwrap().into_iter().map(|r| r.name).collect();
        all.sort();
        assert_eq!(known, all);
    }
}
