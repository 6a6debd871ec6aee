//! The load: every message is posted as its plan says, and again until it is acknowledged.

use openeve_testkit::lambda::{InvokeOutcome, LambdaFunction};
use openeve_tests::deployment::function_url_event;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::clock::{Start, pause};
use crate::plan::{Message, Plan};
use crate::stage::{SOAK_TOKEN, Stage};

/// How long a poster goes on before it gives a message up.
const GIVES_UP_AFTER_MS: u64 = 240_000;
/// How long it waits between two tries.
const AGAIN_AFTER_MS: u64 = 700;

/// What became of the posts of one message.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) message: u64,
    /// When it was posted first, since the load began.
    pub(crate) tried_ms: u64,
    /// One for each post that was acknowledged.
    pub(crate) acks: Vec<Ack>,
    /// Refusals that trying again would not mend, and posts that were given up.
    pub(crate) refusals: Vec<String>,
    /// Posts without an answer, or told to come again.
    pub(crate) retries: u64,
}

/// A 202.
#[derive(Debug, Clone)]
pub(crate) struct Ack {
    pub(crate) run: String,
    pub(crate) is_duplicate: bool,
    /// When it came, since the load began.
    pub(crate) at_ms: u64,
    /// From the post's first try.
    pub(crate) after_ms: u64,
}

/// Posts everything; ends when every post is acknowledged or given up.
pub(crate) async fn post_all(stage: &Stage, plan: &Plan, start: Start) -> Vec<Heard> {
    let mut posting = JoinSet::new();
    for message in &plan.messages {
        posting.spawn(post_message(stage.ingress.clone(), message.clone(), start));
    }
    let mut heard = Vec::new();
    while let Some(done) = posting.join_next().await {
        heard.push(done.expect("a poster does not panic"));
    }
    heard
}

async fn post_message(ingress: LambdaFunction, message: Message, start: Start) -> Heard {
    let mut heard = Heard {
        message: message.number,
        tried_ms: u64::MAX,
        acks: Vec::new(),
        refusals: Vec::new(),
        retries: 0,
    };
    let body = json!({
        "message": message.text(),
        "conversation": format!("guest-{}", message.conversation),
        "id": format!("soak-{}", message.number),
    });
    let event = function_url_event("/message", SOAK_TOKEN, &body.to_string());
    let mut posts = JoinSet::new();
    for after_ms in &message.posts_ms {
        let at_ms = message.at_ms + after_ms;
        posts.spawn(post(ingress.clone(), event.clone(), start, at_ms));
    }
    while let Some(done) = posts.join_next().await {
        let posted = done.expect("a poster does not panic");
        heard.retries += posted.retries;
        heard.tried_ms = heard.tried_ms.min(posted.tried_ms);
        match posted.outcome {
            Ok(ack) => heard.acks.push(ack),
            Err(why) => heard.refusals.push(why),
        }
    }
    heard
}

/// What became of one post.
struct Posted {
    tried_ms: u64,
    retries: u64,
    outcome: Result<Ack, String>,
}

/// One post, tried until it is acknowledged.
async fn post(ingress: LambdaFunction, event: Value, start: Start, at_ms: u64) -> Posted {
    start.reach(at_ms).await;
    let (begun, tried_ms) = (Start::now(), start.elapsed_ms());
    let mut retries = 0;
    let outcome = loop {
        let last = match ingress.invoke_json(&event).await {
            InvokeOutcome::Response(bytes) => {
                let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
                match answer["statusCode"].as_u64() {
                    Some(202) => break ack(&answer, start, begun),
                    // "Cannot persist" is the one refusal after which it is sent again.
                    Some(503) => answer.to_string(),
                    _ => break Err(format!("refused with {answer}")),
                }
            }
            outcome @ (InvokeOutcome::FunctionError(_)
            | InvokeOutcome::Crashed
            | InvokeOutcome::TimedOut
            | InvokeOutcome::LoopStopped) => format!("{outcome:?}"),
        };
        if begun.elapsed_ms() > GIVES_UP_AFTER_MS {
            break Err(format!("given up; the last answer was {last}"));
        }
        retries += 1;
        pause(AGAIN_AFTER_MS).await;
    };
    Posted {
        tried_ms,
        retries,
        outcome,
    }
}

fn ack(answer: &Value, start: Start, begun: Start) -> Result<Ack, String> {
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap_or_default())
        .map_err(|error| format!("a 202 whose body is no JSON: {error}"))?;
    Ok(Ack {
        run: body["run_id"].as_str().unwrap_or_default().to_owned(),
        is_duplicate: body["duplicate"] == true,
        at_ms: start.elapsed_ms(),
        after_ms: begun.elapsed_ms(),
    })
}
