//! The knobs as typed settings for the use cases.

use openeve_domain::budget::TimeBudget;
use openeve_domain::limits::RELEASE_MARGIN_MS;
use openeve_domain::run::bounds::RunBounds;

use super::Values;

/// How strict the host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One developer on loopback.
    Development,
    /// Everything else.
    Production,
}

/// What the use cases need to know. Secrets and addresses are handed to adapters instead.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How strict the host is.
    pub mode: Mode,
    /// Lease of a claim.
    pub run_lease_ms: u64,
    /// Pace of the heartbeat.
    pub run_heartbeat_ms: u64,
    /// A step's slice.
    pub step_slice_ms: u64,
    /// A step's reserve.
    pub step_reserve_ms: u64,
    /// What one run may use up.
    pub run_bounds: RunBounds,
    /// How long an approval or a question waits.
    pub pause_ttl_ms: u64,
    /// One model request.
    pub model_timeout_ms: u64,
    /// Whether the step sends replies itself.
    pub delivery_inline: bool,
    /// Tries in place.
    pub delivery_attempts_inline: u64,
    /// Tries in all.
    pub delivery_attempts: u64,
    /// Whether a send whose outcome is unknown is repeated where the receiver cannot tell.
    pub delivery_ambiguous_retry: bool,
    /// Lease of a delivery.
    pub delivery_lease_ms: u64,
    /// Life of an idempotency key.
    pub idempotency_ttl_hours: u64,
    /// How far back the tick looks.
    pub schedule_lookback_ms: u64,
    /// The pace of the tick.
    pub tick_interval_ms: u64,
}

impl Settings {
    /// The settings in checked values.
    pub fn of(values: &Values) -> Self {
        let development = values.text("OPENEVE_MODE") == "development";
        let model_timeout_ms = values.number("OPENEVE_MODEL_TIMEOUT_MS");
        let run_lease_ms = values.number("OPENEVE_RUN_LEASE_MS");
        Self {
            mode: if development {
                Mode::Development
            } else {
                Mode::Production
            },
            run_lease_ms,
            run_heartbeat_ms: values
                .number("OPENEVE_RUN_HEARTBEAT_MS")
                .min(run_lease_ms / 2)
                .max(1),
            step_slice_ms: values.number("OPENEVE_STEP_SLICE_MS"),
            step_reserve_ms: match values.number("OPENEVE_STEP_RESERVE_MS") {
                0 => model_timeout_ms + RELEASE_MARGIN_MS,
                reserve_ms => reserve_ms,
            },
            run_bounds: RunBounds {
                steps: values.number("OPENEVE_RUN_MAX_STEPS"),
                iterations: values.number("OPENEVE_RUN_MAX_ITERATIONS"),
                tokens: values.number("OPENEVE_RUN_MAX_TOKENS"),
                cost_micros: values.number("OPENEVE_RUN_MAX_COST_MICROS"),
                wall_ms: values.number("OPENEVE_RUN_MAX_WALL_MS"),
                repeated_errors: values.number("OPENEVE_RUN_MAX_REPEATED_ERRORS"),
            },
            pause_ttl_ms: values.number("OPENEVE_PAUSE_TTL_MS"),
            model_timeout_ms,
            delivery_inline: values.flag("OPENEVE_DELIVERY_INLINE"),
            delivery_attempts_inline: values.number("OPENEVE_DELIVERY_RETRY_ATTEMPTS"),
            delivery_attempts: values.number("OPENEVE_DELIVERY_QUEUE_MAX_ATTEMPTS"),
            delivery_ambiguous_retry: values.text("OPENEVE_DELIVERY_AMBIGUOUS") == "retry",
            delivery_lease_ms: values.number("OPENEVE_DELIVERY_QUEUE_LEASE_MS"),
            idempotency_ttl_hours: values.number("OPENEVE_IDEMPOTENCY_TTL_HOURS"),
            schedule_lookback_ms: values.number("OPENEVE_SCHEDULE_LOOKBACK_MS"),
            tick_interval_ms: values.number("OPENEVE_TICK_INTERVAL_MS"),
        }
    }

    /// The time budget of a step that has this long to live.
    pub const fn budget(&self, remaining_ms: u64) -> TimeBudget {
        TimeBudget {
            deadline_ms: remaining_ms,
            slice_ms: self.step_slice_ms,
            reserve_ms: self.step_reserve_ms,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&Values::default())
    }
}
