//! B, second half: runs that are resumed late, elsewhere, or with something missing.

use std::sync::Arc;

use openeve_domain::ids::RunId;
use openeve_domain::manifest::Manifest;
use openeve_domain::pause::Decision;
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_runtime::ports::Store as _;
use openeve_runtime::resume::Outcome;
use openeve_runtime::step::{StepDeps, Stepped, step};
use openeve_tests::World;

use super::support::{
    STEP_MS, When, aged_tick, batches, begun, decide, dies, gated, gated_world, paused, times,
};
use crate::support::{echo, options, tool_turns, world};

const DEGRADED: &str = "harness.resume_degraded";

/// The agent of [`gated_world`] under another revision.
fn revision(name: &str) -> Manifest {
    let mut manifest = options(echo()).manifest;
    manifest.tools.push(gated("pay"));
    manifest.revision = name.into();
    manifest
}

/// Resumes an approved run with a later revision of its agent.
async fn resumed_with(world: &World, run: RunId, manifest: Manifest) -> Stepped {
    let deps = StepDeps {
        manifest: Arc::new(manifest),
        ..world.step_deps()
    };
    step(&deps, run, STEP_MS).await.unwrap()
}

/// A run that waits for an approval and gets it; nobody has resumed it yet.
async fn approved(world: &World) -> RunId {
    let run = paused(world).await;
    let taken = decide(world, run, 0, Decision::Approve).await;
    assert!(matches!(taken, Outcome::Taken { resumes: true, .. }));
    world.bells.take();
    run
}

/// Public case B22 (mastra-ai/mastra #19056).
#[tokio::test]
async fn b22_a_run_whose_holder_was_killed_is_rung_again_and_completes() {
    let world = world(tool_turns("keyed", 2)).await;
    let run = begun(&world).await;
    dies(world.step_deps(), run, 2, When::Before).await;
    assert_eq!(world.view(run).await.status, RunStatus::Running);
    world.expire_leases().await;
    assert_eq!(aged_tick(&world).await.runs_rung, 1);
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.sender.attempts().len(), 1);
    world.assert_invariants().await;
}

/// Public case B24 (vercel/workflow #1203).
#[tokio::test]
async fn b24_a_paused_run_resumes_twenty_five_deploys_later() {
    let world = gated_world(batches(&[&["act"], &["pay"]])).await;
    let run = approved(&world).await;
    for number in 2..=26 {
        let later = revision(&format!("revision-{number}"));
        world.store.register(&later).await.unwrap();
    }
    let stepped = resumed_with(&world, run, revision("revision-26")).await;
    assert_eq!(stepped, Stepped::Ended);
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(times(&world, run, DEGRADED).await, 0, "in place");
    assert_eq!(world.tools.ran().len(), 2);
}

/// Public case B25 (moira-mcp/moira #202, #203).
#[tokio::test]
async fn b25_a_changed_description_strands_no_paused_run() {
    let world = gated_world(batches(&[&["pay"]])).await;
    let run = approved(&world).await;
    let mut later = revision("revision-2");
    later.instructions = "Be briefer.".into();
    later.agent.description = Some("Described anew.".into());
    for tool in &mut later.tools {
        tool.description = "Described anew.".into();
    }
    assert_eq!(resumed_with(&world, run, later).await, Stepped::Ended);
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(times(&world, run, DEGRADED).await, 0, "in place");
    assert_eq!(world.tools.ran().len(), 1);
}

/// Public case B26 (ablative-io/aion #178).
#[tokio::test]
async fn b26_an_approval_for_a_tool_that_is_gone_is_told_to_the_model_and_the_log() {
    let world = gated_world(batches(&[&["pay"]])).await;
    let run = approved(&world).await;
    let mut later = revision("revision-2");
    later.tools.retain(|tool| tool.name != "pay");
    assert_eq!(resumed_with(&world, run, later).await, Stepped::Ended);
    let view = world.view(run).await;
    assert_eq!(view.status, RunStatus::Completed, "not parked unseen");
    let reply = view.reply.unwrap();
    assert!(reply.contains("there is no tool \\\"pay\\\""), "{reply}");
    assert_eq!(times(&world, run, DEGRADED).await, 1);
    assert!(world.tools.ran().is_empty());
    world.assert_invariants().await;
}

/// Public case B28 (echoVic/orca-agent #84). After a crash without a continuation nothing tells how
/// far the engine was, so the run ends by name.
#[tokio::test]
async fn b28_a_missing_continuation_degrades_on_record_and_the_run_ends() {
    let world = gated_world(batches(&[&["act"], &["pay"]])).await;
    let run = approved(&world).await;
    let client = world.database.connect().await;
    let lose = "DELETE FROM openeve.checkpoints";
    client.batch_execute(lose).await.unwrap();
    assert_eq!(world.step(run).await, Ok(Stepped::Ended));
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 2, "the transcript is enough");
    assert_eq!(times(&world, run, DEGRADED).await, 1, "and it is on record");

    let crashed = begun(&world).await;
    dies(world.step_deps(), crashed, 0, When::After).await;
    client.batch_execute(lose).await.unwrap();
    world.expire_leases().await;
    world.tick_late().await;
    let failure = world.view(crashed).await.failure.unwrap();
    assert_eq!(failure.code, "unrecoverable");
    assert_eq!(times(&world, crashed, DEGRADED).await, 1);
    world.assert_invariants().await;
}

/// Public case B31 (OpenHands/OpenHands-CLI #423).
#[tokio::test]
async fn b31_a_confirmation_after_an_hour_is_executed() {
    let world = gated_world(batches(&[&["pay"]])).await;
    let run = paused(&world).await;
    let client = world.database.connect().await;
    let hour = "UPDATE openeve.runs SET updated_at = updated_at - INTERVAL '1 hour', \
                wall_from = wall_from - INTERVAL '1 hour'; \
                UPDATE openeve.pauses SET created_at = created_at - INTERVAL '1 hour', \
                expires_at = expires_at - INTERVAL '1 hour'";
    client.batch_execute(hour).await.unwrap();
    world.tick_late().await;
    assert_eq!(world.view(run).await.status, RunStatus::WaitingApproval);
    let taken = decide(&world, run, 0, Decision::Approve).await;
    assert!(matches!(taken, Outcome::Taken { resumes: true, .. }));
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
    let next = world.say("c", "and on").await;
    world.settle().await;
    assert_eq!(world.view(next).await.status, RunStatus::WaitingApproval);
    world.assert_invariants().await;
}

/// Public case B32 (langgenius/dify #14362, mastra-ai/mastra #10752).
#[tokio::test]
async fn b32_a_kill_around_the_final_commit_leaves_no_run_running() {
    let world = world(tool_turns("act", 1)).await;
    for (when, replies) in [(When::Before, 1), (When::After, 2)] {
        let run = begun(&world).await;
        dies(world.step_deps(), run, 2, when).await;
        let status = world.view(run).await.status;
        let ended = when == When::After;
        assert_eq!(status == RunStatus::Completed, ended, "with its result");
        world.expire_leases().await;
        world.tick_late().await;
        let view = world.view(run).await;
        assert_eq!(view.status, RunStatus::Completed);
        assert_eq!(view.delivery, Some(DeliveryStatus::Sent), "{when:?}");
        assert_eq!(world.sender.attempts().len(), replies);
    }
    world.assert_invariants().await;
}
