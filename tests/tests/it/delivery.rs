//! Deliveries: leased, sent, settled; deferred, given up, never doubled.

use openeve_domain::bell::Place;
use openeve_domain::delivery::SendOutcome;
use openeve_domain::ids::{DeliveryId, LeaseToken};
use openeve_domain::status::DeliveryStatus;
use openeve_runtime::ports::{SendPlan, Store as _};
use openeve_tests::{World, WorldOptions};

use crate::support::{echo, options, world};

async fn owed(world: &World) -> (openeve_domain::ids::RunId, DeliveryId) {
    let run = world.say("c", "go").await;
    world.bells.take();
    world.step(run).await.unwrap();
    match world.bells.take()[..] {
        [(Place::Delivery { delivery_id }, 0)] => (run, delivery_id),
        ref other => panic!("one delivery is owed, not {other:?}"),
    }
}

fn retry() -> SendOutcome {
    SendOutcome::Retry {
        after_ms: Some(90_000),
        error: "HTTP 503".into(),
    }
}

#[tokio::test]
async fn two_bells_for_one_delivery_send_once() {
    let world = world(echo()).await;
    let (run, id) = owed(&world).await;
    tokio::join!(world.deliver(id), world.deliver(id));
    world.deliver(id).await;
    assert_eq!(world.sender.attempts().len(), 1);
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Sent));
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_passing_failure_defers_with_the_receivers_wait_and_rings_later() {
    let world = world(echo()).await;
    let (run, id) = owed(&world).await;
    world.sender.will(vec![retry()]);
    world.deliver(id).await;
    assert_eq!(
        world.bells.take(),
        [(Place::Delivery { delivery_id: id }, 90_000)]
    );
    world.deliver(id).await;
    assert_eq!(world.sender.attempts().len(), 1, "not due yet");
    let client = world.database.connect().await;
    let due =
        "UPDATE openeve.deliveries SET next_attempt_at = clock_timestamp() - INTERVAL '1 minute'";
    client.batch_execute(due).await.unwrap();
    let ticked = openeve_runtime::tick::tick(&world.tick_deps())
        .await
        .unwrap();
    assert_eq!(ticked.deliveries_rung, 1, "the tick finds it too");
    world.settle().await;
    let attempts = world.sender.attempts();
    assert_eq!(
        (attempts.len(), attempts[1].id),
        (2, attempts[0].id),
        "the same dedupe key"
    );
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Sent));
    assert!(
        world
            .kinds(run)
            .await
            .contains(&"delivery.deferred".to_owned())
    );
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_refused_reply_is_given_up_and_the_run_stays_completed() {
    let world = world(echo()).await;
    let (run, id) = owed(&world).await;
    world.sender.will(vec![SendOutcome::Refused {
        error: "HTTP 404".into(),
    }]);
    world.deliver(id).await;
    let view = world.view(run).await;
    assert_eq!(view.delivery, Some(DeliveryStatus::Failed));
    assert!(view.failure.is_none());
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_sender_that_vanished_is_replaced_once_its_lease_ran_out() {
    let world = world(echo()).await;
    let (run, id) = owed(&world).await;
    let lost = LeaseToken::new(uuid::Uuid::from_u128(901));
    let leased = world
        .store
        .lease_delivery(id, lost, 60_000)
        .await
        .unwrap()
        .expect("it is due");
    world.deliver(id).await;
    assert!(world.sender.attempts().is_empty(), "somebody else holds it");
    world.expire_leases().await;
    world.deliver(id).await;
    assert_eq!(
        world.sender.attempts()[0].attempts,
        1,
        "the lost attempt counts"
    );
    let sent_late = SendOutcome::Sent {
        via: "late".into(),
        provider_id: None,
    };
    let late = openeve_domain::delivery::settle(&leased, sent_late, 1, 8, 0.0);
    assert!(
        !world.store.settle_delivery(&late).await.unwrap(),
        "a stale token settles nothing"
    );
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Sent));
    world.assert_invariants().await;
}

#[tokio::test]
async fn an_inline_reply_is_created_leased_and_settles_in_place() {
    let world = World::new(WorldOptions {
        inline: true,
        ..options(echo())
    })
    .await;
    let run = world.say("c", "go").await;
    world.bells.take();
    world.step(run).await.unwrap();
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Sent));
    assert!(
        world.bells.take().is_empty(),
        "nobody else needs to be rung"
    );
    assert_eq!(world.sender.attempts().len(), 1);
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_reply_whose_sender_vanishes_every_time_is_given_up() {
    let world = world(echo()).await;
    let (run, id) = owed(&world).await;
    for sender in 0..openeve_domain::limits::DELIVERY_ATTEMPTS_MAX {
        let lost = LeaseToken::new(uuid::Uuid::from_u128(4711 + u128::from(sender)));
        world
            .store
            .lease_delivery(id, lost, 60_000)
            .await
            .unwrap()
            .expect("it is due");
        world.expire_leases().await;
    }
    world.deliver(id).await;
    assert!(
        world.sender.attempts().is_empty(),
        "it is not sent once more"
    );
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Failed));
    world.assert_invariants().await;
}

/// Makes every deferred delivery due now.
async fn due_now(world: &World) {
    let client = world.database.connect().await;
    let due = "UPDATE openeve.deliveries SET next_attempt_at = clock_timestamp() - INTERVAL '1 minute' \
               WHERE next_attempt_at IS NOT NULL";
    client.batch_execute(due).await.unwrap();
}

fn sent(name: &str) -> SendOutcome {
    SendOutcome::Sent {
        via: "script".into(),
        provider_id: Some(name.into()),
    }
}

async fn row(world: &World, id: DeliveryId) -> (String, Option<String>, i32, serde_json::Value) {
    let client = world.database.connect().await;
    let sql =
        "SELECT status, reason, parts_sent, provider_ids FROM openeve.deliveries WHERE id = $1";
    let row = client.query_one(sql, &[&id.uuid()]).await.unwrap();
    (row.get(0), row.get(1), row.get(2), row.get(3))
}

#[tokio::test]
async fn a_retry_goes_on_behind_the_last_part_that_was_sent() {
    let world = world(echo()).await;
    world.sender.plans(SendPlan {
        parts: 3,
        dedupes: true,
    });
    let (run, id) = owed(&world).await;
    world.sender.will(vec![sent("p0"), sent("p1"), retry()]);
    world.deliver(id).await;
    due_now(&world).await;
    world.sender.will(vec![sent("p2")]);
    world.deliver(id).await;
    assert_eq!(
        world.sender.parts(),
        [0, 1, 2, 2],
        "no part twice, none before its turn"
    );
    let names = serde_json::json!(["p0", "p1", "p2"]);
    assert_eq!(row(&world, id).await, ("sent".into(), None, 3, names));
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Sent));
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_send_whose_outcome_is_unknown_is_given_up_where_no_repetition_is_recognised() {
    let world = world(echo()).await;
    let (_, id) = owed(&world).await;
    let error = "the connection broke".to_owned();
    world.sender.will(vec![SendOutcome::Ambiguous { error }]);
    world.deliver(id).await;
    let (status, reason, ..) = row(&world, id).await;
    assert_eq!(
        (status.as_str(), reason.as_deref()),
        ("failed", Some("ambiguous"))
    );
}

#[tokio::test]
async fn an_operator_may_prefer_a_double_post_to_a_lost_one() {
    let mut world = world(echo()).await;
    world.settings.delivery_ambiguous_retry = true;
    let (_, id) = owed(&world).await;
    let error = "the connection broke".to_owned();
    world.sender.will(vec![SendOutcome::Ambiguous { error }]);
    world.deliver(id).await;
    due_now(&world).await;
    world.deliver(id).await;
    assert_eq!(row(&world, id).await.0, "sent");
    assert_eq!(world.sender.attempts().len(), 2);
}

#[tokio::test]
async fn a_sender_that_vanished_is_ambiguous_where_no_repetition_is_recognised() {
    for (dedupes, status) in [(true, "sent"), (false, "failed")] {
        let world = world(echo()).await;
        world.sender.plans(SendPlan { parts: 1, dedupes });
        let (_, id) = owed(&world).await;
        let token = LeaseToken::new(uuid::Uuid::from_u128(77));
        world.store.lease_delivery(id, token, 60_000).await.unwrap();
        world.expire_leases().await;
        world.deliver(id).await;
        assert_eq!(row(&world, id).await.0, status, "dedupes: {dedupes}");
    }
}

#[tokio::test]
async fn the_sentinel_is_silence_where_the_channel_judges_and_text_elsewhere() {
    for judged in [true, false] {
        let mut options = options(openeve_tests::ScriptedEngine::new(|_, _| {
            openeve_tests::answer("NO_REPLY")
        }));
        options.manifest.channels[0].judged_replies = judged;
        let world = World::new(options).await;
        let (run, id) = owed(&world).await;
        world.deliver(id).await;
        let (status, reason, ..) = row(&world, id).await;
        let wanted = if judged {
            ("suppressed", Some("sentinel"))
        } else {
            ("sent", None)
        };
        assert_eq!((status.as_str(), reason.as_deref()), wanted);
        assert_eq!(world.sender.attempts().len(), usize::from(!judged));
        assert!(world.view(run).await.delivery.unwrap().is_terminal());
    }
}
