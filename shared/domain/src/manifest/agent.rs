//! What an agent may change about itself: three blocks of `agent.ts`, each a concern of its own.
//!
//! With all of them off an agent is what its manifest says and no more [A2.11].

use serde::{Deserialize, Serialize};

/// The agent's own skills, which it may write [A2.08].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SelfImprovement {
    /// Whether it may write and delete skills below `/skills`.
    pub writable: bool,
    /// Whether a person must approve each such write.
    pub write_approval: bool,
}

impl Default for SelfImprovement {
    fn default() -> Self {
        Self {
            writable: true,
            write_approval: false,
        }
    }
}

/// Schedules that the agent makes while it runs [A2.09].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DynamicSchedules {
    /// Whether it may make any.
    pub dynamic: bool,
    /// Whether a person must approve each.
    pub approval: bool,
}

/// Connections that the agent adds while it runs [A2.10].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DynamicConnections {
    /// Whether it may add any.
    pub dynamic: bool,
    /// Whether a person must approve each.
    pub approval: bool,
    /// Hosts that they may lead to, in lower case; `*.` before one stands for all below it.
    pub allowed_hosts: Vec<String>,
}

impl Default for DynamicConnections {
    fn default() -> Self {
        Self {
            dynamic: false,
            approval: true,
            allowed_hosts: Vec::new(),
        }
    }
}
