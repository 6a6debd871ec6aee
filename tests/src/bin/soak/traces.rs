//! What the outside world saw: the effects of tools, and the replies that reached the receiver.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use openeve_domain::secret::Secret;
use openeve_integrations::channels::http::sign;
use openeve_testkit::receiver::{Answer, Receiver, Recorded};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::clock::opening_after;

/// One run of a tool, as the tool told it.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    pub(crate) message: u64,
    pub(crate) ordinal: u64,
    pub(crate) run: String,
    pub(crate) call: String,
    pub(crate) tool: String,
    pub(crate) key: String,
}

/// One post at the receiver, repeats included.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub(crate) at: Timestamp,
    /// The webhook's id, under which a repeat is recognised.
    pub(crate) id: String,
    pub(crate) run: String,
    pub(crate) conversation: String,
    pub(crate) text: String,
    pub(crate) is_signed: bool,
    /// Whether the receiver said that it took it.
    pub(crate) was_taken: bool,
}

/// How the receiver meets a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Takes,
    Refuses,
    /// It takes the post, and its answer is lost on the way.
    Loses,
}

/// The recorder that tools call.
pub(crate) struct Traces {
    server: Receiver,
    effects: Arc<Mutex<Vec<Effect>>>,
}

impl Traces {
    pub(crate) async fn start() -> Self {
        let effects: Arc<Mutex<Vec<Effect>>> = Arc::default();
        let kept = Arc::clone(&effects);
        let server = Receiver::start(move |number, request| {
            let body = request.json();
            kept.lock().unwrap().push(effect(&body, request));
            let mut chance = Chance::new(u64::try_from(number).unwrap_or_default());
            // A few tools take seconds, so that heartbeats and kills fall into them.
            let takes_ms = if chance.one_in(25) {
                chance.between(2_000, 5_000)
            } else {
                chance.between(5, 250)
            };
            Answer::json(&json!({"recorded": number})).held_by(&opening_after(takes_ms))
        })
        .await;
        Self { server, effects }
    }

    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    pub(crate) fn effects(&self) -> Vec<Effect> {
        self.effects.lock().unwrap().clone()
    }
}

fn effect(body: &Value, request: &Recorded) -> Effect {
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    Effect {
        message: body["message"].as_u64().unwrap_or(u64::MAX),
        ordinal: body["ordinal"].as_u64().unwrap_or(u64::MAX),
        run: text("run"),
        call: text("call"),
        tool: text("tool"),
        key: request.header("idempotency-key").to_owned(),
    }
}

/// The receiver of replies.
pub(crate) struct Replies {
    server: Receiver,
    posted: Arc<Mutex<Vec<Posted>>>,
}

impl Replies {
    /// `signing` is the secret that replies are signed with.
    pub(crate) async fn start(signing: &'static str) -> Self {
        let posted: Arc<Mutex<Vec<Posted>>> = Arc::default();
        let kept = Arc::clone(&posted);
        let server = Receiver::start(move |number, request| {
            let mut chance = Chance::new(u64::try_from(number).unwrap_or_default());
            let mood = chance.weighted(&[(96, Mood::Takes), (3, Mood::Refuses), (1, Mood::Loses)]);
            let post = post(request, signing, mood == Mood::Takes);
            kept.lock().unwrap().push(post);
            let answer = match mood {
                Mood::Takes => Answer::status(200),
                Mood::Refuses => Answer::status(503),
                Mood::Loses => Answer::status(200).lost(),
            };
            answer.held_by(&opening_after(chance.between(5, 200)))
        })
        .await;
        Self { server, posted }
    }

    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    pub(crate) fn replies(&self) -> Vec<Posted> {
        self.posted.lock().unwrap().clone()
    }
}

fn post(request: &Recorded, signing: &str, was_taken: bool) -> Posted {
    let body = request.json();
    let data = &body["data"];
    let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    let id = request.header("webhook-id");
    let at = request.header("webhook-timestamp").parse();
    let signature = at
        .ok()
        .and_then(|at| sign(&Secret::new(signing), id, at, &request.body).ok());
    Posted {
        at: Timestamp::now(),
        id: id.to_owned(),
        run: text("run_id"),
        conversation: text("conversation"),
        text: text("text"),
        is_signed: signature.as_deref() == Some(request.header("webhook-signature")),
        was_taken,
    }
}
