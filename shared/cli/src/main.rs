//! The `openeve` command: an agent folder in, a running agent or a deployable bundle out.
//!
//! It owns argument parsing, what people read on the terminal, the wiring of one process that runs
//! all handlers (`dev`), and what an operator does to a run in its database. It decides nothing
//! about a run: the handlers are the library's own, the same that run on Lambda. A command exits 0
//! when it has done what was asked, 1 when that was refused or there was nothing to do, and 2 when
//! it was not given what it needs. The offline demo model lives here and nowhere else, so that no
//! deployed function can ever answer with it.

mod catalogue;
mod commands;
mod demo_model;
mod dev;
mod events;
mod host;
mod output;
mod paint;
mod schemas;
mod serve;

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
    /// Make a new agent folder that answers at once.
    Init(commands::init::InitArguments),
    /// Write the types of `@openeve/core` where an editor finds them.
    Types(commands::types::TypesArguments),
    /// Run an agent folder on this machine: everything in one process, reloaded on change.
    Dev(dev::DevArguments),
    /// Run an agent folder once on this machine: one message, or one tool without a model.
    Run(commands::run::RunArguments),
    /// Check an agent folder and say everything that is wrong with it.
    Validate(commands::validate::ValidateArguments),
    /// Print what an agent folder compiles to, without building it.
    Manifest(commands::manifest::ManifestArguments),
    /// Print what a shell needs to complete commands and flags.
    Completions(commands::completions::CompletionsArguments),
    /// List the models that this version knows, with what they cost.
    Models(commands::models::ModelsArguments),
    /// Compile an agent folder into `.openeve/`, and with `--target lambda` into five archives.
    Build(commands::build::BuildArguments),
    /// Build an agent, bring its database up to date and publish it.
    Deploy(commands::deploy::DeployArguments),
    /// Serve a built agent as one long-lived process, for a VM or a container.
    Serve(serve::ServeArguments),
    /// Make an agent folder from one of another framework.
    Import(commands::import::ImportArguments),
    /// Bring the database's schema up to this build's.
    Migrate(commands::migrate::MigrateArguments),
    /// Check the invariants in a live database and say how it stands; exits 1 if one is violated.
    Doctor(commands::doctor::DoctorArguments),
    /// List runs, show one, or follow what happens.
    Runs(commands::runs::RunsArguments),
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
            Command::Init(arguments) => commands::init::run(&arguments),
            Command::Types(arguments) => commands::types::run(&arguments),
            Command::Dev(arguments) => dev::run(arguments).await,
            Command::Run(arguments) => commands::run::run(arguments).await,
            Command::Validate(arguments) => commands::validate::run(&arguments).await,
            Command::Manifest(arguments) => commands::manifest::run(&arguments).await,
            Command::Completions(arguments) => Ok(commands::completions::run(&arguments)),
            Command::Models(arguments) => commands::models::run(&arguments),
            Command::Build(arguments) => commands::build::run(arguments).await,
            Command::Deploy(arguments) => commands::deploy::run(arguments).await,
            Command::Serve(arguments) => serve::run(arguments).await,
            Command::Import(arguments) => commands::import::run(arguments),
            Command::Migrate(arguments) => commands::migrate::run(&arguments).await,
            Command::Doctor(arguments) => commands::doctor::run(arguments).await,
            Command::Runs(arguments) => commands::runs::run(arguments).await,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::Cli;

    /// Command → its long flags, for a command and all below it.
    fn commands(
        command: &clap::Command,
        path: &str,
        into: &mut BTreeMap<String, BTreeSet<String>>,
    ) {
        for below in command
            .get_subcommands()
            .filter(|one| one.get_name() != "help")
        {
            let path = format!("{path} {}", below.get_name());
            let flags = below.get_arguments().filter_map(clap::Arg::get_long);
            let flags = flags
                .filter(|flag| *flag != "help")
                .map(|flag| format!("--{flag}"));
            into.insert(path.clone(), flags.collect());
            commands(below, &path, into);
        }
    }

    /// The commands that have a heading of their own on the page, with the flags of their lists.
    fn documented(page: &str) -> BTreeMap<String, BTreeSet<String>> {
        let sections = page.split("\n### `").skip(1);
        let section = |text: &str| {
            let (command, rest) = text.split_once('`').unwrap();
            let rest = rest.split("\n## ").next().unwrap();
            let items = rest.lines().filter(|line| line.starts_with("- `--"));
            let flags = items.flat_map(|line| {
                let named = line.split(": ").next().unwrap();
                let flags = named.split('`').filter(|part| part.starts_with("--"));
                flags.map(|flag| flag.split(' ').next().unwrap().to_owned())
            });
            (command.to_owned(), flags.collect())
        };
        sections.map(section).collect()
    }

    #[test]
    fn the_page_has_every_command_and_every_flag_and_no_other() {
        let mut own = BTreeMap::new();
        commands(&Cli::command(), "openeve", &mut own);
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
        let page = std::fs::read_to_string(page).unwrap();
        assert_eq!(documented(&page), own);
    }

    #[test]
    fn every_command_that_does_something_shows_an_example() {
        let mut left = vec![(Cli::command(), "openeve".to_owned())];
        while let Some((command, path)) = left.pop() {
            let below: Vec<_> = command.get_subcommands().cloned().collect();
            let help = command.get_after_help().map(ToString::to_string);
            let example = format!("Example:\n  {path}");
            let shows = help.is_some_and(|help| help.contains(&example));
            assert!(shows || !below.is_empty(), "{path} --help has no example");
            for one in below {
                let path = format!("{path} {}", one.get_name());
                left.push((one, path));
            }
        }
    }

    #[test]
    fn the_commands_contradict_each_other_nowhere() {
        Cli::command().debug_assert();
    }
}
