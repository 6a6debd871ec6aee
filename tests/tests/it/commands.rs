//! What an operator does to a run from the command line, through the real binary.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use openeve_domain::bell::Bell;
use openeve_domain::delivery::SendOutcome;
use openeve_domain::ids::{DeliveryId, RunId};
use openeve_domain::manifest::{ApprovalSpec, Execution};
use openeve_domain::retry::Class;
use openeve_domain::run::model_failed::ModelFailure;
use openeve_domain::status::{DeliveryStatus, RunStatus, SideEffects};
use openeve_runtime::ports::{Advance, Redriven};
use openeve_runtime::resume::{redrive_delivery, redrive_run};
use openeve_testkit::sqs::local::LocalSqs;
use openeve_testkit::sqs::{Depth, Queue, SqsServer};
use openeve_tests::paths::binary;
use openeve_tests::{ScriptedEngine, World, answer, calls, manifest, tool};
use serde_json::{Value, json};

use crate::support::{echo, options, waiting_for_locks, world};

/// What a command said, and how it ended.
#[derive(Debug)]
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

/// Runs a command without any of our variables but these.
async fn openeve(arguments: &[&str], env: &[(&str, &str)], folder: &Path) -> Said {
    let mut command = Command::new(binary("openeve"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(env.iter().copied());
    let Output {
        status,
        stdout,
        stderr,
    } = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();
    Said {
        code: status.code().unwrap(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// Runs a command on a world's database.
async fn on(world: &World, arguments: &[&str]) -> Said {
    let url = world.database.url();
    let env = [("DATABASE_URL", url.as_str())];
    let arguments = [arguments, &["--agent", "tester"]].concat();
    openeve(&arguments, &env, Path::new("/")).await
}

/// A world whose runs ask for these tools at once; `pay` waits for approval.
async fn asking(names: &'static [&'static str]) -> World {
    let engine = ScriptedEngine::new(move |done, _| {
        if done == 0 {
            calls(done, names)
        } else {
            answer("done")
        }
    });
    let mut options = options(engine);
    let mut pay = tool("pay", SideEffects::Unsafe, Execution::Parallel);
    pay.approval = Some(ApprovalSpec::default());
    options.manifest.tools.push(pay);
    World::new(options).await
}

async fn paused(world: &World) -> String {
    let body = json!({"message": "go", "conversation": "c", "sender": "ada"}).to_string();
    let response = world.post("/message", body).await;
    world.settle().await;
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    body["run_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_run_is_looked_at_and_its_calls_are_decided_one_by_one() {
    let world = asking(&["pay", "pay"]).await;
    let run = paused(&world).await;
    let seen = on(&world, &["pauses", &run]).await;
    assert_eq!(seen.code, 0, "{seen:?}");
    for wanted in [
        "is waiting_approval",
        "pay: approval",
        "{\"n\":1}",
        "whoever started the run (ada)",
        "openeve approve run_",
        "--agent tester",
    ] {
        assert!(seen.out.contains(wanted), "{wanted} is not in {}", seen.out);
    }
    assert!(
        seen.err.contains("DATABASE_URL"),
        "it says where: {}",
        seen.err
    );
    let unclear = on(&world, &["approve", &run]).await;
    assert_eq!(unclear.code, 1);
    assert!(unclear.err.contains("2 calls wait"), "{}", unclear.err);
    assert!(unclear.err.contains("call_"), "{}", unclear.err);

    let list = on(&world, &["pauses", &run, "--json"]).await.json();
    let call = |at: usize| list["pauses"][at]["call"].as_str().unwrap().to_owned();
    let first = on(&world, &["approve", &run, &call(0), "--json"]).await;
    assert_eq!((first.code, &first.json()["resumes"]), (0, &json!(false)));
    let eve = on(&world, &["reject", &run, "--by", "eve"]).await;
    assert_eq!(eve.code, 1);
    assert!(
        eve.err.contains("whoever started the run (ada)"),
        "{}",
        eve.err
    );
    let reason = ["reject", &run, "--by", "ada", "--reason", "too dear"];
    let rejected = on(&world, &reason).await;
    assert_eq!(rejected.code, 0, "{rejected:?}");
    assert!(
        rejected
            .err
            .contains("the tick goes on with it within a minute"),
        "{}",
        rejected.err
    );
    let again = on(&world, &["reject", &run, &call(1), "--json"]).await;
    assert_eq!((again.code, &again.json()["already"]), (0, &json!(true)));
    let late = on(&world, &["approve", &run, &call(1), "--json"]).await;
    assert_eq!(late.code, 1);
    assert_eq!(late.json()["error"]["code"], "pause_ended");
    world.tick_late().await;
    let id: RunId = run.parse().unwrap();
    assert_eq!(world.view(id).await.status, RunStatus::Completed);
    assert_eq!(world.tools.ran().len(), 1);
    assert_eq!(on(&world, &["pauses", &run]).await.code, 1, "nothing waits");
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_question_is_answered_and_a_run_is_cancelled() {
    let engine = ScriptedEngine::new(|done, _| {
        let mut advance = calls(done, &["ask_question"]);
        if let Advance::ToolBatch { calls, .. } = &mut advance {
            calls[0].arguments = json!({"question": "Which\u{1b}[2J?"}).to_string();
        }
        advance
    });
    let world = world(engine).await;
    let run = paused(&world).await;
    let seen = on(&world, &["pauses", &run]).await;
    assert!(!seen.out.contains('\u{1b}'), "{}", seen.out);
    assert!(seen.out.contains("openeve answer run_"), "{}", seen.out);
    assert_eq!(on(&world, &["answer", &run, "the blue one"]).await.code, 0);
    world.tick_late().await;
    let asked = on(&world, &["pauses", &run, "--json"]).await.json();
    assert_eq!(asked["pauses"][0]["decision"]["text"], "the blue one");
    assert_eq!(asked["pauses"][1]["status"], "pending", "it asks again");
    let cancelled = on(&world, &["cancel", &run, "--json"]).await;
    assert_eq!(
        (cancelled.code, &cancelled.json()["cancel"]),
        (0, &json!("requested"))
    );
    world.step(run.parse().unwrap()).await.unwrap();
    let again = on(&world, &["cancel", &run]).await;
    assert_eq!(again.code, 1);
    assert!(
        again.err.contains("ended before, as cancelled"),
        "{}",
        again.err
    );
    let unknown = ["cancel", "run_00000000000000000000000000000fff"];
    assert_eq!(on(&world, &unknown).await.code, 1);
}

/// Fails as long as the flag is up.
fn failing(fails: &Arc<AtomicBool>) -> ScriptedEngine {
    let fails = Arc::clone(fails);
    ScriptedEngine::new(move |_, _| {
        if !fails.load(Ordering::SeqCst) {
            return answer("done");
        }
        Advance::Failed(ModelFailure {
            code: "model_auth".into(),
            message: "the key was refused".into(),
            class: Class::Refused,
        })
    })
}

#[tokio::test]
async fn a_failed_run_is_redriven_once_however_often_it_is_asked_for() {
    let fails = Arc::new(AtomicBool::new(true));
    let world = world(failing(&fails)).await;
    let run = paused(&world).await;
    fails.store(false, Ordering::SeqCst);
    let first = on(&world, &["redrive", &run, "--json"]).await;
    assert_eq!(first.code, 0, "{first:?}");
    let first = first.json();
    assert_eq!(
        (&first["redriven"], &first["before"]),
        (&json!("again"), &json!(false))
    );
    let second = on(&world, &["redrive", &run, "--json"]).await;
    assert_eq!(second.code, 0);
    assert_eq!(second.json()["run_id"], first["run_id"]);
    assert_eq!(second.json()["before"], true);
    world.tick_late().await;
    let fresh = first["run_id"].as_str().unwrap();
    let view = world.view(fresh.parse().unwrap()).await;
    assert_eq!(view.reply.as_deref(), Some("done"));
    assert_eq!(
        world.view(run.parse().unwrap()).await.status,
        RunStatus::Failed
    );
    let unknown = "run_00000000000000000000000000000fff";
    let mixed = on(&world, &["redrive", &run, fresh, unknown]).await;
    assert_eq!(mixed.code, 1, "one of them could not be redone");
    assert!(mixed.out.contains("begun again before"), "{mixed:?}");
    assert!(mixed.err.contains("it is completed"), "{mixed:?}");
    assert!(mixed.err.contains("no such row"), "{mixed:?}");
    world.assert_invariants().await;
}

#[tokio::test]
async fn a_reply_that_was_given_up_is_owed_again_once() {
    let world = world(echo()).await;
    let run = world.say("c", "hello").await;
    world.sender.will(vec![SendOutcome::Refused {
        error: "HTTP 404".into(),
    }]);
    world.settle().await;
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Failed));
    let hint = on(&world, &["redrive", &run.to_string()]).await;
    assert_eq!(hint.code, 1);
    let (_, rest) = hint.err.split_once("`openeve redrive ").unwrap();
    let delivery = rest.split_whitespace().next().unwrap();
    delivery.parse::<DeliveryId>().unwrap();
    let first = on(&world, &["redrive", delivery, "--json"]).await;
    assert_eq!(first.code, 0, "{first:?}");
    let second = on(&world, &["redrive", delivery, "--json"]).await.json();
    assert_eq!(second["delivery_id"], first.json()["delivery_id"]);
    assert_eq!(second["before"], true);
    world.tick_late().await;
    assert_eq!(world.sender.attempts().len(), 2);
    let kinds = world.kinds(run).await;
    assert!(kinds.contains(&"delivery.redriven".to_owned()), "{kinds:?}");
    assert_eq!(world.view(run).await.delivery, Some(DeliveryStatus::Sent));
    world.assert_invariants().await;
}

/// Runs two wishes whose statements have both begun before either may write: `lock` takes what
/// they need and is undone then.
async fn overlapping<T>(world: &World, lock: &str, wishes: [impl Future<Output = T>; 2]) -> Vec<T> {
    let mut holder = world.database.connect().await;
    let held = holder.transaction().await.unwrap();
    held.batch_execute(lock).await.unwrap();
    let (answers, ()) = tokio::join!(futures_util::future::join_all(wishes), async {
        waiting_for_locks(world, 2).await;
        held.rollback().await.unwrap();
    });
    answers
}

#[tokio::test]
async fn two_redrives_of_one_run_that_overlap_are_one_and_both_are_told() {
    let fails = Arc::new(AtomicBool::new(true));
    let world = world(failing(&fails)).await;
    let run: RunId = paused(&world).await.parse().unwrap();
    let lock = "INSERT INTO openeve.idempotency_keys (scope, key, expires_at) \
                SELECT 'redrive', id::text, 'infinity' FROM openeve.runs";
    let deps = world.resume_deps();
    let wishes = [redrive_run(&deps, run), redrive_run(&deps, run)];
    let answers = overlapping(&world, lock, wishes).await;
    let told: Vec<(RunId, bool)> = answers
        .into_iter()
        .map(|answer| match answer.unwrap() {
            Redriven::Again { run_id, before } => (run_id, before),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told[0].0, told[1].0);
    assert_ne!(told[0].1, told[1].1, "one of them did it");
}

#[tokio::test]
async fn two_redrives_of_one_reply_that_overlap_are_one_and_both_are_told() {
    let world = world(echo()).await;
    world.say("c", "hello").await;
    world.sender.will(vec![SendOutcome::Refused {
        error: "HTTP 404".into(),
    }]);
    world.settle().await;
    let id = world.sender.attempts()[0].id;
    let lock = "INSERT INTO openeve.deliveries SELECT (jsonb_populate_record(d, \
                jsonb_build_object('id', gen_random_uuid(), 'key', 'redrive:' || d.id))).* \
                FROM openeve.deliveries AS d";
    let deps = world.resume_deps();
    let wishes = [redrive_delivery(&deps, id), redrive_delivery(&deps, id)];
    let answers = overlapping(&world, lock, wishes).await;
    let told: Vec<(DeliveryId, bool)> = answers
        .into_iter()
        .map(|answer| match answer.unwrap() {
            Redriven::Owed {
                delivery_id,
                before,
            } => (delivery_id, before),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told[0].0, told[1].0);
    assert_ne!(told[0].1, told[1].1, "one of them did it");
    world.settle().await;
    assert_eq!(world.sender.attempts().len(), 2);
}

#[tokio::test]
async fn a_command_that_lacks_something_exits_with_two_and_says_what() {
    let folder = tempfile::tempdir().unwrap();
    let run = "run_00000000000000000000000000000fff";
    let nowhere = openeve(&["pauses", run], &[], folder.path()).await;
    assert_eq!(nowhere.code, 2, "{nowhere:?}");
    assert!(nowhere.err.contains("--folder") && nowhere.err.contains("--agent"));
    let nothing = openeve(&["pauses", run, "--agent", "a"], &[], folder.path()).await;
    assert_eq!(nothing.code, 2, "{nothing:?}");
    assert!(
        nothing.err.contains("DATABASE_URL is not set"),
        "{nothing:?}"
    );
    for wrong in [
        &["approve", "run_7"][..],
        &["approve", run, "pay"],
        &["answer", run],
        &["redrive"],
        &["redrive", "message"],
        &["approve", run, "--role", "admin"],
        &["approve", run, "--by", "operator", "--agent", "a"],
    ] {
        let said = openeve(wrong, &[], folder.path()).await;
        assert_eq!(said.code, 2, "{wrong:?}: {said:?}");
    }
}

#[tokio::test]
async fn without_a_url_the_private_database_of_dev_is_used_while_it_answers() {
    let world = asking(&["pay"]).await;
    let run = paused(&world).await;
    let folder = tempfile::tempdir().unwrap();
    let artifact = folder.path().join(".openeve");
    std::fs::create_dir_all(artifact.join("dev")).unwrap();
    let manifest = serde_json::to_string(&manifest(Vec::new())).unwrap();
    std::fs::write(artifact.join("manifest.json"), manifest).unwrap();
    let off = openeve(&["approve", &run], &[], folder.path()).await;
    assert_eq!(off.code, 2, "{off:?}");
    std::fs::write(artifact.join("dev/database"), world.database.url()).unwrap();
    let place = folder.path().display().to_string();
    let elsewhere = openeve(&["pauses", &run, "--folder", &place], &[], Path::new("/")).await;
    assert_eq!(elsewhere.code, 0, "{elsewhere:?}");
    assert!(elsewhere.err.contains("private database of `openeve dev`"));
    assert!(elsewhere.out.contains(&format!("--folder {place}")));
    // Its rows are no business of the queues that the environment names.
    let queue = [("OPENEVE_STEP_QUEUE_URL", "http://127.0.0.1:9/step")];
    let here = openeve(&["approve", &run], &queue, folder.path()).await;
    assert_eq!(here.code, 0, "{here:?}");
    assert!(here.err.contains("within ten seconds"), "{here:?}");
    let gone = "host=/nowhere port=5432 user=openeve dbname='openeve'";
    std::fs::write(artifact.join("dev/database"), gone).unwrap();
    let off = openeve(&["approve", &run], &[], folder.path()).await;
    assert_eq!(off.code, 2, "{off:?}");
    assert!(off.err.contains("does not answer"), "{off:?}");
}

/// Queues with dead letters, and the variables that name them.
struct Letters {
    _server: LocalSqs,
    sqs: SqsServer,
    step: Queue,
    dead: Queue,
    env: Vec<(&'static str, String)>,
}

impl Letters {
    async fn of(world: &World) -> Self {
        let server = LocalSqs::start().await;
        let sqs = server.client();
        let (step, dead) = sqs.create_pair("step", 30, 5).await;
        let (delivery, dead_delivery) = sqs.create_pair("delivery", 30, 5).await;
        let env = vec![
            ("DATABASE_URL", world.database.url()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", "test".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
            ("OPENEVE_AWS_ENDPOINT_URL", sqs.endpoint().to_owned()),
            ("OPENEVE_STEP_QUEUE_URL", step.url.clone()),
            ("OPENEVE_DELIVERY_QUEUE_URL", delivery.url),
            ("OPENEVE_STEP_DEAD_LETTERS_URL", dead.url.clone()),
            ("OPENEVE_DELIVERY_DEAD_LETTERS_URL", dead_delivery.url),
        ];
        Self {
            _server: server,
            sqs,
            step,
            dead,
            env,
        }
    }

    async fn command(&self, arguments: &[&str]) -> Said {
        let env: Vec<(&str, &str)> = self
            .env
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let arguments = [arguments, &["--agent", "tester"]].concat();
        openeve(&arguments, &env, Path::new("/")).await
    }
}

#[tokio::test]
async fn a_decision_rings_the_queue_that_the_environment_names() {
    let world = asking(&["pay"]).await;
    let run = paused(&world).await;
    let letters = Letters::of(&world).await;
    let said = letters.command(&["approve", &run]).await;
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!said.err.contains("tick"), "{said:?}");
    let rung = letters.sqs.receive(&letters.step, 10, 1).await.unwrap();
    let bell = Bell::decode(rung[0]["Body"].as_str().unwrap()).unwrap();
    assert_eq!(bell.at, Bell::run(run.parse().unwrap()).at);
}

#[tokio::test]
async fn dead_letters_are_compared_with_their_rows_and_never_trusted_beyond_the_id() {
    let world = asking(&["pay"]).await;
    let waits: RunId = paused(&world).await.parse().unwrap();
    let due = world.say("d", "go").await;
    let leased = world.say("e", "go").await;
    let token = openeve_domain::ids::LeaseToken::new(uuid::Uuid::from_u128(9));
    openeve_runtime::ports::Store::claim(&*world.store, leased, token, 60_000)
        .await
        .unwrap();
    let unknown: RunId = "run_00000000000000000000000000000fff".parse().unwrap();
    let letters = Letters::of(&world).await;
    let later = Bell::run(due).encode().replace("\"v\":1", "\"v\":2");
    for body in [
        Bell::run(waits).encode(),
        Bell::run(due).of_tenant("somebody else").encode(),
        Bell::run(leased).encode(),
        Bell::run(unknown).encode(),
        later.clone(),
        "hello".to_owned(),
    ] {
        letters.sqs.send(&letters.dead, &body).await;
    }
    let said = letters
        .command(&["redrive", "--dead-letters", "--json"])
        .await;
    assert_eq!(said.code, 1, "two of them cannot be read: {said:?}");
    let lines: Vec<Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let step = lines.iter().find(|line| line["queue"] == "step").unwrap();
    let counts = ["rung", "dropped", "unknown", "left"].map(|name| step[name].as_u64().unwrap());
    assert_eq!(counts, [1, 2, 1, 2], "{said:?}");
    let rung = letters.sqs.receive(&letters.step, 10, 1).await.unwrap();
    let bell = Bell::decode(rung[0]["Body"].as_str().unwrap()).unwrap();
    assert_eq!((rung.len(), bell.at), (1, Bell::run(due).at));
    assert_ne!(bell.tenant.as_deref(), Some("somebody else"));
    let left = Depth {
        visible: 0,
        in_flight: 2,
        delayed: 0,
    };
    assert_eq!(letters.sqs.depth(&letters.dead).await, left);
    let again = letters.command(&["redrive", "--dead-letters"]).await;
    assert_eq!(again.code, 0, "what is left comes again later: {again:?}");
}
