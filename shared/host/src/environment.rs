//! The process environment, read once.

use std::collections::BTreeMap;

use openeve_domain::manifest::Manifest;
use openeve_domain::secret::Secret;
use openeve_runtime::config::{ConfigErrors, Values};

/// Reads and checks every declared knob.
pub fn values() -> Result<Values, ConfigErrors> {
    Values::read(variable)
}

/// One variable that no knob declares, such as those of the platform.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where the environment is read"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The variables the agent's folder names [T.04]: their values stay in the process and reach only
/// the code that asks for them by name. `extra` holds the entries of the agent's secret.
pub fn declared(manifest: &Manifest, extra: &BTreeMap<String, Secret>) -> BTreeMap<String, Secret> {
    let named = manifest
        .env
        .iter()
        .filter(|name| !is_reserved(name))
        .filter_map(|name| {
            let value = variable(name)
                .filter(|value| !value.is_empty())
                .map(Secret::new);
            Some((name.clone(), value.or_else(|| extra.get(name).cloned())?))
        });
    named.collect()
}

/// Variables that are the host's own: no folder gets them by naming them.
fn is_reserved(name: &str) -> bool {
    let own = ["OPENEVE_", "AWS_", "LAMBDA_", "_"];
    name == "DATABASE_URL" || own.iter().any(|own| name.starts_with(own))
}

/// Those of the declared variables that tools may read.
pub fn tool_env(
    manifest: &Manifest,
    declared: &BTreeMap<String, Secret>,
) -> BTreeMap<String, Secret> {
    let names = manifest.tool_env();
    let of_tools = declared
        .iter()
        .filter(|(name, _)| names.contains(&name.as_str()));
    of_tools
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Reads the agent's secret: a JSON object of texts. The error never quotes it.
pub fn agent_secret(json: &Secret) -> Result<BTreeMap<String, Secret>, String> {
    let object: BTreeMap<String, String> = serde_json::from_str(json.reveal()).map_err(|_| {
        "OPENEVE_AGENT_SECRET is not a JSON object of texts; write {\"NAME\": \"value\"}".to_owned()
    })?;
    Ok(object
        .into_iter()
        .map(|(name, value)| (name, Secret::new(value)))
        .collect())
}
