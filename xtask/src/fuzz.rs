//! `cargo xtask fuzz`: mutated files for every reader, for long.
//!
//! The mutators and readers are those of the test of every day (`crates/lab/tests/fuzz`), from another seed. The dev
//! profile is used on purpose: it checks overflow.

use super::{Done, cargo, root, stage};
use std::time::{SystemTime, UNIX_EPOCH};

/// How long if nothing is said [s].
const AN_HOUR: u64 = 3600;

/// Fuzzes for `--seconds N` from `--seed N`, or reads a kept input again with `--replay FILE`.
pub(crate) fn fuzz(args: &[String]) -> Done {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(2, |d| d.as_secs());
    let (mut seconds, mut seed, mut replay) = (AN_HOUR, seed, None);
    let mut args = args.iter();
    while let Some(option) = args.next() {
        let value = args.next().ok_or(format!("{option} needs a value"))?;
        let number = || value.parse().map_err(|_| format!("{option} {value}: a number is needed"));
        match option.as_str() {
            "--seconds" => seconds = number()?,
            "--seed" => seed = number()?,
            "--replay" => replay = Some(value),
            _ => {
                return Err(format!(
                    "{option} is not known; there are --seconds, --seed, --replay"
                ));
            }
        }
    }
    let kept = root().join("out/fuzz");
    let mut command =
        cargo(&["test", "--package", "toile-lab", "--test", "fuzz", "--", "--nocapture"]);
    command.env("TOILE_FUZZ_OUT", &kept);
    match replay {
        Some(file) => {
            let file = std::path::absolute(file).map_err(|e| format!("{file}: {e}"))?;
            command.env("TOILE_FUZZ_REPLAY", file);
        }
        None => {
            command.env("TOILE_FUZZ_SECONDS", seconds.to_string());
            command.env("TOILE_FUZZ_SEED", seed.to_string());
            println!("seed {seed}; inputs that fail are kept in {}", kept.display());
        }
    }
    stage("fuzz", command)?;
    Ok("Nothing was found.".into())
}
