//! Logs: one JSON line an event on Lambda, a readable line for people.

use tracing::Level;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::writer::MakeWriterExt as _;

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line, on standard output, as `CloudWatch` wants it.
    Json,
    /// A readable line, on standard error.
    Readable,
}

/// Starts logging; a second call changes nothing. `least` is the least severe level written.
pub fn start(form: Form, least: &str) {
    let level = match least {
        "error" => Level::ERROR,
        "warn" => Level::WARN,
        "debug" => Level::DEBUG,
        "trace" => Level::TRACE,
        _ => Level::INFO,
    };
    let builder = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::from_level(level))
        .with_target(false);
    let started = match form {
        Form::Json => builder
            .json()
            .flatten_event(true)
            .with_ansi(false)
            .try_init(),
        Form::Readable => builder
            .with_writer(std::io::stderr.with_max_level(level))
            .without_time()
            .compact()
            .try_init(),
    };
    drop(started);
}
