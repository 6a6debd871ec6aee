//! The safety clauses of the store, each of which a mutant lacks.

macro_rules! clauses {
    ($($(#[$doc:meta])* $name:ident,)+ ; $($(#[$stop_doc:meta])* $stop:ident,)+) => {
        /// Which safety clauses hold: all of them, unless a mutant is wanted.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Clauses {
            $($(#[$doc])* pub $name: bool,)+
            $($(#[$stop_doc])* pub $stop: bool,)+
        }

        impl Default for Clauses {
            fn default() -> Self {
                Self { $($name: true,)+ $($stop: true,)+ }
            }
        }

        impl Clauses {
            /// The name of every clause that decides by itself.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)+];

            /// The name of every clause that decides only where one of [`Self::NAMES`] has
            /// failed: the schema's triggers.
            pub const BACKSTOPS: &'static [&'static str] = &[$(stringify!($stop),)+];

            /// All clauses but these. A name that is none is ignored.
            pub fn without(names: &[&str]) -> Self {
                Self {
                    $($name: !names.contains(&stringify!($name)),)+
                    $($stop: !names.contains(&stringify!($stop)),)+
                }
            }
        }
    };
}

clauses! {
    /// `commit_fence.sql`: `epoch = $2`.
    fence_epoch,
    /// `commit_fence.sql`: `commit_count = $19`.
    fence_commit_count,
    /// `commit_fence.sql`: `status = 'running'`.
    fence_status_running,
    /// `commit_fence.sql`: `$4 <> 'completed' OR cancel_requested_at IS NULL`.
    cancel_wins,
    /// `claim.sql`: `status IN ('created', 'running')`, or to be cancelled.
    claim_status,
    /// `claim.sql`: no lease, our own, or an expired one.
    claim_lease,
    /// `claim.sql`: `NOT EXISTS` a run ahead.
    claim_order,
    /// The index `runs_one_lease_per_conversation`.
    claim_one_lease,
    /// `claim.sql`: a lease that was never released counts as a crash.
    claim_counts_stall,
    /// The primary key of `idempotency_keys`.
    idempotency_key_unique,
    /// `deliveries.key UNIQUE`.
    delivery_key_unique,
    /// `lease_delivery.sql`: due, or its sender's lease has expired.
    delivery_lease,
    /// `settle_delivery.sql`: `lease_token = $2`.
    delivery_token,
    /// `part_sent.sql`: `lease_token = $2`.
    part_token,
    /// `decide.sql`: `status = 'pending'`.
    pause_pending,
    /// `due.sql` finds runs nobody works on.
    due_runs,
    /// `due.sql` finds deliveries nobody sends.
    due_deliveries,
    /// `due.sql` finds pauses nobody decided.
    due_pauses,
    /// `commit_withdraw.sql`.
    withdraw_on_end,
    /// `commit_fence.sql`: the status is computed from the pauses that are pending.
    waiting_recomputed,
    /// `decide.sql`: a pause expires only when its time has come.
    expired_only_when_due,
    /// `heartbeat.sql`: `epoch = $2`.
    heartbeat_epoch,
    /// `commit_events.sql`: numbers behind what the fence reserved.
    events_dense,
    ;
    /// The triggers `runs_terminal_is_final` and `deliveries_terminal_is_final`.
    terminal_final,
    /// The trigger `tool_calls_have_one_outcome`.
    outcome_once,
    /// The trigger `pauses_are_decided_once`.
    pause_trigger,
}
