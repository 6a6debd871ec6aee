//! Load scenes: what much of one thing costs. Tests assert their bounds, `load` prints their figures.
//!
//! Everything is real: the five binaries, Postgres, the SQS wire protocol, a model that streams. The
//! agent is `tests/agents/load`, whose tools return or emit as much as they are told.

mod neighbours;
mod sizes;

use std::path::PathBuf;

use openeve_testkit::lambda::LambdaFunction;
use openeve_testkit::patience::eventually;
use openeve_testkit::scripted_model::{Reply, ScriptedModel};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::Instant;
use tokio_postgres::Client;

use crate::deployment::{Agent, Deployment, Options};
use crate::paths::built_agent;

pub use neighbours::{Busy, busy_beside};
pub use sizes::{
    BigResults, LongConversation, ManyEvents, big_results, long_conversation, many_events,
};

/// Where the programs are.
pub struct Programs {
    /// The command line.
    pub openeve: PathBuf,
    /// A function by its name.
    pub function: fn(&str) -> PathBuf,
}

/// The most memory that a process of each function held, in KiB.
#[derive(Debug, Clone, Copy)]
pub struct Peaks {
    /// Of the ingress.
    pub ingress: u64,
    /// Of the step.
    pub step: u64,
    /// Of the delivery.
    pub delivery: u64,
}

/// A deployment of the load's agent.
pub struct Scene {
    /// What runs.
    pub world: Deployment,
    client: Client,
    _folder: TempDir,
}

impl Scene {
    /// Starts everything; `script` is what the model says.
    pub async fn start(
        programs: &Programs,
        variables: Vec<(&'static str, String)>,
        script: impl FnMut(&Value) -> Reply + Send + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            agent: Agent {
                name: "load",
                artifact: built_agent(&programs.openeve, "load", folder.path()),
                prefix: "LOAD",
            },
            step_variables: variables,
            model: ScriptedModel::start(script).await,
            binaries: programs.function,
            ..Options::plain().await
        };
        let world = Deployment::start(options).await;
        Self {
            client: world.database.connect().await,
            world,
            _folder: folder,
        }
    }

    /// One turn from its message to its settled reply, in milliseconds.
    pub async fn turn(&self, conversation: &str, text: &str, id: &str) -> f64 {
        let begun = Instant::now();
        self.world.say(conversation, text, id).await;
        self.settled().await;
        begun.elapsed().as_secs_f64() * 1e3
    }

    /// Waits until every run has ended well and every reply is sent, as long as it goes forward.
    pub async fn settled(&self) {
        let sql = "SELECT (SELECT count(*) FROM openeve.runs WHERE status <> 'completed') \
                   + (SELECT count(*) FROM openeve.deliveries WHERE status <> 'sent')";
        let mut left = self.number(sql).await;
        while left > 0 {
            left = eventually("another turn is over", async || {
                Some(self.number(sql).await).filter(|now| *now < left)
            })
            .await;
        }
    }

    /// See [`Peaks`].
    pub fn peaks(&self) -> Peaks {
        let of = |function: &LambdaFunction| function.stats().peak_kib;
        Peaks {
            ingress: of(&self.world.ingress),
            step: of(&self.world.step),
            delivery: of(&self.world.delivery),
        }
    }

    async fn number(&self, sql: &str) -> i64 {
        self.client.query_one(sql, &[]).await.unwrap().get(0)
    }
}
