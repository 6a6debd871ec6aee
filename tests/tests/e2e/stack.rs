//! The shipped template, deployed as it is to MiniStack with the release archives: a message goes
//! in at the function URL and comes out at the receiver, the schedule fires, a poisoned message
//! ends in its dead-letter queue.

use std::path::{Path, PathBuf};
use std::process::Command;

use openeve_domain::ids::RunId;
use openeve_domain::secret::Secret;
use openeve_domain::status::DeliveryStatus;
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::ports::Store as _;
use openeve_testkit::database::TestServer;
use openeve_testkit::http_client::HttpAnswer;
use openeve_testkit::patience::eventually;
use openeve_testkit::receiver::Receiver;
use openeve_testkit::scripted_model::ScriptedModel;
use openeve_tests::deployment::{SIGNING, TOKEN, assert_signed, two_tools};
use openeve_tests::emulator::Emulator;
use openeve_tests::migrated_database;
use openeve_tests::paths::{binary, copy_of_concierge, repository, variable};
use serde_json::{Value, json};

const ADMIN: &str = "an-admin-token-of-some-length";

/// Bundles a copy of the example, with a schedule that fires every minute, from the functions that
/// the test command compiled for release.
fn bundle(folder: &Path) -> PathBuf {
    let functions = variable("OPENEVE_TEST_FUNCTIONS").map_or_else(
        || repository().join("target/lambda-functions/x86_64"),
        PathBuf::from,
    );
    assert!(
        functions.join("step/bootstrap").exists(),
        "{} holds no compiled functions; run the tests with tests/run",
        functions.display()
    );
    let agent = copy_of_concierge(folder);
    let schedule = "import { defineSchedule } from \"@openeve/core\";\n\
                    export default defineSchedule({ cron: \"* * * * *\", message: \"Good morning.\", channel: \"message\" });\n";
    std::fs::write(agent.join("schedules/minutely.ts"), schedule).unwrap();
    let built = Command::new(binary("openeve"))
        .arg("build")
        .arg(&agent)
        .args(["--target", "lambda", "--arch", "x86_64", "--functions"])
        .arg(functions)
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    agent.join(".openeve/lambda")
}

/// Form encoding of AWS's query protocol.
fn form(pairs: &[(&str, &str)]) -> String {
    let encode = |text: &str| -> String {
        text.bytes().fold(String::new(), |mut out, byte| {
            use std::fmt::Write as _;
            if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                out.push(char::from(byte));
            } else {
                write!(out, "%{byte:02X}").unwrap();
            }
            out
        })
    };
    pairs
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
        .collect::<Vec<_>>()
        .join("&")
}

async fn query(emulator: &Emulator, service: &str, pairs: &[(&str, &str)]) -> HttpAnswer {
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    emulator
        .call(service, "POST", "/", &headers, form(pairs).as_bytes())
        .await
}

async fn json_call(emulator: &Emulator, service: &str, target: &str, body: &Value) -> Value {
    let headers = [
        ("content-type", "application/x-amz-json-1.1"),
        ("x-amz-target", target),
    ];
    let answer = emulator
        .call(service, "POST", "/", &headers, body.to_string().as_bytes())
        .await;
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    answer.json()
}

/// Uploads the archives and deploys the template with these parameters; returns its outputs' text.
#[expect(
    clippy::too_many_lines,
    reason = "the steps of one deployment, in order"
)]
async fn deploy(emulator: &Emulator, folder: &Path, parameters: &[(&str, &str)]) -> String {
    assert!(
        emulator
            .call("s3", "PUT", "/archives", &[], b"")
            .await
            .status
            .is_success()
    );
    let mut template = std::fs::read_to_string(folder.join("template.yaml")).unwrap();
    for name in ["ingress", "tick", "step", "delivery", "sweep"] {
        let archive = std::fs::read(folder.join(format!("{name}.zip"))).unwrap();
        let uploaded = emulator
            .call("s3", "PUT", &format!("/archives/{name}.zip"), &[], &archive)
            .await;
        assert!(uploaded.status.is_success(), "{}", uploaded.text());
        // What `sam package` does.
        let local = format!("CodeUri: ./{name}.zip");
        assert!(template.contains(&local), "the template names {local}");
        template = template.replace(&local, &format!("CodeUri: s3://archives/{name}.zip"));
    }
    // The emulator reads a referenced number as a text, and unpacks code into a folder of its own.
    template = template
        .replace(
            "MaximumConcurrency: !Ref StepConcurrency",
            "MaximumConcurrency: 50",
        )
        .replace(
            "MaximumConcurrency: !Ref DeliveryConcurrency",
            "MaximumConcurrency: 10",
        )
        .replace("/var/task/.openeve", ".openeve");
    let mut pairs = vec![
        ("Action".to_owned(), "CreateStack".to_owned()),
        ("Version".to_owned(), "2010-05-15".to_owned()),
        ("StackName".to_owned(), "oe".to_owned()),
        (
            "Capabilities.member.1".to_owned(),
            "CAPABILITY_IAM".to_owned(),
        ),
        (
            "Capabilities.member.2".to_owned(),
            "CAPABILITY_AUTO_EXPAND".to_owned(),
        ),
        ("TemplateBody".to_owned(), template),
    ];
    for (number, (key, value)) in (1..).zip(parameters) {
        pairs.push((
            format!("Parameters.member.{number}.ParameterKey"),
            (*key).to_owned(),
        ));
        pairs.push((
            format!("Parameters.member.{number}.ParameterValue"),
            (*value).to_owned(),
        ));
    }
    let pairs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let created = query(emulator, "cloudformation", &pairs).await;
    assert_eq!(created.status, 200, "{}", created.text());
    eventually("the stack is created", async || {
        let described = [
            ("Action", "DescribeStacks"),
            ("Version", "2010-05-15"),
            ("StackName", "oe"),
        ];
        let text = query(emulator, "cloudformation", &described).await.text();
        assert!(
            !text.contains("FAILED") && !text.contains("ROLLBACK"),
            "{text}"
        );
        text.contains("CREATE_COMPLETE").then_some(text)
    })
    .await
}

/// The text between two marks.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text
        .split_once(before)
        .unwrap_or_else(|| panic!("{before} is not in {text}"));
    rest.split_once(after).map_or(rest, |(found, _)| found)
}

#[tokio::test]
#[expect(
    clippy::too_many_lines,
    reason = "one deployment serves the three questions"
)]
async fn the_shipped_template_carries_a_message_fires_the_schedule_and_buries_a_poisoned_message() {
    let emulator = Emulator::start().await;
    let database = migrated_database(TestServer::shared()).await;
    let store = PgStore::new(Pool::new(&Secret::new(database.url()), 2, None).unwrap());
    let model = ScriptedModel::start(two_tools).await;
    let receiver = Receiver::answering(Vec::new()).await;
    let agent = json!({
        "CONCIERGE_TOKEN": TOKEN,
        "CONCIERGE_REPLY_URL": format!("{}/reply", receiver.url()),
        "CONCIERGE_REPLY_SECRET": SIGNING,
    });
    let create = json!({"Name": "agent", "SecretString": agent.to_string()});
    let secret = json_call(
        &emulator,
        "secretsmanager",
        "secretsmanager.CreateSecret",
        &create,
    )
    .await;
    let agent = tempfile::tempdir().unwrap();
    let outputs = deploy(
        &emulator,
        &bundle(agent.path()),
        &[
            ("DatabaseUrl", &database.url()),
            ("ModelApiKey", "sk-scripted"),
            ("AdminToken", ADMIN),
            ("PlainValues", "yes"),
            ("ChannelSecretArn", secret["ARN"].as_str().unwrap()),
            ("ModelBaseUrl", model.url()),
            ("Architecture", "x86_64"),
        ],
    )
    .await;

    // In at the function URL, out at the receiver.
    let host = format!(
        "{}.lambda-url.us-east-1.on.aws",
        between(&outputs, "https://", ".lambda-url.")
    );
    let auth = format!("Bearer {TOKEN}");
    let headers = [
        ("host", host.as_str()),
        ("authorization", auth.as_str()),
        ("content-type", "application/json"),
    ];
    let body =
        json!({"message": "Sauna, and a table for two?", "conversation": "guest-7"}).to_string();
    let answer = openeve_testkit::http_client::request(
        "POST",
        &format!("{}/message", emulator.endpoint()),
        &headers,
        body.as_bytes(),
    )
    .await
    .unwrap();
    assert_eq!(answer.status, 202, "{}\n{}", answer.text(), emulator.log());
    let run: RunId = answer.json()["run_id"].as_str().unwrap().parse().unwrap();
    let reply = &receiver.received(1).await[0];
    assert_signed(reply);
    assert_eq!(
        reply.json()["data"]["text"],
        "Booked. The sauna opens at 15:00."
    );
    eventually("the reply is settled", async || {
        let view = store.run_view("concierge", run).await.unwrap()?;
        (view.delivery == Some(DeliveryStatus::Sent)).then_some(())
    })
    .await;

    // The schedule fires: the emulator's EventBridge drives the tick, and the tick the agent.
    eventually_minutes("an occurrence became a run that was answered", async || {
        let client = database.connect().await;
        let sql = "SELECT count(*) FROM openeve.schedule_runs s JOIN openeve.runs r ON r.id = s.run_id \
                   WHERE s.schedule = 'minutely' AND r.status = 'completed'";
        let fired: i64 = client.query_one(sql, &[]).await.unwrap().get(0);
        (fired > 0).then_some(())
    })
    .await;

    // A poisoned message ends in the dead letters.
    let step_queue = format!("{}/000000000000/oe-step", emulator.endpoint());
    let dead_queue = format!("{step_queue}-dead");
    let visible = [
        ("Action", "SetQueueAttributes"),
        ("Version", "2012-11-05"),
        ("QueueUrl", step_queue.as_str()),
        ("Attribute.1.Name", "VisibilityTimeout"),
        ("Attribute.1.Value", "1"),
    ];
    assert_eq!(query(&emulator, "sqs", &visible).await.status, 200);
    let poison = [
        ("Action", "SendMessage"),
        ("Version", "2012-11-05"),
        ("QueueUrl", step_queue.as_str()),
        ("MessageBody", "{\"v\":1,\"k\":\"nonsense\"}"),
    ];
    assert_eq!(query(&emulator, "sqs", &poison).await.status, 200);
    let sqs = openeve_testkit::sqs::SqsServer::new(emulator.endpoint());
    let dead = openeve_testkit::sqs::Queue {
        url: dead_queue,
        arn: String::new(),
    };
    eventually("the poisoned message is a dead letter", async || {
        (sqs.depth(&dead).await.visible == 1).then_some(())
    })
    .await;
    for hidden in [TOKEN, SIGNING, "sk-scripted"] {
        assert!(!emulator.log().contains(hidden), "a secret was printed");
    }
}

/// As `eventually`, with the patience a one-minute schedule needs.
async fn eventually_minutes(what: &str, mut look: impl AsyncFnMut() -> Option<()>) {
    for _ in 0..6 {
        let tried = tokio::time::timeout(
            std::time::Duration::from_secs(25),
            eventually(what, &mut look),
        )
        .await;
        if tried.is_ok() {
            return;
        }
    }
    panic!("waited minutes for {what}");
}
