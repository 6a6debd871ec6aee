//! The npm packages of an agent folder: installed when they are declared and missing.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::output;

/// What `package.json` declares and `node_modules` lacks.
pub(crate) fn missing(folder: &Path) -> anyhow::Result<Vec<String>> {
    let Ok(text) = std::fs::read_to_string(folder.join("package.json")) else {
        return Ok(Vec::new());
    };
    let package: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is not JSON", folder.join("package.json").display()))?;
    let declared = package
        .get("dependencies")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|packages| packages.keys());
    Ok(declared
        .filter(|name| !folder.join("node_modules").join(name).exists())
        .cloned()
        .collect())
}

/// Installs what `package.json` declares and `node_modules` lacks. Says what it runs. A folder
/// without `package.json`, or one that has everything, needs no npm.
pub(crate) fn install(folder: &Path) -> anyhow::Result<()> {
    let missing = missing(folder)?;
    if missing.is_empty() {
        return Ok(());
    }
    let verb = if folder.join("package-lock.json").exists() {
        "ci"
    } else {
        "install"
    };
    output::say(&format!(
        "{}: installing {} with `npm {verb} --ignore-scripts`",
        folder.display(),
        missing.join(", ")
    ));
    let mut npm = Command::new("npm");
    npm.current_dir(folder).args([
        verb,
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--silent",
    ]);
    let status = npm.status().with_context(|| {
        format!(
            "npm could not be run; install Node.js, or put {} into {}/node_modules yourself",
            missing.join(", "),
            folder.display()
        )
    })?;
    if !status.success() {
        bail!(
            "npm {verb} failed in {}; its own words are above",
            folder.display()
        );
    }
    Ok(())
}
