//! A model request failed: try again, wait, or end the run with a message that tells what to do.

use serde_json::json;

use super::{RunState, failed};
use crate::commit::{Commit, Lease};
use crate::event::{self, Event};
use crate::ids::CommitId;
use crate::limits::{INLINE_WAIT_MS_MAX, MODEL_ATTEMPTS_MAX};
use crate::retry::{Class, backoff_ms};

/// A failed model request. The message names place and remedy and holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFailure {
    /// A stable code, such as `model_auth` or `model_overloaded`.
    pub code: String,
    /// What happened and what to do.
    pub message: String,
    /// How to treat it.
    pub class: Class,
}

/// What to do about it.
#[derive(Debug, Clone, PartialEq)]
pub enum Reaction {
    /// Wait this long, then ask again; nothing is written.
    AskAgain {
        /// At most [`INLINE_WAIT_MS_MAX`].
        wait_ms: u64,
    },
    /// Commit this and stop: the run is parked, or it failed.
    Commit(Box<Commit>),
}

/// Decides. `jitter` is in `0.0..1.0`; `failures` counts this one.
pub fn model_failed(
    state: &RunState,
    failure: ModelFailure,
    failures: u32,
    jitter: f64,
    commit_id: CommitId,
) -> Reaction {
    let after_ms = match failure.class {
        Class::Retry { after_ms } if u64::from(failures) < MODEL_ATTEMPTS_MAX => after_ms,
        Class::Retry { .. } => {
            let message = format!("{} (tried {failures} times)", failure.message);
            return Reaction::Commit(Box::new(failed(state, commit_id, &failure.code, message)));
        }
        Class::Refused | Class::Corrupt => {
            return Reaction::Commit(Box::new(failed(
                state,
                commit_id,
                &failure.code,
                failure.message,
            )));
        }
    };
    let wait_ms = backoff_ms(u64::from(failures), jitter, after_ms);
    if wait_ms <= INLINE_WAIT_MS_MAX {
        return Reaction::AskAgain { wait_ms };
    }
    let mut commit = state.commit(commit_id);
    commit.lease = Lease::Release {
        not_before_ms: wait_ms,
    };
    commit.model_failures = failures;
    commit.events.push(Event::new(
        event::RUN_PARKED,
        json!({"wait_ms": wait_ms, "code": failure.code, "message": failure.message}),
    ));
    Reaction::Commit(Box::new(commit))
}
