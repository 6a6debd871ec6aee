//! One look: a read-only transaction on one snapshot, with a time limit of its own.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use super::Offender;
use crate::failure::Failure;
use crate::pool::Pool;
use crate::rows::get;

/// Opens a look. What it sets ends with the transaction.
const BEGIN: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '30s'";

/// How long an answer is waited for: the server's own limit comes first.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(45);

/// Connections tried for one look, which may be repeated since it changes nothing.
const CONNECTIONS_MAX: usize = 2;

/// A value with its type.
pub(super) type Bound<'a> = (&'a (dyn ToSql + Sync), Type);

/// What the database holds at one moment.
pub(super) struct Snapshot<'a> {
    client: &'a Client,
}

impl Snapshot<'_> {
    /// The rows of one statement.
    pub(super) async fn rows(
        &self,
        sql: &'static str,
        values: &[Bound<'_>],
    ) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        self.each(sql, values, |row| {
            rows.push(row);
            Ok(())
        })
        .await?;
        Ok(rows)
    }

    /// The offenders of one statement, whose columns are `id` and `detail`.
    pub(super) async fn offenders(
        &self,
        sql: &'static str,
        values: &[Bound<'_>],
    ) -> Result<Vec<Offender>, Failure> {
        let offender = |row: &Row| {
            Ok(Offender {
                id: get(row, "id")?,
                detail: get(row, "detail")?,
            })
        };
        self.rows(sql, values).await?.iter().map(offender).collect()
    }

    /// The rows of one statement as they arrive, none of which is kept.
    pub(super) async fn each(
        &self,
        sql: &'static str,
        values: &[Bound<'_>],
        mut seen: impl FnMut(Row) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let values = values.iter().map(|(value, kind)| (*value, kind.clone()));
        let asked = self.client.query_typed_raw(sql, values);
        let mut rows = std::pin::pin!(answered(asked).await?);
        while let Some(row) = answered(rows.try_next()).await? {
            seen(row)?;
        }
        Ok(())
    }
}

/// Looks at the database as it is at one moment. A connection that failed, or whose transaction did,
/// is not used again.
pub(super) async fn snapshot<T>(
    pool: &Pool,
    look: impl AsyncFn(&Snapshot<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut last = String::new();
    for attempt in 0..CONNECTIONS_MAX {
        match once(pool, attempt > 0, &look).await {
            Err(Failure::Connection(why)) => last = why,
            other => return other,
        }
    }
    Err(Failure::Connection(last))
}

async fn once<T>(
    pool: &Pool,
    fresh: bool,
    look: &impl AsyncFn(&Snapshot<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let lease = pool.take(fresh).await?;
    let client = lease.client()?;
    answered(client.batch_execute(BEGIN)).await?;
    let seen = look(&Snapshot { client }).await?;
    answered(client.batch_execute("COMMIT")).await?;
    lease.keep();
    Ok(seen)
}

async fn answered<T>(
    answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Failure> {
    tokio::time::timeout(ANSWER_TIMEOUT, answer)
        .await
        .map_err(|_| Failure::Connection("no answer within 45 s".to_owned()))?
        .map_err(|error| Failure::of(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::STATEMENT_MS_MAX;

    #[test]
    fn the_time_limit_is_the_one_that_is_told() {
        let limit = format!("'{}s'", STATEMENT_MS_MAX / 1_000);
        assert!(BEGIN.contains(&limit), "{BEGIN}");
        assert!(u128::from(STATEMENT_MS_MAX) < ANSWER_TIMEOUT.as_millis());
    }
}
