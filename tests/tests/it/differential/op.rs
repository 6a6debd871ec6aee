//! An operation with every value it needs, and what a store answers, free of the clock.

use jiff::Timestamp;
use openeve_domain::bell::Place;
use openeve_domain::commit::{Accept, Commit, Failure};
use openeve_domain::delivery::{LeasedDelivery, PartSent, Settlement};
use openeve_domain::ids::{DeliveryId, LeaseToken, RunId};
use openeve_domain::pause::{Decide, Decided};
use openeve_domain::retry::Class;
use openeve_runtime::ports::{
    Accepted, Cancelled, Claim, CommitAnswer, Due, Heartbeat, Need, Needs, Pauses, PortError,
    Redriven, RunView, Store, StoredEvent, Swept,
};

/// One operation.
#[derive(Debug, Clone)]
pub(super) enum Op {
    Accept(Box<Accept>),
    Claim(RunId, LeaseToken, u64),
    Commit(Box<Commit>, u64),
    Heartbeat(RunId, i64, u64),
    Decide(Decide),
    Cancel(&'static str, RunId, &'static str),
    SetAside(RunId, LeaseToken, Failure, u64),
    RedriveRun(&'static str, RunId, RunId),
    RedriveDelivery(&'static str, DeliveryId, DeliveryId),
    Lease(DeliveryId, LeaseToken, u64),
    Part(PartSent, u64),
    Settle(Settlement),
    Due(&'static str, u64, u64, u64),
    Sweep(u64),
    View(&'static str, RunId),
    Pauses(&'static str, RunId),
    Events(&'static str, RunId, i64, u64),
    Need(&'static str, Place),
    /// This many minutes pass.
    Pass(i64),
}

/// What a store answered. Times are minutes from now.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Accepted(Accepted),
    Claim(Claim),
    Commit(CommitAnswer),
    Heartbeat(Heartbeat),
    Decided(Decided),
    Cancelled(Cancelled),
    Whether(bool),
    Redriven(Redriven),
    Leased(Option<LeasedDelivery>),
    Due(Due),
    Swept(Swept),
    View(Option<RunView>),
    Pauses(Option<Pauses>),
    Events(Vec<StoredEvent>),
    Need(Need),
    Refused(Class, &'static str),
    Passed,
}

/// Asks a store, whose clock says that it is `now`.
pub(super) async fn ask(store: &(impl Store + Needs), op: &Op, now: i64) -> Answer {
    match op {
        Op::Accept(accept) => of(store.accept(accept).await, Answer::Accepted),
        Op::Claim(run, token, lease_ms) => {
            let claim = store.claim(*run, *token, *lease_ms).await;
            of(claim.map(rounded), Answer::Claim)
        }
        Op::Commit(commit, lease_ms) => of(store.commit(commit, *lease_ms).await, Answer::Commit),
        Op::Heartbeat(run, epoch, lease_ms) => {
            let beat = store.heartbeat(*run, *epoch, *lease_ms).await;
            of(beat, Answer::Heartbeat)
        }
        Op::Decide(decide) => of(store.decide(decide).await, Answer::Decided),
        Op::Cancel(agent, run, by) => of(store.cancel(agent, *run, by).await, Answer::Cancelled),
        Op::SetAside(run, token, why, wait_ms) => {
            let aside = store.set_aside(*run, *token, why, *wait_ms).await;
            of(aside, Answer::Whether)
        }
        Op::RedriveRun(agent, run, fresh) => of(
            store.redrive_run(agent, *run, *fresh).await,
            Answer::Redriven,
        ),
        Op::RedriveDelivery(agent, id, fresh) => {
            let redriven = store.redrive_delivery(agent, *id, *fresh).await;
            of(redriven, Answer::Redriven)
        }
        Op::Lease(id, token, lease_ms) => {
            let leased = store.lease_delivery(*id, *token, *lease_ms).await;
            of(leased, Answer::Leased)
        }
        Op::Part(part, lease_ms) => of(store.part_sent(part, *lease_ms).await, Answer::Whether),
        Op::Settle(settlement) => of(store.settle_delivery(settlement).await, Answer::Whether),
        Op::Due(agent, limit, grace_ms, horizon_ms) => {
            let mut due = store.due(agent, *limit, *grace_ms, *horizon_ms).await;
            for (_, _, wait_ms) in due.iter_mut().flat_map(|due| &mut due.expiring) {
                *wait_ms = (*wait_ms + 30_000) / 60_000;
            }
            of(due, Answer::Due)
        }
        Op::Sweep(limit) => of(store.sweep(*limit).await, Answer::Swept),
        Op::View(agent, run) => {
            let view = store.run_view(agent, *run).await;
            let view = view.map(|view| view.map(|view| seen(view, now)));
            of(view, Answer::View)
        }
        Op::Pauses(agent, run) => {
            let mut pauses = store.pauses(agent, *run).await;
            for one in pauses.iter_mut().flatten().flat_map(|all| &mut all.pauses) {
                one.expires_at = from_now(one.expires_at, now);
            }
            of(pauses, Answer::Pauses)
        }
        Op::Events(agent, run, after, limit) => {
            let mut events = store.run_events(agent, *run, *after, *limit).await;
            for event in events.iter_mut().flatten() {
                event.at = from_now(event.at, now);
            }
            of(events, Answer::Events)
        }
        Op::Need(agent, at) => of(store.need(agent, *at).await, Answer::Need),
        Op::Pass(_) => Answer::Passed,
    }
}

fn of<T>(answer: Result<T, PortError>, into: fn(T) -> Answer) -> Answer {
    match answer {
        Ok(answer) => into(answer),
        Err(error) => Answer::Refused(error.class, error.code),
    }
}

fn rounded(claim: Claim) -> Claim {
    match claim {
        Claim::Claimed(mut state) => {
            state.wall_ms = (state.wall_ms + 30_000) / 60_000;
            Claim::Claimed(state)
        }
        Claim::NotYet { wait_ms } => Claim::NotYet {
            wait_ms: (wait_ms + 30_000) / 60_000,
        },
        Claim::Busy | Claim::Behind | Claim::Settled | Claim::Unknown => claim,
    }
}

fn seen(mut view: RunView, now: i64) -> RunView {
    view.created_at = from_now(view.created_at, now);
    view.finished_at = view.finished_at.map(|at| from_now(at, now));
    view
}

/// A time as minutes from now, in the clothes of a time.
fn from_now(at: Timestamp, now: i64) -> Timestamp {
    Timestamp::from_second(minutes(at.as_millisecond(), now) * 60).unwrap()
}

/// Whole minutes from now.
pub(super) fn minutes(at: i64, now: i64) -> i64 {
    (at - now + 30_000).div_euclid(60_000)
}
