//! `openeve deploy [FOLDER]`: builds an agent, brings its database up to date and publishes it.
//!
//! A publisher wraps the target's own tool and is a plan first: which steps, and what is missing for
//! them, everything at once. A dry run shows the plan and changes nothing. Then the steps are run in
//! order: artifact, migrations, publishing, the record. What fails ends it with the tool's own words,
//! and is not recorded. A secret reaches a tool by its environment or standard input; no command line
//! and no line that is printed ever holds one.

mod image;
mod migrations;
mod plan;
mod record;
mod shown;
mod subject;
mod targets;
mod tool;
mod variables;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use openeve_compiler::emit;
use openeve_host::artifact::Artifact;

use super::build::Architecture;
use crate::output::Usage;
use crate::serve::{self, needs};
use plan::{Plan, Work};
use subject::Subject;

/// What to deploy, and where.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Args)]
#[command(after_help = "\
Exits 2 if something is missing, and says all of it; nothing has been changed then.

Example:
  openeve deploy my-agent --target docker --dry-run
  openeve deploy my-agent --target fly --fly-app my-agent")]
pub(crate) struct DeployArguments {
    /// The agent folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Where it is to run; by default what `deploy` in `gateway.ts` says.
    #[arg(long, value_enum)]
    target: Option<Target>,
    /// Say the steps and what is missing, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// The command that applies the folder's own `migrations/`; `OPENEVE_MIGRATION_COMMAND` says it too.
    #[arg(long, value_name = "COMMAND")]
    migration_command: Option<String>,
    /// Touch no database from here: neither our schema nor the folder's own migrations.
    #[arg(long, conflicts_with = "migration_command")]
    no_migrate: bool,
    /// The openeve program for Linux that goes into the container; by default this very one.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// With `docker` and `local`: the port on this machine.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// With `docker`: the network the container joins.
    #[arg(long, value_name = "NAME")]
    network: Option<String>,
    /// With `local`: do everything but start to serve.
    #[arg(long)]
    no_start: bool,
    /// The Fly app; `FLY_APP_NAME` says it too.
    #[arg(long, value_name = "APP")]
    fly_app: Option<String>,
    /// The Railway project's id, with `--railway-service`; by default the linked one.
    #[arg(long, value_name = "ID")]
    railway_project: Option<String>,
    /// The Railway service, with `--railway-project`; by default the linked one.
    #[arg(long, value_name = "SERVICE")]
    railway_service: Option<String>,
    /// With `lambda`: the stack; by default the agent's id.
    #[arg(long, value_name = "NAME")]
    stack: Option<String>,
    /// With `lambda`: a parameter of the template, such as `DatabaseUrl=arn:…`; may be repeated.
    #[arg(long = "parameter", value_name = "NAME=VALUE")]
    parameters: Vec<String>,
    /// With `lambda`: the bucket that archives are uploaded to; SAM makes one of its own without it.
    #[arg(long, value_name = "NAME")]
    bucket: Option<String>,
    /// With `lambda`: the processor the functions run on.
    #[arg(long, value_enum, default_value_t = Architecture::Arm64)]
    arch: Architecture,
    /// With `lambda`: functions that are compiled already, as for `build`.
    #[arg(long, value_name = "FOLDER")]
    functions: Option<PathBuf>,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

/// Where an agent can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// This machine: everything but a supervisor.
    Local,
    /// AWS Lambda, with SAM or the AWS command line.
    Lambda,
    /// A container of this machine's Docker.
    Docker,
    /// Fly.io.
    Fly,
    /// Railway.
    Railway,
}

impl Target {
    const ALL: [Self; 5] = [
        Self::Local,
        Self::Lambda,
        Self::Docker,
        Self::Fly,
        Self::Railway,
    ];

    /// As `gateway.ts` and the command line name it.
    const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Lambda => "lambda",
            Self::Docker => "docker",
            Self::Fly => "fly",
            Self::Railway => "railway",
        }
    }
}

/// Plans, and unless it is a dry run or something is missing, does it.
pub(crate) async fn run(arguments: DeployArguments) -> anyhow::Result<ExitCode> {
    let Some(subject) = Subject::read(arguments).await? else {
        return Ok(ExitCode::FAILURE);
    };
    let plan = targets::plan(&subject);
    let dry_run = subject.arguments.dry_run;
    if dry_run || !plan.needs.is_empty() {
        shown::plan(&subject, &plan);
        return Ok(if plan.needs.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(2)
        });
    }
    let count = plan.steps.len();
    for (index, step) in plan.steps.iter().enumerate() {
        shown::begins(index + 1, count, step);
        perform(&subject, &plan, &step.work).await?;
    }
    let recorded = record::write(&subject, &plan)?;
    shown::done(&subject, &plan, &recorded);
    if plan.serves && !subject.arguments.no_start {
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), subject.arguments.port);
        return serve::serve(&subject.artifact, subject.configuration, address).await;
    }
    Ok(ExitCode::SUCCESS)
}

async fn perform(subject: &Subject, plan: &Plan, work: &Work) -> anyhow::Result<()> {
    match work {
        Work::Build => emit(&subject.compilation, &subject.artifact)
            .context("the artifact could not be written"),
        Work::Functions => targets::lambda::archives(subject),
        Work::Image { binary, fly } => image::write(&subject.artifact, binary, fly.as_deref()),
        Work::Schema => migrations::schema(&subject.configuration).await,
        Work::Check => check(subject).await,
        Work::Run(tool) => tool.run(),
        Work::Forget => record::remove(&plan.record),
    }
}

/// The boot check of `serve --once`, in this process.
async fn check(subject: &Subject) -> anyhow::Result<()> {
    let artifact = Artifact::load(&subject.artifact)?;
    let checks = serve::checks::all(&artifact, &subject.configuration).await?;
    let wrong: Vec<String> = checks
        .into_iter()
        .filter(|check| check.state != serve::checks::State::Ok)
        .map(|check| format!("{}: {}", check.name, check.detail))
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    anyhow::bail!("it cannot be served: {}", wrong.join("; "))
}

/// The target that was asked for, else the gateway's.
fn target(asked: Option<Target>, gateway: Option<&str>) -> anyhow::Result<Target> {
    if let Some(target) = asked {
        return Ok(target);
    }
    let known = Target::ALL
        .into_iter()
        .find(|known| Some(known.name()) == gateway);
    known.ok_or_else(|| {
        let names = Target::ALL.map(Target::name).join(", ");
        Usage(format!(
            "where to? gateway.ts has no deploy adapter; give --target with one of {names}"
        ))
        .into()
    })
}

/// The environment, as `serve` would read it.
fn configuration() -> needs::Configuration {
    needs::configuration()
}
