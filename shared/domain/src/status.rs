//! The statuses of protocol section 2, their texts in the database, and which are final.

use serde::{Deserialize, Serialize};

/// A stored status text this build does not know; the row is left alone, never discarded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {kind} that this build knows")]
pub struct UnknownStatus {
    kind: &'static str,
    text: String,
}

impl UnknownStatus {
    pub(crate) fn new(kind: &'static str, text: &str) -> Self {
        Self {
            kind,
            text: text.to_owned(),
        }
    }
}

macro_rules! statuses {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every status, in the order of the protocol.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The text stored in the database and shown to people.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Reads a stored text.
            pub fn parse(text: &str) -> Result<Self, UnknownStatus> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(UnknownStatus { kind: stringify!($name), text: text.to_owned() }),
                }
            }
        }
    };
}

statuses! {
    /// Where a run stands. The last three are terminal and no statement may leave them.
    RunStatus {
        /// Accepted and persisted; no step has claimed it yet.
        Created = "created",
        /// Claimed at least once; a lease tells whether a step works on it now.
        Running = "running",
        /// Parked on an approval.
        WaitingApproval = "waiting_approval",
        /// Parked on a question.
        WaitingInput = "waiting_input",
        /// Parked on a connection's authorization.
        WaitingAuthorization = "waiting_authorization",
        /// Ended with an answer.
        Completed = "completed",
        /// Ended without one; the run names a reason.
        Failed = "failed",
        /// Ended by request.
        Cancelled = "cancelled",
    }
}

impl RunStatus {
    /// Whether the run has ended for good.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether the run waits for a person.
    pub const fn is_waiting(self) -> bool {
        matches!(
            self,
            Self::WaitingApproval | Self::WaitingInput | Self::WaitingAuthorization
        )
    }

    /// Whether a step may claim the run. One that waits is claimed only to be cancelled.
    pub const fn is_claimable(self) -> bool {
        matches!(self, Self::Created | Self::Running)
    }
}

statuses! {
    /// Where a delivery obligation stands. The last three are terminal.
    DeliveryStatus {
        /// Owed; nobody is sending it now.
        Pending = "pending",
        /// Leased by a sender.
        Sending = "sending",
        /// The channel took it, or legitimately has no sender.
        Sent = "sent",
        /// Silence was intended.
        Suppressed = "suppressed",
        /// Given up, with a reason.
        Failed = "failed",
    }
}

impl DeliveryStatus {
    /// Whether the obligation has been discharged or given up.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Sent | Self::Suppressed | Self::Failed)
    }
}

statuses! {
    /// Where one tool call stands.
    ToolCallStatus {
        /// The model asked for it; nothing has begun.
        Requested = "requested",
        /// Waits for a person: for an approval, an answer or an authorization.
        AwaitingApproval = "awaiting_approval",
        /// Its intent is committed; whether it ran is unknown until an outcome is.
        Started = "started",
        /// Ran and returned a result.
        Succeeded = "succeeded",
        /// Ran and returned an error result.
        Failed = "failed",
        /// A crash fell between start and outcome; never run again.
        Interrupted = "interrupted",
        /// Not run because the batch paused before it.
        Skipped = "skipped",
        /// A person said no.
        Rejected = "rejected",
        /// Withdrawn: by a crash before it started, by whoever cancelled the run, or because nobody
        /// answered in time.
        Cancelled = "cancelled",
    }
}

impl ToolCallStatus {
    /// Whether the call has its one outcome.
    pub const fn is_settled(self) -> bool {
        !matches!(
            self,
            Self::Requested | Self::AwaitingApproval | Self::Started
        )
    }
}

/// What running a tool twice would do. Declared by its author as `sideEffects`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SideEffects {
    /// Reads only: simply run again after a crash; its result rides on the next commit.
    None,
    /// Run again after a crash, under the same idempotency key.
    Idempotent,
    /// Never run again once started. The default.
    #[default]
    Unsafe,
}

impl SideEffects {
    /// The text stored in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Idempotent => "idempotent",
            Self::Unsafe => "unsafe",
        }
    }

    /// Reads a stored text.
    pub fn parse(text: &str) -> Result<Self, UnknownStatus> {
        match text {
            "none" => Ok(Self::None),
            "idempotent" => Ok(Self::Idempotent),
            "unsafe" => Ok(Self::Unsafe),
            _ => Err(UnknownStatus {
                kind: "SideEffects",
                text: text.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_reads_back_from_its_text() {
        for status in RunStatus::ALL {
            assert_eq!(RunStatus::parse(status.as_str()), Ok(*status));
        }
        for status in DeliveryStatus::ALL {
            assert_eq!(DeliveryStatus::parse(status.as_str()), Ok(*status));
        }
        for status in ToolCallStatus::ALL {
            assert_eq!(ToolCallStatus::parse(status.as_str()), Ok(*status));
        }
    }

    #[test]
    fn a_terminal_run_is_never_claimable() {
        for status in RunStatus::ALL {
            assert!(
                !(status.is_terminal() && status.is_claimable()),
                "{status:?}"
            );
        }
    }

    #[test]
    fn an_unknown_status_is_named_not_guessed() {
        let error = RunStatus::parse("paused").unwrap_err();
        assert!(error.to_string().contains("\"paused\""));
    }
}
