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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use futures_util::FutureExt as _;
    use openeve_domain::bell::Place;
    use openeve_domain::ids::RunId;
    use uuid::Uuid;

    use super::*;

    /// Rows by number: 0 needs work, 1 is worked on, 2 ended, any other is unknown. Letters are
    /// given out once. Bells are remembered, or refused.
    #[derive(Default)]
    struct Fake {
        letters: Mutex<Vec<Letter>>,
        deleted: Mutex<Vec<String>>,
        rung: Mutex<Vec<Bell>>,
        is_deaf: bool,
    }

    fn row(number: u128) -> Bell {
        Bell::run(RunId::new(Uuid::from_u128(number)))
    }

    #[async_trait]
    impl Needs for Fake {
        async fn need(&self, _: &str, at: Place) -> Result<Need, PortError> {
            let Place::Run { run_id } = at else {
                return Ok(Need::Unknown);
            };
            Ok(match run_id.uuid().as_u128() {
                0 => Need::Now {
                    tenant: "acme".to_owned(),
                },
                1 => Need::Later,
                2 => Need::Nothing,
                _ => Need::Unknown,
            })
        }
    }

    #[async_trait]
    impl Doorbell for Fake {
        async fn ring(&self, bell: &Bell, _: u64) -> Result<(), PortError> {
            if self.is_deaf {
                return Err(PortError::retry("queue_unreachable", "nobody hears"));
            }
            self.rung.lock().unwrap().push(bell.clone());
            Ok(())
        }
    }

    #[async_trait]
    impl DeadLetters for Fake {
        async fn receive(&self, max: u64) -> Result<Vec<Letter>, PortError> {
            let mut letters = self.letters.lock().unwrap();
            let some = letters.len().min(usize::try_from(max).unwrap());
            Ok(letters.drain(..some).collect())
        }

        async fn delete(&self, receipt: &str) -> Result<(), PortError> {
            self.deleted.lock().unwrap().push(receipt.to_owned());
            Ok(())
        }
    }

    /// Goes through letters with these bodies; each one's receipt is its number.
    fn gone_through(
        bodies: Vec<String>,
        is_deaf: bool,
    ) -> (Result<Reconciled, PortError>, Arc<Fake>) {
        let letter = |(number, body): (usize, String)| Letter {
            body,
            receipt: number.to_string(),
        };
        let fake = Arc::new(Fake {
            letters: Mutex::new(bodies.into_iter().enumerate().map(letter).collect()),
            is_deaf,
            ..Fake::default()
        });
        let deps = LetterDeps {
            rows: fake.clone(),
            doorbell: fake.clone(),
            agent_id: "tester".to_owned(),
        };
        let done = reconcile(&deps, fake.as_ref()).now_or_never().unwrap();
        (done, fake)
    }

    #[test]
    fn the_row_decides_what_becomes_of_a_letter_and_its_own_words_do_not() {
        let bodies = vec![
            row(0).of_tenant("somebody else").encode(),
            row(1).encode(),
            row(2).encode(),
            row(3).encode(),
            row(0).encode().replace("\"v\":1", "\"v\":2"),
            "{\"k\":\"run.step\"}".to_owned(),
        ];
        let (done, fake) = gone_through(bodies, false);
        let wanted = Reconciled {
            rung: 1,
            dropped: 2,
            unknown: 1,
            left: 2,
        };
        assert_eq!(done, Ok(wanted));
        assert_eq!(*fake.deleted.lock().unwrap(), ["0", "1", "2", "3"]);
        assert_eq!(*fake.rung.lock().unwrap(), [row(0).of_tenant("acme")]);
    }

    #[test]
    fn a_letter_whose_bell_nobody_hears_stays() {
        let (done, fake) = gone_through(vec![row(0).encode()], true);
        assert_eq!(done.unwrap_err().code, "queue_unreachable");
        assert!(fake.deleted.lock().unwrap().is_empty());
    }

    #[test]
    fn a_pass_ends_at_its_bound() {
        let bodies = (0..LETTERS_MAX + 5).map(|_| row(2).encode()).collect();
        let (done, fake) = gone_through(bodies, false);
        assert_eq!(done.unwrap().dropped, LETTERS_MAX);
        assert_eq!(fake.letters.lock().unwrap().len(), 5);
    }
}
