//! The toile program: cloth from a scene file to an audited result and a picture.

mod bench;
mod body;
mod ccd;
mod check;
mod compare;
mod completions;
mod convert;
mod drape;
mod env;
mod fabric;
mod lab;
mod memory;
mod methods;
mod paper;
mod pattern;
mod progress;
mod render;
mod sim;
mod summary;
mod wearer;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Simulate cloth: drape it, let it collide with itself and with bodies, audit the result, draw it.
#[derive(Parser)]
#[command(name = "toile", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Program {
    #[command(subcommand)]
    command: Command,
    /// Print the result as JSON on standard output, for other programs.
    #[arg(long, global = true)]
    json: bool,
    /// Increase log verbosity (-v info, -vv debug, -vvv trace).
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

const EXAMPLES: &str = "Examples:
  toile drape                              a T-shirt on the mannequin and how it fits, into out/
  toile sim scenes/flag.toml --frames gif  a scene as an animation
  toile render out --out shirt.png         a photograph of the result
  toile check out/final.obj                does it intersect itself?";

#[derive(Subcommand)]
enum Command {
    Drape(drape::Args),
    Sim(sim::Args),
    Render(render::Args),
    Env(env::Args),
    Check(check::Args),
    Compare(compare::Args),
    Convert(convert::Args),
    Fabric(fabric::Args),
    Pattern(pattern::Args),
    Body(body::Args),
    Methods(methods::Args),
    Bench(bench::Args),
    Ccd(ccd::Args),
    Paper(paper::Args),
    Lab(lab::Args),
    Completions(completions::Args),
}

/// How a command ended.
enum End {
    /// All is well.
    Good,
    /// It did its work, and what it found is bad.
    Bad,
    /// It was interrupted.
    Stopped,
}

fn main() -> ExitCode {
    memory::set_mmap_threshold();
    let program = match Program::try_parse() {
        Ok(program) => program,
        Err(error) => {
            // Usage errors are JSON, too, when --json is given.
            if error.use_stderr() && std::env::args_os().any(|a| a == "--json") {
                print_json(&serde_json::json!({ "error": error.to_string(), "help": null }));
            }
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    start_log(program.verbose);
    let json = program.json;
    let result = match program.command {
        Command::Drape(args) => drape::run(args, json),
        Command::Sim(args) => sim::run(args, json),
        Command::Render(args) => render::run(args, json),
        Command::Env(args) => env::run(args, json),
        Command::Check(args) => check::run(args, json),
        Command::Compare(args) => compare::run(args, json),
        Command::Convert(args) => convert::run(args, json),
        Command::Fabric(args) => fabric::run(args, json),
        Command::Pattern(args) => pattern::run(args, json),
        Command::Body(args) => body::run(args, json),
        Command::Methods(args) => methods::run(args, json),
        Command::Bench(args) => bench::run(args, json),
        Command::Ccd(args) => ccd::run(args, json),
        Command::Paper(args) => paper::run(args, json),
        Command::Lab(args) => lab::run(args, json),
        Command::Completions(args) => completions::run(args),
    };
    match result {
        Ok(End::Good) => ExitCode::SUCCESS,
        Ok(End::Bad) => ExitCode::from(1),
        Ok(End::Stopped) => ExitCode::from(130),
        Err(error) => {
            if json {
                use miette::Diagnostic;
                let help = error.help().map(|h| h.to_string());
                print_json(&serde_json::json!({ "error": error.to_string(), "help": help }));
            }
            print_error(&format!("{:?}", miette::Report::new(error)));
            ExitCode::from(1)
        }
    }
}

/// Prints a value for other programs.
fn print_json(value: &impl serde::Serialize) {
    if let Ok(text) = serde_json::to_string_pretty(value) {
        print_line(&text);
    }
}

/// Prints a line. `println!` panics where this does not: a reader that has gone away, as in
/// `toile methods | head -1`, is no error of ours, and a full disk ends the program with a reason.
fn print_line(line: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let done = writeln!(out, "{line}").and_then(|()| out.flush());
    if let Err(e) = done
        && e.kind() != std::io::ErrorKind::BrokenPipe
    {
        print_error(&format!("standard output: cannot write: {e}; check its space"));
        std::process::exit(1);
    }
}

/// Prints a line for people on standard error, if anybody listens.
fn print_error(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn start_log(verbose: u8) {
    let level = match verbose {
        0 => log::LevelFilter::Warn,
        1 => log::LevelFilter::Info,
        2 => log::LevelFilter::Debug,
        _ => log::LevelFilter::Trace,
    };
    env_logger::Builder::new().filter_level(level).parse_default_env().init();
}
