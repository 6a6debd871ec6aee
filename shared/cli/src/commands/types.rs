//! `openeve types [DIR]`: the types of `@openeve/core`, where an editor finds them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use openeve_compiler::sdk_files;
use serde_json::{Value, json};

use crate::output;

/// Where a folder's `tsconfig.json` looks for them. `npm install` would take them out of
/// `node_modules`.
const PLACE: &str = ".openeve/types";

/// Which folder.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve types my-agent      # `dev` and `build` do it, too")]
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

/// Writes this version's types where a folder's `tsconfig.json` asks for them and they are absent or
/// another version's. What stands in their place and is not ours stays.
pub(crate) fn refresh(folder: &Path) {
    let config = fs::read_to_string(folder.join("tsconfig.json")).unwrap_or_default();
    let place = folder.join(PLACE);
    let is_as_it_should_be = |(path, text): &(&str, &str)| {
        fs::read(place.join(path)).is_ok_and(|now| now == text.as_bytes())
    };
    if config.contains(PLACE) && !sdk_files().iter().all(is_as_it_should_be) {
        // Editors do without; the agent does not need them.
        drop(write(folder));
    }
}

fn is_ours(place: &Path) -> bool {
    let package = fs::read(place.join("package.json")).unwrap_or_default();
    let package: Value = serde_json::from_slice(&package).unwrap_or_default();
    package.get("name").and_then(Value::as_str) == Some("@openeve/core")
}
