//! `openeve serve --once`: everything that a start depends on, without starting.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use openeve_domain::secret::Secret;
use openeve_host::artifact::Artifact;
use openeve_host::environment;
use openeve_host::logs::{self, Form};
use openeve_http::Http;
use openeve_postgres::migrate::{Planned, State as Migration};
use openeve_postgres::{PgStore, Pool};
use openeve_script::ScriptTools;
use serde_json::json;

use super::needs::{self, Configuration};
use crate::host;
use crate::output::{self, counted};

/// The exit code when something that is needed was not given.
const MISSING: u8 = 2;

/// How one check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// As it should be.
    Ok,
    /// Not as it should be.
    Failed,
    /// Something that is needed was not given.
    Missing,
    /// It could not be looked at, because of another one.
    Skipped,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Missing => "missing",
            Self::Skipped => "skipped",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    /// What.
    pub(crate) name: &'static str,
    /// How it ended.
    pub(crate) state: State,
    /// What was found.
    pub(crate) detail: String,
}

impl Check {
    fn new(name: &'static str, state: State, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            name,
            state,
            detail,
        }
    }
}

/// Checks, says what was looked at, and exits 0 if it could be served, 1 if something is wrong, 2 if
/// something was not given.
pub(super) async fn run(
    root: &Path,
    configuration: &Configuration,
    json: bool,
) -> anyhow::Result<ExitCode> {
    logs::start(Form::Readable, "warn");
    let loaded = Artifact::load(root);
    let (mut checks, mut notes) = (Vec::new(), Vec::new());
    match &loaded {
        Err(why) => checks.push(Check::new("artifact", State::Missing, why.to_string())),
        Ok(artifact) => {
            checks = all(artifact, configuration).await?;
            notes = configuration.notes(&artifact.manifest);
        }
    }
    let has = |state: State| checks.iter().any(|check| check.state == state);
    let (failed, missing) = (has(State::Failed), has(State::Missing));
    if json {
        let shown = |one: &Check| json!({"check": one.name, "state": one.state.name(), "detail": one.detail});
        let manifest = loaded.as_ref().ok().map(|artifact| &artifact.manifest);
        output::json(&json!({
            "ready": !failed && !missing,
            "agent": manifest.map(|manifest| manifest.agent.id.as_str()),
            "revision": manifest.map(|manifest| manifest.revision.as_str()),
            "checks": checks.iter().map(shown).collect::<Vec<_>>(),
            "notes": notes,
        }));
    } else {
        for check in &checks {
            let (state, name) = (check.state.name(), check.name);
            output::answer(&format!("{state:<8} {name}: {}", check.detail));
        }
        for note in &notes {
            output::answer(&format!("{:<8} {note}", "note"));
        }
    }
    Ok(match (failed, missing) {
        (true, _) => ExitCode::FAILURE,
        (false, true) => ExitCode::from(MISSING),
        (false, false) => ExitCode::SUCCESS,
    })
}

/// Everything, in the order of a start.
pub(crate) async fn all(
    artifact: &Artifact,
    configuration: &Configuration,
) -> anyhow::Result<Vec<Check>> {
    let manifest = &artifact.manifest;
    let detail = format!("{} at revision {}", manifest.agent.id, manifest.revision);
    let mut checks = vec![Check::new("artifact", State::Ok, detail)];
    let changed = needs::changed_files(&artifact.root, manifest);
    checks.push(if changed.is_empty() {
        let detail = format!(
            "{} as the manifest names them",
            counted(manifest.modules().len(), "module")
        );
        Check::new("modules", State::Ok, detail)
    } else {
        let detail = format!("{}; run `openeve build` again", changed.join("; "));
        Check::new("modules", State::Failed, detail)
    });
    checks.push(tools(artifact, configuration).await?);
    let problems = configuration.all_problems(manifest);
    if problems.is_empty() {
        let detail = "every variable that is needed is set";
        checks.push(Check::new("configuration", State::Ok, detail));
    }
    for problem in problems {
        let detail = problem.to_string();
        checks.push(Check::new("configuration", State::Missing, detail));
    }
    checks.extend(database(configuration).await);
    Ok(checks)
}

/// Evaluates each tool's module once.
async fn tools(artifact: &Artifact, configuration: &Configuration) -> anyhow::Result<Check> {
    let manifest = &artifact.manifest;
    let env = environment::declared(manifest, &configuration.secrets);
    let env = environment::tool_env(manifest, &env);
    let engine = ScriptTools::new(artifact.root.clone(), Arc::new(Http::new()?), env);
    let mut broken = Vec::new();
    for tool in &manifest.tools {
        if let Err(why) = engine.check(tool).await {
            broken.push(format!("{}: {}", tool.name, output::visible(&why)));
        }
    }
    Ok(if broken.is_empty() {
        let detail = format!(
            "{} loaded in the engine",
            counted(manifest.tools.len(), "tool")
        );
        Check::new("tools", State::Ok, detail)
    } else {
        Check::new("tools", State::Failed, broken.join("; "))
    })
}

/// Connects, and compares the schema with this build's.
async fn database(configuration: &Configuration) -> [Check; 2] {
    let skipped = |name, why: &str| Check::new(name, State::Skipped, why);
    let values = &configuration.values;
    let pool = match (values.given("DATABASE_URL"), host::ca(values)) {
        (Some(url), Ok(ca)) => Pool::new(&Secret::new(url), 1, ca.as_deref()).ok(),
        (None, _) | (_, Err(_)) => None,
    };
    let Some(pool) = pool else {
        let why = "not looked at: DATABASE_URL cannot be used";
        return [skipped("database", why), skipped("schema", why)];
    };
    match PgStore::new(pool).plan_migrations().await {
        Ok(planned) => [
            Check::new("database", State::Ok, "it answers"),
            schema(&planned, values.flag("OPENEVE_AUTO_MIGRATE")),
        ],
        Err(why) => [
            Check::new("database", State::Failed, why.to_string()),
            skipped("schema", "not looked at: the database does not answer"),
        ],
    }
}

fn schema(planned: &[Planned], migrates: bool) -> Check {
    let of = |state: Migration| {
        let ids = planned.iter().filter(|one| one.state == state);
        ids.map(|one| one.id.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (changed, pending) = (of(Migration::ChecksumMismatch), of(Migration::Pending));
    let newer = of(Migration::Unknown);
    let (state, detail) = if !changed.is_empty() {
        let detail = format!("{changed} was changed after it had been applied");
        (State::Failed, detail)
    } else if !pending.is_empty() && migrates {
        let detail = format!("{pending} is applied at the start");
        (State::Ok, detail)
    } else if !pending.is_empty() {
        let detail = format!("{pending} is not applied; run `openeve migrate`");
        (State::Failed, detail)
    } else if !newer.is_empty() {
        let detail = format!("it is that of a newer build ({newer})");
        (State::Ok, detail)
    } else {
        (State::Ok, "it is this build's".to_owned())
    };
    Check::new("schema", state, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(id: &str, state: Migration) -> Planned {
        Planned {
            id: id.to_owned(),
            description: String::new(),
            state,
        }
    }

    #[test]
    fn an_older_schema_is_refused_unless_the_start_applies_what_is_pending() {
        let older = [
            planned("0001_init", Migration::Applied),
            planned("0002_more", Migration::Pending),
        ];
        let check = schema(&older, false);
        assert_eq!(check.state, State::Failed);
        assert!(check.detail.contains("0002_more") && check.detail.contains("openeve migrate"));
        assert_eq!(schema(&older, true).state, State::Ok);
        let newer = [planned("0009_later", Migration::Unknown)];
        assert_eq!(schema(&newer, false).state, State::Ok);
        let changed = [planned("0001_init", Migration::ChecksumMismatch)];
        assert_eq!(schema(&changed, true).state, State::Failed);
    }
}
