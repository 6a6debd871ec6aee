//! How often tools are called at most.

use super::*;

#[test]
fn six_calls_are_the_most_for_one_message() {
    let many: Vec<Value> = (0..9)
        .map(|at| function(&format!("ring_bell{at}"), "Rings.", &json!({}), &[]))
        .collect();
    let mut messages = vec![json!({"role": "user", "content": "ring"})];
    let mut steps = Vec::new();
    while let Decision::Call(calls) = decide(&messages, &many, now()) {
        steps.push(calls.len());
        for (name, _) in calls {
            messages.push(json!({"role": "assistant", "tool_calls": [{"id": name, "function": {"name": name}}]}));
            messages.push(json!({"role": "tool", "tool_call_id": name, "content": "ok"}));
        }
    }
    assert_eq!(steps, [2, 2, 2]);
}
