//! One check a clause: the one situation in which it alone decides.

use openeve_domain::commit::NewDelivery;
use openeve_domain::delivery::{PartSent, SendOutcome, settle};
use openeve_domain::ids::{DeliveryId, LeaseToken};
use openeve_domain::pause::{Decided, Decision, PauseKind, PauseStatus};
use openeve_domain::run::finish::final_key;
use openeve_domain::run::settle_calls::{Outcome, Returned, Settled, ToolOutput, settle_calls};
use openeve_domain::status::{DeliveryStatus, RunStatus, ToolCallStatus};
use openeve_runtime::ports::{Claim, CommitAnswer, Heartbeat};
use serde_json::{Value, json};

use super::{LEASE_MS, PAST_LEASE_MS, Subject, request};
use crate::manifest::manifest;

pub(super) async fn fence_epoch(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut stale = on.claimed(run).await?;
    on.bench.advance(PAST_LEASE_MS).await;
    on.claimed(run).await?;
    let commit = on.released(&stale);
    let answer = on.commit(&mut stale, &commit).await?;
    ensure!(
        answer == CommitAnswer::Superseded,
        "a stale epoch wrote: {answer:?}"
    );
    Ok(())
}

pub(super) async fn fence_commit_count(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    let first = on.batch(&state, &[None]);
    on.commit(&mut state, &first).await?;
    let outcome = Outcome {
        id: state.calls[0].id,
        result: Ok(Returned::Output(ToolOutput {
            result: json!(1),
            model_output: None,
        })),
        emitted: Vec::new(),
    };
    let Settled::Commit(second) = settle_calls(&mut state, vec![outcome], on.commit_id()) else {
        return Err("an unsafe outcome is durable".into());
    };
    on.commit(&mut state, &second).await?;
    let before = on.row(run).await?;
    let answer = on.store().commit(&first, LEASE_MS).await;
    ensure!(
        matches!(answer, Ok(CommitAnswer::Superseded)),
        "a late copy was answered {answer:?}"
    );
    ensure!(on.row(run).await? == before, "a late copy changed the run");
    Ok(())
}

pub(super) async fn fence_status_running(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    let commit = on.answered(&state);
    on.commit(&mut state, &commit).await?;
    let again = on.released(&state);
    let answer = on.store().commit(&again, LEASE_MS).await;
    ensure!(
        matches!(answer, Ok(CommitAnswer::Superseded)),
        "a run that had ended took {answer:?}"
    );
    Ok(())
}

pub(super) async fn cancel_wins(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let state = on.claimed(run).await?;
    let cancelled = on.store().cancel("tester", run, "ada").await;
    ensure!(cancelled.is_ok(), "a cancel was refused: {cancelled:?}");
    let before = on.row(run).await?;
    let answer = on.store().commit(&on.answered(&state), LEASE_MS).await;
    ensure!(
        matches!(answer, Ok(CommitAnswer::Cancelled)),
        "a cancelled run completed: {answer:?}"
    );
    ensure!(on.row(run).await? == before, "it changed the run");
    Ok(())
}

pub(super) async fn claim_status(on: &Subject) -> Result<(), String> {
    let waiting = on.waiting("w", 1).await?;
    let claim = on.claim(waiting.run_id).await?;
    ensure!(
        claim == Claim::Settled,
        "a waiting run was claimed: {claim:?}"
    );
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    let commit = on.answered(&state);
    on.commit(&mut state, &commit).await?;
    let claim = on.claim(run).await?;
    ensure!(
        claim == Claim::Settled,
        "a completed run was claimed: {claim:?}"
    );
    Ok(())
}

pub(super) async fn claim_lease(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    on.claimed(run).await?;
    let claim = on.claim(run).await?;
    ensure!(claim == Claim::Busy, "a live lease was taken: {claim:?}");
    Ok(())
}

pub(super) async fn claim_order(on: &Subject) -> Result<(), String> {
    on.run("c", "1").await?;
    let second = on.run("c", "2").await?;
    let claim = on.claim(second).await?;
    ensure!(
        claim == Claim::Behind,
        "the second run went first: {claim:?}"
    );
    Ok(())
}

pub(super) async fn claim_one_lease(on: &Subject) -> Result<(), String> {
    let first = on.waiting("c", 1).await?;
    let second = on.run("c", "2").await?;
    on.claimed(second).await?;
    on.decide(&Subject::decision(&first, 0, Some(Decision::Approve)))
        .await?;
    // The first is running again and nobody is ahead of it; the second holds the lease.
    let claim = on.claim(first.run_id).await?;
    ensure!(
        claim == Claim::Behind,
        "two runs of one conversation are leased: {claim:?}"
    );
    Ok(())
}

pub(super) async fn claim_counts_stall(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    on.claimed(run).await?;
    on.bench.advance(PAST_LEASE_MS).await;
    let state = on.claimed(run).await?;
    ensure!(
        state.recovery && state.stalls == 1,
        "a crash was not counted"
    );
    Ok(())
}

pub(super) async fn idempotency_key_unique(on: &Subject) -> Result<(), String> {
    let first = on.run("c", "1").await?;
    let again = on.arrival("c", "1");
    let again = on
        .store()
        .accept(&again)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(
        again.duplicate && again.run_id == first,
        "one key made two runs"
    );
    let runs = on.bench.snapshot().await.runs.len();
    ensure!(runs == 1, "one key made {runs} runs");
    Ok(())
}

pub(super) async fn delivery_key_unique(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    for _ in 0..2 {
        let mut commit = on.released(&state);
        commit.lease = openeve_domain::commit::Lease::Extend;
        commit.delivery = Some(NewDelivery {
            id: DeliveryId::new(on.uuid()),
            key: final_key(run),
            channel: "message".into(),
            target: Value::Null,
            text: "hi".into(),
            leased_by: None,
            lease_ms: LEASE_MS,
        });
        on.commit(&mut state, &commit).await?;
    }
    let owed = on.bench.snapshot().await.deliveries.len();
    ensure!(owed == 1, "one key owes {owed} replies");
    Ok(())
}

pub(super) async fn delivery_lease(on: &Subject) -> Result<(), String> {
    let id = on.owed("c").await?;
    let lease = |token| {
        let store = on.store();
        async move { store.lease_delivery(id, token, LEASE_MS).await }
    };
    let [one, two] = [0, 1].map(|_| LeaseToken::new(on.uuid()));
    let first = lease(one).await.map_err(|error| error.to_string())?;
    ensure!(first.is_some(), "a delivery that is due is not leased");
    let second = lease(two).await.map_err(|error| error.to_string())?;
    ensure!(second.is_none(), "two senders hold one delivery");
    Ok(())
}

pub(super) async fn delivery_token(on: &Subject) -> Result<(), String> {
    let id = on.owed("c").await?;
    let [one, two] = [0, 1].map(|_| LeaseToken::new(on.uuid()));
    let late = on.store().lease_delivery(id, one, LEASE_MS).await;
    let late = late
        .map_err(|error| error.to_string())?
        .ok_or("it is due")?;
    on.bench.advance(PAST_LEASE_MS).await;
    let own = on.store().lease_delivery(id, two, LEASE_MS).await;
    let own = own
        .map_err(|error| error.to_string())?
        .ok_or("its sender vanished")?;
    ensure!(own.interrupted, "the sender before was interrupted");
    let refused = SendOutcome::Refused {
        error: "late".into(),
    };
    let settled = on
        .store()
        .settle_delivery(&settle(&late, refused, 0, 8, 0.0))
        .await;
    ensure!(settled == Ok(false), "a stale token settled: {settled:?}");
    let status = on.bench.snapshot().await.deliveries[0].status;
    ensure!(
        status == DeliveryStatus::Sending,
        "a stale token changed it to {status:?}"
    );
    Ok(())
}

pub(super) async fn part_token(on: &Subject) -> Result<(), String> {
    let id = on.owed("c").await?;
    let [one, two] = [0, 1].map(|_| LeaseToken::new(on.uuid()));
    on.store()
        .lease_delivery(id, one, LEASE_MS)
        .await
        .map_err(|error| error.to_string())?;
    on.bench.advance(PAST_LEASE_MS).await;
    on.store()
        .lease_delivery(id, two, LEASE_MS)
        .await
        .map_err(|error| error.to_string())?;
    let part = PartSent {
        id,
        token: one,
        parts_sent: 1,
        provider_id: None,
    };
    let recorded = on.store().part_sent(&part, LEASE_MS).await;
    ensure!(
        recorded == Ok(false),
        "a stale token recorded a part: {recorded:?}"
    );
    Ok(())
}

pub(super) async fn pause_pending(on: &Subject) -> Result<(), String> {
    let state = on.waiting("c", 2).await?;
    let reason = String::new();
    on.decide(&Subject::decision(&state, 0, Some(Decision::Approve)))
        .await?;
    let second = on
        .decide(&Subject::decision(
            &state,
            0,
            Some(Decision::Reject { reason }),
        ))
        .await?;
    ensure!(
        matches!(second, Decided::Already { .. }),
        "decided twice: {second:?}"
    );
    let pauses = on.bench.snapshot().await.pauses;
    let approved = pauses
        .iter()
        .filter(|pause| pause.decision == Some(Decision::Approve));
    ensure!(approved.count() == 1, "the first decision was overwritten");
    Ok(())
}

pub(super) async fn due_runs(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    on.claimed(run).await?;
    let agent = manifest(Vec::new()).agent.id;
    let early = on
        .store()
        .due(&agent, 10, 5_000, 0)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(early.runs.is_empty(), "a leased run is rung");
    on.bench.advance(PAST_LEASE_MS).await;
    let due = on
        .store()
        .due(&agent, 10, 5_000, 0)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(due.runs.len() == 1, "a lost run is not found");
    Ok(())
}

pub(super) async fn due_deliveries(on: &Subject) -> Result<(), String> {
    let id = on.owed("c").await?;
    let token = LeaseToken::new(on.uuid());
    on.store()
        .lease_delivery(id, token, LEASE_MS)
        .await
        .map_err(|error| error.to_string())?;
    on.bench.advance(PAST_LEASE_MS).await;
    let agent = manifest(Vec::new()).agent.id;
    let due = on
        .store()
        .due(&agent, 10, 5_000, 0)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(
        due.deliveries.len() == 1,
        "a delivery whose sender vanished is not found"
    );
    Ok(())
}

pub(super) async fn due_pauses(on: &Subject) -> Result<(), String> {
    let state = on.waiting("c", 1).await?;
    on.bench
        .advance(i64::try_from(state.pause_ttl_ms).unwrap() + 1_000)
        .await;
    let agent = manifest(Vec::new()).agent.id;
    let due = on
        .store()
        .due(&agent, 10, 5_000, 0)
        .await
        .map_err(|error| error.to_string())?;
    ensure!(
        due.expired.len() == 1,
        "a pause nobody decided is not found"
    );
    Ok(())
}

pub(super) async fn withdraw_on_end(on: &Subject) -> Result<(), String> {
    let state = on.waiting("c", 2).await?;
    let cancel = on
        .store()
        .cancel(&manifest(Vec::new()).agent.id, state.run_id, "ada")
        .await;
    cancel.map_err(|error| error.to_string())?;
    let mut state = on.claimed(state.run_id).await?;
    let commit = openeve_domain::run::cancel::cancel(&state, on.commit_id());
    on.commit(&mut state, &commit).await?;
    let pauses = on.bench.snapshot().await.pauses;
    let open = pauses
        .iter()
        .filter(|pause| pause.status == PauseStatus::Pending)
        .count();
    ensure!(open == 0, "{open} pauses outlive their run");
    Ok(())
}

/// A question is asked and answered while another call of the batch still runs: when that one ends,
/// there is nothing to wait for.
pub(super) async fn waiting_recomputed(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let mut state = on.claimed(run).await?;
    let commit = on.batch(&state, &[None, None]);
    on.commit(&mut state, &commit).await?;
    let asks = Outcome {
        id: state.calls[0].id,
        result: Ok(Returned::Pause(request(PauseKind::Input))),
        emitted: Vec::new(),
    };
    let Settled::Commit(commit) = settle_calls(&mut state, vec![asks], on.commit_id()) else {
        return Err("a pause is durable".into());
    };
    on.commit(&mut state, &commit).await?;
    let answer = Decision::Answer { text: "yes".into() };
    let decided = on
        .decide(&Subject::decision(&state, 0, Some(answer)))
        .await?;
    ensure!(
        decided == Decided::Taken { resumes: false },
        "it still runs: {decided:?}"
    );
    let ends = Outcome {
        id: state.calls[1].id,
        result: Err("broken".into()),
        emitted: Vec::new(),
    };
    let Settled::Commit(commit) = settle_calls(&mut state, vec![ends], on.commit_id()) else {
        return Err("an unsafe outcome is durable".into());
    };
    ensure!(
        commit.status == RunStatus::WaitingInput,
        "its holder thinks it waits"
    );
    on.commit(&mut state, &commit).await?;
    let row = on.row(run).await?;
    ensure!(
        row.status == RunStatus::Running && !row.leased,
        "it waits for what was decided: {:?}",
        row.status
    );
    Ok(())
}

pub(super) async fn expired_only_when_due(on: &Subject) -> Result<(), String> {
    let state = on.waiting("c", 1).await?;
    on.decide(&Subject::decision(&state, 0, None)).await?;
    let pauses = on.bench.snapshot().await.pauses;
    ensure!(
        pauses[0].status == PauseStatus::Pending,
        "a pause expired before its time"
    );
    Ok(())
}

pub(super) async fn heartbeat_epoch(on: &Subject) -> Result<(), String> {
    let run = on.run("c", "1").await?;
    let stale = on.claimed(run).await?;
    on.bench.advance(PAST_LEASE_MS).await;
    on.claimed(run).await?;
    let beat = on.store().heartbeat(run, stale.epoch, LEASE_MS).await;
    ensure!(
        beat == Ok(Heartbeat::Superseded),
        "a stale epoch's heart beats: {beat:?}"
    );
    Ok(())
}

pub(super) async fn events_dense(on: &Subject) -> Result<(), String> {
    let mut state = on.waiting("c", 2).await?;
    for at in 0..2 {
        on.decide(&Subject::decision(&state, at, Some(Decision::Approve)))
            .await?;
    }
    state = on.claimed(state.run_id).await?;
    let Settled::Commit(commit) = settle_calls(&mut state, Vec::new(), on.commit_id()) else {
        return Err("the first approved call starts".into());
    };
    on.commit(&mut state, &commit).await?;
    ensure!(
        state.calls[0].status == ToolCallStatus::Started,
        "the first approved call starts"
    );
    let snapshot = on.bench.snapshot().await;
    let numbers: Vec<i64> = snapshot.events.iter().map(|event| event.seq).collect();
    let wanted: Vec<i64> = (1..=snapshot.runs[0].event_seq).collect();
    ensure!(numbers == wanted, "events are numbered {numbers:?}");
    Ok(())
}
