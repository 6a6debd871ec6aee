//! `openeve completions SHELL`: what a shell needs to complete commands and flags.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use crate::Cli;
use crate::output;

/// Which shell.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve completions bash > ~/.local/share/bash-completion/completions/openeve
  openeve completions zsh > \"${fpath[1]}/_openeve\"
  openeve completions fish > ~/.config/fish/completions/openeve.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell.
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(arguments: &CompletionsArguments) -> ExitCode {
    let mut script = Vec::new();
    generate(arguments.shell, &mut Cli::command(), "openeve", &mut script);
    output::answer(String::from_utf8_lossy(&script).trim_end());
    ExitCode::SUCCESS
}
