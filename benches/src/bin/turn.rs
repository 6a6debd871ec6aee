//! What a turn costs: round trips, statements, commits, WAL, processor and wall time.
//!
//! Thinking and tools are scripts without delay, so that what is measured is ours. Counts come
//! from a proxy on the wire; times from runs without it, with Postgres in this machine.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    reason = "a benchmark prints and fails loudly"
)]

use std::sync::Arc;

use openeve_benches::{cpu, machine, median, wall};
use openeve_cluster::{Binaries, Cluster, Durability, FindOptions, Settings};
use openeve_domain::manifest::Execution;
use openeve_domain::secret::Secret;
use openeve_domain::status::SideEffects;
use openeve_postgres::{PgStore, Pool};
use openeve_testkit::database::TestServer;
use openeve_tests::{
    ClosureTools, ScriptedEngine, World, WorldOptions, answer, calls, manifest, tool, wal_position,
};
use serde_json::json;

/// Turns measured for each row, after as many for warming up.
const TURNS: usize = 60;
/// Turns of the long conversation.
const LONG: usize = 500;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let find = FindOptions {
        path: std::env::var_os("PATH").unwrap_or_default(),
        ..FindOptions::default()
    };
    let binaries = Binaries::find(&find, &mut |line| println!("{line}")).unwrap();
    println!(
        "{}; Postgres {} on a socket of this machine",
        machine(),
        binaries.major()
    );
    println!("a turn = accepted, claimed, iterated, finished, delivered; medians of {TURNS}\n");
    println!(
        "| fsync | tools | class | round trips | statements | commits | WAL bytes | client CPU ms | wall ms |"
    );
    println!("|---|--:|---|--:|--:|--:|--:|--:|--:|");
    for durability in [Durability::Fast, Durability::Durable] {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            durability,
            ..Settings::test()
        };
        let cluster = Cluster::start(folder.path(), &binaries, &settings, &mut |_| {}).unwrap();
        let server = TestServer::at(cluster.url("postgres"));
        for (tools, class) in [
            (0, SideEffects::None),
            (1, SideEffects::None),
            (1, SideEffects::Unsafe),
            (10, SideEffects::None),
            (10, SideEffects::Unsafe),
        ] {
            row(&server, durability, tools, class).await;
        }
        if durability == Durability::Fast {
            long(&server).await;
        }
        cluster.stop();
    }
}

async fn world(server: &TestServer, tools: u64, class: SideEffects) -> World {
    let engine = ScriptedEngine::new(move |done, _| {
        if done < tools {
            calls(done, &["work"])
        } else {
            answer("done")
        }
    });
    let options = WorldOptions {
        manifest: manifest(vec![tool("work", class, Execution::Parallel)]),
        engine,
        tools: ClosureTools::new(|_, input| {
            Ok(json!({"result": "x".repeat(1_000), "input": input}))
        }),
        inline: false,
    };
    World::on(server.clone(), options).await
}

async fn turn(world: &World, conversation: &str) {
    world.say(conversation, "go").await;
    world.settle().await;
}

async fn row(server: &TestServer, durability: Durability, tools: u64, class: SideEffects) {
    let mut world = world(server, tools, class).await;
    turn(&world, "counted").await;
    world.proxy.reset();
    turn(&world, "counted").await;
    let counts = world.proxy.counts();
    world.store = Arc::new(PgStore::new(
        Pool::new(&Secret::new(world.database.url()), 4, None).unwrap(),
    ));
    let client = world.database.connect().await;
    let (mut wal, mut cpus, mut walls) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..2 * TURNS {
        let conversation = format!("timed-{number}");
        let before = (wal_position(&client).await, cpu(), wall());
        turn(&world, &conversation).await;
        let (cpu_ms, wall_ms) = (
            cpu().checked_sub(before.1).unwrap().as_secs_f64() * 1e3,
            wall().checked_sub(before.2).unwrap().as_secs_f64() * 1e3,
        );
        if number >= TURNS {
            wal.push(wal_position(&client).await - before.0);
            cpus.push(cpu_ms);
            walls.push(wall_ms);
        }
    }
    let fsync = if durability == Durability::Fast {
        "off"
    } else {
        "on"
    };
    println!(
        "| {fsync} | {tools} | {} | {} | {} | {} | {} | {:.2} | {:.2} |",
        if tools == 0 { "–" } else { class.as_str() },
        counts.round_trips,
        counts.statements,
        counts.transactions,
        median(&wal),
        median(&cpus),
        median(&walls)
    );
}

async fn long(server: &TestServer) {
    let mut world = world(server, 2, SideEffects::Unsafe).await;
    world.store = Arc::new(PgStore::new(
        Pool::new(&Secret::new(world.database.url()), 4, None).unwrap(),
    ));
    let client = world.database.connect().await;
    let (mut wal, mut walls) = (Vec::new(), Vec::new());
    for _ in 0..LONG {
        let before = (wal_position(&client).await, wall());
        turn(&world, "one conversation").await;
        walls.push(wall().checked_sub(before.1).unwrap().as_secs_f64() * 1e3);
        wal.push(wal_position(&client).await - before.0);
    }
    let part = |from: usize, to: usize| (median(&wal[from..to]), median(&walls[from..to]));
    let ((first_wal, first_ms), (last_wal, last_ms)) = (part(0, 50), part(LONG - 50, LONG));
    println!(
        "| off | 2, {LONG} turns of one conversation | unsafe | | | | {first_wal} at first, {last_wal} at last ({:.2}×) | | {first_ms:.2} at first, {last_ms:.2} at last |",
        last_wal as f64 / first_wal as f64
    );
}
