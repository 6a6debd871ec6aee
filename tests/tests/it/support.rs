//! Worlds that several tests begin with.

use openeve_domain::manifest::Execution;
use openeve_domain::status::SideEffects;
use openeve_testkit::patience::eventually;
use openeve_tests::{
    ClosureTools, ScriptedEngine, World, WorldOptions, answer, calls, manifest, tool,
};
use serde_json::json;

/// An agent with a tool of each kind: `look` (none), `keyed` (idempotent), `act` (unsafe), `alone`
/// (unsafe, sequential). Every tool answers at once.
pub(crate) fn options(engine: ScriptedEngine) -> WorldOptions {
    WorldOptions {
        manifest: manifest(vec![
            tool("look", SideEffects::None, Execution::Parallel),
            tool("keyed", SideEffects::Idempotent, Execution::Parallel),
            tool("act", SideEffects::Unsafe, Execution::Parallel),
            tool("alone", SideEffects::Unsafe, Execution::Sequential),
        ]),
        engine,
        tools: ClosureTools::new(|name, input| Ok(json!({"tool": name, "input": input}))),
        inline: false,
    }
}

/// A world whose engine follows a script.
pub(crate) async fn world(engine: ScriptedEngine) -> World {
    World::new(options(engine)).await
}

/// An engine that asks for one tool `times` times in a row, then answers.
pub(crate) fn tool_turns(name: &'static str, times: u64) -> ScriptedEngine {
    ScriptedEngine::new(move |done, _| {
        if done < times {
            calls(done, &[name])
        } else {
            answer("done")
        }
    })
}

/// An engine that answers at once with what was said last.
pub(crate) fn echo() -> ScriptedEngine {
    ScriptedEngine::new(|_, messages| match messages.last() {
        Some(openeve_domain::transcript::Message::User { text }) => {
            answer(&format!("echo: {text}"))
        }
        _ => answer("nothing was said"),
    })
}

/// Waits until so many sessions of the world's database wait for a lock.
pub(crate) async fn waiting_for_locks(world: &World, sessions: i64) {
    let client = world.database.connect().await;
    let sql = "SELECT count(*) FROM pg_stat_activity \
               WHERE datname = current_database() AND wait_event_type = 'Lock'";
    eventually("the sessions to wait for a lock", async || {
        let waiting: i64 = client.query_one(sql, &[]).await.unwrap().get(0);
        (waiting >= sessions).then_some(())
    })
    .await;
}
