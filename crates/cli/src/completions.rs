//! `toile completions`.

use crate::{End, Program, print_line};
use clap::CommandFactory;
use toile::Error;

/// Print a script that teaches a shell to complete toile's commands.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  toile completions bash > ~/.local/share/bash-completion/completions/toile
  toile completions fish > ~/.config/fish/completions/toile.fish")]
pub(crate) struct Args {
    /// The shell.
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: Args) -> Result<End, Error> {
    // Into memory first: the generator panics if its reader goes away.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Program::command(), "toile", &mut script);
    print_line(String::from_utf8_lossy(&script).trim_end());
    Ok(End::Good)
}
