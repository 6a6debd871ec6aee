//! `openeve runs list|show|tail`: what runs there are, how one stands, and what happens now.
//!
//! Everything here reads and nothing decides. What a model or a tool wrote is shown with everything
//! written out that would make a terminal show something else.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use openeve_domain::ids::RunId;
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_domain::usage::Usage;
use openeve_postgres::{ListOptions, ListedRun};
use openeve_runtime::ingress::run_json;
use openeve_runtime::ports::{RunView, Store as _, StoredEvent};
use serde_json::{Value, json};

use super::shown;
use super::target::{Reach, Target};
use crate::output::{self, visible};
use crate::{dev, events};

/// Events read at a time.
const EVENTS_AT_ONCE: u64 = 200;
/// Runs that `tail` looks at beside those in flight.
const RUNS_FOLLOWED: u64 = 100;
/// How often `tail` looks.
const LOOK: Duration = Duration::from_millis(500);

/// What to read.
#[derive(Args)]
pub(crate) struct RunsArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List the newest runs.
    #[command(after_help = "\
Example:
  openeve runs list --folder my-agent --status failed
  openeve runs list --agent my-agent --json | jq -r '.runs[].run_id'")]
    List {
        /// Only runs of this status, such as `failed` or `waiting_approval`.
        #[arg(long, value_name = "STATUS", value_parser = status)]
        status: Option<RunStatus>,
        /// How many at most.
        #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000))]
        limit: u64,
        #[command(flatten)]
        target: Target,
    },
    /// Show how a run stands, what happened and what it waits for; exits 1 if there is none.
    #[command(after_help = "\
Example:
  openeve runs show run_… --folder my-agent")]
    Show {
        /// The run's id.
        run: RunId,
        #[command(flatten)]
        target: Target,
    },
    /// Print events as they are committed: of one run until it has ended, or of all until Ctrl-C.
    #[command(after_help = "\
Without a run, only what happens from now on is printed. With --json, each event is one line.

Example:
  openeve runs tail --folder my-agent
  openeve runs tail run_… --agent my-agent --json")]
    Tail {
        /// Only this run's, from its first event on.
        run: Option<RunId>,
        #[command(flatten)]
        target: Target,
    },
}

fn status(text: &str) -> Result<RunStatus, String> {
    RunStatus::parse(text).map_err(|_| {
        let known: Vec<&str> = RunStatus::ALL.iter().map(|one| one.as_str()).collect();
        format!("write one of {}", known.join(", "))
    })
}

/// Reads what was asked for.
pub(crate) async fn run(arguments: RunsArguments) -> anyhow::Result<ExitCode> {
    match arguments.what {
        What::List {
            status,
            limit,
            target,
        } => list(&target, status, limit).await,
        What::Show { run, target } => show(&target, run).await,
        What::Tail { run, target } => {
            let reach = target.open().await?;
            let followed = async {
                match run {
                    Some(run) => tail_one(&reach, run, target.json).await,
                    None => tail_all(&reach, target.json).await,
                }
            };
            tokio::select! {
                ended = followed => ended,
                () = dev::interrupted() => Ok(output::stopped()),
            }
        }
    }
}

async fn list(target: &Target, status: Option<RunStatus>, limit: u64) -> anyhow::Result<ExitCode> {
    let reach = target.open().await?;
    let options = ListOptions {
        status,
        limit,
        in_flight: false,
    };
    let agent = &reach.deps.agent_id;
    let runs = reach.store.list_runs(agent, options).await?;
    if target.json {
        let runs: Vec<Value> = runs.iter().map(listed_json).collect();
        output::json(&json!({"agent": agent, "runs": runs}));
        return Ok(ExitCode::SUCCESS);
    }
    if runs.is_empty() {
        output::say(&format!("{agent} has no such runs"));
    }
    for run in &runs {
        let code = run.code.as_deref().map_or(String::new(), |code| {
            let kind = if run.is_blocked { "blocked: " } else { "" };
            format!("  {kind}{}", visible(code))
        });
        output::answer(&format!(
            "{}  {:<21} {:<20} {:<9} {}{code}",
            run.run_id,
            run.status.as_str(),
            run.created_at.strftime("%Y-%m-%d %H:%M:%SZ").to_string(),
            run.trigger,
            visible(&run.channel),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn listed_json(run: &ListedRun) -> Value {
    json!({
        "run_id": run.run_id, "channel": run.channel, "trigger": run.trigger,
        "status": run.status.as_str(), "code": run.code, "blocked": run.is_blocked,
        "events": run.events, "usage": run.usage,
        "created_at": run.created_at, "finished_at": run.finished_at,
    })
}

async fn show(target: &Target, run: RunId) -> anyhow::Result<ExitCode> {
    let reach = target.open().await?;
    let Some(view) = view(&reach, run).await? else {
        return Ok(unknown(&reach, run));
    };
    let mut events = Vec::new();
    loop {
        let read = after(&reach, run, events.last()).await?;
        if read.is_empty() {
            break;
        }
        events.extend(read);
    }
    let pauses = reach.store.pauses(&reach.deps.agent_id, run).await?;
    if target.json {
        let mut told = run_json(&view, pauses.as_ref());
        let events: Vec<Value> = events.iter().map(|event| event_json(run, event)).collect();
        if let Some(fields) = told.as_object_mut() {
            fields.insert("events".to_owned(), events.into());
        }
        output::json(&told);
        return Ok(ExitCode::SUCCESS);
    }
    for line in lines(&view) {
        output::answer(&line);
    }
    for event in &events {
        output::answer(&line(event));
    }
    for paused in pauses.iter().flat_map(|pauses| &pauses.pauses) {
        let requester = pauses.as_ref().and_then(|one| one.requester.as_deref());
        for line in shown::lines(paused, requester) {
            output::answer(&line);
        }
        if paused.pause.status == openeve_domain::pause::PauseStatus::Pending {
            for command in shown::commands(run, paused, &target.again()) {
                output::answer(&format!("  {:<10} {command}", "decide"));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How a run stands, for people.
fn lines(view: &RunView) -> Vec<String> {
    let mut lines = vec![format!("{} is {}", view.run_id, view.status.as_str())];
    let mut line = |name: &str, text: &str| {
        if !text.is_empty() {
            lines.push(format!("  {name:<10} {}", visible(text)));
        }
    };
    line("channel", &view.channel);
    line("began", &view.created_at.to_string());
    let ended = view.finished_at.map(|at| at.to_string());
    line("ended", &ended.unwrap_or_default());
    for (name, failure) in [("failed", &view.failure), ("blocked", &view.blocked)] {
        if let Some(failure) = failure {
            line(name, &format!("{}: {}", failure.code, failure.message));
        }
    }
    line("steps", &view.steps.to_string());
    line("usage", &spent(&view.usage));
    line("delivery", view.delivery.map_or("", DeliveryStatus::as_str));
    line("reply", view.reply.as_deref().unwrap_or_default());
    lines
}

fn spent(usage: &Usage) -> String {
    let price = match usage.cost_micros {
        0 => String::new(),
        micros => format!(", {}.{:06} USD", micros / 1_000_000, micros % 1_000_000),
    };
    format!(
        "{} tokens in ({} cached), {} out ({} reasoning){price}",
        usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens
    )
}

async fn tail_one(reach: &Reach, run: RunId, json: bool) -> anyhow::Result<ExitCode> {
    let mut last: Option<StoredEvent> = None;
    loop {
        // The run is read first: what had happened by then is among the events read after it.
        let Some(view) = view(reach, run).await? else {
            return Ok(unknown(reach, run));
        };
        loop {
            let read = after(reach, run, last.as_ref()).await?;
            let Some(newest) = read.last().cloned() else {
                break;
            };
            for event in &read {
                print(run, event, json, false);
            }
            last = Some(newest);
        }
        if view.status.is_terminal() && view.delivery.is_none_or(DeliveryStatus::is_terminal) {
            return Ok(ExitCode::SUCCESS);
        }
        pause().await;
    }
}

async fn tail_all(reach: &Reach, json: bool) -> anyhow::Result<ExitCode> {
    let agent = &reach.deps.agent_id;
    let options = ListOptions {
        status: None,
        limit: RUNS_FOLLOWED,
        in_flight: true,
    };
    let mut seen: HashMap<RunId, i64> = HashMap::new();
    let runs = reach.store.list_runs(agent, options).await?;
    // By the database's clock, which alone says when runs were created.
    let began = runs.iter().map(|run| run.created_at).max();
    let began = began.unwrap_or(jiff::Timestamp::MIN);
    for run in runs {
        seen.insert(run.run_id, position(&run));
    }
    output::say(&format!("following {agent}; Ctrl-C ends it"));
    loop {
        pause().await;
        for run in reach.store.list_runs(agent, options).await?.iter().rev() {
            let from = seen.get(&run.run_id).copied();
            // A run from before that was not looked at goes on: what it did until then is not news.
            let is_old = run.created_at < began;
            let mut from = from.unwrap_or(if is_old { position(run) - 1 } else { 0 });
            while from < position(run) {
                let store = &reach.store;
                let read = store.run_events(agent, run.run_id, from, EVENTS_AT_ONCE);
                let read = read.await?;
                let Some(last) = read.last() else {
                    break;
                };
                from = last.seq;
                for event in &read {
                    print(run.run_id, event, json, true);
                }
            }
            seen.insert(run.run_id, from);
        }
    }
}

fn position(run: &ListedRun) -> i64 {
    i64::try_from(run.events).unwrap_or(i64::MAX)
}

async fn view(reach: &Reach, run: RunId) -> anyhow::Result<Option<RunView>> {
    let read = reach.store.run_view(&reach.deps.agent_id, run).await;
    read.context("the run cannot be read")
}

async fn after(
    reach: &Reach,
    run: RunId,
    last: Option<&StoredEvent>,
) -> anyhow::Result<Vec<StoredEvent>> {
    let from = last.map_or(0, |event| event.seq);
    let read = reach
        .store
        .run_events(&reach.deps.agent_id, run, from, EVENTS_AT_ONCE)
        .await;
    read.context("the run's events cannot be read")
}

fn unknown(reach: &Reach, run: RunId) -> ExitCode {
    let agent = &reach.deps.agent_id;
    output::say(&format!("{run}: {agent} has no such run"));
    ExitCode::FAILURE
}

fn print(run: RunId, event: &StoredEvent, json: bool, named: bool) {
    if json {
        output::json(&event_json(run, event));
    } else if named {
        output::answer(&format!("{run} {}", line(event).trim_start()));
    } else {
        output::answer(&line(event));
    }
}

fn event_json(run: RunId, event: &StoredEvent) -> Value {
    json!({
        "run_id": run, "seq": event.seq, "kind": event.kind,
        "payload": event.payload, "at": event.at,
    })
}

fn line(event: &StoredEvent) -> String {
    let details = events::details(&event.kind, &event.payload);
    format!(
        "  {} {:>4} {}{}",
        event.at.strftime("%H:%M:%S"),
        event.seq,
        visible(&event.kind),
        visible(&details)
    )
}

#[expect(
    clippy::disallowed_methods,
    reason = "a command line looks again after a while"
)]
async fn pause() {
    tokio::time::sleep(LOOK).await;
}
