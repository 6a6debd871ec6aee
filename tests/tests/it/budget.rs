//! Budgets of the protocol, counted on the wire: round trips, statements, commits.

use openeve_cluster::{Binaries, Cluster, FindOptions, Settings};
use openeve_domain::bell::Place;
use openeve_testkit::database::TestServer;
use openeve_testkit::wire::Counts;
use openeve_tests::{World, wal_position};

use crate::support::{echo, options, tool_turns, world};

/// The counts of one phase.
async fn counted<T>(world: &World, phase: impl Future<Output = T>) -> (T, Counts) {
    world.proxy.reset();
    let value = phase.await;
    (value, world.proxy.counts())
}

/// A whole turn: ingress, one step, one delivery.
async fn turn(world: &World) -> (Counts, Counts, Counts) {
    let (run, ingress) = counted(world, world.say("c", "go")).await;
    world.bells.take();
    let (_, step) = counted(world, world.step(run)).await;
    let delivery = match world.bells.take().as_slice() {
        [(Place::Delivery { delivery_id }, _)] => *delivery_id,
        other => panic!("one delivery is owed, not {other:?}"),
    };
    let ((), sent) = counted(world, world.deliver(delivery)).await;
    (ingress, step, sent)
}

#[tokio::test]
async fn a_turn_without_tools_costs_five_round_trips() {
    let world = world(echo()).await;
    turn(&world).await;
    let (ingress, step, delivery) = turn(&world).await;
    assert_eq!(
        (ingress.round_trips, ingress.transactions),
        (1, 1),
        "ingress"
    );
    assert_eq!(
        (step.round_trips, step.transactions),
        (2, 2),
        "claim and finish"
    );
    assert_eq!(
        (delivery.round_trips, delivery.transactions),
        (2, 2),
        "lease and settle"
    );
    assert_eq!(
        ingress.named_statements + step.named_statements + delivery.named_statements,
        0
    );
}

#[tokio::test]
async fn ten_unsafe_tools_in_a_row_cost_at_most_26_round_trips_and_commits() {
    let world = world(tool_turns("act", 10)).await;
    turn(&world).await;
    let (ingress, step, delivery) = turn(&world).await;
    let round_trips = ingress.round_trips + step.round_trips + delivery.round_trips;
    let commits = ingress.transactions + step.transactions + delivery.transactions;
    assert_eq!((round_trips, commits), (25, 25));
}

#[tokio::test]
async fn ten_tools_without_side_effects_cost_at_most_16() {
    let world = world(tool_turns("look", 10)).await;
    turn(&world).await;
    let (ingress, step, delivery) = turn(&world).await;
    let round_trips = ingress.round_trips + step.round_trips + delivery.round_trips;
    let commits = ingress.transactions + step.transactions + delivery.transactions;
    assert_eq!((round_trips, commits), (15, 15));
}

#[tokio::test]
async fn an_idle_system_makes_no_traffic_but_the_ticks_one_query() {
    let world = world(echo()).await;
    world.say("c", "go").await;
    world.settle().await;
    let ((), idle) = counted(&world, tokio::task::yield_now()).await;
    assert_eq!(idle, Counts::default());
    let (ticked, tick) = counted(&world, openeve_runtime::tick::tick(&world.tick_deps())).await;
    assert_eq!(ticked.unwrap(), openeve_runtime::tick::Ticked::default());
    assert_eq!((tick.round_trips, tick.statements), (1, 1));
}

#[tokio::test]
async fn wal_of_a_turn_is_the_same_at_turn_1_and_at_turn_500() {
    // A server of its own: the log is the whole server's, and other tests write to theirs.
    let dir = tempfile::tempdir().unwrap();
    let find = FindOptions {
        path: std::env::var_os("PATH").unwrap_or_default(),
        ..FindOptions::default()
    };
    let binaries = Binaries::find(&find, &mut |_| {}).unwrap();
    let cluster = Cluster::start(dir.path(), &binaries, &Settings::test(), &mut |_| {}).unwrap();
    let server = TestServer::at(cluster.url("postgres"));
    let world = World::on(server, options(tool_turns("act", 2))).await;
    let client = world.database.connect().await;
    let mut sizes = Vec::new();
    for number in 0..500 {
        let sampled = !(30..470).contains(&number);
        let before = if sampled {
            wal_position(&client).await
        } else {
            0
        };
        turn(&world).await;
        if sampled {
            sizes.push(wal_position(&client).await - before);
        }
    }
    // Medians: a checkpoint or a vacuum of the shared server falls into some turn or other.
    let median = |sizes: &[u64]| {
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable();
        sizes[sizes.len() / 2]
    };
    let (first, last) = (median(&sizes[..30]), median(&sizes[30..]));
    let allowed = first / 10;
    assert!(
        first.abs_diff(last) <= allowed,
        "WAL per turn went from {first} to {last} bytes"
    );
}
