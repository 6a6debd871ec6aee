//! The continuation's envelope: who wrote it, for which revision, in which version.
//!
//! The body is the engine's own and opaque to everyone else [C.04]. A continuation of another
//! engine or a later version is refused, never misread.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A stored continuation. Positions and engine state only; the transcript is rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Continuation {
    /// Version of this envelope; 1.
    pub v: u32,
    /// The engine that wrote the body.
    pub engine: String,
    /// The engine's version of the body.
    pub engine_version: u32,
    /// The iteration after which it was written; grows by one.
    pub seq: u32,
    /// The agent revision the run is pinned to.
    pub agent_revision: String,
    /// Hash of what the engine could reach then: tool names, schemas and side-effect classes. A
    /// revision of the same surface reads it as its own. Empty: not recorded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub surface: String,
    /// The engine's state.
    pub body: Value,
}

/// Why a continuation cannot be resumed by an engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContinuationError {
    /// Written by another engine.
    #[error("the continuation was written by engine {written}, this is {reading}")]
    Engine {
        /// Who wrote it.
        written: String,
        /// Who would read it.
        reading: String,
    },
    /// Written by a later version.
    #[error("the continuation has version {written}, this build reads up to {reading}")]
    Version {
        /// What was written.
        written: u32,
        /// What can be read.
        reading: u32,
    },
}

impl Continuation {
    /// The envelope version this build writes and reads.
    pub const VERSION: u32 = 1;

    /// The body, if this engine may read it.
    pub fn body_for(&self, engine: &str, engine_version: u32) -> Result<&Value, ContinuationError> {
        if self.v > Self::VERSION {
            return Err(ContinuationError::Version {
                written: self.v,
                reading: Self::VERSION,
            });
        }
        if self.engine != engine {
            return Err(ContinuationError::Engine {
                written: self.engine.clone(),
                reading: engine.to_owned(),
            });
        }
        if self.engine_version > engine_version {
            return Err(ContinuationError::Version {
                written: self.engine_version,
                reading: engine_version,
            });
        }
        Ok(&self.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Golden: the bytes of version 1 stay readable for ever.
    const GOLDEN_V1: &str = r#"{"v":1,"engine":"openeve","engine_version":1,"seq":3,"agent_revision":"abc","body":{"iteration":3}}"#;

    #[test]
    fn a_released_continuation_stays_readable() {
        let read: Continuation = serde_json::from_str(GOLDEN_V1).unwrap();
        assert_eq!(
            read.body_for("openeve", 1).unwrap(),
            &serde_json::json!({"iteration": 3})
        );
        assert_eq!(serde_json::to_string(&read).unwrap(), GOLDEN_V1);
    }

    #[test]
    fn a_continuation_of_another_engine_or_a_later_version_is_refused() {
        let read: Continuation = serde_json::from_str(GOLDEN_V1).unwrap();
        assert!(matches!(
            read.body_for("scripted", 1),
            Err(ContinuationError::Engine { .. })
        ));
        let later = Continuation {
            engine_version: 2,
            ..read.clone()
        };
        assert!(matches!(
            later.body_for("openeve", 1),
            Err(ContinuationError::Version { .. })
        ));
        let envelope = Continuation { v: 2, ..read };
        assert!(matches!(
            envelope.body_for("openeve", 9),
            Err(ContinuationError::Version { .. })
        ));
    }
}
