//! A deployment of the five real binaries on loopback: our own Lambda, our own SQS.

use std::path::PathBuf;
use std::sync::Arc;

use openeve_domain::limits::{
    DELIVERY_FUNCTION_TIMEOUT_MS, QUEUE_RECEIVES_MAX, SECOND_MS, STEP_FUNCTION_TIMEOUT_MS,
    VISIBILITY_FACTOR,
};
use openeve_domain::secret::Secret;
use openeve_integrations::channels::http::sign;
use openeve_postgres::{PgStore, Pool};
use openeve_runtime::ports::{RunView, Store as _};
use openeve_testkit::database::{TestDatabase, TestServer};
use openeve_testkit::lambda::{InvokeOutcome, LambdaFunction, LambdaOptions, RecursiveLoop};
use openeve_testkit::receiver::{Receiver, Recorded};
use openeve_testkit::scripted_model::{Reply, ScriptedCall, ScriptedModel, tool_results};
use openeve_testkit::sqs::local::LocalSqs;
use openeve_testkit::sqs::poller::{Mapping, Poller};
use openeve_testkit::sqs::{Queue, SqsServer};
use serde_json::{Value, json};

use crate::migrated_database;
use crate::paths::{binary, concierge_artifact};
use crate::shipped::recursive_loop;

/// The channel's token; like the two below it may never be seen.
pub const TOKEN: &str = "token-4711-of-the-channel";
/// The reply's signing secret.
pub const SIGNING: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// The model's key.
pub const MODEL_KEY: &str = "sk-secret-0815-of-the-model";

/// A built agent and the names that its channel gives its variables.
pub struct Agent {
    /// Its id.
    pub name: &'static str,
    /// Its artifact.
    pub artifact: PathBuf,
    /// What `…_TOKEN`, `…_REPLY_URL` and `…_REPLY_SECRET` begin with.
    pub prefix: &'static str,
}

impl Agent {
    /// The example, as the test command has built it.
    pub fn concierge() -> Self {
        Self {
            name: "concierge",
            artifact: concierge_artifact(),
            prefix: "CONCIERGE",
        }
    }
}

/// How the two queues feed their functions, and how the step works.
pub struct Options {
    /// Who is deployed.
    pub agent: Agent,
    /// How both queues feed their functions.
    pub mapping: Mapping,
    /// How long a claim holds.
    pub lease_ms: u64,
    /// Variables of the step beside the usual ones.
    pub step_variables: Vec<(&'static str, String)>,
    /// Whether the step may feed itself.
    pub step_loop: RecursiveLoop,
    /// What is thought.
    pub model: ScriptedModel,
    /// Where replies go.
    pub receiver: Receiver,
    /// A function's binary by name.
    pub binaries: fn(&str) -> PathBuf,
}

/// A slice so short that a step does one iteration.
pub fn one_iteration_a_step() -> (&'static str, String) {
    ("OPENEVE_STEP_SLICE_MS", "0".to_owned())
}

impl Options {
    /// A model that uses two tools, a receiver that takes everything, the test build's binaries,
    /// and the recursion that the shipped template allows.
    pub async fn plain() -> Self {
        Self {
            agent: Agent::concierge(),
            mapping: Mapping {
                redelivers_at_once: true,
                ..Mapping::default()
            },
            lease_ms: 60_000,
            step_variables: Vec::new(),
            step_loop: recursive_loop("step"),
            model: ScriptedModel::start(two_tools).await,
            receiver: Receiver::answering(Vec::new()).await,
            binaries: binary,
        }
    }
}

/// Everything that runs.
pub struct Deployment {
    /// All truth.
    pub database: TestDatabase,
    /// The same, read through the store.
    pub store: Arc<PgStore>,
    /// The queues' server.
    pub sqs: SqsServer,
    /// What is thought.
    pub model: ScriptedModel,
    /// Where replies go.
    pub receiver: Receiver,
    /// HTTP in.
    pub ingress: LambdaFunction,
    /// Clock in.
    pub tick: LambdaFunction,
    /// Queue in.
    pub step: LambdaFunction,
    /// Queue in.
    pub delivery: LambdaFunction,
    /// Clock in.
    pub sweep: LambdaFunction,
    /// What rings the step.
    pub step_queue: Queue,
    /// Where its poisoned messages end.
    pub step_dead: Queue,
    /// What feeds the step from its queue.
    pub step_poller: Poller,
    agent: &'static str,
    _delivery_poller: Poller,
    _queues: LocalSqs,
}

/// A model that looks something up, books a table, and then answers.
pub fn two_tools(request: &Value) -> Reply {
    match tool_results(request) {
        0 => Reply::call("call_a", "opening_hours", &json!({"place": "sauna"})),
        1 => Reply::calls(vec![ScriptedCall::new("call_b", "book_table", &booking())]),
        _ => Reply::text("Booked. The sauna opens at 15:00."),
    }
}

/// Arguments of a booking.
pub fn booking() -> Value {
    json!({"place": "Trattoria Lina", "date": "2026-12-01", "time": "19:00", "guests": 2, "name": "Ada"})
}

impl Deployment {
    /// Starts everything; nothing has been asked yet.
    #[expect(
        clippy::too_many_lines,
        reason = "a list of what a deployment is made of"
    )]
    pub async fn start(options: Options) -> Self {
        let database = migrated_database(TestServer::shared()).await;
        let queues = LocalSqs::start().await;
        let sqs = queues.client();
        let hidden_s = |timeout_ms: u64| timeout_ms * VISIBILITY_FACTOR / SECOND_MS;
        let step_hidden_s = hidden_s(STEP_FUNCTION_TIMEOUT_MS);
        let delivery_hidden_s = hidden_s(DELIVERY_FUNCTION_TIMEOUT_MS);
        let receives = QUEUE_RECEIVES_MAX;
        let (step_queue, step_dead) = sqs.create_pair("step", step_hidden_s, receives).await;
        let (delivery_queue, _) = sqs
            .create_pair("delivery", delivery_hidden_s, receives)
            .await;
        let mut env = vec![
            ("DATABASE_URL", database.url()),
            (
                "OPENEVE_ARTIFACT_ROOT",
                options.agent.artifact.display().to_string(),
            ),
            ("OPENEVE_AWS_ENDPOINT_URL", sqs.endpoint().to_owned()),
            ("OPENEVE_STEP_QUEUE_URL", step_queue.url.clone()),
            ("OPENEVE_DELIVERY_QUEUE_URL", delivery_queue.url.clone()),
            ("OPENEVE_RUN_LEASE_MS", options.lease_ms.to_string()),
            ("OPENEVE_DELIVERY_INLINE", "false".to_owned()),
            ("OPENEVE_LOG", "debug".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", "test".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
        ];
        let binaries = options.binaries;
        let step_loop = options.step_loop;
        let function = |name: &str, env: &[(&str, String)]| {
            let env = env
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()));
            let options = LambdaOptions {
                name: name.to_owned(),
                timeout_ms: STEP_FUNCTION_TIMEOUT_MS,
                recursive_loop: match name {
                    "step" => step_loop,
                    other => recursive_loop(other),
                },
                ..LambdaOptions::default()
            };
            LambdaFunction::start(binaries(name), env, options)
        };
        let tick = function("tick", &env);
        let sweep = function("sweep", &env);
        let mut with_token = env.clone();
        let variables = ["TOKEN", "REPLY_URL", "REPLY_SECRET"]
            .map(|end| format!("{}_{end}", options.agent.prefix));
        let [token_name, url_name, secret_name] = variables.each_ref().map(String::as_str);
        with_token.push((token_name, TOKEN.to_owned()));
        let ingress = function("ingress", &with_token);
        let mut with_channel = env.clone();
        with_channel.push((url_name, format!("{}/reply", options.receiver.url())));
        with_channel.push((secret_name, SIGNING.to_owned()));
        let delivery = function("delivery", &with_channel);
        env.push(("OPENEVE_MODEL_BASE_URL", options.model.url().to_owned()));
        env.push(("OPENEVE_MODEL_API_KEY", MODEL_KEY.to_owned()));
        env.extend(options.step_variables);
        let step = function("step", &env);
        let step_poller = Poller::start(&sqs, &step_queue, &step, options.mapping.clone());
        let delivery_poller = Poller::start(&sqs, &delivery_queue, &delivery, options.mapping);
        let store = PgStore::new(Pool::new(&Secret::new(database.url()), 2, None).unwrap());
        Self {
            database,
            store: Arc::new(store),
            sqs,
            model: options.model,
            receiver: options.receiver,
            ingress,
            tick,
            step,
            delivery,
            sweep,
            step_queue,
            step_dead,
            step_poller,
            agent: options.agent.name,
            _delivery_poller: delivery_poller,
            _queues: queues,
        }
    }

    /// Posts a body at the function URL and returns the status and the answer.
    pub async fn post(&self, path: &str, token: &str, body: &str) -> (u64, Value) {
        let outcome = self
            .ingress
            .invoke_json(&function_url_event(path, token, body))
            .await;
        let answer = match &outcome {
            InvokeOutcome::Response(_) => outcome.json(),
            other => panic!(
                "the ingress did not answer: {other:?}\n{}",
                self.ingress.logs()
            ),
        };
        let text = answer["body"].as_str().unwrap_or_default();
        (
            answer["statusCode"].as_u64().unwrap(),
            serde_json::from_str(text).unwrap_or(Value::Null),
        )
    }

    /// Says something and returns its run.
    pub async fn say(
        &self,
        conversation: &str,
        text: &str,
        id: &str,
    ) -> openeve_domain::ids::RunId {
        let body = json!({"message": text, "conversation": conversation, "id": id}).to_string();
        let (status, answer) = self.post("/message", TOKEN, &body).await;
        assert_eq!(status, 202, "{answer}");
        answer["run_id"].as_str().unwrap().parse().unwrap()
    }

    /// A run as people read it.
    pub async fn view(&self, run: openeve_domain::ids::RunId) -> RunView {
        self.store
            .run_view(self.agent, run)
            .await
            .unwrap()
            .expect("the run exists")
    }

    /// The kinds of a run's events, in order.
    pub async fn kinds(&self, run: openeve_domain::ids::RunId) -> Vec<String> {
        let events = self
            .store
            .run_events(self.agent, run, 0, 1_000)
            .await
            .unwrap();
        events.into_iter().map(|event| event.kind).collect()
    }

    /// What every process printed.
    pub fn logs(&self) -> String {
        [
            &self.ingress,
            &self.tick,
            &self.step,
            &self.delivery,
            &self.sweep,
        ]
        .map(LambdaFunction::logs)
        .join("\n")
    }
}

/// An event as a Lambda function URL sends it.
pub fn function_url_event(path: &str, token: &str, body: &str) -> Value {
    json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", "authorization": format!("Bearer {token}"), "host": "x.lambda-url.us-east-1.on.aws"},
        "requestContext": {
            "accountId": "anonymous", "apiId": "x", "domainName": "x.lambda-url.us-east-1.on.aws", "domainPrefix": "x",
            "http": {"method": "POST", "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": "test"},
            "requestId": "1", "routeKey": "$default", "stage": "$default", "time": "30/Nov/2026:20:00:00 +0000", "timeEpoch": 1_796_068_800_000_u64
        },
        "body": body,
        "isBase64Encoded": false
    })
}

/// Checks a reply's signature as its receiver would.
pub fn assert_signed(reply: &Recorded) {
    let (id, timestamp) = (
        reply.header("webhook-id"),
        reply.header("webhook-timestamp"),
    );
    let expected = sign(
        &Secret::new(SIGNING),
        id,
        timestamp.parse().unwrap(),
        &reply.body,
    )
    .unwrap();
    assert_eq!(reply.header("webhook-signature"), expected);
}
