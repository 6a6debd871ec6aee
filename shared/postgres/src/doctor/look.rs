//! One look: a read-only transaction on one snapshot, with a time limit of its own.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use super::Offender;
use crate::failure::Failure;
use crate::pool::Pool;
use crate::rows::get;

/// How much longer than the server's own limit an answer is waited for.
const ANSWER_MARGIN: Duration = Duration::from_secs(15);

/// Connections tried for one look, which may be repeated since it changes nothing.
const CONNECTIONS_MAX: usize = 2;

/// A value with its type.
pub(super) type Bound<'a> = (&'a (dyn ToSql + Sync), Type);

/// What the database holds at one moment.
pub(super) struct Snapshot<'a> {
    client: &'a Client,
    statement_ms: u64,
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
        let mut rows = std::pin::pin!(answered(self.statement_ms, asked).await?);
        while let Some(row) = answered(self.statement_ms, rows.try_next()).await? {
            seen(row)?;
        }
        Ok(())
    }
}

/// Looks at the database as it is at one moment. A connection that failed, or whose transaction did,
/// is not used again. Each statement may take `statement_ms`.
pub(super) async fn snapshot<T>(
    pool: &Pool,
    statement_ms: u64,
    look: impl AsyncFn(&Snapshot<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut last = String::new();
    for attempt in 0..CONNECTIONS_MAX {
        match once(pool, attempt > 0, statement_ms, &look).await {
            Err(Failure::Connection(why)) => last = why,
            other => return other,
        }
    }
    Err(Failure::Connection(last))
}

async fn once<T>(
    pool: &Pool,
    fresh: bool,
    statement_ms: u64,
    look: &impl AsyncFn(&Snapshot<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let lease = pool.take(fresh).await?;
    let client = lease.client()?;
    // What this sets ends with the transaction.
    let begin = format!(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {statement_ms}"
    );
    answered(statement_ms, client.batch_execute(&begin)).await?;
    let seen = look(&Snapshot {
        client,
        statement_ms,
    })
    .await?;
    answered(statement_ms, client.batch_execute("COMMIT")).await?;
    lease.keep();
    Ok(seen)
}

async fn answered<T>(
    statement_ms: u64,
    answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Failure> {
    let patience = Duration::from_millis(statement_ms).saturating_add(ANSWER_MARGIN);
    tokio::time::timeout(patience, answer)
        .await
        .map_err(|_| Failure::Connection(format!("no answer within {} s", patience.as_secs())))?
        .map_err(|error| Failure::of(&error))
}
