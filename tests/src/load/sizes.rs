//! Much in one turn, one run or one conversation.

use std::sync::{Arc, Mutex};

use openeve_runtime::ports::Store as _;
use openeve_testkit::scripted_model::{Reply, ScriptedCall, tool_results};
use serde_json::json;
use tokio::time::Instant;

use super::{Peaks, Programs, Scene};
use crate::deployment::one_iteration_a_step;

/// Events read at once.
const PAGE: u64 = 1_000;

/// What tool results of many bytes cost.
#[derive(Debug)]
pub struct BigResults {
    /// The longest result that the database keeps, in bytes.
    pub stored_bytes: i64,
    /// The longest result that the model was sent, in bytes.
    pub model_bytes: usize,
    /// From message to settled reply.
    pub turn_ms: f64,
    /// See [`Peaks`].
    pub peaks: Peaks,
}

/// A turn with `calls` tools in one batch, each returning `bytes`.
pub async fn big_results(programs: &Programs, bytes: usize, calls: usize) -> BigResults {
    let scene = Scene::start(programs, Vec::new(), move |request| {
        if tool_results(request) > 0 {
            return Reply::text("That was much.");
        }
        let call = |number| {
            let arguments = json!({"bytes": bytes});
            ScriptedCall::new(&format!("call_{number}"), "bulk", &arguments)
        };
        Reply::calls((0..calls).map(call).collect())
    })
    .await;
    let turn_ms = scene.turn("guest", "Much, please", "one").await;
    let requests = scene.world.model.requests();
    let messages = requests.last().unwrap()["messages"].as_array().unwrap();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    let sizes: Vec<usize> = results
        .map(|message| message["content"].as_str().unwrap().len())
        .collect();
    assert_eq!(sizes.len(), calls, "every call has its result");
    let stored = "SELECT max(length(result::text))::bigint FROM openeve.tool_calls";
    BigResults {
        stored_bytes: scene.number(stored).await,
        model_bytes: sizes.into_iter().max().unwrap(),
        turn_ms,
        peaks: scene.peaks(),
    }
}

/// What a run of many events costs.
#[derive(Debug)]
pub struct ManyEvents {
    /// Events of the run.
    pub events: usize,
    /// Whether they are numbered from one without a gap.
    pub are_dense: bool,
    /// Reading all of them, page by page.
    pub read_ms: f64,
    /// From one request of the model to the next, which is a step: the first tenth's median.
    pub first_ms: f64,
    /// The same of the last tenth.
    pub last_ms: f64,
    /// See [`Peaks`].
    pub peaks: Peaks,
}

/// A run of `steps` steps whose tool emits `events` in each.
pub async fn many_events(programs: &Programs, steps: usize, events: usize) -> ManyEvents {
    let asked: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let noted = Arc::clone(&asked);
    let variables = vec![
        one_iteration_a_step(),
        ("OPENEVE_RUN_MAX_ITERATIONS", (steps + 1).to_string()),
    ];
    let scene = Scene::start(programs, variables, move |request| {
        noted.lock().unwrap().push(Instant::now());
        match tool_results(request) {
            done if done == steps => Reply::text("All said."),
            done => Reply::call(
                &format!("call_{done}"),
                "chatter",
                &json!({"events": events}),
            ),
        }
    })
    .await;
    let run = scene.world.say("guest", "Talk", "one").await;
    scene.settled().await;
    let begun = Instant::now();
    let mut seqs: Vec<i64> = Vec::new();
    loop {
        let after = seqs.last().copied().unwrap_or_default();
        let store = &scene.world.store;
        let page = store.run_events("load", run, after, PAGE).await.unwrap();
        if page.is_empty() {
            break;
        }
        seqs.extend(page.iter().map(|event| event.seq));
    }
    let read_ms = begun.elapsed().as_secs_f64() * 1e3;
    let asked = asked.lock().unwrap();
    let between: Vec<f64> = asked
        .windows(2)
        .map(|pair| pair[1].duration_since(pair[0]).as_secs_f64() * 1e3)
        .collect();
    let (first_ms, last_ms) = ends(&between);
    ManyEvents {
        events: seqs.len(),
        are_dense: seqs
            .iter()
            .copied()
            .eq(1..=i64::try_from(seqs.len()).unwrap()),
        read_ms,
        first_ms,
        last_ms,
        peaks: scene.peaks(),
    }
}

/// What a conversation of many turns costs.
#[derive(Debug)]
pub struct LongConversation {
    /// A turn from message to settled reply: the first tenth's median.
    pub first_ms: f64,
    /// The same of the last tenth.
    pub last_ms: f64,
    /// The longest request to the model, in messages.
    pub request_messages: usize,
    /// The same in bytes.
    pub request_bytes: usize,
    /// See [`Peaks`].
    pub peaks: Peaks,
}

/// A conversation of `turns` turns with a tool each and a kilobyte said.
pub async fn long_conversation(programs: &Programs, turns: usize) -> LongConversation {
    let scene = Scene::start(programs, Vec::new(), |request| {
        match tool_results(request) {
            0 => Reply::call("call_a", "bulk", &json!({"bytes": 1_000})),
            _ => Reply::text(&"a word ".repeat(140)),
        }
    })
    .await;
    let mut took = Vec::new();
    for turn in 0..turns {
        let text = format!("{turn}: {}", "and then ".repeat(110));
        took.push(scene.turn("guest", &text, &turn.to_string()).await);
    }
    let requests = scene.world.model.requests();
    let (first_ms, last_ms) = ends(&took);
    let messages = |request: &serde_json::Value| request["messages"].as_array().map_or(0, Vec::len);
    LongConversation {
        first_ms,
        last_ms,
        request_messages: requests.iter().map(messages).max().unwrap(),
        request_bytes: requests
            .iter()
            .map(|request| request.to_string().len())
            .max()
            .unwrap(),
        peaks: scene.peaks(),
    }
}

/// The medians of the first and the last tenth.
fn ends(values: &[f64]) -> (f64, f64) {
    let tenth = (values.len() / 10).max(1);
    let median = |part: &[f64]| {
        let mut part = part.to_vec();
        part.sort_by(f64::total_cmp);
        part[part.len() / 2]
    };
    (
        median(&values[..tenth]),
        median(&values[values.len() - tenth..]),
    )
}
