//! One conversation that is flooded, beside many that say one thing each.

use std::sync::Arc;

use openeve_testkit::lambda::InvokeOutcome;
use openeve_testkit::scripted_model::Reply;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Peaks, Programs, Scene};
use crate::deployment::{TOKEN, function_url_event};

/// Posts on their way at once.
const POSTERS: usize = 8;

/// What a flooded conversation does to the others.
#[derive(Debug)]
pub struct Busy {
    /// From acceptance to the end of the run, in ms, of the others' runs, sorted.
    pub others_ms: Vec<f64>,
    /// The same of the flooded conversation.
    pub busy_ms: Vec<f64>,
    /// Runs of the flooded conversation that were still open when the last of the others was
    /// accepted.
    pub backlog: i64,
    /// The same when the last of the others had ended.
    pub still_open: i64,
    /// Pairs of runs of the flooded conversation that overlap or end out of their order.
    pub out_of_order: i64,
    /// From the first message to the last settled reply.
    pub all_ms: f64,
    /// Steps that were begun for all of it.
    pub steps: u64,
    /// See [`Peaks`].
    pub peaks: Peaks,
}

/// `busy` messages to one conversation and then one to each of `others`, as fast as they are taken.
pub async fn busy_beside(programs: &Programs, busy: usize, others: usize) -> Busy {
    let scene = Scene::start(programs, Vec::new(), |_| Reply::text("Yes.")).await;
    let begun = tokio::time::Instant::now();
    post(&scene, (0..busy).map(|number| ("busy".to_owned(), number))).await;
    post(
        &scene,
        (0..others).map(|number| (format!("other-{number}"), busy + number)),
    )
    .await;
    scene.settled().await;
    let all_ms = begun.elapsed().as_secs_f64() * 1e3;
    let busy_runs = "openeve.runs r JOIN openeve.conversations c ON c.id = r.conversation_id WHERE c.external_key";
    let last = |column: &str| format!("(SELECT max(r.{column}) FROM {busy_runs} <> 'busy')");
    let open_at = |moment: String| {
        format!("SELECT count(*) FROM {busy_runs} = 'busy' AND r.finished_at > {moment}")
    };
    let out_of_order = format!(
        "WITH run AS (SELECT r.position, r.finished_at, (SELECT min(e.created_at) \
             FROM openeve.run_events e WHERE e.run_id = r.id AND e.kind = 'model.responded') AS begun \
         FROM {busy_runs} = 'busy') \
         SELECT count(*) FROM run JOIN run ahead ON ahead.position = run.position - 1 \
         WHERE run.begun IS NULL OR run.begun < ahead.finished_at"
    );
    Busy {
        others_ms: took(&scene, &format!("{busy_runs} <> 'busy'")).await,
        busy_ms: took(&scene, &format!("{busy_runs} = 'busy'")).await,
        backlog: scene.number(&open_at(last("created_at"))).await,
        still_open: scene.number(&open_at(last("finished_at"))).await,
        out_of_order: scene.number(&out_of_order).await,
        all_ms,
        steps: scene.world.step.stats().invocations,
        peaks: scene.peaks(),
    }
}

async fn took(scene: &Scene, runs: &str) -> Vec<f64> {
    let sql = format!(
        "SELECT extract(epoch FROM r.finished_at - r.created_at)::float8 * 1000 AS took FROM {runs} ORDER BY took"
    );
    let rows = scene.client.query(&sql, &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

async fn post(scene: &Scene, messages: impl Iterator<Item = (String, usize)>) {
    let posters = Arc::new(Semaphore::new(POSTERS));
    let mut posting = JoinSet::new();
    for (conversation, number) in messages {
        let permit = Arc::clone(&posters).acquire_owned().await.unwrap();
        let ingress = scene.world.ingress.clone();
        posting.spawn(async move {
            let body =
                json!({"message": "Well?", "conversation": conversation, "id": number.to_string()});
            let event = function_url_event("/message", TOKEN, &body.to_string());
            let outcome = ingress.invoke_json(&event).await;
            assert!(
                matches!(&outcome, InvokeOutcome::Response(_))
                    && outcome.json()["statusCode"] == 202,
                "{outcome:?}"
            );
            drop(permit);
        });
    }
    while let Some(posted) = posting.join_next().await {
        posted.unwrap();
    }
}
