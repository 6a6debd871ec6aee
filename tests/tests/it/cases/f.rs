//! F: schedules that are restarted, missed, deferred, or ticked by a wrong clock.

use std::sync::Arc;

use openeve_runtime::tick::tick;
use openeve_testkit::clock::FakeClock;

use super::support::{count, scheduled, texts, ticking};

const RUNS: &str = "SELECT count(*) FROM openeve.runs";

/// Public case F1 (cloudflare/agents #1153).
#[tokio::test]
async fn f1_ten_restarts_leave_one_schedule_that_fires_once() {
    let (world, clock) = scheduled("0 8 * * *", "2026-11-30T08:00:20Z").await;
    let mut fired = 0;
    for _ in 0..10 {
        fired += tick(&ticking(&world, &clock)).await.unwrap().fired;
    }
    assert_eq!(fired, 1);
    assert_eq!(count(&world, RUNS).await, 1);
    let rows = "SELECT (SELECT count(*) FROM openeve.agent_revisions) \
                + (SELECT count(*) FROM openeve.schedule_runs)";
    assert_eq!(count(&world, rows).await, 2, "one revision, one fire");
    assert_eq!(
        count(&world, "SELECT count(*) FROM openeve.schedules").await,
        0
    );
}

/// Public case F2 (cloudflare/agents #1119).
#[tokio::test]
async fn f2_a_restart_between_two_fires_arms_the_second_too() {
    let (world, clock) = scheduled("0 8 * * *", "2026-11-30T08:00:20Z").await;
    for day in 1..=3 {
        // A new process each time, twice: it keeps nothing that could be armed or not.
        assert_eq!(tick(&ticking(&world, &clock)).await.unwrap().fired, 1);
        assert_eq!(tick(&ticking(&world, &clock)).await.unwrap().fired, 0);
        assert_eq!(count(&world, RUNS).await, day);
        clock.advance_ms(24 * 3_600_000);
    }
}

/// Public case F4 (hermes-agent #52542, FoundatioFx/Foundatio #317).
#[tokio::test]
async fn f4_six_hours_of_outage_of_a_five_minute_schedule_are_one_fire() {
    let (world, clock) = scheduled("*/5 * * * *", "2026-11-30T06:00:20Z").await;
    assert_eq!(tick(&ticking(&world, &clock)).await.unwrap().fired, 1);
    clock.advance_ms(6 * 3_600_000);
    assert_eq!(tick(&ticking(&world, &clock)).await.unwrap().fired, 1);
    assert_eq!(tick(&ticking(&world, &clock)).await.unwrap().fired, 0);
    let newest = "SELECT max(occurrence_at) = '2026-11-30T12:00:00Z' FROM openeve.schedule_runs";
    let client = world.database.connect().await;
    let row = client.query_one(newest, &[]).await.unwrap();
    assert!(row.get::<_, bool>(0), "the latest of them");
    assert_eq!(count(&world, RUNS).await, 2);
}

/// Public case F5 (vikasprogrammer/agentric PR #245).
#[tokio::test]
async fn f5_an_occurrence_that_could_not_fire_in_its_minute_fires_in_the_next() {
    let (world, clock) = scheduled("0 9 * * *", "2026-11-30T09:00:20Z").await;
    world.proxy.refuse(true);
    world.proxy.cut();
    assert!(tick(&ticking(&world, &clock)).await.is_err());
    world.proxy.refuse(false);
    clock.advance_ms(60_000);
    assert_eq!(tick(&ticking(&world, &clock)).await.unwrap().fired, 1);
    let owed =
        "SELECT to_char(occurrence_at AT TIME ZONE 'UTC', 'HH24:MI') FROM openeve.schedule_runs";
    assert_eq!(texts(&world, owed).await, ["09:00"]);
}

/// Public case F8 (kelektiv/node-cron #180).
#[tokio::test]
async fn f8_a_clock_that_goes_back_eight_seconds_fires_no_second_time() {
    let (world, ahead) = scheduled("0 8 * * *", "2026-11-30T08:00:02Z").await;
    let behind = Arc::new(FakeClock::manual("2026-11-30T07:59:54Z".parse().unwrap()));
    assert_eq!(tick(&ticking(&world, &ahead)).await.unwrap().fired, 1);
    assert_eq!(tick(&ticking(&world, &behind)).await.unwrap().fired, 0);
    behind.advance_ms(8_000);
    assert_eq!(tick(&ticking(&world, &behind)).await.unwrap().fired, 0);
    assert_eq!(count(&world, RUNS).await, 1);
}
