//! `openeve types [DIR]`: the types of `@openeve/core`, where an editor finds them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use openeve_compiler::sdk_files;
use serde_json::{Value, json};

use crate::output;

/// Where Node's resolution, and so every editor, looks.
const PLACE: &str = "node_modules/@openeve/core";

/// Which folder.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve types my-agent      # again after an upgrade of openeve, or after `npm install`")]
pub(crate) struct TypesArguments {
    /// The agent folder; by default this one.
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

/// Writes the types. Exits 1 if something that is not ours stands in their place.
pub(crate) fn run(arguments: &TypesArguments) -> anyhow::Result<ExitCode> {
    if !arguments.dir.is_dir() {
        bail!("{} is not a folder", arguments.dir.display());
    }
    let place = write(&arguments.dir)?;
    if arguments.json {
        output::json(&json!({"folder": place.display().to_string(), "files": sdk_files().len()}));
    } else {
        output::answer(&format!(
            "{}: the types of @openeve/core {}",
            place.display(),
            env!("CARGO_PKG_VERSION")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes this version's types in the place of another version's. Safe to repeat.
pub(crate) fn write(folder: &Path) -> anyhow::Result<PathBuf> {
    let place = folder.join(PLACE);
    if let Ok(there) = fs::symlink_metadata(&place) {
        if there.is_symlink() {
            bail!(
                "{} is a link, so what it points to brings the types; remove it to have them written here",
                place.display()
            );
        }
        if !is_ours(&place) {
            bail!(
                "{} is something else than the types of OpenEve; remove it first",
                place.display()
            );
        }
        fs::remove_dir_all(&place)
            .with_context(|| format!("{} cannot be replaced", place.display()))?;
    }
    for (path, text) in sdk_files() {
        let target = place.join(path);
        let made = target
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&target, text));
        made.with_context(|| format!("{} cannot be written", target.display()))?;
    }
    Ok(place)
}

/// Whether a folder has the types, written here or brought by a package.
pub(crate) fn stand_in(folder: &Path) -> bool {
    folder.join(PLACE).join("package.json").exists()
}

fn is_ours(place: &Path) -> bool {
    let package = fs::read(place.join("package.json")).unwrap_or_default();
    let package: Value = serde_json::from_slice(&package).unwrap_or_default();
    package.get("name").and_then(Value::as_str) == Some("@openeve/core")
}
