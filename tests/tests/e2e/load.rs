//! Much of one thing: bounded memory, cost that does not grow with what came before, and fairness.
//! BENCHMARKS.md has the figures; here are the bounds.

use std::sync::LazyLock;

use openeve_domain::limits::{HISTORY_BYTES_MAX, HISTORY_MESSAGES_MAX, TOOL_OUTPUT_BYTES_MAX};
use openeve_tests::load::{
    Peaks, Programs, big_results, busy_beside, long_conversation, many_events,
};
use openeve_tests::paths::binary;

static PROGRAMS: LazyLock<Programs> = LazyLock::new(|| Programs {
    openeve: binary("openeve"),
    function: binary,
});

/// What the template gives a step, and the other functions, in KiB. A build for tests needs more
/// than a shipped one.
const STEP_KIB: u64 = 512 * 1_024;
/// See [`STEP_KIB`].
const OTHER_KIB: u64 = 256 * 1_024;
/// Messages that a turn of one tool adds to the history it is given.
const OF_THE_TURN: usize = 4;

/// Nothing held more than that share of what its function has.
fn held_at_most(peaks: Peaks, of_step: f64) {
    #[expect(clippy::cast_precision_loss, reason = "kibibytes of a process")]
    let share = |kib: u64, of: u64| kib as f64 / of as f64;
    assert!(share(peaks.step, STEP_KIB) <= of_step, "{peaks:?}");
    assert!(share(peaks.ingress, OTHER_KIB) <= 0.25, "{peaks:?}");
    assert!(share(peaks.delivery, OTHER_KIB) <= 0.25, "{peaks:?}");
}

#[tokio::test]
async fn eight_tool_results_of_ten_megabytes_are_cut_before_they_are_kept_or_sent() {
    let result = big_results(&PROGRAMS, 10_000_000, 8).await;
    assert!(result.model_bytes <= TOOL_OUTPUT_BYTES_MAX, "{result:?}");
    let kept = usize::try_from(result.stored_bytes).unwrap();
    assert!(kept <= 2 * TOOL_OUTPUT_BYTES_MAX, "{result:?}");
    held_at_most(result.peaks, 0.75);
}

#[tokio::test]
async fn a_run_of_five_thousand_events_numbers_them_densely_and_holds_none_of_them() {
    let result = many_events(&PROGRAMS, 50, 100).await;
    assert!(result.events >= 5_000 && result.are_dense, "{result:?}");
    held_at_most(result.peaks, 0.25);
}

#[tokio::test]
async fn a_turn_of_a_long_conversation_carries_a_bounded_history() {
    let result = long_conversation(&PROGRAMS, 60).await;
    assert!(
        result.request_messages <= HISTORY_MESSAGES_MAX + OF_THE_TURN,
        "{result:?}"
    );
    assert!(result.request_bytes <= 2 * HISTORY_BYTES_MAX, "{result:?}");
    held_at_most(result.peaks, 0.25);
}

#[tokio::test]
async fn a_flooded_conversation_keeps_its_order_and_nobody_else_waiting() {
    let result = busy_beside(&PROGRAMS, 200, 200).await;
    assert_eq!(
        (result.busy_ms.len(), result.others_ms.len()),
        (200, 200),
        "nothing is lost"
    );
    assert_eq!(result.out_of_order, 0, "one after the other, in order");
    assert!(
        result.still_open > 0,
        "the others had ended while the flood was still being worked through"
    );
    held_at_most(result.peaks, 0.25);
}
