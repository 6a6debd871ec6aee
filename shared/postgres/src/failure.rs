//! What a database error means to the caller, and whether its connection may be used again.

use openeve_runtime::ports::PortError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// Raised by `openeve.require_epoch`: the writer's epoch or token is no longer the current one.
pub(crate) const SUPERSEDED: &str = "OE001";

/// A boundary that did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection is of no use; whether the boundary was applied is unknown. Repeat it on a
    /// fresh connection, reading back first where that matters.
    Connection(String),
    /// The writer's epoch or token is no longer the current one; nothing was written.
    Superseded,
    /// A unique index said no; nothing was written.
    Unique(String),
    /// Anything else, with the database's own words.
    Database(PortError),
}

impl Failure {
    /// Sorts an error of the driver.
    pub(crate) fn of(error: &Error) -> Self {
        let Some(db) = error.as_db_error() else {
            return Self::Connection(chain(error));
        };
        let code = db.code().code();
        if poisons(code) {
            return Self::Connection(format!("{} ({code})", db.message()));
        }
        if code == SUPERSEDED {
            return Self::Superseded;
        }
        if *db.code() == SqlState::UNIQUE_VIOLATION {
            return Self::Unique(db.constraint().unwrap_or_default().to_owned());
        }
        if let Some(remedy) = remedy(code) {
            let message = format!(
                "Postgres does not let us in: {} ({code}); {remedy}",
                db.message()
            );
            return Self::Database(PortError::retry("database_refused", message));
        }
        let passing = matches!(code.get(..2), Some("40" | "53" | "55" | "57"));
        let message = format!("Postgres refused a statement: {} ({code})", db.message());
        Self::Database(if passing {
            PortError::retry("database_busy", message)
        } else if matches!(code, "42P01" | "42703" | "3F000" | "42883") {
            PortError::refused(
                "database_schema",
                format!("{message}; the schema is not this build's, run `openeve migrate`"),
            )
        } else {
            PortError::corrupt("database_refused", message)
        })
    }

    /// The failure as a caller of the port sees it, once repeating has not helped.
    pub(crate) fn into_port(self) -> PortError {
        match self {
            Self::Connection(why) => unreachable(&why),
            Self::Superseded => PortError::refused("superseded", "another epoch has begun"),
            Self::Unique(constraint) => PortError::corrupt(
                "database_conflict",
                format!("Postgres refused a second row for {constraint}"),
            ),
            Self::Database(error) => error,
        }
    }
}

/// What an operator mends when the server answers and says no.
fn remedy(code: &str) -> Option<&'static str> {
    match code {
        "28P01" | "28000" => Some("check the user and password in DATABASE_URL"),
        "3D000" => Some("create the database, or correct its name in DATABASE_URL"),
        "42501" => Some("grant the user of DATABASE_URL the schema openeve"),
        "53300" => Some("raise max_connections, or lower the functions' concurrency"),
        _ => None,
    }
}

/// Read-only, shutting down, or a broken connection: the server may be another one next time.
fn poisons(code: &str) -> bool {
    matches!(code, "25006" | "57P01" | "57P02" | "57P03" | "57P05") || code.starts_with("08")
}

/// The message for a database that does not answer.
pub(crate) fn unreachable(why: &str) -> PortError {
    let remedy = if why.contains("certificate") || why.contains("UnknownIssuer") {
        "name its certificate authority in OPENEVE_DATABASE_CA"
    } else {
        "check DATABASE_URL and that Postgres runs"
    };
    PortError::retry(
        "database_unreachable",
        format!("the database does not answer: {why}; {remedy}"),
    )
}

/// An error with its causes; the driver keeps the interesting part in the source.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
