//! Migrations: plain SQL files, applied in order, once, and never changed after [O.05–O.07].

use openeve_domain::canonical::sha256_hex;
use openeve_runtime::ports::PortError;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::failure::Failure;
use crate::pipeline::{Statement, single};
use crate::pool::Pool;
use crate::rows::get;

/// Every migration of this build, in order: id, description, SQL.
const MIGRATIONS: &[(&str, &str, &str)] = &[(
    "0001_init",
    "the first schema",
    include_str!("../../../migrations/0001_init.sql"),
)];

/// One migration and what is, or would be, done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Its id, the file's name without `.sql`.
    pub id: String,
    /// What it is for.
    pub description: String,
    /// What is done about it.
    pub state: State,
}

/// What is done about a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Applied before; left alone.
    Applied,
    /// Not applied yet.
    Pending,
    /// Applied from a file with other bytes.
    ChecksumMismatch,
    /// Applied by a newer build; unknown to this one.
    Unknown,
}

/// Migrations that were not applied. Nothing is half applied: each is one transaction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MigrateError {
    /// A file changed after it was applied.
    #[error(
        "migration {id} was applied from a file with other bytes; restore the file that was \
         applied and put the change into a new migration"
    )]
    Drift {
        /// The migration.
        id: String,
    },
    /// A migration's SQL was refused.
    #[error("migration {id} was refused and undone: {source}")]
    Refused {
        /// The migration.
        id: String,
        /// Why.
        source: PortError,
    },
    /// The database does not answer or refuses us.
    #[error(transparent)]
    Database(#[from] PortError),
}

/// What [`migrate`] would do; changes nothing.
pub async fn plan(pool: &Pool) -> Result<Vec<Planned>, MigrateError> {
    let lease = pool.take(false).await.map_err(Failure::into_port)?;
    let client = lease.client().map_err(Failure::into_port)?;
    let planned = planned(client).await.map_err(Failure::into_port)?;
    lease.keep();
    Ok(planned)
}

/// Applies what is pending and returns what it found, in order. Idempotent; safe to run from
/// several places at once; refuses before changing anything when a checksum differs.
pub async fn migrate(pool: &Pool) -> Result<Vec<Planned>, MigrateError> {
    let lease = pool.take(false).await.map_err(Failure::into_port)?;
    let client = lease.client().map_err(Failure::into_port)?;
    batch(
        client,
        concat!(
            "BEGIN; SELECT pg_advisory_xact_lock(7881600);\n",
            include_str!("sql/migrations_table.sql"),
            "; COMMIT"
        ),
    )
    .await?;
    let found = planned(client).await.map_err(Failure::into_port)?;
    if let Some(drift) = found
        .iter()
        .find(|planned| planned.state == State::ChecksumMismatch)
    {
        return Err(MigrateError::Drift {
            id: drift.id.clone(),
        });
    }
    for (id, description, sql) in MIGRATIONS {
        if found
            .iter()
            .any(|planned| planned.id == *id && planned.state == State::Pending)
        {
            let applied = apply(client, id, description, sql).await;
            applied.map_err(|source| MigrateError::Refused {
                id: (*id).to_owned(),
                source,
            })?;
        }
    }
    lease.keep();
    Ok(found)
}

/// Whether the schema is this build's.
pub(crate) async fn ready(pool: &Pool) -> Result<(), PortError> {
    match plan(pool).await {
        Ok(planned)
            if planned
                .iter()
                .all(|one| matches!(one.state, State::Applied | State::Unknown)) =>
        {
            Ok(())
        }
        Ok(_) => Err(PortError::refused(
            "database_schema",
            "the database's schema is not this build's; run `openeve migrate`",
        )),
        Err(MigrateError::Database(error)) => Err(error),
        Err(other) => Err(PortError::refused("database_schema", other.to_string())),
    }
}

/// A short hash that changes with every migration; names test templates.
pub fn fingerprint() -> String {
    let all: String = MIGRATIONS.iter().map(|(_, _, sql)| *sql).collect();
    sha256_hex(all.as_bytes()).chars().take(12).collect()
}

async fn planned(client: &Client) -> Result<Vec<Planned>, Failure> {
    let exists = single(
        client,
        &Statement::new(include_str!("sql/migrations_exist.sql")),
    )
    .await?;
    let exists = match exists.rows.first() {
        Some(row) => get::<bool>(row, "exists")?,
        None => false,
    };
    let mut applied = Vec::new();
    if exists {
        let rows = single(
            client,
            &Statement::new(include_str!("sql/migrations_applied.sql")),
        )
        .await?;
        for row in &rows.rows {
            applied.push((get::<String>(row, "id")?, get::<String>(row, "checksum")?));
        }
    }
    let known = MIGRATIONS.iter().map(|(id, description, sql)| Planned {
        id: (*id).to_owned(),
        description: (*description).to_owned(),
        state: match applied.iter().find(|(applied_id, _)| applied_id == id) {
            None => State::Pending,
            Some((_, checksum)) if *checksum == sha256_hex(sql.as_bytes()) => State::Applied,
            Some(_) => State::ChecksumMismatch,
        },
    });
    let newer = applied
        .iter()
        .filter(|(id, _)| MIGRATIONS.iter().all(|(known, ..)| known != id));
    let newer = newer.map(|(id, _)| Planned {
        id: id.clone(),
        description: "applied by a newer build".to_owned(),
        state: State::Unknown,
    });
    Ok(known.chain(newer).collect())
}

async fn apply(client: &Client, id: &str, description: &str, sql: &str) -> Result<(), PortError> {
    let done = apply_in_transaction(client, id, description, sql).await;
    if done.is_err() {
        batch(client, "ROLLBACK").await?;
    }
    done
}

async fn apply_in_transaction(
    client: &Client,
    id: &str,
    description: &str,
    sql: &str,
) -> Result<(), PortError> {
    batch(client, "BEGIN").await?;
    let run = |statement: Statement| async move {
        single(client, &statement).await.map_err(Failure::into_port)
    };
    run(Statement::new(include_str!("sql/migrations_lock.sql"))).await?;
    // Somebody else may have applied it while we waited for the lock.
    let applied = run(Statement::new(include_str!("sql/migrations_applied.sql"))).await?;
    for row in &applied.rows {
        if get::<&str>(row, "id").map_err(Failure::into_port)? == id {
            return batch(client, "ROLLBACK").await;
        }
    }
    batch(client, sql).await?;
    run(Statement::new(include_str!("sql/migrations_record.sql"))
        .bind(id.to_owned(), Type::TEXT)
        .bind(sha256_hex(sql.as_bytes()), Type::TEXT)
        .bind(description.to_owned(), Type::TEXT)
        .bind(env!("CARGO_PKG_VERSION"), Type::TEXT))
    .await?;
    batch(client, "COMMIT").await
}

async fn batch(client: &Client, sql: &str) -> Result<(), PortError> {
    client
        .batch_execute(sql)
        .await
        .map_err(|error| Failure::of(&error).into_port())
}
