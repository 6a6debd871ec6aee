//! Rows to domain types. A value this build does not know is named, never guessed.

use openeve_domain::continuation::Continuation;
use openeve_domain::ids::{RunId, ToolCallId};
use openeve_domain::pause::{Pause, PauseStatus};
use openeve_domain::status::{SideEffects, ToolCallStatus, UnknownStatus};
use openeve_domain::transcript::{Entry, EntryKind, ToolCall};
use openeve_domain::usage::Usage;
use openeve_runtime::ports::PortError;
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use uuid::Uuid;

use crate::failure::Failure;

/// A column by name.
pub(crate) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: &str) -> Result<T, Failure> {
    row.try_get(column)
        .map_err(|error| corrupt(format!("column {column}: {error}")))
}

/// A row that makes no sense to this build.
pub(crate) fn corrupt(why: impl std::fmt::Display) -> Failure {
    Failure::Database(PortError::corrupt(
        "database_row",
        format!("a stored row makes no sense to this build: {why}"),
    ))
}

/// A count, which the schema keeps from being negative.
pub(crate) fn count(row: &Row, column: &str) -> Result<u64, Failure> {
    let value: i64 = get(row, column)?;
    u64::try_from(value).map_err(|_| corrupt(format!("column {column} is {value}")))
}

/// A small count.
pub(crate) fn small<T: TryFrom<i32>>(row: &Row, column: &str) -> Result<T, Failure> {
    let value: i32 = get(row, column)?;
    T::try_from(value).map_err(|_| corrupt(format!("column {column} is {value}")))
}

/// The usage columns of a run.
pub(crate) fn usage(row: &Row) -> Result<Usage, Failure> {
    Ok(Usage {
        input_tokens: count(row, "input_tokens")?,
        cached_tokens: count(row, "cached_tokens")?,
        output_tokens: count(row, "output_tokens")?,
        reasoning_tokens: count(row, "reasoning_tokens")?,
        cost_micros: count(row, "cost_micros")?,
    })
}

/// A row of the transcript.
pub(crate) fn entry(row: &Row) -> Result<Entry, Failure> {
    let kind: &str = get(row, "kind")?;
    Ok(Entry {
        seq: small(row, "seq")?,
        kind: EntryKind::parse(kind).ok_or_else(|| corrupt(format!("message kind {kind:?}")))?,
        text: get(row, "body")?,
        extra: get::<Option<Value>>(row, "extra")?.unwrap_or(Value::Null),
    })
}

/// A tool call.
pub(crate) fn call(row: &Row) -> Result<ToolCall, Failure> {
    let unknown = |error: UnknownStatus| corrupt(error);
    Ok(ToolCall {
        id: ToolCallId::new(get::<Uuid>(row, "id")?),
        entry_seq: small(row, "entry_seq")?,
        ordinal: small(row, "ordinal")?,
        provider_call_id: get(row, "provider_call_id")?,
        name: get(row, "name")?,
        arguments: get(row, "arguments")?,
        side_effects: SideEffects::parse(get(row, "side_effects")?).map_err(unknown)?,
        sequential: get(row, "sequential")?,
        gate: get::<Option<Value>>(row, "gate")?
            .map(serde_json::from_value)
            .transpose()
            .map_err(corrupt)?,
        status: ToolCallStatus::parse(get(row, "status")?).map_err(unknown)?,
        // For people and the log; loading a run must not load every megabyte it ever produced.
        result: Value::Null,
        model_output: get::<Option<String>>(row, "model_output")?.unwrap_or_default(),
    })
}

/// A pause.
pub(crate) fn pause(run_id: RunId, row: &Row) -> Result<Pause, Failure> {
    let decision = get::<Option<Value>>(row, "decision")?;
    Ok(Pause {
        run_id,
        call_id: ToolCallId::new(get::<Uuid>(row, "tool_call_id")?),
        generation: small(row, "generation")?,
        request: serde_json::from_value(get(row, "request")?).map_err(corrupt)?,
        status: PauseStatus::parse(get(row, "status")?).map_err(corrupt)?,
        decision: decision
            .map(serde_json::from_value)
            .transpose()
            .map_err(corrupt)?,
        decided_by: get(row, "decided_by")?,
    })
}

/// A continuation.
pub(crate) fn continuation(row: &Row) -> Result<Continuation, Failure> {
    Ok(Continuation {
        v: small(row, "v")?,
        engine: get(row, "engine")?,
        engine_version: small(row, "engine_version")?,
        seq: small(row, "seq")?,
        agent_revision: get(row, "agent_revision")?,
        surface: get(row, "surface")?,
        body: get(row, "body")?,
    })
}
