//! Pipelined transactions: everything sent at once, answered in order.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use futures_util::future::join_all;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row};

use crate::failure::Failure;
use crate::pool::{Lease, Pool};

/// How long a boundary may take before its connection is given up.
const BOUNDARY_TIMEOUT: Duration = Duration::from_secs(15);

/// Connections tried in a row for one boundary.
const CONNECTIONS_MAX: usize = 3;

/// One statement with its values.
pub(crate) struct Statement {
    sql: &'static str,
    values: Vec<(Box<dyn ToSql + Sync + Send>, Type)>,
}

impl Statement {
    /// A statement from its file.
    pub(crate) fn new(sql: &'static str) -> Self {
        Self {
            sql,
            values: Vec::new(),
        }
    }

    /// Binds the next value.
    pub(crate) fn bind(mut self, value: impl ToSql + Sync + Send + 'static, kind: Type) -> Self {
        self.values.push((Box::new(value), kind));
        self
    }
}

/// The rows of one statement, and how many it touched.
pub(crate) struct Answer {
    /// Rows it returned.
    pub(crate) rows: Vec<Row>,
    /// Rows it touched.
    pub(crate) touched: u64,
}

/// Runs statements as one transaction in one round trip and returns their answers in order.
///
/// The first error decides: it leaves the transaction aborted, whatever follows is refused by the
/// server, and the final `COMMIT` rolls back.
pub(crate) async fn transaction(
    client: &Client,
    statements: &[Statement],
) -> Result<Vec<Answer>, Failure> {
    type Sent<'a> = Pin<Box<dyn Future<Output = Result<Answer, Error>> + Send + 'a>>;
    let mut sent: Vec<Sent<'_>> = Vec::with_capacity(statements.len() + 2);
    sent.push(Box::pin(control(client, "BEGIN")));
    for statement in statements {
        sent.push(Box::pin(run(client, statement)));
    }
    sent.push(Box::pin(control(client, "COMMIT")));
    bounded(join_all(sent))
        .await?
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map_or_else(
            |error| Err(Failure::of(&error)),
            |mut answers| {
                answers.pop();
                answers.remove(0);
                Ok(answers)
            },
        )
}

/// Runs one statement, which is its own transaction, in one round trip.
pub(crate) async fn single(client: &Client, statement: &Statement) -> Result<Answer, Failure> {
    bounded(run(client, statement))
        .await?
        .map_err(|error| Failure::of(&error))
}

/// Repeats a boundary on a fresh connection while connections break. The boundary must be
/// idempotent: it may have been applied although its answer was lost.
pub(crate) async fn repeated<'p, T, F>(pool: &'p Pool, boundary: F) -> Result<T, Failure>
where
    F: for<'a> Fn(&'a Client) -> Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>,
{
    let mut last = String::new();
    for attempt in 0..CONNECTIONS_MAX {
        let lease: Lease<'p> = match pool.take(attempt > 0).await {
            Ok(lease) => lease,
            Err(Failure::Connection(why)) => {
                last = why;
                continue;
            }
            Err(other) => return Err(other),
        };
        match boundary(lease.client()?).await {
            Err(Failure::Connection(why)) => last = why,
            other => {
                lease.keep();
                return other;
            }
        }
    }
    Err(Failure::Connection(last))
}

async fn run(client: &Client, statement: &Statement) -> Result<Answer, Error> {
    let values = statement.values.iter().map(|(value, kind)| {
        let value: &(dyn ToSql + Sync) = value.as_ref();
        (value, kind.clone())
    });
    let mut stream = std::pin::pin!(client.query_typed_raw(statement.sql, values).await?);
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await? {
        rows.push(row);
    }
    Ok(Answer {
        rows,
        touched: stream.rows_affected().unwrap_or(0),
    })
}

async fn control(client: &Client, sql: &'static str) -> Result<Answer, Error> {
    client.batch_execute(sql).await.map(|()| Answer {
        rows: Vec::new(),
        touched: 0,
    })
}

async fn bounded<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::time::timeout(BOUNDARY_TIMEOUT, work)
        .await
        .map_err(|_| Failure::Connection("no answer within 15 s".to_owned()))
}
