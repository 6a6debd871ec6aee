//! Tools and senders that are closures, and remember every call.

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;

use async_trait::async_trait;
use openeve_domain::delivery::{LeasedDelivery, SendOutcome};
use openeve_domain::ids::ToolCallId;
use openeve_domain::manifest::Manifest;
use openeve_domain::pause::{PauseKind, PauseRequest};
use openeve_domain::run::settle_calls::{Outcome, Returned, ToolOutput};
use openeve_runtime::ports::{Gate, Invocation, SendPlan, Sender, ToolRunner};
use serde_json::Value;

type Run = Box<dyn Fn(&str, Value, Vec<String>) -> Work + Send + Sync>;
type Work = Pin<Box<dyn Future<Output = Result<Returned, String>> + Send>>;

/// Runs every tool through one closure, given its name and input.
pub struct ClosureTools {
    run: Run,
    ran: Mutex<Vec<(String, ToolCallId)>>,
}

impl ClosureTools {
    /// Tools that answer at once.
    pub fn new(run: impl Fn(&str, Value) -> Result<Value, String> + Send + Sync + 'static) -> Self {
        Self::waiting(move |name, input| {
            let result = run(name, input);
            async move { result }
        })
    }

    /// Tools that may wait.
    pub fn waiting<F>(run: impl Fn(&str, Value) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, String>> + Send + 'static,
    {
        Self {
            run: Box::new(move |name, input, _| {
                let result = run(name, input);
                Box::pin(async move { result.await.map(output) })
            }),
            ran: Mutex::default(),
        }
    }

    /// Tools that may ask: they are given the answers to what they asked before.
    pub fn asking(
        run: impl Fn(&str, Vec<String>) -> Result<Returned, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            run: Box::new(move |name, _, answers| {
                let result = run(name, answers);
                Box::pin(async move { result })
            }),
            ran: Mutex::default(),
        }
    }

    /// Every call that was run, in order of starting.
    pub fn ran(&self) -> Vec<(String, ToolCallId)> {
        self.ran.lock().unwrap().clone()
    }
}

/// What a tool returns to the model and to people alike.
pub fn output(result: Value) -> Returned {
    Returned::Output(ToolOutput {
        result,
        model_output: None,
    })
}

/// A question from inside a tool.
pub fn ask(prompt: &str) -> Returned {
    Returned::Pause(PauseRequest {
        kind: PauseKind::Input,
        prompt: prompt.into(),
        options: Vec::new(),
        approvers: Vec::new(),
        url: None,
    })
}

#[async_trait]
impl ToolRunner for ClosureTools {
    async fn run(&self, invocation: Invocation<'_>) -> Outcome {
        let name = invocation.tool.name.clone();
        self.ran
            .lock()
            .unwrap()
            .push((name.clone(), invocation.call_id));
        let result = (self.run)(&name, invocation.input, invocation.answers).await;
        Outcome {
            id: invocation.call_id,
            result,
            emitted: Vec::new(),
        }
    }

    async fn gate(&self, _: Invocation<'_>) -> Result<Gate, String> {
        Ok(Gate::Ask { reason: None })
    }
}

/// Sends into a list; answers from a script, then `Sent`.
#[derive(Default)]
pub struct ScriptedSender {
    script: Mutex<Vec<SendOutcome>>,
    sent: Mutex<Vec<LeasedDelivery>>,
    parts: Mutex<Vec<u32>>,
    plan: Mutex<Option<SendPlan>>,
}

impl ScriptedSender {
    /// The next outcomes, first one first.
    pub fn will(&self, mut outcomes: Vec<SendOutcome>) {
        outcomes.reverse();
        *self.script.lock().unwrap() = outcomes;
    }

    /// From now on deliveries are sent so.
    pub fn plans(&self, plan: SendPlan) {
        *self.plan.lock().unwrap() = Some(plan);
    }

    /// The part of every attempt so far.
    pub fn parts(&self) -> Vec<u32> {
        self.parts.lock().unwrap().clone()
    }

    /// Every attempt so far.
    pub fn attempts(&self) -> Vec<LeasedDelivery> {
        self.sent.lock().unwrap().clone()
    }
}

#[async_trait]
impl Sender for ScriptedSender {
    fn plan(&self, _: &Manifest, _: &LeasedDelivery) -> SendPlan {
        let plan = *self.plan.lock().unwrap();
        plan.unwrap_or(SendPlan {
            parts: 1,
            dedupes: true,
        })
    }

    async fn send(&self, _: &Manifest, delivery: &LeasedDelivery, part: u32) -> SendOutcome {
        self.parts.lock().unwrap().push(part);
        self.sent.lock().unwrap().push(delivery.clone());
        let next = self.script.lock().unwrap().pop();
        next.unwrap_or_else(|| SendOutcome::Sent {
            via: "script".into(),
            provider_id: None,
        })
    }
}
