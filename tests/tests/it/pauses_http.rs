//! Pauses over HTTP: seen, decided once by whom it is for, answered in words a person understands.

use bytes::Bytes;
use futures_util::future::join_all;
use http::{HeaderMap, Method};
use openeve_domain::ids::{LeaseToken, RunId};
use openeve_domain::manifest::{ApprovalSpec, ChannelAuth, EnvRef, Execution, ToolSpec};
use openeve_domain::secret::Secret;
use openeve_domain::status::{RunStatus, SideEffects};
use openeve_domain::transcript::Message;
use openeve_runtime::config::Mode;
use openeve_runtime::ingress::{IngressDeps, IngressRequest, handle};
use openeve_runtime::ports::{Advance, Store as _};
use openeve_runtime::step::Stepped;
use openeve_runtime::tick::tick;
use openeve_testkit::gate::Gate;
use openeve_tests::{ClosureTools, ScriptedEngine, World, WorldOptions, answer, calls, tool};
use serde_json::{Value, json};

use crate::support::{echo, options, waiting_for_locks};

/// Asks for these calls at once, each with its arguments, then answers with what came back.
fn asks(batch: &'static [(&'static str, &'static str)]) -> ScriptedEngine {
    ScriptedEngine::new(move |done, messages| {
        if done > 0 {
            return answer(&results(messages).join(" "));
        }
        let names: Vec<&str> = batch.iter().map(|(name, _)| *name).collect();
        let mut advance = calls(done, &names);
        if let Advance::ToolBatch { calls, .. } = &mut advance {
            for (call, (_, arguments)) in calls.iter_mut().zip(batch) {
                (*arguments).clone_into(&mut call.arguments);
            }
        }
        advance
    })
}

fn results(messages: &[Message<'_>]) -> Vec<String> {
    let results = messages.iter().filter_map(|message| match message {
        Message::ToolResult { output, .. } => Some(output.to_string()),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    results.collect()
}

const ONE_PAYMENT: &[(&str, &str)] = &[("pay", r#"{"euros": 10}"#)];
const QUESTION: &[(&str, &str)] = &[(
    "ask_question",
    r#"{"question": "Inside or outside?", "options": ["inside", "outside"]}"#,
)];

/// An agent with two tools that wait for approval: `pay` asks the requester, `fire` asks `bob` and
/// administrators; and with two channels, each with a token of its own.
fn gated(engine: ScriptedEngine) -> WorldOptions {
    let spec = |name: &str, approvers: &[&str]| ToolSpec {
        approval: Some(ApprovalSpec {
            reason: Some("it costs money".into()),
            predicate: false,
            approvers: approvers.iter().map(|one| (*one).to_owned()).collect(),
        }),
        ..tool(name, SideEffects::Unsafe, Execution::Parallel)
    };
    let mut options = options(engine);
    options.manifest.tools.push(spec("pay", &[]));
    options
        .manifest
        .tools
        .push(spec("fire", &["bob", "role:admin"]));
    let mut other = options.manifest.channels[0].clone();
    other.name = "other".into();
    other.route = "/other".into();
    options.manifest.channels.push(other);
    for (channel, variable) in options
        .manifest
        .channels
        .iter_mut()
        .zip(["MESSAGE_TOKEN", "OTHER_TOKEN"])
    {
        let name = variable.to_owned();
        channel.auth = Some(ChannelAuth {
            bearer: EnvRef { name },
        });
    }
    options
}

/// Starts a run, as `ada` says it, and works until it waits.
async fn paused(world: &World) -> RunId {
    let run = said_by(world, Some("ada")).await;
    world.bells.take();
    assert_eq!(world.step(run).await, Ok(Stepped::Waiting));
    run
}

async fn said_by(world: &World, sender: Option<&str>) -> RunId {
    let body = json!({"message": "go", "conversation": "c", "sender": sender}).to_string();
    let response = world.post("/message", body).await;
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    body["run_id"].as_str().unwrap().parse().unwrap()
}

/// The same ingress with an admin token and tokens of both channels, in production.
fn guarded(world: &World) -> IngressDeps {
    let mut deps = world.ingress_deps();
    deps.admin_token = Some(Secret::new("the-admin-token"));
    deps.settings.mode = Mode::Production;
    let tokens = [("MESSAGE_TOKEN", "message-1"), ("OTHER_TOKEN", "other-1")];
    deps.env = std::sync::Arc::new(
        tokens
            .map(|(name, value)| (name.to_owned(), Secret::new(value)))
            .into(),
    );
    deps
}

async fn ask(
    deps: &IngressDeps,
    method: Method,
    path: &str,
    token: &str,
    body: &Value,
) -> (u16, Value) {
    let mut headers = HeaderMap::new();
    if !token.is_empty() {
        headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
    }
    let body = if body.is_null() {
        Bytes::new()
    } else {
        Bytes::from(body.to_string())
    };
    let request = IngressRequest {
        method,
        path: path.to_owned(),
        query: String::new(),
        headers,
        body,
    };
    let response = handle(deps, request).await;
    let body = serde_json::from_slice(&response.body).unwrap();
    (response.status, body)
}

async fn post(world: &World, run: RunId, part: &str, body: Value) -> (u16, Value) {
    let path = format!("/runs/{run}/{part}");
    ask(&world.ingress_deps(), Method::POST, &path, "", &body).await
}

async fn get(world: &World, run: RunId, part: &str) -> Value {
    let path = format!("/runs/{run}{part}");
    let (status, body) = ask(&world.ingress_deps(), Method::GET, &path, "", &Value::Null).await;
    assert_eq!(status, 200, "{body}");
    body
}

fn code(answer: &(u16, Value)) -> (u16, &str) {
    (answer.0, answer.1["error"]["code"].as_str().unwrap_or(""))
}

async fn count(world: &World, run: RunId, kind: &str) -> usize {
    let kinds = world.kinds(run).await;
    kinds.iter().filter(|found| *found == kind).count()
}

/// Public case B3, over HTTP.
#[tokio::test]
async fn a_hundred_approvals_and_rejections_of_one_pause_make_one_decision() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = paused(&world).await;
    let clicks = (0..100).map(|at| {
        let part = if at % 2 == 0 { "approve" } else { "reject" };
        post(&world, run, part, Value::Null)
    });
    let answers = join_all(clicks).await;
    let fresh: Vec<&(u16, Value)> = answers
        .iter()
        .filter(|(status, body)| *status == 200 && body["already"] != true)
        .collect();
    assert_eq!(fresh.len(), 1, "one decides: {fresh:?}");
    let verdict = fresh[0].1["verdict"].as_str().unwrap();
    for (at, answer) in answers.iter().enumerate() {
        let own = if at % 2 == 0 { "approve" } else { "reject" };
        if own == verdict {
            assert_eq!((answer.0, &answer.1["decided"]), (200, &json!(true)));
        } else {
            assert_eq!(code(answer), (409, "pause_ended"), "{answer:?}");
            assert_eq!(answer.1["error"]["decision"]["verdict"], verdict);
            assert_eq!(answer.1["error"]["by"], "operator");
        }
    }
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Completed);
    let ran = usize::from(verdict == "approve");
    assert_eq!(world.tools.ran().len(), ran, "after {verdict}");
    assert_eq!(count(&world, run, "pause.decided").await, 1);
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_paused_run_shows_what_is_asked_about_what_and_of_whom() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = paused(&world).await;
    let pauses = get(&world, run, "/pauses").await;
    assert_eq!(pauses["status"], "waiting_approval");
    assert_eq!(pauses["requester"], "ada");
    let pause = &pauses["pauses"][0];
    assert_eq!(pause["tool"], "pay");
    assert_eq!(pause["arguments"], json!({"euros": 10}));
    assert_eq!(pause["prompt"], "it costs money");
    assert_eq!(pause["approvers"], json!(["requester"]));
    assert_eq!(
        (&pause["kind"], &pause["status"], &pause["generation"]),
        (&json!("approval"), &json!("pending"), &json!(1))
    );
    assert!(pause["decision"].is_null() && pause["by"].is_null());
    assert!(pause["expires_at"].as_str().unwrap().ends_with('Z'));
    let view = get(&world, run, "").await;
    assert_eq!(view["pauses"][0]["call"], pause["call"]);

    let call = json!({"call": pause["call"], "generation": 1, "by": "ada"});
    assert_eq!(post(&world, run, "approve", call).await.0, 200);
    world.settle().await;
    let pauses = get(&world, run, "/pauses").await;
    let pause = &pauses["pauses"][0];
    assert_eq!(pause["decision"], json!({"verdict": "approve"}));
    assert_eq!(
        (&pause["status"], &pause["by"]),
        (&json!("decided"), &json!("ada"))
    );
    let view = get(&world, run, "").await;
    assert!(view["pauses"].is_null(), "it waits no longer: {view}");
    assert!(view["blocked"].is_null());
}

#[tokio::test]
async fn a_decision_is_for_whom_the_approvers_name_and_for_the_operator() {
    let world = World::new(gated(asks(&[("fire", "{}")]))).await;
    let run = paused(&world).await;
    let deps = guarded(&world);
    let path = format!("/runs/{run}/approve");
    let refused = [
        json!({"by": "ada"}),
        json!({"by": "eve", "roles": ["owner"]}),
        json!({"by": "admin"}),
    ];
    for token in ["the-admin-token", "message-1"] {
        for body in &refused {
            let answer = ask(&deps, Method::POST, &path, token, body).await;
            assert_eq!(code(&answer), (403, "not_an_approver"), "{body}");
            let message = answer.1["error"]["message"].as_str().unwrap();
            assert!(
                message.contains("bob or anybody with the role admin"),
                "{message}"
            );
        }
    }
    let nobody = ask(&deps, Method::POST, &path, "message-1", &Value::Null).await;
    assert_eq!(code(&nobody), (400, "request_malformed"));
    assert!(nobody.1.to_string().contains("\\\"by\\\" is missing"));
    assert_eq!(
        get(&world, run, "/pauses").await["pauses"][0]["status"],
        "pending"
    );
    for body in [json!({"by": "operator"}), json!({"by": "role:admin"})] {
        let answer = ask(&deps, Method::POST, &path, "message-1", &body).await;
        assert_eq!(code(&answer), (400, "request_malformed"), "{body}");
    }
    let eve = json!({"by": "eve", "roles": ["admin"]});
    let taken = ask(&deps, Method::POST, &path, "message-1", &eve).await;
    assert_eq!(taken.0, 200, "{taken:?}");
    assert_eq!(get(&world, run, "/pauses").await["pauses"][0]["by"], "eve");
    let again = ask(&deps, Method::POST, &path, "the-admin-token", &Value::Null).await;
    assert_eq!((again.0, &again.1["already"]), (200, &json!(true)));
    assert_eq!(
        again.1["by"], "eve",
        "whoever decided stays whoever decided"
    );
}

#[tokio::test]
async fn a_channel_decides_for_its_own_runs_only_and_nobody_without_a_token() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = paused(&world).await;
    let deps = guarded(&world);
    for (method, part) in [
        (Method::GET, "pauses"),
        (Method::POST, "approve"),
        (Method::POST, "cancel"),
    ] {
        let path = format!("/runs/{run}/{part}");
        for token in ["", "wrong"] {
            let answer = ask(&deps, method.clone(), &path, token, &Value::Null).await;
            assert_eq!(code(&answer), (401, "request_unauthorized"), "{part}");
        }
        let other = ask(&deps, method, &path, "other-1", &Value::Null).await;
        assert_eq!(code(&other), (404, "run_unknown"), "{part}");
    }
    let mut closed = guarded(&world);
    (closed.admin_token, closed.env) = (None, std::sync::Arc::default());
    let path = format!("/runs/{run}/approve");
    let answer = ask(&closed, Method::POST, &path, "", &Value::Null).await;
    assert_eq!(code(&answer), (401, "route_closed"));
    let pauses = format!("/runs/{run}/pauses");
    let seen = ask(&deps, Method::GET, &pauses, "message-1", &Value::Null).await;
    assert_eq!(seen.1["pauses"][0]["status"], "pending");
    let view = ask(
        &deps,
        Method::GET,
        &format!("/runs/{run}"),
        "message-1",
        &Value::Null,
    )
    .await;
    assert_eq!(view.0, 401, "the rest of a run is the operator's");
    let ada = json!({"by": "ada"});
    assert_eq!(
        ask(&deps, Method::POST, &path, "message-1", &ada).await.0,
        200
    );
}

#[tokio::test]
async fn a_run_that_nobody_signed_is_decided_by_whoever_is_in_its_channel() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = said_by(&world, None).await;
    world.settle().await;
    let path = format!("/runs/{run}/approve");
    let taken = ask(
        &guarded(&world),
        Method::POST,
        &path,
        "message-1",
        &Value::Null,
    )
    .await;
    assert_eq!(taken.0, 200, "{taken:?}");
    assert_eq!(get(&world, run, "/pauses").await["pauses"][0]["by"], "");
}

#[tokio::test]
async fn several_waiting_calls_are_named_one_by_one() {
    let world = World::new(gated(asks(&[("pay", "{}"), ("pay", r#"{"n": 2}"#)]))).await;
    let run = paused(&world).await;
    let unclear = post(&world, run, "approve", Value::Null).await;
    assert_eq!(code(&unclear), (409, "pause_ambiguous"));
    let waiting = unclear.1["error"]["waiting"].as_array().unwrap().clone();
    assert_eq!(waiting.len(), 2);
    assert_eq!(waiting[1]["arguments"], json!({"n": 2}));
    let first = post(&world, run, "approve", json!({"call": waiting[0]["call"]})).await;
    assert_eq!((first.0, &first.1["resumes"]), (200, &json!(false)));
    // Only one waits now, so it need not be named.
    let second = post(&world, run, "reject", json!({"reason": "too dear"})).await;
    assert_eq!((second.0, &second.1["resumes"]), (200, &json!(true)));
    assert_eq!(second.1["call"], waiting[1]["call"]);
    world.settle().await;
    assert_eq!(world.tools.ran().len(), 1);
    assert!(world.view(run).await.reply.unwrap().contains("too dear"));
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_question_takes_one_of_its_options_and_says_which() {
    let world = World::new(gated(asks(QUESTION))).await;
    let run = paused(&world).await;
    for (part, body) in [
        ("approve", json!({})),
        ("answer", json!({"text": "on the roof"})),
    ] {
        let answer = post(&world, run, part, body).await;
        assert_eq!(code(&answer), (422, "decision_unfit"), "{part}");
        assert_eq!(answer.1["error"]["options"], json!(["inside", "outside"]));
        assert_eq!(answer.1["error"]["waits_for"], "input");
    }
    let silent = post(&world, run, "answer", json!({"by": "ada"})).await;
    assert_eq!(code(&silent), (400, "request_malformed"));
    let taken = post(&world, run, "answer", json!({"text": "outside"})).await;
    assert_eq!((taken.0, &taken.1["verdict"]), (200, &json!("answer")));
    let same = post(&world, run, "answer", json!({"text": "outside"})).await;
    assert_eq!((same.0, &same.1["already"]), (200, &json!(true)));
    let other = post(&world, run, "answer", json!({"text": "inside"})).await;
    assert_eq!(code(&other), (409, "pause_ended"));
    assert!(other.1.to_string().contains("answered otherwise"));
    world.settle().await;
    assert_eq!(
        world.view(run).await.reply.as_deref(),
        Some(r#"{"answer":"outside"}"#)
    );
}

#[tokio::test]
async fn the_next_message_of_the_requester_answers_and_nobody_elses_does() {
    // Words that approvers are written with are nobody's name.
    let others = [
        "eve",
        "requester",
        "anyone",
        "operator",
        "role:admin",
        "ada",
    ];
    for sender in others {
        let world = World::new(gated(asks(QUESTION))).await;
        let run = paused(&world).await;
        let body = json!({"message": "inside", "conversation": "c", "sender": sender}).to_string();
        let response = world.post("/message", body).await;
        let body: Value = serde_json::from_slice(&response.body).unwrap();
        assert_eq!(body["answered"], sender == "ada", "{sender}: {body}");
        let pauses = get(&world, run, "/pauses").await;
        let status = if sender == "ada" {
            "decided"
        } else {
            "pending"
        };
        assert_eq!(pauses["pauses"][0]["status"], status, "{sender}");
    }
}

#[tokio::test]
async fn what_cannot_be_decided_says_why_in_the_right_status() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = paused(&world).await;
    let unknown: RunId = "run_00000000000000000000000000000fff".parse().unwrap();
    let call = "call_00000000000000000000000000000fff";
    let table = [
        (unknown, "approve", json!({}), (404, "run_unknown")),
        (unknown, "cancel", json!({}), (404, "run_unknown")),
        (
            run,
            "approve",
            json!({"call": call}),
            (409, "nothing_waits"),
        ),
        (
            run,
            "answer",
            json!({"text": "yes"}),
            (422, "decision_unfit"),
        ),
        (
            run,
            "approve",
            json!({"generation": 0}),
            (400, "request_malformed"),
        ),
        (
            run,
            "approve",
            json!({"reason": "?"}),
            (400, "request_malformed"),
        ),
        (
            run,
            "cancel",
            json!({"call": call}),
            (400, "request_malformed"),
        ),
        (
            run,
            "reject",
            json!({"reason": "x".repeat(5_000)}),
            (413, "request_too_large"),
        ),
        (run, "pause", json!({}), (404, "route_unknown")),
        (run, "pauses", json!({}), (405, "method_not_allowed")),
    ];
    for (run, part, body, wanted) in table {
        let answer = post(&world, run, part, body.clone()).await;
        assert_eq!(code(&answer), wanted, "{part} {body}: {answer:?}");
    }
    let path = "/runs/7/approve";
    let answer = ask(&world.ingress_deps(), Method::POST, path, "", &Value::Null).await;
    assert_eq!(code(&answer), (400, "run_id_malformed"));
    let idle = World::new(gated(echo())).await;
    let run = idle.say("c", "hello").await;
    idle.settle().await;
    let answer = post(&idle, run, "approve", Value::Null).await;
    assert_eq!(code(&answer), (409, "nothing_waits"));
    assert_eq!(answer.1["error"]["status"], "completed");
}

#[tokio::test]
async fn a_pause_that_expired_or_was_withdrawn_says_so_to_whoever_comes_late() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = paused(&world).await;
    let client = world.database.connect().await;
    let past = "UPDATE openeve.pauses SET expires_at = clock_timestamp() - INTERVAL '1 second'";
    client.batch_execute(past).await.unwrap();
    tick(&world.tick_deps()).await.unwrap();
    let late = post(&world, run, "approve", Value::Null).await;
    assert_eq!(code(&late), (409, "pause_ended"));
    assert_eq!(late.1["error"]["status"], "expired");
    assert!(late.1.to_string().contains("nobody decided in time"));
    world.settle().await;
    assert!(world.tools.ran().is_empty());

    let run = paused(&world).await;
    assert_eq!(
        post(&world, run, "cancel", json!({"by": "ada"})).await.0,
        202
    );
    world.settle().await;
    let late = post(&world, run, "reject", Value::Null).await;
    assert_eq!(code(&late), (409, "pause_ended"));
    assert_eq!(late.1["error"]["status"], "withdrawn");
}

#[tokio::test]
async fn a_decision_the_database_cannot_take_may_simply_be_sent_again() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = paused(&world).await;
    world.proxy.refuse(true);
    world.proxy.cut();
    let answer = post(&world, run, "approve", Value::Null).await;
    assert_eq!(code(&answer), (503, "database_unreachable"));
    world.proxy.refuse(false);
    assert_eq!(post(&world, run, "approve", Value::Null).await.0, 200);
}

#[tokio::test]
async fn a_run_is_cancelled_wherever_it_stands() {
    let gate = Gate::new();
    let (inside, engine) = (gate.clone(), asks(&[("act", "{}")]));
    let tools = ClosureTools::waiting(move |_, _| {
        let inside = inside.clone();
        async move {
            inside.pass().await;
            Ok(json!("ok"))
        }
    });
    let world = World::new(WorldOptions {
        tools,
        ..gated(engine)
    })
    .await;
    // Created: it ends at once, and what is behind it goes on.
    let (created, next) = (world.say("c", "one").await, world.say("c", "two").await);
    world.bells.take();
    let ended = post(&world, created, "cancel", Value::Null).await;
    assert_eq!((ended.0, &ended.1["cancel"]), (200, &json!("ended")));
    assert_eq!(world.bells.take().len(), 1, "the next one is rung");
    // Running: its step ends it, and the tool that still ran is interrupted.
    let cancelling = async {
        gate.arrived(1).await;
        let asked = post(&world, next, "cancel", Value::Null).await;
        assert_eq!((asked.0, &asked.1["cancel"]), (202, &json!("requested")));
        assert_eq!(post(&world, next, "cancel", Value::Null).await.0, 202);
        gate.open();
    };
    let (stepped, ()) = tokio::join!(world.step(next), cancelling);
    stepped.unwrap();
    world.settle().await;
    assert_eq!(world.view(next).await.status, RunStatus::Cancelled);
    assert_eq!(count(&world, next, "run.cancel_requested").await, 1);
    // Claimed by somebody who vanished: ends once the lease has run out.
    let lost = world.say("c", "three").await;
    let token = LeaseToken::new(uuid::Uuid::from_u128(9));
    world.store.claim(lost, token, 60_000).await.unwrap();
    assert_eq!(post(&world, lost, "cancel", Value::Null).await.0, 202);
    world.expire_leases().await;
    world.settle().await;
    assert_eq!(world.view(lost).await.status, RunStatus::Cancelled);
    // Ended: it says how.
    let again = post(&world, lost, "cancel", Value::Null).await;
    assert_eq!(code(&again), (409, "run_ended"));
    assert_eq!(again.1["error"]["status"], "cancelled");
    let completed = world.say("c", "four").await;
    world.settle().await;
    let again = post(&world, completed, "cancel", Value::Null).await;
    assert_eq!(again.1["error"]["status"], "completed");
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_run_that_waits_for_anything_is_cancelled_and_withdraws_it() {
    for (batch, status) in [
        (ONE_PAYMENT, RunStatus::WaitingApproval),
        (QUESTION, RunStatus::WaitingInput),
    ] {
        let world = World::new(gated(asks(batch))).await;
        let run = paused(&world).await;
        assert_eq!(world.view(run).await.status, status);
        assert_eq!(post(&world, run, "cancel", Value::Null).await.0, 202);
        world.settle().await;
        assert_eq!(world.view(run).await.status, RunStatus::Cancelled);
        assert_eq!(
            get(&world, run, "/pauses").await["pauses"][0]["status"],
            "withdrawn"
        );
        assert!(world.tools.ran().is_empty());
        world.assert_invariants().await;
    }
}

#[tokio::test]
async fn fifty_wishes_to_cancel_at_once_are_one() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = paused(&world).await;
    let wishes = (0..50).map(|_| post(&world, run, "cancel", Value::Null));
    for answer in join_all(wishes).await {
        assert_eq!(answer.0, 202, "{answer:?}");
    }
    assert_eq!(count(&world, run, "run.cancel_requested").await, 1);
    world.settle().await;
    assert_eq!(world.view(run).await.status, RunStatus::Cancelled);
    let unbegun = world.say("d", "go").await;
    let wishes = (0..50).map(|_| post(&world, unbegun, "cancel", Value::Null));
    let ended = join_all(wishes).await;
    assert_eq!(ended.iter().filter(|answer| answer.0 == 200).count(), 1);
    assert_eq!(ended.iter().filter(|answer| answer.0 == 409).count(), 49);
    world.assert_invariants().await;
}

/// Both statements have begun, and so see the run as it was, before either may write.
#[tokio::test]
async fn two_wishes_to_cancel_that_overlap_are_one() {
    let world = World::new(gated(asks(ONE_PAYMENT))).await;
    let run = paused(&world).await;
    let mut holder = world.database.connect().await;
    let held = holder.transaction().await.unwrap();
    let lock = "SELECT FROM openeve.runs WHERE id = $1 FOR UPDATE";
    held.execute(lock, &[&run.uuid()]).await.unwrap();
    let wishes = join_all((0..2).map(|_| post(&world, run, "cancel", Value::Null)));
    let (answers, ()) = tokio::join!(wishes, async {
        waiting_for_locks(&world, 2).await;
        held.commit().await.unwrap();
    });
    for answer in answers {
        assert_eq!(answer.0, 202, "{answer:?}");
    }
    assert_eq!(count(&world, run, "run.cancel_requested").await, 1);
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_run_that_was_set_aside_shows_why() {
    let world = World::new(gated(echo())).await;
    let run = world.say("c", "go").await;
    let client = world.database.connect().await;
    let sql = "ALTER TABLE openeve.messages DROP CONSTRAINT messages_kind_check; \
               UPDATE openeve.messages SET kind = 'hologram'";
    client.batch_execute(sql).await.unwrap();
    world.settle().await;
    let view = get(&world, run, "").await;
    assert_eq!(view["blocked"]["code"], "database_row", "{view}");
    assert!(view["failure"].is_null());
}
