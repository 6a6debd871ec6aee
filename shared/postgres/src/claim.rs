//! Claiming a run: one pipelined transaction that also loads it whole.
//!
//! The loads are statements of their own behind the claim, not parts of it: the claim may have
//! waited for the previous holder's last commit, and only a later statement sees what that wrote.

use openeve_domain::channel::ChannelTurn;
use openeve_domain::ids::{ConversationId, LeaseToken, RunId};
use openeve_domain::limits::{HISTORY_BYTES_MAX, HISTORY_MESSAGES_MAX, PAUSE_TTL_MS};
use openeve_domain::run::finish::final_key;
use openeve_domain::run::{RunState, Unsaved};
use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_runtime::ports::Claim;
use serde_json::Value;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};
use uuid::Uuid;

use crate::failure::Failure;
use crate::pipeline::{Answer, Statement, transaction};
use crate::rows::{call, continuation, corrupt, count, entry, get, pause, small, usage};

/// Claims and loads.
pub(crate) async fn claim(
    client: &Client,
    run_id: RunId,
    token: LeaseToken,
    lease_ms: u64,
) -> Result<Claim, Failure> {
    let history = i64::try_from(HISTORY_MESSAGES_MAX).unwrap_or(0);
    let of_run = |sql| Statement::new(sql).bind(run_id.uuid(), Type::UUID);
    let statements = [
        of_run(include_str!("sql/claim.sql"))
            .bind(token.uuid(), Type::UUID)
            .bind(i64::try_from(lease_ms).unwrap_or(0), Type::INT8),
        of_run(include_str!("sql/claim_why.sql")).bind(final_key(run_id), Type::TEXT),
        of_run(include_str!("sql/load_messages.sql"))
            .bind(history, Type::INT8)
            .bind(
                i32::try_from(HISTORY_BYTES_MAX + 1).unwrap_or(i32::MAX),
                Type::INT4,
            ),
        of_run(include_str!("sql/load_calls.sql")),
        of_run(include_str!("sql/load_pauses.sql")),
        of_run(include_str!("sql/load_checkpoint.sql")),
    ];
    let answers = match transaction(client, &statements).await {
        // Another run of the conversation holds a lease: the unique index refused a second one.
        Err(Failure::Unique(_)) => return Ok(Claim::Behind),
        other => other?,
    };
    let [claimed, why, messages, calls, pauses, checkpoint] = answers.as_slice() else {
        return Err(corrupt("a claim answered with another number of results"));
    };
    match (claimed.rows.first(), why.rows.first()) {
        (_, None) => Ok(Claim::Unknown),
        (None, Some(why)) => refused(why),
        (Some(row), Some(why)) => {
            let rows = Rows {
                row,
                why,
                messages,
                calls,
                pauses,
                checkpoint,
            };
            let state = load(run_id, &rows)?;
            Ok(Claim::Claimed(Box::new(state)))
        }
    }
}

fn refused(why: &Row) -> Result<Claim, Failure> {
    let status = RunStatus::parse(get(why, "status")?).map_err(corrupt)?;
    let wait_ms = get::<Option<i64>>(why, "wait_ms")?
        .and_then(|ms| u64::try_from(ms).ok())
        .unwrap_or(0);
    Ok(
        if !status.is_claimable() && !get::<bool>(why, "to_cancel")? {
            Claim::Settled
        } else if get::<bool>(why, "leased")? {
            Claim::Busy
        } else if wait_ms > 0 {
            Claim::NotYet { wait_ms }
        } else {
            Claim::Behind
        },
    )
}

/// What a claim answered with.
struct Rows<'a> {
    row: &'a Row,
    why: &'a Row,
    messages: &'a Answer,
    calls: &'a Answer,
    pauses: &'a Answer,
    checkpoint: &'a Answer,
}

fn load(run_id: RunId, rows: &Rows<'_>) -> Result<RunState, Failure> {
    let (row, why) = (rows.row, rows.why);
    let (mut history, mut entries) = (Vec::new(), Vec::new());
    for message in &rows.messages.rows {
        let own: bool = get(message, "own")?;
        if own {
            entries.push(entry(message)?);
        } else {
            history.push(entry(message)?);
        }
    }
    let mut turn: ChannelTurn =
        serde_json::from_value(get::<Value>(row, "turn")?).map_err(corrupt)?;
    if let Some(first) = entries.first() {
        turn.text.clone_from(&first.text);
    }
    let delivery = get::<Option<&str>>(why, "delivery")?
        .map(DeliveryStatus::parse)
        .transpose();
    let stalls: u64 = small::<u32>(row, "stall_count")?.into();
    Ok(RunState {
        run_id,
        epoch: get(row, "epoch")?,
        conversation_id: ConversationId::new(get::<Uuid>(row, "conversation_id")?),
        agent_revision: get(row, "agent_revision")?,
        turn,
        status: RunStatus::parse(get(row, "status")?).map_err(corrupt)?,
        commits: count(row, "commit_count")?,
        steps: small::<u32>(row, "step_count")?.into(),
        stalls,
        resumes: small::<u32>(row, "resume_count")?.into(),
        model_failures: small(row, "model_failure_count")?,
        // A clean release leaves no stall behind, so a stall means that the holder vanished.
        recovery: stalls > 0,
        usage: usage(row)?,
        tree_usage: usage(why)?,
        wall_ms: count(row, "wall_ms")?,
        cancel_requested: get(row, "cancel_requested")?,
        pause_ttl_ms: PAUSE_TTL_MS,
        tenant: get(why, "tenant")?,
        pauses: rows
            .pauses
            .rows
            .iter()
            .map(|row| pause(run_id, row))
            .collect::<Result<_, _>>()?,
        history,
        entries,
        calls: rows.calls.rows.iter().map(call).collect::<Result<_, _>>()?,
        checkpoint: rows.checkpoint.rows.first().map(continuation).transpose()?,
        delivery: delivery.map_err(corrupt)?,
        trace_parent: get(row, "trace_parent")?,
        unsaved: Unsaved::default(),
    })
}
