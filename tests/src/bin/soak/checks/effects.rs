//! Effects: what the tools really did, held against what the database says they did.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{CallRow, Facts, Messages, RunRow};
use crate::plan::Tool;
use crate::report::Report;
use crate::traces::Effect;

const ONCE: &str = "I8 an unsafe tool ran more than once";
const KEY: &str = "I6 a call runs under one key of its own";
const INTENT: &str = "an effect has its intent in the database";
const PLAN: &str = "I13 a completed run made exactly the calls of its plan";

pub(super) fn check(
    effects: &[Effect],
    facts: &Facts,
    messages: &Messages<'_>,
    report: &mut Report,
) {
    let calls: HashMap<&str, &CallRow> = facts
        .calls
        .iter()
        .map(|call| (call.id.as_str(), call))
        .collect();
    let mut by_call: BTreeMap<&str, Vec<&Effect>> = BTreeMap::new();
    let mut by_place: BTreeMap<(u64, u64), Vec<&Effect>> = BTreeMap::new();
    for effect in effects {
        by_call.entry(&effect.call).or_default().push(effect);
        let place = (effect.message, effect.ordinal);
        by_place.entry(place).or_default().push(effect);
        intent(effect, calls.get(effect.call.as_str()).copied(), report);
    }
    for (place, effects) in &by_place {
        at_place(*place, effects, messages, report);
    }
    keys(&by_call, report);
    for call in &facts.calls {
        let count = by_call.get(call.id.as_str()).map_or(0, Vec::len);
        let fits = match call.status.as_str() {
            "succeeded" if call.is_unsafe => count == 1,
            "succeeded" => count >= 1,
            "cancelled" => count == 0,
            _ => !call.is_unsafe || count <= 1,
        };
        if !fits {
            let why = format!(
                "call {} of {} is {} and ran {count} times",
                call.id, call.run, call.status
            );
            report.violation("I6 outcome and effect agree", why);
        }
    }
    for run in &facts.runs {
        planned(run, facts, messages, report);
    }
}

/// The call existed when its effect arrived, and belongs to the same run.
fn intent(effect: &Effect, call: Option<&CallRow>, report: &mut Report) {
    match call {
        Some(call) if call.run == effect.run => {}
        Some(call) => report.violation(
            INTENT,
            format!("call {} of {} told of {}", call.id, call.run, effect.run),
        ),
        None => report.violation(INTENT, format!("call {} is nowhere", effect.call)),
    }
}

/// One place in one message's plan: an unsafe tool runs there at most once, whatever its call id.
fn at_place(
    (number, ordinal): (u64, u64),
    effects: &[&Effect],
    messages: &Messages<'_>,
    report: &mut Report,
) {
    let planned = usize::try_from(ordinal)
        .ok()
        .and_then(|ordinal| messages.get(&number)?.tools().nth(ordinal));
    let place = format!("message {number}, call {ordinal}");
    for effect in effects {
        if planned.map(Tool::name) != Some(effect.tool.as_str()) {
            report.violation(
                INTENT,
                format!("{place} was {}, not {planned:?}", effect.tool),
            );
        }
    }
    if planned.is_some_and(Tool::is_unsafe) && effects.len() > 1 {
        let calls: Vec<&str> = effects.iter().map(|effect| effect.call.as_str()).collect();
        report.violation(ONCE, format!("{place}: {calls:?}"));
    }
}

/// A call has one key, and no other call has it.
fn keys(by_call: &BTreeMap<&str, Vec<&Effect>>, report: &mut Report) {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (call, effects) in by_call {
        let keys: BTreeSet<&str> = effects.iter().map(|effect| effect.key.as_str()).collect();
        if keys.len() != 1 || keys.contains("") {
            report.violation(KEY, format!("{call}: {keys:?}"));
        }
        for key in keys {
            if let Some(other) = owners.insert(key, call) {
                report.violation(KEY, format!("{call} and {other} share {key}"));
            }
        }
    }
}

fn planned(run: &RunRow, facts: &Facts, messages: &Messages<'_>, report: &mut Report) {
    let Some(message) = run.message.and_then(|number| messages.get(&number)) else {
        return;
    };
    let planned = message.tools().count();
    let made = facts.calls.iter().filter(|call| call.run == run.id).count();
    if run.status == "completed" && planned != made {
        report.violation(PLAN, format!("{} made {made} calls of {planned}", run.id));
    }
}
