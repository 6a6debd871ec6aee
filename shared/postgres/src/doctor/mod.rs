//! The doctor: whether the invariants of protocol section 8 hold in the rows of a database.
//!
//! It reads and never writes. Each check is one `READ ONLY` transaction on one snapshot, with a time
//! limit that is set inside it, so that nothing is left on the session and a transaction-mode pooler
//! works. What is under way right now is no violation: whatever one commit writes is seen whole or
//! not at all, and what is only late is excused for a grace; [`Invariant::excuses`] says what.
//!
//! Each check is bounded: it looks at the newest [`RUNS_MAX`] runs, counts at most
//! [`OFFENDERS_COUNTED_MAX`] offenders and lists [`OFFENDERS_LISTED_MAX`]. [`Invariant::reads`] says
//! which indices it uses and what it scans. A check that runs out of time looks again at a tenth of
//! the runs, and says so; one that still does is [`Verdict::Unfinished`], never healthy.
//!
//! A row can prove less than a history: the simulation and the crash sweep watch what happens, the
//! doctor looks at what is left of it. It decides nothing and repairs nothing.

mod invariants;
mod look;
mod schedules;
mod secrets;
mod standing;
mod transcripts;

use std::sync::Arc;

use openeve_domain::manifest::Manifest;
use openeve_domain::secret::Secret;
use openeve_runtime::config::Settings;
use openeve_runtime::ports::PortError;

pub use invariants::{INVARIANTS, Invariant};
pub use secrets::SECRET_BYTES_MIN;
pub use standing::{Age, Count, LastFire, Standing};

use crate::failure::Failure;
use crate::store::PgStore;

/// Runs a check looks at, the newest ones.
pub const RUNS_MAX: u64 = 100_000;
/// A check that runs out of time with fewer runs than ten times this is given up.
const RUNS_MIN: u64 = 1_000;
/// Offenders a check lists.
pub const OFFENDERS_LISTED_MAX: usize = 20;
/// Offenders a check counts.
pub const OFFENDERS_COUNTED_MAX: usize = 1_000;
/// How long one statement of a check may take unless somebody says otherwise, in milliseconds.
pub const STATEMENT_MS_MAX: u64 = 30_000;
/// What is late is excused for this long unless somebody says otherwise, in milliseconds.
pub const GRACE_MS: u64 = 180_000;

/// What to look at, and how strictly.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Whose rows. None: every agent's.
    pub agent_id: Option<String>,
    /// How long what is late is excused.
    pub grace_ms: u64,
    /// The knobs of the deployment: its bounds and leases.
    pub settings: Settings,
    /// The agent whose schedules must have fired, if there is an artifact.
    pub manifest: Option<Arc<Manifest>>,
    /// Values that may occur nowhere, by the variable that holds them.
    pub secrets: Vec<(String, Secret)>,
    /// How long one statement may take.
    pub statement_ms: u64,
}

impl Default for Scope {
    fn default() -> Self {
        Self {
            agent_id: None,
            grace_ms: GRACE_MS,
            settings: Settings::default(),
            manifest: None,
            secrets: Vec::new(),
            statement_ms: STATEMENT_MS_MAX,
        }
    }
}

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No row breaks it.
    Ok {
        /// What was not looked at, or how far; empty if there is nothing to say.
        note: String,
    },
    /// Rows break it.
    Violated {
        /// The first of them, at most [`OFFENDERS_LISTED_MAX`].
        offenders: Vec<Offender>,
        /// How many there are, at most [`OFFENDERS_COUNTED_MAX`].
        count: usize,
    },
    /// Nothing here could break it.
    NotApplicable {
        /// Why.
        why: String,
    },
    /// It could not be looked at; nothing is known.
    Unfinished {
        /// Why.
        why: String,
    },
}

impl Verdict {
    /// The word for it, for scripts.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Ok { .. } => "ok",
            Self::Violated { .. } => "violated",
            Self::NotApplicable { .. } => "not_applicable",
            Self::Unfinished { .. } => "unfinished",
        }
    }

    /// What these offenders mean; a note counts only where there are none.
    fn of(mut offenders: Vec<Offender>, note: String) -> Self {
        if offenders.is_empty() {
            return Self::Ok { note };
        }
        let count = offenders.len().min(OFFENDERS_COUNTED_MAX);
        offenders.truncate(OFFENDERS_LISTED_MAX);
        Self::Violated { offenders, count }
    }
}

/// One row that breaks an invariant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offender {
    /// Which, as its kind prints.
    pub id: String,
    /// What is wrong with it.
    pub detail: String,
}

impl Offender {
    fn new(id: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            detail: detail.into(),
        }
    }
}

impl PgStore {
    /// Checks one invariant. Fails only if the database does not answer; a check that the database
    /// refuses or cuts short is [`Verdict::Unfinished`].
    pub async fn check(&self, invariant: &Invariant, scope: &Scope) -> Result<Verdict, PortError> {
        let mut runs = RUNS_MAX;
        loop {
            let error = match invariant.check(self.pool(), scope, runs).await {
                Ok(verdict) => return Ok(narrowed(verdict, runs, scope)),
                Err(Failure::Connection(why)) => return Err(Failure::Connection(why).into_port()),
                Err(other) => other.into_port(),
            };
            if !ran_out_of_time(&error) {
                return Ok(Verdict::Unfinished { why: error.message });
            }
            if runs <= RUNS_MIN || !invariant.is_sized() {
                let why = format!("it took longer than {} ms", scope.statement_ms);
                return Ok(Verdict::Unfinished { why });
            }
            runs /= 10;
        }
    }

    /// What stands where, how old the oldest row of each kind is, and which schema it is.
    pub async fn standing(&self, scope: &Scope) -> Result<Standing, PortError> {
        standing::standing(self.pool(), scope)
            .await
            .map_err(Failure::into_port)
    }

    /// The database's clock.
    pub async fn database_clock(&self) -> Result<jiff::Timestamp, PortError> {
        standing::clock(self.pool())
            .await
            .map_err(Failure::into_port)
    }
}

/// Whether the server cut a statement short.
fn ran_out_of_time(error: &PortError) -> bool {
    error.message.contains("(57014)")
}

/// What a check of fewer runs than usual came to.
fn narrowed(mut verdict: Verdict, runs: u64, scope: &Scope) -> Verdict {
    if let Verdict::Ok { note } = &mut verdict
        && runs < RUNS_MAX
    {
        let limit_ms = scope.statement_ms;
        let only =
            format!("the newest {runs} runs alone were looked at: more took over {limit_ms} ms");
        let rest = std::mem::replace(note, only);
        if !rest.is_empty() {
            note.push_str("; ");
            note.push_str(&rest);
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_lists_some_offenders_and_counts_more() {
        let many = vec![Offender::new("run_1", "wrong"); OFFENDERS_COUNTED_MAX + 7];
        let Verdict::Violated { offenders, count } = Verdict::of(many, String::new()) else {
            panic!("offenders are a violation");
        };
        assert_eq!(
            (offenders.len(), count),
            (OFFENDERS_LISTED_MAX, OFFENDERS_COUNTED_MAX)
        );
    }

    #[test]
    fn a_check_without_offenders_keeps_its_note() {
        let note = "half of it".to_owned();
        assert_eq!(Verdict::of(Vec::new(), note.clone()), Verdict::Ok { note });
    }

    #[test]
    fn a_check_of_fewer_runs_says_how_many() {
        let fine = || Verdict::Ok {
            note: String::new(),
        };
        let scope = Scope::default();
        assert_eq!(narrowed(fine(), RUNS_MAX, &scope), fine());
        let Verdict::Ok { note } = narrowed(fine(), 10_000, &scope) else {
            panic!("it holds for those that were looked at");
        };
        assert!(note.contains("newest 10000 runs"), "{note}");
    }
}
