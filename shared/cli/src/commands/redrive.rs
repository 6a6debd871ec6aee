//! `openeve redrive ID…` and `openeve redrive --dead-letters`.
//!
//! A failed run is begun again as a new one behind everything else of its conversation, a run that
//! was set aside is freed, a delivery that was given up is owed again: each at most once, however
//! often it is asked for.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use openeve_aws::SqsDeadLetters;
use openeve_domain::event;
use openeve_domain::ids::{DeliveryId, RunId};
use openeve_domain::status::DeliveryStatus;
use openeve_runtime::dead_letters::{LetterBoxes, LetterDeps, Reconciled, reconcile_all};
use openeve_runtime::ports::{DeadLetters, Redriven, Store as _};
use openeve_runtime::resume::{redrive_delivery, redrive_run};
use serde_json::{Value, json};

use super::bells::account;
use super::target::{Reach, Target};
use crate::output::{self, Usage};

/// Events looked through at once.
const EVENTS_AT_ONCE: u64 = 500;

/// What to do again.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve redrive run_… dlv_… --agent my-agent
  openeve redrive --dead-letters --agent my-agent")]
pub(crate) struct RedriveArguments {
    /// Ids of runs (`run_…`) and of deliveries (`dlv_…`).
    #[arg(
        value_name = "RUN_OR_DELIVERY",
        required_unless_present = "dead_letters"
    )]
    ids: Vec<Id>,
    /// Go through the queues' dead letters: ring again for rows that need work, drop the rest.
    #[arg(long, conflicts_with = "ids")]
    dead_letters: bool,
    #[command(flatten)]
    target: Target,
}

/// Something that can be redone.
#[derive(Debug, Clone, Copy)]
enum Id {
    Run(RunId),
    Delivery(DeliveryId),
}

impl FromStr for Id {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with(DeliveryId::PREFIX) {
            return text
                .parse()
                .map(Self::Delivery)
                .map_err(|error| error.to_string());
        }
        text.parse()
            .map(Self::Run)
            .map_err(|error| format!("{error}; a delivery's begins with {}_", DeliveryId::PREFIX))
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Run(id) => id.fmt(f),
            Self::Delivery(id) => id.fmt(f),
        }
    }
}

/// Redoes what it can. Exits 1 if there was nothing to redo for one of them.
pub(crate) async fn run(arguments: RedriveArguments) -> anyhow::Result<ExitCode> {
    let target = &arguments.target;
    let reach = target.open().await?;
    let all = if arguments.dead_letters {
        letters(&reach, target).await?
    } else {
        let mut all = true;
        for id in &arguments.ids {
            all &= one(&reach, *id, target).await?;
        }
        all
    };
    reach.say_unheard();
    Ok(if all {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Redoes one; whether there was anything to redo.
async fn one(reach: &Reach, id: Id, target: &Target) -> anyhow::Result<bool> {
    let redriven = match id {
        Id::Run(run_id) => redrive_run(&reach.deps, run_id).await?,
        Id::Delivery(id) => redrive_delivery(&reach.deps, id).await?,
    };
    let done = !matches!(redriven, Redriven::Nothing { .. } | Redriven::Unknown);
    if target.json {
        output::answer(&as_json(id, &redriven).to_string());
        return Ok(done);
    }
    let line = format!("{id}: {}", in_words(&redriven));
    if done {
        output::answer(&line);
    } else {
        output::say(&line);
    }
    if let (Id::Run(run_id), Redriven::Nothing { .. }) = (id, &redriven)
        && let Some(delivery) = given_up(reach, run_id).await?
    {
        let again = target.again();
        output::say(&format!(
            "{id}: but its reply was given up; `openeve redrive {delivery}{again}` owes it again"
        ));
    }
    Ok(done)
}

fn in_words(redriven: &Redriven) -> String {
    match redriven {
        Redriven::Freed => "was set aside; may be claimed again".to_owned(),
        Redriven::Again {
            run_id,
            before: false,
        } => format!("begun again as {run_id}"),
        Redriven::Again { run_id, .. } => format!("had been begun again before, as {run_id}"),
        Redriven::Owed {
            delivery_id,
            before: false,
        } => format!("owed again as {delivery_id}"),
        Redriven::Owed { delivery_id, .. } => {
            format!("had been owed again before, as {delivery_id}")
        }
        Redriven::Nothing { status } => format!("there is nothing to redo; it is {status}"),
        Redriven::Unknown => "there is no such row of this agent in this database".to_owned(),
    }
}

fn as_json(id: Id, redriven: &Redriven) -> Value {
    let id = id.to_string();
    match redriven {
        Redriven::Freed => json!({"id": id, "redriven": "freed"}),
        Redriven::Again { run_id, before } => {
            json!({"id": id, "redriven": "again", "run_id": run_id, "before": before})
        }
        Redriven::Owed {
            delivery_id,
            before,
        } => json!({"id": id, "redriven": "owed", "delivery_id": delivery_id, "before": before}),
        Redriven::Nothing { status } => json!({"id": id, "redriven": "nothing", "status": status}),
        Redriven::Unknown => json!({"id": id, "redriven": "unknown"}),
    }
}

/// The delivery of a run that was given up last, if its reply did not arrive.
async fn given_up(reach: &Reach, run_id: RunId) -> anyhow::Result<Option<String>> {
    let agent_id = &reach.deps.agent_id;
    let view = reach.store.run_view(agent_id, run_id).await?;
    if view.and_then(|view| view.delivery) != Some(DeliveryStatus::Failed) {
        return Ok(None);
    }
    let (mut after, mut found) = (0, None);
    loop {
        let events = reach
            .store
            .run_events(agent_id, run_id, after, EVENTS_AT_ONCE)
            .await?;
        let failed = events
            .iter()
            .rev()
            .find(|event| event.kind == event::DELIVERY_FAILED);
        let delivery = failed.and_then(|event| event.payload.get("delivery"));
        found = delivery
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or(found);
        match events.last() {
            Some(last) if events.len() as u64 == EVENTS_AT_ONCE => after = last.seq,
            _ => return Ok(found),
        }
    }
}

/// Goes through the dead letters; whether this build could read all of them.
async fn letters(reach: &Reach, target: &Target) -> anyhow::Result<bool> {
    let account = account(&reach.values).map_err(Usage)?;
    let mut queues = BTreeMap::<_, Arc<dyn DeadLetters>>::new();
    for (queue, knob) in [
        ("step", "OPENEVE_STEP_DEAD_LETTERS_URL"),
        ("delivery", "OPENEVE_DELIVERY_DEAD_LETTERS_URL"),
    ] {
        if let Some(url) = reach.values.given(knob) {
            queues.insert(queue, Arc::new(SqsDeadLetters::new(&account, url)));
        }
    }
    if queues.is_empty() {
        let why =
            "which queues? Set OPENEVE_STEP_DEAD_LETTERS_URL or OPENEVE_DELIVERY_DEAD_LETTERS_URL";
        return Err(Usage(why.to_owned()).into());
    }
    let through = LetterDeps {
        rows: reach.store.clone(),
        doorbell: reach.deps.doorbell.clone(),
        agent_id: reach.deps.agent_id.clone(),
    };
    let all = reconcile_all(&LetterBoxes { through, queues }).await?;
    for (queue, reconciled) in &all {
        let Reconciled {
            rung,
            dropped,
            unknown,
            left,
        } = reconciled;
        output::answer(&if target.json {
            json!({"queue": queue, "rung": rung, "dropped": dropped, "unknown": unknown, "left": left})
                .to_string()
        } else {
            format!(
                "{queue}: {rung} rung again, {dropped} had nothing left to do, {unknown} named no row of this agent, {left} left alone because this build cannot read them"
            )
        });
    }
    Ok(all.values().all(|reconciled| reconciled.left == 0))
}
