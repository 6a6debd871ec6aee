//! Logs: one JSON line an event on Lambda, a readable line for people.

use std::io::IsTerminal as _;

use tracing::Level;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line, on standard output, as `CloudWatch` wants it.
    Json,
    /// A readable line, on standard error.
    Readable,
}

/// Starts logging; a second call changes nothing. `least` is the least severe level of our own
/// lines; libraries speak from `warn` on. What authored tools print counts as `info`, and a person
/// who reads sees it whatever `least` says.
pub fn start(form: Form, least: &str) {
    let level = match least {
        "error" => Level::ERROR,
        "warn" => Level::WARN,
        "debug" => Level::DEBUG,
        "trace" => Level::TRACE,
        _ => Level::INFO,
    };
    let tools = match form {
        Form::Readable => level.max(Level::INFO),
        Form::Json => level,
    };
    let filter = Targets::new()
        .with_default(level.min(Level::WARN))
        .with_target("openeve", level)
        .with_target("openeve.tool", tools);
    let layer = tracing_subscriber::fmt::layer().with_target(false);
    let started = match form {
        Form::Json => {
            let layer = layer.json().flatten_event(true).with_ansi(false);
            tracing_subscriber::registry()
                .with(layer.with_filter(filter))
                .try_init()
        }
        Form::Readable => {
            let ansi = std::io::stderr().is_terminal();
            let layer = layer
                .with_writer(std::io::stderr)
                .without_time()
                .compact()
                .with_ansi(ansi);
            tracing_subscriber::registry()
                .with(layer.with_filter(filter))
                .try_init()
        }
    };
    drop(started);
}
