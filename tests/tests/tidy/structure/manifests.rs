//! Rules about `Cargo.toml` files.

use toml::{Table, Value};

use crate::repository::{Verdict, files, text, verdict};

/// One place names versions, editions, licences and lints.
pub(crate) fn members_take_everything_from_the_workspace() -> Verdict {
    let mut findings = Vec::new();
    for path in files()?.iter().filter(|path| is_member(path)) {
        let manifest = parse(path)?;
        for (section, name, dependency) in dependencies(&manifest) {
            if !is_inherited(dependency) {
                findings.push(format!("{path}: {section}.{name}"));
            }
        }
        for field in ["version", "edition", "rust-version", "license", "publish"] {
            let value = manifest
                .get("package")
                .and_then(|package| package.get(field));
            if !value.is_some_and(is_inherited) {
                findings.push(format!("{path}: package.{field}"));
            }
        }
        if !manifest.get("lints").is_some_and(is_inherited) {
            findings.push(format!("{path}: lints"));
        }
    }
    verdict(
        "A member's manifest says `workspace = true` for every dependency, package field and lint, so \
         that two crates never disagree.",
        &findings,
    )
}

/// A build today and a build next year take the same crates, with the features that were asked for.
pub(crate) fn the_workspace_pins_every_version() -> Verdict {
    let mut findings = Vec::new();
    let manifest = parse("Cargo.toml")?;
    let workspace = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"));
    let Some(dependencies) = workspace.and_then(Value::as_table) else {
        return Err("Cargo.toml has no [workspace.dependencies]".to_owned());
    };
    for (name, dependency) in dependencies {
        if dependency.get("path").is_some() {
            continue;
        }
        let version = dependency
            .get("version")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !version.starts_with('=') {
            findings.push(format!("{name}: version {version:?} is not exact"));
        }
        if dependency.get("default-features") != Some(&Value::Boolean(false)) {
            findings.push(format!("{name}: default features are on"));
        }
    }
    verdict(
        "[workspace.dependencies] names exact versions, with default features off.",
        &findings,
    )
}

/// Whether a path is a member's manifest.
fn is_member(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    if parts.pop() != Some("Cargo.toml") {
        return false;
    }
    matches!(
        parts.as_slice(),
        ["functions" | "shared", _] | ["tests" | "benches"]
    )
}

/// Parses a manifest.
fn parse(path: &str) -> Result<Table, String> {
    toml::from_str(&text(path)?).map_err(|error| format!("{path}: {error}"))
}

/// Every dependency of a manifest with its section, those of a target included.
fn dependencies(manifest: &Table) -> Vec<(&str, &str, &Value)> {
    let mut found = Vec::new();
    for (section, value) in manifest {
        let Some(table) = value.as_table() else {
            continue;
        };
        if section.ends_with("dependencies") {
            found.extend(
                table
                    .iter()
                    .map(|(name, value)| (section.as_str(), name.as_str(), value)),
            );
        } else if section == "target" {
            found.extend(
                table
                    .values()
                    .filter_map(Value::as_table)
                    .flat_map(dependencies),
            );
        }
    }
    found
}

/// Whether a value is `{ workspace = true, … }`.
fn is_inherited(value: &Value) -> bool {
    value.get("workspace") == Some(&Value::Boolean(true))
}
