//! The tool's own functions: events, idempotency keys and the log.

use std::rc::Rc;

use openeve_domain::canonical::PartsHash;
use openeve_domain::event::{Event, FRAMEWORK_KINDS};
use openeve_domain::text::prefix;
use rquickjs::{Ctx, Exception, Function, Object, Result};
use tracing::{Level, event};

use super::Host;

/// Characters of an event's name.
const EVENT_NAME_CHARS_MAX: usize = 100;
/// Hexadecimal digits of an idempotency key.
const KEY_DIGITS: usize = 40;

impl Host {
    /// Records an event, or says why not.
    fn emit(&self, name: &str, json: &str) -> std::result::Result<(), String> {
        if self.paused() {
            return Err("the call waits for an answer".to_owned());
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if name.is_empty() || name.len() > EVENT_NAME_CHARS_MAX || !name.bytes().all(allowed) {
            return Err(format!(
                "an event's name has 1 to {EVENT_NAME_CHARS_MAX} letters, digits, dots, dashes \
                 and underscores"
            ));
        }
        if FRAMEWORK_KINDS
            .iter()
            .any(|kind| kind.eq_ignore_ascii_case(name))
        {
            return Err(format!(
                "the event {name:?} is the framework's own; choose another name"
            ));
        }
        let (bytes, max) = (json.len(), self.limits.event_bytes);
        if bytes > max {
            return Err(format!(
                "an event's payload has at most {max} bytes, this one {bytes}"
            ));
        }
        let payload = serde_json::from_str(json)
            .map_err(|error| format!("an event's payload must be JSON: {error}"))?;
        let event = Event::new(name, self.environment.redact_json(payload));
        if !self.emitted.push(event, self.limits.events) {
            return Err(format!(
                "a tool call emits at most {} events",
                self.limits.events
            ));
        }
        Ok(())
    }

    /// A key that is the same whenever this call of this run asks for this label.
    fn idempotency_key(&self, label: &str) -> String {
        let mut hash = PartsHash::default();
        let digits = hash
            .part(&self.run_id)
            .part(&self.call_id)
            .part(label)
            .finish();
        format!("oe_{}", prefix(&digits, KEY_DIGITS))
    }

    /// Logs one line; false once the call logs no more.
    fn log(&self, level: &str, line: &str) -> bool {
        if self.paused() {
            return false;
        }
        let count = self.lines.get() + 1;
        self.lines.set(count);
        let max = self.limits.console_lines;
        if count > max {
            let text = format!("console: only the first {max} lines of a call are kept");
            self.write("warn", &text);
            return false;
        }
        let line = self.environment.redact(&self.placed(line.to_owned()));
        self.write(level, prefix(&line, self.limits.console_line_bytes));
        true
    }

    /// Writes one event of the log; the only place where a script's text meets it.
    pub(crate) fn write(&self, level: &str, line: &str) {
        // The level of an event is part of its call site, so each has its own.
        macro_rules! line {
            ($level:expr) => {
                event!(
                    target: "openeve.tool",
                    $level,
                    { run.id = %self.run_id, tool.name = %self.tool },
                    "{line}"
                )
            };
        }
        match level {
            "error" => line!(Level::ERROR),
            "warn" => line!(Level::WARN),
            "debug" => line!(Level::DEBUG),
            _ => line!(Level::INFO),
        }
    }
}

pub(super) fn install<'js>(host: &Rc<Host>, object: &Object<'js>) -> Result<()> {
    let ctx = object.ctx();
    let state = Rc::clone(host);
    let emit = move |ctx: Ctx<'js>, name: String, json: String| {
        state
            .emit(&name, &json)
            .map_err(|why| Exception::throw_type(&ctx, &why))
    };
    object.set("emit", Function::new(ctx.clone(), emit)?)?;
    let state = Rc::clone(host);
    let key = move |label: String| state.idempotency_key(&label);
    object.set("idempotencyKey", Function::new(ctx.clone(), key)?)?;
    let state = Rc::clone(host);
    let log = move |level: String, line: String| state.log(&level, &line);
    object.set("log", Function::new(ctx.clone(), log)?)
}
