//! The table of knobs, and the page that is made from it.

use std::fmt::Write as _;

/// One knob.
#[derive(Debug, Clone, Copy)]
pub struct Knob {
    /// The environment variable.
    pub name: &'static str,
    /// Another name that is read when this one is unset.
    pub alias: Option<&'static str>,
    /// Its type, with unit and bound.
    pub kind: Kind,
    /// Its default; empty for none.
    pub default: &'static str,
    /// Whether its value must never be shown. A secret may be given as the ARN of an AWS Secrets
    /// Manager secret; the functions on Lambda resolve it.
    pub secret: bool,
    /// The version that introduced it.
    pub since: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// A knob's type.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// An `http` or `https` URL.
    Url,
    /// `true` or `false`.
    Flag,
    /// One of these.
    Choice(&'static [&'static str]),
    /// A whole number with its unit and bounds.
    Number(&'static str, u64, u64),
}

const fn knob(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Knob {
    Knob {
        name,
        alias: None,
        kind,
        default,
        secret: false,
        since: "0.1.0",
        doc,
    }
}

const fn secret(name: &'static str, alias: Option<&'static str>, doc: &'static str) -> Knob {
    Knob {
        name,
        alias,
        kind: Kind::Text,
        default: "",
        secret: true,
        since: "0.1.0",
        doc,
    }
}

const MS: &str = "milliseconds";
const HOUR: u64 = 3_600_000;

/// Every knob.
pub const KNOBS: &[Knob] = &[
    knob(
        "OPENEVE_MODE",
        Kind::Choice(&["development", "production"]),
        "production",
        "How strict the host is. In development routes without authentication are open on loopback.",
    ),
    knob(
        "OPENEVE_ARTIFACT_ROOT",
        Kind::Text,
        ".openeve",
        "The folder that `openeve build` wrote.",
    ),
    secret(
        "DATABASE_URL",
        None,
        "The Postgres database, as `postgres://user:password@host:5432/name`. TLS is used where the server offers it; add `?sslmode=require` to insist.",
    ),
    knob(
        "OPENEVE_DATABASE_CA",
        Kind::Text,
        "",
        "A PEM file with the certificate authority of the database, such as the RDS bundle.",
    ),
    knob(
        "OPENEVE_DATABASE_CONNECTIONS",
        Kind::Number("connections", 1, 100),
        "1",
        "Connections of one process. A function on Lambda needs one; `dev` and `serve` take 8 unless it is set.",
    ),
    knob(
        "OPENEVE_STEP_QUEUE_URL",
        Kind::Url,
        "",
        "The SQS queue that rings the step function.",
    ),
    knob(
        "OPENEVE_DELIVERY_QUEUE_URL",
        Kind::Url,
        "",
        "The SQS queue that rings the delivery function.",
    ),
    knob(
        "OPENEVE_STEP_DEAD_LETTERS_URL",
        Kind::Url,
        "",
        "The SQS queue of messages that the step function gave up. The sweep and `openeve redrive --dead-letters` compare them with their rows.",
    ),
    knob(
        "OPENEVE_DELIVERY_DEAD_LETTERS_URL",
        Kind::Url,
        "",
        "The same for the delivery function.",
    ),
    knob(
        "OPENEVE_AWS_ENDPOINT_URL",
        Kind::Url,
        "",
        "An endpoint that stands in for AWS, for tests.",
    ),
    Knob {
        alias: Some("OPENAI_BASE_URL"),
        ..knob(
            "OPENEVE_MODEL_BASE_URL",
            Kind::Url,
            "https://api.openai.com/v1",
            "The model provider, or any server that speaks its protocol.",
        )
    },
    secret(
        "OPENEVE_MODEL_API_KEY",
        Some("OPENAI_API_KEY"),
        "The model provider's key.",
    ),
    knob(
        "OPENEVE_MODEL_TIMEOUT_MS",
        Kind::Number(MS, 1_000, 600_000),
        "120000",
        "How long one model request may take, streaming included.",
    ),
    secret(
        "OPENEVE_ADMIN_TOKEN",
        None,
        "The bearer token for reading, deciding and cancelling runs over HTTP. Unset: in production those routes are closed, but for the channels' own tokens.",
    ),
    secret(
        "OPENEVE_AGENT_SECRET",
        None,
        "One secret with a JSON object of the variables the agent's folder names; each entry is read as if it were set.",
    ),
    knob(
        "OPENEVE_STEP_RESERVE_MS",
        Kind::Number(MS, 1_000, 890_000),
        "",
        "A step starts another iteration only if more than this remains; the model time-out and ten seconds by default.",
    ),
    knob(
        "OPENEVE_STEP_SLICE_MS",
        Kind::Number(MS, 0, 890_000),
        "60000",
        "A step starts another iteration only if it has worked for less than this.",
    ),
    knob(
        "OPENEVE_RUN_LEASE_MS",
        Kind::Number(MS, 100, HOUR),
        "60000",
        "How long a claim holds without a heartbeat.",
    ),
    knob(
        "OPENEVE_RUN_HEARTBEAT_MS",
        Kind::Number(MS, 20, HOUR),
        "30000",
        "How often a working step extends its lease; at most half the lease.",
    ),
    knob(
        "OPENEVE_RUN_MAX_ITERATIONS",
        Kind::Number("iterations", 1, 10_000),
        "100",
        "Model requests of one run before it ends with reason `max_iterations`.",
    ),
    knob(
        "OPENEVE_RUN_MAX_STEPS",
        Kind::Number("steps", 1, 100_000),
        "500",
        "Steps of one run before it ends with reason `max_steps`.",
    ),
    knob(
        "OPENEVE_RUN_MAX_TOKENS",
        Kind::Number("tokens", 1, 1_000_000_000),
        "5000000",
        "Tokens that a run and its subagents may read and write before it ends with reason `max_tokens`.",
    ),
    knob(
        "OPENEVE_RUN_MAX_COST_MICROS",
        Kind::Number("millionths of a US dollar", 1, 1_000_000_000_000),
        "20000000",
        "What a run and its subagents may spend before it ends with reason `max_cost`.",
    ),
    knob(
        "OPENEVE_RUN_MAX_WALL_MS",
        Kind::Number(MS, 1_000, 366 * 24 * HOUR),
        "86400000",
        "How long a run may be under way, from its arrival or from the last time a person resumed it, before it ends with reason `max_wall`.",
    ),
    knob(
        "OPENEVE_RUN_MAX_REPEATED_ERRORS",
        Kind::Number("calls", 2, 10_000),
        "8",
        "Identical tool calls in a row that end with the same error before the run ends with reason `repeated_errors`.",
    ),
    knob(
        "OPENEVE_PAUSE_TTL_MS",
        Kind::Number(MS, 1_000, 366 * 24 * HOUR),
        "604800000",
        "How long an approval or a question waits before it expires.",
    ),
    knob(
        "OPENEVE_DELIVERY_INLINE",
        Kind::Flag,
        "true",
        "Whether the step sends replies itself. False on Lambda, so that the step function holds no channel secret.",
    ),
    knob(
        "OPENEVE_DELIVERY_RETRY_ATTEMPTS",
        Kind::Number("attempts", 1, 2),
        "2",
        "Tries in place before a delivery is deferred.",
    ),
    knob(
        "OPENEVE_DELIVERY_QUEUE_MAX_ATTEMPTS",
        Kind::Number("attempts", 1, 100),
        "8",
        "Tries of a delivery in all before it is given up.",
    ),
    knob(
        "OPENEVE_DELIVERY_AMBIGUOUS",
        Kind::Choice(&["fail", "retry"]),
        "fail",
        "What becomes of a send whose outcome is unknown where the receiver cannot tell a repetition: it is given up as `ambiguous`, or sent again at the risk of a double post.",
    ),
    knob(
        "OPENEVE_DELIVERY_QUEUE_LEASE_MS",
        Kind::Number(MS, 1_000, HOUR),
        "60000",
        "How long a sender holds a delivery.",
    ),
    knob(
        "OPENEVE_IDEMPOTENCY_TTL_HOURS",
        Kind::Number("hours", 48, 8_760),
        "48",
        "How long idempotency keys are kept; longer than any provider's redelivery.",
    ),
    knob(
        "OPENEVE_SCHEDULE_LOOKBACK_MS",
        Kind::Number(MS, 60_000, 24 * HOUR),
        "900000",
        "How far back the tick looks for missed occurrences.",
    ),
    knob(
        "OPENEVE_TICK_INTERVAL_MS",
        Kind::Number(MS, 50, 60_000),
        "60000",
        "How often a host of one process looks for rows that need work and for due schedules; `serve` takes 10000 and `dev` 2000 unless it is set. On Lambda a clock rings once a minute.",
    ),
    secret(
        "OPENEVE_SCHEDULER_SECRET",
        None,
        "What an outside clock sends to `/openeve/scheduler/tick`, as a bearer token or in `x-openeve-scheduler-secret`. Unset: in production that route is closed.",
    ),
    knob(
        "OPENEVE_SERVE_CONCURRENCY",
        Kind::Number("runs and deliveries", 1, 10_000),
        "50",
        "How many runs and deliveries one `serve` works on at once.",
    ),
    knob(
        "OPENEVE_SERVE_DRAIN_MS",
        Kind::Number(MS, 0, HOUR),
        "25000",
        "How long `serve` lets begun work come to its next boundary after SIGTERM or Ctrl-C. Give its supervisor a little more.",
    ),
    knob(
        "OPENEVE_AUTO_MIGRATE",
        Kind::Flag,
        "true",
        "Whether `dev` and `serve` apply migrations when they start. If not, `serve` refuses to start on an older schema.",
    ),
    knob(
        "OPENEVE_POSTGRES_BIN",
        Kind::Text,
        "",
        "The folder with `initdb` and `postgres` that `dev` should use.",
    ),
    knob(
        "OPENEVE_LOG",
        Kind::Choice(&["error", "warn", "info", "debug", "trace"]),
        "info",
        "The least severe log line that is written.",
    ),
    knob(
        "OPENEVE_LOG_FORM",
        Kind::Choice(&["json", "readable"]),
        "json",
        "How `serve` writes its log: JSON lines on standard output, or readable ones on standard error.",
    ),
];

impl Knob {
    /// What is wrong with a value, if anything.
    pub fn problem(&self, value: &str) -> Option<String> {
        let shown = if self.secret {
            "the value".to_owned()
        } else {
            format!("{value:?}")
        };
        match self.kind {
            Kind::Text => None,
            Kind::Url => {
                let ok = value.starts_with("https://") || value.starts_with("http://");
                (!ok).then(|| format!("{shown} is not a URL; write one that begins with https://"))
            }
            Kind::Flag => {
                let ok = matches!(value, "true" | "false");
                (!ok).then(|| format!("{shown} is neither true nor false"))
            }
            Kind::Choice(choices) => (!choices.contains(&value))
                .then(|| format!("{shown} is not one of {}", choices.join(", "))),
            Kind::Number(unit, min, max) => match value.parse::<u64>() {
                Ok(number) if (min..=max).contains(&number) => None,
                _ => Some(format!(
                    "{shown} is not a whole number of {unit} from {min} to {max}"
                )),
            },
        }
    }

    fn kind_text(&self) -> String {
        match self.kind {
            Kind::Text => "text".into(),
            Kind::Url => "URL".into(),
            Kind::Flag => "`true` or `false`".into(),
            Kind::Choice(choices) => choices
                .iter()
                .map(|choice| format!("`{choice}`"))
                .collect::<Vec<_>>()
                .join(", "),
            Kind::Number(unit, min, max) => format!("{unit}, {min} to {max}"),
        }
    }
}

/// The reference page, `docs/configuration.md`. A test holds the file to it.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Configuration\n\nMade from the registry in `shared/runtime/src/config/knobs.rs`; a test holds this page to it.\n\
         Every value is an environment variable. All are checked before the first event, and every\n\
         problem is reported at once. A secret may be given on Lambda as the ARN of an AWS Secrets\n\
         Manager secret.\n\n| variable | type | default | secret | since | what it does |\n|---|---|---|---|---|---|\n",
    );
    for knob in KNOBS {
        let default = if knob.default.is_empty() {
            "–".into()
        } else {
            format!("`{}`", knob.default)
        };
        let alias = knob
            .alias
            .map(|alias| format!(" (or `{alias}`)"))
            .unwrap_or_default();
        let secret = if knob.secret { "yes" } else { "no" };
        let kind = knob.kind_text();
        let _ = writeln!(
            page,
            "| `{}`{alias} | {kind} | {default} | {secret} | {} | {} |",
            knob.name, knob.since, knob.doc
        );
    }
    page
}
