use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn entry(seq: u32, kind: EntryKind, text: &str) -> Entry {
    Entry {
        seq,
        kind,
        text: text.into(),
        extra: Value::Null,
    }
}

fn call(entry_seq: u32, ordinal: u32, status: ToolCallStatus) -> ToolCall {
    ToolCall {
        sequential: false,
        gate: None,
        id: ToolCallId::new(Uuid::from_u128(u128::from(entry_seq * 100 + ordinal))),
        entry_seq,
        ordinal,
        provider_call_id: format!("c{entry_seq}_{ordinal}"),
        name: "clock".into(),
        arguments: "{}".into(),
        side_effects: SideEffects::Unsafe,
        status,
        result: Value::Null,
        model_output: if status.is_settled() {
            "done".into()
        } else {
            String::new()
        },
    }
}

/// The provider's rules: each call of an assistant message has exactly one result, in order,
/// before anything else is said; no result without its call.
fn acceptable(messages: &[Message<'_>]) -> bool {
    let mut owed: Vec<ToolCallId> = Vec::new();
    for message in messages {
        match message {
            Message::ToolResult { call, .. } => {
                if owed.first() != Some(&call.id) {
                    return false;
                }
                owed.remove(0);
            }
            Message::User { .. } if !owed.is_empty() => return false,
            Message::User { .. } => {}
            Message::Assistant { calls, .. } => {
                if !owed.is_empty() {
                    return false;
                }
                owed = calls.iter().map(|call| call.id).collect();
            }
        }
    }
    owed.is_empty()
}

#[test]
fn a_call_without_an_outcome_is_answered_as_interrupted() {
    let entries = [
        entry(0, EntryKind::User, "go"),
        entry(1, EntryKind::ToolBatch, ""),
    ];
    let calls = [
        call(1, 0, ToolCallStatus::Succeeded),
        call(1, 1, ToolCallStatus::Started),
    ];
    let messages = assemble(&[], &entries, &calls);
    assert_eq!(messages.len(), 4);
    assert!(
        matches!(&messages[3], Message::ToolResult { output, .. } if output == INTERRUPTED_OUTPUT)
    );
    assert!(acceptable(&messages));
}

#[test]
fn results_follow_call_order_whatever_order_they_settled_in() {
    let entries = [
        entry(0, EntryKind::User, "go"),
        entry(1, EntryKind::ToolBatch, ""),
    ];
    let calls = [
        call(1, 1, ToolCallStatus::Succeeded),
        call(1, 0, ToolCallStatus::Succeeded),
    ];
    assert!(acceptable(&assemble(&[], &entries, &calls)));
}

#[test]
fn a_batch_whose_calls_are_lost_is_dropped() {
    let entries = [
        entry(0, EntryKind::User, "go"),
        entry(1, EntryKind::ToolBatch, ""),
    ];
    assert_eq!(assemble(&[], &entries, &[]).len(), 1);
}

#[test]
fn history_is_bounded_and_begins_with_a_person() {
    let history: Vec<Entry> = (0..100)
        .map(|seq| {
            entry(
                seq,
                if seq % 2 == 0 {
                    EntryKind::User
                } else {
                    EntryKind::Answer
                },
                "hello",
            )
        })
        .collect();
    let kept = bounded(&history[..99]);
    assert!(kept.len() <= HISTORY_MESSAGES_MAX);
    assert_eq!(kept[0].kind, EntryKind::User);
    let huge = [entry(
        0,
        EntryKind::User,
        &"x".repeat(HISTORY_BYTES_MAX + 1),
    )];
    assert!(bounded(&huge).is_empty());
}

proptest! {
    /// I19: any prefix of a run's log yields a request the provider's rules accept.
    #[test]
    fn any_prefix_of_a_log_yields_an_acceptable_request(
        batches in prop::collection::vec(0_u32..4, 0..6),
        cut in 0_usize..40,
        settled in prop::collection::vec(any::<bool>(), 24),
    ) {
        let mut entries = vec![entry(0, EntryKind::User, "go")];
        let mut calls = Vec::new();
        for (index, width) in batches.iter().enumerate() {
            let seq = u32::try_from(index).unwrap() + 1;
            entries.push(entry(seq, EntryKind::ToolBatch, ""));
            for ordinal in 0..*width {
                let done = settled[calls.len() % settled.len()];
                calls.push(call(seq, ordinal, if done { ToolCallStatus::Succeeded } else { ToolCallStatus::Requested }));
            }
        }
        let entries = &entries[..cut.clamp(1, entries.len())];
        let calls = &calls[..cut.min(calls.len())];
        prop_assert!(acceptable(&assemble(&[], entries, calls)));
    }
}
