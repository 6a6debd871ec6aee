//! A run of many steps is a chain of one function feeding itself, which Lambda cuts unless told not to.

use openeve_domain::status::{DeliveryStatus, RunStatus};
use openeve_testkit::lambda::{CHAIN_INVOCATIONS_MAX, RecursiveLoop};
use openeve_testkit::patience::eventually;
use openeve_testkit::scripted_model::{Reply, ScriptedModel, tool_results};
use openeve_tests::deployment::{Deployment, Options, one_iteration_a_step};
use serde_json::json;

/// How often the model asks for a tool before it answers.
const HOPS: usize = 40;

/// A deployment whose steps do one iteration each, and a model that needs many.
async fn forty_hops() -> Options {
    let model = ScriptedModel::start(|request| match tool_results(request) {
        HOPS => Reply::text("Now I know."),
        asked => Reply::call(
            &format!("call_{asked}"),
            "opening_hours",
            &json!({"place": "sauna"}),
        ),
    })
    .await;
    Options {
        step_variables: vec![one_iteration_a_step()],
        model,
        ..Options::plain().await
    }
}

#[tokio::test]
async fn a_run_of_forty_hops_completes_where_recursion_is_allowed() {
    let world = Deployment::start(forty_hops().await).await;
    let run = world.say("guest-7", "Sauna?", "evt-1").await;
    eventually("the reply is settled, or the chain is cut", async || {
        let view = world.view(run).await;
        let is_cut = world.step_poller.stats().stopped_as_loop > 0;
        assert!(!is_cut, "cut after {} steps: RecursiveLoop", view.steps);
        (view.delivery == Some(DeliveryStatus::Sent)).then_some(())
    })
    .await;
    let view = world.view(run).await;
    assert_eq!(view.status, RunStatus::Completed);
    assert!(
        view.steps > u64::try_from(HOPS).unwrap(),
        "{} steps are no chain of {HOPS} hops",
        view.steps
    );
    let reply = &world.receiver.received(1).await[0];
    assert_eq!(reply.json()["data"]["text"], "Now I know.");
    assert_eq!(world.sqs.depth(&world.step_dead).await.visible, 0);
}

#[tokio::test]
async fn the_same_run_is_cut_after_sixteen_hops_where_it_is_not() {
    let world = Deployment::start(Options {
        step_loop: RecursiveLoop::Terminate,
        ..forty_hops().await
    })
    .await;
    let run = world.say("guest-7", "Sauna?", "evt-1").await;
    eventually("the seventeenth bell is a dead letter", async || {
        (world.sqs.depth(&world.step_dead).await.visible == 1).then_some(())
    })
    .await;
    let view = world.view(run).await;
    let hops = u64::from(CHAIN_INVOCATIONS_MAX);
    assert!(!view.status.is_terminal(), "{:?}", view.status);
    assert_eq!(
        (view.steps, world.step.stats().invocations),
        (hops, hops),
        "sixteen steps, and then nothing"
    );
    assert_eq!(world.receiver.recorded().len(), 0);
}
