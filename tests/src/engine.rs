//! An engine that follows a script through the same port as the real one [C.06].

use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use openeve_domain::run::begin_batch::CallRequest;
use openeve_domain::transcript::Message;
use openeve_domain::usage::Usage;
use openeve_runtime::ports::{Advance, AdvanceInput, Advanced, Engine};
use serde_json::{Value, json};

/// What a script decides for one iteration, given how many came before and what was said.
pub type Plan = dyn Fn(u64, &[Message<'_>]) -> Advance + Send + Sync;

/// Follows a script. Its continuation is a count, as the real engine's.
pub struct ScriptedEngine {
    plan: Box<Plan>,
    asked: AtomicU64,
}

impl ScriptedEngine {
    /// An engine that asks `plan` what to do.
    pub fn new(plan: impl Fn(u64, &[Message<'_>]) -> Advance + Send + Sync + 'static) -> Self {
        Self {
            plan: Box::new(plan),
            asked: AtomicU64::new(0),
        }
    }

    /// How often it was asked.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Engine for ScriptedEngine {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn version(&self) -> u32 {
        1
    }

    async fn advance(&self, input: AdvanceInput<'_>) -> Advanced {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let done = input
            .continuation
            .and_then(|body| body["iteration"].as_u64())
            .unwrap_or(0);
        let mut advance = (self.plan)(done, input.messages);
        match &mut advance {
            Advance::Message { continuation, .. } | Advance::ToolBatch { continuation, .. } => {
                *continuation = json!({"iteration": done + 1});
            }
            Advance::Failed(_) => {}
        }
        let usage = Usage {
            input_tokens: 10,
            output_tokens: 2,
            ..Usage::default()
        };
        Advanced {
            advance,
            usage: Some(usage),
        }
    }
}

/// A final answer.
pub fn answer(text: &str) -> Advance {
    Advance::Message {
        text: text.to_owned(),
        extra: Value::Null,
        continuation: Value::Null,
    }
}

/// A batch of calls by tool name, with the arguments `{"n": <position>}`.
pub fn calls(iteration: u64, names: &[&str]) -> Advance {
    let call = |(position, name): (usize, &&str)| CallRequest {
        provider_call_id: format!("call_{iteration}_{position}"),
        name: (*name).to_owned(),
        arguments: json!({"n": position}).to_string(),
    };
    Advance::ToolBatch {
        text: String::new(),
        extra: Value::Null,
        calls: names.iter().enumerate().map(call).collect(),
        continuation: Value::Null,
    }
}
