//! What is true of every history, whatever went wrong: protocol section 8, checked over all rows.

use std::collections::{BTreeMap, HashMap, HashSet};

use openeve_domain::event;
use openeve_domain::ids::{RunId, ToolCallId};
use openeve_domain::pause::{Decision, PauseStatus};
use openeve_domain::status::{DeliveryStatus, RunStatus, SideEffects, ToolCallStatus};
use openeve_domain::usage::Usage;
use openeve_memory::snapshot::{CallRow, EventRow, RunRow, Snapshot};
use serde_json::Value;

use super::core::{Core, Effect, Post};
use super::scenario::Scenario;

/// What still needs work: nothing, when a history is over.
pub(super) fn open(snapshot: &Snapshot) -> Vec<String> {
    let runs = snapshot
        .runs
        .iter()
        .filter(|run| !run.status.is_terminal())
        .map(|run| format!("{} is {}", run.id, run.status.as_str()));
    let deliveries = snapshot
        .deliveries
        .iter()
        .filter(|delivery| !delivery.status.is_terminal())
        .map(|delivery| format!("{} is {}", delivery.id, delivery.status.as_str()));
    runs.chain(deliveries).collect()
}

/// Every invariant that the rows of a history that is over can break.
pub fn rows(snapshot: &Snapshot) -> Vec<String> {
    let mut broken = Vec::new();
    let events = by_run(snapshot);
    for run in &snapshot.runs {
        let own = events.get(&run.id).map_or(&[][..], Vec::as_slice);
        broken.extend(dense(run, own));
        broken.extend(ended_once(run, own));
        broken.extend(cancel_wins(run, own));
        broken.extend(one_obligation(run, snapshot));
        broken.extend(sums(run, snapshot));
        if run.status.is_terminal() && run.leased {
            broken.push(format!("I5: {} has ended and is leased", run.id));
        }
    }
    for call in &snapshot.calls {
        let own = events.get(&call.run_id).map_or(&[][..], Vec::as_slice);
        broken.extend(one_outcome(call, own));
        broken.extend(gate(call, own, snapshot));
    }
    broken.extend(keys(snapshot));
    broken.extend(no_open_pause(snapshot));
    broken
}

/// Every invariant of a history that is over.
pub(super) fn check(
    scenario: &Scenario,
    snapshot: &Snapshot,
    core: &Core,
    answered: &[String],
) -> Vec<String> {
    let mut broken = rows(snapshot);
    broken.extend(effects(snapshot, &core.effects));
    broken.extend(posts(scenario, snapshot, &core.posts));
    broken.extend(arrivals(scenario, snapshot, answered));
    broken.extend(order(snapshot));
    if scenario.completes && core.faults == 0 {
        let failed = snapshot
            .runs
            .iter()
            .filter(|run| run.status != RunStatus::Completed);
        broken.extend(failed.map(|run| format!("{} ended {:?}", run.id, run.failure_code)));
    }
    broken.extend(bound(scenario, snapshot));
    broken
}

/// Whoever was told that a run will be cancelled was told the truth.
fn cancel_wins(run: &RunRow, own: &[&EventRow]) -> Option<String> {
    let asked = own
        .iter()
        .any(|event| event.kind == event::RUN_CANCEL_REQUESTED);
    let completed = run.status == RunStatus::Completed;
    (asked && completed).then(|| format!("E8: {} completed after it was cancelled", run.id))
}

fn by_run(snapshot: &Snapshot) -> HashMap<RunId, Vec<&EventRow>> {
    let mut events: HashMap<RunId, Vec<&EventRow>> = HashMap::new();
    for event in &snapshot.events {
        events.entry(event.run_id).or_default().push(event);
    }
    events
}

fn dense(run: &RunRow, events: &[&EventRow]) -> Option<String> {
    let numbers: Vec<i64> = events.iter().map(|event| event.seq).collect();
    let wanted: Vec<i64> = (1..=run.event_seq).collect();
    (numbers != wanted).then(|| {
        format!(
            "I3: the events of {} are {numbers:?}, its count is {}",
            run.id, run.event_seq
        )
    })
}

fn ended_once(run: &RunRow, events: &[&EventRow]) -> Option<String> {
    let ends: Vec<&str> = events
        .iter()
        .map(|event| event.kind.as_str())
        .filter(|kind| {
            [
                event::RUN_COMPLETED,
                event::RUN_FAILED,
                event::RUN_CANCELLED,
            ]
            .contains(kind)
        })
        .collect();
    let wanted: &[&str] = match run.status {
        RunStatus::Completed => &[event::RUN_COMPLETED],
        RunStatus::Failed => &[event::RUN_FAILED],
        RunStatus::Cancelled => &[event::RUN_CANCELLED],
        RunStatus::Created
        | RunStatus::Running
        | RunStatus::WaitingApproval
        | RunStatus::WaitingInput
        | RunStatus::WaitingAuthorization => &[],
    };
    (ends != wanted).then(|| {
        format!(
            "I5: {} is {:?} and its log says {ends:?}",
            run.id, run.status
        )
    })
}

fn one_obligation(run: &RunRow, snapshot: &Snapshot) -> Option<String> {
    let owed = snapshot
        .deliveries
        .iter()
        .filter(|delivery| delivery.run_id == run.id && delivery.key.starts_with("final:"))
        .count();
    let wanted = usize::from(run.status == RunStatus::Completed);
    (owed != wanted).then(|| format!("I9: {} is {:?} and owes {owed} replies", run.id, run.status))
}

fn sums(run: &RunRow, snapshot: &Snapshot) -> Option<String> {
    let sum = snapshot
        .usage
        .iter()
        .filter(|usage| usage.run_id == run.id)
        .fold(Usage::default(), |sum, row| sum.plus(row.usage));
    (sum != run.usage).then(|| format!("I15: {} says {:?}, its rows {sum:?}", run.id, run.usage))
}

fn of_call<'a>(events: &'a [&'a EventRow], id: ToolCallId) -> impl Iterator<Item = &'a EventRow> {
    let id = id.to_string();
    events
        .iter()
        .copied()
        .filter(move |event| event.payload.get("call").and_then(Value::as_str) == Some(&id))
}

fn one_outcome(call: &CallRow, events: &[&EventRow]) -> Option<String> {
    let outcomes = [
        event::TOOL_SUCCEEDED,
        event::TOOL_FAILED,
        event::TOOL_INTERRUPTED,
        event::TOOL_CANCELLED,
        event::TOOL_SKIPPED,
        event::TOOL_REJECTED,
    ];
    let mut started = false;
    let mut ended = 0;
    for event in of_call(events, call.id) {
        started |= event.kind == event::TOOL_STARTED;
        if outcomes.contains(&event.kind.as_str()) {
            ended += 1;
            let needs_start = outcomes[..3].contains(&event.kind.as_str());
            if needs_start && !started {
                return Some(format!("I6: {} has an outcome and never started", call.id));
            }
        }
    }
    let wanted = usize::from(call.status.is_settled());
    (ended != wanted).then(|| format!("I6: {} is {:?} with {ended} outcomes", call.id, call.status))
}

/// I7: a gated call starts under an approval of its own generation, and once for it.
fn gate(call: &CallRow, events: &[&EventRow], snapshot: &Snapshot) -> Option<String> {
    if !call.gated {
        return None;
    }
    let mut seen = HashSet::new();
    for event in of_call(events, call.id).filter(|event| event.kind == event::TOOL_STARTED) {
        let generation = event.payload.get("generation").and_then(Value::as_i64);
        let approved = snapshot.pauses.iter().any(|pause| {
            pause.call_id == call.id
                && Some(pause.generation) == generation
                && pause.status == PauseStatus::Decided
                && !matches!(pause.decision, Some(Decision::Reject { .. }))
        });
        if !approved {
            return Some(format!("I7: {} started without its approval", call.id));
        }
        if !seen.insert(generation) {
            return Some(format!("I7: {} started twice for one approval", call.id));
        }
    }
    None
}

fn keys(snapshot: &Snapshot) -> Vec<String> {
    let mut seen: BTreeMap<RunId, usize> = BTreeMap::new();
    for key in snapshot.keys.iter().filter(|key| key.scope != "resume") {
        if let Some(run_id) = key.run_id {
            *seen.entry(run_id).or_default() += 1;
        }
    }
    let missing = snapshot
        .runs
        .iter()
        .filter(|run| !seen.contains_key(&run.id))
        .map(|run| format!("I1: {} came without a key", run.id));
    missing.collect()
}

fn no_open_pause(snapshot: &Snapshot) -> Vec<String> {
    let ended: HashSet<RunId> = snapshot
        .runs
        .iter()
        .filter(|run| run.status.is_terminal())
        .map(|run| run.id)
        .collect();
    let open = snapshot
        .pauses
        .iter()
        .filter(|pause| pause.status == PauseStatus::Pending && ended.contains(&pause.run_id));
    open.map(|pause| {
        format!(
            "I7: {} still waits although its run has ended",
            pause.call_id
        )
    })
    .collect()
}

/// I7 and I8: what ran, against what may.
fn effects(snapshot: &Snapshot, effects: &[Effect]) -> Vec<String> {
    let mut broken = Vec::new();
    let mut ran: HashMap<(ToolCallId, usize), usize> = HashMap::new();
    for effect in effects {
        *ran.entry((effect.call_id, effect.answers)).or_default() += 1;
    }
    for ((id, _), times) in &ran {
        let Some(call) = snapshot.calls.iter().find(|call| call.id == *id) else {
            broken.push(format!("I6: {id} ran and was never recorded"));
            continue;
        };
        if call.side_effects == SideEffects::Unsafe && *times > 1 {
            broken.push(format!(
                "I8: the unsafe {} {id} ran {times} times",
                call.name
            ));
        }
        if !call.started {
            broken.push(format!("I6: {id} ran without a recorded start"));
        }
        let refused = matches!(
            call.status,
            ToolCallStatus::Rejected | ToolCallStatus::Skipped | ToolCallStatus::Cancelled
        );
        if refused && call.side_effects != SideEffects::None {
            broken.push(format!("I7: {id} ran and is {:?}", call.status));
        }
    }
    // What is said to have succeeded did happen.
    for call in &snapshot.calls {
        let silent = call.name == openeve_domain::core_tools::ASK_QUESTION;
        let happened = ran.keys().any(|(id, _)| *id == call.id);
        if call.status == ToolCallStatus::Succeeded && !silent && !happened {
            broken.push(format!("{} {} succeeded and never ran", call.name, call.id));
        }
    }
    broken
}

/// I10: what receivers saw.
fn posts(scenario: &Scenario, snapshot: &Snapshot, posts: &[Post]) -> Vec<String> {
    let mut broken = Vec::new();
    for delivery in &snapshot.deliveries {
        let own: Vec<u32> = posts
            .iter()
            .filter(|post| post.delivery_id == delivery.id)
            .map(|post| post.part)
            .collect();
        let mut first: Vec<u32> = Vec::new();
        for part in &own {
            if !first.contains(part) {
                first.push(*part);
            }
        }
        if !first.is_sorted() || first.first().is_some_and(|part| *part != 0) {
            broken.push(format!("I10: the parts of {} came as {own:?}", delivery.id));
        }
        if !scenario.dedupes && own.len() > first.len() {
            broken.push(format!("I10: {} was posted twice: {own:?}", delivery.id));
        }
        let sent = i64::try_from(first.len()).unwrap_or(0);
        if delivery.status == DeliveryStatus::Sent && sent != delivery.parts_sent.max(1) {
            broken.push(format!(
                "I9: {} is sent and {sent} parts arrived",
                delivery.id
            ));
        }
    }
    let known: HashSet<_> = snapshot.deliveries.iter().map(|one| one.id).collect();
    for post in posts
        .iter()
        .filter(|post| !known.contains(&post.delivery_id))
    {
        broken.push(format!(
            "I9: {} was posted and never owed",
            post.delivery_id
        ));
    }
    broken
}

/// I1 and I12: what arrived, against the runs there are.
fn arrivals(scenario: &Scenario, snapshot: &Snapshot, answered: &[String]) -> Vec<String> {
    let mut broken = Vec::new();
    let by_message = |run: &&RunRow| run.trigger == "message";
    let runs = snapshot.runs.iter().filter(by_message).count();
    let keys = snapshot
        .keys
        .iter()
        .filter(|key| key.scope.starts_with("channel:"))
        .count();
    let said = scenario.says.len() + answered.len();
    if keys != said {
        broken.push(format!(
            "I1: {said} messages were acknowledged, {keys} are known"
        ));
    }
    // A message that was meant as an answer is one, or comes late and is a turn of its own.
    if runs < scenario.says.len() || runs > said {
        broken.push(format!("I1: {said} messages became {runs} runs"));
    }
    let occurrences = snapshot.occurrences.len() as u64;
    let fired = snapshot
        .runs
        .iter()
        .filter(|run| run.trigger == "schedule")
        .count() as u64;
    if fired != occurrences || fired < scenario.fires {
        broken.push(format!(
            "I12: {} fires were due, {occurrences} came, {fired} ran",
            scenario.fires
        ));
    }
    broken
}

/// I11: in a conversation a run begins only when those before it have ended or wait.
fn order(snapshot: &Snapshot) -> Vec<String> {
    let events = by_run(snapshot);
    let begun = |run: &RunRow| {
        let own = events.get(&run.id)?;
        own.iter()
            .find(|event| event.kind == event::MODEL_RESPONDED)
            .map(|event| event.at)
    };
    let freed = |run: &RunRow| {
        let own = events.get(&run.id)?;
        own.iter()
            .find(|event| event.kind == event::RUN_WAITING)
            .map(|event| event.at)
            .or(run.finished_at)
    };
    let mut broken = Vec::new();
    for run in &snapshot.runs {
        let before = snapshot.runs.iter().filter(|other| {
            other.conversation_id == run.conversation_id && other.position < run.position
        });
        for other in before {
            if let (Some(begun), Some(freed)) = (begun(run), freed(other))
                && begun < freed
            {
                broken.push(format!(
                    "I11: {} began before {} was done",
                    run.id, other.id
                ));
            }
        }
    }
    broken
}

/// What one call of the simulated model costs, in millionths of a dollar.
const ONE_CALL: u64 = 7;

/// I18: a bound on money is passed by one call at most.
fn bound(scenario: &Scenario, snapshot: &Snapshot) -> Vec<String> {
    let knob = scenario
        .knobs
        .iter()
        .find(|(name, _)| *name == "OPENEVE_RUN_MAX_COST_MICROS");
    let Some(max) = knob.and_then(|(_, value)| value.parse::<u64>().ok()) else {
        return Vec::new();
    };
    let over = snapshot
        .runs
        .iter()
        .filter(|run| run.usage.cost_micros >= max + ONE_CALL);
    over.map(|run| format!("I18: {} cost {} of {max}", run.id, run.usage.cost_micros))
        .collect()
}
