//! What a tool's `needsApproval` function said, as a gate.

use openeve_domain::run::settle_calls::Returned;
use openeve_runtime::ports::Gate;
use serde_json::Value;

/// Characters of a reason that are kept; a person reads it.
const REASON_CHARS_MAX: usize = 4_000;

/// The gate that a predicate's answer means. `reason` is the one that the definition gives; a
/// predicate that gives none, or an empty one, keeps it.
pub(crate) fn gate(said: Returned, reason: Option<String>) -> Result<Gate, String> {
    let said = match said {
        Returned::Output(output) => output.result,
        Returned::Pause(_) => return Err("Error: needsApproval cannot ask a question".to_owned()),
    };
    match said {
        Value::Bool(false) => Ok(Gate::Open),
        Value::Bool(true) => Ok(Gate::Ask { reason }),
        Value::String(text) if text.trim().is_empty() => Ok(Gate::Ask { reason }),
        Value::String(text) => Ok(Gate::Ask {
            reason: Some(text.chars().take(REASON_CHARS_MAX).collect()),
        }),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err("Error: needsApproval said something that means nothing".to_owned())
        }
    }
}
