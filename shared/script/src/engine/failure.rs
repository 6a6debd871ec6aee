//! What went wrong, as a text the model and the author can act on.

use openeve_domain::limits::MIB;
use rquickjs::convert::Coerced;
use rquickjs::{Ctx, Error, Exception, Object, Value};

use super::budget::Trip;
use crate::limits::Limits;

/// Lines of a stack that are kept.
const STACK_LINES_MAX: usize = 5;
/// Frames of this crate's own scripts begin so.
pub(crate) const OWN_FILES: &str = "openeve:";

/// Why a script has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It threw, or what it made was refused; the text is ready to read.
    Thrown(String),
    /// Its promise is pending and nothing is left that could settle it.
    NeverSettles,
    /// It was interrupted.
    Interrupted(Trip),
}

impl Failure {
    /// A failure found by the host.
    pub(crate) fn host(message: impl std::fmt::Display) -> Self {
        Self::Thrown(format!("Error: {message}"))
    }

    /// The text for the model. `unhandled` is what was rejected and never handled.
    pub(crate) fn message(self, limits: &Limits, unhandled: &[String]) -> String {
        match self {
            Self::Thrown(text) => text,
            Self::NeverSettles => match unhandled {
                [] => "Error: the tool's promise never settles: no timer, request or other work \
                       is left that could settle it"
                    .to_owned(),
                texts => format!(
                    "Error: the tool's promise never settles, after a rejection nobody handled: {}",
                    texts.join("; ")
                ),
            },
            Self::Interrupted(Trip::Cpu) => format!(
                "Error: the tool used more than {} ms of processor time between two awaits and \
                 was stopped",
                limits.cpu_ms
            ),
            Self::Interrupted(Trip::Memory) => format!(
                "Error: the tool used more than its {} MiB of memory",
                limits.memory_bytes / MIB
            ),
            Self::Interrupted(Trip::Paused) => "Error: the tool waits for an answer".to_owned(),
            Self::Interrupted(Trip::Stopped) => "Error: the tool was stopped".to_owned(),
        }
    }
}

/// Turns an error of the engine's binding into a text; takes the pending exception.
pub(crate) fn describe_error(ctx: &Ctx<'_>, error: &Error) -> String {
    if matches!(error, Error::Exception) {
        describe(&ctx.catch())
    } else {
        format!("Error: {error}")
    }
}

/// Turns a thrown value into a text: name and message, its cause, some lines of stack.
pub(crate) fn describe(value: &Value<'_>) -> String {
    if value.is_null() || value.is_undefined() {
        return format!("Error: the tool threw {}", value.type_name());
    }
    let Some(exception) = value.as_object().cloned().and_then(Exception::from_object) else {
        // A DOMException is no error of the language's own, but says as much.
        let message = value
            .as_object()
            .and_then(|object| object.get::<_, String>("message").ok());
        return match (value.as_object(), message) {
            (Some(object), Some(message)) => headline(object, &message),
            _ => format!("Error: {}", text_of(value)),
        };
    };
    let message = exception.message().unwrap_or_default();
    let mut text = headline(exception.as_object(), &message);
    if let Some(cause) = cause(exception.as_object()) {
        text.push_str("\n    caused by ");
        text.push_str(&cause);
    }
    let stack = exception.stack().unwrap_or_default();
    let authored = |line: &&str| !line.contains(OWN_FILES) && !line.contains("(native)");
    for line in stack
        .lines()
        .map(str::trim_end)
        .filter(authored)
        .take(STACK_LINES_MAX)
    {
        text.push('\n');
        text.push_str(line);
    }
    text
}

fn headline(error: &Object<'_>, message: &str) -> String {
    let name: Option<Coerced<String>> = error.get("name").ok();
    let name = name.map_or_else(|| "Error".to_owned(), |name| name.0);
    if message.is_empty() {
        name
    } else {
        format!("{name}: {message}")
    }
}

fn cause(error: &Object<'_>) -> Option<String> {
    let cause: Value<'_> = error.get("cause").ok()?;
    if cause.is_undefined() || cause.is_null() {
        return None;
    }
    match cause.as_object().cloned().and_then(Exception::from_object) {
        Some(cause) => Some(headline(
            cause.as_object(),
            &cause.message().unwrap_or_default(),
        )),
        None => Some(text_of(&cause)),
    }
}

/// A thrown value that is no error: a text as it is, anything else as JSON.
fn text_of(value: &Value<'_>) -> String {
    if let Some(text) = value.as_string().and_then(|text| text.to_string().ok()) {
        return text;
    }
    let ctx = value.ctx();
    if let Ok(Some(json)) = ctx.json_stringify(value.clone())
        && let Ok(text) = json.to_string()
    {
        return text;
    }
    ctx.catch();
    let coerced: Result<Coerced<String>, Error> = value.get();
    coerced.map_or_else(
        |_| {
            ctx.catch();
            format!("the tool threw a {}", value.type_name())
        },
        |text| text.0,
    )
}
