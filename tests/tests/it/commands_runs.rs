//! `openeve runs list|show|tail`, through the real binary, over the database of a world.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use openeve_domain::manifest::{ApprovalSpec, Execution};
use openeve_domain::status::SideEffects;
use openeve_testkit::patience::within;
use openeve_tests::paths::binary;
use openeve_tests::{ScriptedEngine, World, answer, calls, tool};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use crate::commands_support::{Said, openeve};
use crate::support::{echo, options, world};

async fn on(world: &World, arguments: &[&str]) -> Said {
    let url = world.database.url();
    let env = [("DATABASE_URL", url.as_str())];
    let arguments = [arguments, &["--agent", "tester"]].concat();
    openeve(&arguments, &env, Path::new("/")).await
}

/// Says something; its run.
async fn say(world: &World, text: &str) -> String {
    let body = json!({"message": text, "conversation": text, "sender": "ada"}).to_string();
    let response = world.post("/message", body).await;
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    body["run_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_newest_runs_are_listed_first_and_by_status() {
    let world = world(echo()).await;
    let first = say(&world, "one").await;
    world.settle().await;
    let second = say(&world, "two").await;

    let said = on(&world, &["runs", "list"]).await;
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!((said.code, lines.len()), (0, 2), "{said:?}");
    assert!(lines[0].starts_with(&second) && lines[0].contains("created"));
    assert!(lines[1].starts_with(&first) && lines[1].contains("completed"));

    let done = on(&world, &["runs", "list", "--status", "completed", "--json"]).await;
    let runs = done.json()["runs"].clone();
    assert_eq!(runs.as_array().unwrap().len(), 1, "{done:?}");
    assert_eq!(
        (&runs[0]["run_id"], &runs[0]["trigger"], &runs[0]["blocked"]),
        (&json!(first), &json!("message"), &json!(false))
    );
    let limited = on(&world, &["runs", "list", "--limit", "1", "--json"]).await;
    assert_eq!(limited.json()["runs"][0]["run_id"], json!(second));

    let wrong = on(&world, &["runs", "list", "--status", "dead"]).await;
    assert!(
        wrong.code == 2 && wrong.err.contains("waiting_approval"),
        "{wrong:?}"
    );
}

#[tokio::test]
async fn a_run_is_shown_with_its_usage_events_and_what_it_waits_for() {
    let engine = ScriptedEngine::new(|done, _| match done {
        0 => calls(done, &["pay"]),
        _ => answer("done"),
    });
    let mut options = options(engine);
    let mut pay = tool("pay", SideEffects::Unsafe, Execution::Parallel);
    pay.approval = Some(ApprovalSpec::default());
    options.manifest.tools.push(pay);
    let world = World::new(options).await;
    let run = say(&world, "go").await;
    world.settle().await;

    let said = on(&world, &["runs", "show", &run]).await;
    assert_eq!(said.code, 0, "{said:?}");
    for wanted in [
        "is waiting_approval",
        "tokens in",
        "run.created (message, ",
        "pause.requested pay",
        "pay: approval, waits until",
        "openeve approve run_",
    ] {
        assert!(said.out.contains(wanted), "{wanted} is not in {}", said.out);
    }
    let told = on(&world, &["runs", "show", &run, "--json"]).await.json();
    assert_eq!(told["status"], "waiting_approval");
    assert_eq!(told["pauses"][0]["tool"], "pay", "{told}");
    let events = told["events"].as_array().unwrap();
    let numbers: Vec<i64> = events
        .iter()
        .map(|one| one["seq"].as_i64().unwrap())
        .collect();
    let count = i64::try_from(events.len()).unwrap();
    assert_eq!(numbers, (1..=count).collect::<Vec<_>>());

    let unknown = "run_019af00000007000800000000000000f";
    for command in ["show", "tail"] {
        let said = on(&world, &["runs", command, unknown]).await;
        assert!(
            said.code == 1 && said.err.contains("no such run"),
            "{said:?}"
        );
    }
}

#[tokio::test]
async fn the_tail_of_a_run_ends_with_it() {
    let world = world(echo()).await;
    let run = say(&world, "hello").await;
    world.settle().await;
    let said = on(&world, &["runs", "tail", &run, "--json"]).await;
    assert_eq!(said.code, 0, "{said:?}");
    let events: Vec<Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events[0]["kind"], "run.created");
    assert!(events.iter().any(|event| event["kind"] == "run.completed"));
    assert!(events.iter().all(|event| event["run_id"] == json!(run)));
}

#[tokio::test]
async fn the_tail_of_all_prints_what_is_new_until_it_is_stopped_by_hand() {
    let world = world(echo()).await;
    let old = say(&world, "before").await;
    world.settle().await;
    let mut process = Command::new(binary("openeve"))
        .args(["runs", "tail", "--agent", "tester", "--json"])
        .env_clear()
        .env("DATABASE_URL", world.database.url())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (send, mut lines) = unbounded_channel();
    let err = BufReader::new(process.stderr.take().unwrap());
    let out = BufReader::new(process.stdout.take().unwrap());
    std::thread::spawn(move || {
        // Whatever happens after it says so is new.
        for line in err.lines().map_while(Result::ok) {
            if line.contains("following tester") {
                break;
            }
        }
        drop(send.send("following".to_owned()));
        for line in out.lines().map_while(Result::ok) {
            drop(send.send(line));
        }
    });
    let first = within("it follows", lines.recv()).await;
    assert_eq!(first.as_deref(), Some("following"));
    let new = say(&world, "after").await;
    world.settle().await;
    loop {
        let line = within("the run completes", lines.recv()).await.unwrap();
        assert!(line.contains(&new) && !line.contains(&old), "{line}");
        if line.contains("run.completed") {
            break;
        }
    }
    let pid = rustix::process::Pid::from_raw(process.id().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(130));
}
