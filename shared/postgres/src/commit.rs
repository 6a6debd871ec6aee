//! The one write: a fence and whatever changed behind it, in one pipelined transaction.

use openeve_domain::commit::{Commit, Committed, Lease};
use openeve_domain::ids::RunId;
use openeve_domain::pause::PauseRequest;
use openeve_domain::status::RunStatus;
use openeve_domain::transcript::ToolCall;
use openeve_domain::usage::Usage;
use openeve_runtime::ports::CommitAnswer;
use serde_json::Value;
use tokio_postgres::Client;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::failure::Failure;
use crate::pipeline::{Statement, single, transaction};
use crate::rows::{corrupt, get};
use openeve_domain::storable as clean;

/// Applies a commit, or learns that another epoch has begun.
pub(crate) async fn commit(
    client: &Client,
    commit: &Commit,
    lease_ms: u64,
) -> Result<CommitAnswer, Failure> {
    let mut statements = vec![fence(commit, lease_ms)];
    statements.extend(entries(commit));
    statements.extend(calls(commit));
    statements.extend(changes(commit));
    statements.extend(checkpoint(commit));
    statements.extend(events(commit));
    statements.extend(usage(commit));
    statements.extend(pauses(commit));
    statements.extend(delivery(commit));
    if commit.status.is_terminal() {
        statements.push(of_run(commit, include_str!("sql/commit_withdraw.sql")));
    }
    let frees = frees(commit.status);
    if frees {
        statements.push(next_run(commit.run_id));
    }
    let answers = match transaction(client, &statements).await {
        // Another epoch has begun, or this very commit was applied and its answer lost.
        Err(Failure::Superseded) => {
            return Ok(applied(client, commit)
                .await?
                .unwrap_or(CommitAnswer::Superseded));
        }
        other => other?,
    };
    let fenced = answers.first().and_then(|answer| answer.rows.first());
    let fenced = fenced.ok_or_else(|| corrupt("a fence without a row"))?;
    let next = if frees {
        answers.last().and_then(|answer| answer.rows.first())
    } else {
        None
    };
    Ok(CommitAnswer::Applied(Committed {
        status: RunStatus::parse(get(fenced, "status")?).map_err(corrupt)?,
        next_run: next
            .map(|row| get::<Uuid>(row, "id").map(RunId::new))
            .transpose()?,
        cancel_requested: get(fenced, "cancel_requested")?,
    }))
}

/// Whether a commit whose answer was lost was applied; `None` if it was not.
async fn applied(client: &Client, commit: &Commit) -> Result<Option<CommitAnswer>, Failure> {
    let read = Statement::new(include_str!("sql/commit_applied.sql"))
        .bind(commit.run_id.uuid(), Type::UUID)
        .bind(commit.commit_id.uuid(), Type::UUID)
        .bind(commit.epoch, Type::INT8)
        .bind(big(commit.follows), Type::INT8)
        .bind(commit.status.as_str(), Type::TEXT);
    let answer = single(client, &read).await?;
    let Some(row) = answer.rows.first() else {
        return Ok(None);
    };
    if get::<Option<bool>>(row, "applied")? != Some(true) {
        let cancelled: bool = get(row, "cancelled")?;
        return Ok(cancelled.then_some(CommitAnswer::Cancelled));
    }
    let cancel_requested = get(row, "cancel_requested")?;
    let status = RunStatus::parse(get(row, "status")?).map_err(corrupt)?;
    let next_run = if frees(commit.status) {
        let answer = single(client, &next_run(commit.run_id)).await?;
        answer
            .rows
            .first()
            .map(|row| get::<Uuid>(row, "id").map(RunId::new))
            .transpose()?
    } else {
        None
    };
    Ok(Some(CommitAnswer::Applied(Committed {
        status,
        next_run,
        cancel_requested,
    })))
}

/// Whether a run of this status keeps no other run of its conversation waiting.
const fn frees(status: RunStatus) -> bool {
    status.is_terminal() || status.is_waiting()
}

fn fence(commit: &Commit, lease_ms: u64) -> Statement {
    let (extend, not_before_ms) = match commit.lease {
        Lease::Extend if commit.status == RunStatus::Running => (true, 0),
        Lease::Extend => (false, 0),
        Lease::Release { not_before_ms } => (false, not_before_ms),
    };
    let sum = |of: fn(&Usage) -> u64| -> i64 {
        commit
            .usage
            .iter()
            .map(|record| tokens(of(&record.usage)))
            .sum()
    };
    of_run(commit, include_str!("sql/commit_fence.sql"))
        .bind(commit.epoch, Type::INT8)
        .bind(commit.commit_id.uuid(), Type::UUID)
        .bind(commit.status.as_str(), Type::TEXT)
        .bind(extend, Type::BOOL)
        .bind(big(lease_ms), Type::INT8)
        .bind(big(not_before_ms), Type::INT8)
        .bind(
            commit.failure.as_ref().map(|failure| failure.code.clone()),
            Type::TEXT,
        )
        .bind(
            commit
                .failure
                .as_ref()
                .map(|failure| clean::text(&failure.message)),
            Type::TEXT,
        )
        .bind(commit.progress, Type::BOOL)
        .bind(commit.resumed, Type::BOOL)
        .bind(
            i32::try_from(commit.model_failures).unwrap_or(i32::MAX),
            Type::INT4,
        )
        .bind(i64::try_from(commit.events.len()).unwrap_or(0), Type::INT8)
        .bind(sum(|usage| usage.input_tokens), Type::INT8)
        .bind(sum(|usage| usage.cached_tokens), Type::INT8)
        .bind(sum(|usage| usage.output_tokens), Type::INT8)
        .bind(sum(|usage| usage.reasoning_tokens), Type::INT8)
        .bind(sum(|usage| usage.cost_micros), Type::INT8)
        .bind(big(commit.follows), Type::INT8)
        .bind(
            commit
                .pauses
                .iter()
                .map(|pause| pause.request.kind.as_str())
                .collect::<Vec<_>>(),
            Type::TEXT_ARRAY,
        )
}

fn entries(commit: &Commit) -> Option<Statement> {
    let rows = &commit.entries;
    (!rows.is_empty()).then(|| {
        of_run(commit, include_str!("sql/commit_entries.sql"))
            .bind(
                rows.iter().map(|row| int(row.seq)).collect::<Vec<_>>(),
                Type::INT4_ARRAY,
            )
            .bind(
                rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(),
                Type::TEXT_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| clean::text(&row.text))
                    .collect::<Vec<_>>(),
                Type::TEXT_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| present(&row.extra))
                    .collect::<Vec<_>>(),
                Type::JSONB_ARRAY,
            )
    })
}

fn calls(commit: &Commit) -> Option<Statement> {
    let rows = &commit.calls;
    let texts = |of: fn(&ToolCall) -> &str| -> Vec<String> {
        rows.iter().map(|row| clean::text(of(row))).collect()
    };
    let outputs = rows.iter().map(|row| {
        let settled = !row.model_output.is_empty();
        settled.then(|| clean::text(&row.model_output))
    });
    (!rows.is_empty()).then(|| {
        of_run(commit, include_str!("sql/commit_calls.sql"))
            .bind(column(rows, |row| row.id.uuid()), Type::UUID_ARRAY)
            .bind(column(rows, |row| int(row.entry_seq)), Type::INT4_ARRAY)
            .bind(column(rows, |row| int(row.ordinal)), Type::INT4_ARRAY)
            .bind(texts(|row| &row.provider_call_id), Type::TEXT_ARRAY)
            .bind(texts(|row| &row.name), Type::TEXT_ARRAY)
            .bind(texts(|row| &row.arguments), Type::TEXT_ARRAY)
            .bind(
                column(rows, |row| row.side_effects.as_str()),
                Type::TEXT_ARRAY,
            )
            .bind(column(rows, |row| row.status.as_str()), Type::TEXT_ARRAY)
            .bind(column(rows, |row| row.sequential), Type::BOOL_ARRAY)
            .bind(
                column(rows, |row| row.gate.as_ref().and_then(json)),
                Type::JSONB_ARRAY,
            )
            .bind(column(rows, |row| present(&row.result)), Type::JSONB_ARRAY)
            .bind(outputs.collect::<Vec<_>>(), Type::TEXT_ARRAY)
    })
}

fn column<R, T>(rows: &[R], of: impl Fn(&R) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}

fn pauses(commit: &Commit) -> Option<Statement> {
    let rows = &commit.pauses;
    (!rows.is_empty()).then(|| {
        of_run(commit, include_str!("sql/commit_pauses.sql"))
            .bind(
                rows.iter()
                    .map(|row| row.call_id.uuid())
                    .collect::<Vec<_>>(),
                Type::UUID_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| int(row.generation))
                    .collect::<Vec<_>>(),
                Type::INT4_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| row.request.kind.as_str())
                    .collect::<Vec<_>>(),
                Type::TEXT_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| json(&row.request))
                    .collect::<Vec<_>>(),
                Type::JSONB_ARRAY,
            )
            .bind(
                rows.iter().map(|row| big(row.ttl_ms)).collect::<Vec<_>>(),
                Type::INT8_ARRAY,
            )
    })
}

fn changes(commit: &Commit) -> Option<Statement> {
    let mut rows: Vec<_> = commit.changes.iter().collect();
    rows.sort_by_key(|change| change.id);
    (!rows.is_empty()).then(|| {
        of_run(commit, include_str!("sql/commit_changes.sql"))
            .bind(
                rows.iter().map(|row| row.id.uuid()).collect::<Vec<_>>(),
                Type::UUID_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| row.status.as_str())
                    .collect::<Vec<_>>(),
                Type::TEXT_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| present(&row.result))
                    .collect::<Vec<_>>(),
                Type::JSONB_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| clean::text(&row.model_output))
                    .collect::<Vec<_>>(),
                Type::TEXT_ARRAY,
            )
    })
}

fn checkpoint(commit: &Commit) -> Option<Statement> {
    commit.checkpoint.as_ref().map(|at| {
        of_run(commit, include_str!("sql/commit_checkpoint.sql"))
            .bind(int(at.seq), Type::INT4)
            .bind(int(at.v), Type::INT4)
            .bind(at.engine.clone(), Type::TEXT)
            .bind(int(at.engine_version), Type::INT4)
            .bind(at.agent_revision.clone(), Type::TEXT)
            .bind(at.surface.clone(), Type::TEXT)
            .bind(clean::json(&at.body), Type::JSONB)
    })
}

fn events(commit: &Commit) -> Option<Statement> {
    let rows = &commit.events;
    (!rows.is_empty()).then(|| {
        of_run(commit, include_str!("sql/commit_events.sql"))
            .bind(
                rows.iter()
                    .map(|row| clean::text(&row.kind))
                    .collect::<Vec<_>>(),
                Type::TEXT_ARRAY,
            )
            .bind(
                rows.iter()
                    .map(|row| clean::json(&row.payload))
                    .collect::<Vec<_>>(),
                Type::JSONB_ARRAY,
            )
    })
}

fn usage(commit: &Commit) -> Option<Statement> {
    let rows = &commit.usage;
    let column = |of: fn(&Usage) -> u64| -> Vec<i64> {
        rows.iter().map(|row| tokens(of(&row.usage))).collect()
    };
    (!rows.is_empty()).then(|| {
        of_run(commit, include_str!("sql/commit_usage.sql"))
            .bind(
                rows.iter().map(|row| row.model.clone()).collect::<Vec<_>>(),
                Type::TEXT_ARRAY,
            )
            .bind(column(|usage| usage.input_tokens), Type::INT8_ARRAY)
            .bind(column(|usage| usage.cached_tokens), Type::INT8_ARRAY)
            .bind(column(|usage| usage.output_tokens), Type::INT8_ARRAY)
            .bind(column(|usage| usage.reasoning_tokens), Type::INT8_ARRAY)
            .bind(column(|usage| usage.cost_micros), Type::INT8_ARRAY)
    })
}

fn delivery(commit: &Commit) -> Option<Statement> {
    commit.delivery.as_ref().map(|owed| {
        of_run(commit, include_str!("sql/commit_delivery.sql"))
            .bind(owed.id.uuid(), Type::UUID)
            .bind(owed.key.clone(), Type::TEXT)
            .bind(owed.channel.clone(), Type::TEXT)
            .bind(clean::json(&owed.target), Type::JSONB)
            .bind(clean::text(&owed.text), Type::TEXT)
            .bind(
                owed.leased_by.map(openeve_domain::ids::LeaseToken::uuid),
                Type::UUID,
            )
            .bind(big(owed.lease_ms), Type::INT8)
    })
}

fn next_run(run_id: RunId) -> Statement {
    Statement::new(include_str!("sql/commit_next_run.sql")).bind(run_id.uuid(), Type::UUID)
}

fn of_run(commit: &Commit, sql: &'static str) -> Statement {
    Statement::new(sql).bind(commit.run_id.uuid(), Type::UUID)
}

/// What a person is asked, as JSON.
fn json(value: &PauseRequest) -> Option<Value> {
    serde_json::to_value(value)
        .ok()
        .map(|value| clean::json(&value))
}

fn present(value: &Value) -> Option<Value> {
    (!value.is_null()).then(|| clean::json(value))
}

fn int(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// A provider may claim any number of tokens; sums must stay within a column.
fn tokens(value: u64) -> i64 {
    const TOKENS_MAX: u64 = 1_000_000_000_000;
    big(value.min(TOKENS_MAX))
}

fn big(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
