//! What public cases begin with: gated tools, workers that stop, a model on the wire, passing time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, Method};
use openeve_domain::ids::{LeaseToken, RunId};
use openeve_domain::manifest::{ApprovalSpec, CatchUp, Execution, ScheduleSpec, ToolSpec};
use openeve_domain::pause::Decision;
use openeve_domain::status::SideEffects;
use openeve_domain::transcript::Message;
use openeve_runtime::ingress::{IngressRequest, handle};
use openeve_runtime::ports::{Advance, Claim, PausedCall, PortError, Store as _};
use openeve_runtime::resume::{Decider, Outcome, Which, resume_approval, resume_input};
use openeve_runtime::step::{StepDeps, Stepped, step};
use openeve_runtime::tick::{TickDeps, Ticked, tick};
use openeve_testkit::clock::FakeClock;
use openeve_testkit::gate::Gate;
use openeve_testkit::patience::eventually;
use openeve_tests::tap::{Tap, TappedStore};
use openeve_tests::{ClosureTools, ScriptedEngine, World, WorldOptions, answer, calls, tool};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{echo, options};

/// How long a step may take in these tests.
pub(super) const STEP_MS: u64 = 300_000;
/// How long a claim holds in these tests.
pub(super) const LEASE_MS: u64 = 60_000;

/// A tool that a person must approve.
pub(super) fn gated(name: &str) -> ToolSpec {
    ToolSpec {
        approval: Some(ApprovalSpec {
            reason: Some("it costs money".into()),
            predicate: false,
            approvers: Vec::new(),
        }),
        ..tool(name, SideEffects::Unsafe, Execution::Parallel)
    }
}

/// Asks for these batches one after another, then answers with what the tools returned. It goes by
/// the transcript alone, as the real engine does. Questions are asked in words.
pub(super) fn batches(batches: &'static [&'static [&'static str]]) -> ScriptedEngine {
    ScriptedEngine::new(move |_, messages| {
        let asked = messages.iter().filter(
            |message| matches!(message, Message::Assistant { calls, .. } if !calls.is_empty()),
        );
        let at = asked.count();
        let Some(names) = batches.get(at) else {
            return answer(&results(messages).join(" "));
        };
        let mut batch = calls(at as u64, names);
        if let Advance::ToolBatch { calls, .. } = &mut batch {
            for call in calls.iter_mut().filter(|call| call.name == "ask_question") {
                call.arguments = json!({"question": format!("question {at}")}).to_string();
            }
        }
        batch
    })
}

/// What the tools returned, in the order the model reads it.
pub(super) fn results(messages: &[Message<'_>]) -> Vec<String> {
    let results = messages.iter().filter_map(|message| match message {
        Message::ToolResult { output, .. } => Some(output.to_string()),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    results.collect()
}

/// A world with the gated tool `pay` beside the usual ones.
pub(super) async fn gated_world(engine: ScriptedEngine) -> World {
    let mut options = options(engine);
    options.manifest.tools.push(gated("pay"));
    World::new(options).await
}

/// A world whose tools, `pay` among them, wait at a gate.
pub(super) async fn held_world(engine: ScriptedEngine) -> (World, Gate) {
    let gate = Gate::new();
    let held = gate.clone();
    let tools = ClosureTools::waiting(move |_, _| {
        let held = held.clone();
        async move {
            held.pass().await;
            Ok(json!("ok"))
        }
    });
    let mut options = WorldOptions {
        tools,
        ..options(engine)
    };
    options.manifest.tools.push(gated("pay"));
    (World::new(options).await, gate)
}

/// Says something and takes the bell away, so that only the test rings.
pub(super) async fn begun(world: &World) -> RunId {
    let run = world.say("c", "go").await;
    world.bells.take();
    run
}

/// Starts a run and works until it waits.
pub(super) async fn paused(world: &World) -> RunId {
    let run = begun(world).await;
    assert_eq!(world.step(run).await, Ok(Stepped::Waiting));
    run
}

/// A run's pauses, oldest first.
pub(super) async fn pauses(world: &World, run: RunId) -> Vec<PausedCall> {
    let pauses = world.store.pauses("tester", run).await.unwrap();
    pauses.unwrap().pauses
}

/// Decides a run's n-th pause as the operator.
pub(super) async fn decide(world: &World, run: RunId, at: usize, decision: Decision) -> Outcome {
    let pauses = pauses(world, run).await;
    let pause = &pauses.get(at).unwrap().pause;
    let which = Which {
        call_id: Some(pause.call_id),
        generation: Some(pause.generation),
    };
    let deps = world.resume_deps();
    let outcome = resume_approval(&deps, run, which, decision, &Decider::Operator);
    outcome.await.unwrap()
}

/// Answers the one question that a run asks.
pub(super) async fn say_answer(world: &World, run: RunId, text: &str) {
    let deps = world.resume_deps();
    let outcome = resume_input(&deps, run, Which::default(), text, &Decider::Operator).await;
    assert!(matches!(outcome, Ok(Outcome::Taken { .. })), "{outcome:?}");
}

/// Which of two moments of a store's operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// It has not reached the store.
    Before,
    /// The store has answered; nobody has heard it.
    After,
}

/// Stops at a gate once, at the n-th operation of a kind.
pub(super) struct StopsAt {
    operation: &'static str,
    skip: usize,
    when: When,
    seen: AtomicUsize,
    gate: Gate,
}

impl StopsAt {
    async fn at(&self, operation: &str, when: When) {
        if operation == self.operation
            && when == self.when
            && self.seen.fetch_add(1, Ordering::SeqCst) == self.skip
        {
            self.gate.pass().await;
        }
    }
}

#[async_trait]
impl Tap for StopsAt {
    async fn before(&self, operation: &'static str) -> Result<(), PortError> {
        self.at(operation, When::Before).await;
        Ok(())
    }

    async fn after(&self, operation: &'static str) -> Result<(), PortError> {
        self.at(operation, When::After).await;
        Ok(())
    }
}

/// A worker that stops at a gate, once it has skipped this many operations of the kind.
pub(super) fn stopping(
    deps: StepDeps,
    operation: &'static str,
    skip: usize,
    when: When,
) -> (StepDeps, Gate) {
    let gate = Gate::new();
    let tap = StopsAt {
        operation,
        skip,
        when,
        seen: AtomicUsize::new(0),
        gate: gate.clone(),
    };
    let store = Arc::new(TappedStore {
        store: deps.store.clone(),
        tap,
    });
    (StepDeps { store, ..deps }, gate)
}

/// Runs a step whose worker vanishes there; whether it lived to see the moment is asserted.
pub(super) async fn dies(deps: StepDeps, run: RunId, skip: usize, when: When) {
    let (deps, gate) = stopping(deps, "commit", skip, when);
    tokio::select! {
        biased;
        stepped = step(&deps, run, STEP_MS) => panic!("it ended before commit {skip}: {stepped:?}"),
        () = gate.arrived(1) => {}
    }
}

/// A worker whose waits are over at once: for failing databases and providers.
pub(super) fn impatient(world: &World) -> StepDeps {
    StepDeps {
        clock: Arc::new(FakeClock::eager(jiff::Timestamp::UNIX_EPOCH)),
        ..world.step_deps()
    }
}

/// Lets this many heartbeats of 30 s pass, in the holder's clock and in the database's, and sees
/// that nobody else gets the run meanwhile.
pub(super) async fn hold_through(world: &World, run: RunId, beats: usize) {
    let client = world.database.connect().await;
    let age = "UPDATE openeve.runs SET lease_expires_at = lease_expires_at - INTERVAL '30 seconds'";
    let extended =
        "SELECT lease_expires_at > clock_timestamp() + INTERVAL '59 seconds' FROM openeve.runs";
    for beat in 0..beats {
        client.batch_execute(age).await.unwrap();
        world.clock.advance_ms(30_000);
        eventually("a heartbeat", async || {
            // Whoever began to wait only now waits for a moment more.
            world.clock.advance_ms(1);
            let row = client.query_one(extended, &[]).await.unwrap();
            row.get::<_, bool>(0).then_some(())
        })
        .await;
        let token = LeaseToken::new(Uuid::from_u128(0xb0b));
        let claim = world.store.claim(run, token, LEASE_MS).await;
        assert_eq!(claim, Ok(Claim::Busy), "after {} s", (beat + 1) * 30);
    }
}

/// Ticks as if a minute had passed; the bells stay.
pub(super) async fn aged_tick(world: &World) -> Ticked {
    let client = world.database.connect().await;
    let age = "UPDATE openeve.runs SET updated_at = updated_at - INTERVAL '1 minute'; \
               UPDATE openeve.deliveries SET next_attempt_at = next_attempt_at - INTERVAL '1 minute'";
    client.batch_execute(age).await.unwrap();
    tick(&world.tick_deps()).await.unwrap()
}

/// A number that a query finds.
pub(super) async fn count(world: &World, sql: &str) -> i64 {
    let client = world.database.connect().await;
    client.query_one(sql, &[]).await.unwrap().get(0)
}

/// The texts that a query finds.
pub(super) async fn texts(world: &World, sql: &str) -> Vec<String> {
    let client = world.database.connect().await;
    let rows = client.query(sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// How often an event of a kind is in a run's log.
pub(super) async fn times(world: &World, run: RunId, kind: &str) -> usize {
    let kinds = world.kinds(run).await;
    kinds.iter().filter(|one| *one == kind).count()
}

/// Ends every connection to the world's database but the caller's, as a restart does.
pub(super) async fn terminate_others(client: &tokio_postgres::Client) {
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    client.query(sql, &[]).await.unwrap();
}

/// Sends a request with one header more than the world's own.
pub(super) async fn request(
    world: &World,
    method: Method,
    path: &str,
    header: (&'static str, &str),
    body: &Value,
) -> Value {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut headers = HeaderMap::new();
    headers.insert("content-type", "application/json".parse().unwrap());
    headers.insert(header.0, header.1.parse().unwrap());
    let request = IngressRequest {
        method,
        path: path.into(),
        query: query.into(),
        headers,
        body: Bytes::from(body.to_string()),
    };
    let response = handle(&world.ingress_deps(), request).await;
    serde_json::from_slice(&response.body).unwrap()
}

/// A page of a run's events behind one that the reader has.
pub(super) async fn page(world: &World, run: RunId, after: i64) -> Vec<Value> {
    let path = format!("/runs/{run}/events?after={after}");
    let accept = ("accept", "application/json");
    let page = request(world, Method::GET, &path, accept, &Value::Null).await;
    page["events"].as_array().unwrap().clone()
}

/// An agent with one schedule, and the clock its ticks go by.
pub(super) async fn scheduled(cron: &str, at: &str) -> (World, Arc<FakeClock>) {
    let mut options = options(echo());
    options.manifest.schedules.push(ScheduleSpec {
        name: "morning".into(),
        cron: cron.into(),
        timezone: "UTC".into(),
        message: "Good morning.".into(),
        idempotency_key: "morning".into(),
        channel: None,
        conversation: "morning".into(),
        catch_up: CatchUp::Latest,
        trigger: None,
        source: "schedules/morning.ts".into(),
    });
    let clock = Arc::new(FakeClock::manual(at.parse().unwrap()));
    (World::new(options).await, clock)
}

/// What the tick of a process that has just started reaches the world through.
pub(super) fn ticking(world: &World, clock: &Arc<FakeClock>) -> TickDeps {
    TickDeps {
        clock: clock.clone(),
        registered: Arc::default(),
        ..world.tick_deps()
    }
}
