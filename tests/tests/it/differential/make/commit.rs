//! Commits: made by the domain's own transitions, late, stale, repeated, and some that make no sense.

use openeve_domain::budget::Spent;
use openeve_domain::commit::{CallChange, Commit, NewDelivery, UsageRecord};
use openeve_domain::continuation::Continuation;
use openeve_domain::core_tools::ASK_QUESTION;
use openeve_domain::event::Event;
use openeve_domain::ids::{CommitId, DeliveryId, LeaseToken, ToolCallId};
use openeve_domain::pause::{NewPause, PauseKind, PauseRequest};
use openeve_domain::retry::Class;
use openeve_domain::run::begin_batch::{Batch, CallRequest, PlannedCall, begin_batch};
use openeve_domain::run::bounds::{RunBounds, may_iterate};
use openeve_domain::run::cancel::cancel;
use openeve_domain::run::finish::{Answer, Obligation, final_key, finish};
use openeve_domain::run::hand_on::hand_on;
use openeve_domain::run::model_failed::{ModelFailure, Reaction, model_failed};
use openeve_domain::run::recover::recover;
use openeve_domain::run::settle_calls::{Outcome, Returned, Settled, ToolOutput, settle_calls};
use openeve_domain::run::{RunState, give_up};
use openeve_domain::status::{RunStatus, SideEffects, ToolCallStatus};
use openeve_domain::transcript::ToolCall;
use openeve_domain::usage::Usage;
use serde_json::{Value, json};

use super::{MINUTE_MS, Make, Op};

impl Make {
    pub(super) fn commit(&mut self) -> Op {
        if self.chance.below(12) == 0
            && let Some(again) = self.again()
        {
            return again;
        }
        let Some(mut state) = self.newest_held() else {
            return self.claim();
        };
        let Some(mut commit) = self.transition(&mut state) else {
            // What it learnt is unsaved, and rides on its next commit.
            self.remember(state);
            return self.heartbeat();
        };
        self.remember(state.clone());
        if self.chance.below(6) == 0 {
            self.spoil(&state, &mut commit);
        }
        Op::Commit(Box::new(commit), self.lease_ms())
    }

    /// A commit that was tried before: the newest, or a late copy.
    fn again(&mut self) -> Option<Op> {
        let commit = if self.chance.likely(5) {
            self.commits.last().cloned()
        } else {
            self.chance.pick(&self.commits)
        };
        Some(Op::Commit(Box::new(commit?), self.lease_ms()))
    }

    fn remember(&mut self, state: RunState) {
        let same = |held: &&mut RunState| {
            (held.run_id, held.epoch, held.commits) == (state.run_id, state.epoch, state.commits)
        };
        if let Some(held) = self.held.iter_mut().find(same) {
            *held = state;
        }
    }

    fn transition(&mut self, state: &mut RunState) -> Option<Commit> {
        let id = CommitId::new(self.uuid());
        if state.cancel_requested && self.chance.likely(6) {
            return Some(cancel(state, id));
        }
        if state.recovery && self.chance.likely(8) {
            let obligation = self.obligation();
            return Some(recover(state, obligation, id).commit);
        }
        if state.has_open_batch() && self.chance.likely(8) {
            let outcomes = self.outcomes(state);
            return match settle_calls(state, outcomes, id) {
                Settled::Commit(commit) => Some(*commit),
                Settled::Unsaved => None,
            };
        }
        match self.chance.below(16) {
            0 => Some(hand_on(state, Spent::Slice, self.chance.of(&[1, 500]), id)),
            1 => self.model_failed(state, id),
            2 => Some(cancel(state, id)),
            3 => Some(give_up(state, id, "store_refused", "no\0".into())),
            4 => {
                let bounds = RunBounds {
                    iterations: 2,
                    ..RunBounds::default()
                };
                may_iterate(state, &bounds, 0, id)
                    .err()
                    .map(|commit| *commit)
            }
            5..8 => Some(self.finish(state, id)),
            _ => Some(self.batch(state, id)),
        }
    }

    fn finish(&mut self, state: &RunState, id: CommitId) -> Commit {
        let answer = Answer {
            text: self.text("done", "d\0ne").into(),
            extra: self.extra(),
            checkpoint: continuation(state),
            usage: self.usage(),
        };
        let obligation = self.obligation();
        finish(state, answer, obligation, id)
    }

    fn model_failed(&mut self, state: &RunState, id: CommitId) -> Option<Commit> {
        let class = match self.chance.below(3) {
            0 => Class::Refused,
            _ => Class::Retry {
                after_ms: Some(self.chance.of(&[1, 5]) * MINUTE_MS),
            },
        };
        let failure = ModelFailure {
            code: "model_overloaded".into(),
            message: self.text("try again", "try\0").into(),
            class,
        };
        let failures = self.chance.of(&[1, 2, 5]);
        match model_failed(state, failure, failures, 0.5, id) {
            Reaction::Commit(commit) => Some(*commit),
            Reaction::AskAgain { .. } => None,
        }
    }

    fn batch(&mut self, state: &RunState, id: CommitId) -> Commit {
        let calls = 1 + self.chance.below(4);
        let together = self.chance.likely(5);
        let calls = (0..calls).map(|at| self.call(at, together)).collect();
        let batch = Batch {
            text: self.text("", "let\0me").into(),
            extra: self.extra(),
            calls,
            checkpoint: continuation(state),
            usage: self.usage(),
        };
        begin_batch(state, batch, id)
    }

    fn call(&mut self, at: u64, together: bool) -> PlannedCall {
        let name = self.chance.of(&["look", "act", "pay\0", ASK_QUESTION]);
        let gate = match name {
            ASK_QUESTION => Some(self.request(PauseKind::Input)),
            _ if self.chance.likely(3) => Some(self.request(PauseKind::Approval)),
            _ => None,
        };
        let harmless = name == ASK_QUESTION && self.chance.likely(9);
        PlannedCall {
            id: ToolCallId::new(self.uuid()),
            request: CallRequest {
                provider_call_id: format!("c{at}\0"),
                name: name.into(),
                arguments: self.text("{}", "{\0}").into(),
            },
            side_effects: if harmless {
                SideEffects::None
            } else {
                self.chance.of(&[
                    SideEffects::None,
                    SideEffects::Idempotent,
                    SideEffects::Unsafe,
                ])
            },
            sequential: !together && self.chance.likely(6),
            gate,
        }
    }

    fn request(&mut self, kind: PauseKind) -> PauseRequest {
        let approvers: &[&str] = match self.chance.below(4) {
            0 => &[],
            1 => &["anyone"],
            2 => &["bob", "role:admin"],
            _ => &["requester"],
        };
        PauseRequest {
            kind,
            prompt: self.text("Which?", "Wh\0ch?").into(),
            options: self
                .chance
                .likely(3)
                .then(|| "one\0".to_owned())
                .into_iter()
                .collect(),
            approvers: approvers.iter().map(|one| (*one).to_owned()).collect(),
            url: self
                .chance
                .likely(2)
                .then(|| "https://example.com".to_owned()),
        }
    }

    /// What some of the calls that run came to, in call order.
    fn outcomes(&mut self, state: &RunState) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for call in state.started() {
            if !self.chance.likely(8) {
                continue;
            }
            let result = match self.chance.below(8) {
                0 => Err(self.text("out of order", "o\0").to_owned()),
                1 => {
                    let kind = self
                        .chance
                        .of(&[PauseKind::Input, PauseKind::Authorization]);
                    Ok(Returned::Pause(self.request(kind)))
                }
                _ => Ok(Returned::Output(ToolOutput {
                    result: self.extra(),
                    model_output: self.chance.likely(3).then(|| "f\0ne".to_owned()),
                })),
            };
            let emitted = self.chance.below(6) == 0;
            outcomes.push(Outcome {
                id: call.id,
                result,
                emitted: emitted
                    .then(|| Event::new("tool\0said", json!({"k\0": "v\0"})))
                    .into_iter()
                    .collect(),
            });
        }
        outcomes
    }

    fn extra(&mut self) -> Value {
        match self.chance.below(4) {
            0 => json!({"a": [1, -2, 3.25, "x\0"], "b": {"c": null}}),
            1 => json!("plain\0"),
            _ => Value::Null,
        }
    }

    fn usage(&mut self) -> Option<UsageRecord> {
        let tokens = self.chance.of(&[10, 11, u64::MAX]);
        self.chance.likely(7).then(|| UsageRecord {
            model: "scripted/model".into(),
            usage: Usage {
                input_tokens: tokens,
                cached_tokens: 3,
                output_tokens: 2,
                reasoning_tokens: 1,
                cost_micros: 7,
            },
        })
    }

    fn obligation(&mut self) -> Obligation {
        let inline = self.chance.likely(4);
        Obligation {
            id: self.fresh_delivery(),
            leased_by: inline.then(|| LeaseToken::new(self.uuid())),
            lease_ms: MINUTE_MS,
        }
    }

    /// Makes a commit stale, or one that the schema refuses.
    fn spoil(&mut self, state: &RunState, commit: &mut Commit) {
        let settled = state.calls.iter().find(|call| call.status.is_settled());
        match self.chance.below(14) {
            0 => commit.epoch -= 1,
            1 => commit.epoch += 1,
            2 => commit.follows += 1,
            3 => commit.follows = commit.follows.saturating_sub(1),
            4 => commit.entries.extend(state.entries.first().cloned()),
            5 => change(commit, settled, |_| ToolCallStatus::Started),
            6 => change(commit, settled, |call| call.status),
            7 => {
                if let Some(call) = commit.calls.first_mut() {
                    call.status = ToolCallStatus::Succeeded;
                }
            }
            8 => commit.status = RunStatus::Failed,
            9 => commit.pauses.push(NewPause {
                call_id: ToolCallId::new(self.uuid()),
                generation: self.chance.of(&[0, 1]),
                request: self.request(PauseKind::Approval),
                ttl_ms: MINUTE_MS,
            }),
            10 => commit.events.push(Event::new("", Value::Null)),
            11 => commit.checkpoint.clone_from(&state.checkpoint),
            12 => {
                commit.delivery = Some(NewDelivery {
                    id: self.fresh_or_known_delivery(),
                    key: if self.chance.likely(5) {
                        final_key(state.run_id)
                    } else {
                        format!("reply:{}", self.ids)
                    },
                    channel: "message".into(),
                    target: json!("x\0"),
                    text: "mid\0way".into(),
                    leased_by: None,
                    lease_ms: 0,
                });
            }
            _ => {
                let open = state.calls.iter().find(|call| !call.status.is_settled());
                change(commit, open, |_| ToolCallStatus::Requested);
            }
        }
    }

    fn fresh_or_known_delivery(&mut self) -> DeliveryId {
        if self.chance.likely(5) {
            return self.delivery();
        }
        DeliveryId::new(self.uuid())
    }
}

/// Moves a call once more, unless the commit moves it already: which of the two a statement takes is
/// open.
fn change(commit: &mut Commit, call: Option<&ToolCall>, to: fn(&ToolCall) -> ToolCallStatus) {
    let Some(call) = call else {
        return;
    };
    if commit.changes.iter().any(|change| change.id == call.id) {
        return;
    }
    commit.changes.push(CallChange {
        id: call.id,
        status: to(call),
        result: json!({"again": true}),
        model_output: "again".into(),
    });
}

fn continuation(state: &RunState) -> Continuation {
    Continuation {
        v: 1,
        engine: "scripted".into(),
        engine_version: 1,
        seq: state.checkpoint.as_ref().map_or(1, |at| at.seq + 1),
        agent_revision: state.agent_revision.clone(),
        surface: String::new(),
        body: json!({"iteration": state.iterations(), "said": "x\0"}),
    }
}
