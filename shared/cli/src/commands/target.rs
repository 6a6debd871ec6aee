//! What a command about a run works on: which database, which agent, whose doorbell.
//!
//! The database is the one `DATABASE_URL` names; without it, the private one that `openeve dev`
//! runs beside the artifact. The agent is the artifact's, or named. Which database is used is said,
//! so that nobody decides in the wrong one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use openeve_domain::secret::Secret;
use openeve_host::artifact::Artifact;
use openeve_host::environment;
use openeve_host::ids::SystemIds;
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::config::Values;
use openeve_runtime::ports::{NoObserver, Store as _};
use openeve_runtime::resume::ResumeDeps;

use super::bells::CommandDoorbell;
use crate::dev::recorded;
use crate::host::ca;
use crate::output::{self, Usage};

/// Where to find the run.
#[derive(Args)]
pub(crate) struct Target {
    /// The agent folder: its artifact names the agent, its `openeve dev` runs the private database.
    /// By default `OPENEVE_ARTIFACT_ROOT`, else this folder.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The agent's id, where there is no artifact.
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Print JSON, for scripts.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Everything a command reaches a run through.
pub(crate) struct Reach {
    pub(super) deps: ResumeDeps,
    pub(super) store: Arc<PgStore>,
    pub(super) values: Values,
    bells: Arc<CommandDoorbell>,
    is_private: bool,
}

impl Target {
    /// Opens the database and finds the agent. Says which database it is.
    pub(crate) async fn open(&self) -> anyhow::Result<Reach> {
        let values = environment::values()?;
        let root = match &self.folder {
            Some(folder) => folder.join(".openeve"),
            None => PathBuf::from(values.text("OPENEVE_ARTIFACT_ROOT")),
        };
        let agent_id = self.agent_id(&root)?;
        let given = values.given("DATABASE_URL").map(Secret::new);
        let is_private = given.is_none();
        let (store, bells) = if let Some(url) = given {
            output::say("in the database that DATABASE_URL names");
            let pool = Pool::new(&url, 1, ca(&values)?.as_deref())?;
            (PgStore::new(pool), CommandDoorbell::of(&values))
        } else {
            let why = "`openeve dev` has its own doorbell";
            (private(&root).await?, CommandDoorbell::nobody(why))
        };
        let (store, bells) = (Arc::new(store), Arc::new(bells));
        Ok(Reach {
            deps: ResumeDeps {
                store: store.clone(),
                doorbell: bells.clone(),
                ids: Arc::new(SystemIds),
                observer: Arc::new(NoObserver),
                agent_id,
            },
            store,
            values,
            bells,
            is_private,
        })
    }

    /// What another command needs to find the same run, to be put behind it.
    pub(crate) fn again(&self) -> String {
        let folder = self.folder.as_ref();
        let folder =
            folder.map(|folder| format!(" --folder {}", quoted(&folder.display().to_string())));
        let agent = self.agent.as_ref();
        let agent = agent.map(|agent| format!(" --agent {}", quoted(agent)));
        folder.unwrap_or_default() + &agent.unwrap_or_default()
    }

    fn agent_id(&self, root: &Path) -> anyhow::Result<String> {
        if let Some(agent) = &self.agent {
            return Ok(agent.clone());
        }
        match Artifact::load(root) {
            Ok(artifact) => Ok(artifact.manifest.agent.id.clone()),
            Err(error) => Err(Usage(format!(
                "which agent? Give its --folder or its --agent id ({error})"
            ))
            .into()),
        }
    }
}

impl Reach {
    /// Says that somebody was to be rung and was not, and who goes on instead.
    pub(super) fn say_unheard(&self) {
        if let Some(why) = self.bells.unheard() {
            let who = if self.is_private {
                "it goes on within ten seconds while it runs"
            } else {
                "the tick goes on with it within a minute"
            };
            output::say(&format!("{why}; {who}"));
        }
    }
}

/// The private database of the artifact's `openeve dev`, if it answers.
async fn private(root: &Path) -> anyhow::Result<PgStore> {
    let nothing = |why: &str| {
        Usage(format!(
            "which database? DATABASE_URL is not set and {why}; set it, or give the --folder of a running `openeve dev`"
        ))
    };
    let record = root.display();
    let Some(url) = recorded(root) else {
        return Err(nothing(&format!(
            "no `openeve dev` runs a private one beside {record}"
        ))
        .into());
    };
    let store = PgStore::new(Pool::new(&url, 1, None)?);
    if let Err(error) = store.ready().await {
        return Err(nothing(&format!(
            "the private one of `openeve dev` beside {record} does not answer ({error})"
        ))
        .into());
    }
    output::say(&format!(
        "in the private database of `openeve dev` beside {record}"
    ));
    Ok(store)
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_a_shell_would_tear_apart_is_quoted() {
        assert_eq!(quoted("examples/concierge"), "examples/concierge");
        assert_eq!(quoted("my agents/it's"), r"'my agents/it'\''s'");
        assert_eq!(quoted("$HOME"), "'$HOME'");
        assert_eq!(quoted(""), "''");
    }
}
