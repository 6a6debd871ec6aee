//! Every kind of id in one registry. An id is a UUID with a kind; it prints as `run_0192…`.
//!
//! Ids are made by the runtime's `Ids` port, never here, so that a run can be replayed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// A text that is not an id of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {kind} id; it must look like {prefix}_ and 32 hexadecimal digits")]
pub struct IdError {
    kind: &'static str,
    prefix: &'static str,
    text: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// The text before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Wraps a UUID that is known to be of this kind.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The bare UUID, for a database column.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}_{}", $prefix, self.0.simple())
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let refused = || IdError {
                    kind: stringify!($name),
                    prefix: $prefix,
                    text: text.chars().take(64).collect(),
                };
                let (prefix, digits) = text.split_once('_').ok_or_else(refused)?;
                if prefix != $prefix || digits.len() != 32 {
                    return Err(refused());
                }
                Uuid::try_parse(digits).map(Self).map_err(|_| refused())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?
                    .parse()
                    .map_err(serde::de::Error::custom)
            }
        }
    )+};
}

ids! {
    /// The durable execution of one turn.
    RunId, "run";
    /// What a channel maps a chat, thread or issue to.
    ConversationId, "conv";
    /// Our id of one tool call; the provider's own id is kept beside it, verbatim.
    ToolCallId, "call";
    /// One delivery obligation.
    DeliveryId, "dlv";
    /// The owner of a lease; made anew for each claim.
    LeaseToken, "lease";
    /// One commit, so that a lost answer can be read back.
    CommitId, "commit";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_prints_with_its_kind_and_reads_back() {
        let id = RunId::new(Uuid::from_u128(7));
        assert_eq!(id.to_string(), "run_00000000000000000000000000000007");
        assert_eq!(id.to_string().parse::<RunId>(), Ok(id));
    }

    #[test]
    fn an_id_of_another_kind_is_refused_with_the_form_that_was_wanted() {
        let error = "dlv_00000000000000000000000000000007"
            .parse::<RunId>()
            .unwrap_err();
        assert!(error.to_string().contains("must look like run_"), "{error}");
        assert!("run_7".parse::<RunId>().is_err());
        assert!("".parse::<RunId>().is_err());
    }
}
