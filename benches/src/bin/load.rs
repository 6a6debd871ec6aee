//! What much of one thing costs: large results, many events, a long conversation, a flooded one.
//!
//! Run it after `cargo run --bin openeve -- build FOLDER --target lambda --arch x86_64`: it measures that command's
//! compiled functions (`target/lambda-functions/x86_64`), each behind a Lambda Runtime API server
//! of our own, with Postgres and queues in this machine and a model that does not think.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints and fails loudly"
)]

use openeve_benches::{machine, released};
use openeve_tests::load::{
    Busy, Peaks, Programs, big_results, busy_beside, long_conversation, many_events,
};
use openeve_tests::paths::repository;

/// Bytes of one tool result.
const BIG: usize = 10_000_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!("{}\n", machine());
    let programs = Programs {
        openeve: repository().join("target/debug/openeve"),
        function: released,
    };
    println!(
        "| tool results of 10 MB in one batch | kept in the database, bytes | sent to the model, bytes | turn ms | peak MB: step, ingress, delivery |"
    );
    println!("|--:|--:|--:|--:|--:|");
    for calls in [1, 8] {
        let result = big_results(&programs, BIG, calls).await;
        println!(
            "| {calls} | {} | {} | {:.0} | {} |",
            result.stored_bytes,
            result.model_bytes,
            result.turn_ms,
            peaks(result.peaks)
        );
    }
    println!(
        "\n| events of one run | steps | a step at first ms | at last ms | reading them all ms | peak MB |"
    );
    println!("|--:|--:|--:|--:|--:|--:|");
    let result = many_events(&programs, 100, 50).await;
    assert!(result.are_dense, "{result:?}");
    println!(
        "| {} | 101 | {:.1} | {:.1} | {:.0} | {} |",
        result.events,
        result.first_ms,
        result.last_ms,
        result.read_ms,
        peaks(result.peaks)
    );
    println!(
        "\n| turns of one conversation | a turn at first ms | at last ms | largest request: messages | bytes | peak MB |"
    );
    println!("|--:|--:|--:|--:|--:|--:|");
    let result = long_conversation(&programs, 500).await;
    println!(
        "| 500 | {:.1} | {:.1} | {} | {} | {} |",
        result.first_ms,
        result.last_ms,
        result.request_messages,
        result.request_bytes,
        peaks(result.peaks)
    );
    println!(
        "\n| to one conversation | to as many others | others: p50, p99, max s | flooded: p50, max s | flooded open when the others had ended | out of order | all s | turns a second | peak MB |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (busy, others) in [(0, 1_000), (1_000, 1_000)] {
        let result = busy_beside(&programs, busy, others).await;
        assert_eq!(result.busy_ms.len() + result.others_ms.len(), busy + others);
        told(busy, others, &result);
    }
}

fn told(busy: usize, others: usize, result: &Busy) {
    let at = |values: &[f64], part: usize| {
        let place = (values.len() * part).div_ceil(100).max(1) - 1;
        values.get(place).copied().unwrap_or_default() / 1e3
    };
    println!(
        "| {busy} | {others} | {:.2}, {:.2}, {:.2} | {:.2}, {:.2} | {} | {} | {:.1} | {:.0} | {} |",
        at(&result.others_ms, 50),
        at(&result.others_ms, 99),
        at(&result.others_ms, 100),
        at(&result.busy_ms, 50),
        at(&result.busy_ms, 100),
        result.still_open,
        result.out_of_order,
        result.all_ms / 1e3,
        (busy + others) as f64 / result.all_ms * 1e3,
        peaks(result.peaks)
    );
}

fn peaks(peaks: Peaks) -> String {
    let [step, ingress, delivery] =
        [peaks.step, peaks.ingress, peaks.delivery].map(|kib| kib as f64 / 1_024.0);
    format!("{step:.0}, {ingress:.0}, {delivery:.0}")
}
