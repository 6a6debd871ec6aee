//! The one write: fenced, idempotent, whole or not at all.

use openeve_domain::budget::Spent;
use openeve_domain::commit::{Commit, Lease};
use openeve_domain::ids::{CommitId, LeaseToken};
use openeve_domain::run::RunState;
use openeve_domain::run::finish::{Answer, Obligation, finish};
use openeve_domain::run::hand_on::hand_on;
use openeve_domain::status::RunStatus;
use openeve_runtime::ports::{Claim, CommitAnswer, Heartbeat, Store as _};
use openeve_tests::World;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{echo, tool_turns, world};

const LEASE_MS: u64 = 60_000;

async fn claimed(world: &World, run: openeve_domain::ids::RunId, token: u128) -> RunState {
    match claim(world, run, token).await {
        Claim::Claimed(state) => *state,
        other => panic!("not claimed: {other:?}"),
    }
}

async fn claim(world: &World, run: openeve_domain::ids::RunId, token: u128) -> Claim {
    let token = LeaseToken::new(Uuid::from_u128(token));
    world.store.claim(run, token, LEASE_MS).await.unwrap()
}

fn finishing(state: &RunState, commit: u128) -> openeve_domain::commit::Commit {
    let checkpoint = openeve_domain::continuation::Continuation {
        surface: String::new(),
        v: 1,
        engine: "scripted".into(),
        engine_version: 1,
        seq: 1,
        agent_revision: state.agent_revision.clone(),
        body: json!({"iteration": 1}),
    };
    let answer = Answer {
        text: "done".into(),
        extra: Value::Null,
        checkpoint,
        usage: None,
    };
    let obligation = Obligation {
        id: openeve_domain::ids::DeliveryId::new(Uuid::from_u128(commit)),
        leased_by: None,
        lease_ms: 60_000,
    };
    finish(
        state,
        answer,
        obligation,
        openeve_domain::ids::CommitId::new(Uuid::from_u128(commit)),
    )
}

#[tokio::test]
async fn stale_epoch_cannot_commit() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    let frozen = claimed(&world, run, 1).await;
    world.expire_leases().await;
    let thawed = claimed(&world, run, 2).await;
    assert!(thawed.epoch > frozen.epoch && thawed.recovery && !frozen.recovery);
    let stale = world
        .store
        .commit(&finishing(&frozen, 10), LEASE_MS)
        .await
        .unwrap();
    assert_eq!(stale, CommitAnswer::Superseded);
    assert_eq!(world.view(run).await.status, RunStatus::Running);
    assert_eq!(
        world.kinds(run).await,
        ["run.created"],
        "nothing of a superseded commit is written"
    );
    assert_eq!(
        world
            .store
            .heartbeat(run, frozen.epoch, LEASE_MS)
            .await
            .unwrap(),
        Heartbeat::Superseded
    );
    let current = world
        .store
        .commit(&finishing(&thawed, 11), LEASE_MS)
        .await
        .unwrap();
    assert!(matches!(current, CommitAnswer::Applied(_)));
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_live_lease_is_busy_and_the_next_run_of_the_conversation_is_behind() {
    let world = world(echo()).await;
    let first = world.say("c", "one").await;
    let second = world.say("c", "two").await;
    assert_eq!(claim(&world, second, 9).await, Claim::Behind);
    claimed(&world, first, 1).await;
    assert_eq!(claim(&world, first, 2).await, Claim::Busy);
    assert_eq!(claim(&world, second, 3).await, Claim::Behind);
}

#[tokio::test]
async fn two_workers_at_once_get_one_claim() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    let claims =
        futures_util::future::join_all((1..9).map(|token| claim(&world, run, token))).await;
    let won = claims
        .iter()
        .filter(|claim| matches!(claim, Claim::Claimed(_)))
        .count();
    assert_eq!(won, 1);
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_applied_once() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    let state = claimed(&world, run, 1).await;
    world.proxy.lose_answer_of("COMMIT");
    let answer = world
        .store
        .commit(&finishing(&state, 10), LEASE_MS)
        .await
        .unwrap();
    assert!(matches!(answer, CommitAnswer::Applied(_)));
    assert_eq!(world.proxy.armed(), 0, "the answer was lost");
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_commit_that_never_arrived_is_repeated() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    let state = claimed(&world, run, 1).await;
    world.proxy.lose_request_of("COMMIT");
    let answer = world
        .store
        .commit(&finishing(&state, 10), LEASE_MS)
        .await
        .unwrap();
    assert!(matches!(answer, CommitAnswer::Applied(_)));
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_commit_that_was_applied_long_ago_is_applied_once_whoever_asks_again() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    let state = claimed(&world, run, 1).await;
    let commit = finishing(&state, 10);
    // The answer was lost, so were those of every retry; the step waits and commits anew.
    for _ in 0..3 {
        let answer = world.store.commit(&commit, LEASE_MS).await.unwrap();
        assert!(matches!(answer, CommitAnswer::Applied(_)), "{answer:?}");
    }
    let events = world.events(run).await.len();
    assert_eq!(events, 1 + commit.events.len(), "no event twice");
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_late_copy_of_a_commit_changes_nothing_once_another_has_followed() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    let mut state = claimed(&world, run, 1).await;
    let first = hand_on(
        &state,
        Spent::Slice,
        500,
        CommitId::new(Uuid::from_u128(20)),
    );
    // Not released, so that the same epoch goes on.
    let first = Commit {
        lease: Lease::Extend,
        ..first
    };
    assert!(matches!(
        world.store.commit(&first, LEASE_MS).await.unwrap(),
        CommitAnswer::Applied(_)
    ));
    state.apply(&first);
    let second = Commit {
        lease: Lease::Extend,
        ..hand_on(
            &state,
            Spent::Slice,
            500,
            CommitId::new(Uuid::from_u128(21)),
        )
    };
    assert!(matches!(
        world.store.commit(&second, LEASE_MS).await.unwrap(),
        CommitAnswer::Applied(_)
    ));
    let late = world.store.commit(&first, LEASE_MS).await.unwrap();
    assert_eq!(late, CommitAnswer::Superseded);
    let chained = world
        .kinds(run)
        .await
        .into_iter()
        .filter(|kind| kind == "run.chained")
        .count();
    assert_eq!(chained, 2, "each commit once");
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_late_copy_of_our_own_claim_does_not_supersede_us() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    let state = claimed(&world, run, 1).await;
    claimed(&world, run, 1).await;
    let answer = world
        .store
        .commit(&finishing(&state, 10), LEASE_MS)
        .await
        .unwrap();
    assert!(matches!(answer, CommitAnswer::Applied(_)), "{answer:?}");
}

#[tokio::test]
async fn a_commit_that_postgres_refuses_for_good_ends_the_run_with_the_refusal() {
    let world = world(tool_turns("act", 1)).await;
    let run = world.say("c", "go").await;
    let next = world.say("c", "next").await;
    let client = world.database.connect().await;
    let refuse = "ALTER TABLE openeve.run_events ADD CONSTRAINT no_luck CHECK (kind <> 'tool.execution_succeeded') NOT VALID";
    client.batch_execute(refuse).await.unwrap();
    world.settle().await;
    let failure = world
        .view(run)
        .await
        .failure
        .expect("the run ended at once");
    assert!(
        failure.code == "database_refused" && failure.message.contains("no_luck"),
        "{failure:?}"
    );
    assert_eq!(world.tools.ran().len(), 2, "one call each run, none again");
    assert!(
        world.view(next).await.status.is_terminal(),
        "the conversation was freed"
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_claim_whose_answer_was_lost_is_still_ours() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    world.proxy.lose_answer_of("COMMIT");
    let state = claimed(&world, run, 1).await;
    assert!(!state.recovery, "our own lost answer is no crash");
}

#[tokio::test]
async fn an_accepted_turn_whose_answer_was_lost_is_one_run_and_no_duplicate() {
    let world = world(echo()).await;
    world.proxy.lose_answer_of("idempotency_keys");
    let response = world
        .post("/message", json!({"message": "hello"}).to_string())
        .await;
    let answer: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(
        (response.status, &answer["duplicate"]),
        (202, &json!(false))
    );
    assert_eq!(world.bells.take().len(), 1);
    let client = world.database.connect().await;
    let count: i64 = client
        .query_one("SELECT count(*) FROM openeve.runs", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(count, 1);
}

#[tokio::test]
async fn a_terminal_status_never_changes() {
    let world = world(echo()).await;
    let run = world.say("c", "go").await;
    world.settle().await;
    let client = world.database.connect().await;
    let revive = "UPDATE openeve.runs SET status = 'running', finished_at = NULL";
    let refused = client.batch_execute(revive).await.unwrap_err();
    assert!(
        refused
            .as_db_error()
            .unwrap()
            .message()
            .contains("for good")
    );
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
}
