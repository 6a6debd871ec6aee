//! What a call of a tool costs beside what the tool does: an engine, the prelude and its module.
//!
//! `engine ARTIFACT` runs every tool of a built folder with `{}` as its input, the first time and then
//! again and again, in this process. A tool that fails is measured as well: it was loaded.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark prints and fails loudly"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use openeve_benches::{machine, median, wall};
use openeve_domain::ids::{ConversationId, RunId, ToolCallId};
use openeve_domain::manifest::{Manifest, ToolSpec};
use openeve_http::Http;
use openeve_runtime::ports::{Invocation, ToolRunner as _};
use openeve_script::ScriptTools;
use serde_json::json;

/// Calls for the median.
const CALLS: usize = 51;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let root = PathBuf::from(std::env::args().nth(1).expect("engine ARTIFACT"));
    let json = std::fs::read(root.join("manifest.json")).unwrap();
    let manifest: Manifest = serde_json::from_slice(&json).unwrap();
    println!("{}\n", machine());
    println!("| tool | module KB | first call ms | later calls: median ms |");
    println!("|---|--:|--:|--:|");
    for tool in &manifest.tools {
        let http = Arc::new(Http::new().unwrap());
        let tools = ScriptTools::new(root.clone(), http, BTreeMap::new());
        let first = call(&tools, tool).await;
        let mut later = Vec::with_capacity(CALLS);
        for _ in 0..CALLS {
            later.push(call(&tools, tool).await);
        }
        let bytes = std::fs::metadata(root.join(&tool.module.path))
            .unwrap()
            .len();
        println!(
            "| {} | {} | {:.2} | {:.2} |",
            tool.name,
            bytes / 1000,
            first.as_secs_f64() * 1e3,
            median(&later).as_secs_f64() * 1e3,
        );
    }
}

async fn call(tools: &ScriptTools, tool: &ToolSpec) -> Duration {
    let begun = wall();
    let outcome = tools
        .run(Invocation {
            run_id: RunId::new(uuid::Uuid::from_u128(1)),
            conversation_id: ConversationId::new(uuid::Uuid::from_u128(2)),
            call_id: ToolCallId::new(uuid::Uuid::from_u128(3)),
            tool,
            input: json!({}),
            timeout_ms: 60_000,
            answers: Vec::new(),
        })
        .await;
    drop(outcome);
    wall().saturating_sub(begun)
}
