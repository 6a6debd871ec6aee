//! The bounds of one tool call.

use openeve_domain::limits::{
    EVENT_BYTES_MAX, FETCH_BODY_BYTES_MAX, KIB, SCRIPT_CPU_MS, SCRIPT_MEMORY_BYTES,
    SCRIPT_STACK_BYTES, SECOND_MS, TOOL_EVENTS_MAX, TOOL_RESULT_BYTES_MAX,
};

/// What one call may use. The default is what `openeve_domain::limits` says; tests shrink it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The engine's memory, in bytes. Past it a script is stopped; until that is noticed it may
    /// hold three times as much.
    pub memory_bytes: usize,
    /// The engine's native stack, in bytes.
    pub stack_bytes: usize,
    /// Processor time between two returns to the event loop, in milliseconds.
    pub cpu_ms: u64,
    /// Wall time of one `needsApproval` function, in milliseconds, if the call itself has more: it
    /// looks at a call, it does not do the work.
    pub gate_wall_ms: u64,
    /// One request body and one response body of `fetch`, in bytes.
    pub fetch_body_bytes: usize,
    /// Requests of one call that are under way at once; more wait for their turn.
    pub fetches_at_once: usize,
    /// Events one call may emit.
    pub events: usize,
    /// One event's payload as JSON, in bytes.
    pub event_bytes: usize,
    /// A result's JSON, in bytes; of a longer one head and tail are kept.
    pub result_bytes: usize,
    /// Lines one call may log.
    pub console_lines: usize,
    /// One logged line, in bytes.
    pub console_line_bytes: usize,
    /// Threads that outlive their calls before new calls are refused.
    pub abandoned_threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: SCRIPT_MEMORY_BYTES,
            stack_bytes: SCRIPT_STACK_BYTES,
            cpu_ms: SCRIPT_CPU_MS,
            gate_wall_ms: 10 * SECOND_MS,
            fetch_body_bytes: FETCH_BODY_BYTES_MAX,
            fetches_at_once: 8,
            events: TOOL_EVENTS_MAX,
            event_bytes: EVENT_BYTES_MAX,
            result_bytes: TOOL_RESULT_BYTES_MAX,
            console_lines: 200,
            console_line_bytes: 4 * KIB,
            abandoned_threads: 8,
        }
    }
}
