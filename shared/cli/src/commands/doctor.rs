//! `openeve doctor`: whether the invariants hold in a live database, and how it stands.
//!
//! Everything is read and nothing is written. Bounds and leases are those of this process's knobs,
//! and secrets those of its environment, so it is run with the deployment's. It exits 0 when every
//! invariant holds, 1 when one is violated, and 2 when it could not tell: no database, a schema that
//! is not this build's, or a check that was cut short.

mod reach;
mod shown;

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use openeve_host::clock::SystemClock;
use openeve_postgres::PgStore;
use openeve_postgres::doctor::{GRACE_MS, INVARIANTS, Invariant, Standing, Verdict};
use openeve_runtime::ports::{Clock as _, PortError, Store as _};
use serde_json::{Value, json};

use crate::output::{self, Usage};

/// The exit code of a doctor that could not tell.
const UNKNOWN: u8 = 2;

/// What to look at.
#[derive(Args)]
#[command(after_help = "\
Example:
  openeve doctor --folder my-agent
  openeve doctor --json || alert")]
pub(crate) struct DoctorArguments {
    /// The agent folder: its artifact names schedules and secrets, its `openeve dev` runs the private
    /// database. By default `OPENEVE_ARTIFACT_ROOT`, else this folder; there need be none.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<std::path::PathBuf>,
    /// Look at this agent's rows alone; every agent's by default.
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
    /// How long what is late is excused.
    #[arg(long, value_name = "N", default_value_t = GRACE_MS / 1_000,
        value_parser = clap::value_parser!(u64).range(..=86_400))]
    grace_seconds: u64,
}

/// What one check came to.
struct Checked {
    invariant: &'static Invariant,
    verdict: Verdict,
}

/// How far the database's clock is ahead of this process's, in milliseconds.
struct Clocks {
    database: Timestamp,
    ahead_ms: i64,
}

/// Looks at everything and says what is wrong and what to do about it.
pub(crate) async fn run(arguments: DoctorArguments) -> anyhow::Result<ExitCode> {
    let reach = reach::open(&arguments)?;
    let (store, scope) = (&reach.store, &reach.scope);
    store.ready().await.map_err(unreachable)?;
    // What stands where is worth knowing; a database too slow to tell may still be checked.
    let standing = store.standing(scope).await;
    let standing = standing.inspect_err(|error| {
        output::say(&format!("ages and counts are not known: {error}"));
    });
    let standing = standing.ok();
    let clocks = clocks(store).await?;
    let mut checks = Vec::with_capacity(INVARIANTS.len());
    for invariant in INVARIANTS {
        let verdict = store.check(invariant, scope).await.map_err(unreachable)?;
        let checked = Checked { invariant, verdict };
        if !arguments.json {
            shown::check(&checked);
        }
        checks.push(checked);
    }
    let (code, _) = outcome(&checks);
    if arguments.json {
        let report = json(&arguments, &checks, standing.as_ref(), &clocks);
        output::answer(&report.to_string());
    } else {
        if let Some(standing) = &standing {
            shown::standing(standing);
        }
        shown::clock(&clocks);
        shown::outcome(&checks);
    }
    Ok(ExitCode::from(code))
}

/// A database that does not answer, or is not one of this build's, is not given.
fn unreachable(error: PortError) -> Usage {
    Usage(error.message)
}

/// Compares the two clocks, half a round trip apart.
async fn clocks(store: &PgStore) -> anyhow::Result<Clocks> {
    let clock = SystemClock::new();
    // The first answer may include connecting; the second is a round trip.
    store.database_clock().await.map_err(unreachable)?;
    let before = clock.now().as_millisecond();
    let database = store.database_clock().await.map_err(unreachable)?;
    let after = clock.now().as_millisecond();
    let between = before + (after - before) / 2;
    Ok(Clocks {
        database,
        ahead_ms: database.as_millisecond() - between,
    })
}

/// The exit code and the word for it.
fn outcome(checks: &[Checked]) -> (u8, &'static str) {
    let any = |word: &str| checks.iter().any(|one| one.verdict.as_str() == word);
    if any("violated") {
        (1, "violated")
    } else if any("unfinished") {
        (UNKNOWN, "unfinished")
    } else {
        (0, "healthy")
    }
}

fn json(
    arguments: &DoctorArguments,
    checks: &[Checked],
    standing: Option<&Standing>,
    clocks: &Clocks,
) -> Value {
    let mut told = json!({
        "outcome": outcome(checks).1,
        "agent": arguments.agent,
        "grace_seconds": arguments.grace_seconds,
        "checks": checks.iter().map(check_json).collect::<Vec<_>>(),
        "clock": {"database": clocks.database, "ahead_ms": clocks.ahead_ms},
    });
    let more = standing.map(standing_json);
    if let (Some(told), Some(Value::Object(more))) = (told.as_object_mut(), more) {
        told.extend(more);
    }
    told
}

fn standing_json(standing: &Standing) -> Value {
    let ages = standing.ages.iter().map(|age| {
        json!({"kind": age.kind, "count": age.count, "oldest_id": age.oldest_id, "oldest_seconds": age.oldest_s})
    });
    let schedules = standing.schedules.iter().map(|last| {
        json!({"agent": last.agent_id, "schedule": last.schedule, "occurrence_at": last.occurrence_at, "age_seconds": last.age_s})
    });
    let counts = standing
        .counts
        .iter()
        .map(|one| json!({"kind": one.kind, "status": one.status, "count": one.count}));
    let schema = standing
        .schema
        .iter()
        .map(|one| json!({"id": one.id, "state": shown::state(one.state)}));
    json!({
        "ages": ages.collect::<Vec<_>>(),
        "schedules": schedules.collect::<Vec<_>>(),
        "counts": counts.collect::<Vec<_>>(),
        "schema": schema.collect::<Vec<_>>(),
    })
}

fn check_json(checked: &Checked) -> Value {
    let Invariant {
        id,
        claim,
        excuses,
        reads,
        remedy,
        ..
    } = checked.invariant;
    let mut told = json!({
        "invariant": id, "claim": claim, "excuses": excuses, "reads": reads,
        "status": checked.verdict.as_str(),
    });
    let more = match &checked.verdict {
        Verdict::Ok { note } => json!({"note": note}),
        Verdict::NotApplicable { why } | Verdict::Unfinished { why } => json!({"why": why}),
        Verdict::Violated { offenders, count } => {
            let offenders = offenders
                .iter()
                .map(|one| json!({"id": one.id, "detail": one.detail}));
            json!({"count": count, "offenders": offenders.collect::<Vec<_>>(), "remedy": remedy})
        }
    };
    if let (Some(told), Value::Object(more)) = (told.as_object_mut(), more) {
        told.extend(more);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(verdict: Verdict) -> Checked {
        let invariant = &INVARIANTS[0];
        Checked { invariant, verdict }
    }

    fn fine() -> Verdict {
        Verdict::Ok {
            note: String::new(),
        }
    }

    fn violated() -> Verdict {
        Verdict::Violated {
            offenders: Vec::new(),
            count: 1,
        }
    }

    #[test]
    fn a_violation_outweighs_a_check_that_was_cut_short() {
        let short = || Verdict::Unfinished { why: "slow".into() };
        let fine = || checked(fine());
        assert_eq!(outcome(&[fine()]), (0, "healthy"));
        assert_eq!(outcome(&[fine(), checked(short())]), (2, "unfinished"));
        let both = [checked(short()), checked(violated())];
        assert_eq!(outcome(&both), (1, "violated"));
    }

    #[test]
    fn a_check_is_told_with_what_it_excuses_and_only_a_violation_with_a_remedy() {
        let told = check_json(&checked(violated()));
        assert_eq!(told["status"], "violated");
        assert!(told["remedy"].is_string() && told["excuses"].is_string());
        assert!(check_json(&checked(fine()))["remedy"].is_null());
    }
}
