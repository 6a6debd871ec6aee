//! What stands where: ages, counts, the schema and the clock. Nothing here is a violation.

use jiff::Timestamp;
use tokio_postgres::types::Type;

use super::look::snapshot;
use super::{RUNS_MAX, STATEMENT_MS_MAX, Scope};
use crate::failure::Failure;
use crate::migrate::{self, Planned};
use crate::pool::Pool;
use crate::rows::{corrupt, count, get};

/// Schedules whose newest occurrence is told.
const SCHEDULES_MAX: i64 = 100;

/// How a database stands.
#[derive(Debug, Clone)]
pub struct Standing {
    /// What needs something, by kind, with the oldest of it.
    pub ages: Vec<Age>,
    /// The newest occurrence of each schedule that ever fired, oldest first.
    pub schedules: Vec<LastFire>,
    /// The newest runs and their deliveries by status.
    pub counts: Vec<Count>,
    /// The schema's migrations, in order.
    pub schema: Vec<Planned>,
}

/// Rows of one kind that need something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Age {
    /// The kind, in words.
    pub kind: String,
    /// How many there are.
    pub count: u64,
    /// The oldest, if there is one that has an id; of dead rows the table with most.
    pub oldest_id: Option<String>,
    /// The oldest's age in seconds; of dead rows how long ago that table was vacuumed.
    pub oldest_s: Option<u64>,
}

/// When a schedule fired last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastFire {
    /// The agent.
    pub agent_id: String,
    /// The schedule.
    pub schedule: String,
    /// The occurrence.
    pub occurrence_at: Timestamp,
    /// How long ago that was, in seconds.
    pub age_s: u64,
}

/// How many rows have a status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// `runs` or `deliveries`.
    pub kind: String,
    /// The status.
    pub status: String,
    /// How many.
    pub count: u64,
}

/// Looks.
pub(super) async fn standing(pool: &Pool, scope: &Scope) -> Result<Standing, Failure> {
    let schema = migrate::plan(pool).await.map_err(|error| match error {
        migrate::MigrateError::Database(error) => Failure::Database(error),
        migrate::MigrateError::Drift { .. } | migrate::MigrateError::Refused { .. } => {
            corrupt(error)
        }
    })?;
    let runs = i64::try_from(RUNS_MAX).unwrap_or(i64::MAX);
    let agent = || (&scope.agent_id as _, Type::TEXT);
    snapshot(pool, scope.statement_ms, async |seen| {
        let mut ages = Vec::new();
        let sql = include_str!("../sql/doctor_standing.sql");
        for row in &seen.rows(sql, &[agent()]).await? {
            ages.push(Age {
                kind: get(row, "kind")?,
                count: count(row, "count")?,
                oldest_id: get(row, "oldest_id")?,
                oldest_s: get::<Option<f64>>(row, "oldest_s")?.map(whole_seconds),
            });
        }
        let mut schedules = Vec::new();
        let sql = include_str!("../sql/doctor_schedules.sql");
        for row in &seen
            .rows(sql, &[agent(), (&SCHEDULES_MAX, Type::INT8)])
            .await?
        {
            schedules.push(LastFire {
                agent_id: get(row, "agent_id")?,
                schedule: get(row, "schedule")?,
                occurrence_at: get(row, "occurrence_at")?,
                age_s: whole_seconds(get(row, "age_s")?),
            });
        }
        let mut counts = Vec::new();
        let sql = include_str!("../sql/doctor_counts.sql");
        for row in &seen.rows(sql, &[agent(), (&runs, Type::INT8)]).await? {
            counts.push(Count {
                kind: get(row, "kind")?,
                status: get(row, "status")?,
                count: count(row, "count")?,
            });
        }
        let schema = schema.clone();
        Ok(Standing {
            ages,
            schedules,
            counts,
            schema,
        })
    })
    .await
}

/// The database's clock.
pub(super) async fn clock(pool: &Pool) -> Result<Timestamp, Failure> {
    snapshot(pool, STATEMENT_MS_MAX, async |seen| {
        let rows = seen
            .rows(include_str!("../sql/doctor_clock.sql"), &[])
            .await?;
        let row = rows
            .first()
            .ok_or_else(|| corrupt("a clock without a row"))?;
        get(row, "now")
    })
    .await
}

/// Seconds without their fraction; what lies ahead has no age yet.
fn whole_seconds(seconds: f64) -> u64 {
    let whole = std::time::Duration::try_from_secs_f64(seconds.max(0.0));
    whole.map_or(0, |whole| whole.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_whole_seconds_and_never_negative() {
        assert_eq!(whole_seconds(90.9), 90);
        assert_eq!(whole_seconds(-3.0), 0);
        assert_eq!(whole_seconds(f64::NAN), 0);
    }
}
