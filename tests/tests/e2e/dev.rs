//! `openeve dev`, as a person meets it: started, asked, killed, started again.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use openeve_testkit::gate::Gate;
use openeve_testkit::http_client::{HttpAnswer, post_json, request};
use openeve_testkit::patience::{PATIENCE, eventually};
use openeve_testkit::scripted_model::{Reply, ScriptedModel, tool_results};
use openeve_tests::paths::{binary, copy_of_concierge};
use serde_json::{Value, json};

/// A running `openeve dev`.
struct Dev {
    process: Child,
    lines: Receiver<String>,
    said: Vec<String>,
    url: String,
}

impl Dev {
    /// Starts it and waits until it is up.
    fn start(agent: &Path, env: &[(&str, &str)]) -> Self {
        let mut dev = Self::spawn(agent, env, &[]);
        let up = dev.until(" is up at ");
        let (_, rest) = up.split_once(" is up at ").unwrap();
        rest.split_whitespace()
            .next()
            .unwrap()
            .clone_into(&mut dev.url);
        dev
    }

    fn spawn(agent: &Path, env: &[(&str, &str)], arguments: &[&str]) -> Self {
        let mut process = Command::new(binary("openeve"))
            .arg("dev")
            .arg(agent)
            .args(["--port", "7170"])
            .args(arguments)
            .env_remove("DATABASE_URL")
            .env_remove("OPENEVE_MODEL_API_KEY")
            .env_remove("OPENAI_API_KEY")
            .envs(env.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, lines) = channel();
        let stderr = BufReader::new(process.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            process,
            lines,
            said: Vec::new(),
            url: String::new(),
        }
    }

    /// Reads on until a line contains a text.
    fn until(&mut self, text: &str) -> String {
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("waited for {text:?}; it said:\n{}", self.said.join("\n"));
            };
            self.said.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
    }

    async fn say(&self, text: &str) -> String {
        let answer = post_json(
            &format!("{}/message", self.url),
            &json!({"message": text, "conversation": "me"}),
        )
        .await;
        let answer = answer.unwrap();
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.json()["run_id"].as_str().unwrap().to_owned()
    }

    async fn get(&self, path: &str) -> HttpAnswer {
        request("GET", &format!("{}{path}", self.url), &[], b"")
            .await
            .unwrap()
    }

    async fn finished(&self, run: &str) -> Value {
        eventually("the run ends and its reply is settled", async || {
            let view = self.get(&format!("/runs/{run}")).await.json();
            (view["finished_at"].is_string() && view["delivery"] != "sending").then_some(view)
        })
        .await
    }

    async fn kinds(&self, run: &str) -> Vec<String> {
        let events = self.get(&format!("/runs/{run}/events")).await.json();
        let events = events["events"].as_array().unwrap();
        events
            .iter()
            .map(|event| event["kind"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Ctrl-C, and the exit code.
    fn interrupt(&mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_raw(self.process.id().cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.process.wait().unwrap().code()
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            self.interrupt();
        }
    }
}

/// A model that books ten tables, one after another; the fifth answer waits at the gate.
fn ten_tables(gate: Gate) -> impl FnMut(&Value) -> Reply + Send + 'static {
    move |request| match tool_results(request) {
        10 => Reply::text("Ten tables are booked."),
        done => {
            let reply = Reply::call(
                &format!("call_{done}"),
                "book_table",
                &openeve_tests::deployment::booking(),
            );
            if done == 5 {
                reply.held_by(&gate)
            } else {
                reply
            }
        }
    }
}

#[tokio::test]
async fn killed_in_the_middle_of_a_ten_tool_turn_it_finishes_after_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    let gate = Gate::new();
    let model = ScriptedModel::start(ten_tables(gate.clone())).await;
    let env = [
        ("OPENEVE_MODEL_BASE_URL", model.url()),
        ("OPENEVE_MODEL_API_KEY", "scripted"),
    ];
    let mut dev = Dev::start(&agent, &env);
    let run = dev.say("Ten tables, please.").await;
    gate.arrived(1).await;
    let before = dev
        .kinds(&run)
        .await
        .iter()
        .filter(|kind| *kind == "table.booked")
        .count();
    assert_eq!(before, 5, "five had settled when it was killed");
    dev.process.kill().unwrap();
    dev.process.wait().unwrap();
    gate.open();

    let dev = Dev::start(&agent, &env);
    let view = dev.finished(&run).await;
    assert_eq!(
        (&view["status"], &view["reply"]),
        (&json!("completed"), &json!("Ten tables are booked."))
    );
    let kinds = dev.kinds(&run).await;
    let count = |kind: &str| kinds.iter().filter(|found| *found == kind).count();
    assert_eq!(
        count("table.booked"),
        10,
        "each table was booked once: {kinds:?}"
    );
    assert_eq!(
        (count("run.completed"), count("delivery.sent")),
        (1, 1),
        "one reply"
    );
}

#[tokio::test]
async fn a_newcomer_without_a_key_gets_an_answer_from_two_tools_and_ctrl_c_ends_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    let mut dev = Dev::start(&agent, &[]);
    assert!(dev.until("model:").contains("OFFLINE DEMO"));
    let run = dev
        .say("When does the sauna open, and how long is it until then?")
        .await;
    let view = dev.finished(&run).await;
    assert!(
        view["reply"].as_str().unwrap().starts_with("[demo model] "),
        "{view}"
    );
    let kinds = dev.kinds(&run).await;
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| *kind == "tool.execution_succeeded")
            .count(),
        2,
        "{kinds:?}"
    );
    dev.until("run.completed");
    assert_eq!(dev.interrupt(), Some(0));
}

#[tokio::test]
async fn a_changed_folder_is_reloaded_and_a_broken_one_keeps_the_old_revision() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    let mut dev = Dev::start(&agent, &[]);
    dev.until("/runs/<run_id>");
    let revision = dev.get("/readyz").await.json()["revision"].clone();
    let instructions = agent.join("instructions.md");
    let text = std::fs::read_to_string(&instructions).unwrap();
    std::fs::write(&instructions, format!("{text}\nBe brief.\n")).unwrap();
    dev.until("reloaded: revision");
    assert_ne!(dev.get("/readyz").await.json()["revision"], revision);
    let tool = std::fs::read_to_string(agent.join("tools/time_until.ts")).unwrap();
    std::fs::write(
        agent.join("tools/time_until.ts"),
        "export default defineTool({",
    )
    .unwrap();
    dev.until("syntax-error");
    dev.until("the previous revision goes on");
    assert_eq!(dev.get("/health").await.status, 200);
    std::fs::write(agent.join("tools/time_until.ts"), tool).unwrap();
    dev.until("mended");
    // What it writes itself must not wake it again: another edit is the next thing it speaks of.
    std::fs::write(&instructions, text).unwrap();
    assert!(dev.until("re").contains("reloaded: revision"));
}

#[tokio::test]
async fn a_folder_that_cannot_be_built_says_every_reason_and_exits() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    std::fs::remove_file(agent.join("instructions.md")).unwrap();
    std::fs::write(
        agent.join("tools/time_until.ts"),
        "export default defineTool({",
    )
    .unwrap();
    let mut dev = Dev::spawn(&agent, &[], &[]);
    let code = dev.process.wait().unwrap().code();
    let said: Vec<String> = dev.lines.iter().collect();
    let said = said.join("\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("missing-instructions") && said.contains("tools/time_until.ts:1:"),
        "{said}"
    );
}

#[tokio::test]
async fn a_database_that_is_down_at_start_says_so_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    let mut dev = Dev::spawn(
        &agent,
        &[(
            "DATABASE_URL",
            "postgres://nobody:hunter22@127.0.0.1:9/none",
        )],
        &[],
    );
    let code = dev.process.wait().unwrap().code();
    let said = dev.lines.iter().collect::<Vec<_>>().join("\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("DATABASE_URL") && !said.contains("hunter22"),
        "{said}"
    );
}

#[tokio::test]
async fn one_message_and_out_prints_the_reply_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    let answer = one_message(&agent, &["--port", "7270"]);
    assert!(
        answer.starts_with("[demo model] ") && answer.contains("15:00"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_script_reads_what_happens_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    let printed = one_message(&agent, &["--port", "7274", "--json"]);
    let lines: Vec<serde_json::Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["kind"].as_str())
        .collect();
    assert_eq!(kinds.first(), Some(&"dev.up"), "{printed}");
    assert!(kinds.contains(&"run.completed"), "{printed}");
    let reply = lines.iter().find(|line| line["kind"] == "dev.reply");
    let text = reply.unwrap()["text"].as_str().unwrap();
    assert!(text.starts_with("[demo model] "), "{printed}");
}

/// What `dev` prints while it answers one message without a model's key.
fn one_message(agent: &Path, more: &[&str]) -> String {
    let mut process = Command::new(binary("openeve"))
        .args(["dev", "--once", "--message", "When does the sauna open?"])
        .args(more)
        .arg(agent)
        .env_remove("DATABASE_URL")
        .env_remove("OPENEVE_MODEL_API_KEY")
        .env_remove("OPENAI_API_KEY")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut answer = String::new();
    process
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut answer)
        .unwrap();
    assert!(process.wait().unwrap().success());
    answer
}

#[tokio::test]
async fn a_web_page_of_another_origin_and_a_foreign_host_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    let dev = Dev::start(&agent, &[]);
    let url = format!("{}/message", dev.url);
    for header in [
        ("origin", "https://evil.example"),
        ("host", "evil.example:7170"),
    ] {
        let answer = request(
            "POST",
            &url,
            &[header, ("content-type", "text/plain")],
            b"hi",
        )
        .await
        .unwrap();
        assert_eq!(answer.status, 403, "{header:?}: {}", answer.text());
    }
    let own = [("origin", dev.url.as_str()), ("content-type", "text/plain")];
    assert_eq!(
        request("POST", &url, &own, b"hi").await.unwrap().status,
        202
    );
}

#[tokio::test]
async fn the_first_ctrl_c_ends_a_wait_for_a_reply_that_does_not_come() {
    let folder = tempfile::tempdir().unwrap();
    let agent = copy_of_concierge(folder.path());
    let gate = Gate::new();
    let held = gate.clone();
    let model = ScriptedModel::start(move |_| Reply::text("late").held_by(&held)).await;
    let env = [
        ("OPENEVE_MODEL_BASE_URL", model.url()),
        ("OPENEVE_MODEL_API_KEY", "scripted"),
    ];
    let mut dev = Dev::spawn(&agent, &env, &["--once", "--message", "hello"]);
    gate.arrived(1).await;
    let pid = rustix::process::Pid::from_raw(dev.process.id().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    dev.until("finishing what has begun");
    gate.open();
    assert!(dev.process.wait().unwrap().success());
}
