//! Each check notices a mutant of what it reads; a check that cannot fail proves nothing.

use std::collections::BTreeSet;

use jiff::Timestamp;
use openeve_domain::manifest::Execution;
use openeve_domain::status::SideEffects;
use openeve_tests::{
    ClosureTools, ScriptedEngine, World, WorldOptions, answer, calls, manifest, tool,
};
use serde_json::json;

use super::{CallRow, Facts, Messages, RunRow, acknowledged, database, delivered, effects};
use crate::load::{Ack, Heard};
use crate::plan::{Message, Tool};
use crate::report::Report;
use crate::traces::{Effect, Posted};

/// A rule of the database, and what breaks it. Where the schema itself forbids the mutant, the
/// mutant drops that constraint first.
const MUTANTS: &[(&str, &str)] = &[
    (
        "I4 every run ended",
        "UPDATE openeve.runs SET status = 'running', finished_at = NULL",
    ),
    (
        "a run failed for another reason than its crashes",
        "UPDATE openeve.runs SET status = 'failed', failure_code = 'unrecoverable'",
    ),
    (
        "I5 a run has exactly one terminal event",
        "DELETE FROM openeve.run_events WHERE kind = 'run.completed'",
    ),
    (
        "I3 event numbers are dense",
        "UPDATE openeve.run_events SET seq = seq + 1 WHERE kind = 'delivery.sent'",
    ),
    (
        "I15 usage on the run equals the sum of its records",
        "UPDATE openeve.runs SET output_tokens = output_tokens + 1",
    ),
    (
        "I9 a completed run has exactly one final obligation, and another none",
        "DELETE FROM openeve.deliveries",
    ),
    (
        "I5 only its delivery goes on after a run's end",
        "UPDATE openeve.run_events SET kind = 'model.responded' WHERE kind = 'delivery.sent'",
    ),
    (
        "a crash is recovered once",
        "UPDATE openeve.run_events SET kind = 'run.recovery_claimed', payload = '{\"epoch\": 2}' \
         WHERE kind IN ('model.responded', 'run.created')",
    ),
    (
        "positions of a conversation are dense",
        "UPDATE openeve.runs SET position = position + 1 WHERE position = 2",
    ),
    (
        "I9 every obligation was sent",
        "UPDATE openeve.deliveries SET status = 'failed'",
    ),
    (
        "I9 a completed run was delivered by exactly one recorded send",
        "UPDATE openeve.run_events SET kind = 'delivery.sent' WHERE kind = 'delivery.created'",
    ),
    (
        "I2 nothing that ended is leased",
        "ALTER TABLE openeve.runs DROP CONSTRAINT runs_lease_means_running; \
         UPDATE openeve.runs SET lease_token = id, lease_expires_at = now() WHERE position = 1",
    ),
    (
        "I8 an unsafe call is started at most once",
        "UPDATE openeve.run_events AS e SET kind = 'tool.execution_started', payload = s.payload \
         FROM openeve.run_events AS s WHERE s.run_id = e.run_id AND s.kind = 'tool.execution_started' \
         AND e.kind = 'run.created'",
    ),
    (
        "I6 every call is settled",
        "UPDATE openeve.tool_calls SET status = 'started', settled_at = NULL",
    ),
    (
        "a tool failed",
        "UPDATE openeve.tool_calls SET status = 'failed'",
    ),
    (
        "I13 a completed run has one question and one answer",
        "DELETE FROM openeve.messages WHERE kind = 'answer'",
    ),
    (
        "I11 runs of one conversation neither overlap nor overtake",
        "UPDATE openeve.run_events SET created_at = created_at - INTERVAL '1 hour' WHERE run_id = \
         (SELECT id FROM openeve.runs WHERE position = 2)",
    ),
    (
        "I6 a settled call has exactly one outcome event",
        "DELETE FROM openeve.run_events WHERE kind = 'tool.execution_succeeded'",
    ),
];

#[tokio::test]
async fn every_rule_of_the_database_has_a_mutant_that_breaks_it() {
    let world = World::new(WorldOptions {
        manifest: manifest(vec![tool(
            "charge",
            SideEffects::Unsafe,
            Execution::Parallel,
        )]),
        engine: ScriptedEngine::new(|done, _| match done {
            0 => calls(0, &["charge"]),
            _ => answer("done 0"),
        }),
        tools: ClosureTools::new(|_, _| Ok(json!({"recorded": 0}))),
        inline: false,
    })
    .await;
    for _ in 0..2 {
        world.say("guest-1", "soak 0: charge").await;
        world.settle().await;
    }
    let client = world.database.connect().await;
    let mut report = Report::default();
    database::rules(&client, &mut report).await;
    assert_eq!(report.violations, Report::default().violations);
    let mutants: BTreeSet<&str> = MUTANTS.iter().map(|(rule, _)| *rule).collect();
    let rules: BTreeSet<&str> = database::all().iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules, mutants);
    for (rule, mutant) in MUTANTS {
        let begin = "BEGIN; SET LOCAL session_replication_role = replica;";
        client.batch_execute(begin).await.unwrap();
        client.batch_execute(mutant).await.unwrap();
        let mut report = Report::default();
        database::rules(&client, &mut report).await;
        client.batch_execute("ROLLBACK").await.unwrap();
        assert!(
            report.violations.contains_key(rule),
            "{mutant} breaks {:?}, not {rule}",
            report.violations
        );
    }
}

/// One message that charges and then records, and everything as it should be.
struct Told {
    message: Message,
    heard: Heard,
    facts: Facts,
    effects: Vec<Effect>,
    replies: Vec<Posted>,
}

impl Told {
    fn new() -> Self {
        let call = |id: &str, is_unsafe| CallRow {
            id: id.to_owned(),
            run: "run_1".to_owned(),
            status: "succeeded".to_owned(),
            is_unsafe,
        };
        let effect = |ordinal, call: &str, tool: Tool| Effect {
            message: 0,
            ordinal,
            run: "run_1".to_owned(),
            call: call.to_owned(),
            tool: tool.name().to_owned(),
            key: format!("key of {call}"),
        };
        let ack = |is_duplicate| Ack {
            run: "run_1".to_owned(),
            is_duplicate,
            at_ms: 15,
            after_ms: 5,
        };
        Self {
            message: Message {
                number: 0,
                at_ms: 0,
                conversation: 3,
                batches: vec![vec![Tool::Charge], vec![Tool::Record]],
                posts_ms: vec![0, 0],
            },
            heard: Heard {
                message: 0,
                tried_ms: 10,
                acks: vec![ack(false), ack(true)],
                refusals: Vec::new(),
                retries: 0,
            },
            facts: Facts {
                runs: vec![RunRow {
                    id: "run_1".to_owned(),
                    message: Some(0),
                    status: "completed".to_owned(),
                    failure: None,
                    conversation: "guest-3".to_owned(),
                    position: 1,
                    took_ms: Some(7.0),
                    steps: 1,
                }],
                calls: vec![call("call_1", true), call("call_2", false)],
                keys: vec![("soak:soak-0".to_owned(), "run_1".to_owned())],
            },
            effects: vec![
                effect(0, "call_1", Tool::Charge),
                effect(1, "call_2", Tool::Record),
            ],
            replies: vec![Posted {
                at: Timestamp::UNIX_EPOCH,
                id: "dlv_1".to_owned(),
                run: "run_1".to_owned(),
                conversation: "guest-3".to_owned(),
                text: "done 0".to_owned(),
                is_signed: true,
                was_taken: true,
            }],
        }
    }

    /// The rules that are broken after a change.
    fn broken(change: impl FnOnce(&mut Self)) -> Vec<&'static str> {
        let mut told = Self::new();
        change(&mut told);
        let messages: Messages<'_> = [(0, &told.message)].into();
        let mut report = Report::default();
        acknowledged::check(&[told.heard], &told.facts, &messages, &mut report);
        effects::check(&told.effects, &told.facts, &messages, &mut report);
        delivered::check(&told.replies, &told.facts, &messages, &mut report);
        report.violations.into_keys().collect()
    }
}

#[test]
fn what_is_as_it_should_be_breaks_nothing() {
    assert!(Told::broken(|_| {}).is_empty());
    // A harmless call may run again under its key, and a reply may arrive again under its id.
    let repeated = Told::broken(|told| {
        told.effects.push(told.effects[1].clone());
        told.replies.push(told.replies[0].clone());
    });
    assert!(repeated.is_empty(), "{repeated:?}");
}

#[test]
fn a_lost_or_doubled_message_is_noticed() {
    let rule = ["I1 an acknowledged message is exactly one run"];
    assert_eq!(
        Told::broken(|told| told.heard.acks[1].run = "run_2".to_owned()),
        rule
    );
    assert_eq!(
        Told::broken(|told| told.heard.acks[1].is_duplicate = false),
        rule
    );
    assert_eq!(Told::broken(|told| told.facts.keys.clear()), rule);
    assert!(Told::broken(|told| told.facts.runs.clear()).contains(&rule[0]));
    let second = Told::broken(|told| {
        let mut second = told.facts.runs[0].clone();
        second.id = "run_2".to_owned();
        told.facts.runs.push(second);
    });
    assert!(second.contains(&rule[0]));
    let given_up = Told::broken(|told| told.heard.refusals.push("given up".to_owned()));
    assert_eq!(given_up, ["a message was not accepted"]);
}

#[test]
fn a_run_ahead_of_one_that_was_acknowledged_before_it_came_is_noticed() {
    let heard = |message, tried_ms, at_ms| {
        let mut heard = Told::new().heard;
        (heard.message, heard.tried_ms) = (message, tried_ms);
        heard.acks.iter_mut().for_each(|ack| ack.at_ms = at_ms);
        heard
    };
    let mut facts = Told::new().facts;
    let mut second = facts.runs[0].clone();
    (second.message, second.position) = (Some(1), 2);
    facts.runs.push(second);
    let broken = |first, second| {
        let mut report = Report::default();
        acknowledged::order(&[first, second], &facts, &mut report);
        report.violations.len()
    };
    assert_eq!(broken(heard(0, 10, 15), heard(1, 16, 20)), 0);
    assert_eq!(
        broken(heard(0, 10, 15), heard(1, 12, 13)),
        0,
        "side by side"
    );
    assert_eq!(broken(heard(0, 16, 20), heard(1, 10, 15)), 1);
}

#[test]
fn an_unsafe_tool_that_runs_twice_is_noticed_whatever_its_call() {
    let once = "I8 an unsafe tool ran more than once";
    assert!(Told::broken(|told| told.effects.push(told.effects[0].clone())).contains(&once));
    let another_call = Told::broken(|told| {
        let mut again = told.effects[0].clone();
        again.call = "call_3".to_owned();
        told.effects.push(again);
    });
    assert!(another_call.contains(&once));
    assert!(another_call.contains(&"an effect has its intent in the database"));
}

#[test]
fn keys_outcomes_and_plans_that_do_not_fit_are_noticed() {
    let key = ["I6 a call runs under one key of its own"];
    let other_key = Told::broken(|told| {
        let mut again = told.effects[1].clone();
        again.key = "another".to_owned();
        told.effects.push(again);
    });
    assert_eq!(other_key, key);
    assert_eq!(
        Told::broken(|told| told.effects[1].key = told.effects[0].key.clone()),
        key
    );
    let outcome = ["I6 outcome and effect agree"];
    assert_eq!(Told::broken(|told| drop(told.effects.remove(1))), outcome);
    assert_eq!(
        Told::broken(|told| told.facts.calls[0].status = "cancelled".to_owned()),
        outcome
    );
    let plan = ["I13 a completed run made exactly the calls of its plan"];
    assert_eq!(
        Told::broken(|told| told.message.batches.push(vec![Tool::Look])),
        plan
    );
}

#[test]
fn replies_that_are_missing_doubled_or_wrong_are_noticed() {
    let once = ["I10 a reply arrives exactly once after deduplication"];
    assert_eq!(Told::broken(|told| told.replies.clear()), once);
    let doubled = Told::broken(|told| {
        let mut again = told.replies[0].clone();
        again.id = "dlv_2".to_owned();
        told.replies.push(again);
    });
    assert_eq!(doubled, once);
    let untaken = Told::broken(|told| told.replies[0].was_taken = false);
    assert_eq!(untaken, once);
    assert_eq!(
        Told::broken(|told| told.facts.runs[0].status = "failed".to_owned()),
        once
    );
    let right = ["a reply is what was said"];
    assert_eq!(
        Told::broken(|told| told.replies[0].text = "done 1".to_owned()),
        right
    );
    assert_eq!(
        Told::broken(|told| told.replies[0].is_signed = false),
        right
    );
}
