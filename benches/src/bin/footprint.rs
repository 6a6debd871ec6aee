//! What a function costs Lambda: size, time to the first request for work, memory after a turn.
//!
//! Run it after `openeve build FOLDER --target lambda --arch x86_64`, with that command's folder of
//! compiled functions (`target/lambda-functions/x86_64`) and the tools of `tests/tools.sh` in place.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark prints and fails loudly"
)]

use openeve_benches::{machine, median, released};
use openeve_domain::status::DeliveryStatus;
use openeve_testkit::lambda::LambdaFunction;
use openeve_testkit::patience::eventually;
use openeve_tests::deployment::{Deployment, Options, function_url_event};
use serde_json::json;

/// Processes started for each median.
const STARTS: usize = 31;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!("{}", machine());
    println!(
        "release binaries, stripped; medians of {STARTS} starts; memory is resident after one turn of two tools\n"
    );
    println!("| function | binary MB | start to first request ms | resident MB |");
    println!("|---|--:|--:|--:|");
    let world = Deployment::start(Options {
        binaries: released,
        ..Options::plain().await
    })
    .await;
    let run = world.say("guest", "Sauna, and a table?", "one").await;
    eventually("the reply is settled", async || {
        (world.view(run).await.delivery == Some(DeliveryStatus::Sent)).then_some(())
    })
    .await;
    let health = function_url_event("/health", "", "");
    let nothing = json!({"Records": []});
    for (name, function, event) in [
        ("ingress", &world.ingress, &health),
        ("tick", &world.tick, &nothing),
        ("step", &world.step, &nothing),
        ("delivery", &world.delivery, &nothing),
        ("sweep", &world.sweep, &nothing),
    ] {
        let resident = match function.stats().rss_kib.last() {
            Some(kib) => *kib,
            None => after(function, event).await,
        };
        for _ in 0..STARTS {
            function.kill_all().await;
            function.invoke_json(event).await;
        }
        let bytes = std::fs::metadata(released(name)).unwrap().len();
        let starts = function.stats().init_ms;
        println!(
            "| {name} | {:.2} | {:.1} | {:.1} |",
            bytes as f64 / 1e6,
            median(&starts),
            resident as f64 / 1024.0
        );
    }
}

async fn after(function: &LambdaFunction, event: &serde_json::Value) -> u64 {
    function.invoke_json(event).await;
    function.stats().rss_kib.last().copied().unwrap_or_default()
}
