//! A manifest as the compiler would write it.

use std::collections::BTreeMap;

use openeve_domain::manifest::{
    AgentSpec, ChannelSpec, DynamicConnections, DynamicSchedules, Execution, Manifest, ModuleRef,
    Reasoning, SelfImprovement, ToolSpec,
};
use openeve_domain::status::SideEffects;
use serde_json::json;

/// An agent with one HTTP channel at `/message` and these tools.
pub fn manifest(tools: Vec<ToolSpec>) -> Manifest {
    Manifest {
        format: Manifest::FORMAT,
        revision: "revision-1".into(),
        agent: AgentSpec {
            id: "tester".into(),
            model: "scripted/model".into(),
            reasoning: Reasoning::default(),
            description: None,
            default_tools: Vec::new(),
            context: None,
            self_improvement: SelfImprovement::default(),
            dynamic_schedules: DynamicSchedules::default(),
            dynamic_connections: DynamicConnections::default(),
        },
        instructions: "Be brief.".into(),
        gateway: BTreeMap::new(),
        tools,
        capabilities: BTreeMap::new(),
        channels: vec![ChannelSpec {
            name: "message".into(),
            transport: "http".into(),
            route: "/message".into(),
            methods: vec!["POST".into()],
            auth: None,
            reply: None,
            approvers: Vec::new(),
            judged_replies: false,
            source: "channels/message.ts".into(),
        }],
        schedules: Vec::new(),
        skills: Vec::new(),
        parts: Vec::new(),
        subagents: Vec::new(),
        env: Vec::new(),
        sources: BTreeMap::new(),
        versions: BTreeMap::new(),
        validation: Vec::new(),
    }
}

/// A tool of one class.
pub fn tool(name: &str, side_effects: SideEffects, execution: Execution) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("The tool {name}."),
        input_schema: json!({"type": "object"}),
        side_effects,
        execution,
        timeout_ms: None,
        approval: None,
        module: ModuleRef {
            path: String::new(),
            sha256: String::new(),
        },
        source: format!("tools/{name}.ts"),
    }
}
