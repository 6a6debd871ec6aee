//! I12: a schedule occurrence starts at most one run, and none is lost inside the look-back.
//!
//! What was lost is told from the artifact's schedules, and only where they are the ones that fire:
//! its revision must be the newest that the agent's tick has registered. An occurrence is missed
//! once the tick has had its interval and the grace to fire it.

use jiff::{SignedDuration, Timestamp};
use openeve_domain::limits::TICK_INTERVAL_MS;
use openeve_domain::manifest::{CatchUp, Manifest, ScheduleSpec};
use openeve_domain::schedule::Plan;
use tokio_postgres::types::Type;

use super::look::{Snapshot, snapshot};
use super::{OFFENDERS_COUNTED_MAX, Offender, Scope, Verdict};
use crate::failure::Failure;
use crate::pool::Pool;
use crate::rows::{corrupt, get};

/// Occurrences of one schedule that are read.
const OCCURRENCES_MAX: i64 = 1_000;

/// Whether each occurrence has one run, and whether one was lost.
pub(super) async fn check(pool: &Pool, scope: &Scope, runs: u64) -> Result<Verdict, Failure> {
    let runs = i64::try_from(runs).unwrap_or(i64::MAX);
    let limit = i64::try_from(OFFENDERS_COUNTED_MAX).unwrap_or(i64::MAX);
    snapshot(pool, scope.statement_ms, async |seen| {
        let sql = include_str!("../sql/doctor_i12.sql");
        let mut offenders = seen
            .offenders(
                sql,
                &[
                    (&scope.agent_id, Type::TEXT),
                    (&runs, Type::INT8),
                    (&limit, Type::INT8),
                ],
            )
            .await?;
        let note = match firing(seen, scope).await? {
            Ok(firing) => {
                for schedule in &firing.manifest.schedules {
                    offenders.extend(firing.lost(seen, scope, schedule).await?);
                }
                String::new()
            }
            Err(why) => format!("lost occurrences were not looked for: {why}"),
        };
        Ok(Verdict::of(offenders, note))
    })
    .await
}

/// The schedules that fire in this database, and since when.
struct Firing<'a> {
    manifest: &'a Manifest,
    now: Timestamp,
    registered_at: Timestamp,
    paused: Vec<String>,
}

/// Whether the artifact's schedules are those that fire here, or why that is not known.
async fn firing<'a>(
    seen: &Snapshot<'_>,
    scope: &'a Scope,
) -> Result<Result<Firing<'a>, &'static str>, Failure> {
    let Some(manifest) = scope.manifest.as_deref() else {
        return Ok(Err("there is no artifact to name the schedules"));
    };
    let (agent, revision) = (&manifest.agent.id, &manifest.revision);
    if scope.agent_id.as_ref().is_some_and(|id| id != agent) {
        return Ok(Err("the artifact is another agent's"));
    }
    let sql = include_str!("../sql/doctor_i12_revision.sql");
    let values: [super::look::Bound<'_>; 2] = [(agent, Type::TEXT), (revision, Type::TEXT)];
    let rows = seen.rows(sql, &values).await?;
    let row = rows
        .first()
        .ok_or_else(|| corrupt("a clock without a row"))?;
    let newest: Option<&str> = get(row, "newest")?;
    let registered_at: Option<Timestamp> = get(row, "registered_at")?;
    let Some(registered_at) = registered_at else {
        return Ok(Err("no tick has registered the artifact's revision"));
    };
    if newest != Some(revision.as_str()) {
        return Ok(Err("a tick has registered a newer revision"));
    }
    Ok(Ok(Firing {
        manifest,
        now: get(row, "now")?,
        registered_at,
        paused: get(row, "paused")?,
    }))
}

impl Firing<'_> {
    async fn lost(
        &self,
        seen: &Snapshot<'_>,
        scope: &Scope,
        schedule: &ScheduleSpec,
    ) -> Result<Vec<Offender>, Failure> {
        let name = format!("schedule {}", schedule.name);
        if self.paused.contains(&schedule.name) {
            return Ok(Vec::new());
        }
        let plan = match Plan::parse(&schedule.cron, &schedule.timezone) {
            Ok(plan) => plan,
            Err(error) => return Ok(vec![Offender::new(name, error.to_string())]),
        };
        let from = before(self.now, scope.settings.schedule_lookback_ms).max(self.registered_at);
        let until = before(self.now, TICK_INTERVAL_MS.saturating_add(scope.grace_ms));
        if until <= from {
            return Ok(Vec::new());
        }
        let rows = seen
            .rows(
                include_str!("../sql/doctor_i12_newest.sql"),
                &[
                    (&self.manifest.agent.id, Type::TEXT),
                    (&schedule.name, Type::TEXT),
                    (&from, Type::TIMESTAMPTZ),
                    (&self.now, Type::TIMESTAMPTZ),
                    (&OCCURRENCES_MAX, Type::INT8),
                ],
            )
            .await?;
        let fired: Vec<Timestamp> = rows
            .iter()
            .map(|row| get(row, "occurrence_at"))
            .collect::<Result<_, _>>()?;
        let missed = missed(&plan.occurrences(from, until), &fired, schedule.catch_up);
        let offender = |at: Timestamp| {
            let why = format!("its occurrence at {at} started no run");
            Offender::new(name.clone(), why)
        };
        Ok(missed.into_iter().map(offender).collect())
    }
}

/// Occurrences that should have fired and did not.
fn missed(due: &[Timestamp], fired: &[Timestamp], catch_up: CatchUp) -> Vec<Timestamp> {
    match catch_up {
        CatchUp::All => {
            let open = due.iter().filter(|at| !fired.contains(at));
            open.copied().collect()
        }
        // Older ones coalesce into the newest, and that into a newer one still.
        CatchUp::Latest => {
            let newest = due.last().filter(|at| fired.iter().all(|other| other < at));
            newest.copied().into_iter().collect()
        }
        // Only what is due while a tick passes fires.
        CatchUp::None => Vec::new(),
    }
}

fn before(now: Timestamp, ms: u64) -> Timestamp {
    let ms = SignedDuration::from_millis(i64::try_from(ms).unwrap_or(i64::MAX));
    now.checked_sub(ms).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(minute * 60).unwrap()
    }

    #[test]
    fn the_newest_occurrence_must_have_fired_or_have_coalesced_into_a_newer_one() {
        let due = [at(1), at(2)];
        assert_eq!(missed(&due, &[at(1)], CatchUp::Latest), [at(2)]);
        assert!(missed(&due, &[at(2)], CatchUp::Latest).is_empty());
        assert!(missed(&due, &[at(3)], CatchUp::Latest).is_empty());
        assert!(missed(&[], &[], CatchUp::Latest).is_empty());
    }

    #[test]
    fn each_occurrence_must_have_fired_where_all_are_caught_up() {
        let due = [at(1), at(2), at(3)];
        assert_eq!(missed(&due, &[at(2)], CatchUp::All), [at(1), at(3)]);
        assert!(missed(&due, &[], CatchUp::None).is_empty());
    }
}
