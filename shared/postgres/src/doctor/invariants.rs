//! The table of invariants: what each promises, how it is looked at, what is done about it.

use openeve_domain::limits::{BATCH_CALLS_MAX, TICK_INTERVAL_MS, TOOL_WALL_MS};
use tokio_postgres::types::{ToSql, Type};

use super::look::{Bound, snapshot};
use super::transcripts::{self, Half};
use super::{OFFENDERS_COUNTED_MAX, Offender, Scope, Verdict, schedules, secrets};
use crate::failure::Failure;
use crate::pool::Pool;

/// One invariant of protocol section 8, as the doctor checks it.
#[derive(Debug)]
pub struct Invariant {
    /// Its number there, such as `I3`.
    pub id: &'static str,
    /// What is always true.
    pub claim: &'static str,
    /// What is under way or swept and no violation.
    pub excuses: &'static str,
    /// The indices it uses and what it scans.
    pub reads: &'static str,
    /// What to do when it is violated.
    pub remedy: &'static str,
    look: Look,
}

/// How an invariant is looked at.
#[derive(Debug)]
enum Look {
    /// A statement that returns offenders.
    Rows(&'static str, &'static [Bind]),
    /// A statement, and the schedules of the artifact.
    Schedules,
    /// A statement, and the transcripts of some runs.
    Calls(&'static str, &'static [Bind]),
    /// The transcripts of some runs.
    Order,
    /// A statement whose first row says whether there is anything to check.
    IfAny(&'static str, &'static [Bind], &'static str),
    /// The texts of the newest runs, against the process's secrets.
    Secrets,
}

/// A value a statement is given, in the order it names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bind {
    Agent,
    Runs,
    Limit,
    /// How long a run may be under way: its bound, and a batch that began just before.
    WallMs,
    /// How long a run, a pause or a wish to end may be due.
    RunOverdueMs,
    /// How long a delivery may be due.
    DeliveryOverdueMs,
    CostMicros,
    Tokens,
}

const NEWEST: &[Bind] = &[Bind::Agent, Bind::Runs, Bind::Limit];
const ONE_COMMIT: &str = "nothing: one commit writes it whole";
const RUNS_AND_EVENTS: &str = "the newest runs and their events by index; scans nothing";
const REPORT: &str =
    "keep the rows, note the version, and report it: no history of this build leads there";

/// Every invariant, in the protocol's order.
pub const INVARIANTS: &[Invariant] = &[
    Invariant {
        id: "I1",
        claim: "one provider delivery id creates at most one run, and an acknowledged one exactly one",
        excuses: "runs of 47 hours and more, whose keys are swept",
        reads: "the newest runs by index; scans idempotency_keys, which is kept short",
        remedy: "a run without a key may be a second one for the same message: compare it with its neighbours; a key without a run was answered with 202 and is lost: ask its sender to send again",
        look: Look::Rows(include_str!("../sql/doctor_i1.sql"), NEWEST),
    },
    Invariant {
        id: "I2",
        claim: "no two leases on one run overlap in the epochs that write",
        excuses: ONE_COMMIT,
        reads: "the newest runs, their events and checkpoints by index; scans nothing",
        remedy: "two writers had one run: look for functions of different builds on this database, and for a pooler or replica that answers reads from the past",
        look: Look::Rows(include_str!("../sql/doctor_i2.sql"), NEWEST),
    },
    Invariant {
        id: "I3",
        claim: "event sequence numbers of a run are dense and strictly increasing",
        excuses: ONE_COMMIT,
        reads: RUNS_AND_EVENTS,
        remedy: "events were deleted or written by hand; restore them from a backup, or accept that this run's log has a gap",
        look: Look::Rows(include_str!("../sql/doctor_i3.sql"), NEWEST),
    },
    Invariant {
        id: "I4",
        claim: "every acknowledged run reaches a terminal or waiting status",
        excuses: "runs that are held, parked, behind another or set aside",
        reads: "the newest runs and their pauses by index; scans nothing",
        remedy: "nothing will wake it: `openeve cancel RUN` ends it, then send its message again; if it is only older than the bound, run the doctor with the deployment's OPENEVE_RUN_MAX_WALL_MS",
        look: Look::Rows(
            include_str!("../sql/doctor_i4.sql"),
            &[Bind::Agent, Bind::Runs, Bind::Limit, Bind::WallMs],
        ),
    },
    Invariant {
        id: "I5",
        claim: "a terminal status never changes",
        excuses: ONE_COMMIT,
        reads: RUNS_AND_EVENTS,
        remedy: "a status was changed by hand, or two builds disagree; compare the run's status with the last event of its log and correct the status",
        look: Look::Rows(include_str!("../sql/doctor_i5.sql"), NEWEST),
    },
    Invariant {
        id: "I6",
        claim: "a tool call has at most one outcome, and no outcome without a start",
        excuses: ONE_COMMIT,
        reads: "the newest runs, their calls and events by index; scans nothing",
        remedy: REPORT,
        look: Look::Rows(include_str!("../sql/doctor_i6.sql"), NEWEST),
    },
    Invariant {
        id: "I7",
        claim: "a gated tool never starts without an approval of its own, and never twice for one",
        excuses: ONE_COMMIT,
        reads: "the newest runs, their calls, pauses and events by index; scans nothing",
        remedy: "a gated call may have run unasked: look at what it did, stop the step function, and report it",
        look: Look::Rows(include_str!("../sql/doctor_i7.sql"), NEWEST),
    },
    Invariant {
        id: "I8",
        claim: "a non-idempotent tool that started is never started again by recovery",
        excuses: ONE_COMMIT,
        reads: "the newest runs, their calls and events by index; scans nothing",
        remedy: "the effect may have happened twice: look at what the call did, and undo one",
        look: Look::Rows(include_str!("../sql/doctor_i8.sql"), NEWEST),
    },
    Invariant {
        id: "I9",
        claim: "a completed run has exactly one final obligation; it settles as sent, suppressed or failed",
        excuses: "deliveries under way, which I17 watches",
        reads: "the newest runs, their deliveries and events by index; scans nothing",
        remedy: "a completed run without an obligation will never answer: send its reply by hand; else compare the delivery with the receiver's log",
        look: Look::Rows(include_str!("../sql/doctor_i9.sql"), NEWEST),
    },
    Invariant {
        id: "I10",
        claim: "an obligation is sent at most once where the receiver honours its dedupe key, and its parts in order",
        excuses: "a part that is being sent now",
        reads: "the newest runs, their deliveries and events by index; scans nothing",
        remedy: "the receiver may have seen a reply twice: compare the delivery's id with its log",
        look: Look::Rows(include_str!("../sql/doctor_i10.sql"), NEWEST),
    },
    Invariant {
        id: "I11",
        claim: "runs of one conversation execute in arrival order, never two at once",
        excuses: "a second between two times of the database's clock",
        reads: "leased runs, the newest runs and their events by index; scans nothing",
        remedy: "look for functions of different builds on this database; see that the index runs_one_lease_per_conversation exists (`openeve migrate --plan`)",
        look: Look::Rows(include_str!("../sql/doctor_i11.sql"), NEWEST),
    },
    Invariant {
        id: "I12",
        claim: "a schedule occurrence starts at most one run, and none is lost inside the look-back",
        excuses: "occurrences a tick has not had its interval and the grace to fire, or older than the look-back or the revision; paused schedules",
        reads: "the newest runs by index; scans schedule_runs",
        remedy: "a lost occurrence means that no tick of this agent runs, or that it fails: see the tick function's log and its EventBridge rule",
        look: Look::Schedules,
    },
    Invariant {
        id: "I13",
        claim: "every tool call id the model produced has exactly one result in the continuation sent back",
        excuses: ONE_COMMIT,
        reads: "the newest runs, their calls, messages and events by index; scans nothing",
        remedy: "the provider may refuse this run's next request; `openeve cancel RUN`, then `openeve redrive` or send its message again, and report it",
        look: Look::Calls(include_str!("../sql/doctor_i13.sql"), NEWEST),
    },
    Invariant {
        id: "I14",
        claim: "a mutating sandbox tool has a sync job recorded before it ran",
        excuses: "nothing: a job is recorded for a run that exists",
        reads: "scans sandbox_sync_jobs",
        remedy: "a sync job belongs to no run; report it",
        look: Look::IfAny(
            include_str!("../sql/doctor_i14.sql"),
            &[Bind::Agent, Bind::Limit],
            "no sync job is recorded, and this build has no sandboxes; once there are, each job must have its run",
        ),
    },
    Invariant {
        id: "I15",
        claim: "tokens and cost on the run equal the sum over its usage rows",
        excuses: ONE_COMMIT,
        reads: "the newest runs and their usage by index; scans nothing",
        remedy: "bill by the usage rows; the run's own sums were changed by hand, or usage rows were deleted",
        look: Look::Rows(include_str!("../sql/doctor_i15.sql"), NEWEST),
    },
    Invariant {
        id: "I16",
        claim: "no secret value occurs in any event, checkpoint, message, result, delivery or error text",
        excuses: "values under eight bytes, and values this process does not hold",
        reads: "every text of the newest runs by index, up to 128 MiB",
        remedy: "change the secret at its issuer now, then see how it got there: a tool that returns it, a message that quotes it",
        look: Look::Secrets,
    },
    Invariant {
        id: "I17",
        claim: "every row that needs work is found by the tick within one interval plus its lease",
        excuses: "what is due for less than the tick's interval, the lease and the grace together; what is held or behind another",
        reads: "the indices of open rows; scans nothing",
        remedy: "see that the tick, step and delivery functions of this agent run and are not throttled, that the queues are theirs, and the dead letters (`openeve redrive --dead-letters`)",
        look: Look::Rows(
            include_str!("../sql/doctor_i17.sql"),
            &[
                Bind::Agent,
                Bind::Limit,
                Bind::RunOverdueMs,
                Bind::DeliveryOverdueMs,
            ],
        ),
    },
    Invariant {
        id: "I18",
        claim: "spend of a run tree stays below its bound plus one call",
        excuses: "the one call that passes the bound",
        reads: "the newest runs and their trees by index; scans nothing",
        remedy: "compare the bounds with the deployment's: OPENEVE_RUN_MAX_COST_MICROS and OPENEVE_RUN_MAX_TOKENS must be the same here; if they are, report it",
        look: Look::Rows(
            include_str!("../sql/doctor_i18.sql"),
            &[
                Bind::Agent,
                Bind::Runs,
                Bind::Limit,
                Bind::CostMicros,
                Bind::Tokens,
            ],
        ),
    },
    Invariant {
        id: "I19",
        claim: "any prefix of a run's log yields a request that the provider's rules accept",
        excuses: ONE_COMMIT,
        reads: "the newest runs and their messages by index; scans nothing",
        remedy: "rows of the transcript were deleted or written by hand; `openeve cancel RUN` and send its message again",
        look: Look::Order,
    },
];

impl Invariant {
    /// Whether it looks at as many runs as it is told.
    pub(super) fn is_sized(&self) -> bool {
        match &self.look {
            Look::Rows(_, binds) | Look::Calls(_, binds) | Look::IfAny(_, binds, _) => {
                binds.contains(&Bind::Runs)
            }
            Look::Schedules => true,
            Look::Order | Look::Secrets => false,
        }
    }

    /// Looks, at that many of the newest runs.
    pub(super) async fn check(
        &self,
        pool: &Pool,
        scope: &Scope,
        runs: u64,
    ) -> Result<Verdict, Failure> {
        match &self.look {
            Look::Rows(sql, binds) => {
                let offenders = offenders(pool, scope, runs, (sql, binds)).await?;
                Ok(Verdict::of(offenders, String::new()))
            }
            Look::Schedules => schedules::check(pool, scope, runs).await,
            Look::Calls(sql, binds) => {
                let mut all = offenders(pool, scope, runs, (sql, binds)).await?;
                let (more, note) = transcripts::faults(pool, scope, Half::Calls).await?;
                all.extend(more);
                Ok(Verdict::of(all, note))
            }
            Look::Order => {
                let (offenders, note) = transcripts::faults(pool, scope, Half::Order).await?;
                Ok(Verdict::of(offenders, note))
            }
            Look::IfAny(sql, binds, otherwise) => {
                if_any(pool, scope, (sql, binds), otherwise).await
            }
            Look::Secrets => secrets::check(pool, scope).await,
        }
    }
}

async fn offenders(
    pool: &Pool,
    scope: &Scope,
    runs: u64,
    (sql, binds): (&'static str, &[Bind]),
) -> Result<Vec<Offender>, Failure> {
    let values: Vec<_> = binds.iter().map(|bind| bind.value(scope, runs)).collect();
    snapshot(pool, scope.statement_ms, async |seen| {
        seen.offenders(sql, &bound(&values)).await
    })
    .await
}

async fn if_any(
    pool: &Pool,
    scope: &Scope,
    (sql, binds): (&'static str, &[Bind]),
    otherwise: &str,
) -> Result<Verdict, Failure> {
    let values: Vec<_> = binds.iter().map(|bind| bind.value(scope, 0)).collect();
    let rows = snapshot(pool, scope.statement_ms, async |seen| {
        seen.rows(sql, &bound(&values)).await
    })
    .await?;
    let mut offenders = Vec::new();
    let mut any = false;
    for row in &rows {
        let detail: String = crate::rows::get(row, "detail")?;
        match crate::rows::get::<Option<String>>(row, "id")? {
            Some(id) => offenders.push(Offender { id, detail }),
            None => any = detail == "true",
        }
    }
    if !any && offenders.is_empty() {
        let why = otherwise.to_owned();
        return Ok(Verdict::NotApplicable { why });
    }
    Ok(Verdict::of(offenders, String::new()))
}

type Value = (Box<dyn ToSql + Sync>, Type);

fn bound(values: &[Value]) -> Vec<Bound<'_>> {
    let bound = values.iter().map(|(value, kind)| {
        let value: &(dyn ToSql + Sync) = value.as_ref();
        (value, kind.clone())
    });
    bound.collect()
}

impl Bind {
    fn value(self, scope: &Scope, runs: u64) -> Value {
        let settings = &scope.settings;
        let overdue_ms = |lease_ms: u64| {
            TICK_INTERVAL_MS
                .saturating_add(lease_ms)
                .saturating_add(scope.grace_ms)
        };
        let number = match self {
            Self::Agent => return (Box::new(scope.agent_id.clone()), Type::TEXT),
            Self::Runs => runs,
            Self::Limit => OFFENDERS_COUNTED_MAX as u64,
            Self::WallMs => (BATCH_CALLS_MAX as u64 * TOOL_WALL_MS)
                .saturating_add(settings.run_bounds.wall_ms)
                .saturating_add(settings.model_timeout_ms)
                .saturating_add(overdue_ms(settings.run_lease_ms)),
            Self::RunOverdueMs => overdue_ms(settings.run_lease_ms),
            Self::DeliveryOverdueMs => overdue_ms(settings.delivery_lease_ms),
            Self::CostMicros => settings.run_bounds.cost_micros,
            Self::Tokens => settings.run_bounds.tokens,
        };
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        (Box::new(number), Type::INT8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invariant_of_the_protocol_is_checked_once_and_in_order() {
        let ids: Vec<&str> = INVARIANTS.iter().map(|one| one.id).collect();
        let wanted: Vec<String> = (1..=19).map(|number| format!("I{number}")).collect();
        assert_eq!(ids, wanted);
    }

    #[test]
    fn every_statement_says_what_it_excuses_and_reads() {
        for one in INVARIANTS {
            let (Look::Rows(sql, binds) | Look::Calls(sql, binds) | Look::IfAny(sql, binds, _)) =
                &one.look
            else {
                continue;
            };
            for word in ["-- Excuses: ", "-- Reads: ", "-- Called by: doctor."] {
                assert!(sql.contains(word), "{}: {word}", one.id);
            }
            let names = (1..=9).filter(|n| sql.contains(&format!("${n}"))).count();
            assert_eq!(names, binds.len(), "{} is given what it names", one.id);
        }
    }

    #[test]
    fn what_is_late_is_excused_for_the_interval_the_lease_and_the_grace() {
        let (value, _) = Bind::RunOverdueMs.value(&Scope::default(), 1);
        assert_eq!(format!("{value:?}"), "300000");
    }
}
