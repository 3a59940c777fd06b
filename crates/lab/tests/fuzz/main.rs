//! Every reader with mutated valid files: no panic, no hang, no memory beyond measure.
//!
//! The test of every day runs a fixed number of cases from a fixed seed. `cargo xtask fuzz` runs the same for long,
//! from a new seed. An input that fails is kept in a file, and becomes a named test beside the code it broke.

mod mutate;
mod pictures;
mod readers;
mod seeds;
mod watch;

#[path = "../../../collide/tests/integration/hostile/bodies.rs"]
mod geometry;

use mutate::{Random, mutated};
use readers::Reader;
use std::time::{Duration, Instant};
use watch::{Present, keep, watched};

#[global_allocator]
static ALLOCATOR: watch::Counting = watch::Counting;

/// Runs one case; says what went wrong.
fn run_case(reader: &Reader, seed: u64, bytes: Vec<u8>) -> Result<(), String> {
    let folder = reader.folder.path();
    let (name, extension) = (reader.name, reader.extension);
    let case = Present { reader: name, extension, seed, bytes };
    watched(case.clone(), |bytes| (reader.read)(bytes, folder)).map_err(|why| {
        keep(&case, &why);
        format!("{name} with seed {seed:#x} {why}")
    })
}

/// Runs a number of cases of a reader from a seed on.
fn run_cases(reader: &Reader, seed: u64, cases: usize) -> Vec<String> {
    let mut failed = Vec::new();
    for k in 0..cases as u64 {
        let seed = Random::new(seed ^ k.wrapping_mul(0x9e37_79b9)).next();
        let mut random = Random::new(seed);
        let file = &reader.seeds[random.below(reader.seeds.len())];
        let bytes = mutated(&mut random, file, &reader.seeds, reader.is_text);
        failed.extend(run_case(reader, seed, bytes).err());
    }
    failed
}

/// Panics are caught and told once; their traces would hide them.
fn quiet() {
    std::panic::set_hook(Box::new(|_| {}));
    watch::watch_the_clock();
}

#[allow(clippy::print_stderr, reason = "how long it took is for people")]
fn smoke() -> Vec<String> {
    let mut failed = Vec::new();
    for reader in readers::all() {
        let clock = Instant::now();
        // What is valid is read without a panic too.
        for file in &reader.seeds {
            failed.extend(run_case(&reader, 0, file.clone()).err());
        }
        failed.extend(run_cases(&reader, 1, reader.cases));
        let (name, cases, seconds) = (reader.name, reader.cases, clock.elapsed().as_secs_f64());
        eprintln!("{name:13} {cases:5} cases in {seconds:.1} s");
    }
    failed
}

#[allow(clippy::print_stderr, reason = "progress is for people")]
fn long(seconds: u64, seed: u64) -> Vec<String> {
    let end = Instant::now() + Duration::from_secs(seconds);
    let readers = readers::all();
    let (mut failed, mut round, mut cases) = (Vec::new(), 0_u64, 0);
    while Instant::now() < end {
        for reader in &readers {
            let part = reader.cases / 10;
            failed.extend(run_cases(reader, seed.wrapping_add(round), part));
            cases += part;
        }
        round += 1;
        if round % 20 == 1 {
            let left = end.saturating_duration_since(Instant::now()).as_secs();
            eprintln!("round {round}, {cases} cases, {} failed, {left} s left", failed.len());
        }
    }
    eprintln!("{cases} cases from seed {seed}: {} failed", failed.len());
    failed
}

/// Runs an input that was kept, by the reader in its name.
fn replay(path: &std::path::Path) -> Vec<String> {
    let bytes = std::fs::read(path).expect("the input is there");
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let readers = readers::all();
    let reader = readers.iter().filter(|r| name.starts_with(r.name)).max_by_key(|r| r.name.len());
    let reader = reader.expect("its name begins with that of a reader");
    watch::watch_the_clock();
    run_case(reader, 0, bytes).err().into_iter().collect()
}

/// A reader that breaks a promise on purpose.
fn broken(how: &str) -> Vec<String> {
    let read: fn(&[u8], &std::path::Path) = match how {
        "panic" => |_, _| panic!("on purpose"),
        "memory" => |_, _| drop(std::hint::black_box(vec![1_u8; 1 << 30])),
        _ => |_, _| loop {
            std::hint::black_box(());
        },
    };
    let mut reader = readers::all().swap_remove(0);
    reader.read = read;
    watch::watch_the_clock();
    run_case(&reader, 0, vec![1, 2, 3]).err().into_iter().collect()
}

#[test]
fn a_reader_that_breaks_its_promise_is_told_and_its_input_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    for (how, said) in [("panic", "panicked: on purpose"), ("memory", "it holds 1024 MB")] {
        let program = std::env::current_exe().expect("this program");
        let mut command = std::process::Command::new(program);
        command.args(["no_reader_panics_hangs_or_takes_memory_beyond_measure", "--nocapture"]);
        command.env("TOILE_FUZZ_BREAK", how).env("TOILE_FUZZ_OUT", folder.path());
        let done = command.output().expect("it starts");
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success() && told.contains(said), "{how}: {told}");
        let kept = folder.path().join("obj-0000000000000000.obj");
        assert_eq!(std::fs::read(&kept).expect("kept"), [1, 2, 3]);
        std::fs::remove_file(kept).expect("removed");
    }
}

#[test]
fn no_reader_panics_hangs_or_takes_memory_beyond_measure() {
    let number = |key: &str| std::env::var(key).ok().and_then(|v| v.parse::<u64>().ok());
    if let Ok(how) = std::env::var("TOILE_FUZZ_BREAK") {
        assert_eq!(broken(&how), Vec::<String>::new());
    }
    let failed = match (std::env::var_os("TOILE_FUZZ_REPLAY"), number("TOILE_FUZZ_SECONDS")) {
        (Some(path), _) => replay(path.as_ref()),
        (None, Some(seconds)) => {
            quiet();
            long(seconds, number("TOILE_FUZZ_SEED").unwrap_or(2))
        }
        (None, None) => {
            quiet();
            smoke()
        }
    };
    let _ = std::panic::take_hook();
    assert!(failed.is_empty(), "{} cases failed:\n{}", failed.len(), failed.join("\n"));
}
