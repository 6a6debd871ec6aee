//! G: what a run may use up, and what it is charged.

use openeve_domain::retry::Class;
use openeve_domain::run::bounds::RunBounds;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::status::RunStatus;
use openeve_runtime::ports::Advance;
use openeve_runtime::step::{StepDeps, Stepped, step};
use openeve_tests::{ScriptedEngine, answer, calls};
use serde_json::{Value, json};

use super::support::{STEP_MS, begun, count, impatient};
use super::wire::{Wire, words};
use crate::support::{echo, world};

/// Public case G4 (CommandCodeAI/command-code #891).
#[tokio::test]
async fn g4_a_request_that_is_tried_again_is_the_same_request() {
    let world = world(echo()).await;
    let wire = Wire::new(|number, _| match number {
        0..3 => (
            500,
            json!({"error": {"message": "the engine fell over ".repeat(200)}}),
        ),
        _ => words("done"),
    });
    let worker = StepDeps {
        clock: impatient(&world).clock,
        ..wire.worker(&world)
    };
    let run = begun(&world).await;
    assert_eq!(step(&worker, run, STEP_MS).await, Ok(Stepped::Ended));
    let requests: Vec<Value> = wire.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|request| *request == requests[0]));
    // Nor does a later turn read of it.
    world.say("c", "and now?").await;
    wire.settle(&world).await;
    assert!(!wire.last().to_string().contains("fell over"));
}

/// A bound, and the reason its run ends with.
type Bounded = (&'static str, fn(&mut RunBounds));

/// Public case G5 (Kilo-Org/kilocode #13772, Mintplex-Labs/anything-llm #3348).
#[tokio::test]
async fn g5_a_model_that_asks_for_ever_is_stopped_at_each_bound_by_name() {
    let bounds: [Bounded; 6] = [
        ("max_iterations", |bounds| bounds.iterations = 3),
        ("max_tokens", |bounds| bounds.tokens = 36),
        ("max_cost", |bounds| bounds.cost_micros = 0),
        ("max_wall", |bounds| bounds.wall_ms = 0),
        ("max_steps", |bounds| bounds.steps = 3),
        ("repeated_errors", |bounds| bounds.repeated_errors = 3),
    ];
    let engine = ScriptedEngine::new(|done, _| calls(done, &["nonesuch"]));
    let mut world = world(engine).await;
    let settings = world.settings.clone();
    for (code, bound) in bounds {
        world.settings = settings.clone();
        bound(&mut world.settings.run_bounds);
        if code == "max_steps" {
            world.settings.step_slice_ms = 0;
        }
        let asked = world.engine.asked();
        let run = world.say(code, "go").await;
        world.settle().await;
        assert_eq!(world.view(run).await.failure.unwrap().code, code);
        assert!(world.engine.asked() <= asked + 3, "{code}");
    }
    world.assert_invariants().await;
}

/// Public case G6 (boundflow/charter #1).
#[tokio::test]
async fn g6_attempts_that_fail_after_they_cost_something_are_charged() {
    let failing = |times: u64, class: Class| {
        let asked = std::sync::atomic::AtomicU64::new(0);
        ScriptedEngine::new(move |_, _| {
            if asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < times {
                return Advance::Failed(ModelFailure {
                    code: "model_overloaded".into(),
                    message: "the stream broke off".into(),
                    class,
                });
            }
            answer("done")
        })
    };
    let again = Class::Retry { after_ms: None };
    let cases = [
        (failing(2, again), RunStatus::Completed, 3),
        (failing(1, Class::Refused), RunStatus::Failed, 1),
    ];
    for (engine, status, attempts) in cases {
        let world = world(engine).await;
        let run = begun(&world).await;
        step(&impatient(&world), run, STEP_MS).await.unwrap();
        let view = world.view(run).await;
        assert_eq!(view.status, status);
        assert_eq!(view.usage.input_tokens, 10 * attempts, "{status:?}");
        let rows = count(&world, "SELECT count(*) FROM openeve.usage_records").await;
        assert_eq!(rows.cast_unsigned(), attempts);
        world.assert_invariants().await;
    }
}
