//! `openeve manifest [FOLDER] [--out FILE]`: what a folder compiles to, without building it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use super::compiled;
use crate::output;

/// Of which folder, and where to.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve manifest my-agent | jq .tools
  openeve manifest my-agent --out manifest.json")]
pub(crate) struct ManifestArguments {
    /// The agent folder; by default this one.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Write it to this file instead of printing it.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// With `--out`, say what was written as JSON; what is printed without it is JSON anyhow.
    #[arg(long)]
    json: bool,
}

/// Prints or writes the manifest; exits 1 if the folder has errors.
pub(crate) async fn run(arguments: &ManifestArguments) -> anyhow::Result<ExitCode> {
    let compilation = compiled(&arguments.folder).await;
    let Some(manifest) = compilation.and_then(|compilation| compilation.manifest) else {
        return Ok(ExitCode::FAILURE);
    };
    let text = serde_json::to_string_pretty(&manifest)?;
    let Some(out) = &arguments.out else {
        output::answer(&text);
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::write(out, format!("{text}\n"))
        .with_context(|| format!("{} cannot be written", out.display()))?;
    if arguments.json {
        output::json(&json!({"out": out.display().to_string(), "revision": manifest.revision}));
    } else {
        output::answer(&format!(
            "{}: revision {}",
            out.display(),
            manifest.revision
        ));
    }
    Ok(ExitCode::SUCCESS)
}
