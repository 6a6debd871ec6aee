//! `openeve validate FOLDER`: everything that is wrong with it, for people, scripts and editors.
//!
//! The compiler's findings decide; whether a model is in the local catalogue is a hint of the
//! command line's own and never keeps a folder from being valid [A5.02].

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use openeve_compiler::Compilation;
use openeve_domain::manifest::Manifest;
use serde_json::{Value, json};

use super::{compiled_apart, say_findings};
use crate::catalogue::Catalogue;
use crate::output;

/// The code of the hint.
const UNKNOWN_MODEL: &str = "unknown-model";

/// What to check, and how to say it.
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[command(after_help = "\
Exits 0 if the folder can be built, warnings or not, and 1 if it cannot.

Example:
  openeve validate my-agent
  openeve validate my-agent --json | jq '.diagnostics[].code'")]
pub(crate) struct ValidateArguments {
    /// The agent folder; by default this one.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Say nothing about a model that the local catalogue does not have.
    #[arg(long)]
    no_model_check: bool,
    /// Evaluate nothing: schemas that are made by code are then refused.
    #[arg(long)]
    no_eval: bool,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
    /// Print a SARIF log, for code hosts and editors.
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
}

/// Says everything that is wrong; exits 1 if the folder cannot be built.
pub(crate) async fn run(arguments: &ValidateArguments) -> anyhow::Result<ExitCode> {
    let folder = &arguments.folder;
    let compilation = compiled_apart(folder, !arguments.no_eval, &Arc::default()).await;
    let code = if compilation.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    };
    if arguments.sarif {
        output::json(&compilation.sarif());
        return Ok(code);
    }
    let hint = match &compilation.manifest {
        Some(manifest) if !arguments.no_model_check => unknown_model(folder, manifest)?,
        _ => None,
    };
    if arguments.json {
        output::json(&told(folder, &compilation, hint.as_ref())?);
        return Ok(code);
    }
    if let Some(hint) = &hint {
        output::say(&hint.render());
        output::say("");
    }
    say_findings(folder, &compilation);
    if let Some(manifest) = &compilation.manifest {
        output::answer(&format!(
            "{} is valid: {}, {}, {}, revision {}",
            folder.display(),
            output::counted(manifest.tools.len(), "tool"),
            output::counted(manifest.channels.len(), "channel"),
            output::counted(manifest.schedules.len(), "schedule"),
            manifest.revision.get(..12).unwrap_or(&manifest.revision),
        ));
    }
    Ok(code)
}

/// That a model is not in the catalogue.
struct Hint {
    message: String,
    line: Option<usize>,
    help: String,
}

impl Hint {
    fn render(&self) -> String {
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        format!(
            "warning[{UNKNOWN_MODEL}]: {}\n  --> agent.ts{line}\n  = help: {}",
            self.message, self.help
        )
    }

    /// As the compiler's findings look, as far as it has the same parts.
    fn json(&self) -> Value {
        json!({
            "code": UNKNOWN_MODEL, "severity": "warning", "message": self.message,
            "file": "agent.ts", "help": self.help,
        })
    }
}

fn unknown_model(folder: &Path, manifest: &Manifest) -> anyhow::Result<Option<Hint>> {
    let model = &manifest.agent.model;
    let catalogue = Catalogue::read()?;
    if catalogue.has(model) {
        return Ok(None);
    }
    let source = std::fs::read_to_string(folder.join("agent.ts")).unwrap_or_default();
    let line = source.lines().position(|line| line.contains(model));
    let help = match catalogue.near(model) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "`openeve models` lists those it has".to_owned(),
    };
    Ok(Some(Hint {
        message: format!("the model {model:?} is not in this version's catalogue"),
        line: line.map(|index| index + 1),
        help: format!("{help} If it is right, --no-model-check silences this"),
    }))
}

fn told(folder: &Path, found: &Compilation, hint: Option<&Hint>) -> anyhow::Result<Value> {
    let mut diagnostics: Vec<Value> = hint.map(Hint::json).into_iter().collect();
    for diagnostic in &found.diagnostics {
        diagnostics.push(serde_json::to_value(diagnostic)?);
    }
    let manifest = found.manifest.as_ref();
    Ok(json!({
        "folder": folder.display().to_string(),
        "valid": manifest.is_some(),
        "revision": manifest.map(|manifest| &manifest.revision),
        "diagnostics": diagnostics,
    }))
}
