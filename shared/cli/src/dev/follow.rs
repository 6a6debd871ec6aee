//! Following runs on the terminal: each event on a line, tokens as they come.

use std::sync::{Mutex, PoisonError};

use openeve_domain::event::{self, Event};
use openeve_domain::ids::RunId;
use openeve_runtime::ports::Observer;
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;

use crate::{events, output};

/// Prints what happens. One line at a time: tokens of another run begin a line of their own.
#[derive(Debug)]
pub(super) struct Follow {
    /// The run whose tokens the cursor stands behind, if any.
    open: Mutex<Option<RunId>>,
    /// Whether each thing is one line of JSON on standard output.
    json: bool,
    /// Is told of every run that asks a person something.
    asking: UnboundedSender<RunId>,
}

impl Follow {
    /// Follows, and hands on which runs ask.
    pub(super) fn new(asking: UnboundedSender<RunId>, json: bool) -> Self {
        Self {
            open: Mutex::default(),
            json,
            asking,
        }
    }
}

impl Observer for Follow {
    fn event(&self, run_id: RunId, event: &Event) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.take().is_some() {
            output::say("");
        }
        if self.json {
            output::json(&json!({
                "run_id": run_id.to_string(), "kind": event.kind, "payload": event.payload,
            }));
        } else {
            output::say(&format!(
                "{} {}{}",
                label(run_id),
                event.kind,
                events::details(&event.kind, &event.payload)
            ));
        }
        if event.kind == event::PAUSE_REQUESTED {
            // Nobody listens any longer when the process ends.
            let _gone = self.asking.send(run_id);
        }
    }

    fn delta(&self, run_id: RunId, text: &str) {
        if self.json {
            output::json(&json!({"run_id": run_id.to_string(), "delta": text}));
            return;
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if *open != Some(run_id) {
            if open.is_some() {
                output::say("");
            }
            output::part(&format!("{} > ", label(run_id)));
            *open = Some(run_id);
        }
        output::part(text);
    }
}

/// The end of an id is what differs between runs of one minute.
pub(super) fn label(run_id: RunId) -> String {
    let text = run_id.to_string();
    format!(
        "[{}]",
        text.get(text.len().saturating_sub(6)..).unwrap_or(&text)
    )
}
