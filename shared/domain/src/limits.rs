//! Every bound in one place, with its unit and its relation to the others.
//!
//! The infrastructure template, the configuration registry and the tests read these numbers; none
//! writes its own. A relation that must hold is an assertion the compiler checks.

/// Milliseconds in a second.
pub const SECOND_MS: u64 = 1_000;
/// Milliseconds in a minute.
pub const MINUTE_MS: u64 = 60 * SECOND_MS;
/// Milliseconds in an hour.
pub const HOUR_MS: u64 = 60 * MINUTE_MS;
/// Bytes in a kibibyte.
pub const KIB: usize = 1_024;
/// Bytes in a mebibyte.
pub const MIB: usize = 1_024 * KIB;

// --- A step's time ---------------------------------------------------------------------------

/// How long one model request may take, streaming included.
pub const MODEL_TIMEOUT_MS: u64 = 120 * SECOND_MS;
/// What a clean release needs: one commit and one doorbell, with room for a slow database.
pub const RELEASE_MARGIN_MS: u64 = 10 * SECOND_MS;
/// A step starts another iteration only if more than this remains.
pub const STEP_RESERVE_MS: u64 = MODEL_TIMEOUT_MS + RELEASE_MARGIN_MS;
/// A step starts another iteration only if it has worked for less than this.
pub const STEP_SLICE_MS: u64 = 60 * SECOND_MS;
/// The step function's time-out on Lambda.
pub const STEP_FUNCTION_TIMEOUT_MS: u64 = 300 * SECOND_MS;
/// A step that is abandoned this long before its deadline still releases its run.
pub const STEP_CANCEL_MARGIN_MS: u64 = 5 * SECOND_MS;
/// Steps a run may take before it ends as `failed` with reason `max_steps`.
pub const RUN_STEPS_MAX: u64 = 500;
/// Model iterations a run may take before it ends as `failed` with reason `max_iterations`.
pub const RUN_ITERATIONS_MAX: u64 = 100;
/// Tokens, read and written, that a run and its subagents may use before `max_tokens`.
pub const RUN_TOKENS_MAX: u64 = 5_000_000;
/// Millionths of a US dollar that a run and its subagents may spend before `max_cost`.
pub const RUN_COST_MICROS_MAX: u64 = 20_000_000;
/// How long a run may take before `max_wall`, from its arrival or from the last time a person
/// resumed it.
pub const RUN_WALL_MS_MAX: u64 = 24 * HOUR_MS;
/// Identical calls in a row that end identically badly before `repeated_errors`.
pub const RUN_REPEATED_ERRORS_MAX: u64 = 8;
/// How long an approval or a question waits before it expires.
pub const PAUSE_TTL_MS: u64 = 7 * 24 * HOUR_MS;
/// How long a run that a build cannot read is left alone before it is tried again.
pub const BLOCKED_WAIT_MS: u64 = 15 * MINUTE_MS;
/// Crashes in a row without a commit before a run ends as `failed` with reason `stalled`.
pub const RUN_STALLS_MAX: u64 = 5;
/// In-place resumes by recovery before it degrades.
pub const RECOVERY_RESUMES_MAX: u64 = 3;
/// A provider that asks to wait longer than this parks the run instead of sleeping on paid time.
pub const INLINE_WAIT_MS_MAX: u64 = 10 * SECOND_MS;
/// Model requests tried in a row for one iteration before the run fails.
pub const MODEL_ATTEMPTS_MAX: u64 = 5;

// --- Leases ----------------------------------------------------------------------------------

/// How long a claim holds without a heartbeat.
pub const RUN_LEASE_MS: u64 = 60 * SECOND_MS;
/// How often a working step extends its lease.
pub const RUN_HEARTBEAT_MS: u64 = 30 * SECOND_MS;
/// How long a sender holds a delivery.
pub const DELIVERY_LEASE_MS: u64 = 60 * SECOND_MS;
/// How long a row may wait for its own doorbell before the tick rings it.
pub const DOORBELL_GRACE_MS: u64 = 5 * SECOND_MS;
/// How often the tick runs.
pub const TICK_INTERVAL_MS: u64 = MINUTE_MS;
/// Rows of one kind a tick rings in one pass.
pub const TICK_BATCH_MAX: u64 = 200;

// --- Deliveries ------------------------------------------------------------------------------

/// How long one send may take.
pub const DELIVERY_SEND_TIMEOUT_MS: u64 = 15 * SECOND_MS;
/// Tries in place before a delivery is deferred.
pub const DELIVERY_INLINE_ATTEMPTS: u64 = 2;
/// Tries in place with the waits between them, at most.
pub const DELIVERY_TRIES_MS: u64 = DELIVERY_SEND_TIMEOUT_MS * DELIVERY_INLINE_ATTEMPTS
    + INLINE_WAIT_MS_MAX * (DELIVERY_INLINE_ATTEMPTS - 1);
/// Deferred tries before a delivery is given up.
pub const DELIVERY_ATTEMPTS_MAX: u64 = 8;
/// First delay of a deferred delivery.
pub const DELIVERY_BACKOFF_BASE_MS: u64 = 2 * SECOND_MS;
/// Longest delay of a deferred delivery, unless the provider asks for more.
pub const DELIVERY_BACKOFF_CAP_MS: u64 = 15 * MINUTE_MS;
/// Longest delay an SQS message can carry; a longer one is found by the tick.
pub const DOORBELL_DELAY_MS_MAX: u64 = 15 * MINUTE_MS;

// --- Functions on Lambda ---------------------------------------------------------------------

/// The ingress function's time-out.
pub const INGRESS_FUNCTION_TIMEOUT_MS: u64 = 20 * SECOND_MS;
/// How long the ingress waits for the database before it tells its caller to send again.
pub const ACCEPT_MS_MAX: u64 = 12 * SECOND_MS;
/// How often the sweep runs: retention is no hurry, and an idle system should be quiet.
pub const SWEEP_INTERVAL_MS: u64 = HOUR_MS;
/// The tick function's time-out.
pub const TICK_FUNCTION_TIMEOUT_MS: u64 = 50 * SECOND_MS;
/// The delivery function's time-out.
pub const DELIVERY_FUNCTION_TIMEOUT_MS: u64 = 50 * SECOND_MS;
/// The sweep function's time-out.
pub const SWEEP_FUNCTION_TIMEOUT_MS: u64 = 50 * SECOND_MS;
/// A queue's visibility time-out is this many times its function's time-out.
pub const VISIBILITY_FACTOR: u64 = 6;
/// How often a function that works tells the queue to hide its message a while longer.
pub const WATCH_INTERVAL_MS: u64 = 10 * SECOND_MS;
/// How long after the end of a lease a bell rings for it: clocks and queues are not exact.
pub const LEASE_SLACK_MS: u64 = SECOND_MS;
/// How long a bell whose handler failed stays away, by the number of its tries.
pub const BELL_RETRIES_MS: [u64; 4] =
    [5 * SECOND_MS, 30 * SECOND_MS, 3 * MINUTE_MS, 15 * MINUTE_MS];
/// How long a message that is no doorbell stays away; another version's function may know it.
pub const UNREADABLE_BELL_RETRY_MS: u64 = SECOND_MS;
/// Receives before SQS moves a message to the dead-letter queue; throttles use some up.
pub const QUEUE_RECEIVES_MAX: u64 = 5;
/// Steps that run at once, unless the deployer says otherwise.
pub const STEP_CONCURRENCY: u64 = 50;
/// Deliveries that are sent at once, unless the deployer says otherwise.
pub const DELIVERY_CONCURRENCY: u64 = 10;
/// Deliveries handed to one invocation.
pub const DELIVERY_BATCH: u64 = 5;
/// A tenant's name in a doorbell, and as SQS's message group.
pub const TENANT_BYTES_MAX: usize = 128;
/// A doorbell's size at most.
pub const DOORBELL_BYTES_MAX: usize = 400;

// --- Sizes -----------------------------------------------------------------------------------

/// The body of one inbound request.
pub const INBOUND_BODY_BYTES_MAX: usize = MIB;
/// The text of one inbound message, after normalising.
pub const MESSAGE_BYTES_MAX: usize = 256 * KIB;
/// What a tool's output may put before the model; head and tail are kept.
pub const TOOL_OUTPUT_BYTES_MAX: usize = 64 * KIB;
/// A tool's durable result.
pub const TOOL_RESULT_BYTES_MAX: usize = MIB;
/// The payload of one event.
pub const EVENT_BYTES_MAX: usize = 256 * KIB;
/// Events one tool call may emit.
pub const TOOL_EVENTS_MAX: usize = 100;
/// Tool calls the model may ask for at once.
pub const BATCH_CALLS_MAX: usize = 64;
/// Tools of one batch that run at the same time.
pub const PARALLEL_TOOLS_MAX: usize = 8;
/// Messages of earlier turns a request carries.
pub const HISTORY_MESSAGES_MAX: usize = 20;
/// Bytes of earlier turns a request carries.
pub const HISTORY_BYTES_MAX: usize = 32 * KIB;
/// One model answer, as it streams in.
pub const MODEL_ANSWER_BYTES_MAX: usize = 4 * MIB;

/// A skill's description, in characters.
pub const SKILL_DESCRIPTION_CHARS_MAX: usize = 1_024;

// --- Authored code ---------------------------------------------------------------------------

/// Memory of one script.
pub const SCRIPT_MEMORY_BYTES: usize = 64 * MIB;
/// Native stack of one script.
pub const SCRIPT_STACK_BYTES: usize = 2 * MIB;
/// Processor time a script may use between two awaits.
pub const SCRIPT_CPU_MS: u64 = 10 * SECOND_MS;
/// Processor time of a schema that is made by code, when an agent is built.
pub const SCHEMA_CPU_MS: u64 = 5 * SECOND_MS;
/// Wall time of one question to a tool whether a call needs approval.
pub const GATE_WALL_MS: u64 = 10 * SECOND_MS;
/// Wall time of one tool call.
pub const TOOL_WALL_MS: u64 = 120 * SECOND_MS;
/// One response body that `fetch` gives a script.
pub const FETCH_BODY_BYTES_MAX: usize = 8 * MIB;

// --- Schedules and retention -----------------------------------------------------------------

/// How far back the tick looks for occurrences that were missed.
pub const SCHEDULE_LOOKBACK_MS: u64 = 15 * MINUTE_MS;
/// How long an idempotency key is kept.
pub const IDEMPOTENCY_TTL_HOURS: u64 = 48;

const _: () = {
    assert!(
        RUN_HEARTBEAT_MS * 2 <= RUN_LEASE_MS,
        "a lease outlives one lost heartbeat"
    );
    assert!(
        STEP_SLICE_MS + STEP_RESERVE_MS <= STEP_FUNCTION_TIMEOUT_MS,
        "an iteration begun at the end of the slice still fits"
    );
    assert!(
        TOOL_WALL_MS <= MODEL_TIMEOUT_MS,
        "the reserve covers a tool as well as a request"
    );
    assert!(
        STEP_CANCEL_MARGIN_MS < RELEASE_MARGIN_MS,
        "cancelled work is released in time"
    );
    assert!(
        ACCEPT_MS_MAX + 6 * SECOND_MS < INGRESS_FUNCTION_TIMEOUT_MS,
        "a bell still rings"
    );
    assert!(DELIVERY_TRIES_MS < DELIVERY_LEASE_MS);
    assert!(DELIVERY_TRIES_MS < DELIVERY_FUNCTION_TIMEOUT_MS);
    assert!(
        TICK_FUNCTION_TIMEOUT_MS < TICK_INTERVAL_MS,
        "ticks do not pile up"
    );
    assert!(QUEUE_RECEIVES_MAX >= 5);
    assert!(
        BELL_RETRIES_MS.len() as u64 + 1 == QUEUE_RECEIVES_MAX,
        "every try but the last has its wait"
    );
    assert!(
        WATCH_INTERVAL_MS * 2 <= RUN_LEASE_MS,
        "a vanished holder's bell comes back soon after its lease"
    );
    assert!(
        IDEMPOTENCY_TTL_HOURS * HOUR_MS > SCHEDULE_LOOKBACK_MS,
        "an occurrence's key outlives the window that could fire it again"
    );
    assert!(MESSAGE_BYTES_MAX < INBOUND_BODY_BYTES_MAX);
    assert!(TOOL_OUTPUT_BYTES_MAX < TOOL_RESULT_BYTES_MAX);
};
