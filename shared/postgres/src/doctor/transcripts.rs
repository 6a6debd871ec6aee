//! I13 and I19: the request that would be sent, assembled from the rows of each prefix of a run's
//! log, against the rules that providers have.
//!
//! Runs that are open or ended within a day are looked at, the open ones first. Only the form of a
//! transcript is loaded, not what was said. Earlier turns are left out: they hold neither calls nor
//! results.

use std::collections::{BTreeMap, VecDeque};

use openeve_domain::ids::{RunId, ToolCallId};
use openeve_domain::status::{SideEffects, ToolCallStatus};
use openeve_domain::transcript::{Entry, EntryKind, Message, ToolCall, assemble};
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::look::{Snapshot, snapshot};
use super::{Offender, RUNS_MAX, Scope};
use crate::failure::Failure;
use crate::pool::Pool;
use crate::rows::{corrupt, get, small};

/// Runs whose transcript is assembled.
const TRANSCRIPTS_MAX: i64 = 1_000;
/// Transcripts loaded at once.
const PAGE: usize = 50;

/// Which of the two a fault breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    /// I13: a call without its one result.
    Calls,
    /// I19: an order that providers refuse.
    Order,
}

/// One thing wrong with a transcript.
type Fault = (Half, String);

/// The rows of one run.
#[derive(Debug, Default)]
struct Transcript {
    entries: Vec<Entry>,
    calls: Vec<ToolCall>,
}

/// What is wrong with transcripts, of one half; and what was looked at.
pub(super) async fn faults(
    pool: &Pool,
    scope: &Scope,
    half: Half,
) -> Result<(Vec<Offender>, String), Failure> {
    snapshot(pool, scope.statement_ms, async |seen| {
        let runs = chosen(seen, scope).await?;
        let mut offenders = Vec::new();
        for page in runs.chunks(PAGE) {
            for (id, transcript) in load(seen, page).await? {
                let own = transcript
                    .faults()
                    .into_iter()
                    .find(|fault| fault.0 == half);
                let run = RunId::new(id).to_string();
                offenders.extend(own.map(|(_, why)| Offender::new(run, why)));
            }
        }
        let note = format!("{} open or recent transcripts were assembled", runs.len());
        Ok((offenders, note))
    })
    .await
}

async fn chosen(seen: &Snapshot<'_>, scope: &Scope) -> Result<Vec<Uuid>, Failure> {
    let newest = i64::try_from(RUNS_MAX).unwrap_or(i64::MAX);
    let rows = seen
        .rows(
            include_str!("../sql/doctor_transcript_runs.sql"),
            &[
                (&scope.agent_id, Type::TEXT),
                (&TRANSCRIPTS_MAX, Type::INT8),
                (&newest, Type::INT8),
            ],
        )
        .await?;
    rows.iter().map(|row| get(row, "id")).collect()
}

async fn load(seen: &Snapshot<'_>, runs: &[Uuid]) -> Result<BTreeMap<Uuid, Transcript>, Failure> {
    let mut transcripts: BTreeMap<Uuid, Transcript> =
        runs.iter().map(|id| (*id, Transcript::default())).collect();
    let entries = include_str!("../sql/doctor_transcript_rows.sql");
    for row in seen.rows(entries, &[(&runs, Type::UUID_ARRAY)]).await? {
        let of = transcripts.entry(get(&row, "run_id")?).or_default();
        of.entries.push(entry(&row)?);
    }
    let calls = include_str!("../sql/doctor_transcript_calls.sql");
    for row in seen.rows(calls, &[(&runs, Type::UUID_ARRAY)]).await? {
        let of = transcripts.entry(get(&row, "run_id")?).or_default();
        of.calls.push(call(&row)?);
    }
    Ok(transcripts)
}

fn entry(row: &Row) -> Result<Entry, Failure> {
    let kind: &str = get(row, "kind")?;
    Ok(Entry {
        seq: small(row, "seq")?,
        kind: EntryKind::parse(kind).ok_or_else(|| corrupt(format!("message kind {kind:?}")))?,
        text: String::new(),
        extra: Value::Null,
    })
}

fn call(row: &Row) -> Result<ToolCall, Failure> {
    Ok(ToolCall {
        id: ToolCallId::new(get(row, "id")?),
        entry_seq: small(row, "entry_seq")?,
        ordinal: small(row, "ordinal")?,
        provider_call_id: get(row, "provider_call_id")?,
        name: get(row, "name")?,
        arguments: String::new(),
        side_effects: SideEffects::parse(get(row, "side_effects")?).map_err(corrupt)?,
        sequential: get(row, "sequential")?,
        gate: None,
        status: ToolCallStatus::parse(get(row, "status")?).map_err(corrupt)?,
        result: Value::Null,
        model_output: String::new(),
    })
}

impl Transcript {
    /// What is wrong with it: with its rows, and with the request of each prefix.
    fn faults(&self) -> Vec<Fault> {
        let mut faults = self.gaps();
        for (at, last) in self.entries.iter().enumerate() {
            let entries = self.entries.get(..=at).unwrap_or_default();
            let calls: Vec<ToolCall> = self
                .calls
                .iter()
                .filter(|call| call.entry_seq <= last.seq)
                .cloned()
                .collect();
            if let Err((half, why)) = accepted(&assemble(&[], entries, &calls), &calls) {
                faults.push((half, format!("up to row {}: {why}", last.seq)));
            }
        }
        faults
    }

    /// Rows that are missing.
    fn gaps(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let rows = self.entries.iter().map(|entry| entry.seq);
        if let Some((wanted, found)) = (0..).zip(rows).find(|(wanted, found)| wanted != found) {
            faults.push((
                Half::Order,
                format!("row {wanted} of its transcript is missing; row {found} follows"),
            ));
        }
        if self.entries.is_empty() {
            faults.push((Half::Order, "has no transcript".to_owned()));
        }
        let mut wanted = (0, 0);
        for call in &self.calls {
            if call.entry_seq != wanted.0 {
                wanted = (call.entry_seq, 0);
            }
            if call.ordinal != wanted.1 {
                let (row, ordinal) = wanted;
                let why = format!("call {ordinal} of the batch at row {row} is missing");
                faults.push((Half::Calls, why));
            }
            wanted.1 = call.ordinal + 1;
        }
        faults
    }
}

/// Whether a provider takes a request, and what it refuses: it begins with a person, an answer ends
/// it, and each call has exactly one result, in order, right behind its batch.
fn accepted(messages: &[Message<'_>], calls: &[ToolCall]) -> Result<(), Fault> {
    let mut open: VecDeque<ToolCallId> = VecDeque::new();
    let mut answered = 0;
    let mut ended = false;
    for (at, message) in messages.iter().enumerate() {
        if ended {
            return Err((Half::Order, "something follows the answer".to_owned()));
        }
        if let Message::ToolResult { call, .. } = message {
            if open.pop_front() != Some(call.id) {
                let why = format!("the result of {} is not behind its call", call.id);
                return Err((Half::Calls, why));
            }
            answered += 1;
            continue;
        }
        if let Some(id) = open.front() {
            return Err((Half::Calls, format!("{id} has no result")));
        }
        match message {
            Message::Assistant { .. } if at == 0 => {
                return Err((Half::Order, "nobody has said anything".to_owned()));
            }
            Message::Assistant { calls, .. } if calls.is_empty() => ended = true,
            Message::Assistant { calls, .. } => open.extend(calls.iter().map(|call| call.id)),
            Message::User { .. } | Message::ToolResult { .. } => {}
        }
    }
    if let Some(id) = open.front() {
        return Err((Half::Calls, format!("{id} has no result")));
    }
    if messages.is_empty() {
        return Err((Half::Order, "the request says nothing".to_owned()));
    }
    if answered != calls.len() {
        let why = format!("{} calls have {answered} results", calls.len());
        return Err((Half::Calls, why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(kinds: &[(u32, EntryKind)]) -> Vec<Entry> {
        let entry = |&(seq, kind)| Entry {
            seq,
            kind,
            text: String::new(),
            extra: Value::Null,
        };
        kinds.iter().map(entry).collect()
    }

    fn asked(entry_seq: u32, ordinal: u32) -> ToolCall {
        ToolCall {
            id: ToolCallId::new(Uuid::from_u128(
                u128::from(entry_seq) * 100 + u128::from(ordinal),
            )),
            entry_seq,
            ordinal,
            provider_call_id: "c".into(),
            name: "t".into(),
            arguments: String::new(),
            side_effects: SideEffects::Unsafe,
            sequential: false,
            gate: None,
            status: ToolCallStatus::Started,
            result: Value::Null,
            model_output: String::new(),
        }
    }

    fn halves(rows: &[(u32, EntryKind)], calls: Vec<ToolCall>) -> Vec<Half> {
        let transcript = Transcript {
            entries: entries(rows),
            calls,
        };
        let mut halves: Vec<Half> = transcript.faults().iter().map(|fault| fault.0).collect();
        halves.dedup();
        halves
    }

    #[test]
    fn every_prefix_of_an_ordinary_run_is_accepted() {
        use EntryKind::{Answer, ToolBatch, User};
        let rows = [(0, User), (1, ToolBatch), (2, ToolBatch), (3, Answer)];
        let calls = vec![asked(1, 0), asked(1, 1), asked(2, 0)];
        assert!(halves(&rows, calls).is_empty());
        assert!(halves(&[(0, User)], Vec::new()).is_empty());
    }

    #[test]
    fn a_call_that_was_lost_or_has_no_batch_breaks_the_rule_of_results() {
        use EntryKind::{ToolBatch, User};
        let rows = [(0, User), (1, ToolBatch)];
        assert_eq!(halves(&rows, vec![asked(1, 1)]), [Half::Calls]);
        assert_eq!(halves(&rows, vec![asked(0, 0), asked(1, 0)]), [Half::Calls]);
    }

    #[test]
    fn rows_that_are_missing_or_out_of_order_break_the_rule_of_prefixes() {
        use EntryKind::{Answer, ToolBatch, User};
        assert_eq!(halves(&[], Vec::new()), [Half::Order]);
        let headless = [(1, ToolBatch)];
        assert_eq!(halves(&headless, vec![asked(1, 0)]), [Half::Order]);
        let gap = [(0, User), (2, Answer)];
        assert_eq!(halves(&gap, Vec::new()), [Half::Order]);
        let behind = [(0, User), (1, Answer), (2, ToolBatch)];
        assert_eq!(halves(&behind, vec![asked(2, 0)]), [Half::Order]);
    }
}
