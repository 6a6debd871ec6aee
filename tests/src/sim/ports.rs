//! The ports of one worker: each operation passes a point before and after it.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use openeve_domain::bell::Bell;
use openeve_domain::commit::{Commit, Lease};
use openeve_domain::delivery::{LeasedDelivery, SendOutcome};
use openeve_domain::manifest::Manifest;
use openeve_domain::pause::{PauseKind, PauseRequest};
use openeve_domain::retry::Class;
use openeve_domain::run::begin_batch::CallRequest;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::run::settle_calls::{Outcome, Returned, ToolOutput};
use openeve_domain::transcript::{Message, ToolCall};
use openeve_domain::usage::Usage;
use openeve_memory::MemoryStore;
use openeve_runtime::ports::{
    Advance, AdvanceInput, Advanced, Claim, Clock, CommitAnswer, Doorbell, Engine, Gate, Ids,
    Invocation, PortError, SendPlan, Sender, Store as _, ToolRunner,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::core::{Effect, Held, Post, Worker};
use super::scenario::Script;
use crate::tap::Tap;

/// Everything a worker reaches.
#[derive(Clone)]
pub(super) struct Ports {
    pub(super) worker: Worker,
    pub(super) memory: Arc<MemoryStore>,
    pub(super) script: Arc<Script>,
}

/// An error whose operation may or may not have been applied.
pub(super) fn unknown() -> PortError {
    PortError::retry("database_unreachable", "the connection broke")
}

#[async_trait]
impl Tap for Ports {
    async fn before(&self, operation: &'static str) -> Result<(), PortError> {
        self.worker.point(operation).await
    }

    async fn after(&self, operation: &'static str) -> Result<(), PortError> {
        self.worker.point(operation).await
    }

    fn committed(&self, commit: &Commit, answer: &Result<CommitAnswer, PortError>) {
        let applied = matches!(answer, Ok(CommitAnswer::Applied(_)));
        let mut core = self.worker.lock();
        core.say(|| {
            let kinds: Vec<&str> = commit.events.iter().map(|one| one.kind.as_str()).collect();
            format!(
                "w{} commit e{} {:?} {kinds:?} -> {answer:?}",
                self.worker.id, commit.epoch, commit.status
            )
        });
        if core.disturbed {
            core.last_commit.insert(self.worker.id, commit.clone());
        }
        if !applied {
            return;
        }
        let newest = core.epochs.get(&commit.run_id).copied().unwrap_or(0);
        if commit.epoch < newest {
            core.violated(format!(
                "I2: a commit of epoch {} was applied to {} whose newest is {newest}",
                commit.epoch, commit.run_id
            ));
        }
        let extends = commit.lease == Lease::Extend && !commit.status.is_waiting();
        let lease_ms = self.lease_ms();
        let until = core.now + lease_ms;
        let mine = |held: &Held| held.run_id == commit.run_id && held.epoch == commit.epoch;
        if extends && !commit.status.is_terminal() {
            for held in core.held.values_mut().filter(|held| mine(held)) {
                held.until = until;
            }
        } else {
            core.held.retain(|_, held| !mine(held));
        }
    }

    fn claimed(&self, claim: &Result<Claim, PortError>) {
        let Ok(Claim::Claimed(state)) = claim else {
            return;
        };
        let mut core = self.worker.lock();
        core.say(|| {
            format!(
                "w{} claimed {} e{} {:?} recovery={}",
                self.worker.id, state.run_id, state.epoch, state.status, state.recovery
            )
        });
        core.epochs.insert(state.run_id, state.epoch);
        if let Some(since) = core.interrupted.remove(&state.run_id) {
            let after = core.now - since;
            core.resumed_after.push(after);
        }
        let now = core.now;
        if let Some(other) = core.held.get(&state.conversation_id)
            && other.run_id != state.run_id
            && other.until > now
        {
            let (one, two) = (other.run_id, state.run_id);
            core.violated(format!("I11: {two} was claimed while {one} was worked on"));
        }
        let held = Held {
            run_id: state.run_id,
            epoch: state.epoch,
            until: now + self.lease_ms(),
        };
        core.held.insert(state.conversation_id, held);
    }
}

impl Ports {
    fn lease_ms(&self) -> i64 {
        i64::try_from(self.script.settings.run_lease_ms).unwrap_or(0)
    }

    /// Applies a commit again that had been under way, whoever has written since.
    pub(super) async fn late(&self, commit: &Commit) {
        let answer = self
            .memory
            .commit(commit, self.script.settings.run_lease_ms)
            .await;
        self.committed(commit, &answer);
    }
}

#[async_trait]
impl Clock for Ports {
    fn now(&self) -> Timestamp {
        let core = self.worker.lock();
        let skew = core.skew_ms.get(&self.worker.id).copied().unwrap_or(0);
        Timestamp::from_millisecond(core.now + skew).unwrap()
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.worker.lock().now).unwrap()
    }

    async fn wait_ms(&self, ms: u64) {
        let _ = self.worker.timer(ms).await;
    }
}

impl Ids for Ports {
    fn uuid(&self) -> Uuid {
        self.worker.lock().uuid()
    }

    fn fraction(&self) -> f64 {
        let mut core = self.worker.lock();
        if core.random() {
            core.chance.fraction()
        } else {
            0.5
        }
    }
}

#[async_trait]
impl Doorbell for Ports {
    async fn ring(&self, bell: &Bell, delay_ms: u64) -> Result<(), PortError> {
        self.worker.point("ring").await?;
        self.enqueue(bell, delay_ms);
        self.worker.point("rung").await
    }
}

impl Ports {
    fn enqueue(&self, bell: &Bell, delay_ms: u64) {
        let mut core = self.worker.lock();
        let delay_ms = i64::try_from(delay_ms).unwrap_or(0);
        // A queue may lose, double, delay and reorder.
        let luck = if core.random() && core.disturbed {
            core.chance.below(20)
        } else {
            10
        };
        match luck {
            0 => core.say(|| "a bell is lost".to_owned()),
            1 => {
                core.ring(bell.clone(), delay_ms);
                core.ring(bell.clone(), delay_ms);
            }
            2 => core.ring(bell.clone(), delay_ms + 90_000),
            _ => core.ring(bell.clone(), delay_ms),
        }
    }
}

#[async_trait]
impl Engine for Ports {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn version(&self) -> u32 {
        1
    }

    async fn advance(&self, input: AdvanceInput<'_>) -> Advanced {
        if self.worker.point("model").await.is_err() {
            return failed("model_overloaded", None);
        }
        self.check(input.messages);
        let trouble = {
            let mut core = self.worker.lock();
            if core.random() && core.disturbed {
                core.chance.below(60)
            } else {
                30
            }
        };
        match trouble {
            0 => return failed("model_overloaded", None),
            1 => return failed("model_rate_limited", Some(45_000)),
            2 => {
                let _ = self.worker.timer(40_000).await;
            }
            _ => {}
        }
        let advance = next(input.messages);
        if self.worker.point("answered").await.is_err() {
            return failed("model_overloaded", None);
        }
        Advanced {
            advance,
            usage: Some(usage()),
        }
    }
}

fn usage() -> Usage {
    Usage {
        input_tokens: 10,
        output_tokens: 2,
        cost_micros: 7,
        ..Usage::default()
    }
}

fn failed(code: &str, after_ms: Option<u64>) -> Advanced {
    let failure = ModelFailure {
        code: code.into(),
        message: "try again".into(),
        class: Class::Retry { after_ms },
    };
    Advanced {
        advance: Advance::Failed(failure),
        usage: Some(usage()),
    }
}

/// What the run's own message says to do next: batches separated by `|`, calls by `,`.
fn next(messages: &[Message<'_>]) -> Advance {
    let own = messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }))
        .unwrap_or(0);
    let Some(Message::User { text }) = messages.get(own) else {
        return answer("nothing was said");
    };
    let done = messages[own..]
        .iter()
        .filter(|message| matches!(message, Message::Assistant { .. }))
        .count();
    let Some(batch) = text.split('|').nth(done).map(str::trim) else {
        return answer(&format!("done: {text}"));
    };
    if let Some(said) = batch.strip_prefix('"') {
        return answer(said);
    }
    let calls = batch.split(',').enumerate().map(|(at, name)| CallRequest {
        provider_call_id: format!("c{done}_{at}"),
        arguments: arguments(name.trim(), done, at),
        name: name.trim().to_owned(),
    });
    Advance::ToolBatch {
        text: String::new(),
        extra: Value::Null,
        calls: calls.collect(),
        continuation: json!({ "done": done }),
    }
}

fn arguments(name: &str, done: usize, at: usize) -> String {
    match name {
        "ask_question" => json!({"question": "Which?"}).to_string(),
        // Always the same call, so that its repetition is seen.
        "same" | "fails" => "{}".to_owned(),
        _ => json!({"n": done * 100 + at}).to_string(),
    }
}

fn answer(text: &str) -> Advance {
    Advance::Message {
        text: text.to_owned(),
        extra: Value::Null,
        continuation: json!({}),
    }
}

impl Ports {
    /// I13 and I19: what a strict provider would refuse.
    fn check(&self, messages: &[Message<'_>]) {
        let mut open: Vec<&ToolCall> = Vec::new();
        for message in messages {
            match message {
                Message::ToolResult { call, output } => {
                    let next = (!open.is_empty()).then(|| open.remove(0));
                    if next.is_none_or(|next| next.id != call.id) {
                        self.worker
                            .lock()
                            .violated("I13: a result without its call, or out of order");
                    }
                    if output.is_empty() {
                        self.worker.lock().violated("I13: an empty result");
                    }
                }
                Message::User { .. } | Message::Assistant { .. } if !open.is_empty() => {
                    self.worker
                        .lock()
                        .violated("I19: a call without its result");
                    open.clear();
                }
                Message::User { .. } => {}
                Message::Assistant { calls, .. } => open.extend(calls),
            }
        }
        if !open.is_empty() {
            self.worker
                .lock()
                .violated("I19: a request that ends with an open call");
        }
    }
}

#[async_trait]
impl ToolRunner for Ports {
    async fn run(&self, invocation: Invocation<'_>) -> Outcome {
        let id = invocation.call_id;
        let name = invocation.tool.name.clone();
        let ended = |result| Outcome {
            id,
            result,
            emitted: Vec::new(),
        };
        if self.worker.point("tool").await.is_err() {
            return ended(Err("the tool broke before it did anything".into()));
        }
        let asks = match name.as_str() {
            "asks" => 1,
            "asks_twice" => 2,
            _ => 0,
        };
        if invocation.answers.len() < asks {
            let request = PauseRequest {
                kind: PauseKind::Input,
                prompt: format!("question {}", invocation.answers.len() + 1),
                options: Vec::new(),
                approvers: Vec::new(),
                url: None,
            };
            return ended(Ok(Returned::Pause(request)));
        }
        if name == "slow" {
            let _ = self.worker.timer(70_000).await;
        }
        {
            let mut core = self.worker.lock();
            let effect = Effect {
                call_id: id,
                tool: name.clone(),
                answers: invocation.answers.len(),
                at: core.now,
            };
            core.say(|| format!("w{} effect {name} {id}", self.worker.id));
            core.effects.push(effect);
        }
        if self.worker.point("acted").await.is_err() {
            return ended(Err("the tool broke after it had acted".into()));
        }
        if name == "fails" {
            return ended(Err("out of order".into()));
        }
        let output = ToolOutput {
            result: json!({ "did": name }),
            model_output: None,
        };
        ended(Ok(Returned::Output(output)))
    }

    async fn gate(&self, invocation: Invocation<'_>) -> Result<Gate, String> {
        let _ = self.worker.point("gate").await;
        let odd = invocation.input["n"].as_u64().unwrap_or(0) % 2 == 1;
        Ok(if odd {
            Gate::Open
        } else {
            Gate::Ask { reason: None }
        })
    }
}

#[async_trait]
impl Sender for Ports {
    fn plan(&self, _: &Manifest, delivery: &LeasedDelivery) -> SendPlan {
        SendPlan {
            parts: if delivery.text.contains("parts") {
                3
            } else {
                1
            },
            dedupes: self.script.dedupes,
        }
    }

    async fn send(&self, _: &Manifest, delivery: &LeasedDelivery, part: u32) -> SendOutcome {
        let lost = |error: &str| {
            let error = error.to_owned();
            if self.script.dedupes {
                SendOutcome::Retry {
                    after_ms: None,
                    error,
                }
            } else {
                SendOutcome::Ambiguous { error }
            }
        };
        if self.worker.point("send").await.is_err() {
            return SendOutcome::Retry {
                after_ms: None,
                error: "no connection".into(),
            };
        }
        {
            let mut core = self.worker.lock();
            core.say(|| format!("w{} post {} part {part}", self.worker.id, delivery.id));
            core.posts.push(Post {
                delivery_id: delivery.id,
                part,
                run_id: delivery.run_id,
            });
        }
        if self.worker.point("sent").await.is_err() {
            return lost("the connection broke after the request left");
        }
        SendOutcome::Sent {
            via: "simulated".into(),
            provider_id: Some(format!("{}.{part}", delivery.id)),
        }
    }
}
