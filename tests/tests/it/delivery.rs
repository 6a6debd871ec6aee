//! Deliveries: leased, sent, settled; deferred, given up, never doubled.

use openeve_domain::bell::Place;
use openeve_domain::delivery::SendOutcome;
use openeve_domain::ids::{DeliveryId, LeaseToken};
use openeve_domain::status::DeliveryStatus;
use openeve_runtime::ports::Store as _;
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
    let lost = LeaseToken::new(uuid::Uuid::new_v4());
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
    for _ in 0..openeve_domain::limits::DELIVERY_ATTEMPTS_MAX {
        let lost = LeaseToken::new(uuid::Uuid::new_v4());
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
