//! What the scripted model says: the batches that the message names, then the answer.
//!
//! It also looks at what it is sent, as a strict provider would: every call of an assistant has
//! exactly one result, in order, before anyone else speaks (I13).

use std::sync::{Arc, Mutex};

use openeve_testkit::scripted_model::{Reply, ScriptedCall, last_user, tool_results};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::clock::opening_after;
use crate::plan::{Message, Tool};

/// How long the model thinks, at least and at most.
const THINKS_MS: (u64, u64) = (30, 500);

/// Requests that no provider would take, or that fit no plan.
pub(crate) type Garbled = Arc<Mutex<Vec<String>>>;

/// The model's script.
pub(crate) fn script(garbled: Garbled) -> impl FnMut(&Value) -> Reply + Send + 'static {
    move |request| {
        if let Err(why) = well_formed(request) {
            garbled.lock().unwrap().push(why);
        }
        match reply(request) {
            Ok(reply) => reply,
            Err(why) => {
                garbled.lock().unwrap().push(why.clone());
                Reply::status(400, &why)
            }
        }
    }
}

fn reply(request: &Value) -> Result<Reply, String> {
    let text = last_user(request);
    let (number, batches) =
        Message::read(&text).ok_or_else(|| format!("the model was asked {text:?}"))?;
    let results = tool_results(request);
    let mut ordinal = 0;
    let mut said = None;
    for batch in &batches {
        if ordinal == results {
            said = Some(Reply::calls(calls(number, ordinal, batch)));
            break;
        }
        ordinal += batch.len();
    }
    let said = match said {
        Some(calls) => calls,
        None if ordinal == results => Reply::text(&Message::answer(number)),
        None => {
            return Err(format!(
                "message {number} has {results} results, which is inside a batch of its {ordinal} calls"
            ));
        }
    };
    let results = u64::try_from(results).unwrap_or_default();
    let mut chance = Chance::new(number.wrapping_mul(31).wrapping_add(results));
    let thinks_ms = chance.between(THINKS_MS.0, THINKS_MS.1);
    Ok(said
        .using(100 + number % 50, 10 + results)
        .held_by(&opening_after(thinks_ms)))
}

fn calls(number: u64, first: usize, batch: &[Tool]) -> Vec<ScriptedCall> {
    (first..)
        .zip(batch)
        .map(|(ordinal, tool)| {
            let arguments = json!({"message": number, "ordinal": ordinal});
            ScriptedCall::new(&format!("c{number}_{ordinal}"), tool.name(), &arguments)
        })
        .collect()
}

/// Whether each assistant's calls are followed by exactly their results, in order.
fn well_formed(request: &Value) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    for message in request["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if open.first() != Some(&id) {
                return Err(format!("a result of {id:?} where {open:?} were due"));
            }
            open.remove(0);
            continue;
        }
        if !open.is_empty() {
            return Err(format!("{role} speaks while {open:?} have no result"));
        }
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        open.extend(calls.filter_map(|call| call["id"].as_str()));
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("the request ends while {open:?} have no result"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(results: &[&str]) -> Value {
        let calls: Vec<Value> = ["c7_0", "c7_1"].map(|id| json!({"id": id})).to_vec();
        let mut messages = vec![
            json!({"role": "user", "content": "soak 7: charge,look|record"}),
            json!({"role": "assistant", "tool_calls": calls}),
        ];
        let results = results
            .iter()
            .map(|id| json!({"role": "tool", "tool_call_id": id}));
        messages.extend(results);
        json!({"messages": messages})
    }

    #[test]
    fn a_missing_or_displaced_result_is_noticed() {
        assert_eq!(well_formed(&request(&["c7_0", "c7_1"])), Ok(()));
        assert!(well_formed(&request(&["c7_1", "c7_0"])).is_err());
        assert!(well_formed(&request(&["c7_0"])).is_err());
    }

    #[tokio::test]
    async fn a_count_of_results_inside_a_batch_fits_no_plan() {
        assert!(reply(&request(&["c7_0", "c7_1"])).is_ok());
        assert!(reply(&request(&["c7_0"])).is_err());
    }
}
