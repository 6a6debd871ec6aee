//! The doctor over real Postgres: a healthy database is healthy, and each invariant whose rows are
//! broken is named, that one alone.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use openeve_domain::ids::RunId;
use openeve_domain::manifest::{ApprovalSpec, CatchUp, Execution, Manifest, ScheduleSpec};
use openeve_domain::pause::Decision;
use openeve_domain::secret::Secret;
use openeve_domain::status::{RunStatus, SideEffects};
use openeve_postgres::doctor::{INVARIANTS, Offender, Scope, Verdict};
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::ports::Store as _;
use openeve_runtime::resume::{Decider, Which, cancel, resume_approval};
use openeve_runtime::step::Stepped;
use openeve_tests::paths::binary;
use openeve_tests::{ScriptedEngine, World, answer, calls, tool};
use serde_json::{Value, json};

use crate::support::{echo, options, tool_turns, world};

/// A store of the doctor's own, past the world's proxy.
fn doctor(url: &str) -> PgStore {
    PgStore::new(Pool::new(&Secret::new(url), 1, None).unwrap())
}

/// What every check comes to.
async fn verdicts(world: &World, scope: &Scope) -> Vec<(&'static str, Verdict)> {
    let store = doctor(&world.database.url());
    let mut verdicts = Vec::new();
    for invariant in INVARIANTS {
        let verdict = store.check(invariant, scope).await.unwrap();
        verdicts.push((invariant.id, verdict));
    }
    verdicts
}

async fn violated_in(world: &World, scope: &Scope) -> Vec<(&'static str, Vec<Offender>)> {
    let verdicts = verdicts(world, scope).await;
    let violated = verdicts
        .into_iter()
        .filter_map(|(id, verdict)| match verdict {
            Verdict::Ok { .. } | Verdict::NotApplicable { .. } => None,
            Verdict::Violated { offenders, .. } => Some((id, offenders)),
            Verdict::Unfinished { why } => panic!("{id}: {why}"),
        });
    violated.collect()
}

/// Does something to the rows that no build does.
async fn corrupt(world: &World, sql: &str) {
    let client = world.database.connect().await;
    client
        .batch_execute(sql)
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
}

/// Asserts that exactly this invariant is violated, and says so with these words.
async fn names_only(world: &World, scope: &Scope, id: &str, words: &str) {
    let violated = violated_in(world, scope).await;
    let [(found, offenders)] = violated.as_slice() else {
        panic!("{id} alone should be violated: {violated:#?}");
    };
    assert_eq!(*found, id, "{violated:#?}");
    let told = offenders.iter().any(|one| one.detail.contains(words));
    assert!(told, "{words:?} is not in {offenders:#?}");
}

async fn breaks(world: &World, sql: &str, id: &str, words: &str) {
    corrupt(world, sql).await;
    names_only(world, &Scope::default(), id, words).await;
}

/// Appends an event to a run's log as a commit would, and counts it.
fn event(run: RunId, kind: &str, payload: &Value) -> String {
    let run = run.uuid();
    format!(
        "INSERT INTO openeve.run_events (run_id, seq, kind, payload) \
             SELECT id, event_seq + 1, '{kind}', '{payload}' FROM openeve.runs WHERE id = '{run}'; \
         UPDATE openeve.runs SET event_seq = event_seq + 1 WHERE id = '{run}';"
    )
}

/// Batches of tools, then an answer.
fn batches(batches: &'static [&'static [&'static str]]) -> ScriptedEngine {
    ScriptedEngine::new(
        move |done, _| match batches.get(usize::try_from(done).unwrap()) {
            Some(names) => calls(done, names),
            None => answer("done"),
        },
    )
}

/// A world with a tool `pay` that a person must approve.
async fn gated(engine: ScriptedEngine) -> World {
    let mut options = options(engine);
    let mut pay = tool("pay", SideEffects::Unsafe, Execution::Parallel);
    pay.approval = Some(ApprovalSpec::default());
    options.manifest.tools.push(pay);
    World::new(options).await
}

/// A run that has come to wait for an approval.
async fn paused(world: &World, conversation: &str) -> RunId {
    let run = world.say(conversation, "go").await;
    world.bells.take();
    assert_eq!(world.step(run).await, Ok(Stepped::Waiting));
    run
}

async fn approve(world: &World, run: RunId) {
    let deps = world.resume_deps();
    let which = Which::default();
    resume_approval(&deps, run, which, Decision::Approve, &Decider::Operator)
        .await
        .unwrap();
    world.settle().await;
}

/// One completed turn without tools.
async fn told() -> (World, RunId) {
    let world = world(echo()).await;
    let run = world.say("c", "hello").await;
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    (world, run)
}

/// One completed turn with these batches.
async fn worked(engine: ScriptedEngine) -> (World, RunId) {
    let world = world(engine).await;
    let run = world.say("c", "go").await;
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    (world, run)
}

#[tokio::test]
async fn a_database_after_turns_of_every_kind_is_healthy() {
    let world = gated(batches(&[&["look", "keyed"], &["act", "alone"], &["pay"]])).await;
    let approved = paused(&world, "a").await;
    approve(&world, approved).await;
    paused(&world, "b").await;
    let cancelled = world.say("c", "never mind").await;
    cancel(&world.resume_deps(), cancelled, "ada")
        .await
        .unwrap();
    // One that nobody has begun, behind one that waits.
    world.say("b", "and then").await;
    assert_eq!(world.view(approved).await.status, RunStatus::Completed);
    let verdicts = verdicts(&world, &Scope::default()).await;
    for (id, verdict) in &verdicts {
        let reason = match verdict {
            Verdict::Ok { .. } => "",
            Verdict::NotApplicable { why } => why,
            other => panic!("{id}: {other:#?}"),
        };
        let expected = matches!(*id, "I14" | "I16");
        assert_eq!(!reason.is_empty(), expected, "{id}: {reason}");
    }
}

#[tokio::test]
async fn an_empty_database_is_healthy_and_says_what_it_stands_on() {
    let world = world(echo()).await;
    assert!(violated_in(&world, &Scope::default()).await.is_empty());
    let store = doctor(&world.database.url());
    let standing = store.standing(&Scope::default()).await.unwrap();
    assert_eq!(standing.schema[0].id, "0001_init");
    assert!(standing.counts.is_empty());
    let kinds: Vec<&str> = standing.ages.iter().map(|age| age.kind.as_str()).collect();
    assert!(kinds.contains(&"created runs") && kinds.contains(&"dead rows"));
}

#[tokio::test]
async fn turns_that_are_under_way_are_no_violation() {
    let world = gated(batches(&[&["act", "look"], &["keyed"], &["pay"]])).await;
    let store = doctor(&world.database.url());
    let scope = Scope::default();
    let work = async {
        for turn in 0..12 {
            for conversation in ["a", "b", "c"] {
                let run = world.say(conversation, &format!("turn {turn}")).await;
                world.settle().await;
                if world.view(run).await.status == RunStatus::WaitingApproval {
                    approve(&world, run).await;
                }
            }
        }
    };
    let looked = std::cell::Cell::new(0);
    let looks = async {
        loop {
            for invariant in INVARIANTS {
                let verdict = store.check(invariant, &scope).await.unwrap();
                let holds = matches!(verdict, Verdict::Ok { .. } | Verdict::NotApplicable { .. });
                assert!(holds, "{}: {verdict:#?}", invariant.id);
            }
            looked.set(looked.get() + 1);
        }
    };
    tokio::select! {
        () = work => {}
        () = looks => {}
    }
    assert!(
        looked.get() > 2,
        "the doctor looked while turns were under way"
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_run_without_a_key_and_a_key_without_a_run_break_i1() {
    let (world, _) = told().await;
    breaks(
        &world,
        "DELETE FROM openeve.idempotency_keys",
        "I1",
        "no key names it",
    )
    .await;
    let (world, _) = told().await;
    let orphan = "INSERT INTO openeve.idempotency_keys (scope, key, run_id, expires_at) \
                  VALUES ('channel:message', 'tester:m1', gen_random_uuid(), now() + INTERVAL '1 day')";
    breaks(&world, orphan, "I1", "does not exist").await;
}

#[tokio::test]
async fn an_epoch_behind_its_claims_or_its_recoveries_or_its_commits_breaks_i2() {
    let (world, _) = worked(tool_turns("act", 2)).await;
    let epoch = "UPDATE openeve.runs SET epoch = 0";
    breaks(&world, epoch, "I2", "is at epoch 0").await;
    let (world, _) = worked(tool_turns("act", 2)).await;
    let fewer = "UPDATE openeve.runs SET commit_count = 1";
    breaks(&world, fewer, "I2", "counts 1 commits").await;
    let world = gated(batches(&[&["pay"]])).await;
    let run = paused(&world, "c").await;
    let recovered = event(
        run,
        "run.recovery_claimed",
        &json!({"epoch": 1, "stalls": 1}),
    );
    let counted = "UPDATE openeve.runs SET commit_count = commit_count + 2;";
    let twice = format!("{recovered}{recovered}{counted}");
    breaks(&world, &twice, "I2", "under epoch 1, after 1").await;
}

#[tokio::test]
async fn a_missing_event_and_a_wrong_count_break_i3() {
    let (world, _) = told().await;
    let first = "DELETE FROM openeve.run_events WHERE kind = 'run.created'";
    breaks(&world, first, "I3", "its count is").await;
    let (world, _) = told().await;
    let count = "UPDATE openeve.runs SET event_seq = event_seq + 1";
    breaks(&world, count, "I3", "its count is").await;
}

#[tokio::test]
async fn a_run_that_nothing_will_wake_breaks_i4() {
    let world = gated(batches(&[&["pay"]])).await;
    paused(&world, "c").await;
    let withdrawn = "UPDATE openeve.pauses SET status = 'withdrawn', decided_at = now()";
    breaks(&world, withdrawn, "I4", "none of its pauses is pending").await;
    let world = world_with_an_unbegun_run().await;
    let old = "UPDATE openeve.runs SET wall_from = now() - INTERVAL '3 days'";
    breaks(&world, old, "I4", "has been under way since").await;
}

async fn world_with_an_unbegun_run() -> World {
    let world = world(echo()).await;
    world.say("c", "hello").await;
    world.bells.take();
    world
}

#[tokio::test]
async fn an_end_that_is_told_twice_or_changed_or_worked_behind_breaks_i5() {
    let (world, run) = told().await;
    let again = event(run, "run.completed", &json!({}));
    breaks(&world, &again, "I5", "its log ends it 2 times").await;
    let (world, run) = told().await;
    let waiting = event(run, "run.waiting", &json!({}));
    breaks(&world, &waiting, "I5", "was worked on with event").await;
    let world = world_with_an_unbegun_run().await;
    let run = world.say("d", "never mind").await;
    cancel(&world.resume_deps(), run, "ada").await.unwrap();
    let changed = format!(
        "DROP TRIGGER runs_terminal_is_final ON openeve.runs; \
         UPDATE openeve.runs SET status = 'failed', failure_code = 'stalled' WHERE id = '{}'",
        run.uuid()
    );
    breaks(&world, &changed, "I5", "is failed").await;
}

#[tokio::test]
async fn a_second_outcome_and_a_lost_one_break_i6() {
    let (world, run) = worked(tool_turns("act", 1)).await;
    let call = call_of(&world, "act").await;
    let again = event(
        run,
        "tool.execution_failed",
        &json!({"call": call, "tool": "act"}),
    );
    breaks(&world, &again, "I6", "tells of 2 outcomes").await;
    let (world, _) = worked(tool_turns("act", 1)).await;
    let open = "DROP TRIGGER tool_calls_have_one_outcome ON openeve.tool_calls; \
                UPDATE openeve.tool_calls SET status = 'started', settled_at = NULL";
    breaks(&world, open, "I6", "is started and its log tells of 1").await;
    let (world, run) = told().await;
    let unknown = json!({"call": "call_0000000000000000000000000000abcd", "tool": "act"});
    let stray = event(run, "tool.cancelled", &unknown);
    breaks(&world, &stray, "I6", "is not recorded").await;
}

/// The id of a tool's only call, as it prints.
async fn call_of(world: &World, name: &str) -> String {
    let client = world.database.connect().await;
    let sql =
        "SELECT 'call_' || replace(id::text, '-', '') FROM openeve.tool_calls WHERE name = $1";
    client.query_one(sql, &[&name]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_gated_call_that_started_unasked_breaks_i7() {
    let world = gated(batches(&[&["pay"]])).await;
    let run = paused(&world, "c").await;
    approve(&world, run).await;
    let rejected = r#"UPDATE openeve.pauses SET decision = '{"verdict": "reject", "reason": ""}'"#;
    breaks(&world, rejected, "I7", "which nobody approved").await;
    let world = gated(batches(&[&["pay"]])).await;
    let run = paused(&world, "c").await;
    approve(&world, run).await;
    let gone = "DELETE FROM openeve.pauses; \
                UPDATE openeve.run_events SET kind = 'noted' WHERE kind = 'pause.decided'";
    breaks(&world, gone, "I7", "which nobody approved").await;
}

#[tokio::test]
async fn a_pause_of_a_run_that_has_ended_breaks_i7() {
    let world = gated(batches(&[&["pay"]])).await;
    let run = paused(&world, "c").await;
    cancel(&world.resume_deps(), run, "ada").await.unwrap();
    world.step(run).await.unwrap();
    let pending = "DROP TRIGGER pauses_are_decided_once ON openeve.pauses; \
                   UPDATE openeve.pauses SET status = 'pending', decided_at = NULL";
    breaks(&world, pending, "I7", "although its run is cancelled").await;
}

#[tokio::test]
async fn an_unsafe_call_that_started_again_breaks_i8() {
    let world = gated(batches(&[&["act"], &["pay"]])).await;
    let run = paused(&world, "c").await;
    let call = call_of(&world, "act").await;
    let again = event(
        run,
        "tool.execution_started",
        &json!({"call": call, "tool": "act"}),
    );
    breaks(&world, &again, "I8", "behind tool.execution_succeeded").await;
}

#[tokio::test]
async fn a_reply_that_is_not_owed_or_settled_otherwise_breaks_i9() {
    let (world, _) = told().await;
    let lost = "DELETE FROM openeve.deliveries";
    breaks(&world, lost, "I9", "owes 0 final replies").await;
    let (world, _) = told().await;
    let other = "DROP TRIGGER deliveries_terminal_is_final ON openeve.deliveries; \
                 UPDATE openeve.deliveries SET status = 'failed', reason = 'refused'";
    breaks(
        &world,
        other,
        "I9",
        "is failed and its log tells of delivery.sent",
    )
    .await;
}

#[tokio::test]
async fn a_reply_that_was_sent_twice_breaks_i10() {
    let (world, run) = told().await;
    let client = world.database.connect().await;
    let sql = "SELECT 'dlv_' || replace(id::text, '-', '') FROM openeve.deliveries";
    let delivery: String = client.query_one(sql, &[]).await.unwrap().get(0);
    let again = event(run, "delivery.sent", &json!({"delivery": delivery}));
    breaks(&world, &again, "I10", "was sent 2 times").await;
    let (world, _) = told().await;
    let named = r#"UPDATE openeve.deliveries SET provider_ids = '["m1", "m2", "m2"]'"#;
    breaks(&world, named, "I10", "1 parts sent and 2 messages").await;
    let (world, _) = told().await;
    let owed = "INSERT INTO openeve.deliveries (id, key, run_id, conversation_id, channel, target, \
                    body, status, next_attempt_at) \
                SELECT gen_random_uuid(), 'redrive:' || id, run_id, conversation_id, channel, target, \
                    body, 'pending', now() FROM openeve.deliveries";
    breaks(&world, owed, "I10", "owes again what is sent").await;
}

#[tokio::test]
async fn two_leases_and_a_wrong_order_in_one_conversation_break_i11() {
    let world = world_with_an_unbegun_run().await;
    world.say("c", "and then").await;
    let leased = "DROP INDEX openeve.runs_one_lease_per_conversation; \
                  UPDATE openeve.runs SET status = 'running', epoch = 1, step_count = 1, \
                      lease_token = gen_random_uuid(), lease_expires_at = now() + INTERVAL '1 minute'";
    breaks(&world, leased, "I11", "2 of its runs hold a lease").await;
    let (world, _) = told().await;
    let second = world.say("c", "and then").await;
    world.settle().await;
    let early = format!(
        "UPDATE openeve.run_events SET created_at = created_at - INTERVAL '1 hour' \
         WHERE run_id = '{}'",
        second.uuid()
    );
    breaks(&world, &early, "I11", "those before it were done at").await;
}

fn scheduled(catch_up: CatchUp) -> Scope {
    let mut manifest: Manifest = openeve_tests::manifest(Vec::new());
    manifest.schedules.push(ScheduleSpec {
        name: "minutely".into(),
        cron: "* * * * *".into(),
        timezone: "UTC".into(),
        message: "Good morning.".into(),
        idempotency_key: "minutely".into(),
        channel: None,
        conversation: "minutely".into(),
        catch_up,
        trigger: None,
        source: "schedules/minutely.ts".into(),
    });
    Scope {
        manifest: Some(Arc::new(manifest)),
        ..Scope::default()
    }
}

#[tokio::test]
async fn an_occurrence_that_started_two_runs_or_none_breaks_i12() {
    let (world, run) = told().await;
    let stray = format!(
        "INSERT INTO openeve.schedule_runs (agent_id, schedule, occurrence_at, run_id) \
         VALUES ('tester', 'morning', now(), '{}')",
        run.uuid()
    );
    breaks(&world, &stray, "I12", "stands for 1 occurrences").await;

    let (world, _) = told().await;
    let scope = scheduled(CatchUp::Latest);
    // No tick has registered the revision, so nobody was to fire it.
    assert!(violated_in(&world, &scope).await.is_empty());
    let manifest = scope.manifest.clone().unwrap();
    world.store.register(&manifest).await.unwrap();
    // Nor had one the time to.
    assert!(violated_in(&world, &scope).await.is_empty());
    let known = "UPDATE openeve.agent_revisions SET registered_at = now() - INTERVAL '1 hour'";
    corrupt(&world, known).await;
    names_only(&world, &scope, "I12", "started no run").await;
    let lost = violated_in(&world, &scheduled(CatchUp::All)).await;
    assert!(lost[0].1.len() >= 10, "each of them is missed: {lost:?}");
    assert!(
        violated_in(&world, &scheduled(CatchUp::None))
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_call_that_is_lost_or_has_no_result_for_the_model_breaks_i13() {
    let world = gated(batches(&[&["pay", "pay"]])).await;
    paused(&world, "c").await;
    let lost = "DELETE FROM openeve.pauses WHERE tool_call_id IN \
                    (SELECT id FROM openeve.tool_calls WHERE ordinal = 0); \
                DELETE FROM openeve.tool_calls WHERE ordinal = 0";
    corrupt(&world, lost).await;
    names_only(
        &world,
        &Scope::default(),
        "I13",
        "asked for 2 calls, 1 are recorded",
    )
    .await;
    names_only(
        &world,
        &Scope::default(),
        "I13",
        "call 0 of the batch at row 1 is missing",
    )
    .await;
    let (world, _) = worked(tool_turns("act", 1)).await;
    let silent = "UPDATE openeve.tool_calls SET model_output = NULL";
    breaks(&world, silent, "I13", "has no text for the model").await;
}

#[tokio::test]
async fn a_sync_job_without_its_run_breaks_i14() {
    let (world, run) = told().await;
    let job = format!(
        "INSERT INTO openeve.sandbox_sessions (id, agent_id, conversation_id, backend, status) \
             SELECT gen_random_uuid(), 'tester', conversation_id, 'local', 'live' \
             FROM openeve.runs WHERE id = '{run}'; \
         INSERT INTO openeve.sandbox_sync_jobs (id, session_id, run_id, status) \
             SELECT gen_random_uuid(), id, '{run}', 'done' FROM openeve.sandbox_sessions;",
        run = run.uuid()
    );
    corrupt(&world, &job).await;
    assert!(violated_in(&world, &Scope::default()).await.is_empty());
    let orphan = "ALTER TABLE openeve.sandbox_sync_jobs DROP CONSTRAINT sandbox_sync_jobs_run_id_fkey; \
                  UPDATE openeve.sandbox_sync_jobs SET run_id = gen_random_uuid()";
    breaks(&world, orphan, "I14", "does not exist").await;
}

#[tokio::test]
async fn sums_that_differ_from_their_rows_break_i15() {
    for column in [
        "input_tokens",
        "cached_tokens",
        "output_tokens",
        "reasoning_tokens",
        "cost_micros",
    ] {
        let (world, _) = told().await;
        let more = format!("UPDATE openeve.runs SET {column} = {column} + 1");
        breaks(&world, &more, "I15", "says").await;
    }
}

#[tokio::test]
async fn a_secret_in_any_text_of_a_run_breaks_i16_and_is_not_shown() {
    const SECRET: &str = r#"sk-"quoted"\live"#;
    let scope = Scope {
        secrets: vec![("OPENEVE_MODEL_API_KEY".into(), Secret::new(SECRET))],
        ..Scope::default()
    };
    let quoted = json!(format!("the key is {SECRET} indeed")).to_string();
    let places = [
        "UPDATE openeve.runs SET failure_message = $1",
        "UPDATE openeve.run_events SET payload = $2 WHERE seq = 1",
        "UPDATE openeve.messages SET body = $1 WHERE seq = 0",
        "UPDATE openeve.messages SET extra = $2 WHERE seq = 0",
        "UPDATE openeve.checkpoints SET body = $2 WHERE seq = 1",
        "UPDATE openeve.tool_calls SET arguments = $1",
        "UPDATE openeve.tool_calls SET result = $2",
        "UPDATE openeve.tool_calls SET model_output = $1",
        "UPDATE openeve.deliveries SET body = $1",
        "UPDATE openeve.deliveries SET last_error = $1",
    ];
    for place in places {
        let (world, _) = worked(tool_turns("act", 1)).await;
        let text = format!("'the key is {SECRET} indeed'");
        let sql = place
            .replace("$1", &text)
            .replace("$2", &format!("'{quoted}'"));
        assert!(violated_in(&world, &scope).await.is_empty());
        corrupt(&world, &sql).await;
        names_only(
            &world,
            &scope,
            "I16",
            "the value of OPENEVE_MODEL_API_KEY occurs in",
        )
        .await;
        let told = format!("{:?}", verdicts(&world, &scope).await);
        assert!(!told.contains("live"), "{place}: {told}");
    }
}

#[tokio::test]
async fn work_that_no_tick_has_found_breaks_i17() {
    let world = world_with_an_unbegun_run().await;
    let late = "UPDATE openeve.runs SET updated_at = now() - INTERVAL '4 minutes'";
    corrupt(&world, late).await;
    assert!(violated_in(&world, &Scope::default()).await.is_empty());
    let strict = Scope {
        grace_ms: 0,
        ..Scope::default()
    };
    names_only(&world, &strict, "I17", "is created and has been due since").await;

    let world = gated(batches(&[&["pay"]])).await;
    paused(&world, "c").await;
    let expired = "UPDATE openeve.pauses SET expires_at = now() - INTERVAL '10 minutes'";
    breaks(&world, expired, "I17", "although it expired at").await;
    let asked = "UPDATE openeve.pauses SET expires_at = now() + INTERVAL '1 day'; \
                 UPDATE openeve.runs SET cancel_requested_at = now() - INTERVAL '10 minutes'";
    breaks(&world, asked, "I17", "was asked to end at").await;

    let world = self::world(echo()).await;
    let run = world.say("c", "hello").await;
    world.bells.take();
    world.step(run).await.unwrap();
    let owed = "UPDATE openeve.deliveries SET next_attempt_at = now() - INTERVAL '10 minutes'";
    breaks(&world, owed, "I17", "is pending and has been due since").await;
}

#[tokio::test]
async fn a_run_behind_one_that_works_is_not_late() {
    let world = world_with_an_unbegun_run().await;
    world.say("c", "and then").await;
    let working = "UPDATE openeve.runs SET updated_at = now() - INTERVAL '1 hour'; \
                   UPDATE openeve.runs SET status = 'running', epoch = 1, step_count = 1, \
                       lease_token = gen_random_uuid(), lease_expires_at = now() + INTERVAL '1 minute' \
                   WHERE position = 1";
    corrupt(&world, working).await;
    assert!(violated_in(&world, &Scope::default()).await.is_empty());
}

#[tokio::test]
async fn a_tree_that_went_on_past_its_bound_breaks_i18() {
    let (world, _) = worked(tool_turns("look", 2)).await;
    let dear = "UPDATE openeve.usage_records SET cost_micros = 9000000; \
                UPDATE openeve.runs SET cost_micros = 27000000";
    corrupt(&world, dear).await;
    // Two calls of nine stay below twenty; the third was the one that passes.
    assert!(violated_in(&world, &Scope::default()).await.is_empty());
    let dearer = "UPDATE openeve.usage_records SET cost_micros = 15000000; \
                  UPDATE openeve.runs SET cost_micros = 45000000";
    breaks(
        &world,
        dearer,
        "I18",
        "its tree spent 45000000 micros of 20000000",
    )
    .await;
}

#[tokio::test]
async fn a_transcript_with_a_missing_row_breaks_i19() {
    let (world, _) = told().await;
    let first = "DELETE FROM openeve.messages WHERE seq = 0";
    breaks(&world, first, "I19", "row 0 of its transcript is missing").await;
}

#[tokio::test]
async fn one_agents_rows_are_looked_at_alone() {
    let (world, _) = told().await;
    corrupt(&world, "UPDATE openeve.runs SET event_seq = event_seq + 1").await;
    let scope = |agent: &str| Scope {
        agent_id: Some(agent.into()),
        ..Scope::default()
    };
    assert!(violated_in(&world, &scope("another")).await.is_empty());
    names_only(&world, &scope("tester"), "I3", "its count is").await;
}

#[tokio::test]
async fn a_user_who_may_only_select_looks_in_a_session_that_is_read_only() {
    let (world, _) = worked(tool_turns("act", 1)).await;
    let role = format!("reader_{}", world.database.name());
    let grants = format!(
        "DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN; \
         GRANT USAGE ON SCHEMA openeve TO {role}; \
         GRANT SELECT ON ALL TABLES IN SCHEMA openeve TO {role}; \
         ALTER ROLE {role} SET default_transaction_read_only = on"
    );
    corrupt(&world, &grants).await;
    let store = doctor(&format!("{} user={role}", world.database.url()));
    let scope = Scope {
        secrets: vec![("KEY".into(), Secret::new("sk-not-there"))],
        ..scheduled(CatchUp::All)
    };
    for invariant in INVARIANTS {
        let verdict = store.check(invariant, &scope).await.unwrap();
        let holds = matches!(verdict, Verdict::Ok { .. } | Verdict::NotApplicable { .. });
        assert!(holds, "{}: {verdict:#?}", invariant.id);
    }
    assert!(store.standing(&scope).await.is_ok());
    drop(store);
    corrupt(&world, &format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
}

#[tokio::test]
async fn a_check_that_the_database_cuts_short_is_not_taken_for_healthy() {
    let (world, _) = told().await;
    let mut client = world.database.connect().await;
    let held = client.transaction().await.unwrap();
    let lock = "LOCK TABLE openeve.usage_records IN ACCESS EXCLUSIVE MODE";
    held.batch_execute(lock).await.unwrap();
    let hurried = Scope {
        statement_ms: 50,
        ..Scope::default()
    };
    let sums = INVARIANTS.iter().find(|one| one.id == "I15").unwrap();
    let store = doctor(&world.database.url());
    let verdict = store.check(sums, &hurried).await.unwrap();
    let Verdict::Unfinished { why } = verdict else {
        panic!("nobody may say what nobody has seen: {verdict:?}");
    };
    assert_eq!(why, "it took longer than 50 ms");
    let url = format!("{} options='-c lock_timeout=50ms'", world.database.url());
    let told = run(&url, &["--json"]);
    assert_eq!(told.status.code(), Some(2), "{told:?}");
    assert_eq!(json(&told)["outcome"], "unfinished");
    held.rollback().await.unwrap();
}

/// Runs the real command on a database, in a folder where there is nothing.
fn run(url: &str, arguments: &[&str]) -> Output {
    let nothing = tempfile::tempdir().unwrap();
    let mut command = Command::new(binary("openeve"));
    command.arg("doctor").args(arguments);
    in_folder(&mut command, nothing.path())
        .env("DATABASE_URL", url)
        .output()
        .unwrap()
}

/// Nothing of this test's own environment reaches the command.
fn in_folder<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    command.env_clear().current_dir(folder)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn the_command_says_healthy_with_zero_and_what_is_violated_with_one() {
    let (world, run_id) = told().await;
    let url = world.database.url();
    let healthy = run(&url, &[]);
    let said = text(&healthy.stdout);
    assert_eq!(healthy.status.code(), Some(0), "{said}{healthy:?}");
    assert!(said.ends_with("\nhealthy\n"), "{said}");
    assert!(said.contains("schema: 0001_init (applied)"), "{said}");
    assert!(said.contains("1 completed"), "{said}");
    corrupt(&world, "UPDATE openeve.runs SET event_seq = event_seq + 1").await;
    let violated = run(&url, &["--agent", "tester", "--grace-seconds", "0"]);
    let said = text(&violated.stdout);
    assert_eq!(violated.status.code(), Some(1), "{said}");
    for words in [
        "I3   VIOLATED",
        &run_id.to_string(),
        "to do: ",
        "violated: I3",
    ] {
        assert!(said.contains(words), "{words:?} is not in {said}");
    }
}

#[tokio::test]
async fn the_json_form_lists_every_check_the_ages_and_the_offenders() {
    let (world, run_id) = told().await;
    let url = world.database.url();
    let healthy = run(&url, &["--json"]);
    assert_eq!(healthy.status.code(), Some(0), "{healthy:?}");
    let told = json(&healthy);
    assert_eq!(told["outcome"], "healthy");
    assert_eq!(told["grace_seconds"], 180);
    let ids: Vec<&str> = told["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["invariant"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 19);
    assert_eq!(told["checks"][13]["status"], "not_applicable");
    assert_eq!(
        told["counts"][0],
        json!({"kind": "runs", "status": "completed", "count": 1})
    );
    assert_eq!(told["schema"][0]["state"], "applied");
    assert!(told["clock"]["ahead_ms"].as_i64().unwrap().abs() < 60_000);
    corrupt(&world, "UPDATE openeve.runs SET cost_micros = 1").await;
    let violated = run(&url, &["--json"]);
    assert_eq!(violated.status.code(), Some(1), "{violated:?}");
    let told = json(&violated);
    let sums = &told["checks"][14];
    assert_eq!(
        (&sums["invariant"], &sums["status"], &sums["count"]),
        (&json!("I15"), &json!("violated"), &json!(1))
    );
    assert_eq!(sums["offenders"][0]["id"], json!(run_id));
    assert!(sums["remedy"].as_str().unwrap().contains("usage rows"));
}

#[tokio::test]
async fn the_command_without_a_database_it_can_use_exits_with_two() {
    let nobody = run("postgres://u:hunter22@127.0.0.1:1/db", &[]);
    assert_eq!(nobody.status.code(), Some(2), "{nobody:?}");
    assert!(!text(&nobody.stderr).contains("hunter22"));
    let unset = run("", &[]);
    assert_eq!(unset.status.code(), Some(2), "{unset:?}");
    assert!(text(&unset.stderr).contains("which database?"), "{unset:?}");
    let wrong = run("", &["--grace-seconds", "soon"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    let empty = openeve_testkit::database::TestDatabase::create("template0").await;
    let older = run(&empty.url(), &[]);
    assert_eq!(older.status.code(), Some(2), "{older:?}");
    assert!(text(&older.stderr).contains("openeve migrate"), "{older:?}");
}

#[tokio::test]
async fn the_command_looks_for_the_secrets_of_its_environment_and_shows_none() {
    const SECRET: &str = "sk-scripted-and-secret";
    let world = world(ScriptedEngine::new(|_, _| answer(SECRET))).await;
    world.say("c", "what is your key?").await;
    world.settle().await;
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(binary("openeve"));
    let told = in_folder(command.arg("doctor"), folder.path())
        .env("DATABASE_URL", world.database.url())
        .env("OPENAI_API_KEY", SECRET)
        .output()
        .unwrap();
    let said = text(&told.stdout) + &text(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the value of OPENEVE_MODEL_API_KEY occurs in message 1"),
        "{said}"
    );
    assert!(!said.contains(SECRET), "{said}");
}
