//! `openeve serve`, as an operator meets it: started, asked, killed, started again, told to end.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver as Lines, channel};

use openeve_testkit::database::{TestDatabase, TestServer};
use openeve_testkit::gate::Gate;
use openeve_testkit::http_client::{HttpAnswer, request};
use openeve_testkit::patience::eventually;
use openeve_testkit::receiver::Receiver;
use openeve_testkit::scripted_model::{Reply, ScriptedModel, tool_results};
use openeve_tests::deployment::{MODEL_KEY, SIGNING, TOKEN, booking};
use openeve_tests::migrated_database;
use openeve_tests::paths::{binary, copy_of_concierge};
use rustix::process::Signal;
use serde_json::{Value, json};

const TICK_SECRET: &str = "clock-secret-4712";

/// What every process of one deployment shares.
struct Site {
    database: TestDatabase,
    model: ScriptedModel,
    receiver: Receiver,
    agent: PathBuf,
    _folder: tempfile::TempDir,
}

impl Site {
    async fn new(script: impl FnMut(&Value) -> Reply + Send + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agent = copy_of_concierge(folder.path());
        let built = Command::new(binary("openeve"))
            .arg("build")
            .arg(&agent)
            .output()
            .unwrap();
        assert!(built.status.success(), "{built:?}");
        Self {
            database: migrated_database(TestServer::shared()).await,
            model: ScriptedModel::start(script).await,
            receiver: Receiver::answering(Vec::new()).await,
            agent,
            _folder: folder,
        }
    }

    fn env(&self) -> Vec<(&'static str, String)> {
        vec![
            ("DATABASE_URL", self.database.url()),
            ("OPENEVE_MODEL_BASE_URL", self.model.url().to_owned()),
            ("OPENEVE_MODEL_API_KEY", MODEL_KEY.to_owned()),
            ("OPENEVE_ADMIN_TOKEN", "admin-token-of-the-test".to_owned()),
            ("OPENEVE_SCHEDULER_SECRET", TICK_SECRET.to_owned()),
            ("CONCIERGE_TOKEN", TOKEN.to_owned()),
            ("CONCIERGE_REPLY_URL", self.receiver.url().to_owned()),
            ("CONCIERGE_REPLY_SECRET", SIGNING.to_owned()),
            ("OPENEVE_RUN_LEASE_MS", "2000".to_owned()),
            ("OPENEVE_RUN_HEARTBEAT_MS", "500".to_owned()),
            ("OPENEVE_TICK_INTERVAL_MS", "200".to_owned()),
        ]
    }

    async fn start(&self) -> Serve {
        self.start_with(&[]).await
    }

    async fn start_with(&self, more: &[(&'static str, &str)]) -> Serve {
        let mut env = self.env();
        env.extend(
            more.iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        let mut serve = Serve::spawn(&self.agent, &env);
        let up: Value = serde_json::from_str(&serve.until("\"serving\"").await).unwrap();
        serve.url = format!("http://{}", up["address"].as_str().unwrap());
        serve
    }
}

/// A running `openeve serve`.
struct Serve {
    process: Child,
    lines: Lines<String>,
    said: Vec<String>,
    url: String,
}

impl Serve {
    fn spawn(agent: &Path, env: &[(&'static str, String)]) -> Self {
        Self::run("serve", agent, &["--host", "127.0.0.1", "--port", "0"], env)
    }

    fn run(
        command: &str,
        agent: &Path,
        arguments: &[&str],
        env: &[(&'static str, String)],
    ) -> Self {
        let mut process = Command::new(binary("openeve"))
            .arg(command)
            .arg(agent)
            .args(arguments)
            .env_clear()
            .envs(env.iter().map(|(name, value)| (*name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, lines) = channel();
        let out: Box<dyn std::io::Read + Send> = Box::new(process.stdout.take().unwrap());
        let err: Box<dyn std::io::Read + Send> = Box::new(process.stderr.take().unwrap());
        for stream in [out, err] {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Self {
            process,
            lines,
            said: Vec::new(),
            url: String::new(),
        }
    }

    /// Reads on until a line contains a text. The model and the receiver work meanwhile.
    async fn until(&mut self, text: &str) -> String {
        let lines = &self.lines;
        let said = &mut self.said;
        eventually(&format!("{text:?} to be said"), async || {
            while let Ok(line) = lines.try_recv() {
                said.push(line.clone());
                if line.contains(text) {
                    return Some(line);
                }
            }
            None
        })
        .await
    }

    async fn say(&self, text: &str) -> String {
        let body = json!({"message": text, "conversation": "me"}).to_string();
        let bearer = format!("Bearer {TOKEN}");
        let headers = [
            ("content-type", "application/json"),
            ("authorization", bearer.as_str()),
        ];
        let url = format!("{}/message", self.url);
        let answer = request("POST", &url, &headers, body.as_bytes()).await;
        let answer = answer.unwrap();
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.json()["run_id"].as_str().unwrap().to_owned()
    }

    async fn get(&self, path: &str) -> HttpAnswer {
        let headers = [("authorization", "Bearer admin-token-of-the-test")];
        request("GET", &format!("{}{path}", self.url), &headers, b"")
            .await
            .unwrap()
    }

    async fn finished(&self, run: &str) -> Value {
        eventually("the run ends and its reply is settled", async || {
            let view = self.get(&format!("/runs/{run}")).await.json();
            (view["finished_at"].is_string() && view["delivery"] == "sent").then_some(view)
        })
        .await
    }

    async fn booked(&self, run: &str) -> usize {
        let events = self.get(&format!("/runs/{run}/events")).await.json();
        let events = events["events"].as_array().unwrap();
        events
            .iter()
            .filter(|event| event["kind"] == "table.booked")
            .count()
    }

    fn signal(&self, signal: Signal) {
        let pid = rustix::process::Pid::from_raw(self.process.id().cast_signed()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Kill -9.
    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// The exit code, once it has ended.
    async fn code(&mut self) -> Option<i32> {
        let process = &mut self.process;
        let status = eventually("it to end", async || process.try_wait().unwrap());
        status.await.code()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            self.kill();
        }
    }
}

/// A model that books ten tables, one after another; the fifth answer waits at the gate.
fn ten_tables(gate: Gate) -> impl FnMut(&Value) -> Reply + Send + 'static {
    move |request| match tool_results(request) {
        10 => Reply::text("Ten tables are booked."),
        done => {
            let reply = Reply::call(&format!("call_{done}"), "book_table", &booking());
            if done == 5 {
                reply.held_by(&gate)
            } else {
                reply
            }
        }
    }
}

#[tokio::test]
async fn a_killed_process_is_followed_by_the_next_start_and_the_reply_is_sent_once() {
    let gate = Gate::new();
    let site = Site::new(ten_tables(gate.clone())).await;
    let mut first = site.start().await;
    let run = first.say("Ten tables, please.").await;
    gate.arrived(1).await;
    assert_eq!(first.booked(&run).await, 5);
    first.kill();
    gate.open();

    let second = site.start().await;
    let view = second.finished(&run).await;
    assert_eq!(
        (&view["status"], &view["reply"]),
        (&json!("completed"), &json!("Ten tables are booked."))
    );
    assert_eq!(second.booked(&run).await, 10, "each table was booked once");
    assert_eq!(site.receiver.recorded().len(), 1, "one reply");
}

#[tokio::test]
async fn processes_on_one_database_take_over_from_each_other() {
    let gate = Gate::new();
    let site = Site::new(ten_tables(gate.clone())).await;
    let (mut one, other) = (site.start().await, site.start().await);
    let run = one.say("Ten tables, please.").await;
    gate.arrived(1).await;
    one.kill();
    gate.open();
    let view = other.finished(&run).await;
    assert_eq!(view["status"], "completed");
    assert_eq!(other.booked(&run).await, 10);
    assert_eq!(site.receiver.recorded().len(), 1);
}

#[tokio::test]
async fn sigterm_takes_no_new_request_hands_the_run_on_at_its_boundary_and_exits_with_zero() {
    let gate = Gate::new();
    let site = Site::new(ten_tables(gate.clone())).await;
    let mut first = site.start().await;
    let run = first.say("Ten tables, please.").await;
    gate.arrived(1).await;
    first.signal(Signal::TERM);
    let draining: Value = serde_json::from_str(&first.until("draining").await).unwrap();
    assert_eq!(draining["begun"], 1, "{draining}");
    eventually("it takes no connection", async || {
        let refused = request("GET", &format!("{}/health", first.url), &[], b"").await;
        refused.is_err().then_some(())
    })
    .await;
    gate.open();
    first.until("\"stopped\"").await;
    assert_eq!(first.code().await, Some(0));
    let client = site.database.connect().await;
    let row = client
        .query_one("SELECT status, lease_token IS NULL FROM openeve.runs", &[])
        .await
        .unwrap();
    let held: (String, bool) = (row.get(0), row.get(1));
    assert_eq!(held, ("running".to_owned(), true), "nobody holds it");

    let second = site.start().await;
    let view = second.finished(&run).await;
    assert_eq!(view["status"], "completed");
    assert_eq!(second.booked(&run).await, 10);
}

#[tokio::test]
async fn work_that_comes_to_no_boundary_is_left_behind_after_the_time_to_drain() {
    let gate = Gate::new();
    let site = Site::new(ten_tables(gate.clone())).await;
    let mut first = site.start_with(&[("OPENEVE_SERVE_DRAIN_MS", "100")]).await;
    let run = first.say("Ten tables, please.").await;
    gate.arrived(1).await;
    first.signal(Signal::TERM);
    let left: Value = serde_json::from_str(&first.until("come to a boundary").await).unwrap();
    assert_eq!(left["left"], 1);
    assert_eq!(first.code().await, Some(0));
    gate.open();
    let second = site.start().await;
    assert_eq!(second.finished(&run).await["status"], "completed");
}

#[tokio::test]
async fn schedules_wait_for_the_outside_clock_and_its_secret_where_the_gateway_says_so() {
    let site = Site::new(|_| Reply::text("Good morning.")).await;
    let serve = site
        .start_with(&[("OPENEVE_SCHEDULE_LOOKBACK_MS", "86400000")])
        .await;
    let url = format!("{}/openeve/scheduler/tick", serve.url);
    for headers in [
        vec![],
        vec![("authorization", "Bearer admin-token-of-the-test")],
        vec![("x-openeve-scheduler-secret", "wrong")],
    ] {
        let refused = request("POST", &url, &headers, b"").await.unwrap();
        assert_eq!(refused.status, 401, "{headers:?}: {}", refused.text());
    }
    let client = site.database.connect().await;
    let count = async || -> i64 {
        let sql = "SELECT count(*) FROM openeve.runs";
        client.query_one(sql, &[]).await.unwrap().get(0)
    };
    assert_eq!(count().await, 0, "its own loop fires nothing");
    let bearer = format!("Bearer {TICK_SECRET}");
    let rung = request("GET", &url, &[("authorization", bearer.as_str())], b"").await;
    let rung = rung.unwrap();
    assert_eq!(
        (rung.status.as_u16(), rung.json()["fired"].clone()),
        (200, json!(1))
    );
    let again = [("x-openeve-scheduler-secret", TICK_SECRET)];
    let again = request("POST", &url, &again, b"").await.unwrap();
    assert_eq!(again.json()["fired"], 0, "an occurrence fires once");
    assert_eq!(count().await, 1);
}

#[tokio::test]
async fn it_starts_with_nothing_missing_and_says_every_variable_at_once() {
    let site = Site::new(|_| Reply::text("hello")).await;
    let env = [
        ("DATABASE_URL", "http://u:hunter22@h/db".to_owned()),
        ("OPENEVE_MODE", "development".to_owned()),
        ("OPENEVE_TICK_INTERVAL_MS", "fast".to_owned()),
    ];
    let mut serve = Serve::spawn(&site.agent, &env);
    assert_eq!(serve.code().await, Some(2));
    let said = serve.lines.iter().collect::<Vec<_>>().join("\n");
    for wanted in [
        "DATABASE_URL",
        "OPENEVE_MODE",
        "OPENEVE_TICK_INTERVAL_MS",
        "OPENEVE_MODEL_API_KEY",
        "OPENEVE_SCHEDULER_SECRET",
        "CONCIERGE_TOKEN",
        "CONCIERGE_REPLY_URL",
        "CONCIERGE_REPLY_SECRET",
        "channels/message.ts",
    ] {
        assert!(said.contains(wanted), "{wanted} is not in\n{said}");
    }
    assert!(!said.contains("hunter22"), "{said}");
}

#[tokio::test]
async fn an_older_schema_is_refused_unless_it_may_migrate() {
    let mut site = Site::new(|_| Reply::text("hello")).await;
    site.database = TestDatabase::create("template0").await;
    let mut env = site.env();
    env.push(("OPENEVE_AUTO_MIGRATE", "false".to_owned()));
    let mut refused = Serve::spawn(&site.agent, &env);
    assert_eq!(refused.code().await, Some(1));
    let said = refused.lines.iter().collect::<Vec<_>>().join("\n");
    assert!(said.contains("openeve migrate"), "{said}");

    let migrates = site.start().await;
    let ready = migrates.get("/readyz").await;
    assert_eq!(ready.status, 200, "{}", ready.text());
}

#[tokio::test]
async fn a_local_deployment_goes_on_as_the_host() {
    let site = Site::new(|_| Reply::text("hello")).await;
    let mut env = site.env();
    let path = openeve_tests::paths::variable("PATH").unwrap();
    env.push(("PATH", path));
    let arguments = ["--target", "local", "--port", "0"];
    let mut serve = Serve::run("deploy", &site.agent, &arguments, &env);
    let up: Value = serde_json::from_str(&serve.until("\"serving\"").await).unwrap();
    let (_, port) = up["address"].as_str().unwrap().rsplit_once(':').unwrap();
    serve.url = format!("http://127.0.0.1:{port}");
    let run = serve.say("Hello?").await;
    assert_eq!(serve.finished(&run).await["status"], "completed");
    assert!(site.agent.join(".openeve/deployment.json").exists());
    serve.signal(Signal::TERM);
    assert_eq!(serve.code().await, Some(0));
}

#[tokio::test]
async fn processes_that_start_at_once_on_an_empty_database_all_come_up() {
    let mut site = Site::new(|_| Reply::text("hello")).await;
    site.database = TestDatabase::create("template0").await;
    let started = [(); 3].map(|()| site.start());
    let up = futures_util::future::join_all(started).await;
    for serve in &up {
        assert_eq!(serve.get("/readyz").await.status, 200);
    }
    let run = up[0].say("Hello?").await;
    assert_eq!(up[2].finished(&run).await["status"], "completed");
}
