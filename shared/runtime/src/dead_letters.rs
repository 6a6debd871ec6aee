//! Dead letters: messages that a queue gave up are compared with the rows they name.
//!
//! The row decides and the letter is only a hint to look: a row that needs work is rung again, and
//! any other letter of ours has nothing left to say. What this build cannot read stays where it is,
//! for a newer build or for a person, and is reported. Idempotent; a pass that ends in the middle
//! leaves letters that the next one takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use openeve_domain::bell::Bell;

use crate::ports::{DeadLetters, Doorbell, Letter, Need, Needs, PortError};

/// Letters of one queue that one pass goes through at most.
pub const LETTERS_MAX: u64 = 100;
/// Letters taken at once, which is what SQS gives at most.
const LETTERS_AT_ONCE: u64 = 10;
/// What a log line shows of a letter that cannot be read.
const SHOWN_CHARACTERS: usize = 80;

/// Everything this use case reaches the world through.
#[derive(Clone)]
pub struct LetterDeps {
    /// Looks at rows.
    pub rows: Arc<dyn Needs>,
    /// Rings.
    pub doorbell: Arc<dyn Doorbell>,
    /// The agent's stable identity.
    pub agent_id: String,
}

/// The queues whose letters are gone through.
#[derive(Clone)]
pub struct LetterBoxes {
    /// What their rows are looked at and rung through.
    pub through: LetterDeps,
    /// Each queue's dead letters, by the queue's name.
    pub queues: BTreeMap<&'static str, Arc<dyn DeadLetters>>,
}

/// What became of the letters of one queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Reconciled {
    /// Their rows need work: rung again, and dropped.
    pub rung: u64,
    /// Their rows ended, wait, or are worked on: dropped.
    pub dropped: u64,
    /// They name no row of this agent: dropped.
    pub unknown: u64,
    /// This build cannot read them: left alone.
    pub left: u64,
}

impl Reconciled {
    const fn letters(&self) -> u64 {
        self.rung + self.dropped + self.unknown + self.left
    }
}

/// Goes through the letters of every queue, and only then says that one of them failed.
pub async fn reconcile_all(
    boxes: &LetterBoxes,
) -> Result<BTreeMap<&'static str, Reconciled>, PortError> {
    let (mut all, mut failed) = (BTreeMap::new(), None);
    for (queue, letters) in &boxes.queues {
        match reconcile(&boxes.through, letters.as_ref()).await {
            Ok(reconciled) => drop(all.insert(*queue, reconciled)),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(all), Err)
}

/// Goes through at most [`LETTERS_MAX`] letters of one queue.
///
/// # Errors
/// When the queue, the store or the doorbell fails; letters already judged stay judged.
pub async fn reconcile(
    deps: &LetterDeps,
    letters: &dyn DeadLetters,
) -> Result<Reconciled, PortError> {
    let mut all = Reconciled::default();
    loop {
        let left = LETTERS_MAX.saturating_sub(all.letters());
        let some = match left.min(LETTERS_AT_ONCE) {
            0 => break,
            some => letters.receive(some).await?,
        };
        if some.is_empty() {
            break;
        }
        for letter in some {
            one(deps, letters, &letter, &mut all).await?;
        }
    }
    if all.letters() > 0 {
        tracing::info!(
            letters.rung = all.rung,
            letters.dropped = all.dropped,
            letters.unknown = all.unknown,
            letters.left = all.left,
            "dead letters were gone through"
        );
    }
    Ok(all)
}

async fn one(
    deps: &LetterDeps,
    letters: &dyn DeadLetters,
    letter: &Letter,
    all: &mut Reconciled,
) -> Result<(), PortError> {
    let at = match Bell::decode(&letter.body) {
        Ok(bell) => bell.at,
        Err(error) => {
            let shown: String = letter.body.chars().take(SHOWN_CHARACTERS).collect();
            tracing::error!(error = %error, letter = ?shown, "a dead letter is no doorbell that this build reads; it stays in the queue for a newer build or a person");
            all.left += 1;
            return Ok(());
        }
    };
    match deps.rows.need(&deps.agent_id, at).await? {
        Need::Now { tenant } => {
            // Rung first: a crash in between rings twice, which does no harm.
            let bell = Bell::new(at, None).of_tenant(&tenant);
            deps.doorbell.ring(&bell, 0).await?;
            tracing::warn!(row = ?at, "a dead letter's row needs work; it was rung again");
            all.rung += 1;
        }
        Need::Later | Need::Nothing => all.dropped += 1,
        Need::Unknown => {
            tracing::warn!(row = ?at, "a dead letter names no row of this agent; it was dropped");
            all.unknown += 1;
        }
    }
    letters.delete(&letter.receipt).await
}
