//! What a host in production needs: read from the manifest, every problem at once.
//!
//! `serve` refuses to start without it, and `deploy` names what is missing before it publishes.

use std::collections::BTreeMap;
use std::path::Path;

use openeve_domain::manifest::Manifest;
use openeve_domain::secret::Secret;
use openeve_host::environment;
use openeve_postgres::Pool;
use openeve_runtime::config::{ConfigError, KNOBS, Values};

use crate::host;

/// The knobs as `serve` reads them unless the environment says otherwise.
const DEFAULTS: [(&str, &str); 2] = [
    ("OPENEVE_DATABASE_CONNECTIONS", "8"),
    ("OPENEVE_TICK_INTERVAL_MS", "10000"),
];
/// Where the model is if nobody says otherwise; it answers nobody without a key.
const DEFAULT_MODEL: &str = "https://api.openai.com/v1";

/// The environment, as far as it can be read.
pub(crate) struct Configuration {
    /// Every knob that has a usable value.
    pub(crate) values: Values,
    /// Variables that one secret holds.
    pub(crate) secrets: BTreeMap<String, Secret>,
    /// Everything that is wrong with the values that are there.
    pub(crate) problems: Vec<ConfigError>,
}

/// Reads the environment. What cannot be used is a problem and counts as unset.
pub(crate) fn configuration() -> Configuration {
    let mut problems = Vec::new();
    let values = host::values(&DEFAULTS).unwrap_or_else(|errors| {
        problems = errors.0;
        let unusable = |name: &str| problems.iter().any(|problem| named(&problem.name, name));
        let usable = |name: &str| {
            let given = host::lookup(&DEFAULTS, name);
            given.filter(|_| !unusable(name))
        };
        Values::read(usable).unwrap_or_default()
    });
    let secrets = match values.given("OPENEVE_AGENT_SECRET") {
        None => BTreeMap::new(),
        Some(json) => environment::agent_secret(&Secret::new(json)).unwrap_or_else(|problem| {
            let problem = problem.trim_start_matches("OPENEVE_AGENT_SECRET is ");
            problems.push(error("OPENEVE_AGENT_SECRET", problem));
            BTreeMap::new()
        }),
    };
    Configuration {
        values,
        secrets,
        problems,
    }
}

/// Whether a name is that of a knob, or its other one.
fn named(knob: &str, name: &str) -> bool {
    let of_knob = KNOBS.iter().find(|known| known.name == knob);
    knob == name || of_knob.is_some_and(|known| known.alias == Some(name))
}

impl Configuration {
    /// Everything that keeps this agent from being served, those of the values included.
    pub(crate) fn all_problems(&self, manifest: &Manifest) -> Vec<ConfigError> {
        let mut problems = self.problems.clone();
        let said: Vec<String> = problems.iter().map(|one| one.name.clone()).collect();
        let mut found = self.of_process();
        found.extend(self.of_channels(manifest));
        found.extend(self.of_scheduler(manifest));
        found.retain(|one| !said.contains(&one.name));
        problems.extend(found);
        problems
    }

    fn of_process(&self) -> Vec<ConfigError> {
        let mut problems = Vec::new();
        let values = &self.values;
        if values.text("OPENEVE_MODE") != "production" {
            let problem = "an agent is served in production; use `openeve dev` for development, or leave it unset";
            problems.push(error("OPENEVE_MODE", problem));
        }
        problems.extend(self.of_database());
        let base_url = values.text("OPENEVE_MODEL_BASE_URL");
        if values.given("OPENEVE_MODEL_API_KEY").is_none() && base_url == DEFAULT_MODEL {
            let problem = "it is not set; set it to the model provider's key, or OPENEVE_MODEL_BASE_URL to a provider that needs none";
            problems.push(error("OPENEVE_MODEL_API_KEY", problem));
        }
        problems
    }

    /// What is wrong with where the database is said to be.
    pub(crate) fn of_database(&self) -> Vec<ConfigError> {
        let Some(url) = self.values.given("DATABASE_URL") else {
            let problem = "it is not set; set it to postgres://user:password@host:5432/name";
            return vec![error("DATABASE_URL", problem)];
        };
        let ca = match host::ca(&self.values) {
            Ok(ca) => ca,
            Err(why) => return vec![error("OPENEVE_DATABASE_CA", &format!("{why:#}"))],
        };
        match Pool::new(&Secret::new(url), 1, ca.as_deref()) {
            Ok(_) => Vec::new(),
            Err(why) => vec![error("DATABASE_URL", &why.to_string())],
        }
    }

    fn of_channels(&self, manifest: &Manifest) -> Vec<ConfigError> {
        let mut problems = Vec::new();
        let mut need = |name: &str, source: &str, what: &str| {
            if !self.is_set(name) {
                let problem = format!("it is not set; {source} {what}");
                problems.push(error(name, &problem));
            }
        };
        for channel in &manifest.channels {
            if let Some(auth) = &channel.auth {
                let what = "lets in who sends it as a bearer token";
                need(&auth.bearer.name, &channel.source, what);
            }
            if let Some(reply) = &channel.reply {
                need(
                    &reply.url.name,
                    &channel.source,
                    "posts replies to this URL",
                );
                if let Some(secret) = &reply.secret {
                    need(&secret.name, &channel.source, "signs replies with it");
                }
            }
        }
        problems.dedup();
        problems
    }

    fn of_scheduler(&self, manifest: &Manifest) -> Option<ConfigError> {
        let rung = !manifest.schedules.is_empty() && !fires_schedules(manifest);
        (rung && self.values.given("OPENEVE_SCHEDULER_SECRET").is_none()).then(|| {
            let problem = "it is not set; gateway.ts leaves schedules to an outside clock, which sends it to /openeve/scheduler/tick. \
                           Or write scheduler: adapter(\"postgres\"), and the host fires them itself";
            error("OPENEVE_SCHEDULER_SECRET", problem)
        })
    }

    /// What may be meant as it is, and is worth a look.
    pub(crate) fn notes(&self, manifest: &Manifest) -> Vec<String> {
        let mut notes = Vec::new();
        for channel in manifest.channels.iter().filter(|one| one.auth.is_none()) {
            notes.push(format!(
                "{} declares no auth, so its route {} lets nobody in",
                channel.source, channel.route
            ));
        }
        if self.values.given("OPENEVE_ADMIN_TOKEN").is_none() {
            let note = "OPENEVE_ADMIN_TOKEN is not set, so runs can be read and decided over HTTP by channels alone";
            notes.push(note.to_owned());
        }
        let unset = manifest.tool_env();
        let unset: Vec<&str> = unset
            .into_iter()
            .filter(|name| !self.is_set(name))
            .collect();
        if !unset.is_empty() {
            notes.push(format!(
                "tools may read {}, which is not set",
                unset.join(", ")
            ));
        }
        notes
    }

    /// Whether a variable that the agent's folder names has a value.
    fn is_set(&self, name: &str) -> bool {
        environment::variable(name).is_some_and(|value| !value.is_empty())
            || self.secrets.contains_key(name)
    }
}

/// Whether the host's own loop fires schedules [B.06–B.08].
pub(crate) fn fires_schedules(manifest: &Manifest) -> bool {
    let scheduler = manifest.gateway.get("scheduler");
    scheduler.is_none_or(|adapter| adapter.kind != "gateway")
}

/// Files of the artifact that are not those the manifest was made with.
pub(crate) fn changed_files(root: &Path, manifest: &Manifest) -> Vec<String> {
    let modules = manifest.modules().into_iter();
    let modules = modules.map(|module| (module.path.clone(), module.sha256.as_str()));
    let skills = manifest.all_skills().into_iter().flat_map(|skill| {
        let files = skill.files.iter().map(|file| (&file.path, &file.sha256));
        std::iter::once((&skill.source, &skill.sha256))
            .chain(files)
            .map(|(path, sha256)| (format!("assets/{path}"), sha256.as_str()))
    });
    let problem = |(path, sha256): (String, &str)| match std::fs::read(root.join(&path)) {
        Err(why) => Some(format!("{path} cannot be read: {why}")),
        Ok(bytes) => {
            let same = openeve_domain::canonical::sha256_hex(&bytes).eq_ignore_ascii_case(sha256);
            (!same).then(|| format!("{path} is not the file the manifest was made with"))
        }
    };
    modules.chain(skills).filter_map(problem).collect()
}

fn error(name: &str, problem: &str) -> ConfigError {
    ConfigError {
        name: name.to_owned(),
        problem: problem.to_owned(),
    }
}
