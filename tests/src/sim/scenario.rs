//! What happens in a history: who says what and when, how people decide, what the tools are.

use std::sync::Arc;

use openeve_domain::limits::MINUTE_MS;
use openeve_domain::manifest::{
    ApprovalSpec, CatchUp, Execution, Manifest, ScheduleSpec, ToolSpec,
};
use openeve_domain::status::SideEffects;
use openeve_runtime::config::{Settings, Values};

use crate::manifest::{manifest, tool};

/// How people treat what they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// They approve and answer, sometimes twice.
    Agree,
    /// They reject.
    Refuse,
    /// One approves and another rejects at the same moment.
    Contradict,
    /// They answer by writing the next message.
    Reply,
    /// Nobody does anything; the pause expires.
    Ignore,
}

/// One message of somebody.
#[derive(Debug, Clone)]
pub struct Say {
    /// When, in milliseconds from the beginning.
    pub at_ms: i64,
    /// In which conversation.
    pub conversation: &'static str,
    /// What: batches separated by `|`, calls by `,`; then the answer.
    pub text: &'static str,
    /// How often the provider delivers it in any case.
    pub copies: u32,
}

/// A whole history's beginning.
#[derive(Clone)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// Who says what.
    pub says: Vec<Say>,
    /// How people decide.
    pub habit: Habit,
    /// When somebody cancels the run of a conversation, if anybody does.
    pub cancel: Option<(i64, &'static str)>,
    /// Whether receivers recognise a repetition.
    pub dedupes: bool,
    /// Whether a schedule fires every other minute, this many times.
    pub fires: u64,
    /// Knobs that differ.
    pub knobs: &'static [(&'static str, &'static str)],
    /// Whether every run is to complete when nothing disturbs it.
    pub completes: bool,
}

/// What the workers of one scenario share.
pub(super) struct Script {
    pub(super) manifest: Arc<Manifest>,
    pub(super) settings: Settings,
    pub(super) dedupes: bool,
}

impl Scenario {
    fn of(name: &'static str, says: &[(i64, &'static str, &'static str)]) -> Self {
        let says = says.iter().map(|(at_ms, conversation, text)| Say {
            at_ms: *at_ms,
            conversation,
            text,
            copies: 1,
        });
        Self {
            name,
            says: says.collect(),
            habit: Habit::Agree,
            cancel: None,
            dedupes: true,
            fires: 0,
            knobs: &[],
            completes: true,
        }
    }

    /// The agent and the knobs.
    pub(super) fn script(&self) -> Script {
        let mut manifest = manifest(tools());
        if self.fires > 0 {
            manifest.schedules.push(schedule());
        }
        let values = Values::read(|name| {
            let own = self.knobs.iter().find(|(knob, _)| *knob == name);
            own.map(|(_, value)| (*value).to_owned())
                .or_else(|| match name {
                    "OPENEVE_MODE" => Some("development".into()),
                    "OPENEVE_DELIVERY_INLINE" => Some("false".into()),
                    "OPENEVE_PAUSE_TTL_MS" => Some((10 * MINUTE_MS).to_string()),
                    _ => None,
                })
        });
        Script {
            manifest: Arc::new(manifest),
            settings: Settings::of(&values.unwrap()),
            dedupes: self.dedupes,
        }
    }
}

fn schedule() -> ScheduleSpec {
    ScheduleSpec {
        name: "often".into(),
        cron: "*/2 * * * *".into(),
        timezone: "UTC".into(),
        message: "act".into(),
        idempotency_key: "often".into(),
        channel: None,
        conversation: "often".into(),
        catch_up: CatchUp::All,
        trigger: None,
        source: String::new(),
    }
}

/// Every kind of tool there is.
fn tools() -> Vec<ToolSpec> {
    use Execution::{Parallel, Sequential};
    use SideEffects::{Idempotent, None, Unsafe};
    let gated = |name, predicate| ToolSpec {
        approval: Some(ApprovalSpec {
            reason: Some("it costs money".into()),
            predicate,
            approvers: vec!["anyone".into()],
        }),
        ..tool(name, Unsafe, Parallel)
    };
    vec![
        tool("look", None, Parallel),
        tool("fails", None, Parallel),
        tool("act", Unsafe, Parallel),
        tool("alone", Unsafe, Sequential),
        tool("keyed", Idempotent, Parallel),
        tool("slow", Unsafe, Parallel),
        tool("asks", Unsafe, Parallel),
        tool("asks_twice", Idempotent, Parallel),
        gated("gated", false),
        gated("same", false),
        gated("maybe", true),
    ]
}

/// Every scenario of the crash sweep and the simulation.
pub fn scenarios() -> Vec<Scenario> {
    let mut all = turns();
    all.extend(pauses());
    all.extend(bounds());
    all
}

fn turns() -> Vec<Scenario> {
    vec![
        Scenario::of("answer", &[(0, "a", "\"hello")]),
        Scenario::of("unsafe_tools", &[(0, "a", "act|act,act|alone,act")]),
        Scenario::of("harmless_tools", &[(0, "a", "look|look,look|look")]),
        Scenario::of(
            "mixed_batch",
            &[(0, "a", "keyed,look,act|fails,nonesuch|keyed")],
        ),
        Scenario {
            says: vec![Say {
                at_ms: 0,
                conversation: "a",
                text: "act|keyed",
                copies: 3,
            }],
            ..Scenario::of("thrice_delivered", &[])
        },
        Scenario::of(
            "one_conversation",
            &[
                (0, "a", "act"),
                (10, "a", "look,keyed"),
                (20, "a", "\"third"),
            ],
        ),
        Scenario::of(
            "three_conversations",
            &[
                (0, "a", "act|look"),
                (5, "b", "keyed|act"),
                (10, "c", "alone,look"),
            ],
        ),
        Scenario::of("slow_tools", &[(0, "a", "slow,look|slow|act")]),
        Scenario {
            knobs: &[("OPENEVE_STEP_SLICE_MS", "0")],
            ..Scenario::of("chained", &[(0, "a", "act|look|alone,act|keyed")])
        },
        Scenario {
            knobs: &[("OPENEVE_DELIVERY_INLINE", "true")],
            ..Scenario::of("inline_delivery", &[(0, "a", "act"), (50, "a", "look")])
        },
        Scenario::of(
            "long_reply",
            &[(0, "a", "act|\"in parts"), (40, "b", "\"in parts")],
        ),
        Scenario {
            dedupes: false,
            ..Scenario::of(
                "receiver_without_dedupe",
                &[(0, "a", "act|\"in parts"), (9, "b", "look")],
            )
        },
        Scenario {
            fires: 2,
            knobs: &[("OPENEVE_SCHEDULE_LOOKBACK_MS", "300000")],
            ..Scenario::of("schedule", &[(0, "a", "look")])
        },
    ]
}

fn pauses() -> Vec<Scenario> {
    vec![
        Scenario::of("approval", &[(0, "a", "act|gated|act"), (900, "a", "look")]),
        Scenario::of(
            "several_approvals",
            &[(0, "a", "look,gated,gated,look,alone|maybe,maybe")],
        ),
        Scenario {
            habit: Habit::Contradict,
            ..Scenario::of("contradiction", &[(0, "a", "gated,gated|act")])
        },
        Scenario {
            habit: Habit::Refuse,
            ..Scenario::of("refusal", &[(0, "a", "same|same|act")])
        },
        Scenario {
            habit: Habit::Ignore,
            ..Scenario::of("expiry", &[(0, "a", "gated,look|ask_question|act")])
        },
        Scenario::of("question", &[(0, "a", "act|ask_question,act,look|act")]),
        Scenario {
            habit: Habit::Reply,
            ..Scenario::of("answered_by_message", &[(0, "a", "ask_question|asks|act")])
        },
        Scenario::of(
            "questions_from_tools",
            &[(0, "a", "asks,asks_twice,act|asks_twice")],
        ),
        Scenario::of(
            "answered_while_others_run",
            &[(0, "a", "asks,slow,asks|act")],
        ),
        Scenario {
            cancel: Some((200, "a")),
            completes: false,
            ..Scenario::of(
                "cancelled",
                &[(0, "a", "act|alone,act|slow|gated"), (30, "a", "look")],
            )
        },
        Scenario {
            cancel: Some((8_000, "a")),
            habit: Habit::Ignore,
            completes: false,
            ..Scenario::of(
                "cancelled_while_waiting",
                &[(0, "a", "gated,gated|act"), (400, "a", "act")],
            )
        },
    ]
}

fn bounds() -> Vec<Scenario> {
    vec![
        Scenario {
            knobs: &[("OPENEVE_RUN_MAX_COST_MICROS", "20")],
            completes: false,
            ..Scenario::of(
                "bounded_cost",
                &[(0, "a", "act|act|act|act|act"), (20, "a", "look")],
            )
        },
        Scenario {
            knobs: &[("OPENEVE_RUN_MAX_REPEATED_ERRORS", "3")],
            completes: false,
            ..Scenario::of(
                "repeated_errors",
                &[(0, "a", "fails|fails|fails|fails|fails")],
            )
        },
    ]
}
