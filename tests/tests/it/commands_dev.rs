//! A run of `openeve dev` that waits for a person: asked on the terminal, decided by a command that
//! finds dev's private database, by HTTP, and by the next message.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use openeve_testkit::http_client::post_json;
use openeve_testkit::patience::within;
use openeve_testkit::scripted_model::{Reply, ScriptedModel, tool_results};
use openeve_tests::paths::binary;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const FILES: [(&str, &str); 5] = [
    ("instructions.md", "Pay what you are told to.\n"),
    (
        "agent.ts",
        "import { defineAgent } from \"@openeve/core\";\nexport default defineAgent({ id: \"payer\", model: \"openai/test\", defaultTools: [\"pay\"] });\n",
    ),
    (
        "gateway.ts",
        "import { adapter, defineGateway } from \"@openeve/core\";\nexport default defineGateway({ deploy: adapter(\"lambda\"), runtime: adapter(\"lambda\"), state: adapter(\"postgres\"), blob: adapter(\"s3\"), sandbox: adapter(\"virtual\"), scheduler: adapter(\"gateway\") });\n",
    ),
    (
        "channels/message.ts",
        "import { defineChannel } from \"@openeve/core\";\nexport default defineChannel({ transport: \"http\", route: \"/message\", methods: [\"POST\"] });\n",
    ),
    (
        "tools/pay.ts",
        "import { defineTool } from \"@openeve/core\";\nexport default defineTool({ description: \"Pays.\", inputSchema: { type: \"object\", properties: { euros: { type: \"number\" } }, required: [\"euros\"] }, needsApproval: true, async execute() { return { paid: true }; } });\n",
    ),
];

/// A running `openeve dev`.
struct Dev {
    process: Child,
    lines: UnboundedReceiver<String>,
    url: String,
}

impl Dev {
    async fn start(agent: &Path, model: &str) -> Self {
        let mut process = Command::new(binary("openeve"))
            .arg("dev")
            .arg(agent)
            .args(["--port", "7470"])
            .env_remove("DATABASE_URL")
            .env("OPENEVE_MODEL_BASE_URL", model)
            .env("OPENEVE_MODEL_API_KEY", "scripted")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, lines) = unbounded_channel();
        let stderr = BufReader::new(process.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                drop(send.send(line));
            }
        });
        let mut dev = Self {
            process,
            lines,
            url: String::new(),
        };
        let up = dev.until(" is up at ").await;
        let (_, rest) = up.split_once(" is up at ").unwrap();
        rest.split_whitespace()
            .next()
            .unwrap()
            .clone_into(&mut dev.url);
        dev
    }

    /// Reads on until a line contains a text.
    async fn until(&mut self, text: &str) -> String {
        let mut said = Vec::new();
        let found = async {
            while let Some(line) = self.lines.recv().await {
                if line.contains(text) {
                    return Some(line);
                }
                said.push(line);
            }
            None
        };
        let found = within(&format!("{text:?} to be said"), found).await;
        found.unwrap_or_else(|| panic!("{text:?} was not said, but\n{}", said.join("\n")))
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        let answer = post_json(&format!("{}{path}", self.url), body).await;
        answer.unwrap().json()
    }

    async fn say(&self, text: &str) -> Value {
        let body = json!({"message": text, "conversation": "me", "sender": "ada"});
        self.post("/message", &body).await
    }

    fn interrupt(&mut self) {
        let pid = rustix::process::Pid::from_raw(self.process.id().cast_signed()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            self.interrupt();
        }
    }
}

/// Runs the words of a command that was shown, as a shell would, and returns its exit code.
async fn run(line: &str, folder: &Path) -> i32 {
    let (_, words) = line.split_once("openeve ").unwrap();
    let mut command = Command::new(binary("openeve"));
    command
        .args(words.split_whitespace())
        .current_dir(folder)
        .env_clear();
    let status = tokio::task::spawn_blocking(move || command.status().unwrap());
    status.await.unwrap().code().unwrap()
}

#[tokio::test]
async fn dev_says_who_is_asked_what_and_the_shown_commands_decide_it() {
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("payer");
    for (path, text) in FILES {
        let path = agent.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let model = ScriptedModel::start(|request| match tool_results(request) {
        0 => Reply::call("call_0", "pay", &json!({"euros": 10})),
        1 => Reply::call(
            "call_1",
            "ask_question",
            &json!({"question": "Anything else?"}),
        ),
        2 => Reply::call("call_2", "pay", &json!({"euros": 20})),
        _ => Reply::text("Paid."),
    })
    .await;
    let mut dev = Dev::start(&agent, model.url()).await;
    let run_id = dev.say("Pay 10 euros.").await["run_id"].clone();
    let run_id = run_id.as_str().unwrap();
    dev.until("pay: approval").await;
    dev.until("{\"euros\":10}").await;
    dev.until("whoever started the run (ada)").await;
    let approve = dev.until("openeve approve ").await;
    dev.until(&format!("/runs/{run_id}/approve")).await;
    // From anywhere, with nothing in its environment: the command names the folder.
    assert_eq!(run(&approve, Path::new("/")).await, 0);
    dev.until("Anything else?").await;
    dev.until("post the next message").await;
    let answered = dev.say("20 more, please.").await;
    assert_eq!(
        (&answered["answered"], &answered["run_id"]),
        (&json!(true), &json!(run_id))
    );
    dev.until("pause.decided: answer by ada").await;
    dev.until("{\"euros\":20}").await;
    let approve = dev.until("openeve approve ").await;
    let decided = dev
        .post(
            &format!("/runs/{run_id}/reject"),
            &json!({"reason": "enough"}),
        )
        .await;
    assert_eq!(decided["decided"], true, "{decided}");
    dev.until("pause.decided: reject by operator").await;
    dev.until("run.completed").await;
    assert_eq!(run(&approve, Path::new("/")).await, 1, "it was rejected");
    dev.interrupt();
    assert_eq!(
        run(&approve, Path::new("/")).await,
        2,
        "its database is gone"
    );
}
