//! Which database the doctor looks at, with which bounds, and for which secrets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openeve_domain::manifest::Manifest;
use openeve_domain::secret::Secret;
use openeve_host::artifact::{Artifact, ArtifactError};
use openeve_host::environment;
use openeve_postgres::doctor::{STATEMENT_MS_MAX, Scope};
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::config::{KNOBS, Settings, Values};

use super::DoctorArguments;
use crate::dev::recorded;
use crate::host::ca;
use crate::output::{self, Usage};

/// Everything the doctor looks through.
pub(super) struct Reach {
    pub(super) store: PgStore,
    pub(super) scope: Scope,
}

/// Parts of a variable's name that say its value is secret: those by which a tool's result is
/// redacted, so that what a tool may return is not reported here.
const GUARDED_NAMES: [&str; 8] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASS",
    "CREDENTIAL",
    "PRIVATE",
    "AUTH",
    "SIGNING",
];

/// Finds the database and what is known of the deployment. Nothing connects yet.
pub(super) fn open(arguments: &DoctorArguments) -> anyhow::Result<Reach> {
    let values = environment::values().map_err(|error| Usage(error.to_string()))?;
    let root = match &arguments.folder {
        Some(folder) => folder.join(".openeve"),
        None => PathBuf::from(values.text("OPENEVE_ARTIFACT_ROOT")),
    };
    let artifact = artifact(&root, arguments.folder.is_some())?;
    let manifest = artifact.map(|artifact| artifact.manifest);
    let store = PgStore::new(pool(&values, &root)?);
    let scope = Scope {
        agent_id: arguments.agent.clone(),
        grace_ms: arguments.grace_seconds.saturating_mul(1_000),
        settings: Settings::of(&values),
        secrets: secrets(&values, manifest.as_deref())?,
        statement_ms: STATEMENT_MS_MAX,
        manifest,
    };
    Ok(Reach { store, scope })
}

/// The artifact, if there is one; a folder that was named must have one.
fn artifact(root: &Path, named: bool) -> Result<Option<Artifact>, Usage> {
    match Artifact::load(root) {
        Ok(artifact) => Ok(Some(artifact)),
        Err(ArtifactError::Missing { .. }) if !named => Ok(None),
        Err(error) => Err(Usage(error.to_string())),
    }
}

fn pool(values: &Values, root: &Path) -> anyhow::Result<Pool> {
    let refused = |why: String| Usage(why);
    if let Some(url) = values.given("DATABASE_URL").map(Secret::new) {
        output::say("in the database that DATABASE_URL names");
        let ca = ca(values).map_err(|error| refused(format!("{error:#}")))?;
        let pool = Pool::new(&url, 1, ca.as_deref());
        return Ok(pool.map_err(|error| refused(error.to_string()))?);
    }
    let record = root.display();
    let Some(url) = recorded(root) else {
        return Err(Usage(format!(
            "which database? DATABASE_URL is not set and no `openeve dev` runs a private one beside {record}; set it, or give the --folder of a running `openeve dev`"
        ))
        .into());
    };
    output::say(&format!(
        "in the private database of `openeve dev` beside {record}"
    ));
    let pool = Pool::new(&url, 1, None);
    Ok(pool.map_err(|error| refused(error.to_string()))?)
}

/// The secret values of this process's environment, by variable: those of knobs, those of the
/// agent's secret, and those its folder declares.
fn secrets(values: &Values, manifest: Option<&Manifest>) -> Result<Vec<(String, Secret)>, Usage> {
    let mut secrets = BTreeMap::new();
    let mut extra = BTreeMap::new();
    for knob in KNOBS.iter().filter(|knob| knob.secret) {
        let Some(value) = values.given(knob.name).map(Secret::new) else {
            continue;
        };
        if knob.name == "OPENEVE_AGENT_SECRET" && !value.reveal().starts_with("arn:") {
            extra = environment::agent_secret(&value).map_err(Usage)?;
            secrets.extend(extra.clone());
        } else {
            secrets.insert(knob.name.to_owned(), value);
        }
    }
    if let Some(manifest) = manifest {
        let proofs = proofs(manifest);
        let declared = environment::declared(manifest, &extra);
        secrets.extend(declared.into_iter().filter(|(name, value)| {
            proofs.contains(&name.as_str()) || is_guarded(name, value.reveal())
        }));
    }
    Ok(secrets.into_iter().collect())
}

/// Variables with which a caller or a reply proves who it is.
fn proofs(manifest: &Manifest) -> Vec<&str> {
    let of_channels = manifest.channels.iter().flat_map(|channel| {
        let bearer = channel.auth.iter().map(|auth| auth.bearer.name.as_str());
        let signing = channel.reply.iter().flat_map(|reply| &reply.secret);
        bearer.chain(signing.map(|secret| secret.name.as_str()))
    });
    of_channels.collect()
}

/// Whether a declared variable is secret by name or form. A city's name is not.
fn is_guarded(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let has_login = value.split_once("://").is_some_and(|(_, rest)| {
        rest.split('/')
            .next()
            .is_some_and(|authority| authority.contains('@'))
    });
    has_login || GUARDED_NAMES.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_secret_by_its_name_or_its_login() {
        assert!(is_guarded("WEATHER_API_KEY", "abc"));
        assert!(is_guarded("SHOP_URL", "https://me:word@shop.example.com/x"));
        assert!(!is_guarded("CITY", "Bellevue"));
        assert!(!is_guarded("SHOP_URL", "https://shop.example.com/@me"));
    }

    #[test]
    fn the_secrets_of_knobs_and_of_the_agents_secret_are_looked_for_by_name() {
        let values = Values::read(|name| match name {
            "OPENEVE_MODEL_API_KEY" => Some("sk-1".into()),
            "OPENEVE_AGENT_SECRET" => Some(r#"{"SHOP_TOKEN":"t-1"}"#.into()),
            _ => None,
        });
        let secrets = secrets(&values.unwrap(), None).unwrap();
        let names: Vec<&str> = secrets.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["OPENEVE_MODEL_API_KEY", "SHOP_TOKEN"]);
    }

    #[test]
    fn a_folder_that_was_named_must_have_an_artifact() {
        let nowhere = Path::new("/nowhere/.openeve");
        assert!(artifact(nowhere, false).unwrap().is_none());
        assert!(artifact(nowhere, true).is_err());
    }
}
