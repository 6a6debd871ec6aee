//! The `openeve` command: an agent folder in, a running agent or a deployable bundle out.
//!
//! It owns argument parsing, what people read on the terminal, the wiring of one process that runs
//! all handlers (`dev`), and what an operator does to a run in its database. It decides nothing
//! about a run: the handlers are the library's own, the same that run on Lambda. A command exits 0
//! when it has done what was asked, 1 when that was refused or there was nothing to do, and 2 when
//! it was not given what it needs. The offline demo model lives here and nowhere else, so that no
//! deployed function can ever answer with it.

mod commands;
mod demo_model;
mod dev;
mod output;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Durable AI agents from a folder of files.
#[derive(Parser)]
#[command(name = "openeve", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run an agent folder on this machine: everything in one process, reloaded on change.
    Dev(dev::DevArguments),
    /// Check an agent folder and say everything that is wrong with it.
    Validate {
        /// The agent folder.
        folder: PathBuf,
    },
    /// Compile an agent folder into `.openeve/`, and with `--target lambda` into five archives.
    Build(commands::build::BuildArguments),
    /// Bring the database's schema up to this build's.
    Migrate {
        /// Say what would be done and change nothing.
        #[arg(long)]
        plan: bool,
    },
    /// Check the invariants in a live database and say how it stands; exits 1 if one is violated.
    Doctor(commands::doctor::DoctorArguments),
    /// Show what a run waits for and how to decide it; exits 1 if nothing waits.
    Pauses(commands::pauses::PausesArguments),
    /// Let a call run that waits for approval.
    Approve(commands::decide::ApproveArguments),
    /// Say no to a call that waits, whatever it waits for.
    Reject(commands::decide::RejectArguments),
    /// Answer a question that a run waits for.
    Answer(commands::decide::AnswerArguments),
    /// End a run, whatever it is doing.
    Cancel(commands::cancel::CancelArguments),
    /// Begin failed runs again, free blocked ones, owe failed deliveries again.
    Redrive(commands::redrive::RedriveArguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return output::failed(&error.into()),
    };
    let outcome = runtime.block_on(async {
        match cli.command {
            Command::Dev(arguments) => dev::run(arguments).await,
            Command::Validate { folder } => commands::validate::run(&folder).await,
            Command::Build(arguments) => commands::build::run(arguments).await,
            Command::Migrate { plan } => commands::migrate::run(plan).await,
            Command::Doctor(arguments) => commands::doctor::run(arguments).await,
            Command::Pauses(arguments) => commands::pauses::run(arguments).await,
            Command::Approve(arguments) => commands::decide::approve(arguments).await,
            Command::Reject(arguments) => commands::decide::reject(arguments).await,
            Command::Answer(arguments) => commands::decide::answer(arguments).await,
            Command::Cancel(arguments) => commands::cancel::run(arguments).await,
            Command::Redrive(arguments) => commands::redrive::run(arguments).await,
        }
    });
    // Whatever still runs has been given its time; a script that never ends must not hold us.
    runtime.shutdown_background();
    match outcome {
        Ok(code) => code,
        Err(error) => output::failed(&error),
    }
}
