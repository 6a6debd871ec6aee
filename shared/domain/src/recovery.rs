//! The plan after a crash (protocol section 6): a pure function of what survived.
//!
//! Steps 2 and 3 settle calls and fall through; the others end the plan [Z.14].

use crate::ids::ToolCallId;
use crate::limits::{RECOVERY_RESUMES_MAX, RUN_STALLS_MAX};
use crate::status::{DeliveryStatus, SideEffects, ToolCallStatus};
use crate::transcript::{EntryKind, ToolCall};

/// What survived of a run whose holder vanished.
#[derive(Debug, Clone, Copy)]
pub struct Survived<'a> {
    /// Its tool calls.
    pub calls: &'a [ToolCall],
    /// The kind of its newest transcript row.
    pub newest_entry: Option<EntryKind>,
    /// Whether a checkpoint exists.
    pub has_checkpoint: bool,
    /// In-place resumes so far.
    pub resumes: u64,
    /// Crashes in a row without a commit, this one included.
    pub stalls: u64,
    /// Its final obligation, if one exists.
    pub delivery: Option<DeliveryStatus>,
}

/// What recovery does, in order: settle calls, then end one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Requested, never started: withdrawn [M.06].
    pub cancel: Vec<ToolCallId>,
    /// Started and unsafe: its outcome is unknown and stays so [M.07].
    pub interrupt: Vec<ToolCallId>,
    /// Started and harmless to repeat: executed again.
    pub run_again: Vec<ToolCallId>,
    /// How the plan ends.
    pub end: End,
}

/// How a plan ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The reply went out: complete, send nothing [M.05].
    Complete,
    /// Resume from the newest checkpoint, counted [M.08].
    Resume,
    /// Resumed too often: go on without the checkpoint, visibly [M.08].
    Degrade,
    /// Nothing but the accepted turn survived: begin again. The turn is checkpoint zero.
    Begin,
    /// The model had answered: adopt or create its delivery [M.09].
    Deliver,
    /// Too many crashes in a row without progress.
    Stalled,
    /// Nothing usable survived [M.10].
    Fail,
}

/// Decides the plan.
pub fn plan(survived: Survived<'_>) -> Plan {
    let mut plan = Plan {
        cancel: Vec::new(),
        interrupt: Vec::new(),
        run_again: Vec::new(),
        end: End::Fail,
    };
    if survived.delivery == Some(DeliveryStatus::Sent) {
        plan.end = End::Complete;
        return plan;
    }
    for call in survived.calls {
        match (call.status, call.side_effects) {
            (ToolCallStatus::Requested, _) => plan.cancel.push(call.id),
            (ToolCallStatus::Started, SideEffects::Unsafe) => plan.interrupt.push(call.id),
            (ToolCallStatus::Started, SideEffects::None | SideEffects::Idempotent) => {
                plan.run_again.push(call.id);
            }
            (
                ToolCallStatus::AwaitingApproval
                | ToolCallStatus::Succeeded
                | ToolCallStatus::Failed
                | ToolCallStatus::Interrupted
                | ToolCallStatus::Skipped
                | ToolCallStatus::Rejected
                | ToolCallStatus::Cancelled,
                _,
            ) => {}
        }
    }
    plan.end = end(survived);
    plan
}

fn end(survived: Survived<'_>) -> End {
    if survived.stalls > RUN_STALLS_MAX {
        return End::Stalled;
    }
    if survived.newest_entry == Some(EntryKind::Answer) {
        return End::Deliver;
    }
    if survived.has_checkpoint {
        return if survived.resumes < RECOVERY_RESUMES_MAX {
            End::Resume
        } else {
            End::Degrade
        };
    }
    match survived.newest_entry {
        Some(EntryKind::User) if survived.calls.is_empty() => End::Begin,
        Some(EntryKind::User | EntryKind::ToolBatch | EntryKind::Answer) | None => End::Fail,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use uuid::Uuid;

    use super::*;

    fn call(id: u128, status: ToolCallStatus, side_effects: SideEffects) -> ToolCall {
        ToolCall {
            id: ToolCallId::new(Uuid::from_u128(id)),
            entry_seq: 1,
            ordinal: 0,
            provider_call_id: "c".into(),
            name: "t".into(),
            arguments: "{}".into(),
            side_effects,
            sequential: false,
            gate: None,
            status,
            result: Value::Null,
            model_output: String::new(),
        }
    }

    const FRESH: Survived<'static> = Survived {
        calls: &[],
        newest_entry: Some(EntryKind::User),
        has_checkpoint: false,
        resumes: 0,
        stalls: 1,
        delivery: None,
    };

    /// The six steps of the protocol as a table.
    #[test]
    #[expect(clippy::too_many_lines, reason = "a table is read as one")]
    fn the_plan_follows_the_six_steps() {
        use EntryKind::{Answer, ToolBatch, User};
        let table: [(&str, Survived<'_>, End); 11] = [
            (
                "1 sent",
                Survived {
                    delivery: Some(DeliveryStatus::Sent),
                    ..FRESH
                },
                End::Complete,
            ),
            (
                "1 not by pending",
                Survived {
                    delivery: Some(DeliveryStatus::Pending),
                    newest_entry: Some(Answer),
                    ..FRESH
                },
                End::Deliver,
            ),
            (
                "4 checkpoint",
                Survived {
                    has_checkpoint: true,
                    newest_entry: Some(ToolBatch),
                    ..FRESH
                },
                End::Resume,
            ),
            (
                "4 third resume",
                Survived {
                    has_checkpoint: true,
                    resumes: 2,
                    ..FRESH
                },
                End::Resume,
            ),
            (
                "4 fourth degrades",
                Survived {
                    has_checkpoint: true,
                    resumes: 3,
                    ..FRESH
                },
                End::Degrade,
            ),
            (
                "5 answered",
                Survived {
                    newest_entry: Some(Answer),
                    has_checkpoint: true,
                    ..FRESH
                },
                End::Deliver,
            ),
            (
                "zero: nothing done yet",
                Survived {
                    newest_entry: Some(User),
                    ..FRESH
                },
                End::Begin,
            ),
            (
                "6 batch, no checkpoint",
                Survived {
                    newest_entry: Some(ToolBatch),
                    ..FRESH
                },
                End::Fail,
            ),
            (
                "6 no rows at all",
                Survived {
                    newest_entry: None,
                    ..FRESH
                },
                End::Fail,
            ),
            (
                "stalled",
                Survived {
                    stalls: 6,
                    has_checkpoint: true,
                    ..FRESH
                },
                End::Stalled,
            ),
            (
                "not stalled yet",
                Survived {
                    stalls: 5,
                    has_checkpoint: true,
                    ..FRESH
                },
                End::Resume,
            ),
        ];
        for (name, survived, end) in table {
            assert_eq!(plan(survived).end, end, "{name}");
        }
    }

    #[test]
    fn calls_are_settled_by_what_repeating_them_would_do() {
        let calls = [
            call(1, ToolCallStatus::Requested, SideEffects::Unsafe),
            call(2, ToolCallStatus::Started, SideEffects::Unsafe),
            call(3, ToolCallStatus::Started, SideEffects::Idempotent),
            call(4, ToolCallStatus::Started, SideEffects::None),
            call(5, ToolCallStatus::Succeeded, SideEffects::Unsafe),
        ];
        let plan = plan(Survived {
            calls: &calls,
            has_checkpoint: true,
            newest_entry: Some(EntryKind::ToolBatch),
            ..FRESH
        });
        assert_eq!(plan.cancel, [calls[0].id]);
        assert_eq!(plan.interrupt, [calls[1].id]);
        assert_eq!(plan.run_again, [calls[2].id, calls[3].id]);
        assert_eq!(plan.end, End::Resume);
    }

    #[test]
    fn a_sent_reply_settles_nothing_else() {
        let calls = [call(2, ToolCallStatus::Started, SideEffects::Unsafe)];
        let plan = plan(Survived {
            calls: &calls,
            delivery: Some(DeliveryStatus::Sent),
            ..FRESH
        });
        assert!(plan.interrupt.is_empty());
    }
}
