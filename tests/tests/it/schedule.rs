//! Schedules: each occurrence starts at most one run, whatever the number of ticks.

use std::sync::Arc;

use openeve_domain::manifest::{CatchUp, ScheduleSpec};
use openeve_domain::status::RunStatus;
use openeve_runtime::tick::{TickDeps, tick};
use openeve_testkit::clock::FakeClock;
use openeve_tests::{World, WorldOptions};

use crate::support::{echo, options};

async fn scheduled() -> (World, Arc<FakeClock>) {
    let mut options: WorldOptions = options(echo());
    options.manifest.schedules.push(ScheduleSpec {
        name: "morning".into(),
        cron: "0 8 * * *".into(),
        timezone: "UTC".into(),
        message: "Good morning.".into(),
        idempotency_key: "morning".into(),
        channel: None,
        conversation: "morning".into(),
        catch_up: CatchUp::Latest,
        trigger: None,
        source: "schedules/morning.ts".into(),
    });
    let clock = FakeClock::manual("2026-11-30T08:00:20Z".parse().unwrap());
    (World::new(options).await, Arc::new(clock))
}

#[tokio::test]
async fn an_occurrence_fires_once_however_often_and_late_the_tick_comes() {
    let (world, clock) = scheduled().await;
    let deps = TickDeps {
        clock: clock.clone(),
        ..world.tick_deps()
    };
    let ticks = futures_util::future::join_all((0..4).map(|_| tick(&deps))).await;
    let fired: u64 = ticks.into_iter().map(|ticked| ticked.unwrap().fired).sum();
    assert_eq!(fired, 1);
    clock.advance_ms(60_000);
    assert_eq!(tick(&deps).await.unwrap().fired, 0);
    world.settle().await;
    let client = world.database.connect().await;
    let rows = client
        .query("SELECT status, trigger FROM openeve.runs", &[])
        .await
        .unwrap();
    let runs: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(
        runs,
        [(
            RunStatus::Completed.as_str().to_owned(),
            "schedule".to_owned()
        )]
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_fire_is_recorded_with_its_run_and_the_first_pass_registers_the_revision() {
    let (world, clock) = scheduled().await;
    let deps = TickDeps {
        clock,
        registered: Arc::default(),
        ..world.tick_deps()
    };
    tick(&deps).await.unwrap();
    let client = world.database.connect().await;
    let sql = "SELECT s.schedule, s.occurrence_at = '2026-11-30T08:00:00Z', r.trigger \
               FROM openeve.schedule_runs s JOIN openeve.runs r ON r.id = s.run_id";
    let row = client.query_one(sql, &[]).await.unwrap();
    let fired: (String, bool, String) = (row.get(0), row.get(1), row.get(2));
    assert_eq!(fired, ("morning".into(), true, "schedule".into()));
    let sql = "SELECT revision, surface_hash <> revision FROM openeve.agent_revisions";
    let row = client.query_one(sql, &[]).await.unwrap();
    assert_eq!(
        (row.get::<_, String>(0), row.get::<_, bool>(1)),
        ("revision-1".into(), true)
    );
}

#[tokio::test]
async fn two_agents_share_a_database_without_meeting() {
    let (world, _) = scheduled().await;
    world.say("c", "go").await;
    world.bells.take();
    let mut other = openeve_tests::manifest(Vec::new());
    other.agent.id = "another".into();
    let deps = TickDeps {
        manifest: Arc::new(other),
        ..world.tick_deps()
    };
    let client = world.database.connect().await;
    let age = "UPDATE openeve.runs SET updated_at = updated_at - INTERVAL '1 minute'";
    client.batch_execute(age).await.unwrap();
    assert_eq!(
        tick(&deps).await.unwrap().runs_rung,
        0,
        "the other agent's tick rings none of ours"
    );
    assert_eq!(tick(&world.tick_deps()).await.unwrap().runs_rung, 1);
}

#[tokio::test]
async fn the_next_day_fires_again() {
    let (world, clock) = scheduled().await;
    let deps = TickDeps {
        clock: clock.clone(),
        ..world.tick_deps()
    };
    assert_eq!(tick(&deps).await.unwrap().fired, 1);
    clock.advance_ms(24 * 3_600_000);
    assert_eq!(tick(&deps).await.unwrap().fired, 1);
}
