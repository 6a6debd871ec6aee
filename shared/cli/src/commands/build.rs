//! `openeve build FOLDER [--target lambda]`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use openeve_compiler::emit;
use serde_json::json;

use super::{compiled, types};
use crate::output;

pub(crate) mod bundle;

/// What to build.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve build my-agent
  openeve build my-agent --target lambda --arch x86_64")]
pub(crate) struct BuildArguments {
    /// The agent folder.
    folder: PathBuf,
    /// What to build beside the artifact.
    #[arg(long, value_enum)]
    target: Option<Target>,
    /// The processor the functions run on.
    #[arg(long, value_enum, default_value_t = Architecture::Arm64)]
    arch: Architecture,
    /// A folder with the compiled functions (`ingress`, `tick`, `step`, `delivery`, `sweep`, each a
    /// file or a folder with `bootstrap`); without it they are compiled with cargo-lambda.
    #[arg(long, requires = "target")]
    functions: Option<PathBuf>,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

/// Where the agent is to run.
#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// AWS Lambda: one archive a function, and the template beside them.
    Lambda,
}

/// A processor architecture of AWS Lambda.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Architecture {
    /// Graviton; the cheaper one, and the default.
    #[value(name = "arm64")]
    Arm64,
    /// Intel and AMD.
    #[value(name = "x86_64")]
    X86_64,
}

impl Architecture {
    /// As AWS and the command line name it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Arm64 => "arm64",
            Self::X86_64 => "x86_64",
        }
    }
}

/// Builds; exits 1 if the folder cannot be built.
pub(crate) async fn run(arguments: BuildArguments) -> anyhow::Result<ExitCode> {
    crate::dev::packages::install(&arguments.folder)?;
    let Some(compilation) = compiled(&arguments.folder).await else {
        return Ok(ExitCode::FAILURE);
    };
    let out = arguments.folder.join(".openeve");
    emit(&compilation, &out).context("the artifact could not be written")?;
    types::refresh(&arguments.folder);
    let revision = compilation
        .manifest
        .as_ref()
        .map_or("", |manifest| manifest.revision.as_str());
    let bundle = match arguments.target {
        Some(Target::Lambda) => lambda(arguments.functions.as_deref(), arguments.arch, &out)?,
        None => Vec::new(),
    };
    if arguments.json {
        let written = |one: &bundle::Written| json!({"path": one.path, "bytes": one.bytes});
        output::json(&json!({
            "artifact": out,
            "revision": revision,
            "written": bundle.iter().map(written).collect::<Vec<_>>(),
        }));
        return Ok(ExitCode::SUCCESS);
    }
    output::answer(&format!("{}: revision {revision}", out.display()));
    for written in &bundle {
        output::answer(&format!(
            "{}: {} bytes",
            written.path.display(),
            written.bytes
        ));
    }
    if arguments.target.is_some() {
        output::answer(&format!(
            "next: openeve migrate, then sam deploy --guided --capabilities CAPABILITY_IAM --template-file {}/lambda/template.yaml",
            out.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the functions' archives and the template beside an artifact; compiles the functions first if
/// none are given.
pub(crate) fn lambda(
    functions: Option<&Path>,
    arch: Architecture,
    artifact: &Path,
) -> anyhow::Result<Vec<bundle::Written>> {
    let functions = match functions {
        Some(folder) => folder.to_owned(),
        None => bundle::compile_functions(arch)?,
    };
    let out = artifact.join("lambda");
    bundle::write(&functions, artifact, &out, arch)
}
